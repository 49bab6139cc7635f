// args: 48.137 11.575 1e-7
// Two close places on the earth by the law of cosines and by haversines.
const RADIUS: f64 = 6371008.8;

fn cosines(a: (f64, f64), b: (f64, f64)) -> f64 {
    let turn = (b.1 - a.1).cos();
    let inner = a.0.sin() * b.0.sin() + a.0.cos() * b.0.cos() * turn;
    RADIUS * inner.acos()
}

fn haversine(a: (f64, f64), b: (f64, f64)) -> f64 {
    let up = ((b.0 - a.0) / 2.0).sin();
    let across = ((b.1 - a.1) / 2.0).sin();
    let h = up * up + a.0.cos() * b.0.cos() * across * across;
    2.0 * RADIUS * h.sqrt().asin()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let latitude: f64 = words[1].parse::<f64>().unwrap().to_radians();
    let longitude: f64 = words[2].parse::<f64>().unwrap().to_radians();
    let step: f64 = words[3].parse().unwrap();
    let here = (latitude, longitude);
    let there = (latitude + step, longitude + step);
    println!("cosines {:.6}", cosines(here, there));
    println!("haversine {:.6}", haversine(here, there));
}
