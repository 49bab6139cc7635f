//! Samples are what the precondition and the ranges allow, and the same for the same seed.

use lostbits::fpcore::{
    Core,
    c::hexadecimal,
    evaluate::Value,
    infix::read_infix,
    number::Number,
    range::{NamedRange, Range, ranges},
    read_cores,
    sample::{Sample, sample},
};

fn core(pre: &str) -> Core {
    read_cores(&format!("(FPCore (x y) :pre {pre} (+ x y))"))
        .unwrap()
        .remove(0)
}

fn number(value: &Value<f64>) -> f64 {
    value.clone().number().unwrap()
}

#[test]
fn ranges_are_read_off_preconditions() {
    let cases = [
        ("(and (<= 1 x 2) (< y 0))", [(1.0, 2.0), (-f64::MAX, 0.0)]),
        (
            "(and (> 3 x 1/2) (>= y (* 2 PI)))",
            [(0.5, 3.0), (2.0 * std::f64::consts::PI, f64::MAX)],
        ),
        (
            "(or (< 1 x 2) (< 5 x 6))",
            [(1.0, 6.0), (-f64::MAX, f64::MAX)],
        ),
        ("(< 0 x y 10)", [(0.0, 10.0), (0.0, 10.0)]),
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
        let given: Vec<NamedRange> = given
            .iter()
            .map(|text| NamedRange::read(text).unwrap())
            .collect();
        sample(&core(pre), &given, 10, 1).unwrap_err().to_string()
    };
    assert!(refusal("(< 1 x 0)", &[]).contains("`x`"));
    assert!(refusal("(== (* x y) 1/3)", &[]).contains("--range"));
    assert!(refusal("TRUE", &["z=1:2"]).contains("the variables are x, y"));
    for text in ["x", "x=1", "x=1:", "=1:2", "x=a:b", "x=1:1e999"] {
        assert!(
            NamedRange::read(text)
                .unwrap_err()
                .to_string()
                .contains("--range x=LOW:HIGH"),
            "{text}"
        );
    }
    assert!(
        NamedRange::read("x=2:1")
            .unwrap_err()
            .to_string()
            .contains("empty")
    );
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
