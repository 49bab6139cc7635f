//! Operations that make no error of their own are not blamed.

use crate::{
    extremes::explain_source,
    subjects::{causes, marked, reached},
};

#[test]
fn signs_and_selections_are_not_blamed() {
    for options in ["-O0", "-O2", "-O1 --precision 1000"] {
        for way in ["magnitude", "opposite", "selected"] {
            let report =
                explain_source("signs.c", &format!("{options} -lm"), &format!("{way} 0.1"));
            let lines = |mark: &str| marked(&["signs.c"], mark);
            assert_eq!(causes(&report), lines("CAUSE"), "{options}: {report:#}");
            let here = lines(&format!("REACHED {way}"));
            assert_eq!(reached(&report), here, "{options}: {report:#}");
            assert_eq!(report["findings"][0]["worst_exact"], 1.0, "{report:#}");
        }
    }
}
