//! Tests as C conditions. Their operands are computed before, all of them: FPCore has no effects.

use super::{Untranslatable, statements::Writer};
use crate::fpcore::ast::{Comparison, Format, Test, TestKind};

type Result<T> = std::result::Result<T, Untranslatable>;

impl<'a> Writer<'a> {
    pub(super) fn test(&mut self, test: &'a Test, context: Format) -> Result<String> {
        let depth = self.scope.len();
        let text = self.condition(&test.kind, context);
        self.scope.truncate(depth);
        text
    }

    fn condition(&mut self, kind: &'a TestKind, context: Format) -> Result<String> {
        Ok(match kind {
            TestKind::Constant(truth) => i32::from(*truth).to_string(),
            TestKind::Compare(comparison, operands) => {
                let operands = operands
                    .iter()
                    .map(|operand| Ok(self.number(operand, context)?.text))
                    .collect::<Result<Vec<_>>>()?;
                chain(*comparison, &operands)
            }
            TestKind::And(tests) => self.joined(tests, " && ", "1", context)?,
            TestKind::Or(tests) => self.joined(tests, " || ", "0", context)?,
            TestKind::Not(test) => format!("!({})", self.test(test, context)?),
            TestKind::Class(class, operand) => {
                format!("{}({})", class.name(), self.number(operand, context)?.text)
            }
            TestKind::If(condition, then, otherwise) => format!(
                "(({}) ? ({}) : ({}))",
                self.test(condition, context)?,
                self.test(then, context)?,
                self.test(otherwise, context)?
            ),
            TestKind::Let(order, bindings, body) => {
                self.bindings(*order, bindings, context)?;
                self.test(body, context)?
            }
            TestKind::Annotated(_, inner, body) => self.test(body, inner.unwrap_or(context))?,
        })
    }

    fn joined(
        &mut self,
        tests: &'a [Test],
        word: &str,
        empty: &str,
        context: Format,
    ) -> Result<String> {
        let texts = tests
            .iter()
            .map(|test| Ok(format!("({})", self.test(test, context)?)))
            .collect::<Result<Vec<_>>>()?;
        Ok(match texts.as_slice() {
            [] => empty.to_owned(),
            _ => texts.join(word),
        })
    }
}

fn chain(comparison: Comparison, operands: &[String]) -> String {
    let sign = comparison.name();
    let mut pairs = Vec::new();
    for (index, left) in operands.iter().enumerate() {
        let reach = match comparison {
            Comparison::Different => operands.len(),
            _ => (index + 2).min(operands.len()),
        };
        for right in &operands[(index + 1).min(reach)..reach] {
            pairs.push(format!("{left} {sign} {right}"));
        }
    }
    if pairs.is_empty() {
        "1".to_owned()
    } else {
        pairs.join(" && ")
    }
}
