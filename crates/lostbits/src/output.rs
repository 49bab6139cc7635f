//! Everything the tool itself prints goes through here, so that no output is lost silently.
//!
//! A disk that is full, or a terminal that is gone, must neither panic nor pass for success. Whatever cannot be
//! written is remembered; `main` asks for it once, at the end ([`lost`]), prints one sentence and exits with code 2.
//! A reader that closed the pipe (`lostbits sites prog | head`) has what it wanted: that is no loss.
//!
//! What this can miss: the standard library opens /dev/null for a stream that the caller closed (`>&-`), so output to
//! such a stream vanishes.

use std::{
    fmt::Display,
    fs::File,
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use crate::failure::Failure;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    Output,
    Errors,
}

impl Stream {
    fn name(self) -> &'static str {
        match self {
            Stream::Output => "standard output",
            Stream::Errors => "standard error",
        }
    }
}

/// The first write that failed.
static LOST: Mutex<Option<(Stream, io::Error)>> = Mutex::new(None);

/// Prints text; colours are removed where they would not be shown.
pub fn print(stream: Stream, text: &str) {
    let bytes = text.as_bytes();
    let written = match stream {
        Stream::Output => write_to(anstream::stdout().lock(), bytes),
        Stream::Errors => write_to(anstream::stderr().lock(), bytes),
    };
    remember(stream, written);
}

/// Prints a line about the tool itself on standard error.
pub fn note(text: impl Display) {
    print(Stream::Errors, &format!("lostbits: {text}\n"));
}

/// Prints what a program wrote to this file, byte for byte.
pub fn copy(stream: Stream, path: &Path) {
    let copied = File::open(path).and_then(|mut file| match stream {
        Stream::Output => copy_to(&mut file, io::stdout().lock()),
        Stream::Errors => copy_to(&mut file, io::stderr().lock()),
    });
    remember(stream, copied);
}

/// What could not be written so far.
pub fn lost() -> Option<Failure> {
    let lost = LOST.lock().unwrap_or_else(PoisonError::into_inner).take();
    lost.map(|(stream, error)| Failure::CannotPrint {
        stream: stream.name(),
        error,
    })
}

fn write_to(mut stream: impl Write, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes)?;
    stream.flush()
}

fn copy_to(file: &mut File, mut stream: impl Write) -> io::Result<()> {
    io::copy(file, &mut stream)?;
    stream.flush()
}

fn remember(stream: Stream, written: io::Result<()>) {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
            lost.get_or_insert((stream, error));
        }
        _ => {}
    }
}
