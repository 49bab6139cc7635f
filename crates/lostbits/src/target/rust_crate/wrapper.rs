//! A function that C can call, for a public function of a crate: numbers, slices and small tuples are taken apart, type
//! parameters become `f64`, and panics, `None` and `Err` become NaN.

use quote::ToTokens;
use syn::{
    FnArg, GenericArgument, GenericParam, Pat, PathArguments, ReturnType, Signature, Type,
    TypeParamBound,
};

use super::api::{Owner, Public};

/// The crate that is searched, as the wrapper's dependency.
pub const SUBJECT: &str = "subject";

/// A wrapper: a line of Rust.
pub struct Wrapper {
    /// The function's path, for messages.
    pub function: String,
    pub line: String,
    /// It exists only if a trait is implemented for the type: if not, nothing calls it.
    pub is_guess: bool,
}

/// The wrappers of a function; else why there is none.
pub fn wrappers(function: &Public, library: &str) -> Result<Vec<Wrapper>, String> {
    let kinds: &[&str] = match function.owner {
        Owner::Trait => &["f64", "f32"],
        _ => &["f64"],
    };
    kinds
        .iter()
        .map(|kind| wrapper(function, library, kind))
        .collect()
}

fn wrapper(function: &Public, library: &str, kind: &str) -> Result<Wrapper, String> {
    let signature = &function.signature;
    if signature.asyncness.is_some() || matches!(signature.safety, syn::Safety::Unsafe(_)) {
        return Err("is async or unsafe".to_owned());
    }
    let mut writer = Writer {
        kind,
        callbacks: Vec::new(),
        numbers: Vec::new(),
        parameters: Vec::new(),
        arguments: Vec::new(),
        has_slice: false,
    };
    let type_arguments = writer.generics(signature)?;
    let path = function.path.join("::");
    let (owner_path, name) = path.rsplit_once("::").unwrap_or(("", &path));
    let called = match function.owner {
        Owner::Module => format!("{SUBJECT}::{path}{type_arguments}"),
        Owner::Type { .. } => format!("{SUBJECT}::{owner_path}::{name}{type_arguments}"),
        Owner::Trait => format!("<{kind} as {SUBJECT}::{owner_path}>::{name}{type_arguments}"),
    };
    for (at, input) in signature.inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(receiver) => {
                let text = compact(receiver);
                let borrow = match (text.starts_with('&'), text.contains("mut")) {
                    (true, true) => "&mut ",
                    (true, false) => "&",
                    _ => "",
                };
                match function.owner {
                    Owner::Trait => {
                        writer.parameters.push(format!("x: {kind}"));
                        writer.arguments.push(format!("{borrow}x.clone()"));
                    }
                    Owner::Type { has_default: true } => {
                        writer.arguments.push(format!(
                            "{borrow}<{SUBJECT}::{owner_path} as Default>::default()"
                        ));
                    }
                    _ => {
                        return Err("is a method of a type without Default: call it in a function of your own".to_owned());
                    }
                }
            }
            FnArg::Typed(typed) => {
                let name = match &*typed.pat {
                    Pat::Ident(name) => name.ident.to_string(),
                    _ => format!("argument_{at}"),
                };
                writer.parameter(&name, &typed.ty)?;
            }
        }
    }
    if writer.has_slice {
        writer.parameters.push("length_of_slices: usize".to_owned());
    }
    let (result, converted) = writer.result(&signature.output)?;
    let (parameters, arguments) = (writer.parameters.join(", "), writer.arguments.join(", "));
    let symbol = format!("{library}_{}", function.path.join("_"));
    let suffix = if kind == "f32" { "f" } else { "" };
    let call = format!("{called}({arguments})");
    let (value, missing) = match converted {
        Converted::Number(conversion) => (
            format!("{{ let value = {call}; {conversion} }}"),
            format!("{result}::NAN"),
        ),
        Converted::Numbers(fields, kind) => {
            let values: Vec<String> = fields
                .iter()
                .map(|field| format!("value.{field}"))
                .collect();
            let missing = vec![format!("{kind}::NAN"); fields.len()];
            (
                format!(
                    "{{ let value = {call}; {result}({}) }}",
                    values.join(", ").replace("value.[", "value[")
                ),
                format!("{result}({})", missing.join(", ")),
            )
        }
    };
    Ok(Wrapper {
        function: path.clone(),
        is_guess: function.owner == Owner::Trait,
        // A module of its own: functions may have one name in several modules of the crate.
        line: format!(
            "pub mod {symbol}{suffix} {{ use super::*; #[unsafe(export_name = \"{symbol}{suffix}\")] \
             pub extern \"C\" fn {name}{suffix}({parameters}) -> {result} {{ \
             std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {value})).unwrap_or({missing}) }} }}"
        ),
    })
}

/// How a result becomes what C can take.
enum Converted {
    /// An expression of `value`.
    Number(&'static str),
    /// Its fields, and their format.
    Numbers(Vec<String>, String),
}

struct Writer<'a> {
    /// What type parameters and `Self` are.
    kind: &'a str,
    /// Type parameters that are functions, and those that are numbers.
    callbacks: Vec<String>,
    numbers: Vec<String>,
    parameters: Vec<String>,
    arguments: Vec<String>,
    has_slice: bool,
}

const INTEGERS: [&str; 11] = [
    "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "bool",
];
/// Arrays that are taken apart.
const MOST_ELEMENTS: usize = 4;

impl Writer<'_> {
    /// What each type parameter is, and how the call says so.
    fn generics(&mut self, signature: &Signature) -> Result<String, String> {
        let mut given = Vec::new();
        for parameter in &signature.generics.params {
            match parameter {
                GenericParam::Lifetime(_) => {}
                GenericParam::Type(parameter) => {
                    let name = parameter.ident.to_string();
                    let clause = signature.generics.where_clause.as_ref();
                    let text = clause.map_or(String::new(), compact);
                    let is_function = parameter.bounds.iter().any(is_function_bound)
                        || text.contains(&format!("{name}:Fn"));
                    match is_function {
                        true => {
                            given.push("_".to_owned());
                            self.callbacks.push(name);
                        }
                        false => {
                            given.push(self.kind.to_owned());
                            self.numbers.push(name);
                        }
                    }
                }
                GenericParam::Const(_) => return Err("has a constant parameter".to_owned()),
            }
        }
        // `impl Fn` and explicit arguments do not go together, and what is inferred needs none.
        let needs = given.iter().any(|one| one != "_");
        Ok(if needs {
            format!("::<{}>", given.join(", "))
        } else {
            String::new()
        })
    }

    /// The format, if the type is a number of floating point.
    fn float(&self, text: &str) -> Option<String> {
        let is_parameter = text == "Self" || self.numbers.iter().any(|name| name == text);
        match text {
            "f64" | "f32" => Some(text.to_owned()),
            _ => is_parameter.then(|| self.kind.to_owned()),
        }
    }

    fn parameter(&mut self, name: &str, ty: &Type) -> Result<(), String> {
        let text = compact(ty);
        let refuse = || {
            Err(format!(
                "takes {} as parameter {name}",
                ty.to_token_stream()
            ))
        };
        if let Some(kind) = self.float(&text) {
            self.parameters.push(format!("{name}: {kind}"));
            self.arguments.push(name.to_owned());
            return Ok(());
        }
        if INTEGERS.contains(&text.as_str()) {
            self.parameters.push(format!("{name}: {text}"));
            self.arguments.push(name.to_owned());
            return Ok(());
        }
        match ty {
            Type::Reference(reference) if reference.mutability.is_none() => {
                match &*reference.elem {
                    Type::Slice(slice) => self
                        .slice(name, &slice.elem, "")
                        .ok_or(())
                        .or_else(|()| refuse()),
                    inner => {
                        self.parameter(name, inner)?;
                        if let Some(last) = self.arguments.last_mut() {
                            *last = format!("&{last}");
                        }
                        Ok(())
                    }
                }
            }
            Type::Array(array) => {
                let length = compact(&array.len).parse::<usize>();
                let kind = self.float(&compact(&array.elem));
                match (length, kind) {
                    (Ok(length @ 1..=MOST_ELEMENTS), Some(kind)) => {
                        let names: Vec<String> =
                            (0..length).map(|at| format!("{name}_{at}")).collect();
                        self.parameters
                            .extend(names.iter().map(|name| format!("{name}: {kind}")));
                        self.arguments.push(format!("[{}]", names.join(", ")));
                        Ok(())
                    }
                    _ => refuse(),
                }
            }
            Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                let first = self.arguments.len();
                for (at, element) in tuple.elems.iter().enumerate() {
                    self.parameter(&format!("{name}_{at}"), element)?;
                }
                let parts = self.arguments.split_off(first);
                self.arguments.push(format!("({},)", parts.join(", ")));
                Ok(())
            }
            Type::ImplTrait(bounds) if bounds.bounds.iter().any(is_function_bound) => {
                self.callback(name);
                Ok(())
            }
            Type::Path(_) if self.callbacks.contains(&text) => {
                self.callback(name);
                Ok(())
            }
            Type::Path(path) => {
                let Some((outer, inner)) = argument_of(path) else {
                    return refuse();
                };
                match outer.as_str() {
                    "Vec" => self
                        .slice(name, inner, ".to_vec()")
                        .ok_or(())
                        .or_else(|()| refuse()),
                    "Option" => {
                        self.parameter(name, inner)?;
                        if let Some(last) = self.arguments.last_mut() {
                            *last = format!("Some({last})");
                        }
                        Ok(())
                    }
                    _ => refuse(),
                }
            }
            _ => refuse(),
        }
    }

    /// All slices have one length, which is the last parameter.
    fn slice(&mut self, name: &str, element: &Type, conversion: &str) -> Option<()> {
        let kind = self.float(&compact(element))?;
        self.has_slice = true;
        self.parameters.push(format!("{name}: *const {kind}"));
        self.arguments.push(format!(
            "unsafe {{ std::slice::from_raw_parts({name}, length_of_slices) }}{conversion}"
        ));
        Some(())
    }

    fn callback(&mut self, name: &str) {
        self.parameters
            .push(format!("{name}: extern \"C\" fn({0}) -> {0}", self.kind));
        self.arguments.push(format!("|t: {}| {name}(t)", self.kind));
    }

    fn result(&self, output: &ReturnType) -> Result<(String, Converted), String> {
        let ReturnType::Type(_, ty) = output else {
            return Err("returns nothing".to_owned());
        };
        let refuse = || Err(format!("returns {}", ty.to_token_stream()));
        if let Some(kind) = self.float(&compact(ty)) {
            return Ok((kind, Converted::Number("value")));
        }
        let fields = |kinds: Vec<Option<String>>, is_array: bool| {
            let kind = kinds.first()?.clone()?;
            let all_same = kinds.iter().all(|one| one.as_ref() == Some(&kind));
            let count = kinds.len();
            let is_small = (2..=MOST_ELEMENTS).contains(&count);
            let names = (0..count).map(|at| {
                if is_array {
                    format!("[{at}]")
                } else {
                    at.to_string()
                }
            });
            (all_same && is_small).then(|| {
                (
                    format!("Numbers{count}{kind}"),
                    Converted::Numbers(names.collect(), kind),
                )
            })
        };
        match &**ty {
            Type::Tuple(tuple) => {
                let kinds = tuple
                    .elems
                    .iter()
                    .map(|element| self.float(&compact(element)));
                fields(kinds.collect(), false)
                    .ok_or(())
                    .or_else(|()| refuse())
            }
            Type::Array(array) => {
                let length = compact(&array.len).parse::<usize>().unwrap_or(0);
                let kind = self.float(&compact(&array.elem));
                fields(vec![kind; length.min(MOST_ELEMENTS + 1)], true)
                    .ok_or(())
                    .or_else(|()| refuse())
            }
            Type::Path(path) => match argument_of(path) {
                Some((outer, inner)) => match (outer.as_str(), self.float(&compact(inner))) {
                    ("Option", Some(kind)) if kind == "f64" => {
                        Ok((kind, Converted::Number("value.unwrap_or(f64::NAN)")))
                    }
                    ("Option", Some(kind)) => {
                        Ok((kind, Converted::Number("value.unwrap_or(f32::NAN)")))
                    }
                    ("Result", Some(kind)) if kind == "f64" => {
                        Ok((kind, Converted::Number("value.unwrap_or(f64::NAN)")))
                    }
                    ("Result", Some(kind)) => {
                        Ok((kind, Converted::Number("value.unwrap_or(f32::NAN)")))
                    }
                    _ => refuse(),
                },
                None => refuse(),
            },
            _ => refuse(),
        }
    }
}

/// Of `Option<f64>`, `Option` and `f64`.
fn argument_of(path: &syn::TypePath) -> Option<(String, &Type)> {
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some((last.ident.to_string(), inner)),
        _ => None,
    }
}

/// `Fn(f64) -> f64`, or FnMut.
fn is_function_bound(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else {
        return false;
    };
    let last = bound.path.segments.last();
    last.is_some_and(|last| last.ident == "Fn" || last.ident == "FnMut")
}

/// The text without spaces.
fn compact(node: &impl ToTokens) -> String {
    node.to_token_stream().to_string().replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<String, String> {
        let function = syn::parse_str::<syn::ItemFn>(text).unwrap();
        let function = Public {
            path: vec!["m".to_owned(), function.sig.ident.to_string()],
            signature: function.sig,
            owner: Owner::Module,
        };
        wrappers(&function, "lib").map(|mut all| all.remove(0).line)
    }

    #[test]
    fn arguments_are_taken_apart() {
        let line = written("fn f(x: &[f64], p: [f64; 2], n: u32, q: Option<f32>) -> f64 { 0.0 }");
        let line = line.unwrap();
        let parameters = "fn f(x: *const f64, p_0: f64, p_1: f64, n: u32, q: f32, length_of_slices: usize) -> f64";
        assert!(line.contains(parameters), "{line}");
        assert!(line.contains("[p_0, p_1], n, Some(q))"), "{line}");
        assert!(line.contains("export_name = \"lib_m_f\""), "{line}");
    }

    #[test]
    fn type_parameters_are_numbers_or_functions() {
        let line = written("fn f<T: Float, F: Fn(T) -> T>(f: F, x: T) -> T { x }").unwrap();
        assert!(
            line.contains("subject::m::f::<f64, _>(|t: f64| f(t), x)"),
            "{line}"
        );
        let line = written("fn g(x: f32) -> (f32, f32) { (x, x) }").unwrap();
        assert!(
            line.contains("-> Numbers2f32") && line.contains("value.0, value.1"),
            "{line}"
        );
    }

    #[test]
    fn what_c_cannot_pass_is_named() {
        let refused = written("fn f(text: &str) -> f64 { 0.0 }").unwrap_err();
        assert_eq!(refused, "takes str as parameter text");
        assert!(written("fn f(x: f64) -> String { String::new() }").is_err());
    }
}
