//! The transfer matrix of a strip, factored square by square, which gives the numbers of tours of
//! every length; and the states and transitions from which it is made. A line is a row of squares
//! across the strip.
//!
//! ```text
//! Strip -> states, transitions -> states that lead to an end -> equivalent states merged -> TransferMatrix
//! TransferMatrix -> terms modulo a prime, line by line; exact terms
//! ```
//!
//! # Transfer matrix
//!
//! The number of states before a line bounds the order of the recurrence. Two states are equivalent
//! if they have equally many transitions into every class of equivalent states. The coarsest such
//! partition is found by refinement (Paige and Tarjan, simplified).
//!
//! # States between two lines, and the transitions between them
//!
//! A state holds the mate of every square of the window, that is, the other end of the partial path
//! that ends there. The window consists of the lines that a move from the first of them can reach;
//! if paths are counted, the state also holds the mate of the apex. A line is processed square by
//! square; then the window advances by one line. States that are images of each other under a
//! symmetry of the strip are merged.
//!
//! ```text
//! start -> squares of a line -> window advanced -> states not seen before -> .. until there are no new ones
//! ```

use std::collections::HashMap;

use num_bigint::BigUint;
use rayon::prelude::*;

use super::modular_arithmetic::PrimeModulus;
use crate::board::{Rectangle, Wrap};
use crate::control::Control;
use crate::frontier::mate_array::{BARE, INNER, Mates, has_enough_neighbours, successors};
use crate::frontier::{LaterNeighbour, Step};
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

    /// Computes the numbers of all states after the next line of the strip from `layer`, the
    /// numbers before it. Returns the new numbers, and the number of tours that end with this line.
    /// `sum` adds up the numbers of the states at the given indices.
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

/// Target, in place of a state, of the transitions that complete a tour.
pub const END_STATE: u32 = u32::MAX;

/// Maximum number of slots of a state: the squares of the window, and the apex.
pub const MAX_SLOTS: usize = 64;

/// A strip of lines of equal width that extends without limit in one direction.
#[derive(Clone, Debug)]
pub struct Strip {
    width: usize,
    /// Number of lines of the window, that is, of the lines whose squares a state describes.
    window_lines: usize,
    steps: Vec<Step>,
    /// For each step: the slots of the later neighbours of its vertex; for each of these, the slots
    /// of its own unprocessed neighbours and of the apex. `None` is a square beyond the window,
    /// which has no edge yet.
    degree_checks: Vec<Vec<(u8, Vec<Option<u8>>)>>,
    /// Symmetries of the strip other than the identity, each as a list of the images of the
    /// columns.
    column_symmetries: Vec<Vec<usize>>,
    apex: Option<usize>,
}

impl Strip {
    /// Creates a strip whose lines have `width` squares, with the wrap and piece of `rules`. It is
    /// for paths if `has_apex` is true, otherwise for closed tours. Returns `None` if a state has
    /// more than [`MAX_SLOTS`] slots, or if the wrap joins more than the two sides of the strip.
    #[must_use]
    pub fn new(rules: &SeriesRules, width: u16, has_apex: bool) -> Option<Self> {
        let reach = rules.piece.steps().iter().map(|&(_, up)| up.unsigned_abs()).max()? as u16;
        let lines = usize::from(reach) + 1;
        let columns = usize::from(width);
        let slots = lines * columns;
        if slots + 1 > MAX_SLOTS || !matches!(rules.wrap, Wrap::None | Wrap::Cols) {
            return None;
        }
        let board = rules.to_board(Rectangle::new(2 * reach + 1, width).ok()?);
        let neighbours = |v: usize| board.graph().neighbours(v).iter().map(|&w| w as usize);
        let order: Vec<usize> = (0..columns).collect();
        let apex = has_apex.then_some(slots);
        let is_later = |v: usize, w: usize| w > v;
        let later = |v: usize| neighbours(v).filter(move |&w| is_later(v, w));
        let steps = order.iter().map(|&v| Step {
            vertex: v,
            slot: Some(v as u8),
            later_neighbours: later(v)
                .chain(apex)
                .map(|slot| LaterNeighbour { slot: slot as u8, is_first_touch: false, factor: 1 })
                .collect(),
            stays_on_frontier: false,
            compulsory_slot: None,
            occupied_slots: 0,
            mirror_image: None,
        });
        let steps: Vec<Step> = steps.collect();
        let in_window = |w: usize| (w < slots).then_some(w as u8);
        let watched = order.iter().map(|&v| {
            // Neighbours of `u` after step `v`. The lines beyond the window never fill up.
            let ahead = |u: usize| {
                neighbours(u).filter(move |&w| w > v).map(in_window).chain(apex.map(|a| Some(a as u8)))
            };
            later(v).map(|u| (u as u8, ahead(u).collect())).collect()
        });
        let watched = watched.collect();
        let turns = if rules.wrap == Wrap::Cols { columns } else { 1 };
        let images = (0..turns).flat_map(|turn| {
            let straight = (0..columns).map(move |c| (c + turn) % columns).collect();
            let back = (0..columns).map(move |c| (turn + columns - 1 - c) % columns).collect();
            [straight, back]
        });
        let images: Vec<Vec<usize>> = images.skip(1).collect();
        Some(Self {
            width: columns,
            window_lines: lines,
            steps,
            degree_checks: watched,
            column_symmetries: images,
            apex,
        })
    }

    /// Returns the number of slots of a state.
    fn slots(&self) -> usize {
        self.window_lines * self.width + usize::from(self.apex.is_some())
    }

    /// Returns, as bit masks, the sets of slots that may have both of their edges when a tour
    /// closes in this step. Such a set consists of the unprocessed squares of the line, possibly of
    /// further whole lines, and of the apex.
    fn closable_sets(&self, step: usize) -> Vec<u64> {
        // The last edge may lead to the last line of the window.
        let ends = (1..=self.window_lines).map(|lines| lines * self.width);
        let set = |end: usize| (step + 1..end).chain(self.apex).fold(0, |set, slot| set | 1 << slot);
        ends.map(set).collect()
    }

    /// Returns the lowest of the images of a state under the symmetries of the strip. The state is
    /// between two lines.
    fn canonical_state<const N: usize>(&self, state: Mates<N>) -> Mates<N> {
        let move_slot = |image: &[usize], slot: usize| {
            if Some(slot) == self.apex {
                slot
            } else {
                slot / self.width * self.width + image[slot % self.width]
            }
        };
        let mut least = state;
        for image in &self.column_symmetries {
            let mut moved = [BARE; N];
            for (slot, &mate) in state.iter().enumerate().take(self.slots()) {
                let to = move_slot(image, slot);
                moved[to] = if mate < INNER { move_slot(image, usize::from(mate)) as u8 } else { mate };
            }
            least = least.min(moved);
        }
        least
    }

    /// Returns the state after the window has advanced by one line, or `None` if the tour is
    /// complete.
    fn advance_window<const N: usize>(&self, state: &Mates<N>) -> Option<Mates<N>> {
        let mut next = [BARE; N];
        let (inner, width) = (self.window_lines * self.width, self.width);
        let moved = |mate: u8| match usize::from(mate) {
            at if mate >= INNER || Some(at) == self.apex => mate,
            at => (at - width) as u8,
        };
        for slot in width..inner {
            next[slot - width] = moved(state[slot]);
        }
        let mut is_done = next.iter().all(|&mate| mate == BARE);
        if let Some(apex) = self.apex {
            next[apex] = moved(state[apex]);
            is_done &= next[apex] == INNER;
        }
        (!is_done).then(|| self.canonical_state(next))
    }
}

/// The states before each square of a line, and the transitions between them.
#[derive(Clone, Debug, Default)]
pub struct Transitions {
    /// For each square of a line, and each state before the square: the start of the state's
    /// transitions in `targets`. The last entry is the end of the transitions.
    pub offsets: Vec<Vec<usize>>,
    /// For each square: the targets of the transitions, as indices of the states before the next
    /// square. After the last square they are states before the next line, or [`END_STATE`].
    pub targets: Vec<Vec<u32>>,
}

impl Transitions {
    /// Returns the number of states before each square of a line.
    pub fn state_counts(&self) -> Vec<usize> {
        self.offsets.iter().map(|begins| begins.len() - 1).collect()
    }

    /// Returns the targets of the transitions from the state `state` before the square `square`.
    pub fn targets_from(&self, square: usize, state: usize) -> &[u32] {
        &self.targets[square][self.offsets[square][state]..self.offsets[square][state + 1]]
    }
}

/// Computes all states that can be reached, and the transitions between them. The start is number 0
/// of the states before a line. Returns `None` if there are more than `max_states` states, or if
/// `should_continue` returns false.
pub fn explore_states(
    strip: &Strip,
    max_states: usize,
    should_continue: &dyn Fn() -> bool,
) -> Option<Transitions> {
    if strip.slots() <= 24 {
        explore_states_of_size::<24>(strip, max_states, should_continue)
    } else {
        explore_states_of_size::<MAX_SLOTS>(strip, max_states, should_continue)
    }
}

fn explore_states_of_size<const N: usize>(
    strip: &Strip,
    max_states: usize,
    should_continue: &dyn Fn() -> bool,
) -> Option<Transitions> {
    let width = strip.width;
    let mut numbers: Vec<HashMap<Mates<N>, u32>> = vec![HashMap::new(); width];
    // States whose transitions are not computed yet.
    let mut pending: Vec<Vec<Mates<N>>> = vec![Vec::new(); width];
    let mut transitions = Transitions { offsets: vec![vec![0]; width], targets: vec![Vec::new(); width] };
    pending[0].push([BARE; N]);
    numbers[0].insert([BARE; N], 0);
    let finished: Vec<Vec<u64>> = (0..width).map(|step| strip.closable_sets(step)).collect();
    while pending.iter().any(|states| !states.is_empty()) {
        for square in 0..width {
            for (number, state) in std::mem::take(&mut pending[square]).into_iter().enumerate() {
                if number % 1024 == 0 && !should_continue() {
                    return None;
                }
                let next_square = (square + 1) % width;
                let (targets, states, fresh) =
                    (&mut transitions.targets[square], &mut numbers[next_square], &mut pending[next_square]);
                successors(&finished[square], &strip.steps[square], &state, &mut |next, _| {
                    // A complete tour needs no check of neighbours; squares beyond the window stay bare.
                    let is_open = next.iter().any(|&mate| mate < INNER);
                    let enough = |(slot, neighbours): &(u8, Vec<Option<u8>>)| {
                        has_enough_neighbours(&next, *slot, neighbours)
                    };
                    if is_open && !strip.degree_checks[square].iter().all(enough) {
                        return;
                    }
                    let next = if next_square > 0 { Some(next) } else { strip.advance_window(&next) };
                    let Some(next) = next else {
                        targets.push(END_STATE);
                        return;
                    };
                    let number = states.len() as u32;
                    targets.push(*states.entry(next).or_insert_with(|| {
                        fresh.push(next);
                        number
                    }));
                });
                let end = transitions.targets[square].len();
                transitions.offsets[square].push(end);
            }
            if numbers.iter().map(HashMap::len).sum::<usize>() > max_states {
                return None;
            }
        }
    }
    Some(transitions)
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
                        let request = Request { kind: Some(kind), ..Request::new(rules.to_board(board)) };
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
