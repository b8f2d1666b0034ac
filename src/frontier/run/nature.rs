//! The profile of a board determines the cost model together with the plan.

use crate::frontier::block::modulus::Modulus;
use crate::frontier::run::tariff::Weighing;

/// Properties of a sweep, apart from its plan, that determine the size of its layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nature {
    /// True if the layers are like those of rectangles.
    pub familiar: bool,
    /// The modulus of the weights; `None` for exact weights.
    pub modulo: Option<Modulus>,
}

impl Nature {
    /// Returns the profile of a sweep with exact weights.
    #[must_use]
    pub const fn exact(familiar: bool) -> Self {
        Self { familiar, modulo: None }
    }

    /// Returns the weight format of a layer whose greatest exact weight would have `bits` bits.
    #[must_use]
    pub fn weighing(self, bits: f64) -> Weighing {
        self.modulo.map_or(Weighing::Exact(bits), |modulo| Weighing::Lane(modulo.width().bytes() as f64))
    }
}
