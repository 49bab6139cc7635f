// args: 22 1
// The integrals of x^n exp(x - 1) from 0 to `end`, which is 1, by the recurrence that runs the wrong way. A constant would be folded, and
// its error with it.
fn forwards(n: u32, end: f64) -> f64 {
    let mut integral = 1.0 - (-end).exp();
    for k in 1..=n {
        integral = 1.0 - f64::from(k) * integral;
    }
    integral
}

fn backwards(n: u32) -> f64 {
    let mut integral = 0.0;
    for k in (n + 1..n + 40).rev() {
        integral = (1.0 - integral) / f64::from(k);
    }
    integral
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let n: u32 = words[1].parse().unwrap();
    let end: f64 = words[2].parse().unwrap();
    println!("forwards {:.12}", forwards(n - 4, end));
    println!("backwards {:.12}", backwards(n));
    let ratio = forwards(n - 8, end) / backwards(n - 8);
    println!("ratio {ratio:.10}");
}
