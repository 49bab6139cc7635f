// args: 1e9 4096
// A running variance that is stable: nothing is wrong.
struct Running {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Running {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let before = value - self.mean;
        self.mean += before / self.count;
        let after = value - self.mean;
        self.squares += before * after;
    }

    fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0)
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let offset: f64 = words[1].parse().unwrap();
    let n: u32 = words[2].parse().unwrap();
    let mut running = Running { count: 0.0, mean: 0.0, squares: 0.0 };
    for i in 0..n {
        let step = f64::from(i * 37 % 101);
        running.add(offset + step);
    }
    println!("mean {:.6}", running.mean);
    println!("variance {:.6}", running.variance());
}
