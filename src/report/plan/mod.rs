//! `Plan`: a repair as a document that `apply` can read.

mod cases;
mod difference;
mod document;
mod done;
pub mod text;

pub use cases::cases;
pub use difference::Difference;
pub use document::{
    ExpectedOut, GuardOut, InverseOut, KIND, ModelStated, Named, PlanDocument, Preconditions, StepOut, WriteOut,
};
pub use done::done;
pub use text::{PlanStyle, refused, what};

use crate::error::Error;
use crate::repair::{Guard, Origin, Plan};
use crate::report::shared::format::formats;
use crate::report::shared::json::json;
use crate::report::shared::machine::Model;
use crate::report::shared::yaml::yaml;

formats! {
    /// How a plan is printed.
    PlanFormat {
        /// Text for people.
        Text = "text",
        /// JSON, as the schema defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

impl Default for PlanFormat {
    /// Returns text as the default, because only with text the user is asked whether to carry out the plan.
    fn default() -> Self {
        Self::Text
    }
}

/// A plan to be printed, and the results of its guards.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The guards and their results.
    pub guards: &'a [Guard],
    /// The cluster for which the plan was made.
    pub cluster: &'a Origin,
    /// What the model assumes about Kubernetes.
    pub model: Model,
}

impl PlanFormat {
    /// Prints the plan in this format. `style` says how the text for people is printed.
    ///
    /// # Errors
    /// Returns an error if the plan cannot be encoded in the format, which is a bug.
    pub fn render(self, shown: Shown<'_>, style: PlanStyle<'_>) -> Result<String, Error> {
        let Shown { plan, guards, cluster, model } = shown;
        match self {
            Self::Text => Ok(text::text(plan, guards, style)),
            Self::Json => json(&PlanDocument::new(plan, cluster, guards, model)),
            Self::Yaml => yaml(&PlanDocument::new(plan, cluster, guards, model)),
        }
    }
}
