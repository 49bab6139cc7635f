// Closures and iterator chains: map, zip, windows, chunks, fold, scan, flat_map, take_while.
fn pipeline(values: &[f64], scale: f64) -> impl Iterator<Item = f64> + '_ {
    values
        .windows(3)
        .map(move |w| (w[0] - 2.0 * w[1] + w[2]) * scale)
        .scan(0.5, |state, x| {
            *state = *state * 0.9 + x;
            Some(*state)
        })
}

fn main() {
    let seed: f64 = std::hint::black_box(0.83);
    let values: Vec<f64> = (0..200)
        .map(|i| (i as f64 * seed).sin() * (i % 7) as f64)
        .collect();
    let narrow: Vec<f32> = values.iter().map(|x| *x as f32 / 3.0).collect();
    for (i, x) in pipeline(&values, seed)
        .enumerate()
        .filter(|(i, _)| i % 19 == 0)
    {
        println!("{i} {:016x}", x.to_bits());
    }
    let total: f64 = values
        .iter()
        .zip(values.iter().rev())
        .map(|(a, b)| a * b)
        .sum();
    let product: f32 = narrow.iter().filter(|x| x.abs() > 0.5).take(20).product();
    println!("{total:e} {product:e}");
    for chunk in narrow.chunks_exact(25) {
        let largest = chunk.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mean = chunk.iter().sum::<f32>() / chunk.len() as f32;
        println!("{:08x} {:08x}", largest.to_bits(), mean.to_bits());
    }
    let (up, down): (Vec<f64>, Vec<f64>) = values.iter().partition(|x| **x > 0.0);
    println!(
        "{} {} {:e}",
        up.len(),
        down.len(),
        up.iter().sum::<f64>() + down.iter().sum::<f64>()
    );
    let mut counters: Vec<Box<dyn FnMut(f64) -> f64>> = Vec::new();
    for k in 1..5 {
        let mut memory = seed / k as f64;
        counters.push(Box::new(move |x| {
            memory = memory.mul_add(0.5, x);
            memory.sqrt().max(x)
        }));
    }
    for step in 0..6 {
        let row: Vec<String> = counters
            .iter_mut()
            .map(|f| format!("{:016x}", f(step as f64 * seed).to_bits()))
            .collect();
        println!("{}", row.join(" "));
    }
    let newton = std::iter::successors(Some(seed), |x| Some(x - (x * x - 2.0) / (2.0 * x)));
    newton
        .take_while(|x| (x * x - 2.0).abs() > 1e-15)
        .for_each(|x| println!("{x:.17}"));
}
