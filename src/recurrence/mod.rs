//! Linear recurrences with constant coefficients for the numbers of tours in a series of boards.
//!
//! ```text
//! rules, width, Kind -> TransferMatrix: states between lines, equivalent states merged
//! one or two transfer matrices -> StripTerms: modulo p | exact
//! exact terms, or rows of a series -> TermSequence
//! terms mod p -> Berlekamp-Massey, several p -> lifted to integers -> verified on exact terms -> Recurrence
//! Recurrence -> generating function, factors, growth rate
//! ```
//!
//! Tours on strips of one width are walks through finitely many states (the transfer matrix method; Stanley,
//! Enumerative Combinatorics 1, chapter 4.7). So their numbers obey a recurrence whose order is at most the
//! number of states, with integer coefficients (Fatou's lemma). The recurrence of least order is computed
//! from terms modulo primes (Massey, Shift-register synthesis and BCH decoding, 1969) and lifted by the
//! Chinese remainder theorem. It is proved once it holds for as many terms as there are states and
//! coefficients together.
//!
//! The generating function of such a sequence is one reduced fraction P / Q with Q(0) = 1. The order is the
//! degree of Q. The recurrence holds after as many terms as P has coefficients or Q has roots, whichever is
//! more. Modulo a prime the fraction may reduce further, never less. So the order modulo a prime, once
//! proved, is a lower bound for the order of every recurrence over the integers.

mod exact_search;
mod growth_rate;
mod modular_arithmetic;
mod polynomial;
pub mod published;
mod recurrence_search;
mod strip_states;
mod strip_terms;
mod term_sequence;
mod transfer_matrix;

pub use exact_search::{ExactStripTerms, ExactTermLimits, TermMismatch, check_terms};
pub use growth_rate::growth_rate;
pub use modular_arithmetic::PrimeModulus;
#[cfg(test)]
pub(crate) use modular_arithmetic::primes_descending;
pub use polynomial::{Factor, Polynomial, factors, format_sum};
pub use recurrence_search::{
    FittedRecurrence, ModularRecurrence, Recurrence, SearchOutcome, find_recurrence,
};
pub use strip_terms::{StripTerms, max_states_for_memory};
pub use term_sequence::{SequenceOutcome, TermSequence};
pub use transfer_matrix::{ExactTerms, ModularTerms, TransferMatrix};
