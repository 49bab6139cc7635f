//! Interventions: a run that leaves out some operations' own rounding errors, or what they inherit, shows what the others
//! make of the results.
//!
//! The tool writes a file with a byte for each site, in the order of the record, and names it in
//! [`environment::INTERVENTIONS_FILE`]. In-line code of programs that are built for it reads the bytes; for functions that the
//! runtime evaluates, [`at`] does. The file also says which executions of outputs and decisions are recorded
//! ([`RecordedExecution`]).

use core::{
    ptr, slice,
    sync::atomic::{
        AtomicBool, AtomicPtr, AtomicUsize,
        Ordering::{Acquire, Relaxed, Release},
    },
};

use lostbits_abi::{
    environment,
    explain::{INTERVENTION_SITES, RecordedExecution, intervention},
};
use lostbits_runtime::{
    path::Path,
    sys::{self, Backing, File, Place},
};

static BYTES: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
/// In the order of their sites.
static EXECUTIONS: AtomicPtr<RecordedExecution> = AtomicPtr::new(ptr::null_mut());
static EXECUTION_COUNT: AtomicUsize = AtomicUsize::new(0);

static IS_ACTIVE: AtomicBool = AtomicBool::new(false);

/// The bytes of all sites; zeros where no run intervenes.
pub fn bytes() -> *const u8 {
    BYTES.load(Acquire)
}

/// Whether this run intervenes.
#[inline(always)]
pub fn is_active() -> bool {
    IS_ACTIVE.load(Relaxed)
}

/// What is left out at a site, of [`lostbits_abi::explain::intervention`].
pub fn at(site: u32) -> u8 {
    let (bytes, site) = (bytes(), site as usize);
    match !bytes.is_null() && site < INTERVENTION_SITES {
        // SAFETY: the mapping has a byte for each of these sites, and stays.
        true => unsafe { bytes.add(site).read() },
        false => 0,
    }
}

/// Which execution of an output is recorded; none if the worst is.
pub fn recorded_execution(site: u32) -> Option<u64> {
    recorded(site).map(|one| one.execution)
}

/// The operands of the execution of a decision that is recorded.
pub fn recorded_operands(site: u32) -> Option<[u64; 2]> {
    recorded(site).map(|one| one.operands)
}

/// Whether every execution of a decision has to be checked, because one of them is recorded.
pub fn records(site: u32) -> bool {
    at(site) & intervention::RECORDED != 0
}

fn recorded(site: u32) -> Option<&'static RecordedExecution> {
    let count = EXECUTION_COUNT.load(Acquire);
    if count == 0 {
        return None;
    }
    // SAFETY: there are as many behind the pointer, which was stored before the count, and stays.
    let all = unsafe { slice::from_raw_parts(EXECUTIONS.load(Acquire), count) };
    let at = all.binary_search_by_key(&u64::from(site), |one| one.site);
    at.ok().map(|at| &all[at])
}

/// Reads the file, once, before any thread computes.
pub fn read() {
    // SAFETY: new memory, which takes no space before it is written.
    let mapped = unsafe { sys::map(Place::Anywhere, INTERVENTION_SITES, Backing::Memory) };
    let Ok(place) = mapped else {
        sys::give_up("lostbits: there is no memory for the analysis: run a smaller case.\n");
    };
    if let Some(path) = lostbits_runtime::environment(environment::c::INTERVENTIONS_FILE)
        .filter(|path| !path.is_empty())
    {
        // SAFETY: the mapping is ours alone until it is stored.
        let bytes = unsafe { slice::from_raw_parts_mut(place as *mut u8, INTERVENTION_SITES) };
        if read_file(path, bytes).is_none() {
            sys::give_up(
                "lostbits: the file in LOSTBITS_INTERVENTIONS_FILE cannot be read: check its path.\n",
            );
        }
        IS_ACTIVE.store(true, Relaxed);
    }
    BYTES.store(place as *mut u8, Release);
}

fn read_file(path: &[u8], bytes: &mut [u8]) -> Option<()> {
    let mut name = Path::new();
    name.append_absolute(path).ok()?;
    let file = File::open(name.with_nul(), libc::O_RDONLY).ok()?;
    let mut count = [0; 8];
    fill(&file, &mut count)?;
    let count = usize::try_from(u64::from_ne_bytes(count)).ok()?;
    read_executions(&file, count)?;
    // The file ends after the last site.
    let mut rest = bytes;
    while let count @ 1.. = file.read(rest).ok()? {
        rest = rest.get_mut(count..)?;
    }
    Some(())
}

fn read_executions(file: &File, count: usize) -> Option<()> {
    let size = count.checked_mul(size_of::<RecordedExecution>())?;
    if count == 0 {
        return Some(());
    }
    // SAFETY: new memory, which takes no space before it is written.
    let place = unsafe { sys::map(Place::Anywhere, size, Backing::Memory) }.ok()?;
    // SAFETY: the mapping has this size and is ours alone until it is stored.
    fill(file, unsafe {
        slice::from_raw_parts_mut(place as *mut u8, size)
    })?;
    EXECUTIONS.store(place as *mut RecordedExecution, Release);
    EXECUTION_COUNT.store(count, Release);
    Some(())
}

/// Fills all of `bytes`; none if the file is too short.
fn fill(file: &File, mut bytes: &mut [u8]) -> Option<()> {
    while !bytes.is_empty() {
        match file.read(bytes).ok()? {
            0 => return None,
            count => bytes = bytes.get_mut(count..)?,
        }
    }
    Some(())
}
