//! `lostbits-z3`: answers one question in SMT-LIB 2, by the machine's libz3.
//!
//! A program of its own, because it is linked differently: `lostbits` does without libz3 where there is
//! none, and a question that eats all memory or never ends takes nobody with it. It reads declarations and
//! assertions (up to `(check-sat)`) on standard input, and answers as any solver does: `sat`, `unsat` or
//! `unknown`, and with `sat` a pair for each constant. Its argument is how much Z3 may do, in Z3's own
//! units, which are the same on every machine.

use std::io::Read;

use z3::{SatResult, Solver, set_global_param};

fn main() {
    let mut question = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut question) {
        eprintln!("lostbits-z3: cannot read the question: {error}");
        std::process::exit(2);
    }
    if let Some(units) = std::env::args().nth(1) {
        set_global_param("rlimit", &units);
    }
    let solver = Solver::new();
    solver.from_string(assertions(&question));
    match solver.check() {
        SatResult::Unsat => println!("unsat"),
        SatResult::Unknown => println!("unknown"),
        SatResult::Sat => {
            println!("sat");
            let model = solver.get_model().map(|model| model.to_string());
            println!("({})", pairs(&model.unwrap_or_default()));
        }
    }
}

/// Everything before the question itself, without settings.
fn assertions(question: &str) -> String {
    let before = question.split("(check-sat)").next().unwrap_or_default();
    let is_setting = |line: &&str| line.starts_with("(set-");
    let lines: Vec<&str> = before.lines().filter(|line| !is_setting(line)).collect();
    lines.join("\n")
}

/// From `x -> #x0` in each line.
fn pairs(model: &str) -> String {
    let pair = |line: &str| {
        let (name, value) = line.split_once(" -> ")?;
        Some(format!("({name} {value})"))
    };
    let all: Vec<String> = model.lines().filter_map(pair).collect();
    all.join(" ")
}
