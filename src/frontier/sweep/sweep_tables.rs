//! The feasibility tables of all phases of a sweep.
//!
//! Every phase but the join has its own set of tables. A two-sided sweep has up to three:
//!
//! ```text
//! left set:   signatures that lead to the signatures at the cut; in a shard, to those of its classes
//! right set:  signatures that lead to right signatures at the cut that match reached left signatures
//! common set: signatures that lead to either; without a shard, by symmetry, those of the left set
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use super::dry_run::{DryRun, LayerSize};
use super::two_sided::{TwoSidedPlan, sweep_phases};
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::planning::phase::{Phase, PhaseKind};
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
    /// The sets of tables of the phases.
    sets: BTreeMap<PhaseKind, Feasibility>,
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
    /// The signatures after the common phase, if there is one: from these the right half starts.
    after_common: Option<DryRun>,
    /// The sizes of the layers.
    layers: Vec<LayerSize>,
}

impl LeftDryRun {
    /// Creates the dry run before its first step.
    #[must_use]
    pub fn new(space: &SignatureSpace) -> Self {
        Self { state: DryRun::new(space.words()), after_common: None, layers: Vec::new() }
    }

    /// Runs the steps of a phase, the next of those with steps of the left plan.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    pub fn run(
        &mut self,
        space: &SignatureSpace,
        tables: &mut Feasibility,
        phase: &Phase,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        self.state.run(space, tables, phase.plan_steps.clone(), cancel, |size| self.layers.push(size))?;
        if phase.kind == PhaseKind::Common {
            self.after_common = Some(self.state.clone());
        }
        Ok(())
    }

    /// Returns the signatures after the common phase, if there is one, and the sizes of the layers, and drops the last
    /// signatures.
    #[must_use]
    pub fn into_right_start(self) -> (Option<DryRun>, Vec<LayerSize>) {
        (self.after_common, self.layers)
    }

    /// Drops the last signatures. No further steps can be run.
    fn drop_last_layer(&mut self, space: &SignatureSpace) {
        self.state = DryRun::new(space.words());
    }
}

impl SweepTables {
    /// Computes the tables of a sweep, or of one shard of it. The sweep is two-sided if `right_side` is given.
    /// `memory` is the memory limit of the sweep in bytes. Leaves out the sets that are used only before step
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
        let phases = sweep_phases(left_space.step_count(), right_side.map(|(plan, _)| plan));
        let has_tables = |phase: &&Phase| phase.kind != PhaseKind::Join && phase.steps.end > first_step;
        let needed: Vec<PhaseKind> = phases.iter().filter(has_tables).map(|phase| phase.kind).collect();
        if needed.is_empty() {
            return Ok(Self { shard, ..Self::default() });
        }
        let all = Feasibility::new(left_space, None, memory, cancel)?;
        let builder = TableBuilder { left_space, shard, memory, cancel };
        match right_side {
            Some(right_side) => builder.two_sided_tables(all, right_side, &phases, &needed),
            None => builder.one_sided_tables(all),
        }
    }

    /// Takes the tables of a phase out.
    #[must_use]
    pub fn take(&mut self, phase: PhaseKind) -> Option<Feasibility> {
        self.sets.remove(&phase)
    }

    /// Returns the tables of a phase.
    ///
    /// # Panics
    /// If the tables of the phase were taken out, or left out because the phase is over.
    pub fn get_mut(&mut self, phase: PhaseKind) -> &mut Feasibility {
        self.sets.get_mut(&phase).expect("the phase has tables")
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
        let has_set = |phase: &Phase| {
            let space = match (phase.kind, right_side) {
                (PhaseKind::Join, _) => return true,
                (PhaseKind::Right, Some((_, right_space))) => right_space,
                _ => left_space,
            };
            self.sets.get(&phase.kind).is_some_and(|tables| tables.belongs_to(space))
        };
        let phases = sweep_phases(left_space.step_count(), right_side.map(|(plan, _)| plan));
        self.shard == shard && phases.iter().all(has_set)
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
            sets: [(PhaseKind::Whole, tables)].into(),
            shard: self.shard,
            ..SweepTables::default()
        })
    }

    /// Returns the tables of the phases `needed` of a two-sided sweep. `all` has the tables of the one-sided sweep with
    /// the left plan.
    fn two_sided_tables(
        self,
        mut all: Feasibility,
        (plan, right_space): RightSide,
        phases: &[Phase],
        needed: &[PhaseKind],
    ) -> Result<SweepTables, Cancelled> {
        let Self { left_space, shard, memory, cancel } = self;
        let rows = left_space.rows();
        let mut left = all.clone().until(plan.cut_step)?;
        let mut tables = SweepTables { shard, ..SweepTables::default() };
        let needs_right = needed.contains(&PhaseKind::Right);
        if !needs_right && shard.is_none() {
            tables.sizes = left.sizes();
            tables.sets.insert(PhaseKind::Left, left);
            return Ok(tables);
        }
        let mut dry_run = LeftDryRun::new(left_space);
        for phase in phases.iter().filter(|phase| phase.kind.is_of_left_plan()) {
            dry_run.run(left_space, &mut all, phase, cancel)?;
        }
        drop(all);
        let mut reached = self.reached_signatures(plan, &dry_run.state);
        dry_run.drop_last_layer(left_space);
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
        tables.sizes = left.sizes();
        if !needs_right {
            tables.sets.insert(PhaseKind::Left, left);
            return Ok(tables);
        }
        let last = Arc::new(plan.right_signatures(left_space, right_space, &reached));
        let steps = first..right_space.step_count();
        let mut right = Feasibility::with_last_table(right_space, steps, last, None, memory, cancel)?;
        tables.sizes = tables.sizes.with(right.sizes());
        if needed.contains(&PhaseKind::Common) {
            let last = plan.common_steps - 1;
            let common = if shard.is_none() {
                tables.sizes = tables.sizes.with_shared_set();
                left.clone().until(last)?
            } else {
                let of_left = left.table_after(last)?;
                let table = Arc::new(of_left.union(rows, &*right.table_after(last)?));
                let common =
                    Feasibility::with_last_table(left_space, 0..last + 1, table, None, memory, cancel)?;
                tables.sizes = tables.sizes.with(common.sizes());
                common
            };
            tables.sets.insert(PhaseKind::Common, common);
        }
        tables.sets.extend([(PhaseKind::Left, left), (PhaseKind::Right, right)]);
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
