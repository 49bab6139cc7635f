//! What instrumenting costs the compiler: every source file of two parts of GSL, compiled plain and instrumented by
//! turns, CPU time.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    command::{self, Cost},
    subject::Build,
    subjects, tools,
};

const PARTS: [&str; 2] = ["specfunc", "linalg"];

/// Files that compile faster than this are left out of ratios: most of their time is the compiler's start.
const WORTH_A_RATIO: f64 = 0.1;

pub struct Measured {
    mode: String,
    files: Vec<File>,
}

/// Seconds of a file.
struct File {
    name: String,
    plain: f64,
    instrumented: f64,
}

impl File {
    fn ratio(&self) -> f64 {
        self.instrumented / self.plain
    }
}

impl Measured {
    fn total(&self, of: fn(&File) -> f64) -> f64 {
        self.files.iter().map(of).sum()
    }

    pub fn ratio(&self) -> f64 {
        self.total(|file| file.instrumented) / self.total(|file| file.plain)
    }

    fn slowest(&self) -> Option<&File> {
        let files = self.files.iter();
        files
            .filter(|file| file.plain >= WORTH_A_RATIO)
            .max_by(|a, b| a.ratio().total_cmp(&b.ratio()))
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Measured { mode, files } = self;
        let parts = PARTS.join(", ");
        writeln!(
            formatter,
            "compiling {} files of GSL ({parts}) at -O2 -g, CPU time",
            files.len()
        )?;
        writeln!(
            formatter,
            "plain {:.1} s, mode {mode} {:.1} s, ratio {:.2}",
            self.total(|file| file.plain),
            self.total(|file| file.instrumented),
            self.ratio()
        )?;
        match self.slowest() {
            Some(file) => writeln!(
                formatter,
                "slowest against plain: {}, ratio {:.2} ({:.1} s)",
                file.name,
                file.ratio(),
                file.instrumented
            ),
            None => Ok(()),
        }
    }
}

pub fn measure(mode: &str) -> Result<Measured, String> {
    let subject = subjects().into_iter().find(|subject| subject.name == "gsl");
    let subject = subject.expect("gsl is a subject");
    // The plain build leaves configured headers and the source tree behind.
    let build = Build::new(&subject, "off", 2)?;
    build.build()?;
    let tree = build.tree();
    let mut files = Vec::new();
    for part in PARTS {
        for source in library_sources(&tree.join(part))? {
            let seconds = |mode| Ok::<_, String>(compile(mode, &source)?.cpu.as_secs_f64());
            files.push(File {
                name: source
                    .strip_prefix(tree)
                    .unwrap_or(&source)
                    .display()
                    .to_string(),
                plain: seconds("off")?,
                instrumented: seconds(mode)?,
            });
        }
    }
    Ok(Measured {
        mode: mode.to_owned(),
        files,
    })
}

fn compile(mode: &str, source: &Path) -> Result<Cost, String> {
    let mut compiler = Command::new(tools::lostbits()?);
    compiler
        .args(["cc", &format!("--lostbits-mode={mode}")])
        .args(["-DHAVE_CONFIG_H", "-I.", "-I..", "-w", "-O2", "-g", "-c"])
        .args(["-o", "/dev/null"])
        .arg(source)
        .current_dir(source.parent().expect("a file is in a folder"));
    let finished = command::run(&mut compiler)?;
    match finished.status.success() {
        true => Ok(finished.cost),
        false => Err(format!(
            "{} does not compile in mode {mode}",
            source.display()
        )),
    }
}

/// The files for which the plain build made an object, the tests aside.
fn library_sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut sources: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "lo"))
        .map(|path| path.with_extension("c"))
        .collect();
    sources.sort();
    match sources.is_empty() {
        true => Err(format!("{} is not built", folder.display())),
        false => Ok(sources),
    }
}
