// Statistics of windows of a signal, by iterators: means, variances, the largest step, and a smoothed copy.

fn main() {
    let rounds: u32 = std::env::args().nth(1).map_or(300, |word| word.parse().unwrap());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / 9_007_199_254_740_992.0
    };
    let mut signal: Vec<f64> = (0..20_000).map(|i| f64::from(i % 97) / 97.0 + 0.1 * uniform()).collect();
    let (mut spread, mut steps) = (0.0, 0.0);
    for _ in 0..rounds {
        spread += signal
            .chunks_exact(50)
            .map(|window| {
                let mean = window.iter().sum::<f64>() / window.len() as f64;
                window.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / window.len() as f64
            })
            .fold(0.0, f64::max);
        steps += signal
            .iter()
            .zip(&signal[1..])
            .map(|(a, b)| (b - a).abs())
            .filter(|step| *step < 0.5)
            .sum::<f64>();
        let smooth: Vec<f64> = signal.windows(3).map(|w| 0.25 * w[0] + 0.5 * w[1] + 0.25 * w[2]).collect();
        for (x, y) in signal[1..].iter_mut().zip(smooth) {
            *x += 0.01 * (y - *x);
        }
    }
    println!("{spread:.10} {steps:.6}");
}
