//! Counts of all boards of a line, from one sweep for each kind.
//!
//! A sweep along the length passes the end of every shorter board on its way. So the whole line costs little
//! more than its longest board, and each number is known when the sweep passes the end of its board. If both
//! closed tours and paths are counted, the two sweeps run in parallel if memory allows. At every board the
//! faster sweep waits for the other one, so that rows appear in order from the beginning.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use num_bigint::BigUint;

use super::kept::Rest;
use super::line::Line;
use super::play::Play;
use super::row::{self, Row};
use super::watched::Watched;
use crate::board::Board;
use crate::control::Control;
use crate::count::{CountError, Forecast, Watch};
use crate::frontier::{self, Cancel, Family, Lane, Observer, Options, Pulse, StepReport, Tours};
use crate::tour::Kind;

/// A line of boards whose sweeps are planned.
#[derive(Clone, Debug)]
pub struct Planned {
    pub(super) line: Line,
    pub(super) play: Play,
    pub(super) kind: Option<Kind>,
    ceiling: Option<u64>,
    modulus: Option<Lane>,
    pub(super) families: Vec<Family>,
}

impl Line {
    /// Plans the sweeps along the length, for one kind, or for all kinds if `kind` is `None`. A sweep may use
    /// `memory` bytes. Default: nine tenths of the available memory. Cost: at most a second for each sweep.
    ///
    /// # Errors
    /// A sweep is too wide, or the control was cancelled.
    ///
    /// # Panics
    /// If no shorter board is the beginning of a longer one, see [`BoardLine::upright_rules`].
    pub fn plan(
        &self,
        play: &Play,
        kind: Option<Kind>,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<Planned, CountError> {
        self.plan_modulo(play, kind, None, memory, control)
    }

    /// Plans the sweeps like [`BoardLine::plan`], modulo `modulus` if it is given. Residues need weights of
    /// constant size.
    ///
    /// # Errors
    /// The errors of [`BoardLine::plan`].
    ///
    /// # Panics
    /// As [`BoardLine::plan`].
    pub fn plan_modulo(
        &self,
        play: &Play,
        kind: Option<Kind>,
        modulus: Option<Lane>,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<Planned, CountError> {
        let ceiling = memory.or_else(crate::memory::ceiling);
        let options = Options {
            memory: ceiling,
            allocator: control.allocator(),
            cancel: Cancel::from(control.flag()),
            modulo: modulus.map(Into::into),
            ..Options::default()
        };
        let swept: &[Tours] = match kind {
            Some(Kind::Closed) => &[Tours::Closed],
            Some(Kind::Paths) => &[Tours::Paths],
            Some(Kind::Open) | None => &[Tours::Closed, Tours::Paths],
        };
        control.planning();
        let standing = self.standing(play).expect("shorter boards are beginnings of longer ones");
        let longest = standing.on(Board::new(self.last(), self.width()).expect("the sides are valid"));
        let plan = |&tours: &Tours| Family::new(&longest, tours, &options);
        let families = swept.iter().map(plan).collect::<Result<_, _>>()?;
        Ok(Planned { line: *self, play: play.clone(), kind, ceiling, modulus, families })
    }
}

impl Planned {
    /// Returns the rough estimate of time and memory, from the order of the squares: for one sweep after the
    /// other, or for both in parallel if both fit into memory.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        self.forecast_times(1)
    }

    /// Returns the rough estimate with each sweep repeated `times` times.
    pub(super) fn forecast_times(&self, times: usize) -> Forecast {
        let one: Vec<_> = self.families.iter().map(Family::outlook).collect();
        Forecast::roughly((0..times).flat_map(|_| one.iter().cloned()).collect(), self.ceiling)
    }

    /// Returns true if the estimated memory of all sweeps together is less than half of the limit. The factor
    /// of two allows for the error of the rough estimates.
    fn fits_twice(&self) -> bool {
        let of = |family: &Family| family.outlook().peak_bytes;
        let bytes = self.families.iter().fold(0u64, |sum, family| sum.saturating_add(of(family)));
        self.ceiling.is_none_or(|ceiling| bytes < ceiling / 2)
    }

    /// Runs the sweeps. Passes each board to `row` as soon as its numbers are known and checked against the
    /// theorems. Residues are not checked, because the theorems are about exact counts.
    ///
    /// Two sweeps run in parallel on the global thread pool, and one after the other in a pool of the caller.
    ///
    /// # Errors
    /// A sweep does not fit into memory or is cancelled, or numbers contradict a theorem. Rows that were
    /// passed before are valid.
    pub fn sweep(self, control: &Control, row: &mut (dyn FnMut(Row) + Send)) -> Result<(), CountError> {
        self.sweep_kept(None, control, row)
    }

    /// Runs the sweeps like [`PlannedSeries::run`], one after the other if `saver` saves their progress. Saved
    /// sweeps are resumed, and all rows are passed again, beginning with those whose numbers are saved.
    ///
    /// # Errors
    /// The errors of [`PlannedSeries::run`], and a number that differs from the saved one.
    pub fn sweep_kept(
        self,
        rest: Option<&dyn Rest>,
        control: &Control,
        row: &mut (dyn FnMut(Row) + Send),
    ) -> Result<(), CountError> {
        let is_side_by_side = rest.is_none() && rayon::current_thread_index().is_none() && self.fits_twice();
        let Self { line, play, kind, modulus, families, .. } = self;
        let sweeps = Watched::begin(line, &families, 1, rest, control);
        let mut broken = None;
        let mut tell = |length, closed, paths| {
            if length < line.first() || broken.is_some() {
                return;
            }
            let made = match modulus {
                Some(lane) => Ok(row::residues(line, kind, length, lane, (closed, paths))),
                None => row::exact(line, &play, kind, length, (closed, paths)),
            };
            match made {
                Ok(made) => row(made),
                Err(error) => {
                    broken = Some(error);
                    control.cancel();
                }
            }
        };
        let mut families = families.into_iter();
        let (first, second) = (families.next().expect("there is at least one sweep"), families.next());
        let swept_all = match second {
            None if kind == Some(Kind::Paths) => {
                sweeps.sweep(0, first, &mut |length, paths| tell(length, BigUint::ZERO, paths))
            }
            None => sweeps.sweep(0, first, &mut |length, closed| tell(length, closed, BigUint::ZERO)),
            Some(second) if is_side_by_side => side_by_side(first, control, |closed| {
                control.unit_done(0, 0, 0);
                sweeps.sweep(1, second, &mut |length, paths| {
                    if let Some(closed) = closed() {
                        tell(length, closed, paths);
                    }
                })
            }),
            Some(second) => {
                let mut closed = Vec::new();
                sweeps.sweep(0, first, &mut |_, count| closed.push(count)).and_then(|()| {
                    sweeps.sweep(1, second, &mut |length, paths| {
                        tell(length, closed[usize::from(length) - 1].clone(), paths);
                    })
                })
            }
        };
        sweeps.end(broken.map(CountError::from), swept_all)
    }
}

/// Runs the sweep of `family` in its own thread. The sweep is at most one board ahead of `consume`, which
/// receives its numbers.
fn side_by_side(
    family: Family,
    control: &Control,
    taking: impl FnOnce(&mut (dyn FnMut() -> Option<BigUint> + Send)) -> Result<(), frontier::Error>,
) -> Result<(), frontier::Error> {
    let (send, receive) = sync_channel(1);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ahead = scope.spawn(|| {
            let send: SyncSender<BigUint> = send;
            let mut watch = Until { watch: Watch::silent(control), over: &over };
            family.sweep(&mut watch, &mut |_, count| {
                if send.send(count).is_err() {
                    over.store(true, Ordering::Relaxed);
                }
            })
        });
        let is_behind = AtomicBool::new(false);
        let taken = taking(&mut {
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
struct Until<'a> {
    watch: Watch<'a>,
    over: &'a AtomicBool,
}

impl Observer for Until<'_> {
    fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
        match self.pulse() {
            Pulse::Stop => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pulse(&mut self) -> Pulse {
        if self.over.load(Ordering::Relaxed) { Pulse::Stop } else { self.watch.pulse() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Wrap;
    use crate::count::{Request, count};
    use crate::series::Boards;

    fn rows(line: &str, play: &Play, kind: Option<Kind>) -> Vec<String> {
        let Boards::Line(line) = line.parse().unwrap() else { panic!("{line} is a line") };
        let mut rows = Vec::new();
        let mut row = |row: Row| {
            let counts = Kind::ALL.map(|kind| row.counts.get(kind).map_or("-".into(), ToString::to_string));
            rows.push(format!("{} {}", row.board, counts.join(" ")));
        };
        let control = Control::new();
        line.plan(play, kind, None, &control).unwrap().sweep(&control, &mut row).unwrap();
        rows
    }

    #[test]
    fn every_kind_is_told_board_by_board() {
        let knight = Play::default();
        assert_eq!(rows("5x5..6", &knight, Some(Kind::Open)), ["5x5 - 864 -", "5x6 - 18544 -"]);
        assert_eq!(rows("5..6x6", &knight, Some(Kind::Closed)), ["5x6 8 - -", "6x6 9862 - -"]);
        assert_eq!(rows("5x6..6", &knight, None), ["5x6 8 18544 18784"]);
        // In a thread pool of the caller the sweeps run one after the other.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| rows("5x6..6", &knight, None)), ["5x6 8 18544 18784"]);
    }

    #[test]
    fn residues_are_those_of_the_numbers() {
        let swept = |line: &str, play: &Play, modulus: Option<Lane>| {
            let Boards::Line(line) = line.parse().unwrap() else { panic!("{line} is a line") };
            let (mut rows, control) = (Vec::new(), Control::new());
            let planned = line.plan_modulo(play, None, modulus, None, &control).unwrap();
            planned.sweep(&control, &mut |row: Row| rows.push(row)).unwrap();
            rows
        };
        for (line, wrap, piece) in [
            ("5x1..8", Wrap::None, "knight"),
            ("1..7x4", Wrap::Cols, "knight"),
            ("4x1..7", Wrap::None, "king"),
            ("1x1..5", Wrap::None, "wazir"),
            ("2x1..9", Wrap::Rows, "wazir"),
        ] {
            let play = Play { wrap, piece: piece.parse().unwrap() };
            let exact = swept(line, &play, None);
            for modulus in [2, 30, 257, 65521, 65536, 65537, u32::MAX] {
                let lane = Lane::new(modulus).unwrap();
                let found = swept(line, &play, Some(lane));
                assert_eq!(found.len(), exact.len());
                for (residue, exact) in found.iter().zip(&exact) {
                    for kind in Kind::ALL {
                        let number = lane.of(exact.counts.get(kind).unwrap());
                        let name = format!("{} {piece} {kind:?} modulo {modulus}", exact.board);
                        assert_eq!(residue.counts.get(kind), Some(&number), "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn lines_of_other_pieces_and_cylinders_are_those_of_their_boards() {
        for (line, wrap, piece) in [
            ("3x1..5", Wrap::Rows, "knight"),
            ("1..5x4", Wrap::Cols, "knight"),
            ("3x1..4", Wrap::None, "king"),
            ("1..5x2", Wrap::Cols, "wazir"),
            ("1x1..5", Wrap::Rows, "wazir"),
            ("1x1..5", Wrap::None, "wazir"),
            ("2x1..4", Wrap::Rows, "king"),
        ] {
            let play = Play { wrap, piece: piece.parse().unwrap() };
            for kind in [Kind::Closed, Kind::Paths] {
                let Boards::Line(boards) = line.parse().unwrap() else { panic!("{line}") };
                let alone = boards.boards().map(|board| {
                    let request = Request { kind: Some(kind), ..Request::new(play.on(board.clone())) };
                    let counts = count(&request, &Control::new()).unwrap().counts;
                    let number = counts.get(kind).unwrap().clone();
                    (board.to_string(), number.to_string())
                });
                let swept = rows(line, &play, Some(kind));
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
