//! The `ktour` program: the command line on top of the library.
//!
//! [`cli`] and [`report`] belong to this crate and not to the library: a user of the library gets no terminal
//! code, no command line, no signal handlers and no process settings. This crate is compiled after the
//! library, so an edit here recompiles nothing else.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

mod cli;
mod report;

#[global_allocator]
static ALLOCATOR: cli::OneLine = cli::OneLine;

fn main() -> std::process::ExitCode {
    cli::with_room(cli::main)
}
