//! Where tours are read from, and what is known of them: for `check` and `draw`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;

use super::common::KindArg;
use super::failure::Failure;
use ktour::board::{Board, Leaper, Square};
use ktour::tour::{Kind, ReadError, ReadOptions, TourReader};

/// What is read, and what is known of it.
#[derive(Debug, Args)]
pub struct Source {
    /// Tours in any format; `-` reads standard input
    file: PathBuf,
    /// Which tours
    ///
    /// Without it the file tells; if it does not, they are closed where the ends are a move apart.
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<KindArg>,
    /// Short for --kind closed
    #[arg(long, conflicts_with = "kind")]
    closed: bool,
    /// The board [default: the file tells]
    ///
    /// Where the file does not tell, the first tour does.
    #[arg(long, value_name = "BOARD")]
    board: Option<Board>,
    /// The piece; 1,2 is the knight
    ///
    /// Without it the file tells.
    #[arg(long, value_name = "A,B")]
    leaper: Option<Leaper>,
    /// Squares to take off the board
    ///
    /// Without it the file tells.
    #[arg(long, value_name = "SQUARES", value_delimiter = ',')]
    remove: Vec<Square>,
    /// Let each tour have its own board
    #[arg(long, conflicts_with = "board")]
    mixed: bool,
}

impl Source {
    /// The file's name, for messages.
    pub fn name(&self) -> String {
        if self.file == Path::new("-") {
            "standard input".to_owned()
        } else {
            self.file.display().to_string()
        }
    }

    /// The tours.
    pub fn tours(&self) -> Result<TourReader<Box<dyn BufRead>>, Failure> {
        let mut options = ReadOptions {
            leaper: self.leaper,
            kind: if self.closed { Some(Kind::Closed) } else { self.kind.map(Kind::from) },
            mixed: self.mixed,
            ..ReadOptions::default()
        };
        match &self.board {
            Some(board) => {
                let board = board.clone().without(self.remove.iter().copied());
                options.board = Some(board.map_err(|error| Failure::usage(format!("--remove: {error}")))?);
            }
            None => options.removed.clone_from(&self.remove),
        }
        Ok(TourReader::new(self.open()?, options))
    }

    fn open(&self) -> Result<Box<dyn BufRead>, Failure> {
        if self.file == Path::new("-") {
            return Ok(Box::new(BufReader::with_capacity(1 << 16, io::stdin())));
        }
        let failed =
            |why: &dyn std::fmt::Display| Failure::failed(format!("cannot read {}: {why}", self.name()));
        let file = File::open(&self.file).map_err(|error| failed(&error))?;
        if file.metadata().is_ok_and(|data| data.is_dir()) {
            return Err(failed(&"it is a folder"));
        }
        Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
    }

    /// A fault, with the name of the file.
    pub fn fault(&self, error: &ReadError) -> Failure {
        Failure::failed(format!("{}, {error}", self.name()))
    }

    /// The failure of a file without tours.
    pub fn empty(&self) -> Failure {
        Failure::failed(format!("{}: there are no tours in it", self.name()))
    }
}
