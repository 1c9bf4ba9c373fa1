//! The verb `recreate`: it replaces a claim that never bound because its class, size, modes or name are wrong.

use super::build::{Builder, Planned, claim, manifest};
use crate::diagnosis::asked_provisioner;
use crate::model::{AccessMode, AccessModes, AnnotationKey, ObjectKey, PersistentVolumeClaim, Quantity};
use crate::repair::manifest::like;
use crate::repair::plan::{Carried, Proposed, Refusal, Undo};
use crate::repair::request::{Request, Setting};
use crate::repair::situation::{Known, Situation};
use crate::repair::write::{Change, Expect, Write};
use serde_json::{Value, json};

pub(super) fn plan(
    situation: &Situation<'_>,
    request: &Request,
    key: &ObjectKey,
    set: &[Setting],
    provisioner_stopped: bool,
) -> Planned {
    let old = claim(situation, key)?;
    if is_so(old, set) {
        return Ok(Proposed::Nothing(format!("claim {} already has all these settings", old.key())));
    }
    never_bound(situation, old)?;
    if set.is_empty() {
        return Err(Refusal::new("usage", "recreate needs at least one --set")
            .hint(
                "--set class=NAME, --set size=10Gi, --set modes=ReadWriteOnce, --set volumeMode=Block, --set name=NEW",
            )
            .into());
    }
    if let [Setting::Class(class)] = set
        && !old.has_class()
        && !class.is_empty()
    {
        return Ok(set_class(request, key, old, class));
    }
    idle(situation, old, provisioner_stopped)?;
    let raw = manifest(situation, key)?;
    let mut to = key.clone();
    if let Some(Setting::Name(name)) = set.iter().find(|setting| matches!(setting, Setting::Name(_))) {
        to.name.clone_from(name);
        match situation.claim(&to.namespace, &to.name) {
            Known::Absent => {}
            Known::There(_) => {
                return Err(Refusal::new("exists", format!("claim {}/{} exists already", to.namespace, to.name)).into());
            }
            Known::Unknown => {
                let message = format!("whether claim {}/{} exists already could not be read", to.namespace, to.name);
                return Err(Refusal::new("unknown", message).into());
            }
        }
    }
    let named = set.iter().find_map(|setting| match setting {
        Setting::VolumeName(name) if !name.is_empty() => Some(name),
        _ => None,
    });
    if let Some(name) = named {
        return Err(Refusal::new("usage", format!("recreate does not bind a claim to volume {name}, but rebind does"))
            .hint(format!("kubectl pvctl rebind pvc/{} -n {} --to pv/{name}", key.name, key.namespace))
            .into());
    }
    let back = like(raw, key, None, situation.snapshot);
    let mut new = like(raw, &to, None, situation.snapshot);
    let changes = apply(&mut new.manifest, set)?;
    let mut back_manifest = back.manifest;
    if !old.volume_name.is_empty() {
        back_manifest["spec"]["volumeName"] = json!(old.volume_name);
        if !set.iter().any(|setting| matches!(setting, Setting::VolumeName(_))) {
            new.manifest["spec"]["volumeName"] = json!(old.volume_name);
        }
    }
    let mut plan = Builder::new(request);
    plan.save_claim(old);
    if let Known::There(named) = situation.volume(&old.volume_name) {
        let for_claims = vec![(to.namespace.clone(), to.name.clone())];
        plan.carry(named, Carried { volume: named.meta.name.clone(), for_claims, given_up: Vec::new() });
    }
    plan.retain_all_of(situation, old, "in case the controller binds the claim before it is deleted");
    plan.delete_claim(
        format!("delete claim {}, because these settings of a claim cannot be changed", old.key()),
        old,
        None,
        back_manifest,
    );
    plan.create_claim(format!("create it again: {}", changes.join(", ")), &to, new.manifest, None, Vec::new());
    for dropped in new.dropped {
        plan.note(format!("the new claim does not have {dropped}"));
    }
    Ok(plan.finish(format!("claim {} is replaced, with {}", old.key(), changes.join(", "))))
}

/// Returns whether a claim already has all settings.
fn is_so(old: &PersistentVolumeClaim, set: &[Setting]) -> bool {
    let has = |setting: &Setting| match setting {
        Setting::Name(name) => old.meta.name == *name,
        Setting::Class(class) => old.has_class() && old.class() == class.as_str(),
        Setting::Size(size) => {
            Quantity::parse(size).is_ok_and(|size| old.requested().is_some_and(|has| has.compare(&size).is_eq()))
        }
        Setting::Modes(modes) => {
            let wanted = AccessModes(modes.iter().map(|mode| AccessMode::from_manifest(mode)).collect());
            old.access_modes.contains_all(&wanted) && wanted.contains_all(&old.access_modes)
        }
        Setting::VolumeMode(mode) => old.mode().as_str() == mode.as_str(),
        Setting::VolumeName(volume) => old.volume_name == *volume,
        Setting::NoSelector => old.selector.is_none(),
    };
    !old.terminating() && !set.is_empty() && set.iter().all(has)
}

/// Plans to set the class of a claim that has none. The API server allows this once, so the claim need not be replaced.
fn set_class(request: &Request, key: &ObjectKey, old: &PersistentVolumeClaim, class: &str) -> Proposed {
    let mut plan = Builder::new(request);
    plan.save_claim(old);
    let write = Write {
        object: key.clone(),
        uid: old.meta.uid.clone(),
        expect: vec![Expect::Class { is: None }, Expect::BindCompleted { is: false }],
        change: Change::SetClass { class: class.into() },
    };
    let undo = Undo::Impossible {
        why: "the class of a claim cannot be changed once it is set: recreate the claim".to_owned(),
    };
    plan.step(format!("claim {} has no class: give it {class}", old.key()), Some(write), Vec::new(), None, undo);
    plan.finish(format!("claim {} gets class {class}, and stays the same claim", old.key()))
}

/// Checks that the claim is not being deleted, was never bound, and is not about to be bound.
pub(super) fn never_bound(situation: &Situation<'_>, old: &PersistentVolumeClaim) -> Result<(), Proposed> {
    let key = old.key();
    let (name, namespace) = (&old.meta.name, &old.meta.namespace);
    if old.terminating() {
        return Err(Refusal::new("deletion", format!("claim {key} is being deleted already")).into());
    }
    if old.meta.annotations.has(AnnotationKey::BindCompleted) {
        return Err(Refusal::new("bound", format!("claim {key} is or was bound: a new claim would not have its data"))
            .hint(format!("kubectl pvctl restore pvc/{name} -n {namespace} repairs a claim that is Lost"))
            .hint(format!("kubectl pvctl move pvc/{name} -n {namespace} --to-namespace NAMESPACE keeps the data"))
            .into());
    }
    let snapshot = situation.snapshot;
    let half = snapshot
        .volumes_naming(namespace, name)
        .iter()
        .map(|id| snapshot.volume(*id))
        .find(|volume| volume.claim_ref.as_ref().is_some_and(|named| named.uid == old.meta.uid));
    match half {
        Some(volume) => Err(Refusal::new(
            "bound",
            format!("volume {} names claim {key} with its uid: the controller is about to bind them", volume.meta.name),
        )
        .hint(format!(
            "kubectl pvctl unbind pv/{} undoes the binding if the controller does not complete it",
            volume.meta.name
        ))
        .into()),
        None => Ok(()),
    }
}

/// Checks that no provisioner may be creating a volume for the claim. If the claim were deleted, such a volume would
/// belong to no claim.
pub(in crate::repair) fn idle(
    situation: &Situation<'_>,
    old: &PersistentVolumeClaim,
    stopped: bool,
) -> Result<(), Proposed> {
    let Some(provisioner) = asked_provisioner(situation.snapshot, old).filter(|_| !stopped) else { return Ok(()) };
    Err(Refusal::new(
        "provisioner",
        format!(
            "{provisioner} has been asked for a volume for claim {} and may be creating it: this volume would belong \
             to no claim",
            old.key()
        ),
    )
    .hint("wait until an event of the claim says how the provisioning ended, or stop the provisioner")
    .hint("--provisioner-stopped states that the provisioner is stopped, so it is not creating a volume")
    .into())
}

/// Writes the settings into a manifest, and returns the changes in words.
fn apply(manifest: &mut Value, set: &[Setting]) -> Result<Vec<String>, Proposed> {
    let wrong = |message: String| -> Proposed { Refusal::new("usage", message).into() };
    let mut changes = Vec::new();
    for setting in set {
        let spec = &mut manifest["spec"];
        match setting {
            Setting::Name(name) => changes.push(format!("name {name}")),
            Setting::Class(class) => {
                spec["storageClassName"] = json!(class);
                let beta = AnnotationKey::BetaStorageClass.as_str();
                if let Some(annotations) = manifest["metadata"]["annotations"].as_object_mut() {
                    annotations.remove(beta);
                }
                changes.push(if class.is_empty() { "no class".to_owned() } else { format!("class {class}") });
            }
            Setting::Size(size) => {
                let quantity =
                    Quantity::parse(size).map_err(|_| wrong(format!("{size:?} is not a size such as 10Gi")))?;
                if quantity.is_zero() || quantity.value() < 0 {
                    return Err(wrong(format!("a claim cannot ask for {size}")));
                }
                spec["resources"]["requests"]["storage"] = json!(size);
                changes.push(format!("size {size}"));
            }
            Setting::Modes(modes) => {
                if let Some(unknown) = modes.iter().find(|mode| !AccessMode::NAMES.contains(&mode.as_str())) {
                    return Err(wrong(format!(
                        "{unknown:?} is not an access mode; the access modes are {}",
                        AccessMode::NAMES.join(", ")
                    )));
                }
                spec["accessModes"] = json!(modes);
                changes.push(format!("access modes {}", modes.join(",")));
            }
            Setting::VolumeMode(mode) => {
                if mode != "Filesystem" && mode != "Block" {
                    return Err(wrong(format!(
                        "{mode:?} is not a volume mode; the volume modes are Filesystem and Block"
                    )));
                }
                spec["volumeMode"] = json!(mode);
                changes.push(format!("volume mode {mode}"));
            }
            Setting::VolumeName(_) => {
                if let Some(spec) = spec.as_object_mut() {
                    spec.remove("volumeName");
                }
                changes.push("no volume named".to_owned());
            }
            Setting::NoSelector => {
                if let Some(spec) = spec.as_object_mut() {
                    spec.remove("selector");
                }
                changes.push("no selector".to_owned());
            }
        }
    }
    Ok(changes)
}
