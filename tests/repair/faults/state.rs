//! Compares the state of a cluster with the states of a plan.

use super::Cut;
use crate::support::api::{Actor, Random, STRANGER, Store, claim_key, text};
use pvctl::model::{Kind, ObjectKey};
use pvctl::repair::PLAN_ANNOTATION;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// The state of a cluster, as a plan sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// The cluster is as an undisturbed plan leaves it.
    Goal,
    /// The cluster is as it was before the plan.
    Before,
    /// The cluster is as after some of the steps, or as after some of the steps of the way back.
    Between,
    /// The cluster is in a state that the actor causes if it acts in one of the states above, without any fault.
    Struck,
    /// Each object is as in one of the states of `Struck`, but not all objects are as in the same state.
    Mixed,
    /// The cluster is in none of these states.
    #[default]
    Elsewhere,
}

impl Place {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Before => "before",
            Self::Between => "between",
            Self::Struck => "struck",
            Self::Mixed => "mixed",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// The states in which a cluster may end.
#[derive(Debug, Default)]
pub(super) struct States {
    before: String,
    /// The state before the plan, but with policy Retain for each volume that no claim has, or only a claim that is
    /// being deleted. `undo` reports that these volumes keep Retain.
    kept: String,
    goal: String,
    /// The states of a run that was cut short after some steps of the plan, or after some steps of the way back from
    /// there.
    between: BTreeSet<String>,
    /// The clusters of these states: at the moment at which the run was cut short, and after the controllers have
    /// finished.
    cuts: Vec<Store>,
    /// The states that each actor causes. They are computed when they are needed.
    struck: Mutex<BTreeMap<Actor, Struck>>,
}

/// The states that an actor causes without any fault, as far as they were computed.
#[derive(Debug, Default)]
struct Struck {
    states: BTreeSet<String>,
    /// The requests for which the runs were made.
    requests: BTreeSet<usize>,
}

impl States {
    pub(super) fn new(before: &Store, goal: &Store) -> Self {
        let mut states = Self { before: state(before), kept: kept(before), goal: state(goal), ..Self::default() };
        states.cuts.extend([before.clone(), goal.clone()]);
        states
    }

    /// Returns the state in which the undo of this run ends, if that is neither the state before the run nor the state
    /// `kept`.
    pub(super) fn missed_by<'s>(&self, back: &'s Self) -> Option<&'s str> {
        (back.goal != self.before && back.goal != self.kept).then_some(back.goal.as_str())
    }

    /// Adds a run that was cut short: its cluster at that moment, and after the controllers have finished.
    pub(super) fn add(&mut self, cut: Cut) {
        self.between.insert(state(&cut.settled));
        self.cuts.extend([cut.then, cut.settled]);
    }

    /// Compares the state of a cluster with all states. `without_faults` returns the states that the actor causes if it
    /// acts at a request. It is called for each of `requests` in turn, until it returns the state of the cluster.
    pub(super) fn place(
        &self,
        store: &Store,
        base: &Store,
        actor: Actor,
        requests: impl IntoIterator<Item = usize>,
        without_faults: impl Fn(usize) -> BTreeSet<String>,
    ) -> Place {
        let now = state(store);
        if now == self.goal {
            Place::Goal
        } else if now == self.before || now == self.kept {
            Place::Before
        } else if self.between.contains(&now) {
            Place::Between
        } else if actor.is_harmless() {
            Place::Elsewhere
        } else {
            let mut all = self.struck.lock().unwrap_or_else(PoisonError::into_inner);
            let struck = all.entry(actor).or_insert_with(|| self.struck_at_cuts(base, actor));
            for request in requests {
                if struck.states.contains(&now) {
                    break;
                }
                if struck.requests.insert(request) {
                    struck.states.extend(without_faults(request));
                }
            }
            let known = |line: &str| struck.states.iter().any(|state| state.lines().any(|known| known == line));
            if struck.states.contains(&now) {
                Place::Struck
            } else if now.lines().all(known) {
                Place::Mixed
            } else {
                Place::Elsewhere
            }
        }
    }

    /// Returns the states that an actor causes if it acts when a run is cut short.
    fn struck_at_cuts(&self, base: &Store, actor: Actor) -> Struck {
        let mut struck = Struck::default();
        for cut in &self.cuts {
            for seed in 0..3 {
                let (mut store, mut random) = (cut.clone(), Random::new(seed));
                actor.act(&mut store, base, &mut random);
                store.settle(&mut random);
                struck.states.insert(state(&store));
                actor.leave(&mut store);
                store.settle(&mut random);
                struck.states.insert(state(&store));
            }
        }
        struck
    }
}

/// Returns the state of a cluster, but with policy Retain for each volume that no living claim has.
fn kept(store: &Store) -> String {
    let mut store = store.clone();
    let stays = |volume: &Value| {
        let (namespace, name) = (text(volume, "/spec/claimRef/namespace"), text(volume, "/spec/claimRef/name"));
        let claim = store.read(&claim_key(&namespace, &name));
        volume["status"]["phase"] == "Bound"
            && !claim.is_some_and(|claim| claim["metadata"]["deletionTimestamp"].is_string())
    };
    let unbound: Vec<(ObjectKey, Value)> = store
        .all(Kind::PersistentVolume, "")
        .filter(|(_, volume)| !stays(volume))
        .map(|(key, volume)| (key.clone(), volume.clone()))
        .collect();
    for (key, mut volume) in unbound {
        volume["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
        store.put(&key, Some(volume), "nobody");
    }
    state(&store)
}

/// Returns the labels and annotations that the owner of a claim has written. Those of Kubernetes, of pvctl and of
/// actors are left out.
fn of_owner(claim: &Value) -> Vec<String> {
    let theirs = |key: &str| key.contains("kubernetes.io/") || key == PLAN_ANNOTATION || key == "touched";
    let metadata = &claim["metadata"];
    let all = ["labels", "annotations"].into_iter().filter_map(|field| metadata[field].as_object()).flatten();
    all.filter(|(key, _)| !theirs(key)).map(|(key, value)| format!("{key}={value}")).collect()
}

/// Returns the state of the volumes, claims, attachments and Services. Values that differ from run to run are left out:
/// uids, resource versions and the claims of strangers.
pub(super) fn state(store: &Store) -> String {
    let mut lines = Vec::new();
    for (key, volume) in store.all(Kind::PersistentVolume, "") {
        let (namespace, name) = (text(volume, "/spec/claimRef/namespace"), text(volume, "/spec/claimRef/name"));
        let uid = text(volume, "/spec/claimRef/uid");
        let holder = store.read(&claim_key(&namespace, &name));
        let whose = if uid.is_empty() {
            "reserved"
        } else if holder.is_some_and(|claim| text(claim, "/metadata/uid") == uid) {
            "held"
        } else {
            "left"
        };
        lines.push(format!(
            "pv {}: {} {} {whose} {namespace}/{name}{}",
            key.name,
            text(volume, "/status/phase"),
            text(volume, "/spec/persistentVolumeReclaimPolicy"),
            if volume["metadata"]["deletionTimestamp"].is_string() { " terminating" } else { "" },
        ));
    }
    for (key, claim) in store.all(Kind::PersistentVolumeClaim, "").filter(|(key, _)| key.namespace != STRANGER) {
        lines.push(format!(
            "pvc {}/{}: {} {} {} {:?} volume {:?} class {:?} size {:?} node {:?}{}",
            key.namespace,
            key.name,
            text(claim, "/status/phase"),
            claim["spec"]["accessModes"],
            text(claim, "/spec/volumeMode"),
            of_owner(claim),
            text(claim, "/spec/volumeName"),
            claim["spec"]["storageClassName"].as_str(),
            text(claim, "/spec/resources/requests/storage"),
            claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"].as_str(),
            if claim["metadata"]["deletionTimestamp"].is_string() { " terminating" } else { "" },
        ));
    }
    for (key, attachment) in store.all(Kind::VolumeAttachment, "") {
        let going = if attachment["metadata"]["deletionTimestamp"].is_string() { " terminating" } else { "" };
        lines.push(format!("va {}: {}{going}", key.name, text(attachment, "/spec/nodeName")));
    }
    for (key, service) in store.all(Kind::Service, "") {
        lines.push(format!(
            "svc {}/{}: {} {}",
            key.namespace,
            key.name,
            text(service, "/spec/clusterIP"),
            service["spec"]["selector"],
        ));
    }
    lines.join("\n")
}
