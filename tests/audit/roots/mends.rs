//! How each root is mended in a test: the wrong field is corrected, or the missing act is carried out.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::worlds::free_volume;
use pvctl::diagnosis::case::key_of_claim;
use pvctl::model::{
    AnnotationKey, ClaimPhase, ClaimRef, ObjectKey, PersistentVolume, PersistentVolumeClaim, StorageClass, Str,
    VolumePhase,
};
use pvctl::snapshot::Parts;
use std::sync::Arc;

pub(super) enum Mend {
    Do(fn(&mut Parts, &ObjectKey)),
    /// The simulation cannot show whether the consequence would disappear. The text says why.
    Outside(&'static str),
}

use Mend::{Do, Outside};

const SERVERS: &str = "servers of shared volumes are not simulated";

/// How the root of each rule is mended.
pub(super) const MENDS: &[(&str, Mend)] = &[
    ("shared-service-foreign", Outside(SERVERS)),
    ("shared-service-missing", Outside(SERVERS)),
    ("shared-pv-address-dangling", Outside(SERVERS)),
    ("shared-pv-address-mismatch", Outside(SERVERS)),
    ("shared-targets-empty", Outside(SERVERS)),
    ("shared-export-pending", Outside(SERVERS)),
    ("shared-mount-endpoint-malformed", Outside(SERVERS)),
    ("shared-mount-endpoint-stale", Outside(SERVERS)),
    ("shared-mount-endpoint-unpublished", Outside(SERVERS)),
    ("shared-target-port-mismatch", Outside(SERVERS)),
    ("shared-mirror-missing", Outside(SERVERS)),
    ("shared-targets-missing", Outside(SERVERS)),
    ("shared-server-pod-not-ready", Outside(SERVERS)),
    ("shared-targets-stale", Outside(SERVERS)),
    ("shared-targets-ambiguous", Outside(SERVERS)),
    // The claim gets a volume.
    ("bind-access-modes", Do(bound_anew)),
    ("bind-class-annotation-wins", Do(bound_anew)),
    ("bind-class-mismatch", Do(bound_anew)),
    ("bind-class-nil-defaulted", Do(bound_anew)),
    ("bind-foreign-grab", Do(bound_anew)),
    ("bind-half-done", Do(bound_anew)),
    ("bind-named-pv-missing", Do(bound_anew)),
    ("bind-named-pv-taken", Do(bound_anew)),
    ("bind-pv-being-deleted", Do(bound_anew)),
    ("bind-selector", Do(bound_anew)),
    ("bind-size-too-small", Do(bound_anew)),
    ("bind-vac", Do(bound_anew)),
    ("bind-volumemode", Do(bound_anew)),
    ("ds-clone-source-not-bound", Do(bound_anew)),
    ("ds-cross-namespace", Do(bound_anew)),
    ("ds-driver-mismatch", Do(bound_anew)),
    ("ds-populator-absent", Do(bound_anew)),
    ("ds-size-smaller", Do(bound_anew)),
    ("ds-snapshot-error", Do(bound_anew)),
    ("ds-snapshot-missing", Do(bound_anew)),
    ("ds-snapshot-not-ready", Do(bound_anew)),
    ("lost-heals-itself", Do(bound_anew)),
    ("lost-pv-missing", Do(bound_anew)),
    ("lost-pv-owned-by-other", Do(bound_anew)),
    ("lost-volumename-empty", Do(bound_anew)),
    ("pool-exhausted", Do(bound_anew)),
    ("pvc-class-not-found", Do(bound_anew)),
    ("pvc-controller-not-running", Do(bound_anew)),
    ("pvc-inprogress-background", Do(bound_anew)),
    ("pvc-no-class-no-pv", Do(bound_anew)),
    ("pvc-provisioner-name-drift", Do(bound_anew)),
    ("pvc-provisioner-silent", Do(bound_anew)),
    ("pvc-provisioning-failed", Do(bound_anew)),
    ("pvc-selected-node-gone", Do(bound_anew)),
    ("pvc-selected-node-no-csinode", Do(bound_anew)),
    ("pvc-selected-node-unfit", Do(bound_anew)),
    ("pvc-selector-blocks-provisioning", Do(bound_anew)),
    ("pvc-vac-gate-off", Do(bound_anew)),
    ("pvc-wffc-custom-scheduler", Do(bound_anew)),
    ("pvc-wffc-no-consumer", Do(bound_anew)),
    ("pvc-wffc-nodename-bypass", Do(bound_anew)),
    ("pvc-wffc-pod-unschedulable", Do(bound_anew)),
    ("reserved-volume-unfit", Do(bound_anew)),
    ("sc-no-default", Do(bound_anew)),
    ("vac-missing", Do(bound_anew)),
    // The volume that the claim names gets the uid of the claim.
    ("bind-named-pv-stale-uid", Do(bound_to_its_own)),
    ("lost-claimref-other-uid", Do(bound_to_its_own)),
    ("lost-claimref-uid-cleared", Do(bound_to_its_own)),
    (
        "restore-stale-uids",
        Do(|parts, namespace| {
            let claims: Vec<ObjectKey> = parts.objects.claims.iter().map(|claim| key_of_claim(&claim.meta)).collect();
            for claim in claims.iter().filter(|claim| claim.namespace == namespace.name) {
                bound_to_its_own(parts, claim);
            }
        }),
    ),
    // The claimRef of the volume or the uid in it is cleared, or another field of the volume is corrected.
    ("bind-claimref-no-namespace", Do(offered)),
    ("bind-claimref-wrong-kind", Do(offered)),
    ("pv-bound-claim-missing", Do(offered)),
    ("pv-failed-recycle", Do(offered)),
    ("pv-released-claim-recreated", Do(given_back)),
    ("pv-released-but-claim-alive", Do(given_back)),
    (
        "pv-duplicate-backing",
        Do(|parts, volume| {
            let volume = volume_of(parts, volume);
            volume.source.handle = format!("own-{}", volume.meta.name).as_str().into();
        }),
    ),
    ("affinity-hostname-label", Do(|parts, volume| volume_of(parts, volume).node_affinity = None)),
    // The object that was being deleted is gone.
    ("pv-terminating-attacher", Do(gone)),
    ("pv-terminating-bound", Do(gone)),
    ("pv-terminating-intree-finalizer", Do(gone)),
    ("pv-terminating-leak", Do(gone)),
    ("pv-terminating-provisioner-finalizer", Do(gone)),
    ("pvc-terminating-clone-source", Do(gone)),
    ("pvc-terminating-completed-pod", Do(gone)),
    ("pvc-terminating-controller-dead", Do(gone)),
    ("pvc-terminating-in-use", Do(gone)),
    ("pvc-terminating-snapshot-source", Do(gone)),
    ("pvc-terminating-unknown-finalizer", Do(gone)),
    ("snap-finalizer-orphan", Do(gone)),
    ("unmount-stuck", Do(gone)),
    // The VolumeAttachment is gone, so the volume is detached.
    ("attach-silent", Do(gone)),
    ("attacher-refused", Do(gone)),
    ("va-detach-error-backend", Do(gone)),
    ("va-node-gone", Do(gone)),
    ("va-stale-no-pod", Do(gone)),
    // The kubelet of the node, or an administrator, has unmounted and detached the volumes.
    (
        "node-shutdown-fencing",
        Do(|parts, node| {
            parts.objects.attachments.retain(|one| one.node_name != node.name);
            // The controller writes the status of the node when it has detached a volume.
            let nodes = parts.objects.nodes.iter_mut().filter(|one| one.meta.name == node.name);
            nodes.for_each(|node| node.volumes_attached = Box::default());
        }),
    ),
    // Every node can use the volume.
    (
        "bind-nodeaffinity-immediate",
        Do(|parts, claim| {
            let name = claim_of(parts, claim).volume_name.clone();
            let volumes = parts.objects.volumes.iter_mut().filter(|volume| volume.meta.name == name);
            volumes.for_each(|volume| volume.node_affinity = None);
        }),
    ),
    // The pod is assigned to a node.
    ("attach-limit", Do(placed)),
    ("pod-claim-deleting", Do(placed)),
    ("pod-claim-lost", Do(placed)),
    ("pod-claim-missing", Do(placed)),
    ("pod-ephemeral-name-conflict", Do(placed)),
    ("pod-node-affinity-conflict", Do(placed)),
    ("pod-unbound-immediate", Do(placed)),
    ("rwop-conflict", Do(placed)),
    ("sts-pvc-deleted-race", Do(placed)),
    // The class is corrected.
    ("sc-expansion-off", Do(|parts, class| class_of(parts, class).allow_expansion = true)),
    ("sc-intree-removed", Do(|parts, class| class_of(parts, class).provisioner = "driver.example.com".into())),
    (
        "sc-two-defaults",
        Do(|parts, root| {
            for class in parts.objects.classes.iter_mut().filter(|class| class.meta.name != root.name) {
                class.meta.annotations.remove(AnnotationKey::IsDefaultClass);
                class.meta.annotations.remove(AnnotationKey::BetaIsDefaultClass);
            }
        }),
    ),
    ("node-replaced-same-name", Outside("the kubelet mounts the volume anew, and is not simulated")),
    ("sts-pod-forbidden", Outside("admission and the StatefulSet controller are not simulated")),
    ("capacity-not-published", Outside("the scheduler reads what drivers publish, and is not simulated")),
    ("sc-allowed-topologies-impossible", Outside("drivers and the scheduler read the topologies of a class")),
    ("sc-provisioner-absent", Outside("nobody can simulate whether a driver that runs would make the volumes")),
    // The StatefulSet controller removes the owner references once the policy is Retain.
    (
        "sts-retention-delete",
        Do(|parts, set| {
            for claim in parts.objects.claims.iter_mut().filter(|claim| claim.meta.namespace == set.namespace) {
                let Some(details) = &mut claim.details else { continue };
                let details = Arc::make_mut(details);
                details.owners = details.owners.iter().filter(|owner| owner.name != set.name).cloned().collect();
            }
        }),
    ),
];

fn volume_of<'a>(parts: &'a mut Parts, key: &ObjectKey) -> &'a mut PersistentVolume {
    parts
        .objects
        .volumes
        .iter_mut()
        .find(|volume| volume.meta.name == key.name)
        .expect("the volume of a finding is there")
}

fn claim_of<'a>(parts: &'a mut Parts, key: &ObjectKey) -> &'a mut PersistentVolumeClaim {
    let is_it = |claim: &&mut PersistentVolumeClaim| key_of_claim(&claim.meta) == *key;
    parts.objects.claims.iter_mut().find(is_it).expect("the claim of a finding is there")
}

fn class_of<'a>(parts: &'a mut Parts, key: &ObjectKey) -> &'a mut StorageClass {
    parts.objects.classes.iter_mut().find(|class| class.meta.name == key.name).expect("the class of a finding is there")
}

/// Binds a claim and a volume to each other as the controller does.
fn bind(claim: &mut PersistentVolumeClaim, volume: &mut PersistentVolume) {
    claim.volume_name.clone_from(&volume.meta.name);
    claim.meta.annotations.set(AnnotationKey::BindCompleted, "yes");
    claim.status.phase = ClaimPhase::Bound;
    claim.status.capacity.clone_from(&volume.capacity);
    claim.status.access_modes.clone_from(&volume.access_modes);
    volume.claim_ref = Some(ClaimRef {
        api_version: "v1".into(),
        kind: "PersistentVolumeClaim".into(),
        namespace: claim.meta.namespace.clone(),
        name: claim.meta.name.clone(),
        uid: claim.meta.uid.clone(),
        ..ClaimRef::default()
    });
    volume.status.phase = VolumePhase::Bound;
}

/// Binds the claim to a new volume that fits it.
fn bound_anew(parts: &mut Parts, claim: &ObjectKey) {
    let claim = claim_of(parts, claim);
    let mut volume = free_volume(format!("of-{}-{}", claim.meta.namespace, claim.meta.name), "1Gi", claim.class());
    volume.capacity = claim.request.iter().map(|amount| ("storage".into(), amount.clone())).collect();
    volume.access_modes.clone_from(&claim.access_modes);
    volume.volume_mode.clone_from(&claim.volume_mode);
    volume.attributes_class.clone_from(&claim.attributes_class);
    volume.source.handle.clone_from(&volume.meta.name);
    bind(claim, &mut volume);
    parts.objects.volumes.push(volume);
}

/// Binds the claim to the volume that it names.
fn bound_to_its_own(parts: &mut Parts, claim: &ObjectKey) {
    let mut volumes = std::mem::take(&mut parts.objects.volumes);
    let claim = claim_of(parts, claim);
    if let Some(volume) = volumes.iter_mut().find(|volume| volume.meta.name == claim.volume_name) {
        bind(claim, volume);
    }
    parts.objects.volumes = volumes;
}

/// Makes the volume available to every claim that fits.
fn offered(parts: &mut Parts, volume: &ObjectKey) {
    let volume = volume_of(parts, volume);
    volume.claim_ref = None;
    volume.status.phase = VolumePhase::Available;
}

/// Reserves the volume for the claim that its claimRef names, by removing the uid.
fn given_back(parts: &mut Parts, volume: &ObjectKey) {
    let volume = volume_of(parts, volume);
    volume.status.phase = VolumePhase::Available;
    if let Some(named) = &mut volume.claim_ref {
        named.uid = Str::default();
    }
}

fn gone(parts: &mut Parts, object: &ObjectKey) {
    parts
        .objects
        .retain(|kind, meta| kind != object.kind || meta.namespace != object.namespace || meta.name != object.name);
}

/// Assigns the pod to a node.
fn placed(parts: &mut Parts, pod: &ObjectKey) {
    let is_it = |one: &&mut pvctl::model::Pod| one.meta.namespace == pod.namespace && one.meta.name == pod.name;
    parts.objects.pods.iter_mut().find(is_it).expect("the pod of a finding is there").node_name = "node".into();
}
