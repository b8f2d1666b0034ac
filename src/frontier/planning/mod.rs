//! Planning of a sweep: the graph, the cycles to count, the vertex order, the slots, and the steps.
//!
//! A [`SweepGraph`](problem::SweepGraph) is a graph with the data that help to sweep it:
//! symmetries, factors of edges, and the lines (rows or columns) of a flat board. Tours are the
//! Hamiltonian [`Cycles`](problem::Cycles) of that graph, or of the graph with one extra vertex,
//! the apex. A search finds an order of the vertices: line by line, greedily, then by simulated
//! annealing, with the expected number of states as the cost. Boards that are counted often have a
//! stored order. A [`Plan`](plan::Plan) turns the order into [`Step`](plan::Step)s and assigns the
//! frontier vertices to as few *slots* as possible, mirror images to neighbouring slots.
//!
//! A two-sided sweep also has a plan of the right half, which starts at the last vertices of the
//! order and ends at the *cut*, where both halves are joined. If a symmetry maps the right half to
//! the first steps of the left half ([`SymmetricHalf`](symmetric_half::SymmetricHalf)), those steps
//! are executed once for both halves, and the right half has only the steps for edges between cut
//! vertices. [`Phase`](phase::Phase)s list which steps of which plan are executed, in order.
//!
//! ```text
//! SweepGraph, Tours -> Cycles -> order (annealing by cost) -> Plan { SlotAssignment -> Steps }
//! ```
//!
//! Planning takes a second at most and is deterministic. Layers, shards of a count and snapshots
//! can be combined only if they have the same plan.

pub mod annealing;
pub mod cancel;
pub mod known_orders;
pub mod order_cost;
pub mod order_search;
pub mod phase;
pub mod plan;
pub mod problem;
pub mod right_half;
pub mod slots;
pub mod step_group;
pub mod symmetric_half;
