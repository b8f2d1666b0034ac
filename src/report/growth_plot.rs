//! A plot of the growth of a series: the decimal logarithm of the counts over the length of the
//! board, with a curve for each kind and, if both sides of the boards vary, for each width.

use std::fmt::Write;

use num_integer::Integer;

use ktour::BigUint;
use ktour::board::Rectangle;
use ktour::tour::{TextRendering, write_word};

use super::series_report::SeriesReport;

/// Width and height of the picture in pixels, and its margins on the left, right, top and bottom.
const PICTURE_PIXELS: (f64, f64) = (640.0, 400.0);
const MARGIN_PIXELS: [f64; 4] = [64.0, 16.0, 50.0, 48.0];

/// Colours of the curves, which colour-blind readers can distinguish. If there are more curves than
/// colours, the colours are repeated with dashes.
const CURVE_COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#56b4e9", "#000000", "#7f7f7f"];
const CURVE_DASHES: [&str; 3] = ["", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""];

/// Height of a line of the legend in pixels.
const LEGEND_LINE_PIXELS: f64 = 18.0;

/// Colour of text and axes, and colour of notes and crosses.
const TEXT_COLOUR: &str = "#222222";
const NOTE_COLOUR: &str = "#777777";

/// Maximum number of points of a curve that are drawn as dots.
const MAX_DOTS: usize = 60;

/// Approximate number of marks on an axis.
const AXIS_MARKS: f64 = 8.0;

/// Returns the decimal logarithm of a number, or `None` for 0.
fn log10(number: &BigUint) -> Option<f64> {
    let bits = number.bits();
    if bits == 0 {
        return None;
    }
    // The first 64 bits are more precise than the picture.
    let shift = bits.saturating_sub(64);
    let leading: u64 = (number >> shift).try_into().expect("64 bits");
    Some((leading as f64).log10() + shift as f64 * 2f64.log10())
}

/// Returns the distance between two marks on an axis of length `span`: 1, 2 or 5 times a power of
/// ten.
fn axis_step(span: f64) -> f64 {
    let rough = (span / AXIS_MARKS).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|&step| step >= rough).unwrap_or(rough)
}

/// The curve of one kind and, if both sides of the boards vary, of one width. A point is a position
/// on the horizontal axis and the logarithm of a count, or `None` for a count of 0.
struct Curve {
    name: String,
    /// Index of the width, and index of the kind.
    width_index: usize,
    kind_index: usize,
    points: Vec<(f64, Option<f64>)>,
}

impl Curve {
    /// Splits the points into segments that are drawn as connected lines. Two neighbours are
    /// connected if their distance is the greatest common divisor of all distances. So boards that
    /// regularly have no tours leave no gap in a curve, and others do.
    fn segments(&self) -> Vec<Vec<(f64, f64)>> {
        let known = self.points.iter().filter_map(|&(at, log)| Some((at, log?)));
        let known: Vec<(f64, f64)> = known.collect();
        let gaps = known.windows(2).map(|pair| (pair[1].0 - pair[0].0) as u64);
        let usual = gaps.fold(0, |usual, gap| usual.gcd(&gap)) as f64;
        known.chunk_by(|a, b| b.0 - a.0 <= usual).map(<[_]>::to_vec).collect()
    }
}

/// Returns the curves of a report. If `both_directions`, they show directed counts.
fn curves(report: &SeriesReport, both_directions: bool) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    let mut widths: Vec<u16> = Vec::new();
    for row in &report.rows {
        let board: Option<Rectangle> = row.board.parse().ok();
        let (rows, cols) = board.map_or((0, 0), |board| (board.rows(), board.cols()));
        let at = report.row_index(row).unwrap_or(cols).into();
        if report.index.is_none() && !widths.contains(&rows) {
            widths.push(rows);
        }
        let width = widths.len().saturating_sub(1);
        for (position, (numbers, value)) in
            row.numbers.iter().zip(row.printed_counts(both_directions)).enumerate()
        {
            let kind = numbers.kind.name();
            let name = match (report.index.is_some(), row.numbers.len()) {
                (true, _) => kind.to_owned(),
                (false, 1) => format!("{rows} x n"),
                (false, _) => format!("{rows} x n {kind}"),
            };
            if curves.iter().all(|curve| curve.name != name) {
                curves.push(Curve {
                    name: name.clone(),
                    width_index: width,
                    kind_index: position,
                    points: Vec::new(),
                });
            }
            let curve = curves.iter_mut().find(|curve| curve.name == name).expect("the curve exists");
            curve.points.push((at, log10(value)));
        }
    }
    curves
}

/// Returns a note with the number of counts that are 0, if there are any.
fn zeros_note(curves: &[Curve]) -> Option<String> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let zeros = points().filter(|(_, log)| log.is_none()).count();
    (zeros > 0).then(|| format!("x: no tours ({zeros} of {} counts)", points().count()))
}

/// Returns an SVG document with a point for every number that is not 0: its decimal logarithm over
/// the index of the board. If `both_directions`, the numbers are directed. `letters` selects text
/// or strokes for words.
#[must_use]
pub fn growth_plot(report: &SeriesReport, both_directions: bool, letters: TextRendering) -> String {
    let curves = curves(report, both_directions);
    let positions = || curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0));
    let least = positions().reduce(f64::min).unwrap_or(1.0);
    let most = positions().fold(least + 1.0, f64::max);
    let logs = curves.iter().flat_map(|curve| curve.points.iter().filter_map(|point| point.1));
    let top = logs.reduce(f64::max).map(|top| top.max(1.0));
    let [left, right, above, below] = MARGIN_PIXELS;
    let x = |at: f64| left + (at - least) / (most - least) * (PICTURE_PIXELS.0 - left - right);
    let y =
        |log: f64| PICTURE_PIXELS.1 - below - log / top.unwrap_or(1.0) * (PICTURE_PIXELS.1 - above - below);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         font-family=\"sans-serif\" text-anchor=\"middle\" role=\"img\">\n<title>{title}</title>\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n",
        w = PICTURE_PIXELS.0,
        h = PICTURE_PIXELS.1,
        title = report.title(),
    );
    let word = |svg: &mut String, at: (f64, f64), size: f64, colour: &str, word: &str| {
        write_word(svg, letters, at, size, colour, word).expect("writing to a string cannot fail");
    };
    let (bottom, end) = (PICTURE_PIXELS.1 - below, PICTURE_PIXELS.0 - right);
    let middle = f64::midpoint(left, end);
    word(&mut svg, (middle, 22.0), 14.0, TEXT_COLOUR, &report.title());
    match (top, zeros_note(&curves)) {
        (Some(_), Some(zeros)) => word(&mut svg, (middle, 39.0), 11.0, NOTE_COLOUR, &zeros),
        (None, _) => {
            let nothing = if curves.is_empty() { "no board is finished" } else { "no tours" };
            word(&mut svg, (middle, f64::midpoint(above, bottom)), 16.0, TEXT_COLOUR, nothing);
        }
        (Some(_), None) => {}
    }
    if let Some(top) = top {
        let by = axis_step(top).max(1.0);
        let mut log = 0.0;
        while log <= top {
            let _ = writeln!(svg, "<path d=\"M{left} {:.1}H{end}\" stroke=\"#dddddd\"/>", y(log));
            word(&mut svg, (left / 2.0, y(log) + 4.0), 12.0, TEXT_COLOUR, &format!("10^{log:.0}"));
            log += by;
        }
    }
    let by = axis_step(most - least).max(1.0);
    let mut at = (least / by).ceil() * by;
    while at <= most {
        let _ = writeln!(svg, "<path d=\"M{:.1} {bottom}v5\" stroke=\"{TEXT_COLOUR}\"/>", x(at));
        word(&mut svg, (x(at), bottom + 20.0), 12.0, TEXT_COLOUR, &format!("{at:.0}"));
        at += by;
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{left} {bottom}H{end}M{left} {bottom}V{above}\" stroke=\"{TEXT_COLOUR}\" fill=\"none\"/>"
    );
    word(&mut svg, (middle, PICTURE_PIXELS.1 - 8.0), 12.0, TEXT_COLOUR, report.axis_title());
    let without = |curve: &Curve| curve.points.iter().filter(|point| point.1.is_none()).count();
    // Later curves are drawn first, with wider lines, so that they are visible on both sides of earlier ones.
    for (position, curve) in curves.iter().enumerate().rev().filter(|_| top.is_some()) {
        let hue = if report.index.is_some() { curve.kind_index } else { curve.width_index };
        let colour = CURVE_COLOURS[hue % CURVE_COLOURS.len()];
        let dashes = CURVE_DASHES[hue / CURVE_COLOURS.len() % CURVE_DASHES.len()];
        let wide = 1.5 * (curve.kind_index + 1) as f64;
        let stroke = format!("stroke=\"{colour}\" stroke-width=\"{wide}\" fill=\"none\"{dashes}");
        for run in curve.segments() {
            let mut path = String::new();
            for (at, log) in &run {
                let letter = if path.is_empty() { "M" } else { "L" };
                let _ = write!(path, "{letter}{:.1} {:.1}", x(*at), y(*log));
            }
            let _ = writeln!(svg, "<path d=\"{path}\" {stroke}/>");
            for (at, log) in run.iter().filter(|_| run.len() == 1 || curve.points.len() <= MAX_DOTS) {
                let (x, y, r) = (x(*at), y(*log), wide + 1.0);
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" fill=\"{colour}\"/>");
            }
        }
        for (at, _) in curve.points.iter().filter(|point| point.1.is_none() && without(curve) <= MAX_DOTS) {
            let (at, down) = (x(*at) - 3.0, bottom - 3.0);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {down:.1}l6 6m0 -6l-6 6\" stroke=\"{NOTE_COLOUR}\" fill=\"none\"/>"
            );
        }
        let height = LEGEND_LINE_PIXELS.min((bottom - above - 24.0) / curves.len() as f64);
        let line = above + 14.0 + height * position as f64;
        let (from, to) = (left + 12.0, left + 36.0);
        let _ = writeln!(svg, "<path d=\"M{from} {:.1}H{to}\" {stroke}/>", line - 4.0);
        let size = 12f64.min(height);
        let label_x = to + 8.0 + size * 0.28 * curve.name.len() as f64;
        word(&mut svg, (label_x, line), size, colour, &curve.name);
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::super::series_report::{BoardRow, RowCounts};
    use super::*;
    use ktour::tour::Kind;

    /// Returns the plot of closed tours on the given boards.
    fn plot(boards: &str, index: Option<fn(&Rectangle) -> u16>, numbers: &[(&str, u32)]) -> String {
        let row = |&(board, number): &(&str, u32)| BoardRow {
            board: board.to_owned(),
            engine: String::new(),
            numbers: vec![RowCounts {
                kind: Kind::Closed,
                undirected: Some(number.into()),
                directed: (2 * number).into(),
                distinct: None,
            }],
            seconds: 0.0,
        };
        let rows = numbers.iter().map(row).collect();
        let report = SeriesReport {
            boards: boards.into(),
            index,
            kinds: vec![Kind::Closed],
            rows,
            ..SeriesReport::knight_report()
        };
        growth_plot(&report, false, TextRendering::SvgText)
    }

    #[test]
    fn series_without_tours_has_note() {
        let svg = plot("4x1..12", Some(Rectangle::cols), &[("4x1", 0), ("4x2", 0), ("4x12", 0)]);
        assert!(svg.contains(">no tours<") && svg.contains(">2<") && svg.contains(">12<"), "{svg}");
        assert!(!svg.contains("10^") && !svg.contains("<circle"), "{svg}");
    }

    #[test]
    fn two_varying_sides_have_one_curve_for_each_width() {
        let numbers = [
            ("5x5", 0),
            ("5x6", 8),
            ("5x7", 9),
            ("5x8", 0),
            ("5x9", 3),
            ("6x5", 8),
            ("6x6", 9862),
            ("6x7", 5),
        ];
        let svg = plot("5..6x5..9", None, &numbers);
        assert!(svg.contains(">5 x n<") && svg.contains(">6 x n<") && svg.contains(">columns<"), "{svg}");
        assert!(svg.contains(">x: no tours (2 of 8 counts)<"), "{svg}");
        // Curve 0: segment 5x6 to 5x7, and the legend; 5x9 is a segment of one point. Curve 1: one segment
        // and the legend.
        let coloured =
            |position: usize| svg.matches(&format!("stroke=\"{}\"", CURVE_COLOURS[position])).count();
        assert_eq!((coloured(0), coloured(1), svg.matches("<circle").count()), (3, 2, 6), "{svg}");
    }

    #[test]
    fn regular_gaps_are_joined() {
        let curve = |points: &[(u32, bool)]| Curve {
            name: String::new(),
            width_index: 0,
            kind_index: 0,
            points: points.iter().map(|&(at, is_present)| (at.into(), is_present.then_some(1.0))).collect(),
        };
        let runs =
            |points: &[(u32, bool)]| curve(points).segments().iter().map(Vec::len).collect::<Vec<usize>>();
        assert_eq!(runs(&[(1, false), (2, true), (3, false), (4, true), (5, false), (6, true)]), [3]);
        assert_eq!(runs(&[(1, true), (2, false), (3, true), (4, true)]), [1, 2]);
        assert!(runs(&[(1, false)]).is_empty());
    }

    #[test]
    fn axis_step_is_round_and_log10_is_exact() {
        assert_eq!((axis_step(8.0), axis_step(60.0), axis_step(399.0)), (1.0, 10.0, 50.0));
        let number: BigUint =
            "1".to_owned().chars().chain("0".repeat(300).chars()).collect::<String>().parse().unwrap();
        assert!((log10(&number).unwrap() - 300.0).abs() < 1e-9);
        assert_eq!((log10(&BigUint::ZERO), log10(&1u32.into())), (None, Some(0.0)));
    }
}
