//! The generated C compiles, and computes what the evaluation in the machine's formats does, bit for bit.

use std::{
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
};

use lostbits::fpcore::{
    Core,
    ast::{Dimension, Format},
    c::{self, Function},
    evaluate::{Budget, Machine, Stop, Value, evaluate_machine},
};

use crate::collection::cores;

const SAMPLES: usize = 6;
/// Enough for all loops that end soon; the others are compiled but not run.
const BUDGET: Budget = Budget(200_000);

/// Numbers that have few bits and many, are small and large, and have both signs.
fn inputs(seed: &mut u64, count: usize, format: Format) -> Vec<f64> {
    let mut next = || {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let fraction = (*seed >> 11) as f64 / (1u64 << 53) as f64;
        let x = (fraction - 0.3) * [0.1, 1.0, 7.0, 100.0][(*seed >> 9 & 3) as usize];
        match format {
            Format::Integer => x.abs().round() + 1.0,
            Format::Binary32 => f64::from(x as f32),
            _ => x,
        }
    };
    (0..count).map(|_| next()).collect()
}

fn arguments(core: &Core, seed: &mut u64) -> Vec<Value<f64>> {
    const NAMED: usize = 3;
    let argument = |parameter: &lostbits::fpcore::ast::Parameter| {
        let shape: Vec<usize> = parameter
            .dimensions
            .iter()
            .map(|dimension| match dimension {
                Dimension::Fixed(size) => *size,
                Dimension::Named(_) => NAMED,
            })
            .collect();
        let elements = inputs(seed, shape.iter().product(), parameter.format);
        match shape.is_empty() {
            true => Value::Number(elements[0]),
            false => Value::Tensor { shape, elements },
        }
    };
    core.parameters.iter().map(argument).collect()
}

/// The line that the generated program reads.
fn line(function: &Function, arguments: &[Value<f64>]) -> String {
    let mut values = arguments.iter();
    let mut text = String::new();
    for parameter in &function.parameters {
        if parameter.is_size {
            text.push_str("3 ");
            continue;
        }
        for x in values.next().unwrap().clone().into_elements() {
            // Rust prints decimal numbers that strtod reads back exactly, and integers without a point.
            let _ = write!(text, "{x} ");
        }
    }
    text
}

#[test]
fn compiled_cores_compute_what_the_evaluation_does() {
    let mut unit = c::HEADER.to_owned();
    let mut cases = String::new();
    let mut input = String::new();
    let mut expected: Vec<(String, Vec<Machine>)> = Vec::new();
    let mut seed = 1;
    for (number, listed) in cores().iter().enumerate() {
        let named = format!("{} {:?}", listed.file, listed.core.name());
        let function = c::function(&listed.core, Some(&format!("core_{number}")))
            .unwrap_or_else(|error| panic!("{named}: {error}"));
        let driver = c::driver(&function, &format!("sample_{number}")).unwrap();
        let _ = write!(unit, "\n{}\n{driver}", function.text);
        let _ = writeln!(
            cases,
            "        case {number}: sample_{number}(next); break;"
        );
        for _ in 0..SAMPLES {
            let arguments = arguments(&listed.core, &mut seed);
            match evaluate_machine(&listed.core, &arguments, BUDGET) {
                Ok(value) => {
                    let _ = writeln!(input, "{number} {}", line(&function, &arguments));
                    expected.push((format!("{named} at {arguments:?}"), value.into_elements()));
                }
                Err(Stop::OutOfSteps(_)) => {}
                Err(stop) => panic!("{named}: {stop}"),
            }
        }
    }
    let _ = write!(
        unit,
        "\nint main(void)\n{{\n    char *line = NULL;\n    size_t room = 0;\n    while (getline(&line, &room, stdin) > 1) {{\n        char *next;\n        switch (strtol(line, &next, 10)) {{\n{cases}        }}\n    }}\n}}\n"
    );
    let output = compiled_and_run(&unit, &input);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), expected.len());
    for (line, (named, expected)) in lines.iter().zip(&expected) {
        let computed: Vec<&str> = line.split(' ').collect();
        assert_eq!(computed.len(), expected.len(), "{named}");
        for (computed, expected) in computed.iter().zip(expected) {
            assert!(
                is_same(computed, expected),
                "{named}: {computed}, not {expected:?}"
            );
        }
    }
}

/// Whether C's text is that number. `%a` has no standard form, so the value is compared.
fn is_same(text: &str, expected: &Machine) -> bool {
    if let Machine::Integer(whole) = expected {
        return text == whole.to_string();
    }
    let expected = expected.to_float();
    if text.ends_with("nan") {
        return expected.is_nan();
    }
    if text.ends_with("inf") {
        return expected.is_infinite() && expected.is_sign_negative() == text.starts_with('-');
    }
    let number = lostbits::fpcore::number::Number::read(text).unwrap();
    let value = number.to_float(64);
    value == expected && value.is_sign_negative() == expected.is_sign_negative()
}

fn compiled_and_run(unit: &str, input: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("cores.c"), folder.path().join("cores"));
    std::fs::write(&source, unit).unwrap();
    let compiler = std::env::var("CC").unwrap_or("clang-22".to_owned());
    let compiled = Command::new(compiler)
        // At -O2 clang makes a product of pow(x, 2).
        .args([
            "-O0",
            "-ffp-contract=off",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused",
            "-o",
        ])
        .args([&program, &source])
        .arg("-lm")
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let feeder = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}
