//! Hand-made analyses, as the runtime would leave them.

use std::mem::{offset_of, zeroed};

use lostbits_abi::{
    ABI_VERSION,
    explain::{
        ENTRY_ALIGNMENT, EntryHeader, EntryKind, Header, Influence, MAGIC, Operation, Position,
        PositionKind, Range, Settings, Spot, SpotKind,
    },
    ops::Op,
};

/// A tree that becomes positions.
#[derive(Clone)]
pub enum Tree {
    Operation(Op, u32, Vec<Tree>),
    Constant(f64),
    /// A class with all values and the erroneous ones; the last erroneous one is the worst.
    Variable(u8, Vec<f64>, Vec<f64>),
}

pub fn operation(site: u32, causes: u32, tree: &Tree) -> Operation {
    // SAFETY: plain old data, for which zeros are a value.
    let mut entry: Operation = unsafe { zeroed() };
    entry.header = header(EntryKind::Operation, size_of::<Operation>());
    entry.site = site;
    entry.causes = causes;
    let mut positions = Vec::new();
    place(tree, 0, &mut positions);
    entry.positions = positions.len() as u32;
    entry.expression[..positions.len()].copy_from_slice(&positions);
    entry
}

fn header(kind: EntryKind, length: usize) -> EntryHeader {
    EntryHeader {
        kind: kind as u32,
        length: length as u32,
    }
}

fn place(tree: &Tree, depth: u8, positions: &mut Vec<Position>) -> u8 {
    let index = positions.len();
    let mut position = Position {
        kind: PositionKind::Variable as u8,
        class: 100 + index as u8,
        depth,
        operands: 0,
        from: [0; 3],
        reserved: 0,
        op: 0,
        site: u32::MAX,
        all: Range::EMPTY,
        erroneous: Range::EMPTY,
        first: 0.0,
        worst: 0.0,
    };
    positions.push(position);
    match tree {
        Tree::Constant(value) => {
            position.kind = PositionKind::Constant as u8;
            position.first = *value;
            position.worst = *value;
            position.all.add(*value);
        }
        Tree::Variable(class, all, erroneous) => {
            position.class = *class;
            all.iter().for_each(|value| position.all.add(*value));
            erroneous
                .iter()
                .for_each(|value| position.erroneous.add(*value));
            position.first = all[0];
            position.worst = erroneous.last().copied().unwrap_or_default();
        }
        Tree::Operation(op, site, operands) => {
            position.kind = PositionKind::Operation as u8;
            position.op = *op as u32;
            position.site = *site;
            position.operands = operands.len() as u8;
            for (from, operand) in operands.iter().enumerate() {
                position.from[from] = place(operand, depth + 1, positions);
            }
        }
    }
    positions[index] = position;
    index as u8
}

pub fn spot(site: u32, kind: SpotKind, influences: &[Influence]) -> Spot {
    // SAFETY: plain old data, for which zeros are a value.
    let mut entry: Spot = unsafe { zeroed() };
    entry.header = header(EntryKind::Spot, size_of::<Spot>());
    entry.site = site;
    entry.kind = kind as u32;
    entry.influences[..influences.len()].copy_from_slice(influences);
    entry
}

pub fn influence(site: u32, times: u64, worst_bits: f64) -> Influence {
    Influence {
        site,
        used: 1,
        times,
        worst_bits,
    }
}

/// The bytes of a process's analysis.
pub fn analysis(process: u32, operations: &[Operation], spots: &[Spot]) -> Vec<u8> {
    let mut entries = Vec::new();
    operations
        .iter()
        .for_each(|entry| entries.extend(bytes(entry)));
    spots.iter().for_each(|entry| entries.extend(bytes(entry)));
    // SAFETY: plain old data, for which zeros are a value.
    let mut header: Header = unsafe { zeroed() };
    header.magic = MAGIC;
    header.abi_version = ABI_VERSION;
    header.process = process;
    header.settings = Settings::DEFAULT;
    let first = size_of::<Header>().next_multiple_of(ENTRY_ALIGNMENT);
    header.length = (first + entries.len()) as u64;
    let mut all = bytes(&header);
    all.resize(first, 0);
    all.extend(entries);
    all
}

/// What was lost, written into a finished analysis.
pub fn with_losses(mut analysis: Vec<u8>, sets: u64, entries: u64) -> Vec<u8> {
    for (at, value) in [
        (offset_of!(Header, sets_lost), sets),
        (offset_of!(Header, entries_lost), entries),
    ] {
        analysis[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    analysis
}

fn bytes<T>(value: &T) -> Vec<u8> {
    // SAFETY: the value was zeroed before its fields were set, so that gaps are zeros too.
    unsafe { std::slice::from_raw_parts((&raw const *value).cast::<u8>(), size_of::<T>()) }.to_vec()
}
