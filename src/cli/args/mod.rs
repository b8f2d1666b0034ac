//! Groups of arguments that several commands share, and the parsers of their values.

pub(crate) mod board;
pub(crate) mod output_options;
pub(crate) mod run_options;
pub(crate) mod tours;
