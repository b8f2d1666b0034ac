//! Graphs with few edges as text: sparse6, the other form of McKay's `nauty`.
//!
//! A colon, the number of vertices as in graph6, then edge after edge in bits, six to a character: one bit that
//! says whether the *current* vertex goes up by one, and as many as a vertex takes for a number: a greater one
//! becomes the current vertex, another one is joined to it. `:DaY_~` has five vertices. Text of about
//! (1 + log2 vertices) / 6 characters an edge, where graph6 takes one for six pairs of vertices.

use super::Graph;
use super::graph6::{self, Graph6Error};

/// Up to so many vertices a graph is written in graph6, whatever its edges.
const SMALL: usize = 64;

/// The graph in graph6, or in sparse6 if it has more than 64 vertices and that is shorter.
///
/// # Panics
/// If it has more than 2^20 vertices.
#[must_use]
pub fn shortest(graph: &Graph) -> String {
    let len = graph.len();
    let letters = |bits: usize| bits.div_ceil(6);
    // Two entries for an edge at most.
    let sparse = letters(2 * graph.edges() * (1 + digits(len)));
    if len > SMALL && sparse < letters(len * (len - 1) / 2) { to_text(graph) } else { graph6::to_text(graph) }
}

/// Reads either form, with or without the header of files.
///
/// # Errors
/// Characters that do not belong, a wrong length, too many vertices, edges that lead nowhere or home.
pub fn from_either(text: &str) -> Result<Graph, Graph6Error> {
    let bare = text.strip_prefix(">>sparse6<<").unwrap_or(text);
    if bare.starts_with(':') { from_text(bare) } else { graph6::from_text(text) }
}

/// Bits of a vertex's number.
const fn digits(len: usize) -> usize {
    if len < 2 { 0 } else { (len - 1).ilog2() as usize + 1 }
}

/// The graph in sparse6.
fn to_text(graph: &Graph) -> String {
    let (len, digits) = (graph.len(), digits(graph.len()));
    let mut bits: Vec<bool> = Vec::new();
    let mut entry = |up: bool, x: usize| {
        bits.push(up);
        bits.extend((0..digits).rev().map(|k| x >> k & 1 == 1));
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
    // Ones alone would join the last vertex to itself.
    let ambiguous = len == 1 << digits && len > 1 && current + 2 == len && missing > digits;
    bits.extend((0..missing).map(|i| i > 0 || !ambiguous));
    let letter = |bits: &[bool]| char::from(63 + bits.iter().fold(0, |six, &bit| six << 1 | u8::from(bit)));
    format!(":{}{}", graph6::number(len), bits.chunks(6).map(letter).collect::<String>())
}

fn from_text(text: &str) -> Result<Graph, Graph6Error> {
    let values = graph6::values(&text[1..])?;
    let (len, rest) = graph6::read_number(&values)?;
    let digits = digits(len);
    let bit = |i: usize| rest[i / 6] >> (5 - i % 6) & 1;
    let (mut edges, mut current, mut at) = (Vec::new(), 0, 0);
    while at + 1 + digits <= 6 * rest.len() && digits > 0 {
        let up = bit(at);
        let x = (at + 1..=at + digits).fold(0, |x, i| x << 1 | bit(i));
        at += 1 + digits;
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
            return Err(Graph6Error::new("an edge leads from a vertex to itself"));
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
    fn known_graphs_have_their_known_text() {
        // The example of the format's description.
        let example = Graph::from_edges(7, [(0, 1), (0, 2), (1, 2), (5, 6)]);
        assert_eq!(to_text(&example), ":Fa@x^");
        assert_eq!(from_either(":Fa@x^"), Ok(example.clone()));
        assert_eq!(from_either(">>sparse6<<:Fa@x^"), Ok(example));
        assert_eq!(from_either("D~{"), graph6::from_text("D~{"));
        assert_eq!(shortest(&Graph::from_edges(100_000, [])), ":~WY_");
    }

    #[test]
    fn text_gives_back_the_graph() {
        for len in [0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 63, 64, 65, 200] {
            for many in [1, 3, 11, 400] {
                let is = move |v: &usize, w: usize| (v * 7 + w * w).is_multiple_of(many);
                let edges = (0..len).flat_map(|w| (0..w).filter(move |v| is(v, w)).map(move |v| (v, w)));
                let graph = Graph::from_edges(len, edges);
                assert_eq!(from_either(&to_text(&graph)), Ok(graph.clone()), "{len} {many}");
                assert_eq!(from_either(&shortest(&graph)), Ok(graph), "{len} {many}");
            }
            // Only the vertex before the last has an edge: what fills up the last letter must not be one.
            let two = Graph::from_edges(len.max(4), [(0, len.max(4) - 2)]);
            assert_eq!(from_either(&to_text(&two)), Ok(two), "{len}");
        }
    }

    #[test]
    fn other_text_is_refused() {
        for bad in [":", ":~", ":D ~", ":é", ":A?"] {
            assert!(from_either(bad).is_err(), "{bad}");
        }
    }
}
