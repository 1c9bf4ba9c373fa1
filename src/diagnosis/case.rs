//! One object as a rule sees it. Rules ask this module whether another object is absent. The module records the reads
//! on which the answer of the rule depends.

use super::facts::{has_event, is_open, is_unbound};
use super::pod::Attempt;
use super::shared_volumes::{Absences, SharedVolume};
use super::{Subject, Survey, key};
use crate::controllers::persistent_volume::Nearest;
use crate::controllers::persistent_volume::nearest::{class_less_volume, nearest_volume};
use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin};
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::controllers::scheduler::Scheduling;
use crate::controllers::{Branch, ClaimBranch, Controller, KubernetesBehavior, VolumeBranch, persistent_volume};
use crate::model::{
    Kind, NO_PROVISIONER, ObjectId, ObjectKey, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass,
    Str, Timestamp, VolumePhase,
};
use crate::simulate::{Assumed, Decision, OutcomeSet, Prediction, Simulation, decide_folded};
use crate::snapshot::{Absence, CoverageState, Snapshot, VolumeId};
use crate::world::World;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

/// The number of seconds for which a normal process, such as provisioning, may last before a rule reports it.
pub const PATIENCE: i64 = 300;

/// A read whose result is missing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// The kind that was not read.
    pub kind: Kind,
    /// The namespace that was not read. It is empty if all namespaces are concerned or if the kind has no namespaces.
    pub namespace: Str,
    /// The coverage state, as the word that documents print.
    pub state: &'static str,
}

/// The claim that the `claimRef` of a volume names, and its state.
#[derive(Clone, Copy, Debug)]
pub enum Holder<'a> {
    /// The volume has no `claimRef`.
    Nobody,
    /// The `claimRef` has no uid, and no claim has the namespace and name in the `claimRef`.
    ReservedForMissing,
    /// The `claimRef` has no uid, and this claim has the namespace and name in the `claimRef`.
    ReservedFor(&'a PersistentVolumeClaim),
    /// This claim exists and has the uid in the `claimRef`.
    Lives(&'a PersistentVolumeClaim),
    /// This claim has the namespace and name in the `claimRef` but another uid. The claim that had the uid in the
    /// `claimRef` is gone.
    Replaced(&'a PersistentVolumeClaim),
    /// The `claimRef` has a uid, and no claim has the namespace and name in the `claimRef`.
    Gone,
    /// The input does not tell whether the claim exists.
    Unknown,
}

/// Answers that several rules need about one object. Each answer is computed only once.
#[derive(Debug, Default)]
pub(super) struct Memo {
    nearest: OnceCell<Nearest>,
    in_vain: OnceCell<Option<ClaimBranch>>,
    is_shared: OnceCell<bool>,
}

/// One object and everything that is known about its surroundings.
#[derive(Debug)]
pub struct Case<'a> {
    simulation: &'a Simulation<'a>,
    prediction: Option<&'a Prediction<'a>>,
    survey: &'a Survey<'a>,
    memo: &'a Memo,
    subject: Subject<'a>,
    is_named: bool,
    assumed: RefCell<BTreeSet<Assumed>>,
    missing: RefCell<BTreeSet<Unread>>,
}

impl<'a> Case<'a> {
    pub(super) fn new(
        simulation: &'a Simulation<'a>,
        prediction: Option<&'a Prediction<'a>>,
        survey: &'a Survey<'a>,
        memo: &'a Memo,
        subject: Subject<'a>,
        is_named: bool,
    ) -> Self {
        let (assumed, missing) = (RefCell::default(), RefCell::default());
        Self { simulation, prediction, survey, memo, subject, is_named, assumed, missing }
    }

    /// Returns the absences that were assumed, and the reads whose results were missing.
    pub(super) fn assumptions(self) -> (Vec<Assumed>, Vec<Unread>) {
        (self.assumed.into_inner().into_iter().collect(), self.missing.into_inner().into_iter().collect())
    }

    /// Returns the snapshot of all objects. To conclude that an object does not exist, a rule has to use
    /// [`Case::lacks`].
    pub fn snapshot(&self) -> &'a Snapshot {
        self.simulation.snapshot()
    }

    /// Returns whether an event of that reason about the object was read. A rule mentions an event only if the event
    /// was read.
    pub fn has_event(&self, reason: &str) -> bool {
        has_event(self.snapshot(), &self.object(), reason)
    }

    /// Returns the behavior of the modelled Kubernetes.
    pub fn behavior(&self) -> &'a KubernetesBehavior {
        &self.simulation.settings().behavior
    }

    /// Returns what the scheduler decides about the pod now, if everything that decides was read and is modelled.
    pub fn scheduling(&self, pod: &Pod) -> Option<Scheduling> {
        self.survey.placement().scheduling(pod)
    }

    /// Returns the attempt of the scheduler to find a node for the pod now, if everything that decides was read and is
    /// modelled.
    pub fn attempt(&self, pod: &Pod) -> Option<Attempt> {
        self.survey.placement().attempt(pod)
    }

    /// Returns what is known about all objects together.
    pub fn survey(&self) -> &'a Survey<'a> {
        self.survey
    }

    /// Returns the kind, namespace and name of the object.
    pub fn object(&self) -> ObjectKey {
        let (kind, meta) = (self.subject.kind(), self.subject.meta());
        key(kind, if kind.namespaced() { &meta.namespace } else { "" }, &meta.name)
    }

    /// Returns the path of a shared volume, which is the object of this case. Returns None for any other object, and if
    /// no system is known that serves the volume.
    pub fn shared_volume(&self, volume: &PersistentVolume) -> Option<SharedVolume<'a>> {
        let Subject::Volume(own, _) = self.subject else { return None };
        let volumes = self.survey.shared_volumes();
        let is_shared =
            std::ptr::eq(own, volume) && *self.memo.is_shared.get_or_init(|| volumes.provider(own).is_some());
        if is_shared { volumes.path(own, self) } else { None }
    }

    /// Returns the number of seconds since that moment. Returns None if the input does not tell the current time or the
    /// moment, or if the moment is in the future.
    pub fn seconds_since(&self, moment: Option<Timestamp>) -> Option<i64> {
        let passed = self.snapshot().now()?.seconds_since(moment?);
        (passed >= 0).then_some(passed)
    }

    /// Returns the number of seconds since that moment if it is at least [`PATIENCE`].
    pub fn lasts(&self, since: Option<Timestamp>) -> Option<i64> {
        self.seconds_since(since).filter(|passed| *passed >= PATIENCE)
    }

    /// Returns whether a problem may still end by itself. The result is Some(false) if the problem has lasted for at
    /// least [`PATIENCE`] seconds. Otherwise the problem may still end by itself. Then the result is Some(true) if
    /// somebody named the object, and the rule reports the finding with a lower severity. The result is None if nobody
    /// named the object, and the rule does not report the finding yet. Rules that report how long something lasts do
    /// not use this function.
    pub fn may_heal(&self, since: Option<Timestamp>) -> Option<bool> {
        match self.lasts(since) {
            Some(_) => Some(false),
            None => self.is_named.then_some(true),
        }
    }

    /// Returns whether the object was created less than [`PATIENCE`] seconds ago. Objects that it refers to may then
    /// still be missing. Claims are often created before their volumes and classes, and pods before their claims. The
    /// age is known only if the input states the time of reading. The newest timestamp in a file is not enough: then
    /// the result is false.
    pub fn is_young(&self, created: Option<Timestamp>) -> bool {
        self.snapshot().now_is_stated() && self.seconds_since(created).is_some_and(|age| age < PATIENCE)
    }

    /// Returns whether the data of the volume are destroyed after its claim is deleted, without any further action by a
    /// person. Drivers delete volumes in phase Released and ignore volumes in phase Failed.
    pub fn destroys(&self, volume: &PersistentVolume) -> bool {
        match data_fate(self.behavior(), volume) {
            DataFate::Kept => false,
            DataFate::HandedToDriver => volume.status.phase != VolumePhase::Failed,
            DataFate::Destroyed | DataFate::Scrubbed => true,
        }
    }

    /// Returns a clause that says what happens to the data of the volume after its claim is deleted.
    pub fn prospect(&self, volume: &PersistentVolume) -> String {
        let policy = volume.reclaim_policy.as_str();
        if self.destroys(volume) {
            format!("policy {policy} destroys its data, unless the policy is set to Retain in time")
        } else if data_fate(self.behavior(), volume) == DataFate::Kept {
            format!("its data stay (policy {policy})")
        } else {
            format!("its data stay as long as it is Failed (policy {policy})")
        }
    }

    /// Returns whether no object with this kind, namespace and name exists. If the absence is assumed, the finding
    /// states the assumption. If the absence is unknown, or if the kind is Lease, the answer is false.
    pub fn lacks(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        let snapshot = self.snapshot();
        if kind == Kind::Lease {
            return false;
        }
        let is_there = snapshot.has(kind, namespace, name);
        !is_there && self.rests_on(kind, namespace, &snapshot.coverage().absence_of(kind, namespace, name))
    }

    /// Returns whether all objects of that kind in that namespace are known. Then no others exist. An empty namespace
    /// means all namespaces. If the answer is assumed, the finding states the assumption.
    pub fn knows_all(&self, kind: Kind, namespace: &str) -> bool {
        self.rests_on(kind, namespace, &self.snapshot().coverage().absence(kind, namespace))
    }

    fn rests_on(&self, kind: Kind, namespace: &str, absence: &Absence) -> bool {
        match absence {
            Absence::Certain => true,
            Absence::Assumed => {
                let namespace = if kind.namespaced() { Str::from(namespace) } else { Str::default() };
                self.assumed.borrow_mut().insert(Assumed { kind, namespace });
                true
            }
            Absence::Unknown(state) => {
                self.note_missing(kind, namespace, *state);
                false
            }
        }
    }

    fn note_missing(&self, kind: Kind, namespace: &str, state: CoverageState) {
        let namespace = if kind.namespaced() { Str::from(namespace) } else { Str::default() };
        self.missing.borrow_mut().insert(Unread { kind, namespace, state: state.as_str() });
    }

    /// Returns the first decision of the persistent volume controller about the object. The rule's answer then rests on
    /// everything that the decision rests on.
    pub fn decision(&self) -> Option<&'a Decision<'a>> {
        let prediction = self.prediction?;
        let of_binder = |controller: Controller| controller == persistent_volume::CONTROLLER;
        for unknown in prediction.unknown.iter().filter(|unknown| unknown.controller.is_some_and(of_binder)) {
            self.note_missing(unknown.need.kind, &unknown.need.namespace, unknown.reason);
        }
        let decision = prediction.decisions.listed.iter().find(|decision| of_binder(decision.controller))?;
        for need in &decision.record.needs {
            self.rests_on(need.kind, &need.namespace, &self.snapshot().coverage().absence(need.kind, &need.namespace));
        }
        Some(decision)
    }

    /// Returns the leaf at which the next sync of this claim ends.
    pub fn claim_branch(&self) -> Option<ClaimBranch> {
        if let Some(branch) = self.branch_in_vain() {
            return Some(branch);
        }
        match self.decision()?.branch {
            Branch::ClaimBranch(branch) => Some(branch),
            _ => None,
        }
    }

    /// Returns whether the claim has waited for [`PATIENCE`] seconds or longer, and volumes are the only objects that
    /// could not be read.
    pub fn waited_in_vain(&self) -> bool {
        self.branch_in_vain().is_some()
    }

    /// Returns the leaf of a claim that has waited for [`PATIENCE`] seconds or longer, if volumes are the only objects
    /// that could not be read. The decision is then made as if the volumes that could not be read did not exist. The
    /// controller syncs the claim again every few seconds and would have bound a volume that fits.
    fn branch_in_vain(&self) -> Option<ClaimBranch> {
        let prediction = self.prediction?;
        let Subject::Claim(claim, id) = self.subject else { return None };
        let waits = || is_open(claim) && self.lasts(claim.meta.created).is_some();
        let mut missing = prediction.unknown.iter().filter(|unknown| unknown.controller.is_some()).peekable();
        if missing.peek().is_none() || !missing.all(|unknown| unknown.need.kind == Kind::PersistentVolume) || !waits() {
            return None;
        }
        *self.memo.in_vain.get_or_init(|| {
            let world = World::new(self.snapshot());
            let decisions = decide_folded(&world, self.simulation.settings(), ObjectId::from(id));
            let of_binder = |decision: &&Decision<'_>| decision.controller == persistent_volume::CONTROLLER;
            match decisions.listed.iter().find(of_binder)?.branch {
                Branch::ClaimBranch(branch) => Some(branch),
                _ => None,
            }
        })
    }

    /// Returns the leaf of the claim if its binding was never completed. Returns None for a claim that is being
    /// deleted.
    pub fn unbound_branch(&self, claim: &PersistentVolumeClaim) -> Option<ClaimBranch> {
        if is_unbound(claim) { self.claim_branch() } else { None }
    }

    /// Returns the leaf of the claim if its binding was never completed and it names no volume. Returns None for a
    /// claim that is being deleted.
    pub fn waiting_branch(&self, claim: &PersistentVolumeClaim) -> Option<ClaimBranch> {
        if is_open(claim) { self.claim_branch() } else { None }
    }

    /// Returns whether a free volume fits the claim. If no volume fits, the result has the nearest volume that fails
    /// exactly one test, if there is one. For the object of this case, the search runs only once for all rules.
    pub fn nearest(&self, claim: &PersistentVolumeClaim) -> Nearest {
        let search = || nearest_volume(self.snapshot(), self.behavior(), claim);
        match self.subject {
            Subject::Claim(own, _) if std::ptr::eq(own, claim) => *self.memo.nearest.get_or_init(search),
            _ => search(),
        }
    }

    /// Returns a free volume that has no class, and that would fit the claim if it had the claim's class.
    pub fn class_less(&self, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
        class_less_volume(self.snapshot(), self.behavior(), claim).map(|id| self.snapshot().volume(id))
    }

    /// Returns the leaf at which the next sync of this volume ends.
    pub fn volume_branch(&self) -> Option<VolumeBranch> {
        match self.decision()?.branch {
            Branch::VolumeBranch(branch) => Some(branch),
            _ => None,
        }
    }

    /// Returns the states in which the object can end. The rule's answer then rests on everything that this prediction
    /// rests on.
    pub fn ends(&self) -> Option<&'a OutcomeSet> {
        let prediction = self.prediction?;
        self.assumed.borrow_mut().extend(prediction.assumed.iter().cloned());
        for unknown in prediction.unknown.iter().filter(|unknown| unknown.controller.is_none()) {
            self.note_missing(unknown.need.kind, &unknown.need.namespace, unknown.reason);
        }
        prediction.outcomes.as_ref()
    }

    /// Returns whether the object has that phase at every end. Returns None if the ends are unknown.
    pub fn always_ends(&self, phase: &str) -> Option<bool> {
        if self.branch_in_vain().is_some() {
            return Some(phase == "Pending");
        }
        Some(self.ends()?.representatives().all(|end| end.phase() == phase))
    }

    /// Returns the volume of that name, if the snapshot has it.
    pub fn volume(&self, name: &str) -> Option<&'a PersistentVolume> {
        self.snapshot().volume_id(name).map(|id| self.snapshot().volume(id))
    }

    /// Returns the claim of that namespace and name, if the snapshot has it.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<&'a PersistentVolumeClaim> {
        self.snapshot().claim_id(namespace, name).map(|id| self.snapshot().claim(id))
    }

    /// Returns the class of that name, if the snapshot has it.
    pub fn class(&self, name: &str) -> Option<&'a StorageClass> {
        self.snapshot().class(name)
    }

    /// Returns the class of the claim if the provisioner of the class is a plugin that Kubernetes does not have. Then
    /// nobody provisions volumes of this class.
    pub fn dead_class(&self, claim: &PersistentVolumeClaim) -> Option<&'a StorageClass> {
        let is_dead = |class: &&StorageClass| {
            class.provisioner != NO_PROVISIONER
                && matches!(find_provisionable_plugin(self.behavior(), class), Provider::Nobody(_))
        };
        self.class(claim.class()).filter(is_dead)
    }

    /// Returns the volumes with these ids.
    pub fn volumes(&self, ids: &'a [VolumeId]) -> impl Iterator<Item = &'a PersistentVolume> {
        let snapshot = self.snapshot();
        ids.iter().map(|id| snapshot.volume(*id))
    }

    /// Returns the claim that the `claimRef` of the volume names, and its state.
    pub fn holder(&self, volume: &PersistentVolume) -> Holder<'a> {
        let Some(named) = &volume.claim_ref else { return Holder::Nobody };
        match self.claim(&named.namespace, &named.name) {
            Some(claim) if named.uid.is_empty() => Holder::ReservedFor(claim),
            Some(claim) if claim.meta.uid == named.uid => Holder::Lives(claim),
            Some(claim) => Holder::Replaced(claim),
            None if !self.lacks(Kind::PersistentVolumeClaim, &named.namespace, &named.name) => Holder::Unknown,
            None if named.uid.is_empty() => Holder::ReservedForMissing,
            None => Holder::Gone,
        }
    }
}

impl Absences for Case<'_> {
    fn lacks(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        Case::lacks(self, kind, namespace, name)
    }

    fn knows_all(&self, kind: Kind, namespace: &str) -> bool {
        Case::knows_all(self, kind, namespace)
    }
}

/// Returns the key of a volume.
pub fn volume_key(name: &str) -> ObjectKey {
    key(Kind::PersistentVolume, "", name)
}

/// Returns the key of a claim.
pub fn claim_key(namespace: &str, name: &str) -> ObjectKey {
    key(Kind::PersistentVolumeClaim, namespace, name)
}

/// Returns the key of the claim with these metadata.
pub fn key_of_claim(meta: &ObjectMeta) -> ObjectKey {
    claim_key(&meta.namespace, &meta.name)
}

/// Returns the key of a class.
pub fn class_key(name: &str) -> ObjectKey {
    key(Kind::StorageClass, "", name)
}
