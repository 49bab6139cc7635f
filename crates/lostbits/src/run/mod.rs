//! `lostbits run`: runs a program, gathers the records of its processes into one, and hands them on.
//!
//! A program that was not built by lostbits is run as well, because it may load or start something that
//! was (a script, `mpirun`, an interpreter); if nothing leaves a record, that is said.

mod collect;
mod comparison;
mod deadline;
mod folder;
pub mod guardian;
pub mod job;
mod no_record;
mod observe;
mod signals;
mod stack;
mod streams;

use std::{
    env,
    ffi::{OsStr, OsString},
    fs::{File, Permissions},
    io,
    os::unix::{
        fs::PermissionsExt,
        process::{CommandExt, ExitStatusExt},
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

pub use collect::{analysis_beside, record_beside};
pub use comparison::{Comparison, Row, words};
use deadline::Deadline;
use lostbits_abi::record::{OUT_ENV, ProcessRecord};
use tempfile::NamedTempFile;

pub use folder::{Reach, TemporaryFolder, temporary_folder, temporary_folder_within};
use job::Job;
pub use observe::{Next, Observer};
pub use signals::was_ended;
pub use streams::{Held, Input};

use crate::{
    failure::Failure,
    record, tables,
    toolchain::{is_executable, on_path},
};

/// What to run, checked.
pub struct Plan {
    program: PathBuf,
    given_name: OsString,
    arguments: Vec<OsString>,
    record: PathBuf,
    instrumented: bool,
    variables: Vec<(&'static str, String)>,
    input: Option<File>,
    silent: bool,
    /// Whether errors are not shown either.
    discard_output: bool,
    /// Files for standard output and standard error.
    held: Option<[File; 2]>,
    shared_input: Option<Input>,
    progress: Option<Progress>,
    timeout: Option<Duration>,
    /// The command that starts the program, with its arguments; none: the program itself.
    launcher: Vec<OsString>,
    /// Without [`Plan::with_launcher`], the program may be a launcher itself.
    reach: Reach,
    limit: Option<Duration>,
    /// The job of which this process is a rank.
    job: Option<Job>,
}

/// Shows how a run goes, from the folder with the records; the channel closes when it has ended.
pub type Progress = Box<dyn Fn(&Path, Receiver<()>) + Send + Sync>;

/// How it went.
pub struct Outcome {
    pub status: ExitStatus,
    pub processes: Vec<ProcessRecord>,
    /// The analyses of processes of mode `explain`, each with the index of its process.
    pub analyses: Vec<(usize, Vec<u8>)>,
    pub record: PathBuf,
    /// Records and analyses that could not be read.
    pub unreadable: usize,
}

impl Plan {
    /// Checks the program; `record` defaults to its name with `.lostbits` in the current folder.
    pub fn new(
        program: OsString,
        arguments: Vec<OsString>,
        record: Option<PathBuf>,
    ) -> Result<Plan, Failure> {
        let path = find_program(&program)?;
        let instrumented = match tables::of_file(&path) {
            Ok(found) => !found.is_empty(),
            // A script, or a program that may be run but not read.
            Err(tables::TableError::NotElf | tables::TableError::Unreadable(_)) => false,
            Err(error) => return Err(error.about(&path)),
        };
        let record = record.unwrap_or_else(|| default_record(&path));
        Ok(Plan {
            program: path,
            given_name: program,
            arguments,
            record,
            instrumented,
            variables: Vec::new(),
            input: None,
            silent: false,
            discard_output: false,
            held: None,
            shared_input: None,
            progress: None,
            timeout: None,
            launcher: Vec::new(),
            reach: Reach::AllMachines,
            limit: None,
            job: None,
        })
    }

    /// The program gets this environment variable too.
    pub fn with_variable(mut self, name: &'static str, value: String) -> Plan {
        self.variables.push((name, value));
        self
    }

    /// The program reads this file, and what it prints is not shown.
    pub fn with_quiet_stdin(mut self, input: File) -> Plan {
        self.input = Some(input);
        self.silent = true;
        self
    }

    /// Nothing that the program writes to its standard streams is shown.
    pub fn discard_output(mut self) -> Plan {
        self.silent = true;
        self.discard_output = true;
        self
    }

    /// The program reads the tool's own input, as other runs do.
    pub fn reading(mut self, input: &Input) -> Plan {
        self.shared_input = Some(input.clone());
        self
    }

    /// What the program prints goes to files, and what it reads is kept for another run.
    pub fn held(mut self, held: &Held, input: &Input) -> Result<Plan, Failure> {
        self.held = Some(held.files()?);
        Ok(self.reading(input))
    }

    /// The program is asked to end (SIGTERM) when it has run for this long.
    pub fn with_timeout(mut self, timeout: Option<Duration>) -> Plan {
        self.timeout = timeout;
        self
    }

    /// The program is started by this command (`mpirun -np 4`), as its last arguments.
    pub fn with_launcher(mut self, words: &[OsString]) -> Result<Plan, Failure> {
        self.launcher = words.to_vec();
        self.reach = Reach::of_launcher(words);
        if let Some(first) = self.launcher.first_mut() {
            *first = find_program(first)?.into();
        }
        Ok(self)
    }

    /// The program is a rank of a job, and the run that of all ranks. For other ranks than the first, the run does not return.
    pub fn of_job(mut self, job: Option<&Job>) -> Plan {
        self.job = job.cloned();
        self
    }

    /// The program and all that it started are killed when it has used this much processor time, and there is no outcome.
    pub fn with_limit(mut self, limit: Option<Duration>) -> Plan {
        self.limit = limit;
        self
    }

    pub fn showing(mut self, progress: Progress) -> Plan {
        self.progress = Some(progress);
        self
    }

    pub fn is_instrumented(&self) -> bool {
        self.instrumented
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Runs the program to its end. The record is replaced only when a new one is complete.
    pub fn run(self) -> Result<Outcome, Failure> {
        self.run_with(None)
    }

    /// The same, and observes what the record holds meanwhile.
    pub fn run_observed(self, observer: Observer) -> Result<Outcome, Failure> {
        self.run_with(Some(observer))
    }

    fn run_with(self, observer: Option<Observer>) -> Result<Outcome, Failure> {
        let folder = match &self.job {
            None => temporary_folder_within(self.reach)?,
            Some(job) if job.leads() => job.open()?,
            Some(job) => {
                let mut command = self.command(&job.join()?).map_err(self.cannot_start())?;
                return Err(self.cannot_start()(command.exec()));
            }
        };
        // Before the run: a record that cannot be written should not cost a day's computation.
        let file = new_record(&self.record)?;
        let (status, process) = self.execute(folder.path(), observer)?;
        let missing = self
            .job
            .as_ref()
            .map_or(0, |job| job.wait_for_others(folder.path(), status));
        let collected = collect::collect(folder.path(), process);
        if collected.records.is_empty() && collected.unreadable == 0 {
            return Err(self.no_record(folder.path(), status));
        }
        let processes = if collected.records.is_empty() {
            Vec::new()
        } else {
            write_record(file, &self.record, &collected.saved())?;
            record::decode(&self.record, &collected.records())?
        };
        let analyses = collected.records.into_iter().enumerate();
        Ok(Outcome {
            status,
            processes,
            analyses: analyses
                .filter_map(|(index, one)| Some((index, one.analysis?)))
                .collect(),
            record: self.record,
            unreadable: collected.unreadable + missing,
        })
    }

    fn execute(
        &self,
        folder: &Path,
        observer: Option<Observer>,
    ) -> Result<(ExitStatus, u32), Failure> {
        let cannot_start = self.cannot_start();
        let forwarding = signals::Forwarding::start(observer.is_some());
        let mut command = self.command(folder).map_err(&cannot_start)?;
        guardian::end_with_tool(&mut command);
        let mut child = command.spawn().map_err(&cannot_start)?;
        forwarding.to(child.id());
        let _deadline = self
            .timeout
            .map(|timeout| Deadline::asking(child.id(), timeout));
        let limit = self
            .limit
            .map(|limit| Deadline::killing(child.id(), folder.to_owned(), limit));
        if let Some(input) = &self.shared_input {
            input.feed(&mut child);
        }
        let status = match observer {
            Some(observer) => observer.wait(&mut child, folder),
            None => self.wait(&mut child, folder),
        };
        let status = status.map_err(cannot_start)?;
        match limit.is_some_and(|limit| limit.is_over()) {
            true => Err(Failure::OutOfTime),
            false => Ok((status, child.id())),
        }
    }

    fn cannot_start(&self) -> impl Fn(io::Error) -> Failure {
        |error| Failure::CannotStart {
            program: self.program.clone(),
            error,
        }
    }

    /// The program with its arguments, environment, streams and limits.
    fn command(&self, folder: &Path) -> io::Result<Command> {
        let mut command = match &self.launcher[..] {
            [] => {
                let mut command = Command::new(&self.program);
                command.arg0(&self.given_name);
                command
            }
            [launcher, words @ ..] => {
                let mut command = Command::new(launcher);
                command.args(words).arg(&self.program);
                command
            }
        };
        command
            .args(&self.arguments)
            .env(OUT_ENV, out_template(folder))
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(input) = self.input.as_ref().and_then(|file| file.try_clone().ok()) {
            command.stdin(input);
        }
        if self.silent {
            command.stdout(Stdio::null());
        }
        if self.discard_output {
            command.stderr(Stdio::null());
        }
        if let Some(input) = &self.shared_input {
            input.prepare(&mut command);
        }
        if let Some([output, errors]) = &self.held {
            command
                .stdout(output.try_clone()?)
                .stderr(errors.try_clone()?);
        }
        stack::enlarge(&mut command);
        Ok(command)
    }

    fn wait(&self, child: &mut Child, folder: &Path) -> io::Result<ExitStatus> {
        let (running, ended) = mpsc::channel();
        thread::scope(|scope| {
            if let Some(progress) = &self.progress {
                scope.spawn(move || progress(folder, ended));
            }
            let status = child.wait();
            drop(running);
            status
        })
    }

    fn no_record(&self, folder: &Path, status: ExitStatus) -> Failure {
        let path = self.program.clone();
        if self.instrumented {
            Failure::NoRecord {
                path,
                reason: no_record::reason(folder, status),
            }
        } else {
            Failure::NothingInstrumented { path, status }
        }
    }
}

/// The code to pass on: the program's own, or 128 and the signal as shells have it.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok())
        .unwrap_or(u8::MAX)
}

fn find_program(name: &OsStr) -> Result<PathBuf, Failure> {
    let path = PathBuf::from(name);
    if let Some(found) = on_path(name) {
        return Ok(found);
    }
    if !path.exists() {
        Err(Failure::ProgramMissing { path })
    } else if is_executable(&path) {
        Err(Failure::ProgramNotOnPath { path })
    } else if path.is_dir() {
        Err(Failure::ProgramIsFolder { path })
    } else {
        Err(Failure::ProgramNotExecutable { path })
    }
}

fn default_record(program: &Path) -> PathBuf {
    let mut name = program.file_name().unwrap_or_default().to_owned();
    name.push(".lostbits");
    name.into()
}

/// The runtime's pattern: `%p` is the process, so a `%` of the folder's own is doubled.
pub fn out_template(folder: &Path) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let absolute = env::current_dir().unwrap_or_default().join(folder);
    let mut template = Vec::new();
    for byte in absolute.as_os_str().as_bytes() {
        template.push(*byte);
        template.extend((*byte == b'%').then_some(b'%'));
    }
    template.extend(b"/%p");
    OsString::from_vec(template)
}

/// A file beside the record, to be renamed to it. Only the user may read it: it holds values of the program.
fn new_record(record: &Path) -> Result<NamedTempFile, Failure> {
    let cannot_write = |error| Failure::CannotWrite {
        path: record.to_owned(),
        error,
    };
    let parent = record
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new("."));
    if record.is_dir() {
        return Err(cannot_write(io::ErrorKind::IsADirectory.into()));
    }
    if !folder.is_dir() {
        return Err(cannot_write(io::Error::new(
            io::ErrorKind::NotFound,
            "its folder does not exist",
        )));
    }
    tempfile::Builder::new()
        .prefix(".lostbits-")
        .permissions(Permissions::from_mode(0o600))
        .tempfile_in(folder)
        .map_err(|error| cannot_write(plain(error)))
}

/// The error without the name of a temporary file, which means nothing to the user.
fn plain(error: io::Error) -> io::Error {
    error.kind().into()
}

fn write_record(mut file: NamedTempFile, record: &Path, bytes: &[u8]) -> Result<(), Failure> {
    use std::io::Write;
    let cannot_write = |error| Failure::CannotWrite {
        path: record.to_owned(),
        error,
    };
    file.write_all(bytes).map_err(cannot_write)?;
    file.persist(record)
        .map_err(|error| cannot_write(error.error))?;
    Ok(())
}
