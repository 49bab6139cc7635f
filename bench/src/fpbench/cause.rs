//! Whether a reported root cause is one: its expression alone must lose bits within the ranges reported, or
//! make the infinity or NaN that it is reported for.

use lostbits::{
    fpcore::{
        Core,
        ast::Format,
        evaluate::{Budget, Literals, Value, evaluate_machine, evaluate_real},
        infix::read_infix,
        read_cores,
    },
    inputs::{NamedRange, Sample, sample},
    numeric::{Bits, Range},
};

use super::{
    error::{SIGNIFICANT, bits},
    explained::Finding,
};

const POINTS: usize = 500;
const BUDGET: Budget = Budget(10_000);

/// Whether the expression has significant error somewhere in its ranges; a sentence where that cannot be
/// found out.
pub fn is_confirmed(finding: &Finding) -> Result<bool, String> {
    let text = finding.expression.as_deref().ok_or("no expression")?;
    let core = read(text, finding.format.as_deref())?;
    let mut samples =
        sample(&core, &ranges(finding), POINTS, 1).map_err(|problem| problem.to_string())?;
    samples.extend(worst(&core, finding));
    let is_confirming = |point: &Sample| match finding.is_exceptional() {
        true => is_exceptional(&core, point),
        false => error(&core, point) > SIGNIFICANT,
    };
    Ok(samples.iter().any(is_confirming))
}

fn read(text: &str, format: Option<&str>) -> Result<Core, String> {
    let mut core = if text.starts_with("(FPCore") {
        let mut cores = read_cores(text).map_err(|error| error.to_string())?;
        cores.remove(0)
    } else {
        read_infix(&without_constants(text)).map_err(|error| error.to_string())?
    };
    if format == Some("float") {
        core.format = Format::Binary32;
        for parameter in &mut core.parameters {
            parameter.format = Format::Binary32;
        }
    }
    Ok(core)
}

/// Programs have variables that are called as expressions call constants; explain writes constants as digits.
fn without_constants(text: &str) -> String {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let words = text.split_inclusive(|c| !is_of_word(c));
    let renamed = words.map(|word| {
        let end = word.trim_end_matches(is_of_word).len();
        let (name, rest) = match word.len() - end {
            0 => word.split_at(word.len() - word.chars().last().map_or(0, char::len_utf8)),
            _ => (word, ""),
        };
        format!("{}{rest}", variable(name))
    });
    renamed.collect()
}

fn variable(name: &str) -> String {
    match name {
        "e" | "E" | "pi" | "PI" => format!("{name}_"),
        _ => name.to_owned(),
    }
}

fn ranges(finding: &Finding) -> Vec<NamedRange> {
    let ranged = finding.variables.iter().filter_map(|variable| {
        let (low, high) = variable.range?;
        let (low, high) = (low.max(-f64::MAX), high.min(f64::MAX));
        Some(NamedRange {
            name: self::variable(&variable.name),
            range: Range { low, high },
        })
    });
    ranged.collect()
}

/// The worst input reported, if it is complete.
fn worst(core: &Core, finding: &Finding) -> Option<Sample> {
    let value = |name: &str| {
        let variable = finding
            .variables
            .iter()
            .find(|variable| self::variable(&variable.name) == name)?;
        variable.worst.map(Value::Number)
    };
    core.parameters
        .iter()
        .map(|parameter| value(&parameter.name))
        .collect()
}

fn is_exceptional(core: &Core, point: &Sample) -> bool {
    let computed = evaluate_machine(core, point, BUDGET).and_then(Value::number);
    computed.is_ok_and(|computed| !computed.to_float().is_finite())
}

fn error(core: &Core, point: &Sample) -> Bits {
    let computed = evaluate_machine(core, point, BUDGET)
        .ok()
        .and_then(|value| value.number().ok());
    let exact = evaluate_real(core, point, Literals::AsCompiled, BUDGET)
        .ok()
        .and_then(|value| value.number().ok());
    match (computed, exact) {
        (Some(computed), Some(exact)) => bits(&computed.to_float(), &exact, core.format),
        _ => Bits::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fpbench::explained::Variable;

    fn finding(expression: &str, range: (f64, f64)) -> Finding {
        Finding {
            kind: "error".to_owned(),
            line: 1,
            expression: Some(expression.to_owned()),
            format: Some("double".to_owned()),
            worst_bits: 10.0,
            variables: vec![Variable {
                name: "x".to_owned(),
                range: Some(range),
                worst: None,
            }],
            outputs: 1,
            reaches: vec![],
        }
    }

    #[test]
    fn a_cause_must_lose_bits_where_it_says() {
        assert_eq!(is_confirmed(&finding("1 - cos(x)", (1e-6, 1e-3))), Ok(true));
        assert_eq!(is_confirmed(&finding("1 - cos(x)", (1.0, 2.0))), Ok(false));
        assert_eq!(
            is_confirmed(&finding("(FPCore (x) (- (+ x 0.1) x))", (1e10, 1e12))),
            Ok(true)
        );
        let overflow = |range| Finding {
            kind: "infinity".to_owned(),
            ..finding("exp(x)", range)
        };
        assert_eq!(is_confirmed(&overflow((700.0, 800.0))), Ok(true));
        assert_eq!(is_confirmed(&overflow((600.0, 700.0))), Ok(false));
        assert!(is_confirmed(&finding("1 - frob(x)", (1.0, 2.0))).is_err());
    }
}
