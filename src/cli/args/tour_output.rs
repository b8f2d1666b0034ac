//! The output of tours: options of `list`, `find`, `sample` and `unrank`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::error::CliError;
use ktour::board::Board;
use ktour::tour::{Kind, Tour, TourFormat, TourKind, TourWriter};

/// Endings of picture files, which these commands do not write.
const PICTURE_EXTENSIONS: [&str; 2] = ["svg", "png"];

/// Options for the format and the file of tours.
#[derive(Debug, Args)]
pub struct TourOutputArgs {
    /// Choose the format of tours. Default: by the ending of --output, or squares
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<TourFormatArg>,

    /// Write only the tours, without header line or field
    #[arg(long, hide_short_help = true)]
    bare: bool,

    /// Number the first square of grids 0 or 1
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=1))]
    number_from: u64,

    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub output: PathBuf,
}

/// A format of tours on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum TourFormatArg {
    /// Square names on a line
    Squares,
    /// Move numbers arranged as the board
    Grid,
    /// A row of kind,squares,arena
    Csv,
    /// A JSON object on each line
    Ndjson,
}

impl From<TourFormatArg> for TourFormat {
    fn from(format: TourFormatArg) -> Self {
        match format {
            TourFormatArg::Squares => Self::Squares,
            TourFormatArg::Grid => Self::Grid,
            TourFormatArg::Csv => Self::Csv,
            TourFormatArg::Ndjson => Self::Ndjson,
        }
    }
}

impl TourOutputArgs {
    /// Returns true if tours go to standard output.
    pub fn is_stdout(&self) -> bool {
        self.output.as_os_str() == "-"
    }

    /// Returns a writer for tours of a board.
    ///
    /// # Errors
    /// The output is a picture file, or the format does not support the board.
    pub fn writer(&self, board: &Board) -> Result<TourWriter, CliError> {
        let ending = self.output.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        if PICTURE_EXTENSIONS.iter().any(|picture| ending.eq_ignore_ascii_case(picture)) {
            return Err(CliError::usage(format!(
                "--output {file}: this command writes tours as text; pipe them to ktour draw - --output \
                {file}",
                file = self.output.display()
            )));
        }
        tour_writer(
            board,
            self.format.unwrap_or_else(|| format_by_extension(ending)),
            self.number_from,
            self.bare,
        )
    }
}

/// Returns the format for the ending of a file name.
fn format_by_extension(ending: &str) -> TourFormatArg {
    match ending.to_ascii_lowercase().as_str() {
        "csv" => TourFormatArg::Csv,
        "ndjson" | "jsonl" | "json" => TourFormatArg::Ndjson,
        _ => TourFormatArg::Squares,
    }
}

/// Returns a writer for tours of a board in the given format. `bare` omits the header.
pub fn tour_writer(
    board: &Board,
    format: TourFormatArg,
    number_from: u64,
    bare: bool,
) -> Result<TourWriter, CliError> {
    let writer = TourWriter::new(board, format.into(), number_from)
        .map_err(|error| CliError::failed(error.to_string()))?;
    Ok(if bare { writer.without_header() } else { writer })
}

/// Board and kind of the last header written, for tours of different boards or kinds.
#[derive(Default)]
pub struct LastHeader(Option<(Board, Kind)>);

impl LastHeader {
    /// Returns true if no header has been written.
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the header of a tour, or an empty string if the last header still applies.
    pub fn header(&mut self, tour: &Tour, format: TourFormatArg) -> Result<String, CliError> {
        let kind = if tour.kind() == TourKind::Closed { Kind::Closed } else { Kind::Paths };
        if self.0.as_ref().is_some_and(|(board, of)| board == tour.board() && *of == kind) {
            return Ok(String::new());
        }
        self.0 = Some((tour.board().clone(), kind));
        Ok(tour_writer(tour.board(), format, 1, false)?.header(kind))
    }
}
