//! The error path: the operations through which an error came from where it was amplified to the decision.
//!
//! Records of programs compiled with [`WATCH_WAYS_ENV`] hold, for every operation on a tagged value, the operations
//! that computed its operands the first time (`runtime/src/ways.rs` says what that can miss). From a decision these lead
//! back to origins; the shortest error path is reported.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lostbits_abi::{
    mode::Mode,
    ops::Op,
    record::ProcessRecord,
    site::{Note, Site, What},
};

pub use lostbits_abi::symbols::WATCH_WAYS_ENV;

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
pub struct Ways {
    nodes: BTreeMap<u64, Node>,
}

/// Whether a site only says where an error came from.
pub fn is_way(site: &Site) -> bool {
    site.note == Some(Note::ErrorPath)
}

impl Ways {
    pub fn of(process: &ProcessRecord) -> Ways {
        let watched = process
            .modules
            .iter()
            .filter(|module| module.table.mode == Mode::Watch);
        let mut ways = Ways::default();
        for (site, _, totals) in watched.flat_map(|module| module.rows()) {
            if let (What::Operation(op), true) = (site.what, is_way(site))
                && totals.error_path().times > 0
            {
                let step = Step {
                    site: place(site),
                    op,
                };
                let path = totals.error_path();
                let before = path.makers;
                ways.nodes.insert(path.own, Node { step, before });
            }
        }
        ways
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

/// Origins as ways know them.
pub fn places<'a>(sites: impl Iterator<Item = &'a Site>) -> BTreeSet<Site> {
    sites.map(place).collect()
}
