//! `Explanation`: why one object is as it is, and who has to act.

mod binding;
mod class;
mod danger;
mod divergence;
mod document;
mod driver;
mod headline;
#[cfg(test)]
mod tests;
mod text;

pub use binding::{BindingOut, FieldOut};
pub use class::ClassOut;
pub use divergence::{DivergenceOut, RESYNCS};
pub use document::{Asked, EvidenceOut, Explanation, NextOut, UserOut};
pub use driver::{Awaited, DriverOut};
