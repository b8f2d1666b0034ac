//! Suspending a sweep and resuming it.
//!
//! ```text
//! layers -> store, named by a Snapshot -> layers of a later session
//! ```

use num_bigint::BigUint;
use rayon::prelude::*;

use crate::encoder::Encoder;
use crate::frontier::block::modulus::Modulus;
use crate::frontier::block::weights::Weights;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::kept::Kept;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::snapshot::Snapshot;
use crate::frontier::layer::step::Halt;
use crate::frontier::ranks::error::Error;
use crate::frontier::run::advance::{Progress, View};
use crate::frontier::run::ends::{Meeting, digest};
use crate::frontier::run::options::Options;
use crate::frontier::run::sweep::Sweep;
use crate::frontier::state::words::Words;

/// Version of the bytes of the digest that ranks compare.
const DIGEST_VERSION: u8 = 1;

impl Sweep<'_> {
    /// Returns the progress before the first step: a source layer with the initial state only. Chunks of
    /// `waiting` may be evicted to make room.
    pub(super) fn start(&self, words: &Words, waiting: Option<&Shelf>) -> Result<Progress, Error> {
        let progress = Progress::new(Shelf::new(words.chunks(), words.chunk_len()), words);
        let one = Weights::one(self.options.modulo.map(Modulus::width).unwrap_or_default());
        let chunk = Chunk::first(words, one);
        let put_aside = || waiting.map_or(Ok(false), |layer| layer.put_any_aside(&self.keeper));
        self.keeper.room(chunk.bytes(), &put_aside).map_err(|halt| self.error(halt, 0))?;
        progress.source.put(0, chunk);
        Ok(progress)
    }

    /// Returns the progress to start from and the number of the first step, after all ranks agreed on them.
    /// Without a snapshot this is the initial state and step 0.
    pub(super) fn begin(&mut self) -> Result<(Progress, usize), Error> {
        let is_shared = self.meeting.as_ref().is_some_and(|meeting| meeting.ends.shared > 0);
        let far = self.meeting.as_ref().map(|meeting| &meeting.far);
        let first_course = far.filter(|_| !is_shared).unwrap_or(&self.course);
        let mut words = first_course.words().clone();
        let (mut first, mut digest, mut ready) = (0, 0, Ok(()));
        let empty = |words: &Words| Progress::new(Shelf::new(words.chunks(), words.chunk_len()), words);
        let mut progress = empty(&words);
        match self.from.take() {
            None if self.sharing.place().0 > 0 => {}
            None => match self.start(&words, None) {
                Ok(start) => progress = start,
                Err(error) => ready = Err(error),
            },
            Some(snapshot) => {
                let put = |shelf: &Shelf, all: &[(usize, Kept)]| {
                    for &(number, kept) in all {
                        shelf.put_kept(number, kept);
                        self.keeper.count_stored(kept);
                    }
                };
                let (mut branch, mut far_layer) = (None, None);
                if let Some(meeting) = &self.meeting {
                    let far_words = meeting.far.words();
                    let shelf = Shelf::new(far_words.chunks(), far_words.chunk_len());
                    put(&shelf, &snapshot.far);
                    let has_branched = is_shared && snapshot.step > meeting.ends.shared;
                    if snapshot.step >= meeting.far.len() {
                        far_layer = Some(shelf);
                        words = self.course.words().clone();
                        let is_begun = !(snapshot.layer.is_empty() && snapshot.done.is_empty());
                        let is_first = snapshot.step == meeting.far.len() && !is_shared;
                        progress =
                            if is_first && !is_begun { self.start(&words, None)? } else { empty(&words) };
                    } else if has_branched {
                        branch = Some(shelf);
                    }
                }
                put(&progress.source, &snapshot.layer);
                put(&progress.target, &snapshot.next);
                if let Some(meeting) = &mut self.meeting {
                    (meeting.branch, meeting.layer) = (branch, far_layer);
                }
                (first, digest) = (snapshot.step, snapshot.spread);
                (progress.done, progress.tally) = (snapshot.done, snapshot.tally);
                progress.sum = snapshot.sum;
                self.meter.go_on_from(snapshot.totals);
            }
        }
        let what = self.digest_of_run();
        self.sharing.begin(ready, what, first, digest, &progress.source)?;
        Ok((progress, first))
    }

    /// A digest of all that ranks must agree on before they share the sweep.
    fn digest_of_run(&self) -> u64 {
        let &Options { feasibility, cut, modulo, .. } = self.options;
        let plan = self.course.plan();
        let mut bytes = Encoder::new(DIGEST_VERSION);
        bytes.number(plan.digest());
        bytes.flag(feasibility);
        bytes.list(plan.shorter(), |to, &step| to.number(step as u64));
        bytes.option(cut, |to, cut| cut.encode(to));
        bytes.option(modulo, |to, modulo| modulo.encode(to));
        bytes.flag(self.saves);
        bytes.digest()
    }

    /// Writes every chunk that is not in the store yet, and passes a snapshot to the observer: `t` steps are
    /// complete, and `view` shows the progress of the next. If saving fails, the observer is notified and the
    /// sweep continues; only the loss of a rank is an error.
    pub(super) fn save(&self, t: usize, view: &View, sum: &BigUint) -> Result<(), Error> {
        if !self.saves || !self.keeper.has_store() {
            return Ok(());
        }
        self.observer().saving();
        let waiting = self.meeting.as_ref().and_then(Meeting::waiting);
        let far = || waiting.map_or(Ok(Vec::new()), |far| self.keep(far));
        let kept = self.keep(view.source).and_then(|layer| Ok((layer, self.keep(view.target)?, far()?)));
        // The snapshots of one step belong together: all ranks write one, or none does.
        let mine = kept.as_ref().map(|_| ()).map_err(|halt| self.error(halt.clone(), t));
        let (mut layer, next, mut far) = match (kept, self.sharing.agree(mine, t)) {
            (Ok(kept), Ok(_)) => kept,
            (_, Err(error @ Error::Lost { .. })) => return Err(error),
            (_, Err(error)) => {
                // The last snapshot remains valid, and the sweep continues.
                self.observer().not_saved(&error.to_string());
                return Ok(());
            }
            (Err(_), Ok(_)) => unreachable!("a failure of one rank is reported to all"),
        };
        // Between the phases the source layer is the right one, and the left phase has not started, or starts
        // from the common layer, which waits for it.
        if self.meeting.as_ref().is_some_and(|meeting| meeting.layer.is_none() && t == meeting.far.len()) {
            std::mem::swap(&mut far, &mut layer);
        }
        let plan = self.course.plan();
        let pair = self.meeting.as_ref().map(|meeting| &meeting.ends);
        let snapshot = Snapshot {
            order: plan.steps().iter().map(|step| step.vertex).collect(),
            fold: self.options.fold,
            plan: Snapshot::meaning(digest(plan, pair), self.options.modulo),
            cut: self.options.cut,
            rank: self.sharing.place(),
            spread: self.sharing.digest(),
            step: t,
            layer,
            done: view.done.clone(),
            next,
            meets: self.meeting.as_ref().map(|meeting| meeting.ends.step),
            far,
            sum: sum.clone(),
            tally: view.tally,
            totals: self.meter.totals(&self.keeper),
        };
        self.observer().save(&snapshot);
        Ok(())
    }

    /// Writes all chunks of a layer to the store and returns their numbers and stored forms.
    fn keep(&self, shelf: &Shelf) -> Result<Vec<(usize, Kept)>, Halt> {
        let numbers = shelf.numbers();
        let kept = numbers.par_iter().map(|&n| Ok(shelf.keep(n, &self.keeper)?.map(|kept| (n, kept))));
        Ok(kept.collect::<Result<Vec<_>, Halt>>()?.into_iter().flatten().collect())
    }
}
