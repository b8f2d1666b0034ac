//! The arena of a command: a board and a piece, or a graph from a file.
//!
//! ```text
//! BOARD | --shape FILE, --wrap, --piece or --leaper, --remove -> Surface | Cuboid --+
//! --graph FILE --------------------------------------------------> Given ------------+-> Arena
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

/// Bytes of a file that may draw a board or list the edges of a graph.
const MOST: u64 = 256 << 20;

/// Bytes of it that are looked at before the rest is read.
const BEGINNING: u64 = 1 << 16;

/// A board as it is typed: two sides, or the three of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardArg {
    /// Rows and columns.
    Flat(Board),
    /// Layers, rows and columns.
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

/// A board by itself, where no range can be.
fn one_board(text: &str) -> Result<BoardArg, String> {
    if text.contains("..") {
        return Err("a range of boards is for count, series and estimate: name one board".to_owned());
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

/// What belongs to a board beside its sides, or stands in its place.
#[derive(Clone, Debug, Default, Args)]
pub struct GroundArgs {
    /// Edges that are joined: cols, rows, torus, mobius, klein, projective, none
    ///
    /// `cols` makes column 1 follow the last one (a cylinder), `rows` likewise, `torus` both; `mobius` joins the
    /// columns upside down, `klein` the rows straight besides, `projective` both with a twist.
    #[arg(long, value_name = "EDGES", value_parser = hinted::wrap(), hide_possible_values = true, hide_short_help = true)]
    pub wrap: Option<Wrap>,

    /// The piece by name, or several: knight, king, wazir+camel, 1,2+0,1
    #[arg(long, value_name = "PIECE", value_parser = hinted::piece(), hide_possible_values = true, conflicts_with = "leaper")]
    pub piece: Option<Piece>,

    /// The piece by the steps of its leap; more than once, it has them all [default: 1,2, the knight]
    #[arg(long, value_name = "A,B", hide_short_help = true)]
    pub leaper: Vec<Leaper>,

    /// Squares to take off the board: a1,c3-d5
    #[arg(long, value_name = "SQUARES")]
    pub remove: Vec<String>,

    /// A board drawn in a file: a line a rank, `.` or a letter a square, `#` or a space none; - for standard input
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub shape: Option<PathBuf>,

    /// Any graph: an edge a line (two names), DIMACS, graph6 or sparse6; - for standard input
    #[arg(long, value_name = "FILE", hide_short_help = true, conflicts_with_all = ["wrap", "piece", "leaper", "remove", "shape"])]
    pub graph: Option<PathBuf>,
}

impl ArenaArgs {
    /// The arena. Reads files.
    ///
    /// # Errors
    /// What was typed does not make one, or a file cannot be read.
    pub fn arena(&self) -> Result<Arena, Failure> {
        self.ground.on(self.board.as_ref())
    }

    /// The files that are read, by option.
    #[must_use]
    pub fn inputs(&self) -> [(&'static str, Option<&Path>); 2] {
        self.ground.inputs()
    }
}

impl GroundArgs {
    /// The arena on a board that was typed, or the one that stands in its place.
    ///
    /// # Errors
    /// What was typed does not make one, or a file cannot be read.
    pub fn on(&self, board: Option<&BoardArg>) -> Result<Arena, Failure> {
        let arena = match (board, &self.shape, &self.graph) {
            (_, _, Some(path)) => graph(path)?,
            (Some(BoardArg::Solid(sides)), ..) => self.cuboid(*sides)?,
            (Some(BoardArg::Flat(board)), ..) => self.surface(board.clone())?,
            (None, Some(path), None) => self.surface(shape(path)?)?,
            (None, None, None) => {
                return Err(Failure::usage(
                    "a board is missing: write BOARD such as 6x8, --shape FILE or --graph FILE",
                ));
            }
        };
        // A graph without vertices is one; that all squares of a board are taken off is an error in typing.
        if arena.is_empty() && self.graph.is_none() {
            return Err(Failure::usage("--remove leaves no square on the board: remove fewer"));
        }
        Ok(arena)
    }

    /// The files that are read, by option: nothing may be written over them.
    #[must_use]
    pub fn inputs(&self) -> [(&'static str, Option<&Path>); 2] {
        [("--shape", self.shape.as_deref()), ("--graph", self.graph.as_deref())]
    }

    /// The piece.
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

    /// Whether a piece was named.
    #[must_use]
    pub fn is_said(&self) -> bool {
        self.piece.is_some() || !self.leaper.is_empty()
    }

    /// The squares of `--remove`.
    ///
    /// # Errors
    /// They are no squares.
    pub fn removed_squares(&self) -> Result<Vec<Square>, Failure> {
        squares(&self.removed()).map_err(|error| Failure::usage(format!("--remove: {error}")))
    }

    /// A board without the squares of `--remove`.
    ///
    /// # Errors
    /// They are not on it.
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
                "--wrap: the edges of a box, such as {sides}, are not joined"
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
        return Err(failed(&"it is empty; the graph without a vertex is `?`, in graph6"));
    }
    graph_file::read(&text).map(Arena::from).map_err(|error| failed(&error))
}

/// A text file that is no longer than one of its kind may be.
fn text(path: &Path) -> io::Result<String> {
    let mut source: Box<dyn Read> =
        if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let mut bytes = Vec::new();
    source.by_ref().take(BEGINNING).read_to_end(&mut bytes)?;
    // What has no end is seldom text.
    if bytes.contains(&0) {
        return Err(io::Error::other("it is not text: there is a byte 0 in it"));
    }
    source.take(MOST + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other(format!("it is longer than {} MiB", MOST >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not text in UTF-8"))
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
        assert_eq!(
            normal(&removing("c1"), "2x2").unwrap_err(),
            "--remove: square c1 is not on the 2x2 board"
        );
        assert!(
            normal(&removing("a1"), "2x2x2")
                .unwrap_err()
                .starts_with("--remove: `a1` is not a square of a box")
        );
        assert!(normal(&removing("a1-b2"), "2x2").unwrap_err().contains("leaves no square"));
        let wrapped = GroundArgs { wrap: Some(Wrap::Cols), ..GroundArgs::default() };
        assert!(normal(&wrapped, "2x2x2").unwrap_err().starts_with("--wrap: the edges of a box"));
        assert!(GroundArgs::default().on(None).unwrap_err().to_string().starts_with("a board is missing"));
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
        assert!(
            ground
                .on(None)
                .unwrap_err()
                .to_string()
                .ends_with("line 2: `a b c` has 3 names: an edge is two of them")
        );
    }
}
