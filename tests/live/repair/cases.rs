//! The repairs whose requests are intercepted. Each one has its initial state, and all states in which its place may
//! end.

use super::actors::Actor;
use crate::live::site::{PV, PVC, Place};
use serde_json::json;

/// The state of a place: one line for each of its volumes and claims, except those of the stranger. `N` stands for the
/// name of the place.
pub(crate) type State = &'static [&'static str];

/// A repair.
pub(crate) struct Repair {
    pub(crate) name: &'static str,
    pub(crate) words: &'static [&'static str],
    /// The name that must be typed to confirm the repair.
    pub(crate) typed: Option<&'static str>,
    /// Creates the state that the repair starts from.
    pub(crate) begin: fn(&Place<'_>),
    pub(crate) before: State,
    pub(crate) goal: State,
    /// The states after the undo, for all steps at which it can begin.
    pub(crate) undone: &'static [State],
    /// Further possible ends if this actor acts.
    pub(crate) intercepted: &'static [(Actor, &'static [State])],
    /// The additional lines that a state may have if an actor takes a claim or the name of a claim.
    pub(crate) left: State,
    /// The claims that may have one of the volumes.
    pub(crate) meant: &'static [(&'static str, &'static str)],
    pub(crate) volumes: &'static [&'static str],
    /// The claims that existed at the start or earlier. Actors create pods for these claims, or create the claims
    /// again.
    pub(crate) claims: &'static [(&'static str, &'static str)],
    /// Whether the repair itself asks for the deletion of the data.
    pub(crate) is_deletion: bool,
}

/// The repair that the tested undo takes back.
pub(crate) const MOVE: State = &["move", "pvc/data", "--to-namespace", "N-to"];
const AT_HOME: State = &["N-a: Bound, Delete, of N/data", "N/data: Bound, N-a"];
const AT_HOME_KEPT: State = &["N-a: Bound, Retain, of N/data", "N/data: Bound, N-a"];
const MOVED: State = &["N-a: Bound, Retain, of N-to/data", "N-to/data: Bound, N-a"];
const LEFT: State = &["N-a: Released, Retain, of the former N/data"];
const LEFT_TO_DELETION: State = &["N-a: Released, Delete, of the former N/data"];
const KEPT_BY_FINALIZER: State = &["N-a: Bound, Delete, of N/data", "N/data: Bound, N-a, going"];

const NONE: Repair = Repair {
    name: "",
    words: &[],
    typed: None,
    begin: |_| {},
    before: &[],
    goal: &[],
    undone: &[],
    intercepted: &[],
    left: &[],
    meant: &[("N", "data")],
    volumes: &["a"],
    claims: &[("N", "data")],
    is_deletion: false,
};

/// The additional lines that are possible if a moved claim is deleted or created again, in the old or the new
/// namespace.
const LEFT_BY_MOVE: State = &[
    "N-a: Released, Delete, of the former N/data",
    "N-a: Released, Retain, of the former N/data",
    "N-a: Released, Retain, of the former N-to/data",
    "N-a: Available, Retain, for N/data",
    "N-a: Available, Retain, for N-to/data",
    "N/data: Pending, ",
    "N-to/data: Pending, ",
];

pub(crate) const REPAIRS: [Repair; 15] = [
    Repair {
        name: "move",
        words: MOVE,
        begin: |place| {
            place.namespace(&format!("{}-to", place.name));
            place.bound("data", "a", "Delete");
        },
        before: AT_HOME,
        goal: MOVED,
        undone: &[AT_HOME, AT_HOME_KEPT],
        left: LEFT_BY_MOVE,
        meant: &[("N", "data"), ("N-to", "data")],
        ..NONE
    },
    Repair {
        name: "restore",
        words: &["restore", "pvc/data"],
        begin: |place| place.left("data", "a", "Delete"),
        before: LEFT_TO_DELETION,
        goal: AT_HOME_KEPT,
        undone: &[LEFT],
        // The driver may already delete the volume before the repair begins.
        intercepted: &[(Actor::Driver, &[&[]])],
        left: &["N-a: Available, Retain, for N/data", "N/data: Pending, "],
        ..NONE
    },
    Repair {
        name: "release",
        words: &["release", "pv/N-a"],
        begin: |place| place.left("data", "a", "Retain"),
        before: LEFT,
        goal: &["N-a: Available, Retain, for N/data"],
        undone: &[LEFT],
        left: &["N-a: Bound, Retain, of N/data", "N/data: Bound, N-a", "N/data: Pending, "],
        ..NONE
    },
    Repair {
        name: "rebind",
        words: &["rebind", "pvc/data", "--to", "pv/N-b"],
        begin: |place| {
            place.left("copy", "b", "Retain");
            place.bound("data", "a", "Delete");
        },
        before: &["N-a: Bound, Delete, of N/data", "N-b: Released, Retain, of the former N/copy", "N/data: Bound, N-a"],
        goal: &["N-a: Released, Retain, of the former N/data", "N-b: Bound, Retain, of N/data", "N/data: Bound, N-b"],
        undone: &[
            &["N-a: Bound, Delete, of N/data", "N-b: Released, Retain, of the former N/copy", "N/data: Bound, N-a"],
            &["N-a: Bound, Retain, of N/data", "N-b: Released, Retain, of the former N/copy", "N/data: Bound, N-a"],
        ],
        left: &[
            "N-a: Released, Delete, of the former N/data",
            "N-a: Available, Retain, for N/data",
            "N-b: Available, Retain, for N/data",
            "N-b: Released, Retain, of the former N/data",
            "N/copy: Pending, ",
            "N/data: Pending, ",
        ],
        meant: &[("N", "data"), ("N", "copy")],
        volumes: &["a", "b"],
        ..NONE
    },
    Repair {
        name: "undo",
        words: &["undo"],
        begin: |place| {
            place.namespace(&format!("{}-to", place.name));
            place.bound("data", "a", "Delete");
        },
        before: MOVED,
        goal: AT_HOME,
        undone: &[AT_HOME, AT_HOME_KEPT],
        left: LEFT_BY_MOVE,
        meant: &[("N", "data"), ("N-to", "data")],
        claims: &[("N-to", "data")],
        ..NONE
    },
    Repair {
        name: "rename",
        words: &["rename", "pvc/data", "archive"],
        begin: |place| place.bound("data", "a", "Delete"),
        before: AT_HOME,
        goal: &["N-a: Bound, Retain, of N/archive", "N/archive: Bound, N-a"],
        undone: &[AT_HOME, AT_HOME_KEPT],
        left: &[
            "N-a: Released, Delete, of the former N/data",
            "N-a: Released, Retain, of the former N/data",
            "N-a: Released, Retain, of the former N/archive",
            "N-a: Available, Retain, for N/data",
            "N-a: Available, Retain, for N/archive",
            "N/data: Pending, ",
            "N/archive: Pending, ",
        ],
        meant: &[("N", "data"), ("N", "archive")],
        ..NONE
    },
    // The claim requests more than the capacity of its reserved volume.
    Repair {
        name: "recreate",
        words: &["recreate", "pvc/data", "--set", "size=1Gi"],
        begin: |place| {
            reserved(place, "Delete", "data");
            let mut large = place.manifest(&place.name, "data");
            large["spec"]["resources"]["requests"]["storage"] = json!("100Gi");
            place.site.put(&large);
            place.claim_is("data", "Pending, ");
        },
        before: &["N-a: Available, Delete, for N/data", "N/data: Pending, "],
        goal: AT_HOME_KEPT,
        undone: &[
            &["N-a: Released, Retain, of the former N/data", "N/data: Pending, "],
            &["N-a: Available, Retain, for N/data", "N/data: Pending, "],
        ],
        ..NONE
    },
    // The claim names a class that does not exist, and any claim may take the volume.
    Repair {
        name: "recreate class",
        words: &["recreate", "pvc/data", "--set", "class=N"],
        begin: |place| {
            place.volume("a", "Retain");
            let mut wrong = place.manifest(&place.name, "data");
            wrong["spec"]["storageClassName"] = json!(format!("{}-none", place.name));
            place.site.put(&wrong);
            place.claim_is("data", "Pending, ");
        },
        before: &["N-a: Available, Retain, of nobody", "N/data: Pending, "],
        goal: AT_HOME_KEPT,
        undone: &[&["N-a: Released, Retain, of the former N/data", "N/data: Pending, "]],
        intercepted: &[
            (Actor::Stranger, &[&["N-a: Bound, Retain, of N-x/takes-N-a", "N/data: Pending, "]]),
            (Actor::Scheduler, &[&["N-a: Bound, Retain, of N-x/waits-for-N-a", "N/data: Pending, "]]),
        ],
        meant: &[("N", "data"), ("N-x", "takes-N-a"), ("N-x", "waits-for-N-a")],
        ..NONE
    },
    Repair {
        name: "retain",
        words: &["retain", "pv/N-a"],
        begin: |place| place.bound("data", "a", "Delete"),
        before: AT_HOME,
        goal: AT_HOME_KEPT,
        undone: &[AT_HOME],
        left: &["N-a: Released, Delete, of the former N/data", "N-a: Released, Retain, of the former N/data"],
        ..NONE
    },
    // The volume is reserved for a misspelt claim name.
    Repair {
        name: "unbind",
        words: &["unbind", "pv/N-a", "--reserve-for", "N/data"],
        begin: |place| {
            reserved(place, "Retain", "dta");
            place.claim_in(&place.name, "data");
            place.claim_is("data", "Pending, ");
        },
        before: &["N-a: Available, Retain, for N/dta", "N/data: Pending, "],
        goal: AT_HOME_KEPT,
        undone: &[],
        left: &[
            "N-a: Available, Retain, for N/data",
            "N-a: Released, Retain, of the former N/data",
            "N-a: Bound, Retain, of N/dta",
            "N/dta: Bound, N-a",
            "N/dta: Pending, ",
        ],
        meant: &[("N", "data"), ("N", "dta")],
        ..NONE
    },
    Repair {
        name: "reclaim",
        words: &["reclaim", "pv/N-a", "--delete"],
        typed: Some("N-a"),
        begin: |place| place.left("data", "a", "Retain"),
        before: LEFT,
        goal: LEFT_TO_DELETION,
        intercepted: &[(Actor::Driver, &[&[]])],
        left: &["N/data: Pending, "],
        is_deletion: true,
        ..NONE
    },
    // The volume was applied again, without the uid of its claim.
    Repair {
        name: "restore lost",
        words: &["restore", "pvc/data"],
        begin: |place| {
            place.bound("data", "a", "Delete");
            place.site.edit(PV, "", &place.of("a"), |volume| volume["spec"]["claimRef"]["uid"] = json!(null));
            place.claim_is("data", &format!("Lost, {}", place.of("a")));
            place.volume_is("a", &format!("Available, Delete, for {}/data", place.name));
        },
        before: &["N-a: Available, Delete, for N/data", "N/data: Lost, N-a"],
        goal: AT_HOME_KEPT,
        undone: &[&["N-a: Available, Retain, for N/data", "N/data: Lost, N-a"]],
        left: &[
            "N-a: Available, Delete, for N/data",
            "N-a: Available, Retain, for N/data",
            "N-a: Released, Retain, of the former N/data",
        ],
        ..NONE
    },
    // The claim is being deleted. A finalizer of an owner that is gone keeps it.
    Repair {
        name: "unfinalize",
        words: &["unfinalize", "pvc/data", "example.com/backup"],
        typed: Some("data"),
        begin: |place| {
            place.bound("data", "a", "Delete");
            place.site.edit(PVC, &place.name, "data", |claim| {
                claim["metadata"]["finalizers"] = json!(["example.com/backup"]);
            });
            place.site.delete(PVC, &place.name, "data");
            place.claim_is("data", &format!("Bound, {}, going", place.of("a")));
        },
        before: KEPT_BY_FINALIZER,
        goal: LEFT,
        // With the former policy Delete, the data would be deleted with the claim. So Retain stays.
        undone: &[&["N-a: Bound, Retain, of N/data", "N/data: Bound, N-a, going"]],
        left: &["N/data: Pending, "],
        ..NONE
    },
    // The node is gone, and the volume is still attached to it. Nobody acts as the attacher, unless an actor does.
    Repair {
        name: "detach",
        words: &["detach", "va/N-held", "--machine-off", "N-node"],
        begin: |place| {
            place.bound("data", "a", "Delete");
            place.attached("held", "a", "node");
        },
        before: &["N-a: Bound, Delete, of N/data", "N-held: attached to N-node", "N/data: Bound, N-a"],
        goal: &["N-a: Bound, Delete, of N/data", "N-held: attached to N-node, going", "N/data: Bound, N-a"],
        intercepted: &[(
            Actor::Detacher,
            &[&["N-a: Bound, Delete, of N/data", "N-held: attached to N-node, going", "N/data: Bound, N-a"], AT_HOME],
        )],
        left: &["N-a: Released, Delete, of the former N/data"],
        ..NONE
    },
    // A node that does not exist is selected for the claim.
    Repair {
        name: "reschedule",
        words: &["reschedule", "pvc/data"],
        begin: |place| place.selected("data", "node"),
        before: &["N/data: Pending, , on N-node"],
        goal: &["N/data: Pending, "],
        volumes: &[],
        meant: &[],
        ..NONE
    },
];

/// Creates a volume that is reserved for a claim of that name.
fn reserved(place: &Place<'_>, policy: &str, claim: &str) {
    place.volume("a", policy);
    place.site.edit(PV, "", &place.of("a"), |volume| {
        volume["spec"]["claimRef"] = json!({"namespace": place.name, "name": claim});
    });
    place.volume_is("a", &format!("Available, {policy}, for {}/{claim}", place.name));
}
