//! The modules of the pass depend one way: ARCHITECTURE.md declares the order, this test reads the sources and compares.

use std::{fs, path::Path};

const INFO: &str = "```modules pass";

/// The declared modules with their layers; a module is a path such as `modes::explain`.
fn declared_order() -> Vec<(String, usize)> {
    let text = fs::read_to_string(root().join("../../ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let block = text.split_once(INFO).expect("the order is declared").1;
    let block = block.split_once("```").expect("the block ends").0;
    let layers = block.lines().filter(|line| !line.trim().is_empty());
    layers
        .enumerate()
        .flat_map(|(layer, line)| {
            let names = line.split_whitespace().map(str::to_owned);
            names.map(move |name| (name, layer))
        })
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The declared module that a path belongs to: the longest that it begins with.
fn module_of<'a>(order: &'a [(String, usize)], path: &str) -> Option<&'a (String, usize)> {
    let belongs =
        |name: &str| path == name || path.starts_with(name) && path[name.len()..].starts_with("::");
    order
        .iter()
        .filter(|(name, _)| belongs(name))
        .max_by_key(|(name, _)| name.len())
}

fn sources(folder: &Path, module: &str, all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let inner = match (module, stem.as_str()) {
            (_, "mod") => module.to_owned(),
            ("", stem) => stem.to_owned(),
            (module, stem) => format!("{module}::{stem}"),
        };
        if path.is_dir() {
            sources(&path, &inner, all);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let code: Vec<&str> = text
                .lines()
                .map(|line| line.split("//").next().unwrap_or_default())
                .collect();
            all.push((inner, code.join("\n")));
        }
    }
}

/// The paths that a source file uses, from the root of the crate: those of `use` items, and `crate::` and `super::` elsewhere.
fn used_paths(module: &str, code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for item in code.split("use ").skip(1) {
        expand("", item.split(';').next().unwrap_or_default(), &mut paths);
    }
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let rest = &code[at..];
            let end = rest.find(|c: char| !(c.is_alphanumeric() || "_:".contains(c)));
            paths.push(rest[..end.unwrap_or(rest.len())].to_owned());
        }
    }
    paths
        .iter()
        .filter_map(|path| absolute(module, path))
        .collect()
}

/// The paths of a `use` tree.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    match tree.find('{') {
        None => paths.push(format!("{prefix}{tree}")),
        Some(open) => {
            let prefix = format!("{prefix}{}", &tree[..open]);
            let inner = tree[open + 1..]
                .rsplit_once('}')
                .map_or("", |(inner, _)| inner);
            let mut depth = 0;
            let mut start = 0;
            for (at, c) in inner.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        expand(&prefix, &inner[start..at], paths);
                        start = at + 1;
                    }
                    _ => {}
                }
            }
            if !inner[start..].trim().is_empty() {
                expand(&prefix, &inner[start..], paths);
            }
        }
    }
}

/// A path from the root of the crate; none for other crates.
fn absolute(module: &str, path: &str) -> Option<String> {
    if let Some(rest) = path.strip_prefix("crate::") {
        return Some(rest.to_owned());
    }
    let mut base: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
    let mut rest = path;
    if !rest.starts_with("super::") && !rest.starts_with("self::") {
        return None;
    }
    if let Some(inner) = rest.strip_prefix("self::") {
        rest = inner;
    }
    while let Some(inner) = rest.strip_prefix("super::") {
        base.pop();
        rest = inner;
    }
    base.push(rest);
    Some(base.join("::"))
}

#[test]
fn modules_use_only_modules_of_lower_layers() {
    let order = declared_order();
    let mut all = Vec::new();
    sources(&root().join("src"), "", &mut all);
    assert!(all.len() > 50, "the sources were not found");
    let mut wrong = Vec::new();
    for (module, code) in &all {
        let (own, layer) = module_of(&order, module)
            .unwrap_or_else(|| panic!("ARCHITECTURE.md does not declare the layer of `{module}`"));
        for path in used_paths(module, code) {
            let Some((used, lower)) = module_of(&order, &path) else {
                continue;
            };
            if used != own && lower >= layer && !own.starts_with(&format!("{used}::")) {
                wrong.push(format!("`{module}` (layer of `{own}`) uses `{path}`"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "against the declared order:\n{}",
        wrong.join("\n")
    );
}
