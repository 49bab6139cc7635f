//! One search of one function: counts runs, keeps the worst inputs, and stops when the budget is used up.

use std::{
    collections::{BTreeMap, HashMap},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::Instant,
};

use super::{
    finding::relative,
    origins::Origins,
    replay::{Shadows, replay},
    space::Space,
};
use crate::numeric::{Random, Relative, ordinal};
use crate::{
    failure::Failure,
    target::{Batch, Ending, Observation, Outcome, Step, Target},
};

/// Set when the user interrupts the search.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How much may be tried.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub runs: u64,
    /// Operations of all runs together: limits time in a way that does not depend on the machine.
    pub steps: u64,
    pub until: Option<Instant>,
}

/// An input whose result may be wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Suspect {
    pub input: Vec<f64>,
    /// The relative error as the trace has it.
    pub estimate: Relative,
    pub guilty: Option<Observation>,
}

/// A condition that inputs must satisfy.
pub type Condition<'a> = Box<dyn Fn(&[f64]) -> bool + 'a>;

pub struct Session<'a> {
    pub target: &'a mut dyn Target,
    pub space: Space,
    budget: Budget,
    pub runs: u64,
    steps: u64,
    /// Operations that were replayed to confirm suspects.
    pub replayed: u64,
    pub endings: BTreeMap<Ending, u64>,
    /// Runs whose result is not finite, and the plainest of their inputs.
    pub outside: u64,
    outside_inputs: Vec<(f64, Vec<f64>)>,
    /// The inputs with the largest estimates, however small, the worst first.
    best: Vec<(f64, Vec<f64>)>,
    suspects: HashMap<(u32, u64), Suspect>,
    /// The smallest estimate that makes a suspect.
    threshold: Relative,
    /// Only what a strategy accuses is a suspect, whatever the estimates are.
    pub accuses_only: bool,
    accused: Vec<Suspect>,
    /// The largest errors measured in exact arithmetic, the worst first.
    judged: Vec<(f64, Vec<f64>)>,
    judged_steps: u64,
    /// The least normal number of the outputs' format.
    pub least: f64,
    /// The largest number of the outputs' format.
    pub most: f64,
    /// Where in each stretch of a grid its position is, between 0 and 1, unless it is in the middle.
    pub phase: Option<f64>,
    /// By site, the binary logarithm of the largest condition number in a run whose result is a number.
    amplified: Vec<f32>,
    /// Which inputs count, if not all do. Evaluated only for inputs with a large estimate.
    pub admits: Option<Condition<'a>>,
    /// What operands come from, learnt where their bits do not say it.
    origins: Origins,
    lessons: u32,
}

/// An estimate of this many thresholds is clearly above the threshold.
const CLEARLY: f64 = 8.0;
/// How many times origins are learnt, from how many runs, and from how many of their operations at most.
const LESSONS: u32 = 6;
const RUNS_A_LESSON: usize = 24;
const STEPS_A_LESSON: usize = 200_000;

/// Inputs whose result is not finite that are kept.
const OUTSIDE: usize = 16;
/// Inputs measured in exact arithmetic that are kept; operations replayed for it; the precision.
const JUDGED: usize = 8;
const MOST_JUDGED: u64 = 400_000;
const JUDGED_AT: u32 = 128;
/// Inputs that a strategy can start from.
const BEST: usize = 16;

/// What an ending costs beside its operations, in operations: the next call needs a new process, and an endless loop is waited for.
fn cost(ending: Ending) -> u64 {
    match ending {
        Ending::Returned => 0,
        Ending::Crashed(_) | Ending::Exited(_) => 50_000,
        Ending::NeverReturned => 5_000_000,
    }
}

/// The condition number of a site that was not reached.
const NEVER: f32 = f32::NEG_INFINITY;

/// Inputs between two checks of the budget.
const PORTION: usize = 1024;

/// A condition number beyond this makes an operation unstable (the paper's threshold).
pub const UNSTABLE: f64 = 10.0;

impl<'a> Session<'a> {
    pub fn new(
        target: &'a mut dyn Target,
        space: Space,
        budget: Budget,
        significant: Relative,
    ) -> Session<'a> {
        Session {
            target,
            space,
            budget,
            runs: 0,
            steps: 0,
            replayed: 0,
            endings: BTreeMap::new(),
            outside: 0,
            outside_inputs: Vec::new(),
            best: Vec::new(),
            suspects: HashMap::new(),
            threshold: Relative::new(significant.get() / 4.0),
            accuses_only: false,
            accused: Vec::new(),
            judged: Vec::new(),
            judged_steps: 0,
            least: f64::MIN_POSITIVE,
            most: f64::MAX,
            phase: None,
            amplified: Vec::new(),
            admits: None,
            origins: Origins::default(),
            lessons: 0,
        }
    }

    /// How many runs are left.
    pub fn left(&self) -> u64 {
        let late = self
            .budget
            .until
            .is_some_and(|until| Instant::now() >= until);
        if late || self.steps >= self.budget.steps || INTERRUPTED.load(Relaxed) {
            return 0;
        }
        self.budget.runs.saturating_sub(self.runs)
    }

    /// Whether the user gave it a time, all of which is to be used.
    pub fn has_time(&self) -> bool {
        self.budget.until.is_some() && !self.is_over()
    }

    /// Results below the normal numbers have no full precision to lose.
    fn is_tiny(&self, outcome: &Outcome) -> bool {
        let is_tiny = |value: &f64| *value != 0.0 && value.abs() < self.least;
        outcome.outputs.iter().all(is_tiny)
    }

    pub fn is_over(&self) -> bool {
        self.left() == 0
    }

    /// Calls the function with each input, as far as the budget goes.
    pub fn run(&mut self, inputs: &[f64]) -> Result<Batch, Failure> {
        let width = self.space.width();
        let most = (self.left() as usize).saturating_mul(width);
        let inputs = &inputs[..inputs.len().min(most)];
        let mut whole = Batch::default();
        for inputs in inputs.chunks(PORTION * width) {
            if self.is_over() {
                break;
            }
            let mut batch = self.target.run(inputs)?;
            for (input, outcome) in inputs.chunks(width).zip(&mut batch.outcomes) {
                if outcome.estimate >= self.threshold && !self.is_admitted(input) {
                    outcome.estimate = Relative::NONE;
                }
            }
            for (input, outcome) in inputs.chunks(width).zip(&batch.outcomes) {
                self.runs += 1;
                self.steps += outcome.steps + cost(outcome.ending);
                self.note(input, outcome, batch.observations(outcome));
            }
            whole.append(batch);
        }
        Ok(whole)
    }

    fn is_admitted(&self, input: &[f64]) -> bool {
        self.admits.as_ref().is_none_or(|admits| admits(input))
    }

    fn note(&mut self, input: &[f64], outcome: &Outcome, observations: &[Observation]) {
        *self.endings.entry(outcome.ending).or_default() += 1;
        if !outcome.is_inside() {
            self.outside += 1;
            // What ended the process would end it again.
            if outcome.ending == Ending::Returned {
                self.note_outside(input);
            }
            return;
        }
        for seen in observations {
            let site = seen.site as usize;
            if site >= self.amplified.len() {
                self.amplified.resize(site + 1, NEVER);
            }
            self.amplified[site] = self.amplified[site].max(seen.log_condition);
        }
        if !self.is_tiny(outcome) {
            keep(&mut self.best, BEST, outcome.estimate.get(), input);
        }
        if self.accuses_only || outcome.estimate < self.threshold || self.is_tiny(outcome) {
            return;
        }
        let guilty = guilty(observations);
        let suspect = Suspect {
            input: input.to_vec(),
            estimate: outcome.estimate,
            guilty,
        };
        let key = (
            guilty.map_or(u32::MAX, |guilty| guilty.site),
            neighbourhood(input),
        );
        let known = self.suspects.entry(key).or_insert_with(|| suspect.clone());
        if suspect.estimate > known.estimate {
            *known = suspect;
        }
    }

    /// Keeps the plainest, of different sizes.
    fn note_outside(&mut self, input: &[f64]) {
        let plainness = -remoteness(input);
        let worst = self.outside_inputs.last();
        let is_kept =
            worst.is_none_or(|worst| plainness > worst.0) || self.outside_inputs.len() < OUTSIDE;
        if is_kept && self.is_admitted(input) {
            keep(&mut self.outside_inputs, OUTSIDE, plainness, input);
        }
    }

    /// The sites that were reached, with the binary logarithm of the largest condition number.
    pub fn amplified(&self) -> impl Iterator<Item = (u32, f32)> {
        let sites = self.amplified.iter().enumerate();
        sites
            .filter(|(_, most)| **most > NEVER)
            .map(|(site, most)| (site as u32, *most))
    }

    pub fn outside_inputs(&self) -> Vec<Vec<f64>> {
        let inputs = self.outside_inputs.iter();
        inputs.map(|(_, input)| input.clone()).collect()
    }

    /// The inputs with the largest estimates so far, the worst first.
    pub fn best(&self) -> Vec<(Relative, Vec<f64>)> {
        let best = self.best.iter();
        best.map(|(estimate, input)| (Relative::new(*estimate), input.clone()))
            .collect()
    }

    /// The error of a run in exact arithmetic, unless too many operations were replayed already. What was judged the worst
    /// becomes a suspect.
    pub fn judge(&mut self, input: &[f64]) -> Result<Option<Relative>, Failure> {
        if self.judged_steps > MOST_JUDGED || !self.is_admitted(input) {
            return Ok(None);
        }
        let (outcome, steps) = self.target.trace(input)?;
        self.judged_steps += steps.len() as u64;
        if !outcome.is_inside() || self.is_tiny(&outcome) || steps.is_empty() {
            return Ok(None);
        }
        let shadows = self.shadows(&steps, input, &outcome.outputs, JUDGED_AT)?;
        let pairs = outcome.outputs.iter().zip(&shadows.outputs);
        let errors = pairs.map(|(computed, exact)| relative(*computed, exact));
        let error = errors.fold(Relative::NONE, Relative::max);
        keep(&mut self.judged, JUDGED, error.get(), input);
        Ok(Some(error))
    }

    /// The run in exact arithmetic. Where bits do not say what operands come from, other runs around it do.
    pub fn shadows(
        &mut self,
        steps: &[Step],
        input: &[f64],
        outputs: &[f64],
        precision: u32,
    ) -> Result<Shadows, Failure> {
        let shadows = replay(steps, input, outputs, precision, &self.origins);
        if !shadows.is_ambiguous || self.lessons >= LESSONS {
            return Ok(shadows);
        }
        self.lessons += 1;
        self.learn_around(input)?;
        Ok(replay(steps, input, outputs, precision, &self.origins))
    }

    /// Learns origins from inputs near this one, of its size, and of everyday sizes.
    fn learn_around(&mut self, input: &[f64]) -> Result<(), Failure> {
        let mut random = Random::named(u64::from(self.lessons), "origins");
        // Within a narrow range, numbers may have the same bits everywhere.
        let whole = Space::new(self.target.parameters(), &[]);
        let mut learnt = 0;
        for run in 0..RUNS_A_LESSON {
            if learnt > STEPS_A_LESSON {
                break;
            }
            let axes = whole.axes.iter().zip(input);
            let other: Vec<f64> = axes
                .map(|(axis, value)| {
                    let moved = match run % 3 {
                        0 => value * (1.0 + (random.unit() - 0.5) / 128.0),
                        1 => value * (random.unit() * 6.0 - 3.0).exp2(),
                        _ => (random.unit() * 20.0 - 10.0).exp2().copysign(*value),
                    };
                    axis.fitted(moved).unwrap_or(*value)
                })
                .collect();
            let (outcome, steps) = self.target.trace(&other)?;
            learnt += steps.len();
            // Where the trace is not whole, origins are missing.
            if outcome.ending == Ending::Returned && outcome.steps == steps.len() as u64 {
                self.origins.learn(&steps, &other, &outcome.outputs);
            }
        }
        Ok(())
    }

    /// The suspects among what was judged.
    fn judged_suspects(&mut self) -> Result<Vec<Suspect>, Failure> {
        let mut suspects = Vec::new();
        for (error, input) in self.judged.clone() {
            let error = Relative::new(error);
            let batch = self.target.run(&input)?;
            if let Some(outcome) = batch.outcomes.first()
                && error >= self.threshold
            {
                suspects.push(Suspect {
                    guilty: guilty(batch.observations(outcome)),
                    estimate: error,
                    input,
                });
            }
        }
        Ok(suspects)
    }

    /// All inputs to confirm: those measured already, then the suspects.
    pub fn all_suspects(&mut self, most_a_site: usize) -> Result<Vec<Suspect>, Failure> {
        let mut all = self.judged_suspects()?;
        all.extend(self.suspects(most_a_site));
        Ok(all)
    }

    /// Does something that may use at most `runs` runs.
    pub fn within<R>(&mut self, runs: u64, work: impl FnOnce(&mut Session<'a>) -> R) -> R {
        let whole = self.budget.runs;
        self.budget.runs = whole.min(self.runs.saturating_add(runs));
        let result = work(self);
        self.budget.runs = whole;
        result
    }

    pub fn accuse(&mut self, suspect: Suspect) {
        self.accused.push(suspect);
    }

    /// The suspects, the worst first (where they are equally bad, the plainest inputs), at most
    /// `most_a_site` for each operation to blame.
    pub fn suspects(&self, most_a_site: usize) -> Vec<Suspect> {
        if self.accuses_only {
            let mut all = self.accused.clone();
            all.sort_by_key(|suspect| suspect.guilty.map_or(u32::MAX, |guilty| guilty.steps));
            return all;
        }
        let mut all: Vec<(&u32, &Suspect)> = self
            .suspects
            .iter()
            .map(|(key, suspect)| (&key.0, suspect))
            .collect();
        all.sort_by(|(_, a), (_, b)| {
            b.estimate
                .total_cmp(&a.estimate)
                .then_with(|| remoteness(&a.input).total_cmp(&remoteness(&b.input)))
                .then_with(|| ordinals(&a.input).cmp(&ordinals(&b.input)))
        });
        // Of each site the worst, and the same number of the plainest: a user would rather see -2.457 than -1e307.
        // The plainest of all are those whose error is hardly significant: they might be none.
        let mut plain = all.clone();
        let is_clear = |suspect: &Suspect| suspect.estimate.get() >= CLEARLY * self.threshold.get();
        plain.retain(|(_, suspect)| is_clear(suspect));
        plain.sort_by(|(_, a), (_, b)| remoteness(&a.input).total_cmp(&remoteness(&b.input)));
        let worst = first_of_each(&all, most_a_site).into_iter();
        let plainest = first_of_each(&plain, most_a_site);
        // In turn, because there may be more than are confirmed.
        let mut chosen: Vec<Suspect> = Vec::new();
        for suspect in interleave(worst, plainest) {
            if !chosen.contains(&suspect) {
                chosen.push(suspect);
            }
        }
        chosen
    }
}

/// One of each in turn, then what is left of the longer one.
fn interleave<T>(
    a: impl IntoIterator<Item = T>,
    b: impl IntoIterator<Item = T>,
) -> impl Iterator<Item = T> {
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    std::iter::from_fn(move || match (a.next(), b.next()) {
        (None, None) => None,
        (one, other) => Some([one, other]),
    })
    .flat_map(|pair| pair.into_iter().flatten())
}

/// Puts an input into a list that is kept in order, unless a neighbour of its size is better.
fn keep(list: &mut Vec<(f64, Vec<f64>)>, most: usize, worth: f64, input: &[f64]) {
    if list.len() == most && list.last().is_some_and(|last| last.0 >= worth) {
        return;
    }
    let sizes = |input: &[f64]| -> Vec<u64> { input.iter().map(|x| x.to_bits() >> 50).collect() };
    let own = sizes(input);
    if let Some(known) = list.iter().position(|known| sizes(&known.1) == own) {
        if list[known].0 >= worth {
            return;
        }
        list.remove(known);
    }
    let rank = list.partition_point(|known| known.0 >= worth);
    list.insert(rank, (worth, input.to_vec()));
    list.truncate(most);
}

/// The first `most` of each site, and half as many more whose result is zero: zeros are often right, and must not displace the others.
fn first_of_each(all: &[(&u32, &Suspect)], most: usize) -> Vec<Suspect> {
    let mut taken: HashMap<(u32, bool), usize> = HashMap::new();
    let mut is_early = |site: u32, suspect: &Suspect| {
        // So it is estimated.
        let is_zero = suspect.estimate.get() == 1.0;
        let count = taken.entry((site, is_zero)).or_default();
        *count += 1;
        *count <= if is_zero { most.div_ceil(2) } else { most }
    };
    all.iter()
        .filter(|(site, suspect)| is_early(**site, suspect))
        .map(|(_, suspect)| (*suspect).clone())
        .collect()
}

fn ordinals(input: &[f64]) -> Vec<i64> {
    input.iter().map(|value| ordinal(*value)).collect()
}

/// How far from everyday numbers an input is.
pub fn remoteness(input: &[f64]) -> f64 {
    let of = |value: &f64| match *value {
        0.0 => 0.0,
        value => value.abs().log2().abs(),
    };
    input.iter().map(of).sum()
}

/// Inputs that differ in their last bits only are neighbours.
fn neighbourhood(input: &[f64]) -> u64 {
    const LAST_BITS: u32 = 40;
    let mix = |hash: u64, value: &f64| {
        let position = (ordinal(*value) >> LAST_BITS) as u64;
        (hash ^ position)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    };
    input.iter().fold(0, mix)
}

/// The operation that amplified most; of equals, the one nearest to the result.
pub fn guilty(observations: &[Observation]) -> Option<Observation> {
    observations
        .iter()
        .filter(|seen| f64::from(seen.log_condition) > UNSTABLE.log2())
        .max_by(|a, b| {
            a.log_condition
                .total_cmp(&b.log_condition)
                .then(b.steps.cmp(&a.steps))
        })
        .copied()
}
