//! Processor features, detected at run time, and the selection of kernels by them.
//!
//! Every vectorised kernel has a portable version with identical results. Tests run both versions
//! with [`with_kernels`].

use std::ffi::OsString;
use std::sync::Mutex;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

use super::lock::lock;

/// A selection among the kernels for different processor features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelSet {
    /// All kernels that this processor supports.
    Native,
    /// All kernels that this processor supports, except those for AVX-512.
    WithoutAvx512,
    /// Only the portable kernels, which run on any processor.
    Portable,
}

impl KernelSet {
    /// All selections of kernels.
    pub const ALL: [Self; 3] = [Self::Native, Self::WithoutAvx512, Self::Portable];

    /// Returns the selections that differ on this processor.
    pub fn distinct() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let differs = is_x86_feature_detected!("avx512f");
        #[cfg(not(target_arch = "x86_64"))]
        let differs = false;
        Self::ALL.into_iter().filter(move |&cpu| cpu != Self::WithoutAvx512 || differs)
    }
}

/// Runs a function while the whole process uses the given kernels; for tests. Calls run one at a
/// time: concurrent calls wait, and a nested call deadlocks.
pub fn with_kernels<R>(cpu: KernelSet, run: impl FnOnce() -> R) -> R {
    static RUN_LOCK: Mutex<()> = Mutex::new(());
    /// Restores automatic detection when dropped, even after a panic.
    struct ResetDetection;
    impl Drop for ResetDetection {
        fn drop(&mut self) {
            #[cfg(target_arch = "x86_64")]
            FEATURE_BITS.store(0, Ordering::Relaxed);
        }
    }
    let _one = lock(&RUN_LOCK);
    let _back = ResetDetection;
    #[cfg(target_arch = "x86_64")]
    FEATURE_BITS.store(
        match cpu {
            KernelSet::Native => 0,
            KernelSet::WithoutAvx512 => detect_feature_bits() & !AVX512,
            KernelSet::Portable => DETECTED,
        },
        Ordering::Relaxed,
    );
    #[cfg(not(target_arch = "x86_64"))]
    let _ = cpu;
    run()
}

/// Returns true if the bit-manipulation instructions that the kernels use (BMI1, BMI2, LZCNT,
/// POPCNT) are available and allowed. The environment variable `KTOUR_CPU`, read once, restricts
/// the instructions: `portable` forbids these and AVX2, `avx2` forbids AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_bmi() -> bool {
    feature_bits() & BMI != 0
}

/// Returns true if the instructions of [`has_bmi`] and AVX2 are available and allowed. Cheap: the result is
/// cached.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_avx2() -> bool {
    feature_bits() & AVX2 != 0
}

/// Returns true if the instructions of [`has_avx2`] and AVX-512 (F, BW and VL) are available and allowed.
/// Cheap: the result is cached.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_avx512() -> bool {
    feature_bits() & AVX512 != 0
}

#[cfg(target_arch = "x86_64")]
const DETECTED: u8 = 1;
#[cfg(target_arch = "x86_64")]
const BMI: u8 = 2;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 4;
#[cfg(target_arch = "x86_64")]
const AVX512: u8 = 8;

#[cfg(target_arch = "x86_64")]
static FEATURE_BITS: AtomicU8 = AtomicU8::new(0);

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn feature_bits() -> u8 {
    match FEATURE_BITS.load(Ordering::Relaxed) {
        0 => {
            let found = detect_feature_bits();
            FEATURE_BITS.store(found, Ordering::Relaxed);
            found
        }
        found => found,
    }
}

#[cfg(target_arch = "x86_64")]
#[cold]
fn detect_feature_bits() -> u8 {
    let setting = std::env::var_os("KTOUR_CPU");
    let has_bmi = setting.as_ref().is_none_or(|cpu| cpu != "portable")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    let has_avx2 = has_bmi && is_x86_feature_detected!("avx2");
    let has_avx512 = has_avx2
        && setting.is_none_or(|cpu| cpu != "avx2")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl");
    let bit = |has: bool, bit: u8| if has { bit } else { 0 };
    DETECTED | bit(has_bmi, BMI) | bit(has_avx2, AVX2) | bit(has_avx512, AVX512)
}

/// Returns the value of the environment variable `KTOUR_CPU` if it is not one of the recognised
/// values.
#[must_use]
pub fn unknown_setting() -> Option<OsString> {
    std::env::var_os("KTOUR_CPU").filter(|cpu| !["", "avx2", "portable"].iter().any(|known| cpu == known))
}

/// Returns the names of the processor features that the kernels use. The list is empty if
/// `KTOUR_CPU=portable` forbids them.
#[must_use]
pub fn kernel_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if has_bmi() {
        let features = [
            ("bmi1", is_x86_feature_detected!("bmi1")),
            ("bmi2", is_x86_feature_detected!("bmi2")),
            ("lzcnt", is_x86_feature_detected!("lzcnt")),
            ("popcnt", is_x86_feature_detected!("popcnt")),
            ("avx2", is_x86_feature_detected!("avx2")),
            ("avx512", has_avx512()),
        ];
        return features.into_iter().filter(|(_, is_present)| *is_present).map(|(name, _)| name).collect();
    }
    Vec::new()
}

/// Calls a closure that is compiled for some instructions. The closure and the functions with its loops must be
/// `#[inline(always)]`. The call is unsafe: the instructions must be present.
#[cfg(target_arch = "x86_64")]
macro_rules! call_with_features {
    ($features:literal, $body:expr) => {{
        #[target_feature(enable = $features)]
        #[inline(never)]
        fn fast<R>(body: impl FnOnce() -> R) -> R {
            body()
        }
        fast($body)
    }};
}
#[cfg(target_arch = "x86_64")]
pub(crate) use call_with_features;

/// Calls `body`, which is compiled twice: for any processor, and on x86-64 for processors with the
/// instructions of [`has_bmi`]. The closure and the functions with its loops must be `#[inline(always)]`.
#[inline(always)]
pub fn with_bmi<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if has_bmi() {
        // SAFETY: the enabled instructions were just detected.
        return unsafe { call_with_features!("bmi1,bmi2,lzcnt,popcnt", body) };
    }
    body()
}

/// Calls `body` as [`with_bmi`] does, with the instructions of [`has_avx2`].
#[inline(always)]
pub fn with_avx2<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the enabled instructions were just detected.
        return unsafe { call_with_features!("avx2,bmi1,bmi2,lzcnt,popcnt", body) };
    }
    body()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_kernels_selects_portable_kernels() {
        assert!(with_kernels(KernelSet::Portable, kernel_features).is_empty());
        let own = with_kernels(KernelSet::Native, kernel_features);
        assert_eq!(with_kernels(KernelSet::Native, kernel_features), own);
    }
}
