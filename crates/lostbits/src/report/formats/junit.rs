//! JUnit XML, as CI systems read it: a test case for each output and decision, and one that says whether everything was judged.

use super::escaped;
use crate::report::document::{Document, Finding, Judged, Outcome, Standing, State};

pub fn junit(document: &Document) -> String {
    let mut cases: Vec<String> = document
        .judged
        .iter()
        .map(|one| case(one, document))
        .collect();
    cases.push(verdict(document));
    let is_wrong = |one: &&Judged| matches!(one.outcome, Outcome::Wrong(_));
    let wrong = document.judged.iter().filter(is_wrong);
    let accepted = wrong
        .clone()
        .filter(|one| accepted(one, document).is_some());
    let accepted = accepted.count();
    let failures = wrong.count() - accepted;
    let undecided = document.judged.iter();
    let undecided = undecided.filter(|one| one.outcome == Outcome::Undecided);
    let skipped = undecided.count() + accepted;
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
    let accepted = accepted(one, document);
    let body = match &one.outcome {
        Outcome::Right => return test_case(&place.file, &name, None),
        Outcome::Undecided => "      <skipped message=\"undecided\"/>\n".to_owned(),
        Outcome::Wrong(message) => match accepted {
            Some(why) => format!("      <skipped message=\"{}\"/>\n", attribute(&why)),
            None => format!(
                "      <failure message=\"{}\" type=\"inaccurate\">{}</failure>\n",
                attribute(message),
                escaped(&causes(one, document))
            ),
        },
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
fn findings<'a>(one: &'a Judged, document: &'a Document) -> impl Iterator<Item = &'a Finding> {
    let reaches = |finding: &&Finding| finding.path.iter().any(|step| step.place == one.place);
    document.findings.iter().filter(reaches)
}

/// Why a wrong result makes no check fail, if the project accepted all that makes it wrong.
fn accepted(one: &Judged, document: &Document) -> Option<String> {
    if findings(one, document).any(Finding::counts) {
        return None;
    }
    findings(one, document)
        .next()
        .map(|finding| match &finding.standing {
            Standing::Ignored(reason) => format!("ignored: {reason}"),
            _ => "in the baseline".to_owned(),
        })
}

fn causes(one: &Judged, document: &Document) -> String {
    let mut text = String::new();
    for finding in findings(one, document) {
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
