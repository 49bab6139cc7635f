//! What parameters a function has, from its debug information (DWARF).

use std::{borrow::Cow, collections::HashMap, path::Path};

use gimli::{AttributeValue, DebuggingInformationEntry as Entry, EndianSlice, LittleEndian};
use lostbits_abi::kind::FpKind;
use object::{Object, ObjectSection, ObjectSymbol};

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Unit<'a> = gimli::Unit<Slice<'a>>;
type Die<'u, 'a> = Entry<'u, 'u, Slice<'a>>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub result: Type,
    pub parameters: Vec<(String, Type)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Void,
    Floating(FpKind),
    /// An integer, character, truth value or enumeration: bytes, and whether it has a sign.
    Integer(u64, bool),
    Pointer(Box<Type>),
    /// A structure, with its size and the format of its first member.
    Structure(u64, Option<FpKind>),
    /// Anything else, as people call it.
    Other(String),
}

/// What a library says of its functions.
#[derive(Default)]
pub struct Functions {
    pub by_name: HashMap<String, Signature>,
    /// Every function that can be called from outside, known or not.
    pub exported: Vec<String>,
}

/// Reads the signatures of the functions that are asked for.
pub fn read(path: &Path, wanted: &[&str]) -> Option<Functions> {
    let data = std::fs::read(path).ok()?;
    let file = object::File::parse(&*data).ok()?;
    let exported = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Text)
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .filter(|name| !name.starts_with(lostbits_abi::symbols::PREFIX))
        .collect();
    let section = |id: gimli::SectionId| -> Result<Cow<[u8]>, gimli::Error> {
        let found = file.section_by_name(id.name());
        Ok(found
            .and_then(|section| section.uncompressed_data().ok())
            .unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(section).ok()?;
    let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
    let mut functions = Functions {
        by_name: HashMap::new(),
        exported,
    };
    // A unit that cannot be read says nothing; the others do.
    let _ = collect(&dwarf, wanted, &mut functions.by_name);
    Some(functions)
}

fn collect<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    wanted: &[&str],
    found: &mut HashMap<String, Signature>,
) -> gimli::Result<()> {
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        if found.len() == wanted.len() {
            break;
        }
        let unit = dwarf.unit(header)?;
        let mut tree = unit.entries_tree(None)?;
        let root = tree.root()?;
        let mut children = root.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            if entry.tag() != gimli::DW_TAG_subprogram || is_declaration(entry) {
                continue;
            }
            let Some(name) = name(dwarf, &unit, entry) else {
                continue;
            };
            if !wanted.contains(&name.as_str()) || found.contains_key(&name) {
                continue;
            }
            let result = type_of(dwarf, &unit, entry, 0);
            let mut parameters = Vec::new();
            let mut members = child.children();
            while let Some(member) = members.next()? {
                let entry = member.entry();
                if entry.tag() == gimli::DW_TAG_formal_parameter {
                    let called = self::name(dwarf, &unit, entry)
                        .unwrap_or_else(|| format!("p{}", parameters.len() + 1));
                    parameters.push((called, type_of(dwarf, &unit, entry, 0)));
                }
            }
            found.insert(name, Signature { result, parameters });
        }
    }
    Ok(())
}

fn is_declaration(entry: &Die) -> bool {
    matches!(
        entry.attr_value(gimli::DW_AT_declaration),
        Ok(Some(AttributeValue::Flag(true)))
    )
}

/// The linkage name, by which it can be called, or the plain one.
fn name<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
) -> Option<String> {
    let attribute = |at| entry.attr_value(at).ok().flatten();
    let value = attribute(gimli::DW_AT_linkage_name).or(attribute(gimli::DW_AT_name))?;
    let text = dwarf.attr_string(unit, value).ok()?;
    Some(text.to_string_lossy().into_owned())
}

/// Deeper than any sensible type.
const DEEPEST: u32 = 16;

fn type_of<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
    depth: u32,
) -> Type {
    let target = match entry.attr_value(gimli::DW_AT_type) {
        Ok(Some(AttributeValue::UnitRef(offset))) => unit.entry(offset).ok(),
        _ => None,
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
    let called = || name(dwarf, unit, entry).unwrap_or_else(|| "a type without a name".into());
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
        gimli::DW_TAG_structure_type => Type::Structure(bytes(), first_member(dwarf, unit, entry)),
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
        (gimli::DW_ATE_signed | gimli::DW_ATE_signed_char, bytes) => Type::Integer(bytes, true),
        (gimli::DW_ATE_unsigned | gimli::DW_ATE_unsigned_char | gimli::DW_ATE_boolean, bytes) => {
            Type::Integer(bytes, false)
        }
        _ => Type::Other(called),
    }
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

/// Names that a misspelt one may have meant, the closest first.
pub fn close_names(name: &str, names: &[String]) -> Vec<String> {
    let mut scored: Vec<(usize, &String)> = names
        .iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= 2 + name.len() / 4)
        .collect();
    scored.sort();
    scored
        .into_iter()
        .take(3)
        .map(|(_, name)| name.clone())
        .collect()
}

/// Levenshtein's: letters to be added, taken away or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_offered_close_ones() {
        let names: Vec<String> = ["gsl_sf_airy_Ai", "gsl_sf_airy_Bi", "qsort"]
            .map(str::to_owned)
            .into();
        assert_eq!(close_names("gsl_sf_airy_A", &names)[0], "gsl_sf_airy_Ai");
        assert_eq!(close_names("qsrt", &names), ["qsort"]);
        assert!(close_names("unrelated", &names).is_empty());
    }
}
