//! To rank a tour, the states that it passes are computed from the first layer to the last. The tour is
//! followed unchanged until a layer contains its mirror image instead; from there on the image is followed.

use crate::frontier::state::matching::matching_index;
use crate::frontier::trail::error::IndexLayersError;
use crate::frontier::trail::origins::BackwardStep;
use crate::frontier::trail::state::SingleState;
use crate::frontier::trail::trails::IndexLayers;

/// A state that a tour passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateOnTour {
    /// The state that the layer contains.
    pub state: SingleState,
    /// True if it is the mirror image of the state of the tour.
    pub is_image: bool,
}

impl IndexLayers {
    /// Returns the states after every step of the tour with these edges.
    ///
    /// # Errors
    /// [`IndexLayersError::NotATour`] if every vertex does not have two of the edges, or an edge is not in
    /// the graph.
    pub(super) fn states_of_tour(
        &self,
        edges: &[(u32, u32)],
        backs: &[BackwardStep],
    ) -> Result<Vec<StateOnTour>, IndexLayersError> {
        let space = self.space.as_ref().ok_or(IndexLayersError::NotATour)?;
        let (plan, words, len) = (space.plan(), space.words(), self.cycles.len());
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); len];
        for &(a, b) in edges {
            let (a, b) = (a as usize, b as usize);
            if a.max(b) >= len || !self.cycles.neighbours(a).contains(&b) {
                return Err(IndexLayersError::NotATour);
            }
            near[a].push(b);
            near[b].push(a);
        }
        if near.iter().any(|near| near.len() != 2) {
            return Err(IndexLayersError::NotATour);
        }
        let mirrored = |near: &[Vec<usize>]| -> Vec<Vec<usize>> {
            let image = |v: usize| near[self.mirror[v]].iter().map(|&w| self.mirror[w]).collect();
            (0..len).map(image).collect()
        };
        // By vertex: its degree so far, and the other end of the partial path that it is an end of.
        let (mut degree, mut other) = (vec![0u32; len], (0..len).collect::<Vec<_>>());
        let mut passed = Vec::with_capacity(len);
        for (t, back) in backs.iter().enumerate() {
            let v = plan.steps()[t].vertex;
            for &w in near[v].iter().filter(|&&w| plan.step_of(w) > t) {
                let (a, b) = (other[v], other[w]);
                degree[v] += 1;
                degree[w] += 1;
                (other[a], other[b]) = (b, a);
            }
            let mut digits = [0u32; 64];
            let mut ends: Vec<(usize, usize)> = Vec::new();
            for (w, slot) in plan.frontier_slots(t) {
                digits[usize::from(slot)] = degree[w];
                if degree[w] == 1 {
                    ends.push((slot.into(), w));
                }
            }
            ends.sort_unstable();
            let mate =
                |&(_, w): &(usize, usize)| ends.iter().position(|&(_, end)| end == other[w]).map(|p| p as u8);
            let mates: Vec<u8> =
                ends.iter().map(mate).collect::<Option<_>>().ok_or(IndexLayersError::NotATour)?;
            let address = words.locate_signature(|slot| digits[slot]);
            let mut state = SingleState {
                word: words.word_at(address.word_number),
                bit: address.bit,
                matching: matching_index(&mates),
            };
            let image = back.fold.as_ref().and_then(|fold| Some((state.mirror_image(words, fold)?, fold)));
            let image = image.filter(|(image, fold)| !fold.is_representative(state.word, image.word));
            if let Some((image, _)) = image {
                state = image;
                near = mirrored(&near);
                degree = (0..len).map(|v| degree[self.mirror[v]]).collect();
                other = (0..len).map(|v| self.mirror[other[self.mirror[v]]]).collect();
            }
            passed.push(StateOnTour { state, is_image: image.is_some() });
        }
        Ok(passed)
    }
}
