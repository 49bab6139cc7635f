//! Where the compilers are, and lostbits' own parts: the pass plugin and the runtime object.

use std::{
    env,
    ffi::OsStr,
    fs::File,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use lostbits_abi::{VERSION, environment, mode::Mode, variables};
use object::{Object, ObjectSection, ObjectSymbol, read::ReadCache};

use crate::failure::Failure;

/// The LLVM that the pass plugin is built for.
pub const LLVM_MAJOR: u32 = 22;

/// The folder of LLVM's own names for its tools on Debian.
const LLVM_FOLDER: &str = "/usr/lib/llvm-22/bin";

/// A compiler that lostbits drives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiler {
    C,
    Cxx,
    Fortran,
    Rust,
}

impl Compiler {
    pub const ALL: [Compiler; 4] = [
        Compiler::C,
        Compiler::Cxx,
        Compiler::Fortran,
        Compiler::Rust,
    ];

    /// The command of `lostbits` that drives it.
    pub fn command(self) -> &'static str {
        match self {
            Compiler::C => "cc",
            Compiler::Cxx => "c++",
            Compiler::Fortran => "fc",
            Compiler::Rust => "rustc",
        }
    }

    /// The compiler for a command's name, also in the form `lostbits-cc` that build systems like.
    pub fn from_command(name: &str) -> Option<Compiler> {
        Self::ALL
            .into_iter()
            .find(|compiler| compiler.command() == name)
    }

    pub fn program(self) -> &'static str {
        match self {
            Compiler::C => "clang-22",
            Compiler::Cxx => "clang++-22",
            Compiler::Fortran => "flang-22",
            Compiler::Rust => "rustc",
        }
    }

    /// The environment variable that names another program.
    pub fn variable(self) -> &'static str {
        match self {
            Compiler::C => environment::CC,
            Compiler::Cxx => environment::CXX,
            Compiler::Fortran => environment::FC,
            Compiler::Rust => environment::RUSTC,
        }
    }

    /// How to get it.
    pub fn advice(self) -> &'static str {
        match self {
            Compiler::C | Compiler::Cxx => "install it with `apt-get install clang-22`",
            Compiler::Fortran => "install it with `apt-get install flang-22 libflang-22-dev`",
            Compiler::Rust => "install Rust with rustup (see rustup.rs)",
        }
    }

    /// The program: from the environment variable, else from PATH, else from LLVM's folder.
    pub fn find(self) -> Result<PathBuf, Failure> {
        let chosen = env::var_os(self.variable()).filter(|name| !name.is_empty());
        let found = match &chosen {
            Some(name) => on_path(name),
            None => on_path(OsStr::new(self.program())).or_else(|| self.in_llvm_folder()),
        };
        found.ok_or_else(|| Failure::CompilerMissing {
            compiler: chosen.map_or(self.program().to_owned(), |name| {
                name.to_string_lossy().into_owned()
            }),
            advice: self.advice().to_owned(),
            variable: self.variable(),
        })
    }

    /// The LLVM inside a compiler, from what its program says of itself.
    pub fn llvm_major(self, path: &Path) -> Option<u32> {
        let (question, before) = match self {
            Compiler::Rust => ("-vV", "LLVM version: "),
            _ => ("--version", "version "),
        };
        let output = Command::new(path).arg(question).output().ok()?;
        major_after(&String::from_utf8_lossy(&output.stdout), before)
    }

    /// Refuses a program that the environment variable names and that the pass cannot be loaded into.
    pub fn check_choice(self) -> Result<(), Failure> {
        if env::var_os(self.variable()).is_none_or(|name| name.is_empty()) {
            return Ok(());
        }
        let path = self.find()?;
        match self.llvm_major(&path) {
            Some(LLVM_MAJOR) => Ok(()),
            _ => Err(Failure::OtherCompiler {
                variable: self.variable(),
                path,
                wanted: self.program(),
            }),
        }
    }

    fn in_llvm_folder(self) -> Option<PathBuf> {
        let name = self.program().strip_suffix("-22")?;
        Some(Path::new(LLVM_FOLDER).join(name)).filter(|path| is_executable(path))
    }
}

fn major_after(text: &str, before: &str) -> Option<u32> {
    let (_, version) = text.split_once(before)?;
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// A program by path, or by name on PATH.
pub fn on_path(name: &OsStr) -> Option<PathBuf> {
    let name = Path::new(name);
    if name.components().count() > 1 {
        return Some(name.to_owned()).filter(|path| is_executable(path));
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| is_executable(path))
}

pub fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// A part of lostbits that lies beside the tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Plugin,
    Runtime,
    /// The runtime with MPFR, for the modes that compute with it.
    RuntimeReals,
}

impl Part {
    pub const ALL: [Part; 3] = [Part::Plugin, Part::Runtime, Part::RuntimeReals];

    /// The runtime that programs of a mode are linked with.
    pub fn runtime_of(mode: Mode) -> Part {
        match mode.needs_reals() {
            true => Part::RuntimeReals,
            false => Part::Runtime,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Part::Plugin => "pass plugin liblostbits_pass.so",
            Part::Runtime => "runtime object lostbits_runtime.o",
            Part::RuntimeReals => "runtime object lostbits_runtime_reals.o",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Part::Plugin => "pass plugin",
            Part::Runtime => "runtime object",
            Part::RuntimeReals => "runtime with MPFR",
        }
    }

    pub fn file(self) -> &'static str {
        match self {
            Part::Plugin => "liblostbits_pass.so",
            Part::Runtime => "lostbits_runtime.o",
            Part::RuntimeReals => "lostbits_runtime_reals.o",
        }
    }

    /// The part's path, after a check that it is of this version.
    pub fn find(self) -> Result<PathBuf, Failure> {
        let folders = part_folders();
        let candidates = folders.iter().map(|folder| folder.join(self.file()));
        let path =
            candidates
                .into_iter()
                .find(|path| path.is_file())
                .ok_or(Failure::PartMissing {
                    part: self.name(),
                    searched: folders,
                })?;
        match version_of(&path) {
            Some(version) if version == VERSION => Ok(path),
            Some(found) => Err(Failure::PartOfOtherVersion { path, found }),
            None => Err(Failure::PartForeign {
                part: self.title(),
                path,
            }),
        }
    }
}

/// LOSTBITS_HOME alone where it is set; else beside the executable, then where `make install` puts
/// the parts.
fn part_folders() -> Vec<PathBuf> {
    if let Some(home) = env::var_os(environment::HOME).filter(|home| !home.is_empty()) {
        return vec![home.into()];
    }
    let executable = env::current_exe().unwrap_or_default();
    let beside = executable.parent().unwrap_or(Path::new(".")).to_owned();
    let installed = beside.parent().unwrap_or(&beside).join("lib/lostbits");
    vec![beside, installed]
}

/// The text at the symbol `__lostbits_version` of an object or library.
fn version_of(path: &Path) -> Option<String> {
    // Reads only what it needs: a plugin with debug information is large.
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    let symbol = file
        .dynamic_symbols()
        .chain(file.symbols())
        .find(|symbol| {
            symbol.name() == Ok(variables::VERSION.symbol) && symbol.section_index().is_some()
        })?;
    let section = file.section_by_index(symbol.section_index()?).ok()?;
    let data = section.data().ok()?;
    let text =
        data.get(usize::try_from(symbol.address().checked_sub(section.address())?).ok()?..)?;
    let end = text.iter().position(|byte| *byte == 0)?;
    String::from_utf8(text[..end].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_name_their_llvm() {
        assert_eq!(
            major_after("Debian clang version 22.1.8 (1~deb12u1)", "version "),
            Some(22)
        );
        assert_eq!(
            major_after("release: 1.95.0\nLLVM version: 22.1.2\n", "LLVM version: "),
            Some(22)
        );
        assert_eq!(major_after("something else", "version "), None);
    }
}
