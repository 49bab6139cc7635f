//! The loaded modules, and the start and end of the process.
//!
//! Every instrumented module registers itself in its first constructor. The first one starts the runtime. A module's totals
//! then move from its own data into the run record, so that they survive however the process ends; without a record
//! they stay where they are.

use core::{
    ffi::{CStr, c_char},
    ptr, slice,
    sync::atomic::{AtomicPtr, Ordering::Release},
};

use lostbits_abi::{ABI_VERSION, descriptor::ModuleDescriptor, mode::Mode};

use crate::{
    faults, heap,
    lock::Lock,
    path::{Path, TooLong},
    planes,
    record::{self, Record},
    versions::{self, Part},
    watch,
};

static REGISTRY: Lock<Registry> = Lock::new(Registry {
    started: false,
    record: Record::none(),
    modules: ptr::null_mut(),
    modules_were_unloaded: false,
});

struct Registry {
    started: bool,
    record: Record,
    /// The modules that are loaded, linked by `next`, the latest first.
    modules: *mut ModuleDescriptor,
    modules_were_unloaded: bool,
}

/// # Safety
///
/// `module` is null or the descriptor of a loaded module, which stays until it is unregistered.
pub unsafe fn register(module: *mut ModuleDescriptor) {
    if !module.is_null() {
        // SAFETY: the caller's promise.
        REGISTRY.with(|registry| unsafe { registry.add(module) });
    }
}

/// The module's totals stay in the record, and stay usable: at the end of a process other threads may
/// still be running the module's code.
///
/// # Safety
///
/// `module` was registered, and is still loaded.
pub unsafe fn unregister(module: *mut ModuleDescriptor) {
    // SAFETY: the caller's promise.
    REGISTRY.with(|registry| unsafe { registry.remove(module) });
}

/// The latest of the modules that are loaded; the others are linked to it.
pub fn first_module() -> *const ModuleDescriptor {
    let mut first = ptr::null();
    REGISTRY.with(|registry| first = registry.modules.cast_const());
    first
}

/// Whether a module of this mode is loaded.
pub fn has_module_of(mode: Mode) -> bool {
    let mut found = false;
    REGISTRY.with(|registry| {
        // SAFETY: loaded modules have their descriptors.
        let mode_of = |module: *mut ModuleDescriptor| unsafe { (*module).mode };
        found = registry
            .loaded_modules()
            .any(|module| mode_of(module) == mode as u32);
    });
    found
}

/// Appends the name of the file that this process's record is in; nothing if there is no record.
pub fn append_record_name(name: &mut Path) -> Result<(), TooLong> {
    let mut appended = Ok(());
    REGISTRY.with(|registry| appended = name.append(registry.record.path().as_bytes()));
    appended
}

impl Registry {
    /// # Safety
    ///
    /// As for [`register`].
    unsafe fn add(&mut self, module: *mut ModuleDescriptor) {
        // SAFETY: the module passes its own descriptor, which lives until the module is unregistered.
        let descriptor = unsafe { &mut *module };
        require_this_abi(descriptor);
        if !self.started {
            self.started = true;
            planes::require_mirrored(module as usize);
            self.start(module as usize);
        }
        match Mode::from_u32(descriptor.mode) {
            Some(mode) => planes::use_for(mode),
            None => return self.record.count_lost_module(),
        }
        if descriptor.needs_machine != 0 {
            require_processor();
        }
        if self.record.is_open() {
            // SAFETY: the descriptor is a module's.
            unsafe { self.move_totals(descriptor) };
            descriptor.first_site = self.record.sites_before(descriptor.totals);
        }
        descriptor.next = self.modules;
        // Last, so that the list is complete at any moment: another thread may fork.
        // SAFETY: the field is a valid pointer to a pointer; we hold the lock.
        unsafe { AtomicPtr::from_ptr(&raw mut self.modules) }.store(module, Release);
    }

    /// # Safety
    ///
    /// As for [`unregister`].
    unsafe fn remove(&mut self, module: *mut ModuleDescriptor) {
        let mut link = &raw mut self.modules;
        // SAFETY: every module in the list is loaded, since it is unregistered before it is unloaded.
        unsafe {
            while !(*link).is_null() {
                if *link == module {
                    *link = (*module).next;
                    self.modules_were_unloaded = true;
                    return;
                }
                link = &raw mut (**link).next;
            }
        }
    }

    /// `module` is the first of the process.
    fn start(&mut self, module: usize) {
        preserving_errno(|| {
            planes::reserve(module);
            faults::install();
            heap::find_allocator();
            watch::read_limits();
            if let Some(template) = record_template() {
                self.record.open(template);
            }
            if self.record.is_open() {
                // The C library drops the handler when the library that holds it is unloaded.
                // SAFETY: the handler is a function of this library.
                unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) };
            }
        });
    }

    /// # Safety
    ///
    /// The descriptor is that of a loaded module.
    unsafe fn move_totals(&mut self, module: &mut ModuleDescriptor) {
        // SAFETY: the pass wrote both addresses with their sizes.
        let (table, totals) = unsafe {
            (
                bytes_at(module.table, module.table_bytes),
                bytes_at(module.totals, module.totals_bytes),
            )
        };
        let place = match self.find_earlier_totals(table, totals) {
            Some(place) => Ok(place),
            None => self.record.append(table, totals),
        };
        match place {
            Ok(place) => {
                // SAFETY: instrumented code reads the field as a whole.
                unsafe { AtomicPtr::from_ptr(&raw mut module.totals) }.store(place, Release);
            }
            Err(_) => self.record.count_lost_module(),
        }
    }

    /// A library that is loaded again continues with the totals it had. Otherwise a program that loads it a thousand times
    /// would have a thousand copies of it in its record.
    fn find_earlier_totals(&self, table: &[u8], totals: &[u8]) -> Option<*mut u8> {
        let nothing_counted = totals.iter().all(|byte| *byte == 0);
        if !self.modules_were_unloaded || !nothing_counted {
            return None;
        }
        self.record.find(table, |place| {
            // SAFETY: loaded modules have their descriptors.
            let totals_of = |module: *mut ModuleDescriptor| unsafe { (*module).totals };
            self.loaded_modules()
                .all(|module| totals_of(module) != place)
        })
    }

    fn loaded_modules(&self) -> impl Iterator<Item = *mut ModuleDescriptor> {
        let first = (!self.modules.is_null()).then_some(self.modules);
        core::iter::successors(first, |module| {
            // SAFETY: loaded modules have their descriptors.
            let next = unsafe { (**module).next };
            (!next.is_null()).then_some(next)
        })
    }
}

/// The linker refuses modules of another version, unless their descriptors were changed afterwards.
fn require_this_abi(module: &ModuleDescriptor) {
    if module.abi_version != ABI_VERSION {
        let theirs = Part {
            abi: module.abi_version,
            address: &raw const *module as usize,
        };
        let ours = Part {
            abi: ABI_VERSION,
            address: &raw const REGISTRY as usize,
        };
        versions::refuse_mixture(theirs, ours)
    }
}

/// Code that was instrumented on a machine with a newer processor must not run on an older one.
fn require_processor() {
    use core::arch::x86_64::{__cpuid, __cpuid_count};
    let (basic, extended) = (__cpuid(1), __cpuid_count(7, 0));
    let has_fma = basic.ecx & (1 << 12) != 0;
    let has_avx2 = extended.ebx & (1 << 5) != 0;
    if !(has_fma && has_avx2) {
        crate::sys::give_up(
            "lostbits: this program was instrumented on a machine with a newer processor: \
             build it again on this one.\n",
        );
    }
}

/// A module without totals may have null for them.
///
/// # Safety
///
/// `start` is null, or `bytes` bytes from there on can be read.
unsafe fn bytes_at<'module>(start: *const u8, bytes: u64) -> &'module [u8] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(start, bytes as usize) }
}

unsafe extern "C" {
    /// Not in the `libc` crate.
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// Programs that run with raised privileges write no files that their environment asks for.
fn record_template() -> Option<&'static [u8]> {
    environment(lostbits_abi::environment::c::RECORD).filter(|value| !value.is_empty())
}

/// A variable of the environment, unless the program runs with raised privileges.
pub fn environment(name: &CStr) -> Option<&'static [u8]> {
    // SAFETY: the name is NUL-terminated, and so is what the C library returns. The program may change its environment later; the
    // runtime reads it at the start and keeps no reference.
    unsafe {
        let value = secure_getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes())
    }
}

fn preserving_errno(action: impl FnOnce()) {
    // SAFETY: the C library returns the address of this thread's errno.
    let errno = unsafe { &mut *libc::__errno_location() };
    let before = *errno;
    action();
    *errno = before;
}

/// This handler is registered first, so it runs first in the child: no handler of the program's can count into the
/// parent's record.
unsafe extern "C" fn after_fork_in_child() {
    // SAFETY: this is the child of a fork, which has one thread; the lock is not held across a fork.
    unsafe { REGISTRY.take_over(|registry| registry.record.follow_fork()) };
}

/// Runs at `exit` after the program's own handlers, and when the library that holds this copy of the
/// runtime is unloaded.
extern "C" fn at_end() {
    record::mark_exited();
}

#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;
