//! The configuration of a series of boards.

use std::path::PathBuf;

use crate::cli::args::output_options::OutputOptions;
use crate::cli::args::run_options::RunOptions;
use crate::cli::error::CliError;
use crate::cli::run::shorten_job;
use crate::report::SeriesReport;
use ktour::BigUint;
use ktour::frontier::{ResidueRing, prime_moduli};
use ktour::series::{BoardLine, BoardRange, SeriesRules};
use ktour::tour::Kind;

/// Columns of a terminal line.
const TERMINAL_COLUMNS: usize = 80;

/// Output files and recurrence options of a series.
#[derive(Clone, Debug, Default)]
pub struct SeriesFiles {
    /// The b-file: an index and a number on each line, in the format of the OEIS.
    pub bfile: Option<PathBuf>,
    /// The b-file includes the boards whose side is a multiple of this number.
    pub bfile_step: u16,
    /// The picture of the growth.
    pub plot: Option<PathBuf>,
    /// Whether to search for the recurrence.
    pub recurrence: bool,
    /// Highest order to search for.
    pub max_order: usize,
}

/// How counts are computed: exactly, modulo a number, or from residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountMode {
    /// Exact counts.
    Exact,
    /// Counts modulo a number.
    Modulo(ResidueRing),
    /// Exact counts recovered from residues modulo primes of this many bits.
    FromResidues(u32),
}

impl CountMode {
    /// Returns the modulus of the reported numbers, if they are residues.
    pub const fn modulus(self) -> Option<ResidueRing> {
        if let Self::Modulo(lane) = self { Some(lane) } else { None }
    }

    /// Returns the modulus of a sweep, the first one if there are several.
    pub fn sweep_modulus(self) -> Option<ResidueRing> {
        match self {
            Self::Exact => None,
            Self::Modulo(lane) => Some(lane),
            Self::FromResidues(bits) => prime_moduli(&BigUint::ZERO, bits).first().copied(),
        }
    }
}

/// A series of boards to count, with all options.
pub struct SeriesRun {
    pub boards: BoardRange,
    pub rules: SeriesRules,
    pub kind: Option<Kind>,
    pub output: OutputOptions,
    pub run_options: RunOptions,
    /// Whether a line may be counted in one sweep: no option needs each board alone.
    pub can_sweep: bool,
    /// How sweeps count.
    pub count_mode: CountMode,
    /// Whether numbers up to symmetry are computed.
    pub distinct: bool,
    /// Whether every board is counted twice.
    pub is_double_checked: bool,
    /// File of the checkpoint.
    pub checkpoint: Option<PathBuf>,
    /// The saved command, if this run resumes one.
    pub saved_command: Option<Vec<String>>,
    pub files: SeriesFiles,
    /// The report: facts about all boards, and the rows so far (at first empty).
    pub report: SeriesReport,
}

impl SeriesRun {
    /// Returns the job line of the series.
    pub fn job_line(&self) -> String {
        let first = self.boards.boards().next().expect("a range has boards");
        let board = self.rules.to_board(first).to_string();
        let rest: Vec<&str> = board.split(' ').skip(1).collect();
        let mut what = format!("boards={} {}", self.boards, shorten_job(&rest.join(" ")));
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
        match self.count_mode {
            CountMode::Exact => {}
            CountMode::Modulo(lane) => what += &format!(" modulus={}", lane.modulus()),
            CountMode::FromResidues(bits) => what += &format!(" residues={bits}"),
        }
        for (is_so, word) in [(self.distinct, " distinct"), (self.is_double_checked, " double-check")] {
            if is_so {
                what += word;
            }
        }
        what
    }

    /// Returns true if one sweep counts all boards of a line.
    pub fn uses_one_sweep(&self, line: &BoardLine) -> bool {
        self.can_sweep && line.is_single_sweep(&self.rules)
    }

    /// Returns the column widths of the table: the board names, then the numbers of the last board, limited
    /// to the screen. The number of paths is estimated by a factor of d/e for each vertex of degree d.
    pub fn column_widths(&self) -> Vec<usize> {
        let last = self.boards.boards().last().expect("a range has boards");
        let name = last.to_string().len().max("board".len());
        let graph = self.rules.to_board(last);
        let log10_ways =
            |v| (graph.graph().neighbours(v).len() as f64 / std::f64::consts::E).max(1.0).log10();
        let max_digits =
            self.count_mode.modulus().map_or(usize::MAX, |lane| lane.modulus().to_string().len());
        let digits = (0..graph.len()).map(log10_ways).sum::<f64>().ceil() as usize;
        let digits = digits.min(max_digits);
        let kinds = self.report.kinds.len().max(1);
        let columns_per_kind = (TERMINAL_COLUMNS - name) / kinds;
        let names = self.report.header(self.output.directed);
        let numbers =
            names.iter().skip(1).map(|name| digits.min(columns_per_kind.saturating_sub(2)).max(name.len()));
        std::iter::once(name).chain(numbers).collect()
    }

    /// Returns true if the rows have a header line, because a number alone would be ambiguous.
    pub fn has_header(&self) -> bool {
        self.kind.is_none()
            || self.distinct
            || self.count_mode.modulus().is_some()
            || !self.report.symmetry.is_empty()
    }
}

/// Rejects options that a series does not support. Each option is a flag (given or not) and its name.
pub fn refuse_for_series(options: &[(bool, &str)]) -> Result<(), CliError> {
    match options.iter().find(|(given, _)| *given) {
        Some((_, what)) => Err(CliError::usage(format!(
            "a series of boards does not support {what}; leave it out, or count the boards separately"
        ))),
        None => Ok(()),
    }
}

/// Returns the name of a kind, or `all`.
pub const fn kind_name(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(kind) => kind.name(),
        None => "all",
    }
}
