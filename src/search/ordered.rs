//! Output of units in their order, while many are at work.
//!
//! Workers begin units in ascending order and send what each produces in chunks;
//! the caller's thread hands the chunks on, unit by unit. A worker that is ahead
//! waits once its unit holds `AHEAD` chunks, and no unit is begun while
//! `BEGUN` others wait, so memory is bounded whatever the amount of output.
//!
//! ```text
//! worker 1   unit 0 ....... unit 2 .....
//! worker 2   unit 1 ...... unit 3 .........
//! caller     0 0 0 0 0 1 1 1 2 2 ...
//! ```

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Bytes in a chunk, about.
const CHUNK: usize = 1 << 16;
/// Chunks that a unit may hold back.
const AHEAD: usize = 32;
/// Units that may wait for their turn.
const BEGUN: usize = 16;

/// Some tours, written one after the other.
#[derive(Debug, Default)]
pub struct Chunk {
    /// The text.
    pub bytes: Vec<u8>,
    /// Where each tour ends.
    pub ends: Vec<usize>,
}

/// Collects a unit's tours and sends them on.
pub struct Outbox<'a> {
    chunk: Chunk,
    separator: &'static str,
    sender: SyncSender<Chunk>,
    stop: &'a AtomicBool,
}

impl Outbox<'_> {
    /// Adds a tour, written by `write`. `Break` if nobody wants more.
    pub fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> ControlFlow<()> {
        if !self.chunk.ends.is_empty() {
            self.chunk.bytes.extend_from_slice(self.separator.as_bytes());
        }
        write(&mut self.chunk.bytes);
        self.chunk.ends.push(self.chunk.bytes.len());
        if self.chunk.bytes.len() < CHUNK {
            return ControlFlow::Continue(());
        }
        self.send()
    }

    fn send(&mut self) -> ControlFlow<()> {
        let chunk = std::mem::take(&mut self.chunk);
        if self.sender.send(chunk).is_err() || self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Runs `work` on units `0..units` with `threads` workers and hands their chunks to `sink` in the order of
/// the units. `separator` comes between two tours of a chunk; between chunks it is the sink's affair. Ends
/// early, with `Break`, if the sink says so or `stop` is raised.
pub fn run(
    units: usize,
    threads: usize,
    separator: &'static str,
    stop: &AtomicBool,
    work: impl Fn(usize, &mut Outbox<'_>) + Sync,
    sink: &mut dyn FnMut(&Chunk) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let next = AtomicUsize::new(0);
    let (register, begun) = sync_channel::<(usize, Receiver<Chunk>)>(BEGUN);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (next, work, register) = (&next, &work, register.clone());
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let unit = next.fetch_add(1, Ordering::Relaxed);
                    if unit >= units {
                        return;
                    }
                    let (sender, receiver) = sync_channel(AHEAD);
                    if register.send((unit, receiver)).is_err() {
                        return;
                    }
                    let mut outbox = Outbox { chunk: Chunk::default(), separator, sender, stop };
                    work(unit, &mut outbox);
                    if !outbox.chunk.ends.is_empty() && outbox.send().is_break() {
                        return;
                    }
                }
            });
        }
        drop(register);
        let flow = deliver(units, begun, stop, sink);
        if flow.is_break() {
            stop.store(true, Ordering::Relaxed);
        }
        flow
    })
}

fn deliver(
    units: usize,
    begun: Receiver<(usize, Receiver<Chunk>)>,
    stop: &AtomicBool,
    sink: &mut dyn FnMut(&Chunk) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut waiting: BTreeMap<usize, Receiver<Chunk>> = BTreeMap::new();
    for unit in 0..units {
        let chunks = loop {
            if let Some(chunks) = waiting.remove(&unit) {
                break chunks;
            }
            match begun.recv() {
                Ok((unit, chunks)) => waiting.insert(unit, chunks),
                // All workers are gone: the run was stopped.
                Err(_) => return ControlFlow::Break(()),
            };
        };
        for chunk in chunks {
            sink(&chunk)?;
        }
        if stop.load(Ordering::Relaxed) {
            // The unit may have been cut short; nothing after it may be told.
            return ControlFlow::Break(());
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(units: usize, threads: usize, limit: usize) -> (String, ControlFlow<()>) {
        let mut text = String::new();
        let stop = AtomicBool::new(false);
        let work = |unit: usize, outbox: &mut Outbox<'_>| {
            for i in 0..unit % 5 {
                let flow = outbox.push(|out| out.extend_from_slice(format!("{unit}.{i} ").as_bytes()));
                if flow.is_break() {
                    return;
                }
            }
        };
        let mut left = limit;
        let flow = run(units, threads, "", &stop, work, &mut |chunk| {
            text.push_str(std::str::from_utf8(&chunk.bytes).unwrap());
            left = left.saturating_sub(chunk.ends.len());
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (text, flow)
    }

    #[test]
    fn output_is_in_unit_order_for_any_number_of_threads() {
        let (one, flow) = collect(300, 1, usize::MAX);
        assert!(one.starts_with("1.0 2.0 2.1 3.0") && flow.is_continue());
        for threads in [2, 3, 8] {
            assert_eq!(collect(300, threads, usize::MAX).0, one);
        }
    }

    #[test]
    fn a_sink_that_has_enough_ends_the_run() {
        let (text, flow) = collect(100_000, 4, 3);
        assert_eq!(text, "1.0 2.0 2.1 ");
        assert!(flow.is_break());
    }
}
