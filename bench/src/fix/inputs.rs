//! The judge's own inputs: uniform over bit patterns, everyday numbers, and around a repair's thresholds.

use lostbits::{
    fpcore::{
        Core,
        ast::Format,
        evaluate::{Budget, Value, reals::holds_really},
    },
    numeric::{Random, Range},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Wide,
    Everyday,
    Boundary,
}

const ATTEMPTS: usize = 200;

/// Inputs that fulfil the precondition, up to this limit.
pub fn draw(
    core: &Core,
    ranges: &[Range],
    kind: Kind,
    thresholds: &[(usize, bool, f64)],
    count: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    let mut random = Random::new(
        seed.wrapping_mul(0x2545_f491)
            .wrapping_add(kind as u64 + 77),
    );
    let mut inputs = Vec::new();
    let mut tried = 0;
    while inputs.len() < count && tried < count * ATTEMPTS {
        tried += 1;
        let everyday =
            kind == Kind::Everyday || (kind == Kind::Boundary && tried.is_multiple_of(2));
        let mut input: Vec<f64> = ranges
            .iter()
            .map(|range| match everyday {
                true => ordinary(*range, &mut random),
                false => any(*range, core.format, &mut random),
            })
            .collect();
        if everyday && input.len() > 1 && tried.is_multiple_of(4) {
            pair(&mut input, &mut random);
        }
        if kind == Kind::Boundary {
            place_near(
                &mut input,
                thresholds[tried % thresholds.len()],
                &mut random,
            );
        }
        for (x, range) in input.iter_mut().zip(ranges) {
            *x = x.clamp(range.low, range.high);
            if core.format == Format::Binary32 {
                *x = f64::from(*x as f32);
            }
        }
        let values: Vec<Value<f64>> = input.iter().map(|x| Value::Number(*x)).collect();
        if holds_really(core, &values, Budget(10_000)) == Ok(true) {
            inputs.push(input);
        }
    }
    inputs
}

/// Every number of the format is as likely as every other.
fn any(range: Range, format: Format, random: &mut Random) -> f64 {
    loop {
        let x = match format {
            Format::Binary32 => f64::from(f32::from_bits(random.bits() as u32)),
            _ => f64::from_bits(random.bits()),
        };
        if (range.low..=range.high).contains(&x) {
            return x;
        }
        // Narrow ranges are too rare among all bit patterns: by bisection of the order of the numbers.
        let (low, high) = (place(range.low), place(range.high));
        if high.abs_diff(low) < 1 << 61 {
            let at = low + random.below(high.abs_diff(low) + 1) as i64;
            return number(at);
        }
    }
}

fn place(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 {
        i64::MIN.wrapping_sub(bits)
    } else {
        bits
    }
}

fn number(place: i64) -> f64 {
    let bits = if place < 0 {
        i64::MIN.wrapping_sub(place)
    } else {
        place
    };
    f64::from_bits(bits as u64)
}

/// A number that people use, or one of the range where it has none of those.
fn ordinary(range: Range, random: &mut Random) -> f64 {
    for _ in 0..8 {
        let size = match random.below(6) {
            0 => random.below(13) as f64,
            1 => random.below(200) as f64 / 4.0,
            2 => 10f64.powi(random.below(13) as i32 - 6),
            _ => (random.unit() * 27.631 - 13.8155).exp(),
        };
        let x = if random.below(2) == 0 { size } else { -size };
        if (range.low..=range.high).contains(&x) {
            return x;
        }
    }
    let (low, high) = (range.low.max(-1e9), range.high.min(1e9));
    low + (high - low) * random.unit()
}

/// Makes two variables nearly equal.
fn pair(input: &mut [f64], random: &mut Random) {
    let count = input.len() as u64;
    let (from, to) = (random.below(count) as usize, random.below(count) as usize);
    let apart = 0.5f64.powi(random.below(50) as i32) * random.unit();
    input[to] = input[from] * (1.0 + apart);
}

fn place_near(input: &mut [f64], threshold: (usize, bool, f64), random: &mut Random) {
    let (variable, of_magnitude, limit) = threshold;
    let factor = match random.below(3) {
        0 => 1.0 + 1e-15 * (random.unit() - 0.5),
        1 => 1.0 + 0.2 * (random.unit() - 0.5),
        _ => 4f64.powf(random.unit() - 0.5),
    };
    let near = match limit == 0.0 {
        true => (random.unit() - 0.5) * 1e-3,
        false => limit * factor,
    };
    let sign = if of_magnitude && random.below(2) == 0 {
        -1.0
    } else {
        1.0
    };
    input[variable] = sign * near;
}
