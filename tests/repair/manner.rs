//! How the verbs that repair behave towards the person who types them, on an API server in this process. They do not
//! wait for a goal that is already reached. A second run has nothing to do. As long as a finding is left, each run ends
//! with exit code 1.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the test looks at the clock and at journals")]

use crate::repair::verbs::{Running, bound, cluster, newest, play, refused, released, waiting, with};
use crate::support::Run;
use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Asserts that a second run has nothing to do and writes nothing, and returns its output.
async fn nothing(fake: &ApiServer, journals: &Path, words: &[&str]) -> String {
    let writes = fake.writes().len();
    let ended = with(fake, journals, "", words).await;
    assert_eq!(ended.code, Some(0), "{words:?}: {}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.starts_with("Nothing to do: "), "{words:?}: {}{}", ended.stdout, ended.stderr);
    assert_eq!(fake.writes().len(), writes, "{words:?} has written something");
    ended.stdout.replace("\n  ", " ")
}

async fn done(fake: &ApiServer, journals: &Path, words: &[&str]) {
    let ended = with(fake, journals, "", words).await;
    assert_eq!(ended.code, Some(0), "{words:?}: {}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("\nDone: "), "{words:?}: {}", ended.stdout);
}

/// A policy is in force once it is stored, so `retain` does not wait for controllers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retain_waits_for_no_controller() {
    // The claim is gone. No controller runs that would set the phase to Released.
    let mut stale = released("data", "Delete");
    stale["status"]["phase"] = "Bound".into();
    let fake = cluster([stale]).await;
    let state = tempfile::tempdir().unwrap();
    let begin = Instant::now();
    done(&fake, state.path(), &["retain", "pv/data", "--yes"]).await;
    assert!(begin.elapsed() < Duration::from_secs(15), "the run must not wait: {:?}", begin.elapsed());
    assert!(nothing(&fake, state.path(), &["retain", "pv/data", "--yes"]).await.contains("policy Retain already"));

    // If another client sets the former policy again immediately, the message says so.
    let fake = cluster(bound("db", "data", "disk")).await;
    fake.hold_write(0);
    let running = Running::start(&fake, state.path(), &["retain", "pv/disk", "--yes"]);
    Running::until_writes(&fake, 1).await;
    let [back, _] = bound("db", "data", "disk");
    fake.fail("/api/v1/persistentvolumes/disk", usize::MAX, Fault::Body(back.to_string().leak()));
    fake.let_go();
    let ended = running.end().await;
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    let said = "warning: pv/disk has policy Delete, although Retain was written: somebody has changed it since then\n";
    assert!(ended.stderr.replace("\n  ", " ").contains(said), "{}", ended.stderr);
}

/// `retain pvc/NAME` means the volume that the claim names, or the only volume that has the uid of the claim.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retain_of_a_claim_means_its_volume() {
    for words in [&["retain", "pvc/data", "-n", "db", "--yes"][..], &["retain", "-n", "db", "pvc", "--yes", "data"]] {
        let [volume, mut claim] = bound("db", "data", "disk");
        if words[1] == "-n" {
            // The controller has not written the claim yet.
            claim["spec"].as_object_mut().unwrap().remove("volumeName");
            claim["metadata"].as_object_mut().unwrap().remove("annotations");
            claim["status"]["phase"] = "Pending".into();
        }
        let fake = cluster([volume, claim]).await;
        let state = tempfile::tempdir().unwrap();
        done(&fake, state.path(), words).await;
        assert_eq!(fake.object("PersistentVolume", "disk").unwrap()["spec"]["persistentVolumeReclaimPolicy"], "Retain");
        nothing(&fake, state.path(), words).await;
        // The request in the plan names the volume.
        let fake = cluster(bound("db", "data", "disk")).await;
        let plan = with(&fake, state.path(), "", &["retain", "pvc/data", "-n", "db", "-o", "json"]).await;
        let plan: Value = serde_json::from_str(&plan.stdout).unwrap();
        assert_eq!(plan["request"], json!({"verb": "retain", "volume": "disk"}));
    }

    let words = ["retain", "pvc/data", "-n", "db", "--yes"];
    let pending = waiting("data");
    let of_data = |name: &str| {
        let mut volume = released(name, "Delete");
        volume["spec"]["claimRef"]["uid"] = "uid-data".into();
        volume
    };
    let [_, lost] = bound("db", "data", "gone");
    let [_, strange] = bound("db", "data", "disk");
    let [held, other] = bound("db", "other", "disk");
    let cases: [(Vec<Value>, i32, &str); 5] = [
        (vec![pending.clone()], 6, "claim db/data has no volume yet: there are no data to keep"),
        (vec![pending, of_data("one"), of_data("two")], 6, "2 volumes have the uid of claim db/data"),
        (vec![lost], 2, "claim db/data names volume gone"),
        (vec![strange, held, other], 6, "claim db/data names volume disk, which belongs to claim db/other"),
        (Vec::new(), 2, "PersistentVolumeClaim \"data\" does not exist in namespace \"db\""),
    ];
    for (objects, code, said) in cases {
        let fake = cluster(objects).await;
        let ended = refused(&fake, code, &words).await;
        assert!(ended.stderr.replace("\n  ", " ").contains(said), "{said}: {}", ended.stderr);
    }
    // If the claim names no volume and volumes cannot be listed, its volume is unknown.
    let fake = cluster([waiting("data")]).await;
    fake.fail("/api/v1/persistentvolumes?", usize::MAX, Fault::Refused(403, "no volumes for you"));
    let ended = refused(&fake, 3, &words).await;
    assert!(ended.stderr.contains("no volumes for you"), "{}", ended.stderr);
}

/// A volume needs no second offer if it is reserved for this claim, or if this claim has it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_volume_that_was_offered_is_not_offered_again() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let to_new = ["release", "pv/data", "--reserve-for", "db/new", "--yes"];
    let fake = cluster([released("data", "Retain")]).await;
    done(&fake, journals, &to_new).await;
    let said = nothing(&fake, journals, &to_new).await;
    assert_eq!(said, "Nothing to do: volume data is already Available, and reserved for claim db/new.\n");
    let unbind = ["unbind", "pv/data", "--reserve-for", "db/new", "--yes"];
    nothing(&fake, journals, &unbind).await;
    let [volume, claim] = bound("db", "new", "data");
    fake.replace(volume);
    fake.hold([claim]);
    for words in [to_new, unbind] {
        // The objects alone show this. So no journal is needed.
        let elsewhere = tempfile::tempdir().unwrap();
        let said = nothing(&fake, elsewhere.path(), &words).await;
        assert_eq!(said, "Nothing to do: claim db/new has volume data and is bound to it.\n");
    }
    // A release for another claim is refused.
    let ended = with(&fake, journals, "", &["release", "pv/data", "--reserve-for", "db/other", "--yes"]).await;
    assert_eq!(ended.code, Some(6), "{}{}", ended.stdout, ended.stderr);

    // A request without a claim is refused, because the person may want to take the volume from its claim. But if the
    // same person has offered the volume before, the goal is already reached.
    let words = ["release", "pv/data", "--yes"];
    let [taken, claim] = bound("db", "data", "data");
    let fake = cluster([taken.clone(), claim.clone()]).await;
    let ended = refused(&fake, 6, &words).await;
    assert!(ended.stderr.contains("is held by claim db/data"), "{}", ended.stderr);
    let mut gone = released("data", "Retain");
    gone["metadata"]["uid"] = "uid-data".into();
    let fake = cluster([gone]).await;
    done(&fake, journals, &words).await;
    nothing(&fake, journals, &words).await;
    fake.replace(taken.clone());
    fake.hold([claim]);
    let id = newest(&fake, journals).await;
    let said = nothing(&fake, journals, &words).await;
    assert_eq!(said, format!("Nothing to do: claim db/data has volume data and is bound to it, by {id}.\n"));
    // Another volume of that name is not the volume that was offered.
    let mut anew = taken;
    anew["metadata"]["uid"] = "uid-anew".into();
    fake.replace(anew);
    let ended = with(&fake, journals, "", &words).await;
    assert_eq!(ended.code, Some(6), "{}{}", ended.stdout, ended.stderr);

    let fake = cluster([released("data", "Retain")]).await;
    let anyone = ["release", "pv/data", "--to-anyone", "--yes", "--confirm", "data"];
    done(&fake, journals, &anyone).await;
    nothing(&fake, journals, &anyone).await;
    // The volume has no claimRef. The request asks for a reservation, so its goal is not reached.
    let ended = with(&fake, journals, "", &unbind).await;
    assert_eq!(ended.code, Some(6), "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("there is no binding to undo"), "{}", ended.stderr);
}

/// If a claim is gone, the journal of the move and the new claim show that the claim was moved.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_was_moved_is_not_missing() {
    let fake = cluster(bound("db", "data", "disk")).await;
    let state = tempfile::tempdir().unwrap();
    let words = ["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--yes"];
    let player = play(&fake);
    done(&fake, state.path(), &words).await;
    player.abort();
    let id = newest(&fake, state.path()).await;
    let said = nothing(&fake, state.path(), &words).await;
    assert_eq!(said, format!("Nothing to do: claim web/data has volume disk and is bound to it, by {id}.\n"));
    let missing = async |words: &[&str], hint: bool| {
        let writes = fake.writes().len();
        let ended = with(&fake, state.path(), "", words).await;
        assert_eq!((ended.code, fake.writes().len()), (Some(2), writes), "{words:?}: {}{}", ended.stdout, ended.stderr);
        let flat = ended.stderr.replace("\n  ", " ");
        let said = "if that plan made this move, there is nothing left to do";
        assert_eq!(flat.contains(said), hint, "{words:?}: {}", ended.stderr);
    };
    // No journal says that this claim was moved. So it is missing.
    missing(&["move", "pvc/dta", "-n", "db", "--to-namespace", "web", "--name", "data", "--yes"], true).await;
    let elsewhere = tempfile::tempdir().unwrap();
    missing(&[&words[..], &["--journal", elsewhere.path().to_str().unwrap()]].concat(), true).await;
    // A claim of this name without our annotation was created by somebody else, not by the move.
    let mut anew = fake.object("PersistentVolumeClaim", "data").unwrap();
    anew["metadata"]["annotations"].as_object_mut().unwrap().remove("pvctl.dev/plan");
    fake.replace(anew.clone());
    missing(&words, false).await;
    // A claim with our annotation but another volume was not created by this move, either.
    anew["metadata"]["annotations"]["pvctl.dev/plan"] = "move-00000000".into();
    fake.replace(anew);
    missing(&words, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_is_as_it_is_to_be_is_not_replaced() {
    let state = tempfile::tempdir().unwrap();
    let fake = cluster(bound("db", "data", "disk")).await;
    for set in [
        &["--set", "class=fast"][..],
        &["--set", "storageClassName=fast", "--set", "size=1024Mi"],
        &["--set", "modes=RWO", "--set", "volumeMode=Filesystem", "--set", "selector=none"],
        &["--set", "name=data", "--set", "volumeName=disk"],
    ] {
        nothing(&fake, state.path(), &[&["recreate", "pvc/data", "-n", "db", "--yes"], set].concat()).await;
    }
    for set in ["class=slow", "size=2Gi", "modes=RWO,RWX", "volumeMode=Block", "volumeName=other", "class="] {
        let words = ["recreate", "pvc/data", "-n", "db", "--yes", "--set", set];
        let ended = refused(&fake, 6, &words).await;
        assert!(ended.stderr.contains("is or was bound"), "{set}: {}", ended.stderr);
    }
}

/// If a repair has begun to delete a volume, or has deleted it, a second request has nothing to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_volume_that_a_repair_deletes_needs_no_second_repair() {
    let state = tempfile::tempdir().unwrap();
    let journals = state.path();
    let words = ["reclaim", "pv/data", "--delete", "--yes", "--confirm", "data"];
    let driver = json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver",
        "metadata": {"name": "d.example.com", "uid": "driver"}, "spec": {}});
    let fake = cluster([released("data", "Retain"), driver]).await;
    done(&fake, journals, &words).await;
    nothing(&fake, journals, &words).await;
    let mut going = fake.object("PersistentVolume", "data").unwrap();
    going["metadata"]["deletionTimestamp"] = "2026-06-02T00:00:00Z".into();
    going["metadata"]["finalizers"] = json!(["external-provisioner.volume.kubernetes.io/finalizer"]);
    fake.replace(going.clone());
    nothing(&fake, journals, &words).await;
    // This volume has policy Retain. So somebody else is deleting it.
    going["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
    fake.replace(going);
    let ended = with(&fake, journals, "", &words).await;
    assert_eq!(ended.code, Some(6), "{}{}", ended.stdout, ended.stderr);
}

/// If a guard refuses a repair, the finding is left, both in the first run and in the second run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fix_leaves_what_is_refused_each_time() {
    let fake = cluster([released("data", "Retain")]).await;
    fake.deny("patch");
    for words in [&["fix", "pv/data", "--yes"][..], &["fix", "pv/data", "--yes", "--dry-run"]] {
        for _ in 0..2 {
            let ended = refused(&fake, 1, words).await;
            assert!(ended.stderr.contains("you may not: patch persistentvolumes data"), "{}", ended.stderr);
        }
    }
}

/// Flags may be between the words of a verb. Then all words are understood, so the program tries to read the cluster.
#[test]
fn words_may_follow_flags() {
    for words in [
        &["rename", "pvc/x", "-n", "ns", "new"][..],
        &["rename", "pvc", "-n", "ns", "x", "--yes", "new"],
        &["unfinalize", "pvc/x", "-n", "dr", "example.com/backup"],
        &["unfinalize", "--yes", "pv", "x", "-n", "dr", "--", "example.com/backup"],
        &["recreate", "pvc", "-n", "ns", "x", "--set", "storageClassName=fast"],
    ] {
        let ended = Run::new(&[&["--server", "http://127.0.0.1:1"], words].concat()).finish();
        assert_eq!(ended.code, Some(3), "{words:?}: {}", ended.stderr);
    }
}
