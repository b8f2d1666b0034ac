//! `ktour count`: exact numbers.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::common::{BoardArgs, KindArg, ProgressArgs};
use super::failure::Failure;
use crate::board::Square;
use crate::count::{self, Answer, Engine, Request};
use crate::report::{Output, Progress, Report, per_start_table, table, write_csv, write_json};

const EXAMPLES: &str = "\
Examples:
  ktour count 6x6                          closed, open and all paths
  ktour count 6x6 --kind closed            9862
  ktour count 5x5 --kind paths --directed  1728
  ktour count 6x6 --per-start --csv -      a row for each start square
  ktour count 5x5 --start a1 --end e5      directed tours from a1 to e5
  ktour count 4x10 --leaper 1,4 --remove a1,j4

A re-entrant path (its ends are a move apart) is no open tour; `paths` has both. Most published
\"open\" counts are of paths.";

/// Exact numbers of tours.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CountArgs {
    #[command(flatten)]
    board: BoardArgs,

    /// Which tours [default: a table of all three]
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindArg>,

    /// Count both directions of every tour
    #[arg(long)]
    directed: bool,

    /// Only tours from this square, directed
    #[arg(long, value_name = "SQUARE")]
    start: Option<Square>,

    /// Only tours to this square, directed
    #[arg(long, value_name = "SQUARE")]
    end: Option<Square>,

    /// A row for each start square, directed
    #[arg(long, conflicts_with_all = ["start", "end"])]
    per_start: bool,

    /// How to count
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "auto")]
    engine: EngineArg,

    /// Edges ruled out (multipath) or moves made (backtrack) in a unit of work [default: by the board and kind]
    #[arg(long, value_name = "D")]
    split_depth: Option<u32>,

    /// Write CSV to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write JSON to a file, - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    #[command(flatten)]
    progress: ProgressArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineArg {
    /// The fastest, by estimate
    Auto,
    /// Path extension: one path, move by move
    Backtrack,
    /// Edge choice: all partial paths at once
    Multipath,
}

impl CountArgs {
    /// Counts and reports.
    pub fn run(&self) -> Result<(), Failure> {
        let (board, leaper) = self.board.resolve()?;
        let to_stdout = |path: &Option<PathBuf>| path.as_deref().is_some_and(|p| p.as_os_str() == "-");
        if to_stdout(&self.csv) && to_stdout(&self.json) {
            return Err(Failure::usage(
                "--csv - and --json - both want standard output: give one of them a file",
            ));
        }
        let request = Request {
            board,
            leaper,
            kind: self.kind.map(Into::into),
            start: self.start,
            end: self.end,
            engine: match self.engine {
                EngineArg::Auto => Engine::Auto,
                EngineArg::Backtrack => Engine::Backtrack,
                EngineArg::Multipath => Engine::Multipath,
            },
            split_depth: self.split_depth,
        };
        // Files are opened first: a run of hours must not end with a name that cannot be written.
        let open = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
        let (csv, json) = (open(&self.csv)?, open(&self.json)?);
        let quiet = to_stdout(&self.csv) || to_stdout(&self.json);

        let began = Instant::now();
        let what = request.kind.map_or("tours", |kind| kind.name());
        let progress = Progress::start(self.progress.mode(), format!("{} {what}", request.board));
        let answer = count::count(&request, progress.meter());
        drop(progress);
        let answer = answer?;
        let report = Report {
            request: &request,
            answer: &answer,
            per_start: self.per_start,
            seconds: began.elapsed().as_secs_f64(),
            threads: rayon::current_num_threads(),
        };
        self.notes(&report);
        if let Some(mut out) = csv {
            write_csv(&report, &mut out).map_err(|error| Failure::write(&out.name(), &error))?;
            out.finish()?;
        }
        if let Some(mut out) = json {
            write_json(&report, &mut out).map_err(|error| Failure::write(&out.name(), &error))?;
            out.finish()?;
        }
        if !quiet {
            let mut out = Output::stdout();
            let text = self.text(&report);
            out.write_all(text.as_bytes()).map_err(|error| Failure::write("standard output", &error))?;
            out.finish()?;
        }
        Ok(())
    }

    /// What standard output says.
    fn text(&self, report: &Report<'_>) -> String {
        let Answer { counts, fixed, .. } = report.answer;
        if self.per_start {
            return per_start_table(report);
        }
        match report.request.kind.and_then(|kind| counts.get(kind)) {
            Some(count) if self.directed && !fixed => {
                format!("{}\n", count::directed(count, &report.request.board))
            }
            Some(count) => format!("{count}\n"),
            None => table(report, self.directed),
        }
    }

    /// Which convention was used, where there are two.
    fn notes(&self, report: &Report<'_>) {
        if report.request.board.len() == 1 && report.request.kind != Some(crate::tour::Kind::Closed) {
            // Standard error may be closed; a note is not worth failing for.
            let _ = writeln!(
                std::io::stderr(),
                "ktour: note: one square has one path, of no moves, with one direction (as in OEIS A165134; A308131 says 0)"
            );
        }
    }
}
