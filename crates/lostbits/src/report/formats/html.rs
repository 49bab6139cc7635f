//! The report as one page: no network, no fonts or images from elsewhere, light and dark, printable, and usable with the keyboard.
//!
//! Everything works without the script, which only copies commands. A content security policy keeps the page from loading anything,
//! whatever a hostile name in it tries.

use lostbits_abi::VERSION;

use super::{escaped, plot::plot};
use crate::{
    config::UNKNOWN_CAUSE,
    report::{
        document::{Code, Document, Finding, Line, Place, Source, Standing, State, WrongResult},
        rules::rule,
        words::number,
    },
};

/// The style of every page.
pub const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Wrong results and plots shown before the rest is folded away.
const ROWS: usize = 25;

pub fn html(document: &Document) -> String {
    let sections = [
        results(document),
        findings(document),
        budget(document),
        plots(document),
        sources(document),
        notes(document),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta \
         name=\"generator\" content=\"lostbits {VERSION}\">\n<title>{title}: lostbits</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<a class=\"skip\" href=\"#content\">Skip to the report</a>\n<header class=\"{state}\">\n<p \
         class=\"brand\">lostbits</p>\n<h1>{title}</h1>\n{why}{lead}{menu}</header>\n<main id=\"content\">\n{main}</main>\n\
         <footer>lostbits {VERSION}</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        title = escaped(&document.headline),
        state = match document.state {
            State::Clean => "clean",
            State::Findings => "found",
            State::Undecided => "undecided",
        },
        why = paragraphs(document.undecided_because.as_deref()),
        lead = lead(document),
        menu = menu(document),
        main = sections.concat(),
    )
}

fn paragraphs(text: Option<&str>) -> String {
    text.map_or(String::new(), |text| format!("<p>{}</p>\n", escaped(text)))
}

/// What a reader in a hurry needs: the worst result, the line to blame, and what to do about it.
fn lead(document: &Document) -> String {
    let mut rows = String::new();
    if let Some(worst) = document.results.first() {
        let digits = if worst.digits.is_some() {
            " digits right"
        } else {
            ""
        };
        let (computed, exact) = differing(&worst.computed, &worst.exact);
        rows += &format!(
            "<dt>worst</dt><dd>{} {}: <span class=\"number\">{computed}</span>, exact <span class=\"number exact\">{exact}</span> \
             ({}{digits})</dd>\n",
            link(&worst.place, document),
            worst.what,
            escaped(&worst.right)
        );
    }
    let mut all = document.findings.iter().enumerate();
    let blamed = all.find(|(_, one)| one.counts());
    if let Some((at, finding)) = blamed.filter(|(_, one)| one.kind != UNKNOWN_CAUSE) {
        let code = line_of(&finding.place, document).map_or(String::new(), |line| {
            format!(" <code>{}</code>", escaped(line.text.trim()))
        });
        let (name, more) = match finding.is_proved {
            true => ("cause", "proof"),
            false => ("suspect", "details"),
        };
        rows += &format!(
            "<dt>{name}</dt><dd>{}{code}<br>{} (<a href=\"#F{at}\">{more}</a>)</dd>\n",
            link(&finding.place, document),
            rule(finding.kind).summary
        );
    }
    let rows = match rows.is_empty() {
        true => rows,
        false => format!("<dl class=\"lead\">\n{rows}</dl>\n"),
    };
    let command = |name, text: Option<&str>| text.map(|text| command_line(name, text));
    let commands = [
        command("Fix", blamed.and_then(|(_, one)| one.fix.as_deref())),
        command("Reproduce", document.reproduce.as_deref()),
    ];
    rows + &commands.into_iter().flatten().collect::<String>()
}

/// A command with a button that copies it.
fn command_line(name: &str, text: &str) -> String {
    let text = escaped(text);
    format!(
        "<div class=\"command\"><span>{name}</span><code tabindex=\"0\">{text}</code><button type=\"button\" data-copy=\"{text}\" \
         aria-label=\"Copy the command\">Copy</button></div>\n"
    )
}

fn menu(document: &Document) -> String {
    let parts = [
        ("results", "Wrong results", document.results.len()),
        ("causes", "Causes", document.findings.len()),
        ("budget", "Error budget", document.budget.len()),
        ("plots", "Plots", document.plots.len()),
        ("sources", "Source", document.sources.len()),
        ("notes", "What was checked", document.notes.len()),
    ];
    let links = parts.iter().filter(|(_, _, count)| *count > 0);
    let links: String = links
        .map(|(id, name, _)| format!("<a href=\"#{id}\">{name}</a>"))
        .collect();
    format!("<nav aria-label=\"Parts of the report\">{links}</nav>\n")
}

fn section(id: &str, title: &str, body: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{title}</h2>\n{body}</section>\n")
}

fn results(document: &Document) -> String {
    let results = &document.results;
    if results.is_empty() {
        return String::new();
    }
    let head = "<div class=\"wide\"><table>\n<thead><tr><th>where</th><th>printed or computed</th><th>exact</th><th>right \
                digits</th><th>wrong executions</th></tr></thead>\n<tbody>\n";
    let rows = |part: &[WrongResult]| {
        part.iter()
            .map(|one| row(one, document))
            .collect::<String>()
    };
    let (first, rest) = results.split_at(results.len().min(ROWS));
    let mut body = format!("{head}{}</tbody>\n</table></div>\n", rows(first));
    if !rest.is_empty() {
        body += &format!(
            "<details><summary>{} more</summary>\n{head}{}</tbody>\n</table></div></details>\n",
            rest.len(),
            rows(rest)
        );
    }
    section("results", "Wrong results", &body)
}

fn row(result: &WrongResult, document: &Document) -> String {
    let meter = result.digits.map_or(String::new(), |(right, all)| {
        let cells = (0..all.min(20)).map(|at| {
            if at < right {
                "<i class=\"on\"></i>"
            } else {
                "<i></i>"
            }
        });
        format!(
            "<span class=\"digits\" aria-hidden=\"true\">{}</span>",
            cells.collect::<String>()
        )
    });
    let (wrong, all) = result.executions;
    let (computed, exact) = differing(&result.computed, &result.exact);
    format!(
        "<tr><td>{} <small>{}</small></td><td class=\"number\">{computed}</td><td class=\"number\">{exact}</td><td>{} {meter}</td>\
         <td>{} of {}</td></tr>\n",
        link(&result.place, document),
        result.what,
        escaped(&result.right),
        number(wrong),
        number(all)
    )
}

/// The digits from which on two numbers differ are marked.
fn differing(computed: &str, exact: &str) -> (String, String) {
    let both = computed.chars().zip(exact.chars());
    let common = both.take_while(|(a, b)| a == b).count();
    let marked = |text: &str| {
        let at = text
            .char_indices()
            .nth(common)
            .map_or(text.len(), |(at, _)| at);
        let (same, other) = text.split_at(at);
        match other {
            "" => escaped(same),
            other => format!("{}<mark>{}</mark>", escaped(same), escaped(other)),
        }
    };
    (marked(computed), marked(exact))
}

/// A location that leads to its line on the page, if that is shown.
fn link(place: &Place, document: &Document) -> String {
    let text = escaped(&place.short());
    match line_of(place, document) {
        Some(_) => format!(
            "<a href=\"#{}\">{text}</a>",
            anchor(&place.file, place.line)
        ),
        None => text,
    }
}

fn line_of<'a>(place: &Place, document: &'a Document) -> Option<&'a Line> {
    let own = document
        .sources
        .iter()
        .filter(|source| source.file == place.file);
    let mut lines = own.flat_map(|source| &source.lines);
    lines.find(|line| line.number == place.line)
}

/// Text with its quoted code as code.
fn prose(text: &str) -> String {
    let escaped = escaped(text);
    let parts: Vec<&str> = escaped.split('`').collect();
    // An odd number of quotes quotes nothing.
    if parts.len().is_multiple_of(2) {
        return escaped;
    }
    let parts = parts.iter().enumerate().map(|(at, part)| match at % 2 {
        0 => (*part).to_owned(),
        _ => format!("<code>{part}</code>"),
    });
    parts.collect()
}

/// An identifier without characters that mean something in a URL.
fn anchor(file: &str, line: u32) -> String {
    let name = file.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' => (byte as char).to_string(),
        other => format!("_{other:02x}"),
    });
    format!("L-{}-{line}", name.collect::<String>())
}

fn findings(document: &Document) -> String {
    if document.findings.is_empty() {
        return String::new();
    }
    let all = document.findings.iter().enumerate();
    let body: String = all.map(|(at, one)| finding(at, one, document)).collect();
    section("causes", "Causes", &body)
}

fn finding(at: usize, finding: &Finding, document: &Document) -> String {
    let rule = rule(finding.kind);
    let badge = match (&finding.standing, finding.is_proved) {
        (Standing::Ignored(_), _) => "ignored",
        (Standing::Known, _) => "known",
        (Standing::Worse, _) => "worse",
        (Standing::New, true) => "proved",
        (Standing::New, false) => "suspected",
    };
    let facts = finding
        .facts
        .iter()
        .map(|fact| (fact.name, prose(&fact.text)));
    let mut facts: Vec<(&str, String)> = facts.collect();
    if let Standing::Ignored(reason) = &finding.standing {
        facts.push(("ignored because", escaped(reason)));
    }
    if let Some(expression) = &finding.expression {
        facts.push((
            "expression",
            format!("<code>{}</code>", escaped(expression)),
        ));
    }
    if !finding.seen_in.is_empty() {
        facts.push(("seen in", escaped(&finding.seen_in.join(", "))));
    }
    facts.push((
        "meaning",
        prose(&format!("{}. {}", rule.summary, rule.help)),
    ));
    let facts: String = facts
        .iter()
        .map(|(name, text)| format!("<dt>{name}</dt><dd>{text}</dd>\n"))
        .collect();
    let fix = finding
        .fix
        .as_deref()
        .map_or(String::new(), |text| command_line("Fix", text));
    let again = finding.reproduce.as_deref();
    let again = again.map_or(String::new(), |text| command_line("Reproduce", text));
    format!(
        "<article id=\"F{at}\" class=\"{badge}\">\n<h3><span class=\"badge\">{badge}</span> {}</h3>\n<p class=\"at\">{} {}</p>\n{}\
         <dl>\n{facts}</dl>\n{fix}{again}{}</article>\n",
        prose(&finding.title),
        link(&finding.place, document),
        in_function(&finding.place),
        one_line(at, finding, document),
        path(finding, document)
    )
}

fn in_function(place: &Place) -> String {
    match place.function.as_str() {
        "" => String::new(),
        function => format!("in <code>{}</code>", escaped(function)),
    }
}

/// The guilty line by itself.
fn one_line(at: usize, finding: &Finding, document: &Document) -> String {
    match line_of(&finding.place, document) {
        Some(line) => format!(
            "<pre class=\"source\"><code>{}</code></pre>\n<p class=\"label\">{}</p>\n",
            marked(line, Some(at)),
            escaped(&finding.label)
        ),
        None => format!("<p class=\"label\">{}</p>\n", escaped(&finding.label)),
    }
}

fn path(finding: &Finding, document: &Document) -> String {
    if finding.path.len() < 2 {
        return String::new();
    }
    let steps = finding.path.iter().map(|step| {
        format!(
            "<li>{} {}<br><span>{}</span></li>\n",
            link(&step.place, document),
            in_function(&step.place),
            escaped(&step.text)
        )
    });
    format!(
        "<details open><summary>From the cause to the result</summary>\n<ol class=\"path\">\n{}</ol></details>\n",
        steps.collect::<String>()
    )
}

fn budget(document: &Document) -> String {
    let shares = &document.budget;
    if shares.is_empty() {
        return String::new();
    }
    let bars = shares.iter().map(|share| {
        let part = |part: f64| part.clamp(0.0, 1.0) * 100.0;
        let lines = match (share.last_line > share.place.line, share.place.column) {
            (true, _) => format!(" to {}", share.last_line),
            (false, 0) => String::new(),
            (false, column) => format!(":{column}"),
        };
        let of = share.of.as_ref().map_or(String::new(), |of| {
            format!(" of the error of {}", link(of, document))
        });
        let own = bar("", part(share.share), &format!("made here{of}"));
        let passes = share
            .passes
            .map(|passes| bar("passes", part(passes), "passes through"));
        format!(
            "<tr><td>{}{lines} {}{}</td><td class=\"bars\">{own}{}</td></tr>\n",
            link(&share.place, document),
            in_function(&share.place),
            share.code.as_ref().map_or(String::new(), statement),
            passes.unwrap_or_default()
        )
    });
    let body = format!(
        "<p>Measured by runs in which the rounding errors of all other statements were left out.</p>\n<div class=\"wide\"><table \
         class=\"budget\">\n<thead><tr><th>statement</th><th>share of the error</th></tr></thead>\n<tbody>\n{}</tbody>\n\
         </table></div>\n",
        bars.collect::<String>()
    );
    section("budget", "Error budget", &body)
}

/// The line of a statement, with the operation marked.
fn statement(code: &Code) -> String {
    let Code { line, part } = code;
    let parts = (
        line.get(..part.start),
        line.get(part.clone()),
        line.get(part.end..),
    );
    let (Some(before), Some(inside), Some(after)) = parts else {
        return String::new();
    };
    format!(
        "<br><code>{}<mark>{}</mark>{}</code>",
        escaped(before.trim_start()),
        escaped(inside),
        escaped(after.trim_end())
    )
}

/// A bar, with what it means below it.
fn bar(class: &str, percent: f64, meaning: &str) -> String {
    format!(
        "<div class=\"track\"><div class=\"bar {class}\" style=\"width:{percent:.1}%\"></div></div><small><b>{percent:.1} %</b> \
         {meaning}</small>"
    )
}

fn plots(document: &Document) -> String {
    let drawn = document.plots.iter().filter_map(|one| {
        let svg = plot(one)?;
        Some(format!(
            "<figure>{svg}<figcaption>Bits of error of <code>{}</code> against <code>{}</code> ({} inputs). Shaded: more than {} bits \
             are wrong.</figcaption></figure>\n",
            escaped(&one.formula),
            escaped(&one.variable),
            one.points.len(),
            one.threshold
        ))
    });
    let drawn: String = drawn.collect();
    match drawn.is_empty() {
        true => String::new(),
        false => section("plots", "Error against input", &drawn),
    }
}

fn sources(document: &Document) -> String {
    if document.sources.is_empty() {
        return String::new();
    }
    let mut body = String::new();
    let mut last = "";
    for source in &document.sources {
        if source.file != last {
            body += &format!("<h3>{}</h3>\n", escaped(&source.file));
        }
        last = &source.file;
        body += &listing(source);
    }
    section("sources", "Source", &body)
}

fn listing(source: &Source) -> String {
    let lines = source.lines.iter().map(|line| {
        let class = if line.marks.is_empty() {
            ""
        } else {
            " class=\"guilty\""
        };
        format!(
            "<span id=\"{}\"{class}><b>{}</b>{}</span>",
            anchor(&source.file, line.number),
            line.number,
            marked(line, None)
        )
    });
    format!(
        "<pre class=\"source listing\"><code>{}</code></pre>\n",
        lines.collect::<String>()
    )
}

/// A line with its guilty parts marked: all, or those of one finding. What a mark says shows where the pointer or the keyboard is.
fn marked(line: &Line, only: Option<usize>) -> String {
    let mut text = String::new();
    let mut at = 0;
    let marks = line
        .marks
        .iter()
        .filter(|mark| only.is_none() || mark.finding == only);
    for mark in marks {
        let parts = (
            line.text.get(at..mark.from),
            line.text.get(mark.from..mark.to),
        );
        let (Some(before), Some(inside)) = parts else {
            continue;
        };
        let class = if mark.finding.is_some() {
            "cause"
        } else {
            "result"
        };
        let label = escaped(&mark.label);
        text += &format!(
            "{}<mark class=\"{class}\" tabindex=\"0\" role=\"note\" aria-label=\"{label}\">{}<span class=\"tip\" \
             aria-hidden=\"true\">{label}</span></mark>",
            escaped(before),
            escaped(inside)
        );
        at = mark.to;
    }
    text + &escaped(line.text.get(at..).unwrap_or_default())
}

fn notes(document: &Document) -> String {
    if document.notes.is_empty() {
        return String::new();
    }
    let notes = document
        .notes
        .iter()
        .map(|note| format!("<li>{}</li>\n", prose(note)));
    section(
        "notes",
        "What was checked",
        &format!("<ul>\n{}</ul>\n", notes.collect::<String>()),
    )
}
