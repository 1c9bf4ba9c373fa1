//! Finds the proxy of a request, by the rules of Go's `net/http`, which kubectl uses.
//!
//! kube 5.0 compares `NO_PROXY` with the address of the proxy instead of the address of the server. So this module
//! chooses the proxy. Source of the rules: `golang.org/x/net/http/httpproxy`.

use super::cluster_error::{ClusterError, ClusterErrorKind};
use super::connect::Environment;
use http::Uri;
use std::net::IpAddr;

/// Returns the proxy for a server. If the kubeconfig states a proxy for the cluster, this proxy is always used, even if
/// `NO_PROXY` excludes the server.
pub fn proxy_for(server: &Uri, of_cluster: Option<&str>, environment: &Environment) -> Option<String> {
    if let Some(proxy) = of_cluster.filter(|proxy| !proxy.is_empty()) {
        return Some(proxy.to_owned());
    }
    let https = server.scheme_str() == Some("https");
    let proxy = if https { environment.https_proxy.as_deref() } else { environment.http_proxy.as_deref() }?;
    let host = server.host()?.trim_start_matches('[').trim_end_matches(']');
    let port = server.port_u16().unwrap_or(if https { 443 } else { 80 });
    if proxy.is_empty() || !uses_proxy(host, port, environment.no_proxy.as_deref().unwrap_or_default()) {
        return None;
    }
    // As in Go, a proxy without a scheme is an http proxy.
    Some(if proxy.contains("://") { proxy.to_owned() } else { format!("http://{proxy}") })
}

/// Parses the address of a proxy. Upstream: `parseProxyURL`, client-go 0.36.
///
/// # Errors
///
/// Returns an error if the text is not an address of a proxy. The error does not contain the address, because the
/// address can contain a password.
pub(super) fn address(proxy: &str) -> Result<Uri, ClusterError> {
    let wrong = |what: String| {
        ClusterError::new(ClusterErrorKind::Configuration, what)
            .with_hint("check the cluster's proxy-url in the kubeconfig, or HTTPS_PROXY: http://host:3128, for example")
    };
    // socks5h and socks5 mean the same here: the proxy resolves the host names.
    let proxy = proxy.strip_prefix("socks5h://").map_or_else(|| proxy.to_owned(), |rest| format!("socks5://{rest}"));
    let address: Uri = proxy.parse().map_err(|_| wrong("the proxy's address is not a URL".to_owned()))?;
    match address.scheme_str() {
        Some("http" | "https" | "socks5") => Ok(address),
        Some(other) => {
            Err(wrong(format!("the proxy's address begins with {other}://, and not with http, https or socks5")))
        }
        None => Err(wrong("the proxy's address does not begin with http, https or socks5".to_owned())),
    }
}

fn uses_proxy(host: &str, port: u16, no_proxy: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let address: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || address.is_some_and(|address| address.is_loopback()) {
        return false;
    }
    !no_proxy
        .split(',')
        .map(|entry| entry.trim().to_ascii_lowercase())
        .filter(|entry| !entry.is_empty())
        .any(|entry| entry == "*" || excludes(&entry, &host, port, address))
}

fn excludes(entry: &str, host: &str, port: u16, address: Option<IpAddr>) -> bool {
    if let Some((network, bits)) = entry.split_once('/') {
        return match (network.parse(), bits.parse(), address) {
            (Ok(network), Ok(bits), Some(address)) => in_network(address, network, bits),
            _ => false,
        };
    }
    let (name, stated_port) = split_port(entry);
    if stated_port.is_some_and(|stated| stated != port) {
        return false;
    }
    if let Ok(stated) = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        return address == Some(stated);
    }
    let name = name.strip_prefix('*').unwrap_or(name);
    match name.strip_prefix('.') {
        // `.example.com` means the names below `example.com`, but not `example.com` itself.
        Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.')),
        None => host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')),
    }
}

/// Splits an entry into its host and its port, if it has a port. An IPv6 address without brackets has colons and no
/// port.
fn split_port(entry: &str) -> (&str, Option<u16>) {
    match entry.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (entry, None),
        },
        _ => (entry, None),
    }
}

fn in_network(address: IpAddr, network: IpAddr, bits: u32) -> bool {
    let same = |address: u128, network: u128, width: u32| {
        bits <= width && (bits == 0 || (address ^ network) >> (width - bits) == 0)
    };
    match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            same(u128::from(u32::from(address)), u128::from(u32::from(network)), 32)
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => same(u128::from(address), u128::from(network), 128),
        _ => false,
    }
}
