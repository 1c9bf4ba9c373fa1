//! The source from which a new volume is filled.

use super::decision::ContentSource;
use super::leaves::ProvisionBranch;
use super::prepare::Stop;
use super::sidecar::{Capability, Sidecar};
use crate::controllers::scheduler::reads::Reads;
use crate::model::{
    AnnotationKey, ClaimPhase, DataSource, PersistentVolume, PersistentVolumeClaim, Quantity, SourceKind, StorageClass,
    Str, VolumeMode, VolumePhase, VolumeSnapshot, VolumeSnapshotContent,
};

pub(super) const SNAPSHOT: &str = "VolumeSnapshot";
pub(super) const SNAPSHOT_GROUP: &str = "snapshot.storage.k8s.io";
pub(super) const CLAIM: &str = "PersistentVolumeClaim";
/// The finalizer of a claim that is cloned.
pub(super) const CLONE_FINALIZER: &str = "provisioner.storage.kubernetes.io/cloning-protection";
/// The finalizer of a VolumeSnapshot from which volumes are filled.
pub(super) const SNAPSHOT_FINALIZER: &str = "provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection";

/// A source that the provisioner can use: a claim or a VolumeSnapshot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'c> {
    pub(super) namespace: &'c str,
    pub(super) name: &'c str,
    pub(super) is_snapshot: bool,
}

impl Source<'_> {
    pub(super) fn kind(self) -> &'static str {
        if self.is_snapshot { SNAPSHOT } else { CLAIM }
    }

    /// Returns the capability that the driver needs for such a source.
    pub(super) fn capability(self) -> Capability {
        if self.is_snapshot { Capability::CreateDeleteSnapshot } else { Capability::CloneVolume }
    }
}

/// Returns the source of the claim if `spec.dataSource` is set. Such a source is always in the namespace of the claim.
/// Upstream reads this field before `dataSourceRef`.
pub(super) fn of_data_source(claim: &PersistentVolumeClaim) -> Option<&DataSource> {
    claim.source().filter(|_| claim.data_source)
}

/// Returns the source of the claim, if it has one. Upstream: `dataSource`, v6.4.0, with the gate
/// `CrossNamespaceVolumeDataSource` off.
pub(super) fn data_source(claim: &PersistentVolumeClaim) -> Result<Option<&DataSource>, Stop> {
    let Some(source) = claim.source() else { return Ok(None) };
    if !claim.data_source && !source.namespace.is_empty() {
        return Err(Stop::finished(
            ProvisionBranch::SourceInOtherNamespace,
            "dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled",
        ));
    }
    Ok(Some(source))
}

/// Checks the source, and returns it in the form that the provisioner uses. Upstream: `prepareProvision`, v6.4.0.
pub(super) fn supported<'c>(claim: &'c PersistentVolumeClaim, source: &'c DataSource) -> Result<Source<'c>, Stop> {
    if source.name.is_empty() {
        let text = format!("the PVC source not found for PVC {}", claim.meta.name);
        return Err(Stop::finished(ProvisionBranch::SourceWithoutName, text));
    }
    let is_snapshot = match source.kind.as_str() {
        SNAPSHOT if source.group != SNAPSHOT_GROUP => {
            let text = format!(
                "the PVC source does not belong to the right APIGroup. Expected {SNAPSHOT_GROUP}, Got {}",
                source.group
            );
            return Err(Stop::finished(ProvisionBranch::SourceOfOtherGroup, text));
        }
        SNAPSHOT => true,
        CLAIM => false,
        other => {
            return Err(Stop::ignored(format!(
                "ignored because data source ({other}) is not handled by the provisioner, assuming an external \
                 populator will provision it"
            )));
        }
    };
    Ok(Source { namespace: &claim.meta.namespace, name: &source.name, is_snapshot })
}

/// Returns the source in the form that the request to the driver needs. Upstream: `getVolumeContentSource`, v6.4.0.
pub(super) fn content_source(
    reads: &mut Reads<'_>,
    sidecar: &Sidecar,
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    source: Source<'_>,
) -> Result<ContentSource, Stop> {
    let (leaf, found) = if source.is_snapshot {
        (ProvisionBranch::SnapshotSourceUnusable, snapshot_source(reads, sidecar, claim, class, source))
    } else {
        (ProvisionBranch::CloneSourceUnusable, claim_source(reads, claim, class, source))
    };
    found.map_err(|error| {
        let (kind, name) = (source.kind(), source.name);
        Stop::no_change(leaf, format!("error getting handle for DataSource Type {kind} by Name {name}: {error}"))
    })
}

fn requested(claim: &PersistentVolumeClaim) -> i64 {
    claim.requested().map_or(0, |quantity| quantity.value())
}

/// Checks a claim that has to be cloned, and returns the handle of its volume. Upstream: `getPVCSource`, v6.4.0.
fn claim_source(
    reads: &mut Reads<'_>,
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    source: Source<'_>,
) -> Result<ContentSource, String> {
    let name = source.name;
    let Some(from) = reads.find::<PersistentVolumeClaim>(source.namespace, name) else {
        let namespace = claim.meta.namespace.as_str();
        return Err(format!(
            "error getting PVC {name} (namespace {namespace:?}) from api server: persistentvolumeclaim {name:?} not found"
        ));
    };
    if from.status.phase != ClaimPhase::Bound {
        // Upstream prints the whole status here, with addresses of memory.
        let phase = from.status.phase.as_str();
        return Err(format!("the PVC DataSource {name} must have a status of Bound.  Got {{{phase} …}}"));
    }
    if from.terminating() {
        return Err(format!("the PVC DataSource {name} is currently being deleted"));
    }
    if from.class_name.is_none() {
        return Err(format!("the source PVC ({name}) storageclass cannot be empty"));
    }
    if claim.class_name.is_none() {
        return Err(format!("the requested PVC ({}) storageclass cannot be empty", claim.meta.name));
    }
    let (wanted, present) = (requested(claim), requested(from));
    if wanted < present {
        return Err(format!(
            "error, new PVC request must be greater than or equal in size to the specified PVC data source, requested \
             {wanted} but source is {present}"
        ));
    }
    if from.volume_name.is_empty() {
        return Err(format!("volume name is empty in source PVC {name}"));
    }
    let usable = |volume: &&PersistentVolume| {
        volume.source.kind == SourceKind::Csi
            && volume.source.detail == class.provisioner
            && volume.status.phase == VolumePhase::Bound
            && volume.claim_ref.as_ref().is_some_and(|named| {
                (&named.uid, &named.namespace, &named.name) == (&from.meta.uid, &from.meta.namespace, &from.meta.name)
            })
    };
    let Some(volume) = reads.find::<PersistentVolume>("", &from.volume_name).filter(usable) else {
        return Err("claim in dataSource not bound or invalid".to_owned());
    };
    let same_mode = "the source PVC and destination PVCs must have the same volume mode for cloning.  Source is";
    match (claim.mode(), volume.mode()) {
        (VolumeMode::Filesystem, mode) if mode != VolumeMode::Filesystem => {
            Err(format!("{same_mode} Block, but new PVC requested Filesystem"))
        }
        (VolumeMode::Block, mode) if mode != VolumeMode::Block => {
            Err(format!("{same_mode} Filesystem, but new PVC requested Block"))
        }
        _ => Ok(ContentSource::Volume(volume.source.handle.clone())),
    }
}

/// Checks a VolumeSnapshot, and returns the snapshot handle of its content. Upstream: `getSnapshotSource`, v6.4.0.
fn snapshot_source(
    reads: &mut Reads<'_>,
    sidecar: &Sidecar,
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    source: Source<'_>,
) -> Result<ContentSource, String> {
    let name = source.name;
    let Some(snapshot) = reads.find::<VolumeSnapshot>(source.namespace, name) else {
        return Err(format!(
            "error getting snapshot {name} from api server: volumesnapshots.snapshot.storage.k8s.io {name:?} not found"
        ));
    };
    if snapshot.meta.deleted.is_some() && !snapshot.meta.has_finalizer(SNAPSHOT_FINALIZER) {
        return Err(format!("snapshot {name} is being deleted"));
    }
    if snapshot.bound_content.is_empty() {
        return Err(format!("snapshot {name} not bound"));
    }
    let content_name = snapshot.bound_content.as_str();
    let Some(content) = reads.find::<VolumeSnapshotContent>("", content_name) else {
        return Err(format!("error getting snapshotcontent {content_name} for snapshot {name}"));
    };
    let named = &content.snapshot;
    if (&named.uid, &named.namespace, &named.name)
        != (&snapshot.meta.uid, &snapshot.meta.namespace, &snapshot.meta.name)
    {
        return Err(format!("snapshotcontent {content_name} for snapshot {name} is bound to a different snapshot"));
    }
    if content.driver != class.provisioner {
        return Err(format!(
            "snapshotcontent {content_name} for snapshot {name} is not handled by CSI driver of StorageClass {}",
            class.meta.name
        ));
    }
    if snapshot.ready != Some(true) {
        return Err(format!("snapshot {name} is not Ready"));
    }
    if content.handle.is_empty() {
        return Err(format!("snapshot handle {name} is not available"));
    }
    if let Some(least) = snapshot.restore_size.as_ref().map(Quantity::value) {
        if claim.request.is_none() {
            let claim = &claim.meta.name;
            return Err(format!("error getting capacity for PVC {claim} when creating snapshot {name}"));
        }
        let wanted = requested(claim);
        if wanted < least {
            return Err(format!(
                "requested volume size {wanted} is less than the size {least} for the source snapshot {name}"
            ));
        }
    }
    if sidecar.prevent_volume_mode_conversion {
        keeps_mode(claim, content)?;
    }
    Ok(ContentSource::Snapshot(content.handle.clone()))
}

/// Checks that the claim has the volume mode of the VolumeSnapshotContent, or that the volume mode may change.
fn keeps_mode(claim: &PersistentVolumeClaim, content: &VolumeSnapshotContent) -> Result<(), String> {
    let differs = |mode: &VolumeMode| claim.volume_mode.as_ref().is_some_and(|wanted| wanted != mode);
    if !content.source_volume_mode.as_ref().is_some_and(differs) {
        return Ok(());
    }
    let key = AnnotationKey::AllowVolumeModeChange;
    let why = match content.meta.annotations.get(key) {
        None => format!("{} annotation is not present on snapshotcontent {}", key.as_str(), content.meta.name),
        Some("1" | "t" | "T" | "true" | "TRUE" | "True") => return Ok(()),
        Some("0" | "f" | "F" | "false" | "FALSE" | "False") => {
            format!("{} is set to false on snapshotcontent {}", key.as_str(), content.meta.name)
        }
        Some(other) => format!(
            "failed to convert {} annotation value to boolean with error: strconv.ParseBool: parsing {other:?}: \
             invalid syntax",
            key.as_str()
        ),
    };
    let (namespace, name) = (&claim.meta.namespace, &claim.meta.name);
    Err(format!(
        "requested volume {namespace}/{name} modifies the mode of the source volume but does not have permission to \
         do so. {why}"
    ))
}

/// Returns the finalizers with the wanted finalizer added, or `None` if it is there already. Upstream:
/// `setCloneFinalizer` and `setSnapshotFinalizer`, v6.4.0.
pub(super) fn with_finalizer(finalizers: &[Str], wanted: &'static str) -> Option<Vec<Str>> {
    let is_there = finalizers.iter().any(|present| present == wanted);
    (!is_there).then(|| finalizers.iter().cloned().chain([Str::const_new(wanted)]).collect())
}

/// Returns the finalizers without the unwanted finalizer, or `None` if it is not there.
pub(super) fn without_finalizer(finalizers: &[Str], unwanted: &str) -> Option<Vec<Str>> {
    let rest: Vec<Str> = finalizers.iter().filter(|present| *present != unwanted).cloned().collect();
    (rest.len() != finalizers.len()).then_some(rest)
}
