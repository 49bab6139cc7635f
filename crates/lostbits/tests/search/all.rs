//! `--all`: every function of a library in one command.

use super::*;

fn call_of<'a>(report: &'a Value, function: &str) -> &'a Value {
    let is_it = |call: &&Value| call["call"].as_str().unwrap().starts_with(function);
    calls(report).iter().find(is_it).unwrap()
}

#[test]
fn every_function_is_searched_or_listed_with_the_reason() {
    let report = report("all.c", &["--all"]);
    let mut searched: Vec<&str> = calls(&report)
        .iter()
        .map(|call| call["call"].as_str().unwrap())
        .collect();
    searched.sort_unstable();
    assert_eq!(
        searched,
        [
            "difference(x, y)",
            "expf_(x)",
            "half_open(x)",
            "of_structure(p)",
            "parts(x)",
            "poles(x)",
            "power(2, x)",
            "root(z)",
            "safe(x)",
            "split(x, &y)",
            "variance(v[4], 4)",
            "versine(x)",
            "with_callback(sin, x)",
        ]
    );
    for (function, reason) in [
        ("of_mixed", "a structure with other members"),
        ("with_two", "a callback that is no function of one number"),
        ("with_data", "an address"),
        ("never", "no finite number"),
        ("whole", "no input that varies"),
        ("drawn", "different results for one input"),
    ] {
        let skipped = report["skipped"].as_array().unwrap();
        let found = skipped.iter().find(|one| one["function"] == function);
        let found = found.unwrap()["reason"].as_str().unwrap();
        assert!(found.contains(reason), "{function}: {found}");
    }
    assert!(findings(call_of(&report, "safe")).is_empty());
    for function in ["versine", "split", "parts", "root"] {
        assert!(
            !findings(call_of(&report, function)).is_empty(),
            "{function}"
        );
    }
}

/// Numbers in structures and complex numbers vary one by one.
#[test]
fn numbers_of_structures_have_names() {
    let report = report("all.c", &["--all"]);
    let names = |function| call_of(&report, function)["parameters"].clone();
    assert_eq!(names("of_structure"), serde_json::json!(["p.a", "p.b"]));
    assert_eq!(names("root"), serde_json::json!(["z.re", "z.im"]));
}

/// Overloads and instances go by the linker's names; methods are called on objects of zeros, or that the default
/// constructor makes.
#[test]
fn functions_of_cpp_are_searched() {
    let report = report("objects.cpp", &["--all"]);
    for (symbol, is_wrong) in [
        ("_ZNK6shapes5Plain2atEd", true),
        ("_ZNK6shapes4Made2atEd", false),
        ("_Z3gapIdET_S0_", true),
        ("_Z3gapIfET_S0_", true),
        ("_Z5twiced", false),
        ("_Z5twicef", false),
    ] {
        let call = call_of(&report, symbol);
        assert_eq!(!findings(call).is_empty(), is_wrong, "{call}");
    }
    let skipped = report["skipped"].as_array().unwrap();
    let unmade = skipped.iter().find(|one| {
        one["reason"]
            .as_str()
            .unwrap()
            .contains("default constructor")
    });
    assert!(unmade.is_some(), "{skipped:?}");
    assert!(
        skipped
            .iter()
            .all(|one| !one["function"].as_str().unwrap().starts_with("_ZNSt"))
    );
}

/// Which arguments a subroutine writes is found by probing.
#[test]
fn fortran_subroutines_are_searched() {
    let report = report("module.f90", &["--all"]);
    let call = call_of(&report, "split");
    assert_eq!(call["call"], "split(x, &whole, &rest)");
    assert!(!findings(call).is_empty(), "{call}");
    assert!(!findings(call_of(&report, "versine")).is_empty());
}

/// A plot for each function, whether something is wrong or not, and nothing that a browser would load.
#[test]
fn a_page_has_a_plot_for_each_function() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let words = [
        "--all",
        "--format",
        "html",
        "--report",
        page.to_str().unwrap(),
    ];
    let output = search("all.c", &words);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = std::fs::read_to_string(page).unwrap();
    let functions = text.matches("<section id=\"f").count();
    assert_eq!(functions, 13);
    assert!(text.matches("<svg").count() >= functions, "{text}");
    assert!(!text.contains("http://") && !text.contains("https://"));
}

#[test]
fn domains_are_found_by_probing() {
    let report = report("all.c", &["--all"]);
    let domain = &call_of(&report, "half_open")["domain"][0];
    assert_eq!(domain["parameter"], "x");
    assert_eq!(decimal(&domain["low"]), 1.0);
    assert_eq!(decimal(&domain["high"]), f64::MAX);
}

/// Negative powers of two from 1 on are poles of Γ; its domain has numbers between them.
#[test]
fn domains_reach_beyond_poles_at_integers() {
    let report = report("all.c", &["--all"]);
    let domain = &call_of(&report, "poles")["domain"][0];
    assert!(decimal(&domain["low"]) < -33.0, "{domain}");
}

/// exp(89) is a finite double, but no float.
#[test]
fn results_beyond_the_largest_float_are_rightly_infinite() {
    let report = report("all.c", &["--all"]);
    let call = call_of(&report, "expf_");
    assert_eq!(
        call["missing_results"].as_array().unwrap().len(),
        0,
        "{call}"
    );
}

#[test]
fn maps_are_drawn_of_functions_of_one_input() {
    let report = report("all.c", &["--all", "--map"]);
    assert!(call_of(&report, "half_open")["map"].is_object());
    assert!(call_of(&report, "difference")["map"].is_null());
    let output = search("all.c", &["--all", "--map"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("error in ulps over x"), "{text}");
}

/// What was saved is read again, and the report is the same.
#[test]
fn a_saved_search_continues() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved");
    let saved = saved.to_str().unwrap();
    let first = report("all.c", &["--all", "--resume", saved]);
    let lines = std::fs::read_to_string(saved).unwrap();
    assert_eq!(lines.lines().count(), calls(&first).len());
    assert_eq!(first, report("all.c", &["--all", "--resume", saved]));
    assert_eq!(std::fs::read_to_string(saved).unwrap(), lines);
}

#[test]
fn shards_of_all_functions_are_refused() {
    let output = search("all.c", &["--all", "--shard", "1/2", "--resume", "x"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("--shard") && errors.contains("--all"),
        "{errors}"
    );
}

/// A version script, as rustc gives it for every cdylib, hides the runtime in the library.
#[test]
fn a_library_may_hide_its_symbols() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("exports");
    std::fs::write(&script, "{ global: versine; safe; local: *; };").unwrap();
    let library = folder.path().join("all.so");
    let built = common::lostbits()
        .args([
            "cc",
            "--lostbits-mode=search",
            "-O2",
            "-g",
            "-fPIC",
            "-shared",
        ])
        .arg(subject("all.c"))
        .arg(format!("-Wl,--version-script={}", script.display()))
        .args(["-lm", "-o"])
        .arg(&library)
        .status();
    assert!(built.unwrap().success());
    let output = common::lostbits()
        .args(["search", "--all", "--format", "json", "--library"])
        .arg(&library)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(calls(&report).len(), 2, "{report}");
    assert!(!findings(call_of(&report, "versine")).is_empty());
}

#[test]
fn the_table_has_the_worst_function_first() {
    let output = search("all.c", &["--all"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |start: &str| {
        text.lines()
            .position(|line| line.starts_with(start))
            .unwrap()
    };
    assert!(line("versine(x)") < line("difference(x, y)"), "{text}");
    assert!(line("difference(x, y)") < line("safe(x)"), "{text}");
    assert!(text.contains("all.c:6 sub"), "{text}");
    assert!(text.contains("nothing wrong in"), "{text}");
    assert!(text.contains("6 functions not searched"), "{text}");
}

/// This process has loaded libm, too, which has an `expm1` without errors.
#[test]
fn a_function_named_like_one_of_libm_is_the_librarys_own() {
    for words in [&["--all"][..], &["--function", "expm1"]] {
        let report = report("named_like_libm.c", words);
        assert!(!findings(call_of(&report, "expm1")).is_empty(), "{report}");
    }
}

/// C reserves names with two underscores for implementations: such functions are right only for the arguments that their callers pass.
#[test]
fn reserved_names_are_listed_not_searched() {
    let all = report("named_like_libm.c", &["--all"]);
    assert_eq!(calls(&all).len(), 1, "{all}");
    let reason = all["skipped"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("reserves"), "{reason}");
    let one = report("named_like_libm.c", &["--function", "__kernel_versine"]);
    assert!(!findings(&calls(&one)[0]).is_empty(), "{one}");
}
