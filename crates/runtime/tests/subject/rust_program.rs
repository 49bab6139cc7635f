// A Rust program with the runtime, and so with two Rust libraries.
unsafe extern "C" {
    fn library_tick();
}

fn main() {
    unsafe { library_tick() };
    let panicked = std::panic::catch_unwind(|| std::hint::black_box(Vec::<u8>::new())[3]);
    std::process::exit(if panicked.is_err() { 5 } else { 99 });
}
