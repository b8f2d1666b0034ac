//! Memory sizes: how much memory a run may use, and the parsing and formatting of sizes.
//!
//! Available memory is the free memory of the machine, or what the process's control group (cgroup)
//! has left if that is less. In a container or a batch system the machine has more memory than the
//! process may use, and a process that exceeds its limit is killed. Control groups are nested, and
//! each has a limit of its own; both cgroup versions are read. File pages that the system would
//! drop first do not count as used.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the number of bytes that a new process could use without swapping, or `None` on systems
/// that do not report it (other than Linux).
#[must_use]
pub fn available_bytes() -> Option<u64> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let free = number_after(&info, "MemAvailable:")?.checked_mul(1024)?;
    let group = fs::read_to_string("/proc/self/cgroup").ok();
    let left = group.and_then(|groups| bytes_left_in_groups(&groups, Path::new("/sys/fs/cgroup")));
    Some(left.map_or(free, |left| left.min(free)))
}

/// Returns the default memory limit of a sweep in bytes: nine tenths of the available memory, rounded down to
/// whole GiB from 8 GiB on. So a sweep fails with an error before the machine swaps or kills the process, and
/// estimates that are made one after another have the same limit.
#[must_use]
pub fn default_limit_bytes() -> Option<u64> {
    const GIB: u64 = 1 << 30;
    let rounded = |bytes: u64| if bytes < 8 * GIB { bytes } else { bytes / GIB * GIB };
    available_bytes().map(|bytes| rounded(bytes / 10 * 9))
}

/// Names of the units of sizes. Each unit is 1024 times the previous one.
const SIZE_UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// Formats a size with the largest fitting unit and three digits, such as `1.50 GiB` or `26.0 MiB`.
#[must_use]
pub fn format_bytes(bytes: u64) -> String {
    let (mut size, mut unit) = (bytes as f64, 0);
    while size >= 1024.0 && unit + 1 < SIZE_UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    let decimals = match size {
        _ if unit == 0 => 0,
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{size:.decimals$} {}", SIZE_UNITS[unit])
}

/// Returns the number that follows the word `name` at the beginning of a line of `text`.
fn number_after(text: &str, name: &str) -> Option<u64> {
    let mut words = text.lines().map(str::split_ascii_whitespace);
    words.find_map(|mut words| (words.next() == Some(name)).then(|| words.next())?)?.parse().ok()
}

/// Names of two cgroup files, which hold the limit and the usage, and name of the field of
/// `memory.stat` that holds the droppable part of the usage.
type CgroupFiles = (&'static str, &'static str, &'static str);
const CGROUP_V1_FILES: CgroupFiles =
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
const CGROUP_V2_FILES: CgroupFiles = ("memory.max", "memory.current", "inactive_file");

/// Returns the smallest number of bytes that any control group of the process has left, or `None`
/// if no group has a limit. `groups` is the text of `/proc/self/cgroup`, `root` the mount point of
/// the control groups.
fn bytes_left_in_groups(groups: &str, root: &Path) -> Option<u64> {
    let group = |line: &str| -> Option<(PathBuf, PathBuf, CgroupFiles)> {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let (mount, names) = match controllers {
            "" => (root.to_owned(), CGROUP_V2_FILES),
            list if list.split(',').any(|name| name == "memory") => (root.join("memory"), CGROUP_V1_FILES),
            _ => return None,
        };
        Some((mount.join(path.trim_start_matches('/')), mount, names))
    };
    let left = |(path, mount, names): (PathBuf, PathBuf, CgroupFiles)| {
        // Inside a container the path may be that of the host: then the group is mounted at the root.
        let groups = path.ancestors().take_while(|path| path.starts_with(&mount));
        groups.filter_map(|group| bytes_left_in_group(group, names)).min()
    };
    groups.lines().filter_map(group).filter_map(left).min()
}

/// Returns the number of bytes that a control group has left below its limit, or `None` if it has
/// no limit.
fn bytes_left_in_group(group: &Path, (limit, usage, droppable): CgroupFiles) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok();
    // A missing limit is a word, or a number greater than any memory.
    let limit: u64 = read(limit)?.trim().parse().ok().filter(|&limit| limit < 1 << 60)?;
    let usage: u64 = read(usage)?.trim().parse().ok()?;
    let dropped = read("memory.stat").and_then(|stat| number_after(&stat, droppable)).unwrap_or(0);
    Some(limit.saturating_sub(usage.saturating_sub(dropped)))
}

/// Error: the text is not a size in bytes. Holds the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a size; write a number with K, M, G or T, such as 8G")]
pub struct ParseSizeError(String);

/// Parses a number of bytes, or a number with the unit K, M, G or T (powers of 1024; `8G`, `8GiB` and `8GB`
/// are equal).
///
/// # Errors
/// The text is not a size from 1 byte to 1 EiB.
pub fn parse_size(text: &str) -> Result<u64, ParseSizeError> {
    let bad = || ParseSizeError(text.to_owned());
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| bad())?;
    let unit = unit.to_ascii_uppercase();
    let power = match unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit) {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return Err(bad()),
    };
    let bytes = number * 1024f64.powi(power);
    if bytes >= 1.0 && bytes < 2f64.powi(60) { Ok(bytes as u64) } else { Err(bad()) }
}

/// Returns a number of bytes rounded up to whole MiB, or from 16 GiB on to whole GiB.
#[must_use]
pub(crate) const fn round_up_size(bytes: u64) -> u64 {
    let unit = if bytes >> 34 > 0 { 1 << 30 } else { 1 << 20 };
    bytes.div_ceil(unit).saturating_mul(unit)
}

/// Formats a size in bytes, rounded up, in the form that memory limits accept, such as `8G`.
#[must_use]
pub fn format_size(bytes: u64) -> String {
    let bytes = round_up_size(bytes);
    if bytes.is_multiple_of(1 << 30) { format!("{}G", bytes >> 30) } else { format!("{}M", bytes >> 20) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_group_files(root: &Path, path: &str, files: &[(&str, &str)]) {
        let path = root.join(path);
        fs::create_dir_all(&path).unwrap();
        for (name, text) in files {
            fs::write(path.join(name), text).unwrap();
        }
    }

    #[test]
    fn format_bytes_chooses_fitting_unit() {
        let sizes = [0, 1023, 1 << 10, 3 << 19, 300_000_000, 5 << 60, u64::MAX];
        let words = ["0 bytes", "1023 bytes", "1.00 KiB", "1.50 MiB", "286 MiB", "5.00 EiB", "16.0 EiB"];
        assert_eq!(sizes.map(format_bytes), words);
    }

    #[test]
    fn bytes_left_is_least_of_nested_groups() {
        let root = tempfile::tempdir().unwrap();
        write_group_files(root.path(), "job", &[("memory.max", "1000\n"), ("memory.current", "600\n")]);
        write_group_files(root.path(), "job/step", &[("memory.max", "max\n"), ("memory.current", "10\n")]);
        assert_eq!(bytes_left_in_groups("0::/job/step\n", root.path()), Some(400));
        let stat = "anon 1\ninactive_file 250\n";
        write_group_files(root.path(), "job", &[("memory.stat", stat)]);
        assert_eq!(bytes_left_in_groups("0::/job/step\n", root.path()), Some(650));
        write_group_files(root.path(), "job/step", &[("memory.max", "100\n")]);
        assert_eq!(bytes_left_in_groups("0::/job/step\n", root.path()), Some(90));
        write_group_files(root.path(), "job/step", &[("memory.current", "5000\n")]);
        assert_eq!(bytes_left_in_groups("0::/job/step\n", root.path()), Some(0));
    }

    #[test]
    fn bytes_left_reads_cgroup_v1() {
        let root = tempfile::tempdir().unwrap();
        let none = ("memory.limit_in_bytes", "9223372036854771712\n");
        write_group_files(root.path(), "memory", &[none, ("memory.usage_in_bytes", "7\n")]);
        let groups = "9:name=systemd:/\n4:cpu,memory:/of/the/machine\n3:cpuset:/\n0::/\n";
        assert_eq!(bytes_left_in_groups(groups, root.path()), None);
        // A container sees its own group at the root, under the path of the host.
        write_group_files(root.path(), "memory", &[("memory.limit_in_bytes", "100\n")]);
        write_group_files(
            root.path(),
            "memory",
            &[("memory.stat", "inactive_file 50\ntotal_inactive_file 3\n")],
        );
        assert_eq!(bytes_left_in_groups(groups, root.path()), Some(96));
    }

    #[test]
    fn bytes_left_ignores_other_lines() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(bytes_left_in_groups("", root.path()), None);
        assert_eq!(bytes_left_in_groups("what is this\n5:devices:/\n1:cpu\n", root.path()), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn available_bytes_works_on_linux() {
        assert!(default_limit_bytes().unwrap() <= available_bytes().unwrap());
    }

    #[test]
    fn parse_size_accepts_units() {
        for (text, bytes) in
            [("4096", 4096), ("1k", 1024), ("300M", 300 << 20), ("1.5GiB", 3 << 29), ("2TB", 2 << 40)]
        {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "G", "0", "-1G", "1X", "1e3", "1.2.3G", "9999999T"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
