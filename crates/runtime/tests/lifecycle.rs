//! The record survives however a process goes, and the program does not notice.

mod common;

use std::{
    ffi::CString,
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::Path,
    process::Command,
};

use common::*;

#[test]
fn a_record_holds_what_was_counted() {
    let run = run(&["tick", "tick", "differ", "differ", "tick"]);
    let left = run.only();
    let module = &left.process.modules[0];
    assert!(left.process.exited);
    assert_eq!(module.table, table(0));
    assert_eq!(module.counters, [3, 0, 0]);
    assert_eq!(module.executions(), [6, 0]);
    assert_eq!(module.totals[0].differences, 2);
    assert_eq!(
        (module.totals[0].program_bits, module.totals[0].shadow_bits),
        (0x11, 0x22)
    );
    assert_eq!(left.process.modules_lost, 0);
    assert_eq!(left.process.parent, std::process::id());
    assert_eq!(
        left.process.command[1..],
        ["tick", "tick", "differ", "differ", "tick"]
    );
    assert_eq!(left.name, format!("run-{}", left.process.process));
}

#[test]
fn a_sudden_end_loses_nothing() {
    for (word, code, signal) in [
        ("_exit", Some(7), None),
        ("abort", None, Some(libc::SIGABRT)),
        ("kill", None, Some(libc::SIGKILL)),
        ("exec-true", Some(0), None),
    ] {
        let run = run(&["tick", "tick", word]);
        assert_eq!((run.code, run.signal), (code, signal), "{word}");
        assert_eq!(run.records.len(), 1, "{word}");
        assert_eq!(run.records[0].ticks(), 2, "{word}");
        assert!(!run.records[0].process.exited, "{word}");
    }
}

#[test]
fn exec_of_an_instrumented_program_starts_a_second_record() {
    let run = run(&["tick", "exec"]);
    run.assert_well();
    let [before, after] = &run.records[..] else {
        panic!("{} records", run.records.len())
    };
    assert_eq!(before.process.process, after.process.process);
    assert_eq!(after.name, format!("{}.1", before.name));
    assert_eq!((before.ticks(), before.process.exited), (1, false));
    assert_eq!((after.ticks(), after.process.exited), (2, true));
    assert_eq!(after.process.command[0], "again");
}

#[test]
fn a_forked_child_has_a_record_of_its_own() {
    let run = run(&["tick", "fork", "tick"]);
    run.assert_well();
    assert_eq!(run.records.len(), 2);
    let (mut parents, mut children): (Vec<_>, Vec<_>) = run
        .records
        .iter()
        .partition(|left| left.process.parent == std::process::id());
    let (parent, child) = (parents.pop().unwrap(), children.pop().unwrap());
    assert_eq!((parent.ticks(), child.ticks()), (2, 3));
    assert_eq!(child.process.parent, parent.process.process);
    assert_eq!(child.name, format!("run-{}", child.process.process));
    assert_eq!(child.process.command, parent.process.command);
    assert!(parent.process.exited && child.process.exited);
}

#[test]
fn a_grandchild_has_one_too() {
    let run = run(&["fork-nested"]);
    run.assert_well();
    let mut ticks: Vec<u64> = run.records.iter().map(Left::ticks).collect();
    ticks.sort();
    assert_eq!(ticks, [0, 1, 7]);
}

#[test]
fn children_that_cannot_have_a_record_leave_the_parents_alone() {
    let (before, after) = (folder().join("before"), folder().join("after"));
    fs::create_dir(&before).unwrap();
    let [from, to] = [&before, &after].map(|path| path.to_str().unwrap());
    let words = ["tick", "rename", from, to, "fork", "fork-nested", "tick"];
    let run = run_with(program(), "", &words, |command, _| {
        command.env("LOSTBITS_OUT", before.join("run-%p"));
    });
    run.assert_well();
    let [parent] = &records(&after)[..] else {
        panic!("not one record")
    };
    assert_eq!((parent.ticks(), parent.process.exited), (2, true));
}

#[test]
fn forking_amid_loading_does_not_deadlock() {
    let run = run(&["fork-amid-loading", library().to_str().unwrap()]);
    run.assert_well();
    let child_records = run.records.iter().filter(|left| {
        left.process.parent != std::process::id()
            && left
                .process
                .modules
                .iter()
                .any(|module| module.counters[0] == 1)
    });
    assert_eq!(child_records.count(), 100);
}

#[test]
fn processes_without_code_of_ours_have_no_record() {
    run(&["vfork", "system", "tick"]).only();
}

#[test]
fn threads_lose_no_count() {
    let run = run(&["threads"]);
    let left = run.only();
    assert_eq!(left.ticks(), 8_000_000);
    assert_eq!(left.process.modules[0].totals[1].differences, 8_000_000);
}

#[test]
fn without_a_name_there_is_no_file() {
    let run = run_with(program(), "", &["tick", "fork"], |command, out| {
        command.env_remove("LOSTBITS_OUT").current_dir(out);
    });
    run.assert_well();
    assert!(run.records.is_empty());
}

#[test]
fn an_existing_file_is_never_touched() {
    let kept = "kept as it is";
    let out = folder();
    for name in ["fixed", "fixed.1"] {
        fs::write(out.join(name), kept).unwrap();
    }
    let run = run_with(program(), "", &["tick", "fork"], |command, _| {
        command.env("LOSTBITS_OUT", out.join("fixed"));
    });
    run.assert_well();
    for name in ["fixed", "fixed.1"] {
        assert_eq!(fs::read_to_string(out.join(name)).unwrap(), kept);
        fs::remove_file(out.join(name)).unwrap();
    }
    let names: Vec<String> = records(&out).into_iter().map(|left| left.name).collect();
    assert_eq!(names, ["fixed.2", "fixed.3"]);
}

#[test]
fn a_relative_name_means_the_folder_where_the_program_started() {
    let odd = folder().join("%p and 100%");
    fs::create_dir(&odd).unwrap();
    let run = run_with(
        program(),
        "",
        &["chdir", "/", "tick", "fork"],
        |command, _| {
            command.env("LOSTBITS_OUT", "run-%%-%p").current_dir(&odd);
        },
    );
    run.assert_well();
    let left = records(&odd);
    assert_eq!(left.len(), 2);
    for left in left {
        assert_eq!(left.name, format!("run-%-{}", left.process.process));
    }
}

#[test]
fn where_nothing_can_be_written_the_program_runs_as_ever() {
    for name in [
        "/nonexistent/run",
        "/proc/run",
        "/dev/null/run",
        &"x".repeat(5000),
    ] {
        let run = run_with(program(), "", &["tick", "fork", "differ"], |command, _| {
            command.env("LOSTBITS_OUT", name);
        });
        run.assert_well();
    }
}

#[test]
fn a_limit_on_file_sizes_raises_no_signal() {
    let run = run_with(program(), "run-%p", &["tick"], |command, _| {
        limit(command, libc::RLIMIT_FSIZE, 1000);
    });
    run.assert_well();
    assert!(run.records.is_empty());
}

#[test]
fn a_module_that_does_not_fit_is_counted_as_lost() {
    let large = compile(&["program.c"], &["-pie", "-lpthread", "-ldl"], 100_000);
    let run = run_with(
        &large,
        "run-%p",
        &["tick", "differ", "fork"],
        |command, _| {
            limit(command, libc::RLIMIT_FSIZE, 1 << 16);
        },
    );
    run.assert_well();
    assert_eq!(run.records.len(), 2);
    for left in &run.records {
        assert!(left.process.modules.is_empty());
        assert_eq!(left.process.modules_lost, 1);
    }
}

#[test]
fn a_record_grows_with_its_modules() {
    let large = compile(&["program.c"], &["-pie", "-lpthread", "-ldl"], 300_000);
    let run = run_with(&large, "run-%p", &["tick", "fork", "tick"], |_, _| {});
    run.assert_well();
    let mut ticks: Vec<u64> = run.records.iter().map(Left::ticks).collect();
    ticks.sort();
    assert_eq!(ticks, [2, 3]);
    assert!(
        run.records
            .iter()
            .all(|left| left.process.modules[0].table == table(300_000))
    );
}

#[test]
fn a_library_has_its_record_and_an_unloaded_one_keeps_it() {
    let run = run(&[
        "tick",
        "library",
        library().to_str().unwrap(),
        "3",
        "fork",
        "tick",
    ]);
    run.assert_well();
    let library_ticks: Vec<u64> = run
        .records
        .iter()
        .map(|left| left.process.modules[0].counters[1])
        .collect();
    assert_eq!(library_ticks.iter().filter(|ticks| **ticks == 1).count(), 3);
    // The program, its child, and the library three times.
    assert_eq!(run.records.len(), 5);
    assert!(run.records.iter().all(|left| left.process.exited));
}

#[test]
fn a_library_that_is_loaded_again_goes_on_counting() {
    // With its symbols exported, the program's runtime serves the library too.
    let exporting = compile(
        &["program.c"],
        &["-pie", "-rdynamic", "-lpthread", "-ldl"],
        0,
    );
    let words = ["tick", "library", library().to_str().unwrap(), "50", "tick"];
    let run = run_with(&exporting, "run-%p", &words, |_, _| {});
    let modules = &run.only().process.modules;
    assert_eq!(modules.len(), 2);
    assert_eq!(modules[0].counters, [2, 0, 0]);
    assert_eq!(modules[1].counters, [0, 50, 0]);
}

#[test]
fn errno_descriptors_and_signals_are_left_alone() {
    run(&["errno"]).assert_well();
    run(&["quiet"]).assert_well();
}

#[test]
fn shadows_follow_memory() {
    run(&["copies", "clearing", "reallocation"]).assert_well();
}

#[test]
fn a_full_disk_costs_the_record_and_nothing_else() {
    if !is_root() {
        eprintln!("skipped: only root can mount a small disk");
        return;
    }
    let large = compile(&["program.c"], &["-pie", "-lpthread", "-ldl"], 100_000);
    // Too small for any record; large enough for one, but not for the table of `large`.
    for (bytes, program, records_left) in [
        ("32k", program(), 0),
        ("96k", large.as_path(), 1),
        ("96k", program(), 1),
    ] {
        let out = folder();
        let script = "mount -t tmpfs -o size=$0 none $PWD && cd $PWD || exit 1
                      $1 tick differ
                      code=$?
                      cp run-* .. 2>/dev/null
                      exit $code";
        let disk = out.join("disk");
        fs::create_dir(&disk).unwrap();
        let status = Command::new("unshare")
            .args(["--mount", "sh", "-c", script, bytes])
            .arg(program)
            .current_dir(&disk)
            .env("LOSTBITS_OUT", disk.join("run-%p"))
            .status()
            .unwrap();
        fs::remove_dir(&disk).unwrap();
        assert_eq!(status.code(), Some(EXIT), "{bytes}");
        let left = records(&out);
        assert_eq!(left.len(), records_left, "{bytes}");
        for left in left {
            let lost = left.process.modules_lost as usize;
            assert_eq!(left.process.modules.len() + lost, 1);
            assert_eq!(lost == 1, program == large);
        }
    }
}

#[test]
fn a_program_with_raised_privileges_writes_nothing() {
    let folder = std::env::temp_dir().join(format!("lostbits-runtime-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    if !is_root() || forbids_raised_privileges(&folder) {
        eprintln!("skipped: no set-user-id program can be made here");
        return;
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let privileged = folder.join("privileged");
    fs::copy(program(), &privileged).unwrap();
    for (mode, records_left) in [(0o755, 1), (0o4755, 0)] {
        fs::set_permissions(&privileged, fs::Permissions::from_mode(mode)).unwrap();
        let out = folder.join(format!("{mode:o}"));
        fs::create_dir(&out).unwrap();
        fs::set_permissions(&out, fs::Permissions::from_mode(0o777)).unwrap();
        let status = Command::new(&privileged)
            .arg("tick")
            .env("LOSTBITS_OUT", out.join("run"))
            .current_dir("/")
            .uid(65534)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(EXIT));
        assert_eq!(records(&out).len(), records_left);
    }
    fs::remove_dir_all(folder).unwrap();
}

fn is_root() -> bool {
    // SAFETY: `geteuid` cannot fail.
    unsafe { libc::geteuid() == 0 }
}

fn forbids_raised_privileges(folder: &Path) -> bool {
    let name = CString::new(folder.to_str().unwrap()).unwrap();
    // SAFETY: the name is NUL-terminated, and zeros are valid for `statvfs`.
    unsafe {
        let mut about = std::mem::zeroed::<libc::statvfs>();
        assert_eq!(libc::statvfs(name.as_ptr(), &mut about), 0);
        about.f_flag & libc::ST_NOSUID != 0
    }
}
