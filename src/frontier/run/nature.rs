//! What tells the size of a sweep's layers beside its plan.

use crate::frontier::block::modulus::Modulus;
use crate::frontier::run::tariff::Weighing;

/// What tells the size of layers beside the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nature {
    /// Whether layers are as those of rectangles.
    pub familiar: bool,
    /// What weights are counted modulo.
    pub modulo: Option<Modulus>,
}

impl Nature {
    /// Of exact counts.
    #[must_use]
    pub const fn exact(familiar: bool) -> Self {
        Self { familiar, modulo: None }
    }

    /// The weights of a layer, the greatest of which would have so many bits.
    #[must_use]
    pub fn weighing(self, bits: f64) -> Weighing {
        self.modulo.map_or(Weighing::Exact(bits), |modulo| Weighing::Lane(modulo.width().bytes() as f64))
    }
}
