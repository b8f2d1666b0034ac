//! Computation of all automorphisms of a graph: merging of vertices with equal neighbourhoods, then
//! a search by colour refinement.
//!
//! # Method
//!
//! Vertices with equal neighbourhoods can be permuted independently of all other vertices. A set of
//! such vertices is merged into one vertex whose colour encodes the size of the set. If the merged
//! graph has vertices with equal neighbourhoods, these are merged in the next round. Colour
//! refinement (see [`Partition`]) then splits the vertices into cells until all vertices of a cell
//! have equally many neighbours in each cell. While a cell has several vertices, one of them is
//! individualised (placed in a cell of its own) and refinement continues. The few individualised
//! vertices are the *base*; at the end every cell is a single vertex. An automorphism is determined
//! by the images of the base. The search tries the candidates for the image of one base vertex
//! after another, refines both partitions in parallel, and backtracks as soon as the partitions
//! differ.
//!
//! Base vertices are processed from the last to the first. The images of a base vertex under the
//! automorphisms that fix the earlier base vertices are its orbit. For each image that the
//! automorphisms found so far do not generate, one more automorphism is stored. The order of the
//! group is the product of the sizes of these orbits (Schreier and Sims), so the order is known
//! before any element is listed.
//!
//! ```text
//! graph -> merged neighbourhoods -> base, traces -> orbits of the base, generators -> order -> elements
//! ```
//!
//! The result is deterministic. Cost: about edges x log vertices for each base vertex and each
//! generator; some milliseconds for a board of a few hundred vertices. A search stops without a
//! result after more than [`MAX_SEARCH_STEPS`] steps, or if its partitions and generators take more
//! than 64 MiB. Source: McKay and Piperno, Practical graph isomorphism II, 2014.
//!
//! # Merging
//!
//! Two examples of vertices with equal neighbourhoods:
//!
//! ```text
//! a star with three leaves   the leaves have equal neighbourhoods: one remains, with a colour for "three"
//! two such stars             two edges remain; their ends have equal neighbourhoods in the next round
//! ```
//!
//! In the remaining graph, vertices that represent sets of the same kind and size have the same
//! colour. Cost O(edges) for each round.

use std::collections::{BTreeSet, HashMap};

use super::colour_refinement::{Partition, Refiner};
use super::symmetry_group::GroupOrder;
use super::{Graph, SymmetryGroup};

/// Maximum order of an automorphism group whose elements are listed.
pub const MAX_GROUP_ELEMENTS: usize = 10_000;

/// Maximum number of vertex images (`u32`) in a listed group, and in the partitions and generators
/// of a running search. They take 64 MiB.
pub(super) const MAX_IMAGE_ENTRIES: usize = 1 << 24;

/// Maximum number of steps of a search, which is the number of vertices and edge ends that it
/// visits. They take about a second.
pub const MAX_SEARCH_STEPS: u64 = 100_000_000;

/// The automorphism group of a graph, as generators and the order of the group.
#[derive(Clone, Debug)]
pub struct Automorphisms {
    order: GroupOrder,
    len: usize,
    /// Generators of the automorphism group of the merged graph; each lists the images of its
    /// vertices.
    generators: Vec<Vec<u32>>,
    equal_neighbourhoods: EqualNeighbourhoods,
}

impl Automorphisms {
    /// Computes generators of the automorphism group of a graph; `None` if this takes more than
    /// [`MAX_SEARCH_STEPS`] steps or more than 64 MiB.
    #[must_use]
    pub fn find(graph: &Graph) -> Option<Self> {
        let mut equal_neighbourhoods = EqualNeighbourhoods::trivial(graph.len());
        let mut steps = 0;
        let mut remaining_graph = graph.clone();
        while let Some(fewer) = equal_neighbourhoods.merge(&remaining_graph) {
            steps += 4 * (remaining_graph.len() + 2 * remaining_graph.edge_count()) as u64;
            if steps > MAX_SEARCH_STEPS {
                return None;
            }
            remaining_graph = fewer;
        }
        let (generators, sizes) =
            AutomorphismSearch::new(&remaining_graph, steps).run(&equal_neighbourhoods.colours)?;
        let order = equal_neighbourhoods
            .order_factors
            .iter()
            .chain(&sizes)
            .fold(GroupOrder::ONE, |order, &size| order.multiplied_by(size));
        Some(Self { order, len: graph.len(), generators, equal_neighbourhoods })
    }

    /// Returns the number of automorphisms.
    #[must_use]
    pub const fn order(&self) -> GroupOrder {
        self.order
    }

    /// Returns the group with all automorphisms in ascending order of their images; `None` if there
    /// are more than [`MAX_GROUP_ELEMENTS`], or if their images take more than 64 MiB.
    ///
    /// # Panics
    /// If the order of the generated group differs from the order that the search has computed.
    #[must_use]
    pub fn to_group(&self) -> Option<SymmetryGroup> {
        let order = usize::try_from(self.order.exact()?).ok().filter(|&order| order <= MAX_GROUP_ELEMENTS)?;
        if order * self.len > MAX_IMAGE_ENTRIES {
            return None;
        }
        let group = SymmetryGroup::generate(self.len, &self.generators(), order)?;
        // Counts of tours up to symmetry are divided by this order.
        assert_eq!(group.order(), order, "the generated group must have the computed order");
        Some(group)
    }

    /// Returns generators of the group; each lists the images of all vertices of the original
    /// graph. Large sets of vertices with equal neighbourhoods make this list long.
    fn generators(&self) -> Vec<Vec<u32>> {
        let identity = || (0..self.len as u32).collect::<Vec<u32>>();
        let mut found = self.equal_neighbourhoods.exchange_permutations(identity);
        for generator in &self.generators {
            let mut image = identity();
            for (from, &to) in self.equal_neighbourhoods.represented.iter().zip(generator) {
                let to = &self.equal_neighbourhoods.represented[to as usize];
                from.iter().zip(to).for_each(|(&v, &w)| image[v as usize] = w);
            }
            found.push(image);
        }
        found
    }
}

/// Returns the group of all automorphisms of a graph in ascending order of their images; `None` if
/// there are more than [`MAX_GROUP_ELEMENTS`], or if their computation takes more than
/// [`MAX_SEARCH_STEPS`] steps or more than 64 MiB.
#[must_use]
pub fn find_automorphism_group(graph: &Graph) -> Option<SymmetryGroup> {
    Automorphisms::find(graph)?.to_group()
}

struct AutomorphismSearch<'a> {
    graph: &'a Graph,
    refiner: Refiner<'a>,
}

impl<'a> AutomorphismSearch<'a> {
    fn new(graph: &'a Graph, effort: u64) -> Self {
        let mut refiner = Refiner::new(graph);
        refiner.steps = effort;
        Self { graph, refiner }
    }

    /// Returns generators of the automorphism group, and the size of the orbit of each base vertex
    /// under the automorphisms that fix the earlier base vertices. The sizes are listed from the
    /// last base vertex to the first. `None` if a limit is exceeded.
    fn run(&mut self, colours: &[u32]) -> Option<(Vec<Vec<u32>>, Vec<usize>)> {
        let mut first = Partition::new(colours);
        self.refiner.refine(&mut first);
        let mut path = vec![first];
        let mut base = Vec::new();
        while let Some(v) = path.last()?.branch_vertex() {
            base.push(v);
            path.push(self.individualise(path.last()?, v)?);
            self.check_memory(path.len(), 0)?;
        }
        let (mut generators, mut sizes) = (Vec::new(), Vec::new());
        let mut orbits = OrbitUnionFind::new(self.graph.len());
        for (depth, &v) in base.iter().enumerate().rev() {
            let mut cell = path[depth].corresponding_cell(&path[depth], v).to_vec();
            cell.sort_unstable();
            let mut failed: BTreeSet<u32> = BTreeSet::new();
            for &w in &cell {
                if orbits.find_root(w) == orbits.find_root(v) || failed.contains(&orbits.find_root(w)) {
                    continue;
                }
                let own_partition = self.individualise(&path[depth], w)?;
                match self.extend_automorphism(&path, depth + 1, &own_partition, &base)? {
                    Some(found) => {
                        (0..).zip(&found).for_each(|(v, &w)| orbits.union(v, w));
                        failed = failed.into_iter().map(|w| orbits.find_root(w)).collect();
                        generators.push(found);
                        self.check_memory(path.len(), generators.len())?;
                    }
                    // A vertex in the orbit of a failed candidate would fail too.
                    None => {
                        failed.insert(orbits.find_root(w));
                    }
                }
            }
            let root = orbits.find_root(v);
            sizes.push(cell.iter().filter(|&&w| orbits.find_root(w) == root).count());
        }
        Some((generators, sizes))
    }

    /// Searches for an automorphism that maps the partition `path[depth]` to `candidate`. Returns
    /// `Some(None)` if there is no such automorphism, `None` if a limit is exceeded.
    fn extend_automorphism(
        &mut self,
        path: &[Partition],
        depth: usize,
        candidate: &Partition,
        base: &[u32],
    ) -> Option<Option<Vec<u32>>> {
        let target = &path[depth];
        if candidate.trace != target.trace || candidate.cells() != target.cells() {
            return Some(None);
        }
        let Some(&v) = base.get(depth) else { return Some(self.leaf_automorphism(target, candidate)) };
        let mut cell = candidate.corresponding_cell(target, v).to_vec();
        cell.sort_unstable();
        for w in cell {
            let next = self.individualise(candidate, w)?;
            if let Some(found) = self.extend_automorphism(path, depth + 1, &next, base)? {
                return Some(Some(found));
            }
        }
        Some(None)
    }

    /// Returns the map from the vertices of `target` to the vertices of `candidate` in the order of
    /// their cells, if this map is an automorphism. All cells of both partitions are single
    /// vertices.
    fn leaf_automorphism(&mut self, target: &Partition, candidate: &Partition) -> Option<Vec<u32>> {
        let mut image = vec![0; candidate.vertices().len()];
        target.vertices().iter().zip(candidate.vertices()).for_each(|(&v, &w)| image[v as usize] = w);
        self.refiner.steps += 2 * self.graph.edge_count() as u64;
        self.graph.has_automorphism(&image).then_some(image)
    }

    /// Returns `None` if a search with these numbers of partitions and generators would exceed its
    /// memory limit, otherwise `Some(())`.
    fn check_memory(&self, partitions: usize, generators: usize) -> Option<()> {
        let images = Partition::MEMORY_IN_IMAGES * partitions + generators;
        (images * self.graph.len() <= MAX_IMAGE_ENTRIES).then_some(())
    }

    fn individualise(&mut self, partition: &Partition, v: u32) -> Option<Partition> {
        let next = self.refiner.individualise(partition, v);
        (self.refiner.steps <= MAX_SEARCH_STEPS).then_some(next)
    }
}

/// Union-find structure of the orbits of numbers under the generators applied so far. The root of an
/// orbit is its least number.
pub(crate) struct OrbitUnionFind(Vec<u32>);

impl OrbitUnionFind {
    pub(crate) fn new(len: usize) -> Self {
        Self((0..len as u32).collect())
    }

    pub(crate) fn find_root(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            self.0[v as usize] = self.0[self.0[v as usize] as usize];
            v = self.0[v as usize];
        }
        v
    }

    pub(crate) fn union(&mut self, v: u32, w: u32) {
        let (v, w) = (self.find_root(v), self.find_root(w));
        self.0[v.max(w) as usize] = v.min(w);
    }
}

/// The result of merging vertices with equal neighbourhoods: the vertices that each remaining
/// vertex represents, and their colours.
#[derive(Clone, Debug)]
pub(super) struct EqualNeighbourhoods {
    /// For each remaining vertex, the original vertices that it represents. Sets of one colour
    /// correspond to each other element by element.
    pub(super) represented: Vec<Vec<u32>>,
    /// Colour of each remaining vertex. Vertices have the same colour if they represent sets of the
    /// same structure.
    pub(super) colours: Vec<u32>,
    /// Factors of the order of the automorphism group that the merged sets contribute.
    pub(super) order_factors: Vec<usize>,
    /// Pairs of disjoint lists of vertices; the permutation that exchanges the two lists, element
    /// by element, is an automorphism.
    exchangeable: Vec<(Vec<u32>, Vec<u32>)>,
}

impl EqualNeighbourhoods {
    /// Returns the state before any merging: each of `len` vertices represents itself.
    pub(super) fn trivial(len: usize) -> Self {
        let blocks = (0..len as u32).map(|v| vec![v]).collect();
        Self {
            represented: blocks,
            colours: vec![0; len],
            order_factors: Vec::new(),
            exchangeable: Vec::new(),
        }
    }

    /// Merges all vertices of `graph` that have equal neighbourhoods and equal colours. Returns the
    /// remaining graph, or `None` if there was nothing to merge.
    pub(super) fn merge(&mut self, graph: &Graph) -> Option<Graph> {
        let len = graph.len();
        // Adjacent vertices are compared by their closed neighbourhoods, which include the vertex
        // itself.
        let mut sets: HashMap<(bool, u32, Vec<u32>), Vec<usize>> = HashMap::new();
        for v in 0..len {
            let mut neighbours = graph.neighbours(v).to_vec();
            sets.entry((false, self.colours[v], neighbours.clone())).or_default().push(v);
            let position = neighbours.partition_point(|&w| (w as usize) < v);
            neighbours.insert(position, v as u32);
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

    /// Returns the permutations of the original vertices that exchange vertices with equal
    /// neighbourhoods, one for each pair of exchangeable lists. `identity` must return the identity
    /// permutation.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Element, Leaper, Rectangle};

    fn order(len: usize, edges: &[(usize, usize)]) -> usize {
        find_automorphism_group(&Graph::from_edges(len, edges.iter().copied()))
            .map_or(0, |group| group.order())
    }

    fn complete(len: usize) -> Vec<(usize, usize)> {
        (0..len).flat_map(|w| (0..w).map(move |v| (v, w))).collect()
    }

    /// Returns the graph of the knight's moves on a torus.
    fn torus(rows: usize, cols: usize) -> Graph {
        let steps = [(1, 2), (2, 1), (1, cols - 2), (2, cols - 1)];
        let to = |r: usize, c: usize| (r % rows) * cols + c % cols;
        let edges = (0..rows * cols)
            .flat_map(|v| steps.into_iter().map(move |(up, right)| (v, to(v / cols + up, v % cols + right))));
        Graph::from_edges(rows * cols, edges.filter(|(v, w)| v != w))
    }

    fn permutations(len: u32) -> Vec<Vec<u32>> {
        if len == 0 {
            return vec![Vec::new()];
        }
        let longer = |shorter: &Vec<u32>| -> Vec<Vec<u32>> {
            (0..len as usize)
                .map(|at| {
                    let mut longer = shorter.clone();
                    longer.insert(at, len - 1);
                    longer
                })
                .collect()
        };
        permutations(len - 1).iter().flat_map(longer).collect()
    }

    #[test]
    fn groups_of_known_graphs_have_expected_orders() {
        let petersen: Vec<(usize, usize)> =
            (0..5).flat_map(|i| [(i, (i + 1) % 5), (i, i + 5), (i + 5, (i + 2) % 5 + 5)]).collect();
        assert_eq!(order(10, &petersen), 120);
        assert_eq!(order(5, &complete(5)), 120);
        assert_eq!(order(7, &complete(7)), 5040);
        assert_eq!(order(8, &complete(8)), 0, "40320 are too many to list");
        assert_eq!(order(4, &[(0, 1), (1, 2), (2, 3)]), 2);
        assert_eq!(order(0, &[]), 1);
        assert_eq!(order(1, &[]), 1);
        assert_eq!(order(6, &[(0, 1), (2, 3), (4, 5)]), 48);
    }

    #[test]
    fn groups_of_knight_tori_match_pynauty() {
        // The orders agree with pynauty. Translations, rotations and reflections alone make 8 for each
        // square.
        for (rows, cols, order) in [(4, 4, 384), (4, 5, 80), (4, 6, 288), (7, 7, 784), (10, 10, 1600)] {
            let group = find_automorphism_group(&torus(rows, cols)).unwrap();
            assert_eq!((group.order(), group.orbits().len()), (order, 1), "{rows}x{cols}");
        }
        assert!(find_automorphism_group(&torus(8, 8)).is_none(), "32768 are too many to list");
    }

    #[test]
    fn geometric_symmetries_are_among_the_automorphisms() {
        for text in ["3x4", "5x6", "6x6", "1x3"] {
            let board: Rectangle = text.parse().unwrap();
            let graph = Graph::from_leaper(&board, Leaper::KNIGHT);
            let all = find_automorphism_group(&graph).unwrap();
            for element in SymmetryGroup::from_rectangle(&board).elements() {
                assert!(all.elements().iter().any(|other| other.image == element.image), "{text}");
            }
        }
        let board = Graph::from_leaper(&"6x6".parse().unwrap(), Leaper::KNIGHT);
        assert_eq!(find_automorphism_group(&board).unwrap().order(), 8);
    }

    #[test]
    fn group_matches_brute_force_on_random_graphs() {
        let mut random = 1u64;
        for round in 0..200 {
            let len = 1 + round % 7;
            let mut edges = complete(len);
            edges.retain(|_| {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                random >> 33 & 3 < 1 + (round as u64 / 7) % 3
            });
            let graph = Graph::from_edges(len, edges);
            let group = find_automorphism_group(&graph).unwrap();
            let mut all: Vec<Element> = permutations(len as u32)
                .into_iter()
                .filter(|image| graph.has_automorphism(image))
                .map(|image| Element { names: Vec::new(), image })
                .collect();
            all.sort_by(|a, b| a.image.cmp(&b.image));
            assert_eq!(group.elements(), all, "{graph:?}");
        }
    }

    #[test]
    fn order_is_computed_for_unlisted_groups() {
        let of = |len: usize, edges: Vec<(usize, usize)>| {
            Automorphisms::find(&Graph::from_edges(len, edges)).unwrap().order()
        };
        assert_eq!(of(20, complete(20)).exact(), Some((1..=20).product()));
        assert_eq!(of(30_000, (1..30_000).map(|v| (v - 1, v)).collect()).exact(), Some(2));
        assert_eq!(of(3000, (0..3000).map(|v| (v, (v + 1) % 3000)).collect()).exact(), Some(6000));
        let ladder =
            (0..500).flat_map(|v| [(v, (v + 1) % 500), (v + 500, (v + 1) % 500 + 500), (v, v + 500)]);
        assert_eq!(of(1000, ladder.collect()).exact(), Some(2000));
        // 100,000 isolated vertices, and 50,000 isolated edges: orders 10^456573 and 10^228288.
        let alone = of(100_000, Vec::new());
        assert_eq!((alone.exact(), alone.to_string()), (None, "about 10^456573".to_owned()));
        let pairs = of(100_000, (0..50_000).map(|v| (2 * v, 2 * v + 1)).collect());
        assert_eq!(pairs.to_string(), "about 10^228288");
        // Four stars with three leaves each, in pairs with joined centres or separate: a factor of 6 for each
        // star, and of 2 for each pair and for the exchange of the pairs, or 24 for the permutations of
        // separate stars.
        let stars = |joined: bool| {
            let leaves = (0..4).flat_map(|s| (1..4).map(move |leaf| (4 * s, 4 * s + leaf)));
            leaves.chain([(0, 4), (8, 12)].into_iter().filter(|_| joined)).collect::<Vec<_>>()
        };
        assert_eq!(of(16, stars(false)).exact(), Some(24 * 1296));
        assert_eq!(of(16, stars(true)).exact(), Some(8 * 1296));
    }

    #[test]
    fn find_stops_at_memory_limit() {
        // A vertex with many pentagons attached: each pentagon has a mirror image, and all pentagons can be
        // permuted.
        let hub = |pentagons: usize| {
            let ring = |p: usize| (0..5).map(move |k| (1 + 5 * p + k, 1 + 5 * p + (k + 1) % 5));
            let edges = (0..pentagons).flat_map(|p| ring(p).chain([(0, 1 + 5 * p)]));
            Automorphisms::find(&Graph::from_edges(1 + 5 * pentagons, edges))
        };
        assert_eq!(hub(5).unwrap().order().exact(), Some(32 * 120));
        assert!(hub(100).is_some_and(|automorphisms| automorphisms.order().exact().is_none()));
        assert!(hub(4000).is_none(), "thousands of partitions of 20,001 vertices");
    }

    #[test]
    fn find_stops_at_step_limit() {
        // A union of cycles of all lengths: every vertex has two neighbours, but vertices of different cycles
        // are not equivalent.
        let mut edges = Vec::new();
        let mut from = 0;
        for len in 3..700 {
            edges.extend((0..len).map(|v| (from + v, from + (v + 1) % len)));
            from += len;
        }
        let found = Automorphisms::find(&Graph::from_edges(from, edges));
        assert!(found.is_none_or(|automorphisms| automorphisms.to_group().is_none()));
    }
}
