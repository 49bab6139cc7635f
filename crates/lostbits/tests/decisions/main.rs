//! Whenever the program takes a different branch in exact arithmetic, `lostbits watch` has flagged it.
//!
//! Random programs that decide on nearly equal values ([`near`]) run twice: watched, and with high-precision
//! numbers beside their values (mode `reals`). These follow the program's own path, so every branch that differs
//! in exact arithmetic is one that the watched run took too, and must have been flagged, or suppressed for a
//! reason.
//!
//! What is missed is listed with its reason, found out by watching again with lower thresholds: the paper's method
//! takes no notice of an error that is inflated in several steps, each by fewer than τc bits, or that grows by
//! itself over many operations, until it is larger than the few units in the last place that τc allows for. A miss
//! that remains at half the threshold is a fault.
//!
//! A decision on what a rounding or a remainder gave (`(int)floor(x)`) is none of its own: the rounding is.
//!
//! `cargo test` takes a few seeds; `make fuzz-watch` (the ignored test) takes many.

#[allow(dead_code, reason = "only the tool and its folders are used")]
#[path = "../common/mod.rs"]
mod common;
mod near;
#[allow(dead_code, reason = "the other generator uses more of it")]
#[path = "../generator/rng.rs"]
mod rng;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

use lostbits::{
    summary::identity,
    watch::{findings::Findings, rerun::times_otherwise},
};
use lostbits_abi::{
    environment::WATCH_THRESHOLDS,
    ops::Op,
    record::{self, OUT_ENV, ProcessRecord},
    site::{Site, What},
};

const LEVELS: &[&str] = &["-O0", "-O2", "-O1", "-O3"];
const PRECISION: &str = "128";

/// Thresholds for double and float, from the default down.
const THRESHOLDS: &[(u32, u32)] = &[(48, 19), (44, 15), (36, 12), (24, 8)];

#[test]
fn branches_that_differ_in_exact_arithmetic_were_flagged() {
    examine_all(0, 6);
}

#[test]
#[ignore = "takes minutes; `make fuzz-watch` runs it"]
fn many_branches_that_differ_in_exact_arithmetic_were_flagged() {
    let setting = |name, default| {
        let text = std::env::var(name).ok();
        text.map_or(default, |text| text.parse().expect(name))
    };
    examine_all(
        setting("LOSTBITS_FUZZ_SEED", 1000),
        setting("LOSTBITS_FUZZ_COUNT", 200),
    );
}

fn examine_all(first: u64, count: u64) {
    let mut totals = Totals::default();
    for seed in first..first + count {
        totals.add(examine(seed));
    }
    println!("{totals}");
    assert!(
        totals.different > 0,
        "no program took a branch that differs in exact arithmetic"
    );
    assert!(totals.unexplained.is_empty(), "{totals}");
}

#[derive(Default)]
struct Totals {
    programs: u64,
    /// Decisions, those flagged or suppressed at the default thresholds, and those that differ in exact
    /// arithmetic.
    decisions: usize,
    flagged: usize,
    suppressed: usize,
    different: usize,
    /// Missed at the default thresholds, by those at which they are flagged.
    missed: BTreeMap<(u32, u32), Vec<String>>,
    unexplained: Vec<String>,
}

impl Totals {
    fn add(&mut self, other: Totals) {
        self.programs += other.programs;
        self.decisions += other.decisions;
        self.flagged += other.flagged;
        self.suppressed += other.suppressed;
        self.different += other.different;
        for (thresholds, decisions) in other.missed {
            self.missed.entry(thresholds).or_default().extend(decisions);
        }
        self.unexplained.extend(other.unexplained);
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} programs with {} decisions: {} flagged, {} suppressed, {} different in exact arithmetic",
            self.programs, self.decisions, self.flagged, self.suppressed, self.different
        )?;
        for ((double, float), decisions) in &self.missed {
            writeln!(
                f,
                "missed at {}: flagged from τc = {double} (float: {float}) on, so errors had grown without one cancellation of more bits\n  {}",
                decisions.len(),
                decisions.join("\n  ")
            )?;
        }
        for place in &self.unexplained {
            writeln!(f, "MISSED at every threshold: {place}")?;
        }
        Ok(())
    }
}

fn examine(seed: u64) -> Totals {
    let folder = common::empty_folder(&format!("decisions/{seed}")).unwrap();
    let level = LEVELS[(seed % LEVELS.len() as u64) as usize];
    fs::write(folder.join("program.c"), near::program(seed)).unwrap();
    let [watched, real] = ["watch", "reals"].map(|mode| build(&folder, mode, level));
    let different = different(&run(&real, ("LOSTBITS_PRECISION", PRECISION)));
    let mut totals = Totals {
        programs: 1,
        different: different.len(),
        ..Totals::default()
    };
    let mut left: BTreeSet<Site> = different;
    for (double, float) in THRESHOLDS {
        let limits = format!("{double},4,{float},4");
        let processes = run(&watched, (WATCH_THRESHOLDS, &limits));
        let findings = Findings::of(&processes);
        let seen: BTreeSet<Site> = flagged(&findings).chain(suppressed(&findings)).collect();
        let is_default = THRESHOLDS[0] == (*double, *float);
        if is_default {
            totals.decisions = count(&processes);
            totals.flagged = findings.unstable.len();
            totals.suppressed = findings.suppressed.len();
        }
        let is_known = |site: &Site| seen.contains(site) || follows_a_jump(site, &seen);
        let (known, unknown): (BTreeSet<Site>, BTreeSet<Site>) =
            left.into_iter().partition(is_known);
        if !is_default && !known.is_empty() {
            let decisions = known
                .iter()
                .map(|site| described(seed, level, site))
                .collect();
            totals.missed.insert((*double, *float), decisions);
        }
        left = unknown;
        if left.is_empty() {
            break;
        }
    }
    totals.unexplained = left
        .iter()
        .map(|site| described(seed, level, site))
        .collect();
    if totals.unexplained.is_empty() {
        fs::remove_dir_all(folder).unwrap();
    }
    totals
}

fn described(seed: u64, level: &str, site: &Site) -> String {
    let Site {
        function,
        line,
        column,
        what,
        ..
    } = site;
    format!("seed {seed} {level}, {function} at {line}:{column}: {what:?}")
}

fn build(folder: &Path, mode: &str, level: &str) -> PathBuf {
    let program = folder.join(mode);
    let mut command = common::lostbits();
    command.args([
        "cc",
        &format!("--lostbits-mode={mode}"),
        "-g",
        "-w",
        level,
        "program.c",
    ]);
    command
        .args(["-lm", "-o"])
        .arg(&program)
        .current_dir(folder);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", folder.display());
    program
}

fn run(program: &Path, (name, value): (&str, &str)) -> Vec<ProcessRecord> {
    let kept = program.with_extension("record");
    let _ = fs::remove_file(&kept);
    let mut command = Command::new("timeout");
    command
        .arg("60")
        .arg(program)
        .env(OUT_ENV, &kept)
        .env(name, value);
    let output = command.env_remove("LOSTBITS_STEER").output().unwrap();
    assert!(
        output.status.success(),
        "{}: {}",
        program.display(),
        output.status
    );
    record::decode(&fs::read(&kept).unwrap()).unwrap()
}

/// Whether a decision is on what a rounding or remainder gave that was seen: every function holds one decision.
fn follows_a_jump(site: &Site, seen: &BTreeSet<Site>) -> bool {
    let jumps = |other: &Site| {
        let jumps = matches!(other.what, What::Operation(Op::Floor | Op::Ceil | Op::Rem));
        jumps && other.function == site.function
    };
    !jumps(site) && seen.iter().any(jumps)
}

/// Sites of decisions, as all modes have them.
fn decisions(processes: &[ProcessRecord]) -> impl Iterator<Item = (Site, u64)> + '_ {
    let modules = processes.iter().flat_map(|process| &process.modules);
    modules
        .flat_map(|module| module.rows())
        .filter_map(|(site, _, totals)| match site.what {
            What::Operation(op) if op.is_discrete() => {
                Some((place(site), times_otherwise(site, op, totals)))
            }
            _ => None,
        })
}

/// A site without the fields that only one mode fills.
fn place(site: &Site) -> Site {
    Site {
        callee: String::new(),
        ..identity(site)
    }
}

fn different(processes: &[ProcessRecord]) -> BTreeSet<Site> {
    let changed = decisions(processes).filter(|(_, differences)| *differences > 0);
    changed.map(|(site, _)| site).collect()
}

fn count(processes: &[ProcessRecord]) -> usize {
    decisions(processes)
        .map(|(site, _)| site)
        .collect::<BTreeSet<Site>>()
        .len()
}

fn flagged(findings: &Findings) -> impl Iterator<Item = Site> + '_ {
    findings
        .unstable
        .iter()
        .map(|decision| place(&decision.site))
}

fn suppressed(findings: &Findings) -> impl Iterator<Item = Site> + '_ {
    findings.suppressed.iter().map(|entry| place(&entry.site))
}
