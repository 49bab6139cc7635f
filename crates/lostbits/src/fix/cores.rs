//! Repairs as FPCores.

use super::{
    plan::Plan,
    repair::{Repair, Verdict},
    subject::Subject,
    wishes::Precision,
};
use crate::fpcore::{
    Core,
    ast::{Expr, Format, Kind, Property},
    problem::Position,
    sexp::{self, Sexp},
};

/// The core with the repair for its body; the original where there is none.
pub fn repaired_core(repair: &Repair) -> Core {
    let subject = &repair.subject;
    if repair.verdict != Verdict::Repaired {
        return subject.core.clone();
    }
    if repair.precision == Precision::LongDouble {
        return extended_core(subject, &repair.plan);
    }
    Core {
        body: repair.plan.expression(&subject.names, subject.width),
        ..subject.core.clone()
    }
}

/// The core with a plan that is computed in long double and rounded at the end.
pub fn extended_core(subject: &Subject, plan: &Plan) -> Core {
    let at = Position::default();
    let body = plan.expression(&subject.names, subject.width);
    let precision = Property {
        name: "precision".to_owned(),
        value: Sexp {
            at,
            kind: sexp::Kind::Atom(Format::Binary80.name().to_owned()),
        },
    };
    let annotated = Kind::Annotated(vec![precision], Some(Format::Binary80), Box::new(body));
    let wide = Expr::new(at, annotated);
    Core {
        body: Expr::new(at, Kind::Cast(Box::new(wide))),
        ..subject.core.clone()
    }
}
