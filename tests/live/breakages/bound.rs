//! Breakages of claims that have a volume. The claims or volumes should disappear but do not, or pods do not get the
//! volume.

use super::cluster::{BreakageNamespace, node_dies, now};
use super::unbound::{Names, of_pool, on_node};
use crate::live::site::{PV, PVC, Site, text};
use serde_json::{Value, json};

/// The name of kubelet as the source of events.
const KUBELET: &str = "kubelet";

/// The cloud does not let the driver attach the disk.
pub(super) fn attaching_is_refused(home: &BreakageNamespace<'_>) -> Names {
    home.claim("ledger", "gp3");
    home.pod("pay-api", "ledger", &json!({}));
    home.is_placed("pay-api");
    home.is_told("FailedAttachVolume");
    let volume = home.volume("ledger");
    let all = home.site.runtime.block_on(home.site.api.list("VolumeAttachment"));
    let own = all.iter().find(|one| text(one, "/spec/source/persistentVolumeName") == volume).unwrap();
    vec![("attachment", text(own, "/metadata/name").to_owned())]
}

/// Somebody deletes a claim whose pod runs.
pub(super) fn deleted_while_it_runs(home: &BreakageNamespace<'_>) -> Names {
    home.app("blog", "uploads", "gp3", &json!({}));
    home.delete(PVC, "uploads");
    vec![]
}

/// A claim is deleted. Then the machine of the pod that uses the claim stops, and the pod is evicted.
pub(super) fn deleted_on_a_dead_node(home: &BreakageNamespace<'_>) -> Names {
    home.app("forum", "avatars", "gp3", &doomed("node-d1"));
    home.delete(PVC, "avatars");
    node_dies(home.site, "node-d1");
    home.delete("Pod", "forum");
    vec![]
}

/// Returns the part of a pod spec that selects one of the nodes that will stop.
fn doomed(node: &str) -> Value {
    let mut more = of_pool("doomed");
    more["nodeSelector"] = on_node(node)["nodeSelector"].clone();
    more
}

/// A pod has a long grace period.
pub(super) fn slow_to_end(home: &BreakageNamespace<'_>) -> Names {
    home.app("news", "drafts", "gp3", &json!({"terminationGracePeriodSeconds": 3600}));
    vec![]
}

/// The claim is deleted, and then the pod, which has a long grace period.
pub(super) fn deleted_while_it_ends(home: &BreakageNamespace<'_>) {
    home.delete(PVC, "drafts");
    home.delete("Pod", "news");
}

/// Somebody deletes the volume instead of its claim.
pub(super) fn volume_is_deleted(home: &BreakageNamespace<'_>) -> Names {
    let volume = home.app("erp", "books", "gp3", &json!({}));
    home.delete(PV, &volume);
    vec![("volume", volume)]
}

/// A volume is a disk of a node, and the node was removed from the cluster.
pub(super) fn node_of_a_local_disk_is_gone(home: &BreakageNamespace<'_>) -> Names {
    super::cluster::node(home.site, "node-l1", "eu-1b", "cassandra", &[]);
    home.site.put(&json!({
        "apiVersion": "v1", "kind": PV, "metadata": {"name": "local-l1-disk0"},
        "spec": {
            "capacity": {"storage": "100Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local-disks",
            "persistentVolumeReclaimPolicy": "Retain", "local": {"path": "/mnt/disks/disk0"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": super::cluster::HOST, "operator": "In", "values": ["node-l1"]},
            ]}]}},
        },
    }));
    home.app("cassandra", "ring", "local-disks", &of_pool("cassandra"));
    home.delete("Node", "node-l1");
    home.delete("CSINode", "node-l1");
    home.site.delete("Pod", home.name, "cassandra");
    home.is_gone("cassandra");
    home.pod("cassandra", "ring", &json!({}));
    home.finds_no_node("cassandra");
    vec![("volume", "local-l1-disk0".to_owned())]
}

/// A second pod on another node needs the disk.
pub(super) fn two_nodes_want_it(home: &BreakageNamespace<'_>) -> Names {
    let volume = home.app("cms-1", "media", "fast-ssd", &on_node("node-a1"));
    home.pod("cms-2", "media", &on_node("node-a2"));
    home.is_told("FailedAttachVolume");
    vec![("volume", volume)]
}

/// A machine stops. Its pod is evicted and never ends, and the disk stays attached to the node.
pub(super) fn node_is_dead(home: &BreakageNamespace<'_>) -> Names {
    let volume = home.app("jira-1", "issues", "gp3", &doomed("node-d2"));
    node_dies(home.site, "node-d2");
    home.delete("Pod", "jira-1");
    home.pod("jira-2", "issues", &json!({}));
    home.is_told("FailedAttachVolume");
    vec![("volume", volume)]
}

/// Only one pod at a time may use the claim, but two pods need it.
pub(super) fn one_pod_at_a_time(home: &BreakageNamespace<'_>) -> Names {
    home.claim_with("vault", "gp3", |spec| spec["accessModes"] = json!(["ReadWriteOncePod"]));
    home.pod("bank-1", "vault", &json!({}));
    home.runs("bank-1");
    home.pod("bank-2", "vault", &json!({}));
    home.finds_no_node("bank-2");
    vec![]
}

/// Only one disk of a driver can be attached to a node, and one is already attached.
pub(super) fn node_takes_no_more(home: &BreakageNamespace<'_>) -> Names {
    home.app("batch-1", "first", "san", &on_node("node-b1"));
    home.claim("second", "san");
    home.volume("second");
    home.pod("batch-2", "second", &on_node("node-b1"));
    home.finds_no_node("batch-2");
    vec![]
}

/// The file system of the disk is damaged.
pub(super) fn file_system_is_damaged(home: &BreakageNamespace<'_>) -> Names {
    home.claim("samples", "gp3");
    home.pod("lab", "samples", &json!({}));
    let volume = home.volume("samples");
    let attached = || {
        let all = home.site.runtime.block_on(home.site.api.list("VolumeAttachment"));
        let mut ours = all.iter().filter(|one| one["spec"]["source"]["persistentVolumeName"] == json!(volume));
        ours.any(|one| one["status"]["attached"] == true)
    };
    Site::until("the disk is attached", attached);
    let message = format!(
        "MountVolume.MountDevice failed for volume \"{volume}\" : rpc error: code = Internal desc = could not format \
         \"/dev/nvme1n1\" and mount it at \"/var/lib/kubelet/plugins/kubernetes.io/csi/ebs.csi.aws.com/globalmount\": \
         'fsck' found errors on device /dev/nvme1n1 but could not correct them: fsck from util-linux 2.37.4\n\
         /dev/nvme1n1: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY."
    );
    home.event("Pod", "lab", KUBELET, "FailedMount", &message);
    vec![]
}

/// The node of the pod has no driver for the share.
pub(super) fn node_lacks_the_driver(home: &BreakageNamespace<'_>) -> Names {
    home.claim_with("assets", "shared", |spec| spec["accessModes"] = json!(["ReadWriteMany"]));
    home.pod("cdn", "assets", &on_node("node-b2"));
    let volume = home.volume("assets");
    home.is_placed("cdn");
    let message = format!(
        "MountVolume.MountDevice failed for volume \"{volume}\" : kubernetes.io/csi: attacher.MountDevice failed to create \
         newCsiDriverClient: driver name efs.csi.aws.com not found in the list of registered CSI drivers"
    );
    home.event("Pod", "cdn", KUBELET, "FailedMount", &message);
    vec![]
}

/// A namespace is deleted. A backup tool that is gone has left its finalizer on a claim.
pub(super) fn namespace_does_not_go(home: &BreakageNamespace<'_>) -> Names {
    home.app("old", "dump", "gp3", &json!({}));
    home.keep("dump", "backup.example.com/protect");
    home.delete("Namespace", home.name);
    home.is_gone("old");
    Site::until("the namespace says what keeps it", || {
        let namespace = home.site.get("Namespace", "", home.name).unwrap_or_default();
        let conditions = namespace["status"]["conditions"].as_array().cloned().unwrap_or_default();
        conditions.iter().any(|one| one["type"] == "NamespaceFinalizersRemaining" && one["status"] == "True")
    });
    vec![]
}

/// A snapshot of a claim does not become ready, and the claim is deleted.
pub(super) fn snapshot_keeps_it(home: &BreakageNamespace<'_>) -> Names {
    home.app("dr", "snapsrc", "gp3", &json!({}));
    home.site.put(&json!({
        "apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot",
        "metadata": {"namespace": home.name, "name": "weekly"},
        "spec": {"volumeSnapshotClassName": "ebs", "source": {"persistentVolumeClaimName": "snapsrc"}},
    }));
    home.site.report("VolumeSnapshot", home.name, "weekly", &json!({"readyToUse": false}));
    home.keep("snapsrc", "snapshot.storage.kubernetes.io/pvc-as-source-protection");
    home.delete("Pod", "dr");
    home.is_gone("dr");
    home.delete(PVC, "snapsrc");
    vec![]
}

/// A driver is uninstalled. Then the last claim of its volumes is deleted.
pub(super) fn driver_was_removed(home: &BreakageNamespace<'_>) -> Names {
    const DRIVER: &str = "old.csi.example.com";
    let site = home.site;
    site.put(&json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER},
        "spec": {"attachRequired": false},
    }));
    site.put(&json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "old-san"},
        "provisioner": DRIVER, "volumeBindingMode": "Immediate", "reclaimPolicy": "Delete",
    }));
    home.claim("invoices", "old-san");
    let claim = home.claim_now("invoices");
    let volume = format!("pvc-{}", claim["metadata"]["uid"].as_str().unwrap_or_default());
    site.put(&json!({
        "apiVersion": "v1", "kind": PV,
        "metadata": {
            "name": volume, "annotations": {"pv.kubernetes.io/provisioned-by": DRIVER},
            "finalizers": ["external-provisioner.volume.kubernetes.io/finalizer"],
        },
        "spec": {
            "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "old-san",
            "persistentVolumeReclaimPolicy": "Delete", "csi": {"driver": DRIVER, "volumeHandle": "lun-0042"},
            "claimRef": {
                "apiVersion": "v1", "kind": PVC, "namespace": home.name, "name": "invoices",
                "uid": claim["metadata"]["uid"],
            },
        },
    }));
    home.volume("invoices");
    home.delete("CSIDriver", DRIVER);
    home.delete(PVC, "invoices");
    Site::until("the volume is released", || site.pv(&volume).starts_with("Released, "));
    vec![("volume", volume)]
}

/// The pod of a job has ended and still exists. Its claim is deleted.
pub(super) fn finished_pod_keeps_it(home: &BreakageNamespace<'_>) -> Names {
    home.app("build", "cache", "gp3", &json!({"restartPolicy": "Never"}));
    let ended = json!([{
        "name": "app", "ready": false, "started": false, "restartCount": 0, "image": "registry.example.com/app:1",
        "imageID": "registry.example.com/app@sha256:0",
        "state": {"terminated": {"exitCode": 0, "reason": "Completed", "finishedAt": now().to_string()}},
    }]);
    home.site.report("Pod", home.name, "build", &json!({"phase": "Succeeded", "containerStatuses": ended}));
    home.delete(PVC, "cache");
    vec![]
}
