//! What is wrong with the targets of a shared volume. A volume has at most one such problem, so that several rules
//! never report the same problem.

use super::shared_service_foreign::strangeness;
use crate::diagnosis::Case;
use crate::diagnosis::members::selected_by;
use crate::diagnosis::shared_volumes::{
    Address, EndpointsWriter, MIRRORED, Servers, SharedVolume, Target, TargetSource, Targets, managed_by, serves,
};
use crate::model::service::ServicePort;
use crate::model::{EndpointSlice, Endpoints, Kind, Node, Pod, Service, Str, label};
use std::collections::BTreeSet;

/// The label of Endpoints that are not copied to an EndpointSlice. Upstream: `LabelSkipMirror`, `k8s.io/api`, 1.36.
const SKIP_MIRROR: &str = "endpointslice.kubernetes.io/skip-mirror";

/// The most targets that a message names.
const NAMED: usize = 3;

/// A problem of the targets.
pub(super) enum Trouble<'a> {
    /// The Service does not have the port that the volume needs.
    NoPort {
        /// The port: its number, or its name if the number is not known.
        port: String,
    },
    /// The targets have ports, but none that belongs to this port of the Service.
    OtherPorts {
        /// The port of the Service.
        port: &'a ServicePort,
        /// The names of the ports that the targets have.
        others: BTreeSet<&'a str>,
    },
    /// The targets have another number than the `targetPort` of the Service.
    OtherNumber {
        /// The number that the targets have.
        actual: i64,
        /// The number that the Service states.
        expected: i64,
    },
    /// Nobody has written endpoints.
    Unwritten,
    /// The Endpoints exist, and no EndpointSlice has their addresses.
    Unmirrored {
        /// The Endpoints.
        written: &'a Endpoints,
        /// Whether a label of the Endpoints forbids the copy.
        is_asked: bool,
    },
    /// The pod of the server is not ready.
    NotReady(&'a Pod),
    /// There is no target that is ready, and no pod of a server is known.
    Empty,
    /// The targets are not the server.
    Stale {
        /// The targets.
        actual: String,
        /// The server.
        expected: String,
    },
    /// An EndpointSlice has targets that the Endpoints of the Service do not have.
    Doubled {
        /// The EndpointSlice that is not a copy of the Endpoints.
        slice: &'a EndpointSlice,
        /// The addresses that only this slice has.
        more: BTreeSet<&'a str>,
        /// The addresses that the Endpoints have.
        mirrored: BTreeSet<&'a str>,
    },
    /// Several servers are ready, and the system has only one.
    Several(BTreeSet<&'a str>),
    /// The target is probably no server.
    Implausible(Doubt<'a>),
}

/// Why a target is probably no server.
pub(super) enum Doubt<'a> {
    /// The address is that of this node, which is not ready.
    NodeNotReady(&'a str, &'a Node),
    /// No node has this address.
    NoNode(&'a str),
    /// Servers do not listen on this port.
    Port {
        /// The port of the target.
        port: i64,
        /// The lowest port of a server.
        first: i64,
        /// The highest port of a server.
        last: i64,
    },
}

/// Returns what is wrong with the targets of the volume.
pub(super) fn trouble<'a>(case: &Case<'a>, path: &SharedVolume<'a>) -> Option<Trouble<'a>> {
    let service = path.service.service()?;
    // Another rule reports a Service that was not made for the volume.
    if case.is_young(service.meta.created) || strangeness(path, service).is_some() {
        return None;
    }
    let targets = &path.targets;
    let Some(port) = path.port else { return missing_port(path) };
    let is_used = targets.source != TargetSource::Endpoints && service.cluster_ip != "None";
    if let Some(trouble) = is_used.then(|| other_ports(path, service, port)).flatten() {
        return Some(trouble);
    }
    if targets.ready.is_empty() { without_target(case, path, service) } else { with_targets(case, path, service) }
}

/// Returns the port that the Service does not have. If one Service serves several volumes, each has a port of its own.
fn missing_port<'a>(path: &SharedVolume<'a>) -> Option<Trouble<'a>> {
    let name = path.provider.port_name.as_ref()?.fill(path.volume, path.claim)?;
    let number = path.address.as_ref().and_then(|address| address.port);
    Some(Trouble::NoPort { port: number.map_or(name, |number| number.to_string()) })
}

/// Returns the trouble if the ports of the targets do not belong to the port of the Service. Upstream: `buildPortInfo`
/// and `ServicePortName`, `pkg/proxy`, 1.36: kube-proxy compares the names of the ports. It uses the numbers of the
/// slices, and ignores `targetPort`.
fn other_ports<'a>(path: &SharedVolume<'a>, service: &Service, port: &'a ServicePort) -> Option<Trouble<'a>> {
    let targets = &path.targets;
    let filled = targets.slices.iter().filter(|slice| slice.endpoints.iter().any(|one| one.ready.unwrap_or(true)));
    let all: BTreeSet<&str> = filled.clone().flat_map(|slice| &slice.ports).map(|port| port.name.as_str()).collect();
    if targets.ready.is_empty() && targets.not_ready.is_empty() && filled.count() > 0 {
        // The slices of the other volumes have the names of those volumes.
        return path.provider.port_name.is_none().then_some(Trouble::OtherPorts { port, others: all });
    }
    let expected = if port.target.is_empty() { Some(port.port) } else { port.target.parse().ok() }?;
    let is_generated = targets.source == TargetSource::Slices && !service.selector.is_empty();
    let actual = targets.ready.first().filter(|_| is_generated)?.port;
    let is_other = targets.ready.iter().all(|target| target.port != expected);
    is_other.then_some(Trouble::OtherNumber { actual, expected })
}

/// Returns why the Service has no target that is ready.
fn without_target<'a>(case: &Case<'a>, path: &SharedVolume<'a>, service: &Service) -> Option<Trouble<'a>> {
    let targets = &path.targets;
    let (namespace, name) = (service.meta.namespace.as_str(), service.meta.name.as_str());
    if targets.source == TargetSource::Endpoints {
        return match targets.written {
            Some(_) => Some(Trouble::Empty),
            None => case.lacks(Kind::Endpoints, namespace, name).then_some(Trouble::Unwritten),
        };
    }
    let is_known = match targets.source {
        TargetSource::Pods => case.knows_all(Kind::Pod, namespace),
        TargetSource::Slices => case.knows_all(Kind::EndpointSlice, namespace),
        TargetSource::Endpoints | TargetSource::Unknown => false,
    };
    if !is_known {
        return None;
    }
    if path.provider.port_name.is_some() && targets.not_ready.is_empty() {
        return Some(Trouble::Unwritten);
    }
    if service.selector.is_empty() && targets.slices.is_empty() {
        return match targets.written {
            Some(written) if written.subsets.iter().any(|subset| !subset.ready.is_empty()) => {
                let is_settled = !case.is_young(written.meta.created);
                let is_asked = label(&written.meta.labels, SKIP_MIRROR) == Some("true");
                is_settled.then_some(Trouble::Unmirrored { written, is_asked })
            }
            Some(_) => Some(Trouble::Empty),
            None => case.lacks(Kind::Endpoints, namespace, name).then_some(Trouble::Unwritten),
        };
    }
    let pods = path.server_pods(case.snapshot());
    if pods.iter().any(|pod| serves(pod)) {
        return stale_pods(case, path, service);
    }
    // A pod that is being deleted will not be ready again. The pod that replaces it will.
    let is_kept = |pod: &&&Pod| pod.meta.deleted.is_none();
    match pods.iter().find(is_kept).or(pods.first()) {
        Some(pod) => Some(Trouble::NotReady(pod)),
        None => Some(Trouble::Empty),
    }
}

/// Returns what is wrong with targets that are ready.
fn with_targets<'a>(case: &Case<'a>, path: &SharedVolume<'a>, service: &Service) -> Option<Trouble<'a>> {
    let targets = &path.targets;
    let doubled = doubled(targets, service).or_else(|| stale_pods(case, path, service));
    let trouble = doubled.or_else(|| stale_label(path)).or_else(|| stale_state(path));
    trouble.or_else(|| several(case, path)).or_else(|| Some(Trouble::Implausible(doubt(case, path)?)))
}

/// Returns the EndpointSlice with targets that the Endpoints of a Service without a selector do not have.
fn doubled<'a>(targets: &Targets<'a>, service: &Service) -> Option<Trouble<'a>> {
    if !service.selector.is_empty() {
        return None;
    }
    let mirrored: BTreeSet<&str> = targets.mirrored().flat_map(ready_addresses).collect();
    let others = targets.slices.iter().copied().filter(|slice| managed_by(slice) != MIRRORED);
    let with_more = others.map(|slice| (slice, ready_addresses(slice).collect::<BTreeSet<&str>>()));
    let mut with_more = with_more.map(|(slice, own)| (slice, &own - &mirrored));
    let (slice, more) = with_more.find(|(_, more)| !mirrored.is_empty() && !more.is_empty())?;
    Some(Trouble::Doubled { slice, more, mirrored })
}

fn ready_addresses(slice: &EndpointSlice) -> impl Iterator<Item = &str> {
    let ready = slice.endpoints.iter().filter(|endpoint| endpoint.ready.unwrap_or(true));
    ready.flat_map(|endpoint| &endpoint.addresses).map(Str::as_str)
}

/// Returns the pod that serves the volume if the Service selects it, and no EndpointSlice has it.
fn stale_pods<'a>(case: &Case<'a>, path: &SharedVolume<'a>, service: &Service) -> Option<Trouble<'a>> {
    let targets = &path.targets;
    let is_generated = targets.source == TargetSource::Slices && !service.selector.is_empty();
    if !is_generated || targets.ready.iter().any(|target| target.pod.is_none()) {
        return None;
    }
    let serving: Vec<&Pod> = selected_by(case.snapshot(), service).filter(|pod| serves(pod)).collect();
    let is_target =
        |pod: &Pod| targets.ready.iter().any(|target| target.pod.is_some_and(|(_, name)| pod.meta.name == name));
    let is_settled = |pod: &Pod| case.lasts(pod.containers_started.or(pod.meta.created)).is_some();
    let first = serving.first()?;
    if serving.iter().any(|pod| is_target(pod) || !is_settled(pod)) {
        return None;
    }
    let expected = format!("pod {}/{}", first.meta.namespace, first.meta.name);
    case.knows_all(Kind::Pod, &service.meta.namespace).then(|| Trouble::Stale { actual: listed(targets), expected })
}

/// Returns the server that an object of the system states, if the Service has other targets.
fn stale_state<'a>(path: &SharedVolume<'a>) -> Option<Trouble<'a>> {
    let stated = path.state?.target.as_deref()?;
    let expected = Address::parse(stated)?;
    let ready = &path.targets.ready;
    let is_it =
        |target: &Target<'_>| target.address == expected.host && expected.port.is_none_or(|port| port == target.port);
    let is_other = path.targets.source == TargetSource::Slices && !ready.is_empty() && !ready.iter().any(is_it);
    is_other.then(|| Trouble::Stale { actual: listed(&path.targets), expected: stated.to_owned() })
}

/// Returns the address of the server that a label of an EndpointSlice states, if the slice has another target.
fn stale_label<'a>(path: &SharedVolume<'a>) -> Option<Trouble<'a>> {
    let key = path.provider.address_label.as_ref()?;
    let differs = |slice: &&'a EndpointSlice| {
        let stated = label(&slice.meta.labels, key)?;
        let actual: Vec<&str> = ready_addresses(slice).collect();
        let is_other = !actual.is_empty() && !actual.contains(&stated);
        is_other.then(|| Trouble::Stale { actual: actual.join(", "), expected: stated.to_owned() })
    };
    path.targets.slices.iter().find_map(differs)
}

/// Returns the servers, if several are ready and the system has only one.
fn several<'a>(case: &Case<'a>, path: &SharedVolume<'a>) -> Option<Trouble<'a>> {
    let servers = path.targets.servers();
    if path.provider.servers != Servers::One || servers.len() < 2 {
        return None;
    }
    // While a pod replaces another one, both can be ready.
    let pods = path.server_pods(case.snapshot());
    let newest = pods.iter().filter_map(|pod| pod.meta.created).max();
    let is_settled = newest.is_none() || case.lasts(newest).is_some();
    is_settled.then_some(Trouble::Several(servers))
}

/// Returns why the targets are probably no servers. Targets that are pods are not doubted.
fn doubt<'a>(case: &Case<'a>, path: &SharedVolume<'a>) -> Option<Doubt<'a>> {
    let (provider, targets) = (path.provider, &path.targets);
    let is_written = matches!(provider.endpoints, EndpointsWriter::Endpoints | EndpointsWriter::Slices);
    let target = targets.ready.first().filter(|target| target.pod.is_none())?;
    if !is_written || provider.servers != Servers::One || targets.source != TargetSource::Slices {
        return None;
    }
    let nodes = case.snapshot().nodes();
    let node = nodes.iter().find(|node| node.internal_addresses.iter().any(|own| own == target.address));
    let lasts = |node: &&Node| case.lasts(node.readiness().and_then(|ready| ready.since)).is_some();
    if let Some(node) = node.filter(|node| node.is_not_ready()).filter(lasts) {
        return Some(Doubt::NodeNotReady(target.address, node));
    }
    let range = provider.server_ports.filter(|range| !(range.first..=range.last).contains(&target.port));
    if let Some(range) = range {
        return Some(Doubt::Port { port: target.port, first: range.first, last: range.last });
    }
    let is_told = nodes.iter().any(|node| !node.internal_addresses.is_empty());
    let is_strange = provider.on_node_network && node.is_none() && is_told;
    (is_strange && case.knows_all(Kind::Node, "")).then_some(Doubt::NoNode(target.address))
}

/// Returns the targets that are ready as a list.
fn listed(targets: &Targets<'_>) -> String {
    let all: Vec<String> = targets.ready.iter().map(|target| format!("{}:{}", target.address, target.port)).collect();
    if all.is_empty() { "no target".to_owned() } else { all.join(", ") }
}

/// Returns the first names as a list with "and".
pub(super) fn and(names: &BTreeSet<&str>) -> String {
    let mut first: Vec<&str> = names.iter().copied().take(NAMED).collect();
    match first.pop() {
        Some(last) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        last => last.unwrap_or_default().to_owned(),
    }
}
