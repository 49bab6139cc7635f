//! Samples are what the precondition and the ranges allow, and the same for the same seed.

use lostbits::{
    fpcore::{Core, evaluate::Value, infix::read_infix, number::Number, read_cores},
    inputs::{NamedRange, RangeOption, Sample, assign, bounds::ranges, sample},
    numeric::{Range, hexadecimal},
};

fn core(pre: &str) -> Core {
    read_cores(&format!("(FPCore (x y) :pre {pre} (+ x y))"))
        .unwrap()
        .remove(0)
}

fn named(ranges: &[&str]) -> Vec<NamedRange> {
    let read = |text: &&str| RangeOption::read(text).unwrap();
    let given: Vec<RangeOption> = ranges.iter().map(read).collect();
    assign(&given, &["x", "y"]).unwrap()
}

fn number(value: &Value<f64>) -> f64 {
    value.clone().number().unwrap()
}

#[test]
fn ranges_are_read_off_preconditions() {
    let cases = [
        (
            "(and (<= 1 x 2) (< y 0))",
            [(1.0, 2.0), (-f64::MAX, -5e-324)],
        ),
        (
            "(and (> 3 x 1/2) (>= y (* 2 PI)))",
            [
                (0.5f64.next_up(), 3f64.next_down()),
                ((2.0 * std::f64::consts::PI).next_up(), f64::MAX),
            ],
        ),
        (
            "(or (<= 1 x 2) (< 8 x 7) (<= 5 x 6))",
            [(1.0, 6.0), (-f64::MAX, f64::MAX)],
        ),
        ("(<= 0 x y 10)", [(0.0, 10.0), (0.0, 10.0)]),
        // 0.1 is not a double: the first one above it is what C reads.
        ("(<= 0.1 x (- -0.7))", [(0.1, 0.7), (-f64::MAX, f64::MAX)]),
        (
            "(not (< x 3))",
            [(-f64::MAX, f64::MAX), (-f64::MAX, f64::MAX)],
        ),
        ("(== x 4)", [(4.0, 4.0), (-f64::MAX, f64::MAX)]),
        ("TRUE", [(-f64::MAX, f64::MAX), (-f64::MAX, f64::MAX)]),
    ];
    for (pre, expected) in cases {
        let found = ranges(&core(pre), &[]).unwrap();
        let expected = expected.map(|(low, high)| Range { low, high });
        assert_eq!(found, expected, "{pre}");
    }
}

#[test]
fn every_sample_fulfils_the_precondition() {
    let core = core("(and (< 0 x 1) (<= -5 y 5) (> (+ x y) 1) (!= y 2 3) (not (< 3.5 y 4)))");
    let samples = sample(&core, &[], 500, 7).unwrap();
    assert_eq!(samples.len(), 500);
    for point in &samples {
        let (x, y) = (number(&point[0]), number(&point[1]));
        assert!(
            x > 0.0
                && x < 1.0
                && (-5.0..=5.0).contains(&y)
                && x + y >= 1.0
                && !(y > 3.5 && y < 4.0)
        );
    }
    // Both ways of drawing are at work.
    assert!(samples.iter().any(|point| number(&point[0]) < 1e-20));
    assert!(
        samples
            .iter()
            .filter(|point| number(&point[0]) > 0.1)
            .count()
            > 100
    );
}

#[test]
fn ends_of_ranges_and_everyday_numbers_are_among_the_samples() {
    let points = |pre: &str, given: &[&str]| -> Vec<[f64; 2]> {
        let samples = sample(&core(pre), &named(given), 100, 1).unwrap();
        let point = |sample: &Sample| [number(&sample[0]), number(&sample[1])];
        samples.iter().map(point).collect()
    };
    let samples = points("(and (<= -1 x PI) (< 2 y))", &["y=0:10"]);
    let pi = std::f64::consts::PI;
    assert_eq!(samples[0], [-1.0, 2f64.next_up()]);
    assert_eq!(samples[1], [pi, 10.0]);
    let single = points("TRUE", &["x=2:2", "y=-1e-9:-1e-9"]);
    assert!(single.iter().all(|point| *point == [2.0, -1e-9]));
    let open = points("TRUE", &[]);
    let everyday = |point: &&[f64; 2]| (1e-3..=100.0).contains(&point[0].abs());
    assert!(open.iter().filter(everyday).count() > 30);
    assert!(open.iter().any(|point| point[0].abs() > 1e100));
}

#[test]
fn numbers_of_narrow_formats_stay_in_their_ranges() {
    let source = "(FPCore ((! :precision binary32 x) (! :precision integer n))
        :pre (and (<= 0.1 x 0.7) (< 0.5 n 3)) (+ x n))";
    let core = read_cores(source).unwrap().remove(0);
    for point in sample(&core, &[], 200, 1).unwrap() {
        let (x, n) = (number(&point[0]), number(&point[1]));
        assert_eq!(x, f64::from(x as f32));
        assert!([1.0, 2.0].contains(&n), "{n}");
    }
    let source = source.replace("(< 0.5 n 3)", "(< 0.5 n 0.75)");
    let refusal = sample(&read_cores(&source).unwrap()[0], &[], 1, 1).unwrap_err();
    assert!(refusal.to_string().contains("no integer value of `n`"));
}

#[test]
fn a_seed_decides() {
    let core = core("TRUE");
    let drawn = |seed| -> Vec<Sample> { sample(&core, &[], 20, seed).unwrap() };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
}

#[test]
fn formats_sizes_and_examples_are_respected() {
    let source = "(FPCore ((! :precision integer n) (! :precision binary32 x) (A m 2) (B m) y)
        :pre (and (<= 1 n 9) (<= 0 x 1)) :example ([y (/ 1 4)] [n 3]) (+ n x))";
    let core = read_cores(source).unwrap().remove(0);
    let samples = sample(&core, &[], 50, 3).unwrap();
    assert_eq!(
        (number(&samples[0][0]), number(&samples[0][4])),
        (3.0, 0.25)
    );
    for point in &samples {
        let (n, x) = (number(&point[0]), number(&point[1]));
        assert_eq!(n, n.round());
        assert_eq!(x, f64::from(x as f32));
        assert_eq!(
            (point[2].shape()[0], point[2].shape()[1]),
            (point[3].shape()[0], 2)
        );
    }
}

#[test]
fn what_cannot_be_drawn_is_refused_with_advice() {
    let refusal = |pre: &str, given: &[&str]| {
        sample(&core(pre), &named(given), 10, 1)
            .unwrap_err()
            .to_string()
    };
    for (pre, given, reason) in [
        (
            "(== x 0.1)",
            &[][..],
            "no binary64 value of `x` satisfies `(== x 0.1)` in :pre: widen the range, or change :pre",
        ),
        (
            "(< 1 x 0)",
            &[],
            "no binary64 value of `x` satisfies `(< 1 x 0)` in :pre",
        ),
        (
            "(and (< x 0) (< 1 y) (> x 1))",
            &[],
            "no value of `x` satisfies both `(< x 0)` in :pre and `(> x 1)` in :pre",
        ),
        (
            "(and (< 1 y) (< x 0))",
            &["x=1:2"],
            "no value of `x` satisfies both `(< x 0)` in :pre and `--range x=1:2`",
        ),
        (
            "(and (< 0 x 1) (== (* x y) 1/3))",
            &[],
            "none of 4000 inputs drawn satisfies `(== (* x y) 1/3)` in :pre: narrow the variables with --range",
        ),
    ] {
        let found = refusal(pre, given);
        assert!(found.contains(reason), "{pre}: {found}");
    }
    assert!(sample(&read_infix("1 + 2").unwrap(), &[], 3, 1).is_ok());
}

#[test]
fn hexadecimal_numbers_read_back() {
    for x in [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1,
        5e-324,
        f64::MIN_POSITIVE,
        f64::MAX,
        1e22,
        -3e-310,
    ] {
        let text = hexadecimal(x);
        assert_eq!(
            Number::read(&text).unwrap().to_f64().to_bits(),
            x.to_bits(),
            "{text}"
        );
    }
    assert_eq!(hexadecimal(0.75), "0x1.8p-1");
}
