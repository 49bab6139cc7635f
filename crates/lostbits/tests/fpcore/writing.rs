//! What is written is what was read, and reads again.

use lostbits::{
    fpcore::{
        infix::read_infix,
        read_cores,
        sexp::{read_all, same},
        write,
    },
    numeric::Range,
};

use crate::collection::sources;

/// Form by form and word by word; only sums and products of many operands are written as they were
/// understood, in pairs.
#[test]
fn every_core_survives_writing() {
    for path in sources() {
        let source = std::fs::read_to_string(&path).unwrap();
        let forms = read_all(&source).unwrap();
        for (form, core) in forms.iter().zip(read_cores(&source).unwrap()) {
            let text = write::core(&core);
            let written = read_all(&text).unwrap();
            let again = read_cores(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
            assert_eq!(write::core(&again[0]), text);
            assert!(
                same(&written[0], form) || has_long_sum(&form.to_string()),
                "{text}"
            );
        }
    }
}

fn has_long_sum(text: &str) -> bool {
    read_all(text).unwrap().iter().any(is_or_holds_long_sum)
}

fn is_or_holds_long_sum(form: &lostbits::fpcore::sexp::Sexp) -> bool {
    let Some(items) = form.list() else {
        return false;
    };
    let head = items.first().and_then(|head| head.atom());
    (matches!(head, Some("+" | "*")) && items.len() > 3) || items.iter().any(is_or_holds_long_sum)
}

#[test]
fn an_expression_becomes_a_core_with_its_ranges() {
    let ranges = [("x", 1e-9, 1e-3), ("y", -2.0, 0.5)];
    let core = read_infix("(1 - cos(x)) / x^2 + -y*pi")
        .unwrap()
        .named("one \"minus\" cosine")
        .within(ranges.map(|(name, low, high)| (name, Range { low, high })));
    let text = write::core(&core);
    assert_eq!(
        text,
        "(FPCore (x y)\n :name \"one 'minus' cosine\"\n \
         :pre (and (<= 1e-9 x 0.001) (<= -2 y 0.5))\n \
         (+ (/ (- 1 (cos x)) (pow x 2)) (* (- y) PI)))\n"
    );
    assert_eq!(write::core(&read_cores(&text).unwrap()[0]), text);
}
