//! The request for a volume. Upstream: `prepareProvision` of external-provisioner v6.4.0.

use super::class::{ClassForDriver, for_driver};
use super::data_source::{self, CLONE_FINALIZER, SNAPSHOT_FINALIZER, Source};
use super::decision::{Act, CreateVolumeRequest, NotEvaluated, ProvisioningState, SecretName};
use super::leaves::ProvisionBranch;
use super::secrets::{self, ForClaim, SecretParams, get_secret_reference};
use super::sidecar::{Capability, Secrets, Sidecar};
use super::topology::{Unusable, Wanted, generate_accessibility_requirements};
use crate::controllers::scheduler::reads::Reads;
use crate::model::{
    AccessMode, Kind, ObjectKey, PersistentVolumeClaim, StorageClass, Str, VolumeAttributesClass, VolumeMode,
    VolumeSnapshot,
};
use crate::world::View;
use std::collections::{BTreeMap, BTreeSet};

/// The end of `Provision` with an error: the leaf, the state of the provisioning, and the error.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) leaf: ProvisionBranch,
    pub(super) state: ProvisioningState,
    pub(super) error: String,
}

impl Stop {
    pub(super) fn finished(leaf: ProvisionBranch, error: impl Into<String>) -> Self {
        Self { leaf, state: ProvisioningState::Finished, error: error.into() }
    }

    pub(super) fn no_change(leaf: ProvisionBranch, error: impl Into<String>) -> Self {
        Self { leaf, state: ProvisioningState::NoChange, error: error.into() }
    }

    /// Returns the stop for a source that is left to a volume populator. Upstream: `IgnoredError` of
    /// sig-storage-lib-external-provisioner v13.1.0.
    pub(super) fn ignored(error: String) -> Self {
        Self::finished(ProvisionBranch::SourceIgnored, error)
    }
}

/// The results of a sync so far: its reads, its actions, and what is not modelled.
pub(super) struct Work<'s> {
    pub(super) reads: Reads<'s>,
    pub(super) acts: Vec<Act>,
    pub(super) not_evaluated: BTreeSet<NotEvaluated>,
}

impl<'s> Work<'s> {
    pub(super) fn new(view: View<'s>) -> Self {
        Self { reads: Reads::new(view), acts: Vec::new(), not_evaluated: BTreeSet::new() }
    }

    pub(super) fn event(&mut self, warning: bool, reason: &'static str, message: impl Into<String>) {
        self.acts.push(Act::Event { warning, reason, message: message.into() });
    }
}

/// A request that can be sent, and values for the PersistentVolume that are found while the request is prepared.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) request: CreateVolumeRequest,
    pub(super) migrated: bool,
    /// The type of the file system that the class or the provisioner states.
    pub(super) fs_type: Str,
    /// The references to Secrets in `spec.csi` of the volume, by their fields.
    pub(super) secrets: BTreeMap<&'static str, SecretName>,
    pub(super) modify_secret: Option<SecretName>,
}

/// Prepares the request. Writes that happen before the request are added to the actions of the sync.
pub(super) fn prepare_provision(
    sync: &mut Work<'_>,
    sidecar: &Sidecar,
    existing: &Secrets,
    claim: &PersistentVolumeClaim,
    class: &StorageClass,
    selected_node: &str,
) -> Result<Prepared, Stop> {
    let stated = data_source::data_source(claim)?;
    let class = for_driver(sidecar, class);
    if class.not_evaluated {
        sync.not_evaluated.insert(NotEvaluated::MigratedClass);
    }
    let source = stated.map(|source| data_source::supported(claim, source)).transpose();
    let source = source.inspect_err(|stop| {
        if stop.leaf == ProvisionBranch::SourceIgnored {
            sync.event(false, "Provisioning", "Assuming an external populator will provision the volume");
        }
    })?;
    let attributes_class = claim.attributes_class();
    check_driver_capabilities(sidecar, source, !attributes_class.is_empty())
        .map_err(|error| Stop::finished(ProvisionBranch::DriverLacksCapability, error))?;
    if claim.selector.is_some() {
        return Err(Stop::finished(ProvisionBranch::SelectorUnsupported, "claim Selector is not supported"));
    }
    let name: Str = format!("pvc-{}", claim.meta.uid).into();
    let fs_type = fs_type(sidecar, &class)?;
    let modes = access_modes(sidecar, claim)?;
    let block = claim.mode() == VolumeMode::Block;
    // CSI states file system and mount options together with an access mode. So a request without access modes has
    // neither of them.
    let mount = !block && !modes.is_empty();
    let mut request = CreateVolumeRequest {
        name: name.clone(),
        bytes: claim.requested().map_or(0, |quantity| quantity.value()),
        modes,
        block,
        fs_type: if mount { fs_type.clone() } else { Str::default() },
        mount_flags: if mount { class.class.mount_options.to_vec() } else { Vec::new() },
        ..CreateVolumeRequest::default()
    };
    if let Some(source) = source {
        request.source = Some(data_source::content_source(&mut sync.reads, sidecar, claim, class.class, source)?);
        protect(sync, source);
    }
    if sidecar.can(Capability::AccessibilityConstraints) {
        let wanted = Wanted { claim: &claim.meta.name, allowed: &class.allowed, selected_node };
        let required = generate_accessibility_requirements(&mut sync.reads, sidecar, wanted);
        request.topology = required.map_err(|unusable| match unusable {
            Unusable::NotFound(error) => {
                let (leaf, state) = (ProvisionBranch::SelectedNodeMissing, ProvisioningState::Reschedule);
                Stop { leaf, state, error }
            }
            Unusable::Other(error) => {
                let error = format!("error generating accessibility requirements: {error}");
                Stop::no_change(ProvisionBranch::TopologyUnusable, error)
            }
        })?;
    }
    let named = |sync: &mut Work<'_>, purpose: SecretParams| {
        let (namespace, own) = (&claim.meta.namespace, &claim.meta.name);
        let of = ForClaim { namespace, name: own, claim: Some(claim) };
        let reference = get_secret_reference(purpose, &class.parameters, &name, of);
        if reference.unread_annotation {
            sync.not_evaluated.insert(NotEvaluated::ClaimAnnotations);
        }
        reference.found.map_err(|error| Stop::no_change(ProvisionBranch::SecretUnresolvable, error))
    };
    request.secret = named(sync, secrets::PROVISIONER)?;
    if let Some(secret) = &request.secret {
        get_credentials(sync, existing, secret)
            .map_err(|error| Stop::no_change(ProvisionBranch::SecretNotFound, error))?;
    }
    let mut of_volume = BTreeMap::new();
    for (field, purpose) in secrets::OF_VOLUME {
        of_volume.extend(named(sync, purpose)?.map(|secret| (field, secret)));
    }
    let modify_secret = named(sync, secrets::CONTROLLER_MODIFY)?;
    request.parameters = parameters(sidecar, &class)?;
    if !attributes_class.is_empty() {
        request.mutable_parameters = mutable_parameters(sync, sidecar, attributes_class)?;
    }
    Ok(Prepared { request, migrated: class.migrated, fs_type, secrets: of_volume, modify_secret })
}

/// Checks whether the driver has the capabilities that the request needs. Upstream: `checkDriverCapabilities`, v6.4.0.
pub(super) fn check_driver_capabilities(
    sidecar: &Sidecar,
    source: Option<Source<'_>>,
    modifies: bool,
) -> Result<(), &'static str> {
    let checks = [
        (
            Some(Capability::ControllerService),
            "CSI driver does not support dynamic provisioning: plugin CONTROLLER_SERVICE capability is not reported",
        ),
        (
            Some(Capability::CreateDeleteVolume),
            "CSI driver does not support dynamic provisioning: controller CREATE_DELETE_VOLUME capability is not reported",
        ),
        (
            source.filter(|source| source.is_snapshot).map(Source::capability),
            "CSI driver does not support snapshot restore: controller CREATE_DELETE_SNAPSHOT capability is not reported",
        ),
        (
            source.filter(|source| !source.is_snapshot).map(Source::capability),
            "CSI driver does not support clone operations: controller CLONE_VOLUME capability is not reported",
        ),
        (
            modifies.then_some(Capability::ModifyVolume),
            "CSI driver does not support VolumeAttributesClass: controller MODIFY_VOLUME capability is not reported",
        ),
    ];
    let lacks = |needed: &Option<Capability>| needed.is_some_and(|needed| !sidecar.can(needed));
    checks.into_iter().find(|(needed, _)| lacks(needed)).map_or(Ok(()), |(_, error)| Err(error))
}

fn fs_type(sidecar: &Sidecar, class: &ClassForDriver<'_>) -> Result<Str, Stop> {
    const KEY: &str = "csi.storage.k8s.io/fstype";
    let mut stated = class.parameters.iter().filter(|(key, _)| key.eq_ignore_ascii_case("fstype") || key == KEY);
    let first = stated.next().map(|(_, value)| value.clone()).unwrap_or_default();
    if stated.next().is_some() {
        let text = format!("fstype specified in parameters with both \"fstype\" and \"{KEY}\" keys");
        return Err(Stop::finished(ProvisionBranch::FsTypeTwice, text));
    }
    Ok(if first.is_empty() { sidecar.default_fs_type.clone() } else { first })
}

/// Returns the CSI access mode for each access mode of the claim. Upstream: `getVolumeCapabilities`, v6.4.0, and
/// `ToCSIAccessMode`, csi-lib-utils v0.25.0.
fn access_modes(sidecar: &Sidecar, claim: &PersistentVolumeClaim) -> Result<Vec<&'static str>, Stop> {
    let apart = sidecar.can(Capability::SingleNodeMultiWriter);
    let mode = |mode: &AccessMode| match mode {
        AccessMode::ReadWriteMany => Ok("MULTI_NODE_MULTI_WRITER"),
        AccessMode::ReadOnlyMany => Ok("MULTI_NODE_READER_ONLY"),
        AccessMode::ReadWriteOnce if apart => Ok("SINGLE_NODE_MULTI_WRITER"),
        AccessMode::ReadWriteOncePod if apart => Ok("SINGLE_NODE_SINGLE_WRITER"),
        AccessMode::ReadWriteOnce | AccessMode::ReadWriteOncePod => Ok("SINGLE_NODE_WRITER"),
        AccessMode::Other(other) => {
            let text = format!("unsupported AccessMode combination: [{other}]");
            Err(Stop::finished(ProvisionBranch::AccessModeUnsupported, text))
        }
    };
    claim.access_modes.0.iter().map(mode).collect()
}

/// Adds the finalizer that keeps the source while a volume is filled from it.
fn protect(sync: &mut Work<'_>, source: Source<'_>) {
    let (kind, wanted, present) = if source.is_snapshot {
        let found = sync.reads.find::<VolumeSnapshot>(source.namespace, source.name);
        (Kind::VolumeSnapshot, SNAPSHOT_FINALIZER, found.map(|snapshot| &snapshot.meta))
    } else {
        let found = sync.reads.find::<PersistentVolumeClaim>(source.namespace, source.name);
        (Kind::PersistentVolumeClaim, CLONE_FINALIZER, found.map(|claim| &claim.meta))
    };
    let finalizers = present.map(|meta| &*meta.finalizers).unwrap_or_default();
    if let Some(finalizers) = data_source::with_finalizer(finalizers, wanted) {
        let object = ObjectKey { kind, namespace: source.namespace.into(), name: source.name.into() };
        sync.acts.push(Act::Finalizers { object, finalizers });
    }
}

/// Checks whether the Secret exists. Upstream: `getCredentials`, v6.4.0.
pub(super) fn get_credentials(sync: &mut Work<'_>, existing: &Secrets, secret: &SecretName) -> Result<(), String> {
    match existing {
        Secrets::Unknown => {
            sync.not_evaluated.insert(NotEvaluated::Secrets);
            Ok(())
        }
        Secrets::Known(all) if all.contains(secret) => Ok(()),
        Secrets::Known(_) => {
            let (namespace, name) = secret;
            let name = name.as_str();
            Err(format!("error getting secret {name} in namespace {namespace}: secrets {name:?} not found"))
        }
    }
}

/// Returns the names of the parameters that the driver gets. Upstream: `removePrefixedParameters`, v6.4.0.
fn parameters(sidecar: &Sidecar, class: &ClassForDriver<'_>) -> Result<Vec<Str>, Stop> {
    let mut names: BTreeSet<Str> = BTreeSet::new();
    for (key, _) in class.parameters.iter() {
        match secrets::is_reserved(key) {
            None => {
                names.insert(key.clone());
            }
            Some(true) => {}
            Some(false) => {
                let text = format!(
                    "failed to strip CSI Parameters of prefixed keys: found unknown parameter key \"{key}\" with \
                     reserved namespace csi.storage.k8s.io/"
                );
                return Err(Stop::finished(ProvisionBranch::ParameterUnknown, text));
            }
        }
    }
    if sidecar.extra_create_metadata {
        let metadata = ["pvc/name", "pvc/namespace", "pv/name"];
        names.extend(metadata.map(|name| Str::from(format!("csi.storage.k8s.io/{name}"))));
    }
    Ok(names.into_iter().collect())
}

fn mutable_parameters(sync: &mut Work<'_>, sidecar: &Sidecar, name: &str) -> Result<Vec<Str>, Stop> {
    let Some(class) = sync.reads.find::<VolumeAttributesClass>("", name) else {
        let text = format!("volumeattributesclasses.storage.k8s.io {name:?} not found");
        return Err(Stop::no_change(ProvisionBranch::AttributesClassNotFound, text));
    };
    if class.driver != sidecar.driver {
        let text = format!(
            "VAC {name} referenced in PVC is for driver {} which does not match driver name {}",
            class.driver, sidecar.driver
        );
        return Err(Stop::finished(ProvisionBranch::AttributesClassOfOtherDriver, text));
    }
    Ok(class.parameters.to_vec())
}
