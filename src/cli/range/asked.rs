//! What is asked of a range of boards.

use std::path::PathBuf;

use crate::cli::failure::Failure;
use crate::cli::how::RunArgs;
use crate::cli::run::brief;
use crate::cli::wanted::Wanted;
use crate::report::SeriesReport;
use ktour::BigUint;
use ktour::frontier::{Lane, moduli};
use ktour::series::{Boards, Line, Play};
use ktour::tour::Kind;

/// Letters of a line of a screen.
const SCREEN: usize = 80;

/// Files that only a range has.
#[derive(Clone, Debug, Default)]
pub struct RangeFiles {
    /// An index and a number a line, as the OEIS has them.
    pub bfile: Option<PathBuf>,
    /// Every so-manieth length is in it.
    pub stride: u16,
    /// A picture of the growth.
    pub plot: Option<PathBuf>,
    /// Whether the recurrence is looked for.
    pub recurrence: bool,
    /// Up to which order.
    pub order: usize,
}

/// What is counted: numbers, or their residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// The numbers themselves.
    Exact,
    /// Their residues.
    Modulo(Lane),
    /// The numbers from residues modulo primes of so many bits.
    FromResidues(u32),
}

impl Numbers {
    /// What rows are residues of, if they are.
    pub const fn modulus(self) -> Option<Lane> {
        if let Self::Modulo(lane) = self { Some(lane) } else { None }
    }

    /// What a sweep counts modulo, one of several maybe.
    pub fn of_sweep(self) -> Option<Lane> {
        match self {
            Self::Exact => None,
            Self::Modulo(lane) => Some(lane),
            Self::FromResidues(bits) => moduli(&BigUint::ZERO, bits).first().copied(),
        }
    }
}

/// A range of boards that is counted.
pub struct RangeRun {
    pub boards: Boards,
    pub play: Play,
    pub kind: Option<Kind>,
    pub wanted: Wanted,
    pub how: RunArgs,
    /// Whether a line may be swept at once: nothing is asked for that a sweep along it cannot tell.
    pub may_sweep: bool,
    /// What its sweeps count.
    pub numbers: Numbers,
    /// Whether numbers up to symmetry are wanted.
    pub distinct: bool,
    /// Whether every board is counted twice.
    pub is_checked: bool,
    /// Where progress is saved.
    pub checkpoint: Option<PathBuf>,
    /// The command that had been saved, if this goes on with it.
    pub asked: Option<Vec<String>>,
    pub files: RangeFiles,
    /// What the report tells of all boards, still without rows.
    pub report: SeriesReport,
}

impl RangeRun {
    /// What is counted, as the words of a job's line.
    pub fn what(&self) -> String {
        let first = self.boards.boards().next().expect("a range has boards");
        let arena = self.play.on(first).to_string();
        let rest: Vec<&str> = arena.split(' ').skip(1).collect();
        let mut what = format!("boards={} {}", self.boards, brief(&rest.join(" ")));
        if !self.report.removed.is_empty() {
            what = what.replace("remove=-", &format!("remove={}", self.report.removed.join(",")));
        }
        for (name, value) in [("start", &self.report.ends[0]), ("end", &self.report.ends[1])] {
            if !value.is_empty() {
                what += &format!(" {name}={value}");
            }
        }
        what += &format!(" kind={}", kind_name(self.kind));
        if !self.report.symmetry.is_empty() {
            what += &format!(" symmetry={}", self.report.symmetry);
        }
        match self.numbers {
            Numbers::Exact => {}
            Numbers::Modulo(lane) => what += &format!(" modulus={}", lane.modulus()),
            Numbers::FromResidues(bits) => what += &format!(" residues={bits}"),
        }
        for (is_so, word) in [(self.distinct, " distinct"), (self.is_checked, " double-check")] {
            if is_so {
                what += word;
            }
        }
        what
    }

    /// Whether one sweep does for a line.
    pub fn is_swept(&self, line: &Line) -> bool {
        self.may_sweep && line.is_one_sweep(&self.play)
    }

    /// The width of the board's name, and about that of the numbers of the last board, as far as all fit a screen: a
    /// way goes through a vertex of degree d in d/e ways, about.
    pub fn widths(&self) -> Vec<usize> {
        let last = self.boards.boards().last().expect("a range has boards");
        let name = last.to_string().len().max("board".len());
        let graph = self.play.on(last);
        let ways = |v| (graph.graph().neighbours(v).len() as f64 / std::f64::consts::E).max(1.0).log10();
        let most = self.numbers.modulus().map_or(usize::MAX, |lane| lane.modulus().to_string().len());
        let digits = (0..graph.len()).map(ways).sum::<f64>().ceil() as usize;
        let digits = digits.min(most);
        let kinds = self.report.kinds.len().max(1);
        let room = (SCREEN - name) / kinds;
        let names = self.report.head(self.wanted.directed);
        let numbers = names.iter().skip(1).map(|name| digits.min(room.saturating_sub(2)).max(name.len()));
        std::iter::once(name).chain(numbers).collect()
    }

    /// Whether a line above the rows says what they are: where a number by itself does not.
    pub fn has_head(&self) -> bool {
        self.kind.is_none()
            || self.distinct
            || self.numbers.modulus().is_some()
            || !self.report.symmetry.is_empty()
    }
}

/// Refuses what a range of boards does not take: whether each is given, and its name.
pub fn refuse_for_range(options: &[(bool, &str)]) -> Result<(), Failure> {
    match options.iter().find(|(given, _)| *given) {
        Some((_, what)) => Err(Failure::usage(format!(
            "a range of boards does not go with {what}: drop it, or count board by board"
        ))),
        None => Ok(()),
    }
}

/// What the tours are called.
pub const fn kind_name(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(kind) => kind.name(),
        None => "all",
    }
}
