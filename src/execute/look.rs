//! The rechecks immediately before a write.

use super::api::Api;
use super::error::Stopped;
use crate::controllers::persistent_volume::reclaim;
use crate::model::{
    CsiNode, Kind, Node, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, Resource, Service, StatefulSet, Str,
    VolumeAttachment,
};
use crate::repair::guards::clients;
use crate::repair::guards::machine::{self, OtherMachine};
use crate::repair::{
    Obstacle, Recheck, Seen, VolumeIdentity, Write, claim_key, guards, node_key, service_key, volume_key,
};
use crate::snapshot::Item;
use crate::snapshot::decode::decode_as;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Decodes an object.
pub(super) fn decode(key: &ObjectKey, manifest: Option<&Value>) -> Result<Option<Seen>, Stopped> {
    let seen = manifest.map(|manifest| Seen::decode(key.kind, manifest)).transpose();
    seen.map_err(|problem| Stopped::unreadable(format!("{key} is not understood")).cause(problem))
}

/// Returns the error for an object that is not as a step expects it.
pub(super) fn in_the_way(write: &Write, obstacle: &Obstacle) -> Stopped {
    let message = format!("{} is not as the plan expects it: {obstacle}", write.object);
    if write.object.kind == Kind::PersistentVolume && matches!(obstacle, Obstacle::Missing | Obstacle::OtherUid(_)) {
        return Stopped::volume_lost(message);
    }
    let stop = Stopped::changed(message);
    stop.hint(obstacle.way_on(&write.object).unwrap_or_else(|| {
        "somebody has changed it since the plan was made: ask for the repair again to get a plan for the present state"
            .to_owned()
    }))
}

/// Carries out a recheck.
pub(super) async fn again(api: Api<'_>, recheck: &Recheck) -> Result<(), Stopped> {
    match recheck {
        Recheck::Unused { namespace, name } => {
            let users = pods(api, namespace, |pod| guards::uses(pod, name)).await?;
            if !users.is_empty() {
                return Err(Stopped::changed(format!("pods use claim {namespace}/{name}: {}", users.join(", ")))
                    .hint("stop what runs them, and wait until they are gone"));
            }
            let sets = all::<StatefulSet>(api, namespace).await?;
            match guards::set_that_makes(&sets, namespace, name) {
                None => Ok(()),
                Some(set) => Err(Stopped::changed(format!(
                    "StatefulSet {namespace}/{} has {} replicas and would create pods that use claim {name}, or the \
                     claim itself",
                    set.meta.name, set.replicas
                ))
                .hint(format!("{}, and wait until its pods are gone", guards::how_to_stop(set)))),
            }
        }
        Recheck::Unmounted { namespace, name, before } => {
            let users = pods(api, namespace, |pod| guards::mounted::mounts(pod, name, *before)).await?;
            if users.is_empty() {
                return Ok(());
            }
            let older = before.map_or_else(String::new, |before| format!(" that may be older than {before}"));
            Err(Stopped::changed(format!(
                "claim {namespace}/{name} was deleted, and pods{older} still use its volume: {}",
                users.join(", ")
            ))
            .hint("stop what runs them, and wait until they are gone"))
        }
        Recheck::Detached { volume } => {
            let attachments = all::<VolumeAttachment>(api, "").await?;
            let own = attachments.iter().filter(|attachment| attachment.volume_name == *volume);
            let nodes: Vec<&str> = own.map(|attachment| attachment.node_name.as_str()).collect();
            if nodes.is_empty() {
                return Ok(());
            }
            Err(Stopped::changed(format!("VolumeAttachments attach volume {volume} to {}", nodes.join(", ")))
                .hint("they are deleted when no pod uses the volume any more"))
        }
        Recheck::AllRetained { namespace, name } => {
            let key = claim_key(namespace, name);
            let manifest = api.get(&key).await?;
            // If the claim is already gone, the step deletes nothing, so no data are at risk.
            let Some(Seen::Claim(claim)) = decode(&key, manifest.as_ref())? else { return Ok(()) };
            for volume in all::<PersistentVolume>(api, "").await? {
                if !guards::keeps(&volume, &claim, None)
                    && !guards::keeps(&volume, &claim, named_by(api, &volume, &claim).await?.as_deref())
                {
                    return Err(Stopped::changed(format!(
                        "volume {} is tied to claim {namespace}/{name} and has policy {}: its data would be deleted \
                         with the claim",
                        volume.meta.name,
                        volume.reclaim_policy.as_str()
                    ))
                    .hint(format!(
                        "kubectl pvctl retain pv/{} keeps them; then ask for the repair again",
                        volume.meta.name
                    )));
                }
            }
            Ok(())
        }
        Recheck::Lives { namespace, name, volume } => {
            let key = claim_key(namespace, name);
            let holder = that_volume(api, volume).await?.claim_ref.as_ref().map(|named| named.uid.clone());
            match decode(&key, api.get(&key).await?.as_ref())? {
                Some(seen) if seen.meta().deleted.is_some() => {
                    Err(Stopped::changed(format!("claim {namespace}/{name} is being deleted")))
                }
                Some(seen) if holder.as_ref() == Some(&seen.meta().uid) => Ok(()),
                Some(_) => Err(Stopped::changed(format!(
                    "claim {namespace}/{name} does not have the uid that volume {volume} names: with policy Delete the \
                     data would be deleted"
                ))),
                None => Err(Stopped::changed(format!("claim {namespace}/{name} does not exist any more"))),
            }
        }
        Recheck::Reserved { volume: held, namespace, name } => {
            let volume = that_volume(api, held).await?;
            if volume.is_reserved_for(namespace, name) {
                return Ok(());
            }
            let has = volume.claim_ref.as_ref().map_or_else(
                || "no claim".to_owned(),
                |named| format!("claim {}/{} with uid {:?}", named.namespace, named.name, named.uid),
            );
            let stop = Stopped::changed(format!(
                "volume {held} names {has}, so it is not reserved for claim {namespace}/{name}"
            ));
            Err(recheck.way_on().into_iter().fold(stop, Stopped::hint))
        }
        Recheck::NotRecycled { volume } => {
            let name = reclaim::recycler_of(volume);
            let key = ObjectKey {
                kind: Kind::Pod,
                namespace: reclaim::RECYCLER_NAMESPACE.into(),
                name: name.as_str().into(),
            };
            if api.get(&key).await?.is_none() {
                return Ok(());
            }
            Err(Stopped::changed(format!(
                "pod {}/{name} is erasing volume {volume}, or has erased it",
                reclaim::RECYCLER_NAMESPACE
            ))
            .hint("wait until the pod is gone, and check the data"))
        }
        Recheck::NotNeeded { node, volume, same, claims } => {
            let mut claims = claims.clone();
            machine::add_claim(&mut claims, &*that_volume(api, volume).await?);
            machine::add_claims_of(&mut claims, same, &all::<PersistentVolumeClaim>(api, "").await?);
            let namespaces: BTreeSet<&Str> = claims.iter().map(|(namespace, _)| namespace).collect();
            let mut users = Vec::new();
            for namespace in namespaces {
                users.extend(pods(api, namespace, |pod| machine::needs(pod, node, &claims)).await?);
            }
            if users.is_empty() {
                return Ok(());
            }
            Err(Stopped::changed(format!("pods on node {node} need volume {volume}: {}", users.join(", ")))
                .hint("stop what runs them, and wait until they are gone"))
        }
        Recheck::OneMachine { node, driver, id } => {
            match OtherMachine::of(node, driver, id, &all::<CsiNode>(api, "").await?) {
                None => Ok(()),
                Some(other) => Err(Stopped::changed(other.words(node, driver, id))
                    .hint("see whether the machine runs, and whether a pod there uses the volume")),
            }
        }
        Recheck::Unprovisioned { node, claim } => {
            let key = node_key(node);
            if api.get(&key).await?.is_some() {
                return Err(Stopped::changed(format!(
                    "node {node} exists: a provisioner may be creating a volume for it"
                )));
            }
            match machine::made_for(&all::<PersistentVolume>(api, "").await?, claim) {
                None => Ok(()),
                Some(volume) => Err(Stopped::changed(format!("volume {} was made for the claim", volume.meta.name))),
            }
        }
        Recheck::MachineOff { node, sign, mounted_as } => {
            let key = node_key(node);
            let found = api.get(&key).await?;
            let found = found.map(|manifest| item(Kind::Node, &manifest)).transpose()?.and_then(Item::of::<Node>);
            match sign.differs(node, found.as_ref(), mounted_as.as_deref()) {
                None => Ok(()),
                Some(why) => {
                    Err(Stopped::changed(why).hint("ask for the repair again when you know whether the machine is off"))
                }
            }
        }
        Recheck::AddressFree { address } => {
            let services = all::<Service>(api, "").await?;
            match services.iter().find(|service| address.is_of(service)) {
                None => Ok(()),
                Some(service) => Err(Stopped::changed(clients::taken(*address, service))),
            }
        }
        Recheck::SameServer { server } => {
            let key = service_key(&server.namespace, &server.name);
            let found = match decode(&key, api.get(&key).await?.as_ref())? {
                Some(Seen::Service(service)) => Some(service),
                Some(Seen::Volume(_) | Seen::Claim(_) | Seen::Attachment(_)) | None => None,
            };
            match server.differs(found.as_deref()) {
                None => Ok(()),
                Some(why) => Err(Stopped::changed(why).hint("ask for the repair again")),
            }
        }
        Recheck::NoClients { address, volumes } => {
            let stored = all::<PersistentVolume>(api, "").await?;
            let pods = all::<Pod>(api, "").await?;
            let attachments = all::<VolumeAttachment>(api, "").await?;
            let users = clients::of(*address, volumes, &stored, &pods, &attachments);
            if users.is_empty() {
                return Ok(());
            }
            Err(Stopped::changed(clients::would_lose(*address, &users))
                .hint("stop what runs them, and wait until they are gone"))
        }
        Recheck::Retained { volume: wanted } => match that_volume(api, wanted).await?.reclaim_policy.as_str() {
            "Retain" => Ok(()),
            other => {
                let message = format!("the policy of volume {wanted} is {other}, but Retain was expected");
                Err(recheck.way_on().into_iter().fold(Stopped::changed(message), Stopped::hint))
            }
        },
    }
}

/// Returns the volume of a plan. Its uid and storage must be the same as in the plan.
async fn that_volume(api: Api<'_>, wanted: &VolumeIdentity) -> Result<Arc<PersistentVolume>, Stopped> {
    let key = volume_key(wanted.name());
    match decode(&key, api.get(&key).await?.as_ref())? {
        Some(Seen::Volume(volume)) => match wanted.differs(&volume) {
            None => Ok(volume),
            Some(why) => Err(Stopped::volume_lost(why)),
        },
        Some(Seen::Claim(_) | Seen::Attachment(_) | Seen::Service(_)) | None => {
            Err(Stopped::volume_lost(format!("volume {wanted} is gone")))
        }
    }
}

/// Returns the claim that has the namespace and name in the volume's claimRef. Returns `None` if the claimRef has no
/// uid, or has the uid of the given claim.
async fn named_by(
    api: Api<'_>,
    volume: &PersistentVolume,
    claim: &PersistentVolumeClaim,
) -> Result<Option<Arc<PersistentVolumeClaim>>, Stopped> {
    let theirs = volume.claim_ref.as_ref().filter(|named| {
        !named.uid.is_empty() && named.uid != claim.meta.uid && !named.namespace.is_empty() && !named.name.is_empty()
    });
    let Some(named) = theirs else { return Ok(None) };
    let key = claim_key(&named.namespace, &named.name);
    match decode(&key, api.get(&key).await?.as_ref())? {
        Some(Seen::Claim(claim)) => Ok(Some(claim)),
        Some(Seen::Volume(_) | Seen::Attachment(_) | Seen::Service(_)) | None => Ok(None),
    }
}

/// Returns the objects of a kind in a namespace. Without a namespace, returns all objects of the kind.
async fn all<T: Resource>(api: Api<'_>, namespace: &str) -> Result<Vec<T>, Stopped> {
    let mut found = Vec::new();
    for manifest in api.list(T::KIND, namespace).await? {
        found.extend(item(T::KIND, &manifest)?.of::<T>());
    }
    Ok(found)
}

/// Returns the names of those pods of a namespace for which `wanted` is true.
async fn pods(api: Api<'_>, namespace: &str, wanted: impl Fn(&Pod) -> bool) -> Result<Vec<String>, Stopped> {
    let pods = all::<Pod>(api, namespace).await?;
    Ok(pods.iter().filter(|pod| wanted(pod)).map(|pod| pod.meta.name.to_string()).collect())
}

/// Decodes an object of a list. If this fails, an error is returned, because this object could be the important one.
fn item(kind: Kind, manifest: &Value) -> Result<Item, Stopped> {
    let failed = |problem: String| {
        let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
        Stopped::unreadable(format!("{} {name} is not understood", kind.resource())).cause(problem)
    };
    let bytes = serde_json::to_vec(manifest).map_err(|error| failed(error.to_string()))?;
    decode_as(kind, &bytes, "the API server").map_err(|issue| failed(issue.to_string()))
}
