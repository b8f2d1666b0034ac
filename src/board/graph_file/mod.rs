//! Graph files: lists of edges, lists of neighbours, 0/1 matrices, DIMACS, TSPLIB, graph6 and sparse6.
//!
//! [`parse()`] recognises the format by the signature in the text and never guesses. A file that has two
//! readings with different graphs is rejected, as is every other format, by its name.
//!
//! ```text
//! a b              edges, two names a line. One separator in the whole file: blanks, tabs or one comma.
//! c                A name alone below the first line is a vertex. `#` begins a comment at the start of a line
//!                  or after a blank; a line that begins with `%` is a comment.
//! from,to          A header of known column names is skipped, with a note.
//! 4 5              A first line with the numbers of vertices and edges is skipped, with a note.
//!
//! a: b c           lists of neighbours; each edge is in one list, or each edge is in two lists; `a:b c` if it
//!                  cannot be an edge
//!
//! 011              a symmetric 0/1 matrix, with or without blanks or commas between the entries;
//! 101              vertices are numbers from 1
//! 110
//!
//! c a comment      DIMACS: vertices are numbers from 1. Arcs (`a 1 2`) must occur in both directions.
//! p edge 3 2
//! e 1 2
//!
//! TYPE : HCP       TSPLIB, with an EDGE_LIST or an ADJ_LIST
//!
//! DqK              graph6, a graph a line; the only word of a file is read as one
//! :Fa@x^           sparse6, a graph a line
//! ```
//!
//! ```text
//! text -> split_lines -> Line -> check_foreign -> parser of the format -> EdgeSet -> GraphFile: graph, notes
//! ```
//!
//! Repeated edges count once and loops are ignored; notes report both. The vertices of a list of edges or
//! neighbours are in numerical order if all names are numbers, otherwise in the order of their first
//! occurrence. An empty file is a graph without vertices.

mod adjacency;
mod dimacs;
mod edge_list;
mod edge_set;
mod edge_table;
mod error;
mod first_line;
mod foreign;
mod graph6_lines;
mod hcp;
mod header;
mod labels;
mod lines;
mod matrix;
mod parse;
mod second_sizes;
mod vertex_name;

pub use edge_set::GraphFile;
pub use error::GraphFileError;
pub use parse::{parse, parse_all};
