//! The parts of plans that several verbs use.

mod tenants;

use crate::controllers::persistent_volume::reclaim::may_be_recycled;
use crate::model::{
    AnnotationKey, ObjectKey, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, Service, Str, VolumeAttachment,
    VolumePhase,
};
use crate::repair::guards::is_seen_as_anothers;
use crate::repair::guards::machine::MachineSign;
use crate::repair::identity::VolumeIdentity;
use crate::repair::plan::{Carried, GivenUp, Plan, Proposed, Recheck, Refusal, StableHash, Step, Undo};
use crate::repair::request::Request;
use crate::repair::situation::{Known, Situation, attachment_key, claim_key, service_key, volume_key};
use crate::repair::wait::Wait;
use crate::repair::write::{Change, Expect, Reference, Write};
use crate::snapshot::VolumeId;
use serde_json::Value;
use std::collections::BTreeSet;
use tenants::strange_namespace;

/// The result of a planner: a plan, or the reason why there is none.
pub(super) type Planned = Result<Proposed, Proposed>;

impl From<Refusal> for Proposed {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// A plan under construction.
pub(in crate::repair) struct Builder {
    request: Request,
    volumes: Vec<Carried>,
    saves: Vec<ObjectKey>,
    steps: Vec<Step>,
    notes: Vec<String>,
    type_name: Option<Str>,
    judgement: Option<String>,
    /// The volumes whose policy is Retain at this point of the plan, because a step set it.
    retained: Vec<Str>,
    /// The volumes that the plan carries, and whether they have policy Retain at the start.
    carried: Vec<(VolumeIdentity, bool)>,
    hash: StableHash,
}

impl Builder {
    pub(in crate::repair) fn new(request: &Request) -> Self {
        Self {
            request: request.clone(),
            volumes: Vec::new(),
            saves: Vec::new(),
            steps: Vec::new(),
            notes: Vec::new(),
            type_name: None,
            judgement: None,
            retained: Vec::new(),
            carried: Vec::new(),
            hash: StableHash::default().with(&format!("{request:?}")),
        }
    }

    /// Adds a volume about whose data the plan decides. The volume is also saved in the journal.
    pub(in crate::repair) fn carry(&mut self, volume: &PersistentVolume, carried: Carried) {
        self.save_volume(volume);
        self.carried.push((VolumeIdentity::of(volume), volume.reclaim_policy == ReclaimPolicy::Retain));
        self.volumes.push(carried);
    }

    /// Saves a complete volume in the journal. The fields that the plan depends on become part of the hash of the plan.
    pub(in crate::repair) fn save_volume(&mut self, volume: &PersistentVolume) {
        let key = volume_key(&volume.meta.name);
        if !self.saves.contains(&key) {
            self.saves.push(key);
            self.hash = self
                .hash
                .with(&volume.meta.uid)
                .with(volume.reclaim_policy.as_str())
                .with(volume.status.phase.as_str())
                .with(&format!("{:?}", volume.claim_ref.as_ref().map(Reference::from_stored)))
                .with(if volume.terminating() { "terminating" } else { "" });
        }
    }

    /// Saves a complete claim in the journal. The fields that the plan depends on become part of the hash of the plan.
    pub(in crate::repair) fn save_claim(&mut self, claim: &PersistentVolumeClaim) {
        let key = claim_key(&claim.meta.namespace, &claim.meta.name);
        if !self.saves.contains(&key) {
            self.saves.push(key);
            self.hash = self
                .hash
                .with(&claim.meta.uid)
                .with(&claim.volume_name)
                .with(claim.status.phase.as_str())
                .with(if claim.terminating() { "terminating" } else { "" });
        }
    }

    /// Saves a complete attachment in the journal. The fields that the plan depends on, and what the node says about
    /// its machine, become part of the hash of the plan.
    pub(in crate::repair) fn save_attachment(&mut self, attachment: &VolumeAttachment, sign: &MachineSign) {
        self.saves.push(attachment_key(&attachment.meta.name));
        let known = [&attachment.meta.uid, &attachment.volume_name, &attachment.node_name];
        self.hash = known.into_iter().fold(self.hash, |hash, text| hash.with(text)).with(&format!("{sign:?}"));
    }

    /// Saves a complete Service in the journal. Its uid and address become part of the hash of the plan.
    pub(in crate::repair) fn save_service(&mut self, service: &Service) {
        self.saves.push(service_key(&service.meta.namespace, &service.meta.name));
        self.hash = self.hash.with(&service.meta.uid).with(&service.cluster_ip);
    }

    /// Makes a value that the plan depends on part of its hash.
    pub(in crate::repair) fn depends_on(&mut self, value: &impl std::fmt::Debug) {
        self.hash = self.hash.with(&format!("{value:?}"));
    }

    pub(in crate::repair) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Requires the person to type this name.
    pub(in crate::repair) fn ask_for(&mut self, name: &str) {
        self.type_name = Some(name.into());
    }

    /// Records that only a person can decide about the plan. The plan states the reason.
    pub(in crate::repair) fn leave_to_person(&mut self, why: impl Into<String>) {
        if self.judgement.is_none() {
            let why = why.into();
            self.note(format!("you have to decide this: {why}"));
            self.judgement = Some(why);
        }
    }

    /// Leaves the decision to a person if the namespace may now belong to another tenant than the data. Any tenant can
    /// write the annotations of a binding and the name of a volume into their own claim. Returns whether the decision
    /// is left to a person.
    pub(in crate::repair) fn leave_if_strange(
        &mut self,
        situation: &Situation<'_>,
        namespace: &str,
        volume: &PersistentVolume,
    ) -> bool {
        let strange = strange_namespace(situation, namespace, volume);
        let is_strange = strange.is_some();
        if let Some(why) = strange {
            self.leave_to_person(why);
        }
        is_strange
    }

    pub(in crate::repair) fn step(
        &mut self,
        why: impl Into<String>,
        write: Option<Write>,
        recheck: Vec<Recheck>,
        wait: Option<Wait>,
        undo: Undo,
    ) {
        let id = u32::try_from(self.steps.len() + 1).unwrap_or(u32::MAX);
        let why = why.into();
        self.steps.push(Step { id, why, write, recheck, wait, expects: Vec::new(), undo });
    }

    /// Adds a step that sets policy Retain, unless the volume already has it.
    pub(in crate::repair) fn retain(&mut self, volume: &PersistentVolume, why: &str) {
        let name = &volume.meta.name;
        if volume.reclaim_policy == ReclaimPolicy::Retain || self.retained.contains(name) {
            return;
        }
        let before = volume.reclaim_policy.as_str();
        let write = policy(volume, before, "Retain");
        let undo = if volume.reclaim_policy == ReclaimPolicy::Delete {
            Undo::Write { write: Box::new(policy(volume, "Retain", before)), wait: None }
        } else {
            let why = match &volume.reclaim_policy {
                ReclaimPolicy::Recycle => "is deprecated and erases data: set it by hand if you need it",
                ReclaimPolicy::Delete | ReclaimPolicy::Retain | ReclaimPolicy::Other(_) => {
                    "is not a policy that an API server accepts"
                }
            };
            Undo::Impossible { why: format!("policy {before} {why}") }
        };
        self.step(format!("keep the data of volume {name} {why}"), Some(write), Vec::new(), None, undo);
        self.retained.push(name.clone());
        if volume.terminating() {
            self.note(format!(
                "volume {name} is being deleted, which cannot be undone: with policy Retain the object may be removed \
                 at once, and then only its manifest in the journal names the storage"
            ));
        }
    }

    /// Adds steps that set policy Retain for every volume that the claim names or that names the claim. The policy
    /// decides what happens to the data of these volumes when the claim is deleted.
    pub(in crate::repair) fn retain_all_of(
        &mut self,
        situation: &Situation<'_>,
        claim: &PersistentVolumeClaim,
        why: &str,
    ) {
        let snapshot = situation.snapshot;
        let naming = snapshot.volumes_naming(&claim.meta.namespace, &claim.meta.name).iter().filter(|id| {
            let named = snapshot.volume(**id).claim_ref.as_ref();
            named.is_some_and(|named| named.uid.is_empty() || named.uid == claim.meta.uid)
        });
        let named = snapshot.volume_id(&claim.volume_name);
        let all: BTreeSet<VolumeId> = naming.copied().chain(named).collect();
        for volume in all.into_iter().map(|id| snapshot.volume(id)) {
            let name = &volume.meta.name;
            // A volume that another existing claim holds does not belong to this claim.
            if is_seen_as_anothers(situation, volume, claim) {
                continue;
            }
            if !self.volumes.iter().any(|carried| carried.volume == *name) {
                self.carry(volume, Carried { volume: name.clone(), for_claims: Vec::new(), given_up: Vec::new() });
            }
            self.retain(volume, why);
        }
    }

    /// Adds a step that gives a volume its former policy Delete, if an earlier step has replaced this policy by Retain.
    pub(in crate::repair) fn restore_policy(&mut self, volume: &PersistentVolume, claim: &ObjectKey) {
        let name = &volume.meta.name;
        if volume.reclaim_policy != ReclaimPolicy::Delete || !self.retained.contains(name) {
            return;
        }
        let mut write = policy(volume, "Retain", "Delete");
        write.expect.push(Expect::VolumePhase { any_of: vec!["Bound".into()] });
        let undo = Undo::Write { write: Box::new(policy(volume, "Delete", "Retain")), wait: None };
        let lives = Recheck::Lives {
            namespace: claim.namespace.clone(),
            name: claim.name.clone(),
            volume: VolumeIdentity::of(volume),
        };
        self.step(format!("give volume {name} its former policy"), Some(write), vec![lives], None, undo);
        self.retained.retain(|retained| retained != name);
    }

    /// Adds a step that changes the claimRef of a volume. Before the write, it is rechecked that no pod has the volume
    /// mounted.
    pub(in crate::repair) fn refer(
        &mut self,
        situation: &Situation<'_>,
        why: impl Into<String>,
        volume: &PersistentVolume,
        to: Option<Reference>,
        expect: Vec<Expect>,
        wait: Option<Wait>,
    ) {
        let before = volume.claim_ref.as_ref().map(Reference::from_stored);
        self.refer_with_undo(why, volume, to, expect, wait, before);
        if let Some(step) = self.steps.last_mut() {
            step.recheck.extend(unmounted(situation, volume));
            // A recycler pod that has started continues, although the policy is Retain now.
            let recheck = not_recycled(volume).filter(|recheck| !step.recheck.contains(recheck));
            step.recheck.extend(recheck);
        }
    }

    /// Adds the same step as [`Self::refer`], for a plan that has waited until the claim that had the volume is gone.
    /// No pod used that claim any more, so mounts are not rechecked. `back_to` is the claimRef that the undo sets.
    pub(in crate::repair) fn refer_with_undo(
        &mut self,
        why: impl Into<String>,
        volume: &PersistentVolume,
        to: Option<Reference>,
        mut expect: Vec<Expect>,
        wait: Option<Wait>,
        back_to: Option<Reference>,
    ) {
        let object = volume_key(&volume.meta.name);
        let marked = volume.meta.annotations.has(AnnotationKey::BoundByController);
        let before = volume.claim_ref.as_ref().map(Reference::from_stored);
        expect.insert(0, Expect::ClaimRef { is: before.clone() });
        let back_marked = marked && back_to == before;
        // If the controller has bound the volume, it has added the uid of the claim to the claimRef. So the undo
        // expects only the name.
        let back_expect = match &to {
            Some(named) => {
                vec![Expect::RefersTo { namespace: named.namespace.clone(), name: named.name.clone() }]
            }
            None => vec![Expect::ClaimRef { is: None }],
        };
        let back = Write {
            object: object.clone(),
            uid: volume.meta.uid.clone(),
            expect: back_expect,
            change: Change::SetClaimRef { to: back_to, bound_by_controller: back_marked },
        };
        // If the volume still names a claim of the same name, now by its uid, its attachments belong to that claim.
        // Otherwise the volume may still be attached to nodes because of the claim that had it.
        let same = match (&before, &to) {
            (Some(before), Some(to)) => {
                before.namespace == to.namespace && before.name == to.name && !to.uid.is_empty()
            }
            _ => false,
        };
        let mut recheck = Vec::new();
        if !same {
            recheck.push(Recheck::Detached { volume: volume.meta.name.clone() });
        }
        if self.retained.contains(&volume.meta.name) || volume.reclaim_policy == ReclaimPolicy::Retain {
            let is = Expect::ReclaimPolicy { is: "Retain".into() };
            if !expect.contains(&is) {
                expect.push(is);
            }
        }
        if volume.reclaim_policy == ReclaimPolicy::Recycle {
            recheck.extend(not_recycled(volume));
        }
        let write = Write {
            object,
            uid: volume.meta.uid.clone(),
            expect,
            change: Change::SetClaimRef { to, bound_by_controller: false },
        };
        self.step(why, Some(write), recheck, wait, Undo::Write { write: Box::new(back), wait: None });
    }

    /// Adds a step that deletes a claim and waits until it is gone. The undo creates an equal claim.
    pub(in crate::repair) fn delete_claim(
        &mut self,
        why: impl Into<String>,
        claim: &PersistentVolumeClaim,
        volume: Option<&PersistentVolume>,
        back: Value,
    ) {
        let object = claim_key(&claim.meta.namespace, &claim.meta.name);
        let write = Write {
            object: object.clone(),
            uid: claim.meta.uid.clone(),
            expect: as_reviewed(claim),
            change: Change::Delete,
        };
        let recheck = before_deletion(&object, volume);
        let create =
            Write { object, uid: Str::default(), expect: Vec::new(), change: Change::Create { manifest: back } };
        let bound = volume.map(|volume| Wait::Bound {
            namespace: claim.meta.namespace.clone(),
            name: claim.meta.name.clone(),
            uid: Str::default(),
            volume: VolumeIdentity::of(volume),
        });
        let gone = Wait::ClaimGone {
            namespace: claim.meta.namespace.clone(),
            name: claim.meta.name.clone(),
            uid: claim.meta.uid.clone(),
        };
        self.step(why, Some(write), recheck, Some(gone), Undo::Write { write: Box::new(create), wait: bound });
    }

    /// Adds a step that waits until the phase of the volume shows that its claim is gone.
    pub(in crate::repair) fn await_released(&mut self, volume: &PersistentVolume) {
        let why = format!("the controller sees that the claim of volume {} is gone", volume.meta.name);
        let wait = Wait::Released { volume: VolumeIdentity::of(volume) };
        self.step(why, None, Vec::new(), Some(wait), Undo::Nothing);
    }

    /// Adds a step that creates a claim. If the claim names a volume, the step waits until both are bound to each
    /// other.
    pub(in crate::repair) fn create_claim(
        &mut self,
        why: impl Into<String>,
        claim: &ObjectKey,
        manifest: Value,
        volume: Option<&PersistentVolume>,
        recheck: Vec<Recheck>,
    ) {
        let write = Write {
            object: claim.clone(),
            uid: Str::default(),
            expect: Vec::new(),
            change: Change::Create { manifest },
        };
        let bound = volume.map(|volume| Wait::Bound {
            namespace: claim.namespace.clone(),
            name: claim.name.clone(),
            uid: Str::default(),
            volume: VolumeIdentity::of(volume),
        });
        // The undo takes the uid from the journal.
        let delete = Write { object: claim.clone(), uid: Str::default(), expect: Vec::new(), change: Change::Delete };
        let gone =
            Wait::ClaimGone { namespace: claim.namespace.clone(), name: claim.name.clone(), uid: Str::default() };
        let mut recheck = recheck;
        recheck.extend(volume.and_then(not_recycled));
        recheck.push(Recheck::Unused { namespace: claim.namespace.clone(), name: claim.name.clone() });
        // This recheck comes last, because it is one short read, and the lists before it take longer.
        recheck.extend(volume.map(|volume| Recheck::Reserved {
            volume: VolumeIdentity::of(volume),
            namespace: claim.namespace.clone(),
            name: claim.name.clone(),
        }));
        self.step(why, Some(write), recheck, bound, Undo::Write { write: Box::new(delete), wait: Some(gone) });
    }

    /// Returns whether the plan has no steps yet.
    pub(in crate::repair) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the volumes whose data the plan keeps. They already have policy Retain, or a step sets it, and neither
    /// their data nor their object is given up.
    fn keeps(&self) -> Vec<VolumeIdentity> {
        let retained = |volume: &VolumeIdentity| {
            let mut writes = self.steps.iter().filter_map(|step| step.write.as_ref());
            writes.any(|write| write.object == volume_key(volume.name()) && write.retains())
        };
        let is_given_up = |volume: &VolumeIdentity| {
            let lost = |given: &GivenUp| matches!(given, GivenUp::Data | GivenUp::Object);
            let mut carried = self.volumes.iter().filter(|carried| carried.volume == *volume.name());
            carried.any(|carried| carried.given_up.iter().any(lost))
        };
        let kept =
            self.carried.iter().filter(|(volume, is_kept)| (*is_kept || retained(volume)) && !is_given_up(volume));
        kept.map(|(volume, _)| volume.clone()).collect()
    }

    /// Returns the plan. Its id depends on the request and on the fields of the objects that the plan depends on.
    pub(in crate::repair) fn finish(mut self, goal: impl Into<String>) -> Proposed {
        let set_back = |name: &Str| {
            self.steps.iter().filter_map(|step| step.write.as_ref()).any(|write| {
                write.object.name == *name && matches!(&write.change, Change::SetReclaimPolicy { to } if to != "Retain")
            })
        };
        let kept: Vec<Str> = self.retained.iter().filter(|name| !set_back(name)).cloned().collect();
        if self.steps.len() > 1 {
            for name in kept {
                self.notes.push(format!(
                    "volume {name} has policy Retain from now on: when everything works, set its former policy again, \
                     or its storage stays when its claim is deleted"
                ));
            }
        }
        let keeps = self.keeps();
        let waits = self.steps.iter().any(|step| step.wait.is_some());
        if waits && !keeps.is_empty() {
            let names: Vec<&str> = keeps.iter().map(|volume| volume.name().as_str()).collect();
            let on =
                if let [_] = names.as_slice() { String::new() } else { format!(" on volumes {}", names.join(", ")) };
            self.notes.push(format!("while the repair waits, Retain is set again{on} if somebody changes it"));
        }
        let world = self.hash.hex();
        let verb = self.request.verb();
        let id = format!("{verb}-{}", &world[..8]);
        let mut plan = Plan {
            id: id.clone(),
            request: self.request,
            goal: goal.into(),
            volumes: self.volumes,
            keeps,
            saves: self.saves,
            steps: self.steps,
            notes: self.notes,
            type_name: self.type_name,
            judgement: self.judgement,
            world,
        };
        for step in &mut plan.steps {
            match step.write.as_mut().map(|write| &mut write.change) {
                Some(Change::Create { manifest }) => sign(manifest, &id),
                Some(Change::CreateService { service }) => service.sign(&id),
                _ => {}
            }
            if let Undo::Write { write, .. } = &mut step.undo
                && let Change::Create { manifest } = &mut write.change
            {
                sign(manifest, &id);
            }
        }
        Proposed::Plan(Box::new(plan))
    }
}

/// Returns the recheck that no recycler pod erases the volume, if one could.
pub(in crate::repair) fn not_recycled(volume: &PersistentVolume) -> Option<Recheck> {
    may_be_recycled(volume).then(|| Recheck::NotRecycled { volume: volume.meta.name.clone() })
}

/// Returns the recheck that no pod of the last claim still uses the volume, if that claim is gone. If a new claim has
/// its name now, the recheck ignores pods that are not older than the new claim: they use the volume of the new claim.
pub(super) fn unmounted(situation: &Situation<'_>, volume: &PersistentVolume) -> Option<Recheck> {
    let named = volume.claim_ref.as_ref().filter(|named| !named.namespace.is_empty() && !named.name.is_empty())?;
    let before = match situation.claim(&named.namespace, &named.name) {
        Known::There(claim) if claim.meta.uid == named.uid => return None,
        Known::There(another) => another.meta.created,
        Known::Absent | Known::Unknown => None,
    };
    Some(Recheck::Unmounted { namespace: named.namespace.clone(), name: named.name.clone(), before })
}

/// Returns the rechecks before the deletion of a claim. The list of all volumes comes first, because it may take long.
/// Then come the users and the attachments, and at last a single short read of the volume's policy.
pub(in crate::repair) fn before_deletion(claim: &ObjectKey, volume: Option<&PersistentVolume>) -> Vec<Recheck> {
    let (namespace, name) = (claim.namespace.clone(), claim.name.clone());
    let mut recheck = vec![Recheck::AllRetained { namespace: namespace.clone(), name: name.clone() }];
    recheck.push(Recheck::Unused { namespace, name });
    recheck.extend(volume.map(|volume| Recheck::Detached { volume: volume.meta.name.clone() }));
    recheck.extend(volume.map(|volume| Recheck::Retained { volume: VolumeIdentity::of(volume) }));
    recheck
}

/// Returns the conditions that show that a claim is as it was reviewed. Since the review, it was not bound, its
/// deletion was not requested, and no provisioner or node was chosen for it.
pub(in crate::repair) fn as_reviewed(claim: &PersistentVolumeClaim) -> Vec<Expect> {
    let annotations = &claim.meta.annotations;
    let watched =
        [AnnotationKey::StorageProvisioner, AnnotationKey::BetaStorageProvisioner, AnnotationKey::SelectedNode];
    let annotation =
        |key: AnnotationKey| Expect::Annotation { key: key.as_str().into(), is: annotations.get(key).map(Str::from) };
    let mut expect = vec![
        Expect::VolumeName { is: claim.volume_name.clone() },
        Expect::BindCompleted { is: annotations.has(AnnotationKey::BindCompleted) },
        Expect::Terminating { is: false },
    ];
    expect.extend(watched.map(annotation));
    expect
}

/// Writes the annotation that states which plan created a claim.
fn sign(manifest: &mut Value, plan: &str) {
    if !manifest["metadata"]["annotations"].is_object() {
        manifest["metadata"]["annotations"] = serde_json::json!({});
    }
    manifest["metadata"]["annotations"][crate::repair::write::PLAN_ANNOTATION] = plan.into();
}

/// Returns the write of a reclaim policy.
pub(super) fn policy(volume: &PersistentVolume, from: &str, to: &str) -> Write {
    Write {
        object: volume_key(&volume.meta.name),
        uid: volume.meta.uid.clone(),
        expect: vec![Expect::ReclaimPolicy { is: from.into() }],
        change: Change::SetReclaimPolicy { to: to.into() },
    }
}

/// Returns the volume of this name, or why there is no plan.
pub(super) fn volume<'a>(situation: &Situation<'a>, name: &str) -> Result<&'a PersistentVolume, Proposed> {
    match situation.volume(name) {
        Known::There(volume) => Ok(volume),
        Known::Absent => Err(Refusal::new("missing", format!("volume {name} does not exist")).into()),
        Known::Unknown => {
            Err(Refusal::new("unknown", format!("whether volume {name} exists could not be read")).into())
        }
    }
}

/// Returns the claim of this key, or why there is no plan.
pub(super) fn claim<'a>(situation: &Situation<'a>, key: &ObjectKey) -> Result<&'a PersistentVolumeClaim, Proposed> {
    match situation.claim(&key.namespace, &key.name) {
        Known::There(claim) => Ok(claim),
        Known::Absent => {
            Err(Refusal::new("missing", format!("claim {}/{} does not exist", key.namespace, key.name)).into())
        }
        Known::Unknown => {
            let message = format!("whether claim {}/{} exists could not be read", key.namespace, key.name);
            Err(Refusal::new("unknown", message).into())
        }
    }
}

/// Returns the complete manifest of an existing object, or why there is no plan.
pub(super) fn manifest<'a>(situation: &Situation<'a>, key: &ObjectKey) -> Result<&'a Value, Proposed> {
    situation
        .manifests
        .get(key)
        .ok_or_else(|| Refusal::new("unknown", format!("{key} could not be read as a whole")).into())
}

/// Returns whether the phase shows that no claim holds the volume any more.
pub(super) fn has_ended(volume: &PersistentVolume) -> bool {
    matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed)
}

/// Checks that the volume is not being deleted. A volume that is being deleted is removed as soon as it is not Bound.
/// So it is given to no claim.
pub(super) fn stays(volume: &PersistentVolume) -> Result<(), Proposed> {
    if !volume.terminating() {
        return Ok(());
    }
    let name = &volume.meta.name;
    Err(Refusal::new(
        "deletion",
        format!(
            "volume {name} is being deleted, which cannot be undone: it is removed as soon as it is not Bound any more"
        ),
    )
    .hint(format!("kubectl pvctl retain pv/{name} keeps the data; then create a volume for the same storage"))
    .into())
}
