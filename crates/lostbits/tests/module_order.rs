//! Modules depend one way: each fenced block `modules CRATE` of ARCHITECTURE.md shows the layers of a crate, the
//! lowest first, and a module may import only from layers above its own line. This test reads the block and the crate's
//! sources, and fails on an import against the order, on a module that the picture lacks, and on one that is gone.
//!
//! Test code (`#[cfg(test)]`) may import anything. What it can miss: paths that a macro builds.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, Item, ItemMod, ItemUse, UseTree,
    visit::{self, Visit},
};

/// Layers by module, the lowest first.
type Order = BTreeMap<String, usize>;

#[test]
fn imports_follow_the_order_in_the_architecture() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let pictures = pictures(&text);
    assert!(
        pictures.contains_key("lostbits"),
        "ARCHITECTURE.md has no block `modules lostbits`"
    );
    let mut problems = Vec::new();
    // `crates/pass` has layers within its modules, and a test of its own for them.
    for (name, order) in pictures.into_iter().filter(|(name, _)| name != "pass") {
        let crate_ = Crate::read(&name, &root.join("crates").join(&name).join("src"));
        problems.extend(crate_.problems(&order));
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// The blocks `modules CRATE` by crate.
fn pictures(text: &str) -> BTreeMap<String, Order> {
    let mut all = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("```modules ") {
            let layers = lines.by_ref().take_while(|line| !line.starts_with("```"));
            let modules = layers.enumerate().flat_map(|(layer, line)| {
                let names = line.split_whitespace();
                names.map(move |name| (name.to_owned(), layer))
            });
            all.insert(name.trim().to_owned(), modules.collect());
        }
    }
    all
}

/// A crate's top modules, and which imports which.
#[derive(Default)]
struct Crate {
    name: String,
    modules: BTreeSet<String>,
    imports: BTreeSet<Import>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Import {
    /// The top module that imports, and the file.
    from: String,
    file: PathBuf,
    /// The name in the crate's root.
    of: String,
}

impl Crate {
    fn read(name: &str, source: &Path) -> Crate {
        let mut crate_ = Crate {
            name: name.to_owned(),
            ..Crate::default()
        };
        crate_.add_file(&source.join("lib.rs"), source, &[]);
        let main = source.join("main.rs");
        if main.exists() {
            crate_.modules.insert("main".to_owned());
            crate_.add_file(&main, source, &["main".to_owned()]);
        }
        crate_
    }

    /// Reads a file of the module `module`, and those of its submodules in `folder`.
    fn add_file(&mut self, file: &Path, folder: &Path, module: &[String]) {
        let text =
            fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for item in &parsed.items {
            match item {
                Item::Mod(child) if child.content.is_none() => {
                    self.add_child(child, folder, module)
                }
                _ => {}
            }
        }
        let Some(from) = module.first() else {
            // The root itself only lists the modules.
            return;
        };
        let mut paths = Paths {
            module: module.to_vec(),
            crate_names: self.names_of_the_library(module),
            found: BTreeSet::new(),
        };
        paths.visit_file(&parsed);
        self.imports
            .extend(paths.found.into_iter().map(|of| Import {
                from: from.clone(),
                file: file.to_owned(),
                of,
            }));
    }

    fn add_child(&mut self, child: &ItemMod, folder: &Path, module: &[String]) {
        if is_for_tests(&child.attrs) {
            return;
        }
        let name = child.ident.to_string();
        if module.is_empty() {
            self.modules.insert(name.clone());
        }
        let (flat, inside) = (folder.join(format!("{name}.rs")), folder.join(&name));
        let file = match flat.exists() {
            true => flat,
            false => inside.join("mod.rs"),
        };
        let path = [module, &[name]].concat();
        self.add_file(&file, &inside, &path);
    }

    /// `main` calls the library by its name; everything else says `crate`.
    fn names_of_the_library(&self, module: &[String]) -> Vec<String> {
        let own = vec!["crate".to_owned()];
        match module {
            [main] if main == "main" => vec![self.name.clone(), format!("lostbits_{}", self.name)],
            _ => own,
        }
    }

    fn problems(&self, order: &Order) -> Vec<String> {
        let Crate { name, .. } = self;
        let missing = self.modules.iter().filter(|one| !order.contains_key(*one));
        let missing = missing
            .map(|one| format!("{name}: the picture in ARCHITECTURE.md lacks the module `{one}`"));
        let gone = order.keys().filter(|one| !self.modules.contains(*one));
        let gone = gone.map(|one| {
            format!("{name}: the picture in ARCHITECTURE.md has `{one}`, which is gone")
        });
        let against = self
            .imports
            .iter()
            .filter(|import| import.is_against(order));
        let against = against.map(|import| {
            format!(
                "{}: `{}` imports `{}`, which is not in a lower layer",
                import.file.display(),
                import.from,
                import.of
            )
        });
        missing.chain(gone).chain(against).collect()
    }
}

impl Import {
    fn is_against(&self, order: &Order) -> bool {
        if self.of == GLOB {
            return true;
        }
        match (order.get(&self.from), order.get(&self.of)) {
            (Some(from), Some(of)) => self.from != self.of && of >= from,
            // Names that are no modules are the root's own items.
            _ => false,
        }
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.path().is_ident("cfg").then_some(&attribute.meta);
        match list {
            Some(syn::Meta::List(list)) => list.tokens.to_string().contains("test"),
            _ => false,
        }
    })
}

/// `use super::*` of the root.
const GLOB: &str = "*";

/// Collects which names of the root a file uses.
struct Paths {
    module: Vec<String>,
    crate_names: Vec<String>,
    found: BTreeSet<String>,
}

impl Paths {
    /// The name in the root that a path begins with, if it leaves the module.
    fn add(&mut self, path: &[String]) {
        let Some(first) = path.first() else { return };
        let climbs = path.iter().take_while(|word| *word == "super").count();
        let rest = if self.crate_names.contains(first) {
            &path[1..]
        } else if climbs > 0 && climbs == self.module.len() {
            &path[climbs..]
        } else {
            return;
        };
        self.found.extend(rest.first().cloned());
    }

    fn add_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&with(path.ident.to_string()), &path.tree),
            UseTree::Name(name) => self.add(&with(name.ident.to_string())),
            UseTree::Rename(name) => self.add(&with(name.ident.to_string())),
            UseTree::Glob(_) => self.add(&with(GLOB.to_owned())),
            UseTree::Group(group) => group
                .items
                .iter()
                .for_each(|tree| self.add_tree(before, tree)),
        }
    }

    /// Paths among the arguments of a macro, which are only words to the parser.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(word) => {
                    if colons != 2 {
                        self.add(&std::mem::take(&mut path));
                    }
                    path.push(word.to_string());
                    colons = 0;
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.add(&std::mem::take(&mut path));
                    self.add_tokens(group.stream());
                }
                _ => self.add(&std::mem::take(&mut path)),
            }
        }
        self.add(&path);
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Fn(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Type(item) => &item.attrs,
            Item::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.add_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let words = path.segments.iter().map(|one| one.ident.to_string());
        self.add(&words.collect::<Vec<_>>());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.add_tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }
}

/// The reader finds every way in which a file can name another module.
#[test]
fn every_kind_of_import_is_found() {
    let text = "
        use crate::{one, two::{x, y}};
        use super::super::three as other;
        // crate::comment
        const TEXT: &str = \"crate::string\";
        fn f() -> crate::four::T { println!(\"{}\", crate::five::g()); super::sibling::h() }
        mod inner { use super::super::super::six::*; }
        #[cfg(test)]
        mod tests { use crate::seven::z; }
    ";
    let mut paths = Paths {
        module: vec!["a".to_owned(), "b".to_owned()],
        crate_names: vec!["crate".to_owned()],
        found: BTreeSet::new(),
    };
    paths.visit_file(&syn::parse_file(text).unwrap());
    let found: Vec<&str> = paths.found.iter().map(String::as_str).collect();
    assert_eq!(found, ["five", "four", "one", "six", "three", "two"]);
}

#[test]
fn imports_of_the_same_or_a_higher_layer_are_problems() {
    let order: Order = pictures("```modules x\nlow\nmiddle other\nhigh\n```\n")
        .remove("x")
        .unwrap();
    let is_against = |from: &str, of: &str| {
        let import = Import {
            from: from.to_owned(),
            file: PathBuf::new(),
            of: of.to_owned(),
        };
        import.is_against(&order)
    };
    assert!(is_against("low", "middle"));
    assert!(is_against("middle", "other"));
    assert!(is_against("middle", "*"));
    assert!(!is_against("middle", "middle"));
    assert!(!is_against("high", "low"));
    assert!(!is_against("high", "SOME_CONSTANT"));
}
