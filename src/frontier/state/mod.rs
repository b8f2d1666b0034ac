//! What a state is: degrees packed into signatures, matchings of the ends, what can be completed, folded or cut.

pub mod cut;
pub mod feasibility;
pub mod fold;
pub mod matching;
pub mod signature;
pub mod tally;
