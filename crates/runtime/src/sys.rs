//! System calls, made directly. Nothing here touches errno, can be replaced by a function of the program, or is a
//! cancellation point, and all of it may be called in a signal handler or in the child of a fork.

use core::arch::asm;

/// An error number of the kernel's.
pub type Errno = i32;

pub const PAGE: usize = 4096;

/// Makes a system call.
///
/// # Safety
///
/// The kernel reads and writes the memory that the arguments name, as the call's manual page says.
unsafe fn call(number: i64, arguments: [usize; 6]) -> Result<usize, Errno> {
    let [a, b, c, d, e, f] = arguments;
    let result: isize;
    // SAFETY: these are the registers of the Linux convention for x86-64; the rest is the caller's promise.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") a,
            in("rsi") b,
            in("rdx") c,
            in("r10") d,
            in("r8") e,
            in("r9") f,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    if (-4095..0).contains(&result) {
        Err(-result as Errno)
    } else {
        Ok(result as usize)
    }
}

/// Repeats a call that a signal interrupted.
fn uninterrupted<T>(mut attempt: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match attempt() {
            Err(libc::EINTR) => {}
            outcome => return outcome,
        }
    }
}

/// Records hold values of the program, which only the user may read.
const PRIVATE: usize = 0o600;

/// An open file; closed when dropped.
pub struct File(usize);

impl File {
    /// `path` must end with NUL.
    pub fn open(path: &[u8], flags: i32) -> Result<File, Errno> {
        debug_assert_eq!(path.last(), Some(&0));
        let flags = flags | libc::O_CLOEXEC | libc::O_NOCTTY;
        let at = libc::AT_FDCWD as usize;
        // SAFETY: the kernel reads `path` up to its NUL.
        uninterrupted(|| unsafe {
            call(
                libc::SYS_openat,
                [at, path.as_ptr() as usize, flags as usize, PRIVATE, 0, 0],
            )
        })
        .map(File)
    }

    pub fn read(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        let (start, bytes) = (buffer.as_mut_ptr() as usize, buffer.len());
        // SAFETY: the kernel writes at most `bytes` bytes of `buffer`.
        uninterrupted(|| unsafe { call(libc::SYS_read, [self.0, start, bytes, 0, 0, 0]) })
    }

    /// Allocates blocks for `start..end`, so that no store into a mapping of them can fail later.
    pub fn allocate(&self, start: usize, end: usize) -> Result<(), Errno> {
        if end > file_size_limit()? {
            // Asking the kernel would raise SIGXFSZ.
            return Err(libc::EFBIG);
        }
        // SAFETY: no memory is read or written.
        let reserved = uninterrupted(|| unsafe {
            call(
                libc::SYS_fallocate,
                [self.0, 0, start, end.wrapping_sub(start), 0, 0],
            )
        });
        match reserved {
            Err(libc::EOPNOTSUPP | libc::ENOSYS) => self.fill_with_zeros(start, end),
            outcome => outcome.map(drop),
        }
    }

    /// For file systems that cannot reserve.
    fn fill_with_zeros(&self, start: usize, end: usize) -> Result<(), Errno> {
        static ZEROS: [u8; PAGE] = [0; PAGE];
        let from = ZEROS.as_ptr() as usize;
        let mut at = start;
        while at < end {
            let bytes = PAGE.min(end.wrapping_sub(at));
            // SAFETY: the kernel reads at most a page from `ZEROS`, which is one.
            let written = uninterrupted(|| unsafe {
                call(libc::SYS_pwrite64, [self.0, from, bytes, at, 0, 0])
            })?;
            at = at.saturating_add(written);
        }
        Ok(())
    }

    pub fn identity(&self) -> Result<FileIdentity, Errno> {
        // SAFETY: all fields are integers, for which zeros are valid.
        let mut stat = unsafe { core::mem::zeroed::<libc::stat>() };
        let arguments = [self.0, &raw mut stat as usize, 0, 0, 0, 0];
        // SAFETY: the kernel writes `stat` only.
        unsafe { call(libc::SYS_fstat, arguments) }?;
        Ok(FileIdentity {
            device: stat.st_dev,
            inode: stat.st_ino,
        })
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: nothing uses the descriptor any more.
        let _ = unsafe { call(libc::SYS_close, [self.0, 0, 0, 0, 0, 0]) };
    }
}

/// Identifies a file whatever its name is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

impl FileIdentity {
    pub const NONE: FileIdentity = FileIdentity {
        device: 0,
        inode: 0,
    };
}

/// `path` must end with NUL.
pub fn unlink(path: &[u8]) {
    debug_assert_eq!(path.last(), Some(&0));
    // SAFETY: the kernel reads `path` up to its NUL.
    let _ = unsafe { call(libc::SYS_unlink, [path.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// The working directory; its length without NUL.
pub fn working_directory(buffer: &mut [u8]) -> Result<usize, Errno> {
    let arguments = [buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0, 0];
    // SAFETY: the kernel writes at most `buffer.len()` bytes of `buffer`.
    let length = unsafe { call(libc::SYS_getcwd, arguments) }?;
    Ok(length.saturating_sub(1))
}

fn file_size_limit() -> Result<usize, Errno> {
    let limit = limit(libc::RLIMIT_FSIZE as usize)?;
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Linux then arranges the address space from below ("legacy layout").
pub fn is_stack_unlimited() -> bool {
    limit(libc::RLIMIT_STACK as usize) == Ok(libc::RLIM_INFINITY)
}

/// Lowers the limit of stacks for programs that are executed from now on.
pub fn limit_stack(bytes: u64) -> Result<(), Errno> {
    let resource = libc::RLIMIT_STACK as usize;
    let hard = limits(resource)?.rlim_max;
    let wanted = libc::rlimit {
        rlim_cur: bytes.min(hard),
        rlim_max: hard,
    };
    let from = &raw const wanted as usize;
    // SAFETY: the kernel reads `wanted`.
    unsafe { call(libc::SYS_prlimit64, [0, resource, from, 0, 0, 0]) }.map(drop)
}

/// Programs that are executed from now on have their memory at the same addresses each time. False if they had before, or if
/// that is forbidden (in some containers).
pub fn stop_randomising() -> bool {
    const ASK: usize = 0xffff_ffff;
    // SAFETY: no memory is read or written.
    let personality = |value| unsafe { call(libc::SYS_personality, [value, 0, 0, 0, 0, 0]) };
    let fixed = libc::ADDR_NO_RANDOMIZE as usize;
    personality(ASK).is_ok_and(|now| now & fixed == 0 && personality(now | fixed).is_ok())
}

/// Where a symbolic link leads; `path` must end with NUL, and so does the target if there is room.
pub fn read_link(path: &[u8], target: &mut [u8]) -> Result<usize, Errno> {
    debug_assert_eq!(path.last(), Some(&0));
    let (to, room) = (target.as_mut_ptr() as usize, target.len().saturating_sub(1));
    let arguments = [path.as_ptr() as usize, to, room, 0, 0, 0];
    // SAFETY: the kernel reads `path` up to its NUL and writes at most `room` bytes.
    unsafe { call(libc::SYS_readlink, arguments) }
}

/// Replaces this process's program; returns only if that fails.
///
/// # Safety
///
/// `path` and the strings in both lists end with NUL, the lists with a null pointer.
pub unsafe fn execute(path: &[u8], arguments: usize, environment: usize) {
    let path = path.as_ptr() as usize;
    // SAFETY: the caller's promise.
    let _ = unsafe { call(libc::SYS_execve, [path, arguments, environment, 0, 0, 0]) };
}

fn limit(resource: usize) -> Result<u64, Errno> {
    limits(resource).map(|limits| limits.rlim_cur)
}

fn limits(resource: usize) -> Result<libc::rlimit, Errno> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    let to = &raw mut limit as usize;
    // SAFETY: the kernel writes `limit` only.
    unsafe { call(libc::SYS_prlimit64, [0, resource, 0, to, 0, 0]) }?;
    Ok(limit)
}

/// Asks Valgrind itself, by the instruction sequence that it takes for a question; a processor does nothing for it.
pub fn is_under_valgrind() -> bool {
    const RUNNING_ON_VALGRIND: usize = 0x1001;
    let question: [usize; 6] = [RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0];
    let mut answer: usize = 0;
    // SAFETY: the rotations add up to two whole turns, and the exchange is of a register with itself.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") question.as_ptr(),
            inout("rdx") answer,
            inout("rdi") 0usize => _,
            options(nostack),
        );
    }
    answer != 0
}

/// What a mapping is backed by.
pub enum Backing<'file> {
    /// Zeros, private to the process; pages are allocated when they are touched.
    Memory,
    /// Nothing: addresses are reserved, accesses fault.
    Nothing,
    /// A file from an offset on; stores change it.
    File(&'file File, usize),
}

/// Where a mapping may go.
#[derive(Clone, Copy)]
pub enum Place {
    Anywhere,
    /// Exactly here, and only if nothing else is.
    Free(usize),
    /// Exactly here, in place of what is there.
    Over(usize),
}

/// # Safety
///
/// What is mapped over must not be used any more.
pub unsafe fn map(place: Place, bytes: usize, backing: Backing) -> Result<usize, Errno> {
    let (address, placing) = match place {
        Place::Anywhere => (0, 0),
        Place::Free(address) => (address, libc::MAP_FIXED_NOREPLACE),
        Place::Over(address) => (address, libc::MAP_FIXED),
    };
    let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let writable = libc::PROT_READ | libc::PROT_WRITE;
    let (protection, flags, file, offset) = match backing {
        Backing::Memory => (writable, private, usize::MAX, 0),
        Backing::Nothing => (libc::PROT_NONE, private, usize::MAX, 0),
        Backing::File(file, offset) => (writable, libc::MAP_SHARED, file.0, offset),
    };
    let flags = (flags | placing) as usize;
    let arguments = [address, bytes, protection as usize, flags, file, offset];
    // SAFETY: mappings replace others only for `Place::Over`, which the caller has promised to be unused.
    let mapped = unsafe { call(libc::SYS_mmap, arguments) }?;
    if address != 0 && mapped != address {
        // Kernels before 4.17 treat MAP_FIXED_NOREPLACE as a hint.
        // SAFETY: no other code has the mapping's address yet.
        unsafe { unmap(mapped, bytes) };
        return Err(libc::EEXIST);
    }
    Ok(mapped)
}

/// # Safety
///
/// What is unmapped must not be used any more.
pub unsafe fn unmap(address: usize, bytes: usize) {
    // SAFETY: the caller's promise.
    let _ = unsafe { call(libc::SYS_munmap, [address, bytes, 0, 0, 0, 0]) };
}

/// Whether all of these bytes are mapped, at this moment.
pub fn is_mapped(address: usize, bytes: usize) -> bool {
    const STEP: usize = 256;
    let mut resident = [0u8; STEP];
    let end = address.saturating_add(bytes);
    let mut page = address & !(PAGE - 1);
    while page < end {
        let length = (end - page).min(STEP * PAGE);
        let arguments = [page, length, resident.as_mut_ptr() as usize, 0, 0, 0];
        // SAFETY: the kernel writes a byte for each page, and there is room for as many.
        if unsafe { call(libc::SYS_mincore, arguments) }.is_err() {
            return false;
        }
        page = page.saturating_add(length);
    }
    true
}

/// Reads memory of this process that may not be mapped; returns how many bytes could be read before the first that is not.
pub fn read_own_memory(address: usize, into: &mut [u8]) -> Result<usize, Errno> {
    let to = [into.as_mut_ptr() as usize, into.len()];
    let from = [address, into.len()];
    let [to, from] = [&raw const to as usize, &raw const from as usize];
    let arguments = [process_id() as usize, to, 1, from, 1, 0];
    // SAFETY: the kernel writes into the slice, no more than its length.
    match unsafe { call(libc::SYS_process_vm_readv, arguments) } {
        Err(libc::EFAULT) => Ok(0),
        read => read,
    }
}

/// # Safety
///
/// Advice may discard what the pages hold.
pub unsafe fn advise(address: usize, bytes: usize, advice: i32) -> Result<(), Errno> {
    let arguments = [address, bytes, advice as usize, 0, 0, 0];
    // SAFETY: the caller's promise.
    unsafe { call(libc::SYS_madvise, arguments) }.map(drop)
}

pub fn process_id() -> u32 {
    // SAFETY: no memory is read or written.
    unsafe { call(libc::SYS_getpid, [0; 6]) }.unwrap_or(0) as u32
}

pub fn parent_id() -> u32 {
    // SAFETY: no memory is read or written.
    unsafe { call(libc::SYS_getppid, [0; 6]) }.unwrap_or(0) as u32
}

pub fn thread_id() -> u32 {
    // SAFETY: no memory is read or written.
    unsafe { call(libc::SYS_gettid, [0; 6]) }.unwrap_or(0) as u32
}

/// Identifies this thread among those of the process, without a system call; never 0.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the x86-64 ABI keeps the thread's own address at the start of its control block.
    unsafe {
        core::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly, preserves_flags, pure))
    };
    pointer
}

/// Whether a thread of this process still exists.
pub fn thread_is_alive(thread: u32) -> bool {
    let arguments = [process_id() as usize, thread as usize, 0, 0, 0, 0];
    // SAFETY: signal 0 only asks whether the thread exists.
    let asked = unsafe { call(libc::SYS_tgkill, arguments) };
    asked != Err(libc::ESRCH)
}

/// Where the heap that grows by `brk` ends now.
pub fn heap_end() -> usize {
    // SAFETY: 0 only asks for the end.
    unsafe { call(libc::SYS_brk, [0; 6]) }.unwrap_or(0)
}

pub fn yield_processor() {
    // SAFETY: no memory is read or written.
    let _ = unsafe { call(libc::SYS_sched_yield, [0; 6]) };
}

/// A set of signals as the kernel has it.
pub type SignalMask = u64;

/// Sets the thread's blocked signals; returns those of before.
pub fn block_signals(mask: SignalMask) -> SignalMask {
    let mut before: SignalMask = 0;
    let how = libc::SIG_SETMASK as usize;
    let (new, old) = (&raw const mask as usize, &raw mut before as usize);
    // SAFETY: the kernel reads `mask` and writes `before`, 8 bytes each.
    let _ = unsafe { call(libc::SYS_rt_sigprocmask, [how, new, old, 8, 0, 0]) };
    before
}

/// Writes a sentence to standard error.
pub fn say(sentence: &[u8]) {
    let arguments = [2, sentence.as_ptr() as usize, sentence.len(), 0, 0, 0];
    // SAFETY: the kernel reads the sentence.
    let _ = unsafe { call(libc::SYS_write, arguments) };
}

/// Sends a signal to this thread.
pub fn raise(signal: i32) {
    let arguments = [
        process_id() as usize,
        thread_id() as usize,
        signal as usize,
        0,
        0,
        0,
    ];
    // SAFETY: no memory is read or written.
    let _ = unsafe { call(libc::SYS_tgkill, arguments) };
}

/// Writes a sentence to standard error and ends the process with exit code 2.
pub fn give_up(sentence: impl AsRef<[u8]>) -> ! {
    say(sentence.as_ref());
    loop {
        // SAFETY: the process ends.
        let _ = unsafe { call(libc::SYS_exit_group, [2, 0, 0, 0, 0, 0]) };
    }
}
