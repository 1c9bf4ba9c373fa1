//! What `audit` finds in the clusters of `tests/shared`. `tests/shared/README.md` explains the comments at the top of
//! the files. Healthy clusters have no finding at all.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::audit::rules::header;
use crate::support::{files, root, text};
use pvctl::diagnosis::shared_volumes::{Provider, Providers};
use pvctl::diagnosis::{AuditSettings, Finding, Findings, Severity, diagnose, rules};
use pvctl::engines::simulation;
use pvctl::model::{Kind, ObjectKey, Timestamp};
use pvctl::simulate::Settings;
use pvctl::snapshot::Snapshot;
use pvctl::source::storage_system::read_state;
use pvctl::source::{FileOptions, Scope, files as source_files};
use std::collections::BTreeSet;

const FOLDER: &str = "tests/shared";

/// The clock of all files.
const NOW: &str = "2026-03-04T11:00:00Z";

/// The findings that no rule reports. The last text is the rule that finds something instead, if there is one.
const NOT_FOUND: &[(&str, &str, &str)] = &[
    // pvctl does not read the port in the CephNFS.
    ("ceph-nfs/operator-scaled-to-zero.yaml", "shared-service-drift", ""),
    // `shared-service-foreign` says that the Service is not the one of the volume.
    ("storageos/service-with-selector.yaml", "shared-targets-stale", ""),
];

/// The entry that describes the system of the folder `user-defined`.
const USER_DEFINED: &str = "
- id: user-defined
  name: shares.example.com
  volume: { driver: nfs.example.com }
  service:
    namespace: shares
    name: 'share-{pv}'
    labels: { shares.example.com/volume: '{pv}' }
    selector: { shares.example.com/volume: '{pv}' }
    ports: [{ name: nfs, port: 2049 }]
  endpoints: pods
  servers: one
  recordedIn: nowhere
  recreates: never
";

/// An expected finding.
#[derive(Debug)]
struct Expected<'t> {
    rule: &'t str,
    /// The object as `KIND NAMESPACE/NAME`, or `KIND NAME` for kinds without namespaces.
    object: String,
    words: Vec<&'t str>,
}

/// The comments at the top of a file.
#[derive(Debug, Default)]
struct Expectation<'t> {
    finds: Vec<Expected<'t>>,
    /// Rules that are not about shared volumes, and their objects, in the form of [`stated`].
    also: BTreeSet<String>,
}

fn expectation(text: &str) -> Expectation<'_> {
    let mut expectation = Expectation::default();
    for line in text.lines().map_while(|line| line.strip_prefix("# ")) {
        if let Some(finds) = line.strip_prefix("finds: ") {
            let (about, words) = finds.split_once(": ").expect("`finds: RULE KIND OBJECT: WORDS`");
            let (rule, object) = about.split_once(' ').expect("a rule and an object");
            let words = words.split(';').map(str::trim).collect();
            expectation.finds.push(Expected { rule, object: object.to_owned(), words });
        } else if let Some(also) = line.strip_prefix("also: ") {
            let (about, reason) = also.split_once(": ").expect("`also: RULE OBJECT: REASON`");
            assert!(reason.len() > 10, "{about} has no reason");
            expectation.also.insert(about.to_owned());
        }
    }
    expectation
}

/// Returns the object in the form in which `finds:` states it.
fn named(object: &ObjectKey) -> String {
    let ObjectKey { kind, namespace, name } = object;
    let place = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
    format!("{} {place}{name}", kind.as_str())
}

/// Returns the finding in the form in which `also:` states it.
fn stated(finding: &Finding) -> String {
    let ObjectKey { kind, namespace, name } = &finding.object;
    let place = if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") };
    format!("{} {}/{name}{place}", finding.rule.id, kind.short())
}

fn found(path: &str, text: &str) -> Findings {
    let complete = Kind::listed().map(|kind| Scope { kind, namespace: None });
    let options = FileOptions {
        paths: vec![root().join(path)],
        assume_complete: Some(complete.collect()),
        now: Timestamp::parse(NOW),
        surroundings: Kind::SURROUNDING.to_vec(),
        of_systems: Providers::built_in().state_resources().map(|resource| resource.kind.clone()).collect(),
        ..FileOptions::default()
    };
    let parts = source_files::read(&options).expect("a readable file").parts;
    let own: Vec<Provider> = serde_yaml::from_str(USER_DEFINED).expect("an entry");
    let mut providers = Providers::with(own).with_objects(&parts.of_systems);
    if let Some(state) = text.lines().find_map(|line| line.strip_prefix("# provider-state: ")) {
        let folder = root().join(path).parent().expect("a folder").to_owned();
        read_state(&folder.join(state), &mut providers).expect("the state of the system");
    }
    let snapshot = Snapshot::new(parts);
    let simulation = simulation(&snapshot, Settings::new(header(text).rules()), 1);
    let everything = AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: &providers };
    diagnose(&simulation, everything, 1)
}

/// Returns every difference between what a file states and what the rules find in it.
fn faults(file: &str, text: &str, findings: &[Finding]) -> Vec<String> {
    let expectation = expectation(text);
    let not_found = |rule: &str| NOT_FOUND.iter().find(|(one, of, _)| *one == file && *of == rule);
    let mut faults = Vec::new();
    let mut expected = BTreeSet::new();
    for Expected { rule, object, words } in &expectation.finds {
        if let Some((_, _, instead)) = not_found(rule) {
            if findings.iter().any(|finding| finding.rule.id == *rule) {
                faults.push(format!("{rule} is found now: remove it from NOT_FOUND"));
            }
            expected.insert(format!("{instead} {object}"));
            continue;
        }
        expected.insert(format!("{rule} {object}"));
        match findings.iter().find(|finding| finding.rule.id == *rule && named(&finding.object) == *object) {
            None => faults.push(format!("{rule} {object} is not found")),
            Some(finding) => {
                let silent: Vec<_> = words.iter().filter(|words| !finding.message.contains(**words)).collect();
                if !silent.is_empty() {
                    faults.push(format!("{rule} {object} does not say {silent:?}: {}", finding.message));
                }
            }
        }
    }
    let (about_sharing, others): (Vec<_>, Vec<_>) =
        findings.iter().partition(|finding| finding.rule.id.starts_with("shared-"));
    for finding in about_sharing {
        let about = format!("{} {}", finding.rule.id, named(&finding.object));
        if !expected.contains(&about) {
            faults.push(format!("the file does not state {about}: {}", finding.message));
        }
    }
    let present: BTreeSet<String> = others.iter().map(|finding| stated(finding)).collect();
    faults.extend(expectation.also.difference(&present).map(|also| format!("{also} is not found")));
    for finding in others {
        let is_line = finding.role.is_root && finding.severity != Severity::Info;
        let is_stated = expectation.also.contains(&stated(finding))
            || expectation.finds.iter().any(|one| one.rule == finding.rule.id && one.object == named(&finding.object));
        if is_line && !is_stated {
            faults.push(format!("the file does not state {}: {}", stated(finding), finding.message));
        }
    }
    if file.contains("/healthy") {
        faults.extend(
            findings.iter().map(|finding| format!("it is healthy, and {} says: {}", finding.rule.id, finding.message)),
        );
    }
    faults
}

/// Returns the files below the folder, by their paths in it.
fn clusters() -> Vec<(String, String)> {
    let read = |(path, bytes): (String, Vec<u8>)| {
        let file = path.strip_prefix(FOLDER).expect("a path in the folder").trim_start_matches('/').to_owned();
        (file, String::from_utf8(bytes).expect("text"))
    };
    files(FOLDER, "yaml").into_iter().map(read).collect()
}

#[test]
fn audit_finds_what_the_files_state() {
    let clusters = clusters();
    let all: Vec<String> = clusters
        .iter()
        .flat_map(|(file, text)| {
            let findings = found(&format!("{FOLDER}/{file}"), text);
            faults(file, text, &findings.listed).into_iter().map(move |fault| format!("{file}: {fault}"))
        })
        .collect();
    assert!(clusters.len() > 60, "there are only {} files", clusters.len());
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Each finding on a pod of a cluster whose volume is not served follows from the finding on the volume.
#[test]
fn a_failed_mount_follows_from_its_server() {
    for (file, pod) in [
        ("longhorn/share-manager-not-ready.yaml", "site-q24ps2lnqg-4bw7v"),
        ("storageos/not-mirrored.yaml", "site-zmst8p8mg8-t9lqw"),
        ("csi-nfs/target-port-without-container-port.yaml", "site-8wgpcwskcf-fcnd8"),
    ] {
        let path = format!("{FOLDER}/{file}");
        let text = text(&path);
        let findings = found(&path, &text).listed;
        let of_pod = findings.iter().find(|finding| finding.object.name == pod).expect("a finding on the pod");
        let root = findings.get(of_pod.role.root).expect("a root");
        assert_eq!(root.object.kind, Kind::PersistentVolume, "{file}: {} is the root", root.rule.id);
    }
}
