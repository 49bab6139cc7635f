//! Every reason why the tool cannot do what it was asked, as the sentence the user reads.
//!
//! The sentences are in one place so that they can be read, and tested, side by side. Each says what is
//! wrong and what to do; all of them end the tool with exit code 2.

use std::{io, path::PathBuf, process::ExitStatus};

use lostbits_abi::{ABI_VERSION, VERSION, mode::Mode};
use thiserror::Error;

use crate::printable::{printable, printable_lines};

/// The exit code for "the tool could not do it".
pub const EXIT_CODE: u8 = 2;

#[derive(Debug, Error)]
pub enum Failure {
    #[error(
        "unknown option `{option}`: besides the compiler's own options, `lostbits cc`, `c++`, `fc` and `rustc` \
         take only --lostbits-mode={}",
        all_modes("|")
    )]
    UnknownOption { option: String },

    #[error(
        "`lostbits {command}` has no option `{option}`{}; to pass it to the compiler, write --cc-option={option}",
        meant(nearest)
    )]
    UnknownOptionOfCommand {
        option: String,
        command: String,
        nearest: Option<String>,
    },

    #[error(
        "`lostbits {command}` has no option `{option}`{}; to pass it to {program}, write it after `--`",
        meant(nearest)
    )]
    UnknownOptionAfterProgram {
        option: String,
        command: String,
        nearest: Option<String>,
        program: String,
    },

    #[error(
        "`lostbits search` calls functions, so there is no program to take the words after `--`: put compiler options \
         beside the sources, before `--`"
    )]
    SearchHasNoProgram,

    #[error(
        "`{option}` is an option for a compiler, but {program} is already built: leave it out, or give the sources"
    )]
    CompilerOptionForProgram { option: String, program: String },

    #[error(
        "{} is {kind}, not a program: link it with `lostbits cc --lostbits-mode={} …`, or give it beside a source",
        path.display(),
        mode.name()
    )]
    NotAProgram {
        path: PathBuf,
        kind: &'static str,
        mode: Mode,
    },

    #[error(
        "{} is a script: give `lostbits {}` the program that it starts, or run the script with `lostbits run`",
        path.display(),
        verb(mode)
    )]
    IsScript { path: PathBuf, mode: Mode },

    #[error(
        "`lostbits watch` needs a program or its sources, and `{given}` is neither: expressions and FPCore files are for \
         `lostbits explain` and `lostbits search`"
    )]
    NoProgramToWatch { given: String },

    #[error(
        "{variable} names {}, but lostbits instruments with {wanted}: unset {variable}, or name a {wanted} in it",
        path.display()
    )]
    OtherCompiler {
        variable: &'static str,
        path: PathBuf,
        wanted: &'static str,
    },

    #[error(
        "unknown mode `{name}` in `{given}`: choose one of {}",
        all_modes(", ")
    )]
    UnknownMode { name: String, given: String },

    #[error(
        "compiler {compiler} not found: {advice}, or set {variable} to another compiler; \
         `lostbits doctor` shows what else is missing"
    )]
    CompilerMissing {
        compiler: String,
        advice: String,
        variable: &'static str,
    },

    #[error(
        "{part} not found in {}: run `make build` (or `make install`), or set LOSTBITS_HOME to the folder \
         that contains it",
        list(searched)
    )]
    PartMissing {
        part: &'static str,
        searched: Vec<PathBuf>,
    },

    #[error(
        "cannot use {}: {problem}",
        path.display()
    )]
    BadAnnotations { path: PathBuf, problem: String },

    #[error(
        "{} is missing: build systems call the compilers by such links to {}; `make build` and `make install` make them",
        path.display(),
        tool.display()
    )]
    WrapperMissing { path: PathBuf, tool: PathBuf },

    #[error(
        "{} was configured for {compiler}, and CMake cannot change that: configure a second folder with `lostbits build -- \
         cmake -S {} -B {}`, then run `lostbits build -- cmake --build {}`",
        folder.display(),
        sources.display(),
        second.display(),
        second.display()
    )]
    ConfiguredForOther {
        folder: PathBuf,
        compiler: String,
        sources: PathBuf,
        second: PathBuf,
    },

    #[error("the build `{command}` of lostbits.toml failed: see its messages above")]
    BuildFailed { command: String },

    #[error("no process of `{command}` was analysed{failed}: {advice}")]
    NothingAnalysed {
        command: String,
        /// How the command ended, if it failed: the reason, more often than not.
        failed: String,
        advice: &'static str,
    },

    #[error(
        "nothing to run: write `lostbits {command} -- COMMAND`, or give the commands in lostbits.toml ([check] with test = \"make check\")"
    )]
    NothingConfigured { command: &'static str },

    #[error("cannot use {} as a baseline: {problem}; write it again with `lostbits baseline`", path.display())]
    BadBaseline { path: PathBuf, problem: String },

    #[error(
        "{} is not a lostbits {part} (it has no version): run `make build` again, or set \
         LOSTBITS_HOME to the right folder",
        path.display()
    )]
    PartForeign { part: &'static str, path: PathBuf },

    #[error(
        "{} is from lostbits {found}, but this is lostbits {VERSION}: run `make build` again, or set \
         LOSTBITS_HOME to the right folder",
        path.display()
    )]
    PartOfOtherVersion { path: PathBuf, found: String },

    #[error(
        "{} was built by a lostbits with ABI {abi}, but this lostbits has ABI {ABI_VERSION}: rebuild it",
        path.display()
    )]
    ObjectOfOtherAbi { path: PathBuf, abi: u32 },

    #[error(
        "{} was built for mode {}, but the link is for mode {}: rebuild it, or link with \
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
        "`{option}` selects another machine, but lostbits instruments only programs for 64-bit x86 Linux: \
         remove it, or compile with --lostbits-mode=off"
    )]
    OtherMachine { option: String },

    #[error(
        "`{option}` uses the same shadow memory as lostbits: remove it, or compile with \
         --lostbits-mode=off"
    )]
    OtherShadowMemory { option: String },

    #[error(
        "flang cannot link position-independent programs statically, and instrumented programs are \
         position-independent: remove -static, or link with --lostbits-mode=off"
    )]
    StaticFortran,

    #[error("cannot start {}: {error}", program.display())]
    CannotStart { program: PathBuf, error: io::Error },

    #[error("program {} not found: build it first, or check the path", path.display())]
    ProgramMissing { path: PathBuf },

    #[error("{} is not on PATH: to run the one in this folder, write ./{}", path.display(), path.display())]
    ProgramNotOnPath { path: PathBuf },

    #[error("{} is not executable: build it first, or run `chmod +x` on it", path.display())]
    ProgramNotExecutable { path: PathBuf },

    #[error("{} is a directory: give a program, sources or an expression", path.display())]
    ProgramIsFolder { path: PathBuf },

    #[error("{} was not built by lostbits: build it with `lostbits cc …`", path.display())]
    NotInstrumented { path: PathBuf },

    #[error(
        "{} wrote no record because neither it nor any program it started was built by lostbits: build it \
         with `lostbits cc …`",
        path.display()
    )]
    NothingInstrumented { path: PathBuf, status: ExitStatus },

    #[error(
        "{} was built by lostbits but wrote no record: {reason}",
        path.display()
    )]
    NoRecord { path: PathBuf, reason: String },

    #[error(
        "the run with exact decisions was killed: check the limits of memory and time (`ulimit -a`)"
    )]
    SteeredRunKilled,

    #[error("it took longer than the time budget allows: raise it with --budget")]
    OutOfTime,

    #[error(
        "nothing was judged: the code that lostbits compiled has no floating-point operation and no output of numbers; give \
         all sources, or build the parts that compute with `lostbits cc …`"
    )]
    NothingCompiled,

    #[error(
        "nothing was judged: the program computed something, but its analysis is missing; keep the file that ends in .analysis \
         beside the record, check that there is space for it, and run the program again"
    )]
    NoAnalysis,

    #[error(
        "{} is not an ELF program, object, library or archive: give a file built by `lostbits cc`",
        path.display()
    )]
    NotElf { path: PathBuf },

    #[error(
        "the site table in {} is damaged: rebuild it with `lostbits cc …`",
        path.display()
    )]
    TableDamaged { path: PathBuf },

    #[error("cannot read {} ({error}): check the path and its permissions", path.display())]
    CannotRead { path: PathBuf, error: io::Error },

    #[error(
        "cannot write {} ({error}): choose another file with `-o FILE`",
        path.display()
    )]
    CannotWrite { path: PathBuf, error: io::Error },

    #[error(
        "{} is not a run record, or it is truncated: save one with --record FILE, which `lostbits run`, `explain`, `watch` and \
         `test` take",
        path.display()
    )]
    RecordDamaged { path: PathBuf },

    #[error(
        "{} was written by a lostbits with ABI {abi}, but this lostbits has ABI {ABI_VERSION}: rebuild the \
         program and run it again",
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
        "{} was built for mode {}, not for mode {}: rebuild it with --lostbits-mode={}, or \
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
        "rerunning {} in high precision needs its sources or a second build: build it with \
         --lostbits-mode=reals as {}, or name that build with --rerun-with PROGRAM",
        program.display(),
        wanted.display()
    )]
    NothingToRerun { program: PathBuf, wanted: PathBuf },

    #[error(
        "{} was not built for high precision: build it with --lostbits-mode=reals",
        path.display()
    )]
    NoRerunVersion { path: PathBuf },

    #[error("`{option}` needs --rerun: add --rerun, or remove `{option}`")]
    OnlyWithRerun { option: &'static str },

    #[error(
        "`--on-unstable stop` ends the program early, but --rerun compares whole runs: remove one of them"
    )]
    StopsAndReruns,

    #[error(
        "no source file follows the compiler option `{first}`: give a source (prog.c, .cpp, .f90, .rs) or \
         a program; for the options of `lostbits {}` see `lostbits {} --help`",
        mode.name(),
        mode.name()
    )]
    NothingToRun { first: String, mode: Mode },

    #[error(
        "`{option}` names an output file, but `lostbits {}` compiles into a temporary folder: remove it, or \
         build with `lostbits cc --lostbits-mode={} …` and then {} the program; to save the record, write \
         -o RECORD before the source",
        mode.name(),
        mode.name(),
        mode.name()
    )]
    NamesOutput { option: String, mode: Mode },

    #[error(
        "--format fpcore needs a record of `lostbits explain`: remove it, or run `lostbits explain`"
    )]
    NoFpcoreOfDecisions,

    #[error("{title}, {error}\n{excerpt}")]
    BadFormula {
        title: String,
        error: String,
        excerpt: String,
    },

    #[error("cannot compile the FPCore in {title}, line {line}: {reason}")]
    Untranslatable {
        title: String,
        line: u32,
        reason: String,
    },

    #[error("{title}, line {line}: {reason}")]
    NoSample {
        title: String,
        line: u32,
        reason: String,
    },

    #[error("--symbolic: no input is called `{name}`: choose from {known}")]
    SymbolicUnknown { name: String, known: String },

    #[error(
        "--symbolic {given} is out of range: `{name}` has {length} elements, so write {name}[0:{length}] or a part of it"
    )]
    SymbolicRange {
        given: String,
        name: String,
        length: usize,
    },

    #[error(
        "unknown solver `{given}` for --solver: give z3, or smtlib:COMMAND for a solver that reads SMT-LIB 2 on standard input"
    )]
    UnknownSolver { given: String },

    #[error("cannot read `{given}` for --sites: give auto, or lines such as file.c:12,file.c:20")]
    BadSites { given: String },

    #[error(
        "--sites: no addition or subtraction of floating-point numbers at {place}; `lostbits sites` lists them"
    )]
    NoAdditionThere { place: String },

    #[error("`{option}` applies only to {wanted}: remove it")]
    OptionOutOfPlace {
        option: &'static str,
        wanted: &'static str,
    },

    #[error(
        "the function of --start-at was never entered: check its name, or compile with -fno-inline if the \
         optimiser inlined it"
    )]
    NeverEntered,

    #[error(
        "--function: no function `{name}` computed anything: check its name, and that lostbits compiled it"
    )]
    NothingInFunction { name: String },

    #[error(
        "no output is wrong, but the program ended early ({status}): check its arguments, which come after `--`; it reads nothing \
         from standard input here"
    )]
    CleanButFailed { status: std::process::ExitStatus },

    #[error(
        "`{option}` takes effect when the program is compiled: give `lostbits explain` its sources, or set {variable} \
         when you build it with `lostbits cc --lostbits-mode=explain …`"
    )]
    DecidedAtCompileTime {
        option: &'static str,
        variable: &'static str,
    },

    #[error(
        "`--what-if PLACE=float` takes effect when the program is compiled: give `lostbits explain` its sources"
    )]
    RoundingNeedsSources,

    #[error("the crate in {} cannot be searched: {}", path.display(), printable_lines(reason))]
    CrateRefused { path: PathBuf, reason: String },

    #[error(
        "{} was not built by lostbits: build it with `lostbits cc --lostbits-mode=search -g -shared …`, \
         or give `lostbits search` a source",
        path.display()
    )]
    NotBuiltForSearch { path: PathBuf },

    #[error(
        "{} was built for mode {}, not for mode search: rebuild it with --lostbits-mode=search",
        path.display(),
        built_for.name()
    )]
    LibraryForOtherMode { path: PathBuf, built_for: Mode },

    #[error("function `{function}` not found{}", offered(close))]
    NoSuchFunction {
        function: String,
        close: Vec<String>,
    },

    #[error(
        "{} has no debug information on the parameters of `{function}`: build it with -g",
        path.display()
    )]
    NoSignature { function: String, path: PathBuf },

    #[error("`{function}` is not exported: {advice}")]
    NotExported {
        function: String,
        advice: &'static str,
    },

    #[error("`{function}` names several functions: give the symbol of one of them ({symbols})")]
    SeveralFunctions { function: String, symbols: String },

    #[error("cannot use {} as a search specification: {reason}", path.display())]
    BadSpec { path: PathBuf, reason: String },

    #[error("cannot read `{text}` as a call: {error}")]
    NotACall { text: String, error: String },

    #[error("cannot call `{call}`: {reason}")]
    CannotCall { call: String, reason: String },

    #[error("--all finds no function that it can call: write calls with --call 'f(x, 0)'{reasons}")]
    NothingCallable { reasons: String },

    #[error("the worker process that makes the calls failed: {reason}")]
    WorkerFailed { reason: String },

    #[error("{reason}")]
    BadRange { reason: String },

    #[error(
        "nothing to search: give a source with --function NAME, an expression or an FPCore file, or --library \
         FILE with --call 'f(x)' or --calls FILE"
    )]
    NothingToSearch,

    #[error("nothing to repair: {title} contains no FPCore")]
    NothingToFix { title: String },

    #[error(
        "fix repairs one expression or file at a time, and `{second}` is another: put an expression in quotation marks"
    )]
    SeveralToFix { second: String },

    #[error("{} cannot be repaired: {reason}", path.display())]
    CannotRepair { path: PathBuf, reason: String },

    #[error(
        "--build and --run belong together: the command that builds the project, and the program with its arguments"
    )]
    HalfAProject,

    #[error(
        "with --build, name sources of the project, and no compiler options: `{word}` is neither FILE nor FILE:LINE"
    )]
    NoPlaceInProject { word: String },

    #[error("`{command}` failed in a copy of the project ({status}): its messages are above")]
    ProjectNotBuilt {
        command: String,
        status: std::process::ExitStatus,
    },

    #[error("line {line} of {} is not a search result: give --resume a file that it wrote, or a new one", path.display())]
    NotAResult { path: PathBuf, line: usize },

    #[error("{} belongs to another search: choose another file, or remove it to start again", path.display())]
    SavedForAnother { path: PathBuf },

    #[error("{} is in use by another search: wait until that ends", path.display())]
    SavedInUse { path: PathBuf },

    #[error("{} is not a shard's file: give the files that `lostbits search --shard K/N --resume FILE` wrote", path.display())]
    NotAShard { path: PathBuf },

    #[error("{} and {} belong to different campaigns: give the files of one", path.display(), other.display())]
    OtherCampaign { path: PathBuf, other: PathBuf },

    #[error(
        "nothing to merge: give the files that `lostbits search --shard K/N --resume FILE` wrote"
    )]
    NothingToMerge,

    #[error(
        "{shards}: run `lostbits search` for each of them with the same --resume file, or report on the rest with --partial"
    )]
    ShardsUnfinished { shards: String },

    #[error("a campaign gives {option} to each search itself: leave it out after `--`")]
    NotForShards { option: String },

    #[error("{shards}: its last message is \"{message}\" (all are in {})", log.display())]
    CampaignFailed {
        shards: String,
        message: String,
        log: PathBuf,
    },

    #[error("a campaign's scripts are UTF-8, but `{word}` is not: rename it")]
    NotForScripts { word: String },

    #[error("--shard takes a part of several calls: give them with --calls, --call or --spec")]
    ShardOfNoCalls,

    #[error(
        "search compiles sources of one language: build {first} and {second} into a library with --lostbits-mode=search and give it with --library"
    )]
    SeveralLanguages { first: String, second: String },

    #[error("--explain writes only text or JSON: remove --format {format}")]
    NotExplainable { format: &'static str },

    #[error(
        "--explain needs a second build of the library, with --lostbits-mode=explain: give it with --explain-library FILE"
    )]
    NoLibraryToExplain,

    #[error("`{text}` is not what a call can mean: {reason}")]
    BadMeaning { text: String, reason: String },

    #[error(
        "--means speaks of one call, but there are {calls}: write `f(x) = meaning` for each with --call or in the file of --calls"
    )]
    SeveralMeanings { calls: usize },

    #[error(
        "{call} has {inputs} inputs, and --map draws one: make the others constant, as in --call 'f(x, 0.5)'"
    )]
    MapOfSeveral { call: String, inputs: usize },

    #[error("the oracle `{command}` failed: {reason}")]
    OracleFailed { command: String, reason: String },

    #[error("{compiler} failed: see its messages above")]
    CompilerFailed { compiler: &'static str },

    #[error(
        "the layer that sends shadows along with MPI's messages cannot be compiled ({reason}): link with MPI's own compiler wrapper \
         (`OMPI_CC=\"lostbits cc\" mpicc`, `MPICH_CC=lostbits-cc mpicc`), or set LOSTBITS_MPI=off to leave messages untracked"
    )]
    MpiLayer { reason: String },

    #[error(
        "a launcher started this command {ranks} times, once for each rank, {why}: run it once and let it start the job, \
         `{command}`"
    )]
    OneOfManyRanks {
        ranks: u32,
        why: String,
        command: String,
    },

    #[error(
        "the first rank of this job does not run lostbits: start all ranks by it, or run `{command}`"
    )]
    NoFirstRank { command: String },

    #[error(
        "{} uses MPI's module mpi_f08, which was compiled by gfortran, and flang cannot read it: write `use mpi`, or use an MPI that was \
         built with flang-22",
        file.display()
    )]
    ModuleMpiF08 { file: PathBuf },

    #[error(
        "{compiler} failed: see its messages above (there is no file {word}: the program's arguments come after `--`)"
    )]
    CompilerFailedOnNoFile {
        compiler: &'static str,
        word: String,
    },

    #[error(
        "{compiler} failed: see its messages above (each reference in lostbits.toml must be a function of the program: \
         {references})"
    )]
    CompilerFailedWithReferences {
        compiler: &'static str,
        references: String,
    },

    #[error(
        "{compiler} produced no program: remove options such as -c, -S and -E, and give all sources"
    )]
    CompiledToNoProgram { compiler: &'static str },

    #[error("cannot write the report to {} ({error}): choose another file", path.display())]
    CannotWriteReport { path: PathBuf, error: io::Error },

    #[error(
        "cannot write to {stream} ({error}), so a part of the output is missing: free some space, or redirect it"
    )]
    CannotPrint {
        stream: &'static str,
        error: io::Error,
    },

    #[error(
        "cannot create a temporary folder for the run ({error}): set TMPDIR to a folder with space"
    )]
    NoTemporaryFolder { error: io::Error },
}

impl Failure {
    /// The sentence as it is printed: file names and arguments cannot send escapes to the terminal, nor
    /// break the line, except where the text is made of several lines.
    pub fn message(&self) -> String {
        let text = self.to_string();
        match self {
            Failure::BadFormula { .. }
            | Failure::BadAnnotations { .. }
            | Failure::BadBaseline { .. }
            | Failure::BadSpec { .. }
            | Failure::WorkerFailed { .. } => printable_lines(&text),
            _ => printable(&text).into_owned(),
        }
    }
}

fn meant(nearest: &Option<String>) -> String {
    match nearest {
        Some(option) => format!(" (did you mean {option}?)"),
        None => String::new(),
    }
}

fn offered(names: &[String]) -> String {
    match names {
        [] => ": check its name (`nm -D` lists the symbols; C++ names are mangled)".to_owned(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

/// The command that runs programs of a mode.
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
