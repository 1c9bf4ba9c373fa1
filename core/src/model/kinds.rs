//! The kinds of objects that some answer reads. Each kind has one row here, and all other definitions follow from the
//! rows.

use super::{Held, Id, ObjectId, ObjectKey, ObjectMeta, ResourceVersion};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Passes the rows to a macro. Each row has these parts in this order: the kind, the model type of its objects, the
/// list that has the objects, the kind as manifests write it, the resource, the words that people type, the API
/// versions, and the scope.
macro_rules! each_kind {
    ($then:ident) => {
        $then! {
            /// `v1` PersistentVolume.
            PersistentVolume(PersistentVolume) in volumes:
                "PersistentVolume", "persistentvolumes", ["pv"], ["v1"], CLUSTER;
            /// `v1` PersistentVolumeClaim.
            PersistentVolumeClaim(PersistentVolumeClaim) in claims:
                "PersistentVolumeClaim", "persistentvolumeclaims", ["pvc"], ["v1"], NAMESPACE;
            /// `storage.k8s.io/v1` StorageClass.
            StorageClass(StorageClass) in classes:
                "StorageClass", "storageclasses", ["sc"], ["storage.k8s.io/v1", "storage.k8s.io/v1beta1"], CLUSTER;
            /// `v1` Pod.
            Pod(Pod) in pods:
                "Pod", "pods", ["pod", "po"], ["v1"], NAMESPACE;
            /// `v1` Node.
            Node(Node) in nodes:
                "Node", "nodes", ["node", "no"], ["v1"], CLUSTER;
            /// `coordination.k8s.io/v1` Lease. Snapshots have only the Lease of kube-controller-manager. No decision
            /// reads this Lease: it shows whether the controllers run.
            Lease(Lease) in leases:
                "Lease", "leases", ["lease"], ["coordination.k8s.io/v1"], NAMESPACE;
            /// `v1` Namespace.
            Namespace(Namespace) in namespaces:
                "Namespace", "namespaces", ["ns"], ["v1"], CLUSTER;
            /// `storage.k8s.io/v1` VolumeAttachment.
            VolumeAttachment(VolumeAttachment) in attachments:
                "VolumeAttachment", "volumeattachments", ["volumeattachment", "va"], ["storage.k8s.io/v1"], CLUSTER;
            /// `storage.k8s.io/v1` CSIDriver.
            CsiDriver(CsiDriver) in drivers:
                "CSIDriver", "csidrivers", ["csidriver"], ["storage.k8s.io/v1"], CLUSTER;
            /// `storage.k8s.io/v1` CSINode.
            CsiNode(CsiNode) in csi_nodes:
                "CSINode", "csinodes", ["csinode"], ["storage.k8s.io/v1"], CLUSTER;
            /// `storage.k8s.io/v1` CSIStorageCapacity.
            CsiStorageCapacity(StorageCapacity) in capacities:
                "CSIStorageCapacity", "csistoragecapacities", ["csistoragecapacity"], ["storage.k8s.io/v1"], NAMESPACE;
            /// `v1` Event about a workload, a pod, a node, a namespace, or an object of storage.
            Event(Event) in events:
                "Event", "events", ["event"], ["v1"], NAMESPACE;
            /// `v1` ResourceQuota.
            ResourceQuota(ResourceQuota) in quotas:
                "ResourceQuota", "resourcequotas", ["quota"], ["v1"], NAMESPACE;
            /// `v1` LimitRange.
            LimitRange(LimitRange) in limit_ranges:
                "LimitRange", "limitranges", ["limits"], ["v1"], NAMESPACE;
            /// `apps/v1` StatefulSet.
            StatefulSet(StatefulSet) in stateful_sets:
                "StatefulSet", "statefulsets", ["sts"], ["apps/v1"], NAMESPACE;
            /// `v1` Service.
            Service(Service) in services:
                "Service", "services", ["svc"], ["v1"], NAMESPACE;
            /// `v1` Endpoints.
            Endpoints(Endpoints) in endpoints:
                "Endpoints", "endpoints", ["ep"], ["v1"], NAMESPACE;
            /// `discovery.k8s.io/v1` EndpointSlice.
            EndpointSlice(EndpointSlice) in endpoint_slices:
                "EndpointSlice", "endpointslices", ["endpointslice"], ["discovery.k8s.io/v1"], NAMESPACE;
            /// `apps/v1` ReplicaSet.
            ReplicaSet(ReplicaSet) in replica_sets:
                "ReplicaSet", "replicasets", ["rs"], ["apps/v1"], NAMESPACE;
            /// `apps/v1` Deployment.
            Deployment(Deployment) in deployments:
                "Deployment", "deployments", ["deploy"], ["apps/v1"], NAMESPACE;
            /// `apps/v1` DaemonSet.
            DaemonSet(DaemonSet) in daemon_sets:
                "DaemonSet", "daemonsets", ["ds"], ["apps/v1"], NAMESPACE;
            /// `batch/v1` Job.
            Job(Job) in jobs:
                "Job", "jobs", ["job"], ["batch/v1"], NAMESPACE;
            /// `snapshot.storage.k8s.io/v1` VolumeSnapshot, which a CustomResourceDefinition adds to a cluster.
            VolumeSnapshot(VolumeSnapshot) in volume_snapshots:
                "VolumeSnapshot", "volumesnapshots", ["vs"],
                ["snapshot.storage.k8s.io/v1", "snapshot.storage.k8s.io/v1beta1"], NAMESPACE;
            /// `snapshot.storage.k8s.io/v1` VolumeSnapshotContent.
            VolumeSnapshotContent(VolumeSnapshotContent) in snapshot_contents:
                "VolumeSnapshotContent", "volumesnapshotcontents", ["vsc", "vscs"],
                ["snapshot.storage.k8s.io/v1", "snapshot.storage.k8s.io/v1beta1"], CLUSTER;
            /// `snapshot.storage.k8s.io/v1` VolumeSnapshotClass.
            VolumeSnapshotClass(VolumeSnapshotClass) in snapshot_classes:
                "VolumeSnapshotClass", "volumesnapshotclasses", ["vsclass", "vsclasses"],
                ["snapshot.storage.k8s.io/v1", "snapshot.storage.k8s.io/v1beta1"], CLUSTER;
            /// `storage.k8s.io/v1` VolumeAttributesClass. API servers before Kubernetes 1.34 have only older versions.
            VolumeAttributesClass(VolumeAttributesClass) in attributes_classes:
                "VolumeAttributesClass", "volumeattributesclasses", ["vac"],
                ["storage.k8s.io/v1", "storage.k8s.io/v1beta1", "storage.k8s.io/v1alpha1"], CLUSTER;
        }
    };
}
pub(crate) use each_kind;

/// The row of a kind.
#[derive(Debug)]
struct Row {
    /// The kind as manifests write it.
    name: &'static str,
    /// The resource as the API's paths write it.
    resource: &'static str,
    /// The words that people type for the kind. The first one is used in messages.
    short: &'static [&'static str],
    /// The API versions in which objects of the kind are read. The first one is requested. The others are older
    /// versions. In these versions, the fields that some answer reads have the same form.
    versions: &'static [&'static str],
    /// Whether objects of the kind have a namespace.
    namespaced: bool,
}

/// The scopes of kinds, as values of [`Row::namespaced`].
const CLUSTER: bool = false;
const NAMESPACE: bool = true;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($type:ident) in $list:ident: $name:literal, $resource:literal, $short:expr,
        $versions:expr, $scope:expr;)*) => {
        /// The kinds of objects that some answer reads.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind { $($(#[$doc])* $kind,)* }

        static ROWS: [Row; Kind::COUNT] = [$(Row {
            name: $name, resource: $resource, short: &$short, versions: &$versions, namespaced: $scope,
        },)*];

        impl Kind {
            /// The number of kinds.
            pub const COUNT: usize = [$(stringify!($kind),)*].len();

            /// Every kind, in the order of the rows.
            pub const EVERY: [Self; Self::COUNT] = [$(Self::$kind,)*];
        }

        /// The place of an object with its kind as a type, for use in `match`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum TypedId { $($(#[$doc])* $kind(Id<super::$type>),)* }

        impl ObjectId {
            /// Returns the place with its kind as a type.
            pub fn typed(self) -> TypedId {
                match self.kind { $(Kind::$kind => TypedId::$kind(Id::new(self.at)),)* }
            }
        }

        /// An object of any kind.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Object { $($(#[$doc])* $kind(Box<super::$type>),)* }

        impl Object {
            /// Returns the kind of the object.
            pub fn kind(&self) -> Kind {
                match self { $(Self::$kind(_) => Kind::$kind,)* }
            }

            /// Returns the metadata of the object.
            pub fn meta(&self) -> &ObjectMeta {
                match self { $(Self::$kind(object) => &object.meta,)* }
            }

            /// Returns the metadata of the object, mutable, so that the code that reads the object can complete it.
            pub fn meta_mut(&mut self) -> &mut ObjectMeta {
                match self { $(Self::$kind(object) => &mut object.meta,)* }
            }
        }

        /// An object of any kind, as a simulation holds it.
        #[derive(Clone, Debug, PartialEq)]
        pub enum HeldObject<'s> { $($(#[$doc])* $kind(Held<'s, super::$type>),)* }

        impl HeldObject<'_> {
            /// Returns the kind of the object.
            pub fn kind(&self) -> Kind {
                match self { $(Self::$kind(_) => Kind::$kind,)* }
            }

            /// Returns the metadata of the object.
            pub fn meta(&self) -> &ObjectMeta {
                match self { $(Self::$kind(object) => &object.meta,)* }
            }

            /// Returns whether both refer to the same object in memory. Equal objects are not enough.
            pub fn is(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$kind(a), Self::$kind(b)) => a.is(b),)*
                    _ => false,
                }
            }

            /// Returns a copy of the object.
            pub fn to_object(&self) -> Object {
                match self { $(Self::$kind(object) => Object::$kind(Box::new((**object).clone())),)* }
            }

            /// Returns the object without a borrow of the snapshot.
            pub fn to_owned(&self) -> HeldObject<'static> {
                match self { $(Self::$kind(object) => HeldObject::$kind(Held::Written(object.to_arc())),)* }
            }
        }

        /// Objects of all kinds. Each kind has its own list.
        #[derive(Clone, Debug, Default)]
        pub struct Objects { $($(#[$doc])* pub $list: Vec<super::$type>,)* }

        impl Objects {
            /// Appends an object to the list of its kind.
            pub fn push(&mut self, object: Object) {
                match object { $(Object::$kind(object) => self.$list.push(*object),)* }
            }

            /// Returns the objects of this kind.
            pub fn list(&self, kind: Kind) -> &dyn List {
                match kind { $(Kind::$kind => &self.$list,)* }
            }

            /// Returns the lists, in the order of the kinds.
            pub fn lists(&self) -> [&dyn List; Kind::COUNT] {
                [$(&self.$list,)*]
            }

            /// Returns the lists, mutable, in the order of the kinds.
            pub fn lists_mut(&mut self) -> [&mut dyn List; Kind::COUNT] {
                [$(&mut self.$list,)*]
            }

            /// Keeps only the objects for which `keep` is true.
            pub fn retain(&mut self, keep: impl Fn(Kind, &ObjectMeta) -> bool) {
                $(self.$list.retain(|object| keep(Kind::$kind, &object.meta));)*
            }

            /// Returns the object at this place. The value is `None` if there is no such place.
            pub fn at(&self, id: ObjectId) -> Option<HeldObject<'_>> {
                match id.kind { $(Kind::$kind => self.$list.get(id.at as usize).map(|object| super::$type::hold(Held::Base(object))),)* }
            }

            /// Appends the objects of `other` to the lists.
            pub fn append(&mut self, mut other: Self) {
                $(self.$list.append(&mut other.$list);)*
            }
        }

        $(impl Resource for super::$type {
            const KIND: Kind = Kind::$kind;

            fn meta(&self) -> &ObjectMeta {
                &self.meta
            }

            fn meta_mut(&mut self) -> &mut ObjectMeta {
                &mut self.meta
            }

            fn list(objects: &Objects) -> &[Self] {
                &objects.$list
            }

            fn wrap(self) -> Object {
                Object::$kind(Box::new(self))
            }

            fn of(object: Object) -> Option<Self> {
                match object {
                    Object::$kind(object) => Some(*object),
                    _ => None,
                }
            }

            fn hold(held: Held<'_, Self>) -> HeldObject<'_> {
                HeldObject::$kind(held)
            }

            fn held<'o, 's>(object: &'o HeldObject<'s>) -> Option<&'o Held<'s, Self>> {
                match object {
                    HeldObject::$kind(held) => Some(held),
                    _ => None,
                }
            }
        })*
    };
}

each_kind!(kinds);

/// A type whose values are objects of one kind.
pub trait Resource: Clone + fmt::Debug + Send + Sync + Sized + 'static {
    /// The kind.
    const KIND: Kind;

    /// Returns the metadata of the object.
    fn meta(&self) -> &ObjectMeta;

    /// Returns the metadata of the object, mutable.
    fn meta_mut(&mut self) -> &mut ObjectMeta;

    /// Returns the objects of this kind among the objects of all kinds.
    fn list(objects: &Objects) -> &[Self];

    /// Returns the object as an [`Object`].
    fn wrap(self) -> Object;

    /// Returns the object as this type. The value is `None` if the object is of another kind.
    fn of(object: Object) -> Option<Self>;

    /// Returns the object that a simulation holds, as a [`HeldObject`].
    fn hold(held: Held<'_, Self>) -> HeldObject<'_>;

    /// Returns the object that a simulation holds, as this type. The value is `None` if the object is of another kind.
    fn held<'o, 's>(object: &'o HeldObject<'s>) -> Option<&'o Held<'s, Self>>;
}

/// A list of objects of one kind, for code that does not know the kind.
pub trait List: Send + Sync {
    /// Returns the number of objects.
    fn length(&self) -> usize;

    /// Returns the metadata of the object at this place.
    fn meta(&self, at: usize) -> &ObjectMeta;

    /// Sorts the list by namespace and name. If several objects have the same name, it keeps the one with the newest
    /// resource version and adds the name to `duplicates`.
    fn order(&mut self, duplicates: &mut Vec<ObjectKey>);
}

impl<T: Resource> List for Vec<T> {
    fn length(&self) -> usize {
        self.len()
    }

    fn meta(&self, at: usize) -> &ObjectMeta {
        self[at].meta()
    }

    fn order(&mut self, duplicates: &mut Vec<ObjectKey>) {
        let version = |object: &T| match &object.meta().resource_version {
            ResourceVersion::Recorded(text) => text.parse::<u64>().unwrap_or(0),
            ResourceVersion::Next(_) => u64::MAX,
        };
        let compare = |left: &T, right: &T| {
            let (a, b) = (left.meta(), right.meta());
            (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)).then_with(|| version(right).cmp(&version(left)))
        };
        if !self.is_sorted_by(|left, right| compare(left, right).is_le()) {
            // The objects are large. So only their places are sorted, and then each object is moved to its place.
            // `from[at]` is the old place of the object that belongs at `at`. The loop moves the objects of each cycle
            // of places by swaps.
            let mut from: Vec<usize> = (0..self.len()).collect();
            from.sort_by(|left, right| compare(&self[*left], &self[*right]));
            for start in 0..from.len() {
                let mut at = start;
                while from[at] != start {
                    let next = from[at];
                    self.swap(at, next);
                    from[at] = at;
                    at = next;
                }
                from[at] = at;
            }
        }
        self.dedup_by(|later, kept| {
            let (a, b) = (later.meta(), kept.meta());
            let same = a.namespace == b.namespace && a.name == b.name;
            if same {
                let key = ObjectKey { kind: T::KIND, namespace: a.namespace.clone(), name: a.name.clone() };
                if duplicates.last() != Some(&key) {
                    duplicates.push(key);
                }
            }
            same
        });
        self.shrink_to_fit();
    }
}

impl<'s> HeldObject<'s> {
    /// Returns the object as the type `T`. The value is `None` if the object is of another kind.
    pub fn of<T: Resource>(&self) -> Option<&Held<'s, T>> {
        T::held(self)
    }
}

impl Objects {
    /// Sorts each list by namespace and name, and keeps only the newest version of each object. Returns the keys of the
    /// objects that had several versions, by kind and name.
    pub fn order(&mut self) -> Vec<ObjectKey> {
        /// The smallest number of objects in a list for which a separate thread saves time.
        const MANY: usize = 10_000;
        let order = |list: &mut dyn List| {
            let mut duplicates = Vec::new();
            list.order(&mut duplicates);
            duplicates
        };
        let lists = self.lists_mut();
        let is_large = |list: &&mut dyn List| list.length() >= MANY;
        if lists.iter().filter(|list| is_large(list)).count() < 2 {
            return lists.into_iter().flat_map(order).collect();
        }
        std::thread::scope(|scope| {
            let begun: Vec<_> = lists
                .into_iter()
                .map(|list| if is_large(&list) { Err(scope.spawn(|| order(list))) } else { Ok(order(list)) })
                .collect();
            let end = |thread: std::thread::ScopedJoinHandle<'_, Vec<ObjectKey>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            begun.into_iter().flat_map(|one| one.unwrap_or_else(end)).collect()
        })
    }
}

/// The command that prints the objects of every kind that decisions read. Its output is an input for `-f`. All hints
/// and examples name this command.
pub const DUMP: &str = "kubectl get pv,pvc,sc,pods,nodes -A -o json";

impl Kind {
    /// Every kind that some decision reads, in the order of listings.
    pub const ALL: [Self; 5] =
        [Self::PersistentVolume, Self::PersistentVolumeClaim, Self::StorageClass, Self::Pod, Self::Node];

    /// Every kind that no decision reads, but whose objects are read as whole lists, in the order of the rows. A
    /// command reads only the kinds that it needs.
    pub const SURROUNDING: [Self; Self::COUNT - Self::ALL.len() - 1] = {
        let mut found = [Self::Lease; Self::COUNT - Self::ALL.len() - 1];
        let (mut row, mut next) = (0, 0);
        while row < Self::COUNT {
            let kind = Self::EVERY[row];
            // Leases are read by their names, not as a whole list.
            if !kind.decides() && !matches!(kind, Self::Lease) {
                found[next] = kind;
                next += 1;
            }
            row += 1;
        }
        found
    };

    /// Returns whether some decision reads the kind.
    const fn decides(self) -> bool {
        let mut at = 0;
        while at < Self::ALL.len() {
            if Self::ALL[at] as usize == self as usize {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Returns every kind whose objects are read as whole lists: [`Self::ALL`] and then [`Self::SURROUNDING`].
    pub fn listed() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::SURROUNDING)
    }

    /// Returns whether the kind is one of [`Self::SURROUNDING`].
    pub fn is_surrounding(self) -> bool {
        Self::SURROUNDING.contains(&self)
    }

    /// Returns whether a CustomResourceDefinition adds the kind to a cluster. A server that does not know such a kind
    /// has no object of it.
    pub fn is_custom(self) -> bool {
        matches!(self, Self::VolumeSnapshot | Self::VolumeSnapshotContent | Self::VolumeSnapshotClass)
    }

    /// Returns whether it is normal that a server does not know the kind: a CustomResourceDefinition adds it, or an
    /// older server knows it only in another version.
    pub fn is_optional(self) -> bool {
        self.is_custom() || self == Self::VolumeAttributesClass
    }

    /// Returns whether the kind is read if only these kinds of [`Self::SURROUNDING`] are wanted.
    pub fn is_asked(self, surroundings: &[Self]) -> bool {
        !self.is_surrounding() || surroundings.contains(&self)
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Returns the kind as manifests write it.
    pub fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Returns the resource as the API's paths write it.
    pub fn resource(self) -> &'static str {
        self.row().resource
    }

    /// Returns the short name that people type, such as `pv`, `pvc`, `sc`, `pod` or `node`. It is the singular if the
    /// kind has no short name.
    pub fn short(self) -> &'static str {
        self.row().short[0]
    }

    /// Returns the API version in which objects of the kind are requested.
    pub fn api_version(self) -> &'static str {
        self.row().versions[0]
    }

    /// Returns whether objects of this API version are read: the requested version, and older versions of the same
    /// form.
    pub fn reads_version(self, version: &str) -> bool {
        self.row().versions.contains(&version)
    }

    /// Returns whether objects of the kind have a namespace.
    pub fn namespaced(self) -> bool {
        self.row().namespaced
    }

    /// Returns the kind that manifests write as `kind`. The value is `None` if the kind is not one of these kinds.
    pub fn from_manifest(kind: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|known| known.as_str() == kind)
    }

    /// Returns the kind that a person means by a word, among the kinds that some decision reads. The word may be the
    /// singular, the plural, the short name or the full resource name, in upper or lower case.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::of_word(&Self::ALL, word)
    }

    /// Returns the kind that a person means by a word, among [`Self::SURROUNDING`].
    pub fn surrounding_from_word(word: &str) -> Option<Self> {
        Self::of_word(&Self::SURROUNDING, word)
    }

    /// Returns the kind that a person means by a word, among these kinds.
    pub fn of_word(kinds: &[Self], word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let bare = word.split_once('.').map_or(word.as_str(), |(resource, _)| resource);
        kinds.iter().copied().find(|kind| {
            let row = kind.row();
            bare == row.resource || bare == row.name.to_ascii_lowercase() || row.short.contains(&bare)
        })
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_manifest(&text).ok_or_else(|| de::Error::custom(format!("{text:?} is not a known kind")))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
