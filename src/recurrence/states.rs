//! States of a strip between two lines, and the transitions between them.
//!
//! A state holds the mate of every square of the window: the lines that a move from the first of them can
//! reach, and the apex if paths are counted. A line is processed square by square; then the window advances
//! by one line. States that are images of each other under a symmetry of the strip are merged.
//!
//! ```text
//! start -> squares of a line -> window advanced -> states not seen before -> .. until there are no new ones
//! ```

use std::collections::HashMap;

use crate::board::{Board, Wrap};
use crate::frontier::mates::{BARE, INNER, State, has_enough, successors};
use crate::frontier::{Later, Step};
use crate::series::Play;

/// Target of transitions that complete a tour, in place of a state.
pub const DONE: u32 = u32::MAX;

/// Maximum number of slots (squares and apex) of a state.
pub const MOST_SLOTS: usize = 64;

/// A strip of lines of fixed width that extends without limit in one direction.
#[derive(Clone, Debug)]
pub struct Strip {
    width: usize,
    /// Number of lines of the window.
    lines: usize,
    steps: Vec<Step>,
    /// For each step: the later neighbours of its vertex, each with the slots of its own neighbours that are
    /// not processed yet. `None` is a slot beyond the window, where every square is bare.
    watched: Vec<Vec<(u8, Vec<Option<u8>>)>>,
    /// Symmetries of the strip other than the identity, as images of the columns.
    images: Vec<Vec<usize>>,
    apex: Option<usize>,
}

impl Strip {
    /// Creates a strip with lines of `width` squares, joined to a cylinder or not, for paths (`has_apex`) or
    /// closed tours. `None` if the window has more than [`MAX_SLOTS`] slots, or if the wrap joins the ends of
    /// the strip.
    #[must_use]
    pub fn new(play: &Play, width: u16, has_apex: bool) -> Option<Self> {
        let reach = play.piece.steps().iter().map(|&(_, up)| up.unsigned_abs()).max()? as u16;
        let lines = usize::from(reach) + 1;
        let columns = usize::from(width);
        let slots = lines * columns;
        if slots + 1 > MOST_SLOTS || !matches!(play.wrap, Wrap::None | Wrap::Cols) {
            return None;
        }
        let arena = play.on(Board::new(2 * reach + 1, width).ok()?);
        let near = |v: usize| arena.graph().neighbours(v).iter().map(|&w| w as usize);
        let order: Vec<usize> = (0..columns).collect();
        let apex = has_apex.then_some(slots);
        let is_later = |v: usize, w: usize| w > v;
        let later = |v: usize| near(v).filter(move |&w| is_later(v, w));
        let steps = order.iter().map(|&v| Step {
            vertex: v,
            slot: Some(v as u8),
            later: later(v)
                .chain(apex)
                .map(|slot| Later { slot: slot as u8, fresh: false, factor: 1 })
                .collect(),
            stays: false,
            compulsory: None,
            occupied: 0,
            mirror: None,
        });
        let steps: Vec<Step> = steps.collect();
        let in_window = |w: usize| (w < slots).then_some(w as u8);
        let watched = order.iter().map(|&v| {
            // Neighbours of `u` after step `v`. The lines beyond the window never fill up.
            let ahead =
                |u: usize| near(u).filter(move |&w| w > v).map(in_window).chain(apex.map(|a| Some(a as u8)));
            later(v).map(|u| (u as u8, ahead(u).collect())).collect()
        });
        let watched = watched.collect();
        let turns = if play.wrap == Wrap::Cols { columns } else { 1 };
        let images = (0..turns).flat_map(|turn| {
            let straight = (0..columns).map(move |c| (c + turn) % columns).collect();
            let back = (0..columns).map(move |c| (turn + columns - 1 - c) % columns).collect();
            [straight, back]
        });
        let images: Vec<Vec<usize>> = images.skip(1).collect();
        Some(Self { width: columns, lines, steps, watched, images, apex })
    }

    /// Returns the number of slots of a state.
    fn slots(&self) -> usize {
        self.lines * self.width + usize::from(self.apex.is_some())
    }

    /// Returns, as bit masks, the possible sets of inner slots (slots with both of their edges) of a tour
    /// that closes in this step: the rest of the line, with or without further whole lines, and the apex.
    fn finished(&self, step: usize) -> Vec<u64> {
        // The last edge may lead to the last line of the window.
        let ends = (1..=self.lines).map(|lines| lines * self.width);
        let set = |end: usize| (step + 1..end).chain(self.apex).fold(0, |set, slot| set | 1 << slot);
        ends.map(set).collect()
    }

    /// Returns the lowest image of a state between two lines under the symmetries of the strip.
    fn canonical<const N: usize>(&self, state: State<N>) -> State<N> {
        let move_slot = |image: &[usize], slot: usize| {
            if Some(slot) == self.apex {
                slot
            } else {
                slot / self.width * self.width + image[slot % self.width]
            }
        };
        let mut least = state;
        for image in &self.images {
            let mut moved = [BARE; N];
            for (slot, &mate) in state.iter().enumerate().take(self.slots()) {
                let to = move_slot(image, slot);
                moved[to] = if mate < INNER { move_slot(image, usize::from(mate)) as u8 } else { mate };
            }
            least = least.min(moved);
        }
        least
    }

    /// Advances the window by one line; `None` if the tour is complete.
    fn moved_on<const N: usize>(&self, state: &State<N>) -> Option<State<N>> {
        let mut next = [BARE; N];
        let (inner, width) = (self.lines * self.width, self.width);
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
        (!is_done).then(|| self.canonical(next))
    }
}

/// The states before each square of a line, and the transitions between them.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// For each square of a line: the start of each state's transitions in `targets`, and one final entry.
    pub begins: Vec<Vec<usize>>,
    /// For each square: targets of the transitions, as numbers of states before the next square. After the
    /// last square they are states before the next line, or [`END_STATE`].
    pub targets: Vec<Vec<u32>>,
}

impl Ways {
    /// Returns the number of states before each square of a line.
    pub fn sizes(&self) -> Vec<usize> {
        self.begins.iter().map(|begins| begins.len() - 1).collect()
    }

    /// Returns the states that the transitions from one state lead to.
    pub fn of(&self, square: usize, state: usize) -> &[u32] {
        &self.targets[square][self.begins[square][state]..self.begins[square][state + 1]]
    }
}

/// Computes all reachable states; the start is number 0 of the states before a line. `None` if there are more
/// than `max_states`, or if `should_continue` returns false.
pub fn explore(strip: &Strip, most: usize, is_wanted: &dyn Fn() -> bool) -> Option<Ways> {
    if strip.slots() <= 24 {
        explored::<24>(strip, most, is_wanted)
    } else {
        explored::<MOST_SLOTS>(strip, most, is_wanted)
    }
}

fn explored<const N: usize>(strip: &Strip, most: usize, is_wanted: &dyn Fn() -> bool) -> Option<Ways> {
    let width = strip.width;
    let mut known: Vec<HashMap<State<N>, u32>> = vec![HashMap::new(); width];
    // States whose transitions are not computed yet.
    let mut fresh: Vec<Vec<State<N>>> = vec![Vec::new(); width];
    let mut ways = Ways { begins: vec![vec![0]; width], targets: vec![Vec::new(); width] };
    fresh[0].push([BARE; N]);
    known[0].insert([BARE; N], 0);
    let finished: Vec<Vec<u64>> = (0..width).map(|step| strip.finished(step)).collect();
    while fresh.iter().any(|states| !states.is_empty()) {
        for square in 0..width {
            for (number, state) in std::mem::take(&mut fresh[square]).into_iter().enumerate() {
                if number % 1024 == 0 && !is_wanted() {
                    return None;
                }
                let next_square = (square + 1) % width;
                let (targets, states, fresh) =
                    (&mut ways.targets[square], &mut known[next_square], &mut fresh[next_square]);
                successors(&finished[square], &strip.steps[square], &state, &mut |next, _| {
                    // A complete tour needs no check of neighbours; squares beyond the window stay bare.
                    let is_open = next.iter().any(|&mate| mate < INNER);
                    let enough = |(slot, near): &(u8, Vec<Option<u8>>)| has_enough(&next, *slot, near);
                    if is_open && !strip.watched[square].iter().all(enough) {
                        return;
                    }
                    let next = if next_square > 0 { Some(next) } else { strip.moved_on(&next) };
                    let Some(next) = next else {
                        targets.push(DONE);
                        return;
                    };
                    let number = states.len() as u32;
                    targets.push(*states.entry(next).or_insert_with(|| {
                        fresh.push(next);
                        number
                    }));
                });
                let end = ways.targets[square].len();
                ways.begins[square].push(end);
            }
            if known.iter().map(HashMap::len).sum::<usize>() > most {
                return None;
            }
        }
    }
    Some(ways)
}
