//! The options for required and forbidden moves.

use std::path::Path;

use clap::Args;
use ktour::board::{Board, Move, MoveListError, RestrictionError, moves_of_sequences, parse_move_sequences};

use super::board::read_text;
use super::heading;
use crate::cli::error::CliError;

/// Required and forbidden moves of the tours.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = heading::TOURS)]
pub struct RestrictionArgs {
    /// Use only tours with these moves, in either direction: a1-b3,c2-e1-g2; @FILE reads them
    ///
    /// A sequence a1-b3-c5 stands for the moves a1-b3 and b3-c5. In a file each line may hold moves; what
    /// follows # is a remark. If names contain a hyphen, separate them by blanks.
    #[arg(long, value_name = "MOVES", hide_short_help = true)]
    pub require: Vec<String>,

    /// Use only tours without these moves, given as for --require
    #[arg(long, value_name = "MOVES", hide_short_help = true)]
    pub forbid: Vec<String>,
}

impl RestrictionArgs {
    /// Returns the board with the required and forbidden moves. Reads their files, unless the board has
    /// restrictions already.
    ///
    /// # Errors
    /// A list of moves cannot be read, or the moves cannot be required or forbidden together.
    pub fn restrict(&self, board: Board) -> Result<Board, CliError> {
        if !self.is_any_given() || board.is_restricted() {
            return Ok(board);
        }
        let required = read_moves(&board, "--require", &self.require)?;
        let forbidden = read_moves(&board, "--forbid", &self.forbid)?;
        let describe = |option: &'static str| {
            move |error: RestrictionError| {
                let remedy = match error {
                    RestrictionError::NotAMove(..) => "give moves of the piece, or edges of the graph",
                    _ => "omit one of the moves",
                };
                CliError::usage(format!("{option}: {error}; {remedy}"))
            }
        };
        board.with_restrictions(required.iter().copied(), []).map_err(describe("--require"))?;
        board.with_restrictions([], forbidden.iter().copied()).map_err(describe("--forbid"))?;
        board.with_restrictions(required, forbidden).map_err(describe("--forbid"))
    }

    /// Returns true if moves are required or forbidden.
    pub const fn is_any_given(&self) -> bool {
        !self.require.is_empty() || !self.forbid.is_empty()
    }
}

/// Returns the moves that the values of `option` list. A value `@FILE` is read from a file.
///
/// # Errors
/// A file cannot be read, or a value is not a list of moves.
fn read_moves(board: &Board, option: &str, values: &[String]) -> Result<Vec<Move>, CliError> {
    let mut moves = Vec::new();
    for value in values {
        let text = match value.strip_prefix('@') {
            None => value.clone(),
            Some(path) => read_text(Path::new(path)).map_err(|error| {
                CliError::read_error(&format!("{option} {value}"), Path::new(path), &error)
            })?,
        };
        let sequences = parse_move_sequences(board, &text).map_err(|error| {
            CliError::usage(format!("{option} {value}: {error}{}", move_list_remedy(board, &error)))
        })?;
        moves.extend(moves_of_sequences(&sequences));
    }
    Ok(moves)
}

/// Returns the remedy for a fault in a list of moves.
fn move_list_remedy(board: &Board, error: &MoveListError) -> &'static str {
    match error {
        MoveListError::Name(item, _) if board.has_squares() && item.contains(char::is_whitespace) => {
            "; separate moves by commas"
        }
        MoveListError::Name(..) if board.has_squares() => "; give squares of the board",
        MoveListError::Name(..) => {
            "; give vertices of the graph, with blanks between names that have a hyphen"
        }
        _ => "",
    }
}

/// Reads the moves in the file of `option`, or on standard input for `-`: a list of moves on each line, as
/// [`parse_move_sequences`] reads it.
///
/// # Errors
/// The file cannot be read, a line is not a list of moves, or the file has no move.
pub fn read_move_file(board: &Board, option: &str, path: &Path) -> Result<Vec<Move>, CliError> {
    let text = read_text(path).map_err(|error| CliError::read_error(option, path, &error))?;
    let file = path.display();
    let mut moves = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let fault = |why: String| CliError::failed(format!("{option} {file}, line {line}: {why}"));
        let sequences = match parse_move_sequences(board, text) {
            Err(MoveListError::Empty) => continue,
            Err(error) => return Err(fault(format!("{error}{}", move_list_remedy(board, &error)))),
            Ok(sequences) => sequences,
        };
        for (v, w) in moves_of_sequences(&sequences) {
            if !board.unrestricted().is_move(v, w) {
                let name = board.move_name((v, w));
                return Err(fault(format!(
                    "`{name}` is not a move; give moves of the piece, or edges of the graph"
                )));
            }
            moves.push((v, w));
        }
    }
    if moves.is_empty() {
        return Err(CliError::failed(format!("{option} {file}: {}", MoveListError::Empty)));
    }
    Ok(moves)
}
