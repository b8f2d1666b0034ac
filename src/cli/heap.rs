//! What the program does about its allocator while it sweeps.
//!
//! A sweep frees one layer while it fills the next. Left to itself, glibc gives every large vector back to the
//! system and asks for fresh pages a moment later; on 8x8 that is a fifth of the whole time. So it keeps them, until
//! the process would take more than it may: then all that is free is given back. Elsewhere nothing is done.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::fs;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::sync::atomic::{AtomicU64, Ordering};

use ktour::control::Wish;

/// One heap for all threads, before there is a second one: what a thread frees is used by the others, and a layer does
/// not lie in as many heaps as there are threads, each with holes of its own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn begin() {
    // SAFETY: mallopt may be called at any time, takes plain numbers and only tunes the allocator.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// One heap for all threads: other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const fn begin() {}

/// Resident bytes above which it is worth its while to give back once more, by what the last time has left.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
static LEFT: AtomicU64 = AtomicU64::new(0);

/// Part of what was left above a ceiling that is forgotten whenever it is asked for.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LAPSE: u64 = 8;

/// Bytes of memory that this process takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn resident() -> Option<u64> {
    let pages: u64 = fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    // SAFETY: sysconf only reads a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(page).ok()?)
}

/// Does what a sweep wishes; the bytes of memory that this process takes then.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn grant(wish: Wish) -> Option<u64> {
    // SAFETY: mallopt and malloc_trim may be called at any time, take plain numbers and only tune the allocator.
    unsafe {
        match wish {
            Wish::Keep => {
                LEFT.store(0, Ordering::Relaxed);
                libc::mallopt(libc::M_MMAP_MAX, 0);
                libc::mallopt(libc::M_TRIM_THRESHOLD, -1);
            }
            Wish::Below(ceiling) => {
                let left = LEFT.load(Ordering::Relaxed);
                let taken = resident()?;
                if taken <= ceiling.max(left) {
                    // Meanwhile chunks between what was left are put aside.
                    LEFT.store(left - left.saturating_sub(ceiling) / LAPSE, Ordering::Relaxed);
                    return Some(taken);
                }
                libc::malloc_trim(0);
                // What could not be given back now is not asked for again and again.
                let left = resident()?;
                LEFT.store(left + left / 64, Ordering::Relaxed);
                return Some(left);
            }
            Wish::Trim => {
                libc::malloc_trim(0);
            }
            _ => {}
        }
    }
    None
}

/// Does what a sweep wishes: other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const fn grant(_: Wish) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_usable_whatever_was_wished() {
        begin();
        for wish in [Wish::Keep, Wish::Below(1 << 20), Wish::Below(0), Wish::Trim, Wish::Keep] {
            grant(wish);
            assert_eq!(vec![7u8; 1 << 20].iter().filter(|&&byte| byte == 7).count(), 1 << 20);
        }
    }
}
