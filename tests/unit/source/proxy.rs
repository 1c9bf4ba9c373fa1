//! Tests of `pvctl::source::proxy`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::source::Environment;
use pvctl::source::proxy::proxy_for;

fn environment(no_proxy: &str) -> Environment {
    Environment {
        https_proxy: Some("http://proxy.example:3128".into()),
        no_proxy: Some(no_proxy.into()),
        ..Environment::default()
    }
}

fn proxied(server: &str, no_proxy: &str) -> bool {
    proxy_for(&server.parse().unwrap(), None, &environment(no_proxy)).is_some()
}

#[test]
fn no_proxy_is_about_the_server() {
    for (server, no_proxy, expected) in [
        ("https://api.example.com:6443", "", true),
        ("https://api.example.com:6443", "proxy.example", true),
        ("https://api.example.com:6443", "example.com", false),
        ("https://api.example.com:6443", ".example.com", false),
        ("https://api.example.com:6443", "*.example.com", false),
        ("https://example.com:6443", ".example.com", true),
        ("https://badexample.com:6443", "example.com", true),
        ("https://api.example.com:6443", "other, API.Example.Com ", false),
        ("https://api.example.com:6443", "api.example.com:6443", false),
        ("https://api.example.com:6443", "api.example.com:443", true),
        ("https://api.example.com", "api.example.com:443", false),
        ("https://10.1.2.3:6443", "10.0.0.0/8", false),
        ("https://10.1.2.3:6443", "10.1.0.0/24", true),
        ("https://10.1.2.3:6443", "10.1.2.3", false),
        ("https://[fd00::1]:6443", "fd00::/8", false),
        ("https://[fd00::1]:6443", "fd00::1", false),
        ("https://[fd00::1]:6443", "[fd00::1]:6443", false),
        ("https://[fd00::1]:6443", "0.0.0.0/0", true),
        ("https://api.example.com", "*", false),
        ("https://localhost:6443", "", false),
        ("https://127.0.0.1:6443", "", false),
        ("https://10.1.2.3", "10.1.2.3/99", true),
    ] {
        assert_eq!(proxied(server, no_proxy), expected, "{server} with NO_PROXY={no_proxy}");
    }
}

#[test]
fn the_scheme_chooses_the_variable_and_the_cluster_goes_first() {
    let environment = environment("*");
    let http = "http://api.example.com".parse().unwrap();
    assert_eq!(proxy_for(&http, None, &environment), None);
    let stated = proxy_for(&http, Some("socks5://jump:1080"), &environment);
    assert_eq!(stated.as_deref(), Some("socks5://jump:1080"));
    let bare = Environment { https_proxy: Some("proxy:3128".into()), ..Environment::default() };
    let https = "https://api.example.com".parse().unwrap();
    assert_eq!(proxy_for(&https, None, &bare).as_deref(), Some("http://proxy:3128"));
}
