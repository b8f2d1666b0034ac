//! How many tours a symmetry leaves unchanged.
//!
//! ```text
//! board, symmetry -> Quotient -> Walks -> sweep or visit -> number
//! ```
//!
//! Closed tours are counted by what the symmetry does to their direction. Open tours
//! are paths less re-entrant ones, and a re-entrant path that is turned round is a
//! closed tour of reversed direction without one of the moves that are mapped to
//! themselves.

use num_bigint::BigUint;

use crate::board::{Board, Element, Graph, Leaper, SymmetryGroup};
use crate::count::theorems::Broken;
use crate::count::{CountError, Engine};
use crate::search::meter::Meter;
use crate::search::probe;
use crate::search::problem::MAX_SQUARES;
use crate::search::split::Plan;
use crate::tour::Kind;

use super::quotient::Quotient;
use super::walks::{Action, Walks, moves_turned};
use super::{sweep, tiny, visit};

/// Nodes of a search that is as quick as any sweep.
const FEW_NODES: f64 = 2e6;

/// A board, a piece, and how to count.
#[derive(Clone, Debug)]
pub struct Setting {
    graph: Graph,
    group: SymmetryGroup,
    engine: Engine,
    memory: Option<u64>,
}

impl Setting {
    /// `engine` is multi-path, frontier, or whichever is quicker; `memory` a ceiling in bytes for a sweep.
    #[must_use]
    pub fn new(board: &Board, leaper: Leaper, engine: Engine, memory: Option<u64>) -> Self {
        Self { graph: Graph::new(board, leaper), group: SymmetryGroup::of(board), engine, memory }
    }

    /// The moves.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The board's symmetries.
    #[must_use]
    pub const fn group(&self) -> &SymmetryGroup {
        &self.group
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
        meter: &Meter,
    ) -> Result<BigUint, CountError> {
        if self.graph.len() <= tiny::MOST {
            return Ok(self
                .few(kind)
                .iter()
                .filter(|tour| self.keeps(tour, kind, element, action))
                .count()
                .into());
        }
        let quotient = Quotient::new(&self.graph, &element.image);
        let closed = || self.walk(&quotient, &Walks::closed(&self.graph, &quotient, action), meter);
        match (kind, action) {
            (Kind::Closed, _) => closed(),
            (_, Action::Keeps) => Ok(BigUint::ZERO),
            (Kind::Paths, _) => self.walk(&quotient, &Walks::paths(&quotient), meter),
            (Kind::Open, _) => {
                let paths = self.walk(&quotient, &Walks::paths(&quotient), meter)?;
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

    /// The tours of a board of a few squares.
    #[must_use]
    pub(super) fn few(&self, kind: Kind) -> Vec<Vec<u32>> {
        let mut tours = tiny::tours(&self.graph, kind == Kind::Closed);
        if kind == Kind::Open && self.graph.len() > 2 {
            tours.retain(|tour| !self.graph.is_edge(tour[0] as usize, tour[tour.len() - 1] as usize));
        }
        tours
    }

    /// Whether an element leaves a tour unchanged with this action.
    #[must_use]
    pub(super) fn keeps(&self, tour: &[u32], kind: Kind, element: &Element, action: Action) -> bool {
        tiny::action(tour, kind == Kind::Closed, &element.image) == Some(action)
    }

    fn walk(&self, quotient: &Quotient, walks: &Walks, meter: &Meter) -> Result<BigUint, CountError> {
        let count = if self.searches(quotient, walks) {
            visit::count(quotient, walks, meter)?
        } else {
            sweep::count(quotient, walks, &self.group, self.memory, meter)?
        };
        count.to_biguint().ok_or_else(|| Broken::new(format!("{count} symmetric tours")).into())
    }

    /// Whether walks are better visited than swept over, or are to be.
    fn searches(&self, quotient: &Quotient, walks: &Walks) -> bool {
        match self.engine {
            Engine::Frontier => false,
            Engine::Backtrack | Engine::Multipath => true,
            Engine::Auto if self.graph.len() > MAX_SQUARES => false,
            Engine::Auto => visit::problems(quotient, walks).is_ok_and(|problems| {
                let nodes =
                    |problem| Plan::new(problem, Some(0)).map(|plan| probe::rough_nodes(&plan, 300, 0));
                let all = problems.into_iter().map(nodes).collect::<Result<Vec<f64>, _>>();
                all.is_ok_and(|nodes| nodes.iter().sum::<f64>() < FEW_NODES)
            }),
        }
    }
}
