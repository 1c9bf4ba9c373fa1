//! What the controller of a storage system does with the Service and the Endpoints of a volume the next time.

use super::state::StateRecord;
use crate::controllers::shared_volume::{
    API_MANAGER, Act, ApiManager, Circumstances, Leaf, SeriesEnd, SharedVolume as Wanted, Stored, series,
};
use crate::snapshot::{Absence, Snapshot};
use crate::world::View;
use serde::Deserialize;

/// A controller of a storage system whose logic pvctl has.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum ModelledController {
    /// api-manager of StorageOS.
    #[serde(rename = "api-manager")]
    ApiManager,
}

/// What a controller does with a volume the next time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DryRun {
    /// The controller and the version whose rules apply.
    pub controller: String,
    /// When the controller looks at the volume the next time.
    pub when: &'static str,
    /// The leaves of the decision, in order. The last one is where it ends.
    pub leaves: Vec<Leaf>,
    /// The mount endpoint that is published.
    pub publishes: Option<String>,
    /// The error with which the decision ends.
    pub error: Option<String>,
    /// Whether the controller then does the same each time, without changing anything.
    pub repeats: bool,
}

impl DryRun {
    /// Returns what the controller does with the volume of the record. The result is `None` if pvctl does not have the
    /// logic of the controller, or if an object that it reads was not read.
    pub(super) fn of(snapshot: &Snapshot, record: &StateRecord) -> Option<Self> {
        let (volume, manager) = record.modelled.as_ref()?;
        let wanted = Wanted::of(volume)?;
        let (stored, doubts) = Stored::of(View::Snapshot(snapshot), &wanted);
        if doubts.values().any(|absence| matches!(absence, Absence::Unknown(_))) {
            return None;
        }
        let series = series(volume, stored, &Circumstances { manager: *manager, ..Circumstances::default() }, true);
        let first = series.decisions.first()?;
        let publishes = first.steps.iter().find_map(|step| match &step.act {
            Act::Publish(publication) => Some(publication.endpoint.clone()),
            _ => None,
        });
        let (version, when) = match manager {
            ApiManager::UpTo1_1 => ("1.1", "within 65 s"),
            ApiManager::From1_2 => (API_MANAGER, "when the Volume resource changes the next time"),
        };
        Some(Self {
            controller: format!("api-manager {version}"),
            when,
            leaves: first.path.clone(),
            publishes,
            error: first.error.clone(),
            repeats: matches!(series.end, SeriesEnd::Repeats { .. }),
        })
    }
}
