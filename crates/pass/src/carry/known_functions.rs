//! Functions that are not instrumented, and of which it is known that they neither compute nor move numbers in memory of the
//! program's, or that are followed by other means.

use super::FunctionInstrumenter;
use crate::ir;

/// Functions that output numbers, read them, allocate, or do not use memory with numbers.
pub(super) fn is_known(cx: &FunctionInstrumenter, name: &str) -> bool {
    const FAMILIES: [&str; 23] = [
        // C++: the standard library, allocation, exceptions.
        "_ZSt",
        "_ZNSt",
        "_ZNKSt",
        "_ZNSi",
        "_ZNKSi",
        "_ZNSo",
        "_ZNKSo",
        "_ZN9__gnu_cxx",
        "_Zd",
        "_Zn",
        "__cxa_",
        "_Unwind_",
        "__clang_call_terminate",
        // Rust's is not compiled by lostbits as a whole.
        "_R",
        "__rust",
        // Fortran's, and OpenMP's, which hand memory to instrumented functions.
        "_Fortran",
        "__kmpc_",
        "__tgt_",
        "omp_",
        // Threads, input, and this runtime.
        "pthread_",
        "__isoc",
        "__lostbits",
        "lostbits_",
    ];
    const FUNCTIONS: [&str; 24] = [
        "getline",
        "recv",
        "recvfrom",
        "recvmsg",
        "readv",
        "pread",
        "pread64",
        "preadv",
        "writev",
        "mmap",
        "mmap64",
        "munmap",
        "madvise",
        "mprotect",
        "posix_memalign",
        "qsort",
        "qsort_r",
        "bsearch",
        "cfree",
        "fscanf",
        "sscanf",
        "scanf",
        "drand48_r",
        "getloadavg",
    ];
    FAMILIES.iter().any(|family| name.starts_with(family))
        || FUNCTIONS.contains(&name)
        || ir::is_c_library_function(cx.builder.module(), name)
}
