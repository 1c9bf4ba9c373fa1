//! Guards of repairs that look at more than one object: the same storage behind two volumes, who gets a volume that is
//! offered to anyone, and what goes with a claim. Expected values are those of `docs/REPAIR.md`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a world that cannot be made is a failed test")]

use crate::repair::plans::{World, bound, changes, claim, class, complete, moving, of, pod, released, volume};
use pvctl::model::{Kind, Timestamp};
use pvctl::repair::{Guard, Holds, Recheck, Recipient, Request, Right, rights};
use pvctl::snapshot::{CoverageEntry, CoverageState};
use serde_json::{Value, json};

/// A guard of a plan, whether that is accepted or not.
fn guard(world: &World, request: &Request, id: &str) -> Guard {
    let guards = match world.review(request) {
        Ok(reviewed) => reviewed.guards().to_vec(),
        Err(rejected) => rejected.guards,
    };
    guards.iter().find(|guard| guard.id == id).cloned().unwrap_or_else(|| panic!("no guard {id} among {guards:#?}"))
}

fn with_source(mut volume: Value, source: &Value) -> Value {
    let spec = volume["spec"].as_object_mut().unwrap();
    spec.remove("csi");
    for (field, value) in source.as_object().unwrap() {
        spec.insert(field.clone(), value.clone());
    }
    volume
}

/// Whether the guard holds for a move of the volume with the first source, where another one has the second.
fn judged(one: &Value, other: &Value) -> Holds {
    let mut objects = bound();
    objects[0] = with_source(objects[0].clone(), one);
    objects.push(with_source(volume("pv-2", "Available", Value::Null), other));
    let world = World::new(objects);
    let guard = guard(&world, &moving(), "unique-backing");
    let refused = world.review(&moving()).err().map(|rejected| rejected.refusal.by);
    assert_eq!(refused, (guard.holds != Holds::Yes).then_some("unique-backing"), "{one} {other}");
    guard.holds
}

/// `nodeAffinity` for nodes with one of these values.
fn on(mut source: Value, key: &str, values: &[&str]) -> Value {
    source["nodeAffinity"] = json!({ "required": { "nodeSelectorTerms": [
        { "matchExpressions": [{ "key": key, "operator": "In", "values": values }] }
    ] } });
    source
}

fn at(source: Value, node: &str) -> Value {
    on(source, "kubernetes.io/hostname", &[node])
}

fn csi(driver: &str, handle: &str) -> Value {
    json!({ "csi": { "driver": driver, "volumeHandle": handle } })
}

/// G7: volumes of one share for several namespaces, as the vendors' manuals make them, are not two writers of one disk.
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
    // The plan sets Retain where the volume does not have it.
    let shared = world([many, many], ["Delete", "Retain"]);
    let seen = guard(&shared, &moving(), "unique-backing");
    assert_eq!(seen.holds, Holds::Warns, "{seen:?}");
    assert!(seen.looked_at.contains("that of pv-2 as well, all of them for many nodes and kept"), "{seen:?}");
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

/// A set whose claims go when it is scaled down is not to be scaled down before that is changed.
#[test]
fn how_a_set_is_stopped_depends_on_what_it_deletes() {
    let asked = |policy: Value| {
        let mut objects = bound();
        objects[1]["metadata"]["name"] = "data-db-0".into();
        objects[0]["spec"]["claimRef"]["name"] = "data-db-0".into();
        objects.push(json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": { "namespace": "db", "name": "db", "uid": "s-db" },
            "spec": {
                "replicas": 1, "volumeClaimTemplates": [{ "metadata": { "name": "data" } }],
                "persistentVolumeClaimRetentionPolicy": policy,
            },
        }));
        let request = Request::Move {
            namespace: "db".into(),
            name: "data-db-0".into(),
            to_namespace: "new".into(),
            to_name: "data".into(),
            restore_policy: false,
        };
        let refusal = World::new(objects).refusal(&request);
        assert_eq!(refusal.by, "unused");
        refusal.message
    };
    let why =
        "StatefulSet db/db has 1 replicas and would create pods that use claim data-db-0, or the claim itself; first";
    assert_eq!(asked(json!({ "whenScaled": "Retain" })), format!("{why} scale StatefulSet db/db down"));
    assert_eq!(
        asked(json!({ "whenScaled": "Delete" })),
        format!(
            "{why} set whenScaled in the persistentVolumeClaimRetentionPolicy of StatefulSet db/db to Retain (now scaling \
             down deletes its claims, and their data where the volumes have policy Delete), and then scale it down"
        )
    );
}

/// Whoever applies the volume may write policy Delete again while its claim is gone.
#[test]
fn a_policy_that_somebody_else_writes_does_not_keep_data() {
    let owned = |policy: &str, metadata: Value| {
        let mut objects = bound();
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        for (field, value) in metadata.as_object().unwrap() {
            objects[0]["metadata"][field] = value.clone();
        }
        World::new(objects)
    };
    let argo = json!({ "labels": { "argocd.argoproj.io/instance": "storage" } });
    let refusal = owned("Delete", argo.clone()).refusal(&moving());
    assert_eq!(
        (refusal.by, refusal.message.as_str()),
        (
            "owner",
            "pv/pv-1 belongs to Argo CD (storage), which may write its former policy again while pvc/data -n db is gone, and the \
             data would go: set persistentVolumeReclaimPolicy to Retain there first"
        )
    );
    owned("Retain", argo).accepted(&moving());
    let node = json!({ "ownerReferences": [{ "apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "n" }] });
    owned("Delete", node).accepted(&moving());
}

/// Volumes that earlier claims of the same name left behind take no part: there is room for the plan however many.
#[test]
fn volumes_that_earlier_claims_left_do_not_hinder() {
    let mut objects = bound();
    objects.extend((0..20).map(|number| {
        let mut left = volume(&format!("left-{number}"), "Released", of("db", "data", &format!("c-{number}")));
        left["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
        left
    }));
    let world = World::new(objects);
    world.accepted(&moving());
    world.accepted(&Request::Retain { volume: "left-3".into() });
}

/// G7: the same path on nodes that can be the same.
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
        // Without an affinity the path may be on any node.
        (host("/srv/a"), host("/srv/a"), Holds::No),
        (host("/srv/a"), at(host("/srv/a"), "n1"), Holds::No),
        (host("/srv/a"), host("/srv/b"), Holds::Yes),
        // The two labels do not exclude each other.
        (at(host("/srv/a"), "n1"), on(host("/srv/a"), "zone", &["z2"]), Holds::No),
    ] {
        assert_eq!(judged(&one, &other), holds, "{one} {other}");
    }
}

/// G7: the same disk of an in-tree plugin, as manifests name it.
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
        // Another way to the same target, or another target that was given the same name.
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
        // The address of a blob may hold a signature, and is not read.
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
        // The options of a driver may be anything, also a password: they are not read.
        (
            json!({ "flexVolume": { "driver": "example.com/lvm", "options": { "volume": "a" } } }),
            json!({ "flexVolume": { "driver": "example.com/lvm", "options": { "volume": "b" } } }),
            Holds::Unknown,
        ),
    ] {
        assert_eq!(judged(&one, &other), holds, "{one} {other}");
    }
}

/// G7: a disk of an in-tree plugin, and a volume of the driver to which the plugin was migrated.
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

/// Unknown refuses what takes something away, and nothing else.
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
        "a volume of kind flexVolume does not say in the open which storage it has, so nobody knows whether another \
         volume has that of pv-1 as well"
    );
}

/// A claim that names another one as its owner, with a volume.
fn dependent(owner: &str, policy: &str) -> [Value; 2] {
    let mut owned = claim("db", "prime", "pv-2", "Bound");
    owned["metadata"]["ownerReferences"] =
        json!([{ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": "data", "uid": owner }]);
    let mut kept = volume("pv-2", "Bound", of("db", "prime", "c-prime"));
    kept["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
    [owned, kept]
}

/// The garbage collector deletes the claims that a claim owns, and with policy Delete their data.
#[test]
fn a_claim_does_not_take_the_data_of_those_that_it_owns_along() {
    let with = |owner: &str, policy: &str| {
        let mut objects = bound();
        objects.extend(dependent(owner, policy));
        World::new(objects)
    };
    let refusal = with("c-data", "Delete").refusal(&moving());
    assert_eq!(
        (refusal.by, refusal.message.as_str()),
        (
            "owned",
            "claim db/prime names claim db/data as its owner: it goes with it, and its volume does not have policy \
             Retain. `kubectl pvctl retain` keeps that first"
        )
    );
    let kept = with("c-data", "Retain");
    kept.accepted(&moving());
    let judged = guard(&kept, &moving(), "owned");
    assert_eq!(
        (judged.holds, judged.looked_at.as_str()),
        (
            Holds::Warns,
            "these claims go with claim db/data, their owner, and their volumes stay: db/prime; whatever else names it \
             goes as well, such as VolumeSnapshots, which are not looked at"
        )
    );
    // The owner is another claim of that name, which is gone.
    let other = with("c-older", "Delete");
    other.accepted(&moving());
    assert_eq!(guard(&other, &moving(), "owned").holds, Holds::Yes);
}

#[test]
fn what_goes_with_a_claim_is_unknown_where_claims_cannot_be_listed() {
    let mut coverage = complete();
    let mut partly = CoverageEntry::new(Kind::PersistentVolumeClaim, Some("db".into()), CoverageState::Partial);
    partly.absent.insert("new".into());
    coverage.set(partly);
    let rename = Request::Move {
        namespace: "db".into(),
        name: "data".into(),
        to_namespace: "db".into(),
        to_name: "new".into(),
        restore_policy: false,
    };
    let world = World::with(bound(), coverage);
    let judged = guard(&world, &rename, "owned");
    assert_eq!(
        (judged.holds, judged.looked_at.as_str()),
        (
            Holds::Unknown,
            "the claims of namespace db could not be listed, so nobody knows which of them go with claim db/data"
        )
    );
    assert_eq!(world.refusal(&rename).by, "owned");
}

fn offer() -> Request {
    Request::Release { volume: "pv-1".into(), to: Recipient::Anyone }
}

fn waiting(name: &str, size: &str) -> Value {
    let mut waiting = claim("new", name, "", "Pending");
    waiting["spec"]["resources"]["requests"]["storage"] = size.into();
    waiting
}

/// G12: the claim that the simulation gives the volume to is named, and no other.
#[test]
fn who_gets_a_volume_that_is_offered_to_anyone_is_named() {
    let thief = |more: &[Value]| {
        let mut objects = released();
        objects.extend_from_slice(more);
        let world = World::new(objects);
        world.accepted(&offer());
        let judged = guard(&world, &offer(), "thief");
        assert_eq!(judged.holds, Holds::Warns);
        judged.looked_at
    };
    assert_eq!(
        thief(&[]),
        "volume pv-1: no claim waits for it now; the next one that fits gets it, with all that is on it"
    );
    // One asks for too much, one for a class that is not the volume's, and one gets a volume that fits better.
    let mut other = waiting("other", "1Gi");
    other["spec"]["storageClassName"] = "slow".into();
    assert_eq!(
        thief(&[waiting("small", "1Gi"), waiting("large", "2Gi"), other]),
        "volume pv-1: claim new/small gets it, with all that is on it"
    );
    let mut better = volume("pv-0", "Available", Value::Null);
    better["spec"]["capacity"]["storage"] = "512Mi".into();
    assert_eq!(
        thief(&[waiting("tiny", "512Mi"), better]),
        "volume pv-1: no claim waits for it now; the next one that fits gets it, with all that is on it"
    );
    assert_eq!(
        thief(&[waiting("a", "1Gi"), waiting("b", "1Gi")]),
        "volume pv-1: one of these claims gets it, with all that is on it: new/a, new/b"
    );
}

/// Where the class waits for a pod the scheduler chooses, and may choose that volume.
#[test]
fn a_claim_that_waits_for_its_pod_may_get_the_volume() {
    let mut late = class("fast");
    late["volumeBindingMode"] = "WaitForFirstConsumer".into();
    let mut objects = released();
    objects[1] = late;
    objects.push(waiting("late", "1Gi"));
    let world = World::new(objects);
    world.accepted(&offer());
    assert_eq!(
        guard(&world, &offer(), "thief").looked_at,
        "volume pv-1: claim new/late (its class waits for a pod) gets it, with all that is on it"
    );
}

#[test]
fn nothing_is_offered_to_anyone_while_claims_cannot_be_listed() {
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::PersistentVolumeClaim, Some("elsewhere".into()), CoverageState::Forbidden));
    let refusal = World::with(released(), coverage).refusal(&offer());
    assert_eq!(refusal.by, "thief");
}

/// A claim that names the volume would be Lost, or wait for ever, were it reserved for another one.
#[test]
fn a_volume_that_another_claim_names_is_not_given_away() {
    for (phase, how) in [("Pending", "it waits for it"), ("Lost", "it was bound to it, and its pods may still use it")]
    {
        let mut objects = released();
        objects.push(claim("new", "other", "pv-1", phase));
        let world = World::new(objects);
        let to = Recipient::Claim { namespace: "db".into(), name: "heir".into() };
        for to in [Recipient::LastClaim, to, Recipient::Anyone] {
            let refusal = world.refusal(&Request::Release { volume: "pv-1".into(), to });
            assert_eq!((refusal.by, refusal.message), ("held", format!("claim new/other names volume pv-1: {how}")));
        }
        let itself = Recipient::Claim { namespace: "new".into(), name: "other".into() };
        let proposed = world.propose(&Request::Release { volume: "pv-1".into(), to: itself });
        assert!(!matches!(proposed, pvctl::repair::Proposed::Nothing(_)), "{proposed:?}");
    }
    let mut objects = vec![volume("pv-1", "Available", of("db", "data", "c-gone")), class("fast")];
    objects.push(claim("new", "other", "pv-1", "Pending"));
    let refusal = World::new(objects).refusal(&Request::Unbind { volume: "pv-1".into(), to: Recipient::LastClaim });
    assert_eq!((refusal.by, refusal.message.as_str()), ("held", "claim new/other names volume pv-1: it waits for it"));
}

/// The protection of a claim was taken off while a pod ran: where nothing is attached, only the pod tells.
#[test]
fn a_volume_that_a_pod_still_has_mounted_does_not_change_hands() {
    let nfs = json!({ "nfs": { "server": "files.example.com", "path": "/a" } });
    let world = |more: &[Value], coverage| {
        let mut released = with_source(volume("pv-1", "Released", of("db", "data", "c-gone")), &nfs);
        released["metadata"]["annotations"] = json!({ "pv.kubernetes.io/provisioned-by": "nfs.example.com" });
        let mut objects = vec![released, class("fast"), claim("new", "data", "", "Pending")];
        objects.extend_from_slice(more);
        World::with(objects, coverage)
    };
    let heir = Recipient::Claim { namespace: "db".into(), name: "heir".into() };
    let requests = [
        Request::Release { volume: "pv-1".into(), to: Recipient::LastClaim },
        Request::Release { volume: "pv-1".into(), to: heir },
        offer(),
        Request::Rebind { namespace: "new".into(), name: "data".into(), to: "pv-1".into(), provisioner_stopped: false },
        Request::Restore {
            namespace: "new".into(),
            name: "data".into(),
            from: Some("pv-1".into()),
            provisioner_stopped: false,
        },
        Request::Reclaim { volume: "pv-1".into(), delete: true },
    ];
    let runs = pod("db", "web", "data");
    let mut goes = runs.clone();
    goes["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    let mut waits = runs.clone();
    waits["spec"]["nodeName"] = Value::Null;
    waits["status"]["phase"] = "Pending".into();
    let mut ended = runs.clone();
    ended["status"]["phase"] = "Succeeded".into();
    let another = pod("db", "other", "other");
    let elsewhere = pod("new", "web-2", "data-2");
    for request in &requests {
        for there in [&runs, &goes] {
            let refusal = world(std::slice::from_ref(there), complete()).refusal(request);
            assert_eq!(
                (refusal.by, refusal.message.as_str()),
                ("unmounted", "claim db/data is gone, and pods still use what it had: web; stop what runs them first"),
                "{request:?}"
            );
        }
        let plan =
            world(&[waits.clone(), ended.clone(), another.clone(), elsewhere.clone()], complete()).accepted(request);
        let look = Recheck::Unmounted { namespace: "db".into(), name: "data".into(), before: None };
        assert!(plan.steps.iter().any(|step| step.recheck.contains(&look)), "{plan:#?}");
        let list = Right { verb: "list", kind: Kind::Pod, namespace: "db".into(), name: "".into() };
        assert!(rights(&plan).contains(&list), "{:?}", rights(&plan));
        let mut coverage = complete();
        coverage.set(CoverageEntry::new(Kind::Pod, None, CoverageState::Forbidden));
        let refusal = world(&[], coverage).refusal(request);
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            (
                "unmounted",
                "the pods of namespace db could not be listed, so nobody knows who still uses what claim data had, which \
                 is gone"
            ),
            "{request:?}"
        );
    }
}

/// A claim that was created anew got another volume, and a pod of the claim before it still has the old one mounted.
#[test]
fn a_claim_of_the_same_name_does_not_hide_who_has_the_volume_mounted() {
    let at = |mut object: Value, created: &str| {
        object["metadata"]["creationTimestamp"] = created.into();
        object
    };
    let nfs = json!({ "nfs": { "server": "files.example.com", "path": "/a" } });
    let anew = claim("db", "data", "pv-9", "Bound");
    let world = |anew: &Value, pods: &[Value], coverage| {
        let mut released = with_source(volume("pv-1", "Released", of("db", "data", "c-gone")), &nfs);
        released["metadata"]["annotations"] = json!({ "pv.kubernetes.io/provisioned-by": "nfs.example.com" });
        let mut objects = vec![released, class("fast"), claim("new", "data", "", "Pending")];
        objects.extend([anew.clone(), volume("pv-9", "Bound", of("db", "data", "c-data"))]);
        objects.extend_from_slice(pods);
        World::with(objects, coverage)
    };
    let restore = |namespace: &str, name: &str| Request::Restore {
        namespace: namespace.into(),
        name: name.into(),
        from: Some("pv-1".into()),
        provisioner_stopped: false,
    };
    let to = Recipient::Claim { namespace: "db".into(), name: "rescue".into() };
    let requests = [
        Request::Release { volume: "pv-1".into(), to },
        offer(),
        restore("db", "rescue"),
        restore("new", "data"),
        Request::Rebind { namespace: "new".into(), name: "data".into(), to: "pv-1".into(), provisioner_stopped: false },
        Request::Reclaim { volume: "pv-1".into(), delete: true },
    ];
    let dated = at(anew.clone(), "2026-07-01T10:00:00Z");
    let runs = pod("db", "db-0", "data");
    let older = at(runs.clone(), "2026-07-01T09:59:59Z");
    let younger = at(runs.clone(), "2026-07-01T10:00:00Z");
    let mut ended = older.clone();
    ended["status"]["phase"] = "Failed".into();
    let hides = "claim db/data is another one than the volume had, and pods that are not seen to be younger may still \
                 use what the earlier one had: db-0; stop what runs them first";
    for request in &requests {
        // What does not say when it was created is not known to be younger.
        for (anew, runs) in [(&dated, &older), (&dated, &runs), (&anew, &younger)] {
            let refusal = world(anew, std::slice::from_ref(runs), complete()).refusal(request);
            assert_eq!((refusal.by, refusal.message.as_str()), ("unmounted", hides), "{request:?}");
        }
        let world_of_today = world(&dated, std::slice::from_ref(&younger), complete());
        let plan = world_of_today.accepted(request);
        let before = Timestamp::parse("2026-07-01T10:00:00Z");
        let look = Recheck::Unmounted { namespace: "db".into(), name: "data".into(), before };
        assert!(plan.steps.iter().any(|step| step.recheck.contains(&look)), "{plan:#?}");
        assert_eq!(
            guard(&world_of_today, request, "unmounted"),
            Guard {
                id: "unmounted",
                holds: Holds::Yes,
                looked_at: "no pod that runs and is older than the claim of that name now uses what an earlier claim \
                            db/data had, which is gone"
                    .to_owned(),
            }
        );
        let mut coverage = complete();
        coverage.set(CoverageEntry::new(Kind::Pod, None, CoverageState::Forbidden));
        let refusal = world(&dated, &[], coverage).refusal(request);
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            (
                "unmounted",
                "the pods of namespace db could not be listed, so nobody knows who still uses what an earlier claim data \
                 had, which is gone"
            ),
            "{request:?}"
        );
    }
    world(&dated, &[ended], complete()).accepted(&requests[0]);
}

/// What a plan looks at again is kept with it; a journal of before does not say since when a claim is another one.
#[test]
fn a_plan_keeps_since_when_a_claim_is_another_one() {
    let before = Timestamp::parse("2026-07-01T10:00:00Z");
    for (before, written) in [
        (before, json!({ "type": "unmounted", "namespace": "db", "name": "data", "before": "2026-07-01T10:00:00Z" })),
        (None, json!({ "type": "unmounted", "namespace": "db", "name": "data" })),
    ] {
        let look = Recheck::Unmounted { namespace: "db".into(), name: "data".into(), before };
        assert_eq!(serde_json::to_value(&look).unwrap(), written);
        assert_eq!(serde_json::from_value::<Recheck>(written).unwrap(), look);
    }
    let unread = json!({ "type": "unmounted", "namespace": "db", "name": "data", "before": "yesterday" });
    let error = serde_json::from_value::<Recheck>(unread).unwrap_err().to_string();
    assert_eq!(error, "yesterday is not a time such as 2026-06-01T10:00:00Z");
}

/// A copy of a claim names the volume of the one that lives: nothing happens to that when the copy goes.
#[test]
fn the_volume_of_another_claim_is_not_in_the_way() {
    let world = |uid: &str, phase: &str| {
        let mut theirs = volume("pv-0", phase, of("new", "owner", uid));
        theirs["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
        World::new(vec![
            theirs,
            claim("new", "owner", "pv-0", "Bound"),
            claim("db", "data", "pv-0", "Lost"),
            volume("pv-2", "Available", Value::Null),
            class("fast"),
        ])
    };
    let request =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-2".into(), provisioner_stopped: false };
    let replaced = ["pvc/data -n db: delete", "pv/pv-2: claimRef db/data", "pvc/data -n db: create, volume \"pv-2\""];
    let living = world("c-owner", "Bound");
    assert_eq!(changes(&living.accepted(&request)), replaced);
    // The uid is that of a claim that is gone: the volume is kept first, whoever had it.
    let kept = changes(&world("c-gone", "Released").plan(&request));
    assert_eq!(kept[0], "pv/pv-0: policy Retain");
    assert_eq!(kept[1..], replaced);
}
