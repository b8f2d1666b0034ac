//! Running a sweep: options, steps, engines, estimates, observers.

pub mod advance;
pub mod engine;
pub mod estimate;
pub mod hashed;
pub mod observer;
pub mod sweep;
