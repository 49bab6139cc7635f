//! What a search without findings tried: how many operations it reached, and which of them it never brought near the point where they
//! lose everything.

use lostbits_abi::{
    ops::Op,
    site::{Site, What},
};
use serde::{Deserialize, Serialize};

use super::{exact, session::Session};

/// What was tried.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tried {
    /// Operations that were executed and can amplify errors.
    pub operations: usize,
    /// Those of them that never came near, the farthest first.
    pub far: Vec<FarOperation>,
}

/// An operation that never amplified errors much.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FarOperation {
    pub operation: String,
    pub file: String,
    pub function: String,
    pub line: u32,
    pub column: u32,
    /// By how much at most.
    #[serde(with = "exact")]
    pub amplified: f64,
}

/// An operation that amplifies a rounding error of 2^-53 to 2^-33 is halfway to an error in the third digit.
const NEAR: f32 = 20.0;
/// Listed at most.
const MOST: usize = 8;

pub fn tried(session: &Session) -> Tried {
    let sites = session.target.sites();
    let known = session.amplified().filter_map(|(site, most)| {
        let site = sites.get(site as usize)?;
        Some((site, amplifying(site)?, most))
    });
    let known: Vec<(&Site, Op, f32)> = known.collect();
    let mut far: Vec<&(&Site, Op, f32)> = known.iter().filter(|one| one.2 < NEAR).collect();
    far.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.0.line.cmp(&b.0.line)));
    Tried {
        operations: known.len(),
        far: far.into_iter().take(MOST).map(described).collect(),
    }
}

/// The operation of a site, if it has inputs at which it loses everything.
fn amplifying(site: &Site) -> Option<Op> {
    use Op::*;
    match site.what {
        What::Operation(Add | Sub | Fma | MulAdd | Log | Log2 | Log10 | Log1p) => {}
        What::Operation(Sin | Cos | Tan | Pow | Acos | Asin | Acosh | Atanh) => {}
        _ => return None,
    }
    match site.what {
        What::Operation(op) => Some(op),
        _ => None,
    }
}

fn described((site, op, most): &(&Site, Op, f32)) -> FarOperation {
    FarOperation {
        operation: op.name().to_owned(),
        file: site.file.clone(),
        function: site.function.clone(),
        line: site.line,
        column: site.column,
        amplified: f64::from(*most).exp2(),
    }
}
