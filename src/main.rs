//! The `ktour` program; see [`ktour::cli`].

fn main() -> std::process::ExitCode {
    ktour::cli::main()
}
