//! What the machine can do, found out at run time.

/// Whether the bit-manipulation instructions that the kernels use are there (BMI1, BMI2, LZCNT, POPCNT).
#[cfg(target_arch = "x86_64")]
#[inline]
#[must_use]
pub fn has_bmi() -> bool {
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// The features found that the program uses, for `--version`.
#[must_use]
pub fn features() -> Vec<&'static str> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        for (name, there) in [
            ("bmi1", is_x86_feature_detected!("bmi1")),
            ("bmi2", is_x86_feature_detected!("bmi2")),
            ("lzcnt", is_x86_feature_detected!("lzcnt")),
            ("popcnt", is_x86_feature_detected!("popcnt")),
            ("avx2", is_x86_feature_detected!("avx2")),
        ] {
            if there {
                found.push(name);
            }
        }
    }
    found
}

/// Bytes of memory that a new process could use without swapping, where the system tells (Linux).
#[must_use]
pub fn available_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The ceiling for a sweep's memory if none is given: nine tenths of what is available. Rather an error than
/// a machine that swaps or kills.
#[must_use]
pub fn memory_ceiling() -> Option<u64> {
    available_memory().map(|bytes| bytes / 10 * 9)
}
