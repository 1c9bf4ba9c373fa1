//! The objects as an API server stores them, and its answers to requests that read and write them. The rules are those
//! of Kubernetes 1.36: `apiserver/pkg/registry/generic/registry/store.go`, `registry/rest/{create,update,delete}.go`,
//! `endpoints/handlers/patch.go`, the strategies and the validation of volumes and claims, and the admission plugins of
//! storage.

use super::patch::{json_patch, merge};
use super::writers::{Mutation, disown};
use pvctl::model::{Kind, ObjectKey, Str};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The time at which every object is created, changed and deleted.
pub(crate) const NOW: &str = "2026-06-01T10:00:00Z";

/// An error of the API server: the status code, the reason and the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) code: u16,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) key: Option<ObjectKey>,
}

impl Failure {
    pub(crate) fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), key: None }
    }

    /// Returns an error of that code, with the reason that belongs to it.
    pub(crate) fn of(code: u16, message: &str) -> Self {
        let reason = match code {
            400 => "BadRequest",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "NotFound",
            409 => "Conflict",
            410 => "Expired",
            422 => "Invalid",
            429 => "TooManyRequests",
            500 => "InternalError",
            503 => "ServiceUnavailable",
            504 => "Timeout",
            _ => "",
        };
        Self::new(code, reason, message)
    }

    fn about(mut self, key: &ObjectKey) -> Self {
        self.key = Some(key.clone());
        self
    }

    fn not_found(key: &ObjectKey) -> Self {
        Self::new(404, "NotFound", format!("{} \"{}\" not found", qualified(key.kind), key.name)).about(key)
    }

    fn conflict(key: &ObjectKey) -> Self {
        let why = "the object has been modified; please apply your changes to the latest version and try again";
        let message = format!("Operation cannot be fulfilled on {} \"{}\": {why}", qualified(key.kind), key.name);
        Self::new(409, "Conflict", message).about(key)
    }

    pub(super) fn invalid(key: &ObjectKey, what: &str) -> Self {
        let message = format!("{} \"{}\" is invalid: {what}", key.kind.as_str(), key.name);
        Self::new(422, "Invalid", message).about(key)
    }

    /// Returns the `Status` object that is sent.
    pub(crate) fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "reason": self.reason, "code": self.code,
        });
        if let Some(key) = &self.key {
            status["details"] = json!({ "name": key.name, "kind": key.kind.resource() });
        }
        status
    }
}

fn qualified(kind: Kind) -> String {
    match kind.api_version().split_once('/') {
        Some((group, _)) => format!("{}.{group}", kind.resource()),
        None => kind.resource().to_owned(),
    }
}

/// Returns the key of a volume.
pub(crate) fn volume(name: &str) -> ObjectKey {
    ObjectKey { kind: Kind::PersistentVolume, namespace: Str::default(), name: name.into() }
}

/// Returns the key of a claim.
pub(crate) fn claim(namespace: &str, name: &str) -> ObjectKey {
    ObjectKey { kind: Kind::PersistentVolumeClaim, namespace: namespace.into(), name: name.into() }
}

/// The uid and the resource version that an object must have for a write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preconditions {
    pub(crate) uid: Option<String>,
    pub(crate) version: Option<String>,
}

/// One change in the history. It holds the object after the change, or nothing if the object was removed.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) key: ObjectKey,
    pub(crate) after: Option<Value>,
    /// The field manager, or the actor's name.
    pub(crate) by: String,
}

/// The objects, and the history of their changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    objects: BTreeMap<ObjectKey, Value>,
    /// Each changed object as it was before its last change, or None if it did not exist. A stale cache still has this
    /// state.
    before: BTreeMap<ObjectKey, Option<Value>>,
    version: u64,
    uids: u64,
    /// All changes, in order.
    pub(crate) history: Vec<Moment>,
    /// The names of the volumes whose storage was deleted.
    pub(crate) destroyed: BTreeSet<String>,
    /// The names and uids of the volumes that a driver was allowed to delete at some moment. The driver may have begun
    /// the deletion, and no later write stops it.
    pub(crate) being_deleted: BTreeSet<(String, String)>,
    /// The forbidden requests: a verb with its resource, such as `patch persistentvolumes`, or a verb for all
    /// resources.
    pub(crate) denied: BTreeSet<String>,
    /// The objects that a GET by name already returns, but lists do not return yet.
    pub(crate) unlisted: BTreeMap<ObjectKey, Value>,
    /// Whether the function that acts in place of the controllers does nothing at the moment.
    pub(crate) stands_still: bool,
    /// How admission changes the volumes that are patched, or None if it changes nothing.
    pub(crate) mutation: Option<Mutation>,
    /// How many times admission has changed a volume. Dry runs are not counted.
    pub(crate) mutated: usize,
}

impl Store {
    /// Returns a store without objects, whose lists have this resource version.
    pub(crate) fn of_version(version: u64) -> Self {
        Self { version, ..Self::default() }
    }

    /// Returns the object of that key.
    pub(crate) fn read(&self, key: &ObjectKey) -> Option<&Value> {
        self.objects.get(key)
    }

    /// Returns all objects of a kind, in one namespace or in all, in order.
    pub(crate) fn all(&self, kind: Kind, namespace: &str) -> impl Iterator<Item = (&ObjectKey, &Value)> {
        self.objects
            .iter()
            .filter(move |(key, _)| key.kind == kind && (namespace.is_empty() || key.namespace == namespace))
    }

    /// Returns all objects.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (&ObjectKey, &Value)> {
        self.objects.iter()
    }

    /// Returns the object as it was before its last change.
    pub(crate) fn earlier(&self, key: &ObjectKey) -> Option<&Option<Value>> {
        self.before.get(key)
    }

    /// Adds an object under a new resource version. If the object has no uid or no creation time, this function sets
    /// one.
    pub(crate) fn seed(&mut self, mut object: Value) -> ObjectKey {
        let key = key_of(&object).unwrap_or_else(|| volume(""));
        if object["metadata"]["uid"].is_null() {
            object["metadata"]["uid"] = self.fresh_uid().into();
        }
        if object["metadata"]["creationTimestamp"].is_null() {
            object["metadata"]["creationTimestamp"] = NOW.into();
        }
        self.put(&key, Some(object), "seed");
        key
    }

    fn fresh_uid(&mut self) -> String {
        self.uids += 1;
        format!("00000000-0000-4000-8000-{:012x}", self.uids)
    }

    /// Stores an object under a new resource version, or removes it.
    pub(crate) fn put(&mut self, key: &ObjectKey, object: Option<Value>, by: &str) {
        self.version += 1;
        let previous = self.objects.get(key).cloned();
        if let Some(mut object) = object {
            object["metadata"]["resourceVersion"] = self.version.to_string().into();
            self.history.push(Moment { key: key.clone(), after: Some(object.clone()), by: by.to_owned() });
            self.objects.insert(key.clone(), object);
        } else {
            self.history.push(Moment { key: key.clone(), after: None, by: by.to_owned() });
            self.objects.remove(key);
        }
        self.before.insert(key.clone(), previous);
        self.doom(key);
    }

    /// Records that a driver may have begun to delete the storage of this volume, if the volume can be deleted at this
    /// moment.
    fn doom(&mut self, key: &ObjectKey) {
        let Some(object) = self.objects.get(key).filter(|_| key.kind == Kind::PersistentVolume) else { return };
        let phase = object["status"]["phase"].as_str().unwrap_or_default();
        let terminating = object["metadata"]["deletionTimestamp"].is_string();
        let deletable = object["spec"]["persistentVolumeReclaimPolicy"] == "Delete"
            && (matches!(phase, "Released" | "Failed") || terminating && phase != "Bound");
        if deletable {
            self.being_deleted.insert((key.name.to_string(), text(object, "/metadata/uid")));
        }
    }

    /// Stores an object exactly as it is, without giving it a uid or a resource version, and without an entry in the
    /// history.
    pub(crate) fn hold(&mut self, object: Value) {
        if let Some(key) = key_of(&object) {
            self.unlisted.remove(&key);
            self.objects.insert(key, object);
        }
    }

    /// Removes the objects of that kind and name, without an entry in the history.
    pub(crate) fn forget(&mut self, kind: &str, name: &str) {
        self.objects.retain(|key, _| key.kind.as_str() != kind || key.name != name);
    }

    /// Returns whether a verb is forbidden for a resource.
    pub(crate) fn denies(&self, verb: &str, resource: &str) -> bool {
        self.denied.contains(verb) || self.denied.contains(&format!("{verb} {resource}"))
    }

    /// Answers a GET of one object.
    pub(crate) fn get(&self, key: &ObjectKey) -> Result<Value, Failure> {
        self.unlisted.get(key).or_else(|| self.objects.get(key)).cloned().ok_or_else(|| Failure::not_found(key))
    }

    /// Answers a GET of a collection with a page of at most `limit` objects; 0 means all.
    pub(crate) fn list(&self, kind: Kind, namespace: &str, limit: usize, token: &str) -> Result<Value, Failure> {
        let from: usize = if token.is_empty() {
            0
        } else {
            token.parse().map_err(|_| Failure::new(400, "BadRequest", "continue key is not valid"))?
        };
        let all: Vec<&Value> = self.all(kind, namespace).map(|(_, object)| object).collect();
        let end = if limit == 0 { all.len() } else { all.len().min(from.saturating_add(limit)) };
        let items: Vec<Value> = all.get(from..end).unwrap_or_default().iter().map(|object| untyped(object)).collect();
        let mut metadata = json!({ "resourceVersion": self.version.to_string() });
        if end < all.len() {
            metadata["continue"] = end.to_string().into();
            metadata["remainingItemCount"] = (all.len() - end).into();
        }
        Ok(json!({
            "kind": format!("{}List", kind.as_str()), "apiVersion": kind.api_version(), "metadata": metadata, "items": items,
        }))
    }

    /// Answers a POST to a collection.
    pub(crate) fn create(&mut self, kind: Kind, namespace: &str, sent: &Value, call: &Call) -> Result<Value, Failure> {
        let name = text(sent, "/metadata/name");
        let key = ObjectKey { kind, namespace: namespace.into(), name: name.as_str().into() };
        if !text(sent, "/metadata/resourceVersion").is_empty() {
            return Err(Failure::new(500, "", "resourceVersion should not be set on objects to be created"));
        }
        let stated = text(sent, "/metadata/namespace");
        if kind.namespaced() && !stated.is_empty() && stated != namespace {
            let message = "the namespace of the provided object does not match the namespace sent on the request";
            return Err(Failure::new(400, "BadRequest", message));
        }
        if kind.namespaced() {
            let place = ObjectKey { kind: Kind::Namespace, namespace: Str::default(), name: namespace.into() };
            let Some(found) = self.objects.get(&place) else { return Err(Failure::not_found(&place)) };
            if found["metadata"]["deletionTimestamp"].is_string() {
                let message = format!(
                    "{} \"{name}\" is forbidden: unable to create new content in namespace {namespace} because it is \
                     being terminated",
                    kind.resource()
                );
                return Err(Failure::new(403, "Forbidden", message).about(&key));
            }
        }
        if name.is_empty() {
            let what = "metadata.name: Required value: name or generateName is required";
            return Err(Failure::invalid(&key, what));
        }
        let mut object = sent.clone();
        object["apiVersion"] = kind.api_version().into();
        object["kind"] = kind.as_str().into();
        let uid = self.fresh_uid();
        let Some(metadata) = object["metadata"].as_object_mut() else {
            return Err(Failure::new(400, "BadRequest", "metadata is no object"));
        };
        for wiped in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields"] {
            metadata.remove(wiped);
        }
        metadata.insert("uid".to_owned(), uid.into());
        metadata.insert("creationTimestamp".to_owned(), NOW.into());
        if kind.namespaced() {
            metadata.insert("namespace".to_owned(), namespace.into());
        }
        let protection = match kind {
            Kind::PersistentVolume => Some("kubernetes.io/pv-protection"),
            Kind::PersistentVolumeClaim => Some("kubernetes.io/pvc-protection"),
            _ => None,
        };
        if let Some(protection) = protection {
            let mut finalizers = list(&object, "/metadata/finalizers");
            if !finalizers.iter().any(|present| present == protection) {
                finalizers.push(protection.to_owned());
            }
            object["metadata"]["finalizers"] = json!(finalizers);
            object["status"] = json!({ "phase": "Pending" });
            let spec = &mut object["spec"];
            if spec["volumeMode"].is_null() {
                spec["volumeMode"] = "Filesystem".into();
            }
            if kind == Kind::PersistentVolume && spec["persistentVolumeReclaimPolicy"].is_null() {
                spec["persistentVolumeReclaimPolicy"] = "Retain".into();
            }
        }
        if kind == Kind::PersistentVolumeClaim {
            self.default_class(&mut object);
        }
        if kind == Kind::Service && !self.objects.contains_key(&key) {
            super::services::complete(self, &key, &mut object, call.dry_run)?;
        }
        Self::validate(&key, None, &object)?;
        if self.objects.contains_key(&key) {
            let message = format!("{} \"{name}\" already exists", qualified(kind));
            return Err(Failure::new(409, "AlreadyExists", message).about(&key));
        }
        sign(&mut object, call);
        if call.dry_run {
            return Ok(object);
        }
        self.put(&key, Some(object), &call.manager);
        self.get(&key)
    }

    /// Sets the default class on a claim that states no class.
    fn default_class(&self, object: &mut Value) {
        let states = !object["spec"]["storageClassName"].is_null()
            || !object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"].is_null();
        let default = self.all(Kind::StorageClass, "").find(|(_, class)| {
            class["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"] == "true"
        });
        if let Some((key, _)) = default.filter(|_| !states) {
            object["spec"]["storageClassName"] = key.name.as_str().into();
        }
    }

    /// Changes a volume as admission does, so that the stored volume differs from the sent one.
    fn admit(&mut self, key: &ObjectKey, current: &Value, object: &mut Value, call: &Call) {
        let mutation = self.mutation.filter(|_| key.kind == Kind::PersistentVolume);
        if mutation.is_some_and(|mutation| mutation.changes(current, object)) && !call.dry_run {
            self.mutated += 1;
        }
    }

    /// Answers a PATCH of one object, as a merge patch or as a JSON patch.
    pub(crate) fn patch(&mut self, key: &ObjectKey, kind: &str, patch: &Value, call: &Call) -> Result<Value, Failure> {
        let current = self.get(key)?;
        let mut object = match kind {
            "application/merge-patch+json" => {
                let mut object = current.clone();
                merge(&mut object, patch);
                object
            }
            "application/json-patch+json" => json_patch(&current, patch)?,
            other => {
                let message = format!("the body of the request was in an unknown format - {other}");
                return Err(Failure::new(415, "UnsupportedMediaType", message));
            }
        };
        self.admit(key, &current, &mut object, call);
        let stated = text(&object, "/metadata/resourceVersion");
        if !stated.is_empty() && stated != text(&current, "/metadata/resourceVersion") {
            return Err(Failure::conflict(key));
        }
        object["status"] = current["status"].clone();
        if object["status"].is_null()
            && let Some(object) = object.as_object_mut()
        {
            object.remove("status");
        }
        Self::validate(key, Some(&current), &object)?;
        for kept in ["deletionTimestamp", "deletionGracePeriodSeconds", "creationTimestamp", "managedFields"] {
            match (current["metadata"].get(kept), object["metadata"].as_object_mut()) {
                (Some(value), Some(metadata)) => _ = metadata.insert(kept.to_owned(), value.clone()),
                (None, Some(metadata)) => _ = metadata.remove(kept),
                (_, None) => {}
            }
        }
        if object == current {
            return Ok(current);
        }
        disown(&current, &mut object);
        sign(&mut object, call);
        if call.dry_run {
            return Ok(object);
        }
        let goes =
            object["metadata"]["deletionTimestamp"].is_string() && list(&object, "/metadata/finalizers").is_empty();
        if goes {
            self.put(key, None, &call.manager);
            return Ok(object);
        }
        self.put(key, Some(object), &call.manager);
        self.get(key)
    }

    /// Answers a DELETE of one object. The object is removed immediately, or only marked while it has finalizers.
    pub(crate) fn delete(&mut self, key: &ObjectKey, when: &Preconditions, call: &Call) -> Result<Value, Failure> {
        let mut object = self.get(key)?;
        let checks = [
            ("UID", &when.uid, "/metadata/uid", "deleted and then recreated"),
            ("ResourceVersion", &when.version, "/metadata/resourceVersion", "modified"),
        ];
        for (what, wanted, pointer, happened) in checks {
            let found = text(&object, pointer);
            if let Some(wanted) = wanted.as_ref().filter(|wanted| **wanted != found) {
                let message = format!(
                    "Operation cannot be fulfilled on {} \"{}\": the {what} in the precondition ({wanted}) does not match \
                     the {what} in record ({found}). The object might have been {happened}",
                    key.kind.as_str(),
                    key.name
                );
                return Err(Failure::new(409, "Conflict", message).about(key));
            }
        }
        let kept = !list(&object, "/metadata/finalizers").is_empty();
        if kept && object["metadata"]["deletionTimestamp"].is_null() {
            object["metadata"]["deletionTimestamp"] = NOW.into();
            object["metadata"]["deletionGracePeriodSeconds"] = 0.into();
            if !call.dry_run {
                self.put(key, Some(object.clone()), &call.manager);
                object = self.get(key)?;
            }
        } else if !kept && !call.dry_run {
            self.put(key, None, &call.manager);
        }
        if kept {
            return Ok(object);
        }
        Ok(json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
            "details": { "name": key.name, "kind": key.kind.resource(), "uid": object["metadata"]["uid"] },
        }))
    }

    /// Checks what may be stored, and what may change.
    fn validate(key: &ObjectKey, before: Option<&Value>, object: &Value) -> Result<(), Failure> {
        let changed = |pointer: &str| before.is_some_and(|before| before.pointer(pointer) != object.pointer(pointer));
        let mut wrong: Vec<String> = Vec::new();
        if let Some(before) = before {
            if changed("/metadata/uid") {
                let uid = text(object, "/metadata/uid");
                wrong.push(format!("metadata.uid: Invalid value: {uid:?}: field is immutable"));
            }
            let old = list(before, "/metadata/finalizers");
            let new: Vec<String> =
                list(object, "/metadata/finalizers").into_iter().filter(|one| !old.contains(one)).collect();
            if before["metadata"]["deletionTimestamp"].is_string() && !new.is_empty() {
                let quoted: Vec<String> = new.iter().map(|one| format!("{one:?}")).collect();
                wrong.push(format!(
                    "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found \
                     new finalizers []string{{{}}}",
                    quoted.join(", ")
                ));
            }
        }
        match (key.kind, before) {
            (Kind::PersistentVolumeClaim, Some(before)) => {
                let mut allowed = before["spec"].clone();
                let bound = before["status"]["phase"] == "Bound";
                let once = |field: &str| before["spec"][field].is_null() && !object["spec"][field].is_null();
                for field in ["volumeName", "storageClassName"] {
                    if once(field) {
                        allowed[field] = object["spec"][field].clone();
                    }
                }
                if bound {
                    allowed["resources"] = object["spec"]["resources"].clone();
                }
                if allowed != object["spec"] {
                    wrong.push(
                        "spec: Forbidden: spec is immutable after creation except resources.requests and \
                         volumeAttributesClassName for bound claims"
                            .to_owned(),
                    );
                }
            }
            (Kind::PersistentVolume, Some(before)) => {
                let known = [
                    "capacity",
                    "accessModes",
                    "claimRef",
                    "persistentVolumeReclaimPolicy",
                    "storageClassName",
                    "mountOptions",
                    "volumeMode",
                    "nodeAffinity",
                    "volumeAttributesClassName",
                ];
                let source = |object: &Value| -> Map<String, Value> {
                    let spec = object["spec"].as_object().cloned().unwrap_or_default();
                    spec.into_iter().filter(|(field, _)| !known.contains(&field.as_str())).collect()
                };
                if source(before) != source(object) {
                    wrong.push(
                        "spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation"
                            .to_owned(),
                    );
                }
                if changed("/spec/volumeMode") {
                    wrong.push("spec.volumeMode: Invalid value: field is immutable".to_owned());
                }
            }
            _ => {}
        }
        if key.kind == Kind::PersistentVolume {
            let policy = text(object, "/spec/persistentVolumeReclaimPolicy");
            if !["Retain", "Recycle", "Delete"].contains(&policy.as_str()) {
                wrong.push(format!(
                    "spec.persistentVolumeReclaimPolicy: Unsupported value: {policy:?}: supported values: \"Delete\", \
                     \"Recycle\", \"Retain\""
                ));
            }
        }
        if matches!(key.kind, Kind::PersistentVolume | Kind::PersistentVolumeClaim)
            && list(object, "/spec/accessModes").is_empty()
        {
            wrong.push("spec.accessModes: Required value".to_owned());
        }
        match wrong.as_slice() {
            [] => Ok(()),
            [one] => Err(Failure::invalid(key, one)),
            several => Err(Failure::invalid(key, &format!("[{}]", several.join(", ")))),
        }
    }
}

/// The field manager of a write, and whether it is a dry run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) manager: String,
    pub(crate) dry_run: bool,
}

impl Call {
    /// Returns a real write by this manager.
    pub(crate) fn by(manager: &str) -> Self {
        Self { manager: manager.to_owned(), dry_run: false }
    }
}

/// Records the writer in a short form of `managedFields`. It does not record which fields the writer owns.
fn sign(object: &mut Value, call: &Call) {
    let mut entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    entries.retain(|entry| entry["manager"] != call.manager.as_str());
    entries.push(json!({ "manager": call.manager, "operation": "Update", "time": NOW }));
    object["metadata"]["managedFields"] = Value::Array(entries);
}

/// Returns the object without `kind` and `apiVersion`, like an item of a typed list.
fn untyped(object: &Value) -> Value {
    let mut item = object.clone();
    if let Some(fields) = item.as_object_mut() {
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    item
}

/// Returns the key that an object states.
pub(crate) fn key_of(object: &Value) -> Option<ObjectKey> {
    let kind = Kind::from_manifest(object["kind"].as_str()?)?;
    Some(ObjectKey {
        kind,
        namespace: text(object, "/metadata/namespace").as_str().into(),
        name: text(object, "/metadata/name").as_str().into(),
    })
}

/// Returns a text field, or an empty text if there is none.
pub(crate) fn text(object: &Value, pointer: &str) -> String {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns a list of texts, or an empty list if there is none.
pub(crate) fn list(object: &Value, pointer: &str) -> Vec<String> {
    let entries = object.pointer(pointer).and_then(Value::as_array);
    entries.into_iter().flatten().filter_map(|entry| entry.as_str().map(str::to_owned)).collect()
}
