//! How tours are written, for `list` and `find`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::failure::Failure;
use ktour::board::Arena;
use ktour::tour::{Kind, Tour, TourFormat, TourKind, TourWriter};

/// What the name of a picture ends in.
const PICTURES: [&str; 2] = ["svg", "png"];

/// How tours are written, and where.
#[derive(Debug, Args)]
pub struct WrittenArgs {
    /// How to write a tour [default: as the file's name ends, or squares]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<FormatArg>,

    /// Write the tours alone, without the line or field that says what they are tours of
    #[arg(long, hide_short_help = true)]
    bare: bool,

    /// Number of the first square in grids, 0 or 1
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=1))]
    number_from: u64,

    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub output: PathBuf,
}

/// How to write tours, as typed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FormatArg {
    /// Square names on a line
    Squares,
    /// Move numbers laid out as the board
    Grid,
    /// A row of kind,squares,arena
    Csv,
    /// A JSON object a line
    Ndjson,
}

impl From<FormatArg> for TourFormat {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Squares => Self::Squares,
            FormatArg::Grid => Self::Grid,
            FormatArg::Csv => Self::Csv,
            FormatArg::Ndjson => Self::Ndjson,
        }
    }
}

impl WrittenArgs {
    /// Whether tours go to standard output.
    pub fn is_stdout(&self) -> bool {
        self.output.as_os_str() == "-"
    }

    /// A writer for tours of an arena.
    pub fn writer(&self, arena: &Arena) -> Result<TourWriter, Failure> {
        let ending = self.output.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        if PICTURES.iter().any(|picture| ending.eq_ignore_ascii_case(picture)) {
            return Err(Failure::usage(format!(
                "--output {file}: tours are written as text here: pipe them to ktour draw - --output {file}",
                file = self.output.display()
            )));
        }
        writer(arena, self.format.unwrap_or_else(|| by_ending(ending)), self.number_from, self.bare)
    }
}

/// The format that the ending of a file's name means.
fn by_ending(ending: &str) -> FormatArg {
    match ending.to_ascii_lowercase().as_str() {
        "csv" => FormatArg::Csv,
        "ndjson" | "jsonl" | "json" => FormatArg::Ndjson,
        _ => FormatArg::Squares,
    }
}

/// A writer for tours of an arena.
pub fn writer(arena: &Arena, format: FormatArg, number_from: u64, bare: bool) -> Result<TourWriter, Failure> {
    let writer = TourWriter::new(arena, format.into(), number_from)
        .map_err(|error| Failure::failed(error.to_string()))?;
    Ok(if bare { writer.bare() } else { writer })
}

/// What the last header says, of tours that are not all of one arena or kind.
#[derive(Default)]
pub struct Above(Option<(Arena, Kind)>);

impl Above {
    /// Whether nothing is said yet.
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The header of a tour, if the one above does not say the same.
    pub fn header(&mut self, tour: &Tour, format: FormatArg) -> Result<String, Failure> {
        let kind = if tour.kind() == TourKind::Closed { Kind::Closed } else { Kind::Paths };
        if self.0.as_ref().is_some_and(|(arena, of)| arena == tour.arena() && *of == kind) {
            return Ok(String::new());
        }
        self.0 = Some((tour.arena().clone(), kind));
        Ok(writer(tour.arena(), format, 1, false)?.header(kind))
    }
}
