//! What counts as an output besides what a program writes: the contract of `--judge`.
//!
//! The tool passes the names to the pass in [`crate::environment::JUDGE`]; a site of such an output has one of these names
//! as its callee.

/// The number that a function returns.
pub const RESULT: &str = "result";
/// An operand of an assertion; `#` and a number follow.
pub const ASSERTION: &str = "assertion";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// What the program writes; always judged.
    Outputs,
    Results,
    Assertions,
}

impl Judged {
    pub const ALL: [Judged; 3] = [Judged::Outputs, Judged::Results, Judged::Assertions];

    pub fn name(self) -> &'static str {
        match self {
            Judged::Outputs => "outputs",
            Judged::Results => "results",
            Judged::Assertions => "assertions",
        }
    }

    pub fn from_name(name: &str) -> Option<Judged> {
        Self::ALL.into_iter().find(|judged| judged.name() == name)
    }
}
