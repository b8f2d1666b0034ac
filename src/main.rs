mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let done = match &cli.command {
        cli::Command::Find(args) => cli::find::run(args),
        cli::Command::Check(args) => cli::check::run(args),
        cli::Command::Draw(args) => cli::draw::run(args),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            let broken = error
                .chain()
                .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
                .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe);
            if broken {
                return ExitCode::SUCCESS;
            }
            eprintln!("ktour: error: {error:#}");
            ExitCode::from(if error.is::<cli::sink::Usage>() { 2 } else { 1 })
        }
    }
}
