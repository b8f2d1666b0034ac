//! A sweep among other ranks, or alone.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::frontier::Error;
use crate::frontier::ranks::peers::{Peers, consult};
use crate::frontier::ranks::spread::Held;
use crate::frontier::run::observer::Pulse;
use crate::frontier::state::tally::Tally;

/// The connection of a sweep to the other ranks.
#[derive(Clone, Copy, Default)]
pub struct Ranks<'a>(Option<&'a dyn Peers>);

/// A digest of which rank holds which chunk. All ranks come to the same.
#[must_use]
pub fn digest_of(held: &[Held]) -> u64 {
    let mut all: Vec<(usize, usize)> = held.iter().map(|held| (held.number, held.rank)).collect();
    all.sort_unstable();
    xxh3_64(format!("{all:?}").as_bytes())
}

/// What a rank tells the others after a step. The sum of all is what the sweep tells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Told {
    /// The work that its part of the step was.
    pub work: Tally,
    /// Bytes it holds.
    pub bytes: u64,
    /// Bytes it has held at most.
    pub peak_bytes: u64,
    /// Bytes in its store.
    pub stored: u64,
    /// Bytes sent in the step.
    pub sent: u64,
    /// Whether it is to rest: 0 no, 1 for a snapshot, 2 for good.
    pub pulse: u8,
    /// The chunks it holds now with their bytes.
    pub chunks: Vec<(usize, u64)>,
}

impl Told {
    /// What all ranks tell together, and who holds what.
    #[must_use]
    pub fn together(all: Vec<Self>) -> (Self, Vec<Held>) {
        let mut sum = Self::default();
        let mut held = Vec::new();
        for (rank, one) in all.into_iter().enumerate() {
            held.extend(one.chunks.into_iter().map(|(number, bytes)| Held { number, rank, bytes }));
            sum.work = sum.work.plus(one.work);
            sum.bytes += one.bytes;
            sum.peak_bytes = sum.peak_bytes.max(one.peak_bytes);
            sum.stored += one.stored;
            sum.sent += one.sent;
            // Anybody may stop; when to save is one clock's matter.
            if one.pulse == Pulse::Stop as u8 || rank == 0 {
                sum.pulse = sum.pulse.max(one.pulse);
            }
        }
        (sum, held)
    }
}

/// Why a rank has come to an end, for the others.
#[derive(Debug, Serialize, Deserialize)]
struct Failing {
    what: String,
    /// Step and steps, if it was told to stop: then all have been.
    stopped: Option<(usize, usize)>,
}

impl From<&Error> for Failing {
    fn from(error: &Error) -> Self {
        let stopped = match *error {
            Error::Stopped { step, steps } => Some((step, steps)),
            _ => None,
        };
        Self { what: error.to_string(), stopped }
    }
}

impl Failing {
    fn into_error(self, rank: usize) -> Error {
        match self.stopped {
            Some((step, steps)) => Error::Stopped { step, steps },
            None => Error::Peer { rank, what: self.what },
        }
    }
}

impl<'a> Ranks<'a> {
    /// The ranks that `peers` connects; one rank is alone.
    #[must_use]
    pub fn new(peers: Option<&'a dyn Peers>) -> Self {
        Self(peers.filter(|peers| peers.size() > 1))
    }

    /// The connection, if there are others.
    #[must_use]
    pub const fn peers(self) -> Option<&'a dyn Peers> {
        self.0
    }

    /// Which of how many ranks this is.
    #[must_use]
    pub fn place(self) -> (usize, usize) {
        self.0.map_or((0, 1), |peers| (peers.rank(), peers.size()))
    }

    /// What every rank has come to, by rank; alone, what this one has. All have to ask.
    ///
    /// # Errors
    /// This rank's own, or [`Error::Peer`] if another has come to an end; `lost` if the connection is.
    pub fn agree<T: Serialize + DeserializeOwned>(
        self,
        mine: Result<T, Error>,
        lost: impl Fn(String) -> Error,
    ) -> Result<Vec<T>, Error> {
        let Some(peers) = self.0 else { return Ok(vec![mine?]) };
        let (own, told) = match mine {
            Ok(mine) => (None, Ok(mine)),
            Err(error) => {
                let told = Failing::from(&error);
                (Some(error), Err(told))
            }
        };
        let told: Result<Result<T, Failing>, String> = Ok(told);
        let all = consult(peers, &told).map_err(|error| lost(error.to_string()))?;
        if let Some(error) = own {
            return Err(error);
        }
        let all = all.into_iter().enumerate();
        all.map(|(rank, told)| told.map_err(&lost)?.map_err(|failing| failing.into_error(rank))).collect()
    }
}
