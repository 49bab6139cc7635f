//! The symbols by which instrumented code and the runtime know each other.
//!
//! All begin with [`PREFIX`]; the rest of the runtime is made local when it is packed, so that it
//! cannot clash with the program's own libraries.

pub const PREFIX: &str = "__lostbits";

/// `void(ModuleDescriptor *)`: called first of all constructors of a module. The name carries the
/// ABI version, so that objects of another version cannot be linked with this runtime.
pub const REGISTER: &str = "__lostbits_register_abi1";
/// `void(ModuleDescriptor *)`: called when the module's library is unloaded.
pub const UNREGISTER: &str = "__lostbits_unregister";

/// `void(void *dst, const void *src, size_t bytes)`: shadows follow a copy of memory.
pub const SHADOW_COPY: &str = "__lostbits_shadow_copy";
/// `void(void *dst, size_t bytes)`: memory was filled or handed out zeroed; old shadows are void.
pub const SHADOW_CLEAR: &str = "__lostbits_shadow_clear";
/// `size_t(void *)`: the size of a heap block, asked for before it is reallocated.
pub const HEAP_SIZE: &str = "__lostbits_heap_size";
/// `void(void *new, const void *old, size_t old_bytes, size_t new_bytes)`: after `realloc`.
pub const SHADOW_MOVED: &str = "__lostbits_shadow_moved";

/// `void(SiteTotals *, int differs, uint64_t program_bits, uint64_t shadow_bits)`: mode `same` saw
/// (or, with `differs` 0, did not see) a difference.
pub const SAME_DIFFERS: &str = "__lostbits_same_differs";

/// `void(SiteTotals *, int seen, uint64_t x, uint64_t y, uint64_t tag)`: mode `watch` saw (or not) that
/// a result was inflated, or that a decision depends on an inflated error. `x` and `y` are the operands'
/// bits, `tag` is the tag word that led here.
pub const WATCH_SAW: &str = "__lostbits_watch_saw";
/// `uint64_t(uint32_t op, double x, double y, double result, uint64_t x_tag, uint64_t y_tag, uint64_t
/// own_tag)`: the tag of a library function's result, all in words of 64 bits.
pub const WATCH_LIBRARY: &str = "__lostbits_watch_library";
/// `WatchLimits[6]`, by [`crate::kind::FpKind`]: the thresholds, which the runtime reads from
/// [`WATCH_LIMITS_ENV`].
pub const WATCH_LIMITS: &str = "__lostbits_watch_limits";
/// Thresholds as `tau_c,tau_s,tau_c,tau_s`: for double, then for float.
pub const WATCH_LIMITS_ENV: &str = "LOSTBITS_TAU";

/// The thresholds of mode `watch` for one format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct WatchLimits {
    /// More cancelled bits than this inflate an error (the paper's τc).
    pub cancelled: i32,
    /// An operand larger by more bits than this suppresses the other's error (τs).
    pub suppressed: i32,
    /// Operands of a comparison that are fewer units in the last place apart than this cancel more
    /// than `cancelled` bits.
    pub near: u64,
    /// A result whose bits, without the sign, are more than this below an operand's may have cancelled
    /// more than `cancelled` bits; one whose are not has not.
    pub apart: i64,
}

impl WatchLimits {
    /// For a format with `precision` bits of significand.
    pub const fn new(cancelled: i32, suppressed: i32, precision: u32) -> WatchLimits {
        let room = precision as i32 - 1 - cancelled;
        let near = if room < 0 || room > 62 { 0 } else { 1 << room };
        let apart = if precision < 2 || cancelled < 4 {
            0
        } else {
            (cancelled as i64 - 3) << (precision - 1)
        };
        WatchLimits {
            cancelled,
            suppressed,
            near,
            apart,
        }
    }
}

/// [`crate::trace::Trace`]: what mode `search` saw since its length was last set to zero.
pub const SEARCH_TRACE: &str = "__lostbits_search_trace";
/// `const ModuleDescriptor *()`: the modules that are loaded, linked by `next`.
pub const SEARCH_MODULES: &str = "__lostbits_search_modules";

/// Thread-local slots for shadows that cross calls; the mode's name is appended, so that modules of
/// different modes do not read each other's.
pub const ARGUMENTS: &str = "__lostbits_arguments_";
pub const RETURN: &str = "__lostbits_return_";
pub const VARIADIC: &str = "__lostbits_variadic_";

/// `const char[]` in the plugin and the runtime: the version, checked by the driver.
pub const VERSION: &str = "__lostbits_version";

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
}
