//! Expressions and FPCore files as what is searched: a C function for each.
//!
//! The precondition of a core is not looked at: `--range` says where to search.

use std::path::Path;

use super::options::Wanted;
use crate::{
    failure::Failure,
    fpcore::{Core, SyntaxError, c, infix::read_infix, read_cores},
    target::{Call, Source},
};

/// What `text` stands for if it is an expression or the name of an FPCore file.
pub fn read(text: &str) -> Result<(Source, Wanted), Failure> {
    let is_file = Path::new(text)
        .extension()
        .is_some_and(|extension| extension == "fpcore");
    if !is_file {
        let core = read_infix(text).map_err(|error| bad("expression", text, &error))?;
        return functions("expression", &[core]);
    }
    let source = std::fs::read_to_string(text).map_err(|error| Failure::CannotRead {
        path: text.into(),
        error,
    })?;
    let cores = read_cores(&source).map_err(|error| bad(text, &source, &error))?;
    functions(text, &cores)
}

fn functions(title: &str, cores: &[Core]) -> Result<(Source, Wanted), Failure> {
    let mut code = format!("{}\n", c::HEADER);
    let mut calls = Vec::new();
    for (index, core) in cores.iter().enumerate() {
        let name = match cores.len() {
            1 => "expression".to_owned(),
            _ => format!("core_{}", index + 1),
        };
        let function =
            c::function(core, Some(&name)).map_err(|reason| Failure::Untranslatable {
                title: title.to_owned(),
                line: core.at.line,
                reason: reason.to_string(),
            })?;
        code += &function.text;
        code.push('\n');
        let parameters: Vec<&str> = function
            .parameters
            .iter()
            .map(|parameter| parameter.name.as_str())
            .collect();
        let text = format!("{name}({})", parameters.join(", "));
        calls.push(Call::parse(&text).map_err(|error| Failure::NotACall {
            text: text.clone(),
            error: error.to_string(),
        })?);
    }
    Ok((Source::Text(code), Wanted::Calls(calls)))
}

fn bad(title: &str, source: &str, error: &SyntaxError) -> Failure {
    Failure::BadFormula {
        title: title.to_owned(),
        error: error.to_string(),
        excerpt: error.excerpt(source),
    }
}
