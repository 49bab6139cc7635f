//! The ways in which numbers leave a program.

use crate::subjects::{LEVELS, Run, clean};

fn reaches(source: &str, how: &str, mark: &str) {
    let arguments = format!("{how} 1e12");
    for options in LEVELS {
        Run {
            sources: &[source],
            options,
            arguments: &arguments,
        }
        .is_found_to_reach("CAUSE", &format!("REACHED {mark}"));
    }
}

/// Functions with a format and a list of arguments, called by a function of the program's own.
#[test]
fn lists_of_arguments() {
    for how in ["vprintf", "vfprintf", "vsnprintf"] {
        reaches("outputs.c", how, how);
    }
    reaches("outputs.c", "many", "vprintf");
    // A float is passed as a double, and is as good as a float can be.
    clean(&["outputs.c"], &LEVELS, "harmless 1e12");
}

#[test]
fn text_and_memory() {
    for how in ["puts", "write"] {
        reaches("outputs.c", how, how);
    }
}

#[test]
fn in_cpp() {
    for how in ["to_string", "sstream", "to_chars", "write"] {
        reaches("outputs.cpp", how, how);
    }
}
