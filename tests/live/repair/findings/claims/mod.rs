//! Findings on claims, on namespaces, and on StatefulSets.

mod acts;

use super::{Act, Case, Class};
use crate::support::screen::ENTER;
use acts::{
    applied_again, class_is_misspelt, deleted_after_its_job, deleted_after_its_job_and_kept, deleted_in_use,
    installed_again, job_is_deleted, kept_by_a_snapshot, kept_by_an_operator, kept_by_an_operator_with_its_data,
    member_is_gone, namespace_goes_on, namespace_is_deleted, node_is_removed, operator_is_back, owner_is_deleted,
    owner_is_gone, restored_from_backup, restored_without_its_volume, set_is_scaled_down, uid_of_todays_claim,
    user_ends,
};

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
            // The claim was Pending before the repair. An undo would make it Lost.
            Act::refuses(&["undo"], 6, &["claim @/data has got volume @-a in the meantime"]),
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
            // The surplus volume is kept. It is available again for the claim name for which it was reserved.
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
            // The claim is still deleted with its owner, but its data are kept.
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
            // With the earlier policy Delete, the data of a Lost claim would be deleted.
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
            Act::refuses(&["undo"], 6, &["the volume of a claim cannot be changed once it is set"]),
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
            // The namespace is still deleted, but the data are kept.
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
                // In the second run, the claim is already bound and has the right class.
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
        stands: &["@/data: Pending, , on @-node"],
        found: &["pod-unbound-immediate on Pod/user", "pvc-selected-node-gone on pvc/data"],
        acts: &[
            Act::refuses(&["fix", "pvc/data"], 1, &["left: pvc-selected-node-gone on pvc/data -n @"]),
            // No verb removes the selected node, but a person can confirm this repair in `fix`. Afterwards the
            // scheduler would have to act, but there is no scheduler.
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
            .asked(&[("make no further repair", ENTER), ("Carry out this plan?", "y\r")]),
            Act::back(
                &["@/data: Pending, , on @-node"],
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
            // The claim still waits for the pod, but its data are kept.
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
            // No verb deletes a pod, or removes a finalizer that a pod needs.
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
            // The claim is still deleted with its last pod, but its data are kept.
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
            // The claim still waits for the snapshot, but its data are kept.
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
            // The claim still waits for the operator, but its data are kept.
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
                // In the second run, the claim does not exist any more, and the journal says why.
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
