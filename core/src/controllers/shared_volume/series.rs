//! Repeated reconciliations of one volume, while nobody else changes anything.

use super::decision::{Act, Decision};
use super::desired::MOUNT_ENDPOINT_LABEL;
use super::input::{Circumstances, Stored};
use super::reconcile::reconcile;
use crate::model::StorageOsVolume;

/// Repeated reconciliations, up to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The decisions, in order.
    pub decisions: Vec<Decision>,
    /// How the series ends.
    pub end: SeriesEnd,
}

/// How repeated reconciliations end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeriesEnd {
    /// The last reconciliation changes nothing, and ends without an error.
    Settled,
    /// Each further reconciliation does the same: it sends requests that do not remove the difference, or ends with the
    /// same error.
    Repeats {
        /// The number of the first reconciliation that is repeated, from 0.
        from: usize,
        /// The requests that are sent again and again, in order.
        requests: Vec<Act>,
        /// The error with which each of them ends.
        error: Option<String>,
    },
}

/// Repeats the reconciliation of a volume until nothing changes any more. `follows` says whether the storage system
/// writes the mount endpoint that it gets into the label of the volume. The requests that fail belong to the first
/// reconciliation. The cache of api-manager up to 1.1 has expired before each of the others.
///
/// The series has an end. An update that is sent again for the same object changes nothing, so after two
/// reconciliations the Service and the Endpoints stay as they are, and after another one the label does.
pub fn series(volume: &StorageOsVolume, stored: Stored, of: &Circumstances, follows: bool) -> Series {
    let mut volume = volume.clone();
    let mut of = of.clone();
    let mut before = stored;
    let mut decisions: Vec<Decision> = Vec::new();
    loop {
        let decision = reconcile(Some(&volume), before.clone(), &of);
        let after = decision.stored.clone();
        let requests: Vec<Act> = decision.requests().map(|step| step.act.clone()).collect();
        let is_first = decisions.is_empty();
        let mut is_same = after == before;
        if let Some(endpoint) = published(&decision).filter(|_| follows) {
            is_same &= volume.label(MOUNT_ENDPOINT_LABEL) == endpoint;
            volume.labels.insert(MOUNT_ENDPOINT_LABEL.into(), endpoint.into());
        }
        let error = decision.error.clone();
        // Requests that failed in the first reconciliation may succeed in the next one.
        let is_final = is_same && (!is_first || of.refused.is_empty());
        let from = decisions.len();
        decisions.push(decision);
        if is_final {
            let end = if requests.is_empty() && error.is_none() {
                SeriesEnd::Settled
            } else {
                SeriesEnd::Repeats { from, requests, error }
            };
            return Series { decisions, end };
        }
        before = after;
        of = Circumstances { refused: [].into(), cached: None, ..of };
    }
}

/// Returns the mount endpoint that the storage system gets and takes.
fn published(decision: &Decision) -> Option<&str> {
    decision.steps.iter().find_map(|step| match &step.act {
        Act::Publish(publication) if step.refused.is_none() => Some(publication.endpoint.as_str()),
        _ => None,
    })
}
