//! Interventions: a run that leaves out some operations' own rounding errors, or what they inherit, shows what the others
//! make of the results.
//!
//! The tool writes a file with a byte for each site, in the order of the record, and names it in
//! [`environment::INTERVENTIONS_FILE`]. In-line code of programs that are built for it reads the bytes; for functions that the
//! runtime evaluates, [`at`] does.

use core::{
    ptr, slice,
    sync::atomic::{
        AtomicPtr,
        Ordering::{Acquire, Release},
    },
};

use lostbits_abi::{environment, explain::INTERVENTION_SITES};
use lostbits_runtime::{
    path::Path,
    sys::{self, Backing, File, Place},
};

static BYTES: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// The bytes of all sites; zeros where no run intervenes.
pub fn bytes() -> *const u8 {
    BYTES.load(Acquire)
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
        if fill(path, bytes).is_none() {
            sys::give_up(
                "lostbits: the file in LOSTBITS_INTERVENTIONS_FILE cannot be read: check its path.\n",
            );
        }
    }
    BYTES.store(place as *mut u8, Release);
}

fn fill(path: &[u8], mut bytes: &mut [u8]) -> Option<()> {
    let mut name = Path::new();
    name.append_absolute(path).ok()?;
    let file = File::open(name.with_nul(), libc::O_RDONLY).ok()?;
    while let count @ 1.. = file.read(bytes).ok()? {
        bytes = bytes.get_mut(count..)?;
    }
    Some(())
}
