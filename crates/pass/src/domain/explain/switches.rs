//! `--start-at F`, `--stop-at F`: where these functions are entered, the runtime begins to look, or ceases.
//!
//! # What it can miss
//!
//! A function that was inlined is no longer there.

use lostbits_abi::{
    explain::{START_ENV, STOP_ENV},
    symbols,
};

use crate::{
    builder,
    carry::Weaver,
    ir::{self, Value},
};

/// At the last instruction of a function's first block, which comes only once.
pub fn look_at(weaver: &mut Weaver, instruction: Value) {
    let block = ir::parent_block(instruction);
    let all = ir::instructions(block);
    if block != ir::entry(weaver.function) || all.last() != Some(&instruction) {
        return;
    }
    for (variable, looks) in [(START_ENV, 1), (STOP_ENV, 0)] {
        let wanted = std::env::var(variable).unwrap_or_default();
        if is_called(&ir::name(weaver.function), &wanted) {
            let b = weaver.builder;
            b.before(all[0]);
            let told = b.declare(symbols::EXPLAIN_LOOK, b.types.void, &[b.types.i64]);
            b.call(told, &[builder::integer(b.types.i64, looks)]);
        }
    }
}

/// By its symbol, or by its name within one: C++ and Rust write its length before it, Fortran a `P` or `F`.
pub fn is_called(symbol: &str, name: &str) -> bool {
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
    use super::is_called;

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
            assert!(is_called(symbol, "solve"), "{symbol}");
        }
        for symbol in ["resolve", "solver", "_QPresolve", "_ZN6linalg7resolveEd"] {
            assert!(!is_called(symbol, "solve"), "{symbol}");
        }
        assert!(!is_called("main", ""));
    }
}
