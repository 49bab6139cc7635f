//! Making instructions.

use std::ffi::c_uint;

use llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMRealPredicate, core::*,
    prelude::*,
};

use crate::ir::{self, Block, Module, Opcode, Type, TypeKind, Value, c_string};

/// The types the pass speaks of, in the module's context.
#[derive(Clone, Copy)]
pub struct Types {
    pub context: LLVMContextRef,
    pub void: Type,
    pub i8: Type,
    pub i32: Type,
    pub i64: Type,
    pub float: Type,
    pub double: Type,
    pub pointer: Type,
}

impl Types {
    pub fn of(module: Module) -> Types {
        unsafe {
            let context = LLVMGetModuleContext(module);
            Types {
                context,
                void: LLVMVoidTypeInContext(context),
                i8: LLVMInt8TypeInContext(context),
                i32: LLVMInt32TypeInContext(context),
                i64: LLVMInt64TypeInContext(context),
                float: LLVMFloatTypeInContext(context),
                double: LLVMDoubleTypeInContext(context),
                pointer: LLVMPointerTypeInContext(context, 0),
            }
        }
    }

    pub fn int(&self, bits: u32) -> Type {
        unsafe { LLVMIntTypeInContext(self.context, bits) }
    }

    pub fn vector(&self, element: Type, lanes: u32) -> Type {
        unsafe { LLVMVectorType(element, lanes) }
    }

    pub fn array(&self, element: Type, length: u64) -> Type {
        unsafe { LLVMArrayType2(element, length) }
    }

    /// `element` in the shape of `like`: a vector of as many lanes where `like` is one.
    pub fn shaped(&self, element: Type, like: Type) -> Type {
        match ir::type_kind(like) {
            TypeKind::LLVMVectorTypeKind => unsafe {
                LLVMVectorType(element, ir::vector_length(like))
            },
            _ => element,
        }
    }

    pub fn function(&self, result: Type, parameters: &[Type]) -> Type {
        let mut parameters = parameters.to_vec();
        let count = parameters.len() as u32;
        unsafe { LLVMFunctionType(result, parameters.as_mut_ptr(), count, 0) }
    }
}

pub fn null(ty: Type) -> Value {
    unsafe { LLVMConstNull(ty) }
}

pub fn poison(ty: Type) -> Value {
    unsafe { LLVMGetPoison(ty) }
}

pub fn all_ones(ty: Type) -> Value {
    unsafe { LLVMConstAllOnes(ty) }
}

pub fn integer(ty: Type, value: u64) -> Value {
    unsafe { LLVMConstInt(ty, value, 0) }
}

/// The constant `value`, truncated to the width of `ty`'s lanes, in every lane.
pub fn splat(ty: Type, value: u64) -> Value {
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return integer(ty, value);
    }
    let mut lanes = vec![integer(ir::element_type(ty), value); ir::vector_length(ty) as usize];
    unsafe { LLVMConstVector(lanes.as_mut_ptr(), lanes.len() as u32) }
}

/// The constant `value` of a floating-point type, in every lane.
pub fn real(ty: Type, value: f64) -> Value {
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return unsafe { LLVMConstReal(ty, value) };
    }
    let mut lanes = vec![real(ir::element_type(ty), value); ir::vector_length(ty) as usize];
    unsafe { LLVMConstVector(lanes.as_mut_ptr(), lanes.len() as u32) }
}

/// Constants, one a lane; of a scalar type, the first.
pub fn integers(ty: Type, lanes: &[u64]) -> Value {
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return integer(ty, lanes[0]);
    }
    let element = ir::element_type(ty);
    let mut lanes: Vec<Value> = lanes.iter().map(|lane| integer(element, *lane)).collect();
    unsafe { LLVMConstVector(lanes.as_mut_ptr(), lanes.len() as u32) }
}

/// A constant vector of flags.
pub fn flags(types: Types, lanes: &[bool]) -> Value {
    let bit = types.int(1);
    let mut lanes: Vec<Value> = lanes
        .iter()
        .map(|lane| integer(bit, u64::from(*lane)))
        .collect();
    unsafe { LLVMConstVector(lanes.as_mut_ptr(), lanes.len() as u32) }
}

pub struct Builder {
    raw: LLVMBuilderRef,
    module: Module,
    pub types: Types,
}

impl Drop for Builder {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

const UNNAMED: *const std::ffi::c_char = c"".as_ptr();

impl Builder {
    pub fn new(module: Module) -> Builder {
        let types = Types::of(module);
        Builder {
            raw: unsafe { LLVMCreateBuilderInContext(types.context) },
            module,
            types,
        }
    }

    pub fn module(&self) -> Module {
        self.module
    }

    /// Goes before `instruction` and takes over its place in the source.
    pub fn before(&self, instruction: Value) {
        unsafe {
            LLVMPositionBuilderBefore(self.raw, instruction);
            let at = llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(instruction);
            LLVMSetCurrentDebugLocation2(self.raw, at);
        }
    }

    /// Goes after `instruction`; after all phis of the block where it is one.
    pub fn after(&self, instruction: Value) {
        let position = match ir::is_phi(instruction) {
            true => ir::first_insertion_point(ir::parent_block(instruction)),
            false => ir::next(instruction),
        };
        unsafe {
            LLVMPositionBuilderBefore(self.raw, position);
            let at = llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(instruction);
            LLVMSetCurrentDebugLocation2(self.raw, at);
        }
    }

    pub fn insert_block(&self) -> Block {
        unsafe { LLVMGetInsertBlock(self.raw) }
    }

    // ---- blocks ----

    /// Goes to the end of a block that is being made, with the place in the source of `like`.
    pub fn at_end(&self, block: Block, like: Value) {
        unsafe {
            LLVMPositionBuilderAtEnd(self.raw, block);
            let at = llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(like);
            LLVMSetCurrentDebugLocation2(self.raw, at);
        }
    }

    /// A new block that stands before `next` in the function.
    pub fn insert_block_before(&self, next: Block) -> Block {
        unsafe { LLVMInsertBasicBlockInContext(self.types.context, next, UNNAMED) }
    }

    pub fn branch(&self, to: Block) -> Value {
        unsafe { LLVMBuildBr(self.raw, to) }
    }

    pub fn branch_if(&self, condition: Value, then: Block, otherwise: Block) -> Value {
        unsafe { LLVMBuildCondBr(self.raw, condition, then, otherwise) }
    }

    /// Takes an instruction from where it is to here.
    pub fn move_here(&self, instruction: Value) {
        unsafe {
            LLVMInstructionRemoveFromParent(instruction);
            LLVMInsertIntoBuilder(self.raw, instruction);
        }
    }

    // ---- memory ----

    pub fn load(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        unsafe {
            let load = LLVMBuildLoad2(self.raw, ty, pointer, UNNAMED);
            LLVMSetAlignment(load, alignment);
            load
        }
    }

    /// A load that sees what other threads have stored, sooner or later.
    pub fn load_shared(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let load = self.load(ty, pointer, alignment);
        unsafe { LLVMSetOrdering(load, LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic) };
        load
    }

    pub fn store(&self, value: Value, pointer: Value, alignment: u32) -> Value {
        unsafe {
            let store = LLVMBuildStore(self.raw, value, pointer);
            LLVMSetAlignment(store, alignment);
            store
        }
    }

    /// A load of what does not change while instrumented code runs.
    pub fn load_constant(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        const NAME: &str = "invariant.load";
        let load = self.load(ty, pointer, alignment);
        unsafe {
            let kind = LLVMGetMDKindIDInContext(
                self.types.context,
                NAME.as_ptr().cast(),
                NAME.len() as u32,
            );
            let empty = LLVMMDNodeInContext2(self.types.context, std::ptr::null_mut(), 0);
            LLVMSetMetadata(load, kind, LLVMMetadataAsValue(self.types.context, empty));
        }
        load
    }

    /// A load that keeps its place among the other accesses in order.
    pub fn load_in_order(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let load = self.load(ty, pointer, alignment);
        unsafe { LLVMSetVolatile(load, 1) };
        load
    }

    pub fn store_in_order(&self, value: Value, pointer: Value, alignment: u32) -> Value {
        let store = self.store(value, pointer, alignment);
        unsafe { LLVMSetVolatile(store, 1) };
        store
    }

    pub fn alloca(&self, ty: Type, alignment: u32) -> Value {
        unsafe {
            let alloca = LLVMBuildAlloca(self.raw, ty, UNNAMED);
            LLVMSetAlignment(alloca, alignment);
            alloca
        }
    }

    /// An alloca before `instruction`; the builder stays where it is.
    pub fn alloca_at(&self, instruction: Value, ty: Type, alignment: u32) -> Value {
        unsafe {
            let there = LLVMCreateBuilderInContext(self.types.context);
            LLVMPositionBuilderBefore(there, instruction);
            let alloca = LLVMBuildAlloca(there, ty, UNNAMED);
            LLVMDisposeBuilder(there);
            LLVMSetAlignment(alloca, alignment);
            alloca
        }
    }

    /// `pointer` moved by a constant number of bytes.
    pub fn offset(&self, pointer: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return pointer;
        }
        self.index_bytes(pointer, integer(self.types.i64, bytes))
    }

    /// `pointer` moved by a number of bytes.
    pub fn index_bytes(&self, pointer: Value, mut bytes: Value) -> Value {
        unsafe { LLVMBuildGEP2(self.raw, self.types.i8, pointer, &mut bytes, 1, UNNAMED) }
    }

    /// `pointer` moved by `bytes`, an `i64`.
    pub fn displaced(&self, pointer: Value, bytes: Value) -> Value {
        let mut index = [bytes];
        unsafe {
            LLVMBuildGEP2(
                self.raw,
                self.types.i8,
                pointer,
                index.as_mut_ptr(),
                1,
                UNNAMED,
            )
        }
    }

    /// The mirror of `pointer` (or of each pointer of a vector) `distance` bytes below. The constant
    /// is the base and the pointer the index: the other way round the optimiser may conclude that
    /// the access is out of the object's bounds and delete it.
    pub fn mirror(&self, pointer: Value, distance: u64) -> Value {
        let below = integer(self.types.i64, distance.wrapping_neg());
        let shape = ir::type_of(pointer);
        let address_type = self.types.shaped(self.types.i64, shape);
        unsafe {
            let address = LLVMBuildPtrToInt(self.raw, pointer, address_type, UNNAMED);
            if address_type == self.types.i64 {
                let base = LLVMConstIntToPtr(below, self.types.pointer);
                return self.index_bytes(base, address);
            }
            let moved = LLVMBuildAdd(
                self.raw,
                address,
                splat(address_type, distance.wrapping_neg()),
                UNNAMED,
            );
            LLVMBuildIntToPtr(self.raw, moved, shape, UNNAMED)
        }
    }

    pub fn copy_memory(&self, to: Value, from: Value, bytes: Value, overlapping: bool) -> Value {
        unsafe {
            if overlapping {
                LLVMBuildMemMove(self.raw, to, 1, from, 1, bytes)
            } else {
                LLVMBuildMemCpy(self.raw, to, 1, from, 1, bytes)
            }
        }
    }

    pub fn clear_memory(&self, to: Value, bytes: Value) -> Value {
        unsafe { LLVMBuildMemSet(self.raw, to, null(self.types.i8), bytes, 1) }
    }

    pub fn atomic_add(&self, pointer: Value, value: Value) {
        unsafe {
            LLVMBuildAtomicRMW(
                self.raw,
                LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd,
                pointer,
                value,
                LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic,
                0,
            );
        }
    }

    // ---- integers and bits ----

    pub fn or(&self, a: Value, b: Value) -> Value {
        unsafe { LLVMBuildOr(self.raw, a, b, UNNAMED) }
    }

    pub fn and(&self, a: Value, b: Value) -> Value {
        unsafe { LLVMBuildAnd(self.raw, a, b, UNNAMED) }
    }

    pub fn xor(&self, a: Value, b: Value) -> Value {
        unsafe { LLVMBuildXor(self.raw, a, b, UNNAMED) }
    }

    pub fn not(&self, a: Value) -> Value {
        unsafe { LLVMBuildNot(self.raw, a, UNNAMED) }
    }

    pub fn compare(&self, predicate: LLVMIntPredicate, a: Value, b: Value) -> Value {
        unsafe { LLVMBuildICmp(self.raw, predicate, a, b, UNNAMED) }
    }

    pub fn equal(&self, a: Value, b: Value) -> Value {
        self.compare(LLVMIntPredicate::LLVMIntEQ, a, b)
    }

    pub fn differ(&self, a: Value, b: Value) -> Value {
        self.compare(LLVMIntPredicate::LLVMIntNE, a, b)
    }

    pub fn bitcast(&self, value: Value, ty: Type) -> Value {
        if ir::type_of(value) == ty {
            return value;
        }
        unsafe { LLVMBuildBitCast(self.raw, value, ty, UNNAMED) }
    }

    /// To another width, the sign bit repeated: what a mask needs.
    pub fn resize_mask(&self, value: Value, ty: Type) -> Value {
        unsafe { LLVMBuildIntCast2(self.raw, value, ty, 1, UNNAMED) }
    }

    pub fn resize_unsigned(&self, value: Value, ty: Type) -> Value {
        unsafe { LLVMBuildIntCast2(self.raw, value, ty, 0, UNNAMED) }
    }

    pub fn cast(&self, opcode: Opcode, value: Value, ty: Type) -> Value {
        unsafe { LLVMBuildCast(self.raw, opcode, value, ty, UNNAMED) }
    }

    pub fn binary(&self, opcode: Opcode, a: Value, b: Value) -> Value {
        unsafe { LLVMBuildBinOp(self.raw, opcode, a, b, UNNAMED) }
    }

    /// A scalar in every lane of a vector type; as it is for a scalar type.
    pub fn broadcast(&self, scalar: Value, ty: Type) -> Value {
        if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
            return scalar;
        }
        let first = self.insert_element(null(ty), scalar, null(self.types.i32));
        self.shuffle(first, first, &vec![0; ir::vector_length(ty) as usize])
    }

    /// A floating-point scalar as a double.
    pub fn as_double(&self, value: Value) -> Value {
        unsafe { LLVMBuildFPCast(self.raw, value, self.types.double, UNNAMED) }
    }

    pub fn shift_left(&self, value: Value, bits: u64) -> Value {
        self.binary(Opcode::LLVMShl, value, splat(ir::type_of(value), bits))
    }

    pub fn shift_right(&self, value: Value, bits: u64) -> Value {
        self.binary(Opcode::LLVMLShr, value, splat(ir::type_of(value), bits))
    }

    pub fn freeze(&self, value: Value) -> Value {
        unsafe { LLVMBuildFreeze(self.raw, value, UNNAMED) }
    }

    /// The size of a scalar or vector type in bits.
    pub fn bits(&self, ty: Type) -> u64 {
        ir::Layout::of(self.module).bits(ty)
    }

    /// Whether any lane of an `i1` vector is set; scalars as they are.
    pub fn any_lane(&self, flags: Value) -> Value {
        let ty = ir::type_of(flags);
        if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
            return flags;
        }
        let bits = self.types.int(ir::vector_length(ty));
        self.differ(self.bitcast(flags, bits), null(bits))
    }

    /// Whether an integer, or any lane of a vector of them, is not zero.
    pub fn is_any_bit_set(&self, value: Value) -> Value {
        let ty = ir::type_of(value);
        let bits = crate::shape::lanes(ty) * ir::int_width(crate::shape::scalar(ty));
        // Narrow lanes: the comparison of wide ones is not an instruction of every processor.
        let narrow = match ir::type_kind(ty) {
            TypeKind::LLVMVectorTypeKind if bits.is_multiple_of(32) => unsafe {
                LLVMVectorType(self.types.i32, bits / 32)
            },
            _ => ty,
        };
        let value = self.bitcast(value, narrow);
        self.any_lane(self.differ(value, null(narrow)))
    }

    // ---- choosing and moving lanes ----

    pub fn select(&self, condition: Value, a: Value, b: Value) -> Value {
        unsafe { LLVMBuildSelect(self.raw, condition, a, b, UNNAMED) }
    }

    pub fn phi(&self, ty: Type, block: Block) -> Value {
        unsafe {
            LLVMPositionBuilderBefore(self.raw, LLVMGetFirstInstruction(block));
            LLVMBuildPhi(self.raw, ty, UNNAMED)
        }
    }

    pub fn extract_element(&self, vector: Value, index: Value) -> Value {
        unsafe { LLVMBuildExtractElement(self.raw, vector, index, UNNAMED) }
    }

    pub fn extract_lane(&self, vector: Value, lane: u32) -> Value {
        self.extract_element(vector, integer(self.types.i32, u64::from(lane)))
    }

    pub fn insert_element(&self, vector: Value, element: Value, index: Value) -> Value {
        unsafe { LLVMBuildInsertElement(self.raw, vector, element, index, UNNAMED) }
    }

    pub fn shuffle(&self, a: Value, b: Value, mask: &[i32]) -> Value {
        let mut lanes: Vec<Value> = mask
            .iter()
            .map(|lane| match u64::try_from(*lane) {
                Ok(lane) => integer(self.types.i32, lane),
                Err(_) => unsafe { LLVMGetPoison(self.types.i32) },
            })
            .collect();
        unsafe {
            let mask = LLVMConstVector(lanes.as_mut_ptr(), lanes.len() as c_uint);
            LLVMBuildShuffleVector(self.raw, a, b, mask, UNNAMED)
        }
    }

    /// The member of an aggregate that `path` leads to; the value itself if it is empty.
    pub fn member(&self, aggregate: Value, path: &[u32]) -> Value {
        path.iter().fold(aggregate, |value, index| unsafe {
            LLVMBuildExtractValue(self.raw, value, *index, UNNAMED)
        })
    }

    // ---- calls ----

    pub fn call(&self, function: Value, arguments: &[Value]) -> Value {
        let mut arguments = arguments.to_vec();
        unsafe {
            LLVMBuildCall2(
                self.raw,
                ir::function_type(function),
                function,
                arguments.as_mut_ptr(),
                arguments.len() as u32,
                UNNAMED,
            )
        }
    }

    /// Calls an intrinsic, chosen by its base name and the types it is overloaded on.
    pub fn intrinsic(&self, name: &str, types: &[Type], arguments: &[Value]) -> Value {
        let mut types = types.to_vec();
        let function = unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert_ne!(id, 0, "{name} is an intrinsic of this LLVM");
            LLVMGetIntrinsicDeclaration(self.module, id, types.as_mut_ptr(), types.len())
        };
        self.call(function, arguments)
    }

    /// The value as it is, but hidden from what optimises floating-point arithmetic.
    pub fn fence(&self, value: Value) -> Value {
        self.intrinsic("llvm.arithmetic.fence", &[ir::type_of(value)], &[value])
    }

    /// A copy of `instruction` with some operands replaced.
    pub fn insert_clone(&self, instruction: Value, operands: &[(u32, Value)]) -> Value {
        unsafe {
            let clone = LLVMInstructionClone(instruction);
            for (index, value) in operands {
                LLVMSetOperand(clone, *index, *value);
            }
            LLVMInsertIntoBuilder(self.raw, clone);
            let at = llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(instruction);
            llvm_sys::debuginfo::LLVMInstructionSetDebugLoc(clone, at);
            clone
        }
    }

    pub fn compare_reals(&self, predicate: LLVMRealPredicate, a: Value, b: Value) -> Value {
        unsafe { LLVMBuildFCmp(self.raw, predicate, a, b, UNNAMED) }
    }

    /// A floating-point value (or vector) in another format of as many lanes.
    pub fn convert(&self, value: Value, ty: Type) -> Value {
        if ir::type_of(value) == ty {
            return value;
        }
        unsafe { LLVMBuildFPCast(self.raw, value, ty, UNNAMED) }
    }

    pub fn magnitude(&self, value: Value) -> Value {
        self.intrinsic("llvm.fabs", &[ir::type_of(value)], &[value])
    }

    pub fn negate(&self, value: Value) -> Value {
        unsafe { LLVMBuildFNeg(self.raw, value, UNNAMED) }
    }

    // ---- module-level things ----

    pub fn declare(&self, name: &str, result: Type, parameters: &[Type]) -> Value {
        let text = c_string(name);
        unsafe {
            let known = LLVMGetNamedFunction(self.module, text.as_ptr());
            if !known.is_null() {
                return known;
            }
            LLVMAddFunction(
                self.module,
                text.as_ptr(),
                self.types.function(result, parameters),
            )
        }
    }

    /// A variable that the runtime defines.
    pub fn external(&self, name: &str) -> Value {
        let text = c_string(name);
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, text.as_ptr());
            if !known.is_null() {
                return known;
            }
            LLVMAddGlobal(self.module, self.types.i64, text.as_ptr())
        }
    }

    pub fn global(&self, name: &str, initial: Value) -> Value {
        let text = c_string(name);
        unsafe {
            let global = LLVMAddGlobal(self.module, ir::type_of(initial), text.as_ptr());
            LLVMSetInitializer(global, initial);
            LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            global
        }
    }

    /// An internal function without parameters that calls `called` with `argument`.
    pub fn make_hook(&self, name: &str, called: Value, argument: Value) -> Value {
        let text = c_string(name);
        unsafe {
            let ty = self.types.function(self.types.void, &[]);
            let hook = LLVMAddFunction(self.module, text.as_ptr(), ty);
            LLVMSetLinkage(hook, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            let block = LLVMAppendBasicBlockInContext(self.types.context, hook, UNNAMED);
            LLVMPositionBuilderAtEnd(self.raw, block);
            LLVMSetCurrentDebugLocation2(self.raw, std::ptr::null_mut());
            self.call(called, &[argument]);
            LLVMBuildRetVoid(self.raw);
            hook
        }
    }

    pub fn bytes(&self, bytes: &[u8]) -> Value {
        unsafe {
            LLVMConstStringInContext2(self.types.context, bytes.as_ptr().cast(), bytes.len(), 1)
        }
    }

    pub fn constant_structure(&self, fields: &[Value]) -> Value {
        let mut fields = fields.to_vec();
        unsafe {
            LLVMConstStructInContext(
                self.types.context,
                fields.as_mut_ptr(),
                fields.len() as u32,
                0,
            )
        }
    }

    /// A thread-local array of bytes that all modules of this name share.
    pub fn shared_thread_local(&self, name: &str, bytes: u64) -> Value {
        let text = c_string(name);
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, text.as_ptr());
            if !known.is_null() {
                return known;
            }
            let ty = self.types.array(self.types.i8, bytes);
            let global = LLVMAddGlobal(self.module, ty, text.as_ptr());
            LLVMSetInitializer(global, null(ty));
            LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMLinkOnceODRLinkage);
            LLVMSetThreadLocal(global, 1);
            LLVMSetAlignment(global, 16);
            let comdat = llvm_sys::comdat::LLVMGetOrInsertComdat(self.module, text.as_ptr());
            llvm_sys::comdat::LLVMSetComdat(global, comdat);
            global
        }
    }
}
