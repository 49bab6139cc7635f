//! What an invocation of clang or flang does, read from its arguments.
//!
//! The scan knows just enough of the command line to answer four questions: is anything compiled, is
//! anything linked, which flags conflict with lostbits, and which objects are linked. It changes
//! nothing. What it can miss: flags hidden in the compiler's configuration files or in
//! `CCC_OVERRIDE_OPTIONS`.

use std::path::PathBuf;

use crate::compiler_options::takes_next;

use super::inputs::{InputKind, classify};

/// An invocation as far as lostbits cares.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Invocation {
    /// Some source is compiled to code.
    pub compiles: bool,
    /// A header is precompiled: no code, but it must agree with the code that uses it.
    pub precompiles: bool,
    /// An executable or a shared library is linked.
    pub links: bool,
    pub shared: bool,
    /// Linked statically: `-static`, which must become `-static-pie`, or that.
    pub statically: bool,
    /// The compiled code would depend on its position (`-fno-pic` …).
    pub fixed_code: bool,
    /// The executable would have a fixed position (`-no-pie`).
    pub fixed_executable: bool,
    /// The user decided on debug information, be it `-g0`.
    pub debug_given: bool,
    pub lto: bool,
    /// Files that the linker reads: objects, archives and shared libraries.
    pub objects: Vec<PathBuf>,
    /// Names of libraries given by `-l`.
    pub libraries: Vec<String>,
    /// Folders given by `-L`, in which the linker looks for them first.
    pub library_folders: Vec<PathBuf>,
    /// The first flag that lostbits cannot work with.
    pub conflict: Option<Conflict>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// A machine other than 64-bit x86 Linux.
    Machine(String),
    /// A sanitizer with shadow memory of its own.
    ShadowMemory(String),
}

impl Invocation {
    /// Whether the compiler can be left alone.
    pub fn is_untouched(&self) -> bool {
        !self.compiles && !self.precompiles && !self.links
    }
}

/// Scans the arguments after the compiler's name, response files already expanded.
pub fn scan(arguments: &[String]) -> Invocation {
    // The compiler proper, without its driver: lostbits changes nothing.
    if matches!(
        arguments.first().map(String::as_str),
        Some("-cc1" | "-cc1as" | "-fc1")
    ) {
        return Invocation::default();
    }
    let mut scan = Scan::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            rest.by_ref().for_each(|input| scan.input(input));
        } else if !argument.starts_with('-') || argument == "-" {
            scan.input(argument);
        } else if takes_next(argument) {
            let value = rest.next().map_or("", String::as_str);
            scan.option_with_value(argument, value);
        } else {
            scan.flag(argument);
        }
    }
    scan.finish()
}

#[derive(Default)]
struct Scan {
    invocation: Invocation,
    language: Option<String>,
    inputs: Vec<InputKind>,
    stop: Stop,
    relocatable: bool,
}

/// After which stage the compiler stops. Ordered: an earlier stop wins.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stop {
    #[default]
    AfterLinking,
    /// `-c`, `-S`.
    BeforeLinking,
    /// `-E`, `-M`, `-fsyntax-only`, `--version` …: no code is made.
    BeforeCode,
}

impl Scan {
    fn stop(&mut self, stop: Stop) {
        if stop > self.stop {
            self.stop = stop;
        }
    }

    fn input(&mut self, path: &str) {
        let kind = classify(path, self.language.as_deref());
        self.inputs.push(kind);
        if kind == InputKind::Link {
            self.invocation.objects.push(path.into());
        }
    }

    fn option_with_value(&mut self, option: &str, value: &str) {
        match option {
            "-x" | "--language" => self.language = Some(value.to_owned()),
            "-target" => self.target(value, &format!("{option} {value}")),
            "-Xlinker" | "--for-linker" => self.linker_option(value),
            "-l" => self.invocation.libraries.push(value.to_owned()),
            "-L" | "--library-directory" => self.invocation.library_folders.push(value.into()),
            "--print-file-name" | "--print-prog-name" => self.stop(Stop::BeforeCode),
            _ => {}
        }
    }

    fn flag(&mut self, flag: &str) {
        match flag {
            "-c" | "--compile" | "-S" | "--assemble" => self.stop(Stop::BeforeLinking),
            "-shared" | "--shared" => self.invocation.shared = true,
            "-static" | "--static" | "-static-pie" => self.invocation.statically = true,
            "-pie" | "--pie" => self.invocation.fixed_executable = false,
            "-r" => self.relocatable = true,
            "-fpic" | "-fPIC" | "-fpie" | "-fPIE" => self.invocation.fixed_code = false,
            "-fno-pic" | "-fno-PIC" | "-fno-pie" | "-fno-PIE" => self.invocation.fixed_code = true,
            "-m32" | "-mx32" | "-m16" => self.conflict(Conflict::Machine(flag.to_owned())),
            "-fno-lto" => self.invocation.lto = false,
            _ if is_no_pie(flag) => self.invocation.fixed_executable = true,
            _ if makes_no_code(flag) => self.stop(Stop::BeforeCode),
            _ if decides_debug(flag) => self.invocation.debug_given = true,
            _ => self.joined(flag),
        }
    }

    /// Flags with their value in the same word.
    fn joined(&mut self, flag: &str) {
        if let Some(language) = flag.strip_prefix("--language=").or(flag.strip_prefix("-x")) {
            self.language = Some(language.to_owned());
        } else if let Some(target) = flag.strip_prefix("--target=") {
            self.target(target, flag);
        } else if let Some(options) = flag.strip_prefix("-Wl,") {
            options
                .split(',')
                .for_each(|option| self.linker_option(option));
        } else if let Some(sanitizers) = flag.strip_prefix("-fsanitize=") {
            if sanitizers.split(',').any(has_shadow_memory) {
                self.conflict(Conflict::ShadowMemory(flag.to_owned()));
            }
        } else if let Some(name) = flag.strip_prefix("-l") {
            self.invocation.libraries.push(name.to_owned());
        } else if let Some(folder) = flag
            .strip_prefix("-L")
            .or(flag.strip_prefix("--library-directory="))
        {
            self.invocation.library_folders.push(folder.into());
        } else if flag == "-flto" || flag.starts_with("-flto=") {
            self.invocation.lto = true;
        }
    }

    fn linker_option(&mut self, option: &str) {
        self.relocatable |= matches!(option, "-r" | "--relocatable" | "-i");
    }

    fn target(&mut self, target: &str, option: &str) {
        let is_ours =
            target.starts_with("x86_64") && target.contains("linux") && !target.ends_with("x32");
        if !is_ours {
            self.conflict(Conflict::Machine(option.to_owned()));
        }
    }

    fn conflict(&mut self, conflict: Conflict) {
        self.invocation.conflict.get_or_insert(conflict);
    }

    fn finish(self) -> Invocation {
        let has = |kind| self.inputs.contains(&kind);
        let makes_code = self.stop < Stop::BeforeCode;
        let only_headers = self.inputs.iter().all(|kind| *kind == InputKind::Header);
        Invocation {
            compiles: makes_code && has(InputKind::Source),
            precompiles: makes_code && has(InputKind::Header),
            // No input at all (`-v`) counts as "only headers": nothing is linked.
            links: self.stop == Stop::AfterLinking && !self.relocatable && !only_headers,
            ..self.invocation
        }
    }
}

/// Flags that give an executable a fixed position; the driver takes them out.
pub fn is_no_pie(flag: &str) -> bool {
    matches!(flag, "-no-pie" | "--no-pie" | "-nopie")
}

fn makes_no_code(flag: &str) -> bool {
    const FLAGS: &[&str] = &[
        "-E",
        "--preprocess",
        "-M",
        "--dependencies",
        "-MM",
        "--user-dependencies",
        "-fsyntax-only",
        "--precompile",
        "-emit-ast",
        "--analyze",
        "-verify-pch",
        "-extract-api",
        "-rewrite-objc",
        "-fdebug-unparse",
        "-module-file-info",
        "--version",
        "--help",
        "-help",
        "--help-hidden",
        "-dumpmachine",
        "-dumpversion",
        "-fdriver-only",
    ];
    const PREFIXES: &[&str] = &["-print-", "--print-", "--autocomplete="];
    FLAGS.contains(&flag) || PREFIXES.iter().any(|prefix| flag.starts_with(prefix))
}

/// Whether `flag` turns debug information on or off; `-gz` and the like only shape it.
fn decides_debug(flag: &str) -> bool {
    const EXACT: &[&str] = &[
        "-g", "-g0", "-g1", "-g2", "-g3", "--debug", "-gmlt", "-gfull", "-gused",
    ];
    const PREFIXES: &[&str] = &[
        "-ggdb",
        "-glldb",
        "-gsce",
        "-gdbx",
        "-gdwarf",
        "-gline-",
        "-gcodeview",
    ];
    EXACT.contains(&flag) || PREFIXES.iter().any(|prefix| flag.starts_with(prefix))
}

fn has_shadow_memory(sanitizer: &str) -> bool {
    const WITH_SHADOW: &[&str] = &[
        "address",
        "hwaddress",
        "memory",
        "thread",
        "dataflow",
        "numerical",
        "type",
        "memtag",
    ];
    WITH_SHADOW.contains(&sanitizer)
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
