//! What differs between Kubernetes versions, feature gates and controller-manager flags, as named booleans. The minor
//! version is looked at here and nowhere else: `MODELLED` lists the versions, `GATES` the gates, and [`KubernetesBehavior::of`] says
//! what else differs. All other places ask these.

use crate::model::ListForm;
use crate::snapshot::ApiGates;
use crate::world::WithoutNamespace;
use std::collections::BTreeMap;
use std::fmt;

/// The minors that are modelled, without gaps and in order, each with the patch of the release whose real controllers
/// gave recorded answers: by these the model of that minor is judged. Without a patch it rests on upstream's source
/// alone. The newest one with recordings is modelled by default.
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
    /// The version whose behaviour is modelled first and by default.
    pub const DEFAULT: Self = {
        let mut at = MODELLED.len() - 1;
        while MODELLED[at].1.is_none() {
            at -= 1;
        }
        Self { minor: MODELLED[at].0 }
    };
    /// The newest version that is modelled.
    pub const NEWEST: Self = Self { minor: MODELLED[MODELLED.len() - 1].0 };
    /// The oldest current version that is modelled.
    pub const OLDEST: Self = Self { minor: MODELLED[0].0 };
    /// A historical version, modelled for two bugs that it had. No server is taken for it.
    pub const HISTORICAL: Self = Self { minor: 14 };
    /// The first version in which a claim's request can be lowered again after a resize that failed: the gate
    /// `RecoverVolumeExpansionFailure` is on by default.
    pub const LOWERS_REQUESTS: Self = Self { minor: 32 };

    /// Every version that is modelled, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        std::iter::once(Self::HISTORICAL).chain(MODELLED.iter().map(|(minor, _)| Self { minor: *minor }))
    }

    /// That minor of version 1, if it is modelled.
    pub fn modelled(minor: u32) -> Option<Self> {
        Self::all().find(|version| version.minor == minor)
    }

    /// Reads `1.36`, `v1.36` or `1.36.3`, if that version is modelled; what follows the minor after a dot, `-` or `+`
    /// does not matter.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix('v').unwrap_or(text).strip_prefix("1.")?;
        let digits =
            rest.split(['.', '-', '+']).next().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        Self::modelled(digits?.parse().ok()?)
    }

    /// The modelled version nearest to that minor, for a server that is newer or older.
    pub fn nearest(minor: u32) -> Self {
        Self { minor: minor.clamp(Self::OLDEST.minor, Self::NEWEST.minor) }
    }

    /// The release whose controllers gave the recorded answers that judge the model, such as `1.36.3`; nothing where
    /// there are none.
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

/// Why settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BehaviorError {
    /// That version has no gate of that name, or it decides nothing.
    UnknownGate(String),
    /// A gate is locked to its default in that version.
    LockedGate(String, bool),
    /// A flag of that name decides nothing.
    UnknownFlag(String),
    /// A flag's value cannot be read.
    BadFlagValue(String, String),
}

impl fmt::Display for BehaviorError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownGate(gate) => write!(
                out,
                "feature gate {gate:?} decides nothing here; known are {}",
                GATES.iter().map(|known| known.name).collect::<Vec<_>>().join(", ")
            ),
            Self::LockedGate(gate, state) => {
                write!(out, "feature gate {gate:?} is locked to {state} in that version of Kubernetes")
            }
            Self::UnknownFlag(flag) => write!(
                out,
                "controller-manager flag {flag:?} decides nothing here; known are enable-dynamic-provisioning, \
                 enable-hostpath-provisioner, pvclaimbinder-sync-period"
            ),
            Self::BadFlagValue(flag, value) => {
                write!(out, "controller-manager flag {flag:?} cannot have the value {value:?}")
            }
        }
    }
}

struct Gate {
    name: &'static str,
    /// From which minor the gate exists, and what it is by default from there on, in order.
    defaults: &'static [(u32, bool)],
    /// From which minor the gate is locked to its default.
    locked: Option<u32>,
    /// From which minor the gate is no longer declared; it is on for good then.
    gone: Option<u32>,
}

/// The gates that some leaf depends on. Source: `pkg/features/kube_features.go` of each minor.
const GATES: [Gate; 4] = [
    Gate { name: "CSIMigrationPortworx", defaults: &[(25, false), (31, true)], locked: Some(33), gone: Some(36) },
    Gate { name: "HonorPVReclaimPolicy", defaults: &[(23, false), (31, true)], locked: Some(33), gone: Some(36) },
    Gate { name: "PersistentVolumeClaimUnusedSinceTime", defaults: &[(36, false)], locked: None, gone: None },
    Gate { name: "VolumeAttributesClass", defaults: &[(29, false), (34, true)], locked: Some(36), gone: None },
];

/// Everything but the objects that decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubernetesBehavior {
    /// The version that is modelled.
    pub version: KubeVersion,
    /// The gates that decide, with their states.
    pub gates: BTreeMap<&'static str, bool>,
    /// `--enable-dynamic-provisioning`.
    pub dynamic_provisioning: bool,
    /// `--enable-hostpath-provisioner`.
    pub hostpath_provisioning: bool,
    /// `--pvclaimbinder-sync-period`, in seconds.
    pub resync_seconds: u64,

    /// Since 1.36 a sync that ends with an error is retried with back-off; before, it waited for an event or resync.
    pub errors_are_retried: bool,
    /// Before 1.30 a claim with an explicitly empty class also tried the default class, and was refused.
    pub default_class_for_empty_class: bool,
    /// Since 1.30 migrated and CSI volumes are left to their driver. 1.30.0 asked for the gate `HonorPVReclaimPolicy`,
    /// later patches do not (`findDeletablePlugin`, 1.30.4 and 1.30.14; kubernetes/kubernetes#126043).
    pub static_csi_is_external: bool,
    /// Since 1.31 attributes classes are compared at all, and a claim without a volume loses its current one.
    pub attributes_class_compared: bool,
    /// The gate `VolumeAttributesClass`; it decides nothing in the controllers before 1.31.
    pub attributes_class: bool,
    /// The gate `HonorPVReclaimPolicy`: the controller keeps deletion finalizers on volumes.
    pub deletion_finalizers: bool,
    /// Without that gate, before 1.36: the storage of a volume that is being deleted is left alone.
    pub skip_delete_when_terminating: bool,
    /// Since 1.36 the delete operation looks for a plugin before it reads the volume again.
    pub delete_plugin_first: bool,
    /// The gate `PersistentVolumeClaimUnusedSinceTime`.
    pub unused_condition: bool,
    /// Portworx volumes are migrated to CSI.
    pub portworx_migrated: bool,
    /// Ceph RBD still has an in-tree plugin (up to 1.30).
    pub rbd_in_tree: bool,
    /// The Portworx plugin is still in kube-controller-manager (up to 1.35), also where its migration to CSI is on.
    pub portworx_in_tree: bool,
    /// How lists of values are printed in errors: as Go code before 1.34 (`field.Error.ErrorBody` of apimachinery).
    pub value_lists: ListForm,
    /// What becomes of the question for a claim whose namespace is not given.
    pub without_namespace: WithoutNamespace,
    /// 1.14: the selected-node annotation switches the delay of binding off.
    pub selected_node_ends_delay: bool,
    /// 1.14: a missing claim is asked for again only on volumes that the controller bound itself.
    pub recheck_only_bound_by_controller: bool,
    /// Since 1.32 a claim's request can be lowered again after a resize that failed.
    pub requests_can_be_lowered: bool,
}

impl KubernetesBehavior {
    /// What decides over what the API server stores.
    pub fn api_gates(&self) -> ApiGates {
        ApiGates { attributes_class: self.gate("VolumeAttributesClass") }
    }

    /// The rules of a version with its default gates and flags.
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
            portworx_in_tree: version.minor <= 35,
            value_lists: if version.minor >= 34 { ListForm::Json } else { ListForm::Go },
            without_namespace: if version.minor >= 31 { WithoutNamespace::NotFound } else { WithoutNamespace::Refused },
            selected_node_ends_delay: version == KubeVersion::HISTORICAL,
            recheck_only_bound_by_controller: version == KubeVersion::HISTORICAL,
            requests_can_be_lowered: version.minor >= KubeVersion::LOWERS_REQUESTS.minor,
        };
        behavior.apply_gates();
        behavior
    }

    /// Sets a feature gate.
    ///
    /// # Errors
    /// When this version has no such gate, the gate decides nothing, or it is locked.
    pub fn set_gate(&mut self, name: &str, state: bool) -> Result<(), BehaviorError> {
        let unknown = || BehaviorError::UnknownGate(name.to_owned());
        let gate = GATES.iter().find(|gate| gate.name == name).ok_or_else(unknown)?;
        let current = *self.gates.get(gate.name).ok_or_else(unknown)?;
        if gate.locked.is_some_and(|from| from <= self.version.minor) && current != state {
            return Err(BehaviorError::LockedGate(name.to_owned(), current));
        }
        self.gates.insert(gate.name, state);
        self.apply_gates();
        Ok(())
    }

    /// Sets a flag of kube-controller-manager, named without its dashes.
    ///
    /// # Errors
    /// When the flag decides nothing, or its value cannot be read.
    pub fn set_flag(&mut self, name: &str, value: &str) -> Result<(), BehaviorError> {
        let bad = || BehaviorError::BadFlagValue(name.to_owned(), value.to_owned());
        let name_only = name.trim_start_matches('-');
        match name_only {
            "enable-dynamic-provisioning" => self.dynamic_provisioning = value.parse().map_err(|_| bad())?,
            "enable-hostpath-provisioner" => self.hostpath_provisioning = value.parse().map_err(|_| bad())?,
            "pvclaimbinder-sync-period" => {
                let (number, unit) = value.split_at(value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len()));
                let factor = match unit {
                    "s" => 1,
                    "m" => 60,
                    "h" => 3600,
                    _ => return Err(bad()),
                };
                self.resync_seconds = number.parse::<u64>().map_err(|_| bad())?.saturating_mul(factor);
            }
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

impl Default for KubernetesBehavior {
    fn default() -> Self {
        Self::of(KubeVersion::DEFAULT)
    }
}
