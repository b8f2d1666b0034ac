//! Counts with a transposition table are exact, even if tables are discarded.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;

use super::*;
use crate::board::Graph;
use crate::search::degrees::Degrees;
use crate::search::multipath::Multipath;
use crate::search::samples;
use crate::search::visitor::Lister;

/// Returns a table that stores entries from the first node on.
fn awake<B: Bitboard>() -> Endgames<B> {
    let mut endgames = Endgames::new();
    endgames.visited(LONG);
    endgames
}

/// Returns the tours, visited one by one, and the nodes.
fn visited<B: Bitboard>(root: &Multipath<B>) -> (u128, u64) {
    let (go, mut tours) = (AtomicBool::new(false), 0);
    let mut lister = Lister::new(&go, |_: &mut Vec<u32>| {
        tours += 1;
        ControlFlow::Continue(())
    });
    let nodes = root.visit(&mut lister);
    (tours, nodes)
}

fn assert_same<B: Bitboard>(endgames: &mut Endgames<B>, root: &Multipath<B>) -> (u64, u64) {
    let (tours, nodes) = visited(root);
    let counted = root.count(endgames, &AtomicBool::new(false));
    assert_eq!(counted.tours, tours);
    assert!(counted.nodes <= nodes);
    (counted.nodes, nodes)
}

#[test]
fn a_count_with_what_is_remembered_is_the_count() {
    for (_, graph) in samples::all() {
        let (mut narrow, mut wide) = (awake(), awake());
        for start in 0..graph.len() {
            for end in (0..graph.len()).filter(|&end| end != start) {
                assert_same(&mut narrow, &Multipath::<u64>::paths(&graph, start, end));
                assert_same(&mut wide, &Multipath::<u128>::paths(&graph, start, end));
            }
        }
    }
}

#[test]
fn most_nodes_of_a_large_board_are_remembered() {
    let graph = samples::knight(6, 6);
    let mut endgames = awake();
    let root = Multipath::<u64>::closed(&graph);
    let (first, all) = assert_same(&mut endgames, &root);
    assert!(first * 3 < all * 2, "{first} of {all}");
    let (again, _) = assert_same(&mut endgames, &root);
    assert!(again * 2 < first, "{again}, then {first}");
}

#[test]
fn a_stopped_count_leaves_nothing_wrong_behind() {
    let root = Multipath::<u64>::closed(&samples::knight(6, 7));
    let mut endgames = awake();
    // The poll comes in the middle of the search.
    let stopped = root.count(&mut endgames, &AtomicBool::new(true));
    let (tours, nodes) = visited(&root);
    assert!(stopped.tours < tours && stopped.nodes < nodes);
    assert_same(&mut endgames, &root);
}

/// Asserts exact counts while the tables are discarded one after another, each after `more` further lookups.
fn assert_given_up<B: Bitboard>(root: &Multipath<B>, more: u64) {
    let mut endgames = awake();
    for table in 0..TABLES.len() {
        endgames.tables[table].looks = JUDGED - 1 - more;
        // The poll comes in the middle of the search.
        root.count(&mut endgames, &AtomicBool::new(table == 1));
        assert_same(&mut endgames, root);
        assert_eq!(endgames.first, table + 1);
        let is_empty: Vec<bool> = endgames.tables.iter().map(|table| table.entries.is_empty()).collect();
        assert!((0..TABLES.len()).all(|other| is_empty[other] == (other <= table)), "{is_empty:?}");
    }
    let (nodes, all) = assert_same(&mut endgames, root);
    assert_eq!(nodes, all, "no entry is stored any more");
}

#[test]
fn a_table_in_which_nothing_is_found_is_given_up_in_the_middle_of_a_search() {
    let graph = samples::knight(6, 6);
    for more in [0, 1, 2, 10, 100] {
        assert_given_up(&Multipath::<u64>::closed(&graph), more);
        assert_given_up(&Multipath::<u128>::closed(&graph), more);
    }
}

#[test]
fn a_table_in_which_enough_is_found_stays() {
    let mut endgames = awake();
    (endgames.tables[0].looks, endgames.tables[0].found) = (JUDGED - 1, JUDGED / WORTH);
    assert_same(&mut endgames, &Multipath::<u64>::closed(&samples::knight(6, 6)));
    assert_eq!(endgames.first, 0);
}

#[test]
fn a_count_beyond_a_word_is_not_remembered() {
    let graph = samples::king(2, 2);
    let pieces = Pieces::<u64>::none(4, Degrees::of(&graph));
    let mut endgames = awake();
    for tours in [u128::from(u64::MAX) + 1, u64::MAX.into()] {
        assert_eq!(endgames.below(&pieces, 0, 7), None);
        endgames.done(0, 7 + tours);
    }
    assert_eq!(endgames.below(&pieces, 0, 9), Some(u64::MAX));
}

proptest! {
    #[test]
    fn random_graphs_are_counted_alike(
        len in 4..12usize,
        chosen in prop::collection::vec(any::<bool>(), 66),
    ) {
        let pairs = (0..len).flat_map(|v| (0..v).map(move |w| (v, w)));
        let graph = Graph::from_edges(len, pairs.zip(&chosen).filter(|(_, is)| **is).map(|(edge, _)| edge));
        let (mut narrow, mut wide) = (awake(), awake());
        for end in 1..len {
            assert_same(&mut narrow, &Multipath::<u64>::paths(&graph, 0, end));
            assert_same(&mut wide, &Multipath::<u128>::paths(&graph, 0, end));
        }
    }
}
