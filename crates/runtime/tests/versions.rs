//! Code of two ABI versions never runs together: the linker refuses objects and archives, the runtime refuses libraries with a
//! sentence that names the file to rebuild.

mod common;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use common::*;
use lostbits_abi::{ABI_VERSION, functions};

const OLDER: u32 = ABI_VERSION - 1;

fn register_symbol(abi: u32) -> String {
    let name = functions::REGISTER.symbol;
    let stem = name.strip_suffix(&ABI_VERSION.to_string()).unwrap();
    format!("{stem}{abi}")
}

/// The packed runtime, changed as if it were of another version: another name for registration, another mark.
fn runtime_of(abi: u32) -> PathBuf {
    let out = folder().join("runtime.o");
    let rename = format!("{}={}", register_symbol(ABI_VERSION), register_symbol(abi));
    must(
        Command::new("objcopy")
            .arg("--redefine-sym")
            .arg(rename)
            .arg(object())
            .arg(&out),
    );
    let mut bytes = fs::read(&out).unwrap();
    let mark = *b"LBplane";
    let marks: Vec<usize> = (0..bytes.len() - 8)
        .filter(|at| bytes[*at..].starts_with(&mark) && bytes[at + 7] == ABI_VERSION as u8)
        .collect();
    assert!(!marks.is_empty(), "the runtime compares marks");
    for at in marks {
        bytes[at + 7] = abi as u8;
    }
    fs::write(&out, bytes).unwrap();
    out
}

/// Compiles the subject library for a runtime of version `abi`.
fn library_of(abi: u32, name: &str) -> PathBuf {
    let folder = folder();
    let out = folder.join(name);
    let flags = ["-shared", "-fPIC"];
    compile_with(
        &folder,
        &["library.c"],
        &flags,
        abi,
        &[&runtime_of(abi)],
        &out,
    );
    out
}

fn compile_with(
    folder: &Path,
    sources: &[&str],
    flags: &[&str],
    abi: u32,
    objects: &[&Path],
    out: &Path,
) {
    must(&mut compiler(folder, sources, flags, abi, objects, out));
}

fn compiler(
    folder: &Path,
    sources: &[&str],
    flags: &[&str],
    abi: u32,
    objects: &[&Path],
    out: &Path,
) -> Command {
    let symbol = register_symbol(abi);
    let header = header(&table(0)).replace(functions::REGISTER.symbol, &symbol);
    fs::write(folder.join("table.h"), header).unwrap();
    let mut command = Command::new(COMPILER);
    command
        .args(["-O1", "-g", "-w", "-fPIC", "-I"])
        .arg(folder)
        .args(sources.iter().map(|name| source(name)))
        .args(objects)
        .args(flags)
        .arg("-o")
        .arg(out);
    command
}

fn program_with(library: &Path) -> PathBuf {
    let folder = folder();
    let out = folder.join("program");
    let rpath = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let flags = [
        "-pie",
        "-Wl,--no-as-needed",
        "-Wl,--export-dynamic-symbol=__lostbits*",
        &rpath,
        "-lpthread",
        "-ldl",
    ];
    compile_with(
        &folder,
        &["program.c"],
        &flags,
        ABI_VERSION,
        &[object(), library],
        &out,
    );
    out
}

fn assert_refused(run: &Run, older: &str, abi: u32, newer: &str, newer_abi: u32) {
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let start = format!("lostbits: {older} was built by lostbits with ABI {abi}, ");
    let end = format!("{newer} with ABI {newer_abi}: rebuild {older} with the newer lostbits.\n");
    assert_eq!(run.stderr, start + &end);
    assert!(run.stdout.is_empty());
}

#[test]
fn a_program_with_a_library_of_another_version_is_refused() {
    for abi in [OLDER, ABI_VERSION + 1] {
        let library = library_of(abi, "liblibrary.so");
        let program = program_with(&library);
        let run = run_with(&program, "run-%p", &["tick"], |_, _| {});
        let (library, program) = (library.to_str().unwrap(), program.to_str().unwrap());
        match abi {
            OLDER => assert_refused(&run, library, abi, program, ABI_VERSION),
            _ => assert_refused(&run, program, ABI_VERSION, library, abi),
        }
    }
}

#[test]
fn a_library_of_the_same_version_is_accepted() {
    let library = library_of(ABI_VERSION, "liblibrary.so");
    run_with(&program_with(&library), "run-%p", &["tick"], |_, _| {}).assert_well();
}

#[test]
fn a_library_of_another_version_that_is_loaded_later_is_refused() {
    let library = library_of(OLDER, "liblibrary.so");
    let library = library.to_str().unwrap();
    let run = run(&["library", library, "1"]);
    // It is the library's own runtime that says so. Our patch changed its mark, not the number in its sentence.
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let blames = format!(": rebuild {library} with the newer lostbits.\n");
    assert!(run.stderr.ends_with(&blames), "{}", run.stderr);
    assert!(run.stderr.contains(program().to_str().unwrap()));
    assert_eq!(run.stderr.lines().count(), 1);
}

#[test]
fn a_descriptor_of_another_version_is_refused() {
    let folder = folder();
    let out = folder.join("program");
    let mut command = compiler(
        &folder,
        &["program.c"],
        &["-pie", "-lpthread", "-ldl"],
        ABI_VERSION,
        &[object()],
        &out,
    );
    let header = fs::read_to_string(folder.join("table.h")).unwrap();
    let version = |abi: u32| format!("#define ABI_VERSION {abi}\n");
    let header = header.replace(&version(ABI_VERSION), &version(OLDER));
    fs::write(folder.join("table.h"), header).unwrap();
    must(&mut command);
    let run = run_with(&out, "run-%p", &["tick"], |_, _| {});
    let program = out.to_str().unwrap();
    assert_refused(&run, program, OLDER, program, ABI_VERSION);
    assert!(run.records.is_empty());
}

/// The tool refuses these with a sentence before the link; this is what happens without it.
#[test]
fn the_linker_refuses_objects_and_archives_of_another_version() {
    let folder = folder();
    let old = folder.join("library.o");
    compile_with(&folder, &["library.c"], &["-c"], OLDER, &[], &old);
    let archive = folder.join("liblibrary.a");
    must(Command::new("ar").arg("rcs").arg(&archive).arg(&old));
    for input in [&old, &archive] {
        let flags = ["-pie", "-Wl,-u,library_tick", "-lpthread", "-ldl"];
        let out = folder.join("program");
        let mut command = compiler(
            &folder,
            &["program.c"],
            &flags,
            ABI_VERSION,
            &[object(), input],
            &out,
        );
        let Output { status, stderr, .. } = command.output().unwrap();
        assert!(!status.success());
        let stderr = String::from_utf8_lossy(&stderr);
        assert!(stderr.contains(&register_symbol(OLDER)), "{stderr}");
    }
}
