//! All boards of a line, from one sweep of each kind.
//!
//! A sweep along the length passes the end of every shorter board on its way, so
//! the whole line costs little more than its longest board, and each number is known
//! when the sweep passes. Where closed tours and paths are both wanted, the sweeps go side by side if there is
//! room for them, the shorter one waiting for the other at every board, so that rows come from the beginning.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use num_bigint::BigUint;

use super::kept::{Differs, KeptSweep, Rest};
use super::line::Line;
use super::play::Play;
use crate::board::Board;
use crate::control::Control;
use crate::count::theorems::{self, Broken};
use crate::count::{CountError, Counts, Forecast, Question, Sums, Watch};
use crate::frontier::{self, Cancel, Family, Observer, Options, Pulse, StepReport, Tours};
use crate::lock::lock;
use crate::tour::Kind;

/// A board of a line and its numbers.
#[derive(Clone, Debug)]
pub struct Row {
    /// The board.
    pub board: Board,
    /// Undirected tours of the kinds that were asked for.
    pub counts: Counts,
    /// What was swept for them: closed tours, paths.
    swept: (BigUint, BigUint),
}

impl Row {
    /// What sweeps of this board alone would add up to.
    #[must_use]
    pub fn sums(&self, question: &Question) -> Sums {
        let mut sums = question.no_sums();
        (sums.closed, sums.unplaced) = self.swept.clone();
        sums
    }
}

/// A line whose sweeps are planned.
#[derive(Clone, Debug)]
pub struct Planned {
    line: Line,
    play: Play,
    kind: Option<Kind>,
    ceiling: Option<u64>,
    families: Vec<Family>,
}

impl Line {
    /// Plans sweeps along the length; of one kind, or of all without it. A sweep may use `memory` bytes, or nine
    /// tenths of what is available. Cost: a second at most for each.
    ///
    /// # Errors
    /// A sweep that is too wide, or the control was cancelled.
    ///
    /// # Panics
    /// If the boards do not begin each other, see [`Line::standing`].
    pub fn plan(
        &self,
        play: &Play,
        kind: Option<Kind>,
        memory: Option<u64>,
        control: &Control,
    ) -> Result<Planned, CountError> {
        let ceiling = memory.or_else(crate::memory::ceiling);
        let options = Options {
            memory: ceiling,
            allocator: control.allocator(),
            cancel: Cancel::from(control.flag()),
            ..Options::default()
        };
        let swept: &[Tours] = match kind {
            Some(Kind::Closed) => &[Tours::Closed],
            Some(Kind::Paths) => &[Tours::Paths],
            Some(Kind::Open) | None => &[Tours::Closed, Tours::Paths],
        };
        control.planning();
        let standing = self.standing(play).expect("boards that begin each other");
        let longest = standing.on(Board::new(self.last(), self.width()).expect("the sides of a board"));
        let plan = |&tours: &Tours| Family::new(&longest, tours, &options);
        let families = swept.iter().map(plan).collect::<Result<_, _>>()?;
        Ok(Planned { line: *self, play: play.clone(), kind, ceiling, families })
    }
}

impl Planned {
    /// What the sweeps will take by the order of their squares: one after the other, or side by side if both fit.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        Forecast::roughly(self.families.iter().map(Family::outlook).collect(), self.ceiling)
    }

    /// Whether two sweeps have room beside each other, roughly known as their sizes are.
    fn fits_twice(&self) -> bool {
        let bytes: u64 = self.families.iter().map(|family| family.outlook().peak_bytes).sum();
        self.ceiling.is_none_or(|ceiling| 2 * bytes < ceiling)
    }

    /// Sweeps. Each board is handed to `row` as soon as its numbers are known and agree with the theorems.
    ///
    /// Two sweeps go side by side on the global pool; in a pool of the caller's own, one after the other.
    ///
    /// # Errors
    /// A sweep that does not fit or is cancelled, or numbers that break a theorem. The rows before stand.
    pub fn sweep(self, control: &Control, row: &mut (dyn FnMut(Row) + Send)) -> Result<(), CountError> {
        self.sweep_kept(None, control, row)
    }

    /// The same, one after the other, if somebody keeps what is done: sweeps go on where they were left, and all rows
    /// come again, those that are known first.
    ///
    /// # Errors
    /// As for [`Planned::sweep`], and numbers that came out otherwise than before.
    pub fn sweep_kept(
        self,
        rest: Option<&dyn Rest>,
        control: &Control,
        row: &mut (dyn FnMut(Row) + Send),
    ) -> Result<(), CountError> {
        let is_side_by_side = rest.is_none() && rayon::current_thread_index().is_none() && self.fits_twice();
        let Self { line, play, kind, families, .. } = self;
        let swept = rest.map(|rest| rest.begin(&line.to_string(), families.len())).unwrap_or_default();
        let at_rest = Mutex::new(swept.at_rest.clone());
        let steps: Vec<Vec<f64>> = families.iter().map(|family| family.outlook().step_seconds).collect();
        control.begin(steps.len(), &(0..steps.len() as u32).collect::<Vec<_>>());
        control.set_estimates(steps.iter().map(|steps| steps.iter().sum()).collect());
        let mut broken = None;
        let mut tell = |length, closed, paths| {
            if length < line.first() || broken.is_some() {
                return;
            }
            match of_board(line, &play, kind, length, (closed, paths)) {
                Ok(made) => row(made),
                Err(error) => {
                    broken = Some(error);
                    control.cancel();
                }
            }
        };
        let differs = Mutex::new(None);
        let watched = |number: usize, family: Family, each: &mut (dyn FnMut(u16, BigUint) + Send)| {
            let watch = Watch::new(control, "series");
            match rest {
                None => {
                    control.sweep_begins(&steps[number], 0);
                    family.sweep(&mut { watch }, each)?;
                }
                Some(rest) => {
                    let known = &swept.numbers[number];
                    let is_done = known.len() == usize::from(line.last());
                    let from = if is_done { None } else { lock(&at_rest).take() };
                    control.sweep_begins(&steps[number], from.as_ref().map_or(0, |from| from.step));
                    let kept = KeptSweep { rest, sweep: number, known, from };
                    kept.run(line.last(), family, watch, each, &mut |found| {
                        lock(&differs).get_or_insert(found);
                        control.cancel();
                    })?;
                }
            }
            control.unit_done(number, 0, 0);
            Ok::<_, frontier::Error>(())
        };
        let mut families = families.into_iter();
        let (first, second) = (families.next().expect("something is swept"), families.next());
        let swept_all = match second {
            None if kind == Some(Kind::Paths) => {
                watched(0, first, &mut |length, paths| tell(length, BigUint::ZERO, paths))
            }
            None => watched(0, first, &mut |length, closed| tell(length, closed, BigUint::ZERO)),
            Some(second) if is_side_by_side => side_by_side(first, control, |closed| {
                control.unit_done(0, 0, 0);
                watched(1, second, &mut |length, paths| {
                    if let Some(closed) = closed() {
                        tell(length, closed, paths);
                    }
                })
            }),
            Some(second) => {
                let mut closed = Vec::new();
                watched(0, first, &mut |_, count| closed.push(count)).and_then(|()| {
                    watched(1, second, &mut |length, paths| {
                        tell(length, closed[usize::from(length) - 1].clone(), paths);
                    })
                })
            }
        };
        if let Some(Differs { length, kept, now }) = lock(&differs).take() {
            let board = line.board(length);
            return Err(Broken::new(format!("{board}: {now}, and {kept} is what was kept of it")).into());
        }
        match broken {
            Some(broken) => Err(broken.into()),
            None => Ok(swept_all?),
        }
    }
}

/// Sweeps a family on a thread of its own, a board ahead of whoever takes its numbers.
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
            // It goes with whoever takes, so that the sweep ahead does not wait in vain.
            move || {
                let number = receive.recv().ok();
                if number.is_none() {
                    is_behind.store(true, Ordering::Relaxed);
                    // There is nothing to be told any more.
                    control.cancel();
                }
                number
            }
        });
        let ahead = ahead.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if is_behind.into_inner() { ahead.and(taken) } else { taken.and(ahead) }
    })
}

/// Passes nothing on, and stops when the other sweep is over.
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

fn of_board(
    line: Line,
    play: &Play,
    kind: Option<Kind>,
    length: u16,
    (closed, paths): (BigUint, BigUint),
) -> Result<Row, Broken> {
    let board = line.board(length);
    let mut counts = Counts::default();
    for wanted in Kind::ALL.into_iter().filter(|&one| kind.is_none_or(|kind| kind == one)) {
        *counts.get_mut(wanted) = Some(of_kind(wanted, &board, &closed, &paths)?);
    }
    theorems::check(&play.on(board.clone()), &counts, &[])?;
    Ok(Row { board, counts, swept: (closed, paths) })
}

/// Open tours are the paths less the re-entrant ones.
fn of_kind(kind: Kind, board: &Board, closed: &BigUint, paths: &BigUint) -> Result<BigUint, Broken> {
    match kind {
        Kind::Closed => Ok(closed.clone()),
        Kind::Paths => Ok(paths.clone()),
        Kind::Open => {
            let re_entrant = closed * board.len();
            if re_entrant > *paths {
                return Err(Broken::new(format!(
                    "{board}: {re_entrant} re-entrant paths among {paths} paths"
                )));
            }
            Ok(paths - re_entrant)
        }
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
        // One after the other in a pool of one's own.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| rows("5x6..6", &knight, None)), ["5x6 8 18544 18784"]);
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
