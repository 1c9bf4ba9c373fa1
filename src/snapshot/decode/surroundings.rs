//! What stands around volumes and claims, from JSON.

use super::{Context, Decode, Failure, wire};
use crate::model::surroundings::{
    AttachError, ClaimTemplate, Condition, CsiDriver, CsiNode, Event, LimitRange, Namespace, NodeDriver, ResourceQuota,
    StatefulSet, StorageCapacity, VolumeAttachment,
};
use crate::model::{Kind, Lease, ObjectKey, ObjectMeta, Owner, Quantity, ResourceVersion, Str};

/// An owner of an object.
pub(super) fn owner(owner: &wire::Owner) -> Owner {
    Owner {
        api_version: owner.api_version.0.clone(),
        kind: owner.kind.0.clone(),
        name: owner.name.0.clone(),
        uid: owner.uid.0.clone(),
        controller: owner.controller == Some(true),
    }
}

/// Conditions of a status.
pub(super) fn conditions(conditions: impl Iterator<Item = wire::StatusCondition>) -> Box<[Condition]> {
    let condition = |condition: wire::StatusCondition| Condition {
        kind: condition.kind.0,
        status: condition.status.0,
        reason: condition.reason.0,
        since: condition.since.0,
    };
    conditions.map(condition).collect()
}

pub(super) fn namespace(at: &Context<'_>, object: wire::NamespaceObject) -> Result<Namespace, Failure> {
    Ok(Namespace {
        meta: at.meta(object.metadata)?,
        finalizers: object.spec.finalizers.strings(),
        conditions: conditions(object.status.conditions.0.into_iter()),
    })
}

pub(super) fn attachment(at: &Context<'_>, object: wire::AttachmentObject) -> Result<VolumeAttachment, Failure> {
    let error = |error: wire::VolumeError| AttachError { time: error.time.0, message: error.message.0 };
    Ok(VolumeAttachment {
        meta: at.meta(object.metadata)?,
        attacher: object.spec.attacher.0,
        node_name: object.spec.node_name.0,
        volume_name: object.spec.source.volume_name.0,
        attached: object.status.attached.unwrap_or_default(),
        attach_error: object.status.attach_error.map(error),
        detach_error: object.status.detach_error.map(error),
    })
}

pub(super) fn driver(at: &Context<'_>, object: wire::DriverObject) -> Result<CsiDriver, Failure> {
    Ok(CsiDriver {
        meta: at.meta(object.metadata)?,
        attach_required: object.spec.attach_required.unwrap_or(true),
        storage_capacity: object.spec.capacity.unwrap_or_default(),
    })
}

pub(super) fn csi_node(at: &Context<'_>, object: wire::CsiNodeObject) -> Result<CsiNode, Failure> {
    let driver = |driver: wire::DriverOnNode| NodeDriver {
        name: driver.name.0,
        topology_keys: driver.topology_keys.strings(),
        limit: driver.allocatable.count,
    };
    Ok(CsiNode { meta: at.meta(object.metadata)?, drivers: object.spec.drivers.0.into_iter().map(driver).collect() })
}

pub(super) fn capacity(at: &Context<'_>, object: wire::CapacityObject) -> Result<StorageCapacity, Failure> {
    Ok(StorageCapacity {
        meta: at.meta(object.metadata)?,
        class_name: object.class_name.0,
        topology: object.topology.map(|terms| Box::new(terms.into_selector())),
        capacity: object.capacity.map(|amount| amount.quantity),
        maximum: object.maximum.map(|amount| amount.quantity),
    })
}

/// Events about other objects than volumes and claims are passed over.
fn event(at: &Context<'_>, object: wire::EventObject) -> Result<Option<Event>, Failure> {
    let involved = object.involved;
    let kind = match involved.kind.0.as_str() {
        "PersistentVolume" => Kind::PersistentVolume,
        "PersistentVolumeClaim" => Kind::PersistentVolumeClaim,
        _ => return Ok(None),
    };
    let namespace = if kind.namespaced() { involved.namespace.0 } else { Str::default() };
    let meta = at.meta(object.metadata)?;
    let last_seen = object.series.last.0.or(object.last.0).or(object.at.0).or(meta.created);
    Ok(Some(Event {
        about: ObjectKey { kind, namespace, name: involved.name.0 },
        uid: involved.uid.0,
        reason: object.reason.0,
        message: object.message.0,
        kind: object.kind.0,
        last_seen,
        meta,
    }))
}

pub(super) fn quota(at: &Context<'_>, object: wire::QuotaObject) -> Result<ResourceQuota, Failure> {
    let quantities =
        |list: wire::Quantities| list.0.into_iter().map(|(name, amount)| (name, amount.quantity)).collect();
    Ok(ResourceQuota {
        meta: at.meta(object.metadata)?,
        hard: quantities(object.status.hard),
        used: quantities(object.status.used),
        scoped: !object.spec.scopes.0.is_empty() || object.spec.selector.is_some(),
    })
}

pub(super) fn limit_range(at: &Context<'_>, object: wire::LimitRangeObject) -> Result<LimitRange, Failure> {
    let (mut least, mut most): (Option<Quantity>, Option<Quantity>) = (None, None);
    for limit in object.spec.limits.0 {
        if limit.kind.0 == "PersistentVolumeClaim" {
            let smallest = limit.least.storage.map(|amount| amount.quantity);
            let largest = limit.most.storage.map(|amount| amount.quantity);
            least = smallest.into_iter().chain(least).max_by(Quantity::compare);
            most = largest.into_iter().chain(most).min_by(Quantity::compare);
        }
    }
    Ok(LimitRange { meta: at.meta(object.metadata)?, least, most })
}

pub(super) fn stateful_set(at: &Context<'_>, object: wire::StatefulSetObject) -> Result<StatefulSet, Failure> {
    let spec = object.spec;
    let template = |template: wire::Template| ClaimTemplate {
        name: template.metadata.name.0,
        class_name: template.spec.class_name.map(|class| class.0),
        request: template.spec.resources.requests.storage.map(|amount| amount.quantity),
    };
    Ok(StatefulSet {
        meta: at.meta(object.metadata)?,
        replicas: spec.replicas.unwrap_or(1),
        first_ordinal: spec.ordinals.start.unwrap_or_default(),
        templates: spec.templates.0.into_iter().map(template).collect(),
        when_deleted: spec.retention.when_deleted.0,
        when_scaled: spec.retention.when_scaled.0,
    })
}

/// Of all Leases that of kube-controller-manager counts. It is evidence and decides nothing, so one that is not as it
/// must be is passed over like the others.
fn lease(at: &Context<'_>) -> Result<Option<Lease>, Failure> {
    let object: wire::LeaseObject = match at.parse() {
        Ok(object) => object,
        Err(Failure::Issue(_)) => return Ok(None),
        Err(syntax @ Failure::Syntax { .. }) => return Err(syntax),
    };
    let lease = lease_of(object);
    let is_managers = lease.meta.name == Lease::MANAGER_NAME && lease.meta.namespace == Lease::MANAGER_NAMESPACE;
    Ok(is_managers.then_some(lease))
}

/// Any Lease; none where the JSON is not one.
pub fn any_lease(json: &[u8]) -> Option<Lease> {
    serde_json::from_slice(json).ok().map(lease_of)
}

fn lease_of(object: wire::LeaseObject) -> Lease {
    let (meta, spec) = (object.metadata, object.spec);
    Lease {
        meta: ObjectMeta {
            namespace: meta.namespace.0,
            name: meta.name.0,
            resource_version: ResourceVersion::Recorded(meta.version.0),
            ..ObjectMeta::default()
        },
        holder: spec.holder.0,
        renewed: spec.renewed.0,
        duration_seconds: spec.duration_seconds,
    }
}

impl Decode for Lease {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        lease(at)
    }
}

impl Decode for Event {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        event(at, at.parse()?)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::super::{Item, decode, read_some};
    use crate::model::surroundings::{CsiDriver, Event, LimitRange, StatefulSet};
    use crate::model::{Kind, Quantity, Resource};
    use serde_json::{Value, json};

    fn decoded<T: Resource>(object: &Value) -> T {
        decode(&serde_json::to_vec(object).unwrap(), "a test").unwrap().of().unwrap()
    }

    fn quantity(text: &str) -> Quantity {
        crate::model::Amount::parse(text).unwrap().quantity
    }

    /// Of several limits the strictest counts, as the admission plugin `LimitRanger` applies all of them.
    #[test]
    fn the_strictest_limit_of_claims_counts() {
        let object = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": "n"},
            "spec": {"limits": [
                {"type": "Container", "max": {"storage": "1Ki"}},
                {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "20Gi"}},
                {"type": "PersistentVolumeClaim", "min": {"storage": "2Gi"}, "max": {"storage": "10Gi"}}]}});
        let range: LimitRange = decoded(&object);
        assert_eq!((range.least, range.most), (Some(quantity("2Gi")), Some(quantity("10Gi"))));
    }

    /// What `kubectl get events` prints, and what the newer API fills in instead of `lastTimestamp`.
    #[test]
    fn an_event_was_seen_when_it_was_seen_last() {
        let event = |fields: Value| {
            let mut object = json!({"apiVersion": "v1", "kind": "Event",
                "metadata": {"name": "e", "namespace": "n", "creationTimestamp": "2026-01-01T00:00:00Z"},
                "involvedObject": {"kind": "PersistentVolumeClaim", "namespace": "n", "name": "c", "uid": "u"}});
            for (key, value) in fields.as_object().unwrap() {
                object[key] = value.clone();
            }
            let event: Event = decoded(&object);
            event.last_seen.unwrap().to_string()
        };
        assert_eq!(event(json!({})), "2026-01-01T00:00:00Z");
        assert_eq!(event(json!({"eventTime": "2026-01-02T00:00:00.5Z"})), "2026-01-02T00:00:00Z");
        let both = json!({"lastTimestamp": "2026-01-03T00:00:00Z", "eventTime": null});
        assert_eq!(event(both), "2026-01-03T00:00:00Z");
        let series = json!({"eventTime": "2026-01-02T00:00:00Z",
            "series": {"count": 7, "lastObservedTime": "2026-01-04T00:00:00.000001Z"}});
        assert_eq!(event(series), "2026-01-04T00:00:00Z");
    }

    #[test]
    fn events_about_other_objects_are_passed_over() {
        let object = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "n"},
            "involvedObject": {"kind": "Pod", "namespace": "n", "name": "p"}});
        let item = decode(object.to_string().as_bytes(), "a test").unwrap();
        assert!(matches!(item, Item::Skipped(kind) if kind == "Event"));
    }

    /// A driver has to be attached unless it says otherwise: upstream `defaultAttachRequired`, storage v1, 1.36.
    #[test]
    fn what_is_not_stated_is_as_the_api_server_sets_it() {
        let driver = json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "d"}});
        let driver: CsiDriver = decoded(&driver);
        assert!(driver.attach_required && !driver.storage_capacity);
        let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "s", "namespace": "n"}});
        let set: StatefulSet = decoded(&set);
        assert_eq!((set.replicas, set.first_ordinal), (1, 0));
    }

    #[test]
    fn what_nobody_asked_for_is_only_looked_at_as_json() {
        let broken = br#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":7}}"#;
        assert!(decode(broken, "a test").is_err());
        for kind in [None, Some(Kind::Namespace)] {
            assert!(matches!(read_some(kind, broken, "a test", false), Ok(Item::Skipped(_))));
        }
    }
}
