//! Memory that numpy reads in place: the vertices of a tour, and tables of tours. A vertex takes one byte on
//! boards of up to 256 squares, so that lists of millions of tours fit in memory.

/// Vertices of a tour, in order of visit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CompactVertices {
    /// Vertices of a board of at most 256 squares.
    Bytes(Box<[u8]>),
    /// Vertices of a larger board.
    Words(Box<[u32]>),
}

impl CompactVertices {
    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(all) => all.len(),
            Self::Words(all) => all.len(),
        }
    }

    /// Returns the vertex at a position, or `None` beyond the end.
    pub fn get(&self, position: usize) -> Option<u32> {
        match self {
            Self::Bytes(all) => all.get(position).map(|&v| u32::from(v)),
            Self::Words(all) => all.get(position).copied(),
        }
    }

    /// Returns an iterator over the vertices.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).filter_map(|place| self.get(place))
    }

    /// Returns the address of the first vertex, and the type string of numpy for its elements.
    pub fn address_and_type(&self) -> (usize, &'static str) {
        match self {
            Self::Bytes(all) => (all.as_ptr() as usize, "|u1"),
            Self::Words(all) if cfg!(target_endian = "big") => (all.as_ptr() as usize, ">u4"),
            Self::Words(all) => (all.as_ptr() as usize, "<u4"),
        }
    }
}

impl From<Vec<u32>> for CompactVertices {
    /// Converts the vertices of a whole tour. All are below its length.
    fn from(all: Vec<u32>) -> Self {
        if all.len() <= 256 {
            return Self::Bytes(all.into_iter().map(|v| v as u8).collect());
        }
        Self::Words(all.into())
    }
}
