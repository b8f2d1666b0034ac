//! Arguments that describe the board of a command: a board and a piece, or a graph from a file.
//!
//! ```text
//! BOARD | --shape FILE, --wrap, --piece or --leaper, --remove -> WrappedBoard | BoxBoard --+
//! --graph FILE -----------------------------------------------> CustomGraph ---------------+-> Board
//! ```

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use super::failure::Failure;
use super::hinted;
use ktour::board::{
    Arena, Board, BoardError, Cuboid, Leaper, Piece, Sides, Square, Surface, Wrap, cubes, drawn, graph_file,
    squares,
};

/// Largest size in bytes of a file that draws a board or lists the edges of a graph.
const MOST: u64 = 256 << 20;

/// Bytes at the start of a file that must be text before the rest is read.
const BEGINNING: u64 = 1 << 16;

/// A board as typed: two sides, or the three sides of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardArg {
    /// A rectangle: rows and columns.
    Flat(Board),
    /// A box: layers, rows and columns.
    Solid(Sides),
}

impl FromStr for BoardArg {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.matches(['x', 'X']).count() {
            2 => text.parse().map(Self::Solid),
            _ => text.parse().map(Self::Flat),
        }
    }
}

/// Parses a single board, for commands that take no range of boards.
fn one_board(text: &str) -> Result<BoardArg, String> {
    if text.contains("..") {
        return Err("a range of boards is for count, series and estimate; give a single board".to_owned());
    }
    text.parse().map_err(|error: BoardError| error.to_string())
}

/// A board and a piece, or a graph.
#[derive(Clone, Debug, Args)]
pub struct ArenaArgs {
    /// ROWSxCOLS such as 6x8, N for a square, LAYERSxROWSxCOLS for a box
    #[arg(value_name = "BOARD", value_parser = one_board, required_unless_present_any = ["shape", "graph"], conflicts_with_all = ["shape", "graph"])]
    board: Option<BoardArg>,

    #[command(flatten)]
    ground: GroundArgs,
}

/// Options that complete a board of given sides, or replace it.
#[derive(Clone, Debug, Default, Args)]
pub struct GroundArgs {
    /// Join edges: cols, rows, torus, mobius, klein, projective, none
    ///
    /// `cols` makes column 1 follow the last column (a cylinder), `rows` joins the rows in the same way, and
    /// `torus` joins both. `mobius` joins the columns upside down; `klein` also joins the rows straight,
    /// `projective` joins both with a twist.
    #[arg(long, value_name = "EDGES", value_parser = hinted::wrap(), hide_possible_values = true, hide_short_help = true)]
    pub wrap: Option<Wrap>,

    /// Choose the piece or several pieces by name: knight, king, wazir+camel, 1,2+0,1
    #[arg(long, value_name = "PIECE", value_parser = hinted::piece(), hide_possible_values = true, conflicts_with = "leaper")]
    pub piece: Option<Piece>,

    /// Choose the piece by the steps of its leap; repeat to combine leaps. Default: 1,2 (knight)
    #[arg(long, value_name = "A,B", hide_short_help = true)]
    pub leaper: Vec<Leaper>,

    /// Remove squares from the board: a1,c3-d5
    #[arg(long, value_name = "SQUARES")]
    pub remove: Vec<String>,

    /// Read the board as a drawing: a line per rank, `.` or a letter for a square, `#` or a space for none; -
    /// for standard input
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub shape: Option<PathBuf>,

    /// Read any graph: an edge (two names) per line, DIMACS, graph6 or sparse6; - for standard input
    #[arg(long, value_name = "FILE", hide_short_help = true, conflicts_with_all = ["wrap", "piece", "leaper", "remove", "shape"])]
    pub graph: Option<PathBuf>,
}

impl ArenaArgs {
    /// Returns the board. Reads the files of `--shape` and `--graph`.
    ///
    /// # Errors
    /// The arguments do not describe a board, or a file cannot be read.
    pub fn arena(&self) -> Result<Arena, Failure> {
        self.ground.on(self.board.as_ref())
    }

    /// Returns the input files, each with its option.
    #[must_use]
    pub fn inputs(&self) -> [(&'static str, Option<&Path>); 2] {
        self.ground.inputs()
    }
}

impl GroundArgs {
    /// Returns the given `board` with these options, or the board or graph that replaces it. Reads files.
    ///
    /// # Errors
    /// The arguments do not describe a board, or a file cannot be read.
    pub fn on(&self, board: Option<&BoardArg>) -> Result<Arena, Failure> {
        let arena = match (board, &self.shape, &self.graph) {
            (_, _, Some(path)) => graph(path)?,
            (Some(BoardArg::Solid(sides)), ..) => self.cuboid(*sides)?,
            (Some(BoardArg::Flat(board)), ..) => self.surface(board.clone())?,
            (None, Some(path), None) => self.surface(shape(path)?)?,
            (None, None, None) => {
                return Err(Failure::usage(
                    "no board is given; add BOARD such as 6x8, --shape FILE or --graph FILE",
                ));
            }
        };
        // A graph file may be without vertices; a board without squares is a mistake in `--remove`.
        if arena.is_empty() && self.graph.is_none() {
            return Err(Failure::usage("--remove leaves no square on the board; remove fewer squares"));
        }
        Ok(arena)
    }

    /// Returns the input files, each with its option. Commands refuse to overwrite them.
    #[must_use]
    pub fn inputs(&self) -> [(&'static str, Option<&Path>); 2] {
        [("--shape", self.shape.as_deref()), ("--graph", self.graph.as_deref())]
    }

    /// Returns the piece. Default: the knight.
    #[must_use]
    pub fn piece(&self) -> Piece {
        match (&self.piece, self.leaper.as_slice()) {
            (Some(piece), _) => piece.clone(),
            (None, []) => Piece::default(),
            (None, leapers) => Piece::new(leapers.iter().copied()),
        }
    }

    fn removed(&self) -> String {
        if self.remove.is_empty() { "-".to_owned() } else { self.remove.join(",") }
    }

    /// Returns true if `--piece` or `--leaper` is given.
    #[must_use]
    pub fn is_said(&self) -> bool {
        self.piece.is_some() || !self.leaper.is_empty()
    }

    /// Returns the squares of `--remove`.
    ///
    /// # Errors
    /// A name is not a square.
    pub fn removed_squares(&self) -> Result<Vec<Square>, Failure> {
        squares(&self.removed()).map_err(|error| Failure::usage(format!("--remove: {error}")))
    }

    /// Returns the board without the squares of `--remove`.
    ///
    /// # Errors
    /// A square is not on the board.
    pub fn without_removed(&self, board: Board) -> Result<Board, Failure> {
        let removed = self.removed_squares()?;
        board.without(removed).map_err(|error| Failure::usage(format!("--remove: {error}")))
    }

    fn surface(&self, board: Board) -> Result<Arena, Failure> {
        let board = self.without_removed(board)?;
        Ok(Surface::new(board, self.wrap.unwrap_or_default(), self.piece()).into())
    }

    fn cuboid(&self, sides: Sides) -> Result<Arena, Failure> {
        if self.wrap.is_some_and(|wrap| wrap != Wrap::None) {
            return Err(Failure::usage(format!(
                "--wrap cannot join the edges of a box such as {sides}; omit --wrap"
            )));
        }
        let refuse = |error: &dyn std::fmt::Display| Failure::usage(format!("--remove: {error}"));
        let removed = cubes(&self.removed()).map_err(|error| refuse(&error))?;
        Ok(Cuboid::new(sides, self.piece(), removed).map_err(|error| refuse(&error))?.into())
    }
}

fn shape(path: &Path) -> Result<Board, Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::failed(format!("--shape {}: {why}", path.display()));
    drawn(&text(path).map_err(|error| failed(&error))?).map_err(|error| failed(&error))
}

fn graph(path: &Path) -> Result<Arena, Failure> {
    let failed = |why: &dyn std::fmt::Display| Failure::failed(format!("--graph {}: {why}", path.display()));
    let text = text(path).map_err(|error| failed(&error))?;
    if text.trim().is_empty() {
        return Err(failed(&"the file is empty; write `?` (graph6) for the graph without vertices"));
    }
    graph_file::read(&text).map(Arena::from).map_err(|error| failed(&error))
}

/// Reads a text file of at most [`MAX_FILE_BYTES`] bytes; `-` is standard input.
fn text(path: &Path) -> io::Result<String> {
    let mut source: Box<dyn Read> =
        if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let mut bytes = Vec::new();
    source.by_ref().take(BEGINNING).read_to_end(&mut bytes)?;
    // An endless input such as `/dev/zero` is recognised by its first bytes.
    if bytes.contains(&0) {
        return Err(io::Error::other("the file is not text, as it has a zero byte"));
    }
    source.take(MOST + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other(format!("the file is longer than {} MiB", MOST >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("the file is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(board: &str) -> BoardArg {
        board.parse().unwrap()
    }

    fn normal(ground: &GroundArgs, board: &str) -> Result<String, String> {
        ground.on(Some(&plain(board))).map(|arena| arena.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn options_make_an_arena() {
        let ground = GroundArgs::default();
        assert_eq!(normal(&ground, "6x8").unwrap(), "board=6x8 piece=1,2 remove=-");
        assert_eq!(normal(&ground, "2x3x4").unwrap(), "board=2x3x4 piece=1,2 remove=-");
        let king = GroundArgs { piece: Some("king".parse().unwrap()), ..ground.clone() };
        assert_eq!(normal(&king, "3").unwrap(), "board=3x3 piece=0,1+1,1 remove=-");
        let leapers = vec!["1,3".parse().unwrap(), "1,2".parse().unwrap()];
        let torus = GroundArgs {
            wrap: Some(Wrap::Torus),
            leaper: leapers,
            remove: vec!["a1-b2".to_owned(), "d4".to_owned()],
            ..ground.clone()
        };
        let expected = "board=4x4 wrap=torus piece=1,2+1,3 remove=a1,b1,a2,b2,d4";
        assert_eq!(normal(&torus, "4x4").unwrap(), expected);
        let holes = GroundArgs { remove: vec!["a1.1-b1.2".to_owned()], ..ground.clone() };
        assert_eq!(normal(&holes, "2x2x2").unwrap(), "board=2x2x2 piece=1,2 remove=a1.1,b1.1,a1.2,b1.2");
    }

    #[test]
    fn what_makes_none_is_refused_by_its_option() {
        let removing =
            |squares: &str| GroundArgs { remove: vec![squares.to_owned()], ..GroundArgs::default() };
        let refused = |ground: &GroundArgs, board: &str, words: &[&str]| {
            let error = normal(ground, board).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        };
        refused(&removing("c1"), "2x2", &["--remove", "c1", "2x2"]);
        refused(&removing("a1"), "2x2x2", &["--remove", "`a1`"]);
        refused(&removing("a1-b2"), "2x2", &["--remove"]);
        let wrapped = GroundArgs { wrap: Some(Wrap::Cols), ..GroundArgs::default() };
        refused(&wrapped, "2x2x2", &["--wrap", "2x2x2"]);
        let error = GroundArgs::default().on(None).unwrap_err();
        assert_eq!(error.status(), 2);
        assert!(
            ["BOARD", "--shape", "--graph"].iter().all(|word| error.to_string().contains(word)),
            "{error}"
        );
    }

    #[test]
    fn files_draw_boards_and_list_edges() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            Some(path)
        };
        let ground = GroundArgs { shape: file("cross", "#.#\n...\n#.#\n"), ..GroundArgs::default() };
        assert_eq!(ground.on(None).unwrap().to_string(), "board=3x3 piece=1,2 remove=a1,c1,a3,c3");
        let ground = GroundArgs { graph: file("ring", "a b\nb c\nc a\n"), ..GroundArgs::default() };
        assert_eq!(ground.on(None).unwrap().to_string(), "graph=Bw names=a,b,c");
        let ground = GroundArgs { graph: file("none", "# no edge\n"), ..GroundArgs::default() };
        assert_eq!(ground.on(None).unwrap().to_string(), "graph=?");
        let ground = GroundArgs { graph: file("broken", "a b\na b c\n"), ..GroundArgs::default() };
        let error = ground.on(None).unwrap_err().to_string();
        assert!(["--graph", "line 2", "`a b c`"].iter().all(|word| error.contains(word)), "{error}");
    }
}
