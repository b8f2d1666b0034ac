//! Where tours are read from, and what is known of them: for `check` and `draw`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;

use super::arena::{BoardArg, GroundArgs};
use super::common::KindArg;
use super::failure::Failure;
use ktour::board::{Arena, Piece, Surface};
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
    /// The board, or the box [default: the file tells]
    ///
    /// Where the file does not tell, the first tour does.
    #[arg(long, value_name = "BOARD", conflicts_with_all = ["shape", "graph"])]
    board: Option<BoardArg>,
    #[command(flatten)]
    ground: GroundArgs,
    /// Let each tour have its own board
    #[arg(long, conflicts_with = "board")]
    mixed: bool,
}

impl Source {
    /// The file's name, for messages.
    pub fn name(&self) -> String {
        if self.is_piped() { "standard input".to_owned() } else { self.file.display().to_string() }
    }

    /// Whether another program may be writing the tours.
    pub fn is_piped(&self) -> bool {
        self.file == Path::new("-")
    }

    /// Whether each tour may have its own board.
    pub const fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// The files that are read, by option: nothing may be written over them.
    #[must_use]
    pub fn inputs(&self) -> [(&'static str, Option<&Path>); 3] {
        let [shape, graph] = self.ground.inputs();
        [("FILE", Some(self.file.as_path())), shape, graph]
    }

    /// The tours.
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

    /// What is no plain board is told by options wholly, unless the file begins with what its tours are of: then
    /// that must agree.
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
                None => format!("--piece {}, which is several leapers,", piece(&ground.piece())),
            };
            return Err(Failure::usage(format!("{option} needs --board BOARD beside it")));
        };
        let own = (arena.piece(), arena.surface().map(Surface::wrap).unwrap_or_default());
        let contradicts = |what: &str, said: String, asked: String| {
            Err(Failure::failed(format!(
                "{}, line 1: the file says {what} {said}, the options say {asked}: leave the option out, or give what the \
                 file says",
                self.name()
            )))
        };
        if ground.is_said() && own.0.as_ref() != Some(&ground.piece()) {
            let said = own.0.as_ref().map_or_else(|| "of a graph".to_owned(), piece);
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
            return Err(failed(&"it is a folder"));
        }
        Ok(Box::new(BufReader::with_capacity(1 << 16, file)))
    }

    /// A fault, with the name of the file.
    pub fn fault(&self, error: &ReadError) -> Failure {
        Failure::failed(format!("{}, {error}", self.name()))
    }

    /// The failure of a file, or of a pipe, without tours.
    pub fn empty(&self) -> Failure {
        Failure::failed(format!("{}: there are no tours in it", self.name()))
    }
}
