// lostbits: status=101
// lostbits: fresh=0
// Panics with FP values in flight: caught by catch_unwind, through destructors that compute, in a
// thread, with a payload; the last one ends the program.
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

struct Ledger<'a>(&'a Cell<f64>, f64);
impl Drop for Ledger<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() * 0.75 + self.1 / 3.0);
    }
}

fn descend(depth: u32, x: f64, ledger: &Cell<f64>) -> f64 {
    let _guard = Ledger(ledger, x);
    let here = x.sqrt() + f64::from(depth) * 0.1;
    match depth {
        0 if x > 1.0 => panic_any(here),
        0 => here,
        _ => here + descend(depth - 1, here * 0.9, ledger) / 2.0,
    }
}

fn attempt(x: f64, ledger: &Cell<f64>) -> Result<f64, f64> {
    catch_unwind(AssertUnwindSafe(|| {
        descend((x * 10.0) as u32 % 6, x, ledger)
    }))
    .map_err(|payload| *payload.downcast_ref::<f64>().unwrap_or(&-1.0))
}

fn main() {
    // The default hook prints the thread's number, which no two runs share.
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload_as_str().map_or_else(
            || format!("{:?}", panic.payload().downcast_ref::<f64>()),
            String::from,
        );
        eprintln!("panicked at {}: {text}", panic.location().unwrap());
    }));
    let seed: f64 = std::hint::black_box(0.27);
    let ledger = Cell::new(1.0);
    for i in 0..15 {
        let result = attempt(seed * i as f64, &ledger);
        let (Ok(value) | Err(value)) = result;
        println!(
            "{} {:016x} {:016x}",
            result.is_ok(),
            value.to_bits(),
            ledger.get().to_bits()
        );
    }
    let thread = std::thread::Builder::new()
        .name("doomed".into())
        .spawn(move || {
            let values = [seed; 3];
            values[(seed * 20.0) as usize]
        });
    println!("thread failed: {}", thread.unwrap().join().is_err());
    let digits: Result<f64, _> = "0.1x".parse::<f64>();
    println!("{:e}", digits.unwrap() * ledger.get());
}
