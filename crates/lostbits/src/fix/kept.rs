//! Where a term of a repair is much worse than the original at some inputs, the original is kept around them, between round
//! limits of one variable.

use super::{
    branches::simplest,
    math::Term,
    plan::{Plan, Threshold},
    points::Points,
    subject::Subject,
};

/// The part of the inputs that may keep the original for it: with more, another repair is worth more.
const MOST: f64 = 0.3;
/// How far beyond the known inputs a limit may be, as a factor.
const MARGIN: f64 = 4.0;
/// A side with fewer inputs than this needs no limit.
const FEW: f64 = 0.02;

/// The plan with the original between limits around the inputs, at which `term` is worse; none if that would be almost everywhere.
pub fn around(
    subject: &Subject,
    plan: &Plan,
    term: &Term,
    worse: &[Vec<f64>],
    points: &Points,
) -> Option<Plan> {
    let weights = points.weights();
    let of_term: Vec<(&Vec<f64>, f64)> = points
        .inputs
        .iter()
        .zip(weights)
        .filter(|(input, _)| plan.leaf(input) == term)
        .collect();
    let variables = 0..subject.ranges.len() as u32;
    let regions =
        variables.flat_map(|variable| [false, true].map(|magnitude| (variable, magnitude)));
    let regions = regions.filter_map(|(variable, of_magnitude)| {
        let region = Region::around(variable, of_magnitude, worse)?.simplified(&of_term);
        let share = region.share(&of_term);
        (share <= MOST).then_some((share, region))
    });
    let (_, region) = regions.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(region.kept(plan, term, &subject.original))
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
    fn around(variable: u32, of_magnitude: bool, worse: &[Vec<f64>]) -> Option<Region> {
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
        for is_low in [true, false] {
            let mut wider = self;
            match is_low {
                true => wider.low = None,
                false => wider.high = None,
            }
            if wider.share(inputs) - self.share(inputs) < FEW {
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

    /// The plan with the original in this region instead of the term.
    fn kept(&self, plan: &Plan, term: &Term, original: &Term) -> Plan {
        match plan {
            Plan::Term(leaf) if leaf == term => {
                let inside = Plan::Term(original.clone());
                let outside = || plan.clone();
                let up_to = match self.high {
                    Some(high) => self.divided(high, inside, outside()),
                    None => inside,
                };
                match self.low {
                    Some(low) => self.divided(low, outside(), up_to),
                    None => up_to,
                }
            }
            Plan::Term(_) => plan.clone(),
            Plan::Branch {
                test,
                below,
                otherwise,
            } => Plan::Branch {
                test: *test,
                below: Box::new(self.kept(below, term, original)),
                otherwise: Box::new(self.kept(otherwise, term, original)),
            },
        }
    }

    fn divided(&self, limit: f64, below: Plan, otherwise: Plan) -> Plan {
        Plan::Branch {
            test: threshold(self.variable, self.of_magnitude, limit),
            below: Box::new(below),
            otherwise: Box::new(otherwise),
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
