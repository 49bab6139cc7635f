//! A project with a build of its own: `--build 'make' --run './chain input.nml'`.
//!
//! The project's folder is copied twice, without what builds leave behind: one copy is built for `explain`, the other
//! without instrumentation. Patches are written into the copies and the build command runs again there, so that the
//! user's folder changes only with `--apply`. Which options a source is compiled with is read from the log of the build.
//!
//! It can miss builds that use absolute paths into the user's folder: they build the unchanged sources.

use std::{
    cell::RefCell,
    collections::HashMap,
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lostbits_abi::{environment, judge::Judged, mode::Mode};

use crate::{
    build::Instrumentation,
    compile::log,
    failure::Failure,
    run::{self, TemporaryFolder, guardian},
};

/// A project, and its copies.
pub struct Project {
    /// The user's folder.
    pub root: PathBuf,
    build: String,
    /// The program, as the user starts it in the folder.
    pub program: OsString,
    folder: TemporaryFolder,
    copies: RefCell<HashMap<Mode, Copied>>,
    /// The compiler's options of each source, once it was built.
    options: RefCell<HashMap<PathBuf, Vec<OsString>>>,
}

/// What a copy has instead of the user's sources.
#[derive(Default)]
struct Copied {
    replaced: Vec<(PathBuf, String)>,
}

/// A larger folder is not copied.
const LARGEST: u64 = 1 << 30;

impl Project {
    pub fn new(root: PathBuf, build: String, program: OsString) -> Result<Project, Failure> {
        Ok(Project {
            root,
            build,
            program,
            folder: run::temporary_folder()?,
            copies: RefCell::default(),
            options: RefCell::default(),
        })
    }

    /// The copy for a mode, built with some of its sources replaced.
    pub fn built(&self, mode: Mode, replaced: &[(PathBuf, String)]) -> Result<PathBuf, Failure> {
        let copy = self.copy(mode);
        let mut copies = self.copies.borrow_mut();
        let is_new = !copies.contains_key(&mode);
        if is_new {
            let mut left = LARGEST;
            copy_folder(&self.root, &copy, &mut left).map_err(|error| self.not_copied(&error))?;
        }
        let state = copies.entry(mode).or_default();
        if is_new || state.replaced != replaced {
            self.write(&copy, &state.replaced, replaced)
                .map_err(|error| self.not_copied(&error))?;
            state.replaced = replaced.to_vec();
            self.run_build(mode, &copy)?;
        }
        Ok(copy)
    }

    fn copy(&self, mode: Mode) -> PathBuf {
        self.folder.path().join(mode.name())
    }

    /// Puts back what was replaced before, and replaces what is now. What stays the same keeps its time.
    fn write(
        &self,
        copy: &Path,
        before: &[(PathBuf, String)],
        now: &[(PathBuf, String)],
    ) -> io::Result<()> {
        let inside = |file: &Path| copy.join(file.strip_prefix(&self.root).unwrap_or(file));
        for (file, _) in before {
            if now.iter().all(|(other, _)| other != file) {
                fs::write(inside(file), fs::read(file)?)?;
            }
        }
        for one in now {
            if !before.contains(one) {
                fs::write(inside(&one.0), &one.1)?;
            }
        }
        Ok(())
    }

    fn run_build(&self, mode: Mode, copy: &Path) -> Result<(), Failure> {
        let instrumentation = Instrumentation {
            mode,
            judge: Judged::ALL.to_vec(),
        };
        let words = ["sh", "-c", &self.build].map(OsString::from);
        let prepared = instrumentation.prepare(&words)?;
        let log = self.folder.path().join(format!("{}.log", mode.name()));
        let mut command = Command::new(&prepared.program);
        command
            .args(&prepared.arguments)
            .current_dir(copy)
            .env("MAKEFLAGS", make_flags(&prepared.variables))
            .env_remove("CARGO_TARGET_DIR")
            .envs(prepared.variables.iter().map(|(name, value)| (name, value)))
            .env(environment::BUILD_LOG, &log)
            .stdin(Stdio::null())
            .stdout(Stdio::from(io::stderr()));
        guardian::end_with_tool(&mut command);
        let status = command.status().map_err(|error| Failure::CannotStart {
            program: "sh".into(),
            error,
        })?;
        if !status.success() {
            return Err(Failure::ProjectNotBuilt {
                command: self.build.clone(),
                status,
            });
        }
        self.learn_options(&log::read(&log));
        Ok(())
    }

    fn learn_options(&self, entries: &[log::Entry]) {
        let mut options = self.options.borrow_mut();
        for entry in entries.iter().filter(|entry| entry.compiles) {
            let is_source = |word: &&String| crate::subject::language(OsStr::new(word)).is_some();
            for source in entry.words.iter().filter(is_source) {
                if let Some(file) = self.own(&entry.folder.join(source)) {
                    options.insert(file, for_reading(&entry.words, &entry.folder));
                }
            }
        }
    }

    /// The compiler's options of a source of the user's folder.
    pub fn options(&self, file: &Path) -> Vec<OsString> {
        self.options.borrow().get(file).cloned().unwrap_or_default()
    }

    /// The user's file of which a path is a copy, if it is in the project.
    pub fn own(&self, path: &Path) -> Option<PathBuf> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let copies = [Mode::Explain, Mode::Off].map(|mode| self.copy(mode));
        let inside = copies.iter().chain([&self.root]).find_map(|folder| {
            let folder = fs::canonicalize(folder).ok()?;
            path.strip_prefix(&folder).ok().map(Path::to_owned)
        });
        let relative = match inside {
            Some(relative) => relative,
            None if path.is_relative() => path,
            None => return None,
        };
        let own = self.root.join(relative);
        own.is_file().then_some(own)
    }

    fn not_copied(&self, error: &io::Error) -> Failure {
        Failure::CannotRepair {
            path: self.root.clone(),
            reason: format!("its folder cannot be copied ({error})"),
        }
    }
}

/// `make` takes its compilers from here, whatever the Makefile says.
fn make_flags(variables: &[(&'static str, OsString)]) -> OsString {
    let mut flags = OsString::new();
    for (name, value) in variables {
        if ["CC", "CXX", "FC"].contains(name) {
            flags.push(if flags.is_empty() { "" } else { " " });
            flags.push(format!("{name}="));
            flags.push(value);
        }
    }
    flags
}

/// What clang needs of a command line to read its source: paths become absolute.
fn for_reading(words: &[String], folder: &Path) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let path = |option: &str, value: &str| {
            let mut word = OsString::from(option);
            word.push(folder.join(value));
            word
        };
        match word.as_str() {
            "-I" | "-iquote" | "-isystem" | "-include" => {
                if let Some(value) = words.next() {
                    kept.extend([word.into(), folder.join(value).into_os_string()]);
                }
            }
            "-D" | "-U" => {
                kept.push(word.into());
                kept.extend(words.next().map(OsString::from));
            }
            _ if word.starts_with("-I") => kept.push(path("-I", &word[2..])),
            _ if ["-D", "-U", "-std=", "-f", "-m", "-O"]
                .iter()
                .any(|start| word.starts_with(start)) =>
            {
                kept.push(word.into());
            }
            _ => {}
        }
    }
    kept
}

/// Copies a folder without what builds leave behind: objects, libraries, programs, modules, CMake's trees, cargo's targets.
fn copy_folder(from: &Path, to: &Path, left: &mut u64) -> io::Result<()> {
    fs::create_dir_all(to)?;
    let is_product = |name: &str| from.join(name).exists();
    if is_product("CMakeCache.txt") || is_product("CACHEDIR.TAG") {
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&path)?, &target)?;
        } else if kind.is_dir() {
            if entry.file_name() != ".git" {
                copy_folder(&path, &target, left)?;
            }
        } else if kind.is_file() && !is_of_a_build(&path)? {
            let data = entry.metadata()?;
            *left = left
                .checked_sub(data.len())
                .ok_or_else(|| io::Error::other("it has more than 1 GiB"))?;
            fs::copy(&path, &target)?;
            // Generated files must not look older than what they were generated from.
            fs::File::options()
                .append(true)
                .open(&target)
                .and_then(|file| file.set_modified(data.modified()?))?;
        }
    }
    Ok(())
}

fn is_of_a_build(path: &Path) -> io::Result<bool> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    if ["o", "a", "so", "mod", "smod", "d", "orig"].contains(&extension) {
        return Ok(true);
    }
    let mut start = [0u8; 8];
    let count = fs::File::open(path)?.read(&mut start)?;
    Ok(start[..count].starts_with(b"\x7fELF") || start[..count] == *b"!<arch>\n")
}

/// The current folder is another until this is dropped: programs find their files there.
pub struct Within(PathBuf);

impl Within {
    pub fn new(folder: &Path) -> Result<Within, Failure> {
        let before = env::current_dir().unwrap_or_default();
        env::set_current_dir(folder).map_err(|error| Failure::CannotRead {
            path: folder.to_owned(),
            error,
        })?;
        Ok(Within(before))
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        let _ = env::set_current_dir(&self.0);
    }
}

/// The words of a command as a shell splits them; variables and wildcards are left alone. None where a quotation mark
/// is not closed.
pub fn words(command: &str) -> Option<Vec<OsString>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = command.chars();
    while let Some(c) = rest.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(rest.next()),
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote
        .is_none()
        .then(|| words.into_iter().map(OsString::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let split = |text: &str| words(text).map(|words| words.join(OsStr::new("|")));
        let is = |text: &str, expected: &str| {
            assert_eq!(split(text), Some(expected.into()), "{text}");
        };
        is("./chain  input.nml", "./chain|input.nml");
        is("./a 'x y' \"b \\\" c\" d\\ e ''", "./a|x y|b \" c|d e|");
        assert_eq!(split("./a 'x"), None);
    }

    #[test]
    fn products_of_builds_are_not_copied() {
        let from = tempfile::tempdir().unwrap();
        let to = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = from.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        write("Makefile", b"all:\n");
        write("src/a.c", b"int a;\n");
        write("src/a.o", b"\x7fELF...");
        write("prog", b"\x7fELF...");
        write("tree/CMakeCache.txt", b"");
        write("tree/a.c", b"");
        copy_folder(from.path(), to.path(), &mut (1 << 20)).unwrap();
        let has = |name: &str| to.path().join(name).exists();
        assert!(has("Makefile") && has("src/a.c"));
        assert!(!has("src/a.o") && !has("prog") && !has("tree/a.c"));
        let error = copy_folder(from.path(), to.path(), &mut 3).unwrap_err();
        assert!(error.to_string().contains("1 GiB"));
    }
}
