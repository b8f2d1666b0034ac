//! `ktour draw`: tours as pictures, in SVG and on the terminal.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use ktour::tour::{SvgStyle, Tour, boxes, braille, write_sheet, write_svg};

use super::check::Source;
use super::sink::Sink;

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

/// Draw tours: SVG, contact sheets, terminal pictures
#[derive(Args, Debug)]
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
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    numbers: Option<bool>,
    /// First move number
    #[arg(long, value_name = "0|1", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=1))]
    number_from: u64,
    /// Let a knight walk the tour in an SVG picture, in so many seconds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "20", value_parser = seconds)]
    animate: Option<f64>,
    /// Write to a file, which appears only when it is complete
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
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

/// Runs the command.
///
/// # Errors
/// The first fault of the file, a board too wide for the terminal, or an output that fails.
pub fn run(args: &DrawArgs) -> Result<ExitCode> {
    let mut sink = Sink::new(args.output.as_deref())?;
    let terminal = sink.is_stdout() && io::stdout().is_terminal();
    let medium = args.medium.unwrap_or(if terminal { Medium::Braille } else { Medium::Svg });
    let mut tours: Vec<Tour> = Vec::new();
    let mut drawn = 0u64;
    for found in args.source.tours()?.take(usize::try_from(args.limit).unwrap_or(usize::MAX)) {
        let tour = found?.tour;
        drawn += 1;
        let text = match medium {
            Medium::Svg => {
                tours.push(tour);
                continue;
            }
            Medium::Braille => braille(&tour),
            Medium::Box => boxes(&tour, args.number_from),
        };
        let text = text.map_err(|error| anyhow::anyhow!("{error}: use --as svg"))?;
        sink.write(if drawn > 1 { format!("\n{text}") } else { text }.as_bytes())?;
    }
    if drawn == 0 {
        bail!("{}: no tours in it", args.source.name());
    }
    if medium == Medium::Svg {
        sink.write(svg(&tours, args)?.as_bytes())?;
    }
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn svg(tours: &[Tour], args: &DrawArgs) -> Result<String> {
    let style = SvgStyle {
        cell: args.cell,
        numbers: args.numbers,
        number_from: args.number_from,
        animate: args.animate,
    };
    let mut out = String::new();
    match tours {
        [tour] => write_svg(&mut out, tour, &style)?,
        _ => write_sheet(&mut out, tours, args.columns.map(usize::from), &style)?,
    }
    Ok(out)
}
