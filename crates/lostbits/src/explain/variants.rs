//! `--also`: does a result depend on how the program is started? Rounding errors of sums over ranks or threads depend on their number,
//! exact sums do not.
//!
//! The program runs again for each command, as it was built, and every run records the same execution of each output: the one
//! that is worst when the program is started as usual. Values and exact values of the runs are compared.
//!
//! What it can miss: other executions of an output; outputs that only some runs reach. Where several processes put a value out at
//! one line, the one with the largest error is compared.

use std::{ffi::OsString, fs, path::Path};

use lostbits_abi::{
    explain::{INTERVENTIONS_FILE_ENV, SpotKind},
    site::Site,
};

use super::{
    attempt::Prepared,
    clock::Clock,
    intervene::{effects, executions_file, recorded_executions, sites_of_all},
    options::Options,
};
use crate::run::Input;

/// What runs that were started in other ways showed.
#[derive(Default)]
pub struct Variants {
    /// The commands; the usual one is first, and empty if the program starts itself.
    pub commands: Vec<String>,
    /// Outputs whose values differ.
    pub varied: Vec<Varied>,
    /// Outputs that were compared.
    pub compared: usize,
    /// Commands whose run failed, with the reason.
    pub failed: Vec<(String, String)>,
}

/// An output whose value depends on how the program is started.
pub struct Varied {
    pub site: Site,
    /// Parallel to [`Variants::commands`]: the computed and the exact value; none if the run did not come there.
    pub values: Vec<Option<(f64, f64)>>,
}

impl Varied {
    /// Whether exact arithmetic gives the same value in all runs, as far as doubles can say.
    pub fn is_exactly_equal(&self) -> bool {
        const TOLERANCE: f64 = 1e-12;
        let mut exact = self.values.iter().flatten().map(|(_, exact)| *exact);
        let Some(first) = exact.next() else {
            return false;
        };
        exact.all(|other| (other - first).abs() <= TOLERANCE * first.abs().max(other.abs()))
    }

    /// The first significant decimal digit in which computed values differ, from 1 on.
    pub fn first_digit(&self) -> u32 {
        let computed: Vec<f64> = self
            .values
            .iter()
            .flatten()
            .map(|(computed, _)| *computed)
            .collect();
        let size = computed
            .iter()
            .fold(0.0f64, |size, one| size.max(one.abs()));
        let least = computed.iter().copied().fold(f64::INFINITY, f64::min);
        let most = computed.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // A difference of 1e-8 between two doubles is a little less.
        let difference = (most - least) * (1.0 + 1e-6);
        let digits = (size.log10().floor() - difference.log10().floor()).max(0.0);
        match digits.is_finite() {
            true => digits as u32 + 1,
            false => 1,
        }
    }
}

/// Runs the program as usual, and once for each command of `--also`.
pub fn compare(
    prepared: &Prepared,
    options: &Options,
    input: &Input,
    folder: &Path,
    clock: &Clock,
) -> Variants {
    let mut variants = Variants::default();
    if options.also.is_empty() {
        return variants;
    }
    let folder = folder.join("variants");
    let usual = shown(&options.launcher);
    let first = fs::create_dir(&folder)
        .map_err(|error| error.to_string())
        .and_then(|()| {
            let run =
                prepared.run_started_by(options, &options.launcher, None, input, &folder, clock);
            run.map_err(|failure| failure.to_string())
        });
    let first = match first {
        Ok(first) => first,
        Err(why) => {
            variants.failed.push((usual, why));
            return variants;
        }
    };
    let Some(sites) = sites_of_all(&first.outcome.processes) else {
        let why = "its processes are of different programs".to_owned();
        variants.failed.push((usual, why));
        return variants;
    };
    let base = effects(&first.analyses, &Default::default(), &[]);
    let outputs: Vec<_> = base
        .iter()
        .filter(|((_, kind), effect)| *kind == SpotKind::Output as u32 && effect.execution > 0)
        .collect();
    variants.compared = outputs.len();
    variants.commands.push(usual);
    let mut rows: Vec<Vec<Option<(f64, f64)>>> = outputs
        .iter()
        .map(|(_, effect)| vec![Some((effect.computed, effect.corrected))])
        .collect();
    let file = executions_file(&recorded_executions(&base));
    for (number, launcher) in options.also.iter().enumerate() {
        let name = shown(launcher);
        let own = folder.join(number.to_string());
        let path = own.join("executions");
        let written = fs::create_dir(&own).and_then(|()| fs::write(&path, &file));
        let variable = (INTERVENTIONS_FILE_ENV, path.to_string_lossy().into_owned());
        let run = written.map_err(|error| error.to_string()).and_then(|()| {
            let run =
                prepared.run_started_by(options, launcher, Some(variable), input, &own, clock);
            run.map_err(|failure| failure.to_string())
        });
        let found = match run {
            Ok(run) => effects(&run.analyses, &Default::default(), &[]),
            Err(why) => {
                variants.failed.push((name, why));
                continue;
            }
        };
        variants.commands.push(name);
        for ((key, effect), row) in outputs.iter().zip(&mut rows) {
            let same = found
                .get(*key)
                .filter(|one| one.execution == effect.execution);
            row.push(same.map(|one| (one.computed, one.corrected)));
        }
    }
    for ((key, _), values) in outputs.iter().zip(rows) {
        let mut computed = values
            .iter()
            .flatten()
            .map(|(computed, _)| computed.to_bits());
        let first = computed.next();
        let differs = computed.any(|other| Some(other) != first);
        if let Some(site) = sites.get(key.0 as usize).filter(|_| differs) {
            variants.varied.push(Varied {
                site: site.clone(),
                values,
            });
        }
    }
    variants
}

fn shown(words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use lostbits_abi::site::What;

    use super::*;

    fn varied(values: &[(f64, f64)]) -> Varied {
        let site = Site {
            file: "a.c".to_owned(),
            function: "f".to_owned(),
            line: 1,
            column: 1,
            ordinal: 0,
            what: What::Output,
            kind: None,
            lanes: 1,
            copies: 1,
            callee: "printf".to_owned(),
            note: None,
            operands: Vec::new(),
            inlined_from: Vec::new(),
        };
        Varied {
            site,
            values: values.iter().copied().map(Some).collect(),
        }
    }

    #[test]
    fn digits_are_counted_from_the_first() {
        for (values, digit) in [
            ([1.0, 2.0], 1),
            ([1.0, 1.000_000_01], 9),
            ([123.456, 123.457], 6),
            ([0.0, 5.0], 1),
        ] {
            let values = values.map(|value| (value, 0.0));
            assert_eq!(varied(&values).first_digit(), digit, "{values:?}");
        }
    }

    #[test]
    fn exact_values_may_differ_in_their_last_bits_only() {
        assert!(varied(&[(1.0, 6.0), (2.0, 6.0 + 1e-15)]).is_exactly_equal());
        assert!(!varied(&[(1.0, 6.0), (2.0, 6.001)]).is_exactly_equal());
    }
}
