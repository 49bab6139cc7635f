//! The mathematical function as reference: recognised by the name of what is searched, or said by `--means`.
//!
//! A name is only a guess, so some results are compared first: a function that agrees nowhere with what its name
//! says is another function. Where the value is not known (Arb is missing, or needs too long), the shadow is asked, and
//! what it says must be confirmed otherwise ([`super::continuity`]).

use lostbits_abi::kind::FpKind;
use rug::Float;

use super::{
    finding::{self, Confirmation, Defined, Finding},
    oracle::Oracle,
    session::{Session, Suspect, guilty},
    space::Space,
};
use crate::{
    failure::Failure,
    inputs::{Argument, Call},
    mathematics::{Arb, Bound, Meaning, Truth, constant},
    numeric::{Random, Relative},
    target::ResolvedCall,
};

/// Inputs at which the name of a function is tested, and how many must agree of those that are comparable.
const TESTED: usize = 40;
const COMPARED: usize = 8;
/// As near as this a result is the function's.
const AGREES: f64 = 1e-6;
/// Inputs that are compared with the function although nothing in their runs looks bad.
const SCANNED: usize = 160;
/// How many of them Arb is asked about.
const ASKED: usize = 32;

/// The mathematical function of a call, and who evaluates it.
pub struct MathOracle<'a> {
    meaning: Meaning,
    arb: &'a Arb,
    /// The output that it is about.
    output: usize,
    /// Its least normal number: what is smaller has no full precision to lose.
    least: f64,
}

/// What the user says, else what the name says.
pub fn meaning(resolved: &ResolvedCall, said: Option<&str>) -> Result<Option<Meaning>, Failure> {
    let names: Vec<&str> = resolved
        .parameters
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();
    match said {
        Some(text) => {
            let refuse = |reason| Failure::BadMeaning {
                text: text.to_owned(),
                reason,
            };
            Meaning::read(text, &names).map(Some).map_err(refuse)
        }
        None => Ok(bounds(&resolved.call).and_then(|bounds| {
            let is_result = resolved.outputs.len() == 1 && resolved.outputs[0].name == "result";
            is_result.then(|| Meaning::of_name(&resolved.call.function, &bounds))?
        })),
    }
}

/// The arguments of a call; none if it takes arrays or addresses.
fn bounds(call: &Call) -> Option<Vec<Bound>> {
    let mut inputs = 0;
    let bound = |argument: &Argument| match argument {
        Argument::Input(_) => {
            inputs += 1;
            Some(Bound::Input(inputs - 1))
        }
        Argument::Number(literal) => Some(constant(&literal.text)),
        Argument::Constant(text) => Some(constant(text)),
        Argument::Inputs(..) | Argument::Outputs(..) => None,
    };
    call.arguments.iter().map(bound).collect()
}

impl<'a> MathOracle<'a> {
    pub fn new(meaning: Meaning, arb: &'a Arb, resolved: &ResolvedCall) -> MathOracle<'a> {
        let kind = resolved.outputs.first().map(|output| output.kind);
        let least = match kind {
            Some(FpKind::Float) => f64::from(f32::MIN_POSITIVE),
            _ => f64::MIN_POSITIVE,
        };
        MathOracle {
            meaning,
            arb,
            output: 0,
            least,
        }
    }

    pub fn text(&self) -> &str {
        &self.meaning.text
    }

    fn value(&self, input: &[f64]) -> Truth {
        match self.meaning.value(input, self.arb) {
            Truth::Value(value) if !value.is_zero() && *value.as_abs() < self.least => {
                Truth::Undefined
            }
            truth => truth,
        }
    }

    /// Whether the function's results are those of the meaning, at most of some inputs. None if nothing could be
    /// compared.
    pub fn fits(&self, session: &mut Session, rng: &mut Random) -> Result<Option<bool>, Failure> {
        let (mut compared, mut agreed) = (0, 0);
        for input in plain_inputs(&session.space, TESTED, rng) {
            if compared >= COMPARED {
                break;
            }
            let batch = session.target.run(&input)?;
            let outcome = batch.outcomes.first().filter(|outcome| outcome.is_inside());
            let computed = outcome.and_then(|outcome| outcome.outputs.get(self.output).copied());
            if let (Some(computed), Truth::Value(right)) = (computed, self.value(&input)) {
                compared += 1;
                let error = finding::relative(computed, &right);
                agreed += usize::from(error < Relative::new(AGREES));
            }
        }
        Ok((compared > 0).then_some(2 * agreed >= compared))
    }

    /// Compares results with the function where the trace shows nothing: series that are cut off too early,
    /// coefficients that are wrong.
    pub fn scan(
        &self,
        session: &mut Session,
        rng: &mut Random,
        significant: Relative,
    ) -> Result<Vec<Suspect>, Failure> {
        let inputs = plain_inputs(&session.space, SCANNED, rng);
        let batch = session.run(&inputs.concat())?;
        let mut known: Vec<(usize, f64, Float)> = Vec::new();
        let mut unknown: Vec<(usize, f64)> = Vec::new();
        for (at, (input, outcome)) in inputs.iter().zip(&batch.outcomes).enumerate() {
            let Some(computed) = outcome.outputs.get(self.output).copied() else {
                continue;
            };
            if !outcome.is_inside() {
                continue;
            }
            match self.meaning.quick_value(input) {
                Truth::Value(right) => known.push((at, computed, right)),
                Truth::Undefined => {}
                Truth::Unknown => unknown.push((at, computed)),
            }
        }
        // Arb is asked about few. A zero may stand for all that the function gives up.
        unknown.sort_by_key(|(_, computed)| *computed != 0.0);
        for (at, computed) in unknown.into_iter().take(ASKED) {
            if let Truth::Value(right) = self.value(&inputs[at]) {
                known.push((at, computed, right));
            }
        }
        let mut suspects = Vec::new();
        for (at, computed, right) in known {
            let error = finding::relative(computed, &right);
            if error >= significant {
                suspects.push(Suspect {
                    input: inputs[at].clone(),
                    estimate: error,
                    guilty: guilty(batch.observations(&batch.outcomes[at])),
                });
            }
        }
        Ok(suspects)
    }
}

/// Half of them everyday numbers (between 2^-10 and 2^10), the others of all sizes.
fn plain_inputs(space: &Space, count: usize, rng: &mut Random) -> Vec<Vec<f64>> {
    (0..count)
        .map(|index| {
            let draw = |axis: &super::space::Axis| {
                let everyday = f64::exp2(20.0 * rng.unit() - 10.0);
                let signed = if rng.chance(0.5) { everyday } else { -everyday };
                match index % 2 {
                    0 => axis
                        .fitted(signed)
                        .or(axis.fitted(-signed))
                        .unwrap_or_else(|| axis.value(axis.draw(rng))),
                    _ => axis.value(axis.draw(rng)),
                }
            };
            space.axes.iter().map(draw).collect()
        })
        .collect()
}

impl Oracle for MathOracle<'_> {
    fn check(
        &mut self,
        session: &mut Session,
        suspect: &Suspect,
        outputs: &[String],
    ) -> Result<Option<Finding>, Failure> {
        match self.value(&suspect.input) {
            Truth::Value(right) => {
                let mut references = vec![unknown(); outputs.len()];
                references[self.output] = right;
                let by = Confirmation::Function;
                finding::by_reference(session, suspect, outputs, &references, by)
            }
            Truth::Undefined => Ok(None),
            Truth::Unknown => finding::by_shadow(session, suspect, outputs),
        }
    }

    fn reference(&mut self, _: &mut Session, input: &[f64]) -> Result<Option<Float>, Failure> {
        Ok(match self.value(input) {
            Truth::Value(right) => Some(right),
            _ => None,
        })
    }

    fn defined(
        &mut self,
        session: &mut Session,
        input: &[f64],
    ) -> Result<Option<Defined>, Failure> {
        match self.value(input) {
            Truth::Value(right) => Ok(Defined::by_reference(&[right], session.most)),
            _ => Ok(None),
        }
    }
}

fn unknown() -> Float {
    Float::with_val(64, rug::float::Special::Nan)
}
