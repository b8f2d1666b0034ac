//! What callers write for numbers, names and sizes, and what they are told of anything else.
//!
//! Every argument says its own name when it is refused. Functions that end in `_word` or take a number are for
//! `from_py_with`: so an argument keeps its default in the signature.

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

/// Most threads that can be asked for, as on the command line.
const MOST_THREADS: u64 = 1024;

/// Letters of a value that are shown of it.
const SHOWN: usize = 60;

/// A value of the caller's, as far as it fits a line.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map_or_else(|_| "that".to_owned(), |text| text.to_string());
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// `name` takes something else.
pub fn wrong(name: &str, takes: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name} takes {takes}, not {}", shown(value)))
}

/// Whether `name` was given: None stands for nothing.
pub fn given<'a, 'py>(value: Option<&'a Bound<'py, PyAny>>) -> Option<&'a Bound<'py, PyAny>> {
    value.filter(|value| !value.is_none())
}

/// The Python integer that a value is: an `int`, or what numpy has of them. Truth values are none.
pub fn integer<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let is_flag = value.is_instance_of::<PyBool>()
        || value.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_");
    if is_flag {
        return Err(wrong(name, "a whole number", value));
    }
    let operator = value.py().import("operator")?;
    operator.call_method1("index", (value,)).map_err(|_| wrong(name, "a whole number", value))
}

/// A whole number of a range.
fn whole(value: &Bound<'_, PyAny>, name: &str, range: RangeInclusive<u64>) -> PyResult<u64> {
    let integer = integer(value, name)?;
    match integer.extract::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = range.into_inner();
            let takes = match most {
                u64::MAX => format!("numbers from {least} to 2**64 - 1"),
                most => format!("numbers from {least} to {most}"),
            };
            Err(usage(format!("{name}{} is none: it takes {takes}", shown(&integer))))
        }
    }
}

/// `seed=`.
pub fn seed(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "seed=", 0..=u64::MAX)
}

/// `threads=`.
pub fn threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let asked = given(Some(value)).map(|value| whole(value, "threads=", 1..=MOST_THREADS)).transpose()?;
    Ok(asked.map(|threads| threads as usize))
}

/// `limit=`.
pub fn limit(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    given(Some(value)).map(|value| whole(value, "limit=", 0..=u64::MAX)).transpose()
}

/// `number=` of tours.
pub fn number(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "number=", 0..=u64::MAX)
}

/// `attempts=`.
pub fn attempts(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole(value, "attempts=", 1..=u64::MAX)
}

/// `probes=`.
pub fn probes(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole(value, "probes=", 2..=1_000_000).map(|probes| probes as u32)
}

/// `order=`.
pub fn order(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole(value, "order=", 1..=100_000).map(|order| order as usize)
}

/// `modulus=`.
pub fn modulus(value: &Bound<'_, PyAny>) -> PyResult<Option<Lane>> {
    let asked = given(Some(value)).map(|value| whole(value, "modulus=", 2..=u32::MAX.into())).transpose()?;
    Ok(asked.and_then(|modulus| Lane::new(modulus as u32)))
}

/// `columns=`.
pub fn columns(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let asked = given(Some(value)).map(|value| whole(value, "columns=", 1..=1_000_000)).transpose()?;
    Ok(asked.map(|columns| columns as usize))
}

/// A number that need not be whole.
fn real(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<f64>> {
    let Some(value) = given(Some(value)) else { return Ok(None) };
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract().ok() };
    number.map(Some).ok_or_else(|| wrong(name, "a number", value))
}

/// `cell=`.
pub fn cell(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    real(value, "cell=")
}

/// `animate=`.
pub fn animate(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    real(value, "animate=")
}

fn flag(value: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    value.extract().map_err(|_| wrong(name, "True or False", value))
}

/// `distinct=`.
pub fn distinct(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(value, "distinct=")
}

/// `directed=`.
pub fn directed(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(value, "directed=")
}

/// `per_start=`.
pub fn per_start(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(value, "per_start=")
}

/// `force=`.
pub fn force(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag(value, "force=")
}

/// `closed=`.
pub fn closed(value: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    given(Some(value)).map(|value| flag(value, "closed=")).transpose()
}

/// `numbers=` of a picture.
pub fn numbers(value: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    given(Some(value)).map(|value| flag(value, "numbers=")).transpose()
}

/// Text, or nothing.
pub fn text(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Option<String>> {
    given(value).map(|value| value.extract().map_err(|_| wrong(name, "text", value))).transpose()
}

/// The path of a file or folder, or nothing.
fn path(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<PathBuf>> {
    let Some(value) = given(Some(value)) else { return Ok(None) };
    match value.extract::<PathBuf>() {
        Ok(path) if path.as_os_str().is_empty() => Err(usage(format!("{name}\"\" is no path"))),
        path => path.map(Some).map_err(|_| wrong(name, "a path", value)),
    }
}

/// `checkpoint=`.
pub fn checkpoint(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    path(value, "checkpoint=")
}

/// `folder=`, `index=` where an index is only passed on.
pub fn folder(value: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    path(value, "folder=")
}

/// A word of few, as it is written.
fn word(
    value: &Bound<'_, PyAny>,
    name: &str,
    known: impl Fn(&str) -> Option<&'static str>,
    all: &str,
) -> PyResult<&'static str> {
    let text: String = value.extract().map_err(|_| wrong(name, all, value))?;
    known(&text).ok_or_else(|| usage(format!("{name}{} is none: take {all}", shown(value))))
}

/// `kind=`.
pub fn kind_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    word(value, "kind=", |name| Kind::from_name(name).map(Kind::name), "\"closed\", \"open\" or \"paths\"")
}

/// `kind=`, or all kinds.
pub fn some_kind(value: &Bound<'_, PyAny>) -> PyResult<Option<&'static str>> {
    given(Some(value)).map(kind_word).transpose()
}

/// The kind of a word that is one.
pub fn kind(word: &str) -> Kind {
    Kind::from_name(word).expect("it was looked whether it is one")
}

/// `engine=`.
pub fn engine_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let all = "\"auto\", \"backtrack\", \"multipath\" or \"frontier\"";
    word(value, "engine=", |name| Engine::from_name(name).map(Engine::name), all)
}

/// The engine of a word that is one.
pub fn engine(word: &str) -> Engine {
    Engine::from_name(word).expect("it was looked whether it is one")
}

/// `palette=`.
pub fn palette_word(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let all = ["wood", "viridis", "mono"];
    let known = |name: &str| all.into_iter().find(|&one| one == name);
    word(value, "palette=", known, "\"wood\", \"viridis\" or \"mono\"")
}

/// `rule=`.
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

/// `symmetry=`, of a kind if one was named.
pub fn symmetry(value: &Bound<'_, PyAny>, kind: Option<Kind>) -> PyResult<Named> {
    let all = Named::ALL.map(|named| format!("\"{}\"", named.name())).join(", ");
    let name: String = value.extract().map_err(|_| wrong("symmetry=", &all, value))?;
    let named = Named::from_name(&name)
        .ok_or_else(|| usage(format!("symmetry=\"{name}\" is none: take one of {all}")))?;
    if kind.is_some_and(|kind| !named.is_of(kind)) {
        return Err(usage(format!(
            "symmetry=\"{name}\" tells the directions of closed tours apart: ask for kind=\"closed\", or \
             symmetry=\"rot180\""
        )));
    }
    Ok(named)
}

/// `memory=`: bytes, or text such as `8G`.
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
