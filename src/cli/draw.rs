//! `ktour draw`: tours as pictures, in SVG and on the terminal.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::source::Source;
use crate::report::Output;
use ktour::tour::{SvgStyle, TerminalError, Tour, boxes, braille, write_sheet, write_svg};

const EXAMPLES: &str = "\
Examples:
  ktour find 8x8 --closed | ktour draw - --output tour.svg
  ktour find 8x8 | ktour draw - --as box
  ktour list 5x5 --distinct | ktour draw - --output sheet.svg     a contact sheet
  ktour find 8x8 | ktour draw - --animate 30 --output walk.svg

An open path goes from blue to red; its ends are green and red. Numbers are shown where there is room.";

/// What a picture is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Medium {
    /// A vector picture; of several tours, a contact sheet
    Svg,
    /// Lines of braille dots
    Braille,
    /// Move numbers in boxes
    Box,
}

/// Pictures of tours: SVG, contact sheets, terminal.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct DrawArgs {
    #[command(flatten)]
    source: Source,
    /// Without it braille on a terminal, SVG otherwise
    #[arg(long = "as", value_enum, value_name = "MEDIUM")]
    medium: Option<Medium>,
    /// Draw no more than so many tours
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Columns of a contact sheet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    columns: Option<u16>,
    /// Side of a square, in pixels
    #[arg(long, value_name = "PIXELS", value_parser = pixels)]
    cell: Option<f64>,
    /// Show move numbers in an SVG picture, or not; without it where there is room
    #[arg(long, hide_short_help = true, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    numbers: Option<bool>,
    /// First move number
    #[arg(long, hide_short_help = true, value_name = "0|1", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=1))]
    number_from: u64,
    /// Let a knight walk the tour in an SVG picture
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "20", value_parser = seconds)]
    animate: Option<f64>,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

fn within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!("write a number from {low} to {high}")),
    }
}

fn pixels(text: &str) -> Result<f64, String> {
    within(text, 1.0, 400.0)
}

fn seconds(text: &str) -> Result<f64, String> {
    within(text, 0.1, 86_400.0)
}

impl DrawArgs {
    /// Draws.
    pub fn run(&self) -> Result<(), Failure> {
        let mut out = Output::create(&self.output)?;
        let name = out.name();
        let failed = |error: io::Error| Failure::write(&name, &error);
        let terminal = matches!(out, Output::Stdout(_)) && io::stdout().is_terminal();
        let medium = self.medium.unwrap_or(if terminal { Medium::Braille } else { Medium::Svg });
        let mut sheet: Vec<Tour> = Vec::new();
        let mut drawn = 0u64;
        for found in self.source.tours()?.take(usize::try_from(self.limit).unwrap_or(usize::MAX)) {
            let tour = found.map_err(|error| self.source.fault(&error))?.tour;
            drawn += 1;
            let picture = match medium {
                Medium::Svg => {
                    sheet.push(tour);
                    continue;
                }
                Medium::Braille => braille(&tour),
                Medium::Box => boxes(&tour, self.number_from),
            };
            let picture = picture.map_err(|error| match error {
                TerminalError::TooWide(_) => Failure::failed(format!("{error}: draw it with --as svg")),
                error => Failure::failed(error.to_string()),
            })?;
            let separator = if drawn > 1 { "\n" } else { "" };
            write!(out, "{separator}{picture}").map_err(failed)?;
        }
        if drawn == 0 {
            return Err(self.source.empty());
        }
        if medium == Medium::Svg {
            out.write_all(self.svg(&sheet)?.as_bytes()).map_err(failed)?;
        }
        Ok(out.finish()?)
    }

    fn svg(&self, tours: &[Tour]) -> Result<String, Failure> {
        let style = SvgStyle {
            cell: self.cell,
            numbers: self.numbers,
            number_from: self.number_from,
            animate: self.animate,
        };
        let mut text = String::new();
        match tours {
            [tour] => write_svg(&mut text, tour, &style),
            _ => write_sheet(&mut text, tours, self.columns.map(usize::from), &style),
        }
        .map_err(|error| Failure::failed(error.to_string()))?;
        Ok(text)
    }
}
