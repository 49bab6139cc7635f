//! The sentences of the report, which both formats share.

use lostbits_abi::{ops::Op, site::Site};

use crate::{
    report::{
        numbers::Number,
        words::{executions, in_function},
    },
    watch::{
        Amplification, amplification,
        findings::{Decision, Inflation},
        nearness,
    },
};

/// What is wrong with a decision.
pub fn headline(decision: &Decision) -> String {
    let subject = subject(decision.op) + &in_function(&decision.site);
    let harm = match decision.op {
        Op::Compare => "may take the wrong branch",
        op if op.is_remainder() => "may give a wrong result",
        _ => "may give the wrong integer",
    };
    let why = match (decision.inflated, decision.op) {
        (true, _) => "its operand has no reliable bits",
        (false, Op::Compare) => "its operands are nearly equal",
        (false, _) => "its operand is next to a jump of the result",
    };
    let times = executions(decision.times);
    format!("this {subject} {harm}: {why} ({times})")
}

pub fn subject(op: Op) -> String {
    use Op::*;
    match op {
        Compare => "comparison".to_owned(),
        ToSigned | ToUnsigned => "conversion to an integer".to_owned(),
        Lround | Llround | Lrint | Llrint => format!("conversion to an integer ({})", op.name()),
        Rem | Remainder | Modulo => format!("remainder ({})", op.name()),
        _ => format!("rounding to an integer ({})", op.name()),
    }
}

/// How a decision differs in exact arithmetic.
pub fn differs(op: Op) -> &'static str {
    match op {
        Op::Compare => "takes a different branch",
        _ => "gives a different result",
    }
}

/// How near the first operands were to the other decision, in cancelled bits.
pub fn near_bits(decision: &Decision) -> Option<u32> {
    nearness(decision.op, decision.site.kind?, decision.operands)
}

/// The same in words.
pub fn closeness(decision: &Decision) -> Option<String> {
    let (bits, all) = (near_bits(decision)?, decision.site.kind?.precision());
    let cancel = format!("{bits} of {all} bits cancel");
    Some(match decision.op {
        Op::Compare => format!("{cancel} in the difference of the operands"),
        _ => format!("{cancel} in the distance to the nearest jump"),
    })
}

/// Whether the first operands were near enough to mention it besides an amplified error.
pub fn is_close(decision: &Decision) -> bool {
    let half = |bits| {
        decision
            .site
            .kind
            .is_some_and(|kind| 2 * bits >= kind.precision())
    };
    near_bits(decision).is_some_and(half)
}

/// What the operation did to the error.
pub fn growth(inflation: &Inflation) -> Option<Amplification> {
    amplification(inflation.op, inflation.site.kind?, inflation.operands)
}

/// The same in words.
pub fn growth_in_words(inflation: &Inflation) -> String {
    let all = inflation.site.kind.map_or(0, |kind| kind.precision());
    match growth(inflation) {
        Some(Amplification::Cancelled(bits)) => format!("{bits} of {all} bits cancel"),
        Some(Amplification::Factor { log2 }) => format!("amplifies relative errors by 2^{log2}"),
        None => "bits cancel".to_owned(),
    }
}

/// How many of the two recorded operands have a meaning.
fn operand_count(op: Op) -> usize {
    op.info().arity().min(2)
}

/// The operands as numbers, as far as the record holds them.
pub fn numbers(site: &Site, op: Op, operands: [u64; 2]) -> Vec<Number> {
    let Some(kind) = site.kind else {
        return Vec::new();
    };
    operands[..operand_count(op)]
        .iter()
        .filter_map(|bits| Number::new(*bits, kind))
        .collect()
}

/// The operands in words; none if the record does not hold them.
pub fn operands(site: &Site, op: Op, operands: [u64; 2], times: u64) -> Option<String> {
    let numbers: Vec<String> = numbers(site, op, operands)
        .into_iter()
        .map(|number| format!("{} ({})", number.decimal, number.hexadecimal))
        .collect();
    let noun = match op {
        // Of a product and a summand, the record keeps one factor.
        Op::Fma | Op::MulAdd => "factor and summand",
        _ if numbers.len() == 1 => "operand",
        _ => "operands",
    };
    let first = if times > 1 {
        " in the first execution"
    } else {
        ""
    };
    (!numbers.is_empty()).then(|| format!("{noun}{first}: {}", numbers.join(" and ")))
}
