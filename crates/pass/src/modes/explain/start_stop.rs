//! `--start-at F`, `--stop-at F`: where these functions are entered, the runtime begins to look, or ceases.
//!
//! # What it can miss
//!
//! A function that was inlined is no longer there.

use lostbits_abi::{
    explain::{START_ENV, STOP_ENV},
    functions,
};

use crate::{
    builder,
    carry::FunctionInstrumenter,
    ir::{self, Value},
};

/// At the last instruction of a function's first block, which comes only once.
pub fn observe(cx: &mut FunctionInstrumenter, instruction: Value) {
    let block = ir::parent_block(instruction);
    if block != ir::entry(cx.function) || ir::next_in_block(instruction).is_some() {
        return;
    }
    for (variable, checks) in [(START_ENV, 1), (STOP_ENV, 0)] {
        let wanted = std::env::var(variable).unwrap_or_default();
        if symbol_matches(&ir::name(cx.function), &wanted) {
            let b = cx.builder;
            b.before(ir::first_instruction(block));
            b.call_runtime(
                functions::EXPLAIN_SWITCH,
                &[builder::integer(b.types.i64, checks)],
            );
        }
    }
}

/// By its symbol, or by its name within one: C++ and Rust write its length before it, Fortran a `P` or `F`.
pub fn symbol_matches(symbol: &str, name: &str) -> bool {
    let counted = format!("{}{name}", name.len());
    let fortran =
        symbol.starts_with("_Q") && symbol.ends_with(&format!("P{}", name.to_lowercase()));
    !name.is_empty()
        && (symbol == name
            || symbol == format!("{name}_")
            || fortran
            || (symbol.starts_with('_') && symbol.contains(&counted)))
}

#[cfg(test)]
mod tests {
    use super::symbol_matches;

    #[test]
    fn names_of_four_languages() {
        for symbol in [
            "solve",
            "solve_",
            "_QPsolve",
            "_QMlinalgPsolve",
            "_ZN6linalg5solveEd",
            "_RNvCs1_3lib5solve",
        ] {
            assert!(symbol_matches(symbol, "solve"), "{symbol}");
        }
        for symbol in ["resolve", "solver", "_QPresolve", "_ZN6linalg7resolveEd"] {
            assert!(!symbol_matches(symbol, "solve"), "{symbol}");
        }
        assert!(!symbol_matches("main", ""));
    }
}
