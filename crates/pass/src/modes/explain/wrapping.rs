//! Functions of the program's own that the user wants to see as one operation (`[[wrap]]` in `lostbits.toml`).
//!
//! What happens inside such a function is not analysed. Its exact result is that of a reference, another function of
//! the program, which is called with the same arguments, and once more with their exact values: as doubles in
//! the direction of their errors (which gives the slope), or exactly if it takes `long double` or pairs of doubles.
//! Without a reference the result is taken for exact.
//!
//! # What it can miss
//!
//! Arguments behind pointers, as Fortran passes them: the reference gets them as they are. Calls through pointers.

use std::{mem::offset_of, sync::OnceLock};

use lostbits_abi::{
    explain::{Event, Thread, WRAP_ENV, node_site},
    functions,
    kind::FpKind,
    ops::Op,
    site::What,
};

use super::trace::Tracing;
use super::{
    events::{self, EventFields, ReportedValue},
    nodes, reporting,
    start_stop::symbol_matches,
};
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, Operation},
    ir::{self, Function, Module, Opcode, RealPredicate, Type, TypeKind, Value},
    shape,
};

pub struct Wrap {
    function: String,
    reference: Option<String>,
}

/// What the user wants, in the order of the file.
fn wraps() -> &'static [Wrap] {
    static WRAPS: OnceLock<Vec<Wrap>> = OnceLock::new();
    WRAPS.get_or_init(|| {
        let text = std::env::var(WRAP_ENV).unwrap_or_default();
        let entries = text.split(',').filter(|entry| !entry.is_empty());
        entries.map(wrap).collect()
    })
}

fn wrap(entry: &str) -> Wrap {
    let (function, reference) = entry.split_once('=').unwrap_or((entry, ""));
    Wrap {
        function: function.to_owned(),
        reference: Some(reference.to_owned()).filter(|name| !name.is_empty()),
    }
}

/// Keeps the functions and their references from being inlined or dropped.
pub fn prepare(module: Module) {
    let names: Vec<&String> = wraps()
        .iter()
        .flat_map(|wrap| std::iter::once(&wrap.function).chain(&wrap.reference))
        .collect();
    if names.is_empty() {
        return;
    }
    for function in ir::functions(module) {
        let symbol = ir::name(function);
        let is_named = names.iter().any(|name| symbol_matches(&symbol, name));
        if is_named && !ir::is_declaration(function) {
            ir::keep(function);
        }
    }
}

/// What the user wants of a call, and the format of its result.
pub fn wrapped(call: Value, name: &str) -> Option<(&'static Wrap, FpKind)> {
    let wrap = wraps()
        .iter()
        .find(|wrap| symbol_matches(name, &wrap.function))?;
    let kind = shape::fp_kind(ir::type_of(call))
        .filter(|kind| matches!(kind, FpKind::Double | FpKind::Float))?;
    let is_plain = matches!(ir::opcode(call), Opcode::LLVMCall | Opcode::LLVMInvoke)
        && !ir::is_must_tail(call)
        && shape::lanes(ir::type_of(call)) == 1;
    is_plain.then_some((wrap, kind))
}

pub fn calls(cx: &mut FunctionInstrumenter, call: Value, name: &str) -> bool {
    let Some((wrap, kind)) = wrapped(call, name) else {
        return false;
    };
    let operation = operation(cx, call, wrap);
    let block = reporting::begin(cx, &operation);
    let thread = cx.known_tracer().thread;
    let before = suppress_reports(cx.builder, call, thread);
    match ir::opcode(call) {
        // It returns to the beginning of a block, where the block's trace begins.
        Opcode::LLVMInvoke => {
            let trace = cx.block_trace(block);
            cx.builder.after(trace.end());
        }
        _ => cx.after(call),
    }
    let found = found(cx, wrap, &operation);
    let b = cx.builder;
    b.store(before, suppression_word(b, thread), 8);
    let own_error = offset_of!(Thread, event) + offset_of!(Event, tails);
    b.store(found.own, b.offset(thread, own_error as u64), 8);
    let mut operands = reporting::all_operands(cx, &operation);
    operands.truncate(operation.op.info().arity());
    let node = match operands.is_empty() {
        true => None,
        false => nodes::new_node(cx, block, operands.len(), 0),
    };
    let b = cx.builder;
    if let Some(node) = node {
        let site = node_site::join(operation.site, operation.op as u16);
        nodes::write_node(b, node, site, &operands);
    }
    let number = node.map_or(builder::null(b.types.i64), |node| node.place.number(b));
    let shadow = vec![found.residue, found.bound, number];
    let mut seen = vec![ReportedValue {
        value: call,
        shadow: shadow.clone(),
    }];
    seen.extend(operands);
    let tracer = cx.known_tracer();
    let fields = EventFields {
        site: operation.site,
        number: operation.op as u16,
        kind,
        nodes: number,
        seen,
        thread,
        first_site: tracer.first_site,
    };
    let always = builder::integer(b.types.int(1), 1);
    let shadow = events::report_lane(b, functions::EXPLAIN_CALLED, &fields, 0, always, shadow);
    cx.set(call, vec![shadow]);
    true
}

/// What is known of a call's result, at the builder's position; the operands' shadows begin with their residues.
pub fn found(cx: &FunctionInstrumenter, wrap: &Wrap, operation: &Operation) -> Found {
    let call = operation.instruction;
    let find = |name: &String| {
        Reference::find(cx, call, name).unwrap_or_else(|| reject_reference(&wrap.function, name))
    };
    match wrap.reference.as_ref().map(find) {
        Some(reference) => reference.compare(cx.builder, operation),
        None => Found::exact(cx.builder),
    }
}

/// Ends the compiler: what the user wants cannot be done.
fn reject_reference(function: &str, reference: &str) -> ! {
    eprintln!(
        "lostbits: lostbits.toml: the reference `{reference}` of `{function}` must have the same parameters and \
         result as that function, as double, long double or structures of two doubles"
    );
    std::process::exit(1)
}

/// Whoever catches an exception has left such functions.
pub fn observe(cx: &mut FunctionInstrumenter, instruction: Value) {
    if wraps().is_empty() || ir::opcode(instruction) != Opcode::LLVMLandingPad {
        return;
    }
    let thread = cx.tracer().thread;
    let b = cx.builder;
    b.before(ir::first_insertion_point(ir::parent_block(instruction)));
    b.store(builder::null(b.types.i64), suppression_word(b, thread), 8);
}

/// The call as an operation, counted.
pub fn operation(cx: &mut FunctionInstrumenter, call: Value, wrap: &Wrap) -> Operation {
    let operands: Vec<_> = (0u32..)
        .zip(ir::arguments(call))
        .filter(|(_, value)| shape::fp_kind(ir::type_of(*value)).is_some())
        .map(|(index, value)| (index, value, cx.shadow(value).remove(0)))
        .collect();
    let seen = ir::arguments(call)
        .into_iter()
        .filter(|value| ir::type_kind(ir::type_of(*value)) != TypeKind::LLVMPointerTypeKind);
    let op = Op::call_of(seen.count());
    let leaf = cx.leaves_of(call).remove(0);
    let site = cx.site(call, What::Operation(op), &leaf, &wrap.function);
    cx.count_here(call, site, 1);
    Operation {
        op,
        instruction: call,
        operands,
        is_library_call: false,
        site,
        demanded: vec![true],
    }
}

/// The thread's word that suppresses reports.
pub fn suppression_word(b: &Builder, thread: Value) -> Value {
    b.offset(thread, offset_of!(Thread, blind) as u64)
}

/// Suppresses reports from here on; returns the former state.
pub fn suppress_reports(b: &Builder, call: Value, thread: Value) -> Value {
    b.before(call);
    let before = b.load(b.types.i64, suppression_word(b, thread), 8);
    b.store(
        builder::integer(b.types.i64, 1),
        suppression_word(b, thread),
        8,
    );
    before
}

/// What a reference says of a result, as doubles.
pub struct Found {
    pub residue: Value,
    pub bound: Value,
    /// The error of the function itself, for exact arguments.
    pub own: Value,
}

impl Found {
    fn exact(b: &Builder) -> Found {
        let none = builder::null(b.types.double);
        Found {
            residue: none,
            bound: none,
            own: none,
        }
    }
}

/// How a reference takes its arguments and gives its result.
#[derive(Clone, Copy, PartialEq)]
enum Precision {
    /// `double`, for a function of `double` or `float`.
    Double,
    /// `long double`.
    Long,
    /// Two doubles for each.
    Pair,
}

struct Reference {
    function: Function,
    precision: Precision,
    /// The reference's floating-point type.
    number: Type,
}

impl Reference {
    /// The function of this name; one of another module is taken to have the signature of the function it replaces.
    fn find(cx: &FunctionInstrumenter, call: Value, name: &str) -> Option<Reference> {
        let b = cx.builder;
        let here = ir::functions(b.module())
            .into_iter()
            .find(|function| symbol_matches(&ir::name(*function), name));
        let own = ir::called_function_type(call);
        let function = here
            .unwrap_or_else(|| b.declare(name, ir::return_type(own), &ir::parameter_types(own)));
        let ty = ir::function_type(function);
        let (result, parameters) = (ir::return_type(ty), ir::parameter_types(ty));
        let floats = |types: &[Type]| {
            let is_float = |ty: &&Type| shape::fp_kind(**ty).is_some();
            types.iter().filter(is_float).count()
        };
        let wanted = floats(&ir::parameter_types(own));
        let precision = match (shape::fp_kind(result), floats(&parameters)) {
            (Some(FpKind::X87), count) if count == wanted => Precision::Long,
            (Some(FpKind::Double | FpKind::Float), count) if count == wanted => Precision::Double,
            (None, count)
                if count == 2 * wanted
                    && ir::type_kind(result) == TypeKind::LLVMStructTypeKind
                    && ir::struct_elements(result) == [b.types.double; 2] =>
            {
                Precision::Pair
            }
            _ => return None,
        };
        let others = parameters.len() - floats(&parameters);
        let same_others = others == ir::parameter_types(own).len() - wanted;
        same_others.then_some(Reference {
            function,
            precision,
            number: match precision {
                Precision::Pair => b.types.double,
                Precision::Long | Precision::Double => result,
            },
        })
    }

    fn compare(&self, b: &Builder, operation: &Operation) -> Found {
        let none = builder::null(b.types.double);
        let one = builder::real(b.types.double, 1.0);
        let here = self.call(b, operation, none);
        let own = self.minus_result(b, &here, operation.instruction);
        let (residue, unit) = match self.precision {
            Precision::Double => (self.moved(b, operation, &here, own), 1.1e-16),
            Precision::Long => (self.exactly(b, operation, one), 1.1e-19),
            Precision::Pair => (self.exactly(b, operation, one), 1e-31),
        };
        let size = b.magnitude(b.as_double(operation.instruction));
        Found {
            residue,
            bound: b.binary(Opcode::LLVMFMul, size, builder::real(b.types.double, unit)),
            own,
        }
    }

    /// The reference of the real arguments, less the result.
    fn exactly(&self, b: &Builder, operation: &Operation, one: Value) -> Value {
        let there = self.call(b, operation, one);
        self.minus_result(b, &there, operation.instruction)
    }

    /// To first order: the arguments' errors, made larger that the reference's rounding does not drown what they do.
    fn moved(&self, b: &Builder, operation: &Operation, here: &[Value], own: Value) -> Value {
        const LARGER: f64 = (1u64 << 20) as f64;
        const SMALL: f64 = (1u64 << 40) as f64;
        let double = b.types.double;
        let mut is_large = builder::null(b.types.int(1));
        for (_, value, shadow) in &operation.operands {
            let error = b.magnitude(shadow[0]);
            let scaled = b.binary(Opcode::LLVMFMul, error, builder::real(double, SMALL));
            let size = b.magnitude(b.as_double(*value));
            let large = b.compare_reals(RealPredicate::LLVMRealOGT, scaled, size);
            is_large = b.or(is_large, large);
        }
        let factor = b.select(
            is_large,
            builder::real(double, 1.0),
            builder::real(double, LARGER),
        );
        let there = self.call(b, operation, factor);
        let change = b.binary(Opcode::LLVMFSub, there[0], here[0]);
        let change = b.binary(Opcode::LLVMFDiv, b.as_double(change), factor);
        b.binary(Opcode::LLVMFAdd, own, change)
    }

    /// Calls the reference with the arguments moved by so much of their errors.
    fn call(&self, b: &Builder, operation: &Operation, factor: Value) -> Vec<Value> {
        let mut arguments = Vec::new();
        for (index, value) in (0u32..).zip(ir::arguments(operation.instruction)) {
            let known = operation.operands.iter().find(|(at, _, _)| *at == index);
            match known {
                Some((_, value, shadow)) => {
                    let error = b.binary(Opcode::LLVMFMul, shadow[0], factor);
                    arguments.extend(self.argument(b, *value, error));
                }
                None => arguments.push(value),
            }
        }
        let result = b.call(self.function, &arguments);
        match self.precision {
            Precision::Pair => vec![b.member(result, &[0]), b.member(result, &[1])],
            Precision::Long | Precision::Double => vec![result],
        }
    }

    fn argument(&self, b: &Builder, value: Value, error: Value) -> Vec<Value> {
        if self.precision != Precision::Pair {
            let (value, error) = (b.convert(value, self.number), b.convert(error, self.number));
            return vec![b.binary(Opcode::LLVMFAdd, value, error)];
        }
        let value = b.as_double(value);
        let high = b.binary(Opcode::LLVMFAdd, value, error);
        let added = b.binary(Opcode::LLVMFSub, high, value);
        vec![high, b.binary(Opcode::LLVMFSub, error, added)]
    }

    fn minus_result(&self, b: &Builder, given: &[Value], result: Value) -> Value {
        let first = b.binary(
            Opcode::LLVMFSub,
            given[0],
            b.convert(result, ir::type_of(given[0])),
        );
        let mut difference = b.as_double(first);
        if let Some(low) = given.get(1) {
            difference = b.binary(Opcode::LLVMFAdd, difference, *low);
        }
        difference
    }
}
