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
    #[arg(long, value_name = "MOVES")]
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
            Some(path) => read_text(Path::new(path))
                .map_err(|error| CliError::failed(format!("{option} {value}: {error}")))?,
        };
        let sequences = parse_move_sequences(board, &text).map_err(|error| {
            let remedy = match error {
                MoveListError::Name(..) if board.has_squares() => "; give squares of the board",
                MoveListError::Name(..) => {
                    "; give vertices of the graph, with blanks between names that have a hyphen"
                }
                _ => "",
            };
            CliError::usage(format!("{option} {value}: {error}{remedy}"))
        })?;
        moves.extend(moves_of_sequences(&sequences));
    }
    Ok(moves)
}
