//! The moves of a file, for `ktour stats --moves-file`: `a1-b3`, one or more a line; `#` begins a remark.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use super::failure::Failure;
use ktour::board::Arena;

/// The moves of a file, or of standard input, each from its lower vertex.
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
                    "--moves-file {}, line {line}: `{word}` {why}: write moves such as a1-b3",
                    path.display()
                ))
            };
            let (from, to) = word.split_once('-').ok_or_else(|| of("is no move"))?;
            let vertex = |name: &str| arena.vertex(name).map_err(|error| of(&error.to_string()));
            let (v, w) = (vertex(from)?, vertex(to)?);
            if !arena.is_move(v, w) {
                return Err(of("is no move of the piece"));
            }
            moves.insert((v.min(w), v.max(w)));
        }
    }
    Ok(moves)
}
