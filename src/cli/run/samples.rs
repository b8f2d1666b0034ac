//! Run requests for the unit tests of this module.

use clap::Parser;

use super::announce::announce;
use super::prepare::prepare;
use super::start::Start;
use crate::cli::how::RunArgs;
use crate::cli::wanted::Wanted;
use ktour::batch::Shard;
use ktour::board::Arena;
use ktour::control::Control;
use ktour::count::{Engine, Request};
use ktour::tour::Kind;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    how: RunArgs,
}

/// Parses run options as typed; progress is not shown.
pub fn how(arguments: &[&str]) -> RunArgs {
    let line = ["ktour", "--progress", "none"].iter().chain(arguments);
    Line::try_parse_from(line).unwrap_or_else(|error| panic!("{error}")).how
}

/// Returns a request for the closed tours of a board by a sweep, with run options as typed.
pub fn swept(board: &str, options: &[&str]) -> Start {
    let mut start = Start { how: how(options), ..closed(board) };
    start.request.engine = Engine::Frontier;
    start
}

/// Returns the refusal of such a sweep, if it is refused.
pub fn said(board: &str, options: &[&str]) -> Result<(), String> {
    let ready = prepare(swept(board, options)).unwrap();
    announce(&ready, &Control::new()).map_err(|failure| failure.to_string())
}

/// Returns a request for the closed tours of a board.
pub fn closed(board: &str) -> Start {
    Start {
        request: Request { kind: Some(Kind::Closed), ..Request::new(board.parse::<Arena>().unwrap()) },
        shard: Shard::WHOLE,
        wanted: Wanted::default(),
        how: how(&[]),
        checkpoint: None,
        resumed: None,
    }
}
