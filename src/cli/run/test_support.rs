//! Run requests for the unit tests of this module.

use clap::Parser;

use super::admission::admit;
use super::context::{RunRequest, prepare_run};
use crate::cli::args::checkpoint_options::CheckpointOptions;
use crate::cli::args::output_options::OutputOptions;
use crate::cli::args::run_options::{RunOptions, SpillArgs};
use ktour::batch::Shard;
use ktour::board::Board;
use ktour::control::Control;
use ktour::count::admission::Alternatives;
use ktour::count::{Engine, Request};
use ktour::tour::Kind;

#[derive(Parser)]
struct OptionsParser {
    #[command(flatten)]
    options: RunOptions,

    #[command(flatten)]
    spill: SpillArgs,
}

/// Parses run options from command-line arguments. Progress is not shown.
pub fn parse_run_options(arguments: &[&str]) -> RunOptions {
    let line = ["ktour", "--progress", "none"].iter().chain(arguments);
    let parsed = OptionsParser::try_parse_from(line).unwrap_or_else(|error| panic!("{error}"));
    parsed.options.with_spill(parsed.spill)
}

/// Returns the request to count the closed tours of a board by a sweep, with run options from
/// command-line arguments.
pub fn sweep_request(board: &str, options: &[&str]) -> RunRequest {
    let mut start = RunRequest { run_options: parse_run_options(options), ..closed_request(board) };
    start.request.engine = Engine::Frontier;
    start
}

/// Returns the error with which the admission check refuses the sweep of [`sweep_request`], if it
/// does.
pub fn admission_error(board: &str, options: &[&str]) -> Result<(), String> {
    let context = prepare_run(sweep_request(board, options)).unwrap();
    admit(&context, &Control::new()).map(|_| ()).map_err(|failure| failure.to_string())
}

/// Returns the request to count the closed tours of a board, with default options.
pub fn closed_request(board: &str) -> RunRequest {
    RunRequest {
        request: Request::of_kind(board.parse::<Board>().unwrap(), Kind::Closed),
        shard: Shard::WHOLE,
        output: OutputOptions::default(),
        run_options: parse_run_options(&[]),
        checkpoint: CheckpointOptions::default(),
        alternatives: Alternatives::default(),
    }
}
