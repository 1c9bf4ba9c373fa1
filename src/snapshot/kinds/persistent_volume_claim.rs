//! PersistentVolumeClaim: what is read of it, and what of it may leave the cluster.

use super::{Parts, Stored, Writable};
use crate::model::AccessMode;
use crate::model::{ClaimDetails, ClaimPhase, ClaimStatus, DataSource, PersistentVolumeClaim, VolumeMode};
use crate::snapshot::decode::wire::{
    LabelMap, LabelTerms, List, Meta, Mode, Quantities, Requests, StatusCondition, Text, conditions, object,
};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::{each, each_item, hidden, keep, metadata};
use serde_json::{Value, json};
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

object!(Resources { requests: Requests = "requests" });

object!(ClaimStatusObject {
    phase: Text = "phase",
    access_modes: List<Mode> = "accessModes",
    capacity: Quantities = "capacity",
    current_attributes_class: Option<Text> = "currentVolumeAttributesClassName",
    conditions: List<StatusCondition> = "conditions",
    allocated: Quantities = "allocatedResources",
    allocated_statuses: LabelMap = "allocatedResourceStatuses",
});

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

/// The condition `Unused` of a claim. Unlike in RFC 7386 it is merged into the list by its type: other conditions stay,
/// and no decision reads them. Upstream: `updateUnusedCondition`, `pkg/controller/volume/pvcprotection`, 1.36.
fn unused_condition(unused: bool) -> Value {
    let (status, reason, message) = if unused {
        ("True", "NoPodsUsingPVC", "No pods are currently referencing this PVC")
    } else {
        ("False", "PodUsingPVC", "A pod is currently referencing this PVC")
    };
    // The type of the field `lastProbeTime` has no empty form that is left out.
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

    fn begin(&mut self) {
        self.status.phase = ClaimPhase::Pending;
    }
}

fn claim(at: &Context<'_>, mut object: ClaimObject) -> Result<PersistentVolumeClaim, Failure> {
    let details = details(&mut object);
    let spec = object.spec;
    let status = object.status;
    Ok(PersistentVolumeClaim {
        meta: at.meta(object.metadata)?,
        request: spec.resources.requests.storage,
        access_modes: spec.access_modes.modes(),
        volume_name: spec.volume_name.0,
        class_name: spec.class_name.map(|class| class.0),
        attributes_class: spec.attributes_class.map(|class| class.0),
        volume_mode: spec.volume_mode.map(|mode| VolumeMode::from_manifest(&mode.0)),
        selector: spec.selector.map(|selector| Box::new(selector.into_selector())),
        data_source: spec.data_source.is_some(),
        details,
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
    })
}

/// What is evidence alone; none where there is nothing of it, as for nearly all claims.
fn details(object: &mut ClaimObject) -> Option<Arc<ClaimDetails>> {
    let spec = &mut object.spec;
    let source = match (&mut spec.data_source_ref, &mut spec.data_source) {
        (Some(source), _) | (None, Some(source)) => Some(std::mem::take(source)),
        (None, None) => None,
    };
    let status = &mut object.status;
    let of_storage = |resource: &str| resource == "storage";
    let details = ClaimDetails {
        owners: object.metadata.owners.owners(),
        data_source: source.map(|source| DataSource {
            group: source.group.0,
            kind: source.kind.0,
            namespace: source.namespace.0,
            name: source.name.0,
        }),
        conditions: conditions(status.conditions.0.extract_if(.., |condition| condition.kind.0 != "Unused")),
        allocated: status.allocated.0.iter().find(|(name, _)| of_storage(name)).map(|(_, amount)| amount.quantity),
        allocated_status: (status.allocated_statuses.0.iter())
            .find(|(name, _)| of_storage(name))
            .map(|(_, status)| status.clone())
            .unwrap_or_default(),
    };
    (details != ClaimDetails::default()).then(|| Arc::new(details))
}

/// What stays of the specification of a claim, or of a template of claims.
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

/// What stays of a template of claims.
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
            keep(condition, &["lastProbeTime", "lastTransitionTime", "reason", "status", "type"])
        }),
        _ => hidden(value),
    }
}
