//! What a state is, and what can become of it.
//!
//! A state of the frontier is a *signature*, the degree of every slot, and a *matching* of its ends. Signatures are
//! bits of *words*; a step's *choices* become *moves* of words, the same for all signatures that agree on the digits
//! touched. So sets of signatures are handled 81 at a time: which can be completed (*feasibility*), which stands for
//! its mirror image (*fold*), which belongs to a part of the count (*cut*), which fits one of the other end (*fit*).
//! A *course* is a plan with the words of its signatures.
//!
//! ```text
//! Plan -> Course { Words } -> Step: choices -> Moves -> Feasibility (Filter of a Cut), Fold
//! ```
//!
//! Matchings are only numbered here; what a step does to all of them at once is the blocks' matter.

pub mod choice;
pub mod course;
pub mod cut;
pub mod feasibility;
pub mod fit;
pub mod fold;
pub mod matching;
pub mod mixer;
pub mod moves;
pub mod pulls;
pub mod signature;
pub mod table_room;
pub mod tally;
pub mod words;
