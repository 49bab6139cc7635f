//! The names of the operation table: unique across rows, complete over formats, found again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lostbits_abi::{
    kind::FpKind,
    ops::{Op, Operand},
};

#[test]
fn numbers_are_unique_stable_and_found_again() {
    let numbers: BTreeSet<u16> = Op::ALL.iter().map(|op| *op as u16).collect();
    assert_eq!(numbers.len(), Op::ALL.len());
    for op in Op::ALL {
        assert_eq!(Op::from_u16(*op as u16), Some(*op));
        assert_eq!(op.info().op, *op);
    }
    assert_eq!(Op::from_u16(0), None);
    assert_eq!(Op::from_u16(u16::MAX), None);
    // Site tables of older builds hold these.
    assert_eq!(
        (Op::Add as u16, Op::Sin as u16, Op::ReduceMaximum as u16),
        (1, 20, 105)
    );
}

#[test]
fn names_are_unique_across_rows() {
    let mut seen: HashMap<(&str, String), Op> = HashMap::new();
    let mut claim = |space, name: String, op: Op| {
        if let Some(other) = seen.insert((space, name.clone()), op) {
            panic!(
                "{space} {name} belongs to {} and {}",
                other.name(),
                op.name()
            );
        }
    };
    for op in Op::ALL {
        let info = op.info();
        claim("name", info.name.to_owned(), *op);
        info.opcode
            .iter()
            .for_each(|name| claim("opcode", (*name).to_owned(), *op));
        info.intrinsics
            .iter()
            .for_each(|name| claim("intrinsic", (*name).to_owned(), *op));
        info.library_names()
            .for_each(|(name, _)| claim("library", name, *op));
        let fpcore = info
            .fpcore
            .map(|name| format!("{name} of {}", info.arity()));
        fpcore
            .into_iter()
            .for_each(|name| claim("fpcore", name, *op));
    }
}

#[test]
fn every_name_leads_back_to_its_row() {
    for op in Op::ALL {
        let info = op.info();
        assert_eq!(Op::from_name(info.name), Some(*op));
        assert_eq!(info.opcode.map_or(Some(*op), Op::from_opcode), Some(*op));
        for name in info.intrinsics {
            assert_eq!(
                Op::from_intrinsic(&format!("llvm.{name}")),
                Some(*op),
                "{name}"
            );
            assert_eq!(
                Op::from_intrinsic(&format!("llvm.{name}.v4f64")),
                Some(*op),
                "{name}"
            );
        }
        for (name, kind) in info.library_names() {
            assert_eq!(Op::from_library(&name), Some((*op, kind)), "{name}");
        }
        if let Some(operator) = info.fpcore {
            assert_eq!(
                Op::from_fpcore(operator, info.arity()),
                Some(*op),
                "{operator}"
            );
        }
    }
}

#[test]
fn every_library_function_has_all_c_formats() {
    for op in Op::ALL {
        for base in op.info().library {
            let mut formats: BTreeMap<FpKind, usize> = BTreeMap::new();
            let of_base = op
                .info()
                .library_names()
                .filter(|(name, _)| Op::from_library(name).is_some() && is_variant(name, base));
            of_base.for_each(|(_, kind)| *formats.entry(kind).or_default() += 1);
            let kinds: Vec<FpKind> = formats.into_keys().collect();
            assert_eq!(
                kinds,
                [FpKind::Float, FpKind::Double, FpKind::X87],
                "{base}"
            );
        }
    }
}

fn is_variant(name: &str, base: &str) -> bool {
    let stem = base
        .strip_suffix("df2")
        .or(base.strip_suffix("_r"))
        .unwrap_or(base);
    name.trim_start_matches("__")
        .starts_with(stem.trim_start_matches("__"))
}

/// The functions of C99's <math.h>, 7.12.4 to 7.12.13, written out from the standard.
const C99: &str = "acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 \
    frexp ilogb ldexp log log10 log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc \
    lgamma tgamma ceil floor nearbyint rint lrint llrint round lround llround trunc fmod remainder \
    remquo copysign nextafter nexttoward fdim fmax fmin fma";

#[test]
fn all_of_c99s_mathematics_is_known() {
    for name in C99.split_whitespace() {
        for (suffix, kind) in [
            ("", FpKind::Double),
            ("f", FpKind::Float),
            ("l", FpKind::X87),
        ] {
            let found = Op::from_library(&format!("{name}{suffix}"));
            assert_eq!(found.map(|(_, kind)| kind), Some(kind), "{name}{suffix}");
        }
    }
}

#[test]
fn symbols_of_many_makers_are_known() {
    use FpKind::{Double, Float, X87};
    for (symbol, op, kind) in [
        ("sinf", Op::Sin, Float),
        ("__exp_finite", Op::Exp, Double),
        ("__powf_finite", Op::Pow, Float),
        ("__lgammal_r_finite", Op::Lgamma, X87),
        ("lgammaf_r", Op::Lgamma, Float),
        ("sinf64x", Op::Sin, X87),
        ("cosf32x", Op::Cos, Double),
        ("_ZGVdN4v_sin", Op::Sin, Double),
        ("_ZGVeN16vv_powf", Op::Pow, Float),
        ("__powisf2", Op::Powi, Float),
        ("__powixf2", Op::Powi, X87),
        ("_FortranAModReal4", Op::Rem, Float),
        ("_FortranAModuloReal8", Op::Modulo, Double),
        ("_FortranAFPow10k", Op::Powi, X87),
        ("_FortranAErfcScaled8", Op::ErfcScaled, Double),
        ("_FortranANint8_4", Op::Lround, Double),
        ("drem", Op::Remainder, Double),
    ] {
        assert_eq!(Op::from_library(symbol), Some((op, kind)), "{symbol}");
    }
    for stranger in [
        "",
        "main",
        "sinful",
        "sinf128",
        "_ZGVdM4v_sin",
        "_ZGVdN4l_sin",
        "_ZN3sinEv",
        "_FortranAModReal16",
        "_FortranASumReal8",
        "_FortranA",
        "llvm.sin",
        "expml",
    ] {
        assert_eq!(Op::from_library(stranger), None, "{stranger}");
    }
}

#[test]
fn intrinsics_of_all_forms_are_known() {
    for (name, op) in [
        ("llvm.sqrt", Op::Sqrt),
        ("llvm.sqrt.nxv2f64", Op::Sqrt),
        ("llvm.powi.f64.i32", Op::Powi),
        ("llvm.log2.v8f32", Op::Log2),
        ("llvm.fptosi.sat.i32.f64", Op::ToSigned),
        ("llvm.is.fpclass.f80", Op::IsClass),
        ("llvm.experimental.constrained.fadd.f64", Op::Add),
        ("llvm.experimental.constrained.fcmps", Op::Compare),
        ("llvm.experimental.constrained.cos.f80", Op::Cos),
        ("llvm.vp.fma.v4f64", Op::Fma),
        ("llvm.vp.fneg", Op::Neg),
        ("llvm.vp.reduce.fadd", Op::ReduceAdd),
        ("llvm.vp.roundtozero", Op::Trunc),
        ("llvm.vector.reduce.fminimum.v4f32", Op::ReduceMinimum),
    ] {
        assert_eq!(Op::from_intrinsic(name), Some(op), "{name}");
    }
    for stranger in [
        "llvm.vp.trunc",
        "llvm.vp.abs",
        "llvm.memcpy.p0.p0.i64",
        "sqrt",
        "llvm.",
        "llvm.abs.i32",
        "llvm.umax",
    ] {
        assert_eq!(Op::from_intrinsic(stranger), None, "{stranger}");
    }
}

#[test]
fn rows_are_consistent() {
    for op in Op::ALL {
        let info = op.info();
        assert!((1..=3).contains(&info.arity()), "{}", info.name);
        if let Some(danger) = info.stability.danger() {
            assert!(danger.witness.len() >= info.arity(), "{}", info.name);
        }
        if let Some(second) = info.second {
            assert_eq!(second.info().operands, info.operands, "{}", info.name);
        }
        if let Some(folds) = info.folds {
            assert_eq!(folds.info().operands, [Operand::Real; 2], "{}", info.name);
        }
    }
}
