//! Colour refinement: an ordered partition of the vertices of a graph into cells is refined until
//! all vertices of a cell have equally many neighbours in each cell.
//!
//! ```text
//! cells        | 3 5 | 0 1 2 4 |      a cell is identified by its start: 0, 2
//! splitter     the first cell: 0 and 4 have two neighbours in it, 1 and 2 have one
//! refined      | 3 5 | 1 2 | 0 4 |
//! ```
//!
//! Each refinement also computes a *trace*: a hash of its steps that does not depend on the
//! numbering of the vertices. If the traces of two partitions differ, no map of vertices takes one
//! partition to the other; this holds for partitions of one graph and of two graphs. When a cell is
//! split, all of its parts but the largest become splitters in turn (Hopcroft). Cost O(edges x log
//! vertices) for a complete refinement.

use std::collections::VecDeque;
use std::hash::Hasher;

use xxhash_rust::xxh3::Xxh3;

use super::Graph;

/// An ordered partition of the vertices of a graph into cells.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    /// All vertices; the vertices of a cell are consecutive.
    order: Vec<u32>,
    /// Index of each vertex in `order`.
    position: Vec<u32>,
    /// For each vertex, the index in `order` at which its cell starts.
    cell_start: Vec<u32>,
    /// Number of vertices of each cell, at the index at which the cell starts in `order`.
    cell_sizes: Vec<u32>,
    cells: usize,
    /// Trace of the partition: a hash of all refinement steps that led to it.
    pub(super) trace: u64,
}

/// Working memory for refinements of partitions of one graph, and the number of steps so far.
pub(super) struct Refiner<'a> {
    graph: &'a Graph,
    /// For each vertex, the number of its neighbours in the current splitter (the cell by which
    /// others are split).
    neighbour_counts: Vec<u32>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
    /// Number of vertices and edge ends visited by all refinements so far.
    pub(super) steps: u64,
}

impl Partition {
    /// Memory of one partition, in multiples of a list with one `u32` for each vertex.
    pub(super) const MEMORY_IN_IMAGES: usize = 4;

    /// Creates the partition with one cell for each colour, in ascending order of the colours.
    /// `colours` holds the colour of each vertex.
    pub(super) fn new(colours: &[u32]) -> Self {
        let len = colours.len();
        let mut at: Vec<u32> = (0..len as u32).collect();
        at.sort_by_key(|&v| colours[v as usize]);
        let mut new = Self {
            order: at,
            position: vec![0; len],
            cell_start: vec![0; len],
            cell_sizes: vec![0; len],
            cells: 0,
            trace: 0,
        };
        let mut begin = 0;
        for i in 0..len {
            let v = new.order[i] as usize;
            if i == 0 || colours[v] != colours[new.order[i - 1] as usize] {
                begin = i;
                new.cells += 1;
            }
            new.position[v] = i as u32;
            new.cell_start[v] = begin as u32;
            new.cell_sizes[begin] += 1;
        }
        new
    }

    /// Returns all vertices; the vertices of a cell are consecutive.
    pub(super) fn vertices(&self) -> &[u32] {
        &self.order
    }

    /// Returns the number of cells.
    pub(super) const fn cells(&self) -> usize {
        self.cells
    }

    /// Returns the cell of `self` that corresponds to the cell of `v` in `other`, a partition with equal cell
    /// sizes.
    pub(super) fn corresponding_cell(&self, other: &Self, v: u32) -> &[u32] {
        let begin = other.cell_start[v as usize] as usize;
        &self.order[begin..begin + self.cell_sizes[begin] as usize]
    }

    /// Returns the lowest vertex of the smallest cell that has several vertices (of equal cells,
    /// the first); `None` if every cell has only one vertex.
    pub(super) fn branch_vertex(&self) -> Option<u32> {
        let (mut begin, mut best) = (0, None);
        while begin < self.order.len() {
            let size = self.cell_sizes[begin];
            if size > 1 && best.is_none_or(|(least, _)| size < least) {
                best = Some((size, begin));
                if size == 2 {
                    break;
                }
            }
            begin += size as usize;
        }
        let (size, begin) = best?;
        self.order[begin..begin + size as usize].iter().copied().min()
    }

    fn swap(&mut self, i: usize, j: usize) {
        self.order.swap(i, j);
        self.position[self.order[i] as usize] = i as u32;
        self.position[self.order[j] as usize] = j as u32;
    }

    /// Splits the cell that starts at `begin`. The first `first` vertices stay in the cell, the
    /// others form a new cell; returns the start of the new cell.
    fn split_cell(&mut self, begin: usize, first: usize) -> usize {
        let size = self.cell_sizes[begin] as usize;
        self.cell_sizes[begin] = first as u32;
        self.cell_sizes[begin + first] = (size - first) as u32;
        for i in begin + first..begin + size {
            self.cell_start[self.order[i] as usize] = (begin + first) as u32;
        }
        self.cells += 1;
        begin + first
    }
}

impl<'a> Refiner<'a> {
    /// Creates the working memory for partitions of the vertices of `graph`.
    pub(super) fn new(graph: &'a Graph) -> Self {
        let len = graph.len();
        Self {
            graph,
            neighbour_counts: vec![0; len],
            queue: VecDeque::new(),
            is_queued: vec![false; len],
            steps: 0,
        }
    }

    /// Refines a partition until all vertices of a cell have equally many neighbours in each cell.
    /// Every cell is a splitter at the start.
    pub(super) fn refine(&mut self, partition: &mut Partition) {
        let mut begin = 0;
        while begin < partition.order.len() {
            self.enqueue(begin as u32);
            begin += partition.cell_sizes[begin] as usize;
        }
        self.process_queue(partition);
    }

    /// Returns a copy of `partition` in which `v` has a cell of its own, refined. The cell of `v`
    /// precedes the other vertices of its former cell.
    pub(super) fn individualise(&mut self, partition: &Partition, v: u32) -> Partition {
        let mut next = partition.clone();
        self.steps += partition.order.len() as u64;
        let begin = next.cell_start[v as usize] as usize;
        let position = next.position[v as usize] as usize;
        if next.cell_sizes[begin] > 1 {
            next.swap(begin, position);
            next.split_cell(begin, 1);
        }
        self.enqueue(begin as u32);
        self.process_queue(&mut next);
        next
    }

    fn enqueue(&mut self, begin: u32) {
        if !std::mem::replace(&mut self.is_queued[begin as usize], true) {
            self.queue.push_back(begin);
        }
    }

    fn process_queue(&mut self, partition: &mut Partition) {
        let mut trace = Xxh3::new();
        trace.write_u64(partition.trace);
        let mut touched: Vec<u32> = Vec::new();
        while let Some(splitter) = self.queue.pop_front() {
            self.is_queued[splitter as usize] = false;
            let cell = splitter as usize..(splitter + partition.cell_sizes[splitter as usize]) as usize;
            for &v in &partition.order[cell] {
                let neighbours = self.graph.neighbours(v as usize);
                self.steps += 1 + neighbours.len() as u64;
                for &w in neighbours {
                    if self.neighbour_counts[w as usize] == 0 {
                        touched.push(w);
                    }
                    self.neighbour_counts[w as usize] += 1;
                }
            }
            trace.write_u32(splitter);
            let counts = &self.neighbour_counts;
            touched.sort_unstable_by_key(|&w| (partition.cell_start[w as usize], counts[w as usize], w));
            // Cells are split from the last to the first, so that the new cells lie behind those still to
            // split.
            let mut end = touched.len();
            while end > 0 {
                let begin = partition.cell_start[touched[end - 1] as usize];
                let first = touched[..end].partition_point(|&w| partition.cell_start[w as usize] < begin);
                self.split_by_counts(partition, begin as usize, &touched[first..end], &mut trace);
                end = first;
            }
            for w in touched.drain(..) {
                self.neighbour_counts[w as usize] = 0;
            }
        }
        trace.write_usize(partition.cells);
        partition.trace = trace.digest();
    }

    /// Splits the cell that starts at `begin` by the number of neighbours that its vertices have in
    /// the splitter. `touched` lists the vertices of the cell with at least one such neighbour, in
    /// ascending order of that number.
    fn split_by_counts(
        &mut self,
        partition: &mut Partition,
        begin: usize,
        touched: &[u32],
        trace: &mut Xxh3,
    ) {
        let size = partition.cell_sizes[begin] as usize;
        let of = |neighbours: &[u32], i: usize| neighbours[touched[i] as usize];
        trace.write_usize(begin);
        trace.write_usize(touched.len());
        // Vertices with the most neighbours move to the end of the cell, vertices with fewer
        // neighbours before them.
        let mut parts: Vec<usize> = Vec::new();
        let (mut to, mut last) = (touched.len(), begin + size);
        while to > 0 {
            let many = of(&self.neighbour_counts, to - 1);
            let from = touched[..to].partition_point(|&w| self.neighbour_counts[w as usize] < many);
            trace.write_u32(many);
            trace.write_usize(to - from);
            for &w in &touched[from..to] {
                last -= 1;
                partition.swap(partition.position[w as usize] as usize, last);
            }
            if last > begin {
                parts.push(last - begin);
            }
            to = from;
        }
        if parts.is_empty() {
            return;
        }
        let was_queued = self.is_queued[begin];
        let mut cells = vec![begin];
        for &part in parts.iter().rev() {
            let from = *cells.last().expect("the cell itself is there");
            cells.push(partition.split_cell(from, begin + part - from));
        }
        let largest =
            cells.iter().copied().max_by_key(|&cell| (partition.cell_sizes[cell], usize::MAX - cell));
        for cell in cells {
            if was_queued || Some(cell) != largest {
                self.enqueue(cell as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refined(graph: &Graph) -> Partition {
        let mut partition = Partition::new(&vec![0; graph.len()]);
        Refiner::new(graph).refine(&mut partition);
        partition
    }

    fn cells(partition: &Partition) -> Vec<Vec<u32>> {
        let mut cells: Vec<Vec<u32>> = Vec::new();
        for (i, &v) in partition.order.iter().enumerate() {
            if partition.cell_start[v as usize] as usize == i {
                cells.push(Vec::new());
            }
            cells.last_mut().unwrap().push(v);
            assert_eq!(partition.position[v as usize] as usize, i);
        }
        cells.iter_mut().for_each(|cell| cell.sort_unstable());
        assert_eq!(cells.len(), partition.cells);
        cells
    }

    #[test]
    fn refine_splits_path_by_distance_to_ends() {
        let path = Graph::from_edges(7, (1..7).map(|v| (v - 1, v)));
        let mut found = cells(&refined(&path));
        found.sort();
        assert_eq!(found, [vec![0, 6], vec![1, 5], vec![2, 4], vec![3]]);
    }

    #[test]
    fn refine_is_equitable_and_independent_of_numbering() {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 33
        };
        for len in 1..40usize {
            let edges: Vec<(usize, usize)> =
                (0..len).flat_map(|w| (0..w).map(move |v| (v, w))).filter(|_| next() % 4 == 0).collect();
            let graph = Graph::from_edges(len, edges.iter().copied());
            let mut image: Vec<usize> = (0..len).collect();
            (1..len).for_each(|i| image.swap(i, next() as usize % (i + 1)));
            let moved = Graph::from_edges(len, edges.iter().map(|&(v, w)| (image[v], image[w])));
            let (own_partition, other_partition) = (refined(&graph), refined(&moved));
            assert_eq!(own_partition.trace, other_partition.trace);
            let neighbours_in_cell = |v: u32, cell: &Vec<u32>| {
                graph.neighbours(v as usize).iter().filter(|w| cell.contains(w)).count()
            };
            let all = cells(&own_partition);
            for cell in &all {
                for other in &all {
                    assert!(
                        cell.iter()
                            .all(|&v| neighbours_in_cell(v, other) == neighbours_in_cell(cell[0], other)),
                        "{graph:?}"
                    );
                }
            }
            for v in 0..len as u32 {
                let (own_partition, other_partition) = (
                    Refiner::new(&graph).individualise(&own_partition, v),
                    Refiner::new(&moved).individualise(&other_partition, image[v as usize] as u32),
                );
                assert_eq!(
                    (own_partition.trace, own_partition.cells),
                    (other_partition.trace, other_partition.cells)
                );
            }
        }
    }
}
