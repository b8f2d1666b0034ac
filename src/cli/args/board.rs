//! Arguments that describe the board of a command: a board and a piece, or a graph from a file.
//!
//! ```text
//! BOARD | --shape FILE, --wrap, --piece or --leaper, --remove -> LatticeBoard --+
//! --graph FILE -----------------------------------------------> CustomGraph ---+-> Board
//! ```
//!
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ContextKind;
use clap::{Arg, Args, Command};
use ktour::board::graph_file::{self, GraphFile};
use ktour::board::{
    Board, BoardSides, DrawingError, DrawingSigns, LatticeBoard, Leaper, Piece, Rectangle, RectangleError,
    Square, Wrap, parse_drawing, parse_squares,
};
use ktour::series::{BoardRange, BoardRangeError};

use super::heading;
use crate::cli::error::CliError;
use crate::report::print_notice;

/// Maximum size, in bytes, of a file that draws a board or lists the edges of a graph.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Number of bytes at the start of a file that are checked for text before the whole file is read.
const TEXT_CHECK_BYTES: u64 = 1 << 16;

/// Parses the sides of one board, for commands that accept no range of boards.
pub fn parse_single_board(text: &str) -> Result<BoardSides, String> {
    if text.contains("..") {
        return Err("a range of boards is for count, series and estimate; give a single board".to_owned());
    }
    text.parse().map_err(|error: RectangleError| error.to_string())
}

/// The BOARD argument: one board, or a series.
#[derive(Clone, Debug)]
pub enum BoardsArg {
    /// One board.
    Single(BoardSides),
    /// A series of boards.
    Series(BoardRange),
}

impl FromStr for BoardsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let range = text.parse();
        match range {
            Err(error @ BoardRangeError::Hyphen { .. }) => Err(error.to_string()),
            range if text.contains("..") => range.map(Self::Series).map_err(|error| error.to_string()),
            _ => text.parse().map(Self::Single).map_err(|error: RectangleError| error.to_string()),
        }
    }
}

/// Returns a usage error if an option is given that a series does not support. Each option is a
/// flag (true if given) and its name.
pub fn refuse_for_series(options: &[(bool, &str)]) -> Result<(), CliError> {
    match options.iter().find(|(given, _)| *given) {
        Some((_, what)) => Err(CliError::usage(format!(
            "a series of boards does not support {what}; omit it, or count the boards separately"
        ))),
        None => Ok(()),
    }
}

/// Options that replace the sides of a board, or belong to such options.
pub const DRAWING_OPTIONS: [&str; 4] = ["shape", "squares", "holes", "graph"];

/// A board and a piece, or a graph.
#[derive(Clone, Debug, Args)]
pub struct BoardArgs {
    /// ROWSxCOLS such as 6x8, N for a square, LAYERSxROWSxCOLS for a box
    #[arg(value_name = "BOARD", value_parser = parse_single_board, required_unless_present_any = ["shape", "graph"], conflicts_with_all = DRAWING_OPTIONS)]
    board: Option<BoardSides>,

    #[command(flatten)]
    board_options: BoardOptions,
}

/// Options that complete a board of given sides, or replace it.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = heading::BOARD)]
pub struct BoardOptions {
    #[command(flatten)]
    pub square_options: SquareOptions,

    /// Read the board as a drawing: a line per rank, `.` for a square, `#` or a space for none; - for standard
    /// input
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub shape: Option<PathBuf>,

    /// Set the signs of squares in the drawing of --shape; other signs are holes
    #[arg(long, value_name = "SIGNS", hide_short_help = true, requires = "shape")]
    pub squares: Option<String>,

    /// Set the signs of holes in the drawing of --shape; other signs are squares
    #[arg(long, value_name = "SIGNS", hide_short_help = true, requires = "shape")]
    pub holes: Option<String>,

    /// Read any graph: an edge (two names) per line, neighbours `v: w x`, a 0/1 matrix, DIMACS, TSPLIB (HCP),
    /// graph6 or sparse6; - for standard input
    #[arg(long, value_name = "FILE", hide_short_help = true, conflicts_with_all = ["wrap", "piece", "leaper", "remove", "shape", "squares", "holes"])]
    pub graph: Option<PathBuf>,
}

/// Options of a board of squares: how its edges are joined, the piece, and missing squares.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = heading::BOARD)]
pub struct SquareOptions {
    /// Join edges: cols, rows, torus, mobius, klein, projective, none
    ///
    /// `cols` makes column 1 follow the last column (a cylinder), `rows` joins the rows in the same way, and
    /// `torus` joins both. `mobius` joins the columns upside down; `klein` also joins the rows straight,
    /// `projective` joins both with a twist.
    #[arg(long, value_name = "EDGES", value_parser = wrap_parser(), hide_possible_values = true, hide_short_help = true)]
    pub wrap: Option<Wrap>,

    /// Choose the piece: knight, king, wazir+camel, 1,2+0,1
    #[arg(long, value_name = "PIECE", value_parser = PieceParser, hide_possible_values = true, conflicts_with = "leaper", long_help = piece_help())]
    pub piece: Option<Piece>,

    /// Choose the piece by the steps of its leap; repeat to combine leaps. Default: 1,2 (knight)
    #[arg(long, value_name = "A,B", hide_short_help = true)]
    pub leaper: Vec<Leaper>,

    /// Remove squares from the board: a1,c3-d5
    #[arg(long, value_name = "SQUARES")]
    pub remove: Vec<String>,
}

impl BoardArgs {
    /// Returns the board that the arguments describe. Reads the files of `--shape` and `--graph`.
    ///
    /// # Errors
    /// The arguments do not describe a board, or a file cannot be read.
    pub fn to_board(&self) -> Result<Board, CliError> {
        self.board_options.to_board(self.board.as_ref())
    }
}

impl BoardOptions {
    /// Returns the board with the given sides and these options, or the board or graph of a file
    /// that replaces it.
    ///
    /// # Errors
    /// The arguments do not describe a board, or a file cannot be read.
    pub fn to_board(&self, sides: Option<&BoardSides>) -> Result<Board, CliError> {
        let board = match (sides, &self.shape, &self.graph) {
            (_, _, Some(path)) => read_graph(path)?,
            (Some(sides), ..) => self.to_lattice_board(sides.clone())?,
            (None, Some(path), None) => {
                self.to_lattice_board(BoardSides::Rectangle(self.read_shape(path)?))?
            }
            (None, None, None) => {
                return Err(CliError::usage(
                    "no board is given; add BOARD such as 6x8, --shape FILE or --graph FILE",
                ));
            }
        };
        // A graph file may be without vertices; a board without squares is a mistake in `--remove`.
        if board.is_empty() && self.graph.is_none() {
            return Err(CliError::usage("--remove leaves no square on the board; remove fewer squares"));
        }
        Ok(board)
    }

    /// Returns the piece that moves on the board. Default: the knight.
    #[must_use]
    pub fn piece(&self) -> Piece {
        match (&self.square_options.piece, self.square_options.leaper.as_slice()) {
            (Some(piece), _) => piece.clone(),
            (None, []) => Piece::default(),
            (None, leapers) => Piece::new(leapers.iter().copied()),
        }
    }

    fn removed_text(&self) -> String {
        if self.square_options.remove.is_empty() {
            "-".to_owned()
        } else {
            self.square_options.remove.join(",")
        }
    }

    /// Returns true if `--piece` or `--leaper` is given.
    #[must_use]
    pub fn has_piece(&self) -> bool {
        self.square_options.piece.is_some() || !self.square_options.leaper.is_empty()
    }

    /// Returns the squares that `--remove` names.
    ///
    /// # Errors
    /// A name is not a square.
    pub fn removed_squares(&self) -> Result<Vec<Square>, CliError> {
        parse_squares(&self.removed_text()).map_err(removal_error)
    }

    /// Returns `board` without the squares that `--remove` names.
    ///
    /// # Errors
    /// A square is not on the board.
    pub fn remove_squares(&self, board: Rectangle) -> Result<Rectangle, CliError> {
        let removed = self.removed_squares()?;
        board.without(removed).map_err(removal_error)
    }

    fn to_lattice_board(&self, sides: BoardSides) -> Result<Board, CliError> {
        let wrap = self.square_options.wrap.unwrap_or_default();
        if matches!(sides, BoardSides::Box(_)) && wrap != Wrap::None {
            return Err(CliError::usage(format!(
                "--wrap cannot join the edges of a box such as {sides}; omit --wrap"
            )));
        }
        let board = LatticeBoard::new(sides, wrap, self.piece()).without(&self.removed_text());
        Ok(board.map_err(removal_error)?.into())
    }

    /// Reads the drawing of `--shape`, and prints how it was read if that is not obvious.
    fn read_shape(&self, path: &Path) -> Result<Rectangle, CliError> {
        let failed = |why: &dyn Display| CliError::failed(format!("--shape {}: {why}", path.display()));
        let text = read_text(path).map_err(|error| CliError::read_error("--shape", path, &error))?;
        let signs = DrawingSigns { squares: self.squares.clone(), holes: self.holes.clone() };
        let drawing = parse_drawing(&text, &signs).map_err(|error| match error {
            DrawingError::AmbiguousSigns { first, second } => failed(&format!(
                "{first:?} and {second:?} may both be squares; add --squares SIGNS or --holes SIGNS, such as --squares {first}"
            )),
            DrawingError::UnknownCharacter { .. } => failed(&format!("{error} of --squares or --holes")),
            error => failed(&error),
        })?;
        for note in &drawing.notes {
            print_notice(format_args!("note: --shape {}: {note}", path.display()));
        }
        Ok(drawing.board)
    }
}

fn read_graph(path: &Path) -> Result<Board, CliError> {
    let mut graphs = read_graphs(path)?;
    if graphs.len() > 1 {
        return Err(CliError::failed(format!(
            "--graph {}: line {}: the file has {} graphs; use `ktour count --all-graphs` for a table of all, or \
            keep one of the lines",
            path.display(),
            graphs[0].0,
            graphs.len()
        )));
    }
    let (_, file) = graphs.swap_remove(0);
    print_graph_notes(path, &file);
    Ok(file.graph.into())
}

/// Prints what a reader of the result must know about a graph file.
pub fn print_graph_notes(path: &Path, file: &GraphFile) {
    for note in &file.notes {
        print_notice(format_args!("note: --graph {}: {note}", path.display()));
    }
}

/// Returns the error of squares that cannot be removed.
fn removal_error(error: impl Display) -> CliError {
    CliError::usage(format!("--remove: {error}"))
}

/// Reads the graphs of a file, at least one, each with its line number.
///
/// # Errors
/// The file cannot be read, or is not a graph file.
pub fn read_graphs(path: &Path) -> Result<Vec<(usize, GraphFile)>, CliError> {
    let failed = |why: &dyn Display| CliError::failed(format!("--graph {}: {why}", path.display()));
    let text = read_text(path).map_err(|error| CliError::read_error("--graph", path, &error))?;
    if text.trim().is_empty() {
        return Err(failed(&"the file is empty; write `?` (graph6) for the graph without vertices"));
    }
    graph_file::parse_all(&text).map_err(|error| failed(&error))
}

/// Reads a text file of at most [`MAX_FILE_BYTES`] bytes; `-` is standard input.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut source: Box<dyn Read> =
        if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let mut bytes = Vec::new();
    source.by_ref().take(TEXT_CHECK_BYTES).read_to_end(&mut bytes)?;
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(io::Error::other("the file is UTF-16 text; save it as UTF-8"));
    }
    // An endless input such as `/dev/zero` is recognised by its first bytes.
    if bytes.contains(&0) {
        return Err(io::Error::other("the file is not text, as it has a zero byte"));
    }
    source.take(MAX_FILE_BYTES + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other(format!("the file is longer than {} MiB", MAX_FILE_BYTES >> 20)));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| io::Error::other("the file is not UTF-8 text; save it as UTF-8"))?;
    // Some editors write a byte order mark.
    match text.strip_prefix('\u{feff}') {
        Some(rest) => Ok(rest.to_owned()),
        None => Ok(text),
    }
}

/// The parser of `--piece`. Shells complete the names of pieces, and errors suggest them; other values
/// are accepted too.
#[derive(Clone)]
pub struct PieceParser;

impl TypedValueParser for PieceParser {
    type Value = Piece;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Piece, clap::Error> {
        Piece::from_str.parse_ref(command, arg, value).map_err(|error| {
            let text = value.to_string_lossy();
            let unknown = text.split('+').find(|part| part.parse::<Piece>().is_err()).unwrap_or_default();
            let names = PossibleValuesParser::new(Piece::names());
            let with_tip = names.parse_ref(command, arg, OsStr::new(unknown.trim())).err();
            with_tip.filter(|error| error.get(ContextKind::SuggestedValue).is_some()).unwrap_or(error)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Piece::names().map(PossibleValue::new)))
    }
}

/// Returns the long help of `--piece`, with the names of all pieces.
fn piece_help() -> String {
    let names: Vec<&str> = Piece::names().collect();
    format!("Choose the piece: knight, king, wazir+camel, 1,2+0,1\n\nNames: {}", names.join(", "))
}

/// Returns the parser of `--wrap`.
fn wrap_parser() -> impl TypedValueParser<Value = Wrap> {
    let value = |wrap: Wrap| PossibleValue::new(wrap.name()).aliases(wrap.aliases());
    PossibleValuesParser::new(Wrap::ALL.map(value))
        .map(|name| name.parse().expect("the parser accepts only names of wraps"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_sides(board: &str) -> BoardSides {
        board.parse().unwrap()
    }

    fn text_form(board_options: &BoardOptions, rectangle: &str) -> Result<String, String> {
        board_options
            .to_board(Some(&parse_sides(rectangle)))
            .map(|board| board.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn options_give_a_board() {
        let board_options = BoardOptions::default();
        assert_eq!(text_form(&board_options, "6x8").unwrap(), "board=6x8 piece=1,2 remove=-");
        assert_eq!(text_form(&board_options, "2x3x4").unwrap(), "board=2x3x4 piece=1,2 remove=-");
        let with =
            |options: SquareOptions| BoardOptions { square_options: options, ..BoardOptions::default() };
        let king = with(SquareOptions { piece: Some("king".parse().unwrap()), ..SquareOptions::default() });
        assert_eq!(text_form(&king, "3").unwrap(), "board=3x3 piece=0,1+1,1 remove=-");
        let leapers = vec!["1,3".parse().unwrap(), "1,2".parse().unwrap()];
        let torus = with(SquareOptions {
            wrap: Some(Wrap::Torus),
            leaper: leapers,
            remove: vec!["a1-b2".to_owned(), "d4".to_owned()],
            ..SquareOptions::default()
        });
        let expected = "board=4x4 wrap=torus piece=1,2+1,3 remove=a1,b1,a2,b2,d4";
        assert_eq!(text_form(&torus, "4x4").unwrap(), expected);
        let holes = with(SquareOptions { remove: vec!["a1.1-b1.2".to_owned()], ..SquareOptions::default() });
        assert_eq!(text_form(&holes, "2x2x2").unwrap(), "board=2x2x2 piece=1,2 remove=a1.1,b1.1,a1.2,b1.2");
    }

    #[test]
    fn errors_name_the_option() {
        let with =
            |options: SquareOptions| BoardOptions { square_options: options, ..BoardOptions::default() };
        let removing = |squares: &str| {
            with(SquareOptions { remove: vec![squares.to_owned()], ..SquareOptions::default() })
        };
        let refused = |board_options: &BoardOptions, board: &str, words: &[&str]| {
            let error = text_form(board_options, board).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        };
        refused(&removing("c1"), "2x2", &["--remove", "c1", "2x2"]);
        refused(&removing("a1"), "2x2x2", &["--remove", "`a1`"]);
        refused(&removing("a1-b2"), "2x2", &["--remove"]);
        let wrapped = with(SquareOptions { wrap: Some(Wrap::Cols), ..SquareOptions::default() });
        refused(&wrapped, "2x2x2", &["--wrap", "2x2x2"]);
        let error = BoardOptions::default().to_board(None).unwrap_err();
        assert_eq!(error.status(), 2);
        assert!(
            ["BOARD", "--shape", "--graph"].iter().all(|word| error.to_string().contains(word)),
            "{error}"
        );
    }

    #[test]
    fn shape_and_graph_files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            Some(path)
        };
        let board_options =
            BoardOptions { shape: file("cross", "#.#\n...\n#.#\n"), ..BoardOptions::default() };
        assert_eq!(
            board_options.to_board(None).unwrap().to_string(),
            "board=3x3 piece=1,2 remove=a1,c1,a3,c3"
        );
        let board_options =
            BoardOptions { graph: file("ring", "a b\nb c\nc a\n"), ..BoardOptions::default() };
        assert_eq!(board_options.to_board(None).unwrap().to_string(), "graph=Bw names=a,b,c");
        let board_options = BoardOptions { graph: file("none", "# no edge\n"), ..BoardOptions::default() };
        assert_eq!(board_options.to_board(None).unwrap().to_string(), "graph=?");
        let board_options = BoardOptions { graph: file("broken", "a b\na b c\n"), ..BoardOptions::default() };
        let error = board_options.to_board(None).unwrap_err().to_string();
        assert!(["--graph", "line 2", "`a b c`"].iter().all(|word| error.contains(word)), "{error}");
    }

    #[test]
    fn piece_parser_accepts_names_and_numbers() {
        let command = Command::new("ktour").arg(Arg::new("piece").value_parser(PieceParser));
        let read = |text: &str| {
            let found = command.clone().try_get_matches_from(["ktour", text]);
            found.map(|arg_matches| arg_matches.get_one::<Piece>("piece").unwrap().to_string())
        };
        assert_eq!(read("king").unwrap(), "0,1+1,1");
        assert_eq!(read("camel+0,1").unwrap(), "0,1+1,3");
        let unknown = "queen".parse::<Piece>().unwrap_err().to_string();
        assert!(read("queen").unwrap_err().to_string().contains(&unknown));
        for typed in ["camel+wazr", "0,1+wazr", "King+wazr", "wazr + knight"] {
            assert!(read(typed).unwrap_err().to_string().contains("'wazir'"), "{typed}");
        }
        assert!(PieceParser.possible_values().unwrap().any(|value| value.get_name() == "zebra"));
        assert_eq!(wrap_parser().possible_values().unwrap().count(), Wrap::ALL.len());
    }
}
