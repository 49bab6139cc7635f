//! Operations that make no error of their own are not blamed.

use crate::built::in_every_way;

#[test]
fn signs_and_selections_are_not_blamed() {
    for program in in_every_way("signs.c", "") {
        for way in ["magnitude", "opposite", "selected"] {
            let reached = format!("REACHED {way}");
            let finding = program.is_found(&format!("{way} 0.1"), "CAUSE", &reached);
            assert_eq!(finding["worst_exact"], 1.0, "{finding:#}");
        }
    }
}
