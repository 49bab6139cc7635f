//! Why an instrumented program left no record: the true reason, as far as it can be found out afterwards.

use std::{fs, io, os::unix::process::ExitStatusExt, path::Path, process::ExitStatus};

/// What the runtime reserves at least for a record; if this much cannot be written, neither could a record.
const LEAST_SPACE: usize = 1 << 20;

pub fn reason(folder: &Path, status: ExitStatus) -> String {
    if let Err(error) = try_space(folder) {
        format!("the folder for temporary files cannot be written ({error}): set TMPDIR to another")
    } else if let Some(signal) = status.signal() {
        format!("signal {signal} ended it before its start-up code had run")
    } else if let Some((limit, option)) = memory_limit() {
        let gib = limit >> 30;
        format!(
            "its memory is limited to {gib} GiB, and shadow memory needs terabytes of addresses (which cost nothing): \
             run `ulimit {option} unlimited` first"
        )
    } else {
        "it ended before its start-up code had run; what it printed may say why".to_owned()
    }
}

fn try_space(folder: &Path) -> io::Result<()> {
    let probe = folder.join("probe");
    let written = fs::write(&probe, vec![1; LEAST_SPACE]);
    let _ = fs::remove_file(&probe);
    written.map_err(super::plain)
}

/// A limit on addresses that the program inherited from the tool, and the option of `ulimit` that sets it.
fn memory_limit() -> Option<(u64, &'static str)> {
    let limits = [(libc::RLIMIT_AS, "-v"), (libc::RLIMIT_DATA, "-d")];
    limits.into_iter().find_map(|(resource, option)| {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: the pointer is to a live variable.
        let asked = unsafe { libc::getrlimit(resource, &mut limit) };
        let is_limited = asked == 0 && limit.rlim_cur != libc::RLIM_INFINITY;
        is_limited.then_some((limit.rlim_cur, option))
    })
}
