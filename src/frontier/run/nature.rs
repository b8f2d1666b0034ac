//! The profile of a board determines the cost model together with the plan.

use crate::frontier::block::modulus::Modulus;
use crate::frontier::run::tariff::WeightFormat;

/// Properties of a sweep, apart from its plan, that determine the size of its layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoardProfile {
    /// True if the layers are like those of rectangles.
    pub is_rectangle: bool,
    /// The modulus of the weights; `None` for exact weights.
    pub modulo: Option<Modulus>,
}

impl BoardProfile {
    /// Returns the profile of a sweep with exact weights.
    #[must_use]
    pub const fn exact(is_rectangle: bool) -> Self {
        Self { is_rectangle, modulo: None }
    }

    /// Returns the weight format of a layer whose greatest exact weight would have `bits` bits.
    #[must_use]
    pub fn weight_format(self, bits: f64) -> WeightFormat {
        self.modulo.map_or(WeightFormat::Exact(bits), |modulo| {
            WeightFormat::Residue(modulo.stored_width().bytes() as f64)
        })
    }
}
