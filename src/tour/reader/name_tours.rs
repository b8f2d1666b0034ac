//! Tours by names, on one line or on several.
//!
//! ```text
//! a3      1. a3      1. a3 c2     a3-c2     a3 c2 a1
//! c2      2. c2      2. a1 b3     c2-a1     b3 d2 b1
//! a1      3. a1      3. d2 b1     a1-b3     c3 d1 b2
//! ```
//!
//! If a line fails as a tour only because squares are missing, the lines below continue it: until all squares
//! are present, the next line repeats one, or another kind of line follows. A line that begins where the
//! previous one ended is a move. If the last move leads back to the first square, or that square is repeated
//! at the end, the tour is closed. A repeat before all squares are present is an error with its line. The lines of a
//! damaged tour end where the next tour begins (see `resume_points`).

use std::collections::{HashMap, HashSet};

use super::names::NameLine;
use super::read_context::ReadContext;
use super::resume_points::SquareRun;
use super::steps::{MoveNumber, check_move_numbers, order_by_steps, split_last_number};
use crate::board::{Board, Square};
use crate::tour::read_error::{ReadError, ReadErrorKind};
use crate::tour::{Tour, TourErrorKind, TourKind};

/// Largest number of squares of a line whose error is that of the joined lines.
const MAX_SHORT_LINE_SQUARES: usize = 2;

/// A function that returns the line `ahead` lines behind the first one, with its number; `None` if it is no line of
/// names.
pub(super) type NameLines<'a> = dyn FnMut(usize) -> Option<(u64, NameLine)> + 'a;

/// A tour by names.
#[derive(Debug)]
pub(super) struct NameTour {
    pub(super) tour: Tour,
    /// Skipped words with their lines.
    pub(super) skipped: Vec<(u64, String)>,
    /// True if numbers count the squares and do not begin with 0 or 1.
    pub(super) has_later_numbers: bool,
}

/// Names of one or more lines.
#[derive(Clone, Debug, Default)]
struct JoinedNames {
    /// Number of the first line, which may have no name: `1.` is only a number.
    first_line: u64,
    names: Vec<String>,
    /// Line number of each name.
    lines: Vec<u64>,
    numbers: Vec<MoveNumber>,
    skipped: Vec<(u64, String)>,
    /// The first word that may be a damaged name, the number of names before it, and its line.
    damaged: Option<(usize, String, u64)>,
    /// Kind of the tour, if the lines give it.
    kind: Option<TourKind>,
}

impl JoinedNames {
    /// Adds the names of a line.
    fn add(&mut self, line: u64, names: NameLine) {
        let before = self.names.len();
        self.numbers.extend(
            names
                .numbers
                .iter()
                .map(|number| MoveNumber { squares_before: number.squares_before + before, ..*number }),
        );
        if let (None, Some((at, word))) = (&self.damaged, names.damaged) {
            self.damaged = Some((at + before, word, line));
        }
        if !names.skipped.is_empty() {
            self.skipped.push((line, names.skipped.join(" ")));
        }
        self.lines.extend(names.names.iter().map(|_| line));
        self.names.extend(names.names);
    }

    /// Returns the tour, or its error and the line of the error.
    fn to_tour(&self, known: &ReadContext) -> Result<Tour, ReadError> {
        let found = self.check_names(known);
        match &self.damaged {
            None => found,
            // A fault before the damaged name comes first.
            Some((at, ..)) if matches!(&found, Err(error) if error.kind.position().is_some_and(|p| p < *at)) => {
                found
            }
            Some((_, word, line)) => Err(ReadError { line: *line, kind: unknown_name(known, word) }),
        }
    }

    fn check_names(&self, known: &ReadContext) -> Result<Tour, ReadError> {
        // `NA1 NB3`: every tour has a square whose file does not begin with `N`.
        let is_graph = known.board().is_some_and(|board| !board.has_squares());
        let is_piece = |name: &String| {
            name.strip_prefix('N').is_some_and(|square| square.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        if !is_graph && !self.names.is_empty() && self.names.iter().all(is_piece) {
            let names = self.names.iter().map(|name| name[1..].to_owned()).collect();
            return JoinedNames { names, ..self.clone() }.check_names(known);
        }
        let found = known.tour_by_names(&self.names, self.kind);
        let found = match &found {
            Err(kind) if self.repeats_first(kind) => {
                let closed = known.tour_by_names(&self.names[..self.names.len() - 1], Some(TourKind::Closed));
                closed.or(found)
            }
            _ => found,
        };
        found.map_err(|kind| {
            let position = kind.position().unwrap_or(0);
            ReadError { line: self.lines.get(position).copied().unwrap_or(self.first_line), kind }
        })
    }

    /// Returns true if the only fault is that the last name repeats the first one.
    fn repeats_first(&self, kind: &ReadErrorKind) -> bool {
        let Some(&TourErrorKind::Repeated { position, first_position: 1, .. }) = kind.tour_fault() else {
            return false;
        };
        position == self.names.len() && position > MAX_SHORT_LINE_SQUARES + 1
    }
}

/// Returns the error of a word that is no name.
fn unknown_name(known: &ReadContext, word: &str) -> ReadErrorKind {
    match known.tour_by_names(&[word.to_owned()], None) {
        Err(
            kind
            @ (ReadErrorKind::SquareName(_) | ReadErrorKind::VertexName(_) | ReadErrorKind::BoxSquare(_)),
        ) => kind,
        _ => ReadErrorKind::UnrecognisedLine(word.to_owned()),
    }
}

/// Reads a tour from the first line on. Returns the number of lines that belong to it, and the tour or its
/// fault. Lines with a number before each square or move are read in the order of the numbers, lines with a move each also
/// in the order of a chain.
pub(super) fn read_name_tour(
    lines: &mut NameLines<'_>,
    known: &ReadContext,
) -> (usize, Result<NameTour, ReadError>) {
    let is_graph = known.board().is_some_and(|board| !board.has_squares());
    let by_numbers =
        if is_graph { None } else { sort_numbered_lines(lines).or_else(|| sort_numbered_names(lines)) };
    let is_numbered = by_numbers.is_some();
    let sorted = by_numbers.or_else(|| if is_graph { None } else { sort_moves(lines) });
    if let Some(sorted) = sorted {
        let (_, in_order) = read_lines_in_order(&mut |at| sorted.get(at).and_then(|_| lines(at)), known);
        // Numbers that contradict a tour in the order of the lines are a fault.
        let is_tour =
            matches!(&in_order, Ok(_) | Err(ReadError { kind: ReadErrorKind::MoveNumber { .. }, .. }));
        let (length, tour) = read_lines_in_order(&mut |at| sorted.get(at).cloned(), known);
        let is_found = if tour.is_ok() { length == sorted.len() } else { is_numbered };
        if is_found && !is_tour {
            return (sorted.len(), tour);
        }
    }
    read_lines_in_order(lines, known)
}

/// Returns the lines of a tour in the order of the numbers before their squares or moves; `None` if they are in order,
/// or the numbers do not count from 0 or 1.
fn sort_numbered_lines(lines: &mut NameLines<'_>) -> Option<Vec<(u64, NameLine)>> {
    let (mut rows, mut steps): (Vec<(u64, NameLine)>, Vec<Option<u64>>) = (Vec::new(), Vec::new());
    let mut numbers: HashSet<u64> = HashSet::new();
    // A number behind its square, `a1 3`, is that of the square if all lines are alike.
    let place = lines(0)?.1.numbers.first().map_or(0, |number| number.squares_before);
    while let Some((line, names)) = lines(rows.len()).filter(|_| rows.len() < 1 << 16) {
        let number = match names.numbers[..] {
            [MoveNumber { number, squares_before, .. }]
                if squares_before == place && names.damaged.is_none() =>
            {
                number
            }
            _ if place > 0 => return None,
            _ => break,
        };
        let count = rows.first().map_or(names.names.len(), |(_, first)| first.names.len());
        let fits = names.names.len() == count && (1..=MAX_SHORT_LINE_SQUARES).contains(&count);
        if !fits || place > 0 && count > 1 || !numbers.insert(number) {
            if place > 0 {
                return None;
            }
            break;
        }
        steps.push(Some(number));
        rows.push((line, names));
    }
    let order = order_by_steps(&steps, false).pop()?.ok()?;
    (!order.is_sorted()).then(|| order.into_iter().map(|at| rows[at].clone()).collect())
}

/// Returns the first line in the order of the numbers behind its squares, `a1: 3, b1: 12`; `None` if they are in order,
/// or do not count from 0 or 1.
fn sort_numbered_names(lines: &mut NameLines<'_>) -> Option<Vec<(u64, NameLine)>> {
    let (line, names) = lines(0)?;
    let counts = |(at, number): (usize, &MoveNumber)| number.squares_before == at + 1;
    let is_numbered =
        names.numbers.len() == names.names.len() && names.numbers.iter().enumerate().all(counts);
    if names.names.len() <= MAX_SHORT_LINE_SQUARES || !is_numbered || names.damaged.is_some() {
        return None;
    }
    let steps: Vec<Option<u64>> = names.numbers.iter().map(|number| Some(number.number)).collect();
    let order = order_by_steps(&steps, false).pop()?.ok()?;
    let sorted = order.iter().map(|&at| names.names[at].clone()).collect();
    (!order.is_sorted()).then(|| vec![(line, NameLine { names: sorted, numbers: Vec::new(), ..names })])
}

/// Returns the lines of a tour, each with one move, so that each move begins where the one before it ends; `None` if they
/// are in order, or are not such a chain. Every square has at most one move from it and one to it, so the order is unique.
/// A closed tour begins with the first line.
fn sort_moves(lines: &mut NameLines<'_>) -> Option<Vec<(u64, NameLine)>> {
    let mut rows: Vec<(u64, NameLine)> = Vec::new();
    let (mut starts, mut ends) = (HashMap::new(), HashSet::new());
    while let Some((line, names)) = lines(rows.len()).filter(|_| rows.len() < 1 << 16) {
        let [from, to] = names.names.as_slice() else { break };
        let [from, to] = [from, to].map(|name| name.to_ascii_lowercase());
        if names.damaged.is_some()
            || !names.numbers.is_empty()
            || starts.contains_key(&from)
            || !ends.insert(to)
        {
            break;
        }
        starts.insert(from, rows.len());
        rows.push((line, names));
    }
    let key = |at: usize, end: usize| rows[at].1.names[end].to_ascii_lowercase();
    let first = (0..rows.len()).find(|&at| !ends.contains(&key(at, 0))).unwrap_or(0);
    let next = |&at: &usize| starts.get(&key(at, 1)).copied().filter(|&next| next != first);
    let order: Vec<usize> = std::iter::successors(Some(first), next).take(rows.len()).collect();
    let is_chain = rows.len() > 1 && order.len() == rows.len() && !order.is_sorted();
    is_chain.then(|| order.into_iter().map(|at| rows[at].clone()).collect())
}

/// Reads a tour from the first line on, in the order of the lines.
fn read_lines_in_order(
    lines: &mut NameLines<'_>,
    known: &ReadContext,
) -> (usize, Result<NameTour, ReadError>) {
    let Some((first_line, mut first)) = lines(0) else {
        let error = ReadError { line: 0, kind: ReadErrorKind::UnrecognisedLine(String::new()) };
        return (1, Err(error));
    };
    first.join_moves();
    let count = first.names.len();
    let mut one = JoinedNames { first_line, ..JoinedNames::default() };
    one.add(first_line, first);
    let found = one.to_tour(known);
    let is_graph = known.board().is_some_and(|board| !board.has_squares());
    let finish = |all: &JoinedNames, tour: Tour| {
        // Names of a graph may be numbers.
        let (numbers, last) = split_last_number(&all.numbers, all.names.len());
        let checked = if is_graph { Ok(()) } else { check_move_numbers(numbers) };
        let checked = checked.map_err(|kind| ReadError { line: first_line, kind });
        let mut skipped = all.skipped.clone();
        // The number of squares or moves behind the tour.
        if let Some(number) = last.filter(|_| !is_graph) {
            let line = all.lines.last().copied().unwrap_or(first_line);
            let length = all.names.len() as u64;
            if !(length - 1..=length).contains(&number.number) {
                let kind = ReadErrorKind::MoveNumber { number: number.number, square: all.names.len() + 1 };
                return Err(ReadError { line, kind });
            }
            skipped.push((line, number.number.to_string()));
        }
        let has_later_numbers =
            !is_graph && numbers.first().is_some_and(|first| first.squares_before == 0 && first.number > 1);
        checked.map(|()| NameTour { tour, skipped, has_later_numbers })
    };
    let continues = match &found {
        Ok(tour) => tour.vertices().len() == 1 && known.board().is_none(),
        Err(error) => one.damaged.is_none() && error.kind.is_incomplete(),
    };
    let is_short = count <= MAX_SHORT_LINE_SQUARES;
    if !continues {
        let length = match &found {
            Ok(_) => 1,
            Err(_) if is_short || continues_below(lines, &one) => damaged_length(lines, known, is_short),
            Err(_) => line_length(lines),
        };
        return (length, found.and_then(|tour| finish(&one, tour)));
    }
    let (mut all, repeat, joined) = join_lines(lines, known, one.clone());
    if all.names.len() == count && (!is_short || repeat.is_none()) {
        // Lines of numbers without squares are one fault.
        if count == 0 {
            let text = one.numbers.first().map_or(String::new(), |number| number.number.to_string());
            let kind = ReadErrorKind::UnrecognisedLine(text);
            return (joined, Err(ReadError { line: first_line, kind }));
        }
        let length = if found.is_err() && !is_short { line_length(lines) } else { 1 };
        return (length, found.and_then(|tour| finish(&one, tour)));
    }
    match (all.to_tour(known), repeat) {
        // One square on each line, and a repeat of it.
        (Ok(_), Some((line, names))) if all.names.len() == 1 => {
            all.add(line, names);
            (run_length(lines), all.to_tour(known).and_then(|tour| finish(&all, tour)))
        }
        (Ok(tour), _) => (joined, finish(&all, tour)),
        (Err(error), repeat) => {
            let length =
                damaged_length(lines, known, is_short).max(if repeat.is_none() { joined } else { 1 });
            match repeat.filter(|_| error.kind.is_incomplete() && length != joined) {
                // The repeat is not the start of another tour.
                Some((line, names)) => {
                    all.add(line, names);
                    (length, all.to_tour(known).and_then(|tour| finish(&all, tour)))
                }
                None => (length, Err(error)),
            }
        }
    }
}

/// Returns true if the line below a damaged one has other squares, so that both are of one tour.
fn continues_below(lines: &mut NameLines<'_>, one: &JoinedNames) -> bool {
    let squares: HashSet<String> = one.names.iter().map(|name| name.to_ascii_lowercase()).collect();
    lines(1).is_some_and(|(_, line)| {
        line.names.len() > 1 && !line.names.iter().any(|name| squares.contains(&name.to_ascii_lowercase()))
    })
}

/// Returns the number of lines of a damaged tour on one line: with the line below it if that holds the last square.
fn line_length(lines: &mut NameLines<'_>) -> usize {
    let mut is_single = |at| lines(at).is_some_and(|(_, line)| line.names.len() == 1);
    if is_single(1) && !is_single(2) { 2 } else { 1 }
}

/// Returns the number of lines of a damaged tour on several lines: up to the next tour if it is found, else all
/// consecutive lines of names.
fn damaged_length(lines: &mut NameLines<'_>, known: &ReadContext, is_short: bool) -> usize {
    let all = if is_short {
        run_length(lines)
    } else {
        (1..1 << 16).find(|&at| lines(at).is_none()).unwrap_or(1 << 16)
    };
    let mut line_names = |at| {
        let (_, mut line) = lines(at)?;
        line.join_moves();
        Some((line.names, line.damaged.is_some()))
    };
    let board = match known.board() {
        Some(board) => board.clone(),
        None if known.is_mixed() => return all,
        None => {
            let names: Vec<String> =
                (0..all).filter_map(&mut line_names).flat_map(|(names, _)| names).collect();
            let squares: Vec<Square> =
                names.iter().filter_map(|name| name.to_ascii_lowercase().parse().ok()).collect();
            let rows = squares.iter().map(|square| usize::from(square.rank()) + 1).max().unwrap_or(0);
            let cols = squares.iter().map(|square| usize::from(square.file()) + 1).max().unwrap_or(0);
            // A second tour follows only if the squares are enough for two.
            match known.smallest_board(&squares) {
                Ok(board) if rows * cols < squares.len() => board,
                _ => return all,
            }
        }
    };
    let vertex = |name: &str| {
        let found = board.vertex(name).or_else(|_| board.vertex(&name.to_ascii_lowercase()));
        found.ok()
    };
    let mut run = SquareRun { squares: Vec::new(), begins: Vec::new(), size: board.len() };
    let mut places: Vec<usize> = Vec::new();
    for at in 0..all {
        // The squares of the damaged tour and of the next one.
        if run.squares.len() > 2 * run.size + 4 {
            break;
        }
        let Some((names, is_damaged)) = line_names(at) else { break };
        let mut squares: Vec<Option<u32>> = names.iter().map(|name| vertex(name)).collect();
        let is_link = squares.len() == 2 && squares[0].is_some() && run.squares.last() == squares.first();
        squares.extend(is_damaged.then_some(None));
        for (place, square) in squares.into_iter().enumerate().skip(usize::from(is_link)) {
            run.squares.push(square);
            run.begins.push(place == 0);
            places.push(at);
        }
    }
    let next = run.find_next_tour(|v, w| board.is_move(v, w));
    // Without a tour, the lines of another damaged tour may follow.
    let is_next = |at: &usize| {
        known.board().is_some() && run.squares.len() + 1 >= 2 * at && run.begins.get(*at) == Some(&true)
    };
    let next = next.or_else(|| Some(run.size).filter(is_next));
    next.and_then(|at| places.get(at)).map_or(all, |&line| line.max(1))
}

/// Returns the number of consecutive lines of names, at most 2^16: the lines of one damaged tour.
fn run_length(lines: &mut NameLines<'_>) -> usize {
    let mut is_last = |at| lines(at).is_none_or(|(_, line)| line.names.len() > MAX_SHORT_LINE_SQUARES);
    (1..1 << 16).find(|&at| is_last(at)).unwrap_or(1 << 16)
}

/// Returns true if `count` lines from the line `at` on repeat a name.
fn repeats_below(lines: &mut NameLines<'_>, at: usize, count: usize) -> bool {
    let mut seen = HashSet::new();
    let mut is_repeat =
        |at| lines(at).is_some_and(|(_, line)| line.names.into_iter().any(|name| !seen.insert(name)));
    (at..at + count).any(&mut is_repeat)
}

/// Names of the first line that was not joined because it repeats an earlier name.
type Repeat = Option<(u64, NameLine)>;

/// Joins the names of the first line with those of the lines below. Returns also the first line that repeats
/// a name, and the number of joined lines.
fn join_lines(
    lines: &mut NameLines<'_>,
    known: &ReadContext,
    mut all: JoinedNames,
) -> (JoinedNames, Repeat, usize) {
    let is_graph = known.board().is_some_and(|board| !board.has_squares());
    // Squares may be written in letters of either case.
    let key = |name: &String| if is_graph { name.clone() } else { name.to_ascii_lowercase() };
    let are_same = |a: Option<&String>, b: Option<&String>| a.map(key) == b.map(key);
    let mut seen: HashSet<String> = all.names.iter().map(key).collect();
    let (mut are_moves, mut joined) = (false, 1);
    while let Some((line, mut more)) = lines(joined) {
        let is_full = known.board().map(Board::len).is_some_and(|len| all.names.len() >= len);
        if more.damaged.is_some() {
            if !is_full {
                all.add(line, more);
                joined += 1;
            }
            break;
        }
        more.join_moves();
        let is_move = more.names.len() == 2 && are_same(more.names.first(), all.names.last());
        if is_move {
            more.names.remove(0);
            more.numbers
                .iter_mut()
                .for_each(|number| number.squares_before = number.squares_before.saturating_sub(1));
        }
        let is_back =
            all.names.len() > MAX_SHORT_LINE_SQUARES && are_same(more.names.last(), all.names.first());
        let last = more.names.len().saturating_sub(1);
        if is_back
            && (is_move || more.names.len() > 1)
            && more.names[..last].iter().all(|name| !seen.contains(&key(name)))
        {
            more.names.pop();
            all.add(line, more);
            all.kind = Some(TourKind::Closed);
            return (all, None, joined + 1);
        }
        if is_back && more.names.len() == 1 {
            // This is the end of the tour if nothing follows, or if the lines below are a tour without it; else the
            // start of the next tour.
            let is_closed = |all: &JoinedNames| {
                let closed = JoinedNames { kind: Some(TourKind::Closed), ..all.clone() };
                closed.to_tour(known).is_ok()
            };
            let is_end = lines(joined + 1).is_none()
                || repeats_below(lines, joined, all.names.len()) && is_closed(&all);
            if is_end {
                all.kind = Some(TourKind::Closed);
                return (all, None, joined + 1);
            }
            return (all, (!is_full).then_some((line, more)), joined);
        }
        are_moves |= is_move;
        let is_repeat = more.names.iter().any(|name| !seen.insert(key(name)));
        if is_full || is_repeat {
            let repeat = (!is_full || are_moves && is_move).then_some((line, more));
            return (all, repeat, joined);
        }
        all.add(line, more);
        joined += 1;
    }
    (all, None, joined)
}
