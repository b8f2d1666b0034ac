//! The test-suite in one binary: linking it is slow, running it is not.

mod kernels;
mod listing;
mod oracle;
mod published;
mod random;
mod theorems;
