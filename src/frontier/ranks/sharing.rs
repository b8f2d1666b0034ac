//! What a sweep has to do with other ranks, from its first step to its last.
//!
//! Alone it has nothing to do: every question is answered at once by what this rank says.

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

/// What others do of a step, if there are others.
#[derive(Debug, Default)]
pub struct Foreign {
    /// The target chunks that they make.
    pub chunks: Vec<usize>,
    /// Bytes sent to them.
    pub sent: u64,
    /// Why this rank cannot take in what it was sent: the others have yet to be told.
    pub halted: Option<Halt>,
}

/// How a sweep is shared.
pub struct Sharing<'a> {
    agreement: Agreement<'a>,
    /// Steps of the sweep.
    steps: usize,
    /// Who holds which chunk of the layer.
    holdings: Vec<Holding>,
    /// Digest of it, 0 alone.
    digest: u64,
}

impl<'a> Sharing<'a> {
    /// With the ranks that `peers` connects, for a sweep of so many steps.
    #[must_use]
    pub fn new(peers: Option<&'a dyn Peers>, steps: usize) -> Self {
        Self { agreement: Agreement::new(peers), steps, holdings: Vec::new(), digest: 0 }
    }

    /// Which of how many ranks this is.
    #[must_use]
    pub fn place(&self) -> (usize, usize) {
        self.agreement.place()
    }

    /// Whether there are others.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.agreement.peers().is_some()
    }

    /// Digest of which rank holds what.
    #[must_use]
    pub const fn digest(&self) -> u64 {
        self.digest
    }

    /// What every rank has come to in step `t`, by rank.
    ///
    /// # Errors
    /// This rank's own, another's, or the connection is lost.
    pub fn agree<T>(&self, mine: Result<T, Error>, t: usize) -> Result<Vec<T>, Error>
    where
        T: serde::Serialize + serde::de::DeserializeOwned,
    {
        self.agreement.agree(mine, |what| self.lost(what, t))
    }

    /// Makes sure that all ranks are about to make the same step `first` of the same sweep, of which `what` is a
    /// digest, from parts that make a whole layer: those that were spread as `digest` says.
    ///
    /// # Errors
    /// [`Error::Apart`] if they are not; this rank's own, if it is not ready, or another's.
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
        // Parts of a layer that was spread otherwise do not make a whole one.
        if is_apart || first > 0 && self.digest != digest {
            return Err(Error::Apart);
        }
        Ok(())
    }

    /// Spreads step `t` over the ranks, if there are others, and brings the sources to where they are read.
    ///
    /// # Errors
    /// The connection is lost.
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

    /// What all ranks did in step `t`, together. `made` is this rank's part, `layer` what it holds after it.
    ///
    /// # Errors
    /// This rank's own, or another's.
    pub fn together(&mut self, made: Result<Share, Error>, layer: &Shelf, t: usize) -> Result<Share, Error> {
        let is_shared = self.is_shared();
        let chunks = || if is_shared { layer.sizes() } else { Vec::new() };
        let all = self.agree(made.map(|share| Share { chunks: chunks(), ..share }), t)?;
        let together;
        (together, self.holdings) = Share::together(all);
        self.digest = if is_shared { digest_of(&self.holdings) } else { 0 };
        Ok(together)
    }

    /// The connection is lost in step `t`.
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
