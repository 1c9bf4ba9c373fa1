//! The fields of Pods that only the scheduler reads.

use super::{LabelSelector, NodeSelector, Str};
use std::sync::{Arc, LazyLock};

/// The fields of a pod that the scheduler reads, besides its claims. Most lists are empty in most pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodScheduling {
    /// The names in `spec.schedulingGates`.
    pub gates: Box<[Str]>,
    /// `spec.nodeSelector`, sorted by key.
    pub node_selector: Box<[(Str, Str)]>,
    /// The required part of `spec.affinity.nodeAffinity`.
    pub node_affinity: Option<NodeSelector>,
    /// `spec.tolerations`. All pods that have exactly the tolerations of [`Toleration::by_default`] share one list.
    pub tolerations: Arc<[Toleration]>,
    /// The resources that the pod requests, sorted by name. Amounts of `cpu` are in thousandths, and all other amounts
    /// are in whole units. For a pod that has a node, the amounts include what the kubelet of the node has granted.
    pub requests: Box<[(Str, i64)]>,
    /// The ports of the node that the containers use.
    pub host_ports: Box<[HostPort]>,
    /// `spec.topologySpreadConstraints`, without those that only state a preference.
    pub spread: Box<[SpreadConstraint]>,
    /// The required part of `spec.affinity.podAffinity`.
    pub affinity: Box<[PodAffinityTerm]>,
    /// The required part of `spec.affinity.podAntiAffinity`.
    pub anti_affinity: Box<[PodAffinityTerm]>,
    /// The disks that the pod names directly, without a claim.
    pub disks: Box<[Disk]>,
    /// The features that the pod needs and that a node has to declare.
    pub features: Box<[NodeFeature]>,
    /// Whether `spec.resourceClaims` names claims for devices.
    pub device_claims: bool,
    /// `spec.priority`. The scheduler can delete pods of lower priority to make room for this pod.
    pub priority: i64,
    /// Whether `spec.preemptionPolicy` is `Never`: then the scheduler deletes no pod for this pod.
    pub never_preempts: bool,
}

/// A feature in `status.declaredFeatures` of a node that a new pod can need. Upstream: `InferForScheduling` of
/// `nodedeclaredfeatures`, component-helpers, 1.36.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeFeature {
    /// A container has a rule that restarts all containers of the pod when it exits.
    RestartAllContainersOnContainerExits,
    /// The pod has its own user namespace and uses the network of the node.
    UserNamespacesHostNetworkSupport,
}

impl NodeFeature {
    /// Returns the name of the feature, as nodes declare it.
    pub fn name(self) -> &'static str {
        match self {
            Self::RestartAllContainersOnContainerExits => "RestartAllContainersOnContainerExits",
            Self::UserNamespacesHostNetworkSupport => "UserNamespacesHostNetworkSupport",
        }
    }
}

/// One entry of `spec.tolerations`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Toleration {
    /// `key`. It is empty if the toleration is for all keys.
    pub key: Str,
    /// `operator`.
    pub operator: TolerationOperator,
    /// `value`.
    pub value: Str,
    /// `effect`. It is empty if the toleration is for all effects.
    pub effect: Str,
}

impl Toleration {
    /// Returns the tolerations that the admission plugin `DefaultTolerationSeconds` adds to each pod. Almost all pods
    /// have exactly these tolerations, so these pods share one list in memory.
    pub fn by_default() -> &'static Arc<[Self]> {
        static DEFAULT: LazyLock<Arc<[Toleration]>> = LazyLock::new(|| {
            let toleration = |key: &str| Toleration {
                key: key.into(),
                operator: TolerationOperator::Exists,
                value: Str::default(),
                effect: "NoExecute".into(),
            };
            [toleration("node.kubernetes.io/not-ready"), toleration("node.kubernetes.io/unreachable")].into()
        });
        &DEFAULT
    }
}

/// `operator` of a [`Toleration`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TolerationOperator {
    /// The taint has the value of the toleration. An absent operator means the same.
    #[default]
    Equal,
    /// The taint has any value.
    Exists,
    /// An operator whose feature gate is off by default, or that the API server would refuse.
    Other(Str),
}

/// A port of the node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPort {
    /// `hostIP`. It is empty if the port is used on all addresses.
    pub ip: Str,
    /// `protocol`. It is empty for TCP.
    pub protocol: Str,
    /// `hostPort`.
    pub port: i64,
    /// Whether a sidecar has the port.
    pub of_sidecar: bool,
}

/// One entry of `spec.topologySpreadConstraints` with `whenUnsatisfiable: DoNotSchedule`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpreadConstraint {
    /// `maxSkew`.
    pub max_skew: i64,
    /// `topologyKey`.
    pub topology_key: Str,
    /// `labelSelector`. `None` selects no pod.
    pub selector: Option<LabelSelector>,
    /// `matchLabelKeys`.
    pub match_label_keys: Box<[Str]>,
    /// `minDomains`. It is 1 if the field is absent.
    pub min_domains: i64,
    /// Whether only the nodes that the pod's node affinity selects are counted. It is true if `nodeAffinityPolicy` is
    /// absent.
    pub honors_affinity: bool,
    /// Whether only the nodes whose taints the pod tolerates are counted. It is false if `nodeTaintsPolicy` is absent.
    pub honors_taints: bool,
}

/// One required term of an affinity between pods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodAffinityTerm {
    /// `topologyKey`.
    pub topology_key: Str,
    /// `labelSelector`. `None` selects no pod.
    pub selector: Option<LabelSelector>,
    /// `namespaces`.
    pub namespaces: Box<[Str]>,
    /// `namespaceSelector`. `None` selects no namespace.
    pub namespace_selector: Option<LabelSelector>,
}

/// A disk that a pod names directly, without a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disk {
    /// The name of the volume in the pod.
    pub name: Str,
    /// The kind of disk.
    pub kind: DiskKind,
    /// The disk: `pdName`, `volumeID`, `iqn`, `image` or `diskURI`.
    pub id: Str,
    /// `kind` of a disk in Azure.
    pub azure_kind: Str,
    /// `pool` of an image in Ceph.
    pub pool: Str,
    /// `monitors` of an image in Ceph.
    pub monitors: Box<[Str]>,
    /// `readOnly`.
    pub read_only: bool,
}

/// The kind of a [`Disk`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskKind {
    /// `gcePersistentDisk`.
    #[default]
    GcePersistentDisk,
    /// `awsElasticBlockStore`.
    AwsElasticBlockStore,
    /// `iscsi`.
    Iscsi,
    /// `rbd`.
    Rbd,
    /// `azureDisk`.
    AzureDisk,
    /// `cinder`.
    Cinder,
    /// `portworxVolume`.
    Portworx,
}
