//! What a module has once: its sites, its totals and its introduction to the runtime.

use std::collections::HashSet;

use lostbits_abi::{
    ABI_VERSION,
    descriptor::ModuleDescriptor,
    functions::{self, RuntimeFunction},
    mode::Mode,
    site::{ALIGNMENT, SECTION, SiteTotals},
};

use crate::{
    builder::{self, Builder},
    ir::{self, Module, Value},
    sites::Sites,
};

pub struct ModuleInstrumenter {
    pub sites: Sites,
    /// Whether code was made for a processor like this machine's.
    pub needs_machine: bool,
    /// The constants of the module before it was optimised; see [`crate::prepare::folded`].
    pub written_constants: Option<HashSet<u64>>,
    descriptor: Value,
    /// Addresses of sites' totals. Totals follow the block counters, whose number is known at last:
    /// until then the offset is open.
    open_offsets: Vec<(Value, u32)>,
    /// The placeholder for the table of sites until it is written.
    rows: Option<Value>,
}

const DESCRIPTOR: &str = "lostbits.module";

impl ModuleInstrumenter {
    /// Whether a module is instrumented already.
    pub fn is_instrumented(module: Module) -> bool {
        ir::has_global(module, DESCRIPTOR)
    }

    pub fn new(builder: &Builder) -> ModuleInstrumenter {
        let fields = descriptor_fields(builder, Descriptor::empty(builder));
        let descriptor = builder.global(DESCRIPTOR, builder.constant_structure(&fields));
        ModuleInstrumenter {
            sites: Sites::default(),
            needs_machine: false,
            written_constants: None,
            descriptor,
            open_offsets: Vec::new(),
            rows: None,
        }
    }

    /// The address of the module's totals, which the runtime may have moved.
    pub fn load_totals(&self, builder: &Builder) -> Value {
        let offset = std::mem::offset_of!(ModuleDescriptor, totals) as u64;
        let field = builder.offset(self.descriptor, offset);
        builder.load(builder.types.pointer, field, 8)
    }

    /// The number of the module's first site among those of all modules, as 64 bits.
    pub fn load_first_site(&self, builder: &Builder) -> Value {
        let offset = std::mem::offset_of!(ModuleDescriptor, first_site) as u64;
        let field = builder.offset(self.descriptor, offset);
        builder.load(builder.types.i64, field, 8)
    }

    /// The address of a site's totals.
    pub fn site_totals(&mut self, builder: &Builder, totals: Value, site: u32) -> Value {
        let open = builder.offset(totals, 1);
        self.open_offsets.push((open, site));
        open
    }

    /// The address of the table of sites, which is written last: until then, of a place-holder.
    pub fn rows(&mut self, builder: &Builder) -> Value {
        *self
            .rows
            .get_or_insert_with(|| builder.global("lostbits.rows", builder::null(builder.types.i8)))
    }

    /// Writes the site table, and the constructor that registers it. Modules without sites register
    /// too: they may move floating-point bits about, and it is the runtime that provides shadow memory.
    pub fn finish(self, builder: &Builder, module: Module, mode: Mode) {
        let table = self.sites.into_table(mode);
        let counters = u64::from(table.counters) * 8;
        for (address, site) in self.open_offsets {
            let offset = counters + u64::from(site) * size_of::<SiteTotals>() as u64;
            ir::set_operand(address, 1, builder::integer(builder.types.i64, offset));
        }
        let encoded = table.encode();
        let table_global = builder.global("lostbits.table", builder.bytes(&encoded));
        ir::set_constant(table_global);
        ir::set_section(table_global, SECTION);
        ir::set_alignment(table_global, ALIGNMENT as u32);
        if let Some(placeholder) = self.rows {
            ir::replace_global(placeholder, table_global);
        }
        let totals_bytes = table.totals_bytes() as u64;
        let totals_type = builder.types.array(builder.types.i64, totals_bytes / 8);
        let totals = builder.global("lostbits.totals", builder::null(totals_type));
        let fields = descriptor_fields(
            builder,
            Descriptor {
                mode,
                needs_machine: self.needs_machine,
                table: table_global,
                table_bytes: encoded.len() as u64,
                totals,
                totals_bytes,
            },
        );
        ir::set_initialiser(self.descriptor, builder.constant_structure(&fields));
        let hook = |name: &str, runtime: RuntimeFunction| {
            let called = builder.declare_runtime(runtime);
            builder.make_hook(name, called, self.descriptor)
        };
        let constructor = hook("lostbits.register", functions::REGISTER);
        let destructor = hook("lostbits.unregister", functions::UNREGISTER);
        ir::add_constructor(module, constructor, destructor);
    }
}

struct Descriptor {
    mode: Mode,
    needs_machine: bool,
    table: Value,
    table_bytes: u64,
    totals: Value,
    totals_bytes: u64,
}

impl Descriptor {
    fn empty(builder: &Builder) -> Descriptor {
        let null = builder::null(builder.types.pointer);
        Descriptor {
            mode: Mode::Off,
            needs_machine: false,
            table: null,
            table_bytes: 0,
            totals: null,
            totals_bytes: 0,
        }
    }
}

/// In the order of [`ModuleDescriptor`].
fn descriptor_fields(builder: &Builder, descriptor: Descriptor) -> [Value; 9] {
    let types = builder.types;
    [
        builder::integer(types.i32, u64::from(ABI_VERSION)),
        builder::integer(types.i32, descriptor.mode as u64),
        descriptor.table,
        builder::integer(types.i64, descriptor.table_bytes),
        descriptor.totals,
        builder::integer(types.i64, descriptor.totals_bytes),
        builder::null(types.pointer),
        builder::null(types.i64),
        builder::integer(types.i64, u64::from(descriptor.needs_machine)),
    ]
}
