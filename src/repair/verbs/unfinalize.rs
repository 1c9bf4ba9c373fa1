//! The verb `unfinalize`: it removes one finalizer of an object that is being deleted, because the component that
//! should remove the finalizer is gone. The API cannot prove this, so the plan lists the evidence and the person types
//! the name of the object.

use super::build::{Builder, Planned, claim, volume};
use super::release::held;
use crate::model::{CsiDriver, Kind, ObjectKey, ObjectMeta, SourceKind, Str};
use crate::repair::guards::{storage_of, volumes_of};
use crate::repair::identity::VolumeIdentity;
use crate::repair::overlay::{CLAIM_PROTECTION, VOLUME_PROTECTION};
use crate::repair::plan::{Carried, GivenUp, Proposed, Recheck, Refusal, Undo};
use crate::repair::request::Request;
use crate::repair::situation::{Known, Situation};
use crate::repair::write::{Change, Expect, Write};

pub(super) fn plan(
    situation: &Situation<'_>,
    request: &Request,
    object: &ObjectKey,
    finalizer: &str,
    protected: bool,
) -> Planned {
    let meta = match object.kind {
        Kind::PersistentVolume => &volume(situation, &object.name)?.meta,
        _ => &claim(situation, object)?.meta,
    };
    if !meta.has_finalizer(finalizer) {
        return Ok(Proposed::Nothing(format!("{object} does not have finalizer {finalizer}")));
    }
    if meta.deleted.is_none() {
        return Err(Refusal::new(
            "deletion",
            format!(
                "{object} is not being deleted: its finalizers block nothing now, and their owners would add them again"
            ),
        )
        .into());
    }
    let known = who(finalizer);
    if known.protects && !protected {
        return Err(Refusal::new(
            "protected",
            format!("{finalizer} protects data in use: {} removes this finalizer {}", known.owner, known.when),
        )
        .hint(known.instead)
        .hint("--protected removes the finalizer if nothing uses the object; pvctl checks pods and attachments first")
        .into());
    }
    let mut plan = Builder::new(request);
    let last = meta.finalizers.len() == 1;
    let mut recheck = Vec::new();
    if object.kind == Kind::PersistentVolume {
        let volume = volume(situation, &object.name)?;
        let given_up = if last { vec![GivenUp::Object] } else { Vec::new() };
        plan.carry(volume, Carried { volume: object.name.clone(), for_claims: Vec::new(), given_up });
        held(situation, volume, None).map_err(Proposed::from)?;
        plan.retain(volume, "in case its provisioner runs again");
        recheck.push(Recheck::Detached { volume: object.name.clone() });
        if volume.source.kind == SourceKind::Csi {
            let driver = volume.source.detail.as_str();
            let installed = situation.snapshot.find::<CsiDriver>("", driver).is_some();
            plan.note(match (installed, situation.knows_all(Kind::CsiDriver, "")) {
                (true, _) => {
                    format!("CSIDriver {driver} is installed: the driver may still run and remove the finalizer")
                }
                (false, true) => {
                    format!("no CSIDriver {driver} is installed, so the owner of the finalizer is probably gone")
                }
                (false, false) => "whether its driver is installed could not be read".to_owned(),
            });
        }
        plan.note(format!("the storage is not deleted: {}; afterwards only the journal names it", storage_of(volume)));
    } else {
        let claim = claim(situation, object)?;
        plan.save_claim(claim);
        recheck.push(Recheck::Unused { namespace: object.namespace.clone(), name: object.name.clone() });
        for name in volumes_of(situation, claim) {
            let volume = match situation.volume(&name) {
                Known::There(volume) => volume,
                Known::Absent => continue,
                Known::Unknown => {
                    let message = format!("whether volume {name} of the claim exists could not be read");
                    return Err(Refusal::new("unknown", message).into());
                }
            };
            let carried = Carried { volume: name.clone(), for_claims: Vec::new(), given_up: Vec::new() };
            plan.carry(volume, carried);
            plan.retain(volume, "before its claim is deleted");
            recheck.push(Recheck::Detached { volume: name });
            recheck.push(Recheck::Retained { volume: VolumeIdentity::of(volume) });
        }
    }
    plan.ask_for(&object.name);
    let others: Vec<&str> = meta.finalizers.iter().map(Str::as_str).filter(|other| *other != finalizer).collect();
    plan.note(format!("{finalizer}: {} removes it {}", known.owner, known.when));
    plan.note(if others.is_empty() {
        format!("it is the last finalizer: {object} is gone right after the write")
    } else {
        format!("{object} exists until its other finalizers are removed as well: {}", others.join(", "))
    });
    let write = write(object, meta, finalizer);
    plan.step(
        format!("remove finalizer {finalizer} from {object}"),
        Some(write),
        recheck,
        None,
        Undo::Impossible { why: "an object that is being deleted gets no new finalizer".to_owned() },
    );
    Ok(plan.finish(format!("{object} is not kept by finalizer {finalizer} any more")))
}

fn write(object: &ObjectKey, meta: &ObjectMeta, finalizer: &str) -> Write {
    Write {
        object: object.clone(),
        uid: meta.uid.clone(),
        expect: vec![Expect::Terminating { is: true }, Expect::Finalizer { has: finalizer.into() }],
        change: Change::RemoveFinalizer { finalizer: finalizer.into() },
    }
}

/// What is known about a finalizer.
struct Who {
    /// Whether the finalizer protects data that are in use.
    protects: bool,
    owner: &'static str,
    when: &'static str,
    instead: &'static str,
}

fn who(finalizer: &str) -> Who {
    let of = |protects, owner, when, instead| Who { protects, owner, when, instead };
    match finalizer {
        CLAIM_PROTECTION => of(
            true,
            "kube-controller-manager",
            "when no pod with a node refers to the claim, not even a finished pod",
            "if you need the data, first use kubectl pvctl retain; then delete the pods that refer to the claim, \
             including finished pods",
        ),
        VOLUME_PROTECTION => of(
            true,
            "kube-controller-manager",
            "when the volume is not Bound any more",
            "if you need the data, first use kubectl pvctl retain; then delete the claim, or give it another volume \
             with kubectl pvctl rebind",
        ),
        "kubernetes.io/pv-controller" => of(
            false,
            "kube-controller-manager",
            "when the storage is deleted, or the policy is not Delete any more",
            "kubectl pvctl retain sets policy Retain; kube-controller-manager then removes the finalizer",
        ),
        "external-provisioner.volume.kubernetes.io/finalizer" => of(
            false,
            "the external-provisioner of the driver",
            "when the storage is deleted, or the policy is not Delete any more",
            "kubectl pvctl retain sets policy Retain; if the provisioner runs, it then removes the finalizer",
        ),
        "snapshot.storage.kubernetes.io/pvc-as-source-protection" => of(
            true,
            "the snapshot-controller",
            "when the snapshot of the claim is ready",
            "wait for the snapshot, or delete the VolumeSnapshot",
        ),
        "provisioner.storage.kubernetes.io/cloning-protection" => of(
            true,
            "the external-provisioner of the driver",
            "when no claim is being cloned from it",
            "wait for the clone, or delete the claim that waits for it",
        ),
        other if other.starts_with("external-attacher/") => of(
            true,
            "the external-attacher of the driver",
            "when no VolumeAttachment names the volume",
            "stop the pods that use it; if two nodes write to a volume, its data may be destroyed",
        ),
        _ => of(false, "a controller that pvctl does not know", "when it is done with the object", ""),
    }
}
