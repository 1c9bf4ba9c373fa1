//! The guard against pods that still use the volume of a deleted claim. Such pods exist if somebody removed the
//! finalizer or the object of the claim while pods used it. For volumes without attachments, such as NFS or a local
//! path, only the pods show that the volume is mounted.

use super::{Guard, Holds, uses};
use crate::model::{Kind, Pod, PodPhase, Timestamp};
use crate::repair::situation::{Known, Situation};

/// Returns whether a pod may still have the volume of the claim mounted. An unscheduled pod still waits for the claim.
/// A pod that has ended no longer writes. If another claim has the name now, pods that are not older than that claim
/// use the volume of that claim.
pub fn mounts(pod: &Pod, claim: &str, before: Option<Timestamp>) -> bool {
    let younger = pod.meta.created.zip(before).is_some_and(|(created, before)| created >= before);
    uses(pod, claim) && !matches!(pod.phase, PodPhase::Failed | PodPhase::Succeeded) && !younger
}

/// Checks that no pod has the volume of a deleted claim mounted. If a pod had, another claim that gets the volume would
/// write to it at the same time as the pod. So an unknown answer counts as not holding.
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
                "claim {namespace}/{name} is another one than the volume had, and pods that are not seen to be younger \
                 may still use what the earlier one had: {users}; stop what runs them first"
            )
        } else {
            format!(
                "claim {namespace}/{name} is gone, and pods still use what it had: {users}; stop what runs them first"
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
                "the pods of namespace {namespace} could not be listed, so nobody knows who still uses what {which} {name} \
                 had, which is gone"
            ),
        );
    }
    let older = if another { " and is older than the claim of that name now" } else { "" };
    Guard::new(
        ID,
        Holds::Yes,
        format!("no pod that runs{older} uses what {which} {namespace}/{name} had, which is gone"),
    )
}
