//! Variables of Rust: fields of a structure and of `self`, elements of slices and vectors, a tuple.
struct Account {
    balance: f64,
}

impl Account {
    #[inline(never)]
    fn change(&self, amount: f64) -> f64 {
        (self.balance + amount) - self.balance // CAUSE field
    }
}

#[inline(never)]
fn of_slice(a: &[f64], i: usize) -> f64 {
    (a[i] + a[i + 1]) - a[i] // CAUSE slice
}

#[inline(never)]
fn of_vector(list: &Vec<f64>, i: usize) -> f64 {
    (list[i] + list[i + 1]) - list[i] // CAUSE vector
}

#[inline(never)]
fn of_tuple(pair: (f64, f64)) -> f64 {
    (pair.0 + pair.1) - pair.0 // CAUSE tuple
}

/// Pairs of a large number and a small one.
fn main() {
    let numbers: Vec<f64> = std::env::args().skip(1).map(|text| text.parse().unwrap()).collect();
    for (k, pair) in numbers.chunks(2).enumerate() {
        let (large, small) = (pair[0], pair[1]);
        let list: Vec<f64> = (0..8).map(|i| if i % 2 == 1 { small } else { large }).collect();
        println!("{}", Account { balance: large }.change(small));
        println!("{}", of_slice(&list, 2 * k));
        println!("{}", of_vector(&list, 2 * k));
        println!("{}", of_tuple((large, small)));
    }
}
