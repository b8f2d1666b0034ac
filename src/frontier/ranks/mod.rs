//! A sweep shared by several ranks: what is exchanged and what is agreed.

pub mod agreement;
pub mod peers;
pub mod spread;
