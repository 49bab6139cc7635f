//! Making instructions.

mod module_level;

use llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMRealPredicate};

use lostbits_abi::{functions::AbiType, shadow};

use crate::ir::{
    self, Block, Context, Function, Module, Opcode, RawBuilder, Type, TypeKind, Value, api::*,
};
use crate::low_addresses;

/// The types the pass speaks of, in the module's context.
#[derive(Clone, Copy)]
pub struct Types {
    context: Context,
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

    pub fn int(&self, bits: u32) -> Type {
        LLVMIntTypeInContext(self.context, bits)
    }

    /// The type by which a value crosses between instrumented code and the runtime.
    pub fn abi(&self, ty: AbiType) -> Type {
        match ty {
            AbiType::Void => self.void,
            AbiType::I32 => self.i32,
            AbiType::I64 => self.i64,
            AbiType::F32 => self.float,
            AbiType::F64 => self.double,
            AbiType::Pointer => self.pointer,
        }
    }

    pub fn vector(&self, element: Type, lanes: u32) -> Type {
        LLVMVectorType(element, lanes)
    }

    pub fn array(&self, element: Type, length: u64) -> Type {
        LLVMArrayType2(element, length)
    }

    /// `element` in the shape of `like`: a vector of as many lanes where `like` is one.
    pub fn shaped(&self, element: Type, like: Type) -> Type {
        match ir::type_kind(like) {
            TypeKind::LLVMVectorTypeKind => LLVMVectorType(element, ir::vector_length(like)),
            _ => element,
        }
    }

    pub fn structure(&self, fields: &[Type]) -> Type {
        let count = fields.len() as u32;
        // SAFETY: pointer and count are those of the slice.
        unsafe { LLVMStructTypeInContext(self.context, fields.as_ptr(), count, 0) }
    }

    pub fn function(&self, result: Type, parameters: &[Type]) -> Type {
        let count = parameters.len() as u32;
        // SAFETY: pointer and count are those of the slice.
        unsafe { LLVMFunctionType(result, parameters.as_ptr(), count, 0) }
    }
}

fn vector_of(lanes: &[Value]) -> Value {
    // SAFETY: pointer and count are those of the slice.
    unsafe { LLVMConstVector(lanes.as_ptr(), lanes.len() as u32) }
}

pub fn null(ty: Type) -> Value {
    LLVMConstNull(ty)
}

pub fn poison(ty: Type) -> Value {
    LLVMGetPoison(ty)
}

pub fn all_ones(ty: Type) -> Value {
    LLVMConstAllOnes(ty)
}

pub fn integer(ty: Type, value: u64) -> Value {
    LLVMConstInt(ty, value, 0)
}

/// The constant `value`, truncated to the width of `ty`'s lanes, in every lane.
pub fn splat(ty: Type, value: u64) -> Value {
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return integer(ty, value);
    }
    let lanes = vec![integer(ir::element_type(ty), value); ir::vector_length(ty) as usize];
    vector_of(&lanes)
}

/// The constant `value` of a floating-point type, in every lane.
pub fn real(ty: Type, value: f64) -> Value {
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return LLVMConstReal(ty, value);
    }
    let lanes = vec![real(ir::element_type(ty), value); ir::vector_length(ty) as usize];
    vector_of(&lanes)
}

/// Constants, one a lane; of a scalar type, the first.
pub fn integers(ty: Type, lanes: &[u64]) -> Value {
    if ir::type_kind(ty) != TypeKind::LLVMVectorTypeKind {
        return integer(ty, lanes[0]);
    }
    let element = ir::element_type(ty);
    let lanes: Vec<Value> = lanes.iter().map(|lane| integer(element, *lane)).collect();
    vector_of(&lanes)
}

/// A constant vector of flags.
pub fn flags(types: Types, lanes: &[bool]) -> Value {
    let bit = types.int(1);
    let lanes: Vec<Value> = lanes
        .iter()
        .map(|lane| integer(bit, u64::from(*lane)))
        .collect();
    vector_of(&lanes)
}

pub struct Builder {
    raw: RawBuilder,
    module: Module,
    pub types: Types,
    /// See [`low_addresses`].
    expects_low_addresses: bool,
}

impl Drop for Builder {
    fn drop(&mut self) {
        LLVMDisposeBuilder(self.raw)
    }
}

impl Builder {
    pub fn new(module: Module) -> Builder {
        let types = Types::of(module);
        Builder {
            raw: LLVMCreateBuilderInContext(types.context),
            module,
            types,
            expects_low_addresses: low_addresses::may_occur(module),
        }
    }

    pub fn module(&self) -> Module {
        self.module
    }

    /// Goes before `instruction` and takes over its place in the source.
    pub fn before(&self, instruction: Value) {
        LLVMPositionBuilderBefore(self.raw, instruction);
        let at = LLVMInstructionGetDebugLoc(instruction);
        LLVMSetCurrentDebugLocation2(self.raw, at);
    }

    /// Goes after `instruction`; after all phis of the block where it is one.
    pub fn after(&self, instruction: Value) {
        let position = match ir::is_phi(instruction) {
            true => ir::first_insertion_point(ir::parent_block(instruction)),
            false => ir::next(instruction),
        };
        {
            LLVMPositionBuilderBefore(self.raw, position);
            let at = LLVMInstructionGetDebugLoc(instruction);
            LLVMSetCurrentDebugLocation2(self.raw, at);
        }
    }

    pub fn insert_block(&self) -> Block {
        LLVMGetInsertBlock(self.raw)
    }

    // ---- blocks ----

    /// Goes to the end of a block that is being made, with the place in the source of `like`.
    pub fn at_end(&self, block: Block, like: Value) {
        LLVMPositionBuilderAtEnd(self.raw, block);
        let at = LLVMInstructionGetDebugLoc(like);
        LLVMSetCurrentDebugLocation2(self.raw, at);
    }

    /// A new block before `next` in the function.
    pub fn insert_block_before(&self, next: Block) -> Block {
        LLVMInsertBasicBlockInContext(self.types.context, next, UNNAMED)
    }

    pub fn branch(&self, to: Block) -> Value {
        LLVMBuildBr(self.raw, to)
    }

    pub fn branch_if(&self, condition: Value, then: Block, otherwise: Block) -> Value {
        LLVMBuildCondBr(self.raw, condition, then, otherwise)
    }

    /// Takes an instruction from where it is to here.
    pub fn move_here(&self, instruction: Value) {
        LLVMInstructionRemoveFromParent(instruction);
        LLVMInsertIntoBuilder(self.raw, instruction);
    }

    // ---- memory ----

    pub fn load(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let load = LLVMBuildLoad2(self.raw, ty, pointer, UNNAMED);
        LLVMSetAlignment(load, alignment);
        load
    }

    /// A load that sees what other threads have stored, sooner or later.
    pub fn load_shared(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let load = self.load(ty, pointer, alignment);
        LLVMSetOrdering(load, LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic);
        load
    }

    pub fn store(&self, value: Value, pointer: Value, alignment: u32) -> Value {
        let store = LLVMBuildStore(self.raw, value, pointer);
        LLVMSetAlignment(store, alignment);
        store
    }

    /// A load of what does not change while instrumented code runs.
    pub fn load_constant(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let load = self.load(ty, pointer, alignment);
        ir::mark(load, "invariant.load");
        load
    }

    /// A load that keeps its place among the other accesses in order.
    pub fn load_in_order(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let load = self.load(ty, pointer, alignment);
        LLVMSetVolatile(load, 1);
        load
    }

    pub fn store_in_order(&self, value: Value, pointer: Value, alignment: u32) -> Value {
        let store = self.store(value, pointer, alignment);
        LLVMSetVolatile(store, 1);
        store
    }

    pub fn alloca(&self, ty: Type, alignment: u32) -> Value {
        let alloca = LLVMBuildAlloca(self.raw, ty, UNNAMED);
        LLVMSetAlignment(alloca, alignment);
        alloca
    }

    /// An alloca before `instruction`; the builder stays where it is.
    pub fn alloca_at(&self, instruction: Value, ty: Type, alignment: u32) -> Value {
        let there = LLVMCreateBuilderInContext(self.types.context);
        LLVMPositionBuilderBefore(there, instruction);
        let alloca = LLVMBuildAlloca(there, ty, UNNAMED);
        LLVMDisposeBuilder(there);
        LLVMSetAlignment(alloca, alignment);
        alloca
    }

    /// `pointer` moved by a constant number of bytes.
    pub fn offset(&self, pointer: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return pointer;
        }
        self.index_bytes(pointer, integer(self.types.i64, bytes))
    }

    /// `pointer` moved by a number of bytes.
    pub fn index_bytes(&self, pointer: Value, bytes: Value) -> Value {
        // SAFETY: the array has one element.
        unsafe { LLVMBuildGEP2(self.raw, self.types.i8, pointer, &bytes, 1, UNNAMED) }
    }

    /// The mirror of `pointer` (or of each pointer of a vector) `distance` bytes below. The constant
    /// is the base and the pointer the index: the other way round the optimiser may conclude that
    /// the access is out of the object's bounds and delete it.
    pub fn mirror(&self, pointer: Value, distance: u64) -> Value {
        let below = integer(self.types.i64, distance.wrapping_neg());
        let shape = ir::type_of(pointer);
        let address_type = self.types.shaped(self.types.i64, shape);
        {
            let address = LLVMBuildPtrToInt(self.raw, pointer, address_type, UNNAMED);
            let address = match self.expects_low_addresses {
                true => self.alias(pointer, address),
                false => address,
            };
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

    /// [`shadow::alias`] of an address. What decides is the start of the object, which is loop-invariant more often than the address.
    fn alias(&self, pointer: Value, address: Value) -> Value {
        let base = ir::base(pointer);
        if low_addresses::is_high(base) {
            return address;
        }
        let of_base = match ir::is_constant(base) || ir::type_of(base) != ir::type_of(pointer) {
            true => address,
            false => LLVMBuildPtrToInt(self.raw, base, ir::type_of(address), UNNAMED),
        };
        let ty = ir::type_of(address);
        let low_end = splat(ty, shadow::LOW_END);
        let is_low = self.compare(LLVMIntPredicate::LLVMIntULT, of_base, low_end);
        let moved = self.select(is_low, splat(ty, shadow::LOW_ALIAS), null(ty));
        LLVMBuildAdd(self.raw, address, moved, UNNAMED)
    }

    pub fn copy_memory(&self, to: Value, from: Value, bytes: Value, overlapping: bool) -> Value {
        if overlapping {
            LLVMBuildMemMove(self.raw, to, 1, from, 1, bytes)
        } else {
            LLVMBuildMemCpy(self.raw, to, 1, from, 1, bytes)
        }
    }

    pub fn clear_memory(&self, to: Value, bytes: Value) -> Value {
        LLVMBuildMemSet(self.raw, to, null(self.types.i8), bytes, 1)
    }

    pub fn atomic_add(&self, pointer: Value, value: Value) {
        LLVMBuildAtomicRMW(
            self.raw,
            LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd,
            pointer,
            value,
            LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic,
            0,
        );
    }

    // ---- integers and bits ----

    pub fn or(&self, a: Value, b: Value) -> Value {
        LLVMBuildOr(self.raw, a, b, UNNAMED)
    }

    pub fn and(&self, a: Value, b: Value) -> Value {
        LLVMBuildAnd(self.raw, a, b, UNNAMED)
    }

    pub fn xor(&self, a: Value, b: Value) -> Value {
        LLVMBuildXor(self.raw, a, b, UNNAMED)
    }

    pub fn not(&self, a: Value) -> Value {
        LLVMBuildNot(self.raw, a, UNNAMED)
    }

    pub fn compare(&self, predicate: LLVMIntPredicate, a: Value, b: Value) -> Value {
        LLVMBuildICmp(self.raw, predicate, a, b, UNNAMED)
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
        LLVMBuildBitCast(self.raw, value, ty, UNNAMED)
    }

    /// To another width, the sign bit repeated: what a mask needs.
    pub fn resize_mask(&self, value: Value, ty: Type) -> Value {
        LLVMBuildIntCast2(self.raw, value, ty, 1, UNNAMED)
    }

    pub fn resize_unsigned(&self, value: Value, ty: Type) -> Value {
        LLVMBuildIntCast2(self.raw, value, ty, 0, UNNAMED)
    }

    pub fn cast(&self, opcode: Opcode, value: Value, ty: Type) -> Value {
        LLVMBuildCast(self.raw, opcode, value, ty, UNNAMED)
    }

    pub fn binary(&self, opcode: Opcode, a: Value, b: Value) -> Value {
        LLVMBuildBinOp(self.raw, opcode, a, b, UNNAMED)
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
        LLVMBuildFPCast(self.raw, value, self.types.double, UNNAMED)
    }

    pub fn shift_left(&self, value: Value, bits: u64) -> Value {
        self.binary(Opcode::LLVMShl, value, splat(ir::type_of(value), bits))
    }

    pub fn shift_right(&self, value: Value, bits: u64) -> Value {
        self.binary(Opcode::LLVMLShr, value, splat(ir::type_of(value), bits))
    }

    pub fn freeze(&self, value: Value) -> Value {
        LLVMBuildFreeze(self.raw, value, UNNAMED)
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
            TypeKind::LLVMVectorTypeKind if bits.is_multiple_of(32) => {
                LLVMVectorType(self.types.i32, bits / 32)
            }
            _ => ty,
        };
        let value = self.bitcast(value, narrow);
        self.any_lane(self.differ(value, null(narrow)))
    }

    // ---- choosing and moving lanes ----

    pub fn select(&self, condition: Value, a: Value, b: Value) -> Value {
        LLVMBuildSelect(self.raw, condition, a, b, UNNAMED)
    }

    pub fn phi(&self, ty: Type, block: Block) -> Value {
        LLVMPositionBuilderBefore(self.raw, ir::first_instruction(block));
        LLVMBuildPhi(self.raw, ty, UNNAMED)
    }

    pub fn extract_element(&self, vector: Value, index: Value) -> Value {
        LLVMBuildExtractElement(self.raw, vector, index, UNNAMED)
    }

    pub fn extract_lane(&self, vector: Value, lane: u32) -> Value {
        self.extract_element(vector, integer(self.types.i32, u64::from(lane)))
    }

    pub fn insert_element(&self, vector: Value, element: Value, index: Value) -> Value {
        LLVMBuildInsertElement(self.raw, vector, element, index, UNNAMED)
    }

    pub fn shuffle(&self, a: Value, b: Value, mask: &[i32]) -> Value {
        let lanes: Vec<Value> = mask
            .iter()
            .map(|lane| match u64::try_from(*lane) {
                Ok(lane) => integer(self.types.i32, lane),
                Err(_) => LLVMGetPoison(self.types.i32),
            })
            .collect();
        {
            let mask = vector_of(&lanes);
            LLVMBuildShuffleVector(self.raw, a, b, mask, UNNAMED)
        }
    }

    /// The member of an aggregate that `path` leads to; the value itself if it is empty.
    pub fn member(&self, aggregate: Value, path: &[u32]) -> Value {
        path.iter().fold(aggregate, |value, index| {
            LLVMBuildExtractValue(self.raw, value, *index, UNNAMED)
        })
    }

    pub fn insert_member(&self, aggregate: Value, member: Value, index: u32) -> Value {
        LLVMBuildInsertValue(self.raw, aggregate, member, index, UNNAMED)
    }

    // ---- calls ----

    pub fn call(&self, function: Function, arguments: &[Value]) -> Value {
        let ty = ir::function_type(function);
        let (first, count) = (arguments.as_ptr(), arguments.len() as u32);
        // SAFETY: pointer and count are those of the slice.
        unsafe { LLVMBuildCall2(self.raw, ty, function, first, count, UNNAMED) }
    }

    /// Calls an intrinsic, chosen by its base name and the types it is overloaded on.
    pub fn intrinsic(&self, name: &str, types: &[Type], arguments: &[Value]) -> Value {
        // SAFETY: pointers and lengths are those of the name and of the slice.
        let function = unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            assert_ne!(id, 0, "{name} is no intrinsic of this LLVM");
            LLVMGetIntrinsicDeclaration(self.module, id, types.as_ptr(), types.len())
        };
        self.call(function, arguments)
    }

    /// The value as it is, but hidden from what optimises floating-point arithmetic.
    pub fn fence(&self, value: Value) -> Value {
        self.intrinsic("llvm.arithmetic.fence", &[ir::type_of(value)], &[value])
    }

    /// A copy of `instruction` with some operands replaced.
    pub fn insert_clone(&self, instruction: Value, operands: &[(u32, Value)]) -> Value {
        let clone = LLVMInstructionClone(instruction);
        for (index, value) in operands {
            LLVMSetOperand(clone, *index, *value);
        }
        LLVMInsertIntoBuilder(self.raw, clone);
        let at = LLVMInstructionGetDebugLoc(instruction);
        LLVMInstructionSetDebugLoc(clone, at);
        clone
    }

    pub fn compare_reals(&self, predicate: LLVMRealPredicate, a: Value, b: Value) -> Value {
        LLVMBuildFCmp(self.raw, predicate, a, b, UNNAMED)
    }

    /// A floating-point value (or vector) in another format of as many lanes.
    pub fn convert(&self, value: Value, ty: Type) -> Value {
        if ir::type_of(value) == ty {
            return value;
        }
        LLVMBuildFPCast(self.raw, value, ty, UNNAMED)
    }

    pub fn magnitude(&self, value: Value) -> Value {
        self.intrinsic("llvm.fabs", &[ir::type_of(value)], &[value])
    }

    pub fn negate(&self, value: Value) -> Value {
        LLVMBuildFNeg(self.raw, value, UNNAMED)
    }
}
