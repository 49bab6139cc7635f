//! Builds the subject programs with the packed runtime, runs them, and reads their records.

#![allow(dead_code, reason = "each test file uses its part")]

use std::{
    fs,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

use lostbits_abi::{
    ABI_VERSION, functions,
    kind::FpKind,
    mode::Mode,
    ops::Op,
    record::{self, ProcessRecord},
    shadow,
    site::{Count, Site, SiteTable, What},
};

pub const COUNTERS: u32 = 3;
pub const SITES: usize = 2;
pub const COMPILER: &str = "clang-22";

/// What the subject programs end with when all is well.
pub const EXIT: i32 = 5;

/// The table of every subject module, with `padding` bytes of function name to make it large.
pub fn table(padding: usize) -> SiteTable {
    let site = |line| Site {
        file: "subject.c".into(),
        function: format!("f{}", "x".repeat(padding)),
        line,
        column: 3,
        ordinal: 0,
        what: What::Operation(Op::ALL[0]),
        kind: Some(FpKind::Double),
        lanes: 1,
        copies: 1,
        callee: String::new(),
        note: None,
        operands: Vec::new(),
        inlined_from: Vec::new(),
    };
    SiteTable {
        mode: Mode::Same,
        version: lostbits_abi::VERSION.into(),
        sites: (1..=SITES as u32).map(site).collect(),
        counters: COUNTERS,
        counts: vec![Count {
            counter: 0,
            site: 0,
            times: 2,
        }],
    }
}

pub fn header(table: &SiteTable) -> String {
    let bytes = table.encode();
    let list = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte},"))
            .collect::<String>()
    };
    let distances: String = (0..shadow::PLANES)
        .map(|plane| format!("{}ULL,", shadow::distance(plane)))
        .collect();
    format!(
        "#define ABI_VERSION {ABI_VERSION}\n#define REGISTER {}\n#define MODE {}\n#define COUNTERS {COUNTERS}\n\
         #define SITES {SITES}\n#define DISTANCES {distances}\n\
         static const unsigned char table[] = {{{}}};\n",
        functions::REGISTER.symbol,
        table.mode as u32,
        list(&bytes),
    )
}

/// A new empty folder. Those of the run before are removed.
pub fn folder() -> PathBuf {
    static ALL: OnceLock<PathBuf> = OnceLock::new();
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let all = ALL.get_or_init(|| {
        let all = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(concat!("runtime-", env!("CARGO_CRATE_NAME")));
        let _ = fs::remove_dir_all(&all);
        all
    });
    let folder = all.join(NEXT.fetch_add(1, Relaxed).to_string());
    fs::create_dir_all(&folder).unwrap();
    folder
}

pub fn must(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}

pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/subject")
        .join(name)
}

/// The packed runtime.
pub fn object() -> &'static Path {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/pack-runtime.sh");
        let out = folder();
        must(Command::new("sh").arg(script).arg(&out));
        out.join("lostbits_runtime.o")
    })
}

/// Compiles subject sources, linked with the runtime.
pub fn compile(sources: &[&str], flags: &[&str], padding: usize) -> PathBuf {
    let folder = folder();
    fs::write(folder.join("table.h"), header(&table(padding))).unwrap();
    let out = folder.join("subject");
    must(
        Command::new(COMPILER)
            .args(["-O1", "-g", "-w", "-fPIE", "-I"])
            .arg(&folder)
            .args(sources.iter().map(|name| source(name)))
            .arg(object())
            .args(flags)
            .arg("-o")
            .arg(&out),
    );
    out
}

pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compile(&["program.c"], &["-pie", "-lpthread", "-ldl"], 0))
}

/// Carries its own copy of the runtime.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| compile(&["library.c"], &["-shared", "-fPIC"], 0))
}

/// A Rust program with one instrumented module, which is C.
pub fn rust_program() -> PathBuf {
    let folder = folder();
    fs::write(folder.join("table.h"), header(&table(0))).unwrap();
    let module = folder.join("library.o");
    must(
        Command::new(COMPILER)
            .args(["-O1", "-fPIC", "-c", "-I"])
            .arg(&folder)
            .arg(source("library.c"))
            .arg("-o")
            .arg(&module),
    );
    let out = folder.join("subject");
    must(
        Command::new("rustc")
            .args(["--edition", "2024", "-O"])
            .arg(source("rust_program.rs"))
            .args([&module, object()].map(|o| format!("-Clink-arg={}", o.display())))
            .arg("-o")
            .arg(&out),
    );
    out
}

/// How a subject ended and what it left in its folder.
pub struct Run {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub records: Vec<Left>,
}

/// A record file.
pub struct Left {
    pub name: String,
    pub process: ProcessRecord,
}

impl Left {
    /// The first counter of the only module.
    pub fn ticks(&self) -> u64 {
        assert_eq!(self.process.modules.len(), 1);
        self.process.modules[0].counters[0]
    }
}

impl Run {
    /// The only record, of a run that ended well and in silence.
    pub fn only(&self) -> &Left {
        self.assert_well();
        assert_eq!(self.records.len(), 1);
        &self.records[0]
    }

    pub fn assert_well(&self) {
        assert_eq!(
            (self.code, self.stderr.as_str()),
            (Some(EXIT), ""),
            "{:?}",
            self.signal
        );
    }
}

/// Runs `program` with records going into a new folder, named by `template`.
pub fn run_with(
    program: &Path,
    template: &str,
    words: &[&str],
    prepare: impl FnOnce(&mut Command, &Path),
) -> Run {
    let out = folder();
    let mut command = Command::new(program);
    command.args(words).env("LOSTBITS_OUT", out.join(template));
    prepare(&mut command, &out);
    // A deadlock becomes a failure.
    // SAFETY: `alarm` may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::alarm(60);
            Ok(())
        })
    };
    let output = command.output().unwrap();
    Run {
        code: output.status.code(),
        signal: output.status.signal(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        records: records(&out),
    }
}

pub fn run(words: &[&str]) -> Run {
    run_with(program(), "run-%p", words, |_, _| {})
}

/// The records in a folder, by name.
pub fn records(folder: &Path) -> Vec<Left> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut left: Vec<Left> = entries
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let processes = record::decode(&fs::read(entry.path()).unwrap());
            let mut processes = processes.unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!(processes.len(), 1, "{name}");
            Left {
                name,
                process: processes.remove(0),
            }
        })
        .collect();
    left.sort_by(|a, b| a.name.cmp(&b.name));
    left
}

/// Limits a resource of the process to be started.
pub fn limit(command: &mut Command, resource: u32, bytes: u64) {
    // SAFETY: `setrlimit` may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            let limit = libc::rlimit {
                rlim_cur: bytes,
                rlim_max: bytes,
            };
            match libc::setrlimit(resource, &limit) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        })
    };
}
