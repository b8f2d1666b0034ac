//! A tour as a JSON object: `{"kind":"open","squares":["a1","b3",...],"arena":"board=8x8 ..."}`.
//!
//! It is read twice: what the squares are squares of comes last.

use std::borrow::Cow;

use serde::de::{DeserializeOwned, Deserializer, SeqAccess, Visitor};

use crate::board::Square;

use super::TourKind;
use super::fault::Fault;
use super::words::parse_square;

/// What an object says of its squares.
#[derive(serde::Deserialize)]
pub(super) struct JsonHead {
    #[serde(default)]
    pub(super) kind: Option<TourKind>,
    #[serde(default)]
    pub(super) arena: Option<String>,
}

/// Its names are squares of a board, or those of a graph's vertices.
#[derive(serde::Deserialize)]
pub(super) struct JsonNames<N> {
    pub(super) squares: N,
}

impl JsonHead {
    /// Reads a line, but for the squares.
    pub(super) fn read(text: &[u8]) -> Result<Self, Fault> {
        read(text)
    }
}

impl<N: DeserializeOwned> JsonNames<N> {
    /// Reads the squares of a line.
    pub(super) fn read(text: &[u8]) -> Result<Self, Fault> {
        read(text)
    }
}

fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(text).map_err(|error| {
        let text = error.to_string().replace(" at line 1 column ", " in column ");
        Fault::Json(text.chars().take(200).collect::<String>().escape_debug().to_string())
    })
}

/// Squares by name; the first name that is none ends the reading.
pub(super) struct JsonSquares(pub(super) Vec<Square>);

impl<'de> serde::Deserialize<'de> for JsonSquares {
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
