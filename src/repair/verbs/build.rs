//! The pieces that several verbs put together.

use crate::controllers::persistent_volume::reclaim::may_be_recycled;
use crate::model::{
    AnnotationKey, Namespace, ObjectKey, PersistentVolume, PersistentVolumeClaim, ReclaimPolicy, Str, VolumePhase,
};
use crate::repair::guards::is_seen_as_anothers;
use crate::repair::identity::VolumeIdentity;
use crate::repair::plan::{Carried, GivenUp, Plan, Proposed, Recheck, Refusal, StableHash, Step, Undo};
use crate::repair::request::Request;
use crate::repair::situation::{Known, Situation, claim_key, volume_key};
use crate::repair::wait::Wait;
use crate::repair::write::{Change, Expect, Reference, Write};
use crate::snapshot::VolumeId;
use serde_json::Value;
use std::collections::BTreeSet;

/// What a planner gives: a plan, or why there is none.
pub(super) type Planned = Result<Proposed, Proposed>;

impl From<Refusal> for Proposed {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// A plan that is being put together.
pub(in crate::repair) struct Builder {
    request: Request,
    volumes: Vec<Carried>,
    saves: Vec<ObjectKey>,
    steps: Vec<Step>,
    notes: Vec<String>,
    type_name: Option<Str>,
    judgement: Option<String>,
    /// Volumes whose policy is Retain by now, by a step or from the start.
    retained: Vec<Str>,
    /// The volumes that are carried, and whether they have policy Retain at the start.
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

    /// A volume whose data must survive. What decides of it goes into the plan's hash.
    pub(in crate::repair) fn carry(&mut self, volume: &PersistentVolume, carried: Carried) {
        self.save_volume(volume);
        self.carried.push((VolumeIdentity::of(volume), volume.reclaim_policy == ReclaimPolicy::Retain));
        self.volumes.push(carried);
    }

    /// A volume that is kept whole in the journal, and goes into the hash.
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

    /// A claim that is kept whole in the journal, and goes into the hash.
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

    pub(in crate::repair) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// The person has to type this name.
    pub(in crate::repair) fn ask_for(&mut self, name: &str) {
        self.type_name = Some(name.into());
    }

    /// Only a person can decide on it, because of this, which the plan says.
    pub(in crate::repair) fn leave_to_person(&mut self, why: impl Into<String>) {
        if self.judgement.is_none() {
            let why = why.into();
            self.note(format!("only you can decide this: {why}"));
            self.judgement = Some(why);
        }
    }

    /// Only a person can decide on it where the namespace may be another tenant's than the one whose data these are:
    /// the marks of a binding and the name of a volume are what anybody can write into a claim of his own.
    pub(in crate::repair) fn leave_if_strange(
        &mut self,
        situation: &Situation<'_>,
        namespace: &str,
        volume: &PersistentVolume,
    ) {
        if let Some(why) = strange_namespace(situation, namespace, volume) {
            self.leave_to_person(why);
        }
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

    /// Keeps the data of a volume, if they are not kept anyway.
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
                ReclaimPolicy::Recycle => "is deprecated and erases data: set it by hand if need be",
                ReclaimPolicy::Delete | ReclaimPolicy::Retain | ReclaimPolicy::Other(_) => {
                    "is none that an API server takes"
                }
            };
            Undo::Impossible { why: format!("policy {before} {why}") }
        };
        self.step(format!("keep the data of volume {name} {why}"), Some(write), Vec::new(), None, undo);
        self.retained.push(name.clone());
        if volume.terminating() {
            self.note(format!(
                "volume {name} is being deleted, which cannot be taken back: with policy Retain its driver may let the \
                 object go at once, and its manifest in the journal is then what knows the storage"
            ));
        }
    }

    /// Keeps the data of every volume that is tied to a claim: it names it, or is named by it. What becomes of a claim
    /// decides about them.
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
            // What another live claim holds is none of this one's.
            if is_seen_as_anothers(situation, volume, claim) {
                continue;
            }
            if !self.volumes.iter().any(|carried| carried.volume == *name) {
                self.carry(volume, Carried { volume: name.clone(), for_claims: Vec::new(), given_up: Vec::new() });
            }
            self.retain(volume, why);
        }
    }

    /// Gives a volume back the policy that it had.
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
        self.step(format!("give volume {name} the policy that it had"), Some(write), vec![lives], None, undo);
        self.retained.retain(|retained| retained != name);
    }

    /// Makes a volume name somebody else, when nobody has it mounted any more.
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
            // A recycler that has begun goes on, although the policy is Retain by now.
            let recheck = not_recycled(volume).filter(|recheck| !step.recheck.contains(recheck));
            step.recheck.extend(recheck);
        }
    }

    /// The same, where the plan has waited for the end of the claim that had the volume: nobody used that, and taking
    /// it back makes the volume name another one than before.
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
        // A controller that took the offer has added its uid: the name is what is asked for when it is taken back.
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
        // A claim that has been deleted is known to be gone by then; of others that had the volume nodes may still be.
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

    /// Deletes a claim and waits until it is gone, and until its volume shows that. Taken back, a claim like it is
    /// created.
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

    /// Waits until the volume shows that its claim is gone.
    pub(in crate::repair) fn await_released(&mut self, volume: &PersistentVolume) {
        let why = format!("the controller sees that the claim of volume {} is gone", volume.meta.name);
        let wait = Wait::Released { volume: VolumeIdentity::of(volume) };
        self.step(why, None, Vec::new(), Some(wait), Undo::Nothing);
    }

    /// Creates a claim that names a volume, and waits until both are bound to each other.
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
        // The uid is filled in from the journal.
        let delete = Write { object: claim.clone(), uid: Str::default(), expect: Vec::new(), change: Change::Delete };
        let gone =
            Wait::ClaimGone { namespace: claim.namespace.clone(), name: claim.name.clone(), uid: Str::default() };
        let mut recheck = recheck;
        recheck.extend(volume.and_then(not_recycled));
        recheck.push(Recheck::Unused { namespace: claim.namespace.clone(), name: claim.name.clone() });
        // Last, because it is short: lists take their time.
        recheck.extend(volume.map(|volume| Recheck::Reserved {
            volume: VolumeIdentity::of(volume),
            namespace: claim.namespace.clone(),
            name: claim.name.clone(),
        }));
        self.step(why, Some(write), recheck, bound, Undo::Write { write: Box::new(delete), wait: Some(gone) });
    }

    /// Whether there is nothing to do so far.
    pub(in crate::repair) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The volumes whose data the plan keeps: they have policy Retain, or a step sets it, and neither their data nor
    /// their object is given up.
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

    /// The plan, under an id that follows from what was asked and from the world.
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
                    "volume {name} has policy Retain from now on: once all is well, set the one that it had, or its \
                     storage stays when its claim is deleted"
                ));
            }
        }
        let keeps = self.keeps();
        let waits = self.steps.iter().any(|step| step.wait.is_some());
        if waits && !keeps.is_empty() {
            let names: Vec<&str> = keeps.iter().map(|volume| volume.name().as_str()).collect();
            self.notes.push(format!(
                "while the repair is under way, Retain is set again on volume {}, should somebody change it, and the repair \
                 ends there",
                names.join(", ")
            ));
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
            if let Some(Write { change: Change::Create { manifest }, .. }) = &mut step.write {
                sign(manifest, &id);
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

/// That no pod of the recycler erases a volume, where one could.
pub(in crate::repair) fn not_recycled(volume: &PersistentVolume) -> Option<Recheck> {
    may_be_recycled(volume).then(|| Recheck::NotRecycled { volume: volume.meta.name.clone() })
}

/// That no pod uses what the last claim of a volume had, where that claim is not there to keep it from going. Pods that
/// are not older than another claim that has its name by now use what that one has.
pub(super) fn unmounted(situation: &Situation<'_>, volume: &PersistentVolume) -> Option<Recheck> {
    let named = volume.claim_ref.as_ref().filter(|named| !named.namespace.is_empty() && !named.name.is_empty())?;
    let before = match situation.claim(&named.namespace, &named.name) {
        Known::There(claim) if claim.meta.uid == named.uid => return None,
        Known::There(another) => another.meta.created,
        Known::Absent | Known::Unknown => None,
    };
    Some(Recheck::Unmounted { namespace: named.namespace.clone(), name: named.name.clone(), before })
}

/// What is looked at before a claim is deleted: the list of all volumes, which may take long, first; then who uses the
/// claim and where its volume is, and, with one short read, that its data are kept.
pub(in crate::repair) fn before_deletion(claim: &ObjectKey, volume: Option<&PersistentVolume>) -> Vec<Recheck> {
    let (namespace, name) = (claim.namespace.clone(), claim.name.clone());
    let mut recheck = vec![Recheck::AllRetained { namespace: namespace.clone(), name: name.clone() }];
    recheck.push(Recheck::Unused { namespace, name });
    recheck.extend(volume.map(|volume| Recheck::Detached { volume: volume.meta.name.clone() }));
    recheck.extend(volume.map(|volume| Recheck::Retained { volume: VolumeIdentity::of(volume) }));
    recheck
}

/// A claim is as it was looked at: not bound since, with no volume on its way for it.
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

/// By its annotation a claim says which plan created it.
fn sign(manifest: &mut Value, plan: &str) {
    if !manifest["metadata"]["annotations"].is_object() {
        manifest["metadata"]["annotations"] = serde_json::json!({});
    }
    manifest["metadata"]["annotations"][crate::repair::write::PLAN_ANNOTATION] = plan.into();
}

/// The write of a reclaim policy.
pub(super) fn policy(volume: &PersistentVolume, from: &str, to: &str) -> Write {
    Write {
        object: volume_key(&volume.meta.name),
        uid: volume.meta.uid.clone(),
        expect: vec![Expect::ReclaimPolicy { is: from.into() }],
        change: Change::SetReclaimPolicy { to: to.into() },
    }
}

/// The volume of that name, or why there is no plan.
pub(super) fn volume<'a>(situation: &Situation<'a>, name: &str) -> Result<&'a PersistentVolume, Proposed> {
    match situation.volume(name) {
        Known::There(volume) => Ok(volume),
        Known::Absent => Err(Refusal::new("missing", format!("volume {name} does not exist")).into()),
        Known::Unknown => {
            Err(Refusal::new("unknown", format!("whether volume {name} exists could not be read")).into())
        }
    }
}

/// The claim of that name, or why there is no plan.
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

/// The whole manifest of an object that is there.
pub(super) fn manifest<'a>(situation: &Situation<'a>, key: &ObjectKey) -> Result<&'a Value, Proposed> {
    situation
        .manifests
        .get(key)
        .ok_or_else(|| Refusal::new("unknown", format!("{key} could not be read as a whole")).into())
}

/// Whether the controller has given the volume up: nobody holds it any more.
pub(super) fn has_ended(volume: &PersistentVolume) -> bool {
    matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed)
}

/// A volume that is being deleted is not given to anybody: it goes as soon as it is not Bound.
pub(super) fn stays(volume: &PersistentVolume) -> Result<(), Proposed> {
    if !volume.terminating() {
        return Ok(());
    }
    let name = &volume.meta.name;
    Err(Refusal::new(
        "deletion",
        format!(
            "volume {name} is being deleted, which cannot be taken back: it goes as soon as it is not Bound any more"
        ),
    )
    .hint(format!("kubectl pvctl retain pv/{name} keeps the data; then create a volume for the same storage"))
    .into())
}

/// Why the tenant of a namespace may be another one than the one whose data these are: namespaces come again under
/// their names. What is sure of the last binding is that it was not before the volume was there: the times of the phase
/// and of the managed fields are later than it.
fn strange_namespace(situation: &Situation<'_>, namespace: &str, volume: &PersistentVolume) -> Option<String> {
    let name = &volume.meta.name;
    let Some(found) = situation.snapshot.find::<Namespace>("", namespace) else {
        return Some(format!("namespace {namespace} is not seen, and whoever creates it can read volume {name}"));
    };
    if found.meta.deleted.is_some() {
        return Some(format!(
            "namespace {namespace} is being deleted, and whoever creates it again can read volume {name}"
        ));
    }
    match (found.meta.created, volume.meta.created) {
        (Some(created), Some(volume)) if created <= volume => None,
        _ => Some(format!("namespace {namespace} is younger than volume {name}: it may be another tenant's by now")),
    }
}
