//! The differences between Kubernetes versions, and the effects of feature gates and of flags of
//! kube-controller-manager, as named fields. Only this file reads the minor version. All other code reads the fields.
//! `MODELLED` lists the versions, and `GATES` lists the gates. [`KubernetesBehavior::of`] defines all other
//! differences.

use crate::model::ListForm;
use crate::snapshot::ApiGates;
use crate::world::WithoutNamespace;
use std::collections::BTreeMap;
use std::fmt;

/// The modelled minor versions, in order and without gaps. Each entry has a minor and, if there are recordings, the
/// patch of a release. The recordings have the answers of the real controllers of this release, and tests compare the
/// model of the minor with these answers. A minor without a patch is modelled from upstream's source alone. The newest
/// minor with recordings is the default.
const MODELLED: [(u32, Option<u32>); 9] = [
    (28, None),
    (29, None),
    (30, Some(14)),
    (31, None),
    (32, Some(13)),
    (33, None),
    (34, Some(4)),
    (35, None),
    (36, Some(3)),
];

/// A Kubernetes version that is modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KubeVersion {
    /// The minor of version 1.
    minor: u32,
}

impl KubeVersion {
    /// The version that is modelled by default: the newest one with recorded answers.
    pub const DEFAULT: Self = {
        let mut at = MODELLED.len() - 1;
        while MODELLED[at].1.is_none() {
            at -= 1;
        }
        Self { minor: MODELLED[at].0 }
    };
    /// The newest version that is modelled.
    pub const NEWEST: Self = Self { minor: MODELLED[MODELLED.len() - 1].0 };
    /// The oldest version that is modelled, apart from [`KubeVersion::HISTORICAL`].
    pub const OLDEST: Self = Self { minor: MODELLED[0].0 };
    /// A historical version, modelled for two bugs that it had. [`KubeVersion::nearest`] never returns it for a server.
    pub const HISTORICAL: Self = Self { minor: 14 };
    /// The first version in which a claim's request can be lowered again after a failed resize, because the gate
    /// `RecoverVolumeExpansionFailure` is on by default.
    pub const LOWERS_REQUESTS: Self = Self { minor: 32 };

    /// Returns every version that is modelled, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        std::iter::once(Self::HISTORICAL).chain(MODELLED.iter().map(|(minor, _)| Self { minor: *minor }))
    }

    /// Returns the version with this minor, if it is modelled.
    pub fn modelled(minor: u32) -> Option<Self> {
        Self::all().find(|version| version.minor == minor)
    }

    /// Parses `1.36`, `v1.36` or `1.36.3`, and returns the version if it is modelled. Text after the minor is ignored
    /// if it begins with a dot, `-` or `+`.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('v').unwrap_or(text).strip_prefix("1.")?;
        let digits =
            rest.split(['.', '-', '+']).next().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        Self::modelled(digits?.parse().ok()?)
    }

    /// Returns the modelled version that is nearest to this minor. This version is used for a server that is newer or
    /// older than all modelled versions.
    pub fn nearest(minor: u32) -> Self {
        Self { minor: minor.clamp(Self::OLDEST.minor, Self::NEWEST.minor) }
    }

    /// Returns the release whose controllers gave the recorded answers for this version, such as `1.36.3`. Returns
    /// nothing if there are no recorded answers.
    pub fn recorded(self) -> Option<String> {
        let (_, patch) = MODELLED.iter().find(|(minor, _)| *minor == self.minor)?;
        patch.map(|patch| format!("{self}.{patch}"))
    }
}

impl fmt::Display for KubeVersion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "1.{}", self.minor)
    }
}

/// The reason why a gate or a flag cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BehaviorError {
    /// The version has no gate of this name, or the gate changes no decision. The list has the gates of the version.
    UnknownGate(String, Vec<&'static str>),
    /// In this version, the gate of this name is locked to its default. The boolean is this default.
    LockedGate(String, bool),
    /// The flag of this name changes no decision.
    UnknownFlag(String),
    /// The value of the flag cannot be parsed.
    BadFlagValue(String, String),
}

impl fmt::Display for BehaviorError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownGate(gate, known) => write!(
                out,
                "feature gate {gate:?} has no effect on the model of this version of Kubernetes; the gates of this \
                 version are {}",
                known.join(", ")
            ),
            Self::LockedGate(gate, state) => {
                write!(out, "feature gate {gate:?} is locked to {state} in this version of Kubernetes")
            }
            Self::UnknownFlag(flag) => write!(
                out,
                "controller-manager flag {flag:?} has no effect on the model; the known flags are {}",
                FLAGS.join(", ")
            ),
            Self::BadFlagValue(flag, value) => {
                write!(
                    out,
                    "the value {value:?} of controller-manager flag {flag:?} is not known here: pvctl reads true, \
                     false, or one number with s, m or h"
                )
            }
        }
    }
}

/// The flags of kube-controller-manager that can be set.
const FLAGS: [&str; 6] = [
    "attach-detach-reconcile-sync-period",
    "disable-attach-detach-reconcile-sync",
    "disable-force-detach-on-timeout",
    "enable-dynamic-provisioning",
    "enable-hostpath-provisioner",
    "pvclaimbinder-sync-period",
];

struct Gate {
    name: &'static str,
    /// The defaults of the gate. Each entry has a minor and the default since this minor. The first entry has the minor
    /// that introduced the gate, or an older minor than all modelled ones.
    defaults: &'static [(u32, bool)],
    /// The first minor in which the gate is locked to its default.
    locked: Option<u32>,
    /// The first minor that does not declare the gate any more. Since this minor, the behavior of the gate is always
    /// on.
    gone: Option<u32>,
}

/// The gates on which some leaf depends. Source: `pkg/features/kube_features.go` of each minor.
const GATES: [Gate; 4] = [
    Gate { name: "CSIMigrationPortworx", defaults: &[(25, false), (31, true)], locked: Some(33), gone: Some(36) },
    Gate { name: "HonorPVReclaimPolicy", defaults: &[(23, false), (31, true)], locked: Some(33), gone: Some(36) },
    Gate { name: "PersistentVolumeClaimUnusedSinceTime", defaults: &[(36, false)], locked: None, gone: None },
    Gate { name: "VolumeAttributesClass", defaults: &[(29, false), (34, true)], locked: Some(36), gone: None },
];

/// What decides how Kubernetes behaves, apart from the objects: the version, the gates, the flags, and what follows
/// from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubernetesBehavior {
    /// The version that is modelled.
    pub version: KubeVersion,
    /// The state of each gate that exists in this version and changes some decision.
    pub gates: BTreeMap<&'static str, bool>,
    /// `--enable-dynamic-provisioning`.
    pub dynamic_provisioning: bool,
    /// `--enable-hostpath-provisioner`.
    pub hostpath_provisioning: bool,
    /// `--pvclaimbinder-sync-period`, in seconds.
    pub resync_seconds: u64,
    /// `--disable-force-detach-on-timeout`.
    pub disable_force_detach: bool,
    /// `--disable-attach-detach-reconcile-sync`.
    pub disable_attachment_check: bool,
    /// `--attach-detach-reconcile-sync-period`, in seconds.
    pub attachment_check_seconds: u64,

    /// Since 1.36, a sync that ends with an error is retried after a back-off. Before 1.36, the object waited for an
    /// event or a resync.
    pub errors_are_retried: bool,
    /// Before 1.30, the controller also tried to assign the default class to a claim with an explicitly empty class.
    /// The API server refused this write.
    pub default_class_for_empty_class: bool,
    /// Since 1.30, the controller leaves the deletion of migrated and CSI volumes to their driver, also if the volume
    /// has no annotation `provisioned-by`. In 1.30.0, this required the gate `HonorPVReclaimPolicy`. Later patches do
    /// not require the gate (`findDeletablePlugin`, 1.30.4 and 1.30.14; kubernetes/kubernetes#126043).
    pub static_csi_is_external: bool,
    /// Since 1.31, the controller compares VolumeAttributesClasses, and a claim without a volume loses
    /// `status.currentVolumeAttributesClassName`.
    pub attributes_class_compared: bool,
    /// The gate `VolumeAttributesClass` is on. Before 1.31, the gate changes nothing in the controllers.
    pub attributes_class: bool,
    /// The controller adds and removes the deletion finalizers of volumes. It does so with the gate
    /// `HonorPVReclaimPolicy`, and since 1.36 always.
    pub deletion_finalizers: bool,
    /// Without the gate `HonorPVReclaimPolicy` and before 1.36, the controller does not delete the storage of a volume
    /// that is being deleted.
    pub skip_delete_when_terminating: bool,
    /// Since 1.36, the delete operation looks for a plugin before it reads the volume again.
    pub delete_plugin_first: bool,
    /// The gate `PersistentVolumeClaimUnusedSinceTime` is on.
    pub unused_condition: bool,
    /// Portworx volumes are migrated to CSI.
    pub portworx_migrated: bool,
    /// Ceph RBD still has an in-tree plugin (up to 1.30).
    pub rbd_in_tree: bool,
    /// No kubelet of the cluster has the plugins for Ceph (since 1.34). A kubelet can be three minor versions older
    /// than the API server, and the kubelet has had no such plugins since 1.31.
    pub kubelets_lack_ceph: bool,
    /// The Portworx plugin is still in kube-controller-manager (up to 1.35), even if its migration to CSI is on.
    pub portworx_in_tree: bool,
    /// How errors print lists of values. Before 1.34, errors print a list as Go code (`field.Error.ErrorBody` of
    /// apimachinery).
    pub value_lists: ListForm,
    /// The answer to a live read of a claim whose namespace is empty.
    pub without_namespace: WithoutNamespace,
    /// In 1.14, a claim with the annotation selected-node is treated as if its class bound immediately: the controller
    /// also searches for an existing volume. Later versions only start the provisioning.
    pub selected_node_ends_delay: bool,
    /// In 1.14, a missing claim is read again only if the controller itself bound the volume.
    pub recheck_only_bound_by_controller: bool,
    /// Since 1.32, a claim's request can be lowered again after a failed resize.
    pub requests_can_be_lowered: bool,
    /// Up to 1.30, the attach/detach controller asks the CSINode of each node whether the plugin of a volume is
    /// migrated there.
    pub attaching_asks_node: bool,
    /// Up to 1.35, the attach/detach controller looks for the plugin of a volume again when the volume is attached. If
    /// the volume does not have to be attached any more, the operation fails.
    pub attaching_looks_again: bool,
    /// How kube-scheduler behaves.
    pub scheduler: SchedulerBehavior,
}

/// The differences between the versions of kube-scheduler, with its default feature gates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchedulerBehavior {
    /// Since 1.36, the scheduler compares the features that a pod needs with those that a node declares (gate
    /// `NodeDeclaredFeatures`).
    pub features_are_declared: bool,
    /// Since 1.36, a DeviceClass can name a resource that a pod requests, and its devices then provide this resource
    /// (gate `DRAExtendedResource`).
    pub device_classes_have_resources: bool,
    /// Since 1.34, `NodeResourcesFit` returns the code `UnschedulableAndUnresolvable` for a node if the pod requests
    /// more than `status.allocatable` of the node.
    pub requests_can_be_unresolvable: bool,
    /// Before 1.34, the reason of `TaintToleration` names the first taint that is not tolerated.
    pub taint_is_named: bool,
    /// The reason of `VolumeRestrictions` if another pod uses a claim with `ReadWriteOncePod`. It changed in 1.34.
    pub claim_in_use: &'static str,
    /// The reason of `VolumeBinding` if the node affinity of a volume does not match. It changed in 1.33.
    pub volume_affinity_conflict: &'static str,
    /// Since 1.32, the scheduler also counts VolumeAttachments when it checks the limits of a node.
    pub attachments_count: bool,
    /// Before 1.32, a Node can state limits of CSI drivers in `status.allocatable`, besides CSINode.
    pub node_states_limits: bool,
    /// Up to 1.30, the plugins `EBSLimits`, `GCEPDLimits` and `AzureDiskLimits` count the volumes of in-tree plugins.
    pub in_tree_limits: bool,
    /// Since 1.33, the scheduler also compares the ports of sidecars.
    pub sidecar_ports_count: bool,
    /// Since 1.32, a node that the result of `PreFilter` leaves out gets a reason, and the message counts this node.
    pub left_out_nodes_have_reasons: bool,
}

impl SchedulerBehavior {
    fn of(version: KubeVersion) -> Self {
        let minor = version.minor;
        Self {
            features_are_declared: minor >= 36,
            device_classes_have_resources: minor >= 36,
            requests_can_be_unresolvable: minor >= 34,
            taint_is_named: minor < 34,
            claim_in_use: if minor >= 34 {
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by \
                 another pod"
            } else {
                "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
            },
            volume_affinity_conflict: if minor >= 33 {
                "node(s) didn't match PersistentVolume's node affinity"
            } else {
                "node(s) had volume node affinity conflict"
            },
            attachments_count: minor >= 32,
            node_states_limits: minor < 32,
            in_tree_limits: minor <= 30,
            sidecar_ports_count: minor >= 33,
            left_out_nodes_have_reasons: minor >= 32,
        }
    }
}

impl KubernetesBehavior {
    /// Returns the gates that decide which fields the API server stores.
    pub fn api_gates(&self) -> ApiGates {
        ApiGates { attributes_class: self.gate("VolumeAttributesClass") }
    }

    /// Returns the behavior of a version with its default gates and flags.
    pub fn of(version: KubeVersion) -> Self {
        let gates = GATES
            .iter()
            .filter(|gate| gate.gone.is_none_or(|from| version.minor < from))
            .filter_map(|gate| {
                let (_, state) = gate.defaults.iter().rev().find(|(from, _)| *from <= version.minor)?;
                Some((gate.name, *state))
            })
            .collect();
        let mut behavior = Self {
            version,
            gates,
            dynamic_provisioning: true,
            hostpath_provisioning: false,
            resync_seconds: 15,
            disable_force_detach: false,
            disable_attachment_check: false,
            attachment_check_seconds: 60,
            errors_are_retried: version.minor >= 36,
            default_class_for_empty_class: version.minor < 30,
            static_csi_is_external: version.minor >= 30,
            attributes_class_compared: version.minor >= 31,
            attributes_class: false,
            deletion_finalizers: false,
            skip_delete_when_terminating: false,
            delete_plugin_first: version.minor >= 36,
            unused_condition: false,
            portworx_migrated: false,
            rbd_in_tree: version.minor <= 30,
            kubelets_lack_ceph: version.minor >= 34,
            portworx_in_tree: version.minor <= 35,
            value_lists: if version.minor >= 34 { ListForm::Json } else { ListForm::Go },
            without_namespace: if version.minor >= 31 { WithoutNamespace::NotFound } else { WithoutNamespace::Refused },
            selected_node_ends_delay: version == KubeVersion::HISTORICAL,
            recheck_only_bound_by_controller: version == KubeVersion::HISTORICAL,
            requests_can_be_lowered: version.minor >= KubeVersion::LOWERS_REQUESTS.minor,
            attaching_asks_node: version.minor <= 30,
            attaching_looks_again: version.minor <= 35,
            scheduler: SchedulerBehavior::of(version),
        };
        behavior.apply_gates();
        behavior
    }

    /// Sets a feature gate.
    ///
    /// # Errors
    /// Returns an error if this version has no such gate, if the gate changes no decision, or if the gate is locked to
    /// the other state.
    pub fn set_gate(&mut self, name: &str, state: bool) -> Result<(), BehaviorError> {
        let unknown = || BehaviorError::UnknownGate(name.to_owned(), self.gates.keys().copied().collect());
        let gate = GATES.iter().find(|gate| gate.name == name).ok_or_else(unknown)?;
        let current = *self.gates.get(gate.name).ok_or_else(unknown)?;
        if gate.locked.is_some_and(|from| from <= self.version.minor) && current != state {
            return Err(BehaviorError::LockedGate(name.to_owned(), current));
        }
        self.gates.insert(gate.name, state);
        self.apply_gates();
        Ok(())
    }

    /// Sets a flag of kube-controller-manager. Leading dashes of the name are ignored.
    ///
    /// # Errors
    /// Returns an error if the flag changes no decision, or if its value cannot be parsed.
    pub fn set_flag(&mut self, name: &str, value: &str) -> Result<(), BehaviorError> {
        let bad = || BehaviorError::BadFlagValue(name.to_owned(), value.to_owned());
        let name_only = name.trim_start_matches('-');
        match name_only {
            "attach-detach-reconcile-sync-period" => self.attachment_check_seconds = seconds(value).ok_or_else(bad)?,
            "disable-attach-detach-reconcile-sync" => {
                self.disable_attachment_check = value.parse().map_err(|_| bad())?;
            }
            "disable-force-detach-on-timeout" => self.disable_force_detach = value.parse().map_err(|_| bad())?,
            "enable-dynamic-provisioning" => self.dynamic_provisioning = value.parse().map_err(|_| bad())?,
            "enable-hostpath-provisioner" => self.hostpath_provisioning = value.parse().map_err(|_| bad())?,
            "pvclaimbinder-sync-period" => self.resync_seconds = seconds(value).ok_or_else(bad)?,
            _ => return Err(BehaviorError::UnknownFlag(name.to_owned())),
        }
        Ok(())
    }

    fn gate(&self, name: &str) -> bool {
        self.gates.get(name).copied().unwrap_or(false)
    }

    fn apply_gates(&mut self) {
        let minor = self.version.minor;
        let honor = self.gate("HonorPVReclaimPolicy");
        self.attributes_class = self.attributes_class_compared && self.gate("VolumeAttributesClass");
        self.deletion_finalizers = minor >= 36 || honor;
        self.skip_delete_when_terminating = minor < 36 && !honor;
        self.unused_condition = self.gate("PersistentVolumeClaimUnusedSinceTime");
        self.portworx_migrated = minor >= 36 || self.gate("CSIMigrationPortworx");
    }
}

/// Parses one number with s, m or h.
fn seconds(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let factor = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return None,
    };
    Some(number.parse::<u64>().ok()?.saturating_mul(factor))
}

impl Default for KubernetesBehavior {
    fn default() -> Self {
        Self::of(KubeVersion::DEFAULT)
    }
}
