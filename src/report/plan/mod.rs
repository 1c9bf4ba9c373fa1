//! `Plan`: a repair as a document that `apply` reads back.

mod cases;
mod difference;
mod document;
mod done;
mod text;

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
        /// JSON, as the contract defines it.
        Json = "json",
        /// YAML with the content of the JSON.
        Yaml = "yaml",
    }
}

impl Default for PlanFormat {
    /// Only text leads to the question whether the plan is carried out.
    fn default() -> Self {
        Self::Text
    }
}

/// A plan to be printed, with what was looked at before.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// What was looked at, and what was seen.
    pub guards: &'a [Guard],
    /// The cluster for which it was made.
    pub cluster: &'a Origin,
    /// What the model assumes about Kubernetes.
    pub model: Model,
}

impl PlanFormat {
    /// The plan in this format, for people in that manner.
    ///
    /// # Errors
    /// Where it cannot be put into it, which is a bug.
    pub fn render(self, shown: Shown<'_>, manner: PlanStyle<'_>) -> Result<String, Error> {
        let Shown { plan, guards, cluster, model } = shown;
        match self {
            Self::Text => Ok(text::text(plan, guards, manner)),
            Self::Json => json(&PlanDocument::new(plan, cluster, guards, model)),
            Self::Yaml => yaml(&PlanDocument::new(plan, cluster, guards, model)),
        }
    }
}
