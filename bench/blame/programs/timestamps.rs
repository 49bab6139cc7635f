// args: 1763424000.123 2000
// The mean and the jitter of timestamps.
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let start: f64 = words[1].parse().unwrap();
    let n: u32 = words[2].parse().unwrap();
    let mut stamps = Vec::new();
    for i in 0..n {
        let noise = f64::from(i * 7919 % 1009) * 1e-7;
        stamps.push(start + f64::from(i) * 0.01 + noise);
    }
    let mut sum = 0.0;
    for stamp in &stamps {
        sum += stamp;
    }
    let mean = sum / f64::from(n);
    let mut squares = 0.0;
    for pair in stamps.windows(2) {
        let gap = pair[1] - pair[0] - 0.01;
        squares += gap * gap;
    }
    let jitter = (squares / f64::from(n - 1)).sqrt();
    println!("mean after start {:.12}", mean - start);
    println!("jitter {jitter:.12e}");
}
