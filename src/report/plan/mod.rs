//! `Plan`: a repair as a document that `apply` reads back.

mod difference;
mod document;
mod text;

pub use difference::Difference;
pub use document::{
    ExpectedOut, GuardOut, InverseOut, KIND, ModelStated, Named, PlanDocument, Preconditions, StepOut, WriteOut,
};
pub use text::{Manner, refused, text, what};
