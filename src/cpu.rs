//! Processor features, detected at run time.
//!
//! Every vectorised kernel has a portable version with identical results. Tests run both with
//! [`with_kernels`].

use std::ffi::OsString;
use std::sync::Mutex;
#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicU8, Ordering};

use crate::lock::lock;

/// A selection of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cpu {
    /// All kernels that this processor supports.
    Own,
    /// All kernels that this processor supports, except those for AVX-512.
    Narrow,
    /// Kernels for any processor.
    Portable,
}

impl Cpu {
    /// All selections.
    pub const ALL: [Self; 3] = [Self::Own, Self::Narrow, Self::Portable];
}

/// Runs a function with the given kernels, in the whole process; for tests. Calls run one at a time:
/// concurrent calls wait, and a nested call deadlocks.
pub fn on<R>(cpu: Cpu, run: impl FnOnce() -> R) -> R {
    static ONE: Mutex<()> = Mutex::new(());
    /// Restores automatic detection when dropped, even after a panic.
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            #[cfg(target_arch = "x86_64")]
            FOUND.store(0, Ordering::Relaxed);
        }
    }
    let _one = lock(&ONE);
    let _back = Back;
    #[cfg(target_arch = "x86_64")]
    FOUND.store(
        match cpu {
            Cpu::Own => 0,
            Cpu::Narrow => find() & !AVX512,
            Cpu::Portable => ASKED,
        },
        Ordering::Relaxed,
    );
    #[cfg(not(target_arch = "x86_64"))]
    let _ = cpu;
    run()
}

/// Returns true if the bit-manipulation instructions that the kernels use (BMI1, BMI2, LZCNT, POPCNT) are
/// available and allowed. The environment variable `KTOUR_CPU`, read once, restricts them: `portable` forbids
/// these and AVX2, `avx2` forbids AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_bmi() -> bool {
    found() & BMI != 0
}

/// Returns true if the instructions of [`has_bmi`] and AVX2 are available and allowed. Cheap: the result is
/// cached.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_avx2() -> bool {
    found() & AVX2 != 0
}

/// Returns true if the instructions of [`has_avx2`] and AVX-512 (F, BW and VL) are available and allowed.
/// Cheap: the result is cached.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn has_avx512() -> bool {
    found() & AVX512 != 0
}

#[cfg(target_arch = "x86_64")]
const ASKED: u8 = 1;
#[cfg(target_arch = "x86_64")]
const BMI: u8 = 2;
#[cfg(target_arch = "x86_64")]
const AVX2: u8 = 4;
#[cfg(target_arch = "x86_64")]
const AVX512: u8 = 8;

#[cfg(target_arch = "x86_64")]
static FOUND: AtomicU8 = AtomicU8::new(0);

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn found() -> u8 {
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
    let asked = std::env::var_os("KTOUR_CPU");
    let has_bmi = asked.as_ref().is_none_or(|cpu| cpu != "portable")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    let has_avx2 = has_bmi && is_x86_feature_detected!("avx2");
    let has_avx512 = has_avx2
        && asked.is_none_or(|cpu| cpu != "avx2")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl");
    let bit = |has: bool, bit: u8| if has { bit } else { 0 };
    ASKED | bit(has_bmi, BMI) | bit(has_avx2, AVX2) | bit(has_avx512, AVX512)
}

/// Returns the value of `KTOUR_CPU` if it is not one of the recognised values.
#[must_use]
pub fn unknown() -> Option<OsString> {
    std::env::var_os("KTOUR_CPU").filter(|cpu| !["", "avx2", "portable"].iter().any(|known| cpu == known))
}

/// Returns the names of the processor features that the kernels use. Empty if `KTOUR_CPU=portable` forbids
/// them.
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
            ("avx512", has_avx512()),
        ] {
            if there {
                found.push(name);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_portable_kernels_can_be_asked_for() {
        assert!(on(Cpu::Portable, features).is_empty());
        let own = on(Cpu::Own, features);
        assert_eq!(on(Cpu::Own, features), own);
    }
}
