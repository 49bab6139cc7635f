// The same wrong number, put out in several ways of Rust.
use std::fmt;

#[derive(Debug)]
#[allow(dead_code)]
struct Pair {
    count: u32,
    y: f64,
}

struct Shown(f64);

impl fmt::Display for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(formatter) // REACHED display
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let x: f64 = words[2].parse().unwrap();
    let y = (x + 1.0).sqrt() - x.sqrt(); // CAUSE
    match words[1].as_str() {
        "to_string" => println!("{}", y.to_string()),
        "vector" => println!("{:?}", vec![y, 1.0]),
        "structure" => println!("{:?}", Pair { count: 1, y }),
        "tuple" => println!("{:?}", (y, 1)),
        _ => println!("{}", Shown(y)),
    }
}
