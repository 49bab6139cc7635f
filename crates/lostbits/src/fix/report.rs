//! What `lostbits fix` says about one expression, in each format.

pub use super::cores::repaired_core;

use super::{
    exhaustive::Exhausted,
    plan::infix,
    plot::plot,
    repair::{ILL_CONDITIONED, Repair, Verdict},
};
use crate::{
    fpcore::{c, number::Number, write},
    notation::{self, count},
    printable::printable,
};

/// A repair, and the measured time of original and repair if it could be measured.
pub struct Timed {
    pub repair: Repair,
    pub nanoseconds: Option<(f64, f64)>,
}

/// For people.
pub fn terminal(timed: &Timed) -> String {
    let repair = &timed.repair;
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
        text += &format!("cost: {}\n", cost(timed));
        text += &plot(repair).map_or_else(String::new, |plot| format!("\n{plot}"));
    }
    text
}

fn headline(repair: &Repair) -> String {
    match repair.verdict {
        Verdict::Accurate => "already accurate: nothing to repair".to_owned(),
        Verdict::Repaired => format!("repaired: {}", repair.sentence),
        Verdict::Unrepaired => "inaccurate, and no repair was found".to_owned(),
        Verdict::IllConditioned => {
            format!("{ILL_CONDITIONED}; `--precision double-double` carries a second word")
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
        return "sampled only: nothing is proved\n".to_owned();
    };
    let percent = |share: f64| format!("{:.1} % of the numbers in the ranges", 100.0 * share);
    let mut text = String::new();
    if proof.boxes.is_empty() {
        text += "sampled only: no bound was proved\n";
    } else {
        let unit = if proof.ulps == 1 { "ulp" } else { "ulps" };
        let place = proof.place(&repair.subject.names);
        text += &format!("proved: at most {} {unit} {place}\n", proof.ulps);
        if proof.libm_ulps > 0 {
            let functions = proof.functions.join(", ");
            text += &format!(
                "assumed: errors of {functions} as glibc documents them (at most {})\n",
                match proof.libm_ulps {
                    1 => "1 ulp".to_owned(),
                    n => format!("{n} ulps"),
                }
            );
        }
    }
    if proof.kept > 0.0 {
        text += &format!(
            "kept: the original, so never worse, for {}\n",
            percent(proof.kept)
        );
    }
    let sampled = 1.0 - proof.share - proof.kept;
    if !proof.boxes.is_empty() && !proof.is_complete() && sampled > 1e-6 {
        let everyday = 100.0 * proof.everyday_open;
        text += &format!(
            "sampled: the rest, {} ({everyday:.1} % of everyday ones)\n",
            percent(sampled)
        );
    }
    if let Some(exhausted) = &repair.exhausted {
        text += &all_checked(exhausted, &repair.subject.names[0]);
    }
    if repair.verdict == Verdict::Repaired && !repair.is_checked_everywhere() {
        text += &match repair.worse_by(1.0) {
            0 => format!(
                "never worse by more than 1 bit at the {} inputs sampled\n",
                repair.samples.len()
            ),
            n => format!(
                "worse by more than 1 bit at {n} of the {} inputs sampled, by more than 4 bits at {}\n",
                repair.samples.len(),
                repair.worse_by(4.0)
            ),
        };
    }
    text
}

/// What checking every float showed.
fn all_checked(found: &Exhausted, name: &str) -> String {
    let number = |x: f64| Number::from_f64(x).text;
    let ulps = |ulps: u64| match ulps {
        1 => "1 ulp".to_owned(),
        u64::MAX => "NaN".to_owned(),
        n => format!("{} ulps", notation::number(n)),
    };
    let how_many = match found.open {
        0 => "all".to_owned(),
        open => format!("all but {} of the", notation::number(open)),
    };
    let mut text = format!(
        "checked: {how_many} {} inputs with a finite result: at most {} (at {name} = {}; before: {})\n",
        notation::number(found.checked + found.open),
        ulps(found.worst_ulps),
        number(found.worst_input),
        ulps(found.original_ulps)
    );
    text += &match found.most_worse {
        None => "never worse by more than 1 bit at any of them\n".to_owned(),
        Some(input) => format!(
            "worse by more than 1 bit at {} of them ({name} = {} is one), by more than 4 bits at {}\n",
            notation::number(found.worse_by_one),
            number(input),
            notation::number(found.worse_by_four)
        ),
    };
    text
}

fn cost(timed: &Timed) -> String {
    let repair = &timed.repair;
    let before = super::math::operations(&repair.subject.original);
    let after = repair.plan.operations();
    let branches = match repair.plan.thresholds().len() {
        0 => "no branches".to_owned(),
        1 => "1 branch".to_owned(),
        n => format!("{n} branches"),
    };
    let time = timed
        .nanoseconds
        .map_or_else(String::new, |(before, after)| {
            format!("; {after:.1} ns a call (before: {before:.1} ns)")
        });
    let operations = count(after as u64, "operation", "operations");
    format!("{operations} (before: {before}), {branches}{time}")
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
