//! Reports of results as functions of their own, which all operations of one kind in a module share.
//!
//! What follows an operation whose result is inaccurate, sampled or traced is a hundred instructions. In line they were
//! most of the code, and the back end's time grew faster than the size of the function: each operation had eight blocks. As a function
//! they cost one block with one call.
//!
//! The function keeps all registers (`preserve_all`), so that the path beside the call does not have to save any. It is made of two:
//! the first finds influences and returns unless a report is due; the second writes nodes and reports. The second saves all registers
//! when it is entered, which only a report is worth.

use std::hash::{DefaultHasher, Hash, Hasher};

use lostbits_abi::{explain::node_site, kind::FpKind, ops::Op};

use super::{
    arithmetic::{Arithmetic, Known},
    events::{EventFields, ReportedValue},
    known,
    nodes::{new_nodes_of, numbers, write_nodes_if},
    reporting,
    trace::{self, BlockTrace, NodeSlot},
};
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, LeafShadow},
    ir::{self, CallConvention, Function, Type, Value},
    module::ModuleInstrumenter,
    shape,
};

/// What the code of a report depends on.
#[derive(Clone)]
pub struct Report {
    pub op: Op,
    /// The type of result and operands.
    pub ty: Type,
    /// The operands that are reported; none where `meta` alone says what is inherited.
    pub operands: usize,
    /// The lanes that the program uses.
    pub demanded: Vec<bool>,
    /// Whether the block has room for the nodes.
    pub has_nodes: bool,
    /// Whether the result may have underflowed.
    pub can_underflow: bool,
    /// Whether the processor multiplies and adds in one.
    pub fused: bool,
}

/// An operation that is reported.
pub struct Reported<'a> {
    pub thread: Value,
    pub trace: &'a BlockTrace,
    /// Of the first node.
    pub slot: Option<NodeSlot>,
    /// The site and the operation in one word.
    pub site: u32,
    pub result: Value,
    pub residue: Value,
    pub bound: Value,
    /// As many as the report has, with their shadows.
    pub operands: &'a [ReportedValue],
    /// Where there are none.
    pub meta: Option<Value>,
}

/// Calls the function for a report; returns the result's shadow. The builder is in a detour.
pub fn call(cx: &mut FunctionInstrumenter, report: &Report, reported: &Reported) -> LeafShadow {
    let end = ir::terminator(cx.builder.insert_block());
    let function = function(cx.builder, cx.module(), report, Part::Influences, cx.function);
    let b = cx.builder;
    b.before(end);
    let mut arguments = vec![
        reported.thread,
        reported.trace.counter(),
        trace::place(b, reported.slot, reported.site),
        reported.trace.reach(kind(report.ty)),
        reported.result,
        reported.residue,
        reported.bound,
    ];
    for operand in reported.operands {
        arguments.push(operand.value);
        arguments.extend(&operand.shadow);
    }
    arguments.extend(reported.meta);
    let shadow = b.call_with(CallConvention::PreserveAll, function, &arguments);
    (0..3).map(|part| b.member(shadow, &[part])).collect()
}

fn kind(ty: Type) -> FpKind {
    shape::fp_kind(ty).expect("results of operations have a format")
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Part {
    Influences,
    Report,
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
    let parameters = parameters(b, report);
    let shadow = super::cells::components(b, report.ty);
    let ty = b.types.function(b.types.structure(&shadow), &parameters);
    let further = match part {
        Part::Influences => Some(function(b, module, report, Part::Report, caller)),
        Part::Report => None,
    };
    let made = b.define(&name, ty, CallConvention::PreserveAll);
    ir::copy_processor(caller, made);
    let body = Body::new(b, module, report, made);
    let result = match further {
        Some(further) => body.influences(further),
        None => body.report(),
    };
    b.return_structure(&result);
    made
}

/// Functions for different processors pass vectors in different registers.
fn name(report: &Report, part: Part, caller: Function) -> String {
    let mut hasher = DefaultHasher::new();
    ir::processor(caller).hash(&mut hasher);
    let lanes: String = report
        .demanded
        .iter()
        .map(|lane| if *lane { '1' } else { '0' })
        .collect();
    let part = match part {
        Part::Influences => "inherit",
        Part::Report => "report",
    };
    format!(
        "lostbits.{part}.{:?}.{}.{lanes}.{}{}{}.{:x}",
        report.op,
        ir::type_text(report.ty),
        report.operands,
        if report.has_nodes { "n" } else { "" },
        if report.can_underflow { "u" } else { "" },
        hasher.finish()
    )
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
    parameters: Vec<Value>,
    trace: BlockTrace,
    first_site: Value,
    site: Value,
    known: Known,
    operands: Vec<ReportedValue>,
    metas: Vec<Value>,
}

impl<'a> Body<'a> {
    fn new(
        b: &'a Builder,
        module: &ModuleInstrumenter,
        report: &'a Report,
        function: Function,
    ) -> Body<'a> {
        let parameters = ir::parameters(function);
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
        let site = b.and(place, builder::integer(b.types.i64, node_site::SITES));
        Body {
            b,
            report,
            trace,
            first_site,
            site,
            known,
            operands,
            metas,
            parameters,
        }
    }

    /// What is known before anything is reported: the shadow, the lanes whose error is not explained, and those whose sets of
    /// influences have numbers; then the event.
    fn prepared(&self) -> Prepared {
        let Body { b, report, .. } = self;
        let kind = kind(report.ty);
        let nodes = match report.has_nodes {
            true => new_nodes_of(&self.trace, &report.demanded, report.operands),
            false => Vec::new(),
        };
        let nodes = numbers(b, &self.trace, &nodes, report.ty);
        let usual = builder::real(b.types.double, trace::reach(kind));
        let inaccurate = self.is_wanted(reporting::is_beyond_reach(b, usual, &self.known));
        // A value that is accurate has no influences: an error of it arises later.
        let influences = reporting::inherited(b, &self.metas, inaccurate);
        let bound = match report.can_underflow {
            true => self.bound_of_small(),
            false => self.known.bound,
        };
        let shadow = vec![self.known.residue, bound, b.or(nodes, influences)];
        let mut seen = vec![ReportedValue {
            value: self.parameters[4],
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
            thread: self.parameters[0],
            first_site: site,
        };
        let unexplained = reporting::needs(b, &fields, &self.known, influences, report.op);
        Prepared {
            shadow,
            unexplained: b.and(unexplained, inaccurate),
            numbered: reporting::is_numbered(b, influences),
            fields,
        }
    }

    /// Influences; the rest only if something is to be reported or nodes are to be written.
    fn influences(&self, rest: Function) -> LeafShadow {
        let Body { b, trace, .. } = self;
        let prepared = self.prepared();
        let perhaps = b.or(prepared.unexplained, prepared.numbered);
        let wanted = b.or(trace.sampled, trace.traced);
        reporting::if_any(b, perhaps, wanted, prepared.shadow, |_| {
            let shadow = b.call_with(CallConvention::PreserveAll, rest, &self.parameters);
            (0..3).map(|part| b.member(shadow, &[part])).collect()
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
        let Prepared {
            unexplained,
            numbered,
            ..
        } = prepared;
        let need = b.or(
            unexplained,
            b.and(numbered, reporting::meet(b, &self.metas)),
        );
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

    fn is_wanted(&self, flags: Value) -> Value {
        reporting::is_wanted(self.b, &self.report.demanded, flags)
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
        let tiny = builder::real(double, lostbits_abi::explain::TINY);
        let size = b.magnitude(self.known.value);
        let small = b.compare_reals(ir::RealPredicate::LLVMRealOLT, size, tiny);
        let never = builder::null(b.types.int(1));
        let bounds = reporting::if_any(b, small, never, vec![self.known.bound], |_| {
            vec![arithmetic.bound_of_small(self.report.op, small, self.known.bound, &operands)]
        });
        bounds[0]
    }
}

struct Prepared {
    shadow: LeafShadow,
    unexplained: Value,
    numbered: Value,
    fields: EventFields,
}
