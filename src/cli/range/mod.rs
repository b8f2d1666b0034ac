//! Series of boards, for `ktour series` and `ktour count 5x2..60`. Each row is printed as soon as it is
//! known.
//!
//! ```text
//! Boards -> lines: one sweep along a line, or board by board -> rows -> standard output, files, records
//!                                                                 |
//!                                                                 +--> SeriesSession: one checkpoint for all boards
//! ```

mod asked;
mod dearest;
mod kept;
mod recurrence;
mod rows;
mod short;
mod source;
mod told;

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::arena::BoardArg;
use super::failure::Failure;
use super::run::{Obstacle, announce_range, refuse_range};
use super::signals::Signals;
use super::up_to_symmetry::failure;
use crate::report::{BoardRow, RowNumbers, UpTo, tell};
pub use asked::{Numbers, RangeFiles, RangeRun, refuse_for_range};
pub use dearest::{InAll, dearest};
pub use kept::of_board;
use ktour::batch::{Job, Reckoning, Record, Run, Shard, now};
use ktour::board::Board;
use ktour::control::Control;
use ktour::count::symmetric::{Census, Setting};
use ktour::count::{CountError, Engine, Forecast, Request, Work, directed};
use ktour::frontier::Lane;
use ktour::series::{self, FromResidues, Line, Planned, Rest, Row};
use ktour::tour::Kind;

use asked::kind_name;
use kept::Kept;
use rows::{End, Rows};

/// The BOARD argument: one board, or a series.
#[derive(Clone, Debug)]
pub enum Boards {
    /// One board.
    One(BoardArg),
    /// A series of boards.
    Range(series::Boards),
}

impl FromStr for Boards {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.contains("..") {
            text.parse().map(Self::Range).map_err(|error: series::BoardsError| error.to_string())
        } else {
            text.parse().map(Self::One).map_err(|error: ktour::board::BoardError| error.to_string())
        }
    }
}

/// A function that counts one board of a series; it stops early when the flag is set.
pub type CountBoard<'a> =
    dyn FnMut(Board, &Arc<AtomicBool>) -> Result<(BoardRow, Option<Record>), Failure> + 'a;

/// The admission check of one board: returns the reason for its refusal, if there is one.
pub type Obstacles<'a> = dyn Fn(Board, &Control) -> Result<Option<Obstacle>, Failure> + 'a;

/// The planned sweeps of a line.
enum Sweeps {
    /// One sweep, or one for each kind.
    Of(Planned),
    /// These sweeps once for each modulus.
    Residues(FromResidues),
}

impl Sweeps {
    fn forecast(&self) -> Forecast {
        match self {
            Self::Of(planned) => planned.forecast(),
            Self::Residues(planned) => planned.forecast(),
        }
    }
}

/// Context for boards that are counted one by one.
struct Alone<'a, 'b> {
    count: &'a mut CountBoard<'b>,
    stop: &'a Arc<AtomicBool>,
    /// The first board that will be refused, and the reason.
    refused: &'a mut Option<(Board, Failure)>,
}

impl RangeRun {
    /// Counts all boards. The admission check of all boards comes before the first count.
    pub fn run(self, count: &mut CountBoard, obstacles: Option<&Obstacles>) -> Result<(), Failure> {
        let mut rows = Rows::open(&self)?;
        let stop = Arc::new(AtomicBool::new(false));
        let signals = Signals::catch(&stop)?;
        let mut kept = self.checkpoint.as_ref().map(|path| Kept::open(path, &self)).transpose()?;
        if let Some(kept) = &kept {
            kept.tell(|| rows.tell_job(&self));
            // A run that cannot be saved must not begin.
            kept.save()?;
        }
        let refused = obstacles.and_then(|obstacles| self.refused(obstacles, &stop));
        let mut refused = match refused {
            Some((board, failure)) if Some(&board) == self.boards.boards().next().as_ref() => {
                return Err(failure);
            }
            refused => refused,
        };
        if let Some((board, failure)) = &refused {
            rows.tell_job(&self);
            tell(format_args!("{} will be rejected: {failure}", self.boards.rest(board)));
        }
        if let Some(kept) = kept.as_mut().filter(|kept| !kept.before.is_empty()) {
            rows.tell_job(&self);
            std::mem::take(&mut kept.before).into_iter().try_for_each(|row| rows.add(row, None))?;
        }
        let mut done = rows.report.rows.len();
        for line in &self.boards.lines() {
            let boards = line.boards().count();
            let skipped = done.min(boards);
            done -= skipped;
            if skipped == boards {
                continue;
            }
            let ended = if self.is_swept(line) {
                self.sweep(line, skipped, &mut rows, kept.as_ref())
            } else {
                rows.tell_job(&self);
                let alone = Alone { count: &mut *count, stop: &stop, refused: &mut refused };
                self.one_by_one(line, skipped, &mut rows, alone, kept.as_ref())
            };
            match ended {
                Ok(()) => {}
                // The last board may be complete although a signal came.
                Err(End::Stopped) if rows.is_whole(&self) => break,
                Err(End::Stopped) => {
                    let is_saved = kept.is_some();
                    rows.end(&self, End::Stopped, kept)?;
                    return Err(if is_saved { Failure::saved() } else { signals.die() });
                }
                // No count has begun.
                Err(End::Refused(failure)) if rows.report.rows.is_empty() => {
                    kept.into_iter().for_each(|kept| kept.keeper.discard());
                    return Err(failure);
                }
                Err(end) => return rows.end(&self, end, kept),
            }
        }
        if self.files.recurrence {
            let progress = self.how.progress(format!("{} recurrence", self.boards));
            let signals = Signals::catch(progress.control().flag())?;
            match recurrence::recurrence(&self, &rows.report.rows, progress.control()) {
                Ok(told) => rows.add_recurrence(told)?,
                Err(_) if progress.control().is_cancelled() => {
                    let how = kept.as_ref().map(|kept| format!("; {}", kept.how()));
                    // Completes the files; the reason for the early end is printed here.
                    let _ = rows.end(&self, End::Failed(Failure::saved()), kept);
                    let more = how.as_deref().unwrap_or_default();
                    tell(format_args!(
                        "stopped during the search for the recurrence, all rows are \
                        complete{more}"
                    ));
                    return Err(if how.is_some() { Failure::saved() } else { signals.die() });
                }
                Err(failure) => return rows.end(&self, End::Failed(failure), kept),
            }
        }
        rows.end(&self, End::Done, kept)
    }

    /// Counts the boards of a line in one sweep. The first `skipped` boards already have rows.
    fn sweep(&self, line: &Line, skipped: usize, rows: &mut Rows, kept: Option<&Kept>) -> Result<(), End> {
        let name = format!("{line} {}", kind_name(self.kind));
        let progress = self.how.progress(name.clone());
        let control = progress.control();
        let signals = Signals::catch(control.flag());
        signals.map_err(End::Failed)?;
        let ended = |error: CountError| match error {
            CountError::Stopped(_) => End::Stopped,
            error if error.is_out_of_reach() => End::Refused(error.into()),
            error => End::Failed(error.into()),
        };
        let modulus = self.numbers.of_sweep();
        let planned = line.plan_modulo(&self.play, self.kind, modulus, self.how.memory, control);
        let planned = planned.map_err(ended)?;
        let (store, is_forced) = (kept.map(|kept| kept.keeper.free()), self.how.force);
        let is_new = skipped == 0;
        let sweeps = if let Numbers::FromResidues(bits) = self.numbers {
            if is_new {
                // If one sweep does not fit, the bounds of the residues do not fit either.
                refuse_range(&name, &planned.forecast(), is_forced, store).map_err(End::Refused)?;
            }
            Sweeps::Residues(planned.from_residues(bits, control).map_err(ended)?)
        } else {
            Sweeps::Of(planned)
        };
        if is_new {
            announce_range(&name, &sweeps.forecast(), is_forced, store).map_err(End::Refused)?;
        }
        rows.tell_job(self);
        if let Sweeps::Residues(planned) = &sweeps {
            let residues = planned.moduli().len();
            tell(format_args!(
                "{name}: one sweep for each of up to {residues} residues, one of which checks the others"
            ));
        }
        let (began, started) = (Instant::now(), now());
        let (mut failed, mut skipped) = (None::<End>, skipped);
        let mut tell_row = |row: Row| {
            // Rows have no gaps, and only the first failure is reported.
            if failed.is_some() {
                return;
            }
            // A resumed sweep repeats these rows.
            if skipped > 0 {
                skipped -= 1;
                return;
            }
            let told = self.up_to(&row, control);
            // A signal also stops the symmetric counts of this row.
            let told = told
                .map_err(|failure| if control.is_cancelled() { End::Stopped } else { End::Failed(failure) });
            let told = told.and_then(|up_to| {
                let seconds = began.elapsed().as_secs_f64();
                let record = self.record(&row, seconds, &started).map_err(End::Failed)?;
                let record = record.map(|record| up_to.add_to(record));
                let row = row_of(&row, &up_to, self.numbers.modulus(), seconds);
                kept.iter().for_each(|kept| kept.add(&row));
                rows.add(row, record.as_ref()).map_err(End::Failed)
            });
            if let Err(end) = told {
                failed = Some(end);
                control.cancel();
            }
        };
        let rest = kept.map(|kept| &kept.keeper as &dyn Rest);
        let swept = match sweeps {
            Sweeps::Of(planned) => planned.sweep_kept(rest, control, &mut tell_row),
            Sweeps::Residues(planned) => planned.sweep(rest, control, &mut tell_row),
        };
        drop(progress);
        match (failed, swept) {
            (Some(end), _) => Err(end),
            (None, Err(CountError::Stopped(_))) => Err(End::Stopped),
            (None, Err(error)) => Err(End::Failed(error.into())),
            (None, Ok(())) => {
                kept.iter().for_each(|kept| kept.keeper.line_is_done());
                Ok(())
            }
        }
    }

    /// Returns the first board that will be refused, among boards counted one by one, and the reason. A
    /// bisection, as later boards need more memory.
    fn refused(&self, obstacles: &Obstacles, stop: &Arc<AtomicBool>) -> Option<(Board, Failure)> {
        let lines = self.boards.lines();
        let alone = lines.iter().filter(|line| !self.is_swept(line));
        let mut boards: Vec<Board> = alone.flat_map(Line::boards).collect();
        let control = Control::new();
        let is_over = || stop.load(Ordering::Relaxed);
        // A board that cannot be prepared counts as refused.
        let obstacle = |board: &Board| obstacles(board.clone(), &control).transpose();
        let mut found = obstacle(boards.last()?)?;
        let (mut fits, mut does_not) = (0, boards.len() - 1);
        while fits < does_not && !is_over() {
            let middle = usize::midpoint(fits, does_not);
            match obstacle(&boards[middle]) {
                Some(nearer) => (found, does_not) = (nearer, middle),
                None => fits = middle + 1,
            }
        }
        let failure = match found {
            Ok(obstacle) => obstacle.why(&control)?,
            Err(failure) => failure,
        };
        (!is_over()).then(|| (boards.swap_remove(does_not), failure))
    }

    /// Counts the boards of a line one by one. The first `skipped` boards already have rows.
    fn one_by_one(
        &self,
        line: &Line,
        skipped: usize,
        rows: &mut Rows,
        alone: Alone,
        kept: Option<&Kept>,
    ) -> Result<(), End> {
        let Alone { count, stop, refused } = alone;
        for board in line.boards().skip(skipped) {
            if let Some((_, failure)) = refused.take_if(|(first, _)| *first == board) {
                return Err(End::Refused(failure));
            }
            let counted = count(board.clone(), stop).and_then(|(row, record)| {
                // The job line names what all boards have in common.
                let row = BoardRow { board: board.to_string(), ..row };
                kept.iter().for_each(|kept| kept.add(&row));
                rows.add(row, record.as_ref())?;
                kept.map_or(Ok(()), |kept| kept.board_is_done(&board))
            });
            match counted {
                _ if stop.load(Ordering::Relaxed) => return Err(End::Stopped),
                Ok(()) => {}
                Err(failure) => return Err(End::Failed(failure)),
            }
        }
        Ok(())
    }

    /// Returns the numbers up to symmetry of a board in a sweep, if requested. Its symmetric tours are
    /// counted on quotients, which are small compared to the board.
    fn up_to(&self, row: &Row, control: &Control) -> Result<UpTo, Failure> {
        if !self.distinct {
            return Ok(UpTo::default());
        }
        let arena = self.play.on(row.board.clone());
        let setting = Setting::new(&arena, Engine::Auto, self.how.memory);
        let mut found = UpTo { symmetries: Some(arena.symmetries().order()), ..UpTo::default() };
        let aside = control.aside();
        for kind in Kind::ALL {
            let Some(total) = row.counts.get(kind) else { continue };
            let mut census = Census::new(&setting, kind, &aside);
            let distinct = census.prepare(false).and_then(|()| census.distinct(total));
            found.distinct.push((kind, distinct.map_err(failure)?));
        }
        Ok(found)
    }

    /// Returns the record of a board in a sweep, if requested. It equals the record of a sweep of this board
    /// alone.
    fn record(&self, row: &Row, seconds: f64, started: &str) -> Result<Option<Record>, Failure> {
        if self.wanted.record.is_none() {
            return Ok(None);
        }
        let arena = self.play.on(row.board.clone());
        let (kind, engine, modulus) = (self.kind, Engine::Frontier, self.numbers.modulus());
        let work = Work::new(&Request { kind, engine, modulus, ..Request::new(arena) })?;
        let (shards, sums) = ([Shard::WHOLE], row.sums(work.question()));
        let numbers = Reckoning::of(work.question(), &shards, &sums)?;
        let threads = rayon::current_num_threads();
        let run = Run { seconds, threads, started: started.to_owned(), finished: now() };
        Ok(Some(Record::new(&Job::new(&work, Shard::WHOLE), &shards, &sums, &numbers, false, &run)))
    }
}

fn row_of(row: &Row, up_to: &UpTo, modulus: Option<Lane>, seconds: f64) -> BoardRow {
    let numbers = Kind::ALL.into_iter().filter_map(|kind| {
        let undirected = row.counts.get(kind)?.clone();
        let directed = directed(&undirected, row.board.len());
        let directed = modulus.map_or_else(|| directed.clone(), |lane| lane.of(&directed));
        let distinct = up_to.distinct(kind).cloned();
        Some(RowNumbers { kind, undirected: Some(undirected), directed, distinct })
    });
    let (board, engine) = (row.board.to_string(), Engine::Frontier.name().to_owned());
    BoardRow { board, engine, numbers: numbers.collect(), seconds }
}
