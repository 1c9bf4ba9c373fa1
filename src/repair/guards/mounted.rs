//! The guard against pods that still use the volume of a deleted claim. There are such pods if somebody removed the
//! finalizer or the object of the claim while pods used it. For volumes without attachments, such as NFS or a local
//! path, only the pods show that the volume is mounted.

use super::{Guard, Holds, uses};
use crate::model::{Kind, Pod, PodPhase, Timestamp};
use crate::repair::situation::{Known, Situation};

/// Returns whether a pod may still have the volume of the claim mounted. A pod that is not scheduled only waits for the
/// claim. A pod that has ended does not write any more. If another claim has the name now, `before` is the creation
/// time of that other claim. Pods that are not older than the other claim use the volume of the other claim.
pub fn mounts(pod: &Pod, claim: &str, before: Option<Timestamp>) -> bool {
    let younger = pod.meta.created.zip(before).is_some_and(|(created, before)| created >= before);
    uses(pod, claim) && !matches!(pod.phase, PodPhase::Failed | PodPhase::Succeeded) && !younger
}

/// Checks that no pod has the volume of a deleted claim mounted. Otherwise such a pod and another claim that gets the
/// volume could write to it at the same time. So the guard does not hold if the pods could not be listed.
pub(super) fn unmounted(situation: &Situation<'_>, namespace: &str, name: &str, before: Option<Timestamp>) -> Guard {
    const ID: &str = "unmounted";
    let another = matches!(situation.claim(namespace, name), Known::There(_));
    let snapshot = situation.snapshot;
    let users = snapshot.pods_of(namespace, name).filter(|pod| mounts(pod, name, before));
    let users: Vec<&str> = users.map(|pod| pod.meta.name.as_str()).collect();
    if !users.is_empty() {
        let users = users.join(", ");
        let said = if another {
            format!(
                "claim {namespace}/{name} is not the claim that had the volume, and pods that may be older than it may \
                 still use the volume: {users}; stop what runs them first"
            )
        } else {
            format!(
                "claim {namespace}/{name} is gone, and pods still use its volume: {users}; stop what runs them first"
            )
        };
        return Guard::new(ID, Holds::No, said);
    }
    let which = if another { "an earlier claim" } else { "claim" };
    if !situation.knows_all(Kind::Pod, namespace) {
        return Guard::new(
            ID,
            Holds::No,
            format!(
                "the pods of namespace {namespace} could not be listed, so nobody knows which pods still use the \
                 volume of {which} {name}, which is gone"
            ),
        );
    }
    let older = if another { " that is older than the present claim of that name" } else { "" };
    Guard::new(
        ID,
        Holds::Yes,
        format!("no running pod{older} uses the volume of {which} {namespace}/{name}, which is gone"),
    )
}
