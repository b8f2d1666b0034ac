//! The states of a strip between two lines, and the transitions between them. A line is a row of
//! squares across the strip.
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

use crate::board::{Rectangle, Wrap};
use crate::frontier::mate_array::{BARE, INNER, Mates, has_enough_neighbours, successors};
use crate::frontier::{LaterNeighbour, Step};
use crate::series::SeriesRules;

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
        let steps = order.iter().map(|&v| {
            let later = later(v).chain(apex).map(|slot| LaterNeighbour {
                slot: slot as u8,
                is_first_touch: false,
                factor: 1,
            });
            Step::new(v, Some(v as u8), later.collect())
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
