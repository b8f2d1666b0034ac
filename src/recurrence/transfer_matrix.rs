//! The transfer matrix of a strip, factored square by square, which gives the numbers of tours of
//! every length. A line is a row of squares across the strip.
//!
//! ```text
//! Strip -> states, transitions -> states that lead to an end -> equivalent states merged -> TransferMatrix
//! TransferMatrix -> terms modulo a prime, line by line; exact terms
//! ```
//!
//! The number of states before a line bounds the order of the recurrence. Two states are equivalent
//! if they have equally many transitions into every class of equivalent states. The coarsest such
//! partition is found by refinement (Paige and Tarjan, simplified).

use std::collections::HashMap;

use num_bigint::BigUint;
use rayon::prelude::*;

use super::modular_arithmetic::PrimeModulus;
use super::strip_states::{END_STATE, Strip, Transitions, explore_states};
use crate::control::Control;
use crate::series::SeriesRules;

/// Maximum number of states of which equivalent ones are merged. With more states, merging takes
/// longer than it saves.
const MAX_STATES_TO_MERGE: usize = 20_000_000;

/// Minimum number of states whose sums one parallel task computes.
const MIN_STATES_PER_TASK: usize = 1 << 12;

/// The transitions between states through one line of the strip, stored in reverse: for each state
/// after a square, the states before the square whose numbers add up to its number.
#[derive(Clone, Debug)]
pub struct TransferMatrix {
    /// For each square of a line, and each state after the square: the start of the state's entries
    /// in `sources`. After the last square, index 0 stands for completed tours and states begin at
    /// index 1.
    offsets: Vec<Vec<usize>>,
    sources: Vec<Vec<u32>>,
    /// Number of states before a line of the strip.
    state_count: usize,
    /// Number of explored states, summed over the squares of one line of the strip, before
    /// equivalent states are merged.
    explored_states: usize,
    /// True if paths are counted and the first board is a single square. This board has one path,
    /// which the matrix does not count, because its tours are cycles through the apex.
    has_single_square_path: bool,
}

impl TransferMatrix {
    /// Explores the states of closed tours, or of paths if `has_paths` is true, on a strip whose
    /// lines have `width` squares. Returns `None` if there are more than `max_states` states, if
    /// the strip is too wide or its ends are joined, or if the control was cancelled. Cost: some
    /// 300 ns and 100 bytes for each state.
    #[must_use]
    pub fn new(
        rules: &SeriesRules,
        width: u16,
        has_paths: bool,
        max_states: usize,
        control: &Control,
    ) -> Option<Self> {
        let strip = Strip::new(rules, width, has_paths)?;
        let ways = explore_states(&strip, max_states, &|| !control.is_cancelled())?;
        let explored = ways.state_counts().iter().sum();
        let ways = remove_dead_states(&ways);
        let ways = if explored <= MAX_STATES_TO_MERGE { merge_equivalent_states(&ways) } else { ways };
        Some(Self {
            has_single_square_path: has_paths && width == 1,
            ..Self::from_transitions(&ways, explored)
        })
    }

    /// Returns the number of states before a line of the strip. It bounds the order of the
    /// recurrence and the number of terms before the recurrence begins. A first board of a single
    /// square adds one.
    #[must_use]
    pub const fn state_count(&self) -> usize {
        self.state_count + self.has_single_square_path as usize
    }

    /// Returns the number of explored states, summed over the squares of one line of the strip,
    /// before equivalent states are merged.
    #[must_use]
    pub const fn explored_states(&self) -> usize {
        self.explored_states
    }

    /// Returns the number of transitions, summed over the squares of one line of the strip.
    #[must_use]
    pub fn transition_count(&self) -> usize {
        self.sources.iter().map(Vec::len).sum()
    }

    fn from_transitions(ways: &Transitions, explored: usize) -> Self {
        let (sizes, width) = (ways.state_counts(), ways.offsets.len());
        let turned = |square: usize| {
            // After the last square, index 0 is the end of tours.
            let last = square + 1 == width;
            let after = sizes[(square + 1) % width] + usize::from(last);
            let place = |target: u32| match target {
                END_STATE => 0,
                target => target as usize + usize::from(last),
            };
            let mut begins = vec![0; after + 1];
            ways.targets[square].iter().for_each(|&target| begins[place(target) + 1] += 1);
            (0..after).for_each(|at| begins[at + 1] += begins[at]);
            let (mut next, mut sources) = (begins.clone(), vec![0; ways.targets[square].len()]);
            for state in 0..sizes[square] {
                for &target in ways.targets_from(square, state) {
                    let at = &mut next[place(target)];
                    sources[*at] = state as u32;
                    *at += 1;
                }
            }
            (begins, sources)
        };
        let (begins, sources) = (0..width).map(turned).unzip();
        Self {
            offsets: begins,
            sources,
            state_count: sizes[0],
            explored_states: explored,
            has_single_square_path: false,
        }
    }

    /// Returns the numbers of tours modulo a prime, on boards of length 1, 2, ..
    #[must_use]
    pub fn terms_modulo(&self, modulus: PrimeModulus) -> ModularTerms<'_> {
        let mut layer = vec![0; self.state_count];
        layer.first_mut().into_iter().for_each(|start| *start = 1);
        ModularTerms { transfer: self, modulus, layer, is_first: true }
    }

    /// Returns the exact numbers of tours, on boards of length 1, 2, ..
    #[must_use]
    pub fn exact_terms(&self) -> ExactTerms<'_> {
        let mut layer = vec![BigUint::ZERO; self.state_count];
        layer.first_mut().into_iter().for_each(|start| *start = BigUint::from(1u32));
        ExactTerms { transfer: self, layer, is_first: true }
    }

    /// Carries a layer over one line of the strip. `layer` has, for each state, the number of ways to
    /// reach it. Returns these numbers after the line, and the number of tours that end with it.
    /// `sum(numbers, indices)` adds up the numbers at the indices.
    fn advance_line<T: Send + Sync + Default>(
        &self,
        mut layer: Vec<T>,
        sum: impl Fn(&[T], &[u32]) -> T + Sync,
    ) -> (Vec<T>, T) {
        for (begins, sources) in self.offsets.iter().zip(&self.sources) {
            let of = |at: usize| sum(&layer, &sources[begins[at]..begins[at + 1]]);
            layer = (0..begins.len() - 1).into_par_iter().with_min_len(MIN_STATES_PER_TASK).map(of).collect();
        }
        let number = std::mem::take(&mut layer[0]);
        layer.remove(0);
        (layer, number)
    }
}

/// Iterator over the numbers of tours modulo a prime, on boards of length 1, 2, ..
#[derive(Clone, Debug)]
pub struct ModularTerms<'a> {
    transfer: &'a TransferMatrix,
    modulus: PrimeModulus,
    layer: Vec<u64>,
    is_first: bool,
}

impl Iterator for ModularTerms<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let modulus = self.modulus;
        let sum = |layer: &[u64], sources: &[u32]| {
            sources.iter().fold(0, |sum, &source| modulus.add(sum, layer[source as usize]))
        };
        let number;
        (self.layer, number) = self.transfer.advance_line(std::mem::take(&mut self.layer), sum);
        let is_known = std::mem::take(&mut self.is_first) && self.transfer.has_single_square_path;
        Some(if is_known { 1u32.into() } else { number })
    }
}

/// Iterator over the exact numbers of tours, on boards of length 1, 2, ..
#[derive(Clone, Debug)]
pub struct ExactTerms<'a> {
    transfer: &'a TransferMatrix,
    layer: Vec<BigUint>,
    is_first: bool,
}

impl Iterator for ExactTerms<'_> {
    type Item = BigUint;

    fn next(&mut self) -> Option<BigUint> {
        let sum = |layer: &[BigUint], sources: &[u32]| {
            sources.iter().fold(BigUint::ZERO, |sum, &source| sum + &layer[source as usize])
        };
        let number;
        (self.layer, number) = self.transfer.advance_line(std::mem::take(&mut self.layer), sum);
        let is_known = std::mem::take(&mut self.is_first) && self.transfer.has_single_square_path;
        Some(if is_known { 1u32.into() } else { number })
    }
}

/// Removes all states from which no tour can be completed. The start state remains in any case.
fn remove_dead_states(ways: &Transitions) -> Transitions {
    let sizes = ways.state_counts();
    let width = sizes.len();
    let mut leads: Vec<Vec<bool>> = sizes.iter().map(|&size| vec![false; size]).collect();
    loop {
        let mut changed = false;
        for square in (0..width).rev() {
            let after = &leads[(square + 1) % width];
            let target_leads =
                |&target: &u32| target == END_STATE || after.get(target as usize).is_some_and(|&leads| leads);
            let lead_on = |&state: &usize| {
                !leads[square][state] && ways.targets_from(square, state).iter().any(target_leads)
            };
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
                if leads { next - 1 } else { END_STATE }
            };
            leads.iter().map(number).collect()
        })
        .collect();
    merge_classes(ways, &classes, true)
}

/// Merges states that have equal numbers of transitions into every class of states. Repeats this
/// until the classes are stable.
fn merge_equivalent_states(ways: &Transitions) -> Transitions {
    let sizes = ways.state_counts();
    let width = sizes.len();
    let mut classes: Vec<Vec<u32>> = sizes.iter().map(|&size| vec![0; size]).collect();
    let mut numbers = vec![1; width];
    loop {
        let before = numbers.clone();
        for square in (0..width).rev() {
            let after = &classes[(square + 1) % width];
            let mut seen: HashMap<Vec<u32>, u32> = HashMap::new();
            let class = |state: usize| {
                let of = |&target: &u32| if target == END_STATE { END_STATE } else { after[target as usize] };
                let mut future: Vec<u32> = ways.targets_from(square, state).iter().map(of).collect();
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
    merge_classes(ways, &classes, false)
}

/// Merges the states of each class into one state. `classes` holds the class of each state. If
/// `drops_end_class` is true, removes the states of the class [`END_STATE`].
fn merge_classes(ways: &Transitions, classes: &[Vec<u32>], drops_end_class: bool) -> Transitions {
    let width = classes.len();
    let mut merged = Transitions::default();
    for (square, of_square) in classes.iter().enumerate() {
        let (mut begins, mut targets) = (vec![0], Vec::new());
        let after = &classes[(square + 1) % width];
        for (state, &class) in of_square.iter().enumerate() {
            // The first state of a class represents it.
            if (drops_end_class && class == END_STATE) || (class as usize) + 1 < begins.len() {
                continue;
            }
            let of = |&target: &u32| match target {
                END_STATE => Some(END_STATE),
                target => {
                    Some(after[target as usize]).filter(|&class| !drops_end_class || class != END_STATE)
                }
            };
            targets.extend(ways.targets_from(square, state).iter().filter_map(of));
            begins.push(targets.len());
        }
        merged.offsets.push(begins);
        merged.targets.push(targets);
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::super::primes_descending;
    use super::*;
    use crate::board::Wrap;
    use crate::count::{Request, count};
    use crate::series::BoardLine;
    use crate::tour::Kind;

    #[test]
    fn terms_match_counts_of_single_boards() {
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
            let rules = SeriesRules { wrap, piece: piece.parse().unwrap() };
            for kind in [Kind::Closed, Kind::Paths] {
                let is_paths = kind == Kind::Paths;
                if is_paths && width > 4 {
                    continue;
                }
                let transfer =
                    TransferMatrix::new(&rules, width, is_paths, 1_000_000, &Control::new()).unwrap();
                let boards = BoardLine::with_varying_rows(1, longest, width).boards();
                let alone: Vec<BigUint> = boards
                    .map(|board| {
                        let request = Request::of_kind(rules.to_board(board), kind);
                        count(&request, &Control::new()).unwrap().counts.get(kind).unwrap().clone()
                    })
                    .collect();
                let exact: Vec<BigUint> = transfer.exact_terms().take(longest.into()).collect();
                assert_eq!(exact, alone, "{width} {wrap} {piece} {kind:?}");
                let modulus = primes_descending().next().unwrap();
                let residues: Vec<u64> = transfer.terms_modulo(modulus).take(longest.into()).collect();
                assert!(residues.iter().zip(&alone).all(|(a, b)| BigUint::from(*a) == b % modulus.prime()));
            }
        }
    }

    #[test]
    fn new_respects_state_limit_and_cancellation() {
        let transfer = |most| TransferMatrix::new(&SeriesRules::default(), 4, false, most, &Control::new());
        assert!(transfer(1_000_000).unwrap().state_count() < 40);
        assert!(transfer(10).is_none());
        let control = Control::new();
        control.cancel();
        assert!(TransferMatrix::new(&SeriesRules::default(), 4, false, 1_000_000, &control).is_none());
    }
}
