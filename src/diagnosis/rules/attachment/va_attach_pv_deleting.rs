//! This rule reports a volume that should be attached to a node although it is being deleted.

use super::{detach, pods_of, refused_for_deletion, with_error, with_state};
use crate::controllers::persistent_volume::reclaim::leaves_storage_behind;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::pod::facts::{is_starting, pod_key};
use crate::diagnosis::remedy::{by_hand, describe, retain};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::surroundings::VolumeAttachment;
use crate::model::{Kind, Pod};

pub(super) static RULE: Rule = Rule {
    id: "va-attach-pv-deleting",
    title: "a volume that is being deleted cannot be attached",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::PersistentVolume],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "A pod stays in ContainerCreating. Its VolumeAttachment has `attached: false`, and \
               `status.attachError` says that the PersistentVolume is marked for deletion.",
        why: "The attacher refuses every volume that has a `deletionTimestamp`, and a deletion cannot be undone. While \
              the claim is Bound, the volume still exists, and pods that already use it continue to work. But the \
              volume can no longer be attached to another node, or again to the same node after it was detached.",
        confirm: "kubectl get volumeattachment NAME -o jsonpath='{.status.attachError.message}'\n\
                  kubectl get pv VOLUME -o jsonpath='{.metadata.deletionTimestamp} \
                  {.spec.persistentVolumeReclaimPolicy}'",
        repair: "The PersistentVolume has to be deleted and created again, and its data have to be kept. Set policy \
                 Retain, save the YAML of the volume, stop the pods, and delete the claim. Wait until the \
                 PersistentVolume is gone. Create it again with the same handle, and with a `claimRef` that names the \
                 claim without a uid. Then create the claim again. If nobody needs the data, delete the pod and the \
                 claim.",
        prevention: "To delete a volume, delete its claim. Never delete a volume that is Bound.",
        hazard: "With policy Delete the data are destroyed as soon as the claim is deleted, so Retain comes first.",
        sources: &["csiAttach, external-attacher 4.12", "kubernetes-csi/external-attacher#66", "longhorn/longhorn#834"],
    },
    detect: Detect::Attachment(detect),
};

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    let volume = refused_for_deletion(case, attachment)?;
    let (name, node) = (&volume.meta.name, &attachment.node_name);
    let destroys = case.destroys(volume) && !leaves_storage_behind(case.behavior(), volume);
    let policy = volume.reclaim_policy.as_str();
    let prospect =
        if destroys { format!(". Policy {policy} destroys its data when its claim is deleted") } else { String::new() };
    let message = format!(
        "{} is being deleted, so {} refuses to attach it to node {node}. No pod can start with the volume \
         on that node any more{prospect}",
        mention(&volume_key(name)),
        attachment.attacher
    );
    let since = volume.meta.deleted.max(attachment.meta.created);
    let is_here = |pod: &&&Pod| pod.node_name == *node && is_starting(pod);
    let pods = pods_of(case, volume);
    let found = with_error(with_state(Detection::new(message), attachment), attachment);
    let found = pods.iter().filter(is_here).fold(found, |found, pod| found.affects(pod_key(pod)));
    Some(
        found
            .risk(if destroys { Risk::Possible } else { Risk::None })
            .since(since)
            .evidence(
                &volume_key(name),
                "metadata.deletionTimestamp",
                volume.meta.deleted.map(|moment| moment.to_string()).unwrap_or_default(),
            )
            .evidence(&volume_key(name), "spec.persistentVolumeReclaimPolicy", policy)
            .follows_from(volume_key(name), Act::Delete)
            .remedies(retain(volume))
            .remedy(describe(&volume_key(name), "see what keeps the volume, and save its YAML before anything else"))
            .remedy(by_hand(
                "decide whether to keep the data: the volume must be deleted and created again before a pod can use \
                 it; until then delete the waiting pod, or let it wait",
            ))
            .remedy(detach(
                attachment,
                "if no pod needs the volume on this node any more: delete the VolumeAttachment; this changes no data",
            )),
    )
}
