//! The number of tours that a symmetry maps to themselves.
//!
//! ```text
//! board, symmetry -> Quotient -> Walks -> sweep or search -> number
//!                 -> CyclicLift -> search                 -> number
//! ```
//!
//! Closed tours are counted by the effect of the symmetry on their direction. Open tours are the paths that
//! are not re-entrant. A re-entrant path that the symmetry reverses is a closed tour of reversed direction
//! without one of the moves that are mapped to themselves.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use num_bigint::{BigInt, BigUint};

use super::super::job_spec::{Choice, JobSpec, Task};
use crate::board::{Board, Element, Graph, LeaperBoard, PermutationCycles, SymmetryGroup};
use crate::control::Control;
use crate::count::theorems::TheoremViolation;
use crate::count::{CountError, Engine};
use crate::frontier::Estimate;
use crate::search::bitboard_graph::MAX_SQUARES;
use crate::search::multipath_plan::MultipathPlan;
use crate::search::problem::ProblemError;
use crate::search::tree_size_estimate;
use crate::tour::{Action, Kind, SymmetryForm, TourSpec};

use super::cyclic_lift::CyclicLift;
use super::named_symmetry::NamedSymmetry;
use super::quotient::{Quotient, Walks, reversed_move_count};
use super::quotient_walks::SweepEstimator;
use super::saved_parts::CountPart;
use super::{brute_force, quotient_walks};

/// Maximum estimated number of nodes of a search that replaces a sweep because it is as fast as any
/// sweep.
const MAX_QUICK_SEARCH_NODES: f64 = 2e6;

/// Maximum estimated number of nodes of a search that checks the count of a sweep; such a search
/// takes some seconds.
const MAX_CHECK_SEARCH_NODES: f64 = 3e7;

/// Bits that stand for the engines that have counted.
const SEARCH_BIT: u8 = 1;
const SWEEP_BIT: u8 = 2;

/// The tours of a board whose symmetries matter, and the options for counting them. Cloning is cheap: clones
/// share the board and the record of engines.
#[derive(Clone, Debug)]
pub struct SymmetricContext {
    tours: TourSpec,
    /// Sides of the board if it is a knight's board without removed squares. The theorems about
    /// symmetric tours hold for such boards.
    pub(super) knight_sides: Option<(u16, u16)>,
    engine: Engine,
    memory_limit: Option<u64>,
    /// Number of bits of the primes for sweeps modulo primes; `None` for exact sweeps.
    prime_bits: Option<u32>,
    /// True for a second count, which uses the engine that the first count did not use.
    is_second_count: bool,
    /// True if tours may be enumerated without a limit on their number.
    allows_any_number: bool,
    /// Bits of the engines that have counted so far.
    engines_used: Arc<AtomicU8>,
}

impl SymmetricContext {
    /// Creates a context for counting the symmetric ones of `tours`. `engine` is multipath, frontier or
    /// automatic; `memory` is the memory limit of a sweep in bytes.
    ///
    /// # Errors
    /// [`CountError::Conflict`] if the tours have a fixed start or end.
    pub fn new(tours: TourSpec, engine: Engine, memory: Option<u64>) -> Result<Self, CountError> {
        JobSpec::new(Task::Count)
            .with(Choice::Symmetry, true)
            .with(Choice::Start, tours.start().is_some())
            .with(Choice::End, tours.end().is_some())
            .validate()?;
        Ok(Self {
            knight_sides: tours.board().leaper_board().and_then(LeaperBoard::full_knight_size),
            engine,
            memory_limit: memory,
            prime_bits: None,
            is_second_count: false,
            allows_any_number: false,
            engines_used: Arc::default(),
            tours,
        })
    }

    /// Creates a context for lists of the symmetric tours of a board.
    ///
    /// # Errors
    /// The symmetries of the board have no names, or are not known.
    pub fn for_lists(board: &Board, kind: Kind) -> Result<Self, CountError> {
        let context = Self::new(TourSpec::all(board.clone(), kind), Engine::Multipath, None)?;
        context.require_names()?;
        Ok(context)
    }

    /// Returns a context for the tours of another kind of the same board, with the same options. Both contexts
    /// record the engines together.
    #[must_use]
    pub fn for_kind(&self, kind: Kind) -> Self {
        Self { tours: TourSpec::all(self.board().clone(), kind), ..self.clone() }
    }

    /// Sets the number of bits of the primes for sweeps, 16 or 32; the sweeps use as many primes as
    /// necessary. `None` sets exact sweeps.
    #[must_use]
    pub fn with_prime_bits(self, residues: Option<u32>) -> Self {
        Self { prime_bits: residues, ..self }
    }

    /// Sets whether tours may be enumerated without a limit on their number.
    #[must_use]
    pub fn with_force(self, forced: bool) -> Self {
        Self { allows_any_number: forced, ..self }
    }

    /// Returns the engine that the caller chose.
    pub(super) const fn engine(&self) -> Engine {
        self.engine
    }

    /// Returns true if tours may be enumerated without a limit on their number.
    #[must_use]
    pub(super) const fn is_forced(&self) -> bool {
        self.allows_any_number
    }

    /// Returns a context for a second count by the other engine: sweeps replace searches, and short
    /// searches replace sweeps. A sweep that only a long search could replace fails with
    /// [`CountError::NoSecondMethod`].
    #[must_use]
    pub fn for_second_count(&self) -> Self {
        Self { is_second_count: true, engines_used: Arc::default(), ..self.clone() }
    }

    /// Returns the names of the engines that have counted so far.
    #[must_use]
    pub fn engine_names(&self) -> &'static str {
        match self.engines_used.load(Ordering::Relaxed) {
            0 => "none",
            SEARCH_BIT => Engine::Multipath.name(),
            SWEEP_BIT => Engine::Frontier.name(),
            _ => "multipath+frontier",
        }
    }

    /// Returns the indices of the group's elements that the symmetry `named` stands for. Each index
    /// comes with the effect that the element must have on the direction of a tour.
    #[must_use]
    pub fn actions_of(&self, named: NamedSymmetry) -> Vec<(usize, Action)> {
        let actions = (1..self.group().order()).flat_map(|g| Action::ALL.map(|action| (g, action)));
        let elements = self.group().elements();
        actions
            .filter(|&(g, action)| elements[g].names.iter().any(|&symmetry| named.matches(symmetry, action)))
            .collect()
    }

    /// Returns true if the tours may have this symmetry; false if fixed squares, fixed moves
    /// or colours exclude every such tour.
    #[must_use]
    pub fn is_possible(&self, named: NamedSymmetry) -> bool {
        let walks = |quotient: &Quotient, action: Action| match (self.kind(), action) {
            (Kind::Closed, _) => Walks::for_closed_tours(self.graph(), quotient, action),
            (_, Action::Preserves) => Walks::None,
            (_, Action::Reverses) => Walks::for_paths(quotient),
        };
        self.actions_of(named).into_iter().any(|(g, action)| {
            self.graph().len() <= brute_force::MAX_BRUTE_FORCE_SQUARES
                || walks(&Quotient::new(self.graph(), &self.group().elements()[g].image), action)
                    != Walks::None
        })
    }

    /// Returns true if, for each symmetry, the tours that it fixes can be counted as
    /// walks of its quotient.
    #[must_use]
    pub(super) fn can_count_by_quotients(&self) -> bool {
        let is_countable = |element: &Element| {
            quotient_applies(&element.image, self.kind()).is_some() || self.new_lift(element).is_searchable()
        };
        let is_tiny = self.graph().len() <= brute_force::MAX_BRUTE_FORCE_SQUARES;
        // Quotients ignore required moves, and closing moves that are forbidden.
        if self.board().is_restricted() {
            return self.group().order() == 1;
        }
        is_tiny || self.group().elements()[1..].iter().all(is_countable)
    }

    /// Checks that the symmetries of the board have names. Symmetries of boxes and graphs have
    /// none. On a wrapped board, translations have none, but the symmetries that the plain board
    /// also has are named.
    ///
    /// # Errors
    /// [`CountError::UnnamedSymmetries`], the symmetries are unknown, or the board has required or forbidden moves.
    pub fn require_names(&self) -> Result<(), CountError> {
        self.require_symmetries()?;
        JobSpec::new(Task::Count).with(Choice::Symmetry, true).with_ends(&self.tours).validate()?;
        if self.group().elements()[0].names.is_empty() {
            return Err(CountError::unnamed_symmetries(self.board()));
        }
        Ok(())
    }

    /// Returns the indices of the group's elements that have names. They form a group of at most 8
    /// elements.
    pub(super) fn named_elements(&self) -> Vec<usize> {
        let elements = self.group().elements();
        // The symmetries that preserve restrictions need not be all that have these names.
        let has_name = |g: usize| !elements[g].names.is_empty() && (g == 0 || !self.board().is_restricted());
        (0..elements.len()).filter(|&g| has_name(g)).collect()
    }

    /// Checks that the symmetries of the board are known. Without them distinct tours are
    /// undefined.
    pub(super) fn require_symmetries(&self) -> Result<(), CountError> {
        if self.board().has_known_symmetries() { Ok(()) } else { Err(ProblemError::UnknownSymmetries.into()) }
    }

    /// Records that a search enumerates tours for this count.
    ///
    /// # Errors
    /// [`CountError::OnlyByEnumeration`] if this is a second count.
    pub(super) fn begin_enumeration(&self) -> Result<(), CountError> {
        if self.is_second_count {
            return Err(CountError::OnlyByEnumeration);
        }
        self.engines_used.fetch_or(SEARCH_BIT, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the board.
    #[must_use]
    pub const fn board(&self) -> &Board {
        self.tours.board()
    }

    /// Returns the tours whose symmetries matter.
    pub(super) const fn tours(&self) -> &TourSpec {
        &self.tours
    }

    /// Returns the kind of the tours.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.tours.kind()
    }

    /// Returns the graph of moves.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.board().graph()
    }

    /// Returns the board's symmetries.
    #[must_use]
    pub fn group(&self) -> &SymmetryGroup {
        self.board().symmetries()
    }

    /// Counts the tours that `element` maps to themselves with this effect on their
    /// direction. The element must not be the identity. `part` saves the count, if it is saved.
    ///
    /// # Errors
    /// A search or sweep failed or was stopped.
    pub(super) fn count_fixed(
        &self,
        element: &Element,
        action: Action,
        part: &CountPart<'_>,
    ) -> Result<BigUint, CountError> {
        if self.graph().len() <= brute_force::MAX_BRUTE_FORCE_SQUARES {
            return Ok(self
                .brute_force_tours()
                .iter()
                .filter(|tour| self.is_fixed(tour, element, action))
                .count()
                .into());
        }
        match quotient_applies(&element.image, self.kind()) {
            Some(false) => return Ok(BigUint::ZERO),
            None if action == Action::Reverses => return Ok(BigUint::ZERO),
            None => return self.count_lift(&self.new_lift(element), &part.subpart("lift")),
            Some(true) => {}
        }
        let quotient = Quotient::new(self.graph(), &element.image);
        let closed = || {
            let walks = Walks::for_closed_tours(self.graph(), &quotient, action);
            self.count_walks(&quotient, &walks, &part.subpart("closed"))
        };
        let paths = || self.count_walks(&quotient, &Walks::for_paths(&quotient), &part.subpart("paths"));
        match (self.kind(), action) {
            (Kind::Closed, _) => closed(),
            (_, Action::Preserves) => Ok(BigUint::ZERO),
            (Kind::Paths, _) => paths(),
            (Kind::Open, _) => {
                let paths = paths()?;
                let re_entrant = if paths == BigUint::ZERO {
                    paths.clone()
                } else {
                    closed()? * reversed_move_count(&quotient)
                };
                if re_entrant > paths {
                    return Err(TheoremViolation::new(format!(
                        "{re_entrant} re-entrant paths among {paths} paths"
                    ))
                    .into());
                }
                Ok(paths - re_entrant)
            }
        }
    }

    /// Returns the estimated core seconds of the search for the closed tours that `element`
    /// rotates; zero if these tours are counted by another method.
    ///
    /// # Errors
    /// The search is impossible.
    pub(super) fn rotation_seconds(&self, element: &Element) -> Result<f64, CountError> {
        if self.graph().len() <= brute_force::MAX_BRUTE_FORCE_SQUARES
            || quotient_applies(&element.image, self.kind()).is_some()
        {
            return Ok(0.0);
        }
        self.new_lift(element).search_seconds()
    }

    /// Returns the estimates by `estimate` of the sweeps that count the tours fixed by `element` with this
    /// action. The list is empty if the tours are counted without sweeps. Cost: at most a second
    /// for each sweep, and that of `estimate`.
    ///
    /// # Errors
    /// A sweep cannot be planned, or the control was cancelled.
    pub(super) fn estimate_sweeps(
        &self,
        element: &Element,
        action: Action,
        estimate: SweepEstimator,
        control: &Control,
    ) -> Result<Vec<Estimate>, CountError> {
        if self.graph().len() <= brute_force::MAX_BRUTE_FORCE_SQUARES
            || quotient_applies(&element.image, self.kind()) != Some(true)
        {
            return Ok(Vec::new());
        }
        let quotient = Quotient::new(self.graph(), &element.image);
        let closed = || Walks::for_closed_tours(self.graph(), &quotient, action);
        let walks = match (self.kind(), action) {
            (Kind::Closed, _) => vec![closed()],
            (_, Action::Preserves) => Vec::new(),
            (Kind::Paths, _) => vec![Walks::for_paths(&quotient)],
            (Kind::Open, _) => vec![Walks::for_paths(&quotient), closed()],
        };
        let mut sweeps = Vec::new();
        for walks in
            walks.iter().filter(|walks| **walks != Walks::None && !self.prefers_search(&quotient, walks))
        {
            sweeps.extend(quotient_walks::estimate_sweeps(
                &quotient,
                walks,
                self.group(),
                self.memory_limit,
                estimate,
                control,
            )?);
        }
        Ok(sweeps)
    }

    /// Returns the memory limit of a sweep in bytes; without a limit of the user, the default.
    #[must_use]
    pub(super) fn effective_memory_limit(&self) -> Option<u64> {
        self.memory_limit.or_else(crate::memory::default_limit_bytes)
    }

    /// Returns all tours, on a board of at most
    /// [`MAX_BRUTE_FORCE_SQUARES`](brute_force::MAX_BRUTE_FORCE_SQUARES) squares.
    #[must_use]
    pub(super) fn brute_force_tours(&self) -> Vec<Vec<u32>> {
        brute_force::all_tours(self.graph(), self.kind())
    }

    /// Returns true if `element` maps `tour` to itself with this effect on its direction.
    #[must_use]
    pub(super) fn is_fixed(&self, tour: &[u32], element: &Element, action: Action) -> bool {
        SymmetryForm::new(tour, self.tours.shape()).action(element) == Some(action)
    }

    /// Returns the quotient of the graph by `element`, whose cycles must all have one length.
    ///
    /// # Panics
    /// Panics if the cycles have different lengths.
    fn new_lift(&self, element: &Element) -> CyclicLift {
        CyclicLift::new(self.graph(), &element.image).expect("all cycles must have the same length")
    }

    fn count_lift(&self, rotation: &CyclicLift, part: &CountPart<'_>) -> Result<BigUint, CountError> {
        if self.is_second_count {
            return Err(CountError::NoSecondMethod);
        }
        self.engines_used.fetch_or(SEARCH_BIT, Ordering::Relaxed);
        to_count(&part.compute(|| Ok(rotation.count(part.control)?.into()))?)
    }

    fn count_walks(
        &self,
        quotient: &Quotient,
        walks: &Walks,
        part: &CountPart<'_>,
    ) -> Result<BigUint, CountError> {
        if *walks == Walks::None {
            return Ok(BigUint::ZERO);
        }
        let by_search = self.prefers_search(quotient, walks) != self.is_second_count;
        if self.is_second_count
            && by_search
            && Self::rough_nodes(quotient, walks).is_none_or(|n| n > MAX_CHECK_SEARCH_NODES)
        {
            return Err(CountError::NoSecondMethod);
        }
        self.engines_used.fetch_or(if by_search { SEARCH_BIT } else { SWEEP_BIT }, Ordering::Relaxed);
        let count = if by_search {
            let part = part.subpart("search");
            part.compute(|| quotient_walks::count_walks_by_search(quotient, walks, part.control))?
        } else {
            quotient_walks::count_walks_by_sweep(
                quotient,
                walks,
                self.group(),
                self.memory_limit,
                self.prime_bits,
                part,
            )?
        };
        to_count(&count)
    }

    /// Returns true if the walks should be counted by a search, because it is faster than a sweep
    /// or because the user chose it.
    fn prefers_search(&self, quotient: &Quotient, walks: &Walks) -> bool {
        match self.engine {
            Engine::Frontier => false,
            Engine::Backtrack | Engine::Multipath => true,
            Engine::Auto if self.graph().len() > MAX_SQUARES => false,
            Engine::Auto => {
                Self::rough_nodes(quotient, walks).is_some_and(|nodes| nodes < MAX_QUICK_SEARCH_NODES)
            }
        }
    }

    /// Returns the approximate number of nodes of a search that counts the walks, or `None` if a
    /// search is impossible.
    fn rough_nodes(quotient: &Quotient, walks: &Walks) -> Option<f64> {
        let nodes = |problem| {
            MultipathPlan::new(problem, Some(0))
                .map(|plan| tree_size_estimate::estimate_nodes_roughly(&plan, 300, 0))
                .ok()
        };
        quotient_walks::search_problems(quotient, walks).ok()?.into_iter().map(nodes).sum()
    }
}

/// Returns the number of tours that a sum over walks represents.
fn to_count(sum: &BigInt) -> Result<BigUint, CountError> {
    sum.to_biguint().ok_or_else(|| {
        TheoremViolation::new(format!("the number of symmetric tours is negative: {sum}")).into()
    })
}

/// Returns the method to count the tours of a kind that a permutation fixes: `Some(true)` as walks
/// of its quotient, `Some(false)` if it fixes no tour, `None` by a [`CyclicLift`].
///
/// The permutation acts faithfully on a tour. It acts as a rotation, which fixes no vertex and has
/// cycles of one length, or as a reflection, whose square is the identity. A cycle of the quotient
/// needs three orbits.
fn quotient_applies(image: &[u32], kind: Kind) -> Option<bool> {
    let lengths: BTreeSet<usize> = PermutationCycles::new(image).lengths().collect();
    let greatest = lengths.last().copied().unwrap_or(1);
    match (kind, lengths.len()) {
        _ if greatest == 2 => Some(true),
        (Kind::Closed, 1) if matches!(greatest, 4 | 8) && image.len() > 2 * greatest => Some(true),
        (Kind::Closed, 1) => None,
        _ => Some(false),
    }
}
