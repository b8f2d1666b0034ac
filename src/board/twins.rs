//! Vertices with equal neighbourhoods are merged before the search, because they can be permuted freely.
//!
//! ```text
//! a star with three leaves   the leaves have equal neighbourhoods: one remains, with a colour for "three"
//! two such stars             two edges remain; their ends have equal neighbourhoods in the next round
//! ```
//!
//! The remaining graph has one colour for each kind of set that a vertex represents. Cost O(edges) a round.

use std::collections::{BTreeSet, HashMap};

use super::Graph;

/// A partition of the vertices into merged sets, updated by each round of merging.
#[derive(Clone, Debug)]
pub(super) struct EqualNeighbourhoods {
    /// For each remaining vertex the original vertices that it represents. In sets of one colour, equal
    /// positions correspond to each other.
    pub(super) represented: Vec<Vec<u32>>,
    /// Colour of each remaining vertex; vertices that represent different structures have different colours.
    pub(super) colours: Vec<u32>,
    /// Factors of the group's order found so far.
    pub(super) order_factors: Vec<usize>,
    /// Pairs of disjoint vertex lists of equal length whose exchange is an automorphism.
    exchangeable: Vec<(Vec<u32>, Vec<u32>)>,
}

impl EqualNeighbourhoods {
    /// Returns the partition in which each of `len` vertices represents itself.
    pub(super) fn trivial(len: usize) -> Self {
        let blocks = (0..len as u32).map(|v| vec![v]).collect();
        Self {
            represented: blocks,
            colours: vec![0; len],
            order_factors: Vec::new(),
            exchangeable: Vec::new(),
        }
    }

    /// Merges all vertices that have equal neighbourhoods and one colour. Returns the remaining graph, or
    /// `None` if there was nothing to merge.
    pub(super) fn merge(&mut self, graph: &Graph) -> Option<Graph> {
        let len = graph.len();
        // Adjacent vertices are compared by closed neighbourhoods, which include the vertex itself.
        let mut sets: HashMap<(bool, u32, Vec<u32>), Vec<usize>> = HashMap::new();
        for v in 0..len {
            let mut neighbours = graph.neighbours(v).to_vec();
            sets.entry((false, self.colours[v], neighbours.clone())).or_default().push(v);
            let place = neighbours.partition_point(|&w| (w as usize) < v);
            neighbours.insert(place, v as u32);
            sets.entry((true, self.colours[v], neighbours)).or_default().push(v);
        }
        let mut sets: Vec<(bool, Vec<usize>)> = sets
            .into_iter()
            .filter(|(_, members)| members.len() > 1)
            .map(|((joined, ..), members)| (joined, members))
            .collect();
        if sets.is_empty() {
            return None;
        }
        sets.sort_unstable_by_key(|(_, members)| members[0]);
        let mut is_merged_away = vec![false; len];
        // Colour of a vertex, with the kind and the size of the set that it represents.
        let mut structure: Vec<(u32, bool, usize)> = self.colours.iter().map(|&c| (c, false, 1)).collect();
        for (joined, members) in sets {
            self.order_factors.extend(2..=members.len());
            structure[members[0]] = (self.colours[members[0]], joined, members.len());
            for pair in members.windows(2) {
                self.exchangeable
                    .push((self.represented[pair[0]].clone(), self.represented[pair[1]].clone()));
            }
            let whole = members.iter().flat_map(|&v| std::mem::take(&mut self.represented[v])).collect();
            self.represented[members[0]] = whole;
            members[1..].iter().for_each(|&v| is_merged_away[v] = true);
        }
        let left: Vec<usize> = (0..len).filter(|&v| !is_merged_away[v]).collect();
        let mut number = vec![usize::MAX; len];
        left.iter().enumerate().for_each(|(i, &v)| number[v] = i);
        let different: BTreeSet<(u32, bool, usize)> = left.iter().map(|&v| structure[v]).collect();
        let different: HashMap<(u32, bool, usize), u32> = different.into_iter().zip(0..).collect();
        self.colours = left.iter().map(|&v| different[&structure[v]]).collect();
        self.represented = left.iter().map(|&v| std::mem::take(&mut self.represented[v])).collect();
        let edges = left.iter().flat_map(|&v| {
            let kept = graph.neighbours(v).iter().map(|&w| number[w as usize]).filter(|&w| w != usize::MAX);
            let from = number[v];
            kept.filter(move |&w| w > from).map(move |w| (from, w))
        });
        Some(Graph::from_edges(left.len(), edges))
    }

    /// Returns one permutation of the original vertices for each pair of exchangeable lists. `identity`
    /// returns the identity permutation.
    pub(super) fn exchange_permutations(&self, identity: impl Fn() -> Vec<u32>) -> Vec<Vec<u32>> {
        let swap = |(a, b): &(Vec<u32>, Vec<u32>)| {
            let mut image = identity();
            for (&v, &w) in a.iter().zip(b) {
                (image[v as usize], image[w as usize]) = (w, v);
            }
            image
        };
        self.exchangeable.iter().map(swap).collect()
    }
}
