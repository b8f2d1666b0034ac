//! `ktour count --symmetry`, `--distinct` and `--classes`: what concerns symmetric tours only.

use std::collections::BTreeMap;
use std::time::Instant;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::files::{Files, print};
use super::run::RunArgs;
use super::signals::Signals;
use super::wanted::{Wanted, append};
use crate::report::{SymmetryRecord, SymmetryRow, symmetry_table, tell};
use ktour::batch::{ClassNumbers, Record, now};
use ktour::board::{Board, Leaper, SymmetryGroup};
use ktour::control::Control;
use ktour::count::symmetric::{Census, Named, Numbers, Setting};
use ktour::count::{Answer, CountError, Engine, Request, directed};
use ktour::frontier;
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

/// What is wanted beside the numbers of all tours. Kept in checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpToSymmetry {
    /// Distinct tours.
    Distinct,
    /// Tours and distinct tours by class of symmetry.
    Classes,
}

/// Distinct tours and classes by kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Distinct tours.
    pub distinct: BTreeMap<String, String>,
    /// By class of symmetry.
    pub classes: BTreeMap<String, Vec<ClassNumbers>>,
}

impl Found {
    /// The record with these numbers.
    pub fn add_to(&self, record: Record) -> Record {
        record.with_symmetry(self.distinct.clone(), self.classes.clone())
    }
}

/// The setting of the symmetric part of a count.
pub fn setting(request: &Request, memory: Option<u64>) -> Setting {
    Setting::new(&request.board, request.leaper, request.engine, memory)
}

/// The symmetric part of a count, of all kinds that are asked for: some seconds.
pub fn symmetric_part<'a>(
    what: UpToSymmetry,
    request: &Request,
    setting: &'a Setting,
    control: &'a Control,
) -> Result<Vec<(Kind, Census<'a>)>, CountError> {
    if request.start.is_some() || request.end.is_some() {
        return Ok(Vec::new());
    }
    let kinds = [Kind::Closed, Kind::Open, Kind::Paths];
    let kinds = kinds.into_iter().filter(|&kind| request.kind.is_none_or(|wanted| wanted == kind));
    let census = |kind| {
        let mut census = Census::new(setting, kind, control);
        census.prepare(what == UpToSymmetry::Classes)?;
        Ok((kind, census))
    };
    kinds.map(census).collect()
}

/// The numbers up to symmetry, from those of all tours and the symmetric part.
pub fn with_symmetry(
    what: UpToSymmetry,
    request: &Request,
    answer: &Answer,
    parts: &mut [(Kind, Census<'_>)],
) -> Result<Found, CountError> {
    let mut found = Found::default();
    if answer.fixed {
        for kind in [Kind::Closed, Kind::Open, Kind::Paths] {
            let Some(total) = answer.counts.get(kind) else { continue };
            // A symmetry that keeps an end reverses no path, so all classes are of the same size.
            found.distinct.insert(kind.name().to_owned(), (total / stabiliser(request)).to_string());
        }
        return Ok(found);
    }
    for (kind, census) in parts {
        let Some(total) = answer.counts.get(*kind) else { continue };
        if what == UpToSymmetry::Distinct {
            found.distinct.insert(kind.name().to_owned(), census.distinct(total)?.to_string());
            continue;
        }
        let table = census.table(total)?;
        found.distinct.insert(kind.name().to_owned(), table.total.classes.to_string());
        let rows = table.rows.iter().map(|(class, numbers)| ClassNumbers {
            class: class.name().to_owned(),
            tours: numbers.tours.to_string(),
            distinct: numbers.classes.to_string(),
        });
        found.classes.insert(kind.name().to_owned(), rows.collect());
    }
    Ok(found)
}

/// Counts the symmetric part again by the other engine, if that is not too long, and compares; whether it did.
/// `None` if the control was cancelled first.
pub fn check_symmetric_part(
    what: UpToSymmetry,
    request: &Request,
    answer: &Answer,
    (setting, found): (&Setting, &Found),
    control: &Control,
) -> Result<Option<bool>, Failure> {
    let second = setting.second();
    let again = symmetric_part(what, request, &second, control)
        .and_then(|mut parts| with_symmetry(what, request, answer, &mut parts));
    match again {
        Ok(again) if again == *found => {
            tell(format_args!(
                "double check: symmetric part equal, engine {} (first: {})",
                second.engines(),
                setting.engines()
            ));
            Ok(Some(true))
        }
        Err(CountError::Stopped(_)) => Ok(None),
        Err(error) if matches!(error, CountError::NoSecondWay) || error.is_out_of_reach() => {
            tell(format_args!("double check: total only; symmetric part: {error}"));
            Ok(Some(false))
        }
        Ok(_) | Err(CountError::Broken(_)) => Err(Failure::failed(format!(
            "double check: engine {} has other symmetric tours than {}; no number is reported",
            second.engines(),
            setting.engines()
        ))),
        Err(error) => Err(Failure::failed(format!("double check of the symmetric part: {error}"))),
    }
}

/// Why the symmetric part was not counted. It takes no folder for what does not fit into memory.
pub fn failure(error: CountError) -> Failure {
    match error {
        CountError::Frontier(error @ frontier::Error::Memory { .. }) => Failure::failed(format!(
            "symmetric tours: {error}; a larger --memory, a smaller BOARD, or --engine multipath helps"
        )),
        error => error.into(),
    }
}

/// How many symmetries keep the fixed ends.
fn stabiliser(request: &Request) -> usize {
    let squares: Vec<_> = request.board.squares().collect();
    let ends: Vec<usize> = [request.start, request.end]
        .into_iter()
        .flatten()
        .filter_map(|s| squares.binary_search(&s).ok())
        .collect();
    SymmetryGroup::of(&request.board).stabiliser(|image| ends.iter().all(|&v| image[v] as usize == v)).order()
}

/// A count of the tours with a symmetry.
#[derive(Debug)]
pub struct SymmetryRun {
    pub board: Board,
    pub leaper: Leaper,
    pub kind: Option<Kind>,
    pub named: Named,
    /// Classes are wanted, not tours.
    pub distinct: bool,
    pub engine: Engine,
    pub wanted: Wanted,
    pub how: RunArgs,
}

impl SymmetryRun {
    /// Counts and reports.
    pub fn run(self) -> Result<(), Failure> {
        if let Some(kind) = self.kind {
            check_kind(self.named, kind)?;
        }
        let opened = self.wanted.open()?;
        let (began, started) = (Instant::now(), now());
        let name = format!("{} {}", self.board, self.named.name());
        let progress = self.how.progress(name);
        // Files that are not complete must not stay behind.
        let tidy = self.wanted.files.are_wanted();
        let signals = if tidy { Some(Signals::catch(progress.control().flag())?) } else { None };
        let setting = Setting::new(&self.board, self.leaper, self.engine, self.how.memory);
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
            &self.board,
            self.leaper,
            self.named.name(),
            setting.engines(),
            rows,
            (began.elapsed().as_secs_f64(), started, now()),
        );
        self.report(opened, &record)
    }

    fn kinds(&self) -> impl Iterator<Item = Kind> {
        let all = [Kind::Closed, Kind::Open, Kind::Paths];
        all.into_iter().filter(|&kind| self.kind.is_none_or(|k| k == kind) && self.named.is_of(kind))
    }

    fn note(&self, setting: &Setting) {
        if !self.kinds().any(|kind| setting.may_have(self.named, kind)) {
            note_impossible(self.named);
        }
    }

    fn count(&self, setting: &Setting, control: &Control) -> Result<Vec<SymmetryRow>, CountError> {
        let row = |kind: Kind| {
            let Numbers { tours, classes } =
                Census::new(setting, kind, control).symmetric(self.named, self.distinct)?;
            Ok(SymmetryRow {
                kind: kind.name(),
                undirected: tours.to_string(),
                directed: directed(&tours, &self.board).to_string(),
                distinct: self.distinct.then(|| classes.to_string()),
            })
        };
        self.kinds().map(row).collect()
    }

    fn report(&self, opened: Files, record: &SymmetryRecord) -> Result<(), Failure> {
        let quiet = opened.is_quiet();
        opened.write(|out| record.write_csv(out), || record.pretty())?;
        if let Some(path) = &self.wanted.record {
            append(path, &record.line())?;
        }
        if !quiet {
            let text = match record.rows() {
                // A single number stands alone, ready for a script.
                [row] => format!("{}\n", self.number(row)),
                rows => symmetry_table(rows, self.wanted.directed),
            };
            print(text)?;
        }
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
        Ok(())
    }

    fn number<'a>(&self, row: &'a SymmetryRow) -> &'a str {
        match &row.distinct {
            Some(distinct) => distinct,
            None if self.wanted.directed => &row.directed,
            None => &row.undirected,
        }
    }
}

/// Says that the answer is no fault of the question's kind or engine.
pub fn note_impossible(named: Named) {
    tell(format_args!("note: no tour of this board can have the symmetry {}", named.name()));
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
