//! `--seed`: the seed of random tours.

use std::hash::{BuildHasher, RandomState};

use clap::Args;

use super::{heading, number};
use crate::report::print_notice;

/// The seed of random tours.
#[derive(Clone, Debug, Args)]
pub struct SeedArgs {
    /// Set the seed of all random choices
    ///
    /// Default: a fresh one, printed on standard error.
    #[arg(long, help_heading = heading::METHOD, value_name = "N", value_parser = number::<u64>(0..))]
    seed: Option<u64>,
}

impl SeedArgs {
    /// Returns the value of `--seed`, or a seed that differs from run to run. It is short, to be typed again.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| RandomState::new().hash_one(()) % 1_000_000_000)
    }

    /// Prints the seed by which `tours` tours were drawn, unless `--seed` gave it.
    pub fn print_fresh(&self, seed: u64, tours: u64) {
        if self.seed.is_none() && tours > 0 {
            let drawn = if tours == 1 { "this tour" } else { "these tours" };
            print_notice(format_args!("--seed {seed} draws {drawn} again"));
        }
    }
}
