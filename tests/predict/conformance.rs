//! Replays the recorded answers of the real controllers. `tests/conformance/README.md` describes how they were
//! recorded.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what cannot be read fails the test")]

use crate::support::{Run, root};
use pvctl::controllers::KubeVersion;
use serde_json::{Value, json};
use std::path::PathBuf;
use xtask::corpus;
use xtask::judge::judge;

fn recorded(wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let files = corpus::files(&root().join("tests/conformance")).unwrap();
    files.into_iter().filter(|path| wanted(&path.file_name().unwrap().to_string_lossy())).collect()
}

/// Checks every recorded decision, search, end and answer on partial input, and compares the numbers of comparisons
/// with `numbers.txt`. `UPDATE=1` writes these numbers again. Find out why a number has changed before you commit it.
#[test]
fn what_is_recorded_is_predicted() -> anyhow::Result<()> {
    xtask::recorded::check(root())
}

/// Changes the recorded answer of one line after another, until the judge reports a difference in this part. The judge
/// must notice every change.
fn is_seen(path: &str, part: &str, change: impl Fn(&mut Value) -> bool) {
    let file = recorded(|name| name.starts_with(path)).remove(0);
    let rules = corpus::behavior_of(&file).unwrap();
    let mut changed = 0;
    for line in corpus::lines(&file).unwrap() {
        let line = line.unwrap();
        let mut answers = serde_json::to_value(&line).unwrap();
        if !change(&mut answers) || judge(&line, &rules).unwrap().counts.refused > 0 {
            continue;
        }
        changed += 1;
        let found = judge(&serde_json::from_value(answers).unwrap(), &rules).unwrap().differences;
        assert!(!found.is_empty(), "{}: the judge did not notice the change of {part}", line.id);
        if found.iter().any(|difference| is_the_part(&difference.part, part)) {
            return;
        }
    }
    panic!("{changed} lines of {path} were changed, but the judge reported no difference in {part}");
}

/// Returns whether the part has the wanted name. If `wanted` begins with a bracket, it is compared with the end of the
/// name. If `wanted` ends with `each`, it is compared with the beginning of the name.
fn is_the_part(part: &str, wanted: &str) -> bool {
    part == wanted
        || (wanted.starts_with(']') && part.ends_with(wanted))
        || (wanted.ends_with(" each") && part.starts_with(wanted))
}

/// Returns a change that replaces the value at this JSON pointer.
fn set(pointer: &str, value: Value) -> impl Fn(&mut Value) -> bool {
    move |answers| match answers.pointer_mut(pointer) {
        Some(place) if *place != value => {
            *place = value.clone();
            true
        }
        _ => false,
    }
}

/// The judge must notice each kind of difference.
#[test]
fn a_wrong_answer_is_a_difference() {
    let decisions = "decisions-1.36";
    let volume = json!({"spec": {"volumeName": "other"}});
    is_seen(decisions, "decisions[0]", set("/decisions/0/decisions/0/writes/0/patch", volume));
    is_seen(decisions, "decisions[0]", set("/decisions/0/decisions/0/writes/0/seq", json!(2)));
    is_seen(decisions, "decisions[0]", set("/decisions/0/decisions/0/writes/0/name", json!("other")));
    is_seen(decisions, "decisions[1]", set("/decisions/1/decisions/0/events/0/message", json!("something else")));
    is_seen(decisions, "decisions[1]", set("/decisions/1/decisions/0/operations/0/state", json!("backoff")));
    let finalizers = json!({"metadata": {"finalizers": ["a"]}});
    is_seen(decisions, "protections[0]", set("/protections/0/decisions/0/writes/0/patch", finalizers));
    is_seen("outcomes-1.36", "settle", set("/settle/objects/0/ends/0/phase", json!("Lost in time")));
    let pods = "pods-1.36";
    is_seen(pods, "pods", |answers| {
        let objects = answers["settle"]["objects"].as_array_mut().into_iter().flatten();
        let ends = objects.filter_map(|object| object.pointer_mut("/ends/0/node"));
        ends.map(|node| *node = json!("other")).count() > 0
    });
    is_seen(pods, "pods", set("/settle/objects/0/ends/0/phase", json!("Lost in time")));
    let scheduling = "scheduling-1.36";
    is_seen(scheduling, "scheduling: pods", set("/scheduling", json!([])));
    is_seen(scheduling, "scheduling: gate", set("/scheduling/0/gate/reasons/0", json!("something else")));
    is_seen(scheduling, "scheduling: skip", set("/scheduling/0/skip", json!("skipped")));
    is_seen(scheduling, "scheduling: preFilter", set("/scheduling/0/preFilter/plugin", json!("other")));
    is_seen(scheduling, "scheduling: nodes", set("/scheduling/0/nodes/0/node", json!("other")));
    is_seen(scheduling, "scheduling: verdicts[n1]", set("/scheduling/0/nodes/0/verdicts/0/code", json!("other")));
    is_seen(
        scheduling,
        "scheduling: verdicts[n1]",
        set("/scheduling/0/nodes/0/verdicts/0/bindings/0/volume", json!("other")),
    );
    is_seen(scheduling, "scheduling: reason", set("/scheduling/0/reason", json!("other")));
    is_seen(scheduling, "scheduling: messages", set("/scheduling/0/messages", json!(["0/9 nodes are available:"])));
}

/// The judge must notice each kind of difference in the answers of the external provisioner.
#[test]
fn a_wrong_answer_of_the_provisioner_is_a_difference() {
    let recording = "provisioning-6.4";
    is_seen(recording, "provisioning: claims", set("/provisioning/claims", json!([])));
    is_seen(recording, "provisioning: volumes", set("/provisioning/volumes", json!([])));
    is_seen(recording, "provisioning: released", set("/provisioning/released", json!([])));
    let first = |answer: &'static str, field: &'static str, value: Value| {
        move |line: &mut Value| {
            let answers = line["provisioning"][answer].as_array_mut().into_iter().flatten();
            let place = answers.filter_map(|each| each.pointer_mut(field)).find(|place| **place != value);
            place.map(|place| *place = value.clone()).is_some()
        }
    };
    is_seen(recording, "provisioning: should", first("claims", "/should", json!(false)));
    is_seen(recording, "provisioning: state", first("claims", "/state", json!("Gone")));
    is_seen(recording, "provisioning: error", first("claims", "/error", json!("other")));
    is_seen(recording, "provisioning: retry", first("claims", "/retry", json!("other")));
    is_seen(recording, "provisioning: effects", first("claims", "/effects/0/event/message", json!("other")));
    for changed in ["/effects/1/createVolume/topology/preferred/0", "/effects/1/createVolume/name"] {
        is_seen(recording, "provisioning: effects", first("claims", changed, json!("other")));
    }
    is_seen(recording, "provisioning: responsible", first("volumes", "/responsible", json!(false)));
    is_seen(recording, "provisioning: effects", first("volumes", "/effects/0/deleteVolume/volume", json!("other")));
    is_seen(recording, "provisioning: clone", first("clones", "/effects/0/write/verb", json!("other")));
    is_seen(recording, "provisioning: clone retries", first("clones", "/retries/0", json!("other")));
}

/// The judge must notice each kind of difference in a run of the attach/detach controller.
#[test]
fn a_wrong_answer_of_the_attach_detach_controller_is_a_difference() {
    let first = |field: &'static str, value: Value| {
        move |line: &mut Value| {
            let log = line["attaching"]["log"].as_array_mut().into_iter().flatten();
            let place = log.filter_map(|entry| entry.pointer_mut(field)).find(|place| **place != value);
            place.map(|place| *place = value.clone()).is_some()
        }
    };
    for (field, value) in [
        ("/operation/node", json!("other")),
        ("/operation/forced", json!("timeout")),
        ("/read/name", json!("other")),
        ("/write/name", json!("other")),
        ("/write/object/spec/attacher", json!("other")),
        ("/write/patch/status/volumesAttached", json!([{"name": "other"}])),
        ("/write/refused", json!("other")),
        ("/event/message", json!("other")),
        ("/event/about/name", json!("other")),
    ] {
        is_seen("attaching-1.36", "attaching", first(field, value));
    }
    is_seen("attaching-1.36", "attaching", |line| {
        let log = line["attaching"]["log"].as_array_mut();
        let place = log.as_ref().and_then(|log| log.iter().position(|entry| entry.get("event").is_some()));
        log.zip(place).map(|(log, place)| log.remove(place)).is_some()
    });
}

/// The judge must notice an entry of a log that is not known, and one at another leaf.
#[test]
fn a_wrong_entry_of_a_log_is_a_difference() {
    for (recording, field, entry) in [
        ("attaching-logs-1.36", "attaching", "I0101 00:00:00.000000       1 reconciler.go:1] \"something else\""),
        (
            "attaching-logs-1.36",
            "attaching",
            "E0101 00:00:00.000000       1 desired_state_of_world_populator.go:1] \"PodLister List failed\"",
        ),
        (
            "attaching-logs-1.36",
            "attaching",
            "E0101 00:00:00.000000       1 reconciler.go:1] \"attacherDetacher.AttachVolume started\"",
        ),
        ("managing-logs-1.36", "managing", "I0101 00:00:00.000000       1 reconciler.go:1] \"something else\""),
        (
            "managing-logs-1.36",
            "managing",
            "I0101 00:00:00.000000       1 reconstruct.go:1] \"Orphan volume cleanup finished\"",
        ),
    ] {
        is_seen(recording, &format!("{field}: log"), |line| {
            let mut log = line[field]["log"].as_array_mut().into_iter().flatten();
            let place = log.find_map(|entry| entry.get_mut("logged"));
            place.map(|place| *place = json!(entry)).is_some()
        });
    }
}

/// The judge must notice an end that is not among the predicted ones.
#[test]
fn a_wrong_end_of_attaching_is_a_difference() {
    is_seen("attaching-ends-1.36", "attachment ends", |line| {
        let mut log = line["attaching"]["log"].as_array_mut().into_iter().flatten().rev();
        let is_attached = |entry: &&mut Value| entry.pointer("/put/status/attached") == Some(&json!(true));
        let last = log.find(|entry| entry.pointer("/put/kind") == Some(&json!("VolumeAttachment")));
        let place = last.filter(is_attached).and_then(|entry| entry.pointer_mut("/put/spec/nodeName"));
        place.map(|place| *place = json!("other")).is_some()
    });
}

/// The judge must notice an end that no run reaches, and an end that is not predicted.
#[test]
fn a_set_of_ends_of_attaching_that_is_not_exact_is_a_difference() {
    let recording = "attaching-every-end-1.36";
    let ends = |line: &mut Value| line["attaching"]["ends"].as_array_mut().filter(|ends| ends.len() > 1).cloned();
    is_seen(recording, "attachment ends", |line| {
        let Some(all) = ends(line) else { return false };
        line["attaching"]["ends"] = json!([all[0]]);
        true
    });
    is_seen(recording, "attachment ends", |line| {
        let Some(mut all) = ends(line) else { return false };
        let status = |item: &mut Value| item.pointer_mut("/status/attached").map(|attached| *attached = json!(false));
        let is_changed = all.iter_mut().filter_map(|end| end.as_array_mut()).flatten().filter_map(status).count() > 0;
        line["attaching"]["ends"] = json!(all);
        is_changed
    });
}

/// The judge must notice each kind of difference in the answers of the external attacher.
#[test]
fn a_wrong_answer_of_the_attacher_is_a_difference() {
    let recording = "attacher-4.13";
    is_seen(recording, "attacher: attachments", set("/attacher/attachments", json!([])));
    is_seen(recording, "attacher: volumes", set("/attacher/volumes", json!([])));
    is_seen(recording, "attacher: reconciled", set("/attacher/reconciled/queued", json!(["other"])));
    is_seen(recording, "attacher: reconciled", set("/attacher/reconciled/error", json!("other")));
    let first = |answer: &'static str, field: &'static str, value: Value| {
        move |line: &mut Value| {
            let answers = line["attacher"][answer].as_array_mut().into_iter().flatten();
            let place = answers.filter_map(|each| each.pointer_mut(field)).find(|place| **place != value);
            place.map(|place| *place = value.clone()).is_some()
        }
    };
    for (field, value) in [
        ("/effects/0/publish/node", json!("other")),
        ("/effects/0/publish/mode", json!("other")),
        ("/effects/0/publish/attributes", json!({"other": "1"})),
        ("/effects/0/unpublish/volume", json!("other")),
        ("/effects/1/at", json!(1)),
        ("/effects/0/patch/body/status/attachError/message", json!("other")),
        ("/effects/0/patch/body/status/attachError/time", json!("2000-01-01T00:00:00Z")),
        ("/effects/1/patch/body/status/attachError/errorCode", json!(0)),
        ("/effects/1/patch/body/metadata/finalizers", json!(["other"])),
        ("/effects/1/patch/refused", json!("other")),
    ] {
        is_seen(recording, "attacher: effects", first("attachments", field, value));
    }
    is_seen(recording, "attacher: error", first("attachments", "/error", json!("other")));
    is_seen(recording, "attacher: queue", first("attachments", "/retry", json!(1)));
    is_seen(recording, "attacher: queue", first("volumes", "/forgotten", json!(false)));
    is_seen(recording, "attacher: queued", first("volumes", "/queued", json!(false)));
    is_seen(recording, "attacher: finalizer", first("volumes", "/effects/0/patch/body/0/value", json!("other")));
}

/// The judge must notice each kind of difference in the answers of the external resizer.
#[test]
fn a_wrong_answer_of_the_resizer_is_a_difference() {
    let recording = "resizer-2.3";
    is_seen(recording, "resizer: resizes", set("/resizer/resizes", json!([])));
    is_seen(recording, "resizer: modifies", set("/resizer/modifies", json!([])));
    let first = |answer: &'static str, field: &'static str, value: Value| {
        move |line: &mut Value| {
            let answers = line["resizer"][answer].as_array_mut().into_iter().flatten();
            let place = answers.filter_map(|each| each.pointer_mut(field)).find(|place| **place != value);
            place.map(|place| *place = value.clone()).is_some()
        }
    };
    for (answer, field, value) in [
        ("resizes", "/effects/0/patch/change/status/allocatedResources/storage", json!("7Gi")),
        ("resizes", "/effects/0/patch/change/status/conditions/0/type", json!("other")),
        ("resizes", "/effects/0/patch/version", json!("1")),
        ("resizes", "/effects/0/patch/refused", json!("other")),
        ("resizes", "/effects/0/patch/change/metadata/annotations", json!({"other": "1"})),
        ("resizes", "/effects/1/event/message", json!("other")),
        ("resizes", "/effects/2/expand/bytes", json!(1)),
        ("resizes", "/effects/2/expand/mode", json!("other")),
        ("resizes", "/effects/3/at", json!(1)),
        ("resizes", "/effects/3/patch/change/spec/capacity/storage", json!("7Gi")),
        ("modifies", "/effects/0/patch/change/status/modifyVolumeStatus/status", json!("other")),
        ("modifies", "/effects/0/event/type", json!("other")),
        ("modifies", "/effects/2/modify/parameters", json!({"other": "1"})),
        ("modifies", "/effects/3/patch/change/spec/volumeAttributesClassName", json!("other")),
    ] {
        is_seen(recording, "resizer: effects", first(answer, field, value));
    }
    for answer in ["resizes", "modifies"] {
        is_seen(recording, "resizer: error", first(answer, "/error", json!("other")));
        is_seen(recording, "resizer: queue", first(answer, "/retry", json!(1)));
        is_seen(recording, "resizer: queue", first(answer, "/forgotten", json!(false)));
        is_seen(recording, "resizer: memory", first(answer, "/memory", json!({"final": true, "slow": 1})));
    }
    is_seen(recording, "resizer: crash", first("resizes", "/crashed", json!(false)));
}

/// The judge must notice each kind of difference in the answers of the shared-volume controller.
#[test]
fn a_wrong_answer_of_the_shared_volume_controller_is_a_difference() {
    let recording = "shared-volume-1.2";
    let first = |answer: &'static str, field: &'static str, value: Value| {
        move |line: &mut Value| {
            let answers = line["share"]["answers"].as_array_mut().into_iter().flatten();
            let answers = answers.filter_map(|each| each.get_mut(answer)?.as_array_mut()).flatten();
            let place = answers.filter_map(|each| each.pointer_mut(field)).find(|place| **place != value);
            place.map(|place| *place = value.clone()).is_some()
        }
    };
    is_seen(recording, "share: events", first("events", "/passes", json!(false)));
    is_seen(recording, "share: events", first("events", "/type", json!("other")));
    for (field, value) in [
        ("/effects/0/create/object/metadata/labels", json!({"other": "1"})),
        ("/effects/0/create/object/metadata/ownerReferences/0/uid", json!("other")),
        ("/effects/0/create/object/spec/ports/0/targetPort", json!(1)),
        ("/effects/0/create/refused", json!("other")),
        ("/effects/1/at", json!(1)),
        ("/effects/1/event/message", json!("other")),
        ("/effects/2/create/object/subsets/0/addresses/0/ip", json!("10.1.1.1")),
        ("/effects/0/update/change/spec/ports/0/targetPort", json!(1)),
        ("/effects/0/update/change/subsets/0/ports/0/port", json!(1)),
        ("/effects/0/set/endpoint", json!("other")),
        ("/effects/0/set/refused", json!("other")),
    ] {
        is_seen(recording, "share: effects", first("syncs", field, value));
    }
    is_seen(recording, "share: stored", first("syncs", "/effects/0/create/stored/spec/clusterIP", json!("10.1.1.1")));
    is_seen(recording, "share: error", first("syncs", "/error", json!("other")));
    is_seen(recording, "share: log", first("syncs", "/log/0", json!("other")));
    is_seen(recording, "share: took", first("syncs", "/took", json!(1)));
    is_seen(recording, "share: observed", first("syncs", "/observed", json!(false)));
}

/// Folded decisions, candidates and joint outcomes are derived from the sets. The judge compares them with the same
/// recorded answers.
#[test]
fn the_judge_notices_a_wrong_answer_in_derived_answers_too() {
    let decisions = "decisions-1.36";
    is_seen(decisions, "]: folded", |answers| {
        let cases = answers["decisions"].as_array_mut().into_iter().flatten();
        let several = cases.filter_map(|case| case["decisions"].as_array_mut().filter(|set| set.len() > 1));
        several.map(Vec::pop).count() > 0
    });
    is_seen(decisions, "]: candidates", set("/decisions/0/decisions/0/writes/0/name", json!("other")));
    is_seen(decisions, "decisions without each", set("/decisions/0/decisions", json!([{"error": "none of this"}])));
    is_seen("match-1.36", "]: candidates", set("/matches/0/chosen", json!([""])));
    is_seen("match-1.36", "]: candidates", set("/matches/0/error", json!("it cannot be searched for")));
    is_seen("outcomes-1.36", "settle: changes", set("/settle/objects/0/ends/0/phase", json!("Lost in time")));
    is_seen("outcomes-1.36", "settle without each", set("/settle/objects/0/ends/0/phase", json!("Lost in time")));
    is_seen("outcomes-1.36", "settle with failures", set("/settle/objects/0/faultEnds", json!([{"phase": "Lost"}])));
    // Each of the ends was recorded, but not this combination.
    is_seen("outcomes-1.36", "settle: joint", |answers| {
        let Some(rows) = answers["settle"]["joint"].as_array_mut().filter(|rows| rows.len() == 2) else { return false };
        let differ = |place: &usize| rows[0][*place] != rows[1][*place];
        let places: Vec<usize> = (0..rows[0].as_array().map_or(0, Vec::len)).filter(differ).collect();
        let Some(place) = places.first().filter(|_| places.len() > 1) else { return false };
        let other = rows[1][*place].clone();
        rows[0][*place] = other;
        true
    });
}

/// `model.verified` is true for exactly the minor versions with recorded decisions, searches and ends.
#[test]
fn verified_versions_have_recordings() {
    let all = ["decisions-", "match-", "outcomes-all-", "handmade-"];
    let (mut verified, mut others) = (Vec::new(), 0);
    for minor in 14..50 {
        let version = format!("1.{minor}");
        let file = root().join("examples/contended.json");
        let run =
            Run::new(&["predict", "-f", &file.to_string_lossy(), "-o", "json", "--kube-version", &version]).finish();
        let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        let has = |kind: &str| !recorded(|name| name.starts_with(&format!("{kind}{version}."))).is_empty();
        assert_eq!(answer["model"]["verified"] == true, all.into_iter().all(has), "{version}: {}", run.stderr);
        if answer["model"]["verified"] == true {
            verified.push(version);
        } else {
            others += usize::from(run.code == Some(0));
        }
    }
    let releases: Vec<String> =
        KubeVersion::all().filter(|version| version.recorded().is_some()).map(|version| version.to_string()).collect();
    assert_eq!(verified, releases);
    assert!(others > 0, "there must be modelled versions that are not verified");
}

#[test]
fn all_recordings_together_stay_small() {
    let bytes: u64 = recorded(|_| true).iter().map(|path| path.metadata().unwrap().len()).sum();
    // Each modelled component needs some of it. The newest are the kubelet and the shared-volume controller.
    assert!(bytes < 15 << 19, "the recordings have {bytes} bytes, which is too much");
}

/// The judge must notice each kind of difference in the answers of the kubelet.
#[test]
fn a_wrong_answer_of_the_kubelet_is_a_difference() {
    let recording = "mounting-1.36";
    is_seen(recording, "mounting: pods", set("/mounting/pods", json!([])));
    is_seen(recording, "mounting: in use", set("/mounting/inUse", json!(["other"])));
    is_seen(recording, "mounting: end", set("/mounting/pods/0/error", json!("other")));
    is_seen(recording, "mounting: end", set("/mounting/pods/0/events", json!(["Warning FailedMount other"])));
}

/// The judge must notice each kind of difference in a run of the kubelet.
#[test]
fn a_wrong_run_of_the_kubelet_is_a_difference() {
    let recording = "managing-1.36";
    let first = |field: &'static str, wrong: Value| {
        move |line: &mut Value| {
            let mut log = line["managing"]["log"].as_array_mut().into_iter().flatten();
            let place = log.find_map(|entry| entry.pointer_mut(field));
            place.map(|place| *place = wrong.clone()).is_some()
        }
    };
    is_seen(recording, "managing", first("/call/volume", json!("other")));
    is_seen(recording, "managing", first("/event", json!("p1 Warning FailedMount other")));
    is_seen(recording, "managing", first("/waited/error", json!("other")));
    is_seen(recording, "managing", first("/inUse", json!(["other"])));
    is_seen(recording, "managing", |line| {
        let entry = line["managing"]["log"].as_array_mut().and_then(|log| log.first_mut());
        let at = entry.and_then(|entry| entry["at"].as_u64().map(|at| (entry, at)));
        at.map(|(entry, at)| entry["at"] = json!(at - 1)).is_some()
    });
    is_seen(recording, "managing", |line| {
        let log = line["managing"]["log"].as_array_mut();
        log.filter(|log| !log.is_empty()).map(|log| log.remove(0)).is_some()
    });
}
