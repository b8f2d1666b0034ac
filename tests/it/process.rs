//! Helpers for programs to which tests send signals: they reset inherited signal dispositions, and
//! wait until the program has installed its handlers, so that a busy machine does not change the
//! result.

#![cfg(unix)]

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

/// Sets the default disposition of the signals that stop a program, and returns the command. The child
/// inherits ignored signals: `nohup` ignores SIGHUP, and a shell ignores SIGINT for its background jobs.
pub fn with_default_signals(command: &mut Command) -> &mut Command {
    let reset = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGUSR1] {
            // SAFETY: the default disposition runs no code, and POSIX allows `signal` between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: the closure calls only `signal`.
    unsafe { command.pre_exec(reset) }
}

/// Waits until a program has installed a handler for a signal.
pub fn wait_until_caught(child: &mut Child, signal: libc::c_int) {
    let status = format!("/proc/{}/status", child.id());
    loop {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the program ended before it installed a handler for signal {signal}"
        );
        let Ok(text) = std::fs::read_to_string(&status) else {
            // Systems without /proc do not show the handler; one second is enough for the program to start.
            return sleep(Duration::from_secs(1));
        };
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        if u64::from_str_radix(caught, 16).unwrap() >> (signal - 1) & 1 == 1 {
            return;
        }
        sleep(Duration::from_millis(1));
    }
}
