//! What is swept, and in which order.
//!
//! A *field* is a graph with what helps to sweep it: its symmetries, and lines if it lies in the
//! plane. The tours asked for are the Hamiltonian *cycles* of that graph, or of the graph with one
//! more vertex, the apex. An *order* of the vertices is searched for: lines, greedy, then simulated
//! *annealing*, judged by a *price*; of boards that are counted often one was *found* by long searches.
//! The *plan* makes it into *steps*, by a *seating* of the frontier's vertices in as few *slots* as will
//! do, mirror images side by side.
//!
//! The plan of the *far* end begins where that of the near one would have ended. Where a symmetry makes it an image of the
//! near end, its *twin*, all of it but the edges inside the *front*, where both meet, is swept already.
//!
//! ```text
//! Field, Tours -> Cycles -> order (annealing by price) -> Plan { Seating -> Steps }
//! ```
//!
//! All of it takes a second at most and is the same at every run: layers, parts of a count and
//! snapshots go together only if they have the same plan.

pub mod annealing;
pub mod cancel;
pub mod capacity;
pub mod cycles;
pub mod far;
pub mod field;
pub mod found;
pub mod front;
pub mod order;
pub mod plan;
pub mod price;
pub mod seating;
pub mod slot;
pub mod step;
pub mod twin;
