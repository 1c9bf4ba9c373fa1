//! Compares the parts of a predicted decision that are not effects: its leaves, what causes the next sync, and the fate
//! of the data. These parts have to agree with the actions of the real controllers.

use super::{Judged, Verdict, differ};
use crate::line::{Case, Object};
use anyhow::Result;
use pvctl::controllers::Branch;
use pvctl::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use pvctl::model::{ObjectId, PersistentVolume};
use pvctl::report::prediction::DecisionOut;
use pvctl::simulate::Decisions;
use pvctl::snapshot::Snapshot;
use serde_json::Value;
use std::collections::BTreeSet;

/// The effects that a leaf states: first the effects that must exist, then further effects that may exist. An event has
/// a colon after its name, followed by the beginning or any part of its message.
type Deeds = (&'static [&'static str], &'static [&'static str]);

const NOTHING: Deeds = (&[], &[]);
const CLAIM_STATUS: &[&str] = &["update pvc/status"];
const VOLUME_STATUS: &[&str] = &["update pv/status"];
const LOST: &[&str] = &["update pvc/status", "event ClaimLost: lost reference to"];
const LOST_VOLUME: &[&str] = &["update pvc/status", "event ClaimLost: has lost its PersistentVolume"];
const MISBOUND: &[&str] = &["update pvc/status", "event ClaimMisbound: Two claims are bound"];
const DELETE_FAILED: &[&str] = &["update pv", "update pv/status", "event VolumeFailedDelete: "];
const NO_RECYCLER: &[&str] = &["update pv/status", "event VolumeFailedRecycle: No recycler plugin"];
const RECYCLE_FAILED: &[&str] = &["update pv/status", "event VolumeFailedRecycle: Recycle failed: "];

/// The leaves at which the controller handles the deletion of an object.
const DELETIONS: [&str; 4] =
    ["VolumeDeletedClaimEnqueued", "VolumeDeletedUnclaimed", "ClaimDeletedVolumeEnqueued", "ClaimDeletedUnbound"];

/// The effects that each leaf states. Leaves that no recording can reach are missing: the leaves for keys that no
/// informer makes, and the leaves for answers of plugins that only a user of the library can script.
const LEAVES: &[(&str, Deeds)] = &[
    ("VolumeDeletedClaimEnqueued", (&["enqueue pvc"], &[])),
    ("VolumeDeletedUnclaimed", NOTHING),
    ("ClaimDeletedVolumeEnqueued", (&["enqueue pv"], &[])),
    ("ClaimDeletedUnbound", NOTHING),
    ("ClaimMigrationUpdateFailed", (&["update pvc refused", "error can't anneal migration annotations"], &[])),
    ("UnboundClaimBindingModeUnset", (&["error VolumeBindingMode not set"], &[])),
    ("UnboundClaimMatchFailed", (&["error error finding PV for claim"], &[])),
    ("UnboundClaimVolumeFound", NOTHING),
    ("UnboundClaimDefaultClassAssigned", (&["update pvc"], &[])),
    ("UnboundClaimDefaultClassFailed", (&["error can't update PersistentVolumeClaim["], &["update pvc"])),
    ("UnboundClaimWaitForFirstConsumer", (&["event WaitForFirstConsumer: first consumer"], CLAIM_STATUS)),
    ("UnboundClaimWaitForPodScheduled", (&["event WaitForPodScheduled: to be scheduled"], CLAIM_STATUS)),
    ("UnboundClaimProvisioningDisabled", NOTHING),
    ("UnboundClaimClassMissing", (&["event ProvisioningFailed: not found"], &[])),
    ("UnboundClaimInTreeProvisionerUnknown", (&["event ProvisioningFailed: plugin matched"], &[])),
    ("UnboundClaimProvisionExternal", (&["provision started"], &[])),
    ("UnboundClaimProvisionInTree", (&["provision started"], &["update pvc"])),
    ("UnboundClaimProvisionRunning", (&["provision running"], &[])),
    ("UnboundClaimProvisionBackoff", (&["provision backoff"], &[])),
    ("UnboundClaimNoVolumeNoClass", (&["event FailedBinding: no persistent volumes available"], CLAIM_STATUS)),
    ("UnboundClaimVolumeNameMissing", (&[], CLAIM_STATUS)),
    ("UnboundClaimVolumeMismatchDeleting", (&["event VolumeMismatch: marked for deletion"], CLAIM_STATUS)),
    ("UnboundClaimVolumeMismatchTooSmall", (&["event VolumeMismatch: too small"], CLAIM_STATUS)),
    ("UnboundClaimVolumeMismatchClass", (&["event VolumeMismatch: storageClassName does"], CLAIM_STATUS)),
    ("UnboundClaimVolumeMismatchAttributesClass", (&["event VolumeMismatch: ClassName does not match"], CLAIM_STATUS)),
    ("UnboundClaimVolumeMismatchAttributesClassUnsupported", (&["event VolumeMismatch: not supported"], CLAIM_STATUS)),
    ("UnboundClaimVolumeMismatchMode", (&["event VolumeMismatch: incompatible volumeMode"], CLAIM_STATUS)),
    ("UnboundClaimVolumeMismatchAccessMode", (&["event VolumeMismatch: incompatible accessMode"], CLAIM_STATUS)),
    ("UnboundClaimNamedVolumeFree", NOTHING),
    ("UnboundClaimNamedVolumeReserved", NOTHING),
    ("UnboundClaimNamedVolumeTaken", (&["event FailedBinding: already bound to a different claim"], CLAIM_STATUS)),
    (
        "UnboundClaimNamedVolumeTakenByController",
        (&["event FailedBinding: already bound to a different claim", "error invalid binding of claim"], &[]),
    ),
    ("BoundClaimVolumeNameCleared", (&[], LOST)),
    ("BoundClaimVolumeMissing", (&[], LOST_VOLUME)),
    ("BoundClaimVolumeUnbound", NOTHING),
    ("BoundClaimVolumeOurs", NOTHING),
    ("BoundClaimMisbound", (&[], MISBOUND)),
    ("VolumeMigrationUpdateFailed", (&["update pv refused", "error can't anneal migration annotations"], &[])),
    ("VolumeUnclaimed", (&[], VOLUME_STATUS)),
    ("VolumeReserved", (&[], VOLUME_STATUS)),
    ("VolumeClaimLookupFailed", (&["error "], &[])),
    ("VolumeClaimMissing", (&[], VOLUME_STATUS)),
    ("VolumeClaimReplaced", (&[], VOLUME_STATUS)),
    (
        "VolumeClaimModeMismatch",
        (&["event VolumeMismatch: bind PersistentVolume to", "event VolumeMismatch: to requested"], &[]),
    ),
    ("VolumeAwaitsClaim", NOTHING),
    ("VolumeDanglingAwaitsClaim", NOTHING),
    ("VolumeBound", (&[], VOLUME_STATUS)),
    ("VolumeSurplusDynamic", (&[], VOLUME_STATUS)),
    ("VolumeSurplusUnbindController", NOTHING),
    ("VolumeSurplusUnbindUser", NOTHING),
    ("CandidateReserved", NOTHING),
    ("CandidateChosen", NOTHING),
    ("BindNothingToDo", NOTHING),
    ("BindVolumeSaved", (&["update pv"], &[])),
    ("BindVolumeStatusSaved", (&["update pv/status"], &[])),
    ("BindClaimSaved", (&["update pvc"], &[])),
    ("BindClaimStatusSaved", (&["update pvc/status"], &[])),
    ("BindVolumeWithoutCapacity", (&["error without a storage capacity"], &[])),
    ("BindVolumeSaveFailed", (&["update pv refused", "error "], &[])),
    ("BindVolumeStatusFailed", (&["update pv/status refused", "error "], &[])),
    ("BindClaimSaveFailed", (&["update pvc refused", "error "], &[])),
    ("BindClaimStatusFailed", (&["update pvc/status refused", "error "], &[])),
    ("UnbindControllerBound", (&["update pv"], VOLUME_STATUS)),
    ("UnbindUserBound", (&["update pv"], VOLUME_STATUS)),
    ("UnbindFailed", (&["error "], &["update pv", "update pv/status"])),
    ("ReclaimMigrated", NOTHING),
    ("ReclaimRetain", NOTHING),
    ("ReclaimRecycle", (&["recycle started"], &[])),
    ("ReclaimDelete", (&["delete started"], &[])),
    ("ReclaimUnknownPolicy", (&[], &["update pv/status", "event VolumeUnknownReclaimPolicy: unrecognized"])),
    ("ReclaimRunning", (&[], &["delete running", "recycle running"])),
    ("ReclaimBackoff", (&[], &["delete backoff", "recycle backoff"])),
    ("DeletePluginMissing", (&[], &["update pv/status", "event VolumeFailedDelete: plugin"])),
    ("DeleteMarkFailed", (&["update pv/status refused"], &["update pv"])),
    ("DeleteExternal", NOTHING),
    ("DeleteVolumeGone", NOTHING),
    ("DeleteNotReleased", NOTHING),
    ("DeleteFailed", (&[], DELETE_FAILED)),
    ("DeleteSucceeded", (&["delete pv"], &["update pv"])),
    ("DeleteObjectRefused", (&["delete pv refused"], &["update pv"])),
    ("RecycleVolumeGone", NOTHING),
    ("RecycleNotReleased", NOTHING),
    ("RecycleVolumeUsed", (&["event VolumeFailedRecycle: is used by pods"], &[])),
    ("RecyclePluginMissing", (&[], NO_RECYCLER)),
    ("RecycleFailed", (&[], RECYCLE_FAILED)),
    ("RecycleSucceeded", (&["event VolumeRecycled: Volume recycled"], &[])),
    ("ExternalProvisionerSaveFailed", (&["update pvc refused", "event ProvisioningFailed: Error saving claim"], &[])),
    ("ExternalProvisionerRequested", (&["update pvc", "event ExternalProvisioning: Waiting"], &[])),
    ("ExternalProvisionerAlreadyRequested", (&["event ExternalProvisioning: Waiting"], &[])),
    ("InTreeDataSourceUnsupported", (&["event ProvisioningFailed: datasource"], &[])),
    ("InTreeClaimSaveFailed", (&["update pvc refused"], &[])),
    ("InTreeVolumeReadFailed", NOTHING),
    ("InTreeVolumeExists", NOTHING),
    ("InTreeMountOptionsUnsupported", (&["event ProvisioningFailed: Mount options are not supported"], &[])),
    ("InTreeProvisionerDisabled", (&["event ProvisioningFailed: is disabled"], &[])),
    ("InTreeSelectedNodeMissing", (&["event ProvisioningFailed: Failed to get target node"], &[])),
    ("InTreeProvisionFailed", (&["event ProvisioningFailed: Failed to provision volume"], &["update pvc"])),
    (
        "InTreeVolumeSaveFailedCleaned",
        (&["create pv refused", "event ProvisioningFailed: Error creating provisioned PV"], &[]),
    ),
    (
        "InTreeVolumeOrphaned",
        (
            &[
                "create pv refused",
                "event ProvisioningFailed: Error creating provisioned PV",
                "event ProvisioningCleanupFailed: Error cleaning",
            ],
            &[],
        ),
    ),
    ("InTreeProvisioned", (&["event ProvisioningSucceeded: Successfully"], &["create pv"])),
    ("ClaimProtectionAdded", (&[], &["update pvc"])),
    ("ClaimKeptUsedByCachedPod", NOTHING),
    ("ClaimKeptUsedByLivePod", NOTHING),
    ("ClaimLiveListFailed", (&["error live list of pods failed"], &[])),
    ("ClaimProtectionRemoved", (&[], &["update pvc"])),
    ("ClaimProtectionUnchanged", NOTHING),
    ("ClaimUnusedConditionSet", (&[], &["update pvc/status"])),
    ("VolumeProtectionAdded", (&[], &["update pv"])),
    ("VolumeKeptBound", NOTHING),
    ("VolumeProtectionRemoved", (&[], &["update pv"])),
    ("VolumeProtectionUnchanged", NOTHING),
    ("PodGone", NOTHING),
    ("PodTerminating", NOTHING),
    ("PodVolumesHandled", NOTHING),
    ("PodVolumeFailed", (&["event FailedBinding: ephemeral volume ", "error , ephemeral volume "], &[])),
    ("ClaimNotOwned", NOTHING),
    ("ClaimExists", NOTHING),
    ("ClaimCreated", (&["create pvc"], &[])),
    ("ClaimCreateRefused", (&["create pvc refused"], &[])),
];

/// The leaves of functions that a branch always calls.
const CALLED: &[(&str, &[&str])] = &[
    ("UnboundClaimVolumeFound", &["Bind"]),
    ("UnboundClaimNamedVolumeFree", &["Bind"]),
    ("UnboundClaimNamedVolumeReserved", &["Bind"]),
    ("BoundClaimVolumeUnbound", &["Bind"]),
    ("BoundClaimVolumeOurs", &["Bind"]),
    ("VolumeSurplusUnbindController", &["UnbindControllerBound", "UnbindFailed"]),
    ("VolumeSurplusUnbindUser", &["UnbindUserBound", "UnbindFailed"]),
    ("VolumeClaimMissing", &["Reclaim"]),
    ("VolumeClaimReplaced", &["Reclaim"]),
    ("VolumeSurplusDynamic", &["Reclaim"]),
    ("UnboundClaimProvisionExternal", &["ExternalProvisioner"]),
    ("PodVolumeFailed", &["ClaimNotOwned", "ClaimCreateRefused"]),
];

impl Judged<'_> {
    /// Compares the leaves, the next sync and the fate of the data of each decision. Another function compares the
    /// decisions themselves.
    pub(super) fn compare_leaves(
        &self,
        case: &Case,
        part: &str,
        (snapshot, target): (&Snapshot, ObjectId),
        decisions: &Decisions<'_>,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let mut faults = BTreeSet::new();
        for decision in &decisions.listed {
            let done = serde_json::to_value(DecisionOut::new(decision))?;
            let mut fault = |what: String| faults.insert(format!("{what}: {done}"));
            let mut left = deeds(&done);
            let all_accepted = !left.iter().any(|deed| deed.ends_with(" refused"));
            let leaves: Vec<&str> = std::iter::once(&done["branch"])
                .chain(done["steps"].as_array().into_iter().flatten())
                .filter_map(Value::as_str)
                .collect();
            let mut mays: Vec<&str> = Vec::new();
            for leaf in &leaves {
                let Some((_, (musts, may))) = LEAVES.iter().find(|(name, _)| name == leaf) else {
                    fault(format!("{leaf} is a leaf that no recording can reach"));
                    continue;
                };
                mays.extend(*may);
                // The last request of a recycling may fail without an event or an error.
                let silent = leaves.contains(&"RecycleSucceeded");
                for must in musts.iter().filter(|must| !(silent && must.starts_with("error "))) {
                    let exact = left.iter().position(|deed| deed == must);
                    match exact.or_else(|| left.iter().position(|deed| is_the_deed(must, deed))) {
                        Some(place) => drop(left.remove(place)),
                        None => drop(fault(format!("{leaf}, without {must}"))),
                    }
                }
            }
            let refused = left.iter().any(|deed| deed.ends_with(" refused"));
            for deed in &left {
                let may = mays.iter().any(|may| is_the_deed(may, deed.trim_end_matches(" refused")))
                    || (refused && deed.starts_with("error "))
                    || is_preparation(deed)
                    || deed == "create pv refused";
                if !may {
                    fault(format!("{}, and nevertheless {deed}", leaves.join(" ")));
                }
            }
            for (branch, called) in CALLED {
                let calls = leaves.iter().any(|leaf| called.iter().any(|start| leaf.starts_with(start)));
                if leaves[0] == *branch && !calls && all_accepted {
                    fault(format!("{branch} without a leaf of what it calls"));
                }
            }
            if case.cached.is_empty()
                && let Some(why) = self.unfit(case, &leaves, &done)
            {
                fault(why);
            }
            let expected = self.next_sync(case, decision.branch, &done);
            if expected.is_some_and(|expected| done["nextSync"] != expected) {
                fault(format!("the next sync is {}", expected.unwrap_or_default()));
            }
        }
        differ(&format!("{part}: leaves"), &case.object, &BTreeSet::new(), &faults, verdict);
        if let Some(id) = target.of::<PersistentVolume>()
            && case.cached.is_empty()
            && case.refuse.is_none()
            && case.fail_read.is_none()
            && let Some(fate) = self.fate(case)
        {
            let predicted = data_fate(self.behavior, snapshot.volume(id));
            let text = |fate: DataFate| BTreeSet::from([fate.as_str().to_owned()]);
            differ(&format!("{part}: data"), &case.object, &text(fate), &text(predicted), verdict);
        }
        Ok(())
    }

    /// Returns why a leaf does not agree with the recorded objects, or `None` if it agrees.
    fn unfit(&self, case: &Case, leaves: &[&str], done: &Value) -> Option<String> {
        let branch = leaves[0];
        let item = self.recorded(&case.object)?;
        let annotation = |item: &Value, name: &str| item["metadata"]["annotations"].get(name).is_some();
        let deleted = !item["metadata"]["deletionTimestamp"].is_null();
        let is =
            |what: &str, said: bool, so: bool| (said != so).then(|| format!("{branch}, of an object {what}: {so}"));
        if case.protection {
            return match branch {
                "ClaimKeptUsedByCachedPod"
                | "ClaimKeptUsedByLivePod"
                | "ClaimProtectionRemoved"
                | "VolumeKeptBound"
                | "VolumeProtectionRemoved" => is("that is being deleted", true, deleted),
                "ClaimProtectionAdded" | "VolumeProtectionAdded" => is("that is being deleted", false, deleted),
                _ => None,
            };
        }
        if case.object.kind == "Pod" {
            return is("that is being deleted", branch == "PodTerminating", deleted);
        }
        if case.object.kind == "PersistentVolume" {
            let named = &item["spec"]["claimRef"];
            let has_uid = named["uid"].as_str().is_some_and(|uid| !uid.is_empty());
            let by_controller = annotation(item, "pv.kubernetes.io/bound-by-controller");
            return match branch {
                "VolumeUnclaimed" => is("with a claimRef", false, named.is_object()),
                "VolumeMigrationUpdateFailed" => None,
                "VolumeReserved" => is("with a uid", false, has_uid),
                "VolumeAwaitsClaim" | "VolumeSurplusUnbindController" => is("by the controller", true, by_controller),
                "VolumeDanglingAwaitsClaim" | "VolumeSurplusUnbindUser" => {
                    is("by the controller", false, by_controller)
                }
                _ => is("with a uid", true, has_uid),
            };
        }
        let names = item["spec"]["volumeName"].as_str().unwrap_or_default();
        let volume = self.recorded(&Object {
            kind: "PersistentVolume".to_owned(),
            namespace: String::new(),
            name: names.to_owned(),
        });
        let named = volume.is_some_and(|volume| volume["spec"]["claimRef"].is_object());
        let completed = annotation(item, "pv.kubernetes.io/bind-completed");
        let bound = branch.starts_with("BoundClaim");
        let searches = !bound
            && !branch.contains("NamedVolume")
            && !branch.contains("VolumeMismatch")
            && branch != "UnboundClaimVolumeNameMissing"
            && branch != "ClaimMigrationUpdateFailed";
        let writes = done["writes"].as_array().into_iter().flatten();
        let claim_ref_written =
            writes.clone().any(|write| write.pointer("/patch/spec/claimRef/name").is_some_and(|name| !name.is_null()));
        let reserved = leaves.contains(&"CandidateReserved");
        (branch != "ClaimMigrationUpdateFailed")
            .then(|| is("whose binding was completed", bound, completed))
            .flatten()
            .or_else(|| {
                (!bound && branch != "ClaimMigrationUpdateFailed")
                    .then(|| is("without a volumeName", searches, names.is_empty()))?
            })
            .or_else(|| match branch {
                "BoundClaimVolumeNameCleared" => is("without a volumeName", true, names.is_empty()),
                "BoundClaimVolumeMissing" | "UnboundClaimVolumeNameMissing" => {
                    is("whose volume is there", false, volume.is_some())
                }
                "BoundClaimVolumeUnbound" | "UnboundClaimNamedVolumeFree" => {
                    is("whose volume is claimed", false, named)
                }
                "BoundClaimVolumeOurs" | "BoundClaimMisbound" | "UnboundClaimNamedVolumeReserved" => {
                    is("whose volume is claimed", true, named)
                }
                "UnboundClaimVolumeFound" if reserved => is("whose volume it first names", false, claim_ref_written),
                "UnboundClaimVolumeFound" if !leaves.contains(&"BindVolumeSaveFailed") => {
                    is("whose volume it first names", true, claim_ref_written)
                }
                _ => None,
            })
    }

    /// Returns the object as it is in the world.
    pub(super) fn recorded(&self, object: &Object) -> Option<&Value> {
        self.line.world.items.iter().find(|item| {
            let text = |field: &str| item["metadata"][field].as_str().unwrap_or_default();
            item["kind"] == object.kind.as_str()
                && text("name") == object.name
                && (object.namespace.is_empty() || text("namespace") == object.namespace)
        })
    }

    /// Returns what causes the next sync of the object, according to the actions of the real controller. The recording
    /// does not say to which decision a failed operation belongs. So the cause is unknown if several decisions were
    /// possible and an operation failed.
    fn next_sync(&self, case: &Case, branch: Branch, done: &Value) -> Option<&'static str> {
        let each = |list: &'static str| done[list].as_array().into_iter().flatten();
        let operation_failed = case.notes.iter().any(|note| note == "op-error");
        if operation_failed && case.decisions.len() > 1 {
            return None;
        }
        let binder = !case.protection && case.object.kind != "Pod";
        let error = !done["error"].is_null() && (self.behavior.errors_are_retried || !binder);
        let backs_off = each("operations").any(|operation| operation["state"] == "backoff");
        let wrote = each("writes").any(|write| write["refused"].is_null());
        let queued = ["VolumeAwaitsClaim", "VolumeDanglingAwaitsClaim"].contains(&branch.name())
            || each("enqueues").next().is_some();
        Some(if error || backs_off || operation_failed {
            "backoff"
        } else if wrote || queued || !binder {
            "event"
        } else {
            "resync"
        })
    }

    /// Returns the fate of the data of a volume, or `None` if the actions of the real controller do not show it.
    fn fate(&self, case: &Case) -> Option<DataFate> {
        let [done] = case.decisions.as_slice() else { return None };
        let noted = |wanted: &str| case.notes.iter().any(|note| note == wanted);
        let deeds = deeds(done);
        let did = |wanted: &str| deeds.iter().any(|deed| is_the_deed(wanted, deed));
        let item = self.recorded(&case.object)?;
        if case.protection {
            None
        } else if noted("recycle") {
            Some(DataFate::Scrubbed)
        } else if noted("remote-storage") || did("delete pv") {
            Some(DataFate::Destroyed)
        } else if did("event VolumeFailedDelete: ") || did("event VolumeFailedRecycle: No recycler plugin") {
            Some(DataFate::Kept)
        } else if did("delete started")
            && item["status"]["phase"] != "Failed"
            && item["metadata"]["deletionTimestamp"].is_null()
        {
            // The deletion ended without an event, so the driver has to delete the storage. This does not hold for a
            // Failed volume, because its event is not repeated.
            Some(DataFate::HandedToDriver)
        } else if item["spec"]["persistentVolumeReclaimPolicy"] == "Retain" {
            Some(DataFate::Kept)
        } else {
            None
        }
    }
}

/// Returns all effects of a decision, one text for each.
fn deeds(done: &Value) -> Vec<String> {
    let each = |list: &'static str| done[list].as_array().into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let writes = each("writes").map(|write| {
        let resource = if write["resource"] == "persistentvolumes" { "pv" } else { "pvc" };
        let status = if write["subresource"] == "status" { "/status" } else { "" };
        let refused = if write["refused"].is_null() { "" } else { " refused" };
        let prepares = refused.is_empty() && is_prepared(&write["patch"]);
        let prepares = if prepares { " prepares" } else { "" };
        format!("{} {resource}{status}{prepares}{refused}", text(&write["verb"]))
    });
    let events = each("events").map(|event| format!("event {}: {}", text(&event["reason"]), text(&event["message"])));
    let operations = each("operations").map(|operation| {
        let name = operation["name"].as_str().or(operation.as_str()).unwrap_or_default();
        format!("{} {}", name.split('-').next().unwrap_or_default(), operation["state"].as_str().unwrap_or("started"))
    });
    // Of other leaves, the recordings do not show the queues.
    let is_deletion = done["branch"].as_str().is_some_and(|branch| DELETIONS.contains(&branch));
    let queued = each("enqueues").filter(|_| is_deletion);
    let queued =
        queued.map(|object| format!("enqueue {}", if object["kind"] == "PersistentVolume" { "pv" } else { "pvc" }));
    let error = done["error"].as_str().map(|error| format!("error {error}"));
    writes.chain(events).chain(operations).chain(queued).chain(error).collect()
}

/// Returns whether an update only makes the corrections with which a sync begins: to the annotation `migrated-to`, and
/// to the finalizers.
fn is_prepared(patch: &Value) -> bool {
    let only = |fields: &Value, known: &[&str]| {
        fields.as_object().is_some_and(|fields| fields.keys().all(|field| known.contains(&field.as_str())))
    };
    let (metadata, annotations) = (&patch["metadata"], &patch["metadata"]["annotations"]);
    only(patch, &["metadata"])
        && only(metadata, &["annotations", "finalizers"])
        && (annotations.is_null() || only(annotations, &["pv.kubernetes.io/migrated-to"]))
}

fn is_preparation(deed: &str) -> bool {
    deed == "update pv prepares" || deed == "update pvc prepares"
}

/// Returns whether an effect is the one that a leaf states.
fn is_the_deed(wanted: &str, deed: &str) -> bool {
    if let Some(part) = wanted.strip_prefix("error ") {
        return deed.strip_prefix("error ").is_some_and(|error| error.contains(part));
    }
    if let Some((reason, part)) = wanted.split_once(": ") {
        return deed.split_once(": ").is_some_and(|(found, message)| found == reason && message.contains(part));
    }
    deed == wanted || deed.strip_suffix(" prepares") == Some(wanted)
}
