//! Perfect matchings of the double cover of a graph restrict its tours.
//!
//! A closed tour, walked in one direction, gives every vertex a successor, and all successors differ: a
//! perfect matching of vertices with vertices along edges. So a graph without such a matching has no closed
//! tour, and an edge outside all such matchings is in no closed tour.
//!
//! ```text
//! neighbours -> matching (Hopcroft and Karp 1973) -> perfect:     usable edges are those within the
//!                                                                 strong components (Tarjan 1972)
//!                                                 -> not perfect: an independent set with too few
//!                                                                 neighbours (Koenig 1931)
//! ```
//!
//! Memory O(edges), cost O(edges x sqrt(vertices)).

use std::collections::VecDeque;

/// Marks a missing vertex.
const NO_VERTEX: u32 = u32::MAX;

/// An independent set of vertices with fewer neighbours than members.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CrowdedSet {
    /// The members.
    pub(super) members: Vec<usize>,
    /// Their neighbours.
    pub(super) neighbours: Vec<usize>,
}

/// Returns the edges that are in some perfect matching of the double cover, as adjacency lists; or an
/// independent set that proves that no perfect matching exists.
pub(super) fn matched_edges(near: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, CrowdedSet> {
    let next = perfect_matching(near)?;
    let mut before = vec![NO_VERTEX; near.len()];
    next.iter().enumerate().for_each(|(v, &w)| before[w as usize] = v as u32);
    // Edges from a vertex to the one that needs another successor if the former takes its successor.
    let moved: Vec<Vec<u32>> =
        near.iter().map(|near| near.iter().map(|&w| before[w as usize]).collect()).collect();
    let component = strong_components(&moved);
    let is_matched = |v: usize, w: u32| component[v] == component[before[w as usize] as usize];
    let keep = |v: usize| {
        let both = |w: &u32| is_matched(v, *w) && is_matched(*w as usize, v as u32);
        near[v].iter().copied().filter(both).collect()
    };
    Ok((0..near.len()).map(keep).collect())
}

/// Returns a successor for every vertex, all different.
fn perfect_matching(near: &[Vec<u32>]) -> Result<Vec<u32>, CrowdedSet> {
    let len = near.len();
    let (mut next, mut before) = (vec![NO_VERTEX; len], vec![NO_VERTEX; len]);
    for v in 0..len {
        if let Some(&w) = near[v].iter().find(|&&w| before[w as usize] == NO_VERTEX) {
            (next[v], before[w as usize]) = (w, v as u32);
        }
    }
    loop {
        let depth = alternating_depths(near, &next, &before);
        let mut has_grown = false;
        let mut tried = vec![0; len];
        for v in (0..len).filter(|&v| next[v] == NO_VERTEX).collect::<Vec<_>>() {
            has_grown |= augment_matching(near, &mut next, &mut before, &depth, &mut tried, v);
        }
        if !has_grown {
            break;
        }
    }
    if !next.contains(&NO_VERTEX) {
        return Ok(next);
    }
    // The vertices that could free a successor for the unmatched ones outnumber their neighbours by as many
    // as are unmatched.
    let mut is_seen = vec![false; len];
    let mut queue: VecDeque<usize> = (0..len).filter(|&v| next[v] == NO_VERTEX).collect();
    while let Some(v) = queue.pop_front() {
        if !std::mem::replace(&mut is_seen[v], true) {
            queue.extend(near[v].iter().map(|&w| before[w as usize] as usize));
        }
    }
    let is_near = |v: usize| near[v].iter().any(|&w| is_seen[w as usize]);
    let apart: Vec<usize> = (0..len).filter(|&v| is_seen[v] && !is_near(v)).collect();
    let mut around: Vec<usize> = apart.iter().flat_map(|&v| near[v].iter().map(|&w| w as usize)).collect();
    around.sort_unstable();
    around.dedup();
    Err(CrowdedSet { members: apart, neighbours: around })
}

/// Returns the length of the shortest alternating path from an unmatched vertex to each vertex; `usize::MAX`
/// if none exists.
fn alternating_depths(near: &[Vec<u32>], next: &[u32], before: &[u32]) -> Vec<usize> {
    let mut depth = vec![usize::MAX; near.len()];
    let mut queue: VecDeque<usize> = (0..near.len()).filter(|&v| next[v] == NO_VERTEX).collect();
    queue.iter().for_each(|&v| depth[v] = 0);
    while let Some(v) = queue.pop_front() {
        for &w in &near[v] {
            let other = before[w as usize];
            if other != NO_VERTEX && depth[other as usize] == usize::MAX {
                depth[other as usize] = depth[v] + 1;
                queue.push_back(other as usize);
            }
        }
    }
    depth
}

/// Extends the matching along an augmenting path from `root`. Returns true if one was found.
fn augment_matching(
    near: &[Vec<u32>],
    next: &mut [u32],
    before: &mut [u32],
    depth: &[usize],
    tried: &mut [usize],
    root: usize,
) -> bool {
    let mut path = vec![root];
    while let Some(&v) = path.last() {
        let Some(&w) = near[v].get(tried[v]) else {
            path.pop();
            continue;
        };
        tried[v] += 1;
        let other = before[w as usize];
        if other != NO_VERTEX {
            if depth[other as usize] == depth[v] + 1 {
                path.push(other as usize);
            }
            continue;
        }
        let mut free = w;
        for &v in path.iter().rev() {
            before[free as usize] = v as u32;
            free = std::mem::replace(&mut next[v], free);
        }
        return true;
    }
    false
}

/// Returns the number of the strong component of every vertex of a directed graph.
fn strong_components(to: &[Vec<u32>]) -> Vec<u32> {
    let len = to.len();
    let (mut index, mut low, mut component) = (vec![NO_VERTEX; len], vec![0; len], vec![NO_VERTEX; len]);
    let (mut open, mut path, mut begun, mut closed) = (Vec::new(), Vec::new(), 0, 0);
    for root in 0..len {
        if index[root] != NO_VERTEX {
            continue;
        }
        path.push((root, 0));
        while let Some((v, at)) = path.pop() {
            if at == 0 {
                (index[v], low[v]) = (begun, begun);
                begun += 1;
                open.push(v);
            }
            if let Some(&w) = to[v].get(at) {
                let w = w as usize;
                path.push((v, at + 1));
                if index[w] == NO_VERTEX {
                    path.push((w, 0));
                } else if component[w] == NO_VERTEX {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            if low[v] == index[v] {
                while let Some(w) = open.pop() {
                    component[w] = closed;
                    if w == v {
                        break;
                    }
                }
                closed += 1;
            }
            if let Some(&(above, _)) = path.last() {
                low[above] = low[above].min(low[v]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn adjacency(len: usize, edges: &[(usize, usize)]) -> Vec<Vec<u32>> {
        let graph = crate::board::Graph::from_edges(len, edges.iter().copied().filter(|(v, w)| v != w));
        (0..len).map(|v| graph.neighbours(v).to_vec()).collect()
    }

    /// Computes [`matched_edges`] by trying every assignment of successors.
    fn brute_force_edges(near: &[Vec<u32>]) -> Option<Vec<Vec<u32>>> {
        fn go(near: &[Vec<u32>], next: &mut Vec<u32>, used: &mut [[bool; 8]; 8], has: &mut bool) {
            let v = next.len();
            if v == near.len() {
                *has = true;
                next.iter().enumerate().for_each(|(v, &w)| used[v][w as usize] = true);
                return;
            }
            for &w in &near[v] {
                if !next.contains(&w) {
                    next.push(w);
                    go(near, next, used, has);
                    next.pop();
                }
            }
        }
        let (mut used, mut has) = ([[false; 8]; 8], false);
        go(near, &mut Vec::new(), &mut used, &mut has);
        let keep =
            |(v, near): (usize, &Vec<u32>)| near.iter().copied().filter(|&w| used[v][w as usize]).collect();
        has.then(|| near.iter().enumerate().map(keep).collect())
    }

    #[test]
    fn matched_edges_of_star_and_of_ring_with_chord() {
        let crowd = matched_edges(&adjacency(4, &[(0, 1), (0, 2), (0, 3)])).unwrap_err();
        assert_eq!(crowd, CrowdedSet { members: vec![1, 2, 3], neighbours: vec![0] });
        let ring = adjacency(4, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]);
        // 1 and 3 have only the neighbours 0 and 2, so these have no move to each other left.
        assert_eq!(matched_edges(&ring).unwrap()[0], [1, 3]);
    }

    proptest! {
        #[test]
        fn matched_edges_agree_with_brute_force(
            (len, edges) in (1usize..=7).prop_flat_map(|len| {
                (Just(len), proptest::collection::vec((0..len, 0..len), 0..=2 * len))
            }),
        ) {
            let near = adjacency(len, &edges);
            match matched_edges(&near) {
                Ok(found) => prop_assert_eq!(Some(found), brute_force_edges(&near)),
                Err(crowd) => {
                    prop_assert!(brute_force_edges(&near).is_none());
                    prop_assert!(crowd.neighbours.len() < crowd.members.len());
                    for &v in &crowd.members {
                        prop_assert!(near[v].iter().all(|&w| !crowd.members.contains(&(w as usize))));
                    }
                }
            }
        }
    }
}
