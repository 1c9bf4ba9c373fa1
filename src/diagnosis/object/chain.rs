//! The way from an object to the object that has the cause.

use super::decisive::Decisive;
use super::headline::first_clause;
use crate::diagnosis::{Finding, Findings};
use crate::model::{Kind, ObjectKey};

/// One step on the way from an object to the object that has the cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The object that this step leads to.
    pub object: ObjectKey,
    /// How the object of the previous step is related to this object.
    pub link: &'static str,
    /// What is wrong with this object.
    pub says: String,
}

/// Returns how the first object is related to the second one, as a word that documents print.
fn link(from: Kind, to: Kind) -> &'static str {
    match (from, to) {
        (Kind::PersistentVolumeClaim, Kind::PersistentVolume)
        | (Kind::PersistentVolume, Kind::PersistentVolumeClaim) => "boundTo",
        (_, Kind::Node | Kind::CsiNode) => "scheduledOn",
        (_, Kind::VolumeAttachment) => "attachedBy",
        (_, Kind::StorageClass | Kind::CsiDriver) => "servedBy",
        (_, Kind::StatefulSet) => "ownedBy",
        (_, Kind::Namespace) => "inNamespace",
        (_, Kind::Pod) => "usedBy",
        (Kind::Pod | Kind::StatefulSet, Kind::PersistentVolumeClaim | Kind::PersistentVolume) => "uses",
        _ => "dependsOn",
    }
}

/// Returns the steps from the object to its worst finding, and from this finding to its root. A step that does not lead
/// to another object is left out.
pub(super) fn of(object: &ObjectKey, decisive: Decisive<'_>, findings: &Findings) -> Vec<Link> {
    let mut steps: Vec<&Finding> = vec![decisive.worst];
    // Each finding is visited once, because findings can follow from each other in a cycle.
    while let Some(next) = steps.last().filter(|last| !std::ptr::eq(**last, decisive.root)).and_then(|last| {
        let causes = last.role.caused_by.iter().filter_map(|place| findings.listed.get(*place));
        causes.min_by_key(|cause| cause.rank())
    }) {
        if steps.iter().any(|known| std::ptr::eq(*known, next)) {
            break;
        }
        steps.push(next);
    }
    if !steps.iter().any(|step| std::ptr::eq(*step, decisive.root)) {
        steps.push(decisive.root);
    }
    let mut links = Vec::new();
    let mut before = object;
    for step in steps {
        if step.object != *before {
            let says = first_clause(&step.message).0.to_owned();
            links.push(Link { object: step.object.clone(), link: link(before.kind, step.object.kind), says });
            before = &step.object;
        }
    }
    links
}
