//! The options of `lostbits search` for symbolic search, and how they apply to a function's inputs.

use clap::{Args, ValueEnum};

use super::{
    checks::{Sample, Thresholds},
    settings::{Rungs, Settings, Sites, Solver},
};
use crate::{failure::Failure, target::Parameter};

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Options of --strategy symbolic")]
pub struct SymbolicArguments {
    /// Bits by which an addition's operands must differ in exponent for a loss
    #[arg(long, value_name = "BITS", default_value_t = Thresholds::default().loss, value_parser = bits())]
    pub loss_bits: u32,
    /// Bits by which an addition's result must be smaller for a cancellation
    #[arg(long, value_name = "BITS", default_value_t = Thresholds::default().cancel, value_parser = bits())]
    pub cancel_bits: u32,
    /// Which additions are checked: auto (those in loops that feed results), or lines as file:line,…
    #[arg(long, value_name = "SITES", default_value = "auto")]
    pub sites: String,
    /// Which executions of an addition are checked: every STEP-th, or ever fewer (logarithmic)
    #[arg(long, value_enum, default_value_t)]
    pub sample: Sampling,
    /// The first execution that is checked, from 0
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub start: u32,
    /// Executions from one check to the next
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub step: u32,
    /// The inputs that solvers may choose [default: all]: `y`, or a part of an array as `x[0:8]`
    #[arg(long, value_name = "INPUTS", value_delimiter = ',')]
    pub symbolic: Vec<String>,
    /// Solver for floating-point constraints: z3, or smtlib:COMMAND for one that reads SMT-LIB 2
    #[arg(long, value_name = "SOLVER", default_value = "z3")]
    pub solver: String,
    /// CPU seconds for one question to the solver
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub solver_seconds: u32,
    /// Leave a part out (for benches)
    #[arg(long, value_enum, value_name = "PART", hide = true)]
    pub without: Vec<Part>,
}

fn bits() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=2046)
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, ValueEnum)]
pub enum Sampling {
    #[default]
    Uniform,
    Log,
}

/// What can be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Part {
    Mutation,
    Inversion,
    Smt,
    /// The pool guided by true errors.
    Pool,
    /// Checks: only paths are explored.
    Checks,
}

impl SymbolicArguments {
    /// The settings that do not depend on a function, validated.
    pub fn settings(&self, seed: u64) -> Result<Settings, Failure> {
        let is_used = |part| !self.without.contains(&part);
        Ok(Settings {
            thresholds: Thresholds {
                loss: self.loss_bits,
                cancel: self.cancel_bits,
            },
            sample: Sample {
                logarithmic: self.sample == Sampling::Log,
                start: self.start,
                step: self.step,
            },
            sites: sites(&self.sites)?,
            symbolic: Vec::new(),
            groups: Vec::new(),
            solver: solver(&self.solver)?,
            solver_seconds: self.solver_seconds,
            questions: u64::MAX,
            rungs: Rungs {
                mutation: is_used(Part::Mutation),
                inversion: is_used(Part::Inversion),
                smt: is_used(Part::Smt),
                checks: is_used(Part::Checks),
            },
            seed,
        })
    }

    pub fn uses_pool(&self) -> bool {
        !self.without.contains(&Part::Pool)
    }

    /// The indices of the inputs that may be symbolic; empty if all may.
    pub fn inputs(&self, parameters: &[Parameter]) -> Result<Vec<usize>, Failure> {
        let mut all = Vec::new();
        for text in &self.symbolic {
            all.extend(chosen(text, parameters)?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }
}

fn solver(text: &str) -> Result<Solver, Failure> {
    match text.split_once(':') {
        None if text == "z3" => Ok(Solver::Z3),
        Some(("smtlib", command)) if !command.trim().is_empty() => {
            Ok(Solver::Command(command.trim().to_owned()))
        }
        _ => Err(Failure::UnknownSolver {
            given: text.to_owned(),
        }),
    }
}

fn sites(text: &str) -> Result<Sites, Failure> {
    if text == "auto" {
        return Ok(Sites::Auto);
    }
    let line = |word: &str| -> Option<(String, u32)> {
        let (file, line) = word.trim().rsplit_once(':')?;
        Some((file.to_owned(), line.parse().ok()?)).filter(|(file, _)| !file.is_empty())
    };
    let lines: Option<Vec<_>> = text.split(',').map(line).collect();
    lines.map(Sites::Lines).ok_or_else(|| Failure::BadSites {
        given: text.to_owned(),
    })
}

/// The inputs that `y` or `x[0:8]` names.
fn chosen(text: &str, parameters: &[Parameter]) -> Result<Vec<usize>, Failure> {
    let text = text.trim();
    let (name, part) = match text.split_once('[') {
        Some((name, rest)) => (name.trim(), Some(rest.trim_end_matches(']'))),
        None => (text, None),
    };
    let array = |known: &Parameter| known.name.split('[').next() == Some(name);
    let elements: Vec<usize> = (0..parameters.len())
        .filter(|at| array(&parameters[*at]))
        .collect();
    if elements.is_empty() {
        let mut names: Vec<&str> = parameters
            .iter()
            .filter_map(|known| known.name.split('[').next())
            .collect();
        names.dedup();
        return Err(Failure::SymbolicUnknown {
            name: name.to_owned(),
            known: names.join(", "),
        });
    }
    let Some(part) = part else {
        return Ok(elements);
    };
    let ends = match part.split_once(':') {
        Some((from, to)) => from.trim().parse().ok().zip(to.trim().parse().ok()),
        None => part.trim().parse().ok().map(|at: usize| (at, at + 1)),
    };
    match ends {
        Some((from, to)) if from < to && to <= elements.len() => Ok(elements[from..to].to_vec()),
        _ => Err(Failure::SymbolicRange {
            given: text.to_owned(),
            name: name.to_owned(),
            length: elements.len(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lostbits_abi::kind::FpKind;

    fn parameters() -> Vec<Parameter> {
        let names = ["x[0]", "x[1]", "x[2]", "y"];
        let parameter = |name: &str| Parameter {
            name: name.to_owned(),
            kind: FpKind::Double,
        };
        names.map(parameter).to_vec()
    }

    #[test]
    fn arrays_and_their_parts() {
        let of = |text| chosen(text, &parameters()).unwrap();
        assert_eq!(of("x"), [0, 1, 2]);
        assert_eq!(of("x[1:3]"), [1, 2]);
        assert_eq!(of("x[2]"), [2]);
        assert_eq!(of("y"), [3]);
    }

    #[test]
    fn what_does_not_fit_is_a_sentence() {
        let of = |text| chosen(text, &parameters()).unwrap_err().to_string();
        assert!(of("z").contains("no input is called `z`"), "{}", of("z"));
        assert!(of("z").contains("x, y"));
        assert!(of("x[0:4]").contains("has 3 elements"), "{}", of("x[0:4]"));
        assert!(of("x[2:1]").contains("x[2:1]"));
    }

    #[test]
    fn sites_and_solvers() {
        let lines = Sites::Lines(vec![("a.c".into(), 3), ("b.c".into(), 14)]);
        assert_eq!(sites("a.c:3, b.c:14").unwrap(), lines);
        assert!(sites("a.c").is_err());
        assert_eq!(
            solver("smtlib:bitwuzla --lang smt2").unwrap(),
            Solver::Command("bitwuzla --lang smt2".into())
        );
        assert!(solver("yices").unwrap_err().to_string().contains("yices"));
    }
}
