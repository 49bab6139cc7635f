//! What instructions, values and types are.

use llvm_sys::{LLVMLinkage, core::*};

use super::*;

pub fn opcode(instruction: Value) -> Opcode {
    unsafe { LLVMGetInstructionOpcode(instruction) }
}

pub fn type_of(value: Value) -> Type {
    unsafe { LLVMTypeOf(value) }
}

/// A type as LLVM writes it.
pub fn type_text(ty: Type) -> String {
    unsafe {
        let text = LLVMPrintTypeToString(ty);
        let owned = std::ffi::CStr::from_ptr(text)
            .to_string_lossy()
            .into_owned();
        LLVMDisposeMessage(text);
        owned
    }
}

/// The type of what a function or variable is, and not of its address.
pub fn value_type(global: Value) -> Type {
    unsafe { LLVMGlobalGetValueType(global) }
}

pub fn has_initialiser(global: Value) -> bool {
    unsafe { !LLVMGetInitializer(global).is_null() }
}

pub fn as_global(value: Value) -> Option<Value> {
    let global = unsafe { LLVMIsAGlobalVariable(value) };
    (!global.is_null()).then_some(global)
}

pub fn is_constant_global(global: Value) -> bool {
    unsafe { LLVMIsGlobalConstant(global) != 0 }
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

/// Whether nothing outside of the module can call a function by its name.
pub fn is_local(function: Value) -> bool {
    matches!(
        unsafe { LLVMGetLinkage(function) },
        LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
    )
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

/// What a constant in memory consists of, as far as this module knows it.
pub fn members_of_constant(value: Value) -> Vec<Value> {
    unsafe {
        if LLVMIsAGlobalVariable(value).is_null() || LLVMIsGlobalConstant(value) == 0 {
            return Vec::new();
        }
        let initializer = LLVMGetInitializer(value);
        match initializer.is_null() || LLVMIsAConstantStruct(initializer).is_null() {
            true => Vec::new(),
            false => operands(initializer),
        }
    }
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

/// What a pointer leads into: the pointer without its offsets.
pub fn base(mut pointer: Value) -> Value {
    unsafe {
        while !LLVMIsAGetElementPtrInst(pointer).is_null()
            || (!LLVMIsAConstantExpr(pointer).is_null()
                && LLVMGetConstOpcode(pointer) == Opcode::LLVMGetElementPtr)
        {
            pointer = LLVMGetOperand(pointer, 0);
        }
    }
    pointer
}

/// Whether a pointer leads into a constant global: nobody can have stored a shadow there.
pub fn points_to_constant(pointer: Value) -> bool {
    as_global(base(pointer)).is_some_and(is_constant_global)
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
