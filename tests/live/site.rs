//! A cluster with the real controllers. Bindings break there in the same way as in practice, and the program repairs
//! them. A watch sees every state of every volume.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test waits for controllers, looks at journals, and fails by panicking"
)]

mod place;

pub(crate) use place::Place;

use super::api::{Api, path};
use super::plane::Plane;
use http::{Method, Request};
use http_body_util::BodyExt as _;
use k8s_openapi::ByteString;
use kube::client::Body;
use kube::{Client, Config};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// The longest time to wait for the controllers. They need a few seconds at most, even on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The name of a volume that shows how far the watch is. After a change of this volume was seen, all earlier changes
/// have been seen.
const MARK: &str = "mark";

/// The volume sources that the tests use.
const SOURCES: [&str; 4] = ["csi", "nfs", "hostPath", "local"];

/// The kinds, with the names that manifests use.
pub(crate) const PV: &str = "PersistentVolume";
pub(crate) const PVC: &str = "PersistentVolumeClaim";
pub(crate) const ATTACHMENT: &str = "VolumeAttachment";
/// The node of all pods that have a node.
pub(crate) const NODE: &str = "somewhere";

/// Returns the text at a JSON pointer of an object.
pub(crate) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// A control plane with controllers, and what the watch has seen.
pub(crate) struct Site {
    pub(crate) plane: Plane,
    pub(crate) api: Api,
    pub(crate) runtime: Runtime,
    etcd: Client,
    /// What the watch has seen, in order: the type of the event and the volume.
    seen: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Site {
    /// Starts a control plane with the controllers of volumes and claims, and the watch.
    pub(crate) fn start() -> Self {
        Self::start_with("")
    }

    /// Starts a control plane like [`Site::start`], with further controllers.
    pub(crate) fn start_with(more: &str) -> Self {
        let mut plane = Plane::start(&[]);
        let runtime = Runtime::new().unwrap();
        let api = runtime.block_on(Api::of(&plane));
        plane.start_controllers_and(more);
        let etcd = Config::new(plane.etcd().parse().unwrap());
        let etcd = runtime.block_on(async { Client::try_from(etcd).unwrap() });
        let site = Self { plane, api, runtime, etcd, seen: Arc::default() };
        Self::until("the controllers start", || {
            site.plane.log("kube-controller-manager").contains("Caches are synced")
        });
        let seen = Arc::clone(&site.seen);
        site.runtime.spawn(watch(site.api.clone(), move |event, volume| {
            seen.lock().unwrap().push((event.to_owned(), volume));
        }));
        // A controller deletes pods on a node that does not exist. So the node must exist.
        site.put(&json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}));
        site.put(&json!({
            "apiVersion": "v1", "kind": PV, "metadata": {"name": MARK},
            "spec": {
                "capacity": {"storage": "1Mi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": MARK,
                "csi": {"driver": "driver.example.com", "volumeHandle": MARK},
            },
        }));
        site
    }

    /// Stops the controllers immediately.
    pub(crate) fn stop_controllers(&mut self) {
        self.plane.stop_controllers();
    }

    /// Starts the controllers again.
    pub(crate) fn start_controllers(&mut self) {
        self.plane.start_controllers();
    }

    /// Waits until `is` returns true.
    pub(crate) fn until(what: &str, is: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is() {
            assert!(begin.elapsed() < PATIENCE, "the condition was not reached in time: {what}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Creates an object, and returns what is stored.
    pub(crate) fn put(&self, object: &Value) -> Value {
        let made = self.runtime.block_on(self.api.create(object));
        made.unwrap_or_else(|refused| panic!("{}: {object}", refused.message))
    }

    /// Returns the object that is stored under a name, or `None` if there is no such object.
    pub(crate) fn get(&self, kind: &str, namespace: &str, name: &str) -> Option<Value> {
        match self.runtime.block_on(self.api.get(&path(kind, namespace, name))) {
            Ok(object) => Some(object),
            Err(refused) if refused.code == 404 => None,
            Err(refused) => panic!("{}", refused.message),
        }
    }

    /// Writes fields into the status of an object, in place of the component that would report them.
    pub(crate) fn report(&self, kind: &str, namespace: &str, name: &str, status: &Value) {
        Self::until("the status is written", || {
            let Some(mut object) = self.get(kind, namespace, name) else { return false };
            for (field, value) in status.as_object().unwrap() {
                object["status"][field] = value.clone();
            }
            self.runtime.block_on(self.api.replace_status(&object)).is_ok()
        });
    }

    /// Changes an object like `kubectl edit`.
    pub(crate) fn edit(&self, kind: &str, namespace: &str, name: &str, change: impl Fn(&mut Value)) {
        let path = path(kind, namespace, name);
        loop {
            let mut object = self.get(kind, namespace, name).unwrap_or_else(|| panic!("there is no {kind} {name}"));
            change(&mut object);
            match self.runtime.block_on(self.api.send(Method::PUT, &path, Some(&object))) {
                Ok(_) => return,
                Err(refused) if refused.code == 409 => {}
                Err(refused) => panic!("{}", refused.message),
            }
        }
    }

    /// Changes an object directly in etcd. This sets fields that nobody can write through the API server, such as a
    /// time in the past.
    pub(crate) fn store(&self, kind: &str, namespace: &str, name: &str, change: impl Fn(&mut Value)) {
        let key = etcd_key(kind, namespace, name);
        loop {
            let mut object = self.get(kind, namespace, name).unwrap_or_else(|| panic!("there is no {kind} {name}"));
            change(&mut object);
            // The resource version is the revision of etcd. It is not stored in the object.
            let version = object["metadata"].as_object_mut().and_then(|metadata| metadata.remove("resourceVersion"));
            let body = json!({
                "compare": [{"key": key, "target": "MOD", "result": "EQUAL", "mod_revision": version}],
                "success": [{"request_put": {"key": key, "value": bytes(&object.to_string())}}],
            });
            let done = self.etcd("/v3/kv/txn", &body);
            if done["succeeded"] == true {
                return;
            }
        }
    }

    /// Writes an earlier copy of an object to etcd, with its uid, as a partial restore of etcd does.
    pub(crate) fn write_back(&self, kind: &str, namespace: &str, name: &str, copy: &Value) {
        let mut object = copy.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("resourceVersion");
        }
        self.etcd("/v3/kv/put", &json!({"key": etcd_key(kind, namespace, name), "value": bytes(&object.to_string())}));
    }

    /// Sends a request to etcd, and returns the answer.
    fn etcd(&self, path: &str, body: &Value) -> Value {
        let request = Request::post(path).body(serde_json::to_vec(body).unwrap()).unwrap();
        self.runtime.block_on(self.etcd.request(request)).unwrap()
    }

    /// Deletes an object without a grace period. Its finalizers may keep it. If the object is already gone, this is not
    /// an error.
    pub(crate) fn delete(&self, kind: &str, namespace: &str, name: &str) {
        let path = format!("{}?gracePeriodSeconds=0", path(kind, namespace, name));
        let gone = self.runtime.block_on(self.api.send(Method::DELETE, &path, None));
        if let Err(refused) = gone {
            assert_eq!(refused.code, 404, "{}", refused.message);
        }
    }

    /// Returns the state of a volume in words: its phase, its policy, and its claim.
    pub(crate) fn pv(&self, name: &str) -> String {
        let Some(volume) = self.get(PV, "", name) else { return "gone".to_owned() };
        volume_in_words(&volume, |namespace, claim| {
            let live = self.get(PVC, namespace, claim)?;
            Some(text(&live, "/metadata/uid").to_owned())
        })
    }

    /// Returns the state of a claim in words: its phase and its volume.
    pub(crate) fn pvc(&self, namespace: &str, name: &str) -> String {
        self.get(PVC, namespace, name).map_or_else(|| "gone".to_owned(), |claim| claim_in_words(&claim))
    }

    /// Returns what the watch has seen about a volume so far.
    pub(crate) fn history(&self, volume: &str) -> Vec<(String, Value)> {
        let now = format!("{:?}", Instant::now());
        self.edit(PV, "", MARK, |mark| mark["metadata"]["annotations"] = json!({ "example.com/now": now }));
        // Other threads may change this volume as well.
        let version = self.get(PV, "", MARK).map(|mark| text(&mark, "/metadata/resourceVersion").to_owned()).unwrap();
        let version: u64 = version.parse().unwrap();
        Self::until("the watch has seen everything", || {
            let seen = self.seen.lock().unwrap();
            seen.iter().rev().any(|(_, object)| {
                object["metadata"]["name"] == MARK
                    && text(object, "/metadata/resourceVersion").parse::<u64>().unwrap() >= version
            })
        });
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|(_, object)| object["metadata"]["name"] == volume).cloned().collect()
    }

    /// Returns how a volume was lost: it was deleted, it was given to a claim that may not have it, or it now has other
    /// storage.
    pub(crate) fn harm(&self, volume: &str, meant: &[(&str, &str)]) -> Vec<String> {
        let mut harm = Vec::new();
        let history = self.history(volume);
        assert!(!history.is_empty(), "the watch must have seen volume {volume}");
        for (event, object) in &history {
            if event == "DELETED" {
                harm.push(format!("{volume} was deleted"));
            }
            let named = &object["spec"]["claimRef"];
            let claim = (text(named, "/namespace"), text(named, "/name"));
            if !text(named, "/uid").is_empty() && !meant.contains(&claim) {
                harm.push(format!("{volume} was given to claim {}/{}", claim.0, claim.1));
            }
            if SOURCES.iter().any(|source| object["spec"][source] != history[0].1["spec"][source]) {
                harm.push(format!("{volume} got other storage"));
            }
        }
        harm
    }
}

/// Returns the text as etcd's HTTP gateway expects it, in base64.
fn bytes(text: &str) -> Value {
    serde_json::to_value(ByteString(text.as_bytes().to_vec())).unwrap()
}

/// Returns the key of an object in etcd.
fn etcd_key(kind: &str, namespace: &str, name: &str) -> Value {
    let plural = path(kind, "", "").rsplit('/').next().map(str::to_owned).unwrap();
    let within = if namespace.is_empty() { String::new() } else { format!("/{namespace}") };
    bytes(&format!("/registry/{plural}{within}/{name}"))
}

/// Returns the state of a volume in words. `uid_of` returns the uid of an existing claim.
fn volume_in_words(volume: &Value, uid_of: impl Fn(&str, &str) -> Option<String>) -> String {
    let named = &volume["spec"]["claimRef"];
    let (namespace, claim) = (text(named, "/namespace"), text(named, "/name"));
    let whose = match text(named, "/uid") {
        _ if claim.is_empty() => "of nobody".to_owned(),
        "" => format!("for {namespace}/{claim}"),
        uid => {
            let same = uid_of(namespace, claim).is_some_and(|live| live == uid);
            format!("of {}{namespace}/{claim}", if same { "" } else { "the former " })
        }
    };
    let going = if volume["metadata"]["deletionTimestamp"].is_string() { ", going" } else { "" };
    let (phase, policy) = (text(volume, "/status/phase"), text(volume, "/spec/persistentVolumeReclaimPolicy"));
    format!("{phase}, {policy}, {whose}{going}")
}

/// Returns the state of a claim in words.
fn claim_in_words(claim: &Value) -> String {
    let going = if claim["metadata"]["deletionTimestamp"].is_string() { ", going" } else { "" };
    let node = claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"].as_str();
    let node = node.map_or_else(String::new, |node| format!(", on {node}"));
    format!("{}, {}{going}{node}", text(claim, "/status/phase"), text(claim, "/spec/volumeName"))
}

/// Calls `on_event` with the type and the volume of every event, until the runtime ends.
pub(crate) async fn watch(api: Api, mut on_event: impl FnMut(&str, Value)) {
    let mut version = "0".to_owned();
    loop {
        let path = format!("{}?watch=1&resourceVersion={version}", path(PV, "", ""));
        let request = Request::get(path).body(Body::empty()).expect("a request");
        let Ok(answer) = api.client().send(request).await else { return };
        assert!(answer.status().is_success(), "the watch must be accepted, but the answer is {}", answer.status());
        let mut body = answer.into_body();
        let mut line = Vec::new();
        while let Some(Ok(frame)) = body.frame().await {
            let Ok(data) = frame.into_data() else { continue };
            for byte in data {
                if byte != b'\n' {
                    line.push(byte);
                    continue;
                }
                let mut event: Value = serde_json::from_slice(&line).expect("an event");
                line.clear();
                let object = event["object"].take();
                text(&object, "/metadata/resourceVersion").clone_into(&mut version);
                on_event(text(&event, "/type"), object);
            }
        }
    }
}
