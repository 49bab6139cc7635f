//! Errors of a formula against its inputs, for formats that draw.
//!
//! Computed by the evaluators of [`crate::fpcore`], which share no code with the instrumentation. Inputs on which a formula has no
//! exact value, or none that can be decided, are left out.

use lostbits_abi::kind::FpKind;

use super::options::ExplainSubject;
use crate::{
    fpcore::{
        ast::{Core, Format},
        evaluate::{Budget, Literals, Value, evaluate_machine, evaluate_real},
    },
    inputs::Formula,
    numeric::Bits,
};

/// Errors of a formula against one of its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub formula: String,
    pub variable: String,
    /// Values of the variable, with the bits of the result that are wrong.
    pub points: Vec<[f64; 2]>,
    /// Errors above this many bits are shaded.
    pub threshold: f64,
    /// The bits of the format.
    pub most: f64,
}

/// Inputs of each formula.
const POINTS: usize = 500;
/// Plots of one report.
const MOST: usize = 24;
const STEPS: Budget = Budget(100_000);

/// A plot for each variable of each formula; none for programs.
pub fn plots(subject: &ExplainSubject, threshold: f64) -> Vec<Plot> {
    let ExplainSubject::Formula {
        formula,
        ranges,
        seed,
        ..
    } = subject
    else {
        return Vec::new();
    };
    let mut plots = Vec::new();
    for core in &formula.cores {
        let Ok(samples) = formula.samples(core, ranges, POINTS, *seed) else {
            continue;
        };
        let errors: Vec<Option<f64>> = samples.iter().map(|sample| error(core, sample)).collect();
        for (at, parameter) in core.parameters.iter().enumerate() {
            let both = samples.iter().zip(&errors);
            let points = both.filter_map(|(sample, error)| match sample.get(at)? {
                Value::Number(value) => Some([*value, (*error)?]),
                Value::Tensor { .. } => None,
            });
            plots.push(Plot {
                formula: name(formula, core),
                variable: parameter.name.clone(),
                points: points.collect(),
                threshold,
                most: bits(parameter.format),
            });
        }
        if plots.len() >= MOST {
            break;
        }
    }
    plots.retain(|plot| !plot.points.is_empty());
    plots.truncate(MOST);
    plots
}

fn name(formula: &Formula, core: &Core) -> String {
    match formula.is_expression() {
        true => formula.source.trim().to_owned(),
        false => core
            .name()
            .unwrap_or_else(|| format!("{}:{}", formula.title, core.at.line)),
    }
}

fn error(core: &Core, sample: &[Value<f64>]) -> Option<f64> {
    let computed = evaluate_machine(core, sample, STEPS).ok()?.number().ok()?;
    let exact = evaluate_real(core, sample, Literals::AsCompiled, STEPS);
    let exact = exact.ok()?.number().ok()?;
    if exact.is_nan() {
        return None;
    }
    let kind = kind(computed.format());
    Some(Bits::in_format(kind, &computed.to_float(), &exact).get())
}

fn kind(format: Format) -> FpKind {
    match format {
        Format::Binary32 => FpKind::Float,
        _ => FpKind::Double,
    }
}

fn bits(format: Format) -> f64 {
    match kind(format) {
        FpKind::Float => 32.0,
        _ => 64.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::RangeOption;

    #[test]
    fn a_cancellation_is_worst_near_zero() {
        let formula = Formula::expression("(1 - cos(x)) / x^2").unwrap();
        let range = RangeOption::read("x=1e-9:1").unwrap();
        let ranges = formula.assigned(&[range]).unwrap();
        let subject = ExplainSubject::Formula {
            formula,
            ranges,
            samples: 0,
            seed: 1,
            arguments: Vec::new(),
        };
        let [plot] = &plots(&subject, 5.0)[..] else {
            panic!("one variable, one plot")
        };
        assert_eq!(plot.variable, "x");
        let worst = |low: f64, high: f64| {
            let inside = plot.points.iter().filter(|[x, _]| (low..high).contains(x));
            inside.map(|[_, bits]| *bits).fold(0.0, f64::max)
        };
        assert!(worst(1e-9, 1e-8) > 50.0 && worst(0.5, 1.0) < 5.0);
    }
}
