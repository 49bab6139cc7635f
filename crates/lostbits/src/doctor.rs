//! `lostbits doctor`: what was found, what is missing, and the command that gets it.

use std::{fmt::Write, fs, path::PathBuf};

use lostbits_abi::shadow;

use crate::failure::Failure;
use crate::toolchain::{Compiler, LLVM_MAJOR, Part, on_path};

/// A compiler or part, and whether it is there.
#[derive(Debug, PartialEq, Eq)]
pub struct Check {
    pub name: String,
    pub verdict: Verdict,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There, with what is known of it.
    Good(String),
    /// Something does not work without it: what, and what to do.
    Missing { essential: bool, advice: String },
}

impl Check {
    fn good(name: impl Into<String>, found: impl Into<String>) -> Check {
        Check {
            name: name.into(),
            verdict: Verdict::Good(found.into()),
        }
    }

    fn missing(name: impl Into<String>, essential: bool, advice: impl Into<String>) -> Check {
        Check {
            name: name.into(),
            verdict: Verdict::Missing {
                essential,
                advice: advice.into(),
            },
        }
    }
}

/// Checks everything.
pub fn examine() -> Vec<Check> {
    let mut checks: Vec<Check> = Compiler::ALL.into_iter().map(check_compiler).collect();
    checks.extend(Part::ALL.into_iter().map(check_part));
    checks.push(check_linker());
    checks.push(check_shadow_memory());
    checks
}

/// Whether everything essential is there.
pub fn is_healthy(checks: &[Check]) -> bool {
    !checks.iter().any(|check| {
        matches!(
            check.verdict,
            Verdict::Missing {
                essential: true,
                ..
            }
        )
    })
}

/// The table, for people.
pub fn table(checks: &[Check]) -> String {
    let width = checks
        .iter()
        .map(|check| check.name.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for Check { name, verdict } in checks {
        let line = match verdict {
            Verdict::Good(found) => format!("ok       {name:<width$}  {found}"),
            Verdict::Missing {
                essential: true,
                advice,
            } => format!("missing  {name:<width$}  {advice}"),
            Verdict::Missing {
                essential: false,
                advice,
            } => format!("warning  {name:<width$}  {advice}"),
        };
        writeln!(text, "{line}").expect("a string takes all");
    }
    text.push_str(if is_healthy(checks) {
        "lostbits is ready\n"
    } else {
        "lostbits does not work yet: install what is missing\n"
    });
    text
}

/// C and C++ are essential; a machine without Fortran or Rust is still useful.
fn check_compiler(compiler: Compiler) -> Check {
    let name = format!("lostbits {}", compiler.command());
    let essential = matches!(compiler, Compiler::C | Compiler::Cxx);
    let path = match compiler.find() {
        Ok(path) => path,
        Err(Failure::CompilerMissing {
            compiler: program,
            advice,
            variable,
        }) => {
            let advice =
                format!("{program} not found: {advice}, or set {variable} to another compiler");
            return Check::missing(name, essential, advice);
        }
        Err(other) => return Check::missing(name, essential, other.to_string()),
    };
    match compiler.llvm_major(&path) {
        Some(LLVM_MAJOR) => Check::good(name, format!("{}, LLVM {LLVM_MAJOR}", path.display())),
        found => {
            let found = found.map_or("an unknown version of LLVM".to_owned(), |major| {
                format!("LLVM {major}")
            });
            let advice = format!(
                "{} has {found}, but lostbits needs LLVM {LLVM_MAJOR}: {}, or set {} to another compiler",
                path.display(),
                other_version_advice(compiler),
                compiler.variable(),
            );
            Check::missing(name, essential, advice)
        }
    }
}

fn other_version_advice(compiler: Compiler) -> &'static str {
    match compiler {
        Compiler::Rust => "get Rust 1.95 with `rustup toolchain install 1.95`",
        other => other.advice(),
    }
}

fn check_part(part: Part) -> Check {
    match part.find() {
        Ok(path) => Check::good(
            part.title(),
            format!("{}, version {}", path.display(), lostbits_abi::VERSION),
        ),
        Err(failure) => Check::missing(part.title(), true, failure.to_string()),
    }
}

fn check_linker() -> Check {
    let found: Vec<PathBuf> = ["ld", "ld.lld-22", "ld.lld"]
        .iter()
        .filter_map(|name| on_path(name.as_ref()))
        .collect();
    match found.first() {
        Some(path) => Check::good("linker", path.display().to_string()),
        None => Check::missing(
            "linker",
            true,
            "not found: install one with `apt-get install binutils`",
        ),
    }
}

/// Shadow memory is far more address space than memory: is so much allowed?
fn check_shadow_memory() -> Check {
    const NAME: &str = "shadow memory";
    let strict =
        fs::read_to_string("/proc/sys/vm/overcommit_memory").is_ok_and(|text| text.trim() == "2");
    match reserve_planes() {
        Ok(()) if strict => Check::missing(
            NAME,
            false,
            "large programs may run out of memory because the kernel counts reserved memory \
             (vm.overcommit_memory=2): run `sysctl vm.overcommit_memory=0`",
        ),
        Ok(()) => Check::good(NAME, "the address space can be reserved"),
        Err(error) => Check::missing(
            NAME,
            true,
            format!("the address space cannot be reserved ({error}): run `ulimit -v unlimited`"),
        ),
    }
}

/// Reserves the shadows of the largest stretch of the program's memory, and gives them back.
fn reserve_planes() -> Result<(), std::io::Error> {
    let (start, end) = shadow::APP_REGIONS[shadow::APP_REGIONS.len() - 1];
    let length = (end - start) as usize;
    for plane in 0..shadow::PLANES {
        let address = (start - shadow::distance(plane)) & !0xfff;
        // SAFETY: a new mapping that replaces none, given back at once.
        unsafe {
            let flags = libc::MAP_PRIVATE
                | libc::MAP_ANONYMOUS
                | libc::MAP_NORESERVE
                | libc::MAP_FIXED_NOREPLACE;
            let mapped = libc::mmap(address as *mut _, length, libc::PROT_NONE, flags, -1, 0);
            if mapped == libc::MAP_FAILED {
                return Err(std::io::Error::last_os_error());
            }
            libc::munmap(mapped, length);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_distinguishes_missing_from_found() {
        let checks = [
            Check::good("lostbits cc", "/usr/bin/clang-22, LLVM 22"),
            Check::missing("lostbits fc", false, "install flang"),
        ];
        assert!(is_healthy(&checks));
        insta::assert_snapshot!(table(&checks));
        assert!(!is_healthy(&[Check::missing(
            "linker",
            true,
            "install one"
        )]));
    }
}
