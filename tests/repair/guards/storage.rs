//! Tests of the guard against two volumes with the same storage.

use super::guard;
use crate::repair::plans::{World, bound, moving, volume};
use pvctl::repair::{Holds, Request};
use serde_json::{Value, json};

pub(super) fn with_source(mut volume: Value, source: &Value) -> Value {
    let spec = volume["spec"].as_object_mut().unwrap();
    spec.remove("csi");
    for (field, value) in source.as_object().unwrap() {
        spec.insert(field.clone(), value.clone());
    }
    volume
}

/// Returns whether the guard accepts a move of a volume with the source `one` if another volume has the source `other`.
pub(super) fn judged(one: &Value, other: &Value) -> Holds {
    let mut objects = bound();
    objects[0] = with_source(objects[0].clone(), one);
    objects.push(with_source(volume("pv-2", "Available", Value::Null), other));
    let world = World::new(objects);
    let guard = guard(&world, &moving(), "unique-backing");
    let refused = world.review(&moving()).err().map(|rejected| rejected.refusal.by);
    assert_eq!(refused, (guard.holds != Holds::Yes).then_some("unique-backing"), "{one} {other}");
    guard.holds
}

/// Adds a `nodeAffinity` for nodes with one of these values of the label.
pub(super) fn on(mut source: Value, key: &str, values: &[&str]) -> Value {
    source["nodeAffinity"] = json!({ "required": { "nodeSelectorTerms": [
        { "matchExpressions": [{ "key": key, "operator": "In", "values": values }] }
    ] } });
    source
}

pub(super) fn at(source: Value, node: &str) -> Value {
    on(source, "kubernetes.io/hostname", &[node])
}

fn csi(driver: &str, handle: &str) -> Value {
    json!({ "csi": { "driver": driver, "volumeHandle": handle } })
}

/// Manuals of vendors say to create one volume of a share for each namespace. The guard only warns about these volumes
/// if all of them have access mode `ReadWriteMany` and are retained. Otherwise it refuses the plan.
#[test]
fn a_share_for_many_nodes_has_many_volumes() {
    let share = json!({ "csi": { "driver": "efs.csi.aws.com", "volumeHandle": "fs-1" } });
    let world = |modes: [&str; 2], policies: [&str; 2]| {
        let mut objects = bound();
        objects[0] = with_source(objects[0].clone(), &share);
        objects.push(with_source(volume("pv-2", "Available", Value::Null), &share));
        for (at, mode, policy) in [(0, modes[0], policies[0]), (3, modes[1], policies[1])] {
            objects[at]["spec"]["accessModes"] = json!([mode]);
            objects[at]["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        }
        objects[1]["spec"]["accessModes"] = json!([modes[0]]);
        World::new(objects)
    };
    let many = "ReadWriteMany";
    // The plan sets policy Retain on a volume that does not have it.
    let shared = world([many, many], ["Delete", "Retain"]);
    let seen = guard(&shared, &moving(), "unique-backing");
    assert_eq!(seen.holds, Holds::Warns, "{seen:?}");
    assert!(
        seen.looked_at.contains("the same storage as pv-2, but all of them are retained and for many nodes"),
        "{seen:?}"
    );
    shared.accepted(&moving());
    for (modes, policies) in [
        ([many, many], ["Retain", "Delete"]),
        ([many, "ReadWriteOnce"], ["Retain", "Retain"]),
        (["ReadWriteOnce", many], ["Retain", "Retain"]),
    ] {
        let refused = world(modes, policies).review(&moving()).unwrap_err();
        assert_eq!(refused.refusal.by, "unique-backing", "{modes:?} {policies:?}");
    }
}

/// Two volumes with the same path have the same storage only if one node can reach both.
#[test]
fn a_path_is_the_same_storage_where_one_node_can_reach_both() {
    let local = |path: &str| json!({ "local": { "path": path } });
    let host = |path: &str| json!({ "hostPath": { "path": path } });
    for (one, other, holds) in [
        (at(local("/mnt/a"), "n1"), at(local("/mnt/a"), "n1"), Holds::No),
        (at(local("/mnt/a"), "n1"), at(local("/mnt/a"), "n2"), Holds::Yes),
        (at(local("/mnt/a"), "n1"), at(local("/mnt/b"), "n1"), Holds::Yes),
        (at(local("/mnt/a/"), "n1"), at(local("/mnt//./a"), "n1"), Holds::No),
        (at(local("/mnt/a"), "n1"), at(host("/mnt/a"), "n1"), Holds::No),
        // Without a node affinity, the path may be on any node.
        (host("/srv/a"), host("/srv/a"), Holds::No),
        (host("/srv/a"), at(host("/srv/a"), "n1"), Holds::No),
        (host("/srv/a"), host("/srv/b"), Holds::Yes),
        // A node can have both labels.
        (at(host("/srv/a"), "n1"), on(host("/srv/a"), "zone", &["z2"]), Holds::No),
    ] {
        assert_eq!(judged(&one, &other), holds, "{one} {other}");
    }
}

/// Manifests can name one disk of an in-tree plugin in different ways. The guard recognizes that two volumes name the
/// same disk.
#[test]
fn in_tree_disks_are_compared_by_what_names_them() {
    let iscsi =
        |portal: &str, iqn: &str, lun: i64| json!({ "iscsi": { "targetPortal": portal, "iqn": iqn, "lun": lun } });
    let rbd = |monitors: &[&str], pool: Option<&str>, image: &str| json!({ "rbd": { "monitors": monitors, "pool": pool, "image": image } });
    let cephfs = |monitors: &[&str], path: Option<&str>| json!({ "cephfs": { "monitors": monitors, "path": path } });
    let share = |secret: &str, share: &str| json!({ "azureFile": { "secretName": secret, "shareName": share } });
    let nfs = |server: &str, path: &str| json!({ "nfs": { "server": server, "path": path } });
    let ports = |wwns: &[&str], lun: i64| json!({ "fc": { "targetWWNs": wwns, "lun": lun } });
    let disks = |ids: &[&str]| json!({ "fc": { "wwids": ids } });
    let vmdk = |path: &str| json!({ "vsphereVolume": { "volumePath": path } });
    let managed = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/d";
    let azure = |uri: &str| json!({ "azureDisk": { "diskName": "d", "diskURI": uri } });
    for (one, other, holds) in [
        (iscsi("10.0.0.1:3260", "iqn.a", 0), iscsi("10.0.0.1", "iqn.a", 0), Holds::No),
        (iscsi("10.0.0.1", "iqn.a", 0), iscsi("10.0.0.1", "iqn.a", 1), Holds::Yes),
        (iscsi("10.0.0.1", "iqn.a", 0), iscsi("10.0.0.1", "iqn.b", 0), Holds::Yes),
        // The second portal may lead to the same target, or to another target of the same name.
        (iscsi("10.0.0.1", "iqn.a", 0), iscsi("10.0.0.2", "iqn.a", 0), Holds::Unknown),
        (rbd(&["m1", "m2"], Some("rbd"), "i"), rbd(&["m2"], None, "i"), Holds::No),
        (rbd(&["m1"], Some("a"), "i"), rbd(&["m1"], Some("b"), "i"), Holds::Yes),
        (rbd(&["m1"], Some("a"), "i"), rbd(&["m3"], Some("a"), "i"), Holds::Unknown),
        (cephfs(&["m1"], None), cephfs(&["m1"], Some("/")), Holds::No),
        (cephfs(&["m1"], Some("/a")), cephfs(&["m1"], Some("/b")), Holds::Yes),
        (share("s", "data"), share("s", "data"), Holds::No),
        (share("s", "data"), share("t", "data"), Holds::Unknown),
        (share("s", "data"), share("s", "other"), Holds::Yes),
        (nfs("Files.example.com", "/a/"), nfs("files.example.com", "/a"), Holds::No),
        (nfs("files.example.com", "/a"), nfs("files.example.com", "/b"), Holds::Yes),
        (disks(&["3600A"]), disks(&["3600b", "3600a"]), Holds::No),
        (disks(&["3600a"]), disks(&["3600b"]), Holds::Yes),
        (ports(&["5006"], 1), ports(&["5006", "5007"], 1), Holds::No),
        (ports(&["5006"], 1), ports(&["5006"], 2), Holds::Yes),
        (ports(&["5006"], 1), disks(&["3600a"]), Holds::Unknown),
        (vmdk("[ds] kube/v.vmdk"), vmdk("[ds]kube/v"), Holds::No),
        (vmdk("[ds] kube/v.vmdk"), vmdk("[other] kube/v.vmdk"), Holds::Yes),
        (azure(managed), azure(&managed.to_ascii_uppercase().replace("/SUBSCRIPTIONS/", "/subscriptions/")), Holds::No),
        // The URL of a blob may contain a signature. So it is not read.
        (azure("https://a.example.com/vhds/d.vhd?sig=s3cret"), nfs("s", "/a"), Holds::Unknown),
        (
            json!({ "scaleIO": { "system": "s", "volumeName": "v", "gateway": "g" } }),
            json!({ "scaleIO": { "system": "s-2", "volumeName": "v", "gateway": "g" } }),
            Holds::Yes,
        ),
        (
            json!({ "storageos": { "volumeName": "v", "volumeNamespace": "a" } }),
            json!({ "storageos": { "volumeName": "v", "volumeNamespace": "a" } }),
            Holds::No,
        ),
        // The options of a driver may contain anything, such as a password. So they are not read.
        (
            json!({ "flexVolume": { "driver": "example.com/lvm", "options": { "volume": "a" } } }),
            json!({ "flexVolume": { "driver": "example.com/lvm", "options": { "volume": "b" } } }),
            Holds::Unknown,
        ),
    ] {
        assert_eq!(judged(&one, &other), holds, "{one} {other}");
    }
}

/// A volume of an in-tree plugin and a volume of the CSI driver that replaced the plugin can be the same disk.
#[test]
fn in_tree_disks_are_those_of_the_migrated_driver() {
    let gce = |disk: &str| json!({ "gcePersistentDisk": { "pdName": disk } });
    let aws = |id: &str| json!({ "awsElasticBlockStore": { "volumeID": id } });
    let pd = |place: &str, disk: &str| csi("pd.csi.storage.gke.io", &format!("projects/p/{place}/disks/{disk}"));
    let zone = "topology.kubernetes.io/zone";
    let managed = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/d";
    for (one, other, holds) in [
        (aws("aws://us-east-1a/vol-1"), aws("vol-1"), Holds::No),
        (aws("aws://us-east-1a/vol-1"), csi("ebs.csi.aws.com", "vol-1"), Holds::No),
        (aws("aws://us-east-1a/vol-1"), csi("ebs.csi.aws.com", "vol-2"), Holds::Yes),
        (aws("vol-1"), csi("other.example.com", "vol-1"), Holds::Yes),
        (gce("disk"), pd("zones/us-central1-a", "disk"), Holds::No),
        (on(gce("disk"), zone, &["us-central1-a"]), pd("zones/us-central1-a", "disk"), Holds::No),
        (on(gce("disk"), zone, &["us-central1-b"]), pd("zones/us-central1-a", "disk"), Holds::Yes),
        (on(gce("disk"), zone, &["us-central1-b"]), pd("regions/us-central1", "disk"), Holds::No),
        (on(gce("disk"), zone, &["us-central1-b"]), pd("zones/UNSPECIFIED", "disk"), Holds::No),
        (pd("zones/us-central1-a", "disk"), pd("zones/us-central1-b", "disk"), Holds::Yes),
        (
            json!({ "azureDisk": { "diskName": "d", "diskURI": managed } }),
            csi("disk.csi.azure.com", managed),
            Holds::No,
        ),
        (json!({ "cinder": { "volumeID": "c" } }), csi("cinder.csi.openstack.org", "c"), Holds::No),
        (json!({ "portworxVolume": { "volumeID": "7" } }), csi("pxd.portworx.com", "7"), Holds::No),
        (
            json!({ "vsphereVolume": { "volumePath": "[ds] kube/v.vmdk" } }),
            csi("csi.vsphere.vmware.com", "[ds] kube/v.vmdk"),
            Holds::No,
        ),
        (
            json!({ "azureFile": { "secretName": "azure-storage-account-acc-secret", "shareName": "data" } }),
            csi("file.csi.azure.com", "group#acc#data#"),
            Holds::No,
        ),
        (
            json!({ "azureFile": { "secretName": "mine", "shareName": "data" } }),
            csi("file.csi.azure.com", "group#acc#data#"),
            Holds::Unknown,
        ),
        (csi("file.csi.azure.com", "group#acc#data#"), csi("file.csi.azure.com", "group#other#data#"), Holds::Yes),
    ] {
        assert_eq!(judged(&one, &other), holds, "{one} {other}");
    }
}

/// A volume does not state its storage. `retain` and `undo` give no further claim access to the storage, so the guard
/// only warns. It refuses all other plans.
#[test]
fn a_volume_that_does_not_name_its_storage_can_be_kept() {
    let source = json!({ "flexVolume": { "driver": "example.com/lvm" } });
    let mut objects = bound();
    objects[0] = with_source(objects[0].clone(), &source);
    let world = World::new(objects);
    let request = Request::Retain { volume: "pv-1".into() };
    world.accepted(&request);
    let judged = guard(&world, &request, "unique-backing");
    assert_eq!(judged.holds, Holds::Warns);
    assert_eq!(
        judged.looked_at,
        "the manifest of a volume of kind flexVolume does not state its storage, so nobody knows whether another \
         volume has the same storage as pv-1"
    );
}
