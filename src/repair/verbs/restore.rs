//! The verb `restore`: it gives a claim exactly the volume that it had. The claim is Lost, is being deleted, or is
//! already deleted. Its volume still exists.

use super::build::{Builder, Planned, stays};
use super::rebind::{fits, name_it, reserve};
use super::recreate::idle;
use crate::model::{
    AnnotationKey, ClaimPhase, ObjectKey, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, VolumePhase,
};
use crate::repair::identity::VolumeIdentity;
use crate::repair::manifest::{for_volume, like};
use crate::repair::plan::{Carried, Proposed, Recheck, Refusal, Undo};
use crate::repair::request::Request;
use crate::repair::situation::{Known, Situation};
use crate::repair::wait::Wait;
use crate::repair::write::{Expect, Reference};

pub(super) fn plan(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    from: Option<&str>,
    provisioner_stopped: bool,
) -> Planned {
    match situation.claim(&key.namespace, &key.name) {
        Known::Unknown => {
            let message = format!("whether claim {}/{} exists could not be read", key.namespace, key.name);
            Err(Refusal::new("unknown", message).into())
        }
        Known::Absent => create_again(situation, request, key, from),
        Known::There(claim) if claim.terminating() => after_deletion(situation, request, key, claim),
        Known::There(claim) if claim.meta.annotations.has(AnnotationKey::BindCompleted) => {
            give_back(situation, request, key, claim, from)
        }
        Known::There(claim) => hand_old_volume(situation, request, key, claim, from, provisioner_stopped),
    }
}

/// Returns the volume from which the claim is restored: the volume that the person names, or the only volume that names
/// the claim.
fn sought<'a>(
    situation: &Situation<'a>,
    key: &ObjectKey,
    from: Option<&str>,
) -> Result<&'a PersistentVolume, Proposed> {
    if let Some(name) = from {
        return super::build::volume(situation, name);
    }
    let snapshot = situation.snapshot;
    let named: Vec<&PersistentVolume> =
        snapshot.volumes_naming(&key.namespace, &key.name).iter().map(|id| snapshot.volume(*id)).collect();
    match named.as_slice() {
        [one] => Ok(one),
        [] if !situation.knows_all(crate::model::Kind::PersistentVolume, "") => {
            Err(Refusal::new("unknown", "not all volumes could be listed").into())
        }
        [] => Err(Refusal::new(
            "missing",
            format!(
                "no volume names claim {}/{}: there is no volume to restore the claim from",
                key.namespace, key.name
            ),
        )
        .hint("--from pv/NAME says which volume it had")
        .into()),
        several => {
            let names: Vec<&str> = several.iter().map(|volume| volume.meta.name.as_str()).collect();
            Err(Refusal::new(
                "ambiguous",
                format!("several volumes name claim {}/{}: {}", key.namespace, key.name, names.join(", ")),
            )
            .hint("--from pv/NAME says which of them it had; compare sizes, ages and handles")
            .into())
        }
    }
}

/// Checks that no claim holds the volume. If the person did not name the volume, the volume must not name another claim
/// either.
fn is_free(
    situation: &Situation<'_>,
    key: &ObjectKey,
    volume: &PersistentVolume,
    from: Option<&str>,
) -> Result<(), Proposed> {
    stays(volume)?;
    super::release::held(situation, volume, Some(key))?;
    let name = &volume.meta.name;
    let other = volume.claim_ref.as_ref().filter(|named| named.namespace != key.namespace || named.name != key.name);
    match other {
        Some(other) if from.is_none() => Err(Refusal::new(
            "identity",
            format!("volume {name} names claim {}/{}, not {}/{}", other.namespace, other.name, key.namespace, key.name),
        )
        .hint(format!("--from pv/{name} confirms that you mean the data of this volume"))
        .into()),
        _ => Ok(()),
    }
}

/// Plans to make the volume name its claim by uid. The claim was bound and still exists, so nothing is replaced.
fn give_back(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    claim: &PersistentVolumeClaim,
    from: Option<&str>,
) -> Planned {
    if claim.volume_name.is_empty() {
        return name_again(situation, request, key, claim, from);
    }
    let volume = match situation.volume(&claim.volume_name) {
        Known::There(volume) => volume,
        Known::Absent => {
            return Err(Refusal::new(
                "missing",
                format!("volume {}, which claim {} had, does not exist any more", claim.volume_name, claim.key()),
            )
            .hint(
                "create the volume again with that name and the same storage, from a saved manifest; then use restore",
            )
            .into());
        }
        Known::Unknown => {
            let message = format!("whether volume {} exists could not be read", claim.volume_name);
            return Err(Refusal::new("unknown", message).into());
        }
    };
    if from.is_some_and(|name| name != volume.meta.name) {
        return Err(Refusal::new(
            "usage",
            format!("claim {} names volume {}, and that cannot be changed", claim.key(), volume.meta.name),
        )
        .hint("kubectl pvctl rebind replaces the claim by a claim that has another volume")
        .into());
    }
    let name = &volume.meta.name;
    let named = volume.claim_ref.as_ref().map(Reference::from_stored);
    let ours = named.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
    if ours && claim.status.phase == ClaimPhase::Bound && volume.status.phase == VolumePhase::Bound {
        return Ok(Proposed::Nothing(healthy(situation, claim, volume)));
    }
    if ours {
        return Ok(Proposed::Nothing(format!(
            "volume {name} names claim {} by its uid: the controller binds them by itself",
            claim.key()
        )));
    }
    is_free(situation, key, volume, from)?;
    let mut plan = Builder::new(request);
    // The claim had the volume before. The claim is saved, so an undo knows that this claim held the volume, and leaves
    // the claim unchanged.
    plan.save_claim(claim);
    by_uid(
        situation,
        &mut plan,
        claim,
        volume,
        format!("volume {name} names claim {} again, with its present uid", claim.key()),
    );
    Ok(plan.finish(format!("claim {} is bound to volume {name} again; nothing is deleted", claim.key())))
}

/// Describes a claim that has its volume. Other volumes that also name the claim are mentioned, because the person may
/// want one of them.
fn healthy(situation: &Situation<'_>, claim: &PersistentVolumeClaim, volume: &PersistentVolume) -> String {
    let (namespace, name) = (&claim.meta.namespace, &claim.meta.name);
    let snapshot = situation.snapshot;
    let mut said = vec![format!("claim {} has volume {} and is bound", claim.key(), volume.meta.name)];
    let naming = snapshot.volumes_naming(namespace, name).iter().map(|id| snapshot.volume(*id));
    for old in naming.filter(|old| old.meta.name != volume.meta.name) {
        let pv = &old.meta.name;
        let (phase, policy) = (old.status.phase.as_str(), old.reclaim_policy.as_str());
        let keep = if old.reclaim_policy == ReclaimPolicy::Retain {
            String::new()
        } else {
            format!("`kubectl pvctl retain pv/{pv}` keeps its data; ")
        };
        said.push(format!(
            "Volume {pv} also names this claim: it is {phase}, with policy {policy}. {keep}`kubectl pvctl rebind \
             pvc/{name} \
             -n {namespace} --to pv/{pv}` gives that volume to the claim"
        ));
    }
    said.join(". ")
}

/// Makes a volume name a claim by its uid, and waits until both are bound to each other.
fn by_uid(
    situation: &Situation<'_>,
    plan: &mut Builder,
    claim: &PersistentVolumeClaim,
    volume: &PersistentVolume,
    why: String,
) {
    let (namespace, name) = (claim.meta.namespace.clone(), claim.meta.name.clone());
    plan.leave_if_strange(situation, &namespace, volume);
    let for_claims = vec![(namespace.clone(), name.clone())];
    plan.carry(volume, Carried { volume: volume.meta.name.clone(), for_claims, given_up: Vec::new() });
    plan.retain(volume, "before any other step");
    plan.retain_all_of(situation, claim, "because the claim will not get this volume");
    let bound = Wait::Bound { namespace, name, uid: claim.meta.uid.clone(), volume: VolumeIdentity::of(volume) };
    let expect = vec![Expect::Terminating { is: false }];
    plan.refer(situation, why, volume, Some(Reference::of(claim)), expect, Some(bound));
}

/// Plans to make a claim name its volume again, if the claim was bound and no longer names a volume. The API server
/// accepts a volume name only as long as the claim names no volume.
fn name_again(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    claim: &PersistentVolumeClaim,
    from: Option<&str>,
) -> Planned {
    // If several volumes name the claim, only the volume with the uid of the claim can be its own.
    let snapshot = situation.snapshot;
    let is_ours =
        |volume: &&PersistentVolume| volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
    let naming = snapshot.volumes_naming(&key.namespace, &key.name).iter().map(|id| snapshot.volume(*id));
    let own: Vec<&PersistentVolume> = naming.filter(is_ours).collect();
    let volume = match own.as_slice() {
        [one] if from.is_none() => one,
        _ => sought(situation, key, from)?,
    };
    if !is_ours(&volume) {
        is_free(situation, key, volume, from)?;
    }
    stays(volume)?;
    Ok(name_it(situation, request, key, claim, volume))
}

/// Plans to give the old volume to a claim of this name that has no volume yet.
fn hand_old_volume(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    claim: &PersistentVolumeClaim,
    from: Option<&str>,
    provisioner_stopped: bool,
) -> Planned {
    if !claim.volume_name.is_empty() {
        return name_back(situation, request, key, claim, from);
    }
    let volume = sought(situation, key, from)?;
    is_free(situation, key, volume, from)?;
    idle(situation, claim, provisioner_stopped)?;
    if !fits(volume, claim) {
        return Err(Refusal::new(
            "fit",
            format!("claim {} requests something that volume {} does not have", claim.key(), volume.meta.name),
        )
        .hint(format!(
            "kubectl pvctl rebind pvc/{} -n {} --to pv/{} replaces the claim by a claim that fits",
            key.name, key.namespace, volume.meta.name
        ))
        .into());
    }
    Ok(name_it(situation, request, key, claim, volume))
}

/// Handles a claim that names its volume but was never bound to it. Usually the volume names an earlier claim with this
/// name.
fn name_back(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    claim: &PersistentVolumeClaim,
    from: Option<&str>,
) -> Planned {
    let volume = super::build::volume(situation, &claim.volume_name)?;
    let name = &volume.meta.name;
    if from.is_some_and(|from| from != name) {
        return Err(Refusal::new(
            "usage",
            format!("claim {} names volume {name}, and that cannot be changed", claim.key()),
        )
        .hint("kubectl pvctl rebind replaces the claim by a claim that has another volume")
        .into());
    }
    let ours = volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
    if ours {
        stays(volume)?;
    } else {
        is_free(situation, key, volume, from)?;
    }
    if ours || volume.is_reserved_for(&key.namespace, &key.name) {
        return Ok(Proposed::Nothing(format!(
            "volume {name} is reserved for claim {}: the controller binds them by itself",
            claim.key()
        )));
    }
    let mut plan = Builder::new(request);
    by_uid(
        situation,
        &mut plan,
        claim,
        volume,
        format!("volume {name} names the present claim by its uid; until now it names another claim, or none"),
    );
    Ok(plan.finish(format!("claim {} gets volume {name}, which it names", claim.key())))
}

/// Plans to create a deleted claim again, because its volume still exists.
fn create_again(situation: &Situation<'_>, request: &Request, key: &ObjectKey, from: Option<&str>) -> Planned {
    let volume = sought(situation, key, from)?;
    let name = &volume.meta.name;
    is_free(situation, key, volume, from)?;
    if volume.status.phase == VolumePhase::Bound {
        return Err(Refusal::new(
            "phase",
            format!("volume {name} still has phase Bound: the controller has not seen yet that its claim is gone"),
        )
        .hint(format!("kubectl pvctl retain pv/{name} keeps the data in the meantime"))
        .into());
    }
    let mut plan = Builder::new(request);
    plan.leave_if_strange(situation, &key.namespace, volume);
    let for_claims = vec![(key.namespace.clone(), key.name.clone())];
    plan.carry(volume, Carried { volume: name.clone(), for_claims, given_up: Vec::new() });
    plan.retain(volume, "before any other step");
    reserve(situation, &mut plan, key, volume);
    plan.create_claim(
        format!("claim {}/{} is created and names volume {name}", key.namespace, key.name),
        key,
        for_volume(volume, key),
        Some(volume),
        Vec::new(),
    );
    plan.note("the labels and annotations of the deleted claim are not known: add those that are needed");
    Ok(plan.finish(format!("claim {}/{} exists again, with volume {name}", key.namespace, key.name)))
}

/// Plans for a claim that is being deleted. The deletion cannot be undone, so the plan waits until the claim is gone.
/// Then it creates an equal claim with the same volume.
fn after_deletion(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    claim: &PersistentVolumeClaim,
) -> Planned {
    let volume = match situation.volume(&claim.volume_name) {
        Known::There(volume) => volume,
        Known::Absent | Known::Unknown => {
            return Err(Refusal::new(
                "missing",
                format!("claim {} is being deleted, and its volume is not known", claim.key()),
            )
            .into());
        }
    };
    stays(volume)?;
    let name = &volume.meta.name;
    match situation.holder(volume) {
        Known::There(holder) if holder.meta.uid == claim.meta.uid => {}
        _ => {
            return Err(Refusal::new("lost", format!("volume {name} does not name claim {}", claim.key())).into());
        }
    }
    let raw = super::build::manifest(situation, key)?;
    let mut plan = Builder::new(request);
    plan.save_claim(claim);
    let for_claims = vec![(key.namespace.clone(), key.name.clone())];
    plan.carry(volume, Carried { volume: name.clone(), for_claims, given_up: Vec::new() });
    plan.retain(volume, "before its claim is deleted");
    let gone =
        Wait::ClaimGone { namespace: key.namespace.clone(), name: key.name.clone(), uid: claim.meta.uid.clone() };
    let recheck = vec![Recheck::Unused { namespace: key.namespace.clone(), name: key.name.clone() }];
    plan.step(
        format!("claim {} is being deleted: its deletion cannot be undone", claim.key()),
        None,
        recheck,
        Some(gone),
        Undo::Nothing,
    );
    plan.await_released(volume);
    plan.refer_with_undo(
        format!("reserve volume {name} for claim {}, and for nobody else", claim.key()),
        volume,
        Some(Reference::reservation(&key.namespace, &key.name)),
        vec![
            Expect::ReclaimPolicy { is: "Retain".into() },
            Expect::VolumePhase { any_of: vec!["Released".into(), "Failed".into()] },
            Expect::Terminating { is: false },
        ],
        Some(Wait::Available { volume: VolumeIdentity::of(volume) }),
        volume.claim_ref.as_ref().map(Reference::from_stored),
    );
    let new = like(raw, key, Some(volume), situation.snapshot);
    plan.create_claim(
        format!("claim {} is created again and names volume {name}", claim.key()),
        key,
        new.manifest,
        Some(volume),
        Vec::new(),
    );
    for dropped in new.dropped {
        plan.note(format!("the new claim does not have {dropped}"));
    }
    Ok(plan.finish(format!("claim {} exists again, with volume {name}", claim.key())))
}
