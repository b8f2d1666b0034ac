//! Runs with limited memory, stack or threads print the result, or one error line with status 1.

#![cfg(target_os = "linux")]

use std::process::{Command, Output};

use super::{ERROR_PREFIX, JOB_PREFIX, stdout_and_stderr};

/// Runs ktour in a shell with `ulimit` commands.
fn run_with_ulimit(limit: &str, arguments: &str) -> Output {
    let script = format!("{limit}; exec \"$0\" {arguments}");
    Command::new("sh").arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_ktour")).output().unwrap()
}

#[test]
fn lack_of_memory_or_threads_is_one_error_line() {
    for limit in
        ["ulimit -v 60000", "ulimit -v 100000", "ulimit -v 150000", "ulimit -v 300000", "ulimit -s 64"]
    {
        for (arguments, answer) in [
            ("count 5x5 --kind paths", "864\n"),
            ("count 6x6 --kind closed --engine multipath --progress plain --threads 4", "9862\n"),
            ("count 6x6 --kind closed --engine frontier", "9862\n"),
            ("list 3x4 --threads 4 --output /dev/null", ""),
            ("find 5x5 --rule w+ --format csv --output /dev/null", ""),
        ] {
            let output = run_with_ulimit(limit, arguments);
            let (out, err) = stdout_and_stderr(&output);
            let case = format!("{limit}; {arguments}: {:?} {err}", output.status);
            match output.status.code() {
                Some(0) => assert_eq!(out, answer, "{case}"),
                Some(1) => {
                    let errors: Vec<&str> =
                        err.lines().filter(|line| !line.starts_with(JOB_PREFIX)).collect();
                    let [line] = errors[..] else { panic!("{case}") };
                    let names_cause = ["memory", "thread"].iter().any(|cause| line.contains(cause));
                    assert!(line.starts_with(ERROR_PREFIX) && names_cause, "{case}");
                }
                _ => panic!("{case}"),
            }
        }
    }
}
