//! `--all`: which functions of a library can be called, how, and for which inputs they give numbers.
//!
//! Debug information has the signatures of what the library exports. Floating-point parameters vary, also those in complex numbers and
//! small structures. The value of integers, the function for a callback, and which arguments a Fortran subroutine writes are
//! found by probing. Methods are called on default-constructed objects. An array needs exactly one integer beside it, which is its length. What does not fit is listed with the reason,
//! so that the user can write the call.

use std::{collections::HashMap, sync::Arc};

use lostbits_abi::kind::FpKind;
use serde::{Deserialize, Serialize};

use super::{exact, options::Options, space::Space};
use crate::{
    failure::Failure,
    inputs::{Call, NamedRange},
    numeric::Range,
    target::{
        CALLBACKS, CompiledCalls, Constructor, Ending, Guarded, Library, Raised, ResolvedCall,
        Signature, Target,
        signature::{Language, Type},
    },
};

/// The calls that are searched, and the functions that are not.
pub struct Survey {
    pub calls: Vec<ResolvedCall>,
    /// As many as there are calls.
    pub domains: Vec<Vec<Domain>>,
    pub skipped: Vec<Skipped>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Skipped {
    pub reason: String,
    pub function: String,
}

/// Where a function gives numbers, as far as probing shows: between the outermost inputs with a finite result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Domain {
    pub parameter: String,
    #[serde(with = "exact")]
    pub low: f64,
    #[serde(with = "exact")]
    pub high: f64,
    /// What is searched: the domain, and beyond its ends up to the next probe, where results may be missing.
    #[serde(skip)]
    searched: Option<Range>,
}

impl Domain {
    pub fn range(&self) -> Option<NamedRange> {
        let name = self.parameter.clone();
        self.searched.map(|range| NamedRange { name, range })
    }
}

/// More inputs than these need a build of their own (arrays: `--call`).
const MOST_INPUTS: usize = 4;
/// Values that integer parameters are tried with; on a draw the first counts.
const WHOLE: [u64; 4] = [2, 1, 0, 3];

pub fn survey(
    options: &Options,
    library: &Library,
    folder: &std::path::Path,
) -> Result<Survey, Failure> {
    let functions = library.all_functions()?;
    let refused = library.skipped.iter().cloned();
    let refused = refused.map(|(function, reason)| Skipped { reason, function });
    let mut skipped: Vec<Skipped> = refused.collect();
    let mut candidates: Vec<Vec<ResolvedCall>> = Vec::new();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for signature in functions.by_name.values() {
        *uses.entry(&signature.name).or_default() += 1;
    }
    let mut exported: Vec<&String> = functions.exported.iter().collect();
    exported.sort();
    exported.dedup();
    for symbol in exported {
        if is_of_library(symbol) {
            continue;
        }
        let Some(signature) = functions.by_name.get(symbol) else {
            let reason = "has no debug information: build it with -g".to_owned();
            let function = symbol.clone();
            skipped.push(Skipped { reason, function });
            continue;
        };
        if is_reserved(symbol, signature.language) {
            let reason = "has a name that C reserves for what is not called from outside: search it with --function";
            skipped.push(Skipped {
                reason: reason.to_owned(),
                function: symbol.clone(),
            });
            continue;
        }
        // A name that means several functions is no name.
        let is_unique = uses.get(signature.name.as_str()) == Some(&1) && is_name(&signature.name);
        let function = if is_unique { &signature.name } else { symbol };
        let ready = constructible(signature, &functions.exported);
        match ready.and_then(|()| calls(function, signature, options.raised)) {
            Ok(calls) => candidates.push(calls),
            Err(reason) => skipped.push(Skipped {
                reason,
                function: function.clone(),
            }),
        }
    }
    let (calls, domains) = probed(options, library, folder, candidates, &mut skipped)?;
    skipped.sort();
    match calls.is_empty() {
        true => Err(Failure::NothingCallable {
            reasons: reasons(&skipped),
        }),
        false => Ok(Survey {
            calls,
            domains,
            skipped,
        }),
    }
}

/// Some functions, each with the reason why it is skipped.
fn reasons(skipped: &[Skipped]) -> String {
    const SHOWN: usize = 5;
    let shown = skipped.iter().take(SHOWN);
    let lines: Vec<String> = shown
        .map(|one| format!("\n  {} {}", one.function, one.reason))
        .collect();
    lines.concat()
}

/// Chooses the integers of each function by probing, and finds its domain.
fn probed(
    options: &Options,
    library: &Library,
    folder: &std::path::Path,
    candidates: Vec<Vec<ResolvedCall>>,
    skipped: &mut Vec<Skipped>,
) -> Result<(Vec<ResolvedCall>, Vec<Vec<Domain>>), Failure> {
    let (mut calls, mut domains) = (Vec::new(), Vec::new());
    if candidates.is_empty() {
        return Ok((calls, domains));
    }
    let all: Vec<ResolvedCall> = candidates.iter().flatten().cloned().collect();
    let compiled = CompiledCalls::new(library, all, &options.init, folder, options.patience)?;
    let mut target = Arc::new(compiled).open()?;
    let mut index = 0;
    for candidates in candidates {
        let mut best: Option<((usize, usize), ResolvedCall, Vec<Domain>)> = None;
        let function = candidates[0].call.function.clone();
        let mut has_state = false;
        for resolved in candidates {
            target.choose(index);
            index += 1;
            let Probed {
                finite,
                domain,
                writes_all,
            } = probe(&mut target)?;
            if !repeats(&mut target)? {
                has_state = true;
                continue;
            }
            // Of a subroutine, the call with the most outputs that it writes.
            let written = match is_subroutine(&resolved.signature) {
                true if !writes_all => continue,
                true => resolved.outputs.len(),
                false => 0,
            };
            let worth = (written, finite);
            if finite > 0 && best.as_ref().is_none_or(|best| worth > best.0) {
                best = Some((worth, resolved, domain));
            }
        }
        match best {
            Some((_, resolved, domain)) => {
                calls.push(resolved);
                domains.push(domain);
            }
            None if has_state => skipped.push(Skipped {
                reason: "gives different results for one input, as random numbers do: they have no right value"
                    .to_owned(),
                function,
            }),
            None => skipped.push(Skipped {
                reason: "returned no finite number for any input that was probed: write its call with --call"
                    .to_owned(),
                function,
            }),
        }
    }
    Ok((calls, domains))
}

/// How a function may be called; else why it is not.
fn calls(
    function: &str,
    signature: &Signature,
    raised: Raised,
) -> Result<Vec<ResolvedCall>, String> {
    if !signature.is_callable() {
        return Err(format!(
            "is not `extern \"C\"`: {}",
            signature.language.how_to_export()
        ));
    }
    if !is_name(&signature.symbol) {
        return Err("has a name that C cannot write".to_owned());
    }
    let shape = Shape::of(signature)?;
    let whole = match shape.integers {
        0 => &WHOLE[..1],
        _ if shape.length.is_some() => &WHOLE[..1],
        _ => &WHOLE[..],
    };
    let callbacks = match shape.callbacks {
        0 => &CALLBACKS[..1],
        _ => &CALLBACKS[..],
    };
    let mut choices: Vec<Choice> = Vec::new();
    for written in shape.written(signature) {
        for callback in callbacks {
            choices.extend(whole.iter().map(|whole| Choice {
                whole: *whole,
                callback,
                written: written.clone(),
            }));
        }
    }
    let call = |choice: &Choice| {
        let text = format!("{function}({})", shape.arguments(signature, choice));
        let call = Call::parse(&text).map_err(|problem| problem.to_string())?;
        let resolved = ResolvedCall::new(call, signature.clone());
        let mut resolved = resolved.map_err(|failure| match failure {
            Failure::CannotCall { reason, .. } => reason,
            other => other.to_string(),
        })?;
        if resolved.parameters.len() > MOST_INPUTS {
            let inputs = resolved.parameters.len();
            return Err(format!(
                "has {inputs} inputs, and --all takes at most {MOST_INPUTS}: search it with --call '{text}'"
            ));
        }
        let status = raised.status && matches!(signature.result, Type::Integer(..));
        let raise = Raised { status, ..raised };
        resolved
            .raise(raise)
            .map_err(|failure| failure.to_string())?;
        Ok(resolved)
    };
    let mut refused = None;
    let resolved = choices.iter().filter_map(|choice| match call(choice) {
        Ok(resolved) => Some(resolved),
        Err(reason) => {
            refused.get_or_insert(reason);
            None
        }
    });
    let resolved: Vec<ResolvedCall> = resolved.collect();
    match refused {
        Some(reason) if resolved.is_empty() => Err(reason),
        _ => Ok(resolved),
    }
}

/// What is not an input.
struct Choice {
    whole: u64,
    callback: &'static str,
    /// Numbers that a subroutine writes.
    written: Vec<bool>,
}

/// A Fortran subroutine: debug information does not say which arguments it writes, so probing finds out.
fn is_subroutine(signature: &Signature) -> bool {
    signature.language == Language::Fortran && signature.result == Type::Void
}

/// Whether a method has an object that can be made.
fn constructible(signature: &Signature, exported: &[String]) -> Result<(), String> {
    match signature.object.as_ref().map(|object| &object.constructor) {
        Some(Constructor::Default(name)) if !exported.contains(name) => Err(
            "is a method of a class whose default constructor the library does not export: call it in a function of your own"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

/// What belongs to Rust's standard library, or to a crate that it is made of, also as an instance.
fn is_of_rust(symbol: &str) -> bool {
    const CRATES: [&str; 18] = [
        "addr2line",
        "adler2",
        "alloc",
        "cfg_if",
        "compiler_builtins",
        "core",
        "gimli",
        "hashbrown",
        "libc",
        "memchr",
        "miniz_oxide",
        "object",
        "panic_abort",
        "panic_unwind",
        "rustc_demangle",
        "rustc_std_workspace_core",
        "std",
        "std_detect",
    ];
    let Ok(name) = rustc_demangle::try_demangle(symbol) else {
        return symbol == "rust_eh_personality";
    };
    let name = format!("{name:#}");
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let mut paths = name.split(|c: char| !is_part(c));
    let root = |path: &str| path.split_once("::").map(|(root, _)| root.to_owned());
    !paths.any(|path| {
        root(path).is_some_and(|root| !root.is_empty() && !CRATES.contains(&root.as_str()))
    })
}

/// Parts of an implementation, such as a libm's kernels, which are right only for the arguments that they are called with. (Fortran's
/// compilers name what is in modules so.)
fn is_reserved(symbol: &str, language: Language) -> bool {
    symbol.starts_with("__") && language == Language::Other
}

/// Instances of templates of C++'s own library, and Rust's own library.
fn is_of_library(symbol: &str) -> bool {
    if is_of_rust(symbol) {
        return true;
    }
    const LIBRARY: [&str; 6] = [
        "_ZSt",
        "_ZNSt",
        "_ZNKSt",
        "_ZN9__gnu_cxx",
        "_ZNK9__gnu_cxx",
        "_ZGV",
    ];
    LIBRARY.iter().any(|prefix| symbol.starts_with(prefix))
}

/// What the parameters of a function are.
struct Shape {
    integers: usize,
    callbacks: usize,
    /// Of every array.
    length: Option<usize>,
    /// Arrays that are read; other addresses are outputs.
    reads: Vec<bool>,
}

impl Shape {
    fn of(signature: &Signature) -> Result<Shape, String> {
        let is_number = matches!(signature.result, Type::Floating(_));
        let count = |is: fn(&Type) -> bool| {
            (0..signature.parameters.len())
                .filter(|at| is(passed(signature, *at)))
                .count()
        };
        let integers = count(|ty| matches!(ty, Type::Integer(..)));
        let scalars = count(|ty| matches!(ty, Type::Floating(_)));
        let callbacks = count(Type::is_callback);
        let mut reads = vec![false; signature.parameters.len()];
        for (at, (name, _)) in signature.parameters.iter().enumerate() {
            let refuse = |what: &str| {
                Err(format!(
                    "takes {what} as parameter {} ({name}): write its call with --call",
                    at + 1
                ))
            };
            match passed(signature, at) {
                Type::Floating(_) | Type::Integer(..) => {}
                ty if ty.is_callback() || !ty.parts().is_empty() => {}
                Type::Pointer(to) => match &**to {
                    Type::Floating(_) => {
                        reads[at] = signature.read_only[at] || (is_number && integers == 1);
                    }
                    Type::Structure(_, Some(_), _) if !signature.read_only[at] => {}
                    Type::Structure(..) => return refuse("the address of a structure"),
                    Type::Function(..) => {
                        return refuse("a callback that is no function of one number");
                    }
                    _ => return refuse("an address"),
                },
                Type::Structure(..) => {
                    return refuse(
                        "a structure with other members than up to four floating-point numbers",
                    );
                }
                Type::Other(what) => return refuse(what),
                Type::Void | Type::Function(..) | Type::Complex(_) => {
                    return refuse("something unknown");
                }
            }
        }
        let arrays = reads.iter().filter(|reads| **reads).count();
        let length = match (arrays, integers) {
            (0, _) => None,
            (_, 1) => Some((MOST_INPUTS.saturating_sub(scalars) / arrays).max(2)),
            _ => {
                return Err(
                    "takes an array, and which parameter is its length is unknown: write its call with --call"
                        .to_owned(),
                );
            }
        };
        Ok(Shape {
            integers,
            callbacks,
            length,
            reads,
        })
    }

    /// Which numbers a subroutine may write, each possibility; other functions write none of the numbers that they take.
    fn written(&self, signature: &Signature) -> Vec<Vec<bool>> {
        const MOST: usize = 5;
        let count = signature.parameters.len();
        let is_number = |at: &usize| matches!(passed(signature, *at), Type::Floating(_));
        let numbers: Vec<usize> = (0..count).filter(is_number).collect();
        if !is_subroutine(signature) || numbers.len() > MOST {
            return vec![vec![false; count]];
        }
        let all = 1..(1u32 << numbers.len()) - 1;
        let one = |set: u32| {
            let mut written = vec![false; count];
            for (bit, at) in numbers.iter().enumerate() {
                written[*at] = set >> bit & 1 == 1;
            }
            written
        };
        all.map(one).collect()
    }

    /// The arguments of a call.
    fn arguments(&self, signature: &Signature, choice: &Choice) -> String {
        let value = choice.whole;
        let argument = |at: usize| {
            let name = format!(
                "{}{}",
                signature.parameters[at].0,
                self.suffix(signature, at)
            );
            match (passed(signature, at), self.length) {
                (ty, _) if ty.is_callback() => choice.callback.to_owned(),
                (Type::Floating(_), _) if choice.written[at] => format!("&{name}"),
                (Type::Integer(..), Some(length)) => length.to_string(),
                // A truth value is 0 or 1.
                (Type::Integer(1, _), None) => value.min(1).to_string(),
                (Type::Integer(..), None) => value.to_string(),
                (Type::Pointer(_), Some(length)) if self.reads[at] => format!("{name}[{length}]"),
                (Type::Pointer(to), Some(length)) if matches!(**to, Type::Floating(_)) => {
                    format!("&{name}[{length}]")
                }
                (Type::Pointer(_), _) => format!("&{name}"),
                _ => name,
            }
        };
        let arguments: Vec<String> = (0..signature.parameters.len()).map(argument).collect();
        arguments.join(", ")
    }

    /// Parameters of one name would be one input.
    fn suffix(&self, signature: &Signature, at: usize) -> String {
        let name = &signature.parameters[at].0;
        let before = signature.parameters[..at].iter();
        match before.filter(|known| known.0 == *name).count() {
            0 => String::new(),
            earlier => format!("_{}", earlier + 1),
        }
    }
}

/// The type of a parameter, of what is at its address where Fortran passes numbers so.
fn passed(signature: &Signature, at: usize) -> &Type {
    match &signature.parameters[at].1 {
        Type::Pointer(to) if signature.by_address[at] => to,
        ty => ty,
    }
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(is_part) && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// Everyday numbers that are probed beside powers of two. Integers are poles of some functions, and others take nothing else.
const EVERYDAY: [f64; 20] = [
    0.1, 0.3, 0.7, 0.9, 1.5, 2.5, 3.0, 5.0, 5.3, 7.0, 10.0, 12.7, 20.0, 33.3, 50.0, 100.0, 150.4,
    1000.0, 1234.5, 100000.3,
];
/// Values of the other inputs while one is probed.
const OTHERS: [f64; 2] = [0.5, 2.5];
/// Calls in one batch, and how many may never return before probing ends.
const PORTION: usize = 16;
const PATIENCE: usize = 2;

/// Whether the same input gives the same result again.
fn repeats(target: &mut Guarded) -> Result<bool, Failure> {
    const AGAIN: usize = 3;
    let width = target.parameters().len();
    for value in OTHERS {
        let batch = target.run(&vec![value; width * AGAIN])?;
        let mut results = batch.outcomes.iter().filter(|outcome| outcome.is_inside());
        let first = results.next().map(|outcome| outcome.outputs.clone());
        if results.any(|outcome| Some(&outcome.outputs) != first.as_ref()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What probing finds.
struct Probed {
    /// Inputs with finite results.
    finite: usize,
    /// None if calls do not return: they are searched without.
    domain: Vec<Domain>,
    /// Whether each output is other than zero somewhere.
    writes_all: bool,
}

fn probe(target: &mut Guarded) -> Result<Probed, Failure> {
    let parameters = target.parameters().to_vec();
    let space = Space::new(&parameters, &[]);
    let mut prober = Prober {
        target,
        width: parameters.len(),
        endless: 0,
        finite: 0,
        written: Vec::new(),
    };
    let mut domains = Vec::new();
    for (axis, parameter) in space.axes.iter().zip(&parameters) {
        let at = domains.len();
        let points = points(parameter.kind);
        let mut is_finite = Vec::new();
        for portion in points.chunks(PORTION) {
            is_finite.extend(prober.finite(at, portion)?);
            if prober.endless >= PATIENCE {
                return Ok(prober.probed(prober.finite.max(1), Vec::new()));
            }
        }
        let Some(first) = is_finite.iter().position(|finite| *finite) else {
            return Ok(prober.probed(0, Vec::new()));
        };
        let last = is_finite
            .iter()
            .rposition(|finite| *finite)
            .unwrap_or(first);
        let (least, most) = axis.ends();
        let (mut low, mut high) = ((least, least), (most, most));
        if first > 0 {
            let (outside, inside) = (axis.ordinal(points[first - 1]), axis.ordinal(points[first]));
            low = (
                axis.value(prober.edge(at, axis, outside, inside)?),
                points[first - 1],
            );
        }
        if last + 1 < points.len() {
            let (outside, inside) = (axis.ordinal(points[last + 1]), axis.ordinal(points[last]));
            high = (
                axis.value(prober.edge(at, axis, outside, inside)?),
                points[last + 1],
            );
        }
        domains.push(Domain {
            parameter: parameter.name.clone(),
            low: low.0,
            high: high.0,
            searched: Some(Range {
                low: low.1,
                high: high.1,
            }),
        });
    }
    Ok(prober.probed(prober.finite, domains))
}

/// What is probed, in order.
fn points(kind: FpKind) -> Vec<f64> {
    let (least, most, step) = match kind {
        FpKind::Half => (-14, 15, 1),
        FpKind::Float | FpKind::BFloat => (-140, 127, 4),
        FpKind::Double | FpKind::X87 => (-1060, 1020, 20),
    };
    let powers = (least..=most)
        .step_by(step)
        .map(|power| f64::exp2(power.into()));
    let positive: Vec<f64> = powers.chain(EVERYDAY).collect();
    let mut points: Vec<f64> = positive.iter().flat_map(|x| [*x, -x]).collect();
    points.push(0.0);
    points.sort_by(f64::total_cmp);
    points
}

struct Prober<'a> {
    target: &'a mut Guarded,
    width: usize,
    /// Calls that did not return.
    endless: usize,
    /// Inputs with finite results.
    finite: usize,
    /// The outputs that were other than zero.
    written: Vec<bool>,
}

impl Prober<'_> {
    fn probed(&self, finite: usize, domain: Vec<Domain>) -> Probed {
        Probed {
            finite,
            domain,
            writes_all: !self.written.is_empty() && self.written.iter().all(|written| *written),
        }
    }

    /// Whether the function gives numbers at these values of an input, with some values of the others.
    fn finite(&mut self, at: usize, values: &[f64]) -> Result<Vec<bool>, Failure> {
        let others = if self.width > 1 {
            &OTHERS[..]
        } else {
            &OTHERS[..1]
        };
        let mut finite = vec![false; values.len()];
        for other in others {
            let mut inputs = vec![*other; self.width * values.len()];
            for (input, value) in inputs.chunks_mut(self.width).zip(values) {
                input[at] = *value;
            }
            let batch = self.target.run(&inputs)?;
            for (finite, outcome) in finite.iter_mut().zip(&batch.outcomes) {
                *finite |= outcome.is_inside();
                self.finite += usize::from(outcome.is_inside());
                self.written
                    .resize(outcome.outputs.len().max(self.written.len()), false);
                for (written, output) in self.written.iter_mut().zip(&outcome.outputs) {
                    *written |= *output != 0.0 && outcome.is_inside();
                }
                self.endless += usize::from(outcome.ending == Ending::NeverReturned);
            }
        }
        Ok(finite)
    }

    /// The outermost number with a finite result between a number without and one with.
    fn edge(
        &mut self,
        at: usize,
        axis: &super::space::Axis,
        mut outside: i64,
        mut inside: i64,
    ) -> Result<i64, Failure> {
        while outside.abs_diff(inside) > 1 && self.endless < PATIENCE {
            let middle = outside.midpoint(inside);
            match self.finite(at, &[axis.value(middle)])?[0] {
                true => inside = middle,
                false => outside = middle,
            }
        }
        Ok(inside)
    }
}
