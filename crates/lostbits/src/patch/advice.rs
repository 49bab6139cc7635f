//! What to do where no formula helps: the error is in the operands, so these need a second word of precision.

use super::{
    change::File,
    tree::{Effect, Language, Leaf, Part, Tree},
};
use lostbits_abi::ops::Op;

/// A sentence for a difference of two calls of one function, and for a recurrence; none for other formulas.
pub fn second_word(file: &File, index: usize, node: &Tree) -> Option<String> {
    let wider = match file.language {
        Language::C | Language::Cxx => "long double",
        Language::Fortran => "real(16)",
        Language::Rust => "a pair of f64 (double-double)",
    };
    // An element of one of Fortran's arrays looks like a call.
    if file.language != Language::Fortran
        && let Some(name) = called_twice(node)
    {
        return Some(format!(
            "it subtracts nearly equal results of two calls of `{name}`: let `{name}` compute and return {wider}, or compute the \
             difference itself"
        ));
    }
    let formula = &file.source.formulas[index];
    let statement = &file.source.statements[formula.statement];
    let Effect::Defines { name, .. } = &statement.effect else {
        return None;
    };
    let uses_itself = formula.tree.leaves().iter().any(|leaf| leaf.text == *name);
    (uses_itself && !statement.loops.is_empty()).then(|| {
        format!(
            "`{name}` is computed from its previous value, so that each step adds to the error: declare `{name}` as {wider}, or use a \
             recurrence in the other direction"
        )
    })
}

/// The function of which a difference has two results.
fn called_twice(node: &Tree) -> Option<&str> {
    let (Some(Op::Sub | Op::Add), [one, other]) = (node.op(), node.operands()) else {
        return None;
    };
    let (Part::Leaf(first), Part::Leaf(second)) = (&one.part, &other.part) else {
        return None;
    };
    called(first).filter(|name| called(second) == Some(name))
}

/// The function of a leaf that is a call.
fn called(leaf: &Leaf) -> Option<&str> {
    let (name, rest) = leaf.text.split_once('(')?;
    let is_name = |c: char| c.is_alphanumeric() || "_:.".contains(c);
    let is_call = !name.is_empty() && name.chars().all(is_name) && rest.ends_with(')');
    is_call.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_recognised() {
        let leaf = |text: &str| Leaf {
            text: text.to_owned(),
            is_integer: false,
            is_name: false,
        };
        assert_eq!(called(&leaf("integral(a, b)")), Some("integral"));
        assert_eq!(called(&leaf("x[i]")), None);
        assert_eq!(called(&leaf("(a + b)")), None);
    }
}
