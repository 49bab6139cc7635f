// Rays through spheres: the nearest intersection, its normal, and a shade for each.

struct Sphere {
    centre: [f64; 3],
    radius: f64,
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn main() {
    let side: u32 = std::env::args().nth(1).map_or(1500, |word| word.parse().unwrap());
    let spheres: Vec<Sphere> = (0..20)
        .map(|i| Sphere {
            centre: [f64::from(i % 5) - 2.0, f64::from(i / 5) - 1.5, 4.0 + f64::from(i % 3)],
            radius: 0.3 + 0.05 * f64::from(i % 4),
        })
        .collect();
    let (mut light, mut hits) = (0.0, 0);
    for y in 0..side {
        for x in 0..side {
            let at = |pixel: u32| 4.0 * f64::from(pixel) / f64::from(side) - 2.0;
            let ray = [at(x) / 2.0, at(y) / 2.0, 1.0];
            let length = dot(ray, ray).sqrt();
            let ray = ray.map(|part| part / length);
            let mut nearest = f64::INFINITY;
            let mut shade = 0.0;
            for sphere in &spheres {
                let along = dot(ray, sphere.centre);
                let rest = along * along - dot(sphere.centre, sphere.centre) + sphere.radius * sphere.radius;
                if rest > 0.0 && along - rest.sqrt() < nearest {
                    nearest = along - rest.sqrt();
                    let normal: [f64; 3] =
                        std::array::from_fn(|i| (nearest * ray[i] - sphere.centre[i]) / sphere.radius);
                    shade = (-dot(normal, ray)).max(0.0);
                }
            }
            if nearest.is_finite() {
                hits += 1;
                light += shade;
            }
        }
    }
    println!("{hits} {:.6}", light / f64::from(hits));
}
