//! `reconnect` on a real API server: the Service gets the address that the clients use, field by field as the server
//! stores it, or the server refuses the address.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::live::site::{NODE, PV, Place, Site, text};
use serde_json::{Value, json};

/// The rules whose findings `reconnect` repairs.
pub(super) const RULES: [&str; 3] =
    ["shared-pv-address-dangling", "shared-pv-address-mismatch", "shared-service-missing"];

const SERVERS: &str = "openebs";

fn service(namespace: &str, name: &str, address: Option<&str>) -> Value {
    let mut service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"namespace": namespace, "name": name},
        "spec": {
            "selector": {"openebs.io/nfs-server": name},
            "ports": [{"name": "nfs", "port": 2049}, {"name": "rpcbind", "port": 111}],
        },
    });
    if let Some(address) = address {
        service["spec"]["clusterIP"] = address.into();
    }
    service
}

fn address_of(service: &Value) -> String {
    text(service, "/spec/clusterIP").to_owned()
}

/// Gives the place a bound volume that a pod in the cluster serves. Returns the name of the Service, which was deleted,
/// and the address that the volume records.
fn served(place: &Place<'_>) -> (String, String) {
    let site = place.site;
    let name = format!("nfs-{}", place.of("a"));
    let address = address_of(&site.put(&service(SERVERS, &name, None)));
    site.delete("Service", SERVERS, &name);
    place.volume_on("a", "Retain", "nfs", &json!({"server": address, "path": "/"}));
    site.edit(PV, "", &place.of("a"), |volume| {
        volume["metadata"]["labels"] = json!({"openebs.io/cas-type": "nfs-kernel"});
    });
    place.bind("data", "a", "Retain");
    site.put(&json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": SERVERS, "name": name, "labels": {"openebs.io/nfs-server": name}},
        "spec": {"nodeName": NODE, "containers": [{"name": "c", "image": "none"}]},
    }));
    (name, address)
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn the_clients_of_a_shared_volume_get_their_server_back() {
    let site = Site::start();
    let place = Place::new(&site, "served");
    place.namespace(SERVERS);
    let (name, address) = served(&place);
    let words = ["reconnect", "pvc/data"];

    // The address is taken. A dry run of the API server does not see this.
    site.put(&service("served", "taker", Some(&address)));
    let tried = site.plane.kubectl_with(
        &["create", "--dry-run=server", "-f", "-"],
        service("served", "second", Some(&address)).to_string().as_bytes(),
    );
    assert_eq!(tried.code, Some(0), "{}", tried.stderr);
    assert!(place.again(&words, 6).contains(&format!("Service served/taker has address {address}")));
    site.delete("Service", "served", "taker");

    // The Service comes back as its system creates it.
    place.repair(&words, 0);
    let made = site.get("Service", SERVERS, &name).unwrap();
    site.delete("Service", SERVERS, &name);
    let wanted = site.put(&service(SERVERS, &name, Some(&address)));
    assert_eq!(made["spec"], wanted["spec"]);
    assert_eq!((&made["metadata"]["labels"], &made["metadata"]["ownerReferences"]), (&Value::Null, &Value::Null));
    assert!(place.again(&words, 0).starts_with("Nothing to do: "));
    // The undo finds another Service of the name.
    assert!(place.repair(&["undo"], 6).contains("is not the Service that the repair created"));
    site.delete("Service", SERVERS, &name);
    place.repair(&words, 0);

    // The undo takes it away only if no pod uses the volume.
    place.pod("web", "data");
    assert!(place.repair(&["undo"], 6).contains("pod served/web"));
    assert!(site.get("Service", SERVERS, &name).is_some());
    site.delete("Pod", "served", "web");
    place.repair(&["undo"], 0);
    assert!(site.get("Service", SERVERS, &name).is_none());

    // The system has created the Service with another address: it stays, and another Service gets the old address.
    let mut anew = site.put(&service(SERVERS, &name, None));
    while address_of(&anew) == address {
        site.delete("Service", SERVERS, &name);
        anew = site.put(&service(SERVERS, &name, None));
    }
    place.repair(&["fix", "pv/served-a"], 0);
    assert_eq!(site.get("Service", SERVERS, &name).unwrap(), anew);
    let alias = format!("{name}-{}", address.replace('.', "-"));
    let alias = site.get("Service", SERVERS, &alias).unwrap();
    assert_eq!(address_of(&alias), address);
    assert_eq!(
        (&alias["spec"]["selector"], &alias["spec"]["ports"]),
        (&anew["spec"]["selector"], &anew["spec"]["ports"])
    );
    assert!(place.again(&words, 0).starts_with("Nothing to do: "));
    place.repair(&["undo"], 0);
    assert_eq!(site.get("Service", SERVERS, &name).unwrap(), anew);
    place.unharmed(&["a"], &[("served", "data")]);

    // The address is out of the range of cluster IPs: only the API server knows the range.
    let far = Place::new(&site, "far");
    far.volume_on("a", "Retain", "nfs", &json!({"server": "10.9.9.9", "path": "/"}));
    site.edit(PV, "", "far-a", |volume| {
        volume["metadata"]["labels"] = json!({"openebs.io/cas-type": "nfs-kernel"});
    });
    far.bind("data", "a", "Retain");
    let server = "nfs-far-a";
    site.put(&json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": SERVERS, "name": server, "labels": {"openebs.io/nfs-server": server}},
        "spec": {"nodeName": NODE, "containers": [{"name": "c", "image": "none"}]},
    }));
    assert!(far.again(&words, 6).contains("not in the valid range"));
}
