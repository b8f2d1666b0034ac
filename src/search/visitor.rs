//! Visitors, which receive the tours that a kernel finds, and the flags that stop a search early.
//!
//! Kernels are generic over the [`Visitor`]. So counting compiles to an increment, without a record
//! of the tour, while a listing visitor receives the vertices.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::control::Control;

/// A tour that a kernel has just found, in the kernel's own form.
pub trait FoundTour {
    /// Returns the last vertex of the tour. If the kernel's tours have no direction, this vertex is
    /// either of the two ends of the path.
    fn last_vertex(&self) -> usize;

    /// Writes the vertices of the tour to `out`, in order of visit. Cost O(n).
    fn write_sequence(&self, out: &mut Vec<u32>);
}

/// A receiver of the tours of a search, for example to count or list them. It may stop the search.
pub trait Visitor {
    /// True if the visitor calls [`FoundTour::write_sequence`]. If false, the kernel does not
    /// record its choices.
    const NEEDS_SEQUENCE: bool;

    /// Receives a tour. The search ends if this returns `Break`.
    fn visit_tour<F: FoundTour>(&mut self, found: &F) -> ControlFlow<()>;

    /// Returns `Break` if the search should end. The kernel calls this function every
    /// [`POLL_INTERVAL`] nodes.
    fn poll(&mut self) -> ControlFlow<()>;
}

/// Number of nodes that a kernel visits between two calls of [`Visitor::poll`]; a power of two.
pub const POLL_INTERVAL: u64 = 1 << 16;

/// A visitor that ignores all tours, and stops the search when its flag is set.
#[derive(Debug)]
pub struct StopOnFlag<'a>(&'a AtomicBool);

impl<'a> StopOnFlag<'a> {
    /// Creates a visitor that stops the search when `stop` is set.
    #[must_use]
    pub const fn new(stop: &'a AtomicBool) -> Self {
        Self(stop)
    }
}

impl Visitor for StopOnFlag<'_> {
    const NEEDS_SEQUENCE: bool = false;

    #[inline(always)]
    fn visit_tour<F: FoundTour>(&mut self, _: &F) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&mut self) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A visitor that counts the tours by their last square, for a kernel whose tours have a direction.
#[derive(Debug)]
pub struct LastVertexCounter<'a> {
    /// Number of tours found so far, by last vertex.
    pub tours: Vec<u64>,
    stop: &'a AtomicBool,
    polls_left: u64,
}

impl<'a> LastVertexCounter<'a> {
    /// Creates a counter for a graph of `len` vertices. The counter stops the search when `stop` is
    /// set. All numbers are 0.
    #[must_use]
    pub fn new(len: usize, stop: &'a AtomicBool) -> Self {
        Self { tours: vec![0; len], stop, polls_left: u64::MAX }
    }

    /// Limits the search to about `nodes` nodes: it stops at the next poll after them.
    #[must_use]
    pub const fn with_node_limit(mut self, nodes: u64) -> Self {
        self.polls_left = nodes.div_ceil(POLL_INTERVAL);
        self
    }
}

impl Visitor for LastVertexCounter<'_> {
    const NEEDS_SEQUENCE: bool = false;

    #[inline(always)]
    fn visit_tour<F: FoundTour>(&mut self, found: &F) -> ControlFlow<()> {
        self.tours[found.last_vertex()] += 1;
        ControlFlow::Continue(())
    }

    fn poll(&mut self) -> ControlFlow<()> {
        self.polls_left = self.polls_left.saturating_sub(1);
        let over = self.polls_left == 0 || self.stop.load(Ordering::Relaxed);
        if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// A visitor that passes the vertices of each tour to a function. The function or the stop flags
/// may end the search.
pub struct SequenceVisitor<'a, F> {
    sequence: Vec<u32>,
    stop: StopFlags<'a>,
    callback: F,
}

impl<'a, F: FnMut(&mut Vec<u32>) -> ControlFlow<()>> SequenceVisitor<'a, F> {
    /// Creates a visitor that calls `each` with the vertices of every tour in order of visit. `each` may
    /// rearrange the vertices.
    pub fn new(stop: impl Into<StopFlags<'a>>, each: F) -> Self {
        Self { sequence: Vec::new(), stop: stop.into(), callback: each }
    }
}

impl<F: FnMut(&mut Vec<u32>) -> ControlFlow<()>> Visitor for SequenceVisitor<'_, F> {
    const NEEDS_SEQUENCE: bool = true;

    fn visit_tour<T: FoundTour>(&mut self, found: &T) -> ControlFlow<()> {
        found.write_sequence(&mut self.sequence);
        (self.callback)(&mut self.sequence)
    }

    fn poll(&mut self) -> ControlFlow<()> {
        if self.stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The two flags that end a search: the cancellation flag of the control, and a flag of this run,
/// which is set when no more results are needed.
#[derive(Clone, Copy, Debug)]
pub struct StopFlags<'a> {
    cancelled: &'a AtomicBool,
    done: &'a AtomicBool,
}

impl<'a> StopFlags<'a> {
    /// Combines the cancellation flag of `control` with `over`, the flag of the run.
    #[must_use]
    pub fn new(control: &'a Control, over: &'a AtomicBool) -> Self {
        Self { cancelled: control.cancel_flag(), done: over }
    }

    /// Returns true if at least one of the flags is set.
    #[must_use]
    pub fn is_set(self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || self.done.load(Ordering::Relaxed)
    }

    /// Sets the flag of the run, which ends the run without cancelling the control.
    pub fn end_run(self) {
        self.done.store(true, Ordering::Relaxed);
    }
}

impl<'a> From<&'a AtomicBool> for StopFlags<'a> {
    fn from(flag: &'a AtomicBool) -> Self {
        Self { cancelled: flag, done: flag }
    }
}

impl<'a> From<&'a Arc<AtomicBool>> for StopFlags<'a> {
    fn from(flag: &'a Arc<AtomicBool>) -> Self {
        Self::from(&**flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_flag_stops_and_end_run_keeps_control() {
        let (control, over) = (Control::new(), AtomicBool::new(false));
        let stop = StopFlags::new(&control, &over);
        assert!(!stop.is_set());
        stop.end_run();
        assert!(stop.is_set() && !control.is_cancelled());
        over.store(false, Ordering::Relaxed);
        control.cancel();
        assert!(stop.is_set() && StopFlags::from(control.cancel_flag()).is_set());
    }
}
