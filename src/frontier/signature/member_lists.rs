//! For every combination of digits of some slots, the list of the choices that admit the
//! combination.
//!
//! A choice requires certain digits of at most three slots and admits any digits of the other
//! slots, so a choice is a member of many lists. A recursion fixes the digits slot by slot and
//! filters the choices at every slot. It writes every list once, in order. Cost: O(members of all
//! lists).

use crate::frontier::planning::cancel::{Cancel, Cancelled};

/// Number of slots whose combinations are listed between two checks for cancellation. They take some
/// milliseconds.
const SLOTS_PER_POLL: usize = 8;

/// The lists of all combinations of digits. The number of a list is the sum, over all slots, of the
/// digit of the slot times 3 to the power of the slot's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberLists {
    /// The members of all lists, one list after the other. The members of a list ascend.
    members: Vec<u16>,
    /// For each list, the index of its first member; then the number of all members.
    starts: Vec<usize>,
}

impl MemberLists {
    /// Lists the choices that admit each combination of digits. `admitted[slot][choice]` has a bit
    /// for each digit of the slot that the choice admits. `choices` is the number of choices.
    ///
    /// # Errors
    /// [`Cancelled`] if `cancel` is cancelled.
    ///
    /// # Panics
    /// If there are more than 2^16 choices.
    pub fn new(admitted: &[Vec<u8>], choices: usize, cancel: &Cancel) -> Result<Self, Cancelled> {
        let lists_of = |choice: usize| -> usize {
            admitted.iter().map(|slot| slot[choice].count_ones() as usize).product()
        };
        let mut starts = Vec::with_capacity(3usize.pow(admitted.len() as u32) + 1);
        starts.push(0);
        let mut lists = Self { members: Vec::with_capacity((0..choices).map(lists_of).sum()), starts };
        let number = |choice| u16::try_from(choice).expect("a step has at most 2^16 choices");
        let all: Vec<u16> = (0..choices).map(number).collect();
        lists.add_combinations(admitted, &all, &mut vec![Vec::new(); admitted.len()], cancel)?;
        Ok(lists)
    }

    /// Adds the lists of all combinations of digits of the slots in `admitted`, with members from
    /// `open` only. `buffers` has a buffer for each slot.
    fn add_combinations(
        &mut self,
        admitted: &[Vec<u8>],
        open: &[u16],
        buffers: &mut [Vec<u16>],
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        let Some(((slot, slots), (buffer, buffers))) = admitted.split_last().zip(buffers.split_last_mut())
        else {
            self.members.extend_from_slice(open);
            self.starts.push(self.members.len());
            return Ok(());
        };
        if slots.len() >= SLOTS_PER_POLL {
            cancel.check()?;
        }
        for digit in 0..3 {
            buffer.clear();
            buffer.extend(open.iter().filter(|&&choice| slot[usize::from(choice)] >> digit & 1 == 1));
            self.add_combinations(slots, buffer, buffers, cancel)?;
        }
        Ok(())
    }

    /// Returns the number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the members of the list with number `number`.
    #[inline(always)]
    #[must_use]
    pub fn list(&self, number: usize) -> &[u16] {
        &self.members[self.starts[number]..self.starts[number + 1]]
    }

    /// Returns the number of members of all lists.
    #[must_use]
    pub fn member_count(&self) -> usize {
        self.members.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the admitted digits of `slots` slots: some choices require a digit, some admit two
    /// digits, most admit all digits.
    fn sample(slots: usize, choices: usize) -> Vec<Vec<u8>> {
        let bits = |slot: usize, choice: usize| match (choice * 7 + slot * 5) % 11 {
            0 => 0b001,
            1 => 0b010,
            2 => 0b110,
            _ => 0b111,
        };
        (0..slots).map(|slot| (0..choices).map(|choice| bits(slot, choice)).collect()).collect()
    }

    #[test]
    fn lists_have_the_choices_that_admit_their_digits() {
        for (slots, choices) in [(0, 3), (1, 0), (1, 5), (4, 30), (6, 100)] {
            let admitted = sample(slots, choices);
            let lists = MemberLists::new(&admitted, choices, &Cancel::default()).unwrap();
            assert_eq!(lists.len(), 3usize.pow(slots as u32));
            for number in 0..lists.len() {
                let is_admitted = |choice: &usize| {
                    (0..slots).all(|s| admitted[s][*choice] >> (number / 3usize.pow(s as u32) % 3) & 1 == 1)
                };
                let expected: Vec<u16> = (0..choices).filter(is_admitted).map(|c| c as u16).collect();
                assert_eq!(lists.list(number), expected, "list {number} of {slots} slots");
            }
            assert_eq!(lists.members.capacity(), lists.member_count(), "the members are allocated once");
        }
    }

    #[test]
    fn new_polls_while_there_are_many_lists() {
        let admitted = sample(SLOTS_PER_POLL + 2, 4);
        let (never, polls) = Cancel::after_polls(usize::MAX);
        MemberLists::new(&admitted, 4, &never).unwrap();
        assert_eq!(polls.count(), 1 + 3);
        for limit in 0..4 {
            assert_eq!(MemberLists::new(&admitted, 4, &Cancel::after_polls(limit).0), Err(Cancelled));
        }
    }
}
