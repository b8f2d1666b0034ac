//! [`RestrictedBoard`]: a board with moves that every tour must contain, and moves that no tour may
//! contain.
//!
//! ```text
//! board=6x6 piece=1,2 remove=- require=a1-b3,b3-c5 forbid=e4-f6
//! ```
//!
//! The restrictions belong to the board, so that every engine, list, index, record and checkpoint
//! has them without a parameter of its own. The graph of a restricted board holds the moves that a
//! tour can use: it lacks the forbidden moves, and at a square with two required moves all others.
//! The symmetries are those of the board that preserve both sets of moves.
//!
//! Whether a path is re-entrant depends on the board without restrictions: the closing move of a
//! path is not one of its moves, so it may be forbidden. See [`Board::joins_ends`].

use super::board_kind::{BoardKind, LineScan};
use super::error::{BoardError, NameError, RestrictionError};
use super::graph::Move;
use super::layout::Layout;
use super::move_list::MovePaths;
use super::picture_positions::PicturePositions;
use super::piece::Piece;
use super::symmetry_group::{SymmetryGroup, image_of_move};
use super::text_form::KeyValues;
use super::{Board, CustomGraph, Graph, Vertex};

/// Keys of the required and the forbidden moves in the text form.
const KEYS: [&str; 2] = ["require", "forbid"];

/// Number of moves up to which a title lists the moves.
const MAX_TITLE_MOVES: usize = 3;

/// A board with required and forbidden moves.
#[derive(Clone, Debug)]
pub struct RestrictedBoard {
    base: Board,
    /// Sorted.
    required: Vec<Move>,
    /// Sorted.
    forbidden: Vec<Move>,
}

impl RestrictedBoard {
    /// Creates a board on which every tour contains the moves `required` and none of the moves
    /// `forbidden`. The direction and the order of the moves do not matter, and a repeated move counts
    /// once. The restrictions of `board` itself, if any, are replaced.
    ///
    /// # Errors
    /// See [`RestrictionError`].
    ///
    /// # Panics
    /// If an end of a move is not a vertex of the board.
    pub fn new(
        board: &Board,
        required: impl IntoIterator<Item = Move>,
        forbidden: impl IntoIterator<Item = Move>,
    ) -> Result<Self, RestrictionError> {
        let base = board.unrestricted();
        let restricted =
            Self { base: base.clone(), required: sorted(required), forbidden: sorted(forbidden) };
        let Self { required, forbidden, .. } = &restricted;
        let names = |&(v, w): &Move| (base.name(v), base.name(w));
        if let Some((v, w)) =
            required.iter().chain(forbidden).find(|&&(v, w)| v == w || !base.is_move(v, w)).map(names)
        {
            return Err(RestrictionError::NotAMove(v, w));
        }
        if let Some((v, w)) = required.iter().find(|one| forbidden.binary_search(one).is_ok()).map(names) {
            return Err(RestrictionError::RequiredAndForbidden(v, w));
        }
        let paths = MovePaths::new(base.len(), required);
        if let Some((v, &degree)) = (0..).zip(&paths.degrees).find(|&(_, &degree)| degree > 2) {
            return Err(RestrictionError::TooManyMoves(base.name(v), degree.into()));
        }
        match paths.cycles.as_slice() {
            // One cycle through all squares is a tour.
            [_] if required.len() == base.len() => Ok(restricted),
            [v, ..] => Err(RestrictionError::ShortCycle(base.name(*v))),
            [] => Ok(restricted),
        }
    }

    /// Returns the end of the title, such as ` with a1-b3 without 5 moves`.
    fn move_clause(&self) -> String {
        let list = |word: &str, moves: &[Move]| match moves.len() {
            0 => String::new(),
            1..=MAX_TITLE_MOVES => {
                let names: Vec<String> = moves.iter().map(|&one| self.base.move_name(one)).collect();
                format!(" {word} {}", names.join(","))
            }
            count => format!(" {word} {count} moves"),
        };
        list("with", &self.required) + &list("without", &self.forbidden)
    }

    /// Removes the words of the restrictions from the text form of a board and returns their values, the
    /// required moves first; `None` if there are no such words.
    ///
    /// # Errors
    /// One of the two words is missing.
    pub(super) fn take_words<'a>(words: &mut KeyValues<'a>) -> Result<Option<[&'a str; 2]>, BoardError> {
        match words.take_optional(KEYS[0]) {
            None => Ok(None),
            Some(required) => Ok(Some([required, words.take_required(KEYS[1])?])),
        }
    }

    /// Parses the values of the two words that [`RestrictedBoard::take_words`] returned.
    pub(super) fn parse(base: &Board, lists: [&str; 2]) -> Result<Self, BoardError> {
        let invalid = |text: &str| {
            BoardError::TextForm(format!(
                "`{text}` is not a move; write two vertices of the board such as a1-b3"
            ))
        };
        let vertex = |name: &str| match base.has_squares() {
            true => base.vertex(name).ok(),
            false => name.parse().ok().filter(|&v: &Vertex| (v as usize) < base.len()),
        };
        let parse_move = |text: &str| {
            let (v, w) = text.split_once('-').ok_or_else(|| invalid(text))?;
            Ok((vertex(v).ok_or_else(|| invalid(text))?, vertex(w).ok_or_else(|| invalid(text))?))
        };
        let parse_moves = |text: &str| match text {
            "-" => Ok(Vec::new()),
            _ => text.split(',').map(parse_move).collect::<Result<Vec<Move>, BoardError>>(),
        };
        Ok(Self::new(base, parse_moves(lists[0])?, parse_moves(lists[1])?)?)
    }
}

/// Returns the moves with the lower vertex first, sorted, without repetitions.
fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut moves: Vec<Move> = moves.into_iter().map(|(v, w)| (v.min(w), v.max(w))).collect();
    moves.sort_unstable();
    moves.dedup();
    moves
}

impl BoardKind for RestrictedBoard {
    fn text_form(&self) -> String {
        let vertex = |v: Vertex| if self.base.has_squares() { self.base.name(v) } else { v.to_string() };
        let list = |moves: &[Move]| match moves {
            [] => "-".to_owned(),
            _ => moves
                .iter()
                .map(|&(v, w)| format!("{}-{}", vertex(v), vertex(w)))
                .collect::<Vec<_>>()
                .join(","),
        };
        let [require, forbid] = KEYS;
        format!("{} {require}={} {forbid}={}", self.base, list(&self.required), list(&self.forbidden))
    }

    fn title(&self) -> String {
        self.base.title() + &self.move_clause()
    }

    fn vertex_count(&self) -> usize {
        self.base.len()
    }

    fn graph(&self) -> Graph {
        let degrees = MovePaths::new(self.base.len(), &self.required).degrees;
        let all = self.base.graph();
        let is_usable = |&(v, w): &Move| {
            let is_full = degrees[v as usize] == 2 || degrees[w as usize] == 2;
            self.required.binary_search(&(v, w)).is_ok()
                || (!is_full && self.forbidden.binary_search(&(v, w)).is_err())
        };
        let usable = all.edges().filter(is_usable);
        Graph::from_edges(all.len(), usable.map(|(v, w)| (v as usize, w as usize)))
    }

    fn symmetries(&self, _: &Graph) -> Option<SymmetryGroup> {
        let preserves = |image: &[Vertex], moves: &[Move]| {
            moves.iter().all(|&one| moves.binary_search(&image_of_move(one, image)).is_ok())
        };
        let group = self.base.has_known_symmetries().then(|| self.base.symmetries())?;
        Some(group.stabiliser(|image| preserves(image, &self.required) && preserves(image, &self.forbidden)))
    }

    fn name(&self, v: u32) -> String {
        self.base.name(v)
    }

    fn vertex(&self, name: &str) -> Result<u32, NameError> {
        self.base.vertex(name)
    }

    fn piece(&self) -> Option<Piece> {
        self.base.piece()
    }

    fn removed_names(&self) -> Vec<String> {
        self.base.removed_names()
    }

    fn line_scans(&self, _: Option<&Layout>) -> Vec<LineScan> {
        self.base.line_scans()
    }

    fn layout(&self) -> Option<Layout> {
        self.base.layout().cloned()
    }

    fn picture_positions(&self) -> Option<&PicturePositions> {
        self.base.picture_positions()
    }
}

/// Boards with and without restrictions.
impl Board {
    /// Returns this board with moves that every tour must contain, and moves that no tour may contain,
    /// instead of its present restrictions. Without any move, returns the board without restrictions.
    ///
    /// # Errors
    /// See [`RestrictionError`].
    ///
    /// # Panics
    /// If an end of a move is not a vertex of the board.
    pub fn with_restrictions(
        &self,
        required: impl IntoIterator<Item = Move>,
        forbidden: impl IntoIterator<Item = Move>,
    ) -> Result<Self, RestrictionError> {
        let restricted = RestrictedBoard::new(self, required, forbidden)?;
        let is_empty = restricted.required.is_empty() && restricted.forbidden.is_empty();
        Ok(if is_empty { restricted.base } else { Self::new(restricted) })
    }

    /// Returns the board without restrictions of the moves, or the board itself if it has none.
    #[must_use]
    pub fn unrestricted(&self) -> &Self {
        self.restricted_board().map_or(self, |restricted| &restricted.base)
    }

    /// Returns the words of the title that name the required and forbidden moves, such as ` with a1-b3`. Empty
    /// without restrictions.
    #[must_use]
    pub fn move_clause(&self) -> String {
        self.restricted_board().map(RestrictedBoard::move_clause).unwrap_or_default()
    }

    /// Returns the board without the positions of its vertices if it is a custom graph, otherwise the board itself.
    #[must_use]
    pub fn without_layout(&self) -> Self {
        let Some(graph) = self.unrestricted().kind().downcast_ref::<CustomGraph>() else {
            return self.clone();
        };
        let base = Self::new(graph.clone().without_layout());
        let moves = (self.required_moves().iter().copied(), self.forbidden_moves().iter().copied());
        base.with_restrictions(moves.0, moves.1).expect("the graph has the same moves")
    }

    /// Returns true if moves of the board are required or forbidden.
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        self.restricted_board().is_some()
    }

    /// Returns the moves that every tour must contain, in ascending order; usually none.
    #[must_use]
    pub fn required_moves(&self) -> &[Move] {
        self.restricted_board().map_or(&[], |restricted| &restricted.required)
    }

    /// Returns the moves that no tour may contain, in ascending order; usually none.
    #[must_use]
    pub fn forbidden_moves(&self) -> &[Move] {
        self.restricted_board().map_or(&[], |restricted| &restricted.forbidden)
    }

    fn restricted_board(&self) -> Option<&RestrictedBoard> {
        self.kind().downcast_ref()
    }

    /// Returns true if a path from `v` to `w` is re-entrant, because a move joins its ends. The move may
    /// be forbidden, as it is not a move of the path. False on a board of fewer than three vertices.
    ///
    /// # Panics
    /// If `v` or `w` is not a vertex.
    #[must_use]
    pub fn joins_ends(&self, v: u32, w: u32) -> bool {
        self.len() > 2 && self.unrestricted().is_move(v, w)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restricted(
        board: &str,
        required: &[(&str, &str)],
        forbidden: &[(&str, &str)],
    ) -> Result<Board, RestrictionError> {
        let board: Board = board.parse().unwrap();
        let moves = |names: &[(&str, &str)]| {
            names
                .iter()
                .map(|(v, w)| (board.vertex(v).unwrap(), board.vertex(w).unwrap()))
                .collect::<Vec<_>>()
        };
        board.with_restrictions(moves(required), moves(forbidden))
    }

    #[test]
    fn text_form_round_trips() {
        let board = restricted("5x6", &[("c5", "b3"), ("a1", "b3"), ("b3", "a1")], &[("e4", "f2")]).unwrap();
        assert_eq!(board.to_string(), "board=5x6 piece=1,2 remove=- require=a1-b3,b3-c5 forbid=f2-e4");
        assert_eq!(board.to_string().parse::<Board>().unwrap(), board);
        assert_eq!(board.title(), "5x6 with a1-b3,b3-c5 without f2-e4");
        assert_eq!(board.unrestricted().to_string(), "board=5x6 piece=1,2 remove=-");
        let ring = Board::from_graph(Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5))));
        let ring = ring.with_restrictions([(0, 1)], []).unwrap();
        assert!(ring.to_string().ends_with(" require=0-1 forbid=-"), "{ring}");
        assert_eq!(ring.to_string().parse::<Board>().unwrap(), ring);
        assert_eq!(ring.symmetries().order(), 2);
        let placed: Board = "graph=DqK layout=2x3:a1,b1,c1,a2,c2 require=0-2 forbid=-".parse().unwrap();
        assert_eq!(placed.without_layout().to_string(), "graph=DqK require=0-2 forbid=-");
        assert_eq!(board.without_layout(), board);
        assert_eq!(
            (board.move_clause(), ring.move_clause()),
            (" with a1-b3,b3-c5 without f2-e4".into(), " with 1-2".into())
        );
        for bad in
            ["require=a1-b3", "require=a1 forbid=-", "require=a1-z9 forbid=-", "require=a1-a2 forbid=-"]
        {
            assert!(format!("board=5x6 piece=1,2 remove=- {bad}").parse::<Board>().is_err(), "{bad}");
        }
    }

    #[test]
    fn graph_holds_usable_moves_only() {
        let board = restricted("5x6", &[("a1", "b3"), ("b3", "c5")], &[("e4", "f2")]).unwrap();
        let vertex = |name: &str| board.vertex(name).unwrap();
        assert_eq!(board.graph().degree(vertex("b3") as usize), 2);
        assert!(!board.is_move(vertex("e4"), vertex("f2")) && board.joins_ends(vertex("e4"), vertex("f2")));
        assert_eq!(board.graph().edge_count(), board.unrestricted().graph().edge_count() - 1 - 4);
        assert!(board.leaper_board().is_none() && board.unrestricted().leaper_board().is_some());
    }

    #[test]
    fn symmetries_preserve_restrictions() {
        let order = |required: &[(&str, &str)], forbidden: &[(&str, &str)]| {
            restricted("6x6", required, forbidden).unwrap().symmetries().order()
        };
        assert_eq!(order(&[], &[("a1", "b3")]), 1);
        assert_eq!(order(&[("a1", "b3"), ("a1", "c2")], &[]), 2);
        assert_eq!(order(&[("a1", "b3")], &[("f6", "e4")]), 1);
        assert_eq!(order(&[], &[("f6", "e4"), ("a1", "b3")]), 2);
    }

    #[test]
    fn impossible_restrictions_are_refused() {
        let error = |required: &[(&str, &str)], forbidden: &[(&str, &str)]| {
            restricted("6x6", required, forbidden).unwrap_err().to_string()
        };
        assert_eq!(error(&[("a1", "b2")], &[]), "no move joins a1 and b2");
        assert_eq!(error(&[("b3", "a1")], &[("a1", "b3")]), "the move a1-b3 is both required and forbidden");
        let three = [("c3", "a2"), ("c3", "b1"), ("c3", "d1")];
        assert_eq!(error(&three, &[]), "square c3 has 3 required moves; a tour has two moves at a square");
        let square = [("a1", "b3"), ("b3", "d4"), ("d4", "c2"), ("c2", "a1")];
        assert!(error(&square, &[]).contains("form a cycle"));
        let ring = Board::from_graph(Graph::from_edges(5, (0..5).map(|v| (v, (v + 1) % 5))));
        assert!(ring.with_restrictions((0..5).map(|v| (v, (v + 1) % 5)), []).is_ok(), "a whole tour");
        let prism = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)];
        let triangles = prism[..6].iter().map(|&(v, w)| (v as u32, w as u32));
        let prism = Board::from_graph(Graph::from_edges(6, prism));
        assert!(prism.with_restrictions(triangles, []).is_err(), "two cycles");
    }
}
