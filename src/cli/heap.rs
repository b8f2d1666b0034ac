//! What the program does about its allocator while it sweeps.
//!
//! A sweep frees one layer while it fills the next. Left to itself, glibc gives every large vector back to the
//! system and asks for fresh pages a moment later; on 8x8 that is a fifth of the whole time. When memory becomes
//! scarce, the opposite is wanted. Elsewhere nothing is done.

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

/// Does what a sweep wishes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn grant(wish: Wish) {
    // SAFETY: mallopt and malloc_trim may be called at any time, take plain numbers and only tune the allocator.
    unsafe {
        match wish {
            Wish::Keep => {
                libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
                libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
            }
            Wish::GiveBack => {
                libc::mallopt(libc::M_MMAP_THRESHOLD, 64 << 10);
                libc::mallopt(libc::M_TRIM_THRESHOLD, 1 << 20);
                libc::malloc_trim(0);
            }
            Wish::Trim => {
                libc::malloc_trim(0);
            }
            _ => {}
        }
    }
}

/// Does what a sweep wishes: other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const fn grant(_: Wish) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_usable_whatever_was_wished() {
        begin();
        for wish in [Wish::Keep, Wish::GiveBack, Wish::Trim, Wish::Keep] {
            grant(wish);
            assert_eq!(vec![7u8; 1 << 20].iter().filter(|&&byte| byte == 7).count(), 1 << 20);
        }
    }
}
