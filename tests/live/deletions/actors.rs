//! The actors that the control plane does not have. Two drivers delete storage. One of them is unavailable for a while.
//! Kubelets end the pods on live nodes. A watch on the volumes records when data are deleted.

use super::cases::{OUT_OF_SERVICE, REMOVED, UNREACHABLE};
use crate::live::api::{Api, path};
use crate::live::site::{PV, text, watch};
use http::Method;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The kind of storage, and who deletes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// The storage of the driver that always runs.
    Driver,
    /// The storage of the driver whose provisioner is unavailable for a while.
    Away,
    /// Like `Away`, but an old provisioner created the volume without a finalizer.
    Unguarded,
    /// The storage of the driver that always runs, with a volume that a person created.
    HandMade,
    /// A hostPath folder, which kube-controller-manager deletes.
    HostPath,
}

/// The drivers. The first one always runs. The second one is unavailable for a while.
pub(super) const DRIVERS: [&str; 2] = ["driver.example.com", "away.example.com"];
/// The finalizer that a provisioner sets on its volumes.
pub(super) const GUARD: &str = "external-provisioner.volume.kubernetes.io/finalizer";
/// The annotation that the drivers of this test set on a volume when they delete its data.
const ERASED: &str = "/metadata/annotations/example.com~1erased";

impl Storage {
    pub(super) fn driver(self) -> Option<&'static str> {
        match self {
            Self::Driver | Self::HandMade => Some(DRIVERS[0]),
            Self::Away | Self::Unguarded => Some(DRIVERS[1]),
            Self::HostPath => None,
        }
    }
}

/// What the watch has seen about a volume.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// The resource version at which the driver had deleted the data.
    pub(super) erased: Option<u64>,
    /// The resource version of the deletion of the volume.
    pub(super) deleted: Option<u64>,
    /// The resource version at which the policy was Retain for the first time.
    pub(super) kept: Option<u64>,
}

/// The actors, and what the watch has seen.
#[derive(Clone)]
pub(super) struct Actors {
    api: Api,
    /// Whether the provisioner of the second driver is available again.
    pub(super) returned: Arc<AtomicBool>,
    /// Whether the node [`UNREACHABLE`] answers again.
    pub(super) answers: Arc<AtomicBool>,
    /// The volumes whose data the drivers do not delete yet, because the test has not asked about them.
    held: Arc<Mutex<BTreeSet<String>>>,
    seen: Arc<Mutex<BTreeMap<String, Seen>>>,
    newest: Arc<Mutex<u64>>,
}

/// Returns the resource version of an object or a list.
pub(super) fn version(object: &Value) -> u64 {
    text(object, "/metadata/resourceVersion").parse().unwrap()
}

/// Returns how long an actor takes for an object. This is up to seven seconds, and depends on the name of the object.
fn pace(name: &str) -> Duration {
    let number = name.bytes().fold(7_u64, |sum, byte| (sum * 31 + u64::from(byte)) % 6_500);
    Duration::from_millis(500 + number)
}

/// Returns whether the driver of a volume deletes it. Upstream: `shouldDelete`, sig-storage-lib-external-provisioner,
/// with finalizers.
fn should_delete(volume: &Value) -> bool {
    let terminating = volume["metadata"]["deletionTimestamp"].is_string();
    let finalizers = volume["metadata"]["finalizers"].as_array();
    let guarded = finalizers.is_some_and(|all| all.iter().any(|one| one == GUARD));
    text(volume, "/status/phase") == "Released"
        && text(volume, "/spec/persistentVolumeReclaimPolicy") == "Delete"
        && (guarded || !terminating)
        && DRIVERS.contains(&text(volume, "/spec/csi/driver"))
}

impl Actors {
    /// Starts all actors in this runtime.
    pub(super) fn begin(api: &Api) -> Self {
        let actors = Self {
            api: api.clone(),
            returned: Arc::default(),
            answers: Arc::default(),
            held: Arc::default(),
            seen: Arc::default(),
            newest: Arc::default(),
        };
        let (watching, kubelet) = (actors.clone(), actors.clone());
        let mut asked = BTreeSet::new();
        tokio::spawn(watch(api.clone(), move |event, volume| {
            watching.note(event, &volume);
            // A driver begins to process a volume only once. It reads the volume again before it acts.
            if should_delete(&volume) && asked.insert(text(&volume, "/metadata/uid").to_owned()) {
                tokio::spawn(watching.clone().erase(text(&volume, "/metadata/name").to_owned()));
            }
        }));
        tokio::spawn(kubelet.end_pods());
        actors
    }

    fn note(&self, event: &str, volume: &Value) {
        let at = version(volume);
        let mut all = self.seen.lock().unwrap();
        let seen = all.entry(text(volume, "/metadata/name").to_owned()).or_default();
        if volume.pointer(ERASED).is_some() {
            seen.erased.get_or_insert(at);
        }
        if event == "DELETED" {
            seen.deleted.get_or_insert(at);
        }
        if text(volume, "/spec/persistentVolumeReclaimPolicy") == "Retain" {
            seen.kept.get_or_insert(at);
        }
        drop(all);
        *self.newest.lock().unwrap() = at;
    }

    /// Returns what the watch has seen about a volume so far.
    pub(super) fn seen(&self, volume: &str) -> Seen {
        self.seen.lock().unwrap().get(volume).cloned().unwrap_or_default()
    }

    /// Lets the drivers wait with these volumes, and with no others.
    pub(super) fn hold(&self, volumes: BTreeSet<String>) {
        *self.held.lock().unwrap() = volumes;
    }

    /// Returns whether the driver of a volume cannot delete its data at the moment.
    fn waits(&self, volume: &Value) -> bool {
        let is_away = text(volume, "/spec/csi/driver") == DRIVERS[1] && !self.returned.load(Ordering::SeqCst);
        is_away || self.held.lock().unwrap().contains(text(volume, "/metadata/name"))
    }

    /// Returns the resource version up to which the watch has seen everything.
    pub(super) fn newest(&self) -> u64 {
        *self.newest.lock().unwrap()
    }

    /// Deletes a volume as a driver does: first its data, then the object, and last its finalizer.
    async fn erase(self, name: String) {
        let place = path(PV, "", &name);
        tokio::time::sleep(pace(&name)).await;
        loop {
            let Ok(mut volume) = self.api.get(&place).await else { return };
            if !should_delete(&volume) {
                return;
            }
            if self.waits(&volume) {
                tokio::time::sleep(Duration::from_millis(200)).await;
                continue;
            }
            volume["metadata"]["annotations"]["example.com/erased"] = json!("yes");
            if self.api.replace(&volume).await.is_ok() {
                break;
            }
        }
        _ = self.api.send(Method::DELETE, &place, None).await;
        while let Ok(mut volume) = self.api.get(&place).await {
            if let Some(finalizers) = volume["metadata"]["finalizers"].as_array_mut() {
                finalizers.retain(|one| one != GUARD);
            }
            if self.api.replace(&volume).await.is_ok() {
                return;
            }
        }
    }

    /// Ends the pods that are being deleted, as kubelet does on live nodes.
    async fn end_pods(self) {
        let mut since: BTreeMap<String, Instant> = BTreeMap::new();
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            for pod in self.api.list("Pod").await {
                let node = text(&pod, "/spec/nodeName");
                let answers = node != UNREACHABLE || self.answers.load(Ordering::SeqCst);
                if pod["metadata"]["deletionTimestamp"].is_null()
                    || [OUT_OF_SERVICE, REMOVED, ""].contains(&node)
                    || !answers
                {
                    continue;
                }
                let name = text(&pod, "/metadata/name");
                let first = since.entry(text(&pod, "/metadata/uid").to_owned()).or_insert_with(Instant::now);
                if first.elapsed() >= pace(name) {
                    let place = path("Pod", text(&pod, "/metadata/namespace"), name);
                    _ = self.api.send(Method::DELETE, &format!("{place}?gracePeriodSeconds=0"), None).await;
                }
            }
        }
    }
}
