//! What the machine can do, found out at run time.

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

/// Whether the bit-manipulation instructions that the kernels use are there (BMI1, BMI2, LZCNT, POPCNT) and
/// may be used: the environment variable `KTOUR_CPU=portable`, read once, forbids them and AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_bmi() -> bool {
    found() & BMI != 0
}

/// Whether AVX2 is there beside them, and may be used. Cheap: the answer is kept.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_avx2() -> bool {
    found() & AVX2 != 0
}

#[cfg(target_arch = "x86_64")]
const ASKED: u8 = 1;
#[cfg(target_arch = "x86_64")]
const BMI: u8 = 2;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 4;

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn found() -> u8 {
    static FOUND: AtomicU8 = AtomicU8::new(0);
    match FOUND.load(Ordering::Relaxed) {
        0 => {
            let found = find();
            FOUND.store(found, Ordering::Relaxed);
            found
        }
        found => found,
    }
}

#[cfg(target_arch = "x86_64")]
#[cold]
fn find() -> u8 {
    let has_bmi = std::env::var_os("KTOUR_CPU").is_none_or(|cpu| cpu != "portable")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    let has_avx2 = has_bmi && is_x86_feature_detected!("avx2");
    ASKED | if has_bmi { BMI } else { 0 } | if has_avx2 { AVX2 } else { 0 }
}

/// The features of this machine that the kernels use: none where they may not be used.
#[must_use]
pub fn features() -> Vec<&'static str> {
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if has_bmi() {
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
