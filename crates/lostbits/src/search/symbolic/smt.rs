//! A goal as a question in SMT-LIB 2 (bit vectors and floating point), which any solver can read.
//!
//! Symbolic inputs are bit vectors of their format, within their ranges; the nodes that lead to the goal
//! and to what must stay are definitions in the order of execution. Inputs that are not symbolic have the values
//! of the call. Operations that the theory lacks (`exp`) pin their operands to the values of the recorded run.
//!
//! `unsat` proves that a goal cannot be reached only where nothing was left out; [`Question::is_whole`].

use std::{collections::HashMap, fmt::Write};

use lostbits_abi::{kind::FpKind, ops::Op, symbolic::Entry};

use super::{
    checks::{Thresholds, Verdict},
    graph::{Graph, Node},
    machine::result_kind,
};
use crate::search::space::Space;

/// What must hold of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    Verdict(u32, Verdict),
    /// A comparison gives this.
    Decision(u32, bool),
    /// What was pinned stays as it was.
    Pin(u32),
}

impl Demand {
    fn node(self) -> u32 {
        match self {
            Demand::Verdict(node, _) | Demand::Decision(node, _) | Demand::Pin(node) => node,
        }
    }
}

pub struct Question {
    pub text: String,
    /// Names of the symbolic inputs, by their number.
    pub inputs: Vec<usize>,
    /// Whether every input that the goal depends on is symbolic, and every operation is modelled exactly.
    pub is_whole: bool,
}

pub struct Asker<'a> {
    pub graph: &'a Graph,
    pub space: &'a Space,
    pub thresholds: Thresholds,
}

/// The formats that questions use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Single,
    Double,
}

impl Format {
    fn of(kind: FpKind) -> Option<Format> {
        match kind {
            FpKind::Float => Some(Format::Single),
            FpKind::Double => Some(Format::Double),
            FpKind::Half | FpKind::BFloat | FpKind::X87 => None,
        }
    }

    fn sort(self) -> &'static str {
        match self {
            Format::Single => "(_ FloatingPoint 8 24)",
            Format::Double => "(_ FloatingPoint 11 53)",
        }
    }

    fn from(self) -> &'static str {
        match self {
            Format::Single => "(_ to_fp 8 24)",
            Format::Double => "(_ to_fp 11 53)",
        }
    }

    fn bits(self) -> u32 {
        match self {
            Format::Single => 32,
            Format::Double => 64,
        }
    }

    fn constant(self, value: f64) -> String {
        match self {
            Format::Single => format!("({} #x{:08x})", self.from(), (value as f32).to_bits()),
            Format::Double => format!("({} #x{:016x})", self.from(), value.to_bits()),
        }
    }
}

struct Writer<'a> {
    asker: &'a Asker<'a>,
    text: String,
    /// Nodes that are not constant, with their formats.
    defined: HashMap<u32, Format>,
    /// Nodes whose bits have a name.
    opened: HashMap<String, String>,
    symbolic: &'a [usize],
    used: Vec<usize>,
    is_whole: bool,
}

impl Asker<'_> {
    /// None where a goal does not depend on the symbolic inputs, or uses a format that solvers lack.
    pub fn question(&self, demands: &[Demand], symbolic: &[usize]) -> Option<Question> {
        let mut roots: Vec<u32> = demands.iter().map(|demand| demand.node()).collect();
        roots.sort_unstable();
        let last = *roots.last()?;
        let leads = self.graph.sources(roots);
        let mut writer = Writer {
            asker: self,
            text: "(set-option :produce-models true)\n(set-logic QF_BVFP)\n".to_owned(),
            defined: HashMap::new(),
            opened: HashMap::new(),
            symbolic,
            used: Vec::new(),
            is_whole: true,
        };
        for (number, node) in self.graph.nodes().take(last as usize) {
            if leads[number as usize] {
                writer.define(number, node)?;
            }
        }
        for demand in demands {
            writer.demand(*demand)?;
        }
        if writer.used.is_empty() {
            return None;
        }
        let names: Vec<String> = writer.used.iter().map(|at| input_name(*at)).collect();
        let _ = writeln!(
            writer.text,
            "(check-sat)\n(get-value ({}))",
            names.join(" ")
        );
        Some(Question {
            text: writer.text,
            inputs: writer.used,
            is_whole: writer.is_whole,
        })
    }

    /// The value of an input from the bits that a solver found.
    pub fn value(&self, input: usize, bits: u64) -> f64 {
        match self.space.axes[input].kind {
            FpKind::Float => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        }
    }
}

pub fn input_name(input: usize) -> String {
    format!("x{input}")
}

impl Writer<'_> {
    fn line(&mut self, line: std::fmt::Arguments) {
        let _ = writeln!(self.text, "{line}");
    }

    fn define(&mut self, number: u32, node: &Node) -> Option<()> {
        match node.entry {
            Entry::Input => self.input(number, node.detail as usize, node.kind),
            Entry::Operation => self.operation(number, node),
            Entry::Comparison | Entry::Pin | Entry::Output => Some(()),
        }
    }

    /// The variable may be wider than the numbers that are searched.
    fn input(&mut self, number: u32, at: usize, kind: FpKind) -> Option<()> {
        let format = Format::of(kind)?;
        if !self.symbolic.contains(&at) {
            self.is_whole = false;
            return Some(());
        }
        let axis = &self.asker.space.axes[at];
        let own = Format::of(axis.kind)?;
        let (low, high) = (axis.value(axis.low), axis.value(axis.high));
        let name = input_name(at);
        let (sort, from) = (own.sort(), own.from());
        if !self.used.contains(&at) {
            self.used.push(at);
            self.line(format_args!(
                "(declare-const {name} (_ BitVec {}))",
                own.bits()
            ));
            self.line(format_args!("(define-fun v{at} () {sort} ({from} {name}))"));
            let (low, high) = (own.constant(low), own.constant(high));
            self.line(format_args!("(assert (fp.leq {low} v{at}))"));
            self.line(format_args!("(assert (fp.leq v{at} {high}))"));
        }
        let value = converted(&format!("v{at}"), own, format);
        self.line(format_args!(
            "(define-fun n{number} () {} {value})",
            format.sort()
        ));
        self.defined.insert(number, format);
        Some(())
    }

    /// An operand, converted to a format.
    fn operand(&self, node: &Node, at: usize, format: Format) -> String {
        match self.defined.get(&node.operands[at]) {
            Some(own) => converted(&format!("n{}", node.operands[at]), *own, format),
            None => format.constant(node.values[at]),
        }
    }

    fn is_constant(&self, node: &Node) -> bool {
        let is_defined = |operand: &u32| self.defined.contains_key(operand);
        !node.operands.iter().any(is_defined)
    }

    fn operation(&mut self, number: u32, node: &Node) -> Option<()> {
        if self.is_constant(node) {
            return Some(());
        }
        let format = Format::of(node.kind)?;
        let result = Format::of(result_kind(node))?;
        let Some((name, count)) = theory(node.op) else {
            return self.pin(node);
        };
        let operands: Vec<String> = (0..count)
            .map(|at| self.operand(node, at, format))
            .collect();
        let value = match name {
            "" => operands[0].clone(),
            _ => format!("({name} {})", operands.join(" ")),
        };
        let value = converted(&value, format, result);
        self.line(format_args!(
            "(define-fun n{number} () {} {value})",
            result.sort()
        ));
        self.defined.insert(number, result);
        Some(())
    }

    /// The operands keep their values.
    fn pin(&mut self, node: &Node) -> Option<()> {
        self.is_whole = false;
        for (operand, value) in node.operands.into_iter().zip(node.values) {
            if let Some(format) = self.defined.get(&operand) {
                let value = format.constant(value);
                self.line(format_args!("(assert (= n{operand} {value}))"));
            }
        }
        Some(())
    }

    fn demand(&mut self, demand: Demand) -> Option<()> {
        let node = *self.asker.graph.node(demand.node());
        match demand {
            Demand::Verdict(number, verdict) => self.verdict(number, &node, verdict)?,
            Demand::Decision(_, outcome) => self.decision(&node, outcome)?,
            Demand::Pin(_) if matches!(node.op, Op::ToSigned | Op::ToUnsigned) => {
                self.is_whole = false;
                if !self.is_constant(&node) {
                    let x = self.operand(&node, 0, Format::Double);
                    let whole = Format::Double.constant(node.result);
                    self.line(format_args!(
                        "(assert (fp.eq (fp.roundToIntegral RTZ {x}) {whole}))"
                    ));
                }
            }
            Demand::Pin(_) => self.pin(&node)?,
        }
        Some(())
    }

    fn decision(&mut self, node: &Node, outcome: bool) -> Option<()> {
        let format = Format::of(node.kind)?;
        if self.is_constant(node) {
            return Some(());
        }
        let [x, y] = [0, 1].map(|at| self.operand(node, at, format));
        // LLVM's predicates are sets of: equal, greater, less, unordered.
        let parts = [
            format!("(fp.eq {x} {y})"),
            format!("(fp.gt {x} {y})"),
            format!("(fp.lt {x} {y})"),
            format!("(or (fp.isNaN {x}) (fp.isNaN {y}))"),
        ];
        let chosen = (0..4).filter(|bit| node.detail >> bit & 1 == 1);
        let chosen: Vec<&str> = chosen.map(|bit| parts[bit].as_str()).collect();
        let holds = format!("(or false {})", chosen.join(" "));
        match outcome {
            true => self.line(format_args!("(assert {holds})")),
            false => self.line(format_args!("(assert (not {holds}))")),
        }
        Some(())
    }

    fn verdict(&mut self, number: u32, node: &Node, verdict: Verdict) -> Option<()> {
        let format = Format::of(node.kind)?;
        let (x, y) = match node.op {
            Op::Fma | Op::MulAdd => {
                let [x, y, z] = [0, 1, 2].map(|at| self.operand(node, at, format));
                (format!("(fp.mul RNE {x} {y})"), z)
            }
            _ => (self.operand(node, 0, format), self.operand(node, 1, format)),
        };
        let result = match self.defined.get(&number) {
            Some(format) => converted(&format!("n{number}"), *format, Format::Double),
            None => Format::Double.constant(node.result),
        };
        let [x, y] = [x, y].map(|term| converted(&term, format, Format::Double));
        let [a, b, r] = [x, y, result].map(|term| self.exponent(term));
        let Thresholds { loss, cancel } = self.asker.thresholds;
        let lost = format!(
            "(or (bvsge (bvsub {a} {b}) #x{loss:04x}) (bvsge (bvsub {b} {a}) #x{loss:04x}))"
        );
        let larger = format!("(ite (bvsge {a} {b}) {a} {b})");
        let cancelled = format!("(bvsge (bvsub {larger} {r}) #x{cancel:04x})");
        match verdict {
            Verdict::Loss => self.line(format_args!("(assert {lost})")),
            Verdict::Cancel => {
                self.line(format_args!("(assert (and (not {lost}) {cancelled}))"));
            }
            Verdict::Accurate => {
                self.line(format_args!("(assert (not (or {lost} {cancelled})))"));
            }
        }
        Some(())
    }

    /// The exponent field of a double, as 16 bits.
    fn exponent(&mut self, term: String) -> String {
        if let Some(known) = self.opened.get(&term) {
            return known.clone();
        }
        let count = self.opened.len();
        let name = format!("e{count}");
        self.line(format_args!("(declare-const b{count} (_ BitVec 64))"));
        self.line(format_args!(
            "(assert (= {term} ((_ to_fp 11 53) b{count})))"
        ));
        self.line(format_args!(
            "(define-fun {name} () (_ BitVec 16) ((_ zero_extend 5) ((_ extract 62 52) b{count})))"
        ));
        self.opened.insert(term, name.clone());
        name
    }
}

/// What the theory calls an operation (with its rounding), and how many operands it takes.
fn theory(op: Op) -> Option<(&'static str, usize)> {
    use Op::*;
    Some(match op {
        Add => ("fp.add RNE", 2),
        Sub => ("fp.sub RNE", 2),
        Mul => ("fp.mul RNE", 2),
        Div => ("fp.div RNE", 2),
        Fma => ("fp.fma RNE", 3),
        Sqrt => ("fp.sqrt RNE", 1),
        Neg => ("fp.neg", 1),
        Abs => ("fp.abs", 1),
        Remainder => ("fp.rem", 2),
        Fmin | Minimum | MinimumNum => ("fp.min", 2),
        Fmax | Maximum | MaximumNum => ("fp.max", 2),
        Floor => ("fp.roundToIntegral RTN", 1),
        Ceil => ("fp.roundToIntegral RTP", 1),
        Trunc => ("fp.roundToIntegral RTZ", 1),
        Round => ("fp.roundToIntegral RNA", 1),
        RoundEven | Rint | Nearbyint => ("fp.roundToIntegral RNE", 1),
        Extend | Truncate | Canonicalize => ("", 1),
        _ => return None,
    })
}

fn converted(term: &str, from: Format, to: Format) -> String {
    match from == to {
        true => term.to_owned(),
        false => format!("({} RNE {term})", to.from()),
    }
}
