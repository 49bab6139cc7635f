//! The bits of the byte that says how a run intervenes at a site.

/// The operation counts as computed exactly from the operands that it has.
pub const WITHOUT_OWN_ERROR: u8 = 1;
/// The operation's operands count as computed exactly.
pub const WITHOUT_INHERITED_ERROR: u8 = 2;
/// The exact result counts as rounded to `float`; only in programs that are compiled with [`super::ROUND_TO_FLOAT_ENV`].
pub const ROUNDED_TO_FLOAT: u8 = 4;
/// Every execution of a decision is reported, whether or not exact arithmetic may take a different branch.
pub const RECORDED: u8 = 8;
