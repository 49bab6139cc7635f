//! Operations and spots of all processes, joined by site, with the root causes of each spot.

use std::collections::{BTreeMap, BTreeSet};

use lostbits_abi::{
    explain::{Settings, SpotKind},
    ops::Op,
    record::ProcessRecord,
    site::{Caller, Site, What},
};

use super::{
    analysis::Analysis,
    blame::Evidence,
    expression::{Expression, Node, tree},
    findings::{Findings, Reached, RootCause, Spot, Totals},
    printed::{Printed, Recorded},
    python::PythonCall,
};
use crate::summary::{Summary, identity};

/// A spot with the sites that influenced it.
struct Influenced {
    spot: Spot,
    sum_bits: f64,
    decided: u64,
    influences: BTreeMap<Site, (u64, f64)>,
}

struct Candidate {
    cause: RootCause,
    tree: Option<Node>,
    sum_bits: f64,
}

#[derive(Default)]
pub struct Gathered {
    candidates: BTreeMap<Site, Candidate>,
    spots: BTreeMap<(Site, u32), Influenced>,
    pub totals: Totals,
}

/// A process's sites through all modules.
struct Sites {
    rows: Vec<Row>,
}

/// A site as it is in all builds, and what this one says of it.
struct Row {
    site: Site,
    executions: u64,
    operands: Vec<String>,
    inlined_from: Vec<Caller>,
}

impl Sites {
    fn of(process: &ProcessRecord) -> Sites {
        let rows = process.modules.iter().flat_map(|module| {
            let rows = module.rows();
            rows.map(|(site, executions, _)| Row {
                site: identity(site),
                executions,
                operands: site.operands.clone(),
                inlined_from: site.inlined_from.clone(),
            })
        });
        Sites {
            rows: rows.collect(),
        }
    }

    fn site(&self, global: u32) -> Option<Site> {
        Some(self.rows.get(global as usize)?.site.clone())
    }

    /// The site of an operation with the names of its operands.
    fn named(&self, global: u32) -> Option<(Site, &[String])> {
        let row = self.rows.get(global as usize)?;
        Some((row.site.clone(), &row.operands))
    }

    fn executions(&self, global: u32) -> u64 {
        self.rows
            .get(global as usize)
            .map_or(0, |row| row.executions)
    }

    fn inlined_from(&self, global: u32) -> BTreeSet<Caller> {
        let row = self.rows.get(global as usize);
        let callers = row.map_or(&[][..], |row| &row.inlined_from);
        callers.iter().cloned().collect()
    }
}

impl Gathered {
    pub fn add(&mut self, process: &ProcessRecord, analysis: &Analysis) {
        let sites = Sites::of(process);
        self.totals.entries_lost = self
            .totals
            .entries_lost
            .saturating_add(analysis.entries_lost);
        self.totals.events_lost = self.totals.events_lost.saturating_add(analysis.events_lost);
        self.totals.after_underflow = self
            .totals
            .after_underflow
            .saturating_add(analysis.after_underflow);
        self.totals.influences_lost = self
            .totals
            .influences_lost
            .saturating_add(analysis.sets_lost);
        for operation in &analysis.operations {
            self.add_operation(operation, &sites);
        }
        for spot in &analysis.spots {
            self.add_spot(spot, &sites);
        }
    }

    fn add_operation(&mut self, entry: &lostbits_abi::explain::Operation, sites: &Sites) {
        let Some((site, op)) = sites.site(entry.site).and_then(with_op) else {
            return;
        };
        if entry.undecided > 0 {
            self.totals.undecided_operations.0 += 1;
            self.totals.undecided_operations.1 = self
                .totals
                .undecided_operations
                .1
                .saturating_add(entry.undecided);
        }
        let tree = tree(entry, &|global| sites.named(global));
        // The operands of a reduction of MPI are in other processes.
        let is_reduction = op.is_call() && site.callee.starts_with("MPI_");
        let operands = if is_reduction {
            0
        } else {
            op.info().arity().min(3)
        };
        let cause = RootCause {
            site: site.clone(),
            inlined_from: sites.inlined_from(entry.site),
            op,
            causes: entry.causes,
            expression: None,
            // Counted by blocks; a block that a signal cut short may not have counted yet.
            executions: sites.executions(entry.site).max(entry.erroneous),
            sampled_executions: entry.seen,
            erroneous: entry.erroneous,
            undecided: entry.undecided,
            worst_bits: entry.worst_bits,
            average_bits: 0.0,
            worst_result: entry.worst_values[0],
            worst_operands: entry.worst_values[1..=operands].to_vec(),
            worst_real: entry.worst_real,
            outputs: Vec::new(),
            decisions: Vec::new(),
            evidence: Evidence::Suspected,
        };
        let candidate = Candidate {
            cause,
            tree,
            sum_bits: entry.sum_bits,
        };
        match self.candidates.entry(site) {
            std::collections::btree_map::Entry::Vacant(place) => drop(place.insert(candidate)),
            std::collections::btree_map::Entry::Occupied(mut known) => {
                known.get_mut().join(candidate);
            }
        }
    }

    fn add_spot(&mut self, entry: &lostbits_abi::explain::Spot, sites: &Sites) {
        let (Some((site, names)), Some(kind)) =
            (sites.named(entry.site), SpotKind::from_u32(entry.kind))
        else {
            return;
        };
        self.totals.influences_lost = self
            .totals
            .influences_lost
            .saturating_add(entry.influences_lost);
        let influences = entry.influences.iter().filter(|one| one.used != 0);
        let influences = influences.filter_map(|one| {
            let found = (one.times, one.worst_bits);
            Some((sites.site(one.site)?, found))
        });
        let recorded = Recorded {
            value: entry.worst_values[0],
            tail: entry.worst_tails[0],
            exact: entry.worst_reals[0],
            exact_tail: entry.worst_tails[1],
            kind: site.kind,
        };
        let spot = Spot {
            site: site.clone(),
            kind,
            executions: sites.executions(entry.site).max(entry.seen),
            judged: entry.seen,
            erroneous: entry.erroneous,
            undecided: entry.undecided,
            hidden: entry.hidden,
            unexplained: entry.unexplained,
            zeros: entry.zeros,
            largest_zero: entry.largest_zero,
            excused: entry.excused,
            unknown_exact: entry.unknown_exact,
            worst_call: entry.worst_call,
            own: entry.own,
            argument_names: names.to_vec(),
            worst_bits: entry.worst_bits,
            average_bits: 0.0,
            worst_execution: entry.worst_execution,
            values: entry.worst_values,
            reals: entry.worst_reals,
            printed: Printed::new(&recorded, entry.worst_conversion),
            python: PythonCall::all(&entry.python),
        };
        let influenced = Influenced {
            spot,
            sum_bits: entry.sum_bits,
            decided: entry.seen.saturating_sub(entry.undecided),
            influences: influences.collect(),
        };
        match self.spots.entry((site, entry.kind)) {
            std::collections::btree_map::Entry::Vacant(place) => drop(place.insert(influenced)),
            std::collections::btree_map::Entry::Occupied(mut known) => {
                known.get_mut().join(influenced);
            }
        }
    }

    pub fn findings(
        mut self,
        settings: Settings,
        modules_of_other_modes: usize,
        summary: Summary,
    ) -> Findings {
        let (mut untraced, mut spots) = (Vec::new(), Vec::new());
        for (_, influenced) in std::mem::take(&mut self.spots) {
            let influenced = influenced.averaged();
            self.totals.judge(&influenced.spot);
            spots.push(influenced.spot.clone());
            if influenced.spot.erroneous > 0 && !self.blame(&influenced) {
                untraced.push(influenced.spot);
            }
        }
        untraced.sort_by(|a, b| {
            let bits = b.worst_bits.total_cmp(&a.worst_bits);
            bits.then(b.erroneous.cmp(&a.erroneous))
        });
        Findings {
            outside: Vec::new(),
            untracked_messages: Vec::new(),
            is_reassociated: false,
            is_partly_folded: false,
            constants: Vec::new(),
            causes: ranked(self.candidates),
            unconfirmed: Vec::new(),
            untraced,
            harmless: Vec::new(),
            spots,
            totals: self.totals,
            settings,
            modules_of_other_modes,
            is_analysed: false,
            summary,
        }
    }

    /// Adds the spot to each of its causes; whether there was any.
    fn blame(&mut self, influenced: &Influenced) -> bool {
        let mut blamed = false;
        // What is computed from the quotient of a zero means nothing, whatever else was lost on the way.
        let is_undefined = influenced
            .spot
            .reals
            .iter()
            .any(|exact| exact.nearest.is_nan());
        let divides_by_zero = |site: &Site| {
            let candidate = self.candidates.get(site);
            candidate.is_some_and(|candidate| candidate.cause.divides_by_zero())
        };
        let has_zero = is_undefined && influenced.influences.keys().any(divides_by_zero);
        for (site, (times, worst_bits)) in &influenced.influences {
            let Some(candidate) = self.candidates.get_mut(site) else {
                continue;
            };
            if has_zero && !candidate.cause.divides_by_zero() {
                continue;
            }
            let reached = Reached {
                spot: influenced.spot.clone(),
                times: *times,
                worst_bits: *worst_bits,
            };
            match influenced.spot.kind {
                SpotKind::Output => candidate.cause.outputs.push(reached),
                SpotKind::Comparison | SpotKind::Conversion => {
                    candidate.cause.decisions.push(reached);
                }
            }
            blamed = true;
        }
        blamed
    }
}

fn with_op(site: Site) -> Option<(Site, Op)> {
    match site.what {
        What::Operation(op) => Some((site, op)),
        _ => None,
    }
}

impl Candidate {
    fn join(&mut self, other: Candidate) {
        let worse = other.cause.worst_bits > self.cause.worst_bits;
        let known = &mut self.cause;
        known.causes |= other.cause.causes;
        known.inlined_from.extend(other.cause.inlined_from);
        known.executions = known.executions.saturating_add(other.cause.executions);
        known.sampled_executions = known
            .sampled_executions
            .saturating_add(other.cause.sampled_executions);
        known.erroneous = known.erroneous.saturating_add(other.cause.erroneous);
        known.undecided = known.undecided.saturating_add(other.cause.undecided);
        if worse {
            known.worst_bits = other.cause.worst_bits;
            known.worst_result = other.cause.worst_result;
            known.worst_operands = other.cause.worst_operands;
            known.worst_real = other.cause.worst_real;
        }
        self.sum_bits += other.sum_bits;
        self.tree = match (self.tree.take(), other.tree) {
            (Some(first), Some(second)) => Some(first.generalise(&second, worse)),
            (first, second) => first.or(second),
        };
    }

    fn named(self) -> RootCause {
        let mut cause = self.cause;
        cause.expression = self.tree.map(Expression::new);
        cause.average_bits = average(self.sum_bits, cause.erroneous);
        cause.outputs.sort_by(|a, b| {
            let bits = b.worst_bits.total_cmp(&a.worst_bits);
            bits.then(b.times.cmp(&a.times))
        });
        cause
            .decisions
            .sort_by_key(|one| std::cmp::Reverse(one.times));
        cause
    }
}

impl Influenced {
    fn join(&mut self, other: Influenced) {
        let spot = &mut self.spot;
        let is_worse = match (spot.erroneous > 0, other.spot.erroneous > 0) {
            (true, false) => false,
            (false, true) => true,
            _ => other.spot.worst_bits > spot.worst_bits || spot.erroneous == 0,
        };
        if is_worse {
            spot.worst_bits = other.spot.worst_bits;
            spot.values = other.spot.values;
            spot.reals = other.spot.reals;
            spot.printed = other.spot.printed;
            spot.worst_execution = other.spot.worst_execution;
            spot.worst_call = other.spot.worst_call;
        }
        spot.python = PythonCall::join(spot.python.iter().chain(&other.spot.python));
        let own_calls = spot.own.calls.saturating_add(other.spot.own.calls);
        if spot.own.calls == 0 || other.spot.own.worst_bits > spot.own.worst_bits {
            spot.own = other.spot.own;
        }
        spot.own.calls = own_calls;
        spot.executions = spot.executions.saturating_add(other.spot.executions);
        spot.judged = spot.judged.saturating_add(other.spot.judged);
        spot.erroneous = spot.erroneous.saturating_add(other.spot.erroneous);
        spot.undecided = spot.undecided.saturating_add(other.spot.undecided);
        spot.hidden = spot.hidden.saturating_add(other.spot.hidden);
        spot.unexplained = spot.unexplained.saturating_add(other.spot.unexplained);
        if other.spot.largest_zero[0].abs() > spot.largest_zero[0].abs() {
            spot.largest_zero = other.spot.largest_zero;
        }
        spot.zeros = spot.zeros.saturating_add(other.spot.zeros);
        spot.excused = spot.excused.saturating_add(other.spot.excused);
        spot.unknown_exact = spot.unknown_exact.saturating_add(other.spot.unknown_exact);
        self.sum_bits += other.sum_bits;
        self.decided = self.decided.saturating_add(other.decided);
        for (site, (times, bits)) in other.influences {
            let known = self.influences.entry(site).or_default();
            *known = (known.0.saturating_add(times), known.1.max(bits));
        }
    }

    fn averaged(mut self) -> Influenced {
        self.spot.average_bits = average(self.sum_bits, self.decided);
        self
    }
}

fn average(sum: f64, times: u64) -> f64 {
    if times == 0 { 0.0 } else { sum / times as f64 }
}

/// Those that did harm: by bits lost in outputs, then by wrong decisions, then by how often; sites are
/// in order where all is equal.
fn ranked(candidates: BTreeMap<Site, Candidate>) -> Vec<RootCause> {
    let mut causes: Vec<RootCause> = candidates
        .into_values()
        .filter(|candidate| candidate.cause.causes != 0)
        .map(Candidate::named)
        .filter(|cause| !cause.outputs.is_empty() || !cause.decisions.is_empty())
        .collect();
    causes.sort_by(|a, b| {
        let bits = b.bits_in_outputs().total_cmp(&a.bits_in_outputs());
        bits.then(b.wrong_decisions().cmp(&a.wrong_decisions()))
            .then(b.erroneous.cmp(&a.erroneous))
    });
    causes
}
