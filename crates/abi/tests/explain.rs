//! The words of mode `explain`: what one part writes, another reads.

use lostbits_abi::{
    explain::{
        self, Exact, PositionKind, RING_NODES, Range, RecordedExecution, SAMPLE_SHIFT,
        SAMPLED_NODES, Settings, SpotKind, TINY, TRACED_NODES, cell, is_inline, meta, node_site,
        set,
    },
    ops::Op,
};
use proptest::prelude::*;

proptest! {
    #[test]
    fn settings_survive_the_environment(
        local in any::<f64>(),
        output in 0.0..64.0,
        numbers in any::<[u32; 8]>(),
    ) {
        let [depth, equality_depth, precision, waiting, min_digits, counts_unprinted_bits, zeros, confirmed] = numbers;
        let settings = Settings {
            min_local_bits: local,
            min_output_bits: output,
            min_digits,
            counts_unprinted_bits,
            depth,
            equality_depth,
            precision,
            waiting,
            zeros,
            confirmed,
        };
        prop_assert_eq!(Settings::parse(settings.encode().as_bytes()), settings);
    }
}

#[test]
fn settings_that_cannot_be_read_keep_their_defaults() {
    for text in [
        "",
        "depth",
        "depth=",
        "depth=-1",
        "depth=x,,=",
        "colour=3",
        "local=\u{e9}",
    ] {
        assert_eq!(
            Settings::parse(text.as_bytes()),
            Settings::DEFAULT,
            "{text}"
        );
    }
    let some = Settings::parse(b"depth=3,local=0.5");
    assert_eq!((some.depth, some.min_local_bits), (3, 0.5));
    assert_eq!(some.equality_depth, Settings::DEFAULT.equality_depth);
}

#[test]
fn ranges_are_kept_by_sign() {
    let mut range = Range::EMPTY;
    assert_eq!(range.whole(), None);
    for value in [2.0, -3.0, 0.5, -1.0, f64::NAN] {
        range.add(value);
    }
    assert_eq!(range.negative, [-3.0, -1.0]);
    assert_eq!(range.positive, [0.5, 2.0]);
    assert_eq!(range.whole(), Some([-3.0, 2.0]));
    assert_eq!(range.not_numbers, 1);
    let mut zero = Range::EMPTY;
    zero.add(-0.0);
    assert_eq!(zero.whole(), Some([0.0, 0.0]));
}

proptest! {
    #[test]
    fn a_node_has_its_site_and_operation(site in 0u32..1 << 24, op in 0u16..256) {
        prop_assert_eq!(node_site::split(node_site::join(site, op)), (site, op));
    }

    #[test]
    fn a_meta_word_has_its_node_and_influences(node: u32, influences: u32) {
        let word = meta::new(node, influences);
        prop_assert_eq!((meta::node(word), meta::influences(word)), (node, influences));
    }

    #[test]
    fn a_set_by_bits_has_these(bits in proptest::collection::btree_set(0usize..set::BITS, 0..8)) {
        let word = bits.iter().fold(set::EMPTY, |word, bit| word | set::of_bit(*bit));
        prop_assert!(!set::is_number(word));
        prop_assert_eq!(set::bits(word).collect::<std::collections::BTreeSet<_>>(), bits);
    }

    #[test]
    fn a_set_by_number_has_it(number in 0u32..1 << 31) {
        let word = set::numbered(number);
        prop_assert!(set::is_number(word));
        prop_assert_eq!(set::number(word), number as usize);
    }

    #[test]
    fn a_cell_gives_its_bound_to_the_value_it_was_stored_with(bits: u64, other: u64, bound in 0u32..0x7ff0_0000, float: bool) {
        let mark = if float { cell::WAS_FLOAT } else { 0 };
        let word = u64::from(bound) << 32 | mark | u64::from(cell::signature(bits));
        prop_assert_eq!(cell::bound(word, bits), Some(f64::from_bits(u64::from(bound) << 32)));
        let is_alike = cell::signature(bits) == cell::signature(other);
        prop_assert_eq!(cell::bound(word, other).is_some(), is_alike);
    }

    #[test]
    fn a_float_cell_gives_its_bound_to_the_value_it_was_stored_with(bits: u32, other: u32, bound in 0u32..0x7f80) {
        let word = bound << 16 | u32::from(cell::float_signature(bits));
        prop_assert_eq!(cell::float_bound(word, bits), Some(f64::from(f32::from_bits(bound << 16))));
        let is_alike = cell::float_signature(bits) == cell::float_signature(other);
        prop_assert_eq!(cell::float_bound(word, other).is_some(), is_alike);
    }
}

#[test]
fn both_halves_of_a_value_are_in_its_signature() {
    assert_eq!(cell::signature(0x1234_5678_0000_ffff), 0x1234_a987);
    assert_eq!(cell::float_signature(0x1234_ffff), 0xedcb);
    assert_eq!((cell::signature(0), cell::float_signature(0)), (0, 0));
}

/// Bits unite by `or`; a list only with nothing or itself.
#[test]
fn sets_that_unite_by_bits() {
    let bits = [
        set::of_bit(0),
        set::of_bit(30),
        set::of_bit(0) | set::of_bit(30),
    ];
    let lists = [set::numbered(0), set::numbered(5)];
    for x in bits.into_iter().chain(lists).chain([set::EMPTY]) {
        for y in bits.into_iter().chain(lists).chain([set::EMPTY]) {
            let has_list = set::is_number(x) || set::is_number(y);
            let expected = !has_list || x == y || x == set::EMPTY || y == set::EMPTY;
            assert_eq!(set::are_united_by_bits(x, y), expected, "{x:x} {y:x}");
        }
    }
}

#[test]
fn operations_in_line_are_these() {
    let inline = Op::ALL
        .iter()
        .filter(|op| is_inline(**op))
        .map(|op| op.name());
    assert_eq!(
        inline.collect::<Vec<_>>().join(" "),
        "add sub mul div neg fma muladd sqrt fmin fmax minimum maximum minimum_num maximum_num fabs copysign"
    );
}

/// The pass adds the shift to a node's number and masks: numbers below the shift are sampled, at the end of what is traced.
#[test]
fn the_last_traced_nodes_are_sampled() {
    assert_eq!(TRACED_NODES as usize, RING_NODES);
    assert_eq!(SAMPLE_SHIFT.wrapping_add(TRACED_NODES), SAMPLED_NODES);
    assert!(SAMPLED_NODES.is_power_of_two() && TRACED_NODES.is_power_of_two());
    assert_eq!((TRACED_NODES, SAMPLED_NODES), (65_536, 2048));
}

#[test]
fn limits_of_doubles() {
    assert_eq!(TINY, f64::MIN_POSITIVE * 2.0_f64.powi(55));
    assert_eq!(explain::CANCELLATION_FACTOR, 8.0);
    assert_eq!(explain::INTERVENTION_SITES, 16_777_216);
}

#[test]
fn a_negated_exact_value_keeps_its_exponent() {
    let exact = Exact {
        nearest: 1.5,
        fraction: 0.75,
        exponent: 2000,
    };
    let negated = exact.negated();
    assert_eq!(
        (negated.nearest, negated.fraction, negated.exponent),
        (-1.5, -0.75, 2000)
    );
}

#[test]
fn a_recorded_execution_is_four_words() {
    let bytes = RecordedExecution {
        site: 5,
        execution: 7,
        operands: [8, 9],
    }
    .to_bytes();
    let words = bytes.chunks_exact(8);
    let words: Vec<u64> = words
        .map(|word| u64::from_ne_bytes(word.try_into().unwrap()))
        .collect();
    assert_eq!(words, [5, 7, 8, 9]);
}

#[test]
fn kinds_survive_their_numbers() {
    use PositionKind::*;
    for kind in [Nothing, Operation, Constant, Variable] {
        assert_eq!(PositionKind::from_u8(kind as u8), kind);
    }
    for kind in [SpotKind::Output, SpotKind::Comparison, SpotKind::Conversion] {
        assert_eq!(SpotKind::from_u32(kind as u32), Some(kind));
    }
    assert_eq!(SpotKind::from_u32(0), None);
}
