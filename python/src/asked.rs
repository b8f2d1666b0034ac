//! What callers write for kinds, engines, ends and sizes.

use ktour::count::Engine;
use ktour::count::symmetric::Named;
use ktour::tour::Kind;
use pyo3::prelude::*;

use crate::errors::usage;

/// `kind=`.
pub fn kind(name: &str) -> PyResult<Kind> {
    Kind::from_name(name)
        .ok_or_else(|| usage(format!("kind=\"{name}\" is none: take \"closed\", \"open\" or \"paths\"")))
}

/// `engine=`.
pub fn engine(name: &str) -> PyResult<Engine> {
    Engine::from_name(name).ok_or_else(|| {
        let all = "\"auto\", \"backtrack\", \"multipath\" or \"frontier\"";
        usage(format!("engine=\"{name}\" is none: take {all}"))
    })
}

/// `symmetry=`, of a kind if one was named.
pub fn symmetry(name: &str, kind: Option<Kind>) -> PyResult<Named> {
    let named = Named::from_name(name).ok_or_else(|| {
        let all = Named::ALL.map(|named| format!("\"{}\"", named.name())).join(", ");
        usage(format!("symmetry=\"{name}\" is none: take one of {all}"))
    })?;
    if kind.is_some_and(|kind| !named.is_of(kind)) {
        return Err(usage(format!(
            "symmetry=\"{name}\" tells the directions of closed tours apart: ask for kind=\"closed\", or symmetry=\"rot180\""
        )));
    }
    Ok(named)
}

/// `memory=`: bytes, or text such as `8G`.
pub fn memory(size: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
    let Some(size) = size.filter(|size| !size.is_none()) else { return Ok(None) };
    if let Ok(bytes) = size.extract::<u64>() {
        return Ok(Some(bytes));
    }
    let text: String =
        size.extract().map_err(|_| usage("memory= takes a number of bytes, or text such as \"8G\""))?;
    ktour::memory::parse_size(&text).map(Some).map_err(|why| usage(format!("memory: {why}")))
}
