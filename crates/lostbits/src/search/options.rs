//! The arguments of `lostbits search`, validated.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use lostbits_abi::{kind::FpKind, mode::Mode};

use super::{
    arguments::{InputType, Raises, SearchArguments, SearchFormat, Strategy},
    formula::SearchedFormula,
    shard::Shard,
    spec::{self, Spec},
    symbolic::{Settings, SymbolicArguments},
};
use crate::{
    destination::Destination,
    failure::Failure,
    inputs::{Call, Formula, Initializer, RangeOption},
    numeric::Relative,
    subject::{self, language},
    target::{Raised, Source},
    toolchain::Compiler,
};

pub struct Options {
    pub source: Source,
    /// If an expression or FPCore file is searched.
    pub formula: Option<SearchedFormula>,
    pub wanted: Wanted,
    pub init: Vec<Initializer>,
    pub ranges: Vec<RangeOption>,
    /// Inputs with their operand groups.
    pub groups: Vec<(String, String)>,
    /// Only numbers of this format vary.
    pub input_kind: Option<FpKind>,
    pub strategy: Strategy,
    pub symbolic: SymbolicArguments,
    pub settings: Settings,
    pub runs: Option<u64>,
    pub time: Option<Duration>,
    pub seed: u64,
    pub oracle: OracleChoice,
    /// What the calls mean, where the user says it; as many as there are calls.
    pub meanings: Vec<Option<String>>,
    pub unconfirmed: bool,
    pub map: bool,
    /// Whether the report shows sketches of the error.
    pub draws: bool,
    pub significant: Relative,
    pub top: usize,
    pub patience: Duration,
    pub jobs: usize,
    pub format: SearchFormat,
    pub report_to: Destination,
    pub resume: Option<PathBuf>,
    /// The part that is searched, if it is not all: `wanted` and `meanings` hold those of the part.
    pub part: Option<Part>,
    /// Whether the user gave several calls.
    pub has_several_calls: bool,
    pub times: Option<PathBuf>,
    pub explain: Option<Explained>,
    pub raised: Raised,
}

/// A part of a campaign, and all that the campaign calls.
pub struct Part {
    pub shard: Shard,
    pub all_calls: Vec<String>,
    pub all_meanings: Vec<Option<String>>,
}

/// What is built once more to be explained.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Explained {
    /// What is searched.
    Same,
    /// A library that was built for mode `explain`.
    Library(PathBuf),
}

/// What is to be called.
pub enum Wanted {
    /// A function with all its parameters varying.
    Function(String),
    /// Every function that can be called.
    All,
    Calls(Vec<Call>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OracleChoice {
    /// The best reference that there is; what only the shadow says is not reported.
    Auto,
    None,
    Shadow,
    Command(String),
}

impl Options {
    pub fn new(mut arguments: SearchArguments) -> Result<Options, Failure> {
        take_compiler_options(&mut arguments)?;
        // Of a crate, everything, unless the user names something.
        let names_something =
            arguments.function.is_some() || !arguments.call.is_empty() || arguments.calls.is_some();
        arguments.all |= arguments.crate_folder.is_some() && !names_something;
        let seed = arguments.seed.seed.unwrap_or(SEED);
        let spec = match &arguments.spec {
            Some(path) => Some(spec::read(path)?),
            None => None,
        };
        let specified = spec.map(|spec| specified(spec, &mut arguments));
        let formula = formula_text(&arguments).map(|text| Formula::read(&text));
        let formula = formula.transpose()?.map(SearchedFormula::new);
        let mut meanings = Vec::new();
        let (source, wanted) = match (&formula, &specified) {
            (Some(formula), _) => (
                Source::Text(formula.code().to_owned()),
                Wanted::Calls(formula.calls.clone()),
            ),
            (None, Some(spec)) => (source(&arguments)?, Wanted::Calls(spec.calls.clone())),
            (None, None) => (source(&arguments)?, wanted(&arguments, &mut meanings)?),
        };
        if let Some(text) = arguments.means.take() {
            match &wanted {
                Wanted::Calls(calls) if calls.len() > 1 => {
                    return Err(Failure::SeveralMeanings { calls: calls.len() });
                }
                _ => meanings = vec![Some(text)],
            }
        }
        let has_several_calls = match &wanted {
            Wanted::Calls(calls) => calls.len() > 1,
            Wanted::Function(_) => false,
            Wanted::All => true,
        };
        let mut wanted = wanted;
        let part = match arguments.shard {
            Some(_) if formula.is_some() => return Err(Failure::ShardOfNoCalls),
            Some(shard) => Some(take_part(shard, &mut wanted, &mut meanings)?),
            None => None,
        };
        let explain = explained(&arguments)?;
        let (mut ranges, groups) =
            specified.map_or_else(Default::default, |spec| (spec.ranges, spec.groups));

        // Ranges of the command line come last, so that they take precedence.
        ranges.append(&mut arguments.range);
        Ok(Options {
            source,
            formula,
            explain,
            raised: Raised {
                status: arguments.raises.contains(&Raises::Status),
                errno: arguments.raises.contains(&Raises::Errno),
            },
            wanted,
            meanings,
            unconfirmed: arguments.unconfirmed,
            map: arguments.map || arguments.report.format == SearchFormat::Csv,
            draws: matches!(
                arguments.report.format,
                SearchFormat::Terminal | SearchFormat::Html
            ),
            ranges,
            groups,
            input_kind: arguments.input_type.map(|kind| match kind {
                InputType::Float => FpKind::Float,
                InputType::Double => FpKind::Double,
            }),
            init: initializers(&arguments.init)?,
            strategy: arguments.strategy,
            settings: arguments.symbolic.settings(seed)?,
            symbolic: arguments.symbolic,
            runs: arguments.runs,
            time: arguments
                .timeout
                .and_then(|s| Duration::try_from_secs_f64(s).ok()),
            seed,
            oracle: match arguments.oracle.as_str() {
                "auto" => OracleChoice::Auto,
                "none" => OracleChoice::None,
                "shadow" => OracleChoice::Shadow,
                command => OracleChoice::Command(command.to_owned()),
            },
            significant: Relative::new(arguments.significant),
            top: arguments.top,
            patience: Duration::try_from_secs_f64(arguments.patience)
                .unwrap_or(Duration::from_secs(1)),
            jobs: arguments.jobs.max(1),
            report_to: arguments.report.destination(match arguments.report.format {
                SearchFormat::Html => Destination::File(PAGE.into()),
                _ => Destination::Output,
            }),
            format: arguments.report.format,
            resume: arguments.resume,
            part,
            has_several_calls,
            times: arguments.times,
        })
    }
}

/// Where a page goes without `--report`.
const PAGE: &str = "lostbits-search.html";
/// Other seeds move every position of a grid, too.
pub const SEED: u64 = 1;

/// Leaves sources and expressions among the words; compiler options join those of `--cc-option`.
fn take_compiler_options(arguments: &mut SearchArguments) -> Result<(), Failure> {
    if arguments.subject.iter().any(|word| word == "--") {
        return Err(Failure::SearchHasNoProgram);
    }
    let mut words = subject::separate(&arguments.subject);
    arguments.subject = words.plain;
    arguments.compiler.cc_option.append(&mut words.options);
    Ok(())
}

/// Adds what a specification gives to the arguments; the command line takes precedence.
fn specified(mut spec: Spec, arguments: &mut SearchArguments) -> Spec {
    let words = |paths: &[PathBuf]| {
        paths
            .iter()
            .map(|path| path.clone().into_os_string())
            .collect()
    };
    let sources: Vec<OsString> = words(&spec.sources);
    arguments.subject.extend(sources);
    arguments
        .compiler
        .cc_option
        .extend(spec.options.drain(..).map(OsString::from));
    arguments.init.append(&mut spec.init);
    arguments.input_type = arguments.input_type.or(spec.input_type);
    if let Some(reference) = spec.reference.take().filter(|_| arguments.oracle == "auto") {
        arguments.oracle = reference;
    }
    arguments.library = arguments.library.take().or(spec.library.take());
    spec
}

/// A single word that is neither a source nor goes with a library is an expression, or names an FPCore file.
fn formula_text(arguments: &SearchArguments) -> Option<String> {
    let names_nothing = arguments.library.is_none()
        && arguments.crate_folder.is_none()
        && arguments.function.is_none()
        && !arguments.all
        && arguments.spec.is_none()
        && arguments.call.is_empty()
        && arguments.calls.is_none();
    match &arguments.subject[..] {
        [word] if names_nothing && language(word).is_none() => {
            Some(word.to_string_lossy().into_owned())
        }
        _ => None,
    }
}

fn source(arguments: &SearchArguments) -> Result<Source, Failure> {
    if let Some(library) = &arguments.library {
        return Ok(Source::Library(library.clone()));
    }
    if let Some(folder) = &arguments.crate_folder {
        return Ok(Source::Crate(folder.clone()));
    }
    // C++ links C, but C does not link C++.
    let compilers = arguments.subject.iter().filter_map(|word| language(word));
    let compiler = compilers.max_by_key(|compiler| *compiler == Compiler::Cxx);
    let Some(compiler) = compiler else {
        return Err(Failure::NothingToSearch);
    };
    if let Some(missing) = arguments
        .subject
        .iter()
        .find(|word| !Path::new(word).exists())
    {
        return Err(Failure::CannotRead {
            path: missing.into(),
            error: std::io::ErrorKind::NotFound.into(),
        });
    }
    let languages = arguments
        .subject
        .iter()
        .filter(|word| language(word).is_some());
    let is_other = |word: &&OsString| !goes_with(compiler, language(word).unwrap_or(compiler));
    if let Some(other) = languages.clone().find(is_other) {
        let named = |word: &OsString| word.to_string_lossy().into_owned();
        return Err(Failure::SeveralLanguages {
            first: named(&arguments.subject[0]),
            second: named(other),
        });
    }
    let is_optimised = arguments.compiler.cc_option.iter().any(|word| {
        let word = word.to_string_lossy();
        word.starts_with("-O") || word.contains("opt-level")
    });
    let optimise = if compiler == Compiler::Rust {
        "-O"
    } else {
        "-O2"
    };
    let mut words: Vec<OsString> = arguments.subject.clone();
    words.extend((!is_optimised).then(|| optimise.into()));
    words.extend(arguments.compiler.cc_option.iter().cloned());
    Ok(Source::File { compiler, words })
}

/// Whether one compiler takes sources of both languages.
fn goes_with(compiler: Compiler, other: Compiler) -> bool {
    let is_clang = |compiler| matches!(compiler, Compiler::C | Compiler::Cxx);
    compiler == other || (is_clang(compiler) && is_clang(other))
}

/// Leaves a shard's calls and their meanings.
fn take_part(
    shard: Shard,
    wanted: &mut Wanted,
    meanings: &mut Vec<Option<String>>,
) -> Result<Part, Failure> {
    let Wanted::Calls(calls) = wanted else {
        return Err(Failure::ShardOfNoCalls);
    };
    let part = Part {
        shard,
        all_calls: calls.iter().map(|call| call.text.clone()).collect(),
        all_meanings: meanings.clone(),
    };
    let mut index = 0..;
    calls.retain(|_| index.next().is_some_and(|index| shard.has(index)));
    let mut index = 0..;
    meanings.retain(|_| index.next().is_some_and(|index| shard.has(index)));
    Ok(part)
}

fn explained(arguments: &SearchArguments) -> Result<Option<Explained>, Failure> {
    if !arguments.explain && arguments.explain_library.is_none() {
        return Ok(None);
    }
    match arguments.report.format {
        SearchFormat::Terminal | SearchFormat::Json => {}
        SearchFormat::Html => return Err(Failure::NotExplainable { format: "html" }),
        SearchFormat::Tsv => return Err(Failure::NotExplainable { format: "tsv" }),
        SearchFormat::Csv => return Err(Failure::NotExplainable { format: "csv" }),
        SearchFormat::C => return Err(Failure::NotExplainable { format: "c" }),
        SearchFormat::Cpp => return Err(Failure::NotExplainable { format: "cpp" }),
        SearchFormat::Rust => return Err(Failure::NotExplainable { format: "rust" }),
        SearchFormat::Fortran => return Err(Failure::NotExplainable { format: "fortran" }),
        SearchFormat::Pytest => return Err(Failure::NotExplainable { format: "pytest" }),
    }
    match (&arguments.library, &arguments.explain_library) {
        (_, Some(path)) => {
            let path = path.canonicalize().map_err(|error| Failure::CannotRead {
                path: path.clone(),
                error,
            })?;
            subject::check_mode(&path, Mode::Explain)?;
            Ok(Some(Explained::Library(path)))
        }
        (Some(_), None) => Err(Failure::NoLibraryToExplain),
        (None, None) => Ok(Some(Explained::Same)),
    }
}

fn initializers(texts: &[String]) -> Result<Vec<Initializer>, Failure> {
    let parse = |text: &String| Initializer::parse(text).map_err(|problem| problem.of(text));
    texts.iter().map(parse).collect()
}

/// What is to be called; what `f(x) = meaning` says goes into `meanings`.
fn wanted(
    arguments: &SearchArguments,
    meanings: &mut Vec<Option<String>>,
) -> Result<Wanted, Failure> {
    let mut texts = arguments.call.clone();
    if let Some(path) = &arguments.calls {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::CannotRead {
            path: path.clone(),
            error,
        })?;
        let lines = text.lines().map(str::trim);
        texts.extend(
            lines
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .map(str::to_owned),
        );
    }
    if arguments.all {
        return Ok(Wanted::All);
    }
    match (&arguments.function, texts.is_empty()) {
        (Some(function), true) => Ok(Wanted::Function(function.clone())),
        (None, true) => Err(Failure::NothingToSearch),
        _ => {
            let mut calls = Vec::new();
            for text in &texts {
                let (call, meaning) = match text.split_once(") = ") {
                    Some((call, meaning)) => (format!("{call})"), Some(meaning.to_owned())),
                    None => (text.clone(), None),
                };
                calls.push(Call::parse(&call).map_err(|problem| problem.of(&call))?);
                meanings.push(meaning);
            }
            Ok(Wanted::Calls(calls))
        }
    }
}
