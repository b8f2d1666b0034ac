//! Types of arguments: numbers within a range, words of a list, and amounts of memory.
//!
//! Each type is extracted from a Python value. For a value of a wrong type, they raise the `TypeError` of PyO3 with the
//! name of the argument. For a value that is not allowed, the types raise an `InvalidInputError` (a `ValueError`), which names
//! the argument, the value and the allowed values.

use std::ops::RangeInclusive;

use ktour::BigUint;
use ktour::board::Wrap;
use ktour::count::symmetric::NamedSymmetry;
use ktour::count::{Engine, TourTree};
use ktour::heuristic::Rule;
use ktour::tour::{CoordinateOrder, Kind, Palette};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

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

/// Returns the `TypeError` of an argument with its name. PyO3 adds the name only as a note, since Python 3.11.
fn name_argument(name: &str, error: &PyErr, value: Borrowed<'_, '_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name}: {}", error.value(value.py())))
}

/// Extracts a whole number that must lie in `range`. The error names the argument `name`.
fn extract_integer(value: Borrowed<'_, '_, PyAny>, name: &str, range: RangeInclusive<u64>) -> PyResult<u64> {
    match value.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => {
            Err(name_argument(name, &error, value))
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
                extract_integer(value, $name, $range).map(|number| Self(number as $number))
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
            Err(_) => extract_integer(value, "memory", 1..=u64::MAX).map(Self),
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
            let of_type = value.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "{name}: {shown} is of type {of_type}; use one of {}",
                words()
            )));
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

/// Returns an error if a symmetry is not defined for the tours of a kind.
pub fn check_symmetry_of_kind(named: NamedSymmetry, kind: Option<Kind>) -> PyResult<()> {
    if kind.is_none_or(|kind| named.applies_to(kind)) {
        return Ok(());
    }
    let name = named.name();
    Err(invalid_input(format!(
        "symmetry=\"{name}\" is for closed tours only; use kind=\"closed\" or symmetry=\"rot180\""
    )))
}
