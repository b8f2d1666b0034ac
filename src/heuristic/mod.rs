//! Fast ways to find one tour on boards of any size.
//!
//! ```text
//! FindRequest -> theorems -> rule walks | narrow board | merged blocks | holes | cycle search -> Tour
//! ```
//!
//! [`find()`] takes a [`FindRequest`] on any board or graph. It returns a tour, a proof that no
//! tour exists, or the number of attempts after which it gave up. [`find_under`] also takes a
//! [`Control`](crate::control::Control) that cancels it. The parts:
//!
//! | module | contents | cost |
//! |---|---|---|
//! | `rule_walk`: [`RuleWalker`] | one walk by Warnsdorff's rule or one of its variants ([`Rule`]) | O(squares) |
//! | `cycle_search`: [`solve()`] | complete search with restarts on any graph | exponential at worst |
//! | `narrow_board` | the knight on 3 to 5 rows, decided exactly | O(squares) |
//! | `block_tour` | the knight on larger rectangles: tours of blocks, merged | O(squares) |
//! | `block_tour` | the knight on large boards with a few holes | a search around the holes, O(squares) elsewhere |
//! | `wazir_tour` | pieces that move by single squares: combs and winding paths | O(squares) |
//! | `obstacles` | proofs without a search ([`Obstacle`]) | O(squares) |
//! | `matching_obstacles` | proofs by matchings and cut vertices | O(edges x sqrt(vertices)) |

mod block_tiling;
mod block_tour;
mod cycle_search;
mod degree_grid;
mod edge_state;
mod find;
mod find_request;
mod matching_obstacles;
mod narrow_board;
mod obstacles;
mod rule;
mod rule_walk;
mod step_orders;
mod tie_break;
mod wazir_tour;

pub use cycle_search::{SearchOutcome, solve};
pub use degree_grid::{Randomness, Step, WalkRequest};
pub use find::{FIRST_RANDOM_ATTEMPT, find, find_obstacle, find_under};
pub use find_request::{FindMethod, FindOutcome, FindRequest, MAX_FIND_SQUARES, MAX_SEARCH_VERTICES};
pub use obstacles::{Obstacle, closed_tour_exists, tour_exists};
pub use rule::{Rule, UnknownRuleError};
pub use rule_walk::RuleWalker;
