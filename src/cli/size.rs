//! Sizes of memory as a user writes them.

pub use ktour::memory::parse_size as parse;
