//! Shell completions, made of the one definition of the command line.

use clap::Args;
use clap_complete::Shell;

use super::failure::Failure;
use super::files::print;

const EXAMPLES: &str = "\
Examples:
  source <(ktour completions bash)
  ktour completions zsh > ~/.zfunc/_ktour
  ktour completions fish > ~/.config/fish/completions/ktour.fish";

/// Shell completions.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl CompletionsArgs {
    /// Prints a completion script.
    pub fn run(&self, mut command: clap::Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "ktour", &mut script);
        print(&script)
    }
}
