//! The runs that a command made, as JSON: what the user waited for.

use serde::Serialize;

use crate::explain::{Pass, Purpose};

#[derive(Serialize)]
pub struct JsonPass {
    purpose: &'static str,
    /// Of high-precision numbers; null where there are none.
    bits: Option<u32>,
    compile_seconds: f64,
    seconds: f64,
    processor_seconds: f64,
    cut_off: bool,
}

impl From<&Pass> for JsonPass {
    fn from(pass: &Pass) -> JsonPass {
        let (purpose, bits) = match pass.purpose {
            Purpose::Detection => ("detection", None),
            Purpose::Confirmation => ("perturbed residues", None),
            Purpose::First => ("first run", None),
            Purpose::Explanation => ("explanation", None),
            Purpose::ConstantFolding => ("constant folding", None),
            Purpose::MorePrecision { bits } => ("more precision", Some(bits)),
            Purpose::Intervention => ("intervention", None),
            Purpose::Measurement => ("measurement", None),
            Purpose::Steering => ("exact decisions", None),
            Purpose::Variant => ("started in another way", None),
        };
        JsonPass {
            purpose,
            bits,
            compile_seconds: pass.compiling.as_secs_f64(),
            seconds: pass.running.as_secs_f64(),
            processor_seconds: pass.processor.as_secs_f64(),
            cut_off: pass.is_cut_off(),
        }
    }
}
