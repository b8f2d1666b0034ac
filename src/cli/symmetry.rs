//! Counts of tours by their symmetry.
//!
//! `--symmetry` counts the tours that a symmetry leaves unchanged, on the quotient of the board.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::failure::Failure;
use super::files::{Files, all};
use super::how::RunArgs;
use super::run::{announce_symmetric, brief};
use super::signals::Signals;
use super::up_to_symmetry::failure;
use super::wanted::{Wanted, append};
use crate::report::{BoardRow, RowNumbers, SymmetryRecord, SymmetryRow, symmetry_table, tell};
use ktour::batch::now;
use ktour::board::{Arena, MOST_ELEMENTS};
use ktour::control::Control;
use ktour::count::symmetric::{Census, Named, Numbers, Setting};
use ktour::count::{CountError, Engine, directed};
use ktour::tour::Kind;

/// Returns the parser of symmetry names.
pub fn parser() -> impl TypedValueParser<Value = Named> {
    let value = |named: Named| PossibleValue::new(named.name()).help(about(named));
    PossibleValuesParser::new(Named::ALL.map(value))
        .map(|name| Named::from_name(&name).expect("the parser accepts only names of symmetries"))
}

const fn about(named: Named) -> &'static str {
    match named {
        Named::Rot180 => "A half turn",
        Named::Rot90 => "A quarter turn",
        Named::Axial => "A reflection in an axis of the board",
        Named::Diagonal => "A reflection in a diagonal",
        Named::Eulerian => "A half turn that preserves the direction of a closed tour",
        Named::Bergholtian => "A half turn that reverses the direction of a closed tour",
    }
}

/// Rejects a kind of tours for which a symmetry is not defined.
pub fn check_kind(named: Named, kind: Kind) -> Result<(), Failure> {
    if named.is_of(kind) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--symmetry {} is defined for closed tours only; use --kind closed, or --symmetry rot180",
        named.name()
    )))
}

/// Squares up to which symmetric tours are counted in a moment.
const SHORT: usize = 64;

/// A count of the tours with a symmetry, with its options.
#[derive(Debug)]
pub struct SymmetryRun {
    pub arena: Arena,
    pub kind: Option<Kind>,
    pub named: Named,
    /// Whether classes are counted, and not tours.
    pub distinct: bool,
    pub engine: Engine,
    /// Bits of the residues, if the count uses them.
    pub residues: Option<u32>,
    pub wanted: Wanted,
    pub how: RunArgs,
}

impl SymmetryRun {
    /// Counts the tours and reports the result.
    pub fn run(self) -> Result<(), Failure> {
        if let Some(kind) = self.kind {
            check_kind(self.named, kind)?;
        }
        let setting = Setting::new(&self.arena, self.engine, self.how.memory).by_residues(self.residues);
        setting.check_names()?;
        let opened = self.wanted.open(None)?;
        let name = format!("{} {}", self.arena.title(), self.named.name());
        let progress = self.how.progress(name.clone());
        self.outlook(&name, &setting, progress.control())?;
        let (kind, engine) = (self.kind.map_or("all", Kind::name), self.engine.name());
        let arena = brief(&self.arena.to_string());
        tell(format_args!("job {arena} kind={kind} symmetry={} engine={engine}", self.named.name()));
        let (began, started) = (Instant::now(), now());
        // Incomplete files must be removed.
        let tidy = self.wanted.files.are_wanted();
        let signals = if tidy { Some(Signals::catch(progress.control().flag())?) } else { None };
        self.note(&setting);
        let counted = self.count(&setting, progress.control());
        drop(progress);
        let rows = match (counted, signals) {
            (Err(CountError::Stopped(_)), Some(signals)) => {
                drop(opened);
                return Err(signals.die());
            }
            (counted, _) => counted.map_err(failure)?,
        };
        let record = SymmetryRecord::new(
            &self.arena,
            self.named.name(),
            setting.engines(),
            rows,
            (began.elapsed().as_secs_f64(), started, now()),
        );
        self.report(opened, &record)
    }

    fn kinds(&self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(|&kind| self.kind.is_none_or(|k| k == kind) && self.named.is_of(kind))
    }

    /// Prints the estimate of a large board, and rejects a count that does not fit. Small boards take a
    /// moment.
    fn outlook(&self, name: &str, setting: &Setting, control: &Control) -> Result<(), Failure> {
        if self.arena.len() <= SHORT {
            return Ok(());
        }
        for kind in self.kinds() {
            let forecast = Census::new(setting, kind, control).outlook(Some(self.named)).map_err(failure)?;
            announce_symmetric(&format!("{name} {}", kind.name()), &forecast, self.how.force)?;
        }
        Ok(())
    }

    fn note(&self, setting: &Setting) {
        if !self.kinds().any(|kind| setting.may_have(self.named, kind)) {
            note_impossible(setting, self.named);
        }
    }

    fn count(&self, setting: &Setting, control: &Control) -> Result<Vec<SymmetryRow>, CountError> {
        let row = |kind: Kind| {
            let Numbers { tours, classes } =
                Census::new(setting, kind, control).symmetric(self.named, self.distinct)?;
            Ok(SymmetryRow {
                kind: kind.name(),
                undirected: tours.to_string(),
                directed: directed(&tours, self.arena.len()).to_string(),
                distinct: self.distinct.then(|| classes.to_string()),
            })
        };
        self.kinds().map(row).collect()
    }

    fn report(&self, opened: Files, record: &SymmetryRecord) -> Result<(), Failure> {
        // If one output cannot be written, the answer still goes to the others.
        let recorded = self.wanted.record.as_ref().map_or(Ok(()), |path| append(path, &record.line()));
        let text = || match record.rows() {
            // A single number is printed alone, for scripts.
            [row] => format!("{}\n", self.number(row)),
            rows => symmetry_table(rows, self.wanted.directed),
        };
        let told = opened.report(|out| record.write_csv(out), || record.pretty(), text);
        let count = |row: &SymmetryRow| {
            let distinct = row.distinct.as_ref().map(|distinct| format!(" distinct-{}={distinct}", row.kind));
            format!("{}={}{}", row.kind, row.undirected, distinct.unwrap_or_default())
        };
        let counts: Vec<String> = record.rows().iter().map(count).collect();
        tell(format_args!(
            "done symmetry={} engine={} {} seconds={:.3}",
            self.named.name(),
            record.engine(),
            counts.join(" "),
            record.seconds()
        ));
        all([told, recorded])
    }

    fn number<'a>(&self, row: &'a SymmetryRow) -> &'a str {
        match &row.distinct {
            Some(distinct) => distinct,
            None if self.wanted.directed => &row.directed,
            None => &row.undirected,
        }
    }
}

/// Counts the tours of a board with a symmetry and returns them as a row of a series.
///
/// # Errors
/// The symmetry does not exist on the board, or the count fails or was stopped.
pub fn symmetric_row(
    setting: &Setting,
    arena: &Arena,
    named: Named,
    kinds: impl Iterator<Item = Kind>,
    distinct: bool,
    how: &RunArgs,
    stop: &AtomicBool,
) -> Result<BoardRow, Failure> {
    setting.check_names()?;
    let progress = how.progress(format!("{} {}", arena.title(), named.name()));
    let _signals = Signals::catch(progress.control().flag())?;
    if stop.load(Ordering::Relaxed) {
        progress.control().cancel();
    }
    let began = Instant::now();
    let numbers = kinds.filter(|&kind| named.is_of(kind)).map(|kind| {
        let Numbers { tours, classes } =
            Census::new(setting, kind, progress.control()).symmetric(named, distinct).map_err(failure)?;
        let directed = directed(&tours, arena.len());
        Ok(RowNumbers { kind, undirected: Some(tours), directed, distinct: distinct.then_some(classes) })
    });
    let numbers: Vec<RowNumbers> = numbers.collect::<Result<_, Failure>>()?;
    let (board, engine) = (arena.title(), setting.engines().to_string());
    Ok(BoardRow { board, engine, numbers, seconds: began.elapsed().as_secs_f64() })
}

/// Rejects counts up to symmetry on boards whose symmetries are not known.
pub fn check_known(arena: &Arena, option: &str) -> Result<(), Failure> {
    // A rectangle has at most 8 symmetries; they are computed only when needed.
    if arena.rectangle().is_some() || arena.knows_symmetries() {
        return Ok(());
    }
    let title = arena.title();
    Err(Failure::usage(match arena.symmetry_order() {
        Some(order) => format!(
            "{option}: {title} has {order} symmetries, more than the maximum ({MOST_ELEMENTS}, and fewer on large \
             boards); leave it out"
        ),
        None => format!(
            "{option}: the symmetries of {title} are too many, or take too long to find; leave it out"
        ),
    }))
}

/// Prints why no tour can have the symmetry, so that the zero is not blamed on kind or engine.
pub fn note_impossible(setting: &Setting, named: Named) {
    let name = named.name();
    if setting.arena().len() == 1 {
        // Counts by class of symmetry treat the path of one square as asymmetric, too.
        tell(format_args!(
            "note: {name} moves no square of this board, so it does not count as a symmetry \
            of its path"
        ));
    } else {
        tell(format_args!("note: no tour of this board can have symmetry {name}"));
    }
}

/// Rejects options that do not combine with `what`. Each option is a flag (given or not) and its name.
pub fn refuse(what: &str, options: &[(bool, &str)]) -> Result<(), Failure> {
    match options.iter().find(|(given, _)| *given) {
        Some((_, option)) => {
            Err(Failure::usage(format!("{what} cannot be used with {option}; leave out one of them")))
        }
        None => Ok(()),
    }
}
