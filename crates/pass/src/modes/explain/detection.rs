//! A pass that only detects: is every output and decision surely right? Only if not, a second program explains.
//!
//! Most programs that people check are right, and an answer needs no causes then. With [`DETECT_ENV`] values have a residue and its
//! bound, computed by the same rules and judged by the same code, but no meta word: no trace, no influences, no events
//! for operations, no interventions. So nothing branches in a loop but what decides, and two planes of memory are enough.
//!
//! What in mode `explain` only an event settles is *unsure* here, and the tool runs the explaining program: a precision-specific
//! operation, an output that is consistent with 0, a value that is infinite or NaN and was computed, and any
//! result that underflowed ([`note_product`]). An infinite or NaN result makes its residue infinite or NaN, and arithmetic keeps
//! that, so the first output or decision that depends on it is unsure.
//!
//! With [`MEASURE_ENV`] the program is the same, but operations can leave out errors ([`super::intervening`]): the runs of an error budget
//! need nothing else. They compare errors and judge nothing, so underflows are not asked for.

use std::sync::OnceLock;

use lostbits_abi::{
    explain::{DETECT_ENV, MEASURE_ENV, TINY},
    functions,
    ops::Op,
};

use super::{
    arithmetic::{Arithmetic, Known},
    confirmation,
};
use crate::{
    builder::{self, Builder},
    carry::{FunctionInstrumenter, LeafShadow, Operation},
    ir::{self, Block, RealPredicate, Type, Value},
};

/// Whether shadows have no meta words.
pub fn is_active() -> bool {
    static ACTIVE: OnceLock<bool> = OnceLock::new();
    let is_set = || std::env::var_os(DETECT_ENV).is_some();
    *ACTIVE.get_or_init(|| is_set() || allows_interventions())
}

/// Whether they have none and runs can intervene all the same.
pub fn allows_interventions() -> bool {
    static ALLOWED: OnceLock<bool> = OnceLock::new();
    *ALLOWED.get_or_init(|| std::env::var_os(MEASURE_ENV).is_some())
}

/// The products and quotients of a function that may underflow.
#[derive(Default)]
struct Products {
    groups: Vec<Group>,
}

/// Products that are checked together: no call is between them, so all or none are executed.
struct Group {
    block: Block,
    /// The magnitude of the last product.
    last: Value,
    /// The smallest magnitude so far, by type.
    least: Vec<(Type, Value)>,
    products: Vec<(Op, Known, Vec<Known>)>,
}

/// The shadow of a result; `factors` are operands whose product or quotient may underflow.
pub fn result(
    cx: &mut FunctionInstrumenter,
    operation: &Operation,
    known: Known,
    factors: Option<Vec<Known>>,
) -> LeafShadow {
    if let Some(factors) = factors.filter(|_| !allows_interventions()) {
        note_product(cx, operation, &known, factors);
    }
    let known = confirmation::perturbed(cx.builder, known);
    vec![known.residue, known.bound]
}

/// Residues cannot hold what an underflow lost. One comparison for many products asks whether one is small; a product with a factor
/// that is surely zero is not.
fn note_product(
    cx: &mut FunctionInstrumenter,
    operation: &Operation,
    known: &Known,
    factors: Vec<Known>,
) {
    let b = cx.builder;
    let block = b.insert_block();
    let size = b.magnitude(known.value);
    let groups = &mut cx.extension::<Products>().groups;
    let continues = groups
        .last()
        .is_some_and(|group| group.block == block && !is_call_between(group.last, size));
    if !continues {
        groups.push(Group {
            block,
            last: size,
            least: Vec::new(),
            products: Vec::new(),
        });
    }
    let group = groups.last_mut().expect("pushed where there was none");
    group.last = size;
    let ty = ir::type_of(size);
    match group.least.iter_mut().find(|(of, _)| *of == ty) {
        None => group.least.push((ty, size)),
        Some((_, least)) => {
            let is_less = b.compare_reals(RealPredicate::LLVMRealOLT, size, *least);
            *least = b.select(is_less, size, *least);
        }
    }
    group.products.push((operation.op, *known, factors));
}

/// Whether a call that may not return is between two instructions of a block.
fn is_call_between(first: Value, second: Value) -> bool {
    std::iter::successors(ir::next_in_block(first), |at| ir::next_in_block(*at))
        .take_while(|at| *at != second)
        .any(may_not_return)
}

fn may_not_return(instruction: Value) -> bool {
    ir::is_call(instruction)
        && ir::as_function(ir::callee(instruction))
            .is_none_or(|callee| ir::intrinsic_name(callee).is_none())
}

/// Asks after each group whether a product was small; all shadows exist.
pub fn check_products(cx: &mut FunctionInstrumenter) {
    for group in std::mem::take(&mut cx.extension::<Products>().groups) {
        check(cx, group);
    }
}

fn check(cx: &mut FunctionInstrumenter, group: Group) {
    let b = cx.builder;
    let terminator = ir::terminator(group.block);
    let end = std::iter::successors(ir::next_in_block(group.last), |at| ir::next_in_block(*at))
        .find(|at| *at == terminator || may_not_return(*at))
        .expect("blocks have terminators");
    b.before(end);
    let is_small = group.least.iter().map(|(ty, least)| {
        let tiny = builder::real(*ty, TINY);
        b.any_lane(b.compare_reals(RealPredicate::LLVMRealOLT, *least, tiny))
    });
    let is_small = is_small
        .reduce(|x, y| b.or(x, y))
        .expect("a group has a product");
    let products = group.products;
    cx.detour(is_small, Vec::new(), move |cx| {
        let b = cx.builder;
        let end = ir::terminator(b.insert_block());
        let is_lost = products.iter().map(|product| is_lost(b, product));
        let is_lost = is_lost
            .reduce(|x, y| b.or(x, y))
            .expect("a group has a product");
        b.before(ir::unlikely_block(b.freeze(is_lost), end));
        b.call_runtime(functions::EXPLAIN_UNDERFLOW, &[]);
        b.before(end);
        Vec::new()
    });
}

/// Whether a product is small in a lane, and not because of a zero.
fn is_lost(b: &Builder, (op, known, factors): &(Op, Known, Vec<Known>)) -> Value {
    let double = ir::type_of(known.bound);
    let tiny = builder::real(double, TINY);
    let size = b.magnitude(known.value);
    let small = b.compare_reals(RealPredicate::LLVMRealOLT, size, tiny);
    b.any_lane(Arithmetic::new(b, double, true).has_lost(*op, small, factors))
}
