//! The build of an index of tours: its options, and the one-sided sweep that stores every layer.
//!
//! ```text
//! plan -> IndexEstimate, admission check -> layer -> StepExecution -> next layer
//!      -> packed, stored | LayerWriter -> manifest
//! ```
//!
//! The layers in a folder are sufficient to resume: after a kill, the build continues from the last
//! complete layer. A process that builds an index locks the folder before it reads the contents of
//! the folder. A process that only reads a complete index needs no lock.

use std::path::Path;
use std::sync::Arc;

use num_bigint::BigUint;

use super::error::IndexLayersError;
use super::index_estimate::{IndexEstimate, can_fold, plan_index};
use super::index_layers::{IndexLayer, IndexLayers, IndexLocation, LayerError, LayerWriter};
use super::manifest::{LayerFile, Manifest, check_no_foreign_files, lock_folder};
use crate::budget::Refusal;
use crate::control::{AllocatorHook, AllocatorRequest};
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::compiled_step::CompiledStep;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryBudget, MemoryPool, StepError};
use crate::frontier::layer::store::Store;
use crate::frontier::planning::cancel::{Cancel, Cancelled};
use crate::frontier::planning::plan::{Plan, folding_mirror};
use crate::frontier::planning::problem::{Cycles, SweepGraph, Tours};
use crate::frontier::ranks::error::Error;
use crate::frontier::signature::feasibility::Feasibility;
use crate::frontier::signature::space::{SignatureSpace, WordNumbering};
use crate::frontier::sweep::cost_model::BoardProfile;
use crate::frontier::sweep::prepared_sweep::known_count;
use crate::frontier::sweep::step_execution::StepExecution;
use crate::frontier::sweep::sweep_estimate::{fixed_bytes, reserve_bytes};
use crate::frontier::weights::matching_tables::MapTables;
use crate::frontier::weights::vector::Weights;

/// Options for building an index.
#[derive(Clone)]
pub struct BuildOptions<'a> {
    /// Description of the numbered tours. A folder whose index has another description is rejected.
    pub description: &'a str,
    /// Memory limit for layers and tables in bytes; `None` for no limit.
    pub memory: Option<u64>,
    /// Store for chunks that do not fit into memory during the build.
    pub store: Option<&'a dyn Store>,
    /// Function that sets options of the process's allocator when the sweep requests it.
    pub allocator: Option<AllocatorHook>,
    /// Signal that cancels the build.
    pub cancel: Cancel,
    /// Admission check, called with the estimate of the index before the first layer is made. It
    /// may reject the estimate.
    pub admission_check: Option<AdmissionCheck<'a>>,
}

/// Function that accepts the estimate of an index, or returns its refusal.
pub type AdmissionCheck<'a> = &'a (dyn Fn(&IndexEstimate) -> Result<(), Refusal> + Sync);

impl<'a> BuildOptions<'a> {
    /// Returns options without limits, for an index with the description `name`.
    #[must_use]
    pub fn new(name: &'a str) -> Self {
        Self {
            description: name,
            memory: None,
            store: None,
            allocator: None,
            cancel: Cancel::default(),
            admission_check: None,
        }
    }
}

/// Function called after every step. Its parameters are the number of finished steps, the number of
/// all steps, the number of states of the new layer, and the number of bytes of layers stored or
/// queued so far.
pub type BuildProgress<'a> = &'a mut dyn FnMut(usize, usize, u64, u64);

impl IndexLayers {
    /// Builds the layers of the index of a graph's tours. In a folder, resumes an incomplete build,
    /// or opens the layers of a complete index. Cost: the time of a one-sided sweep, and one to two
    /// bytes per stored weight.
    ///
    /// # Errors
    /// See [`IndexLayersError`].
    ///
    /// # Panics
    /// If a fixed end of the tours is not a vertex of the graph.
    pub fn build(
        sweep_graph: &SweepGraph,
        tours: Tours,
        location: &IndexLocation,
        options: &BuildOptions,
        progress: BuildProgress,
    ) -> Result<Self, IndexLayersError> {
        let cycles = Arc::new(Cycles::from_sweep_graph(sweep_graph, tours));
        let folder = match location {
            IndexLocation::Memory => None,
            IndexLocation::Folder(path) => Some(path.as_path()),
        };
        if let Some(count) = known_count(sweep_graph, tours) {
            return Ok(Self::from_known_count(cycles, count));
        }
        if cycles.has_factors() {
            return Err(Error::NegativeFactors.into());
        }
        if cycles.len() > usize::from(u16::MAX) {
            return Err(IndexLayersError::TooManySquares { squares: cycles.square_count() });
        }
        let mut found = folder.map(Manifest::read).transpose()?.flatten();
        let mut lock = None;
        if let Some(folder) = folder.filter(|_| !found.as_ref().is_some_and(Manifest::is_complete)) {
            if found.is_none() {
                check_no_foreign_files(folder)?;
            }
            lock = Some(lock_folder(folder)?);
            // The previous holder of the lock may have added layers.
            found = Manifest::read(folder)?;
        }
        let (plan, manifest) = match found {
            Some(manifest) => {
                let folder = folder.expect("a manifest is in a folder");
                (manifest_plan(&cycles, &manifest, options.description, folder)?, Some(manifest))
            }
            None => (plan_index(sweep_graph, &cycles, &options.cancel)?, None),
        };
        let fold = plan.steps().iter().any(|step| step.mirror_image.is_some());
        let order: Vec<usize> = plan.steps().iter().map(|step| step.vertex).collect();
        let mirror = match folding_mirror(&cycles, &order).filter(|_| fold) {
            Some(mirror) => mirror.to_vec(),
            None => (0..cycles.len()).collect(),
        };
        let plan = Arc::new(plan);
        let space =
            Arc::new(SignatureSpace::new(&plan).ok_or(IndexLayersError::Width { width: plan.slot_count() })?);
        // A resumed build was admitted before.
        if let Some(admission_check) = options.admission_check.filter(|_| manifest.is_none()) {
            let (memory, cancel, profile) =
                (options.memory, &options.cancel, BoardProfile::exact(sweep_graph));
            let estimate_under = |memory| {
                IndexEstimate::for_admission(&cycles, &space, memory, folder.is_none(), profile, cancel)
            };
            let estimate = estimate_under(memory);
            let admitted = admission_check(&estimate).or_else(|refusal| {
                // A memory limit that follows from a rough estimate may be too low for the dry run of the next
                // attempt.
                match refusal.recommended_memory().filter(|_| !estimate.sweep.is_exact) {
                    Some(memory) => admission_check(&estimate_under(Some(memory))),
                    None => Err(refusal),
                }
            });
            admitted.map_err(|refusal| IndexLayersError::Refused(Box::new(refusal)))?;
        }
        let name = format!("{:016x}", plan.digest());
        let manifest = manifest.unwrap_or_else(|| {
            Manifest::new(options.description, order, fold, name.clone(), plan.steps().len())
        });
        let mut index_layers = Self {
            cycles,
            tables: MapTables::new(plan.slot_count()),
            space: Some(space),
            mirror,
            layers: Vec::new(),
            total: BigUint::ZERO,
            max_weight_bits: 0,
            numbering: name,
        };
        index_layers.build_layers(folder, manifest, options, progress)?;
        drop(lock);
        Ok(index_layers)
    }

    /// Returns the index, without layers, of a graph whose number of tours is known without a
    /// sweep.
    fn from_known_count(cycles: Arc<Cycles>, count: u8) -> Self {
        let mirror = (0..cycles.len()).collect();
        let (tables, total) = (MapTables::new(0), count.into());
        Self {
            cycles,
            space: None,
            mirror,
            tables,
            layers: Vec::new(),
            total,
            max_weight_bits: 1,
            numbering: "-".into(),
        }
    }

    /// Opens the layers that exist and builds the missing layers.
    fn build_layers(
        &mut self,
        folder: Option<&Path>,
        mut manifest: Manifest,
        options: &BuildOptions,
        on_step: BuildProgress,
    ) -> Result<(), IndexLayersError> {
        let space = Arc::clone(self.space.as_ref().expect("the index has a sweep"));
        let (words, steps) = (space.words(), space.step_count());
        if self.open_layers(folder, &manifest, &space)? {
            return Ok(());
        }
        if let Some(grant) = options.allocator {
            grant(AllocatorRequest::KeepFreed);
        }
        let memory = options.memory;
        let limit = memory.unwrap_or(u64::MAX);
        let first = self.layers.len();
        let mut feasibility = Feasibility::new(&space, None, memory, &options.cancel)
            .map_err(|Cancelled| Error::Stopped { step: first, steps })?;
        let fixed = fixed_bytes(&space) + feasibility.sizes().max_bytes(memory);
        let available = limit.checked_sub(fixed + reserve_bytes(memory)).filter(|&available| available > 0);
        let available = available.ok_or(Error::Memory { step: 0, steps, limit })?;
        let below = memory.map(|memory| memory - reserve_bytes(Some(memory)));
        let pool = MemoryPool::new(available, options.store)
            .with_process_ceiling(below, options.allocator)
            .process_overhead(fixed);
        let failed = |failed: LayerError, t: usize| match failed {
            LayerError::Index(error) => error,
            LayerError::Step(StepError::Memory) => Error::Memory { step: t + 1, steps, limit }.into(),
            LayerError::Step(StepError::Store(what)) => {
                Error::Store { step: t + 1, steps, message: what }.into()
            }
        };
        let mut source = self.initial_layer(words, &pool).map_err(|error| failed(error, first))?;
        let (mut bits, waiting) = (vec![manifest.bits; first], MemoryBudget::default());
        std::thread::scope(|scope| {
            let writer = folder.map(|folder| LayerWriter::start(scope, folder, &space, &pool, &waiting));
            let mut swept = Ok(());
            for t in first..steps {
                let stopped = || IndexLayersError::from(Error::Stopped { step: t, steps });
                pool.trim_allocator(feasibility.missing_bytes(t..t + 1));
                let Ok(feasible) = feasibility.table_after(t) else {
                    swept = Err(stopped());
                    break;
                };
                let feasible = Some(feasible.as_ref());
                let compiled = CompiledStep::new_under(&space, &self.tables, feasible, t, &options.cancel);
                let Ok(compiled) = compiled else {
                    swept = Err(stopped());
                    break;
                };
                let target = LayerStore::new(words.chunk_count(), words.chunk_len());
                let advance = StepExecution::new(&compiled, &pool, None, &source, &target);
                let pause = || options.cancel.is_cancelled();
                match advance.run(&pause).map_err(|step_error| failed(LayerError::Step(step_error), t)) {
                    Ok(true) => {}
                    is_done => {
                        swept = is_done.and_then(|_| Err(stopped()));
                        break;
                    }
                }
                let tally = advance.tally();
                bits.push(bits.last().copied().unwrap_or(0).max(tally.bits));
                let write_result = match &writer {
                    None => IndexLayer::store_in_memory(t, &space, &target, &pool)
                        .map(|layer| self.layers.push(layer)),
                    Some(writer) => writer.write(t, &target),
                };
                swept = write_result.map_err(|error| failed(error, t));
                if let (Some(writer), Some(folder), Ok(())) = (&writer, folder, &swept) {
                    let mut written = writer.written();
                    swept =
                        written.try_for_each(|layer| self.add_layer(layer?, &bits, &mut manifest, folder));
                }
                if swept.is_err() {
                    break;
                }
                source = target;
                on_step(t + 1, steps, tally.states, self.bytes() + waiting.reserved_bytes());
            }
            // Complete layers remain valid even if the sweep failed. An error of the disk takes precedence.
            let finished = writer.zip(folder).map_or(Ok(()), |(writer, folder)| {
                writer.finish().try_for_each(|layer| self.add_layer(layer?, &bits, &mut manifest, folder))
            });
            finished.and(swept)
        })?;
        self.max_weight_bits = bits.last().copied().unwrap_or(0);
        self.total = self.last_weight()?;
        if let Some(folder) = folder {
            manifest.number = Some(self.total.to_string());
            manifest.write(folder)?;
        }
        Ok(())
    }

    /// Opens the layers that exist. Returns true if all layers exist.
    fn open_layers(
        &mut self,
        folder: Option<&Path>,
        manifest: &Manifest,
        space: &Arc<SignatureSpace>,
    ) -> Result<bool, IndexLayersError> {
        if let Some(folder) = folder {
            for (step, &stored) in manifest.layers.iter().enumerate() {
                self.layers.push(IndexLayer::open(step, folder, space, stored)?);
            }
        }
        self.max_weight_bits = manifest.bits;
        if self.layers.len() < space.step_count() {
            return Ok(false);
        }
        // The totals of the manifest must agree with the layers.
        self.total = self.last_weight()?;
        let is_sound = self.layers.len() == space.step_count()
            && manifest.number == Some(self.total.to_string())
            && u64::from(manifest.bits) >= self.total.bits();
        if is_sound { Ok(true) } else { Err(self.layers[space.step_count() - 1].damaged_error()) }
    }

    /// Returns the layer before the first missing step: the last layer that exists, or a layer with
    /// the initial state only.
    fn initial_layer(&self, words: &WordNumbering, pool: &MemoryPool) -> Result<LayerStore, LayerError> {
        if let Some(layer) = self.layers.last() {
            return layer.to_layer_store(words.chunk_len(), pool);
        }
        let chunk = Chunk::initial(words, Weights::W32(vec![1].into()));
        pool.reserve(chunk.bytes(), &[]).map_err(LayerError::Step)?.keep();
        let layer_store = LayerStore::new(words.chunk_count(), words.chunk_len());
        layer_store.insert(0, chunk);
        Ok(layer_store)
    }

    /// Adds a layer with a complete file to the index and to the manifest. `bits` gives, for each
    /// layer, the number of bits of the greatest weight up to that layer.
    fn add_layer(
        &mut self,
        (layer, stored): (IndexLayer, LayerFile),
        bits: &[u32],
        manifest: &mut Manifest,
        folder: &Path,
    ) -> Result<(), IndexLayersError> {
        manifest.bits = bits[self.layers.len()];
        manifest.layers.push(stored);
        self.layers.push(layer);
        manifest.write(folder)
    }

    /// Returns the weight of the last state, which is the number of tours.
    fn last_weight(&self) -> Result<BigUint, IndexLayersError> {
        let layer = self.layers.last().expect("there is at least one layer");
        let Some(chunk) = layer.chunk(0)? else { return Ok(BigUint::ZERO) };
        let entry = chunk.entry(0);
        if entry.present_signatures() & 1 == 0 {
            return Ok(BigUint::ZERO);
        }
        chunk.weight(entry.block_offset(0, 0)).map_err(|_| layer.damaged_error())
    }
}

/// Returns the plan that a manifest describes. Checks that the index is of the tours `name`, and
/// that the plan still defines the same numbers of tours.
fn manifest_plan(
    cycles: &Cycles,
    manifest: &Manifest,
    name: &str,
    folder: &Path,
) -> Result<Plan, IndexLayersError> {
    let other = |what: String| IndexLayersError::ForeignFolder { path: folder.to_owned(), what };
    if manifest.tours != name {
        return Err(IndexLayersError::OtherTours {
            path: folder.to_owned(),
            found: manifest.tours.clone(),
            wanted: name.to_owned(),
        });
    }
    let mut sorted = manifest.order.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..cycles.len())
        || cycles.apex().is_some() && manifest.order.last() != cycles.apex().as_ref()
    {
        return Err(other("an index with an invalid vertex order".into()));
    }
    let plan = Plan::new(cycles, &manifest.order, manifest.fold);
    if format!("{:016x}", plan.digest()) != manifest.plan || manifest.fold && !can_fold(cycles) {
        return Err(other("an index with another numbering of the tours".into()));
    }
    Ok(plan)
}
