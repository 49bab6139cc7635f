//! A specification (TOML): how functions of arrays and matrices are called, for what a call's text cannot express.
//!
//! ```toml
//! sources = ["lu.c", "library/lufactor.c"]   # relative to this file; more may be given on the command line
//! options = ["-Ilibrary"]                    # the compiler's; {mode} is the mode of each build
//! input-type = "float"
//! init = ["prepare"]
//! reference = "./truth"                      # a command, as --oracle takes it; the shadow by default
//!
//! [[call]]
//! function = "lu"
//! arguments = ["A", 4, "LU"]                 # names of what is declared below, or constants of C
//!
//! [inputs.A]
//! matrix = [4, 4]                            # or length = 16; a scalar has neither
//! range = [-100, 100]
//! group = "left"                             # an operand group, for symbolic execution
//!
//! [outputs.LU]
//! matrix = [4, 4]
//! ```
//!
//! A function's result is an output, too, if it is a number. Matrices are passed by rows, as one array:
//! for structures, write a small function that fills them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::arguments::InputType;
use crate::{
    failure::Failure,
    inputs::{Call, RangeOption, call::MOST_NUMBERS},
    numeric::Range,
};

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    #[serde(default)]
    sources: Vec<PathBuf>,
    library: Option<PathBuf>,
    #[serde(default)]
    options: Vec<String>,
    input_type: Option<Type>,
    #[serde(default)]
    init: Vec<String>,
    reference: Option<String>,
    call: Vec<Called>,
    #[serde(default)]
    inputs: BTreeMap<String, Numbers>,
    #[serde(default)]
    outputs: BTreeMap<String, Numbers>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Called {
    function: String,
    #[serde(default)]
    arguments: Vec<Argument>,
}

#[derive(Deserialize, Debug)]
#[serde(untagged)]
enum Argument {
    Whole(i64),
    Real(f64),
    Text(String),
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
enum Type {
    Float,
    Double,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Numbers {
    length: Option<usize>,
    matrix: Option<[usize; 2]>,
    range: Option<[f64; 2]>,
    group: Option<String>,
}

/// A specification, validated.
#[derive(Debug)]
pub struct Spec {
    pub sources: Vec<PathBuf>,
    pub library: Option<PathBuf>,
    pub options: Vec<String>,
    pub input_type: Option<InputType>,
    pub init: Vec<String>,
    pub reference: Option<String>,
    pub calls: Vec<Call>,
    pub ranges: Vec<RangeOption>,
    /// Inputs with their operand groups.
    pub groups: Vec<(String, String)>,
}

pub fn read(path: &Path) -> Result<Spec, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::CannotRead {
        path: path.to_owned(),
        error,
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    parse(&text, folder).map_err(|reason| Failure::BadSpec {
        path: path.to_owned(),
        reason,
    })
}

pub(crate) fn parse(text: &str, folder: &Path) -> Result<Spec, String> {
    let file: File =
        toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    for (name, numbers) in file.inputs.iter().chain(&file.outputs) {
        numbers
            .count()
            .map_err(|reason| format!("`{name}` {reason}"))?;
    }
    if let Some(name) = file
        .outputs
        .keys()
        .find(|name| file.inputs.contains_key(*name))
    {
        return Err(format!(
            "`{name}` is declared as an input and as an output: give them two names"
        ));
    }
    let calls = file.call.iter().map(|call| file.call_of(call));
    let calls: Vec<Call> = calls.collect::<Result<_, _>>()?;
    file.check_that_all_are_used()?;
    let ranges = file
        .inputs
        .iter()
        .filter_map(|(name, numbers)| Some((name, numbers.range?)));
    let groups = file
        .inputs
        .iter()
        .filter_map(|(name, numbers)| Some((name, numbers.group.as_ref()?)));
    Ok(Spec {
        ranges: ranges
            .map(
                |(name, [low, high])| match low <= high && low.is_finite() && high.is_finite() {
                    true => Ok(RangeOption {
                        variable: Some(name.clone()),
                        range: Range { low, high },
                    }),
                    false => Err(format!(
                        "the range of `{name}` must be two finite numbers, the smaller one first"
                    )),
                },
            )
            .collect::<Result<_, _>>()?,
        groups: groups
            .map(|(name, group)| (name.clone(), group.clone()))
            .collect(),
        calls,
        sources: file
            .sources
            .iter()
            .map(|source| folder.join(source))
            .collect(),
        library: file.library.as_ref().map(|library| folder.join(library)),
        options: file.options,
        input_type: file.input_type.map(|kind| match kind {
            Type::Float => InputType::Float,
            Type::Double => InputType::Double,
        }),
        init: file.init,
        reference: file.reference,
    })
}

impl Numbers {
    /// None for a scalar.
    fn count(&self) -> Result<Option<usize>, String> {
        let count = match (self.length, self.matrix) {
            (Some(_), Some(_)) => {
                return Err("has a length and is a matrix: give only one of them".to_owned());
            }
            (Some(length), None) => Some(length),
            (None, Some([rows, columns])) => Some(rows.saturating_mul(columns)),
            (None, None) => None,
        };
        match count {
            Some(0) => Err("has no elements: give a length of at least 1".to_owned()),
            Some(count) if count > MOST_NUMBERS => Err(format!(
                "has {count} elements: the limit is {MOST_NUMBERS} inputs or outputs"
            )),
            count => Ok(count),
        }
    }
}

impl File {
    /// The call as its text would be.
    fn call_of(&self, called: &Called) -> Result<Call, String> {
        let arguments = called
            .arguments
            .iter()
            .map(|argument| self.argument(called, argument));
        let arguments: Vec<String> = arguments.collect::<Result<_, _>>()?;
        let text = format!("{}({})", called.function, arguments.join(", "));
        Call::parse(&text).map_err(|error| format!("cannot read `{text}` as a call: {error}"))
    }

    fn argument(&self, called: &Called, argument: &Argument) -> Result<String, String> {
        let name = match argument {
            Argument::Whole(number) => return Ok(number.to_string()),
            Argument::Real(number) => return Ok(format!("{number:?}")),
            Argument::Text(text) => text.trim(),
        };
        let sized = |numbers: &Numbers| match numbers.count() {
            Ok(Some(count)) => format!("{name}[{count}]"),
            _ => name.to_owned(),
        };
        if let Some(numbers) = self.inputs.get(name) {
            return Ok(sized(numbers));
        }
        if let Some(numbers) = self.outputs.get(name) {
            return Ok(format!("&{}", sized(numbers)));
        }
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if !is_name {
            return Ok(name.to_owned());
        }
        let known: Vec<&str> = self.names().collect();
        Err(format!(
            "`{name}`, an argument of {}, is not declared: there {} (a constant of C that is a name goes \
             in brackets)",
            called.function,
            match known.len() {
                0 => "are no [inputs] and no [outputs]".to_owned(),
                1 => format!("is {}", known[0]),
                _ => format!("are {}", known.join(", ")),
            }
        ))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.inputs
            .keys()
            .chain(self.outputs.keys())
            .map(String::as_str)
    }

    fn check_that_all_are_used(&self) -> Result<(), String> {
        let passed = |name: &str| {
            let mut arguments = self.call.iter().flat_map(|call| &call.arguments);
            arguments
                .any(|argument| matches!(argument, Argument::Text(text) if text.trim() == name))
        };
        match self.names().find(|name| !passed(name)) {
            Some(name) => Err(format!("`{name}` is declared, but no call passes it")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LU: &str = r#"
        sources = ["lu.c"]
        input-type = "float"
        [[call]]
        function = "lu"
        arguments = ["A", 4, "(NULL)", "LU"]
        [inputs.A]
        matrix = [4, 4]
        range = [-100, 100]
        group = "left"
        [outputs.LU]
        length = 16
    "#;

    #[test]
    fn a_call_is_what_its_text_would_be() {
        let spec = parse(LU, Path::new("there")).unwrap();
        assert_eq!(spec.calls[0].text, "lu(A[16], 4, (NULL), &LU[16])");
        assert_eq!(spec.ranges, [RangeOption::read("A=-100:100").unwrap()]);
        assert_eq!(spec.groups, [("A".to_owned(), "left".to_owned())]);
        assert_eq!(spec.sources, [Path::new("there/lu.c")]);
        assert_eq!(spec.input_type, Some(InputType::Float));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let cases = [
            (
                "\"A\", 4",
                "\"B\", 4",
                "`B`, an argument of lu, is not declared",
            ),
            ("[4, 4]", "[40, 40]", "`A` has 1600 elements"),
            ("length = 16", "length = 0", "`LU` has no elements"),
            (
                "length = 16",
                "length = 16\nmatrix = [4, 4]",
                "`LU` has a length and is a matrix",
            ),
            ("[-100, 100]", "[100, -100]", "the range of `A`"),
            (", \"LU\"]", "]", "`LU` is declared, but no call passes it"),
            ("group =", "grope =", "grope"),
        ];
        for (from, to, reason) in cases {
            let found = parse(&LU.replace(from, to), Path::new("")).unwrap_err();
            assert!(found.contains(reason), "{found}");
        }
    }
}
