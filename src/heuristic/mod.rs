//! One tour, fast, on boards of any size.
//!
//! [`find()`] is the door: it takes a [`Request`] and gives a tour, a proof that
//! there is none, or the number of attempts after which it gave up.
//!
//! | part | what it does | cost |
//! |---|---|---|
//! | [`walk`] | one walk by Warnsdorff's rule and its descendants ([`Rule`]) | O(squares) |
//! | [`quick`] | plain Warnsdorff on at most 64 squares, in registers | under a microsecond a tour |
//! | [`solve`](mod@solve) | complete search with restarts on any graph | exponential at worst |
//! | [`strip`] | the knight on a few rows, decided exactly | O(squares) |
//! | [`blocks`] | the knight on larger rectangles, tours of blocks merged | O(squares) |
//! | [`region`] | the knight on large boards with a few holes | a search around the holes, O(squares) elsewhere |
//! | [`theorem`] | what can be said without looking | O(squares) |

pub mod blocks;
mod edges;
mod field;
mod find;
mod layout;
mod links;
pub mod quick;
pub mod region;
mod request;
mod rule;
pub mod solve;
mod squirrel;
pub mod strip;
pub mod theorem;
mod ties;
pub mod walk;
mod weave;

pub use field::Step;
pub use find::{FIRST_CHANCE, find};
pub use request::{MAX_SQUARES, Means, Outcome, Request};
pub use rule::{Rule, UnknownRule};
pub use theorem::{Goal, Obstacle};
