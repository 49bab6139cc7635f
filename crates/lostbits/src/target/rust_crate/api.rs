//! The public functions of a crate, read from its sources with `syn`: modules are followed from the crate's root, and `pub use`
//! to what it names.
//!
//! What it can miss: functions that macros write, and items of other crates that are exported again.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use syn::{Attribute, ImplItem, Item, ReturnType, Signature, TraitItem, Type, UseTree, Visibility};

/// A function that another crate can name.
#[derive(Clone)]
pub struct Public {
    /// From the crate's root, as in `stats::variance`.
    pub path: Vec<String>,
    pub signature: Signature,
    pub owner: Owner,
}

/// What a function belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    Module,
    /// A type, whose path is all of the function's but its last name. Whether there is a default object.
    Type {
        has_default: bool,
    },
    Trait,
}

/// The public functions below the file of a crate's root.
pub fn read(root: &Path) -> Result<Vec<Public>, String> {
    let mut module = Module::default();
    let folder = root.parent().unwrap_or(Path::new(""));
    module.read_file(root, folder)?;
    let mut surface = Surface {
        root: &module,
        seen: HashSet::new(),
        functions: Vec::new(),
    };
    surface.walk(&module, &[], &mut Vec::new());
    Ok(surface.functions)
}

#[derive(Default)]
struct Module {
    functions: Vec<Signature>,
    /// Associated functions, with the name of their type.
    associated: Vec<(String, Signature)>,
    traits: Vec<(String, Vec<Signature>)>,
    with_default: HashSet<String>,
    types: HashSet<String>,
    modules: Vec<(String, bool, Module)>,
    /// What is exported again: the path, and the new name; none for `*`.
    uses: Vec<(Vec<String>, Option<String>)>,
}

impl Module {
    fn read_file(&mut self, path: &Path, folder: &Path) -> Result<(), String> {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let file =
            syn::parse_file(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        self.read(file.items, folder)
    }

    /// `folder` is where the files of submodules are.
    fn read(&mut self, items: Vec<Item>, folder: &Path) -> Result<(), String> {
        for item in items {
            match item {
                Item::Fn(item) if is_public(&item.vis) && !is_test(&item.attrs) => {
                    self.functions.push(item.sig);
                }
                Item::Struct(item) if is_public(&item.vis) => {
                    self.note_type(item.ident.to_string(), &item.attrs);
                }
                Item::Enum(item) if is_public(&item.vis) => {
                    self.note_type(item.ident.to_string(), &item.attrs);
                }
                Item::Trait(item) if is_public(&item.vis) => {
                    let methods = item.items.into_iter().filter_map(|item| match item {
                        TraitItem::Fn(method) => Some(method.sig),
                        _ => None,
                    });
                    self.traits
                        .push((item.ident.to_string(), methods.collect()));
                }
                Item::Impl(item) if item.generics.params.is_empty() => {
                    let Type::Path(of) = &*item.self_ty else {
                        continue;
                    };
                    let Some(name) = of.path.get_ident().map(ToString::to_string) else {
                        continue;
                    };
                    let of_trait = item.trait_.as_ref().and_then(|of| of.0.segments.last());
                    if let Some(of_trait) = of_trait {
                        if of_trait.ident == "Default" {
                            self.with_default.insert(name);
                        }
                        continue;
                    }
                    for inner in item.items {
                        if let ImplItem::Fn(function) = inner
                            && is_public(&function.vis)
                        {
                            self.associated.push((name.clone(), function.sig));
                        }
                    }
                }
                Item::Mod(item) if !is_test(&item.attrs) => {
                    let name = item.ident.to_string();
                    let mut module = Module::default();
                    let own = folder.join(&name);
                    match item.content {
                        Some((_, items)) => module.read(items, &own)?,
                        None => {
                            if let Some(path) = file_of(&item.attrs, &name, folder) {
                                module.read_file(&path, &own)?;
                            }
                        }
                    }
                    self.modules.push((name, is_public(&item.vis), module));
                }
                Item::Use(item) if is_public(&item.vis) => {
                    self.note_use(&item.tree, &mut Vec::new());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn note_type(&mut self, name: String, attributes: &[Attribute]) {
        let derives = attributes.iter().any(|attribute| {
            let mut has_default = false;
            if attribute.path().is_ident("derive") {
                let _ = attribute.parse_nested_meta(|meta| {
                    has_default |= meta.path.is_ident("Default");
                    Ok(())
                });
            }
            has_default
        });
        if derives {
            self.with_default.insert(name.clone());
        }
        self.types.insert(name);
    }

    fn note_use(&mut self, tree: &UseTree, path: &mut Vec<String>) {
        match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                self.note_use(&inner.tree, path);
                path.pop();
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                let whole = path.iter().cloned().chain([name.clone()]).collect();
                self.uses.push((whole, Some(name)));
            }
            UseTree::Rename(renamed) => {
                let old = renamed.ident.to_string();
                let whole = path.iter().cloned().chain([old]).collect();
                self.uses.push((whole, Some(renamed.rename.to_string())));
            }
            UseTree::Glob(_) => self.uses.push((path.clone(), None)),
            UseTree::Group(group) => {
                for inner in &group.items {
                    self.note_use(inner, path);
                }
            }
        }
    }

    fn child(&self, name: &str) -> Option<&Module> {
        let mut modules = self.modules.iter();
        modules
            .find(|(known, ..)| known == name)
            .map(|(.., module)| module)
    }
}

/// What can be named from outside.
struct Surface<'a> {
    root: &'a Module,
    /// By where they are in memory: what is exported twice is one function.
    seen: HashSet<usize>,
    functions: Vec<Public>,
}

impl<'a> Surface<'a> {
    /// `way` leads from the root to the module itself, `path` is how others name it.
    fn walk(&mut self, module: &'a Module, path: &[String], way: &mut Vec<&'a Module>) {
        const DEEPEST: usize = 16;
        if way.len() > DEEPEST {
            return;
        }
        for signature in &module.functions {
            self.add(path, &[], signature, Owner::Module);
        }
        for (name, signature) in &module.associated {
            if module.types.contains(name) {
                let has_default = module.with_default.contains(name);
                let owner = Owner::Type { has_default };
                self.add(path, std::slice::from_ref(name), signature, owner);
            }
        }
        for (name, methods) in &module.traits {
            for signature in methods {
                self.add(path, std::slice::from_ref(name), signature, Owner::Trait);
            }
        }
        way.push(module);
        for (name, is_public, inner) in &module.modules {
            if *is_public {
                self.walk(inner, &joined(path, name), way);
            }
        }
        for (target, name) in &module.uses {
            self.follow(target, name.as_deref(), path, way);
        }
        way.pop();
    }

    /// Exports what a `pub use` names, if it is of this crate.
    fn follow(
        &mut self,
        target: &[String],
        name: Option<&str>,
        path: &[String],
        way: &mut Vec<&'a Module>,
    ) {
        let mut place = way.len() - 1;
        let mut rest = target;
        let mut module = way[place];
        while let [first, tail @ ..] = rest {
            match first.as_str() {
                "crate" => module = self.root,
                "self" => {}
                "super" if place > 0 => {
                    place -= 1;
                    module = way[place];
                }
                _ => break,
            }
            rest = tail;
        }
        let last = name.and(rest.last());
        let modules = if last.is_some() {
            &rest[..rest.len() - 1]
        } else {
            rest
        };
        for name in modules {
            match module.child(name) {
                Some(inner) => module = inner,
                None => return,
            }
        }
        let (Some(last), Some(name)) = (last, name) else {
            return self.walk(module, path, way);
        };
        if let Some(inner) = module.child(last) {
            return self.walk(inner, &joined(path, name), way);
        }
        if let Some(signature) = module.functions.iter().find(|one| one.ident == last) {
            let renamed = Signature {
                ident: syn::Ident::new(name, signature.ident.span()),
                ..signature.clone()
            };
            let key = std::ptr::from_ref(signature) as usize;
            self.add_as(key, path, &[], renamed, Owner::Module);
        }
        let owned = module.associated.iter().filter(|(of, _)| of == last);
        for (of, signature) in owned {
            let has_default = module.with_default.contains(of);
            let owner = Owner::Type { has_default };
            self.add(path, &[name.to_owned()], signature, owner);
        }
        let traits = module.traits.iter().filter(|(of, _)| of == last);
        for signature in traits.flat_map(|(_, methods)| methods) {
            self.add(path, &[name.to_owned()], signature, Owner::Trait);
        }
    }

    fn add(&mut self, path: &[String], owner_name: &[String], signature: &Signature, owner: Owner) {
        let key = std::ptr::from_ref(signature) as usize;
        self.add_as(key, path, owner_name, signature.clone(), owner);
    }

    fn add_as(
        &mut self,
        key: usize,
        path: &[String],
        owner_name: &[String],
        signature: Signature,
        owner: Owner,
    ) {
        let has_result = !matches!(signature.output, ReturnType::Default);
        if !has_result || !self.seen.insert(key) {
            return;
        }
        let name = signature.ident.to_string();
        self.functions.push(Public {
            path: [path, owner_name, &[name]].concat(),
            signature,
            owner,
        });
    }
}

fn joined(path: &[String], name: &str) -> Vec<String> {
    [path, &[name.to_owned()]].concat()
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// `#[test]`, or compiled under some condition only that cargo's usual build may not meet.
fn is_test(attributes: &[Attribute]) -> bool {
    let is_for_tests = |attribute: &Attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => list
            .tokens
            .to_string()
            .split(' ')
            .any(|word| word == "test"),
        meta => meta.path().is_ident("test"),
    };
    attributes.iter().any(is_for_tests)
}

/// The file of `mod name;`.
fn file_of(attributes: &[Attribute], name: &str, folder: &Path) -> Option<PathBuf> {
    for attribute in attributes {
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("path")
            && let syn::Expr::Lit(literal) = &pair.value
            && let syn::Lit::Str(path) = &literal.lit
        {
            return Some(folder.join(path.value()));
        }
    }
    let files = [format!("{name}.rs"), format!("{name}/mod.rs")];
    files
        .iter()
        .map(|file| folder.join(file))
        .find(|path| path.is_file())
}
