//! The difference between the recorded state and the state that the controllers would have made, and whether the
//! controllers run.
//!
//! The explanation says that a controller does not run only if there is evidence. On a cluster the evidence is a stale
//! Lease, or two equal readings that are more than two resync periods apart. The age of an object is not evidence
//! there, because most causes do not leave a time in any object. About files, which may be old, the explanation says at
//! most `possibly`. Only the binder, which is the PersistentVolume controller, syncs every object periodically. A
//! change that only an event starts can wait for days although all controllers run.

use super::binding::elsewhere;
use super::document::{EvidenceOut, NextOut};
use crate::controllers::{Branch, VolumeBranch, persistent_volume};
use crate::diagnosis::misfit::shown;
use crate::diagnosis::reason::View;
use crate::model::{Kind, Lease, ObjectId, PersistentVolume, Timestamp, TypedId, VolumePhase};
use crate::simulate::{Decision, Outcome, OutcomeSet};
use crate::snapshot::ClaimId;
use crate::text::human_age;
use crate::world::{Effect, OperationState};
use serde::Serialize;

/// A number of resync periods. If the PersistentVolume controller runs, it syncs every object once in each period. So
/// if an object should change, but does not change for longer than this number of periods, the controller probably does
/// not run.
pub const RESYNCS: u64 = 2;

/// A difference between the recorded and the predicted state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DivergenceOut {
    /// The recorded phase.
    pub recorded: String,
    /// The phases of all possible ends.
    pub predicted: Vec<String>,
    /// For how many seconds the recorded state has lasted. The field is absent if no time in the objects shows this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lasted_seconds: Option<i64>,
    /// How certain it is that the controller does not run: `probably` or `possibly`. The field is absent if there is no
    /// evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_not_running: Option<&'static str>,
    /// What the Lease of kube-controller-manager shows. `alive`: it was renewed, but this does not prove that each
    /// controller in it runs. `stale`: nobody renews it. The field is absent if there is no Lease, or if the Lease
    /// shows neither, for example because it has just expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_manager: Option<&'static str>,
    /// The evidence: fields of the Lease, times of the objects, and the times of the two readings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub evidence: Vec<EvidenceOut>,
    /// The reasons to believe that the controller does not run, as clauses.
    #[serde(skip)]
    reasons: Vec<String>,
    /// A clause that says that kube-controller-manager runs, or that it ran at the time of the files.
    #[serde(skip)]
    alive: Option<String>,
    /// The result of `--recheck`, or whether it is possible.
    #[serde(skip)]
    recheck: Recheck,
    #[serde(skip)]
    resync_seconds: u64,
    /// Whether a resync alone is enough to start the change.
    #[serde(skip)]
    resynced: bool,
}

/// The result of a second reading, or why there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Recheck {
    /// The objects come from files, which cannot be read a second time.
    #[default]
    Impossible,
    /// The user did not ask for a second reading.
    Possible,
    /// The second reading showed the same state.
    Same,
    /// The second reading showed another version of the object or another prediction.
    Moved,
}

impl DivergenceOut {
    /// Returns the divergence. The result is `None` if the recorded phase is the phase of a possible end, if the ends
    /// are unknown, if the object is neither a volume nor a claim, or if it is already deleted.
    pub(super) fn new(view: View<'_>, from_files: bool) -> Option<Self> {
        let (snapshot, prediction) = (view.snapshot(), view.prediction);
        if snapshot.is_deleted(prediction.target) {
            return None;
        }
        let outcomes = prediction.outcomes.as_ref()?;
        let (phase, stood) = match prediction.target.typed() {
            TypedId::PersistentVolume(id) => {
                (snapshot.volume(id).status.phase.as_str(), volume_stood(view, snapshot.volume(id)))
            }
            TypedId::PersistentVolumeClaim(id) => {
                (snapshot.claim(id).status.phase.as_str(), claim_stood(view, id, outcomes.listed.first()))
            }
            _ => return None,
        };
        let every_end_differs = prediction.changes() && outcomes.representatives().all(|end| end.phase() != phase);
        if !every_end_differs {
            return None;
        }
        let mut predicted: Vec<String> = outcomes.representatives().map(|end| end.phase().to_owned()).collect();
        predicted.dedup();
        let lasted = snapshot
            .now()
            .zip(stood.as_ref())
            .map(|(now, stood)| now.seconds_since(stood.since))
            .filter(|lasted| *lasted >= 0);
        let mut divergence = Self {
            recorded: phase.to_owned(),
            predicted,
            lasted_seconds: lasted,
            controller_not_running: None,
            controller_manager: None,
            evidence: Vec::new(),
            reasons: Vec::new(),
            alive: None,
            recheck: if from_files { Recheck::Impossible } else { Recheck::Possible },
            resync_seconds: view.behavior().resync_seconds,
            resynced: resynced(view, outcomes),
        };
        if from_files {
            let stood = stood.filter(|_| divergence.resynced);
            let needed = i64::try_from(divergence.resync_seconds.saturating_mul(RESYNCS)).unwrap_or(i64::MAX);
            if let (Some(stood), Some(lasted)) = (stood, lasted.filter(|lasted| *lasted > needed)) {
                divergence.controller_not_running = Some("possibly");
                divergence.reasons.push(format!("this state has lasted for {}", human_age(lasted)));
                divergence.evidence.extend(stood.evidence);
            }
            if let (Some(lease), Some(now)) = (snapshot.lease(), snapshot.now()) {
                divergence.add_recorded_lease(lease, now, snapshot.now_is_stated());
            }
        }
        Some(divergence)
    }

    /// Adds a Lease from files. Files say nothing about the present, so the controller is at most `possibly` not
    /// running.
    ///
    /// A fresh Lease is used only if the files state when they were made (`stated`). Otherwise `now` is the newest time
    /// in the files, and the files may have been made long after that time. A stale Lease is always used: if it is
    /// stale at `now`, it was also stale when the files were made.
    fn add_recorded_lease(&mut self, lease: &Lease, now: Timestamp, stated: bool) {
        if !stated && lease.is_stale(now) != Some(true) {
            return;
        }
        self.add_lease(lease, now, "possibly");
        if let Some(alive) = &mut self.alive {
            let age = human_age(lease.age(now).unwrap_or_default().max(0));
            *alive = format!("was alive at {now} ({} had renewed its Lease {age} before)", holder_of(lease));
        }
    }

    /// Adds the Lease of kube-controller-manager. A stale Lease means that the controller does not run, with the
    /// certainty `sure`. A fresh Lease shows that kube-controller-manager runs.
    pub(super) fn add_lease(&mut self, lease: &Lease, read_at: Timestamp, sure: &'static str) {
        let (Some(stale), Some(fresh), Some(renewed), Some(age), Some(duration)) = (
            lease.is_stale(read_at),
            lease.is_fresh(read_at),
            lease.renewed,
            lease.age(read_at),
            lease.duration_seconds,
        ) else {
            return;
        };
        // A fresh Lease without a holder does not prove that kube-controller-manager runs.
        if !stale && (!fresh || lease.holder.is_empty()) {
            return;
        }
        let holder = holder_of(lease);
        let object = format!("lease/{} -n {}", Lease::MANAGER_NAME, Lease::MANAGER_NAMESPACE);
        for (field, value) in [
            ("spec.holderIdentity", if lease.holder.is_empty() { "<unset>".to_owned() } else { holder.clone() }),
            ("spec.renewTime", renewed.to_string()),
            ("spec.leaseDurationSeconds", duration.to_string()),
            ("age", format!("{age}s")),
        ] {
            self.evidence.push(EvidenceOut { object: object.clone(), field, value });
        }
        if stale {
            self.controller_manager = Some("stale");
            self.controller_not_running = Some(sure);
            self.reasons.push(format!(
                "the Lease {} in {}, held by {holder}, was last renewed {} before it was read",
                Lease::MANAGER_NAME,
                Lease::MANAGER_NAMESPACE,
                human_age(age)
            ));
        } else {
            self.controller_manager = Some("alive");
            self.alive = Some(format!("is alive ({holder} renewed its Lease {} ago)", human_age(age.max(0))));
        }
    }

    /// Returns what the user has to do if the Lease is stale.
    pub(super) fn next(&self) -> Option<NextOut> {
        (self.controller_manager == Some("stale")).then(|| NextOut {
            who: "you".to_owned(),
            what: "find out why kube-controller-manager does not run: nobody renews its Lease".to_owned(),
        })
    }

    /// Returns whether a second reading can show that the controller does not run.
    pub fn resynced(&self) -> bool {
        self.resynced
    }

    /// Records that a second reading, more than two resync periods after the first, showed the same version of the
    /// object and gave the same prediction. This is evidence only if a resync is enough to start the change.
    pub(super) fn add_same_reading(&mut self, object: &str, version: &str, readings: [Timestamp; 2]) {
        self.recheck = Recheck::Same;
        if !self.resynced {
            return;
        }
        self.controller_not_running = Some("probably");
        let [first, second] = readings;
        let pace = human_age(i64::try_from(self.resync_seconds).unwrap_or(i64::MAX));
        self.reasons.push(format!(
            "it is the same at {second} as it was at {first}, and the controller syncs every object every {pace}"
        ));
        let mut add =
            |field, value: String| self.evidence.push(EvidenceOut { object: object.to_owned(), field, value });
        add("metadata.resourceVersion", shown(version));
        add("readAt", first.to_string());
        add("readAt", second.to_string());
    }

    /// Records that the second reading showed another state than the first reading.
    pub(super) fn set_moved(&mut self) {
        self.recheck = Recheck::Moved;
    }

    /// Returns the difference in one or two sentences.
    pub(super) fn sentence(&self) -> String {
        let ends = self.predicted.join(" or ");
        match (self.controller_not_running, &self.alive) {
            (None, None) => format!("Recorded as {}, and the next syncs make it {ends}.", self.recorded),
            (None, Some(alive)) if !self.resynced || self.recheck == Recheck::Impossible => format!(
                "Recorded as {}, and the next syncs make it {ends}. The controller manager {alive}.",
                self.recorded
            ),
            (None, Some(alive)) => format!(
                "Recorded as {}, and the next syncs make it {ends}. The controller manager {alive}, so this \
                 should change within {}.",
                self.recorded,
                human_age(i64::try_from(self.resync_seconds).unwrap_or(i64::MAX))
            ),
            (Some(sure), alive) => {
                let but = alive.as_ref().map_or_else(String::new, |alive| {
                    format!(
                        " The controller manager itself {alive}: its log and its flag --controllers show why this \
                         controller does nothing."
                    )
                });
                let would = if self.resynced {
                    format!("although a sync would already have made it {ends}")
                } else {
                    format!("and the next syncs would make it {ends}")
                };
                format!(
                    "Recorded as {}, {would}: {sure} {} is not running ({}).{but}",
                    self.recorded,
                    // If kube-controller-manager runs, only its PersistentVolume controller does not run.
                    if self.alive.is_some() { persistent_volume::CONTROLLER.name } else { "the controller" },
                    self.reasons.join("; ")
                )
            }
        }
    }

    /// Returns a sentence that says how the user can find out more, or what the second reading showed.
    pub(super) fn hint(&self) -> Option<&'static str> {
        match (self.recheck, self.controller_not_running) {
            (Recheck::Possible, None) if !self.resynced => {
                Some("The controller acts on it after an event and not at a resync, so nobody knows when.")
            }
            (Recheck::Possible, None) => Some(
                "To see whether the controller acts on it, add --recheck: it reads again after two resync periods.",
            ),
            (Recheck::Moved, _) => Some(
                "The object, or something that decides its state, changed after the first reading; this is the second \
                 reading.",
            ),
            (Recheck::Possible | Recheck::Impossible | Recheck::Same, _) => None,
        }
    }
}

/// Returns whether the binder has something to do now, for the object itself, or for the volume or claim to which the
/// object will be bound.
///
/// Only the binder syncs every object in each resync period. The protection controllers have no resync: they act only
/// after an event. Upstream: `resync` (`pkg/controller/volume/persistentvolume/pv_controller_base.go`) and the informer
/// handlers of `pvcprotection` and `pvprotection`, 1.36.
fn resynced(view: View<'_>, outcomes: &OutcomeSet) -> bool {
    if view.binder().any(acts) {
        return true;
    }
    let snapshot = view.snapshot();
    outcomes.listed.iter().any(|end| {
        let partner = match end {
            Outcome::Volume { claim_ref: Some((namespace, name, _)), .. } => {
                snapshot.claim_id(namespace, name).map(ObjectId::from)
            }
            Outcome::Claim { volume_name, .. } => snapshot.volume_id(volume_name).map(ObjectId::from),
            Outcome::Volume { claim_ref: None, .. } | Outcome::Pod { .. } | Outcome::Gone { .. } => None,
        };
        partner.is_some_and(|partner| {
            let prediction = view.simulation.predict(partner);
            View { prediction: &prediction, ..view }.binder().any(acts)
        })
    })
}

/// Returns whether a decision changes something and returns no error. A sync that returns an error would fail again
/// each time.
fn acts(decision: &Decision<'_>) -> bool {
    decision.record.error.is_none()
        && decision.record.effects.iter().any(|effect| match effect {
            Effect::Write(write) => write.refused.is_none(),
            Effect::Operation { state, .. } => *state == OperationState::Started,
            Effect::Event(_) | Effect::Enqueue(_) => false,
        })
}

/// Returns the holder of the Lease.
fn holder_of(lease: &Lease) -> String {
    if lease.holder.is_empty() { "nobody".to_owned() } else { shown(&lease.holder) }
}

/// The time since which a sync would have changed the object, and the fields that show this time.
struct LongDifference {
    since: Timestamp,
    evidence: Vec<EvidenceOut>,
}

impl LongDifference {
    /// Returns the newest of the times. The result is `None` if one of them is unknown.
    fn new<const N: usize>(times: [Option<(String, &'static str, Timestamp)>; N]) -> Option<Self> {
        let times: Vec<(String, &'static str, Timestamp)> = times.into_iter().collect::<Option<_>>()?;
        let since = times.iter().map(|(_, _, time)| *time).max()?;
        let entry = |(object, field, time): (String, &'static str, Timestamp)| EvidenceOut {
            object,
            field,
            value: time.to_string(),
        };
        Some(Self { since, evidence: times.into_iter().map(entry).collect() })
    }
}

/// Returns the time of the last change of the volume: the last change of its phase, or of any of its fields if that
/// time is known and later.
fn volume_changed(view: View<'_>, volume: &PersistentVolume) -> Option<(String, &'static str, Timestamp)> {
    let written = view.snapshot().last_change(Kind::PersistentVolume, "", &volume.meta.name);
    let phase = volume.status.last_phase_transition.map(|time| (time, "status.lastPhaseTransitionTime"));
    let (time, field) = phase.into_iter().chain(written.map(|time| (time, "metadata.managedFields[].time"))).max()?;
    Some((format!("pv/{}", volume.meta.name), field, time))
}

/// Returns the time since which the next sync would have changed the volume. Most causes, such as the deletion of a
/// claim, do not leave a time in any object. Then the result is `None`.
fn volume_stood(view: View<'_>, volume: &PersistentVolume) -> Option<LongDifference> {
    let Branch::VolumeBranch(branch) = view.binder().next()?.branch else { return None };
    match branch {
        VolumeBranch::VolumeUnclaimed | VolumeBranch::VolumeReserved
            if matches!(volume.status.phase, VolumePhase::Pending | VolumePhase::Empty) =>
        {
            LongDifference::new([volume_changed(view, volume)])
        }
        VolumeBranch::VolumeClaimReplaced => {
            let named = volume.claim_ref.as_ref()?;
            let newer = view.snapshot().claim(view.snapshot().claim_id(&named.namespace, &named.name)?);
            let created = newer.meta.created.map(|time| (elsewhere(newer), "metadata.creationTimestamp", time));
            LongDifference::new([volume_changed(view, volume), created])
        }
        _ => None,
    }
}

/// Returns the time since which the claim could have been bound: since then, both the claim and the volume that it
/// would get exist. Only the `managedFields` of a claim show when the claim changed.
fn claim_stood(view: View<'_>, id: ClaimId, end: Option<&Outcome>) -> Option<LongDifference> {
    let Some(Outcome::Claim { volume_name, .. }) = end else { return None };
    let snapshot = view.snapshot();
    let (claim, volume) = (snapshot.claim(id), snapshot.volume(snapshot.volume_id(volume_name)?));
    if volume.status.phase != VolumePhase::Available {
        return None;
    }
    let written = snapshot
        .last_change(Kind::PersistentVolumeClaim, &claim.meta.namespace, &claim.meta.name)
        .map(|time| (format!("pvc/{}", claim.meta.name), "metadata.managedFields[].time", time));
    LongDifference::new([written, volume_changed(view, volume)])
}
