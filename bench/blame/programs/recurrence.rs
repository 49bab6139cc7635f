// args: 22
// The integrals of x^n exp(x - 1) by the recurrence that runs the wrong way.
fn forwards(n: u32) -> f64 {
    let mut integral = 1.0 - (-1.0f64).exp();
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
    println!("forwards {:.12}", forwards(n - 4));
    println!("backwards {:.12}", backwards(n));
    let ratio = forwards(n - 8) / backwards(n - 8);
    println!("ratio {ratio:.10}");
}
