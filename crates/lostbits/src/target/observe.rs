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
        });
        module = descriptor.next;
    }
    all.sort_by_key(|module| module.table);
    let mut sites = 0;
    for module in &mut all {
        module.first_site = sites;
        // SAFETY: the header's fifth word, see `SiteTable::encode`.
        sites += unsafe { *(module.table as *const u32).add(4) };
    }
    (all, sites)
}

/// What is known of a site in the present call.
#[derive(Clone, Copy)]
struct Seen {
    last: Observation,
    worst: Observation,
    times: u32,
}

pub struct Reader {
    modules: Vec<Module>,
    latest: Module,
    seen: Vec<Option<Seen>>,
    touched: Vec<u32>,
    pub deviations: Deviations,
}

impl Reader {
    pub fn new(modules: Vec<Module>, sites: u32) -> Reader {
        Reader {
            latest: modules[0],
            modules,
            seen: vec![None; sites as usize],
            touched: Vec::new(),
            deviations: Deviations::default(),
        }
    }

    pub fn site(&mut self, row: usize) -> u32 {
        if !(self.latest.table..self.latest.table + self.latest.bytes).contains(&row) {
            let after = self.modules.partition_point(|module| module.table <= row);
            self.latest = self.modules[after.saturating_sub(1)];
        }
        self.latest.first_site + site_of_row(row - self.latest.table)
    }

    /// Reads a whole trace. `inside` is asked for each site once it is known what it did.
    pub fn read(&mut self, trace: &Trace, mut each: impl FnMut(&Observation)) {
        for site in self.touched.drain(..) {
            self.seen[site as usize] = None;
        }
        self.deviations.clear();
        let length = trace.length as usize;
        for index in length.saturating_sub(EVENTS)..length {
            let event = &trace.events[index % EVENTS];
            self.event(event, (length - index - 1) as u32);
        }
        for site in &self.touched {
            let Some(seen) = &self.seen[*site as usize] else {
                continue;
            };
            each(&seen.last);
            if seen.worst.steps != seen.last.steps {
                let turn = seen.times - seen.worst.turn;
                each(&Observation { turn, ..seen.worst });
            }
        }
    }

    fn event(&mut self, event: &Event, steps: u32) {
        let row = (event.row & !FLAGS) as usize;
        let operation = operation(event, row);
        let Some(operation) = operation else { return };
        let Operation {
            op, x, y, result, ..
        } = operation;
        // What the result of a conversion is good for is not traced.
        if op.info().outcome == Outcome::Integer {
            return;
        }
        self.deviations.add(&operation);
        let overflows = result.is_infinite() && x.is_finite() && y.is_finite();
        if matches!(op, Op::Mul | Op::Div | Op::Sqrt | Op::Truncate) && !overflows {
            return;
        }
        let condition = match overflows {
            true => f64::INFINITY,
            false => largest(op, x, y, result),
        };
        let site = self.site(row);
        let seen = &mut self.seen[site as usize];
        let times = seen.as_ref().map_or(1, |seen| seen.times + 1);
        let observation = Observation {
            site,
            log_condition: log2(condition),
            steps,
            turn: 0,
            x,
            y,
            distance: if op == Op::Compare { x - y } else { result },
        };
        // Until the end, `turn` of the worst is when it was.
        let now = Observation {
            turn: times,
            ..observation
        };
        match seen {
            None => {
                self.touched.push(site);
                *seen = Some(Seen {
                    last: observation,
                    worst: now,
                    times,
                });
            }
            Some(seen) => {
                seen.last = observation;
                seen.times = times;
                if now.log_condition >= seen.worst.log_condition {
                    seen.worst = now;
                }
            }
        }
    }

    /// The trace, step by step.
    pub fn steps(&mut self, trace: &Trace) -> Vec<Step> {
        let length = trace.length as usize;
        let mut steps = Vec::new();
        for index in length.saturating_sub(EVENTS)..length {
            let event = &trace.events[index % EVENTS];
            let row = (event.row & !FLAGS) as usize;
            let Some(operation) = operation(event, row) else {
                continue;
            };
            steps.push(Step {
                site: self.site(row),
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

/// An event, completed by its site's row.
fn operation(event: &Event, row: usize) -> Option<Operation> {
    // SAFETY: instrumented code points to rows of its module's table, which stays where it is.
    let (what, detail) = unsafe {
        let words = row as *const u32;
        (words.add(5).read(), (words.byte_add(ROW_DETAIL)).read())
    };
    let [_, kind, _, _] = what.to_le_bytes();
    Some(Operation {
        op: Op::from_u16(detail as u16)?,
        kind: FpKind::from_u8(kind)?,
        x: event.x,
        y: event.y,
        result: event.result,
        x_is_constant: event.row & X_IS_CONSTANT != 0,
        y_is_constant: event.row & Y_IS_CONSTANT != 0,
    })
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
