pub fn distance(p: [f64; 2]) -> f64 {
    p[0].hypot(p[1])
}
