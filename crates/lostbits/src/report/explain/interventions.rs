//! What runs with interventions showed: the error budget, and what the user asked `--what-if` of.

use std::fmt::{self, Write};

use lostbits_abi::explain::SpotKind;

use super::Context;
use crate::{
    explain::{Budget, Computed, Contribution, Interventions, Outcome, Shown, SpotKey, WhatIf},
    notation::count,
    report::{
        numbers::shortest,
        snippets::shown_path,
        words::{function_name, number},
    },
};

/// Statements shown before the rest is only counted.
const MOST_SHOWN: usize = 8;
/// A statement that passes on at least this share amplifies or moves the error.
const PASSES: f64 = 0.5;
/// Shares below this are not worth a line, unless a root cause has them.
const NEGLIGIBLE: f64 = 0.02;

pub fn write(text: &mut String, context: &Context) -> fmt::Result {
    match &context.interventions {
        Interventions::NotAskedFor => Ok(()),
        Interventions::Impossible(why) => writeln!(text, "causes are suspected, not proved: {why}"),
        Interventions::Shown(shown) => {
            match &shown.budget {
                Some(budget) if context.all => write_budget(text, budget, shown, context)?,
                Some(budget) if budget.is_incomplete => write_incomplete(text, budget)?,
                _ => {}
            }
            shown
                .what_if
                .iter()
                .try_for_each(|what_if| write_what_if(text, what_if, shown, context))
        }
    }
}

fn write_budget(
    text: &mut String,
    budget: &Budget,
    shown: &Shown,
    context: &Context,
) -> fmt::Result {
    let runs = count(budget.runs.into(), "run", "runs");
    let statements = count(budget.statements as u64, "statement", "statements");
    writeln!(
        text,
        "error budget, measured by {runs} in which the errors of other statements were left out ({statements}):"
    )?;
    let worth = |one: &&Contribution| one.share >= NEGLIGIBLE;
    for one in budget.contributions.iter().filter(worth).take(MOST_SHOWN) {
        writeln!(text, "  {}", contribution(one, shown, context))?;
    }
    for one in budget.contributions.iter().filter(|one| !worth(one)) {
        writeln!(text, "  {}", not_confirmed(one, context))?;
    }
    match budget.is_incomplete {
        true => write_incomplete(text, budget),
        false => writeln!(
            text,
            "  all other statements together make less than {:.0} %",
            (budget.rest * 100.0).ceil().max(1.0)
        ),
    }
}

fn write_incomplete(text: &mut String, budget: &Budget) -> fmt::Result {
    writeln!(
        text,
        "{} did not suffice to find all sources of the errors: more would, --prove={}",
        count(budget.runs.into(), "run", "runs"),
        (budget.runs * 4).max(40)
    )
}

fn contribution(one: &Contribution, shown: &Shown, context: &Context) -> String {
    let largest = one.of.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let spot = largest.map_or(String::new(), |(key, _)| spot(*key, shown, context));
    let note = match one.is_compensated {
        true => ", which errors of other statements cancel",
        false => "",
    };
    format!(
        "{:>5.1} %  {} makes this share of the error of {spot}{note}",
        one.share * 100.0,
        place(one, context)
    )
}

/// What becomes of a root cause that makes next to nothing itself.
fn not_confirmed(one: &Contribution, context: &Context) -> String {
    let place = place(one, context);
    match one.passes {
        Some(passes) if passes >= PASSES => format!(
            "{:>5.1} %  {place} makes nothing of it; {:.0} % of the error passes through it, made elsewhere",
            one.share * 100.0,
            passes * 100.0
        ),
        _ => format!(
            "{:>5.1} %  {place} is not a cause: computed exactly, it changes nothing",
            one.share * 100.0
        ),
    }
}

fn place(one: &Contribution, context: &Context) -> String {
    let statement = &one.statements[0];
    let column = statement
        .column()
        .map_or(String::new(), |column| format!(":{column}"));
    let file = shown_path(&context.base, &statement.file);
    format!(
        "{file}:{}{column} in {}",
        statement.line,
        function_name(&statement.function)
    )
}

fn spot(key: SpotKey, shown: &Shown, context: &Context) -> String {
    let Some(site) = shown.spots.get(&key) else {
        return "an output".to_owned();
    };
    let kind = match SpotKind::from_u32(key.1) {
        Some(SpotKind::Output) | None => "the output",
        Some(SpotKind::Comparison) => "the comparison",
        Some(SpotKind::Conversion) => "the conversion",
    };
    format!(
        "{kind} at {}:{}",
        shown_path(&context.base, &site.file),
        site.line
    )
}

fn write_what_if(
    text: &mut String,
    what_if: &WhatIf,
    shown: &Shown,
    context: &Context,
) -> fmt::Result {
    if what_if.statements == 0 {
        return writeln!(
            text,
            "what if {}: no operation was executed there",
            what_if.change
        );
    }
    let statements = count(what_if.statements as u64, "statement", "statements");
    writeln!(text, "what if {} ({statements}):", what_if.change)?;
    if what_if.outcomes.is_empty() {
        writeln!(text, "  no output would change")?;
    }
    for one in what_if.outcomes.iter().take(MOST_SHOWN) {
        writeln!(
            text,
            "  {}",
            outcome(one, what_if.change.computed, shown, context)
        )?;
    }
    match what_if.outcomes.len().saturating_sub(MOST_SHOWN) as u64 {
        0 => Ok(()),
        more => writeln!(text, "  and {}", count(more, "more", "more")),
    }
}

fn outcome(one: &Outcome, computed: Computed, shown: &Shown, context: &Context) -> String {
    let (place, before) = (spot(one.spot, shown, context), &one.before);
    if one.spot.1 == SpotKind::Output as u32 {
        let [value, then, exact] = [before.computed, one.value, before.corrected].map(shortest);
        return format!("{place}: computed {value}, then {then}, exact {exact}");
    }
    match computed {
        Computed::InFloat => {
            let times = count(one.wrong, "time", "times");
            format!("{place}: would decide otherwise {times}")
        }
        _ => {
            let times = count(before.wrong, "time", "times");
            format!("{place}: wrong {times}, then {}", number(one.wrong))
        }
    }
}
