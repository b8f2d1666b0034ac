//! The feasibility tables of all phases of a sweep.
//!
//! A one-sided sweep has one set of tables. A two-sided sweep has up to three:
//!
//! ```text
//! left set:   signatures that lead to the signatures at the cut; in a shard, to those of its classes
//! right set:  signatures that lead to right signatures at the cut that match reached left signatures
//! common set: signatures that lead to either; without a shard, by symmetry, those of the left set
//! ```

use std::ops::Range;
use std::sync::Arc;

use super::dry_run::{DryRun, LayerSize};
use super::two_sided::TwoSidedPlan;
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::signature::feasibility::{Feasibility, TableSizes};
use crate::frontier::signature::mirror_fold::MirrorFold;
use crate::frontier::signature::shard::{ShardFilter, SweepShard};
use crate::frontier::signature::signature_table::SignatureTable;
use crate::frontier::signature::space::SignatureSpace;

/// A two-sided plan, and the signature space of its right half.
pub type RightSide<'a> = (&'a TwoSidedPlan, &'a Arc<SignatureSpace>);

/// The feasibility tables of a sweep. Each phase takes its tables when it begins.
#[derive(Clone, Debug, Default)]
pub struct SweepTables {
    /// Tables of the common steps of a two-sided sweep.
    pub common: Option<Feasibility>,
    /// Tables of the left half, or of a one-sided sweep.
    pub left: Option<Feasibility>,
    /// Tables of the right half.
    pub right: Option<Feasibility>,
    /// The dry run of the left half that the tables needed, if the estimate of the sweep has the same.
    pub left_dry_run: Option<LeftDryRun>,
    /// Sizes of all tables.
    sizes: TableSizes,
    shard: Option<SweepShard>,
}

/// A dry run of the left half of a sweep, or of a one-sided sweep.
#[derive(Clone, Debug)]
pub struct LeftDryRun {
    /// The signatures after the last step so far.
    state: DryRun,
    /// The signatures after the common steps, from which the right half starts.
    pub after_common: DryRun,
    /// The sizes of the layers.
    pub layers: Vec<LayerSize>,
}

impl LeftDryRun {
    /// Creates the dry run before its first step.
    #[must_use]
    pub fn new(space: &SignatureSpace) -> Self {
        let state = DryRun::new(space.words());
        Self { after_common: state.clone(), state, layers: Vec::new() }
    }

    /// Runs the common steps, up to step `end`.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn run_common(
        &mut self,
        space: &SignatureSpace,
        tables: Option<&mut Feasibility>,
        end: usize,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        self.run(space, tables, 0..end, cancel)?;
        self.after_common = self.state.clone();
        Ok(())
    }

    /// Returns the signatures after the common steps and the sizes of the layers, and drops the last signatures.
    #[must_use]
    pub fn into_right_start(self) -> (DryRun, Vec<LayerSize>) {
        (self.after_common, self.layers)
    }

    /// Drops the last signatures. No further steps can be run.
    fn drop_last_layer(&mut self) {
        self.state = self.after_common.clone();
    }

    /// Runs some steps.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn run(
        &mut self,
        space: &SignatureSpace,
        tables: Option<&mut Feasibility>,
        steps: Range<usize>,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        self.state.run(space, tables, steps, cancel, |size| self.layers.push(size))
    }
}

impl SweepTables {
    /// Computes the tables of a sweep, or of one shard of it. The sweep is two-sided if `right_side` is given.
    /// `memory` is the memory ceiling of the sweep in bytes. Leaves out the sets that are used only before step
    /// `first_step` of the whole sweep. Retains the dry run of the left half of a two-sided sweep without shards,
    /// for the estimate of the sweep. Cost: that of the tables; for a two-sided sweep also a dry run of the left
    /// half, and for a shard twice the tables.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn new(
        left_space: &Arc<SignatureSpace>,
        right_side: Option<RightSide>,
        shard: Option<SweepShard>,
        memory: Option<u64>,
        first_step: usize,
        cancel: &Cancel,
    ) -> Result<Self, Cancelled> {
        if right_side.is_some_and(|(plan, _)| first_step + 1 >= plan.step_count()) {
            return Ok(Self { shard, ..Self::default() });
        }
        let all = Feasibility::new(left_space, None, memory, cancel)?;
        let builder = TableBuilder { left_space, shard, memory, cancel };
        match right_side {
            Some(right_side) => builder.two_sided_tables(all, right_side, first_step),
            None => builder.one_sided_tables(all),
        }
    }

    /// Drops the dry run of the left half, which only an estimate uses.
    #[must_use]
    pub fn without_left_dry_run(self) -> Self {
        Self { left_dry_run: None, ..self }
    }

    /// Returns true if these are all the tables of the given sweep, or of the given shard of it. Tables belong to
    /// plan objects: other plans may number slots differently.
    #[must_use]
    pub fn belongs_to(
        &self,
        left_space: &SignatureSpace,
        right_side: Option<RightSide>,
        shard: Option<SweepShard>,
    ) -> bool {
        let is_of = |tables: &Option<Feasibility>, space: Option<&SignatureSpace>| match (tables, space) {
            (Some(tables), Some(space)) => tables.belongs_to(space),
            (tables, space) => tables.is_none() && space.is_none(),
        };
        self.shard == shard
            && is_of(&self.left, Some(left_space))
            && is_of(&self.right, right_side.map(|(_, space)| &**space))
    }

    /// Returns the sizes of all tables.
    #[must_use]
    pub const fn sizes(&self) -> TableSizes {
        self.sizes
    }
}

/// The input of the tables that all sets share; see [`SweepTables::new`].
struct TableBuilder<'a> {
    left_space: &'a Arc<SignatureSpace>,
    shard: Option<SweepShard>,
    memory: Option<u64>,
    cancel: &'a Cancel,
}

impl TableBuilder<'_> {
    /// Returns the tables of a one-sided sweep. `all` has the tables of the sweep without shards.
    fn one_sided_tables(self, all: Feasibility) -> Result<SweepTables, Cancelled> {
        let tables = match self.shard {
            None => all,
            Some(shard) => {
                // The tables of the whole sweep are dropped before those of the shard are built.
                let filter = all.into_shard_filter(shard)?;
                Feasibility::new(self.left_space, Some(filter), self.memory, self.cancel)?
            }
        };
        Ok(SweepTables {
            sizes: tables.sizes(),
            left: Some(tables),
            shard: self.shard,
            ..SweepTables::default()
        })
    }

    /// Returns the tables of a two-sided sweep. `all` has the tables of the one-sided sweep with the left plan.
    fn two_sided_tables(
        self,
        mut all: Feasibility,
        (plan, right_space): RightSide,
        first_step: usize,
    ) -> Result<SweepTables, Cancelled> {
        let Self { left_space, shard, memory, cancel } = self;
        let rows = left_space.rows();
        let mut left = all.clone().until(plan.cut_step)?;
        let needs_right = first_step < right_space.step_count();
        if !needs_right && shard.is_none() {
            return Ok(SweepTables { sizes: left.sizes(), left: Some(left), ..SweepTables::default() });
        }
        let mut dry_run = LeftDryRun::new(left_space);
        dry_run.run_common(left_space, Some(&mut all), plan.common_steps, cancel)?;
        dry_run.run(left_space, Some(&mut all), plan.common_steps..plan.cut_step + 1, cancel)?;
        drop(all);
        let mut reached = self.reached_signatures(plan, &dry_run.state);
        dry_run.drop_last_layer();
        // First step of the tables of the right half, and in a shard also of the left half: a shard joins the tables
        // of both after the last common step.
        let first = plan.common_steps.saturating_sub(usize::from(shard.is_some()));
        if let Some(shard) = shard {
            let untouched = |slot| plan.untouched_steps_before_cut(slot);
            let filter =
                ShardFilter::with_block_weights(shard, left_space, plan.cut_step, untouched, &reached);
            reached = filter.restrict_to_shard(rows, &reached);
            let feasible = Arc::new(filter.restrict_to_shard(rows, &*left.table_after(plan.cut_step)?));
            let steps = first..plan.cut_step + 1;
            left = Feasibility::with_last_table(left_space, steps, feasible, None, memory, cancel)?;
        }
        let mut tables = SweepTables { sizes: left.sizes(), shard, ..SweepTables::default() };
        if !needs_right {
            tables.left = Some(left);
            return Ok(tables);
        }
        let last = Arc::new(plan.right_signatures(left_space, right_space, &reached));
        let steps = first..right_space.step_count();
        let mut right = Feasibility::with_last_table(right_space, steps, last, None, memory, cancel)?;
        tables.sizes = tables.sizes.with(right.sizes());
        tables.common = match plan.common_steps.checked_sub(1) {
            _ if first_step >= plan.common_steps => None,
            Some(last) if shard.is_none() => {
                tables.sizes = tables.sizes.with_shared_set();
                Some(left.clone().until(last)?)
            }
            Some(last) => {
                let of_left = left.table_after(last)?;
                let table = Arc::new(of_left.union(rows, &*right.table_after(last)?));
                let common =
                    Feasibility::with_last_table(left_space, 0..last + 1, table, None, memory, cancel)?;
                tables.sizes = tables.sizes.with(common.sizes());
                Some(common)
            }
            None => None,
        };
        (tables.left, tables.right) = (Some(left), Some(right));
        // The left half of a shard has other tables.
        tables.left_dry_run = Some(dry_run).filter(|_| shard.is_none());
        Ok(tables)
    }

    /// Returns the left signatures at the cut that are reached and feasible. `dry_run` is the state of a dry run after
    /// the left half.
    fn reached_signatures(&self, plan: &TwoSidedPlan, dry_run: &DryRun) -> SignatureTable {
        let (words, rows) = (self.left_space.words(), self.left_space.rows());
        let reached = SignatureTable::from_words(rows, |word_number| {
            let at = words.word_at(word_number);
            let entries = dry_run.chunks()[at.chunk].as_ref().map(|chunk| chunk.entries.as_slice());
            let entry = entries.and_then(|entries| entries.get(at.word));
            entry.map_or(0, |entry| entry.present_signatures())
        });
        // Feasibility tables need every signature that leads to the cut, not only the half that folding
        // keeps.
        let Some(image) = &self.left_space.plan().steps()[plan.cut_step].mirror_image else {
            return reached;
        };
        let fold = MirrorFold::new(words, image, None);
        SignatureTable::from_words(rows, |word_number| {
            let at = words.word_at(word_number);
            let image = words.number_of(fold.word_image(at).unwrap_or(at));
            reached.word(word_number) | fold.mirror_bits(reached.word(image))
        })
    }
}
