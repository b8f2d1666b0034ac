//! The `ktour` program: the command line on top of the library.
//!
//! [`cli`] and [`report`] are rooms of this crate and not of the library. Whoever uses the library gets no terminal,
//! no command line, no signals and no settings of the process; and as they do not wait for the library's
//! machine code, both are compiled at the same time.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

mod cli;
mod report;

fn main() -> std::process::ExitCode {
    cli::main()
}
