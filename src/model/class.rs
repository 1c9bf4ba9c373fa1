//! `StorageClasses`.

use super::{AnnotationKey, ObjectMeta, ReclaimPolicy, Str};

/// One term of `allowedTopologies`: labels of nodes, each with the values of which one is wanted.
pub type TopologyTerm = Box<[(Str, Box<[Str]>)]>;

/// The provisioner that stands for none: volumes of such a class are made by hand.
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
    /// `allowVolumeExpansion`.
    pub allow_expansion: bool,
    /// `allowedTopologies`: one of the terms has to fit; none at all where all nodes are allowed.
    pub allowed_topologies: Box<[TopologyTerm]>,
}

impl StorageClass {
    /// Whether binding waits for a pod that uses the claim.
    pub fn waits_for_first_consumer(&self) -> bool {
        self.binding_mode == Some(BindingMode::WaitForFirstConsumer)
    }

    /// Whether either annotation says exactly `true`.
    /// Upstream: `IsDefaultAnnotation`, `pkg/apis/storage/util`, 1.36.
    pub fn is_default(&self) -> bool {
        [AnnotationKey::IsDefaultClass, AnnotationKey::BetaIsDefaultClass]
            .into_iter()
            .any(|key| self.meta.annotations.get(key) == Some("true"))
    }
}

/// The newest of the default classes, of equally old ones the first by name. Upstream: `GetDefaultClass`, 1.36.
pub fn newest_default<'c>(classes: impl IntoIterator<Item = &'c StorageClass>) -> Option<&'c StorageClass> {
    classes
        .into_iter()
        .filter(|class| class.is_default())
        .min_by(|a, b| b.meta.created.cmp(&a.meta.created).then_with(|| a.meta.name.cmp(&b.meta.name)))
}

/// `volumeBindingMode` of a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BindingMode {
    /// Claims are bound as soon as they exist.
    Immediate,
    /// Claims wait for a pod that uses them.
    WaitForFirstConsumer,
    /// Something that the API server would refuse.
    Other(Str),
}

impl BindingMode {
    /// The mode as manifests write it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Immediate => "Immediate",
            Self::WaitForFirstConsumer => "WaitForFirstConsumer",
            Self::Other(mode) => mode,
        }
    }

    /// The mode of that spelling.
    pub fn from_manifest(mode: &str) -> Self {
        match mode {
            "Immediate" => Self::Immediate,
            "WaitForFirstConsumer" => Self::WaitForFirstConsumer,
            other => Self::Other(other.into()),
        }
    }
}
