//! Reads a trace: what each site did in a call, and how errors propagated.
//!
//! Of each site two executions are reported: the last one (which changes smoothly with the input, so that
//! roots can be found along it) and the one with the largest condition number (Atomu's: loops keep the
//! maximum). Resetting between calls costs what the call touched.

use lostbits_abi::{
    descriptor::ModuleDescriptor,
    kind::FpKind,
    ops::{Op, Outcome},
    site::{ROW_DETAIL, row_offset, site_of_row},
    trace::{EVENTS, Event, FLAGS, Trace, X_IS_CONSTANT, Y_IS_CONSTANT},
};

use super::{
    Step,
    conditions::largest,
    propagate::{Deviations, Operation},
    shared::Observation,
};

/// A module whose rows events may point to.
#[derive(Clone, Copy)]
pub struct Module {
    pub table: usize,
    pub bytes: usize,
    /// The number of its first site among those of all modules.
    pub first_site: u32,
    pub sites: u32,
}

/// The loaded modules in the order of their addresses, and how many sites they have.
pub unsafe fn modules(mut module: *const ModuleDescriptor) -> (Vec<Module>, u32) {
    let mut all = Vec::new();
    while !module.is_null() {
        // SAFETY: the runtime's list, of modules that stay loaded.
        let descriptor = unsafe { &*module };
        all.push(Module {
            table: descriptor.table as usize,
            bytes: descriptor.table_bytes as usize,
            first_site: 0,
            sites: 0,
        });
        module = descriptor.next;
    }
    all.sort_by_key(|module| module.table);
    let mut sites = 0;
    for module in &mut all {
        module.first_site = sites;
        // SAFETY: the header's fifth word, see `SiteTable::encode`.
        module.sites = unsafe { *(module.table as *const u32).add(4) };
        sites += module.sites;
    }
    (all, sites)
}

/// What is known of a site in the present call: when it was executed last, and when with the largest condition number.
#[derive(Clone, Copy, Default)]
struct Seen {
    times: u32,
    /// By position in the trace; with how many times it was executed until then.
    last: u32,
    worst: u32,
    worst_turn: u32,
    worst_log: f32,
    last_log: f32,
}

/// What a site's row says.
#[derive(Clone, Copy)]
struct Known {
    op: Op,
    kind: FpKind,
    site: u32,
}

pub struct Reader {
    modules: Vec<Module>,
    latest: Module,
    /// By site.
    known: Vec<Option<Known>>,
    seen: Vec<Seen>,
    touched: Vec<u32>,
    pub deviations: Deviations,
}

impl Reader {
    pub fn new(modules: Vec<Module>, sites: u32) -> Reader {
        let mut reader = Reader {
            latest: modules[0],
            modules,
            known: Vec::new(),
            seen: vec![Seen::default(); sites as usize],
            touched: Vec::new(),
            deviations: Deviations::default(),
        };
        for module in &reader.modules {
            for site in 0..module.sites {
                let row = module.table + row_offset(site);
                reader.known.push(known(row, module.first_site + site));
            }
        }
        reader
    }

    pub fn site(&mut self, row: usize) -> u32 {
        if !(self.latest.table..self.latest.table + self.latest.bytes).contains(&row) {
            let after = self.modules.partition_point(|module| module.table <= row);
            self.latest = self.modules[after.saturating_sub(1)];
        }
        self.latest.first_site + site_of_row(row - self.latest.table)
    }

    fn known(&mut self, event: &Event) -> Option<Known> {
        let site = self.site((event.row & !FLAGS) as usize);
        self.known.get(site as usize).copied().flatten()
    }

    /// Reads a whole trace of a call with this input, and reports what each site did.
    pub fn read(&mut self, trace: &Trace, input: &[f64], mut each: impl FnMut(&Observation)) {
        for site in self.touched.drain(..) {
            self.seen[site as usize].times = 0;
        }
        self.deviations.begin(input);
        let length = trace.length as usize;
        for index in length.saturating_sub(EVENTS)..length {
            let event = &trace.events[index % EVENTS];
            // What the result of a conversion is good for is not traced.
            if let Some(known) = self.known(event)
                && known.op.info().outcome != Outcome::Integer
            {
                self.deviations.add(&operation(event, known));
                self.event(event, known, index as u32);
            }
        }
        // In order, so that runs can be compared site by site.
        self.touched.sort_unstable();
        for site in &self.touched {
            let seen = &self.seen[*site as usize];
            let observation = |at: u32, log_condition: f32, turn: u32| {
                let event = &trace.events[at as usize % EVENTS];
                let is_comparison =
                    self.known[*site as usize].is_some_and(|known| known.op == Op::Compare);
                Observation {
                    site: *site,
                    log_condition,
                    steps: (length as u32).wrapping_sub(at).wrapping_sub(1),
                    turn,
                    x: event.x,
                    y: event.y,
                    distance: match is_comparison {
                        true => event.x - event.y,
                        false => event.result,
                    },
                }
            };
            each(&observation(seen.last, seen.last_log, 0));
            if seen.worst != seen.last {
                let turn = seen.times - seen.worst_turn;
                each(&observation(seen.worst, seen.worst_log, turn));
            }
        }
    }

    fn event(&mut self, event: &Event, known: Known, at: u32) {
        let Known { op, site, .. } = known;
        let Event { x, y, result, .. } = *event;
        let overflows = result.is_infinite() && x.is_finite() && y.is_finite();
        if matches!(op, Op::Mul | Op::Div | Op::Sqrt | Op::Truncate) && !overflows {
            return;
        }
        let condition = match overflows {
            true => f64::INFINITY,
            false => largest(op, x, y, result),
        };
        let log = log2(condition);
        let seen = &mut self.seen[site as usize];
        if seen.times == 0 {
            self.touched.push(site);
            seen.worst_log = f32::NEG_INFINITY;
        }
        seen.times += 1;
        (seen.last, seen.last_log) = (at, log);
        if log >= seen.worst_log {
            (seen.worst, seen.worst_log, seen.worst_turn) = (at, log, seen.times);
        }
    }

    /// The trace, step by step.
    pub fn steps(&mut self, trace: &Trace) -> Vec<Step> {
        let length = trace.length as usize;
        let mut steps = Vec::new();
        for index in length.saturating_sub(EVENTS)..length {
            let event = &trace.events[index % EVENTS];
            let Some(known) = self.known(event) else {
                continue;
            };
            let operation = operation(event, known);
            steps.push(Step {
                site: known.site,
                op: operation.op,
                kind: operation.kind,
                x: operation.x,
                y: operation.y,
                result: operation.result,
                x_is_constant: operation.x_is_constant,
                y_is_constant: operation.y_is_constant,
            });
        }
        steps
    }
}

/// What a row says, if it is an operation's.
fn known(row: usize, site: u32) -> Option<Known> {
    // SAFETY: a row of a loaded module's table, which stays where it is.
    let (what, detail) = unsafe {
        let words = row as *const u32;
        (words.add(5).read(), (words.byte_add(ROW_DETAIL)).read())
    };
    let [_, kind, _, _] = what.to_le_bytes();
    Some(Known {
        op: Op::from_u16(detail as u16)?,
        kind: FpKind::from_u8(kind)?,
        site,
    })
}

/// An event, completed by its site's row.
fn operation(event: &Event, known: Known) -> Operation {
    Operation {
        op: known.op,
        kind: known.kind,
        x: event.x,
        y: event.y,
        result: event.result,
        x_is_constant: event.row & X_IS_CONSTANT != 0,
        y_is_constant: event.row & Y_IS_CONSTANT != 0,
    }
}

/// To within a tenth, from the bits.
fn log2(value: f64) -> f32 {
    if value == 0.0 {
        return -1100.0;
    }
    if !value.is_finite() {
        return if value.is_nan() { -1100.0 } else { 1100.0 };
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let fraction = (bits & ((1 << 52) - 1)) as f64 / (1u64 << 52) as f64;
    exponent as f32 + fraction as f32
}

const _: () = assert!(row_offset(0).is_multiple_of(4));
