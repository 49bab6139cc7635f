//! Types as debug information describes them.

use gimli::AttributeValue;
use lostbits_abi::kind::FpKind;

use super::{DEEPEST, Die, Slice, Type, Unit, name, origin, plain_name};

pub(super) fn type_of<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
    depth: u32,
) -> Type {
    let target = match entry.attr_value(gimli::DW_AT_type) {
        Ok(Some(AttributeValue::UnitRef(offset))) => unit.entry(offset).ok(),
        _ => {
            return match origin(unit, entry).filter(|_| depth < DEEPEST) {
                Some(origin) => type_of(dwarf, unit, &origin, depth + 1),
                None => Type::Void,
            };
        }
    };
    match target {
        Some(target) if depth < DEEPEST => described(dwarf, unit, &target, depth + 1),
        _ => Type::Void,
    }
}

fn described<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
    depth: u32,
) -> Type {
    let bytes = || {
        let value = entry.attr_value(gimli::DW_AT_byte_size).ok().flatten();
        value.and_then(|value| value.udata_value()).unwrap_or(0)
    };
    let called = || name(dwarf, unit, entry).unwrap_or_else(|| "an unnamed type".into());
    match entry.tag() {
        gimli::DW_TAG_base_type => base(entry, bytes(), called()),
        gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type => {
            Type::Pointer(Box::new(type_of(dwarf, unit, entry, depth)))
        }
        gimli::DW_TAG_const_type
        | gimli::DW_TAG_volatile_type
        | gimli::DW_TAG_restrict_type
        | gimli::DW_TAG_typedef => type_of(dwarf, unit, entry, depth),
        gimli::DW_TAG_enumeration_type => Type::Integer(bytes().max(1), true),
        // With a descriptor of its size it is not a plain address.
        gimli::DW_TAG_array_type => match entry.attr_value(gimli::DW_AT_data_location) {
            Ok(Some(_)) => Type::Other("an assumed-shape array".to_owned()),
            _ => Type::Pointer(Box::new(type_of(dwarf, unit, entry, depth))),
        },
        gimli::DW_TAG_structure_type => {
            let members = members(dwarf, unit, entry).unwrap_or_default();
            Type::Structure(bytes(), first_member(dwarf, unit, entry), members)
        }
        gimli::DW_TAG_subroutine_type => Type::Function(
            Box::new(type_of(dwarf, unit, entry, depth)),
            parameters_of(dwarf, unit, entry, depth),
        ),
        _ => Type::Other(called()),
    }
}

fn base(entry: &Die, bytes: u64, called: String) -> Type {
    let encoding = match entry.attr_value(gimli::DW_AT_encoding) {
        Ok(Some(AttributeValue::Encoding(encoding))) => encoding,
        _ => return Type::Other(called),
    };
    match (encoding, bytes) {
        (gimli::DW_ATE_float, 2) => Type::Floating(FpKind::Half),
        (gimli::DW_ATE_float, 4) => Type::Floating(FpKind::Float),
        (gimli::DW_ATE_float, 8) => Type::Floating(FpKind::Double),
        (gimli::DW_ATE_float, 16) if called.contains("long double") => Type::Floating(FpKind::X87),
        (gimli::DW_ATE_complex_float, 8) => Type::Complex(FpKind::Float),
        (gimli::DW_ATE_complex_float, 16) => Type::Complex(FpKind::Double),
        (gimli::DW_ATE_signed | gimli::DW_ATE_signed_char, bytes) => Type::Integer(bytes, true),
        (gimli::DW_ATE_unsigned | gimli::DW_ATE_unsigned_char | gimli::DW_ATE_boolean, bytes) => {
            Type::Integer(bytes, false)
        }
        _ => Type::Other(called),
    }
}

/// What a callback takes.
fn parameters_of<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
    depth: u32,
) -> Vec<Type> {
    let mut parameters = Vec::new();
    if let Ok(mut tree) = unit.entries_tree(Some(entry.offset()))
        && let Ok(root) = tree.root()
    {
        let mut children = root.children();
        while let Ok(Some(child)) = children.next() {
            parameters.push(type_of(dwarf, unit, child.entry(), depth));
        }
    }
    parameters
}

/// More members than these are no small structure.
const MOST_MEMBERS: usize = 4;

/// The members of a structure that is passed by value, if all are numbers of floating point.
fn members<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
) -> Option<Vec<(String, FpKind)>> {
    if let Ok(Some(AttributeValue::CallingConvention(gimli::DW_CC_pass_by_reference))) =
        entry.attr_value(gimli::DW_AT_calling_convention)
    {
        return None;
    }
    let mut tree = unit.entries_tree(Some(entry.offset())).ok()?;
    let mut children = tree.root().ok()?.children();
    let mut members = Vec::new();
    while let Some(child) = children.next().ok()? {
        let member = child.entry();
        match member.tag() {
            gimli::DW_TAG_member => {}
            gimli::DW_TAG_inheritance => return None,
            _ => continue,
        }
        let place = member
            .attr_value(gimli::DW_AT_data_member_location)
            .ok()??;
        let Type::Floating(kind) = type_of(dwarf, unit, member, 0) else {
            return None;
        };
        members.push((place.udata_value()?, plain_name(dwarf, unit, member)?, kind));
    }
    members.sort_by_key(|member| member.0);
    let is_small = (1..=MOST_MEMBERS).contains(&members.len());
    is_small.then(|| {
        members
            .into_iter()
            .map(|(_, name, kind)| (name, kind))
            .collect()
    })
}

fn first_member<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
) -> Option<FpKind> {
    let mut tree = unit.entries_tree(Some(entry.offset())).ok()?;
    let mut children = tree.root().ok()?.children();
    let first = children.next().ok()??;
    match type_of(dwarf, unit, first.entry(), 0) {
        Type::Floating(kind) => Some(kind),
        _ => None,
    }
}
