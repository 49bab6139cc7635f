//! What instructions, values and types are.

use std::ffi::CStr;

use llvm_sys::{
    LLVMFastMathAllowContract, LLVMFastMathAllowReassoc, LLVMLinkage, LLVMTailCallKind,
};

use super::{api::*, *};

/// The value, which must be an instruction.
pub(super) fn checked(instruction: Value) -> Value {
    LLVMIsAInstruction(instruction).expect("an instruction")
}

/// The value, which must be a variable of the module.
pub(super) fn variable(global: Value) -> Value {
    LLVMIsAGlobalVariable(global).expect("a variable of the module")
}

/// The value, which must be an instruction with this opcode.
fn expect(instruction: Value, wanted: Opcode) -> Value {
    assert_eq!(
        opcode(instruction),
        wanted,
        "another instruction was expected"
    );
    instruction
}

/// The value, which must be a call.
fn call_site(value: Value) -> Value {
    assert!(is_call(value), "a call was expected");
    value
}

pub fn opcode(instruction: Value) -> Opcode {
    LLVMGetInstructionOpcode(checked(instruction))
}

pub fn type_of(value: Value) -> Type {
    LLVMTypeOf(value)
}

/// A type as LLVM writes it.
pub fn type_text(ty: Type) -> String {
    let text = LLVMPrintTypeToString(ty);
    // SAFETY: LLVM returns a C string, which the caller disposes of.
    unsafe {
        let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        owned
    }
}

/// The type of what a function or variable is, and not of its address.
pub fn value_type(global: Value) -> Type {
    LLVMGlobalGetValueType(variable(global))
}

pub fn has_initialiser(global: Value) -> bool {
    LLVMGetInitializer(variable(global)).is_some()
}

pub fn as_global(value: Value) -> Option<Value> {
    LLVMIsAGlobalVariable(value)
}

pub fn is_constant_global(global: Value) -> bool {
    LLVMIsGlobalConstant(variable(global)) != 0
}

pub fn type_kind(ty: Type) -> TypeKind {
    LLVMGetTypeKind(ty)
}

pub fn operand(user: Value, index: u32) -> Value {
    assert!(
        index < operand_count(user),
        "operand {index} does not exist"
    );
    LLVMGetOperand(user, index)
}

fn operand_count(user: Value) -> u32 {
    match LLVMIsAUser(user) {
        Some(user) => LLVMGetNumOperands(user).max(0) as u32,
        None => 0,
    }
}

pub fn operands(user: Value) -> Vec<Value> {
    (0..operand_count(user))
        .map(|index| LLVMGetOperand(user, index))
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

pub fn set_operand(user: Value, index: u32, value: Value) {
    assert!(
        index < operand_count(user),
        "operand {index} does not exist"
    );
    LLVMSetOperand(user, index, value);
}

pub fn is_call(instruction: Value) -> bool {
    matches!(
        opcode(instruction),
        Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr
    )
}

pub fn is_null(value: Value) -> bool {
    LLVMIsNull(value) != 0
}

/// A constant zero of either sign.
pub fn is_any_zero(value: Value) -> bool {
    is_null(value) || constant_real(value) == Some(0.0)
}

/// LLVM's number of a comparison's predicate: a bit for each relation that fulfils it.
pub fn comparison_predicate(comparison: Value) -> u32 {
    predicate(comparison) as u32
}

/// Of a comparison of integers.
pub fn integer_predicate(comparison: Value) -> IntPredicate {
    LLVMGetICmpPredicate(expect(comparison, Opcode::LLVMICmp))
}

/// Whether an instruction compares the order or equality of numbers, not only whether they are numbers. (Comparisons under
/// `strictfp` are calls, of which this is not asked.)
pub fn orders_numbers(comparison: Value) -> bool {
    use llvm_sys::LLVMRealPredicate::*;
    opcode(comparison) == Opcode::LLVMFCmp
        && !matches!(
            predicate(comparison),
            LLVMRealORD | LLVMRealUNO | LLVMRealPredicateTrue | LLVMRealPredicateFalse
        )
}

pub fn predicate(comparison: Value) -> RealPredicate {
    LLVMGetFCmpPredicate(expect(comparison, Opcode::LLVMFCmp))
}

/// Whether nothing outside of the module can call a function by its name.
pub fn is_local(global: impl Into<Value>) -> bool {
    matches!(
        LLVMGetLinkage(global.into()),
        LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
    )
}

pub fn is_available_externally(function: Function) -> bool {
    LLVMGetLinkage(function.into()) == LLVMLinkage::LLVMAvailableExternallyLinkage
}

pub fn is_phi(instruction: Value) -> bool {
    opcode(instruction) == Opcode::LLVMPHI
}

pub fn is_constant(value: Value) -> bool {
    LLVMIsConstant(value) != 0
}

/// Undefined or poison.
pub fn is_undefined(value: Value) -> bool {
    LLVMIsAUndefValue(value).is_some()
}

pub fn is_instruction(value: Value) -> bool {
    LLVMIsAInstruction(value).is_some()
}

pub fn as_function(value: Value) -> Option<Function> {
    LLVMIsAFunction(value)
}

pub fn is_inline_assembly(value: Value) -> bool {
    LLVMIsAInlineAsm(value).is_some()
}

pub fn is_declaration(function: Function) -> bool {
    LLVMIsDeclaration(function.into()) != 0
}

pub fn name(value: impl Into<Value>) -> String {
    let mut length = 0;
    // SAFETY: LLVM returns the start of a name of that length, which stays until the value is renamed.
    let bytes = unsafe {
        let text = LLVMGetValueName2(value.into(), &mut length);
        std::slice::from_raw_parts(text.cast(), length)
    };
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn parameters(function: Function) -> Vec<Value> {
    (0..LLVMCountParams(function))
        .map(|index| LLVMGetParam(function, index))
        .collect()
}

pub fn function_type(function: Function) -> Type {
    LLVMGlobalGetValueType(function.into())
}

pub fn return_type(function_type: Type) -> Type {
    LLVMGetReturnType(function_type)
}

pub fn parameter_types(function_type: Type) -> Vec<Type> {
    let mut types = vec![None; LLVMCountParamTypes(function_type) as usize];
    // SAFETY: there is room for as many types as LLVM counts.
    unsafe { LLVMGetParamTypes(function_type, types.as_mut_ptr()) };
    types.into_iter().flatten().collect()
}

pub fn is_variadic(function_type: Type) -> bool {
    LLVMIsFunctionVarArg(function_type) != 0
}

/// The name of an intrinsic without the suffix of its types, as `llvm.sqrt`.
pub fn intrinsic_name(function: Function) -> Option<&'static str> {
    let id = LLVMGetIntrinsicID(function);
    if id == 0 {
        return None;
    }
    let mut length = 0;
    // SAFETY: LLVM returns the start of a name of that length, which is never freed.
    let bytes = unsafe {
        let text = LLVMIntrinsicGetName(id, &mut length);
        std::slice::from_raw_parts(text.cast(), length)
    };
    std::str::from_utf8(bytes).ok()
}

pub fn arguments(call: Value) -> Vec<Value> {
    (0..LLVMGetNumArgOperands(call_site(call)))
        .map(|index| operand(call, index))
        .collect()
}

pub fn callee(call: Value) -> Value {
    LLVMGetCalledValue(call_site(call))
}

pub fn called_function_type(call: Value) -> Type {
    LLVMGetCalledFunctionType(call_site(call))
}

/// Whether a call must be a tail call: nothing may come between it and the return.
pub fn is_must_tail(call: Value) -> bool {
    opcode(call) == Opcode::LLVMCall
        && LLVMGetTailCallKind(call) == LLVMTailCallKind::LLVMTailCallKindMustTail
}

pub fn normal_destination(invoke: Value) -> Block {
    LLVMGetNormalDest(expect(invoke, Opcode::LLVMInvoke))
}

pub fn incoming(phi: Value) -> Vec<(Value, Block)> {
    let phi = expect(phi, Opcode::LLVMPHI);
    let one = |index| {
        (
            LLVMGetIncomingValue(phi, index),
            LLVMGetIncomingBlock(phi, index),
        )
    };
    (0..LLVMCountIncoming(phi)).map(one).collect()
}

pub fn add_incoming(phi: Value, value: Value, block: Block) {
    // SAFETY: both arrays have one element.
    unsafe { LLVMAddIncoming(expect(phi, Opcode::LLVMPHI), &value, &block, 1) }
}

/// The shuffle mask; negative lanes are undefined.
pub fn shuffle_mask(shuffle: Value) -> Vec<i32> {
    let shuffle = expect(shuffle, Opcode::LLVMShuffleVector);
    (0..LLVMGetNumMaskElements(shuffle))
        .map(|lane| LLVMGetMaskValue(shuffle, lane))
        .collect()
}

/// The indices of an extractvalue or insertvalue.
pub fn indices(instruction: Value) -> Vec<u32> {
    let is_member = matches!(
        opcode(instruction),
        Opcode::LLVMExtractValue | Opcode::LLVMInsertValue
    );
    assert!(is_member, "only members of aggregates have indices");
    let count = LLVMGetNumIndices(instruction) as usize;
    // SAFETY: LLVM returns the start of as many indices as it counts.
    unsafe { std::slice::from_raw_parts(LLVMGetIndices(instruction), count) }.to_vec()
}

pub fn is_volatile(access: Value) -> bool {
    LLVMGetVolatile(checked(access)) != 0
}

pub fn make_volatile(access: Value) {
    LLVMSetVolatile(checked(access), 1);
}

pub fn is_atomic(access: Value) -> bool {
    LLVMIsAtomic(checked(access)) != 0
}

pub fn alignment(access: Value) -> u32 {
    LLVMGetAlignment(access)
}

pub fn set_alignment(access: Value, bytes: u32) {
    LLVMSetAlignment(access, bytes);
}

pub fn fast_math_allows_contraction(instruction: Value) -> bool {
    LLVMCanValueUseFastMathFlags(instruction) != 0
        && LLVMGetFastMathFlags(instruction) & LLVMFastMathAllowContract != 0
}

pub fn fast_math_allows_reassociation(instruction: Value) -> bool {
    LLVMCanValueUseFastMathFlags(instruction) != 0
        && LLVMGetFastMathFlags(instruction) & LLVMFastMathAllowReassoc != 0
}

/// A pointer as another one and a number of bytes.
pub fn base_and_offset(pointer: Value) -> (Value, i64) {
    let is_step = is_instruction(pointer)
        && opcode(pointer) == Opcode::LLVMGetElementPtr
        && operands(pointer).len() == 2
        && is_byte(LLVMGetGEPSourceElementType(pointer));
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
    LLVMGetTypeKind(ty) == TypeKind::LLVMIntegerTypeKind && LLVMGetIntTypeWidth(ty) == 8
}

/// The value of a floating-point constant, as a double.
pub fn constant_real(value: Value) -> Option<f64> {
    let constant = LLVMIsAConstantFP(value)?;
    let mut loses = 0;
    // SAFETY: LLVM writes one flag.
    Some(unsafe { LLVMConstRealGetDouble(constant, &mut loses) })
}

/// The elements of a constant array, structure or vector; none of anything else.
pub fn elements_of_constant(value: Value) -> Vec<Value> {
    let ty = type_of(value);
    let count = match LLVMGetTypeKind(ty) {
        _ if !is_constant(value) || is_undefined(value) => 0,
        TypeKind::LLVMArrayTypeKind if !has_numbers_inside(ty) => 0,
        TypeKind::LLVMArrayTypeKind => LLVMGetArrayLength2(ty) as u32,
        TypeKind::LLVMStructTypeKind => LLVMCountStructElementTypes(ty),
        TypeKind::LLVMVectorTypeKind => LLVMGetVectorSize(ty),
        _ => 0,
    };
    let element = |index| LLVMGetAggregateElement(value, index);
    (0..count.min(MOST_ELEMENTS)).filter_map(element).collect()
}

/// Longer tables are read as far as this.
const MOST_ELEMENTS: u32 = 1 << 16;

/// Arrays of integers and characters are not worth a walk.
fn has_numbers_inside(array: Type) -> bool {
    !matches!(
        LLVMGetTypeKind(LLVMGetElementType(array)),
        TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind
    )
}

pub fn initialiser(global: Value) -> Option<Value> {
    LLVMGetInitializer(variable(global))
}

/// Whether a call only informs debuggers or the optimiser.
pub fn is_debug_marker(call: Value) -> bool {
    let name = as_function(callee(call)).and_then(intrinsic_name);
    name.is_some_and(|name| name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime."))
}

/// What a constant in memory consists of, as far as this module knows it.
pub fn members_of_constant(value: Value) -> Vec<Value> {
    as_global(value)
        .filter(|global| is_constant_global(*global))
        .and_then(|global| LLVMGetInitializer(global))
        .and_then(|initialiser| LLVMIsAConstantStruct(initialiser))
        .map_or(Vec::new(), operands)
}

/// The integers of a constant array that a pointer leads to, from there on.
pub fn constant_integers(pointer: Value) -> Option<Vec<u64>> {
    let (base, bytes) = base_and_offset(pointer);
    let global = as_global(base).filter(|global| is_constant_global(*global))?;
    let initialiser = LLVMGetInitializer(global)?;
    let ty = type_of(initialiser);
    if type_kind(ty) != TypeKind::LLVMArrayTypeKind
        || type_kind(element_type(ty)) != TypeKind::LLVMIntegerTypeKind
    {
        return None;
    }
    let size = i64::from(int_width(element_type(ty))) / 8;
    if bytes < 0 || size == 0 || bytes % size != 0 {
        return None;
    }
    let first = u32::try_from(bytes / size).ok()?;
    (first..u32::try_from(array_length(ty)).ok()?)
        .map(|index| LLVMGetAggregateElement(initialiser, index).and_then(constant_integer))
        .collect()
}

pub fn constant_integer(value: Value) -> Option<u64> {
    let constant = LLVMIsAConstantInt(value)?;
    (int_width(type_of(value)) <= 64).then(|| LLVMConstIntGetZExtValue(constant))
}

/// A constant integer, or the one that all lanes of a constant vector hold.
pub fn splat_integer(value: Value) -> Option<u64> {
    if type_kind(type_of(value)) != TypeKind::LLVMVectorTypeKind {
        return constant_integer(value);
    }
    if !is_constant(value) {
        return None;
    }
    let lane = |index| LLVMGetAggregateElement(value, index).and_then(constant_integer);
    let first = lane(0)?;
    (1..vector_length(type_of(value)))
        .all(|index| lane(index) == Some(first))
        .then_some(first)
}

/// What a pointer leads into: the pointer without its offsets.
pub fn base(mut pointer: Value) -> Value {
    while LLVMIsAGetElementPtrInst(pointer).is_some() || is_constant_step(pointer) {
        pointer = operand(pointer, 0);
    }
    pointer
}

fn is_constant_step(pointer: Value) -> bool {
    LLVMIsAConstantExpr(pointer)
        .is_some_and(|constant| LLVMGetConstOpcode(constant) == Opcode::LLVMGetElementPtr)
}

pub fn is_alloca(value: Value) -> bool {
    is_instruction(value) && opcode(value) == Opcode::LLVMAlloca
}

/// A variable that no other module can define in its place.
pub fn is_local_variable(value: Value) -> bool {
    LLVMIsAGlobalVariable(value).is_some_and(|variable| {
        matches!(
            LLVMGetLinkage(variable),
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
        )
    })
}

/// Whether a pointer leads into a constant global: no shadow can have been stored there.
pub fn points_to_constant(pointer: Value) -> bool {
    as_global(base(pointer)).is_some_and(is_constant_global)
}

pub fn int_width(ty: Type) -> u32 {
    LLVMGetIntTypeWidth(ty)
}

pub fn vector_length(ty: Type) -> u32 {
    LLVMGetVectorSize(ty)
}

pub fn array_length(ty: Type) -> u64 {
    LLVMGetArrayLength2(ty)
}

pub fn element_type(ty: Type) -> Type {
    LLVMGetElementType(ty)
}

pub fn struct_elements(ty: Type) -> Vec<Type> {
    (0..LLVMCountStructElementTypes(ty))
        .map(|index| LLVMStructGetTypeAtIndex(ty, index))
        .collect()
}

pub fn address_space(pointer: Type) -> u32 {
    LLVMGetPointerAddressSpace(pointer)
}
