//! Every reason why the tool cannot do what it was asked, as the sentence the user reads.
//!
//! The sentences stand together so that they can be read, and tested, side by side. Each says what
//! is wrong and what to do; all of them end the tool with exit code 2.

use std::{io, path::PathBuf};

use lostbits_abi::{ABI_VERSION, VERSION, mode::Mode};
use thiserror::Error;

/// The exit code for "the tool could not do it".
pub const EXIT_CODE: u8 = 2;

#[derive(Debug, Error)]
pub enum Failure {
    #[error(
        "unknown option `{option}`: the only option of `lostbits cc`, `c++`, `fc` and `rustc` beside \
         the compiler's own is --lostbits-mode={}",
        all_modes("|")
    )]
    UnknownOption { option: String },

    #[error(
        "unknown mode `{name}` in `{given}`: the modes are {}",
        all_modes(", ")
    )]
    UnknownMode { name: String, given: String },

    #[error(
        "the compiler {compiler} was not found: {advice}, or name another in {variable}; \
         `lostbits doctor` shows what else is missing"
    )]
    CompilerMissing {
        compiler: String,
        advice: String,
        variable: &'static str,
    },

    #[error(
        "the {part} was not found in {}: run `make build` (or `make install`), or name the folder \
         that holds it in LOSTBITS_HOME",
        list(searched)
    )]
    PartMissing {
        part: &'static str,
        searched: Vec<PathBuf>,
    },

    #[error(
        "{} cannot be used: {problem}; it holds entries [[continuous]] and [[convergence]] with a function, \
         or with a file and lines = [first, last], and [[wrap]] with a function and a reference",
        path.display()
    )]
    BadAnnotations { path: PathBuf, problem: String },

    #[error(
        "{} is not a {part} of lostbits (it holds no version): run `make build` again, or set \
         LOSTBITS_HOME to the right folder",
        path.display()
    )]
    PartForeign { part: &'static str, path: PathBuf },

    #[error(
        "{} belongs to lostbits {found}, this is lostbits {VERSION}: run `make build` again, or set \
         LOSTBITS_HOME to the right folder",
        path.display()
    )]
    PartOfOtherVersion { path: PathBuf, found: String },

    #[error(
        "{} was built by lostbits with ABI {abi}, this is ABI {ABI_VERSION}: rebuild it",
        path.display()
    )]
    ObjectOfOtherAbi { path: PathBuf, abi: u32 },

    #[error(
        "{} was built for mode {}, this link is for mode {}: rebuild it, or link with \
         --lostbits-mode={}",
        path.display(),
        built_for.name(),
        link_for.name(),
        built_for.name()
    )]
    ObjectOfOtherMode {
        path: PathBuf,
        built_for: Mode,
        link_for: Mode,
    },

    #[error(
        "only programs for 64-bit x86 Linux can be instrumented, and `{option}` asks for another \
         machine: leave it out, or compile with --lostbits-mode=off"
    )]
    OtherMachine { option: String },

    #[error(
        "`{option}` keeps shadow memory where lostbits keeps its own: leave it out, or compile with \
         --lostbits-mode=off"
    )]
    OtherShadowMemory { option: String },

    #[error(
        "instrumented programs must be position-independent, and flang cannot link such a program \
         statically: leave out -static, or link with --lostbits-mode=off"
    )]
    StaticFortran,

    #[error("{} cannot be started: {error}", program.display())]
    CannotStart { program: PathBuf, error: io::Error },

    #[error("the program {} was not found: build it first, or check its path", path.display())]
    ProgramMissing { path: PathBuf },

    #[error("{} is not on PATH: to run the one in this folder, say ./{}", path.display(), path.display())]
    ProgramNotOnPath { path: PathBuf },

    #[error("{} is not executable: build it first, or run `chmod +x` on it", path.display())]
    ProgramNotExecutable { path: PathBuf },

    #[error("{} is a folder: give a program, sources or an expression", path.display())]
    ProgramIsFolder { path: PathBuf },

    #[error("{} was not built by lostbits: build it with `lostbits cc …`", path.display())]
    NotInstrumented { path: PathBuf },

    #[error(
        "{} left no record: neither it nor anything it started was built by lostbits: build it with \
         `lostbits cc …`",
        path.display()
    )]
    NothingInstrumented { path: PathBuf },

    #[error(
        "{} was built by lostbits, but it left no record: the folder for temporary files may be full \
         (set TMPDIR to another), or the program ended before its start-up code ran",
        path.display()
    )]
    NoRecord { path: PathBuf },

    #[error(
        "{} is not an ELF program, object, library or archive: give a file that `lostbits cc` made",
        path.display()
    )]
    NotElf { path: PathBuf },

    #[error(
        "the site table in {} is damaged: rebuild it with `lostbits cc …`",
        path.display()
    )]
    TableDamaged { path: PathBuf },

    #[error("{} cannot be read ({error}): check its path and its permissions", path.display())]
    CannotRead { path: PathBuf, error: io::Error },

    #[error(
        "{} cannot be written ({error}): choose another place with `-o FILE`",
        path.display()
    )]
    CannotWrite { path: PathBuf, error: io::Error },

    #[error(
        "{} is not a run record, or it was cut short: make one with `lostbits run ./prog`",
        path.display()
    )]
    RecordDamaged { path: PathBuf },

    #[error(
        "{} was written by lostbits with ABI {abi}, this is ABI {ABI_VERSION}: rebuild the program \
         and run it again",
        path.display()
    )]
    RecordOfOtherAbi { path: PathBuf, abi: u32 },

    #[error(
        "{} was not built by lostbits: build it with `lostbits cc --lostbits-mode={} …`, or give \
         `lostbits {}` its sources",
        path.display(),
        mode.name(),
        verb(mode)
    )]
    NotBuiltFor { path: PathBuf, mode: Mode },

    #[error(
        "{} was built for mode {}, not for mode {}: build it again with --lostbits-mode={}, or \
         give `lostbits {}` its sources",
        path.display(),
        built_for.name(),
        wanted.name(),
        wanted.name(),
        verb(wanted)
    )]
    BuiltForOtherMode {
        path: PathBuf,
        built_for: Mode,
        wanted: Mode,
    },

    #[error(
        "to run {} again in high precision its sources are needed, or a second version of it: build that with \
         --lostbits-mode=reals as {}, or name it with --rerun-with PROGRAM",
        program.display(),
        wanted.display()
    )]
    NothingToRerun { program: PathBuf, wanted: PathBuf },

    #[error(
        "{} cannot be the version for high precision: build it with --lostbits-mode=reals",
        path.display()
    )]
    NoRerunVersion { path: PathBuf },

    #[error("`{option}` has no meaning without --rerun: add --rerun, or leave it out")]
    OnlyWithRerun { option: &'static str },

    #[error(
        "`--on-unstable stop` ends the program early, and --rerun compares whole runs: leave one of them out"
    )]
    StopsAndReruns,

    #[error(
        "`{first}` begins a compiler's options, but no source file follows it: give a source (prog.c, \
         .cpp, .f90, .rs) or a program; options of `lostbits {}` are listed by `lostbits {} \
         --help`",
        mode.name(),
        mode.name()
    )]
    NothingToRun { first: String, mode: Mode },

    #[error(
        "`{option}` would leave a program, and `lostbits {}` runs what it compiles from a folder of \
         its own: leave it out, or build with `lostbits cc --lostbits-mode={} …` and then {} the \
         program; to save the record, say -o RECORD before the source",
        mode.name(),
        mode.name(),
        mode.name()
    )]
    NamesOutput { option: String, mode: Mode },

    #[error(
        "only the root causes of a run of `lostbits explain` can be written as FPCore: leave out \
         --format fpcore, or run `lostbits explain`"
    )]
    NoFpcoreOfDecisions,

    #[error("{title}, {error}\n{excerpt}")]
    BadFormula {
        title: String,
        error: String,
        excerpt: String,
    },

    #[error("there is no program for the FPCore in {title}, line {line}: {reason}")]
    Untranslatable {
        title: String,
        line: u32,
        reason: String,
    },

    #[error(
        "no input was found that fulfils the :pre of the FPCore in {title}, line {line}: narrow its \
         variables with --range x=FROM:TO"
    )]
    NoSample { title: String, line: u32 },

    #[error("--symbolic: no input is called `{name}`; there are {known}")]
    SymbolicUnknown { name: String, known: String },

    #[error(
        "--symbolic {given} does not fit: `{name}` has {length} elements, so write {name}[0:{length}] or a part of it"
    )]
    SymbolicRange {
        given: String,
        name: String,
        length: usize,
    },

    #[error(
        "--solver {given}: give z3, or smtlib:COMMAND for a solver that reads SMT-LIB 2 on standard input"
    )]
    UnknownSolver { given: String },

    #[error("--sites {given}: give auto, or lines as file.c:12,file.c:20")]
    BadSites { given: String },

    #[error(
        "--sites: there is no addition or subtraction of floating-point numbers at {place}; see `lostbits sites`"
    )]
    NoAdditionThere { place: String },

    #[error("--range names `{name}`, but the variables are {variables}")]
    RangeOfNothing { name: String, variables: String },

    #[error(
        "`{call}` is no call: write a function's name and numbers, such as 'f(2.5, 1e-7)'; 2.5f is a \
         float, 2.5L a long double, 3i an int"
    )]
    BadCall { call: String },

    #[error("`{option}` is for {wanted}: leave it out, or give such")]
    OptionOutOfPlace {
        option: &'static str,
        wanted: &'static str,
    },

    #[error(
        "the function of --start-at was never entered: check its name, or compile with -fno-inline if the \
         optimiser made it a part of others"
    )]
    NeverEntered,

    #[error(
        "nothing was computed in a function called `{name}`, which --function names: check its name, and that lostbits \
         compiled it"
    )]
    NothingInFunction { name: String },

    #[error(
        "`{option}` is decided when a program is compiled: give `lostbits explain` its sources, or set {variable} \
         when you build it with `lostbits cc --lostbits-mode=explain …`"
    )]
    DecidedAtCompileTime {
        option: &'static str,
        variable: &'static str,
    },

    #[error(
        "{} was not built by lostbits: build it with `lostbits cc --lostbits-mode=search -g -shared …`, \
         or give `lostbits search` a source",
        path.display()
    )]
    NotBuiltForSearch { path: PathBuf },

    #[error(
        "{} was built for mode {}, not for mode search: build it again with --lostbits-mode=search",
        path.display(),
        built_for.name()
    )]
    LibraryForOtherMode { path: PathBuf, built_for: Mode },

    #[error("there is no function `{function}` to call{}", offered(close))]
    NoSuchFunction {
        function: String,
        close: Vec<String>,
    },

    #[error(
        "{} does not say what parameters `{function}` has: build it with -g",
        path.display()
    )]
    NoSignature { function: String, path: PathBuf },

    #[error("`{function}` cannot be called from outside: {advice}")]
    NotExported {
        function: String,
        advice: &'static str,
    },

    #[error("`{function}` means several functions: say which, by the linker's name ({symbols})")]
    SeveralFunctions { function: String, symbols: String },

    #[error("{} does not say how to search: {reason}", path.display())]
    BadSpec { path: PathBuf, reason: String },

    #[error("`{text}` cannot be read as a call: {error}")]
    NotACall { text: String, error: String },

    #[error("`{call}` cannot be called: {reason}")]
    CannotCall { call: String, reason: String },

    #[error("the process that makes the calls could not be used: {reason}")]
    WorkerFailed { reason: String },

    #[error(
        "`{given}` is no range: say --range {parameter}=LOW:HIGH with LOW below HIGH, as in \
         --range {parameter}=-100:100"
    )]
    BadRange { given: String, parameter: String },

    #[error(
        "nothing to search: give a source with --function NAME, an expression or an FPCore file, or --library \
         FILE with --call 'f(x)' or --calls FILE"
    )]
    NothingToSearch,

    #[error("{}: line {line} is no result of a search: give a file that --resume made, or none yet", path.display())]
    NotAResult { path: PathBuf, line: usize },

    #[error(
        "sources of one language are searched at a time: build {first} and {second} into a library with --lostbits-mode=search and give it by --library"
    )]
    SeveralLanguages { first: String, second: String },

    #[error("--explain writes text or JSON: leave out --format {format}")]
    NotExplainable { format: &'static str },

    #[error(
        "--explain needs the library built once more, with --lostbits-mode=explain: give that one by --explain-library FILE"
    )]
    NoLibraryToExplain,

    #[error(
        "the ranges leave nothing for `{variable}`: widen --range, or look at the :pre in {title}, line {line}"
    )]
    NothingInRange {
        variable: String,
        title: String,
        line: u32,
    },

    #[error("the oracle `{command}` cannot be used: {reason}")]
    OracleFailed { command: String, reason: String },

    #[error("{compiler} could not compile it: what it said stands above")]
    CompilerFailed { compiler: &'static str },

    #[error(
        "{compiler} could not compile it: what it said stands above (there is no file {word}: what is for the program \
         stands behind `--`)"
    )]
    CompilerFailedOnNoFile {
        compiler: &'static str,
        word: String,
    },

    #[error(
        "{compiler} could not compile it: what it said stands above (lostbits.toml names as references {references}: \
         each must be a function of the program)"
    )]
    CompilerFailedWithReferences {
        compiler: &'static str,
        references: String,
    },

    #[error(
        "{compiler} made no program: leave out options such as -c, -S and -E, and give all sources"
    )]
    CompiledToNoProgram { compiler: &'static str },

    #[error("the report cannot be written to {} ({error}): choose another file", path.display())]
    CannotWriteReport { path: PathBuf, error: io::Error },

    #[error(
        "a temporary folder for the run cannot be made ({error}): set TMPDIR to a folder with space"
    )]
    NoTemporaryFolder { error: io::Error },
}

fn offered(names: &[String]) -> String {
    match names {
        [] => ": check its name (C++ functions have longer ones; `nm -D` lists them)".to_owned(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

/// The verb that runs programs of a mode.
fn verb(mode: &Mode) -> &'static str {
    match mode.explains() {
        true => Mode::Explain.name(),
        false => mode.name(),
    }
}

fn all_modes(separator: &str) -> String {
    Mode::ALL.map(Mode::name).join(separator)
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(" or ")
}
