//! What a class does to its claims.

use super::document::EvidenceOut;
use crate::controllers::KubernetesBehavior;
use crate::controllers::persistent_volume::claim::newest_default;
use crate::controllers::persistent_volume::plugins::{Provider, find_provisionable_plugin, migrated_driver};
use crate::model::{BindingMode, NO_PROVISIONER, ReclaimPolicy, StorageClass};
use crate::snapshot::Snapshot;
use serde::Serialize;
use std::collections::BTreeMap;

/// The only in-tree plugin that still provisions volumes, if a flag enables it.
const HOST_PATH: &str = "kubernetes.io/host-path";

/// What a class does.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ClassOut<'a> {
    /// The `provisioner` of the class.
    pub provisioner: &'a str,
    /// `external`, `migrated`, `inTree`, `none` for `kubernetes.io/no-provisioner`, or `unknown`.
    pub provisioner_kind: &'static str,
    /// The driver that provisions. The field is absent if the name of the driver is `provisioner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<&'static str>,
    /// The `volumeBindingMode`. The value is empty if it is not set.
    pub volume_binding_mode: &'a str,
    /// The `reclaimPolicy`. The value is empty if it is not set.
    pub reclaim_policy: &'a str,
    /// The value of `allowVolumeExpansion`.
    pub allow_volume_expansion: bool,
    /// Whether the class is marked as default.
    pub marked_default: bool,
    /// Whether claims that state no class get this one.
    pub is_default: bool,
    /// The number of claims of the class in each phase.
    pub claims: BTreeMap<&'a str, u64>,
    /// The number of volumes of the class in each phase.
    pub volumes: BTreeMap<&'a str, u64>,
}

impl<'a> ClassOut<'a> {
    /// Builds the description of a class from what was read.
    pub fn new(snapshot: &'a Snapshot, behavior: &KubernetesBehavior, class: &'a StorageClass) -> Self {
        let driver = migrated_driver(behavior, &class.provisioner);
        let kind = match find_provisionable_plugin(behavior, class) {
            Provider::External if driver.is_some() => "migrated",
            Provider::External => "external",
            Provider::InTree(_) => "inTree",
            Provider::Nobody(_) if class.provisioner == NO_PROVISIONER => "none",
            Provider::Nobody(_) => "unknown",
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
            is_default: newest_default(snapshot.classes()).is_some_and(|default| default.meta.name == class.meta.name),
            claims,
            volumes,
        }
    }

    /// Says what the class does.
    pub(super) fn headline(&self, snapshot: &Snapshot, behavior: &KubernetesBehavior, class: &StorageClass) -> String {
        let name = &class.meta.name;
        let provisions = match (self.provisioner_kind, self.driver) {
            ("migrated", Some(driver)) => format!("{driver} provisions volumes (for {})", self.provisioner),
            ("external", _) => format!("{} provisions volumes", self.provisioner),
            // Only the host-path plugin depends on a flag.
            ("inTree", _) if class.provisioner == HOST_PATH && !behavior.hostpath_provisioning => format!(
                "nothing provisions volumes: {} is switched off, as --enable-hostpath-provisioner is by default",
                self.provisioner
            ),
            ("inTree", _) => format!("Kubernetes itself provisions volumes ({})", self.provisioner),
            ("none", _) => "nothing provisions volumes; they are made by hand".to_owned(),
            _ => format!("nothing provisions volumes: Kubernetes has no {}", self.provisioner),
        };
        let when = match &class.binding_mode {
            Some(BindingMode::WaitForFirstConsumer) => "claims stay Pending until a pod uses them, which is normal",
            Some(BindingMode::Immediate) => "claims are bound as soon as there is a volume for them",
            Some(BindingMode::Other(_)) => "its binding mode is none that Kubernetes knows",
            None => "it has no binding mode, so its claims are never bound",
        };
        let data = match (&class.reclaim_policy, self.provisioner_kind) {
            (_, "none" | "unknown") => String::new(),
            _ if class.provisioner == HOST_PATH && !behavior.hostpath_provisioning => String::new(),
            (Some(ReclaimPolicy::Delete) | None, _) => {
                " When a claim is deleted, so are its volume and the data (policy Delete).".to_owned()
            }
            (Some(ReclaimPolicy::Retain), _) => {
                " When a claim is deleted, its volume and the data stay (policy Retain).".to_owned()
            }
            (Some(other), _) => format!(" New volumes have the policy {}.", other.as_str()),
        };
        let marked = snapshot.classes().iter().filter(|class| class.is_default()).count();
        let default = match (self.is_default, self.marked_default) {
            (true, _) if marked > 1 => format!(
                " It is the default class: of {marked} that are marked so it is the newest, or the first by name."
            ),
            (true, _) => " It is the default class: claims that state none get it.".to_owned(),
            (false, true) => " It is marked as default, but a newer one is, too, and goes first.".to_owned(),
            (false, false) => String::new(),
        };
        format!("Class {name}: {provisions}, and {when}.{data}{default}")
    }
}

/// The fields of a class that decide what it does.
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
