//! Small worlds for property tests. They have few objects with few possible values. So the objects can affect each
//! other in every way. Some states are states that an API server would not store.
#![expect(clippy::unwrap_used, reason = "a world that cannot be made is a failed test")]

use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use pvctl::model::{
    AccessMode, AccessModes, AnnotationKey, Annotations, BindingMode, ClaimPhase, ClaimRef, ClaimVolume, LabelOperator,
    LabelRequirement, LabelSelector, ObjectMeta, Objects, PersistentVolume, PersistentVolumeClaim, Pod, PodPhase,
    Quantity, ReclaimPolicy, ResourceVersion, SourceKind, StorageClass, Str, Timestamp, VolumeMode, VolumePhase,
    VolumeSource,
};
use pvctl::snapshot::{Coverage, Parts};
use std::fmt;
use std::sync::Arc;

/// A strategy that yields one of a few values, each with a weight.
macro_rules! weighted {
    ($($weight:literal => $value:expr),+ $(,)?) => { prop_oneof![$($weight => Just($value)),+] };
}

/// A world. If a property fails, the world is printed in a few lines.
#[derive(Clone)]
pub(crate) struct Cluster(pub(crate) Parts);

impl fmt::Debug for Cluster {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deletion = |meta: &ObjectMeta| meta.deleted.map(|_| meta.deletion_grace_seconds);
        for v in &self.0.objects.volumes {
            let claim_ref = v.claim_ref.as_ref().map(|named| [&named.namespace, &named.name, &named.uid]);
            let spec = (v.storage(), &v.access_modes.0, v.class(), &v.volume_mode, &v.attributes_class);
            let fate = (&v.reclaim_policy, &v.source.kind, &v.source.detail);
            writeln!(out, "\n  pv {} {:?} claimRef {claim_ref:?}", v.meta.name, v.status.phase)?;
            writeln!(out, "    {spec:?} {fate:?}")?;
            writeln!(out, "    {:?} {:?} deleted {:?}", v.meta.annotations, v.meta.finalizers, deletion(&v.meta))?;
            write!(out, "    {:?}", v.meta.labels)?;
        }
        for c in &self.0.objects.claims {
            let spec = (&c.request, &c.access_modes.0, &c.class_name, &c.volume_mode, &c.attributes_class);
            writeln!(out, "\n  pvc {} {:?} volumeName {:?}", c.key(), c.status.phase, c.volume_name)?;
            writeln!(out, "    {spec:?} data source {}", c.data_source)?;
            writeln!(out, "    {:?} {:?} deleted {:?}", c.meta.annotations, c.meta.finalizers, deletion(&c.meta))?;
            write!(out, "    {:?}", c.selector)?;
        }
        for class in &self.0.objects.classes {
            let spec = (&class.provisioner, &class.binding_mode, &class.meta.annotations, &class.meta.created);
            write!(out, "\n  sc {} {spec:?} {:?}", class.meta.name, class.mount_options)?;
        }
        for pod in &self.0.objects.pods {
            let spec = (&pod.node_name, &pod.phase, &pod.claims, pod.running_container);
            write!(out, "\n  pod {} {spec:?} deleted {:?}", pod.meta.name, deletion(&pod.meta))?;
        }
        Ok(())
    }
}

const CLASSES: [&str; 2] = ["fast", "slow"];
const CLAIM_FINALIZER: &str = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER: &str = "kubernetes.io/pv-protection";
const IN_TREE_FINALIZER: &str = "kubernetes.io/pv-controller";
const DRIVER_FINALIZER: &str = "external-provisioner.volume.kubernetes.io/finalizer";

/// Parses a quantity. The text must be valid.
pub(crate) fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).unwrap()
}

fn claim_namespace(number: usize) -> &'static str {
    if number == 2 { "other" } else { "ns" }
}

fn meta(name: String, namespace: &str) -> ObjectMeta {
    let uid = Str::from(format!("uid-{namespace}-{name}"));
    let resource_version = ResourceVersion::Recorded("7".into());
    ObjectMeta { name: name.into(), namespace: namespace.into(), uid, resource_version, ..ObjectMeta::default() }
}

fn access_modes() -> impl Strategy<Value = AccessModes> {
    use AccessMode::{Other, ReadOnlyMany, ReadWriteMany, ReadWriteOnce};
    weighted![
        12 => vec![ReadWriteOnce],
        3 => vec![ReadWriteOnce, ReadOnlyMany],
        2 => vec![ReadWriteMany, ReadWriteOnce],
        2 => vec![ReadWriteMany],
        1 => vec![],
        1 => vec![ReadWriteOnce, ReadWriteOnce, Other("Odd".into())],
    ]
    .prop_map(|modes| AccessModes(modes.into()))
}

fn size() -> impl Strategy<Value = Option<Quantity>> {
    weighted![
        6 => Some("1Gi"), 4 => Some("1024Mi"), 4 => Some("2Gi"), 1 => Some("3Gi"), 1 => Some("1500m"), 1 => Some("2"), 1 => None,
    ]
    .prop_map(|text| text.map(quantity))
}

fn volume_mode() -> impl Strategy<Value = Option<VolumeMode>> {
    weighted![6 => None, 6 => Some(VolumeMode::Filesystem), 1 => Some(VolumeMode::Block)]
}

fn attributes_class() -> impl Strategy<Value = Option<Str>> {
    weighted![14 => None, 1 => Some(""), 1 => Some("gold")].prop_map(|class| class.map(Str::from))
}

fn deleted() -> impl Strategy<Value = (Option<Timestamp>, Option<i64>)> {
    weighted![10 => (None, None), 2 => (Some(Timestamp(1_700_000_000)), Some(0)), 1 => (Some(Timestamp(1_700_000_000)), None)]
}

fn finalizers(known: &'static [&'static str]) -> impl Strategy<Value = Arc<[Str]>> {
    let odd = subsequence(known.to_vec(), 0..=known.len());
    prop_oneof![3 => Just(vec![known[0]]), 2 => Just(vec![]), 1 => odd]
        .prop_map(|finalizers| finalizers.into_iter().map(Str::from).collect())
}

fn labels() -> impl Strategy<Value = Arc<[(Str, Str)]>> {
    weighted![3 => None, 1 => Some("a"), 1 => Some("b")]
        .prop_map(|tier| tier.map(|tier| (Str::from("tier"), Str::from(tier))).into_iter().collect())
}

fn selector() -> impl Strategy<Value = Option<Box<LabelSelector>>> {
    let expression = |operator: LabelOperator, values: &[&str]| LabelSelector {
        match_labels: Box::default(),
        expressions: Box::new([LabelRequirement {
            key: "tier".into(),
            operator,
            values: values.iter().map(|value| Str::from(*value)).collect(),
        }]),
    };
    weighted![
        12 => None,
        1 => Some(LabelSelector::default()),
        2 => Some(LabelSelector { match_labels: Box::new([("tier".into(), "a".into())]), expressions: Box::default() }),
        1 => Some(expression(LabelOperator::NotIn, &["a"])),
        1 => Some(expression(LabelOperator::In, &[])),
        1 => Some(expression(LabelOperator::Other("Near".into()), &["a"])),
    ]
    .prop_map(|selector| selector.map(Box::new))
}

fn annotations(keys: Vec<(AnnotationKey, BoxedStrategy<Option<&'static str>>)>) -> impl Strategy<Value = Annotations> {
    let (keys, values): (Vec<_>, Vec<_>) = keys.into_iter().unzip();
    values.prop_map(move |values| {
        let known = keys.iter().zip(values).filter_map(|(key, value)| value.map(|value| (*key, Str::from(value))));
        Annotations::new(known.collect(), 0)
    })
}

/// Returns a strategy for the `claimRef` of a volume, given the number of claims.
fn claim_ref(claims: usize) -> impl Strategy<Value = Option<ClaimRef>> {
    let kind = weighted![
        5 => "absent", 3 => "reserved", 5 => "right", 2 => "stale", 1 => "foreign", 1 => "without namespace", 1 => "other uid", 1 => "empty",
    ];
    (kind, any::<Index>(), any::<Index>()).prop_map(move |(kind, claim, other)| {
        let count = claims.max(1);
        let (claim, other) = (claim.index(count), other.index(count));
        let uid = |number: usize| format!("uid-{}-c{number}", claim_namespace(number));
        let (namespace, name, uid) = match kind {
            "absent" => return None,
            "reserved" => (claim_namespace(claim), format!("c{claim}"), String::new()),
            "right" => (claim_namespace(claim), format!("c{claim}"), uid(claim)),
            "stale" => (claim_namespace(claim), format!("c{claim}"), "uid-of-old".to_owned()),
            "foreign" => ("ns", "elsewhere".to_owned(), "uid-of-gone".to_owned()),
            "without namespace" => ("", format!("c{claim}"), uid(claim)),
            "other uid" => (claim_namespace(claim), format!("c{claim}"), uid(other)),
            _ => ("", String::new(), String::new()),
        };
        Some(ClaimRef { namespace: namespace.into(), name: name.into(), uid: uid.into(), ..ClaimRef::default() })
    })
}

/// Returns a strategy for volumes with unusual and contradictory fields.
fn unusual_volume(number: usize, claims: usize) -> impl Strategy<Value = PersistentVolume> {
    let keys = vec![
        (AnnotationKey::BoundByController, weighted![2 => None, 1 => Some("yes")].boxed()),
        (
            AnnotationKey::ProvisionedBy,
            weighted![
                10 => None, 1 => Some(""), 2 => Some("kubernetes.io/host-path"), 1 => Some("kubernetes.io/aws-ebs"),
                1 => Some("csi.example.com"), 1 => Some("kubernetes.io/nfs"), 1 => Some("kubernetes.io/rbd"),
                1 => Some("kubernetes.io/portworx-volume"),
            ]
            .boxed(),
        ),
        (
            AnnotationKey::MigratedTo,
            weighted![12 => None, 1 => Some(""), 1 => Some("ebs.csi.aws.com"), 1 => Some("stale.example.com")].boxed(),
        ),
        (AnnotationKey::BetaStorageClass, weighted![16 => None, 1 => Some(""), 1 => Some("fast")].boxed()),
        (AnnotationKey::PreResizeCapacity, weighted![16 => None, 1 => Some("1Gi"), 1 => Some("much")].boxed()),
    ];
    let spec = (
        size(),
        access_modes(),
        claim_ref(claims),
        weighted![
            3 => ReclaimPolicy::Retain, 2 => ReclaimPolicy::Delete, 1 => ReclaimPolicy::Recycle,
            1 => ReclaimPolicy::Other("Shred".into())
        ],
        weighted![8 => "", 4 => "fast", 2 => "slow", 1 => "missing"],
        attributes_class(),
        volume_mode(),
        weighted![
            2 => (SourceKind::Csi, "csi.example.com"), 2 => (SourceKind::HostPath, "/tmp/data"),
            1 => (SourceKind::HostPath, "/data"), 1 => (SourceKind::Nfs, ""), 1 => (SourceKind::Local, ""),
            1 => (SourceKind::Other("rbd".into()), ""), 1 => (SourceKind::None, "")
        ],
    );
    let phase = weighted![
        4 => VolumePhase::Available, 4 => VolumePhase::Bound, 3 => VolumePhase::Pending, 1 => VolumePhase::Empty,
        2 => VolumePhase::Released, 1 => VolumePhase::Failed, 1 => VolumePhase::Other("Odd".into())
    ];
    let known = &[VOLUME_FINALIZER, IN_TREE_FINALIZER, DRIVER_FINALIZER, "example.com/keep"];
    (spec, phase, annotations(keys), finalizers(known), labels(), deleted()).prop_map(
        move |(spec, phase, annotations, finalizers, labels, (deleted, grace))| {
            let (size, access_modes, claim_ref, reclaim_policy, class, attributes_class, volume_mode, source) = spec;
            let mut volume = PersistentVolume {
                meta: meta(format!("v{number}"), ""),
                capacity: size.into_iter().map(|size| ("storage".into(), size.into())).collect(),
                access_modes,
                claim_ref,
                reclaim_policy,
                class_name: class.into(),
                attributes_class,
                volume_mode,
                source: VolumeSource { kind: source.0, detail: source.1.into(), ..VolumeSource::default() },
                ..PersistentVolume::default()
            };
            volume.status.phase = phase;
            volume.meta.annotations = annotations;
            volume.meta.finalizers = finalizers;
            volume.meta.labels = labels;
            volume.meta.deleted = deleted;
            volume.meta.deletion_grace_seconds = grace;
            volume
        },
    )
}

/// Returns an Available volume of this class that no claim has, so that many claims can take it.
pub(crate) fn free_volume(name: String, size: &str, class: &str) -> PersistentVolume {
    let mut volume = PersistentVolume {
        meta: meta(name, ""),
        capacity: Arc::new([("storage".into(), quantity(size).into())]),
        access_modes: AccessModes(Arc::new([AccessMode::ReadWriteOnce])),
        class_name: class.into(),
        source: VolumeSource { kind: SourceKind::Csi, detail: "csi.example.com".into(), ..VolumeSource::default() },
        ..PersistentVolume::default()
    };
    volume.status.phase = VolumePhase::Available;
    volume.meta.finalizers = Arc::new([VOLUME_FINALIZER.into()]);
    volume
}

/// Returns a claim that waits for a volume.
pub(crate) fn waiting_claim(name: String, namespace: &str, request: &str, class: &str) -> PersistentVolumeClaim {
    let mut claim = PersistentVolumeClaim {
        meta: meta(name, namespace),
        request: Some(quantity(request).into()),
        access_modes: AccessModes(Arc::new([AccessMode::ReadWriteOnce])),
        class_name: Some(class.into()),
        ..PersistentVolumeClaim::default()
    };
    claim.status.phase = ClaimPhase::Pending;
    claim.meta.finalizers = Arc::new([CLAIM_FINALIZER.into()]);
    claim
}

fn plain_volume(number: usize) -> impl Strategy<Value = PersistentVolume> {
    (weighted![3 => "1Gi", 2 => "2Gi"], weighted![3 => "", 2 => "fast"], any::<bool>()).prop_map(
        move |(size, class, protected)| {
            let mut volume = free_volume(format!("v{number}"), size, class);
            if !protected {
                volume.meta.finalizers = Arc::default();
            }
            volume
        },
    )
}

fn plain_claim(number: usize) -> impl Strategy<Value = PersistentVolumeClaim> {
    (weighted![3 => "1Gi", 1 => "2Gi"], weighted![3 => "", 2 => "fast"])
        .prop_map(move |(request, class)| waiting_claim(format!("c{number}"), claim_namespace(number), request, class))
}

fn wild_claim(number: usize, volumes: usize) -> impl Strategy<Value = PersistentVolumeClaim> {
    let keys = vec![
        (AnnotationKey::BindCompleted, weighted![2 => None, 1 => Some("yes")].boxed()),
        (AnnotationKey::BoundByController, weighted![3 => None, 1 => Some("yes")].boxed()),
        (AnnotationKey::SelectedNode, weighted![8 => None, 1 => Some(""), 1 => Some("n1")].boxed()),
        (
            AnnotationKey::StorageProvisioner,
            weighted![10 => None, 1 => Some("csi.example.com"), 1 => Some("kubernetes.io/aws-ebs")].boxed(),
        ),
        (AnnotationKey::MigratedTo, weighted![12 => None, 1 => Some(""), 1 => Some("stale.example.com")].boxed()),
        (AnnotationKey::BetaStorageClass, weighted![16 => None, 1 => Some(""), 1 => Some("fast")].boxed()),
    ];
    let phase = weighted![
        5 => ClaimPhase::Pending, 3 => ClaimPhase::Bound, 2 => ClaimPhase::Lost, 1 => ClaimPhase::Empty,
        1 => ClaimPhase::Other("Odd".into())
    ];
    let spec = (
        size(),
        access_modes(),
        weighted![5 => "none", 5 => "some", 1 => "missing"],
        any::<Index>(),
        weighted![4 => None, 5 => Some(""), 5 => Some("fast"), 2 => Some("slow"), 1 => Some("missing")],
        attributes_class(),
        volume_mode(),
        selector(),
        weighted![8 => false, 1 => true],
    );
    let finalizers = finalizers(&[CLAIM_FINALIZER, "example.com/keep"]);
    (spec, phase, annotations(keys), finalizers, deleted()).prop_map(
        move |(spec, phase, annotations, finalizers, (deleted, grace))| {
            let (request, access_modes, named, volume, class, attributes_class, volume_mode, selector, data_source) =
                spec;
            let mut claim = PersistentVolumeClaim {
                meta: meta(format!("c{number}"), claim_namespace(number)),
                request: request.map(Into::into),
                access_modes,
                volume_name: match named {
                    "none" => Str::default(),
                    "some" => format!("v{}", volume.index(volumes.max(1))).into(),
                    _ => "elsewhere".into(),
                },
                class_name: class.map(Str::from),
                attributes_class,
                volume_mode,
                selector,
                data_source,
                ..PersistentVolumeClaim::default()
            };
            claim.status.phase = phase;
            claim.meta.annotations = annotations;
            claim.meta.finalizers = finalizers;
            claim.meta.deleted = deleted;
            claim.meta.deletion_grace_seconds = grace;
            claim
        },
    )
}

fn class(number: usize) -> impl Strategy<Value = StorageClass> {
    (
        weighted![3 => Some(BindingMode::Immediate), 2 => Some(BindingMode::WaitForFirstConsumer), 1 => None],
        weighted![
            3 => "csi.example.com", 2 => "kubernetes.io/no-provisioner", 1 => "kubernetes.io/aws-ebs",
            2 => "kubernetes.io/host-path", 1 => "kubernetes.io/nfs", 1 => "kubernetes.io/rbd"
        ],
        weighted![2 => None, 1 => Some("true"), 1 => Some("false")],
        weighted![1 => None, 1 => Some(1), 1 => Some(2)],
        weighted![3 => None, 1 => Some(ReclaimPolicy::Retain)],
        any::<bool>(),
    )
        .prop_map(move |(binding_mode, provisioner, default, created, reclaim_policy, options)| {
            let mut class = StorageClass {
                meta: meta(CLASSES[number].to_owned(), ""),
                provisioner: provisioner.into(),
                binding_mode,
                reclaim_policy,
                mount_options: if options { Box::new(["ro".into()]) } else { Box::default() },
                ..StorageClass::default()
            };
            class.meta.created = created.map(Timestamp);
            if let Some(default) = default {
                class.meta.annotations.set(AnnotationKey::IsDefaultClass, default);
            }
            class
        })
}

/// Returns a volume of a pod that uses this claim.
fn volume_of(claim: &str) -> ClaimVolume {
    ClaimVolume { name: format!("of-{claim}").into(), claim: claim.into(), ..ClaimVolume::default() }
}

fn pod(number: usize) -> impl Strategy<Value = Pod> {
    (
        weighted![1 => "", 1 => "n1"],
        weighted![2 => PodPhase::Pending, 2 => PodPhase::Running, 1 => PodPhase::Succeeded],
        subsequence(vec!["c0", "c1", "c3"], 0..=2),
        deleted(),
        any::<bool>(),
    )
        .prop_map(move |(node, phase, claims, (deleted, grace), running_container)| {
            let mut pod = Pod {
                meta: meta(format!("p{number}"), "ns"),
                node_name: node.into(),
                phase,
                claims: claims.into_iter().map(volume_of).collect(),
                running_container,
                ..Pod::default()
            };
            pod.meta.deleted = deleted;
            pod.meta.deletion_grace_seconds = grace;
            pod
        })
}

/// Returns a strategy for worlds with at most these numbers of volumes and claims, and with up to two classes and two
/// pods.
pub(crate) fn worlds(volumes: usize, claims: usize) -> impl Strategy<Value = Cluster> {
    (0..=volumes, 0..=claims, 0..=2usize, 0..=2usize).prop_flat_map(|(volumes, claims, classes, pods)| {
        let volumes_of: Vec<_> = (0..volumes)
            .map(|number| prop_oneof![1 => plain_volume(number), 2 => unusual_volume(number, claims)].boxed())
            .collect();
        let claims_of: Vec<_> = (0..claims)
            .map(|number| prop_oneof![1 => plain_claim(number), 2 => wild_claim(number, volumes)].boxed())
            .collect();
        let classes: Vec<_> = (0..classes).map(|number| class(number).boxed()).collect();
        let pods: Vec<_> = (0..pods).map(|number| pod(number).boxed()).collect();
        (volumes_of, claims_of, classes, pods).prop_map(|(volumes, claims, classes, pods)| {
            let objects = Objects { volumes, claims, classes, pods, ..Objects::default() };
            Cluster(Parts { objects, coverage: Coverage::complete(), ..Parts::default() })
        })
    })
}

/// Returns a strategy for worlds of volumes without a `claimRef` and waiting claims, all without a class. The claims
/// differ only in size. The volumes differ in size and phase.
pub(crate) fn contended(volumes: usize, claims: usize) -> impl Strategy<Value = Cluster> {
    let sizes = || weighted![1 => "1Gi", 1 => "2Gi", 1 => "3Gi", 1 => "4Gi", 1 => "5Gi"];
    let phases = weighted![6 => VolumePhase::Available, 1 => VolumePhase::Pending, 1 => VolumePhase::Failed];
    // With a probability of one half, a volume is Available. Otherwise its phase is random, and may also be Available.
    let phases = prop_oneof![Just(VolumePhase::Available).boxed(), phases.boxed()];
    (proptest::collection::vec((sizes(), phases), 0..=volumes), proptest::collection::vec(sizes(), 0..=claims))
        .prop_map(|(volumes, claims)| {
            let volume = |(number, (size, phase)): (u32, (&str, VolumePhase))| {
                let mut volume = free_volume(format!("v{number}"), size, "");
                volume.status.phase = phase;
                volume
            };
            let claim = |(number, size): (u32, _)| waiting_claim(format!("c{number}"), "ns", size, "");
            let objects = Objects {
                volumes: (0..).zip(volumes).map(volume).collect(),
                claims: (0..).zip(claims).map(claim).collect(),
                ..Objects::default()
            };
            Cluster(Parts { objects, coverage: Coverage::complete(), ..Parts::default() })
        })
}
