//! Plans from files: a verb prints the plan that it would make on the cluster of these files. It writes nothing.

use super::detach::{attached, selected};
use super::reconnect::served;
use super::{around, bound, cluster, refused, released, run, waiting, with};
use crate::support::api::ApiServer;
use crate::support::{Finished, Run};
use pvctl::model::Kind;
use serde_json::{Value, json};
use std::path::Path;

/// The guards that only an API server can answer.
const ASKED: [&str; 2] = ["rights", "admission"];

/// Returns all objects of a cluster, as `kubectl get -o json` prints them.
fn dump(fake: &ApiServer) -> String {
    let kinds = [
        Kind::PersistentVolume,
        Kind::PersistentVolumeClaim,
        Kind::StorageClass,
        Kind::Pod,
        Kind::Namespace,
        Kind::VolumeAttachment,
        Kind::StatefulSet,
        Kind::Node,
    ];
    let items: Vec<Value> = fake.with(|store, _| {
        kinds
            .iter()
            .flat_map(|kind| store.all(*kind, "").map(|(_, object)| object.clone()).collect::<Vec<_>>())
            .collect()
    });
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

fn on_files(input: &str, more: &[&str]) -> Finished {
    Run::new(&[more, &["-f", "-"]].concat()).stdin(input.as_bytes()).finish()
}

/// Returns a plan without the values that only a cluster has: its identity, the answers of its API server, and where
/// the version of Kubernetes comes from.
fn without_cluster(text: &str) -> Value {
    let mut plan: Value = serde_json::from_str(text).unwrap();
    plan.as_object_mut().unwrap().remove("cluster");
    plan["model"]["source"].take();
    plan["guards"].as_array_mut().unwrap().retain(|guard| !ASKED.contains(&guard["id"].as_str().unwrap()));
    plan
}

/// Returns the worlds of the test, each with a repair.
fn worlds() -> Vec<(Vec<Value>, Vec<&'static str>)> {
    let lost = || {
        let [mut volume, mut claim] = bound("db", "data", "disk");
        volume["spec"]["claimRef"].as_object_mut().unwrap().remove("uid");
        volume["status"]["phase"] = "Available".into();
        claim["status"]["phase"] = "Lost".into();
        vec![volume, claim]
    };
    let half = || {
        let mut volume = released("disk", "Delete");
        volume["spec"]["claimRef"].as_object_mut().unwrap().remove("uid");
        volume["metadata"]["annotations"] = json!({"pv.kubernetes.io/bound-by-controller": "yes"});
        volume["status"]["phase"] = "Available".into();
        vec![volume]
    };
    let leaving = || {
        let mut claim = waiting("late");
        claim["metadata"]["finalizers"] = json!(["example.com/backup", "kubernetes.io/pvc-protection"]);
        claim["metadata"]["deletionTimestamp"] = "2026-06-02T00:00:00Z".into();
        vec![claim]
    };
    let two = || {
        let mut copy = released("copy", "Retain");
        copy["spec"].as_object_mut().unwrap().remove("claimRef");
        copy["status"]["phase"] = "Available".into();
        [bound("db", "data", "disk").to_vec(), vec![copy]].concat()
    };
    let held = || bound("db", "data", "disk").to_vec();
    vec![
        (held(), vec!["retain", "pv/disk"]),
        (held(), vec!["retain", "pvc/data", "-n", "db"]),
        (vec![released("disk", "Delete")], vec!["release", "pv/disk"]),
        (vec![released("disk", "Retain")], vec!["release", "pv/disk", "--reserve-for", "web/other"]),
        (vec![released("disk", "Retain")], vec!["release", "pv/disk", "--to-anyone"]),
        (vec![released("disk", "Retain")], vec!["reclaim", "pv/disk", "--delete"]),
        (half(), vec!["unbind", "pv/disk"]),
        (lost(), vec!["restore", "pvc/data", "-n", "db"]),
        (vec![waiting("late")], vec!["recreate", "pvc/late", "-n", "db", "--set", "size=2Gi", "--provisioner-stopped"]),
        (two(), vec!["rebind", "pvc/data", "-n", "db", "--to", "pv/copy"]),
        (held(), vec!["move", "pvc/data", "-n", "db", "--to-namespace", "web"]),
        (held(), vec!["rename", "pvc/data", "other", "-n", "db"]),
        (leaving(), vec!["unfinalize", "pvc/late", "example.com/backup", "-n", "db"]),
        (attached(), vec!["detach", "va/csi-5f1c"]),
        (attached(), vec!["detach", "va/csi-5f1c", "--machine-off", "node-gone"]),
        (served(), vec!["reconnect", "pv/disk"]),
        (vec![selected()], vec!["reschedule", "pvc/late", "-n", "db"]),
    ]
}

#[tokio::test]
async fn a_plan_from_files_is_the_plan_of_that_world() {
    let mut plans = 0;
    let kinds = Kind::listed().map(Kind::resource).collect::<Vec<_>>().join(",");
    let complete = format!("--assume-complete={kinds}");
    for (objects, words) in worlds() {
        let fake = cluster(objects).await;
        let live = run(&fake, &[words.as_slice(), &["-o", "json"]].concat()).await;
        let listed = run(&fake, &["snapshot", "-A"]).await;
        assert_eq!(listed.code, Some(0), "{}", listed.stderr);
        for (input, more) in [(&listed.stdout, &["-o", "json"][..]), (&dump(&fake), &["-o", "json", &complete])] {
            let planned = on_files(input, &[words.as_slice(), more].concat());
            assert_eq!(planned.code, live.code, "{words:?}: {}{}", live.stderr, planned.stderr);
            if live.code == Some(0) && !live.stdout.is_empty() {
                plans += 1;
                let (live, planned) = (without_cluster(&live.stdout), without_cluster(&planned.stdout));
                assert_eq!(live["steps"], planned["steps"], "{words:?}");
                assert_eq!(live["guards"], planned["guards"], "{words:?}");
                assert_eq!(live["notes"], planned["notes"], "{words:?}");
                assert_eq!(live["world"], planned["world"], "{words:?}");
            } else {
                assert_eq!(live.stderr, planned.stderr, "{words:?}");
            }
        }
        assert!(fake.writes().is_empty(), "{words:?}");
    }
    assert!(plans >= 20, "only {plans} plans were compared");
}

#[tokio::test]
async fn a_plan_from_files_is_applied_on_the_cluster() {
    let fake = cluster([released("data", "Delete")]).await;
    let listed = run(&fake, &["snapshot", "-A"]).await;
    let planned = on_files(&listed.stdout, &["release", "pv/data", "-o", "yaml"]);
    assert_eq!((planned.code, planned.stderr.as_str()), (Some(0), ""), "{}", planned.stdout);
    let state = tempfile::tempdir().unwrap();
    let applied = with(&fake, state.path(), &planned.stdout, &["apply", "-", "--yes"]).await;
    assert_eq!(applied.code, Some(0), "{}{}", applied.stdout, applied.stderr);
    assert!(!fake.writes().is_empty());
    // If the cluster has changed since then, nothing is written.
    let mut other = released("data", "Delete");
    other["metadata"]["uid"] = "uid-of-another".into();
    let changed = cluster([other]).await;
    let refused = with(&changed, state.path(), &planned.stdout, &["apply", "-", "--yes"]).await;
    assert_eq!(refused.code, Some(4), "{}{}", refused.stdout, refused.stderr);
    assert!(changed.writes().is_empty());
}

#[test]
fn the_text_says_that_nothing_was_applied_and_how_it_is() {
    let items = [around(), vec![released("data", "Delete")]].concat();
    let input = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    for more in [&[][..], &["--dry-run"]] {
        let shown = on_files(&input, &[&["release", "pv/data", "--assume-complete"], more].concat());
        assert_eq!(shown.code, Some(0), "{}", shown.stderr);
        assert!(shown.stdout.starts_with("Goal: ") && shown.stdout.contains("\nSteps\n  1. "), "{}", shown.stdout);
        assert!(shown.stderr.contains("nothing was written"), "{}", shown.stderr);
        assert!(shown.stderr.contains("kubectl pvctl apply plan.yaml"), "{}", shown.stderr);
    }
}

#[test]
fn a_refusal_because_of_missing_objects_says_how_to_add_them() {
    let input = json!({"apiVersion": "v1", "kind": "List", "items": [released("data", "Delete")]}).to_string();
    let unknown = on_files(&input, &["release", "pv/data", "-o", "yaml"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(3), ""), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("hint: kubectl pvctl snapshot -A"), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("hint: --assume-complete"), "{}", unknown.stderr);
}

#[tokio::test]
async fn flags_that_need_a_cluster_do_not_go_with_files() {
    let directory = tempfile::tempdir().unwrap();
    for (flags, said) in [
        (&["--yes"][..], "--yes cannot be combined with -f"),
        (&["--confirm", "data"], "--confirm cannot be combined with -f"),
        (&["--dry-run=server"], "--dry-run=server cannot be combined with -f"),
    ] {
        let run =
            Run::new(&[&["release", "pv/data", "-f", "no-such-file"], flags].concat()).current_dir(directory.path());
        let run = run.finish();
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{flags:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{flags:?}: {}", run.stderr);
    }
    let fake = cluster([released("data", "Delete")]).await;
    let late = refused(&fake, 2, &["release", "pv/data", "--now", "2027-01-01T00:00:00Z"]).await;
    assert!(late.stderr.contains("--now can only be used with -f"), "{}", late.stderr);
    assert!(fake.seen().is_empty(), "no request must be sent before the error");
}

/// Files are read several times. Standard input must give the same plan as the file, and so must the folder of the
/// file.
#[test]
fn files_and_standard_input_give_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let items = [around(), vec![released("data", "Delete")]].concat();
    let input = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    std::fs::write(directory.path().join("dump.json"), &input).unwrap();
    let words = ["release", "pv/data", "--assume-complete", "-o", "json"];
    let file = |path: &Path| Run::new(&[&words[..], &["-f", path.to_str().unwrap()]].concat()).finish().stdout;
    let plain = file(&directory.path().join("dump.json"));
    assert!(!plain.is_empty());
    assert_eq!(plain, on_files(&input, &words).stdout);
    assert_eq!(plain, file(directory.path()), "the folder must give the same plan as the file");
}

/// A plan of one step must be short enough to be read completely. People know the claim, so its name comes before the
/// name of the volume. A name that a provisioner made occurs only once. No id of a guard is shown.
#[cfg(unix)]
#[test]
fn a_plan_of_one_step_has_at_most_twelve_lines() {
    use crate::support::screen::{Screen, plain};
    const NAME: &str = "pvc-05da3193-4fa1-45f5-a5ae-fe755353f361";
    let of = |name: &str, policy: &str, phase: &str| {
        let mut volume = released(name, policy);
        volume["status"]["phase"] = phase.into();
        volume["spec"]["nodeAffinity"] = json!({"required": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}]}
        ]}});
        volume["spec"]["csi"]["volumeHandle"] = "vol-09e1b43fd91b9b6a2".into();
        volume["spec"]["claimRef"]["uid"] = "08b8d0a0-711c-418a-9daa-f919682204bb".into();
        volume
    };
    // A volume is offered to anyone only if it is known that it is not attached to any node.
    let kinds = Kind::listed().map(Kind::resource).collect::<Vec<_>>().join(",");
    let complete = format!("--assume-complete={kinds}");
    for name in ["disk", NAME] {
        let volume = format!("pv/{name}");
        for (object, words) in [
            (of(name, "Delete", "Released"), &["retain", &volume][..]),
            (of(name, "Retain", "Released"), &["release", &volume]),
            (of(name, "Retain", "Released"), &["release", &volume, "--reserve-for", "web/other"]),
            (of(name, "Retain", "Released"), &["release", &volume, "--to-anyone"]),
            (of(name, "Retain", "Available"), &["unbind", &volume]),
            (of(name, "Retain", "Available"), &["unbind", &volume, "--to-anyone"]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let dump = folder.path().join("dump.json");
            // The namespace is unknown. So the plan also says why a person has to decide.
            let items = json!({"apiVersion": "v1", "kind": "List", "items": [object]});
            std::fs::write(&dump, items.to_string()).unwrap();
            let all = if words.contains(&"--to-anyone") { complete.as_str() } else { "--assume-complete" };
            let from = ["--dry-run", all, "-f", dump.to_str().unwrap(), "--color", "never"];
            let screen = Screen::start(80, &[], &[words, &from[..]].concat());
            let (code, shown) = screen.end();
            assert_eq!(code, Some(0), "{words:?}: {shown}");
            let begins = shown.find("Goal: ").unwrap();
            let page = &shown[begins..shown.find("note: nothing was written").unwrap()];
            let lines: Vec<&str> = page.lines().filter(|line| !line.trim().is_empty()).collect();
            assert!(page.lines().count() <= 12, "{words:?}, {} lines:\n{page}", page.lines().count());
            assert!(lines.iter().all(|line| line.trim_end().chars().count() <= 80), "{words:?}:\n{page}");
            let said = plain(page.as_bytes());
            assert!(said.contains(&format!("pvc db/data, volume {name}, 1Gi on csi")), "{words:?}:\n{page}");
            assert!(name != NAME || said.matches(NAME).count() == 1, "{words:?}:\n{page}");
            assert!(!said.contains("08b8d0a0"), "{words:?}:\n{page}");
            for id in ["detached", "controller", "rights", "admission", "operations", "unused", "held"] {
                assert!(!said.contains(&format!("({id})")), "{words:?}: {id}:\n{page}");
            }
        }
    }
}
