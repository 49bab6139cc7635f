//! `lostbits-z3`: answers one SMT-LIB 2 query with the machine's libz3.
//!
//! A separate program, because it alone is linked with libz3: `lostbits` works without it, and a query that exhausts memory or
//! never ends can be killed. It reads declarations and assertions (up to `(check-sat)`) from standard input and answers like any
//! solver: `sat`, `unsat` or `unknown`, and after `sat` a pair for each constant. Its argument limits Z3's work, in Z3's own
//! units, which are the same on every machine.

use std::io::Read;

use z3::{SatResult, Solver, set_global_param};

fn main() {
    let mut query = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut query) {
        eprintln!("lostbits-z3: cannot read the query: {error}");
        std::process::exit(2);
    }
    if let Some(units) = std::env::args().nth(1) {
        set_global_param("rlimit", &units);
    }
    let solver = Solver::new();
    solver.from_string(assertions(&query));
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

/// Everything before `(check-sat)`, without settings.
fn assertions(query: &str) -> String {
    let before = query.split("(check-sat)").next().unwrap_or_default();
    let is_setting = |line: &&str| line.starts_with("(set-");
    let lines: Vec<&str> = before.lines().filter(|line| !is_setting(line)).collect();
    lines.join("\n")
}

/// Converts each line `x -> #x0` of a model to `(x #x0)`.
fn pairs(model: &str) -> String {
    let pair = |line: &str| {
        let (name, value) = line.split_once(" -> ")?;
        Some(format!("({name} {value})"))
    };
    let all: Vec<String> = model.lines().filter_map(pair).collect();
    all.join(" ")
}
