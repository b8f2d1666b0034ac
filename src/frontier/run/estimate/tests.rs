use std::ops::ControlFlow;

use crate::frontier::block::modulus::{Lane, Modulus};
use crate::frontier::problem::cycles::Tours;
use crate::frontier::problem::field::Field;
use crate::frontier::run::observer::{Observer, StepReport};
use crate::frontier::run::options::{Ends, Options, Storage};
use crate::frontier::run::prepare::Prepared;
use crate::frontier::state::tally::Tally;

struct Tallies(Vec<Tally>);

impl Observer for Tallies {
    fn step(&mut self, report: &StepReport) -> ControlFlow<()> {
        self.0.push(report.tally);
        ControlFlow::Continue(())
    }
}

/// A board's sweep from one end, as what was recorded began.
pub fn prepared(board: &str, tours: Tours) -> Prepared {
    let field = Field::of(&board.parse().unwrap());
    Prepared::new(&field, tours, &Options { ends: Ends::One, ..Options::default() }).unwrap()
}

#[test]
fn no_layer_has_more_weights_than_were_predicted() {
    for tours in [Tours::Closed, Tours::Paths] {
        let mut prepared = prepared("5x6", tours);
        let estimate = prepared.estimate().unwrap();
        let mut swept = Tallies(Vec::new());
        let totals = prepared.sweep(Storage::default(), &mut swept).unwrap().totals;
        assert_eq!((estimate.steps, estimate.layers.len()), (swept.0.len(), swept.0.len()));
        assert!(swept.0.iter().zip(&estimate.layers).all(|(tally, most)| tally.weights <= *most));
        assert_eq!(estimate.weights, estimate.layers.iter().sum::<u64>());
        assert!(estimate.peak_weights >= totals.peak_weights && estimate.peak_bytes > estimate.fixed_bytes);
        assert!(estimate.is_exact && estimate.seconds > estimate.planning);
    }
}

/// Whether two positive numbers are within a factor of two.
pub fn alike(one: f64, other: f64) -> bool {
    (0.5..=2.0).contains(&(one / other))
}

const GIB: f64 = (1u64 << 30) as f64;

#[test]
fn dry_runs_tell_memory_and_time_of_what_was_recorded() {
    // results/sweeps.md and large-boards.md: seconds of two idle cores, MiB of the process.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    for (board, tours, planning, seconds, mebibytes) in [
        ("6x6", Tours::Paths, 0.003, 0.0147, 8.0),
        ("6x8", Tours::Closed, 0.009, 0.0356, 13.0),
        ("6x8", Tours::Paths, 0.016, 0.1126, 28.0),
        ("7x7", Tours::Paths, 0.245, 0.53, 87.0),
        ("7x8", Tours::Closed, 0.153, 0.285, 59.0),
        ("5x40", Tours::Closed, 0.005, 0.054, 10.0),
        ("6x20", Tours::Closed, 0.024, 0.1375, 25.0),
    ] {
        let estimate = pool.install(|| prepared(board, tours).estimate().unwrap());
        let bytes = estimate.peak_bytes as f64 / f64::from(1 << 20);
        assert!(alike(bytes, mebibytes), "{board} {tours:?}: {bytes} MiB, {mebibytes} recorded");
        // Planning was measured, here and now.
        let predicted = estimate.seconds - estimate.planning + planning;
        assert!(alike(predicted, seconds), "{board} {tours:?}: {predicted} s, {seconds} recorded");
    }
}

#[test]
fn orders_tell_memory_and_time_of_what_was_recorded() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // The greatest layer and all together, as dry runs tell them; GiB in memory; seconds of two idle cores.
    for (board, tours, peak, all, gibibytes, seconds) in [
        ("8x8", Tours::Closed, 9.91e7, 1.80e9, 0.87, 4.2),
        ("8x9", Tours::Closed, 1.53e8, 2.94e9, 1.06, 5.6),
        ("7x8", Tours::Paths, 4.51e7, 4.28e8, 0.34, 1.6),
        ("8x8", Tours::Paths, 1.207e9, 2.083e10, 5.58, 46.5),
        ("8x32", Tours::Closed, 1.519e8, 2.77e10, 6.8, 306.8),
        ("9x9", Tours::Paths, 3.219e10, 5.068e11, 279.1, 1800.0),
        ("10x10", Tours::Closed, 1.901e11, 4.254e12, 1260.0, 13.35 * 3600.0),
    ] {
        let estimate = pool.install(|| prepared(board, tours).outlook());
        let found = (estimate.peak_weights as f64, estimate.weights as f64, estimate.peak_bytes as f64 / GIB);
        let is_right = alike(found.0, peak) && alike(found.1, all) && alike(found.2, gibibytes);
        // What was planned for 10x10 is at the rate of a sweep that spilled.
        let is_in_time = alike(estimate.seconds, seconds) || board == "10x10";
        assert!(is_right && is_in_time && !estimate.is_exact, "{board}: {found:?} {}", estimate.seconds);
    }
}

#[test]
fn residues_are_told_to_take_what_they_took() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // Modulo 65521: MiB of the process and seconds of two idle cores.
    for (tours, mebibytes, seconds) in [(Tours::Closed, 569.0, 3.0), (Tours::Paths, 3588.0, 34.5)] {
        let exact = prepared("8x8", tours);
        let modulo = Lane::new(65521).map(Modulus::Lane);
        let residue = exact.clone().with(&Options { modulo, ends: Ends::One, ..Options::default() });
        let (exact, residue) = pool.install(|| (exact.outlook(), residue.outlook()));
        let bytes = residue.peak_bytes as f64 / f64::from(1 << 20);
        assert!(alike(bytes, mebibytes), "{tours:?}: {bytes} MiB, {mebibytes} recorded");
        assert!(alike(residue.seconds, seconds), "{tours:?}: {} s, {seconds} recorded", residue.seconds);
        assert!(residue.peak_bytes < exact.peak_bytes && residue.seconds < exact.seconds);
    }
}

#[test]
fn ranks_share_layers_and_have_all_the_tables() {
    let whole = prepared("6x8", Tours::Paths).outlook();
    let shared = whole.clone().shared(4);
    assert_eq!(shared.fixed_bytes, whole.fixed_bytes);
    let most = whole.held.iter().zip(&whole.making).map(|(held, making)| held.0 / 4 + making).max();
    assert_eq!(Some(shared.peak_bytes - shared.fixed_bytes), most);
    assert!(shared.peak_bytes < whole.peak_bytes && shared.making == whole.making);
}
