//! What the program writes to a terminal.

#![cfg(unix)]

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::ptr::null_mut;
use std::thread::sleep;
use std::time::Duration;

use crate::process::{wait_until_caught, with_default_signals};

/// Returns the two ends of a new terminal: that of the person, and that of the program.
fn open_terminal() -> (File, OwnedFd) {
    let (mut person, mut program) = (-1, -1);
    // SAFETY: the pointers are valid, or null where no name and no settings are needed.
    let opened =
        unsafe { libc::openpty(&raw mut person, &raw mut program, null_mut(), null_mut(), null_mut()) };
    assert_eq!(opened, 0);
    // SAFETY: openpty has returned two open descriptors that nothing else owns.
    unsafe { (File::from_raw_fd(person), OwnedFd::from_raw_fd(program)) }
}

/// Returns what a count writes to a terminal of this type until it is stopped by Ctrl-C.
fn terminal_output_of_stopped_count(terminal_type: &str) -> String {
    let (mut person, program) = open_terminal();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ktour"));
    command.args(["count", "7x7", "--engine", "multipath"]).env("TERM", terminal_type);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(program);
    let mut child = with_default_signals(&mut command).spawn().unwrap();
    // The end of the program is open in the child only, so that reading ends with the child.
    drop(command);
    wait_until_caught(&mut child, libc::SIGINT);
    // Bars appear after half a second.
    sleep(Duration::from_millis(1500));
    // SAFETY: the child is not waited for yet, so the number is its own.
    unsafe { libc::kill(child.id().cast_signed(), libc::SIGINT) };
    let mut bytes = Vec::new();
    // On Linux the other end is an error when all programs have closed it.
    let _ = person.read_to_end(&mut bytes);
    assert!(!child.wait().unwrap().success());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn dumb_terminal_gets_no_control_sequences() {
    let dumb = terminal_output_of_stopped_count("dumb");
    assert!(dumb.contains("stopped") && !dumb.contains('\x1b'), "{dumb:?}");
    let other = terminal_output_of_stopped_count("xterm");
    assert!(other.contains("stopped") && other.contains('\x1b'), "{other:?}");
}
