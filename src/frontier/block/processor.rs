//! What the processor can do for the kernels.

use std::sync::atomic::{AtomicU8, Ordering};

/// Whether AVX2 and the bit instructions that come with it are there and may be used: the environment
/// variable `KTOUR_CPU=portable` forbids it. Cheap: the answer is kept.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_avx2() -> bool {
    static ANSWER: AtomicU8 = AtomicU8::new(0);
    match ANSWER.load(Ordering::Relaxed) {
        0 => {
            let found = find_avx2();
            ANSWER.store(1 + u8::from(found), Ordering::Relaxed);
            found
        }
        answer => answer == 2,
    }
}

#[cfg(target_arch = "x86_64")]
#[cold]
fn find_avx2() -> bool {
    let is_allowed = std::env::var_os("KTOUR_CPU").is_none_or(|cpu| cpu != "portable");
    is_allowed
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}
