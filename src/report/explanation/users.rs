//! The pods that use a claim, or the claim of a volume.

use crate::controllers::pvc_protection::pod_uses_claim;
use crate::model::{self, Kind, PersistentVolume, PersistentVolumeClaim, Pod, TypedId};
use crate::report::shared::machine::ObjectId;
use crate::snapshot::Snapshot;
use serde::Serialize;

/// A pod that uses a claim.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UserOut<'a> {
    /// The pod.
    pub object: ObjectId<'a>,
    /// The node of the pod. The field is absent while the pod is not scheduled.
    #[serde(skip_serializing_if = "str::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub node_name: &'a str,
    /// Whether the containers of the pod have ended.
    pub terminated: bool,
    /// Whether the pod would keep the claim from being deleted.
    pub keeps_claim: bool,
}

/// Returns the namespaces whose pods can use the object, in order and without duplicates.
pub(super) fn users_namespaces(snapshot: &Snapshot, target: model::ObjectId) -> Vec<&str> {
    let mut namespaces: Vec<&str> = match target.typed() {
        TypedId::PersistentVolumeClaim(id) => vec![&snapshot.claim(id).meta.namespace],
        TypedId::PersistentVolume(id) => {
            let volume = snapshot.volume(id);
            let named = volume.claim_ref.iter().map(|claim| claim.namespace.as_str());
            let naming = snapshot.claims_naming(&volume.meta.name).iter();
            named.chain(naming.map(|id| snapshot.claim(*id).meta.namespace.as_str())).collect()
        }
        _ => Vec::new(),
    };
    namespaces.sort_unstable();
    namespaces.dedup();
    // A claimRef without a namespace names no claim that a pod could use.
    namespaces.retain(|namespace| !namespace.is_empty());
    namespaces
}

/// Returns the pods that use the claim.
pub(super) fn users_of_claim<'a>(snapshot: &'a Snapshot, claim: &'a PersistentVolumeClaim) -> Vec<UserOut<'a>> {
    snapshot.pods_of(&claim.meta.namespace, &claim.meta.name).map(|pod| user(pod, Some(claim))).collect()
}

/// Returns the pods that use the claim of the volume.
pub(super) fn users_of_volume<'a>(snapshot: &'a Snapshot, volume: &'a PersistentVolume) -> Vec<UserOut<'a>> {
    let Some(named) = &volume.claim_ref else { return Vec::new() };
    let claim = snapshot.claim_id(&named.namespace, &named.name).map(|id| snapshot.claim(id));
    if claim.is_some_and(|claim| !claim.volume_name.is_empty() && claim.volume_name != volume.meta.name) {
        return Vec::new();
    }
    snapshot.pods_of(&named.namespace, &named.name).map(|pod| user(pod, claim)).collect()
}

fn user<'a>(pod: &'a Pod, claim: Option<&PersistentVolumeClaim>) -> UserOut<'a> {
    UserOut {
        object: ObjectId::new(Kind::Pod, &pod.meta),
        node_name: &pod.node_name,
        terminated: pod.terminated(),
        keeps_claim: claim.is_some_and(|claim| pod_uses_claim(pod, claim)),
    }
}
