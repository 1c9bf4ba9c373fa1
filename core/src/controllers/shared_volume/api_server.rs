//! What the API server does with the requests of the controller: it sets defaults, refuses invalid objects, and assigns
//! addresses. The texts of its errors are those of apimachinery, v0.24.

use super::input::Circumstances;
use crate::model::{Endpoints, Service, Str};
use std::net::IpAddr;

/// The address of a Service whose address is not known before it is created.
pub const NEW_ADDRESS: &str = "<new>";

/// Returns the Service that is stored after its creation, or the error. Upstream: `Create` and `Alloc` of the registry
/// of Services, and `SetDefaults_Service`, 1.36.
pub(super) fn create_service(sent: Service, existing: Option<&Service>, of: &Circumstances) -> Result<Service, String> {
    if existing.is_some() {
        return Err(already_exists("services", &sent.meta.name));
    }
    let mut made = with_default_targets(sent);
    let mut errors = invalid_name(&made.meta.name);
    errors.extend(invalid_targets(&made));
    refuse("Service", &made.meta.name, &errors)?;
    let address = of.new_address.clone().unwrap_or_else(|| NEW_ADDRESS.into());
    made.cluster_ips = [address.clone()].into();
    made.cluster_ip = address;
    Ok(made)
}

/// Returns the Service that is stored after an update, or the error. A Service keeps its addresses and its node ports.
/// Upstream: `Update` and `patchAllocatedValues` of the registry of Services, 1.36.
pub(super) fn update_service(sent: Service, before: Option<&Service>, of: &Circumstances) -> Result<Service, String> {
    let Some(before) = before else { return Err(not_found("services", &sent.meta.name)) };
    let mut made = with_default_targets(sent);
    if made.cluster_ip.is_empty() {
        made.cluster_ip.clone_from(&before.cluster_ip);
        made.cluster_ips.clone_from(&before.cluster_ips);
    }
    let needs_node_ports = match made.kind.as_str() {
        "NodePort" => true,
        // A load balancer may be told to use no node ports. Then no port has one.
        "LoadBalancer" => before.ports.iter().any(|port| port.node_port.is_some()),
        _ => false,
    };
    let used: Vec<i64> = made.ports.iter().filter_map(|port| port.node_port).collect();
    for port in made.ports.iter_mut().filter(|port| needs_node_ports && port.node_port.is_none()) {
        let named = before.ports.iter().rev().find(|other| other.name == port.name);
        let kept = named.and_then(|other| other.node_port).filter(|kept| !used.contains(kept));
        port.node_port = kept.or(of.new_node_port);
    }
    refuse("Service", &made.meta.name, &invalid_targets(&made))?;
    Ok(made)
}

/// Returns the Endpoints that are stored after their creation, or the error.
pub(super) fn create_endpoints(sent: Endpoints, existing: Option<&Endpoints>) -> Result<Endpoints, String> {
    if existing.is_some() {
        return Err(already_exists("endpoints", &sent.meta.name));
    }
    refuse("Endpoints", &sent.meta.name, &invalid_subsets(&sent))?;
    Ok(sent)
}

/// Returns the Endpoints that are stored after an update, or the error. The subsets are checked only if they change.
pub(super) fn update_endpoints(sent: Endpoints, before: Option<&Endpoints>) -> Result<Endpoints, String> {
    let Some(before) = before else { return Err(not_found("endpoints", &sent.meta.name)) };
    if sent.subsets != before.subsets {
        refuse("Endpoints", &sent.meta.name, &invalid_subsets(&sent))?;
    }
    Ok(sent)
}

/// Returns the error of a request for an object that does not exist.
pub(super) fn not_found(resource: &str, name: &str) -> String {
    format!("{resource} {name:?} not found")
}

fn already_exists(resource: &str, name: &str) -> String {
    format!("{resource} {name:?} already exists")
}

/// Returns the error of an invalid object, if there are reasons. Upstream: `NewInvalid`, apimachinery v0.24.
fn refuse(kind: &str, name: &str, reasons: &[String]) -> Result<(), String> {
    let about = match reasons {
        [] => return Ok(()),
        [reason] => reason.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    Err(format!("{kind} {name:?} is invalid: {about}"))
}

/// A target port of 0 becomes the port itself.
fn with_default_targets(mut service: Service) -> Service {
    for port in &mut service.ports {
        if matches!(port.target.as_str(), "" | "0") {
            port.target = port.port.to_string().into();
        }
    }
    service
}

/// Returns whether a text has only the letters of a DNS label, whatever its length is.
fn is_label(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.bytes().next().is_some_and(is_letter)
        && text.bytes().next_back().is_some_and(is_letter)
        && text.bytes().all(|byte| is_letter(byte) || byte == b'-')
}

/// Checks the name of a Service, which has to be a DNS label. Upstream: `ValidateObjectMeta` with
/// `RelaxedServiceNameValidation`, 1.36, with the texts of `IsDNS1123Label`, apimachinery v0.24.
fn invalid_name(name: &str) -> Vec<String> {
    let mut reasons = Vec::new();
    let mut add = |reason: &str| reasons.push(format!("metadata.name: Invalid value: {name:?}: {reason}"));
    if name.contains('.') && name.len() <= 253 && name.split('.').all(is_label) {
        add("must not contain dots");
        return reasons;
    }
    if name.len() > 63 {
        add("must be no more than 63 characters");
    }
    if !is_label(name) {
        add(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
            end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
            '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        );
    }
    reasons
}

fn invalid_port(path: &str, number: i64) -> Option<String> {
    let is_valid = (1..=65_535).contains(&number);
    (!is_valid).then(|| format!("{path}: Invalid value: {number}: must be between 1 and 65535, inclusive"))
}

/// Checks the target ports that are numbers. The controller writes no names. Upstream: `ValidatePortNumOrName`, 1.36.
fn invalid_targets(service: &Service) -> Vec<String> {
    let check =
        |(place, target): (usize, &Str)| invalid_port(&format!("spec.ports[{place}].targetPort"), target.parse().ok()?);
    service.ports.iter().map(|port| &port.target).enumerate().filter_map(check).collect()
}

/// Checks the addresses that are ready, and the ports. Upstream: `validateEndpointSubsets`, 1.36.
fn invalid_subsets(endpoints: &Endpoints) -> Vec<String> {
    let mut reasons = Vec::new();
    for (subset, each) in endpoints.subsets.iter().enumerate() {
        for (place, address) in each.ready.iter().enumerate() {
            let path = format!("subsets[{subset}].addresses[{place}].ip");
            let invalid = invalid_address(&address.ip).into_iter();
            reasons.extend(invalid.map(|reason| format!("{path}: Invalid value: {:?}: {reason}", address.ip)));
        }
        for (place, port) in each.ports.iter().enumerate() {
            let path = format!("subsets[{subset}].ports[{place}].port");
            reasons.extend(invalid_port(&path, port.port.unwrap_or_default()));
        }
    }
    reasons
}

/// Returns why an address is not allowed. Upstream: `IsValidIPForLegacyField` and `ValidateEndpointIP`, 1.36, where
/// `StrictIPCIDRValidation` is on.
fn invalid_address(address: &str) -> Vec<String> {
    let Some(ip) = parsed(address) else {
        let first = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        return vec![first.to_owned(), "must be a valid IP address".to_owned()];
    };
    let strict = address.parse::<IpAddr>();
    let is_mapped = matches!(strict, Ok(IpAddr::V6(ip)) if ip.to_ipv4_mapped().is_some());
    let (is_link_local, is_link_local_multicast) = match ip {
        IpAddr::V4(ip) => (ip.is_link_local(), ip.octets().starts_with(&[224, 0, 0])),
        IpAddr::V6(ip) => (ip.is_unicast_link_local(), ip.segments().first().is_some_and(|all| all & 0xff0f == 0xff02)),
    };
    let unspecified = format!("may not be unspecified ({address})");
    let rules = [
        (strict.is_err(), "must not have leading 0s"),
        (is_mapped, "must not be an IPv4-mapped IPv6 address"),
        (ip.is_unspecified(), unspecified.as_str()),
        (ip.is_loopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
        (is_link_local, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
        (is_link_local_multicast, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"),
    ];
    rules.into_iter().filter(|(is_broken, _)| *is_broken).map(|(_, reason)| reason.to_owned()).collect()
}

/// Parses an address as `ParseIPSloppy` does: the numbers of an address of IPv4 may begin with zeros.
fn parsed(address: &str) -> Option<IpAddr> {
    let without_zeros = |part: &str| match part.trim_start_matches('0') {
        "" if !part.is_empty() => "0".to_owned(),
        short => short.to_owned(),
    };
    let (begin, end) = address.split_at(address.rfind(':').map_or(0, |colon| colon + 1));
    let text = if end.contains('.') {
        let parts: Vec<String> = end.split('.').map(without_zeros).collect();
        format!("{begin}{}", parts.join("."))
    } else {
        address.to_owned()
    };
    text.parse::<IpAddr>().ok().map(|ip| ip.to_canonical())
}
