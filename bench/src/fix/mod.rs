//! Judges the repairs of `lostbits fix` on FPBench's cores.
//!
//! The judge shares nothing with the search: it reads the repaired core back from FPCore text, draws inputs of its own,
//! computes with [`evaluate_machine`] and takes [`evaluate_real`] for the truth.

pub mod inputs;

use lostbits::{
    fix::{
        plan::Plan,
        repair::{Repair, Verdict},
        report::repaired_core,
    },
    fpcore::{
        Core,
        ast::Format,
        evaluate::{Budget, Literals, Value, evaluate_machine, evaluate_real},
        read_cores, write,
    },
    inputs::bounds::ranges,
};

use crate::fpbench::error::bits;
use inputs::{Kind, draw};

const BUDGET: Budget = Budget(100_000);

/// Errors of original and repair on inputs of one kind.
#[derive(Clone, Default, Debug)]
pub struct Errors {
    pub before: Vec<f64>,
    pub after: Vec<f64>,
}

impl Errors {
    fn push(&mut self, before: f64, after: f64) {
        self.before.push(before);
        self.after.push(after);
    }

    /// Inputs at which the repair is worse by more than this many bits.
    pub fn worse_by(&self, bits: f64) -> usize {
        let pairs = self.before.iter().zip(&self.after);
        pairs
            .filter(|(before, after)| **after > **before + bits)
            .count()
    }
}

pub fn mean(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len().max(1) as f64
}

pub fn worst(errors: &[f64]) -> f64 {
    errors.iter().copied().fold(0.0, f64::max)
}

/// What the judge says of one repair.
pub struct Judged {
    pub wide: Errors,
    pub everyday: Errors,
    /// Around the repair's thresholds.
    pub boundary: Errors,
    /// Inputs at which the repair is worse by more than 4 bits, with the errors before and after.
    pub harmed: Vec<(Vec<f64>, f64, f64)>,
    pub verdict: Verdict,
    pub operations_before: usize,
    pub operations: usize,
    pub branches: usize,
}

impl Judged {
    pub fn worse_by(&self, bits: f64) -> usize {
        let all = [&self.wide, &self.everyday, &self.boundary];
        all.iter().map(|errors| errors.worse_by(bits)).sum()
    }
}

/// Judges a repair on fresh inputs.
pub fn judge(original: &Core, repair: &Repair, count: usize, seed: u64) -> Result<Judged, String> {
    let text = write::core(&repaired_core(repair));
    let read = read_cores(&text).map_err(|error| format!("the repair is no FPCore: {error}"))?;
    let repaired = &read[0];
    let mut judged = Judged {
        wide: Errors::default(),
        everyday: Errors::default(),
        boundary: Errors::default(),
        harmed: Vec::new(),
        verdict: repair.verdict,
        operations_before: lostbits::fix::math::operations(&repair.subject.original),
        operations: repair.plan.operations(),
        branches: repair.plan.thresholds().len(),
    };
    let ranges = ranges(original, &[]).map_err(|problem| problem.to_string())?;
    let thresholds: Vec<(usize, bool, f64)> = thresholds(&repair.plan);
    for kind in [Kind::Wide, Kind::Everyday, Kind::Boundary] {
        let wanted = match kind {
            Kind::Boundary => 20 * thresholds.len(),
            _ => count,
        };
        let inputs = draw(original, &ranges, kind, &thresholds, wanted, seed);
        for input in inputs {
            let Some((before, after)) = errors(original, repaired, &input) else {
                continue;
            };
            if after > before + 4.0 {
                judged.harmed.push((input, before, after));
            }
            match kind {
                Kind::Wide => judged.wide.push(before, after),
                Kind::Everyday => judged.everyday.push(before, after),
                Kind::Boundary => judged.boundary.push(before, after),
            }
        }
    }
    Ok(judged)
}

fn thresholds(plan: &Plan) -> Vec<(usize, bool, f64)> {
    let all = plan.thresholds();
    all.iter()
        .map(|test| (test.variable as usize, test.of_magnitude, test.limit))
        .collect()
}

/// Bits of error of original and repair; none where the exact result is no finite number or is not decided.
fn errors(original: &Core, repaired: &Core, input: &[f64]) -> Option<(f64, f64)> {
    let values: Vec<Value<f64>> = input.iter().map(|x| Value::Number(*x)).collect();
    let exact = evaluate_real(original, &values, Literals::AsCompiled, BUDGET).ok()?;
    let exact = exact.number().ok()?;
    let finite = match original.format {
        Format::Binary32 => exact.to_f32().is_finite(),
        _ => exact.to_f64().is_finite(),
    };
    if !finite {
        return None;
    }
    let of = |core: &Core| {
        let value = evaluate_machine(core, &values, BUDGET)
            .ok()?
            .number()
            .ok()?;
        Some(bits(&value.to_float(), &exact, core.format).get())
    };
    Some((of(original)?, of(repaired)?))
}

/// CPU seconds of this process so far.
pub fn cpu_seconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
