//! A program built with interventions: `bench/blame/interventions.c` computes, and this module chooses what.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

use rug::Float;

use super::{program::Language, program::Program, rewrite::rewrite};
use crate::{command, tools};

/// Inlining gives library code the line that calls it. Nothing else may run: hoisted and merged operations lose their line.
const PASSES: &str = "-passes=function(sroa),cgscc(inline),function(sroa)";
/// The rewritten program.
const CHANGED: &str = "changed.ll";
/// Seconds that a run may take.
const PATIENCE: &str = "60";
/// Of the numbers that runs write: those of binary128.
const PRECISION: u32 = 113;

pub struct Model {
    executable: PathBuf,
    arguments: Vec<String>,
}

/// Which operations round.
#[derive(Clone, Copy, Debug)]
pub enum Intervention {
    /// All, as in the program itself.
    Round,
    /// All but this line's.
    Exact(u64),
    /// Only this line's.
    Only(u64),
    /// No operation.
    AllExact,
    /// All as in the program, but this line's rounding errors vanish.
    Forget(u64),
    /// None; this line's rounding errors in the program are kept.
    Keep(u64),
    /// All but this line's, which get exact operands.
    Inputs(u64),
}

impl Intervention {
    fn environment(self) -> (&'static str, String) {
        match self {
            Intervention::Round => ("round", String::new()),
            Intervention::Exact(line) => ("exact", line.to_string()),
            Intervention::Only(line) => ("only", line.to_string()),
            Intervention::AllExact => ("only", String::new()),
            Intervention::Forget(line) => ("forget", line.to_string()),
            Intervention::Keep(line) => ("keep", line.to_string()),
            Intervention::Inputs(line) => ("inputs", line.to_string()),
        }
    }
}

pub struct Run {
    pub text: Vec<u8>,
    /// What it printed, not yet rounded for printing.
    pub outputs: Vec<Float>,
    pub profile: Vec<Line>,
}

/// A source line that executed operations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// 0 where the source line of an operation is not known.
    pub number: u64,
    pub operations: u64,
    /// The most bits by which a sum was smaller than its operands.
    pub cancelled: u64,
}

impl Model {
    /// Rewrites the program's IR and gives a number that changes with everything that the truth depends on.
    pub fn prepare(program: &Program, folder: &Path) -> Result<u64, String> {
        let cannot = |error: std::io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(cannot)?;
        let [plain, inlined] = ["plain.ll", "inlined.ll"].map(|name| folder.join(name));
        // In its folder, where Fortran leaves its modules.
        run(emit(program).arg("-o").arg(&plain).current_dir(folder))?;
        let mut opt = Command::new("opt-22");
        run(opt.args(["-S", PASSES]).arg(&plain).arg("-o").arg(&inlined))?;
        let ir = fs::read_to_string(&inlined).map_err(cannot)?;
        let changed = rewrite(&ir, &program.file_name())?;
        fs::write(folder.join(CHANGED), &changed).map_err(cannot)?;
        let runtime = fs::read(runtime()).map_err(cannot)?;
        let code = [
            include_str!("model.rs"),
            include_str!("truth.rs"),
            include_str!("printed.rs"),
        ];
        let mut hasher = DefaultHasher::new();
        (changed, runtime, &program.arguments, code).hash(&mut hasher);
        Ok(hasher.finish())
    }

    /// Builds what was prepared in the folder.
    pub fn build(program: &Program, folder: &Path) -> Result<Model, String> {
        let [changed, object, library, executable] =
            [CHANGED, "changed.o", "interventions.o", "model"].map(|name| folder.join(name));
        let mut clang = Command::new("clang-22");
        clang.args(["-O1", "-c", "-Wno-override-module"]);
        run(clang.arg(&changed).arg("-o").arg(&object))?;
        let mut gcc = Command::new("gcc");
        run(gcc
            .args(["-O2", "-c"])
            .arg(runtime())
            .arg("-o")
            .arg(&library))?;
        let objects = [object.as_path(), library.as_path()];
        run(&mut link(program.language, &objects, &executable, folder)?)?;
        Ok(Model {
            executable,
            arguments: program.arguments.clone(),
        })
    }

    pub fn run(&self, intervention: Intervention) -> Result<Run, String> {
        self.run_with(intervention, None)
    }

    /// With every operation rounding; what is printed are these numbers.
    pub fn printing(&self, outputs: &[Float]) -> Result<Vec<u8>, String> {
        Ok(self.run_with(Intervention::Round, Some(outputs))?.text)
    }

    fn run_with(
        &self,
        intervention: Intervention,
        printed: Option<&[Float]>,
    ) -> Result<Run, String> {
        let (mode, lines) = intervention.environment();
        let beside = |name: &str| {
            self.executable
                .with_file_name(format!("{name}-{mode}-{lines}"))
        };
        let [outputs, profile, replaced] = ["outputs", "profile", "replaced"].map(beside);
        let mut command = Command::new("timeout");
        command
            .arg(PATIENCE)
            .arg(&self.executable)
            .args(&self.arguments)
            .env("BLAME_MODE", mode)
            .env("BLAME_LINES", lines)
            .env("BLAME_OUTPUTS", &outputs)
            .env("BLAME_PROFILE", &profile);
        if let Some(numbers) = printed {
            let doubles = numbers
                .iter()
                .flat_map(|number| number.to_f64().to_le_bytes());
            fs::write(&replaced, doubles.collect::<Vec<u8>>())
                .map_err(|error| error.to_string())?;
            command.env("BLAME_PRINTED", &replaced);
        }
        let finished = command::run_well(&mut command)
            .map_err(|error| format!("with {intervention:?}: {error}"))?;
        let read =
            |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        let run = Run {
            text: finished.stdout,
            outputs: read(&outputs)?.chunks_exact(16).map(number).collect(),
            profile: profiled(&String::from_utf8_lossy(&read(&profile)?)),
        };
        for path in [outputs, profile, replaced] {
            let _ = fs::remove_file(path); // The last of them exists only sometimes.
        }
        Ok(run)
    }
}

fn runtime() -> PathBuf {
    tools::repository().join("bench/blame/interventions.c")
}

/// The command that writes unoptimised LLVM IR.
fn emit(program: &Program) -> Command {
    let (compiler, flags): (&str, &[&str]) = match program.language {
        Language::C => ("clang-22", &["-Xclang", "-disable-llvm-passes"]),
        Language::Cpp => ("clang++-22", &["-Xclang", "-disable-llvm-passes"]),
        // Flang's own passes turn array intrinsics into loops; the limit stops LLVM's.
        Language::Fortran => ("flang-22", &["-mllvm", "-opt-bisect-limit=0"]),
        Language::Rust => {
            let mut rustc = Command::new("rustc");
            rustc.args(["--emit=llvm-ir", "--edition=2024", "-g"]);
            rustc.args([
                "-Copt-level=1",
                "-Cno-prepopulate-passes",
                "-Ccodegen-units=1",
            ]);
            rustc
                .arg("-Csymbol-mangling-version=v0")
                .arg(&program.source);
            return rustc;
        }
    };
    let mut command = Command::new(compiler);
    command.args(["-O1", "-g", "-ffp-contract=off", "-S", "-emit-llvm"]);
    command.args(flags).arg(&program.source);
    command
}

fn link(
    language: Language,
    objects: &[&Path],
    executable: &Path,
    folder: &Path,
) -> Result<Command, String> {
    let mut command = match language {
        Language::C => Command::new("clang-22"),
        Language::Cpp => Command::new("clang++-22"),
        Language::Fortran => Command::new("flang-22"),
        Language::Rust => {
            // A crate that only brings Rust's standard library along.
            let empty = folder.join("empty.rs");
            fs::write(&empty, "#![no_main]\nextern crate std;\n")
                .map_err(|error| error.to_string())?;
            let mut rustc = Command::new("rustc");
            rustc
                .arg(&empty)
                .args(["--edition=2024", "-lquadmath", "-lm"]);
            for object in objects {
                rustc.arg(format!("-Clink-arg={}", object.display()));
            }
            rustc
                .args(["-Clink-arg=-lquadmath", "-Clink-arg=-lm", "-o"])
                .arg(executable);
            return Ok(rustc);
        }
    };
    command
        .args(objects)
        .args(["-lquadmath", "-lm", "-o"])
        .arg(executable);
    Ok(command)
}

fn run(command: &mut Command) -> Result<(), String> {
    let finished = command::run(command)?;
    match finished.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{command:?} ended with {}: {}",
            finished.status,
            String::from_utf8_lossy(&finished.stderr).trim()
        )),
    }
}

/// A number in binary128, little-endian.
fn number(bytes: &[u8]) -> Float {
    let bits = u128::from_le_bytes(bytes.try_into().expect("16 bytes"));
    let fraction = bits & ((1 << 112) - 1);
    let exponent = (bits >> 112) as i32 & 0x7fff;
    let (significand, exponent) = match exponent {
        0x7fff if fraction != 0 => return Float::with_val(PRECISION, f64::NAN),
        0x7fff if bits >> 127 == 1 => return Float::with_val(PRECISION, f64::NEG_INFINITY),
        0x7fff => return Float::with_val(PRECISION, f64::INFINITY),
        0 => (fraction, 1),
        exponent => (fraction | 1 << 112, exponent),
    };
    let magnitude = Float::with_val(PRECISION, significand) << (exponent - 16383 - 112);
    match bits >> 127 {
        1 => -magnitude,
        _ => magnitude,
    }
}

fn profiled(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let mut fields = line.split(' ').map(|field| field.parse::<u64>().ok());
        Some(Line {
            number: fields.next()??,
            operations: fields.next()??,
            cancelled: fields.next()??,
        })
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary128_is_read() {
        let bytes = |bits: u128| number(&bits.to_le_bytes());
        assert_eq!(bytes(0x3fff << 112), 1);
        assert_eq!(bytes(0xc000_8000 << 96), -3);
        assert_eq!(
            bytes(0x3ffb_9999_9999_9999_9999_9999_9999_999a),
            Float::with_val(113, 1) / 10
        );
        assert_eq!(bytes(0), 0);
        assert_eq!(bytes(0x7fff << 112), f64::INFINITY);
        assert!(bytes(0x7fff_8000 << 96).is_nan());
        assert_eq!(bytes(1), Float::with_val(113, 1) >> (16382 + 112));
    }

    #[test]
    fn a_profile_is_read() {
        let line = |number, operations, cancelled| Line {
            number,
            operations,
            cancelled,
        };
        assert_eq!(
            profiled("7 1000 52\n9 3 0\n"),
            [line(7, 1000, 52), line(9, 3, 0)]
        );
    }
}
