//! Text in a picture: as SVG text for viewers with fonts, or as strokes for renderers without fonts.
//!
//! All strokes have the same width. The font has digits, Latin letters and signs; a digit is 7 units
//! high above the baseline, a small letter 4.6. So a PNG does not depend on the fonts of the machine,
//! and the program needs no font renderer. A letter with an accent is drawn without it, and any other
//! character as a box.

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

/// Returns a text as the content of an XML element.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

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
                r##"<text x="{x:.1}" y="{y:.1}" font-size="{size:.1}" fill="{colour}">{}</text>"##,
                escape(word)
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

/// Width and path of a character that the font lacks.
const MISSING_GLYPH: (f64, &str) = (3.4, "M0 0H3.4V7H0z");

/// Letters with accents and signs, each with the characters that are drawn like it.
const SIMILAR_CHARACTERS: [(char, &str); 27] = [
    ('a', "àáâãäåæāăąǎ"),
    ('c', "çćĉċč"),
    ('d', "ðďđ"),
    ('e', "èéêëēĕėęě"),
    ('g', "ĝğġģ"),
    ('h', "ĥħ"),
    ('i', "ìíîïĩīĭįıǐ"),
    ('j', "ĵ"),
    ('k', "ķĸ"),
    ('l', "ĺļľŀł"),
    ('n', "ñńņňŉŋ"),
    ('o', "òóôõöøōŏőœǒ"),
    ('p', "þ"),
    ('r', "ŕŗř"),
    ('s', "śŝşšșſß"),
    ('t', "ţťŧț"),
    ('u', "ùúûüũūŭůűųǔ"),
    ('w', "ŵ"),
    ('x', "×"),
    ('y', "ýÿŷ"),
    ('z', "źżž"),
    ('-', "‐‑–—−"),
    ('\'', "‘’′`´"),
    ('"', "“”″"),
    (':', "∶"),
    ('.', "·"),
    ('+', "＋"),
];

/// Returns the character of the font that is most similar to a character without a glyph.
fn similar_character(c: char) -> Option<char> {
    let find =
        |c: char| SIMILAR_CHARACTERS.iter().find(|(_, similar)| similar.contains(c)).map(|(base, _)| *base);
    let small = c.to_lowercase().next().filter(|&small| small != c);
    find(c).or_else(|| find(small?).map(|base| base.to_ascii_uppercase()))
}

/// Returns the width of a character and its SVG path. A blank has an empty path, and an unknown
/// character is a box.
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
        'A' => (4.0, "M0 7L2 0 4 7M.7 4.6H3.3"),
        'B' => (4.0, "M0 0V7H2.2C3.3 7 4 6.3 4 5.1S3.3 3.3 2.2 3.3H0M0 0H2C3 0 3.6.6 3.6 1.6S3 3.3 2 3.3"),
        'C' => (4.0, "M4 1.2C3.6.4 3 0 2.2 0 .8 0 0 1.4 0 3.5S.8 7 2.2 7C3 7 3.6 6.6 4 5.8"),
        'D' => (4.0, "M0 0V7H1.6C3.1 7 4 5.7 4 3.5S3.1 0 1.6 0z"),
        'E' => (3.6, "M3.6 0H0V7H3.6M0 3.4H3"),
        'F' => (3.6, "M3.6 0H0V7M0 3.4H3"),
        'G' => (4.0, "M4 1.2C3.6.4 3 0 2.2 0 .8 0 0 1.4 0 3.5S.8 7 2.2 7C3 7 3.7 6.6 4 6V3.8H2.4"),
        'H' => (4.0, "M0 0V7M4 0V7M0 3.4H4"),
        'I' => (2.0, "M1 0V7M0 0H2M0 7H2"),
        'J' => (3.0, "M3 0V5.2C3 6.4 2.5 7 1.5 7 .6 7 .1 6.4 0 5.6"),
        'K' => (4.0, "M0 0V7M3.8 0L0 4.2M1.3 2.8L4 7"),
        'L' => (3.4, "M0 0V7H3.4"),
        'M' => (4.8, "M0 7V0L2.4 4 4.8 0V7"),
        'N' => (4.0, "M0 7V0L4 7V0"),
        'O' => (4.2, "M2.1 0C.8 0 0 1.4 0 3.5S.8 7 2.1 7 4.2 5.6 4.2 3.5 3.4 0 2.1 0z"),
        'P' => (4.0, "M0 7V0H2.2C3.3 0 4 .7 4 1.9S3.3 3.8 2.2 3.8H0"),
        'Q' => (4.4, "M2.1 0C.8 0 0 1.4 0 3.5S.8 7 2.1 7 4.2 5.6 4.2 3.5 3.4 0 2.1 0zM2.6 5.2L4.4 7.4"),
        'R' => (4.0, "M0 7V0H2.2C3.3 0 4 .7 4 1.9S3.3 3.8 2.2 3.8H0M2.2 3.8L4 7"),
        'S' => {
            (4.0, "M3.8 1.1C3.4.4 2.8 0 2 0 .9 0 .2.7.2 1.7.2 4 4 3 4 5.2 4 6.3 3.2 7 2 7 1.1 7 .4 6.6 0 5.8")
        }
        'T' => (4.0, "M0 0H4M2 0V7"),
        'U' => (4.0, "M0 0V4.8C0 6.2.8 7 2 7S4 6.2 4 4.8V0"),
        'V' => (4.0, "M0 0L2 7 4 0"),
        'W' => (5.6, "M0 0L1.4 7 2.8 1 4.2 7 5.6 0"),
        'X' => (4.0, "M0 0L4 7M4 0L0 7"),
        'Y' => (4.0, "M0 0L2 3.4 4 0M2 3.4V7"),
        'Z' => (4.0, "M0 0H4L0 7H4"),
        '-' => (2.2, "M0 4.5H2.2"),
        ',' => (0.6, "M.5 6.8V7L0 8.4"),
        '^' => (2.6, "M0 2L1.3.2 2.6 2"),
        '=' => (2.6, "M0 3.4H2.6M0 5.4H2.6"),
        '.' => (0.4, "M.2 6.8V7"),
        ':' => (0.4, "M.2 3V3.2M.2 6.6V6.8"),
        '(' => (1.4, "M1.4-.6C.4.6 0 2 0 3.6S.4 6.6 1.4 7.8"),
        ')' => (1.4, "M0-.6C1 .6 1.4 2 1.4 3.6S1 6.6 0 7.8"),
        '[' => (1.4, "M1.4-.4H0V7.6H1.4"),
        ']' => (1.4, "M0-.4H1.4V7.6H0"),
        '{' => (1.8, "M1.8-.4C.8-.4.8.4.8 1.4S.8 3.6 0 3.6C.8 3.6.8 4.8.8 5.8S.8 7.6 1.8 7.6"),
        '}' => (1.8, "M0-.4C1-.4 1 .4 1 1.4S1 3.6 1.8 3.6C1 3.6 1 4.8 1 5.8S1 7.6 0 7.6"),
        '<' => (2.8, "M2.8 2L0 4.2 2.8 6.4"),
        '>' => (2.8, "M0 2L2.8 4.2 0 6.4"),
        '_' => (3.4, "M0 8H3.4"),
        '+' => (2.8, "M0 4.2H2.8M1.4 2.8V5.6"),
        '/' => (2.4, "M0 7.6L2.4-.4"),
        '\\' => (2.4, "M0-.4L2.4 7.6"),
        '|' => (0.4, "M.2-.4V7.8"),
        '*' => (2.4, "M1.2 0V3.2M0 .8L2.4 2.4M2.4.8L0 2.4"),
        '\'' => (0.4, "M.2 0V1.6"),
        '"' => (1.4, "M.2 0V1.6M1.2 0V1.6"),
        '!' => (0.4, "M.2 0V4.8M.2 6.8V7"),
        '?' => (3.0, "M0 1.4C.2.5.8 0 1.5 0 2.4 0 3 .6 3 1.6 3 3 1.5 3.2 1.5 4.8M1.5 6.8V7"),
        ';' => (0.6, "M.4 3V3.2M.4 6.6V6.9L0 8.2"),
        '#' => (4.0, "M1.4.4L.8 6.8M3.2.4L2.6 6.8M.2 2.4H4M0 4.8H3.8"),
        '&' => (4.0, "M4 7L.9 1.8C.4.9.9 0 1.8 0S3.1.9 2.5 1.8L.7 3.6C-.4 4.8.2 7 1.8 7 3.1 7 3.9 5.8 4 4.2"),
        '~' => (3.0, "M0 4.2C.4 3.2 1 3.2 1.5 3.8S2.6 4.4 3 3.4"),
        _ if c.is_whitespace() => (2.4, ""),
        _ => similar_character(c).map_or(MISSING_GLYPH, glyph),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_written_characters_have_strokes() {
        let signs = "-:,^=.()[]{}<>_+/\\|*'\"!?;#&~";
        for c in ('0'..='9').chain('a'..='z').chain('A'..='Z').chain(signs.chars()) {
            let (width, path) = glyph(c);
            assert!(width > 0.0 && path.starts_with('M') && path != MISSING_GLYPH.1, "{c}");
        }
        assert_eq!(glyph(' ').1, "");
        let mut out = String::new();
        write_word(&mut out, TextRendering::Strokes, (10.0, 20.0), 7.0, "#000", "12: re-entrant").unwrap();
        assert!(!out.contains("<text") && out.matches("<path").count() == "12:re-entrant".len());
    }

    #[test]
    fn characters_without_glyph_are_drawn_as_similar_ones_or_boxes() {
        for (c, similar) in [('é', 'e'), ('É', 'E'), ('ß', 's'), ('Ø', 'O'), ('–', '-'), ('×', 'x')] {
            assert_eq!(glyph(c), glyph(similar), "{c}");
        }
        for c in ['α', '騎', '♞'] {
            assert_eq!(glyph(c), MISSING_GLYPH, "{c}");
        }
        for (base, similar) in SIMILAR_CHARACTERS {
            assert!(similar.chars().all(|c| glyph(c) == glyph(base) && glyph(c) != MISSING_GLYPH), "{base}");
        }
        let (mut text, mut strokes) = (String::new(), String::new());
        write_word(&mut text, TextRendering::SvgText, (0.0, 0.0), 7.0, "#000", "a<b&c").unwrap();
        write_word(&mut strokes, TextRendering::Strokes, (0.0, 0.0), 7.0, "#000", "a<b&c").unwrap();
        assert!(
            text.contains(">a&lt;b&amp;c</text>") && strokes.matches("<path").count() == 5,
            "{text}{strokes}"
        );
    }
}
