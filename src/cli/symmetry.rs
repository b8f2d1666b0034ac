//! `ktour count --symmetry`: tours that a symmetry leaves as they are.

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

/// Takes a symmetry by its name.
pub fn parser() -> impl TypedValueParser<Value = Named> {
    let value = |named: Named| PossibleValue::new(named.name()).help(about(named));
    PossibleValuesParser::new(Named::ALL.map(value))
        .map(|name| Named::from_name(&name).expect("only names of symmetries are possible"))
}

const fn about(named: Named) -> &'static str {
    match named {
        Named::Rot180 => "A half turn",
        Named::Rot90 => "A quarter turn",
        Named::Axial => "A reflection in an axis of the board",
        Named::Diagonal => "A reflection in a diagonal",
        Named::Eulerian => "A half turn that keeps the direction of a closed tour",
        Named::Bergholtian => "A half turn that reverses the direction of a closed tour",
    }
}

/// Refuses a kind that a symmetry does not speak of.
pub fn check_kind(named: Named, kind: Kind) -> Result<(), Failure> {
    if named.is_of(kind) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "--symmetry {} tells the directions of closed tours apart: ask for --kind closed, or --symmetry rot180",
        named.name()
    )))
}

/// Symmetric tours of a board of so many squares are counted in a moment.
const SHORT: usize = 64;

/// A count of the tours with a symmetry.
#[derive(Debug)]
pub struct SymmetryRun {
    pub arena: Arena,
    pub kind: Option<Kind>,
    pub named: Named,
    /// Classes are wanted, not tours.
    pub distinct: bool,
    pub engine: Engine,
    /// By residues of so many bits.
    pub residues: Option<u32>,
    pub wanted: Wanted,
    pub how: RunArgs,
}

impl SymmetryRun {
    /// Counts and reports.
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
        // Files that are not complete must not stay behind.
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

    /// What it will take, where that may be long: half a board is short.
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
        // What cannot be written somewhere must not cost the answer elsewhere.
        let recorded = self.wanted.record.as_ref().map_or(Ok(()), |path| append(path, &record.line()));
        let text = || match record.rows() {
            // A single number stands alone, ready for a script.
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

/// The tours of a board with a symmetry as a row of a series.
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

/// Refuses tours up to symmetry where the symmetries are not known.
pub fn check_known(arena: &Arena, option: &str) -> Result<(), Failure> {
    // A board as it is has at most 8, which are not made where nobody needs them.
    if arena.rectangle().is_some() || arena.knows_symmetries() {
        return Ok(());
    }
    let title = arena.title();
    Err(Failure::usage(match arena.symmetry_order() {
        Some(order) => format!(
            "{option}: {title} has {order} symmetries, more than can be gone through (up to {MOST_ELEMENTS}, and \
             fewer on large boards): leave it out"
        ),
        None => format!(
            "{option}: the symmetries of {title} are too many, or take too long to find: leave it out"
        ),
    }))
}

/// Says that the answer is no fault of the question's kind or engine.
pub fn note_impossible(setting: &Setting, named: Named) {
    let name = named.name();
    if setting.arena().len() == 1 {
        // Classes of symmetry count its path as asymmetric, too.
        tell(format_args!("note: {name} moves nothing on one square, and is no symmetry of its path"));
    } else {
        tell(format_args!("note: no tour of this board can have the symmetry {name}"));
    }
}

/// Options that a count of symmetric tours cannot take: whether each is given, and its name.
pub fn refuse(what: &str, options: &[(bool, &str)]) -> Result<(), Failure> {
    match options.iter().find(|(given, _)| *given) {
        Some((_, option)) => {
            Err(Failure::usage(format!("{what} does not go with {option}: drop one of them")))
        }
        None => Ok(()),
    }
}
