//! Counts of tours with a given symmetry, for `--symmetry`, and checks of symmetry options.
//!
//! `--symmetry` counts the tours that a symmetry leaves unchanged, on the quotient of the board by
//! the symmetry.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::args::output_options::{OutputFiles, OutputOptions, append_record, combine_results};
use super::args::run_options::RunOptions;
use super::distinct_counts::symmetric_error;
use super::error::CliError;
use super::process::Signals;
use super::run::{admit_symmetric, shorten_job};
use crate::report::{
    BoardRow, RowCounts, SymmetryRecord, SymmetryRow, print_job_line, print_notice, symmetry_table,
};
use ktour::batch::now_utc;
use ktour::board::{Board, MAX_GROUP_ELEMENTS};
use ktour::control::Control;
use ktour::count::symmetric::{ClassCounter, ClassNumbers, NamedSymmetry, SymmetricContext};
use ktour::count::{CountError, Engine, directed_count};
use ktour::tour::Kind;

/// Returns the parser of the names of symmetries.
pub fn symmetry_parser() -> impl TypedValueParser<Value = NamedSymmetry> {
    let value = |named: NamedSymmetry| PossibleValue::new(named.name()).help(symmetry_help(named));
    PossibleValuesParser::new(NamedSymmetry::ALL.map(value))
        .map(|name| NamedSymmetry::from_name(&name).expect("the parser accepts only names of symmetries"))
}

const fn symmetry_help(named: NamedSymmetry) -> &'static str {
    match named {
        NamedSymmetry::Rot180 => "A half turn",
        NamedSymmetry::Rot90 => "A quarter turn",
        NamedSymmetry::Axial => "A reflection in an axis of the board",
        NamedSymmetry::Diagonal => "A reflection in a diagonal",
        NamedSymmetry::Eulerian => "A half turn that preserves the direction of a closed tour",
        NamedSymmetry::Bergholtian => "A half turn that reverses the direction of a closed tour",
    }
}

/// Returns an error if the symmetry is not defined for tours of this kind.
pub fn check_symmetry_kind(named: NamedSymmetry, kind: Kind) -> Result<(), CliError> {
    if named.applies_to(kind) {
        return Ok(());
    }
    Err(CliError::usage(format!(
        "--symmetry {} is defined for closed tours only; use --kind closed, or --symmetry rot180",
        named.name()
    )))
}

/// Maximum number of squares of a board whose symmetric tours are counted in a moment.
const MAX_QUICK_SQUARES: usize = 64;

/// A count of the tours that have a symmetry, with its options.
#[derive(Debug)]
pub struct SymmetricCount {
    pub board: Board,
    pub kind: Option<Kind>,
    pub symmetry: NamedSymmetry,
    /// True if tours are also counted up to symmetry.
    pub distinct: bool,
    pub engine: Engine,
    /// Number of bits of the primes, if the count is recovered from residues.
    pub residue_bits: Option<u32>,
    pub output: OutputOptions,
    pub run_options: RunOptions,
}

impl SymmetricCount {
    /// Counts the tours with the symmetry, and reports the result.
    pub fn run(self) -> Result<(), CliError> {
        if let Some(kind) = self.kind {
            check_symmetry_kind(self.symmetry, kind)?;
        }
        let setting = SymmetricContext::new(&self.board, self.engine, self.run_options.memory)
            .with_prime_bits(self.residue_bits);
        setting.require_names()?;
        let files = self.output.open(None)?;
        let name = format!("{} {}", self.board.title(), self.symmetry.name());
        let progress = self.run_options.progress(name.clone());
        self.check_admission(&name, &setting, progress.control())?;
        let (kind, engine) = (self.kind.map_or("all", Kind::name), self.engine.name());
        let board = shorten_job(&self.board.to_string());
        print_job_line(format_args!(
            "job {board} kind={kind} symmetry={} engine={engine}",
            self.symmetry.name()
        ));
        let (began, started) = (Instant::now(), now_utc());
        // Incomplete files must be removed.
        let has_files = self.output.files.has_any();
        let signals = if has_files { Some(Signals::catch(progress.control().cancel_flag())?) } else { None };
        self.note_if_impossible(&setting);
        let counted = self.count(&setting, progress.control());
        drop(progress);
        let rows = match (counted, signals) {
            (Err(CountError::Stopped(_)), Some(signals)) => {
                drop(files);
                return Err(signals.die());
            }
            (counted, _) => counted.map_err(symmetric_error)?,
        };
        let record = SymmetryRecord::new(
            &self.board,
            self.symmetry.name(),
            setting.engine_names(),
            rows,
            (began.elapsed().as_secs_f64(), started, now_utc()),
        );
        self.report(files, &record)
    }

    fn kinds(&self) -> impl Iterator<Item = Kind> {
        Kind::ALL
            .into_iter()
            .filter(|&kind| self.kind.is_none_or(|k| k == kind) && self.symmetry.applies_to(kind))
    }

    /// Prints the estimate of a count on a large board, or returns an error if the count does not
    /// fit. Small boards are not checked, because their counts take only a moment.
    fn check_admission(
        &self,
        name: &str,
        setting: &SymmetricContext,
        control: &Control,
    ) -> Result<(), CliError> {
        if self.board.len() <= MAX_QUICK_SQUARES {
            return Ok(());
        }
        for kind in self.kinds() {
            let forecast = ClassCounter::new(setting, kind, control)
                .rough_estimate(Some(self.symmetry))
                .map_err(symmetric_error)?;
            admit_symmetric(&format!("{name} {}", kind.name()), &forecast, self.run_options.force)?;
        }
        Ok(())
    }

    fn note_if_impossible(&self, setting: &SymmetricContext) {
        if !self.kinds().any(|kind| setting.is_possible(self.symmetry, kind)) {
            note_impossible(setting, self.symmetry);
        }
    }

    fn count(&self, setting: &SymmetricContext, control: &Control) -> Result<Vec<SymmetryRow>, CountError> {
        let row = |kind: Kind| {
            let ClassNumbers { tours, classes } = ClassCounter::new(setting, kind, control)
                .count_with_symmetry(self.symmetry, self.distinct)?;
            Ok(SymmetryRow {
                kind: kind.name(),
                undirected: tours.to_string(),
                directed: directed_count(&tours, self.board.len()).to_string(),
                distinct: self.distinct.then(|| classes.to_string()),
            })
        };
        self.kinds().map(row).collect()
    }

    fn report(&self, opened: OutputFiles, record: &SymmetryRecord) -> Result<(), CliError> {
        // If one output cannot be written, the answer still goes to the others.
        let recorded =
            self.output.record.as_ref().map_or(Ok(()), |path| append_record(path, &record.to_line()));
        let text = || match record.rows() {
            // A single number is printed alone, for scripts.
            [row] => format!("{}\n", self.printed_number(row)),
            rows => symmetry_table(rows, self.output.directed),
        };
        let reported = opened.report(|| record.csv_rows(), || record.to_pretty(), text);
        let count = |row: &SymmetryRow| {
            let distinct = row.distinct.as_ref().map(|distinct| format!(" distinct-{}={distinct}", row.kind));
            format!("{}={}{}", row.kind, row.undirected, distinct.unwrap_or_default())
        };
        let counts: Vec<String> = record.rows().iter().map(count).collect();
        print_job_line(format_args!(
            "done symmetry={} engine={} {} seconds={:.3}",
            self.symmetry.name(),
            record.engine(),
            counts.join(" "),
            record.seconds()
        ));
        combine_results([reported, recorded])
    }

    fn printed_number<'a>(&self, row: &'a SymmetryRow) -> &'a str {
        match &row.distinct {
            Some(distinct) => distinct,
            None if self.output.directed => &row.directed,
            None => &row.undirected,
        }
    }
}

/// Counts the tours of a board with a symmetry, and returns the numbers as a row of a series.
///
/// # Errors
/// The symmetry does not exist on the board, or the count fails or was stopped.
pub fn symmetric_row(
    setting: &SymmetricContext,
    board: &Board,
    named: NamedSymmetry,
    kinds: impl Iterator<Item = Kind>,
    distinct: bool,
    run_options: &RunOptions,
    stop: &AtomicBool,
) -> Result<BoardRow, CliError> {
    setting.require_names()?;
    let progress = run_options.progress(format!("{} {}", board.title(), named.name()));
    let _signals = Signals::catch(progress.control().cancel_flag())?;
    if stop.load(Ordering::Relaxed) {
        progress.control().cancel();
    }
    let began = Instant::now();
    let numbers = kinds.filter(|&kind| named.applies_to(kind)).map(|kind| {
        let ClassNumbers { tours, classes } = ClassCounter::new(setting, kind, progress.control())
            .count_with_symmetry(named, distinct)
            .map_err(symmetric_error)?;
        let directed = directed_count(&tours, board.len());
        Ok(RowCounts { kind, undirected: Some(tours), directed, distinct: distinct.then_some(classes) })
    });
    let numbers: Vec<RowCounts> = numbers.collect::<Result<_, CliError>>()?;
    let (board, engine) = (board.title(), setting.engine_names().to_string());
    Ok(BoardRow { board, engine, numbers, seconds: began.elapsed().as_secs_f64() })
}

/// Returns an error if the board's symmetries are not known, so that tours cannot be counted up to
/// symmetry. `option` is the option that requests such a count.
pub fn check_symmetries_known(board: &Board, option: &str) -> Result<(), CliError> {
    // A rectangle has at most 8 symmetries; they are computed only when needed.
    if board.leaper_board().is_some() || board.has_known_symmetries() {
        return Ok(());
    }
    let title = board.title();
    Err(CliError::usage(match board.symmetry_order() {
        Some(order) => format!(
            "{option}: {title} has {order} symmetries, more than the maximum ({MAX_GROUP_ELEMENTS}, and fewer on large \
             boards); leave it out"
        ),
        None => format!(
            "{option}: the symmetries of {title} are too many, or take too long to find; leave it out"
        ),
    }))
}

/// Prints a note that no tour of the board can have the symmetry. Explains a count of 0, which the
/// user might otherwise blame on the kind or the engine.
pub fn note_impossible(setting: &SymmetricContext, named: NamedSymmetry) {
    let name = named.name();
    if setting.board().len() == 1 {
        // Counts by class of symmetry treat the path of one square as asymmetric, too.
        print_notice(format_args!(
            "note: {name} moves no square of this board, so it does not count as a symmetry \
            of its path"
        ));
    } else {
        print_notice(format_args!("note: no tour of this board can have symmetry {name}"));
    }
}
