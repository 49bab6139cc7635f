// args: 5000 1e7
// Yule-Walker coefficient of a series with a large mean, autocovariances by sums of products.
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let n: usize = words[1].parse().unwrap();
    let level: f64 = words[2].parse().unwrap();
    let mut state = 7u64;
    let mut last = 0.0;
    let series: Vec<f64> = (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let noise = (state >> 40) as f64 / 16777216.0 - 0.5;
            last = 0.7 * last + noise;
            level + last
        })
        .collect();
    let mean = series.iter().sum::<f64>() / n as f64;
    let lag0 = series.iter().map(|x| x * x).sum::<f64>() / n as f64 - mean * mean;
    let lag1 = series.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / (n - 1) as f64 - mean * mean;
    println!("mean {mean:.6}");
    println!("phi {:.6}", lag1 / lag0);
}
