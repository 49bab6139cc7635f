//! Campaigns: a search in parts, merged, has the bytes of the search in one piece, whatever happened to the parts.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use super::*;

const CALLS: &str = "\
# Seven calls: no number of shards below divides them.
newton(x)
inv(x)
root(b)
poly(x)
exp_series(x) = exp(x)
cos_series(x)
poly(y)
";

fn words(folder: &Path, format: &str) -> Vec<String> {
    let calls = folder.join("calls.txt");
    fs::write(&calls, CALLS).unwrap();
    let source = subject("classics.c");
    [
        &*source.to_string_lossy(),
        "--calls",
        &calls.to_string_lossy(),
        "--runs",
        "1500",
        "--range",
        "b=1:1e9",
        "--format",
        format,
    ]
    .map(str::to_owned)
    .to_vec()
}

fn lostbits(command: &str, words: &[String], more: &[&str]) -> Output {
    let mut call = common::lostbits();
    call.arg(command).args(words).args(more).output().unwrap()
}

fn file(folder: &Path, number: usize, of: usize) -> PathBuf {
    folder.join(format!("{number}-of-{of}"))
}

/// Searches one shard.
fn shard(folder: &Path, words: &[String], number: usize, of: usize) -> PathBuf {
    let path = file(folder, number, of);
    let (part, text) = (format!("{number}/{of}"), path.to_string_lossy());
    let output = lostbits("search", words, &["--shard", &part, "--resume", &text]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}");
    path
}

fn merge(files: &[PathBuf], more: &[&str]) -> Output {
    let mut command = common::lostbits();
    command.arg("merge").args(files).args(more);
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn merged_shards_are_the_search_in_one_piece() {
    let folder = common::empty_folder("shards").unwrap();
    for (format, numbers) in [
        ("json", vec![1, 3]),
        ("terminal", vec![9]),
        ("tsv", vec![2]),
    ] {
        let words = words(&folder, format);
        let whole = lostbits("search", &words, &[]);
        assert_eq!(whole.status.code(), Some(1), "{}", said(&whole));
        for of in numbers {
            let mut files: Vec<PathBuf> = (1..=of).map(|k| shard(&folder, &words, k, of)).collect();
            // The order of the files does not count.
            files.reverse();
            let merged = merge(&files, &[]);
            assert_eq!(merged.status.code(), Some(1), "{}", said(&merged));
            assert!(merged.stdout == whole.stdout, "{format} in {of} shards");
            files.iter().for_each(|path| fs::remove_file(path).unwrap());
        }
    }
}

#[test]
fn missing_and_foreign_shards_are_named() {
    let folder = common::empty_folder("shards-missing").unwrap();
    let words = words(&folder, "tsv");
    let files: Vec<PathBuf> = (1..=3).map(|k| shard(&folder, &words, k, 3)).collect();
    let whole = merge(&files, &[]).stdout;

    let missing = merge(&[files[0].clone(), files[2].clone()], &[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        said(&missing).contains("shard 2/3 (nothing done) is not finished"),
        "{}",
        said(&missing)
    );
    let partial = merge(&files[..1], &["--partial"]);
    assert_eq!(partial.status.code(), Some(1), "{}", said(&partial));
    assert!(said(&partial).contains("shard 2/3 (nothing done), shard 3/3"));

    // As if the process had been killed while it wrote its second call.
    let text = fs::read_to_string(&files[0]).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (header, cut) = (lines[0], &lines[2][..40]);
    fs::write(&files[0], format!("{header}\n{}\n{cut}", lines[1])).unwrap();
    let killed = merge(&files, &[]);
    assert_eq!(killed.status.code(), Some(2));
    assert!(
        said(&killed).contains("shard 1/3 (1 of 3 calls done) is not finished"),
        "{}",
        said(&killed)
    );
    shard(&folder, &words, 1, 3);
    assert!(merge(&files, &[]).stdout == whole);

    // Another seed is another campaign, for merge and for the shard itself.
    let other = [words.clone(), vec!["--seed".into(), "2".into()]].concat();
    let foreign = file(&folder, 2, 3).to_string_lossy().into_owned();
    let refused = lostbits("search", &other, &["--shard", "2/3", "--resume", &foreign]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("belongs to another search"));
    fs::remove_file(&files[1]).unwrap();
    shard(&folder, &other, 2, 3);
    let mixed = merge(&files, &[]);
    assert_eq!(mixed.status.code(), Some(2));
    assert!(said(&mixed).contains("belong to different campaigns"));
    assert!(mixed.stdout.is_empty());
}

#[test]
fn a_campaign_redoes_what_was_killed() {
    let folder = common::empty_folder("campaign").unwrap();
    let words = words(&folder, "json");
    let whole = lostbits("search", &words, &[]).stdout;
    // Shard 2 is killed in the first round only.
    let killer = folder.join("oracle.sh");
    let text = format!(
        "#!/bin/sh\n\
         case $LOSTBITS_CALL in inv*) mkdir {0}/once 2>/dev/null && kill -9 $PPID;; esac\n\
         while read x; do echo 1e30; done\n",
        folder.display()
    );
    fs::write(&killer, text).unwrap();
    let campaign = |name: &str, more: &[&str]| {
        let folder = folder.join(name).to_string_lossy().into_owned();
        let mut command = common::lostbits();
        command.args(["campaign", "--local", "--workers", "2", "--shards", "3"]);
        command.args(["--folder", &folder, "--"]).args(&words);
        command.args(more).output().unwrap()
    };
    let plain = campaign("plain", &[]);
    assert!(plain.stdout == whole, "{}", said(&plain));
    assert_eq!(plain.status.code(), Some(1));
    // A second call has nothing left to do.
    assert!(campaign("plain", &[]).stdout == whole);

    let oracle = ["--oracle", &format!("exec sh {}", killer.display())];
    let killed = campaign("killed", &oracle);
    assert!(
        said(&killed).contains("shard 2/3 (nothing done) is not finished: started again"),
        "{}",
        said(&killed)
    );
    assert_eq!(killed.status.code(), Some(1));
    assert!(killed.stdout == lostbits("search", &words, &oracle).stdout);

    let refused = campaign("plain", &["--resume", "x"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("--resume"), "{}", said(&refused));
    let unknown = campaign("unknown", &["--call", "absent(x)"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(said(&unknown).contains("absent"), "{}", said(&unknown));
}
