//! `ktour draw`: draws tours as SVG or PNG pictures, or on the terminal.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::places::refuse_same;
use super::source::Source;
use super::written::{Above, FormatArg};
use crate::report::{Output, png, tell};
use ktour::board::Leaper;
use ktour::tour::{
    Letters, Palette, Picture, SvgStyle, TerminalError, TerminalStyle, Tour, TourKind, boxes, braille,
    write_sheet, write_svg,
};
use ktour::words::counted;

const EXAMPLES: &str = "\
Examples:
  ktour find 8x8 --closed | ktour draw -              on the terminal
  ktour find 8x8 --closed | ktour draw - --output tour.svg
  ktour find 8x8 | ktour draw - --output tour.png --palette mono
  ktour list 5x5 --distinct | ktour draw - --output sheet.svg   a sheet
  ktour find 8x8 | ktour draw - --format box
  ktour find 8x8 | ktour draw - --animate 30 --output walk.svg

A closed tour has one colour; an open path runs through the colours of the palette, from a disc to a diamond. \
Numbers are shown if there is room. Boxes of move numbers can be read by check, draw and rank. The ending of the \
file name sets the format: .svg, .png, or .txt for terminal pictures.";

/// Most tours that are drawn without `--limit`.
const MANY: u64 = 1000;

/// Output format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Medium {
    /// A vector picture; a contact sheet for several tours
    Svg,
    /// A pixel picture; a contact sheet for several tours
    Png,
    /// Lines of braille dots
    #[value(alias = "braille")]
    Terminal,
    /// Move numbers in boxes
    Box,
}

/// A colour palette, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PaletteArg {
    /// Tan squares, open paths from blue to red
    Wood,
    /// Grey squares, open paths from violet to yellow-green; suits colour-blind readers
    Viridis,
    /// Black on white, for print
    Mono,
}

impl From<PaletteArg> for Palette {
    fn from(palette: PaletteArg) -> Self {
        match palette {
            PaletteArg::Wood => Self::Wood,
            PaletteArg::Viridis => Self::Viridis,
            PaletteArg::Mono => Self::Mono,
        }
    }
}

/// When to use colours on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourArg {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Draw pictures of tours: SVG, PNG, contact sheets, terminal.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct DrawArgs {
    #[command(flatten)]
    source: Source,
    /// Choose what to draw. Default: by the ending of the file name
    ///
    /// Without an ending: terminal on a terminal, SVG otherwise.
    #[arg(long = "format", alias = "as", value_enum, value_name = "FORMAT")]
    medium: Option<Medium>,
    /// Stop after N tours
    ///
    /// Default: 1000, with a notice if there are more.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Choose the colours
    #[arg(long, value_enum, value_name = "NAME", default_value = "wood")]
    palette: PaletteArg,
    /// Choose when terminal pictures are coloured
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", hide_short_help = true)]
    color: ColourArg,
    /// Set the number of columns of a contact sheet
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    columns: Option<u16>,
    /// Set the side of a square in pixels
    #[arg(long, hide_short_help = true, value_name = "PIXELS", value_parser = pixels)]
    cell: Option<f64>,
    /// Set the width of a terminal picture in columns. Default: the terminal's, or 80
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    width: Option<u16>,
    /// Show move numbers in an SVG or PNG picture. Default: if there is room
    #[arg(long, hide_short_help = true, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    numbers: Option<bool>,
    /// Number the first square of grids 0 or 1
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=1))]
    number_from: u64,
    /// Animate a knight that walks the tour in an SVG picture
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "20", value_parser = seconds)]
    animate: Option<f64>,
    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

fn within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!("not a number from {low} to {high}")),
    }
}

fn pixels(text: &str) -> Result<f64, String> {
    within(text, 1.0, 400.0)
}

fn seconds(text: &str) -> Result<f64, String> {
    within(text, 0.1, 86_400.0)
}

/// Returns the format that the ending of a file name stands for.
fn by_ending(path: &Path) -> Option<Medium> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "svg" => Some(Medium::Svg),
        "png" => Some(Medium::Png),
        "txt" => Some(Medium::Terminal),
        _ => None,
    }
}

/// Returns true if a file name has an ending that stands for no format.
fn is_of_others(path: &Path) -> bool {
    path.extension().is_some_and(|ending| !ending.is_empty()) && by_ending(path).is_none()
}

impl DrawArgs {
    /// Draws the tours.
    pub fn run(&self) -> Result<(), Failure> {
        let terminal = self.output == Path::new("-") && io::stdout().is_terminal();
        let medium = self.medium(terminal)?;
        let [file, shape, graph] = self.source.inputs();
        refuse_same(&[file, shape, graph, ("--output", Some(self.output.as_path()))])?;
        let mut out = Output::create(&self.output)?;
        let name = out.name();
        let failed = |error: io::Error| Failure::write(&name, &error);
        let mut tours = self.source.tours()?;
        let limit = self.limit.unwrap_or(MANY);
        let mut drawn = 0;
        // Tours of a contact sheet, and the current line of terminal pictures placed side by side.
        let mut sheet: Vec<Tour> = Vec::new();
        let mut line: Option<Picture> = None;
        let mut above = Above::default();
        let style = self.on_terminal();
        let colour = self.is_coloured(terminal);
        for found in tours.by_ref().take(usize::try_from(limit).unwrap_or(usize::MAX)) {
            let tour = found.map_err(|error| self.source.fault(&error))?.tour;
            drawn += 1;
            let picture = match medium {
                Medium::Svg | Medium::Png => {
                    sheet.push(tour);
                    continue;
                }
                Medium::Box => {
                    // Boxes are placed one below the other with headers, so that they can be read again.
                    let text = boxes(&tour, &style)
                        .map_err(|error| terminal_failure(error, "--format terminal, svg or png"))?
                        .text(colour);
                    let header = if terminal { String::new() } else { header(&tour, &mut above)? };
                    let apart = if drawn > 1 { "\n" } else { "" };
                    write!(out, "{apart}{header}{text}").map_err(failed)?;
                    continue;
                }
                Medium::Terminal => {
                    braille(&tour, &style).map_err(|error| terminal_failure(error, "--format svg or png"))?
                }
            };
            let Some(mut beside) = line.take() else {
                line = Some(picture);
                continue;
            };
            line = Some(match beside.beside(picture, style.width) {
                Ok(()) => beside,
                Err(picture) => {
                    writeln!(out, "{}", beside.text(colour)).map_err(failed)?;
                    picture
                }
            });
        }
        if drawn == 0 {
            return Err(self.source.empty());
        }
        if let Some(line) = line {
            out.write_all(line.text(colour).as_bytes()).map_err(failed)?;
        }
        match medium {
            Medium::Svg => out.write_all(self.svg(&sheet, Letters::Text)?.as_bytes()).map_err(failed)?,
            Medium::Png => out.write_all(&self.png(&sheet)?).map_err(failed)?,
            Medium::Terminal | Medium::Box => {}
        }
        if drawn == limit && tours.next().is_some() {
            let more = if self.limit.is_none() { "; --limit N draws more" } else { "" };
            tell(format_args!("drew the first {}, there are more{more}", counted(drawn, "tour")));
        }
        Ok(out.finish()?)
    }

    fn medium(&self, terminal: bool) -> Result<Medium, Failure> {
        let ending = by_ending(&self.output);
        let medium = match (self.medium, ending) {
            (Some(asked), Some(ending)) if asked != ending && ending != Medium::Terminal => {
                return Err(Failure::usage(format!(
                    "--format and the ending of --output {} disagree; omit --format, or change the ending",
                    self.output.display()
                )));
            }
            (Some(asked), _) => asked,
            (None, Some(ending)) => ending,
            (None, None) if is_of_others(&self.output) => {
                return Err(Failure::usage(format!(
                    "--output {} does not end in .svg, .png or .txt; change the ending, or add --format",
                    self.output.display()
                )));
            }
            (None, None) if self.animate.is_some() => Medium::Svg,
            (None, None) if terminal || self.is_for_lines().is_some() => Medium::Terminal,
            (None, None) => Medium::Svg,
        };
        self.check(medium)?;
        if medium == Medium::Png && terminal {
            return Err(Failure::usage("a PNG picture cannot be shown on a terminal; add --output FILE.png"));
        }
        if self.animate.is_some() && medium != Medium::Svg {
            return Err(Failure::usage(
                "--animate is for SVG pictures; add --format svg or --output FILE.svg",
            ));
        }
        Ok(medium)
    }

    /// Returns the given option that applies to terminal pictures only, if any.
    fn is_for_lines(&self) -> Option<&'static str> {
        match self {
            Self { width: Some(_), .. } => Some("--width"),
            Self { color: ColourArg::Always, .. } => Some("--color always"),
            _ => None,
        }
    }

    /// Rejects options that the format does not support.
    fn check(&self, medium: Medium) -> Result<(), Failure> {
        let is_lines = matches!(medium, Medium::Terminal | Medium::Box);
        let for_sheets = match self {
            Self { columns: Some(_), .. } => Some("--columns"),
            Self { cell: Some(_), .. } => Some("--cell"),
            Self { numbers: Some(_), .. } => Some("--numbers"),
            _ => None,
        };
        let why = match (self.is_for_lines(), for_sheets) {
            (Some(option), _) if !is_lines && self.animate.is_some() => {
                format!("{option} is for terminal pictures, and --animate for SVG pictures; omit one of them")
            }
            (Some(option), _) if !is_lines => {
                format!("{option} is for terminal pictures; add --format terminal or box, or omit it")
            }
            (_, Some(option)) if is_lines => {
                format!("{option} is for SVG and PNG pictures; add --output FILE.svg or FILE.png, or omit it")
            }
            _ => return Ok(()),
        };
        Err(Failure::usage(why))
    }

    fn on_terminal(&self) -> TerminalStyle {
        let columns = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0);
        let width = self.width.or_else(columns).filter(|&width| width > 0);
        let usual = TerminalStyle::default();
        TerminalStyle {
            width: width.map_or(usual.width, usize::from),
            number_from: self.number_from,
            palette: self.palette.into(),
        }
    }

    /// Returns true if terminal pictures are coloured; see <https://no-color.org>.
    fn is_coloured(&self, terminal: bool) -> bool {
        let plain = || {
            std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
                || std::env::var_os("TERM").is_some_and(|value| value == "dumb")
        };
        match self.color {
            ColourArg::Auto => terminal && !plain(),
            ColourArg::Always => true,
            ColourArg::Never => false,
        }
    }

    fn svg(&self, tours: &[Tour], letters: Letters) -> Result<String, Failure> {
        let style = SvgStyle {
            cell: self.cell,
            numbers: self.numbers,
            number_from: self.number_from,
            animate: self.animate,
            palette: self.palette.into(),
            letters,
        };
        let is_free = |tour: &Tour| tour.arena().rectangle().is_none() && tour.arena().layout().is_none();
        if self.animate.is_some() && tours.iter().any(is_free) {
            return Err(Failure::usage("--animate is for boards, and this is a graph; omit --animate"));
        }
        let mut text = String::new();
        match tours {
            [tour] => write_svg(&mut text, tour, &style),
            _ => write_sheet(&mut text, tours, self.columns.map(usize::from), &style),
        }
        .map_err(|error| Failure::failed(error.to_string()))?;
        Ok(text)
    }

    fn png(&self, tours: &[Tour]) -> Result<Vec<u8>, Failure> {
        png(&self.svg(tours, Letters::Strokes)?)
            .map_err(|error| Failure::failed(format!("{error}; use a smaller --cell or --limit, or SVG")))
    }
}

/// Returns the header of a tour in boxes, or nothing if the boxes can be read without a header. Boxes of a
/// knight's tour on a plain board need a header only if the tour is a path whose ends are a move apart.
fn header(tour: &Tour, above: &mut Above) -> Result<String, Failure> {
    let is_plain = tour.arena().rectangle().is_some_and(|board| board.leaper() == Leaper::default());
    if is_plain && tour.kind() != TourKind::ReEntrant && above.is_empty() {
        Ok(String::new())
    } else {
        above.header(tour, FormatArg::Grid)
    }
}

fn terminal_failure(error: TerminalError, others: &str) -> Failure {
    match error {
        TerminalError::TooWide { .. } => {
            Failure::failed(format!("{error}; draw it with {others}, or a greater --width"))
        }
        error => Failure::failed(error.to_string()),
    }
}
