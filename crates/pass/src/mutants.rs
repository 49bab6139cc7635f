//! Wrong versions of single rules, for `make mutants-pass`: every mutant must be noticed by a test.
//!
//! [`is_active`] is constantly false unless the plugin is built with the feature `mutants`; there, the environment variable
//! [`PASS_MUTANT`](lostbits_abi::environment::PASS_MUTANT) names the one that is active.

/// The mutants, each a way in which the pass could be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutant {
    /// Minima and maxima take the other operand's shadow.
    ChoiceTakesOther,
    /// A conversion to an integer is not checked at the next larger integer.
    ConversionIgnoresAbove,
    /// A difference adds the shadow of its second operand.
    DifferenceAdds,
    /// A select takes the shadow of the other operand.
    SelectSwapped,
    /// A phi forgets the shadows of its sources.
    PhiIsExact,
    /// A store does not write the cell.
    StoreWithoutCell,
    /// A loaded value is always exact.
    LoadWithoutCell,
    /// Arguments leave no cells for the callee.
    ArgumentsNotSent,
    /// Results leave no cells for the caller.
    ResultNotSent,
    /// A negation keeps the residue's sign.
    NegationKeepsSign,
    /// A copy of memory leaves its shadows behind.
    CopyWithoutShadows,
    /// The rounding error of a product is dropped.
    ProductIsExact,
    /// An inserted lane takes no shadow along.
    LaneNotInserted,
}

/// Whether a mutant is active in this process.
#[cfg(feature = "mutants")]
pub fn is_active(mutant: Mutant) -> bool {
    let name = std::env::var(lostbits_abi::environment::PASS_MUTANT);
    name.is_ok_and(|name| name == format!("{mutant:?}"))
}

#[cfg(not(feature = "mutants"))]
pub const fn is_active(_: Mutant) -> bool {
    false
}
