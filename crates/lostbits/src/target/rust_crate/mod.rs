//! A Rust crate as a library that can be called: its public functions need no `extern "C"`.
//!
//! ```text
//! cargo metadata ── public functions (syn) ── a crate of wrappers, which depends on it ── cargo build ── cdylib
//! ```
//!
//! cargo builds the crate and its dependencies with `lostbits-rustc`, in a folder of the crate's target folder for each mode.
//! Wrappers that the compiler refuses are left out, with its reason.
//!
//! What it can miss: profiles and patches of the crate's workspace, which do not apply to the crate of wrappers.

mod api;
mod wrapper;

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lostbits_abi::{environment, mode::Mode};
use serde_json::Value;

use crate::{build, failure::Failure, run::guardian};
use wrapper::{SUBJECT, Wrapper};

/// The library, and the functions that have no wrapper.
pub struct Wrapped {
    pub library: PathBuf,
    /// With the reason why.
    pub skipped: Vec<(String, String)>,
}

/// How often wrappers are left out: rustc finds some errors only when there are no others.
const ATTEMPTS: usize = 6;
const NAME: &str = "lostbits_searched";
const HEAD: &str = "// Written by lostbits search.\n#![allow(warnings)]\n";

/// Builds the crate in a folder for a mode.
pub fn library(folder: &Path, mode: Mode) -> Result<Wrapped, Failure> {
    let package = Package::of(folder)?;
    let functions = api::read(&package.root).map_err(|reason| package.refused(reason))?;
    let mut wrappers: Vec<Wrapper> = Vec::new();
    let mut skipped = Vec::new();
    for function in &functions {
        match wrapper::wrappers(function, &package.library) {
            Ok(all) => wrappers.extend(all),
            Err(reason) => skipped.push((function.path.join("::"), reason)),
        }
    }
    let own = package
        .target
        .join("lostbits")
        .join("search")
        .join(mode.name());
    let place = own.join("wrapper");
    fs::create_dir_all(&place).map_err(cannot_write(&place))?;
    write(&place.join("Cargo.toml"), &package.manifest())?;
    let lock = package.workspace.join("Cargo.lock");
    if lock.exists() && !place.join("Cargo.lock").exists() {
        let to = place.join("Cargo.lock");
        fs::copy(&lock, &to).map_err(cannot_write(&to))?;
    }
    for _ in 0..ATTEMPTS {
        if wrappers.is_empty() {
            return Err(package.refused("it has no public function of numbers".to_owned()));
        }
        write(&place.join("lib.rs"), &source(&wrappers))?;
        let refused = match build(&place, &own, mode)? {
            Built::Whole => {
                return Ok(Wrapped {
                    library: own.join("release").join(format!("lib{NAME}.so")),
                    skipped,
                });
            }
            Built::Refused(refused) => refused,
            Built::Failed(reason) => return Err(package.refused(reason)),
        };
        let lines: HashSet<usize> = refused.iter().map(|one| one.0).collect();
        for (line, reason) in refused {
            let wrapper = wrappers.get(line);
            if let Some(wrapper) = wrapper.filter(|wrapper| !wrapper.is_guess) {
                let reason = format!("cannot be called with numbers: {reason}");
                skipped.push((wrapper.function.clone(), reason));
            }
        }
        let mut at = 0..;
        wrappers.retain(|_| at.next().is_some_and(|at| !lines.contains(&at)));
    }
    Err(package.refused("rustc refuses its wrappers again and again".to_owned()))
}

struct Package {
    name: String,
    /// As Rust names it.
    library: String,
    folder: PathBuf,
    /// The file of the crate's root.
    root: PathBuf,
    target: PathBuf,
    workspace: PathBuf,
}

impl Package {
    fn of(folder: &Path) -> Result<Package, Failure> {
        let refused = |reason: String| Failure::CrateRefused {
            path: folder.to_owned(),
            reason,
        };
        let manifest = folder.join("Cargo.toml");
        let manifest = manifest
            .canonicalize()
            .map_err(|error| Failure::CannotRead {
                path: manifest,
                error,
            })?;
        let mut command = Command::new("cargo");
        command.args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--manifest-path",
        ]);
        let output = command.arg(&manifest).output();
        let output = output.map_err(|error| Failure::CannotStart {
            program: "cargo".into(),
            error,
        })?;
        if !output.status.success() {
            return Err(refused(
                String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            ));
        }
        let metadata: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| refused(format!("cargo metadata cannot be read ({error})")))?;
        let path = |value: &Value| value.as_str().map(PathBuf::from);
        let packages = || metadata["packages"].as_array().into_iter().flatten();
        let own = |package: &&Value| path(&package["manifest_path"]).as_ref() == Some(&manifest);
        let Some(package) = packages().find(own) else {
            let members = packages().filter_map(|package| package["name"].as_str());
            let members: Vec<&str> = members.collect();
            return Err(refused(format!(
                "it is a workspace of {}: name the folder of one with --crate",
                members.join(", ")
            )));
        };
        let is_library = |target: &&Value| {
            let kinds = target["kind"].as_array().into_iter().flatten();
            let mut kinds = kinds.filter_map(Value::as_str);
            kinds.any(|kind| kind == "lib" || kind == "rlib")
        };
        let targets = package["targets"].as_array().into_iter().flatten();
        let target = targets.into_iter().find(is_library);
        let target = target.ok_or_else(|| {
            refused(
                "it has no library: move its functions from src/main.rs to src/lib.rs".to_owned(),
            )
        })?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(Package {
            name: text(&package["name"]),
            library: text(&target["name"]).replace('-', "_"),
            folder: manifest.parent().unwrap_or(Path::new("")).to_owned(),
            root: path(&target["src_path"]).unwrap_or_default(),
            target: path(&metadata["target_directory"]).unwrap_or_default(),
            workspace: path(&metadata["workspace_root"]).unwrap_or_default(),
        })
    }

    fn refused(&self, reason: String) -> Failure {
        Failure::CrateRefused {
            path: self.folder.clone(),
            reason,
        }
    }

    fn manifest(&self) -> String {
        let folder = self
            .folder
            .to_string_lossy()
            .replace('\\', "\\\\")
            .replace('"', "\\\"");
        format!(
            "[package]\nname = \"{NAME}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n\
             crate-type = [\"cdylib\"]\n[dependencies]\n{SUBJECT} = {{ package = \"{}\", path = \"{folder}\" }}\n\
             [profile.release]\ndebug = true\n[workspace]\n",
            self.name
        )
    }
}

/// The lines before the first wrapper.
fn head() -> String {
    let mut text = HEAD.to_owned();
    for kind in ["f64", "f32"] {
        for count in 2..=4 {
            let fields = vec![format!("pub {kind}"); count].join(", ");
            text += &format!("#[repr(C)] pub struct Numbers{count}{kind}({fields});\n");
        }
    }
    text
}

fn source(wrappers: &[Wrapper]) -> String {
    let lines: Vec<&str> = wrappers
        .iter()
        .map(|wrapper| wrapper.line.as_str())
        .collect();
    head() + &lines.join("\n") + "\n"
}

enum Built {
    Whole,
    /// Wrappers by their position, with the compiler's reason.
    Refused(Vec<(usize, String)>),
    Failed(String),
}

fn build(place: &Path, own: &Path, mode: Mode) -> Result<Built, Failure> {
    let [.., rustc] = build::wrappers()?;
    let mut command = Command::new("cargo");
    command
        .args(["build", "--release", "--quiet", "--message-format", "json"])
        .current_dir(place)
        .env("CARGO_TARGET_DIR", own)
        .env("RUSTC_WRAPPER", rustc)
        .env(environment::MODE, mode.name())
        .stdin(Stdio::null());
    guardian::end_with_tool(&mut command);
    let output = command.output().map_err(|error| Failure::CannotStart {
        program: "cargo".into(),
        error,
    })?;
    if output.status.success() {
        return Ok(Built::Whole);
    }
    let first = head().lines().count() + 1;
    let mut refused: Vec<(usize, String)> = Vec::new();
    let mut said = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let (is_ours, message) = (message["target"]["name"] == NAME, &message["message"]);
        if message["level"] != "error" {
            continue;
        }
        let text = message["message"].as_str().unwrap_or_default().to_owned();
        let spans = message["spans"].as_array().into_iter().flatten();
        let line = spans
            .filter(|span| span["is_primary"] == true && span["file_name"] == "lib.rs")
            .find_map(|span| span["line_start"].as_u64());
        match line.map(|line| line as usize) {
            Some(line) if is_ours && line >= first => {
                if !refused.iter().any(|known| known.0 == line - first) {
                    refused.push((line - first, text));
                }
            }
            _ => said.extend(message["rendered"].as_str().map(str::to_owned)),
        }
    }
    if refused.is_empty() {
        said.push(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        return Ok(Built::Failed(said.join("\n")));
    }
    Ok(Built::Refused(refused))
}

fn cannot_write(path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    let path = path.to_owned();
    |error| Failure::CannotWrite { path, error }
}

/// Only if it is another text: cargo builds anew what was written.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(cannot_write(path))
}
