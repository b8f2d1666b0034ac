//! Argument groups that several commands share, and parsers of their values.

pub(crate) mod board;
pub(crate) mod output_options;
pub(crate) mod quantities;
pub(crate) mod run_options;
pub(crate) mod tour_input;
pub(crate) mod tour_output;
pub(crate) mod tours;
