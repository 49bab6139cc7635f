//! Random C programs full of decisions between values that are equal, or nearly so, over the real numbers: an
//! expression and the same expression rewritten, compared, converted, rounded, sorted, summed in loops.
//!
//! Programs of chance decide on such values once in a million times; these do so in every line.

use crate::rng::Rng;

/// Decisions in one program, each in a function of its own.
const DECISIONS: usize = 24;

enum Expression {
    Input(usize),
    Constant(usize),
    Binary(char, Box<[Expression; 2]>),
    Call(&'static str, Box<Expression>),
}

use Expression::*;

fn binary(operator: char, left: Expression, right: Expression) -> Expression {
    Binary(operator, Box::new([left, right]))
}

fn call(function: &'static str, argument: Expression) -> Expression {
    Call(function, Box::new(argument))
}

/// An expression and another that is equal in exact arithmetic.
struct Pair([Expression; 2]);

impl Pair {
    fn of(both: impl Fn() -> Expression) -> Pair {
        Pair([both(), both()])
    }

    fn random(rng: &mut Rng, depth: u32) -> Pair {
        if depth == 0 {
            return match rng.below(4) {
                0 => {
                    let constant = rng.below(9) + 1;
                    Pair::of(|| Constant(constant))
                }
                _ => {
                    let input = rng.below(4);
                    Pair::of(|| Input(input))
                }
            };
        }
        let mut inner = || Pair::random(rng, depth - 1).0;
        let ([a, b], [c, d], [e, f]) = (inner(), inner(), inner());
        Pair(match rng.below(10) {
            0 => [
                binary('+', binary('+', a, c), e),
                binary('+', b, binary('+', d, f)),
            ],
            1 => [
                binary('*', binary('*', a, c), e),
                binary('*', b, binary('*', d, f)),
            ],
            2 => [
                binary('*', Constant(3), binary('+', a, c)),
                binary(
                    '+',
                    binary('*', Constant(3), b),
                    binary('*', Constant(3), d),
                ),
            ],
            3 => [
                binary('-', binary('+', a, c), e),
                binary('+', b, binary('-', d, f)),
            ],
            4 => [binary('*', binary('/', a, Constant(7)), Constant(7)), b],
            5 => [call("exp", call("log", a)), b],
            6 => [
                binary('/', a, c),
                binary('*', b, binary('/', Constant(1), d)),
            ],
            7 => [call("square", call("sqrt", a)), b],
            8 => [binary('+', a, c), binary('+', d, b)],
            _ => [
                binary('/', binary('*', a, Constant(3)), Constant(10)),
                binary('*', b, Constant(0)),
            ],
        })
    }
}

fn text(expression: &Expression, kind: &str) -> String {
    match expression {
        Input(index) => format!("x[{index}]"),
        // The last is 0.3.
        Constant(0) => format!("({kind})0.3"),
        Constant(value) => format!("({kind}){value}"),
        Binary(operator, operands) => {
            let [left, right] = operands.each_ref().map(|operand| text(operand, kind));
            format!("({left} {operator} {right})")
        }
        Call(function, argument) => format!("{function}({})", text(argument, kind)),
    }
}

/// The body of a function that decides, on `p` and `q` of type `T`.
fn decision(rng: &mut Rng) -> &'static str {
    const FORMS: &[&str] = &[
        "return p < q;",
        "return p >= q;",
        "return p == q;",
        "T d = p - q; return d > 0;",
        "T d = (p - q) * 3; return d < 0 ? 2 : 1;",
        "return (int)(p / q * 5);",
        "return (int)floor(p / q);",
        "return (int)ceil(4 * (q / p));",
        "return (int)lrint(p / q * (T)0.5);",
        "T m = p > q ? p : q; return m > 2 * q;",
        "T pair[2] = {p, q}; qsort(pair, 2, sizeof(T), by_size); return pair[0] == p;",
        "struct { T value; int tag; } s = {p - q, 1}; return s.value != 0 ? s.tag : 0;",
        "kept = p - q; return is_positive(&kept);",
        "T s = 0; for (int i = 0; i < 10; i++) s += p / 10; return s < q;",
        "T s = p; for (int i = 0; i < 300; i++) s += q / 300; return s < 2 * q;",
        "T s = 1; int n = 0; while (s * p > q * (T)1e-3 && n < 60) { s /= 2; n++; } return n;",
        "switch ((int)(p / q + 2)) { case 2: return 10; case 3: return 20; default: return 30; }",
        "return fmod(p * 4, q) < q / 2;",
    ];
    rng.pick(FORMS)
}

/// The source of a program.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut functions = String::new();
    let mut calls = String::new();
    for index in 0..DECISIONS {
        let kind = if rng.below(5) == 0 { "float" } else { "double" };
        let depth = 1 + rng.below(3) as u32;
        let Pair([p, q]) = Pair::random(&mut rng, depth);
        let [p, q] = [p, q].map(|expression| text(&expression, kind));
        let body = decision(&mut rng).replace("by_size", &format!("by_size_{kind}"));
        let body = body.replace("kept", &format!("kept_{kind}"));
        let body = body.replace("is_positive", &format!("is_positive_{kind}"));
        let function = format!(
            "__attribute__((noinline)) static int f{index}(const T *x) {{\n    T p = {p};\n    T q = {q};\n    {body}\n}}\n\n"
        );
        functions += &typed(&function, kind);
        let inputs: Vec<String> = (0..4).map(|_| input(&mut rng)).collect();
        calls += &format!(
            "    {{ volatile {kind} v[4] = {{{}}}; {kind} x[4]; for (int i = 0; i < 4; i++) x[i] = v[i];\n      printf(\"%d\\n\", f{index}(x)); }}\n",
            inputs.join(", ")
        );
    }
    format!("{PRELUDE}{functions}int main(void) {{\n{calls}    return 0;\n}}\n")
}

/// The function for a type: a float's error would look small in a double.
fn typed(function: &str, kind: &str) -> String {
    let mut text = function.replace("T ", &format!("{kind} "));
    text = text.replace("(T)", &format!("({kind})"));
    if kind == "float" {
        for name in [
            "floor(", "ceil(", "lrint(", "fmod(", "exp(", "log(", "sqrt(",
        ] {
            text = text.replace(name, &name.replace('(', "f("));
        }
    }
    text
}

/// A decimal number with few digits, which no binary number is.
fn input(rng: &mut Rng) -> String {
    match rng.below(3) {
        0 => format!("0.{}", rng.below(9) + 1),
        1 => format!("{}.{}", rng.below(20), rng.below(9) + 1),
        _ => format!("{}.{:03}", rng.below(3), rng.below(999) + 1),
    }
}

const PRELUDE: &str = "#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double kept_double;
static float kept_float;

#define square(x) ((x) * (x))
__attribute__((noinline)) static int is_positive_double(const double *x) { return *x > 0; }
__attribute__((noinline)) static int is_positive_float(const float *x) { return *x > 0; }

static int by_size_double(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

static int by_size_float(const void *a, const void *b) {
    float p = *(const float *)a, q = *(const float *)b;
    return (p > q) - (p < q);
}

";
