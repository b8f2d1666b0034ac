//! Why there is no count.

use crate::search::problem::ProblemError;
use crate::search::workers::Stopped;

use super::request::Engine;
use super::theorems::Broken;

/// Why there is no count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// The problem cannot be searched.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The engine asked for is not built for this.
    #[error("engine {name} cannot do this: {why}", name = .engine.name())]
    Engine {
        /// The engine.
        engine: Engine,
        /// What is in the way.
        why: &'static str,
    },
    /// No square left on the board.
    #[error("the board has no squares left")]
    NoSquares,
    /// The run was stopped before its end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The result cannot be right.
    #[error(transparent)]
    Broken(#[from] Broken),
}
