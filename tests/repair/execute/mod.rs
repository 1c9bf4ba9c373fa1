//! Plans that are carried out on a small API server in this process. The test acts for the controllers.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test looks at files and fails by panicking"
)]

mod asking;
mod carrying_out;
mod failures;
mod journals;
mod waits;

use crate::support::api::{ApiServer, Controllers, Seen, Store, Who};
use crate::support::faults::{At, Fault};
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::execute::{
    Journal, Observer, Options, PlanCompletion, PlanEvent, Stopped, execute, manifests, resolve_doubt, resume,
};
use pvctl::model::{Kind, ObjectKey, Timestamp};
use pvctl::repair::{self, Confirmed, Plan, Proposed, Receipts, Reviewed, Situation};
use pvctl::simulate::Settings;
use pvctl::snapshot::decode::decode;
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const PV: &str = "/api/v1/persistentvolumes/pv-1";

const OLD: &str = "/api/v1/namespaces/db/persistentvolumeclaims/data";

const OLD_LIST: &str = "/api/v1/namespaces/db/persistentvolumeclaims";

const NEW: &str = "/api/v1/namespaces/shop/persistentvolumeclaims/moved";

const NEW_LIST: &str = "/api/v1/namespaces/shop/persistentvolumeclaims";

const NOW: Timestamp = Timestamp(1_795_356_094);

/// What another client does when a request arrives.
type Act = fn(&mut Store, &[Seen]);

/// Acts in place of the controllers: removes finalizers, and releases, offers and binds volumes.
fn controllers(store: &mut Store) {
    if store.stands_still {
        return;
    }
    let claims: Vec<(ObjectKey, Value)> =
        store.all(Kind::PersistentVolumeClaim, "").map(|(key, claim)| (key.clone(), claim.clone())).collect();
    for (key, claim) in claims {
        if claim["metadata"]["deletionTimestamp"].is_string() {
            store.put(&key, None, "kube-controller-manager");
        }
    }
    let named = store.at(PV)["spec"]["claimRef"].clone();
    if named.is_null() {
        return;
    }
    let path = format!(
        "/api/v1/namespaces/{}/persistentvolumeclaims/{}",
        named["namespace"].as_str().unwrap(),
        named["name"].as_str().unwrap()
    );
    let uid = &named["uid"];
    let phase = if store.has(&path) && (uid.is_null() || store.at(&path)["metadata"]["uid"] == *uid) {
        let claim = store.at(&path).clone();
        if claim["status"]["phase"] != "Bound" {
            store.edit(&path, |claim| {
                claim["status"]["phase"] = json!("Bound");
                claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = json!("yes");
            });
            store.edit(PV, |volume| volume["spec"]["claimRef"]["uid"] = claim["metadata"]["uid"].clone());
        }
        "Bound"
    } else if uid.is_null() {
        "Available"
    } else {
        "Released"
    };
    if store.at(PV)["status"]["phase"] != phase {
        store.edit(PV, |volume| volume["status"]["phase"] = json!(phase));
    }
}

/// The API server, with helper functions for these tests.
#[derive(Clone)]
struct Server(ApiServer);

impl Server {
    /// Creates a server with a volume with data, bound to claim db/data.
    fn new() -> Self {
        let mut store = Store::default();
        store.put_at(
            PV,
            json!({
                "apiVersion": "v1", "kind": "PersistentVolume",
                "metadata": { "name": "pv-1", "uid": "volume-uid", "finalizers": ["kubernetes.io/pv-protection"],
                    "annotations": { "pv.kubernetes.io/bound-by-controller": "yes" } },
                "spec": { "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
                    "persistentVolumeReclaimPolicy": "Delete", "storageClassName": "standard",
                    "csi": { "driver": "csi.example.com", "volumeHandle": "disk-1" },
                    "claimRef": { "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "db", "name": "data",
                        "uid": "claim-uid" } },
                "status": { "phase": "Bound" },
            }),
        );
        store.put_at(
            OLD,
            json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": { "name": "data", "namespace": "db", "uid": "claim-uid",
                    "finalizers": ["kubernetes.io/pvc-protection"],
                    "annotations": { "pv.kubernetes.io/bind-completed": "yes" } },
                "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
                    "storageClassName": "standard", "volumeMode": "Filesystem", "volumeName": "pv-1" },
                "status": { "phase": "Bound" },
            }),
        );
        store.put_at(
            "/apis/storage.k8s.io/v1/storageclasses/standard",
            json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                "metadata": { "name": "standard", "uid": "class-uid" }, "provisioner": "csi.example.com" }),
        );
        for name in ["db", "shop"] {
            store.put_at(
                &format!("/api/v1/namespaces/{name}"),
                json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "uid": name } }),
            );
        }
        Self(ApiServer::new(store, Controllers::Stopped, 1).playing(|store, _| controllers(store)))
    }

    fn fault(self, at: &str, fault: Fault) -> Self {
        self.0.fault(At::Line(at), fault);
        self
    }

    /// Lets another client act at the first request whose line begins with `at`.
    fn acts(self, at: &str, act: Act) -> Self {
        self.0.incident(At::Line(at), Who::Action(act), Fault::None);
        self
    }

    fn store<T>(&self, look: impl FnOnce(&mut Store) -> T) -> T {
        self.0.with(|store, _| look(store))
    }

    fn client(&self) -> kube::Client {
        self.0.client()
    }

    /// Returns `METHOD path` of each request, with `dry` before it if it is a dry run.
    fn log(&self) -> Vec<String> {
        self.0.seen().iter().map(|seen| seen.line().to_string()).collect()
    }

    fn bodies(&self) -> Vec<Value> {
        self.0.seen().into_iter().map(|seen| seen.body).collect()
    }

    /// Returns the writes, without dry runs.
    fn writes(&self) -> Vec<String> {
        self.0.writes().iter().map(|seen| seen.line().to_string()).collect()
    }

    fn forget(&self) {
        self.0.forget();
    }

    /// Returns the snapshot of the store for a review.
    fn snapshot(&self) -> Snapshot {
        let mut coverage = Coverage::complete();
        for kind in Kind::SURROUNDING {
            coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
        }
        let mut parts = Parts { coverage, now: Some(NOW), ..Parts::default() };
        self.store(|store| {
            for (_, object) in store.objects() {
                match decode(object.to_string().as_bytes(), "a test").unwrap() {
                    Item::Object(object) => parts.objects.push(object),
                    Item::Skipped(kind) => panic!("the program must know the kind {kind}"),
                }
            }
        });
        Snapshot::new(parts)
    }

    /// Reviews a plan. A review takes seconds, and many runs need the same one. So results are reused.
    async fn review(&self, plan: Plan, asked: &Receipts) -> Result<Confirmed, Box<repair::Rejected>> {
        static KNOWN: Mutex<BTreeMap<String, Reviewed>> = Mutex::new(BTreeMap::new());
        let mut objects = self.store(|store| store.objects().map(|(_, object)| object.clone()).collect::<Vec<_>>());
        for object in &mut objects {
            object["metadata"]["resourceVersion"] = json!("1");
        }
        let place = format!("{plan:?} {asked:?} {objects:?}");
        let known = KNOWN.lock().unwrap().get(&place).cloned();
        if let Some(known) = known {
            return Ok(known.confirm(None).expect("the plan must not ask for a name"));
        }
        let snapshot = self.snapshot();
        let manifests = manifests(&self.client(), &plan.saves).await.unwrap();
        let settings = Settings::new(pvctl::controllers::KubernetesBehavior::default());
        let situation =
            Situation { snapshot: &snapshot, settings, manifests: &manifests, providers: Providers::built_in() };
        let reviewed = repair::review(&situation, plan, asked)?;
        KNOWN.lock().unwrap().insert(place, reviewed.clone());
        Ok(reviewed.confirm(None).expect("the plan must not ask for a name"))
    }

    /// Returns the plan to move db/data to shop/moved.
    async fn plan(&self) -> Plan {
        let request = repair::Request::Move {
            namespace: "db".into(),
            name: "data".into(),
            to_namespace: "shop".into(),
            to_name: "moved".into(),
            restore_policy: false,
        };
        self.plan_of(&request).await
    }

    async fn plan_of(&self, request: &repair::Request) -> Plan {
        let snapshot = self.snapshot();
        let manifests =
            manifests(&self.client(), &repair::reads(&snapshot, request, Providers::built_in())).await.unwrap();
        let settings = Settings::new(pvctl::controllers::KubernetesBehavior::default());
        let situation =
            Situation { snapshot: &snapshot, settings, manifests: &manifests, providers: Providers::built_in() };
        match repair::propose(&situation, request) {
            Proposed::Plan(plan) => *plan,
            other => panic!("{other:?}"),
        }
    }

    /// Creates a claim of this name that waits for a volume. Returns the plan to replace it by a claim that requests
    /// more storage.
    async fn plan_to_replace(&self, name: &str) -> Plan {
        self.store(|store| {
            store.put_at(
                &format!("{OLD_LIST}/{name}"),
                json!({
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                    "metadata": { "name": name, "namespace": "db", "uid": "waiting",
                        "finalizers": ["kubernetes.io/pvc-protection"] },
                    "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
                        "storageClassName": "standard", "volumeMode": "Filesystem" },
                    "status": { "phase": "Pending" },
                }),
            );
        });
        let request = repair::Request::Recreate {
            namespace: "db".into(),
            name: name.into(),
            set: vec![repair::Setting::Size("2Gi".into())],
            provisioner_stopped: true,
        };
        let plan = self.plan_of(&request).await;
        self.forget();
        plan
    }

    /// Returns the confirmed plan, and empties the log.
    async fn confirmed(&self) -> Confirmed {
        let incidents = self.0.take_incidents();
        let plan = self.plan().await;
        let granted = Receipts::granted(&plan);
        let confirmed = self.review(plan, &granted).await.expect("the plan is safe");
        self.forget();
        self.0.add_incidents(incidents);
        confirmed
    }

    fn is_moved(&self) {
        self.store(|store| {
            assert!(!store.has(OLD), "the old claim must be gone");
            let (volume, claim) = (store.at(PV), store.at(NEW));
            assert_eq!(volume["status"]["phase"], "Bound");
            assert_eq!(volume["spec"]["persistentVolumeReclaimPolicy"], "Retain");
            assert_eq!(volume["spec"]["claimRef"]["uid"], claim["metadata"]["uid"]);
            assert_eq!(volume["metadata"]["uid"], "volume-uid");
            assert_eq!(claim["spec"]["volumeName"], "pv-1");
            assert_eq!(claim["status"]["phase"], "Bound");
        });
    }
}

/// Records all events. If the run asks it whether to interrupt, it first answers `after` times with no, and then always
/// with yes.
struct RecordingObserver {
    heard: Mutex<Vec<String>>,
    asked: AtomicUsize,
    after: usize,
}

impl RecordingObserver {
    fn new() -> Self {
        Self::patient_for(usize::MAX)
    }

    fn patient_for(after: usize) -> Self {
        Self { heard: Mutex::default(), asked: AtomicUsize::new(0), after }
    }
}

impl Observer for RecordingObserver {
    fn event(&self, event: PlanEvent<'_>) {
        let line = match event {
            PlanEvent::StepStarts { step } => format!("{} starts", step.id),
            PlanEvent::Again { step, why } => format!("{} again: {why}", step.id),
            PlanEvent::Waiting { step, what, seconds, so_far } => {
                format!("{} waits until {what}, {seconds} s: {so_far}", step.id)
            }
            PlanEvent::StepDone { step, was_so } => format!("{} done{}", step.id, if was_so { ", was so" } else { "" }),
            PlanEvent::Untried { step, why } => format!("{} untried: {why}", step.id),
        };
        self.heard.lock().unwrap().push(line);
    }

    fn interrupted(&self) -> bool {
        self.asked.fetch_add(1, Ordering::SeqCst) >= self.after
    }
}

fn options() -> Options {
    Options { wait_limit: Duration::from_mins(1), poll: Duration::from_secs(1), server_dry_run: false }
}

async fn run(server: &Server, dir: &Path, ear: &RecordingObserver) -> (Result<PlanCompletion, Stopped>, String) {
    let confirmed = server.confirmed().await;
    let mut journal = Journal::create(dir, confirmed.plan(), "https://api.example.com", NOW).unwrap();
    let result = execute(&server.client(), confirmed, &mut journal, &options(), ear).await;
    (result, journal.id().to_owned())
}

/// Carries out the remaining steps of a journal.
async fn go_on(server: &Server, dir: &Path, id: &str) -> Result<PlanCompletion, Stopped> {
    let mut journal = Journal::open(dir, id).unwrap();
    resolve_doubt(&server.client(), &mut journal).await?;
    let plan = journal.entry().remaining();
    let granted = Receipts::granted(&plan);
    let confirmed = server.review(plan, &granted).await.expect("the remaining steps must be accepted");
    resume(&server.client(), confirmed, &mut journal, &options(), &RecordingObserver::new()).await
}

const WRITES: [&str; 4] = [
    "PATCH /api/v1/persistentvolumes/pv-1",
    "DELETE /api/v1/namespaces/db/persistentvolumeclaims/data",
    "PATCH /api/v1/persistentvolumes/pv-1",
    "POST /api/v1/namespaces/shop/persistentvolumeclaims",
];
