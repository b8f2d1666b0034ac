//! Jobs for the tests of the files beside this one.

use clap::Parser;

use super::start::Start;
use crate::cli::how::RunArgs;
use crate::cli::wanted::Wanted;
use ktour::batch::Shard;
use ktour::board::Arena;
use ktour::count::Request;
use ktour::tour::Kind;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    how: RunArgs,
}

/// Options as typed; nothing of progress is shown.
pub fn how(arguments: &[&str]) -> RunArgs {
    let line = ["ktour", "--progress", "none"].iter().chain(arguments);
    Line::try_parse_from(line).unwrap_or_else(|error| panic!("{error}")).how
}

/// Closed tours of a board.
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
