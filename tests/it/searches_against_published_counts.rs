//! The published numbers that come with the program, as far as they take seconds.

use ktour::count::published_counts::{PublishedJob, published_jobs};
use ktour::count::{Engine, Request};
use ktour::tour::Kind;

use super::searches_against_oracle::count_all;

/// Recomputes the groups that are wanted; how many numbers that were.
fn recompute_groups(engine: Engine, wanted: impl Fn(&PublishedJob) -> bool) -> usize {
    let mut numbers = 0;
    for group in published_jobs().into_iter().filter(wanted) {
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

/// Searches visit every tour: of kings and grids there are soon too many.
fn is_feasible_for_search(group: &PublishedJob) -> bool {
    let knights = group.request.board.leaper_board().is_some_and(|rectangle| rectangle.is_knight_board());
    knights || group.counts.iter().all(|number| number.count <= 1_000_000u32.into())
}

#[test]
fn multipath_matches_published_numbers() {
    let numbers = recompute_groups(Engine::Multipath, |group| {
        let most = if group.request.kind == Some(Kind::Closed) { 42 } else { 36 };
        group.request.board.len() <= most && is_feasible_for_search(group)
    });
    assert!(numbers > 200, "{numbers}");
}

#[test]
fn backtracking_matches_published_numbers() {
    let numbers = recompute_groups(Engine::Backtrack, |group| {
        group.request.board.len() <= 30 && is_feasible_for_search(group)
    });
    assert!(numbers > 100, "{numbers}");
}
