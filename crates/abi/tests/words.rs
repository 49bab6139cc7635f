//! Names and numbers by which the pass, the runtime and the tool know the same things.

use lostbits_abi::{
    conversion::{Conversion, LastDigit, Notation, of_argument},
    judge::Judged,
    kind::FpKind,
    mode::Mode,
    numbers::{self, FRAMES_START, SLOT_BYTES, slot_address},
    ops::{Op, Outcome},
    shadow,
    site::{Lost, Role, literal_name, literal_of},
    symbolic::{self, Entry, Graph},
    tag, trace,
};

#[test]
fn every_name_and_number_leads_back() {
    for mode in Mode::ALL {
        assert_eq!(Mode::from_name(mode.name()), Some(mode));
        assert_eq!(Mode::from_u32(mode as u32), Some(mode));
    }
    for judged in Judged::ALL {
        assert_eq!(Judged::from_name(judged.name()), Some(judged));
    }
    for role in Role::ALL {
        assert_eq!(Role::from_u8(role as u8), Some(role));
    }
    for lost in Lost::ALL {
        assert_eq!(Lost::from_u16(lost as u16), Some(lost));
    }
    for entry in (1..=5).map(|raw| Entry::from_u32(raw).unwrap()) {
        assert_eq!(Entry::from_u32(entry as u32), Some(entry));
    }
    assert_eq!((Lost::from_u16(0), Entry::from_u32(0)), (None, None));
    assert_eq!((Mode::from_name(""), Judged::from_name("")), (None, None));
}

#[test]
fn names_differ() {
    let names = |all: Vec<&'static str>| {
        let mut distinct = all.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len(), "{all:?}");
        assert!(!all.contains(&""));
    };
    names(Role::ALL.map(Role::name).to_vec());
    names(Lost::ALL.map(Lost::description).to_vec());
    names(Judged::ALL.map(Judged::name).to_vec());
    names(FpKind::ALL.map(FpKind::c_name).to_vec());
    assert_eq!(Judged::Results.name(), "results");
    assert_eq!(FpKind::X87.c_name(), "long double");
}

#[test]
fn formats_have_these_bits() {
    let bits = FpKind::ALL.map(|kind| (kind.storage_bits(), kind.precision()));
    assert_eq!(bits, [(16, 11), (16, 8), (32, 24), (64, 53), (80, 64)]);
}

#[test]
fn modes_that_explain_and_modes_that_compute_with_mpfr() {
    let of = |is: fn(Mode) -> bool| {
        let modes = Mode::ALL.into_iter().filter(|mode| is(*mode));
        modes.map(Mode::name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of(Mode::explains), "explain explain-reals");
    assert_eq!(of(Mode::needs_reals), "explain reals explain-reals");
}

#[test]
fn literals_are_told_from_names() {
    for value in [1e16, -0.5, 0.0, f64::MIN_POSITIVE] {
        assert_eq!(literal_of(&literal_name(value)), Some(value));
    }
    assert_eq!(literal_name(1e16), "=1e16");
    assert_eq!((literal_of("1e16"), literal_of("=x")), (None, None));
}

#[test]
fn conversions_keep_notation_digits_and_case() {
    use Notation::*;
    for notation in [Unknown, Scientific, Fixed, General, Hexadecimal, Shortest] {
        let conversion = Conversion::new(notation, 17);
        assert_eq!((conversion.notation(), conversion.digits()), (notation, 17));
        assert!(!conversion.is_upper_case());
        let upper = conversion.in_upper_case();
        assert_eq!((upper.notation(), upper.digits()), (notation, 17));
        assert!(upper.is_upper_case() && upper.in_upper_case().is_upper_case());
    }
    let most = 0xff_ffff;
    for (asked, kept) in [(-1, 6), (0, 0), (i64::from(most), most), (1 << 40, most)] {
        assert_eq!(Conversion::with_precision(Fixed, asked).digits(), kept);
    }
}

#[test]
fn the_last_digit_of_a_general_conversion() {
    let last = |digits| Conversion::new(Notation::General, digits).last_digit();
    assert_eq!(last(0), Some(LastDigit::Significant(1)));
    assert_eq!(last(9), Some(LastDigit::Significant(9)));
}

/// The flags are those of libstdc++.
#[test]
fn streams_print_as_their_flags_say() {
    const FIXED: u32 = 4;
    const SCIENTIFIC: u32 = 0x100;
    const UPPER: u32 = 0x4000;
    let notation = |flags| Conversion::of_stream(flags, 3).notation();
    assert_eq!(notation(0), Notation::General);
    assert_eq!(notation(FIXED), Notation::Fixed);
    assert_eq!(notation(SCIENTIFIC), Notation::Scientific);
    assert_eq!(notation(FIXED | SCIENTIFIC), Notation::Hexadecimal);
    assert!(Conversion::of_stream(UPPER, 3).is_upper_case());
    assert!(!Conversion::of_stream(1, 3).is_upper_case());
}

/// `%%` takes no argument.
#[test]
fn arguments_are_counted_as_printf_takes_them() {
    let (conversion, _) = of_argument(b"%d %% %.3e", 1).unwrap();
    assert_eq!(
        (conversion.notation(), conversion.digits()),
        (Notation::Scientific, 3)
    );
    assert_eq!(of_argument(b"%d %% %.3e", 2), None);
}

#[test]
fn slots_have_addresses_and_0_has_none() {
    assert_eq!(slot_address(0), 0);
    assert_eq!(slot_address(3), FRAMES_START + 3 * SLOT_BYTES);
    assert_eq!(FRAMES_START, 6 * 1024_u64.pow(4));
    assert_eq!(numbers::ROOM_BYTES, SLOT_BYTES * 4_194_304);
    let marks = [numbers::VARIADIC_X87, numbers::VARIADIC_FLOAT];
    assert!(marks.iter().all(|mark| *mark > u64::from(u32::MAX)));
    assert_eq!(marks[0] & marks[1], 0);
}

#[test]
fn only_addresses_below_the_end_of_low_ones_are_moved() {
    assert_eq!(shadow::alias(shadow::LOW_END), shadow::LOW_END);
    let last = shadow::LOW_END - 1;
    assert_eq!(shadow::alias(last), last + shadow::LOW_ALIAS);
    for (start, end) in shadow::APP_REGIONS {
        assert!(shadow::LOW_ALIAS + shadow::LOW_END <= start || shadow::LOW_ALIAS >= end);
    }
}

#[test]
fn a_site_has_one_bucket_of_its_word() {
    assert_eq!([16, 32, 64].map(tag::buckets), [4, 8, 24]);
    for width in [16, 32, 64] {
        let buckets = tag::buckets(width);
        for site in 0..2 * buckets {
            assert_eq!(tag::set_of_site(site, width), 1 << (site % buckets));
            assert_eq!(tag::set_of_site(site, width) & !tag::set_mask(width), 0);
        }
        assert_eq!(tag::set_mask(width).count_ones(), buckets);
    }
}

#[test]
fn a_comparison_keeps_its_predicate_and_outcome() {
    assert_eq!(symbolic::comparison_detail(15, false), 15);
    assert_eq!(symbolic::comparison_detail(2, true), 0x102);
}

#[test]
fn rings_have_these_sizes() {
    assert_eq!((trace::EVENTS, symbolic::NODES), (65_536, 131_072));
}

/// Numbers rise from call to call until they would no longer fit into 32 bits.
#[test]
fn a_call_begins_after_the_nodes_of_the_one_before() {
    let zeroed = std::alloc::Layout::new::<Graph>();
    // SAFETY: a graph is plain numbers, for which zeros are values; the layout is a graph's.
    let mut graph = unsafe { Box::from_raw(std::alloc::alloc_zeroed(zeroed).cast::<Graph>()) };
    (graph.base, graph.length, graph.dropped) = (10, 7, 3);
    graph.begin();
    assert_eq!((graph.base, graph.length, graph.dropped), (17, 0, 0));
    graph.base = u64::from(u32::MAX) - symbolic::NODES as u64 - 1;
    graph.begin();
    assert_ne!(graph.base, 0);
    graph.length = 1;
    graph.begin();
    assert_eq!(graph.base, 0);
}

#[test]
fn flang_names_every_format() {
    let kinds = ["2", "3", "4", "8", "10"].map(|kind| {
        let (_, found) = Op::from_library(&format!("_FortranAErfcScaled{kind}")).unwrap();
        found
    });
    assert_eq!(kinds, FpKind::ALL);
}

#[test]
fn calls_and_discrete_operations_are_these() {
    assert_eq!(
        [0, 1, 2, 3].map(Op::call_of),
        [Op::Call1, Op::Call1, Op::Call2, Op::Call3]
    );
    let of = |is: &dyn Fn(Op) -> bool| {
        let all = Op::ALL.iter().filter(|op| is(**op));
        all.map(|op| op.name()).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(of(&Op::is_call), "call, call of two, call of three");
    assert_eq!(of(&Op::is_remainder), "fmod, remainder, modulo");
    assert_eq!(
        of(&|op| op.is_discrete() && op.info().outcome == Outcome::Real),
        "fmod, remainder, modulo, floor, ceil, trunc, round, roundeven, rint, nearbyint"
    );
    assert!(
        Op::ALL
            .iter()
            .all(|op| op.is_discrete() || op.info().outcome == Outcome::Real)
    );
}

#[test]
fn only_operations_with_a_danger_zone_can_be_unstable() {
    let stability = |op: Op| op.info().stability;
    assert!(stability(Op::Sub).can_be_unstable() && !stability(Op::Sub).is_exact());
    assert!(stability(Op::Floor).can_be_unstable() && stability(Op::Floor).is_exact());
    assert!(!stability(Op::Mul).can_be_unstable() && !stability(Op::Mul).is_exact());
}
