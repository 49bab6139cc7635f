//! A thin, safe-looking surface over LLVM's C API: only what the pass uses.
//!
//! Values, types and blocks are plain pointers owned by the module that is being compiled; they stay
//! valid while the pass runs, because the pass erases no instruction it still holds. That is the one
//! invariant all `unsafe` blocks here rely on.

mod attributes;
mod location;
mod looking;

use std::ffi::CString;

pub use llvm_sys::{
    LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate,
    LLVMTypeKind as TypeKind,
};
use llvm_sys::{core::*, prelude::*, target::*};

pub use self::{attributes::*, location::*, looking::*};

pub type Value = LLVMValueRef;
pub type Type = LLVMTypeRef;
pub type Block = LLVMBasicBlockRef;
pub type Module = LLVMModuleRef;

unsafe extern "C" {
    fn lostbits_split_edge(from: Block, to: Block) -> Block;
    fn lostbits_move_before(moved: Value, before: Value);
    fn lostbits_may_write(instruction: Value) -> bool;
    fn lostbits_is_plain_load(instruction: Value) -> bool;
    fn lostbits_unlikely_block(condition: Value, before: Value) -> Value;
    fn lostbits_unlikely_blocks(condition: Value, before: Value, otherwise: *mut Value) -> Value;
    fn lostbits_keep(function: Value);
    fn lostbits_add_constructor(module: Module, constructor: Value, destructor: Value);
}

// ---- walking ----

/// A list of LLVM's, first to last.
fn chain<T>(first: *mut T, next: unsafe extern "C" fn(*mut T) -> *mut T) -> Vec<*mut T> {
    let mut all = Vec::new();
    let mut at = first;
    while !at.is_null() {
        all.push(at);
        at = unsafe { next(at) };
    }
    all
}

pub fn functions(module: Module) -> Vec<Value> {
    chain(unsafe { LLVMGetFirstFunction(module) }, LLVMGetNextFunction)
}

pub fn blocks(function: Value) -> Vec<Block> {
    chain(
        unsafe { LLVMGetFirstBasicBlock(function) },
        LLVMGetNextBasicBlock,
    )
}

pub fn instructions(block: Block) -> Vec<Value> {
    chain(
        unsafe { LLVMGetFirstInstruction(block) },
        LLVMGetNextInstruction,
    )
}

pub fn entry(function: Value) -> Block {
    unsafe { LLVMGetEntryBasicBlock(function) }
}

pub fn terminator(block: Block) -> Value {
    unsafe { LLVMGetBasicBlockTerminator(block) }
}

pub fn successors(block: Block) -> Vec<Block> {
    let last = terminator(block);
    if last.is_null() {
        return Vec::new();
    }
    (0..unsafe { LLVMGetNumSuccessors(last) })
        .map(|index| unsafe { LLVMGetSuccessor(last, index) })
        .collect()
}

pub fn predecessors(block: Block) -> Vec<Block> {
    let function = unsafe { LLVMGetBasicBlockParent(block) };
    let leads_here = |from: &Block| successors(*from).contains(&block);
    blocks(function).into_iter().filter(leads_here).collect()
}

/// Reachable blocks, each after all blocks that dominate it.
pub fn reverse_postorder(function: Value) -> Vec<Block> {
    let mut order = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut stack = vec![(entry(function), 0)];
    seen.insert(entry(function));
    while let Some((block, next)) = stack.pop() {
        match successors(block).get(next) {
            Some(successor) => {
                stack.push((block, next + 1));
                if seen.insert(*successor) {
                    stack.push((*successor, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

pub fn parent_block(instruction: Value) -> Block {
    unsafe { LLVMGetInstructionParent(instruction) }
}

pub fn parent_function(instruction: Value) -> Value {
    unsafe { LLVMGetBasicBlockParent(parent_block(instruction)) }
}

pub fn next(instruction: Value) -> Value {
    unsafe { LLVMGetNextInstruction(instruction) }
}

/// The first instruction of a block that is neither a phi nor an exception pad.
pub fn first_insertion_point(block: Block) -> Value {
    let mut at = unsafe { LLVMGetFirstInstruction(block) };
    while is_phi(at) || opcode(at) == Opcode::LLVMLandingPad {
        at = next(at);
    }
    at
}

/// The first place in `block` that comes after `definition`, if that is in it.
pub fn first_free_point(block: Block, definition: Value) -> Value {
    let defined_here = is_instruction(definition) && parent_block(definition) == block;
    if defined_here {
        next(definition)
    } else {
        first_insertion_point(block)
    }
}

/// Puts `replacement` in the place of `instruction`, which is erased.
pub fn replace(instruction: Value, replacement: Value) {
    unsafe {
        LLVMReplaceAllUsesWith(instruction, replacement);
        LLVMInstructionEraseFromParent(instruction);
    }
}

pub fn erase(instruction: Value) {
    unsafe { LLVMInstructionEraseFromParent(instruction) }
}

pub fn uses(value: Value) -> Vec<Value> {
    chain(unsafe { LLVMGetFirstUse(value) }, LLVMGetNextUse)
        .into_iter()
        .map(|at| unsafe { LLVMGetUser(at) })
        .collect()
}

pub fn has_one_use(value: Value) -> bool {
    unsafe {
        let first = LLVMGetFirstUse(value);
        !first.is_null() && LLVMGetNextUse(first).is_null()
    }
}

pub fn move_before(moved: Value, before: Value) {
    unsafe { lostbits_move_before(moved, before) }
}

pub fn may_write(instruction: Value) -> bool {
    unsafe { lostbits_may_write(instruction) }
}

/// A load that is neither volatile nor atomic.
pub fn is_plain_load(instruction: Value) -> bool {
    unsafe { lostbits_is_plain_load(instruction) }
}

pub fn split_edge(from: Block, to: Block) -> Block {
    unsafe { lostbits_split_edge(from, to) }
}

/// Splits before `before`; gives the terminator of a new block that runs, rarely, if `condition`.
pub fn unlikely_block(condition: Value, before: Value) -> Value {
    unsafe { lostbits_unlikely_block(condition, before) }
}

/// The same, and the terminator of the block that runs if not.
pub fn unlikely_blocks(condition: Value, before: Value) -> (Value, Value) {
    let mut otherwise = std::ptr::null_mut();
    let unlikely = unsafe { lostbits_unlikely_blocks(condition, before, &mut otherwise) };
    (unlikely, otherwise)
}

/// The function is neither inlined nor given other arguments.
pub fn keep(function: Value) {
    unsafe { lostbits_keep(function) }
}

pub fn add_constructor(module: Module, constructor: Value, destructor: Value) {
    unsafe { lostbits_add_constructor(module, constructor, destructor) }
}

// ---- data layout ----

/// Sizes and offsets as the target lays them out.
#[derive(Clone, Copy)]
pub struct Layout(LLVMTargetDataRef);

impl Layout {
    pub fn of(module: Module) -> Layout {
        Layout(unsafe { LLVMGetModuleDataLayout(module) })
    }

    /// Bytes from one array element to the next.
    pub fn stride(self, ty: Type) -> u64 {
        unsafe { LLVMABISizeOfType(self.0, ty) }
    }

    pub fn bits(self, ty: Type) -> u64 {
        unsafe { LLVMSizeOfTypeInBits(self.0, ty) }
    }

    pub fn offset(self, structure: Type, element: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.0, structure, element) }
    }
}

// ---- making ----

pub fn has_global(module: Module, name: &str) -> bool {
    unsafe { !LLVMGetNamedGlobal(module, c_string(name).as_ptr()).is_null() }
}

pub fn set_initialiser(global: Value, value: Value) {
    unsafe { LLVMSetInitializer(global, value) }
}

/// Puts one global where another was used, which goes away.
pub fn replace_global(global: Value, replacement: Value) {
    unsafe {
        LLVMReplaceAllUsesWith(global, replacement);
        LLVMDeleteGlobal(global);
    }
}

pub fn set_constant(global: Value) {
    unsafe { LLVMSetGlobalConstant(global, 1) }
}

pub fn set_section(global: Value, section: &str) {
    unsafe { LLVMSetSection(global, c_string(section).as_ptr()) }
}

pub fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("no NUL is left")
}
