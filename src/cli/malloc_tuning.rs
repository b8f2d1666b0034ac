//! Tuning of glibc's allocator for sweeps.
//!
//! A sweep frees one layer while it fills the next. By default glibc returns every large vector to
//! the system and requests fresh pages a moment later; on 8x8 this takes a fifth of the whole time.
//! So freed memory stays in the process until the process would exceed its memory limit. Only then
//! all free pages are returned. On other systems the allocator is not changed.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::fs;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::sync::atomic::{AtomicU64, Ordering};

use ktour::control::AllocatorRequest;

/// Limits glibc to one heap for all threads. Must be called before a second heap exists. A thread
/// then reuses the memory that another thread has freed, and a layer is not spread over as many
/// fragmented heaps as there are threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn use_single_heap() {
    // SAFETY: mallopt may be called at any time, takes plain numbers and only tunes the allocator.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Does nothing: other allocators are not changed.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const fn use_single_heap() {}

/// Resident bytes below which free pages are not returned again, because the last attempt left
/// almost as many.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
static TRIM_FLOOR: AtomicU64 = AtomicU64::new(0);

/// Divisor for the decay of [`TRIM_FLOOR`]. With every call that returns no pages, the floor falls
/// by its distance to the limit, divided by this number.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const FLOOR_DECAY: u64 = 8;

/// Returns the resident memory of this process in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn resident_bytes() -> Option<u64> {
    let pages: u64 = fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    // SAFETY: sysconf only reads a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(page).ok()?)
}

/// Executes a request of a sweep to the allocator. Returns the resident bytes of this process if
/// the request has a limit.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn run_allocator_command(request: AllocatorRequest) -> Option<u64> {
    // SAFETY: mallopt and malloc_trim may be called at any time, take plain numbers and only tune the allocator.
    unsafe {
        match request {
            AllocatorRequest::KeepFreed => {
                TRIM_FLOOR.store(0, Ordering::Relaxed);
                libc::mallopt(libc::M_MMAP_MAX, 0);
                libc::mallopt(libc::M_TRIM_THRESHOLD, -1);
            }
            AllocatorRequest::TrimAbove(ceiling) => {
                let left = TRIM_FLOOR.load(Ordering::Relaxed);
                let taken = resident_bytes()?;
                if taken <= ceiling.max(left) {
                    // New free pages appear between those that were left, so a later trim may succeed.
                    TRIM_FLOOR.store(left - left.saturating_sub(ceiling) / FLOOR_DECAY, Ordering::Relaxed);
                    return Some(taken);
                }
                libc::malloc_trim(0);
                // Memory that could not be returned now is not trimmed again at once.
                let left = resident_bytes()?;
                TRIM_FLOOR.store(left + left / 64, Ordering::Relaxed);
                return Some(left);
            }
            AllocatorRequest::Trim => {
                libc::malloc_trim(0);
            }
            _ => {}
        }
    }
    None
}

/// Does nothing: other allocators are not changed.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const fn run_allocator_command(_: AllocatorRequest) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_usable_after_every_command() {
        use_single_heap();
        for request in [
            AllocatorRequest::KeepFreed,
            AllocatorRequest::TrimAbove(1 << 20),
            AllocatorRequest::TrimAbove(0),
            AllocatorRequest::Trim,
            AllocatorRequest::KeepFreed,
        ] {
            run_allocator_command(request);
            assert_eq!(vec![7u8; 1 << 20].iter().filter(|&&byte| byte == 7).count(), 1 << 20);
        }
    }
}
