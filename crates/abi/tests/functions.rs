//! The tables of functions and variables are consistent in themselves.

use std::collections::HashSet;

use lostbits_abi::{
    ABI_VERSION,
    functions::{self, AbiType, Runtime},
    kind::FpKind,
    mode::Mode,
    symbols::PREFIX,
    variables,
};

#[test]
fn every_symbol_is_unique_and_has_the_prefix_that_packing_keeps() {
    let symbols = functions::exported_symbols(Runtime::WithMpfr);
    assert_eq!(symbols.len(), functions::ALL.len() + variables::ALL.len());
    let distinct: HashSet<&str> = symbols.iter().copied().collect();
    assert_eq!(distinct.len(), symbols.len());
    assert!(symbols.iter().all(|symbol| symbol.starts_with(PREFIX)));
}

#[test]
fn a_function_is_in_the_runtime_of_every_mode_that_calls_it() {
    for function in functions::ALL {
        for mode in function.modes {
            assert!(
                function.runtime <= Runtime::of_mode(*mode),
                "{}",
                function.symbol
            );
        }
    }
}

#[test]
fn the_symbol_of_registration_carries_the_abi_version() {
    let expected = format!("__lostbits_register_abi{ABI_VERSION}");
    assert_eq!(functions::REGISTER.symbol, expected);
}

#[test]
fn functions_of_two_formats_differ_by_symbol_and_types() {
    let double = functions::REALS_STEER.of(FpKind::Double).unwrap();
    let float = functions::REALS_STEER.of(FpKind::Float).unwrap();
    assert_eq!(double.symbol, "__lostbits_reals_steer_double");
    assert_eq!(float.symbol, "__lostbits_reals_steer_float");
    assert_eq!(
        (double.parameters, double.result),
        (&[AbiType::I64, AbiType::F64][..], AbiType::F64)
    );
    assert_eq!(
        (float.parameters, float.result),
        (&[AbiType::I64, AbiType::F32][..], AbiType::F32)
    );
    assert_eq!(functions::REALS_STEER.of(FpKind::X87), None);
}

#[test]
fn thread_locals_of_different_modes_have_different_symbols() {
    assert_ne!(
        variables::ARGUMENTS.symbol(Mode::Watch),
        variables::ARGUMENTS.symbol(Mode::Explain)
    );
    assert_eq!(
        variables::EXPLAIN_SLOT.symbol(Mode::Explain),
        variables::EXPLAIN_SLOT.symbol(Mode::ExplainReals)
    );
}
