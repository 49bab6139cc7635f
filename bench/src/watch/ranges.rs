//! Which inputs around a change of decision are called unstable: the ends of the range by bisection, the inputs
//! within by counting or, where they are many, by samples.

/// The next input is the next double.
fn number(x: f64) -> i64 {
    x.to_bits() as i64
}

fn input(number: i64) -> f64 {
    f64::from_bits(number as u64)
}

/// Inputs from `first` to `last`, of which `unstable` were called so, of `sampled`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub first: f64,
    pub last: f64,
    pub sampled: u64,
    pub unstable: u64,
}

impl Range {
    pub fn inputs(&self) -> u64 {
        (number(self.last) - number(self.first) + 1) as u64
    }

    pub fn is_whole(&self) -> bool {
        self.sampled == self.inputs()
    }
}

/// Ranges with up to this many inputs are checked one by one, larger ones by this many samples.
const MOST: u64 = 64;

/// How many inputs on either side of the change are tried for a first unstable one.
const AROUND: i64 = 8;

/// The input after which the output of `decide` is no longer that of `between[0]`.
pub fn change(between: [f64; 2], decide: &mut dyn FnMut(f64) -> String) -> f64 {
    let first = decide(between[0]);
    let last_like_first = edge(number(between[0]), number(between[1]), &mut |x| {
        decide(x) == first
    });
    input(last_like_first)
}

/// The range of unstable inputs around `change`; none if none is found there.
pub fn around(
    change: f64,
    between: [f64; 2],
    is_unstable: &mut dyn FnMut(f64) -> bool,
) -> Option<Range> {
    let middle = number(change);
    let near = (0..=AROUND).flat_map(|step| [middle + step, middle - step]);
    let seed = near.into_iter().find(|at| is_unstable(input(*at)))?;
    let [low, high] = between.map(number);
    let first = match is_unstable(input(low)) {
        true => low,
        false => edge(seed, low, is_unstable),
    };
    let last = match is_unstable(input(high)) {
        true => high,
        false => edge(seed, high, is_unstable),
    };
    let inputs = (last - first + 1) as u64;
    let step = inputs.div_ceil(MOST).max(1);
    let mut range = Range {
        first: input(first),
        last: input(last),
        sampled: 0,
        unstable: 0,
    };
    let mut at = first;
    while at <= last {
        range.sampled += 1;
        range.unstable += u64::from(is_unstable(input(at)));
        at += step as i64;
    }
    Some(range)
}

/// The last number from `inside` towards `outside` that holds, if those up to somewhere do and none after.
fn edge(inside: i64, outside: i64, holds: &mut dyn FnMut(f64) -> bool) -> i64 {
    let (mut inside, mut outside) = (inside, outside);
    while (outside - inside).abs() > 1 {
        let middle = inside + (outside - inside) / 2;
        match holds(input(middle)) {
            true => inside = middle,
            false => outside = middle,
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_to_the_last_input() {
        let (first, last) = (1.5f64, input(number(1.5) + 1000));
        let mut asked = 0;
        let mut is_unstable = |x: f64| {
            asked += 1;
            (first..=last).contains(&x)
        };
        let range = around(first, [1.0, 2.0], &mut is_unstable).unwrap();
        assert_eq!((range.first, range.last), (first, last));
        assert_eq!(range.inputs(), 1001);
        assert!(!range.is_whole() && range.unstable == range.sampled);
        assert!(asked < 300);
        assert_eq!(around(1.2, [1.0, 2.0], &mut |_| false), None);
    }

    #[test]
    fn the_change_is_found() {
        let found = change([1.0, 2.0], &mut |x| (x > 1.25).to_string());
        assert_eq!(found, 1.25);
    }
}
