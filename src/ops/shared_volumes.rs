//! `shared`: lists the volumes that servers in the cluster serve to many pods, and checks the path to each server.

use super::gather::{Evidence, Gathered, Question, ReadOptions};
use super::rules::all_reads;
use super::{Status, named};
use crate::diagnosis::shared_volumes::PathIndex;
use crate::diagnosis::{AuditSettings, Finding, diagnose_named, rules};
use crate::engines::simulation;
use crate::error::Error;
use crate::model::{Kind, LabelFilter, ObjectArgument, ObjectKey};
use crate::progress::Progress;
use crate::report::shared_volumes::{SharedInput, SharedRow, SharedVolumeList};

/// The kinds of objects that a person can name for this verb.
pub const KINDS: [Kind; 2] = [Kind::PersistentVolume, Kind::PersistentVolumeClaim];

/// The options of `shared`.
#[derive(Debug)]
pub struct SharedOptions {
    /// The objects that were named. If there are none, all shared volumes in scope are listed.
    pub objects: Vec<ObjectArgument>,
    /// The labels that a volume or its claim must have.
    pub labels: Option<LabelFilter>,
    /// The options for reading and judging objects.
    pub read: ReadOptions,
}

impl SharedOptions {
    /// Returns the question to a source. `surroundings` are the surrounding kinds that the rules read.
    pub fn question<'a>(&'a self, surroundings: &'a [Kind]) -> Question<'a> {
        Question { evidence: Evidence::of_rules(rules::all(), surroundings), ..self.read.question() }
    }

    /// Returns the surrounding kinds that the rules read.
    pub fn surroundings() -> Vec<Kind> {
        all_reads()
    }
}

/// Lists the shared volumes that were read, and calls `show` with the answer.
///
/// # Errors
/// Returns an error if a named object does not exist, if a flag of the model does not fit what was read, or if `show`
/// fails.
pub fn shared_volumes(
    options: &SharedOptions,
    gathered: &Gathered,
    progress: &dyn Progress,
    show: impl FnOnce(&SharedVolumeList<'_>) -> Result<(), Error>,
) -> Result<Status, Error> {
    let snapshot = &gathered.snapshot;
    let settings = gathered.modelled.settings(snapshot, &options.read.model, false)?;
    let named = named::with_ties(snapshot, &options.objects, gathered.named_namespace())?;
    progress.step("looking", 0);
    let simulation = simulation(snapshot, settings, gathered.threads);
    let scrutiny = AuditSettings { providers: &gathered.providers, ..AuditSettings::everything() };
    let is_named = |object: &ObjectKey| named.as_ref().is_some_and(|named| named.contains(object));
    let findings = diagnose_named(&simulation, scrutiny, &is_named, gathered.threads).listed;
    let index = PathIndex::of(snapshot);
    let volumes = index.volumes(snapshot, &gathered.providers);
    let rows: Vec<SharedRow<'_>> = snapshot
        .volumes()
        .iter()
        .filter(|volume| named.is_none() || is_named(&ObjectKey::of(Kind::PersistentVolume, &volume.meta)))
        .filter_map(|volume| volumes.path(volume, snapshot))
        .map(|path| SharedRow::new(path, &findings))
        .filter(|row| options.shows(row, gathered.namespace.as_deref()))
        .collect();
    let is_left = |finding: &&Finding| {
        let here = gathered.namespace.as_ref().is_none_or(|namespace| finding.object.namespace == *namespace);
        rules::is_about_serving(finding.rule)
            && finding.object.kind != Kind::PersistentVolume
            && here
            && named.is_none()
    };
    let model = gathered.modelled.document();
    let leftovers = findings.iter().filter(is_left).collect();
    let list = SharedVolumeList::new(SharedInput { snapshot, model: &model, rows: &rows, leftovers });
    show(&list)?;
    Ok(if gathered.dropped() || list.is_incomplete() { Status::Unjudged } else { Status::Done })
}

impl SharedOptions {
    /// Returns whether the volume is in the scope.
    fn shows(&self, row: &SharedRow<'_>, namespace: Option<&str>) -> bool {
        let volume = row.path.volume;
        let of_claim = volume.claim_ref.as_ref().map_or("", |claim| claim.namespace.as_str());
        let has_labels = |labels: &LabelFilter| {
            labels.matches(&volume.meta.labels)
                || row.path.claim.is_some_and(|claim| labels.matches(&claim.meta.labels))
        };
        namespace.is_none_or(|namespace| of_claim == namespace) && self.labels.as_ref().is_none_or(has_labels)
    }
}
