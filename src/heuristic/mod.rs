//! One tour, fast, on boards of any size.
//!
//! ```text
//! FindRequest -> theorems -> walks by a rule | strip | blocks | region | solve -> Tour, checked
//! ```
//!
//! [`find()`] is the door: it takes a [`FindRequest`] and gives a tour, a proof that
//! there is none, or the number of attempts after which it gave up; on any arena. [`find_under`] does it under a
//! [`Control`](crate::control::Control). What it is made of:
//!
//! | part | what it does | cost |
//! |---|---|---|
//! | `walk`: [`Walker`] | one walk by Warnsdorff's rule and its descendants ([`Rule`]) | O(squares) |
//! | `quick`: [`QuickWalker`] | plain Warnsdorff on at most 64 squares, in registers | under a microsecond a tour |
//! | `solve`: [`solve()`] | complete search with restarts on any graph | exponential at worst |
//! | `strip` | the knight on a few rows, decided exactly | O(squares) |
//! | `blocks` | the knight on larger rectangles, tours of blocks merged | O(squares) |
//! | `region` | the knight on large boards with a few holes | a search around the holes, O(squares) elsewhere |
//! | `theorem` | what can be said without looking ([`Obstacle`]) | O(squares) |
//! | `refuted` | what two moves at every vertex rule out, and vertices that hold parts together | O(edges x sqrt(vertices)) |

mod anywhere;
mod blocks;
mod comb;
mod cover;
mod edges;
mod field;
mod find;
mod links;
mod plain;
mod quick;
mod refuted;
mod region;
mod request;
mod route;
mod rule;
mod searched;
mod solve;
mod squirrel;
mod strip;
mod theorem;
mod ties;
mod tiling;
mod walk;
mod weave;
mod winding;

pub use field::Step;
pub use find::{find, find_under};
pub use plain::FIRST_CHANCE;
pub use quick::QuickWalker;
pub use request::{FindRequest, MAX_SQUARES, Means, Outcome};
pub use route::{Chance, Route};
pub use rule::{Rule, UnknownRule};
pub use solve::{Solved, Want, solve, solve_under};
pub use theorem::{Goal, Obstacle, closed_tour_exists, tour_exists};
pub use walk::Walker;
