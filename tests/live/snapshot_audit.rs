//! An audit of a snapshot must have the same findings as an audit of the cluster at that moment. This is tested for
//! each fixture alone, for all fixtures in one cluster, and for all fixtures without the objects of one kind, because
//! without that kind a snapshot may read less.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "the test writes files, says how much it compared, and fails by panicking"
)]

use super::fixtures::{Fixture, fixtures, newest, renamed};
use super::plane::Plane;
use super::site::text;
use super::stored::Cluster;
use crate::support::{Finished, Run};
use pvctl::diagnosis::rules;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Instant;

/// The rules that find nothing on a current API server, each with the reason.
const NOT_STORED: [(&str, &str); 0] = [];

/// The kinds that are left out of the cluster with all fixtures, one at a time. The first time no kind is left out.
const LEFT_OUT: [&str; 6] = ["", "PersistentVolumeClaim", "PersistentVolume", "StorageClass", "Pod", "Namespace"];

/// For one fixture out of this number, the first namespace is also audited alone. In the cluster with all fixtures, one
/// namespace out of [`ONE_NAMESPACE_OF`] is audited alone.
const ONE_FIXTURE_OF: usize = 2;
const ONE_NAMESPACE_OF: usize = 29;

/// How many clusters run at the same time, each with a part of the fixtures. One more cluster has all fixtures
/// together.
const CLUSTERS: usize = 2;

/// The time from which ages count in the cluster with all fixtures.
const NOW: &str = "2026-07-01T00:00:00Z";

fn document(run: &Finished) -> Value {
    assert!(run.code == Some(0), "{:?}: {}", run.code, run.stderr);
    serde_json::from_str(&run.stdout).expect("a document")
}

/// Returns the findings of a report, the summary, and the rules that could not be judged. How the lists were read is
/// left out, because more lists are read for a snapshot.
fn said(report: &Value) -> Value {
    let mut unjudged: Vec<String> = Vec::new();
    for reading in report["coverage"].as_array().expect("a coverage") {
        let rules = reading["unjudgedRules"].as_array().into_iter().flatten();
        unjudged.extend(rules.map(|rule| format!("{rule} without {}", text(reading, "/resource"))));
    }
    unjudged.sort();
    unjudged.dedup();
    json!({"findings": report["findings"], "summary": report["summary"], "unjudged": unjudged})
}

/// Returns the findings of the first answer that are not in the second one.
fn only(one: &Value, other: &Value) -> Vec<String> {
    let [one, other] = [one, other].map(|said| said["findings"].as_array().expect("findings"));
    one.iter().filter(|finding| !other.contains(finding)).map(ToString::to_string).collect()
}

/// The counts of what was compared, and the differences.
#[derive(Default)]
struct Compared {
    audits: usize,
    findings: usize,
    rules: BTreeSet<String>,
    wrong: Vec<String>,
}

impl Compared {
    fn and(mut self, other: Self) -> Self {
        self.audits += other.audits;
        self.findings += other.findings;
        self.rules.extend(other.rules);
        self.wrong.extend(other.wrong);
        self
    }

    /// Audits the cluster, takes a snapshot of it, and audits the snapshot, for each of the scopes. Counts the findings
    /// in the cluster.
    fn compare(&mut self, plane: &Plane, moment: &str, flags: &[&str], scopes: &[Vec<&str>], what: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("snapshot.json");
        let taken = plane.pvctl(&["snapshot", "-A", "--now", moment]);
        assert!(taken.code == Some(0) && taken.stderr.is_empty(), "{what}: {}", taken.stderr);
        fs::write(&file, &taken.stdout).expect("a file");
        for scope in scopes {
            let words = [&["audit", "--exit-zero"], flags, scope].concat();
            let json = [&words[..], &["-o", "json"]].concat();
            let live = said(&document(&plane.pvctl(&[&json[..], &["--now", moment]].concat())));
            let stored = said(&document(&of_file(&json, &file)));
            self.audits += 2;
            let findings = live["findings"].as_array().expect("findings");
            self.findings += findings.len();
            self.rules.extend(findings.iter().map(|finding| text(finding, "/id").to_owned()));
            if live == stored {
                continue;
            }
            self.wrong.push(format!(
                "{what}, {scope:?}: only the cluster shows {:?} and only the snapshot {:?}; of {} and {}, unjudged {} \
                 and {}",
                only(&live, &stored),
                only(&stored, &live),
                live["summary"],
                stored["summary"],
                live["unjudged"],
                stored["unjudged"]
            ));
        }
    }

    /// Compares the tables of the cluster and of its snapshot.
    fn compare_tables(&mut self, plane: &Plane, moment: &str, what: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("snapshot.yaml");
        let taken = plane.pvctl(&["snapshot", "-A", "-o", "yaml", "--now", moment]);
        fs::write(&file, &taken.stdout).expect("a file");
        let words = ["audit", "--exit-zero", "--all", "-A", "-o", "wide"];
        let (live, stored) = (plane.pvctl(&[&words[..], &["--now", moment]].concat()), of_file(&words, &file));
        self.audits += 2;
        // Only an answer about a cluster says what `fix` can repair.
        let is_common = |line: &&str| !line.contains("kubectl pvctl fix");
        let [live, stored] = [&live, &stored].map(|run| {
            let notes: Vec<&str> = run.stderr.lines().filter(is_common).collect();
            format!("{}{}", run.stdout, notes.join("\n"))
        });
        if live != stored {
            self.wrong.push(format!("{what}: the cluster's table is\n{live}\nand the snapshot's\n{stored}"));
        }
    }
}

fn of_file(arguments: &[&str], file: &Path) -> Finished {
    Run::new(&[arguments, &["-f", &file.to_string_lossy()]].concat()).finish()
}

fn namespaces(objects: &[Value]) -> BTreeSet<&str> {
    let all = objects.iter().map(|object| text(object, "/metadata/namespace"));
    all.filter(|namespace| !namespace.is_empty()).collect()
}

/// Tests the fixtures one after the other.
async fn alone(cluster: &mut Cluster, fixtures: impl Iterator<Item = &Fixture>) -> Compared {
    let mut compared = Compared::default();
    for (place, fixture) in fixtures.enumerate() {
        cluster.load(fixture).await;
        let flags: Vec<&str> = fixture.flags.iter().map(String::as_str).collect();
        let own = namespaces(&fixture.objects).into_iter().next().filter(|_| place.is_multiple_of(ONE_FIXTURE_OF));
        let scopes: Vec<Vec<&str>> = [vec!["-A"]].into_iter().chain(own.map(|name| vec!["-n", name])).collect();
        compared.compare(&cluster.plane, &newest(fixture).to_string(), &flags, &scopes, &fixture.path);
        cluster.clear(&fixture.objects).await;
    }
    compared
}

/// Tests all fixtures in one cluster, with and without the objects of one kind.
async fn in_a_crowd(cluster: &mut Cluster, fixtures: &[Fixture]) -> Compared {
    let mut compared = Compared::default();
    let numbered = fixtures.iter().enumerate();
    let all: Vec<Value> = numbered.flat_map(|(number, fixture)| renamed(fixture, number, "/tmp/none")).collect();
    for left_out in LEFT_OUT {
        cluster.ensure_namespaces(&all).await;
        for object in all.iter().filter(|object| object["kind"] != left_out) {
            cluster.put(object).await;
        }
        let narrow = namespaces(&all).into_iter().step_by(ONE_NAMESPACE_OF).map(|namespace| vec!["-n", namespace]);
        let scopes: Vec<Vec<&str>> = [vec!["-A"]].into_iter().chain(narrow).collect();
        let what = format!("all without {left_out:?}");
        compared.compare(&cluster.plane, NOW, &[], &scopes, &what);
        compared.compare_tables(&cluster.plane, NOW, &what);
        cluster.clear(&all).await;
    }
    compared
}

/// Calls `work` with a control plane of its own.
fn on_a_cluster(gates: &BTreeSet<String>, work: impl AsyncFnOnce(&mut Cluster) -> Compared) -> Compared {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut cluster = Cluster::of(Plane::without_admission_with(gates)).await;
        work(&mut cluster).await
    })
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn an_audit_of_a_snapshot_equals_an_audit_of_the_cluster() {
    let begin = Instant::now();
    let fixtures: Vec<Fixture> =
        fixtures().into_iter().filter(|fixture| fixture.path.ends_with("/fires.yaml")).collect();
    let gates: BTreeSet<String> = fixtures.iter().filter_map(|fixture| fixture.gate.clone()).collect();
    let (fixtures, gates) = (&fixtures[..], &gates);
    let (one, many) = thread::scope(|scope| {
        let part = |first: usize| {
            on_a_cluster(gates, async |cluster| alone(cluster, fixtures.iter().skip(first).step_by(CLUSTERS)).await)
        };
        let parts: Vec<_> = (0..CLUSTERS).map(|first| scope.spawn(move || part(first))).collect();
        let many = on_a_cluster(gates, async |cluster| in_a_crowd(cluster, fixtures).await);
        let parts = parts.into_iter().map(|part| part.join().expect("a part"));
        (parts.fold(Compared::default(), Compared::and), many)
    });
    eprintln!(
        "{} rules and {} findings in {} audits of {} clusters with one fixture; {} rules and {} findings in {} audits of {} clusters with all fixtures; {} s",
        one.rules.len(),
        one.findings,
        one.audits,
        fixtures.len(),
        many.rules.len(),
        many.findings,
        many.audits,
        LEFT_OUT.len(),
        begin.elapsed().as_secs()
    );
    let silent: Vec<&str> = rules::all().iter().map(|rule| rule.id).filter(|id| !one.rules.contains(*id)).collect();
    assert_eq!(silent, NOT_STORED.map(|(rule, _)| rule), "exactly these rules may find nothing");
    let wrong: Vec<String> = one.wrong.into_iter().chain(many.wrong).collect();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n\n"));
}
