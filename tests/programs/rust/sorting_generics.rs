// Sorting and searching by partial and total order, const-generic matrices, Option and Result of FP
// values, enums with FP payloads, slices by pattern.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Point,
    Circle(f64),
    Box { width: f32, height: f64 },
    Cloud([f32; 3], u8),
}

fn area(shape: Shape) -> Option<f64> {
    match shape {
        Shape::Point => None,
        Shape::Circle(radius) => Some(std::f64::consts::PI * radius * radius),
        Shape::Box { width, height } => Some(f64::from(width) * height),
        Shape::Cloud([a, b, c], n) => Some(f64::from(a * b + c) / f64::from(n)),
    }
}

#[derive(Clone, Copy)]
struct Matrix<const R: usize, const C: usize>([[f64; C]; R]);

impl<const R: usize, const K: usize> Matrix<R, K> {
    fn times<const C: usize>(self, other: Matrix<K, C>) -> Matrix<R, C> {
        let mut out = [[0.0; C]; R];
        for (row, left) in out.iter_mut().zip(self.0) {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = (0..K).map(|k| left[k] * other.0[k][j]).sum();
            }
        }
        Matrix(out)
    }
}

fn mean(values: &[f64]) -> Result<f64, &'static str> {
    match values {
        [] => Err("nothing"),
        [one] => Ok(*one),
        [first, middle @ .., last] => {
            Ok((first + last) / 2.0 + middle.iter().sum::<f64>() / values.len() as f64)
        }
    }
}

fn main() {
    let seed: f64 = std::hint::black_box(0.57);
    let mut values: Vec<f64> = (0..90)
        .map(|i| (i as f64 * seed * 7.0).sin() / (i + 1) as f64)
        .collect();
    values.sort_by(|a, b| b.partial_cmp(a).unwrap());
    println!("{:016x} {:016x}", values[0].to_bits(), values[45].to_bits());
    values.sort_unstable_by(|a, b| (a * a).total_cmp(&(b * b)));
    println!(
        "{:e} {:?}",
        values[30],
        values.binary_search_by(|x| (x * x).total_cmp(&(values[7] * values[7])))
    );
    values.dedup_by(|a, b| (*a - *b).abs() < 1e-4);
    values.swap(0, 5);
    values.reverse();
    values.rotate_left(4);
    println!(
        "{} {:?} {:?}",
        values.len() > 3,
        mean(&values),
        mean(&values[..1])
    );
    println!("{:?}", mean(&[]));
    let shapes = [
        Shape::Point,
        Shape::Circle(seed),
        Shape::Box {
            width: 0.3,
            height: seed,
        },
        Shape::Cloud([0.1, 0.2, seed as f32], 7),
    ];
    let areas: Vec<Option<f64>> = shapes
        .iter()
        .cycle()
        .take(9)
        .map(|shape| area(*shape))
        .collect();
    println!(
        "{:?} {:e}",
        areas,
        areas.iter().flatten().map(|x| x / 3.0).sum::<f64>()
    );
    let mut a = Matrix([[seed, 0.2, -0.3], [0.4, seed * 2.0, 0.6]]);
    let b = Matrix([[1.0, seed], [0.5, -0.25], [seed, 0.75]]);
    for _ in 0..6 {
        a = a.times(b).times(a);
        println!("{:016x} {:016x}", a.0[0][2].to_bits(), a.0[1][0].to_bits());
    }
}
