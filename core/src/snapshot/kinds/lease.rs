//! This module decodes Leases, and decides which of their fields may leave the cluster.

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

/// Decodes a Lease. Only the Lease of kube-controller-manager is kept. No decision reads this Lease, so a Lease with a
/// wrong value is skipped, like all other Leases.
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

/// Decodes any Lease. The value is `None` if the JSON is not a valid Lease.
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
