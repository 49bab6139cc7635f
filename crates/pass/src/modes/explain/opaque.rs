//! Functions that lostbits did not compile and that may write numbers into memory: LAPACK's, for example. They are reported like
//! those that give numbers back: sites of what returns, which the tool compares with what was compiled.

use lostbits_abi::site::What;

use super::outputs;
use crate::{
    carry::FunctionInstrumenter,
    ir::{self, Value},
};

pub fn observe_call(cx: &mut FunctionInstrumenter, call: Value, name: &str) {
    let gives_number = !cx.leaves_of(call).is_empty();
    if !gives_number && ir::takes_number_memory(call) && !is_known(cx, name) {
        let site = cx.site_of_double(call, What::Return, name);
        cx.count_here(call, site, 1);
    }
}

/// Functions that output numbers, read them, or do not use them.
fn is_known(cx: &FunctionInstrumenter, name: &str) -> bool {
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
        || outputs::is_output(name)
        || ir::is_c_library_function(cx.builder.module(), name)
}
