//! Text in a picture: as SVG text for viewers with fonts, or as strokes for renderers without fonts.
//!
//! All strokes have the same width. The font has digits and small letters; a digit is 7 units high
//! above the baseline, a small letter 4.6. So a PNG does not depend on the fonts of the machine,
//! and the program needs no font renderer.

use std::fmt::{self, Write};

/// Way in which texts are drawn in a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextRendering {
    /// As SVG text, drawn by the viewer with its fonts.
    #[default]
    SvgText,
    /// As strokes, which need no font.
    Strokes,
}

/// Height of a digit above the baseline, in units of the glyph paths.
const DIGIT_HEIGHT_UNITS: f64 = 7.0;
/// Height of a digit, as a fraction of the font size.
const DIGIT_HEIGHT_PER_FONT_SIZE: f64 = 0.72;
/// Space between two glyphs, in units of the glyph paths.
const GLYPH_GAP_UNITS: f64 = 1.5;

/// Writes the SVG elements of a word, centred at `x` on the baseline `y`. The enclosing element
/// must set `text-anchor="middle"`.
///
/// # Errors
/// The output cannot be written.
pub fn write_word(
    out: &mut impl Write,
    letters: TextRendering,
    (x, y): (f64, f64),
    size: f64,
    colour: &str,
    word: &str,
) -> fmt::Result {
    match letters {
        TextRendering::SvgText => {
            writeln!(
                out,
                r##"<text x="{x:.1}" y="{y:.1}" font-size="{size:.1}" fill="{colour}">{word}</text>"##
            )
        }
        TextRendering::Strokes => {
            let scale = size * DIGIT_HEIGHT_PER_FONT_SIZE / DIGIT_HEIGHT_UNITS;
            let width = word.chars().map(|c| glyph(c).0 + GLYPH_GAP_UNITS).sum::<f64>() - GLYPH_GAP_UNITS;
            writeln!(
                out,
                r##"<g transform="translate({:.2} {:.2}) scale({scale:.4})" fill="none" stroke="{colour}" stroke-width="1" stroke-linecap="round" stroke-linejoin="round">"##,
                x - width * scale / 2.0,
                y - DIGIT_HEIGHT_UNITS * scale
            )?;
            let mut at = 0.0;
            for c in word.chars() {
                let (width, path) = glyph(c);
                if !path.is_empty() {
                    writeln!(out, r##"<path transform="translate({at:.1} 0)" d="{path}"/>"##)?;
                }
                at += width + GLYPH_GAP_UNITS;
            }
            out.write_str("</g>\n")
        }
    }
}

/// Returns the width of a character and its SVG path; an unknown character is a blank.
fn glyph(c: char) -> (f64, &'static str) {
    match c {
        '0' => (4.0, "M2 0C.6 0 0 1.4 0 3.5S.6 7 2 7 4 5.6 4 3.5 3.4 0 2 0z"),
        '1' => (4.0, "M.8 1.5L2.4 0V7"),
        '2' => (4.0, "M.2 1.8C.2.7 1 0 2 0 3.1 0 3.8.7 3.8 1.8 3.8 3.3 2 4.4 0 7H4"),
        '3' => (
            4.0,
            "M.2.9C.7.3 1.2 0 2 0 3 0 3.7.7 3.7 1.7S3 3.3 2 3.3H1.4M2 3.3C3.2 3.3 4 4 4 5.1S3.2 7 2 7C1 7 .4 6.6 0 5.8",
        ),
        '4' => (4.0, "M2.9 7V0L0 4.8H4"),
        '5' => {
            (4.0, "M3.6 0H.7L.4 3.1C.8 2.8 1.3 2.6 1.9 2.6 3.1 2.6 4 3.5 4 4.8S3.1 7 1.9 7C1 7 .4 6.6 0 6")
        }
        '6' => (
            4.0,
            "M3.5.6C3.1.2 2.7 0 2.2 0 .8 0 0 1.6 0 4.2 0 6 .8 7 2 7S4 6.1 4 4.8 3.2 2.6 2 2.6 0 3.5 0 4.8",
        ),
        '7' => (4.0, "M0 0H4L1.5 7"),
        '8' => (
            4.0,
            "M2 3.2C1 3.2.3 2.6.3 1.6S1 0 2 0 3.7.6 3.7 1.6 3 3.2 2 3.2C.8 3.2 0 4 0 5.1S.8 7 2 7 4 6.2 4 5.1 3.2 3.2 2 3.2z",
        ),
        '9' => (
            4.0,
            "M4 2.2C4 3.5 3.2 4.4 2 4.4S0 3.5 0 2.2.8 0 2 0 4 1 4 2.8C4 5.4 3.2 7 1.8 7 1.3 7 .9 6.8.5 6.4",
        ),
        'a' => (3.4, "M3.4 2.4V7M3.4 4.7C3.4 3.3 2.7 2.4 1.7 2.4S0 3.3 0 4.7 .7 7 1.7 7 3.4 6.1 3.4 4.7"),
        'b' => (3.4, "M0 0V7M0 4.7C0 3.3.7 2.4 1.7 2.4S3.4 3.3 3.4 4.7 2.7 7 1.7 7 0 6.1 0 4.7"),
        'c' => (3.2, "M3.2 3.2C2.9 2.7 2.4 2.4 1.8 2.4.7 2.4 0 3.3 0 4.7S.7 7 1.8 7C2.4 7 2.9 6.7 3.2 6.2"),
        'd' => (3.4, "M3.4 0V7M3.4 4.7C3.4 3.3 2.7 2.4 1.7 2.4S0 3.3 0 4.7 .7 7 1.7 7 3.4 6.1 3.4 4.7"),
        'e' => (3.4, "M0 4.6H3.4C3.4 3.2 2.7 2.4 1.7 2.4S0 3.3 0 4.7 .7 7 1.8 7C2.4 7 2.9 6.7 3.2 6.2"),
        'f' => (2.2, "M2.2 0C1.3-.1.8.4.8 1.4V7M0 2.5H2"),
        'g' => (
            3.4,
            "M3.4 2.4V7.2C3.4 8.4 2.7 9 1.7 9 1.1 9 .6 8.8.2 8.4M3.4 4.7C3.4 3.3 2.7 2.4 1.7 2.4S0 3.3 0 4.7 .7 7 1.7 7 3.4 6.1 3.4 4.7",
        ),
        'h' => (3.2, "M0 0V7M0 4.2C.2 3.1.9 2.4 1.8 2.4 2.7 2.4 3.2 3 3.2 4.1V7"),
        'i' => (0.4, "M.2 2.4V7M.2.3V.5"),
        'j' => (1.2, "M1 2.4V7.6C1 8.6.6 9 0 9M1 .3V.5"),
        'k' => (3.2, "M0 0V7M3 2.4L0 5.3M1.2 4.2L3.2 7"),
        'l' => (0.4, "M.2 0V7"),
        'm' => (
            5.2,
            "M0 2.4V7M0 4C.1 3 .7 2.4 1.4 2.4 2.2 2.4 2.6 3 2.6 4V7M2.6 4C2.7 3 3.3 2.4 4 2.4 4.8 2.4 5.2 3 5.2 4V7",
        ),
        'n' => (3.2, "M0 2.4V7M0 4.2C.2 3.1.9 2.4 1.8 2.4 2.7 2.4 3.2 3 3.2 4.1V7"),
        'o' => (3.4, "M1.7 2.4C.7 2.4 0 3.3 0 4.7S.7 7 1.7 7 3.4 6.1 3.4 4.7 2.7 2.4 1.7 2.4z"),
        'p' => (3.4, "M0 2.4V9M0 4.7C0 3.3.7 2.4 1.7 2.4S3.4 3.3 3.4 4.7 2.7 7 1.7 7 0 6.1 0 4.7"),
        'q' => (3.4, "M3.4 2.4V9M3.4 4.7C3.4 3.3 2.7 2.4 1.7 2.4S0 3.3 0 4.7 .7 7 1.7 7 3.4 6.1 3.4 4.7"),
        'r' => (2.0, "M0 2.4V7M0 4.4C.2 3.1.9 2.4 2 2.5"),
        's' => (
            2.8,
            "M2.7 3.1C2.4 2.6 2 2.4 1.4 2.4.6 2.4.1 2.9.1 3.5.1 5 2.8 4.3 2.8 5.8 2.8 6.5 2.2 7 1.4 7 .8 7 .3 6.7 0 6.2",
        ),
        't' => (2.2, "M.8.8V5.8C.8 6.7 1.2 7.1 2.2 7M0 2.4H2"),
        'u' => (3.2, "M0 2.4V5.3C0 6.4.5 7 1.4 7 2.3 7 3 6.3 3.2 5.2M3.2 2.4V7"),
        'v' => (3.2, "M0 2.4L1.6 7 3.2 2.4"),
        'w' => (4.8, "M0 2.4L1.2 7 2.4 2.8 3.6 7 4.8 2.4"),
        'x' => (3.0, "M0 2.4L3 7M3 2.4L0 7"),
        'y' => (3.2, "M0 2.4L1.6 7M3.2 2.4L1.2 8C.9 8.8.6 9 0 9"),
        'z' => (3.0, "M0 2.4H3L0 7H3"),
        '-' => (2.2, "M0 4.5H2.2"),
        ',' => (0.6, "M.5 6.8V7L0 8.4"),
        '^' => (2.6, "M0 2L1.3.2 2.6 2"),
        '=' => (2.6, "M0 3.4H2.6M0 5.4H2.6"),
        '.' => (0.4, "M.2 6.8V7"),
        ':' => (0.4, "M.2 3V3.2M.2 6.6V6.8"),
        _ => (2.4, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_written_characters_have_strokes() {
        for c in "0123456789abcdefghijklmnopqrstuvwxyz-:,^=.".chars() {
            let (width, path) = glyph(c);
            assert!(width > 0.0 && path.starts_with('M'), "{c}");
        }
        let mut out = String::new();
        write_word(&mut out, TextRendering::Strokes, (10.0, 20.0), 7.0, "#000", "12: re-entrant").unwrap();
        assert!(!out.contains("<text") && out.matches("<path").count() == "12:re-entrant".len());
    }
}
