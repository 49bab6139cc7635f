// args: 0.003
// Spherical Bessel functions of small arguments, by their closed formulas.
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let x: f64 = words[1].parse().unwrap();
    let (sine, cosine) = (x.sin(), x.cos());
    let zero = sine / x;
    let one = (zero - cosine) / x;
    let two = 3.0 / x * one - zero;
    println!("j0 {zero:.15e}");
    println!("j1 {one:.12e}");
    println!("j2 {two:.12e}");
}
