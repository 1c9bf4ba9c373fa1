//! Leases of drivers as evidence, on a real API server. The test creates the Leases with the names that the sidecars of
//! drivers use.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the age of a Lease needs the real time; the test prints what it checked, and fails by panicking"
)]

use super::api::Api;
use super::plane::Plane;
use super::sound::{claim, create, volume};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns a Lease that was renewed `age` seconds ago.
fn lease(namespace: &str, name: &str, holder: &str, age: u64) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let renewed = pvctl::model::Timestamp(i64::try_from(now - age).unwrap()).to_string().replace('Z', ".000000Z");
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"namespace": namespace, "name": name},
        "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15, "renewTime": renewed},
    })
}

/// Returns one line for each driver that `explain` names for an object: the component, the name, what the Lease shows,
/// the reason if this is unknown, and the object of the first evidence.
fn drivers(plane: &Plane, arguments: &[&str]) -> Vec<String> {
    let run = plane.pvctl(&[&["explain"], arguments, &["-o", "json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    let drivers = answer["drivers"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    drivers
        .iter()
        .map(|driver| {
            let object = text(&driver["evidence"][0]["object"]);
            let words = ["component", "name", "lease", "reason"].map(|field| text(&driver[field]));
            format!("{} {object}", words.join(" ")).trim().to_owned()
        })
        .collect()
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn leases_of_drivers_tell_whether_they_live() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let plane = Plane::without_admission();
    let api = runtime.block_on(Api::of(&plane));
    let block = |object: Value, phase: &'static str| runtime.block_on(create(&api, &object, phase));
    for name in ["csi", "old", "db"] {
        block(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}), "");
    }
    // Each driver has a class and a claim that waits for it.
    let of = |driver: &str| driver.replace(['.', '/'], "-");
    let states = ["alive.example.com", "stale.example.com", "none.example.com", "example.com/lib"];
    for driver in states {
        let class = json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": of(driver)},
            "provisioner": driver, "volumeBindingMode": "Immediate",
        });
        block(class, "");
        let mut asking = claim("db", &of(driver), &of(driver), "");
        asking["metadata"]["annotations"] = json!({"volume.kubernetes.io/storage-provisioner": driver});
        block(asking, "Pending");
    }
    block(lease("csi", "alive-example-com", "alive-0", 0), "");
    block(lease("old", "alive-example-com", "alive-9", 90_000), "");
    block(lease("csi", "stale-example-com", "stale-0", 7200), "");
    // The other Leases, which are many, must not matter.
    for number in 0..120 {
        block(lease("old", &format!("node-{number}"), "kubelet", 0), "");
    }
    block(lease("csi", "example.com-lib", "lib-0", 0), "");
    let of_claim = |driver: &str| drivers(&plane, &[&format!("pvc/{}", of(driver)), "-n", "db"]);
    let expected = [
        "external-provisioner alive.example.com alive  lease/alive-example-com -n csi",
        "external-provisioner stale.example.com stale  lease/stale-example-com -n csi",
        "external-provisioner none.example.com unknown none",
        "external-provisioner example.com/lib alive  lease/example.com-lib -n csi",
    ];
    for (driver, expected) in states.into_iter().zip(expected) {
        assert_eq!(of_claim(driver), [expected]);
    }

    // One volume waits for a driver to delete it. The other one is kept by its attacher.
    let gone = json!("90d00000-0000-4000-8000-000000000000");
    let mut released = volume("released", "alive-example-com", Some(("db", "gone", &gone)));
    released["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    released["spec"]["csi"]["driver"] = "alive.example.com".into();
    released["metadata"]["annotations"] = json!({"pv.kubernetes.io/provisioned-by": "alive.example.com"});
    block(released.clone(), "Released");
    assert_eq!(
        drivers(&plane, &["pv/released"]),
        ["external-provisioner alive.example.com alive  lease/alive-example-com -n csi"]
    );
    let mut attached = volume("attached", "stale-example-com", None);
    attached["metadata"]["finalizers"] = json!(["external-attacher/stale-example-com"]);
    block(attached.clone(), "");
    runtime.block_on(api.delete(&attached)).unwrap();
    block(lease("csi", "external-attacher-leader-stale-example-com", "attacher-0", 7200), "");
    assert_eq!(
        drivers(&plane, &["pv/attached"]),
        ["external-attacher stale-example-com stale  lease/external-attacher-leader-stale-example-com -n csi"]
    );

    // A user who may not list Leases is told that nothing is known about drivers. The rest of the answer stays the
    // same.
    let rules = json!([
        {"apiGroups": [""], "resources": ["persistentvolumes", "persistentvolumeclaims", "pods"], "verbs": ["get", "list"]},
        {"apiGroups": ["storage.k8s.io"], "resources": ["storageclasses"], "verbs": ["get", "list"]},
        {"apiGroups": [""], "resources": ["nodes", "namespaces", "events", "resourcequotas", "limitranges"],
         "verbs": ["list"]},
        {"apiGroups": ["storage.k8s.io"], "verbs": ["list"],
         "resources": ["volumeattachments", "csidrivers", "csinodes", "csistoragecapacities"]},
        {"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": ["list"]},
    ]);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "few"}, "rules": rules},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "few"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "few"},
         "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "few"}]},
    ]});
    let run = plane.kubectl_with(&["apply", "-f", "-"], list.to_string().as_bytes());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        drivers(&plane, &["pvc/stale-example-com", "-n", "db", "--as", "few"]),
        ["external-provisioner stale.example.com unknown unread"]
    );
    let said = plane.pvctl(&["explain", "pvc/stale-example-com", "-n", "db", "--as", "few"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    assert!(!said.stdout.contains("does not run"), "{}", said.stdout);
    eprintln!("{} answers about drivers were checked", states.len() + 3);
}
