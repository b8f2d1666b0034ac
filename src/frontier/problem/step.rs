//! A [`Step`] decides all edges between its vertex and the later vertices; it names neighbours by their
//! slots, so it is independent of the graph.

use crate::encoder::Encoder;
use crate::frontier::problem::slot::Slot;

/// A neighbour that is processed later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaterNeighbour {
    /// Slot of the neighbour.
    pub slot: Slot,
    /// True if this step is the first to touch the neighbour.
    pub is_first_touch: bool,
    /// Factor of the edge to the neighbour.
    pub factor: i32,
}

/// A step of a sweep: decides all undecided edges of one vertex and removes it from the frontier, unless
/// `stays_on_frontier` is set.
#[derive(Clone, Debug)]
pub struct Step {
    /// Number of the vertex.
    pub vertex: usize,
    /// Slot of the vertex; `None` if no earlier step has touched it.
    pub slot: Option<Slot>,
    /// Neighbours that are processed later, to which edges are decided.
    pub later_neighbours: Vec<LaterNeighbour>,
    /// True if the vertex stays on the frontier: only its edges to `later_neighbours` are decided, and others
    /// may follow.
    pub stays_on_frontier: bool,
    /// Slot of the neighbour to which the vertex must be joined.
    pub compulsory_slot: Option<Slot>,
    /// Set of the slots in use after the step.
    pub occupied_slots: u64,
    /// Image of each slot under the mirror that folds the layer after this step; `None` if no mirror does.
    pub mirror_image: Option<Vec<Slot>>,
}

impl LaterNeighbour {
    /// Writes slot, `fresh` and factor.
    fn encode(&self, to: &mut Encoder) {
        let &Self { slot, is_first_touch: fresh, factor } = self;
        to.number(slot.into());
        to.flag(fresh);
        to.signed(factor.into());
    }
}

impl Step {
    /// Writes all fields in the order of their declaration.
    pub fn encode(&self, to: &mut Encoder) {
        let Self {
            vertex,
            slot,
            later_neighbours: later,
            stays_on_frontier: stays,
            compulsory_slot: compulsory,
            occupied_slots: occupied,
            mirror_image: mirror,
        } = self;
        to.number(*vertex as u64);
        to.option(*slot, |to, slot| to.number(slot.into()));
        to.list(later, |to, later| later.encode(to));
        to.flag(*stays);
        to.option(*compulsory, |to, slot| to.number(slot.into()));
        to.number(*occupied);
        to.option(mirror.as_ref(), |to, image| to.list(image, |to, &slot| to.number(slot.into())));
    }
}
