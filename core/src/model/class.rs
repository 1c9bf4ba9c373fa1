//! The model of StorageClasses.

use super::selector::{Comparison, ListForm, check};
use super::{AnnotationKey, ObjectMeta, ReclaimPolicy, Str, label};

/// One term of `allowedTopologies`: node labels, each with the allowed values. A node must have one of the allowed
/// values for each label.
pub type TopologyTerm = Box<[(Str, Box<[Str]>)]>;

/// The provisioner name that means "no provisioner". People create the volumes of such a class.
pub const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// A StorageClass as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StorageClass {
    /// `metadata`.
    pub meta: ObjectMeta,
    /// `provisioner`.
    pub provisioner: Str,
    /// `reclaimPolicy`.
    pub reclaim_policy: Option<ReclaimPolicy>,
    /// `volumeBindingMode`.
    pub binding_mode: Option<BindingMode>,
    /// `mountOptions`.
    pub mount_options: Box<[Str]>,
    /// `parameters`, sorted by name. Only the values that are known to be harmless are kept, such as the names of
    /// Secrets and the type of the file system. All other values are empty.
    pub parameters: Box<[(Str, Str)]>,
    /// `allowVolumeExpansion`.
    pub allow_expansion: bool,
    /// `allowedTopologies`. A node has to match one of the terms. The list is empty if all nodes are allowed.
    pub allowed_topologies: Box<[TopologyTerm]>,
}

impl StorageClass {
    /// Returns whether binding waits for a pod that uses the claim.
    pub fn waits_for_first_consumer(&self) -> bool {
        self.binding_mode == Some(BindingMode::WaitForFirstConsumer)
    }

    /// Returns whether `allowedTopologies` allow a node with these labels. A term allows no node if it is empty, or if
    /// one of its keys or values is not valid for a label. Upstream: `MatchTopologySelectorTerms`,
    /// `pkg/apis/core/v1/helper`, 1.36.
    pub fn allows(&self, labels: &[(Str, Str)]) -> bool {
        let has = |(key, values): &(Str, Box<[Str]>)| {
            label(labels, key).is_some_and(|value| values.iter().any(|allowed| allowed == value))
                && check(key, Comparison::In, values, ListForm::Json).is_ok()
        };
        let mut terms = self.allowed_topologies.iter();
        self.allowed_topologies.is_empty() || terms.any(|term| !term.is_empty() && term.iter().all(has))
    }

    /// Returns the keys of `allowedTopologies`.
    pub fn topology_keys(&self) -> impl Iterator<Item = &str> {
        self.allowed_topologies.iter().flat_map(|term| term.iter()).map(|(key, _)| key.as_str())
    }

    /// Returns the first key of `allowedTopologies` with one of its values, if the key or the value is not valid for a
    /// label. A term with such a key or value allows no node. The result is `None` if all keys and values are valid.
    pub fn value_of_no_label(&self) -> Option<(&Str, &Str)> {
        let terms = self.allowed_topologies.iter().flat_map(|term| term.iter());
        let mut all = terms.flat_map(|(key, values)| values.iter().map(move |value| (key, value)));
        all.find(|(key, value)| check(key, Comparison::In, std::slice::from_ref(*value), ListForm::Json).is_err())
    }

    /// Returns whether this is a default class: one of the annotations `storageclass.kubernetes.io/is-default-class`
    /// and `storageclass.beta.kubernetes.io/is-default-class` is exactly `true`. Upstream: `IsDefaultAnnotation`,
    /// `pkg/apis/storage/util`, 1.36.
    pub fn is_default(&self) -> bool {
        [AnnotationKey::IsDefaultClass, AnnotationKey::BetaIsDefaultClass]
            .into_iter()
            .any(|key| self.meta.annotations.get(key) == Some("true"))
    }
}

/// Returns the newest default class, or `None` if no class is a default class. If several default classes are equally
/// old, returns the first one by name. Upstream: `GetDefaultClass`, 1.36.
pub fn newest_default<'c>(classes: impl IntoIterator<Item = &'c StorageClass>) -> Option<&'c StorageClass> {
    classes
        .into_iter()
        .filter(|class| class.is_default())
        .min_by(|a, b| b.meta.created.cmp(&a.meta.created).then_with(|| a.meta.name.cmp(&b.meta.name)))
}

/// `volumeBindingMode` of a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BindingMode {
    /// As soon as the claim exists, the controller searches for a volume, or requests a new one from a provisioner.
    Immediate,
    /// Binding waits until the scheduler has selected a node for a pod that uses the claim.
    WaitForFirstConsumer,
    /// A mode that the API server would refuse.
    Other(Str),
}

impl BindingMode {
    /// Returns the mode as manifests write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Immediate => "Immediate",
            Self::WaitForFirstConsumer => "WaitForFirstConsumer",
            Self::Other(mode) => mode,
        }
    }

    /// Returns the mode with this spelling.
    pub fn from_manifest(mode: &str) -> Self {
        match mode {
            "Immediate" => Self::Immediate,
            "WaitForFirstConsumer" => Self::WaitForFirstConsumer,
            other => Self::Other(other.into()),
        }
    }
}
