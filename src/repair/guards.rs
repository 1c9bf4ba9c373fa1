//! The guards: the conditions that must hold before a plan is carried out. Each guard says what it examined. If a plan
//! removes something, a condition that cannot be judged is treated as not met.

mod backing;
pub mod clients;
mod dependents;
pub mod machine;
pub mod mounted;
mod owners;
mod sources;
mod takers;

pub(crate) use owners::may_apply_delete;
pub use owners::owner_of;
pub use sources::{POLICY, Writer, last_writer};

use super::overlay::CLAIM_PROTECTION;
use super::plan::{GivenUp, Plan, Recheck};
use super::situation::{Known, Situation, volume_key};
use super::write::{Change, Write};
use crate::controllers::persistent_volume::reclaim::{RECYCLER_NAMESPACE, recycler_of};
use crate::model::surroundings::StatefulSet;
use crate::model::{
    CsiDriver, Kind, Namespace, PersistentVolume, PersistentVolumeClaim, Pod, ReclaimPolicy, SourceKind, Str,
    VolumePhase,
};
use serde::{Deserialize, Serialize};

/// Whether a guard holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Holds {
    /// The condition holds.
    Yes,
    /// The guard does not forbid the plan, but the person should know something.
    Warns,
    /// The condition does not hold.
    No,
    /// It is unknown whether the condition holds, because a list is missing.
    Unknown,
}

/// A guard with its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Guard {
    /// The id of the guard: a stable word.
    pub id: &'static str,
    /// Whether the condition holds.
    pub holds: Holds,
    /// What the guard examined and what it found, in a sentence without a full stop.
    pub looked_at: String,
    /// What could not be checked, in a few words. It is set only if the guard has no other result. The text of a plan
    /// prints these words of all guards in one line.
    #[serde(skip)]
    pub unseen: Option<&'static str>,
}

impl Guard {
    fn new(id: &'static str, holds: Holds, looked_at: impl Into<String>) -> Self {
        Self { id, holds, looked_at: looked_at.into(), unseen: None }
    }

    fn unseen(self, what: &'static str) -> Self {
        Self { unseen: Some(what), ..self }
    }

    /// Returns whether the plan must not be carried out because of this guard. `destructive` says whether the plan
    /// removes something.
    pub fn forbids(&self, destructive: bool) -> bool {
        match self.holds {
            Holds::Yes | Holds::Warns => false,
            Holds::No => true,
            Holds::Unknown => destructive,
        }
    }
}

/// Returns the results of all guards of a plan, except the guards that ask the API server.
pub fn judge(situation: &Situation<'_>, plan: &Plan) -> Vec<Guard> {
    let mut guards = Vec::new();
    let mut rechecks: Vec<&Recheck> = Vec::new();
    for recheck in plan.steps.iter().flat_map(|step| &step.recheck) {
        if !rechecks.contains(&recheck) {
            rechecks.push(recheck);
        }
    }
    for recheck in rechecks {
        match recheck {
            Recheck::Unused { namespace, name } => guards.push(unused(situation, namespace, name)),
            Recheck::Unmounted { namespace, name, before } => {
                guards.push(mounted::unmounted(situation, namespace, name, *before));
            }
            Recheck::Detached { volume } => guards.push(detached(situation, volume)),
            // The plan itself makes this condition true, and the condition is read again immediately before the write.
            Recheck::Retained { .. }
            | Recheck::AllRetained { .. }
            | Recheck::Lives { .. }
            | Recheck::Reserved { .. } => {}
            Recheck::NotRecycled { volume } => guards.push(not_recycled(situation, volume)),
            Recheck::NotNeeded { node, volume, same, claims } => {
                guards.push(machine::not_needed(situation, node, volume, same, claims));
            }
            Recheck::OneMachine { node, driver, id } => guards.push(machine::one(situation, node, driver, id)),
            Recheck::Unprovisioned { node, claim } => guards.push(machine::unprovisioned(situation, node, claim)),
            Recheck::MachineOff { node, sign, mounted_as } => {
                guards.push(machine::off(situation, node, sign, mounted_as.as_deref()));
            }
            Recheck::AddressFree { address } => guards.push(clients::free(situation, *address)),
            Recheck::SameServer { server } => guards.push(clients::server(situation, server)),
            Recheck::NoClients { address, volumes } => guards.push(clients::none(situation, *address, volumes)),
        }
    }
    guards.extend(machine::attacher(situation, plan));
    guards.extend(retained(situation, plan));
    guards.push(saved(plan));
    guards.extend(finalizers(situation, plan));
    guards.extend(copies(situation, plan));
    guards.extend(dependents::owned(situation, plan));
    for carried in &plan.volumes {
        if let Known::There(volume) = situation.volume(&carried.volume) {
            guards.push(backing::unique(situation, plan, volume));
            guards.push(identity(volume));
            guards.extend(operations(volume));
            if carried.given_up.contains(&GivenUp::Privacy) {
                guards.push(takers::claimants(situation, volume));
            }
            if carried.given_up.contains(&GivenUp::Data) {
                guards.push(actor(situation, volume));
            }
        }
    }
    guards.extend(namespaces(situation, plan));
    guards.extend(owners::adopted(situation, plan));
    guards.extend(owners::writers(situation, plan));
    guards.push(controllers(situation, plan));
    guards
}

/// Returns whether a scheduled pod refers to the claim. The phase of the pod does not matter. As long as such a pod
/// exists, the claim keeps the finalizer of claim protection. Upstream: `podUsesPVCForDeletion`,
/// `pkg/controller/volume/pvcprotection`, 1.36.
pub fn uses(pod: &Pod, claim: &str) -> bool {
    let refers = pod.claim_names().any(|name| name == claim);
    refers && !pod.node_name.is_empty()
}

/// Returns the StatefulSet that creates the claim for one of its pods. Only the pods within its current number of
/// replicas are considered.
pub fn set_that_makes<'s>(sets: &'s [StatefulSet], namespace: &str, claim: &str) -> Option<&'s StatefulSet> {
    let makes = |set: &StatefulSet| {
        let mut ordinals = set.templates.iter().filter_map(|template| set.ordinal(template, claim));
        ordinals.any(|ordinal| set.has_member(ordinal))
    };
    sets.iter().find(|set| set.meta.namespace == namespace && makes(set))
}

/// Returns how to stop the pods of a StatefulSet without losing data. Upstream: `UpdateClaimOwnerRefForSetAndPod`,
/// `pkg/controller/statefulset`, 1.36.
pub fn how_to_stop(set: &StatefulSet) -> String {
    let (namespace, name) = (&set.meta.namespace, &set.meta.name);
    if set.deletes_when_scaled() {
        format!(
            "set whenScaled in the persistentVolumeClaimRetentionPolicy of StatefulSet {namespace}/{name} to Retain \
             (now scaling down deletes its claims, and their data if the volumes have policy Delete), and then \
             scale it down"
        )
    } else {
        format!("scale StatefulSet {namespace}/{name} down")
    }
}

/// Returns whether a volume is kept when the claim is deleted. It is kept if it has policy Retain, or does not belong
/// to the claim. `there` is the existing claim whose name is in the volume's claimRef.
pub fn keeps(volume: &PersistentVolume, claim: &PersistentVolumeClaim, there: Option<&PersistentVolumeClaim>) -> bool {
    let named = volume.claim_ref.as_ref().is_some_and(|named| {
        named.namespace == claim.meta.namespace
            && named.name == claim.meta.name
            && (named.uid.is_empty() || named.uid == claim.meta.uid)
    });
    let tied = named || claim.volume_name == volume.meta.name && !is_anothers(volume, claim, there);
    volume.reclaim_policy == ReclaimPolicy::Retain || !tied
}

/// Returns whether a volume belongs to another claim, although this claim may name it. This is so if the claimRef of
/// the volume has the uid of another existing claim. Then nothing happens to the volume when this claim is deleted.
/// `there` is the existing claim whose name is in the volume's claimRef. Upstream: `syncVolume`,
/// `pkg/controller/volume/persistentvolume`, 1.36.
pub fn is_anothers(
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
    there: Option<&PersistentVolumeClaim>,
) -> bool {
    volume.claim_ref.as_ref().is_some_and(|named| {
        let theirs = !named.uid.is_empty() && named.uid != claim.meta.uid;
        theirs && there.is_some_and(|there| there.meta.uid == named.uid)
    })
}

/// Returns whether the snapshot shows that a volume belongs to another claim.
pub(super) fn is_seen_as_anothers(
    situation: &Situation<'_>,
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
) -> bool {
    matches!(situation.holder(volume), Known::There(holder) if is_anothers(volume, claim, Some(holder)))
}

fn unused(situation: &Situation<'_>, namespace: &str, name: &str) -> Guard {
    const ID: &str = "unused";
    let users: Vec<&str> = situation
        .snapshot
        .pods_of(namespace, name)
        .filter(|pod| uses(pod, name))
        .map(|pod| pod.meta.name.as_str())
        .collect();
    let set = set_that_makes(situation.snapshot.all::<StatefulSet>(), namespace, name);
    if !users.is_empty() {
        let stop =
            set.map_or_else(|| "stop what runs them first".to_owned(), |set| format!("first {}", how_to_stop(set)));
        return Guard::new(ID, Holds::No, format!("pods use claim {namespace}/{name}: {}; {stop}", users.join(", ")));
    }
    if let Some(set) = set {
        return Guard::new(
            ID,
            Holds::No,
            format!(
                "StatefulSet {}/{} has {} replicas and would create pods that use claim {name}, or the claim itself; \
                 first {}",
                set.meta.namespace,
                set.meta.name,
                set.replicas,
                how_to_stop(set)
            ),
        );
    }
    if !situation.knows_all(Kind::StatefulSet, namespace) {
        return Guard::new(
            ID,
            Holds::Unknown,
            format!(
                "the StatefulSets of namespace {namespace} could not be listed, so nobody knows whether one of them \
                 creates claim {name} again"
            ),
        );
    }
    if !situation.knows_all(Kind::Pod, namespace) {
        return Guard::new(
            ID,
            Holds::Unknown,
            format!("the pods of namespace {namespace} could not be listed, so nobody knows who uses claim {name}"),
        );
    }
    Guard::new(ID, Holds::Yes, format!("no pod that has a node uses claim {namespace}/{name}"))
}

/// Checks whether a recycler pod is erasing the volume, or has erased it. The pod runs in namespace `default`, unless
/// the template of the recycler states another namespace. Upstream: `RecycleVolumeByWatchingPodUntilCompletion`,
/// `pkg/volume/util/recyclerclient`, 1.36.
fn not_recycled(situation: &Situation<'_>, volume: &str) -> Guard {
    const ID: &str = "recycler";
    let name = recycler_of(volume);
    if let Some(pod) = situation.snapshot.pods().iter().find(|pod| pod.meta.name == name.as_str()) {
        return Guard::new(
            ID,
            Holds::No,
            format!(
                "pod {}/{name} is erasing volume {volume}, or has erased it: wait until the pod is gone, and check the \
                 data",
                pod.meta.namespace
            ),
        );
    }
    // A recycler pod that has started continues, even after the policy has become Retain.
    let kept =
        matches!(situation.volume(volume), Known::There(volume) if volume.reclaim_policy == ReclaimPolicy::Retain);
    if kept {
        return Guard::new(
            ID,
            Holds::Yes,
            format!(
                "no pod {name} was found in namespace {RECYCLER_NAMESPACE}; this is checked again right before the \
                 write"
            ),
        );
    }
    if !situation.knows_all(Kind::Pod, RECYCLER_NAMESPACE) {
        return Guard::new(
            ID,
            Holds::No,
            format!(
                "the pods of namespace {RECYCLER_NAMESPACE} could not be listed, so nobody knows whether one erases \
                 volume {volume}"
            ),
        );
    }
    Guard::new(
        ID,
        Holds::Warns,
        format!(
            "no pod {name} was found in namespace {RECYCLER_NAMESPACE}; a template may put it into another namespace"
        ),
    )
}

fn detached(situation: &Situation<'_>, volume: &str) -> Guard {
    const ID: &str = "detached";
    let nodes: Vec<&str> =
        situation.snapshot.attachments_of(volume).map(|attachment| attachment.node_name.as_str()).collect();
    if !nodes.is_empty() {
        return Guard::new(
            ID,
            Holds::No,
            format!(
                "VolumeAttachments attach volume {volume} to {}; they are deleted when no pod uses it",
                nodes.join(", ")
            ),
        );
    }
    if !situation.knows_all(Kind::VolumeAttachment, "") {
        return Guard::new(
            ID,
            Holds::Unknown,
            format!("VolumeAttachments could not be listed, so nobody knows where volume {volume} is attached"),
        )
        .unseen("where it is attached");
    }
    Guard::new(ID, Holds::Yes, format!("no VolumeAttachment names volume {volume}"))
}

/// Checks the volumes of each claim that the plan deletes. They must have policy Retain before the deletion.
fn retained(situation: &Situation<'_>, plan: &Plan) -> Vec<Guard> {
    let mut guards = Vec::new();
    for (place, write) in plan.writes().enumerate() {
        if !write.takes_claim() {
            continue;
        }
        let Known::There(claim) = situation.claim(&write.object.namespace, &write.object.name) else { continue };
        for name in volumes_of(situation, claim) {
            let Known::There(volume) = situation.volume(&name) else { continue };
            let sets =
                plan.writes().take(place).any(|earlier| earlier.object == volume_key(&name) && earlier.retains());
            let holds = if volume.reclaim_policy == ReclaimPolicy::Retain || sets { Holds::Yes } else { Holds::No };
            guards.push(Guard::new(
                "retained",
                holds,
                format!(
                    "the policy of volume {name} is {}{} before its claim is deleted",
                    volume.reclaim_policy.as_str(),
                    if sets { " and is set to Retain, and read again," } else { "" }
                ),
            ));
        }
    }
    guards
}

/// Returns the volumes that belong to the claim: the volumes whose claimRef has the uid of the claim, and the volume
/// that the claim names, unless another existing claim has that volume.
pub fn volumes_of(situation: &Situation<'_>, claim: &PersistentVolumeClaim) -> Vec<Str> {
    let snapshot = situation.snapshot;
    let mut names: Vec<Str> = snapshot
        .volumes_naming(&claim.meta.namespace, &claim.meta.name)
        .iter()
        .map(|id| snapshot.volume(*id))
        .filter(|volume| volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid))
        .map(|volume| volume.meta.name.clone())
        .collect();
    let anothers = match situation.volume(&claim.volume_name) {
        Known::There(volume) => is_seen_as_anothers(situation, volume, claim),
        Known::Absent | Known::Unknown => false,
    };
    if !claim.volume_name.is_empty() && !anothers && !names.contains(&claim.volume_name) {
        names.push(claim.volume_name.clone());
    }
    names
}

fn saved(plan: &Plan) -> Guard {
    let missing: Vec<String> = plan
        .writes()
        .filter(|write| !write.creates())
        .map(|write| &write.object)
        .filter(|object| !plan.saves.contains(object))
        .map(ToString::to_string)
        .collect();
    if missing.is_empty() {
        let saves: Vec<String> = plan.saves.iter().map(ToString::to_string).collect();
        Guard::new("saved", Holds::Yes, format!("before the first write, the journal saves: {}", saves.join(", ")))
    } else {
        Guard::new("saved", Holds::No, format!("the plan does not save {}", missing.join(", ")))
    }
}

/// Warns about finalizers of claims that the plan deletes. The finalizer of claim protection is ignored.
fn finalizers(situation: &Situation<'_>, plan: &Plan) -> Vec<Guard> {
    let mut guards = Vec::new();
    for write in plan.writes().filter(|write| matches!(write.change, Change::Delete)) {
        let Known::There(claim) = situation.claim(&write.object.namespace, &write.object.name) else { continue };
        let others: Vec<&str> =
            claim.meta.finalizers.iter().map(Str::as_str).filter(|finalizer| *finalizer != CLAIM_PROTECTION).collect();
        if others.is_empty() {
            continue;
        }
        guards.push(Guard::new(
            "finalizers",
            Holds::Warns,
            format!(
                "claim {} is deleted only when the owners of these finalizers remove them: {}",
                claim.key(),
                others.join(", ")
            ),
        ));
    }
    guards
}

/// Checks whether a snapshot or a clone copies a claim that the plan deletes, or from which the plan removes a
/// finalizer.
fn copies(situation: &Situation<'_>, plan: &Plan) -> Vec<Guard> {
    const COPYING: [&str; 2] = [
        "snapshot.storage.kubernetes.io/pvc-as-source-protection",
        "provisioner.storage.kubernetes.io/cloning-protection",
    ];
    let mut guards = Vec::new();
    let ends = |write: &&Write| {
        write.object.kind == Kind::PersistentVolumeClaim
            && matches!(write.change, Change::Delete | Change::RemoveFinalizer { .. })
    };
    for write in plan.writes().filter(ends) {
        let Known::There(claim) = situation.claim(&write.object.namespace, &write.object.name) else { continue };
        let held: Vec<&str> = COPYING.into_iter().filter(|finalizer| claim.meta.has_finalizer(finalizer)).collect();
        let clones: Vec<String> = situation
            .snapshot
            .claims()
            .iter()
            .filter(|other| other.status.phase == crate::model::ClaimPhase::Pending)
            .filter(|other| {
                other.source().is_some_and(|source| {
                    let namespace = if source.namespace.is_empty() { &other.meta.namespace } else { &source.namespace };
                    source.group.is_empty()
                        && source.kind == Kind::PersistentVolumeClaim.as_str()
                        && source.name == claim.meta.name
                        && *namespace == claim.meta.namespace
                })
            })
            .map(|other| other.key().to_string())
            .collect();
        let (holds, said) = match (held.as_slice(), clones.as_slice()) {
            ([], []) => (Holds::Yes, format!("no snapshot and no clone of claim {} is under way", claim.key())),
            ([], clones) => (Holds::No, format!("claims are being cloned from {}: {}", claim.key(), clones.join(", "))),
            (held, _) => (Holds::No, format!("claim {} is being copied: {}", claim.key(), held.join(", "))),
        };
        guards.push(Guard::new("copies", holds, said));
    }
    guards
}

/// Returns the kind of source, the driver or server, and the name of the storage, if the volume states them.
pub(super) fn storage_of(volume: &PersistentVolume) -> String {
    let source = &volume.source;
    let parts = [source.kind.as_str(), source.detail.as_str(), source.handle.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Describes the volume, so that the person can check that it is the right one. The claim comes first, because people
/// know its name.
fn identity(volume: &PersistentVolume) -> Guard {
    let size = volume.stated_storage().map_or_else(|| "no stated size".to_owned(), |size| size.quantity.to_string());
    let claim = volume.claim_ref.as_ref().map_or_else(String::new, |named| {
        format!("{} {}/{}, ", Kind::PersistentVolumeClaim.short(), named.namespace, named.name)
    });
    let storage = storage_of(volume);
    let created = volume.meta.created.map_or_else(String::new, |created| format!(", created {created}"));
    let nodes = if volume.node_affinity.is_some() { ", tied to certain nodes" } else { "" };
    Guard::new(
        "identity",
        Holds::Warns,
        format!("{claim}volume {}, {size} on {storage}{created}{nodes}", volume.meta.name),
    )
}

/// Warns if a deletion or recycling of the data may have begun. No object shows whether it has begun.
fn operations(volume: &PersistentVolume) -> Option<Guard> {
    let name = &volume.meta.name;
    let ended = matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed);
    match volume.reclaim_policy {
        ReclaimPolicy::Delete if ended || volume.terminating() => Some(Guard::new(
            "operations",
            Holds::Warns,
            format!(
                "a deletion of the storage of volume {name} may have begun: Retain only prevents a deletion that has \
                 not begun"
            ),
        )),
        ReclaimPolicy::Recycle if ended => Some(Guard::new(
            "operations",
            Holds::Warns,
            format!(
                "a recycler pod may be erasing volume {name}: Retain only prevents a recycler pod that has not started"
            ),
        )),
        _ => None,
    }
}

/// Checks whether the driver that deletes the storage is installed.
fn actor(situation: &Situation<'_>, volume: &PersistentVolume) -> Guard {
    const ID: &str = "actor";
    let driver = volume.source.detail.as_str();
    if volume.source.kind != SourceKind::Csi {
        return Guard::new(
            ID,
            Holds::Warns,
            format!(
                "volume {} is not a CSI volume: kube-controller-manager decides who deletes its storage",
                volume.meta.name
            ),
        );
    }
    if situation.snapshot.find::<CsiDriver>("", driver).is_some() {
        return Guard::new(
            ID,
            Holds::Yes,
            format!("CSIDriver {driver} is installed; whether its provisioner runs cannot be seen"),
        );
    }
    Guard::new(ID, Holds::Warns, format!("no CSIDriver {driver} was found: perhaps no component deletes the storage"))
}

/// Checks that the namespaces in which claims are created exist and are not being deleted.
fn namespaces(situation: &Situation<'_>, plan: &Plan) -> Vec<Guard> {
    const ID: &str = "namespace";
    let mut guards = Vec::new();
    for write in plan.writes().filter(|write| write.creates()) {
        let name = &write.object.namespace;
        let guard = match situation.snapshot.find::<Namespace>("", name) {
            Some(namespace) if namespace.meta.deleted.is_some() => {
                Guard::new(ID, Holds::No, format!("namespace {name} is being deleted"))
            }
            Some(_) => Guard::new(ID, Holds::Yes, format!("namespace {name} exists")),
            None if situation.knows_all(Kind::Namespace, "") => {
                Guard::new(ID, Holds::No, format!("namespace {name} does not exist"))
            }
            // The dry run of the creation shows whether the namespace exists.
            None => Guard::new(ID, Holds::Unknown, format!("whether namespace {name} exists could not be read")),
        };
        if !guards.contains(&guard) {
            guards.push(guard);
        }
    }
    guards
}

/// Checks whether the Lease of kube-controller-manager was renewed in time. If kube-controller-manager does not run,
/// nobody removes the finalizer of a deleted claim.
fn controllers(situation: &Situation<'_>, plan: &Plan) -> Guard {
    const ID: &str = "controller";
    let deletes = plan.writes().any(|write| matches!(write.change, Change::Delete) && write.takes_claim());
    match (situation.snapshot.lease(), situation.snapshot.now()) {
        (Some(lease), Some(now)) if lease.is_stale(now) == Some(true) => {
            let holds = if deletes { Holds::No } else { Holds::Warns };
            Guard::new(
                ID,
                holds,
                "the Lease of kube-controller-manager is not renewed: kube-controller-manager does not run",
            )
        }
        (Some(lease), Some(now)) if lease.is_fresh(now) == Some(true) => {
            Guard::new(ID, Holds::Yes, "the Lease of kube-controller-manager is renewed")
        }
        (Some(_) | None, _) => Guard::new(ID, Holds::Warns, "whether kube-controller-manager runs could not be seen")
            .unseen("whether kube-controller-manager runs"),
    }
}
