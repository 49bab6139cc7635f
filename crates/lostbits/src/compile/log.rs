//! The log of a build: each call of a compiler appends a line with what it instruments, so that `lostbits build` can say
//! what became of the code. Lines are short and appended by one write each, so those of parallel calls do not mix.

use std::{
    env, fs,
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
};

use lostbits_abi::{environment, mode::Mode};

use crate::toolchain::Compiler;

/// What one call of a compiler did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The name of the compiler's command.
    pub compiler: String,
    pub mode: String,
    pub compiles: bool,
    pub links: bool,
    /// The file that it writes, if it was named.
    pub output: Option<PathBuf>,
    /// Where it was called, and with what.
    pub folder: PathBuf,
    pub words: Vec<String>,
}

/// Between the words of a call.
const BETWEEN: char = '\x1f';

/// Appends to the log, if there is one. A log that cannot be written is no reason to fail a build.
pub fn append(compiler: Compiler, mode: Mode, compiles: bool, links: bool, words: &[String]) {
    let Some(path) = env::var_os(environment::BUILD_LOG) else {
        return;
    };
    let does = |yes: bool| if yes { "1" } else { "0" };
    let plain = |text: &str| text.replace(['\t', '\n'], " ");
    let output = match compiler {
        Compiler::Rust => None,
        _ => output_of(words),
    };
    let folder = env::current_dir().unwrap_or_default();
    let line = [
        compiler.command(),
        mode.name(),
        does(compiles),
        does(links),
        &plain(output.unwrap_or_default()),
        &plain(&folder.to_string_lossy()),
        &plain(&words.join(&BETWEEN.to_string())),
    ];
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
        let _ = file.write_all((line.join("\t") + "\n").as_bytes());
    }
}

/// Reads a log; a missing one is empty.
pub fn read(path: &Path) -> Vec<Entry> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(entry).collect()
}

fn entry(line: &str) -> Option<Entry> {
    let mut fields = line.split('\t');
    let mut next = || fields.next();
    Some(Entry {
        compiler: next()?.to_owned(),
        mode: next()?.to_owned(),
        compiles: next()? == "1",
        links: next()? == "1",
        output: next().filter(|path| !path.is_empty()).map(PathBuf::from),
        folder: next().map(PathBuf::from).unwrap_or_default(),
        words: next()
            .map(|words| words.split(BETWEEN).map(str::to_owned).collect())
            .unwrap_or_default(),
    })
}

/// The file that the words name as their output: `-o FILE`, `-oFILE`.
fn output_of(words: &[String]) -> Option<&str> {
    let at = words.iter().rposition(|word| word.starts_with("-o"))?;
    match words[at].strip_prefix("-o")? {
        "" => words.get(at + 1).map(String::as_str),
        joined => Some(joined),
    }
}
