//! Every rule of `audit`, on two small clusters. In the first cluster the rule must fire. The second cluster is as
//! similar as possible, and the rule must not fire there. All rules examine every fixture. If another rule fires as
//! well, the fixture states that rule and the reason.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "fixtures are files, and tests fail by panicking"
)]

use crate::support::{BINARY, Run, files, root};
use pvctl::controllers::{KubeVersion, KubernetesBehavior};
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{AuditSettings, Findings, Rule, Severity, Unread, diagnose, rules};
use pvctl::engines::simulation;
use pvctl::model::Kind;
use pvctl::simulate::Settings;
use pvctl::snapshot::{CoverageEntry, CoverageState, Parts, Snapshot};
use pvctl::source::{FileOptions, Scope, files as source_files};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

pub(crate) const FOLDER: &str = "tests/audit";

/// The statements in the comments at the top of a fixture.
#[derive(Debug, Default)]
pub(crate) struct Header {
    version: Option<KubeVersion>,
    /// The kinds that no decision reads, and of which the fixture has a complete list.
    complete: Vec<Scope>,
    /// The other rules that fire, each with the reason why that is right.
    also: BTreeMap<String, String>,
}

impl Header {
    /// Returns the behavior of the version that the fixture names, or of the default version.
    pub(crate) fn rules(&self) -> KubernetesBehavior {
        self.version.map_or_else(KubernetesBehavior::default, KubernetesBehavior::of)
    }
}

pub(crate) fn header(text: &str) -> Header {
    let mut header = Header::default();
    for line in text.lines().map_while(|line| line.strip_prefix("# ")) {
        if let Some(flags) = line.strip_prefix("flags: ") {
            let version = flags.strip_prefix("--kube-version ").expect("the only flag of a fixture is --kube-version");
            header.version = Some(KubeVersion::parse(version.trim()).expect("a version that is modelled"));
        } else if let Some(kinds) = line.strip_prefix("complete: ") {
            let scope = |word: &str| {
                let kind = Kind::surrounding_from_word(word.trim()).expect("a kind that no decision reads");
                Scope { kind, namespace: None }
            };
            header.complete = kinds.split(',').map(scope).collect();
        } else if let Some(also) = line.strip_prefix("also ") {
            let (id, reason) = also.split_once(": ").expect("`also ID: REASON`");
            assert!(reason.len() > 10, "{id} has no reason");
            header.also.insert(id.to_owned(), reason.to_owned());
        }
    }
    header
}

/// Reads the objects of a fixture. The lists of all kinds that decisions read are complete.
pub(crate) fn read(path: &str, header: &Header) -> Parts {
    let decisive = Kind::ALL.into_iter().map(|kind| Scope { kind, namespace: None });
    let options = FileOptions {
        paths: vec![root().join(path)],
        assume_complete: Some(decisive.chain(header.complete.iter().cloned()).collect()),
        strict: true,
        surroundings: Kind::SURROUNDING.to_vec(),
        of_systems: Providers::built_in().state_resources().map(|resource| resource.kind.clone()).collect(),
        ..FileOptions::default()
    };
    let parts = source_files::read(&options).expect("a fixture is readable").parts;
    assert!(parts.issues.is_empty(), "{path}: {:?}", parts.issues);
    parts
}

/// Returns everything that the rules find in a fixture.
fn diagnosed(path: &str, header: &Header) -> Findings {
    let parts = read(path, header);
    let providers = Providers::built_in().with_objects(&parts.of_systems);
    let snapshot = Snapshot::new(parts);
    let simulation = simulation(&snapshot, Settings::new(header.rules()), 1);
    diagnose(&simulation, AuditSettings { providers: &providers, ..with_all() }, 1)
}

/// Selects all rules, without suppressions and without a restriction to some objects.
fn with_all() -> AuditSettings<'static> {
    AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: Providers::built_in() }
}

/// Returns the ids of the rules that fired.
fn fired(findings: &Findings) -> BTreeSet<String> {
    findings.listed.iter().map(|finding| finding.rule.id.to_owned()).collect()
}

#[test]
fn each_rule_fires_in_its_fixture_and_not_in_its_near_miss() {
    let mut faults = Vec::new();
    for Rule { id, severity, risk, .. } in rules::all() {
        for (name, own) in [("fires", true), ("near", false)] {
            let path = format!("{FOLDER}/{id}/{name}.yaml");
            let Ok(text) = fs::read_to_string(root().join(&path)) else {
                faults.push(format!("{path} is missing"));
                continue;
            };
            let header = header(&text);
            let findings = diagnosed(&path, &header);
            let mut expected: BTreeSet<String> = header.also.keys().cloned().collect();
            if own {
                expected.insert((*id).to_owned());
                // No finding may be worse than the severity and the risk that its rule declares.
                let worst = findings.listed.iter().filter(|finding| finding.rule.id == *id);
                for finding in worst {
                    if finding.severity < *severity || finding.risk < *risk {
                        faults.push(format!("{path}: a finding is worse than its rule declares"));
                    }
                }
            }
            let fired = fired(&findings);
            if fired != expected {
                faults.push(format!(
                    "{path}: these rules fire, and the fixture does not state them: {:?}; the fixture states these \
                     rules, and they do not fire: {:?}",
                    fired.difference(&expected).collect::<Vec<_>>(),
                    expected.difference(&fired).collect::<Vec<_>>()
                ));
            }
            // A fixture holds only those surrounding kinds that its own rule needs.
            let lacks = |rule: &str, missing: &BTreeSet<Unread>| {
                rule == *id || missing.iter().any(|one| !one.kind.is_surrounding())
            };
            let unjudged: Vec<_> = findings.unjudged.iter().filter(|(rule, missing)| lacks(rule, missing)).collect();
            if !unjudged.is_empty() {
                faults.push(format!(
                    "{path}: these rules were not judged, although the fixture has everything that \
                                     they need: {unjudged:?}"
                ));
            }
        }
    }
    assert!(rules::all().len() > 5, "there are fewer than six rules");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_fixture_belongs_to_a_rule() {
    let known: BTreeSet<String> = rules::all()
        .iter()
        .flat_map(|rule| ["fires", "near"].map(|name| format!("{FOLDER}/{}/{name}.yaml", rule.id)))
        .collect();
    let present: BTreeSet<String> = files(FOLDER, "yaml").into_iter().map(|(path, _)| path).collect();
    let strangers: Vec<&String> = present.difference(&known).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
}

/// People link to the ids of rules and read their pages.
#[test]
fn every_rule_has_a_name_and_a_page() {
    let mut seen = BTreeSet::new();
    for rule in rules::all() {
        let id = rule.id;
        assert!(seen.insert(id), "two rules have the id {id}");
        assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{id} is not in kebab-case");
        assert!(
            !rule.title.ends_with('.') && !rule.title.is_empty(),
            "{id}: the title must not be empty, and must not end with a full stop"
        );
        // The title is inserted into Markdown tables without escaping.
        assert!(!rule.title.contains(['|', '<', '>', '@', '#', '`', '*', '_', '\n']), "{id}: {}", rule.title);
        let page = &rule.page;
        for (part, text) in [
            ("seen", page.seen),
            ("why", page.why),
            ("repair", page.repair),
            ("prevention", page.prevention),
            ("hazard", page.hazard),
        ] {
            assert!(text.ends_with('.') && text.len() > 7, "{id}: {part} must consist of sentences: {text:?}");
        }
        assert!(page.confirm.lines().all(|line| line.starts_with("kubectl ")), "{id}: {:?}", page.confirm);
        assert!(
            !page.confirm.is_empty() && !page.sources.is_empty(),
            "{id} must have commands that confirm it, and a source"
        );
    }
}

/// A finding that rests on an assumption must not be an error. Each of its commands must be harmless even if the
/// assumption is wrong: the command only reads, tests what it expects to find, or is a verb of pvctl. If the input is
/// partial, the rule must not be judged.
#[test]
fn a_finding_that_rests_on_an_assumption_is_no_error() {
    let file = format!("{FOLDER}/lost-pv-missing/fires.yaml");
    let audit = |more: &[&str]| {
        let run = Run::new(&[&["audit", "-o", "json", "-f", &file], more].concat()).current_dir(root()).finish();
        let document: Value = serde_json::from_str(&run.stdout).expect("a document");
        (run.code, document)
    };
    let (code, known) = audit(&["--assume-complete"]);
    assert_eq!((code, &known["findings"][0]["severity"]), (Some(1), &Value::from("error")));
    let (code, assumed) = audit(&[]);
    let finding = &assumed["findings"][0];
    assert_eq!((code, &finding["id"], &finding["severity"]), (Some(0), &"lost-pv-missing".into(), &"warning".into()));
    assert_eq!(finding["assumed"][0]["resource"], "persistentvolumes");
    for remedy in finding["remedies"].as_array().expect("a list") {
        let command = remedy["command"].as_str().expect("a command");
        let harmless =
            ["kubectl get ", "kubectl describe ", "kubectl pvctl "].iter().any(|start| command.starts_with(start));
        assert!(harmless || command.contains(r#""op":"test""#), "{command}");
    }
    assert!(!finding["remedies"].as_array().expect("a list").is_empty());
    let (code, hidden) = audit(&["--partial", "pv"]);
    assert_eq!((code, &hidden["findings"]), (Some(3), &Value::Array(Vec::new())));
    let volumes =
        hidden["coverage"].as_array().expect("a list").iter().find(|one| one["resource"] == "persistentvolumes");
    let unjudged = volumes.expect("volumes")["unjudgedRules"].as_array().expect("a list");
    assert!(unjudged.contains(&"lost-pv-missing".into()), "{unjudged:?}");
}

/// A rule must have the same findings if only those surrounding kinds were read that the rule names. `audit` and `fix`
/// read no other surrounding kinds.
#[test]
fn a_rule_names_all_that_it_reads() {
    let mut faults = Vec::new();
    let mut compared = 0;
    for (path, text) in files(FOLDER, "yaml") {
        let text = String::from_utf8(text).expect("text");
        let header = header(&text);
        let said = |rule: &'static Rule, parts: Parts| {
            let providers = Providers::built_in().with_objects(&parts.of_systems);
            let snapshot = Snapshot::new(parts);
            let simulation = simulation(&snapshot, Settings::new(header.rules()), 1);
            let scrutiny = AuditSettings { rules: &[rule], providers: &providers, ..with_all() };
            format!("{:#?}", diagnose(&simulation, scrutiny, 1).listed)
        };
        let whole = read(&path, &header);
        for rule in rules::all() {
            let is_read = |kind: Kind| rule.detect.kind() == kind || rule.reads.contains(&kind);
            let unread: Vec<Kind> = Kind::SURROUNDING.into_iter().filter(|kind| !is_read(*kind)).collect();
            let mut parts = whole.clone();
            parts.objects.retain(|kind, _| !kind.is_surrounding() || is_read(kind));
            for kind in unread {
                parts.coverage.forget(kind, |_| true);
                parts.coverage.set(CoverageEntry::new(kind, None, CoverageState::NotNeeded));
            }
            let (expected, actual) = (said(rule, whole.clone()), said(rule, parts));
            compared += usize::from(expected != "[]");
            if actual != expected {
                faults.push(format!("{path}: {} reads more than it names: {expected}\n{actual}", rule.id));
            }
        }
    }
    assert!(compared > 200, "the test is too weak: it compared only {compared} answers");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Two runs on the same input give the same bytes, on one thread or on several.
#[test]
fn the_answer_is_always_the_same() {
    for (path, _) in files("examples", "json") {
        let said = |threads: usize| {
            let options = FileOptions { paths: vec![root().join(&path)], ..FileOptions::default() };
            let snapshot = Snapshot::new(source_files::read(&options).expect("an example is readable").parts);
            let simulation =
                simulation(&snapshot, Settings::new(KubernetesBehavior::of(KubeVersion::DEFAULT)), threads);
            format!("{:?}", diagnose(&simulation, with_all(), threads).listed)
        };
        assert_eq!(said(1), said(4), "{path}");
    }
}

/// Nothing is reported for a healthy cluster, and a claim that waits for its first pod is healthy. In the second
/// example one of four claims waits forever, because its pod was assigned to a node without the scheduler.
#[test]
fn a_healthy_cluster_has_no_findings() {
    for (file, expected) in [
        ("examples/healthy.json", &[][..]),
        ("examples/pending-first-consumer.json", &["pvc-wffc-nodename-bypass: pvc/debug -n stream"]),
    ] {
        let found = diagnosed(file, &Header::default()).listed;
        let found = found.iter().filter(|finding| finding.severity != Severity::Info);
        let found: Vec<String> = found.map(|finding| format!("{}: {}", finding.rule.id, finding.object)).collect();
        assert_eq!(found, expected, "{file}");
    }
}

/// A claim that waits for a broken class is a consequence of the finding on the class.
#[test]
fn a_claim_that_waits_for_a_broken_class_is_a_consequence() {
    let findings = diagnosed(&format!("{FOLDER}/sc-intree-removed/fires.yaml"), &Header::default()).listed;
    let waiting = findings.iter().find(|finding| finding.rule.id == "pool-exhausted").expect("a claim waits");
    assert!(!waiting.role.is_root);
    let root = &findings[waiting.role.root];
    assert_eq!(
        (root.rule.id, root.role.affected_objects.as_slice()),
        ("sc-intree-removed", &[waiting.object.clone()][..])
    );
}

/// The volume that `audit` calls the closest one must be the first one that `explain` lists.
#[test]
fn the_nearest_volume_is_the_same_for_all() {
    let of_claim = |command: &[&str]| {
        let file = ["-n", "warehouse", "-o", "json", "-f", "examples/pending-too-small.json", "--assume-complete"];
        let run = Run::new(&[command, &file].concat()).current_dir(root()).finish();
        serde_json::from_str::<Value>(&run.stdout).expect("a document")
    };
    let audit = of_claim(&["audit", "--rules", "bind-pv-being-deleted"]);
    let message = audit["findings"][0]["message"].as_str().expect("a message");
    assert!(message.starts_with("the closest free volume disk-going is"), "{message}");
    let explained = of_claim(&["explain", "pvc/orders-archive"]);
    assert_eq!(explained["candidates"][0]["object"]["name"], "disk-going");
    assert!(
        explained["diagnosis"].to_string().to_lowercase().contains("the closest free volume disk-going"),
        "{explained}"
    );
}

/// A volume that was bound to the wrong claim must be found, no matter how many volumes there are.
#[test]
fn a_foreign_grab_is_found_among_many_volumes() {
    let text = fs::read_to_string(root().join(FOLDER).join("bind-foreign-grab/fires.yaml")).expect("a fixture");
    let other = |number: u32| {
        json!({
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": { "name": format!("other-{number}"), "uid": format!("other-{number}") },
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "capacity": { "storage": "1Gi" },
                "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": "other",
                "volumeMode": "Filesystem",
                "hostPath": { "path": "/data" },
            },
            "status": { "phase": "Available" },
        })
    };
    let others = (0..5_100).map(|number| format!("---\n{}\n", other(number)));
    let text: String = std::iter::once(text).chain(others).collect();
    let run = Run::new(&["audit", "-f", "-", "--assume-complete", "--rules", "bind-foreign-grab", "-o", "name"])
        .stdin(text.as_bytes())
        .finish();
    assert_eq!(run.stdout.lines().count(), 1, "{}{}", run.stdout, run.stderr);
}

#[test]
fn the_exit_code_follows_the_threshold() {
    let lost = format!("{FOLDER}/lost-claimref-uid-cleared/fires.yaml");
    let healing = format!("{FOLDER}/lost-heals-itself/fires.yaml");
    for (file, flags, expected) in [
        (&lost, &[][..], 1),
        (&lost, &["--exit-zero"], 0),
        (&lost, &["--fail-on", "lost-pv-missing"], 0),
        (&lost, &["--fail-on", "lost-pv-missing,lost-claimref-uid-cleared"], 1),
        (&lost, &["--fail-on", "lost-pv-missing,warning"], 1),
        (&lost, &["--skip-rules", "lost-*"], 0),
        (&lost, &["--rules", "lost-claimref-*"], 1),
        (&lost, &["--rules", "lost-claimref-*", "--skip-rules", "*-cleared"], 0),
        (&lost, &["--rules", "losst-pv-missing"], 2),
        (&lost, &["--fail-on", "fatal"], 2),
        (&lost, &["--min-age", "9000d"], 0),
        (&lost, &["--min-age", "ten minutes"], 2),
        (&lost, &["-n", "elsewhere"], 0),
        (&lost, &["--partial", "pods", "--fail-on", "error"], 1),
        (&healing, &[], 0),
        (&healing, &["--fail-on", "info"], 1),
    ] {
        let arguments = [&["audit", "--assume-complete", "-f", file], flags].concat();
        let run = Run::new(&arguments).current_dir(root()).finish();
        assert_eq!(run.code, Some(expected), "{flags:?}: {}{}", run.stdout, run.stderr);
    }
}

/// Returns enough lost claims to make the answer in every format larger than a pipe.
#[cfg(unix)]
fn many_lost_claims() -> String {
    let claim = |number: usize| {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {
                "namespace": "db", "name": format!("{}-{number:04}", "a-claim-with-a-rather-long-name".repeat(4)),
                "uid": format!("00000000-0000-4000-8000-{number:012}"),
                "annotations": { "pv.kubernetes.io/bind-completed": "yes" },
            },
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
                "storageClassName": "", "volumeName": format!("gone-{number}"),
            },
            "status": { "phase": "Lost" },
        })
    };
    json!({ "apiVersion": "v1", "kind": "List", "items": (0..2_000).map(claim).collect::<Vec<_>>() }).to_string()
}

/// If the reader closes the pipe, as `| head` does, the run ends with exit code 0 and prints nothing on stderr.
#[cfg(unix)]
#[test]
fn a_reader_that_has_read_enough_ends_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("lost.json"), many_lost_claims()).expect("a file");
    for format in ["table", "wide", "json", "yaml", "name", "sarif", "junit", "markdown", "github", "prometheus"] {
        let script = format!(
            "'{BINARY}' audit --assume-complete -f lost.json -o {format} | head -n 1 >/dev/null; \
             echo \"${{PIPESTATUS[0]}}\""
        );
        let run = Run::of(Path::new("/bin/bash"), &["-c", &script]).current_dir(folder.path()).finish();
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("0\n", ""), "{format}");
    }
}

/// If the program is interrupted while it reads its input, it prints no partial answer, and the exit code says so.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_leaves_no_half_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    for format in ["table", "json", "junit"] {
        let script = format!(
            "rm -f slow; mkfifo slow; '{BINARY}' audit -o {format} -f slow & \
             exec 3>slow; printf '{{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[' >&3; sleep 0.3; \
             kill -INT $!; wait $!; echo \"code $?\""
        );
        let run = Run::of(Path::new("/bin/bash"), &["-c", &script]).current_dir(folder.path()).finish();
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("code 130\n", ""), "{format}");
    }
}

/// Severities are coloured only on request and only in tables, and the text stays the same.
#[test]
fn colour_marks_severity_and_nothing_else() {
    let audit = |more: &[&str]| {
        let arguments = [&["audit", "--exit-zero", "--assume-complete", "-f", "examples/released.json"], more].concat();
        Run::new(&arguments).current_dir(root()).finish().stdout
    };
    let colored = audit(&["--color", "always", "--all"]);
    for part in ["\u{1b}[31merror\u{1b}[0m ", "\u{1b}[31mimminent\u{1b}[0m ", "\u{1b}[33mwarning\u{1b}[0m "] {
        assert!(colored.contains(part), "{colored}");
    }
    let mut plain = colored;
    for code in ["\u{1b}[31m", "\u{1b}[33m", "\u{1b}[0m"] {
        plain = plain.replace(code, "");
    }
    assert_eq!(plain, audit(&["--all"]));
    for format in ["json", "sarif", "junit", "markdown", "github", "prometheus", "name"] {
        assert!(!audit(&["--color", "always", "-o", format]).contains('\u{1b}'), "{format}");
    }
}

/// A wide table ends each line with the command to try first, which is not wrapped.
#[test]
fn a_wide_table_ends_with_what_to_try() {
    let audit = |format: &str| {
        let arguments = ["audit", "--exit-zero", "--assume-complete", "-f", "examples/released.json", "-o", format];
        Run::new(&arguments).current_dir(root()).finish()
    };
    let report: Value = serde_json::from_str(&audit("json").stdout).expect("a document");
    let wide = audit("wide").stdout;
    let (header, rows) = wide.split_once('\n').expect("rows");
    assert!(header.ends_with("  AGE     TRY"), "{header}");
    for row in rows.lines() {
        let is_of = |finding: &&Value| {
            [&finding["id"], &finding["object"]["name"]].iter().all(|text| row.contains(text.as_str().expect("a text")))
        };
        let finding = report["findings"].as_array().expect("a list").iter().find(is_of).expect("a finding");
        assert!(row.ends_with(finding["remedies"][0]["command"].as_str().expect("a command")), "{row}");
    }
    assert!(audit("table").stderr.contains(" -o wide adds what to try first; "));
}

/// A class may have two defects that do not explain the problem of one of its claims. The finding on the claim is then
/// a root, and is not counted as a consequence of the class.
#[test]
fn an_unrelated_defect_of_a_class_does_not_explain_its_claims() {
    let path = format!("{FOLDER}/pvc-provisioner-silent/fires.yaml");
    let text = fs::read_to_string(root().join(&path)).expect("a fixture is readable");
    let marked =
        "  annotations:\n    storageclass.kubernetes.io/is-default-class: \"true\"\nprovisioner: fuseim.pri/ifs\n";
    let (class, rest) = text.split_once("---\n").expect("the class comes first");
    let class = class.replace("provisioner: fuseim.pri/ifs\n", marked);
    let second = class.replace("name: managed-nfs-storage", "name: second").replace("0c0015", "0c0099");
    let folder = tempfile::tempdir().expect("a directory");
    let file = folder.path().join("world.yaml");
    fs::write(&file, format!("{class}---\n{second}---\n{rest}")).expect("a file");
    let file = file.to_str().expect("a path");
    let report = Run::new(&["audit", "--all", "-A", "-f", file, "--assume-complete", "-o", "json"]).finish();
    let report: Value = serde_json::from_str(&report.stdout).expect("a report");
    let finding = |id: &str| {
        let all = report["findings"].as_array().expect("findings");
        all.iter().find(|finding| finding["id"] == id).unwrap_or_else(|| panic!("{id} is not found: {report}"))
    };
    let (waits, several) = (finding("pvc-provisioner-silent"), finding("sc-two-defaults"));
    assert_eq!((&waits["root"], &waits["causedBy"]), (&json!(true), &json!([])));
    let affected = several["affects"].to_string();
    assert!(!affected.contains("test-claim"), "{affected}");
}
