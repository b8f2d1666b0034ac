//! Completions and the man page.

use clap::Args;
use clap_complete::Shell;

use super::failure::Failure;
use super::files::print;

/// Shell completions.
#[derive(Debug, Args)]
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

/// Prints the man page.
pub fn man(command: clap::Command) -> Result<(), Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::failed(format!("cannot make the man page: {error}")))?;
    print(&page)
}
