//! A plot of the growth of a series: the decimal logarithm of the counts over the length of the
//! board, with a curve for each kind and, if both sides of the boards vary, for each width.

use std::error::Error;

use num_integer::Integer;
use plotters::prelude::*;
use resvg::usvg::roxmltree;

use ktour::BigUint;
use ktour::board::Rectangle;
use ktour::tour::{TextRendering, write_word};

use super::series_report::SeriesReport;

/// Width and height of the picture in pixels.
const PICTURE_PIXELS: (u32, u32) = (640, 400);

/// Colours of the curves, which colour-blind readers can distinguish. If there are more curves than
/// colours, the colours are repeated, and paler.
const CURVE_COLOURS: [u32; 8] =
    [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xb07d00, 0x56b4e9, 0x000000, 0x7f7f7f];

/// Colours of text and axes, of notes and crosses, and of lines at the marks of the vertical axis.
const TEXT_COLOUR: RGBColor = rgb(0x222222);
const NOTE_COLOUR: RGBColor = rgb(0x777777);
const GRID_COLOUR: RGBColor = rgb(0xdddddd);

const fn rgb(colour: u32) -> RGBColor {
    RGBColor((colour >> 16) as u8, (colour >> 8) as u8, colour as u8)
}

/// Length of a line of the legend, in pixels.
const LEGEND_PIXELS: i32 = 24;

/// Maximum number of points of a curve that are drawn as dots.
const MAX_DOTS: usize = 60;

/// Maximum number of marks on an axis.
const MAX_MARKS: usize = 10;

/// Font size of an exponent, and its height above the baseline, as fractions of the font size.
const EXPONENT_SCALE: f64 = 0.7;
const EXPONENT_RISE: f64 = 0.4;

/// Width of a character of text on average, as a fraction of the font size.
const CHARACTER_WIDTH_PER_FONT_SIZE: f64 = 0.56;

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
    let mut chart = String::new();
    draw_chart(&mut chart, report, &curves(report, both_directions)).expect("writing to memory cannot fail");
    let svg = redraw_words(&chart, letters);
    let (head, rest) = svg.split_once('\n').expect("the chart has several lines");
    let head =
        head.replacen("<svg ", "<svg font-family=\"sans-serif\" text-anchor=\"middle\" role=\"img\" ", 1);
    format!("{head}\n<title>{}</title>\n{rest}", report.title())
}

/// Draws the curves, the axes and the legend as an SVG document.
fn draw_chart(svg: &mut String, report: &SeriesReport, curves: &[Curve]) -> Result<(), Box<dyn Error>> {
    let positions = || curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0));
    let least = positions().reduce(f64::min).unwrap_or(1.0);
    let most = positions().fold(least + 1.0, f64::max);
    let logs = curves.iter().flat_map(|curve| curve.points.iter().filter_map(|point| point.1));
    let top = logs.reduce(f64::max).map(|top| top.max(1.0));
    // At most one mark for each integer, so that all marks are integers.
    let marks = |span: f64| MAX_MARKS.min(span as usize + 1);
    let font = |size: u32, colour: &'static RGBColor| TextStyle::from(("sans-serif", size)).color(colour);

    let picture = SVGBackend::with_string(svg, PICTURE_PIXELS).into_drawing_area();
    picture.fill(&WHITE)?;
    let mut area = picture.titled(&report.title(), font(17, &TEXT_COLOUR))?;
    let note = match top {
        Some(_) => zeros_note(curves),
        None => Some(if curves.is_empty() { "no board is finished" } else { "no tours" }.to_owned()),
    };
    if let Some(note) = note {
        area = area.titled(&note, font(14, &NOTE_COLOUR))?;
    }
    let mut chart = ChartBuilder::on(&area)
        .margin(8)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(least..most, 0.0..top.unwrap_or(1.0))?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(if top.is_some() { GRID_COLOUR.to_rgba() } else { TRANSPARENT })
        .axis_style(TEXT_COLOUR)
        .label_style(font(15, &TEXT_COLOUR))
        .x_desc(report.axis_title())
        .x_labels(marks(most - least))
        .y_labels(marks(top.unwrap_or(1.0)))
        .x_label_formatter(&|at| format!("{at}"))
        .y_label_formatter(&|log| top.map_or(String::new(), |_| format!("10^{log}")))
        .draw()?;
    let style = |curve: &Curve| {
        let hue = if report.index.is_some() { curve.kind_index } else { curve.width_index };
        let round = hue / CURVE_COLOURS.len();
        let colour = rgb(CURVE_COLOURS[hue % CURVE_COLOURS.len()]).mix(1.0 / (round + 1) as f64);
        colour.stroke_width(2 * (curve.kind_index as u32 + 1))
    };
    for curve in curves {
        let style = style(curve);
        chart
            .draw_series(LineSeries::new([], style))?
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + LEGEND_PIXELS, y)], style));
    }
    // Later curves are drawn first, with wider lines, so that they are visible on both sides of earlier ones.
    for curve in curves.iter().rev() {
        let style = style(curve);
        for run in curve.segments() {
            let has_dots = run.len() == 1 || curve.points.len() <= MAX_DOTS;
            chart.draw_series(LineSeries::new(run.iter().copied(), style))?;
            let dot = |&at: &(f64, f64)| Circle::new(at, style.stroke_width / 2 + 2, style.color.filled());
            chart.draw_series(run.iter().filter(|_| has_dots).map(dot))?;
        }
        let zeros: Vec<f64> =
            curve.points.iter().filter(|point| point.1.is_none()).map(|point| point.0).collect();
        let cross = |&at: &f64| Cross::new((at, 0.0), 3, NOTE_COLOUR);
        chart.draw_series(zeros.iter().filter(|_| zeros.len() <= MAX_DOTS).map(cross))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(font(15, &TEXT_COLOUR))
        .draw()?;
    Ok(picture.present()?)
}

/// Returns the chart with its words drawn by [`write_word`], as text or as strokes. The chart library
/// writes text that needs a font.
fn redraw_words(chart: &str, letters: TextRendering) -> String {
    let document = roxmltree::Document::parse(chart).expect("the chart is XML");
    let (mut svg, mut end) = (String::new(), 0);
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        let attribute = |name| node.attribute(name).unwrap_or_default();
        let number = |name| attribute(name).parse::<f64>().unwrap_or_default();
        let (word, size) = (node.text().unwrap_or_default().trim(), number("font-size"));
        let half_width = CHARACTER_WIDTH_PER_FONT_SIZE / 2.0 * size * word.chars().count() as f64;
        let right = match attribute("text-anchor") {
            "start" => half_width,
            "end" => -half_width,
            _ => 0.0,
        };
        let down = match attribute("dy") {
            "0.76em" => 0.76 * size,
            "0.5ex" => 0.3 * size,
            _ => -0.3 * size,
        };
        let at = (number("x") + right, number("y") + down);
        svg += &chart[end..node.range().start];
        let mut write = |at, size, word| {
            write_word(&mut svg, letters, at, size, attribute("fill"), word)
                .expect("writing to memory cannot fail");
        };
        match word.split_once('^') {
            // The base and the exponent together have the width of the word.
            Some((base, exponent)) => {
                let character = CHARACTER_WIDTH_PER_FONT_SIZE * size;
                let left = at.0 - half_width + character;
                let middle =
                    |from: f64, text: &str, scale: f64| from + character * scale * text.len() as f64 / 2.0;
                let exponent_left = left + character * base.len() as f64;
                write((middle(left, base, 1.0), at.1), size, base);
                let raised = (middle(exponent_left, exponent, EXPONENT_SCALE), at.1 - EXPONENT_RISE * size);
                write(raised, size * EXPONENT_SCALE, exponent);
            }
            None => write(at, size, word),
        }
        end = node.range().end;
    }
    svg + &chart[end..]
}

#[cfg(test)]
mod tests {
    use super::super::count_report::KindCounts;
    use super::super::series_report::BoardRow;
    use super::*;
    use ktour::tour::Kind;

    /// Returns the plot of closed tours on the given boards.
    fn plot(boards: &str, index: Option<fn(&Rectangle) -> u16>, numbers: &[(&str, u32)]) -> String {
        let row = |&(board, number): &(&str, u32)| BoardRow {
            board: board.to_owned(),
            board_text: String::new(),
            engine: String::new(),
            numbers: vec![KindCounts {
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
        assert!(!svg.contains("font-size=\"8.5\"") && !svg.contains("<circle"), "{svg}");
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
        // 10 to the power of 0 to 3.
        assert!(svg.matches(">10<").count() == 4 && !svg.contains('^'), "{svg}");
        // Curve 0: segment 5x6 to 5x7, and the legend; 5x9 is a segment of one point. Curve 1: one segment
        // and the legend.
        let coloured = |colour: &str| svg.matches(&format!("stroke=\"{colour}\"")).count();
        assert_eq!(
            (coloured("#0072B2"), coloured("#D55E00"), svg.matches("<circle").count()),
            (3, 2, 6),
            "{svg}"
        );
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
    fn log10_is_exact() {
        let number: BigUint =
            "1".to_owned().chars().chain("0".repeat(300).chars()).collect::<String>().parse().unwrap();
        assert!((log10(&number).unwrap() - 300.0).abs() < 1e-9);
        assert_eq!((log10(&BigUint::ZERO), log10(&1u32.into())), (None, Some(0.0)));
    }
}
