//! Counts of all boards of a [`BoardLine`] (boards of one width), from one sweep for each kind.
//!
//! A sweep along the length passes the end of every shorter board on its way. So all boards together cost
//! little more than the longest board, and each number is known when the sweep passes the end of its board.
//! If both closed tours and paths are counted, the two sweeps run in parallel if memory allows. At every
//! board the faster sweep waits for the other one, so that rows appear in order from the beginning.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use num_bigint::BigUint;

use super::board_range::{BoardLine, SeriesRules};
use super::line_sweeps::{LineSweeps, SweepSaver};
use super::row;
use super::row::SeriesRow;
use crate::board::Rectangle;
use crate::budget::{DiskBudget, MAX_DRY_RUN_SECONDS, Shortage};
use crate::control::Control;
use crate::count::{CountError, JobEstimate, SweepProgress};
use crate::frontier;
use crate::frontier::{
    Cancel, Command, Estimate, Observer, Options, ResidueRing, SeriesSweep, StepReport, Tours,
};
use crate::threads;
use crate::tour::Kind;

/// The planned sweeps of a [`BoardLine`].
#[derive(Clone, Debug)]
pub struct PlannedSeries {
    pub(super) line: BoardLine,
    pub(super) rules: SeriesRules,
    pub(super) kind: Option<Kind>,
    memory_limit: Option<u64>,
    modulus: Option<ResidueRing>,
    pub(super) sweeps: Vec<SeriesSweep>,
}

impl BoardLine {
    /// Plans the sweeps that count all boards, for one kind of tours, or for all kinds if `kind` is
    /// `None`. The sweeps run along the length. If `modulus` is given, they count modulo `modulus`, and their
    /// weights have constant size. Each sweep may use `memory` bytes; default: nine tenths of the available
    /// memory. Cost: at most a second for each sweep.
    ///
    /// # Errors
    /// A sweep is too wide, or the control was cancelled.
    ///
    /// # Panics
    /// Panics if shorter boards are not beginnings of longer ones: see
    /// [`BoardLine::upright_rules`].
    pub fn plan(
        &self,
        rules: &SeriesRules,
        kind: Option<Kind>,
        modulus: Option<ResidueRing>,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<PlannedSeries, CountError> {
        let ceiling = memory.or_else(crate::memory::default_limit_bytes);
        let options = Options {
            memory: ceiling,
            allocator: control.allocator_hook(),
            cancel: Cancel::from(control.cancel_flag()),
            modulo: modulus.map(Into::into),
            ..Options::default()
        };
        let swept: &[Tours] = match kind {
            Some(Kind::Closed) => &[Tours::Closed],
            Some(Kind::Paths) => &[Tours::Paths],
            Some(Kind::Open) | None => &[Tours::Closed, Tours::Paths],
        };
        control.begin_planning();
        let standing = self.upright_rules(rules).expect("shorter boards are beginnings of longer ones");
        let longest =
            standing.to_board(Rectangle::new(self.last(), self.width()).expect("the sides are valid"));
        let plan = |&tours: &Tours| SeriesSweep::new(&longest, tours, &options);
        let series_sweeps = swept.iter().map(plan).collect::<Result<_, _>>()?;
        Ok(PlannedSeries {
            line: *self,
            rules: rules.clone(),
            kind,
            memory_limit: ceiling,
            modulus,
            sweeps: series_sweeps,
        })
    }
}

impl PlannedSeries {
    /// Returns the estimated time and memory of all sweeps, one after the other. The first sweep reuses what the
    /// estimate has computed.
    pub fn estimate(&mut self) -> JobEstimate {
        self.estimate_each(|sweep| sweep.estimate().clone())
    }

    /// Returns the roughly estimated time and memory of all sweeps, one after the other, in negligible time.
    #[must_use]
    pub fn rough_estimate(&self) -> JobEstimate {
        let estimates = self.sweeps.iter().map(SeriesSweep::rough_estimate).collect();
        JobEstimate::from_sweeps(estimates, self.memory_limit)
    }

    /// Returns the estimate that decides whether the sweeps fit into memory and `disk`: as [`Self::estimate`]; if that is
    /// rough and they would not fit, by longer dry runs, as far as these take half a minute at most. A limit that
    /// follows from this estimate is sufficient for the next attempt.
    pub fn admission_estimate(&mut self, disk: DiskBudget) -> JobEstimate {
        let estimate = self.estimate();
        let is_too_long = matches!(estimate.check(disk), Err(Shortage::Time { .. }));
        if !estimate.is_rough || is_too_long || estimate.fits_as_estimated(disk) {
            return estimate;
        }
        let seconds = MAX_DRY_RUN_SECONDS / self.sweeps.len() as f64;
        self.estimate_each(|sweep| sweep.measure(seconds).clone())
    }

    fn estimate_each(&mut self, mut estimate: impl FnMut(&mut SeriesSweep) -> Estimate) -> JobEstimate {
        let estimates = self.sweeps.iter_mut().map(&mut estimate).collect();
        // The tables of all sweeps would take too much memory.
        self.sweeps.iter_mut().skip(1).for_each(SeriesSweep::drop_tables);
        JobEstimate::from_sweeps(estimates, self.memory_limit)
    }

    /// Drops what the estimate has computed for the first sweep. For sweeps that run after those of other lines.
    pub fn drop_tables(&mut self) {
        self.sweeps.iter_mut().for_each(SeriesSweep::drop_tables);
    }

    /// Returns these sweeps with weights that are residues of `ring`.
    pub(super) fn with_residues(self, ring: ResidueRing) -> Self {
        if self.modulus == Some(ring) {
            return self;
        }
        let sweeps = self.sweeps.iter().map(|sweep| sweep.with_residues(ring)).collect();
        Self { sweeps, modulus: Some(ring), ..self }
    }

    /// Returns true if the estimated memory of all sweeps together is less than half of the limit. The factor
    /// of two allows for the error of the rough estimates.
    fn fits_in_parallel(&self) -> bool {
        let of = |series_sweep: &SeriesSweep| series_sweep.rough_estimate().peak_bytes;
        let bytes = self.sweeps.iter().fold(0u64, |sum, series_sweep| sum.saturating_add(of(series_sweep)));
        self.memory_limit.is_none_or(|ceiling| bytes < ceiling / 2)
    }

    /// Runs the sweeps. Passes the row of each board to `row` as soon as its numbers are known and checked
    /// against the theorems. Residues are not checked, because the theorems are about exact counts.
    ///
    /// On the global thread pool two sweeps run in parallel. On a pool of the caller they run one after the
    /// other. If `saver` is given, it saves their progress, and the sweeps run one after the other. Saved sweeps
    /// are resumed, and all rows are passed again, beginning with those whose numbers are saved.
    ///
    /// # Errors
    /// A sweep does not fit into memory or is cancelled, numbers contradict a theorem, or a number differs from
    /// the saved one. Rows that were passed before are valid.
    pub fn run(
        self,
        saver: Option<&dyn SweepSaver>,
        control: &Control,
        row: &mut (dyn FnMut(SeriesRow) + Send),
    ) -> Result<(), CountError> {
        let is_side_by_side =
            saver.is_none() && rayon::current_thread_index().is_none() && self.fits_in_parallel();
        let Self { line, rules, kind, modulus, sweeps: series_sweeps, .. } = self;
        let sweeps = LineSweeps::begin(line, &series_sweeps, 1, saver, control);
        let mut broken = None;
        let mut report_counts = |length, closed, paths| {
            if length < line.first() || broken.is_some() {
                return;
            }
            let made = match modulus {
                Some(lane) => Ok(row::residue_row(line, kind, length, lane, (closed, paths))),
                None => row::exact_row(line, &rules, kind, length, (closed, paths)),
            };
            match made {
                Ok(made) => row(made),
                Err(error) => {
                    broken = Some(error);
                    control.cancel();
                }
            }
        };
        let mut series_sweeps = series_sweeps.into_iter();
        let (first, second) =
            (series_sweeps.next().expect("there is at least one sweep"), series_sweeps.next());
        let swept_all =
            match second {
                None if kind == Some(Kind::Paths) => sweeps
                    .run_sweep(0, first, &mut |length, paths| report_counts(length, BigUint::ZERO, paths)),
                None => sweeps
                    .run_sweep(0, first, &mut |length, closed| report_counts(length, closed, BigUint::ZERO)),
                Some(second) if is_side_by_side => run_ahead(first, control, |closed| {
                    control.finish_unit(0, 0, 0);
                    sweeps.run_sweep(1, second, &mut |length, paths| {
                        if let Some(closed) = closed() {
                            report_counts(length, closed, paths);
                        }
                    })
                }),
                Some(second) => {
                    let mut closed = Vec::new();
                    sweeps.run_sweep(0, first, &mut |_, count| closed.push(count)).and_then(|()| {
                        sweeps.run_sweep(1, second, &mut |length, paths| {
                            report_counts(length, closed[usize::from(length) - 1].clone(), paths);
                        })
                    })
                }
            };
        sweeps.finish(broken.map(CountError::from), swept_all)
    }
}

/// Runs the sweep `series_sweep` in its own thread, and `consume` in the current thread. The argument of
/// `consume` is a function that waits for the sweep's next number and returns it. The sweep is at
/// most one board ahead.
fn run_ahead(
    series_sweep: SeriesSweep,
    control: &Control,
    consume: impl FnOnce(&mut (dyn FnMut() -> Option<BigUint> + Send)) -> Result<(), frontier::Error>,
) -> Result<(), frontier::Error> {
    let (send, receive) = sync_channel(1);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ahead = threads::spawn_scoped(scope, || {
            let send: SyncSender<BigUint> = send;
            let mut watch = StopWhenDone { watch: SweepProgress::without_log(control), is_over: &over };
            series_sweep.sweep(&mut watch, &mut |_, count| {
                if send.send(count).is_err() {
                    over.store(true, Ordering::Relaxed);
                }
            })
        });
        let is_behind = AtomicBool::new(false);
        let taken = consume(&mut {
            let is_behind = &is_behind;
            // The receiver is dropped together with `consume`, so that the sweep ahead does not wait for ever.
            move || {
                let number = receive.recv().ok();
                if number.is_none() {
                    is_behind.store(true, Ordering::Relaxed);
                    // No number will be received any more.
                    control.cancel();
                }
                number
            }
        });
        let ahead = ahead.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if is_behind.into_inner() { ahead.and(taken) } else { taken.and(ahead) }
    })
}

/// An observer that reports nothing, and stops the sweep when the other sweep has ended.
struct StopWhenDone<'a> {
    watch: SweepProgress<'a>,
    is_over: &'a AtomicBool,
}

impl Observer for StopWhenDone<'_> {
    fn on_step(&mut self, _: &StepReport) -> ControlFlow<()> {
        match self.poll() {
            Command::Stop => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn poll(&mut self) -> Command {
        if self.is_over.load(Ordering::Relaxed) { Command::Stop } else { self.watch.poll() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::BoardRange;
    use super::*;
    use crate::board::Wrap;
    use crate::count::{Request, count};

    fn rows(line: &str, rules: &SeriesRules, kind: Option<Kind>) -> Vec<String> {
        let BoardRange::Line(line) = line.parse().unwrap() else { panic!("{line} is a line") };
        let mut rows = Vec::new();
        let mut row = |row: SeriesRow| {
            let counts = Kind::ALL.map(|kind| row.counts.get(kind).map_or("-".into(), ToString::to_string));
            rows.push(format!("{} {}", row.board, counts.join(" ")));
        };
        let control = Control::new();
        line.plan(rules, kind, None, None, &control).unwrap().run(None, &control, &mut row).unwrap();
        rows
    }

    #[test]
    fn run_reports_every_kind_for_each_board() {
        let knight = SeriesRules::default();
        assert_eq!(rows("5x5..6", &knight, Some(Kind::Open)), ["5x5 - 864 -", "5x6 - 18544 -"]);
        assert_eq!(rows("5..6x6", &knight, Some(Kind::Closed)), ["5x6 8 - -", "6x6 9862 - -"]);
        assert_eq!(rows("5x6..6", &knight, None), ["5x6 8 18544 18784"]);
        // In a thread pool of the caller the sweeps run one after the other.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| rows("5x6..6", &knight, None)), ["5x6 8 18544 18784"]);
    }

    #[test]
    fn refused_series_is_admitted_under_the_limit_that_its_estimate_names() {
        let BoardRange::Line(line) = "6x4..9".parse().unwrap() else { panic!("a line") };
        let planned = |memory| {
            let (kind, control) = (Some(Kind::Paths), Control::new());
            line.plan(&SeriesRules::default(), kind, None, Some(memory), &control).unwrap()
        };
        let mut refused = planned(8 << 20);
        assert!(refused.estimate().is_rough);
        let estimate = refused.admission_estimate(DiskBudget::Absent);
        let refusal = estimate.admit(DiskBudget::Absent, false).unwrap_err();
        let limit = refusal.recommended_memory().unwrap();
        assert!(!estimate.is_rough && limit < 100 << 20, "{estimate:?}");
        let estimate = planned(limit).admission_estimate(DiskBudget::Absent);
        assert_eq!(estimate.admit(DiskBudget::Absent, false), Ok(()));
        planned(limit).run(None, &Control::new(), &mut |_| ()).unwrap();
    }

    #[test]
    fn sweeps_of_all_kinds_run_under_an_admitted_limit() {
        const MIB: u64 = 1 << 20;
        let BoardRange::Line(line) = "6x7..9".parse().unwrap() else { panic!("a line") };
        let planned =
            |memory| line.plan(&SeriesRules::default(), None, None, Some(memory), &Control::new()).unwrap();
        let admits = |memory: u64| {
            let estimate = planned(memory).admission_estimate(DiskBudget::Absent);
            estimate.admit(DiskBudget::Absent, false).is_ok()
        };
        let least = (4..25).map(|fives| 5 * fives * MIB).find(|&memory| admits(memory)).unwrap();
        assert!(least > 20 * MIB);
        planned(least).run(None, &Control::new(), &mut |_| ()).unwrap();
    }

    #[test]
    fn residues_match_exact_numbers() {
        let swept = |line: &str, rules: &SeriesRules, modulus: Option<ResidueRing>| {
            let BoardRange::Line(line) = line.parse().unwrap() else { panic!("{line} is a line") };
            let (mut rows, control) = (Vec::new(), Control::new());
            let planned = line.plan(rules, None, modulus, None, &control).unwrap();
            planned.run(None, &control, &mut |row: SeriesRow| rows.push(row)).unwrap();
            rows
        };
        for (line, wrap, piece) in [
            ("5x1..8", Wrap::None, "knight"),
            ("1..7x4", Wrap::Cols, "knight"),
            ("4x1..7", Wrap::None, "king"),
            ("1x1..5", Wrap::None, "wazir"),
            ("2x1..9", Wrap::Rows, "wazir"),
        ] {
            let rules = SeriesRules { wrap, piece: piece.parse().unwrap() };
            let exact = swept(line, &rules, None);
            for modulus in [2, 30, 257, 65521, 65536, 65537, u32::MAX] {
                let ring = ResidueRing::new(modulus).unwrap();
                let found = swept(line, &rules, Some(ring));
                assert_eq!(found.len(), exact.len());
                for (residue, exact) in found.iter().zip(&exact) {
                    for kind in Kind::ALL {
                        let number = ring.residue_of(exact.counts.get(kind).unwrap());
                        let name = format!("{} {piece} {kind:?} modulo {modulus}", exact.board);
                        assert_eq!(residue.counts.get(kind), Some(&number), "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn lines_match_single_boards_for_pieces_and_wraps() {
        for (line, wrap, piece) in [
            ("3x1..5", Wrap::Rows, "knight"),
            ("1..5x4", Wrap::Cols, "knight"),
            ("3x1..4", Wrap::None, "king"),
            ("1..5x2", Wrap::Cols, "wazir"),
            ("1x1..5", Wrap::Rows, "wazir"),
            ("1x1..5", Wrap::None, "wazir"),
            ("2x1..4", Wrap::Rows, "king"),
        ] {
            let rules = SeriesRules { wrap, piece: piece.parse().unwrap() };
            for kind in [Kind::Closed, Kind::Paths] {
                let BoardRange::Line(boards) = line.parse().unwrap() else { panic!("{line}") };
                let alone = boards.boards().map(|board| {
                    let request = Request::of_kind(rules.to_board(board.clone()), kind);
                    let counts = count(&request, &Control::new()).unwrap().counts;
                    let number = counts.get(kind).unwrap().clone();
                    (board.to_string(), number.to_string())
                });
                let swept = rows(line, &rules, Some(kind));
                for ((board, number), row) in alone.zip(swept) {
                    assert!(row.starts_with(&format!("{board} ")), "{row}");
                    assert!(
                        row.split(' ').any(|word| word == number),
                        "{line} {wrap} {piece}: {row}, {number}"
                    );
                }
            }
        }
    }
}
