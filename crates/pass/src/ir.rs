//! A safe surface over LLVM's C API: only what the pass uses.
//!
//! [`handle`] keeps kinds of handles apart, [`api`] declares LLVM's functions and states why calling them is sound.
//! Functions here that need a certain kind of value check it and panic if it is another.

pub mod api;
mod attributes;
mod handle;
mod queries;
mod source_location;

use std::ffi::CString;

pub use llvm_sys::{
    LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate,
    LLVMTypeKind as TypeKind,
};

use self::api::*;
use self::handle::TargetData;
pub use self::{
    attributes::*,
    handle::{Block, Context, Function, Module, RawBuilder, Type, Value},
    queries::*,
    source_location::*,
};

/// How a function is called.
#[derive(Clone, Copy)]
pub enum CallConvention {
    C = 0,
    /// All general registers are the caller's.
    PreserveMost = 14,
    /// All registers are the caller's.
    PreserveAll = 15,
}

// ---- walking ----

/// A list of LLVM's, first to last.
fn list<T: Copy>(first: Option<T>, next: impl Fn(T) -> Option<T>) -> Vec<T> {
    std::iter::successors(first, |at| next(*at)).collect()
}

/// The name of the file or compilation unit that a module comes from.
pub fn module_name(module: Module) -> String {
    let mut length = 0;
    // SAFETY: LLVM returns the start of a name of that length, which lives as long as the module is not renamed.
    let bytes = unsafe {
        let text = LLVMGetModuleIdentifier(module, &mut length);
        std::slice::from_raw_parts(text.cast(), length)
    };
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn functions(module: Module) -> Vec<Function> {
    list(LLVMGetFirstFunction(module), |at| LLVMGetNextFunction(at))
}

/// The module's variables.
pub fn globals(module: Module) -> Vec<Value> {
    list(LLVMGetFirstGlobal(module), |at| LLVMGetNextGlobal(at))
}

/// Other names under which code of other modules may call a function: clang emits one body for the two symbols of a
/// constructor (`C1` for whole objects, `C2` for bases).
pub fn exported_aliases(module: Module, function: Function) -> Vec<String> {
    list(LLVMGetFirstGlobalAlias(module), |at| {
        LLVMGetNextGlobalAlias(at)
    })
    .into_iter()
    .filter(|alias| !is_local(*alias) && aliased_function(*alias) == Some(function))
    .map(name)
    .collect()
}

/// What an alias, or an alias of an alias, stands for.
fn aliased_function(alias: Value) -> Option<Function> {
    let mut target = alias;
    while let Some(alias) = LLVMIsAGlobalAlias(target) {
        target = LLVMAliasGetAliasee(alias);
    }
    as_function(target)
}

pub fn blocks(function: Function) -> Vec<Block> {
    list(LLVMGetFirstBasicBlock(function), |at| {
        LLVMGetNextBasicBlock(at)
    })
}

pub fn instructions(block: Block) -> Vec<Value> {
    list(LLVMGetFirstInstruction(block), |at| {
        LLVMGetNextInstruction(at)
    })
}

/// All instructions of a function, in the order of its blocks.
pub fn all_instructions(function: Function) -> Vec<Value> {
    blocks(function)
        .into_iter()
        .flat_map(instructions)
        .collect()
}

pub fn entry(function: Function) -> Block {
    LLVMGetEntryBasicBlock(function)
}

pub fn terminator(block: Block) -> Value {
    LLVMGetBasicBlockTerminator(block).expect("blocks of a finished function have terminators")
}

pub fn successors(block: Block) -> Vec<Block> {
    let Some(last) = LLVMGetBasicBlockTerminator(block) else {
        return Vec::new();
    };
    (0..LLVMGetNumSuccessors(last))
        .map(|index| LLVMGetSuccessor(last, index))
        .collect()
}

pub fn predecessors(block: Block) -> Vec<Block> {
    let leads_here = |from: &Block| successors(*from).contains(&block);
    let all = blocks(LLVMGetBasicBlockParent(block));
    all.into_iter().filter(leads_here).collect()
}

/// Reachable blocks, each after all blocks that dominate it.
pub fn reverse_postorder(function: Function) -> Vec<Block> {
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
    LLVMGetInstructionParent(checked(instruction))
}

pub fn parent_function(instruction: Value) -> Function {
    LLVMGetBasicBlockParent(parent_block(instruction))
}

/// The instruction after one that is not the last of its block.
pub fn next(instruction: Value) -> Value {
    next_in_block(instruction).expect("only a terminator is last")
}

pub fn next_in_block(instruction: Value) -> Option<Value> {
    LLVMGetNextInstruction(checked(instruction))
}

pub fn first_instruction(block: Block) -> Value {
    LLVMGetFirstInstruction(block).expect("blocks of a finished function are not empty")
}

/// The first instruction of a block that is neither a phi nor an exception pad.
pub fn first_insertion_point(block: Block) -> Value {
    let mut at = first_instruction(block);
    while is_phi(at) || opcode(at) == Opcode::LLVMLandingPad {
        at = next(at);
    }
    at
}

/// The first position in `block` after `definition`, if that is in the block.
pub fn first_free_point(block: Block, definition: Value) -> Value {
    match is_instruction(definition) && parent_block(definition) == block {
        true => next(definition),
        false => first_insertion_point(block),
    }
}

/// Uses `replacement` instead of `instruction`, which is erased.
pub fn replace(instruction: Value, replacement: Value) {
    LLVMReplaceAllUsesWith(instruction, replacement);
    erase(instruction);
}

pub fn erase(instruction: Value) {
    LLVMInstructionEraseFromParent(checked(instruction));
}

/// The instructions and constants that use a value, once for each use.
pub fn uses(value: Value) -> Vec<Value> {
    list(LLVMGetFirstUse(value), |at| LLVMGetNextUse(at))
        .into_iter()
        .map(|at| LLVMGetUser(at))
        .collect()
}

pub fn has_one_use(value: Value) -> bool {
    LLVMGetFirstUse(value).is_some_and(|first| LLVMGetNextUse(first).is_none())
}

pub fn move_before(moved: Value, before: Value) {
    lostbits_move_before(checked(moved), checked(before));
}

/// What a debugger would know of where variables of the source are.
pub fn remove_variable_locations(function: Function) {
    lostbits_remove_variable_locations(function);
}

pub fn may_write(instruction: Value) -> bool {
    lostbits_may_write(checked(instruction))
}

/// A load that is neither volatile nor atomic.
pub fn is_plain_load(instruction: Value) -> bool {
    lostbits_is_plain_load(instruction)
}

pub fn split_edge(from: Block, to: Block) -> Block {
    lostbits_split_edge(from, to)
}

/// Splits before `before`; returns the terminator of a new block that runs, rarely, if `condition`.
pub fn unlikely_block(condition: Value, before: Value) -> Value {
    lostbits_unlikely_block(condition, checked(before))
}

/// The same, and the terminator of the block that runs otherwise.
pub fn unlikely_blocks(condition: Value, before: Value) -> (Value, Value) {
    let mut otherwise = None;
    // SAFETY: the shim writes one handle to the variable.
    let unlikely = unsafe { lostbits_unlikely_blocks(condition, checked(before), &mut otherwise) };
    (unlikely, otherwise.expect("the shim writes it"))
}

/// In code for position-independent executables, a variable is addressed without the global offset table, as clang does with
/// variables of other files.
pub fn reach_directly_from_executable(global: Value) {
    lostbits_reach_directly(global);
}

/// The function is neither inlined nor given other arguments.
pub fn keep(function: Function) {
    lostbits_keep(function);
}

pub fn add_constructor(module: Module, constructor: Function, destructor: Function) {
    lostbits_add_constructor(module, constructor, destructor);
}

/// Expands atomic sums of numbers into loops of exchanges.
pub fn expand_atomics(function: Function) {
    lostbits_expand_atomics(function);
}

/// The function that waits for the lock of atomic variables, or that releases it.
pub fn atomic_guard(module: Module, enters: bool) -> Function {
    lostbits_atomic_guard(module, enters)
}

/// Gives operations at one source location different discriminators; runs before the optimiser.
pub fn assign_discriminators(module: Module) {
    lostbits_assign_discriminators(module);
}

/// Whether the width of vectors could change what a module computes.
pub fn depends_on_vectors(module: Module) -> bool {
    lostbits_depends_on_vectors(module)
}

// ---- data layout ----

/// Sizes and offsets as the target lays them out.
#[derive(Clone, Copy)]
pub struct Layout(TargetData);

impl Layout {
    pub fn of(module: Module) -> Layout {
        Layout(LLVMGetModuleDataLayout(module))
    }

    /// Bytes from one array element to the next.
    pub fn stride(self, ty: Type) -> u64 {
        LLVMABISizeOfType(self.0, ty)
    }

    pub fn bits(self, ty: Type) -> u64 {
        LLVMSizeOfTypeInBits(self.0, ty)
    }

    pub fn offset(self, structure: Type, element: u32) -> u64 {
        LLVMOffsetOfElement(self.0, structure, element)
    }
}

/// Whether the module has a flag of this name, such as "PIE Level".
pub fn has_flag(module: Module, name: &str) -> bool {
    // SAFETY: pointer and length are those of the name.
    unsafe { !LLVMGetModuleFlag(module, name.as_ptr().cast(), name.len()).is_null() }
}

// ---- variables ----

pub fn has_global(module: Module, name: &str) -> bool {
    named_global(module, name).is_some()
}

pub fn named_global(module: Module, name: &str) -> Option<Value> {
    let name = c_string(name);
    // SAFETY: the name is a C string that outlives the call.
    unsafe { LLVMGetNamedGlobal(module, name.as_ptr()) }
}

/// Lets a function of this name stand wherever the address of `function` is used; none if it is only called.
pub fn wrap_address(function: Function, name: &str) -> Option<Function> {
    let name = c_string(name);
    // SAFETY: the name is a C string that outlives the call.
    unsafe { lostbits_wrap_address(function, name.as_ptr()) }
}

/// The module's comparison for sorts of the C library's, which asks `ask` for the program's own.
pub fn comparison(module: Module, ask: Function, variable: Value, has_context: bool) -> Function {
    lostbits_comparison(module, ask, variable, has_context)
}

pub fn named_function(module: Module, name: &str) -> Option<Function> {
    let name = c_string(name);
    // SAFETY: as above.
    unsafe { LLVMGetNamedFunction(module, name.as_ptr()) }
}

pub fn set_initialiser(global: Value, value: Value) {
    LLVMSetInitializer(variable(global), value);
}

/// Uses `replacement` instead of `global`, which is deleted.
pub fn replace_global(global: Value, replacement: Value) {
    LLVMReplaceAllUsesWith(global, replacement);
    LLVMDeleteGlobal(variable(global));
}

/// Deletes a function that nothing uses.
pub fn delete_function(function: Function) {
    LLVMDeleteFunction(function);
}

/// The optimiser may not rely on a variable's initial value.
pub fn set_externally_initialised(global: Value) {
    LLVMSetExternallyInitialized(variable(global), 1);
}

pub fn set_constant(global: Value) {
    LLVMSetGlobalConstant(variable(global), 1);
}

pub fn set_section(global: Value, section: &str) {
    let section = c_string(section);
    // SAFETY: the name is a C string that outlives the call.
    unsafe { LLVMSetSection(variable(global), section.as_ptr()) }
}

pub fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("no NUL is left")
}

/// Sets an option of LLVM's own, for the rest of the process.
pub fn set_option(option: &std::ffi::CStr) {
    let words = [c"lostbits".as_ptr(), option.as_ptr()];
    // SAFETY: two words that end in zero, and no overview; LLVM copies what it keeps.
    unsafe { LLVMParseCommandLineOptions(2, words.as_ptr(), std::ptr::null()) };
}
