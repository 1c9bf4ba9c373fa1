//! The guard against two volumes with the same storage, if their manifests show this.

use super::{Guard, Holds};
use crate::model::{
    AccessMode, Kind, NodeOperator, NodeRequirement, NodeSelector, NodeSelectorTerm, PersistentVolume, SourceKind, Str,
    VolumeMode,
};
use crate::repair::plan::Plan;
use crate::repair::request::Request;
use crate::repair::situation::{Situation, volume_key};
use crate::repair::write::Change;

/// The answer to the question whether two volumes have the same storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shared {
    Yes,
    /// The compared fields do not show whether the storage is the same.
    Perhaps,
    No,
}

/// Checks that no other volume has the same storage.
pub(super) fn unique(situation: &Situation<'_>, plan: &Plan, volume: &PersistentVolume) -> Guard {
    const ID: &str = "unique-backing";
    let name = &volume.meta.name;
    // A plan that only sets Retain or undoes a repair lets no additional claim write to the storage.
    let eases = matches!(plan.request, Request::Retain { .. } | Request::Undo { .. });
    let (no, unknown) = if eases { (Holds::Warns, Holds::Warns) } else { (Holds::No, Holds::Unknown) };
    let Some(own) = Backing::of(volume) else {
        return Guard::new(
            ID,
            unknown,
            format!(
                "the manifest of a volume of kind {} does not state its storage, so nobody knows whether another \
                 volume has the same storage as {name}",
                volume.source.kind.as_str()
            ),
        );
    };
    let others = situation.snapshot.volumes().iter().filter(|other| other.meta.name != *name);
    let (mut same, mut perhaps, mut meant) = (Vec::new(), Vec::new(), Vec::new());
    for other in others {
        match Backing::of(other).map_or(Shared::No, |other| own.shared_with(&other)) {
            Shared::Yes if is_for_many(plan, volume) && is_for_many(plan, other) => {
                meant.push(other.meta.name.as_str());
            }
            Shared::Yes => same.push(other.meta.name.as_str()),
            Shared::Perhaps => perhaps.push(other.meta.name.as_str()),
            Shared::No => {}
        }
    }
    if !same.is_empty() {
        return Guard::new(
            ID,
            no,
            format!("volume {name} has the same storage as {}: two claims would write to it", same.join(", ")),
        );
    }
    if !perhaps.is_empty() {
        return Guard::new(
            ID,
            unknown,
            format!(
                "the storage of volume {name} has the same name as the storage of {}, but another address: nobody \
                 knows whether it is the same storage",
                perhaps.join(", ")
            ),
        );
    }
    if !meant.is_empty() {
        return Guard::new(
            ID,
            Holds::Warns,
            format!(
                "volume {name} has the same storage as {}, but all of them are retained and for many nodes: their \
                 claims share the data",
                meant.join(", ")
            ),
        );
    }
    if !situation.knows_all(Kind::PersistentVolume, "") {
        return Guard::new(ID, Holds::Unknown, "not all volumes could be listed".to_owned());
    }
    Guard::new(
        ID,
        Holds::Yes,
        format!(
            "no other volume of this cluster has the storage of {name}; whether another cluster uses it cannot be seen"
        ),
    )
}

/// Returns whether a volume is a shared file system: many nodes may use it at the same time, and it outlives its claim.
/// If several namespaces need one share, there is usually one volume of the share for each namespace.
fn is_for_many(plan: &Plan, volume: &PersistentVolume) -> bool {
    let modes = &volume.access_modes.0;
    let is_shared = modes.contains(&AccessMode::ReadWriteMany)
        || !modes.is_empty() && modes.iter().all(|mode| *mode == AccessMode::ReadOnlyMany);
    let set = plan.writes().rev().find_map(|write| match &write.change {
        Change::SetReclaimPolicy { to } if write.object == volume_key(&volume.meta.name) => Some(to.as_str()),
        _ => None,
    });
    let is_kept = set.unwrap_or(volume.reclaim_policy.as_str()) == "Retain";
    is_shared && is_kept && volume.mode() == VolumeMode::Filesystem
}

/// The identity of a storage.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Backing<'v> {
    /// The family of the storage. Names are compared only within a family. A family is a kind of source, or a CSI
    /// driver together with the in-tree plugin that was migrated to it.
    family: &'v str,
    /// The name of the storage.
    name: String,
    /// The locations of the storage, such as servers, zones or accounts. An empty list means any location.
    places: Vec<String>,
    /// Whether storages at different locations are certainly different.
    places_tell: bool,
    /// The nodes that reach the storage, if its name is a path on nodes.
    nodes: Option<&'v NodeSelector>,
}

impl<'v> Backing<'v> {
    /// Returns the identity of a volume's storage, or None if its manifest does not state it.
    fn of(volume: &'v PersistentVolume) -> Option<Self> {
        let source = &volume.source;
        let (detail, handle) = (source.detail.as_str(), source.handle.as_str());
        let backing = match &source.kind {
            SourceKind::Csi if detail.is_empty() => return None,
            SourceKind::Csi => of_driver(detail, handle),
            SourceKind::HostPath | SourceKind::Local => {
                let path = clean(detail);
                Self { nodes: volume.node_affinity.as_deref(), ..named("a path on nodes", path) }
            }
            SourceKind::Nfs => named("nfs", clean(handle)).at(vec![detail.to_ascii_lowercase()], true),
            SourceKind::Other(field) => {
                let backing = in_tree(field, detail, handle)?;
                // A GCE disk of the in-tree plugin is in the zones of the nodes that reach the volume.
                let zones = if backing.family == GCE { zones(volume) } else { backing.places.clone() };
                Self { places: zones, ..backing }
            }
            SourceKind::None => return None,
        };
        (!backing.name.is_empty()).then_some(backing)
    }

    fn at(self, places: Vec<String>, tell: bool) -> Self {
        Self { places, places_tell: tell, ..self }
    }

    fn shared_with(&self, other: &Self) -> Shared {
        let by_id = |one: &Self| one.family == FC && one.places_tell;
        if self.family != other.family {
            return Shared::No;
        }
        // One volume states the id of the disk (WWID). The other volume states the port and the number of the disk (WWN
        // and LUN). An id cannot be compared with a port and a number.
        if self.family == FC && by_id(self) != by_id(other) {
            return Shared::Perhaps;
        }
        if self.name != other.name || exclude(self.nodes, other.nodes) {
            return Shared::No;
        }
        let is_met = |one: &str, place: &str| match self.family {
            GCE => is_within(one, place) || is_within(place, one),
            _ => one == place,
        };
        let meet = |one: &String| other.places.iter().any(|place| is_met(one, place));
        if self.places.is_empty() || other.places.is_empty() || self.places.iter().any(meet) {
            return Shared::Yes;
        }
        if self.places_tell && other.places_tell { Shared::No } else { Shared::Perhaps }
    }
}

const EBS: &str = "ebs.csi.aws.com";
const GCE: &str = "pd.csi.storage.gke.io";
const AZURE_DISK: &str = "disk.csi.azure.com";
const AZURE_FILE: &str = "file.csi.azure.com";
const CINDER: &str = "cinder.csi.openstack.org";
const VSPHERE: &str = "csi.vsphere.vmware.com";
const PORTWORX: &str = "pxd.portworx.com";
const FC: &str = "fc";

fn named(family: &str, name: String) -> Backing<'_> {
    Backing { family, name, places: Vec::new(), places_tell: true, nodes: None }
}

/// Returns the identity of a CSI volume. If an in-tree plugin was migrated to this driver, the disk in the handle gets
/// the name that the plugin uses. Upstream: `k8s.io/csi-translation-lib/plugins`, 1.36.
fn of_driver<'v>(driver: &'v str, handle: &str) -> Backing<'v> {
    match driver {
        EBS => named(driver, last_part(handle).to_owned()),
        // projects/P/zones/Z/disks/D, or regions/R
        GCE => match *handle.split('/').collect::<Vec<_>>() {
            ["projects", _, "zones" | "regions", "UNSPECIFIED", "disks", disk] => named(driver, disk.to_owned()),
            ["projects", _, "zones" | "regions", place, "disks", disk] => {
                named(driver, disk.to_owned()).at(vec![place.to_owned()], true)
            }
            _ => named(driver, handle.to_owned()),
        },
        AZURE_DISK => named(driver, handle.to_ascii_lowercase()),
        // group#account#share#…
        AZURE_FILE => match *handle.split('#').collect::<Vec<_>>() {
            [_, account, share, ..] => named(driver, share.to_owned()).at(vec![account.to_owned()], true),
            _ => named(driver, handle.to_owned()),
        },
        VSPHERE => named(driver, disk_path(handle)),
        _ => named(driver, handle.to_owned()),
    }
}

/// Returns the identity of a volume of an in-tree plugin, or None if its source does not state the storage.
fn in_tree(field: &str, detail: &str, handle: &str) -> Option<Backing<'static>> {
    let places = || detail.split(',').filter(|place| !place.is_empty()).map(str::to_ascii_lowercase).collect();
    let plain = handle.to_owned();
    Some(match field {
        // aws://zone/id, or the id alone
        "awsElasticBlockStore" => named(EBS, last_part(handle).to_owned()),
        "azureDisk" => named(AZURE_DISK, handle.to_ascii_lowercase()),
        // The secret is named after the account, unless somebody chose another name for it.
        "azureFile" => {
            let secret = last_part(detail);
            let account = secret.strip_prefix("azure-storage-account-").unwrap_or(secret);
            let account = account.strip_suffix("-secret").unwrap_or(account);
            named(AZURE_FILE, plain).at(vec![account.to_owned()], false)
        }
        "cephfs" => named("cephfs", clean(handle)).at(places(), false),
        "cinder" => named(CINDER, plain),
        FC if detail.is_empty() => {
            let ids = handle.split(',').map(str::to_ascii_lowercase).collect();
            let name = if handle.is_empty() { "" } else { "a disk by its id" };
            named(FC, name.to_owned()).at(ids, true)
        }
        FC => named(FC, plain).at(places(), false),
        "flocker" => named("flocker", plain),
        "gcePersistentDisk" => named(GCE, plain),
        "glusterfs" => named("glusterfs", clean(handle)).at(vec![detail.to_owned()], false),
        // The default port may be left out.
        "iscsi" => {
            let portals: Vec<String> = places();
            let portals = portals.into_iter().map(|portal| portal.trim_end_matches(":3260").to_owned()).collect();
            named("iscsi", handle.to_ascii_lowercase()).at(portals, false)
        }
        "photonPersistentDisk" => named("photonPersistentDisk", plain),
        "portworxVolume" => named(PORTWORX, plain),
        "rbd" => named("rbd", plain).at(places(), false),
        "scaleIO" => named("scaleIO", plain).at(places(), true),
        "storageos" => named("storageos", plain).at(places(), true),
        "vsphereVolume" => named(VSPHERE, disk_path(handle)),
        _ => return None,
    })
}

fn last_part(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

/// Returns a path without the parts that have no effect on its meaning.
fn clean(path: &str) -> String {
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    let joined = parts.collect::<Vec<_>>().join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

/// Normalises a path `[datastore] folder/disk.vmdk`. The space and the ending may be missing in the path.
fn disk_path(path: &str) -> String {
    let path = path.strip_suffix(".vmdk").unwrap_or(path);
    match path.split_once(']') {
        Some((store, file)) => format!("{store}] {}", clean(file.trim())),
        None => path.to_owned(),
    }
}

/// Returns whether a location is this region, or a zone of this region.
fn is_within(place: &str, region: &str) -> bool {
    place.strip_prefix(region).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Returns the zones in which a volume can be, by the nodes that reach it. An empty list means any zone.
fn zones(volume: &PersistentVolume) -> Vec<String> {
    const KEYS: [&str; 3] =
        ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", "topology.gke.io/zone"];
    let terms = volume.node_affinity.iter().flat_map(|nodes| &nodes.terms);
    let of = |term: &NodeSelectorTerm| {
        let named = |one: &&NodeRequirement| one.operator == NodeOperator::In && KEYS.contains(&one.key.as_str());
        term.expressions.iter().find(named).map(|one| one.values.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let all: Option<Vec<Vec<String>>> = terms.map(of).collect();
    all.map(|all| all.concat()).unwrap_or_default()
}

/// Returns whether no node can reach both storages. The same path on two nodes is two different storages.
fn exclude(one: Option<&NodeSelector>, other: Option<&NodeSelector>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return false };
    one.terms.iter().all(|one| other.terms.iter().all(|other| contradict(one, other)))
}

fn contradict(one: &NodeSelectorTerm, other: &NodeSelectorTerm) -> bool {
    let among = |one: &[NodeRequirement], other: &[NodeRequirement]| {
        one.iter().any(|one| other.iter().any(|other| one.key == other.key && leave_nothing(one, other)))
    };
    among(&one.expressions, &other.expressions) || among(&one.fields, &other.fields)
}

fn leave_nothing(one: &NodeRequirement, other: &NodeRequirement) -> bool {
    let none_of = |values: &[Str], others: &[Str]| !values.iter().any(|value| others.contains(value));
    let all_of = |values: &[Str], others: &[Str]| values.iter().all(|value| others.contains(value));
    match (&one.operator, &other.operator) {
        (NodeOperator::In, NodeOperator::In) => none_of(&one.values, &other.values),
        (NodeOperator::In, NodeOperator::NotIn) => all_of(&one.values, &other.values),
        (NodeOperator::NotIn, NodeOperator::In) => all_of(&other.values, &one.values),
        _ => false,
    }
}
