//! The RFC 7386 merge patch between an object before a write and the object that is sent. `resourceVersion` and
//! `managedFields` are left out, as are defaults that the server fills in.

use super::{Write, WriteBody};
use crate::model::{
    AccessModes, Amount, AnnotationKey, Annotations, ClaimRef, PersistentVolume, PersistentVolumeClaim, Str,
};
use crate::snapshot::defaults::PLACEHOLDER_UID;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A field of a merge patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Field<T> {
    /// Not in the patch.
    #[default]
    Same,
    /// `null`.
    Removed,
    /// Set to this.
    Set(T),
}

impl<T> Field<T> {
    /// Whether the field is left out.
    pub fn is_same(&self) -> bool {
        matches!(self, Self::Same)
    }
}

impl<T: Serialize> Serialize for Field<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Set(value) => value.serialize(serializer),
            Self::Same | Self::Removed => serializer.serialize_none(),
        }
    }
}

/// A merge patch of a volume or a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Patch<'a> {
    /// `metadata`.
    #[serde(skip_serializing_if = "MetaPatch::is_empty")]
    pub metadata: MetaPatch<'a>,
    /// `spec`.
    #[serde(skip_serializing_if = "SpecPatch::is_empty")]
    pub spec: SpecPatch<'a>,
    /// `status`.
    #[serde(skip_serializing_if = "StatusPatch::is_empty")]
    pub status: StatusPatch<'a>,
}

/// The part of a patch below `metadata`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MetaPatch<'a> {
    /// The annotations that change.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub annotations: Field<AnnotationsPatch<'a>>,
    /// The whole list of finalizers.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub finalizers: Field<&'a [Str]>,
}

/// The part of a patch below `spec`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpecPatch<'a> {
    /// A volume's claim.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub claim_ref: Field<ClaimRefPatch<'a>>,
    /// A claim's class.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub storage_class_name: Field<&'a str>,
    /// A claim's volume.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub volume_name: Field<&'a str>,
}

/// The part of a patch below `status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusPatch<'a> {
    /// A claim's access modes.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub access_modes: Field<Vec<&'a str>>,
    /// A claim's capacity.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub capacity: Field<CapacityPatch<'a>>,
    /// A claim's condition `Unused` alone. Unlike in RFC 7386 it is merged into the list by its type: other conditions
    /// stay, and no decision reads them.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub conditions: Field<[UnusedCondition; 1]>,
    /// A claim's current attributes class.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub current_volume_attributes_class_name: Field<&'a str>,
    /// A volume's message.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub message: Field<&'a str>,
    /// The phase.
    #[serde(skip_serializing_if = "Field::is_same")]
    pub phase: Field<&'a str>,
}

/// The condition `Unused` of a claim.
/// Upstream: `updateUnusedCondition`, `pkg/controller/volume/pvcprotection`, 1.36.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnusedCondition {
    /// Whether no pod refers to the claim.
    pub unused: bool,
}

impl Serialize for UnusedCondition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (status, reason, message) = if self.unused {
            ("True", "NoPodsUsingPVC", "No pods are currently referencing this PVC")
        } else {
            ("False", "PodUsingPVC", "A pod is currently referencing this PVC")
        };
        // The type of the field has no empty form that is left out.
        let entries = [
            ("lastProbeTime", None),
            ("lastTransitionTime", Some("<now>")),
            ("message", Some(message)),
            ("reason", Some(reason)),
            ("status", Some(status)),
            ("type", Some("Unused")),
        ];
        serializer.collect_map(entries)
    }
}

impl MetaPatch<'_> {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl SpecPatch<'_> {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl StatusPatch<'_> {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The annotations that change, each set or removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnotationsPatch<'a>(Vec<(AnnotationKey, Option<&'a str>)>);

impl Serialize for AnnotationsPatch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key.as_str(), value)?;
        }
        map.end()
    }
}

/// The parts of a claimRef that change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimRefPatch<'a> {
    #[serde(skip_serializing_if = "Field::is_same")]
    api_version: Field<&'a str>,
    #[serde(skip_serializing_if = "Field::is_same")]
    field_path: Field<&'a str>,
    #[serde(skip_serializing_if = "Field::is_same")]
    kind: Field<&'a str>,
    #[serde(skip_serializing_if = "Field::is_same")]
    name: Field<&'a str>,
    #[serde(skip_serializing_if = "Field::is_same")]
    namespace: Field<&'a str>,
    #[serde(skip_serializing_if = "Field::is_same")]
    resource_version: Field<&'a str>,
    #[serde(skip_serializing_if = "Field::is_same")]
    uid: Field<&'a str>,
}

/// The resources of a capacity that change, each set or removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapacityPatch<'a>(Vec<(&'a str, Option<&'a Amount>)>);

impl Serialize for CapacityPatch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (resource, quantity) in &self.0 {
            map.serialize_entry(resource, quantity)?;
        }
        map.end()
    }
}

/// A uid as output prints it: one that only an API server could give is a placeholder.
pub fn printed_uid(uid: &str) -> &str {
    if uid.starts_with(PLACEHOLDER_UID) { PLACEHOLDER_UID } else { uid }
}

/// The name of a volume as output prints it: one made of a claim's uid that only an API server could give ends in the
/// placeholder, which tells whoever reads it that the rest cannot be known.
pub fn printed_volume(name: &str) -> &str {
    const PREFIX: usize = "pvc-".len();
    let made = name.strip_prefix("pvc-").is_some_and(|uid| uid.starts_with(PLACEHOLDER_UID));
    if made { &name[..PREFIX + PLACEHOLDER_UID.len()] } else { name }
}

impl Write<'_> {
    /// The merge patch of an update; none for a creation or a deletion. What the API server does not take from that
    /// kind of update is left out: the status of a main one, the spec of one of the status.
    pub fn patch(&self) -> Option<Patch<'_>> {
        let (patch, status) = match &self.body {
            WriteBody::UpdateVolume { before, after, status } => (volume_patch(before, after), *status),
            WriteBody::UpdateClaim { before, after, status } => (claim_patch(before, after), *status),
            WriteBody::CreateVolume(_) | WriteBody::DeleteVolume(_) => return None,
        };
        Some(if status {
            Patch { spec: SpecPatch::default(), ..patch }
        } else {
            Patch { status: StatusPatch::default(), ..patch }
        })
    }
}

fn volume_patch<'a>(before: &'a PersistentVolume, after: &'a PersistentVolume) -> Patch<'a> {
    Patch {
        metadata: MetaPatch {
            annotations: annotations(&before.meta.annotations, &after.meta.annotations),
            finalizers: finalizers(&before.meta.finalizers, &after.meta.finalizers),
        },
        spec: SpecPatch {
            claim_ref: claim_ref(before.claim_ref.as_ref(), after.claim_ref.as_ref()),
            ..SpecPatch::default()
        },
        status: StatusPatch {
            phase: text(before.status.phase.as_str(), after.status.phase.as_str()),
            message: text(&before.status.message, &after.status.message),
            ..StatusPatch::default()
        },
    }
}

fn claim_patch<'a>(before: &'a PersistentVolumeClaim, after: &'a PersistentVolumeClaim) -> Patch<'a> {
    Patch {
        metadata: MetaPatch {
            annotations: annotations(&before.meta.annotations, &after.meta.annotations),
            finalizers: finalizers(&before.meta.finalizers, &after.meta.finalizers),
        },
        spec: SpecPatch {
            storage_class_name: optional(before.class_name.as_deref(), after.class_name.as_deref()),
            volume_name: text(&before.volume_name, &after.volume_name),
            ..SpecPatch::default()
        },
        status: StatusPatch {
            access_modes: access_modes(&before.status.access_modes, &after.status.access_modes),
            capacity: capacity(&before.status.capacity, &after.status.capacity),
            conditions: match after.status.unused {
                Some(unused) if before.status.unused != Some(unused) => Field::Set([UnusedCondition { unused }]),
                None if before.status.unused.is_some() => Field::Removed,
                Some(_) | None => Field::Same,
            },
            current_volume_attributes_class_name: optional(
                before.status.current_attributes_class.as_deref(),
                after.status.current_attributes_class.as_deref(),
            ),
            phase: text(before.status.phase.as_str(), after.status.phase.as_str()),
            ..StatusPatch::default()
        },
    }
}

/// A string field that an update leaves out when it is empty.
fn text<'a>(before: &str, after: &'a str) -> Field<&'a str> {
    if before == after {
        Field::Same
    } else if after.is_empty() {
        Field::Removed
    } else {
        Field::Set(after)
    }
}

/// A string field for which empty and absent are different.
fn optional<'a>(before: Option<&str>, after: Option<&'a str>) -> Field<&'a str> {
    match after {
        _ if before == after => Field::Same,
        Some(value) => Field::Set(value),
        None => Field::Removed,
    }
}

fn annotations<'a>(before: &Annotations, after: &'a Annotations) -> Field<AnnotationsPatch<'a>> {
    if before == after {
        return Field::Same;
    }
    if after.is_empty() {
        return Field::Removed;
    }
    let mut changed: Vec<(AnnotationKey, Option<&str>)> = after
        .iter()
        .filter(|(key, value)| before.get(*key) != Some(value))
        .map(|(key, value)| (key, Some(value)))
        .collect();
    changed.extend(before.iter().filter(|(key, _)| !after.has(*key)).map(|(key, _)| (key, None)));
    Field::Set(AnnotationsPatch(changed))
}

fn finalizers<'a>(before: &[Str], after: &'a [Str]) -> Field<&'a [Str]> {
    if before == after {
        Field::Same
    } else if after.is_empty() {
        Field::Removed
    } else {
        Field::Set(after)
    }
}

fn claim_ref<'a>(before: Option<&ClaimRef>, after: Option<&'a ClaimRef>) -> Field<ClaimRefPatch<'a>> {
    match after {
        _ if before == after => Field::Same,
        None => Field::Removed,
        Some(after) => {
            let absent = ClaimRef::default();
            let before = before.unwrap_or(&absent);
            let uid = match text(&before.uid, &after.uid) {
                Field::Set(uid) => Field::Set(printed_uid(uid)),
                other => other,
            };
            Field::Set(ClaimRefPatch {
                api_version: text(&before.api_version, &after.api_version),
                field_path: text(&before.field_path, &after.field_path),
                kind: text(&before.kind, &after.kind),
                name: text(&before.name, &after.name),
                namespace: text(&before.namespace, &after.namespace),
                resource_version: text(&before.resource_version, &after.resource_version),
                uid,
            })
        }
    }
}

fn access_modes<'a>(before: &AccessModes, after: &'a AccessModes) -> Field<Vec<&'a str>> {
    if before == after {
        Field::Same
    } else if after.is_empty() {
        Field::Removed
    } else {
        Field::Set(after.0.iter().map(crate::model::AccessMode::as_str).collect())
    }
}

fn capacity<'a>(before: &'a [(Str, Amount)], after: &'a [(Str, Amount)]) -> Field<CapacityPatch<'a>> {
    if before == after {
        return Field::Same;
    }
    let find = |list: &'a [(Str, Amount)], resource: &str| {
        list.iter().find(|(known, _)| known == resource).map(|(_, amount)| amount)
    };
    let mut changed: Vec<(&str, Option<&Amount>)> = after
        .iter()
        .filter(|(resource, amount)| find(before, resource).is_none_or(|earlier| !earlier.reads_as(amount)))
        .map(|(resource, amount)| (resource.as_str(), Some(amount)))
        .collect();
    changed.extend(
        before
            .iter()
            .filter(|(resource, _)| find(after, resource).is_none())
            .map(|(resource, _)| (resource.as_str(), None)),
    );
    if changed.is_empty() {
        return Field::Same;
    }
    if after.is_empty() {
        return Field::Removed;
    }
    Field::Set(CapacityPatch(changed))
}
