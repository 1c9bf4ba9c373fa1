//! The number of volumes of in-tree plugins on a node without a CSINode. On a node with a CSINode, all in-tree plugins
//! are migrated. Upstream: `non_csi.go` of `nodevolumelimits`, 1.30. Since 1.31, upstream does not have the plugins
//! that count these volumes. The environment variable `KUBE_MAX_PD_VOLS` is ignored here.

use super::cluster::{NodeInfo, pod_claims, scheduling};
use super::migration::InTree;
use super::nodes::stated_amount;
use super::reads::Reads;
use super::verdict::{Plugin, Status};
use super::volume_binding::is_for_pod;
use super::volume_limits::{FullDriver, exceeded};
use crate::controllers::KubernetesBehavior;
use crate::model::{CsiNode, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, label};
use std::collections::BTreeSet;

/// A volume of the in-tree plugin: its id or, if a claim has no volume and its class names the plugin, the name of the
/// claim.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Counted {
    Id(String),
    Claim(String),
}

/// A plugin of the scheduler that counts the volumes of an in-tree plugin.
pub(super) struct Limits {
    plugin: Plugin,
    counted: InTree,
    /// The name of the limit in `status.allocatable` of a Node.
    key: &'static str,
    /// Returns the limit of a node that states none.
    default: fn(&Node) -> i64,
}

/// `EBSLimits`.
pub(super) const EBS: Limits =
    Limits { plugin: Plugin::EbsLimits, counted: InTree::Aws, key: "attachable-volumes-aws-ebs", default: ebs_limit };

/// `GCEPDLimits`.
pub(super) const GCE_PD: Limits =
    Limits { plugin: Plugin::GcePdLimits, counted: InTree::Gce, key: "attachable-volumes-gce-pd", default: |_| 16 };

/// `AzureDiskLimits`.
pub(super) const AZURE_DISK: Limits = Limits {
    plugin: Plugin::AzureDiskLimits,
    counted: InTree::AzureDisk,
    key: "attachable-volumes-azure-disk",
    default: |_| 16,
};

/// Rejects a node if the volumes of the pod exceed the limit. Upstream: `Filter`, 1.30.
pub(super) fn filter(
    reads: &mut Reads<'_>,
    behavior: &KubernetesBehavior,
    limits: &Limits,
    pod: &Pod,
    info: &NodeInfo<'_>,
) -> Option<Status> {
    match full_plugin(reads, behavior, limits, pod, info) {
        Ok(None) => None,
        Ok(Some(_)) => Some(exceeded(limits.plugin)),
        Err(error) => Some(Status::filter_error(limits.plugin, &error)),
    }
}

/// Returns the in-tree plugins whose limits would be exceeded if the pod were on the node.
pub(super) fn full_plugins(
    reads: &mut Reads<'_>,
    behavior: &KubernetesBehavior,
    pod: &Pod,
    info: &NodeInfo<'_>,
) -> Vec<FullDriver> {
    let full = |limits| full_plugin(reads, behavior, limits, pod, info).ok().flatten();
    [&EBS, &GCE_PD, &AZURE_DISK].into_iter().filter_map(full).collect()
}

/// Returns the in-tree plugin if its limit would be exceeded if the pod were on the node.
///
/// # Errors
/// Returns upstream's words if a claim of a pod on the node cannot be used.
fn full_plugin(
    reads: &mut Reads<'_>,
    behavior: &KubernetesBehavior,
    limits: &Limits,
    pod: &Pod,
    info: &NodeInfo<'_>,
) -> Result<Option<FullDriver>, String> {
    if !behavior.scheduler.in_tree_limits {
        return Ok(None);
    }
    let Limits { counted, key, default, .. } = limits;
    let mut new = BTreeSet::new();
    // `PreFilter` has already checked the claims of this pod, so they cause no error here.
    if add_volumes(reads, *counted, pod, &mut new).is_err()
        || new.is_empty()
        || reads.find::<CsiNode>("", &info.node.meta.name).is_some()
    {
        return Ok(None);
    }
    let mut used = BTreeSet::new();
    for other in &info.pods {
        add_volumes(reads, *counted, other, &mut used)?;
    }
    let limit = stated_amount(&info.node.allocatable, key).unwrap_or_else(|| default(info.node));
    let (used, new) = (used.len(), new.difference(&used).count());
    let is_full = i64::try_from(used + new).unwrap_or(i64::MAX) > limit;
    Ok(is_full.then(|| FullDriver { driver: counted.name().to_owned(), limit, used, new }))
}

/// Adds the volumes of the plugin that a pod uses. Upstream: `filterVolumes`, 1.30.
fn add_volumes(reads: &mut Reads<'_>, in_tree: InTree, pod: &Pod, into: &mut BTreeSet<Counted>) -> Result<(), String> {
    let disks = scheduling(pod).disks.iter().filter(|disk| InTree::of_disk(disk) == Some(in_tree));
    into.extend(disks.map(|disk| Counted::Id(disk.id.to_string())));
    for volume in pod_claims(pod) {
        let Some(claim) = reads.find::<PersistentVolumeClaim>(&pod.meta.namespace, volume.name) else { continue };
        if volume.ephemeral {
            is_for_pod(pod, claim)?;
        }
        let named = Some(claim.volume_name.as_str()).filter(|name| !name.is_empty());
        if let Some(found) = named.and_then(|name| reads.find::<PersistentVolume>("", name)) {
            let id = (InTree::of(found) == Some(in_tree)).then(|| Counted::Id(found.source.handle.to_string()));
            into.extend(id);
            continue;
        }
        let class = claim.class_name.as_ref().and_then(|name| reads.find::<StorageClass>("", name));
        if class.is_some_and(|class| class.provisioner == in_tree.name()) {
            into.insert(Counted::Claim(claim.meta.name.to_string()));
        }
    }
    Ok(())
}

/// Returns the limit of a node that states none. Upstream: `getMaxEBSVolume`, 1.30, whose pattern is
/// `^[cmr]5.*|t3|z1d`.
fn ebs_limit(node: &Node) -> i64 {
    let of = |key| label(&node.meta.labels, key);
    let kind = of("node.kubernetes.io/instance-type").or_else(|| of("beta.kubernetes.io/instance-type"));
    let kind = kind.unwrap_or_default();
    let is_fifth = kind.starts_with(['c', 'm', 'r']) && kind.get(1..2) == Some("5");
    if is_fifth || kind.contains("t3") || kind.contains("z1d") { 25 } else { 39 }
}
