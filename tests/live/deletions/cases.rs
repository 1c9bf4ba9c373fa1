//! The ways in which a claim and its volume are deleted: what people do one after the other, and what that means for
//! the data after each of it.

use super::actors::Storage;

/// What may become of the data if nobody asks for anything more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Danger {
    /// They stay.
    None,
    /// They stay until somebody takes away what keeps them, which nobody would take for a deletion of data.
    Possible,
    /// They go.
    Imminent,
}

/// What somebody does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    DeleteClaim,
    /// The first of the claim's pods that is not deleted yet, with its time to end.
    DeletePod,
    DeleteVolume,
    DeleteNamespace,
    /// The volume gets policy Retain.
    Keep,
    /// A claim of the same name.
    CreateAnew,
    /// The same with the name of the volume.
    CreateAnewNamed,
    /// The finalizers of the claim are taken off.
    Strip,
    /// Whoever holds the claim by a finalizer of its own lets it go.
    LetGo,
}

/// A node by what becomes of it: it lives, it does not answer for a while, it is marked as out of service, it was
/// removed a moment ago, or none was chosen.
pub(super) const LIVE: &str = "live";
pub(super) const DEAD: &str = "dead";
pub(super) const OUT: &str = "out";
pub(super) const REMOVED: &str = "removed";
pub(super) const NOWHERE: &str = "";

/// A way.
#[derive(Clone, Copy)]
pub(super) struct DeletionCase {
    pub(super) name: &'static str,
    pub(super) storage: Storage,
    pub(super) policy: &'static str,
    /// The pods that use the claim: their node and phase.
    pub(super) pods: &'static [(&'static str, &'static str)],
    /// What is done, and what it comes to.
    pub(super) acts: &'static [(Act, Danger)],
    /// All of them begin at once.
    pub(super) together: bool,
}

use Act::{CreateAnew, CreateAnewNamed, DeleteClaim, DeleteNamespace, DeletePod, DeleteVolume, Keep, LetGo, Strip};
use Danger::{Imminent, None, Possible};
use Storage::{Away, Driver, HandMade, HostPath, Unguarded};

const fn course(
    name: &'static str,
    storage: Storage,
    pods: &'static [(&'static str, &'static str)],
    acts: &'static [(Act, Danger)],
) -> DeletionCase {
    DeletionCase { name, storage, policy: "Delete", pods, acts, together: false }
}

/// The same with policy Retain from the beginning.
const fn kept(
    name: &'static str,
    storage: Storage,
    pods: &'static [(&'static str, &'static str)],
    acts: &'static [(Act, Danger)],
) -> DeletionCase {
    DeletionCase { policy: "Retain", ..course(name, storage, pods, acts) }
}

const fn together(course: DeletionCase) -> DeletionCase {
    DeletionCase { together: true, ..course }
}

const RUNS: (&str, &str) = (LIVE, "Running");

/// The name of the way whose claims are held by a finalizer of somebody else.
pub(super) const HELD: &str = "held";

pub(super) const COURSES: &[DeletionCase] = &[
    // Nothing keeps the claim.
    course("unused", Driver, &[], &[(DeleteClaim, Imminent)]),
    course("unscheduled", Driver, &[(NOWHERE, "Pending")], &[(DeleteClaim, Imminent)]),
    course("released", Away, &[], &[(DeleteClaim, Imminent)]),
    // Pods that run, end, or have ended.
    course("running", Driver, &[RUNS], &[(DeleteClaim, Possible)]),
    course("leaving", Driver, &[RUNS], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    course("left-first", Driver, &[RUNS], &[(DeletePod, None), (DeleteClaim, Imminent)]),
    course("two-pods", Driver, &[RUNS, RUNS], &[(DeleteClaim, Possible), (DeletePod, Possible), (DeletePod, Imminent)]),
    course("completed", Driver, &[(LIVE, "Succeeded")], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    course("failed", Away, &[(LIVE, "Failed")], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    course("finished", Driver, &[(LIVE, "Succeeded")], &[(DeleteClaim, Possible)]),
    course("stripped", Driver, &[RUNS], &[(DeleteClaim, Possible), (Strip, Imminent)]),
    course(HELD, Driver, &[], &[(DeleteClaim, Possible), (LetGo, Imminent)]),
    // Nodes that do not answer, are marked, and are removed.
    course("dead-node", Driver, &[(DEAD, "Running")], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    course("dead-node-first", Driver, &[(DEAD, "Running")], &[(DeletePod, None), (DeleteClaim, Imminent)]),
    course("out-of-service", Driver, &[(OUT, "Running")], &[(DeletePod, None), (DeleteClaim, Imminent)]),
    together(course("node-removed", Driver, &[(REMOVED, "Running")], &[(DeletePod, None), (DeleteClaim, Imminent)])),
    together(course("node-removed-running", Driver, &[(REMOVED, "Running")], &[(DeleteClaim, Imminent)])),
    // The volume is deleted as well, before and after.
    course("volume-first", Driver, &[], &[(DeleteVolume, Possible), (DeleteClaim, Imminent)]),
    course(
        "volume-first-in-use",
        Driver,
        &[RUNS],
        &[(DeleteVolume, Possible), (DeleteClaim, Possible), (DeletePod, Imminent)],
    ),
    course(
        "volume-later",
        Driver,
        &[RUNS],
        &[(DeleteClaim, Possible), (DeleteVolume, Possible), (DeletePod, Imminent)],
    ),
    course("volume-released", Away, &[], &[(DeleteClaim, Imminent), (DeleteVolume, Imminent)]),
    // Without the finalizer of a driver the storage is left behind.
    course("left-behind", Unguarded, &[], &[(DeleteVolume, None), (DeleteClaim, None)]),
    // Other storage.
    course("host-path", HostPath, &[RUNS], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    course("hand-made", HandMade, &[RUNS], &[(DeleteClaim, Possible), (DeletePod, Imminent)]),
    // Deleted and made anew.
    course("anew", Away, &[], &[(DeleteClaim, Imminent), (CreateAnew, Imminent)]),
    course("anew-named", Away, &[], &[(DeleteClaim, Imminent), (CreateAnewNamed, Imminent)]),
    // With the namespace, whose pods end, or stay for a while.
    together(course("homeless", Driver, &[RUNS], &[(DeleteNamespace, Imminent)])),
    together(course("homeless-dead-node", Driver, &[(DEAD, "Running")], &[(DeleteNamespace, Imminent)])),
    // Kept in time.
    course("saved-running", Driver, &[RUNS], &[(DeleteClaim, Possible), (Keep, None)]),
    course(
        "saved-leaving",
        Driver,
        &[(DEAD, "Running")],
        &[(DeleteClaim, Possible), (DeletePod, Imminent), (Keep, None)],
    ),
    course("saved-released", Away, &[], &[(DeleteClaim, Imminent), (Keep, None)]),
    course("volume-first-saved", Away, &[], &[(DeleteVolume, Possible), (DeleteClaim, Imminent), (Keep, None)]),
    // Never in danger.
    course("untouched", Driver, &[RUNS], &[]),
    kept("retained", Driver, &[], &[(DeleteClaim, None)]),
    kept("retained-leaving", Driver, &[RUNS], &[(DeleteClaim, None), (DeletePod, None)]),
    kept("retained-completed", HostPath, &[(LIVE, "Succeeded")], &[(DeleteClaim, None), (DeletePod, None)]),
    kept("retained-anew", Away, &[], &[(DeleteClaim, None), (CreateAnew, None)]),
];
