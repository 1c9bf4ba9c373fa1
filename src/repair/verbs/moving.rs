//! The verbs `move` and `rename`: they give the volume of a claim, with its data, to a new claim with another name or
//! namespace.

use super::build::{Builder, Planned, claim, manifest, stays, volume};
use crate::model::{AnnotationKey, ObjectKey, PersistentVolume, PersistentVolumeClaim};
use crate::repair::identity::VolumeIdentity;
use crate::repair::manifest::like;
use crate::repair::plan::{Carried, Recheck, Refusal};
use crate::repair::request::Request;
use crate::repair::situation::{Known, Situation};
use crate::repair::wait::Wait;
use crate::repair::write::{Expect, Reference};

pub(super) fn plan(
    situation: &Situation<'_>,
    request: &Request,
    from: &ObjectKey,
    to: &ObjectKey,
    restore_policy: bool,
) -> Planned {
    if from == to {
        return Err(Refusal::new("usage", "the claim already has that name in that namespace").into());
    }
    let old = claim(situation, from)?;
    let volume = bound_volume(situation, old)?;
    match situation.claim(&to.namespace, &to.name) {
        Known::There(_) => {
            return Err(Refusal::new("exists", format!("claim {}/{} exists already", to.namespace, to.name))
                .hint("choose another name, or delete that claim first if it has no data")
                .into());
        }
        Known::Unknown => {
            let message = format!("whether claim {}/{} exists already could not be read", to.namespace, to.name);
            return Err(Refusal::new("unknown", message).into());
        }
        Known::Absent => {}
    }
    let raw = manifest(situation, from)?;
    let name = &volume.meta.name;
    if restore_policy && let Some(who) = crate::repair::guards::owner_of(raw) {
        return Err(Refusal::new(
            "owner",
            format!(
                "claim {} belongs to {who}, which may delete a claim that it does not know: with policy Delete its \
                     data would be deleted",
                old.key()
            ),
        )
        .hint("without --restore-policy the volume keeps policy Retain")
        .into());
    }
    let mut plan = Builder::new(request);
    plan.save_claim(old);
    let whom = format!("{}/{}", to.namespace, to.name);
    let for_claims = vec![(to.namespace.clone(), to.name.clone())];
    plan.carry(volume, Carried { volume: name.clone(), for_claims, given_up: Vec::new() });
    plan.retain(volume, "before its claim is deleted");
    let back = like(raw, from, Some(volume), situation.snapshot);
    plan.delete_claim(
        format!("delete claim {}, because its name and namespace cannot be changed", old.key()),
        old,
        Some(volume),
        back.manifest,
    );
    plan.await_released(volume);
    let expect = vec![
        Expect::ReclaimPolicy { is: "Retain".into() },
        Expect::VolumePhase { any_of: vec!["Released".into(), "Failed".into()] },
        Expect::Terminating { is: false },
    ];
    plan.refer_with_undo(
        format!("reserve volume {name} for claim {whom}, and for nobody else"),
        volume,
        Some(Reference::reservation(&to.namespace, &to.name)),
        expect,
        Some(Wait::Available { volume: VolumeIdentity::of(volume) }),
        Some(Reference::reservation(&from.namespace, &from.name)),
    );
    let new = like(raw, to, Some(volume), situation.snapshot);
    let old_unused = Recheck::Unused { namespace: from.namespace.clone(), name: from.name.clone() };
    plan.create_claim(format!("claim {whom} takes volume {name}"), to, new.manifest, Some(volume), vec![old_unused]);
    for dropped in new.dropped {
        plan.note(format!("the new claim does not have {dropped}"));
    }
    if restore_policy {
        plan.restore_policy(volume, to);
    }
    plan.note(format!("pods and StatefulSets that name claim {} must be changed to name {whom}", old.key()));
    plan.note("the new claim has another uid: objects that refer to the old claim by uid do not refer to the new one");
    Ok(plan.finish(format!("claim {} becomes {whom}, with volume {name} and its data", old.key())))
}

/// Returns the volume to which a claim is bound, on both sides.
pub(super) fn bound_volume<'a>(
    situation: &Situation<'a>,
    old: &PersistentVolumeClaim,
) -> Result<&'a PersistentVolume, super::super::plan::Proposed> {
    let key = old.key();
    if old.terminating() {
        return Err(Refusal::new("deletion", format!("claim {key} is being deleted, which cannot be undone"))
            .hint(format!(
                "kubectl pvctl restore pvc/{} -n {} creates a claim that gets its volume",
                old.meta.name, old.meta.namespace
            ))
            .into());
    }
    if !old.meta.annotations.has(AnnotationKey::BindCompleted) || old.volume_name.is_empty() {
        return Err(Refusal::new("unbound", format!("claim {key} has no volume whose data could be kept"))
            .hint(format!(
                "kubectl pvctl recreate pvc/{} -n {} --set name=NEW replaces a claim that never bound",
                old.meta.name, old.meta.namespace
            ))
            .into());
    }
    let volume = volume(situation, &old.volume_name)?;
    stays(volume)?;
    match situation.holder(volume) {
        Known::There(holder) if holder.meta.uid == old.meta.uid => Ok(volume),
        _ => Err(Refusal::new(
            "lost",
            format!("claim {key} names volume {}, but that volume does not name the claim", volume.meta.name),
        )
        .hint(format!(
            "kubectl pvctl restore pvc/{} -n {} gives the volume back first",
            old.meta.name, old.meta.namespace
        ))
        .into()),
    }
}
