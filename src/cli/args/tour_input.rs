//! The input of commands that read tours (`check`, `draw`, `rank`): the file, and options for what the file
//! does not state.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;

use super::board::{BoardOptions, BoardSides};
use super::tours::KindArg;
use crate::cli::error::CliError;
use ktour::board::{Board, Piece, WrappedBoard};
use ktour::tour::{Kind, ReadError, ReadOptions, TourReader};

/// The file of tours, and options that describe them.
#[derive(Debug, Args)]
pub struct TourInput {
    /// Tours in any format; - reads standard input
    file: PathBuf,
    /// Select which tours to count or read
    ///
    /// Default: the kind that the file states; otherwise a tour is closed if its ends are a move apart.
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindArg>,
    /// Same as --kind closed
    #[arg(long, conflicts_with = "kind")]
    closed: bool,
    /// Set the board or the box. Default: the board that the file states
    ///
    /// If the file states no board, the first tour determines it.
    #[arg(long, value_name = "BOARD", conflicts_with_all = ["shape", "graph"])]
    board: Option<BoardSides>,
    #[command(flatten)]
    board_options: BoardOptions,
    /// Accept tours of different boards
    #[arg(long, conflicts_with = "board")]
    mixed: bool,
}

impl TourInput {
    /// Returns the file's name for messages.
    pub fn name(&self) -> String {
        if self.is_stdin() { "standard input".to_owned() } else { self.file.display().to_string() }
    }

    /// Returns true if the tours come from standard input, where another program may still be writing them.
    pub fn is_stdin(&self) -> bool {
        self.file == Path::new("-")
    }

    /// Returns true if tours may be of different boards.
    pub const fn allows_mixed_boards(&self) -> bool {
        self.mixed
    }

    /// Returns the files that are read, with their options. Outputs must not overwrite them.
    #[must_use]
    pub fn input_files(&self) -> [(&'static str, Option<&Path>); 3] {
        let [shape, graph] = self.board_options.inputs();
        [("FILE", Some(self.file.as_path())), shape, graph]
    }

    /// Opens the input and returns a reader of its tours.
    ///
    /// # Errors
    /// The file cannot be opened, or the options do not determine a board.
    pub fn open_reader(&self) -> Result<TourReader<Box<dyn BufRead>>, CliError> {
        let mut options = ReadOptions {
            kind: if self.closed { Some(Kind::Closed) } else { self.kind.map(Kind::from) },
            is_mixed: self.mixed,
            ..ReadOptions::default()
        };
        let ground = &self.board_options;
        let other = ground.wrap.is_some() || ground.shape.is_some() || ground.graph.is_some();
        let piece = ground.has_piece().then(|| ground.piece());
        let compound = piece.as_ref().is_some_and(|piece| piece.leaper().is_none());
        match &self.board {
            Some(BoardSides::Box(_)) => options.board = Some(ground.to_board(self.board.as_ref())?),
            _ if ground.shape.is_some() || ground.graph.is_some() => {
                options.board = Some(ground.to_board(None)?)
            }
            None if other || compound => {
                let mut input = self.open()?;
                self.check_header(&mut input)?;
                return Ok(TourReader::new(input, options));
            }
            Some(_) if other || compound => options.board = Some(ground.to_board(self.board.as_ref())?),
            Some(BoardSides::Rectangle(board)) => {
                options.leaper = piece.and_then(|piece| piece.leaper());
                options.rectangle = Some(ground.remove_squares(board.clone())?);
            }
            None => {
                options.leaper = piece.and_then(|piece| piece.leaper());
                options.removed = ground.removed_squares()?;
            }
        }
        Ok(TourReader::new(self.open()?, options))
    }

    /// Checks the options of a wrapped board or a compound piece without `--board`: the file must begin with
    /// a header, which must agree with the options.
    fn check_header(&self, input: &mut Box<dyn BufRead>) -> Result<(), CliError> {
        let ground = &self.board_options;
        let piece = |piece: &Piece| piece.name().map_or_else(|| piece.to_string(), str::to_owned);
        let begin = input.fill_buf().unwrap_or_default();
        let line = begin.split(|&b| b == b'\n').next().and_then(|line| std::str::from_utf8(line).ok());
        let words = line.and_then(|line| line.trim().strip_prefix("# ktour ")).map(str::split_whitespace);
        let text =
            words.map(|words| words.filter(|word| !word.starts_with("kind=")).collect::<Vec<_>>().join(" "));
        let Some(board) = text.and_then(|text| text.parse::<Board>().ok()) else {
            let option = match ground.wrap {
                Some(wrap) => format!("--wrap {}", wrap.name()),
                None => format!("--piece {}, a combination of leapers,", piece(&ground.piece())),
            };
            return Err(CliError::usage(format!("{option} requires a board; add --board BOARD")));
        };
        let file_options = (board.piece(), board.wrapped_board().map(WrappedBoard::wrap).unwrap_or_default());
        let contradicts = |what: &str, file_value: String, option_value: String| {
            Err(CliError::failed(format!(
                "{}, line 1: the file has {what} {file_value}, the options have {option_value}; leave out the option, or use the one of \
                 the file",
                self.name()
            )))
        };
        if ground.has_piece() && file_options.0.as_ref() != Some(&ground.piece()) {
            let said = file_options.0.as_ref().map_or_else(|| "none (a graph)".to_owned(), piece);
            return contradicts("piece", said, piece(&ground.piece()));
        }
        match ground.wrap {
            Some(wrap) if wrap != file_options.1 => {
                contradicts("wrap", file_options.1.name().to_owned(), wrap.name().to_owned())
            }
            _ => Ok(()),
        }
    }

    fn open(&self) -> Result<Box<dyn BufRead>, CliError> {
        if self.is_stdin() {
            return Ok(Box::new(BufReader::with_capacity(1 << 16, io::stdin())));
        }
        let failed =
            |why: &dyn std::fmt::Display| CliError::failed(format!("cannot read {}: {why}", self.name()));
        let file = File::open(&self.file).map_err(|error| failed(&error))?;
        if file.metadata().is_ok_and(|data| data.is_dir()) {
            return Err(failed(&"it is a folder; name a file"));
        }
        Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
    }

    /// Converts a read error into a failure that names the file.
    pub fn read_error(&self, error: &ReadError) -> CliError {
        CliError::failed(format!("{}, {error}", self.name()))
    }

    /// Returns the failure of an input without tours.
    pub fn no_tours_error(&self) -> CliError {
        CliError::failed(format!("{}: there are no tours in the input; give a file of tours", self.name()))
    }
}
