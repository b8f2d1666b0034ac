use std::ops::ControlFlow;
use std::sync::Arc;

use crate::board::{Board, Graph};
use crate::frontier::layer::sweep_totals::StepTally;
use crate::frontier::planning::cancel::Cancel;
use crate::frontier::planning::phase::PhaseKind;
use crate::frontier::planning::problem::{SweepGraph, Tours};
use crate::frontier::signature::space::SignatureSpace;
use crate::frontier::sweep::dry_run::DryRun;
use crate::frontier::sweep::options::{Options, Storage, SweepSides};
use crate::frontier::sweep::prepared_sweep::PreparedSweep;
use crate::frontier::sweep::report::{NoObserver, Observer, StepReport};
use crate::frontier::sweep::sweep_tables::{LeftDryRun, SweepTables};
use crate::frontier::sweep::two_sided::sweep_phases;
use crate::frontier::weights::modulus::{Modulus, ResidueRing};

struct RecordedTallies(Vec<StepTally>);

impl Observer for RecordedTallies {
    fn on_step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.0.push(report.tally);
        ControlFlow::Continue(())
    }
}

/// Returns the prepared sweep of a board with the given options.
pub fn prepare_with(board: &str, tours: Tours, options: &Options) -> PreparedSweep {
    PreparedSweep::new(&SweepGraph::from_board(&board.parse().unwrap()), tours, options).unwrap()
}

/// Returns the prepared one-sided sweep of a board.
pub fn prepare_one_sided(board: &str, tours: Tours) -> PreparedSweep {
    prepare_with(board, tours, &Options { sides: SweepSides::One, ..Options::default() })
}

#[test]
fn dry_run_bounds_the_weights_of_every_layer() {
    for tours in [Tours::Closed, Tours::Paths] {
        let mut prepared = prepare_one_sided("5x6", tours);
        let estimate = prepared.estimate().unwrap();
        let mut swept = RecordedTallies(Vec::new());
        let totals = prepared.sweep(Storage::default(), &mut swept).unwrap().totals;
        assert_eq!((estimate.steps, estimate.layer_weights.len()), (swept.0.len(), swept.0.len()));
        assert!(swept.0.iter().zip(&estimate.layer_weights).all(|(tally, most)| tally.weights <= *most));
        assert_eq!(estimate.weights, estimate.layer_weights.iter().sum::<u64>());
        assert!(estimate.peak_weights >= totals.peak_weights && estimate.peak_bytes > estimate.fixed_bytes);
        assert!(estimate.is_exact && estimate.seconds > estimate.planning_seconds);
    }
}

#[test]
fn two_sided_estimate_makes_one_dry_run_of_each_half() {
    for (tours, cut) in [(Tours::Closed, 15), (Tours::Paths, 16)] {
        let (cancel, polls) = Cancel::after_polls(usize::MAX);
        let options = Options { sides: SweepSides::Two(cut), cancel: cancel.clone(), ..Options::default() };
        let mut prepared = prepare_with("6x5", tours, &options);
        let pair = prepared.two_sided_plan().unwrap().clone();
        let space = Arc::new(SignatureSpace::new(&pair.left).unwrap());
        let right_space = pair.right_space(&space).unwrap();
        let polls_of = |compute: &mut dyn FnMut()| {
            let before = polls.count();
            compute();
            polls.count() - before
        };
        let estimated = polls_of(&mut || drop(prepared.estimate().unwrap()));
        let sides = Some((&pair, &right_space));
        let mut tables = None;
        let table_polls = polls_of(&mut || {
            tables = Some(SweepTables::new(&space, sides, None, None, 0, &cancel).unwrap());
        });
        let mut tables = tables.unwrap();
        let right_polls = polls_of(&mut || {
            let mut left = LeftDryRun::new(&space);
            let phases = sweep_phases(space.step_count(), Some(&pair));
            for phase in phases.iter().filter(|phase| phase.kind == PhaseKind::Common) {
                left.run(&space, tables.get_mut(phase.kind), phase, &cancel).unwrap();
            }
            let mut right = left.into_right_start().0.unwrap_or_else(|| DryRun::new(right_space.words()));
            let steps = pair.common_steps..right_space.step_count();
            right.run(&right_space, tables.get_mut(PhaseKind::Right), steps, &cancel, |_| ()).unwrap();
        });
        // The tables include the dry run of the left half; the estimate polls once more at its end.
        assert!(
            estimated <= table_polls + right_polls + 1,
            "{tours:?} {estimated} {table_polls} {right_polls}"
        );
        // The sweep takes over the tables.
        let without = Options { memory: Some(1 << 30), ..options };
        let [swept, alone] = [prepared.clone(), prepared.with_options(&without)].map(|prepared| {
            let mut sweep = Some(prepared);
            polls_of(&mut || {
                drop(sweep.take().unwrap().sweep(Storage::default(), &mut NoObserver).unwrap());
            })
        });
        assert!(swept + table_polls / 2 < alone, "{tours:?} {swept} {alone} {table_polls}");
    }
}

/// Returns true if two positive numbers are within a factor of two of each other.
pub fn is_within_factor_two(one: f64, other: f64) -> bool {
    (0.5..=2.0).contains(&(one / other))
}

const GIB: f64 = (1u64 << 30) as f64;

/// Returns the prepared sweep of a board with default options: one-sided or two-sided, whichever is
/// faster. The recorded runs had these options.
fn prepare_default(board: &str, tours: Tours) -> PreparedSweep {
    prepare_with(board, tours, &Options::default())
}

#[test]
fn dry_run_estimates_are_close_to_records() {
    // Measured: seconds of two idle cores, MiB of the process.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (board, tours, planning, seconds, mebibytes) in [
        ("6x6", Tours::Paths, 0.003, 0.018, 12.0),
        ("6x8", Tours::Closed, 0.010, 0.043, 15.0),
        ("6x8", Tours::Paths, 0.016, 0.162, 25.0),
        ("7x7", Tours::Paths, 0.060, 0.271, 50.0),
        ("7x8", Tours::Closed, 0.040, 0.160, 40.0),
        ("5x40", Tours::Closed, 0.005, 0.074, 13.0),
        ("6x20", Tours::Closed, 0.024, 0.148, 23.0),
    ] {
        let estimate = pool.install(|| prepare_default(board, tours).estimate().unwrap());
        let bytes = estimate.peak_bytes as f64 / f64::from(1 << 20);
        assert!(
            is_within_factor_two(bytes, mebibytes),
            "{board} {tours:?}: {bytes} MiB, {mebibytes} recorded"
        );
        // The planning time of the estimate was measured on this machine.
        let predicted = estimate.seconds - estimate.planning_seconds + planning;
        assert!(
            is_within_factor_two(predicted, seconds),
            "{board} {tours:?}: {predicted} s, {seconds} recorded"
        );
    }
}

#[test]
fn rough_weights_are_close_to_dry_runs() {
    // Weights of the greatest layer and of all layers together, one-sided.
    for (board, tours, peak, all) in [
        ("8x8", Tours::Closed, 9.91e7, 1.80e9),
        ("8x9", Tours::Closed, 1.53e8, 2.94e9),
        ("7x8", Tours::Paths, 4.51e7, 4.28e8),
        ("8x8", Tours::Paths, 1.207e9, 2.083e10),
        ("8x32", Tours::Closed, 1.519e8, 2.77e10),
        ("9x9", Tours::Paths, 3.219e10, 5.068e11),
        ("10x10", Tours::Closed, 1.901e11, 4.254e12),
    ] {
        let estimate = prepare_one_sided(board, tours).rough_estimate();
        let found = (estimate.peak_weights as f64, estimate.weights as f64);
        assert!(
            is_within_factor_two(found.0, peak) && is_within_factor_two(found.1, all) && !estimate.is_exact,
            "{board}: {found:?}"
        );
    }
}

#[test]
fn rough_estimates_are_close_to_records() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // Measured: GiB in memory.
    for (board, tours, gibibytes, seconds) in [
        ("8x8", Tours::Closed, 0.435, 2.5),
        ("8x9", Tours::Closed, 0.68, 4.5),
        ("7x8", Tours::Paths, 0.17, 1.1),
        ("8x8", Tours::Paths, 4.1, 32.5),
        ("8x12", Tours::Closed, 2.87, 12.0),
        ("8x32", Tours::Closed, 6.25, 67.5),
    ] {
        let estimate = pool.install(|| prepare_default(board, tours).rough_estimate());
        let bytes = estimate.peak_bytes as f64 / GIB;
        assert!(
            is_within_factor_two(bytes, gibibytes),
            "{board} {tours:?}: {bytes} GiB, {gibibytes} recorded"
        );
        let predicted = estimate.seconds - estimate.planning_seconds;
        assert!(
            is_within_factor_two(predicted, seconds),
            "{board} {tours:?}: {predicted} s, {seconds} recorded"
        );
    }
}

#[test]
fn rough_estimates_of_complete_graphs_are_close_to_records() {
    // Measured: MiB of the process. A graph of 22 vertices has a hash table, which did not fit 18 GiB.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (len, mebibytes) in [(18, 361), (19, 1088), (20, 2984), (21, 9277)] {
        let estimate = pool.install(|| complete_graph(len).rough_estimate());
        let bytes = f64::from(mebibytes) * f64::from(1 << 20);
        assert!(is_within_factor_two(estimate.peak_bytes as f64, bytes), "{len}: {estimate:?}");
        assert!(!estimate.cannot_spill);
    }
    let hashed = complete_graph(22).rough_estimate();
    assert!(hashed.cannot_spill && hashed.peak_bytes > 18 << 30, "{hashed:?}");
}

/// Returns the prepared sweep for the closed tours of a complete graph.
fn complete_graph(len: usize) -> PreparedSweep {
    let edges = (0..len).flat_map(|w| (0..w).map(move |v| (v, w)));
    let board = Board::from_graph(Graph::from_edges(len, edges));
    PreparedSweep::new(&SweepGraph::from_board(&board), Tours::Closed, &Options::default()).unwrap()
}

#[test]
fn rough_estimates_of_residues_are_close_to_records() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // Modulo 65521: MiB of the process and seconds of two idle cores.
    for (tours, mebibytes, seconds) in [(Tours::Closed, 569.0, 3.0), (Tours::Paths, 3588.0, 34.5)] {
        let exact = prepare_one_sided("8x8", tours);
        let modulo = ResidueRing::new(65521).map(Modulus::Residues);
        let residue =
            exact.clone().with_options(&Options { modulo, sides: SweepSides::One, ..Options::default() });
        let (exact, residue) = pool.install(|| (exact.rough_estimate(), residue.rough_estimate()));
        let bytes = residue.peak_bytes as f64 / f64::from(1 << 20);
        assert!(is_within_factor_two(bytes, mebibytes), "{tours:?}: {bytes} MiB, {mebibytes} recorded");
        assert!(
            is_within_factor_two(residue.seconds, seconds),
            "{tours:?}: {} s, {seconds} recorded",
            residue.seconds
        );
        assert!(residue.peak_bytes < exact.peak_bytes && residue.seconds < exact.seconds);
    }
}

#[test]
fn for_rank_divides_layers_but_not_tables() {
    let whole = prepare_one_sided("6x8", Tours::Paths).rough_estimate();
    let shared = whole.clone().for_rank(4);
    assert_eq!(shared.fixed_bytes, whole.fixed_bytes);
    let most = whole
        .layer_bytes
        .iter()
        .zip(&whole.work_bytes)
        .map(|(held, work_bytes)| held.0 / 4 + work_bytes)
        .max();
    assert_eq!(Some(shared.peak_bytes - shared.fixed_bytes), most);
    assert!(shared.peak_bytes < whole.peak_bytes && shared.work_bytes == whole.work_bytes);
}
