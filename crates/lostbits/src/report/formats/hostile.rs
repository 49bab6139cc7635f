//! A document whose every text is hostile, in every format.

use serde_json::Value;

use super::{github, html, junit, markdown, sarif};
use crate::report::document::{
    Code, Document, Fact, Finding, Judged, Line, Mark, Outcome, Place, Plot, Share, Source,
    Standing, State, Step, WrongResult,
};

/// Ends elements, attributes, comments, tables, code and commands, and forges lines.
const EVIL: &str =
    "</script><img src=x onerror=alert(1)>\"'`|]]>\u{1b}[2J\u{0}\u{202e}\n::error::forged %25";

pub fn document() -> Document {
    let text = || EVIL.to_owned();
    let place = || Place {
        file: text(),
        line: 3,
        column: 2,
        function: text(),
    };
    let step = || Step {
        place: place(),
        text: text(),
    };
    let finding = |standing: Standing| Finding {
        kind: "cancellation",
        is_proved: true,
        title: text(),
        place: place(),
        label: text(),
        facts: vec![Fact {
            name: "proof",
            text: text(),
        }],
        expression: Some(text()),
        fix: Some(text()),
        path: vec![step(), step()],
        fingerprint: "0123456789abcdef".to_owned(),
        standing,
        seen_in: vec![text()],
        reproduce: Some(text()),
    };
    Document {
        headline: text(),
        state: State::Undecided,
        undecided_because: Some(text()),
        reproduce: Some(text()),
        results: vec![WrongResult {
            place: place(),
            what: "output",
            computed: text(),
            exact: format!("1{EVIL}"),
            right: text(),
            digits: Some((2, 6)),
            executions: (1, 3),
        }],
        findings: vec![
            finding(Standing::New),
            finding(Standing::Known),
            finding(Standing::Ignored(text())),
        ],
        budget: vec![Share {
            place: place(),
            last_line: 9,
            share: 0.8,
            passes: Some(1.5),
            of: Some(place()),
            code: Some(Code {
                line: text(),
                part: 2..5,
            }),
        }],
        sources: vec![Source {
            file: text(),
            lines: vec![Line {
                number: 3,
                text: text(),
                marks: vec![
                    Mark {
                        from: 2,
                        to: 5,
                        finding: Some(0),
                        label: text(),
                    },
                    // Neither overlapping marks nor marks beyond the line break it.
                    Mark {
                        from: 3,
                        to: 900,
                        finding: None,
                        label: text(),
                    },
                ],
            }],
        }],
        plots: vec![Plot {
            formula: text(),
            variable: text(),
            points: vec![[1e-9, 50.0], [1.0, 1.0]],
            threshold: 5.0,
            most: 64.0,
        }],
        judged: [Outcome::Right, Outcome::Wrong(text()), Outcome::Undecided]
            .map(|outcome| Judged {
                place: place(),
                what: "output",
                outcome,
            })
            .into(),
        notes: vec![text()],
    }
}

#[test]
fn a_page_holds_no_foreign_markup() {
    let page = html(&document());
    assert!(!page.contains("<img") && !page.contains('\u{1b}') && !page.contains('\u{0}'));
    assert_eq!(page.matches("</script>").count(), 1);
    assert!(!page.contains('\u{202e}'));
    for outside in ["http:", "https:", "//", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let ids = |attribute: &str| -> Vec<String> {
        let parts = page.split(attribute).skip(1);
        parts
            .filter_map(|part| Some(part.split_once('"')?.0.to_owned()))
            .collect()
    };
    let targets = ids("id=\"");
    for link in ids("href=\"#") {
        assert!(targets.contains(&link), "{link} leads nowhere");
    }
}

#[test]
fn a_page_begins_with_the_worst_result_its_cause_and_the_fix() {
    let page = html(&document());
    let (header, main) = page.split_once("</header>").expect("a header");
    for part in [
        "<dt>worst</dt>",
        "<dt>cause</dt>",
        "href=\"#F0\"",
        "<span>Fix</span>",
    ] {
        assert!(header.contains(part), "{part}");
    }
    let (_, budget) = main.split_once("id=\"budget\"").expect("a budget");
    let marked = format!("<mark>{}</mark>", super::escaped(&EVIL[2..5]));
    assert!(budget.contains(&marked), "the statement is not marked");
}

#[test]
fn junit_is_well_formed() {
    let xml = junit(&document());
    let tree = roxmltree::Document::parse(&xml).expect("well-formed");
    let root = tree.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let suite = root.first_element_child().expect("a suite");
    let count = |name: &str| {
        suite
            .attribute(name)
            .expect(name)
            .parse::<usize>()
            .expect(name)
    };
    let cases: Vec<_> = suite
        .children()
        .filter(|one| one.has_tag_name("testcase"))
        .collect();
    let with = |name: &str| {
        let cases = cases.iter();
        cases
            .filter(|case| case.children().any(|one| one.has_tag_name(name)))
            .count()
    };
    assert_eq!(count("tests"), cases.len());
    assert_eq!(count("failures"), with("failure"));
    assert_eq!(count("errors"), with("error"));
    assert_eq!(count("skipped"), with("skipped"));
    assert_eq!(
        (cases.len(), with("failure"), with("error"), with("skipped")),
        (4, 1, 1, 1)
    );
    for case in cases {
        assert!(case.attribute("name").is_some() && case.attribute("classname").is_some());
        // At most one result, as the usual schema demands.
        assert!(case.children().filter(|one| one.is_element()).count() <= 1);
    }
    let failure = tree
        .descendants()
        .find(|one| one.has_tag_name("failure"))
        .expect("one");
    assert!(
        failure
            .attribute("message")
            .expect("a message")
            .contains("\n::error")
    );
}

#[test]
fn annotations_are_one_line_each() {
    let text = github(&document());
    let lines: Vec<&str> = text.lines().collect();
    // The known and the ignored finding do not count.
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].starts_with("::error file=") && lines[1].starts_with("::warning title="));
    let properties = lines[0].strip_prefix("::error ").expect("a command");
    let (properties, _) = properties.split_once("::").expect("data");
    assert_eq!(
        properties.matches('=').count(),
        4 + EVIL.matches('=').count(),
        "{properties}"
    );
    assert!(lines[0].contains("%0A%3A%3Aerror") && lines[0].contains("%2525"));
}

#[test]
fn markdown_stays_text() {
    let text = markdown(&document());
    assert!(!text.contains("\n::error") && !text.contains('\u{1b}'));
    let row = text
        .lines()
        .find(|line| line.starts_with("| ") && line.contains("executions"));
    let row = row.expect("a row").replace("\\|", "");
    assert_eq!(row.matches('|').count(), 5, "{row}");
    for line in text.lines() {
        // Outside of code, no element begins.
        let outside: String = line.split('`').step_by(2).collect();
        assert!(!outside.contains("<img") || line.contains("``"), "{line}");
    }
}

#[test]
fn sarif_has_rules_flows_and_fingerprints() {
    let log: Value = serde_json::from_str(&sarif(&document())).expect("JSON");
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(
            result["partialFingerprints"]["lostbits/v1"],
            "0123456789abcdef"
        );
        let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(flow.as_array().map(Vec::len), Some(2));
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let uri = uri.as_str().expect("a URI");
        assert!(
            uri.bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'<'),
            "{uri}"
        );
    }
    assert_eq!(results[1]["baselineState"], "unchanged");
    assert_eq!(results[2]["suppressions"][0]["kind"], "external");
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
}
