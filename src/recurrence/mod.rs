//! What is behind the numbers of a family: the linear recurrence with constant coefficients that they obey.
//!
//! ```text
//! Play, width, Kind -> Transfer: states between lines, lumped -> terms mod p | exact terms
//! terms mod p -> Berlekamp-Massey, several p -> lifted -> verified on exact terms -> Recurrence
//! Recurrence -> generating function, factors, growth
//! ```
//!
//! Tours on strips of one width are walks through finitely many states (the transfer matrix, Stanley, Enumerative
//! Combinatorics 1, chapter 4.7), so their numbers obey a recurrence of an order no higher than the number of
//! these states, with integer coefficients (Fatou's lemma). The least one is found from terms modulo primes
//! (Massey, Shift-register synthesis and BCH decoding, 1969), lifted by the Chinese remainder theorem, and holds
//! for good once it holds for as many terms as there are states and coefficients together.

mod factor;
mod find;
mod growth;
mod lift;
mod massey;
mod modular;
mod polynomial;
pub mod published;
mod states;
mod transfer;

pub use factor::{Factor, factors};
pub use find::{Finding, Recurrence, find, find_after, holds};
pub use growth::{growth, growth_by_terms};
pub use massey::shortest;
pub use modular::{Modulus, primes};
pub use polynomial::Polynomial;
pub use transfer::{Exact, Modular, Transfer};
