//! Reports of `lostbits search`.

mod tsv;

pub use tsv::tsv;
