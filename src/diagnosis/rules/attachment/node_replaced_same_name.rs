//! This rule reports a volume that is recorded as attached to a node, although another machine has the name of this
//! node now.

use super::{detach, volume_of, with_state};
use crate::diagnosis::case::claim_key;
use crate::diagnosis::case::volume_key;
use crate::diagnosis::mention::mention;
use crate::diagnosis::pod::facts::{is_starting, pod_key};
use crate::diagnosis::remedy::{describe, kubectl, quoted};
use crate::diagnosis::{Act, Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::surroundings::VolumeAttachment;
use crate::model::{AnnotationKey, CsiNode, Kind};

pub(super) static RULE: Rule = Rule {
    id: "node-replaced-same-name",
    title: "the volume is recorded as attached to a node that is another machine now",
    severity: Severity::Error,
    risk: Risk::Possible,
    reads: &[Kind::Pod, Kind::PersistentVolume, Kind::CsiNode],
    hinders: &[Act::Reach],
    repairs: &[],
    page: Page {
        seen: "A pod cannot mount its volume on a node that was installed again under its old name. The \
               VolumeAttachment and the CSINode have the ids of different machines. The VolumeAttachment says \
               `attached: true`, so nobody attaches the volume to the new machine.",
        why: "A VolumeAttachment names a node and not a machine. kube-controller-manager and the attacher treat the \
              volume as attached to the node of this name, although the driver attached it to the machine that had \
              this name before.",
        confirm: "kubectl get volumeattachment NAME -o yaml\n\
                  kubectl get node NODE -o jsonpath='{.metadata.creationTimestamp}'\n\
                  kubectl get csinode NODE -o jsonpath='{.spec.drivers}'",
        repair: "Make sure that the old machine is gone, or that the disk is not attached to it. Then delete the \
                 VolumeAttachment: the attacher detaches the disk, and kube-controller-manager attaches it again.",
        prevention: "Drain a node and delete its Node before its machine is replaced, or give the new machine another \
                     name.",
        hazard: "If the old machine still runs and writes to the disk, detaching the disk destroys the file system.",
        sources: &["csiAttach, syncVA: external-attacher 4.12", "kubernetes/kubernetes#67853"],
    },
    detect: Detect::Attachment(detect),
};

fn detect(case: &Case<'_>, attachment: &VolumeAttachment) -> Option<Detection> {
    if !attachment.attached || attachment.meta.deleted.is_some() {
        return None;
    }
    let attached_to = attachment.meta.annotations.get(AnnotationKey::CsiNodeId).unwrap_or_default();
    let registered = case.snapshot().find::<CsiNode>("", &attachment.node_name);
    let id = registered.and_then(|node| node.driver(&attachment.attacher)).map_or("", |driver| driver.node_id.as_str());
    // A Node that was deleted and registered again can be the same machine. So only two different ids are proof.
    if attached_to.is_empty() || id.is_empty() || attached_to == id {
        return None;
    }
    let volume = volume_of(case, attachment)?;
    let claim = volume.claim_ref.as_ref()?;
    let mut users = case.snapshot().pods_of(&claim.namespace, &claim.name);
    let pod = users.find(|pod| pod.node_name == attachment.node_name && is_starting(pod))?;
    let since = pod.started.or(pod.meta.created);
    case.lasts(since)?;
    let (name, driver) = (&attachment.node_name, &attachment.attacher);
    let why = format!(
        "The VolumeAttachment has node ID {attached_to}, and the CSINode has {id}: nobody attaches the volume to the new \
         machine"
    );
    let found = with_state(
        Detection::new(format!(
            "{} was replaced under the same name, and {} is attached to the old machine. {why}",
            mention(&key(Kind::Node, "", name)),
            mention(&volume_key(&volume.meta.name))
        )),
        attachment,
    )
    .since(since)
    .evidence(&case.object(), "metadata.annotations[csi.alpha.kubernetes.io/node-id]", attached_to)
    .evidence(&key(Kind::CsiNode, "", name), "spec.drivers[].nodeID", id)
    .affects(pod_key(pod))
    .affects(claim_key(&claim.namespace, &claim.name));
    Some(
        found
            .remedy(detach(
                attachment,
                format!(
                    "once you know that the old machine is gone or does not have the disk: let {driver} detach the \
                     disk, so that it is attached to the new machine"
                ),
            ))
            .remedy(kubectl(
                format!("get csinode {} -o yaml", quoted(name)),
                "see how the driver names the machine now, and compare it with the machine that has the disk",
            ))
            .remedy(describe(&pod_key(pod), "see what the kubelet says about the volume")),
    )
}
