//! The corpus is only as good as its judges: each of them must notice what it is there for, and the
//! corpus must be whole.

use libtest_mimic::{Failed, Trial};
use lostbits_abi::{
    kind::FpKind,
    mode::Mode,
    ops::Op,
    record::{ModuleRecord, ProcessRecord},
    site::{Count, Lost, Site, SiteTable, SiteTotals, What},
};

use crate::{
    common::{Ending, Outcome, difference},
    program::{Directives, Program},
    records,
};

/// The least number of programs in each folder.
const LEAST: [(&str, usize); 5] = [
    ("c/", 24),
    ("cpp/", 9),
    ("fortran/", 8),
    ("rust/", 8),
    ("mixed/", 6),
];

pub fn trials(programs: &[Program]) -> Vec<Trial> {
    let counts = LEAST.map(|(folder, least)| {
        let count = programs
            .iter()
            .filter(|program| program.name.starts_with(folder))
            .count();
        (folder, least, count)
    });
    vec![
        Trial::test("checks::the_corpus_is_whole", move || {
            the_corpus_is_whole(&counts)
        }),
        Trial::test(
            "checks::a_changed_digit_is_noticed",
            a_changed_digit_is_noticed,
        ),
        Trial::test("checks::another_end_is_noticed", another_end_is_noticed),
        Trial::test("checks::a_clean_record_passes", a_clean_record_passes),
        Trial::test(
            "checks::records_that_lie_are_noticed",
            records_that_lie_are_noticed,
        ),
    ]
}

fn the_corpus_is_whole(counts: &[(&str, usize, usize)]) -> Result<(), Failed> {
    for (folder, least, count) in counts {
        expect(
            count >= least,
            &format!("{folder} has {count} programs, not {least}"),
        )?;
    }
    Ok(())
}

fn a_changed_digit_is_noticed() -> Result<(), Failed> {
    let mut changed = outcome();
    changed.stdout[9] ^= 1;
    expect(
        difference(&outcome(), &outcome()).is_none(),
        "equal runs are said to differ",
    )?;
    expect(
        difference(&outcome(), &changed).is_some(),
        "a changed digit goes unnoticed",
    )?;
    let mut longer = outcome();
    longer.stderr.push(b'!');
    expect(
        difference(&outcome(), &longer).is_some(),
        "more on stderr goes unnoticed",
    )
}

fn another_end_is_noticed() -> Result<(), Failed> {
    for ending in [Ending::Status(1), Ending::Signal(11), Ending::TimeOut] {
        let other = Outcome {
            ending,
            ..outcome()
        };
        expect(
            difference(&outcome(), &other).is_some(),
            &format!("{ending:?} goes unnoticed"),
        )?;
    }
    Ok(())
}

fn a_clean_record_passes() -> Result<(), Failed> {
    let truth = about(&["operations=10", "fresh=3", "lost=Format"]);
    let found = records::complaints(&[process()], &truth, Mode::Same);
    expect(found.is_empty(), &format!("unfounded: {found:?}"))
}

fn records_that_lie_are_noticed() -> Result<(), Failed> {
    let mut differs = process();
    differs.modules[0].totals[0].differences = 1;
    let mut module_lost = process();
    module_lost.modules_lost = 1;
    let mut other_mode = process();
    other_mode.modules[0].table.mode = Mode::Carry;
    let mut idle = process();
    idle.modules[0].counters[0] = 0;
    for broken in [differs, module_lost, other_mode, idle] {
        let found = records::complaints(&[broken], &about(&["operations=10"]), Mode::Same);
        expect(
            found.len() == 1,
            &format!("one complaint expected, found {found:?}"),
        )?;
    }
    for wrong in ["processes=2", "operations=11", "lost=Atomic", "fresh=2"] {
        let found =
            records::complaints(&[process()], &about(&["operations=10", wrong]), Mode::Same);
        expect(!found.is_empty(), &format!("{wrong} goes unnoticed"))?;
    }
    Ok(())
}

fn expect(holds: bool, problem: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(problem.into()) }
}

fn about(directives: &[&str]) -> Directives {
    let lines: String = directives
        .iter()
        .map(|line| format!("# lostbits: {line}\n"))
        .collect();
    Directives::parse(&lines, "#").expect("good directives")
}

fn outcome() -> Outcome {
    let text = |text: &str| text.as_bytes().to_vec();
    Outcome {
        stdout: text("0x1.999ap-4\n"),
        stderr: text("done\n"),
        ending: Ending::Status(0),
    }
}

/// A process that executed one operation ten times, lost ten shadows, and saw three fresh values.
fn process() -> ProcessRecord {
    let site = |what| Site {
        file: "a.c".into(),
        function: "f".into(),
        line: 1,
        column: 2,
        ordinal: 0,
        what,
        kind: Some(FpKind::Double),
        lanes: 1,
        copies: 1,
        callee: String::new(),
        note: None,
        operands: Vec::new(),
        inlined_from: Vec::new(),
    };
    let table = SiteTable {
        mode: Mode::Same,
        version: "0".into(),
        sites: vec![
            site(What::Operation(Op::Add)),
            site(What::Lost(Lost::Format)),
        ],
        counters: 1,
        counts: vec![
            Count {
                counter: 0,
                site: 0,
                times: 1,
            },
            Count {
                counter: 0,
                site: 1,
                times: 1,
            },
        ],
    };
    let mut totals = vec![SiteTotals::default(); table.sites.len()];
    totals[1].fresh = 3;
    ProcessRecord {
        process: 1,
        parent: 0,
        exited: true,
        modules_lost: 0,
        command: Vec::new(),
        modules: vec![ModuleRecord {
            table,
            counters: vec![10],
            totals,
        }],
    }
}
