//! The guards about the address at which clients reach a server: whether a Service has it, which Service the server
//! has, and who would lose the server.

use super::mounted::mounts;
use super::{Guard, Holds};
use crate::diagnosis::shared_volumes::Address;
use crate::model::{Kind, PersistentVolume, Pod, PodPhase, Service, Str, VolumeAttachment};
use crate::repair::service::{ClusterAddress, ServerService};
use crate::repair::situation::{Known, Situation};
use std::collections::BTreeSet;

/// Returns whether a volume states the address as that of its server, in any field that can do so.
pub fn states(volume: &PersistentVolume, address: ClusterAddress) -> bool {
    let source = &volume.source;
    let texts = source.attributes.iter().map(|(_, value)| value.as_str());
    let texts = texts.chain([source.detail.as_str(), source.handle.split('#').next().unwrap_or_default()]);
    texts.filter_map(Address::parse).any(|found| address.is(&found.host))
}

/// Returns who may use the server at the address, a few words each: the pods that have not ended and use a claim of
/// such a volume or mount the address themselves, and the attachments of such a volume. The volumes are those that
/// state the address, and those in `named`.
pub fn of(
    address: ClusterAddress,
    named: &[Str],
    volumes: &[PersistentVolume],
    pods: &[Pod],
    attachments: &[VolumeAttachment],
) -> Vec<String> {
    let is_meant = |volume: &&PersistentVolume| named.contains(&volume.meta.name) || states(volume, address);
    let meant: Vec<&PersistentVolume> = volumes.iter().filter(is_meant).collect();
    let claims: BTreeSet<(&str, &str)> = meant
        .iter()
        .filter_map(|volume| volume.claim_ref.as_ref())
        .map(|named| (named.namespace.as_str(), named.name.as_str()))
        .collect();
    let uses = |pod: &&Pod| {
        let of_claim =
            claims.iter().any(|(namespace, name)| pod.meta.namespace == *namespace && mounts(pod, name, None));
        let own = pod.nfs.iter().any(|volume| address.is(&volume.server));
        let runs = !pod.node_name.is_empty() && !matches!(pod.phase, PodPhase::Failed | PodPhase::Succeeded);
        of_claim || own && runs
    };
    let pods = pods.iter().filter(uses).map(|pod| format!("pod {}/{}", pod.meta.namespace, pod.meta.name));
    let is_attached = |found: &&VolumeAttachment| meant.iter().any(|volume| volume.meta.name == found.volume_name);
    let attached = attachments.iter().filter(is_attached);
    let attached = attached.map(|found| format!("volume {} on node {}", found.volume_name, found.node_name));
    pods.chain(attached).collect()
}

/// Returns the sentence that says who would lose the server at the address.
pub fn would_lose(address: ClusterAddress, users: &[String]) -> String {
    const MOST: usize = 5;
    let more = users.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let shown = users.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    format!("the clients of address {address} would lose their server: {shown}{more}")
}

/// Returns the sentence that says which Service has the address.
pub fn taken(address: ClusterAddress, service: &Service) -> String {
    format!("Service {}/{} has address {address}", service.meta.namespace, service.meta.name)
}

/// Checks that no Service has the address. If this is not known, the API server decides: it never gives an address to
/// two Services.
pub(super) fn free(situation: &Situation<'_>, address: ClusterAddress) -> Guard {
    const ID: &str = "address";
    let services = situation.snapshot.all::<Service>();
    if let Some(service) = services.iter().find(|service| address.is_of(service)) {
        return Guard::new(ID, Holds::No, taken(address, service));
    }
    if !situation.knows_all(Kind::Service, "") {
        let said =
            format!("Services could not all be listed, so nobody knows whether one of them has address {address}");
        return Guard::new(ID, Holds::Unknown, said).unseen("whether a Service has the address");
    }
    Guard::new(ID, Holds::Yes, format!("no Service has address {address}; the API server refuses an address in use"))
}

/// Checks that the Service of the server is the reviewed one.
pub(super) fn server(situation: &Situation<'_>, server: &ServerService) -> Guard {
    const ID: &str = "server";
    let found = match situation.service(&server.namespace, &server.name) {
        Known::There(found) => Some(found),
        Known::Absent => None,
        Known::Unknown => {
            let said = format!("Service {}/{} could not be read", server.namespace, server.name);
            return Guard::new(ID, Holds::No, said);
        }
    };
    server.differs(found).map_or_else(
        || Guard::new(ID, Holds::Yes, format!("Service {}/{} leads to the server", server.namespace, server.name)),
        |why| Guard::new(ID, Holds::No, why),
    )
}

/// Checks that nobody would lose the server at the address.
pub(super) fn none(situation: &Situation<'_>, address: ClusterAddress, volumes: &[Str]) -> Guard {
    const ID: &str = "clients";
    let snapshot = situation.snapshot;
    let users = of(address, volumes, snapshot.volumes(), snapshot.pods(), snapshot.all::<VolumeAttachment>());
    if !users.is_empty() {
        let said = format!("{}; stop what runs them first", would_lose(address, &users));
        return Guard::new(ID, Holds::No, said);
    }
    let needed = [Kind::PersistentVolume, Kind::Pod, Kind::VolumeAttachment];
    if let Some(kind) = needed.into_iter().find(|kind| !situation.knows_all(*kind, "")) {
        let said =
            format!("not all {} could be listed, so nobody knows who uses the server at {address}", kind.resource());
        return Guard::new(ID, Holds::Unknown, said).unseen("who uses the server");
    }
    Guard::new(ID, Holds::Yes, format!("no running pod uses a volume of the server at {address}"))
}
