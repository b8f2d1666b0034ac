//! Mutex locking that ignores poisoning.
//!
//! A thread that panics while it holds a lock poisons the mutex. The panic itself ends the run,
//! with a message. Until then, other threads read the data as the panicking thread left it, and do
//! not have to panic a second time.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even if a thread has panicked while it held the lock.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_works_after_panic() {
        let mutex = Mutex::new(1);
        let panicked = std::thread::scope(|scope| {
            let holder = scope.spawn(|| {
                let _held = mutex.lock();
                panic!("on purpose");
            });
            holder.join().is_err()
        });
        assert!(panicked && mutex.is_poisoned());
        *lock(&mutex) += 1;
        assert_eq!(*lock(&mutex), 2);
    }
}
