//! Numbers of tours that begin in a given way, for every path that may come next, down to a depth.
//!
//! ```text
//! beginning a1, depth 2      152 c2 -+-   8 e1      each number is the sum of the numbers
//!                    304 a1 -+       +-   8 e3      to its right
//!                            |       +- ...
//!                            +- 152 b3 - ...
//! ```
//!
//! The moves of a path are required moves of its count. A path that starts at the first square and
//! contains the moves has no choice but to make them in order. A closed tour contains them in one
//! direction only, so closed tours are counted without a start.
//!
//! Cost: one count for each path. Paths that begin no tour are not extended.

use num_bigint::BigUint;
use num_traits::Zero;

use super::error::TheoremViolation;
use super::request::Request;
use super::{BeginningError, CountError, count_with_memory};
use crate::board::{Board, RestrictionError, Vertex};
use crate::control::Control;
use crate::tour::{Kind, TourSpec};

/// The number of directed tours that begin with a path, and the same for the paths with one more square.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TourTree {
    /// Number of directed tours that begin with the path.
    pub tours: BigUint,
    /// Each square that a move joins to the last square of the path and that the path does not visit, in ascending
    /// order, with the tree of the path that visits it next. Their numbers add up to `tours`. Empty at the greatest
    /// depth, after the last square of a tour, and, beyond the beginning, if no tour begins with the path.
    pub next: Vec<(Vertex, TourTree)>,
}

impl TourTree {
    /// Maximum number of paths of a tree.
    pub const MAX_PATHS: usize = 1_000_000;

    /// Maximum depth of a tree.
    pub const MAX_DEPTH: usize = 100;

    /// Counts the directed tours of a kind that begin with the squares of `beginning`, and those that begin with
    /// each path of up to `depth` more squares. The required and forbidden moves of the board hold too. `memory`
    /// is the memory limit of sweeps in bytes.
    ///
    /// # Errors
    /// See [`CountError`]; [`CountError::Beginning`] if no tour can have this beginning, if the depth is not from 1
    /// to [`TourTree::MAX_DEPTH`], or if there are more than [`TourTree::MAX_PATHS`] paths.
    pub fn count(
        board: &Board,
        kind: Kind,
        beginning: &[Vertex],
        depth: usize,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<Self, CountError> {
        if !(1..=Self::MAX_DEPTH).contains(&depth) {
            return Err(BeginningError::Depth { depth, max_depth: Self::MAX_DEPTH }.into());
        }
        check_beginning(board, beginning)?;
        let counter = PathCounter { board, kind, memory, control };
        let mut path = beginning.to_vec();
        let paths = counter.count_paths(&mut path, depth);
        if paths > Self::MAX_PATHS {
            return Err(BeginningError::TooManyPaths { depth, max_paths: Self::MAX_PATHS }.into());
        }
        control.begin_rounds(paths);
        let next = counter.grow(&mut path, depth)?;
        Ok(Self { tours: sum(&next), next })
    }

    /// Returns the request for the number of all tours with a beginning.
    ///
    /// # Errors
    /// No tour can have this beginning.
    pub fn whole_request(board: &Board, kind: Kind, beginning: &[Vertex]) -> Result<Request, BeginningError> {
        check_beginning(board, beginning)?;
        Ok(request(with_beginning(board, beginning)?, kind, beginning))
    }

    /// Returns the requests for the numbers of tours with a beginning and one more square, for each such square.
    ///
    /// # Errors
    /// No tour can have this beginning.
    pub fn next_requests(
        board: &Board,
        kind: Kind,
        beginning: &[Vertex],
    ) -> Result<Vec<Request>, BeginningError> {
        check_beginning(board, beginning)?;
        let paths = next_squares(board, beginning).into_iter().map(|v| [beginning, &[v]].concat());
        Ok(paths.filter_map(|path| path_request(board, kind, &path)).collect())
    }
}

/// The counter of the tours with each path of a tree.
struct PathCounter<'a> {
    board: &'a Board,
    kind: Kind,
    memory: Option<u64>,
    control: &'a Control,
}

impl PathCounter<'_> {
    /// Returns the number of paths with up to `depth` more squares than `path`, or a number above
    /// [`TourTree::MAX_PATHS`] if there are more.
    fn count_paths(&self, path: &mut Vec<Vertex>, depth: usize) -> usize {
        let mut paths = 0;
        for v in next_squares(self.board, path) {
            if paths > TourTree::MAX_PATHS {
                break;
            }
            paths += 1;
            if depth > 1 {
                path.push(v);
                paths += self.count_paths(path, depth - 1);
                path.pop();
            }
        }
        paths
    }

    /// Returns the trees of the squares that may come after a path, down to a depth of at least 1.
    fn grow(&self, path: &mut Vec<Vertex>, depth: usize) -> Result<Vec<(Vertex, TourTree)>, CountError> {
        let squares = next_squares(self.board, path);
        let mut trees = Vec::with_capacity(squares.len());
        for v in squares {
            path.push(v);
            let tours = self.tours(path)?;
            self.control.finish_round();
            let mut next = Vec::new();
            if depth > 1 && tours.is_zero() {
                (0..self.count_paths(path, depth - 1)).for_each(|_| self.control.finish_round());
            } else if depth > 1 && path.len() < self.board.len() {
                next = self.grow(path, depth - 1)?;
                let parts = sum(&next);
                if parts != tours {
                    let names: Vec<String> = path.iter().map(|&v| self.board.name(v)).collect();
                    let names = names.join("-");
                    return Err(TheoremViolation::new(format!(
                        "{tours} tours begin with {names}, but their numbers by the next square add up to {parts}"
                    ))
                    .into());
                }
            }
            trees.push((v, TourTree { tours, next }));
            path.pop();
        }
        Ok(trees)
    }

    /// Counts the directed tours that begin with a path.
    fn tours(&self, path: &[Vertex]) -> Result<BigUint, CountError> {
        let Some(request) = path_request(self.board, self.kind, path) else { return Ok(BigUint::ZERO) };
        let counts = count_with_memory(&request, self.memory, &self.control.for_side_task())?.counts;
        Ok(counts.get(self.kind).expect("this kind was requested").clone())
    }
}

/// Returns the squares that may come after a path, in ascending order.
fn next_squares(board: &Board, path: &[Vertex]) -> Vec<Vertex> {
    let last = path[path.len() - 1] as usize;
    let neighbours = board.unrestricted().graph().neighbours(last);
    neighbours.iter().copied().filter(|v| !path.contains(v)).collect()
}

fn sum(trees: &[(Vertex, TourTree)]) -> BigUint {
    trees.iter().map(|(_, tree)| &tree.tours).sum()
}

/// Returns the request for the number of tours that begin with a path; `None` if the path contradicts the other
/// required and forbidden moves, so that there are none.
fn path_request(board: &Board, kind: Kind, path: &[Vertex]) -> Option<Request> {
    Some(request(with_beginning(board, path).ok()?, kind, path))
}

fn request(board: Board, kind: Kind, beginning: &[Vertex]) -> Request {
    let start = (kind != Kind::Closed).then_some(beginning[0]);
    TourSpec::new(board, kind, start, None).expect("a beginning has squares of the board").into()
}

/// Returns an error if no tour can have this beginning and another square after it.
fn check_beginning(board: &Board, beginning: &[Vertex]) -> Result<(), BeginningError> {
    if beginning.is_empty() {
        return Err(BeginningError::Empty);
    }
    if let Some((_, &v)) = beginning.iter().enumerate().find(|&(at, v)| beginning[..at].contains(v)) {
        return Err(BeginningError::Repeated(board.name(v)));
    }
    if beginning.len() == board.len() {
        return Err(BeginningError::Complete);
    }
    with_beginning(board, beginning)?;
    Ok(())
}

/// Returns the board on which the moves between successive `squares` are required too.
fn with_beginning(board: &Board, squares: &[Vertex]) -> Result<Board, RestrictionError> {
    let moves = squares.windows(2).map(|pair| (pair[0], pair[1]));
    let required = board.required_moves().iter().copied().chain(moves);
    board.with_restrictions(required, board.forbidden_moves().iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::list::ListOptions;
    use crate::search::tours;
    use crate::tour::TourSpec;

    /// Asserts that the numbers of a tree are those of the tours in `lists` that begin with `path`.
    fn assert_numbers(tree: &TourTree, lists: &[Vec<u32>], path: &mut Vec<u32>, depth: usize) {
        let found: Vec<Vec<u32>> = lists.iter().filter(|tour| tour.starts_with(path)).cloned().collect();
        assert_eq!(tree.tours, BigUint::from(found.len()), "{path:?}");
        let is_inner = depth > 0 && !found.is_empty() && found[0].len() > path.len();
        assert!(path.len() == 1 || is_inner != tree.next.is_empty(), "{path:?}");
        assert!(tree.next.is_empty() || sum(&tree.next) == tree.tours);
        for (v, below) in &tree.next {
            path.push(*v);
            assert_numbers(below, &found, path, depth - 1);
            path.pop();
        }
    }

    #[test]
    fn numbers_are_those_of_lists() {
        let restricted = "board=3x4 piece=1,2 remove=- require=a1-b3 forbid=c1-d3";
        for text in
            ["3x4", "board=3x3 piece=0,1+1,1 remove=-", restricted, "graph=C~", "graph=Bw", "graph=A_"]
        {
            let board: Board = text.parse().unwrap();
            for kind in Kind::ALL {
                let options = ListOptions { directed: true, ..ListOptions::default() };
                let all = tours(&TourSpec::all(board.clone(), kind), options, &Control::new()).unwrap();
                let mut lists: Vec<Vec<u32>> = all.map(|tour| tour.unwrap().into_vertices()).collect();
                if kind == Kind::Closed {
                    // A list has each closed tour once in each direction, from one square.
                    let turned = |tour: &Vec<u32>| {
                        let tour = tour.clone();
                        (0..tour.len()).map(move |turn| [&tour[turn..], &tour[..turn]].concat())
                    };
                    lists = lists.iter().flat_map(turned).collect();
                }
                for start in [0, board.len() as u32 - 1] {
                    for depth in [1, 3, board.len()] {
                        let tree = TourTree::count(&board, kind, &[start], depth, None, &Control::new());
                        assert_numbers(&tree.unwrap(), &lists, &mut vec![start], depth);
                    }
                }
            }
        }
    }

    #[test]
    fn rounds_end_with_the_last_path() {
        let (board, control): (Board, _) = ("3x4".parse().unwrap(), Control::new());
        TourTree::count(&board, Kind::Paths, &[0], 5, None, &control).unwrap();
        assert_eq!(control.progress().units_done, control.progress().units);
    }

    #[test]
    fn trees_with_too_many_paths_are_refused() {
        let board: Board = "8x8".parse().unwrap();
        let error = TourTree::count(&board, Kind::Paths, &[0], 40, None, &Control::new());
        let refusal = BeginningError::TooManyPaths { depth: 40, max_paths: TourTree::MAX_PATHS };
        assert_eq!(error, Err(CountError::Beginning(refusal)));
        for depth in [0, TourTree::MAX_DEPTH + 1] {
            let error = TourTree::count(&board, Kind::Paths, &[0], depth, None, &Control::new());
            assert!(matches!(error, Err(CountError::Beginning(BeginningError::Depth { .. }))));
        }
    }

    #[test]
    fn cancelled_tree_stops() {
        let control = Control::new();
        control.cancel();
        let board: Board = "6x6".parse().unwrap();
        let error = TourTree::count(&board, Kind::Paths, &[0], 3, None, &control);
        assert!(matches!(error, Err(CountError::Stopped(_))), "{error:?}");
    }
}
