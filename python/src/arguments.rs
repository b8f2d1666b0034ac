//! Parsers of Python arguments (numbers, names, sizes and paths), and access to sequences by index.
//! Every error names its argument.
//!
//! Parsers for `from_py_with` do not get the name of their argument, so each argument has its own
//! parser. Parsers whose name ends in `_word` return the text itself, so that the Python signature
//! can show the argument's default.
//!
//! As in Python, negative indices count from the end of a sequence.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use ktour::count::Engine;
use ktour::count::symmetric::NamedSymmetry;
use ktour::frontier::ResidueRing;
use ktour::heuristic::Rule;
use ktour::tour::{CoordinateOrder, Kind};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PySlice};

use super::errors::usage_error;

/// Maximum number of threads, as on the command line.
const MAX_THREADS: u64 = 1024;

/// Maximum length, in characters, of a value that is shown in an error.
const MAX_SHOWN_CHARS: usize = 60;

/// Returns the `repr` of a value on one line, shortened to 60 characters.
pub fn short_repr(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map_or_else(|_| "that".to_owned(), |text| text.to_string());
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Returns a `TypeError` which states that the argument `name` accepts `takes`, but `value` was
/// given.
pub fn type_error(name: &str, takes: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name} takes {takes}, not {}", short_repr(value)))
}

/// Returns an argument if it is given and not `None`.
pub fn not_none<'a, 'py>(value: Option<&'a Bound<'py, PyAny>>) -> Option<&'a Bound<'py, PyAny>> {
    value.filter(|value| !value.is_none())
}

/// Converts an `int` of Python, or an integer of numpy, to an `int` of Python. The error names the
/// argument `name`.
///
/// # Errors
/// A `TypeError` for other values, including truth values.
pub fn to_integer<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let is_flag = value.is_instance_of::<PyBool>()
        || value.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_");
    if is_flag {
        return Err(type_error(name, "a whole number", value));
    }
    let operator = value.py().import("operator")?;
    operator.call_method1("index", (value,)).map_err(|_| type_error(name, "a whole number", value))
}

/// Parses a whole number that must lie in `range`. The error names the argument `name`.
fn parse_integer_in(value: &Bound<'_, PyAny>, name: &str, range: RangeInclusive<u64>) -> PyResult<u64> {
    let integer = to_integer(value, name)?;
    match integer.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = range.into_inner();
            let range = match most {
                u64::MAX => format!("a number from {least} to 2**64 - 1"),
                most => format!("a number from {least} to {most}"),
            };
            Err(usage_error(format!("{name}{} is out of range; use {range}", short_repr(&integer))))
        }
    }
}

/// Parses `seed=`.
pub fn parse_seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    parse_integer_in(value, "seed=", 0..=u64::MAX)
}

/// Parses `threads=`.
pub fn parse_threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let threads = not_none(Some(value))
        .map(|value| parse_integer_in(value, "threads=", 1..=MAX_THREADS))
        .transpose()?;
    Ok(threads.map(|threads| threads as usize))
}

/// Parses `limit=`.
pub fn parse_limit(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    not_none(Some(value)).map(|value| parse_integer_in(value, "limit=", 0..=u64::MAX)).transpose()
}

/// Parses `number=`, the number of tours to draw.
pub fn parse_number_of_tours(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    parse_integer_in(value, "number=", 0..=u64::MAX)
}

/// Parses `attempts=`.
pub fn parse_attempts(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    parse_integer_in(value, "attempts=", 1..=u64::MAX)
}

/// Parses `probes=`.
pub fn parse_probes(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    parse_integer_in(value, "probes=", 2..=1_000_000).map(|probes| probes as u32)
}

/// Parses `order=`.
pub fn parse_order(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    parse_integer_in(value, "order=", 1..=100_000).map(|order| order as usize)
}

/// Parses `modulus=`.
pub fn parse_modulus(value: &Bound<'_, PyAny>) -> PyResult<Option<ResidueRing>> {
    let modulus = not_none(Some(value))
        .map(|value| parse_integer_in(value, "modulus=", 2..=u32::MAX.into()))
        .transpose()?;
    Ok(modulus.and_then(|modulus| ResidueRing::new(modulus as u32)))
}

/// Parses `columns=`.
pub fn parse_columns(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let columns =
        not_none(Some(value)).map(|value| parse_integer_in(value, "columns=", 1..=1_000_000)).transpose()?;
    Ok(columns.map(|columns| columns as usize))
}

/// Parses a real number. Returns `None` for the Python value `None`.
fn parse_real(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<f64>> {
    let Some(value) = not_none(Some(value)) else { return Ok(None) };
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract().ok() };
    number.map(Some).ok_or_else(|| type_error(name, "a number", value))
}

/// Parses `cell=`.
pub fn parse_cell(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    parse_real(value, "cell=")
}

/// Parses `animate=`.
pub fn parse_animate(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    parse_real(value, "animate=")
}

pub fn parse_flag(value: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    value.extract().map_err(|_| type_error(name, "True or False", value))
}

/// Parses `distinct=`.
pub fn parse_distinct(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    parse_flag(value, "distinct=")
}

/// Parses `directed=`.
pub fn parse_directed(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    parse_flag(value, "directed=")
}

/// Parses `per_start=`.
pub fn parse_per_start(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    parse_flag(value, "per_start=")
}

/// Parses `force=`.
pub fn parse_force(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    parse_flag(value, "force=")
}

/// Parses `closed=`.
pub fn parse_closed(value: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    not_none(Some(value)).map(|value| parse_flag(value, "closed=")).transpose()
}

/// Parses `numbers=` of a picture: whether it shows the move numbers.
pub fn parse_numbers(value: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    not_none(Some(value)).map(|value| parse_flag(value, "numbers=")).transpose()
}

/// Parses a text. Returns `None` if the argument is missing or is the Python value `None`.
pub fn parse_text(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Option<String>> {
    not_none(value).map(|value| value.extract().map_err(|_| type_error(name, "text", value))).transpose()
}

/// Parses the path of a file or folder. Returns `None` for the Python value `None`. An empty path
/// is an error.
fn parse_path(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<PathBuf>> {
    let Some(value) = not_none(Some(value)) else { return Ok(None) };
    match value.extract::<PathBuf>() {
        Ok(path) if path.as_os_str().is_empty() => {
            Err(usage_error(format!("{name}\"\" is empty; use a path")))
        }
        path => path.map(Some).map_err(|_| type_error(name, "a path", value)),
    }
}

/// Parses `checkpoint=`.
pub fn parse_checkpoint(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    parse_path(value, "checkpoint=")
}

/// Parses `folder=`, the folder of an index.
pub fn parse_folder(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    parse_path(value, "folder=")
}

/// Parses a text that must be one of several words. `known` returns the word that a text names, and
/// `all` lists the words in the error.
fn parse_word(
    value: &Bound<'_, PyAny>,
    name: &str,
    known: impl Fn(&str) -> Option<&'static str>,
    all: &str,
) -> PyResult<&'static str> {
    let text: String = value.extract().map_err(|_| type_error(name, all, value))?;
    known(&text).ok_or_else(|| usage_error(format!("{name}{} is unknown; use {all}", short_repr(value))))
}

/// Parses `kind=`.
pub fn parse_kind_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    parse_word(
        value,
        "kind=",
        |name| Kind::from_name(name).map(Kind::name),
        "\"closed\", \"open\" or \"paths\"",
    )
}

/// Parses `kind=`, or `None` for all kinds.
pub fn parse_optional_kind_word(value: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
    not_none(Some(value)).map(parse_kind_word).transpose()
}

/// Returns the kind whose name `parse_kind_word` has returned.
pub fn kind_of_word(word: &str) -> Kind {
    Kind::from_name(word).expect("the parser of the argument accepted the word")
}

/// Parses `engine=`.
pub fn parse_engine_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let all = "\"auto\", \"backtrack\", \"multipath\" or \"frontier\"";
    parse_word(value, "engine=", |name| Engine::from_name(name).map(Engine::name), all)
}

/// Returns the engine whose name `parse_engine_word` has returned.
pub fn engine_of_word(word: &str) -> Engine {
    Engine::from_name(word).expect("the parser of the argument accepted the word")
}

/// Parses `coordinates=`.
pub fn parse_coordinates_word(value: &Bound<'_, PyAny>) -> PyResult<Option<CoordinateOrder>> {
    let all = [CoordinateOrder::RowColumn, CoordinateOrder::Xy];
    let known = |name: &str| all.into_iter().find(|order| order.name() == name).map(CoordinateOrder::name);
    let parse = |value| parse_word(value, "coordinates=", known, "\"row,column\" or \"x,y\"");
    let word = not_none(Some(value)).map(parse).transpose()?;
    Ok(all.into_iter().find(|order| word == Some(order.name())))
}

/// Parses `palette=`.
pub fn parse_palette_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let all = ["wood", "viridis", "mono"];
    let known = |name: &str| all.into_iter().find(|&one| one == name);
    parse_word(value, "palette=", known, "\"wood\", \"viridis\" or \"mono\"")
}

/// Parses `rule=`.
pub fn parse_rule_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let known = |name: &str| Rule::ALL.iter().map(|rule| rule.name).find(|&one| one == name);
    let all = "\"auto\", \"warnsdorff\", \"warnsdorff-first\", \"pohl\", \"pohl-3\" to \"pohl-6\", \"roth\", \
               \"squirrel-cull\", \"w2\" or \"w+\"";
    parse_word(value, "rule=", known, all)
}

/// Parses `symmetry=`. If `kind` is given, the symmetry must be defined for tours of this kind.
pub fn parse_symmetry(value: &Bound<'_, PyAny>, kind: Option<Kind>) -> PyResult<NamedSymmetry> {
    let all = NamedSymmetry::ALL.map(|named| format!("\"{}\"", named.name())).join(", ");
    let name: String = value.extract().map_err(|_| type_error("symmetry=", &all, value))?;
    let named = NamedSymmetry::from_name(&name)
        .ok_or_else(|| usage_error(format!("symmetry=\"{name}\" is unknown; use one of {all}")))?;
    if kind.is_some_and(|kind| !named.applies_to(kind)) {
        return Err(usage_error(format!(
            "symmetry=\"{name}\" is for closed tours only; use kind=\"closed\" or symmetry=\"rot180\""
        )));
    }
    Ok(named)
}

/// Parses `memory=`: a number of bytes, or a text such as `8G`.
pub fn parse_memory(size: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
    let Some(size) = not_none(size) else { return Ok(None) };
    if let Ok(text) = size.extract::<String>() {
        return ktour::memory::parse_size(&text)
            .map(Some)
            .map_err(|why| usage_error(format!("memory: {why}")));
    }
    if to_integer(size, "memory=").is_err() {
        return Err(type_error("memory=", "a number of bytes, or text such as \"8G\"", size));
    }
    parse_integer_in(size, "memory=", 1..=u64::MAX).map(Some)
}

/// Returns the element of a sequence at an index, or the list of the elements of a slice. `len` is
/// the length of the sequence, `item_at` returns the element at a position, and `item_name` names
/// an element in the error.
pub fn get_items<'py>(
    index: &Bound<'py, PyAny>,
    len: usize,
    item_name: &str,
    item_at: impl Fn(usize) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let len = len as isize;
    if let Ok(slice) = index.cast::<PySlice>() {
        let range = slice.indices(len)?;
        let places = (0..range.slicelength as isize).map(|i| range.start + i * range.step);
        let all: PyResult<Vec<_>> = places.map(|place| item_at(place as usize)).collect();
        return Ok(PyList::new(index.py(), all?)?.into_any());
    }
    let integer = to_integer(index, "an index")
        .map_err(|_| type_error("an index", "a whole number or a slice", index))?;
    // An integer beyond `isize` is out of range.
    let position = integer.extract::<isize>().ok().map(|place| if place < 0 { place + len } else { place });
    match position.filter(|own| (0..len).contains(own)) {
        Some(own) => item_at(own as usize),
        None => {
            Err(PyIndexError::new_err(format!("there is no {item_name} {integer}; numbers are below {len}")))
        }
    }
}

/// Returns `position` if it lies between `start` and `stop`, the optional arguments of the Python
/// method `index`. `len` is the length of the sequence.
///
/// # Errors
/// A `ValueError` that names `value`, the element that was searched for.
pub fn check_between(
    position: usize,
    len: usize,
    (start, stop): (Option<&Bound<'_, PyAny>>, Option<&Bound<'_, PyAny>>),
    value: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    let end = |bound: Option<&Bound<'_, PyAny>>, name: &str, default: usize| -> PyResult<usize> {
        let Some(argument) = not_none(bound) else { return Ok(default) };
        let whole = to_integer(argument, name)?;
        let is_from_end = whole.lt(0)?;
        let Ok(offset) = whole.extract::<isize>() else { return Ok(if is_from_end { 0 } else { len }) };
        Ok(if is_from_end { len.saturating_sub(offset.unsigned_abs()) } else { offset as usize })
    };
    if (end(start, "start", 0)?..end(stop, "stop", len)?).contains(&position) {
        return Ok(position);
    }
    Err(PyValueError::new_err(format!("{} is not between start and stop", short_repr(value))))
}
