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
        let script = String::from_utf8_lossy(&script);
        let script =
            if self.shell == Shell::Bash { complete_after_equals(&script) } else { script.into_owned() };
        print_to_stdout(script.as_bytes())
    }
}

/// The line of a bash script of clap that sets the word before the one to complete.
const BASH_PREVIOUS_WORD: &str = "    prev=\"$3\"\n";

/// Makes a bash script of clap complete values after `--option=`. For bash the sign `=` is a word of its own.
fn complete_after_equals(script: &str) -> String {
    let without_equals = r#"    if [[ "${COMP_WORDS[COMP_CWORD]}" == "=" ]]; then
        cur=""
        prev="${COMP_WORDS[COMP_CWORD-1]}"
    elif [[ "${prev}" == "=" && COMP_CWORD -ge 2 ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
"#;
    script.replacen(BASH_PREVIOUS_WORD, &format!("{BASH_PREVIOUS_WORD}{without_equals}"), 1)
}
