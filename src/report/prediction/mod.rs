//! `PredictionList`: the predicted outcomes of volumes and claims.

mod attachments;
mod created;
mod decision;
mod document;
mod ends;
mod folded;
mod json;
mod name;
mod table;
mod yaml;

pub use attachments::{AttachmentEndOut, AttachmentEndsOut, RecordEndOut};
pub use decision::{ComparedOut, DecisionOut, EventOut, OperationOut, TestOut, WriteOut};
pub use document::{
    AssumedOut, ClaimRefOut, CreatedOut, Head, JointOut, JointStateOut, NeedOut, PredictionList, PredictionOut,
    StateOut, UnknownOut, WaitingOut,
};
pub use folded::write_folded;

use crate::diagnosis::Diagnosis;
use crate::error::Error;
use crate::model::{Kind, ObjectId};
use crate::report::contexts::ContextListFormat;
use crate::report::shared::format::formats;
use crate::report::shared::machine::Model;
use crate::report::shared::table::TableView;
use crate::simulate::{Prediction, Simulation};
use std::collections::BTreeSet;
use std::io::Write;

formats! {
    /// How predictions are printed.
    PredictionFormat {
        /// A table for about 80 columns.
        Table = "table",
        /// The table with more columns.
        Wide = "wide",
        /// JSON, as the schema defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
        /// TYPE/NAME of each object, one on each line.
        Name = "name",
    }
}

/// The predictions to print. They are made on several threads during the printing, and are not kept in memory.
pub trait Predictions<'s> {
    /// Returns the simulation that makes the predictions.
    fn simulation(&self) -> &Simulation<'s>;

    /// Returns what the model assumes about Kubernetes.
    fn model(&self) -> Model;

    /// Makes the predictions in batches. `predict` makes each prediction. The options decide which predictions are
    /// shown. `render` adds these predictions to the output of the batch, which is a `T`. It also gets the diagnoses,
    /// if they are made. `predict` and `render` run on any thread. `write` gets the output of each batch on this
    /// thread, in the order of the objects.
    ///
    /// # Errors
    /// Returns the first error of `render` and `write`.
    fn each<T: Default + Send>(
        &self,
        predict: impl Fn(ObjectId) -> Prediction<'s> + Sync,
        render: impl Fn(&Prediction<'s>, Option<&Diagnosis>, &mut T) -> Result<(), Error> + Sync,
        write: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Does the same as [`Self::each`] with the joint outcomes of these components. A component is left out if its
    /// joint outcomes are unknown or too many.
    ///
    /// # Errors
    /// Returns the first error of `render` and `write`.
    fn each_joint<T: Default + Send>(
        &self,
        components: &BTreeSet<usize>,
        render: impl Fn(&JointOut<'_>, &mut T) -> Result<(), Error> + Sync,
        write: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Returns how the attachments of volumes end. The value is `None` if this was not asked.
    fn attachments(&self) -> Option<Vec<AttachmentEndsOut>>;

    /// Prints a note after the predictions.
    fn note(&self, text: &str);

    /// Prints what people have to know before they read the predictions. For the kinds in `assumed`, the input is
    /// assumed to hold all objects. `is_empty` says that no prediction is shown.
    fn remark(&self, assumed: &BTreeSet<Kind>, is_empty: bool);
}

impl PredictionFormat {
    /// Returns the columns of the table by which it can be sorted.
    pub fn columns(self) -> Vec<&'static str> {
        table::columns(self == Self::Wide)
    }

    /// Returns the format for the answers of several clusters, if each answer has this format. The result is `None` if
    /// the lines of this format do not name the cluster.
    pub fn of_several(self) -> Option<ContextListFormat> {
        match self {
            Self::Table | Self::Wide => Some(ContextListFormat::Sections),
            Self::Json => Some(ContextListFormat::Json),
            Self::Yaml => Some(ContextListFormat::Yaml),
            Self::Name => None,
        }
    }

    /// Writes the predictions in this format. `view` says how a table is written.
    ///
    /// # Errors
    /// Returns the error of the writer, or an error if a prediction cannot be encoded in the format, which is a bug.
    pub fn write<'s>(
        self,
        predictions: &impl Predictions<'s>,
        view: TableView<'_>,
        output: &mut impl Write,
    ) -> Result<(), Error> {
        match self {
            Self::Table => table::write(predictions, false, view, output),
            Self::Wide => table::write(predictions, true, view, output),
            Self::Json => json::write(predictions, output),
            Self::Yaml => yaml::write(predictions, output),
            Self::Name => name::write(predictions, output),
        }
    }
}
