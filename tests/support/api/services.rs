//! Services, as the API server completes them and gives them addresses. Upstream: `allocClusterIPs`,
//! `pkg/registry/core/service/storage`, and `allocateService`, `pkg/registry/core/service/ipallocator`, 1.36.

use super::store::{Call, Failure, Store, text};
use pvctl::model::{Kind, ObjectKey};
use serde_json::{Value, json};
use std::net::Ipv4Addr;

/// The namespace of the servers of volumes.
pub(super) const SERVERS: &str = "openebs";

/// The first address of the range of cluster IPs, and the length of its prefix.
const RANGE: (Ipv4Addr, u32) = (Ipv4Addr::new(10, 96, 0, 0), 16);

/// Sets the fields that a client leaves out, and gives the Service its address. A dry run does not see whether the
/// address is in use.
pub(super) fn complete(store: &Store, key: &ObjectKey, service: &mut Value, dry_run: bool) -> Result<(), Failure> {
    let spec = &mut service["spec"];
    for (field, default) in [("type", "ClusterIP"), ("sessionAffinity", "None"), ("internalTrafficPolicy", "Cluster")] {
        if spec[field].is_null() {
            spec[field] = default.into();
        }
    }
    for port in spec["ports"].as_array_mut().into_iter().flatten() {
        if port["protocol"].is_null() {
            port["protocol"] = "TCP".into();
        }
        if port["targetPort"].is_null() {
            port["targetPort"] = port["port"].clone();
        }
    }
    let asked = text(service, "/spec/clusterIP");
    if asked == "None" {
        service["spec"]["clusterIPs"] = json!([asked]);
        return Ok(());
    }
    let is_used =
        |address: &str| store.all(Kind::Service, "").any(|(_, other)| text(other, "/spec/clusterIP") == address);
    let failed = |why: &str| {
        let what = format!("spec.clusterIPs: Invalid value: [{asked:?}]: failed to allocate IP {asked}: {why}");
        Err(Failure::invalid(key, &what))
    };
    let address = if asked.is_empty() {
        let free = (256..512u32).map(|last| Ipv4Addr::from_bits(RANGE.0.to_bits() + last).to_string());
        free.into_iter().find(|address| !is_used(address)).unwrap_or_default()
    } else {
        let bits = asked.parse::<Ipv4Addr>().map_or(0, Ipv4Addr::to_bits);
        if (bits ^ RANGE.0.to_bits()) >> (32 - RANGE.1) != 0 {
            let (first, length) = RANGE;
            return failed(&format!(
                "the provided IP ({asked}) is not in the valid range. The range of valid IPs is {first}/{length}"
            ));
        }
        if !dry_run && is_used(&asked) {
            return failed("provided IP is already allocated");
        }
        asked
    };
    service["spec"]["clusterIP"] = address.as_str().into();
    service["spec"]["clusterIPs"] = json!([address]);
    service["status"] = json!({ "loadBalancer": {} });
    Ok(())
}

/// Returns the names and the recorded addresses of the volumes that a server in the cluster serves.
fn served(store: &Store) -> Vec<(String, String)> {
    let volumes = store.all(Kind::PersistentVolume, "").filter(|(_, volume)| volume["spec"]["nfs"].is_object());
    volumes.map(|(key, volume)| (key.name.to_string(), text(volume, "/spec/nfs/server"))).collect()
}

/// Returns the Service of a volume, as the provisioner of `OpenEBS` creates it.
pub(super) fn service(volume: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": { "namespace": SERVERS, "name": format!("nfs-{volume}") },
        "spec": {
            "selector": { "openebs.io/nfs-server": format!("nfs-{volume}") },
            "ports": [{ "name": "nfs", "port": 2049 }, { "name": "rpcbind", "port": 111 }],
        },
    })
}

/// Creates the Service of each volume that a server serves, if it does not exist.
pub(super) fn serve(store: &mut Store) {
    for (volume, _) in served(store) {
        // The Service may already exist.
        _ = store.create(Kind::Service, SERVERS, &service(&volume), &Call::by("provisioner"));
    }
}

/// Creates a Service with each recorded address that no Service has.
pub(super) fn take_addresses(store: &mut Store) {
    for (volume, address) in served(store) {
        let manifest = json!({
            "metadata": { "namespace": "app", "name": format!("taker-{volume}") },
            "spec": { "clusterIP": address, "selector": { "app": "web" }, "ports": [{ "port": 80 }] },
        });
        // Another Service may have the address.
        _ = store.create(Kind::Service, "app", &manifest, &Call::by("tenant"));
    }
}
