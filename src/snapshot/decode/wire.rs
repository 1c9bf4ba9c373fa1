//! The objects as JSON holds them: only the fields that some decision reads, each with `null` as its absence.

use crate::model::{
    AccessMode, AccessModes, Amount, AnnotationKey, Annotations, ClaimRef, LabelOperator, LabelRequirement,
    LabelSelector, NodeOperator, NodeRequirement, NodeSelector, NodeSelectorTerm, Str, Timestamp,
};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;
use std::marker::PhantomData;

/// A JSON object with some named fields; others are skipped without being kept. Unlike serde's derived structs it does
/// not accept a list in place of the object, and `null` is the same as an empty object.
macro_rules! object {
    ($name:ident { $($field:ident: $kind:ty = $key:literal),+ $(,)? }) => {
        #[derive(Default)]
        pub(super) struct $name {
            $(pub(super) $field: $kind,)+
        }

        const _: () = {
            #[expect(non_camel_case_types, reason = "one variant for each field, under its name")]
            enum Key {
                $($field,)+
                __Unread,
            }

            struct KeyVisitor;

            impl Visitor<'_> for KeyVisitor {
                type Value = Key;

                fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str("a field name")
                }

                fn visit_str<E: Error>(self, key: &str) -> Result<Key, E> {
                    Ok(match key {
                        $($key => Key::$field,)+
                        _ => Key::__Unread,
                    })
                }
            }

            impl<'de> Deserialize<'de> for Key {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_identifier(KeyVisitor)
                }
            }

            struct Fields;

            impl<'de> Visitor<'de> for Fields {
                type Value = $name;

                fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str("an object")
                }

                fn visit_unit<E: Error>(self) -> Result<$name, E> {
                    Ok($name::default())
                }

                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                    $(let mut $field: Option<$kind> = None;)+
                    while let Some(found) = map.next_key::<Key>()? {
                        match found {
                            $(Key::$field => {
                                if $field.is_some() {
                                    return Err(Error::custom(concat!("the field `", $key, "` stands here twice")));
                                }
                                $field = Some(map.next_value()?);
                            })+
                            Key::__Unread => {
                                map.next_value::<IgnoredAny>()?;
                            }
                        }
                    }
                    Ok($name { $($field: $field.unwrap_or_default(),)+ })
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_any(Fields)
                }
            }
        };
    };
}

object!(VolumeObject { metadata: Meta = "metadata", spec: VolumeSpec = "spec", status: VolumeStatusObject = "status" });
object!(ClaimObject { metadata: Meta = "metadata", spec: ClaimSpec = "spec", status: ClaimStatusObject = "status" });
object!(PodObject { metadata: Meta = "metadata", spec: PodSpec = "spec", status: PodStatusObject = "status" });
object!(NodeObject { metadata: Meta = "metadata", spec: NodeSpec = "spec" });
object!(NodeSpec { unschedulable: Option<bool> = "unschedulable", taints: List<NodeTaint> = "taints" });
object!(NodeTaint { key: Text = "key", effect: Text = "effect" });
object!(ClassObject {
    metadata: Meta = "metadata",
    provisioner: Text = "provisioner",
    reclaim_policy: Option<Text> = "reclaimPolicy",
    binding_mode: Option<Text> = "volumeBindingMode",
    mount_options: List<Text> = "mountOptions",
    allow_expansion: Option<bool> = "allowVolumeExpansion",
    topologies: List<Topology> = "allowedTopologies",
});
object!(Topology { expressions: List<TopologyLabel> = "matchLabelExpressions" });
object!(TopologyLabel { key: Text = "key", values: List<Text> = "values" });

object!(Meta {
    name: Text = "name",
    namespace: Text = "namespace",
    uid: Text = "uid",
    resource_version: Text = "resourceVersion",
    created: Moment = "creationTimestamp",
    deleted: Moment = "deletionTimestamp",
    deletion_grace_seconds: Option<i64> = "deletionGracePeriodSeconds",
    annotations: AnnotationMap = "annotations",
    labels: LabelMap = "labels",
    finalizers: List<Text> = "finalizers",
    owners: List<Owner> = "ownerReferences",
});
object!(Owner {
    api_version: Text = "apiVersion",
    kind: Text = "kind",
    name: Text = "name",
    uid: Text = "uid",
    controller: Option<bool> = "controller",
});

object!(VolumeSpec {
    capacity: Quantities = "capacity",
    access_modes: List<Mode> = "accessModes",
    claim_ref: Option<Reference> = "claimRef",
    reclaim_policy: Text = "persistentVolumeReclaimPolicy",
    class_name: Text = "storageClassName",
    attributes_class: Option<Text> = "volumeAttributesClassName",
    volume_mode: Option<Text> = "volumeMode",
    node_affinity: Affinity = "nodeAffinity",
    csi: Option<CsiSource> = "csi",
    host_path: Option<PathSource> = "hostPath",
    nfs: Option<NfsSource> = "nfs",
    local: Option<Value> = "local",
    aws_elastic_block_store: Option<Value> = "awsElasticBlockStore",
    azure_disk: Option<Value> = "azureDisk",
    azure_file: Option<Value> = "azureFile",
    cephfs: Option<Value> = "cephfs",
    cinder: Option<Value> = "cinder",
    fc: Option<Value> = "fc",
    flex_volume: Option<Value> = "flexVolume",
    flocker: Option<Value> = "flocker",
    gce_persistent_disk: Option<Value> = "gcePersistentDisk",
    glusterfs: Option<Value> = "glusterfs",
    iscsi: Option<Value> = "iscsi",
    photon_persistent_disk: Option<Value> = "photonPersistentDisk",
    portworx_volume: Option<Value> = "portworxVolume",
    quobyte: Option<Value> = "quobyte",
    rbd: Option<Value> = "rbd",
    scale_io: Option<Value> = "scaleIO",
    storage_os: Option<Value> = "storageos",
    vsphere_volume: Option<Value> = "vsphereVolume",
});
object!(CsiSource { driver: Text = "driver", handle: Text = "volumeHandle" });
object!(PathSource { path: Text = "path" });
object!(NfsSource { server: Text = "server", path: Text = "path" });
object!(VolumeStatusObject {
    phase: Text = "phase",
    message: Text = "message",
    last_phase_transition: Moment = "lastPhaseTransitionTime",
});

object!(Reference {
    api_version: Text = "apiVersion",
    kind: Text = "kind",
    namespace: Text = "namespace",
    name: Text = "name",
    uid: Text = "uid",
    resource_version: Text = "resourceVersion",
    field_path: Text = "fieldPath",
});

object!(Affinity { required: Option<NodeTerms> = "required" });
object!(NodeTerms { terms: List<NodeTerm> = "nodeSelectorTerms" });
object!(NodeTerm { expressions: List<Requirement> = "matchExpressions", fields: List<Requirement> = "matchFields" });
object!(Requirement { key: Text = "key", operator: Text = "operator", values: List<Text> = "values" });
object!(LabelTerms { labels: LabelMap = "matchLabels", expressions: List<Requirement> = "matchExpressions" });

object!(ClaimSpec {
    access_modes: List<Mode> = "accessModes",
    resources: Resources = "resources",
    volume_name: Text = "volumeName",
    class_name: Option<Text> = "storageClassName",
    attributes_class: Option<Text> = "volumeAttributesClassName",
    volume_mode: Option<Text> = "volumeMode",
    selector: Option<LabelTerms> = "selector",
    data_source: Option<SourceReference> = "dataSource",
    data_source_ref: Option<SourceReference> = "dataSourceRef",
});
object!(SourceReference {
    group: Text = "apiGroup",
    kind: Text = "kind",
    namespace: Text = "namespace",
    name: Text = "name",
});
object!(Resources { requests: Requests = "requests" });
object!(Requests { storage: Option<Amount> = "storage" });
object!(ClaimStatusObject {
    phase: Text = "phase",
    access_modes: List<Mode> = "accessModes",
    capacity: Quantities = "capacity",
    current_attributes_class: Option<Text> = "currentVolumeAttributesClassName",
    conditions: List<StatusCondition> = "conditions",
    allocated: Quantities = "allocatedResources",
    allocated_statuses: LabelMap = "allocatedResourceStatuses",
});

object!(StatusCondition {
    kind: Text = "type",
    status: Text = "status",
    reason: Text = "reason",
    since: Moment = "lastTransitionTime",
});

object!(PodSpec {
    node_name: Text = "nodeName",
    volumes: List<PodVolume> = "volumes",
    scheduler_name: Text = "schedulerName",
    gates: List<IgnoredAny> = "schedulingGates",
});
object!(PodVolume {
    name: Text = "name",
    claim: Option<ClaimSource> = "persistentVolumeClaim",
    ephemeral: Option<IgnoredAny> = "ephemeral",
});
object!(ClaimSource { name: Text = "claimName" });
object!(PodStatusObject {
    phase: Text = "phase",
    containers: List<ContainerStatus> = "containerStatuses",
    init_containers: List<ContainerStatus> = "initContainerStatuses",
    ephemeral_containers: List<ContainerStatus> = "ephemeralContainerStatuses",
});
object!(ContainerStatus { state: ContainerState = "state" });
object!(ContainerState { waiting: Option<IgnoredAny> = "waiting", terminated: Option<IgnoredAny> = "terminated" });

object!(LeaseObject { metadata: LeaseMeta = "metadata", spec: LeaseSpec = "spec" });
object!(LeaseMeta { namespace: Text = "namespace", name: Text = "name", version: Text = "resourceVersion" });
object!(NamedText { name: Text = "name" });
object!(LeaseSpec {
    holder: Text = "holderIdentity",
    renewed: Moment = "renewTime",
    duration_seconds: Option<i64> = "leaseDurationSeconds",
});

object!(NamespaceObject { metadata: Meta = "metadata", spec: NamespaceSpec = "spec", status: Conditions = "status" });
object!(NamespaceSpec { finalizers: List<Text> = "finalizers" });
object!(Conditions { conditions: List<StatusCondition> = "conditions" });

object!(AttachmentObject {
    metadata: Meta = "metadata",
    spec: AttachmentSpec = "spec",
    status: AttachmentStatus = "status",
});
object!(AttachmentSpec { attacher: Text = "attacher", node_name: Text = "nodeName", source: Attached = "source" });
object!(Attached { volume_name: Text = "persistentVolumeName" });
object!(AttachmentStatus {
    attached: Option<bool> = "attached",
    attach_error: Option<VolumeError> = "attachError",
    detach_error: Option<VolumeError> = "detachError",
});
object!(VolumeError { time: Moment = "time", message: Text = "message" });

object!(DriverObject { metadata: Meta = "metadata", spec: DriverSpec = "spec" });
object!(DriverSpec { attach_required: Option<bool> = "attachRequired", capacity: Option<bool> = "storageCapacity" });

object!(CsiNodeObject { metadata: Meta = "metadata", spec: CsiNodeSpec = "spec" });
object!(CsiNodeSpec { drivers: List<DriverOnNode> = "drivers" });
object!(DriverOnNode { name: Text = "name", topology_keys: List<Text> = "topologyKeys", allocatable: Count = "allocatable" });
object!(Count { count: Option<i64> = "count" });

object!(CapacityObject {
    metadata: Meta = "metadata",
    class_name: Text = "storageClassName",
    topology: Option<LabelTerms> = "nodeTopology",
    capacity: Option<Amount> = "capacity",
    maximum: Option<Amount> = "maximumVolumeSize",
});

object!(EventObject {
    metadata: Meta = "metadata",
    involved: Reference = "involvedObject",
    reason: Text = "reason",
    message: Text = "message",
    kind: Text = "type",
    last: Moment = "lastTimestamp",
    at: Moment = "eventTime",
    series: EventSeries = "series",
});
object!(EventSeries { last: Moment = "lastObservedTime" });

object!(QuotaObject { metadata: Meta = "metadata", spec: QuotaSpec = "spec", status: QuotaStatus = "status" });
object!(QuotaSpec { scopes: List<IgnoredAny> = "scopes", selector: Option<IgnoredAny> = "scopeSelector" });
object!(QuotaStatus { hard: Quantities = "hard", used: Quantities = "used" });

object!(LimitRangeObject { metadata: Meta = "metadata", spec: Limits = "spec" });
object!(Limits { limits: List<Limit> = "limits" });
object!(Limit { kind: Text = "type", least: Requests = "min", most: Requests = "max" });

object!(StatefulSetObject { metadata: Meta = "metadata", spec: StatefulSetSpec = "spec" });
object!(StatefulSetSpec {
    replicas: Option<i64> = "replicas",
    ordinals: Ordinals = "ordinals",
    templates: List<Template> = "volumeClaimTemplates",
    retention: Retention = "persistentVolumeClaimRetentionPolicy",
});
object!(Ordinals { start: Option<i64> = "start" });
object!(Template { metadata: NamedText = "metadata", spec: ClaimSpec = "spec" });
object!(Retention { when_deleted: Text = "whenDeleted", when_scaled: Text = "whenScaled" });

object!(ManagedObject { metadata: ManagedMeta = "metadata" });
object!(ManagedMeta { managed: List<ManagedEntry> = "managedFields" });
object!(ManagedEntry { time: Moment = "time" });

object!(HeaderObject { api_version: Text = "apiVersion", kind: Text = "kind" });
object!(NamedObject { kind: Loose = "kind", metadata: Option<NamedMeta> = "metadata" });
object!(NamedMeta { namespace: Loose = "namespace", name: Loose = "name" });

impl Reference {
    pub(super) fn into_claim_ref(self) -> ClaimRef {
        ClaimRef {
            api_version: self.api_version.0,
            kind: self.kind.0,
            namespace: self.namespace.0,
            name: self.name.0,
            uid: self.uid.0,
            resource_version: self.resource_version.0,
            field_path: self.field_path.0,
        }
    }
}

impl NodeTerms {
    pub(super) fn into_selector(self) -> NodeSelector {
        let requirements = |list: List<Requirement>| {
            list.0
                .into_iter()
                .map(|requirement| NodeRequirement {
                    key: requirement.key.0,
                    operator: NodeOperator::from_manifest(&requirement.operator.0),
                    values: requirement.values.strings(),
                })
                .collect()
        };
        let terms = self.terms.0.into_iter().map(|term| NodeSelectorTerm {
            expressions: requirements(term.expressions),
            fields: requirements(term.fields),
        });
        NodeSelector { terms: terms.collect() }
    }
}

impl LabelTerms {
    pub(super) fn into_selector(self) -> LabelSelector {
        let expressions = self.expressions.0.into_iter().map(|requirement| LabelRequirement {
            key: requirement.key.0,
            operator: LabelOperator::from_manifest(&requirement.operator.0),
            values: requirement.values.strings(),
        });
        LabelSelector { match_labels: self.labels.0.into(), expressions: expressions.collect() }
    }
}

/// A string.
#[derive(Default)]
pub(super) struct Text(pub(super) Str);

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Str::new(text)))
    }

    fn visit_unit<E: Error>(self) -> Result<Text, E> {
        Ok(Text::default())
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

/// A string if it is one, and empty if it is anything else: for naming an object of which something is wrong.
#[derive(Default)]
pub(super) struct Loose(pub(super) String);

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Loose, E> {
        Ok(Loose(text.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Loose, E> {
        Ok(Loose::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Loose, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Loose::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Loose::default())
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

/// An access mode.
pub(super) struct Mode(AccessMode);

impl<'de> Deserialize<'de> for Mode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Text::deserialize(deserializer).map(|mode| Self(AccessMode::from_manifest(&mode.0)))
    }
}

/// A moment. Upstream accepts RFC 3339 alone (`metav1.Time`, apimachinery, 1.36).
#[derive(Default)]
pub(super) struct Moment(pub(super) Option<Timestamp>);

struct MomentVisitor;

impl Visitor<'_> for MomentVisitor {
    type Value = Moment;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a time such as 2026-06-01T10:00:00Z")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Moment, E> {
        match Timestamp::parse(text) {
            Some(moment) => Ok(Moment(Some(moment))),
            None => Err(E::custom("it is not a time such as 2026-06-01T10:00:00Z")),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Moment, E> {
        Ok(Moment::default())
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MomentVisitor)
    }
}

/// Quantities may be written as JSON numbers too. Upstream: `Quantity.UnmarshalJSON`, apimachinery, 1.36.
struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Amount;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a quantity such as 10Gi")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Amount, E> {
        Amount::parse(text).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Amount, E> {
        self.visit_str(&number.to_string())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

/// Quantities by resource name, in its order.
#[derive(Default)]
pub(super) struct Quantities(pub(super) Vec<(Str, Amount)>);

struct QuantitiesVisitor;

impl<'de> Visitor<'de> for QuantitiesVisitor {
    type Value = Quantities;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of quantities")
    }

    fn visit_unit<E: Error>(self) -> Result<Quantities, E> {
        Ok(Quantities::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Quantities, A::Error> {
        let mut pairs: Vec<(Str, Amount)> = Vec::new();
        while let Some(Text(resource)) = map.next_key()? {
            if let Some(quantity) = map.next_value::<Option<Amount>>()? {
                if pairs.is_empty() {
                    pairs.reserve_exact(1);
                }
                pairs.push((resource, quantity));
            }
        }
        sorted(pairs).map(Quantities)
    }
}

impl<'de> Deserialize<'de> for Quantities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantitiesVisitor)
    }
}

/// Labels, in the order of their keys.
#[derive(Default)]
pub(super) struct LabelMap(pub(super) Vec<(Str, Str)>);

struct LabelsVisitor;

impl<'de> Visitor<'de> for LabelsVisitor {
    type Value = LabelMap;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of strings")
    }

    fn visit_unit<E: Error>(self) -> Result<LabelMap, E> {
        Ok(LabelMap::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LabelMap, A::Error> {
        let mut pairs: Vec<(Str, Str)> = Vec::new();
        while let Some((Text(key), Text(value))) = map.next_entry()? {
            pairs.push((key, value));
        }
        sorted(pairs).map(LabelMap)
    }
}

impl<'de> Deserialize<'de> for LabelMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LabelsVisitor)
    }
}

fn sorted<T, E: Error>(mut pairs: Vec<(Str, T)>) -> Result<Vec<(Str, T)>, E> {
    pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
    match pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(E::custom(format_args!("the key `{}` stands here twice", pair[0].0))),
        None => Ok(pairs),
    }
}

/// Annotations: what a decision reads is kept, the others are counted.
#[derive(Default)]
pub(super) struct AnnotationMap(pub(super) Annotations);

/// A key of the annotations, if some decision reads it.
struct KnownAnnotation(Option<AnnotationKey>);

struct KnownAnnotationVisitor;

impl Visitor<'_> for KnownAnnotationVisitor {
    type Value = KnownAnnotation;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an annotation's key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<KnownAnnotation, E> {
        Ok(KnownAnnotation(AnnotationKey::from_manifest(key)))
    }
}

impl<'de> Deserialize<'de> for KnownAnnotation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(KnownAnnotationVisitor)
    }
}

struct AnnotationsVisitor;

impl<'de> Visitor<'de> for AnnotationsVisitor {
    type Value = AnnotationMap;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object of strings")
    }

    fn visit_unit<E: Error>(self) -> Result<AnnotationMap, E> {
        Ok(AnnotationMap::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnnotationMap, A::Error> {
        let mut known: Vec<(AnnotationKey, Str)> = Vec::new();
        let mut others = 0_u32;
        while let Some(KnownAnnotation(key)) = map.next_key()? {
            if let Some(key) = key {
                if known.iter().any(|(present, _)| *present == key) {
                    return Err(Error::custom(format_args!("the key `{}` stands here twice", key.as_str())));
                }
                known.push((key, map.next_value::<Text>()?.0));
            } else {
                map.next_value::<IgnoredAny>()?;
                others = others.saturating_add(1);
            }
        }
        Ok(AnnotationMap(Annotations::new(known, others)))
    }
}

impl<'de> Deserialize<'de> for AnnotationMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnnotationsVisitor)
    }
}

/// A list.
pub(super) struct List<T>(pub(super) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl List<Text> {
    pub(super) fn strings<L: FromIterator<Str>>(self) -> L {
        self.0.into_iter().map(|text| text.0).collect()
    }
}

impl List<Mode> {
    pub(super) fn modes(self) -> AccessModes {
        AccessModes(self.0.into_iter().map(|mode| mode.0).collect())
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }

    fn visit_unit<E: Error>(self) -> Result<List<T>, E> {
        Ok(List::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<List<T>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            if elements.is_empty() {
                // Most lists have one element, and what is kept of them is cut to size.
                elements.reserve_exact(1);
            }
            elements.push(element);
        }
        Ok(List(elements))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}
