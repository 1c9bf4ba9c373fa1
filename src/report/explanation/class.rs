//! The effects of a class on its claims.

use super::document::EvidenceOut;
use crate::controllers::KubernetesBehavior;
use crate::diagnosis::{Provisioner, is_default};
use crate::model::{BindingMode, ReclaimPolicy, StorageClass};
use crate::snapshot::Snapshot;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a class does.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClassOut<'a> {
    /// The `provisioner` of the class.
    pub provisioner: &'a str,
    /// `external`, `migrated`, `inTree`, `none` for `kubernetes.io/no-provisioner`, or `unknown`.
    pub provisioner_kind: &'static str,
    /// The CSI driver that provisions instead of the in-tree plugin. The field is absent unless `provisionerKind` is
    /// `migrated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<&'static str>,
    /// The `volumeBindingMode`. The value is empty if it is not set.
    pub volume_binding_mode: &'a str,
    /// The `reclaimPolicy`. The value is empty if it is not set.
    pub reclaim_policy: &'a str,
    /// The value of `allowVolumeExpansion`.
    pub allow_volume_expansion: bool,
    /// Whether the annotation of the class says that it is the default.
    pub marked_default: bool,
    /// Whether a claim that states no class gets this class.
    pub is_default: bool,
    /// The number of claims of the class in each phase.
    pub claims: BTreeMap<&'a str, u64>,
    /// The number of volumes of the class in each phase.
    pub volumes: BTreeMap<&'a str, u64>,
}

impl<'a> ClassOut<'a> {
    /// Builds the description of a class from what was read.
    pub fn new(snapshot: &'a Snapshot, behavior: &KubernetesBehavior, class: &'a StorageClass) -> Self {
        let (kind, driver) = match Provisioner::of(behavior, class) {
            Provisioner::Migrated(driver) => ("migrated", Some(driver)),
            Provisioner::External => ("external", None),
            Provisioner::InTree => ("inTree", None),
            Provisioner::Nobody => ("none", None),
            Provisioner::Unknown => ("unknown", None),
        };
        let name = class.meta.name.as_str();
        let (mut claims, mut volumes) = (BTreeMap::new(), BTreeMap::new());
        for claim in snapshot.claims().iter().filter(|claim| claim.class() == name) {
            *claims.entry(claim.status.phase.as_str()).or_default() += 1;
        }
        for volume in snapshot.volumes().iter().filter(|volume| volume.class() == name) {
            *volumes.entry(volume.status.phase.as_str()).or_default() += 1;
        }
        Self {
            provisioner: &class.provisioner,
            provisioner_kind: kind,
            driver,
            volume_binding_mode: class.binding_mode.as_ref().map_or("", BindingMode::as_str),
            reclaim_policy: class.reclaim_policy.as_ref().map_or("", ReclaimPolicy::as_str),
            allow_volume_expansion: class.allow_expansion,
            marked_default: class.is_default(),
            is_default: is_default(snapshot, class),
            claims,
            volumes,
        }
    }
}

/// Returns the fields of a class that decide its effects.
pub(super) fn evidence(class: &StorageClass) -> Vec<EvidenceOut> {
    let object = format!("sc/{}", class.meta.name);
    let shown = crate::diagnosis::misfit::shown;
    let field = |field, value: String| EvidenceOut { object: object.clone(), field, value };
    vec![
        field("provisioner", shown(&class.provisioner)),
        field("volumeBindingMode", shown(class.binding_mode.as_ref().map_or("", BindingMode::as_str))),
        field("reclaimPolicy", shown(class.reclaim_policy.as_ref().map_or("", ReclaimPolicy::as_str))),
        field("allowVolumeExpansion", class.allow_expansion.to_string()),
    ]
}
