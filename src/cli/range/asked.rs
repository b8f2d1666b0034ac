//! What is asked of a range of boards.

use std::path::PathBuf;

use crate::cli::how::RunArgs;
use crate::cli::run::brief;
use crate::cli::wanted::Wanted;
use crate::report::SeriesReport;
use ktour::series::{Boards, Play};
use ktour::tour::Kind;

/// Files that only a range has.
#[derive(Clone, Debug, Default)]
pub struct RangeFiles {
    /// An index and a number a line, as the OEIS has them.
    pub bfile: Option<PathBuf>,
    /// A picture of the growth.
    pub plot: Option<PathBuf>,
    /// Whether the recurrence is looked for.
    pub recurrence: bool,
    /// Up to which order.
    pub order: usize,
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
    /// Whether numbers up to symmetry are wanted.
    pub distinct: bool,
    /// Whether the same command goes on where it was stopped.
    pub is_saved: bool,
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
        if self.distinct {
            what += " distinct";
        }
        what
    }

    /// Whether a line above the rows says what they are: where a number by itself does not.
    pub fn has_head(&self) -> bool {
        self.kind.is_none() || self.distinct || !self.report.symmetry.is_empty()
    }
}

/// What the tours are called.
pub const fn kind_name(kind: Option<Kind>) -> &'static str {
    match kind {
        Some(kind) => kind.name(),
        None => "all",
    }
}
