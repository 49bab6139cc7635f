//! Which executions of outputs and decisions the runs of an error budget record.

/// An output or decision of whose executions a run with interventions records one, instead of the worst: so that the runs of an
/// error budget speak of the same value. The file that [`super::INTERVENTIONS_FILE_ENV`] names holds the number of these (a `u64`),
/// these in the order of their sites, and a byte for each site, of [`super::intervention`].
///
/// Of a decision, a run records how far its operands are from the point where it changes ([`super::Spot::worst_values`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct RecordedExecution {
    pub site: u64,
    /// From 1 on, as [`super::Spot::seen`] counts; 0 for a decision, whose executions are not counted.
    pub execution: u64,
    /// The bits of the operands by which the execution of a decision is recognised.
    pub operands: [u64; 2],
}

impl RecordedExecution {
    pub fn to_bytes(self) -> [u8; size_of::<RecordedExecution>()] {
        let mut bytes = [0; size_of::<RecordedExecution>()];
        let words = [
            self.site,
            self.execution,
            self.operands[0],
            self.operands[1],
        ];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }
}
