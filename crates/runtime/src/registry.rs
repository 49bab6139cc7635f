//! The modules of the program, from loading to unloading, and the process from start to end.
//!
//! Every instrumented module registers itself in its first constructor. The first to do so starts the
//! runtime. A module's totals then move from its own data into the run record, so that they outlive
//! whatever happens to the process; without a record they stay where they are.

use core::{
    ffi::{CStr, c_char},
    ptr, slice,
    sync::atomic::{AtomicPtr, Ordering::Release},
};

use lostbits_abi::{ABI_VERSION, mode::Mode, symbols::ModuleDescriptor};

use crate::{
    heap,
    lock::Lock,
    planes,
    record::{self, Record},
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

pub unsafe fn register(module: *mut ModuleDescriptor) {
    if !module.is_null() {
        REGISTRY.with(|registry| unsafe { registry.add(module) });
    }
}

/// The module's totals stay in the record, and stay usable: at the end of a process other threads may
/// still be running the module's code.
pub unsafe fn unregister(module: *mut ModuleDescriptor) {
    REGISTRY.with(|registry| unsafe { registry.remove(module) });
}

/// The latest of the modules that are loaded; the others are linked to it.
pub fn first_module() -> *const ModuleDescriptor {
    let mut first = ptr::null();
    REGISTRY.with(|registry| first = registry.modules.cast_const());
    first
}

impl Registry {
    unsafe fn add(&mut self, module: *mut ModuleDescriptor) {
        if !self.started {
            self.started = true;
            planes::require_mirrored(module as usize);
            self.start();
        }
        let descriptor = unsafe { &mut *module };
        match Mode::from_u32(descriptor.mode) {
            Some(mode) if descriptor.abi_version == ABI_VERSION => planes::use_for(mode),
            _ => return self.record.count_lost_module(),
        }
        if descriptor.needs_machine != 0 {
            require_processor();
        }
        if self.record.is_open() {
            unsafe { self.move_totals(descriptor) };
            descriptor.first_site = self.record.sites_before(descriptor.totals);
        }
        descriptor.next = self.modules;
        // Last, so that the list is whole at any moment: another thread may fork.
        unsafe { AtomicPtr::from_ptr(&raw mut self.modules) }.store(module, Release);
    }

    unsafe fn remove(&mut self, module: *mut ModuleDescriptor) {
        let mut link = &raw mut self.modules;
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

    fn start(&mut self) {
        preserving_errno(|| {
            planes::reserve();
            heap::find_allocator();
            watch::read_limits();
            if let Some(template) = record_template() {
                self.record.open(template);
            }
            if self.record.is_open() {
                // The C library drops the handler when the library that holds it is unloaded.
                unsafe { libc::pthread_atfork(None, None, Some(after_fork_in_child)) };
            }
        });
    }

    unsafe fn move_totals(&mut self, module: &mut ModuleDescriptor) {
        let table = unsafe { bytes_at(module.table, module.table_bytes) };
        let totals = unsafe { bytes_at(module.totals, module.totals_bytes) };
        let place = match self.find_earlier_totals(table, totals) {
            Some(place) => Ok(place),
            None => self.record.append(table, totals),
        };
        match place {
            Ok(place) => {
                unsafe { AtomicPtr::from_ptr(&raw mut module.totals) }.store(place, Release);
            }
            Err(_) => self.record.count_lost_module(),
        }
    }

    /// A library that is loaded again goes on with the totals it had; else a program that loads it a
    /// thousand times would have a thousand copies of it in its record.
    fn find_earlier_totals(&self, table: &[u8], totals: &[u8]) -> Option<*mut u8> {
        let nothing_counted = totals.iter().all(|byte| *byte == 0);
        if !self.modules_were_unloaded || !nothing_counted {
            return None;
        }
        self.record.find(table, |place| {
            self.loaded_modules()
                .all(|module| unsafe { (*module).totals } != place)
        })
    }

    fn loaded_modules(&self) -> impl Iterator<Item = *mut ModuleDescriptor> {
        let first = (!self.modules.is_null()).then_some(self.modules);
        core::iter::successors(first, |module| {
            let next = unsafe { (**module).next };
            (!next.is_null()).then_some(next)
        })
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
unsafe fn bytes_at<'module>(start: *const u8, bytes: u64) -> &'module [u8] {
    if start.is_null() {
        return &[];
    }
    unsafe { slice::from_raw_parts(start, bytes as usize) }
}

unsafe extern "C" {
    /// Not in the `libc` crate.
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// Programs that run with raised privileges write no files on behalf of their environment.
fn record_template() -> Option<&'static [u8]> {
    const NAME: &CStr = c"LOSTBITS_OUT";
    const _: () = assert!(crate::equal(
        lostbits_abi::record::OUT_ENV,
        match NAME.to_str() {
            Ok(name) => name,
            Err(_) => "",
        }
    ));
    environment(NAME).filter(|value| !value.is_empty())
}

/// A variable of the environment, unless the program runs with raised privileges.
pub fn environment(name: &CStr) -> Option<&'static [u8]> {
    unsafe {
        let value = secure_getenv(name.as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value).to_bytes())
    }
}

fn preserving_errno(action: impl FnOnce()) {
    unsafe {
        let errno = *libc::__errno_location();
        action();
        *libc::__errno_location() = errno;
    }
}

/// Ours is the first handler to be registered, so it is the first to run in the child: no handler of
/// the program's can count into the parent's record.
unsafe extern "C" fn after_fork_in_child() {
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
