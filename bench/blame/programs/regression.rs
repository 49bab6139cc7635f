// args: 2.5e6 300
// The slope of a line through measurements far from the origin.
struct Line {
    slope: f64,
    intercept: f64,
}

fn fit(x: &[f64], y: &[f64]) -> Line {
    let n = x.len() as f64;
    let sum_x: f64 = x.iter().sum();
    let sum_y: f64 = y.iter().sum();
    let products: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
    let squares: f64 = x.iter().map(|x| x * x).sum();
    let above = n * products - sum_x * sum_y;
    let below = n * squares - sum_x * sum_x;
    let slope = above / below;
    let intercept = (sum_y - slope * sum_x) / n;
    Line { slope, intercept }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let start: f64 = words[1].parse().unwrap();
    let n: u32 = words[2].parse().unwrap();
    let x: Vec<f64> = (0..n).map(|i| start + f64::from(i) * 0.1).collect();
    let y: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.3 + f64::from(i * i % 11)).collect();
    let line = fit(&x, &y);
    println!("slope {:.12}", line.slope);
    println!("intercept {:.6}", line.intercept);
}
