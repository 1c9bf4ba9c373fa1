//! Requests to a [`Store`]: the object, the verb, and the field manager.

use super::store::{Call, Failure, Preconditions, Store, text};
use crate::support::faults::Line;
use pvctl::model::{Kind, ObjectKey, Str};
use pvctl::repair::FIELD_MANAGER;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The method, such as `GET`.
    pub(crate) method: String,
    /// The path and the query.
    pub(crate) uri: String,
    /// The names and values of the headers.
    pub(crate) headers: Vec<(String, String)>,
    /// The body, or null if there is none.
    pub(crate) body: Value,
}

impl Seen {
    /// Returns the request line. It also says whether the request is a dry run.
    pub(crate) fn line(&self) -> Line<'_> {
        let dry = self.uri.contains("dryRun=All") || self.body["dryRun"] == json!(["All"]);
        Line { method: &self.method, uri: &self.uri, dry }
    }

    /// Returns whether the request changes what the server stores.
    pub(crate) fn writes(&self) -> bool {
        self.line().writes()
    }

    /// Returns the path without its query.
    pub(crate) fn path(&self) -> &str {
        self.uri.split('?').next().unwrap_or_default()
    }

    /// Returns all values of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(seen, _)| seen == name).map(|(_, value)| value.as_str()).collect()
    }

    /// Carries the request out on the store, and returns the answer.
    pub(crate) fn carry_out(&self, store: &mut Store) -> Result<Value, Failure> {
        if self.path() == "/version" {
            return Ok(json!({ "major": "1", "minor": "36+", "gitVersion": "v1.36.3-test" }));
        }
        let unknown = || Failure::new(404, "NotFound", "the server could not find the requested resource");
        let review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        if self.path() == review && self.method == "POST" {
            return Ok(self.review(store));
        }
        let key = key_at(self.path()).ok_or_else(unknown)?;
        let (kind, namespace, name) = (key.kind, key.namespace.as_str(), key.name.as_str());
        let resource = kind.resource();
        let verb = match (self.method.as_str(), name.is_empty()) {
            ("GET", true) => "list",
            ("GET", false) => "get",
            ("POST", true) => "create",
            ("PATCH", false) => "patch",
            ("DELETE", false) => "delete",
            _ => return Err(Failure::new(405, "MethodNotAllowed", "the server does not allow this method")),
        };
        if store.denies(verb, resource) {
            let group = kind.api_version().split_once('/').map_or("", |(group, _)| group);
            let place = if namespace.is_empty() {
                "at the cluster scope".to_owned()
            } else {
                format!("in the namespace {namespace:?}")
            };
            let shown = if name.is_empty() { String::new() } else { format!(" {name:?}") };
            let message = format!(
                "{resource}{shown} is forbidden: User \"tester\" cannot {verb} resource {resource:?} in API group {group:?} {place}"
            );
            return Err(Failure::new(403, "Forbidden", message));
        }
        let query = query(self.uri.split_once('?').map_or("", |(_, query)| query));
        let content_type = self.header("content-type").first().copied().unwrap_or_default();
        let call = Call {
            // Only the program under test sends requests without a manager: its deletions name none.
            manager: query.get("fieldManager").cloned().unwrap_or_else(|| FIELD_MANAGER.to_owned()),
            dry_run: self.line().dry,
        };
        match verb {
            "list" => {
                let limit = query.get("limit").and_then(|limit| limit.parse().ok()).unwrap_or(0);
                let token = query.get("continue").map(String::as_str).unwrap_or_default();
                store.list(kind, namespace, limit, token)
            }
            "get" => store.get(&key),
            "create" => store.create(kind, namespace, &self.body, &call),
            "patch" => store.patch(&key, content_type, &self.body, &call),
            _ => {
                let given = |pointer: &str| Some(text(&self.body, pointer)).filter(|given| !given.is_empty());
                let when = Preconditions {
                    uid: given("/preconditions/uid"),
                    version: given("/preconditions/resourceVersion"),
                };
                store.delete(&key, &when, &call)
            }
        }
    }

    /// Returns the answer to an access review: whether the user has the right.
    fn review(&self, store: &Store) -> Value {
        let asked = &self.body["spec"]["resourceAttributes"];
        let allowed = !store.denies(&text(asked, "/verb"), &text(asked, "/resource"));
        json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "metadata": {},
            "spec": self.body["spec"], "status": { "allowed": allowed },
        })
    }
}

/// Returns the key of the object at a path. For the path of a collection, the name is empty.
pub(crate) fn key_at(path: &str) -> Option<ObjectKey> {
    let (version, rest) = split(path)?;
    let (namespace, resource, name) = match rest.as_slice() {
        ["namespaces", namespace, resource, rest @ ..] => (*namespace, *resource, rest.first().copied()),
        [resource, rest @ ..] => ("", *resource, rest.first().copied()),
        [] => return None,
    };
    let kind = Kind::listed()
        .chain([Kind::Lease])
        .find(|kind| kind.resource() == resource && kind.api_version() == version)?;
    Some(ObjectKey { kind, namespace: Str::from(namespace), name: Str::from(name.unwrap_or_default()) })
}

/// Access to objects by their paths, for tests that act for controllers and people.
impl Store {
    /// Returns the object at a path, or null if there is none.
    pub(crate) fn at(&self, path: &str) -> &Value {
        key_at(path).and_then(|key| self.read(&key)).unwrap_or(&Value::Null)
    }

    /// Returns whether there is an object at a path.
    pub(crate) fn has(&self, path: &str) -> bool {
        !self.at(path).is_null()
    }

    /// Stores an object under a new resource version.
    pub(crate) fn put_at(&mut self, path: &str, object: Value) {
        if let Some(key) = key_at(path) {
            self.put(&key, Some(object), "test");
        }
    }

    /// Changes an existing object.
    pub(crate) fn edit(&mut self, path: &str, edit: impl FnOnce(&mut Value)) {
        let mut object = self.at(path).clone();
        edit(&mut object);
        self.put_at(path, object);
    }

    /// Removes an object.
    pub(crate) fn remove(&mut self, path: &str) {
        if let Some(key) = key_at(path) {
            self.put(&key, None, "test");
        }
    }
}

/// Returns the API version and the rest of a path.
fn split(path: &str) -> Option<(String, Vec<&str>)> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["api", version, rest @ ..] => Some(((*version).to_owned(), rest.to_vec())),
        ["apis", group, version, rest @ ..] => Some((format!("{group}/{version}"), rest.to_vec())),
        _ => None,
    }
}

fn query(text: &str) -> BTreeMap<String, String> {
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.replace('+', " ")))
        .collect()
}
