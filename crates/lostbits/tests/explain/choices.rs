//! Minima, maxima and conversions to integers: whose error goes on, and which jumps are checked.

use crate::built::in_every_way;

#[test]
fn minima_and_maxima_take_the_error_of_the_chosen_operand() {
    for program in in_every_way("choices.c", "") {
        program.is_found("min 1e-17", "CAUSE choice", "REACHED min");
        program.is_found("max 1e-17", "CAUSE choice", "REACHED max");
        program.is_clean("other-min 1e-17");
        program.is_clean("other-max 1e-17");
    }
}

/// Computed 2.98, exact 3.03; and computed 3.02, exact 2.97.
#[test]
fn conversions_are_checked_at_the_next_integer_too() {
    for program in in_every_way("choices.c", "") {
        program.is_found("convert 3.05", "CAUSE conversion", "REACHED conversion");
        program.is_found("convert 2.95 up", "CAUSE conversion", "REACHED conversion");
    }
}
