//! A file's cores as one program that times itself: the inputs are in its memory, and each core is evaluated on all
//! of its own, many times. Nothing is read, converted or printed in between: that would take most of the plain
//! program's time and hide the slowdown of every tool.
//!
//! Every result is an output (`lostbits_output`), as it would be if it were printed, and is stored where the plain
//! program has to compute it as well.

use std::fmt::Write;

use lostbits::{
    fpcore::{
        ast::Format,
        c::{self, Function, Outcome},
        evaluate::Value,
    },
    inputs::Sample,
    numeric::hexadecimal,
};

use super::Subject;

/// One core with what it is evaluated on.
pub struct Timed<'a> {
    pub subject: &'a Subject,
    pub samples: Vec<Sample>,
}

/// The program: `program CORE ROUNDS` evaluates the core of that index on all its inputs, ROUNDS times, and prints
/// the nanoseconds of CPU time that it took.
pub fn program(cores: &[Timed]) -> Result<String, String> {
    let mut text = format!("{}#include <time.h>\n#include <lostbits.h>\n\n", c::HEADER);
    text += "volatile double result;\n";
    let mut cases = String::new();
    for (number, timed) in cores.iter().enumerate() {
        text += &rounds(timed, number)?;
        let _ = writeln!(cases, "    case {number}: rounds_{number}(rounds); break;");
    }
    Ok(text + &MAIN.replace("CASES", cases.trim_end()))
}

/// The core's function, its inputs, and the function that evaluates it on them.
fn rounds(timed: &Timed, number: usize) -> Result<String, String> {
    let Timed { subject, samples } = timed;
    let untranslatable = |reason: c::Untranslatable| format!("{}: {reason}", subject.name());
    let function =
        c::function(&subject.core, Some(&format!("core_{number}"))).map_err(untranslatable)?;
    let mut text = format!("\n{}\n", function.text);
    let mut arguments = Vec::new();
    for (index, parameter) in function.parameters.iter().enumerate() {
        let name = format!("input_{number}_{index}");
        let type_name = c::type_name(parameter.format).map_err(untranslatable)?;
        let numbers: Vec<String> = samples
            .iter()
            .map(|sample| literal(&sample[index], parameter.format))
            .collect();
        // Neither static nor constant: the compiler must not know them.
        let _ = writeln!(text, "{type_name} {name}[] = {{{}}};", numbers.join(", "));
        arguments.push(format!("{name}[k]"));
    }
    let _ = write!(
        text,
        "
static void rounds_{number}(long rounds)
{{
    for (long round = 0; round < rounds; round++)
        for (long k = 0; k < {}; k++) {{
{}
        }}
}}
",
        samples.len(),
        evaluation(&function, arguments)?
    );
    Ok(text)
}

/// One call, and what becomes of its result.
fn evaluation(function: &Function, mut arguments: Vec<String>) -> Result<String, String> {
    let name = &function.name;
    let lines = match &function.result {
        Outcome::Number(_) => format!(
            "double value = {name}({});\nresult = value;\nlostbits_output(value);",
            arguments.join(", ")
        ),
        Outcome::Array(format, shape) => {
            arguments.push("values".to_owned());
            let type_name = c::type_name(*format).map_err(|reason| format!("{name}: {reason}"))?;
            let length = shape.join(" * ");
            format!(
                "{type_name} values[{length}];\n{name}({});\nfor (long i = 0; i < {length}; i++) {{\n    result = values[i];\n    lostbits_output(values[i]);\n}}",
                arguments.join(", ")
            )
        }
    };
    let indented = lines.lines().map(|line| format!("            {line}"));
    Ok(indented.collect::<Vec<_>>().join("\n"))
}

/// Whether this core can be in the program: numbers are its arguments, of which FPBench's all have some (else the
/// compiler would compute the result).
pub fn is_timeable(function: &Function) -> bool {
    let is_number = |parameter: &c::Argument| parameter.shape.is_empty();
    !function.parameters.is_empty() && function.parameters.iter().all(is_number)
}

fn literal(value: &Value<f64>, format: Format) -> String {
    let Value::Number(number) = value else {
        unreachable!("only cores of numbers are timed");
    };
    match format {
        Format::Integer => format!("{number}"),
        _ => hexadecimal(*number),
    }
}

const MAIN: &str = "
static long long nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int count, char **arguments)
{
    if (count < 3)
        return 2;
    long rounds = atol(arguments[2]);
    long long start = nanoseconds();
    switch (atoi(arguments[1])) {
CASES
    default: return 2;
    }
    printf(\"%lld\\n\", nanoseconds() - start);
    return 0;
}
";

#[cfg(test)]
mod tests {
    use super::*;
    use lostbits::fpcore::read_cores;

    #[test]
    fn every_input_is_evaluated_and_every_number_of_the_result_is_an_output() {
        let core = read_cores("(FPCore (x) (array (+ x 1) (* x x)))")
            .expect("it is right")
            .remove(0);
        let subject = Subject {
            file: "some".to_owned(),
            function: c::function(&core, None).expect("it has C"),
            core,
            source: "some.c".into(),
        };
        assert!(is_timeable(&subject.function));
        let samples = vec![vec![Value::Number(1.5)], vec![Value::Number(-0.25)]];
        let text = program(&[Timed {
            subject: &subject,
            samples,
        }])
        .expect("it is translated");
        for part in [
            "double input_0_0[] = {0x1.8p+0, -0x1p-2};\n",
            "for (long k = 0; k < 2; k++) {\n",
            "double values[2];\n            core_0(input_0_0[k], values);\n",
            "lostbits_output(values[i]);\n",
            "case 0: rounds_0(rounds); break;\n",
        ] {
            assert!(text.contains(part), "no `{part}` in {text}");
        }
    }
}
