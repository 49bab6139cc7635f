//! Hands standard input on to a program, and keeps a copy.

use std::{
    fs::File,
    io::{self, Read, Write},
    path::Path,
    process::ChildStdin,
    thread,
};

/// Goes on by itself until the input or the program ends; what was handed on is in `copy` first.
pub fn start(mut pipe: ChildStdin, copy: &Path) -> io::Result<()> {
    let mut copy = File::create(copy)?;
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        let mut input = io::stdin().lock();
        while let Ok(length @ 1..) = input.read(&mut buffer) {
            let part = &buffer[..length];
            if copy.write_all(part).is_err() || pipe.write_all(part).is_err() {
                break;
            }
        }
    });
    Ok(())
}
