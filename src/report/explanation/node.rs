//! The part about volumes in the explanation of a node: where else the volumes can be used, and the limits of drivers.

use super::text::Page;
use crate::diagnosis::node::NodeVolumes;
use crate::model::{Kind, Pod};
use crate::report::shared::table::Table;
use serde::Serialize;

/// The largest number of volumes that are listed.
const MOST_VOLUMES: usize = 20;

/// The largest number of pods of a driver that are named.
const MOST_PODS: usize = 5;

/// The volumes of a node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeVolumesOut {
    /// The volumes that pods on the node use, and the volumes that can be used on no other node.
    pub volumes: Vec<NodeVolumeOut>,
    /// For each driver, the volumes that count toward its limit.
    pub drivers: Vec<DriverUseOut>,
    /// The resources of which not all objects were read, so volumes may be missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub unknown: Vec<&'static str>,
}

/// A volume of a node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodeVolumeOut {
    /// The name of the PersistentVolume.
    pub name: String,
    /// The phase of the PersistentVolume.
    pub phase: String,
    /// The namespace and name of the claim of the volume, as `namespace/name`. The field is absent if the volume has no
    /// claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The pods on the node that use the volume, as `namespace/name`.
    pub pods: Vec<String>,
    /// The pods without a node that use the volume, as `namespace/name`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub waiting: Vec<String>,
    /// The number of other nodes on which the volume can be used.
    pub other_nodes: usize,
}

/// The volumes of one driver on a node.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriverUseOut {
    /// The driver.
    pub driver: String,
    /// The limit that CSINode states. The value is null if CSINode states no limit.
    pub limit: Option<i64>,
    /// Whether the limit is known. It is unknown if the CSINode was not read.
    pub limit_known: bool,
    /// The number of volumes that the limit includes, as kube-scheduler counts them.
    pub volumes: usize,
    /// The number of those volumes that are attached, but that no pod on the node uses.
    pub unused: usize,
    /// The pods that use the other volumes. The pods with the most volumes come first.
    pub pods: Vec<PodUseOut>,
}

/// A pod that uses volumes of a driver.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PodUseOut {
    /// The pod, as `namespace/name`.
    pub pod: String,
    /// The number of volumes of the driver that the pod uses.
    pub volumes: usize,
}

fn key_of(pod: &Pod) -> String {
    format!("{}/{}", pod.meta.namespace, pod.meta.name)
}

impl NodeVolumeOut {
    /// Returns the pods that use the volume, as the table shows them.
    fn users(&self) -> Vec<String> {
        let waiting = self.waiting.iter().map(|pod| format!("{pod} (has no node)"));
        self.pods.iter().cloned().chain(waiting).collect()
    }
}

impl NodeVolumesOut {
    /// Returns this part of the document.
    pub(super) fn new(node: &NodeVolumes<'_>) -> Self {
        let volumes = node.volumes.iter().map(|one| NodeVolumeOut {
            name: one.volume.meta.name.to_string(),
            phase: one.volume.status.phase.as_str().to_owned(),
            claim: one.claim.as_ref().map(|(namespace, name)| format!("{namespace}/{name}")),
            pods: one.pods.iter().map(|pod| key_of(pod)).collect(),
            waiting: one.waiting.iter().map(|pod| key_of(pod)).collect(),
            other_nodes: one.other_nodes,
        });
        let drivers = node.drivers.iter().map(|one| {
            let mut pods: Vec<PodUseOut> =
                one.users.iter().map(|(pod, volumes)| PodUseOut { pod: key_of(pod), volumes: *volumes }).collect();
            pods.sort_by(|a, b| b.volumes.cmp(&a.volumes).then_with(|| a.pod.cmp(&b.pod)));
            let (driver, limit) = (one.driver.clone(), one.limit);
            DriverUseOut {
                driver,
                limit,
                limit_known: node.knows_limits,
                volumes: one.volumes,
                unused: one.unused,
                pods,
            }
        });
        Self {
            volumes: volumes.collect(),
            drivers: drivers.collect(),
            unknown: node.unread.iter().map(|kind| kind.resource()).collect(),
        }
    }

    /// Writes the sections of the text.
    pub(super) fn sections(&self, page: &mut Page) {
        if !self.volumes.is_empty() {
            page.heading("Volumes of the node");
            let mut table = Table::new(["VOLUME", "PHASE", "CLAIM", "PODS", "OTHER NODES"].into());
            for volume in self.volumes.iter().take(MOST_VOLUMES) {
                table.row(vec![
                    volume.name.clone(),
                    volume.phase.clone(),
                    volume.claim.clone().unwrap_or_default(),
                    volume.users().join(", "),
                    volume.other_nodes.to_string(),
                ]);
            }
            page.table(&table);
            if self.volumes.len() > MOST_VOLUMES {
                page.line(1, &format!("and {} more; -o json shows all", self.volumes.len() - MOST_VOLUMES));
            }
            let tied: Vec<&str> =
                self.volumes.iter().filter(|one| one.other_nodes == 0).map(|one| one.name.as_str()).collect();
            let read = if self.unknown.contains(&Kind::Node.resource()) { " that was read" } else { "" };
            match tied.as_slice() {
                [] => {}
                [only] => page.line(1, &format!("Volume {only} can be used on no other node{read}.")),
                several => {
                    page.line(1, &format!("{} of these volumes can be used on no other node{read}.", several.len()));
                }
            }
        }
        if !self.drivers.is_empty() {
            page.heading("Volume limits");
            for driver in &self.drivers {
                page.line(1, &driver.sentence());
            }
        }
        if !self.unknown.is_empty() {
            page.heading("Unknown");
            page.line(1, &format!("The node may have more volumes: {} were not all read.", self.unknown.join(", ")));
        }
    }
}

impl DriverUseOut {
    fn sentence(&self) -> String {
        let volumes = if self.volumes == 1 { "1 volume".to_owned() } else { format!("{} volumes", self.volumes) };
        let count = match (self.limit, self.limit_known) {
            (Some(limit), _) => format!("{} of {limit} volumes", self.volumes),
            (None, true) => format!("{volumes}, no limit"),
            (None, false) => format!("{volumes}, limit unknown: the CSINode was not read"),
        };
        let mut by: Vec<String> =
            self.pods.iter().take(MOST_PODS).map(|pod| format!("{} by pod {}", pod.volumes, pod.pod)).collect();
        if self.pods.len() > MOST_PODS {
            by.push(format!("the others by {} more pods", self.pods.len() - MOST_PODS));
        }
        if self.unused > 0 {
            by.push(format!("{} attached without a pod", self.unused));
        }
        let by = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
        format!("{}: {count}{by}", self.driver)
    }
}
