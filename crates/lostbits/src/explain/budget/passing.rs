//! Errors that pass through a statement which makes little itself.

use super::{SHARE_EXPLAINED, SHARE_OF_A_CAUSE, Session, largest};
use crate::explain::intervene::{LeaveOut, SpotKey};

impl Session<'_> {
    /// Measures what passes through suspects that make little themselves.
    pub(super) fn measure_passing(&mut self) {
        let statements = self.experiment.statements();
        for at in 0..self.contributions.len() {
            let one = &self.contributions[at];
            if !one.is_suspect || one.share >= SHARE_OF_A_CAUSE {
                continue;
            }
            let leave_out: Vec<LeaveOut> = statements
                .iter()
                .map(|statement| match one.statements.contains(statement) {
                    true => LeaveOut::InheritedErrors,
                    false => LeaveOut::Nothing,
                })
                .collect();
            let Some(remaining) = self.run(&leave_out, None) else {
                return;
            };
            let gone = self.shares(&remaining).into_iter();
            let gone: Vec<(SpotKey, f64)> = gone.map(|(key, left)| (key, 1.0 - left)).collect();
            self.contributions[at].passes = Some(largest(&gone));
            let most = gone.iter().filter(|one| one.1 >= SHARE_EXPLAINED);
            self.contributions[at].passes_of = most.map(|one| one.0).collect();
            self.contributions[at].proof = self.compared(&remaining);
        }
    }

    /// A running sum that cancels nothing passes on all that was made before: what it is made of is the cause.
    pub(super) fn find_conduits(&mut self) {
        let sources: Vec<SpotKey> = self
            .contributions
            .iter()
            .flat_map(|one| &one.of)
            .filter(|(_, share)| *share >= SHARE_OF_A_CAUSE)
            .map(|(key, _)| *key)
            .collect();
        let statements = self.experiment.statements();
        for one in &mut self.contributions {
            let mut suspects = self.suspects.iter();
            let amplifies = suspects.any(|suspect| {
                suspect.amplifies && one.statements.contains(&statements[suspect.statement])
            });
            let is_accounted_for = one.passes_of.iter().all(|key| sources.contains(key));
            one.is_conduit = !amplifies && is_accounted_for;
        }
    }
}
