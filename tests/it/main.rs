//! The test-suite in one binary: linking it is slow, running it is not.

mod arenas;
mod batch;
mod boards;
mod check;
mod cli;
mod cylinder;
mod double;
mod find;
mod frontier;
mod frontier_published;
mod fuzz;
mod graph_files;
mod kernels;
mod listing;
mod oracle;
mod progress;
mod published;
mod random;
mod random_graphs;
mod ranks;
mod sweep_runs;
mod sweeps;
mod symmetric;
mod theorems;
mod verify;
mod without_limit;
