//! Findings on claims, on namespaces, and on StatefulSets.

use super::actors::{
    ask_set, bring_back, created_long_ago, delete, deleted_long_ago, leave, made, member, own, pod, set,
};
use super::{Act, Case, Class};
use crate::live::site::{PV, PVC, Place};
use crate::support::screen::ENTER;
use http::Method;
use serde_json::json;
use std::thread::sleep;
use std::time::Duration;

pub(super) const CASES: &[Case] = &[
    Case {
        rule: "bind-named-pv-stale-uid",
        place: "stale",
        class: Class::Driver,
        arise: installed_again,
        stands: &["@-a: Released, Delete, of the former @/data", "@/data: Pending, @-a"],
        found: &["bind-named-pv-stale-uid on pvc/data", "pv-released-claim-recreated on pv/@-a"],
        acts: &[
            Act::does(&["fix", "pvc/data"], 1, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
            // The claim was Pending, and would be Lost.
            Act::refuses(&["undo"], 6, &["claim @/data has taken volume @-a meanwhile"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "bind-two-pvs-one-claim",
        place: "two",
        class: Class::Driver,
        arise: uid_of_todays_claim,
        stands: &["@-a: Released, Delete, of @/data", "@-b: Bound, Delete, of @/data", "@/data: Bound, @-b"],
        found: &["bind-two-pvs-one-claim on pvc/data"],
        acts: &[
            // A surplus volume that is kept is offered again to the name that it was reserved for.
            Act::does(
                &["fix", "pvc/data"],
                2,
                &["@-a: Available, Retain, for @/data", "@-b: Bound, Retain, of @/data", "@/data: Bound, @-b"],
                &["pv-available-claim-bound-elsewhere on pv/@-a"],
            )
            .leaves(),
            Act::back(
                &["@-a: Available, Retain, for @/data", "@-b: Bound, Delete, of @/data", "@/data: Bound, @-b"],
                &["pv-available-claim-bound-elsewhere on pv/@-a"],
            )
            .further(),
            Act::NOTHING_BACK,
        ],
        volumes: &["a", "b"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "claim-owned-cascade",
        place: "owned",
        class: Class::Driver,
        arise: owner_is_deleted,
        stands: &["@-a: Bound, Delete, of @/data-db-0", "@/data-db-0: Bound, @-a"],
        found: &["claim-owned-cascade on pvc/data-db-0", "sts-retention-delete on sts/db"],
        acts: &[
            // The claim goes with its owner all the same, and its data stay.
            Act::does(
                &["fix", "pvc/data-db-0"],
                1,
                &["@-a: Bound, Retain, of @/data-db-0", "@/data-db-0: Bound, @-a"],
                &["claim-owned-cascade on pvc/data-db-0"],
            )
            .harmless(),
            Act::back(
                &["@-a: Bound, Delete, of @/data-db-0", "@/data-db-0: Bound, @-a"],
                &["claim-owned-cascade on pvc/data-db-0", "sts-retention-delete on sts/db"],
            ),
            Act::does(
                &["fix", "pvc/data-db-0"],
                1,
                &["@-a: Bound, Retain, of @/data-db-0", "@/data-db-0: Bound, @-a"],
                &["claim-owned-cascade on pvc/data-db-0"],
            )
            .harmless(),
            Act::comes(
                owner_is_gone,
                &["@-a: Released, Retain, of the former @/data-db-0"],
                &["pv-released-retain on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data-db-0")],
        harm: &[],
    },
    Case {
        rule: "lost-claimref-other-uid",
        place: "otheruid",
        class: Class::Driver,
        arise: restored_from_backup,
        stands: &["@-a: Released, Delete, of the former @/data", "@/data: Lost, @-a"],
        found: &["lost-claimref-other-uid on pvc/data", "pv-released-claim-recreated on pv/@-a"],
        acts: &[
            Act::does(&["fix", "pvc/data"], 1, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
            // With policy Delete, as it had, the data of a Lost claim would go.
            Act::back(
                &["@-a: Released, Retain, of the former @/data", "@/data: Lost, @-a"],
                &["lost-claimref-other-uid on pvc/data", "pv-released-claim-recreated on pv/@-a"],
            )
            .says(&["volume @-a keeps policy Retain"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "lost-claimref-uid-cleared",
        place: "nouid",
        class: Class::ByHand,
        arise: applied_again,
        stands: &["@-a: Available, Retain, for @/data", "@/data: Lost, @-a"],
        found: &["lost-claimref-uid-cleared on pvc/data"],
        acts: &[
            Act::does(&["fix", "pvc/data"], 1, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
            Act::back(
                &["@-a: Available, Retain, for @/data", "@/data: Lost, @-a"],
                &["lost-claimref-uid-cleared on pvc/data"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "lost-volumename-empty",
        place: "noname",
        class: Class::ByHand,
        arise: restored_without_its_volume,
        stands: &["@-a: Released, Retain, of the former @/data", "@/data: Lost, "],
        found: &["lost-volumename-empty on pvc/data", "pv-released-claim-recreated on pv/@-a"],
        acts: &[
            Act::refuses(&["fix", "pvc/data"], 1, &["left: lost-volumename-empty on pvc/data -n @"]),
            Act::does(&["restore", "pvc/data"], 1, &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"], &[]),
            Act::refuses(&["undo"], 6, &["a claim that names a volume names it for good"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "ns-terminating-pvc",
        place: "leaving",
        class: Class::Driver,
        arise: namespace_is_deleted,
        stands: &["@-a: Bound, Delete, of @/data", "@/data: Bound, @-a"],
        found: &["ns-terminating-pvc on ns/@"],
        acts: &[
            // The namespace goes all the same, and the data stay.
            Act::does(
                &["fix", "--all", "--only", "ns-terminating-pvc"],
                1,
                &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"],
                &["ns-terminating-pvc on ns/@"],
            )
            .harmless(),
            Act::NOTHING_BACK,
            Act::comes(
                namespace_goes_on,
                &["@-a: Released, Retain, of the former @/data"],
                &["pv-released-retain on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pvc-class-not-found",
        place: "misspelt",
        class: Class::ByHand,
        arise: class_is_misspelt,
        stands: &["@-a: Available, Retain, of nobody", "@/data: Pending, "],
        found: &["bind-class-mismatch on pvc/data", "pvc-class-not-found on pvc/data"],
        acts: &[
            Act::refuses(&["fix", "pvc/data"], 1, &["left: pvc-class-not-found on pvc/data -n @"]),
            Act {
                // It is bound by then, and has the class.
                again: Some(0),
                ..Act::does(
                    &["recreate", "pvc/data", "--set", "class=@"],
                    1,
                    &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a"],
                    &[],
                )
            },
            Act::back(
                &["@-a: Released, Retain, of the former @/data", "@/data: Pending, "],
                &["pv-released-claim-recreated on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pvc-selected-node-gone",
        place: "nodeless",
        class: Class::Late,
        arise: node_is_removed,
        stands: &["@/data: Pending, "],
        found: &["pod-unbound-immediate on Pod/user", "pvc-selected-node-gone on pvc/data"],
        acts: &[
            Act::refuses(&["fix", "pvc/data"], 1, &["left: pvc-selected-node-gone on pvc/data -n @"]),
            // It has no verb of its own: who is asked by `fix` can agree to it. The scheduler, whose turn it is then, is
            // nobody here.
            Act {
                code: 1,
                again: None,
                ..Act::does(
                    &["fix", "pvc/data"],
                    1,
                    &["@/data: Pending, "],
                    &["pvc-wffc-pod-unschedulable on pvc/data"],
                )
            }
            .asked(&[("leave the rest as it is", ENTER), ("Carry out this plan?", "y\r")]),
            Act::back(
                &["@/data: Pending, "],
                &["pod-unbound-immediate on Pod/user", "pvc-selected-node-gone on pvc/data"],
            ),
        ],
        volumes: &[],
        meant: &[],
        harm: &[],
    },
    Case {
        rule: "pvc-terminating-completed-pod",
        place: "ended",
        class: Class::Driver,
        arise: deleted_after_its_job,
        stands: &["@-a: Bound, Delete, of @/data", "@/data: Bound, @-a, going"],
        found: &["pvc-terminating-completed-pod on pvc/data"],
        acts: &[
            // The claim waits for the pod all the same, and its data stay.
            Act::does(
                &["fix", "pvc/data"],
                1,
                &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a, going"],
                &["pvc-terminating-completed-pod on pvc/data"],
            )
            .harmless(),
            Act::NOTHING_BACK,
            Act::comes(
                job_is_deleted,
                &["@-a: Released, Retain, of the former @/data"],
                &["pv-released-retain on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pvc-terminating-completed-pod",
        place: "finished",
        class: Class::ByHand,
        arise: deleted_after_its_job_and_kept,
        stands: &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a, going"],
        found: &["pvc-terminating-completed-pod on pvc/data"],
        acts: &[
            Act::refuses(&["fix", "pvc/data"], 1, &["left: pvc-terminating-completed-pod on pvc/data -n @"]),
            // No verb deletes a pod, nor what it keeps.
            Act::refuses(&["restore", "pvc/data"], 6, &["pods use claim @/data: job"]),
            Act::refuses(
                &["unfinalize", "pvc/data", "kubernetes.io/pvc-protection", "--confirm", "data"],
                6,
                &["protects data in use"],
            ),
            Act::comes(
                job_is_deleted,
                &["@-a: Released, Retain, of the former @/data"],
                &["pv-released-retain on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pvc-terminating-in-use",
        place: "inuse",
        class: Class::Driver,
        arise: deleted_in_use,
        stands: &["@-a: Bound, Delete, of @/data", "@/data: Bound, @-a, going"],
        found: &["pvc-terminating-in-use on pvc/data"],
        acts: &[
            // The claim goes with its last pod all the same, and its data stay.
            Act::does(
                &["fix", "pvc/data"],
                1,
                &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a, going"],
                &["pvc-terminating-in-use on pvc/data"],
            )
            .harmless(),
            Act::NOTHING_BACK,
            Act::comes(user_ends, &["@-a: Released, Retain, of the former @/data"], &["pv-released-retain on pv/@-a"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pvc-terminating-snapshot-source",
        place: "snapped",
        class: Class::Driver,
        arise: kept_by_a_snapshot,
        stands: &["@-a: Bound, Delete, of @/data", "@/data: Bound, @-a, going"],
        found: &["pvc-terminating-snapshot-source on pvc/data"],
        acts: &[
            // The claim waits for the snapshot all the same, and its data stay.
            Act::does(
                &["fix", "pvc/data"],
                1,
                &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a, going"],
                &["pvc-terminating-snapshot-source on pvc/data"],
            )
            .harmless(),
            Act::NOTHING_BACK,
            Act::comes(
                operator_is_back,
                &["@-a: Released, Retain, of the former @/data"],
                &["pv-released-retain on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pvc-terminating-unknown-finalizer",
        place: "guarded",
        class: Class::Driver,
        arise: kept_by_an_operator,
        stands: &["@-a: Bound, Delete, of @/data", "@/data: Bound, @-a, going"],
        found: &["pvc-terminating-unknown-finalizer on pvc/data"],
        acts: &[
            // The claim waits for the operator all the same, and its data stay.
            Act::does(
                &["fix", "pvc/data"],
                1,
                &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a, going"],
                &["pvc-terminating-unknown-finalizer on pvc/data"],
            )
            .harmless(),
            Act::NOTHING_BACK,
            Act::comes(
                operator_is_back,
                &["@-a: Released, Retain, of the former @/data"],
                &["pv-released-retain on pv/@-a"],
            ),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "pvc-terminating-unknown-finalizer",
        place: "held",
        class: Class::ByHand,
        arise: kept_by_an_operator_with_its_data,
        stands: &["@-a: Bound, Retain, of @/data", "@/data: Bound, @-a, going"],
        found: &["pvc-terminating-unknown-finalizer on pvc/data"],
        acts: &[
            Act::refuses(&["fix", "pvc/data"], 1, &["left: pvc-terminating-unknown-finalizer on pvc/data -n @"]),
            Act::refuses(&["unfinalize", "pvc/data", "example.com/backup"], 6, &["--confirm data"]),
            Act {
                // There is no such claim any more, and the journal says why.
                again: Some(0),
                ..Act::does(
                    &["unfinalize", "pvc/data", "example.com/backup", "--confirm", "data"],
                    1,
                    &["@-a: Released, Retain, of the former @/data"],
                    &["pv-released-retain on pv/@-a"],
                )
            },
            Act::refuses(&["undo"], 6, &["an object that is being deleted gets no new finalizer"]),
        ],
        volumes: &["a"],
        meant: &[("@", "data")],
        harm: &[],
    },
    Case {
        rule: "sts-retention-delete",
        place: "scaled",
        class: Class::Driver,
        arise: set_is_scaled_down,
        stands: &[
            "@-a: Bound, Delete, of @/data-es-0",
            "@-b: Bound, Delete, of @/data-es-1",
            "@/data-es-0: Bound, @-a",
            "@/data-es-1: Bound, @-b",
        ],
        found: &["sts-retention-delete on sts/es"],
        acts: &[
            Act::does(
                &["fix", "--all", "--only", "sts-retention-delete"],
                2,
                &[
                    "@-a: Bound, Retain, of @/data-es-0",
                    "@-b: Bound, Retain, of @/data-es-1",
                    "@/data-es-0: Bound, @-a",
                    "@/data-es-1: Bound, @-b",
                ],
                &[],
            ),
            Act::back(
                &[
                    "@-a: Bound, Retain, of @/data-es-0",
                    "@-b: Bound, Delete, of @/data-es-1",
                    "@/data-es-0: Bound, @-a",
                    "@/data-es-1: Bound, @-b",
                ],
                &["sts-retention-delete on sts/es"],
            )
            .further(),
            Act::back(
                &[
                    "@-a: Bound, Delete, of @/data-es-0",
                    "@-b: Bound, Delete, of @/data-es-1",
                    "@/data-es-0: Bound, @-a",
                    "@/data-es-1: Bound, @-b",
                ],
                &["sts-retention-delete on sts/es"],
            ),
            Act::does(
                &["fix", "--all", "--only", "sts-retention-delete"],
                2,
                &[
                    "@-a: Bound, Retain, of @/data-es-0",
                    "@-b: Bound, Retain, of @/data-es-1",
                    "@/data-es-0: Bound, @-a",
                    "@/data-es-1: Bound, @-b",
                ],
                &[],
            ),
            Act::comes(
                member_is_gone,
                &[
                    "@-a: Bound, Retain, of @/data-es-0",
                    "@-b: Released, Retain, of the former @/data-es-1",
                    "@/data-es-0: Bound, @-a",
                ],
                &["pv-released-retain on pv/@-b"],
            ),
        ],
        volumes: &["a", "b"],
        meant: &[("@", "data-es-0"), ("@", "data-es-1")],
        harm: &[],
    },
];

/// An application is installed again, while the driver is away: its claim names its volume, and has another uid.
fn installed_again(place: &Place<'_>) {
    made(place, "data", "a");
    leave(place, "data", "a", "Delete");
    let mut claim = place.manifest(&place.name, "data");
    claim["spec"]["volumeName"] = json!(place.of("a"));
    place.site.put(&claim);
}

/// The claim was made anew and got a new volume. Somebody who wants the old data writes the new uid into the old volume.
fn uid_of_todays_claim(place: &Place<'_>) {
    made(place, "data", "a");
    leave(place, "data", "a", "Delete");
    // A volume of the second in which the claim was made may be one that was made for it.
    sleep(Duration::from_secs(1));
    made(place, "data", "b");
    let uid = place.site.get(PVC, &place.name, "data").unwrap()["metadata"]["uid"].clone();
    place.site.edit(PV, "", &place.of("a"), |volume| volume["spec"]["claimRef"]["uid"] = uid.clone());
}

/// Somebody deletes a StatefulSet that takes its claims along, and an operator's finalizer keeps it: the garbage
/// collector deletes the claims when the set is gone.
fn owner_is_deleted(place: &Place<'_>) {
    let retention = json!({"whenDeleted": "Delete", "whenScaled": "Retain"});
    let owner = set(place, "db", 1, &retention, &json!(["example.com/cleanup"]));
    member(place, "db", 0, "a");
    own(place, "data-db-0", &owner);
    ask_set(place, Method::DELETE, "db", |_| {});
}

/// A backup tool creates the claim again with the marks of its binding; the volume has the uid of the former claim.
fn restored_from_backup(place: &Place<'_>) {
    made(place, "data", "a");
    bring_back(place, "data", "a", "Delete", |_| {});
}

/// Somebody applies the volume's manifest again, whose claimRef has no uid.
fn applied_again(place: &Place<'_>) {
    place.bound("data", "a", "Retain");
    place.site.edit(PV, "", &place.of("a"), |volume| volume["spec"]["claimRef"]["uid"] = json!(null));
}

/// A tool creates the claim again with the marks of its binding, and without the name of its volume.
fn restored_without_its_volume(place: &Place<'_>) {
    place.bound("data", "a", "Retain");
    bring_back(place, "data", "a", "Retain", |claim| claim["spec"]["volumeName"] = json!(null));
}

/// Somebody deletes the namespace. Its controller deletes the pods first and nothing else before they are gone, and
/// kubelet does not end the pod: its node does not answer.
fn namespace_is_deleted(place: &Place<'_>) {
    made(place, "data", "a");
    pod(place, "user", "data", "Running");
    delete(place, "Namespace", "", &place.name);
    delete(place, "Pod", &place.name, "user");
    deleted_long_ago(place, "Namespace", "", &place.name);
}

/// Somebody writes the name of the class with one letter too many.
fn class_is_misspelt(place: &Place<'_>) {
    place.volume("a", "Retain");
    let mut claim = place.manifest(&place.name, "data");
    claim["spec"]["storageClassName"] = json!(format!("{}x", place.name));
    place.site.put(&claim);
    place.claim_is("data", "Pending, ");
    created_long_ago(place, PVC, &place.name, "data");
}

/// The scheduler chooses a node for the claim, and an autoscaler removes the node before the driver, which is away, has
/// made a volume there.
fn node_is_removed(place: &Place<'_>) {
    let node = place.of("node");
    place.site.put(&json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}));
    place.claim_in(&place.name, "data");
    place.site.put(&json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": place.name, "name": "user"},
        "spec": {
            "containers": [{"name": "c", "image": "none"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
        },
    }));
    place.site.edit(PVC, &place.name, "data", |claim| {
        claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] = json!(node);
    });
    let asked = || place.site.get(PVC, &place.name, "data").unwrap();
    crate::live::site::Site::until("the driver is asked for a volume", || {
        asked()["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"].is_string()
    });
    delete(place, "Node", "", &node);
    created_long_ago(place, "StorageClass", "", &place.name);
    created_long_ago(place, PVC, &place.name, "data");
    created_long_ago(place, "Pod", &place.name, "user");
}

/// Somebody deletes the claim of a job that has ended, whose pod is still there.
fn deleted_after_its_job(place: &Place<'_>) {
    made(place, "data", "a");
    pod(place, "job", "data", "Succeeded");
    delete(place, PVC, &place.name, "data");
}

/// The same with a volume that is kept.
fn deleted_after_its_job_and_kept(place: &Place<'_>) {
    place.bound("data", "a", "Retain");
    pod(place, "job", "data", "Succeeded");
    delete(place, PVC, &place.name, "data");
}

/// Somebody deletes the claim of a pod that runs.
fn deleted_in_use(place: &Place<'_>) {
    made(place, "data", "a");
    pod(place, "user", "data", "Running");
    delete(place, PVC, &place.name, "data");
}

/// An operator puts its finalizer on a claim, and is uninstalled before somebody deletes the claim.
fn kept_by_an_operator(place: &Place<'_>) {
    made(place, "data", "a");
    keep(place, "example.com/backup");
}

/// A snapshot of the claim never becomes ready, and somebody deletes the claim.
fn kept_by_a_snapshot(place: &Place<'_>) {
    made(place, "data", "a");
    keep(place, "snapshot.storage.kubernetes.io/pvc-as-source-protection");
}

/// The same with a volume that is kept.
fn kept_by_an_operator_with_its_data(place: &Place<'_>) {
    place.bound("data", "a", "Retain");
    keep(place, "example.com/backup");
}

fn keep(place: &Place<'_>, finalizer: &str) {
    place.site.edit(PVC, &place.name, "data", |claim| {
        claim["metadata"]["finalizers"].as_array_mut().unwrap().push(json!(finalizer));
    });
    delete(place, PVC, &place.name, "data");
    deleted_long_ago(place, PVC, &place.name, "data");
}

/// Somebody scales a set down that deletes the claims of members that leave. Its controller makes the pod of that member
/// the owner of its claim, and deletes the pod, which takes its time to end.
fn set_is_scaled_down(place: &Place<'_>) {
    set(place, "es", 2, &json!({"whenDeleted": "Retain", "whenScaled": "Delete"}), &json!([]));
    member(place, "es", 0, "a");
    member(place, "es", 1, "b");
    ask_set(place, Method::PUT, "es", |set| set["spec"]["replicas"] = json!(1));
    let leaving = place.site.get("Pod", &place.name, "es-1").unwrap();
    own(place, "data-es-1", &leaving);
    delete(place, "Pod", &place.name, "es-1");
}

/// The operator lets the set go, and the garbage collector deletes what is the set's.
fn owner_is_gone(place: &Place<'_>) {
    ask_set(place, Method::PUT, "db", |set| set["metadata"]["finalizers"] = json!([]));
    place.site.delete("Pod", &place.name, "db-0");
    delete(place, PVC, &place.name, "data-db-0");
}

/// The pod ends, and the controller of namespaces deletes what else is there.
fn namespace_goes_on(place: &Place<'_>) {
    user_ends(place);
    delete(place, PVC, &place.name, "data");
}

/// Somebody deletes the pod that has ended.
fn job_is_deleted(place: &Place<'_>) {
    place.site.delete("Pod", &place.name, "job");
}

/// The pod ends.
fn user_ends(place: &Place<'_>) {
    place.site.delete("Pod", &place.name, "user");
}

/// The operator is installed again, and does what it has to.
fn operator_is_back(place: &Place<'_>) {
    place.site.edit(PVC, &place.name, "data", |claim| {
        claim["metadata"]["finalizers"].as_array_mut().unwrap().retain(|one| one == "kubernetes.io/pvc-protection");
    });
}

/// The member's pod ends, and the garbage collector deletes its claim.
fn member_is_gone(place: &Place<'_>) {
    place.site.delete("Pod", &place.name, "es-1");
    delete(place, PVC, &place.name, "data-es-1");
}
