//! This rule reports a volume that is reserved for a claim in a namespace that is gone or was created after the volume.

use super::with_storage;
use crate::controllers::VolumeBranch;
use crate::diagnosis::facts::is_complete;
use crate::diagnosis::mention::mention;
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::remedy::by_hand;
use crate::diagnosis::{Case, Detect, Detection, Holder, Page, Risk, Rule, Severity, key};
use crate::model::surroundings::Namespace;
use crate::model::{Kind, PersistentVolume, Timestamp};

pub(super) static RULE: Rule = Rule {
    id: "pv-reserved-namespace-anew",
    title: "reserved for a claim of a namespace that is gone or newer than the volume",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolumeClaim, Kind::Namespace],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume is Available, and the column CLAIM shows a claim. This claim does not exist. Its namespace \
               does not exist either, or was created after the volume.",
        why: "`spec.claimRef` has a namespace and a name, but no uid: the first claim of that name gets the volume. \
              When a namespace is deleted, somebody else can create a namespace with the same name. The volume does \
              not say which of the two namespaces is meant. If the namespace is as old as the volume, or older, it \
              existed when the volume was bound last, because a volume cannot be bound before it is created. If the \
              namespace is younger, this is not known: no object records the time of a binding.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.metadata.creationTimestamp} {.spec.claimRef}'\n\
                  kubectl get namespace NAMESPACE -o jsonpath='{.metadata.creationTimestamp}'\n\
                  kubectl get pvc NAME -n NAMESPACE",
        repair: "Find out who owns the data. If no claim of this namespace should get them, end the reservation in one \
                 of two ways. `kubectl pvctl unbind pv/VOLUME --reserve-for OTHER/CLAIM` reserves the volume for \
                 claim CLAIM of namespace OTHER instead, whose owner may have the data. If a repair made the reservation, you can also undo that repair: \
                 `kubectl pvctl undo`. If the namespace is the right one, create the claim with `spec.volumeName`.",
        prevention: "Reserve a volume only shortly before you create the claim, and end reservations before you delete \
                     a namespace.",
        hazard: "The user who creates a claim of that name in that namespace gets the volume and its data. This can be \
                 another tenant. If you remove the `claimRef`, every claim that fits, in any namespace, can get the \
                 data.",
        sources: &[
            "syncVolume, Kubernetes 1.36 (V3)",
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let named = volume.claim_ref.as_ref().filter(|named| named.uid.is_empty() && is_complete(named))?;
    if volume.terminating()
        || !matches!(case.holder(volume), Holder::ReservedForMissing)
        || case.volume_branch()? != VolumeBranch::VolumeReserved
    {
        return None;
    }
    let (namespace, created) = (&named.namespace, volume.meta.created);
    let home = case.snapshot().find::<Namespace>("", namespace);
    let is_strange = match home {
        Some(home) => is_younger(home, created),
        None => case.lacks(Kind::Namespace, "", namespace),
    };
    if !is_strange {
        return None;
    }
    let state = match home {
        Some(_) => format!("namespace {namespace} was created after the volume"),
        None => format!("namespace {namespace} does not exist"),
    };
    let (name, claim) = (&volume.meta.name, claim_name(named));
    let found = Detection::new(format!(
        "{} is reserved for claim {claim}, which does not exist, and {state}. Every user who can create that claim can \
         get the data, even another tenant",
        mention(&case.object())
    ));
    let namespace_key = key(Kind::Namespace, "", namespace);
    let found = match home {
        Some(home) => found.moment(&namespace_key, "metadata.creationTimestamp", home.meta.created),
        None => found.evidence(&namespace_key, "metadata.name", "does not exist"),
    };
    Some(
        with_storage(found, case, volume)
            // Volumes are often created before the objects that use them.
            .early_if(case.is_young(created))
            .since(volume.status.last_phase_transition)
            .evidence(&case.object(), "spec.claimRef", claim.as_str())
            .moment(&case.object(), "metadata.creationTimestamp", created)
            .remedy(by_hand(format!(
                "end the reservation, unless the claim is about to be created: `kubectl pvctl unbind pv/{name} \
                 --reserve-for NAMESPACE/NAME` reserves the volume for a claim of a namespace that you know; if a \
                 repair made the reservation, you can also undo that repair: `kubectl pvctl undo`"
            ))),
    )
}

/// Returns whether the namespace may be younger than the volume. Returns true if one of the two creation times is
/// missing.
fn is_younger(namespace: &Namespace, volume: Option<Timestamp>) -> bool {
    !matches!((namespace.meta.created, volume), (Some(namespace), Some(volume)) if namespace <= volume)
}
