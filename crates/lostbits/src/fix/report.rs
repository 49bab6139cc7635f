//! What `lostbits fix` says about one expression, in each format.

use serde_json::{Value, json};

use super::{
    plan::{Plan, infix},
    proof::Proof,
    repair::{Measured, Repair, Verdict},
};
use crate::{
    fpcore::{Core, c, number::Number, write},
    printable::printable,
};

/// For people.
pub fn terminal(repair: &Repair) -> String {
    let subject = &repair.subject;
    let mut text = String::new();
    if let Some(name) = subject.core.name() {
        text += &format!("{}\n", printable(&name));
    }
    text += &format!("{}\n\n", headline(repair));
    text += &format!(
        "    {}\n",
        infix(&subject.original, &subject.names, subject.width)
    );
    if repair.verdict == Verdict::Repaired {
        let lines = repair.plan.infix(&subject.names, subject.width);
        for (index, line) in lines.iter().enumerate() {
            text += &format!("{} {line}\n", if index == 0 { "  →" } else { "   " });
        }
    }
    text += "\n";
    text += &errors(repair);
    text += &proved(repair);
    for note in &repair.notes {
        text += &format!("note: {note}\n");
    }
    if repair.verdict == Verdict::Repaired {
        text += &format!("cost: {}\n", cost(repair));
    }
    text
}

fn headline(repair: &Repair) -> String {
    match repair.verdict {
        Verdict::Accurate => "already accurate: nothing to repair".to_owned(),
        Verdict::Repaired => format!("repaired: {}", repair.sentence),
        Verdict::Unrepaired => "inaccurate, and no repair was found".to_owned(),
        Verdict::IllConditioned => {
            "ill-conditioned: no formula in double can be accurate here".to_owned()
        }
    }
}

fn errors(repair: &Repair) -> String {
    let is_repaired = repair.verdict == Verdict::Repaired;
    let mut text = match is_repaired {
        true => "bits of error        before            after\n                   mean   worst      mean   worst\n",
        false => "bits of error\n                   mean   worst\n",
    }
    .to_owned();
    let rows = [
        ("wide inputs", &repair.before.wide, &repair.after.wide),
        (
            "everyday inputs",
            &repair.before.everyday,
            &repair.after.everyday,
        ),
    ];
    for (name, before, after) in rows {
        if before.count == 0 {
            continue;
        }
        text += &format!("{name:<16} {:>6.2} {:>7.1}", before.mean, before.worst);
        if is_repaired {
            text += &format!("    {:>6.2} {:>7.1}", after.mean, after.worst);
        }
        text += "\n";
    }
    text
}

/// What is proved and what is only sampled.
pub fn proved(repair: &Repair) -> String {
    let Some(proof) = &repair.proof else {
        return String::new();
    };
    let names = &repair.subject.names;
    match proof.boxes.is_empty() {
        true => "sampled only: no bound was proved\n".to_owned(),
        false => {
            let assumed = match proof.libm_ulps {
                0 => String::new(),
                1 => ", if libm's functions are within 1 ulp".to_owned(),
                n => format!(", if libm's functions are within 1 to {n} ulps, as glibc documents"),
            };
            let unit = if proof.ulps == 1 { "ulp" } else { "ulps" };
            let place = proof.place(names);
            let mut text = format!("proved: at most {} {unit} {place}{assumed}\n", proof.ulps);
            if !proof.is_complete() {
                text += &format!(
                    "sampled: the rest, {:.1} % of the numbers in the ranges\n",
                    100.0 * (1.0 - proof.share)
                );
            }
            text
        }
    }
}

fn cost(repair: &Repair) -> String {
    let before = super::math::operations(&repair.subject.original);
    let after = repair.plan.operations();
    let branches = match repair.plan.thresholds().len() {
        0 => "no branches".to_owned(),
        1 => "1 branch".to_owned(),
        n => format!("{n} branches"),
    };
    format!("{after} operations (before: {before}), {branches}")
}

/// The core with the repair for its body; the original where there is none.
pub fn repaired_core(repair: &Repair) -> Core {
    let subject = &repair.subject;
    let mut core = subject.core.clone();
    if repair.verdict == Verdict::Repaired {
        core.body = repair.plan.expression(&subject.names, subject.width);
    }
    core
}

pub fn fpcore(repair: &Repair) -> String {
    let core = repaired_core(repair);
    format!("; {}\n{}", headline(repair), write::core(&core))
}

/// A function, with the repair's sentence above it.
pub fn c_function(repair: &Repair) -> Result<String, c::Untranslatable> {
    let function = c::function(&repaired_core(repair), None)?;
    Ok(format!("/* {} */\n{}", headline(repair), function.text))
}

pub fn json(repairs: &[Repair]) -> String {
    let whole = json!({ "repairs": repairs.iter().map(value).collect::<Vec<_>>() });
    format!("{whole:#}\n")
}

fn value(repair: &Repair) -> Value {
    let subject = &repair.subject;
    let verdict = match repair.verdict {
        Verdict::Accurate => "accurate",
        Verdict::Repaired => "repaired",
        Verdict::Unrepaired => "unrepaired",
        Verdict::IllConditioned => "ill-conditioned",
    };
    let formula = |plan: &Plan| write::expression(&plan.expression(&subject.names, subject.width));
    json!({
        "name": subject.core.name(),
        "verdict": verdict,
        "sentence": (repair.verdict == Verdict::Repaired).then_some(&repair.sentence),
        "original": formula(&Plan::Term(subject.original.clone())),
        "repair": (repair.verdict == Verdict::Repaired).then(|| formula(&repair.plan)),
        "before": measured(&repair.before),
        "after": measured(&repair.after),
        "rules": repair.rules,
        "proof": repair.proof.as_ref().map(|proof| proved_json(proof, &subject.names)),
        "operations": repair.plan.operations(),
        "branches": repair.plan.thresholds().len(),
        "notes": repair.notes,
    })
}

fn measured(measured: &Measured) -> Value {
    let of = |errors: &super::repair::Errors| {
        json!({"inputs": errors.count, "mean_bits": errors.mean, "worst_bits": errors.worst,
               "worst_input": errors.worst_input})
    };
    json!({"wide": of(&measured.wide), "everyday": of(&measured.everyday)})
}

fn proved_json(proof: &Proof, names: &[String]) -> Value {
    let text = |x: f64| Number::from_f64(x).text;
    let boxes: Vec<Value> = proof
        .boxes
        .iter()
        .map(|ranges| {
            let sides = names.iter().zip(ranges);
            sides
                .map(|(name, (low, high))| (name.clone(), json!([text(*low), text(*high)])))
                .collect::<serde_json::Map<String, Value>>()
                .into()
        })
        .collect();
    json!({"ulps": proof.ulps, "libm_ulps": proof.libm_ulps, "share": proof.share, "boxes": boxes})
}
