//! Signatures of states: their numbers, the moves of a step between them, and sets of signatures
//! such as those that can be completed.
//!
//! A state of the frontier consists of a *signature*, the degree of every slot, and a perfect
//! matching of its ends. Signatures are bits of *words*. The [choices](choice::Choice) of a step
//! become [moves](moves::Move) of words, equal for all signatures that agree on the digits that the
//! step touches, so sets of signatures are processed 81 at a time. A
//! [`SignatureTable`](signature_table::SignatureTable) stores such a set. Sets are the signatures
//! that can be completed ([`Feasibility`](feasibility::Feasibility)), the representatives of mirror
//! images ([`MirrorFold`](mirror_fold::MirrorFold)), the signatures of one shard
//! ([`ShardFilter`](shard::ShardFilter)), and the pairs that are compatible at the cut of a
//! two-sided sweep ([`CutAlignment`](cut_alignment::CutAlignment)). A
//! [`SignatureSpace`](space::SignatureSpace) is a plan with the numbering of its signatures.
//!
//! ```text
//! Plan -> SignatureSpace { WordNumbering } -> Step: choices -> StepMoves
//!      -> Feasibility (with the ShardFilter of a SweepShard), MirrorFold
//! ```
//!
//! The effect of a step on the matchings of a signature is in
//! [`matching_map`](crate::frontier::weights::matching_map).

pub mod bitset_step;
pub mod choice;
pub mod cut_alignment;
pub mod feasibility;
pub mod key_hasher;
pub mod matching_rank;
pub mod member_lists;
pub mod mirror_fold;
pub mod move_list_size;
pub mod moves;
pub mod shard;
pub mod signature_table;
pub mod space;
