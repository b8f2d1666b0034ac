//! `ktour draw`: draws tours as SVG or PNG pictures, or on the terminal.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::args::tours::{LastHeader, MixedArgs, TourInput};
use super::args::{heading, number};
use super::error::CliError;
use crate::report::{Output, print_notice, render_png, terminal_columns, terminal_has_colours};
use ktour::board::Leaper;
use ktour::text_format::format_count;
use ktour::tour::{
    Palette, SvgStyle, TerminalError, TerminalPicture, TerminalStyle, TextRendering, Tour, TourFormat,
    TourKind, braille_picture, number_table, write_contact_sheet, write_svg,
};

const EXAMPLES: &str = "\
Examples:
  ktour find 8x8 --closed | ktour draw -              on the terminal
  ktour find 8x8 --closed | ktour draw - --output tour.svg
  ktour find 8x8 | ktour draw - --output tour.png --palette mono
  ktour list 5x5 --distinct | ktour draw - --output sheet.svg   a sheet
  ktour find 8x8 | ktour draw - --format box
  ktour find 8x8 | ktour draw - --animate=30 --output walk.svg

A closed tour has one colour; an open path runs through the colours of the palette, from a disc to a diamond. \
Numbers are shown if there is room. In a box of several layers, a move to another layer is a short line with the \
number of that layer. Boxes of move numbers can be read by check, draw and rank. The ending of the \
file name sets the format: .svg, .png, or .txt for terminal pictures.";

/// Maximum number of tours that are drawn without `--limit`.
const DEFAULT_MAX_TOURS: u64 = 1000;

/// Output format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PictureFormat {
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

/// When to use colours on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourArg {
    /// On a terminal, unless NO_COLOR is set; the default
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The colours of pictures on a terminal.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::PICTURE)]
pub struct ColourArgs {
    /// Choose when terminal pictures are coloured
    #[arg(long, value_enum, value_name = "WHEN", hide_short_help = true)]
    color: Option<ColourArg>,
}

impl ColourArgs {
    /// Returns true if the option is given.
    pub const fn is_given(&self) -> bool {
        self.color.is_some()
    }

    /// Returns true if terminal pictures are coloured. `terminal` is true if they go to a terminal.
    pub fn has_colours(&self, terminal: bool) -> bool {
        match self.color.unwrap_or(ColourArg::Auto) {
            ColourArg::Auto => terminal && terminal_has_colours(),
            ColourArg::Always => true,
            ColourArg::Never => false,
        }
    }
}

/// Draw pictures of tours: SVG, PNG, contact sheets, terminal.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct DrawArgs {
    #[command(flatten)]
    input: TourInput,
    #[command(flatten)]
    boards: MixedArgs,
    /// Stop after N tours
    ///
    /// Default: 1000, with a notice if there are more.
    #[arg(long, short = 'n', value_name = "N", value_parser = number::<u64>(1..))]
    limit: Option<u64>,
    /// Choose the colours
    #[arg(long, help_heading = heading::PICTURE, aliases = ["colors", "colours"], value_enum, value_name = "NAME", default_value = "wood")]
    palette: Palette,
    #[command(flatten)]
    color: ColourArgs,
    /// Set the number of columns of a contact sheet
    #[arg(long, help_heading = heading::PICTURE, hide_short_help = true, value_name = "N", value_parser = number::<u16>(1..))]
    columns: Option<u16>,
    /// Set the side of a square in pixels
    #[arg(long, help_heading = heading::PICTURE, hide_short_help = true, value_name = "PIXELS", value_parser = parse_pixels)]
    cell: Option<f64>,
    /// Set the width of a terminal picture in columns. Default: COLUMNS, the terminal's, or 80
    #[arg(long, help_heading = heading::PICTURE, hide_short_help = true, value_name = "N", value_parser = number::<u16>(1..))]
    width: Option<u16>,
    /// Show move numbers in an SVG or PNG picture. Default: if there is room
    #[arg(long, help_heading = heading::PICTURE, hide_short_help = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    numbers: Option<bool>,
    /// Animate the tour in an SVG picture, for 20 seconds or SECONDS
    #[arg(long, help_heading = heading::PICTURE, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "20", value_parser = parse_seconds)]
    animate: Option<f64>,
    /// Choose the format. Default: by the file name
    ///
    /// Without an ending: terminal on a terminal, SVG otherwise.
    #[arg(long = "format", help_heading = heading::OUTPUT, alias = "as", value_enum, value_name = "FORMAT")]
    medium: Option<PictureFormat>,
    /// Number the first square of grids 0 or 1. Default: 1
    #[arg(long, help_heading = heading::OUTPUT, hide_short_help = true, value_name = "N", value_parser = number::<u64>(0..=1))]
    number_from: Option<u64>,
    /// Write to FILE instead of standard output
    #[arg(long, short, help_heading = heading::OUTPUT, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

/// Returns the width of the terminal that the environment variable COLUMNS states, which the help obeys too.
fn columns_setting() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok().filter(|&width| width > 0)
}

fn parse_within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        Ok(_) => Err(format!("out of range; use a number from {low} to {high}")),
        Err(_) => Err(format!("not a number; use a number from {low} to {high}")),
    }
}

fn parse_pixels(text: &str) -> Result<f64, String> {
    parse_within(text, 1.0, 400.0)
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    parse_within(text, 0.1, 86_400.0)
}

/// Returns the picture format for the ending of a file name.
fn format_from_ending(path: &Path) -> Option<PictureFormat> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "svg" => Some(PictureFormat::Svg),
        "png" => Some(PictureFormat::Png),
        "txt" => Some(PictureFormat::Terminal),
        _ => None,
    }
}

/// Returns true if a file name has an ending that names no picture format.
fn has_unknown_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| !ending.is_empty()) && format_from_ending(path).is_none()
}

impl DrawArgs {
    /// Draws the tours of the input.
    pub fn run(&self) -> Result<(), CliError> {
        let terminal = self.output == Path::new("-") && io::stdout().is_terminal();
        let medium = self.medium(terminal)?;
        let mut out = Output::create(&self.output)?;
        let name = out.name();
        let failed = |error: io::Error| CliError::write_error(&name, error);
        let mut tours = self.input.open_reader(self.boards.mixed)?;
        let limit = self.limit.unwrap_or(DEFAULT_MAX_TOURS);
        let mut drawn = 0;
        // Tours of a contact sheet, and the current line of terminal pictures placed side by side.
        let mut sheet: Vec<Tour> = Vec::new();
        let mut line: Option<TerminalPicture> = None;
        let mut last_header = LastHeader::default();
        let style = self.terminal_style();
        let colour = self.color.has_colours(terminal);
        for found in tours.by_ref().take(usize::try_from(limit).unwrap_or(usize::MAX)) {
            let tour = found.map_err(|error| self.input.read_error(&error, true))?.tour;
            drawn += 1;
            let picture = match medium {
                PictureFormat::Svg | PictureFormat::Png => {
                    sheet.push(tour);
                    continue;
                }
                PictureFormat::Box => {
                    // Boxes are placed one below the other with headers, so that they can be read again.
                    let text = number_table(&tour, &style)
                        .map_err(|error| terminal_error(error, "--format terminal, svg or png"))?
                        .to_text(colour);
                    let header = if terminal { String::new() } else { box_header(&tour, &mut last_header)? };
                    let separator = if drawn > 1 { "\n" } else { "" };
                    write!(out, "{separator}{header}{text}").map_err(failed)?;
                    continue;
                }
                PictureFormat::Terminal => braille_picture(&tour, &style)
                    .map_err(|error| terminal_error(error, "--format svg or png"))?,
            };
            let Some(mut current_line) = line.take() else {
                line = Some(picture);
                continue;
            };
            line = Some(match current_line.append_right(picture, style.width) {
                Ok(()) => current_line,
                Err(picture) => {
                    writeln!(out, "{}", current_line.to_text(colour)).map_err(failed)?;
                    picture
                }
            });
        }
        if drawn == 0 {
            return Err(match tours.has_list_header() {
                true => CliError::failed(format!(
                    "{}: the list has no tours, so there is nothing to draw",
                    self.input.name()
                )),
                false => self.input.no_tours_error(),
            });
        }
        self.input.print_notes(&tours.notes());
        if let Some(line) = line {
            out.write_all(line.to_text(colour).as_bytes()).map_err(failed)?;
        }
        match medium {
            PictureFormat::Svg => {
                out.write_all(self.to_svg(&sheet, TextRendering::SvgText)?.as_bytes()).map_err(failed)?
            }
            PictureFormat::Png => out.write_all(&self.to_png(&sheet)?).map_err(failed)?,
            PictureFormat::Terminal | PictureFormat::Box => {}
        }
        // A limit that was given needs no notice.
        if self.limit.is_none() && drawn == limit && tours.next().is_some() {
            print_notice(format_args!(
                "drew the first {}, there are more; --limit N draws more",
                format_count(drawn, "tour")
            ));
        }
        Ok(out.finish()?)
    }

    fn medium(&self, terminal: bool) -> Result<PictureFormat, CliError> {
        let ending = format_from_ending(&self.output);
        let medium = match (self.medium, ending) {
            (Some(asked), Some(ending)) if asked != ending && ending != PictureFormat::Terminal => {
                return Err(CliError::usage(format!(
                    "--format and the ending of --output {} disagree; omit --format, or change the ending",
                    self.output.display()
                )));
            }
            (Some(asked), _) => asked,
            (None, Some(ending)) => ending,
            (None, None) if has_unknown_ending(&self.output) => {
                return Err(CliError::usage(format!(
                    "--output {} does not end in .svg, .png or .txt; change the ending, or add --format",
                    self.output.display()
                )));
            }
            (None, None) if self.animate.is_some() => PictureFormat::Svg,
            (None, None) if terminal || self.terminal_option().is_some() => PictureFormat::Terminal,
            (None, None) => PictureFormat::Svg,
        };
        self.check_options(medium)?;
        if medium == PictureFormat::Png && terminal {
            return Err(CliError::usage(
                "a PNG picture cannot be shown on a terminal; add --output FILE.png",
            ));
        }
        if self.animate.is_some() && medium != PictureFormat::Svg {
            return Err(CliError::usage(
                "--animate is for SVG pictures; add --format svg or --output FILE.svg",
            ));
        }
        Ok(medium)
    }

    /// Returns the name of a given option that applies only to pictures on a terminal, if there is
    /// one.
    fn terminal_option(&self) -> Option<&'static str> {
        match self {
            Self { width: Some(_), .. } => Some("--width"),
            Self { color: ColourArgs { color: Some(ColourArg::Always) }, .. } => Some("--color always"),
            _ => None,
        }
    }

    /// Returns an error for options that the picture format `medium` does not support.
    fn check_options(&self, medium: PictureFormat) -> Result<(), CliError> {
        let is_terminal = matches!(medium, PictureFormat::Terminal | PictureFormat::Box);
        let sheet_option = match self {
            Self { columns: Some(_), .. } => Some("--columns"),
            Self { cell: Some(_), .. } => Some("--cell"),
            Self { numbers: Some(_), .. } => Some("--numbers"),
            _ => None,
        };
        let why = match (self.terminal_option(), sheet_option) {
            _ if self.number_from.is_some() && medium == PictureFormat::Terminal => {
                "--number-from is for pictures with numbers; add --format box or svg, or omit it".to_owned()
            }
            (Some(option), _) if !is_terminal && self.animate.is_some() => {
                format!("{option} is for terminal pictures, and --animate for SVG pictures; omit one of them")
            }
            (Some(option), _) if !is_terminal => {
                format!("{option} is for terminal pictures; add --format terminal or box, or omit it")
            }
            (_, Some(option)) if is_terminal => {
                format!("{option} is for SVG and PNG pictures; add --output FILE.svg or FILE.png, or omit it")
            }
            _ => return Ok(()),
        };
        Err(CliError::usage(why))
    }

    fn terminal_style(&self) -> TerminalStyle {
        let usual = TerminalStyle::default();
        let width = self.width.map(usize::from).or_else(columns_setting).or_else(terminal_columns);
        TerminalStyle {
            width: width.unwrap_or(usual.width),
            first_number: self.number_from.unwrap_or(1),
            palette: self.palette,
        }
    }

    fn to_svg(&self, tours: &[Tour], letters: TextRendering) -> Result<String, CliError> {
        let style = SvgStyle {
            cell_pixels: self.cell,
            has_numbers: self.numbers,
            first_number: self.number_from.unwrap_or(1),
            animation_seconds: self.animate,
            palette: self.palette,
            text_rendering: letters,
        };
        let is_graph = |tour: &Tour| tour.board().leaper_board().is_none() && tour.board().layout().is_none();
        if self.animate.is_some() && tours.iter().any(is_graph) {
            return Err(CliError::usage("--animate is for boards, and this is a graph; omit --animate"));
        }
        let mut text = String::new();
        match tours {
            [tour] => write_svg(&mut text, tour, &style),
            _ => write_contact_sheet(&mut text, tours, self.columns.map(usize::from), &style),
        }
        .map_err(CliError::failed)?;
        Ok(text)
    }

    fn to_png(&self, tours: &[Tour]) -> Result<Vec<u8>, CliError> {
        render_png(&self.to_svg(tours, TextRendering::Strokes)?)
            .map_err(|error| CliError::failed(format!("{error}; use a smaller --cell or --limit, or SVG")))
    }
}

/// Returns the header line of a tour that is drawn as boxes of move numbers. Empty if the boxes can
/// be read without it. On a plain board, boxes of a knight's tour need a header only if the tour is
/// a path whose ends are a move apart.
fn box_header(tour: &Tour, above: &mut LastHeader) -> Result<String, CliError> {
    let is_plain = tour.board().leaper_board().is_some_and(|board| board.leaper() == Leaper::default());
    if is_plain && tour.kind() != TourKind::ReEntrant && above.is_empty() {
        Ok(String::new())
    } else {
        above.header(tour, TourFormat::Grid)
    }
}

fn terminal_error(error: TerminalError, others: &str) -> CliError {
    match error {
        TerminalError::TooWide { .. } => {
            CliError::failed(format!("{error}; draw it with {others}, or a greater --width"))
        }
        error => CliError::failed(error.to_string()),
    }
}
