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

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use num_bigint::BigUint;

use crate::board::{Arena, Element, Graph, Rectangle, SymmetryGroup};
use crate::control::Control;
use crate::count::theorems::Broken;
use crate::count::{CountError, Engine};
use crate::frontier::Estimate;
use crate::search::probe;
use crate::search::problem::ProblemError;
use crate::search::split::Plan;
use crate::search::width::MAX_SQUARES;
use crate::tour::Kind;

use super::named::Named;
use super::quotient::Quotient;
use super::rotation::Rotation;
use super::walks::{Action, Walks, moves_turned};
use super::{sweep, tiny, visit};

/// Maximum nodes of a search that is as fast as any sweep.
const FEW_NODES: f64 = 2e6;

/// Maximum nodes of a search that may check a sweep; it takes some seconds.
const FEW_NODES_TO_CHECK: f64 = 3e7;

/// Bits of the engines that counted.
const SEARCHED: u8 = 1;
const SWEPT: u8 = 2;

/// A board, and the options for counting its symmetric tours.
#[derive(Clone, Debug)]
pub struct Setting {
    arena: Arena,
    /// Sides of a knight's board without removed squares, for which theorems hold.
    pub(super) sides: Option<(u16, u16)>,
    engine: Engine,
    memory: Option<u64>,
    /// Bits of the primes for sweeps modulo primes; `None` for exact sweeps.
    residues: Option<u32>,
    /// True if the engine that did not count before is to count.
    second: bool,
    /// True if any number of tours may be enumerated.
    forced: bool,
    /// Bits of the engines that have counted.
    used: Arc<AtomicU8>,
}

impl Setting {
    /// Creates a context. `engine` is multi-path, frontier, or automatic; `memory` is the memory limit of a
    /// sweep in bytes.
    #[must_use]
    pub fn new(arena: &Arena, engine: Engine, memory: Option<u64>) -> Self {
        Self {
            arena: arena.clone(),
            sides: arena.rectangle().and_then(Rectangle::knights_sides),
            engine,
            memory,
            residues: None,
            second: false,
            forced: false,
            used: Arc::default(),
        }
    }

    /// Sets the bits of primes for sweeps: 16 or 32 bits, with as many primes as necessary; `None` for exact
    /// sweeps.
    #[must_use]
    pub fn by_residues(self, residues: Option<u32>) -> Self {
        Self { residues, ..self }
    }

    /// Sets whether any number of tours may be enumerated.
    #[must_use]
    pub fn forced(self, forced: bool) -> Self {
        Self { forced, ..self }
    }

    /// Returns true if any number of tours may be enumerated.
    #[must_use]
    pub(super) const fn is_forced(&self) -> bool {
        self.forced
    }

    /// Returns a context that counts by the other engine: sweeps replace searches, and short searches replace
    /// sweeps. A long search would fail with [`CountError::NoSecondMethod`].
    #[must_use]
    pub fn second(&self) -> Self {
        Self { second: true, used: Arc::default(), ..self.clone() }
    }

    /// Returns the names of the engines that have counted so far.
    #[must_use]
    pub fn engines(&self) -> &'static str {
        match self.used.load(Ordering::Relaxed) {
            0 => "none",
            SEARCHED => Engine::Multipath.name(),
            SWEPT => Engine::Frontier.name(),
            _ => "multipath+frontier",
        }
    }

    /// Returns the indices of the elements with a named symmetry, each with its required action.
    #[must_use]
    pub fn acts(&self, named: Named) -> Vec<(usize, Action)> {
        let acts = (1..self.group().order()).flat_map(|g| Action::ALL.map(|action| (g, action)));
        let elements = self.group().elements();
        acts.filter(|&(g, action)| elements[g].names.iter().any(|&symmetry| named.is(symmetry, action)))
            .collect()
    }

    /// Returns false if fixed squares, fixed moves or colours exclude every tour of a kind with this
    /// symmetry.
    #[must_use]
    pub fn may_have(&self, named: Named, kind: Kind) -> bool {
        let walks = |quotient: &Quotient, action: Action| match (kind, action) {
            (Kind::Closed, _) => Walks::closed(self.graph(), quotient, action),
            (_, Action::Keeps) => Walks::None,
            (_, Action::Reverses) => Walks::paths(quotient),
        };
        self.acts(named).into_iter().any(|(g, action)| {
            self.graph().len() <= tiny::MOST
                || walks(&Quotient::new(self.graph(), &self.group().elements()[g].image), action)
                    != Walks::None
        })
    }

    /// Returns true if the tours of a kind fixed by each symmetry can be counted as walks of its quotient.
    #[must_use]
    pub(super) fn knows_quotients(&self, kind: Kind) -> bool {
        let known =
            |element: &Element| walked(&element.image, kind).is_some() || self.rotation(element).is_small();
        self.graph().len() <= tiny::MOST || self.group().elements()[1..].iter().all(known)
    }

    /// Checks that the symmetries of the board have names: symmetries of boxes and graphs have none. A
    /// wrapped board's translations have none either, but the symmetries it shares with the plain board have.
    ///
    /// # Errors
    /// [`CountError::UnnamedSymmetries`], or the symmetries are unknown.
    pub fn check_names(&self) -> Result<(), CountError> {
        self.needs_symmetries()?;
        if self.group().elements()[0].names.is_empty() {
            return Err(CountError::no_names(&self.arena));
        }
        Ok(())
    }

    /// Returns the indices of the elements that have names: a group of at most 8 elements.
    pub(super) fn named(&self) -> Vec<usize> {
        let elements = self.group().elements();
        (0..elements.len()).filter(|&g| !elements[g].names.is_empty()).collect()
    }

    /// Checks that the symmetries are known, without which distinct tours are undefined.
    pub(super) fn needs_symmetries(&self) -> Result<(), CountError> {
        if self.arena.knows_symmetries() { Ok(()) } else { Err(ProblemError::NoSymmetries.into()) }
    }

    /// Records that a search enumerates tours.
    ///
    /// # Errors
    /// [`CountError::OnlyByEnumeration`] if this is a second count.
    pub(super) fn looks(&self) -> Result<(), CountError> {
        if self.second {
            return Err(CountError::OnlyByLook);
        }
        self.used.fetch_or(SEARCHED, Ordering::Relaxed);
        Ok(())
    }

    /// Returns the board.
    #[must_use]
    pub const fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Returns the graph of moves.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.arena.graph()
    }

    /// Returns the board's symmetries.
    #[must_use]
    pub fn group(&self) -> &SymmetryGroup {
        self.arena.symmetries()
    }

    /// Counts the tours of a kind that an element of the group, not the identity, maps to themselves with
    /// this action.
    ///
    /// # Errors
    /// A search or sweep failed or was stopped.
    pub fn fixed(
        &self,
        element: &Element,
        kind: Kind,
        action: Action,
        control: &Control,
    ) -> Result<BigUint, CountError> {
        if self.graph().len() <= tiny::MOST {
            return Ok(self
                .few(kind)
                .iter()
                .filter(|tour| self.keeps(tour, kind, element, action))
                .count()
                .into());
        }
        match walked(&element.image, kind) {
            Some(false) => return Ok(BigUint::ZERO),
            None if action == Action::Reverses => return Ok(BigUint::ZERO),
            None => return self.rotated(&self.rotation(element), control),
            Some(true) => {}
        }
        let quotient = Quotient::new(self.graph(), &element.image);
        let closed = || self.walk(&quotient, &Walks::closed(self.graph(), &quotient, action), control);
        match (kind, action) {
            (Kind::Closed, _) => closed(),
            (_, Action::Keeps) => Ok(BigUint::ZERO),
            (Kind::Paths, _) => self.walk(&quotient, &Walks::paths(&quotient), control),
            (Kind::Open, _) => {
                let paths = self.walk(&quotient, &Walks::paths(&quotient), control)?;
                let re_entrant =
                    if paths == BigUint::ZERO { paths.clone() } else { closed()? * moves_turned(&quotient) };
                if re_entrant > paths {
                    return Err(
                        Broken::new(format!("{re_entrant} re-entrant paths among {paths} paths")).into()
                    );
                }
                Ok(paths - re_entrant)
            }
        }
    }

    /// Returns the estimated core seconds of the search for the closed tours that an element fixes as a
    /// rotation; zero if they are counted otherwise.
    ///
    /// # Errors
    /// The search is impossible.
    pub(super) fn rotation_seconds(&self, element: &Element, kind: Kind) -> Result<f64, CountError> {
        if self.graph().len() <= tiny::MOST || walked(&element.image, kind).is_some() {
            return Ok(0.0);
        }
        self.rotation(element).seconds()
    }

    /// Returns rough estimates of the sweeps that count the tours fixed by an element; empty without sweeps.
    /// Cost: at most a second each.
    ///
    /// # Errors
    /// A sweep cannot be planned, or the control was cancelled.
    pub(super) fn outlook(
        &self,
        element: &Element,
        kind: Kind,
        action: Action,
        control: &Control,
    ) -> Result<Vec<Estimate>, CountError> {
        if self.graph().len() <= tiny::MOST || walked(&element.image, kind) != Some(true) {
            return Ok(Vec::new());
        }
        let quotient = Quotient::new(self.graph(), &element.image);
        let closed = || Walks::closed(self.graph(), &quotient, action);
        let walks = match (kind, action) {
            (Kind::Closed, _) => vec![closed()],
            (_, Action::Keeps) => Vec::new(),
            (Kind::Paths, _) => vec![Walks::paths(&quotient)],
            (Kind::Open, _) => vec![Walks::paths(&quotient), closed()],
        };
        let mut sweeps = Vec::new();
        for walks in walks.iter().filter(|walks| **walks != Walks::None && !self.searches(&quotient, walks)) {
            sweeps.extend(sweep::outlook(&quotient, walks, self.group(), self.memory, control)?);
        }
        Ok(sweeps)
    }

    /// Returns the memory limit of a sweep in bytes.
    #[must_use]
    pub(super) fn ceiling(&self) -> Option<u64> {
        self.memory.or_else(crate::memory::ceiling)
    }

    /// Returns the tours of a board of at most
    /// [`MAX_BRUTE_FORCE_SQUARES`](brute_force::MAX_BRUTE_FORCE_SQUARES) squares.
    #[must_use]
    pub(super) fn few(&self, kind: Kind) -> Vec<Vec<u32>> {
        let mut tours = tiny::tours(self.graph(), kind == Kind::Closed);
        if kind == Kind::Open && self.graph().len() > 2 {
            tours.retain(|tour| !self.graph().is_edge(tour[0] as usize, tour[tour.len() - 1] as usize));
        }
        tours
    }

    /// Returns true if an element maps a tour to itself with this action.
    #[must_use]
    pub(super) fn keeps(&self, tour: &[u32], kind: Kind, element: &Element, action: Action) -> bool {
        tiny::action(tour, kind == Kind::Closed, &element.image) == Some(action)
    }

    /// Returns the quotient by an element whose cycles all have one length.
    fn rotation(&self, element: &Element) -> Rotation {
        Rotation::new(self.graph(), &element.image).expect("all cycles have one length")
    }

    fn rotated(&self, rotation: &Rotation, control: &Control) -> Result<BigUint, CountError> {
        if self.second {
            return Err(CountError::NoSecondWay);
        }
        self.used.fetch_or(SEARCHED, Ordering::Relaxed);
        rotation.count(control)
    }

    fn walk(&self, quotient: &Quotient, walks: &Walks, control: &Control) -> Result<BigUint, CountError> {
        if *walks == Walks::None {
            return Ok(BigUint::ZERO);
        }
        let searches = self.searches(quotient, walks) != self.second;
        if self.second
            && searches
            && Self::rough_nodes(quotient, walks).is_none_or(|n| n > FEW_NODES_TO_CHECK)
        {
            return Err(CountError::NoSecondWay);
        }
        self.used.fetch_or(if searches { SEARCHED } else { SWEPT }, Ordering::Relaxed);
        let count = if searches {
            visit::count(quotient, walks, control)?
        } else {
            sweep::count(quotient, walks, self.group(), self.memory, self.residues, control)?
        };
        count
            .to_biguint()
            .ok_or_else(|| Broken::new(format!("the number of symmetric tours is negative: {count}")).into())
    }

    /// Returns true if a search is faster than a sweep, or was chosen by the user.
    fn searches(&self, quotient: &Quotient, walks: &Walks) -> bool {
        match self.engine {
            Engine::Frontier => false,
            Engine::Backtrack | Engine::Multipath => true,
            Engine::Auto if self.graph().len() > MAX_SQUARES => false,
            Engine::Auto => Self::rough_nodes(quotient, walks).is_some_and(|nodes| nodes < FEW_NODES),
        }
    }

    /// Returns the approximate number of nodes of a search, or `None` if it is impossible.
    fn rough_nodes(quotient: &Quotient, walks: &Walks) -> Option<f64> {
        let nodes = |problem| Plan::new(problem, Some(0)).map(|plan| probe::rough_nodes(&plan, 300, 0)).ok();
        visit::problems(quotient, walks).ok()?.into_iter().map(nodes).sum()
    }
}

/// Returns how to count the tours of a kind that a permutation fixes: `Some(true)` as walks of its quotient,
/// `Some(false)` if it fixes none, `None` by a [`CyclicLift`].
///
/// The permutation acts faithfully on a tour. It acts as a rotation, which fixes no vertex and has cycles of
/// one length, or as a reflection, whose square is the identity. A cycle of the quotient needs three orbits.
fn walked(image: &[u32], kind: Kind) -> Option<bool> {
    let mut seen = vec![false; image.len()];
    let mut lengths = std::collections::BTreeSet::new();
    for v in 0..image.len() {
        let (mut w, mut length) = (v, 0);
        while !std::mem::replace(&mut seen[w], true) {
            w = image[w] as usize;
            length += 1;
        }
        if length > 0 {
            lengths.insert(length);
        }
    }
    let greatest = lengths.last().copied().unwrap_or(1);
    match (kind, lengths.len()) {
        _ if greatest == 2 => Some(true),
        (Kind::Closed, 1) if matches!(greatest, 4 | 8) && image.len() > 2 * greatest => Some(true),
        (Kind::Closed, 1) => None,
        _ => Some(false),
    }
}
