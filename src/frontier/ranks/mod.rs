//! Ranks: processes that share one sweep.
//!
//! Every rank computes some chunks of the next layer, whole. A *spread* says which, from who
//! *holds* which chunk of the layer before and what its chunks read; an *exchange* brings those
//! to where they are read. Between two steps the ranks *agree* on what each has come to, so that
//! none waits for one that has failed, and all *pulse* alike. What carries the bytes are *peers*:
//! MPI, or a *team* of threads.
//!
//! ```text
//! Holdings -> Spread -> Exchange -> (a step by each) -> Share -> Agreement -> Holdings
//! ```
//!
//! "Rank" is a process here, and nothing else in the whole engine.

pub mod agreement;
pub mod error;
pub mod exchange;
pub mod peers;
pub mod pulse;
pub mod share;
pub mod sharing;
pub mod spread;
pub mod team;
