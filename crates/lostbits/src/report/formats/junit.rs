//! JUnit XML, as CI systems read it: a test case for each output and decision, and one that says whether everything was judged.

use super::escaped;
use crate::report::document::{Document, Finding, Judged, Outcome, State};

pub fn junit(document: &Document) -> String {
    let mut cases: Vec<String> = document
        .judged
        .iter()
        .map(|one| case(one, document))
        .collect();
    cases.push(verdict(document));
    let outcomes = document.judged.iter().map(|one| &one.outcome);
    let failures = outcomes
        .clone()
        .filter(|one| matches!(one, Outcome::Wrong(_)))
        .count();
    let skipped = outcomes.filter(|one| **one == Outcome::Undecided).count();
    let errors = usize::from(document.state == State::Undecided);
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\"",
        cases.len()
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lostbits\" {counts}>\n  <testsuite name=\"lostbits\" \
         {counts} skipped=\"{skipped}\">\n{}  </testsuite>\n</testsuites>\n",
        cases.concat()
    )
}

fn case(one: &Judged, document: &Document) -> String {
    let place = &one.place;
    let function = match place.function.as_str() {
        "" => String::new(),
        function => format!(" in {function}"),
    };
    let name = format!("{} at {}{function}", one.what, place.short());
    let body = match &one.outcome {
        Outcome::Right => return test_case(&place.file, &name, None),
        Outcome::Undecided => "      <skipped message=\"undecided\"/>\n".to_owned(),
        Outcome::Wrong(message) => format!(
            "      <failure message=\"{}\" type=\"inaccurate\">{}</failure>\n",
            attribute(message),
            escaped(&causes(one, document))
        ),
    };
    test_case(&place.file, &name, Some(body))
}

/// A run that judged nothing, or not everything, must not look like one that passed.
fn verdict(document: &Document) -> String {
    let why = document.undecided_because.as_deref();
    let why = why.unwrap_or("not everything could be judged");
    let body = (document.state == State::Undecided).then(|| {
        format!(
            "      <error message=\"{}\" type=\"undecided\"/>\n",
            attribute(why)
        )
    });
    test_case("lostbits", "everything was judged", body)
}

fn test_case(class: &str, name: &str, body: Option<String>) -> String {
    let class = match class {
        "" => "lostbits",
        class => class,
    };
    let start = format!(
        "    <testcase classname=\"{}\" name=\"{}\"",
        attribute(class),
        attribute(name)
    );
    match body {
        Some(body) => format!("{start}>\n{body}    </testcase>\n"),
        None => format!("{start}/>\n"),
    }
}

/// The findings whose errors reach this result.
fn causes(one: &Judged, document: &Document) -> String {
    let reaches = |finding: &&Finding| finding.path.iter().any(|step| step.place == one.place);
    let mut text = String::new();
    for finding in document.findings.iter().filter(reaches) {
        text += &format!("{}\n  at {}", finding.title, finding.place.short());
        if !finding.label.is_empty() {
            text += &format!(": {}", finding.label);
        }
        text.push('\n');
        for fact in &finding.facts {
            text += &format!("  {}: {}\n", fact.name, fact.text);
        }
        text.extend(finding.fix.iter().map(|fix| format!("  help: {fix}\n")));
    }
    text
}

/// Within quotes, lines and tabs would become blanks.
fn attribute(text: &str) -> String {
    escaped(text).replace('\n', "&#10;").replace('\t', "&#9;")
}
