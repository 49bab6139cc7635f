//! The error path: the operations through which an error came from where it was amplified to the decision.
//!
//! Records of programs compiled with [`WATCH_PATHS`](lostbits_abi::environment::WATCH_PATHS) hold, for every operation on a tagged value, the operations
//! that computed its operands the first time (`runtime/src/error_paths.rs` says what that can miss). From a decision these lead
//! back to origins; the shortest error path is reported.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lostbits_abi::{
    mode::Mode,
    ops::Op,
    record::ProcessRecord,
    site::{Note, Site, What},
};

use crate::summary::identity;

/// An operation that passed an error on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub site: Site,
    pub op: Op,
}

struct Node {
    step: Step,
    /// Addresses of the operations that computed its operands.
    before: [u64; 2],
}

/// Of one process.
#[derive(Default)]
pub struct ErrorPaths {
    nodes: BTreeMap<u64, Node>,
}

/// Whether a site only says where an error came from.
pub fn is_error_path(site: &Site) -> bool {
    site.note == Some(Note::ErrorPath)
}

impl ErrorPaths {
    pub fn of(process: &ProcessRecord) -> ErrorPaths {
        let watched = process
            .modules
            .iter()
            .filter(|module| module.table.mode == Mode::Watch);
        let mut paths = ErrorPaths::default();
        for (site, _, totals) in watched.flat_map(|module| module.rows()) {
            if let (What::Operation(op), true) = (site.what, is_error_path(site))
                && totals.error_path().times > 0
            {
                let step = Step {
                    site: place(site),
                    op,
                };
                let path = totals.error_path();
                let before = path.makers;
                paths.nodes.insert(path.own, Node { step, before });
            }
        }
        paths
    }

    /// The steps to a decision, the origin first and the decision last; empty if none is known.
    pub fn to(&self, decision: &Site, origins: &BTreeSet<Site>) -> Vec<Step> {
        let decision = place(decision);
        let Some(end) = self
            .nodes
            .iter()
            .find(|(_, node)| node.step.site == decision)
        else {
            return Vec::new();
        };
        // Breadth first, so that the first origin met is the nearest.
        let mut after: BTreeMap<u64, u64> = BTreeMap::from([(*end.0, 0)]);
        let mut waiting = VecDeque::from([*end.0]);
        while let Some(at) = waiting.pop_front() {
            let node = &self.nodes[&at];
            if origins.contains(&node.step.site) {
                return self.from(at, &after);
            }
            for before in node.before {
                if self.nodes.contains_key(&before) && !after.contains_key(&before) {
                    after.insert(before, at);
                    waiting.push_back(before);
                }
            }
        }
        Vec::new()
    }

    fn from(&self, origin: u64, after: &BTreeMap<u64, u64>) -> Vec<Step> {
        let next = |at: &u64| after.get(at).copied().filter(|next| *next != 0);
        std::iter::successors(Some(origin), next)
            .map(|at| self.nodes[&at].step.clone())
            .collect()
    }
}

/// The place without the note.
fn place(site: &Site) -> Site {
    Site {
        callee: String::new(),
        note: None,
        kind: None,
        ..identity(site)
    }
}

/// Origins as the steps of error paths name them.
pub fn places<'a>(sites: impl Iterator<Item = &'a Site>) -> BTreeSet<Site> {
    sites.map(place).collect()
}
