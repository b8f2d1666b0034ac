//! Tours as JSON objects: `{"kind":"open","squares":["a1","b3",...],"arena":"board=8x8 ..."}`.
//!
//! An object is parsed twice, because the board comes after the squares. In an object of another program,
//! over any number of lines, the tour is the only list, or the only list with a name such as `tour`;
//! `closed`, `rows` and `cols` must agree with it.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, SeqAccess, Visitor};

use serde_json::{Map, Value};

use crate::board::Square;
use crate::text_format::escape_unprintable;

use super::lexer::parse_square;
use crate::tour::TourKind;
use crate::tour::read_error::{ReadErrorKind, printable_excerpt};

/// Kind and board in an object.
#[derive(serde::Deserialize)]
pub(in crate::tour) struct JsonHead {
    #[serde(default)]
    pub(in crate::tour) kind: Option<TourKind>,
    #[serde(default)]
    pub(in crate::tour) arena: Option<String>,
}

/// Names in an object: squares of a rectangle, or vertices of a graph.
#[derive(serde::Deserialize)]
pub(in crate::tour) struct JsonNames<N> {
    pub(in crate::tour) squares: N,
}

impl JsonHead {
    /// Parses an object without its squares.
    pub(in crate::tour) fn parse(text: &[u8]) -> Result<Self, ReadErrorKind> {
        parse_json(text)
    }
}

impl<N: DeserializeOwned> JsonNames<N> {
    /// Parses the squares of an object.
    pub(in crate::tour) fn parse(text: &[u8]) -> Result<Self, ReadErrorKind> {
        parse_json(text)
    }
}

/// A tour in an object of another program, under that program's key.
pub(in crate::tour) struct ForeignObject {
    /// Array that holds the tour, as JSON text.
    pub(in crate::tour) array: String,
    /// Metadata of the tour.
    pub(in crate::tour) metadata: JsonMetadata,
}

/// Metadata of a tour in an object.
#[derive(Clone, Debug, Default)]
pub(in crate::tour) struct JsonMetadata {
    /// Possible kinds of the tour; empty if any kind is possible.
    pub(in crate::tour) kinds: Vec<TourKind>,
    /// Rows and columns of the board, if the object gives them.
    pub(in crate::tour) board_size: [Option<u64>; 2],
}

/// Keys under which programs store a tour.
const TOUR_KEYS: [&str; 11] = [
    "tour", "path", "route", "squares", "solution", "sequence", "moves", "board", "grid", "cells", "vertices",
];

impl ForeignObject {
    /// Parses an object.
    pub(in crate::tour) fn parse(text: &[u8]) -> Result<Self, ReadErrorKind> {
        let object: Map<String, Value> = parse_json(text)?;
        let is_list = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
        let lists: Vec<&String> =
            object.iter().filter(|(_, value)| is_list(value)).map(|(name, _)| name).collect();
        let named: Vec<&String> =
            lists.iter().copied().filter(|name| TOUR_KEYS.contains(&name.as_str())).collect();
        let name = match (lists.as_slice(), named.as_slice()) {
            ([name], _) | (_, [name]) => *name,
            ([], _) => {
                return Err(ReadErrorKind::Json(
                    "the object has no list of squares; add one such as \"squares\":[\"a1\",\"b3\"]"
                        .to_owned(),
                ));
            }
            _ => {
                let all = lists
                    .iter()
                    .map(|name| format!("\"{}\"", printable_excerpt(name.as_bytes())))
                    .collect::<Vec<_>>();
                return Err(ReadErrorKind::Json(format!(
                    "{} are lists; name the tour \"squares\"",
                    all.join(" and ")
                )));
            }
        };
        let kind = object.get("kind").and_then(|kind| TourKind::deserialize(kind).ok());
        let kinds = match (kind, object.get("closed").and_then(Value::as_bool)) {
            (Some(kind), _) => vec![kind],
            (None, Some(true)) => vec![TourKind::Closed],
            (None, Some(false)) => vec![TourKind::ReEntrant, TourKind::Open],
            (None, None) => Vec::new(),
        };
        let side = |names: &[&str]| names.iter().find_map(|name| object.get(*name)?.as_u64());
        let sides = [side(&["rows", "height"]), side(&["cols", "columns", "width"])];
        Ok(Self { array: object[name].to_string(), metadata: JsonMetadata { kinds, board_size: sides } })
    }
}

fn parse_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, ReadErrorKind> {
    serde_json::from_slice(text).map_err(|error| {
        let text = error.to_string().replace(" at line 1 column ", " in column ");
        ReadErrorKind::Json(escape_unprintable(&text.chars().take(200).collect::<String>()))
    })
}

/// Squares by name; parsing stops at the first invalid name.
pub(in crate::tour) struct JsonSquares(pub(in crate::tour) Vec<Square>);

impl<'de> Deserialize<'de> for JsonSquares {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = JsonSquares;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of square names")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Self::Value, A::Error> {
                let mut squares = Vec::new();
                while let Some(name) = names.next_element::<Cow<'de, str>>()? {
                    squares.push(parse_square(name.as_bytes()).map_err(serde::de::Error::custom)?);
                }
                Ok(JsonSquares(squares))
            }
        }
        deserializer.deserialize_seq(Names)
    }
}
