//! Vertices that can change places whatever the rest of a graph does.
//!
//! ```text
//! a star of three     its leaves have the same neighbours: one of them is left, of the colour "three"
//! two such stars      what is left of them is two edges, whose ends are twins in their turn
//! ```
//!
//! The graph that is left has a colour for all that vertices may stand for. Cost O(edges).

use std::collections::{BTreeSet, HashMap};

use super::Graph;

/// Sets of vertices that can change places, each made one vertex.
#[derive(Clone, Debug)]
pub(super) struct Twins {
    /// What the vertices that are left stand for: of vertices of one colour, the first is alike to the first, and so on.
    pub(super) blocks: Vec<Vec<u32>>,
    /// What tells vertices apart that stand for different things.
    pub(super) colours: Vec<u32>,
    /// Factors of the group's order.
    pub(super) sizes: Vec<usize>,
    /// Blocks that can change places.
    alike: Vec<(Vec<u32>, Vec<u32>)>,
}

impl Twins {
    /// Every vertex stands for itself.
    pub(super) fn none(len: usize) -> Self {
        let blocks = (0..len as u32).map(|v| vec![v]).collect();
        Self { blocks, colours: vec![0; len], sizes: Vec::new(), alike: Vec::new() }
    }

    /// Merges the twins of one colour; the graph that is left, or `None` if there are none.
    pub(super) fn merged(&mut self, graph: &Graph) -> Option<Graph> {
        let len = graph.len();
        // Twins that are joined have the same neighbours, themselves among them.
        let mut sets: HashMap<(bool, u32, Vec<u32>), Vec<usize>> = HashMap::new();
        for v in 0..len {
            let mut near = graph.neighbours(v).to_vec();
            sets.entry((false, self.colours[v], near.clone())).or_default().push(v);
            let place = near.partition_point(|&w| (w as usize) < v);
            near.insert(place, v as u32);
            sets.entry((true, self.colours[v], near)).or_default().push(v);
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
        let mut is_gone = vec![false; len];
        // Colours of vertices that stand for the same.
        let mut meaning: Vec<(u32, bool, usize)> = self.colours.iter().map(|&c| (c, false, 1)).collect();
        for (joined, members) in sets {
            self.sizes.extend(2..=members.len());
            meaning[members[0]] = (self.colours[members[0]], joined, members.len());
            for pair in members.windows(2) {
                self.alike.push((self.blocks[pair[0]].clone(), self.blocks[pair[1]].clone()));
            }
            let whole = members.iter().flat_map(|&v| std::mem::take(&mut self.blocks[v])).collect();
            self.blocks[members[0]] = whole;
            members[1..].iter().for_each(|&v| is_gone[v] = true);
        }
        let left: Vec<usize> = (0..len).filter(|&v| !is_gone[v]).collect();
        let mut number = vec![usize::MAX; len];
        left.iter().enumerate().for_each(|(i, &v)| number[v] = i);
        let different: BTreeSet<(u32, bool, usize)> = left.iter().map(|&v| meaning[v]).collect();
        let different: HashMap<(u32, bool, usize), u32> = different.into_iter().zip(0..).collect();
        self.colours = left.iter().map(|&v| different[&meaning[v]]).collect();
        self.blocks = left.iter().map(|&v| std::mem::take(&mut self.blocks[v])).collect();
        let edges = left.iter().flat_map(|&v| {
            let kept = graph.neighbours(v).iter().map(|&w| number[w as usize]).filter(|&w| w != usize::MAX);
            let from = number[v];
            kept.filter(move |&w| w > from).map(move |w| (from, w))
        });
        Some(Graph::from_edges(left.len(), edges))
    }

    /// What makes two blocks change places.
    pub(super) fn swaps(&self, identity: impl Fn() -> Vec<u32>) -> Vec<Vec<u32>> {
        let swap = |(a, b): &(Vec<u32>, Vec<u32>)| {
            let mut image = identity();
            for (&v, &w) in a.iter().zip(b) {
                (image[v as usize], image[w as usize]) = (w, v);
            }
            image
        };
        self.alike.iter().map(swap).collect()
    }
}
