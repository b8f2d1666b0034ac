//! A sweep from two ends: where they meet, and what there is of either when they do.
//!
//! ```text
//! near plan up to a step -> signatures that it reaches and that can be completed -> those of the far end that fit
//! ```
//!
//! Where the first steps of the far end are an image of those of the near one, they are made once: both ends *branch off*
//! from their layer.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::frontier::block::tables::Tables;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::entry::Entry;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::stride::{Sources, Stride};
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::Cycles;
use crate::frontier::problem::plan::Plan;
use crate::frontier::problem::twin::Twin;
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::{Feasibility, Feasible};
use crate::frontier::state::fit::Fit;
use crate::frontier::state::fold::Fold;
use crate::frontier::state::words::Words;

/// The two ends of a sweep.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The last step of the near end.
    pub step: usize,
    /// The plan of the near end.
    pub near: Arc<Plan>,
    /// The plan of the far end.
    pub far: Arc<Plan>,
    /// First steps that both ends have in common, as one is the image of the other there: they are made once.
    pub shared: usize,
}

impl Pair {
    /// The ends of a sweep that meet after the first `steps` of a plan, unless either would have nothing to do.
    #[must_use]
    pub fn new(cycles: &Cycles, plan: &Arc<Plan>, steps: usize, fold: bool) -> Option<Self> {
        if steps == 0 || steps >= plan.steps().len() || plan.steps()[steps - 1].occupied == 0 {
            return None;
        }
        let step = steps - 1;
        if let Some(twin) = Twin::find(cycles, plan, step) {
            let names = twin.names(plan, step, Words::new(plan.slots()).high_slots());
            let (near, twin) = (Arc::new(plan.renamed(&names)), twin.renamed(&names));
            let far = Plan::far(cycles, &near, step, fold, Some(&twin));
            let shared = twin.steps();
            // With no edge inside the front the layer of the near end would be that of the far one.
            if far.steps().len() > shared {
                return Some(Self { step, near, far: Arc::new(far), shared });
            }
        }
        let far = Plan::far(cycles, plan, step, fold, None);
        // With nothing behind the front the near end might have finished tours already.
        let is_any = far.steps().first().is_some_and(|step| !step.stays);
        is_any.then(|| Self { step, near: Arc::clone(plan), far: Arc::new(far), shared: 0 })
    }

    /// The course of the far end, if tables of its signatures are reasonable.
    #[must_use]
    pub fn course(&self, near: &Course) -> Option<Arc<Course>> {
        Course::far(&self.far, near).map(Arc::new)
    }

    /// Steps of both ends, and the one that joins them.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.before() + self.step + 2
    }

    /// Steps of the far end alone, which come before the last of the near end.
    #[must_use]
    pub fn before(&self) -> usize {
        self.far.steps().len() - self.shared
    }
}

/// A digest of all that gives states, blocks and chunks their meaning, at both ends if there are two.
#[must_use]
pub fn digest(plan: &Plan, pair: Option<&Pair>) -> u64 {
    let of_pair = |pair: &Pair| {
        let shared = (pair.shared as u64).rotate_right(8);
        pair.near.digest() ^ pair.far.digest().rotate_left(1) ^ shared
    };
    pair.map_or_else(|| plan.digest(), of_pair)
}

/// Two ends on their way.
pub struct Meeting {
    /// Where they meet.
    pub ends: Pair,
    /// The course of the far end.
    pub far: Arc<Course>,
    /// The near signatures there that can be completed, by word.
    feasible: Feasible,
    /// Those of them that are reached, with their mirror images if the layer is folded.
    met: Vec<u128>,
    /// The layer that both ends go on from, while the far one does.
    pub branch: Option<Shelf>,
    /// The last layer of the far end, once it is there.
    pub layer: Option<Shelf>,
}

impl Meeting {
    /// Finds which signatures meet, with the tables of the whole near sweep, and where a dry run of the far end begins;
    /// `None` if it was cancelled. `each` is told of the steps of the near end, as [`Trace::go`] tells. Cost: that of a
    /// dry run of them.
    #[must_use]
    pub fn new(
        ends: &Pair,
        near: &Course,
        far: Arc<Course>,
        mut tables: Feasibility,
        cancel: &Cancel,
        mut each: impl FnMut(Extent),
    ) -> Option<(Self, Trace)> {
        let words = near.words();
        let mut met = vec![0; words.len()];
        let mut trace = Trace::new(words);
        trace.go(near, Some(&mut tables), 0..ends.shared, cancel, &mut each)?;
        let branch = if ends.shared > 0 { trace.clone() } else { Trace::new(far.words()) };
        trace.go(near, Some(&mut tables), ends.shared..ends.step + 1, cancel, &mut each)?;
        let feasible = tables.after(ends.step);
        for (high, chunk) in trace.layer.iter().enumerate() {
            let entries = chunk.iter().flat_map(|chunk| chunk.entries.iter().enumerate());
            entries.for_each(|(low, entry)| met[high * words.chunk_len() + low] = entry.present());
        }
        // Tables are of all that leads there, not only to the half that folding keeps.
        if let Some(image) = &near.plan().steps()[ends.step].mirror {
            let fold = Fold::new(words, image, None);
            for number in 0..met.len() {
                let at = words.at(number);
                let image = fold.other(at).unwrap_or(at);
                met[words.number(image)] |= fold.bits(met[number]);
            }
        }
        Some((Self { ends: ends.clone(), far, feasible, met, branch: None, layer: None }, branch))
    }

    /// Bytes that are held of it beside a layer and the tables of either end.
    #[must_use]
    pub fn bytes(near: &Course) -> u64 {
        2 * (near.words().len() * size_of::<u128>()) as u64
    }

    /// The layer that lies beside those of the leg that is made.
    #[must_use]
    pub fn waiting(&self) -> Option<&Shelf> {
        self.layer.as_ref().or(self.branch.as_ref())
    }

    /// The tables of the near end, from its step `first` on.
    #[must_use]
    pub fn near_tables(
        &self,
        near: &Arc<Course>,
        first: usize,
        memory: Option<u64>,
        cancel: &Cancel,
    ) -> Feasibility {
        let last = self.feasible.to_vec();
        Feasibility::towards(near, first..self.ends.step + 1, last, None, memory, cancel)
    }

    /// The tables of the far end, which leads to what fits, but for the steps that it shares.
    #[must_use]
    pub fn far_tables(&self, near: &Course, memory: Option<u64>, cancel: &Cancel) -> Feasibility {
        let words = near.words();
        let fit = Fit::new(near.plan(), self.ends.step, words, self.far.plan(), self.far.words());
        let mut last = vec![0; self.far.words().len()];
        for (number, &set) in self.met.iter().enumerate().filter(|(_, set)| **set != 0) {
            let (at, mut left) = (words.at(number), set);
            while left != 0 {
                let address = fit.address(at, left.trailing_zeros());
                last[address.word] |= 1 << address.bit;
                left &= left - 1;
            }
        }
        Feasibility::towards(&self.far, self.ends.shared..self.far.len(), last, None, memory, cancel)
    }
}

/// Weights of a layer, as a dry run tells them: how many there are at most.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    pub weights: f64,
    /// Those of the greatest chunk.
    pub greatest: f64,
    /// Weights read for all.
    pub reads: f64,
    /// Those of one chunk and of all its sources, of the chunk for which these are most.
    pub at_once: (f64, f64),
}

/// A dry run, after some step: the signatures that are reached.
#[derive(Clone, Debug)]
pub struct Trace {
    layer: Vec<Option<Arc<Chunk>>>,
    /// Weights of each chunk.
    weights: Vec<u64>,
}

impl Trace {
    /// Before the first step.
    #[must_use]
    pub fn new(words: &Words) -> Self {
        let mut layer: Vec<Option<Arc<Chunk>>> = vec![None; words.chunks()];
        let mut entries = vec![Entry::default(); words.chunk_len()];
        entries[0] = Entry::new(1, 0);
        layer[0] = Some(Arc::new(Chunk { entries, ..Chunk::default() }));
        Self { layer, weights: vec![0; words.chunks()] }
    }

    /// Makes some steps of a course, each of which `each` is told of. `None` if it was cancelled.
    pub fn go(
        &mut self,
        course: &Course,
        mut tables: Option<&mut Feasibility>,
        steps: Range<usize>,
        cancel: &Cancel,
        mut each: impl FnMut(Extent),
    ) -> Option<()> {
        let maps = Tables::new(0);
        for t in steps {
            let feasible = tables.as_mut().map(|tables| tables.after(t));
            if cancel.is_cancelled() {
                return None;
            }
            let sources: &Sources = &self.layer;
            let stride = Stride::new(course, &maps, feasible.as_ref().map(|table| table.as_slice()), t);
            let extent;
            (self.layer, extent) = trace(&stride, sources, &mut self.weights, cancel);
            each(extent);
        }
        (!cancel.is_cancelled()).then_some(())
    }
}

/// The signatures after the step, without weights, and how many weights they have. `before` has those of each chunk of the
/// source, and then of the target.
fn trace(
    stride: &Stride,
    source: &Sources,
    before: &mut Vec<u64>,
    cancel: &Cancel,
) -> (Vec<Option<Arc<Chunk>>>, Extent) {
    let parts: Vec<_> = (0..source.len())
        .into_par_iter()
        .with_max_len(16)
        .map(|high| if cancel.is_cancelled() { (None, 0, 0) } else { stride.trace_chunk(source, high) })
        .collect();
    let made: Vec<u64> = parts.iter().map(|part| part.1).collect();
    let at_once = (0..made.len()).filter(|&high| made[high] > 0).map(|high| {
        let sources = stride.sources_of(high);
        (made[high], sources.iter().map(|&s| before[s]).sum::<u64>())
    });
    let (own, read) = at_once.max_by_key(|(own, read)| own + read).unwrap_or_default();
    let extent = Extent {
        weights: made.iter().sum::<u64>() as f64,
        greatest: made.iter().copied().max().unwrap_or(0) as f64,
        reads: parts.iter().map(|part| part.2).sum::<u64>() as f64,
        at_once: (own as f64, read as f64),
    };
    *before = made;
    (parts.into_iter().map(|part| part.0).collect(), extent)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use num_bigint::BigUint;

    use crate::board::{Arena, Graph, Leaper};
    use crate::frontier::layer::snapshot::{Snapshot, check_stored};
    use crate::frontier::layer::store::memory::Memory;
    use crate::frontier::problem::cycles::Tours;
    use crate::frontier::problem::field::{Factors, Field};
    use crate::frontier::ranks::error::Error;
    use crate::frontier::ranks::pulse::Pulse;
    use crate::frontier::run::count::{count, count_stored};
    use crate::frontier::run::observer::{Observer, Silent, StepReport};
    use crate::frontier::run::options::{Ends, Method, Options, Storage};
    use crate::frontier::run::prepare::Prepared;
    use crate::frontier::state::words::Words;

    fn counted(field: &Field, tours: Tours, ends: Ends, fold: bool) -> BigUint {
        let options = Options { ends, fold, method: Method::Blocks, ..Options::default() };
        count(field, tours, &options, &mut Silent).unwrap().count
    }

    fn board(board: &str) -> Field {
        Field::of(&board.parse().unwrap())
    }

    #[test]
    fn wherever_the_ends_meet_the_count_is_the_same() {
        for (name, tours) in [
            ("5x6", Tours::Closed),
            ("4x5", Tours::Paths),
            ("5x5", Tours::Paths),
            ("3x7", Tours::From(0)),
            ("5x5", Tours::From(12)),
            ("5x5", Tours::Between(0, 24)),
        ] {
            let field = board(name);
            for fold in [true, false] {
                let whole = counted(&field, tours, Ends::One, fold);
                assert!(whole > BigUint::ZERO, "{name} {tours:?}");
                for steps in 0..=field.as_graph().len() + 1 {
                    let joined = counted(&field, tours, Ends::Meet(steps), fold);
                    assert_eq!(joined, whole, "{name} {tours:?} {fold} {steps}");
                }
            }
        }
    }

    /// Squares line by line, mirror images one after the other.
    fn lines(rows: usize, cols: usize) -> Vec<usize> {
        let line = |row: usize| (0..cols).map(move |k| (row, k));
        let place = |k: usize| if k.is_multiple_of(2) { k / 2 } else { cols - 1 - k / 2 };
        (0..rows).flat_map(line).map(|(row, k)| row * cols + place(k)).collect()
    }

    /// Options with which the ends of a board meet after so many steps, and how many of them they share.
    fn twins(rows: usize, cols: usize, tours: Tours, fold: bool) -> Vec<(Options, usize)> {
        let field = board(&format!("{rows}x{cols}"));
        let meet = |steps: usize| {
            let (order, ends) = (Some(lines(rows, cols)), Ends::Meet(steps));
            let options = Options { order, ends, fold, method: Method::Blocks, ..Options::default() };
            let pair = Prepared::new(&field, tours, &options).unwrap().pair().cloned();
            pair.filter(|pair| pair.shared > 0).map(|pair| (options, pair.shared))
        };
        (1..=rows * cols).filter_map(meet).collect()
    }

    #[test]
    fn what_both_ends_share_is_swept_once() {
        for (rows, cols, tours) in
            [(6, 5, Tours::Closed), (8, 4, Tours::Paths), (7, 5, Tours::Paths), (9, 4, Tours::Between(0, 35))]
        {
            let field = board(&format!("{rows}x{cols}"));
            let whole = counted(&field, tours, Ends::One, true);
            for fold in [true, false] {
                let twins = twins(rows, cols, tours, fold);
                assert!(twins.len() > 2, "{rows}x{cols} {tours:?} {fold}: {}", twins.len());
                for (options, shared) in twins {
                    let joined = count(&field, tours, &options, &mut Silent).unwrap();
                    assert_eq!(joined.count, whole, "{rows}x{cols} {tours:?} {fold} {:?}", options.ends);
                    let Ends::Meet(steps) = options.ends else { unreachable!() };
                    assert!(shared <= steps);
                }
            }
        }
    }

    #[test]
    fn ends_of_other_arenas_share_what_they_can() {
        let mut shared = 0;
        for (arena, tours) in [
            ("board=6x4 piece=1,2 wrap=cols remove=-", Tours::Closed),
            ("board=5x4 piece=1,2 wrap=mobius remove=-", Tours::Closed),
            ("board=3x5 piece=1,2 wrap=torus remove=-", Tours::Paths),
            ("board=6x5 piece=1,2 remove=c3,c4", Tours::Closed),
            ("board=5x5 piece=1,2 remove=a1,e5", Tours::Paths),
            ("board=4x4 piece=0,1+1,1 remove=-", Tours::Closed),
            ("board=7x4 piece=0,1 remove=-", Tours::Paths),
            ("board=2x3x4 piece=1,2 remove=-", Tours::Closed),
        ] {
            let field = Field::of(&arena.parse::<Arena>().unwrap());
            for fold in [true, false] {
                let whole = counted(&field, tours, Ends::One, fold);
                // Lines are in the order of the squares: boxes and wrapped boards have twins as well.
                let order: Vec<usize> = (0..field.as_graph().len()).collect();
                for steps in 1..field.as_graph().len() {
                    let (order, ends) = (Some(order.clone()), Ends::Meet(steps));
                    let options = Options { order, ends, fold, method: Method::Blocks, ..Options::default() };
                    let prepared = Prepared::new(&field, tours, &options).unwrap();
                    shared += usize::from(prepared.pair().is_some_and(|pair| pair.shared > 0));
                    let joined = prepared.sweep(Storage::default(), &mut Silent).unwrap().count;
                    assert_eq!(joined, whole, "{arena} {tours:?} {fold} {steps}");
                }
            }
        }
        assert!(shared > 20, "{shared}");
    }

    #[test]
    fn factors_and_wide_weights_are_joined_as_well() {
        // 9862 tours, each of which counts for the product of its 36 factors.
        let graph = Graph::new(&"6x6".parse().unwrap(), Leaper::KNIGHT);
        let edges = (0..36u32).flat_map(|v| graph.neighbours(v as usize).iter().map(move |&w| (v, w)));
        let factors: Factors = edges.filter(|(v, w)| v < w).map(|edge| (edge, 1000)).collect();
        let field = Field::weighted(graph.clone(), factors, Vec::new());
        let expected = BigUint::from(9862u32) * BigUint::from(1000u32).pow(36);
        for steps in [10, 14, 18, 22, 26] {
            assert_eq!(counted(&field, Tours::Closed, Ends::Meet(steps), true), expected, "{steps}");
        }
        // With lines in order the ends are twins; all mirrors keep such factors.
        let board = board("6x6");
        let field = Field::weighted(graph, field.factors().clone(), board.automorphisms().to_vec());
        for steps in [12, 18] {
            let (order, ends) = (Some(lines(6, 6)), Ends::Meet(steps));
            let options = Options { order, ends, method: Method::Blocks, ..Options::default() };
            let prepared = Prepared::new(&field, Tours::Closed, &options).unwrap();
            assert!(prepared.pair().unwrap().shared > 0, "{steps}");
            assert_eq!(prepared.sweep(Storage::default(), &mut Silent).unwrap().count, expected, "{steps}");
        }
    }

    /// Stops after every so many chunks or steps, and keeps the last snapshot.
    struct Interrupts {
        every: usize,
        /// Or after every step.
        by_steps: bool,
        asked: usize,
        saved: Option<Snapshot>,
    }

    impl Observer for Interrupts {
        fn step(&mut self, _: &StepReport) -> ControlFlow<()> {
            if self.by_steps { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }

        fn pulse(&mut self) -> Pulse {
            self.asked += 1;
            if !self.by_steps && self.asked.is_multiple_of(self.every) { Pulse::Stop } else { Pulse::Go }
        }

        fn save(&mut self, snapshot: &Snapshot) {
            self.saved = Some(snapshot.clone());
        }
    }

    #[test]
    fn stopped_anywhere_it_goes_on() {
        let field = board("5x6");
        for (tours, steps, every) in
            [(Tours::Closed, 14, 3), (Tours::Paths, 12, 5), (Tours::Closed, 18, 1), (Tours::Paths, 14, 0)]
        {
            let options = Options { ends: Ends::Meet(steps), method: Method::Blocks, ..Options::default() };
            assert_eq!(stopped(&field, tours, &options, every), counted(&field, tours, Ends::One, true));
        }
    }

    #[test]
    fn stopped_where_both_ends_go_on_from_one_layer_it_goes_on() {
        for (rows, cols, tours, everies) in [(5, 5, Tours::Paths, [0, 9]), (8, 4, Tours::Paths, [0, 40])] {
            let field = board(&format!("{rows}x{cols}"));
            let expected = counted(&field, tours, Ends::One, true);
            let twins = twins(rows, cols, tours, true);
            // The first has no steps of the near end after the branch.
            for (options, every) in [&twins[0], &twins[twins.len() - 1]].iter().zip(everies) {
                assert_eq!(
                    stopped(&field, tours, &options.0, every),
                    expected,
                    "{:?} {every}",
                    options.0.ends
                );
            }
        }
    }

    /// The count of a sweep that is stopped every so often.
    fn stopped(field: &Field, tours: Tours, options: &Options, every: usize) -> BigUint {
        let store = Memory::default();
        let mut interrupts = Interrupts { every, by_steps: every == 0, asked: 0, saved: None };
        let mut sittings = 0;
        loop {
            let from = interrupts.saved.take();
            let storage = Storage { store: Some(&store), snapshots: true, from, ..Storage::default() };
            match count_stored(field, tours, options, storage, &mut interrupts) {
                Ok(outcome) => {
                    assert!(sittings > 3, "{sittings}");
                    return outcome.count;
                }
                Err(Error::Stopped { .. }) => sittings += 1,
                Err(error) => panic!("{error}"),
            }
            let saved = interrupts.saved.as_ref().expect("a sweep that stops has saved");
            assert!(check_stored(&store, saved).is_ok());
        }
    }

    #[test]
    fn with_little_memory_the_layer_that_waits_goes_to_the_store() {
        let field = board("7x8");
        let store = Memory::default();
        let counted = |memory| {
            let options =
                Options { ends: Ends::Meet(28), method: Method::Blocks, memory, ..Options::default() };
            let storage = Storage { store: Some(&store), ..Storage::default() };
            count_stored(&field, Tours::Closed, &options, storage, &mut Silent)
        };
        let free = counted(None).unwrap();
        assert_eq!((free.totals.peak_stored, free.count.to_string()), (0, "34524432316".into()));
        // Half of all but what waits for the other end.
        let options = Options { ends: Ends::Meet(28), ..Options::default() };
        let slots = Prepared::new(&field, Tours::Closed, &options).unwrap().outlook().slots;
        let waiting = 2 * Words::new(slots).len() as u64 * size_of::<u128>() as u64;
        let tight = counted(Some((free.totals.peak_bytes + waiting) / 2)).unwrap();
        assert!(tight.totals.peak_stored > 0);
        assert_eq!((tight.count, tight.totals.states), (free.count, free.totals.states));
    }
}
