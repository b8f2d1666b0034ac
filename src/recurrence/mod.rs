//! What is behind the numbers of a family: the linear recurrence with constant coefficients that they obey.
//!
//! ```text
//! Play, width, Kind -> Transfer: states between lines, lumped; one or two -> Terms: mod p | exact
//! terms mod p -> Berlekamp-Massey, several p -> lifted -> verified on exact terms -> Recurrence
//! Recurrence -> generating function, factors, growth
//! ```
//!
//! Tours on strips of one width are walks through finitely many states (the transfer matrix, Stanley, Enumerative
//! Combinatorics 1, chapter 4.7), so their numbers obey a recurrence of an order no higher than the number of
//! these states, with integer coefficients (Fatou's lemma). The least one is found from terms modulo primes
//! (Massey, Shift-register synthesis and BCH decoding, 1969), lifted by the Chinese remainder theorem, and holds
//! for good once it holds for as many terms as there are states and coefficients together.
//!
//! A sequence is the series of one reduced fraction P / Q with Q(0) = 1, and its order is the degree of Q, wherever a
//! recurrence begins: it holds after as many terms as P has coefficients, or Q roots. Modulo a prime the fraction may be
//! reduced further, and never the other way. So the order modulo a prime, once it is proved, is a lower bound of that of
//! any recurrence of the integers.

mod factor;
mod find;
mod growth;
mod lift;
mod massey;
mod modular;
mod polynomial;
pub mod published;
mod short;
mod states;
mod terms;
mod transfer;

pub use factor::{Factor, factors};
pub use find::{Finding, Recurrence, find, find_after, holds, stride};
pub use growth::{growth, growth_by_terms};
pub use massey::shortest;
pub use modular::{Modulus, primes};
pub use polynomial::Polynomial;
pub use short::{Rule, Short};
pub use terms::{Terms, most_states};
pub use transfer::{Exact, Modular, Transfer};
