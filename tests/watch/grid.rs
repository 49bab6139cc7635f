// A coordinate becomes the number of a cell, after it has cancelled against the grid's corner.

fn cell(position: f64, corner: f64, width: f64) -> i64 {
    let offset = position - corner; // ORIGIN
    (offset / width) as i64 // UNSTABLE
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().unwrap().parse::<f64>().unwrap();
    let (position, corner, width) = (number(), number(), number());
    println!("{}", cell(position, corner, width));
}
