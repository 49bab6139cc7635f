//! The worker process: loads the compiled stubs (and with them the instrumented library), and makes the
//! calls it is asked to.
//!
//! The process that loaded everything never calls: it forks a child that does. What a call does to the
//! child costs one input: the next child continues after it. The child checks its own CPU time, so
//! that endless loops end; calls that wait for ever without using any are ended by [`super::guard`].

use std::{
    ffi::{CStr, CString, OsString, c_void},
    os::fd::RawFd,
    process::exit,
    sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed},
};

use lostbits_abi::{
    descriptor::ModuleDescriptor, functions, symbolic::Graph, trace::Trace, variables,
};

use super::{
    Step,
    observe::{self, Reader},
    recorded::{self, RecordedNode},
    shared::{Mapping, Observation, Shared, Verdict, Wanted},
};
use crate::inputs::call::MOST_NUMBERS;

/// The command that makes `lostbits` a worker.
pub const COMMAND: &str = "search-worker";
/// The descriptors it inherits: shared memory, requests, answers.
pub const DESCRIPTORS: [RawFd; 3] = [3, 4, 5];

/// Answers, one byte each; an end is followed by a status of four.
pub const READY: u8 = b'r';
pub const DONE: u8 = b'd';
pub const ENDED: u8 = b'e';
pub const FAILED: u8 = b'f';

/// How often a child checks its CPU time, in microseconds of that time.
pub const TICK: i64 = 20_000;

/// The name of a stub in the compiled file; there is one for each call.
pub fn stub_name(index: usize) -> String {
    format!("lostbits_stub_{index}")
}

pub const INIT_NAME: &str = "lostbits_init";

type Stub = unsafe extern "C" fn(*const f64, *mut f64);
type Deviation = unsafe extern "C" fn(*const f64, f64, *mut Verdict);

struct Loaded {
    trace: *mut Trace,
    graph: *mut Graph,
    /// The runtime's function of mode `reals` that gives the exact value of a value in memory.
    deviation: Option<Deviation>,
    /// Where such a value is: always the same memory, so that its numbers are.
    results: Box<[f64; MOST_NUMBERS]>,
    outputs: Vec<(Stub, usize)>,
    reader: Reader,
}

/// The worker's arguments, if this process is to be one.
pub fn called(words: &[OsString]) -> Option<Vec<String>> {
    let is_worker = words.get(1)? == COMMAND && words.len() > 2;
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    is_worker.then(|| words[2..].iter().map(text).collect())
}

/// Runs the worker until its requests end. Arguments: the compiled stubs, then how many outputs each has.
pub fn main(arguments: &[String]) -> ! {
    let [memory, requests, answers] = DESCRIPTORS;
    let mut mapping = Mapping::inherited(memory).unwrap_or_else(|_| exit(2));
    let loaded = load(&arguments[0], &arguments[1..], mapping.get());
    let mut loaded = match loaded {
        Ok(loaded) => loaded,
        Err(message) => {
            say(mapping.get(), &message);
            send(answers, &[FAILED]);
            exit(2);
        }
    };
    send(answers, &[READY]);
    loop {
        // SAFETY: this process has one thread.
        match unsafe { libc::fork() } {
            0 => serve(&mut loaded, mapping.get(), requests, answers),
            child if child > 0 => {
                let mut status = 0;
                // SAFETY: the pointer is to a live variable.
                unsafe { libc::waitpid(child, &mut status, 0) };
                if mapping.get().wanted == Wanted::Stop as u32 {
                    exit(0);
                }
                let mut message = vec![ENDED];
                message.extend(status.to_le_bytes());
                send(answers, &message);
            }
            _ => exit(2),
        }
    }
}

fn load(path: &str, outputs: &[String], shared: &mut Shared) -> Result<Loaded, String> {
    let path = CString::new(path).map_err(|error| error.to_string())?;
    // Names that libm has, too, must mean the library's own functions: this process has loaded libm already.
    let flags = libc::RTLD_NOW | libc::RTLD_GLOBAL | libc::RTLD_DEEPBIND;
    // SAFETY: loading runs the library's own start-up code, which is what we are for.
    let handle = unsafe { libc::dlopen(path.as_ptr(), flags) };
    if handle.is_null() {
        // SAFETY: there was an error, so there is a message.
        return Err(unsafe { CStr::from_ptr(libc::dlerror()) }
            .to_string_lossy()
            .into_owned());
    }
    let find = |name: &str| {
        let exported = symbol(handle, name);
        let found = exported.or_else(|| super::hidden::symbol(name));
        found.ok_or(format!("{name} is missing"))
    };
    let trace = find(variables::SEARCH_TRACE.symbol)?.cast::<Trace>();
    let graph = find(variables::SYMBOLIC_GRAPH.symbol)?.cast::<Graph>();
    // SAFETY: the runtime's function has this signature.
    let (modules, sites) = unsafe {
        let first: unsafe extern "C" fn() -> *const ModuleDescriptor =
            std::mem::transmute(find(functions::SEARCH_MODULES.symbol)?);
        observe::modules(first())
    };
    if modules.is_empty() {
        return Err("no module is registered".to_owned());
    }
    let mut bytes = 0;
    for module in &modules {
        // SAFETY: the table is in memory, and the arena has room.
        unsafe {
            if bytes + module.bytes > shared.room() {
                return Err("the library has too many operations".to_owned());
            }
            let to = shared.arena.as_mut_ptr().cast::<u8>().add(bytes);
            to.copy_from_nonoverlapping(module.table as *const u8, module.bytes);
        }
        bytes += module.bytes;
    }
    shared.table_bytes = bytes as u64;
    let mut stubs = Vec::new();
    for (index, count) in outputs.iter().enumerate() {
        // SAFETY: the stubs are compiled with this signature.
        let stub: Stub = unsafe { std::mem::transmute(find(&stub_name(index))?) };
        stubs.push((stub, count.parse().map_err(|_| "bad count")?));
    }
    // SAFETY: as above.
    unsafe {
        let init: unsafe extern "C" fn() = std::mem::transmute(find(INIT_NAME)?);
        init();
    }
    // SAFETY: the runtime's function has this signature.
    let deviation = symbol(handle, functions::REALS_DEVIATION.symbol)
        .map(|found| unsafe { std::mem::transmute::<*mut c_void, Deviation>(found) });
    Ok(Loaded {
        trace,
        graph,
        deviation,
        results: Box::new([0.0; MOST_NUMBERS]),
        outputs: stubs,
        reader: Reader::new(modules, sites),
    })
}

fn symbol(handle: *mut c_void, name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: the handle is open and the name a C string.
    let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

// ---- the child ----

fn serve(loaded: &mut Loaded, shared: &mut Shared, requests: RawFd, answers: RawFd) -> ! {
    shared.child = std::process::id() as i32;
    watch_the_clock(shared);
    loop {
        let mut byte = 0u8;
        // SAFETY: one byte into a live variable.
        let read = unsafe { libc::read(requests, (&raw mut byte).cast(), 1) };
        if read < 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR) {
            continue;
        }
        if read != 1 || shared.wanted == Wanted::Stop as u32 {
            shared.wanted = Wanted::Stop as u32;
            // SAFETY: ends this process without running handlers of the parent's.
            unsafe { libc::_exit(0) };
        }
        while shared.current < shared.count {
            if !call(loaded, shared) {
                break;
            }
            shared.current += 1;
        }
        send(answers, &[DONE]);
    }
}

/// Makes one call and records what it did; false if there is no room for that.
fn call(loaded: &mut Loaded, shared: &mut Shared) -> bool {
    const LARGEST: usize = 1 << 20;
    let index = shared.current as usize;
    if shared.wanted == Wanted::Observations as u32 && shared.room() < LARGEST {
        return false;
    }
    if [Wanted::Reals as u32, Wanted::Against as u32].contains(&shared.wanted) {
        return judge(loaded, shared);
    }
    let (stub, outputs) = loaded.outputs[shared.stub as usize];
    // SAFETY: the stub reads as many inputs and writes as many outputs as it was compiled for.
    unsafe {
        (*loaded.trace).length = 0;
        (*loaded.trace).depends_on_format = 0;
        (*loaded.graph).begin();
        stub(
            shared.inputs[index].as_ptr(),
            shared.rows[index].outputs.as_mut_ptr(),
        );
    }
    if shared.wanted == Wanted::Graph as u32 {
        return hand_over_graph(loaded, shared, index);
    }
    // SAFETY: the call is over: nobody writes the trace.
    let trace = unsafe { &*loaded.trace };
    let free = shared.free();
    let room = shared.room();
    let first = shared.arena_used;
    let mut used = 0;
    if shared.wanted == Wanted::Trace as u32 {
        let steps = loaded.reader.steps(trace);
        let keep = steps.len().min(room / size_of::<Step>());
        for step in &steps[steps.len() - keep..] {
            // SAFETY: there is room for `keep` of them.
            unsafe { free.byte_add(used).cast::<Step>().write_unaligned(*step) };
            used += size_of::<Step>();
        }
        shared.rows[index].count = keep as u32;
    } else {
        let mut count = 0;
        let input = &shared.inputs[index][..shared.width as usize];
        loaded.reader.read(trace, input, |observation| {
            if used + size_of::<Observation>() <= room {
                // SAFETY: there is room.
                unsafe {
                    free.byte_add(used)
                        .cast::<Observation>()
                        .write(*observation)
                };
                used += size_of::<Observation>();
                count += 1;
            }
        });
        shared.rows[index].count = count;
        let deviations = &loaded.reader.deviations;
        let estimates = shared.rows[index].outputs[..outputs]
            .iter()
            .map(|output| deviations.relative(*output).get());
        shared.rows[index].estimate = estimates.fold(0.0, f64::max);
    }
    shared.rows[index].first = first;
    shared.rows[index].steps = trace.length;
    shared.rows[index].depends_on_format = trace.depends_on_format;
    shared.arena_used += used as u32;
    true
}

/// Writes the call's graph into the arena; false if there is no room, unless there never would be.
fn hand_over_graph(loaded: &mut Loaded, shared: &mut Shared, index: usize) -> bool {
    // SAFETY: the call is over: nobody writes the graph.
    let graph = unsafe { &*loaded.graph };
    let most = shared.room() / size_of::<RecordedNode>();
    let length = graph.length as usize;
    if length > most && shared.arena_used > 0 {
        return false;
    }
    let (free, first) = (shared.free(), shared.arena_used);
    let mut used = 0;
    for node in recorded::nodes(&mut loaded.reader, graph).take(most) {
        // SAFETY: there is room for `most` of them.
        unsafe {
            free.byte_add(used)
                .cast::<RecordedNode>()
                .write_unaligned(node)
        };
        used += size_of::<RecordedNode>();
    }
    shared.rows[index].first = first;
    shared.rows[index].count = length.min(most) as u32;
    shared.rows[index].steps = graph.length + graph.dropped;
    shared.arena_used += used as u32;
    true
}

/// Makes one call in high precision and records the exact value of each output. What was computed is
/// this call's outputs, or those that are there already.
fn judge(loaded: &mut Loaded, shared: &mut Shared) -> bool {
    let (stub, outputs) = loaded.outputs[shared.stub as usize];
    let Some(deviation) = loaded.deviation else {
        return false;
    };
    if shared.room() < outputs * size_of::<Verdict>() {
        return false;
    }
    let index = shared.current as usize;
    let to = shared.free().cast::<Verdict>();
    // SAFETY: the stub reads and writes as many numbers as it was compiled for, and there is room.
    unsafe {
        stub(shared.inputs[index].as_ptr(), loaded.results.as_mut_ptr());
        let row = &mut shared.rows[index];
        if shared.wanted == Wanted::Reals as u32 {
            row.outputs[..outputs].copy_from_slice(&loaded.results[..outputs]);
        }
        for (at, result) in loaded.results[..outputs].iter().enumerate() {
            deviation(result, row.outputs[at], to.add(at));
        }
    }
    let row = &mut shared.rows[index];
    row.first = shared.arena_used;
    row.count = outputs as u32;
    row.steps = 0;
    row.estimate = 0.0;
    shared.arena_used += (outputs * size_of::<Verdict>()) as u32;
    true
}

static WATCHED: AtomicPtr<Shared> = AtomicPtr::new(std::ptr::null_mut());
static SEEN: AtomicU32 = AtomicU32::new(u32::MAX);
static TICKS: AtomicU32 = AtomicU32::new(0);

/// Ends the child when one call has used up its processor time.
fn watch_the_clock(shared: &mut Shared) {
    WATCHED.store(shared, Relaxed);
    SEEN.store(u32::MAX, Relaxed);
    TICKS.store(0, Relaxed);
    let every = libc::timeval {
        tv_sec: 0,
        tv_usec: TICK,
    };
    let timer = libc::itimerval {
        it_interval: every,
        it_value: every,
    };
    // SAFETY: the handler only reads and writes atomics and the shared memory.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_tick as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGPROF, &action, std::ptr::null_mut());
        libc::setitimer(libc::ITIMER_PROF, &timer, std::ptr::null_mut());
    }
}

extern "C" fn on_tick(_: i32) {
    // SAFETY: set before the timer, and mapped as long as the process lives.
    let shared = unsafe { &mut *WATCHED.load(Relaxed) };
    if shared.current >= shared.count || SEEN.swap(shared.current, Relaxed) != shared.current {
        TICKS.store(0, Relaxed);
        return;
    }
    if TICKS.fetch_add(1, Relaxed) >= shared.ticks {
        shared.timed_out = 1;
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) };
    }
}

/// Leaves a message in the arena.
fn say(shared: &mut Shared, message: &str) {
    let bytes = &message.as_bytes()[..message.len().min(4000)];
    shared.table_bytes = bytes.len() as u64;
    // SAFETY: the arena is larger.
    unsafe {
        shared
            .arena
            .as_mut_ptr()
            .cast::<u8>()
            .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
    }
}

fn send(answers: RawFd, message: &[u8]) {
    // SAFETY: the bytes live. A reader that went away ends us by a signal.
    unsafe { libc::write(answers, message.as_ptr().cast(), message.len()) };
}
