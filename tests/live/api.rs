//! The API of a control plane, in the form that tests need. Objects are JSON values. If the API server refuses a
//! request, the result is [`Refused`]. If a connection breaks, an idempotent request is sent again.
//! Any other failure panics.
#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use super::plane::Plane;
use http::{Method, Request};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use pvctl::model::Kind;
use serde_json::{Value, json};

/// How often an idempotent request is sent at most. On a busy machine the API server closes connections in use.
const ATTEMPTS: u8 = 3;

/// The administrator's client.
#[derive(Clone)]
pub(crate) struct Api {
    client: Client,
}

/// The answer with which the API server refused a request.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    pub(crate) code: u16,
    pub(crate) message: String,
}

/// Returns the API path of an object, or of the list of its kind if `name` is empty.
pub(crate) fn path(kind: &str, namespace: &str, name: &str) -> String {
    let (version, plural, namespaced) = match Kind::from_manifest(kind) {
        Some(known) => (known.api_version(), known.resource(), known.namespaced()),
        None if kind == "CustomResourceDefinition" => ("apiextensions.k8s.io/v1", "customresourcedefinitions", false),
        None => panic!("no path for {kind}"),
    };
    let root = if version.contains('/') { "apis" } else { "api" };
    let within = if namespaced && !namespace.is_empty() { format!("/namespaces/{namespace}") } else { String::new() };
    let name = if name.is_empty() { String::new() } else { format!("/{name}") };
    format!("/{root}/{version}{within}/{plural}{name}")
}

fn path_of(object: &Value) -> String {
    let text = |place: &Value| place.as_str().unwrap_or_default().to_owned();
    path(&text(&object["kind"]), &text(&object["metadata"]["namespace"]), &text(&object["metadata"]["name"]))
}

impl Api {
    /// Returns a client with the administrator's kubeconfig.
    pub(crate) async fn of(plane: &Plane) -> Self {
        let kubeconfig = Kubeconfig::read_from(plane.kubeconfig()).expect("a kubeconfig");
        let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
        Self { client: Client::try_from(config.expect("a configuration")).expect("a client") }
    }

    /// Returns the underlying client.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Sends a request with this body as JSON, and returns the answer.
    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Refused> {
        self.send_as(method, path, "application/json", body).await
    }

    /// Patches an object. `kind` is the content type of the patch.
    pub(crate) async fn patch(&self, path: &str, kind: &str, patch: &Value) -> Result<Value, Refused> {
        self.send_as(Method::PATCH, path, kind, Some(patch)).await
    }

    async fn send_as(&self, method: Method, path: &str, kind: &str, body: Option<&Value>) -> Result<Value, Refused> {
        let body = body.map(|body| serde_json::to_vec(body).expect("a value")).unwrap_or_default();
        let mut attempts = if method.is_idempotent() { ATTEMPTS } else { 1 };
        loop {
            attempts -= 1;
            let request = Request::builder().method(&method).uri(path).header("content-type", kind);
            match self.client.request(request.body(body.clone()).expect("a request")).await {
                Ok(answer) => return Ok(answer),
                Err(kube::Error::Api(status)) => {
                    return Err(Refused { code: status.code, message: status.message.clone() });
                }
                Err(kube::Error::Service(_)) if attempts > 0 => {}
                Err(error) => panic!("{path}: {error}"),
            }
        }
    }

    /// Creates an object, and returns the object that is stored.
    pub(crate) async fn create(&self, object: &Value) -> Result<Value, Refused> {
        let path = path_of(object);
        let list = path.rsplit_once('/').map_or("", |(list, _)| list);
        self.send(Method::POST, list, Some(object)).await
    }

    /// Replaces the status of an object.
    pub(crate) async fn replace_status(&self, object: &Value) -> Result<Value, Refused> {
        self.send(Method::PUT, &format!("{}/status", path_of(object)), Some(object)).await
    }

    /// Replaces an object.
    pub(crate) async fn replace(&self, object: &Value) -> Result<Value, Refused> {
        self.send(Method::PUT, &path_of(object), Some(object)).await
    }

    /// Deletes an object. Its finalizers may keep it.
    pub(crate) async fn delete(&self, object: &Value) -> Result<Value, Refused> {
        self.send(Method::DELETE, &path_of(object), None).await
    }

    /// Returns what is stored at a path.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, Refused> {
        self.send(Method::GET, path, None).await
    }

    /// Returns all objects of a kind, each with its `apiVersion` and `kind`.
    pub(crate) async fn list(&self, kind: &str) -> Vec<Value> {
        let mut list = self.get(&path(kind, "", "")).await.expect("a list");
        let version = list["apiVersion"].clone();
        let mut items: Vec<Value> = list["items"].as_array_mut().map(std::mem::take).unwrap_or_default();
        for item in &mut items {
            item["apiVersion"] = version.clone();
            item["kind"] = json!(kind);
        }
        items
    }

    /// Removes all objects of a kind. Their finalizers are removed first.
    pub(crate) async fn clear(&self, kind: &str) {
        for mut object in self.list(kind).await {
            if object["metadata"]["finalizers"].as_array().is_some_and(|all| !all.is_empty()) {
                object["metadata"]["finalizers"] = json!([]);
                // An object that is already gone needs no deletion.
                if self.replace(&object).await.is_err() {
                    continue;
                }
            }
            let path = format!("{}?gracePeriodSeconds=0", path_of(&object));
            if let Err(refused) = self.send(Method::DELETE, &path, None).await {
                assert_eq!(refused.code, 404, "{}", refused.message);
            }
        }
    }
}
