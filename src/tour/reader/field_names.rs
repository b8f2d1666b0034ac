//! Names of the columns of tables and of the keys of records, in lower case.

use super::read_context::CoordinateOrder;
use super::steps::order_all_by_steps;

/// Pairs of names of coordinates.
pub(super) const COORDINATE_NAMES: [([&str; 2], CoordinateOrder); 7] = [
    (["row", "col"], CoordinateOrder::RowColumn),
    (["row", "column"], CoordinateOrder::RowColumn),
    (["file", "rank"], CoordinateOrder::Xy),
    (["x", "y"], CoordinateOrder::Xy),
    (["r", "c"], CoordinateOrder::RowColumn),
    (["i", "j"], CoordinateOrder::RowColumn),
    (["f", "r"], CoordinateOrder::Xy),
];

/// Words beside the name of a coordinate, `x_pos`, which may also be joined, `xpos`.
const POSITION_WORDS: [&str; 6] = ["pos", "position", "coord", "coordinate", "index", "idx"];

/// Returns the name of a coordinate in a longer name or a plural, and the other words in lower case: `x` and `pos` for
/// `x_pos`, `xPos` and `Pos x`, `row` for `rows`. Returns `None` unless exactly one word is such a name.
pub(super) fn split_coordinate_name(name: &str) -> Option<(&'static str, String)> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let is_letter = c.is_alphanumeric();
        if !is_letter || c.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if is_letter {
            words.last_mut().expect("there is a word").extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    if let [word] = words.as_slice() {
        let names = || COORDINATE_NAMES.into_iter().flat_map(|(names, _)| names);
        let mut joined = POSITION_WORDS.into_iter().flat_map(|rest| names().map(move |name| (name, rest)));
        if let Some((name, rest)) = joined.find(|(name, rest)| {
            word.strip_prefix(name) == Some(*rest) || word.strip_suffix(name) == Some(*rest)
        }) {
            return Some((name, rest.to_owned()));
        }
    }
    let known = |word: &String| {
        let mut names = COORDINATE_NAMES.iter().flat_map(|(names, _)| *names);
        // `is` is no plural.
        let singular =
            word.strip_suffix('s').filter(|singular| singular.len() > 2 || matches!(*singular, "x" | "y"));
        names.find(|name| word == name || singular == Some(name))
    };
    let found = words.iter().position(|word| known(word).is_some())?;
    let coordinate = known(&words.remove(found))?;
    words.iter().all(|word| known(word).is_none()).then(|| (coordinate, words.join(" ")))
}

/// Returns the fields of the only two coordinates with the same other words in their names, such as `x_pos,y_pos`, and
/// the order of the coordinates.
pub(super) fn find_named_coordinates(names: &[String]) -> Option<([usize; 2], CoordinateOrder)> {
    let is_index = |name: &str| INDEX_COLUMN_NAMES.iter().any(|index| name.eq_ignore_ascii_case(index));
    let part = |name: &String| split_coordinate_name(name).filter(|_| !is_index(name));
    let parts: Vec<_> = names.iter().map(part).collect();
    // A third coordinate may be one of another square.
    if parts.iter().flatten().count() != 2 {
        return None;
    }
    let at = |wanted: &str, rest: &str| {
        parts
            .iter()
            .position(|part| part.as_ref().is_some_and(|(name, other)| *name == wanted && other == rest))
    };
    let (_, rest) = parts.iter().flatten().next()?;
    COORDINATE_NAMES.iter().find_map(|([a, b], order)| Some(([at(a, rest)?, at(b, rest)?], *order)))
}

/// Names of the coordinate that counts the columns, which may be a letter.
pub(super) const FILE_NAMES: [&str; 3] = ["file", "col", "column"];

/// Names of the coordinate that counts the rows next to a letter.
pub(super) const RANK_NAMES: [&str; 2] = ["rank", "row"];

/// Pairs of names of the two ends of a move.
pub(super) const MOVE_NAMES: [[&str; 2]; 4] =
    [["from", "to"], ["start", "end"], ["source", "target"], ["source", "destination"]];

/// Returns the fields of the coordinates of both ends of a move, such as `from_row,from_col,to_row,to_col`, and the order
/// of the coordinates.
pub(super) fn find_move_coordinates<F>(
    find: impl Fn(&str) -> Option<F>,
) -> Option<([[F; 2]; 2], CoordinateOrder)> {
    let field = |end: &str, name: &str| {
        let mut names =
            ["_", " ", ""].into_iter().flat_map(|sign| [[end, name], [name, end]].map(|two| two.join(sign)));
        names.find_map(|name| find(&name))
    };
    COORDINATE_NAMES.into_iter().find_map(|([a, b], order)| {
        let pair = |end: &str| Some([field(end, a)?, field(end, b)?]);
        MOVE_NAMES.iter().find_map(|[from, to]| Some(([pair(from)?, pair(to)?], order)))
    })
}

/// Keys of the name of a square, and the names of its column: a column `name` may hold any text.
pub(super) const SQUARE_KEYS: [&str; 8] =
    ["square", "squares", "cell", "field", "position", "vertex", "node", "name"];
pub(super) const SQUARE_COLUMN_NAMES: &[&str] = all_but_last(&SQUARE_KEYS);

/// Keys of the step number of a square, most likely names first, and the names of its column: a column `index` counts
/// the rows.
pub(super) const STEP_KEYS: [&str; 24] = [
    "step",
    "step_no",
    "step_number",
    "step number",
    "move",
    "move_no",
    "move_number",
    "move number",
    "order",
    "visit",
    "ply",
    "turn",
    "number",
    "num",
    "no",
    "nr",
    "n",
    "#",
    "count",
    "seq",
    "time",
    "t",
    "visited",
    "index",
];
pub(super) const STEP_COLUMN_NAMES: &[&str] = all_but_last(&STEP_KEYS);

/// Names of steps whose values may also be a time, a number of squares or a flag.
const WEAK_STEP_NAMES: [&str; 4] = ["time", "t", "count", "visited"];

/// Returns true if the values of a column or key are step numbers, `None` where they are no whole numbers. Values with
/// other meanings are none: fractions, and under some names numbers that give no order.
pub(super) fn holds_steps(name: &str, values: &[Option<u64>], has_fraction: bool) -> bool {
    let may_be_other = WEAK_STEP_NAMES.contains(&name);
    values.iter().any(Option::is_some)
        && !(may_be_other && (has_fraction || order_all_by_steps(values, true).is_err()))
}

/// Names of the column with the original numbers of the rows; its values must increase.
pub(super) const INDEX_COLUMN_NAMES: [&str; 6] = ["", "index", "idx", "i", "k", "id"];

const fn all_but_last<'a>(names: &'a [&'a str]) -> &'a [&'a str] {
    names.split_at(names.len() - 1).0
}
