//! The ways in which numbers leave a program.

use crate::built::{Built, at_every_level};

fn reaches(program: &Built, way: &str, mark: &str) {
    let reach = format!("REACHED {mark}");
    program.is_found(&format!("{way} 1e12"), "CAUSE", &reach);
}

/// Functions with a format and a list of arguments, called by a function of the program's own; text and memory.
#[test]
fn in_c() {
    for program in at_every_level("outputs.c", "") {
        for way in ["vprintf", "vfprintf", "vsnprintf", "puts", "write"] {
            reaches(&program, way, way);
        }
        reaches(&program, "many", "vprintf");
        // A float is passed as a double, and is as good as a float can be.
        program.is_clean("harmless 1e12");
    }
}

#[test]
fn in_cpp() {
    for program in at_every_level("outputs.cpp", "") {
        for way in ["to_string", "sstream", "to_chars", "write"] {
            reaches(&program, way, way);
        }
    }
}
