//! Mutation test of the prover: whole repairs that are wrong on a small part of the box.

use lostbits::{
    fix::{
        candidate::{Candidate, Transformation},
        error,
        establish::{Known, establish, is_made_by},
        exact,
        interval::Interval,
        machine::{self, Width},
        math::{Term, parse},
        plan::{Plan, Threshold},
        points::Points,
        prove::prove,
        search::Found,
        subject::Subject,
    },
    fpcore::read_cores,
    numeric::Random,
};

use crate::refusals::CASES;

/// A subject of a term in `$0` and `$1` over a box.
fn subject(text: &str, ranges: &[(f64, f64)]) -> Subject {
    let names = ["x", "y"];
    let body = names
        .iter()
        .enumerate()
        .fold(text.to_owned(), |body, (index, name)| {
            body.replace(&format!("${index}"), name)
        });
    let used = &names[..ranges.len()];
    let bounds: Vec<String> = used
        .iter()
        .zip(ranges)
        .map(|(name, (low, high))| format!("(<= {low:e} {name} {high:e})"))
        .collect();
    let source = format!(
        "(FPCore ({}) :pre (and {}) {body})",
        used.join(" "),
        bounds.join(" ")
    );
    Subject::new(&read_cores(&source).unwrap()[0], &[]).unwrap()
}

fn candidate(subject: &Subject, term: Term) -> Candidate {
    Candidate {
        term,
        ..Candidate::original(subject)
    }
}

fn refused(subject: &Subject, plan: Plan, candidates: Vec<Candidate>) -> Vec<Term> {
    let found = Found {
        plan,
        candidates,
        points: Points::default(),
        out_of_time: false,
    };
    establish(subject, &found, &mut Known::default()).refused
}

fn branch(limit: f64, below: Term, otherwise: Term) -> Plan {
    Plan::Branch {
        test: Threshold {
            variable: 0,
            of_magnitude: false,
            limit,
            inclusive: false,
        },
        below: Box::new(Plan::Term(below)),
        otherwise: Box::new(Plan::Term(otherwise)),
    }
}

/// Each mutant is used only on the lowest hundredth of the first variable's range, a right repair everywhere else.
#[test]
fn ten_repairs_that_are_wrong_on_a_small_part_are_refused() {
    for (original, right, mutant, ranges) in CASES {
        let subject = subject(original, ranges);
        let (low, high) = ranges[0];
        let limit = low + (high - low) / 100.0;
        let [right, mutant] = [right, mutant].map(parse);
        let candidates = [&right, &mutant].map(|term| candidate(&subject, term.clone()));
        let plan = branch(limit, mutant.clone(), right.clone());
        let refused = refused(&subject, plan, candidates.to_vec());
        assert_eq!(refused, [mutant], "{original}");
    }
}

#[test]
fn a_series_is_refused_beyond_its_threshold() {
    let subject = subject("(- (exp $0) 1)", &[(-1.0, 1.0)]);
    let mut series = candidate(&subject, parse("(* $0 (+ 1 (/ $0 2)))"));
    series.remainder = Some(1e-17);
    series.domain = vec![Interval::new(-1e-6, 1e-6)];
    let test = |limit: f64| Plan::Branch {
        test: Threshold {
            variable: 0,
            of_magnitude: true,
            limit,
            inclusive: false,
        },
        below: Box::new(Plan::Term(series.term.clone())),
        otherwise: Box::new(Plan::Term(subject.original.clone())),
    };
    let both = vec![Candidate::original(&subject), series.clone()];
    assert!(refused(&subject, test(1e-6), both.clone()).is_empty());
    assert_eq!(refused(&subject, test(1.01e-6), both), [series.term]);
}

#[test]
fn a_compensation_that_is_not_one_is_refused() {
    let base = parse("(+ (sin (+ $0 $1)) (- (* $0 $1) (* $1 $1)))");
    for by in Transformation::ALL {
        let right = by.apply(&base, Width::Double).unwrap();
        assert!(is_made_by(by, &base, &right, Width::Double));
        let wrong = parse(&right.to_string().replacen("(* $1 $1)", "(* $1 $0)", 1));
        assert!(!is_made_by(by, &base, &wrong, Width::Double));
    }
}

/// Formulas that are accurate on most of their box and not on a small part: no proved box holds an input with a larger error.
#[test]
fn no_proved_box_holds_an_input_with_a_larger_error() {
    let cases: [(&str, &[(f64, f64)]); 6] = [
        ("(- (exp $0) 1)", &[(-4.0, 4.0)]),
        ("(- (sqrt (+ $0 1)) (sqrt $0))", &[(0.0, 1e9)]),
        ("(- (* $0 $0) (* $1 $1))", &[(0.0, 4.0), (1.0, 2.0)]),
        ("(log (+ 1 (* $0 $0)))", &[(0.25, 2.0)]),
        ("(/ (- 1 (cos $0)) (* $0 $0))", &[(-3.0, 3.0)]),
        ("(* $0 (* $0 $0))", &[(-1e-100, 1e-100)]),
    ];
    let mut random = Random::new(11);
    let mut checked = 0;
    for (text, ranges) in cases {
        let subject = subject(text, ranges);
        let plan = Plan::Term(subject.original.clone());
        let proof = prove(&subject, &plan, &|_| 0.0, Some(8));
        assert!(!proof.boxes.is_empty(), "{text}");
        for _ in 0..400 {
            let index = random.below(proof.boxes.len() as u64) as usize;
            let draw = |(low, high): &(f64, f64)| {
                random.double(lostbits::numeric::Range {
                    low: *low,
                    high: *high,
                })
            };
            let input: Vec<f64> = proof.boxes[index].iter().map(draw).collect();
            let Some(exact) = exact::value(&subject.original, &input, Width::Double) else {
                continue;
            };
            let computed = machine::evaluate(&subject.original, &input, Width::Double);
            let ulps = error::ulps(computed, exact, Width::Double).unwrap();
            checked += 1;
            assert!(ulps <= f64::from(proof.ulps), "{text} at {input:?}: {ulps}");
        }
    }
    assert!(checked > 2000, "{checked}");
}
