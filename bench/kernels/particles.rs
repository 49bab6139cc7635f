//! Rust: iterators, closures, vectors and options (particles in a box that attract and bounce).

#[derive(Clone, Copy)]
struct Particle {
    at: [f64; 2],
    speed: [f64; 2],
    mass: f32,
}

fn pull(on: &Particle, all: &[Particle]) -> [f64; 2] {
    all.iter().fold([0.0; 2], |sum, other| {
        let [dx, dy] = [other.at[0] - on.at[0], other.at[1] - on.at[1]];
        let square = dx * dx + dy * dy + 1e-3;
        let strength = f64::from(other.mass) / (square * square.sqrt());
        [sum[0] + dx * strength, sum[1] + dy * strength]
    })
}

fn bounced(at: f64, speed: f64) -> (f64, f64) {
    match at {
        low if low < 0.0 => (-low, speed.abs()),
        high if high > 1.0 => (2.0 - high, -speed.abs()),
        inside => (inside, speed),
    }
}

fn step(particles: &[Particle], dt: f64) -> Vec<Particle> {
    particles
        .iter()
        .map(|particle| {
            let force = pull(particle, particles);
            let mut next = *particle;
            for axis in 0..2 {
                let speed = particle.speed[axis] + dt * force[axis];
                (next.at[axis], next.speed[axis]) = bounced(particle.at[axis] + dt * speed, speed);
            }
            next
        })
        .collect()
}

fn main() {
    let steps: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1900);
    let mut particles: Vec<Particle> = (0..220)
        .map(|index| {
            let t = index as f64;
            Particle {
                at: [(0.37 * t).sin().abs(), (0.73 * t).cos().abs()],
                speed: [0.1 * (1.3 * t).sin(), 0.1 * (2.1 * t).cos()],
                mass: 1e-4 + 1e-6 * index as f32,
            }
        })
        .collect();
    for _ in 0..steps {
        particles = step(&particles, 1e-3);
    }
    let energy: f64 =
        particles.iter().map(|p| 0.5 * f64::from(p.mass) * p.speed.iter().map(|v| v * v).sum::<f64>()).sum();
    let far = particles.iter().map(|p| p.at[0]).max_by(f64::total_cmp);
    println!("particles {energy:e} {far:?}");
}
