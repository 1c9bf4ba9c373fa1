//! This module decodes PersistentVolumeClaims, and decides which of their fields may leave the cluster.

use super::{ApiGates, Parts, Stored, Writable};
use crate::model::{
    AccessMode, AnnotationKey, Annotations, ClaimDetails, ClaimPhase, ClaimStatus, DataSource, ModifyVolume,
    ObjectMeta, PersistentVolumeClaim, SentDetails, Str, Unread, VolumeMode, newest_default,
};
use crate::snapshot::Snapshot;
use crate::snapshot::decode::wire::{
    LabelMap, LabelTerms, List, Meta, Mode, Quantities, Requests, StatusCondition, Text, conditions, object,
};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, each_item, hidden, keep, metadata};
use serde_json::{Map, Value, json};
use std::sync::Arc;

object!(ClaimObject { metadata: Meta = "metadata", spec: ClaimSpec = "spec", status: ClaimStatusObject = "status" });

object!(ClaimSpec {
    access_modes: List<Mode> = "accessModes",
    resources: Resources = "resources",
    volume_name: Text = "volumeName",
    class_name: Option<Text> = "storageClassName",
    attributes_class: Option<Text> = "volumeAttributesClassName",
    volume_mode: Option<Text> = "volumeMode",
    selector: Option<LabelTerms> = "selector",
    data_source: Option<SourceReference> = "dataSource",
    data_source_ref: Option<SourceReference> = "dataSourceRef",
});

object!(SourceReference {
    group: Text = "apiGroup",
    kind: Text = "kind",
    namespace: Text = "namespace",
    name: Text = "name",
});

object!(Resources { requests: Requests = "requests", limits: Quantities = "limits" });

object!(ClaimTemplate { metadata: TemplateMeta = "metadata", spec: ClaimSpec = "spec" });

object!(TemplateMeta { labels: LabelMap = "labels", annotations: Option<Map<String, Value>> = "annotations" });

object!(ClaimStatusObject {
    phase: Text = "phase",
    access_modes: List<Mode> = "accessModes",
    capacity: Quantities = "capacity",
    current_attributes_class: Option<Text> = "currentVolumeAttributesClassName",
    conditions: List<StatusCondition> = "conditions",
    allocated: Quantities = "allocatedResources",
    allocated_statuses: LabelMap = "allocatedResourceStatuses",
    modify: Option<ModifyObject> = "modifyVolumeStatus",
});

object!(ModifyObject { target: Text = "targetVolumeAttributesClassName", status: Text = "status" });

impl Stored for PersistentVolumeClaim {
    const KEEPS_CHANGE_TIMES: bool = true;

    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        claim(at, at.parse()?).map(Some)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        Some(match field {
            "spec" => claim_spec(value),
            "status" => each(value, claim_status),
            _ => hidden(value),
        })
    }

    fn changes<'o>(before: &'o Self, after: &'o Self) -> Parts<'o> {
        let mut parts = Parts::default();
        parts.spec.optional("storageClassName", before.class_name.as_deref(), after.class_name.as_deref());
        parts.spec.text("volumeName", &before.volume_name, &after.volume_name);
        let (before, after) = (&before.status, &after.status);
        let modes = after.access_modes.0.iter().map(AccessMode::as_str);
        parts.status.list("accessModes", before.access_modes != after.access_modes, modes);
        parts.status.quantities("capacity", &before.capacity, &after.capacity);
        if before.unused != after.unused {
            parts.status.json("conditions", after.unused.map(|unused| vec![unused_condition(unused)].into()));
        }
        let (class, changed) = (&before.current_attributes_class, &after.current_attributes_class);
        parts.status.optional("currentVolumeAttributesClassName", class.as_deref(), changed.as_deref());
        parts.status.text("phase", before.phase.as_str(), after.phase.as_str());
        parts
    }
}

/// Returns the condition `Unused` of a claim. Unlike a list in RFC 7386, this condition does not replace the whole
/// list: it replaces only the condition of the same type. Upstream: `updateUnusedCondition`,
/// `pkg/controller/volume/pvcprotection`, 1.36.
fn unused_condition(unused: bool) -> Value {
    let (status, reason, message) = if unused {
        ("True", "NoPodsUsingPVC", "No pods are currently referencing this PVC")
    } else {
        ("False", "PodUsingPVC", "A pod is currently referencing this PVC")
    };
    // Go never omits the field `lastProbeTime` from JSON, because its type has no empty value.
    json!({
        "lastProbeTime": null, "lastTransitionTime": "<now>", "message": message, "reason": reason, "status": status,
        "type": "Unused",
    })
}

impl Writable for PersistentVolumeClaim {
    fn keep_all_but_status(&mut self, stored: &Self) {
        self.volume_name.clone_from(&stored.volume_name);
        self.class_name.clone_from(&stored.class_name);
    }

    fn keep_status(&mut self, stored: &Self) {
        self.status = stored.status.clone();
    }

    /// Does what the API server does with a new claim. Upstream: the admission plugins `DefaultStorageClass` and
    /// `StorageObjectInUseProtection`, which are on by default, and `PrepareForCreate`, `DropDisabledFields` and
    /// `EnforceDataSourceBackwardsCompatibility` (`pkg/registry/core/persistentvolumeclaim`,
    /// `pkg/api/persistentvolumeclaim`), 1.36.
    fn begin(&mut self, snapshot: &Snapshot, gates: ApiGates) {
        if !gates.attributes_class {
            self.attributes_class = None;
        }
        if !self.has_class() {
            self.class_name = newest_default(snapshot.classes()).map(|class| class.meta.name.clone());
        }
        if !self.meta.has_finalizer(Self::PROTECTION) {
            let protection = Str::const_new(Self::PROTECTION);
            self.meta.finalizers = self.meta.finalizers.iter().cloned().chain([protection]).collect();
        }
        self.status = ClaimStatus { phase: ClaimPhase::Pending, ..ClaimStatus::default() };
        let Some(details) = &self.details else { return };
        let by_reference = details.sent.as_ref().is_some_and(|sent| sent.data_source_ref);
        let kept = details
            .data_source
            .clone()
            .filter(|source| if by_reference { source.namespace.is_empty() } else { is_classic(source) });
        // If one of the fields `dataSource` and `dataSourceRef` remains, the API server copies it to the other field.
        self.data_source = kept.is_some();
        let details = ClaimDetails { data_source: kept, sent: None, ..(**details).clone() };
        self.details = (details != ClaimDetails::default()).then(|| Arc::new(details));
    }
}

/// Returns whether `dataSource` may name this source. `dataSource` is older than `dataSourceRef` and allows fewer
/// kinds.
fn is_classic(source: &DataSource) -> bool {
    matches!(
        (source.group.as_str(), source.kind.as_str()),
        ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

fn claim(at: &Context<'_>, mut object: ClaimObject) -> Result<PersistentVolumeClaim, Failure> {
    let details = details(&mut object);
    let status = object.status;
    Ok(PersistentVolumeClaim {
        meta: at.meta(object.metadata)?,
        details: (details != ClaimDetails::default()).then(|| Arc::new(details)),
        status: ClaimStatus {
            phase: ClaimPhase::from_manifest(&status.phase.0),
            access_modes: status.access_modes.modes(),
            capacity: status.capacity.0.into(),
            current_attributes_class: status.current_attributes_class.map(|class| class.0),
            unused: status
                .conditions
                .0
                .iter()
                .find(|condition| condition.kind.0 == "Unused")
                .map(|condition| condition.status.0 == "True"),
        },
        ..specified(object.spec)
    })
}

/// Returns a claim that has only this specification.
fn specified(spec: ClaimSpec) -> PersistentVolumeClaim {
    PersistentVolumeClaim {
        request: spec.resources.requests.storage,
        access_modes: spec.access_modes.modes(),
        volume_name: spec.volume_name.0,
        class_name: spec.class_name.map(|class| class.0),
        attributes_class: spec.attributes_class.map(|class| class.0),
        volume_mode: spec.volume_mode.map(|mode| VolumeMode::from_manifest(&mode.0)),
        selector: spec.selector.map(|selector| Box::new(selector.into_selector())),
        data_source: spec.data_source.is_some(),
        ..PersistentVolumeClaim::default()
    }
}

/// Returns the claim that a template describes, with the name that the claim will have.
pub(super) fn template_of(template: ClaimTemplate, namespace: Str, name: Str) -> PersistentVolumeClaim {
    let ClaimTemplate { metadata, mut spec } = template;
    let (mut known, mut others) = (Vec::new(), Vec::new());
    for (key, value) in metadata.annotations.unwrap_or_default() {
        let value = Str::from(value.as_str().unwrap_or_default());
        match AnnotationKey::from_manifest(&key) {
            Some(key) => known.push((key, value)),
            None => others.push((Str::from(key), Unread(value))),
        }
    }
    let sent = SentDetails {
        annotations: others.into(),
        limits: std::mem::take(&mut spec.resources.limits.0).into(),
        data_source_ref: spec.data_source_ref.is_some(),
    };
    let others = u32::try_from(sent.annotations.len()).unwrap_or(u32::MAX);
    let details = ClaimDetails {
        data_source: source(&mut spec),
        sent: (sent != SentDetails::default()).then(|| Box::new(sent)),
        ..ClaimDetails::default()
    };
    PersistentVolumeClaim {
        meta: ObjectMeta {
            name,
            namespace,
            labels: metadata.labels.0.into(),
            annotations: Annotations::new(known, others),
            ..ObjectMeta::default()
        },
        details: (details != ClaimDetails::default()).then(|| Arc::new(details)),
        ..specified(spec)
    }
}

/// Returns the object from which a claim is to be filled: `dataSourceRef`, or `dataSource` if `dataSourceRef` is
/// absent.
fn source(spec: &mut ClaimSpec) -> Option<DataSource> {
    let source = spec.data_source_ref.as_mut().or(spec.data_source.as_mut()).map(std::mem::take)?;
    Some(DataSource { group: source.group.0, kind: source.kind.0, namespace: source.namespace.0, name: source.name.0 })
}

/// Returns the fields that few claims have.
fn details(object: &mut ClaimObject) -> ClaimDetails {
    let status = &mut object.status;
    let of_storage = |resource: &str| resource == "storage";
    ClaimDetails {
        owners: object.metadata.owners.owners(),
        data_source: source(&mut object.spec),
        conditions: conditions(status.conditions.0.extract_if(.., |condition| condition.kind.0 != "Unused")),
        allocated: status.allocated.0.iter().find(|(name, _)| of_storage(name)).map(|(_, amount)| amount.quantity),
        allocated_status: (status.allocated_statuses.0.iter())
            .find(|(name, _)| of_storage(name))
            .map(|(_, status)| status.clone())
            .unwrap_or_default(),
        modify: status.modify.take().map(|modify| ModifyVolume { target: modify.target.0, status: modify.status.0 }),
        sent: None,
    }
}

/// Redacts the specification of a claim, or of a claim template.
fn claim_spec(value: Value) -> Value {
    keep(
        value,
        &[
            "accessModes",
            "dataSource",
            "dataSourceRef",
            "resources",
            "selector",
            "storageClassName",
            "volumeAttributesClassName",
            "volumeMode",
            "volumeName",
        ],
    )
}

/// Redacts a claim template.
pub(super) fn claim_template(value: Value) -> Value {
    each(value, |key, value| match key {
        "metadata" => metadata(value),
        "spec" => claim_spec(value),
        _ => hidden(value),
    })
}

fn claim_status(key: &str, value: Value) -> Value {
    match key {
        "accessModes"
        | "allocatedResourceStatuses"
        | "allocatedResources"
        | "capacity"
        | "currentVolumeAttributesClassName"
        | "modifyVolumeStatus"
        | "phase" => value,
        "conditions" => each_item(value, |condition| {
            keep(condition, &["lastProbeTime", "lastTransitionTime", "message", "reason", "status", "type"])
        }),
        _ => hidden(value),
    }
}
