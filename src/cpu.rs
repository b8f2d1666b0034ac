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
