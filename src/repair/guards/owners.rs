//! Whose the objects of a plan are: who else writes them, and who takes claims along that the plan creates.

use super::{Guard, Holds};
use crate::model::{Kind, ObjectKey, PersistentVolumeClaim, ReclaimPolicy};
use crate::repair::manifest::owners_of_new;
use crate::repair::plan::Plan;
use crate::repair::situation::{Known, Situation};
use crate::repair::write::Change;
use serde_json::Value;

/// Whether the owners live that a claim to be created names: the garbage collector deletes what has none that lives.
/// Plans leave dead ones out, but an owner may die between a plan and the rest of it.
pub(super) fn adopted(situation: &Situation<'_>, plan: &Plan) -> Vec<Guard> {
    const ID: &str = "adopted";
    let mut guards = Vec::new();
    for write in plan.writes() {
        let Change::Create { manifest } = &write.change else { continue };
        let namespace = &write.object.namespace;
        let (living, dead): (Vec<_>, Vec<_>) =
            owners_of_new(manifest, namespace, situation.snapshot).partition(|(_, lives)| *lives);
        let names =
            |owners: Vec<(String, bool)>| owners.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
        if !dead.is_empty() {
            guards.push(Guard::new(
                ID,
                Holds::No,
                format!(
                    "the plan creates {} with an owner that is not known to live in namespace {namespace}, and the \
                     garbage collector would delete the claim: {}; `kubectl pvctl undo` takes back what was written, and \
                     the repair asked for anew leaves out such owners",
                    write.object,
                    names(dead)
                ),
            ));
        } else if !living.is_empty() {
            guards.push(Guard::new(ID, Holds::Yes, format!("the owners of {} live: {}", write.object, names(living))));
        }
    }
    guards
}

/// Who else writes the objects, by what they sign with.
pub(super) fn writers(situation: &Situation<'_>, plan: &Plan) -> Vec<Guard> {
    const ID: &str = "owner";
    let retained = |object: &ObjectKey| plan.writes().any(|write| write.object == *object && write.retains());
    let goes = plan.writes().find(|write| write.takes_claim());
    let mut guards = Vec::new();
    for object in written(plan) {
        let Some(manifest) = situation.manifests.get(&object) else { continue };
        let Some(who) = owner_of(manifest) else { continue };
        if let Some(claim) = parted(situation, plan, &object)
            && goes.is_none()
            && source_deletes(manifest)
        {
            let said = format!(
                "{object} belongs to {who}, which may write policy Delete of its source again once claim {} has lost \
                 the volume, and the data would go: set persistentVolumeReclaimPolicy to Retain there first",
                claim.key()
            );
            guards.push(Guard::new(ID, Holds::No, said));
            continue;
        }
        guards.push(match goes {
            // Once the claim is gone, nothing but the policy keeps the data.
            Some(claim) if retained(&object) || source_deletes(manifest) => Guard::new(
                ID,
                Holds::No,
                format!(
                    "{object} belongs to {who}, which may write its former policy again while {} is gone, and the data \
                     would go: set persistentVolumeReclaimPolicy to Retain there first",
                    claim.object
                ),
            ),
            Some(_) | None => Guard::new(
                ID,
                Holds::Warns,
                format!("{object} belongs to {who}, which may write it again: change it there as well"),
            ),
        });
    }
    guards
}

/// The claim that has a volume and loses it because the plan makes the volume name another one by its uid: where that
/// is gone, the volume is Released. One that is offered to a name, or to anyone, is not deleted.
fn parted<'a>(situation: &Situation<'a>, plan: &Plan, object: &ObjectKey) -> Option<&'a PersistentVolumeClaim> {
    if object.kind != Kind::PersistentVolume {
        return None;
    }
    let Known::There(volume) = situation.volume(&object.name) else { return None };
    let Known::There(holder) = situation.holder(volume) else { return None };
    let named = plan.writes().filter(|write| write.object == *object).filter_map(|write| match &write.change {
        Change::SetClaimRef { to, .. } => Some(to.as_ref()),
        Change::SetReclaimPolicy { .. }
        | Change::RemoveFinalizer { .. }
        | Change::NameVolume { .. }
        | Change::SetClass { .. }
        | Change::SetAnnotation { .. }
        | Change::Create { .. }
        | Change::Delete => None,
    });
    let mut others = named.flatten().filter(|to| !to.uid.is_empty() && to.uid != holder.meta.uid);
    others.next().is_some().then_some(holder)
}

/// Whether those who apply a volume give it policy Delete: by what was applied last, where that is recorded.
fn source_deletes(manifest: &Value) -> bool {
    let applied = manifest["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"].as_str();
    let applied: Option<Value> = applied.and_then(|text| serde_json::from_str(text).ok());
    applied.is_some_and(|applied| applied["spec"]["persistentVolumeReclaimPolicy"] == ReclaimPolicy::Delete.as_str())
}

/// Who else writes an object, or deletes it where its source does not have it.
pub fn owner_of(manifest: &Value) -> Option<String> {
    const SIGNS: [(&str, &str); 7] = [
        ("argocd.argoproj.io/instance", "Argo CD"),
        ("argocd.argoproj.io/tracking-id", "Argo CD"),
        ("kustomize.toolkit.fluxcd.io/name", "Flux"),
        ("helm.toolkit.fluxcd.io/name", "Flux"),
        ("meta.helm.sh/release-name", "Helm"),
        ("app.kubernetes.io/managed-by", ""),
        ("app.kubernetes.io/instance", "whoever applies instance"),
    ];
    const MANAGERS: [&str; 6] = ["argocd", "kustomize-controller", "helm", "pulumi", "terraform", "crossplane"];
    let metadata = &manifest["metadata"];
    let sign = SIGNS.iter().find_map(|(key, who)| {
        let value = metadata["labels"].get(key).or_else(|| metadata["annotations"].get(key))?.as_str()?;
        Some(if who.is_empty() { value.to_owned() } else { format!("{who} ({value})") })
    });
    let owner = metadata["ownerReferences"]
        .as_array()
        .into_iter()
        .flatten()
        // A node owns the local volumes on it, and writes nothing.
        .filter(|owner| owner["kind"] != "Node")
        .find_map(|owner| Some(format!("{} {}", owner["kind"].as_str()?, owner["name"].as_str()?)));
    let manager = metadata["managedFields"].as_array().into_iter().flatten().find_map(|entry| {
        let manager = entry["manager"].as_str()?;
        let known = MANAGERS.iter().any(|name| manager.to_ascii_lowercase().starts_with(name));
        known.then(|| manager.to_owned())
    });
    sign.or(owner).or(manager)
}

fn written(plan: &Plan) -> Vec<ObjectKey> {
    let mut objects: Vec<ObjectKey> = plan.writes().map(|write| write.object.clone()).collect();
    objects.sort();
    objects.dedup();
    objects
}

/// Whether whoever applies the volume of a manifest may set another policy than Retain again, as the object records it.
pub(crate) fn may_apply_delete(manifest: &Value) -> bool {
    let owns =
        |entry: &Value| !entry.pointer("/fieldsV1/f:spec/f:persistentVolumeReclaimPolicy").is_none_or(Value::is_null);
    let entries = manifest["metadata"]["managedFields"].as_array().into_iter().flatten();
    let applies = entries.filter(|entry| entry["operation"] == "Apply").any(owns);
    source_deletes(manifest)
        || applies && manifest["spec"]["persistentVolumeReclaimPolicy"] != ReclaimPolicy::Retain.as_str()
}
