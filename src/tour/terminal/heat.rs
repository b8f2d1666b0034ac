//! A heat map on a terminal: moves as lines of braille dots, ends as coloured numbers.
//!
//! ```text
//! 6x6 paths: 3318960 tours
//!   +------------+     +----+----+     the more tours use a move, the brighter it is, and the later it is drawn;
//! 2 | .`-._.-    |   2 | 12   3        without colours only moves used by at least the mean share are drawn
//! 1 |   `*'      |   1 |  3  12
//! ```

use crate::tour::leg::Leg;
use crate::tour::palette::Palette;
use crate::tour::places::Places;
use crate::tour::svg::{Heat, range, scaled};

use super::braille::{Canvas, Frame};
use super::{Picture, TerminalError};

/// Smallest width of a square with its share, in characters, and the largest number of decimals.
const CELL: usize = 5;
const DECIMALS: usize = 2;

/// Draws a heat map of at most `width` columns. Without colours only the more frequent moves are drawn.
///
/// # Errors
/// [`TerminalError`] if the board is too wide, or has no layout.
pub fn heat_on_terminal(heat: &Heat, width: usize, colour: bool) -> Result<Picture, TerminalError> {
    let places = Places::of(heat.arena)?;
    let frame = Frame::of(heat.arena, &places, width)?;
    let mut canvas = frame.canvas();
    let (least, most) = range(heat.moves.iter().map(|one| one.2));
    // An empty sum of floats would be -0.
    let mean = heat.moves.iter().fold(0.0, |sum, one| sum + one.2) / heat.moves.len().max(1) as f64;
    let mut sorted = heat.moves.to_vec();
    sorted.sort_by(|one, other| one.2.total_cmp(&other.2));
    if !colour {
        sorted.retain(|one| one.2 >= mean && one.2 > 0.0);
    }
    for (v, w, share) in sorted {
        let shade = shade(scaled(share, least, most));
        let (a, b) = (frame.middle(places.square(v)), frame.middle(places.square(w)));
        line(&mut canvas, &frame, Leg::of(&places, v, w), (a, b), shade);
    }
    let mut picture = Picture::default();
    picture.put(0, heat.title);
    let below = frame.around(&canvas.signs(), canvas.wide);
    append(&mut picture, below);
    let drawn =
        if colour || most == 0.0 { String::new() } else { format!(", {:.2} or more drawn", 100.0 * mean) };
    let words = format!("per cent of tours with a move: {:.2} to {:.2}{drawn}", 100.0 * least, 100.0 * most);
    legend(&mut picture, &words, colour);
    if let Some(ends) = heat.ends {
        numbers(&mut picture, &places, ends, width, heat, colour)?;
    }
    Ok(picture)
}

fn line(canvas: &mut Canvas, frame: &Frame, leg: Leg, (a, b): ((i32, i32), (i32, i32)), shade: u8) {
    match leg {
        Leg::Straight => canvas.line(a, b, shade),
        Leg::Stubs(leaving, coming) => {
            canvas.line(a, frame.beside(a, leaving.way), shade);
            canvas.line(frame.beside(b, coming.way), b, shade);
        }
    }
}

/// Appends the squares with their shares in per cent.
fn numbers(
    picture: &mut Picture,
    places: &Places,
    ends: &[f64],
    width: usize,
    heat: &Heat,
    colour: bool,
) -> Result<(), TerminalError> {
    let margin = places.rows().to_string().len();
    let text = |share: f64, decimals: usize| format!("{:.decimals$}", 100.0 * share);
    // A blank precedes each share; if the row is too wide, the shares get fewer decimals.
    let cell = |decimals: usize| {
        let longest = ends.iter().map(|&share| text(share, decimals).len()).max().unwrap_or(0);
        (longest + 1).max(CELL)
    };
    let needs = |cell: usize| margin + 1 + cell * usize::from(places.cols());
    let decimals = (0..=DECIMALS).rev().find(|&decimals| needs(cell(decimals)) <= width);
    let Some((decimals, cell)) = decimals.map(|decimals| (decimals, cell(decimals))) else {
        let needs = needs(cell(0));
        return Err(TerminalError::TooWide { title: heat.arena.title(), needs, width });
    };
    let (least, most) = range(ends.iter().copied());
    picture.put(picture.lines.len(), "");
    let mut rows = vec![vec![None; places.cols().into()]; places.rows().into()];
    for (share, square) in ends.iter().zip(places.squares()) {
        rows[usize::from(square.rank())][usize::from(square.file())] = Some(*share);
    }
    for (rank, row) in rows.iter().enumerate().rev() {
        let at = picture.lines.len();
        picture.put(at, &format!("{:>margin$} ", rank + 1));
        for share in row {
            let text = share.map_or(String::new(), |share| text(share, decimals));
            let shade = share.map(|share| shade(scaled(share, least, most)));
            picture.put_coloured(at, &format!("{text:>cell$}"), shade);
        }
    }
    let mut files = format!("{:margin$} ", "");
    for column in 0..places.cols() {
        let name = places.file(column).map(|file| super::file_name(usize::from(file)));
        files += &format!("{:>cell$}", name.unwrap_or_default());
    }
    picture.put(picture.lines.len(), &files);
    legend(
        picture,
        &format!("per cent of tours with an end: {:.2} to {:.2}", 100.0 * least, 100.0 * most),
        colour,
    );
    Ok(())
}

/// Appends the legend of the shades.
fn legend(picture: &mut Picture, words: &str, colour: bool) {
    let at = picture.lines.len();
    picture.put(at, words);
    if colour {
        picture.put(at, " ");
        (0..7).for_each(|step| picture.put_coloured(at, "■", Some(shade(f64::from(step) / 6.0))));
    }
}

fn append(picture: &mut Picture, other: Picture) {
    picture.lines.extend(other.lines);
}

/// Returns the terminal colour of a scaled share, from dark to bright on the viridis ramp.
fn shade(value: f64) -> u8 {
    Palette::Viridis.colours().on_terminal(Some(value.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Arena;
    use crate::tour::Letters;

    #[test]
    fn it_fits_a_terminal_and_says_what_it_is_of() {
        let arena: Arena = "8x8".parse().unwrap();
        let moves: Vec<(u32, u32, f64)> = (0..64u32)
            .flat_map(|v| (v..64).map(move |w| (v, w)))
            .filter(|&(v, w)| arena.is_move(v, w))
            .map(|(v, w)| (v, w, f64::from(v) / 64.0))
            .collect();
        let ends = [1.0 / 32.0; 64];
        let title = "8x8 paths: 7 tours";
        let heat = Heat { arena: &arena, title, moves: &moves, ends: Some(&ends), letters: Letters::Text };
        let picture = heat_on_terminal(&heat, 80, false).unwrap();
        assert!(picture.width() <= 80);
        let text = picture.text(false);
        assert!(text.starts_with("8x8 paths: 7 tours\n") && text.matches("3.12").count() >= 64, "{text}");
        assert!(text.contains("or more drawn") && !text.contains('\x1b'));
        let coloured = heat_on_terminal(&heat, 80, true).unwrap().text(true);
        assert!(coloured.contains("\x1b[") && coloured.contains("■"));
        assert!(heat_on_terminal(&heat, 20, true).is_err());
    }

    #[test]
    fn what_is_symmetric_looks_so() {
        let arena: Arena = "6x6".parse().unwrap();
        let moves = (0..36u32).flat_map(|v| (v..36).map(move |w| (v, w, 0.5)));
        let moves: Vec<_> = moves.filter(|&(v, w, _)| arena.is_move(v, w)).collect();
        let heat = Heat { arena: &arena, title: "", moves: &moves, ends: None, letters: Letters::Text };
        let text = heat_on_terminal(&heat, 80, false).unwrap().text(false);
        let rows = text.lines().filter_map(|line| line.split('│').nth(1));
        let mut dots = std::collections::BTreeSet::new();
        for (y, row) in (0..).zip(rows) {
            for (x, sign) in (0..).zip(row.chars()) {
                let bits = u32::from(sign).saturating_sub(0x2800);
                let places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)];
                let there = places.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
                dots.extend(there.map(|(_, (over, down))| (2 * x + over, 4 * y + down)));
            }
        }
        let [across, down] = [0, 1].map(|side| {
            let all = || dots.iter().map(|dot: &(i32, i32)| [dot.0, dot.1][side]);
            all().min().unwrap() + all().max().unwrap()
        });
        assert!(dots.len() > 500);
        for (x, y) in &dots {
            let images = [(across - x, *y), (*x, down - y), (*y, *x)];
            assert!(images.iter().all(|image| dots.contains(image)), "{x} {y}\n{text}");
        }
    }

    #[test]
    fn of_no_moves_none_are_drawn() {
        let arena: Arena = "1x1".parse().unwrap();
        let heat = Heat { arena: &arena, title: "", moves: &[], ends: None, letters: Letters::Text };
        let text = heat_on_terminal(&heat, 80, false).unwrap().text(false);
        assert!(text.contains("per cent of tours with a move: 0.00 to 0.00\n"), "{text}");
    }

    #[test]
    fn numbers_stand_apart() {
        let arena: Arena = "5x5".parse().unwrap();
        let ends: Vec<f64> = (0..25).map(|v| [0.351_852, 0.0, 1.0][v % 3]).collect();
        let heat = Heat { arena: &arena, title: "", moves: &[], ends: Some(&ends), letters: Letters::Text };
        for (width, row) in [
            (80, "1   35.19   0.00 100.00  35.19   0.00"),
            (32, "1   35.2   0.0 100.0  35.2   0.0"),
            (30, "1    35    0  100   35    0"),
        ] {
            let text = heat_on_terminal(&heat, width, false).unwrap().text(false);
            assert!(text.lines().any(|line| line == row), "{text}");
        }
    }
}
