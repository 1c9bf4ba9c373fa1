//! This rule reports a claim whose volume has been expanded, but whose file system has not.

use super::{Sizes, lasts};
use crate::controllers::resizer::ResizeStage;
use crate::controllers::resizing::{FILE_SYSTEM_PENDING, NODE_ERROR, progress, true_condition};
use crate::diagnosis::case::PATIENCE;
use crate::diagnosis::mention::volume_of;
use crate::diagnosis::pod::facts::has_mounted;
use crate::diagnosis::remedy::{by_hand, describe};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolumeClaim, Pod, VolumeMode};
use crate::text::human_age;

/// The number of seconds for which it is normal that no pod uses a claim.
const LONG: i64 = 3_600;

pub(super) static RULE: Rule = Rule {
    id: "resize-fs-pending",
    title: "the volume was expanded, but its file system was not",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::PersistentVolume, Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume has the new CAPACITY and the claim the old one. The claim has the condition \
               `FileSystemResizePending`, whose message says that a pod has to be started again.",
        why: "In the second step of an expansion, the kubelet of a node on which a pod uses the volume expands the \
              file system. Most drivers do this while the pod runs, and some only when the volume is mounted. The step \
              does not happen if no pod uses the claim, if all pods use it with `readOnly: true`, or if the driver's \
              component on that node does not run or does not answer. It can also fail: then the condition `NodeResizeError` and events of the kubelet report the \
              error.",
        confirm: "kubectl get pvc NAME -n NAMESPACE -o jsonpath='{.status.conditions} \
                  {.status.allocatedResourceStatuses}'\n\
                  kubectl describe pvc NAME -n NAMESPACE\n\
                  kubectl get pods -n NAMESPACE -o wide",
        repair: "If no pod uses the claim, start a pod: nothing else is needed. If a pod runs, check the driver's pod \
                 on that node, and the events of the pod. A restart of the pod mounts the volume again, which helps in \
                 most cases.",
        prevention: "Run the same version of the driver on all nodes, and a version that can expand volumes in use.",
        hazard: "None: the data are not changed, and the volume already has the larger size. Do not delete the claim \
                 to begin again. While a node fails to enlarge a file system, new pods there may fail to mount it.",
        sources: &[
            "expandVolumeDuringMount, NodeExpander.expandOnPlugin, kubelet 1.36",
            "markForPendingNodeExpansion, external-resizer",
            "kubernetes/kubernetes#131402",
            "kubernetes/kubernetes#115124",
            "apecloud/kubeblocks#5711",
        ],
    },
    detect: Detect::Claim(detect),
};

fn detect(case: &Case<'_>, claim: &PersistentVolumeClaim) -> Option<Detection> {
    let sizes = Sizes::of(case, claim)?;
    if sizes.capacity.compare(&sizes.has).is_le() {
        return None;
    }
    let stage = ResizeStage::of(claim);
    let (pending, error) = (true_condition(claim, FILE_SYSTEM_PENDING), true_condition(claim, NODE_ERROR));
    let failed = error.is_some() || stage == Some(ResizeStage::NodeInfeasible);
    if pending.is_none() && !failed && !stage.is_some_and(ResizeStage::is_on_node) {
        return None;
    }
    let since = pending.or(error).and_then(|condition| condition.since);
    let (namespace, name) = (&claim.meta.namespace, &claim.meta.name);
    let users = case.snapshot().pods_of(namespace, name).filter(|pod| is_on_node(pod));
    let (readers, writers): (Vec<&Pod>, Vec<&Pod>) = users.partition(|pod| only_reads(pod, name));
    // A pod that waits for its volume may wait because the expansion has failed.
    let is_user = |pod: &&&Pod| failed || has_mounted(pod);
    let user = writers.iter().find(is_user).copied();
    // The node can act only after a pod that uses the claim was created.
    let asked = match writers.iter().map(|pod| pod.meta.created).min() {
        Some(first) => since.max(first),
        None => since,
    };
    let waited = case.seconds_since(asked);
    // The node also needs time. Without a timestamp, it is unknown how much time has passed.
    if !writers.is_empty() && !failed && waited.is_none_or(|waited| waited < PATIENCE) || !lasts(case) {
        return None;
    }
    let volume = volume_of(&case.object(), &sizes.volume.meta.name);
    let what = if claim.mode() == VolumeMode::Block { "the device on the node" } else { "its file system" };
    let grown = format!("{volume} has {}, but {what} still has {}", sizes.capacity, sizes.has);
    let found = match (user, writers.first()) {
        (None, Some(pod)) => Detection::new(format!(
            "{grown}. Node {} expands it when it mounts the volume for pod {}, and has not mounted it yet",
            pod.node_name, pod.meta.name
        )),
        (None, None) if !case.knows_all(Kind::Pod, namespace) => return None,
        (None, None) if !readers.is_empty() => Detection::new(format!(
            "{grown}. The kubelet does not expand it for a pod that has readOnly: true for the claim, and no other pod uses \
             it now"
        )),
        (None, None) if stage == Some(ResizeStage::NodeInfeasible) => Detection::new(format!(
            "{grown}. A node has failed to expand it. The next attempt happens when the resizer has acted again and a pod \
             uses the claim, and no pod uses it now"
        )),
        (None, None) if failed => Detection::new(format!(
            "{grown}. A node has failed to expand it. The next attempt happens when a pod uses the claim, and no pod \
             uses it now"
        )),
        // A claim may be unused between two pods. If it is unused for long, somebody may wait for the requested size.
        (None, None) => {
            Detection::new(format!("{grown}. The kubelet expands it when a pod uses the claim, and no pod uses it now"))
                .severity(if waited.is_some_and(|waited| waited >= LONG) { Severity::Warning } else { Severity::Info })
        }
        (Some(pod), _) => {
            let node = &pod.node_name;
            let mounted_later = pod.meta.created.zip(since).is_some_and(|(created, since)| created > since);
            let how = match waited {
                _ if failed => {
                    format!(
                        "Node {node}, where pod {} uses the volume, has tried and failed to expand it",
                        pod.meta.name
                    )
                }
                Some(waited) if mounted_later => format!(
                    "Node {node} should have expanded it when it mounted the volume for pod {}, which has existed for \
                     {}",
                    pod.meta.name,
                    human_age(waited)
                ),
                Some(waited) => format!(
                    "Node {node}, where pod {} uses the volume, has not expanded it for {}",
                    pod.meta.name,
                    human_age(waited)
                ),
                None => format!("Node {node}, where pod {} uses the volume, has not expanded it", pod.meta.name),
            };
            Detection::new(format!("{grown}. {how}. The data are not affected"))
        }
    };
    let found = sizes
        .told(found, case)
        .since(since)
        .evidence(&case.object(), "status.allocatedResourceStatuses.storage", progress(claim))
        .evidence(
            &case.object(),
            "status.conditions[type=FileSystemResizePending].lastTransitionTime",
            since.map(|moment| moment.to_string()).unwrap_or_default(),
        );
    let Some(pod) = user.or_else(|| writers.first().copied()) else {
        let without = if readers.is_empty() { "" } else { " without readOnly" };
        return Some(found.remedy(by_hand(format!("start a pod that uses claim {namespace}/{name}{without}"))));
    };
    let pod_key = key(Kind::Pod, namespace, &pod.meta.name);
    Some(
        found
            .evidence(&pod_key, "spec.nodeName", pod.node_name.as_str())
            .remedy(describe(&case.object(), "see what the kubelet says in its events FileSystemResizeFailed"))
            .remedy(describe(&pod_key, "see what the kubelet says about the volume"))
            .remedy(by_hand(format!(
                "check that the driver's pod on node {} runs; then restart pod {}, so that the volume is mounted again",
                pod.node_name, pod.meta.name
            ))),
    )
}

/// Returns whether the pod has `readOnly: true` for the claim of this name. If the pod uses the claim in several
/// volumes, the last one decides. The claim of an ephemeral volume can always be written to. Upstream:
/// `AddPodToVolume`, `pkg/kubelet/volumemanager/cache`, 1.36.
fn only_reads(pod: &Pod, claim: &str) -> bool {
    pod.claims.iter().rfind(|volume| volume.claim == claim).is_some_and(|volume| volume.read_only)
}

/// Returns whether the pod is on a node and still uses its volumes there.
fn is_on_node(pod: &Pod) -> bool {
    !pod.node_name.is_empty() && !pod.terminated()
}
