//! Error maps: a plot for the terminal, and a table as CSV.

use std::fmt::Write;

use crate::{
    printable::printable,
    search::{CallReport, ErrorMap},
};

/// Lines of the plot, from the largest error down; what each stands for, in ulps.
const LINES: [f64; 7] = [1e12, 1e9, 1e6, 1e3, 16.0, 2.0, 0.5];

/// Worst errors as `#`, typical ones as `+`, over the range of the input.
pub fn plot(map: &ErrorMap) -> String {
    let mut text = format!(
        "  error in ulps over {} (# worst, + typical; columns hold equally many floating-point numbers)\n",
        printable(&map.parameter)
    );
    for limit in LINES {
        let row: String = map
            .stretches
            .iter()
            .map(|stretch| match stretch {
                stretch if stretch.typical >= limit => '+',
                stretch if stretch.worst >= limit => '#',
                _ => ' ',
            })
            .collect();
        let _ = writeln!(text, "  {limit:>7.1e} |{row}|");
    }
    let ends = map.stretches.first().zip(map.stretches.last());
    if let Some((first, last)) = ends {
        let _ = writeln!(text, "  from {:e} to {:e}", first.low, last.high);
    }
    let judged: usize = map.stretches.iter().map(|stretch| stretch.judged).sum();
    let worst = map
        .stretches
        .iter()
        .max_by(|a, b| a.worst.total_cmp(&b.worst));
    if let Some(worst) = worst.filter(|_| judged > 0) {
        let _ = writeln!(
            text,
            "  worst of {judged} inputs: {:.3} ulps at {:e}",
            worst.worst, worst.worst_input
        );
    } else {
        text += "  nothing was compared: say what the function computes with --means, or take --oracle shadow\n";
    }
    for interval in &map.wrong {
        let _ = writeln!(
            text,
            "  significant errors in [{:e}, {:e}] (relative error up to {:.1e})",
            interval.low,
            interval.high,
            interval.relative.get()
        );
    }
    text + "\n"
}

/// One line for each stretch of each call.
pub fn csv(reports: &[CallReport]) -> String {
    let mut text =
        "call,parameter,low,high,inputs,worst_ulps,typical_ulps,worst_input,worst_relative_error\n"
            .to_owned();
    for report in reports {
        let Some(map) = &report.map else {
            continue;
        };
        for stretch in &map.stretches {
            let _ = writeln!(
                text,
                "\"{}\",\"{}\",{:e},{:e},{},{:e},{:e},{:e},{:e}",
                printable(&report.call).replace('"', "'"),
                printable(&map.parameter),
                stretch.low,
                stretch.high,
                stretch.judged,
                stretch.worst,
                stretch.typical,
                stretch.worst_input,
                stretch.relative.get()
            );
        }
    }
    text
}
