//! Tests that counts with a transposition table are exact, even if tables are discarded.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use crate::board::Graph;
use crate::search::bitboard_graph::BitSlicedDegrees;
use crate::search::multipath::Multipath;
use crate::search::test_graphs;
use crate::search::visitor::SequenceVisitor;

/// Returns a transposition table that stores entries from the first node of a search on.
fn active_table<B: Bitboard>() -> TranspositionTable<B> {
    let mut endgames = TranspositionTable::new();
    endgames.add_nodes(MIN_NODES);
    endgames
}

/// Visits all tours below `root` one by one, without a transposition table. Returns the numbers of
/// tours and nodes.
fn visit_all<B: Bitboard>(root: &Multipath<B>) -> (u128, u64) {
    let (go, mut tours) = (AtomicBool::new(false), 0);
    let mut lister = SequenceVisitor::new(&go, |_: &mut Vec<u32>| {
        tours += 1;
        ControlFlow::Continue(())
    });
    let nodes = root.visit(&mut lister);
    (tours, nodes)
}

fn assert_exact_count<B: Bitboard>(endgames: &mut TranspositionTable<B>, root: &Multipath<B>) -> (u64, u64) {
    let (tours, nodes) = visit_all(root);
    let counted = root.count(endgames, &AtomicBool::new(false));
    assert_eq!(counted.tours, tours);
    assert!(counted.nodes <= nodes);
    (counted.nodes, nodes)
}

#[test]
fn counts_with_table_are_exact() {
    for (_, graph) in test_graphs::sample_graphs() {
        let (mut narrow, mut wide) = (active_table(), active_table());
        for start in 0..graph.len() {
            for end in (0..graph.len()).filter(|&end| end != start) {
                assert_exact_count(&mut narrow, &Multipath::<u64>::new_paths(&graph, start, end));
                assert_exact_count(&mut wide, &Multipath::<u128>::new_paths(&graph, start, end));
            }
        }
    }
}

#[test]
fn table_saves_most_nodes_of_6x6() {
    let graph = test_graphs::knight_graph(6, 6);
    let mut endgames = active_table();
    let root = Multipath::<u64>::new_closed(&graph);
    let (first, all) = assert_exact_count(&mut endgames, &root);
    assert!(first * 3 < all * 2, "{first} of {all}");
    let (second, _) = assert_exact_count(&mut endgames, &root);
    assert!(second * 2 < first, "{second}, then {first}");
}

#[test]
fn stopped_count_leaves_table_valid() {
    let root = Multipath::<u64>::new_closed(&test_graphs::knight_graph(6, 7));
    let mut endgames = active_table();
    // The poll comes in the middle of the search.
    let stopped = root.count(&mut endgames, &AtomicBool::new(true));
    let (tours, nodes) = visit_all(&root);
    assert!(stopped.tours < tours && stopped.nodes < nodes);
    assert_exact_count(&mut endgames, &root);
}

/// Asserts that counts are exact while the tables are discarded one after another, each after `more` further
/// lookups.
fn assert_tables_discarded<B: Bitboard>(root: &Multipath<B>, more: u64) {
    let mut endgames = active_table();
    for table in 0..TABLE_SIZES.len() {
        endgames.tables[table].lookups = LOOKUPS_PER_REVIEW - 1 - more;
        // The poll comes in the middle of the search.
        root.count(&mut endgames, &AtomicBool::new(table == 1));
        assert_exact_count(&mut endgames, root);
        assert_eq!(endgames.first_in_use, table + 1);
        let is_empty: Vec<bool> = endgames.tables.iter().map(|table| table.entries.is_empty()).collect();
        assert!((0..TABLE_SIZES.len()).all(|other| is_empty[other] == (other <= table)), "{is_empty:?}");
    }
    let (nodes, all) = assert_exact_count(&mut endgames, root);
    assert_eq!(nodes, all, "no entry is stored any more");
}

#[test]
fn table_without_hits_is_discarded_during_search() {
    let graph = test_graphs::knight_graph(6, 6);
    for more in [0, 1, 2, 10, 100] {
        assert_tables_discarded(&Multipath::<u64>::new_closed(&graph), more);
        assert_tables_discarded(&Multipath::<u128>::new_closed(&graph), more);
    }
}

#[test]
fn table_with_enough_hits_stays() {
    let mut endgames = active_table();
    (endgames.tables[0].lookups, endgames.tables[0].hits) =
        (LOOKUPS_PER_REVIEW - 1, LOOKUPS_PER_REVIEW / MAX_LOOKUPS_PER_HIT);
    assert_exact_count(&mut endgames, &Multipath::<u64>::new_closed(&test_graphs::knight_graph(6, 6)));
    assert_eq!(endgames.first_in_use, 0);
}

#[test]
fn counts_beyond_u64_are_not_stored() {
    let graph = test_graphs::king_graph(2, 2);
    let pieces = PathFragments::<u64>::new(4, BitSlicedDegrees::from_graph(&graph));
    let mut endgames = active_table();
    for tours in [u128::from(u64::MAX) + 1, u64::MAX.into()] {
        assert_eq!(endgames.stored_tours(&pieces, 0, 7), None);
        endgames.finish_nodes(0, 7 + tours);
    }
    assert_eq!(endgames.stored_tours(&pieces, 0, 9), Some(u64::MAX));
}

proptest! {
    #[test]
    fn counts_of_random_graphs_are_exact(
        len in 4..12usize,
        chosen in prop::collection::vec(any::<bool>(), 66),
    ) {
        let pairs = (0..len).flat_map(|v| (0..v).map(move |w| (v, w)));
        let graph = Graph::from_edges(len, pairs.zip(&chosen).filter(|(_, is)| **is).map(|(edge, _)| edge));
        let (mut narrow, mut wide) = (active_table(), active_table());
        for end in 1..len {
            assert_exact_count(&mut narrow, &Multipath::<u64>::new_paths(&graph, 0, end));
            assert_exact_count(&mut wide, &Multipath::<u128>::new_paths(&graph, 0, end));
        }
    }
}
