//! The packed object fits into every kind of program, and programs it does not fit get a sentence.

mod common;

use std::process::Command;

use common::*;
use lostbits_abi::functions::{self, Runtime};

/// (defined global, undefined) symbols of the packed object.
fn symbols_of_object() -> (Vec<String>, Vec<String>) {
    let output = Command::new("readelf")
        .args(["-sW"])
        .arg(object())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (mut defined, mut undefined) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, _, _, _, binding @ ("GLOBAL" | "WEAK"), _, section, name] = fields[..] else {
            continue;
        };
        let prefix = if binding == "WEAK" { "weak " } else { "" };
        let list = if section == "UND" {
            &mut undefined
        } else {
            &mut defined
        };
        list.push(format!("{prefix}{name}"));
    }
    defined.sort();
    undefined.sort();
    (defined, undefined)
}

#[test]
fn the_object_offers_the_contract_and_nothing_else() {
    let mut expected: Vec<String> = functions::exported_symbols(Runtime::Plain)
        .into_iter()
        .map(str::to_owned)
        .chain(functions::REPLACED.map(|name| format!("weak {name}")))
        .collect();
    expected.sort();
    assert_eq!(symbols_of_object().0, expected);
}

/// No allocation, no panic, no printing, nothing that blocks: what is not referred to is not called.
#[test]
fn the_object_needs_little_of_the_c_library() {
    let allowed = [
        "__errno_location",
        "__sigaction",
        "bcmp",
        "dladdr",
        "memcmp",
        "memcpy",
        "memmove",
        "memset",
        "pthread_atfork",
        "secure_getenv",
        "sigaddset",
        "ssignal",
        "strlen",
        "weak __libc_single_threaded",
        "weak malloc",
        "weak malloc_usable_size",
    ];
    for name in symbols_of_object().1 {
        assert!(allowed.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn the_version_can_be_asked_for() {
    let run = run(&["version"]);
    run.assert_well();
    assert_eq!(run.stdout.trim_end(), lostbits_abi::VERSION);
}

#[test]
fn a_static_position_independent_program_works() {
    let program = compile(&["program.c"], &["-static-pie", "-lpthread"], 0);
    let words = [
        "tick",
        "copies",
        "clearing",
        "reallocation",
        "errno",
        "fork",
    ];
    let run = run_with(&program, "run-%p", &words, |_, _| {});
    run.assert_well();
    assert_eq!(run.records.iter().map(Left::ticks).max(), Some(3));
}

#[test]
fn a_rust_program_works() {
    let run = run_with(&rust_program(), "run-%p", &[], |_, _| {});
    assert_eq!(run.code, Some(EXIT), "{}", run.stderr);
    assert_eq!(run.records.len(), 1);
    assert_eq!(run.records[0].process.modules[0].counters[1], 1);
}

#[test]
fn every_linker_takes_the_object() {
    for flag in ["-fuse-ld=bfd", "-fuse-ld=lld"] {
        let flags = ["-pie", flag, "-Wl,--gc-sections", "-lpthread", "-ldl"];
        let program = compile(&["program.c"], &flags, 0);
        let run = run_with(&program, "run-%p", &["tick"], |_, _| {});
        assert!(run.only().process.exited, "{flag}");
    }
}

#[test]
fn a_program_with_its_own_names_and_allocator_works() {
    let dynamic = compile(&["own_names.c"], &["-pie", "-fno-builtin"], 0);
    let flags = ["-static-pie", "-fno-builtin", "-DALLOCATOR_ONLY"];
    let with_own_allocator = compile(&["own_names.c"], &flags, 0);
    for program in [dynamic, with_own_allocator] {
        let run = run_with(&program, "run-%p", &[], |_, _| {});
        assert_eq!(run.only().ticks(), 1);
    }
}

#[test]
fn a_program_at_fixed_addresses_is_refused() {
    for flag in ["-no-pie", "-static"] {
        let program = compile(&["program.c"], &[flag, "-lpthread", "-ldl"], 0);
        let run = run_with(&program, "run-%p", &["tick"], |_, _| {});
        assert_eq!(run.code, Some(2), "{flag}");
        assert!(run.stderr.starts_with("lostbits: "), "{}", run.stderr);
        assert!(
            run.stderr.contains("-fPIE") && run.stderr.lines().count() == 1,
            "{}",
            run.stderr
        );
        assert!(run.records.is_empty());
    }
}

#[test]
fn a_limit_on_addresses_is_named() {
    for resource in [libc::RLIMIT_AS, libc::RLIMIT_DATA] {
        let run = run_with(program(), "run-%p", &["tick"], |command, _| {
            limit(command, resource, 1 << 30);
        });
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("ulimit -v unlimited"), "{}", run.stderr);
        assert!(run.records.is_empty());
    }
}

#[test]
fn another_user_of_the_addresses_is_named() {
    let program = compile(
        &["program.c"],
        &["-pie", "-fsanitize=address", "-lpthread"],
        0,
    );
    let run = run_with(&program, "run-%p", &["tick"], |_, _| {});
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("sanitizers"), "{}", run.stderr);
}
