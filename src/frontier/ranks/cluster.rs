//! The cluster of the ranks that share a sweep, with the operations between its steps.
//!
//! With a single rank all operations return immediately with the result of that rank.

use super::communicator::{Collective, Communicator};
use super::distribution::{Distribution, HeldChunk, RankReport, holdings_digest};
use super::error::Error;
use super::exchange::{Exchange, ExchangeError};
use crate::frontier::layer::compiled_step::CompiledStep;
use crate::frontier::layer::layer_store::LayerStore;
use crate::frontier::layer::memory_pool::{MemoryPool, StepError};
use crate::frontier::signature::space::SignatureSpace;

/// The work of other ranks in a step, and the communication with them.
#[derive(Debug, Default)]
pub struct RemoteWork {
    /// Numbers of the target chunks that other ranks compute.
    pub chunks: Vec<usize>,
    /// Number of bytes sent to other ranks.
    pub sent_bytes: u64,
    /// Error of this rank while it received chunks; the other ranks have not been informed. `None`
    /// without an error.
    pub receive_error: Option<StepError>,
}

/// The ranks that share a sweep.
pub struct Cluster<'a> {
    collective: Collective<'a>,
    /// Number of steps of the sweep.
    step_count: usize,
    /// Chunks of the layer, each with the rank that holds it.
    held_chunks: Vec<HeldChunk>,
    /// Digest of `held_chunks`; 0 with a single rank.
    digest: u64,
}

impl<'a> Cluster<'a> {
    /// Creates the cluster of the ranks that `communicator` connects, for a sweep of `steps` steps.
    #[must_use]
    pub fn new(communicator: Option<&'a dyn Communicator>, steps: usize) -> Self {
        Self {
            collective: Collective::new(communicator),
            step_count: steps,
            held_chunks: Vec::new(),
            digest: 0,
        }
    }

    /// Returns the number of this rank and the number of ranks.
    #[must_use]
    pub fn rank_and_size(&self) -> (usize, usize) {
        self.collective.rank_and_size()
    }

    /// Returns true if other ranks share the sweep.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.collective.communicator().is_some()
    }

    /// Returns the digest of the assignment of chunks to ranks.
    #[must_use]
    pub const fn digest(&self) -> u64 {
        self.digest
    }

    /// Gathers the results of all ranks in step `t` and returns them, by rank.
    ///
    /// # Errors
    /// The error of this rank or of another rank, or a lost connection.
    pub fn allgather<T>(&self, own_result: Result<T, Error>, t: usize) -> Result<Vec<T>, Error>
    where
        T: serde::Serialize + serde::de::DeserializeOwned,
    {
        self.collective.allgather(own_result, |what| self.connection_lost(what, t))
    }

    /// Checks that all ranks are about to make the same step `first` of the same sweep, described
    /// by `description`, and that the chunks of all ranks form a whole layer. `digest` is the
    /// digest of the distribution of these chunks.
    ///
    /// # Errors
    /// [`Error::RanksDiffer`] if the steps, the sweeps or the distributions differ; the error of
    /// this rank, `own_result`, or the error of another rank.
    pub fn check_start(
        &mut self,
        own_result: Result<(), Error>,
        description: u64,
        first: usize,
        digest: u64,
        layer: &LayerStore,
    ) -> Result<(), Error> {
        if !self.is_shared() {
            return own_result;
        }
        let local_result = own_result.map(|()| ((description, first, digest), layer.chunk_bytes()));
        let all = self.allgather(local_result, first)?;
        let is_different = all.iter().any(|one| one.0 != all[0].0);
        let shares = all.into_iter().map(|(_, chunks)| RankReport { chunks, ..RankReport::default() });
        (_, self.held_chunks) = RankReport::combine(shares.collect());
        self.digest = holdings_digest(&self.held_chunks);
        // Parts of layers with different distributions do not form a whole layer.
        if is_different || first > 0 && self.digest != digest {
            return Err(Error::RanksDiffer);
        }
        Ok(())
    }

    /// Distributes step `t` over the ranks, and exchanges the source chunks between them. Does
    /// nothing with a single rank.
    ///
    /// # Errors
    /// If the connection is lost.
    pub fn distribute_step(
        &self,
        space: &SignatureSpace,
        step: &CompiledStep,
        layer: &LayerStore,
        pool: &MemoryPool,
        t: usize,
    ) -> Result<RemoteWork, Error> {
        let Some(peers) = self.collective.communicator() else { return Ok(RemoteWork::default()) };
        let spread = Distribution::new(space, step, t, &self.held_chunks, peers.size());
        let chunks = spread.chunks_of_others(peers.rank());
        match (Exchange { distribution: &spread, layer, pool, communicator: peers }).run(step) {
            Ok(sent) => Ok(RemoteWork { chunks, sent_bytes: sent, receive_error: None }),
            Err(ExchangeError::Local(halt)) => {
                Ok(RemoteWork { chunks, sent_bytes: 0, receive_error: Some(halt) })
            }
            Err(ExchangeError::ConnectionLost(what)) => Err(self.connection_lost(what, t)),
        }
    }

    /// Gathers the reports of all ranks about step `t` and returns their sum. `own_report` is the
    /// report of this rank, `layer` has the chunks of this rank after the step.
    ///
    /// # Errors
    /// The error of this rank or of another rank, or a lost connection.
    pub fn combine_reports(
        &mut self,
        own_report: Result<RankReport, Error>,
        layer: &LayerStore,
        t: usize,
    ) -> Result<RankReport, Error> {
        let is_shared = self.is_shared();
        let chunks = || if is_shared { layer.chunk_bytes() } else { Vec::new() };
        let all = self.allgather(own_report.map(|share| RankReport { chunks: chunks(), ..share }), t)?;
        let together;
        (together, self.held_chunks) = RankReport::combine(all);
        self.digest = if is_shared { holdings_digest(&self.held_chunks) } else { 0 };
        Ok(together)
    }

    /// Returns the error that the connection was lost in step `t`.
    fn connection_lost(&self, what: String, t: usize) -> Error {
        Error::ConnectionLost { step: t + 1, steps: self.step_count, message: what }
    }
}

#[cfg(test)]
mod tests {
    use super::super::communicator::ThreadCommunicator;
    use super::*;
    use crate::frontier::layer::sweep_totals::StepTally;

    #[test]
    fn single_rank_gets_its_own_results() {
        let (mut sharing, layer) = (Cluster::new(None, 9), LayerStore::new(3, 1));
        assert_eq!((sharing.is_shared(), sharing.rank_and_size()), (false, (0, 1)));
        sharing.check_start(Ok(()), 1, 4, 77, &layer).unwrap();
        let share =
            RankReport { tally: StepTally { states: 5, ..StepTally::default() }, ..RankReport::default() };
        assert_eq!(sharing.combine_reports(Ok(share.clone()), &layer, 4), Ok(share));
        assert_eq!(sharing.digest(), 0);
    }

    #[test]
    fn check_start_rejects_different_sweeps() {
        let begun = |what: [u64; 2], digest: u64| {
            std::thread::scope(|scope| {
                let ranks = ThreadCommunicator::connect(2).into_iter().zip(what).map(|(peers, what)| {
                    let begin = move || {
                        let layer = LayerStore::new(3, 1);
                        Cluster::new(Some(&peers), 9).check_start(Ok(()), what, 2, digest, &layer)
                    };
                    scope.spawn(begin)
                });
                let ranks: Vec<_> = ranks.collect();
                ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Vec<_>>()
            })
        };
        let empty_digest = holdings_digest(&[]);
        assert_eq!(begun([1, 1], empty_digest), [Ok(()), Ok(())]);
        assert_eq!(begun([1, 2], empty_digest), [Err(Error::RanksDiffer), Err(Error::RanksDiffer)]);
        assert_eq!(begun([1, 1], 7), [Err(Error::RanksDiffer), Err(Error::RanksDiffer)], "spread otherwise");
    }
}
