// lostbits: fresh=0
// Loops that vectorise, bounds checks between FP operations, slices split and joined, a Jacobi
// eigenvalue iteration, FFT by recursion with allocated halves.
fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

fn jacobi(a: &mut [[f64; 4]; 4]) -> usize {
    let mut sweeps = 0;
    loop {
        let off: f64 = (0..4)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| a[i][j] * a[i][j])
            .sum();
        if off < 1e-20 || sweeps == 20 {
            return sweeps;
        }
        sweeps += 1;
        for p in 0..3 {
            for q in p + 1..4 {
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let (c, s) = (1.0 / (t * t + 1.0).sqrt(), t / (t * t + 1.0).sqrt());
                for row in a.iter_mut() {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                for k in 0..4 {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                }
            }
        }
    }
}

fn fft(v: &[(f32, f32)]) -> Vec<(f32, f32)> {
    if v.len() == 1 {
        return v.to_vec();
    }
    let even = fft(&v.iter().step_by(2).copied().collect::<Vec<_>>());
    let odd = fft(&v.iter().skip(1).step_by(2).copied().collect::<Vec<_>>());
    let half = even.len();
    let twiddled: Vec<(f32, f32)> = (0..half)
        .map(|k| {
            let (s, c) = (-std::f32::consts::PI * k as f32 / half as f32).sin_cos();
            (odd[k].0 * c - odd[k].1 * s, odd[k].0 * s + odd[k].1 * c)
        })
        .collect();
    let low = even
        .iter()
        .zip(&twiddled)
        .map(|(e, t)| (e.0 + t.0, e.1 + t.1));
    let high = even
        .iter()
        .zip(&twiddled)
        .map(|(e, t)| (e.0 - t.0, e.1 - t.1));
    low.chain(high).collect()
}

fn main() {
    let seed: f64 = std::hint::black_box(0.29);
    let x: Vec<f64> = (0..130).map(|i| (i as f64 * seed).cos()).collect();
    let mut y = vec![seed; 130];
    for k in 0..10 {
        axpy(1.0 / (k + 1) as f64, &x[k..], &mut y[..120 - k]);
        let (left, right) = y.split_at_mut(65);
        left.swap_with_slice(&mut right[..65]);
        left.copy_from_slice(&right[..65]);
        axpy(0.3, &x[..30], &mut left[30..60]);
    }
    for v in y.iter().step_by(13) {
        println!("{:016x}", v.to_bits());
    }
    let mut a = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..4 {
            a[i][j] = 1.0 / ((i + j) as f64 + 1.0 + seed) + if i == j { seed } else { 0.0 };
        }
    }
    println!(
        "{} {:e} {:e} {:e} {:e}",
        jacobi(&mut a),
        a[0][0],
        a[1][1],
        a[2][2],
        a[3][3]
    );
    let wave: Vec<(f32, f32)> = (0..32)
        .map(|i| ((i as f32 * seed as f32).sin(), 0.1))
        .collect();
    for (re, im) in fft(&wave).iter().step_by(5) {
        println!("{:08x} {:08x}", re.to_bits(), im.to_bits());
    }
}
