//! The state of a search by edges: which moves are in the tour and which are not, and what follows
//! from them.
//!
//! The tour grows in many partial paths at once. Every vertex needs two edges; an edge is open,
//! chosen or dropped. Three rules apply after every decision:
//!
//! - a vertex with two chosen edges drops its other edges;
//! - a vertex with only two edges left chooses both; with fewer, no tour is possible;
//! - the two ends of a partial path must not be joined before the path covers all vertices.
//!
//! All changes are recorded on a trail, so that undoing a decision costs as much as making it.
//! Memory O(vertices + edges).
//!
//! Source: the multipath method (Christofides 1975; Kocay 1992).

use crate::board::Graph;

/// The decision about an edge so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EdgeState {
    Open,
    Chosen,
    Dropped,
}

/// One entry of the trail: a change that can be undone.
#[derive(Clone, Copy, Debug)]
enum TrailEntry {
    Dropped(u32),
    Chosen(u32),
    MatesJoined { a: u32, b: u32, old_a: u32, old_b: u32 },
}

/// A partial Hamiltonian cycle of a graph: every edge is chosen, dropped or still open.
#[derive(Clone, Debug)]
pub(super) struct PartialCycle {
    /// The two vertices of each edge.
    ends: Vec<[u32; 2]>,
    state: Vec<EdgeState>,
    /// Numbers of the edges at each vertex.
    incident: Vec<Vec<u32>>,
    /// Number of open edges at each vertex.
    open: Vec<u32>,
    /// Number of chosen edges at each vertex.
    chosen: Vec<u8>,
    /// For each vertex at which a partial path ends, the other end of this path. A vertex without
    /// chosen edges is its own mate.
    mate: Vec<u32>,
    chosen_total: usize,
    trail: Vec<TrailEntry>,
    pending: Vec<u32>,
    /// Vertices that became path ends with two open edges, the latest last. Some of them no longer
    /// are such ends.
    tight_ends: Vec<u32>,
}

/// Error: the decisions so far exclude every tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict;

impl PartialCycle {
    /// Creates the state in which all edges are open.
    pub(super) fn new(graph: &Graph) -> Self {
        let n = graph.len();
        let mut ends = Vec::new();
        let mut at = vec![Vec::new(); n];
        for v in 0..n {
            for &w in graph.neighbours(v).iter().filter(|&&w| w as usize > v) {
                at[v].push(ends.len() as u32);
                at[w as usize].push(ends.len() as u32);
                ends.push([v as u32, w]);
            }
        }
        Self {
            state: vec![EdgeState::Open; ends.len()],
            ends,
            open: at.iter().map(|edges| edges.len() as u32).collect(),
            incident: at,
            chosen: vec![0; n],
            mate: (0..n as u32).collect(),
            chosen_total: 0,
            trail: Vec::new(),
            pending: Vec::new(),
            tight_ends: Vec::new(),
        }
    }

    /// Applies the rules to all vertices, which gives the first consequences of small degrees.
    ///
    /// # Errors
    /// [`Conflict`] if no tour exists.
    pub(super) fn propagate_all(&mut self) -> Result<(), Conflict> {
        self.pending.extend(0..self.incident.len() as u32);
        self.propagate()
    }

    /// Returns true if the chosen edges form a Hamiltonian cycle.
    pub(super) fn is_complete(&self) -> bool {
        self.chosen_total == self.incident.len()
    }

    /// Returns the length of the trail of changes, as a mark for [`PartialCycle::undo`].
    pub(super) fn trail_len(&self) -> usize {
        self.trail.len()
    }

    /// Undoes all changes made since the trail of changes had the length `mark`.
    pub(super) fn undo(&mut self, mark: usize) {
        self.pending.clear();
        while self.trail.len() > mark {
            match self.trail.pop().expect("the trail is longer than the mark") {
                TrailEntry::Dropped(e) => {
                    self.state[e as usize] = EdgeState::Open;
                    for v in self.ends[e as usize] {
                        self.open[v as usize] += 1;
                    }
                }
                TrailEntry::Chosen(e) => {
                    self.state[e as usize] = EdgeState::Open;
                    self.chosen_total -= 1;
                    for v in self.ends[e as usize] {
                        self.open[v as usize] += 1;
                        self.chosen[v as usize] -= 1;
                    }
                }
                TrailEntry::MatesJoined { a, b, old_a, old_b } => {
                    self.mate[a as usize] = old_a;
                    self.mate[b as usize] = old_b;
                }
            }
        }
    }

    /// Returns the number of the edge between two vertices, if there is such an edge.
    pub(super) fn edge_between(&self, v: usize, w: usize) -> Option<u32> {
        let shorter = if self.incident[v].len() <= self.incident[w].len() { v } else { w };
        let other = (v + w - shorter) as u32;
        self.incident[shorter].iter().copied().find(|&e| self.ends[e as usize].contains(&other))
    }

    /// Returns the numbers of the open edges at `v`, each with the vertex at its other end.
    pub(super) fn open_edges_at(&self, v: usize) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.incident[v]
            .iter()
            .filter(|&&e| self.state[e as usize] == EdgeState::Open)
            .map(move |&e| (e, self.other_end(e, v)))
    }

    /// Returns the neighbours of `v` to which an edge has been chosen.
    pub(super) fn chosen_neighbours(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        self.incident[v]
            .iter()
            .filter(|&&e| self.state[e as usize] == EdgeState::Chosen)
            .map(move |&e| self.other_end(e, v))
    }

    /// Returns the number of open edges at `v`.
    pub(super) fn open_count(&self, v: usize) -> u32 {
        self.open[v]
    }

    /// Returns the vertex at which to branch: the path end with the fewest open edges or, without
    /// path ends, the vertex with the fewest open edges. Takes path ends with two open edges from
    /// the latest changes first, so that the search stays local. The scan over all vertices begins
    /// at `from`. Returns `None` if every vertex has two chosen edges.
    pub(super) fn branching_vertex(&mut self, from: usize) -> Option<usize> {
        while let Some(&v) = self.tight_ends.last() {
            if self.chosen[v as usize] == 1 && self.open[v as usize] == 2 {
                return Some(v as usize);
            }
            self.tight_ends.pop();
        }
        let n = self.incident.len();
        let mut best = None;
        for i in 0..n {
            let v = if from + i < n { from + i } else { from + i - n };
            let done = self.chosen[v];
            if done == 2 {
                continue;
            }
            let key = (done == 0, self.open[v]);
            if best.is_none_or(|(least, _)| key < least) {
                best = Some((key, v));
                if key == (false, 2) {
                    break;
                }
            }
        }
        best.map(|(_, v)| v)
    }

    /// Adds the open edge number `e` to the tour and applies the rules.
    ///
    /// # Errors
    /// [`Conflict`] if no tour contains the chosen edges.
    pub(super) fn choose(&mut self, e: u32) -> Result<(), Conflict> {
        self.mark_chosen(e)?;
        self.propagate()
    }

    /// Excludes the edge number `e` from the tour and applies the rules.
    ///
    /// # Errors
    /// [`Conflict`] if no tour contains the chosen edges.
    pub(super) fn drop(&mut self, e: u32) -> Result<(), Conflict> {
        self.mark_dropped(e);
        self.propagate()
    }

    fn other_end(&self, e: u32, v: usize) -> usize {
        let [a, b] = self.ends[e as usize];
        (if a as usize == v { b } else { a }) as usize
    }

    fn mark_dropped(&mut self, e: u32) {
        if self.state[e as usize] != EdgeState::Open {
            return;
        }
        self.state[e as usize] = EdgeState::Dropped;
        self.trail.push(TrailEntry::Dropped(e));
        for v in self.ends[e as usize] {
            self.open[v as usize] -= 1;
            self.pending.push(v);
        }
    }

    fn mark_chosen(&mut self, e: u32) -> Result<(), Conflict> {
        match self.state[e as usize] {
            EdgeState::Chosen => return Ok(()),
            EdgeState::Dropped => return Err(Conflict),
            EdgeState::Open => {}
        }
        let [v, w] = self.ends[e as usize];
        if self.chosen[v as usize] == 2 || self.chosen[w as usize] == 2 {
            return Err(Conflict);
        }
        let n = self.incident.len();
        let (a, b) = (self.mate[v as usize], self.mate[w as usize]);
        if a == w && self.chosen_total + 1 < n {
            return Err(Conflict);
        }
        self.state[e as usize] = EdgeState::Chosen;
        self.chosen_total += 1;
        self.trail.push(TrailEntry::Chosen(e));
        for x in [v, w] {
            self.open[x as usize] -= 1;
            self.chosen[x as usize] += 1;
            self.pending.push(x);
        }
        if a != w {
            let (old_a, old_b) = (self.mate[a as usize], self.mate[b as usize]);
            self.trail.push(TrailEntry::MatesJoined { a, b, old_a, old_b });
            self.mate[a as usize] = b;
            self.mate[b as usize] = a;
            if self.chosen_total + 1 < n
                && let Some(closing) = self.edge_between(a as usize, b as usize)
            {
                self.mark_dropped(closing);
            }
        }
        Ok(())
    }

    fn propagate(&mut self) -> Result<(), Conflict> {
        while let Some(v) = self.pending.pop() {
            let v = v as usize;
            let missing = u32::from(2 - self.chosen[v]);
            let open = self.open[v];
            if open < missing {
                return Err(Conflict);
            }
            if open == 0 || (missing > 0 && open > missing) {
                if missing == 1 && open == 2 {
                    self.tight_ends.push(v as u32);
                }
                continue;
            }
            for i in 0..self.incident[v].len() {
                let e = self.incident[v][i];
                if self.state[e as usize] != EdgeState::Open {
                    continue;
                }
                if missing == 0 {
                    self.mark_dropped(e);
                } else {
                    self.mark_chosen(e)?;
                }
            }
        }
        Ok(())
    }
}
