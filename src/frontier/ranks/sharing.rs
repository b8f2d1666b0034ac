//! The ranks of a sweep, from its first step to its last.
//!
//! With a single rank all operations return at once with that rank's own result.

use crate::frontier::layer::keeper::Keeper;
use crate::frontier::layer::shelf::Shelf;
use crate::frontier::layer::step::Halt;
use crate::frontier::layer::stride::Stride;
use crate::frontier::ranks::agreement::Agreement;
use crate::frontier::ranks::error::Error;
use crate::frontier::ranks::exchange::{Broken, Exchange};
use crate::frontier::ranks::peers::Peers;
use crate::frontier::ranks::share::{Holding, Share, digest_of};
use crate::frontier::ranks::spread::Spread;
use crate::frontier::state::course::Course;

/// The work of other ranks in a step.
#[derive(Debug, Default)]
pub struct Foreign {
    /// Numbers of the target chunks that they compute.
    pub chunks: Vec<usize>,
    /// Number of bytes sent to them.
    pub sent: u64,
    /// Error of this rank while receiving chunks; the other ranks have not been informed.
    pub halted: Option<Halt>,
}

/// The ranks that share a sweep.
pub struct Sharing<'a> {
    agreement: Agreement<'a>,
    /// Number of steps of the sweep.
    steps: usize,
    /// Chunks of the layer with the ranks that hold them.
    holdings: Vec<Holding>,
    /// Digest of these; 0 with a single rank.
    digest: u64,
}

impl<'a> Sharing<'a> {
    /// Creates the cluster of the ranks that `communicator` connects, for a sweep of `steps` steps.
    #[must_use]
    pub fn new(peers: Option<&'a dyn Peers>, steps: usize) -> Self {
        Self { agreement: Agreement::new(peers), steps, holdings: Vec::new(), digest: 0 }
    }

    /// Returns the number of this rank and the number of ranks.
    #[must_use]
    pub fn place(&self) -> (usize, usize) {
        self.agreement.place()
    }

    /// Returns true if there are other ranks.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.agreement.peers().is_some()
    }

    /// Returns the digest of the assignment of chunks to ranks.
    #[must_use]
    pub const fn digest(&self) -> u64 {
        self.digest
    }

    /// Returns the results of all ranks in step `t`, by rank.
    ///
    /// # Errors
    /// This rank's own error, that of another rank, or a lost connection.
    pub fn agree<T>(&self, mine: Result<T, Error>, t: usize) -> Result<Vec<T>, Error>
    where
        T: serde::Serialize + serde::de::DeserializeOwned,
    {
        self.agreement.agree(mine, |what| self.lost(what, t))
    }

    /// Checks that all ranks are about to make the same step `first` of the same sweep, described by
    /// `description`, and that their chunks form a whole layer: `digest` is the digest of their distribution.
    ///
    /// # Errors
    /// [`Error::RanksDiffer`] if they are not; this rank's own error `own_result`, or that of another rank.
    pub fn begin(
        &mut self,
        ready: Result<(), Error>,
        what: u64,
        first: usize,
        digest: u64,
        layer: &Shelf,
    ) -> Result<(), Error> {
        if !self.is_shared() {
            return ready;
        }
        let mine = ready.map(|()| ((what, first, digest), layer.sizes()));
        let all = self.agree(mine, first)?;
        let is_apart = all.iter().any(|one| one.0 != all[0].0);
        let shares = all.into_iter().map(|(_, chunks)| Share { chunks, ..Share::default() });
        (_, self.holdings) = Share::together(shares.collect());
        self.digest = digest_of(&self.holdings);
        // Parts of layers with different distributions do not form a whole layer.
        if is_apart || first > 0 && self.digest != digest {
            return Err(Error::Apart);
        }
        Ok(())
    }

    /// Distributes step `t` over the ranks, if there are others, and exchanges the source chunks.
    ///
    /// # Errors
    /// If the connection is lost.
    pub fn spread(
        &self,
        course: &Course,
        stride: &Stride,
        layer: &Shelf,
        keeper: &Keeper,
        t: usize,
    ) -> Result<Foreign, Error> {
        let Some(peers) = self.agreement.peers() else { return Ok(Foreign::default()) };
        let spread = Spread::new(course, stride, t, &self.holdings, peers.size());
        let chunks = spread.of_others(peers.rank());
        match (Exchange { spread: &spread, layer, keeper, peers }).run(stride) {
            Ok(sent) => Ok(Foreign { chunks, sent, halted: None }),
            Err(Broken::Here(halt)) => Ok(Foreign { chunks, sent: 0, halted: Some(halt) }),
            Err(Broken::Lost(what)) => Err(self.lost(what, t)),
        }
    }

    /// Gathers the reports of all ranks about step `t` and returns their sum. `own_report` is the report of
    /// this rank, `layer` its chunks after the step.
    ///
    /// # Errors
    /// This rank's own error, or that of another rank.
    pub fn together(&mut self, made: Result<Share, Error>, layer: &Shelf, t: usize) -> Result<Share, Error> {
        let is_shared = self.is_shared();
        let chunks = || if is_shared { layer.sizes() } else { Vec::new() };
        let all = self.agree(made.map(|share| Share { chunks: chunks(), ..share }), t)?;
        let together;
        (together, self.holdings) = Share::together(all);
        self.digest = if is_shared { digest_of(&self.holdings) } else { 0 };
        Ok(together)
    }

    /// Returns the error of a connection lost in step `t`.
    fn lost(&self, what: String, t: usize) -> Error {
        Error::Lost { step: t + 1, steps: self.steps, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontier::ranks::team::Team;
    use crate::frontier::state::tally::Tally;

    #[test]
    fn alone_there_is_nothing_to_agree_on() {
        let (mut sharing, layer) = (Sharing::new(None, 9), Shelf::new(3, 1));
        assert_eq!((sharing.is_shared(), sharing.place()), (false, (0, 1)));
        sharing.begin(Ok(()), 1, 4, 77, &layer).unwrap();
        let share = Share { tally: Tally { states: 5, ..Tally::default() }, ..Share::default() };
        assert_eq!(sharing.together(Ok(share.clone()), &layer, 4), Ok(share));
        assert_eq!(sharing.digest(), 0);
    }

    #[test]
    fn ranks_that_are_about_to_do_something_else_say_so() {
        let begun = |what: [u64; 2], digest: u64| {
            std::thread::scope(|scope| {
                let ranks = Team::of(2).into_iter().zip(what).map(|(peers, what)| {
                    let begin = move || {
                        let layer = Shelf::new(3, 1);
                        Sharing::new(Some(&peers), 9).begin(Ok(()), what, 2, digest, &layer)
                    };
                    scope.spawn(begin)
                });
                let ranks: Vec<_> = ranks.collect();
                ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Vec<_>>()
            })
        };
        let nobody_holds_anything = digest_of(&[]);
        assert_eq!(begun([1, 1], nobody_holds_anything), [Ok(()), Ok(())]);
        assert_eq!(begun([1, 2], nobody_holds_anything), [Err(Error::Apart), Err(Error::Apart)]);
        assert_eq!(begun([1, 1], 7), [Err(Error::Apart), Err(Error::Apart)], "spread otherwise");
    }
}
