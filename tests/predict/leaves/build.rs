//! Small builders of objects as an API server would store them. By default a volume is a free CSI volume of 1Gi with
//! access mode `ReadWriteOnce`, class `gold` and policy Retain. A claim is in namespace `a` and requests exactly these
//! values.

use pvctl::model::{
    AccessMode, AccessModes, AnnotationKey, BindingMode, ClaimPhase, ClaimRef, ClaimStatus, ClaimVolume,
    EphemeralVolume, LabelOperator, LabelRequirement, LabelSelector, Node, ObjectMeta, PersistentVolume,
    PersistentVolumeClaim, Pod, PodPhase, Quantity, ReclaimPolicy, ResourceVersion, SourceKind, StorageClass, Str,
    Timestamp, VolumeMode, VolumePhase, VolumeSource, VolumeStatus,
};
use std::sync::Arc;

/// The namespace of every claim and pod in these tests.
pub(crate) const NAMESPACE: &str = "a";

/// The deletion time of terminating objects.
const DELETED: Timestamp = Timestamp(1_780_000_000);

fn meta(namespace: &str, name: &str, version: &str) -> ObjectMeta {
    ObjectMeta {
        name: name.into(),
        namespace: namespace.into(),
        uid: format!("uid-{name}").into(),
        resource_version: ResourceVersion::Recorded(version.into()),
        ..ObjectMeta::default()
    }
}

fn modes(names: &[&str]) -> AccessModes {
    let long = |name: &&str| match *name {
        "RWO" => AccessMode::ReadWriteOnce,
        "ROX" => AccessMode::ReadOnlyMany,
        "RWX" => AccessMode::ReadWriteMany,
        "RWOP" => AccessMode::ReadWriteOncePod,
        other => AccessMode::Other(other.into()),
    };
    AccessModes(names.iter().map(long).collect())
}

fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).unwrap()
}

fn strings<L: FromIterator<Str>>(texts: &[&str]) -> L {
    texts.iter().map(|text| Str::from(*text)).collect()
}

fn key(text: &str) -> AnnotationKey {
    AnnotationKey::from_manifest(text).unwrap()
}

macro_rules! metadata_methods {
    (annotated) => {
        /// Sets an annotation that some decision reads.
        pub(crate) fn annotated(mut self, name: &str, value: &str) -> Self {
            self.0.meta.annotations.set(key(name), value);
            self
        }
    };
    (finalizers) => {
        /// Sets the finalizers.
        pub(crate) fn finalizers(mut self, finalizers: &[&str]) -> Self {
            self.0.meta.finalizers = strings(finalizers);
            self
        }
    };
    (terminating) => {
        /// Marks the object as deleted. Its finalizers keep it.
        pub(crate) fn terminating(mut self) -> Self {
            self.0.meta.deleted = Some(DELETED);
            self.0.meta.deletion_grace_seconds = Some(0);
            self
        }
    };
    (uid) => {
        /// Replaces the uid, which is `uid-<name>` by default.
        pub(crate) fn uid(mut self, uid: &str) -> Self {
            self.0.meta.uid = uid.into();
            self
        }
    };
    ($($name:ident),+) => {
        $(metadata_methods!($name);)+
    };
}

/// A builder of a volume.
#[derive(Clone, Debug)]
pub(crate) struct Volume(pub(crate) PersistentVolume);

/// Returns a free volume.
pub(crate) fn volume(name: &str) -> Volume {
    Volume(PersistentVolume {
        meta: meta("", name, "10"),
        capacity: Arc::new([("storage".into(), quantity("1Gi").into())]),
        access_modes: modes(&["RWO"]),
        class_name: "gold".into(),
        volume_mode: Some(VolumeMode::Filesystem),
        source: VolumeSource {
            kind: SourceKind::Csi,
            detail: "csi.example.com".into(),
            handle: "disk".into(),
            ..VolumeSource::default()
        },
        status: VolumeStatus { phase: VolumePhase::Available, ..VolumeStatus::default() },
        ..PersistentVolume::default()
    })
}

impl Volume {
    metadata_methods!(annotated, finalizers, terminating);

    pub(crate) fn size(mut self, size: &str) -> Self {
        self.0.capacity = Arc::new([("storage".into(), quantity(size).into())]);
        self
    }

    pub(crate) fn without_capacity(mut self) -> Self {
        self.0.capacity = Arc::default();
        self
    }

    pub(crate) fn modes(mut self, names: &[&str]) -> Self {
        self.0.access_modes = modes(names);
        self
    }

    pub(crate) fn class(mut self, class: &str) -> Self {
        self.0.class_name = class.into();
        self
    }

    pub(crate) fn attributes_class(mut self, class: &str) -> Self {
        self.0.attributes_class = Some(class.into());
        self
    }

    pub(crate) fn block(mut self) -> Self {
        self.0.volume_mode = Some(VolumeMode::Block);
        self
    }

    pub(crate) fn policy(mut self, policy: &str) -> Self {
        self.0.reclaim_policy = ReclaimPolicy::from_manifest(policy);
        self
    }

    pub(crate) fn phase(mut self, phase: &str) -> Self {
        self.0.status.phase = VolumePhase::from_manifest(phase);
        self
    }

    pub(crate) fn message(mut self, message: &str) -> Self {
        self.0.status.message = message.into();
        self
    }

    pub(crate) fn label(mut self, key: &str, value: &str) -> Self {
        self.0.meta.labels = Arc::new([(key.into(), value.into())]);
        self
    }

    /// Sets a claimRef as the controller writes it after reading version 20 of the claim.
    pub(crate) fn claimed_by(mut self, claim: &str, uid: &str) -> Self {
        self.0.claim_ref = Some(ClaimRef {
            api_version: "v1".into(),
            kind: "PersistentVolumeClaim".into(),
            namespace: NAMESPACE.into(),
            name: claim.into(),
            uid: uid.into(),
            resource_version: "20".into(),
            field_path: Str::default(),
        });
        self
    }

    /// Sets the namespace of the claimRef.
    pub(crate) fn claim_namespace(mut self, namespace: &str) -> Self {
        if let Some(named) = &mut self.0.claim_ref {
            named.namespace = namespace.into();
        }
        self
    }

    /// Sets a claimRef as people write it, with only namespace and name.
    pub(crate) fn reserved_for(mut self, claim: &str) -> Self {
        self.0.claim_ref = Some(ClaimRef { namespace: NAMESPACE.into(), name: claim.into(), ..ClaimRef::default() });
        self
    }

    pub(crate) fn host_path(mut self, path: &str) -> Self {
        self.0.source = VolumeSource { kind: SourceKind::HostPath, detail: path.into(), ..VolumeSource::default() };
        self
    }

    pub(crate) fn source(mut self, field: &str) -> Self {
        let kind = match field {
            "nfs" => SourceKind::Nfs,
            "local" => SourceKind::Local,
            other => SourceKind::Other(other.into()),
        };
        self.0.source = VolumeSource { kind, ..VolumeSource::default() };
        self
    }
}

/// A builder of a claim in namespace [`NAMESPACE`].
#[derive(Clone, Debug)]
pub(crate) struct Claim(pub(crate) PersistentVolumeClaim);

/// Returns a pending claim.
pub(crate) fn claim(name: &str) -> Claim {
    Claim(PersistentVolumeClaim {
        meta: meta(NAMESPACE, name, "20"),
        request: Some(quantity("1Gi").into()),
        access_modes: modes(&["RWO"]),
        class_name: Some("gold".into()),
        volume_mode: Some(VolumeMode::Filesystem),
        status: ClaimStatus { phase: ClaimPhase::Pending, ..ClaimStatus::default() },
        ..PersistentVolumeClaim::default()
    })
}

impl Claim {
    metadata_methods!(annotated, finalizers, terminating, uid);

    pub(crate) fn request(mut self, size: &str) -> Self {
        self.0.request = Some(quantity(size).into());
        self
    }

    pub(crate) fn modes(mut self, names: &[&str]) -> Self {
        self.0.access_modes = modes(names);
        self
    }

    pub(crate) fn class(mut self, class: &str) -> Self {
        self.0.class_name = Some(class.into());
        self
    }

    pub(crate) fn without_class(mut self) -> Self {
        self.0.class_name = None;
        self
    }

    pub(crate) fn attributes_class(mut self, class: &str) -> Self {
        self.0.attributes_class = Some(class.into());
        self
    }

    pub(crate) fn block(mut self) -> Self {
        self.0.volume_mode = Some(VolumeMode::Block);
        self
    }

    pub(crate) fn names(mut self, volume: &str) -> Self {
        self.0.volume_name = volume.into();
        self
    }

    /// Sets the fields that a claim has after the controller has chosen a volume and bound the claim to it.
    pub(crate) fn bound_to(self, volume: &str) -> Self {
        self.names(volume)
            .annotated("pv.kubernetes.io/bind-completed", "yes")
            .annotated("pv.kubernetes.io/bound-by-controller", "yes")
            .status("Bound", &["RWO"], "1Gi")
    }

    pub(crate) fn status(mut self, phase: &str, names: &[&str], capacity: &str) -> Self {
        self.0.status.phase = ClaimPhase::from_manifest(phase);
        self.0.status.access_modes = modes(names);
        self.0.status.capacity = Arc::new([("storage".into(), quantity(capacity).into())]);
        self
    }

    pub(crate) fn phase(mut self, phase: &str) -> Self {
        self.0.status.phase = ClaimPhase::from_manifest(phase);
        self
    }

    pub(crate) fn unused(mut self, unused: bool) -> Self {
        self.0.status.unused = Some(unused);
        self
    }

    pub(crate) fn wants_label(mut self, key: &str, value: &str) -> Self {
        self.0.selector = Some(Box::new(LabelSelector {
            match_labels: Box::new([(key.into(), value.into())]),
            ..LabelSelector::default()
        }));
        self
    }

    /// Sets a selector with an operator that does not exist. An API server would refuse it.
    pub(crate) fn wants_label_by(mut self, key: &str, operator: &str) -> Self {
        self.0.selector = Some(Box::new(LabelSelector {
            expressions: Box::new([LabelRequirement {
                key: key.into(),
                operator: LabelOperator::from_manifest(operator),
                values: Box::default(),
            }]),
            ..LabelSelector::default()
        }));
        self
    }

    pub(crate) fn with_data_source(mut self) -> Self {
        self.0.data_source = true;
        self
    }

    pub(crate) fn owned_by(mut self, uid: &str) -> Self {
        self.0.meta.controller_owner = Some(uid.into());
        self
    }
}

/// A builder of a class.
#[derive(Clone, Debug)]
pub(crate) struct Class(pub(crate) StorageClass);

/// Returns a class with immediate binding and an external provisioner.
pub(crate) fn class(name: &str) -> Class {
    Class(StorageClass {
        meta: ObjectMeta { created: Some(Timestamp(1_700_000_000)), ..meta("", name, "5") },
        provisioner: "csi.example.com".into(),
        reclaim_policy: Some(ReclaimPolicy::Delete),
        binding_mode: Some(BindingMode::Immediate),
        ..StorageClass::default()
    })
}

impl Class {
    pub(crate) fn provisioner(mut self, name: &str) -> Self {
        self.0.provisioner = name.into();
        self
    }

    pub(crate) fn waits(mut self) -> Self {
        self.0.binding_mode = Some(BindingMode::WaitForFirstConsumer);
        self
    }

    pub(crate) fn default_since(mut self, created: i64) -> Self {
        self.0.meta.annotations.set(AnnotationKey::IsDefaultClass, "true");
        self.0.meta.created = Some(Timestamp(created));
        self
    }

    pub(crate) fn mount_options(mut self, options: &[&str]) -> Self {
        self.0.mount_options = strings(options);
        self
    }
}

/// A builder of a pod in namespace [`NAMESPACE`].
#[derive(Clone, Debug)]
pub(crate) struct PodBuilder(pub(crate) Pod);

/// Returns a pod that is not scheduled yet and uses no claim.
pub(crate) fn pod(name: &str) -> PodBuilder {
    PodBuilder(Pod { meta: meta(NAMESPACE, name, "30"), phase: PodPhase::Pending, ..Pod::default() })
}

impl PodBuilder {
    metadata_methods!(terminating);

    pub(crate) fn uses(mut self, claim: &str) -> Self {
        self.0.claims = [ClaimVolume { name: claim.into(), claim: claim.into(), ..ClaimVolume::default() }].into();
        self
    }

    /// Adds a generic ephemeral volume whose claim has that name. Upstream names the claim `<pod>-<volume>`.
    pub(crate) fn uses_ephemeral(mut self, name: &str) -> Self {
        let volume = name.strip_prefix(&*format!("{}-", self.0.meta.name)).unwrap_or(name).into();
        let meta = ObjectMeta { name: name.into(), namespace: NAMESPACE.into(), ..ObjectMeta::default() };
        let template = PersistentVolumeClaim { meta, status: ClaimStatus::default(), ..claim(name).0 };
        self.0.ephemeral = self
            .0
            .ephemeral
            .into_iter()
            .chain([EphemeralVolume { name: volume, template, ..EphemeralVolume::default() }])
            .collect();
        self
    }

    pub(crate) fn runs_on(mut self, node: &str) -> Self {
        self.0.node_name = node.into();
        self.0.phase = PodPhase::Running;
        self.0.running_container = true;
        self
    }

    pub(crate) fn phase(mut self, phase: &str) -> Self {
        self.0.phase = PodPhase::from_manifest(phase);
        self.0.running_container = phase == "Running";
        self
    }
}

/// Returns a node.
pub(crate) fn node(name: &str) -> Node {
    Node { meta: meta("", name, "40"), ..Node::default() }
}

/// A builder of a node.
#[derive(Clone, Debug)]
pub(crate) struct NodeBuilder(pub(crate) Node);

impl NodeBuilder {
    /// Sets an amount of `status.allocatable`.
    pub(crate) fn allows(mut self, resource: &str, amount: i64) -> Self {
        self.0.allocatable = Box::new([(resource.into(), amount)]);
        self
    }
}
