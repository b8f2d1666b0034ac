//! A record includes the machine and the time.

use std::fs;

/// The machine on which a run was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineInfo {
    /// Model of the processor, or its architecture if the system does not report the model.
    pub cpu: String,
    /// Number of processors that this process may use.
    pub cores: usize,
}

impl MachineInfo {
    /// Returns the description of this machine.
    #[must_use]
    pub fn current() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        let cpu = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim()).to_owned();
        Self { cpu, cores: std::thread::available_parallelism().map_or(1, Into::into) }
    }
}

/// Returns the peak resident memory of this process in KiB. `None` if the system does not report it (it does
/// on Linux).
#[must_use]
pub fn peak_memory_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Returns the time in UTC, to the second, as `2026-01-31T23:59:59Z`.
#[must_use]
pub fn now_utc() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn now_utc_has_seconds() {
        let time = now_utc();
        assert_eq!(time.len(), 20, "{time}");
        assert!(humantime::parse_rfc3339(&time).is_ok());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn peak_memory_is_known_on_linux() {
        assert!(peak_memory_kib().unwrap() > 100);
        assert!(MachineInfo::current().cores >= 1);
    }
}
