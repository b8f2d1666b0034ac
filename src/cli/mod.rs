//! The command line.

pub mod check;
pub mod draw;
pub mod find;
pub mod sink;

use clap::{Parser, Subcommand};

#[derive(Parser, Debug)]
#[command(name = "ktour", version, about)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    Find(find::FindArgs),
    Check(check::CheckArgs),
    Draw(draw::DrawArgs),
}
