//! The ways to delete a claim and its volume. Each has the actions of people in order, and the risk for the data after
//! each action.

use super::actors::Storage;

/// What happens to the data if nobody does anything more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Risk {
    /// The data stay.
    None,
    /// The data stay until somebody removes the object or finalizer that keeps them. Nobody expects that such a removal
    /// deletes data.
    Possible,
    /// The data are deleted.
    Imminent,
}

/// An action of a person.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    DeleteClaim,
    /// Deletes the first pod of the claim that is not deleted yet, with its grace period.
    DeletePod,
    DeleteVolume,
    DeleteNamespace,
    /// Sets the policy of the volume to Retain.
    SetRetain,
    /// Creates a claim of the same name.
    RecreateClaim,
    /// Creates a claim of the same name that names the volume.
    RecreateNamedClaim,
    /// Removes the finalizers from the claim.
    RemoveFinalizers,
    /// The owner of the foreign finalizer removes it from the claim.
    RemoveForeignFinalizer,
}

/// The nodes. One is live, one does not answer for a while, one has the taint out-of-service, and one was removed a
/// moment ago. `NO_NODE` means that the pod has no node.
pub(super) const LIVE: &str = "live";
pub(super) const UNREACHABLE: &str = "dead";
pub(super) const OUT_OF_SERVICE: &str = "out";
pub(super) const REMOVED: &str = "removed";
pub(super) const NO_NODE: &str = "";

/// A way of deleting a claim and its volume.
#[derive(Clone, Copy)]
pub(super) struct DeletionCase {
    pub(super) name: &'static str,
    pub(super) storage: Storage,
    pub(super) policy: &'static str,
    /// The pods that use the claim, each with its node and phase.
    pub(super) pods: &'static [(&'static str, &'static str)],
    /// The actions, each with the risk after it.
    pub(super) actions: &'static [(Action, Risk)],
    /// Whether the first action on every claim of this case is done in the first step. Otherwise the claims start in
    /// different steps.
    pub(super) starts_at_once: bool,
}

use Action::{
    DeleteClaim, DeleteNamespace, DeletePod, DeleteVolume, RecreateClaim, RecreateNamedClaim, RemoveFinalizers,
    RemoveForeignFinalizer, SetRetain,
};
use Risk::{Imminent, None, Possible};
use Storage::{Away, Driver, HandMade, HostPath, Unguarded};

const fn deletion_case(
    name: &'static str,
    storage: Storage,
    pods: &'static [(&'static str, &'static str)],
    actions: &'static [(Action, Risk)],
) -> DeletionCase {
    DeletionCase { name, storage, policy: "Delete", pods, actions, starts_at_once: false }
}

/// Returns a case whose policy is Retain from the beginning.
const fn kept(
    name: &'static str,
    storage: Storage,
    pods: &'static [(&'static str, &'static str)],
    actions: &'static [(Action, Risk)],
) -> DeletionCase {
    DeletionCase { policy: "Retain", ..deletion_case(name, storage, pods, actions) }
}

const fn starts_at_once(deletion_case: DeletionCase) -> DeletionCase {
    DeletionCase { starts_at_once: true, ..deletion_case }
}

const RUNS: (&str, &str) = (LIVE, "Running");

/// The name of the case in which the claims have a finalizer of another owner.
pub(super) const HELD: &str = "held";

pub(super) const CASES: &[DeletionCase] = &[
    // Nothing keeps the claim.
    deletion_case("unused", Driver, &[], &[(DeleteClaim, Imminent)]),
    deletion_case("unscheduled", Driver, &[(NO_NODE, "Pending")], &[(DeleteClaim, Imminent)]),
    deletion_case("released", Away, &[], &[(DeleteClaim, Imminent)]),
    // Pods run, end, or have ended.
    deletion_case("running", Driver, &[RUNS], &[(DeleteClaim, Possible)]),
    deletion_case("leaving", Driver, &[RUNS], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    deletion_case("left-first", Driver, &[RUNS], &[(DeletePod, None), (DeleteClaim, Imminent)]),
    deletion_case(
        "two-pods",
        Driver,
        &[RUNS, RUNS],
        &[(DeleteClaim, Possible), (DeletePod, Possible), (DeletePod, Imminent)],
    ),
    deletion_case("completed", Driver, &[(LIVE, "Succeeded")], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    deletion_case("failed", Away, &[(LIVE, "Failed")], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    deletion_case("finished", Driver, &[(LIVE, "Succeeded")], &[(DeleteClaim, Possible)]),
    deletion_case("stripped", Driver, &[RUNS], &[(DeleteClaim, Possible), (RemoveFinalizers, Imminent)]),
    deletion_case(HELD, Driver, &[], &[(DeleteClaim, Possible), (RemoveForeignFinalizer, Imminent)]),
    // Nodes do not answer, are out of service, or were removed.
    deletion_case("dead-node", Driver, &[(UNREACHABLE, "Running")], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    deletion_case(
        "dead-node-first",
        Driver,
        &[(UNREACHABLE, "Running")],
        &[(DeletePod, None), (DeleteClaim, Imminent)],
    ),
    deletion_case(
        "out-of-service",
        Driver,
        &[(OUT_OF_SERVICE, "Running")],
        &[(DeletePod, None), (DeleteClaim, Imminent)],
    ),
    starts_at_once(deletion_case(
        "node-removed",
        Driver,
        &[(REMOVED, "Running")],
        &[(DeletePod, None), (DeleteClaim, Imminent)],
    )),
    starts_at_once(deletion_case("node-removed-running", Driver, &[(REMOVED, "Running")], &[(DeleteClaim, Imminent)])),
    // The volume is deleted as well, before or after the claim.
    deletion_case("volume-first", Driver, &[], &[(DeleteVolume, Possible), (DeleteClaim, Imminent)]),
    deletion_case(
        "volume-first-in-use",
        Driver,
        &[RUNS],
        &[(DeleteVolume, Possible), (DeleteClaim, Possible), (DeletePod, Imminent)],
    ),
    deletion_case(
        "volume-later",
        Driver,
        &[RUNS],
        &[(DeleteClaim, Possible), (DeleteVolume, Possible), (DeletePod, Imminent)],
    ),
    deletion_case("volume-released", Away, &[], &[(DeleteClaim, Imminent), (DeleteVolume, Imminent)]),
    // The driver has set no finalizer on the volume. So its storage is left behind.
    deletion_case("left-behind", Unguarded, &[], &[(DeleteVolume, None), (DeleteClaim, None)]),
    // The storage is of another kind.
    deletion_case("host-path", HostPath, &[RUNS], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    deletion_case("hand-made", HandMade, &[RUNS], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    // The claim is deleted and created again.
    deletion_case("anew", Away, &[], &[(DeleteClaim, Imminent), (RecreateClaim, Imminent)]),
    deletion_case("anew-named", Away, &[], &[(DeleteClaim, Imminent), (RecreateNamedClaim, Imminent)]),
    // The namespace is deleted. Its pods end, or stay for a while.
    starts_at_once(deletion_case("homeless", Driver, &[RUNS], &[(DeleteNamespace, Imminent)])),
    starts_at_once(deletion_case(
        "homeless-dead-node",
        Driver,
        &[(UNREACHABLE, "Running")],
        &[(DeleteNamespace, Imminent)],
    )),
    // The policy is set to Retain in time.
    deletion_case("saved-running", Driver, &[RUNS], &[(DeleteClaim, Possible), (SetRetain, None)]),
    deletion_case(
        "saved-leaving",
        Driver,
        &[(UNREACHABLE, "Running")],
        &[(DeleteClaim, Possible), (DeletePod, Imminent), (SetRetain, None)],
    ),
    deletion_case("saved-released", Away, &[], &[(DeleteClaim, Imminent), (SetRetain, None)]),
    deletion_case(
        "volume-first-saved",
        Away,
        &[],
        &[(DeleteVolume, Possible), (DeleteClaim, Imminent), (SetRetain, None)],
    ),
    // The data are never in danger.
    deletion_case("untouched", Driver, &[RUNS], &[]),
    kept("retained", Driver, &[], &[(DeleteClaim, None)]),
    kept("retained-leaving", Driver, &[RUNS], &[(DeleteClaim, None), (DeletePod, None)]),
    kept("retained-completed", HostPath, &[(LIVE, "Succeeded")], &[(DeleteClaim, None), (DeletePod, None)]),
    kept("retained-anew", Away, &[], &[(DeleteClaim, None), (RecreateClaim, None)]),
];
