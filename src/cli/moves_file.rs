//! The file of `ktour stats --moves-file`: moves such as `a1-b3`, one or more to a line; `#` starts a
//! comment.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::failure::CliError;
use ktour::board::Board;

/// Reads the moves of a file, or of standard input for `-`. Each move is a pair of vertices, the lower one
/// first.
///
/// # Errors
/// The file cannot be read, or a word is not a move of the piece on the board.
pub fn read_moves(path: &Path, board: &Board) -> Result<BTreeSet<(u32, u32)>, CliError> {
    let text =
        if path.as_os_str() == "-" { io::read_to_string(io::stdin()) } else { std::fs::read_to_string(path) };
    let text = text.map_err(|error| CliError::failed(format!("--moves-file {}: {error}", path.display())))?;
    let mut moves = BTreeSet::new();
    for (line, words) in (1..).zip(text.lines()) {
        let words = words.split('#').next().unwrap_or_default();
        for word in words.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            let invalid_word = |why: &str| {
                CliError::failed(format!(
                    "--moves-file {}, line {line}: `{word}`: {why}; write moves such as a1-b3",
                    path.display()
                ))
            };
            let (from, to) = word.split_once('-').ok_or_else(|| invalid_word("not a move"))?;
            let vertex = |name: &str| board.vertex(name).map_err(|error| invalid_word(&error.to_string()));
            let (v, w) = (vertex(from)?, vertex(to)?);
            if !board.is_move(v, w) {
                return Err(invalid_word("not a move of the piece"));
            }
            moves.insert((v.min(w), v.max(w)));
        }
    }
    Ok(moves)
}
