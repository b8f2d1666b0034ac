//! `ktour completions`: shell completions, generated from the clap definition.

use clap::builder::ValueHint;
use clap::{Args, Command};
use clap_complete::Shell;

use super::args::output_options::print_to_stdout;
use super::error::CliError;

const EXAMPLES: &str = "\
Examples:
  source <(ktour completions bash)
  ktour completions zsh > ~/.zfunc/_ktour
  ktour completions fish > ~/.config/fish/completions/ktour.fish";

/// Start of the line by which a script of bash registers its function.
const BASH_REGISTRATION: &str = "complete -F _ktour ";

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
        if self.shell == Shell::Bash {
            script = complete_bash_script(&String::from_utf8_lossy(&script), &program).into_bytes();
        }
        print_to_stdout(script)
    }
}

/// Returns the script of bash with a function around that of clap_complete, which neither completes the value of
/// `--kind=c`, as bash splits it into three words, nor proposes files for an empty argument.
fn complete_bash_script(script: &str, program: &Command) -> String {
    let takes_files = |command: &&Command| {
        command.get_positionals().any(|argument| argument.get_value_hint() == ValueHint::FilePath)
    };
    let commands: Vec<&str> = program.get_subcommands().filter(takes_files).map(Command::get_name).collect();
    let function = format!(
        r#"
_ktour_words() {{
    local word previous="$3"
    if [[ "$3" == "=" && ${{COMP_CWORD}} -ge 2 ]]; then
        previous="${{COMP_WORDS[COMP_CWORD-2]}}"
    fi
    _ktour "$1" "$2" "$previous"
    # Without proposals, bash itself completes files.
    if [[ -z "$2" && "${{COMPREPLY[0]-}}" == -* ]]; then
        for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
            case "$word" in
                -*) ;;
                {})
                    COMPREPLY=()
                    break
                    ;;
                *)
                    break
                    ;;
            esac
        done
    fi
}}
"#,
        commands.join("|")
    );
    script.replace(BASH_REGISTRATION, "complete -F _ktour_words ") + &function
}
