//! A subject program: its files, the steps that build it, and what its directives say of it. The format
//! is described in the README beside the programs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lostbits_abi::site::Lost;

use crate::common::Ending;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tool {
    C,
    Cpp,
    Fortran,
    Rust,
    Archiver,
}

impl Tool {
    const COMPILERS: [Tool; 4] = [Tool::C, Tool::Cpp, Tool::Fortran, Tool::Rust];

    /// The word in a list of steps; for a compiler also its `lostbits` subcommand.
    pub fn name(self) -> &'static str {
        match self {
            Tool::C => "cc",
            Tool::Cpp => "c++",
            Tool::Fortran => "fc",
            Tool::Rust => "rustc",
            Tool::Archiver => "ar",
        }
    }

    fn from_name(name: &str) -> Option<Tool> {
        Self::COMPILERS
            .into_iter()
            .chain([Tool::Archiver])
            .find(|tool| tool.name() == name)
    }

    /// The ending of a program's name, and what begins a comment.
    fn language(self) -> (&'static str, &'static str) {
        match self {
            Tool::C => ("c", "//"),
            Tool::Cpp => ("cpp", "//"),
            Tool::Fortran => ("f90", "!"),
            Tool::Rust => ("rs", "//"),
            Tool::Archiver => ("", ""),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    O0,
    O2,
    O3Native,
}

impl Level {
    pub const ALL: [Level; 3] = [Level::O0, Level::O2, Level::O3Native];

    pub fn name(self) -> &'static str {
        match self {
            Level::O0 => "O0",
            Level::O2 => "O2",
            Level::O3Native => "O3-native",
        }
    }

    pub fn flags(self, tool: Tool) -> &'static [&'static str] {
        match (tool, self) {
            (Tool::Archiver, _) => &[],
            (Tool::Rust, Level::O0) => &["--edition=2024", "-Copt-level=0"],
            (Tool::Rust, Level::O2) => &["--edition=2024", "-Copt-level=2"],
            (Tool::Rust, Level::O3Native) => {
                &["--edition=2024", "-Copt-level=3", "-Ctarget-cpu=native"]
            }
            (_, Level::O0) => &["-O0"],
            (_, Level::O2) => &["-O2"],
            (_, Level::O3Native) => &["-O3", "-march=native"],
        }
    }
}

pub struct Step {
    pub instrumented: bool,
    pub tool: Tool,
    pub words: Vec<String>,
}

pub struct Program {
    /// Folder and name, for example `c/varargs`.
    pub name: String,
    pub files: Vec<PathBuf>,
    pub steps: Vec<Step>,
    pub about: Directives,
}

pub struct Directives {
    flags: Vec<String>,
    pub args: Vec<String>,
    pub stdin: String,
    pub env: Vec<(String, String)>,
    pub levels: Vec<Level>,
    pub ending: Ending,
    pub processes: usize,
    pub operations: u64,
    /// The most values that may arrive without a shadow, where that is known.
    pub fresh: Option<u64>,
    pub lost: Vec<Lost>,
}

/// All programs of the corpus, by name.
pub fn all(root: &Path) -> Result<Vec<Program>, String> {
    let mut programs = Vec::new();
    for (folder, tool) in ["c", "cpp", "fortran", "rust"]
        .into_iter()
        .zip(Tool::COMPILERS)
    {
        for file in entries(&root.join(folder))? {
            programs.push(from_file(folder, tool, file)?);
        }
    }
    for folder in entries(&root.join("mixed"))? {
        programs.push(from_folder(&folder)?);
    }
    Ok(programs)
}

fn from_file(folder: &str, tool: Tool, file: PathBuf) -> Result<Program, String> {
    let (ending, comment) = tool.language();
    let text = read(&file)?;
    let (stem, name) = (text_of(file.file_stem()), text_of(file.file_name()));
    if name != format!("{stem}.{ending}") {
        return Err(format!(
            "{}: programs in {folder} end in .{ending}",
            file.display()
        ));
    }
    let about =
        Directives::parse(&text, comment).map_err(|problem| format!("{name}: {problem}"))?;
    let mut words = vec![name, "-o".into(), "program".into()];
    words.extend(about.flags.iter().cloned());
    if tool != Tool::Rust {
        words.push("-lm".into());
    }
    let steps = vec![Step {
        instrumented: true,
        tool,
        words,
    }];
    Ok(Program {
        name: format!("{folder}/{stem}"),
        files: vec![file],
        steps,
        about,
    })
}

fn from_folder(folder: &Path) -> Result<Program, String> {
    let name = format!("mixed/{}", text_of(folder.file_name()));
    let text = read(&folder.join("build"))?;
    let in_context = |problem: String| format!("{name}/build: {problem}");
    let about = Directives::parse(&text, "#").map_err(in_context)?;
    let steps = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(parse_step)
        .collect::<Result<_, _>>()
        .map_err(in_context)?;
    Ok(Program {
        name,
        files: entries(folder)?,
        steps,
        about,
    })
}

fn parse_step(line: &str) -> Result<Step, String> {
    let mut words = line.split_whitespace();
    let instrumented = match words.next() {
        Some("plain") => false,
        Some("instrumented") => true,
        _ => {
            return Err(format!(
                "`{line}` begins neither with plain nor with instrumented"
            ));
        }
    };
    let tool = words
        .next()
        .and_then(Tool::from_name)
        .ok_or(format!("`{line}`: which tool?"))?;
    Ok(Step {
        instrumented,
        tool,
        words: words.map(String::from).collect(),
    })
}

impl Directives {
    pub fn parse(text: &str, comment: &str) -> Result<Directives, String> {
        let mut about = Directives {
            flags: Vec::new(),
            args: Vec::new(),
            stdin: String::new(),
            env: Vec::new(),
            levels: Level::ALL.to_vec(),
            ending: Ending::Status(0),
            processes: 1,
            operations: 20,
            fresh: None,
            lost: Vec::new(),
        };
        let comments = text.lines().map_while(|line| line.strip_prefix(comment));
        for directive in comments.filter_map(|line| line.trim().strip_prefix("lostbits:")) {
            let (key, value) = directive
                .trim()
                .split_once('=')
                .ok_or(format!("`{directive}` has no value"))?;
            about
                .set(key, value)
                .ok_or(format!("`{directive}` is not understood"))?;
        }
        Ok(about)
    }

    /// Gives nothing where key or value are unknown.
    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        let words = || value.split_whitespace().map(String::from);
        match key {
            "flags" => self.flags.extend(words()),
            "args" => self.args.extend(words()),
            "stdin" => self.stdin = format!("{value}\n"),
            "env" => {
                let (name, value) = value.split_once('=')?;
                self.env.push((name.into(), value.into()));
            }
            "levels" => {
                let level = |name: String| Level::ALL.into_iter().find(|l| l.name() == name);
                self.levels = words().map(level).collect::<Option<_>>()?;
            }
            "status" => self.ending = Ending::Status(value.parse().ok()?),
            "signal" => self.ending = Ending::Signal(value.parse().ok()?),
            "processes" => self.processes = value.parse().ok()?,
            "operations" => self.operations = value.parse().ok()?,
            "fresh" => self.fresh = Some(value.parse().ok()?),
            "lost" => {
                let lost = |name: String| Lost::ALL.into_iter().find(|l| format!("{l:?}") == name);
                self.lost = words().map(lost).collect::<Option<_>>()?;
            }
            _ => return None,
        }
        Some(())
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let in_context = |problem| format!("{}: {problem}", folder.display());
    let mut paths = fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| Ok(entry?.path()))
                .collect::<Result<Vec<_>, _>>()
        })
        .map_err(in_context)?;
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|problem| format!("{}: {problem}", path.display()))
}

fn text_of(name: Option<&std::ffi::OsStr>) -> String {
    name.unwrap_or_default().to_string_lossy().into_owned()
}
