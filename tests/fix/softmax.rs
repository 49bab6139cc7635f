/// The logarithm of the sum of two exponentials: the normaliser of a softmax.
fn normaliser(a: f64, b: f64) -> f64 {
    (a.exp() + b.exp()).ln()
}

fn main() {
    let mut words = std::env::args().skip(1);
    let mut next = || -> f64 { words.next().unwrap().parse().unwrap() };
    let (a, b) = (next(), next());
    println!("{:.12e}", normaliser(a, b));
}
