//! This rule reports an NFS volume whose server has a name that only pods can resolve.

use super::is_released;
use crate::diagnosis::mention::part_of;
use crate::diagnosis::remedy::{by_hand, describe, kubectl, quoted};
use crate::diagnosis::shared_volumes::service_of_name;
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity, key};
use crate::model::{Kind, PersistentVolume, Pod, PodPhase, SourceKind};

pub(super) static RULE: Rule = Rule {
    id: "nfs-cluster-dns-name",
    title: "the NFS server has a name that nodes usually cannot resolve",
    severity: Severity::Warning,
    risk: Risk::None,
    reads: &[Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The claim is Bound, and its pods stay ContainerCreating: `FailedMount` with `Failed to resolve server` \
               and `Name or service not known`, or a mount that times out. Inside a pod the same name can be resolved.",
        why: "The kubelet mounts a volume with `spec.nfs` on the node, and uses the resolver of the node. Only the DNS \
              of the cluster knows names such as `SERVICE.NAMESPACE.svc.cluster.local`. Pods use this DNS, but most \
              nodes do not. In a few distributions the nodes use it, too, so the same manifest works on one cluster \
              and fails on another.",
        confirm: "kubectl get pv VOLUME -o jsonpath='{.spec.nfs}'\n\
                  kubectl describe pod POD -n NAMESPACE\n\
                  kubectl debug node/NODE -it --image=busybox -- chroot /host getent hosts SERVER",
        repair: "Configure the nodes so that they can resolve the name. Or use an address that they can reach: the \
                 cluster IP of the Service, if it has one, or a name in the DNS of the nodes. The source of a volume \
                 cannot be changed, so set policy Retain on the PersistentVolume, and create a new PersistentVolume \
                 for the same export, with policy Retain, and a new claim for it. Or use the CSI driver for NFS: it \
                 mounts from a pod and can use the DNS of the cluster.",
        prevention: "Give NFS servers inside the cluster a Service with a fixed cluster IP, and use it in volumes, or \
                     use a CSI driver.",
        hazard: "A cluster IP changes when its Service is created again, and then every mount hangs. Before you use \
                 the volume, check the files in the export: another server can be empty, and the mount still succeeds.",
        sources: &[
            "https://kubernetes.io/docs/concepts/storage/volumes/#nfs",
            "kubernetes/examples#390",
            "kubernetes/minikube#3417",
            "kubernetes-sigs/nfs-subdir-external-provisioner#303",
        ],
    },
    detect: Detect::Volume(detect),
};

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let server = volume.source.detail.as_str();
    if volume.source.kind != SourceKind::Nfs || volume.terminating() || is_released(volume) {
        return None;
    }
    let (service, namespace) = service_of_name(server)?;
    let claim = volume.claim_ref.as_ref();
    let pods = || claim.into_iter().flat_map(|named| case.snapshot().pods_of(&named.namespace, &named.name));
    // If a container has started, the node has resolved the name.
    if pods().any(|pod| matches!(pod.phase, PodPhase::Running | PodPhase::Succeeded) || pod.running_container) {
        return None;
    }
    // A pod that was not read may be running.
    if claim.is_some_and(|named| !case.knows_all(Kind::Pod, &named.namespace)) {
        return None;
    }
    let is_stuck = |pod: &&Pod| {
        !pod.node_name.is_empty()
            && matches!(pod.phase, PodPhase::Pending | PodPhase::Empty)
            && pod.meta.deleted.is_none()
            && case.lasts(pod.meta.created).is_some()
    };
    let stuck = pods().find(is_stuck);
    let consequence = match stuck {
        Some(pod) => format!(
            "Pod {} on node {} has started no container, and this can be the reason (see its event FailedMount)",
            pod.meta.name, pod.node_name
        ),
        None => "No pod has mounted the volume yet, so nothing shows whether its node can resolve the name".to_owned(),
    };
    let found = Detection::new(format!(
        "nodes usually cannot resolve {server}, the name of {}. The name belongs to the cluster's DNS, \
         which pods use, but the node makes the mount. {consequence}",
        part_of(&case.object(), "the NFS server")
    ))
    .info_if(stuck.is_none())
    .evidence(&case.object(), "spec.nfs.server", server)
    .evidence(&case.object(), "spec.nfs.path", volume.source.handle.as_str());
    let found = match stuck {
        Some(pod) => {
            let pod_key = key(Kind::Pod, &pod.meta.namespace, &pod.meta.name);
            found
                .evidence(&pod_key, "spec.nodeName", pod.node_name.as_str())
                .remedy(describe(&pod_key, "see whether FailedMount says that the server cannot be resolved"))
        }
        None => found,
    };
    Some(
        found
            .remedy(kubectl(
                format!("get service {} -n {} -o wide", quoted(service), quoted(namespace)),
                "see whether the Service exists, and its cluster IP: nodes can reach this address without DNS",
            ))
            .remedy(by_hand(
                "configure the nodes so that they can resolve the name, or create a new PersistentVolume for the same \
                 export with an address that nodes can reach, and policy Retain: the source of this volume cannot be \
                 changed",
            )),
    )
}
