//! Whether standard output was closed when the program began, as by `>&-`.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in the place of a closed standard
//! output, and from then on nobody can tell: an answer written there is lost, and the
//! program would end as if all were well. So a look is taken before the runtime begins.

use std::io;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(target_os = "linux")]
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: asks for the flags of a file descriptor, whatever it is.
    if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1 {
        IS_CLOSED.store(true, Ordering::Relaxed);
    }
}

/// Functions of this section are called before `main`.
// SAFETY: the function takes whatever it is given, allocates nothing and uses nothing of Rust's runtime.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Fails if standard output was closed from the beginning. Where that cannot be told it is taken as open.
pub fn check_stdout() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if IS_CLOSED.load(Ordering::Relaxed) {
        return Err(io::Error::other("it is closed"));
    }
    Ok(())
}
