//! The volume of an attachment as CSI has it, and the node as the driver names it.

use super::Attacher;
use super::decision::NotEvaluated;
use super::input::PublishDetails;
use super::work::Work;
use crate::controllers::csi_sidecar::is_migratable;
use crate::controllers::provisioner::Secrets;
use crate::controllers::scheduler::migration::InTree;
use crate::model::{
    AccessModes, AnnotationKey, CsiNode, PersistentVolume, SourceKind, Str, VolumeAttachment, VolumeMode,
};

/// The volume that the source of an attachment names.
pub(super) enum Named<'s> {
    /// A PersistentVolume.
    Volume(&'s PersistentVolume),
    /// The CSI volume of the spec of a pod.
    Inline(Box<CsiVolume>),
}

/// Why the source of an attachment cannot be used.
pub(super) enum Unusable {
    /// The source itself.
    Source(&'static str),
    /// The PersistentVolume does not exist.
    Missing(String),
    /// It is not known whether there is an inline volume.
    Unknown,
}

/// A CSI volume with what a call needs.
#[derive(Debug)]
pub(super) struct CsiVolume {
    pub(super) driver: Str,
    pub(super) handle: Str,
    pub(super) migrated: bool,
    pub(super) access_modes: AccessModes,
    pub(super) volume_mode: Option<VolumeMode>,
    /// The value is `None` if these fields are not known.
    pub(super) details: Option<PublishDetails>,
}

/// Why a volume is not a CSI volume.
pub(super) enum NotCsi {
    /// It is a volume of an in-tree plugin that cannot be translated.
    Untranslatable(String),
    /// It is another volume.
    Other,
    /// The translation is not modelled.
    Unknown,
}

/// The text of upstream for a volume that is neither a CSI volume nor one of a migrated plugin.
pub(super) const NOT_CSI: &str = "pv spec contained non-csi source that was not migrated";

impl<'s> Attacher<'s> {
    /// Returns the volume that the source of the attachment names. Upstream: the first part of `csiAttach` and
    /// `csiDetach`, v4.13.0.
    pub(super) fn named(&self, work: &mut Work<'_, 's>, attachment: &VolumeAttachment) -> Result<Named<'s>, Unusable> {
        let name = &attachment.volume_name;
        let known = self.unkept.inline.get(&attachment.meta.name);
        if !name.is_empty() {
            // An API server stores no attachment with both sources.
            if matches!(known, Some(Some(_))) {
                let text = "both InlineCSIVolumeSource and PersistentVolumeName specified in VA source";
                return Err(Unusable::Source(text));
            }
            let found = work.reads.find::<PersistentVolume>("", name);
            return found
                .map(Named::Volume)
                .ok_or_else(|| Unusable::Missing(format!("persistentvolume \"{name}\" not found")));
        }
        let Some(inline) = known else {
            work.not_evaluated.insert(NotEvaluated::InlineVolume);
            return Err(Unusable::Unknown);
        };
        let Some(inline) = inline else {
            let text = "neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source";
            return Err(Unusable::Source(text));
        };
        let Some((driver, handle)) = inline.csi.clone() else {
            return Err(Unusable::Source("inline volume spec contains nil CSI source"));
        };
        Ok(Named::Inline(Box::new(CsiVolume {
            driver,
            handle,
            migrated: false,
            access_modes: inline.access_modes.clone(),
            volume_mode: inline.volume_mode.clone(),
            details: Some(inline.details.clone()),
        })))
    }

    /// Returns the CSI volume of a PersistentVolume. Upstream: `TranslateInTreePVToCSI`, csi-translation-lib, 0.36, and
    /// `getCSISource`, v4.13.0.
    pub(super) fn csi_volume(&self, work: &mut Work<'_, 's>, volume: &PersistentVolume) -> Result<CsiVolume, NotCsi> {
        let known = self.unkept.volumes.get(&volume.meta.name).cloned();
        let migrated = is_migratable(volume);
        let (driver, handle, details) = if volume.source.kind == SourceKind::Csi {
            (volume.source.detail.clone(), volume.source.handle.clone(), known)
        } else if let Some(plugin) = InTree::of(volume) {
            let handle = plugin.handle(volume).map_err(NotCsi::Untranslatable)?;
            match plugin {
                InTree::Aws | InTree::Cinder => {}
                InTree::AzureDisk | InTree::Gce | InTree::Portworx => {
                    work.not_evaluated.insert(NotEvaluated::MigratedVolume);
                }
            }
            (Str::from(plugin.driver()), Str::from(handle), known)
        } else if migrated {
            work.not_evaluated.insert(NotEvaluated::MigratedVolume);
            return Err(NotCsi::Unknown);
        } else {
            return Err(NotCsi::Other);
        };
        if details.is_none() {
            work.not_evaluated.insert(NotEvaluated::Details);
        }
        let (access_modes, volume_mode) = (volume.access_modes.clone(), volume.volume_mode.clone());
        Ok(CsiVolume { driver, handle, migrated, access_modes, volume_mode, details })
    }

    /// Checks that the Secret for a call exists. Upstream: `getCredentialsFromPV`, v4.13.0.
    pub(super) fn credentials(&self, work: &mut Work<'_, 's>, volume: &CsiVolume) -> Result<(), String> {
        let Some((namespace, name)) = volume.details.as_ref().and_then(|details| details.secret.as_ref()) else {
            return Ok(());
        };
        match &self.unkept.secrets {
            Secrets::Unknown => {
                work.not_evaluated.insert(NotEvaluated::Secret);
                Ok(())
            }
            Secrets::Known(all) if all.contains(&(namespace.clone(), name.clone())) => Ok(()),
            Secrets::Known(_) => {
                Err(format!("failed to load secret \"{namespace}/{name}\": secrets \"{name}\" not found"))
            }
        }
    }

    /// Returns the id of the node: the one that the driver has registered, or else the one in the annotation of an
    /// attachment. Upstream: `getNodeID`, v4.13.0.
    pub(super) fn node_id(
        &self,
        work: &mut Work<'_, 's>,
        node: &str,
        remembered: Option<&VolumeAttachment>,
    ) -> Result<Str, String> {
        let driver = &self.sidecar.driver;
        let error = match work.reads.find::<CsiNode>("", node) {
            Some(found) => match found.driver(driver) {
                Some(registered) => return Ok(registered.node_id.clone()),
                None => format!("CSINode {node} does not contain driver {driver}"),
            },
            None => format!("csinode.storage.k8s.io \"{node}\" not found"),
        };
        let stored = remembered.and_then(|attachment| attachment.meta.annotations.get(AnnotationKey::CsiNodeId));
        stored.map(Str::from).ok_or(error)
    }
}
