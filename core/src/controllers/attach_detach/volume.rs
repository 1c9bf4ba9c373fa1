//! A volume as the controller keeps it, and the volumes of a pod.

use super::{Flags, attachment_name};
use crate::controllers::KubernetesBehavior;
use crate::controllers::scheduler::migration::InTree;
use crate::model::{
    AccessMode, AccessModes, ClaimPhase, CsiDriver, CsiNode, Disk, PersistentVolume, PersistentVolumeClaim, Pod,
    SourceKind, Str,
};
use crate::world::View;

/// The beginning of the unique names of CSI volumes.
pub const CSI_PREFIX: &str = "kubernetes.io/csi/";

/// The plugin that attaches a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plugin {
    /// `kubernetes.io/csi`: an attacher outside of the controller attaches the volume.
    Csi {
        /// The driver.
        driver: Str,
        /// `volumeHandle`.
        handle: Str,
    },
    /// `kubernetes.io/fc`: the controller only records that the volume is attached.
    FibreChannel {
        /// The name of the volume in the plugin.
        name: Str,
    },
    /// `kubernetes.io/iscsi`: the controller only records that the volume is attached.
    Iscsi {
        /// The name of the volume in the plugin.
        name: Str,
    },
}

/// A volume that a plugin can attach, as it was when the controller learned of it. Upstream: `volume.Spec`, 1.36.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachableVolume {
    /// The name of the PersistentVolume. For a volume that the spec of a pod names without a claim, it is the name that
    /// the translation to CSI gives.
    pub name: Str,
    /// The plugin, with what names the volume there.
    pub plugin: Plugin,
    /// Whether the volume can be attached to only one node at a time. Upstream: `IsMultiAttachAllowed`,
    /// `pkg/volume/util`, 1.36.
    pub exclusive: bool,
    /// Whether the spec of a pod names the volume without a claim.
    pub inline: bool,
    /// Whether the volume is a volume of an in-tree plugin, which is attached through CSI.
    pub is_migrated: bool,
}

impl AttachableVolume {
    /// Returns the name of the volume in the status of nodes. Upstream: `GetUniqueVolumeNameFromSpec`,
    /// `pkg/volume/util`, 1.36.
    pub fn unique_name(&self) -> Str {
        match &self.plugin {
            Plugin::Csi { driver, handle } => format!("{CSI_PREFIX}{driver}^{handle}").into(),
            Plugin::FibreChannel { name } => format!("kubernetes.io/fc/{name}").into(),
            Plugin::Iscsi { name } => format!("kubernetes.io/iscsi/{name}").into(),
        }
    }

    /// Returns whether the volume has to be attached. The object of the driver can say that it does not. Upstream:
    /// `CanAttach` of the plugins, 1.36.
    pub(super) fn needs_attaching(&self, view: View<'_>) -> bool {
        self.needs_attaching_if(|driver| view.find("", driver))
    }

    /// Returns the same. `find` returns the object of a driver.
    pub(in crate::controllers) fn needs_attaching_if<'v>(
        &self,
        find: impl FnOnce(&str) -> Option<&'v CsiDriver>,
    ) -> bool {
        match &self.plugin {
            Plugin::Csi { driver, .. } => find(driver).is_none_or(|driver| driver.attach_required),
            Plugin::FibreChannel { .. } | Plugin::Iscsi { .. } => true,
        }
    }

    /// Returns the volume of a PersistentVolume, if a plugin can attach it. The plugins are those that are migrated in
    /// the cluster.
    pub(in crate::controllers) fn of_volume(behavior: &KubernetesBehavior, volume: &PersistentVolume) -> Option<Self> {
        let migration = Flags::of(behavior).migration;
        Self::of(volume, |plugin| migration.has(plugin))
    }

    /// Returns the volume of a PersistentVolume. The value is `None` if no plugin can attach it. `is_migrated` says
    /// whether a plugin is migrated.
    pub(super) fn of(volume: &PersistentVolume, is_migrated: impl Fn(InTree) -> bool) -> Option<Self> {
        let source = &volume.source;
        let modes = &volume.access_modes;
        let (plugin, exclusive) = match &source.kind {
            SourceKind::Csi => {
                (Plugin::Csi { driver: source.detail.clone(), handle: source.handle.clone() }, is_exclusive(modes))
            }
            SourceKind::Other(field) if field == "iscsi" => {
                let portal = source.detail.split(',').next().unwrap_or_default();
                let (target, unit) = source.handle.rsplit_once(" lun ").unwrap_or((&source.handle, "0"));
                (Plugin::Iscsi { name: format!("{portal}:{target}:{unit}").into() }, is_exclusive(modes))
            }
            SourceKind::Other(field) if field == "fc" => {
                let name = match source.handle.strip_prefix("lun ") {
                    Some(unit) if !source.detail.is_empty() => format!("[{}]:{unit}", source.detail.replace(',', " ")),
                    Some(_) => return None,
                    None if source.handle.is_empty() => return None,
                    None => format!("[{}]", source.handle.replace(',', " ")),
                };
                (Plugin::FibreChannel { name: name.into() }, is_exclusive(modes))
            }
            _ => {
                let plugin = InTree::of(volume).filter(|plugin| is_migrated(*plugin))?;
                let handle = plugin.handle(volume).ok()?;
                let exclusive = if plugin == InTree::Gce { is_exclusive_disk(modes) } else { is_exclusive(modes) };
                (Plugin::Csi { driver: plugin.driver().into(), handle: handle.into() }, exclusive)
            }
        };
        let is_migrated = InTree::of(volume).is_some();
        Some(Self { name: volume.meta.name.clone(), plugin, exclusive, inline: false, is_migrated })
    }

    /// Returns the volume of a disk that the spec of a pod names without a claim. The value is `None` if no plugin can
    /// attach it. Upstream: `TranslateInTreeInlineVolumeToCSI` of the plugins, 1.36.
    fn of_disk(disk: &Disk, is_migrated: impl Fn(InTree) -> bool) -> Option<Self> {
        let plugin = InTree::of_disk(disk).filter(|plugin| is_migrated(*plugin))?;
        let handle = plugin.disk_handle(disk).ok()?;
        let name = match plugin {
            InTree::AzureDisk => disk.id.clone(),
            InTree::Aws => format!("{}-{handle}", plugin.driver()).into(),
            InTree::Cinder | InTree::Gce | InTree::Portworx => format!("{}-{}", plugin.driver(), disk.id).into(),
        };
        let is_shared = disk.read_only && matches!(plugin, InTree::Gce | InTree::Portworx);
        let plugin = Plugin::Csi { driver: plugin.driver().into(), handle: handle.into() };
        Some(Self { name, plugin, exclusive: !is_shared, inline: true, is_migrated: true })
    }

    /// Returns the name of the VolumeAttachment of the volume on a node, and the driver. The value is `None` if the
    /// plugin uses no VolumeAttachments.
    pub(super) fn attachment_on(&self, node: &str) -> Option<(Str, &Str)> {
        match &self.plugin {
            Plugin::Csi { driver, handle } => Some((attachment_name(handle, driver, node), driver)),
            Plugin::FibreChannel { .. } | Plugin::Iscsi { .. } => None,
        }
    }
}

/// Returns the CSI driver that attaches a volume of an in-tree plugin. Returns `None` for any other volume.
pub fn migrated_driver(behavior: &KubernetesBehavior, volume: &PersistentVolume) -> Option<&'static str> {
    let migration = Flags::of(behavior).migration;
    InTree::of(volume).filter(|plugin| migration.has(*plugin)).map(InTree::driver)
}

/// Returns whether a volume with these access modes can be attached to only one node at a time. Upstream:
/// `IsMultiAttachAllowed`, `pkg/volume/util`, 1.36.
pub fn is_exclusive(modes: &AccessModes) -> bool {
    let is_shared = |mode: &AccessMode| matches!(mode, AccessMode::ReadWriteMany | AccessMode::ReadOnlyMany);
    !modes.is_empty() && !modes.0.iter().any(is_shared)
}

/// Returns the same for a GCE disk of the in-tree plugin. Its translation replaces `ReadWriteMany`, and all modes
/// beside `ReadWriteOnce`. Upstream: `backwardCompatibleAccessModes`, csi-translation-lib, 1.36.
fn is_exclusive_disk(modes: &AccessModes) -> bool {
    let is_once = |mode: &AccessMode| matches!(mode, AccessMode::ReadWriteMany | AccessMode::ReadWriteOnce);
    is_exclusive(modes) || modes.0.iter().any(is_once)
}

/// Which in-tree plugins are migrated to CSI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Migration {
    /// Whether the CSINode of a node says which plugins are migrated on the node.
    pub(super) asks_node: bool,
    /// Whether the Portworx plugin is migrated.
    pub(super) portworx: bool,
}

impl Migration {
    /// Returns whether the plugin is migrated in the cluster.
    pub(super) fn has(self, plugin: InTree) -> bool {
        plugin != InTree::Portworx || self.portworx
    }

    /// Returns whether the plugin is migrated on the node. Upstream: `isCSIMigrationSupportedOnNode`, 1.36.
    pub(super) fn has_on(self, plugin: InTree, node: Option<&CsiNode>) -> bool {
        self.has(plugin) && (!self.asks_node || plugin.is_migrated_on(node))
    }
}

/// Returns the volumes of the pod that have to be attached. Those with a claim are in the order of the pod.
pub(super) fn volumes_of(view: View<'_>, pod: &Pod, migration: Migration) -> Vec<AttachableVolume> {
    let mut volumes = all_volumes_of(view, pod, migration);
    volumes.retain(|volume| volume.needs_attaching(view));
    volumes
}

/// Returns the volumes of the pod that have a plugin. Those with a claim are in the order of the pod. A volume whose
/// claim is not bound to it is left out. Upstream: `CreateVolumeSpecWithNodeMigration`, 1.36.
pub(super) fn all_volumes_of(view: View<'_>, pod: &Pod, migration: Migration) -> Vec<AttachableVolume> {
    let namespace = pod.meta.namespace.as_str();
    let node = view.find::<CsiNode>("", &pod.node_name);
    let is_migrated = |plugin| migration.has_on(plugin, node);
    let named = pod.claims.iter().map(|used| (used.place, bound(view, namespace, &used.claim, None)));
    let ephemeral = pod.ephemeral.iter();
    let ephemeral = ephemeral.map(|used| (used.place, bound(view, namespace, &used.template.meta.name, Some(pod))));
    let mut claimed: Vec<_> = named.chain(ephemeral).collect();
    claimed.sort_by_key(|(place, _)| *place);
    let claimed = claimed.into_iter().filter_map(|(_, volume)| AttachableVolume::of(volume?, is_migrated));
    let disks = pod.scheduling.iter().flat_map(|fields| &fields.disks);
    claimed.chain(disks.filter_map(|disk| AttachableVolume::of_disk(disk, is_migrated))).collect()
}

/// Returns the volume that the claim is bound to. A claim of an ephemeral volume must belong to the pod. Upstream:
/// `getPVCFromCache` and `getPVSpecFromCache`, 1.36.
fn bound<'v>(view: View<'v>, namespace: &str, claim: &str, owner: Option<&Pod>) -> Option<&'v PersistentVolume> {
    let claim: &PersistentVolumeClaim = view.find(namespace, claim)?;
    let is_bound = claim.status.phase == ClaimPhase::Bound && !claim.volume_name.is_empty();
    let is_owned = owner.is_none_or(|pod| claim.meta.controller_owner.as_ref() == Some(&pod.meta.uid));
    let volume: &PersistentVolume = view.find("", &claim.volume_name)?;
    let is_its_own = volume.claim_ref.as_ref().is_some_and(|named| named.uid == claim.meta.uid);
    (is_bound && is_owned && is_its_own).then_some(volume)
}
