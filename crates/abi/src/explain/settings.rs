//! The settings of mode `explain`, and their form in the environment.

/// What the user may set.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Settings {
    /// Operations that lose more bits than this are candidates (`local`).
    pub min_local_bits: f64,
    /// Outputs that lost more bits than this, and show it, are erroneous (`output`).
    pub min_output_bits: f64,
    /// Printed outputs are erroneous if fewer digits than this are right, however few bits they lost (`digits`). 0: if a
    /// printed digit is wrong and they lost more than `min_output_bits`; the last digit may be wrong.
    pub min_digits: u32,
    /// Not 0: outputs that lost more than `min_output_bits` are erroneous whatever is printed (`unprinted`).
    pub counts_unprinted_bits: u32,
    /// Deepest level of an expression (`depth`).
    pub depth: u32,
    /// Depth to which subexpressions are compared (`equality`).
    pub equality_depth: u32,
    /// Bits of the shadow reals throughout; 0: adaptive (`precision`). A runtime that cannot do it leaves 0
    /// in the header, by which the tool knows.
    pub precision: u32,
    /// Whether a function is waited for before anything counts (`waiting`); 0 once it was entered.
    pub waiting: u32,
    /// Whether outputs that are consistent with 0 count as erroneous (`zeros`).
    pub zeros: u32,
    /// Whether a run with another precision confirms this one, so that the noise of high-precision numbers may be taken for zero
    /// (`confirmed`).
    pub confirmed: u32,
}

impl Settings {
    pub const DEFAULT: Settings = Settings {
        min_local_bits: 5.0,
        min_output_bits: 5.0,
        min_digits: 0,
        counts_unprinted_bits: 0,
        depth: 8,
        equality_depth: 5,
        precision: 0,
        waiting: 0,
        zeros: 0,
        confirmed: 0,
    };

    /// As [`EXPLAIN_SETTINGS`](crate::environment::EXPLAIN_SETTINGS) holds them: `name=number`, separated by commas.
    pub fn encode(&self) -> String {
        let Settings {
            min_local_bits,
            min_output_bits,
            min_digits,
            counts_unprinted_bits,
            depth,
            equality_depth,
            precision,
            waiting,
            zeros,
            confirmed,
        } = self;
        format!(
            "local={min_local_bits},output={min_output_bits},digits={min_digits},unprinted={counts_unprinted_bits},\
             depth={depth},equality={equality_depth},precision={precision},waiting={waiting},zeros={zeros},\
             confirmed={confirmed}"
        )
    }

    /// Reads what [`Settings::encode`] wrote. What is missing, unknown or no number keeps its default.
    ///
    /// Inlined, because the runtime must not link this crate's use of the standard library.
    #[inline]
    pub fn parse(text: &[u8]) -> Settings {
        let mut settings = Settings::DEFAULT;
        for setting in text.split(|byte| *byte == b',') {
            let mut halves = setting.splitn(2, |byte| *byte == b'=');
            let (Some(name), Some(value)) = (halves.next(), halves.next()) else {
                continue;
            };
            let Ok(value) = core::str::from_utf8(value) else {
                continue;
            };
            match name {
                b"local" => set(&mut settings.min_local_bits, value),
                b"output" => set(&mut settings.min_output_bits, value),
                b"digits" => set(&mut settings.min_digits, value),
                b"unprinted" => set(&mut settings.counts_unprinted_bits, value),
                b"depth" => set(&mut settings.depth, value),
                b"equality" => set(&mut settings.equality_depth, value),
                b"precision" => set(&mut settings.precision, value),
                b"waiting" => set(&mut settings.waiting, value),
                b"zeros" => set(&mut settings.zeros, value),
                b"confirmed" => set(&mut settings.confirmed, value),
                _ => {}
            }
        }
        settings
    }
}

#[inline]
fn set<T: core::str::FromStr>(setting: &mut T, text: &str) {
    if let Ok(value) = text.parse() {
        *setting = value;
    }
}
