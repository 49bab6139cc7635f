//! A plot of errors against inputs, as inline SVG: bits of error over the values of a variable, on a logarithmic axis where the
//! values span magnitudes. Ranges in which errors exceed the threshold are shaded.

use super::escaped;
use crate::report::{document::Plot, numbers::shortest};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;
/// Parts of the axis that are shaded or not.
const BINS: usize = 80;
/// A range whose ends differ by more than this factor gets a logarithmic axis.
const LOGARITHMIC: f64 = 100.0;
/// With both signs, sizes must differ by more.
const SIGNED: f64 = 1e4;

/// None if there is nothing to draw.
pub fn plot(plot: &Plot) -> Option<String> {
    let axis = Axis::of(plot)?;
    let y = |bits: f64| {
        let part = bits.clamp(0.0, plot.most) / plot.most;
        HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP)
    };
    let mut svg = String::new();
    for (from, to) in bad_ranges(plot, &axis) {
        svg += &format!(
            "<rect class=\"bad\" x=\"{:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            axis.at_part(from),
            axis.at_part(to) - axis.at_part(from),
            HEIGHT - BOTTOM - TOP
        );
    }
    for step in 0..=4 {
        let bits = plot.most * f64::from(step) / 4.0;
        let at = y(bits);
        svg += &format!(
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"end\">{bits:.0}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    let threshold = y(plot.threshold);
    svg += &format!(
        "<line class=\"threshold\" x1=\"{LEFT}\" y1=\"{threshold:.1}\" x2=\"{:.1}\" y2=\"{threshold:.1}\"/>",
        WIDTH - RIGHT
    );
    for (part, label) in axis.ticks() {
        let at = axis.at_part(part);
        let anchor = match part {
            ..0.05 => "start",
            0.95.. => "end",
            _ => "middle",
        };
        svg += &format!(
            "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{0:.1}\"/><text x=\"{at:.1}\" y=\"{1:.1}\" \
             text-anchor=\"{anchor}\">{label}</text>",
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 16.0
        );
    }
    for [value, bits] in &plot.points {
        if let Some(part) = axis.part(*value) {
            let class = if *bits > plot.threshold {
                "wrong"
            } else {
                "right"
            };
            svg += &format!(
                "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.2\"/>",
                axis.at_part(part),
                y(*bits)
            );
        }
    }
    let variable = escaped(&plot.variable);
    svg += &format!(
        "<text class=\"title\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{variable}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 6.0
    );
    let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    svg += &format!(
        "<text class=\"title\" transform=\"translate(11 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">bits of error</text>"
    );
    let described = format!(
        "bits of error of {} against {}",
        plot.formula, plot.variable
    );
    Some(format!(
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">{svg}</svg>",
        escaped(&described)
    ))
}

/// The horizontal axis.
enum Axis {
    Linear {
        low: f64,
        high: f64,
    },
    /// Between powers of ten; the sign is that of all values.
    Logarithmic {
        low: f64,
        high: f64,
        sign: f64,
    },
    /// Both signs, each between powers of ten, zero in the middle.
    Signed {
        low: f64,
        high: f64,
    },
}

impl Axis {
    fn of(plot: &Plot) -> Option<Axis> {
        let values = plot.points.iter().map(|point| point[0]);
        let values = values.filter(|value| value.is_finite());
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        values.for_each(|value| (low, high) = (low.min(value), high.max(value)));
        if low >= high || plot.most.is_nan() || plot.most <= 0.0 {
            return None;
        }
        if low < 0.0 && high > 0.0 {
            let large = low.abs().max(high);
            let sizes = plot.points.iter().map(|point| point[0].abs());
            let sizes = sizes.filter(|size| *size > 0.0 && size.is_finite());
            let small = sizes.fold(large, f64::min);
            return Some(match large / SIGNED > small {
                true => Axis::Signed {
                    low: small.log10(),
                    high: large.log10(),
                },
                false => Axis::Linear { low, high },
            });
        }
        let (small, large) = (low.abs().min(high.abs()), low.abs().max(high.abs()));
        Some(match small > 0.0 && large / LOGARITHMIC > small {
            true => Axis::Logarithmic {
                low: small.log10(),
                high: large.log10(),
                sign: if low < 0.0 { -1.0 } else { 1.0 },
            },
            false => Axis::Linear { low, high },
        })
    }

    /// How far along the axis a value is, from 0 to 1.
    fn part(&self, value: f64) -> Option<f64> {
        let part = match *self {
            Axis::Linear { low, high } => (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0),
            Axis::Logarithmic { low, high, sign } => {
                let part = (value.abs().log10() - low) / (high - low);
                if sign > 0.0 { part } else { 1.0 - part }
            }
            Axis::Signed { .. } if value == 0.0 => 0.5,
            Axis::Signed { low, high } => {
                let part = (value.abs().log10() - low) / (high - low);
                0.5 + value.signum() * part / 2.0
            }
        };
        (0.0..=1.0).contains(&part).then_some(part)
    }

    fn at_part(&self, part: f64) -> f64 {
        LEFT + part * (WIDTH - LEFT - RIGHT)
    }

    /// Labelled positions: powers of ten, or five even ones.
    fn ticks(&self) -> Vec<(f64, String)> {
        match *self {
            Axis::Linear { low, high } => (0..=4)
                .map(|step| {
                    let part = f64::from(step) / 4.0;
                    let value = low * (1.0 - part) + high * part;
                    (part, shortest(rounded(value)))
                })
                .collect(),
            Axis::Logarithmic { low, high, sign } => self.powers(low, high, sign, 6.0),
            Axis::Signed { low, high } => {
                let mut ticks = self.powers(low, high, -1.0, 3.0);
                ticks.extend(self.powers(low, high, 1.0, 3.0));
                ticks
            }
        }
    }

    /// About `most` powers of ten between two logarithms.
    fn powers(&self, low: f64, high: f64, sign: f64, most: f64) -> Vec<(f64, String)> {
        let step = ((high - low) / most).ceil().max(1.0) as i32;
        let (first, last) = (low.ceil() as i32, high.floor() as i32);
        let minus = if sign > 0.0 { "" } else { "-" };
        let powers = (first..=last).filter(|power| power.rem_euclid(step) == 0);
        powers
            .filter_map(|power| {
                let part = self.part(sign * 10f64.powi(power))?;
                Some((part, format!("{minus}1e{power}")))
            })
            .collect()
    }
}

/// Three digits are enough for a tick.
fn rounded(value: f64) -> f64 {
    let short: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if short.is_finite() { short } else { value }
}

/// Parts of the axis in which some error exceeds the threshold; neighbours are joined, over parts without points, too.
fn bad_ranges(plot: &Plot, axis: &Axis) -> Vec<(f64, f64)> {
    let mut worst = [None::<f64>; BINS];
    for [value, bits] in &plot.points {
        if let Some(part) = axis.part(*value) {
            let bin = &mut worst[((part * BINS as f64) as usize).min(BINS - 1)];
            *bin = Some(bin.unwrap_or(0.0).max(*bits));
        }
    }
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let mut is_joined = false;
    for (at, bits) in worst.iter().enumerate() {
        match bits {
            Some(bits) if *bits > plot.threshold => {
                match ranges.last_mut().filter(|_| is_joined) {
                    Some(last) => last.1 = at + 1,
                    None => ranges.push((at, at + 1)),
                }
                is_joined = true;
            }
            Some(_) => is_joined = false,
            None => {}
        }
    }
    let part = |bin: usize| bin as f64 / BINS as f64;
    ranges
        .iter()
        .map(|(from, to)| (part(*from), part(*to)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(points: Vec<[f64; 2]>) -> Plot {
        Plot {
            formula: "f".to_owned(),
            variable: "x".to_owned(),
            points,
            threshold: 5.0,
            most: 64.0,
        }
    }

    #[test]
    fn bad_ranges_are_shaded() {
        let points = (0..100).map(|at| [10f64.powi(at - 50), if at < 50 { 40.0 } else { 1.0 }]);
        let plotted = of(points.collect());
        let axis = Axis::of(&plotted).expect("an axis");
        let [(from, to)] = bad_ranges(&plotted, &axis)[..] else {
            panic!("one range")
        };
        assert!(from == 0.0 && (0.45..0.55).contains(&to), "{from} {to}");
        let svg = plot(&plotted).expect("a plot");
        assert_eq!(svg.matches("class=\"bad\"").count(), 1);
        assert!(svg.contains(">1e-"), "{svg}");
    }

    #[test]
    fn axes_fit_their_values() {
        let linear = of(vec![[-1.0, 0.0], [1.0, 60.0]]);
        assert!(matches!(Axis::of(&linear), Some(Axis::Linear { .. })));
        let negative = of(vec![[-1e-9, 0.0], [-1.0, 60.0]]);
        let axis = Axis::of(&negative).expect("an axis");
        assert!(axis.part(-1.0) < axis.part(-1e-9));
        assert!(plot(&of(vec![[1.0, 2.0]])).is_none());
        assert!(plot(&of(Vec::new())).is_none());
        let both = of(vec![[-1e9, 0.0], [1e-9, 9.0], [0.0, 0.0], [1e9, 60.0]]);
        let axis = Axis::of(&both).expect("an axis");
        assert_eq!(axis.part(0.0), Some(0.5));
        assert!(axis.part(-1e9) < axis.part(-1.0) && axis.part(1.0) < axis.part(10.0));
        let extreme = of(vec![
            [-f64::MAX, 0.0],
            [f64::MAX, f64::NAN],
            [f64::NAN, 3.0],
        ]);
        assert!(!plot(&extreme).expect("a plot").contains("inf"));
    }
}
