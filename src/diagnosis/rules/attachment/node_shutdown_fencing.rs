//! This rule reports a node that is not ready and keeps volumes for which pods on other nodes wait.

use super::{age, attachment_key, is_exclusive, out_of_service, pods_of, volume_words};
use crate::diagnosis::attaching::is_silent;
use crate::diagnosis::mention::mention;
use crate::diagnosis::pod::facts::{is_starting, pod_key};
use crate::diagnosis::remedy::{self, describe};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::surroundings::VolumeAttachment;
use crate::model::{Kind, Node, Pod};

pub(super) static RULE: Rule = Rule {
    id: "node-shutdown-fencing",
    title: "pods on other nodes wait for volumes of a node that is not ready",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::Node, Kind::VolumeAttachment, Kind::PersistentVolume, Kind::PersistentVolumeClaim, Kind::Pod],
    hinders: &[Act::Detach],
    repairs: &[],
    page: Page {
        seen: "A node is NotReady. Its pods stay Terminating, and their replacements on other nodes stay in \
               ContainerCreating with a Multi-Attach error.",
        why: "Only the kubelet of the node can stop the pods and unmount their volumes, and it does not answer. \
              kube-controller-manager detaches a volume by force six minutes after its pods are gone. But a pod whose \
              kubelet does not answer stays Terminating, so these six minutes do not begin. If an administrator states \
              with the taint `node.kubernetes.io/out-of-service` that the machine is off, the pods are removed and the \
              volumes are detached at once.",
        confirm: "kubectl describe node NODE\n\
                  kubectl get volumeattachments | grep NODE\n\
                  kubectl get pods -A -o wide --field-selector spec.nodeName=NODE",
        repair: "Find out whether the machine is off. If it can be started again, start it: its kubelet then stops the \
                 pods and unmounts the volumes. If it is off and stays off, set the taint \
                 `node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`, and remove the taint after the machine is \
                 back.",
        prevention: "Drain a node before it is shut down. Use a controller that proves that a machine is off before \
                     it sets the taint.",
        hazard: "A machine that still runs may still write, even if it is cut off from the network. If you set the \
                 taint then, a second node writes to the same disk. This destroys its file system. Deleting the pods \
                 by force has the same danger.",
        sources: &[
            "https://kubernetes.io/docs/concepts/cluster-administration/node-shutdown/#non-graceful-node-shutdown",
            "hasOutOfServiceTaint, forceDetach: pkg/controller/volume/attachdetach/reconciler, Kubernetes 1.36",
            "kubernetes/enhancements#1116",
            "kubernetes/kubernetes#65392",
        ],
    },
    detect: Detect::Node(detect),
};

fn detect(case: &Case<'_>, node: &Node) -> Option<Detection> {
    if !node.is_not_ready() || node.is_out_of_service() {
        return None;
    }
    let ready = node.readiness()?;
    let name = &node.meta.name;
    let held = case.snapshot().all::<VolumeAttachment>().iter().filter(|attachment| attachment.node_name == *name);
    let waiting: Vec<(&VolumeAttachment, &Pod)> = held.filter_map(|held| Some((held, waits(case, held)?))).collect();
    let (attachment, pod) = *waiting.first()?;
    let others = match waiting.len() {
        1 => String::new(),
        several => format!(" ({several} pods wait for volumes of this node)"),
    };
    let since = ready.since;
    let found = Detection::new(format!(
        "{} has been NotReady for {}, so the kubelet there cannot unmount {}. Pod {}/{} on node {} waits for that \
         volume{others}",
        mention(&case.object()),
        age(case, since),
        volume_words(attachment),
        pod.meta.namespace,
        pod.meta.name,
        pod.node_name
    ))
    .early_if(case.may_heal(since)?)
    .since(since)
    .evidence(&case.object(), "status.conditions[Ready].status", ready.status.as_str())
    .evidence(&case.object(), "status.conditions[Ready].message", ready.message.as_str())
    .evidence(&attachment_key(attachment), "status.attached", "true");
    let found = waiting.iter().fold(found, |found, (_, pod)| found.affects(pod_key(pod)));
    let alone = waiting.iter().find(|(held, _)| is_unused(case, held, node)).map(|(held, _)| {
        let does = format!(
            "if the machine of {name} is certainly off, and only this volume is to be detached, which no pod on the node \
             needs any more"
        );
        remedy::detach(held, does)
    });
    Some(
        found.remedy(out_of_service(name)).remedies(alone).remedy(describe(
            &case.object(),
            "see for how long the kubelet has not answered, and start the machine again",
        )),
    )
}

/// Returns whether the node does not answer, does not list the attached volume as mounted, and no pod there needs it.
fn is_unused(case: &Case<'_>, held: &VolumeAttachment, node: &Node) -> bool {
    let Some(volume) = case.volume(&held.volume_name) else { return false };
    let needs = |pod: &&Pod| pod.node_name == node.meta.name && !pod.terminated();
    is_silent(node)
        && !pods_of(case, volume).iter().any(needs)
        && case.survey().attachments().is_mounted(node, volume) == Some(false)
}

/// Returns a pod on another node that waits for the attached volume. Returns None if the volume is not attached, or if
/// several nodes may use it at the same time.
fn waits<'a>(case: &Case<'a>, held: &VolumeAttachment) -> Option<&'a Pod> {
    let volume = case.volume(&held.volume_name).filter(|volume| held.attached && is_exclusive(volume))?;
    let claim = volume.claim_ref.as_ref()?;
    let mut users = case.snapshot().pods_of(&claim.namespace, &claim.name);
    users.find(|pod| is_starting(pod) && pod.meta.deleted.is_none() && pod.node_name != held.node_name)
}
