//! Types of arguments: flags, texts and paths, numbers within a range, words of a list, and amounts of memory.
//!
//! Each type is extracted from a Python value. For a value of a wrong type, they raise a `TypeError`, and for a value
//! that is not allowed an `InvalidInputError` (a `ValueError`). Both name the argument, the value and the allowed
//! values.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use ktour::BigUint;
use ktour::board::Wrap;
use ktour::count::job_spec::Choice;
use ktour::count::symmetric::NamedSymmetry;
use ktour::count::{Engine, TourTree};
use ktour::heuristic::Rule;
use ktour::tour::{CoordinateOrder, Kind, Palette};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyIterator};

use super::errors::invalid_input;

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

/// Returns the `TypeError` of an argument. `remedy` is what to use instead, such as `use a path`. PyO3 adds the name
/// of an argument only as a note, since Python 3.11.
fn wrong_type(name: &str, value: Borrowed<'_, '_, PyAny>, remedy: &str) -> PyErr {
    let of_type = value.get_type().name().map_or_else(|_| "another type".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{name}: {} is of type {of_type}; {remedy}", short_repr(&value)))
}

/// Returns an iterator over a Python value.
///
/// # Errors
/// The `TypeError` of `message` if the value is no iterable, or the exception of its `__iter__`.
pub fn iterate<'py>(
    value: &Bound<'py, PyAny>,
    message: impl FnOnce() -> String,
) -> PyResult<Bound<'py, PyIterator>> {
    value.try_iter().map_err(|error| match error.is_instance_of::<PyTypeError>(value.py()) {
        true => PyTypeError::new_err(message()),
        false => error,
    })
}

/// Returns the error of an argument that cannot be extracted: `InvalidInputError` for a number that is too large, else
/// `TypeError`.
fn extract_error(name: &str, value: Borrowed<'_, '_, PyAny>, error: &PyErr, remedy: &str) -> PyErr {
    match error.is_instance_of::<PyOverflowError>(value.py()) {
        true => invalid_input(format!("{name}={} is out of range; {remedy}", short_repr(&value))),
        false => wrong_type(name, value, remedy),
    }
}

/// Defines types of arguments with any value of a Rust type: the name of a type, its Rust type, the name of its
/// argument, and the remedy for other values.
macro_rules! values {
    ($($type:ident($value:ty), $name:literal, $remedy:literal;)+) => {$(
        #[doc = concat!("The argument `", $name, "`.")]
        #[derive(Clone, Debug)]
        pub struct $type(pub $value);

        impl<'a, 'py> FromPyObject<'a, 'py> for $type {
            type Error = PyErr;

            fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
                value.extract().map(Self).map_err(|error: PyErr| extract_error($name, value, &error, $remedy))
            }
        }
    )+};
}

values! {
    Distinct(bool), "distinct", "use True or False";
    Directed(bool), "directed", "use True or False";
    PerStart(bool), "per_start", "use True or False";
    Force(bool), "force", "use True or False";
    Mixed(bool), "mixed", "use True or False";
    Closed(bool), "closed", "use True or False";
    HasNumbers(bool), "numbers", "use True or False";
    Cell(f64), "cell", "use a number of pixels";
    Animate(f64), "animate", "use a number of seconds";
    Checkpoint(PathBuf), "checkpoint", "use a path";
    Folder(PathBuf), "folder", "use a path";
    TourFile(PathBuf), "path", "use a path";
    PieceName(String), "piece", "use text such as \"king\"";
    MoveOrder(String), "moves", "use text such as \"2,1 1,2\"";
    Text(String), "text", "use text";
    SquareSigns(String), "squares", "use text";
    HoleSigns(String), "holes", "use text";
    Grid(Vec<Vec<i64>>), "grid", "use rows of move numbers";
}

/// Remedy for a value that is not an integer.
const INTEGER_REMEDY: &str = "use an integer";

/// Defines types of positions in a sequence, of which those beyond `isize` are cut off as in `list.index`: the name of a
/// type, and the name of its argument.
macro_rules! positions {
    ($($type:ident, $name:literal;)+) => {$(
        #[doc = concat!("The argument `", $name, "`, a position.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $type(pub isize);

        impl<'a, 'py> FromPyObject<'a, 'py> for $type {
            type Error = PyErr;

            fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
                match value.extract::<isize>() {
                    Ok(position) => Ok(Self(position)),
                    Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
                        Ok(Self(if value.lt(0)? { isize::MIN } else { isize::MAX }))
                    }
                    Err(_) => Err(wrong_type($name, value, INTEGER_REMEDY)),
                }
            }
        }
    )+};
}

positions! {
    FirstPosition, "start";
    LastPosition, "stop";
}

/// Extracts a whole number that must lie in `range`. The error names the argument `name`. `remedy` is that for values
/// of other types, such as True and 1.5.
fn extract_integer(
    value: Borrowed<'_, '_, PyAny>,
    name: &str,
    range: RangeInclusive<u64>,
    remedy: &str,
) -> PyResult<u64> {
    match value.extract::<u64>() {
        _ if value.is_instance_of::<PyBool>() => Err(wrong_type(name, value, remedy)),
        Ok(number) if range.contains(&number) => Ok(number),
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => {
            Err(wrong_type(name, value, remedy))
        }
        _ => {
            let (least, most) = range.into_inner();
            let most = if most == u64::MAX { "2**64 - 1".to_owned() } else { most.to_string() };
            Err(invalid_input(format!(
                "{name}={} is out of range; use a number from {least} to {most}",
                short_repr(&value)
            )))
        }
    }
}

/// Defines types of whole numbers: the name of a type, its Rust number, the name of its argument, and the range.
macro_rules! integers {
    ($($type:ident($number:ty), $name:literal, $range:expr;)+) => {$(
        #[doc = concat!("The argument `", $name, "`, a whole number.")]
        #[derive(Clone, Copy, Debug)]
        pub struct $type(pub $number);

        impl<'a, 'py> FromPyObject<'a, 'py> for $type {
            type Error = PyErr;

            fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
                extract_integer(value, $name, $range, INTEGER_REMEDY).map(|number| Self(number as $number))
            }
        }
    )+};
}

integers! {
    Seed(u64), "seed", 0..=u64::MAX;
    Threads(usize), "threads", 1..=1024;
    Limit(u64), "limit", 0..=u64::MAX;
    SampleSize(u64), "number", 0..=u64::MAX;
    Attempts(u64), "attempts", 1..=u64::MAX;
    Probes(u32), "probes", 2..=1_000_000;
    Order(usize), "order", 1..=100_000;
    Modulus(u32), "modulus", 2..=u32::MAX.into();
    Columns(usize), "columns", 1..=1_000_000;
    Depth(usize), "depth", 1..=TourTree::MAX_DEPTH as u64;
}

/// The argument `memory` in bytes: a whole number, or text such as `8G`.
#[derive(Clone, Copy, Debug)]
pub struct Memory(pub u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Memory {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match value.extract::<String>() {
            Ok(text) => ktour::memory::parse_size(&text)
                .map(Self)
                .map_err(|why| invalid_input(format!("memory={text:?}: {why}"))),
            Err(_) => {
                let remedy = "use an integer number of bytes, or text such as \"8G\"";
                extract_integer(value, "memory", 1..=u64::MAX, remedy).map(Self)
            }
        }
    }
}

/// A number of any size, such as the number of a tour. Small numbers are extracted fast.
#[derive(Clone, Debug)]
pub struct Natural(pub BigUint);

impl<'a, 'py> FromPyObject<'a, 'py> for Natural {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match value.extract::<u64>() {
            Ok(small) => Ok(Self(small.into())),
            Err(_) => value.extract().map(Self),
        }
    }
}

/// Converts a number to a Python `int`, a small one fast.
pub fn to_int<'py>(py: Python<'py>, number: &BigUint) -> PyResult<Bound<'py, PyAny>> {
    match u64::try_from(number) {
        Ok(small) => Ok(small.into_pyobject(py)?.into_any()),
        Err(_) => Ok(number.into_pyobject(py)?.into_any()),
    }
}

/// A value that Python code names by a word.
pub trait Word: Sized + 'static {
    /// Name of the argument.
    const ARGUMENT: &str;

    /// Returns all words.
    fn words() -> Vec<&'static str>;

    /// Returns the value that a word names.
    fn from_word(word: &str) -> Option<Self>;
}

/// An argument that is one of several words.
#[derive(Clone, Copy, Debug)]
pub struct Named<T>(pub T);

impl<'a, 'py, T: Word> FromPyObject<'a, 'py> for Named<T> {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let (name, shown) = (T::ARGUMENT, short_repr(&value));
        let words = || T::words().iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
        let Ok(word) = value.extract::<String>() else {
            return Err(wrong_type(name, value, &format!("use one of {}", words())));
        };
        T::from_word(&word).map(Self).ok_or_else(|| {
            invalid_input(format!("{name}={shown} is unknown; use one of {}{}", words(), hint(name, &word)))
        })
    }
}

/// Returns a further remedy for a word that is a property of tours, but not a value of an argument.
fn hint(argument: &str, word: &str) -> &'static str {
    match argument {
        "kind" if word == "re-entrant" => "; re-entrant tours are among the \"paths\"",
        "symmetry" if word == "asymmetric" || word.contains(' ') => {
            "; a class such as tour.symmetry names all symmetries of a tour"
        }
        _ => "",
    }
}

/// Implements [`Word`]: the type, its argument, its words, and the conversion of a word.
macro_rules! words {
    ($($type:ty, $argument:literal, $words:expr, $from_word:expr;)+) => {$(
        impl Word for $type {
            const ARGUMENT: &str = $argument;

            fn words() -> Vec<&'static str> {
                $words.into()
            }

            fn from_word(word: &str) -> Option<Self> {
                $from_word(word)
            }
        }
    )+};
}

words! {
    Kind, "kind", Kind::ALL.map(Kind::name), Kind::from_name;
    Engine, "engine", ["auto", "backtrack", "multipath", "frontier"], Engine::from_name;
    NamedSymmetry, "symmetry", NamedSymmetry::ALL.map(NamedSymmetry::name), NamedSymmetry::from_name;
    Wrap, "wrap", Wrap::ALL.map(Wrap::name), |word: &str| word.parse().ok();
    Rule, "rule", Rule::ALL.map(|rule| rule.name), |word: &str| {
        Rule::ALL.into_iter().find(|rule| rule.name == word)
    };
    Palette, "palette", ["wood", "viridis", "mono"], |word: &str| match word {
        "wood" => Some(Self::Wood),
        "viridis" => Some(Self::Viridis),
        "mono" => Some(Self::Mono),
        _ => None,
    };
    CoordinateOrder, "coordinates", ["row,column", "x,y"], |word: &str| {
        [Self::RowColumn, Self::Xy].into_iter().find(|order| order.name() == word)
    };
}

/// Returns the argument that makes a choice, with its value if the choice determines it: `kind="closed"`.
pub fn argument_name(choice: Choice) -> String {
    match choice {
        Choice::Kind(kind) => format!("kind=\"{}\"", kind.name()),
        Choice::SymmetryName(symmetry) => format!("symmetry=\"{}\"", symmetry.name()),
        Choice::Engine(engine) => format!("engine=\"{}\"", engine.name()),
        Choice::Start => "start=".to_owned(),
        Choice::End => "end=".to_owned(),
        Choice::Distinct => "distinct=".to_owned(),
        Choice::Directed => "directed=".to_owned(),
        Choice::Symmetry => "symmetry=".to_owned(),
        Choice::PerStart => "per_start=".to_owned(),
        Choice::Modulus => "modulus=".to_owned(),
        Choice::MoveOrder => "moves=".to_owned(),
        // Restrictions belong to the board, and `classes` is a function of its own.
        other => other.to_string(),
    }
}
