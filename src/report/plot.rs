//! The growth of a range's numbers as a picture: the number of digits over the length, a line for each kind.

use std::fmt::Write;

use ktour::BigUint;
use ktour::tour::{Letters, write_word};

use super::series::SeriesReport;

/// Sides of the picture and margins in pixels: left, right, above, below.
const SIZE: (f64, f64) = (640.0, 400.0);
const MARGINS: [f64; 4] = [64.0, 16.0, 40.0, 48.0];

/// A colour for each kind, told apart by whoever sees colours otherwise, too.
const COLOURS: [&str; 3] = ["#0072b2", "#d55e00", "#009e73"];

/// The colour of letters and axes.
const INK: &str = "#222222";

/// Points are dots as long as there are no more.
const MOST_DOTS: usize = 60;

/// About so many marks on an axis.
const MARKS: f64 = 8.0;

/// The decimal logarithm of a number; none of 0.
fn log10(number: &BigUint) -> Option<f64> {
    let bits = number.bits();
    if bits == 0 {
        return None;
    }
    // The first 64 bits are more than a picture shows.
    let shift = bits.saturating_sub(64);
    let leading: u64 = (number >> shift).try_into().expect("64 bits");
    Some((leading as f64).log10() + shift as f64 * 2f64.log10())
}

/// Steps of 1, 2 or 5 times a power of ten.
fn step(span: f64) -> f64 {
    let rough = (span / MARKS).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|&step| step >= rough).unwrap_or(rough)
}

/// An SVG with a point for every number that is not 0: its decimal logarithm over the place of the board; words as
/// text, or as strokes where there are no fonts.
#[must_use]
pub fn growth_plot(report: &SeriesReport, both_directions: bool, letters: Letters) -> String {
    let mut lines: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    for (place, row) in report.rows.iter().enumerate() {
        let at = report.index_of(row).map_or(place as f64 + 1.0, f64::from);
        for (numbers, value) in row.numbers.iter().zip(row.values(both_directions)) {
            let name = numbers.kind.name();
            if lines.iter().all(|(known, _)| *known != name) {
                lines.push((name, Vec::new()));
            }
            let line = lines.iter_mut().find(|(known, _)| *known == name).expect("just added");
            line.1.extend(log10(value).map(|log| (at, log)));
        }
    }
    let points = || lines.iter().flat_map(|(_, points)| points.iter().copied());
    let least = points().map(|point| point.0).fold(f64::INFINITY, f64::min).min(1e9);
    let most = points().map(|point| point.0).fold(least + 1.0, f64::max);
    let top = points().map(|point| point.1).fold(1.0, f64::max);
    let [left, right, above, below] = MARGINS;
    let x = |at: f64| left + (at - least) / (most - least) * (SIZE.0 - left - right);
    let y = |log: f64| SIZE.1 - below - log / top * (SIZE.1 - above - below);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         font-family=\"sans-serif\" text-anchor=\"middle\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n",
        w = SIZE.0,
        h = SIZE.1,
        title = report.title(),
    );
    let word = |svg: &mut String, at: (f64, f64), size: f64, colour: &str, word: &str| {
        write_word(svg, letters, at, size, colour, word).expect("text takes what is written");
    };
    let (bottom, end) = (SIZE.1 - below, SIZE.0 - right);
    let middle = f64::midpoint(left, end);
    word(&mut svg, (middle, 24.0), 14.0, INK, &report.title());
    let by = step(top).max(1.0);
    let mut log = 0.0;
    while log <= top {
        let _ = writeln!(svg, "<path d=\"M{left} {:.1}H{end}\" stroke=\"#dddddd\"/>", y(log));
        word(&mut svg, (left / 2.0, y(log) + 4.0), 12.0, INK, &format!("10^{log:.0}"));
        log += by;
    }
    let by = step(most - least).max(1.0);
    let mut at = (least / by).ceil() * by;
    while at <= most {
        let _ = writeln!(svg, "<path d=\"M{:.1} {bottom}v5\" stroke=\"{INK}\"/>", x(at));
        word(&mut svg, (x(at), bottom + 20.0), 12.0, INK, &format!("{at:.0}"));
        at += by;
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{left} {bottom}H{end}M{left} {bottom}V{above}\" stroke=\"{INK}\" fill=\"none\"/>"
    );
    word(&mut svg, (middle, SIZE.1 - 8.0), 12.0, INK, report.axis());
    // What lies below is seen on both sides of what lies above it.
    for (place, (name, points)) in lines.iter().enumerate().rev() {
        let colour = COLOURS[place % COLOURS.len()];
        let wide = 1.5 * (place + 1) as f64;
        let mut path = String::new();
        for (at, log) in points {
            let _ = write!(path, "{}{:.1} {:.1}", if path.is_empty() { "M" } else { "L" }, x(*at), y(*log));
        }
        let _ =
            writeln!(svg, "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"{wide}\" fill=\"none\"/>");
        for (at, log) in points.iter().filter(|_| points.len() <= MOST_DOTS) {
            let (x, y, r) = (x(*at), y(*log), wide + 1.0);
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" fill=\"{colour}\"/>");
        }
        let line = above + 14.0 + 18.0 * place as f64;
        let (from, to) = (left + 12.0, left + 36.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{from} {:.1}H{to}\" stroke=\"{colour}\" stroke-width=\"{wide}\"/>",
            line - 4.0
        );
        word(&mut svg, (to + 32.0, line), 12.0, colour, name);
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_logarithms_right() {
        assert_eq!((step(8.0), step(60.0), step(399.0)), (1.0, 10.0, 50.0));
        let number: BigUint =
            "1".to_owned().chars().chain("0".repeat(300).chars()).collect::<String>().parse().unwrap();
        assert!((log10(&number).unwrap() - 300.0).abs() < 1e-9);
        assert_eq!((log10(&BigUint::ZERO), log10(&1u32.into())), (None, Some(0.0)));
    }
}
