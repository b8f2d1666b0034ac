//! Return of free memory to the system.
//!
//! The allocator of glibc keeps freed memory for later use, so that the process seems to need the memory of the
//! largest index or sweep that it has had. Other allocators are not changed.

use ktour::control::AllocatorRequest;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    fn malloc_trim(pad: usize) -> std::ffi::c_int;
}

/// Returns free memory to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn trim() {
    // SAFETY: malloc_trim may be called at any time, and takes a plain number.
    unsafe {
        malloc_trim(0);
    }
}

/// Does nothing: other allocators are not changed.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub const fn trim() {}

/// Returns free memory to the system after a sweep. Ignores all other requests.
pub fn run_allocator_command(request: AllocatorRequest) -> Option<u64> {
    if let AllocatorRequest::Trim = request {
        trim();
    }
    None
}

/// Returns free memory to the system when it is dropped. The field after those that hold much memory.
#[derive(Debug)]
pub struct TrimOnDrop;

impl Drop for TrimOnDrop {
    fn drop(&mut self) {
        trim();
    }
}
