//! Tests of the systems that a user describes in `.pvctl.yaml`.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test writes files and fails by panicking")]

use pvctl::source::own_providers::providers_of;
use pvctl::source::suppressions::suppressions;

const BOTH: &str = "\
# What we know and accept.
apiVersion: pvctl.dev/v1
kind: Suppressions
items:
- rule: claim-unused
  reason: kept for the auditors
---
apiVersion: pvctl.dev/v1
kind: SharedVolumeProviders
items:
- id: acme
  name: Acme shares
  volume: {driver: nfs.example.com}
  service: {namespace: shares, name: 'share-{pv}'}
  endpoints: pods
  servers: one
  recordedIn: nowhere
  recreates: never
";

fn read(text: &str) -> (Result<Vec<String>, String>, Result<usize, String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.yaml");
    std::fs::write(&path, text).unwrap();
    let short = |error: pvctl::error::Error| {
        let said = error.message().to_owned();
        said.split_once("own.yaml: ").map_or(said.clone(), |(_, rest)| rest.to_owned())
    };
    let providers = providers_of(&path).map_err(short);
    let providers = providers.map(|all| all.all().take(1).map(|provider| provider.id.clone()).collect());
    (providers, suppressions(&path).map(|found| found.unwrap_or_default().len()).map_err(short))
}

#[test]
fn one_file_can_have_suppressions_and_systems() {
    assert_eq!(read(BOTH), (Ok(vec!["acme".to_owned()]), Ok(1)));
    let (suppressions, systems) = BOTH.split_once("---\n").unwrap();
    assert_eq!(read(suppressions).1, Ok(1));
    assert_eq!(read(systems), (Ok(vec!["acme".to_owned()]), Ok(0)));
    assert_eq!(read(""), (Ok(vec!["longhorn".to_owned()]), Ok(0)));
}

#[test]
fn mistakes_are_named_with_their_place() {
    let wrong = |old: &str, new: &str| read(&BOTH.replace(old, new)).0.unwrap_err();
    let unknown = wrong("  servers: one", "  serverz: one");
    assert!(unknown.contains("serverz") && unknown.contains("line 16"), "{unknown}");
    let placeholder = wrong("share-{pv}", "share-{volume}");
    assert!(placeholder.contains("there is no placeholder volume"), "{placeholder}");
    let nothing = wrong("{driver: nfs.example.com}", "{}");
    assert_eq!(nothing, "items[0]: volume states nothing, so it would recognise every volume");
    assert_eq!(wrong("id: acme", "id: ''"), "items[0]: the id \"\" is empty or repeated");
    let version =
        wrong("apiVersion: pvctl.dev/v1\nkind: SharedVolumeProviders", "apiVersion: v9\nkind: SharedVolumeProviders");
    assert_eq!(version, "it is v9 SharedVolumeProviders, but pvctl.dev/v1 SharedVolumeProviders is expected");
}
