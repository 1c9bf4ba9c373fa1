//! Pods that still use the volume of a claim that is gone: its protection was taken off, or the object was removed from
//! under them. Where nothing attaches a volume, as with NFS or a local path, only the pods tell that it is mounted.

use super::{Guard, Holds, uses};
use crate::model::{Kind, Pod, PodPhase};
use crate::repair::situation::Situation;

/// Whether a pod may have the volume mounted that the claim had. One without a node waits for the claim; of one that
/// has ended no process writes any more.
pub fn mounts(pod: &Pod, claim: &str) -> bool {
    uses(pod, claim) && !matches!(pod.phase, PodPhase::Failed | PodPhase::Succeeded)
}

/// Whether no pod has the volume mounted that a claim had which is gone. Whoever gets it would write beside that pod,
/// so that what is unknown does not hold either.
pub(super) fn unmounted(situation: &Situation<'_>, namespace: &str, name: &str) -> Guard {
    const ID: &str = "unmounted";
    let snapshot = situation.snapshot;
    let users = snapshot.pods_of(namespace, name).filter(|pod| mounts(pod, name));
    let users: Vec<&str> = users.map(|pod| pod.meta.name.as_str()).collect();
    if !users.is_empty() {
        return Guard::new(
            ID,
            Holds::No,
            format!(
                "claim {namespace}/{name} is gone, and pods still use what it had: {}; stop what runs them first",
                users.join(", ")
            ),
        );
    }
    if !situation.knows_all(Kind::Pod, namespace) {
        return Guard::new(
            ID,
            Holds::No,
            format!(
                "the pods of namespace {namespace} could not be listed, so nobody knows who still uses what claim {name} \
                 had, which is gone"
            ),
        );
    }
    Guard::new(ID, Holds::Yes, format!("no pod that runs uses what claim {namespace}/{name} had, which is gone"))
}
