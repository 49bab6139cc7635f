struct Body {
    v: f64,
}

fn kinetic(body: &Body) -> f64 {
    let beta = body.v / 299792458.0;
    1.0 / (1.0 - beta * beta).sqrt() - 1.0
}

fn main() {
    let v: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    println!("{:.12e}", kinetic(&Body { v }));
}
