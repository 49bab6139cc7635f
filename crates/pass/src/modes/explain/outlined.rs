//! Reports of results as functions of their own, which all operations of one kind in a module share.
//!
//! What follows an operation whose result is inaccurate, sampled or traced is a hundred instructions. In line they were
//! most of the code, and the back end's time grew faster than the size of the function: each operation had eight blocks. Only influences
//! that are inherited as they are remain in line.
//!
//! The function keeps all registers (`preserve_all`), so that the path beside the call does not have to save any. It is made of two:
//! the first finds influences and bounds and returns unless a report is due; the second writes nodes and reports. The second saves all
//! registers when it is entered, which only a report is worth. In large blocks the whole operation is a function.

use std::hash::{DefaultHasher, Hash, Hasher};

use lostbits_abi::{explain::node_site, kind::FpKind, ops::Op};

use super::{
    arithmetic::{Arithmetic, Known},
    events::{EventFields, ReportedValue},
    intervening, known,
    nodes::{new_nodes, new_nodes_of, numbers, write_nodes_if},
    reporting,
    trace::{self, BlockTrace, NodeSlot, Tracing},
};
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, LeafShadow, Operation},
    ir::{self, CallConvention, Function, Type, Value},
    module::ModuleInstrumenter,
    shape,
};

/// The bits of a site in the word that also has the operation.
const SITES: u64 = node_site::split(u32::MAX).0 as u64;

/// An operation as a call: residue, bound, and what follows.
pub fn operate(
    cx: &mut FunctionInstrumenter,
    operation: &Operation,
    can_underflow: bool,
) -> LeafShadow {
    let result = operation.instruction;
    let block = cx.builder.insert_block();
    let demanded = operation.demanded.clone();
    let nodes = new_nodes(cx, block, &demanded, operation.operands.len());
    let trace = cx.block_trace(block);
    let thread = cx.known_tracer().thread;
    let is_exact = |shadow: &LeafShadow| shadow.iter().all(|part| ir::is_null(*part));
    let report = Report {
        op: operation.op,
        ty: ir::type_of(result),
        operands: operation.operands.len(),
        exact: operation
            .operands
            .iter()
            .map(|(_, _, shadow)| is_exact(shadow))
            .collect(),
        demanded,
        has_nodes: !nodes.is_empty(),
        can_underflow,
        fused: super::is_fused(cx),
        has_wide_vectors: cx.has_wide_vectors(),
    };
    let function = function(
        cx.builder,
        cx.module(),
        &report,
        Part::Operation,
        cx.function,
    );
    let room = room(cx, report.ty);
    cx.after(result);
    let b = cx.builder;
    let site = node_site::join(operation.site, operation.op as u16);
    let slot = nodes.first().map(|node| node.place);
    let mut arguments = vec![
        thread,
        trace.counter(),
        trace::place(b, slot, site),
        trace.reach(kind(report.ty)),
        result,
    ];
    for ((_, value, shadow), is_exact) in operation.operands.iter().zip(&report.exact) {
        arguments.push(*value);
        arguments.extend(shadow.iter().filter(|_| !is_exact));
    }
    let convention = Part::Operation.convention(&report);
    call(b, (convention, function), &arguments, room)
}

/// What the code of a report depends on.
#[derive(Clone)]
pub struct Report {
    pub op: Op,
    /// The type of result and operands.
    pub ty: Type,
    /// The operands that are reported; none where `meta` alone says what is inherited.
    pub operands: usize,
    /// Which of the operands are known to have no residue, for [`operate`].
    pub exact: Vec<bool>,
    /// The lanes that the program uses.
    pub demanded: Vec<bool>,
    /// Whether the block has room for the nodes.
    pub has_nodes: bool,
    /// Whether the result may have underflowed.
    pub can_underflow: bool,
    /// Whether the processor multiplies and adds in one.
    pub fused: bool,
    /// Whether the function that calls has vectors of more than 128 bits.
    pub has_wide_vectors: bool,
}

/// An operation that is reported.
pub struct Reported {
    pub thread: Value,
    pub trace: BlockTrace,
    /// Of the first node.
    pub slot: Option<NodeSlot>,
    pub nodes: Value,
    /// The site and the operation in one word.
    pub site: u32,
    pub result: Value,
    pub known: Known,
    /// As many as the report has, with their shadows.
    pub operands: Vec<ReportedValue>,
    /// Where there are none.
    pub meta: Option<Value>,
}

/// The shadow of a result that is inaccurate, small, sampled or traced. The builder is in a detour. The usual case is in line: of
/// a program whose errors have grown, most operations come here.
pub fn report(cx: &mut FunctionInstrumenter, report: &Report, reported: Reported) -> LeafShadow {
    let end = ir::terminator(cx.builder.insert_block());
    let room = room(cx, report.ty);
    let made = |part| function(cx.builder, cx.module(), report, part, cx.function);
    let report_function = made(Part::ReportInLine);
    let small_function = report.can_underflow.then(|| made(Part::Influences));
    let b = cx.builder;
    b.before(end);
    let Reported {
        trace,
        known,
        operands,
        ..
    } = &reported;
    let reach = trace.reach(kind(report.ty));
    let metas = match reported.meta {
        Some(meta) => vec![meta],
        None => operands.iter().map(|seen| seen.shadow[2]).collect(),
    };
    let found = found(b, report, known, operands, &metas);
    let meta = b.or(reported.nodes, found.influences);
    let usual = vec![known.residue, known.bound, meta];
    let arguments = || {
        let place = trace::place(b, reported.slot, reported.site);
        let (thread, counter) = (reported.thread, trace.counter());
        let first = [thread, counter, place, reach, reported.result];
        let mut arguments = arguments(first, known, operands);
        arguments.extend(reported.meta);
        arguments
    };
    let call = |part: Part, function: Function| {
        call(b, (part.convention(report), function), &arguments(), room)
    };
    let wanted = b.compare_reals(ir::RealPredicate::LLVMRealUNO, reach, reach);
    let never = builder::null(b.types.int(1));
    let is_small = small_function.map(|_| b.any_lane(small(b, known)));
    let perhaps = b.or(b.any_lane(b.or(found.unexplained, found.numbered)), wanted);
    let perhaps = match is_small {
        Some(is_small) => b.and(perhaps, b.not(is_small)),
        None => perhaps,
    };
    let shadow = reporting::if_any(b, perhaps, never, usual, |usual| {
        let need = found.need(b, &metas);
        reporting::if_any(b, need, wanted, usual, |_| {
            call(Part::ReportInLine, report_function)
        })
    });
    let (Some(function), Some(is_small)) = (small_function, is_small) else {
        return shadow;
    };
    reporting::if_any(b, is_small, never, shadow, |_| {
        call(Part::Influences, function)
    })
}

/// Memory of a function for what it passes to reports, by the number of lanes. Vectors of more than 128 bits go by the stack in part, and
/// LLVM does not align them there in functions with arrays of variable length.
#[derive(Default)]
struct Rooms {
    rooms: Vec<(u32, Value)>,
}

/// Vectors with more lanes are passed in memory.
const MOST_LANES_IN_REGISTERS: u32 = 2;
/// The most values that are passed: a result with residue and bound, and three operands with their shadows.
const MOST_VALUES: u32 = 3 + 3 * 4;
/// Of the widest format.
const LANE_BYTES: u64 = 16;
/// Thread, counter, place and reach are passed as they are.
const PASSED_DIRECTLY: usize = 4;

/// Where the function at hand puts values of a type that are passed in memory.
fn room(cx: &mut FunctionInstrumenter, ty: Type) -> Option<Value> {
    let lanes = shape::lanes(ty);
    if lanes <= MOST_LANES_IN_REGISTERS {
        return None;
    }
    let rooms = &cx.extension::<Rooms>().rooms;
    if let Some((_, room)) = rooms.iter().find(|(of, _)| *of == lanes) {
        return Some(*room);
    }
    let b = cx.builder;
    let bytes = u64::from(MOST_VALUES * lanes) * LANE_BYTES;
    let memory = b.types.array(b.types.i8, bytes);
    let start = ir::first_insertion_point(ir::entry(cx.function));
    let room = b.alloca_at(start, memory, 8);
    cx.extension::<Rooms>().rooms.push((lanes, room));
    Some(room)
}

/// The place of a value in a [`room`].
fn place_in(b: &Builder, room: Value, ty: Type, index: usize) -> Value {
    b.offset(
        room,
        index as u64 * u64::from(shape::lanes(ty)) * LANE_BYTES,
    )
}

/// Calls a function of [`function`]; gives the shadow.
fn call(
    b: &Builder,
    (convention, function): (CallConvention, Function),
    arguments: &[Value],
    room: Option<Value>,
) -> LeafShadow {
    let Some(room) = room else {
        let shadow = b.call_with(convention, function, arguments);
        return (0..3).map(|part| b.member(shadow, &[part])).collect();
    };
    let (direct, values) = arguments.split_at(PASSED_DIRECTLY);
    put(b, room, values);
    b.call_with(convention, function, &[direct, &[room]].concat());
    let shadow = super::cells::components(b, ir::type_of(values[0]));
    get(b, room, &shadow)
}

fn put(b: &Builder, room: Value, values: &[Value]) {
    for (index, value) in values.iter().enumerate() {
        let place = place_in(b, room, ir::type_of(*value), index);
        b.store(*value, place, 8);
    }
}

fn get(b: &Builder, room: Value, types: &[Type]) -> Vec<Value> {
    let types = types.iter().enumerate();
    types
        .map(|(index, ty)| b.load(*ty, place_in(b, room, *ty, index), 8))
        .collect()
}

/// What is known of an inaccurate result before anything is reported.
struct Found {
    influences: Value,
    /// Lanes whose error is not explained by them.
    unexplained: Value,
    /// Lanes whose sets of influences have numbers.
    numbered: Value,
}

impl Found {
    /// Lanes that have to be reported.
    fn need(&self, b: &Builder, metas: &[Value]) -> Value {
        let meeting = b.and(self.numbered, reporting::meet(b, metas));
        b.or(self.unexplained, meeting)
    }
}

fn found(
    b: &Builder,
    report: &Report,
    known: &Known,
    operands: &[ReportedValue],
    metas: &[Value],
) -> Found {
    let kind = kind(report.ty);
    let usual = builder::real(b.types.double, trace::reach(kind));
    let beyond = reporting::is_beyond_reach(b, usual, known);
    let inaccurate = reporting::is_wanted(b, &report.demanded, beyond);
    // A value that is accurate has no influences: an error of it arises later.
    let influences = reporting::inherited(b, metas, inaccurate);
    let unexplained = reporting::needs(b, (report.op, kind), known, operands, influences);
    Found {
        influences,
        unexplained: b.and(unexplained, inaccurate),
        numbered: reporting::is_numbered(b, influences),
    }
}

/// Lanes that may have underflowed.
fn small(b: &Builder, known: &Known) -> Value {
    let tiny = builder::real(ir::type_of(known.bound), lostbits_abi::explain::TINY);
    let size = b.magnitude(known.value);
    b.compare_reals(ir::RealPredicate::LLVMRealOLT, size, tiny)
}

fn kind(ty: Type) -> FpKind {
    shape::fp_kind(ty).expect("results of operations have a format")
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Part {
    Operation,
    Influences,
    Report,
    /// The same, called where most registers are saved anyway.
    ReportInLine,
}

impl Part {
    fn convention(self, report: &Report) -> CallConvention {
        match self {
            // Large blocks have more values than registers: saving all would be work for nothing.
            Part::Operation => CallConvention::C,
            // LLVM 22 restores the upper halves of vector registers and clears them right before such a function returns.
            // Where sets of influences meet all the time, saving all registers costs more than saving those in use.
            Part::ReportInLine => CallConvention::PreserveMost,
            _ if report.has_wide_vectors => CallConvention::PreserveMost,
            Part::Influences | Part::Report => CallConvention::PreserveAll,
        }
    }
}

/// The module's function for a report; made where there is none. Moves the builder.
fn function(
    b: &Builder,
    module: &ModuleInstrumenter,
    report: &Report,
    part: Part,
    caller: Function,
) -> Function {
    let name = name(report, part, caller);
    if let Some(known) = ir::named_function(b.module(), &name) {
        return known;
    }
    let passed = match part {
        Part::Operation => operation_parameters(b, report),
        _ => parameters(b, report),
    };
    let shadow = super::cells::components(b, report.ty);
    let is_in_memory = shape::lanes(report.ty) > MOST_LANES_IN_REGISTERS;
    let ty = match is_in_memory {
        true => {
            let parameters = [&passed[..PASSED_DIRECTLY], &[b.types.pointer]].concat();
            b.types.function(b.types.void, &parameters)
        }
        false => b.types.function(b.types.structure(&shadow), &passed),
    };
    let rest = match part {
        Part::Report | Part::ReportInLine => None,
        _ => Some(function(b, module, report, Part::Report, caller)),
    };
    let made = b.define(&name, ty, part.convention(report));
    ir::copy_processor(caller, made);
    let mut parameters = ir::parameters(made);
    let room = is_in_memory.then(|| parameters[PASSED_DIRECTLY]);
    if let Some(room) = room {
        parameters.truncate(PASSED_DIRECTLY);
        parameters.extend(get(b, room, &passed[PASSED_DIRECTLY..]));
    }
    let result = match (part, rest) {
        (Part::Operation, Some(rest)) => operation(b, module, report, (parameters, room), rest),
        (_, Some(rest)) => Body::new(b, module, report, (parameters, room)).influences(rest),
        (_, None) => Body::new(b, module, report, (parameters, room)).report(),
    };
    match room {
        Some(room) => {
            put(b, room, &result);
            b.return_nothing();
        }
        None => b.return_structure(&result),
    }
    made
}

/// Functions for different processors pass vectors in different registers.
fn name(report: &Report, part: Part, caller: Function) -> String {
    let mut hasher = DefaultHasher::new();
    ir::processor(caller).hash(&mut hasher);
    let digit = |flag: bool| if flag { '1' } else { '0' };
    let lanes: String = report.demanded.iter().map(|lane| digit(*lane)).collect();
    let exact: String = match part {
        Part::Operation => report.exact.iter().map(|exact| digit(*exact)).collect(),
        _ => String::new(),
    };
    let part = match part {
        Part::Operation => "operate",
        Part::Influences => "inherit",
        Part::Report => "report",
        Part::ReportInLine => "report_in_line",
    };
    format!(
        "lostbits.{part}.{:?}.{}.{lanes}.{exact}{}{}{}{}.{:x}",
        report.op,
        ir::type_text(report.ty),
        report.operands,
        if report.has_nodes { "n" } else { "" },
        if report.can_underflow { "u" } else { "" },
        if report.has_wide_vectors { "w" } else { "" },
        hasher.finish()
    )
}

fn operation_parameters(b: &Builder, report: &Report) -> Vec<Type> {
    let types = b.types;
    let shadow = super::cells::components(b, report.ty);
    let mut parameters = vec![types.pointer, types.i64, types.i64, types.double, report.ty];
    for is_exact in &report.exact {
        parameters.push(report.ty);
        parameters.extend(shadow.iter().filter(|_| !is_exact));
    }
    parameters
}

/// The body of the function for a whole operation.
fn operation(
    b: &Builder,
    module: &ModuleInstrumenter,
    report: &Report,
    (parameters, room): (Vec<Value>, Option<Value>),
    rest: Function,
) -> LeafShadow {
    let [thread, counter, place, reach, result] = parameters[..5] else {
        unreachable!("every operation has these parameters");
    };
    let mut parts = parameters[5..].iter().copied();
    let fresh = super::cells::fresh(b, report.ty);
    let operands: Vec<ReportedValue> = report
        .exact
        .iter()
        .map(|is_exact| ReportedValue {
            value: parts.next().expect("each operand has a parameter"),
            shadow: match is_exact {
                true => fresh.clone(),
                false => parts.by_ref().take(fresh.len()).collect(),
            },
        })
        .collect();
    let first_site = module.load_first_site(b);
    let site = b.and(place, builder::integer(b.types.i64, SITES));
    let site = b.binary(ir::Opcode::LLVMAdd, first_site, site);
    let arithmetic =
        Arithmetic::new(b, report.ty, report.fused).under(intervening::at(b, thread, site));
    let numbers_of = |operand: &ReportedValue| known(&arithmetic, operand.value, &operand.shadow);
    let numbers_known: Vec<Known> = operands.iter().map(numbers_of).collect();
    let known = reporting::computed(&arithmetic, report.op, &numbers_known, result);
    let trace = BlockTrace::at_place(b, thread, first_site, [counter, place, reach]);
    let nodes = match report.has_nodes {
        true => new_nodes_of(&trace, &report.demanded, report.operands),
        false => Vec::new(),
    };
    let nodes = numbers(b, &trace, &nodes, report.ty);
    let aside = match report.can_underflow {
        false => reporting::is_beyond_reach(b, reach, &known),
        true => reporting::is_beyond_reach_or_small(b, reach, &known),
    };
    let aside = reporting::is_wanted(b, &report.demanded, aside);
    let never = builder::null(b.types.int(1));
    let shadow = vec![known.residue, known.bound, nodes];
    reporting::if_any(b, aside, never, shadow, |_| {
        let body = Body {
            b,
            report,
            metas: operands.iter().map(|seen| seen.shadow[2]).collect(),
            arguments: arguments([thread, counter, place, reach, result], &known, &operands),
            trace,
            first_site,
            site: b.and(place, builder::integer(b.types.i64, SITES)),
            known,
            operands,
            room,
        };
        body.influences(rest)
    })
}

/// What [`Part::Influences`] and [`Part::Report`] are called with.
fn arguments(first: [Value; 5], known: &Known, operands: &[ReportedValue]) -> Vec<Value> {
    let mut arguments = first.to_vec();
    arguments.extend([known.residue, known.bound]);
    for operand in operands {
        arguments.push(operand.value);
        arguments.extend(&operand.shadow);
    }
    arguments
}

fn parameters(b: &Builder, report: &Report) -> Vec<Type> {
    let types = b.types;
    let shadow = super::cells::components(b, report.ty);
    let mut parameters = vec![
        types.pointer,
        types.i64,
        types.i64,
        types.double,
        report.ty,
        shadow[0],
        shadow[1],
    ];
    for _ in 0..report.operands {
        parameters.push(report.ty);
        parameters.extend(&shadow);
    }
    if report.operands == 0 {
        parameters.push(shadow[2]);
    }
    parameters
}

/// The body of such a function, from its parameters.
struct Body<'a> {
    b: &'a Builder,
    report: &'a Report,
    /// Thread, counter, place, reach and result come first.
    arguments: Vec<Value>,
    trace: BlockTrace,
    first_site: Value,
    site: Value,
    known: Known,
    operands: Vec<ReportedValue>,
    metas: Vec<Value>,
    /// Where values are that are passed in memory.
    room: Option<Value>,
}

impl<'a> Body<'a> {
    fn new(
        b: &'a Builder,
        module: &ModuleInstrumenter,
        report: &'a Report,
        (parameters, room): (Vec<Value>, Option<Value>),
    ) -> Body<'a> {
        let [thread, counter, place, reach, result, residue, bound] = parameters[..7] else {
            unreachable!("every report has these parameters");
        };
        let first_site = module.load_first_site(b);
        let trace = BlockTrace::at_place(b, thread, first_site, [counter, place, reach]);
        let (operands, metas): (Vec<ReportedValue>, Vec<Value>) = match report.operands {
            0 => (Vec::new(), vec![parameters[7]]),
            _ => {
                let operand = |parts: &[Value]| ReportedValue {
                    value: parts[0],
                    shadow: parts[1..].to_vec(),
                };
                let operands: Vec<ReportedValue> = parameters[7..].chunks(4).map(operand).collect();
                let metas = operands.iter().map(|seen| seen.shadow[2]).collect();
                (operands, metas)
            }
        };
        let arithmetic = Arithmetic::new(b, report.ty, report.fused);
        let known = known(&arithmetic, result, &[residue, bound]);
        let site = b.and(place, builder::integer(b.types.i64, SITES));
        Body {
            b,
            report,
            trace,
            first_site,
            site,
            known,
            operands,
            metas,
            arguments: parameters,
            room,
        }
    }

    fn prepared(&self) -> Prepared {
        let Body { b, report, .. } = self;
        let kind = kind(report.ty);
        let nodes = match report.has_nodes {
            true => new_nodes_of(&self.trace, &report.demanded, report.operands),
            false => Vec::new(),
        };
        let nodes = numbers(b, &self.trace, &nodes, report.ty);
        let found = found(b, report, &self.known, &self.operands, &self.metas);
        let bound = match report.can_underflow {
            true => self.bound_of_small(),
            false => self.known.bound,
        };
        let shadow = vec![self.known.residue, bound, b.or(nodes, found.influences)];
        let mut seen = vec![ReportedValue {
            value: self.arguments[4],
            shadow: vec![self.known.residue, bound, nodes],
        }];
        seen.extend(self.operands.iter().cloned());
        let site = b.binary(ir::Opcode::LLVMAdd, self.first_site, self.site);
        let fields = EventFields {
            site: 0,
            number: report.op as u16,
            kind,
            nodes,
            seen,
            thread: self.arguments[0],
            first_site: site,
        };
        Prepared {
            shadow,
            found,
            fields,
        }
    }

    /// Influences; the rest only if something is to be reported or nodes are to be written.
    fn influences(&self, rest: Function) -> LeafShadow {
        let Body { b, trace, .. } = self;
        let prepared = self.prepared();
        let need = prepared.found.need(b, &self.metas);
        let wanted = b.or(trace.sampled, trace.traced);
        reporting::if_any(b, need, wanted, prepared.shadow, |_| {
            let convention = Part::Report.convention(self.report);
            call(b, (convention, rest), &self.arguments, self.room)
        })
    }

    fn report(&self) -> LeafShadow {
        let Body {
            b, trace, report, ..
        } = self;
        if report.has_nodes {
            let nodes = new_nodes_of(trace, &report.demanded, report.operands);
            write_nodes_if(b, trace.traced, nodes, 0, &self.operands);
        }
        let prepared = self.prepared();
        let need = prepared.found.need(b, &self.metas);
        let fields = &prepared.fields;
        reporting::report_if_needed(
            b,
            fields,
            need,
            trace.sampled,
            &report.demanded,
            prepared.shadow,
        )
    }

    /// The bound of a result that may have underflowed; inaccurate values come here, too.
    fn bound_of_small(&self) -> Value {
        let b = self.b;
        let double = ir::type_of(self.known.bound);
        let arithmetic = Arithmetic::new(b, double, self.report.fused);
        let operands: Vec<Known> = self
            .operands
            .iter()
            .map(|operand| known(&arithmetic, operand.value, &operand.shadow))
            .collect();
        let small = small(b, &self.known);
        let never = builder::null(b.types.int(1));
        let bounds = reporting::if_any(b, small, never, vec![self.known.bound], |_| {
            vec![arithmetic.bound_of_small(self.report.op, small, self.known.bound, &operands)]
        });
        bounds[0]
    }
}

struct Prepared {
    shadow: LeafShadow,
    found: Found,
    fields: EventFields,
}
