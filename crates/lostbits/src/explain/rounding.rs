//! `x + M - M`, where M is so large that sums with it are whole numbers (1.5·2⁵² among doubles): the nearest whole
//! number of x, and in expressions it is called that. In the reals it would be x itself.

use lostbits_abi::{kind::FpKind, ops::Op};

use super::expression::{Node, Term};

/// Puts the rounding in the place of what computes it, everywhere below.
pub fn recognise(node: &mut Node) {
    if let Some(rounded) = rounded(node) {
        let Term::Operation { op, operands, .. } = &mut node.term else {
            return;
        };
        *op = Op::Rint;
        *operands = vec![rounded];
    }
    if let Term::Operation { operands, .. } = &mut node.term {
        operands.iter_mut().for_each(recognise);
    }
}

/// What is rounded here.
fn rounded(node: &Node) -> Option<Node> {
    let (sum, taken) = with_constant(node)?;
    let (value, added) = with_constant(sum)?;
    let Term::Operation { site, .. } = &node.term else {
        return None;
    };
    let kind = site.as_ref().and_then(|site| site.kind);
    let digits = kind.unwrap_or(FpKind::Double).precision() as i32;
    let whole = 2f64.powi(digits - 1);
    let is_whole = added.abs() == whole || added.abs() == 1.5 * whole;
    (is_whole && added == -taken).then(|| value.clone())
}

/// A sum of something and a constant.
fn with_constant(node: &Node) -> Option<(&Node, f64)> {
    let Term::Operation { op, operands, .. } = &node.term else {
        return None;
    };
    match (op, operands.as_slice()) {
        (Op::Add, [x, constant]) | (Op::Add, [constant, x]) if constant.is_constant() => {
            Some((x, constant.values.first))
        }
        (Op::Sub, [x, constant]) if constant.is_constant() => Some((x, -constant.values.first)),
        _ => None,
    }
}

impl Node {
    fn is_constant(&self) -> bool {
        matches!(self.term, Term::Constant(_))
    }
}
