fn main() {
    let n: u32 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut total = 1e8;
    for _ in 0..n {
        total += 0.1;
    }
    println!("{:.8}", total);
}
