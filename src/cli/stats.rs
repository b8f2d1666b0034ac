//! `ktour stats`: exact statistics of all tours, and measures of random tours.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};
use ktour::board::Board;
use ktour::budget::Requirements;
use ktour::frontier;
use ktour::index::{
    Histogram, IndexError, MoveClass, MovePairs, Statistics, check_measurable, quarter_moves,
};
use ktour::tour::{Kind, TerminalStyle, TextRendering, TourSpec};

use super::args::board::BoardArgs;
use super::args::output_options::{OutputFileArgs, combine_results, print_to_stdout, write_and_finish};
use super::args::restrictions::read_move_file;
use super::args::seed::SeedArgs;
use super::args::tours::{EndsArgs, KindArgs};
use super::args::{heading, number};
use super::draw::ColourArgs;
use super::error::CliError;
use super::process::Signals;
use super::quantities::{all_threads, format_bytes, format_seconds};
use super::run::admission::{NOTICE_SECONDS, index_refusal};
use super::run::execution::print_reason_for_zero;
use super::tour_index::IndexArgs;
use crate::report::{
    HistogramExample, Output, SampleInfo, heat_map_picture, heat_map_svg, histogram_json, histogram_rows,
    histogram_table, measures_json, measures_rows, measures_table, pairs_json, pairs_rows, pairs_table,
    print_notice, render_png, statistics_json, statistics_rows, statistics_table, terminal_columns,
};

const EXAMPLES: &str = "\
Examples:
  ktour stats 6x6 --kind closed
  ktour stats 8x8 --kind closed --index chess --heat use.svg
  ktour stats 5x5 --kind paths --csv -
  ktour stats 6x6 --kind open --heat ends.png --json all.json
  ktour stats 6x6 --kind closed --histogram steep --index six
  ktour stats 8x8 --kind closed --index chess --samples 100000
  ktour stats 6x6 --kind closed --heat -            on the terminal
  ktour stats 6x6 --kind closed --pairs

Prints how many tours use each move, and how many begin or end on each square. The numbers are exact, but no tour is \
visited. The table has one row for all moves that the board's symmetries map to each other, and `orbit` is their number; CSV and JSON have every \
move. Both directions of a tour count once; with --start or --end (not for closed tours), tours are directed. The row \
`total` has the number of all tours. The numbers come from the index, in memory or in a \
folder (--index); --without-index needs only the memory of a count, but one sweep for each move different under symmetry.";

/// The parser of `--histogram`. Shells complete the names of classes; slopes such as 2/1 are accepted too.
#[derive(Clone)]
struct MoveClassParser;

impl TypedValueParser for MoveClassParser {
    type Value = MoveClass;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<MoveClass, clap::Error> {
        MoveClass::from_str.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(MoveClass::NAMES.into_iter().map(PossibleValue::new)))
    }
}

/// Compute exact statistics of all tours
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, mut_arg("seed", |seed| seed.requires("samples")))]
pub struct StatsArgs {
    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    kind: KindArgs,

    #[command(flatten)]
    ends: EndsArgs,

    /// Count tours by their number of moves of CLASS: steep, flat, rising, falling, files, ranks, border, 2/1
    ///
    /// files and ranks are moves that cross the middle line of the files or ranks, border moves join two
    /// border squares, and 2/1 moves go two ranks and one file. Takes two sweeps for each possible number of
    /// such moves, or for a half or a quarter of them. With --index, prints a tour with the fewest and one
    /// with the most.
    #[arg(long, help_heading = heading::METHOD, value_name = "CLASS", value_parser = MoveClassParser, hide_possible_values = true, conflicts_with_all = ["heat", "pairs"])]
    histogram: Option<MoveClass>,

    /// Count tours by their number of moves from FILE, written as for --require; - is standard input
    #[arg(long, help_heading = heading::METHOD, value_name = "FILE", conflicts_with_all = ["histogram", "heat", "pairs"], hide_short_help = true)]
    moves_file: Option<PathBuf>,

    /// Count tours through each pair of consecutive moves
    ///
    /// Takes one sweep for each pair that is different under symmetry, 115 on 8x8, or two for paths. Needs no
    /// index.
    #[arg(long, help_heading = heading::METHOD, conflicts_with_all = ["heat", "index", "plan", "samples"])]
    pairs: bool,

    /// Count the tours without each move instead of building an index
    ///
    /// Takes one sweep for each move that is different under symmetry, 25 on 8x8, and the memory of one
    /// sweep.
    #[arg(long, help_heading = heading::METHOD, hide_short_help = true, conflicts_with_all = ["index", "plan", "samples", "histogram", "moves_file", "pairs"])]
    without_index: bool,

    /// Measure N random tours: crossings, turns, runs
    ///
    /// Exact statistics exist only for sums over moves; these are means with standard errors. --start or
    /// --end selects the end where paths begin; without them, distances are means over both directions.
    #[arg(long, help_heading = heading::METHOD, value_name = "N", conflicts_with_all = ["histogram", "moves_file", "heat"], value_parser = number::<u64>(2..))]
    samples: Option<u64>,

    /// Measure distances from the centre after these numbers of moves, such as 0,10,20. Default: every
    /// quarter of the tour
    #[arg(long, help_heading = heading::METHOD, value_name = "MOVES", value_parser = number::<usize>(0..), requires = "samples", value_delimiter = ',', hide_short_help = true)]
    at: Option<Vec<usize>>,

    #[command(flatten)]
    seed: SeedArgs,

    /// Draw a heat map: .svg, .png, or - for the terminal
    #[arg(long, help_heading = heading::PICTURE, value_name = "FILE")]
    heat: Option<PathBuf>,

    #[command(flatten)]
    color: ColourArgs,

    #[command(flatten)]
    files: OutputFileArgs,

    #[command(flatten)]
    index: IndexArgs,
}

impl StatsArgs {
    /// Computes the statistics that the options select, and reports them.
    pub fn run(&self) -> Result<(), CliError> {
        let ending = self.heat.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str());
        let is_shown = self.heat.as_deref() == Some(Path::new("-"));
        if self.color.is_given() && !is_shown {
            return Err(CliError::usage(
                "--color is for heat maps on a terminal; add --heat -, or omit --color",
            ));
        }
        if let (Some(heat), false) = (&self.heat, is_shown || matches!(ending, Some("svg" | "png"))) {
            return Err(CliError::usage(format!(
                "--heat {}: heat maps are .svg, .png, or - for the terminal; change the ending",
                heat.display()
            )));
        }
        let board = self.board.to_board()?;
        let kind = self.kind.kind().unwrap_or(Kind::Paths);
        let numbered = self.ends.to_tours(board, kind)?;
        if kind == Kind::Closed && numbered.start().is_some() {
            return Err(CliError::usage(
                "--start: every closed tour visits every square; omit it, or use \
                --kind paths",
            ));
        }
        if let Some(class) = self.move_class(numbered.board())? {
            if self.index.plan.is_some() && self.index.index.is_none() {
                return Err(CliError::usage(
                    "--plan: a histogram without --index uses no plan; omit it, or add --index DIR",
                ));
            }
            return self.histogram(&numbered, &class);
        }
        if let Some(samples) = self.samples {
            return self.report_samples(&numbered, samples);
        }
        if self.pairs {
            return self.pairs(&numbered);
        }
        if let (Some(heat), None, None) =
            (&self.heat, numbered.board().unrestricted().leaper_board(), numbered.board().layout())
        {
            return Err(CliError::usage(format!(
                "--heat {}: {} has no drawing coordinates; use --csv",
                heat.display(),
                numbered.board().title()
            )));
        }
        let files = self.files.open()?;
        let is_quiet = files.has_stdout();
        if is_quiet && is_shown {
            return Err(CliError::usage(
                "--heat - and --csv - or --json - both write to standard output; give one of them a file",
            ));
        }
        let heat = self.heat.as_deref().filter(|_| !is_shown).map(Output::create).transpose()?;
        let (statistics, order) = self.compute_statistics(&numbered)?;
        print_reason_for_zero(&numbered, &statistics.total);
        let drawn = heat.map_or(Ok(()), |out| {
            let letters = if ending == Some("png") { TextRendering::Strokes } else { TextRendering::SvgText };
            let svg = heat_map_svg(&statistics, letters)
                .map_err(|error| CliError::failed(format!("--heat: {error}")))?;
            let bytes = match ending {
                Some("png") => {
                    render_png(&svg).map_err(|error| CliError::failed(format!("--heat: {error}")))?
                }
                _ => svg.into_bytes(),
            };
            write_and_finish(out, &bytes)
        });
        let order = order.as_deref();
        let written = files.write(|| statistics_rows(&statistics), || statistics_json(&statistics, order));
        let printed = match (is_quiet, is_shown) {
            (true, _) => Ok(()),
            (_, true) => {
                let colour = self.color.has_colours(io::stdout().is_terminal());
                terminal_heat_map(&statistics, colour).and_then(print_to_stdout)
            }
            _ => print_to_stdout(statistics_table(&statistics, order, terminal_columns())),
        };
        combine_results([drawn, written, printed])
    }

    /// Returns the statistics, and the plan of the index from which they were computed, if an index
    /// was used.
    fn compute_statistics(&self, numbered: &TourSpec) -> Result<(Statistics, Option<String>), CliError> {
        let name = self.index.job(numbered).title();
        if self.without_index {
            let progress = self.index.progress(name.clone());
            let signals = Signals::catch(progress.control().cancel_flag())?;
            let needs = Statistics::counting_requirements(numbered, progress.control());
            self.admit_sweeps(&format!("statistics of {name}"), numbered, needs, &signals)?;
            let statistics = Statistics::by_counting(numbered, self.index.memory, progress.control());
            return Ok((statistics.map_err(|error| self.count_error(error, &signals))?, None));
        }
        let progress = self.index.progress(format!("{name}, index"));
        let (index, _) = self.index.open_with(numbered, progress.control(), true)?;
        drop(progress);
        let progress = self.index.progress(format!("{name}, moves"));
        let signals = Signals::catch(progress.control().cancel_flag())?;
        let found = Statistics::from_index(&index, self.index.memory_budget(), progress.control())
            .map_err(|error| self.index.stop_or_error(error, &signals))?;
        Ok((found, Some(index.numbering().to_owned())))
    }

    /// Checks that statistics by sweeps fit into memory and take at most a year. Prints their time and memory if
    /// they take long. `name` is their title.
    fn admit_sweeps(
        &self,
        name: &str,
        numbered: &TourSpec,
        needs: Result<Requirements, IndexError>,
        signals: &Signals,
    ) -> Result<(), CliError> {
        let job = self.index.job(numbered);
        let needs = match needs.and_then(|needs| job.admit_sweeps(needs)) {
            Err(IndexError::Layers(frontier::IndexLayersError::Refused(refusal))) => {
                return Err(index_refusal(&job, &refusal));
            }
            needs => needs.map_err(|error| self.count_error(error, signals))?,
        };
        if let Some(seconds) = needs.seconds.filter(|&seconds| seconds >= NOTICE_SECONDS) {
            print_notice(format_args!(
                "{name}: about {} on {}, {} of memory",
                format_seconds(seconds),
                all_threads(),
                format_bytes(needs.memory)
            ));
        }
        Ok(())
    }

    /// Returns a tour with the fewest moves of a class and one with the most, if the index is in a
    /// folder. They confirm the smallest and the greatest number in the histogram.
    fn find_examples(
        &self,
        numbered: &TourSpec,
        class: &BTreeSet<(u32, u32)>,
        histogram: &Histogram,
    ) -> Result<Vec<HistogramExample>, CliError> {
        let mut examples = Vec::new();
        if self.index.index.is_none() || histogram.tours.is_empty() {
            return Ok(examples);
        }
        let progress = self.index.progress(format!("{}, examples", self.index.job(numbered).title()));
        let (index, signals) = self.index.open(numbered, progress.control())?;
        let ends =
            [("fewest", false, histogram.tours.keys().next()), ("most", true, histogram.tours.keys().last())];
        for (name, most, end) in ends {
            let example = index.extreme_tour(class, most, progress.control());
            match example.map_err(|error| self.index.stop_or_error(error, &signals))? {
                Some((_, moves)) if end != Some(&moves) => {
                    return Err(CliError::failed(format!(
                        "the histogram ends at {}, but a tour has {moves} moves; please report this",
                        end.map_or_else(String::new, ToString::to_string)
                    )));
                }
                Some((tour, moves)) => examples.push((name, moves, tour)),
                None => {
                    print_notice(
                        "no examples: the index uses a reflection that does not preserve the class of moves",
                    );
                    break;
                }
            }
        }
        Ok(examples)
    }

    /// Converts the error of sweeps that use no index. If a signal stopped them, ends the process.
    fn count_error(&self, error: IndexError, signals: &Signals) -> CliError {
        match error {
            IndexError::Stopped(_) => signals.stop("stopped before the end; completed sweeps are not saved"),
            IndexError::Layers(frontier::IndexLayersError::Sweep(error @ frontier::Error::Memory { .. })) => {
                CliError::failed(format!("{error}; raise --memory, or use a smaller BOARD or graph"))
            }
            error => self.index.error_for(error),
        }
    }

    fn pairs(&self, numbered: &TourSpec) -> Result<(), CliError> {
        let files = self.files.open()?;
        let name = self.index.job(numbered).title();
        let progress = self.index.progress(format!("{name}, pairs"));
        let signals = Signals::catch(progress.control().cancel_flag())?;
        let needs = MovePairs::requirements(numbered, progress.control());
        self.admit_sweeps(&format!("pairs of {name}"), numbered, needs, &signals)?;
        let pairs = MovePairs::compute(numbered, self.index.memory, progress.control())
            .map_err(|error| self.count_error(error, &signals))?;
        drop(progress);
        print_reason_for_zero(numbered, &pairs.total);
        files.report(|| pairs_rows(&pairs), || pairs_json(&pairs), || pairs_table(&pairs, terminal_columns()))
    }

    /// Returns the moves whose use the histogram counts, if a histogram is requested.
    fn move_class(&self, board: &Board) -> Result<Option<BTreeSet<(u32, u32)>>, CliError> {
        if let Some(class) = &self.histogram {
            let moves = class.moves(board);
            return moves.map(Some).map_err(|error| {
                CliError::usage(format!(
                    "--histogram: {error}; list the moves in a file, and name it by --moves-file FILE"
                ))
            });
        }
        let Some(path) = &self.moves_file else { return Ok(None) };
        let moves = read_move_file(board, "--moves-file", path)?.into_iter();
        // No tour uses a forbidden move.
        let moves = moves.filter(|&(v, w)| board.is_move(v, w)).map(|(v, w)| (v.min(w), v.max(w)));
        Ok(Some(moves.collect()))
    }

    /// Returns the numbers of moves after which the distance from the centre is measured.
    fn measured_moves(&self, numbered: &TourSpec) -> Result<Vec<usize>, CliError> {
        let Some(after) = &self.at else { return Ok(quarter_moves(numbered)) };
        if numbered.kind() == Kind::Closed {
            return Err(CliError::usage(
                "--at: a closed tour has no start; omit it, or use --kind paths or open",
            ));
        }
        let moves = numbered.board().len().saturating_sub(1);
        match after.iter().find(|&&moves_of| moves_of > moves) {
            Some(more) => {
                Err(CliError::usage(format!("--at {more}: a tour has {moves} moves; write 0 to {moves}")))
            }
            None => {
                // A repeated number is measured once.
                let mut known = BTreeSet::new();
                Ok(after.iter().copied().filter(|&moves| known.insert(moves)).collect())
            }
        }
    }

    fn report_samples(&self, numbered: &TourSpec, samples: u64) -> Result<(), CliError> {
        check_measurable(numbered.board()).map_err(|error| CliError::usage(format!("--samples: {error}")))?;
        let after = self.measured_moves(numbered)?;
        let files = self.files.open()?;
        let progress = self.index.progress(self.index.job(numbered).title());
        let (index, signals) = self.index.open(numbered, progress.control())?;
        let seed = self.seed.seed();
        let measures = index.sample_measures(samples, &after, seed, progress.control());
        let found = measures.map_err(|error| self.index.stop_or_error(error, &signals))?;
        drop(progress);
        let sampled = SampleInfo { numbered, total: index.total(), order: index.numbering(), samples, seed };
        files.report(
            || measures_rows(sampled, &found),
            || measures_json(sampled, &found),
            || measures_table(sampled, &found),
        )?;
        self.seed.print_fresh(seed, samples);
        Ok(())
    }

    fn histogram(&self, numbered: &TourSpec, class: &BTreeSet<(u32, u32)>) -> Result<(), CliError> {
        let files = self.files.open()?;
        let name = self.index.job(numbered).title();
        let progress = self.index.progress(name.clone());
        let signals = Signals::catch(progress.control().cancel_flag())?;
        if numbered.kind() != Kind::Open {
            let needs = Histogram::requirements(numbered, progress.control());
            self.admit_sweeps(&format!("histogram of {name}"), numbered, needs, &signals)?;
        }
        let began = Instant::now();
        let histogram =
            Histogram::compute(numbered, class, self.index.memory, progress.control(), &mut |done, all| {
                // One or two sweeps end soon; many sweeps need a progress line.
                if done > 0 && began.elapsed().as_secs() >= 10 {
                    print_notice(format_args!(
                        "sweep {done} of {all}, {:.0} s",
                        began.elapsed().as_secs_f64()
                    ));
                }
            });
        let found = histogram.map_err(|error| match error {
            IndexError::OpenTours => {
                let option = if self.histogram.is_some() { "--histogram" } else { "--moves-file" };
                CliError::usage(format!("{option} does not support open tours; use --kind closed or paths"))
            }
            error => self.count_error(error, &signals),
        })?;
        drop(progress);
        print_reason_for_zero(numbered, &found.total);
        let examples = self.find_examples(numbered, class, &found)?;
        let file = || self.moves_file.as_ref().map(|path| format!("moves of {}", path.display()));
        let class = self.histogram.as_ref().map(MoveClass::name).or_else(file).unwrap_or_default();
        files.report(
            || histogram_rows(&found, &class),
            || histogram_json(&found, &class, &examples),
            || histogram_table(&found, &class, &examples, terminal_columns()),
        )
    }
}

/// Returns the heat map as text for this terminal, in colour if `colour` is true.
fn terminal_heat_map(statistics: &Statistics, colour: bool) -> Result<String, CliError> {
    let width = terminal_columns().unwrap_or(TerminalStyle::default().width);
    let picture = heat_map_picture(statistics, width, colour).map_err(|error| {
        CliError::failed(format!("--heat -: {error}; write to a file that ends in .svg or .png"))
    })?;
    Ok(picture.to_text(colour))
}
