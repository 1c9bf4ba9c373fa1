//! This rule reports a volume that states a shared access mode although its storage is a disk for one node.

use crate::diagnosis::mention::mention;
use crate::diagnosis::remedy::{by_hand, kubectl, quoted};
use crate::diagnosis::{Case, Detect, Detection, Page, Risk, Rule, Severity};
use crate::model::{AccessMode, Kind, PersistentVolume, SourceKind, VolumeMode, VolumePhase};

pub(super) static RULE: Rule = Rule {
    id: "rwx-on-block",
    title: "a disk for one node states ReadWriteMany",
    severity: Severity::Warning,
    risk: Risk::Possible,
    reads: &[Kind::Pod],
    hinders: &[],
    repairs: &[],
    page: Page {
        seen: "The volume and its claim state ReadWriteMany. The first pod runs. A pod on another node stays in \
               ContainerCreating, or both nodes write, and the file system is destroyed.",
        why: "If a person creates a volume, Kubernetes does not check whether its access modes fit the storage. Only \
              one node at a time may write to the file system of a disk. With ReadWriteMany, the attach/detach \
              controller attaches the volume to a second node, too.",
        confirm: "kubectl get pv NAME -o jsonpath='{.spec.accessModes} {.spec.volumeMode}'\n\
                  kubectl get pods -A -o wide",
        repair: "Use storage that several nodes can mount, such as NFS, CephFS or a file service of the cloud, and copy \
                 the data there. Until then, let the pods run on one node.",
        prevention: "Request ReadWriteMany only from classes whose driver supports it.",
        hazard: "If two nodes mount the file system of a disk for writing, they destroy it.",
        sources: &[
            "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
            "openshift/openshift-docs#24970",
            "IsMultiAttachAllowed, pkg/volume/util, Kubernetes 1.36",
        ],
    },
    detect: Detect::Volume(detect),
};

/// The in-tree sources and CSI drivers of disks that one node at a time can mount for writing with a file system.
const DISKS: [&str; 10] = [
    "awsElasticBlockStore",
    "azureDisk",
    "cinder",
    "gcePersistentDisk",
    "ebs.csi.aws.com",
    "disk.csi.azure.com",
    "cinder.csi.openstack.org",
    "pd.csi.storage.gke.io",
    "rbd",
    "rbd.csi.ceph.com",
];

fn detect(case: &Case<'_>, volume: &PersistentVolume) -> Option<Detection> {
    let is_shared = volume.access_modes.0.iter().any(|mode| matches!(mode, AccessMode::ReadWriteMany));
    let is_block = volume.volume_mode == Some(VolumeMode::Block);
    let is_over = matches!(volume.status.phase, VolumePhase::Released | VolumePhase::Failed) || volume.terminating();
    if !is_shared || is_block || is_over {
        return None;
    }
    let source = match &volume.source.kind {
        SourceKind::Csi => volume.source.detail.as_str(),
        SourceKind::Other(field) => field.as_str(),
        _ => return None,
    };
    if !DISKS.contains(&source) {
        return None;
    }
    let found = Detection::new(format!(
        "{} has access mode ReadWriteMany, although its disk ({source}) is for one node. Kubernetes does not prevent \
         the use on a second node; the storage may refuse it. Two nodes that write to one file system corrupt it",
        mention(&case.object())
    ))
    .evidence(&case.object(), "spec.accessModes", "ReadWriteMany")
    .evidence(&case.object(), "spec", source);
    let found = match &volume.claim_ref {
        Some(named) => found.remedy(kubectl(
            format!("get pods -n {} -o wide", quoted(&named.namespace)),
            format!("see which nodes run the pods that use claim {}", named.name),
        )),
        None => found,
    };
    Some(found.remedy(by_hand(
        "keep all pods that use the volume on one node, and move the data to storage that several nodes can mount",
    )))
}
