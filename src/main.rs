//! The `ktour` program: the command line on top of the library.
//!
//! [`cli`] and [`report`] are rooms of this crate and not of the library: whoever uses the library gets no terminal,
//! no command line, no signals and no settings of the process. This crate is compiled after the library, and an edit
//! in it compiles nothing else.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

mod cli;
mod report;

#[global_allocator]
static ALLOCATOR: cli::OneLine = cli::OneLine;

fn main() -> std::process::ExitCode {
    cli::with_room(cli::main)
}
