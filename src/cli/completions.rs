//! `ktour completions`: shell completions, generated from the clap definition.

use clap::builder::{PossibleValuesParser, ValueHint};
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
    pub fn run(&self, mut command: Command) -> Result<(), CliError> {
        let mut script = Vec::new();
        // clap requires names with a static lifetime; the program ends after this command, so they may leak.
        let names: Vec<&str> =
            command.get_subcommands().map(|one| &*one.get_name().to_owned().leak()).collect();
        command = command.mut_subcommand("man", |man| {
            man.mut_arg("command", |name| name.value_parser(PossibleValuesParser::new(names)))
        });
        clap_complete::generate(self.shell, &mut command, "ktour", &mut script);
        if self.shell == Shell::Bash {
            script = offer_files_first(&command, &String::from_utf8_lossy(&script)).into_bytes();
        }
        print_to_stdout(&script)
    }
}

/// Returns clap's bash script with a change: where the first argument of a command is a file, the
/// script offers options only after a dash. Bash completes file names itself where the script
/// offers nothing.
fn offer_files_first(program: &Command, script: &str) -> String {
    const COMPLETE_OPTIONS: &str = "if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then";
    const OFFER_OPTIONS: &str = "            COMPREPLY=( $(compgen -W \"${opts}\" -- \"${cur}\") )";
    let takes_files = |name: &str| {
        let command = program.find_subcommand(name);
        let first = command.and_then(|command| command.get_positionals().next());
        first.is_some_and(|first| matches!(first.get_value_hint(), ValueHint::FilePath))
    };
    let mut name = "";
    let mut lines = Vec::new();
    for line in script.lines() {
        if let Some(case) =
            line.trim().strip_prefix("ktour__subcmd__").and_then(|case| case.strip_suffix(')'))
        {
            name = case;
        }
        lines.push(match line {
            OFFER_OPTIONS if takes_files(name) => "            COMPREPLY=()".to_owned(),
            _ if takes_files(name) => line.replace(COMPLETE_OPTIONS, "if [[ ${cur} == -* ]] ; then"),
            _ => line.to_owned(),
        });
    }
    lines.join("\n") + "\n"
}
