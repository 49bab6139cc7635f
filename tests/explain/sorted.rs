// Wrong numbers that Rust's library sorts.
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let x: f64 = arguments[2].parse().unwrap();
    let count: usize = arguments[3].parse().unwrap();
    let mut list: Vec<f64> = (0..count).map(|i| ((i * 7) % count + 1) as f64).collect();
    list[count / 2] = (1.0 + x) - 1.0; // CAUSE
    match arguments[1].as_str() {
        "stable" => list.sort_by(|a, b| a.partial_cmp(b).unwrap()),
        "unstable" => list.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap()),
        "total" => list.sort_by(|a, b| a.total_cmp(b)),
        _ => list.sort_unstable_by(f64::total_cmp),
    }
    println!("{:.17e}", list[0]); // REACHED
    println!("{:.17e}", list[count / 2]);
}
