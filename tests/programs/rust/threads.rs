// Threads with channels, scoped borrows, mutexes and atomics that hold bits of doubles.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

thread_local! {
    static SCRATCH: std::cell::RefCell<Vec<f64>> = std::cell::RefCell::new(vec![0.5; 16]);
}

fn work(me: usize, scale: f64, bias: f32) -> f64 {
    SCRATCH.with_borrow_mut(|scratch| {
        for i in 0..400 {
            let slot = i % scratch.len();
            scratch[slot] = (scratch[slot] * scale).cos() + f64::from(bias) / (i + 1) as f64;
        }
        scratch.iter().sum::<f64>() + me as f64
    })
}

fn add(total: &AtomicU64, x: f64) {
    let update = |bits| Some((f64::from_bits(bits) + x).to_bits());
    total
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, update)
        .unwrap();
}

fn main() {
    let seed: f64 = std::hint::black_box(0.66);
    let (send, receive) = mpsc::channel();
    let whole = Arc::new(AtomicU64::new(0f64.to_bits()));
    let best = Arc::new(Mutex::new(f64::NEG_INFINITY));
    for me in 0..4 {
        let (send, whole, best) = (send.clone(), whole.clone(), best.clone());
        thread::spawn(move || {
            let result = work(me, seed + me as f64, 0.3);
            add(&whole, (result * 100.0).floor());
            let mut held = best.lock().unwrap();
            *held = held.max(result * 1.5);
            send.send((me, result)).unwrap();
        });
    }
    drop(send);
    let mut results: Vec<(usize, f64)> = receive.iter().collect();
    results.sort_by_key(|(me, _)| *me);
    for (me, result) in &results {
        println!("{me} {:016x} {result:e}", result.to_bits());
    }
    println!(
        "{:e} {:016x}",
        f64::from_bits(whole.load(Ordering::SeqCst)),
        best.lock().unwrap().to_bits()
    );
    let mut grid: Vec<f64> = (0..64).map(|i| (i as f64 * seed).exp().ln_1p()).collect();
    thread::scope(|scope| {
        for part in grid.chunks_mut(16) {
            scope.spawn(move || {
                part.iter_mut()
                    .for_each(|x| *x = x.tanh() / 3.0 + part_bias())
            });
        }
    });
    println!("{:016x} {:e}", grid[40].to_bits(), grid.iter().sum::<f64>());
}

fn part_bias() -> f64 {
    SCRATCH.with_borrow(|scratch| scratch[0] * 0.1)
}
