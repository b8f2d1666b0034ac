//! One step of a sweep: the processing of one vertex.

use crate::encoder::Encoder;
use crate::frontier::problem::slot::Slot;

/// A neighbour that is processed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Later {
    /// Where it sits.
    pub slot: Slot,
    /// Whether this step touches it first.
    pub fresh: bool,
    /// The factor of the edge to it.
    pub factor: i32,
}

/// The processing of one vertex: all its edges ahead are decided, and it leaves the frontier, unless it *stays*.
#[derive(Clone, Debug)]
pub struct Step {
    /// The vertex.
    pub vertex: usize,
    /// Its slot, unless nothing has touched it yet.
    pub slot: Option<Slot>,
    /// Its neighbours that are still ahead.
    pub later: Vec<Later>,
    /// Whether it stays on the frontier: only the edges to `later` are decided, and more may follow.
    pub stays: bool,
    /// Slot of the neighbour that it must be joined to.
    pub compulsory: Option<Slot>,
    /// Slots in use after the step.
    pub occupied: u64,
    /// Image of each slot under a mirror that may fold the layer after this step.
    pub mirror: Option<Vec<Slot>>,
}

impl Later {
    /// Writes slot, `fresh` and factor.
    fn encode(&self, to: &mut Encoder) {
        let &Self { slot, fresh, factor } = self;
        to.number(slot.into());
        to.flag(fresh);
        to.signed(factor.into());
    }
}

impl Step {
    /// Writes all fields in the order of their declaration.
    pub fn encode(&self, to: &mut Encoder) {
        let Self { vertex, slot, later, stays, compulsory, occupied, mirror } = self;
        to.number(*vertex as u64);
        to.option(*slot, |to, slot| to.number(slot.into()));
        to.list(later, |to, later| later.encode(to));
        to.flag(*stays);
        to.option(*compulsory, |to, slot| to.number(slot.into()));
        to.number(*occupied);
        to.option(mirror.as_ref(), |to, image| to.list(image, |to, &slot| to.number(slot.into())));
    }
}
