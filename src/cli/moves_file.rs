//! The file of `ktour stats --moves-file`: moves such as `a1-b3`, one or more to a line; `#` starts a
//! comment.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::failure::Failure;
use ktour::board::Arena;

/// Reads the moves of a file, or of standard input for `-`. Each move is a pair of vertices, the lower one
/// first.
///
/// # Errors
/// The file cannot be read, or a word is not a move of the piece on the board.
pub fn moves_of(path: &Path, arena: &Arena) -> Result<BTreeSet<(u32, u32)>, Failure> {
    let text =
        if path.as_os_str() == "-" { io::read_to_string(io::stdin()) } else { std::fs::read_to_string(path) };
    let text = text.map_err(|error| Failure::failed(format!("--moves-file {}: {error}", path.display())))?;
    let mut moves = BTreeSet::new();
    for (line, words) in (1..).zip(text.lines()) {
        let words = words.split('#').next().unwrap_or_default();
        for word in words.split([' ', '\t', ',']).filter(|word| !word.is_empty()) {
            let of = |why: &str| {
                Failure::failed(format!(
                    "--moves-file {}, line {line}: `{word}`: {why}; write moves such as a1-b3",
                    path.display()
                ))
            };
            let (from, to) = word.split_once('-').ok_or_else(|| of("not a move"))?;
            let vertex = |name: &str| arena.vertex(name).map_err(|error| of(&error.to_string()));
            let (v, w) = (vertex(from)?, vertex(to)?);
            if !arena.is_move(v, w) {
                return Err(of("not a move of the piece"));
            }
            moves.insert((v.min(w), v.max(w)));
        }
    }
    Ok(moves)
}
