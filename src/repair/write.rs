//! What a repair writes: a closed list of the smallest changes, each with what it expects to find.
//!
//! A [`Write`] is what *we* propose; nothing else can become a request. Two readers, each an exhaustive match: the
//! request for the API server ([`Write::request`]), and the overlay of the adversary ([`Write::apply`]).

use crate::model::{AnnotationKey, ClaimRef, Kind, Object, ObjectKey, PersistentVolume, PersistentVolumeClaim, Str};
use crate::snapshot::Item;
use crate::snapshot::decode::decode_as;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Under which name the API server records who wrote.
pub const FIELD_MANAGER: &str = "kubectl-pvctl";

/// The annotation of a claim that a repair created: the id of its plan. By it a repair that was cut short knows what
/// is its own.
pub const PLAN_ANNOTATION: &str = "pvctl.dev/plan";

/// Where the reclaim policy of a volume stands.
const POLICY_FIELD: &str = "spec.persistentVolumeReclaimPolicy";

/// Whom a volume names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reference {
    /// `namespace` of the claim.
    pub namespace: Str,
    /// `name` of the claim.
    pub name: Str,
    /// `uid` of the claim; empty for a reservation.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub uid: Str,
}

impl Reference {
    /// A reservation for whatever claim has that name.
    pub fn reservation(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into(), uid: Str::default() }
    }

    /// That very claim.
    pub fn of(claim: &PersistentVolumeClaim) -> Self {
        Self { namespace: claim.meta.namespace.clone(), name: claim.meta.name.clone(), uid: claim.meta.uid.clone() }
    }

    /// What a `claimRef` says.
    pub fn from_stored(stored: &ClaimRef) -> Self {
        Self { namespace: stored.namespace.clone(), name: stored.name.clone(), uid: stored.uid.clone() }
    }

    pub(super) fn to_stored(&self) -> ClaimRef {
        ClaimRef {
            api_version: "v1".into(),
            kind: Kind::PersistentVolumeClaim.as_str().into(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            uid: self.uid.clone(),
            ..ClaimRef::default()
        }
    }

    /// The whole `claimRef` as a merge patch: what is not stated is taken away.
    fn to_patch(&self) -> Value {
        let uid = if self.uid.is_empty() { Value::Null } else { json!(self.uid) };
        json!({
            "apiVersion": "v1",
            "kind": Kind::PersistentVolumeClaim.as_str(),
            "namespace": self.namespace,
            "name": self.name,
            "uid": uid,
            "resourceVersion": null,
            "fieldPath": null,
        })
    }
}

/// The one thing that a step changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Change {
    /// `spec.persistentVolumeReclaimPolicy` of a volume.
    SetReclaimPolicy {
        /// `Retain` or `Delete`: nothing else is ever written.
        to: Str,
    },
    /// The whole `spec.claimRef` of a volume.
    SetClaimRef {
        /// Whom it names from now on; none frees the volume for anybody.
        to: Option<Reference>,
        /// Whether the mark of the controller (`pv.kubernetes.io/bound-by-controller`) is on the volume from now on.
        bound_by_controller: bool,
    },
    /// One finalizer of the list goes; the others stay as they are.
    RemoveFinalizer {
        /// Which one.
        finalizer: Str,
    },
    /// `spec.volumeName` of a claim that names none, which the API server allows once.
    NameVolume {
        /// The volume.
        volume: Str,
    },
    /// `spec.storageClassName` of a claim that has none, which the API server allows once.
    SetClass {
        /// The class.
        class: Str,
    },
    /// An annotation of a claim that some controller reads.
    SetAnnotation {
        /// Its key, such as `volume.kubernetes.io/selected-node`.
        key: Str,
        /// Its value from now on; none takes it away.
        value: Option<Str>,
    },
    /// A new claim.
    Create {
        /// The manifest that is sent.
        manifest: Value,
    },
    /// The object goes, or is marked while it has finalizers.
    Delete,
}

/// What a step expects to find, right before it writes, in the object that it writes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Expect {
    /// The reclaim policy of a volume.
    ReclaimPolicy {
        /// Such as `Retain`.
        is: Str,
    },
    /// A volume names exactly that, with that uid.
    ClaimRef {
        /// None: it names nobody.
        is: Option<Reference>,
    },
    /// A volume names that claim, whatever the uid.
    RefersTo {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// The recorded phase of a volume is one of these.
    VolumePhase {
        /// Such as `Released`.
        any_of: Vec<Str>,
    },
    /// Whether the object is being deleted.
    Terminating {
        /// Is it?
        is: bool,
    },
    /// A claim names that volume; empty for none.
    VolumeName {
        /// The volume.
        is: Str,
    },
    /// Whether a completed binding stands on a claim.
    BindCompleted {
        /// Does it?
        is: bool,
    },
    /// The class of a claim; none where no class is stated at all.
    Class {
        /// The class.
        is: Option<Str>,
    },
    /// An annotation; none where it is not there.
    Annotation {
        /// Its key.
        key: Str,
        /// Its value.
        is: Option<Str>,
    },
    /// A finalizer is there.
    Finalizer {
        /// Which one.
        has: Str,
    },
}

/// An object that steps are about, as a decision sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A volume.
    Volume(Arc<PersistentVolume>),
    /// A claim.
    Claim(Arc<PersistentVolumeClaim>),
}

impl Seen {
    /// What the API server sent.
    ///
    /// # Errors
    /// Why it is no volume and no claim that could be understood.
    pub fn decode(kind: Kind, manifest: &Value) -> Result<Self, String> {
        let bytes = serde_json::to_vec(manifest).map_err(|failure| failure.to_string())?;
        match decode_as(kind, &bytes, "the API server").map_err(|issue| issue.to_string())? {
            Item::Object(Object::PersistentVolume(volume)) => Ok(Self::Volume(Arc::new(*volume))),
            Item::Object(Object::PersistentVolumeClaim(claim)) => Ok(Self::Claim(Arc::new(*claim))),
            _ => Err(format!("a {kind} is no volume and no claim")),
        }
    }

    /// Its metadata.
    pub fn meta(&self) -> &crate::model::ObjectMeta {
        match self {
            Self::Volume(volume) => &volume.meta,
            Self::Claim(claim) => &claim.meta,
        }
    }
}

impl Expect {
    /// Where people look it up, and what stands there.
    pub fn shown(&self) -> (String, Value) {
        let text = |value: &Option<Str>| value.as_ref().map_or(Value::Null, |value| json!(value));
        match self {
            Self::ReclaimPolicy { is } => (POLICY_FIELD.to_owned(), json!(is)),
            Self::ClaimRef { is } => (
                "spec.claimRef".to_owned(),
                is.as_ref().map_or(
                    Value::Null,
                    |named| json!({ "namespace": named.namespace, "name": named.name, "uid": named.uid }),
                ),
            ),
            Self::RefersTo { namespace, name } => {
                ("spec.claimRef".to_owned(), json!({ "namespace": namespace, "name": name }))
            }
            Self::VolumePhase { any_of } => {
                ("status.phase".to_owned(), if let [one] = any_of.as_slice() { json!(one) } else { json!(any_of) })
            }
            Self::Terminating { is: false } => ("metadata.deletionTimestamp".to_owned(), Value::Null),
            Self::Terminating { is: true } => ("metadata.deletionTimestamp".to_owned(), json!("<set>")),
            Self::VolumeName { is } => {
                ("spec.volumeName".to_owned(), if is.is_empty() { Value::Null } else { json!(is) })
            }
            Self::BindCompleted { is } => (
                format!("metadata.annotations[{}]", AnnotationKey::BindCompleted.as_str()),
                if *is { json!("<set>") } else { Value::Null },
            ),
            Self::Class { is } => ("spec.storageClassName".to_owned(), text(is)),
            Self::Annotation { key, is } => (format!("metadata.annotations[{key}]"), text(is)),
            Self::Finalizer { has } => ("metadata.finalizers".to_owned(), json!([has])),
        }
    }

    /// What stands there instead, in words; nothing where the expectation holds.
    pub fn differs(&self, seen: &Seen) -> Option<String> {
        let unless = |holds: bool, found: String| if holds { None } else { Some(found) };
        let of = |value: &str| if value.is_empty() { "<unset>".to_owned() } else { value.to_owned() };
        match (self, seen) {
            (Self::ReclaimPolicy { is }, Seen::Volume(volume)) => {
                unless(volume.reclaim_policy.as_str() == is.as_str(), of(volume.reclaim_policy.as_str()))
            }
            (Self::ClaimRef { is }, Seen::Volume(volume)) => {
                let stored = volume.claim_ref.as_ref().map(Reference::from_stored);
                unless(stored == *is, stored.map_or_else(|| of(""), |named| describe(&named)))
            }
            (Self::RefersTo { namespace, name }, Seen::Volume(volume)) => {
                let stored = volume.claim_ref.as_ref();
                let holds = stored.is_some_and(|named| named.namespace == *namespace && named.name == *name);
                unless(holds, stored.map_or_else(|| of(""), |named| describe(&Reference::from_stored(named))))
            }
            (Self::VolumePhase { any_of }, Seen::Volume(volume)) => {
                let phase = volume.status.phase.as_str();
                unless(any_of.iter().any(|wanted| wanted == phase), of(phase))
            }
            (Self::Terminating { is }, seen) => {
                let terminating = seen.meta().deleted.is_some();
                unless(terminating == *is, of(if terminating { "<set>" } else { "" }))
            }
            (Self::VolumeName { is }, Seen::Claim(claim)) => unless(claim.volume_name == *is, of(&claim.volume_name)),
            (Self::BindCompleted { is }, Seen::Claim(claim)) => {
                let completed = claim.meta.annotations.has(AnnotationKey::BindCompleted);
                unless(completed == *is, of(if completed { "<set>" } else { "" }))
            }
            (Self::Class { is }, Seen::Claim(claim)) => {
                let stated = claim.has_class().then(|| Str::from(claim.class()));
                unless(stated == *is, stated.map_or_else(|| of(""), |class| format!("{class:?}")))
            }
            (Self::Annotation { key, is }, seen) => {
                let known = AnnotationKey::from_manifest(key);
                let value = known.and_then(|key| seen.meta().annotations.get(key));
                unless(value == is.as_deref(), of(value.unwrap_or_default()))
            }
            (Self::Finalizer { has }, seen) => {
                unless(seen.meta().has_finalizer(has), of(&seen.meta().finalizers.join(", ")))
            }
            (_, Seen::Volume(_)) => Some("a volume".to_owned()),
            (_, Seen::Claim(_)) => Some("a claim".to_owned()),
        }
    }
}

/// A `claimRef` in words.
pub(super) fn describe(named: &Reference) -> String {
    let uid = if named.uid.is_empty() { "no uid".to_owned() } else { format!("uid {}", named.uid) };
    format!("{}/{} with {uid}", named.namespace, named.name)
}

/// One conditional request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Write {
    /// What is written to.
    pub object: ObjectKey,
    /// Its uid; empty for an object that is created.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub uid: Str,
    /// What it expects to find there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expect>,
    /// What is changed.
    pub change: Change,
}

/// A request to the API server, but for who sends it where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// Path and query.
    pub path: String,
    /// `Content-Type`.
    pub content_type: &'static str,
    /// The body.
    pub body: Value,
}

/// Why a write does not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The object is not there.
    Missing,
    /// An object of that name is there already.
    Exists,
    /// Another object has the name by now.
    OtherUid(Str),
    /// A field is not as expected: the field, what was expected, what was found.
    Differs(String, Value, String),
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => out.write_str("it does not exist any more"),
            Self::Exists => out.write_str("an object of that name is there already"),
            Self::OtherUid(uid) => write!(out, "another object has that name by now, with uid {uid}"),
            Self::Differs(field, wanted, found) => write!(out, "{field} is {found}, where {wanted} was expected"),
        }
    }
}

impl Obstacle {
    /// What leads on where asking for the same repair again does not help.
    pub fn way_on(&self, object: &ObjectKey) -> Option<String> {
        match self {
            Self::Differs(field, wanted, _) if field == POLICY_FIELD && wanted == "Retain" => {
                Some(format!("kubectl pvctl retain {object} sets it again; find out first who has changed it"))
            }
            Self::Missing | Self::Exists | Self::OtherUid(_) | Self::Differs(..) => None,
        }
    }
}

impl Write {
    /// The verb of the API, as RBAC names it.
    pub fn verb(&self) -> &'static str {
        match self.change {
            Change::Create { .. } => "create",
            Change::Delete => "delete",
            Change::SetReclaimPolicy { .. }
            | Change::SetClaimRef { .. }
            | Change::RemoveFinalizer { .. }
            | Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::SetAnnotation { .. } => "patch",
        }
    }

    /// Whether it makes a volume outlive its claim.
    pub fn retains(&self) -> bool {
        matches!(&self.change, Change::SetReclaimPolicy { to } if to == "Retain")
    }

    /// Whether a claim goes by it, or may.
    pub fn takes_claim(&self) -> bool {
        self.object.kind == Kind::PersistentVolumeClaim
            && matches!(self.change, Change::Delete | Change::RemoveFinalizer { .. })
    }

    /// Whether it takes something away that no later step of ours can put back as it was.
    pub fn is_destructive(&self) -> bool {
        match &self.change {
            Change::Delete | Change::RemoveFinalizer { .. } => true,
            Change::SetReclaimPolicy { to } => to != "Retain",
            Change::SetClaimRef { to, .. } => to.is_none(),
            Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::SetAnnotation { .. }
            | Change::Create { .. } => false,
        }
    }

    /// The merge patch without its preconditions; for a finalizer, the JSON patch; nothing for what is created or
    /// deleted.
    pub fn patch(&self) -> Option<Value> {
        let marks = AnnotationKey::BoundByController.as_str();
        match &self.change {
            Change::SetReclaimPolicy { to } => Some(json!({ "spec": { "persistentVolumeReclaimPolicy": to } })),
            Change::SetClaimRef { to, bound_by_controller } => Some(json!({
                "metadata": { "annotations": { marks: if *bound_by_controller { json!("yes") } else { Value::Null } } },
                "spec": { "claimRef": to.as_ref().map_or(Value::Null, Reference::to_patch) },
            })),
            Change::RemoveFinalizer { finalizer } => {
                Some(json!([{ "op": "remove", "path": "/metadata/finalizers", "value": finalizer }]))
            }
            Change::NameVolume { volume } => Some(json!({ "spec": { "volumeName": volume } })),
            Change::SetClass { class } => Some(json!({ "spec": { "storageClassName": class } })),
            Change::SetAnnotation { key, value } => {
                Some(json!({ "metadata": { "annotations": { key.as_str(): value } } }))
            }
            Change::Create { .. } | Change::Delete => None,
        }
    }

    /// Where the object is read.
    pub fn path(&self) -> String {
        path(self.object.kind, &self.object.namespace, &self.object.name)
    }

    /// The request, on the object as it was just read: it carries that object's uid and version, so that it does
    /// nothing on any other. Nothing where the object is not there, or what is to be removed is not in it.
    pub fn request(&self, current: Option<&Value>, dry_run: bool) -> Option<Request> {
        let path = self.path();
        let text = |pointer: &str| current.and_then(|object| object.pointer(pointer)).and_then(Value::as_str);
        let query = if dry_run { "&dryRun=All" } else { "" };
        let patch = |content_type: &'static str, body: Value| Request {
            method: "PATCH",
            path: format!("{path}?fieldManager={FIELD_MANAGER}{query}"),
            content_type,
            body,
        };
        match &self.change {
            Change::Create { manifest } => {
                let collection = path.rsplit_once('/').map_or(path.as_str(), |(collection, _)| collection);
                Some(Request {
                    method: "POST",
                    path: format!("{collection}?fieldManager={FIELD_MANAGER}{query}"),
                    content_type: "application/json",
                    body: manifest.clone(),
                })
            }
            Change::Delete => {
                let mut body = json!({
                    "apiVersion": "v1",
                    "kind": "DeleteOptions",
                    "propagationPolicy": "Background",
                    "preconditions": { "uid": self.uid, "resourceVersion": text("/metadata/resourceVersion")? },
                });
                if dry_run {
                    body["dryRun"] = json!(["All"]);
                }
                Some(Request { method: "DELETE", path, content_type: "application/json", body })
            }
            Change::RemoveFinalizer { finalizer } => {
                let list = current?.pointer("/metadata/finalizers")?.as_array()?;
                let at = list.iter().position(|present| present.as_str() == Some(finalizer.as_str()))?;
                let one = format!("/metadata/finalizers/{at}");
                let version = text("/metadata/resourceVersion")?;
                Some(patch(
                    "application/json-patch+json",
                    json!([
                        { "op": "test", "path": "/metadata/uid", "value": self.uid },
                        { "op": "test", "path": "/metadata/resourceVersion", "value": version },
                        { "op": "test", "path": one, "value": finalizer },
                        { "op": "remove", "path": one },
                    ]),
                ))
            }
            Change::SetReclaimPolicy { .. }
            | Change::SetClaimRef { .. }
            | Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::SetAnnotation { .. } => {
                let Value::Object(mut body) = self.patch()? else { return None };
                let metadata = body.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
                metadata["uid"] = json!(self.uid);
                metadata["resourceVersion"] = json!(text("/metadata/resourceVersion")?);
                Some(patch("application/merge-patch+json", Value::Object(body)))
            }
        }
    }

    /// Why it cannot be done on what is there now, if it cannot.
    pub fn obstacle(&self, current: Option<&Seen>) -> Option<Obstacle> {
        match (&self.change, current) {
            (Change::Create { .. }, None) => None,
            (Change::Create { .. }, Some(_)) => Some(Obstacle::Exists),
            (_, None) => Some(Obstacle::Missing),
            (_, Some(seen)) if seen.meta().uid != self.uid => Some(Obstacle::OtherUid(seen.meta().uid.clone())),
            (_, Some(seen)) => self.expect.iter().find_map(|expect| {
                let found = expect.differs(seen)?;
                let (field, wanted) = expect.shown();
                Some(Obstacle::Differs(field, wanted, found))
            }),
        }
    }

    /// Whether what is there now is already as this write would leave it. A created object is recognised by the id of
    /// the plan in its annotation, which only the manifest shows: of that `execute` takes care.
    pub fn is_done(&self, current: Option<&Seen>) -> bool {
        let Some(seen) = current else { return matches!(self.change, Change::Delete) };
        let same = seen.meta().uid == self.uid;
        match (&self.change, seen) {
            // A deletion that was accepted cannot be taken back: finalizers delay it, and nothing else.
            (Change::Delete, seen) => !same || seen.meta().deleted.is_some(),
            (Change::SetReclaimPolicy { to }, Seen::Volume(volume)) => {
                same && volume.reclaim_policy.as_str() == to.as_str()
            }
            (Change::SetClaimRef { to, bound_by_controller }, Seen::Volume(volume)) => {
                same && volume.claim_ref.as_ref().map(Reference::from_stored) == *to
                    && volume.meta.annotations.has(AnnotationKey::BoundByController) == *bound_by_controller
            }
            (Change::RemoveFinalizer { finalizer }, seen) => same && !seen.meta().has_finalizer(finalizer),
            (Change::NameVolume { volume }, Seen::Claim(claim)) => same && claim.volume_name == *volume,
            (Change::SetClass { class }, Seen::Claim(claim)) => same && claim.class_name.as_ref() == Some(class),
            (Change::SetAnnotation { key, value }, seen) => {
                let known = AnnotationKey::from_manifest(key);
                same && known.and_then(|key| seen.meta().annotations.get(key)) == value.as_deref()
            }
            (Change::Create { .. }, _) | (_, Seen::Volume(_) | Seen::Claim(_)) => false,
        }
    }

    /// Whether the claim takes any volume that fits after it: it is created, or gets a class, and names none.
    pub fn asks_for_any_volume(&self) -> bool {
        match &self.change {
            Change::Create { manifest } => manifest["spec"]["volumeName"].as_str().unwrap_or_default().is_empty(),
            Change::SetClass { .. } => true,
            Change::SetReclaimPolicy { .. }
            | Change::SetClaimRef { .. }
            | Change::RemoveFinalizer { .. }
            | Change::NameVolume { .. }
            | Change::SetAnnotation { .. }
            | Change::Delete => false,
        }
    }

    /// Whether nothing has to be written, because somebody else has done just that: a controller that finished a
    /// binding, or the person. What is created or deleted by others is not ours.
    pub fn is_so_already(&self, current: Option<&Seen>) -> bool {
        !matches!(self.change, Change::Create { .. } | Change::Delete) && self.is_done(current)
    }
}

/// Where an object is read.
pub fn path(kind: Kind, namespace: &str, name: &str) -> String {
    let group = match kind.api_version().split_once('/') {
        Some(_) => format!("/apis/{}", kind.api_version()),
        None => format!("/api/{}", kind.api_version()),
    };
    if kind.namespaced() {
        format!("{group}/namespaces/{namespace}/{}/{name}", kind.resource())
    } else {
        format!("{group}/{}/{name}", kind.resource())
    }
}

/// The finalizer that keeps a claim while pods use it.
pub(super) const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";

/// The finalizer that keeps a volume while it is Bound.
pub(super) const VOLUME_PROTECTION: &str = "kubernetes.io/pv-protection";
