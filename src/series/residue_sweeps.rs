//! Counts of the boards of a [`BoardLine`](super::BoardLine) from residues: one sweep along the length for each modulus.
//!
//! ```text
//! one sweep over signatures -> a bound for each board -> as many moduli as the greatest bound needs
//! a sweep for each modulus  -> residues of all boards -> Bounds::join, theorems -> SeriesRow
//! ```
//!
//! A board needs as many residues as its own bound requires, plus one that checks the others. So the rows of
//! short boards are complete after the first few sweeps.

use num_bigint::BigUint;

use super::line_sweeps::LineSweeps;
use super::planned_series::PlannedSeries;
use super::{SeriesRow, SweepSaver, row};
use crate::control::Control;
use crate::count::{CountError, JobEstimate, ResidueSums, UpperBounds};
use crate::frontier::{ResidueRing, Tours, prime_moduli};
use crate::search::unit_runner::Stopped;

/// The planned sweeps of the boards of one width, with the moduli that determine their numbers of tours.
#[derive(Clone, Debug)]
pub struct ResidueSweeps {
    series: PlannedSeries,
    /// For each board, upper bounds of its numbers of closed tours and paths, by length from 1 on.
    bounds: Vec<UpperBounds>,
    /// For each board, the number of moduli that determine and check its counts, by length from 1
    /// on.
    moduli_needed: Vec<usize>,
    moduli: Vec<ResidueRing>,
}

impl PlannedSeries {
    /// Computes how many residues the counts need, and chooses as many primes of `bits` bits (16 or
    /// 32) as moduli. Cost: a few hundredths of a sweep. Sweeps that were planned modulo the first of these primes, the
    /// greatest, keep their estimate.
    ///
    /// # Errors
    /// The frontier is too wide for an upper bound, or the control was cancelled.
    ///
    /// # Panics
    /// Panics if `bits` is none of 8, 16 and 32.
    pub fn into_residue_sweeps(self, bits: u32, control: &Control) -> Result<ResidueSweeps, CountError> {
        let mut bounds = vec![UpperBounds::default(); usize::from(self.line.last())];
        control.begin_planning();
        for series_sweep in &self.sweeps {
            let Some(found) = series_sweep.upper_bounds() else {
                return Err(if control.is_cancelled() { Stopped.into() } else { CountError::NoUpperBound });
            };
            for (bounds, bound) in bounds.iter_mut().zip(found) {
                let is_closed = series_sweep.tours() == Tours::Closed;
                *(if is_closed { &mut bounds.closed } else { &mut bounds.paths }) = bound;
            }
        }
        let line_bounds = &bounds[usize::from(self.line.first()) - 1..];
        let bound = line_bounds.iter().map(UpperBounds::max_bound).max().expect("a line has boards");
        let moduli = prime_moduli(bound, bits).ok_or(CountError::TooFewPrimes(bits))?;
        let needed = bounds.iter().map(|bounds| count_moduli_needed(&moduli, bounds)).collect();
        Ok(ResidueSweeps { series: self.with_residues(moduli[0]), bounds, moduli_needed: needed, moduli })
    }
}

/// Returns the number of moduli that determine and check a number below the bounds: as many of the
/// first moduli as have a product above the bounds, and one more for the check.
fn count_moduli_needed(moduli: &[ResidueRing], bounds: &UpperBounds) -> usize {
    let mut product = BigUint::from(1u8);
    let useful_rings = moduli.iter().take_while(|ring| {
        let is_short = product <= *bounds.max_bound();
        product *= ring.modulus();
        is_short
    });
    (useful_rings.count() + 1).min(moduli.len())
}

impl ResidueSweeps {
    /// Returns the moduli in the order of their sweeps. The last modulus serves to check the counts of the
    /// board with the greatest bound.
    #[must_use]
    pub fn moduli(&self) -> &[ResidueRing] {
        &self.moduli
    }

    /// Returns the estimated time and memory of all sweeps, one after the other.
    pub fn estimate(&mut self) -> JobEstimate {
        let one = self.series.estimate();
        let times = self.moduli.len() as f64;
        JobEstimate { seconds: one.seconds.map(|seconds| seconds * times), ..one }
    }

    /// Runs the sweeps for all moduli. Passes the row of each board to `row` as soon as its numbers
    /// are known and checked against the theorems. If `saver` is given, it saves the progress of
    /// the sweeps; saved sweeps are resumed, and the rows of all boards are passed again.
    ///
    /// # Errors
    /// A sweep does not fit into memory or is cancelled, residues contradict each other, or numbers
    /// contradict a theorem or differ from the saved ones. Rows that were passed before are valid.
    pub fn run(
        mut self,
        saver: Option<&dyn SweepSaver>,
        control: &Control,
        row: &mut (dyn FnMut(SeriesRow) + Send),
    ) -> Result<(), CountError> {
        let (line, mut series_sweeps) = (self.series.line, std::mem::take(&mut self.series.sweeps));
        let number = series_sweeps.len();
        let watched = LineSweeps::begin(line, &series_sweeps, self.moduli.len(), saver, control);
        let (mut swept_residues, mut next, mut broken) = (SweptResidues::default(), line.first(), None);
        let mut swept = Ok(());
        'sweeps: for (m, &ring) in self.moduli.iter().enumerate() {
            swept_residues.begin_modulus();
            for (f, series_sweep) in series_sweeps.iter_mut().enumerate() {
                let (tours, is_last) = (series_sweep.tours(), f + 1 == number);
                let mut each = |length, residue| {
                    swept_residues.add(tours, residue);
                    while is_last && broken.is_none() && next <= line.last() {
                        // One residue fewer is known of the boards that this sweep has not passed.
                        let known_residues = m + usize::from(next <= length);
                        if known_residues < self.moduli_needed[usize::from(next) - 1] {
                            break;
                        }
                        match self.join_row(&swept_residues, known_residues, next) {
                            Ok(made) => row(made),
                            Err(error) => {
                                broken = Some(error);
                                control.cancel();
                            }
                        }
                        next += 1;
                    }
                };
                // The first sweep takes over the tables, so that no second owner keeps them in memory.
                let sweep = series_sweep.with_residues(ring);
                series_sweep.drop_tables();
                swept = watched.run_sweep(m * number + f, sweep, &mut each);
                if swept.is_err() || broken.is_some() {
                    break 'sweeps;
                }
            }
        }
        watched.finish(broken, swept)
    }

    /// Returns the row of the board of length `length`, from its residues modulo the first `known_residues`
    /// moduli.
    fn join_row(
        &self,
        swept_residues: &SweptResidues,
        known_residues: usize,
        length: u16,
    ) -> Result<SeriesRow, CountError> {
        let PlannedSeries { line, rules, kind, .. } = &self.series;
        let sums = swept_residues.sums_of_length(&self.moduli[..known_residues], length);
        let joined = self.bounds[usize::from(length) - 1].combine_residues(&sums);
        let joined = joined.map_err(|misfit| {
            let board = line.board(length).to_string();
            CountError::InconsistentResidues { board, cause: misfit }
        })?;
        Ok(row::exact_row(*line, rules, *kind, length, joined)?)
    }
}

/// The residues computed so far, by modulus and length.
#[derive(Default)]
struct SweptResidues {
    zero: BigUint,
    closed: Vec<Vec<BigUint>>,
    paths: Vec<Vec<BigUint>>,
}

impl SweptResidues {
    /// Begins the lists of residues for the next modulus.
    fn begin_modulus(&mut self) {
        self.closed.push(Vec::new());
        self.paths.push(Vec::new());
    }

    /// Adds the residue of the next board, modulo the current modulus.
    fn add(&mut self, tours: Tours, residue: BigUint) {
        let all = if tours == Tours::Closed { &mut self.closed } else { &mut self.paths };
        all.last_mut().expect("a modulus has begun").push(residue);
    }

    /// Returns the residues of the board of length `length`, one for each of `moduli`, which are
    /// the first moduli. A kind of tours that is not swept has residue 0.
    fn sums_of_length(&self, moduli: &[ResidueRing], length: u16) -> Vec<ResidueSums<'_>> {
        let index = usize::from(length) - 1;
        let all = moduli.iter().zip(self.closed.iter().zip(&self.paths));
        all.map(|(&ring, (closed, paths))| ResidueSums {
            ring,
            closed: closed.get(index).unwrap_or(&self.zero),
            paths: paths.get(index).unwrap_or(&self.zero),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BoardLine, BoardRange, SavedSweeps, SeriesRules};
    use super::*;
    use crate::board::Wrap;
    use crate::count::{ResidueError, SnapshotSaver};
    use crate::frontier::{Snapshot, Store};
    use crate::tour::Kind;

    fn line(text: &str) -> BoardLine {
        let BoardRange::Line(line) = text.parse().unwrap() else { panic!("{text} is a line") };
        line
    }

    fn planned(text: &str, rules: &SeriesRules, kind: Option<Kind>, bits: u32) -> ResidueSweeps {
        let control = Control::new();
        let planned = line(text).plan(rules, kind, ResidueRing::new(3), None, &control).unwrap();
        planned.into_residue_sweeps(bits, &control).unwrap()
    }

    fn row_text(row: &SeriesRow) -> String {
        let counts = Kind::ALL.map(|kind| row.counts.get(kind).map_or("-".into(), ToString::to_string));
        format!("{} {}", row.board, counts.join(" "))
    }

    /// A saver that holds the saved numbers of sweeps that all ended in an earlier run.
    struct FinishedSweeps(Vec<Vec<BigUint>>);

    impl SweepSaver for FinishedSweeps {
        fn begin_line(&self, line: &str, sweeps: usize) -> SavedSweeps {
            assert_eq!(self.0.len(), sweeps);
            SavedSweeps { numbers: self.0.clone(), ..SavedSweeps::new(line, sweeps) }
        }

        fn store(&self) -> Option<&dyn Store> {
            unreachable!("nothing is swept")
        }

        fn add_number(&self, _: usize, _: &BigUint) {}

        fn finish_sweep(&self) {}
    }

    impl SnapshotSaver for FinishedSweeps {
        fn is_due(&self) -> bool {
            false
        }

        fn begin_save(&self) {}

        fn save_snapshot(&self, _: &Snapshot) {}

        fn report_failure(&self, _: &str) {}
    }

    #[test]
    fn residue_sweeps_match_exact_sweeps() {
        for (boards, wrap, piece, kind) in [
            ("5x3..9", Wrap::None, "knight", None),
            ("5x2..30", Wrap::None, "knight", Some(Kind::Closed)),
            ("1..7x4", Wrap::Cols, "knight", Some(Kind::Paths)),
            ("3x1..12", Wrap::None, "king", Some(Kind::Open)),
            ("1x1..5", Wrap::None, "wazir", None),
            ("2x1..9", Wrap::Rows, "wazir", None),
        ] {
            let rules = SeriesRules { wrap, piece: piece.parse().unwrap() };
            let (mut exact, control) = (Vec::new(), Control::new());
            let whole = line(boards).plan(&rules, kind, None, None, &control).unwrap();
            whole.run(None, &control, &mut |row: SeriesRow| exact.push(row_text(&row))).unwrap();
            for bits in [16, 32] {
                let (mut found, planned) = (Vec::new(), planned(boards, &rules, kind, bits));
                planned.run(None, &control, &mut |row: SeriesRow| found.push(row_text(&row))).unwrap();
                assert_eq!(found, exact, "{bits}");
            }
        }
    }

    #[test]
    fn residue_sweeps_take_over_the_estimate() {
        let control = Control::new();
        let first = prime_moduli(&BigUint::ZERO, 16).unwrap()[0];
        let plan = |modulus| {
            let kind = Some(Kind::Closed);
            line("6x5..12").plan(&SeriesRules::default(), kind, modulus, Some(20 << 20), &control).unwrap()
        };
        let mut planned = plan(Some(first));
        let one = planned.estimate();
        let mut residues = planned.into_residue_sweeps(16, &control).unwrap();
        let mut others = plan(None).into_residue_sweeps(16, &control).unwrap();
        // Without time for a dry run, a new estimate is rough.
        control.cancel();
        let all = residues.estimate();
        assert!(!all.is_rough && others.estimate().is_rough);
        let times = residues.moduli().len() as f64;
        assert_eq!((all.unspilled_bytes, all.seconds), (one.unspilled_bytes, one.seconds.map(|s| s * times)));
    }

    #[test]
    fn wrong_residue_is_named_with_board() {
        let planned = planned("6x5..12", &SeriesRules::default(), Some(Kind::Closed), 16);
        let (numbers, control) = (std::sync::Mutex::new(Vec::new()), Control::new());
        let series_sweep = planned.series.sweeps[0].clone();
        let mut silent = crate::frontier::NoObserver;
        series_sweep.sweep(&mut silent, &mut |_, number| numbers.lock().unwrap().push(number)).unwrap();
        let numbers = numbers.into_inner().unwrap();
        let exact =
            line("6x5..12").plan(&SeriesRules::default(), Some(Kind::Closed), None, None, &control).unwrap();
        let mut all = Vec::new();
        exact.run(None, &control, &mut |row: SeriesRow| all.push(row.counts.closed.unwrap())).unwrap();
        assert_eq!(numbers.len(), all.len() + 4);
        let residues = |ring: &ResidueRing| {
            let shorter = std::iter::repeat_n(BigUint::ZERO, 4);
            shorter.chain(all.iter().map(|number| ring.residue_of(number))).collect::<Vec<_>>()
        };
        let kept: Vec<Vec<BigUint>> = planned.moduli().iter().map(residues).collect();
        let sweep = |kept: &[Vec<BigUint>]| {
            let mut rows = Vec::new();
            let left = FinishedSweeps(kept.to_vec());
            let swept = planned
                .clone()
                .run(Some(&left), &Control::new(), &mut |row: SeriesRow| rows.push(row_text(&row)));
            (rows.len(), swept)
        };
        assert_eq!(sweep(&kept), (8, Ok(())));
        for (position, ring) in planned.moduli().iter().enumerate() {
            let mut wrong = kept.clone();
            // 6x10.
            wrong[position][9] = ring.residue_of(&(&wrong[position][9] + 1u8));
            let (rows, error) = sweep(&wrong);
            if position < planned.moduli_needed[9] {
                let error = error.unwrap_err();
                let CountError::InconsistentResidues { board, cause: misfit } = &error else {
                    panic!("{error}")
                };
                assert!(rows == 5 && board == "6x10", "{error}");
                assert!(
                    *misfit == ResidueError::WrongResidue(*ring) || *misfit == ResidueError::Ambiguous,
                    "{error}"
                );
            } else {
                assert_eq!((rows, error), (8, Ok(())), "this residue is not needed");
            }
        }
    }

    #[test]
    fn short_boards_need_few_moduli() {
        let planned = planned("5x2..40", &SeriesRules::default(), Some(Kind::Closed), 32);
        let needed = &planned.moduli_needed;
        assert_eq!(needed.iter().max(), Some(&planned.moduli().len()));
        assert!(needed[5] == 2 && needed[39] > 5, "{needed:?}");
    }
}
