//! The volume plugins that kube-controller-manager still has, and those that were migrated to CSI.

use crate::controllers::KubernetesBehavior;
use crate::model::{AnnotationKey, PersistentVolume, SourceKind, StorageClass};

/// The prefix of in-tree plugin names.
pub const IN_TREE_PREFIX: &str = "kubernetes.io/";
/// The only in-tree plugin that provisions volumes in every modelled version. It does so if
/// `--enable-hostpath-provisioner` is set.
pub const HOST_PATH: &str = "kubernetes.io/host-path";
const NFS: &str = "kubernetes.io/nfs";
const RBD: &str = "kubernetes.io/rbd";
const PORTWORX: &str = "kubernetes.io/portworx-volume";

/// A volume plugin inside kube-controller-manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plugin {
    /// The host-path plugin. It provisions volumes if the flag `--enable-hostpath-provisioner` is set, deletes paths
    /// that contain `/tmp/`, and recycles volumes.
    HostPath,
    /// A plugin that only older minor versions have: Ceph RBD or Portworx. Its storage is outside of the cluster, so no
    /// object shows when the plugin has created or deleted the storage.
    Remote(&'static str),
}

impl Plugin {
    /// Returns the plugin's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::HostPath => HOST_PATH,
            Self::Remote(name) => name,
        }
    }

    /// Returns whether volumes of the plugin can have mount options. Upstream: `SupportsMountOption` of the plugins,
    /// 1.30 to 1.36.
    pub fn supports_mount_options(self) -> bool {
        self == Self::Remote(RBD)
    }
}

/// Who has to provision or delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A plugin inside kube-controller-manager.
    InTree(Plugin),
    /// An external provisioner or driver.
    External,
    /// Nobody can do it. The text is upstream's error.
    Nobody(String),
}

/// Returns the CSI driver to which an in-tree plugin was migrated, if it was. Upstream: `IsMigrationEnabledForPlugin`,
/// `pkg/volume/csimigration`, and csi-translation-lib, 1.36.
pub fn migrated_driver(behavior: &KubernetesBehavior, plugin: &str) -> Option<&'static str> {
    match plugin {
        "kubernetes.io/aws-ebs" => Some("ebs.csi.aws.com"),
        "kubernetes.io/gce-pd" => Some("pd.csi.storage.gke.io"),
        "kubernetes.io/azure-disk" => Some("disk.csi.azure.com"),
        "kubernetes.io/azure-file" => Some("file.csi.azure.com"),
        "kubernetes.io/cinder" => Some("cinder.csi.openstack.org"),
        "kubernetes.io/vsphere-volume" => Some("csi.vsphere.vmware.com"),
        PORTWORX if behavior.portworx_migrated => Some("pxd.portworx.com"),
        _ => None,
    }
}

/// Returns the plugin of this name, if it is a [`Plugin::Remote`] that the version still has.
fn remote(behavior: &KubernetesBehavior, name: &str) -> Option<Plugin> {
    match name {
        RBD if behavior.rbd_in_tree => Some(Plugin::Remote(RBD)),
        PORTWORX if behavior.portworx_in_tree => Some(Plugin::Remote(PORTWORX)),
        _ => None,
    }
}

/// Returns the component that provisions volumes of a class. Upstream: `findProvisionablePlugin`, 1.36.
pub fn find_provisionable_plugin(behavior: &KubernetesBehavior, class: &StorageClass) -> Provider {
    let provisioner = class.provisioner.as_str();
    if migrated_driver(behavior, provisioner).is_some() {
        return Provider::External;
    }
    if provisioner == HOST_PATH {
        return Provider::InTree(Plugin::HostPath);
    }
    if let Some(plugin) = remote(behavior, provisioner) {
        return Provider::InTree(plugin);
    }
    if !provisioner.starts_with(IN_TREE_PREFIX) {
        return Provider::External;
    }
    Provider::Nobody(if provisioner == NFS {
        "no provisionable volume plugin matched".to_owned()
    } else {
        format!("no volume plugin matched name: {provisioner}")
    })
}

/// Returns the component that deletes the storage of a volume. Upstream: `findDeletablePlugin`, 1.36.
pub fn find_deletable_plugin(behavior: &KubernetesBehavior, volume: &PersistentVolume) -> Provider {
    if let Some(provisioner) = volume.meta.annotations.get(AnnotationKey::ProvisionedBy).filter(|name| !name.is_empty())
    {
        return match provisioner {
            HOST_PATH => Provider::InTree(Plugin::HostPath),
            NFS => Provider::Nobody("no deletable volume plugin matched".to_owned()),
            other => match remote(behavior, other) {
                Some(plugin) => Provider::InTree(plugin),
                None if !other.starts_with(IN_TREE_PREFIX) => Provider::External,
                None => Provider::Nobody(format!("no volume plugin matched name: {other}")),
            },
        };
    }
    if behavior.static_csi_is_external {
        if volume.meta.annotations.has(AnnotationKey::MigratedTo) {
            return Provider::External;
        }
        if volume.source.kind == SourceKind::Csi {
            return Provider::External;
        }
    }
    let wrapped = |text: &str| {
        Provider::Nobody(format!(
            "error getting deleter volume plugin for volume {:?}: {text}",
            volume.meta.name.as_str()
        ))
    };
    match &volume.source.kind {
        SourceKind::HostPath => Provider::InTree(Plugin::HostPath),
        SourceKind::Nfs => wrapped("no deletable volume plugin matched"),
        SourceKind::Other(field) if field == "rbd" => {
            remote(behavior, RBD).map_or_else(|| wrapped("no volume plugin matched"), Provider::InTree)
        }
        SourceKind::Other(field) if field == "portworxVolume" => {
            remote(behavior, PORTWORX).map_or_else(|| wrapped("no volume plugin matched"), Provider::InTree)
        }
        SourceKind::Csi | SourceKind::Local | SourceKind::Other(_) | SourceKind::None => {
            wrapped("no volume plugin matched")
        }
    }
}

/// Returns whether some plugin can recycle the volume. Upstream: `FindRecyclablePluginBySpec`, `pkg/volume`, 1.36.
pub fn recyclable(volume: &PersistentVolume) -> bool {
    matches!(volume.source.kind, SourceKind::Nfs | SourceKind::HostPath)
}

/// Checks whether a [`Plugin::Remote`] can delete the storage of a volume. Upstream: `newDeleterInternal` of
/// `pkg/volume/portworx`, 1.35, and `NewDeleter` of `pkg/volume/rbd`, 1.30.
///
/// # Errors
/// Returns upstream's words if the volume has no source of this plugin.
pub fn remote_deleter(name: &str, volume: &PersistentVolume) -> Result<(), String> {
    let (field, title) = if name == RBD {
        ("rbd", "PersistentVolume.Spec.RBD")
    } else {
        ("portworxVolume", "PersistentVolumeSource.PortworxVolume")
    };
    if matches!(&volume.source.kind, SourceKind::Other(kind) if kind == field) {
        return Ok(());
    }
    Err(format!("failed to create deleter for volume {:?}: spec.{title} is nil", volume.meta.name.as_str()))
}

/// Checks whether the host-path deleter can delete the storage of a volume. The deleter accepts a path that contains
/// `/tmp/`, followed by at least one more character. Upstream: `hostPathDeleter.Delete`, `pkg/volume/hostpath`, 1.36.
///
/// # Errors
/// Returns upstream's words if the volume has no host path, or the deleter does not accept the path.
pub fn delete_host_path(volume: &PersistentVolume) -> Result<(), String> {
    if volume.source.kind != SourceKind::HostPath {
        return Err(format!(
            "failed to create deleter for volume {:?}: spec.PersistentVolumeSource.HostPath is nil",
            volume.meta.name.as_str()
        ));
    }
    let path = volume.source.detail.as_str();
    let below = path
        .match_indices("/tmp/")
        .any(|(at, found)| path[at + found.len()..].chars().next().is_some_and(|next| next != '\n'));
    if below { Ok(()) } else { Err(format!("host_path deleter only supports /tmp/.+ but received provided {path}")) }
}
