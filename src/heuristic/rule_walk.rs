//! Walks by Warnsdorff's rule or one of its variants, on a board of any size.
//!
//! At each square the walker finds the free neighbours of least degree; a [`Rule`] chooses among
//! them. A walk that is stuck too early may take back a bounded number of moves, each time trying
//! the next best square. Time O(1) a move, memory O(squares).

use crate::board::{Leaper, Rectangle, Square};
use crate::random::Random;

use super::degree_grid::{DegreeGrid, Step, WalkRequest};
use super::rule::Rule;
use super::tie_break::TieBreaker;

/// A walker that makes any number of walks on one board.
#[derive(Clone, Debug)]
pub struct RuleWalker {
    grid: DegreeGrid,
    /// The grid in which no square is visited.
    initial_grid: DegreeGrid,
    path: Vec<usize>,
    /// For each square of the path, the bit set of the steps already tried from this square.
    tried: Vec<u8>,
}

/// The knight's steps as (down, right), clockwise from one down, two to the right.
pub const KNIGHT_STEPS_CLOCKWISE: [Step; 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

impl RuleWalker {
    /// Creates a walker for a board. `moves` is the order in which (down, right) steps are preferred.
    /// Default: `KNIGHT_STEPS_CLOCKWISE` for the knight, [`Leaper::steps`] for other leapers.
    #[must_use]
    pub fn new(board: &Rectangle, leaper: Leaper, moves: Option<&[Step]>) -> Self {
        let own: Vec<Step> = leaper.steps().iter().map(|&(right, up)| (-up, right)).collect();
        let moves = match moves {
            Some(moves) => moves,
            None if leaper == Leaper::KNIGHT => &KNIGHT_STEPS_CLOCKWISE,
            None => &own,
        };
        let grid = DegreeGrid::new(board, moves);
        Self { initial_grid: grid.clone(), grid, path: Vec::new(), tried: Vec::new() }
    }

    /// Walks once by `rule`. Returns true if the walk is a tour that meets the request `route`.
    /// [`RuleWalker::squares`] then returns the squares of the tour.
    pub fn walk(&mut self, rule: Rule, route: &WalkRequest, rng: &mut Random) -> bool {
        self.grid.clone_from(&self.initial_grid);
        self.path.clear();
        self.tried.clear();
        let start = self.grid.cell(route.start);
        let end = route.end.map(|end| self.grid.cell(end));
        let mut breaker = TieBreaker::new(rule, route, &self.grid, rng);
        let mut backtracks = route.max_backtracks;
        self.enter(start);
        loop {
            let at = self.path[self.path.len() - 1];
            if self.grid.free_squares() == 0 && self.fits_request(route, start, at, end) {
                return true;
            }
            let steps = self.untried_steps(at, end);
            if let Some(step) = breaker.choose(&self.grid, at, steps, rng) {
                self.tried[self.path.len() - 1] |= 1 << step;
                let to = self.grid.target(at, step);
                self.enter(to);
                continue;
            }
            if backtracks == 0 || self.path.len() == 1 {
                return false;
            }
            backtracks -= 1;
            self.grid.unvisit(at);
            self.path.pop();
            self.tried.pop();
        }
    }

    /// Returns the squares of the last walk.
    #[must_use]
    pub fn squares(&self) -> Vec<Square> {
        self.path.iter().map(|&cell| self.grid.square(cell)).collect()
    }

    fn enter(&mut self, cell: usize) {
        self.grid.visit(cell);
        self.path.push(cell);
        self.tried.push(0);
    }

    fn fits_request(&self, route: &WalkRequest, start: usize, at: usize, end: Option<usize>) -> bool {
        let joined = (0..self.grid.step_count()).any(|i| self.grid.target(at, i) == start);
        end.is_none_or(|end| end == at)
            && !(route.closed && (!joined || self.path.len() < 3))
            && !(route.open && joined && self.path.len() > 2)
    }

    /// Returns the bit set of the steps from the cell `at` to free squares that have not been tried yet.
    #[inline]
    fn untried_steps(&self, at: usize, end: Option<usize>) -> u8 {
        // The requested end is no candidate while other squares are free.
        let reserved = if self.grid.free_squares() > 1 { end } else { None };
        let tried = self.tried[self.path.len() - 1];
        let mut steps = 0u8;
        for i in 0..self.grid.step_count() {
            let to = self.grid.target(at, i);
            steps |= u8::from(self.grid.is_free(to) && Some(to) != reserved) << i;
        }
        steps & !tried
    }
}

#[cfg(test)]
mod tests {
    use super::super::degree_grid::Randomness;
    use super::*;
    use crate::board::Board;
    use crate::tour::{Tour, TourKind};

    fn walk_request(start: Square) -> WalkRequest {
        WalkRequest {
            start,
            end: None,
            closed: false,
            open: false,
            max_backtracks: 0,
            randomness: Randomness::None,
            attempt: 0,
        }
    }

    fn named(name: &str) -> Rule {
        name.parse().unwrap()
    }

    #[test]
    fn rules_give_different_tours_of_8x8() {
        let rectangle = Rectangle::new(8, 8).unwrap();
        let mut walker = RuleWalker::new(&rectangle, Leaper::KNIGHT, None);
        let mut tours = Vec::new();
        // On a board of this size, deeper levels of `pohl` choose like `pohl-3`.
        let is_deeper = |rule: &Rule| ["pohl-4", "pohl-5", "pohl-6"].contains(&rule.name);
        for rule in Rule::ALL.into_iter().filter(|rule| !is_deeper(rule)) {
            let found = (0..20).any(|turn| {
                let chance = if turn > 0 { Randomness::Ties } else { Randomness::None };
                let route =
                    WalkRequest { randomness: chance, attempt: turn, ..walk_request(Square::new(0, 7)) };
                walker.walk(rule, &route, &mut Random::new(turn))
            });
            assert!(found, "{rule}");
            let squares = walker.squares();
            let board = "8x8".parse().unwrap();
            assert!(Tour::from_squares(&board, squares.clone()).is_ok(), "{rule}");
            tours.push((rule, squares));
        }
        // `auto` walks like `warnsdorff-first`; the others differ.
        for (i, (rule, tour)) in tours.iter().enumerate().skip(1) {
            assert!(tours[1..i].iter().all(|(_, other)| other != tour), "{rule}");
        }
    }

    #[test]
    fn walk_with_backtracks_finds_fixed_end() {
        let board = Rectangle::new(5, 5).unwrap();
        let mut walker = RuleWalker::new(&board, Leaper::KNIGHT, None);
        let corner = Square::new(0, 0);
        let wanted =
            WalkRequest { end: Some(Square::new(2, 2)), max_backtracks: 10_000, ..walk_request(corner) };
        assert!(walker.walk(named("warnsdorff-first"), &wanted, &mut Random::new(0)));
        let tour = Tour::from_squares(&"5x5".parse().unwrap(), walker.squares()).unwrap();
        assert_eq!(tour.vertices()[24], 12);
        assert_eq!(tour.kind(), TourKind::Open);
    }

    #[test]
    fn walk_ends_at_once_if_leaper_exceeds_board() {
        let board = Rectangle::new(1, 3).unwrap();
        let mut walker = RuleWalker::new(&board, Leaper::new(7, 60_000).unwrap(), None);
        assert!(!walker.walk(Rule::WARNSDORFF, &walk_request(Square::new(0, 0)), &mut Random::new(0)));
        assert_eq!(walker.squares().len(), 1);
    }

    /// Walks by `w2` or `w+` straight from their definitions: with sets of squares, counted anew
    /// before each move.
    fn walk_by_definition(board: &Rectangle, leaper: Leaper, rule: Rule, start: Square) -> Vec<Square> {
        let moves: Vec<Step> = match leaper {
            Leaper::KNIGHT => KNIGHT_STEPS_CLOCKWISE.to_vec(),
            _ => leaper.steps().iter().map(|&(right, up)| (-up, right)).collect(),
        };
        let neighbours = |free: &[Square], at: Square| -> Vec<Square> {
            let place = |(down, right): Step| (i32::from(at.file()) + right, i32::from(at.rank()) - down);
            let there = |(file, rank): (i32, i32)| {
                let is = |s: &&Square| (i32::from(s.file()), i32::from(s.rank())) == (file, rank);
                free.iter().find(is).copied()
            };
            moves.iter().filter_map(|&step| there(place(step))).collect()
        };
        let outwards = |s: Square| {
            let from = |at: u16, len: u16| (2 * i64::from(at) + 1 - i64::from(len)).pow(2);
            from(s.file(), board.cols()) + from(s.rank(), board.rows())
        };
        let mut free: Vec<Square> = board.squares().filter(|&square| square != start).collect();
        let mut walk = vec![start];
        loop {
            let choices = neighbours(&free, walk[walk.len() - 1]);
            // The first of equal squares, in the order of steps.
            let next = choices.into_iter().min_by_key(|&to| {
                let remaining: Vec<Square> = free.iter().copied().filter(|&square| square != to).collect();
                let onward = neighbours(&remaining, to);
                let pairs: usize = onward.iter().map(|&mid| neighbours(&remaining, mid).len()).sum();
                match rule.name {
                    "w2" => (pairs, 0, 0),
                    _ => (onward.len(), pairs, -outwards(to)),
                }
            });
            let Some(next) = next else { return walk };
            free.retain(|&square| square != next);
            walk.push(next);
        }
    }

    #[test]
    fn w2_and_w_plus_agree_with_definition() {
        for (text, leaper) in [
            ("3x4", Leaper::KNIGHT),
            ("5x5", Leaper::KNIGHT),
            ("5x6", Leaper::KNIGHT),
            ("8x8", Leaper::KNIGHT),
            ("4x9", Leaper::KNIGHT),
            ("6x7", Leaper::new(1, 3).unwrap()),
            ("4x5", Leaper::new(0, 1).unwrap()),
        ] {
            let whole: Rectangle = text.parse().unwrap();
            let holes = whole.clone().without([Square::new(1, 1), Square::new(2, 0)]).unwrap();
            for board in [whole, holes] {
                let mut walker = RuleWalker::new(&board, leaper, None);
                for rule in ["w2", "w+"].map(named) {
                    for start in board.squares() {
                        walker.walk(rule, &walk_request(start), &mut Random::new(0));
                        assert_eq!(
                            walker.squares(),
                            walk_by_definition(&board, leaper, rule, start),
                            "{rule} {board}"
                        );
                    }
                }
            }
        }
    }

    /// Returns the greatest number of squares that `w2` visits when it continues a walk of
    /// `visited` squares from `at`, over all choices among tied squares.
    fn max_visited(neighbours: &[u32], at: usize, free: u32, visited: usize) -> usize {
        let squares = |set: u32| (0..neighbours.len()).filter(move |v| set >> v & 1 == 1);
        let pairs = |to: usize| {
            let remaining_bits = free & !(1 << to);
            squares(neighbours[to] & remaining_bits)
                .map(|mid| (neighbours[mid] & remaining_bits).count_ones())
                .sum::<u32>()
        };
        let choices = neighbours[at] & free;
        let Some(least) = squares(choices).map(pairs).min() else { return visited };
        let tied = squares(choices).filter(|&to| pairs(to) == least);
        tied.map(|to| max_visited(neighbours, to, free & !(1 << to), visited + 1)).max().unwrap_or(visited)
    }

    #[test]
    fn w2_finds_no_tour_of_5x5() {
        let board: Board = "5x5".parse().unwrap();
        let neighbours: Vec<u32> =
            (0..25).map(|v| (0..25).filter(|&w| board.is_move(v, w)).map(|w| 1 << w).sum()).collect();
        let most = (0..25).map(|v| max_visited(&neighbours, v, 0x1FF_FFFF & !(1 << v), 1)).max();
        assert_eq!(most, Some(24));
    }

    #[test]
    fn walk_is_reproducible_for_a_seed() {
        let board = Rectangle::new(8, 8).unwrap();
        let mut walker = RuleWalker::new(&board, Leaper::KNIGHT, None);
        for rule in Rule::ALL {
            let mut walks = |seed| -> Vec<Vec<Square>> {
                let mut rng = Random::new(seed);
                let route = WalkRequest {
                    randomness: Randomness::Ties,
                    attempt: 1,
                    ..walk_request(Square::new(3, 3))
                };
                (0..5).map(|_| (walker.walk(rule, &route, &mut rng), walker.squares()).1).collect()
            };
            assert_eq!(walks(7), walks(7), "{rule}");
        }
    }
}
