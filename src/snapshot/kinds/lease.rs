//! Lease: what is read of it, and what of it may leave the cluster.

use super::Stored;
use crate::model::{Lease, ObjectMeta, ResourceVersion};
use crate::snapshot::decode::wire::{Moment, Text, object};
use crate::snapshot::decode::{Context, Failure};
use crate::snapshot::redact::keep;
use serde_json::Value;

object!(LeaseObject { metadata: LeaseMeta = "metadata", spec: LeaseSpec = "spec" });

object!(LeaseMeta { namespace: Text = "namespace", name: Text = "name", version: Text = "resourceVersion" });

object!(LeaseSpec {
    holder: Text = "holderIdentity",
    renewed: Moment = "renewTime",
    duration_seconds: Option<i64> = "leaseDurationSeconds",
});

impl Stored for Lease {
    fn decode(at: &Context<'_>) -> Result<Option<Self>, Failure> {
        lease(at)
    }

    fn redact(field: &str, value: Value) -> Option<Value> {
        let known = ["acquireTime", "holderIdentity", "leaseDurationSeconds", "leaseTransitions", "renewTime"];
        (field == "spec").then(|| keep(value, &known))
    }
}

/// Of all Leases that of kube-controller-manager counts. It is evidence and decides nothing, so one that is not as it
/// must be is passed over like the others.
fn lease(at: &Context<'_>) -> Result<Option<Lease>, Failure> {
    let object: LeaseObject = match at.parse() {
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

fn lease_of(object: LeaseObject) -> Lease {
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
