//! Methods of C++: the object that a method is called on, as far as debug information and the exported names describe it.
//!
//! The object is default-constructed. Its class either declares no constructor, so that an object of zeros is what `T object{}`
//! makes, or the library exports the default constructor. Each call gets an object of its own.

use gimli::{AttributeValue, DebuggingInformationEntry as Entry, EndianSlice, LittleEndian};

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Unit<'a> = gimli::Unit<Slice<'a>>;
type Die<'u, 'a> = Entry<'u, 'u, Slice<'a>>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    pub bytes: u64,
    pub constructor: Constructor,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constructor {
    /// The class declares none.
    Zeros,
    /// What the linker would call it, if the library exports it.
    Default(String),
}

/// Whether a parameter is the object of a method.
pub fn is_this(entry: &Die) -> bool {
    matches!(
        entry.attr_value(gimli::DW_AT_artificial),
        Ok(Some(AttributeValue::Flag(true)))
    )
}

/// The object of a method, from its artificial parameter. None if its class is not described.
pub fn object<'a>(
    unit: &Unit<'a>,
    this: &Die<'_, 'a>,
    method: &str,
    symbol: &str,
) -> Option<Object> {
    let mut class = target(unit, this)?;
    for _ in 0..DEEPEST {
        if matches!(
            class.tag(),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type
        ) {
            break;
        }
        class = target(unit, &class)?;
    }
    let size = class.attr_value(gimli::DW_AT_byte_size).ok()??;
    let constructor = match is_plain(unit, &class)? {
        true => Constructor::Zeros,
        false => Constructor::Default(default_constructor(method, symbol)?),
    };
    Some(Object {
        bytes: size.udata_value()?,
        constructor,
    })
}

const DEEPEST: u32 = 8;

fn target<'u, 'a>(unit: &'u Unit<'a>, entry: &Die<'u, 'a>) -> Option<Die<'u, 'a>> {
    match entry.attr_value(gimli::DW_AT_type).ok()?? {
        AttributeValue::UnitRef(offset) => unit.entry(offset).ok(),
        _ => None,
    }
}

/// Whether a class declares no constructor, has no base and no virtual function.
fn is_plain<'a>(unit: &Unit<'a>, class: &Die<'_, 'a>) -> Option<bool> {
    let mut tree = unit.entries_tree(Some(class.offset())).ok()?;
    let mut children = tree.root().ok()?.children();
    let own = class.attr_value(gimli::DW_AT_name).ok()?;
    while let Some(child) = children.next().ok()? {
        let entry = child.entry();
        let is_constructor = entry.tag() == gimli::DW_TAG_subprogram
            && own.is_some()
            && entry.attr_value(gimli::DW_AT_name).ok()? == own;
        let is_table = entry.tag() == gimli::DW_TAG_member && is_this(entry);
        if is_constructor || is_table || entry.tag() == gimli::DW_TAG_inheritance {
            return Some(false);
        }
    }
    Some(true)
}

/// `_ZNK1a1T3sumEd` is a method `sum` of `a::T`, whose default constructor is `_ZN1a1TC1Ev`.
fn default_constructor(method: &str, symbol: &str) -> Option<String> {
    let nested = symbol.strip_prefix("_ZN")?;
    let nested = nested.strip_prefix('K').unwrap_or(nested);
    let method = method.split('<').next().unwrap_or(method);
    let at = nested.rfind(&format!("{}{method}", method.len()))?;
    (at > 0).then(|| format!("_ZN{}C1Ev", &nested[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_are_named_after_methods() {
        let name = |method, symbol| default_constructor(method, symbol);
        assert_eq!(
            name("sum", "_ZNK1a1T3sumEd").as_deref(),
            Some("_ZN1a1TC1Ev")
        );
        assert_eq!(
            name("at", "_ZN5CurveIdE2atEd").as_deref(),
            Some("_ZN5CurveIdEC1Ev")
        );
        assert_eq!(
            name("get<double>", "_ZN1T3getIdEET_S1_").as_deref(),
            Some("_ZN1TC1Ev")
        );
        assert_eq!(name("sum", "_Z3sumd"), None);
    }
}
