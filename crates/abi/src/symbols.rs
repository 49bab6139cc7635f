//! Names of symbols that are in neither table: [`crate::functions`] and [`crate::variables`] have the rest.

/// All symbols of lostbits begin with it. Everything else in the runtime is made local when it is packed, so that it
/// cannot clash with the program's own libraries.
pub const PREFIX: &str = "__lostbits";

/// `int(int last, int test)`: a mark of `include/lostbits.h`, which the pass takes out. No function has this name.
pub const CONVERGENCE: &str = "__lostbits_convergence";

/// `double(double again, double number)`, and for `float` with the suffix `f`: the pass puts it where a number of the program's stands for the exact value
/// of `again`, a computation of the pass's own; and takes it out again. No function has this name.
pub const STANDS_FOR: &str = "__lostbits_stands_for";
