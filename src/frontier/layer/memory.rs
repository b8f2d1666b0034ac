//! Keeping freed memory at hand while a sweep runs.
//!
//! A sweep frees one layer while it fills the next. Left to itself, glibc gives
//! every large vector back to the system and asks for fresh pages a moment
//! later; on 8x8 that is a fifth of the whole time. Elsewhere nothing is done.

/// Asks the allocator to keep what is freed, in one heap for all threads.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt may be called at any time, takes plain numbers and only tunes the allocator.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
    }
}

/// Asks the allocator to give every large vector back as soon as it is freed.
pub fn give_back_at_once() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: as above.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 64 << 10);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 1 << 20);
    }
    return_freed_memory();
}

/// Gives what is free now back to the system.
pub fn return_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim may be called at any time and only releases free pages.
    unsafe {
        libc::malloc_trim(0);
    }
}
