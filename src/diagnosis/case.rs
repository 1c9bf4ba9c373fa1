//! One object as a rule sees it. Whatever a rule concludes from the absence of an object goes through here, so that the
//! engine knows on which readings its answer rests.

use super::facts::{is_open, is_unbound};
use super::{Subject, Survey, key};
use crate::controllers::persistent_volume::Nearest;
use crate::controllers::persistent_volume::nearest::{class_less_volume, nearest_volume};
use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin};
use crate::controllers::persistent_volume::reclaim::{DataFate, data_fate};
use crate::controllers::{Branch, ClaimBranch, Controller, KubernetesBehavior, VolumeBranch, persistent_volume};
use crate::model::{
    Kind, NO_PROVISIONER, ObjectId, ObjectKey, ObjectMeta, PersistentVolume, PersistentVolumeClaim, StorageClass, Str,
    Timestamp, VolumePhase,
};
use crate::simulate::{Assumed, Decision, OutcomeSet, Prediction, Simulation, decide_folded};
use crate::snapshot::{Absence, CoverageState, Snapshot, VolumeId};
use crate::world::World;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

/// For how many seconds what is normal may take its time.
pub const PATIENCE: i64 = 300;

/// A reading that was missing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// The kind that was to be read.
    pub kind: Kind,
    /// The namespace; empty for all, and for kinds that have none.
    pub namespace: Str,
    /// The word of the output contract for what became of it.
    pub state: &'static str,
}

/// Whom a volume's `claimRef` names.
#[derive(Clone, Copy, Debug)]
pub enum Holder<'a> {
    /// Nobody.
    Nobody,
    /// A claim by its name alone, which does not exist.
    ReservedForMissing,
    /// A claim by its name alone, which exists.
    ReservedFor(&'a PersistentVolumeClaim),
    /// A claim that lives.
    Lives(&'a PersistentVolumeClaim),
    /// A claim of that name that has another uid: the one that was meant is gone.
    Replaced(&'a PersistentVolumeClaim),
    /// A claim that does not exist.
    Gone,
    /// Nobody can tell.
    Unknown,
}

/// What several rules ask of one object, and what is found out once.
#[derive(Debug, Default)]
pub(super) struct Memo {
    nearest: OnceCell<Nearest>,
    in_vain: OnceCell<Option<ClaimBranch>>,
}

/// One object, and all that is known around it.
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

    /// The absences that were assumed, and the readings that were missing.
    pub(super) fn rested_on(self) -> (Vec<Assumed>, Vec<Unread>) {
        (self.assumed.into_inner().into_iter().collect(), self.missing.into_inner().into_iter().collect())
    }

    /// All objects. Of one that is not there, ask by [`Case::lacks`].
    pub fn snapshot(&self) -> &'a Snapshot {
        self.simulation.snapshot()
    }

    /// How the modelled Kubernetes behaves.
    pub fn behavior(&self) -> &'a KubernetesBehavior {
        &self.simulation.settings().behavior
    }

    /// What is known of all objects together.
    pub fn survey(&self) -> &'a Survey<'a> {
        self.survey
    }

    /// What names the object.
    pub fn object(&self) -> ObjectKey {
        let (kind, meta) = (self.subject.kind(), self.subject.meta());
        key(kind, if kind.namespaced() { &meta.namespace } else { "" }, &meta.name)
    }

    /// For how many seconds that moment has passed, as far as the input tells.
    pub fn seconds_since(&self, moment: Option<Timestamp>) -> Option<i64> {
        let passed = self.snapshot().now()?.seconds_since(moment?);
        (passed >= 0).then_some(passed)
    }

    /// For how many seconds that has been so, where it is longer than what is normal takes.
    pub fn lasts(&self, since: Option<Timestamp>) -> Option<i64> {
        self.seconds_since(since).filter(|passed| *passed >= PATIENCE)
    }

    /// Whether something that is wrong may still come right by itself, because it has been so for a short time only: of
    /// an object that somebody named it is told more mildly then. Nothing where nobody asked for the object, and it is
    /// not told yet. Not for what is wrong only because it lasts.
    pub fn may_heal(&self, since: Option<Timestamp>) -> Option<bool> {
        match self.lasts(since) {
            Some(_) => Some(false),
            None => self.is_named.then_some(true),
        }
    }

    /// Whether the object was made so short a time ago that what it lacks may be about to come: claims are often
    /// created before their volumes and classes, and pods before their claims. Only the clock of a reading tells that;
    /// the newest moment in a file does not.
    pub fn is_young(&self, created: Option<Timestamp>) -> bool {
        self.snapshot().now_is_stated() && self.seconds_since(created).is_some_and(|age| age < PATIENCE)
    }

    /// Whether the data of a volume are destroyed once its claim is gone, without anybody doing anything more. Drivers
    /// delete what is Released, and pass over what is Failed.
    pub fn destroys(&self, volume: &PersistentVolume) -> bool {
        match data_fate(self.behavior(), volume) {
            DataFate::Kept => false,
            DataFate::HandedToDriver => volume.status.phase != VolumePhase::Failed,
            DataFate::Destroyed | DataFate::Scrubbed => true,
        }
    }

    /// What becomes of the data of a volume whose claim is gone, as a clause.
    pub fn prospect(&self, volume: &PersistentVolume) -> String {
        let policy = volume.reclaim_policy.as_str();
        if self.destroys(volume) {
            format!("policy {policy} destroys its data, unless it becomes Retain in time")
        } else if data_fate(self.behavior(), volume) == DataFate::Kept {
            format!("its data stay (policy {policy})")
        } else {
            format!("its data stay as long as it is Failed (policy {policy})")
        }
    }

    /// Whether no such object exists; of Leases nobody asks that. Where that is assumed, the finding says so;
    /// where nobody can tell, it is not so.
    pub fn lacks(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        let snapshot = self.snapshot();
        if kind == Kind::Lease {
            return false;
        }
        let is_there = snapshot.has(kind, namespace, name);
        !is_there && self.rests_on(kind, namespace, &snapshot.coverage().absence_of(kind, namespace, name))
    }

    /// Whether all objects of that kind are known, there or anywhere: that no other one exists. Where that is assumed,
    /// the finding says so.
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

    /// The binder's first decision; the answer rests on what it rests on.
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

    /// The leaf where the next sync of this claim ends.
    pub fn claim_branch(&self) -> Option<ClaimBranch> {
        if let Some(branch) = self.branch_in_vain() {
            return Some(branch);
        }
        match self.decision()?.branch {
            Branch::ClaimBranch(branch) => Some(branch),
            _ => None,
        }
    }

    /// Whether the claim has waited for minutes, and whoever asks may not list volumes.
    pub fn waited_in_vain(&self) -> bool {
        self.branch_in_vain().is_some()
    }

    /// The same of a claim that has waited for minutes, where whoever asks may not list volumes: had one fitted, the
    /// controller, which looks again every few seconds, would have taken it.
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

    /// The same of a claim whose binding was never completed; nothing for one that is being deleted.
    pub fn unbound_branch(&self, claim: &PersistentVolumeClaim) -> Option<ClaimBranch> {
        if is_unbound(claim) { self.claim_branch() } else { None }
    }

    /// The same of a claim that names no volume either.
    pub fn waiting_branch(&self, claim: &PersistentVolumeClaim) -> Option<ClaimBranch> {
        if is_open(claim) { self.claim_branch() } else { None }
    }

    /// The free volume that comes nearest to what a claim asks for: of the one at hand it is searched once for all
    /// rules.
    pub fn nearest(&self, claim: &PersistentVolumeClaim) -> Nearest {
        let search = || nearest_volume(self.snapshot(), self.behavior(), claim);
        match self.subject {
            Subject::Claim(own, _) if std::ptr::eq(own, claim) => *self.memo.nearest.get_or_init(search),
            _ => search(),
        }
    }

    /// A free volume without a class that the claim would have but for that.
    pub fn class_less(&self, claim: &PersistentVolumeClaim) -> Option<&'a PersistentVolume> {
        class_less_volume(self.snapshot(), self.behavior(), claim).map(|id| self.snapshot().volume(id))
    }

    /// The leaf where the next sync of this volume ends.
    pub fn volume_branch(&self) -> Option<VolumeBranch> {
        match self.decision()?.branch {
            Branch::VolumeBranch(branch) => Some(branch),
            _ => None,
        }
    }

    /// The states in which the object can end; the answer rests on what they rest on.
    pub fn ends(&self) -> Option<&'a OutcomeSet> {
        let prediction = self.prediction?;
        self.assumed.borrow_mut().extend(prediction.assumed.iter().cloned());
        for unknown in prediction.unknown.iter().filter(|unknown| unknown.controller.is_none()) {
            self.note_missing(unknown.need.kind, &unknown.need.namespace, unknown.reason);
        }
        prediction.outcomes.as_ref()
    }

    /// Whether the object is in that phase in every end; nothing where the ends are unknown.
    pub fn always_ends(&self, phase: &str) -> Option<bool> {
        if self.branch_in_vain().is_some() {
            return Some(phase == "Pending");
        }
        Some(self.ends()?.of_every_sort().all(|end| end.phase() == phase))
    }

    /// The volume of that name, if it is there.
    pub fn volume(&self, name: &str) -> Option<&'a PersistentVolume> {
        self.snapshot().volume_id(name).map(|id| self.snapshot().volume(id))
    }

    /// The claim of that name, if it is there.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<&'a PersistentVolumeClaim> {
        self.snapshot().claim_id(namespace, name).map(|id| self.snapshot().claim(id))
    }

    /// The class of that name, if it is there.
    pub fn class(&self, name: &str) -> Option<&'a StorageClass> {
        self.snapshot().class(name)
    }

    /// The class of that claim, where its provisioner is a plugin that Kubernetes does not have: nobody makes volumes
    /// of it.
    pub fn dead_class(&self, claim: &PersistentVolumeClaim) -> Option<&'a StorageClass> {
        let is_dead = |class: &&StorageClass| {
            class.provisioner != NO_PROVISIONER
                && matches!(find_provisionable_plugin(self.behavior(), class), Provider::Nobody(_))
        };
        self.class(claim.class()).filter(is_dead)
    }

    /// The volumes with these ids.
    pub fn volumes(&self, ids: &'a [VolumeId]) -> impl Iterator<Item = &'a PersistentVolume> {
        let snapshot = self.snapshot();
        ids.iter().map(|id| snapshot.volume(*id))
    }

    /// Whom the volume names.
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

/// The key of a volume.
pub fn volume_key(name: &str) -> ObjectKey {
    key(Kind::PersistentVolume, "", name)
}

/// The key of a claim.
pub fn claim_key(namespace: &str, name: &str) -> ObjectKey {
    key(Kind::PersistentVolumeClaim, namespace, name)
}

/// What names the claim.
pub fn key_of_claim(meta: &ObjectMeta) -> ObjectKey {
    claim_key(&meta.namespace, &meta.name)
}

/// The key of a class.
pub fn class_key(name: &str) -> ObjectKey {
    key(Kind::StorageClass, "", name)
}
