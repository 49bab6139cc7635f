//! The sentences of the report, which both formats share.

use lostbits_abi::{ops::Op, site::Site};

use crate::{
    report::{
        numbers::Number,
        words::{inside, times},
    },
    watch::{
        Amplification, amplification,
        findings::{Decision, Inflation},
        nearness,
    },
};

/// What is wrong with a decision.
pub fn headline(decision: &Decision) -> String {
    let times = times(decision.times);
    let subject = subject(decision.op) + &inside(&decision.site);
    let why = match (decision.inflated, decision.op) {
        (true, _) => format!("it decided {times} on a value whose error was inflated"),
        (false, Op::Compare) => format!("{times} its operands were nearly equal"),
        (false, _) => format!("{times} its operand was next to where the result jumps"),
    };
    format!("this {subject} is not to be trusted: {why}")
}

pub fn subject(op: Op) -> String {
    use Op::*;
    match op {
        Compare => "comparison".to_owned(),
        ToSigned | ToUnsigned => "conversion to an integer".to_owned(),
        Lround | Llround | Lrint | Llrint => format!("conversion to an integer ({})", op.name()),
        Rem | Remainder | Modulo => format!("remainder ({})", op.name()),
        _ => format!("rounding to a whole number ({})", op.name()),
    }
}

/// How near the first operands were to the other decision, in cancelled bits.
pub fn near_bits(decision: &Decision) -> Option<u32> {
    nearness(decision.op, decision.site.kind?, decision.operands)
}

/// The same in words.
pub fn closeness(decision: &Decision) -> Option<String> {
    let (bits, of) = (near_bits(decision)?, decision.site.kind?.precision());
    Some(match decision.op {
        Op::Compare => format!("{bits} of {of} bits cancel in the operands' difference"),
        _ => format!("{bits} of {of} bits agree with where the result jumps"),
    })
}

/// Whether the first operands were so near that it is worth telling beside an inflated error.
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
    let of = inflation.site.kind.map_or(0, |kind| kind.precision());
    match growth(inflation) {
        Some(Amplification::Cancelled(bits)) => format!("{bits} of {of} bits cancel"),
        Some(Amplification::Factor { log2 }) => format!("relative errors grow 2^{log2} times"),
        None => "bits cancel".to_owned(),
    }
}

/// How many of the two recorded operands mean something.
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
    let first = if times > 1 { "the first time, " } else { "" };
    let (noun, joint) = match op {
        // Of a product and a summand, the record keeps one factor.
        Op::Fma | Op::MulAdd => ("a factor and the summand were", " and "),
        _ if numbers.len() == 1 => ("the operand was", ""),
        _ => ("the operands were", " and "),
    };
    (!numbers.is_empty()).then(|| format!("{first}{noun} {}", numbers.join(joint)))
}
