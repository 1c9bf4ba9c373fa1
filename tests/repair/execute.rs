//! Plans carried out on a very small API server, with the controllers played by hand.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test looks at files and fails by panicking"
)]

use http::{Request, Response};
use http_body_util::BodyExt;
use kube::client::Body;
use pvctl::execute::{
    End, Event, Journal, Observer, Options, Outcome, Sent, Settled, StopKind, Stopped, Way, execute, manifests,
    receipts, resume, settle,
};
use pvctl::model::{Kind, Timestamp};
use pvctl::repair::{self, Confirmed, Plan, Proposed, Receipts, Reviewed, Situation, volume_key};
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

#[tokio::test(start_paused = true)]
async fn a_claim_moves() {
    let (server, dir, ear) = (Server::new(), tempfile::tempdir().unwrap(), Ear::new());
    let (result, id) = run(&server, dir.path(), &ear).await;
    assert_eq!(result, Ok(Outcome { written: true, done: vec![1, 2, 3, 4, 5], untried: vec![] }));
    server.is_moved();
    assert!(id.starts_with("20261122T140134Z-move-"), "{id}");
    let entry = Journal::read(dir.path(), &id).unwrap();
    assert_eq!(entry.end, End::Finished);
    assert_eq!(entry.saved().len(), 2);
    assert_eq!(entry.done().len(), 5);
    assert_eq!(entry.remaining().steps, []);
    assert!(entry.in_doubt().is_none() && entry.written());
    let created = entry.done()[4].after.clone().unwrap();
    server.world(|world| {
        assert_eq!(world.writes(), WRITES);
        assert_eq!(created["metadata"]["uid"], world.objects[NEW]["metadata"]["uid"]);
        // Each write is tried first, and carries the uid and the version of the object as it was just read.
        let at = world.log.iter().position(|line| line == WRITES[0]).unwrap();
        assert_eq!(world.log[at - 2..at], [format!("dry {}", WRITES[0]), format!("GET {PV}")]);
        assert_eq!(
            world.bodies[at],
            json!({ "metadata": { "uid": "volume-uid", "resourceVersion": "1" },
                "spec": { "persistentVolumeReclaimPolicy": "Retain" } })
        );
        let at = world.log.iter().position(|line| line == WRITES[1]).unwrap();
        assert_eq!(world.bodies[at]["preconditions"], json!({ "uid": "claim-uid", "resourceVersion": "2" }));
        // What it rests on is looked at once more when the server has tried it.
        let looks = [
            format!("dry {}", WRITES[1]),
            format!("GET {OLD}"),
            // Whether the policy is still what the plan made it.
            format!("GET {PV}"),
            format!("GET {OLD}"),
            "GET /api/v1/persistentvolumes".to_owned(),
            "GET /api/v1/namespaces/db/pods".to_owned(),
            "GET /apis/apps/v1/namespaces/db/statefulsets".to_owned(),
            "GET /apis/storage.k8s.io/v1/volumeattachments".to_owned(),
            format!("GET {PV}"),
        ];
        assert_eq!(world.log[at - 9..at], looks);
    });
    assert_eq!(
        *ear.heard.lock().unwrap(),
        ["1 starts", "1 done", "2 starts", "2 done", "3 starts", "3 done", "4 starts", "4 done", "5 starts", "5 done"]
    );
    let lines = std::fs::read_to_string(dir.path().join(format!("{id}.jsonl"))).unwrap();
    let records: Vec<String> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["record"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        records,
        [
            "header", "saved", "saved", "intent", "done", "intent", "done", "waited", "waited", "intent", "done",
            "waited", "intent", "done", "waited", "finished"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_changed_world_stops_before_the_first_write() {
    let other: fn(&mut World) = |world| world.edit(PV, |volume| volume["metadata"]["uid"] = json!("another-uid"));
    let recycle: fn(&mut World) =
        |world| world.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Recycle"));
    let gone: fn(&mut World) = |world| _ = world.objects.remove(OLD);
    let cases = [
        (
            other,
            "step 1: pv/pv-1 is not as the plan expects it: another object has that name by now, with uid another-uid",
        ),
        (
            recycle,
            "step 1: pv/pv-1 is not as the plan expects it: spec.persistentVolumeReclaimPolicy is Recycle, where \"Delete\" \
             was expected",
        ),
        (gone, "pvc/data -n db does not exist any more"),
    ];
    for (change, message) in cases {
        let server = Server::new().fault("GET", Fault::Actor(change));
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &Ear::new()).await;
        let stop = result.unwrap_err();
        assert_eq!((stop.kind, stop.written, stop.message.as_str()), (StopKind::Changed, false, message));
        assert_eq!(server.world(|world| world.writes().len()), 0);
        let entry = Journal::read(dir.path(), &id).unwrap();
        assert_eq!(entry.end, End::Stopped { why: message.to_owned(), written: false });
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_world_stops_after_a_write_and_says_how_to_go_on() {
    let pod: fn(&mut World) = |world| {
        world.put(
            "/api/v1/namespaces/db/pods/web",
            json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web", "namespace": "db", "uid": "pod" },
                "spec": { "nodeName": "node-1",
                    "volumes": [{ "name": "v", "persistentVolumeClaim": { "claimName": "data" } }] } }),
        );
    };
    let attachment: fn(&mut World) = |world| {
        world.put(
            "/apis/storage.k8s.io/v1/volumeattachments/va",
            json!({ "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
                "metadata": { "name": "va", "uid": "va" },
                "spec": { "attacher": "csi.example.com", "nodeName": "node-1", "source": { "persistentVolumeName": "pv-1" } } }),
        );
    };
    let delete: fn(&mut World) =
        |world| world.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete"));
    let cases = [
        (pod, "step 2: pods use claim db/data: web"),
        (attachment, "step 2: VolumeAttachments keep volume pv-1 at node-1"),
        (delete, "step 2: the policy of volume pv-1 is Delete, where Retain was expected"),
    ];
    for (change, message) in cases {
        let server = Server::new().fault("GET /api/v1/namespaces/db/pods", Fault::Actor(change));
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &Ear::new()).await;
        let stop = result.unwrap_err();
        assert_eq!((stop.kind, stop.written, stop.message.as_str()), (StopKind::Partial, true, message));
        let hints = [
            format!("kubectl pvctl apply --continue {id} goes on from here"),
            format!("kubectl pvctl undo {id} takes back what was done"),
        ];
        assert!(hints.iter().all(|hint| stop.hints.contains(hint)), "{:?}", stop.hints);
        server.world(|world| {
            assert_eq!(world.writes(), WRITES[..1]);
            assert!(world.objects.contains_key(OLD));
        });
    }
}

/// A list that cannot be read does not say that nobody is there.
#[tokio::test(start_paused = true)]
async fn an_unread_list_stops() {
    let forbidden = Fault::Status(403, "pods is forbidden");
    let server = Server::new().fault("GET /api/v1/namespaces/db/pods", forbidden);
    let dir = tempfile::tempdir().unwrap();
    let stop = run(&server, dir.path(), &Ear::new()).await.0.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(stop.message, "step 2: pods in namespace db could not be listed");
    assert_eq!(stop.causes, ["HTTP 403: pods is forbidden"]);
    assert_eq!(server.world(|world| world.writes().len()), 1);
}

#[tokio::test(start_paused = true)]
async fn refusals_are_final() {
    let cases = [
        (409, "PATCH", StopKind::Changed, 1),
        (404, "PATCH", StopKind::Changed, 1),
        (403, "PATCH", StopKind::Refused, 1),
        (409, "DELETE", StopKind::Partial, 2),
        (409, "POST", StopKind::Partial, 4),
        (422, "POST", StopKind::Partial, 4),
    ];
    for (code, method, kind, writes) in cases {
        let place = format!("{method} /api");
        let server = Server::new().fault(&place, Fault::Status(code, "no"));
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &Ear::new()).await;
        let stop = result.unwrap_err();
        assert_eq!((stop.kind, stop.written), (kind, writes > 1), "{code} {method}");
        assert_eq!(server.world(|world| world.writes().len()), writes, "{code} {method}");
        let entry = Journal::read(dir.path(), &id).unwrap();
        assert!(entry.in_doubt().is_none(), "{code} {method}: it was surely not carried out");
        // The same of a write that is only tried.
        let server = Server::new().fault(&format!("dry {place}"), Fault::Status(code, "no"));
        let dir = tempfile::tempdir().unwrap();
        let stop = run(&server, dir.path(), &Ear::new()).await.0.unwrap_err();
        assert_eq!(stop.kind, kind, "dry {code} {method}");
        assert_eq!(server.world(|world| world.writes().len()), writes - 1, "dry {code} {method}");
    }
}

/// Delete comes back only while the very claim that the volume names is there, and not one of its name.
#[tokio::test(start_paused = true)]
async fn a_namesake_does_not_keep_the_data() {
    let namesake: fn(&mut World) = |world| {
        world.idle = true;
        world.edit(NEW, |claim| claim["metadata"]["uid"] = json!("another"));
    };
    let server = Server::new();
    let request = repair::Request::Move {
        namespace: "db".into(),
        name: "data".into(),
        to_namespace: "shop".into(),
        to_name: "moved".into(),
        restore_policy: true,
    };
    let plan = server.plan_of(&request).await;
    let granted = Receipts::granted(&plan);
    let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
    server.world(|world| {
        world.log.clear();
        let (nothing, acts) = (Fault::Actor(|_| ()), Fault::Actor(namesake));
        world.faults = [nothing, nothing, acts].map(|fault| ("dry PATCH /api".to_owned(), fault)).to_vec();
    });
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
    let stop = execute(&server.client(), confirmed, &mut journal, &options(), &Ear::new()).await.unwrap_err();
    let said = "claim shop/moved is not the one that volume pv-1 names by uid: with policy Delete its data would go";
    assert!(stop.message.ends_with(said), "{stop:?}");
    assert_eq!(server.world(|world| world.objects[PV]["spec"]["persistentVolumeReclaimPolicy"].clone()), "Retain");
}

/// A conflict with somebody who did just what the step asks for ends nothing, and is not ours to take back.
#[tokio::test(start_paused = true)]
async fn who_was_quicker_has_done_the_step() {
    let retain: fn(&mut World) =
        |world| world.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Retain"));
    for (place, writes) in [("PATCH /api", 4), ("dry PATCH /api", 3)] {
        let server = Server::new().fault(place, Fault::Actor(retain));
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &Ear::new()).await;
        result.unwrap();
        server.is_moved();
        assert_eq!(server.world(|world| world.writes().len()), writes, "{place}");
        let done = Journal::read(dir.path(), &id).unwrap().done();
        assert_eq!(
            done.iter().map(|done| done.was_so).collect::<Vec<_>>(),
            [true, false, false, false, false],
            "{place}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_asked_again() {
    let server = Server::new().fault("DELETE /api", Fault::Later(429, 7));
    let (dir, ear) = (tempfile::tempdir().unwrap(), Ear::new());
    let begun = tokio::time::Instant::now();
    run(&server, dir.path(), &ear).await.0.unwrap();
    assert_eq!(begun.elapsed().as_secs(), 7);
    server.is_moved();
    assert!(ear.heard.lock().unwrap().contains(&"2 again: HTTP 429: too much at once".to_owned()));
    // And not for ever.
    let server = (0..6).fold(Server::new(), |server, _| server.fault("PATCH /api", Fault::Later(429, 600)));
    let begun = tokio::time::Instant::now();
    let stop = run(&server, tempfile::tempdir().unwrap().path(), &Ear::new()).await.0.unwrap_err();
    assert_eq!((stop.kind, stop.written), (StopKind::Unreadable, false));
    assert_eq!(begun.elapsed().as_secs(), 50);
    assert_eq!(server.world(|world| world.writes().len()), 6);
}

/// Whatever becomes of the answer to a write, it is sent again only if it did nothing.
#[tokio::test(start_paused = true)]
async fn lost_answers_are_cleared_up() {
    for method in ["PATCH", "DELETE", "POST"] {
        for (fault, twice) in [
            (Fault::Before, true),
            (Fault::Large, true),
            (Fault::After, false),
            (Fault::Silence(false), true),
            (Fault::Silence(true), false),
            (Fault::Status(500, "etcdserver: request timed out"), true),
        ] {
            let server = Server::new().fault(&format!("{method} /api"), fault);
            let dir = tempfile::tempdir().unwrap();
            let (result, id) = run(&server, dir.path(), &Ear::new()).await;
            result.unwrap();
            server.is_moved();
            let writes = server.world(|world| world.writes().len());
            assert_eq!(writes, if twice { 5 } else { 4 }, "{method}");
            assert!(Journal::read(dir.path(), &id).unwrap().in_doubt().is_none());
        }
    }
}

/// Two requests in a row without an answer, then no more: the third time somebody has to look.
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let server = (0..3).fold(Server::new(), |server, _| server.fault("POST /api/v1/namespaces/shop", Fault::Before));
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &Ear::new()).await;
    let stop = result.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(server.world(|world| world.writes().len()), 6);
    assert_eq!(Journal::read(dir.path(), &id).unwrap().in_doubt().unwrap().id, 5);
    go_on(&server, dir.path(), &id).await.unwrap();
    server.is_moved();
}

/// A claim of the very name that somebody else creates while ours is on its way.
#[tokio::test(start_paused = true)]
async fn the_claim_of_a_stranger_is_not_taken_for_ours() {
    fn stranger(world: &mut World) {
        world.idle = true;
        world.put(
            NEW,
            json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": { "name": "moved", "namespace": "shop", "uid": "stranger" },
                "spec": { "volumeName": "pv-1" }, "status": { "phase": "Pending" } }),
        );
    }
    let server = Server::new()
        .fault("POST /api/v1/namespaces/shop", Fault::Before)
        .fault("GET /api/v1/namespaces/shop", Fault::Actor(|_| {}))
        .fault("GET /api/v1/namespaces/shop", Fault::Actor(|_| {}))
        .fault("GET /api/v1/namespaces/shop", Fault::Actor(stranger));
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &Ear::new()).await;
    let stop = result.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(
        stop.message,
        "step 5: pvc/moved -n shop is not as the plan expects it: an object of that name is there already"
    );
    let mut journal = Journal::open(dir.path(), &id).unwrap();
    assert_eq!(settle(&server.client(), &mut journal).await, Ok(Settled::NotWritten));
    assert_eq!(journal.entry().done().len(), 4, "what was created is not ours to take back");
    assert_eq!(server.world(|world| world.objects[NEW]["metadata"]["uid"].clone()), "stranger");
}

/// What cannot be taken back is said instead of a command that would be refused.
#[tokio::test(start_paused = true)]
async fn a_stop_does_not_promise_to_take_back_what_lasts() {
    let server = Server::new();
    let mut plan = server.plan().await;
    plan.steps[1].undo = repair::Undo::Impossible { why: "gone is gone".to_owned() };
    let granted = Receipts::granted(&plan);
    let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
    let server = server.fault("DELETE /api", Fault::Actor(|world| world.idle = true));
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
    let stop = execute(&server.client(), confirmed, &mut journal, &options(), &Ear::new()).await.unwrap_err();
    let id = journal.id();
    assert_eq!(
        stop.hints[1..],
        [
            format!("kubectl pvctl apply --continue {id} goes on from here"),
            "step 2 cannot be taken back: gone is gone".to_owned(),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_wait_has_a_limit() {
    let server = Server::new().fault("DELETE /api", Fault::Actor(|world| world.idle = true));
    let (dir, ear) = (tempfile::tempdir().unwrap(), Ear::new());
    let (result, id) = run(&server, dir.path(), &ear).await;
    let stop = result.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(
        stop.message,
        "step 2 gave up after 60 s: it waits until claim db/data is gone, and now finalizers keep it: \
         kubernetes.io/pvc-protection"
    );
    assert_eq!(
        stop.hints,
        [
            "--timeout DURATION makes it wait longer, for example --timeout 10m".to_owned(),
            format!("kubectl pvctl apply --continue {id} goes on from here"),
            format!("kubectl pvctl undo {id} takes back what was done"),
        ]
    );
    assert!(ear.heard.lock().unwrap().contains(
        &"2 waits until claim db/data is gone, 59 s: finalizers keep it: kubernetes.io/pvc-protection".to_owned()
    ));
    let entry = Journal::read(dir.path(), &id).unwrap();
    assert_eq!(entry.remaining().steps.iter().map(|step| step.id).collect::<Vec<_>>(), [2, 3, 4, 5]);
    assert!(entry.remaining().steps[0].write.is_none(), "the claim is not deleted twice");
    server.world(|world| {
        world.idle = false;
        world.play();
    });
    go_on(&server, dir.path(), &id).await.unwrap();
    server.is_moved();
    assert_eq!(server.world(|world| world.writes().len()), 4);
    assert_eq!(Journal::read(dir.path(), &id).unwrap().end, End::Finished);
}

/// An API server that is away for a while during a wait is waited for as well.
#[tokio::test(start_paused = true)]
async fn a_wait_outlives_failures() {
    let server = Server::new()
        .fault(&format!("GET {OLD}"), Fault::Actor(|_| {}))
        .fault(&format!("GET {OLD}"), Fault::Actor(|_| {}))
        .fault(&format!("GET {OLD}"), Fault::Actor(|_| {}))
        .fault(&format!("GET {OLD}"), Fault::Actor(|_| {}))
        .fault(&format!("GET {OLD}"), Fault::Before)
        .fault(&format!("GET {OLD}"), Fault::Status(500, "etcd is away"))
        .fault(&format!("GET {OLD}"), Fault::Large);
    let (dir, ear) = (tempfile::tempdir().unwrap(), Ear::new());
    run(&server, dir.path(), &ear).await.0.unwrap();
    server.is_moved();
    let heard = ear.heard.lock().unwrap();
    let waits: Vec<&str> = heard.iter().filter(|line| line.contains("waits")).map(String::as_str).collect();
    assert_eq!(
        waits,
        [
            "2 waits until claim db/data is gone, 0 s: pvc/data -n db could not be read: no answer from the API server: \
             the connection broke",
            "2 waits until claim db/data is gone, 1 s: pvc/data -n db could not be read: HTTP 500: etcd is away",
            "2 waits until claim db/data is gone, 2 s: pvc/data -n db could not be read: the answer is larger than \
             8 MiB, and no more of one is read",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_run_goes_on_later() {
    let mut kinds = Vec::new();
    for after in 0.. {
        let (server, dir, ear) = (Server::new(), tempfile::tempdir().unwrap(), Ear::patient_for(after));
        let (result, id) = run(&server, dir.path(), &ear).await;
        let Err(stop) = result else { break };
        let written = server.world(|world| !world.writes().is_empty());
        assert_eq!(stop.kind, if written { StopKind::Partial } else { StopKind::Interrupted }, "{after}");
        assert_eq!(stop.written, written);
        assert!(stop.message.starts_with("interrupted at step "), "{}", stop.message);
        kinds.push(stop.kind);
        go_on(&server, dir.path(), &id).await.unwrap();
        server.is_moved();
        assert_eq!(server.world(|world| world.writes().join(" ")), WRITES.join(" "));
    }
    // At each of four writes before both looks and before it is sent, and at the first look of each of four waits.
    assert_eq!(kinds.len(), 16);
    assert_eq!(kinds.iter().filter(|kind| **kind == StopKind::Interrupted).count(), 3);
}

/// The program dies at any request, before or after the server acted on it; the journal leads to the end.
#[tokio::test(start_paused = true)]
async fn a_run_that_was_killed_goes_on_later() {
    let mut runs = 0;
    'all: for at in 1.. {
        for acted in [false, true] {
            let (server, dir) = (Server::new(), tempfile::tempdir().unwrap());
            server.world(|world| world.at = Some((at, Fault::Silence(acted))));
            let id = {
                let confirmed = server.confirmed().await;
                let mut journal = Journal::create(dir.path(), confirmed.plan(), "", NOW).unwrap();
                let (client, ear, options) = (server.client(), Ear::new(), options());
                let whole = execute(&client, confirmed, &mut journal, &options, &ear);
                if tokio::time::timeout(Duration::from_secs(20), whole).await.is_ok() {
                    break 'all;
                }
                journal.id().to_owned()
            };
            go_on(&server, dir.path(), &id).await.unwrap_or_else(|stop| panic!("request {at}, {acted}: {stop:?}"));
            server.is_moved();
            assert_eq!(Journal::read(dir.path(), &id).unwrap().done().len(), 5);
            runs += 1;
        }
    }
    assert!(runs >= 40, "{runs}");
}

#[tokio::test(start_paused = true)]
async fn a_rehearsal_writes_nothing() {
    let server = Server::new();
    let confirmed = server.confirmed().await;
    let mut journal = Journal::rehearsal(confirmed.plan());
    let options = Options { server_dry_run: true, ..options() };
    let ear = Ear::new();
    let before = server.world(|world| world.objects.clone());
    let outcome = execute(&server.client(), confirmed, &mut journal, &options, &ear).await.unwrap();
    assert_eq!(outcome, Outcome { written: false, done: vec![1, 5], untried: vec![2, 4] });
    assert_eq!(server.world(|world| world.objects.clone()), before);
    assert_eq!(server.world(|world| world.writes().len()), 0);
    assert!(
        ear.heard.lock().unwrap().contains(
            &"2 untried: volume pv-1 is tied to claim db/data and has policy Delete: its data would go with the claim"
                .to_owned()
        )
    );
    // Nothing is carried out without a journal.
    let confirmed = server.confirmed().await;
    let stop = execute(&server.client(), confirmed, &mut journal, &self::options(), &ear).await.unwrap_err();
    assert_eq!(stop.kind, StopKind::Refused);
    assert_eq!(server.world(|world| world.writes().len()), 0);
}

#[tokio::test(start_paused = true)]
async fn receipts_say_what_is_permitted_and_accepted() {
    let server = Server::new();
    let plan = server.plan().await;
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!(asked.dry_run, Some(Ok(())));
    assert!(asked.rights.iter().all(|(_, given)| *given == Some(true)));
    let shown: Vec<String> = asked
        .rights
        .iter()
        .map(|(right, _)| format!("{} {} {}/{}", right.verb, right.kind.resource(), right.namespace, right.name))
        .collect();
    for wanted in [
        "get persistentvolumes /pv-1",
        "patch persistentvolumes /pv-1",
        "delete persistentvolumeclaims db/data",
        "create persistentvolumeclaims shop/",
        "list pods db/",
        "list volumeattachments /",
    ] {
        assert!(shown.contains(&wanted.to_owned()), "{wanted} in {shown:?}");
    }
    assert_eq!(server.world(|world| world.writes().len()), 0);

    server.world(|world| world.denied.push("delete"));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    let denied: Vec<_> = asked.rights.iter().filter(|(_, given)| *given == Some(false)).collect();
    assert!(denied.len() == 1 && denied[0].0.kind == Kind::PersistentVolumeClaim);

    let server = Server::new().fault("POST /apis/authorization", Fault::Status(403, "not even that"));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!(asked.rights.iter().filter(|(_, given)| given.is_none()).count(), 1);

    let server = Server::new().fault(&format!("dry POST {NEW_LIST}"), Fault::Status(403, "policy says no"));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!(asked.dry_run, Some(Err("create pvc/moved -n shop: HTTP 403: policy says no".to_owned())));
    let rejected = server.review(plan.clone(), &asked).await.unwrap_err();
    assert_eq!(rejected.refusal.by, "admission");

    let other: fn(&mut World) = |world| world.edit(PV, |volume| volume["metadata"]["uid"] = json!("another-uid"));
    let server = Server::new().fault("POST /apis/authorization", Fault::Actor(other));
    assert_eq!(receipts(&server.client(), &plan).await.unwrap_err().kind, StopKind::Changed);
}

/// A claim whose name is free only when the old one is gone is tried under another name, before that is deleted.
#[tokio::test(start_paused = true)]
async fn a_claim_whose_name_is_taken_is_tried_under_another() {
    let tried = |server: &Server| {
        server.world(|world| {
            assert_eq!(world.writes(), [""; 0]);
            let dry = format!("dry POST {OLD_LIST}");
            let bodies = world.log.iter().zip(&world.bodies).filter(|(line, _)| **line == dry);
            bodies.map(|(_, body)| body.clone()).collect::<Vec<Value>>()
        })
    };
    let server = Server::new();
    let plan = server.plan_to_replace("late").await;
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!((asked.dry_run, asked.doubts), (Some(Ok(())), Vec::new()));
    let bodies = tried(&server);
    // The new claim, and the old one as it would come back.
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0]["metadata"]["name"], "late-pvctl-1");
    assert_eq!(bodies[0]["metadata"]["namespace"], "db");
    assert_eq!(bodies[0]["spec"]["resources"]["requests"]["storage"], "2Gi");
    server.world(|world| assert!(world.log.contains(&format!("GET {OLD_LIST}/late-pvctl-1"))));

    // A name that somebody has is none that is free.
    let taken = json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": { "name": "late-pvctl-1", "namespace": "db", "uid": "other" }, "spec": {}, "status": {} });
    server.world(|world| {
        world.put(&format!("{OLD_LIST}/late-pvctl-1"), taken);
        world.log.clear();
        world.bodies.clear();
    });
    assert_eq!(receipts(&server.client(), &plan).await.unwrap().dry_run, Some(Ok(())));
    assert_eq!(tried(&server)[0]["metadata"]["name"], "late-pvctl-2");

    // Names have a longest length, and a label does not end with a dot.
    let server = Server::new();
    let plan = server.plan_to_replace(&format!("{}.{}", "a".repeat(244), "b".repeat(8))).await;
    receipts(&server.client(), &plan).await.unwrap();
    assert_eq!(tried(&server)[0]["metadata"]["name"], format!("{}-pvctl-1", "a".repeat(244)));
}

/// What admission has against it refuses the plan before anything is deleted; what says nothing of it is a warning.
#[tokio::test(start_paused = true)]
async fn what_is_tried_under_another_name_refuses_or_warns() {
    const TRIED: &str = "create pvc/late -n db (tried under the name late-pvctl-1, because its own is taken until the old claim is gone)";
    for (code, message) in [
        (403, "admission webhook \"size.example.com\" denied the request: too large"),
        (422, "persistentvolumeclaims \"late-pvctl-1\" is forbidden: ValidatingAdmissionPolicy 'size' denied request"),
        (400, "admission webhook \"size.example.com\" denied the request: no"),
    ] {
        let server = Server::new();
        let plan = server.plan_to_replace("late").await;
        let server = server.fault(&format!("dry POST {OLD_LIST}"), Fault::Status(code, message));
        let asked = receipts(&server.client(), &plan).await.unwrap();
        let why = format!("{TRIED}: HTTP {code}: {message}");
        assert_eq!((&asked.dry_run, asked.doubts.len()), (&Some(Err(why.clone())), 0));
        let rejected = server.review(plan, &asked).await.unwrap_err();
        assert_eq!(rejected.refusal.by, "admission");
        assert_eq!(rejected.refusal.message, format!("the API server refuses a write in a dry run: {why}"));
        assert_eq!(server.world(|world| world.writes().len()), 0);
    }
    let quota = "persistentvolumeclaims \"late-pvctl-1\" is forbidden: exceeded quota: storage, requested: \
                 persistentvolumeclaims=1, used: persistentvolumeclaims=2, limited: persistentvolumeclaims=2";
    let right = "persistentvolumeclaims is forbidden: User \"jane\" cannot create resource \"persistentvolumeclaims\" in \
                 API group \"\" in the namespace \"db\"";
    for (code, message, doubt) in [
        (
            403,
            quota,
            "create pvc/late -n db: a quota has no room for it beside the claim that goes first; when that is gone, \
             there is enough",
        ),
        (403, right, TRIED),
        (409, "Operation cannot be fulfilled on resourcequotas \"storage\"", TRIED),
    ] {
        let server = Server::new();
        let plan = server.plan_to_replace("late").await;
        let server = server.fault(&format!("dry POST {OLD_LIST}"), Fault::Status(code, message));
        let asked = receipts(&server.client(), &plan).await.unwrap();
        assert_eq!(asked.dry_run, Some(Ok(())), "{message}");
        assert_eq!(asked.doubts, [format!("{doubt}: HTTP {code}: {message}")]);
        assert_eq!(server.world(|world| world.writes().len()), 0);
    }
    // Whoever may not look for a free name is told that it was not tried.
    let server = Server::new();
    let plan = server.plan_to_replace("late").await;
    let server = server.fault(&format!("GET {OLD_LIST}/late-pvctl-1"), Fault::Status(403, "not yours"));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    let doubt = "create pvc/late -n db: it could not be tried, because its name is taken until the old claim is gone, and no \
                 other was found to be free";
    assert_eq!((asked.dry_run, asked.doubts), (Some(Ok(())), vec![doubt.to_owned()]));
}

/// At a review somebody who writes to the object between the reading and the trial says nothing about the repair.
#[tokio::test(start_paused = true)]
async fn a_trial_meets_whoever_writes_at_the_same_time() {
    const MODIFIED: &str = "the object has been modified";
    let server = Server::new();
    let plan = server.plan().await;
    let server = server.fault(&format!("dry PATCH {PV}"), Fault::Status(409, MODIFIED));
    let asked = receipts(&server.client(), &plan).await.unwrap();
    assert_eq!((asked.dry_run, asked.doubts), (Some(Ok(())), Vec::new()));
    let tried = server.world(|world| world.log.iter().filter(|line| line.starts_with("dry PATCH")).count());
    // The first write twice; and once each the other write to the volume, and what takes these two back.
    assert_eq!(tried, 5);
    // Who changes what the step rests on is named.
    let moved = server.world(|world| {
        world.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Recycle"));
        world.writes().len()
    });
    assert_eq!(moved, 0);
    let stop = receipts(&server.client(), &plan).await.unwrap_err();
    assert_eq!(stop.kind, StopKind::Changed);
}

#[tokio::test(start_paused = true)]
async fn names_stay_in_their_place() {
    let server = Server::new();
    for name in ["../namespaces/x", "a?x=1", "a/b", "", ".."] {
        let stop = manifests(&server.client(), &[volume_key(name)]).await.unwrap_err();
        assert_eq!(stop.kind, StopKind::Refused, "{name}");
    }
    let mut plan = server.plan().await;
    server.world(|world| world.log.clear());
    let last = plan.steps.last_mut().unwrap().write.as_mut().unwrap();
    let repair::Change::Create { manifest } = &mut last.change else { panic!("the last step creates") };
    manifest["metadata"]["name"] = json!("another");
    assert_eq!(receipts(&server.client(), &plan).await.unwrap_err().kind, StopKind::Refused);
    // And so do writes that no repair makes, and those of another kind.
    let plan = server.plan().await;
    server.world(|world| world.log.clear());
    let refused = async |change: &dyn Fn(&mut repair::Write), said: &str| {
        let mut changed = plan.clone();
        change(changed.steps[0].write.as_mut().unwrap());
        let stop = receipts(&server.client(), &changed).await.unwrap_err();
        assert_eq!((stop.kind, stop.message.as_str()), (StopKind::Refused, said));
    };
    let recycle = repair::Change::SetReclaimPolicy { to: "Recycle".into() };
    refused(&|write| write.change = recycle.clone(), "no repair sets the policy of pv/pv-1 to \"Recycle\"").await;
    let said = "no repair is to delete pv/pv-1: only claims are created and deleted";
    refused(&|write| write.change = repair::Change::Delete, said).await;
    let said = "no repair is to patch pv/pv-1: that is written to claims only";
    refused(&|write| write.change = repair::Change::SetClass { class: "fast".into() }, said).await;
    let said = "no repair is to patch pvc/data -n db: that is written to volumes only";
    refused(&|write| write.object = repair::claim_key("db", "data"), said).await;
    assert_eq!(server.world(|world| world.log.len()), 0, "nothing was asked");
}

/// The claim was created and got the volume, of which nobody heard, and somebody deleted it: another one of that name
/// would wait for ever, because the volume knows the first one by its uid.
#[tokio::test(start_paused = true)]
async fn a_claim_is_not_created_for_a_volume_that_knows_another() {
    fn deleter(world: &mut World) {
        world.idle = true;
        world.objects.remove(NEW);
        world.edit(PV, |volume| {
            volume["spec"]["claimRef"]["uid"] = json!("first");
            volume["status"]["phase"] = json!("Released");
        });
    }
    // Twice it is looked at before the request, once after it.
    let look = format!("GET {NEW}");
    let server = Server::new()
        .fault("POST /api/v1/namespaces/shop", Fault::After)
        .fault(&look, Fault::Actor(|_| {}))
        .fault(&look, Fault::Actor(|_| {}))
        .fault(&look, Fault::Actor(deleter));
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &Ear::new()).await;
    let stop = result.unwrap_err();
    assert_eq!(stop.kind, StopKind::Partial);
    assert_eq!(
        stop.message,
        "step 5: volume pv-1 names claim shop/moved with uid \"first\", and does not wait for claim shop/moved"
    );
    let way_on = "kubectl pvctl restore pvc/moved -n shop --from pv/pv-1 makes the volume wait for the claim again, and \
                  creates it";
    assert_eq!(stop.hints[0], way_on);
    assert_eq!(server.world(|world| world.writes().len()), 4, "it was created once");
    assert!(!server.world(|world| world.objects.contains_key(NEW)));
    // Who goes on with it is told before anything is written.
    let mut journal = Journal::open(dir.path(), &id).unwrap();
    assert_eq!(settle(&server.client(), &mut journal).await, Ok(Settled::NotWritten));
    let rest = journal.entry().remaining();
    let granted = Receipts::granted(&rest);
    let rejected = server.review(rest, &granted).await.unwrap_err();
    assert_eq!(rejected.refusal.message, "step 5 would stop: it is not so that volume pv-1 waits for claim shop/moved");
    assert_eq!(rejected.refusal.hints[0], way_on);
}

/// The request to create the claim had no answer, and arrives after it was looked whether it has: the volume has the
/// claim then, and that is ours.
#[tokio::test(start_paused = true)]
async fn a_claim_that_arrives_late_is_known_for_ours() {
    fn arrives(world: &mut World) {
        let body = world.bodies.iter().rev().find(|body| body["kind"] == "PersistentVolumeClaim").unwrap().clone();
        assert_eq!(world.answer("POST", NEW_LIST, &body, false).0, 201);
        world.play();
    }
    let sets = "GET /apis/apps/v1/namespaces/shop/statefulsets";
    let server = Server::new()
        .fault(&format!("POST {NEW_LIST}"), Fault::Before)
        .fault(sets, Fault::Actor(|_| {}))
        .fault(sets, Fault::Actor(arrives));
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &Ear::new()).await;
    result.unwrap();
    server.is_moved();
    assert_eq!(server.world(|world| world.writes().len()), 4, "it was asked for once");
    assert!(Journal::read(dir.path(), &id).unwrap().in_doubt().is_none());
}

/// A request of which nobody heard, and somebody who wrote afterwards.
#[tokio::test(start_paused = true)]
async fn a_doubtful_step_is_no_dead_end() {
    let label: fn(&mut World) = |world| {
        for path in [PV, OLD] {
            world.edit(path, |object| object["metadata"]["labels"] = json!({ "touched": "yes" }));
        }
    };
    let recycle: fn(&mut World) =
        |world| world.edit(PV, |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Recycle"));
    let cases = [
        ("PATCH /api", label, Settled::AsExpected),
        ("DELETE /api", label, Settled::NotWritten),
        ("PATCH /api", recycle, Settled::Unknown),
    ];
    for (place, touch, settled) in cases {
        let server = (0..3).fold(Server::new(), |server, _| server.fault(place, Fault::Before));
        let dir = tempfile::tempdir().unwrap();
        let (result, id) = run(&server, dir.path(), &Ear::new()).await;
        assert_eq!(result.unwrap_err().kind, StopKind::Partial);
        server.world(touch);
        {
            let mut journal = Journal::open(dir.path(), &id).unwrap();
            assert_eq!(settle(&server.client(), &mut journal).await, Ok(settled), "{place}");
            assert!(journal.entry().in_doubt().is_some(), "the request may still be on its way");
        }
        if settled != Settled::Unknown {
            go_on(&server, dir.path(), &id).await.unwrap();
            server.is_moved();
        }
    }
}

/// The claim of today has another volume than the one before it, of which a pod may still be there.
#[tokio::test(start_paused = true)]
async fn a_pod_of_the_claim_before_stops() {
    let with_pod = |world: &mut World, created: &str| {
        world.put(
            "/api/v1/namespaces/db/pods/db-0",
            json!({ "apiVersion": "v1", "kind": "Pod",
                "metadata": { "name": "db-0", "namespace": "db", "uid": "pod", "creationTimestamp": created },
                "spec": { "nodeName": "node-1",
                    "volumes": [{ "name": "v", "persistentVolumeClaim": { "claimName": "data" } }] } }),
        );
    };
    for (created, said) in [
        (
            "2026-11-21T09:59:59Z",
            Some(
                "step 1: claim db/data was gone, and pods that are not seen to be from 2026-11-21T10:00:00Z or later still \
                 use what it had: db-0",
            ),
        ),
        ("2026-11-21T10:00:00Z", None),
    ] {
        let server = Server::new();
        server.world(|world| {
            world.edit(PV, |volume| {
                volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Retain");
                volume["spec"]["claimRef"]["uid"] = json!("gone");
                volume["status"]["phase"] = json!("Released");
            });
            world.edit(OLD, |claim| {
                claim["metadata"]["creationTimestamp"] = json!("2026-11-21T10:00:00Z");
                claim["spec"]["volumeName"] = json!("pv-9");
            });
            let mut other = world.objects[PV].clone();
            other["metadata"]["name"] = json!("pv-9");
            other["metadata"]["uid"] = json!("other-uid");
            other["spec"]["csi"]["volumeHandle"] = json!("disk-9");
            other["spec"]["claimRef"]["uid"] = json!("claim-uid");
            other["status"]["phase"] = json!("Bound");
            world.put("/api/v1/persistentvolumes/pv-9", other);
        });
        let to = repair::Recipient::Claim { namespace: "shop".into(), name: "moved".into() };
        let plan = server.plan_of(&repair::Request::Release { volume: "pv-1".into(), to }).await;
        let granted = Receipts::granted(&plan);
        let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
        server.world(|world| {
            world.log.clear();
            with_pod(world, created);
        });
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
        let result = execute(&server.client(), confirmed, &mut journal, &options(), &Ear::new()).await;
        match said {
            Some(said) => assert_eq!(result.unwrap_err().message, said),
            None => assert_eq!(result, Ok(Outcome { written: true, done: vec![1], untried: vec![] })),
        }
        assert_eq!(server.world(|world| world.writes().len()), usize::from(said.is_none()));
    }
}

/// A copy of a claim that names the volume of the one that lives goes without it, and not once that one is gone.
#[tokio::test(start_paused = true)]
async fn the_volume_of_a_living_claim_does_not_stop() {
    const COPY: &str = "/api/v1/namespaces/shop/persistentvolumeclaims/copy";
    let gone: fn(&mut World) = |world| _ = world.objects.remove(OLD);
    for dies in [false, true] {
        let server = Server::new();
        server.world(|world| {
            let mut copy = world.objects[OLD].clone();
            copy["metadata"]["name"] = json!("copy");
            copy["metadata"]["namespace"] = json!("shop");
            copy["metadata"]["uid"] = json!("copy-uid");
            copy["status"]["phase"] = json!("Lost");
            world.put(COPY, copy);
            let mut spare = world.objects[PV].clone();
            spare["metadata"] = json!({ "name": "pv-2", "uid": "spare-uid" });
            spare["spec"]["csi"]["volumeHandle"] = json!("disk-2");
            spare["spec"]["claimRef"] = Value::Null;
            spare["status"]["phase"] = json!("Available");
            world.put("/api/v1/persistentvolumes/pv-2", spare);
        });
        let request = repair::Request::Rebind {
            namespace: "shop".into(),
            name: "copy".into(),
            to: "pv-2".into(),
            provisioner_stopped: false,
        };
        let plan = server.plan_of(&request).await;
        let granted = Receipts::granted(&plan);
        let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
        server.world(|world| {
            world.log.clear();
            if dies {
                world.faults = vec![("GET /api/v1/persistentvolumes".to_owned(), Fault::Actor(gone))];
            }
        });
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
        let stop = execute(&server.client(), confirmed, &mut journal, &options(), &Ear::new()).await.unwrap_err();
        let deleted = format!("DELETE {COPY}");
        let wrote = server.world(|world| world.writes().contains(&deleted.as_str()));
        assert_eq!(wrote, !dies, "{stop:?}");
        if dies {
            assert_eq!(
                stop.message,
                "step 1: volume pv-1 is tied to claim shop/copy and has policy Delete: its data would go with the claim"
            );
        }
    }
}

/// A list of StatefulSets that cannot be read does not say that there is none.
#[tokio::test(start_paused = true)]
async fn unread_stateful_sets_stop() {
    let forbidden = Fault::Status(403, "statefulsets is forbidden");
    let server = Server::new().fault("GET /apis/apps/v1/namespaces/db/statefulsets", forbidden);
    let dir = tempfile::tempdir().unwrap();
    let stop = run(&server, dir.path(), &Ear::new()).await.0.unwrap_err();
    assert_eq!(stop.message, "step 2: statefulsets in namespace db could not be listed");
    assert_eq!(server.world(|world| world.writes().len()), 1);
}

/// Whoever presses Ctrl-C does not wait for an answer to what changes nothing, and always for one to a write.
#[tokio::test(start_paused = true)]
async fn an_interrupt_ends_what_only_reads() {
    for place in ["GET", "dry PATCH", "GET /api/v1/namespaces/db/pods"] {
        let server = Server::new().fault(place, Fault::Silence(false));
        let begun = tokio::time::Instant::now();
        let stop = run(&server, tempfile::tempdir().unwrap().path(), &Ear::patient_for(9)).await.0.unwrap_err();
        assert!(stop.message.starts_with("interrupted at step "), "{place}: {}", stop.message);
        assert!(begun.elapsed() <= Duration::from_secs(2), "{place}: {:?}", begun.elapsed());
    }
    let server = Server::new().fault("PATCH /api", Fault::Silence(true));
    let begun = tokio::time::Instant::now();
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &Ear::patient_for(3)).await;
    assert_eq!(result.unwrap_err().kind, StopKind::Partial);
    assert_eq!(begun.elapsed().as_secs(), 30);
    go_on(&server, dir.path(), &id).await.unwrap();
    assert_eq!(server.world(|world| world.writes().len()), 4);
}

#[tokio::test(start_paused = true)]
async fn requests_keep_to_their_limit_and_are_heard() {
    let server = Server::new().fault("PATCH /api", Fault::Silence(false));
    let confirmed = server.confirmed().await;
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(dir.path(), confirmed.plan(), "", NOW).unwrap();
    let heard = Mutex::new(Vec::new());
    let hears =
        |sent: &Sent<'_>| heard.lock().unwrap().push(format!("{} {} {:?}", sent.method, sent.path, sent.status));
    let client = server.client();
    let way = Way::from(&client).within(Duration::from_secs(2)).heard_by(&hears);
    let begun = tokio::time::Instant::now();
    execute(way, confirmed, &mut journal, &options(), &Ear::new()).await.unwrap();
    // The limit, and the pause before the next attempt.
    assert_eq!(begun.elapsed().as_secs(), 3);
    let heard = heard.into_inner().unwrap();
    assert_eq!(heard[0], format!("GET {OLD} Some(200)"));
    assert!(heard.contains(&format!("PATCH {PV}?fieldManager=kubectl-pvctl None")), "{heard:?}");
}

/// A run that dies when all is done leaves nothing to go on with.
#[tokio::test(start_paused = true)]
async fn a_journal_without_its_last_line_is_closed() {
    let (server, dir) = (Server::new(), tempfile::tempdir().unwrap());
    let (result, id) = run(&server, dir.path(), &Ear::new()).await;
    result.unwrap();
    let path = dir.path().join(format!("{id}.jsonl"));
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines = whole.trim_end().rfind('\n').unwrap() + 1;
    std::fs::write(&path, &whole[..lines]).unwrap();
    assert_eq!(Journal::read(dir.path(), &id).unwrap().end, End::Open);
    let mut journal = Journal::open(dir.path(), &id).unwrap();
    assert_eq!(settle(&server.client(), &mut journal).await, Ok(Settled::Nothing));
    assert_eq!(Journal::read(dir.path(), &id).unwrap().end, End::Finished);
}

/// The newest journal is the one that was begun last, whatever its plan is called; one without a line is none.
#[tokio::test(start_paused = true)]
async fn journals_are_listed_by_when_they_were_begun() {
    let server = Server::new();
    let dir = tempfile::tempdir().unwrap();
    let mut plan = server.plan().await;
    for id in ["release-0000000a", "move-0000000b", "retain-00000001"] {
        id.clone_into(&mut plan.id);
        Journal::create(dir.path(), &plan, "", NOW).unwrap();
    }
    Journal::create(dir.path(), &plan, "", Timestamp(NOW.0 - 1)).unwrap();
    std::fs::write(dir.path().join("20261122T140200Z-undo-00000000.jsonl"), "{\"record\":\"hea").unwrap();
    let listed: Vec<String> = Journal::list(dir.path()).unwrap().into_iter().map(|summary| summary.id).collect();
    assert_eq!(
        listed,
        [
            "20261122T140134Z-retain-00000001-3",
            "20261122T140134Z-move-0000000b-2",
            "20261122T140134Z-release-0000000a",
            "20261122T140133Z-retain-00000001",
        ]
    );
}

/// What somebody else may have written decides nothing.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn journals_of_others_are_not_trusted() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let server = Server::new();
    let plan = server.plan().await;
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("journals");
    let id = Journal::create(&dir, &plan, "", NOW).unwrap().id().to_owned();
    let file = dir.join(format!("{id}.jsonl"));
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    let refused = |dir: &Path, cause: &str| {
        let stop = Journal::open(dir, &id).unwrap_err();
        assert_eq!((stop.kind, stop.causes.as_slice()), (StopKind::Refused, &[cause.to_owned()][..]));
        assert!(stop.message.ends_with(" is not trusted"), "{}", stop.message);
    };
    mode(&file, 0o640);
    refused(&dir, "its mode is 0640, where only its owner may read and write it");
    mode(&file, 0o600);
    mode(&dir, 0o770);
    refused(&dir, "its mode is 0770, where only its owner may write to it");
    assert_eq!(Journal::create(&dir, &plan, "", NOW).unwrap_err().kind, StopKind::Refused);
    mode(&dir, 0o755);
    let other = home.path().join("other");
    symlink(&dir, &other).unwrap();
    refused(&other, "it is a symbolic link");
    let elsewhere = home.path().join("elsewhere");
    std::fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    refused(&dir, "it is a symbolic link");
    std::fs::remove_file(&file).unwrap();
    std::fs::rename(&elsewhere, &file).unwrap();
    assert_eq!(Journal::open(&dir, &id).unwrap().id(), id);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1, "nothing else is left there");
}

#[tokio::test(start_paused = true)]
async fn journals_are_private_and_exclusive() {
    let server = Server::new();
    let plan = server.plan().await;
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("state").join("journals");
    assert!(Journal::list(&dir).unwrap().is_empty(), "no directory, no journals");
    let first = Journal::create(&dir, &plan, "https://api.example.com", NOW).unwrap();
    let second = Journal::create(&dir, &plan, "https://api.example.com", NOW).unwrap();
    assert_eq!(second.id(), format!("{}-2", first.id()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(first.path())), (0o700, 0o600));
    }
    let stop = Journal::open(&dir, first.id()).unwrap_err();
    assert_eq!(stop.kind, StopKind::Refused);
    assert!(stop.message.starts_with("another run uses the journal "), "{}", stop.message);
    let id = first.id().to_owned();
    drop(first);
    assert_eq!(Journal::open(&dir, &id).unwrap().entry().plan, plan);
    let all: Vec<String> = Journal::list(&dir).unwrap().into_iter().map(|summary| summary.id).collect();
    assert_eq!(all, [format!("{id}-2"), id.clone()]);
    assert!(!format!("{:?}", Journal::read(&dir, &id).unwrap()).contains("claim-uid"), "objects are not shown");
    for id in ["../x", "x.jsonl", "", "no-such-journal"] {
        assert_eq!(Journal::open(&dir, id).unwrap_err().kind, StopKind::NoJournal, "{id}");
    }
    // A directory that cannot be made: a file has its name.
    std::fs::write(home.path().join("file"), "").unwrap();
    let stop = Journal::create(&home.path().join("file"), &plan, "", NOW).unwrap_err();
    assert_eq!((stop.kind, stop.written), (StopKind::Refused, false));
}

/// A program that is being started has the files of this process until it runs, with a journal's lock.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn programs_that_are_started_lock_no_journal() {
    let plan = Server::new().plan().await;
    let dir = tempfile::tempdir().unwrap();
    let id = Journal::create(dir.path(), &plan, "", NOW).unwrap().id().to_owned();
    let starts = std::thread::spawn(|| {
        for _ in 0..300 {
            let ended = crate::support::Run::of(Path::new("/bin/sh"), &["-c", "exit 0"]).finish();
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        }
    });
    while !starts.is_finished() {
        Journal::open(dir.path(), &id).unwrap();
    }
    starts.join().unwrap();
}

#[tokio::test(start_paused = true)]
async fn journals_are_read_strictly_but_for_a_torn_end() {
    let server = Server::new();
    let dir = tempfile::tempdir().unwrap();
    let (result, id) = run(&server, dir.path(), &Ear::patient_for(6)).await;
    assert_eq!(result.unwrap_err().kind, StopKind::Partial);
    let path = dir.path().join(format!("{id}.jsonl"));
    let whole = std::fs::read_to_string(&path).unwrap();
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Journal::read(dir.path(), &id)
    };
    // Every place at which a disk can end the file.
    let mut seen = Vec::new();
    for end in (0..whole.len()).step_by(5) {
        let lines = whole[..end].matches('\n').count();
        match read(&whole[..end]) {
            Ok(entry) => seen.push(entry.done().len()),
            Err(stop) => assert!(lines == 0 && stop.causes[0].contains("nothing was written"), "{stop:?}"),
        }
    }
    assert!(seen.is_sorted() && seen.last() == Some(&2), "{seen:?}");
    // What was torn is cut off before somebody writes on.
    let torn = &whole[..whole.trim_end().rfind('\n').unwrap() + 20];
    std::fs::write(&path, torn).unwrap();
    go_on(&server, dir.path(), &id).await.unwrap();
    server.is_moved();
    assert_eq!(Journal::read(dir.path(), &id).unwrap().end, End::Finished);

    for (text, cause) in [
        (whole.replacen("\"version\":2", "\"version\":3", 1), "line 1: version 3 of journals is not known here"),
        (
            whole.replacen("\"record\":\"header\"", "\"record\":\"header\",\"more\":1", 1),
            "line 1: unknown field `more`",
        ),
        (whole.replacen("\"record\":\"saved\"", "\"record\":\"saved\",\"more\":1", 1), "line 2: unknown field `more`"),
        (whole.replacen("\"record\":\"saved\"", "\"record\":\"hidden\"", 1), "line 2: unknown variant `hidden`"),
        (whole.replacen("\"step\":1", "\"step\":9", 1), "line 4: the plan has no step 9"),
        (
            whole.lines().skip(1).fold(String::new(), |all, line| all + line + "\n"),
            "line 1: a journal begins with a header",
        ),
    ] {
        let stop = read(&text).unwrap_err();
        assert_eq!(stop.kind, StopKind::Unreadable);
        assert!(stop.message.contains(path.to_str().unwrap()), "{}", stop.message);
        assert!(stop.causes[0].starts_with(cause), "{:?}", stop.causes);
        let listed = Journal::list(dir.path()).unwrap();
        // By its name it is one of ours.
        assert!(listed.len() == 1 && listed[0].entry.as_ref().is_err_and(|unread| !unread.foreign));
    }
}

/// A plan is data, which anybody can change: what its request does not ask for is refused, and so is what the API
/// server was not asked.
#[tokio::test(start_paused = true)]
async fn a_review_holds_a_plan_to_its_request_and_to_what_was_asked() {
    let server = Server::new();
    let plan = server.plan().await;
    let rejected = async |change: &dyn Fn(&mut Plan, &mut Receipts), by: &str, said: &str| {
        let (mut plan, mut granted) = (plan.clone(), Receipts::granted(&plan));
        change(&mut plan, &mut granted);
        let rejected = server.review(plan, &granted).await.unwrap_err();
        assert_eq!((rejected.refusal.by, rejected.refusal.message.as_str()), (by, said));
    };
    let not_asked = "the plan is not the one of its request: it gives up the data of volume pv-1";
    rejected(&|plan, _| plan.volumes[0].given_up = vec![repair::GivenUp::Data], "request", not_asked).await;
    let object = "the plan is not the one of its request: it gives up the object of volume pv-1";
    let gives_object = |plan: &mut Plan| plan.volumes[0].given_up = vec![repair::GivenUp::Object];
    rejected(&|plan, _| gives_object(plan), "request", object).await;
    // An undo makes a claim Lost again, and deletes no data.
    let undo =
        repair::Request::Undo { journal: "20261122T140134Z-move-00000000".to_owned(), provisioner_stopped: false };
    rejected(
        &|plan, _| {
            plan.request = undo.clone();
            plan.volumes[0].given_up = vec![repair::GivenUp::Claim, repair::GivenUp::Data];
        },
        "request",
        not_asked,
    )
    .await;
    let thief = "the plan is not the one of its request: it gives volume pv-1 to claim web/thief";
    rejected(&|plan, _| plan.volumes[0].for_claims.push(("web".into(), "thief".into())), "request", thief).await;
    let untyped = "the plan is not the one of its request: it does not have pv-1 typed";
    let reclaim = repair::Request::Reclaim { volume: "pv-1".into(), delete: true };
    rejected(
        &|plan, _| {
            plan.request = reclaim.clone();
            plan.volumes[0].given_up = vec![repair::GivenUp::Data];
        },
        "request",
        untyped,
    )
    .await;
    let unasked = "the API server was not asked whether you may: delete persistentvolumeclaims data in db";
    rejected(&|_, asked| asked.rights.retain(|(right, _)| right.verb != "delete"), "rights", unasked).await;
    let untried = "the API server was not asked whether it accepts the first write";
    rejected(&|_, asked| asked.dry_run = None, "admission", untried).await;
    // An undo without its repair is held to what any of them may do.
    let mut back = plan.clone();
    back.request = undo;
    back.volumes[0].given_up = vec![repair::GivenUp::Claim];
    assert_eq!(repair::keeps_to_request(&back, None), Ok(()));
    assert_eq!(repair::keeps_to_request(&back, Some(&plan)), Ok(()));
    back.volumes[0].given_up.push(repair::GivenUp::Privacy);
    let privacy = "it gives up the privacy of volume pv-1".to_owned();
    assert_eq!(repair::keeps_to_request(&back, Some(&plan)), Err(privacy));
}

/// A review asks for the rights to exactly those requests that the plan makes.
#[tokio::test(start_paused = true)]
async fn rights_are_asked_for_every_request() {
    let server = Server::new();
    let mut plan = server.plan().await;
    let volume =
        serde_json::from_value(json!({ "name": "pv-1", "uid": "volume-uid", "storage": "csi csi.example.com disk-1" }))
            .unwrap();
    plan.steps[0].recheck.extend([
        repair::Recheck::NotRecycled { volume: "pv-1".into() },
        repair::Recheck::Lives { namespace: "db".into(), name: "data".into(), volume },
        repair::Recheck::AllRetained { namespace: "shop".into(), name: "other".into() },
    ]);
    let rights = repair::rights(&plan);
    let shown = rights
        .iter()
        .map(|right| format!("{} {} {}/{}", right.verb, right.kind.resource(), right.namespace, right.name));
    let expected = [
        "create persistentvolumeclaims shop/",
        "delete persistentvolumeclaims db/data",
        "get persistentvolumeclaims db/data",
        "get persistentvolumeclaims shop/moved",
        "get persistentvolumeclaims shop/other",
        "get persistentvolumes /pv-1",
        "get pods default/recycler-for-pv-1",
        "list persistentvolumes /",
        "list pods db/",
        "list pods shop/",
        "list statefulsets db/",
        "list statefulsets shop/",
        "list volumeattachments /",
        "patch persistentvolumes /pv-1",
    ];
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    let unneeded: Vec<&String> = shown.iter().filter(|right| !expected.contains(&right.as_str())).collect();
    assert!(unneeded.is_empty(), "{unneeded:?}");

    let granted = Receipts::granted(&plan);
    let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
    server.world(|world| world.log.clear());
    let directory = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(directory.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
    execute(&server.client(), confirmed, &mut journal, &options(), &Ear::new()).await.unwrap();
    let requests: Vec<String> = rights
        .iter()
        .map(|right| {
            let path = repair::path(right.kind, &right.namespace, &right.name);
            let path = path.trim_end_matches('/');
            match right.verb {
                "get" | "list" => format!("GET {path}"),
                "create" => format!("POST {path}"),
                "delete" => format!("DELETE {path}"),
                _ => format!("PATCH {path}"),
            }
        })
        .collect();
    server.world(|world| {
        for line in &world.log {
            assert!(requests.contains(&line.trim_start_matches("dry ").to_owned()), "{line}");
        }
        assert!(world.log.contains(&"GET /api/v1/namespaces/default/pods/recycler-for-pv-1".to_owned()));
    });
}

/// A quota says how much it has: where that does not suffice without the old claim either, that is not deleted.
#[tokio::test(start_paused = true)]
async fn a_quota_is_a_warning_only_where_the_old_claim_makes_room() {
    const BESIDE: &str = "create pvc/late -n db: a quota has no room for it beside the claim that goes first";
    // The old claim asks for 1Gi of class standard, the new one for 2Gi.
    let enough = [
        ("requests.storage=2Gi", "requests.storage=9Gi", "requests.storage=10Gi"),
        (
            "persistentvolumeclaims=1,requests.storage=2Gi",
            "persistentvolumeclaims=3,requests.storage=9Gi",
            "persistentvolumeclaims=3,requests.storage=10Gi",
        ),
        (
            "standard.storageclass.storage.k8s.io/requests.storage=2Gi",
            "standard.storageclass.storage.k8s.io/requests.storage=10239Mi",
            "standard.storageclass.storage.k8s.io/requests.storage=11Gi",
        ),
        (
            "standard.storageclass.storage.k8s.io/persistentvolumeclaims=1",
            "standard.storageclass.storage.k8s.io/persistentvolumeclaims=1",
            "standard.storageclass.storage.k8s.io/persistentvolumeclaims=1",
        ),
    ];
    let lacking = [
        ("requests.storage=2Gi", "requests.storage=10Gi", "requests.storage=10Gi", "requests.storage"),
        (
            "persistentvolumeclaims=1,requests.storage=2Gi",
            "persistentvolumeclaims=3,requests.storage=9729Mi",
            "persistentvolumeclaims=3,requests.storage=10Gi",
            "requests.storage",
        ),
        ("persistentvolumeclaims=1", "persistentvolumeclaims=4", "persistentvolumeclaims=3", "persistentvolumeclaims"),
        (
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims=1",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims=2",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims=2",
            "gold.storageclass.storage.k8s.io/persistentvolumeclaims",
        ),
        (
            "gold.storageclass.storage.k8s.io/requests.storage=2Gi",
            "gold.storageclass.storage.k8s.io/requests.storage=9Gi",
            "gold.storageclass.storage.k8s.io/requests.storage=10Gi",
            "gold.storageclass.storage.k8s.io/requests.storage",
        ),
    ];
    let asked = async |message: String| {
        let server = Server::new();
        let plan = server.plan_to_replace("late").await;
        let message: &'static str = message.leak();
        let server = server.fault(&format!("dry POST {OLD_LIST}"), Fault::Status(403, message));
        let asked = receipts(&server.client(), &plan).await.unwrap();
        assert_eq!(server.world(|world| world.writes().len()), 0);
        asked
    };
    let said = |requested: &str, used: &str, limited: &str| {
        format!(
            "\"late-pvctl-1\" is forbidden: exceeded quota: q, requested: {requested}, used: {used}, limited: {limited}"
        )
    };
    for (requested, used, limited) in enough {
        let message = said(requested, used, limited);
        let asked = asked(message.clone()).await;
        assert_eq!(asked.dry_run, Some(Ok(())), "{message}");
        assert_eq!(asked.doubts, [format!("{BESIDE}; when that is gone, there is enough: HTTP 403: {message}")]);
    }
    for (requested, used, limited, resource) in lacking {
        let message = said(requested, used, limited);
        let asked = asked(message.clone()).await;
        let why = format!("{BESIDE}, and not enough of {resource} when that is gone either: HTTP 403: {message}");
        assert_eq!((asked.dry_run, asked.doubts.len()), (Some(Err(why)), 0));
    }
    for message in [
        "\"late-pvctl-1\" is forbidden: exceeded quota: q",
        "\"late-pvctl-1\" is forbidden: exceeded quota: q, requested: requests.storage=2Gi, used: requests.storage=1Gi, limited: ",
        "\"late-pvctl-1\" is forbidden: exceeded quota: q, requested: requests.storage=lots, used: requests.storage=1Gi, limited: requests.storage=2Gi",
    ] {
        let asked = asked(message.to_owned()).await;
        let why = format!("{BESIDE}, and whether it has when that is gone cannot be told: HTTP 403: {message}");
        assert_eq!((asked.dry_run, asked.doubts.len()), (Some(Err(why)), 0));
    }
}

/// The quota controller counts anew some time after the old claim is gone: the new one is tried again meanwhile.
#[tokio::test(start_paused = true)]
async fn a_quota_that_still_counts_the_old_claim_is_waited_for() {
    const FULL: Fault = Fault::Status(
        403,
        "exceeded quota: q, requested: persistentvolumeclaims=1, used: \
        persistentvolumeclaims=1, limited: persistentvolumeclaims=1",
    );
    let replaced = async |dry: usize, written: usize| {
        let server = Server::new();
        let plan = server.plan_to_replace("late").await;
        let granted = Receipts::granted(&plan);
        let confirmed = server.review(plan, &granted).await.expect("the plan is safe");
        server.world(|world| {
            let faults = |start: &str, count| vec![(format!("{start} {OLD_LIST}"), FULL); count];
            world.faults = [faults("dry POST", dry), faults("POST", written)].concat();
        });
        let directory = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(directory.path(), confirmed.plan(), "https://api.example.com", NOW).unwrap();
        let begun = tokio::time::Instant::now();
        let ended = execute(&server.client(), confirmed, &mut journal, &options(), &Ear::new()).await;
        let there = server.world(|world| world.objects.contains_key(&format!("{OLD_LIST}/late")));
        (ended, there, begun.elapsed().as_secs())
    };
    let (ended, there, seconds) = replaced(3, 0).await;
    assert!(ended.is_ok() && there && seconds >= 6, "{ended:?} after {seconds} s");
    let (ended, there, seconds) = replaced(0, 2).await;
    assert!(ended.is_ok() && there && seconds >= 4, "{ended:?} after {seconds} s");
    // For ever is not waited for.
    let (ended, there, seconds) = replaced(6, 0).await;
    let stopped = ended.unwrap_err();
    assert_eq!((stopped.kind, there), (StopKind::Partial, false));
    assert!(stopped.message.ends_with("the API server refuses to create pvc/late -n db"), "{stopped:?}");
    assert!((10..20).contains(&seconds), "{seconds}");
}
