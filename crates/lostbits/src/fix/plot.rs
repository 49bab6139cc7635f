//! Both errors over the range of one variable, as text.

use super::{error::ordinal, measure::Sample, repair::Repair};
use crate::fpcore::number::Number;

const COLUMNS: usize = 64;
const ROWS: usize = 8;

/// The worst error of the samples in each column, before (`·`) and after (`o`); none if there are too few samples.
pub fn plot(repair: &Repair) -> Option<String> {
    let subject = &repair.subject;
    let variable = variable(repair)?;
    if repair.samples.len() < COLUMNS {
        return None;
    }
    let x = |sample: &Sample| sample.input[variable];
    let mut places: Vec<i64> = repair
        .samples
        .iter()
        .map(|sample| ordinal(x(sample), subject.width))
        .collect();
    places.sort_unstable();
    places.dedup();
    // Columns hold the same number of different values, so that everyday inputs have room beside bit patterns.
    let column = |place: i64| {
        let rank = places.partition_point(|other| *other < place);
        rank * COLUMNS / places.len()
    };
    let mut before = vec![None::<f64>; COLUMNS];
    let mut after = vec![None::<f64>; COLUMNS];
    let mut first = vec![None::<f64>; COLUMNS];
    for sample in &repair.samples {
        let at = column(ordinal(x(sample), subject.width));
        let worst = |cell: &mut Option<f64>, error: f64| {
            *cell = Some(cell.map_or(error, |known| known.max(error)));
        };
        worst(&mut before[at], sample.before);
        worst(&mut after[at], sample.after);
        first[at] = Some(first[at].map_or(x(sample), |known| known.min(x(sample))));
    }
    let most = super::error::most(subject.width);
    let row = |error: Option<f64>| {
        error.map(|error| ((error / most * ROWS as f64).ceil() as usize).min(ROWS))
    };
    let mut text = format!(
        "worst error in bits over {} (· before, o after, * both)\n",
        subject.names[variable]
    );
    for level in (0..=ROWS).rev() {
        let mark = |at: usize| match (
            row(before[at]) == Some(level),
            row(after[at]) == Some(level),
        ) {
            (true, true) => '*',
            (true, false) => '·',
            (false, true) => 'o',
            (false, false) => ' ',
        };
        let line: String = (0..COLUMNS).map(mark).collect();
        let bits = level as f64 * most / ROWS as f64;
        text += &format!("{bits:>5} |{}\n", line.trim_end());
    }
    text += &format!("      +{}\n", "-".repeat(COLUMNS));
    text += &axis(&first);
    Some(text)
}

/// The variable on which the repair branches, else the first one that occurs.
fn variable(repair: &Repair) -> Option<usize> {
    let branching = repair.plan.thresholds().first().map(|test| test.variable);
    let occurring = || {
        let variables = super::math::variables(&repair.subject.original);
        variables.first().copied()
    };
    branching.or_else(occurring).map(|index| index as usize)
}

/// The values where some columns begin.
fn axis(first: &[Option<f64>]) -> String {
    let mut line = String::new();
    for at in (0..COLUMNS).step_by(COLUMNS / 4) {
        let Some(x) = first[at] else { continue };
        let short = format!("{x:.1e}").parse::<f64>().unwrap_or(x);
        let start = at + 7;
        if line.chars().count() < start {
            line += &" ".repeat(start - line.chars().count());
            line += &Number::from_f64(short).text;
        }
    }
    line + "\n"
}
