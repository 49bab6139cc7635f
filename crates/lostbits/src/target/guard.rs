//! The search's side of the worker process: sends inputs, collects outcomes, and continues after an input
//! that ended the process.

use std::{
    fs::File,
    io::{Read, Write},
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use lostbits_abi::{
    environment,
    site::{Site, SiteTable},
};

use super::{
    Batch, Ending, Observation, Outcome, Parameter, Recorded, RecordedNode, Step, Target,
    build::Library,
    shared::{BATCH, Mapping, Shared, Verdict, Wanted},
    stub::ResolvedCall,
    worker,
};
use crate::{failure::Failure, inputs::Initializer, numeric::Relative};

/// Calls with their compiled stubs: compiled once, opened by each thread that searches.
pub struct CompiledCalls {
    pub resolved_calls: Vec<ResolvedCall>,
    stubs: PathBuf,
    /// The processor time that a call may use.
    limit: Duration,
    /// Precision of the shadow values in bits, if it is built for mode `reals`.
    precision: Option<u32>,
    /// Whether branches follow exact arithmetic, too.
    steers: bool,
}

impl CompiledCalls {
    pub fn new(
        library: &Library,
        resolved_calls: Vec<ResolvedCall>,
        init: &[Initializer],
        folder: &std::path::Path,
        limit: Duration,
    ) -> Result<CompiledCalls, Failure> {
        let stubs = library.stubs(&resolved_calls, init, folder)?;
        Ok(CompiledCalls {
            resolved_calls,
            stubs,
            limit,
            precision: None,
            steers: false,
        })
    }

    /// The same calls, made in high precision; with the program's own decisions,
    /// or with those it would have taken without rounding errors.
    pub fn at_precision(&self, bits: u32, steers: bool) -> CompiledCalls {
        CompiledCalls {
            resolved_calls: self.resolved_calls.clone(),
            stubs: self.stubs.clone(),
            limit: self.limit,
            precision: Some(bits),
            steers,
        }
    }

    /// Starts a worker.
    pub fn open(self: &Arc<CompiledCalls>) -> Result<Guarded, Failure> {
        let mapping = Mapping::new().map_err(worker_failed)?;
        let (requests_out, requests_in) = pipe().map_err(worker_failed)?;
        let (answers_out, answers_in) = pipe().map_err(worker_failed)?;
        let own = std::env::current_exe().map_err(worker_failed)?;
        let mut command = Command::new(own);
        command
            .arg(worker::COMMAND)
            .arg(&self.stubs)
            .args(
                self.resolved_calls
                    .iter()
                    .map(|resolved| resolved.outputs.len().to_string()),
            )
            .env_remove(lostbits_abi::record::OUT_ENV)
            // The output of a panic in Rust is discarded, and a backtrace takes long to symbolise.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(bits) = self.precision {
            command.env(environment::PRECISION, bits.to_string());
            command.env(environment::STEER, if self.steers { "1" } else { "0" });
        }
        let inherited = [
            mapping.file.as_raw_fd(),
            requests_out.as_raw_fd(),
            answers_in.as_raw_fd(),
        ];
        // SAFETY: only system calls between fork and exec.
        unsafe {
            command.pre_exec(move || {
                // Away from the numbers they are to have, then there.
                let high = inherited.map(|raw| libc::fcntl(raw, libc::F_DUPFD, 100));
                for (from, to) in high.into_iter().zip(worker::DESCRIPTORS) {
                    if from < 0 || libc::dup2(from, to) < 0 {
                        return Err(std::io::Error::last_os_error());
                    }
                    libc::close(from);
                }
                // It dies with the tool, and the tool handles Ctrl-C.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::signal(libc::SIGINT, libc::SIG_IGN);
                Ok(())
            });
        }
        let child = command.spawn().map_err(worker_failed)?;
        let mut guarded = Guarded {
            compiled: self.clone(),
            child,
            mapping,
            requests: File::from(requests_in),
            answers: File::from(answers_out),
            sites: Arc::default(),
            stub: 0,
            graphs: Vec::new(),
        };
        drop((requests_out, answers_in));
        guarded.be_patient(1);
        guarded.begin()?;
        Ok(guarded)
    }
}

fn worker_failed(error: std::io::Error) -> Failure {
    Failure::WorkerFailed {
        reason: error.to_string(),
    }
}

fn pipe() -> std::io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both descriptors, which are ours then.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// The part of its time that a call may use after another one of the same function never returned.
const ONCE_LATE: i64 = 8;

/// A worker process, and which of the calls it is to make.
pub struct Guarded {
    compiled: Arc<CompiledCalls>,
    child: Child,
    mapping: Mapping,
    requests: File,
    answers: File,
    sites: Arc<Vec<Site>>,
    stub: usize,
    /// For calls that record graphs: nodes, and how many there were.
    graphs: Vec<(Vec<RecordedNode>, u64)>,
}

impl Guarded {
    fn begin(&mut self) -> Result<(), Failure> {
        let mut byte = [0];
        let answered = self.answers.read_exact(&mut byte);
        let length = self.mapping.get().table_bytes as usize;
        let bytes = &self.mapping.get().arena_bytes()[..length];
        if answered.is_err() || byte[0] != worker::READY {
            let reason = match String::from_utf8_lossy(bytes).into_owned() {
                text if text.is_empty() => "it ended while loading the library".to_owned(),
                text => text,
            };
            return Err(Failure::WorkerFailed { reason });
        }
        self.sites = Arc::new(sites(bytes));
        Ok(())
    }

    /// What the process that makes the calls has used, in seconds. (Where calls end it, there are several:
    /// then only the last one counts.)
    pub fn processor_time(&mut self) -> f64 {
        let mut id = 0;
        let child = self.mapping.get().child;
        // SAFETY: the pointer is to a live variable.
        match unsafe { libc::clock_getcpuclockid(child, &mut id) } {
            0 => clock(id),
            _ => 0.0,
        }
    }

    /// Which call is made from now on.
    pub fn choose(&mut self, call: usize) {
        self.stub = call;
        self.be_patient(1);
    }

    /// A call may use a part of the processor time that the user allows.
    fn be_patient(&mut self, part: i64) {
        let limit = self.compiled.limit.as_micros() as i64 / part;
        self.mapping.get().ticks = (limit / worker::TICK).max(1) as u32;
    }

    /// Calls once for each input and records the graphs, in a library for mode `symbolic`.
    pub fn record(&mut self, inputs: &[f64]) -> Result<Vec<Recorded>, Failure> {
        let width = self.parameters().len();
        let mut all = Vec::new();
        for inputs in inputs.chunks(BATCH * width) {
            let mut batch = Batch::default();
            self.graphs.clear();
            self.batch(
                inputs,
                width,
                Wanted::Graph,
                &mut batch,
                &mut Told::default(),
            )?;
            let graphs = std::mem::take(&mut self.graphs);
            let calls = batch.outcomes.into_iter().zip(graphs);
            all.extend(calls.map(|(outcome, (nodes, length))| Recorded {
                outcome,
                dropped: length - nodes.len() as u64,
                nodes,
            }));
        }
        Ok(all)
    }

    fn resolved(&self) -> &ResolvedCall {
        &self.compiled.resolved_calls[self.stub]
    }

    fn batch(
        &mut self,
        inputs: &[f64],
        width: usize,
        wanted: Wanted,
        batch: &mut Batch,
        told: &mut Told,
    ) -> Result<(), Failure> {
        let count = inputs.len() / width;
        let stub = self.stub as u32;
        let shared = self.mapping.get();
        for (row, input) in shared.inputs.iter_mut().zip(inputs.chunks(width)) {
            row[..width].copy_from_slice(input);
        }
        let given = std::mem::take(&mut told.given);
        let outputs = given.len() / count.max(1);
        for (row, given) in shared.rows.iter_mut().zip(given.chunks(outputs.max(1))) {
            row.outputs[..outputs].copy_from_slice(given);
        }
        shared.count = count as u32;
        shared.current = 0;
        shared.stub = stub;
        shared.width = width as u32;
        shared.wanted = wanted as u32;
        let mut gathered = 0;
        while gathered < count {
            self.mapping.get().arena_used = 0;
            self.mapping.get().timed_out = 0;
            self.requests.write_all(b"g").map_err(worker_failed)?;
            let ended = self.answer()?;
            self.gather(gathered, wanted, batch, told);
            gathered = self.mapping.get().current as usize;
            if let Some(ending) = ended
                && gathered < count
            {
                batch.outcomes.push(failed(ending));
                self.graphs.push((Vec::new(), 0));
                gathered += 1;
                self.mapping.get().current = gathered as u32;
            }
        }
        Ok(())
    }

    /// Waits until the calls are made, or one has ended the process: how.
    fn answer(&mut self) -> Result<Option<Ending>, Failure> {
        let patience = self.compiled.limit.as_millis() as i32 + 10_000;
        let mut before = u32::MAX;
        loop {
            let mut poll = libc::pollfd {
                fd: self.answers.as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: one live structure.
            let ready = unsafe { libc::poll(&mut poll, 1, patience) };
            let shared = self.mapping.get();
            if ready > 0 {
                break;
            }
            if ready == 0 && shared.current == before {
                shared.timed_out = 1;
                // SAFETY: the child that makes the calls, which is stuck.
                unsafe { libc::kill(shared.child, libc::SIGKILL) };
            }
            before = shared.current;
        }
        let mut byte = [0];
        self.answers.read_exact(&mut byte).map_err(worker_failed)?;
        if byte[0] != worker::ENDED {
            return Ok(None);
        }
        let mut status = [0; 4];
        self.answers
            .read_exact(&mut status)
            .map_err(worker_failed)?;
        let status = i32::from_le_bytes(status);
        let is_late = self.mapping.get().timed_out != 0;
        if is_late {
            // A function with one endless loop has more inputs that run into it.
            self.be_patient(ONCE_LATE);
        }
        Ok(Some(if is_late {
            Ending::NeverReturned
        } else if libc::WIFSIGNALED(status) {
            Ending::Crashed(libc::WTERMSIG(status))
        } else {
            Ending::Exited(libc::WEXITSTATUS(status))
        }))
    }

    fn gather(&mut self, from: usize, wanted: Wanted, batch: &mut Batch, told: &mut Told) {
        let outputs = self.resolved().outputs.len();
        let shared = self.mapping.get();
        for row in &shared.rows[from..shared.current as usize] {
            let first = batch.observations.len();
            match wanted {
                Wanted::Trace => told
                    .steps
                    .extend(entries::<Step>(shared, row.first, row.count)),
                Wanted::Reals | Wanted::Against => told
                    .verdicts
                    .push(entries::<Verdict>(shared, row.first, row.count).collect()),
                Wanted::Graph => {
                    let nodes = entries::<RecordedNode>(shared, row.first, row.count).collect();
                    self.graphs.push((nodes, row.steps));
                }
                _ => batch
                    .observations
                    .extend(entries::<Observation>(shared, row.first, row.count)),
            }
            batch.outcomes.push(Outcome {
                ending: Ending::Returned,
                outputs: row.outputs[..outputs].to_vec(),
                estimate: Relative::new(row.estimate),
                steps: row.steps,
                depends_on_format: row.depends_on_format != 0,
                observations: first..batch.observations.len(),
            });
        }
    }
}

/// What a worker may send beside outcomes.
#[derive(Default)]
struct Told {
    /// Sent to the worker: the outputs of each call to compare with.
    given: Vec<f64>,
    steps: Vec<Step>,
    /// Of the calls that returned.
    verdicts: Vec<Vec<Verdict>>,
}

impl Guarded {
    /// Calls in high precision, once for each input: how each call ended, its outputs, and their exact values.
    pub fn judge(&mut self, inputs: &[f64]) -> Result<Vec<(Outcome, Vec<Verdict>)>, Failure> {
        let width = self.parameters().len();
        let (mut batch, mut told) = (Batch::default(), Told::default());
        for inputs in inputs.chunks(BATCH * width) {
            self.batch(inputs, width, Wanted::Reals, &mut batch, &mut told)?;
        }
        Ok(with_verdicts(batch, told))
    }

    /// The same, compared with what other calls computed (all outputs one after another). Their outcomes
    /// have these outputs.
    pub fn judge_against(
        &mut self,
        inputs: &[f64],
        computed: &[f64],
    ) -> Result<Vec<(Outcome, Vec<Verdict>)>, Failure> {
        let (width, outputs) = (self.parameters().len(), self.resolved().outputs.len());
        let (mut batch, mut told) = (Batch::default(), Told::default());
        let portions = inputs.chunks(BATCH * width);
        for (inputs, computed) in portions.zip(computed.chunks(BATCH * outputs)) {
            told.given = computed.to_vec();
            self.batch(inputs, width, Wanted::Against, &mut batch, &mut told)?;
        }
        Ok(with_verdicts(batch, told))
    }
}

fn with_verdicts(batch: Batch, told: Told) -> Vec<(Outcome, Vec<Verdict>)> {
    let mut verdicts = told.verdicts.into_iter();
    let with_verdict = |outcome: Outcome| {
        let verdict = match outcome.ending {
            Ending::Returned => verdicts.next().unwrap_or_default(),
            _ => Vec::new(),
        };
        (outcome, verdict)
    };
    batch.outcomes.into_iter().map(with_verdict).collect()
}

/// What a clock shows, in seconds.
pub fn clock(id: libc::clockid_t) -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a live variable.
    unsafe { libc::clock_gettime(id, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// What the worker wrote into the arena: plain values, at an offset that it gave.
fn entries<T: Copy>(shared: &Shared, first: u32, count: u32) -> impl Iterator<Item = T> {
    let bytes = &shared.arena_bytes()[first as usize..][..count as usize * size_of::<T>()];
    let read = |chunk: &[u8]| {
        // SAFETY: the worker is this very program, and wrote a `T` here.
        unsafe { chunk.as_ptr().cast::<T>().read_unaligned() }
    };
    bytes.chunks_exact(size_of::<T>()).map(read)
}

fn failed(ending: Ending) -> Outcome {
    Outcome {
        ending,
        outputs: Vec::new(),
        estimate: Relative::NONE,
        steps: 0,
        depends_on_format: false,
        observations: 0..0,
    }
}

fn sites(mut bytes: &[u8]) -> Vec<Site> {
    let mut all = Vec::new();
    while let Ok((table, length)) = SiteTable::decode(bytes) {
        all.extend(table.sites);
        bytes = &bytes[length.min(bytes.len())..];
    }
    all
}

impl Target for Guarded {
    fn parameters(&self) -> &[Parameter] {
        &self.resolved().parameters
    }

    fn sites(&self) -> &[Site] {
        &self.sites
    }

    fn run(&mut self, inputs: &[f64]) -> Result<Batch, Failure> {
        let width = self.parameters().len();
        let mut batch = Batch::default();
        for inputs in inputs.chunks(BATCH * width) {
            self.batch(
                inputs,
                width,
                Wanted::Observations,
                &mut batch,
                &mut Told::default(),
            )?;
        }
        Ok(batch)
    }

    fn trace(&mut self, input: &[f64]) -> Result<(Outcome, Vec<Step>), Failure> {
        let mut batch = Batch::default();
        let mut told = Told::default();
        self.batch(input, input.len(), Wanted::Trace, &mut batch, &mut told)?;
        let outcome = batch
            .outcomes
            .pop()
            .unwrap_or_else(|| failed(Ending::NeverReturned));
        Ok((outcome, told.steps))
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.mapping.get().wanted = Wanted::Stop as u32;
        // The child wakes up and ends; if it does not, it is killed.
        if self.requests.write_all(b"s").is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
