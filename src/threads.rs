//! Threads of the library, with a typed panic if the system starts no more of them, and threads that wait in the
//! background until they are stopped.

use std::panic::panic_any;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};
use std::time::Duration;

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

/// The waits of a background thread. They end early when the owner of the thread stops it.
#[derive(Debug)]
pub struct StopSignal(Receiver<()>);

impl StopSignal {
    /// Creates a signal, and the sender that stops the thread by being dropped.
    #[must_use]
    pub fn new() -> (Sender<()>, Self) {
        let (stop, stopped) = channel();
        (stop, Self(stopped))
    }

    /// Waits for `time`. Returns false at once when the thread is to stop.
    #[must_use]
    pub fn wait(&self, time: Duration) -> bool {
        self.0.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
    }
}

/// A thread that works in the background. Dropping it stops the thread, and waits until the thread has ended.
#[derive(Debug)]
pub struct BackgroundThread {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundThread {
    /// Starts a thread. Its name lets profiles show its share of the time.
    ///
    /// # Panics
    /// With [`ThreadStartPanic`] if the system cannot start another thread.
    #[must_use]
    pub fn start(name: &str, work: impl FnOnce(StopSignal) + Send + 'static) -> Self {
        Self::try_start(name, work).unwrap_or_else(|error| panic_any(ThreadStartPanic(error)))
    }

    /// Starts a thread like [`BackgroundThread::start`].
    ///
    /// # Errors
    /// The system cannot start another thread.
    pub fn try_start(name: &str, work: impl FnOnce(StopSignal) + Send + 'static) -> std::io::Result<Self> {
        let (stop, signal) = StopSignal::new();
        let thread = Builder::new().name(name.to_owned()).spawn(move || work(signal))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for BackgroundThread {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn dropping_a_background_thread_ends_its_wait() {
        let waits = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&waits);
        let thread = BackgroundThread::start("test", move |signal| {
            assert!(signal.wait(Duration::from_millis(1)));
            counter.fetch_add(1, Ordering::Relaxed);
            assert!(!signal.wait(Duration::MAX));
            counter.fetch_add(1, Ordering::Relaxed);
        });
        while waits.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        drop(thread);
        assert_eq!(waits.load(Ordering::Relaxed), 2);
    }
}
