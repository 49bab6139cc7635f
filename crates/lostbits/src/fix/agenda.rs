//! The boxes that a proof has still to examine.
//!
//! They are taken in turn by how many numbers of the format they hold and by how many of those that people use. By the former
//! alone, the proof would never reach the small part of a range in which most formulas are accurate.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::{
    error::{from_ordinal, ordinal},
    everyday,
    interval::Interval,
    machine::Width,
    plan::{Plan, Threshold},
    subject::Subject,
};

/// A side of each variable, as places in the order of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    pub sides: Vec<(i64, i64)>,
}

/// By what boxes are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    Numbers,
    Everyday,
}

/// How large a box is, by both measures; the second is a share of the whole.
#[derive(Clone, Copy, Default, Debug)]
pub struct Size {
    pub numbers: f64,
    pub everyday: f64,
}

impl std::ops::AddAssign for Size {
    fn add_assign(&mut self, other: Size) {
        self.numbers += other.numbers;
        self.everyday += other.everyday;
    }
}

pub struct Agenda {
    width: Width,
    whole: Cell,
    /// The variables that the formula has.
    relevant: Vec<usize>,
    cells: Vec<Option<Cell>>,
    heaps: [BinaryHeap<Open>; 2],
    turn: usize,
}

struct Open {
    size: f64,
    index: usize,
}

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The largest first, then the oldest.
impl Ord for Open {
    fn cmp(&self, other: &Open) -> Ordering {
        self.size
            .total_cmp(&other.size)
            .then(other.index.cmp(&self.index))
    }
}

impl Agenda {
    pub fn new(subject: &Subject) -> Agenda {
        let width = subject.width;
        let whole = Cell {
            sides: subject
                .ranges
                .iter()
                .map(|range| (ordinal(range.low, width), ordinal(range.high, width)))
                .collect(),
        };
        let variables = super::math::variables(&subject.original);
        let mut agenda = Agenda {
            width,
            whole: whole.clone(),
            relevant: variables.into_iter().map(|v| v as usize).collect(),
            cells: Vec::new(),
            heaps: Default::default(),
            turn: 0,
        };
        agenda.push(whole);
        agenda
    }

    pub fn push(&mut self, cell: Cell) {
        let index = self.cells.len();
        let size = self.size(&cell);
        for (heap, size) in self.heaps.iter_mut().zip([size.numbers, size.everyday]) {
            heap.push(Open { size, index });
        }
        self.cells.push(Some(cell));
    }

    pub fn pop(&mut self) -> Option<(Cell, Measure)> {
        self.turn += 1;
        let measure = match self.turn % 2 {
            0 => Measure::Everyday,
            _ => Measure::Numbers,
        };
        loop {
            let open = self.heaps[measure as usize].pop()?;
            if let Some(cell) = self.cells[open.index].take() {
                return Some((cell, measure));
            }
        }
    }

    /// What was not taken.
    pub fn rest(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().flatten()
    }

    pub fn size(&self, cell: &Cell) -> Size {
        let sides = cell.sides.iter();
        let share = |index: &usize| self.share(cell, *index);
        Size {
            numbers: sides
                .map(|(low, high)| high.abs_diff(*low) as f64 + 1.0)
                .product(),
            everyday: self.relevant.iter().map(share).product(),
        }
    }

    /// Of one side, how much of the whole range's everyday numbers it has. Ranges without such numbers count as they are.
    fn share(&self, cell: &Cell, index: usize) -> f64 {
        let length = |(low, high): (i64, i64)| {
            let place = |at| everyday::place(from_ordinal(at, self.width));
            place(high) - place(low)
        };
        let (side, whole) = (cell.sides[index], self.whole.sides[index]);
        match length(whole) > 0.0 {
            true => length(side) / length(whole),
            false => {
                (side.1.abs_diff(side.0) as f64 + 1.0) / (whole.1.abs_diff(whole.0) as f64 + 1.0)
            }
        }
    }

    /// At a threshold inside, at 0, or in the middle of the longest side; none for a single point.
    pub fn divided(&self, cell: &Cell, plan: &Plan, measure: Measure) -> Vec<Cell> {
        for test in plan.thresholds() {
            let index = test.variable as usize;
            for place in places(&test, self.width) {
                if cell.sides[index].0 < place && place <= cell.sides[index].1 {
                    return cell.cut(index, place);
                }
            }
        }
        for (index, (low, high)) in cell.sides.iter().enumerate() {
            // 0 alone, and what is on either side of it.
            if *low < 0 && *high >= 0 {
                return cell.cut(index, 0);
            }
            if *low == 0 && *high > 0 {
                return cell.cut(index, 1);
            }
        }
        if measure == Measure::Everyday
            && let Some(cells) = self.divided_by_use(cell)
        {
            return cells;
        }
        let length = |index: &usize| {
            let (low, high) = cell.sides[*index];
            high.abs_diff(low)
        };
        match self.relevant.iter().copied().max_by_key(length) {
            Some(index) if length(&index) > 0 => {
                let (low, high) = cell.sides[index];
                let middle = low + (high.abs_diff(low) / 2) as i64 + 1;
                cell.cut(index, middle)
            }
            _ => Vec::new(),
        }
    }

    /// Where as many everyday numbers are on either side, if possible at a power of two.
    fn divided_by_use(&self, cell: &Cell) -> Option<Vec<Cell>> {
        let share = |index: &usize| self.share(cell, *index);
        let index = self
            .relevant
            .iter()
            .copied()
            .max_by(|a, b| share(a).total_cmp(&share(b)))?;
        let (low, high) = cell.sides[index];
        let place = |at| everyday::place(from_ordinal(at, self.width));
        let middle = everyday::number((place(low) + place(high)) / 2.0);
        let round = middle.abs().log2().round().exp2().copysign(middle);
        [round, middle]
            .map(|x| ordinal(x, self.width))
            .into_iter()
            .find(|at| low < *at && *at <= high)
            .map(|at| cell.cut(index, at))
    }
}

impl Cell {
    pub fn volume(&self) -> f64 {
        let sides = self.sides.iter();
        sides
            .map(|(low, high)| high.abs_diff(*low) as f64 + 1.0)
            .product()
    }

    /// The input, if it is only one.
    pub fn point(&self, width: Width) -> Option<Vec<f64>> {
        let side = |(low, high): &(i64, i64)| (low == high).then(|| from_ordinal(*low, width));
        self.sides.iter().map(side).collect()
    }

    pub fn intervals(&self, width: Width) -> Vec<Interval> {
        let of = |(low, high): &(i64, i64)| {
            Interval::new(from_ordinal(*low, width), from_ordinal(*high, width))
        };
        self.sides.iter().map(of).collect()
    }

    /// What is below a place, and the rest.
    fn cut(&self, index: usize, place: i64) -> Vec<Cell> {
        let (mut below, mut above) = (self.clone(), self.clone());
        below.sides[index].1 = place - 1;
        above.sides[index].0 = place;
        vec![below, above]
    }
}

/// The first places on the upper side of a threshold.
pub fn places(test: &Threshold, width: Width) -> Vec<i64> {
    let at = ordinal(test.limit, width);
    let upper = at + i64::from(test.inclusive);
    match test.of_magnitude {
        false => vec![upper],
        true => vec![upper, -upper + 1],
    }
}
