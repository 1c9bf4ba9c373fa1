//! The writes of a repair. They are a closed list of the smallest possible changes. Each states what it expects to
//! find.
//!
//! A [`Write`] is a change that this program proposes. No other type can become a request that changes the cluster. Two
//! functions interpret it, each with an exhaustive match: [`Write::request`] makes the request for the API server, and
//! [`Write::apply`] applies it in the simulation.

pub use super::seen::Seen;

use super::service::{ClusterAddress, PinnedService};
use crate::model::{AnnotationKey, ClaimRef, Kind, ObjectKey, PersistentVolumeClaim, Str};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The field manager with which the API server records the writes of this program.
pub const FIELD_MANAGER: &str = "kubectl-pvctl";

/// The annotation of a claim that a repair created, with the id of its plan. By this annotation, a repair that was
/// interrupted recognises its own claim.
pub const PLAN_ANNOTATION: &str = "pvctl.dev/plan";

/// The field of a volume's reclaim policy.
const POLICY_FIELD: &str = "spec.persistentVolumeReclaimPolicy";

/// The claim that a volume names in its claimRef.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reference {
    /// `namespace` of the claim.
    pub namespace: Str,
    /// `name` of the claim.
    pub name: Str,
    /// `uid` of the claim. It is empty for a reservation.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub uid: Str,
}

impl Reference {
    /// Returns a reservation for any claim of this name.
    pub fn reservation(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into(), uid: Str::default() }
    }

    /// Returns a reference to exactly this claim, with its uid.
    pub fn of(claim: &PersistentVolumeClaim) -> Self {
        Self { namespace: claim.meta.namespace.clone(), name: claim.meta.name.clone(), uid: claim.meta.uid.clone() }
    }

    /// Returns the reference in a stored `claimRef`.
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

    /// Returns the complete `claimRef` as a merge patch. Fields that the reference does not state are removed.
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

/// The single change of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Change {
    /// The change sets `spec.persistentVolumeReclaimPolicy` of a volume.
    SetReclaimPolicy {
        /// The new policy: `Retain` or `Delete`. No other policy is ever written.
        to: Str,
    },
    /// The change sets the whole `spec.claimRef` of a volume.
    SetClaimRef {
        /// The new reference. If it is `None`, the volume becomes free for any claim.
        to: Option<Reference>,
        /// Whether the volume has the annotation `pv.kubernetes.io/bound-by-controller` after the change.
        bound_by_controller: bool,
    },
    /// The change removes one finalizer. The other finalizers stay.
    RemoveFinalizer {
        /// The finalizer.
        finalizer: Str,
    },
    /// The change sets `spec.volumeName` of a claim that names no volume. The API server allows this once.
    NameVolume {
        /// The volume.
        volume: Str,
    },
    /// The change sets `spec.storageClassName` of a claim that has none. The API server allows this once.
    SetClass {
        /// The class.
        class: Str,
    },
    /// The change sets or removes an annotation of a claim. Some controller reads this annotation.
    SetAnnotation {
        /// The key of the annotation, such as `volume.kubernetes.io/selected-node`.
        key: Str,
        /// The new value. If it is `None`, the annotation is removed.
        value: Option<Str>,
    },
    /// The change creates a claim.
    Create {
        /// The manifest that is sent.
        manifest: Value,
    },
    /// The change creates a Service with a fixed cluster IP.
    CreateService {
        /// The Service.
        service: PinnedService,
    },
    /// The change deletes the object. If it has finalizers, it gets a deletion timestamp first.
    Delete,
}

/// A condition on the object of a step. It must hold immediately before the write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Expect {
    /// The volume has this reclaim policy.
    ReclaimPolicy {
        /// The policy, such as `Retain`.
        is: Str,
    },
    /// The volume's claimRef is exactly this one, with this uid.
    ClaimRef {
        /// The reference. `None` means that the volume has no claimRef.
        is: Option<Reference>,
    },
    /// The volume's claimRef names this claim, with any uid.
    RefersTo {
        /// The claim's namespace.
        namespace: Str,
        /// The claim's name.
        name: Str,
    },
    /// The recorded phase of the volume is one of these.
    VolumePhase {
        /// The phases, such as `Released`.
        any_of: Vec<Str>,
    },
    /// The object is, or is not, being deleted.
    Terminating {
        /// Whether the object is being deleted.
        is: bool,
    },
    /// The claim names this volume, or no volume if the name is empty.
    VolumeName {
        /// The volume.
        is: Str,
    },
    /// The claim has, or does not have, the annotation of a completed binding.
    BindCompleted {
        /// Whether the claim has the annotation.
        is: bool,
    },
    /// The claim has this class.
    Class {
        /// The class. `None` means that no class is stated.
        is: Option<Str>,
    },
    /// The object has this annotation with this value.
    Annotation {
        /// The key of the annotation.
        key: Str,
        /// The value. `None` means that the annotation is missing.
        is: Option<Str>,
    },
    /// The object has this finalizer.
    Finalizer {
        /// The finalizer.
        has: Str,
    },
    /// The VolumeAttachment attaches this volume to this node.
    Attaches {
        /// The volume.
        volume: Str,
        /// The node.
        to: Str,
    },
    /// The Service has this cluster IP.
    ClusterIp {
        /// The address.
        is: ClusterAddress,
    },
}

impl Expect {
    /// Returns the field that the condition is about, and its expected value.
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
            Self::Attaches { volume, to } => {
                ("spec".to_owned(), json!({ "nodeName": to, "source": { "persistentVolumeName": volume } }))
            }
            Self::ClusterIp { is } => ("spec.clusterIP".to_owned(), json!(is)),
        }
    }

    /// Returns the found value, in words, or None if the condition holds.
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
            (Self::Attaches { volume, to }, Seen::Attachment(attachment)) => unless(
                attachment.volume_name == *volume && attachment.node_name == *to,
                format!("volume {} on node {}", of(&attachment.volume_name), of(&attachment.node_name)),
            ),
            (Self::ClusterIp { is }, Seen::Service(service)) => {
                unless(is.is(&service.cluster_ip), of(&service.cluster_ip))
            }
            (_, Seen::Attachment(_)) => Some("an attachment".to_owned()),
            (_, Seen::Service(_)) => Some("a Service".to_owned()),
            (_, Seen::Volume(_)) => Some("a volume".to_owned()),
            (_, Seen::Claim(_)) => Some("a claim".to_owned()),
        }
    }
}

/// Describes a `claimRef` in words.
pub(super) fn describe(named: &Reference) -> String {
    let uid = if named.uid.is_empty() { "no uid".to_owned() } else { format!("uid {}", named.uid) };
    format!("{}/{} with {uid}", named.namespace, named.name)
}

/// One conditional request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Write {
    /// The object that is written to.
    pub object: ObjectKey,
    /// The uid of the object. It is empty for an object that is created.
    #[serde(default, skip_serializing_if = "Str::is_empty")]
    pub uid: Str,
    /// The conditions that the object must meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expect>,
    /// The change.
    pub change: Change,
}

/// A request to the API server, without its sender and address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The HTTP method: `POST`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// The path and query.
    pub path: String,
    /// The header `Content-Type`.
    pub content_type: &'static str,
    /// The body.
    pub body: Value,
}

/// The reason why a write cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The object does not exist.
    Missing,
    /// An object of this name exists already.
    Exists,
    /// Another object, with this uid, has the name now.
    OtherUid(Str),
    /// A field has another value than expected: the field, the expected value, and the found value.
    Differs(String, Value, String),
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => out.write_str("it does not exist any more"),
            Self::Exists => out.write_str("an object with that name exists already"),
            Self::OtherUid(uid) => write!(out, "another object has that name now, with uid {uid}"),
            Self::Differs(field, wanted, found) => write!(out, "{field} is {found}, but {wanted} was expected"),
        }
    }
}

impl Obstacle {
    /// Returns what the person can do, if a new request for the same repair does not help.
    pub fn way_on(&self, object: &ObjectKey) -> Option<String> {
        match self {
            Self::Differs(field, wanted, _) if field == POLICY_FIELD && wanted == "Retain" => {
                Some(format!("kubectl pvctl retain {object} sets Retain again; first find out who has changed it"))
            }
            Self::Missing | Self::Exists | Self::OtherUid(_) | Self::Differs(..) => None,
        }
    }
}

impl Write {
    /// Returns the verb of the API, as RBAC names it.
    pub fn verb(&self) -> &'static str {
        match self.change {
            Change::Create { .. } | Change::CreateService { .. } => "create",
            Change::Delete => "delete",
            Change::SetReclaimPolicy { .. }
            | Change::SetClaimRef { .. }
            | Change::RemoveFinalizer { .. }
            | Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::SetAnnotation { .. } => "patch",
        }
    }

    /// Returns whether the write creates an object.
    pub fn creates(&self) -> bool {
        matches!(self.change, Change::Create { .. } | Change::CreateService { .. })
    }

    /// Returns whether the write sets policy Retain.
    pub fn retains(&self) -> bool {
        matches!(&self.change, Change::SetReclaimPolicy { to } if to == "Retain")
    }

    /// Returns whether the write deletes a claim, or removes a finalizer that may have kept the claim from being
    /// removed.
    pub fn takes_claim(&self) -> bool {
        self.object.kind == Kind::PersistentVolumeClaim
            && matches!(self.change, Change::Delete | Change::RemoveFinalizer { .. })
    }

    /// Returns whether the write removes something that no later step can restore exactly.
    pub fn is_destructive(&self) -> bool {
        match &self.change {
            Change::Delete | Change::RemoveFinalizer { .. } => true,
            Change::SetReclaimPolicy { to } => to != "Retain",
            Change::SetClaimRef { to, .. } => to.is_none(),
            Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::SetAnnotation { .. }
            | Change::Create { .. }
            | Change::CreateService { .. } => false,
        }
    }

    /// Returns the merge patch without its preconditions, or the JSON patch for a finalizer. Returns `None` for a
    /// creation or deletion.
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
            Change::Create { .. } | Change::CreateService { .. } | Change::Delete => None,
        }
    }

    /// Returns the manifest of the object that the write creates. Returns `None` if the write creates nothing.
    pub fn manifest(&self) -> Option<Value> {
        match &self.change {
            Change::Create { manifest } => Some(manifest.clone()),
            Change::CreateService { service } => Some(service.manifest(&self.object)),
            Change::SetReclaimPolicy { .. }
            | Change::SetClaimRef { .. }
            | Change::RemoveFinalizer { .. }
            | Change::NameVolume { .. }
            | Change::SetClass { .. }
            | Change::SetAnnotation { .. }
            | Change::Delete => None,
        }
    }

    /// Returns the path of the object.
    pub fn path(&self) -> String {
        path(self.object.kind, &self.object.namespace, &self.object.name)
    }

    /// Returns the request, based on the object that was just read. Unless it creates an object, the request states the
    /// uid and version of that object, so it has no effect on another object or version. Returns None if the object to
    /// change does not exist, or if it does not have the finalizer to be removed.
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
            Change::Create { .. } | Change::CreateService { .. } => {
                let collection = path.rsplit_once('/').map_or(path.as_str(), |(collection, _)| collection);
                Some(Request {
                    method: "POST",
                    path: format!("{collection}?fieldManager={FIELD_MANAGER}{query}"),
                    content_type: "application/json",
                    body: self.manifest()?,
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

    /// Returns why the write cannot be carried out on the current object. Returns `None` if it can be carried out.
    pub fn obstacle(&self, current: Option<&Seen>) -> Option<Obstacle> {
        match (&self.change, current) {
            (Change::Create { .. } | Change::CreateService { .. }, None) => None,
            (Change::Create { .. } | Change::CreateService { .. }, Some(_)) => Some(Obstacle::Exists),
            (_, None) => Some(Obstacle::Missing),
            (_, Some(seen)) if seen.meta().uid != self.uid => Some(Obstacle::OtherUid(seen.meta().uid.clone())),
            (_, Some(seen)) => self.expect.iter().find_map(|expect| {
                let found = expect.differs(seen)?;
                let (field, wanted) = expect.shown();
                Some(Obstacle::Differs(field, wanted, found))
            }),
        }
    }

    /// Returns whether the current object is already as this write would leave it. A created object is recognised by
    /// the annotation with the id of the plan. Only the manifest shows this annotation, so `execute` checks it.
    pub fn is_done(&self, current: Option<&Seen>) -> bool {
        let Some(seen) = current else { return matches!(self.change, Change::Delete) };
        let same = seen.meta().uid == self.uid;
        match (&self.change, seen) {
            // An accepted deletion cannot be undone. Finalizers only delay it.
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
            (Change::Create { .. } | Change::CreateService { .. }, _)
            | (_, Seen::Volume(_) | Seen::Claim(_) | Seen::Attachment(_) | Seen::Service(_)) => false,
        }
    }

    /// Returns whether the claim may get any matching volume after the write. This is so if the write creates the claim
    /// or sets its class, and the claim names no volume.
    pub fn asks_for_any_volume(&self) -> bool {
        match &self.change {
            Change::Create { manifest } => manifest["spec"]["volumeName"].as_str().unwrap_or_default().is_empty(),
            Change::SetClass { .. } => true,
            Change::SetReclaimPolicy { .. }
            | Change::SetClaimRef { .. }
            | Change::RemoveFinalizer { .. }
            | Change::NameVolume { .. }
            | Change::SetAnnotation { .. }
            | Change::CreateService { .. }
            | Change::Delete => false,
        }
    }

    /// Returns whether nothing has to be written, because somebody else has made exactly this change. For example, a
    /// controller has finished a binding. Creations and deletions by others are not recognised.
    pub fn is_so_already(&self, current: Option<&Seen>) -> bool {
        !self.creates() && !matches!(self.change, Change::Delete) && self.is_done(current)
    }
}

/// Returns the path of an object in the API. Without a namespace, it is that of the objects of all namespaces.
pub fn path(kind: Kind, namespace: &str, name: &str) -> String {
    let group = match kind.api_version().split_once('/') {
        Some(_) => format!("/apis/{}", kind.api_version()),
        None => format!("/api/{}", kind.api_version()),
    };
    if kind.namespaced() && !namespace.is_empty() {
        format!("{group}/namespaces/{namespace}/{}/{name}", kind.resource())
    } else {
        format!("{group}/{}/{name}", kind.resource())
    }
}
