//! The oracle against values known in closed form.

use lostbits::fpcore::{
    evaluate::{Budget, Literals, Stop, Value, evaluate_real},
    infix::read_infix,
    read_cores,
};

const BUDGET: Budget = Budget(50_000);

fn real(source: &str, inputs: &[f64]) -> Result<f64, Stop> {
    let core = match source.starts_with("(FPCore") {
        true => read_cores(source).unwrap().remove(0),
        false => read_infix(source).unwrap(),
    };
    let inputs: Vec<Value<f64>> = inputs.iter().map(|x| Value::Number(*x)).collect();
    evaluate_real(&core, &inputs, Literals::Exact, BUDGET)
        .map(|value| value.number().unwrap().to_f64())
}

#[test]
fn cancellation_costs_the_oracle_nothing() {
    // Rump's example: -54767/66192.
    let rump = "333.75*b^6 + a^2*(11*a^2*b^2 - b^6 - 121*b^4 - 2) + 5.5*b^8 + a/(2*b)";
    assert_eq!(real(rump, &[33096.0, 77617.0]), Ok(-54767.0 / 66192.0));
    // Two precisions would agree on 0 long before the bits of x appear.
    assert_eq!(real("(1 + x) - 1", &[1e-300]), Ok(1e-300));
    assert_eq!(real("(1 - cos(x)) / x^2", &[1e-9]), Ok(0.5));
    assert_eq!(
        real("((x + y)^2 - 2*x*y - y^2) / x^2", &[1e-10, 1e10]),
        Ok(1.0)
    );
    assert_eq!(real("sqrt(x + 1) - sqrt(x)", &[1e30]), Ok(5e-16));
    assert_eq!(real("sin(x)", &[1e22]), Ok(-0.8522008497671888));
    assert_eq!(real("exp(x) / exp(x - 1)", &[1e6]), Ok(std::f64::consts::E));
    assert_eq!(
        real("fmod(x, y)", &[1e18, 7.0]),
        Ok((10u64.pow(18) % 7) as f64)
    );
}

#[test]
fn exceptional_values_are_those_of_the_reals() {
    assert!(real("sqrt(x)", &[-1.0]).unwrap().is_nan());
    assert!(real("log(x - 3)", &[1.0]).unwrap().is_nan());
    assert_eq!(real("1/x", &[0.0]), Ok(f64::INFINITY));
    assert_eq!(real("exp(-exp(x))", &[700.0]), Ok(0.0));
    assert_eq!(real("x*x*x", &[1e200]), Ok(f64::INFINITY));
    assert_eq!(real("1/x - 1/(x + 1)", &[1e200]), Ok(0.0));
    // Beyond every format between, finite at the end.
    assert_eq!(real("x*x*x / (x*x)", &[1e200]), Ok(1e200));
}

#[test]
fn what_no_precision_decides_is_not_guessed() {
    let equal = "(FPCore (x) (if (== (- (exp (log x)) x) 0) 1 2))";
    assert_eq!(real(equal, &[3.0]), Err(Stop::Undecided));
    assert_eq!(
        real("(FPCore (x) (while TRUE ([x x (+ x 1)]) x))", &[3.0]),
        Err(Stop::OutOfSteps(50_000))
    );
}

#[test]
fn literals_are_exact_or_as_compiled() {
    let core = read_infix("(0.1*x - y) * 1e17").unwrap();
    let at = |literals| {
        let inputs = [1.0, 0.1].map(Value::Number);
        let value = evaluate_real(&core, &inputs, literals, BUDGET).unwrap();
        value.number().unwrap().to_f64()
    };
    assert_eq!(at(Literals::Exact), -0.555_111_512_312_578_3);
    assert_eq!(at(Literals::AsCompiled), 0.0);
}

#[test]
fn loops_and_tensors_run() {
    let harmonic = "(FPCore (x) (for ([i 10]) ([s x (+ s (/ 1 (+ i 1)))]) s))";
    assert_eq!(real(harmonic, &[0.0]), Ok(7381.0 / 2520.0));
    let dot = "(FPCore (x) (let ([t (tensor ([i 3]) (* x i))]) (ref t 2)))";
    assert_eq!(real(dot, &[2.5]), Ok(5.0));
    let steps = "(FPCore (n dt) (while* (< t n) ([t 0 (+ t dt)] [i 0 (+ i 1)]) i))";
    assert_eq!(real(steps, &[10.0, 0.2]), Ok(50.0));
    let written = "(FPCore (n) (while* (< t n) ([t 0 (+ t 0.2)] [i 0 (+ i 1)]) i))";
    assert_eq!(real(written, &[10.0]), Ok(50.0)); // t is exactly n at the end
}
