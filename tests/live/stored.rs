//! An empty control plane in whose etcd the tests store objects directly.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use super::api::{Api, Refused};
use super::plane::Plane;
use super::site::text;
use http::{Method, Request};
use k8s_openapi::ByteString;
use kube::{Client, Config};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time;

/// The resource of Services.
const SERVICES: &str = "services";

/// The API path of a kind, as the discovery of the API server states it.
#[derive(Clone)]
struct Resource {
    group: String,
    plural: String,
    namespaced: bool,
    has_status: bool,
}

impl Resource {
    async fn of(api: &Api, object: &Value) -> Self {
        let (version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
        let group = if version.contains('/') { format!("/apis/{version}") } else { format!("/api/{version}") };
        let known = api.get(&group).await.expect("a group of the API");
        let resources = known["resources"].as_array().expect("resources");
        let names = resources.iter().filter(|one| one["kind"] == kind).map(|one| text(one, "/name"));
        let plural = names.clone().find(|name| !name.contains('/')).unwrap_or_else(|| panic!("there is no {kind}"));
        let namespaced = resources.iter().any(|one| one["name"] == plural && one["namespaced"] == true);
        let has_status = names.clone().any(|name| name.strip_suffix("/status") == Some(plural));
        Self { group, plural: plural.to_owned(), namespaced, has_status }
    }

    fn list(&self, object: &Value) -> String {
        let within = if self.namespaced {
            format!("/namespaces/{}", text(object, "/metadata/namespace"))
        } else {
            String::new()
        };
        format!("{}{within}/{}", self.group, self.plural)
    }

    fn path(&self, object: &Value) -> String {
        format!("{}/{}", self.list(object), text(object, "/metadata/name"))
    }

    /// Returns the prefix of etcd's keys of all objects of the kind.
    fn prefix(&self) -> String {
        let folder = match self.plural.as_str() {
            "nodes" => "minions",
            SERVICES => "services/specs",
            "endpoints" => "services/endpoints",
            plural => plural,
        };
        // Custom resources are in the folder of their group.
        let group = self.group.strip_prefix("/apis/").and_then(|version| version.split('/').next()).unwrap_or_default();
        if ["snapshot.storage.k8s.io", "api.storageos.com"].contains(&group) {
            format!("/registry/{group}/{folder}/")
        } else {
            format!("/registry/{folder}/")
        }
    }

    fn key(&self, object: &Value) -> String {
        let namespace =
            if self.namespaced { format!("{}/", text(object, "/metadata/namespace")) } else { String::new() };
        format!("{}{namespace}{}", self.prefix(), text(object, "/metadata/name"))
    }
}

/// An empty control plane without controllers, and its etcd. The test writes uids and past times directly to etcd,
/// because the API does not accept them.
pub(super) struct Cluster {
    pub(super) plane: Plane,
    pub(super) api: Api,
    etcd: Client,
    resources: BTreeMap<(String, String), Resource>,
    namespaces: BTreeSet<String>,
}

impl Cluster {
    pub(super) async fn start() -> Self {
        Self::of(Plane::without_admission()).await
    }

    /// Uses a control plane that is already running.
    pub(super) async fn of(plane: Plane) -> Self {
        let api = Api::of(&plane).await;
        super::snapshots::install(&api).await;
        // A rule compares addresses with those of Services. The API server creates this Service soon after its start.
        let own = "/api/v1/namespaces/default/services/kubernetes";
        let appears = async {
            while api.get(own).await.is_err() {
                time::sleep(Duration::from_millis(100)).await;
            }
        };
        time::timeout(Duration::from_mins(1), appears).await.expect("the Service of the API server");
        let etcd = Config::new(plane.etcd().parse().expect("an address"));
        let etcd = Client::try_from(etcd).expect("a client");
        Self { plane, api, etcd, resources: BTreeMap::new(), namespaces: BTreeSet::new() }
    }

    async fn resource(&mut self, object: &Value) -> Resource {
        let kind = (text(object, "/apiVersion").to_owned(), text(object, "/kind").to_owned());
        if !self.resources.contains_key(&kind) {
            let resource = Resource::of(&self.api, object).await;
            self.resources.insert(kind.clone(), resource);
        }
        self.resources[&kind].clone()
    }

    async fn ask_etcd(&self, path: &str, body: &Value) {
        let request = Request::post(path).body(serde_json::to_vec(body).expect("a value")).expect("a request");
        let _: Value = self.etcd.request(request).await.unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// Writes an object to etcd at the key under which the API server reads it. So the API server validates nothing.
    pub(super) async fn put(&mut self, object: &Value) {
        let resource = self.resource(object).await;
        let mut object = object.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            // The API server takes the resource version from etcd.
            metadata.remove("resourceVersion");
        }
        let value = bytes(&serde_json::to_string(&object).expect("a value"));
        self.ask_etcd("/v3/kv/put", &json!({"key": bytes(&resource.key(&object)), "value": value})).await;
    }

    async fn remove(&self, key: &str) {
        self.ask_etcd("/v3/kv/deleterange", &json!({"key": bytes(key)})).await;
    }

    async fn remove_all(&self, prefix: &str) {
        let end = format!("{}0", prefix.strip_suffix('/').expect("a folder"));
        self.ask_etcd("/v3/kv/deleterange", &json!({"key": bytes(prefix), "range_end": bytes(&end)})).await;
    }

    /// Removes all objects that a fixture and the controllers created. Namespaces stay, except if the fixture itself
    /// contains them.
    pub(super) async fn clear(&mut self, objects: &[Value]) {
        let fixed = ["/registry/events/".to_owned(), "/registry/pods/".to_owned()];
        let is_emptied = |one: &&Resource| !["namespaces", SERVICES].contains(&one.plural.as_str());
        let kinds = self.resources.values().filter(is_emptied).map(Resource::prefix);
        for prefix in kinds.chain(fixed).collect::<BTreeSet<_>>() {
            self.remove_all(&prefix).await;
        }
        // The Service of the API server stays.
        for service in objects.iter().filter(|object| object["kind"] == "Service") {
            let key = self.resource(service).await.key(service);
            self.remove(&key).await;
        }
        self.remove_namespaces(objects).await;
    }

    /// Removes the namespaces that are among the objects.
    async fn remove_namespaces(&mut self, objects: &[Value]) {
        for name in named(objects, "Namespace") {
            self.namespaces.remove(name);
            self.remove(&format!("/registry/namespaces/{name}")).await;
        }
    }

    /// Creates the namespaces of the objects, except those that are among the objects.
    pub(super) async fn ensure_namespaces(&mut self, objects: &[Value]) {
        self.remove_namespaces(objects).await;
        let own: BTreeSet<&str> = named(objects, "Namespace").collect();
        for name in objects.iter().map(|object| text(object, "/metadata/namespace")) {
            if !name.is_empty() && !own.contains(name) && self.namespaces.insert(name.to_owned()) {
                let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
                if let Err(refused) = self.create(&namespace).await {
                    assert_eq!(refused.code, 409, "{}", refused.message);
                }
            }
        }
    }

    /// Creates an object. Its status and its deletion are added later by `finish`.
    pub(super) async fn create(&mut self, object: &Value) -> Result<Value, Refused> {
        let resource = self.resource(object).await;
        let mut new = object.clone();
        let metadata = new["metadata"].as_object_mut().expect("metadata");
        for given in PAST {
            metadata.remove(given);
        }
        self.api.send(Method::POST, &resource.list(object), Some(&new)).await
    }

    /// Starts the deletion of an object and writes its status, if the fixture states these. Returns the object as it is
    /// stored then. The deletion comes first, for two reasons. If a pod has already ended, its deletion removes it
    /// immediately. And the API server accepts the phase Terminating only for a namespace that is being deleted.
    pub(super) async fn finish(&mut self, object: &Value) -> Result<Value, Refused> {
        let resource = self.resource(object).await;
        let path = resource.path(object);
        if object["metadata"]["deletionTimestamp"].is_string() {
            self.api.send(Method::DELETE, &path, None).await?;
        }
        // If neither a finalizer nor a grace period keeps the object, it is gone now. Then this read fails.
        let mut stored = self.api.get(&path).await?;
        if resource.has_status && object["status"].is_object() {
            stored["status"] = object["status"].clone();
            stored = self.api.send(Method::PUT, &format!("{path}/status"), Some(&stored)).await?;
        }
        Ok(stored)
    }
}

/// Returns the names of the objects of a kind.
pub(super) fn named<'a>(objects: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a str> {
    objects.iter().filter(move |object| object["kind"] == kind).map(|object| text(object, "/metadata/name"))
}

/// The metadata that only the API server writes.
pub(super) const PAST: [&str; 5] =
    ["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"];

fn bytes(text: &str) -> Value {
    serde_json::to_value(ByteString(text.as_bytes().to_vec())).expect("a string")
}
