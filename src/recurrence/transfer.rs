//! Transfer matrix of a strip, factored square by square: the numbers of tours of every length.
//!
//! ```text
//! Strip -> states, transitions -> states that lead to an end -> equivalent states merged -> TransferMatrix
//! TransferMatrix -> terms modulo a prime, line by line; exact terms
//! ```
//!
//! The number of states before a line bounds the order of the recurrence. Two states are equivalent if they
//! have equally many transitions into every class of equivalent states. The coarsest such partition is found
//! by refinement (Paige and Tarjan, simplified).

use std::collections::HashMap;

use num_bigint::BigUint;
use rayon::prelude::*;

use super::modular::Modulus;
use super::states::{DONE, Strip, Ways, explore};
use crate::control::Control;
use crate::series::Play;

/// Number of states above which equivalent states are not merged, because merging takes longer than it saves.
const MOST_TO_LUMP: usize = 20_000_000;

/// Minimum number of states whose sums are worth a parallel task.
const TASK: usize = 1 << 12;

/// The transitions through one line, stored in reverse: for each state the states whose numbers it sums.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// For each square of a line: the start of each later state's entries in `sources`. After the last
    /// square, index 0 is the end of tours and states begin at index 1.
    begins: Vec<Vec<usize>>,
    sources: Vec<Vec<u32>>,
    /// Number of states before a line.
    states: usize,
    /// Number of states explored, summed over the squares of a line, before equivalent ones are merged.
    explored: usize,
    /// Whether the first board is a single square and paths are counted: it has one path, which the matrix,
    /// whose tours are cycles through the apex, does not count.
    has_one_square: bool,
}

impl Transfer {
    /// Explores the states of closed tours, or of paths (`has_paths`), on lines of `width` squares. `None` if
    /// there are more than `max_states` states, the window is too wide, or the control was cancelled. Cost:
    /// some 300 ns and 100 bytes for each state.
    #[must_use]
    pub fn new(play: &Play, width: u16, paths: bool, most: usize, control: &Control) -> Option<Self> {
        let strip = Strip::new(play, width, paths)?;
        let ways = explore(&strip, most, &|| !control.is_cancelled())?;
        let explored = ways.sizes().iter().sum();
        let ways = alive(&ways);
        let ways = if explored <= MOST_TO_LUMP { lumped(&ways) } else { ways };
        Some(Self { has_one_square: paths && width == 1, ..Self::backwards(&ways, explored) })
    }

    /// Returns the number of states before a line, which bounds the order of the recurrence and the number of
    /// terms before it begins. A first board of a single square adds one.
    #[must_use]
    pub const fn states(&self) -> usize {
        self.states + self.has_one_square as usize
    }

    /// Returns the number of states explored, summed over the squares of a line, before equivalent ones are
    /// merged.
    #[must_use]
    pub const fn explored(&self) -> usize {
        self.explored
    }

    /// Returns the number of transitions of all squares of a line together.
    #[must_use]
    pub fn ways(&self) -> usize {
        self.sources.iter().map(Vec::len).sum()
    }

    fn backwards(ways: &Ways, explored: usize) -> Self {
        let (sizes, width) = (ways.sizes(), ways.begins.len());
        let turned = |square: usize| {
            // After the last square, index 0 is the end of tours.
            let last = square + 1 == width;
            let after = sizes[(square + 1) % width] + usize::from(last);
            let place = |target: u32| match target {
                DONE => 0,
                target => target as usize + usize::from(last),
            };
            let mut begins = vec![0; after + 1];
            ways.targets[square].iter().for_each(|&target| begins[place(target) + 1] += 1);
            (0..after).for_each(|at| begins[at + 1] += begins[at]);
            let (mut next, mut sources) = (begins.clone(), vec![0; ways.targets[square].len()]);
            for state in 0..sizes[square] {
                for &target in ways.of(square, state) {
                    let at = &mut next[place(target)];
                    sources[*at] = state as u32;
                    *at += 1;
                }
            }
            (begins, sources)
        };
        let (begins, sources) = (0..width).map(turned).unzip();
        Self { begins, sources, states: sizes[0], explored, has_one_square: false }
    }

    /// Returns the numbers of tours modulo a prime, for lengths 1, 2, ..
    #[must_use]
    pub fn modular(&self, modulus: Modulus) -> Modular<'_> {
        let mut layer = vec![0; self.states];
        layer.first_mut().into_iter().for_each(|start| *start = 1);
        Modular { transfer: self, modulus, layer, is_first: true }
    }

    /// Returns the numbers of tours, for lengths 1, 2, ..
    #[must_use]
    pub fn exact(&self) -> Exact<'_> {
        let mut layer = vec![BigUint::ZERO; self.states];
        layer.first_mut().into_iter().for_each(|start| *start = BigUint::from(1u32));
        Exact { transfer: self, layer, is_first: true }
    }

    /// Advances the numbers of all states by one line. Returns them, and the number of tours that end with
    /// this line.
    fn advance<T: Send + Sync + Default>(
        &self,
        mut layer: Vec<T>,
        sum: impl Fn(&[T], &[u32]) -> T + Sync,
    ) -> (Vec<T>, T) {
        for (begins, sources) in self.begins.iter().zip(&self.sources) {
            let of = |at: usize| sum(&layer, &sources[begins[at]..begins[at + 1]]);
            layer = (0..begins.len() - 1).into_par_iter().with_min_len(TASK).map(of).collect();
        }
        let number = std::mem::take(&mut layer[0]);
        layer.remove(0);
        (layer, number)
    }
}

/// Iterator over the terms modulo a prime, one for each line.
#[derive(Clone, Debug)]
pub struct Modular<'a> {
    transfer: &'a Transfer,
    modulus: Modulus,
    layer: Vec<u64>,
    is_first: bool,
}

impl Iterator for Modular<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let modulus = self.modulus;
        let sum = |layer: &[u64], sources: &[u32]| {
            sources.iter().fold(0, |sum, &source| modulus.add(sum, layer[source as usize]))
        };
        let number;
        (self.layer, number) = self.transfer.advance(std::mem::take(&mut self.layer), sum);
        let is_known = std::mem::take(&mut self.is_first) && self.transfer.has_one_square;
        Some(if is_known { 1u32.into() } else { number })
    }
}

/// Iterator over the exact terms, one for each line.
#[derive(Clone, Debug)]
pub struct Exact<'a> {
    transfer: &'a Transfer,
    layer: Vec<BigUint>,
    is_first: bool,
}

impl Iterator for Exact<'_> {
    type Item = BigUint;

    fn next(&mut self) -> Option<BigUint> {
        let sum = |layer: &[BigUint], sources: &[u32]| {
            sources.iter().fold(BigUint::ZERO, |sum, &source| sum + &layer[source as usize])
        };
        let number;
        (self.layer, number) = self.transfer.advance(std::mem::take(&mut self.layer), sum);
        let is_known = std::mem::take(&mut self.is_first) && self.transfer.has_one_square;
        Some(if is_known { 1u32.into() } else { number })
    }
}

/// Keeps only the states from which a tour can be completed, and the start.
fn alive(ways: &Ways) -> Ways {
    let sizes = ways.sizes();
    let width = sizes.len();
    let mut leads: Vec<Vec<bool>> = sizes.iter().map(|&size| vec![false; size]).collect();
    loop {
        let mut changed = false;
        for square in (0..width).rev() {
            let after = &leads[(square + 1) % width];
            let target_leads =
                |&target: &u32| target == DONE || after.get(target as usize).is_some_and(|&leads| leads);
            let lead_on =
                |&state: &usize| !leads[square][state] && ways.of(square, state).iter().any(target_leads);
            let found: Vec<usize> = (0..sizes[square]).filter(lead_on).collect();
            changed |= !found.is_empty();
            found.into_iter().for_each(|state| leads[square][state] = true);
        }
        if !changed {
            break;
        }
    }
    leads[0][0] = true;
    let classes: Vec<Vec<u32>> = leads
        .iter()
        .map(|leads| {
            let mut next = 0;
            let number = |&leads: &bool| {
                next += u32::from(leads);
                if leads { next - 1 } else { DONE }
            };
            leads.iter().map(number).collect()
        })
        .collect();
    merged(ways, &classes, true)
}

/// Merges states with equal numbers of transitions into every class, until the classes are stable.
fn lumped(ways: &Ways) -> Ways {
    let sizes = ways.sizes();
    let width = sizes.len();
    let mut classes: Vec<Vec<u32>> = sizes.iter().map(|&size| vec![0; size]).collect();
    let mut numbers = vec![1; width];
    loop {
        let before = numbers.clone();
        for square in (0..width).rev() {
            let after = &classes[(square + 1) % width];
            let mut seen: HashMap<Vec<u32>, u32> = HashMap::new();
            let class = |state: usize| {
                let of = |&target: &u32| if target == DONE { DONE } else { after[target as usize] };
                let mut future: Vec<u32> = ways.of(square, state).iter().map(of).collect();
                future.sort_unstable();
                let next = seen.len() as u32;
                *seen.entry(future).or_insert(next)
            };
            let found: Vec<u32> = (0..sizes[square]).map(class).collect();
            numbers[square] = seen.len();
            classes[square] = found;
        }
        if numbers == before {
            break;
        }
    }
    merged(ways, &classes, false)
}

/// Replaces each class of states by one state; with `drops_end_class`, removes the states of the class
/// [`END_STATE`].
fn merged(ways: &Ways, classes: &[Vec<u32>], drops: bool) -> Ways {
    let width = classes.len();
    let mut merged = Ways::default();
    for (square, of_square) in classes.iter().enumerate() {
        let (mut begins, mut targets) = (vec![0], Vec::new());
        let after = &classes[(square + 1) % width];
        for (state, &class) in of_square.iter().enumerate() {
            // The first state of a class represents it.
            if (drops && class == DONE) || (class as usize) + 1 < begins.len() {
                continue;
            }
            let of = |&target: &u32| match target {
                DONE => Some(DONE),
                target => Some(after[target as usize]).filter(|&class| !drops || class != DONE),
            };
            targets.extend(ways.of(square, state).iter().filter_map(of));
            begins.push(targets.len());
        }
        merged.begins.push(begins);
        merged.targets.push(targets);
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Wrap;
    use crate::count::{Request, count};
    use crate::recurrence::primes;
    use crate::series::Line;
    use crate::tour::Kind;

    #[test]
    fn terms_are_the_numbers_of_the_boards() {
        for (width, wrap, piece, longest) in [
            (3, Wrap::None, "knight", 8),
            (4, Wrap::None, "knight", 6),
            (5, Wrap::None, "knight", 6),
            (4, Wrap::Cols, "knight", 5),
            (3, Wrap::None, "king", 5),
            (3, Wrap::Cols, "wazir", 5),
            (3, Wrap::None, "camel", 6),
            (1, Wrap::None, "wazir", 5),
            (2, Wrap::None, "wazir", 5),
            (2, Wrap::Cols, "king", 4),
            (2, Wrap::None, "king", 5),
        ] {
            let play = Play { wrap, piece: piece.parse().unwrap() };
            for kind in [Kind::Closed, Kind::Paths] {
                let is_paths = kind == Kind::Paths;
                if is_paths && width > 4 {
                    continue;
                }
                let transfer = Transfer::new(&play, width, is_paths, 1_000_000, &Control::new()).unwrap();
                let boards = Line::of_rows(1, longest, width).boards();
                let alone: Vec<BigUint> = boards
                    .map(|board| {
                        let request = Request { kind: Some(kind), ..Request::new(play.on(board)) };
                        count(&request, &Control::new()).unwrap().counts.get(kind).unwrap().clone()
                    })
                    .collect();
                let exact: Vec<BigUint> = transfer.exact().take(longest.into()).collect();
                assert_eq!(exact, alone, "{width} {wrap} {piece} {kind:?}");
                let modulus = primes().next().unwrap();
                let residues: Vec<u64> = transfer.modular(modulus).take(longest.into()).collect();
                assert!(residues.iter().zip(&alone).all(|(a, b)| BigUint::from(*a) == b % modulus.prime()));
            }
        }
    }

    #[test]
    fn states_are_few_and_no_more_than_are_allowed() {
        let transfer = |most| Transfer::new(&Play::default(), 4, false, most, &Control::new());
        assert!(transfer(1_000_000).unwrap().states() < 40);
        assert!(transfer(10).is_none());
        let control = Control::new();
        control.cancel();
        assert!(Transfer::new(&Play::default(), 4, false, 1_000_000, &control).is_none());
    }
}
