//! Every input of a float is checked.

use lostbits::{
    fix::{
        error::{from_ordinal, ordinal, ulps},
        exact, exhaustive,
        machine::{self, Width},
        math::parse,
        plan::Plan,
        subject::Subject,
    },
    fpcore::read_cores,
};

fn subject(body: &str, low: f64, high: f64) -> Subject {
    let source = format!("(FPCore (x) :precision binary32 :pre (<= {low:e} x {high:e}) {body})");
    Subject::new(&read_cores(&source).unwrap()[0], &[]).unwrap()
}

/// The fast check of every input agrees with the interval evaluator, input by input.
#[test]
fn the_check_agrees_with_the_interval_evaluator() {
    let subject = subject("(- (exp x) 1)", 0.0009, 0.00091);
    let plan = Plan::Term(parse("(expm1 $0)"));
    let found = exhaustive::check(&subject, &plan, None).unwrap();
    let [low, high] =
        [subject.ranges[0].low, subject.ranges[0].high].map(|x| ordinal(x, Width::Single));
    let (mut worst, mut before) = (0, 0);
    for at in (low..=high).step_by(7) {
        let input = [from_ordinal(at, Width::Single)];
        let exact = exact::value(&subject.original, &input, Width::Single).unwrap();
        let error = |term| {
            let value = machine::evaluate(term, &input, Width::Single);
            ulps(value, exact, Width::Single).unwrap() as u64
        };
        worst = worst.max(error(plan.leaf(&input)));
        before = before.max(error(&subject.original));
    }
    assert_eq!(found.checked, high.abs_diff(low) + 1);
    assert_eq!(found.open, 0);
    assert!(
        worst <= found.worst_ulps && found.worst_ulps <= worst + 1,
        "{found:?} {worst}"
    );
    assert!(
        found.original_ulps >= before && before > 100,
        "{found:?} {before}"
    );
    assert_eq!((found.worse_by_one, found.most_worse), (0, None));
}

/// A formula that is wrong at a single float is found out.
#[test]
fn one_wrong_float_is_found() {
    let subject = subject("(* x (+ x 1))", 1.0, 2.0);
    let wrong = f64::from(1.234_567_9_f32);
    let term = format!(
        "(* (+ $0 1) (fmax $0 (- {} (fabs (* 1e30 (- $0 {wrong:e}))))))",
        wrong * 1.01
    );
    let found = exhaustive::check(&subject, &Plan::Term(parse(&term)), None).unwrap();
    assert_eq!(found.worse_by_four, 1, "{found:?}");
    assert_eq!(found.most_worse, Some(wrong));
    let right = Plan::Term(subject.original.clone());
    assert_eq!(
        exhaustive::check(&subject, &right, None)
            .unwrap()
            .worse_by_one,
        0
    );
}
