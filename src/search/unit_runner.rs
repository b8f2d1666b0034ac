//! Runs the units of a search on all cores: in any order for counting, or with the tours in order
//! for listing.
//!
//! [`run_units`] is for counting: every thread of the current rayon pool takes the next unit from a
//! common list until the list is empty, so no core idles while there is work. If the largest units
//! come first, all threads end nearly together. The assignment of units to threads, and their
//! timing, are not determined: results must not depend on them.
//!
//! [`run_ordered`] delivers tours in the order of the units while workers search many units at
//! once. Workers start units in ascending order and send the tours of each unit in batches; the
//! caller's thread passes the batches to a sink, unit by unit. Workers wait while many batches wait
//! for their turn (`ordered_batches`), so memory is bounded for any amount of output. A run with
//! one thread searches on the caller's thread and starts no other.
//!
//! ```text
//! worker 1   unit 0 ....... unit 2 .....
//! worker 2   unit 1 ...... unit 3 .........
//! caller     0 0 0 0 0 1 1 1 2 2 ...
//! ```

use std::cell::Cell;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::ordered_batches::OrderedBatches;
use super::tour_batch::{BatchEncoder, TourSource};
use super::visitor::StopFlags;
use crate::clock::Instant;
use crate::control::Control;
use crate::tour::TourKind;

/// Error: the run was cancelled before all units were finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the run was cancelled before it was complete")]
pub struct Stopped;

/// Calls `work` with every unit number of `schedule`. The calls start in the order of `schedule`
/// and run on all threads of the current rayon pool. Cost: one atomic addition a unit.
///
/// # Errors
/// [`Stopped`] if the control was cancelled, even if all units were finished by then.
pub fn run_units(schedule: &[u32], control: &Control, work: impl Fn(usize) + Sync) -> Result<(), Stopped> {
    let next = AtomicUsize::new(0);
    rayon::broadcast(|_| {
        while !control.is_cancelled() {
            let Some(&unit) = schedule.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            work(unit as usize);
        }
    });
    if control.is_cancelled() { Err(Stopped) } else { Ok(()) }
}

/// Settings of [`run_ordered`].
#[derive(Clone, Copy, Debug)]
pub struct OrderedRun<'a> {
    /// Control that receives the progress of every unit. Cancelling it ends the run.
    pub control: &'a Control,
    /// Flag that ends this run, but no other run with the same control. [`run_ordered`] sets it
    /// when the sink returns `Break`.
    pub done_flag: &'a AtomicBool,
    /// Number of worker threads.
    pub threads: usize,
}

/// The unfinished batch of a thread, and the function that receives full batches.
struct BatchCollector<'a, C: BatchEncoder, S> {
    encoder: &'a C,
    batch: C::Batch,
    /// Number of tours in the unfinished batch.
    tours: usize,
    send: S,
}

impl<'a, C: BatchEncoder, S: FnMut(&mut C::Batch) -> ControlFlow<()>> BatchCollector<'a, C, S> {
    /// Creates an empty batch. `send` receives it when it is full, and leaves it empty.
    fn new(encoder: &'a C, send: S) -> Self {
        Self { encoder, batch: C::Batch::default(), tours: 0, send }
    }

    /// Adds a tour to the batch, and sends the batch when it is full. Returns `Break` if no more
    /// tours are needed.
    fn add(&mut self, kind: TourKind, sequence: &[u32]) -> ControlFlow<()> {
        self.tours += 1;
        if self.encoder.add(&mut self.batch, kind, sequence) {
            self.send()
        } else {
            ControlFlow::Continue(())
        }
    }

    fn send(&mut self) -> ControlFlow<()> {
        if self.tours == 0 {
            return ControlFlow::Continue(());
        }
        self.tours = 0;
        (self.send)(&mut self.batch)
    }
}

/// A guard that ends the run if its thread panics, so that no tours are delivered after those that
/// the panic lost.
struct StopIfPanicking<'a>(StopFlags<'a>);

impl Drop for StopIfPanicking<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end_run();
        }
    }
}

/// The way in which a listing ended that was not cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingEnd {
    /// All tours were listed.
    Complete,
    /// The sink, or the function called for each tour, ended the listing.
    StoppedBySink,
}

/// Passes the tours of `source` to `sink`, in the order of the units and in batches that
/// `collector` encodes. Returns whether all tours were passed or `sink` ended the run.
///
/// # Errors
/// [`Stopped`] if the control was cancelled, even if all units were finished by then.
pub fn run_ordered<C: BatchEncoder>(
    source: &dyn TourSource,
    collector: &C,
    run: OrderedRun<'_>,
    sink: &mut dyn FnMut(&mut C::Batch) -> ControlFlow<()>,
) -> Result<ListingEnd, Stopped> {
    let OrderedRun { control, done_flag: over, threads } = run;
    let stop = StopFlags::new(control, over);
    let units = source.unit_count();
    let all: Vec<u32> = (0..units as u32).collect();
    control.begin_run(units, &all);
    let flow = if threads <= 1 {
        run_on_this_thread(source, collector, control, stop, sink)
    } else {
        run_on_workers(source, collector, control, stop, threads, sink)
    };
    match flow {
        _ if control.is_cancelled() => Err(Stopped),
        ControlFlow::Continue(()) => Ok(ListingEnd::Complete),
        ControlFlow::Break(()) => Ok(ListingEnd::StoppedBySink),
    }
}

/// Searches all units on this thread, and passes each batch to `sink` as soon as it is full.
fn run_on_this_thread<C: BatchEncoder>(
    source: &dyn TourSource,
    encoder: &C,
    control: &Control,
    stop: StopFlags<'_>,
    sink: &mut dyn FnMut(&mut C::Batch) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut collector = BatchCollector::new(encoder, |batch: &mut C::Batch| {
        if sink(batch).is_break() {
            stop.end_run();
        }
        encoder.clear(batch);
        if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    for unit in 0..source.unit_count() {
        let done =
            source.search_unit(unit, stop, &mut |kind, sequence: &[u32]| collector.add(kind, sequence));
        control.finish_unit(unit, done.nodes, done.tours);
        collector.send()?;
        if stop.is_set() {
            return ControlFlow::Break(());
        }
    }
    ControlFlow::Continue(())
}

/// Time for which a worker searches a group of units, about. With shorter groups, workers and sink wait for each
/// other more often. With longer groups, one worker may be so far behind that the others have no space left.
const GROUP_TIME: Duration = Duration::from_millis(2);

/// Greatest number of units in a group.
const MAX_GROUP_UNITS: usize = 1 << 10;

/// Time after which a worker sends the tours that it has found at the end of a unit, before its group ends.
const LONGEST_DELAY: Duration = Duration::from_millis(20);

/// Returns the number of units of a worker's next group, after a group of `units` units that took `time`.
fn next_group_units(units: usize, time: Duration) -> usize {
    match () {
        () if time < GROUP_TIME / 2 => (2 * units).min(MAX_GROUP_UNITS),
        () if time > GROUP_TIME * 2 => (units / 2).max(1),
        () => units,
    }
}

/// Searches the units on `threads` workers, in groups, while this thread passes their batches to `sink`.
fn run_on_workers<C: BatchEncoder>(
    source: &dyn TourSource,
    encoder: &C,
    control: &Control,
    stop: StopFlags<'_>,
    threads: usize,
    sink: &mut dyn FnMut(&mut C::Batch) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let units = source.unit_count();
    let next = AtomicUsize::new(0);
    let batches = OrderedBatches::new(threads, 0);
    let work = || {
        let _ended = CallOnDrop(|| batches.end_worker());
        let group = Cell::new(0);
        let mut collector = BatchCollector::new(encoder, |batch: &mut C::Batch| {
            *batch = batches.send(group.get(), std::mem::take(batch))?;
            if stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let mut group_units = 1;
        while !stop.is_set() {
            let first = next.fetch_add(group_units, Ordering::Relaxed);
            if first >= units {
                return;
            }
            let end = units.min(first + group_units);
            group.set(first);
            // The run is stopped before the group counts as finished.
            let _finished = CallOnDrop(|| batches.finish_group(first, end));
            let _guard = StopIfPanicking(stop);
            let began = Instant::now();
            if search_group(source, first..end, control, stop, &mut collector).is_break() {
                return;
            }
            group_units = next_group_units(group_units, began.elapsed());
        }
    };
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for started in 0..threads {
            // If the system has no more threads, the existing ones do the work.
            match std::thread::Builder::new().spawn_scoped(scope, work) {
                Err(error) if started == 0 => panic!("failed to spawn thread: {error}"),
                Err(_) => batches.end_worker(),
                Ok(worker) => workers.push(worker),
            }
        }
        let flow = {
            let _closed = CallOnDrop(|| batches.close());
            let flow = deliver_in_order(units, encoder, &batches, stop, sink);
            if flow.is_break() {
                stop.end_run();
            }
            flow
        };
        for worker in workers {
            // Passes the panic on with its message, which the scope would drop.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        flow
    })
}

/// A guard that calls a function when it is dropped, also by a panic.
struct CallOnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for CallOnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Searches a group of units, and sends its tours. Returns `Break` if the run has ended.
fn search_group<C: BatchEncoder, S: FnMut(&mut C::Batch) -> ControlFlow<()>>(
    source: &dyn TourSource,
    units: Range<usize>,
    control: &Control,
    stop: StopFlags<'_>,
    collector: &mut BatchCollector<'_, C, S>,
) -> ControlFlow<()> {
    let mut finished = Vec::new();
    let mut last_sent = Instant::now();
    let last = units.end - 1;
    for unit in units {
        let done =
            source.search_unit(unit, stop, &mut |kind, sequence: &[u32]| collector.add(kind, sequence));
        finished.push((unit, done.nodes, done.tours));
        let is_stopped = stop.is_set();
        // A long unit is not held back by the units after it.
        if unit == last || is_stopped || last_sent.elapsed() >= LONGEST_DELAY {
            last_sent = Instant::now();
            control.finish_units(finished.drain(..));
            if is_stopped {
                return ControlFlow::Break(());
            }
            collector.send()?;
        }
    }
    ControlFlow::Continue(())
}

fn deliver_in_order<C: BatchEncoder>(
    units: usize,
    encoder: &C,
    batches: &OrderedBatches<C::Batch>,
    stop: StopFlags<'_>,
    sink: &mut dyn FnMut(&mut C::Batch) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut group = 0;
    while group < units {
        while let Some(mut batch) = batches.receive()? {
            sink(&mut batch)?;
            encoder.clear(&mut batch);
            batches.give_back(batch);
        }
        if stop.is_set() {
            // The group may be incomplete, so nothing after it may be delivered.
            return ControlFlow::Break(());
        }
        group = batches.advance();
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn run_units_runs_every_unit_once() {
        let schedule: Vec<u32> = (0..1000).rev().collect();
        let done = Mutex::new(Vec::new());
        run_units(&schedule, &Control::new(), |unit| done.lock().unwrap().push(unit)).unwrap();
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn run_units_reports_cancellation() {
        let schedule: Vec<u32> = (0..100).collect();
        let control = Control::new();
        let result = run_units(&schedule, &control, |unit| {
            if unit == 50 {
                control.cancel();
            }
        });
        assert_eq!(result, Err(Stopped));
    }
}

#[cfg(test)]
mod ordered_tests {
    use super::super::tour_batch::{TourBatch, TourBatchEncoder};
    use super::super::tour_batch::{TourSink, UnitEffort};
    use super::*;

    /// A source whose unit `u` has `u % 5` tours of two vertices: the number of the unit and the
    /// number of the tour.
    struct FewTours {
        units: usize,
    }

    impl TourSource for FewTours {
        fn unit_count(&self) -> usize {
            self.units
        }

        fn search_unit(&self, unit: usize, _: StopFlags<'_>, take: &mut TourSink<'_>) -> UnitEffort {
            let mut tours = 0;
            for i in 0..unit % 5 {
                tours += 1;
                if take(TourKind::Open, &[(unit % 128) as u32, i as u32]).is_break() {
                    break;
                }
            }
            UnitEffort { nodes: 1, tours }
        }
    }

    fn collect_tours(
        units: usize,
        threads: usize,
        limit: usize,
    ) -> (Vec<Vec<u32>>, Result<ListingEnd, Stopped>) {
        let mut tours = Vec::new();
        let (control, over) = (Control::new(), AtomicBool::new(false));
        let settings = OrderedRun { control: &control, done_flag: &over, threads };
        let result =
            run_ordered(&FewTours { units }, &TourBatchEncoder, settings, &mut |packed: &mut TourBatch| {
                tours.extend((0..packed.len()).filter_map(|i| packed.get(i)).map(|(_, tour)| tour.collect()));
                if tours.len() >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        assert!(!control.is_cancelled(), "a finished run does not cancel its control");
        (tours, result)
    }

    #[test]
    fn run_ordered_keeps_unit_order_for_any_thread_count() {
        let (one, result) = collect_tours(300, 1, usize::MAX);
        assert_eq!(one[..4], [[1, 0], [2, 0], [2, 1], [3, 0]]);
        assert_eq!((one.len(), result), (600, Ok(ListingEnd::Complete)));
        for threads in [2, 3, 8] {
            assert_eq!(collect_tours(300, threads, usize::MAX).0, one);
        }
    }

    #[test]
    fn run_ordered_ends_when_sink_breaks() {
        // The batch in which the sink breaks has the tours of one group of units at most.
        let (tours, result) = collect_tours(100_000, 4, 3);
        assert_eq!(
            (&tours[..3], result),
            (&[vec![1, 0], vec![2, 0], vec![2, 1]][..], Ok(ListingEnd::StoppedBySink))
        );
        assert!(tours.len() <= 2 * MAX_GROUP_UNITS, "{} tours", tours.len());
    }
}
