//! Reading and writing of sparse6, the text format for graphs with few edges in McKay's `nauty`.
//!
//! A graph is written as a colon, the number of vertices as in graph6, then a list of entries,
//! packed as six bits in each character. An entry consists of one bit, which increments the
//! *current* vertex if it is set, and the bits of one vertex number. A number above the current
//! vertex becomes the current vertex; any other number is joined to the current vertex by an edge.
//! For example, `:DaY_~` has five vertices. The length is about (1 + log2 vertices) / 6 characters
//! for each edge, whereas graph6 takes one character for six pairs of vertices.

use super::Graph;
use super::graph6::{self, Graph6Error};

/// Maximum number of vertices of a graph that is always written in graph6.
const MAX_GRAPH6_ONLY_VERTICES: usize = 64;

/// Returns the graph as text: in graph6, or in sparse6 if the graph has more than 64 vertices and
/// sparse6 is shorter.
///
/// # Panics
/// If the graph has more than 2^20 vertices.
#[must_use]
pub fn encode_shortest(graph: &Graph) -> String {
    let len = graph.len();
    let letters = |bits: usize| bits.div_ceil(6);
    // At most two entries for each edge.
    let sparse = letters(2 * graph.edge_count() * (1 + vertex_bits(len)));
    if len > MAX_GRAPH6_ONLY_VERTICES && sparse < letters(len * (len - 1) / 2) {
        encode_sparse6(graph)
    } else {
        graph6::encode(graph)
    }
}

/// Parses a graph in graph6 or sparse6, with or without the header `>>graph6<<` or `>>sparse6<<` of
/// files.
///
/// # Errors
/// A character is not valid, the length is wrong, the graph has more than 2^20 vertices, or an edge
/// is a loop.
pub fn decode(text: &str) -> Result<Graph, Graph6Error> {
    let bare = text.strip_prefix(">>sparse6<<").unwrap_or(text);
    if bare.starts_with(':') { decode_sparse6(bare) } else { graph6::decode(text) }
}

/// Returns the number of bits that a vertex number takes in the sparse6 text of a graph of `len`
/// vertices.
const fn vertex_bits(len: usize) -> usize {
    if len < 2 { 0 } else { (len - 1).ilog2() as usize + 1 }
}

/// Returns the graph as text in sparse6.
fn encode_sparse6(graph: &Graph) -> String {
    let (len, bits_per_vertex) = (graph.len(), vertex_bits(graph.len()));
    let mut bits: Vec<bool> = Vec::new();
    let mut entry = |up: bool, x: usize| {
        bits.push(up);
        bits.extend((0..bits_per_vertex).rev().map(|k| x >> k & 1 == 1));
    };
    let mut current = 0;
    for w in 0..len {
        for &v in graph.neighbours(w).iter().filter(|&&v| (v as usize) < w) {
            let up = w == current + 1;
            if w > current + 1 {
                entry(true, w);
            }
            current = w;
            entry(up, v as usize);
        }
    }
    let missing = (6 - bits.len() % 6) % 6;
    // Padding with ones only would decode as a loop at the last vertex.
    let ambiguous = len == 1 << bits_per_vertex && len > 1 && current + 2 == len && missing > bits_per_vertex;
    bits.extend((0..missing).map(|i| i > 0 || !ambiguous));
    let letter = |bits: &[bool]| char::from(63 + bits.iter().fold(0, |six, &bit| six << 1 | u8::from(bit)));
    format!(":{}{}", graph6::encode_vertex_count(len), bits.chunks(6).map(letter).collect::<String>())
}

fn decode_sparse6(text: &str) -> Result<Graph, Graph6Error> {
    let values = graph6::decode_sextets(&text[1..])?;
    let (len, rest) = graph6::split_vertex_count(&values)?;
    let bits_per_vertex = vertex_bits(len);
    let bit = |i: usize| rest[i / 6] >> (5 - i % 6) & 1;
    let (mut edges, mut current, mut position) = (Vec::new(), 0, 0);
    while position + 1 + bits_per_vertex <= 6 * rest.len() && bits_per_vertex > 0 {
        let up = bit(position);
        let x = (position + 1..=position + bits_per_vertex).fold(0, |x, i| x << 1 | bit(i));
        position += 1 + bits_per_vertex;
        current += up;
        if current >= len {
            break;
        }
        if x > current {
            current = x;
            if x >= len {
                break;
            }
        } else if x == current {
            return Err(Graph6Error::new("an edge is a loop; remove it"));
        } else {
            edges.push((x, current));
        }
    }
    Ok(Graph::from_edges(len, edges))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encode_matches_known_texts() {
        // The example in the description of the format.
        let example = Graph::from_edges(7, [(0, 1), (0, 2), (1, 2), (5, 6)]);
        assert_eq!(encode_sparse6(&example), ":Fa@x^");
        assert_eq!(decode(":Fa@x^"), Ok(example.clone()));
        assert_eq!(decode(">>sparse6<<:Fa@x^"), Ok(example));
        assert_eq!(decode("D~{"), graph6::decode("D~{"));
        assert_eq!(encode_shortest(&Graph::from_edges(100_000, [])), ":~WY_");
    }

    #[test]
    fn decode_inverts_encode() {
        for len in [0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 63, 64, 65, 200] {
            for many in [1, 3, 11, 400] {
                let is = move |v: &usize, w: usize| (v * 7 + w * w).is_multiple_of(many);
                let edges = (0..len).flat_map(|w| (0..w).filter(move |v| is(v, w)).map(move |v| (v, w)));
                let graph = Graph::from_edges(len, edges);
                assert_eq!(decode(&encode_sparse6(&graph)), Ok(graph.clone()), "{len} {many}");
                assert_eq!(decode(&encode_shortest(&graph)), Ok(graph), "{len} {many}");
            }
            // Only the vertex before the last has an edge: the padding of the last character must not decode
            // as another one.
            let two = Graph::from_edges(len.max(4), [(0, len.max(4) - 2)]);
            assert_eq!(decode(&encode_sparse6(&two)), Ok(two), "{len}");
        }
    }

    #[test]
    fn decode_rejects_invalid_text() {
        for bad in [":", ":~", ":D ~", ":é", ":A?"] {
            assert!(decode(bad).is_err(), "{bad}");
        }
    }
}
