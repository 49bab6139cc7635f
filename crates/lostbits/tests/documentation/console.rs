//! Console blocks are run, in a folder of their own for each document, and their output is compared.
//!
//! In the folder are the repository's `tests` and every code block that names its file in the first line
//! (`/* sum.c */`, `# mv.toml`). A block that cannot be run says why after `console not checked:`; a block that
//! shows a command of lostbits and is no console block is an error.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{
    blocks::{Block, blocks, matches},
    repository,
};

/// README.md and the pages of the book.
pub fn documents() -> Vec<PathBuf> {
    let docs = fs::read_dir(repository().join("docs")).expect("docs");
    let docs = docs.map(|entry| entry.expect("an entry").path());
    let mut all: Vec<PathBuf> = docs
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    all.push(repository().join("README.md"));
    all.sort();
    all
}

/// The output of a command line, both streams in one.
fn run(command: &str, folder: &Path) -> Vec<String> {
    let tool = Path::new(env!("CARGO_BIN_EXE_lostbits"));
    let folders = env::var_os("PATH").unwrap_or_default();
    let own = tool.parent().expect("a folder").to_owned();
    let path = env::join_paths(std::iter::once(own).chain(env::split_paths(&folders)));
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("PATH", path.expect("a path"));
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("LOSTBITS_") {
            shell.env_remove(name);
        }
    }
    let output = shell.output().expect("sh");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

fn check(block: &Block, folder: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for (command, mut shown) in block.commands() {
        while shown.last().is_some_and(|line| line.is_empty()) {
            shown.pop();
        }
        let mut output = run(&command, folder);
        while output.last().is_some_and(|line| line.is_empty()) {
            output.pop();
        }
        if !matches(&shown, &output) {
            problems.push(format!(
                "`{command}` prints\n{}\ninstead of\n{}",
                output.join("\n"),
                shown.join("\n")
            ));
        }
    }
    problems
}

#[test]
fn console_blocks_show_what_the_tool_prints() {
    let mut problems = Vec::new();
    let mut checked = 0;
    for document in documents() {
        let name = document.file_name().expect("a name").to_string_lossy();
        let blocks = blocks(&fs::read_to_string(&document).expect("a document"));
        let folder = tempfile::tempdir().expect("a folder");
        let tests = repository().join("tests").canonicalize().expect("tests");
        symlink(tests, folder.path().join("tests")).expect("a link");
        for block in &blocks {
            if let Some(file) = block.file() {
                let path = folder.path().join(file);
                fs::create_dir_all(path.parent().expect("a folder")).expect(file);
                fs::write(path, block.text()).expect(file);
            }
        }
        for block in blocks.iter().filter(|block| block.is_console()) {
            let found = match block.reason() {
                Some("") => vec!["no reason why it is not checked".to_owned()],
                Some(reason) => {
                    println!("{name}:{} is not checked: {reason}", block.line);
                    continue;
                }
                None if block.info != "console" => vec![format!("`{}` means nothing", block.info)],
                None => check(block, folder.path()),
            };
            checked += 1;
            let place = |problem: String| format!("{name}:{}: {problem}", block.line);
            problems.extend(found.into_iter().map(place));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert!(checked > 0, "no block was checked");
}

/// A block that is not checked must say so.
#[test]
fn commands_are_shown_in_console_blocks_only() {
    for document in documents() {
        let blocks = blocks(&fs::read_to_string(&document).expect("a document"));
        for block in blocks.iter().filter(|block| block.shows_lostbits()) {
            let place = format!("{}:{}", document.display(), block.line);
            assert!(block.is_console(), "{place} is not a console block");
        }
    }
}
