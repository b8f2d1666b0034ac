//! Memory of counts and lists does not grow with the number of tours.

#![cfg(target_os = "linux")]

use std::io::Read;
use std::process::{Command, Stdio};

/// Runs ktour, and returns the peak memory in KiB: the largest value that /proc shows during the run.
fn peak_memory_kib(arguments: &str) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ktour"))
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while out.read(&mut buffer).unwrap() > 0 {}
    });
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kb) = line.and_then(|line| line.split_whitespace().next()) {
            peak = peak.max(kb.parse().unwrap());
        }
        std::thread::yield_now();
    }
    reader.join().unwrap();
    assert!(child.wait().unwrap().success());
    peak
}

#[test]
fn count_takes_less_than_40_mb() {
    // These boards have 8, one million and 18 million tours.
    for arguments in ["count 5x6 --kind closed", "count 6x7 --kind closed", "count 5x8 --kind paths"] {
        let peak = peak_memory_kib(arguments);
        assert!(peak < 40_000, "{arguments}: {peak} KB");
    }
}

#[test]
fn list_streams_in_constant_memory() {
    // The list is 330 MB of text.
    let peak = peak_memory_kib("list 6x6 --threads 2");
    assert!(peak < 60_000, "{peak} KB");
}
