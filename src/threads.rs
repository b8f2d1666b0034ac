//! Threads of the library, with a typed panic if the system starts no more of them.

use std::panic::panic_any;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Payload of the panic of [`spawn`] and [`spawn_scoped`]: the system cannot start another thread. Panic hooks
/// recognise it by its type.
#[derive(Debug)]
pub struct ThreadStartPanic(pub std::io::Error);

/// Starts a thread.
///
/// # Panics
/// With [`ThreadStartPanic`] if the system cannot start another thread.
pub fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().spawn(work).unwrap_or_else(|error| panic_any(ThreadStartPanic(error)))
}

/// Starts a thread in a scope.
///
/// # Panics
/// With [`ThreadStartPanic`] if the system cannot start another thread.
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    Builder::new().spawn_scoped(scope, work).unwrap_or_else(|error| panic_any(ThreadStartPanic(error)))
}
