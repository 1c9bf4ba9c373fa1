//! The class of a claim as the driver gets it. Upstream: `TranslateInTreeStorageClassToCSI` of csi-translation-lib,
//! 0.36.

use super::sidecar::Sidecar;
use super::{AWS_PLUGIN, AWS_ZONE};
use crate::model::class::TopologyTerm;
use crate::model::{StorageClass, Str};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The parts of a class that are translated.
#[derive(Clone, Debug)]
pub(super) struct ClassForDriver<'c> {
    pub(super) class: &'c StorageClass,
    pub(super) parameters: Cow<'c, [(Str, Str)]>,
    pub(super) allowed: Cow<'c, [TopologyTerm]>,
    /// Whether the class names the in-tree plugin that the driver replaces.
    pub(super) migrated: bool,
    /// Whether the translation is not modelled.
    pub(super) not_evaluated: bool,
}

const ZONES: [&str; 2] = ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"];

/// Returns the class, translated if the driver replaces its in-tree plugin. Only the translation for the plugin of AWS
/// is modelled, without the parameters `zone` and `zones`.
pub(super) fn for_driver<'c>(sidecar: &Sidecar, class: &'c StorageClass) -> ClassForDriver<'c> {
    let stated = ClassForDriver {
        class,
        parameters: Cow::Borrowed(&class.parameters),
        allowed: Cow::Borrowed(&class.allowed_topologies),
        migrated: false,
        not_evaluated: false,
    };
    let Some(plugin) = sidecar.migrated_from().filter(|plugin| class.provisioner == *plugin) else { return stated };
    let names_zones = |key: &str| matches!(key.to_ascii_lowercase().as_str(), "zone" | "zones");
    if plugin != AWS_PLUGIN || class.parameters.iter().any(|(key, _)| names_zones(key)) {
        return ClassForDriver { migrated: true, not_evaluated: true, ..stated };
    }
    let mut parameters: BTreeMap<Str, Str> = BTreeMap::new();
    for (key, value) in &class.parameters {
        match key.to_ascii_lowercase().as_str() {
            "fstype" => {
                parameters.insert(Str::const_new("csi.storage.k8s.io/fstype"), value.clone());
            }
            "iopspergb" => {
                parameters.insert(key.clone(), value.clone());
                parameters.insert(Str::const_new("allowautoiopspergbincrease"), Str::const_new("true"));
            }
            _ => {
                parameters.insert(key.clone(), value.clone());
            }
        }
    }
    let renamed = |key: &Str| if ZONES.contains(&key.as_str()) { Str::const_new(AWS_ZONE) } else { key.clone() };
    let term = |term: &TopologyTerm| term.iter().map(|(key, values)| (renamed(key), values.clone())).collect();
    ClassForDriver {
        class,
        parameters: parameters.into_iter().collect(),
        allowed: class.allowed_topologies.iter().map(term).collect(),
        migrated: true,
        not_evaluated: false,
    }
}
