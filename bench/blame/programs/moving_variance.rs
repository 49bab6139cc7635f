// args: 20000 1e6
// Mean and variance of a window that slides over readings with a large offset.
struct Window {
    values: Vec<f64>,
    next: usize,
    sum: f64,
    squares: f64,
}

impl Window {
    fn push(&mut self, value: f64) {
        let old = self.values[self.next];
        self.sum += value - old;
        self.squares += value * value;
        self.squares -= old * old;
        self.values[self.next] = value;
        self.next = (self.next + 1) % self.values.len();
    }

    fn variance(&self) -> f64 {
        let n = self.values.len() as f64;
        let mean = self.sum / n;
        self.squares / n - mean * mean
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let count: usize = words[1].parse().unwrap();
    let offset: f64 = words[2].parse().unwrap();
    let mut window = Window { values: vec![0.0; 64], next: 0, sum: 0.0, squares: 0.0 };
    let mut state = 1u32;
    for _ in 0..count {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        window.push(offset + f64::from(state >> 8) / 16777216.0);
    }
    println!("mean {:.9}", window.sum / 64.0);
    println!("variance {:.9}", window.variance());
}
