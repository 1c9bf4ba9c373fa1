//! `PredictionList`: what will become of volumes and claims.

mod decision;
mod document;
pub mod ends;
mod folded;

pub use decision::{ComparedOut, DecisionOut, EventOut, OperationOut, TestOut, WriteOut};
pub use document::{
    AssumedOut, ClaimRefOut, Head, JointOut, JointStateOut, NeedOut, PredictionList, PredictionOut, StateOut,
    UnknownOut, WaitingOut,
};
pub use folded::write_folded;

use crate::report::shared::format::formats;

formats! {
    /// How predictions are printed.
    PredictionFormat {
        /// A table for about 80 columns.
        Table = "table",
        /// The same with more columns.
        Wide = "wide",
        /// JSON, as the contract defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
        /// TYPE/NAME, one object a line.
        Name = "name",
    }
}
