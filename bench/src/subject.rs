//! A real library: how it is built, which of its own tests are run, and how their outcome is read.
//!
//! Each library is built twice from the same sources with the same flags, by the plain compiler
//! (mode `off`) and instrumented, each in a copy of the source tree of its own. A test counts as kept if
//! its exit code and its output, times of day and durations aside, are the same in both.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    command::{self, Cost, Finished},
    records::{self, Totals},
    tools,
};

pub struct Subject {
    pub name: &'static str,
    /// Debian's source package.
    pub package: &'static str,
    /// Shell commands in the top folder; `$CC`, `$FC` and `$JOBS` are set.
    pub build: Vec<String>,
    pub tests: Vec<Test>,
}

pub struct Test {
    pub name: String,
    /// Below the top folder.
    pub folder: &'static str,
    /// A shell command whose output is compared.
    pub command: String,
    pub verdict: fn(&str) -> Verdict,
}

/// The results in a test's output, beyond its exit code.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Verdict {
    pub passed: u64,
    pub failed: u64,
}

/// A test as it came out in one build.
pub struct Outcome {
    pub verdict: Verdict,
    pub exit: String,
    pub output: String,
    pub cost: Cost,
    pub totals: Totals,
}

impl Outcome {
    pub fn agrees_with(&self, other: &Outcome) -> bool {
        self.exit == other.exit && self.output == other.output
    }
}

/// One build of a subject.
pub struct Build<'a> {
    pub subject: &'a Subject,
    pub mode: &'a str,
    pub jobs: usize,
    tree: PathBuf,
    records: PathBuf,
    lostbits: PathBuf,
}

/// Everything these builds write is below this folder of the repository.
pub fn workplace() -> PathBuf {
    tools::repository().join("build/subjects")
}

impl<'a> Build<'a> {
    pub fn new(subject: &'a Subject, mode: &'a str, jobs: usize) -> Result<Build<'a>, String> {
        let folder = workplace().join(mode);
        Ok(Build {
            subject,
            mode,
            jobs,
            tree: folder.join(subject.name),
            records: folder.join(format!("{}-records", subject.name)),
            lostbits: tools::lostbits()?,
        })
    }

    /// The copy of the source tree in which this build happens.
    pub fn tree(&self) -> &Path {
        &self.tree
    }

    /// Builds, unless it is built already; gives the CPU time it took then or now.
    pub fn build(&self) -> Result<Cost, String> {
        let stamp = self.tree.join(".built");
        if let Some(cost) = fs::read_to_string(&stamp)
            .ok()
            .as_deref()
            .and_then(parse_cost)
        {
            return Ok(cost);
        }
        self.copy_source()?;
        let mut cost = Cost::default();
        for step in &self.subject.build {
            let finished = self.run(step, &self.tree, None)?;
            cost.add(finished.cost);
            if !finished.status.success() {
                return Err(self.build_failure(step, &finished));
            }
        }
        let text = format!("{} {}\n", cost.cpu.as_secs_f64(), cost.resident_kilobytes);
        fs::write(&stamp, text).map_err(|error| format!("{}: {error}", stamp.display()))?;
        Ok(cost)
    }

    fn build_failure(&self, step: &str, finished: &Finished) -> String {
        let log = self.tree.with_extension("log");
        let whole = [finished.stdout.as_slice(), finished.stderr.as_slice()].concat();
        // If the log cannot be written, the message still shows the last lines.
        let _ = fs::write(&log, &whole);
        let text = String::from_utf8_lossy(&finished.stderr);
        let lines: Vec<&str> = text.lines().collect();
        let tail = lines[lines.len().saturating_sub(15)..].join("\n");
        format!(
            "{} does not build in mode {} ({step}); the whole log is {}\n{tail}",
            self.subject.name,
            self.mode,
            log.display()
        )
    }

    fn copy_source(&self) -> Result<(), String> {
        let source = workplace().join("sources").join(self.subject.package);
        let script = tools::repository().join("scripts/debian-source.sh");
        let fetched = command::run(Command::new(script).arg(self.subject.package).arg(&source))?;
        if !fetched.status.success() {
            return Err(String::from_utf8_lossy(&fetched.stderr).into_owned());
        }
        let problem = |error: std::io::Error| format!("{}: {error}", self.tree.display());
        if self.tree.exists() {
            fs::remove_dir_all(&self.tree).map_err(problem)?;
        }
        fs::create_dir_all(self.tree.parent().expect("a tree is below the workplace"))
            .map_err(problem)?;
        let copied = command::run(Command::new("cp").arg("-a").arg(&source).arg(&self.tree))?;
        if copied.status.success() {
            Ok(())
        } else {
            Err(format!("{} cannot be copied", source.display()))
        }
    }

    pub fn test(&self, test: &Test) -> Result<Outcome, String> {
        fs::create_dir_all(&self.records)
            .map_err(|error| format!("{}: {error}", self.records.display()))?;
        // Records of an interrupted run do not belong to this one.
        records::drain(&self.records).ok();
        let folder = self.tree.join(test.folder);
        let finished = self.run(&test.command, &folder, Some(&self.records))?;
        let output = [finished.stdout.as_slice(), finished.stderr.as_slice()].concat();
        let output = normalised(&String::from_utf8_lossy(&output), &self.tree);
        Ok(Outcome {
            verdict: (test.verdict)(&output),
            exit: finished.status.to_string(),
            output,
            cost: finished.cost,
            totals: records::drain(&self.records)?,
        })
    }

    fn run(&self, text: &str, folder: &Path, records: Option<&Path>) -> Result<Finished, String> {
        let tool = |verb: &str| format!("{} {verb}", self.lostbits.display());
        let mut command = command::shell(text, folder);
        command
            .env("CC", tool("cc"))
            .env("FC", tool("fc"))
            .env("LOSTBITS_MODE", self.mode)
            .env("JOBS", self.jobs.to_string())
            .env("LC_ALL", "C")
            .env_remove("MAKEFLAGS")
            .env_remove("LOSTBITS_OUT");
        if let Some(folder) = records {
            command.env("LOSTBITS_OUT", folder.join("%p"));
        }
        command::run(&mut command)
    }
}

fn parse_cost(text: &str) -> Option<Cost> {
    let (seconds, kilobytes) = text.trim().split_once(' ')?;
    let seconds: f64 = seconds.parse().ok()?;
    Some(Cost {
        cpu: std::time::Duration::try_from_secs_f64(seconds).ok()?,
        resident_kilobytes: kilobytes.parse().ok()?,
    })
}

/// The output without what may rightly differ between two runs: paths of the tree, lines with times,
/// addresses.
fn normalised(output: &str, tree: &Path) -> String {
    let tree = tree.display().to_string();
    let kept = output.lines().filter(|line| !mentions_time(line));
    kept.map(|line| without_addresses(&line.replace(&tree, "TREE")) + "\n")
        .collect()
}

/// Puts `ADDRESS` where a word is a pointer as `%p` prints it: long enough not to be a number.
fn without_addresses(line: &str) -> String {
    let is_address = |word: &str| {
        word.strip_prefix("0x").is_some_and(|digits| {
            digits.len() >= 11 && digits.bytes().all(|b| b.is_ascii_hexdigit())
        })
    };
    line.split(' ')
        .map(|word| if is_address(word) { "ADDRESS" } else { word })
        .collect::<Vec<_>>()
        .join(" ")
}

fn mentions_time(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ["seconds", "total time", "time taken", "time used", "seed ="]
        .iter()
        .any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_paths_and_addresses_are_not_compared() {
        let output =
            "ok 1\n Total time used =  0.10 seconds\nat /x/tree/a.c\nat 0x559ca999be10 0x1f\n";
        assert_eq!(
            normalised(output, Path::new("/x/tree")),
            "ok 1\nat TREE/a.c\nat ADDRESS 0x1f\n"
        );
    }

    #[test]
    fn the_cost_of_a_build_is_remembered() {
        assert!(parse_cost("1.5 2000\n").is_some_and(|cost| cost.resident_kilobytes == 2000));
        assert!(parse_cost("").is_none());
    }
}
