//! Tours in arrays and maps of any language: what the elements of a [`List`] stand for.
//!
//! | contents | reading |
//! |---|---|
//! | squares, or letters with ranks: `["a1", "b3"]`, `[("a", 1), ("b", 3)]` | squares in order |
//! | rows of numbers: `[[1, 4], [3, 2]]`, `[1 4; 3 2]` | a grid |
//! | one list of numbers | a grid row by row, if the board is known |
//! | pairs of numbers, or maps with `row` and `col`, or `x` and `y` | coordinates in order |
//! | a map from squares or pairs to numbers, or from numbers to either | squares or coordinates by number |
//! | a map with one list of any of these kinds | that list |
//! | a list of several of these | several tours |

use super::coordinates::Coordinates;
use super::field_names::COORDINATE_NAMES;
use super::margins::GridRow;
use super::names::NameLine;
use super::steps::order_all_by_steps;
use super::text_lines::stated_size;
use super::tree::{Element, List, Node};
use super::tree_values::{
    Metadata, Reading, count_values, grid_row, invalid, is_other_list, is_position, is_record, kind_of,
    pair_of, record_order, square_of, two_digit_pairs,
};
use crate::text_format::escape_unprintable;
use crate::tour::TourKind;
use crate::tour::read_error::{ReadError, ReadErrorKind};

/// Keys under which programs store a tour.
const TOUR_KEYS: [&str; 15] = [
    "tour",
    "path",
    "route",
    "squares",
    "solution",
    "sequence",
    "moves",
    "board",
    "grid",
    "cells",
    "vertices",
    "tours",
    "paths",
    "solutions",
    "positions",
];
/// Key of the text form of the board in results of ktour.
const BOARD_TEXT_KEY: &str = "board_text";
/// Keys of the version of the format, and of the list of tours, in results of ktour.
const SCHEMA_KEY: &str = "schema";
const RESULT_TOURS_KEY: &str = "tours";
/// Keys of a tour in results of ktour: its line in the results of `check` and `rank`, and its squares, which these
/// results do not have.
const RESULT_LINE_KEY: &str = "line";
const RESULT_SQUARES_KEY: &str = "squares";
/// Beginning of the text form of a graph.
const GRAPH_TEXT_START: &str = "graph=";
/// Keys of lists of squares that are no tour.
const OTHER_LIST_KEYS: [&str; 8] =
    ["removed", "remove", "holes", "blocked", "missing", "ends", "start", "end"];
/// Longest list that cannot be a tour beside another one: a pair, or three sizes.
const MAX_SHORT_LIST: usize = 3;
/// Keys of options next to an array.
const OPTION_KEYS: [&str; 8] = ["dtype", "type", "order", "byrow", "byRow", "copy", "device", "names"];

/// A tour, or its fault.
pub(super) type FoundReading = Result<Reading, ReadError>;

/// The tours of a list and their faults, or the reason why the contents are no tours.
pub(super) type Readings = Result<Vec<FoundReading>, ReadErrorKind>;

/// Returns the tours of the elements outside of brackets, and their metadata. `takes_words` is true if any
/// word may name a vertex, `knows_board` if the board is known.
///
/// # Errors
/// [`ReadErrorKind::InvalidArray`], [`ReadErrorKind::Json`].
pub(super) fn read_elements(
    list: List,
    takes_words: bool,
    knows_board: bool,
) -> Result<(Vec<FoundReading>, Metadata), ReadErrorKind> {
    let is_enclosed = matches!(list.elements.as_slice(), [Element { node: Node::List(_), .. }]);
    let removes_nulls = !knows_board && list.has_null();
    let metadata = Metadata { is_enclosed, removes_nulls, ..Metadata::default() };
    let mut reader =
        TreeReader { metadata, takes_words, result_set: None, knows_board, names_vertices: false };
    let readings = reader.read_list(&list)?;
    if reader.result_set.is_some() {
        // Every reader of the tours ignores the other numbers of a result.
        reader.metadata.unread_keys.clear();
    }
    Ok((readings, reader.metadata))
}

pub(super) struct TreeReader {
    pub(super) metadata: Metadata,
    takes_words: bool,
    /// Text form of the board, and kind, of a result of ktour, such as that of `find` and `sample`, if an object is
    /// one.
    result_set: Option<(String, Option<String>)>,
    /// True if the board is known, so that any sign may stand for a removed square.
    knows_board: bool,
    /// True if the lists of such a result hold names of vertices, which may be words and numbers.
    names_vertices: bool,
}

impl TreeReader {
    pub(super) fn read_list(&mut self, list: &List) -> Readings {
        let elements = self.significant_elements(list)?;
        let has_keys = !elements.is_empty() && elements.iter().all(|element| element.key.is_some());
        match elements.as_slice() {
            [] => Err(invalid("it has no numbers and no squares")),
            _ if has_keys => self.read_map(&elements),
            _ if elements.iter().any(|element| element.key.is_some()) => {
                let are_positions = elements.iter().all(|element| is_position(&element.node));
                let counted = if are_positions { self.read_counted(&elements) } else { None };
                counted.unwrap_or(Err(invalid("some elements have keys and others have none")))
            }
            [Element { node: Node::List(inner), .. }] if is_record(inner) => self.read_lists(&elements),
            [Element { node: Node::List(inner), .. }] => self.read_list(inner),
            _ if elements.iter().all(|element| element.node.as_list().is_none()) => {
                self.read_values(&elements)
            }
            _ if elements.iter().all(|element| element.node.as_list().is_some()) => {
                self.read_lists(&elements)
            }
            _ => Err(invalid("numbers or squares are next to rows")),
        }
    }

    /// Returns the elements without empty lists and without options such as `dtype=int`; sizes such as
    /// `nrow=3` become metadata.
    fn significant_elements<'a>(&mut self, list: &'a List) -> Result<Vec<&'a Element>, ReadErrorKind> {
        let is_empty = |element: &Element| {
            element.key.is_none() && element.node.as_list().is_some_and(|list| list.elements.is_empty())
        };
        let is_list = |element: &Element| element.key.is_none() && element.node.as_list().is_some();
        if list.elements.iter().all(is_list) && list.elements.iter().skip(1).any(is_empty) {
            return Err(invalid("a list is empty"));
        }
        let elements: Vec<&Element> = list.elements.iter().filter(|element| !is_empty(element)).collect();
        if elements.iter().all(|element| element.key.is_some()) {
            return Ok(elements);
        }
        let mut rest = Vec::new();
        for element in elements {
            let key = element.key_text();
            match &element.node {
                // `.reshape(3, 4)`
                Node::List(List { name: Some(name), elements: sizes })
                    if element.key.is_none()
                        && sizes.len() == 2
                        && ["reshape", "dim"].contains(&name.as_str()) =>
                {
                    self.metadata.board_size = [0, 1].map(|side| sizes[side].node.as_number());
                }
                _ if element.key.is_none() => rest.push(element),
                Node::Number(size, _) if ["nrow", "rows", "height"].contains(&key.as_str()) => {
                    self.metadata.board_size[0] = Some(*size);
                }
                Node::Number(size, _) if ["ncol", "cols", "width"].contains(&key.as_str()) => {
                    self.metadata.board_size[1] = Some(*size);
                }
                // A type or flag; `int32` looks like a square.
                Node::Word(_) | Node::Square(_) | Node::Hole(_) if OPTION_KEYS.contains(&key.as_str()) => {}
                // `1. (0, 0) -> (1, 2)`
                Node::List(_) if element.key.as_ref().is_some_and(|key| key.as_number().is_some()) => {
                    rest.push(element)
                }
                // A name before the array: `"tour": [[..`.
                Node::List(_) if !key.is_empty() && !key.bytes().any(|b| b.is_ascii_digit()) => {
                    rest.push(element)
                }
                _ => return Err(invalid("some elements have keys and others have none")),
            }
        }
        Ok(rest)
    }

    /// Reads a list of values: squares, or numbers.
    fn read_values(&self, elements: &[&Element]) -> Readings {
        let is_number_cell = |element: &&&Element| matches!(element.node, Node::Number(..) | Node::Hole(_));
        let numbers = elements.iter().filter(is_number_cell).count();
        let squares = elements.iter().filter(|element| matches!(element.node, Node::Square(_))).count();
        let are_names = self.names_vertices
            || self.takes_words && numbers < elements.len()
            || squares > 0 && numbers == 0;
        if are_names {
            let names = elements.iter().map(|element| Some((element.line, element.node.text()?)));
            let names: Option<Vec<(u64, String)>> = names.collect();
            let names = names.ok_or(invalid("an element is empty"))?;
            return Ok(vec![Ok(Reading::from_names(names))]);
        }
        if numbers < elements.len() {
            let word = elements
                .iter()
                .find_map(|element| if let Node::Word(word) = &element.node { Some(word) } else { None });
            return match word {
                Some(word) => Err(ReadErrorKind::NotANumber(word.clone())),
                None => Err(invalid("numbers and squares are mixed")),
            };
        }
        // Semicolons or lines of equal length make rows.
        let rows_by = |is_start: &dyn Fn(&Element, &Element) -> bool| -> Vec<Vec<&Element>> {
            elements.chunk_by(|a, b| !is_start(a, b)).map(<[&Element]>::to_vec).collect()
        };
        let by_signs = rows_by(&|_, next| next.begins_row);
        let by_lines = rows_by(&|one, next| one.line != next.line);
        let are_equal =
            |rows: &[Vec<&Element>]| rows.len() > 1 && rows.iter().all(|row| row.len() == rows[0].len());
        let rows = match () {
            () if by_signs.len() > 1 => by_signs,
            () if are_equal(&by_lines) && by_lines[0].len() > 1 => by_lines,
            () => vec![elements.to_vec()],
        };
        if let [row] = rows.as_slice()
            && let Some(pairs) = two_digit_pairs(row)
        {
            return Ok(vec![Ok(Reading::Coordinates(pairs))]);
        }
        rows.iter()
            .map(|row| grid_row(row, self.knows_board))
            .collect::<Result<_, _>>()
            .map(|rows| vec![Ok(Reading::Rows(rows))])
    }

    /// Reads a list of lists.
    fn read_lists(&mut self, elements: &[&Element]) -> Readings {
        let lists: Vec<(u64, &List)> =
            elements.iter().filter_map(|element| Some((element.line, element.node.as_list()?))).collect();
        // Every number in brackets of its own: `[1][4][7]`.
        let single = |(line, list): &(u64, &List)| match list.elements.as_slice() {
            [Element { key: None, node, .. }] if node.as_list().is_none() => {
                Some(Element { key: None, node: node.clone(), line: *line, begins_row: false })
            }
            _ => None,
        };
        if let Some(values) = lists.iter().map(single).collect::<Option<Vec<Element>>>() {
            return self.read_values(&values.iter().collect::<Vec<_>>());
        }
        if lists.iter().all(|(_, list)| square_of(list).is_some()) {
            let names = |(line, list): &(u64, &List)| Some((*line, square_of(list)?));
            return Ok(self.by_steps(&lists, |lists| {
                Ok(Reading::from_names(lists.iter().filter_map(names).collect()))
            }));
        }
        if let Some(readings) = self.read_numbered_pairs(&lists) {
            return readings;
        }
        if let Some(moves) = self.moves_of(&lists) {
            return Ok(moves);
        }
        if let Some(order) = record_order(lists.iter().map(|(_, list)| *list)) {
            return Ok(self.read_records(&lists, order));
        }
        let is_flat = |list: &List| {
            list.elements.iter().all(|element| element.key.is_none() && element.node.as_list().is_none())
        };
        if !lists.iter().all(|(_, list)| is_flat(list)) {
            // Several tours, or layers of a box.
            let mut all = Vec::new();
            for (line, list) in lists {
                all.extend(self.read_list(list).unwrap_or_else(|kind| vec![Err(ReadError { line, kind })]));
            }
            return Ok(all);
        }
        let are_numbers = |list: &List| {
            list.elements.iter().all(|element| matches!(element.node, Node::Number(..) | Node::Hole(_)))
        };
        if lists.iter().all(|(_, list)| are_numbers(list)) {
            let to_row = |(line, list): &(u64, &List)| {
                grid_row(&list.elements.iter().collect::<Vec<_>>(), self.knows_board)
                    .map(|row| GridRow { line: *line, ..row })
            };
            let rows = lists.iter().map(to_row).collect::<Result<Vec<GridRow>, _>>()?;
            return Ok(vec![Ok(Reading::Rows(rows))]);
        }
        let names = |list: &List| list.elements.iter().all(|element| element.node.text().is_some());
        if lists.iter().all(|(_, list)| names(list) && list.elements.len() == 2) && !self.takes_words {
            // Moves: each begins where the one before it ended.
            let all = lists.iter().flat_map(|(line, list)| {
                list.elements.iter().map(|element| (*line, element.node.text().unwrap_or_default()))
            });
            return Ok(vec![Ok(Reading::from_names(all.collect()))]);
        }
        let mut all = Vec::new();
        for (_, list) in lists {
            all.extend(self.read_values(&list.elements.iter().collect::<Vec<_>>())?);
        }
        Ok(all)
    }

    /// Reads a map.
    fn read_map(&mut self, elements: &[&Element]) -> Readings {
        let keys: Vec<&Node> = elements.iter().filter_map(|element| element.key.as_deref()).collect();
        // From squares or pairs to numbers.
        let numbers: Option<Vec<u64>> = elements.iter().map(|element| element.node.as_number()).collect();
        if let Some(numbers) = &numbers {
            let squares: Option<Vec<&String>> = keys.iter().map(|key| key.as_square()).collect();
            if let Some(squares) = squares {
                let order = in_order(numbers)?;
                let names = order.iter().map(|&at| (elements[at].line, squares[at].clone()));
                return Ok(vec![Ok(Reading::from_names(names.collect()))]);
            }
            let pairs: Option<Vec<(u64, u64)>> = keys.iter().map(|key| pair_of(key.as_list()?)).collect();
            if let Some(pairs) = pairs {
                let order = in_order(numbers)?;
                let pairs = order.iter().map(|&at| (elements[at].line, pairs[at])).collect();
                return Ok(vec![Ok(Reading::Coordinates(Coordinates { pairs, order: None }))]);
            }
        }
        // From each square to the next one.
        let moves = elements.iter().map(|element| {
            let names =
                [element.key.as_ref()?.as_square()?, element.node.as_square()?].map(Clone::clone).to_vec();
            Some((element.line, NameLine { names, ..NameLine::default() }))
        });
        if let Some(moves) = moves.collect::<Option<_>>() {
            return Ok(vec![Ok(Reading::Names(moves))]);
        }
        // From numbers to squares or pairs.
        if let Some(readings) = self.read_counted(elements) {
            return readings;
        }
        // A list for each coordinate.
        for ([first, second], order) in COORDINATE_NAMES {
            let column = |wanted: &str| -> Option<Vec<u64>> {
                let element = elements.iter().find(|element| element.has_key(wanted))?;
                element.node.as_list()?.elements.iter().map(|element| element.node.as_number()).collect()
            };
            if let (Some(a), Some(b)) = (column(first), column(second))
                && a.len() == b.len()
            {
                let pairs = a.into_iter().zip(b).map(|pair| (elements[0].line, pair)).collect();
                self.read_metadata(
                    elements
                        .iter()
                        .copied()
                        .filter(|element| !element.has_key(first) && !element.has_key(second)),
                );
                return Ok(vec![Ok(Reading::Coordinates(Coordinates { pairs, order: Some(order) }))]);
            }
        }
        self.read_object(elements)
    }

    /// Reads an object with one list, or one list with the name of a tour, and its metadata.
    fn read_object(&mut self, elements: &[&Element]) -> Readings {
        if elements.iter().any(|element| element.key.as_ref().is_some_and(|key| key.text().is_none())) {
            return Err(invalid("a key is neither a name nor a number"));
        }
        let json = |what: String| ReadErrorKind::Json { what, column: 0 };
        let is_list =
            |element: &&&Element| element.node.as_list().is_some_and(|list| !list.elements.is_empty());
        let lists: Vec<&Element> = elements.iter().filter(is_list).copied().collect();
        let name = |element: &Element| element.key_text().to_ascii_lowercase();
        let is_tour = |element: &&Element| TOUR_KEYS.contains(&name(element).as_str());
        let named: Vec<&Element> = lists.iter().filter(|element| is_tour(element)).copied().collect();
        // Several lists that could be tours are refused, whatever their names are.
        let may_be_tour = |element: &&Element| {
            element
                .node
                .as_list()
                .is_some_and(|list| count_values(list) > MAX_SHORT_LIST && !is_other_list(list))
                && !OTHER_LIST_KEYS.contains(&name(element).as_str())
        };
        // A result of ktour has its tours under one key, and its other lists hold numbers. The tours of some results
        // have no squares.
        let find = |key| elements.iter().find(|element| element.has_key(key)).map(|element| &element.node);
        let is_without_tours = match find(RESULT_TOURS_KEY).map(Node::as_list) {
            None => find(BOARD_TEXT_KEY).is_some() || named.is_empty(),
            Some(tours) => tours.is_some_and(|tours| {
                let tours = || tours.elements.iter().filter_map(|tour| tour.node.as_list());
                let has = |key| tours().any(|tour| tour.value(key).is_some());
                has(RESULT_LINE_KEY) && !has(RESULT_SQUARES_KEY)
            }),
        };
        if find(SCHEMA_KEY).is_some() && is_without_tours {
            return Err(ReadErrorKind::ResultWithoutTours);
        }
        let long: Vec<&Element> = lists.iter().filter(|element| may_be_tour(element)).copied().collect();
        let chosen = match (lists.as_slice(), long.as_slice()) {
            ([element], _) => *element,
            (_, [element]) if is_tour(element) => *element,
            (_, []) if named.len() == 1 => named[0],
            ([], _) => {
                return Err(json(
                    "the object has no list of squares; add one such as \"squares\":[\"a1\",\"b3\"]"
                        .to_owned(),
                ));
            }
            _ => {
                let all: Vec<String> = lists
                    .iter()
                    .map(|element| format!("\"{}\"", escape_unprintable(&element.key_text())))
                    .collect();
                return Err(json(format!(
                    "{} are lists that may be tours; give each tour an object of its own",
                    all.join(" and ")
                )));
            }
        };
        if !is_tour(&chosen) {
            self.metadata.unusual_key = Some(chosen.key_text());
        }
        if let Some(Node::Word(board)) = find(BOARD_TEXT_KEY) {
            let set = (board.clone(), find("kind").and_then(Node::text));
            if self.result_set.as_ref().is_some_and(|before| *before != set) {
                return Err(json(
                    "results of different boards or kinds are in one list; give each a file of its own"
                        .to_owned(),
                ));
            }
            self.names_vertices |= board.starts_with(GRAPH_TEXT_START);
            self.metadata.board = Some(board.clone());
            self.result_set = Some(set);
        }
        self.read_metadata(elements.iter().copied().filter(|element| !std::ptr::eq(*element, chosen)));
        let list = chosen.node.as_list().expect("the chosen element is a list");
        self.read_list(list)
    }

    /// Reads what the elements of an object state about its tour.
    fn read_metadata<'e>(&mut self, elements: impl Iterator<Item = &'e Element>) {
        let is_result = self.result_set.is_some();
        for element in elements {
            let size = match &element.node {
                Node::Word(word) => stated_size(word),
                Node::List(list) => pair_of(list),
                _ => None,
            };
            match (&element.node, element.key_text().to_ascii_lowercase().as_str()) {
                // The text form says more.
                (_, "board" | BOARD_TEXT_KEY) if is_result => {}
                (plan, "plan") if is_result => self.metadata.plan = plan.text(),
                (Node::Word(word), "kind") if word == "paths" && is_result => {
                    self.metadata.kinds.extend([TourKind::Open, TourKind::ReEntrant]);
                }
                (Node::Word(word), "kind" | "type") if kind_of(word).is_some() => {
                    self.metadata.kinds.extend(kind_of(word));
                }
                (_, "board" | "size" | "dimensions") | (Node::List(_), "shape") if size.is_some() => {
                    self.metadata.board_size =
                        size.map_or([None; 2], |(rows, cols)| [Some(rows), Some(cols)]);
                }
                (Node::Word(word), "board") if word.contains('=') => self.metadata.board = Some(word.clone()),
                (Node::Word(word), "closed") if word == "true" => {
                    self.metadata.kinds = vec![TourKind::Closed]
                }
                (Node::Word(word), "closed") if word == "false" => {
                    self.metadata.kinds = vec![TourKind::ReEntrant, TourKind::Open];
                }
                (Node::Number(size, _), "rows" | "height") => self.metadata.board_size[0] = Some(*size),
                (Node::Number(size, _), "cols" | "columns" | "width") => {
                    self.metadata.board_size[1] = Some(*size)
                }
                _ => self.metadata.unread_keys.push(element.key_text()),
            }
        }
    }
}

/// Returns the positions of numbers in increasing order, or the error if they are not consecutive.
fn in_order(numbers: &[u64]) -> Result<Vec<usize>, ReadErrorKind> {
    let steps: Vec<Option<u64>> = numbers.iter().copied().map(Some).collect();
    let orders =
        order_all_by_steps(&steps, false).map_err(|(_, reason)| ReadErrorKind::StepNumbers(reason))?;
    Ok(orders.concat())
}

#[cfg(test)]
mod tests {
    use super::super::cells::HOLE;
    use super::super::read_context::CoordinateOrder;
    use super::super::token::{decode_line, lex};
    use super::super::tree::TreeParser;
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let mut parser = TreeParser::new();
        for (line, number) in text.lines().zip(1..) {
            parser.add_line(&lex(&decode_line(line.as_bytes())), number)?;
        }
        let (list, _) = parser.finish()?;
        let (readings, _) = read_elements(list, false, false).map_err(|error| error.to_string())?;
        let readings =
            readings.into_iter().collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let show = |reading: &Reading| match reading {
            Reading::Names(lines) => lines[0].1.names.join(" "),
            Reading::Rows(rows) => {
                let row = |row: &GridRow| {
                    row.cells
                        .iter()
                        .map(|&cell| if cell == HOLE { ".".to_owned() } else { cell.to_string() })
                        .collect::<Vec<_>>()
                        .join(" ")
                };
                rows.iter().map(row).collect::<Vec<_>>().join("/")
            }
            Reading::Coordinates(found) => {
                let pairs = found.pairs.iter().map(|(_, (a, b))| format!("({a},{b})")).collect::<String>();
                format!("{}{pairs}", found.order.map_or("", CoordinateOrder::name))
            }
        };
        Ok(readings.iter().map(show).collect::<Vec<_>>().join(" | "))
    }

    #[test]
    fn read_elements_accepts_arrays_of_many_languages() {
        for (text, expected) in [
            ("[[1, 4], [3, 2]]", "1 4/3 2"),
            ("[[1, null], [3, 2]]", "1 ./3 2"),
            ("A = [1 4; 3 2];", "1 4/3 2"),
            ("my @t = (\n 1, 4,\n 3, 2,\n);", "1 4/3 2"),
            ("vec![\n vec![1, 4],\n vec![3, 2],\n]", "1 4/3 2"),
            ("((1 4) (3 2))", "1 4/3 2"),
            ("[1][4]\n[3][2]", "1 4/3 2"),
            ("[1, 4]\n[3, 2]", "1 4/3 2"),
            ("np.array([[1., 4.], [3., 2.]], dtype=np.uint8)", "1 4/3 2"),
            ("new int[,] { {1, 4}, {3, 2} };", "1 4/3 2"),
            ("int[][] t = {{1, 4}, {3, 2}};", "1 4/3 2"),
            ("[[[1, 4], [3, 2]], [[5, 6], [7, 8]]]", "1 4/3 2 | 5 6/7 8"),
            ("[1, 4, 3, 2]", "1 4 3 2"),
            ("[\"a1\", \"b3\"]", "a1 b3"),
            ("[[\"a1\", \"b3\", \"c5\"], [\"c5\", \"b3\", \"a1\"]]", "a1 b3 c5 | c5 b3 a1"),
            ("[('a', 3), ('c', 2)]", "a3 c2"),
            ("[pos(1, 1), pos(3, 2)]", "1 1/3 2"),
            ("{\"paths\": [[{\"row\": 0, \"col\": 1}, {\"row\": 2, \"col\": 0}]]}", "row,column(0,1)(2,0)"),
            ("[{\"x\": 0, \"y\": 1}, {\"x\": 2, \"y\": 0}]", "x,y(0,1)(2,0)"),
            ("{\"x\": [0, 2], \"y\": [1, 0]}", "x,y(0,1)(2,0)"),
            ("{\"a3\": 2, \"c2\": 1}", "c2 a3"),
            ("{1: \"a3\", 2: \"c2\"}", "a3 c2"),
            ("[(2, 'a3'), (1, 'c2')]", "c2 a3"),
            ("[('a3', 2), ('c2', 1)]", "c2 a3"),
            ("[(2, (0, 1)), (1, (2, 0))]", "2 0/0 1"),
            ("{\"step\": 2, \"square\": \"b3\"}\n{\"step\": 1, \"square\": \"a1\"}", "a1 b3"),
            ("1. (0,0) -> (1,2)\n2. (1,2) -> (2,0)", "0 0/1 2/1 2/2 0"),
            ("2. (1,2) -> (2,0)\n1. (0,0) -> (1,2)", "0 0/1 2/1 2/2 0"),
            ("{(0, 0): 2, (1, 2): 1}", "(1,2)(0,0)"),
            ("1: (0,0)\n2: (1,2)", "0 0/1 2"),
            ("(0,0) (1,2)\n(2,4)(4,5).", "0 0/1 2/2 4/4 5"),
            ("1. (0,0) 2. (1,2)\n1. (1,2) 2. (0,0)", "0 0/1 2 | 1 2/0 0"),
            ("[11, 32, 13]", "(1,1)(3,2)(1,3)"),
            ("{\"tour\": [\"a1\", \"b3\"], \"time\": 0.3}", "a1 b3"),
            ("[{\"step\": 2, \"square\": \"b3\"}, {\"step\": 1, \"square\": \"a1\"}]", "a1 b3"),
            ("{\"size\": [3, 4], \"tour\": [\"a1\", \"b3\"]}", "a1 b3"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
        for text in [
            "[1, [2, 3]]",
            "{\"a\": [[1]], \"b\": [[2]]}",
            "{\"a\": 1}",
            "[\"x\", 1]",
            "[]",
            "{1: \"a1\", 3: \"b3\"}",
            "{1: \"a1\", 2: \"b3\", 1: \"b3\", 2: \"a1\"}",
            "[{\"step\": 2, \"x\": 0, \"y\": 0}, {\"x\": 1, \"y\": 2}]",
            "1. (0,0) -> (1,2)\n3. (1,2) -> (2,0)",
            "1. (0,0) -> (1,2)\n1. (1,2) -> (2,0)",
            "1. (0,0) -> (1,2)\n(1,2) -> (2,0)\n2. (2,0) -> (0,1)",
            "[{\"x\": 0, \"y\": 0, \"r\": 0, \"c\": 0}, {\"x\": 1, \"y\": 2, \"r\": 1, \"c\": 2}]",
            "[{\"square\": \"a1\", \"x\": 0, \"y\": 0}, {\"square\": \"b3\", \"x\": 2, \"y\": 1}]",
            "{(0, 0): (1, 2), (1, 2): (2, 0)}",
            "array([[1, 4]]) + 1",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
