//! Groups of arguments about tours: which tours to use, the file from which they are read, and the
//! file to which they are written.
//!
//! `check`, `draw` and `rank` read tours: their arguments give the file, and options for what the
//! file does not state. `list`, `find`, `sample` and `unrank` write tours.

use std::fs::File;
use std::io;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use ktour::batch::Shard;
use ktour::board::{Board, BoardSides, Piece, Vertex};
use ktour::count::job_spec::{Choice, JobSpec};
use ktour::text_format::describe_io_error;
use ktour::tour::{
    CoordinateOrder, Kind, ReadError, ReadOptions, ReadSetting, Tour, TourFormat, TourKind, TourReader,
    TourSpec, TourWriter,
};

use super::board::{BoardOptions, DRAWING_OPTIONS};
use super::restrictions::RestrictionArgs;
use super::{heading, number, with_explanation};
use crate::cli::error::CliError;
use crate::report::{ProgressMode, print_notice};

/// The kind of tours.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = heading::TOURS)]
#[group(id = "kinds", multiple = false)]
pub struct KindArgs {
    /// Choose the kind of tours
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<Kind>,

    /// Same as --kind closed
    #[arg(long, hide_short_help = true)]
    closed: bool,

    /// Same as --kind open
    #[arg(long, hide_short_help = true)]
    open: bool,

    /// Same as --kind paths
    #[arg(long, hide_short_help = true)]
    paths: bool,
}

/// Adds the default of a command to the long help of its option `--kind`, if it has one.
pub fn with_default_kind(command: Command) -> Command {
    let default = match command.get_name() {
        "count" | "series" => "Default: all three kinds.",
        "check" | "draw" | "rank" => {
            "Default: the kind that the file states; otherwise a tour is closed if its ends are a move apart."
        }
        "verify" => {
            "Default: all kinds. A b-file needs a kind, because its numbers do not say what they count."
        }
        _ => "Default: paths.",
    };
    command.mut_args(|option| match option.get_id().as_str() {
        "kind" => with_explanation(option, default),
        _ => option,
    })
}

impl KindArgs {
    /// Returns the selected kind.
    pub fn kind(&self) -> Option<Kind> {
        match self.kind {
            _ if self.closed => Some(Kind::Closed),
            _ if self.open => Some(Kind::Open),
            _ if self.paths => Some(Kind::Paths),
            kind => kind,
        }
    }
}

/// Fixed ends of the tours, and their required and forbidden moves.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = heading::TOURS)]
pub struct EndsArgs {
    /// Use only tours that start on SQUARE
    ///
    /// Tours are then directed.
    #[arg(long, value_name = "SQUARE")]
    pub start: Option<String>,

    /// Use only tours that end on SQUARE
    ///
    /// Tours are then directed.
    #[arg(long, value_name = "SQUARE")]
    pub end: Option<String>,

    #[command(flatten)]
    pub restrictions: RestrictionArgs,
}

/// The order in which a search tries moves.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = heading::METHOD)]
pub struct MovesArgs {
    /// Try moves in this order of (down,right) steps, such as "2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1"
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true, hide_short_help = true)]
    pub moves: Option<String>,
}

/// The split of a search into units of work.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = heading::METHOD)]
pub struct SplitArgs {
    /// Split a search into units of work at depth D. Default: by the board and kind
    ///
    /// D is the number of excluded edges (multipath) or of moves (backtrack, and lists with --moves).
    #[arg(long, value_name = "D", value_parser = number::<u32>(0..), hide_short_help = true)]
    pub split_depth: Option<u32>,
}

/// The shard of a job that is processed.
#[derive(Clone, Copy, Debug, Default, Args)]
#[command(next_help_heading = heading::LONG_RUNS)]
pub struct ShardArgs {
    /// Process only shard R of M, 0 <= R < M
    #[arg(
        long,
        value_name = "R/M",
        default_value = "0/1",
        hide_default_value = true,
        hide_short_help = true
    )]
    pub shard: Shard,
}

impl EndsArgs {
    /// Returns the vertices that `--start` and `--end` name, as far as the options are given.
    ///
    /// # Errors
    /// The board has no vertex of such a name.
    pub fn resolve(&self, board: &Board) -> Result<(Option<Vertex>, Option<Vertex>), CliError> {
        let resolve = |name: &Option<String>| name.as_ref().map(|name| board.vertex(name)).transpose();
        resolve(&self.start).and_then(|start| Ok((start, resolve(&self.end)?))).map_err(|error| {
            CliError::usage(match board.piece() {
                Some(_) => format!("{error}; give --start and --end squares of BOARD that are not removed"),
                None => format!("{error}; give --start and --end names of its vertices"),
            })
        })
    }

    /// Returns the tours of a kind on a board that these ends leave.
    pub fn to_tours(&self, board: Board, kind: Kind) -> Result<TourSpec, CliError> {
        let board = self.restrictions.restrict(board)?;
        let (start, end) = self.resolve(&board)?;
        Ok(TourSpec::new(board, kind, start, end)?)
    }

    /// Adds the choices that these options make.
    pub fn add_choices(&self, job: JobSpec) -> JobSpec {
        job.with(Choice::Start, self.start.is_some())
            .with(Choice::End, self.end.is_some())
            .with(Choice::Required, !self.restrictions.require.is_empty())
            .with(Choice::Forbidden, !self.restrictions.forbid.is_empty())
    }

    /// Returns true if an end is fixed.
    pub const fn is_any_fixed(&self) -> bool {
        self.start.is_some() || self.end.is_some()
    }
}

/// The progress display.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = heading::OUTPUT)]
pub struct ProgressArgs {
    /// Choose how progress is shown on standard error
    #[arg(long, value_enum, value_name = "HOW", default_value = "auto", hide_short_help = true)]
    progress: ProgressMode,
}

impl ProgressArgs {
    pub const fn mode(&self) -> ProgressMode {
        self.progress
    }
}

/// The file of tours, and options that describe them.
#[derive(Debug, Args)]
pub struct TourInput {
    /// Tours in any format. Default: -, standard input
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Set the board. Default: the board in the file
    ///
    /// If the file states no board, the first tour determines it.
    #[arg(long, value_name = "BOARD", help_heading = heading::BOARD, conflicts_with_all = DRAWING_OPTIONS)]
    board: Option<BoardSides>,
    #[command(flatten)]
    board_options: BoardOptions,
    /// Read pairs of numbers as row,column or as x,y
    ///
    /// Rows are counted from the top, y from the bottom, both from 0 or 1. Default: the meaning that gives a
    /// tour.
    #[arg(long, value_enum, value_name = "ORDER", hide_short_help = true)]
    coordinates: Option<CoordinateOrder>,
    #[command(flatten)]
    kind: KindArgs,
}

/// `--mixed`, of commands whose tours may be of several boards.
#[derive(Debug, Args)]
pub struct MixedArgs {
    /// Accept tours of different boards
    #[arg(long, help_heading = heading::BOARD, conflicts_with = "board")]
    pub mixed: bool,
}

impl TourInput {
    /// Returns the name of the input for messages: its path, or `standard input`.
    pub fn name(&self) -> String {
        if self.is_stdin() { "standard input".to_owned() } else { self.path().display().to_string() }
    }

    /// Returns the file, by default `-`.
    fn path(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new("-"))
    }

    /// Returns true if the tours come from standard input, where another program may still be writing them.
    pub fn is_stdin(&self) -> bool {
        self.path() == Path::new("-")
    }

    /// Opens the input and returns a reader of its tours, which may be of different boards if `is_mixed`.
    ///
    /// # Errors
    /// The file cannot be opened, or the options do not determine a board.
    pub fn open_reader(&self, is_mixed: bool) -> Result<TourReader<Box<dyn BufRead>>, CliError> {
        let mut options = ReadOptions {
            kind: self.kind.kind(),
            is_mixed,
            coordinate_order: self.coordinates,
            ..ReadOptions::default()
        };
        let board_options = &self.board_options;
        let other = board_options.square_options.wrap.is_some()
            || board_options.shape.is_some()
            || board_options.graph.is_some();
        let piece = board_options.has_piece().then(|| board_options.piece());
        let compound = piece.as_ref().is_some_and(|piece| piece.leaper().is_none());
        match &self.board {
            Some(BoardSides::Box(_)) => options.board = Some(board_options.to_board(self.board.as_ref())?),
            _ if board_options.shape.is_some() || board_options.graph.is_some() => {
                options.board = Some(board_options.to_board(None)?)
            }
            None if other || compound => {
                let mut input = self.open()?;
                self.check_header(&mut input)?;
                return Ok(TourReader::new(input, options));
            }
            Some(_) if other || compound => {
                options.board = Some(board_options.to_board(self.board.as_ref())?)
            }
            Some(BoardSides::Rectangle(board)) => {
                options.leaper = piece.and_then(|piece| piece.leaper());
                options.rectangle = Some(board_options.remove_squares(board.clone())?);
            }
            None => {
                options.leaper = piece.and_then(|piece| piece.leaper());
                options.removed = board_options.removed_squares()?;
            }
        }
        Ok(TourReader::new(self.open()?, options))
    }

    /// Returns an error unless the input begins with a header line that agrees with the options.
    /// Called for the options of a wrapped board or a compound piece without `--board`.
    fn check_header(&self, input: &mut Box<dyn BufRead>) -> Result<(), CliError> {
        let board_options = &self.board_options;
        let piece = |piece: &Piece| piece.name().map_or_else(|| piece.to_string(), str::to_owned);
        let begin = input.fill_buf().unwrap_or_default();
        let line = begin.split(|&b| b == b'\n').next().and_then(|line| std::str::from_utf8(line).ok());
        let words = line.and_then(|line| line.trim().strip_prefix("# ktour ")).map(str::split_whitespace);
        let text =
            words.map(|words| words.filter(|word| !word.starts_with("kind=")).collect::<Vec<_>>().join(" "));
        let Some(board) = text.and_then(|text| text.parse::<Board>().ok()) else {
            let option = match board_options.square_options.wrap {
                Some(wrap) => format!("--wrap {}", wrap.name()),
                None => format!("--piece {}, a combination of leapers,", piece(&board_options.piece())),
            };
            return Err(CliError::usage(format!("{option} requires a board; add --board BOARD")));
        };
        let file_options = (board.piece(), board.wrap());
        let contradicts = |what: &str, file_value: String, option_value: String| {
            Err(CliError::failed(format!(
                "{}, line 1: the file has {what} {file_value}, the options have {option_value}; omit the option, or use the one of \
                 the file",
                self.name()
            )))
        };
        if board_options.has_piece() && file_options.0.as_ref() != Some(&board_options.piece()) {
            let stated_piece = file_options.0.as_ref().map_or_else(|| "none (a graph)".to_owned(), piece);
            return contradicts("piece", stated_piece, piece(&board_options.piece()));
        }
        match board_options.square_options.wrap {
            Some(wrap) if wrap != file_options.1 => {
                contradicts("wrap", file_options.1.name().to_owned(), wrap.name().to_owned())
            }
            _ => Ok(()),
        }
    }

    fn open(&self) -> Result<Box<dyn BufRead>, CliError> {
        if self.file.is_none() && io::stdin().is_terminal() {
            return Err(CliError::usage(
                "FILE is missing; name a file, or pipe tours in, such as those of ktour find 8x8",
            ));
        }
        if self.is_stdin() {
            return Ok(Box::new(BufReader::with_capacity(1 << 16, io::stdin())));
        }
        let failed = |why: &str| CliError::failed(format!("cannot read {}: {why}", self.name()));
        let file =
            File::open(self.path()).map_err(|error| match (error.kind(), describe_io_error(&error)) {
                (io::ErrorKind::NotFound, why) => failed(&format!("{why}; {}", self.missing_file_remedy())),
                (_, why) => failed(&why),
            })?;
        if file.metadata().is_ok_and(|data| data.is_dir()) {
            return Err(failed("it is a folder; name a file"));
        }
        Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
    }

    /// Returns the remedy for a file that does not exist. Its name may be a board, or the squares of a tour.
    fn missing_file_remedy(&self) -> String {
        let name = self.name();
        if name.parse::<BoardSides>().is_ok() {
            format!("FILE has tours, and a tour of this board comes from: ktour find {name}")
        } else if name.contains(' ') {
            "FILE is the name of a file; pipe the text of a tour in instead".to_owned()
        } else {
            "name an existing file, or - for standard input".to_owned()
        }
    }

    /// Prints what a reader of the result must know: skipped text, and the meaning of coordinates.
    pub fn print_notes(&self, notes: &[String]) {
        for note in notes {
            print_notice(format_args!("note: {}, {note}", self.name()));
        }
    }

    /// Converts a read error into a failure that names the file, and the option that might help. `has_mixed`
    /// says whether the command takes tours of several boards.
    pub fn read_error(&self, error: &ReadError, has_mixed: bool) -> CliError {
        let remedy = error.kind.setting().map_or("", |setting| match setting {
            ReadSetting::CoordinateOrder => "; choose one with --coordinates row,column or --coordinates x,y",
            ReadSetting::Board => ", or give --board",
            ReadSetting::Box => "; give the box, for example --board 3x4x4 for 3 layers of 4x4",
            ReadSetting::RemovedSquares => ", or name removed ones with --remove or in a header",
            ReadSetting::BoardWithHoles => ", or give --board and --remove if no empty cell is a square",
            ReadSetting::SeveralBoards if has_mixed => "; add --mixed to allow several boards",
            ReadSetting::SeveralBoards => "; give the tours of each board separately",
            ReadSetting::BoardOrSeveral if has_mixed => {
                "; correct --board, or add --mixed for several boards"
            }
            ReadSetting::BoardOrSeveral => "; correct --board",
        });
        CliError::failed(format!("{}, {error}{remedy}", self.name()))
    }

    /// Returns the failure of an input without tours.
    pub fn no_tours_error(&self) -> CliError {
        CliError::failed(format!("{}: there are no tours in the input; give a file of tours", self.name()))
    }
}

/// Endings of picture files. Commands that list tours do not write pictures.
const PICTURE_EXTENSIONS: [&str; 2] = ["svg", "png"];

/// Options for the format and the file of tours.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::OUTPUT)]
pub struct TourOutputArgs {
    /// Choose the format. Default: by --output, or squares
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<TourFormat>,

    /// Write only the tours, without header line or field
    #[arg(long, hide_short_help = true)]
    bare: bool,

    /// Number the first square of grids 0 or 1. Default: 1
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = number::<u64>(0..=1))]
    number_from: Option<u64>,

    /// Write to FILE instead of standard output
    ///
    /// If the command is stopped before its end, as by Ctrl-C, the unfinished FILE is removed.
    #[arg(long, short, value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub output: PathBuf,
}

impl TourOutputArgs {
    /// Returns true if tours are written to standard output.
    pub fn is_stdout(&self) -> bool {
        self.output.as_os_str() == "-"
    }

    /// Returns a writer for tours of a board.
    ///
    /// # Errors
    /// The output is a picture file, or the format does not support the board.
    pub fn writer(&self, board: &Board) -> Result<TourWriter, CliError> {
        let ending = self.output.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        if PICTURE_EXTENSIONS.iter().any(|picture| ending.eq_ignore_ascii_case(picture)) {
            return Err(CliError::usage(format!(
                "--output {file}: this command writes tours as text; pipe them to ktour draw - --output \
                {file}",
                file = self.output.display()
            )));
        }
        if self.format.is_none() && ending.eq_ignore_ascii_case("json") {
            let file = self.output.display();
            return Err(CliError::usage(format!(
                "--output {file}: tours are written as JSON lines; name the file with .ndjson, or add --format ndjson"
            )));
        }
        let format = self.format.unwrap_or_else(|| format_by_extension(ending));
        if self.number_from.is_some() && format != TourFormat::Grid {
            return Err(CliError::usage(
                "--number-from is for grids; add --format grid, or omit --number-from",
            ));
        }
        tour_writer(board, format, self.number_from.unwrap_or(1), self.bare)
    }

    /// Returns an error if a format is chosen although standard output has the CSV or the JSON of the results, so
    /// that no tours are written.
    pub fn check_printed(&self, is_printed: bool) -> Result<(), CliError> {
        if is_printed || self.format.is_none() {
            return Ok(());
        }
        Err(CliError::usage(
            "--format has no effect, because --csv - or --json - takes standard output; omit one of them, or give \
             a file",
        ))
    }
}

/// Returns an error if the output file of a command that writes text has the ending of CSV or JSON.
pub fn check_text_ending(output: &Path) -> Result<(), CliError> {
    let ending = output.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    let option = match ending.to_ascii_lowercase().as_str() {
        "csv" => "--csv",
        "json" => "--json",
        _ => return Ok(()),
    };
    let file = output.display();
    Err(CliError::usage(format!("--output {file}: --output writes text; write {option} {file}")))
}

/// Returns the format of tours that the ending of a file name selects.
fn format_by_extension(ending: &str) -> TourFormat {
    match ending.to_ascii_lowercase().as_str() {
        "csv" => TourFormat::Csv,
        "ndjson" | "jsonl" => TourFormat::Ndjson,
        _ => TourFormat::Squares,
    }
}

/// Returns a writer for tours of a board in the given format. Grids are numbered from
/// `number_from`. `bare` omits the header.
pub fn tour_writer(
    board: &Board,
    format: TourFormat,
    number_from: u64,
    bare: bool,
) -> Result<TourWriter, CliError> {
    let writer = TourWriter::new(board, format, number_from).map_err(CliError::failed)?;
    Ok(if bare { writer.without_header() } else { writer })
}

/// The board and the kind that the last written header names. For lists of tours of different
/// boards or kinds.
#[derive(Default)]
pub struct LastHeader(Option<(Board, Kind)>);

impl LastHeader {
    /// Returns true if no header has been written.
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the header for a tour, or an empty string if the last written header names the same
    /// board and kind.
    pub fn header(&mut self, tour: &Tour, format: TourFormat) -> Result<String, CliError> {
        let kind = if tour.kind() == TourKind::Closed { Kind::Closed } else { Kind::Paths };
        if self.0.as_ref().is_some_and(|(board, of)| board == tour.board() && *of == kind) {
            return Ok(String::new());
        }
        self.0 = Some((tour.board().clone(), kind));
        Ok(tour_writer(tour.board(), format, 1, false)?.header(kind))
    }
}
