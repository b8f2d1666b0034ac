//! The input of commands that read tours (`check`, `draw`, `rank`): the file, and options for what the file
//! does not state.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;

use super::arena::{BoardArg, GroundArgs};
use super::common::KindArg;
use super::failure::Failure;
use ktour::board::{Arena, Piece, Surface};
use ktour::tour::{Kind, ReadError, ReadOptions, TourReader};

/// The file of tours, and options that describe them.
#[derive(Debug, Args)]
pub struct Source {
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
    board: Option<BoardArg>,
    #[command(flatten)]
    ground: GroundArgs,
    /// Accept tours of different boards
    #[arg(long, conflicts_with = "board")]
    mixed: bool,
}

impl Source {
    /// Returns the file's name for messages.
    pub fn name(&self) -> String {
        if self.is_piped() { "standard input".to_owned() } else { self.file.display().to_string() }
    }

    /// Returns true if the tours come from standard input, where another program may still be writing them.
    pub fn is_piped(&self) -> bool {
        self.file == Path::new("-")
    }

    /// Returns true if tours may be of different boards.
    pub const fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// Returns the files that are read, with their options. Outputs must not overwrite them.
    #[must_use]
    pub fn inputs(&self) -> [(&'static str, Option<&Path>); 3] {
        let [shape, graph] = self.ground.inputs();
        [("FILE", Some(self.file.as_path())), shape, graph]
    }

    /// Opens the input and returns a reader of its tours.
    ///
    /// # Errors
    /// The file cannot be opened, or the options do not determine a board.
    pub fn tours(&self) -> Result<TourReader<Box<dyn BufRead>>, Failure> {
        let mut options = ReadOptions {
            kind: if self.closed { Some(Kind::Closed) } else { self.kind.map(Kind::from) },
            mixed: self.mixed,
            ..ReadOptions::default()
        };
        let ground = &self.ground;
        let other = ground.wrap.is_some() || ground.shape.is_some() || ground.graph.is_some();
        let piece = ground.is_said().then(|| ground.piece());
        let compound = piece.as_ref().is_some_and(|piece| piece.leaper().is_none());
        match &self.board {
            Some(BoardArg::Solid(_)) => options.arena = Some(ground.on(self.board.as_ref())?),
            _ if ground.shape.is_some() || ground.graph.is_some() => options.arena = Some(ground.on(None)?),
            None if other || compound => {
                let mut input = self.open()?;
                self.check_header(&mut input)?;
                return Ok(TourReader::new(input, options));
            }
            Some(_) if other || compound => options.arena = Some(ground.on(self.board.as_ref())?),
            Some(BoardArg::Flat(board)) => {
                options.leaper = piece.and_then(|piece| piece.leaper());
                options.board = Some(ground.without_removed(board.clone())?);
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
    fn check_header(&self, input: &mut Box<dyn BufRead>) -> Result<(), Failure> {
        let ground = &self.ground;
        let piece = |piece: &Piece| piece.name().map_or_else(|| piece.to_string(), str::to_owned);
        let begin = input.fill_buf().unwrap_or_default();
        let line = begin.split(|&b| b == b'\n').next().and_then(|line| std::str::from_utf8(line).ok());
        let words = line.and_then(|line| line.trim().strip_prefix("# ktour ")).map(str::split_whitespace);
        let text =
            words.map(|words| words.filter(|word| !word.starts_with("kind=")).collect::<Vec<_>>().join(" "));
        let Some(arena) = text.and_then(|text| text.parse::<Arena>().ok()) else {
            let option = match ground.wrap {
                Some(wrap) => format!("--wrap {}", wrap.name()),
                None => format!("--piece {}, a combination of leapers,", piece(&ground.piece())),
            };
            return Err(Failure::usage(format!("{option} requires a board; add --board BOARD")));
        };
        let own = (arena.piece(), arena.surface().map(Surface::wrap).unwrap_or_default());
        let contradicts = |what: &str, said: String, asked: String| {
            Err(Failure::failed(format!(
                "{}, line 1: the file has {what} {said}, the options have {asked}; leave out the option, or use the one of \
                 the file",
                self.name()
            )))
        };
        if ground.is_said() && own.0.as_ref() != Some(&ground.piece()) {
            let said = own.0.as_ref().map_or_else(|| "none (a graph)".to_owned(), piece);
            return contradicts("piece", said, piece(&ground.piece()));
        }
        match ground.wrap {
            Some(wrap) if wrap != own.1 => {
                contradicts("wrap", own.1.name().to_owned(), wrap.name().to_owned())
            }
            _ => Ok(()),
        }
    }

    fn open(&self) -> Result<Box<dyn BufRead>, Failure> {
        if self.is_piped() {
            return Ok(Box::new(BufReader::with_capacity(1 << 16, io::stdin())));
        }
        let failed =
            |why: &dyn std::fmt::Display| Failure::failed(format!("cannot read {}: {why}", self.name()));
        let file = File::open(&self.file).map_err(|error| failed(&error))?;
        if file.metadata().is_ok_and(|data| data.is_dir()) {
            return Err(failed(&"it is a folder; name a file"));
        }
        Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
    }

    /// Converts a read error into a failure that names the file.
    pub fn fault(&self, error: &ReadError) -> Failure {
        Failure::failed(format!("{}, {error}", self.name()))
    }

    /// Returns the failure of an input without tours.
    pub fn empty(&self) -> Failure {
        Failure::failed(format!("{}: there are no tours in the input; give a file of tours", self.name()))
    }
}
