//! The way back: a plan that undoes the steps that a journal records, newest step first.

mod services;

use super::identity::VolumeIdentity;
use super::manifest::with_living_owners;
use super::plan::{Carried, GivenUp, Plan, Proposed, Recheck, Refusal, Step, Undo};
use super::request::Request;
use super::situation::{Known, Situation, claim_key};
use super::verbs::build::{Builder, as_reviewed, before_deletion};
use super::verbs::recreate::idle;
use super::wait::Wait;
use super::write::{Change, Expect, Reference, Write};
use crate::model::{AnnotationKey, Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, Str, VolumePhase};
use serde_json::Value;

/// A step that was carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// The step.
    pub step: Step,
    /// The object after the step, as the API server answered. It is missing for a deletion, and for a step that only
    /// waits.
    pub after: Option<Value>,
    /// Whether the object was already in the state that the step wants, so that nothing was written.
    pub was_so: bool,
}

/// Returns the plan that undoes the steps of another plan that were carried out.
pub fn undo(
    situation: &Situation<'_>,
    journal: &str,
    provisioner_stopped: bool,
    plan: &Plan,
    done: &[Done],
) -> Proposed {
    plan_of(situation, journal, provisioner_stopped, plan, done).unwrap_or_else(|stop| stop)
}

fn plan_of(
    situation: &Situation<'_>,
    journal: &str,
    provisioner_stopped: bool,
    plan: &Plan,
    done: &[Done],
) -> Result<Proposed, Proposed> {
    let written: Vec<&Done> = done.iter().filter(|done| done.step.write.is_some() && !done.was_so).collect();
    if written.is_empty() {
        return Ok(Proposed::Nothing(format!("{journal} has written nothing, so there is nothing to undo")));
    }
    if let Some((step, why)) = written.iter().find_map(|done| match &done.step.undo {
        Undo::Impossible { why } => Some((&done.step, why)),
        Undo::Write { .. } | Undo::Nothing => None,
    }) {
        return Err(Refusal::new("undo", format!("step {} of {journal} cannot be undone: {why}", step.id))
            .hint(format!("kubectl pvctl history {journal} shows what was done, and where the manifests are"))
            .into());
    }
    let created: Vec<(&ObjectKey, Str, Option<Str>)> = written.iter().filter_map(|done| created_by(done)).collect();
    let recreated: Vec<Recreated<'_>> = written.iter().filter_map(|done| recreated_by(done)).collect();
    // The former policy of each volume is checked below, against the state in which the repair left the volume.
    let only_policies = written.iter().all(|done| {
        matches!(&done.step.undo, Undo::Write { write, .. } if matches!(write.change, Change::SetReclaimPolicy { .. }))
    });
    let mut back = Builder::new(&Request::Undo { journal: journal.to_owned(), provisioner_stopped });
    for carried in &plan.volumes {
        let volume = match situation.volume(&carried.volume) {
            Known::There(volume) => volume,
            Known::Absent => {
                let message = format!("volume {} does not exist any more", carried.volume);
                return Err(Refusal::new("missing", message).into());
            }
            Known::Unknown => {
                let message = format!("whether volume {} exists could not be read", carried.volume);
                return Err(Refusal::new("unknown", message).into());
            }
        };
        if let Some(why) = plan.replaced_by(volume) {
            return Err(Refusal::new("changed", why).into());
        }
        if !only_policies {
            check_not_taken(situation, plan, volume, &created)?;
        }
        let mut for_claims = carried.for_claims.clone();
        for_claims.extend(recreated.iter().map(|again| (again.key.namespace.clone(), again.key.name.clone())));
        // The undo restores the former state: a claim is Lost again, or a volume names a deleted claim again.
        let asked = carried.given_up.iter().copied().filter(|given| *given == GivenUp::Privacy);
        let given_up = std::iter::once(GivenUp::Claim).chain(asked).collect();
        for_claims.extend(written.iter().filter_map(|done| named_before(done, &carried.volume)));
        back.carry(volume, Carried { volume: carried.volume.clone(), for_claims, given_up });
        if !created.is_empty() || !recreated.is_empty() {
            back.retain(volume, "before its claim is deleted");
        }
    }
    let mut deleted: Vec<Str> = Vec::new();
    let mut referred: Vec<Str> = Vec::new();
    for done in written.iter().rev() {
        let Undo::Write { write, wait } = &done.step.undo else { continue };
        match &write.change {
            Change::Delete if write.object.kind == Kind::Service => {
                services::remove(situation, &mut back, plan, write, done)?;
            }
            Change::Delete => {
                let Some((key, uid, volume)) = created_by(done) else { continue };
                let is_there = match situation.claim(&key.namespace, &key.name) {
                    // The claim is already deleted.
                    Known::Absent => false,
                    Known::There(claim) if claim.meta.uid != uid => {
                        let message = format!("claim {} is not the claim that the repair created", claim.key());
                        return Err(Refusal::new("changed", message).into());
                    }
                    Known::There(claim) => {
                        idle(situation, claim, provisioner_stopped)?;
                        true
                    }
                    Known::Unknown => true,
                };
                if is_there {
                    take_away(situation, &mut back, key, &uid, volume.as_ref());
                }
                let comes_back = recreated.iter().find(|again| again.key == key);
                if let Some(again) = comes_back.filter(|_| volume.is_none()) {
                    for volume in reserved_before(situation, plan, &uid, again) {
                        back.await_released(volume);
                        reserve_again(&mut back, volume, key);
                    }
                }
                deleted.extend(volume);
            }
            Change::SetClaimRef { to, .. } => {
                let name = write.object.name.clone();
                if to.is_none() {
                    back.note(format!(
                        "volume {name} was free before; it is not offered to anyone again, because a claim may have \
                         written to it: kubectl pvctl release pv/{name} --to-anyone offers it"
                    ));
                    continue;
                }
                point_back(situation, &mut back, write, deleted.contains(&name));
                referred.push(name);
            }
            Change::Create { manifest } => {
                let Some(again) = recreated_by(done) else { continue };
                // A claim may name a volume that it never had. That volume is not reserved for the claim.
                let had = again.volume.and_then(|name| match situation.volume(name) {
                    Known::There(volume) => Some(volume),
                    Known::Absent | Known::Unknown => None,
                });
                await_end(situation, &mut back, &again, had);
                if let Some(volume) = had.filter(|volume| !referred.contains(&volume.meta.name)) {
                    reserve_again(&mut back, volume, &write.object);
                }
                if let (None, Some(named)) = (again.volume, again.names) {
                    back.note(format!(
                        "claim {}/{} names volume {named} again; it never had this volume, and the volume is not \
                         reserved for it",
                        write.object.namespace, write.object.name
                    ));
                }
                let why = format!(
                    "claim {}/{} is created again, from its saved manifest",
                    write.object.namespace, write.object.name
                );
                let manifest = with_living_owners(manifest, situation.snapshot);
                back.create_claim(why, &write.object, manifest, had, Vec::new());
            }
            Change::SetReclaimPolicy { to } if to == "Delete" => {
                let name = &write.object.name;
                // A volume whose former claimRef is restored is no longer Bound.
                let stays = created.is_empty() && !referred.contains(name);
                let keeper = match if stays { keeper(situation, write, done)? } else { Keeper::None } {
                    Keeper::Same(claim) => Some(claim),
                    Keeper::None => None,
                    // The request asked only for the policy. The undo is refused, because otherwise the person would
                    // believe that the policy is restored.
                    Keeper::Another(why) if matches!(plan.request, Request::Retain { .. }) => {
                        return Err(Refusal::new("held", why).hint(whose_policy(name)).into());
                    }
                    // The policy was only needed for the goal of the request. If another claim has the volume now, the
                    // volume keeps policy Retain.
                    Keeper::Another(why) => {
                        back.note(why);
                        continue;
                    }
                };
                let again = recreated.iter().find(|again| again.volume == Some(name));
                let comes_back = again.filter(|again| is_free_by_then(situation, again, &created));
                let goes = keeper.and_then(|claim| goes(situation, claim));
                let named = match (keeper, comes_back) {
                    (Some(claim), None) if goes.is_none() => Some((
                        claim_key(&claim.meta.namespace, &claim.meta.name),
                        Expect::ClaimRef { is: Some(Reference::of(claim)) },
                    )),
                    // The new claim will have a uid that is not known yet.
                    (_, Some(again)) => Some((
                        again.key.clone(),
                        Expect::RefersTo { namespace: again.key.namespace.clone(), name: again.key.name.clone() },
                    )),
                    _ => None,
                };
                if let Some(((claim, expect), volume)) = named.zip(situation.volume(name).there()) {
                    let mut write = (**write).clone();
                    write.expect.push(Expect::VolumePhase { any_of: vec!["Bound".into()] });
                    write.expect.push(expect);
                    let volume = VolumeIdentity::of(volume);
                    let lives = Recheck::Lives { namespace: claim.namespace, name: claim.name, volume };
                    back.step(
                        format!("volume {name} gets its former policy back"),
                        Some(write),
                        vec![lives],
                        wait.clone(),
                        for_good(),
                    );
                } else {
                    let when = goes.unwrap_or("now that no claim has it");
                    back.note(format!(
                        "volume {name} keeps policy Retain: with its former policy Delete, its data would be deleted \
                         {when}"
                    ));
                }
            }
            Change::SetReclaimPolicy { .. }
            | Change::RemoveFinalizer { .. }
            | Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::CreateService { .. }
            | Change::SetAnnotation { .. } => {
                if let Known::There(claim) = situation.claim(&write.object.namespace, &write.object.name)
                    && write.object.kind == Kind::PersistentVolumeClaim
                {
                    back.save_claim(claim);
                }
                back.step(
                    format!("undo step {}: {}", done.step.id, done.step.why),
                    Some((**write).clone()),
                    Vec::new(),
                    wait.clone(),
                    for_good(),
                );
            }
        }
    }
    // The repair is treated as undone even without steps. Otherwise the repair before it could not be undone.
    let what = if back.is_empty() { "nothing of " } else { "" };
    Ok(back.finish(format!("{what}{journal} is undone")))
}

/// The claim that now has a volume on which a step has set policy Retain.
enum Keeper<'a> {
    /// No claim has the volume.
    None,
    /// The claim that had the volume at that step. Only for this claim may the policy return to Delete.
    Same(&'a PersistentVolumeClaim),
    /// Another claim has the volume now. The text says why the volume keeps its policy, in a sentence without a full
    /// stop.
    Another(String),
}

/// Returns the claim that has the volume to which a step wrote.
///
/// # Errors
/// Returns an error if another volume has the name now, or if it is unknown which claim has the volume.
fn keeper<'a>(situation: &Situation<'a>, write: &Write, done: &Done) -> Result<Keeper<'a>, Proposed> {
    let name = &write.object.name;
    let Known::There(volume) = situation.volume(name) else { return Ok(Keeper::None) };
    if volume.meta.uid != write.uid {
        let message = format!("volume {name} is not the volume that the repair wrote to: its policy is not changed");
        return Err(Refusal::new("changed", message).into());
    }
    let holder = match situation.holder(volume) {
        Known::There(holder) => holder,
        Known::Absent => return Ok(Keeper::None),
        Known::Unknown => {
            let message = format!("whether a claim holds volume {name} could not be read: it keeps policy Retain");
            return Err(Refusal::new("unknown", message).into());
        }
    };
    let (key, uid) = (holder.key(), &holder.meta.uid);
    let stays = format!("volume {name} keeps policy Retain: with its former policy Delete, the data of claim {key}");
    let Some(after) = &done.after else {
        let message = format!(
            "{stays} would be deleted with that claim, and it is not known whether that claim had the volume before"
        );
        return Err(Refusal::new("unknown", message).hint(whose_policy(name)).into());
    };
    let had = |field: &str| after["spec"]["claimRef"][field].as_str().unwrap_or_default();
    if had("uid") == uid.as_str() {
        let is_bound = volume.status.phase == VolumePhase::Bound;
        return Ok(if is_bound { Keeper::Same(holder) } else { Keeper::None });
    }
    let before = match (had("namespace"), had("name"), had("uid")) {
        (_, "", _) => "no claim had it".to_owned(),
        (namespace, claim, "") => format!("no claim had it, it was reserved for {namespace}/{claim}"),
        (namespace, claim, had) => format!("claim {namespace}/{claim} with uid {had} had it"),
    };
    Ok(Keeper::Another(format!(
        "{stays} would be deleted with that claim. It has the volume now, with uid {uid}; before, {before}"
    )))
}

/// Returns the hint that the owner of the present claim decides about the policy.
fn whose_policy(name: &str) -> String {
    format!(
        "the owner of the claim that has the volume now decides about the policy: kubectl pvctl explain pv/{name} \
         shows the claim and the policy. Without an undo, the data are kept"
    )
}

/// Returns, in words, when the data of a volume would be deleted if it had policy Delete: with its claim, if the claim
/// or the namespace of the claim is being deleted. Returns `None` if neither is being deleted.
fn goes(situation: &Situation<'_>, claim: &PersistentVolumeClaim) -> Option<&'static str> {
    if claim.terminating() {
        Some("with its claim, which is being deleted")
    } else if situation.snapshot.namespace_deletion(&claim.meta.namespace).is_some() {
        Some("with its claim, whose namespace is being deleted")
    } else {
        None
    }
}

/// Returns whether a claim can be created again. This is possible if no claim has its name, or if the plan first waits
/// until the claim with this name is gone.
fn is_free_by_then(
    situation: &Situation<'_>,
    again: &Recreated<'_>,
    created: &[(&ObjectKey, Str, Option<Str>)],
) -> bool {
    match situation.claim(&again.key.namespace, &again.key.name) {
        Known::Absent => true,
        Known::There(claim) => {
            created.iter().any(|(_, uid, _)| *uid == claim.meta.uid)
                || (claim.meta.uid == *again.uid && claim.terminating())
        }
        Known::Unknown => false,
    }
}

/// Adds a wait until a claim that a step deleted is gone, if this claim still exists.
fn await_end(situation: &Situation<'_>, back: &mut Builder, again: &Recreated<'_>, had: Option<&PersistentVolume>) {
    let (namespace, name) = (&again.key.namespace, &again.key.name);
    match situation.claim(namespace, name) {
        Known::There(claim) if claim.meta.uid == *again.uid && claim.terminating() => back.save_claim(claim),
        Known::There(_) | Known::Absent | Known::Unknown => return,
    }
    let gone = Wait::ClaimGone { namespace: namespace.clone(), name: name.clone(), uid: again.uid.clone() };
    let why = format!("the claim {namespace}/{name} that the repair deleted is gone");
    back.step(why, None, Vec::new(), Some(gone), Undo::Nothing);
    if let Some(volume) = had {
        back.await_released(volume);
    }
}

/// Returns the claim that a step created, its uid, and the volume that it names.
fn created_by(done: &Done) -> Option<(&ObjectKey, Str, Option<Str>)> {
    let write = done.step.write.as_ref()?;
    let Change::Create { manifest } = &write.change else { return None };
    let uid = done.after.as_ref()?["metadata"]["uid"].as_str()?;
    Some((&write.object, uid.into(), manifest["spec"]["volumeName"].as_str().map(Str::from)))
}

/// Returns the volumes of the plan whose claimRef has the uid `created`. This is the uid of a claim that the plan
/// created without `volumeName`: these volumes were reserved for its name. The volume that the manifest of the former
/// claim names is left out.
fn reserved_before<'a>(
    situation: &Situation<'a>,
    plan: &Plan,
    created: &Str,
    again: &Recreated<'_>,
) -> Vec<&'a PersistentVolume> {
    let volumes = plan.volumes.iter().filter_map(|carried| situation.volume(&carried.volume).there());
    let is_bound = |volume: &&PersistentVolume| volume.claim_ref.as_ref().is_some_and(|named| named.uid == *created);
    volumes.filter(is_bound).filter(|volume| again.names != Some(volume.meta.name.as_str())).collect()
}

/// Returns namespace and name of the claim that the undo of this step writes into the claimRef of the volume.
fn named_before(done: &Done, volume: &Str) -> Option<(Str, Str)> {
    let Undo::Write { write, .. } = &done.step.undo else { return None };
    match &write.change {
        Change::SetClaimRef { to: Some(to), .. } if write.object.name == *volume => {
            Some((to.namespace.clone(), to.name.clone()))
        }
        _ => None,
    }
}

/// A claim that a step deleted and that the undo creates again, with its former volume.
struct Recreated<'d> {
    key: &'d ObjectKey,
    /// The uid of the deleted claim.
    uid: &'d Str,
    volume: Option<&'d Str>,
    /// The volume that the manifest of the claim names. The claim may never have had this volume.
    names: Option<&'d str>,
}

fn recreated_by(done: &Done) -> Option<Recreated<'_>> {
    let Undo::Write { write, wait } = &done.step.undo else { return None };
    let volume = match wait {
        Some(Wait::Bound { volume, .. }) => Some(volume.name()),
        _ => None,
    };
    let uid = &done.step.write.as_ref()?.uid;
    let Change::Create { manifest } = &write.change else { return None };
    let names = manifest["spec"]["volumeName"].as_str();
    Some(Recreated { key: &write.object, uid, volume, names })
}

/// Checks that no other claim has the volume. A claim that the plan created, and the claim that the plan was about, are
/// allowed to have it.
fn check_not_taken(
    situation: &Situation<'_>,
    plan: &Plan,
    volume: &PersistentVolume,
    created: &[(&ObjectKey, Str, Option<Str>)],
) -> Result<(), Proposed> {
    let holder = match situation.holder(volume) {
        Known::There(holder) => holder,
        Known::Absent => return Ok(()),
        Known::Unknown => {
            let message = format!("whether a claim holds volume {} could not be read", volume.meta.name);
            return Err(Refusal::new("unknown", message).into());
        }
    };
    let key = claim_key(&holder.meta.namespace, &holder.meta.name);
    // If the plan set `volumeName` of the claim, the claim did not have the volume before.
    let is_new = plan.writes().any(|write| {
        let names = matches!(&write.change, Change::NameVolume { volume: named } if *named == volume.meta.name);
        names && write.object == key
    });
    // Another claim may now have the name of the claim that the plan was about.
    let is_another = plan.steps.iter().flat_map(|step| uids_of(step, &key)).any(|uid| *uid != holder.meta.uid);
    let ours = created.iter().any(|(_, uid, _)| *uid == holder.meta.uid)
        || (plan.saves.contains(&key) && !is_new && !is_another);
    // The controller writes the volume first and then the claim. If the claimRef is changed between these two writes,
    // the claim stays Pending.
    let waits = volume.status.phase != VolumePhase::Bound && !holder.meta.annotations.has(AnnotationKey::BindCompleted);
    if ours || waits {
        return Ok(());
    }
    Err(Refusal::new(
        "held",
        format!(
            "claim {} has got volume {} in the meantime: undoing the repair would make this claim Lost",
            holder.key(),
            volume.meta.name
        ),
    )
    .hint("kubectl pvctl move gives the volume to another claim")
    .into())
}

/// Returns the uids that a step records for the claim of this key.
fn uids_of<'p>(step: &'p Step, key: &'p ObjectKey) -> impl Iterator<Item = &'p Str> {
    let awaited = match &step.wait {
        Some(Wait::ClaimGone { namespace, name, uid }) if *namespace == key.namespace && *name == key.name => Some(uid),
        _ => None,
    };
    let written = step.write.as_ref().and_then(|write| match &write.change {
        Change::SetClaimRef { to: Some(to), .. } if to.namespace == key.namespace && to.name == key.name => {
            Some(&to.uid)
        }
        _ if write.object == *key => Some(&write.uid),
        _ => None,
    });
    awaited.into_iter().chain(written).filter(|uid| !uid.is_empty())
}

/// Adds the deletion of a claim that the repair created.
fn take_away(situation: &Situation<'_>, back: &mut Builder, key: &ObjectKey, uid: &Str, volume: Option<&Str>) {
    if let Known::There(claim) = situation.claim(&key.namespace, &key.name) {
        back.save_claim(claim);
    }
    let expect = match situation.claim(&key.namespace, &key.name) {
        Known::There(claim) => as_reviewed(claim),
        Known::Absent | Known::Unknown => vec![Expect::Terminating { is: false }],
    };
    let write = Write { object: key.clone(), uid: uid.clone(), expect, change: Change::Delete };
    let gone = Wait::ClaimGone { namespace: key.namespace.clone(), name: key.name.clone(), uid: uid.clone() };
    back.step(
        format!("delete claim {}/{}, which the repair created", key.namespace, key.name),
        Some(write),
        before_deletion(key, volume.and_then(|name| situation.volume(name).there())),
        Some(gone),
        for_good(),
    );
    // A volume that the claim only names does not show whether the claim is gone.
    let waits_for_it = |volume: &PersistentVolume| {
        let named =
            volume.claim_ref.as_ref().filter(|named| named.namespace == key.namespace && named.name == key.name);
        named.is_some_and(|named| named.uid.is_empty() || named.uid == *uid)
    };
    if let Some(Known::There(volume)) = volume.map(|name| situation.volume(name))
        && waits_for_it(volume)
    {
        back.await_released(volume);
    }
}

/// Adds the write that restores the former claimRef of a volume.
fn point_back(situation: &Situation<'_>, back: &mut Builder, write: &Write, claim_goes: bool) {
    let Known::There(volume) = situation.volume(&write.object.name) else { return };
    let mut write = write.clone();
    let mut recheck = Vec::new();
    if claim_goes {
        write.expect.push(Expect::VolumePhase { any_of: vec!["Released".into(), "Failed".into()] });
    } else {
        write.expect = vec![Expect::ClaimRef { is: volume.claim_ref.as_ref().map(Reference::from_stored) }];
        // The controller writes the volume first. As long as the volume is not Bound, no claim has it.
        if volume.status.phase != VolumePhase::Bound {
            let unbound = [VolumePhase::Available, VolumePhase::Released, VolumePhase::Failed, VolumePhase::Pending];
            write.expect.push(Expect::VolumePhase { any_of: unbound.map(|phase| phase.as_str().into()).to_vec() });
        }
        if let Known::There(holder) = situation.holder(volume) {
            recheck.push(Recheck::Unused { namespace: holder.meta.namespace.clone(), name: holder.meta.name.clone() });
            recheck.push(Recheck::Detached { volume: volume.meta.name.clone() });
            back.save_claim(holder);
            if holder.meta.annotations.has(AnnotationKey::BindCompleted) {
                back.note(format!("claim {} is then Lost again, as it was before the repair", holder.key()));
            }
        }
    }
    if let Change::SetClaimRef { to: Some(to), .. } = &write.change
        && is_gone(situation, to)
    {
        // A volume that names a deleted claim is Released, and with policy Delete its driver deletes the data.
        back.retain(volume, "before it names a claim that is gone");
        write.expect.push(Expect::ReclaimPolicy { is: "Retain".into() });
    }
    write.expect.push(Expect::Terminating { is: false });
    back.step(
        format!("volume {} names its former claim again", volume.meta.name),
        Some(write),
        recheck,
        None,
        for_good(),
    );
}

/// Returns whether a claimRef has a uid and no claim with this uid is known to exist.
fn is_gone(situation: &Situation<'_>, named: &Reference) -> bool {
    let lives = matches!(
        situation.claim(&named.namespace, &named.name),
        Known::There(claim) if claim.meta.uid == named.uid
    );
    !named.uid.is_empty() && !lives
}

/// Returns the undo of a step that is itself part of an undo: such a step cannot be undone.
fn for_good() -> Undo {
    Undo::Impossible { why: "an undo cannot be undone".to_owned() }
}

/// Adds the write that reserves a volume again for the claim that had it.
fn reserve_again(back: &mut Builder, volume: &PersistentVolume, key: &ObjectKey) {
    let write = Write {
        object: super::situation::volume_key(&volume.meta.name),
        uid: volume.meta.uid.clone(),
        expect: vec![
            Expect::RefersTo { namespace: key.namespace.clone(), name: key.name.clone() },
            Expect::VolumePhase { any_of: vec!["Released".into(), "Failed".into()] },
            Expect::Terminating { is: false },
        ],
        change: Change::SetClaimRef {
            to: Some(Reference::reservation(&key.namespace, &key.name)),
            bound_by_controller: false,
        },
    };
    back.step(
        format!("volume {} is reserved again for claim {}/{}", volume.meta.name, key.namespace, key.name),
        Some(write),
        Vec::new(),
        Some(Wait::Available { volume: VolumeIdentity::of(volume) }),
        for_good(),
    );
}
