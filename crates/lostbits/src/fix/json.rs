//! Repairs as JSON: docs/fix.schema.json describes it.

use serde_json::{Value, json};

use super::{
    cores::repaired_core,
    plan::Plan,
    proof::Proof,
    repair::{Errors, Measured, Verdict},
    report::Timed,
    wishes::Precision,
};
use crate::fpcore::{number::Number, write};

/// Rises when a field is renamed, removed or changes its meaning.
const SCHEMA_VERSION: u32 = 1;

pub fn json(repairs: &[Timed]) -> String {
    let whole = json!({
        "schema_version": SCHEMA_VERSION,
        "lostbits_version": env!("CARGO_PKG_VERSION"),
        "repairs": repairs.iter().map(value).collect::<Vec<_>>(),
    });
    format!("{whole:#}\n")
}

fn value(timed: &Timed) -> Value {
    let repair = &timed.repair;
    let subject = &repair.subject;
    let verdict = match repair.verdict {
        Verdict::Accurate => "accurate",
        Verdict::Repaired => "repaired",
        Verdict::Unrepaired => "unrepaired",
        Verdict::IllConditioned => "ill-conditioned",
    };
    let is_repaired = repair.verdict == Verdict::Repaired;
    let original = Plan::Term(subject.original.clone());
    json!({
        "name": subject.core.name(),
        "verdict": verdict,
        "sentence": is_repaired.then_some(&repair.sentence),
        "original": write::expression(&original.expression(&subject.names, subject.width)),
        "repair": is_repaired.then(|| write::expression(&repaired_core(repair).body)),
        "precision": match repair.precision {
            Precision::Double => "double",
            Precision::DoubleDouble => "double-double",
            Precision::LongDouble => "long-double",
        },
        "before": measured(&repair.before),
        "after": measured(&repair.after),
        "worse_inputs": {
            "by_more_than_1_bit": repair.worse_by(1.0),
            "by_more_than_4_bits": repair.worse_by(4.0),
        },
        "rules": repair.rules,
        "proof": repair.proof.as_ref().map(|proof| proved(proof, &subject.names)),
        "all_inputs": repair.exhausted.as_ref().map(|found| json!({
            "checked": found.checked,
            "open": found.open,
            "worst_ulps": found.worst_ulps,
            "worst_input": Number::from_f64(found.worst_input).text,
            "worst_ulps_before": found.original_ulps,
            "worse_by_more_than_1_bit": found.worse_by_one,
            "worse_by_more_than_4_bits": found.worse_by_four,
        })),
        "cost": {
            "operations_before": super::math::operations(&subject.original),
            "operations": repair.plan.operations(),
            "branches": repair.plan.thresholds().len(),
            "nanoseconds_before": timed.nanoseconds.map(|(before, _)| before),
            "nanoseconds": timed.nanoseconds.map(|(_, after)| after),
        },
        "notes": repair.notes,
    })
}

fn measured(measured: &Measured) -> Value {
    let text = |x: &f64| Number::from_f64(*x).text;
    let of = |errors: &Errors| {
        json!({
            "inputs": errors.count,
            "mean_bits": errors.mean,
            "worst_bits": errors.worst,
            "worst_input": errors.worst_input.iter().map(text).collect::<Vec<_>>(),
        })
    };
    json!({"wide": of(&measured.wide), "everyday": of(&measured.everyday)})
}

fn proved(proof: &Proof, names: &[String]) -> Value {
    let text = |x: f64| Number::from_f64(x).text;
    let side = |(name, (low, high)): (&String, &(f64, f64))| json!({"variable": name, "low": text(*low), "high": text(*high)});
    let boxes: Vec<Vec<Value>> = proof
        .boxes
        .iter()
        .map(|ranges| names.iter().zip(ranges).map(side).collect())
        .collect();
    json!({
        "ulps": proof.ulps,
        "libm_ulps": proof.libm_ulps,
        "libm_functions": proof.functions,
        "share": proof.share,
        "original_kept": proof.kept,
        "everyday_open": proof.everyday_open,
        "boxes": boxes,
    })
}
