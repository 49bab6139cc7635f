//! Numbers that functions pass as integers.

use crate::built::{Built, at_every_level, in_every_way};

#[test]
fn members_of_unions() {
    let is_found = |program: &Built, way: &str| {
        let (cause, reach) = (format!("CAUSE {way}"), format!("REACHED {way}"));
        program.is_found(&format!("{way} 0.3"), &cause, &reach);
    };
    for program in at_every_level("passed.c", "") {
        is_found(&program, "float");
    }
    for program in in_every_way("passed.c", "") {
        is_found(&program, "union");
        is_found(&program, "tagged");
        // An integer that happens to have the bits of a number that was wrong before is a right one.
        program.is_clean("bits 0.3 4599076819080052736");
    }
}

#[test]
fn variants() {
    for program in in_every_way("variant.cpp", "-std=c++17") {
        program.is_found("0.3", "CAUSE", "REACHED");
    }
}
