//! The published numbers that come with the program, as far as they take seconds.

use ktour::count::Engine;
use ktour::count::Request;
use ktour::count::published::{Group, groups};
use ktour::tour::Kind;

use crate::kernels::counted;

/// Recomputes the groups that are wanted; how many numbers that were.
fn reproduced(engine: Engine, wanted: impl Fn(&Group) -> bool) -> usize {
    let mut numbers = 0;
    for group in groups().into_iter().filter(wanted) {
        let answer = counted(&Request { engine, ..group.request.clone() });
        for number in &group.numbers {
            let computed = number.computed(&answer);
            assert_eq!(
                computed.as_ref(),
                Some(&number.count),
                "{engine:?}: {}, {}",
                number.name(),
                number.source
            );
        }
        numbers += group.numbers.len();
    }
    numbers
}

/// Searches visit every tour: of kings and grids there are soon too many.
fn is_searched(group: &Group) -> bool {
    let knights = group.request.arena.rectangle().is_some_and(|rectangle| rectangle.is_knights());
    knights || group.numbers.iter().all(|number| number.count <= 1_000_000u32.into())
}

#[test]
fn multipath_reproduces_small_boards() {
    let numbers = reproduced(Engine::Multipath, |group| {
        let most = if group.request.kind == Some(Kind::Closed) { 42 } else { 36 };
        group.request.arena.len() <= most && is_searched(group)
    });
    assert!(numbers > 200, "{numbers}");
}

#[test]
fn backtracking_reproduces_smaller_boards() {
    let numbers =
        reproduced(Engine::Backtrack, |group| group.request.arena.len() <= 30 && is_searched(group));
    assert!(numbers > 100, "{numbers}");
}
