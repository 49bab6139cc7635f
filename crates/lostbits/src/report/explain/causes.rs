//! A root cause in a few lines: what it does to which results, where, the proof, and what to do.

use annotate_snippets::{Element, Group, Level};
use lostbits_abi::{explain::SpotKind, kind::FpKind};

use super::{infix, phrases};
use crate::{
    explain::{
        Evidence, Kind, Mended, Proof, PythonCall, PythonLine, RootCause, SHARE_OF_A_CAUSE, Spot,
        Variable,
    },
    fix::idioms::suggestion,
    fpcore::{ast::Format, infix::read_infix},
    inputs::NamedRange,
    numeric::{Range, ordinal},
    printable::printable,
    report::{
        document::Fact,
        numbers::{exactly, shortest},
        snippets::SourceView,
        words::{count, executions, function_name, in_function, number},
    },
};

/// The name of a fact without one of its own.
const NOTE: &str = "note";
/// From this multiple of a result's error on, it is said that other errors cancel some of what a cause makes.
const CANCELLED: f64 = 1.5;
/// Longer suggestions are not shown.
const MOST_SUGGESTED: usize = 100;
/// Sources, callers and variables that are shown.
const SOURCES: usize = 3;
const VARIABLES: usize = 2;

impl SourceView<'_> {
    /// The cause as a compiler would show an error; one that no run proved is a warning.
    pub fn cause(&self, cause: &RootCause) -> Vec<Group<'static>> {
        let level = match &cause.evidence {
            Evidence::Proved(_) => Level::ERROR,
            // Two precisions agree on it.
            Evidence::Suspected if cause.divides_by_zero() => Level::ERROR,
            Evidence::Suspected => Level::WARNING,
        };
        let group = level
            .primary_title(self.title(cause))
            .elements(self.location(&cause.site, label(cause)));
        vec![group.elements(self.notes(cause))]
    }

    pub fn title(&self, cause: &RootCause) -> String {
        match &cause.evidence {
            Evidence::Proved(proof) => self.proved_title(cause, proof),
            Evidence::Suspected => suspected_title(cause),
        }
    }

    fn proved_title(&self, cause: &RootCause, proof: &Proof) -> String {
        let spots = self.results(proof);
        match proof.share >= SHARE_OF_A_CAUSE {
            true if proof.times >= CANCELLED => format!(
                "{} {} times the error of {spots}; other errors cancel part of it",
                makes(cause, proof, self.subject(cause)),
                rounded(proof.times)
            ),
            true => format!(
                "{} {} of the error of {spots}",
                makes(cause, proof, self.subject(cause)),
                percent(proof.share)
            ),
            false => format!(
                "{} amplifies the errors of its operands: {} of the error of {spots} passes through it",
                self.subject(cause),
                percent(proof.passes.unwrap_or(1.0)),
            ),
        }
    }

    /// `main.f90:41 and main.f90:42`, `5 outputs`.
    fn results(&self, proof: &Proof) -> String {
        let mut places: Vec<String> = proof.of.iter().map(|one| self.result(&one.site)).collect();
        places.dedup();
        match places.as_slice() {
            [] => "the result".to_owned(),
            [one] => one.clone(),
            [one, other] => format!("{one} and {other}"),
            many => count(many.len() as u64, "result", "results"),
        }
    }

    fn notes(&self, cause: &RootCause) -> Vec<Element<'static>> {
        let facts = self.facts(cause).into_iter().map(|fact| match fact.name {
            NOTE => Level::NOTE.message(fact.text).into(),
            name => Level::NOTE.with_name(name).message(fact.text).into(),
        });
        let help = [idiom(cause), test_of_divisor(cause), self.fix(cause)];
        let help = help.into_iter().flatten();
        let help = help.map(|text| Level::HELP.message(text).into());
        facts.chain(help).collect()
    }

    /// What is known of a cause besides what happens there, the proof first.
    pub fn facts(&self, cause: &RootCause) -> Vec<Fact> {
        let mut facts = Vec::new();
        if let Evidence::Proved(proof) = &cause.evidence {
            facts.extend(self.proof(proof));
            facts.extend(self.sources(proof));
            facts.extend(self.amplifier(proof));
            facts.extend(compensated(proof));
        }
        facts.extend(agreement(cause));
        facts.extend(self.inlined(cause));
        facts.extend(when(cause));
        facts.extend(self.python(cause));
        facts
    }

    /// The lines of Python that got results with this cause's error.
    fn python(&self, cause: &RootCause) -> Option<Fact> {
        let reached = cause.outputs.iter().chain(&cause.decisions);
        self.called_from(&PythonCall::join(reached.flat_map(|one| &one.spot.python)))
    }

    /// `called from test.py:8 in `test_large`, from run.py:3; from test.py:9`.
    fn called_from(&self, calls: &[PythonCall]) -> Option<Fact> {
        let calls: Vec<String> = calls.iter().map(|one| self.python_call(one)).collect();
        (!calls.is_empty()).then(|| Fact {
            name: "Python",
            text: format!("called {}", calls.join("; ")),
        })
    }

    fn python_call(&self, call: &PythonCall) -> String {
        let lines = call.lines.iter().map(|one| {
            let place = self.python_line(one);
            match one.function.as_str() {
                "<module>" => format!("from {place}"),
                function => format!("from {place} in `{}`", printable(function)),
            }
        });
        lines.collect::<Vec<_>>().join(", ")
    }

    pub fn python_line(&self, line: &PythonLine) -> String {
        format!("{}:{}", printable(&self.shown_path(&line.file)), line.line)
    }

    fn proof(&self, proof: &Proof) -> Option<Fact> {
        let Some(best) = best(&proof.results, proof) else {
            return self.measured(proof);
        };
        let statement = match (proof.lines.len(), proof.with_inputs) {
            (0, false) => "this statement",
            (0, true) => "this statement and its inputs",
            _ => "these statements",
        };
        let rounds = match statement {
            "this statement" => "rounds",
            _ => "round",
        };
        let place = self.result(&best.site);
        let exactly = format!("with {statement} computed exactly, {place} has");
        let computed = shortest(best.before.computed);
        let text = match best.kind {
            SpotKind::Output if !best.before.computed.is_finite() => match best.number {
                Some(number) => format!(
                    "with {statement} computed exactly, {place} is {} instead of {computed}",
                    shortest(number)
                ),
                None if proof.with_inputs => format!(
                    "with this statement's inputs as they are and all else exact, {place} is {computed}"
                ),
                None => format!("if only {statement} {rounds}, {place} is {computed}"),
            },
            SpotKind::Output => {
                let digits = |error: f64| right_digits(best, error);
                let of_all = |(right, all): (u32, u32)| format!("{right} of {all}");
                let (before, after) = (digits(best.before.error()), digits(best.after.error()));
                let is_better = after.0 > before.0 || after.0 == after.1 && after != before;
                match is_better {
                    true => format!(
                        "{exactly} {} right digits instead of {}",
                        of_all(after),
                        of_all(before)
                    ),
                    // Other sources hide what this one makes.
                    false => format!(
                        "if only {statement} {rounds}, {place} has {} right digits",
                        of_all(digits(best.before.error() * share_of(proof, best)))
                    ),
                }
            }
            // What others make is larger without it.
            _ if best.after.wrong >= best.before.wrong && left(best) >= 1.0 => {
                return self.measured(proof);
            }
            // Other sources suffice to decide wrongly.
            kind if best.after.wrong >= best.before.wrong => format!(
                "with {statement} computed exactly, {} of the error of {} at {place} is gone",
                percent(1.0 - left(best)),
                match kind {
                    SpotKind::Comparison => "the difference compared",
                    _ => "the number converted",
                }
            ),
            _ => format!(
                "{exactly} {} instead of {}",
                count(best.after.wrong, "wrong decision", "wrong decisions"),
                number(best.before.wrong)
            ),
        };
        Some(Fact {
            name: "proof",
            text,
        })
    }

    /// What was measured where there was no time left to compute the statement exactly.
    fn measured(&self, proof: &Proof) -> Option<Fact> {
        let of = proof.of.first()?;
        Some(Fact {
            name: "proof",
            text: format!(
                "runs without the rounding errors of other statements show {} of the error of {}",
                percent(of.share),
                self.result(&of.site)
            ),
        })
    }

    /// What a cause does, as the subject of a sentence: a cancelling sum is named as it is written.
    fn subject(&self, cause: &RootCause) -> String {
        let written = match Kind::of(cause) {
            Kind::Cancellation { .. } => self.written(&cause.site),
            _ => None,
        };
        match written.as_deref() {
            Some("-" | "-=") => phrases::SUBTRACTION.to_owned(),
            Some("+" | "+=") => phrases::ADDITION.to_owned(),
            _ => phrases::subject(cause),
        }
    }

    fn sources(&self, proof: &Proof) -> Option<Fact> {
        if let [first, .., last] = proof.lines.as_slice() {
            let statements = proof.lines.len();
            let text = match first == last {
                true => format!("line {first} ({statements} statements)"),
                false => format!("lines {first} to {last} ({statements} statements)"),
            };
            return Some(Fact {
                name: "where",
                text,
            });
        }
        let sources: Vec<String> = proof
            .sources
            .iter()
            .take(SOURCES)
            .map(|source| {
                let column = source
                    .column
                    .map_or(String::new(), |column| format!(":{column}"));
                format!(
                    "{}:{}{column} ({}, {})",
                    self.shown_path(&source.file),
                    source.line,
                    percent(source.share),
                    executions(source.executions)
                )
            })
            .collect();
        (!sources.is_empty()).then(|| {
            let text = format!("the error enters at {}", sources.join(" and "));
            Fact {
                name: "source",
                text,
            }
        })
    }

    fn amplifier(&self, proof: &Proof) -> Option<Fact> {
        // What only rounds, too, passes errors on as they are.
        let amplifies = |cause: &&RootCause| Kind::of(cause) != Kind::Accumulation;
        let first = proof.amplified_by.iter().find(amplifies)?;
        let text = format!(
            "{} at {}:{} ({})",
            self.subject(first),
            self.shown_path(&first.site.file),
            first.site.line,
            phrases::label(first)
        );
        Some(Fact {
            name: "amplified by",
            text,
        })
    }

    /// The command that looks for a repair: of the cause itself, or of what amplifies its errors. No other formula helps
    /// where the rounding errors of many executions add up; another sum does.
    pub fn fix(&self, cause: &RootCause) -> Option<String> {
        if Kind::of(cause) == Kind::DivisionByZero {
            return None;
        }
        let amplifier = match &cause.evidence {
            Evidence::Proved(proof) => proof.amplified_by.first(),
            Evidence::Suspected => None,
        };
        if Kind::of(cause) == Kind::Accumulation {
            // Of one rounding it is the amplifier that another formula avoids.
            let amplifier = amplifier.filter(|_| cause.executions == 1);
            return amplifier
                .and_then(command)
                .or_else(|| self.fix_place(&cause.site));
        }
        command(cause).or(amplifier.and_then(command))
    }

    fn inlined(&self, cause: &RootCause) -> Option<Fact> {
        let mut callers = cause.inlined_from.iter();
        let first = callers.next()?;
        let more = match callers.count() as u64 {
            0 => String::new(),
            more => format!(" and {}", count(more, "more call", "more calls")),
        };
        let text = format!(
            "inlined from {}:{}{more}",
            self.shown_path(&first.file),
            first.line
        );
        Some(Fact { name: NOTE, text })
    }
}

/// What shows that a divisor is zero: no intervention can, because the quotient has no exact value.
fn agreement(cause: &RootCause) -> Option<Fact> {
    cause.divides_by_zero().then(|| Fact {
        name: "proof",
        text: "two precisions agree: nothing of the divisor is left but rounding errors".to_owned(),
    })
}

/// No formula mends a division by zero.
fn test_of_divisor(cause: &RootCause) -> Option<String> {
    cause.divides_by_zero().then(|| {
        "test the divisor against the rounding errors of the numbers that cancelled in it, and treat this case (dependent \
         columns, a singular matrix, equal points) by itself"
            .to_owned()
    })
}

fn compensated(proof: &Proof) -> Option<Fact> {
    proof.is_compensated.then(|| Fact {
        name: NOTE,
        text: "errors of other statements cancel these: mend all of them, or none".to_owned(),
    })
}

/// The result on which the proof shows most.
fn best<'a>(results: &'a [Mended], proof: &Proof) -> Option<&'a Mended> {
    let of = results
        .iter()
        .filter(|one| proof.of.iter().any(|spot| spot.site == one.site));
    of.min_by(|a, b| left(a).total_cmp(&left(b)))
}

/// The digits that are right with this error, and all digits, counted as in the table of wrong results.
fn right_digits(result: &Mended, error: f64) -> (u32, u32) {
    let (exact, kind) = (result.before.corrected, result.site.kind);
    let printed = result.printed.as_ref();
    match printed.and_then(|printed| printed.with_value(exact - error, exact, kind)) {
        // The exact value may be known to fewer digits here than in the table.
        Some(fewer) => {
            let of = printed.map_or(fewer.of, |printed| printed.of);
            match fewer.right == fewer.of {
                true => (of, of),
                false => (fewer.right.min(of), of),
            }
        }
        None => phrases::digits(phrases::lost(error, exact, kind), kind),
    }
}

/// The share of a result's error that a cause makes.
fn share_of(proof: &Proof, result: &Mended) -> f64 {
    let of = proof.of.iter().find(|one| one.site == result.site);
    of.map_or(proof.share, |one| one.share)
}

/// The share of the error that is left; of a decision whose operands were not measured, the share of wrong executions.
fn left(one: &Mended) -> f64 {
    match one.before.error() == 0.0 {
        true => one.after.wrong as f64 / one.before.wrong as f64,
        false => (one.after.error() / one.before.error()).abs(),
    }
}

/// `subtraction of nearly equal numbers makes`.
fn makes(cause: &RootCause, proof: &Proof, subject: String) -> String {
    if !proof.lines.is_empty() {
        let statements = count(proof.lines.len() as u64, "statement", "statements");
        return format!(
            "rounding errors of {statements} in `{}` together make",
            function_name(&cause.site.function)
        );
    }
    match (Kind::of(cause), cause.executions) {
        (Kind::Accumulation, 1) if proof.is_statement => {
            "the rounding errors of this statement make".to_owned()
        }
        (Kind::Accumulation, many) if proof.is_statement => format!(
            "the rounding errors of {} executions of this statement make",
            number(many)
        ),
        (Kind::Accumulation, 1) => {
            format!("the rounding error of {} makes", subject)
        }
        (Kind::Accumulation, many) => format!(
            "the rounding errors of {} executions of {} make",
            number(many),
            subject
        ),
        _ => format!("{} makes", subject),
    }
}

/// What the cause does, in one sentence without places.
pub fn message(cause: &RootCause) -> String {
    match &cause.evidence {
        Evidence::Proved(proof) if proof.share >= SHARE_OF_A_CAUSE => {
            let share = percent(proof.share);
            format!(
                "{} {share} of a result's error",
                makes(cause, proof, phrases::subject(cause))
            )
        }
        _ => phrases::headline(cause),
    }
}

fn suspected_title(cause: &RootCause) -> String {
    match Kind::of(cause) {
        Kind::NotANumber | Kind::Infinity | Kind::DivisionByZero => phrases::headline(cause),
        _ => format!("suspected cause: {}", phrases::headline(cause)),
    }
}

fn rounded(times: f64) -> String {
    match times < 10.0 {
        true => format!("{times:.1}"),
        false => number(times.round() as u64),
    }
}

fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        99.95.. => "all".to_owned(),
        _ => format!("{percent:.1} %"),
    }
}

/// The text below the underlined operation: what happens there, with the numbers of the worst execution.
pub fn label(cause: &RootCause) -> String {
    let what = match &cause.evidence {
        Evidence::Proved(proof) if !proof.lines.is_empty() => {
            return format!("the first of them{}", in_function(&cause.site));
        }
        _ => phrases::label(cause),
    };
    let exact = &cause.worst_real;
    if cause.divides_by_zero()
        && let [_, divisor] = cause.worst_operands.as_slice()
    {
        return format!("{what}: computed {}, exact 0", shortest(*divisor));
    }
    if cause.worst_operands.is_empty() || exact.nearest.is_nan() {
        return what;
    }
    let numbers = format!(
        "computed {}, exact {}",
        shortest(cause.worst_result),
        exactly(exact)
    );
    // The errors are those of earlier executions: these operands do not show them.
    if Kind::of(cause) == Kind::Accumulation && cause.executions > 1 {
        return format!("{what}: {numbers}");
    }
    let operands = cause.worst_operands.iter();
    let operands: Vec<String> = operands.map(|value| shortest(*value)).collect();
    format!("{what}: {numbers} for {}", operands.join(" and "))
}

/// For which values it happens, where that is not for all. Errors accumulate in all executions, wherever they first show.
fn when(cause: &RootCause) -> Option<Fact> {
    if Kind::of(cause) == Kind::Accumulation {
        return None;
    }
    let expression = cause.expression.as_ref()?;
    let variables = expression.variables.iter();
    let ranges: Vec<String> = variables
        .filter(|variable| variable.is_of_program && is_narrower(variable))
        .take(VARIABLES)
        .map(phrases::ranges)
        .collect();
    let text = ranges.join("; ");
    let often = match cause.executions {
        1 => String::new(),
        all => format!(
            "{} of {} are wrong",
            number(cause.erroneous),
            executions(all)
        ),
    };
    let sampled = match text.is_empty() {
        true => None,
        false => phrases::sampled(cause),
    };
    let parts: Vec<String> = [often, text, sampled.unwrap_or_default()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    (!parts.is_empty() && cause.erroneous > 0).then(|| Fact {
        name: "when",
        text: parts.join("; "),
    })
}

/// Whether the values in wrong executions are at most half of all values that the format has between the smallest and the
/// largest: little less says nothing.
fn is_narrower(variable: &Variable) -> bool {
    let steps = |[low, high]: [f64; 2]| i128::from(ordinal(high)) - i128::from(ordinal(low));
    let [erroneous, all] =
        [&variable.values.erroneous, &variable.values.all].map(|range| range.whole());
    erroneous
        .zip(all)
        .is_some_and(|(erroneous, all)| 2 * steps(erroneous) <= steps(all) && erroneous != all)
}

/// The known repair of a cause's formula, or of what amplifies its errors.
fn idiom(cause: &RootCause) -> Option<String> {
    let amplifier = match &cause.evidence {
        Evidence::Proved(proof) => proof.amplified_by.first(),
        Evidence::Suspected => None,
    };
    [Some(cause), amplifier]
        .into_iter()
        .flatten()
        .find_map(named_repair)
}

fn named_repair(cause: &RootCause) -> Option<String> {
    let expression = cause.expression.as_ref()?;
    let core = read_infix(&infix(expression)).ok()?;
    let range = |variable: &Variable| {
        let [low, high] = variable.values.erroneous.whole()?;
        Some(NamedRange {
            name: variable.name.clone(),
            range: Range { low, high },
        })
    };
    let ranges: Option<Vec<NamedRange>> = expression.variables.iter().map(range).collect();
    let mut core = core;
    if cause.site.kind == Some(FpKind::Float) {
        core.format = Format::Binary32;
        for parameter in &mut core.parameters {
            parameter.format = Format::Binary32;
        }
    }
    let found = suggestion(&core, &ranges?)?;
    let formula = printable(&found.formula).to_string();
    let text = format!("{}: write `{formula}`", found.sentence);
    (formula.len() <= MOST_SUGGESTED).then_some(text)
}

/// The command for the cause itself, where the expression is short enough for a user to want it.
fn command(cause: &RootCause) -> Option<String> {
    let expression = cause.expression.as_ref()?;
    let formula = infix(expression);
    // Functions of the program are not known to `fix`.
    read_infix(&formula).ok()?;
    let mut command = format!("lostbits fix '{}'", printable(&formula));
    if expression.variables.is_empty() || command.contains(['[', '>']) {
        return None;
    }
    for variable in &expression.variables {
        let values = &variable.values;
        let [low, high] = values.erroneous.whole().or(values.all.whole())?;
        if !low.is_finite() || !high.is_finite() {
            return None;
        }
        command += &format!(
            " --range {}={}:{}",
            printable(&variable.name),
            shortest(low),
            shortest(high)
        );
    }
    (command.len() <= MOST_SUGGESTED).then_some(command)
}

/// Why a wrong result has no cause.
pub const UNTRACED: &str = "no instrumented operation makes enough of the error by itself; if the value comes from code that \
    lostbits did not compile, compile that code with lostbits too";

/// A wrong result whose cause is unknown.
pub fn untraced(view: &SourceView, spot: &Spot) -> Vec<Group<'static>> {
    let label = phrases::spot_label(spot, spot.erroneous, spot.worst_bits);
    let python = view.called_from(&spot.python);
    let python = python.map(|fact| Level::NOTE.with_name(fact.name).message(fact.text));
    vec![
        Level::WARNING
            .primary_title(phrases::untraced(spot))
            .elements(view.location(&spot.site, label))
            .element(Level::NOTE.message(UNTRACED))
            .elements(python),
    ]
}
