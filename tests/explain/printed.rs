// The same wrong number, printed with more and with fewer digits.
use std::fmt;

#[derive(Debug)]
#[allow(dead_code)]
struct Pair {
    count: u32,
    y: f64,
}

struct Money(f64);

impl fmt::Display for Money {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{:.2} EUR", self.0) // REACHED money
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let x: f64 = words[2].parse().unwrap();
    let digits: usize = words.get(3).map_or(3, |word| word.parse().unwrap());
    let y = (x + 1.0).sqrt() - x.sqrt(); // CAUSE
    match words[1].as_str() {
        "fixed" => println!("y = {y:.4}"), // REACHED fixed
        "many" => println!("{} {:>20.13} {}", 1, y, 2), // REACHED many
        "scientific" => eprintln!("{y:.3e}"), // REACHED scientific
        "twice" => println!("{y:.2} {y:.14}"), // REACHED twice
        "debug" => println!("{y:.3?}"), // REACHED debug
        "argument" => println!("{:.*}", digits, y), // REACHED argument
        "structure" => println!("{:.3?}", Pair { count: 1, y }),
        "vector" => println!("{:.3?}", vec![y, 1.0]),
        "money" => println!("{}", Money(y)),
        "text" => {
            let text = format!("{y:.3}"); // REACHED text
            println!("{text}");
        }
        "shortest" => println!("{y}"), // REACHED shortest
        _ => println!("{y:?}"), // REACHED shown
    }
}
