//! The frontier engine: counts tours without visiting them.
//!
//! Squares are processed one by one. A *configuration* is a set of moves in
//! which every processed square has both its edges, no two unprocessed squares
//! are joined, and no cycle has closed. Two configurations have the same future
//! if they agree on the *frontier*, the unprocessed squares that touch a
//! processed one: which are *bare*, which *inner* (both edges), which *ends* of a
//! partial path, and who is whose *mate* at the path's other end.
//!
//! ```text
//!  # # # #     # processed
//!  # # # #     - bare
//!  a b - o     o inner
//!  b - a .     a, b ends, mates by letter;  . untouched
//! ```
//!
//! A *layer* gives every such state a *weight*, the number of configurations; a
//! *step* processes a square and maps a layer to the next. The last layer has one
//! state, whose weight is the answer.
//!
//! What makes it fast here:
//!
//! - **Blocks instead of keys** (`layer`, `state/matching`, `block/effects`). The states with the same degrees (the
//!   same *signature*) form a vector with one place for each of the `(ends - 1)!!` matchings. A step
//!   takes a vector to a vector by fixed index maps, so no state is ever hashed, compared or even
//!   stored: a weight is 4 bytes, a transition about a nanosecond of CPU.
//! - **Exact degree feasibility** (`state/feasibility`). Signatures that cannot be completed are known
//!   beforehand from bit tables, 81 signatures to a machine operation.
//! - **A good order** (`problem/order`), found for every board by annealing, and for boards that are counted often by
//!   long searches (`problem/found`).
//! - **Folding** (`state/fold`): mirror images have equally many completions.
//! - **The apex** (`problem/cycles`): paths are cycles through one more vertex, which merges more states
//!   than bookkeeping about their ends could.
//! - **Narrow weights** (`block/weights`), widened where they must be; a wrapped number is impossible.
//! - **No zeros** (`block/packed`): the first half of a sweep has many more places than states, and leaves them out.
//! - **Room** (`layer/shelf`, `layer/store`): what does not fit into memory goes to a store, and comes back when its
//!   turn comes; a sweep at rest (`layer/snapshot`) is in the store as a whole.
//! - **Two ends** (`problem/far`, `run/ends`, `block/join`): a long sweep begins at both ends; where they meet, the
//!   layers are joined, a sum over pairs of matchings that costs as much as a few steps.
//! - **Cut classes** (`state/cut`): independent parts of a sweep, for several machines.
//! - **Ranks** (`ranks`): one sweep on several machines, which exchange parts of layers.
//!
//! Graphs whose frontier is too wide for tables of signatures are swept with a
//! hash table (`run/hashed`), which is also the independent check of the rest.
//!
//! ```text
//! Field, Tours, Options -> Prepared { Cycles -> orders -> Plan -> Course } -> Estimate
//!                             |
//!                          Sweep { Advance { Stride: chunks -> chunk }: Shelf -> Shelf, Junction } -> Outcome
//! ```
//!
//! Rooms import downwards only: `problem` (what is swept, in which order), `state` (signatures, and what
//! can become of them), `block` (weights of all matchings, and the loops over them), `layer` (chunks, their
//! places, the step), `ranks` (several processes), `run` (one sweep from its options to its outcome), `trail` (layers
//! that are kept, and single tours followed through them).
//!
//! Sources: Knuth, The Art of Computer Programming, 7.2.2.4; Zhao Hui Du 2011;
//! G. Stertenbrink 2023; frontier-based search of Sekine, Imai, Kawahara and
//! Minato. Blocks indexed by matchings, the search for orders and the exact
//! feasibility were not found there.
//!
//! # Example
//!
//! ```
//! use ktour::frontier::{Field, Options, Prepared, Silent, Storage, Tours};
//!
//! let field = Field::of(&"6x6".parse().unwrap());
//! let mut prepared = Prepared::new(&field, Tours::Closed, &Options::default()).unwrap();
//! assert!(prepared.estimate().unwrap().peak_bytes < 1 << 30);
//! let outcome = prepared.sweep(Storage::default(), &mut Silent).unwrap();
//! assert_eq!(outcome.count.to_string(), "9862");
//! ```

mod block;
mod layer;
mod problem;
mod ranks;
mod run;
mod state;
mod trail;

pub use block::modulus::{Lane, Modulus};
pub use block::width::Width;
pub use layer::snapshot::{Snapshot, check_stored};
pub use layer::store::Store;
pub use layer::totals::{Totals, Usage};
pub use problem::cancel::Cancel;
pub use problem::cycles::Tours;
pub use problem::field::{Factors, Field};
#[doc(hidden)] // Orders to choose from: for the search of better ones.
pub use problem::order::several as orders;
#[doc(hidden)] // States one by one, of which transfer matrices are made.
pub use problem::step::{Later, Step};
pub use ranks::error::Error;
pub use ranks::peers::{Peers, all_well, consult};
pub use ranks::pulse::Pulse;
#[doc(hidden)] // Ranks that are threads of one process: for tests.
pub use ranks::team::Team;
pub use run::count::{count, count_stored};
pub use run::estimate::Estimate;
#[doc(hidden)]
pub use run::mates;
pub use run::observer::{Observer, Silent, StepReport};
pub use run::options::{Ends, Method, Options, Storage};
pub use run::outcome::Outcome;
pub use run::prepare::Prepared;
pub use run::residues::{count_by_residues, joined, moduli};
pub use run::series::{Family, series, series_by_rows};
pub use state::cut::Cut;
pub use state::tally::Tally;
pub use trail::demand::{Demand, Lack};
pub use trail::error::TrailError;
pub use trail::flow::{Flowing, Uses};
pub use trail::make::{Agree, Making, Told};
pub use trail::manifest::is_whole;
pub use trail::planned::order_of;
pub use trail::trails::{Place, Trails};
