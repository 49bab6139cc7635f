// A variance of numbers that stand in the source.
fn main() {
    let x = [1e8 + 0.1, 1e8 + 0.2, 1e8 + 0.3, 1e8 + 0.4, 1e8 + 0.5f64];
    let (mut sum, mut squares) = (0.0, 0.0);
    for value in x {
        sum += value;
        squares += value * value;
    }
    let variance = (squares - sum * sum / 5.0) / 4.0; // CAUSE
    println!("{variance}"); // REACHED
    println!("{}", 0.5f64); // WRITTEN
}
