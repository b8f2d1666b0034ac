//! The intervals of estimated numbers of tours, against published counts.

use ktour::Control;
use ktour::board::Board;
use ktour::count::published_counts::{PublishedCount, published_counts};
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::search::tree_size_estimate::estimate_tree;
use ktour::tour::{Kind, TourSpec};
use num_traits::ToPrimitive;

/// Boards whose published counts are compared with estimates, from 8 tours to 10^32.
const BOARDS: [&str; 16] = [
    "5x5", "5x6", "6x6", "5x8", "6x7", "6x8", "7x7", "7x8", "6x10", "8x8", "8x9", "9x9", "8x10", "8x11",
    "8x12", "7x16",
];

/// Number of squares from which `ktour estimate` makes few walks in each unit of work, because a search is hopeless.
const LARGE_SQUARES: usize = 56;

/// Returns the number of undirected tours that a publication states for a whole board.
fn undirected_count(published: &PublishedCount) -> f64 {
    let count = published.count.to_f64().unwrap();
    if published.is_directed { count / 2.0 } else { count }
}

#[test]
fn intervals_contain_nine_of_ten_published_counts() {
    let boards: Vec<Board> = BOARDS.iter().map(|board| board.parse().unwrap()).collect();
    let is_compared = |published: &PublishedCount| {
        published.start.is_none() && published.kind != Kind::Open && boards.contains(&published.board)
    };
    let (mut held, mut all, mut seen) = (0, 0, Vec::new());
    let mut missed = Vec::new();
    for published in published_counts().into_iter().filter(is_compared) {
        let job = (published.board.title(), published.kind);
        if seen.contains(&job) {
            continue;
        }
        seen.push(job);
        let count = undirected_count(&published);
        let problem = Problem::new(&TourSpec::all(published.board.clone(), published.kind)).unwrap();
        let plan = MultipathPlan::new(problem, None).unwrap();
        let probes = if published.board.len() < LARGE_SQUARES { 32 } else { 4 };
        for seed in 0..3 {
            let estimate = estimate_tree(&plan, probes, seed, &Control::new()).unwrap();
            let (low, high) = estimate.tour_interval();
            all += 1;
            if (low * 0.999..=high * 1.001).contains(&count) {
                held += 1;
            } else {
                missed.push(format!(
                    "{} {}: {count:.2e}, {low:.1e} to {high:.1e}, estimate {:.1e} +- {:.1e}",
                    published.board.title(),
                    published.kind.name(),
                    estimate.tours.0,
                    estimate.tours.1
                ));
            }
        }
    }
    assert!(all >= 45 && held * 10 >= all * 9, "{held} of {all}; missed:\n{}", missed.join("\n"));
}
