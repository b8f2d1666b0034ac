//! One walk by Warnsdorff's rule on a board of any size.
//!
//! At each square the free neighbours of least degree are found; a [`Rule`]
//! chooses among them. A walk that is stuck too early may take back a bounded
//! number of moves, each time trying the next best square. Time O(1) a move,
//! memory O(squares).

use crate::board::{Board, Leaper, Square};
use crate::random::Random;

use super::field::{Field, Step};
use super::route::Route;
use super::rule::Rule;
use super::ties::Breaker;

/// Walks a board by a rule, again and again.
#[derive(Clone, Debug)]
pub struct Walker {
    field: Field,
    /// The field when nothing is visited.
    fresh: Field,
    path: Vec<usize>,
    /// For each square of the path, the moves already tried from it.
    tried: Vec<u8>,
}

/// The knight's moves as (down, right), clockwise from one down, two to the right.
pub const CLOCKWISE: [Step; 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

impl Walker {
    /// A walker for a board. `moves` is the order in which (down, right) steps are preferred; without it the
    /// knight's are `CLOCKWISE`, another leaper's as [`Leaper::steps`] has them.
    #[must_use]
    pub fn new(board: &Board, leaper: Leaper, moves: Option<&[Step]>) -> Self {
        let own: Vec<Step> = leaper.steps().iter().map(|&(right, up)| (-up, right)).collect();
        let moves = match moves {
            Some(moves) => moves,
            None if leaper == Leaper::KNIGHT => &CLOCKWISE,
            None => &own,
        };
        let field = Field::new(board, moves);
        Self { fresh: field.clone(), field, path: Vec::new(), tried: Vec::new() }
    }

    /// Walks; whether the walk is what the route asks for. See [`Walker::squares`] for the way.
    pub fn walk(&mut self, rule: Rule, route: &Route, rng: &mut Random) -> bool {
        self.field.clone_from(&self.fresh);
        self.path.clear();
        self.tried.clear();
        let start = self.field.cell(route.start);
        let end = route.end.map(|end| self.field.cell(end));
        let mut breaker = Breaker::new(rule, route, &self.field, rng);
        let mut backtracks = route.backtracks;
        self.enter(start);
        loop {
            let at = self.path[self.path.len() - 1];
            if self.field.free() == 0 && self.fits(route, start, at, end) {
                return true;
            }
            if let Some(step) = self.next(at, end, &mut breaker, rng) {
                self.tried[self.path.len() - 1] |= 1 << step;
                let to = self.field.to(at, step);
                self.enter(to);
                continue;
            }
            if backtracks == 0 || self.path.len() == 1 {
                return false;
            }
            backtracks -= 1;
            self.field.leave(at);
            self.path.pop();
            self.tried.pop();
        }
    }

    /// The squares of the last walk.
    #[must_use]
    pub fn squares(&self) -> Vec<Square> {
        self.path.iter().map(|&cell| self.field.square(cell)).collect()
    }

    fn enter(&mut self, cell: usize) {
        self.field.enter(cell);
        self.path.push(cell);
        self.tried.push(0);
    }

    fn fits(&self, route: &Route, start: usize, at: usize, end: Option<usize>) -> bool {
        let joined = (0..self.field.steps()).any(|i| self.field.to(at, i) == start);
        end.is_none_or(|end| end == at)
            && !(route.closed && (!joined || self.path.len() < 3))
            && !(route.apart && joined && self.path.len() > 2)
    }

    /// The next move by the rule, among those not tried.
    #[inline]
    fn next(&self, at: usize, end: Option<usize>, breaker: &mut Breaker, rng: &mut Random) -> Option<usize> {
        let tried = self.tried[self.path.len() - 1];
        // The kept end is no choice while other squares are free.
        let kept = if self.field.free() > 1 { end } else { None };
        let mut least = 127;
        let mut tied = 0u8;
        for i in 0..self.field.steps() {
            let to = self.field.to(at, i);
            let degree = self.field.degree(to);
            if degree > least || tried >> i & 1 == 1 || Some(to) == kept {
                continue;
            }
            if degree < least {
                (least, tied) = (degree, 0);
            }
            tied |= 1 << i;
        }
        match tied.count_ones() {
            0 => None,
            1 if !breaker.watches() => Some(tied.trailing_zeros() as usize),
            _ => Some(breaker.choose(&self.field, at, tied, rng)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::route::Chance;
    use crate::tour::{Tour, TourKind};

    fn route(start: Square) -> Route {
        Route {
            start,
            end: None,
            closed: false,
            apart: false,
            backtracks: 0,
            chance: Chance::Nothing,
            turn: 0,
        }
    }

    #[test]
    fn rules_give_different_tours_of_the_chessboard() {
        let board = Board::new(8, 8).unwrap();
        let mut walker = Walker::new(&board, Leaper::KNIGHT, None);
        let mut tours = Vec::new();
        for rule in Rule::ALL {
            let found = (0..20).any(|turn| {
                let chance = if turn > 0 { Chance::Ties } else { Chance::Nothing };
                let route = Route { chance, turn, ..route(Square::new(0, 7)) };
                walker.walk(rule, &route, &mut Random::new(turn))
            });
            assert!(found, "{rule}");
            let squares = walker.squares();
            let arena = "8x8".parse().unwrap();
            assert!(Tour::from_squares(&arena, squares.clone()).is_ok(), "{rule}");
            tours.push((rule, squares));
        }
        // `auto` walks like `warnsdorff-first`; the others differ.
        for (i, (rule, tour)) in tours.iter().enumerate().skip(1) {
            assert!(tours[1..i].iter().all(|(_, other)| other != tour), "{rule}");
        }
    }

    #[test]
    fn backtracking_finds_what_the_plain_rule_misses() {
        let board = Board::new(5, 5).unwrap();
        let mut walker = Walker::new(&board, Leaper::KNIGHT, None);
        let corner = Square::new(0, 0);
        let wanted = Route { end: Some(Square::new(2, 2)), backtracks: 10_000, ..route(corner) };
        assert!(walker.walk(Rule::First, &wanted, &mut Random::new(0)));
        let tour = Tour::from_squares(&"5x5".parse().unwrap(), walker.squares()).unwrap();
        assert_eq!(tour.vertices()[24], 12);
        assert_eq!(tour.kind(), TourKind::Open);
    }

    #[test]
    fn a_leaper_longer_than_the_board_stays_where_it_is() {
        let board = Board::new(1, 3).unwrap();
        let mut walker = Walker::new(&board, Leaper::new(7, 60_000).unwrap(), None);
        assert!(!walker.walk(Rule::Warnsdorff, &route(Square::new(0, 0)), &mut Random::new(0)));
        assert_eq!(walker.squares().len(), 1);
    }
}
