//! Programs under test that are signalled: whatever the tests inherited, and however busy the machine is.

#![cfg(unix)]

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

/// Starts a program with the default disposition of the signals that stop it. `nohup` ignores SIGHUP, and a shell ignores
/// SIGINT for what it runs in the background; what is ignored is inherited.
pub fn with_default_signals(command: &mut Command) -> &mut Command {
    let reset = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM, libc::SIGUSR1] {
            // SAFETY: the default disposition runs nothing, and `signal` may be called between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: it calls nothing but `signal`.
    unsafe { command.pre_exec(reset) }
}

/// Waits until a program catches a signal.
pub fn wait_until_caught(child: &mut Child, signal: libc::c_int) {
    let status = format!("/proc/{}/status", child.id());
    loop {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it caught signal {signal}");
        let Ok(text) = std::fs::read_to_string(&status) else {
            // Where there is no such file, the time that it takes has to be guessed.
            return sleep(Duration::from_secs(1));
        };
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        if u64::from_str_radix(caught, 16).unwrap() >> (signal - 1) & 1 == 1 {
            return;
        }
        sleep(Duration::from_millis(1));
    }
}
