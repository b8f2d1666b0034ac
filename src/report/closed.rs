//! If standard output was closed when the program started, as by `>&-`, writing to it must fail.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of a closed standard output. Afterwards the two
//! cannot be distinguished: a result written there is lost, and the program would end successfully. So an
//! initialisation function checks the file descriptor before the runtime starts.

use std::io;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(target_os = "linux")]
static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
extern "C" fn check_stdout_before_main() {
    // SAFETY: reads the flags of a file descriptor, which is allowed for every number.
    if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1 {
        STDOUT_WAS_CLOSED.store(true, Ordering::Relaxed);
    }
}

/// The system calls the functions in this section before `main`.
// SAFETY: the function ignores its arguments, allocates nothing and uses nothing of Rust's runtime.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static CHECK_STDOUT_BEFORE_MAIN: extern "C" fn() = check_stdout_before_main;

/// Returns an error if standard output was closed when the program started. On systems other than Linux it is
/// assumed to be open.
pub fn check_stdout() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if STDOUT_WAS_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("it is closed"));
    }
    Ok(())
}
