//! The WHY of a prediction: one short sentence that names the fact that decides.

mod claim;
mod pod;
mod reclaim;
mod volume;

pub(crate) use claim::verdict_of;

use crate::controllers::{
    Branch, ClaimProtectionBranch, Controller, KubernetesBehavior, PodPlace, VolumeProtectionBranch, ephemeral_volume,
    persistent_volume, scheduler,
};
use crate::diagnosis::misfit::claim_name;
use crate::diagnosis::unread::unread;
use crate::model::{
    ClaimRef, HeldObject, Kind, ObjectMeta, PersistentVolume, PersistentVolumeClaim, Pod, Resource, TypedId,
};
use crate::simulate::{DecidedBy, Decision, Outcome, Prediction, Simulation, Unknown};
use crate::snapshot::{Absence, Snapshot};
use crate::text::sanitize;
use crate::world::{Cached, Effect, EventType, WriteBody};

/// Says why one sync does what it does and why the object ends as predicted. The sentence has no full stop and no
/// control characters.
pub fn why(simulation: &Simulation<'_>, prediction: &Prediction<'_>) -> String {
    let view = View { simulation, prediction };
    sanitize(&view.sentence()).into_owned()
}

/// Returns the pod that uses the claim, has a node and has not ended. If this pod exists, the scheduler does not choose
/// a volume for the claim. So the delayed binding does not happen.
pub(crate) fn pod_with_node<'s>(snapshot: &'s Snapshot, claim: &PersistentVolumeClaim) -> Option<&'s Pod> {
    snapshot.pods_of(&claim.meta.namespace, &claim.meta.name).find(|pod| !pod.node_name.is_empty() && !pod.terminated())
}

/// The sentence for an object whose outcomes are unknown because its component is too large.
const TOO_LARGE: &str = "the end is unknown: too many pods, claims and volumes influence each other";

/// One prediction, and the simulation that made it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'v> {
    /// All predictions.
    pub(crate) simulation: &'v Simulation<'v>,
    /// The prediction.
    pub(crate) prediction: &'v Prediction<'v>,
}

impl<'v> View<'v> {
    pub(crate) fn snapshot(self) -> &'v Snapshot {
        self.simulation.snapshot()
    }

    pub(crate) fn behavior(self) -> &'v KubernetesBehavior {
        &self.simulation.settings().behavior
    }

    fn meta(self) -> &'v ObjectMeta {
        self.snapshot().meta(self.prediction.target)
    }

    /// Returns whether the object of this name is deleted and only the controller's cache still has it.
    fn is_deleted<T: Resource>(self, namespace: &str, name: &str) -> bool {
        self.snapshot().id_or_deleted::<T>(namespace, name).is_some_and(|id| self.snapshot().is_deleted(id))
    }

    pub(crate) fn decisions_of(self, controller: Controller) -> impl Iterator<Item = &'v Decision<'v>> {
        self.prediction.decisions.listed.iter().filter(move |decision| decision.controller == controller)
    }

    /// Returns the decisions of the PersistentVolume controller.
    pub(crate) fn binder(self) -> impl Iterator<Item = &'v Decision<'v>> {
        self.decisions_of(persistent_volume::CONTROLLER)
    }

    /// Returns the message of the scheduler if the pod ends without a node. Returns None if the scheduler does not take
    /// part, or if the pod can end in several ways.
    pub(crate) fn no_node_for(self, pod: &Pod) -> Option<&'v str> {
        let pod = self.snapshot().id::<Pod>(&pod.meta.namespace, &pod.meta.name)?;
        let mut ends = self.simulation.outcomes(pod).representatives();
        match (ends.next()?, ends.next()) {
            (Outcome::Pod { place: PodPlace::Unschedulable(Some(message)), .. }, None) => {
                Some(message.trim_end_matches('.'))
            }
            _ => None,
        }
    }

    /// Returns whether the scheduler takes part, and the ends of the object are known.
    pub(crate) fn is_scheduled(self) -> bool {
        self.takes_part(scheduler::actor::CONTROLLER) && self.prediction.outcomes.is_some()
    }

    fn takes_part(self, controller: Controller) -> bool {
        self.simulation.settings().controllers.contains(&controller)
    }

    fn sentence(self) -> String {
        if let TypedId::Pod(id) = self.prediction.target.typed() {
            if let Some(sentence) = pod::scheduled(self) {
                return sentence;
            }
            let mut decisions = self.decisions_of(ephemeral_volume::CONTROLLER);
            return match (decisions.next(), self.prediction.unknown.first()) {
                (Some(decision), _) => pod::sentence(self, id, decision),
                (None, Some(unknown)) => self.not_judged(unknown),
                (None, None) => "nothing is known about it".to_owned(),
            };
        }
        if self.snapshot().is_deleted(self.prediction.target) {
            return self.deleted();
        }
        if self.meta().deleted.is_some() {
            return self.being_deleted();
        }
        if !self.takes_part(persistent_volume::CONTROLLER) {
            return self.without_binder();
        }
        let Some(decision) = self.binder().next() else {
            return match self.prediction.unknown.first() {
                Some(unknown) => self.not_judged(unknown),
                None if self.is_unseen() => "the controller does not see it yet".to_owned(),
                None => "nothing is known about it".to_owned(),
            };
        };
        match (decision.branch, self.prediction.target.typed()) {
            (Branch::ClaimBranch(branch), TypedId::PersistentVolumeClaim(id)) => {
                claim::sentence(self, self.snapshot().claim(id), branch, decision)
            }
            (Branch::VolumeBranch(branch), TypedId::PersistentVolume(id)) => {
                volume::sentence(self, self.snapshot().volume(id), branch, decision)
            }
            (other, _) => other.about().trim_end_matches('.').to_owned(),
        }
    }

    /// Returns whether the simulation assumes that the controller does not have the object in its cache.
    fn is_unseen(self) -> bool {
        let controller = &self.simulation.settings().controller;
        matches!(controller.cached(self.prediction.target), Some(Cached::Unseen))
    }

    /// Says what follows from the deletion of an object that only the controller's cache still has.
    fn deleted(self) -> String {
        let next = self.binder().flat_map(|decision| &decision.record.effects).find_map(|effect| match effect {
            Effect::Enqueue(object) if object.kind == Kind::PersistentVolume => Some(format!("volume {}", object.name)),
            Effect::Enqueue(object) => Some(format!("claim {}/{}", object.namespace, object.name)),
            _ => None,
        });
        match next {
            Some(next) => format!("is deleted; the controller syncs {next} next"),
            None => "is deleted".to_owned(),
        }
    }

    /// Says what is unknown because a kind was not read.
    fn not_judged(self, unknown: &Unknown) -> String {
        let missing = missing_read(unknown);
        let partner = match (self.prediction.target.typed(), unknown.need.kind) {
            (TypedId::PersistentVolume(id), Kind::PersistentVolumeClaim) => {
                self.snapshot().volume(id).claim_ref.as_ref().map(|named| format!("claim {}", claim_name(named)))
            }
            (TypedId::PersistentVolumeClaim(id), Kind::PersistentVolume) => {
                let name = &self.snapshot().claim(id).volume_name;
                (!name.is_empty()).then(|| format!("volume {name}"))
            }
            _ => None,
        };
        match partner {
            Some(partner) => match self.recorded_phase() {
                "Bound" => format!("its own status says so, but {partner} could not be read ({missing})"),
                _ => format!("it is unknown whether {partner} exists ({missing})"),
            },
            None => match self.missing_class() {
                Some(class) => format!(
                    "its class \"{class}\" does not exist, so nobody provisions a volume for it; whether an existing \
                     volume fits is unknown ({missing})"
                ),
                None => format!("it is unknown what comes next ({missing})"),
            },
        }
    }

    fn recorded_phase(self) -> &'v str {
        match self.prediction.target.typed() {
            TypedId::PersistentVolume(id) => self.snapshot().volume(id).status.phase.as_str(),
            TypedId::PersistentVolumeClaim(id) => self.snapshot().claim(id).status.phase.as_str(),
            _ => "",
        }
    }

    /// Returns the class of a claim that waits, if it is certain that no class of that name exists.
    fn missing_class(self) -> Option<&'v str> {
        let claim = self.snapshot().claim(self.prediction.target.of()?);
        let class = claim.class();
        let is_absent = self.snapshot().coverage().absence_of(Kind::StorageClass, "", class) == Absence::Certain;
        let is_missing = !class.is_empty() && self.snapshot().class(class).is_none() && is_absent;
        (claim.volume_name.is_empty() && is_missing).then_some(class)
    }

    /// Says why an object that is being deleted still exists.
    fn being_deleted(self) -> String {
        let finalizers = &self.meta().finalizers;
        for decision in &self.prediction.decisions.listed {
            if let Some(keeper) = self.keeper(decision.branch) {
                return format!("is being deleted; {keeper}");
            }
        }
        if let Some(unknown) = self.prediction.unknown.iter().find(|unknown| unknown.controller.is_some()) {
            return format!("is being deleted; what keeps it is unknown: {}", missing_read(unknown));
        }
        if matches!(self.only_outcome(), Some(Outcome::Gone { .. })) || finalizers.is_empty() {
            return "is being deleted; nothing keeps it".to_owned();
        }
        let left: Vec<&str> = match self.only_outcome() {
            Some(Outcome::Claim { terminating: Some(left), .. } | Outcome::Volume { terminating: Some(left), .. }) => {
                left.iter().map(compact_str::CompactString::as_str).collect()
            }
            _ => finalizers.iter().map(compact_str::CompactString::as_str).collect(),
        };
        let noun = if left.len() == 1 { "finalizer" } else { "finalizers" };
        format!("is being deleted; kept by {noun} {}", left.join(", "))
    }

    /// Says what a protection controller waits for.
    fn keeper(self, branch: Branch) -> Option<String> {
        match (branch, self.prediction.target.typed()) {
            (
                Branch::ClaimProtectionBranch(ClaimProtectionBranch::ClaimKeptUsedByCachedPod),
                TypedId::PersistentVolumeClaim(id),
            ) => {
                let claim = self.snapshot().claim(id);
                let mut users = users(self.snapshot(), claim);
                let first = users.next()?;
                let more = users.count();
                let others = if more == 0 { String::new() } else { format!(" (and {})", counted(more, "more pod")) };
                Some(format!("kept by pod {}{others}, which uses it", first.meta.name))
            }
            (Branch::ClaimProtectionBranch(ClaimProtectionBranch::ClaimKeptUsedByLivePod), _) => {
                Some("kept by a pod that uses it".to_owned())
            }
            (
                Branch::VolumeProtectionBranch(VolumeProtectionBranch::VolumeKeptBound),
                TypedId::PersistentVolume(id),
            ) => {
                let volume = self.snapshot().volume(id);
                Some(match &volume.claim_ref {
                    Some(named) => format!("kept while it is Bound to {}", claim_name(named)),
                    None => "kept while its phase is Bound".to_owned(),
                })
            }
            _ => None,
        }
    }

    /// Says what the controllers of the simulation do, if the PersistentVolume controller is not among them.
    fn without_binder(self) -> String {
        let done: Vec<&str> = self
            .prediction
            .decisions
            .listed
            .iter()
            .filter_map(|decision| match decision.branch {
                Branch::ClaimProtectionBranch(ClaimProtectionBranch::ClaimProtectionAdded) => {
                    Some("gets finalizer kubernetes.io/pvc-protection")
                }
                Branch::VolumeProtectionBranch(VolumeProtectionBranch::VolumeProtectionAdded) => {
                    Some("gets finalizer kubernetes.io/pv-protection")
                }
                Branch::ClaimProtectionBranch(ClaimProtectionBranch::ClaimUnusedConditionSet) => {
                    Some("gets condition Unused")
                }
                _ => None,
            })
            .collect();
        if done.is_empty() {
            "nothing changes, because the PersistentVolume controller does not take part".to_owned()
        } else {
            format!("{}; the PersistentVolume controller does not take part", done.join(", "))
        }
    }

    /// Returns the only outcome of the object. The result is `None` if there are several outcomes or the outcomes are
    /// unknown.
    pub(crate) fn only_outcome(self) -> Option<&'v Outcome> {
        let outcomes = self.prediction.outcomes.as_ref()?;
        match (outcomes.count, &*outcomes.listed) {
            (1, [only]) => Some(only),
            _ => None,
        }
    }

    /// Returns words that are added to a sentence if several ends are possible or the ends are unknown.
    fn doubt(self) -> Option<String> {
        let Some(outcomes) = &self.prediction.outcomes else {
            if self.prediction.is_too_large {
                return Some(TOO_LARGE.to_owned());
            }
            let unknown = self.prediction.unknown.iter().find(|unknown| unknown.field == "outcomes")?;
            return Some(format!("the end is unknown: {}", missing_read(unknown)));
        };
        if outcomes.representatives().any(Outcome::is_unsettled) {
            return Some("it never stops changing".to_owned());
        }
        if self.prediction.decided_by.contains(&DecidedBy::SimultaneousRecycling) {
            let others = self.simulation.beside(self.prediction.target).map_or(0, |beside| beside.others);
            let others = counted(others, "other recycling");
            return Some(format!("it may fail because of {others} at the same time"));
        }
        if outcomes.count < 2 || !self.prediction.decided_by.contains(&DecidedBy::OrderOfSyncs) {
            return None;
        }
        let component = self.simulation.component_of(self.prediction.target);
        Some(format!(
            "the order of syncs decides ({}, {})",
            counted(component.of::<PersistentVolumeClaim>().len(), "claim"),
            counted(component.of::<PersistentVolume>().len(), "volume")
        ))
    }

    /// Names the claim that a volume names, and says whether this claim exists. `asking` is the claim that the sentence
    /// is about.
    pub(crate) fn holder(
        self,
        volume: &PersistentVolume,
        named: &ClaimRef,
        asking: Option<&PersistentVolumeClaim>,
    ) -> String {
        let snapshot = self.snapshot();
        let name = claim_name(named);
        let same_name =
            asking.is_some_and(|claim| claim.meta.name == named.name && claim.meta.namespace == named.namespace);
        let Some(id) = snapshot.claim_id(&named.namespace, &named.name) else {
            return match snapshot.coverage().absence(Kind::PersistentVolumeClaim, &named.namespace) {
                Absence::Certain | Absence::Assumed => format!("{name}, which does not exist"),
                Absence::Unknown(_) => name,
            };
        };
        let holder = snapshot.claim(id);
        if !named.uid.is_empty() && named.uid != holder.meta.uid {
            return if same_name {
                "an earlier claim of this name".to_owned()
            } else {
                format!("an earlier claim {name}, now replaced")
            };
        }
        if holder.volume_name == volume.meta.name {
            format!("{name}, which is bound to it")
        } else if !holder.volume_name.is_empty() {
            format!("{name}, which has {}", holder.volume_name)
        } else {
            format!("{name}, which is {}", holder.status.phase.as_str())
        }
    }
}

/// Returns the pods that keep a claim from being deleted.
pub(crate) fn users<'s>(snapshot: &'s Snapshot, claim: &'s PersistentVolumeClaim) -> impl Iterator<Item = &'s Pod> {
    snapshot
        .pods_of(&claim.meta.namespace, &claim.meta.name)
        .filter(move |pod| crate::controllers::pvc_protection::pod_uses_claim(pod, claim))
}

/// Returns a number with its noun: `1 claim`, `2 claims`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Says which kind was not read, and why.
pub(crate) fn missing_read(unknown: &Unknown) -> String {
    unread(unknown.need.kind, &unknown.need.namespace, unknown.reason)
}

/// Returns the volume that a decision binds the claim to.
pub(crate) fn volume_bound_by<'d>(decision: &'d Decision<'_>) -> Option<&'d str> {
    decision.record.effects.iter().find_map(|effect| match effect {
        Effect::Write(write) => match &write.body {
            WriteBody::Update { after: HeldObject::PersistentVolume(volume), .. } => Some(volume.meta.name.as_str()),
            WriteBody::Update { after: HeldObject::PersistentVolumeClaim(claim), .. } => {
                Some(claim.volume_name.as_str()).filter(|name| !name.is_empty())
            }
            _ => None,
        },
        Effect::Event(_) | Effect::Operation { .. } | Effect::Enqueue(_) => None,
    })
}

/// Returns the message of the last warning event of a decision.
fn last_warning<'d>(decision: &'d Decision<'_>) -> Option<&'d str> {
    decision.record.effects.iter().rev().find_map(|effect| match effect {
        Effect::Event(event) if event.event_type == EventType::Warning => Some(event.message.as_str()),
        _ => None,
    })
}

/// Returns the error of a sync. If the sync records no text, the result says that the request was refused.
fn error_of<'d>(decision: &'d Decision<'_>) -> &'d str {
    decision.record.error.as_deref().unwrap_or("the request was refused")
}

/// Returns the sentence with the addition, if there is an addition.
fn with(sentence: String, addition: Option<String>) -> String {
    match addition {
        Some(addition) => format!("{sentence}; {addition}"),
        None => sentence,
    }
}
