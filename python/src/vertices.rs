//! The vertices of a tour in order of visit, a byte each where that does: a list of millions of tours has to fit.

/// Numbers of vertices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Vertices {
    /// Of boards of at most 256 squares.
    Bytes(Box<[u8]>),
    /// Of larger ones.
    Words(Box<[u32]>),
}

impl Vertices {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(all) => all.len(),
            Self::Words(all) => all.len(),
        }
    }

    /// One of them, if there are so many.
    pub fn get(&self, place: usize) -> Option<u32> {
        match self {
            Self::Bytes(all) => all.get(place).map(|&v| u32::from(v)),
            Self::Words(all) => all.get(place).copied(),
        }
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).filter_map(|place| self.get(place))
    }

    /// Where they are in memory, and what numpy calls such numbers.
    pub fn interface(&self) -> (usize, &'static str) {
        match self {
            Self::Bytes(all) => (all.as_ptr() as usize, "|u1"),
            Self::Words(all) if cfg!(target_endian = "big") => (all.as_ptr() as usize, ">u4"),
            Self::Words(all) => (all.as_ptr() as usize, "<u4"),
        }
    }
}

impl From<Vec<u32>> for Vertices {
    /// Of a whole tour: no number is greater than its length.
    fn from(all: Vec<u32>) -> Self {
        if all.len() <= 256 {
            return Self::Bytes(all.into_iter().map(|v| v as u8).collect());
        }
        Self::Words(all.into())
    }
}
