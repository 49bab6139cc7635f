//! Numbers that functions pass as integers.

use crate::built::at_every_level;

#[test]
fn members_of_unions() {
    for program in at_every_level("passed.c", "") {
        for way in ["union", "tagged", "float"] {
            let (cause, reach) = (format!("CAUSE {way}"), format!("REACHED {way}"));
            program.is_found(&format!("{way} 0.3"), &cause, &reach);
        }
        // An integer that happens to have the bits of a number that was wrong before is a right one.
        program.is_clean("bits 0.3 4599076819080052736");
    }
}

#[test]
fn variants() {
    for program in at_every_level("variant.cpp", "-std=c++17") {
        program.is_found("0.3", "CAUSE", "REACHED");
    }
}
