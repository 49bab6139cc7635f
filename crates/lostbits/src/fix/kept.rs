//! Where a term of a repair is much worse than the original at some inputs, the original is kept around them, between round
//! limits of one variable.

use super::{
    branches::simplest,
    math::Term,
    plan::{Plan, Threshold},
    points::Points,
    subject::Subject,
};

/// The part of a term's inputs that may keep the original; with more, the original takes its place.
const MOST: f64 = 0.5;
/// How far beyond the known inputs a limit may be, as a factor.
const MARGIN: f64 = 4.0;
/// A side with a smaller part of the inputs needs no limit.
const FEW: f64 = 0.02;
/// More branches than this are no formula to read.
const MOST_BRANCHES: usize = 6;

/// The plan with the original between limits around the inputs, at which `term` is worse; none if that takes too many branches.
pub fn around(
    subject: &Subject,
    plan: &Plan,
    term: &Term,
    worse: &[Vec<f64>],
    points: &Points,
) -> Option<Plan> {
    let weights = points.weights();
    let all = points.inputs.iter().zip(weights).collect::<Vec<_>>();
    let keeper = Keeper {
        term,
        original: &subject.original,
        variables: subject.ranges.len() as u32,
    };
    let worse: Vec<&Vec<f64>> = worse.iter().collect();
    let kept = keeper.kept(plan, &worse, &all);
    (kept.thresholds().len() <= MOST_BRANCHES).then_some(kept)
}

struct Keeper<'a> {
    term: &'a Term,
    original: &'a Term,
    variables: u32,
}

impl Keeper<'_> {
    /// The plan for some inputs, at `worse` of which the term is worse.
    fn kept(&self, plan: &Plan, worse: &[&Vec<f64>], inputs: &[(&Vec<f64>, f64)]) -> Plan {
        match plan {
            Plan::Term(leaf) if leaf == self.term && !worse.is_empty() => {
                let all: f64 = inputs.iter().map(|(_, weight)| weight).sum();
                match self.region(worse, inputs) {
                    Some((share, region)) if share <= MOST * all => {
                        region.divided(leaf, self.original)
                    }
                    _ => Plan::Term(self.original.clone()),
                }
            }
            Plan::Term(_) => plan.clone(),
            Plan::Branch {
                test,
                below,
                otherwise,
            } => {
                let side = |plan: &Plan, is_below: bool| {
                    let is_here = |input: &Vec<f64>| test.is_below(input) == is_below;
                    let worse: Vec<_> = worse.iter().copied().filter(|x| is_here(x)).collect();
                    let inputs: Vec<_> = inputs.iter().copied().filter(|x| is_here(x.0)).collect();
                    Box::new(self.kept(plan, &worse, &inputs))
                };
                Plan::Branch {
                    test: *test,
                    below: side(below, true),
                    otherwise: side(otherwise, false),
                }
            }
        }
    }

    /// The region around the worse inputs that holds least of all, and how much.
    fn region(&self, worse: &[&Vec<f64>], inputs: &[(&Vec<f64>, f64)]) -> Option<(f64, Region)> {
        let keys = (0..self.variables).flat_map(|variable| [(variable, false), (variable, true)]);
        let regions = keys.filter_map(|(variable, of_magnitude)| {
            let region = Region::around(variable, of_magnitude, worse)?.simplified(inputs);
            Some((region.share(inputs), region))
        });
        regions.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Values of a variable, or of its magnitude, from one limit to below another.
#[derive(Clone, Copy)]
struct Region {
    variable: u32,
    of_magnitude: bool,
    low: Option<f64>,
    high: Option<f64>,
}

impl Region {
    fn around(variable: u32, of_magnitude: bool, worse: &[&Vec<f64>]) -> Option<Region> {
        let test = threshold(variable, of_magnitude, 0.0);
        let keys = || worse.iter().map(|input| test.key(input));
        let (least, most) = (keys().reduce(f64::min)?, keys().reduce(f64::max)?);
        Some(Region {
            variable,
            of_magnitude,
            low: beyond(-least).map(|limit| -limit),
            high: beyond(most),
        })
    }

    /// Without limits beyond which there is hardly an input.
    fn simplified(mut self, inputs: &[(&Vec<f64>, f64)]) -> Region {
        let all: f64 = inputs.iter().map(|(_, weight)| weight).sum();
        for is_low in [true, false] {
            let mut wider = self;
            match is_low {
                true => wider.low = None,
                false => wider.high = None,
            }
            if wider.share(inputs) - self.share(inputs) < FEW * all {
                self = wider;
            }
        }
        self
    }

    fn holds(&self, input: &[f64]) -> bool {
        let key = threshold(self.variable, self.of_magnitude, 0.0).key(input);
        self.low.is_none_or(|low| key >= low) && self.high.is_none_or(|high| key < high)
    }

    fn share(&self, inputs: &[(&Vec<f64>, f64)]) -> f64 {
        let inside = inputs.iter().filter(|(input, _)| self.holds(input));
        inside.map(|(_, weight)| weight).sum()
    }

    /// The term outside of the region, the original inside.
    fn divided(&self, term: &Term, original: &Term) -> Plan {
        let divided = |limit: f64, below: Plan, otherwise: Plan| Plan::Branch {
            test: threshold(self.variable, self.of_magnitude, limit),
            below: Box::new(below),
            otherwise: Box::new(otherwise),
        };
        let outside = || Plan::Term(term.clone());
        let inside = Plan::Term(original.clone());
        let up_to = match self.high {
            Some(high) => divided(high, inside, outside()),
            None => inside,
        };
        match self.low {
            Some(low) => divided(low, outside(), up_to),
            None => up_to,
        }
    }
}

/// A round number above this one; none where there is none nearby.
fn beyond(key: f64) -> Option<f64> {
    let far = if key > 0.0 {
        key * MARGIN
    } else {
        key / MARGIN
    };
    let has_room = far > key && far.is_finite();
    has_room.then(|| simplest(key, far, false).0)
}

fn threshold(variable: u32, of_magnitude: bool, limit: f64) -> Threshold {
    Threshold {
        variable,
        of_magnitude,
        limit,
        inclusive: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fpcore::read_cores;

    fn subject(text: &str) -> Subject {
        Subject::new(&read_cores(text).unwrap()[0], &[]).unwrap()
    }

    #[test]
    fn the_original_is_kept_around_the_worse_inputs_only() {
        let subject =
            subject("(FPCore (x y) :pre (and (< 0 x 100) (< 0 y 100)) (- (exp x) (exp y)))");
        let term = crate::fix::math::parse("(* (exp y) (expm1 (- x y)))");
        let mut points = Points::default();
        points.draw(&subject, super::super::points::Population::Everyday, 200, 1);
        let worse = vec![vec![0.3, 50.0], vec![0.4, 2.0]];
        let plan = Plan::Term(term.clone());
        let kept = around(&subject, &plan, &term, &worse, &points).unwrap();
        for input in &worse {
            assert_eq!(kept.leaf(input), &subject.original);
        }
        assert_eq!(kept.leaf(&[40.0, 3.0]), &term);
        assert!(
            kept.thresholds().iter().all(|test| test.variable == 0),
            "{kept:?}"
        );
    }
}
