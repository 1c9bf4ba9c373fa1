//! Findings on volumes.

use super::actors::{DRIVER, PROVISIONER, delete, deleted_long_ago, in_phase_long_since, leave, made, serve};
use super::{Act, Case, Class};
use crate::live::site::{PV, PVC, Place, Site, text};
use http::Method;
use serde_json::{Value, json};

pub(super) const CASES: &[Case] = &[
    Case {
        rule: "bind-claimref-no-namespace",
        place: "nowhere",
        class: Class::ByHand,
        arise: reserved_without_a_namespace,
        stands: &["@-a: Available, Retain, for /data", "@/data: Pending, @-a"],
        found: &["bind-claimref-no-namespace on pv/@-a", "bind-named-pv-taken on pvc/data"],
        acts: &[
            Act::does(&["fix", "pv/@-a"], 1, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
            // The claim was Pending before the repair. An undo would make it Lost.
            Act::refuses(&["undo"], 6, &["claim @/data has got volume @-a in the meantime"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-delete-static-surprise",
        place: "surprise",
        class: Class::ByHand,
        arise: |place| place.bound("data", "a", "Delete"),
        stands: &["@-a: Bound, Delete, of @/data", "@/data: Bound, @-a"],
        found: &["pv-delete-static-surprise on pv/@-a"],
        acts: &[
            Act::does(&["fix", "pv/@-a"], 1, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
            Act::back(
                &["@-a: Bound, Delete, of @/data", "@/data: Bound, @-a"],
                &["pv-delete-static-surprise on pv/@-a"],
            ),
            Act::does(&["fix", "pv/@-a"], 1, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
            Act::comes(
                claim_is_deleted,
                &["@-a: Released, Retain, of the former @/data"],
                &["pv-released-retain on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-duplicate-backing",
        place: "twice",
        class: Class::Driver,
        arise: applied_under_another_name,
        stands: &[
            "@-a: Bound, Delete, of @/data",
            "@-b: Bound, Retain, of @/copy",
            "@/copy: Bound, @-b",
            "@/data: Bound, @-a",
        ],
        found: &["pv-duplicate-backing on pv/@-a", "pv-duplicate-backing on pv/@-b"],
        acts: &[
            // The volume that was not kept yet is kept. Only a person can decide which of the two volumes is deleted.
            Act::does(
                &["fix", "pv/@-a", "pv/@-b"],
                1,
                &[
                    "@-a: Bound, Retain, of @/data",
                    "@-b: Bound, Retain, of @/copy",
                    "@/copy: Bound, @-b",
                    "@/data: Bound, @-a",
                ],
                &["pv-duplicate-backing on pv/@-a", "pv-duplicate-backing on pv/@-b"],
            )
            .leaves()
            .says(&["left: pv-duplicate-backing on pv/@-b"]),
            Act::back(
                &[
                    "@-a: Bound, Delete, of @/data",
                    "@-b: Bound, Retain, of @/copy",
                    "@/copy: Bound, @-b",
                    "@/data: Bound, @-a",
                ],
                &["pv-duplicate-backing on pv/@-a", "pv-duplicate-backing on pv/@-b"],
            ),
        ],
        volumes: &["a", "b"],
        meant: &[("@", "data"), ("@", "copy")],
        harm: &[],
    },
    Case {
        rule: "pv-failed-delete",
        place: "hostpath",
        class: Class::ByHand,
        arise: host_path_is_left,
        stands: &["@-a: Failed, Delete, of the former @/data"],
        found: &["pv-failed-delete on pv/@-a"],
        acts: &[
            Act::does(&["fix", "pv/@-a"], 1, &["@-a: Available, Retain, for @/data"], &[]),
            Act::back(&["@-a: Released, Retain, of the former @/data"], &["pv-released-retain on pv/@-a"])
                .says(&["volume @-a keeps policy Retain"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-failed-no-deleter-static",
        place: "nodeleter",
        class: Class::ByHand,
        arise: share_is_left,
        stands: &["@-a: Failed, Delete, of the former @/data"],
        found: &["pv-failed-no-deleter-static on pv/@-a"],
        acts: &[
            Act::does(&["fix", "pv/@-a"], 1, &["@-a: Available, Retain, for @/data"], &[]),
            Act::back(&["@-a: Released, Retain, of the former @/data"], &["pv-released-retain on pv/@-a"])
                .says(&["volume @-a keeps policy Retain"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-failed-recycle",
        place: "unscrubbed",
        class: Class::ByHand,
        arise: recycler_fails,
        stands: &["@-a: Failed, Recycle, of the former @/data"],
        found: &["pv-failed-recycle on pv/@-a"],
        acts: &[
            // The next recycler pod already exists. It continues no matter which policy the volume has. The volume is
            // not offered to anybody before the pod is gone.
            Act {
                code: 1,
                again: Some(1),
                ..Act::does(
                    &["fix", "pv/@-a"],
                    1,
                    &["@-a: Failed, Retain, of the former @/data"],
                    &["pv-released-retain on pv/@-a"],
                )
            }
            .says(&["pod default/recycler-for-@-a is erasing volume @-a, or has erased it"]),
            Act::comes(
                recycler_is_deleted,
                &["@-a: Failed, Retain, of the former @/data"],
                &["pv-released-retain on pv/@-a"],
            ),
            Act::does(&["release", "pv/@-a"], 1, &["@-a: Available, Retain, for @/data"], &[]),
            Act::back(&["@-a: Released, Retain, of the former @/data"], &["pv-released-retain on pv/@-a"]).further(),
            Act::refuses(&["undo"], 6, &["policy Recycle is deprecated and erases data"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-recycle-policy",
        place: "scrubbed",
        class: Class::ByHand,
        arise: share_with_recycle,
        stands: &["@-a: Bound, Recycle, of @/data", "@/data: Bound, @-a"],
        found: &["pv-recycle-policy on pv/@-a"],
        acts: &[
            Act::does(&["fix", "pv/@-a"], 1, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
            Act::refuses(&["undo"], 6, &["policy Recycle is deprecated and erases data"]),
            Act::comes(
                claim_is_deleted,
                &["@-a: Released, Retain, of the former @/data"],
                &["pv-released-retain on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-released-claim-recreated",
        place: "anew",
        class: Class::ByHand,
        arise: made_anew,
        stands: &["@-a: Released, Retain, of the former @/data", "@/data: Pending, "],
        found: &["pv-released-claim-recreated on pv/@-a"],
        acts: &[
            Act::refuses(&["fix", "pv/@-a"], 1, &["left: pv-released-claim-recreated on pv/@-a"]),
            Act::does(&["restore", "pvc/data"], 1, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
            // The binding cannot be undone: either the controller or the repair has written the claim into the volume.
            Act::refuses(&["undo"], 6, &[]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-released-claim-recreated",
        place: "renewed",
        class: Class::Driver,
        arise: made_anew_with_a_new_volume,
        stands: &["@-a: Released, Delete, of the former @/data", "@-b: Bound, Delete, of @/data", "@/data: Bound, @-b"],
        found: &["pv-released-claim-recreated on pv/@-a"],
        acts: &[
            // The old data are kept. A person has to choose whether the claim gets them.
            Act::does(
                &["fix", "pv/@-a"],
                1,
                &["@-a: Released, Retain, of the former @/data", "@-b: Bound, Delete, of @/data", "@/data: Bound, @-b"],
                &["pv-released-claim-recreated on pv/@-a"],
            )
            .harmless(),
            Act::does(
                &["rebind", "pvc/data", "--to", "pv/@-a"],
                1,
                &["@-a: Bound, Retain, of @/data", "@-b: Released, Retain, of the former @/data", "@/data: Bound, @-a"],
                &["pv-released-claim-recreated on pv/@-b"],
            ),
            Act::back(
                &["@-a: Released, Retain, of the former @/data", "@-b: Bound, Delete, of @/data", "@/data: Bound, @-b"],
                &["pv-released-claim-recreated on pv/@-a"],
            )
            .further(),
            Act::NOTHING_BACK,
        ],
        volumes: &["a", "b"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "data-about-to-go",
        place: "unwanted",
        class: Class::ByHand,
        arise: |place| place.left("data", "a", "Delete"),
        stands: &["@-a: Released, Delete, of the former @/data"],
        // A person asked for the deletion, so the severity is only `info`.
        found: &[],
        acts: &[
            Act::refuses(
                &["fix", "pv/@-a"],
                1,
                &["info data-about-to-go on pv/@-a", "left: data-about-to-go on pv/@-a"],
            ),
            Act::does(
                &["retain", "pv/@-a"],
                1,
                &["@-a: Released, Retain, of the former @/data"],
                &["pv-released-retain on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-released-delete-no-deleter",
        place: "nodriver",
        class: Class::Driver,
        arise: driver_is_away,
        stands: &["@-a: Released, Delete, of the former @/data"],
        found: &["pv-released-delete-no-deleter on pv/@-a"],
        acts: &[
            // The volume is kept, and then reserved for the name of its claim again.
            Act::does(&["fix", "pv/@-a"], 2, &["@-a: Available, Retain, for @/data"], &[]),
            Act::back(&["@-a: Released, Retain, of the former @/data"], &["pv-released-retain on pv/@-a"]).further(),
            Act::NOTHING_BACK,
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-released-retain",
        place: "released",
        class: Class::ByHand,
        arise: |place| place.left("data", "a", "Retain"),
        stands: &["@-a: Released, Retain, of the former @/data"],
        found: &["pv-released-retain on pv/@-a"],
        acts: &[
            Act::does(&["fix", "pv/@-a"], 1, &["@-a: Available, Retain, for @/data"], &[]),
            Act::back(&["@-a: Released, Retain, of the former @/data"], &["pv-released-retain on pv/@-a"]),
            Act::does(&["fix", "pv/@-a"], 1, &["@-a: Available, Retain, for @/data"], &[]),
            Act::comes(claim_is_back, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-released-retain",
        place: "homeless",
        class: Class::ByHand,
        arise: namespace_is_gone,
        stands: &["@-a: Released, Retain, of the former @-old/data"],
        found: &["pv-released-retain on pv/@-a"],
        acts: &[
            Act::refuses(&["fix", "pv/@-a"], 1, &["left: pv-released-retain on pv/@-a"]),
            Act::refuses(&["release", "pv/@-a", "--to-anyone"], 6, &["--confirm @-a"]),
            Act {
                // The volume is already reserved, so nothing is written.
                again: Some(0),
                ..Act::does(
                    &["release", "pv/@-a", "--reserve-for", "@/data"],
                    1,
                    &["@-a: Available, Retain, for @/data"],
                    &[],
                )
            },
            Act::back(&["@-a: Released, Retain, of the former @-old/data"], &["pv-released-retain on pv/@-a"]),
        ],
        volumes: &["a"],
        meant: &[("@-old", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-terminating-bound",
        place: "going",
        class: Class::Driver,
        arise: deleted_under_its_claim,
        stands: &["@-a: Bound, Delete, of @/data, going", "@/data: Bound, @-a"],
        found: &["pv-terminating-bound on pv/@-a"],
        acts: &[
            // The volume is still deleted with its claim, but its storage is kept.
            Act::does(
                &["fix", "pv/@-a"],
                1,
                &["@-a: Bound, Retain, of @/data, going", "@/data: Bound, @-a"],
                &["pv-terminating-bound on pv/@-a"],
            )
            .harmless(),
            Act::back(
                &["@-a: Bound, Delete, of @/data, going", "@/data: Bound, @-a"],
                &["pv-terminating-bound on pv/@-a"],
            ),
            Act::does(
                &["fix", "pv/@-a"],
                1,
                &["@-a: Bound, Retain, of @/data, going", "@/data: Bound, @-a"],
                &["pv-terminating-bound on pv/@-a"],
            )
            .harmless(),
            Act::comes(claim_is_deleted, &["@-a: Released, Retain, of the former @/data, going"], &[]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-terminating-leak",
        place: "leaky",
        class: Class::Driver,
        arise: deleted_without_a_finalizer,
        stands: &["@-a: Bound, Delete, of @/data, going", "@/data: Bound, @-a"],
        found: &["pv-terminating-bound on pv/@-a", "pv-terminating-leak on pv/@-a"],
        acts: &[
            // With policy Retain the storage is meant to stay. So the rule about leaked storage does not fire any more.
            Act::does(
                &["fix", "pv/@-a"],
                1,
                &["@-a: Bound, Retain, of @/data, going", "@/data: Bound, @-a"],
                &["pv-terminating-bound on pv/@-a"],
            )
            .harmless(),
            Act::back(
                &["@-a: Bound, Delete, of @/data, going", "@/data: Bound, @-a"],
                &["pv-terminating-bound on pv/@-a", "pv-terminating-leak on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pv-terminating-provisioner-finalizer",
        place: "undriven",
        class: Class::Driver,
        arise: deleted_while_its_driver_is_away,
        stands: &["@-a: Released, Delete, of the former @/data, going"],
        found: &["pv-terminating-provisioner-finalizer on pv/@-a"],
        acts: &[
            Act::refuses(&["fix", "pv/@-a"], 1, &["left: pv-terminating-provisioner-finalizer on pv/@-a"]),
            Act::does(
                &["retain", "pv/@-a"],
                1,
                &["@-a: Released, Retain, of the former @/data, going"],
                &["pv-terminating-provisioner-finalizer on pv/@-a"],
            ),
            // The driver is not available any more. Afterwards the object of the volume is gone as well. The journal
            // records the storage.
            Act {
                again: Some(0),
                ..Act::does(&["unfinalize", "pv/@-a", PROVISIONER, "--confirm", "@-a"], 1, &[], &[])
            },
            Act::refuses(&["undo"], 6, &["an object that is being deleted gets no new finalizer"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        // The volume was already being deleted when the repair began.
        harm: &["@-a was deleted"],
    },
    Case {
        rule: "pv-unknown-policy",
        place: "unknown",
        class: Class::ByHand,
        arise: edited_in_etcd,
        stands: &["@-a: Failed, Keep, of the former @/data"],
        found: &["pv-unknown-policy on pv/@-a"],
        acts: &[
            // The volume is kept, and then reserved for the name of its claim again.
            Act::does(&["fix", "pv/@-a"], 2, &["@-a: Available, Retain, for @/data"], &[]),
            Act::back(&["@-a: Released, Retain, of the former @/data"], &["pv-released-retain on pv/@-a"]).further(),
            Act::refuses(&["undo"], 6, &["policy Keep is not a policy that an API server accepts"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
];

/// A person reserves a volume by the name of the claim, but without its namespace.
fn reserved_without_a_namespace(place: &Place<'_>) {
    place.site.put(&json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": place.of("a")},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": place.name,
            "persistentVolumeReclaimPolicy": "Retain", "csi": {"driver": DRIVER, "volumeHandle": place.of("a")},
            "claimRef": {"name": "data"},
        },
    }));
    let mut claim = place.manifest(&place.name, "data");
    claim["spec"]["volumeName"] = json!(place.of("a"));
    place.site.put(&claim);
}

/// A person applies the manifest of a volume a second time under another name, and a claim gets that volume.
fn applied_under_another_name(place: &Place<'_>) {
    made(place, "data", "a");
    place.volume_on("b", "Retain", "csi", &json!({"driver": DRIVER, "volumeHandle": place.of("a")}));
    place.bind("copy", "b", "Retain");
}

/// A volume is a directory of a node with policy Delete. The controller deletes directories only below /tmp/.
fn host_path_is_left(place: &Place<'_>) {
    place.volume_on("a", "Delete", "hostPath", &json!({"path": format!("/mnt/{}", place.name)}));
    place.bind("data", "a", "Delete");
    place.site.delete(PVC, &place.name, "data");
}

/// A volume is a share with policy Delete. No controller can delete a share.
fn share_is_left(place: &Place<'_>) {
    share(place, "Delete");
    place.site.delete(PVC, &place.name, "data");
}

fn share(place: &Place<'_>, policy: &str) {
    let share = json!({"server": "nfs.example.com", "path": format!("/{}", place.name)});
    place.volume_on("a", policy, "nfs", &share);
    place.bind("data", "a", policy);
}

/// Kubelet cannot mount the share for the recycler pod. Then the deadline of the pod passes. The controller starts the
/// next recycler pod.
fn recycler_fails(place: &Place<'_>) {
    share(place, "Recycle");
    place.site.delete(PVC, &place.name, "data");
    let (namespace, recycler) = ("default", format!("recycler-for-{}", place.of("a")));
    let failed =
        json!({"phase": "Failed", "reason": "DeadlineExceeded", "message": "was active longer than specified"});
    place.site.report("Pod", namespace, &recycler, &failed);
    place.volume_is("a", &format!("Failed, Recycle, of the former {}/data", place.name));
    Site::until("the next recycler is there", || {
        place.site.get("Pod", namespace, &recycler).is_some_and(|pod| text(&pod, "/status/phase") == "Pending")
    });
}

/// A person deletes the recycler pod. Because of the new policy the controller does not start another one.
fn recycler_is_deleted(place: &Place<'_>) {
    let recycler = format!("recycler-for-{}", place.of("a"));
    place.site.delete("Pod", "default", &recycler);
}

/// The claim is deleted and not created again.
fn claim_is_deleted(place: &Place<'_>) {
    place.site.delete(PVC, &place.name, "data");
}

/// The claim is created again.
fn claim_is_back(place: &Place<'_>) {
    place.claim_in(&place.name, "data");
}

fn share_with_recycle(place: &Place<'_>) {
    share(place, "Recycle");
}

/// The claim is deleted and created again, as by a new installation. The new claim does not name the volume.
fn made_anew(place: &Place<'_>) {
    place.left("data", "a", "Retain");
    place.claim_in(&place.name, "data");
}

/// The claim is deleted and created again. The driver has not deleted the old volume yet, but creates a new one.
fn made_anew_with_a_new_volume(place: &Place<'_>) {
    made(place, "data", "a");
    leave(place, "data", "a", "Delete");
    made(place, "data", "b");
}

/// The driver was removed before its volumes.
fn driver_is_away(place: &Place<'_>) {
    made(place, "data", "a");
    leave(place, "data", "a", "Delete");
    in_phase_long_since(place, "a");
}

/// The namespace is deleted: its controller deletes the claim, and then the namespace is gone.
fn namespace_is_gone(place: &Place<'_>) {
    let old = format!("{}-old", place.name);
    place.namespace(&old);
    place.volume("a", "Retain");
    place.claim_in(&old, "data");
    place.claim_of_is(&old, "data", &format!("Bound, {}", place.of("a")));
    delete(place, "Namespace", "", &old);
    delete(place, PVC, &old, "data");
    place.claim_of_is(&old, "data", "gone");
    let mut namespace: Value = place.site.get("Namespace", "", &old).unwrap();
    namespace["spec"]["finalizers"] = json!([]);
    let path = format!("/api/v1/namespaces/{old}/finalize");
    place.site.runtime.block_on(place.site.api.send(Method::PUT, &path, Some(&namespace))).unwrap();
    assert!(place.site.get("Namespace", "", &old).is_none());
}

/// A person deletes the volume instead of the claim.
fn deleted_under_its_claim(place: &Place<'_>) {
    made(place, "data", "a");
    delete(place, PV, "", &place.of("a"));
}

/// A person deletes the volume instead of the claim. Its old provisioner set no finalizer.
fn deleted_without_a_finalizer(place: &Place<'_>) {
    place.claim_in(&place.name, "data");
    serve(place, "data", "a", &[]);
    delete(place, PV, "", &place.of("a"));
}

/// The claim and the volume are deleted. The provisioner, which has to remove its finalizer, is unavailable.
fn deleted_while_its_driver_is_away(place: &Place<'_>) {
    made(place, "data", "a");
    leave(place, "data", "a", "Delete");
    delete(place, PV, "", &place.of("a"));
    in_phase_long_since(place, "a");
    deleted_long_ago(place, PV, "", &place.of("a"));
}

/// A person edits etcd, because no API server accepts such a policy. The controller reads the policy when the claim is
/// gone.
fn edited_in_etcd(place: &Place<'_>) {
    place.bound("data", "a", "Retain");
    place.rest();
    place.site.store(PV, "", &place.of("a"), |volume| volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Keep"));
    place.volume_is("a", &format!("Bound, Keep, of {}/data", place.name));
    place.site.delete(PVC, &place.name, "data");
}
