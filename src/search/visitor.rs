//! Visitors: what happens when a kernel finds a tour. Kernels are generic over the [`Visitor`], so counting
//! compiles to an increment and keeps no record of the tour, while listing gets its vertices.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::stop::Stop;

/// A tour just found, still in the kernel's own form.
pub trait Complete {
    /// Returns the last vertex of a path with a direction; kernels without direction return either end.
    fn last(&self) -> usize;

    /// Writes the vertices in order of visit. Cost O(n).
    fn sequence(&self, out: &mut Vec<u32>);
}

/// Counts, lists or stops.
pub trait Visitor {
    /// True if [`FoundTour::write_sequence`] will be called; if false, the kernel keeps no record of its
    /// choices.
    const RECORD: bool;

    /// Receives a tour. `Break` ends the search.
    fn tour<F: Complete>(&mut self, found: &F) -> ControlFlow<()>;

    /// Called once every [`POLL_INTERVAL`] nodes. `Break` ends the search.
    fn poll(&mut self) -> ControlFlow<()>;
}

/// Nodes that a kernel visits between two calls of [`Visitor::poll`]; a power of two.
pub const POLL_INTERVAL: u64 = 1 << 16;

/// Ignores all tours and stops when the flag is set.
#[derive(Debug)]
pub struct Until<'a>(&'a AtomicBool);

impl<'a> Until<'a> {
    /// Creates a visitor that stops when `stop` is set.
    #[must_use]
    pub const fn new(stop: &'a AtomicBool) -> Self {
        Self(stop)
    }
}

impl Visitor for Until<'_> {
    const RECORD: bool = false;

    #[inline(always)]
    fn tour<F: Complete>(&mut self, _: &F) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn poll(&mut self) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Counts the tours of a kernel with direction by their last square.
#[derive(Debug)]
pub struct CounterByLast<'a> {
    /// Tours so far, by last vertex.
    pub tours: Vec<u64>,
    stop: &'a AtomicBool,
    polls: u64,
}

impl<'a> CounterByLast<'a> {
    /// Starts at zero for each of `len` vertices.
    #[must_use]
    pub fn new(len: usize, stop: &'a AtomicBool) -> Self {
        Self { tours: vec![0; len], stop, polls: u64::MAX }
    }

    /// Limits the search: it stops after at least this number of nodes.
    #[must_use]
    pub const fn with_limit(mut self, nodes: u64) -> Self {
        self.polls = nodes.div_ceil(POLL_INTERVAL);
        self
    }
}

impl Visitor for CounterByLast<'_> {
    const RECORD: bool = false;

    #[inline(always)]
    fn tour<F: Complete>(&mut self, found: &F) -> ControlFlow<()> {
        self.tours[found.last()] += 1;
        ControlFlow::Continue(())
    }

    fn poll(&mut self) -> ControlFlow<()> {
        self.polls = self.polls.saturating_sub(1);
        let over = self.polls == 0 || self.stop.load(Ordering::Relaxed);
        if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Passes the vertices of each tour to a function, which may stop the search; the flags may too.
pub struct Lister<'a, F> {
    sequence: Vec<u32>,
    stop: Stop<'a>,
    each: F,
}

impl<'a, F: FnMut(&mut Vec<u32>) -> ControlFlow<()>> Lister<'a, F> {
    /// Creates a visitor that calls `each` with the vertices in order of visit; `each` may rearrange them.
    pub fn new(stop: impl Into<Stop<'a>>, each: F) -> Self {
        Self { sequence: Vec::new(), stop: stop.into(), each }
    }
}

impl<F: FnMut(&mut Vec<u32>) -> ControlFlow<()>> Visitor for Lister<'_, F> {
    const RECORD: bool = true;

    fn tour<T: Complete>(&mut self, found: &T) -> ControlFlow<()> {
        found.sequence(&mut self.sequence);
        (self.each)(&mut self.sequence)
    }

    fn poll(&mut self) -> ControlFlow<()> {
        if self.stop.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
