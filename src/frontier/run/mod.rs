//! One sweep, from its options to its outcome.
//!
//! A sweep is *prepared* once: its plan found, its size *estimated*. An *engine* then runs it by blocks, or with a
//! hash table where the frontier is too wide or its states are few (*hashed*, states by their *mates*, sums in an
//! *amount*). By blocks a *sweep* makes one step after the other; to *advance* a step, threads let a *maker* compute
//! target chunks of a *queue* until all are done. An *observer* is told of every step and may stop the sweep; what it
//! took, over all its sittings, a *meter* measures, and the *outcome* has. A sweep from two *ends* has two legs, and
//! a *junction* where they meet; it comes to *rest* and goes on. An estimate is a dry run or, where that takes long,
//! an *outlook* from the order alone, at a *tariff* for weights of this *nature*.
//!
//! ```text
//! Options -> Prepared -> Estimate
//!               |-> Engine -> Sweep { Advance { Queue, Maker }, Meter, Observer } -> Outcome
//!                      |----> hashed { mates, Amount } ------------------------> Outcome
//! ```

pub mod advance;
pub mod amount;
pub mod bound;
pub mod choice;
pub mod count;
pub mod ends;
pub mod engine;
pub mod estimate;
pub mod hashed;
pub mod joined;
pub mod junction;
pub mod maker;
pub mod mates;
pub mod meter;
pub mod nature;
pub mod observer;
pub mod options;
pub mod outcome;
pub mod outlook;
pub mod outside;
pub mod prepare;
pub mod queue;
pub mod residues;
pub mod rest;
pub mod series;
pub mod sweep;
pub mod tariff;
pub mod trace;
