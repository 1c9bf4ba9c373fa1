//! Races that a repair may lose, on a real control plane. A StatefulSet creates a claim again in the middle of a plan.
//! A ResourceQuota is used up. A claim is restored from a copy of etcd with its former uid. A journal was edited by
//! hand. A plan file requests something else than it shows.
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the test waits for controllers, writes files, and fails by panicking"
)]

use super::actors::{provisioner, version};
use super::faults::so_many_abreast;
use super::harm::Judge;
use crate::live::site::{PV, PVC, Place, Site, text};
use http::Method;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// How many cases run at the same time. They spend most of that time waiting.
const ABREAST: usize = 6;

fn started() -> Site {
    let site = Site::start();
    site.runtime.spawn(provisioner(site.api.clone()));
    site
}

/// Asserts that a volume was not lost since this resource version, and could not have been lost.
#[track_caller]
fn keeps(place: &Place<'_>, volume: &str, began: u64, meant: &[(&str, &str)]) {
    let meant = meant.iter().map(|(namespace, name)| (namespace.replace('N', &place.name), (*name).to_owned()));
    let judge = Judge { began, meant: meant.collect(), ..Judge::default() };
    assert_eq!(judge.losses(&place.site.history(&place.of(volume))), Vec::<String>::new());
}

fn began(place: &Place<'_>, volume: &str) -> u64 {
    version(&place.site.get(PV, "", &place.of(volume)).unwrap())
}

/// Waits until the policy of a volume is Retain, which shows that the plan has begun.
fn under_way(place: &Place<'_>, volume: &str) {
    let name = place.of(volume);
    Site::until("the volume is kept", || {
        let volume = place.site.get(PV, "", &name);
        volume.is_some_and(|volume| text(&volume, "/spec/persistentVolumeReclaimPolicy") == "Retain")
    });
}

fn post(place: &Place<'_>, path: &str, object: &Value) {
    let sent = place.site.runtime.block_on(place.site.api.send(Method::POST, path, Some(object)));
    sent.unwrap();
}

/// A StatefulSet is scaled up after the plan has begun. Its controller creates the claim again, and a pod that waits
/// for the claim.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_stateful_set_makes_its_claim_anew_in_the_middle_of_a_plan() {
    let mut site = started();
    site.stop_controllers();
    site.plane.start_controllers_and("statefulset-controller");
    so_many_abreast(ABREAST, (0..3).collect(), |number: usize| {
        let place = Place::new(&site, &format!("s{number}"));
        place.namespace(&format!("{}-to", place.name));
        place.bound("data-db-0", "a", "Delete");
        let began = began(&place, "a");
        let words: &[&str] = match number {
            0 => &["move", "pvc/data-db-0", "--to-namespace", "s0-to"],
            1 => &["rename", "pvc/data-db-0", "archive"],
            _ => &["move", "pvc/data-db-0", "--to-namespace", "s2-to", "--restore-policy"],
        };
        let running = place.apart_for(words, "15s");
        under_way(&place, "a");
        let mut template = place.manifest("", "data");
        template["metadata"] = json!({"name": "data"});
        post(
            &place,
            &format!("/apis/apps/v1/namespaces/{}/statefulsets", place.name),
            &json!({
                "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
                "spec": {
                    "replicas": 1, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
                    "template": {
                        "metadata": {"labels": {"app": "db"}},
                        "spec": {"containers": [{
                            "name": "c", "image": "none", "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                        }]},
                    },
                    "volumeClaimTemplates": [template],
                },
            }),
        );
        let ended = running.join().unwrap();
        let said = format!("{}{}", ended.stdout, ended.stderr);
        let meant = [("N", "data-db-0"), ("N-to", "data-db-0"), ("N", "archive")];
        keeps(&place, "a", began, &meant);
        let goal = if number == 1 { "of s1/archive".to_owned() } else { format!("of {}-to/data-db-0", place.name) };
        match ended.code {
            Some(0 | 1) => assert!(site.pv(&place.of("a")).ends_with(&goal), "{:?}\n{said}", place.all()),
            // The StatefulSet was faster than the deletion, or the new claim has already got the volume. The test then
            // continues the repair, or undoes it if it cannot be continued.
            Some(4..=6) => {
                let on = place.run(&["apply", "--continue", "--yes", "--timeout", "20s"]);
                let back = (on.code != Some(0)).then(|| place.run(&["undo", "--yes", "--timeout", "20s"]));
                keeps(&place, "a", began, &meant);
                let told = back.map(|back| back.stdout + &back.stderr);
                assert!(!site.pv(&place.of("a")).contains("Delete, of the former"), "{told:?}");
            }
            code => panic!("the program must not end with {code:?}: {said}"),
        }
    });
}

/// The quota of the target namespace is used up between the review and the creation of the claim. The plan stops, and
/// nothing is lost. Then the plan is undone, or it is continued after there is room again.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_quota_fills_up_in_the_middle_of_a_plan() {
    let site = started();
    for (name, back) in [("q0", false), ("q1", true)] {
        let place = Place::new(&site, name);
        let to = format!("{name}-to");
        place.namespace(&to);
        let path = format!("/api/v1/namespaces/{to}/resourcequotas");
        let mut quota = json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few", "namespace": to},
            "spec": {"hard": {"persistentvolumeclaims": "1"}},
        });
        // The test sets the status, because the quota controller does not run.
        let set_used = |quota: &mut Value, used: &str| {
            let at = format!("{path}/few");
            *quota = site.runtime.block_on(site.api.get(&at)).unwrap();
            quota["status"] = json!({"hard": quota["spec"]["hard"], "used": {"persistentvolumeclaims": used}});
            let status = format!("{at}/status");
            site.runtime.block_on(site.api.send(Method::PUT, &status, Some(quota))).unwrap();
        };
        post(&place, &path, &quota);
        set_used(&mut quota, "0");
        place.bound("data", "a", "Delete");
        let began = began(&place, "a");
        let running = place.apart(&["move", "pvc/data", "--to-namespace", &to]);
        under_way(&place, "a");
        set_used(&mut quota, "1");
        let ended = running.join().unwrap();
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.code, Some(5), "{said}");
        assert!(said.contains("exceeded quota"), "{said}");
        let meant = [("N", "data"), ("N-to", "data")];
        keeps(&place, "a", began, &meant);
        if back {
            place.repair(&["undo"], 0);
            place.volume_is("a", &format!("Bound, Delete, of {name}/data"));
        } else {
            set_used(&mut quota, "0");
            place.repair(&["apply", "--continue"], 0);
            place.volume_is("a", &format!("Bound, Retain, of {to}/data"));
        }
        keeps(&place, "a", began, &meant);
    }
}

/// A claim is restored with its former uid, as by a partial restore of a copy of etcd.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_claim_comes_back_with_the_uid_that_it_had() {
    let site = started();
    so_many_abreast(ABREAST, (0..6).collect(), |number: u64| {
        let place = Place::new(&site, &format!("u{number}"));
        place.namespace(&format!("{}-to", place.name));
        place.bound("data", "a", "Delete");
        let began = began(&place, "a");
        let copy = site.get(PVC, &place.name, "data").unwrap();
        let to = format!("{}-to", place.name);
        let running = place.apart_for(&["move", "pvc/data", "--to-namespace", &to], "10s");
        Site::until("the claim is gone", || site.get(PVC, &place.name, "data").is_none());
        std::thread::sleep(std::time::Duration::from_millis(number * 150));
        site.write_back(PVC, &place.name, "data", &copy);
        let ended = running.join().unwrap();
        let said = format!("{}{}", ended.stdout, ended.stderr);
        let meant = [("N", "data"), ("N-to", "data")];
        keeps(&place, "a", began, &meant);
        match ended.code {
            Some(0) => place.volume_is("a", &format!("Bound, Retain, of {to}/data")),
            Some(1 | 4 | 5) => {
                let on = place.run(&["apply", "--continue", "--yes", "--timeout", "10s"]);
                if on.code != Some(0) {
                    let back = place.run(&["undo", "--yes", "--timeout", "10s"]);
                    assert!(back.code.is_some_and(|code| code <= 6), "{said}\n{}\n{}", on.stderr, back.stderr);
                }
                keeps(&place, "a", began, &meant);
            }
            code => panic!("the program must not end with {code:?}: {said}"),
        }
    });
}

/// Runs a move that stops after its claim was marked for deletion, and returns the file of its journal.
fn stopped(place: &Place<'_>) -> PathBuf {
    let ended =
        place.run(&["move", "pvc/data", "--to-namespace", &format!("{}-to", place.name), "--yes", "--timeout", "2s"]);
    assert_eq!(ended.code, Some(5), "{}", ended.stderr);
    let all: Vec<PathBuf> = fs::read_dir(place.journals_at())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    assert_eq!(all.len(), 1, "{all:?}");
    all.into_iter().next().unwrap()
}

/// A change of a journal by hand: its name, and the function that makes it.
type Edit = (&'static str, fn(&str, &str) -> String);

const EDITS: [Edit; 8] = [
    ("another volume", |text, place| text.replace(&format!("{place}-a"), &format!("{place}-b"))),
    ("another target", |text, place| text.replace(&format!("{place}-to"), &format!("{place}-x"))),
    ("policy Delete", |text, _| text.replace("\"Retain\"", "\"Delete\"")),
    ("without the last line", |text, _| {
        let lines: Vec<&str> = text.lines().collect();
        lines[..lines.len() - 1].join("\n") + "\n"
    }),
    ("the last line twice", |text, _| format!("{text}{}\n", text.lines().last().unwrap_or_default())),
    ("without what was saved", |text, _| {
        let kept: Vec<&str> = text.lines().filter(|line| !line.contains("saved")).collect();
        kept.join("\n") + "\n"
    }),
    ("the lines in another order", |text, _| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[1..].reverse();
        lines.join("\n") + "\n"
    }),
    ("half of it", |text, _| text[..text.len() / 2].to_owned()),
];

/// A person may change anything in a journal. Continuing or undoing it must not lose anything, and must not write to
/// other objects.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_journal_that_was_edited_by_hand_does_no_harm() {
    let mut site = started();
    let places: Vec<(String, tempfile::TempDir)> = so_many_abreast(ABREAST, (0..EDITS.len()).collect(), |number| {
        let place = Place::new(&site, &format!("j{number}"));
        place.namespace(&format!("{}-to", place.name));
        place.namespace(&format!("{}-x", place.name));
        place.left("copy", "b", "Retain");
        place.bound("data", "a", "Delete");
        (place.name.clone(), place.keep())
    });
    site.stop_controllers();
    let places = places.into_iter().zip(EDITS).collect();
    let places = so_many_abreast(ABREAST, places, |((name, journals), (what, edit))| {
        let place = Place::kept(&site, &name, journals);
        let versions = (began(&place, "a"), began(&place, "b"));
        let file = stopped(&place);
        let journal = fs::read_to_string(&file).unwrap();
        let edited = edit(&journal, &name);
        assert_ne!(edited, journal, "the edit must change the journal: {journal}");
        fs::write(&file, edited).unwrap();
        (name, place.keep(), versions, what)
    });
    site.start_controllers();
    so_many_abreast(ABREAST, places, |(name, journals, (a, b), what)| {
        let place = Place::kept(&site, &name, journals);
        for words in [["apply", "--continue"].as_slice(), &["undo"]] {
            let ended = place.run(&[words, &["--yes", "--timeout", "10s"]].concat());
            let said = format!("{what}: {words:?}: {}{}", ended.stdout, ended.stderr);
            assert!(ended.code.is_some_and(|code| code <= 6), "{:?} {said}", ended.code);
            assert!(!said.contains("panicked"), "{said}");
            // A journal that names another target everywhere is the journal of another move. The owner of the file may
            // make such a change.
            let to = if what == "another target" { "N-x" } else { "N-to" };
            keeps(&place, "a", a, &[("N", "data"), (to, "data")]);
            assert_eq!(began(&place, "b"), b, "{said}: the other volume must not be written to");
            let elsewhere = site.get(PVC, &format!("{name}-x"), "data");
            assert!(to == "N-x" || elsewhere.is_none(), "{said}: no claim may be created in another namespace");
        }
    });
}

/// A changed plan file is carried out only if it is still the plan of its request.
#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn a_plan_file_that_was_tampered_with_writes_nothing() {
    let site = started();
    let place = Place::new(&site, "t0");
    place.namespace("t0-to");
    place.namespace("t0-x");
    place.left("copy", "b", "Retain");
    place.bound("data", "a", "Delete");
    let shown = place.run(&["move", "pvc/data", "--to-namespace", "t0-to", "-o", "json"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let whole: Value = serde_json::from_str(&shown.stdout).unwrap();
    let change = |what: &str, edit: &dyn Fn(&mut Value)| {
        let mut plan = whole.clone();
        edit(&mut plan);
        assert_ne!(plan, whole, "the edit {what} must change the plan: {whole:#}");
        (what.to_owned(), plan.to_string())
    };
    let text_of = |what: &str, from: &str, to: &str| {
        let edited = shown.stdout.replace(from, to);
        assert_ne!(edited, shown.stdout, "the edit {what} must change the file");
        (what.to_owned(), edited)
    };
    let uid = text(&site.get(PV, "", "t0-a").unwrap(), "/metadata/uid").to_owned();
    let steps = |plan: &mut Value, edit: &dyn Fn(&mut Vec<Value>)| {
        if let Some(steps) = plan["steps"].as_array_mut() {
            edit(steps);
        }
    };
    let files = [
        text_of("another volume", "t0-a", "t0-b"),
        text_of("another target", "t0-to", "t0-x"),
        text_of("policy Delete", "\"Retain\"", "\"Delete\""),
        text_of("another uid", &uid, "00000000-0000-4000-8000-000000000000"),
        change("another target in the request alone", &|plan| {
            let request = plan["request"].to_string().replace("t0-to", "t0-x");
            plan["request"] = serde_json::from_str(&request).unwrap();
        }),
        change("without the first step", &|plan| steps(plan, &|steps| _ = steps.remove(0))),
        change("without the last step", &|plan| steps(plan, &|steps| _ = steps.pop())),
        change("the steps in another order", &|plan| steps(plan, &|steps| steps.swap(0, 1))),
        change("a step twice", &|plan| steps(plan, &|steps| steps.push(steps[0].clone()))),
        change("another request", &|plan| {
            let others = place.run(&["rename", "pvc/data", "archive", "-o", "json"]);
            plan["request"] = serde_json::from_str::<Value>(&others.stdout).unwrap()["request"].clone();
        }),
    ];
    let before = place.rest();
    let folder = tempfile::tempdir().unwrap();
    for (what, plan) in &files {
        let file = folder.path().join("plan.json");
        fs::write(&file, plan).unwrap();
        let ended = place.run(&["apply", &file.to_string_lossy(), "--yes", "--timeout", "20s"]);
        let said = format!("{what}: {}{}", ended.stdout, ended.stderr);
        assert!(matches!(ended.code, Some(2 | 3 | 4 | 6)), "{:?} {said}", ended.code);
    }
    assert_eq!(place.rest(), before, "nothing must be written");
    assert_eq!(place.journals(), 0);
}
