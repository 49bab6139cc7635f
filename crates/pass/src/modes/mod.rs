//! The shadow domains, one for each mode of the pass. A domain may use `crate::carry`, and domains further up in the
//! order that ARCHITECTURE.md declares.

mod approximate;
mod explain;
mod explain_reals;
mod lanes;
mod observer;
mod reals;
mod same;
mod search;
mod symbolic;
mod tags;
mod watch;

use lostbits_abi::mode::Mode;

use self::{
    approximate::{APPROXIMATE_ENV, Approximate},
    explain::Explain,
    explain_reals::ExplainReals,
    observer::ObserverDomain,
    reals::Reals,
    same::Same,
    search::Search,
    symbolic::Symbolic,
    tags::{Carry, Tags},
    watch::{CANCELLATION_ONLY_ENV, CancellationOnly, Watch},
};
use crate::carry::Domain;

/// The domain of a mode that instruments.
pub fn domain_of(mode: Mode) -> Option<Box<dyn Domain>> {
    match mode {
        Mode::Same => Some(Box::new(Same)),
        Mode::Carry => Some(Box::new(Tags(Carry))),
        Mode::Watch if std::env::var_os(CANCELLATION_ONLY_ENV).is_some() => {
            Some(Box::new(ObserverDomain(CancellationOnly)))
        }
        Mode::Watch if std::env::var_os(APPROXIMATE_ENV).is_some() => Some(Box::new(Approximate)),
        Mode::Watch => Some(Box::new(Tags(Watch::new()))),
        Mode::Explain => Some(Box::new(Explain)),
        Mode::Reals => Some(Box::new(Reals)),
        Mode::ExplainReals => Some(Box::new(ExplainReals)),
        Mode::Search => Some(Box::new(ObserverDomain(Search))),
        Mode::Symbolic => Some(Box::new(Symbolic::default())),
        Mode::Off => None,
    }
}
