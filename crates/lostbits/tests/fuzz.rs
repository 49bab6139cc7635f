//! Random C programs compute the same with and without instrumentation, and their shadows at the
//! program's own precision agree with them everywhere. Mode `watch` sees the same whether its shadow code
//! waits until it is needed or always runs.
//!
//! `cargo test` takes a few seeds; `make fuzz` (the ignored test) takes 600 on all cores.
//! LOSTBITS_FUZZ_SEED and LOSTBITS_FUZZ_COUNT choose others. The folder of a failing seed is kept, with
//! the program, the two builds, their outputs and a shrunk program.

mod generator;

use std::{
    collections::BTreeMap,
    fmt, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use generator::{feature::Feature, generate, source_of, tree};
use lostbits_abi::{
    environment::WATCH_THRESHOLDS,
    record::{self, ModuleRecord},
    site::What,
};

/// Flags by turns; contraction matters because it decides which operations there are.
const LEVELS: &[&[&str]] = &[
    &["-O0"],
    &["-O1"],
    &["-O2"],
    &["-O3", "-march=native"],
    &["-Os"],
    &["-O2", "-ffp-contract=fast"],
    &["-O2", "-ffp-contract=off"],
    &["-O3", "-march=native", "-ffp-contract=off"],
    // Here the back end fuses products into sums, which instrumentation must not prevent.
    &["-O2", "-march=native", "-ffp-contract=fast"],
];
const SECONDS_TO_RUN: &str = "60";
const TIME_TO_SHRINK: Duration = Duration::from_secs(120);

#[test]
fn generated_programs_keep_their_results() {
    examine_all(
        setting("LOSTBITS_FUZZ_SEED", 0),
        setting("LOSTBITS_FUZZ_COUNT", 40),
    );
}

#[test]
#[ignore = "takes minutes; `make fuzz` runs it"]
fn many_generated_programs_keep_their_results() {
    examine_all(
        setting("LOSTBITS_FUZZ_SEED", 1000),
        setting("LOSTBITS_FUZZ_COUNT", 600),
    );
}

/// The generator's own promise: programs are well defined, so levels of optimisation agree.
#[test]
fn plain_builds_agree_between_levels() {
    let tools = Tools::find();
    for seed in 0..8 {
        let folder = Folder::new(seed, "levels");
        folder.write("program.c", &generate(seed).source());
        let outputs = ["-O0", "-O2"].map(|level| {
            let built = tools.build(&folder, "off", &[level, "-ffp-contract=off"], level);
            folder.run(&built.expect("the plain compiler takes the program"), None)
        });
        assert!(
            same_output(&outputs[0], &outputs[1]),
            "seed {seed} depends on the optimiser"
        );
        folder.discard();
    }
}

#[test]
fn every_feature_occurs_in_a_good_share_of_programs() {
    const PROGRAMS: u64 = 200;
    let mut counts: BTreeMap<Feature, u64> = BTreeMap::new();
    for seed in 0..PROGRAMS {
        for feature in generate(seed).features {
            *counts.entry(feature).or_default() += 1;
        }
    }
    for feature in Feature::ALL {
        let share = counts.get(feature).copied().unwrap_or(0) * 100 / PROGRAMS;
        println!("{feature:?}: in {share} % of programs");
        assert!(share >= 25, "{feature:?} is in only {share} % of programs");
    }
}

#[test]
fn a_seed_always_gives_the_same_program() {
    assert_eq!(generate(7).source(), generate(7).source());
    assert_ne!(generate(7).source(), generate(8).source());
}

#[test]
fn shrinking_keeps_only_what_fails() {
    let program = generate(3).nodes;
    let needed = "int main(void)";
    let smallest = tree::shrink(program, |nodes| tree::render(nodes).contains(needed));
    assert_eq!(tree::size(&smallest), 1, "{}", tree::render(&smallest));
}

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text} is not a number")),
        Err(_) => default,
    }
}

fn examine_all(first: u64, count: u64) {
    let tools = Tools::find();
    let next = AtomicUsize::new(0);
    let results = Mutex::new((Vec::<(u64, Failure)>::new(), Totals::default()));
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed) as u64;
                    if number >= count {
                        break;
                    }
                    let seed = first + number;
                    let result = examine(&tools, seed);
                    let mut results = results.lock().unwrap();
                    match result {
                        Ok(totals) => results.1.add(&totals),
                        Err(failure) => results.0.push((seed, failure)),
                    }
                    progress(&results.1, results.0.len(), count);
                }
            });
        }
    });
    let (mut failures, totals) = results.into_inner().unwrap();
    failures.sort_by_key(|(seed, _)| *seed);
    if failures.is_empty() {
        println!("{totals}");
        return;
    }
    let shrinkable = |kind| matches!(kind, Kind::OutputChanged | Kind::ShadowDiffers);
    if let Some(failure) = failures
        .iter()
        .find(|(_, failure)| shrinkable(failure.kind))
    {
        shrink_first(&tools, failure);
    }
    let list: Vec<String> = failures
        .iter()
        .map(|(seed, failure)| format!("seed {seed}: {failure}"))
        .collect();
    panic!(
        "{} of {count} programs failed\n{}",
        failures.len(),
        list.join("\n")
    );
}

/// One line in twenty programs, past the test harness, which would hold it back until the end.
fn progress(totals: &Totals, failed: usize, count: u64) {
    let done = totals.programs + failed as u64;
    if done.is_multiple_of(20) || done == count {
        let _ = writeln!(
            std::io::stderr(),
            "fuzz: {done} of {count} programs, {failed} failed"
        );
    }
}

#[derive(Default)]
struct Totals {
    programs: u64,
    operations: u64,
    differences: u64,
    fresh: u64,
    lost: u64,
}

impl Totals {
    fn add(&mut self, other: &Totals) {
        self.programs += other.programs;
        self.operations += other.operations;
        self.differences += other.differences;
        self.fresh += other.fresh;
        self.lost += other.lost;
    }

    fn add_module(&mut self, module: &ModuleRecord) {
        for (site, executions, totals) in module.rows() {
            match site.what {
                What::Operation(_) => self.operations += executions,
                What::Lost(_) => self.lost += executions,
                What::Load | What::Argument | What::Return | What::Output | What::Constant => {}
            }
            self.differences += totals.differences;
            self.fresh += totals.fresh;
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} programs, {} operations executed, {} shadow differences, {} fresh, {} lost",
            self.programs, self.operations, self.differences, self.fresh, self.lost
        )
    }
}

/// How a program failed: the first line is the failure, the others are details.
struct Failure {
    kind: Kind,
    mode: &'static str,
    flags: &'static [&'static str],
    detail: String,
    folder: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    DoesNotBuild,
    OutputChanged,
    ShadowDiffers,
    NothingExecuted,
    NoRecord,
    /// Mode `watch` saw something else when its quick tests were off.
    QuickTestMissed,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} in mode {} with {}, see {}\n    {}",
            self.kind,
            self.mode,
            self.flags.join(" "),
            self.folder.display(),
            self.detail.trim_end().replace('\n', "\n    ")
        )
    }
}

fn flags_of(seed: u64) -> &'static [&'static str] {
    LEVELS[(seed % LEVELS.len() as u64) as usize]
}

/// Mode `same` for each seed, and for every fourth each of the others as well.
fn modes_of(seed: u64) -> &'static [&'static str] {
    match (seed / LEVELS.len() as u64 + seed) % 4 {
        0 => &["same", "carry"],
        2 => &["same", "watch"],
        _ => &["same"],
    }
}

fn examine(tools: &Tools, seed: u64) -> Result<Totals, Failure> {
    let folder = Folder::new(seed, "seed");
    let source = generate(seed).source();
    let mut totals = Totals {
        programs: 1,
        ..Totals::default()
    };
    for mode in modes_of(seed) {
        totals.add(&compare(tools, &folder, &source, flags_of(seed), mode)?);
    }
    folder.discard();
    Ok(totals)
}

fn compare(
    tools: &Tools,
    folder: &Folder,
    source: &str,
    flags: &'static [&'static str],
    mode: &'static str,
) -> Result<Totals, Failure> {
    let failure = |kind, detail| Failure {
        kind,
        mode,
        flags,
        detail,
        folder: folder.0.clone(),
    };
    folder.write("program.c", source);
    let build = |mode: &str| {
        tools
            .build(folder, mode, flags, mode)
            .map_err(|text| failure(Kind::DoesNotBuild, text))
    };
    let plain = folder.run(&build("off")?, None);
    let record = folder.0.join(format!("{mode}.record"));
    let _ = fs::remove_file(&record);
    let program = build(mode)?;
    let instrumented = folder.run(&program, Some(&record));
    if !same_output(&plain, &instrumented) {
        return Err(failure(
            Kind::OutputChanged,
            first_change(&plain, &instrumented),
        ));
    }
    let totals = read_totals(&record).map_err(|text| failure(Kind::NoRecord, text))?;
    if mode == "watch" {
        let exact = folder.0.join("watch.exact.record");
        let _ = fs::remove_file(&exact);
        folder.run_with(&program, Some(&exact), &[EXACTLY]);
        let missed =
            seen_otherwise(&record, &exact).map_err(|text| failure(Kind::NoRecord, text))?;
        if !missed.is_empty() {
            return Err(failure(Kind::QuickTestMissed, missed));
        }
    }
    // In the other modes the record counts something else.
    if mode == "same" && totals.differences > 0 {
        return Err(failure(Kind::ShadowDiffers, differing_sites(&record)));
    }
    // Mode carry is the bare machinery: it counts nothing.
    if mode == "same" && totals.operations == 0 {
        return Err(failure(
            Kind::NothingExecuted,
            "no operation was counted".to_owned(),
        ));
    }
    Ok(totals)
}

/// Thresholds for mode `watch`, and exact checks throughout.
const EXACTLY: (&str, &str) = (WATCH_THRESHOLDS, "48,4,19,4,1");

/// The sites where two runs in mode `watch` saw different things.
fn seen_otherwise(usual: &Path, exact: &Path) -> Result<String, String> {
    let (usual, exact) = (decode(usual)?, decode(exact)?);
    let mut lines = String::new();
    for (usual, exact) in usual.iter().zip(&exact) {
        let totals = usual.totals.iter().zip(&exact.totals);
        for (site, (a, b)) in usual
            .table
            .sites
            .iter()
            .zip(totals)
            .filter(|(_, (a, b))| a != b)
        {
            lines.push_str(&format!(
                "{}:{} {:?}: {a:?}, exactly {b:?}\n",
                site.line, site.column, site.what
            ));
        }
    }
    Ok(lines)
}

fn same_output(left: &Output, right: &Output) -> bool {
    left.status == right.status && left.stdout == right.stdout && left.stderr == right.stderr
}

fn first_change(plain: &Output, instrumented: &Output) -> String {
    let lines = |output: &Output| -> Vec<String> {
        let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        let mut lines: Vec<String> = String::from_utf8_lossy(&text)
            .lines()
            .map(str::to_owned)
            .collect();
        lines.push(format!("({})", output.status));
        lines
    };
    let (left, right) = (lines(plain), lines(instrumented));
    let at = left
        .iter()
        .zip(&right)
        .position(|(a, b)| a != b)
        .unwrap_or(left.len().min(right.len()));
    let line = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
    format!(
        "line {}: plain '{}', instrumented '{}'",
        at + 1,
        line(&left),
        line(&right)
    )
}

fn decode(record: &Path) -> Result<Vec<ModuleRecord>, String> {
    let bytes = fs::read(record).map_err(|error| format!("no record was written: {error}"))?;
    let processes = record::decode(&bytes).map_err(|error| format!("unreadable: {error:?}"))?;
    Ok(processes
        .into_iter()
        .flat_map(|process| process.modules)
        .collect())
}

fn read_totals(record: &Path) -> Result<Totals, String> {
    let mut totals = Totals::default();
    decode(record)?
        .iter()
        .for_each(|module| totals.add_module(module));
    Ok(totals)
}

fn differing_sites(record: &Path) -> String {
    let mut lines = String::new();
    for module in decode(record).unwrap_or_default() {
        let rows = module.table.sites.iter().zip(&module.totals);
        for (site, totals) in rows.filter(|(_, totals)| totals.differences > 0).take(12) {
            lines.push_str(&format!(
                "{}:{}:{} in {} ({:?} {:?} {}): {} differences, first program {:016x} shadow {:016x}\n",
                site.file,
                site.line,
                site.column,
                site.function,
                site.what,
                site.kind,
                site.callee,
                totals.differences,
                totals.program_bits,
                totals.shadow_bits
            ));
        }
    }
    lines
}

/// Writes `shrunk.c` into the folder of a failing seed: parts left out as long as it fails alike.
fn shrink_first(tools: &Tools, (seed, failure): &(u64, Failure)) {
    let scratch = Folder::new(*seed, "shrinking");
    let deadline = Instant::now() + TIME_TO_SHRINK;
    let smallest = tree::shrink(generate(*seed).nodes, |nodes| {
        Instant::now() < deadline
            && tools.compiles(&scratch, &source_of(nodes))
            && compare(
                tools,
                &scratch,
                &source_of(nodes),
                failure.flags,
                failure.mode,
            )
            .is_err_and(|found| found.kind == failure.kind)
    });
    let path = failure.folder.join("shrunk.c");
    fs::write(&path, source_of(&smallest)).expect("the folder of the seed is writable");
    scratch.discard();
    let _ = writeln!(
        std::io::stderr(),
        "fuzz: seed {seed} shrunk to {}",
        path.display()
    );
}

/// A folder for one program, kept unless discarded.
struct Folder(PathBuf);

impl Folder {
    fn new(seed: u64, purpose: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz/{purpose}-{seed}"));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("cargo's folder for tests is writable");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).expect("cargo's folder for tests is writable");
    }

    fn run(&self, program: &Path, record: Option<&Path>) -> Output {
        self.run_with(program, record, &[])
    }

    fn run_with(
        &self,
        program: &Path,
        record: Option<&Path>,
        variables: &[(&str, &str)],
    ) -> Output {
        let mut command = Command::new("timeout");
        command
            .arg(SECONDS_TO_RUN)
            .arg(program)
            .current_dir(&self.0)
            .env_remove(record::OUT_ENV)
            .envs(variables.iter().copied());
        if let Some(record) = record {
            command.env(record::OUT_ENV, record);
        }
        command.output().expect("coreutils' timeout can be run")
    }

    fn discard(self) {
        let _ = fs::remove_dir_all(self.0);
    }
}

/// The command under test and the folder with its plugin and runtime.
struct Tools {
    lostbits: PathBuf,
    home: PathBuf,
}

impl Tools {
    fn find() -> Tools {
        let lostbits = PathBuf::from(env!("CARGO_BIN_EXE_lostbits"));
        let beside = lostbits
            .parent()
            .expect("an executable is in a folder")
            .to_owned();
        let release = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release");
        let home = std::env::var_os("LOSTBITS_HOME")
            .map(PathBuf::from)
            .into_iter()
            .chain([beside, release])
            .find(|folder| {
                folder.join("liblostbits_pass.so").exists()
                    && folder.join("lostbits_runtime.o").exists()
            })
            .expect("the plugin and the runtime are not built: run `make build` first");
        Tools { lostbits, home }
    }

    fn compiler(&self, folder: &Folder, mode: &str) -> Command {
        let mut command = Command::new(&self.lostbits);
        command.args([
            "cc",
            &format!("--lostbits-mode={mode}"),
            "-w",
            "-g",
            "program.c",
        ]);
        command
            .current_dir(&folder.0)
            .env("LOSTBITS_HOME", &self.home)
            .env_remove("LOSTBITS_MODE");
        command
    }

    fn build(
        &self,
        folder: &Folder,
        mode: &str,
        flags: &[&str],
        name: &str,
    ) -> Result<PathBuf, String> {
        let program = folder.0.join(format!("built{name}"));
        let mut command = self.compiler(folder, mode);
        let output = command
            .args(flags)
            .args(["-lm", "-o"])
            .arg(&program)
            .output();
        let output = output.expect("the lostbits command can be run");
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            Ok(program)
        } else {
            Err(first_lines(&text))
        }
    }

    /// Whether a shrunk program is still one.
    fn compiles(&self, folder: &Folder, source: &str) -> bool {
        folder.write("program.c", source);
        let mut command = self.compiler(folder, "off");
        command
            .arg("-fsyntax-only")
            .output()
            .is_ok_and(|output| output.status.success())
    }
}

fn first_lines(text: &str) -> String {
    text.lines().take(8).collect::<Vec<_>>().join("\n")
}
