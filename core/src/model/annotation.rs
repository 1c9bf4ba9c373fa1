//! The annotations that decisions and rules read.

use super::Str;
use std::fmt;

/// An annotation key that some decision or rule reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnnotationKey {
    /// The controller completed the binding. The controller treats a claim with this key as bound, whatever the value
    /// is.
    BindCompleted,
    /// The controller made the binding, not a person.
    BoundByController,
    /// The CSI driver that handles the object in place of an in-tree plugin.
    MigratedTo,
    /// The provisioner that made the volume.
    ProvisionedBy,
    /// The deprecated annotation that names a StorageClass.
    BetaStorageClass,
    /// The deprecated form of [`Self::StorageProvisioner`].
    BetaStorageProvisioner,
    /// The provisioner that a claim waits for.
    StorageProvisioner,
    /// The node that the scheduler chose for a claim.
    SelectedNode,
    /// The form of [`Self::SelectedNode`] in Kubernetes 1.11.
    AlphaSelectedNode,
    /// The name of the Secret with which a driver deletes the volume. It is empty if the driver needs none.
    DeletionSecretName,
    /// The namespace of the Secret in [`Self::DeletionSecretName`].
    DeletionSecretNamespace,
    /// Whether a claim that is filled from a snapshot may have another volume mode than the snapshot.
    AllowVolumeModeChange,
    /// The capacity of a volume before a resize that is in progress.
    PreResizeCapacity,
    /// The resizer that expands the volume of the claim.
    StorageResizer,
    /// The node has nothing to do for the last expansion of the volume.
    NodeExpansionNotRequired,
    /// The name of the Secret with which a driver modifies the volume.
    ModifySecretName,
    /// The namespace of the Secret in [`Self::ModifySecretName`].
    ModifySecretNamespace,
    /// Whether the StorageClass is a default class.
    IsDefaultClass,
    /// The deprecated form of [`Self::IsDefaultClass`].
    BetaIsDefaultClass,
    /// Whether the VolumeSnapshotClass is the default class of its driver.
    IsDefaultSnapshotClass,
    /// The node to which an attacher attached the volume, by the driver's id of the node.
    CsiNodeId,
    /// The attach/detach controller attaches the volumes of the node.
    ControllerManagedAttach,
    /// The in-tree plugins whose volumes a node uses through CSI drivers.
    MigratedPlugins,
    /// The Helm release that owns the object.
    HelmRelease,
    /// Whether Helm keeps the object when it uninstalls the release.
    HelmPolicy,
    /// The Argo CD application that owns the object, followed by the kind and name of the object itself.
    ArgoTracking,
    /// How Argo CD treats the object.
    ArgoSyncOptions,
    /// Whether Flux deletes the object when the source no longer contains the object.
    FluxPrune,
    /// The program that created the volume. Only rules read this key.
    CreatedBy,
    /// The findings that audit suppresses for this object. No decision reads this key.
    Ignore,
}

impl AnnotationKey {
    /// Every key, in the order in which objects store them.
    pub const ALL: [Self; 30] = [
        Self::BindCompleted,
        Self::BoundByController,
        Self::MigratedTo,
        Self::ProvisionedBy,
        Self::BetaStorageClass,
        Self::BetaStorageProvisioner,
        Self::StorageProvisioner,
        Self::SelectedNode,
        Self::AlphaSelectedNode,
        Self::DeletionSecretName,
        Self::DeletionSecretNamespace,
        Self::AllowVolumeModeChange,
        Self::PreResizeCapacity,
        Self::StorageResizer,
        Self::NodeExpansionNotRequired,
        Self::ModifySecretName,
        Self::ModifySecretNamespace,
        Self::IsDefaultClass,
        Self::BetaIsDefaultClass,
        Self::IsDefaultSnapshotClass,
        Self::CsiNodeId,
        Self::ControllerManagedAttach,
        Self::MigratedPlugins,
        Self::HelmRelease,
        Self::HelmPolicy,
        Self::ArgoTracking,
        Self::ArgoSyncOptions,
        Self::FluxPrune,
        Self::CreatedBy,
        Self::Ignore,
    ];

    /// Returns the key as manifests write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BindCompleted => "pv.kubernetes.io/bind-completed",
            Self::BoundByController => "pv.kubernetes.io/bound-by-controller",
            Self::MigratedTo => "pv.kubernetes.io/migrated-to",
            Self::ProvisionedBy => "pv.kubernetes.io/provisioned-by",
            Self::BetaStorageClass => "volume.beta.kubernetes.io/storage-class",
            Self::BetaStorageProvisioner => "volume.beta.kubernetes.io/storage-provisioner",
            Self::StorageProvisioner => "volume.kubernetes.io/storage-provisioner",
            Self::SelectedNode => "volume.kubernetes.io/selected-node",
            Self::AlphaSelectedNode => "volume.alpha.kubernetes.io/selected-node",
            Self::DeletionSecretName => "volume.kubernetes.io/provisioner-deletion-secret-name",
            Self::DeletionSecretNamespace => "volume.kubernetes.io/provisioner-deletion-secret-namespace",
            Self::AllowVolumeModeChange => "snapshot.storage.kubernetes.io/allow-volume-mode-change",
            Self::PreResizeCapacity => "volume.alpha.kubernetes.io/pre-resize-capacity",
            Self::StorageResizer => "volume.kubernetes.io/storage-resizer",
            Self::NodeExpansionNotRequired => "volume.kubernetes.io/node-expansion-not-required",
            Self::ModifySecretName => "volume.kubernetes.io/controller-modify-secret-name",
            Self::ModifySecretNamespace => "volume.kubernetes.io/controller-modify-secret-namespace",
            Self::IsDefaultClass => "storageclass.kubernetes.io/is-default-class",
            Self::BetaIsDefaultClass => "storageclass.beta.kubernetes.io/is-default-class",
            Self::IsDefaultSnapshotClass => "snapshot.storage.kubernetes.io/is-default-class",
            Self::CsiNodeId => "csi.alpha.kubernetes.io/node-id",
            Self::ControllerManagedAttach => "volumes.kubernetes.io/controller-managed-attach-detach",
            Self::MigratedPlugins => "storage.alpha.kubernetes.io/migrated-plugins",
            Self::HelmRelease => "meta.helm.sh/release-name",
            Self::HelmPolicy => "helm.sh/resource-policy",
            Self::ArgoTracking => "argocd.argoproj.io/tracking-id",
            Self::ArgoSyncOptions => "argocd.argoproj.io/sync-options",
            Self::FluxPrune => "kustomize.toolkit.fluxcd.io/prune",
            Self::CreatedBy => "kubernetes.io/createdby",
            Self::Ignore => "pvctl.dev/ignore",
        }
    }

    /// Returns the key with this spelling, if it is one of [`Self::ALL`].
    pub fn from_manifest(key: &str) -> Option<Self> {
        const PARTS: [&str; 5] = ["kubernetes.io/", "pvctl.dev/", "helm.sh/", "argocd.argoproj.io/", "fluxcd.io/"];
        if !PARTS.iter().any(|part| key.contains(part)) {
            return None;
        }
        Self::ALL.into_iter().find(|known| known.as_str() == key)
    }
}

/// A text that is only shown: no decision reads it. All texts of this type compare as equal.
#[derive(Clone, Default, Eq)]
pub struct Unread(pub Str);

impl PartialEq for Unread {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Unread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Unread")
    }
}

/// The annotations of one object: the known keys with their values, and the number of all other annotations. The number
/// matters, because an update that empties the map leaves out the whole field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Annotations {
    known: Vec<(AnnotationKey, Str)>,
    others: u32,
}

impl Annotations {
    /// Returns the annotations with these known keys and this number of other annotations.
    pub fn new(mut known: Vec<(AnnotationKey, Str)>, others: u32) -> Self {
        known.sort_by_key(|(key, _)| *key);
        known.shrink_to_fit();
        Self { known, others }
    }

    /// Returns the value of a key, if it is present.
    pub fn get(&self, key: AnnotationKey) -> Option<&str> {
        self.known.iter().find(|(present, _)| *present == key).map(|(_, value)| value.as_str())
    }

    /// Returns whether the key is present, with any value.
    pub fn has(&self, key: AnnotationKey) -> bool {
        self.get(key).is_some()
    }

    /// Sets a key to a value.
    pub fn set(&mut self, key: AnnotationKey, value: impl Into<Str>) {
        let value = value.into();
        match self.known.binary_search_by_key(&key, |(present, _)| *present) {
            Ok(found) => self.known[found].1 = value,
            Err(place) => self.known.insert(place, (key, value)),
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: AnnotationKey) {
        self.known.retain(|(present, _)| *present != key);
    }

    /// Returns whether there is no annotation at all, known or not.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty() && self.others == 0
    }

    /// Returns whether there are annotations whose keys are not known.
    pub fn has_others(&self) -> bool {
        self.others > 0
    }

    /// Returns the known annotations in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (AnnotationKey, &str)> {
        self.known.iter().map(|(key, value)| (*key, value.as_str()))
    }
}
