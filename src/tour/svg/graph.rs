//! The tour of a graph without a layout: discs with names, the edges, and the tour.

use std::fmt::{self, Write};

use crate::tour::{Tour, TourKind};

use super::letters;
use super::style::SvgStyle;

/// Longest vertex name, in characters, drawn inside its disc.
const MAX_DISC_NAME_CHARS: usize = 6;

/// Returns true if the board has no layout, so that its tours are drawn as a graph.
pub(super) fn lacks_layout(tour: &Tour) -> bool {
    tour.board().leaper_board().is_none() && tour.board().layout().is_none()
}

/// Returns the side of the picture in pixels.
pub(super) fn side_pixels(tour: &Tour) -> f64 {
    ((tour.board().len() as f64).sqrt() * 90.0).clamp(160.0, 1600.0)
}

/// Draws a tour in a square whose top left corner is (`left`, `top`).
pub(super) fn write_graph_tour(
    out: &mut impl Write,
    tour: &Tour,
    places: &[(f64, f64)],
    style: &SvgStyle,
    (left, top, side): (f64, f64, f64),
) -> fmt::Result {
    let colours = style.palette.colours();
    let graph = tour.board().graph();
    let radius = (side / (graph.len() as f64).sqrt() * 0.16).clamp(1.5, 16.0);
    let room = side - 2.0 * radius;
    let at = |v: u32| {
        let (x, y) = places[v as usize];
        (left + radius + x * room, top + radius + y * room)
    };
    let line = |v: u32, w: u32| {
        let ((a, b), (c, d)) = (at(v), at(w));
        format!("M{a:.1} {b:.1}L{c:.1} {d:.1}")
    };
    write!(
        out,
        r##"<path fill="none" stroke="{}" stroke-opacity="0.6" stroke-width="{:.2}" d=""##,
        colours.frame,
        (radius * 0.1).clamp(0.3, 1.0)
    )?;
    for v in 0..graph.len() as u32 {
        for &w in graph.neighbours(v as usize).iter().filter(|&&w| w > v) {
            out.write_str(&line(v, w))?;
        }
    }
    out.write_str("\"/>\n")?;
    let vertices = tour.vertices();
    let closed = tour.kind() == TourKind::Closed;
    let last = vertices.len().saturating_sub(1);
    let width = (radius * 0.28).clamp(0.6, 4.0);
    writeln!(out, r##"<g fill="none" stroke-width="{width:.2}" stroke-linecap="round">"##)?;
    for i in 0..if closed { vertices.len() } else { last } {
        let colour = if closed {
            colours.closed.to_owned()
        } else {
            colours.ramp_colour(i as f64 / last.max(1) as f64)
        };
        let line = line(vertices[i], vertices[(i + 1) % vertices.len()]);
        writeln!(out, r##"<path stroke="{colour}" d="{line}"/>"##)?;
    }
    out.write_str("</g>\n<g text-anchor=\"middle\">\n")?;
    let names: Vec<String> = (0..graph.len() as u32).map(|v| tour.board().name(v)).collect();
    let is_named = radius >= 6.0 && names.iter().all(|name| name.chars().count() <= MAX_DISC_NAME_CHARS);
    for (i, &v) in vertices.iter().enumerate() {
        let (x, y) = at(v);
        let end = match i {
            0 => Some(colours.start),
            _ if i == last && !closed => Some(colours.end),
            _ => None,
        };
        let (fill, stroke) = (end.unwrap_or(colours.disc), colours.frame);
        if i == last && end.is_some() && last > 0 {
            // About as large as the disc.
            let r = radius * 1.25;
            let above = y - r;
            writeln!(
                out,
                r##"<path d="M{x:.1} {above:.1}l{r:.2} {r:.2}l-{r:.2} {r:.2}l-{r:.2} -{r:.2}z" fill="{fill}" stroke="{stroke}"/>"##
            )?;
        } else {
            writeln!(
                out,
                r##"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.2}" fill="{fill}" stroke="{stroke}"/>"##
            )?;
        }
        let (word, is_there) = match style.has_numbers {
            Some(true) => ((style.first_number + i as u64).to_string(), true),
            wanted => (names[v as usize].clone(), is_named && wanted.is_none()),
        };
        if is_there {
            let ink = if end.is_some() { "#ffffff" } else { colours.ink };
            let size = radius * (2.6 / word.chars().count() as f64).min(1.0);
            let word = word.replace('&', "&amp;").replace('<', "&lt;");
            letters::write_word(out, style.text_rendering, (x, y + size * 0.36), size, ink, &word)?;
        }
    }
    out.write_str("</g>\n")
}
