//! Prints what one call of each function costs: `cargo run --release -p twofold --example speed`.

use std::{fs, hint::black_box};

const CALLS: u32 = 1_000_000;

/// Nanoseconds of CPU time of this thread.
fn on_processor() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux provides it");
    let first = text.split(' ').next().expect("three numbers");
    first.parse().expect("a number")
}

macro_rules! measure {
    ($($name:ident($x:expr $(, $y:expr)?);)*) => {
        $(
            let started = on_processor();
            for step in 0..CALLS {
                let x = $x + f64::from(step) * 1e-8;
                black_box(twofold::$name(black_box(x), x * 1e-17 $(, $y, 0.0)?));
            }
            let fused = (on_processor() - started) / u64::from(CALLS);
            let started = on_processor();
            for step in 0..CALLS {
                let x = $x + f64::from(step) * 1e-8;
                black_box(twofold::without_fma::$name(black_box(x), x * 1e-17 $(, $y, 0.0)?));
            }
            let plain = (on_processor() - started) / u64::from(CALLS);
            println!("{:6} {:4} ns, without FMA {:4} ns", stringify!($name), fused, plain);
        )*
    };
}

fn main() {
    measure! {
        exp(1.7);
        exp2(1.7);
        expm1(1.7);
        log(2.3);
        log2(2.3);
        log10(2.3);
        log1p(2.3);
        sin(2.3);
        cos(2.3);
        tan(2.3);
        asin(0.3);
        acos(0.3);
        atan(2.3);
        atan2(2.3, 1.1);
        sinh(2.3);
        cosh(2.3);
        tanh(2.3);
        asinh(2.3);
        acosh(2.3);
        atanh(0.3);
        sqrt(2.3);
        cbrt(2.3);
        hypot(2.3, 1.1);
        pow(2.3, 1.1);
    }
}
