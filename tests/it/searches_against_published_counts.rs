//! Compares both kinds of search, multipath and backtracking, with the published counts that they
//! recompute in seconds.

use ktour::count::published_counts::{PublishedJob, published_jobs};
use ktour::count::{Engine, Request};
use ktour::tour::Kind;

use super::searches_against_oracle::count_all;

/// Recomputes the selected groups of published numbers, and returns how many numbers these are.
fn assert_engine_matches_published(engine: Engine, is_selected: impl Fn(&PublishedJob) -> bool) -> usize {
    let mut numbers = 0;
    for group in published_jobs().into_iter().filter(is_selected) {
        let answer = count_all(&Request { engine, ..group.request.clone() });
        for number in &group.counts {
            let computed = number.value_in(&answer);
            assert_eq!(
                computed.as_ref(),
                Some(&number.count),
                "{engine:?}: {}, {}",
                number.title(),
                number.source
            );
        }
        numbers += group.counts.len();
    }
    numbers
}

/// Returns true if a search finishes in seconds. A search visits every tour, and kings and wazirs have too
/// many.
fn is_feasible_for_search(group: &PublishedJob) -> bool {
    let knights = group.request.board().leaper_board().is_some_and(|rectangle| rectangle.is_knight_board());
    knights || group.counts.iter().all(|number| number.count <= 1_000_000u32.into())
}

#[test]
fn multipath_matches_published_numbers() {
    let numbers = assert_engine_matches_published(Engine::Multipath, |group| {
        let max_squares = if group.request.kind() == Some(Kind::Closed) { 42 } else { 36 };
        group.request.board().len() <= max_squares && is_feasible_for_search(group)
    });
    assert!(numbers > 200, "{numbers}");
}

#[test]
fn backtracking_matches_published_numbers() {
    let numbers = assert_engine_matches_published(Engine::Backtrack, |group| {
        group.request.board().len() <= 30 && is_feasible_for_search(group)
    });
    assert!(numbers > 100, "{numbers}");
}
