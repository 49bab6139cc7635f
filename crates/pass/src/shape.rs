//! Which parts of a type have shadows.
//!
//! A *leaf* is a floating-point scalar or vector inside a type, with the offset it has in memory.
//! Scalars and vectors are their own single leaf; aggregates (complex numbers, structs returned by
//! value) have one for each floating-point member. A shadow is kept leaf by leaf.
//!
//! Integers have no leaves: whether their bits carry a shadow is found out only where they are moved
//! to memory or back into a floating-point value (see `carry::bits`).

use std::ops::Range;

use lostbits_abi::kind::FpKind;

use crate::ir::{self, Layout, Opcode, Type, TypeKind, Value};

#[derive(Clone)]
pub struct Leaf {
    pub ty: Type,
    pub kind: FpKind,
    /// Bytes from the start of the enclosing type.
    pub offset: u64,
    /// The indices that lead to it; none for scalars and vectors.
    pub path: Vec<u32>,
}

pub fn lanes(ty: Type) -> u32 {
    match ir::type_kind(ty) {
        TypeKind::LLVMVectorTypeKind => ir::vector_length(ty),
        _ => 1,
    }
}

/// The scalar type of a scalar or of a vector's lanes.
pub fn scalar(ty: Type) -> Type {
    match ir::type_kind(ty) {
        TypeKind::LLVMVectorTypeKind => ir::element_type(ty),
        _ => ty,
    }
}

/// The format of a scalar or vector that is followed.
pub fn fp_kind(ty: Type) -> Option<FpKind> {
    match ir::type_kind(ty) {
        TypeKind::LLVMHalfTypeKind => Some(FpKind::Half),
        TypeKind::LLVMBFloatTypeKind => Some(FpKind::BFloat),
        TypeKind::LLVMFloatTypeKind => Some(FpKind::Float),
        TypeKind::LLVMDoubleTypeKind => Some(FpKind::Double),
        TypeKind::LLVMX86_FP80TypeKind => Some(FpKind::X87),
        // Lanes of 80 bits lie in memory unlike an array of them; no compiler makes such code.
        TypeKind::LLVMVectorTypeKind => {
            fp_kind(ir::element_type(ty)).filter(|kind| *kind != FpKind::X87)
        }
        _ => None,
    }
}

/// Whether a scalar or vector is floating-point at all, followed or not.
pub fn is_floating(ty: Type) -> bool {
    let fp128 = [TypeKind::LLVMFP128TypeKind, TypeKind::LLVMPPC_FP128TypeKind];
    let element = scalar(ty);
    fp_kind(element).is_some() || fp128.contains(&ir::type_kind(element))
}

pub fn leaves(layout: Layout, ty: Type) -> Vec<Leaf> {
    let mut all = Vec::new();
    collect(layout, ty, 0, &mut Vec::new(), &mut all);
    all
}

/// Larger arrays never travel in registers; expanding them would only bloat the code.
const MOST_ARRAY_ELEMENTS: u64 = 64;

fn collect(layout: Layout, ty: Type, offset: u64, path: &mut Vec<u32>, all: &mut Vec<Leaf>) {
    if let Some(kind) = fp_kind(ty) {
        all.push(Leaf {
            ty,
            kind,
            offset,
            path: path.clone(),
        });
        return;
    }
    let mut member = |index: u32, ty: Type, within: u64| {
        path.push(index);
        collect(layout, ty, offset + within, path, all);
        path.pop();
    };
    match ir::type_kind(ty) {
        TypeKind::LLVMStructTypeKind => {
            for (index, element) in (0..).zip(ir::struct_elements(ty)) {
                member(index, element, layout.offset(ty, index));
            }
        }
        TypeKind::LLVMArrayTypeKind if ir::array_length(ty) <= MOST_ARRAY_ELEMENTS => {
            let element = ir::element_type(ty);
            for index in 0..ir::array_length(ty) {
                member(index as u32, element, index * layout.stride(element));
            }
        }
        _ => {}
    }
}

/// Which leaves of `ty` belong to the member at `indices`.
pub fn member_leaves(layout: Layout, ty: Type, indices: &[u32]) -> Range<usize> {
    let Some((first, rest)) = indices.split_first() else {
        return 0..leaves(layout, ty).len();
    };
    let count = |ty| leaves(layout, ty).len();
    let (before, member) = match ir::type_kind(ty) {
        TypeKind::LLVMStructTypeKind => {
            let elements = ir::struct_elements(ty);
            let before = elements[..*first as usize]
                .iter()
                .map(|ty| count(*ty))
                .sum();
            (before, elements[*first as usize])
        }
        _ if count(ty) == 0 => return 0..0,
        _ => {
            let element = ir::element_type(ty);
            (*first as usize * count(element), element)
        }
    };
    let within = member_leaves(layout, member, rest);
    before + within.start..before + within.end
}

/// Which lanes of a vector its users use; all, where that is unknown. Vectorised code computes
/// with lanes that nothing uses.
pub fn demanded_lanes(value: Value) -> Vec<bool> {
    let lanes = lanes(ir::type_of(value)) as usize;
    let mut demanded = vec![false; lanes];
    for user in ir::uses(value) {
        match ir::opcode(user) {
            Opcode::LLVMExtractElement if ir::constant_integer(ir::operand(user, 1)).is_some() => {
                let lane = ir::constant_integer(ir::operand(user, 1)).unwrap_or(0) as usize;
                if let Some(lane) = demanded.get_mut(lane) {
                    *lane = true;
                }
            }
            Opcode::LLVMShuffleVector => {
                for from in ir::shuffle_mask(user) {
                    let Ok(from) = usize::try_from(from) else {
                        continue;
                    };
                    // The second operand's lanes follow the first's.
                    if ir::operand(user, (from / lanes) as u32) == value {
                        demanded[from % lanes] = true;
                    }
                }
            }
            _ => return vec![true; lanes],
        }
    }
    demanded
}

/// Integers wide enough to move floating-point bits about, and vectors of them.
pub fn can_hold_bits(layout: Layout, ty: Type) -> bool {
    ir::type_kind(scalar(ty)) == TypeKind::LLVMIntegerTypeKind
        && ir::int_width(scalar(ty)).is_multiple_of(8)
        && layout.bits(ty) >= 32
        && layout.bits(ty).is_multiple_of(32)
}
