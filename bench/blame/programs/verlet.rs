// args: 1e-3 20000
// An oscillator by a two-term recurrence.
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let h: f64 = words[1].parse().unwrap();
    let steps: u32 = words[2].parse().unwrap();
    let square = h * h;
    let mut before = 1.0;
    let mut now = 1.0 - square / 2.0;
    for _ in 0..steps {
        let bent = square * now;
        let next = 2.0 * now - before - bent;
        before = now;
        now = next;
    }
    let speed = (now - before) / h;
    println!("position {now:.15}");
    println!("speed {speed:.15}");
}
