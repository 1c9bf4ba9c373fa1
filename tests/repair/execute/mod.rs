//! Plans carried out on a very small API server, with the controllers played by hand.
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

use http::{Request, Response};
use http_body_util::BodyExt;
use kube::client::Body;
use pvctl::execute::{Event, Journal, Observer, Options, Outcome, Stopped, execute, manifests, resume, settle};
use pvctl::model::{Kind, Timestamp};
use pvctl::repair::{self, Confirmed, Plan, Proposed, Receipts, Reviewed, Situation};
use pvctl::simulate::Settings;
use pvctl::snapshot::decode::decode;
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const PV: &str = "/api/v1/persistentvolumes/pv-1";

const OLD: &str = "/api/v1/namespaces/db/persistentvolumeclaims/data";

const OLD_LIST: &str = "/api/v1/namespaces/db/persistentvolumeclaims";

const NEW: &str = "/api/v1/namespaces/shop/persistentvolumeclaims/moved";

const NEW_LIST: &str = "/api/v1/namespaces/shop/persistentvolumeclaims";

const NOW: Timestamp = Timestamp(1_795_356_094);

/// What happens at a request, instead of an answer or before it.
#[derive(Clone, Copy)]
enum Fault {
    /// The server answers this and does nothing.
    Status(u16, &'static str),
    /// The same, with `Retry-After`.
    Later(u16, u64),
    /// The connection breaks before the server acts.
    Before,
    /// Somebody on the way answers with more than any object has.
    Large,
    /// The connection breaks after the server acted.
    After,
    /// There is never an answer; the server acts, or does not.
    Silence(bool),
    /// Somebody else does something first.
    Actor(fn(&mut World)),
}

/// The server's store, its log, and what is to go wrong.
#[derive(Default)]
struct World {
    objects: BTreeMap<String, Value>,
    version: u64,
    /// `METHOD path`, with `dry` before it where nothing was to be written.
    log: Vec<String>,
    bodies: Vec<Value>,
    /// The beginning of a line of the log, with what happens at the first request of it.
    faults: Vec<(String, Fault)>,
    /// What happens at the request of that number.
    at: Option<(usize, Fault)>,
    idle: bool,
    denied: Vec<&'static str>,
}

impl World {
    fn put(&mut self, path: &str, mut object: Value) {
        self.version += 1;
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        self.objects.insert(path.to_owned(), object);
    }

    fn edit(&mut self, path: &str, edit: impl FnOnce(&mut Value)) {
        let mut object = self.objects.get(path).expect("an object").clone();
        edit(&mut object);
        self.put(path, object);
    }

    /// The claims and volumes that were written to, without what was only tried.
    fn writes(&self) -> Vec<&str> {
        let writes = self.log.iter().filter(|line| !line.starts_with("GET") && !line.starts_with("dry"));
        writes.map(String::as_str).filter(|line| !line.contains("selfsubject")).collect()
    }

    /// What the controllers make of it: finalizers go, volumes are released, offered and bound.
    fn play(&mut self) {
        if self.idle {
            return;
        }
        let terminating = |object: &Value| object["metadata"]["deletionTimestamp"].is_string();
        self.objects.retain(|path, object| !path.contains("claims/") || !terminating(object));
        let claims: BTreeMap<String, Value> = self
            .objects
            .iter()
            .filter(|(path, _)| path.contains("claims/"))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        let named = &self.objects[PV]["spec"]["claimRef"];
        if named.is_null() {
            return;
        }
        let (uid, name) = (named["uid"].clone(), named["name"].as_str().unwrap().to_owned());
        let path = format!("/api/v1/namespaces/{}/persistentvolumeclaims/{name}", named["namespace"].as_str().unwrap());
        let phase = match claims.get(&path) {
            Some(claim) if uid.is_null() || claim["metadata"]["uid"] == uid => {
                let of_claim = claim["metadata"]["uid"].clone();
                if claim["status"]["phase"] != "Bound" {
                    self.edit(&path, |claim| {
                        claim["status"]["phase"] = json!("Bound");
                        claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = json!("yes");
                    });
                    self.edit(PV, |volume| volume["spec"]["claimRef"]["uid"] = of_claim);
                }
                "Bound"
            }
            _ if uid.is_null() => "Available",
            _ => "Released",
        };
        if self.objects[PV]["status"]["phase"] != phase {
            self.edit(PV, |volume| volume["status"]["phase"] = json!(phase));
        }
    }

    fn answer(&mut self, method: &str, path: &str, body: &Value, dry: bool) -> (u16, Value) {
        let refuse =
            |code: u16, message: &str| (code, json!({ "kind": "Status", "status": "Failure", "message": message }));
        if path.ends_with("/selfsubjectaccessreviews") {
            let verb = body["spec"]["resourceAttributes"]["verb"].as_str().unwrap();
            return (
                201,
                json!({ "kind": "SelfSubjectAccessReview", "status": { "allowed": !self.denied.contains(&verb) } }),
            );
        }
        let current = self.objects.get(path).cloned();
        match (method, current) {
            ("GET", Some(object)) => (200, object),
            ("GET", None)
                if ["/pods", "/volumeattachments", "/statefulsets", "/persistentvolumes"]
                    .iter()
                    .any(|end| path.ends_with(end)) =>
            {
                let within = |known: &&String| known.starts_with(&format!("{path}/"));
                let items: Vec<&Value> =
                    self.objects.iter().filter(|(known, _)| within(known)).map(|(_, v)| v).collect();
                (200, json!({ "kind": "List", "metadata": {}, "items": items }))
            }
            ("POST", _) => {
                let name = body["metadata"]["name"].as_str().unwrap();
                let path = format!("{path}/{name}");
                if self.objects.contains_key(&path) {
                    return refuse(409, "persistentvolumeclaims \"moved\" already exists");
                }
                let mut object = body.clone();
                self.version += 1;
                object["metadata"]["uid"] = json!(format!("created-{}", self.version));
                object["metadata"]["resourceVersion"] = json!(self.version.to_string());
                object["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
                object["status"] = json!({ "phase": "Pending" });
                if !dry {
                    self.objects.insert(path, object.clone());
                }
                (201, object)
            }
            (_, None) => refuse(404, "not found"),
            ("PATCH", Some(mut object)) => {
                if object["metadata"]["resourceVersion"] != body["metadata"]["resourceVersion"] {
                    return refuse(409, "the object has been modified");
                }
                if object["metadata"]["uid"] != body["metadata"]["uid"] {
                    return refuse(422, "metadata.uid: field is immutable");
                }
                merge(&mut object, body);
                if !dry {
                    self.put(path, object.clone());
                    object = self.objects[path].clone();
                }
                (200, object)
            }
            ("DELETE", Some(mut object)) => {
                let wanted = &body["preconditions"];
                let metadata = &object["metadata"];
                if metadata["uid"] != wanted["uid"] || metadata["resourceVersion"] != wanted["resourceVersion"] {
                    return refuse(409, "the precondition does not hold");
                }
                object["metadata"]["deletionTimestamp"] = json!("2026-11-22T14:01:34Z");
                if !dry {
                    self.put(path, object.clone());
                }
                (200, object)
            }
            _ => refuse(405, "method not allowed"),
        }
    }
}

/// RFC 7386.
fn merge(object: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *object = patch.clone();
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (key, value) in patch {
        if value.is_null() {
            object.as_object_mut().unwrap().remove(key);
        } else {
            merge(&mut object[key], value);
        }
    }
}

/// The server: a store that a client talks to without a socket.
#[derive(Clone)]
struct Server(Arc<Mutex<World>>);

impl Server {
    /// A volume with data, bound to claim db/data.
    fn new() -> Self {
        let mut world = World::default();
        world.put(
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
        world.put(
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
        world.put(
            "/apis/storage.k8s.io/v1/storageclasses/standard",
            json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                "metadata": { "name": "standard", "uid": "class-uid" }, "provisioner": "csi.example.com" }),
        );
        for name in ["db", "shop"] {
            world.put(
                &format!("/api/v1/namespaces/{name}"),
                json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name, "uid": name } }),
            );
        }
        Self(Arc::new(Mutex::new(world)))
    }

    fn fault(self, at: &str, fault: Fault) -> Self {
        self.world(|world| world.faults.push((at.to_owned(), fault)));
        self
    }

    fn world<T>(&self, look: impl FnOnce(&mut World) -> T) -> T {
        look(&mut self.0.lock().unwrap())
    }

    fn client(&self) -> kube::Client {
        let server = self.clone();
        kube::Client::new(tower::service_fn(move |request| server.clone().serve(request)), "default")
    }

    async fn serve(self, request: Request<Body>) -> Result<Response<Body>, std::io::Error> {
        let (parts, body) = request.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let dry =
            parts.uri.query().is_some_and(|query| query.contains("dryRun=All")) || body["dryRun"] == json!(["All"]);
        let (method, path) = (parts.method.as_str(), parts.uri.path());
        let fault = self.world(|world| {
            let line = format!("{}{method} {path}", if dry { "dry " } else { "" });
            world.log.push(line.clone());
            world.bodies.push(body.clone());
            let count = world.log.len();
            if let Some((_, fault)) = world.at.take_if(|(number, _)| *number == count) {
                return Some(fault);
            }
            let found = world.faults.iter().position(|(start, _)| line.starts_with(start.as_str()));
            found.map(|place| world.faults.remove(place).1)
        });
        let broken = || Err(std::io::Error::other("the connection broke"));
        let mut retry_after = None;
        let (code, answer) = match fault {
            Some(Fault::Status(code, message)) => (code, json!({ "kind": "Status", "message": message })),
            Some(Fault::Later(code, seconds)) => {
                retry_after = Some(seconds);
                (code, json!({ "kind": "Status", "message": "too much at once" }))
            }
            Some(Fault::Before) => return broken(),
            Some(Fault::Large) => return Ok(Response::new(Body::from(vec![b' '; (8 << 20) + 1]))),
            Some(Fault::Silence(false)) => std::future::pending().await,
            Some(Fault::After | Fault::Silence(true) | Fault::Actor(_)) | None => self.world(|world| {
                if let Some(Fault::Actor(act)) = fault {
                    act(world);
                }
                let answer = world.answer(method, path, &body, dry);
                if method != "GET" && !dry {
                    world.play();
                }
                answer
            }),
        };
        if matches!(fault, Some(Fault::Silence(true))) {
            std::future::pending::<()>().await;
        }
        if matches!(fault, Some(Fault::After)) {
            return broken();
        }
        let mut response = Response::builder().status(code);
        if let Some(seconds) = retry_after {
            response = response.header("Retry-After", seconds);
        }
        Ok(response.body(Body::from(answer.to_string().into_bytes())).unwrap())
    }

    /// What a review sees of the store as it is.
    fn snapshot(&self) -> Snapshot {
        let mut coverage = Coverage::complete();
        for kind in Kind::SURROUNDING {
            coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
        }
        let mut parts = Parts { coverage, now: Some(NOW), ..Parts::default() };
        self.world(|world| {
            for object in world.objects.values() {
                match decode(object.to_string().as_bytes(), "a test").unwrap() {
                    Item::Object(object) => parts.objects.push(object),
                    Item::Skipped(kind) => panic!("{kind} is passed over"),
                }
            }
        });
        Snapshot::new(parts)
    }

    /// A review takes seconds, and many runs come by the same place: what was reviewed once is not reviewed again.
    async fn review(&self, plan: Plan, asked: &Receipts) -> Result<Confirmed, Box<repair::Rejected>> {
        static KNOWN: Mutex<BTreeMap<String, Reviewed>> = Mutex::new(BTreeMap::new());
        let mut objects = self.world(|world| world.objects.clone());
        for object in objects.values_mut() {
            object["metadata"]["resourceVersion"] = json!("1");
        }
        let place = format!("{plan:?} {asked:?} {objects:?}");
        let known = KNOWN.lock().unwrap().get(&place).cloned();
        if let Some(known) = known {
            return Ok(known.confirm(None).expect("no name is asked for"));
        }
        let snapshot = self.snapshot();
        let manifests = manifests(&self.client(), &plan.saves).await.unwrap();
        let settings = Settings::new(pvctl::controllers::Rules::default());
        let situation = Situation { snapshot: &snapshot, settings, manifests: &manifests };
        let reviewed = repair::review(&situation, plan, asked)?;
        KNOWN.lock().unwrap().insert(place, reviewed.clone());
        Ok(reviewed.confirm(None).expect("no name is asked for"))
    }

    /// The plan to move db/data to shop/moved.
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
        let manifests = manifests(&self.client(), &repair::reads(&snapshot, request)).await.unwrap();
        let settings = Settings::new(pvctl::controllers::Rules::default());
        let situation = Situation { snapshot: &snapshot, settings, manifests: &manifests };
        match repair::propose(&situation, request) {
            Proposed::Plan(plan) => *plan,
            other => panic!("{other:?}"),
        }
    }

    /// A claim of that name that waits for a volume, and the plan to replace it by one that asks for more.
    async fn plan_to_replace(&self, name: &str) -> Plan {
        self.world(|world| {
            world.put(
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
        self.world(|world| {
            world.log.clear();
            world.bodies.clear();
        });
        plan
    }

    /// The confirmed plan; what was asked until here is no part of the log.
    async fn confirmed(&self) -> Confirmed {
        let (faults, at) = self.world(|world| (std::mem::take(&mut world.faults), world.at.take()));
        let plan = self.plan().await;
        let granted = Receipts::granted(&plan);
        let confirmed = self.review(plan, &granted).await.expect("the plan is safe");
        self.world(|world| {
            world.log.clear();
            world.bodies.clear();
            world.faults = faults;
            world.at = at;
        });
        confirmed
    }

    fn is_moved(&self) {
        self.world(|world| {
            assert!(!world.objects.contains_key(OLD), "the old claim is there");
            let (volume, claim) = (&world.objects[PV], &world.objects[NEW]);
            assert_eq!(volume["status"]["phase"], "Bound");
            assert_eq!(volume["spec"]["persistentVolumeReclaimPolicy"], "Retain");
            assert_eq!(volume["spec"]["claimRef"]["uid"], claim["metadata"]["uid"]);
            assert_eq!(volume["metadata"]["uid"], "volume-uid");
            assert_eq!(claim["spec"]["volumeName"], "pv-1");
            assert_eq!(claim["status"]["phase"], "Bound");
        });
    }
}

/// Hears everything, and interrupts when it is asked for the `after`th time.
struct Ear {
    heard: Mutex<Vec<String>>,
    asked: AtomicUsize,
    after: usize,
}

impl Ear {
    fn new() -> Self {
        Self::patient_for(usize::MAX)
    }

    fn patient_for(after: usize) -> Self {
        Self { heard: Mutex::default(), asked: AtomicUsize::new(0), after }
    }
}

impl Observer for Ear {
    fn event(&self, event: Event<'_>) {
        let line = match event {
            Event::StepStarts { step } => format!("{} starts", step.id),
            Event::Again { step, why } => format!("{} again: {why}", step.id),
            Event::Waiting { step, what, seconds, so_far } => {
                format!("{} waits until {what}, {seconds} s: {so_far}", step.id)
            }
            Event::StepDone { step, was_so } => format!("{} done{}", step.id, if was_so { ", was so" } else { "" }),
            Event::Untried { step, why } => format!("{} untried: {why}", step.id),
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

async fn run(server: &Server, dir: &Path, ear: &Ear) -> (Result<Outcome, Stopped>, String) {
    let confirmed = server.confirmed().await;
    let mut journal = Journal::create(dir, confirmed.plan(), "https://api.example.com", NOW).unwrap();
    let result = execute(&server.client(), confirmed, &mut journal, &options(), ear).await;
    (result, journal.id().to_owned())
}

/// Goes on with what a journal leaves.
async fn go_on(server: &Server, dir: &Path, id: &str) -> Result<Outcome, Stopped> {
    let mut journal = Journal::open(dir, id).unwrap();
    settle(&server.client(), &mut journal).await?;
    let plan = journal.entry().remaining();
    let granted = Receipts::granted(&plan);
    let confirmed = server.review(plan, &granted).await.expect("what remains is safe");
    resume(&server.client(), confirmed, &mut journal, &options(), &Ear::new()).await
}

const WRITES: [&str; 4] = [
    "PATCH /api/v1/persistentvolumes/pv-1",
    "DELETE /api/v1/namespaces/db/persistentvolumeclaims/data",
    "PATCH /api/v1/persistentvolumes/pv-1",
    "POST /api/v1/namespaces/shop/persistentvolumeclaims",
];
