//! Parser of drawings of boards: one line for each rank, the top rank first.
//!
//! ```text
//! #..#      `.` is a square, `#` a hole            xx      any other sign alone: the sign is a square,
//! ....                                            x xx    a blank a hole
//!
//! x x x     blanks between the signs do not count, nor do blank lines between the ranks
//! x x x
//! ```
//!
//! A drawing has one sign for squares and one for holes. A single `s` or `e`, which marks the start or the end,
//! is a square. If two signs could both be squares, the signs must be given. A line of text above or below
//! the drawing is skipped with a note.

use std::collections::HashSet;

use num_integer::Integer;

use super::rectangle::{Rectangle, RectangleError};
use super::square::Square;
use crate::text_format::is_zero_width;

/// A board and what a reader of the drawing must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The board.
    pub board: Rectangle,
    /// How the drawing was read, one sentence each, if that is not obvious.
    pub notes: Vec<String>,
}

/// The signs of a drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawingSigns {
    /// Characters that stand for squares. If only these are given, all others are holes.
    pub squares: Option<String>,
    /// Characters that stand for holes. If only these are given, all others are squares.
    pub holes: Option<String>,
}

/// An error in a drawing of a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DrawingError {
    /// A drawing with several signs that may be squares.
    #[error(
        "{first:?} and {second:?} may both be squares; write `.` for squares and `#` for holes, or name the sign of the squares"
    )]
    AmbiguousSigns {
        /// One sign.
        first: char,
        /// Another sign.
        second: char,
    },
    /// A sign that the given signs do not contain.
    #[error(
        "line {line}, column {column}: {character:?} is neither a square nor a hole; add it to the signs"
    )]
    UnknownCharacter {
        /// Line number, from 1.
        line: usize,
        /// Column number, from 1.
        column: usize,
        /// The character.
        character: char,
    },
    /// A sign that is given both as a square and as a hole.
    #[error("{0:?} is given as a square and as a hole; give each sign once")]
    ContradictorySigns(char),
    /// Blank lines between some ranks only.
    #[error("line {line} is blank; write `#` for each hole of an empty rank, or delete the line")]
    BlankRank {
        /// Line number, from 1.
        line: usize,
    },
    /// A character without width, such as that of a terminal's colours.
    #[error("line {line} has an invisible character; delete it")]
    InvisibleCharacter {
        /// Line number, from 1.
        line: usize,
    },
    /// A tab that does not separate single signs.
    #[error("line {line} has a tab between or before the signs; write blanks")]
    Tab {
        /// Line number, from 1.
        line: usize,
    },
    /// A single letter above or below the drawing.
    #[error(
        "line {line}: {sign:?} may be a rank with one square, or text; write `#` for the other squares of the rank, or delete the line"
    )]
    LoneMark {
        /// Line number, from 1.
        line: usize,
        /// The letter.
        sign: char,
    },
    /// A line of text with signs that may be a rank.
    #[error(
        "line {line}: {text:?} may be a rank with a remark, or text; delete the remark, or delete the line"
    )]
    RankOrText {
        /// Line number, from 1.
        line: usize,
        /// The first characters of the line.
        text: String,
    },
    /// A blank as the sign of squares.
    #[error("{0:?} has a blank, which is always a hole; draw squares with other signs")]
    BlankSquares(String),
    /// A drawing without squares.
    #[error("the drawing has no squares; write `.` for each square")]
    Empty,
    /// A drawing whose size is not valid.
    #[error(transparent)]
    Rectangle(#[from] RectangleError),
}

/// Maximum number of characters of a line that a message repeats.
const MAX_TEXT_CHARS: usize = 60;

/// A line of a drawing: its number and its characters without trailing blanks.
type DrawnLine = (usize, Vec<char>);

/// Parses a drawing of a board.
///
/// # Errors
/// [`DrawingError`].
pub fn parse_drawing(text: &str, signs: &DrawingSigns) -> Result<Drawing, DrawingError> {
    let text = text.replace("\r\n", "\n");
    let is_line_end =
        |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let blank = |c: char| if c.is_whitespace() && c != '\t' { ' ' } else { c };
    // Characters without width, such as a byte order mark, are dropped at both ends of a line.
    let characters = |line: &str| {
        let visible = line
            .trim_start_matches(is_zero_width)
            .trim_end_matches(|c: char| c.is_whitespace() || is_zero_width(c));
        visible.chars().map(blank).collect()
    };
    let mut lines: Vec<DrawnLine> = (1..).zip(text.split(is_line_end).map(characters)).collect();
    // Inside a rank they may hide a sign or nothing.
    let is_other = |c: &char| c.is_control() && *c != '\t' || is_zero_width(*c);
    if let Some((line, _)) = lines.iter().find(|(_, line)| line.iter().any(is_other)) {
        return Err(DrawingError::InvisibleCharacter { line: *line });
    }
    if let Some(squares) = signs.squares.as_ref().filter(|squares| squares.contains(char::is_whitespace)) {
        return Err(DrawingError::BlankSquares(squares.clone()));
    }
    let mut notes = Vec::new();
    drop_text(&mut lines, signs, &mut notes)?;
    drop_blank_lines(&mut lines, &mut notes)?;
    check_lone_marks(&lines)?;
    drop_separators(&mut lines, &mut notes)?;
    let is_square = square_test(&lines, signs)?;
    note_on_signs(&lines, signs, &mut notes);
    let mut ranks: Vec<Vec<bool>> = Vec::new();
    for (line, characters) in &lines {
        let square = |(column, &character): (usize, &char)| {
            let unknown = DrawingError::UnknownCharacter { line: *line, column: column + 1, character };
            if character == ' ' { Ok(false) } else { is_square(character).ok_or(unknown) }
        };
        ranks.push(characters.iter().enumerate().map(square).collect::<Result<_, _>>()?);
    }
    let cols = ranks.iter().map(Vec::len).max().unwrap_or(0);
    if cols == 0 {
        return Err(DrawingError::Empty);
    }
    let side = |side: usize| u16::try_from(side).map_err(|_| RectangleError::TooLarge(side.to_string()));
    let rectangle = Rectangle::new(side(ranks.len())?, side(cols)?)?;
    let holes = (0..).zip(ranks.iter().rev()).flat_map(|(rank, line)| {
        let is_square = |file: u16| line.get(usize::from(file)).copied().unwrap_or(false);
        (0..rectangle.cols()).filter(move |&file| !is_square(file)).map(move |file| Square::new(file, rank))
    });
    let holes: Vec<Square> = holes.collect();
    let board = rectangle.without(holes)?;
    if board.is_empty() { Err(DrawingError::Empty) } else { Ok(Drawing { board, notes }) }
}

/// Returns the sorted signs of a line, without blanks.
fn signs_of(characters: &[char]) -> Vec<char> {
    let mut signs: Vec<char> = characters.iter().copied().filter(|&c| !is_blank(c)).collect();
    signs.sort_unstable();
    signs.dedup();
    signs
}

/// Drops lines of text above and below the drawing: lines with a word whose letters do not all occur in other
/// lines.
///
/// # Errors
/// A part of a dropped line may be a rank.
fn drop_text(
    lines: &mut Vec<DrawnLine>,
    signs: &DrawingSigns,
    notes: &mut Vec<String>,
) -> Result<(), DrawingError> {
    let known = |c: char| {
        [&signs.squares, &signs.holes]
            .iter()
            .any(|known| known.as_ref().is_some_and(|known| known.contains(c)))
    };
    let mut dropped: Vec<DrawnLine> = Vec::new();
    loop {
        let drawn: Vec<usize> = (0..lines.len()).filter(|&at| !lines[at].1.is_empty()).collect();
        let is_text = |&&at: &&usize| {
            let own = signs_of(&lines[at].1);
            let has_word = lines[at]
                .1
                .split(|c| !c.is_alphanumeric())
                .any(|word| word.len() > 1 && signs_of(word).len() > 1);
            let occurs =
                |c: &char| known(*c) || drawn.iter().any(|&other| other != at && lines[other].1.contains(c));
            has_word && own.iter().filter(|c| c.is_alphanumeric()).filter(|c| !occurs(c)).count() > 1
        };
        let ends = [drawn.first(), drawn.last()];
        let Some(&at) = ends.iter().flatten().find(|at| is_text(at)) else { break };
        let (line, text) = lines.remove(*at);
        notes.push(format!("line {line} is skipped as text: `{}`", text.iter().collect::<String>().trim()));
        dropped.push((line, text));
    }
    match dropped.iter().find(|(_, text)| has_rank(text, lines)) {
        Some((line, text)) => Err(DrawingError::RankOrText {
            line: *line,
            text: text.iter().collect::<String>().trim().chars().take(MAX_TEXT_CHARS).collect(),
        }),
        None => Ok(()),
    }
}

/// Returns true if a line of text begins with a rank, ends with one, or has one as a word: signs of the drawing
/// that are as wide as another rank.
fn has_rank(text: &[char], ranks: &[DrawnLine]) -> bool {
    let signs: HashSet<char> = ranks.iter().flat_map(|(_, rank)| rank.iter().copied()).collect();
    let widths: HashSet<usize> = ranks.iter().map(|(_, rank)| trim_blanks(rank).len()).collect();
    let text = trim_blanks(text);
    let is_sign = |&c: &char| is_blank(c) || signs.contains(&c);
    let signs_before = text.iter().take_while(|c| is_sign(c)).count();
    let signs_after = text.iter().rev().take_while(|c| is_sign(c)).count();
    let is_end = |at: usize| !is_blank(text[at - 1]) && text.get(at).is_none_or(|&c| is_blank(c));
    let is_start = |at: usize| !is_blank(text[at]) && (at == 0 || is_blank(text[at - 1]));
    let is_word = |word: &[char]| widths.contains(&word.len()) && word.iter().all(is_sign);
    text.split(|&c| is_blank(c)).any(|word| !word.is_empty() && is_word(word))
        || (1..=signs_before).any(|end| is_end(end) && widths.contains(&end))
        || (1..=signs_after).any(|len| is_start(text.len() - len) && widths.contains(&len))
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn trim_blanks(line: &[char]) -> &[char] {
    let is_drawn = |&c: &char| !is_blank(c);
    match (line.iter().position(is_drawn), line.iter().rposition(is_drawn)) {
        (Some(first), Some(last)) => &line[first..=last],
        _ => &[],
    }
}

/// Drops blank lines above, below, and between all ranks.
fn drop_blank_lines(lines: &mut Vec<DrawnLine>, notes: &mut Vec<String>) -> Result<(), DrawingError> {
    let is_drawn = |(_, line): &DrawnLine| !line.is_empty();
    let (Some(first), Some(last)) = (lines.iter().position(is_drawn), lines.iter().rposition(is_drawn))
    else {
        return Err(DrawingError::Empty);
    };
    lines.truncate(last + 1);
    lines.drain(..first);
    let Some(blank) = lines.iter().find(|(_, line)| line.is_empty()).map(|(line, _)| *line) else {
        return Ok(());
    };
    let drawn = lines.iter().filter(|(_, line)| !line.is_empty()).count();
    let is_alternating = drawn > 1
        && lines.len() == 2 * drawn - 1
        && lines.iter().step_by(2).all(|(_, line)| !line.is_empty());
    if !is_alternating {
        return Err(DrawingError::BlankRank { line: blank });
    }
    lines.retain(|(_, line)| !line.is_empty());
    notes.push("the blank lines between the ranks are not ranks".to_owned());
    Ok(())
}

/// Rejects a first or last line that is only one letter, such as `S`, while other signs draw the squares.
fn check_lone_marks(lines: &[DrawnLine]) -> Result<(), DrawingError> {
    let count = |sign: char| lines.iter().flat_map(|(_, line)| line).filter(|&&c| c == sign).count();
    let ends = [lines.first(), lines.last()];
    let lone = ends.into_iter().flatten().find_map(|(line, characters)| match characters[..] {
        [sign] if sign.is_alphabetic() && count(sign) == 1 && lines.len() > 1 => Some((*line, sign)),
        _ => None,
    });
    match lone {
        Some((line, sign)) => Err(DrawingError::LoneMark { line, sign }),
        None => Ok(()),
    }
}

/// Drops separators between signs: equally many blanks, or a comma, semicolon, tab or bar.
fn drop_separators(lines: &mut [DrawnLine], notes: &mut Vec<String>) -> Result<(), DrawingError> {
    let separator =
        ['\t', ',', ';', '|'].into_iter().find(|sign| lines.iter().any(|(_, line)| line.contains(sign)));
    if let Some(separator) = separator {
        // A field is a sign or empty.
        let fields = |line: &[char]| -> Option<Vec<char>> {
            let field = |field: &[char]| match field.iter().filter(|c| **c != ' ').collect::<Vec<_>>()[..] {
                [] => Some(' '),
                [sign] => Some(*sign),
                _ => None,
            };
            line.split(|&c| c == separator).map(field).collect()
        };
        // Bars may also frame the ranks.
        let is_framed = separator == '|'
            && lines.iter().map(|(_, line)| trim_blanks(line)).all(|line| matches!(line, ['|', .., '|']));
        let inside = |line: &[char]| match trim_blanks(line) {
            ['|', inside @ .., '|'] if is_framed => fields(inside),
            _ => fields(line),
        };
        let split: Option<Vec<Vec<char>>> = lines.iter().map(|(_, line)| inside(line)).collect();
        let is_wide = lines.iter().filter(|(_, line)| line.contains(&separator)).count() * 2 >= lines.len();
        let Some(split) = split.filter(|_| is_wide) else {
            let tabbed = lines.iter().find(|(_, line)| line.contains(&'\t')).filter(|_| separator == '\t');
            return tabbed.map_or(Ok(()), |(line, _)| Err(DrawingError::Tab { line: *line }));
        };
        lines.iter_mut().zip(split).for_each(|((_, line), fields)| *line = fields);
        let name = if separator == '\t' { "tabs".to_owned() } else { format!("signs {separator:?}") };
        notes.push(format!("the {name} between the signs of the drawing are not squares"));
        return Ok(());
    }
    let drawn = |(_, line): &DrawnLine| (0..line.len()).filter(|&at| line[at] != ' ').collect::<Vec<_>>();
    let columns: Vec<usize> = lines.iter().flat_map(drawn).collect();
    let first = columns.iter().copied().min().unwrap_or(0);
    let distance = columns.iter().fold(0, |distance: usize, column| distance.gcd(&(column - first)));
    // Several ranks have more than one sign, or the only one has.
    let wide = lines.iter().filter(|(_, line)| line.len() > first + 1).count();
    if distance < 2 || wide < lines.len().min(2) {
        return Ok(());
    }
    for (_, line) in lines.iter_mut() {
        *line = line.iter().copied().skip(first).step_by(distance).collect();
    }
    notes.push("the blanks between the signs of the drawing are not squares".to_owned());
    Ok(())
}

/// Adds notes on signs whose meaning is not obvious.
fn note_on_signs(lines: &[DrawnLine], given: &DrawingSigns, notes: &mut Vec<String>) {
    let all: Vec<char> =
        lines.iter().flat_map(|(_, line)| line.iter().copied()).filter(|&c| c != ' ').collect();
    let (signs, meaning) = match (&given.squares, &given.holes) {
        (Some(signs), None) => (signs, "holes"),
        (None, Some(signs)) => (signs, "squares"),
        (None, None) => {
            let holes = all.iter().filter(|&&c| c == '#').count();
            if 2 * holes > all.len() {
                notes.push(
                    "`#` is a hole; to make it a square, name it as the sign of the squares".to_owned(),
                );
            }
            return;
        }
        (Some(_), Some(_)) => return,
    };
    let others: Vec<String> = signs_of(&all)
        .into_iter()
        .filter(|&sign| !signs.contains(sign))
        .map(|sign| format!("{sign:?}"))
        .collect();
    // Signs that are usual for squares and holes need no note if there is only one.
    let is_usual = |sign: &String| ["'x'", "'X'", "'o'", "'O'", "'0'", "'1'"].contains(&sign.as_str());
    let is_letter = |sign: &String| sign.chars().any(char::is_alphanumeric) && !is_usual(sign);
    if others.len() > 1 || others.iter().any(is_letter) {
        notes.push(format!("signs read as {meaning}: {}", others.join(", ")));
    }
}

/// Returns a function that says whether a sign is a square; it returns `None` for an unknown sign.
fn square_test(
    lines: &[DrawnLine],
    given: &DrawingSigns,
) -> Result<impl Fn(char) -> Option<bool> + use<>, DrawingError> {
    let all: Vec<char> =
        lines.iter().flat_map(|(_, line)| line.iter().copied()).filter(|&c| c != ' ').collect();
    let (squares, holes) = match (&given.squares, &given.holes) {
        (None, None) => (Some(choose_square_signs(&all)?), None),
        (squares, holes) => (squares.clone(), holes.clone()),
    };
    if let (Some(squares), Some(holes)) = (&squares, &holes)
        && let Some(sign) = squares.chars().find(|&sign| holes.contains(sign))
    {
        return Err(DrawingError::ContradictorySigns(sign));
    }
    Ok(move |sign: char| match (&squares, &holes) {
        (Some(squares), _) if squares.contains(sign) => Some(true),
        (_, Some(holes)) if holes.contains(sign) => Some(false),
        (Some(_), Some(_)) => None,
        // All other signs are holes, or squares.
        (squares, _) => Some(squares.is_none()),
    })
}

/// Returns the signs of squares, if only one choice is possible.
fn choose_square_signs(all: &[char]) -> Result<String, DrawingError> {
    let count = |sign: char| all.iter().filter(|&&c| c == sign).count();
    let signs = signs_of(all);
    // A start or an end is marked once.
    let is_mark = |sign: char| matches!(sign.to_ascii_lowercase(), 's' | 'e') && count(sign) == 1;
    let marks: Vec<char> = signs.iter().copied().filter(|&sign| is_mark(sign)).collect();
    let others: Vec<char> = signs.iter().copied().filter(|&sign| !is_mark(sign) && sign != '#').collect();
    let with_marks = |sign: char| marks.iter().copied().chain([sign]).collect();
    match others[..] {
        [] if marks.is_empty() => Err(DrawingError::Empty),
        [] => Ok(marks.into_iter().collect()),
        [sign] => Ok(with_marks(sign)),
        [first, second, ..] => Err(DrawingError::AmbiguousSigns { first, second }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, DrawingError> {
        parse_with(text, None, None)
    }

    /// Returns the squares of each rank from the top, as `.` and `#`.
    fn parse_with(text: &str, squares: Option<&str>, holes: Option<&str>) -> Result<String, DrawingError> {
        let signs = DrawingSigns { squares: squares.map(str::to_owned), holes: holes.map(str::to_owned) };
        let board = parse_drawing(text, &signs)?.board;
        let sign =
            |rank: u16, file: u16| if board.index(Square::new(file, rank)).is_some() { '.' } else { '#' };
        let rank = |rank: u16| (0..board.cols()).map(|file| sign(rank, file)).collect::<String>();
        Ok((0..board.rows()).rev().map(rank).collect::<Vec<_>>().join("/"))
    }

    #[test]
    fn parse_drawing_returns_rectangle_with_holes() {
        for (text, board) in [
            ("\n #.#\n ...\n  .\n\n", "##.#/#.../##.#"),
            ("....\r\n....\r\n....", "..../..../...."),
            (" xxx\nsx x\n", "#.../..#."),
            ("x x x x\nx x x x\nx x x x\n", "..../..../...."),
            ("x x x\nx   x\n", ".../.#."),
            ("x,x,x\nx,,x\n", ".../.#."),
            (".\t.\t.\n\t.\t.\n", ".../#.."),
            ("|.|.|.|\n|.|#|.|\n|.| |.|\n", ".../.#./.#."),
            (" | . | . |\n | . | . |\n", "../.."),
            ("x\nx x\nx x x\n", ".##/..#/..."),
            (". . .\n. . .\n.\n", ".../.../.##"),
            (".  .  .\n.     .\n", ".../.#."),
            ("...\r...\r.#.\r", ".../.../.#."),
            ("\u{200b}...\n...\n", ".../..."),
            ("...\n\n.#.\n\n...\n", ".../.#./..."),
            ("ring\n...\n.#.\n...\n", ".../.#./..."),
            ("\u{feff}A ring of 8:\n\n...\n.#.\n...\nby nobody\n", ".../.#./..."),
            ("x marks squares\nxxx\nx x\nxxx\n", ".../.#./..."),
            ("...\n.#.\n...\n# hole\n", ".../.#./..."),
            ("**\n* *\n", "..#/.#."),
            ("OO#\nO O\n", "..#/.#."),
        ] {
            assert_eq!(parse(text).as_deref(), Ok(board), "{text}");
        }
        for (text, squares, holes, board) in [
            ("OXO\nOOO\n", Some("O"), None, ".#./..."),
            ("OXO\nOOO\n", None, Some("O"), "#.#/###"),
            (".sxx\n.xxx\n", Some("sx"), None, "#.../#..."),
            ("010\n111\n", Some("1"), Some("0"), "#.#/..."),
        ] {
            assert_eq!(parse_with(text, squares, holes).as_deref(), Ok(board), "{text}");
        }
    }

    #[test]
    fn parse_drawing_rejects_ambiguous_and_empty_text() {
        assert_eq!(parse(""), Err(DrawingError::Empty));
        assert_eq!(parse("##\n  #\n"), Err(DrawingError::Empty));
        for text in ["OOO\nOXO\n", ".sxx\n.xxx\n", "10\n11\n", "..\n.1", ".-.\n..."] {
            assert!(matches!(parse(text), Err(DrawingError::AmbiguousSigns { .. })), "{text}");
        }
        for (text, line, shown) in [
            ("....\n....\n....\n.... bottom\n", 4, ".... bottom"),
            ("...  # top\n.#.\n...\n", 1, "...  # top"),
            ("rank3 ...\n.#.\n...\n", 1, "rank3 ..."),
            ("x x x top\nx   x\nx x x\n", 1, "x x x top"),
            ("top x   x\nx x x\nx x x\n", 1, "top x   x"),
            ("x x\nxxx\nmn xxx op\n", 3, "mn xxx op"),
        ] {
            assert_eq!(parse(text), Err(DrawingError::RankOrText { line, text: shown.to_owned() }), "{text}");
        }
        assert_eq!(parse("..\n\n..\n..\n"), Err(DrawingError::BlankRank { line: 2 }));
        assert_eq!(parse("S\n...\n"), Err(DrawingError::LoneMark { line: 1, sign: 'S' }));
        assert_eq!(parse("...\n\t..\n...\n"), Err(DrawingError::Tab { line: 2 }));
        assert_eq!(parse("...\n\u{1b}[31m...\n"), Err(DrawingError::InvisibleCharacter { line: 2 }));
        assert_eq!(parse("...\n.\u{200b}.\n...\n"), Err(DrawingError::InvisibleCharacter { line: 2 }));
        assert!(matches!(parse_with("..\n..", Some(". "), None), Err(DrawingError::BlankSquares(_))));
        assert_eq!(parse_with("ab", Some("a"), Some("a")), Err(DrawingError::ContradictorySigns('a')));
        assert_eq!(
            parse_with("ab\nac", Some("a"), Some("b")),
            Err(DrawingError::UnknownCharacter { line: 2, column: 2, character: 'c' })
        );
    }

    #[test]
    fn notes_say_what_is_not_a_square() {
        let notes = |text: &str| parse_drawing(text, &DrawingSigns::default()).unwrap().notes.len();
        assert_eq!(notes("...\n...\n"), 0);
        assert_eq!(notes("x x x\n\nx x x\n"), 2);
        assert_eq!(notes("ring\n...\n"), 1);
        assert_eq!(notes("###\n#.#\n###\n"), 1);
        let notes = |text: &str| {
            let signs = DrawingSigns { squares: Some("o".to_owned()), holes: None };
            parse_drawing(text, &signs).unwrap().notes
        };
        assert!(notes("ooo\no.o\n").is_empty() && notes("ooo\noxo\n").is_empty());
        assert_eq!(notes("foo\nooo\noxo\n").len(), 1);
        assert!(notes("ooo\no.x\n")[0].contains("'x'"));
    }
}
