//! Parsers of Python arguments: numbers, names, sizes and paths. Every error names its argument.
//!
//! Parsers for `from_py_with` do not know the name of their argument, so each argument has its own. Those
//! ending in `_word` return the text, which keeps the argument's default in the Python signature.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use ktour::count::Engine;
use ktour::count::symmetric::Named;
use ktour::frontier::Lane;
use ktour::tour::Kind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors::usage;

/// Largest number of threads, as on the command line.
const MOST_THREADS: u64 = 1024;

/// Longest excerpt of a value in an error, in characters.
const SHOWN: usize = 60;

/// Returns the `repr` of a value on one line, shortened to 60 characters.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map_or_else(|_| "that".to_owned(), |text| text.to_string());
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Returns a `TypeError`: `name` requires `takes`, and got `value`.
pub fn wrong(name: &str, takes: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name} takes {takes}, not {}", shown(value)))
}

/// Returns an argument unless it is `None`.
pub fn given<'a, 'py>(value: Option<&'a Bound<'py, PyAny>>) -> Option<&'a Bound<'py, PyAny>> {
    value.filter(|value| !value.is_none())
}

/// Converts a value to a Python `int`: an `int`, or an integer of numpy. `name` is the argument in the error.
///
/// # Errors
/// A `TypeError` for other values, including truth values.
pub fn integer<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let is_flag = value.is_instance_of::<PyBool>()
        || value.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_");
    if is_flag {
        return Err(wrong(name, "a whole number", value));
    }
    let operator = value.py().import("operator")?;
    operator.call_method1("index", (value,)).map_err(|_| wrong(name, "a whole number", value))
}

/// Parses a whole number of a range.
fn whole(value: &Bound<'_, PyAny>, name: &str, range: RangeInclusive<u64>) -> PyResult<u64> {
    let integer = integer(value, name)?;
    match integer.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = range.into_inner();
            let takes = match most {
                u64::MAX => format!("a number from {least} to 2**64 - 1"),
                most => format!("a number from {least} to {most}"),
            };
            Err(usage(format!("{name}{} is out of range; use {takes}", shown(&integer))))
        }
    }
}

/// Parses `seed=`.
pub fn seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "seed=", 0..=u64::MAX)
}

/// Parses `threads=`.
pub fn threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let asked = given(Some(value)).map(|value| whole(value, "threads=", 1..=MOST_THREADS)).transpose()?;
    Ok(asked.map(|threads| threads as usize))
}

/// Parses `limit=`.
pub fn limit(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    given(Some(value)).map(|value| whole(value, "limit=", 0..=u64::MAX)).transpose()
}

/// Parses `number=`, the number of tours to draw.
pub fn number(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "number=", 0..=u64::MAX)
}

/// Parses `attempts=`.
pub fn attempts(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "attempts=", 1..=u64::MAX)
}

/// Parses `probes=`.
pub fn probes(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole(value, "probes=", 2..=1_000_000).map(|probes| probes as u32)
}

/// Parses `order=`.
pub fn order(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole(value, "order=", 1..=100_000).map(|order| order as usize)
}

/// Parses `modulus=`.
pub fn modulus(value: &Bound<'_, PyAny>) -> PyResult<Option<Lane>> {
    let asked = given(Some(value)).map(|value| whole(value, "modulus=", 2..=u32::MAX.into())).transpose()?;
    Ok(asked.and_then(|modulus| Lane::new(modulus as u32)))
}

/// Parses `columns=`.
pub fn columns(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let asked = given(Some(value)).map(|value| whole(value, "columns=", 1..=1_000_000)).transpose()?;
    Ok(asked.map(|columns| columns as usize))
}

/// Parses a real number, or nothing.
fn real(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<f64>> {
    let Some(value) = given(Some(value)) else { return Ok(None) };
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract().ok() };
    number.map(Some).ok_or_else(|| wrong(name, "a number", value))
}

/// Parses `cell=`.
pub fn cell(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    real(value, "cell=")
}

/// Parses `animate=`.
pub fn animate(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    real(value, "animate=")
}

fn flag(value: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    value.extract().map_err(|_| wrong(name, "True or False", value))
}

/// Parses `distinct=`.
pub fn distinct(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(value, "distinct=")
}

/// Parses `directed=`.
pub fn directed(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(value, "directed=")
}

/// Parses `per_start=`.
pub fn per_start(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(value, "per_start=")
}

/// Parses `force=`.
pub fn force(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(value, "force=")
}

/// Parses `closed=`.
pub fn closed(value: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    given(Some(value)).map(|value| flag(value, "closed=")).transpose()
}

/// Parses `numbers=` of a picture.
pub fn numbers(value: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    given(Some(value)).map(|value| flag(value, "numbers=")).transpose()
}

/// Parses a text argument, or nothing.
pub fn text(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Option<String>> {
    given(value).map(|value| value.extract().map_err(|_| wrong(name, "text", value))).transpose()
}

/// Parses the path of a file or folder, or nothing. An empty path is an error.
fn path(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<PathBuf>> {
    let Some(value) = given(Some(value)) else { return Ok(None) };
    match value.extract::<PathBuf>() {
        Ok(path) if path.as_os_str().is_empty() => Err(usage(format!("{name}\"\" is empty; use a path"))),
        path => path.map(Some).map_err(|_| wrong(name, "a path", value)),
    }
}

/// Parses `checkpoint=`.
pub fn checkpoint(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    path(value, "checkpoint=")
}

/// Parses `folder=`, which functions that pass it on call `index=`.
pub fn folder(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    path(value, "folder=")
}

/// Parses one of several words. `known` returns the word that a text names, and `all` lists the words in the
/// error.
fn word(
    value: &Bound<'_, PyAny>,
    name: &str,
    known: impl Fn(&str) -> Option<&'static str>,
    all: &str,
) -> PyResult<&'static str> {
    let text: String = value.extract().map_err(|_| wrong(name, all, value))?;
    known(&text).ok_or_else(|| usage(format!("{name}{} is unknown; use {all}", shown(value))))
}

/// Parses `kind=`.
pub fn kind_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    word(value, "kind=", |name| Kind::from_name(name).map(Kind::name), "\"closed\", \"open\" or \"paths\"")
}

/// Parses `kind=`, or `None` for all kinds.
pub fn some_kind(value: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
    given(Some(value)).map(kind_word).transpose()
}

/// Returns the kind of a word that `parse_kind_word` has accepted.
pub fn kind(word: &str) -> Kind {
    Kind::from_name(word).expect("the parser of the argument accepted the word")
}

/// Parses `engine=`.
pub fn engine_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let all = "\"auto\", \"backtrack\", \"multipath\" or \"frontier\"";
    word(value, "engine=", |name| Engine::from_name(name).map(Engine::name), all)
}

/// Returns the engine of a word that `parse_engine_word` has accepted.
pub fn engine(word: &str) -> Engine {
    Engine::from_name(word).expect("the parser of the argument accepted the word")
}

/// Parses `palette=`.
pub fn palette_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let all = ["wood", "viridis", "mono"];
    let known = |name: &str| all.into_iter().find(|&one| one == name);
    word(value, "palette=", known, "\"wood\", \"viridis\" or \"mono\"")
}

/// Parses `rule=`.
pub fn rule_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    const ALL: [&str; 12] = [
        "auto",
        "warnsdorff",
        "warnsdorff-first",
        "pohl",
        "pohl-3",
        "pohl-4",
        "pohl-5",
        "pohl-6",
        "roth",
        "squirrel-cull",
        "w2",
        "w+",
    ];
    let known = |name: &str| ALL.into_iter().find(|&one| one == name);
    let all = "\"auto\", \"warnsdorff\", \"warnsdorff-first\", \"pohl\", \"pohl-3\" to \"pohl-6\", \"roth\", \
               \"squirrel-cull\", \"w2\" or \"w+\"";
    word(value, "rule=", known, all)
}

/// Parses `symmetry=`. If `kind` is given, the symmetry must apply to it.
pub fn symmetry(value: &Bound<'_, PyAny>, kind: Option<Kind>) -> PyResult<Named> {
    let all = Named::ALL.map(|named| format!("\"{}\"", named.name())).join(", ");
    let name: String = value.extract().map_err(|_| wrong("symmetry=", &all, value))?;
    let named = Named::from_name(&name)
        .ok_or_else(|| usage(format!("symmetry=\"{name}\" is unknown; use one of {all}")))?;
    if kind.is_some_and(|kind| !named.is_of(kind)) {
        return Err(usage(format!(
            "symmetry=\"{name}\" is for closed tours only; use kind=\"closed\" or symmetry=\"rot180\""
        )));
    }
    Ok(named)
}

/// Parses `memory=`: bytes, or text such as `8G`.
pub fn memory(size: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
    let Some(size) = given(size) else { return Ok(None) };
    if let Ok(text) = size.extract::<String>() {
        return ktour::memory::parse_size(&text).map(Some).map_err(|why| usage(format!("memory: {why}")));
    }
    if integer(size, "memory=").is_err() {
        return Err(wrong("memory=", "a number of bytes, or text such as \"8G\"", size));
    }
    whole(size, "memory=", 1..=u64::MAX).map(Some)
}
