//! Annotations for GitHub Actions: lines that the runner reads from a step's output and shows beside the code.

use crate::report::document::{Document, Finding, State};

pub fn github(document: &Document) -> String {
    let counted = document.findings.iter().filter(|one| one.counts());
    let mut text: String = counted.map(annotation).collect();
    let why = document.undecided_because.as_deref();
    match document.state {
        State::Findings => {}
        State::Undecided => {
            let why = why.unwrap_or("not everything could be judged");
            text += &format!(
                "::warning title={}::{}\n",
                property("lostbits: undecided"),
                data(why)
            );
        }
        State::Clean => text += &format!("::notice title=lostbits::{}\n", data(&document.headline)),
    }
    text
}

/// What is proved is an error; the rest is a warning.
fn annotation(finding: &Finding) -> String {
    let level = match finding.is_proved {
        true => "error",
        false => "warning",
    };
    let place = &finding.place;
    let mut properties = Vec::new();
    if !place.file.is_empty() {
        properties.push(format!("file={}", property(&place.file)));
        properties.extend((place.line > 0).then(|| format!("line={}", place.line)));
        properties.extend((place.column > 0).then(|| format!("col={}", place.column)));
    }
    properties.push(format!(
        "title={}",
        property(&format!("lostbits: {}", finding.kind))
    ));
    let mut lines = vec![finding.title.clone(), finding.label.clone()];
    let facts = finding.facts.iter();
    lines.extend(facts.map(|fact| format!("{}: {}", fact.name, fact.text)));
    lines.extend(finding.fix.iter().map(|fix| format!("help: {fix}")));
    lines.retain(|line| !line.is_empty());
    format!(
        "::{level} {}::{}\n",
        properties.join(","),
        data(&lines.join("\n"))
    )
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
