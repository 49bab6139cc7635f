//! Calls that only mark something in the program's source (`include/lostbits.h`). They are no functions:
//! each is taken out, and its value is that of its last argument.
//!
//! `__lostbits_convergence(last, test)`: `test` ends a loop when it has converged, and `last` says whether it
//! is the last that is allowed. The comparisons behind `test` are checked at the marker, where both are
//! known. (Those of the later parts of a test with `&&` or `||` may be in blocks of their own; they are judged
//! where they are, as any other.)
//!
//! `__lostbits_stands_for(again, number)`: the pass's own, see `prepare/complex.rs`.

use std::collections::HashSet;

use lostbits_abi::{ops::Op, symbols};

use super::FunctionInstrumenter;
use crate::ir::{self, Opcode, Value};

impl FunctionInstrumenter<'_> {
    /// Finds the marks of a function.
    pub(super) fn find_markers(&mut self, program: &[Vec<Value>]) {
        for call in program.iter().flatten() {
            let Some(marker) = marker_of(*call) else {
                continue;
            };
            self.guards.harmless.insert(*call);
            self.markers.push(*call);
            if marker == Marker::Convergence {
                for comparison in comparisons_behind(ir::arguments(*call)[1]) {
                    self.converging.insert(comparison, *call);
                }
            }
        }
    }

    /// Where an operation is judged: behind itself, or behind the mark that speaks of it.
    pub fn judged_after(&self, instruction: Value) -> Value {
        let marker = self.converging.get(&instruction);
        marker.copied().unwrap_or(instruction)
    }

    pub(super) fn is_marked(&self, instruction: Value) -> bool {
        self.converging.contains_key(&instruction)
    }

    pub(super) fn visit_marker(&mut self, call: Value, marker: Marker) {
        match marker {
            Marker::Convergence => {
                for comparison in comparisons_behind(ir::arguments(call)[1]) {
                    if self.judged_after(comparison) == call {
                        self.operate(comparison, Op::Compare, &ir::operands(comparison), "");
                    }
                }
            }
            Marker::StandsFor => {
                self.operate(call, Op::ComplexPart, &ir::arguments(call)[..1], "");
            }
        }
    }

    pub(super) fn remove_markers(&mut self) {
        for call in std::mem::take(&mut self.markers) {
            ir::replace(call, ir::arguments(call)[1]);
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Marker {
    Convergence,
    StandsFor,
}

pub(super) fn marker_of(call: Value) -> Option<Marker> {
    if ir::opcode(call) != Opcode::LLVMCall || ir::arguments(call).len() != 2 {
        return None;
    }
    let name = ir::name(ir::as_function(ir::callee(call))?);
    match name.strip_prefix(symbols::STANDS_FOR) {
        Some("" | "f") => Some(Marker::StandsFor),
        _ => (name == symbols::CONVERGENCE).then_some(Marker::Convergence),
    }
}

/// The comparisons of which a truth value is made, as long as all are computed whenever it is.
fn comparisons_behind(value: Value) -> Vec<Value> {
    use Opcode::*;
    let mut open = vec![value];
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        if !ir::is_instruction(value) || !seen.insert(value) {
            continue;
        }
        match ir::opcode(value) {
            LLVMFCmp => found.push(value),
            LLVMZExt | LLVMSExt | LLVMTrunc | LLVMAnd | LLVMOr | LLVMXor | LLVMICmp
            | LLVMSelect | LLVMFreeze => open.extend(ir::operands(value)),
            _ => {}
        }
    }
    found
}
