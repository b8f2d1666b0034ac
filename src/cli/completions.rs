//! `ktour completions`: shell completions, generated from the clap definition.

use clap::{Args, Command};
use clap_complete::Shell;

use super::args::output_options::print_to_stdout;
use super::error::CliError;

const EXAMPLES: &str = "\
Examples:
  source <(ktour completions bash)
  ktour completions zsh > ~/.zfunc/_ktour
  ktour completions fish > ~/.config/fish/completions/ktour.fish";

/// Shell completions.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// Shell to generate completions for
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArgs {
    /// Prints the completion script of the selected shell.
    pub fn run(&self, mut program: Command) -> Result<(), CliError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "ktour", &mut script);
        print_to_stdout(script)
    }
}
