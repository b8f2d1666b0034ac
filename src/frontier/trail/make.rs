//! Building the layers of an index: a one-sided sweep that stores every layer.
//!
//! ```text
//! plan -> IndexEstimate, admission check -> layer -> StepExecution -> next layer
//!      -> packed, stored | LayerWriter -> manifest
//! ```
//!
//! The layers in a folder are sufficient to resume: after a kill, the build continues from the last complete
//! one. A process that builds locks the folder before it reads its contents; a process that only reads a
//! complete index needs no lock.

use std::path::Path;
use std::sync::Arc;

use num_bigint::BigUint;

use crate::control::{Allocator, Wish};
use crate::frontier::block::tables::Tables;
use crate::frontier::block::weights::Weights;
use crate::frontier::layer::account::Account;
use crate::frontier::layer::chunk::Chunk;
use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::store::Store;
use crate::frontier::layer::stride::Stride;
use crate::frontier::problem::cancel::Cancel;
use crate::frontier::problem::cycles::{Cycles, Tours};
use crate::frontier::problem::field::Field;
use crate::frontier::problem::plan::{Plan, mirror};
use crate::frontier::ranks::error::Error;
use crate::frontier::run::advance::{Advance, Progress};
use crate::frontier::run::choice::known;
use crate::frontier::run::estimate::{fixed_bytes, reserve};
use crate::frontier::state::course::Course;
use crate::frontier::state::feasibility::Feasibility;
use crate::frontier::state::words::Words;
use crate::frontier::trail::demand::Demand;
use crate::frontier::trail::error::TrailError;
use crate::frontier::trail::layer::{Failed, Layer};
use crate::frontier::trail::manifest::{Manifest, Stored, check_own, taken};
use crate::frontier::trail::planned::{may_fold, planned};
use crate::frontier::trail::trails::{Place, Trails};
use crate::frontier::trail::writer::Writer;

/// Options for building an index.
#[derive(Clone)]
pub struct Making<'a> {
    /// A description of the tours that are numbered; a folder with another description is rejected.
    pub name: &'a str,
    /// Memory ceiling for layers and tables in bytes.
    pub memory: Option<u64>,
    /// The store for chunks that do not fit into memory during the build.
    pub store: Option<&'a dyn Store>,
    /// Sets options of the process's allocator as the sweep requests.
    pub allocator: Option<Allocator>,
    /// Cancels the build.
    pub cancel: Cancel,
    /// The admission check: receives the estimate before the first layer is made and may reject it.
    pub agree: Option<Agree<'a>>,
}

/// A function that accepts an estimate or returns the reason to reject it.
pub type Agree<'a> = &'a (dyn Fn(&Demand) -> Result<(), String> + Sync);

impl<'a> Making<'a> {
    /// Returns options without limits.
    #[must_use]
    pub fn new(name: &'a str) -> Self {
        Self { name, memory: None, store: None, allocator: None, cancel: Cancel::default(), agree: None }
    }
}

/// A function called after every step with the steps done, the steps in all, the states of the layer, and the
/// bytes stored so far.
pub type Told<'a> = &'a mut dyn FnMut(usize, usize, u64, u64);

impl Trails {
    /// Builds the layers of a graph's tours, or resumes those of a folder, or opens them if they are
    /// complete. Cost: that of a one-sided sweep, and one to two bytes per weight stored.
    ///
    /// # Errors
    /// See [`IndexLayersError`].
    ///
    /// # Panics
    /// If a fixed end is not a vertex of the graph.
    pub fn make(
        field: &Field,
        tours: Tours,
        place: &Place,
        making: &Making,
        told: Told,
    ) -> Result<Self, TrailError> {
        let cycles = Arc::new(Cycles::of(field, tours));
        let folder = match place {
            Place::Memory => None,
            Place::Folder(path) => Some(path.as_path()),
        };
        if let Some(count) = known(field, tours) {
            return Ok(Self::known(cycles, count));
        }
        if cycles.has_factors() {
            return Err(Error::Factors.into());
        }
        if cycles.len() > usize::from(u16::MAX) {
            return Err(TrailError::Large { squares: cycles.squares() });
        }
        let mut found = folder.map(Manifest::read).transpose()?.flatten();
        let mut lock = None;
        if let Some(folder) = folder.filter(|_| !found.as_ref().is_some_and(Manifest::is_whole)) {
            if found.is_none() {
                check_own(folder)?;
            }
            lock = Some(taken(folder)?);
            // The previous holder of the lock may have added layers.
            found = Manifest::read(folder)?;
        }
        let (plan, manifest) = match found {
            Some(manifest) => {
                let folder = folder.expect("a manifest is in a folder");
                (check(&cycles, &manifest, making.name, folder)?, Some(manifest))
            }
            None => (planned(field, &cycles, &making.cancel)?, None),
        };
        let fold = plan.steps().iter().any(|step| step.mirror.is_some());
        let order: Vec<usize> = plan.steps().iter().map(|step| step.vertex).collect();
        let mirror = match mirror(&cycles, &order).filter(|_| fold) {
            Some(mirror) => mirror.to_vec(),
            None => (0..cycles.len()).collect(),
        };
        let plan = Arc::new(plan);
        let course = Arc::new(Course::new(&plan).ok_or(TrailError::Width { width: plan.slots() })?);
        // A resumed build was admitted before.
        if let Some(agree) = making.agree.filter(|_| manifest.is_none()) {
            let (memory, cancel, is_familiar) = (making.memory, &making.cancel, field.is_familiar());
            let demand = Demand::of_course(&cycles, &course, memory, folder.is_none(), is_familiar, cancel);
            agree(&demand).map_err(TrailError::Refused)?;
        }
        let name = format!("{:016x}", plan.digest());
        let manifest = manifest
            .unwrap_or_else(|| Manifest::new(making.name, order, fold, name.clone(), plan.steps().len()));
        let mut trails = Self {
            cycles,
            tables: Tables::new(plan.slots()),
            course: Some(course),
            mirror,
            layers: Vec::new(),
            total: BigUint::ZERO,
            bits: 0,
            plan: name,
        };
        trails.fill(folder, manifest, making, told)?;
        drop(lock);
        Ok(trails)
    }

    /// Returns the index of a graph whose number of tours is known without a sweep.
    fn known(cycles: Arc<Cycles>, count: u8) -> Self {
        let mirror = (0..cycles.len()).collect();
        let (tables, total) = (Tables::new(0), count.into());
        Self { cycles, course: None, mirror, tables, layers: Vec::new(), total, bits: 1, plan: "-".into() }
    }

    /// Opens the layers that exist and builds the others.
    fn fill(
        &mut self,
        folder: Option<&Path>,
        mut manifest: Manifest,
        making: &Making,
        told: Told,
    ) -> Result<(), TrailError> {
        let course = Arc::clone(self.course.as_ref().expect("the index has a sweep"));
        let (words, steps) = (course.words(), course.len());
        if self.opened(folder, &manifest, &course)? {
            return Ok(());
        }
        if let Some(grant) = making.allocator {
            grant(Wish::Keep);
        }
        let memory = making.memory;
        let (limit, fixed) = (memory.unwrap_or(u64::MAX), fixed_bytes(&course, true, memory));
        let room = limit.checked_sub(fixed + reserve(memory)).filter(|&room| room > 0);
        let room = room.ok_or(Error::Memory { step: 0, steps, limit })?;
        let below = memory.map(|memory| memory - reserve(Some(memory)));
        let keeper = Keeper::new(room, making.store).below(below, making.allocator).beside(fixed);
        let mut feasibility = Feasibility::new(&course, None, memory, &making.cancel);
        let failed = |failed: Failed, t: usize| match failed {
            Failed::Trail(error) => error,
            Failed::Halt(Halt::Memory) => Error::Memory { step: t + 1, steps, limit }.into(),
            Failed::Halt(Halt::Store(what)) => Error::Store { step: t + 1, steps, what }.into(),
        };
        let first = self.layers.len();
        let source = self.source(words, &keeper).map_err(|error| failed(error, first))?;
        let mut progress = Progress::new(source, words);
        let (mut bits, waiting) = (vec![manifest.bits; first], Account::default());
        std::thread::scope(|scope| {
            let writer = folder.map(|folder| Writer::start(scope, folder, &keeper, &waiting));
            let mut swept = Ok(());
            for t in first..steps {
                let stopped = || TrailError::from(Error::Stopped { step: t, steps });
                keeper.give_back(feasibility.lacks(t));
                let feasible = feasibility.after(t);
                if making.cancel.is_cancelled() {
                    swept = Err(stopped());
                    break;
                }
                let stride = Stride::new(&course, &self.tables, Some(&feasible), t);
                let advance = Advance::new(&stride, &keeper, None, None, progress);
                let pause = || making.cancel.is_cancelled();
                match advance.run(&pause).map_err(|halt| failed(Failed::Halt(halt), t)) {
                    Ok(true) => {}
                    is_done => {
                        swept = is_done.and_then(|_| Err(stopped()));
                        break;
                    }
                }
                let (shelf, tally) = advance.into_target();
                bits.push(bits.last().copied().unwrap_or(0).max(tally.bits));
                let kept = match &writer {
                    None => Layer::keep(t, &shelf, &keeper).map(|layer| self.layers.push(layer)),
                    Some(writer) => writer.write(t, &shelf),
                };
                swept = kept.map_err(|error| failed(error, t));
                if let (Some(writer), Some(folder), Ok(())) = (&writer, folder, &swept) {
                    let mut written = writer.written();
                    swept = written.try_for_each(|layer| self.put(layer?, &bits, &mut manifest, folder));
                }
                if swept.is_err() {
                    break;
                }
                progress = Progress::new(shelf, words);
                told(t + 1, steps, tally.states, self.bytes() + waiting.held());
            }
            // Complete layers remain valid even if the sweep failed. An error of the disk takes precedence.
            let rest = writer.zip(folder).map_or(Ok(()), |(writer, folder)| {
                writer.finish().try_for_each(|layer| self.put(layer?, &bits, &mut manifest, folder))
            });
            rest.and(swept)
        })?;
        self.bits = bits.last().copied().unwrap_or(0);
        self.total = self.last()?;
        if let Some(folder) = folder {
            manifest.number = Some(self.total.to_string());
            manifest.write(folder)?;
        }
        Ok(())
    }

    /// Opens the layers that exist; returns true if they are all.
    fn opened(
        &mut self,
        folder: Option<&Path>,
        manifest: &Manifest,
        course: &Course,
    ) -> Result<bool, TrailError> {
        if let Some(folder) = folder {
            for (step, &stored) in manifest.layers.iter().enumerate() {
                self.layers.push(Layer::open(step, folder, course.words().chunks(), stored)?);
            }
        }
        self.bits = manifest.bits;
        if self.layers.len() < course.len() {
            return Ok(false);
        }
        // The totals of the manifest must agree with the layers.
        self.total = self.last()?;
        let is_sound = self.layers.len() == course.len()
            && manifest.number == Some(self.total.to_string())
            && u64::from(manifest.bits) >= self.total.bits();
        if is_sound { Ok(true) } else { Err(self.layers[course.len() - 1].damaged()) }
    }

    /// Returns the source layer of the first missing step: the last layer that exists, or the initial state.
    fn source(&self, words: &Words, keeper: &Keeper) -> Result<Shelf, Failed> {
        if let Some(layer) = self.layers.last() {
            return layer.shelf(words.chunk_len(), keeper);
        }
        let chunk = Chunk::first(words, Weights::W32(vec![1].into()));
        keeper.room(chunk.bytes(), &|| Ok(false)).map_err(Failed::Halt)?;
        let shelf = Shelf::new(words.chunks(), words.chunk_len());
        shelf.put(0, chunk);
        Ok(shelf)
    }

    /// Adds a layer whose file is in place to the manifest; `bits` are the bits of the greatest weight up to
    /// each layer.
    fn put(
        &mut self,
        (layer, stored): (Layer, Stored),
        bits: &[u32],
        manifest: &mut Manifest,
        folder: &Path,
    ) -> Result<(), TrailError> {
        manifest.bits = bits[self.layers.len()];
        manifest.layers.push(stored);
        self.layers.push(layer);
        manifest.write(folder)
    }

    /// Returns the weight of the last state, which is the number of tours.
    fn last(&self) -> Result<BigUint, TrailError> {
        let layer = self.layers.last().expect("there is at least one layer");
        let Some(chunk) = layer.chunk(0)? else { return Ok(BigUint::ZERO) };
        let entry = chunk.entry(0);
        if entry.present() & 1 == 0 {
            return Ok(BigUint::ZERO);
        }
        chunk.weight(entry.place(0, 0)).map_err(|_| layer.damaged())
    }
}

/// Returns the plan of a manifest, if it defines the same numbers as when it was written.
fn check(cycles: &Cycles, manifest: &Manifest, name: &str, folder: &Path) -> Result<Plan, TrailError> {
    let other = |what: String| TrailError::Other { path: folder.to_owned(), what };
    if manifest.tours != name {
        return Err(other(format!("an index of other tours: {}, not {name}", manifest.tours)));
    }
    let mut sorted = manifest.order.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..cycles.len())
        || cycles.apex().is_some() && manifest.order.last() != cycles.apex().as_ref()
    {
        return Err(other("an index with an invalid vertex order".into()));
    }
    let plan = Plan::new(cycles, &manifest.order, manifest.fold);
    if format!("{:016x}", plan.digest()) != manifest.plan || manifest.fold && !may_fold(cycles) {
        return Err(other("an index with another numbering of the tours".into()));
    }
    Ok(plan)
}
