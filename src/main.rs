//! The `ktour` program: the command line on top of the library.
//!
//! [`cli`] and [`report`] belong to this crate and not to the library: a user of the library gets no terminal
//! code, no command line, no signal handlers and no process settings. This crate is compiled after the
//! library, so an edit here recompiles nothing else.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

mod cli;
mod report;

#[global_allocator]
static ALLOCATOR: cli::OomReportingAllocator = cli::OomReportingAllocator;

fn main() -> std::process::ExitCode {
    cli::run_on_big_stack(cli::main)
}
