//! The desired state: which volumes of a pod the kubelet has to mount, and which ones it cannot process.

use super::KubeletVolumes;
use super::leaves::PopulatorBranch;
use crate::controllers::KubernetesBehavior;
use crate::controllers::attach_detach::{AttachableVolume, migrated_driver};
use crate::controllers::scheduler::migration::InTree;
use crate::controllers::scheduler::reads::Reads;
use crate::model::{
    AccessMode, ClaimPhase, PersistentVolume, PersistentVolumeClaim, Pod, Quantity, SourceKind, Str, VolumeMode,
    VolumeUse,
};
use std::collections::BTreeMap;

/// What the populator decides about a volume of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Populated<'s> {
    /// The name of the volume in the pod.
    pub name: Str,
    /// The name of the claim.
    pub claim: Str,
    /// The leaf. It is `None` if the kind of the volume is not modelled.
    pub leaf: Option<PopulatorBranch>,
    /// The error, in upstream's words. It is empty if there is none.
    pub error: String,
    /// The volume that the kubelet has to mount.
    pub(super) wanted: Option<Wanted<'s>>,
    /// The sizes of the volume. There are none if the pod only reads the volume.
    pub(super) sizes: Option<Sizes>,
}

/// The sizes of a volume that can be expanded on the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// The capacity of the PersistentVolume.
    pub(super) volume: Quantity,
    /// The capacity in the status of the claim.
    pub(super) claim: Quantity,
}

/// A volume that the kubelet has to mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted<'s> {
    pub(super) volume: &'s PersistentVolume,
    /// The volume as it is attached, if a plugin can attach it.
    pub(super) attachable: Option<AttachableVolume>,
    /// The name of the storage, if several pods share one entry of the kubelet's state. Upstream:
    /// `GetUniqueVolumeNameFromSpec`, `pkg/volume/util`, 1.36.
    pub(super) shared: Option<Str>,
    /// Whether the volume is a block device.
    pub(super) is_block: bool,
    /// Whether the pod only reads the volume.
    pub(super) read_only: bool,
    /// The CSI driver.
    pub(super) driver: Option<Str>,
}

/// Returns whether `ReadWriteOncePod` is the only access mode of the volume. The translation of a GCE disk to CSI drops
/// this mode. Upstream: `backwardCompatibleAccessModes`, csi-translation-lib, 1.36.
pub fn is_for_one_pod(volume: &PersistentVolume) -> bool {
    let is_only = matches!(volume.access_modes.0.as_ref(), [AccessMode::ReadWriteOncePod]);
    is_only && InTree::of(volume) != Some(InTree::Gce)
}

/// A volume of a pod that uses a claim.
pub(super) struct Used<'p> {
    pub(super) name: &'p Str,
    claim: &'p Str,
    pub(super) by: VolumeUse,
    read_only: bool,
    is_ephemeral: bool,
}

/// Returns the volumes of the pod that use claims, in the order of the pod.
pub(super) fn volumes_with_claims(pod: &Pod) -> impl Iterator<Item = Used<'_>> {
    let named = pod.claims.iter().map(|volume| {
        let (name, claim) = (&volume.name, &volume.claim);
        (volume.place, Used { name, claim, by: volume.used, read_only: volume.read_only, is_ephemeral: false })
    });
    let ephemeral = pod.ephemeral.iter().map(|volume| {
        let claim = &volume.template.meta.name;
        let name = &volume.name;
        (volume.place, Used { name, claim, by: volume.used, read_only: false, is_ephemeral: true })
    });
    let mut all: Vec<_> = named.chain(ephemeral).collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, used)| used)
}

/// A leaf with an error.
type Failure = (PopulatorBranch, String);

impl<'s> KubeletVolumes<'s> {
    /// Returns what the populator decides about each volume of the pod that uses a claim, in the order of the pod.
    pub(super) fn populate(&self, reads: &mut Reads<'s>, pod: &Pod) -> Vec<Populated<'s>> {
        let mut all: Vec<Populated<'s>> =
            volumes_with_claims(pod).map(|used| self.populate_one(reads, pod, &used)).collect();
        // Volumes of the pod with the same storage are one entry, and a later one replaces an earlier one.
        let mut entries: BTreeMap<Str, Wanted<'s>> = BTreeMap::new();
        for wanted in all.iter_mut().rev().filter_map(|volume| volume.wanted.as_mut()) {
            if let Some(shared) = wanted.shared.clone() {
                *wanted = entries.entry(shared).or_insert_with(|| wanted.clone()).clone();
            }
        }
        all
    }

    fn populate_one(&self, reads: &mut Reads<'s>, pod: &Pod, used: &Used<'_>) -> Populated<'s> {
        let populated = |leaf, error, wanted: Option<(Wanted<'s>, Quantity)>| {
            let sizes = wanted.as_ref().filter(|(wanted, _)| !wanted.read_only);
            let sizes = sizes.map(|(wanted, claim)| Sizes { volume: storage(wanted.volume.storage()), claim: *claim });
            let wanted = wanted.map(|(wanted, _)| wanted);
            Populated { name: used.name.clone(), claim: used.claim.clone(), leaf, error, wanted, sizes }
        };
        if !used.by.is_used() {
            return populated(Some(PopulatorBranch::VolumeUnused), String::new(), None);
        }
        match self.wanted(reads, pod, used) {
            Ok(Some(wanted)) => populated(Some(PopulatorBranch::VolumeWanted), String::new(), Some(wanted)),
            Ok(None) => populated(None, String::new(), None),
            Err((leaf, error)) => populated(Some(leaf), error, None),
        }
    }

    /// Returns the volume that the kubelet has to mount, and the capacity in the status of the claim. The value is
    /// `None` if its kind is not modelled.
    fn wanted(
        &self,
        reads: &mut Reads<'s>,
        pod: &Pod,
        used: &Used<'_>,
    ) -> Result<Option<(Wanted<'s>, Quantity)>, Failure> {
        let namespace = pod.meta.namespace.as_str();
        let processing =
            |(leaf, error): Failure| (leaf, format!("error processing PVC {namespace}/{}: {error}", used.claim));
        let claim = bound_claim(reads, namespace, used.claim).map_err(processing)?;
        if used.is_ephemeral && claim.meta.controller_owner.as_ref() != Some(&pod.meta.uid) {
            let error = format!(
                "PVC {namespace}/{} was not created for pod {namespace}/{} (pod is not owner)",
                claim.meta.name, pod.meta.name
            );
            return Err((PopulatorBranch::VolumeClaimOfOther, error));
        }
        let volume = bound_volume(reads, claim).map_err(processing)?;
        let migrated = migrated_driver(self.behavior, volume);
        let is_migrated = migrated.is_some();
        if let Some(plugin) = InTree::of(volume).filter(|_| is_migrated)
            && let Err(error) = plugin.handle(volume)
        {
            return Err((
                PopulatorBranch::VolumeUntranslated,
                format!("failed to translate in-tree pv to CSI: {error}"),
            ));
        }
        let mode = volume.mode();
        if let Some(leaf) = misuse(volume, used.by) {
            let field = if leaf == PopulatorBranch::VolumeMountedAsFiles { "volumeMounts" } else { "volumeDevices" };
            let (name, mode) = (used.name, mode.as_str());
            return Err((leaf, format!("volume {name} has volumeMode {mode}, but is specified in {field}")));
        }
        match plugin_of(self.behavior, volume, is_migrated) {
            Plugin::Known => {}
            Plugin::Unmodelled => return Ok(None),
            Plugin::Missing => {
                let name = &volume.meta.name;
                let error =
                    format!("failed to get Plugin from volumeSpec for volume \"{name}\" err=no volume plugin matched");
                return Err((PopulatorBranch::VolumeWithoutPlugin, error));
            }
        }
        let attachable = AttachableVolume::of_volume(self.behavior, volume);
        let is_csi = volume.source.kind == SourceKind::Csi;
        let is_local = volume.source.kind == SourceKind::Local;
        let local = is_local.then(|| format!("kubernetes.io/local-volume/{}", volume.meta.name).into());
        let shared = attachable.as_ref().map(AttachableVolume::unique_name).or(local);
        let wanted = Wanted {
            volume,
            attachable,
            shared,
            is_block: mode == VolumeMode::Block,
            read_only: used.read_only,
            driver: migrated.map(Str::const_new).or_else(|| is_csi.then(|| volume.source.detail.clone())),
        };
        Ok(Some((wanted, storage(claim.status.storage()))))
    }
}

/// Returns a capacity. It is zero if none is stated.
pub(super) fn storage(stated: Option<&Quantity>) -> Quantity {
    stated.copied().unwrap_or(Quantity::ZERO)
}

/// Returns the claim if the kubelet accepts it. Upstream: `getPVCExtractPV`, 1.36.
fn bound_claim<'s>(reads: &mut Reads<'s>, namespace: &str, name: &str) -> Result<&'s PersistentVolumeClaim, Failure> {
    let Some(claim) = reads.find::<PersistentVolumeClaim>(namespace, name) else {
        let error = format!("failed to fetch PVC from API server: persistentvolumeclaims \"{name}\" not found");
        return Err((PopulatorBranch::VolumeClaimUnread, error));
    };
    if claim.terminating() && !claim.meta.has_finalizer(PersistentVolumeClaim::PROTECTION) {
        return Err((PopulatorBranch::VolumeClaimGoing, "PVC is being deleted".to_owned()));
    }
    if claim.status.phase != ClaimPhase::Bound {
        return Err((PopulatorBranch::VolumeClaimUnbound, "PVC is not bound".to_owned()));
    }
    if claim.volume_name.is_empty() {
        return Err((PopulatorBranch::VolumeClaimNamesNone, "PVC has empty pvc.Spec.VolumeName".to_owned()));
    }
    Ok(claim)
}

/// Returns the volume of the claim if the kubelet accepts it. Upstream: `getPVSpec`, 1.36.
fn bound_volume<'s>(reads: &mut Reads<'s>, claim: &PersistentVolumeClaim) -> Result<&'s PersistentVolume, Failure> {
    let name = &claim.volume_name;
    let Some(volume) = reads.find::<PersistentVolume>("", name) else {
        let error = format!("failed to fetch PV {name} from API server: persistentvolumes \"{name}\" not found");
        return Err((PopulatorBranch::VolumeUnread, error));
    };
    let Some(named) = &volume.claim_ref else {
        let error = format!(
            "found PV object {name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim"
        );
        return Err((PopulatorBranch::VolumeNamesNone, error));
    };
    if named.uid != claim.meta.uid {
        let error = format!(
            "found PV object {name} but its pv.Spec.ClaimRef.UID {} does not point to claim.UID {}",
            named.uid, claim.meta.uid
        );
        return Err((PopulatorBranch::VolumeNamesOther, error));
    }
    Ok(volume)
}

/// Returns the leaf if containers use the volume in a way that its volumeMode does not allow.
pub fn misuse(volume: &PersistentVolume, used: VolumeUse) -> Option<PopulatorBranch> {
    let mode = volume.mode();
    if used.as_file_system && mode != VolumeMode::Filesystem {
        Some(PopulatorBranch::VolumeMountedAsFiles)
    } else if used.as_device && mode != VolumeMode::Block {
        Some(PopulatorBranch::VolumeMappedAsBlock)
    } else {
        None
    }
}

/// Whether the kubelet has a plugin for a volume.
enum Plugin {
    Known,
    Missing,
    Unmodelled,
}

/// Returns whether the kubelet has a plugin for the volume. Upstream: `ProbeVolumePlugins`, `cmd/kubelet`, 1.36.
fn plugin_of(behavior: &KubernetesBehavior, volume: &PersistentVolume, is_migrated: bool) -> Plugin {
    match &volume.source.kind {
        SourceKind::Csi | SourceKind::HostPath | SourceKind::Nfs | SourceKind::Local => Plugin::Known,
        SourceKind::Other(field) if matches!(field.as_str(), "fc" | "iscsi") => Plugin::Known,
        SourceKind::Other(_) if is_migrated => Plugin::Known,
        SourceKind::Other(field)
            if matches!(field.as_str(), "azureFile" | "flexVolume" | "portworxVolume" | "vsphereVolume") =>
        {
            Plugin::Unmodelled
        }
        SourceKind::Other(_) | SourceKind::None if behavior.kubelets_lack_ceph => Plugin::Missing,
        SourceKind::Other(_) | SourceKind::None => Plugin::Unmodelled,
    }
}
