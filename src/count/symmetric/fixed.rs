//! How many tours a symmetry leaves unchanged.
//!
//! ```text
//! board, symmetry -> Quotient -> Walks -> sweep or visit -> number
//!                 -> Rotation -> visit                   -> number
//! ```
//!
//! Closed tours are counted by what the symmetry does to their direction. Open tours
//! are paths less re-entrant ones, and a re-entrant path that is turned round is a
//! closed tour of reversed direction without one of the moves that are mapped to
//! themselves.

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

/// Nodes of a search that is as quick as any sweep.
const FEW_NODES: f64 = 2e6;

/// Nodes of a search that may be made to check a sweep: some seconds.
const FEW_NODES_TO_CHECK: f64 = 3e7;

/// Engines used.
const SEARCHED: u8 = 1;
const SWEPT: u8 = 2;

/// An arena, and how to count.
#[derive(Clone, Debug)]
pub struct Setting {
    arena: Arena,
    /// Whether theorems on knights' tours of boards without holes hold.
    pub(super) sides: Option<(u16, u16)>,
    engine: Engine,
    memory: Option<u64>,
    /// Sweeps are made modulo primes of so many bits.
    residues: Option<u32>,
    /// Whether the other engine is to count.
    second: bool,
    /// Whether tours are looked at however many they are.
    forced: bool,
    /// Engines that have counted, as bits.
    used: Arc<AtomicU8>,
}

impl Setting {
    /// `engine` is multi-path, frontier, or whichever is quicker; `memory` a ceiling in bytes for a sweep.
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

    /// The same, whose sweeps are made modulo primes of 16 or 32 bits, as many as there need to be, if bits are given.
    #[must_use]
    pub fn by_residues(self, residues: Option<u32>) -> Self {
        Self { residues, ..self }
    }

    /// The same, whose tours are looked at one by one where they have to be, however many they are.
    #[must_use]
    pub fn forced(self, forced: bool) -> Self {
        Self { forced, ..self }
    }

    /// Whether it is.
    #[must_use]
    pub(super) const fn is_forced(&self) -> bool {
        self.forced
    }

    /// The same, counted by the other engine: by sweeps what was searched, and by searches what was swept over
    /// if they are short, or [`CountError::NoSecondWay`].
    #[must_use]
    pub fn second(&self) -> Self {
        Self { second: true, used: Arc::default(), ..self.clone() }
    }

    /// The engines that have counted so far.
    #[must_use]
    pub fn engines(&self) -> &'static str {
        match self.used.load(Ordering::Relaxed) {
            0 => "none",
            SEARCHED => Engine::Multipath.name(),
            SWEPT => Engine::Frontier.name(),
            _ => "multipath+frontier",
        }
    }

    /// The elements that a name is for, by number, with what they must do.
    #[must_use]
    pub fn acts(&self, named: Named) -> Vec<(usize, Action)> {
        let acts = (1..self.group().order()).flat_map(|g| Action::ALL.map(|action| (g, action)));
        let elements = self.group().elements();
        acts.filter(|&(g, action)| elements[g].names.iter().any(|&symmetry| named.is(symmetry, action)))
            .collect()
    }

    /// Whether any tour of a kind can have a symmetry, as far as fixed squares and moves and colours tell.
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

    /// Whether the tours of a kind that each symmetry keeps can be counted as walks of its quotient.
    #[must_use]
    pub(super) fn knows_quotients(&self, kind: Kind) -> bool {
        let known =
            |element: &Element| walked(&element.image, kind).is_some() || self.rotation(element).is_small();
        self.graph().len() <= tiny::MOST || self.group().elements()[1..].iter().all(known)
    }

    /// Whether the symmetries of boards mean something here: those of boxes and graphs have no names. Translations
    /// of wrapped boards have none either, but what is a symmetry of the plain board has.
    ///
    /// # Errors
    /// [`CountError::NoNames`], or symmetries that are not known.
    pub fn check_names(&self) -> Result<(), CountError> {
        self.needs_symmetries()?;
        if self.group().elements()[0].names.is_empty() {
            return Err(CountError::no_names(&self.arena));
        }
        Ok(())
    }

    /// The numbers of the elements that have names: a group of at most 8.
    pub(super) fn named(&self) -> Vec<usize> {
        let elements = self.group().elements();
        (0..elements.len()).filter(|&g| !elements[g].names.is_empty()).collect()
    }

    /// What is distinct is known only if the symmetries are.
    pub(super) fn needs_symmetries(&self) -> Result<(), CountError> {
        if self.arena.knows_symmetries() { Ok(()) } else { Err(ProblemError::NoSymmetries.into()) }
    }

    /// Tours are looked at one by one, as a search does.
    pub(super) fn looks(&self) -> Result<(), CountError> {
        if self.second {
            return Err(CountError::OnlyByLook);
        }
        self.used.fetch_or(SEARCHED, Ordering::Relaxed);
        Ok(())
    }

    /// The arena.
    #[must_use]
    pub const fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The moves.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        self.arena.graph()
    }

    /// The arena's symmetries.
    #[must_use]
    pub fn group(&self) -> &SymmetryGroup {
        self.arena.symmetries()
    }

    /// How many tours of a kind an element of the group, not the identity, leaves unchanged with this action.
    ///
    /// # Errors
    /// A search or sweep that cannot be made or was stopped.
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
                        Broken::new(format!("{re_entrant} re-entrant ones among {paths} paths")).into()
                    );
                }
                Ok(paths - re_entrant)
            }
        }
    }

    /// Core seconds of the search for the closed tours that an element keeps as a rotation, if that is how they are
    /// counted.
    ///
    /// # Errors
    /// A search that cannot be made.
    pub(super) fn rotation_seconds(&self, element: &Element, kind: Kind) -> Result<f64, CountError> {
        if self.graph().len() <= tiny::MOST || walked(&element.image, kind).is_some() {
            return Ok(0.0);
        }
        self.rotation(element).seconds()
    }

    /// The sweeps that telling how many tours an element leaves unchanged will take, if it is swept for; a second
    /// for each of them at most.
    ///
    /// # Errors
    /// A sweep that cannot be made, or the control was cancelled.
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

    /// The ceiling for the memory of a sweep.
    #[must_use]
    pub(super) fn ceiling(&self) -> Option<u64> {
        self.memory.or_else(crate::memory::ceiling)
    }

    /// The tours of a board of a few squares.
    #[must_use]
    pub(super) fn few(&self, kind: Kind) -> Vec<Vec<u32>> {
        let mut tours = tiny::tours(self.graph(), kind == Kind::Closed);
        if kind == Kind::Open && self.graph().len() > 2 {
            tours.retain(|tour| !self.graph().is_edge(tour[0] as usize, tour[tour.len() - 1] as usize));
        }
        tours
    }

    /// Whether an element leaves a tour unchanged with this action.
    #[must_use]
    pub(super) fn keeps(&self, tour: &[u32], kind: Kind, element: &Element, action: Action) -> bool {
        tiny::action(tour, kind == Kind::Closed, &element.image) == Some(action)
    }

    /// The quotient by an element of which every cycle has the same length.
    fn rotation(&self, element: &Element) -> Rotation {
        Rotation::new(self.graph(), &element.image).expect("all cycles are of one length")
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
        count.to_biguint().ok_or_else(|| Broken::new(format!("{count} symmetric tours")).into())
    }

    /// Whether walks are better visited than swept over, or are to be.
    fn searches(&self, quotient: &Quotient, walks: &Walks) -> bool {
        match self.engine {
            Engine::Frontier => false,
            Engine::Backtrack | Engine::Multipath => true,
            Engine::Auto if self.graph().len() > MAX_SQUARES => false,
            Engine::Auto => Self::rough_nodes(quotient, walks).is_some_and(|nodes| nodes < FEW_NODES),
        }
    }

    /// About how many nodes a search has, if it can be made.
    fn rough_nodes(quotient: &Quotient, walks: &Walks) -> Option<f64> {
        let nodes = |problem| Plan::new(problem, Some(0)).map(|plan| probe::rough_nodes(&plan, 300, 0)).ok();
        visit::problems(quotient, walks).ok()?.into_iter().map(nodes).sum()
    }
}

/// Whether tours of a kind that a permutation keeps are walks of its quotient: `Some(false)` if it keeps none,
/// `None` if they are told by a [`Rotation`].
///
/// It acts faithfully on a tour: as a rotation, which leaves no vertex where it is and whose cycles are all of one
/// length, or as a reflection, whose square is the identity. A cycle of the quotient needs three orbits.
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
