// Saturating casts, min and max, clamps, rounding, remainders and classification over special values.
fn show(x: f64) -> String {
    if x.is_nan() {
        "nan".into()
    } else {
        format!("{:016x}", x.to_bits())
    }
}

fn main() {
    let one: f64 = std::hint::black_box(1.0);
    let zero = one - one;
    let values = [
        zero,
        -zero,
        one,
        -one / 3.0,
        one / zero,
        -one / zero,
        zero / zero,
        f64::MIN_POSITIVE / 7.0 * one,
        f64::MAX * one,
        1e19,
        -2.5,
        0.5,
        1e-310,
    ];
    for a in values {
        let f = a as f32;
        println!(
            "{} {} {} {} {}",
            a as i8, a as u16, a as i32, a as u64, a as i128
        );
        println!("{} {} {:?}", f as u8, f as i64, a.classify());
        println!(
            "{} {} {} {}",
            show(a.floor()),
            show(a.round()),
            show(a.trunc()),
            show(a.round_ties_even())
        );
        println!(
            "{} {} {}",
            show(a.abs().sqrt()),
            show(f64::from(f)),
            show(a.clamp(-1.0, 2.0))
        );
        for b in values {
            let ordering = a.partial_cmp(&b);
            println!(
                "{} {} {} {} {ordering:?}",
                show(a + b),
                show(a * b),
                show(a / b),
                show(a % b)
            );
            println!(
                "{} {} {}",
                show(a.copysign(b)),
                show(a.hypot(b)),
                show(a.mul_add(b, one))
            );
            println!("{:?} {}", a.total_cmp(&b).is_lt(), a.max(b) >= a.min(b));
        }
    }
    println!(
        "{}",
        (-7.5f64 * one).rem_euclid(2.0) + (7.5 * one).div_euclid(-2.0) + (one * 9.0).powi(-3)
    );
}
