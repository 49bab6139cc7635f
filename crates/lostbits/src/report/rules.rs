//! The kinds of findings, with what they mean and what usually helps.

use crate::config::UNKNOWN_CAUSE;

/// A kind of finding.
pub struct Rule {
    /// As reports name it.
    pub id: &'static str,
    /// In CamelCase, as SARIF wants it.
    pub name: &'static str,
    pub summary: &'static str,
    pub help: &'static str,
}

pub const RULES: [Rule; 10] = [
    Rule {
        id: "cancellation",
        name: "Cancellation",
        summary: "Nearly equal numbers are subtracted",
        help: "The leading digits of the operands cancel, and their rounding errors remain. Rewrite the formula so that the \
               difference is not needed: `lostbits fix` looks for such a formula.",
    },
    Rule {
        id: "amplification",
        name: "Amplification",
        summary: "An operation amplifies the errors of its operands",
        help: "A small relative error of the operand becomes a large one of the result. Compute the operand more accurately, or \
               rewrite the formula: `lostbits fix` looks for another.",
    },
    Rule {
        id: "accumulation",
        name: "Accumulation",
        summary: "Rounding errors of many operations add up",
        help: "Sum in a wider format, in pairs, or with compensation (Kahan, Neumaier).",
    },
    Rule {
        id: "loss",
        name: "Loss",
        summary: "An operation loses bits",
        help: "The result of this operation has fewer right bits than its operands allow. Rewrite the formula, or use a wider \
               format here.",
    },
    Rule {
        id: "underflow",
        name: "Underflow",
        summary: "A number is too small for its format",
        help: "Scale the computation, or work with logarithms.",
    },
    Rule {
        id: "nan",
        name: "NotANumber",
        summary: "An operation makes a NaN of numbers",
        help: "Check the operands before: a root or logarithm of a negative number, 0/0, or a difference of infinities.",
    },
    Rule {
        id: "infinity",
        name: "Infinity",
        summary: "An operation makes an infinity of finite numbers",
        help: "Check for a division by zero; scale the computation if its range is too large.",
    },
    Rule {
        id: "division-by-zero",
        name: "DivisionByZero",
        summary: "A divisor is zero in exact arithmetic, and rounding noise in the program",
        help: "The quotient means nothing, and neither does what is computed from it. Test the divisor against the rounding errors of \
               the numbers that cancelled in it, and treat this case by itself.",
    },
    Rule {
        id: UNKNOWN_CAUSE,
        name: "UnknownCause",
        summary: "A result is wrong, and no single operation explains it",
        help: "If the value comes from code that lostbits did not compile, compile that code with lostbits too.",
    },
    Rule {
        id: "unstable-decision",
        name: "UnstableDecision",
        summary: "A comparison or conversion depends on an amplified error",
        help: "In exact arithmetic the decision may be different. `lostbits watch --rerun` checks it in high precision.",
    },
];

/// The rule of a kind. Kinds without one are a mistake of lostbits, and count as losses.
pub fn rule(kind: &str) -> &'static Rule {
    let found = RULES.iter().find(|rule| rule.id == kind);
    debug_assert!(found.is_some(), "no rule for {kind}");
    found.unwrap_or(&RULES[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::KINDS;

    #[test]
    fn every_kind_can_be_ignored_and_has_a_rule() {
        let mut rules = RULES.map(|rule| rule.id);
        rules.sort();
        assert_eq!(rules[..], KINDS[..]);
    }
}
