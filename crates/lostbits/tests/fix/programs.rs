//! Programs with one defect each (`tests/fix` of the repository): the patch is the golden one, and the outputs have more right
//! digits. `LOSTBITS_BLESS=1` writes the golden patches anew.

use std::{fs, path::PathBuf};

use crate::common;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fix")
}

/// Repairs the programs of a speed, and says which patches differ.
fn repair(speed: &str) {
    let table = fs::read_to_string(folder().join("programs.txt")).unwrap();
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let mut wrong = Vec::new();
    for row in rows {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [own, source, option, arguments @ ..] = words.as_slice() else {
            panic!("{row}");
        };
        if *own != speed {
            continue;
        }
        let patch = tempfile::NamedTempFile::new().unwrap();
        let output = common::lostbits()
            .current_dir(folder())
            .args(["fix", *source, *option, "--format", "json", "--patch"])
            .arg(patch.path())
            .arg("--")
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let outputs = report["outputs"]
            .as_array()
            .expect("a patch that was checked");
        let is_right = |one: &serde_json::Value| one["right_after"] == one["digits"];
        if output.status.code() != Some(0) || outputs.is_empty() || !outputs.iter().all(is_right) {
            wrong.push(format!("{source}: {text}"));
        }
        let golden = folder().join("golden").join(format!("{source}.diff"));
        let found = fs::read_to_string(patch.path()).unwrap();
        if std::env::var_os("LOSTBITS_BLESS").is_some() {
            fs::write(&golden, &found).unwrap();
        }
        if fs::read_to_string(&golden).unwrap_or_default() != found {
            wrong.push(format!(
                "{source}: the patch is not that of {}:\n{found}",
                golden.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fast_programs_are_patched() {
    repair("fast");
}

#[test]
#[ignore = "minutes: `make bench-fix-programs`"]
fn slow_programs_are_patched() {
    repair("slow");
}
