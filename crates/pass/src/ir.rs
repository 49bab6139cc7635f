//! A thin, safe-looking surface over LLVM's C API: only what the pass uses.
//!
//! Values, types and blocks are plain pointers owned by the module that is being compiled; they stay
//! valid while the pass runs, because the pass erases no instruction it still holds. That is the one
//! invariant all `unsafe` blocks here rely on.

use std::ffi::{CString, c_char, c_uint};

pub use llvm_sys::{
    LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate,
    LLVMTypeKind as TypeKind,
};
use llvm_sys::{LLVMLinkage, core::*, prelude::*, target::*};

pub type Value = LLVMValueRef;
pub type Type = LLVMTypeRef;
pub type Block = LLVMBasicBlockRef;
pub type Module = LLVMModuleRef;

#[repr(C)]
struct SourceLocation {
    text: [*const u8; 3],
    lengths: [usize; 3],
    line: c_uint,
    column: c_uint,
}

unsafe extern "C" {
    fn lostbits_split_edge(from: Block, to: Block) -> Block;
    fn lostbits_unlikely_block(condition: Value, before: Value) -> Value;
    fn lostbits_keep(function: Value);
    fn lostbits_add_constructor(module: Module, constructor: Value, destructor: Value);
    fn lostbits_source_location(
        instruction: Value,
        own_code: bool,
        out: *mut SourceLocation,
    ) -> bool;
    fn lostbits_subprogram_location(function: Value, out: *mut SourceLocation) -> bool;
}

/// Where an instruction comes from, in the source.
pub struct Location {
    pub file: String,
    pub directory: String,
    pub function: String,
    pub line: u32,
    pub column: u32,
}

impl SourceLocation {
    fn read(fill: impl FnOnce(*mut SourceLocation) -> bool) -> Option<Location> {
        let mut raw = SourceLocation {
            text: [std::ptr::null(); 3],
            lengths: [0; 3],
            line: 0,
            column: 0,
        };
        if !fill(&mut raw) {
            return None;
        }
        let text = |index: usize| match raw.lengths[index] {
            0 => String::new(),
            // SAFETY: the shim points into strings of the module's metadata.
            length => unsafe {
                let bytes = std::slice::from_raw_parts(raw.text[index], length);
                String::from_utf8_lossy(bytes).into_owned()
            },
        };
        Some(Location {
            file: text(0),
            directory: text(1),
            function: text(2),
            line: raw.line,
            column: raw.column,
        })
    }
}

pub fn location(instruction: Value) -> Option<Location> {
    SourceLocation::read(|out| unsafe { lostbits_source_location(instruction, false, out) })
}

/// Where the program's own code is, if the instruction was inlined from a library.
pub fn own_location(instruction: Value) -> Option<Location> {
    SourceLocation::read(|out| unsafe { lostbits_source_location(instruction, true, out) })
}

pub fn function_location(function: Value) -> Option<Location> {
    SourceLocation::read(|out| unsafe { lostbits_subprogram_location(function, out) })
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

pub fn split_edge(from: Block, to: Block) -> Block {
    unsafe { lostbits_split_edge(from, to) }
}

/// Splits before `before`; gives the terminator of a new block that runs, rarely, if `condition`.
pub fn unlikely_block(condition: Value, before: Value) -> Value {
    unsafe { lostbits_unlikely_block(condition, before) }
}

/// The function is neither inlined nor given other arguments.
pub fn keep(function: Value) {
    unsafe { lostbits_keep(function) }
}

pub fn add_constructor(module: Module, constructor: Value, destructor: Value) {
    unsafe { lostbits_add_constructor(module, constructor, destructor) }
}

// ---- looking ----

pub fn opcode(instruction: Value) -> Opcode {
    unsafe { LLVMGetInstructionOpcode(instruction) }
}

pub fn type_of(value: Value) -> Type {
    unsafe { LLVMTypeOf(value) }
}

pub fn type_kind(ty: Type) -> TypeKind {
    unsafe { LLVMGetTypeKind(ty) }
}

pub fn operand(instruction: Value, index: u32) -> Value {
    unsafe { LLVMGetOperand(instruction, index) }
}

pub fn operands(instruction: Value) -> Vec<Value> {
    let count = unsafe { LLVMGetNumOperands(instruction) };
    (0..count.max(0) as u32)
        .map(|index| operand(instruction, index))
        .collect()
}

/// Puts `new` in the place of `old` wherever `user` uses it.
pub fn replace_operand(user: Value, old: Value, new: Value) {
    for (index, operand) in (0..).zip(operands(user)) {
        if operand == old {
            set_operand(user, index, new);
        }
    }
}

pub fn set_operand(instruction: Value, index: u32, value: Value) {
    unsafe { LLVMSetOperand(instruction, index, value) }
}

pub fn is_call(instruction: Value) -> bool {
    matches!(
        opcode(instruction),
        Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr
    )
}

pub fn is_null(value: Value) -> bool {
    unsafe { LLVMIsNull(value) != 0 }
}

/// A constant zero of either sign.
pub fn is_any_zero(value: Value) -> bool {
    unsafe {
        let mut inexact = 0;
        is_null(value)
            || (!LLVMIsAConstantFP(value).is_null()
                && LLVMConstRealGetDouble(value, &mut inexact) == 0.0)
    }
}

/// LLVM's number of a comparison's predicate: a bit for each relation that fulfils it.
pub fn comparison_predicate(comparison: Value) -> u32 {
    unsafe { LLVMGetFCmpPredicate(comparison) as u32 }
}

/// Of a comparison of integers.
pub fn integer_predicate(comparison: Value) -> IntPredicate {
    unsafe { LLVMGetICmpPredicate(comparison) }
}

/// Whether a comparison asks for the order or equality of numbers, not only whether they are numbers.
pub fn orders_numbers(comparison: Value) -> bool {
    use llvm_sys::LLVMRealPredicate::*;
    !matches!(
        unsafe { LLVMGetFCmpPredicate(comparison) },
        LLVMRealORD | LLVMRealUNO | LLVMRealPredicateTrue | LLVMRealPredicateFalse
    )
}

pub fn predicate(comparison: Value) -> RealPredicate {
    unsafe { LLVMGetFCmpPredicate(comparison) }
}

pub fn is_available_externally(function: Value) -> bool {
    unsafe { LLVMGetLinkage(function) == LLVMLinkage::LLVMAvailableExternallyLinkage }
}

pub fn is_phi(instruction: Value) -> bool {
    opcode(instruction) == Opcode::LLVMPHI
}

pub fn is_constant(value: Value) -> bool {
    unsafe { LLVMIsConstant(value) != 0 }
}

/// Undefined or poison.
pub fn is_undefined(value: Value) -> bool {
    unsafe { !LLVMIsAUndefValue(value).is_null() }
}

pub fn is_instruction(value: Value) -> bool {
    unsafe { !LLVMIsAInstruction(value).is_null() }
}

pub fn as_function(value: Value) -> Option<Value> {
    let function = unsafe { LLVMIsAFunction(value) };
    (!function.is_null()).then_some(function)
}

pub fn is_inline_assembly(value: Value) -> bool {
    unsafe { !LLVMIsAInlineAsm(value).is_null() }
}

pub fn is_declaration(function: Value) -> bool {
    unsafe { LLVMIsDeclaration(function) != 0 }
}

pub fn name(value: Value) -> String {
    let mut length = 0;
    unsafe {
        let text = LLVMGetValueName2(value, &mut length);
        String::from_utf8_lossy(std::slice::from_raw_parts(text.cast(), length)).into_owned()
    }
}

pub fn parameters(function: Value) -> Vec<Value> {
    (0..unsafe { LLVMCountParams(function) })
        .map(|index| unsafe { LLVMGetParam(function, index) })
        .collect()
}

pub fn function_type(function: Value) -> Type {
    unsafe { LLVMGlobalGetValueType(function) }
}

pub fn return_type(function_type: Type) -> Type {
    unsafe { LLVMGetReturnType(function_type) }
}

pub fn parameter_types(function_type: Type) -> Vec<Type> {
    unsafe {
        let mut types = vec![std::ptr::null_mut(); LLVMCountParamTypes(function_type) as usize];
        LLVMGetParamTypes(function_type, types.as_mut_ptr());
        types
    }
}

pub fn is_variadic(function_type: Type) -> bool {
    unsafe { LLVMIsFunctionVarArg(function_type) != 0 }
}

/// The name of an intrinsic without the suffix of its types, as `llvm.sqrt`.
pub fn intrinsic_name(function: Value) -> Option<&'static str> {
    unsafe {
        let id = LLVMGetIntrinsicID(function);
        if id == 0 {
            return None;
        }
        let mut length = 0;
        let text = LLVMIntrinsicGetName(id, &mut length);
        std::str::from_utf8(std::slice::from_raw_parts(text.cast(), length)).ok()
    }
}

pub fn arguments(call: Value) -> Vec<Value> {
    (0..unsafe { LLVMGetNumArgOperands(call) })
        .map(|index| operand(call, index))
        .collect()
}

pub fn callee(call: Value) -> Value {
    unsafe { LLVMGetCalledValue(call) }
}

pub fn called_function_type(call: Value) -> Type {
    unsafe { LLVMGetCalledFunctionType(call) }
}

/// Whether a call must be a tail call: nothing may stand between it and the return.
pub fn is_must_tail(call: Value) -> bool {
    opcode(call) == Opcode::LLVMCall
        && unsafe { LLVMGetTailCallKind(call) }
            == llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail
}

pub fn normal_destination(invoke: Value) -> Block {
    unsafe { LLVMGetNormalDest(invoke) }
}

pub fn incoming(phi: Value) -> Vec<(Value, Block)> {
    (0..unsafe { LLVMCountIncoming(phi) })
        .map(|index| unsafe {
            (
                LLVMGetIncomingValue(phi, index),
                LLVMGetIncomingBlock(phi, index),
            )
        })
        .collect()
}

pub fn add_incoming(phi: Value, mut value: Value, mut block: Block) {
    unsafe { LLVMAddIncoming(phi, &mut value, &mut block, 1) }
}

/// The shuffle mask; negative lanes are undefined.
pub fn shuffle_mask(shuffle: Value) -> Vec<i32> {
    (0..unsafe { LLVMGetNumMaskElements(shuffle) })
        .map(|index| unsafe { LLVMGetMaskValue(shuffle, index) })
        .collect()
}

/// The indices of an extractvalue or insertvalue.
pub fn indices(instruction: Value) -> Vec<u32> {
    unsafe {
        let count = LLVMGetNumIndices(instruction) as usize;
        std::slice::from_raw_parts(LLVMGetIndices(instruction), count).to_vec()
    }
}

pub fn is_atomic(access: Value) -> bool {
    unsafe { LLVMIsAtomic(access) != 0 }
}

pub fn alignment(access: Value) -> u32 {
    unsafe { LLVMGetAlignment(access) }
}

pub fn set_alignment(access: Value, bytes: u32) {
    unsafe { LLVMSetAlignment(access, bytes) }
}

pub fn fast_math_allows_contraction(instruction: Value) -> bool {
    unsafe {
        LLVMCanValueUseFastMathFlags(instruction) != 0
            && LLVMGetFastMathFlags(instruction) & llvm_sys::LLVMFastMathAllowContract != 0
    }
}

/// A pointer as another one and a number of bytes.
pub fn base_and_offset(pointer: Value) -> (Value, i64) {
    let is_step = is_instruction(pointer)
        && opcode(pointer) == Opcode::LLVMGetElementPtr
        && operands(pointer).len() == 2
        && is_byte(unsafe { LLVMGetGEPSourceElementType(pointer) });
    let bytes = is_step.then(|| constant_integer(operand(pointer, 1)));
    match bytes.flatten() {
        Some(bytes) => {
            let (base, before) = base_and_offset(operand(pointer, 0));
            (base, before + bytes as i64)
        }
        None => (pointer, 0),
    }
}

fn is_byte(ty: Type) -> bool {
    unsafe { LLVMGetTypeKind(ty) == TypeKind::LLVMIntegerTypeKind && LLVMGetIntTypeWidth(ty) == 8 }
}

/// The value of a floating-point constant, as a double.
pub fn constant_real(value: Value) -> Option<f64> {
    unsafe {
        let constant = llvm_sys::core::LLVMIsAConstantFP(value);
        let mut loses = 0;
        (!constant.is_null()).then(|| LLVMConstRealGetDouble(constant, &mut loses))
    }
}

/// Whether a call only tells debuggers or the optimiser something.
pub fn is_debug_marker(call: Value) -> bool {
    let name = as_function(callee(call)).and_then(intrinsic_name);
    name.is_some_and(|name| name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime."))
}

pub fn constant_integer(value: Value) -> Option<u64> {
    unsafe {
        (!LLVMIsAConstantInt(value).is_null() && int_width(type_of(value)) <= 64)
            .then(|| LLVMConstIntGetZExtValue(value))
    }
}

/// A constant integer, or the one that all lanes of a constant vector hold.
pub fn splat_integer(value: Value) -> Option<u64> {
    if type_kind(type_of(value)) != TypeKind::LLVMVectorTypeKind {
        return constant_integer(value);
    }
    if !is_constant(value) {
        return None;
    }
    let lane = |index| unsafe { constant_integer(LLVMGetAggregateElement(value, index)) };
    let first = lane(0)?;
    (1..vector_length(type_of(value)))
        .all(|index| lane(index) == Some(first))
        .then_some(first)
}

/// Whether a pointer leads into a constant global: nobody can have stored a shadow there.
pub fn points_to_constant(mut pointer: Value) -> bool {
    unsafe {
        while !LLVMIsAGetElementPtrInst(pointer).is_null()
            || (!LLVMIsAConstantExpr(pointer).is_null()
                && LLVMGetConstOpcode(pointer) == Opcode::LLVMGetElementPtr)
        {
            pointer = LLVMGetOperand(pointer, 0);
        }
        !LLVMIsAGlobalVariable(pointer).is_null() && LLVMIsGlobalConstant(pointer) != 0
    }
}

pub fn int_width(ty: Type) -> u32 {
    unsafe { LLVMGetIntTypeWidth(ty) }
}

pub fn vector_length(ty: Type) -> u32 {
    unsafe { LLVMGetVectorSize(ty) }
}

pub fn array_length(ty: Type) -> u64 {
    unsafe { LLVMGetArrayLength2(ty) }
}

pub fn element_type(ty: Type) -> Type {
    unsafe { LLVMGetElementType(ty) }
}

pub fn struct_elements(ty: Type) -> Vec<Type> {
    unsafe {
        let mut types = vec![std::ptr::null_mut(); LLVMCountStructElementTypes(ty) as usize];
        LLVMGetStructElementTypes(ty, types.as_mut_ptr());
        types
    }
}

pub fn address_space(pointer: Type) -> u32 {
    unsafe { LLVMGetPointerAddressSpace(pointer) }
}

// ---- attributes ----

pub const FUNCTION_ATTRIBUTES: u32 = u32::MAX;

fn attribute_kind(name: &str) -> c_uint {
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

pub fn has_attribute(function: Value, name: &str) -> bool {
    unsafe {
        !LLVMGetEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute_kind(name)).is_null()
    }
}

/// On the call itself or on the function called.
pub fn call_has_attribute(call: Value, name: &str) -> bool {
    let kind = attribute_kind(name);
    let on_call = unsafe { LLVMGetCallSiteEnumAttribute(call, FUNCTION_ATTRIBUTES, kind) };
    !on_call.is_null()
        || as_function(callee(call)).is_some_and(|function| has_attribute(function, name))
}

pub fn string_attribute(function: Value, name: &str) -> Option<String> {
    unsafe {
        let attribute = LLVMGetStringAttributeAtIndex(
            function,
            FUNCTION_ATTRIBUTES,
            name.as_ptr().cast::<c_char>(),
            name.len() as u32,
        );
        if attribute.is_null() {
            return None;
        }
        let mut length = 0;
        let text = LLVMGetStringAttributeValue(attribute, &mut length);
        let bytes = std::slice::from_raw_parts(text.cast(), length as usize);
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

pub fn set_string_attribute(function: Value, name: &str, value: &str) {
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(function));
        let attribute = LLVMCreateStringAttribute(
            context,
            name.as_ptr().cast::<c_char>(),
            name.len() as u32,
            value.as_ptr().cast::<c_char>(),
            value.len() as u32,
        );
        LLVMAddAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute);
    }
}

pub fn remove_attribute(function: Value, name: &str) {
    unsafe { LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute_kind(name)) }
}

pub fn remove_call_attribute(call: Value, name: &str) {
    unsafe { LLVMRemoveCallSiteEnumAttribute(call, FUNCTION_ATTRIBUTES, attribute_kind(name)) }
}

/// The type a parameter is passed by value as, through memory.
pub fn by_value_type(function: Value, parameter: u32) -> Option<Type> {
    unsafe {
        let kind = attribute_kind("byval");
        let attribute = LLVMGetEnumAttributeAtIndex(function, parameter + 1, kind);
        (!attribute.is_null()).then(|| LLVMGetTypeAttributeValue(attribute))
    }
}

pub fn call_by_value_type(call: Value, argument: u32) -> Option<Type> {
    unsafe {
        let kind = attribute_kind("byval");
        let attribute = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
        (!attribute.is_null()).then(|| LLVMGetTypeAttributeValue(attribute))
    }
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
