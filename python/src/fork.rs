//! Values that belong to one process, and the count of forks that identifies a process.
//!
//! A forked process has a copy of its parent's memory. Of the parent's threads, it has only the one
//! that called `fork`. Code that waits for another thread of the parent waits for ever. So one rule
//! holds for threads, and for the locks that they may hold: they belong to the process that started
//! them.
//!
//! ```text
//! pool of threads     a forked process starts its own; rayon's global pool is never used
//! iterator of tours   a forked process gets an error, and drops its copy without waiting for threads
//! lock                held only together with the interpreter lock, or never waited for
//! ```

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::prelude::*;

/// Number of forks between the process that imported the module and this process. Distinguishes
/// this process from its ancestors.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// A value that belongs to the process that created it. Another process cannot use it, and drops its copy
/// without running the value's destructor.
#[derive(Debug)]
pub struct ProcessOwned<T> {
    forks: u32,
    value: ManuallyDrop<T>,
}

impl<T> ProcessOwned<T> {
    /// Creates a value that belongs to this process.
    pub fn new(value: T) -> Self {
        Self { forks: FORKS.load(Ordering::Relaxed), value: ManuallyDrop::new(value) }
    }

    /// Returns true if the value belongs to this process.
    pub fn is_own(&self) -> bool {
        self.forks == FORKS.load(Ordering::Relaxed)
    }

    /// Returns the value if it belongs to this process, otherwise `None`.
    pub fn get(&self) -> Option<&T> {
        self.is_own().then_some(&*self.value)
    }
}

impl<T> Drop for ProcessOwned<T> {
    fn drop(&mut self) {
        if self.is_own() {
            // SAFETY: the value is dropped here only, and not used afterwards.
            unsafe { ManuallyDrop::drop(&mut self.value) }
        }
    }
}

/// Counts a fork. Python calls this in the new process, before any other code of it.
#[pyfunction]
fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Registers [`count_fork`] with Python, which then calls it after every fork. Does nothing on
/// systems without forks.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let os = module.py().import("os")?;
    if !os.hasattr("register_at_fork")? {
        return Ok(());
    }
    let hooks = pyo3::types::PyDict::new(module.py());
    hooks.set_item("after_in_child", wrap_pyfunction!(count_fork, module)?)?;
    os.call_method("register_at_fork", (), Some(&hooks)).map(|_| ())
}
