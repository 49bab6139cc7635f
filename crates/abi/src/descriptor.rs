//! What an instrumented module hands to the runtime.

/// What a module hands to the runtime when it is loaded. Lives in the module's writable data.
#[repr(C)]
pub struct ModuleDescriptor {
    pub abi_version: u32,
    pub mode: u32,
    /// The module's encoded site table.
    pub table: *const u8,
    pub table_bytes: u64,
    /// Where the module's totals are now. Instrumented code reads this field on each entry of a
    /// function that counts; the runtime moves the totals into the run record by changing it.
    pub totals: *mut u8,
    pub totals_bytes: u64,
    /// The runtime's list of modules.
    pub next: *mut ModuleDescriptor,
    /// The number of the module's first site, counted through the modules of the run record.
    pub first_site: u64,
    /// 1 if the code needs a processor with AVX2 and FMA beyond what the program was compiled for.
    pub needs_machine: u64,
}
