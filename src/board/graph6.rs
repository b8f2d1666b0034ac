//! Reading and writing of graph6, the text format for graphs in McKay's `nauty`.
//!
//! A graph is written as its number of vertices, then the upper triangle of the adjacency matrix
//! column by column. Each character from `?` to `~` holds six bits. For example, `D~{` is the
//! complete graph on five vertices. The text contains no space. Its length is about n^2 / 12
//! characters for n vertices.

use super::Graph;

/// Error for a text that is not valid graph6 or sparse6. The field holds the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a graph in graph6 or sparse6: {0}")]
pub struct Graph6Error(String);

impl Graph6Error {
    pub(super) fn new(what: &str) -> Self {
        Self(what.to_owned())
    }
}

/// Maximum number of vertices of a graph that is read or written. The format permits 2^36.
const MAX_VERTICES: usize = 1 << 20;

/// Returns the graph as text in graph6.
///
/// # Panics
/// If the graph has more than 2^20 vertices.
#[must_use]
pub fn encode(graph: &Graph) -> String {
    let len = graph.len();
    let mut text = encode_vertex_count(len);
    let mut push = |bits: usize| text.push(char::from(63 + (bits & 63) as u8));
    let (mut bits, mut filled) = (0, 0);
    for w in 1..len {
        let mut neighbours = graph.neighbours(w).iter().peekable();
        for v in 0..w {
            let joined = neighbours.next_if(|&&u| u as usize == v).is_some();
            bits = bits << 1 | usize::from(joined);
            filled += 1;
            if filled == 6 {
                push(bits);
                (bits, filled) = (0, 0);
            }
        }
    }
    if filled > 0 {
        push(bits << (6 - filled));
    }
    text
}

/// Returns the number of vertices of a graph as graph6 and sparse6 encode it.
///
/// # Panics
/// If `len` is more than 2^20.
pub(super) fn encode_vertex_count(len: usize) -> String {
    assert!(len <= MAX_VERTICES, "{len} vertices are too many for graph6");
    let letter = |shift: usize| char::from(63 + (len >> shift & 63) as u8);
    match len {
        0..=62 => letter(0).to_string(),
        63..=258_047 => std::iter::once('~').chain([12, 6, 0].map(letter)).collect(),
        _ => "~~".chars().chain([30, 24, 18, 12, 6, 0].map(letter)).collect(),
    }
}

/// Decodes each character of a graph6 or sparse6 text to its six bits.
///
/// # Errors
/// A character is outside of `?`..=`~`.
pub(super) fn decode_sextets(text: &str) -> Result<Vec<usize>, Graph6Error> {
    match text.chars().find(|c| !('?'..='~').contains(c)) {
        Some(c) => Err(Graph6Error(format!("character {c:?} is not valid; use `?` to `~`"))),
        None => Ok(text.bytes().map(|b| usize::from(b) - 63).collect()),
    }
}

/// Decodes the number of vertices at the start of the six-bit values. Returns the number and the
/// values after it.
///
/// # Errors
/// The number of vertices is incomplete or above 2^20.
pub(super) fn split_vertex_count(values: &[usize]) -> Result<(usize, &[usize]), Graph6Error> {
    let number = |values: &[usize]| values.iter().fold(0, |number, value| number << 6 | value);
    let (len, rest) = match values {
        [63, 63, rest @ ..] if rest.len() >= 6 => (number(&rest[..6]), &rest[6..]),
        [63, rest @ ..] if rest.len() >= 3 && rest[0] != 63 => (number(&rest[..3]), &rest[3..]),
        [len, rest @ ..] if *len < 63 => (*len, rest),
        _ => {
            return Err(Graph6Error(
                "the number of vertices is missing or incomplete; copy the whole text".to_owned(),
            ));
        }
    };
    if len > MAX_VERTICES {
        return Err(Graph6Error(format!("{len} vertices are more than the maximum of {MAX_VERTICES}")));
    }
    Ok((len, rest))
}

/// Parses a graph in graph6, with or without the header `>>graph6<<` of files.
///
/// # Errors
/// A character is not valid, the length does not fit the number of vertices, or there are more than 2^20
/// vertices.
pub fn decode(text: &str) -> Result<Graph, Graph6Error> {
    let wrong = |what: &str| Graph6Error(what.to_owned());
    let text = text.strip_prefix(">>graph6<<").unwrap_or(text);
    let values = decode_sextets(text)?;
    let (len, bits) = split_vertex_count(&values)?;
    let pairs = len * len.saturating_sub(1) / 2;
    if bits.len() != pairs.div_ceil(6) {
        return Err(Graph6Error(format!(
            "{len} vertices need {} characters for the edges, not {}; copy the whole text",
            pairs.div_ceil(6),
            bits.len()
        )));
    }
    let mut edges = Vec::new();
    let mut pair = 0;
    for w in 1..len {
        for v in 0..w {
            if bits[pair / 6] >> (5 - pair % 6) & 1 == 1 {
                edges.push((v, w));
            }
            pair += 1;
        }
    }
    if bits.last().is_some_and(|last| last & ((1 << (bits.len() * 6 - pairs)) - 1) != 0) {
        return Err(wrong("padding bits after the last edge are not 0; copy the whole text"));
    }
    Ok(Graph::from_edges(len, edges))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encode_matches_known_texts() {
        let complete = Graph::from_edges(5, (0..5).flat_map(|w| (0..w).map(move |v| (v, w))));
        assert_eq!(encode(&complete), "D~{");
        // The example in the description of the format.
        let example = Graph::from_edges(5, [(0, 2), (0, 4), (1, 3), (3, 4)]);
        assert_eq!(encode(&example), "DQc");
        assert_eq!(encode(&Graph::from_edges(0, [])), "?");
        assert_eq!(encode(&Graph::from_edges(1, [])), "@");
    }

    #[test]
    fn decode_inverts_encode() {
        for len in [0, 1, 2, 7, 62, 63, 64, 200] {
            let edges =
                (0..len).flat_map(|w| (0..w).filter(move |v| (v * 7 + w * w) % 5 == 0).map(move |v| (v, w)));
            let graph = Graph::from_edges(len, edges);
            assert_eq!(decode(&encode(&graph)), Ok(graph), "{len}");
        }
        assert_eq!(decode(">>graph6<<DQc"), decode("DQc"));
    }

    #[test]
    fn decode_rejects_invalid_text() {
        for bad in ["", "D~", "D~{?", "D~|", "D ~", "~", "~??", "~~?????", "é"] {
            assert!(decode(bad).is_err(), "{bad}");
        }
    }
}
