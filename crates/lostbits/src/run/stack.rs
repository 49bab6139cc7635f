//! Room on the stack for shadows: instrumented frames are several times as large as the program's own, so a recursion that fits
//! its stack natively may not fit with shadows. An unlimited stack becomes a large one, because Linux would otherwise map
//! libraries where shadow memory must be.

use std::{io, os::unix::process::CommandExt, process::Command};

/// By how much frames may grow: unoptimised ones take 30 times as much in mode `explain`.
const GROWTH: u64 = 64;
/// Instead of an unlimited stack. Every thread gets as much address space.
const LARGE: u64 = 16 << 30;

/// Raises the limit of the command's stack, as far as the hard limit allows.
pub fn enlarge(command: &mut Command) {
    // SAFETY: system calls only between fork and exec.
    unsafe {
        command.pre_exec(|| {
            let mut limit = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            if libc::getrlimit(libc::RLIMIT_STACK, &mut limit) != 0 {
                return Err(io::Error::last_os_error());
            }
            limit.rlim_cur = enlarged(limit.rlim_cur).min(limit.rlim_max);
            match libc::setrlimit(libc::RLIMIT_STACK, &limit) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        });
    }
}

fn enlarged(limit: u64) -> u64 {
    match limit {
        libc::RLIM_INFINITY => LARGE,
        _ => limit.max(limit.saturating_mul(GROWTH).min(LARGE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_grow_and_an_unlimited_stack_gets_one() {
        assert_eq!(enlarged(8 << 20), 512 << 20);
        assert_eq!(enlarged(4 << 30), LARGE);
        assert_eq!(enlarged(32 << 30), 32 << 30);
        assert_eq!(enlarged(libc::RLIM_INFINITY), LARGE);
    }
}
