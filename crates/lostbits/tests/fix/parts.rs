//! The search's own machinery against the rest of lostbits.

use lostbits::{
    fix::{
        compensate,
        corrected::corrected,
        exact,
        interval::Interval,
        machine::{self, Width},
        math::{operations, parse},
        plan::Plan,
        prove::relative_error,
        repair::repair,
        report::repaired_core,
        search::Effort,
        series::relative_remainder,
        subject::Subject,
        taylor,
    },
    fpcore::{
        Core,
        evaluate::{Budget, Value, evaluate_machine},
        infix::read_infix,
        read_cores, write,
    },
    inputs::{NamedRange, RangeOption, assign},
    numeric::Random,
};

pub const EFFORT: Effort = Effort {
    seed: 1,
    with_branches: true,
    seconds: None,
};

pub fn subject(text: &str, ranges: &[&str]) -> Subject {
    let core = read_infix(text).unwrap();
    let names: Vec<&str> = core.parameters.iter().map(|p| p.name.as_str()).collect();
    let given: Vec<RangeOption> = ranges
        .iter()
        .map(|range| RangeOption::read(range).unwrap())
        .collect();
    let ranges: Vec<NamedRange> = assign(&given, &names).unwrap();
    Subject::new(&core, &ranges).unwrap()
}

#[test]
fn the_interpreter_computes_what_the_evaluator_computes() {
    let mut random = Random::new(3);
    for text in [
        "sin(x) * cos(y) - tan(x / y)",
        "exp(x) - expm1(y) + log1p(x * x) / 3",
        "sqrt(x * x + y * y) - hypot(x, y)",
        "pow(abs(x), y) + cbrt(x) - atan2(x, y)",
        "asinh(x) + tanh(y) - fma(x, y, 0.1) * pi",
    ] {
        let subject = subject(text, &[]);
        for _ in 0..50 {
            let input: Vec<f64> = (0..2).map(|_| 20.0 * (random.unit() - 0.5)).collect();
            let values: Vec<Value<f64>> = input.iter().map(|x| Value::Number(*x)).collect();
            let expected = evaluate_machine(&subject.core, &values, Budget(1000)).unwrap();
            let expected = expected.number().unwrap().to_f64();
            let found = machine::evaluate(&subject.original, &input, Width::Double);
            assert_eq!(found.to_bits(), expected.to_bits(), "{text} at {input:?}");
        }
    }
}

#[test]
fn products_are_compensated() {
    let plain = parse("(- (* $0 $1) (* $2 $3))");
    let made = compensate::products(&plain).unwrap();
    let input = [1.0 + 2f64.powi(-30), 1.0 - 2f64.powi(-30), 1.0, 1.0];
    let exact = exact::value(&plain, &input, Width::Double).unwrap();
    assert_eq!(exact, -(2f64.powi(-60)));
    assert_eq!(machine::evaluate(&plain, &input, Width::Double), 0.0);
    assert_eq!(machine::evaluate(&made, &input, Width::Double), exact);
    assert!(compensate::products(&parse("(- $0 (* $1 $2))")).is_none());
}

#[test]
fn a_second_word_doubles_the_digits() {
    let cubic = parse("(- (+ (- (* $0 (* $0 $0)) (* 3 (* $0 $0))) (* 3 $0)) 1)");
    let made = corrected(&cubic, Width::Double).unwrap();
    let mut random = Random::new(9);
    for _ in 0..50 {
        let x = 1.0 + 1e-3 * (random.unit() - 0.5);
        let exact = exact::value(&cubic, &[x], Width::Double).unwrap();
        let found = machine::evaluate(&made, &[x], Width::Double);
        assert!(
            ((found - exact) / exact).abs() < 1e-15,
            "{x}: {found} {exact}"
        );
        // In exact arithmetic it is the same number.
        let same = exact::value(&made, &[x], Width::Double).unwrap();
        assert_eq!(same, exact);
    }
    assert!(corrected(&parse("(erf (* $0 $0))"), Width::Double).is_none());
}

/// From the first to the second, for each variable.
type Ranges = &'static [(f64, f64)];

#[test]
fn proved_bounds_hold_and_are_not_idle() {
    let cases: [(&str, Ranges, f64); 5] = [
        ("(* (- $0 $1) (+ $0 $1))", &[(1.0, 2.0), (3.0, 4.0)], 4.0),
        ("(/ 1 (+ (sqrt $0) (sqrt (+ $0 1))))", &[(1.0, 100.0)], 5.0),
        ("(expm1 $0)", &[(0.5, 1.0)], 3.0),
        ("(- (sqrt (+ $0 1)) (sqrt $0))", &[(1.0, 1.1)], 9.0),
        ("(log1p (/ 1 $0))", &[(1.0, 1e6)], 4.0),
    ];
    let mut random = Random::new(5);
    for (text, ranges, most) in cases {
        let term = parse(text);
        let intervals: Vec<Interval> = ranges
            .iter()
            .map(|(low, high)| Interval::new(*low, *high))
            .collect();
        let bound = relative_error(&term, &intervals, Width::Double).unwrap();
        let ulps = bound * 2f64.powi(53);
        assert!(ulps <= most, "{text}: {ulps}");
        let mut seen = 0.0f64;
        for _ in 0..2000 {
            let draw = |(low, high): &(f64, f64)| low + (high - low) * random.unit();
            let input: Vec<f64> = ranges.iter().map(draw).collect();
            let exact = exact::precise(&term, &input, Width::Double).unwrap();
            let computed = machine::evaluate(&term, &input, Width::Double);
            let error = rug::Float::with_val(100, &exact - computed) / &exact;
            seen = seen.max(error.to_f64().abs());
        }
        assert!(seen <= bound, "{text}: {seen} > {bound}");
        assert!(seen > bound / 20.0, "{text}: {seen} is far below {bound}");
    }
    // Where a value can be subnormal, or cancellation is unbounded, nothing is claimed.
    let tiny = [Interval::new(1e-200, 1.0)];
    assert!(relative_error(&parse("(* $0 $0)"), &tiny, Width::Double).is_none());
    let near = [Interval::new(0.0, 1.0)];
    assert!(relative_error(&parse("(- (exp $0) 1)"), &near, Width::Double).is_none());
}

#[test]
fn remainders_of_series_are_bounds() {
    for text in [
        "(- (/ 1 $0) (/ 1 (tan $0)))",
        "(/ (- $0 (sin $0)) (- $0 (tan $0)))",
        "(- (sqrt (+ 1 $0)) 1)",
    ] {
        let term = parse(text);
        let model = taylor::model(&term, 0.3).unwrap();
        for length in [3, 6] {
            let polynomial = taylor::polynomial(0, model.order, &model.coefficients[..length]);
            for x in [0.3, -0.2, 0.05, 1e-3] {
                let exact = exact::precise(&term, &[x], Width::Double).unwrap();
                let series = exact::precise(&polynomial, &[x], Width::Double).unwrap();
                let error = (rug::Float::with_val(150, &exact - &series) / &exact)
                    .abs()
                    .to_f64();
                let bound = relative_remainder(&model, length, x.abs()).unwrap();
                assert!(error <= bound, "{text}: {error} > {bound} at {x}");
                assert!(
                    error == 0.0 || error > bound / 1e4,
                    "{text}: {bound} is idle at {x}"
                );
            }
        }
    }
}

#[test]
fn repairs_are_as_expected() {
    let cases = [
        ("sqrt(x + 1) - sqrt(x)", "1 / (sqrt(x) + sqrt(x + 1))"),
        ("exp(x) - 1", "expm1(x)"),
        ("(1 - cos(x)) / sin(x)", "tan(x / 2)"),
    ];
    for (text, expected) in cases {
        let repair = repair(subject(text, &[]), EFFORT, None);
        let lines = repair.plan.infix(&repair.subject.names, Width::Double);
        let same =
            lines == [expected.to_owned()] || lines == [expected.replace("x / 2", "0.5 * x")];
        assert!(same, "{text} → {lines:?}");
        assert!(!repair.rules.is_empty());
    }
}

#[test]
fn what_is_accurate_is_left_alone() {
    let repair = repair(
        subject("x / (y * y + 1)", &["x=1:2", "y=1:2"]),
        EFFORT,
        None,
    );
    assert_eq!(repair.plan, Plan::Term(repair.subject.original.clone()));
    assert_eq!(operations(&repair.subject.original), 3);
}

#[test]
fn the_same_seed_gives_the_same_repair() {
    let twice: Vec<String> = (0..2)
        .map(|_| {
            let repair = repair(subject("log(x + 1) - log(x)", &[]), EFFORT, None);
            write::core(&repaired_core(&repair))
        })
        .collect();
    assert_eq!(twice[0], twice[1]);
}

#[test]
fn repaired_cores_are_read_again() {
    let source = "(FPCore (x) :name \"cot\" :pre (!= x 0) (- (/ 1 x) (/ 1 (tan x))))";
    let core: Core = read_cores(source).unwrap().remove(0);
    let repair = repair(Subject::new(&core, &[]).unwrap(), EFFORT, None);
    let text = write::core(&repaired_core(&repair));
    let read = read_cores(&text).unwrap();
    for x in [1e-9, 0.01, 0.1, 1.5, 40.0] {
        let value = evaluate_machine(&read[0], &[Value::Number(x)], Budget(1000)).unwrap();
        let exact = exact::value(&repair.subject.original, &[x], Width::Double).unwrap();
        let relative = ((value.number().unwrap().to_f64() - exact) / exact).abs();
        assert!(relative < 1e-14, "{relative} at {x}");
    }
}
