//! Ranks: processes that share one sweep, their communication, and the errors of a sweep.
//!
//! Every rank computes some whole chunks of the next layer. A
//! [`Distribution`](distribution::Distribution) assigns the chunks to ranks, based on the rank that
//! holds each chunk of the layer before and on the chunks that each computation reads. An
//! [`Exchange`](exchange::Exchange) sends the chunks that are read to the ranks that read them.
//! Between two steps a [`Collective`](communicator::Collective) operation gathers the results of
//! all ranks, so that no rank waits for a failed rank, and all act on one
//! [`Command`](command::Command). A [`Communicator`](communicator::Communicator) transfers the
//! bytes: MPI, or threads of one process.
//!
//! ```text
//! HeldChunks -> Distribution -> Exchange -> (each rank computes) -> RankReport -> Collective -> HeldChunks
//! ```
//!
//! A [`Cluster`](cluster::Cluster) offers these operations to the sweep. In this engine "rank"
//! always means such a process, except for the rank of a matching or a tour.

pub mod cluster;
pub mod command;
pub mod communicator;
pub mod distribution;
pub mod error;
pub mod exchange;
