//! The signatures of functions, from debug information (DWARF).

mod types;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    path::Path,
};

use gimli::{AttributeValue, DebuggingInformationEntry as Entry, EndianSlice, LittleEndian};
use lostbits_abi::{functions, kind::FpKind, symbols};
use object::{Object, ObjectSection, ObjectSymbol};

use types::type_of;

use super::method::{self, Object as MethodObject};

/// Deeper than any sensible type.
const DEEPEST: u32 = 16;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Unit<'a> = gimli::Unit<Slice<'a>>;
type Die<'u, 'a> = Entry<'u, 'u, Slice<'a>>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub result: Type,
    pub parameters: Vec<(String, Type)>,
    /// What its author calls it.
    pub name: String,
    /// The name that the linker knows.
    pub symbol: String,
    /// Which parameters are numbers whose address is passed, as Fortran does.
    pub by_address: Vec<bool>,
    /// Which parameters are addresses of what the function only reads (`const double *`).
    pub read_only: Vec<bool>,
    pub language: Language,
    /// Of a method of C++, which `parameters` leave out.
    pub object: Option<MethodObject>,
}

/// What the function was written in, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Fortran,
    Rust,
    /// C, C++, or something that calls as they do.
    Other,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    Void,
    Floating(FpKind),
    /// An integer, character, truth value or enumeration: bytes, and whether it has a sign.
    Integer(u64, bool),
    Pointer(Box<Type>),
    Complex(FpKind),
    /// A structure: its size, the format of its first member, and all members if they are numbers of floating point.
    Structure(u64, Option<FpKind>, Vec<(String, FpKind)>),
    /// What is at the address of a callback: its result, and its parameters.
    Function(Box<Type>, Vec<Type>),
    /// Anything else, as people call it.
    Other(String),
}

impl Type {
    /// The numbers of a complex number or small structure that is passed by value.
    pub fn parts(&self) -> Vec<(&str, FpKind)> {
        match self {
            Type::Complex(kind) => vec![("re", *kind), ("im", *kind)],
            Type::Structure(_, _, members) => {
                let each = members.iter();
                each.map(|(name, kind)| (name.as_str(), *kind)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it is the address of a function of one number, perhaps with an address of the user's data.
    pub fn is_callback(&self) -> bool {
        let Type::Pointer(to) = self else {
            return false;
        };
        match &**to {
            Type::Function(result, parameters) => {
                let is_number =
                    |ty: &Type| matches!(ty, Type::Floating(FpKind::Double | FpKind::Float));
                let takes = match &parameters[..] {
                    [number] => is_number(number),
                    [number, Type::Pointer(_)] => is_number(number),
                    _ => false,
                };
                takes && is_number(result)
            }
            _ => false,
        }
    }

    /// How C declares a number of this type; none if it is not a number.
    pub fn c_name(&self) -> Option<&'static str> {
        Some(match self {
            Type::Floating(kind) => kind.c_name(),
            Type::Integer(1, true) => "signed char",
            Type::Integer(1, false) => "unsigned char",
            Type::Integer(2, true) => "short",
            Type::Integer(2, false) => "unsigned short",
            Type::Integer(4, true) => "int",
            Type::Integer(4, false) => "unsigned",
            Type::Integer(8, true) => "long",
            Type::Integer(8, false) => "unsigned long",
            _ => return None,
        })
    }
}

/// The functions of a library.
#[derive(Default)]
pub struct Functions {
    pub by_name: HashMap<String, Signature>,
    /// Every function that can be called from outside, known or not.
    pub exported: Vec<String>,
    /// What those are called in their language, where that is another name.
    pub plain: Vec<String>,
    /// Some of it was written in Rust, which leaves out what is not exported.
    pub has_rust: bool,
    /// Names that mean several functions, with the linker's names of these.
    pub ambiguous: HashMap<String, Vec<String>>,
}

/// Reads the signatures of the requested functions.
pub fn read(path: &Path, wanted: &[&str]) -> Option<Functions> {
    parse(&std::fs::read(path).ok()?, wanted)
}

/// Reads the signatures of all functions that can be called from outside, by the linker's names.
pub fn read_all(path: &Path) -> Option<Functions> {
    let library = std::fs::read(path).ok()?;
    let file = object::File::parse(&library[..]).ok()?;
    let exported = exported(&file);
    let names: Vec<&str> = exported.iter().map(|one| one.0.as_str()).collect();
    parse(&library, &names)
}

/// The names and addresses of the functions that can be called from outside.
fn exported(file: &object::File) -> Vec<(String, u64)> {
    file.dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Text)
        .filter_map(|symbol| {
            let name = symbol.name().ok()?;
            let is_runtimes = name.starts_with(symbols::PREFIX)
                || symbol.is_weak() && functions::REPLACED.contains(&name);
            (!is_runtimes).then(|| (name.to_owned(), symbol.address()))
        })
        .collect()
}

/// The same from the bytes of a library.
pub(crate) fn parse(library: &[u8], wanted: &[&str]) -> Option<Functions> {
    let file = object::File::parse(library).ok()?;
    let exported = exported(&file);
    let section = |id: gimli::SectionId| -> Result<Cow<[u8]>, gimli::Error> {
        let found = file.section_by_name(id.name());
        Ok(found
            .and_then(|section| section.uncompressed_data().ok())
            .unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(section).ok()?;
    let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, LittleEndian));
    let names: HashSet<&str> = wanted.iter().copied().collect();
    let requested = exported
        .iter()
        .filter(|(name, _)| names.contains(name.as_str()));
    let mut found = Found {
        addresses: requested.map(|(_, address)| *address).collect(),
        exported,
        ..Found::default()
    };
    // A unit that cannot be read is skipped.
    let _ = found.collect(&dwarf, &names);
    found.add_aliases(&names);
    Some(found.functions(wanted))
}

/// What debug information has about the requested functions.
#[derive(Default)]
struct Found {
    has_rust: bool,
    exported: Vec<(String, u64)>,
    plain: Vec<String>,
    /// Each with its plain name.
    signatures: Vec<(String, Signature)>,
    /// The linker's names of these.
    known: HashSet<String>,
    /// Where the requested functions are; equal functions may have been merged into one.
    addresses: HashSet<u64>,
    /// What is at these addresses.
    at: HashMap<u64, Signature>,
}

impl Found {
    fn collect<'a>(
        &mut self,
        dwarf: &gimli::Dwarf<Slice<'a>>,
        wanted: &HashSet<&str>,
    ) -> gimli::Result<()> {
        let mut headers = dwarf.units();
        while let Some(header) = headers.next()? {
            if wanted.iter().all(|name| self.known.contains(*name)) {
                break;
            }
            let unit = dwarf.unit(header)?;
            let mut tree = unit.entries_tree(None)?;
            let root = tree.root()?;
            let within = Within {
                dwarf,
                unit: &unit,
                language: language(root.entry()),
            };
            self.has_rust |= within.language == Language::Rust;
            self.collect_from(&within, root, wanted, 0)?;
        }
        Ok(())
    }

    /// Functions may be in namespaces and modules.
    fn collect_from<'a>(
        &mut self,
        within: &Within<'_, 'a>,
        node: gimli::EntriesTreeNode<'_, '_, '_, Slice<'a>>,
        wanted: &HashSet<&str>,
        depth: u32,
    ) -> gimli::Result<()> {
        let mut children = node.children();
        while let Some(child) = children.next()? {
            match child.entry().tag() {
                gimli::DW_TAG_namespace | gimli::DW_TAG_module if depth < DEEPEST => {
                    self.collect_from(within, child, wanted, depth + 1)?;
                }
                gimli::DW_TAG_subprogram if !is_declaration(child.entry()) => {
                    self.add(within, child, wanted)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add<'a>(
        &mut self,
        within: &Within<'_, 'a>,
        node: gimli::EntriesTreeNode<'_, '_, '_, Slice<'a>>,
        wanted: &HashSet<&str>,
    ) -> gimli::Result<()> {
        let Within { dwarf, unit, .. } = *within;
        let entry = node.entry();
        let Some(symbol) = name(dwarf, unit, entry) else {
            return Ok(());
        };
        let plain = plain_name(dwarf, unit, entry).unwrap_or_else(|| symbol.clone());
        let address = address(dwarf, unit, entry).filter(|at| self.addresses.contains(at));
        let is_wanted = |name: &String| wanted.contains(name.as_str());
        let is_named = is_wanted(&plain) || is_wanted(&symbol);
        if self.known.contains(&symbol) || !(is_named || address.is_some()) {
            self.plain.extend((plain != symbol).then_some(plain));
            return Ok(());
        }
        let mut signature = Signature {
            result: type_of(dwarf, unit, entry, 0),
            parameters: Vec::new(),
            by_address: Vec::new(),
            read_only: Vec::new(),
            name: plain.clone(),
            symbol,
            language: within.language,
            object: None,
        };
        let mut members = node.children();
        while let Some(member) = members.next()? {
            let entry = member.entry();
            if entry.tag() != gimli::DW_TAG_formal_parameter {
                continue;
            }
            let origin = origin(unit, entry);
            let declared = origin.as_ref().unwrap_or(entry);
            if within.language == Language::Other && method::is_this(declared) {
                signature.object = method::object(unit, declared, &plain, &signature.symbol);
                if signature.object.is_some() {
                    continue;
                }
            }
            signature.add_parameter(within, entry);
        }
        if let Some(address) = address {
            self.at.insert(address, signature.clone());
        }
        if is_named {
            self.known.insert(signature.symbol.clone());
            self.signatures.push((plain, signature));
        }
        Ok(())
    }

    /// A second name of a function (`weak_alias`, or an equal function that LLVM merged) has no entry of its own.
    fn add_aliases(&mut self, wanted: &HashSet<&str>) {
        for (name, address) in &self.exported {
            if self.known.contains(name) || !wanted.contains(name.as_str()) {
                continue;
            }
            if let Some(same) = self.at.get(address) {
                let signature = Signature {
                    name: name.clone(),
                    symbol: name.clone(),
                    ..same.clone()
                };
                self.signatures.push((name.clone(), signature));
            }
        }
    }

    /// The linker's name means one function; a plain one may mean several.
    fn functions(self, wanted: &[&str]) -> Functions {
        let mut functions = Functions {
            has_rust: self.has_rust,
            exported: self.exported.into_iter().map(|one| one.0).collect(),
            plain: self.plain,
            ..Functions::default()
        };
        let by_symbol: HashMap<&str, &(String, Signature)> = self
            .signatures
            .iter()
            .map(|one| (one.1.symbol.as_str(), one))
            .collect();
        for name in wanted {
            let called: Vec<&(String, Signature)> = match by_symbol.get(name) {
                Some(exact) => vec![exact],
                None => self
                    .signatures
                    .iter()
                    .filter(|one| one.0 == *name)
                    .collect(),
            };
            let name = (*name).to_owned();
            match called[..] {
                [] => {}
                [(_, only)] => {
                    functions.by_name.insert(name, only.clone());
                }
                _ => {
                    let symbols = called.iter().map(|one| one.1.symbol.clone());
                    functions.ambiguous.insert(name, symbols.collect());
                }
            }
        }
        functions
    }
}

/// The unit of an entry.
struct Within<'u, 'a> {
    dwarf: &'u gimli::Dwarf<Slice<'a>>,
    unit: &'u Unit<'a>,
    language: Language,
}

impl Language {
    /// What to write so that a function can be called from outside.
    pub fn how_to_export(self) -> &'static str {
        match self {
            Language::Rust => "write #[unsafe(no_mangle)] pub extern \"C\" before its `fn`",
            Language::Fortran => "move it out of the procedure that contains it",
            Language::Other => "remove its `static`, or call a function that calls it",
        }
    }
}

impl Signature {
    /// Rust's calling convention is unspecified unless a function is `extern "C"`; then its name is not mangled.
    pub fn is_callable(&self) -> bool {
        self.language != Language::Rust || !self.symbol.starts_with("_")
    }

    fn add_parameter<'a>(&mut self, within: &Within<'_, 'a>, entry: &Die<'_, 'a>) {
        let Within { dwarf, unit, .. } = *within;
        let called =
            name(dwarf, unit, entry).unwrap_or_else(|| format!("p{}", self.parameters.len() + 1));
        let ty = type_of(dwarf, unit, entry, 0);
        let is_scalar = matches!(ty, Type::Floating(_) | Type::Integer(..));
        let by_address =
            self.language == Language::Fortran && is_scalar && !is_in_register(dwarf, unit, entry);
        let ty = match by_address {
            true => Type::Pointer(Box::new(ty)),
            false => ty,
        };
        self.read_only.push(points_to_const(unit, entry));
        self.parameters.push((called, ty));
        self.by_address.push(by_address);
    }
}

fn language(root: &Die) -> Language {
    match root.attr_value(gimli::DW_AT_language) {
        Ok(Some(AttributeValue::Language(language))) => match language {
            gimli::DW_LANG_Fortran77
            | gimli::DW_LANG_Fortran90
            | gimli::DW_LANG_Fortran95
            | gimli::DW_LANG_Fortran03
            | gimli::DW_LANG_Fortran08
            | gimli::DW_LANG_Fortran18 => Language::Fortran,
            gimli::DW_LANG_Rust => Language::Rust,
            _ => Language::Other,
        },
        _ => Language::Other,
    }
}

/// Whether a parameter arrives in a register (VALUE), not in memory that a register points to. The types
/// are the same, but the location differs.
fn is_in_register<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
) -> bool {
    let Ok(Some(place)) = entry.attr_value(gimli::DW_AT_location) else {
        return false;
    };
    let expression = match place {
        AttributeValue::Exprloc(expression) => Some(expression),
        place => dwarf
            .attr_locations(unit, place)
            .ok()
            .flatten()
            .and_then(|mut list| list.next().ok().flatten())
            .map(|first| first.data),
    };
    let Some(expression) = expression else {
        return false;
    };
    let mut operations = expression.operations(unit.encoding());
    let first = operations.next().ok().flatten();
    match first {
        Some(gimli::Operation::Register { .. }) => true,
        // Without optimisation: in the frame, or in memory that the frame points to.
        Some(gimli::Operation::FrameOffset { .. }) => {
            !matches!(operations.next(), Ok(Some(gimli::Operation::Deref { .. })))
        }
        _ => false,
    }
}

fn is_declaration(entry: &Die) -> bool {
    matches!(
        entry.attr_value(gimli::DW_AT_declaration),
        Ok(Some(AttributeValue::Flag(true)))
    )
}

/// Where a function begins.
fn address<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
) -> Option<u64> {
    let low = entry.attr_value(gimli::DW_AT_low_pc).ok()??;
    dwarf.attr_address(unit, low).ok()?
}

/// Whether a parameter is the address of something constant.
fn points_to_const<'a>(unit: &Unit<'a>, entry: &Die<'_, 'a>) -> bool {
    let target = |entry: &Die<'_, 'a>| match entry.attr_value(gimli::DW_AT_type) {
        Ok(Some(AttributeValue::UnitRef(offset))) => Some(offset),
        _ => None,
    };
    let mut next = target(entry);
    let mut is_address = false;
    for _ in 0..DEEPEST {
        let Some(found) = next.and_then(|offset| unit.entry(offset).ok()) else {
            return false;
        };
        match found.tag() {
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type if !is_address => {
                is_address = true;
            }
            gimli::DW_TAG_const_type if is_address => return true,
            gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_typedef => {}
            _ => return false,
        }
        next = target(&found);
    }
    false
}

/// The linkage name, by which it can be called, or the plain one.
fn name<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
) -> Option<String> {
    text_of(dwarf, unit, entry, gimli::DW_AT_linkage_name)
        .or_else(|| plain_name(dwarf, unit, entry))
}

/// Its name in the source.
fn plain_name<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
) -> Option<String> {
    text_of(dwarf, unit, entry, gimli::DW_AT_name)
}

/// The description or declaration that an entry completes: functions that are also inlined, and methods, are described apart from
/// their code.
fn origin<'u, 'a>(unit: &'u Unit<'a>, entry: &Die<'u, 'a>) -> Option<Die<'u, 'a>> {
    let of = |attribute| entry.attr_value(attribute).ok().flatten();
    match of(gimli::DW_AT_abstract_origin).or_else(|| of(gimli::DW_AT_specification))? {
        AttributeValue::UnitRef(offset) => unit.entry(offset).ok(),
        _ => None,
    }
}

/// An attribute of an entry, or of the declaration that it completes.
fn text_of<'a>(
    dwarf: &gimli::Dwarf<Slice<'a>>,
    unit: &Unit<'a>,
    entry: &Die<'_, 'a>,
    attribute: gimli::DwAt,
) -> Option<String> {
    if let Some(value) = entry.attr_value(attribute).ok()? {
        let text = dwarf.attr_string(unit, value).ok()?;
        return Some(text.to_string_lossy().into_owned());
    }
    let origin = origin(unit, entry)?;
    text_of(dwarf, unit, &origin, attribute)
}
