//! A folder of its own for each test, and `lostbits` run in it.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use lostbits_abi::site::{SECTION, SiteTable};
use tempfile::TempDir;

pub const LOSTBITS: &str = env!("CARGO_BIN_EXE_lostbits");

/// A name that clears the screen, rings, and forges a line of a report.
pub const HOSTILE: &str = "x\u{1b}[2J\u{7}\u{9b}3J\u{202e}\nwarning: forged";

/// Colours aside, a report must not pass on what is in a [`HOSTILE`] name, and must show that it was there.
pub fn assert_harmless(report: &str) {
    let mut plain = String::new();
    for (index, part) in report.split("\u{1b}[").enumerate() {
        let colour = part.find(|c: char| c != ';' && !c.is_ascii_digit());
        let end = colour.filter(|at| index > 0 && part[*at..].starts_with('m'));
        assert!(index == 0 || end.is_some(), "an escape: {report:?}");
        plain += &part[end.map_or(0, |at| at + 1)..];
    }
    let is_harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!plain.contains(is_harmful), "{plain:?}");
    assert!(!plain.contains("\nwarning: forged"), "{plain:?}");
    assert!(plain.contains("\\nwarning: forged"), "{plain:?}");
}

pub struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(&path, contents).expect(name);
        path
    }

    pub fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(name)).expect(name)).into_owned()
    }

    pub fn make_executable(&self, name: &str) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect(name);
    }

    /// `lostbits` in this folder, without settings from outside.
    pub fn lostbits(&self, arguments: &[&str]) -> Command {
        self.program(Path::new(LOSTBITS), arguments)
    }

    pub fn program(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        for name in
            ["HOME", "OUT", "CC", "CXX", "FC", "RUSTC"].map(|name| format!("LOSTBITS_{name}"))
        {
            command.env_remove(name);
        }
        // What the compilers build for unless a test says otherwise: the self-check, whose summary shows that shadows are right.
        command.env("LOSTBITS_MODE", "same");
        command
    }

    /// Runs and shows exit code, output and errors, the folder's path replaced.
    pub fn show(&self, command: &mut Command) -> String {
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().expect("it starts");
        let ending = match status.signal() {
            Some(signal) => format!("signal {signal}"),
            None => format!("exit {}", status.code().unwrap_or_default()),
        };
        let mut text = format!("{ending}\n");
        for (name, bytes) in [("stdout", stdout), ("stderr", stderr)] {
            if !bytes.is_empty() {
                text += &format!("--- {name}\n{}", String::from_utf8_lossy(&bytes));
            }
        }
        text.replace(&*self.folder.path().to_string_lossy(), "$DIR")
    }

    /// Runs and gives both streams, with colours and all.
    pub fn raw(&self, arguments: &[&str]) -> String {
        let mut command = self.lostbits(arguments);
        let output = command.env("CLICOLOR_FORCE", "1").output();
        let output = output.expect("it starts");
        let streams = [output.stdout, output.stderr];
        streams
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .concat()
    }

    /// Runs what must succeed; gives its output.
    pub fn succeed(&self, command: &mut Command) -> String {
        let output = command.output().expect("it starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{command:?}: {}\n{errors}",
            output.status
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Assembles an object with plain clang.
    pub fn assemble(&self, name: &str, assembly: &str) -> PathBuf {
        let source = self.write(&format!("{name}.s"), assembly);
        let object = self.path(name);
        let clang = Command::new("clang-22")
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(&object)
            .status();
        assert!(clang.expect("clang-22").success());
        object
    }

    /// An object that holds `bytes` as its site tables.
    pub fn object_with_tables(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let tables = self.write(&format!("{name}.tables"), bytes);
        self.assemble(
            name,
            &format!(
                ".section {SECTION},\"a\"\n.balign 8\n.incbin \"{}\"\n",
                tables.display()
            ),
        )
    }

    pub fn object(&self, name: &str, tables: &[SiteTable]) -> PathBuf {
        let bytes: Vec<u8> = tables.iter().flat_map(SiteTable::encode).collect();
        self.object_with_tables(name, &bytes)
    }

    /// A folder with a plugin and a runtime that only say their version.
    pub fn fake_home(&self, version: &str) -> PathBuf {
        fs::create_dir_all(self.path("home")).expect("home");
        for name in [
            "home/liblostbits_pass.so",
            "home/lostbits_runtime.o",
            "home/lostbits_runtime_reals.o",
        ] {
            self.assemble(
                name,
                &format!(
                    ".data\n.globl __lostbits_version\n__lostbits_version: .asciz \"{version}\"\n"
                ),
            );
        }
        self.path("home")
    }
}
