//! Numbers that code without instrumentation moves, or moves in pieces, keep their errors; what computes is named.

use serde_json::{Value, json};

use crate::{
    built::{Built, at_every_level, in_every_way},
    sandbox::Sandbox,
    subjects::{causes, marked, rows},
};

/// The cause is found, and reaches the lines that are marked for this way of moving, as the whole argument line says.
fn is_followed(program: &Built, way: &str, arguments: &str) {
    program.is_found(
        &format!("{way} {arguments}"),
        "CAUSE",
        &format!("REACHED {way}"),
    );
}

#[test]
fn what_the_c_library_sorts() {
    for program in in_every_way("sorted.c", "") {
        for way in ["numbers", "structures", "context", "found"] {
            is_followed(&program, way, "1e-9");
        }
    }
}

#[test]
fn sorts_that_an_exception_leaves() {
    for program in in_every_way("thrown.cpp", "") {
        program.is_found("1e-9", "CAUSE", "REACHED");
    }
}

#[test]
fn what_rust_sorts() {
    for program in in_every_way("sorted.rs", "") {
        for way in ["stable", "unstable", "total", "unstable-total"] {
            for count in [7, 20, 100] {
                program.is_found(&format!("{way} 1e-9 {count}"), "CAUSE", "REACHED");
            }
        }
    }
}

#[test]
fn pieces_of_numbers() {
    for program in in_every_way("pieces.c", "") {
        for way in ["bytes", "shorts", "backwards"] {
            is_followed(&program, way, "1e-9");
        }
    }
    for program in at_every_level("pieces.c", "") {
        program.is_found("pair 1e-5", "LESS", "REACHED pair");
    }
}

/// Without optimisation the operations are those of floats, which lose nothing: only conversions do, and the cause is unknown.
#[test]
fn half_precision_in_memory() {
    for program in in_every_way("half.c", "") {
        let report = program.explain("0.0011");
        let [finding] = &rows(&report["findings"]).collect::<Vec<_>>()[..] else {
            panic!("{report:#}");
        };
        let is_known = finding["kind"] != "unknown-cause";
        let expected = if is_known { "CAUSE" } else { "REACHED" };
        assert_eq!(causes(&report), marked(&["half.c"], expected), "{report:#}");
    }
}

#[test]
fn library_functions_through_pointers() {
    for program in in_every_way("called.c", "") {
        let is_found = |way: &str, arguments: &str| {
            let (cause, reach) = (format!("CAUSE {way}"), format!("REACHED {way}"));
            program.is_found(&format!("{way} {arguments}"), &cause, &reach);
        };
        is_found("through", "1e-9 sin");
        is_found("through", "1e-9 log");
        is_found("through", "1e-9 sqrt");
        // The logarithm of nearly 1; where a table has its address, as the table's line.
        program.is_found("difference 1e-9 log", "CAUSE log", "REACHED difference");
        is_found("difference", "1e-9 sin");
        is_found("argument", "1e-9");
        program.is_clean("exact 0.3 log");
        program.is_clean("exact 0.3 sin");
        let named =
            program.explain("exact 0.3 sin")["untracked"]["uninstrumented_functions"].clone();
        assert_eq!(named, json!([]));
    }
}

#[test]
fn what_fortran_moves() {
    for program in in_every_way("rearranged.f90", "") {
        for way in ["pack", "spread", "cshift", "transpose", "minval"] {
            is_followed(&program, way, "1e12");
        }
    }
}

/// Where it computes, the function is named; where it does not, nothing is.
#[test]
fn what_fortran_computes_is_named() {
    let unoptimised = &at_every_level("rearranged.f90", "")[0];
    let report = unoptimised.explain("norm2 1e12");
    let named = &report["untracked"]["uninstrumented_functions"];
    assert_eq!(*named, json!(["norm2"]), "{report:#}");
    let report = unoptimised.explain("pack 1e12");
    assert_eq!(
        report["untracked"]["uninstrumented_functions"],
        json!([]),
        "{report:#}"
    );
}

const MOVERS: &str = "#include <stddef.h>\n\
    void exchange(void *to, const void *from, size_t n) { char *d = to; const char *s = from; while (n--) *d++ = *s++; }\n\
    void turn(void *list, int n) { double *x = list; for (int i = 0; i < n / 2; i++) { double t = x[i]; x[i] = x[n-1-i]; x[n-1-i] = t; } }\n\
    void gather(float *to, const float *from, int n) { for (int i = 0; i < n; i++) to[i] = from[n - i]; }\n\
    void halve(double *x) { *x = *x / 3; }\n";

const MOVING: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
    void exchange(void *, const void *, size_t), turn(void *, int), gather(float *, const float *, int), halve(double *);\n\
    int main(int argc, char **argv) {\n\
    double x = atof(argv[2]); int n = 6;\n\
    double *list = malloc(n * sizeof *list), *halo = malloc(n * sizeof *halo), local[6]; float few[6], some[6];\n\
    for (int i = 0; i < n; i++) { halo[i] = 1; local[i] = i; few[i] = i; some[i] = i; list[i] = (i + x) - i; }\n\
    some[2] = (3 + (float)x) - 3;\n\
    if (*argv[1] == 'e') exchange(halo, list, n * sizeof *list);\n\
    if (*argv[1] == 'p') exchange(local, list + 2, 3 * sizeof *list);\n\
    if (*argv[1] == 't') { turn(list, n); memcpy(halo, list, n * sizeof *list); }\n\
    if (*argv[1] == 'g') gather(few, some, 5);\n\
    if (*argv[1] == 'h') { halo[1] = list[1]; halve(halo + 1); }\n\
    printf(\"%.17g\\n%.17g\\n%.9g\\n\", halo[*argv[1] == 't' ? 0 : 1], local[0], few[3]);\n}\n";

/// `argument` selects what is called; gives the report.
fn with_movers(level: &str, precision: &[&str], argument: &str) -> Value {
    let sandbox = Sandbox::new();
    sandbox.write("movers.c", MOVERS);
    sandbox.write("main.c", MOVING);
    let words = ["cc", "--lostbits-mode=off", "-O1", "-c", "movers.c"];
    sandbox.succeed(&mut sandbox.lostbits(&words));
    let mut words = vec![
        "explain",
        "--prove=0",
        "--min-output-bits=5",
        "--format",
        "json",
        "--report",
        "report",
    ];
    words.extend(precision);
    words.extend(["main.c", "movers.o", level, "--", argument, "1.1e-4"]);
    sandbox.lostbits(&words).output().expect("it starts");
    serde_json::from_str(&sandbox.read("report")).expect("JSON")
}

/// Memory that an uninstrumented function gets: what it moves keeps its errors, and only what computes is named.
#[test]
fn buffers_of_functions_outside() {
    for (level, precision) in [
        ("-O0", &[][..]),
        ("-O2", &[]),
        ("-O2", &["--precision", "1000"]),
    ] {
        for (argument, named) in [("e", ""), ("p", ""), ("t", ""), ("g", ""), ("h", "halve")] {
            let report = with_movers(level, precision, argument);
            let what = format!("{level} {precision:?} {argument}: {report:#}");
            let wrong = argument != "h";
            assert_eq!(
                report["findings"].as_array().unwrap().len(),
                usize::from(wrong),
                "{what}"
            );
            let names: Vec<&str> = Some(named)
                .filter(|name| !name.is_empty())
                .into_iter()
                .collect();
            // What is gathered from several arrays may look computed: it is named to be sure.
            if argument != "g" {
                assert_eq!(
                    report["untracked"]["uninstrumented_functions"],
                    json!(names),
                    "{what}"
                );
            }
        }
    }
}
