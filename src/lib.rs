//! Counts and lists every knight's tour of a board, exactly, in parallel.
//!
//! ```text
//! args -> Arena -> Request -> Work: units -> engine -> Found -> theorems -> Answer -> Record, report
//!                                              |
//!                      backtrack | multipath | frontier | heuristic
//! ```
//!
//! [`board`] and [`tour`] say what is counted, [`search`] looks for every tour, [`frontier`] counts without
//! visiting any, [`heuristic`] finds one, [`count`](mod@count) turns requests into checked numbers, [`series`] those of
//! whole families, [`index`] numbers tours and draws uniform ones, and [`batch`] makes long runs safe. The program `ktour`
//! shows their results; it is a crate of its own on top of this one, behind
//! the default feature `program`. With `default-features = false` there is no terminal and no command line in it.
//!
//! # What is stable
//!
//! A version that is compatible by its number keeps these, and what they are made of:
//!
//! | | |
//! |---|---|
//! | [`Request`], [`Engine`], [`Kind`], [`count()`], [`Answer`] | what is asked, and the number |
//! | [`Control`] | how far a run is, and its end |
//! | [`search::tours()`], [`search::TourIter`], [`search::list::ListOptions`], [`search::problem::Problem`] | the tours themselves, one by one |
//! | [`board::Arena`], [`board::Board`], [`board::Leaper`], [`board::Square`], [`tour::Tour`] | what tours live on, and tours |
//! | [`heuristic::find`], [`heuristic::FindRequest`] | one tour of a board of any size |
//! | [`frontier::count`], [`frontier::Field`], [`frontier::Tours`], [`frontier::Options`], [`frontier::Observer`], [`frontier::Outcome`] | sweeps of any graph |
//! | [`index::Index`], [`index::Numbered`], [`index::Place`] | all tours by number |
//! | [`batch::Record`] | what a run leaves in a file |
//!
//! Fields and variants may be added to what is `#[non_exhaustive]`, and to requests and options, which are made from
//! their `new` or `default` with `..`; an enum without it, such as [`Kind`], has all the variants it will have.
//! Everything else is public for the program, for tests and for whoever wants to look inside, and changes when it
//! has to.
//!
//! ```
//! use ktour::board::Arena;
//! use ktour::{Control, Kind, Request, count};
//!
//! let request = Request { kind: Some(Kind::Closed), ..Request::new("5x6".parse::<Arena>()?) };
//! let control = Control::new();
//! // Another thread may read how far it is, and end it.
//! let other = control.clone();
//! std::thread::spawn(move || assert!(other.reading().fraction <= 1.0));
//! assert_eq!(count(&request, &control)?.counts.closed, Some(8u32.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it does not do
//!
//! The library prints nothing, does not end the process, catches no signals, sets no options of the process and has no
//! pool of threads of its own: work is done by the threads of the current rayon pool, which is the global one
//! unless the caller runs it in another:
//!
//! ```
//! # use ktour::{Control, Request, board::Arena, count};
//! # let request = Request::new("5x5".parse::<Arena>()?);
//! let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
//! let answer = pool.install(|| count(&request, &Control::new()))?;
//! assert_eq!(answer.counts.paths, Some(864u32.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The kernels for AVX2 and the like are chosen at run time, as in the program. What the program adds is that it
//! grants what sweeps [wish](control::Wish) of its allocator: others that sweep large boards gain speed by that too.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

pub mod batch;
pub mod board;
pub mod control;
pub mod count;
pub mod cpu;
#[doc(hidden)] // The program puts digests into its files as well.
pub mod digest;
mod encoder;
pub mod frontier;
pub mod heuristic;
pub mod index;
mod lock;
pub mod memory;
mod progress;
pub mod random;
pub mod recurrence;
pub mod search;
pub mod series;
pub mod tour;
pub mod words;

pub use control::Control;
pub use count::{Answer, Engine, Request, count};
pub use num_bigint::BigUint;
pub use tour::Kind;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
