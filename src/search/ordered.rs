//! [`run_ordered`] delivers tours in the order of the units while workers search many units at once. Workers
//! start units in ascending order and send the tours of each in batches; the caller's thread passes the
//! batches to a sink, unit by unit. A worker waits when its unit has `MAX_QUEUED_BATCHES_PER_UNIT` batches
//! queued, and no unit is started while `MAX_QUEUED_UNITS` others wait. So memory is bounded for any amount
//! of output.
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

use super::chunk::Collector;
use super::source::Source;
use super::stop::Stop;
use super::workers::Stopped;
use crate::control::Control;
use crate::tour::TourKind;

/// Most batches that a unit may queue.
const AHEAD: usize = 32;
/// Most units that may wait for their turn.
const BEGUN: usize = 16;

/// Settings of an ordered run.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Receives the progress of every unit; cancelling it ends the run.
    pub control: &'a Control,
    /// Ends this run only. Set when the sink breaks.
    pub over: &'a AtomicBool,
    /// Number of worker threads.
    pub threads: usize,
}

/// A unit's present batch, and the channel that takes it when it is full.
struct Outbox<'a, C: Collector> {
    collector: &'a C,
    chunk: C::Chunk,
    /// Tours in the batch.
    held: usize,
    sender: SyncSender<C::Chunk>,
    stop: Stop<'a>,
}

impl<C: Collector> Outbox<'_, C> {
    /// Adds a tour. Returns `Break` if no more tours are needed.
    fn add(&mut self, kind: TourKind, sequence: &[u32]) -> ControlFlow<()> {
        self.held += 1;
        if self.collector.add(&mut self.chunk, kind, sequence) {
            self.send()
        } else {
            ControlFlow::Continue(())
        }
    }

    fn send(&mut self) -> ControlFlow<()> {
        if self.held == 0 {
            return ControlFlow::Continue(());
        }
        self.held = 0;
        let chunk = std::mem::take(&mut self.chunk);
        if self.sender.send(chunk).is_err() || self.stop.is_raised() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// How a listing that was not cancelled ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// With the last tour.
    All,
    /// The sink or the function stopped it.
    BrokenOff,
}

/// Passes the tours of a source to `sink`, in the order of the units, in the encoder's batches.
///
/// # Errors
/// [`Stopped`] if the control was cancelled, at any moment.
pub fn run<C: Collector>(
    source: &dyn Source,
    collector: &C,
    run: Run<'_>,
    sink: &mut dyn FnMut(C::Chunk) -> ControlFlow<()>,
) -> Result<Listed, Stopped> {
    let Run { control, over, threads } = run;
    let stop = Stop::new(control, over);
    let units = source.units();
    let all: Vec<u32> = (0..units as u32).collect();
    control.begin(units, &all);
    let next = AtomicUsize::new(0);
    let (register, begun) = sync_channel::<(usize, Receiver<C::Chunk>)>(BEGUN);
    let flow = std::thread::scope(|scope| {
        for started in 0..threads.max(1) {
            let (next, register) = (&next, register.clone());
            let work = move || {
                while !stop.is_raised() {
                    let unit = next.fetch_add(1, Ordering::Relaxed);
                    if unit >= units {
                        return;
                    }
                    let (sender, receiver) = sync_channel(AHEAD);
                    if register.send((unit, receiver)).is_err() {
                        return;
                    }
                    let mut outbox = Outbox { collector, chunk: C::Chunk::default(), held: 0, sender, stop };
                    let done =
                        source.give(unit, stop, &mut |kind, sequence: &[u32]| outbox.add(kind, sequence));
                    control.unit_done(unit, done.nodes, done.tours);
                    if outbox.send().is_break() {
                        return;
                    }
                }
            };
            // If the system has no more threads, the existing ones do the work.
            match std::thread::Builder::new().spawn_scoped(scope, work) {
                Err(error) if started == 0 => panic!("failed to spawn thread: {error}"),
                _ => {}
            }
        }
        drop(register);
        let flow = deliver(units, begun, stop, sink);
        if flow.is_break() {
            stop.raise();
        }
        flow
    });
    match flow {
        _ if control.is_cancelled() => Err(Stopped),
        ControlFlow::Continue(()) => Ok(Listed::All),
        ControlFlow::Break(()) => Ok(Listed::BrokenOff),
    }
}

fn deliver<T>(
    units: usize,
    begun: Receiver<(usize, Receiver<T>)>,
    stop: Stop<'_>,
    sink: &mut dyn FnMut(T) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut waiting: BTreeMap<usize, Receiver<T>> = BTreeMap::new();
    for unit in 0..units {
        let chunks = loop {
            if let Some(chunks) = waiting.remove(&unit) {
                break chunks;
            }
            match begun.recv() {
                Ok((unit, chunks)) => waiting.insert(unit, chunks),
                // All workers have ended: the run was stopped.
                Err(_) => return ControlFlow::Break(()),
            };
        };
        for chunk in chunks {
            sink(chunk)?;
        }
        if stop.is_raised() {
            // The unit may be incomplete, so nothing after it may be delivered.
            return ControlFlow::Break(());
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::chunk::{Packed, Packer};
    use crate::search::source::{Effort, Taker};

    /// Unit `u` gives `u % 5` tours of two vertices: the unit and the number of the tour.
    struct Few {
        units: usize,
    }

    impl Source for Few {
        fn units(&self) -> usize {
            self.units
        }

        fn give(&self, unit: usize, _: Stop<'_>, take: &mut Taker<'_>) -> Effort {
            let mut tours = 0;
            for i in 0..unit % 5 {
                tours += 1;
                if take(TourKind::Open, &[(unit % 128) as u32, i as u32]).is_break() {
                    break;
                }
            }
            Effort { nodes: 1, tours }
        }
    }

    fn collect(units: usize, threads: usize, limit: usize) -> (Vec<Vec<u32>>, Result<Listed, Stopped>) {
        let mut tours = Vec::new();
        let (control, over) = (Control::new(), AtomicBool::new(false));
        let settings = Run { control: &control, over: &over, threads };
        let result = run(&Few { units }, &Packer, settings, &mut |packed: Packed| {
            tours.extend((0..packed.len()).filter_map(|i| packed.get(i)).map(|(_, tour)| tour.collect()));
            if tours.len() >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(!control.is_cancelled(), "a finished run does not cancel its control");
        (tours, result)
    }

    #[test]
    fn tours_are_in_unit_order_for_any_number_of_threads() {
        let (one, result) = collect(300, 1, usize::MAX);
        assert_eq!(one[..4], [[1, 0], [2, 0], [2, 1], [3, 0]]);
        assert_eq!((one.len(), result), (600, Ok(Listed::All)));
        for threads in [2, 3, 8] {
            assert_eq!(collect(300, threads, usize::MAX).0, one);
        }
    }

    #[test]
    fn a_sink_that_has_enough_ends_the_run() {
        let (tours, result) = collect(100_000, 4, 3);
        assert_eq!((tours, result), (vec![vec![1, 0], vec![2, 0], vec![2, 1]], Ok(Listed::BrokenOff)));
    }
}
