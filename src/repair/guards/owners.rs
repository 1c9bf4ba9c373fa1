//! The guards about owners: who else writes the objects of a plan, and whether the owners of new claims exist.

use super::sources::{Policy, Source, is_applied, sources};
use super::{Guard, Holds};
use crate::model::{Kind, ObjectKey, PersistentVolumeClaim};
use crate::repair::manifest::owners_of_new;
use crate::repair::plan::Plan;
use crate::repair::situation::{Known, Situation};
use crate::repair::write::{Change, FIELD_MANAGER, Reference};
use serde_json::Value;
use std::collections::BTreeSet;

/// Checks that the owners of a new claim exist. If none of them exists, the garbage collector deletes the claim. Plans
/// leave out owners that do not exist. But an owner may be deleted after the plan was made, and before its remaining
/// steps are carried out.
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
                    "the plan creates {} with an owner that is not known to exist in namespace {namespace}, so the \
                     garbage collector would delete the claim: {}; `kubectl pvctl undo` undoes what was written, and a \
                     new request for the repair leaves out such owners",
                    write.object,
                    names(dead)
                ),
            ));
        } else if !living.is_empty() {
            guards.push(Guard::new(ID, Holds::Yes, format!("the owners of {} exist: {}", write.object, names(living))));
        }
    }
    guards
}

/// Checks who else writes the objects. It uses the sources that the objects record, and the labels and annotations of
/// known tools.
pub(super) fn writers(situation: &Situation<'_>, plan: &Plan) -> Vec<Guard> {
    let goes = plan.writes().find(|write| write.takes_claim()).map(|write| write.object.to_string());
    let mut guards = Vec::new();
    let written: BTreeSet<&ObjectKey> = plan.writes().map(|write| &write.object).collect();
    for object in plan.objects() {
        let Some(manifest) = situation.manifests.get(&object) else { continue };
        let parted = parted(situation, plan, &object).map(|claim| format!("claim {}", claim.key()));
        let loses = goes.as_ref().or(parted.as_ref());
        guards.extend(applied(plan, &object, manifest, loses.map(String::as_str)));
        if written.contains(&object) {
            guards.extend(known(plan, &object, manifest, goes.as_deref()));
        }
    }
    guards
}

const OWNER: &str = "owner";

/// Checks the sources that apply an object. They may apply it at any moment, also between two steps.
fn applied(plan: &Plan, object: &ObjectKey, manifest: &Value, loses: Option<&str>) -> Vec<Guard> {
    if object.kind == Kind::PersistentVolumeClaim {
        let is_deleted = plan.writes().any(|write| write.object == *object && write.takes_claim());
        let said = is_applied(manifest).filter(|_| is_deleted).map(|who| {
            format!("{object} is applied by {who}: the next apply creates it again, unless its source changes as well")
        });
        return said.map(|said| Guard::new(OWNER, Holds::Warns, said)).into_iter().collect();
    }
    let mut guards = Vec::new();
    for source in sources(manifest) {
        let who = &source.who;
        if let Some(loses) = loses
            && source.may_delete()
        {
            let states = match &source.policy {
                Policy::Is(policy) => format!("with policy {policy}"),
                Policy::Hidden | Policy::Unstated => {
                    format!("perhaps with another policy than Retain ({FIELD_MANAGER} has set the policy since then)")
                }
            };
            let said = format!(
                "{object} is applied by {who}, {states}: the next apply sets that policy again, and the data are \
                 deleted when {loses} has lost the volume. First set persistentVolumeReclaimPolicy to Retain in the \
                 source and apply it, then ask again"
            );
            guards.push(Guard::new(OWNER, Holds::No, said));
        }
        if let Some(named) = &source.claim_ref
            && plan.writes().any(|write| write.object == *object && points_elsewhere(&write.change, named))
        {
            let said = format!(
                "{object} is applied by {who}, with a claimRef that names claim {}/{}: the next apply makes the volume \
                 name that claim again, and the claim that then has the volume becomes Lost. Change the claimRef in \
                 the source before anybody applies it again",
                named.namespace, named.name
            );
            guards.push(Guard::new(OWNER, Holds::Warns, said));
        }
    }
    guards
}

/// Returns whether a write makes a volume name a claim other than the one in a source.
fn points_elsewhere(change: &Change, named: &Reference) -> bool {
    match change {
        Change::SetClaimRef { to: Some(to), .. } => to.namespace != named.namespace || to.name != named.name,
        Change::SetClaimRef { to: None, .. } => true,
        Change::SetReclaimPolicy { .. }
        | Change::RemoveFinalizer { .. }
        | Change::NameVolume { .. }
        | Change::SetClass { .. }
        | Change::SetAnnotation { .. }
        | Change::Create { .. }
        | Change::CreateService { .. }
        | Change::Delete => false,
    }
}

/// Checks for a known tool, by its labels, annotations or field manager. The tool writes what its source states, and
/// the object does not always record this.
fn known(plan: &Plan, object: &ObjectKey, manifest: &Value, goes: Option<&str>) -> Option<Guard> {
    let who = owner_of(manifest)?;
    let retained = plan.writes().any(|write| write.object == *object && write.retains());
    Some(match goes {
        // After the claim is deleted, only the policy keeps the data.
        Some(claim) if retained => Guard::new(
            OWNER,
            Holds::No,
            format!(
                "{object} belongs to {who}, which may write its former policy again while {claim} is gone, and the \
                 data would be deleted: first set persistentVolumeReclaimPolicy to Retain there"
            ),
        ),
        Some(_) | None => Guard::new(
            OWNER,
            Holds::Warns,
            format!("{object} belongs to {who}, which may write it again: change it there as well"),
        ),
    })
}

/// Returns the claim that has a volume and loses it, because the plan writes another uid into the claimRef. If the
/// claim with the new uid is gone, the volume becomes Released. A volume that is offered to a name or to any claim is
/// left out, because it is not deleted.
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
        | Change::CreateService { .. }
        | Change::Delete => None,
    });
    let mut others = named.flatten().filter(|to| !to.uid.is_empty() && to.uid != holder.meta.uid);
    others.next().is_some().then_some(holder)
}

/// Returns the tool, owner or manager that writes an object. Such a tool may also delete an object that is not in the
/// source of the tool.
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
        // A node is the owner of local volumes on it, but it writes nothing.
        .filter(|owner| owner["kind"] != "Node")
        .find_map(|owner| Some(format!("{} {}", owner["kind"].as_str()?, owner["name"].as_str()?)));
    let manager = metadata["managedFields"].as_array().into_iter().flatten().find_map(|entry| {
        let manager = entry["manager"].as_str()?;
        let known = MANAGERS.iter().any(|name| manager.to_ascii_lowercase().starts_with(name));
        known.then(|| manager.to_owned())
    });
    sign.or(owner).or(manager)
}

/// Returns whether the volume records a source that applies it and may set a policy other than Retain again.
pub(crate) fn may_apply_delete(manifest: &Value) -> bool {
    sources(manifest).iter().any(Source::may_delete)
}
