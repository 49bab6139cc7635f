// Formatting and parsing of both widths: shortest digits, precision, exponents, padding, Debug,
// round trips, special values.
use std::fmt;

struct Degrees(f64);
impl fmt::Display for Degrees {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let minutes = self.0.fract().abs() * 60.0;
        write!(
            f,
            "{}°{:.*}'",
            self.0.trunc(),
            f.precision().unwrap_or(3),
            minutes
        )
    }
}

#[derive(Debug, Clone, PartialEq, PartialOrd, Default)]
struct Sample {
    at: f64,
    value: f32,
    pair: (f64, [f32; 2]),
}

fn main() {
    let seed: f64 = std::hint::black_box(1.0 / 7.0);
    let mut x = seed;
    let mut last = Sample::default();
    for i in 0..20 {
        x = x * -2.7 + (i as f64).cbrt();
        let narrow = x as f32 / 3.0;
        println!(
            "{x} {x:?} {x:.5} {x:e} {x:+012.3} {narrow} {narrow:?} {:.7}",
            Degrees(x)
        );
        let back: f64 = format!("{x:.17e}").parse().unwrap();
        let shortest: f32 = narrow.to_string().parse().unwrap();
        println!(
            "{} {} {:016x}",
            back == x,
            shortest == narrow,
            (back * seed).to_bits()
        );
        let sample = Sample {
            at: x / 3.0,
            value: narrow,
            pair: (x.sqrt().max(0.1), [narrow, -0.0]),
        };
        println!(
            "{sample:?} {:?} {:?}",
            sample.partial_cmp(&last),
            sample.at.total_cmp(&last.at)
        );
        last = sample.clone();
    }
    for text in ["inf", "-0", "1e-400", "2.5e+3", "nan", "0.1e", ""] {
        match text.parse::<f64>() {
            Ok(value) if value.is_nan() => println!("nan"),
            Ok(value) => println!("{:?} {:e}", value, value * seed),
            Err(problem) => println!("{text:?}: {problem}"),
        }
    }
    eprintln!("on stderr {:e}", last.at);
    println!(
        "{:?} {:?}",
        f64::MIN_POSITIVE * seed,
        f32::MAX * std::hint::black_box(2.0)
    );
}
