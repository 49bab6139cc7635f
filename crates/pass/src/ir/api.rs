//! The functions of LLVM's C API and of the shim that the pass uses.
//!
//! # Why `safe fn` is right
//!
//! A handle comes from LLVM, and only [`super::erase`], [`super::replace`] and their like end an object's life; the pass
//! holds no handle of what it erased. So every handle is live. The functions have no other precondition, except for
//! two groups: those that take a certain kind of value are called only by `ir` and `builder`, which own this module and check
//! the kind first; those that take raw pointers are `unsafe`. LLVM builds an instruction with operands of the wrong
//! types without touching foreign memory; its verifier then rejects the module.

use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    marker::PhantomData,
};

use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMLinkage, LLVMOpcode,
    LLVMRealPredicate, LLVMTailCallKind, LLVMTypeKind,
};

use super::handle::*;

/// The name of a new value: always none.
#[repr(transparent)]
pub struct Name(*const c_char, PhantomData<()>);

pub const UNNAMED: Name = Name(c"".as_ptr(), PhantomData);

/// LLVM's `LLVMBool`.
pub type Bool = c_int;

unsafe extern "C" {
    // ---- modules and types ----
    pub fn LLVMGetModuleIdentifier(module: Module, length: *mut usize) -> *const c_char;
    pub fn LLVMGetModuleFlag(module: Module, key: *const c_char, length: usize) -> *const c_void;
    pub safe fn LLVMGetModuleContext(module: Module) -> Context;
    pub safe fn LLVMGetModuleDataLayout(module: Module) -> TargetData;
    pub safe fn LLVMGetFirstFunction(module: Module) -> Option<Function>;
    pub safe fn LLVMGetNextFunction(function: Function) -> Option<Function>;
    pub safe fn LLVMGetFirstGlobalAlias(module: Module) -> Option<Value>;
    pub safe fn LLVMGetNextGlobalAlias(alias: Value) -> Option<Value>;
    pub safe fn LLVMIsAGlobalAlias(value: Value) -> Option<Value>;
    pub safe fn LLVMAliasGetAliasee(alias: Value) -> Value;
    pub safe fn LLVMGetFirstGlobal(module: Module) -> Option<Value>;
    pub safe fn LLVMGetNextGlobal(global: Value) -> Option<Value>;
    pub fn LLVMGetNamedFunction(module: Module, name: *const c_char) -> Option<Function>;
    pub fn LLVMGetNamedGlobal(module: Module, name: *const c_char) -> Option<Value>;
    pub fn LLVMAddFunction(module: Module, name: *const c_char, ty: Type) -> Function;
    pub fn LLVMAddGlobal(module: Module, ty: Type, name: *const c_char) -> Value;
    pub fn LLVMGetOrInsertComdat(module: Module, name: *const c_char) -> Comdat;
    pub safe fn LLVMVoidTypeInContext(context: Context) -> Type;
    pub safe fn LLVMInt8TypeInContext(context: Context) -> Type;
    pub safe fn LLVMInt32TypeInContext(context: Context) -> Type;
    pub safe fn LLVMInt64TypeInContext(context: Context) -> Type;
    pub safe fn LLVMIntTypeInContext(context: Context, bits: c_uint) -> Type;
    pub safe fn LLVMFloatTypeInContext(context: Context) -> Type;
    pub safe fn LLVMDoubleTypeInContext(context: Context) -> Type;
    pub safe fn LLVMPointerTypeInContext(context: Context, address_space: c_uint) -> Type;
    pub safe fn LLVMVectorType(element: Type, lanes: c_uint) -> Type;
    pub safe fn LLVMArrayType2(element: Type, length: u64) -> Type;
    pub fn LLVMStructTypeInContext(
        context: Context,
        fields: *const Type,
        count: c_uint,
        packed: Bool,
    ) -> Type;
    pub fn LLVMFunctionType(
        result: Type,
        parameters: *const Type,
        count: c_uint,
        variadic: Bool,
    ) -> Type;
    pub safe fn LLVMGetTypeContext(ty: Type) -> Context;
    pub safe fn LLVMGetTypeKind(ty: Type) -> LLVMTypeKind;
    pub safe fn LLVMGetIntTypeWidth(ty: Type) -> c_uint;
    pub safe fn LLVMGetVectorSize(ty: Type) -> c_uint;
    pub safe fn LLVMGetArrayLength2(ty: Type) -> u64;
    pub safe fn LLVMGetElementType(ty: Type) -> Type;
    pub safe fn LLVMCountStructElementTypes(ty: Type) -> c_uint;
    pub safe fn LLVMStructGetTypeAtIndex(ty: Type, index: c_uint) -> Type;
    pub safe fn LLVMGetPointerAddressSpace(ty: Type) -> c_uint;
    pub safe fn LLVMGetReturnType(ty: Type) -> Type;
    pub safe fn LLVMCountParamTypes(ty: Type) -> c_uint;
    pub fn LLVMGetParamTypes(ty: Type, types: *mut Option<Type>);
    pub safe fn LLVMIsFunctionVarArg(ty: Type) -> Bool;
    pub safe fn LLVMPrintTypeToString(ty: Type) -> *mut c_char;
    pub fn LLVMDisposeMessage(text: *mut c_char);
    pub safe fn LLVMABISizeOfType(data: TargetData, ty: Type) -> u64;
    pub safe fn LLVMSizeOfTypeInBits(data: TargetData, ty: Type) -> u64;
    pub safe fn LLVMOffsetOfElement(data: TargetData, structure: Type, element: c_uint) -> u64;

    // ---- values ----
    pub safe fn LLVMTypeOf(value: Value) -> Type;
    pub fn LLVMGetValueName2(value: Value, length: *mut usize) -> *const c_char;
    pub safe fn LLVMGetFirstUse(value: Value) -> Option<Use>;
    pub safe fn LLVMGetNextUse(at: Use) -> Option<Use>;
    pub safe fn LLVMGetUser(at: Use) -> Value;
    pub safe fn LLVMReplaceAllUsesWith(old: Value, new: Value);
    pub safe fn LLVMIsConstant(value: Value) -> Bool;
    pub safe fn LLVMIsNull(value: Value) -> Bool;
    pub safe fn LLVMIsAConstantExpr(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAConstantFP(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAConstantInt(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAConstantStruct(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAFunction(value: Value) -> Option<Function>;
    pub safe fn LLVMIsAGetElementPtrInst(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAGlobalVariable(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAInlineAsm(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAInstruction(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAUndefValue(value: Value) -> Option<Value>;
    pub safe fn LLVMIsAUser(value: Value) -> Option<Value>;
    pub safe fn LLVMGetNumOperands(user: Value) -> c_int;
    pub safe fn LLVMGetOperand(user: Value, index: c_uint) -> Value;
    pub safe fn LLVMSetOperand(user: Value, index: c_uint, value: Value);
    pub safe fn LLVMConstNull(ty: Type) -> Value;
    pub safe fn LLVMConstAllOnes(ty: Type) -> Value;
    pub safe fn LLVMGetPoison(ty: Type) -> Value;
    pub safe fn LLVMConstInt(ty: Type, value: u64, sign_extend: Bool) -> Value;
    pub safe fn LLVMConstReal(ty: Type, value: f64) -> Value;
    pub safe fn LLVMConstIntGetZExtValue(constant: Value) -> u64;
    pub fn LLVMConstRealGetDouble(constant: Value, loses: *mut Bool) -> f64;
    pub safe fn LLVMConstIntToPtr(constant: Value, ty: Type) -> Value;
    pub fn LLVMConstVector(lanes: *const Value, count: c_uint) -> Value;
    pub fn LLVMConstStructInContext(
        context: Context,
        fields: *const Value,
        count: c_uint,
        packed: Bool,
    ) -> Value;
    pub fn LLVMConstStringInContext2(
        context: Context,
        text: *const c_char,
        length: usize,
        no_nul: Bool,
    ) -> Value;
    pub safe fn LLVMGetAggregateElement(constant: Value, index: c_uint) -> Option<Value>;
    pub safe fn LLVMGetConstOpcode(constant: Value) -> LLVMOpcode;

    // ---- globals and functions ----
    pub safe fn LLVMIsDeclaration(global: Value) -> Bool;
    pub safe fn LLVMGetLinkage(global: Value) -> LLVMLinkage;
    pub safe fn LLVMSetLinkage(global: Value, linkage: LLVMLinkage);
    pub safe fn LLVMGlobalGetValueType(global: Value) -> Type;
    pub safe fn LLVMGetInitializer(global: Value) -> Option<Value>;
    pub safe fn LLVMSetInitializer(global: Value, value: Value);
    pub safe fn LLVMIsGlobalConstant(global: Value) -> Bool;
    pub safe fn LLVMSetGlobalConstant(global: Value, constant: Bool);
    pub safe fn LLVMSetExternallyInitialized(global: Value, is_so: Bool);
    pub safe fn LLVMSetThreadLocal(global: Value, is_so: Bool);
    pub safe fn LLVMSetComdat(global: Value, comdat: Comdat);
    pub fn LLVMSetSection(global: Value, section: *const c_char);
    pub safe fn LLVMDeleteGlobal(global: Value);
    pub safe fn LLVMDeleteFunction(function: Function);
    pub safe fn LLVMGetIntrinsicID(function: Function) -> c_uint;
    pub fn LLVMIntrinsicGetName(id: c_uint, length: *mut usize) -> *const c_char;
    pub fn LLVMLookupIntrinsicID(name: *const c_char, length: usize) -> c_uint;
    pub fn LLVMGetIntrinsicDeclaration(
        module: Module,
        id: c_uint,
        types: *const Type,
        count: usize,
    ) -> Function;
    pub safe fn LLVMCountParams(function: Function) -> c_uint;
    pub safe fn LLVMGetParam(function: Function, index: c_uint) -> Value;
    pub safe fn LLVMGetFirstBasicBlock(function: Function) -> Option<Block>;
    pub safe fn LLVMGetNextBasicBlock(block: Block) -> Option<Block>;
    pub safe fn LLVMGetEntryBasicBlock(function: Function) -> Block;
    pub fn LLVMGetEnumAttributeKindForName(name: *const c_char, length: usize) -> c_uint;
    pub safe fn LLVMGetEnumAttributeAtIndex(
        function: Function,
        index: c_uint,
        kind: c_uint,
    ) -> Option<Attribute>;
    pub safe fn LLVMRemoveEnumAttributeAtIndex(function: Function, index: c_uint, kind: c_uint);
    pub safe fn LLVMAddAttributeAtIndex(function: Function, index: c_uint, attribute: Attribute);
    pub fn LLVMGetStringAttributeAtIndex(
        function: Function,
        index: c_uint,
        name: *const c_char,
        length: c_uint,
    ) -> Option<Attribute>;
    pub fn LLVMGetStringAttributeValue(attribute: Attribute, length: *mut c_uint) -> *const c_char;
    pub safe fn LLVMGetTypeAttributeValue(attribute: Attribute) -> Type;
    pub safe fn LLVMCreateEnumAttribute(context: Context, kind: c_uint, value: u64) -> Attribute;
    pub fn LLVMCreateStringAttribute(
        context: Context,
        name: *const c_char,
        name_length: c_uint,
        value: *const c_char,
        value_length: c_uint,
    ) -> Attribute;

    // ---- blocks and instructions ----
    pub safe fn LLVMGetBasicBlockParent(block: Block) -> Function;
    pub safe fn LLVMGetBasicBlockTerminator(block: Block) -> Option<Value>;
    pub safe fn LLVMGetFirstInstruction(block: Block) -> Option<Value>;
    pub safe fn LLVMGetNextInstruction(instruction: Value) -> Option<Value>;
    pub safe fn LLVMGetInstructionParent(instruction: Value) -> Block;
    pub safe fn LLVMGetInstructionOpcode(instruction: Value) -> LLVMOpcode;
    pub safe fn LLVMInstructionEraseFromParent(instruction: Value);
    pub safe fn LLVMInstructionRemoveFromParent(instruction: Value);
    pub safe fn LLVMInstructionClone(instruction: Value) -> Value;
    pub safe fn LLVMInstructionGetDebugLoc(instruction: Value) -> Option<Metadata>;
    pub safe fn LLVMInstructionSetDebugLoc(instruction: Value, location: Option<Metadata>);
    pub safe fn LLVMGetNumSuccessors(terminator: Value) -> c_uint;
    pub safe fn LLVMGetSuccessor(terminator: Value, index: c_uint) -> Block;
    pub safe fn LLVMGetNormalDest(invoke: Value) -> Block;
    pub safe fn LLVMGetFCmpPredicate(comparison: Value) -> LLVMRealPredicate;
    pub safe fn LLVMGetICmpPredicate(comparison: Value) -> LLVMIntPredicate;
    pub safe fn LLVMCountIncoming(phi: Value) -> c_uint;
    pub safe fn LLVMGetIncomingValue(phi: Value, index: c_uint) -> Value;
    pub safe fn LLVMGetIncomingBlock(phi: Value, index: c_uint) -> Block;
    pub fn LLVMParseCommandLineOptions(
        count: c_int,
        words: *const *const c_char,
        overview: *const c_char,
    );
    pub fn LLVMAddIncoming(phi: Value, values: *const Value, blocks: *const Block, count: c_uint);
    pub safe fn LLVMGetNumMaskElements(shuffle: Value) -> c_uint;
    pub safe fn LLVMGetMaskValue(shuffle: Value, lane: c_uint) -> c_int;
    pub safe fn LLVMGetNumIndices(instruction: Value) -> c_uint;
    pub safe fn LLVMGetIndices(instruction: Value) -> *const c_uint;
    pub safe fn LLVMGetGEPSourceElementType(step: Value) -> Type;
    pub safe fn LLVMGetNumArgOperands(call: Value) -> c_uint;
    pub safe fn LLVMGetCalledValue(call: Value) -> Value;
    pub safe fn LLVMGetCalledFunctionType(call: Value) -> Type;
    pub safe fn LLVMGetTailCallKind(call: Value) -> LLVMTailCallKind;
    pub safe fn LLVMGetCallSiteEnumAttribute(
        call: Value,
        index: c_uint,
        kind: c_uint,
    ) -> Option<Attribute>;
    pub safe fn LLVMRemoveCallSiteEnumAttribute(call: Value, index: c_uint, kind: c_uint);
    pub safe fn LLVMIsAtomic(access: Value) -> Bool;
    pub safe fn LLVMGetAlignment(access: Value) -> c_uint;
    pub safe fn LLVMSetAlignment(access: Value, bytes: c_uint);
    pub safe fn LLVMGetVolatile(access: Value) -> Bool;
    pub safe fn LLVMSetVolatile(access: Value, is_so: Bool);
    pub safe fn LLVMSetOrdering(access: Value, ordering: LLVMAtomicOrdering);
    pub safe fn LLVMCanValueUseFastMathFlags(value: Value) -> Bool;
    pub safe fn LLVMGetFastMathFlags(instruction: Value) -> c_uint;
    pub fn LLVMGetMDKindIDInContext(
        context: Context,
        name: *const c_char,
        length: c_uint,
    ) -> c_uint;
    pub fn LLVMMDNodeInContext2(context: Context, nodes: *const Metadata, count: usize)
    -> Metadata;
    pub safe fn LLVMMetadataAsValue(context: Context, metadata: Metadata) -> Value;
    pub safe fn LLVMSetMetadata(instruction: Value, kind: c_uint, node: Value);
    pub safe fn LLVMGetMetadata(instruction: Value, kind: c_uint) -> Option<Value>;

    // ---- building ----
    pub safe fn LLVMCreateBuilderInContext(context: Context) -> RawBuilder;
    pub safe fn LLVMDisposeBuilder(builder: RawBuilder);
    pub safe fn LLVMPositionBuilderBefore(builder: RawBuilder, instruction: Value);
    pub safe fn LLVMPositionBuilderAtEnd(builder: RawBuilder, block: Block);
    pub safe fn LLVMSetCurrentDebugLocation2(builder: RawBuilder, location: Option<Metadata>);
    pub safe fn LLVMGetInsertBlock(builder: RawBuilder) -> Block;
    pub safe fn LLVMInsertIntoBuilder(builder: RawBuilder, instruction: Value);
    pub safe fn LLVMInsertBasicBlockInContext(context: Context, before: Block, name: Name)
    -> Block;
    pub safe fn LLVMAppendBasicBlockInContext(
        context: Context,
        function: Function,
        name: Name,
    ) -> Block;
    pub safe fn LLVMBuildBr(builder: RawBuilder, to: Block) -> Value;
    pub safe fn LLVMBuildCondBr(
        builder: RawBuilder,
        condition: Value,
        then: Block,
        otherwise: Block,
    ) -> Value;
    pub safe fn LLVMSetFunctionCallConv(function: Function, convention: c_uint);
    pub safe fn LLVMSetInstructionCallConv(call: Value, convention: c_uint);
    pub fn LLVMBuildAggregateRet(builder: RawBuilder, fields: *const Value, count: c_uint)
    -> Value;
    pub safe fn LLVMBuildUnreachable(builder: RawBuilder) -> Value;
    pub safe fn LLVMBuildRetVoid(builder: RawBuilder) -> Value;
    pub safe fn LLVMBuildLoad2(builder: RawBuilder, ty: Type, pointer: Value, name: Name) -> Value;
    pub safe fn LLVMBuildStore(builder: RawBuilder, value: Value, pointer: Value) -> Value;
    pub safe fn LLVMBuildAlloca(builder: RawBuilder, ty: Type, name: Name) -> Value;
    pub fn LLVMBuildGEP2(
        builder: RawBuilder,
        ty: Type,
        pointer: Value,
        indices: *const Value,
        count: c_uint,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildPtrToInt(builder: RawBuilder, value: Value, ty: Type, name: Name)
    -> Value;
    pub safe fn LLVMBuildIntToPtr(builder: RawBuilder, value: Value, ty: Type, name: Name)
    -> Value;
    pub safe fn LLVMBuildMemCpy(
        builder: RawBuilder,
        to: Value,
        to_alignment: c_uint,
        from: Value,
        from_alignment: c_uint,
        bytes: Value,
    ) -> Value;
    pub safe fn LLVMBuildMemMove(
        builder: RawBuilder,
        to: Value,
        to_alignment: c_uint,
        from: Value,
        from_alignment: c_uint,
        bytes: Value,
    ) -> Value;
    pub safe fn LLVMBuildMemSet(
        builder: RawBuilder,
        to: Value,
        byte: Value,
        bytes: Value,
        alignment: c_uint,
    ) -> Value;
    pub safe fn LLVMBuildAtomicRMW(
        builder: RawBuilder,
        operation: LLVMAtomicRMWBinOp,
        pointer: Value,
        value: Value,
        ordering: LLVMAtomicOrdering,
        single_thread: Bool,
    ) -> Value;
    pub safe fn LLVMBuildAdd(builder: RawBuilder, a: Value, b: Value, name: Name) -> Value;
    pub safe fn LLVMBuildAnd(builder: RawBuilder, a: Value, b: Value, name: Name) -> Value;
    pub safe fn LLVMBuildOr(builder: RawBuilder, a: Value, b: Value, name: Name) -> Value;
    pub safe fn LLVMBuildXor(builder: RawBuilder, a: Value, b: Value, name: Name) -> Value;
    pub safe fn LLVMBuildNot(builder: RawBuilder, a: Value, name: Name) -> Value;
    pub safe fn LLVMBuildFNeg(builder: RawBuilder, a: Value, name: Name) -> Value;
    pub safe fn LLVMBuildBinOp(
        builder: RawBuilder,
        opcode: LLVMOpcode,
        a: Value,
        b: Value,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildICmp(
        builder: RawBuilder,
        predicate: LLVMIntPredicate,
        a: Value,
        b: Value,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildFCmp(
        builder: RawBuilder,
        predicate: LLVMRealPredicate,
        a: Value,
        b: Value,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildBitCast(builder: RawBuilder, value: Value, ty: Type, name: Name) -> Value;
    pub safe fn LLVMBuildIntCast2(
        builder: RawBuilder,
        value: Value,
        ty: Type,
        signed: Bool,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildFPCast(builder: RawBuilder, value: Value, ty: Type, name: Name) -> Value;
    pub safe fn LLVMBuildCast(
        builder: RawBuilder,
        opcode: LLVMOpcode,
        value: Value,
        ty: Type,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildFreeze(builder: RawBuilder, value: Value, name: Name) -> Value;
    pub safe fn LLVMBuildSelect(
        builder: RawBuilder,
        condition: Value,
        a: Value,
        b: Value,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildPhi(builder: RawBuilder, ty: Type, name: Name) -> Value;
    pub safe fn LLVMBuildExtractElement(
        builder: RawBuilder,
        vector: Value,
        index: Value,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildInsertElement(
        builder: RawBuilder,
        vector: Value,
        element: Value,
        index: Value,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildShuffleVector(
        builder: RawBuilder,
        a: Value,
        b: Value,
        mask: Value,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildExtractValue(
        builder: RawBuilder,
        aggregate: Value,
        index: c_uint,
        name: Name,
    ) -> Value;
    pub safe fn LLVMBuildInsertValue(
        builder: RawBuilder,
        aggregate: Value,
        member: Value,
        index: c_uint,
        name: Name,
    ) -> Value;
    pub fn LLVMBuildCall2(
        builder: RawBuilder,
        ty: Type,
        function: Function,
        arguments: *const Value,
        count: c_uint,
        name: Name,
    ) -> Value;

    // ---- the shim (shim.cpp, prepare/*.cpp) ----
    pub safe fn lostbits_split_edge(from: Block, to: Block) -> Block;
    pub safe fn lostbits_move_before(moved: Value, before: Value);
    pub safe fn lostbits_remove_variable_locations(function: Function);
    pub safe fn lostbits_may_write(instruction: Value) -> bool;
    pub safe fn lostbits_is_plain_load(instruction: Value) -> bool;
    pub safe fn lostbits_unlikely_block(condition: Value, before: Value) -> Value;
    pub fn lostbits_unlikely_blocks(
        condition: Value,
        before: Value,
        otherwise: *mut Option<Value>,
    ) -> Value;
    pub safe fn lostbits_keep(function: Function);
    pub safe fn lostbits_reach_directly(global: Value);
    pub safe fn lostbits_add_constructor(
        module: Module,
        constructor: Function,
        destructor: Function,
    );
    pub safe fn lostbits_assign_discriminators(module: Module);
    pub safe fn lostbits_depends_on_vectors(module: Module) -> bool;
    pub safe fn lostbits_takes_number_memory(call: Value) -> bool;
    pub safe fn lostbits_object_bytes(call: Value, pointer: Value) -> u64;
    pub safe fn lostbits_expand_atomics(function: Function);
    pub safe fn lostbits_atomic_guard(module: Module, enters: bool) -> Function;
    pub safe fn lostbits_comparison(
        module: Module,
        ask: Function,
        variable: Value,
        has_context: bool,
    ) -> Function;
    pub fn lostbits_wrap_address(function: Function, name: *const c_char) -> Option<Function>;
}
