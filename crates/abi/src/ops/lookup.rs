//! Look-ups in the operation table, each a hash map made on first use: the pass asks for every call.

use std::{borrow::Cow, collections::HashMap, sync::OnceLock};

use super::Op;
use crate::kind::FpKind;

type Names<T> = OnceLock<HashMap<Cow<'static, str>, T>>;

pub(super) fn opcode(opcode: &str) -> Option<Op> {
    static NAMES: Names<Op> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        Op::ALL
            .iter()
            .filter_map(|op| Some((op.info().opcode?.into(), *op)))
            .collect()
    });
    names.get(opcode).copied()
}

pub(super) fn intrinsic(name: &str) -> Option<Op> {
    static NAMES: Names<Op> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let of_row = |op: &Op| {
            let op = *op;
            op.info()
                .intrinsics
                .iter()
                .map(move |name| (Cow::from(*name), op))
        };
        Op::ALL.iter().flat_map(of_row).collect()
    });
    let name = without_types(name.strip_prefix("llvm.")?);
    if let Some(op) = names.get(name) {
        return Some(*op);
    }
    // The variants of instructions as intrinsics: with an FP environment, or with a mask.
    let variant = name
        .strip_prefix("experimental.constrained.")
        .or_else(|| name.strip_prefix("vp."))?;
    if let Some(reduction) = variant.strip_prefix("reduce.") {
        return names
            .get(format!("vector.reduce.{reduction}").as_str())
            .copied();
    }
    if name == "vp.trunc" {
        return None; // an integer's truncation
    }
    names.get(variant).copied().or_else(|| opcode(variant))
}

/// Takes off `.f64`, `.v4f32`, `.nxv2f64`, `.i64.f64`, `.p0`.
fn without_types(mut name: &str) -> &str {
    while let Some((rest, last)) = name.rsplit_once('.') {
        if !is_type(last) {
            break;
        }
        name = rest;
    }
    name
}

fn is_type(suffix: &str) -> bool {
    let element = match suffix
        .strip_prefix("nx")
        .unwrap_or(suffix)
        .strip_prefix('v')
    {
        Some(vector) => vector.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => suffix,
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    ["bf", "ppcf", "f", "i", "p"]
        .iter()
        .any(|letter| element.strip_prefix(letter).is_some_and(is_number))
}

pub(super) fn library(symbol: &str) -> Option<(Op, FpKind)> {
    if let Some(name) = symbol.strip_prefix("_FortranA") {
        return fortran(name);
    }
    static NAMES: Names<(Op, FpKind)> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let of_row = |op: &Op| {
            let op = *op;
            op.info()
                .library_names()
                .map(move |(name, kind)| (Cow::from(name), (op, kind)))
        };
        Op::ALL.iter().flat_map(of_row).collect()
    });
    names.get(scalar_name(symbol)).copied()
}

/// The symbols of a C function for all formats, given the one for `double`.
///
/// A base ending in `_r` or made by compiler-rt (`__powidf2`) has its format in the middle.
pub(super) fn c_variants(base: &str) -> Vec<(String, FpKind)> {
    use FpKind::{Double, Float, X87};
    if let Some(stem) = base.strip_suffix("df2") {
        return [("sf2", Float), ("df2", Double), ("xf2", X87)]
            .map(|(suffix, kind)| (format!("{stem}{suffix}"), kind))
            .to_vec();
    }
    let (stem, reentrant) = match base.strip_suffix("_r") {
        Some(stem) => (stem, "_r"),
        None => (base, ""),
    };
    let mut variants = Vec::new();
    // ISO C, then the names of TS 18661-3 for the same formats.
    let suffixes = [
        ("", Double),
        ("f", Float),
        ("l", X87),
        ("f32", Float),
        ("f64", Double),
        ("f32x", Double),
        ("f64x", X87),
    ];
    for (suffix, kind) in suffixes {
        variants.push((format!("{stem}{suffix}{reentrant}"), kind));
    }
    // What glibc's headers made of some functions under -ffinite-math-only.
    for (suffix, kind) in &suffixes[..3] {
        variants.push((format!("__{stem}{suffix}{reentrant}_finite"), *kind));
    }
    variants
}

/// The scalar function behind a vector function of the x86-64 vector ABI, as in glibc's libmvec:
/// `_ZGV`, a letter for the instruction set, `N` (no mask), lanes, a `v` for each argument, `_`.
fn scalar_name(symbol: &str) -> &str {
    let vector = || {
        let (shape, name) = symbol.strip_prefix("_ZGV")?.split_once('_')?;
        let arguments = shape
            .get(1..)?
            .strip_prefix('N')?
            .trim_start_matches(|c: char| c.is_ascii_digit());
        let plain = !arguments.is_empty() && arguments.bytes().all(|byte| byte == b'v');
        plain.then_some(name)
    };
    vector().unwrap_or(symbol)
}

/// flang's runtime: a name, the kind of the argument in bytes, and a suffix for a second type.
fn fortran(name: &str) -> Option<(Op, FpKind)> {
    static NAMES: Names<Op> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let of_row = |op: &Op| {
            let op = *op;
            op.fortran().iter().map(move |name| (Cow::from(*name), op))
        };
        Op::ALL.iter().flat_map(of_row).collect()
    });
    let (base, rest) = name.split_at(name.find(|c: char| c.is_ascii_digit())?);
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let kind = match &rest[..digits] {
        "2" => FpKind::Half,
        "3" => FpKind::BFloat,
        "4" => FpKind::Float,
        "8" => FpKind::Double,
        "10" => FpKind::X87,
        _ => return None,
    };
    Some((*names.get(base)?, kind))
}

pub(super) fn fpcore(operator: &str, arity: usize) -> Option<Op> {
    Op::ALL.iter().copied().find(|op| {
        let info = op.info();
        info.fpcore == Some(operator) && info.arity() == arity
    })
}
