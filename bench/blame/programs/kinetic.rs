// args: 300.0 1.5e8
// Relativistic kinetic energy of something slow and something fast.
const C: f64 = 299792458.0;

fn kinetic(mass: f64, speed: f64) -> f64 {
    let ratio = speed / C;
    let square = ratio * ratio;
    let gamma = 1.0 / (1.0 - square).sqrt();
    let excess = gamma - 1.0;
    mass * C * C * excess
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let slow: f64 = words[1].parse().unwrap();
    let fast: f64 = words[2].parse().unwrap();
    println!("slow {:.9e}", kinetic(1.0, slow));
    println!("fast {:.9e}", kinetic(1.0, fast));
}
