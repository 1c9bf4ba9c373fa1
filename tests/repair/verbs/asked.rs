//! The requests that a person types, and what the program shows about the plan before anything is written.

use super::{bound, cluster, refused, released, run};
use crate::project::schema::{assert_valid, validator};
use crate::support::Run;
use crate::support::faults::Fault;
use serde_json::{Value, json};

/// Wrong words are reported, each with its own message, before any cluster is read.
#[test]
fn wrong_words_are_usage() {
    let long = "a".repeat(254);
    let label = "n".repeat(64);
    let cases: [(&[&str], &str); 24] = [
        (&["retain"], "required"),
        (&["release", "pvc/data"], "the object must be pv/NAME"),
        (&["retain", "pv/Data"], "\"Data\" is not a valid name of an object"),
        (&["retain", &format!("pv/{long}")], "is not a valid name of an object"),
        (&["retain", "pv/-a"], "\"-a\" is not a valid name"),
        (&["retain", "pv/a..b"], "\"a..b\" is not a valid name"),
        (&["retain", "pv/a%2f..%2fb"], "is not a valid name of an object"),
        (&["retain", "pv/data", "-A"], "it cannot be combined with -A or -l"),
        (&["retain", "pv/data", "-f", "x.yaml", "--yes"], "--yes cannot be combined with -f"),
        (&["retain", "pv/data", "--dry-run=maybe"], "--dry-run"),
        (&["retain", "pv/data", "--timeout", "0s"], "longer than 0"),
        (&["retain", "pv/data", "-o", "yaml", "--yes"], "cannot be used with"),
        (&["retain", "pv/data", "-o", "wide"], "text, json, yaml"),
        (&["release", "pv/data", "--reserve-for", "data"], "is not NAMESPACE/NAME"),
        (&["release", "pv/data", "--reserve-for", "DB/data"], "not a valid name of a namespace"),
        (&["release", "pv/data", "--reserve-for", "db/data", "--to-anyone"], "cannot be used with"),
        (&["restore", "pvc/data", "-n", &label], "not a valid name of a namespace"),
        (&["restore", "pvc/data", "--from", "pvc/other"], "--from: the object must be pv/NAME"),
        (&["recreate", "pvc/data", "--set", "size=lots"], "\"lots\" is not a size"),
        (&["recreate", "pvc/data", "--set", "colour=red"], "the keys are class (or storageClassName), size"),
        (&["recreate", "pvc/data", "--set", "class=a", "--set", "class=b"], "--set class is given twice"),
        (&["recreate", "pvc/data", "--set", "modes=RWO,Sometimes"], "\"Sometimes\" is not an access mode"),
        (&["rename", "pvc/data"], "the new name is missing"),
        (&["apply"], "FILE"),
    ];
    for (words, said) in cases {
        let ended = Run::new(&[words, &["--server", "http://127.0.0.1:1"]].concat()).finish();
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{words:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{words:?}: {}", ended.stderr);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_that_is_not_there_is_usage_and_its_neighbour_is_offered() {
    let fake = cluster([released("data", "Retain")]).await;
    let ended = refused(&fake, 2, &["release", "pv/dta", "--yes"]).await;
    assert!(ended.stderr.contains("did you mean pv/data?"), "{}", ended.stderr);
}

/// Without a terminal and without `--yes` nothing is written. The message says how to continue.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_anybody_to_agree_nothing_is_written() {
    let fake = cluster([released("data", "Retain")]).await;
    let ended = refused(&fake, 6, &["release", "pv/data"]).await;
    assert!(ended.stdout.contains("set spec.claimRef of pv/data to db/data, without a uid"), "{}", ended.stdout);
    assert!(ended.stderr.contains("no terminal to ask on: nothing was written"), "{}", ended.stderr);
    assert!(ended.stderr.contains("hint: --yes confirms"), "{}", ended.stderr);
    // If data are given to anyone, the name must be typed as well.
    let ended = refused(&fake, 6, &["release", "pv/data", "--to-anyone", "--yes"]).await;
    assert!(ended.stderr.contains("--confirm data gives the name"), "{}", ended.stderr);
    let ended = refused(&fake, 6, &["release", "pv/data", "--to-anyone", "--yes", "--confirm", "dta"]).await;
    assert!(ended.stderr.contains("the typed name is not data"), "{}", ended.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rights_that_are_missing_and_guards_that_fail_refuse() {
    let fake = cluster([released("data", "Retain")]).await;
    fake.deny("patch");
    let ended = refused(&fake, 6, &["release", "pv/data", "--yes"]).await;
    assert!(ended.stderr.contains("you may not: patch persistentvolumes data"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("(rights)"), "the message must not contain the id of a guard: {}", ended.stderr);

    let used = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "db", "name": "web-0", "uid": "p"},
        "spec": {"nodeName": "n1", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]},
        "status": {"phase": "Running"}
    });
    let fake = cluster(bound("db", "data", "disk").into_iter().chain([used])).await;
    let ended = refused(&fake, 6, &["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--yes"]).await;
    assert!(ended.stderr.contains("pods use claim db/data: web-0"), "{}", ended.stderr);

    // A list that could not be read must not be taken for an empty list.
    let fake = cluster(bound("db", "data", "disk")).await;
    fake.fail("/api/v1/namespaces/db/pods", usize::MAX, Fault::Refused(403, "no pods for you"));
    let ended = refused(&fake, 6, &["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--yes"]).await;
    assert!(ended.stderr.contains("the pods of namespace db could not be listed"), "{}", ended.stderr);

    // The dry run of the first write is refused.
    let fake = cluster([released("data", "Retain")]).await;
    let path = "/api/v1/persistentvolumes/data?fieldManager=kubectl-pvctl&dryRun=All";
    fake.fail(path, usize::MAX, Fault::Refused(403, "admission webhook says no"));
    let ended = refused(&fake, 6, &["release", "pv/data", "--yes"]).await;
    assert!(ended.stderr.contains("admission webhook says no"), "{}", ended.stderr);
}

/// The pods that may erase a volume are always read. This does not depend on how the request names the volume, or which
/// policy and phase the volume has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pods_of_recyclers_are_read_for_every_repair_that_asks_for_them() {
    let on_nfs = |mut volume: Value| {
        let spec = volume["spec"].as_object_mut().unwrap();
        spec.remove("csi");
        spec.insert("nfs".into(), json!({"server": "files.example.com", "path": "/a"}));
        volume
    };
    for policy in ["Delete", "Recycle", "Retain"] {
        for phase in ["Released", "Available"] {
            for nfs in [true, false] {
                let mut volume = released("pv-1", policy);
                if nfs {
                    volume = on_nfs(volume);
                }
                if phase == "Available" {
                    volume["spec"]["claimRef"].as_object_mut().unwrap().remove("uid");
                }
                volume["status"]["phase"] = phase.into();
                let fake = cluster([volume]).await;
                for arguments in [
                    &["restore", "pvc/data", "-n", "db"][..],
                    &["restore", "pvc/data", "-n", "db", "--from", "pv/pv-1"],
                    &["release", "pv/pv-1"],
                ] {
                    let finished = run(&fake, &[arguments, &["--dry-run=client"]].concat()).await;
                    let said = [finished.stdout.as_str(), &finished.stderr].concat();
                    assert_eq!(finished.code, Some(0), "{policy} {phase} {nfs} {arguments:?}: {said}");
                    assert!(!said.contains("could not be listed"), "{policy} {phase} {nfs} {arguments:?}: {said}");
                }
            }
        }
    }
    // The controller may begin to erase a volume after its claim is gone.
    let [held, claim] = bound("db", "data", "pv-1");
    let mut held = on_nfs(held);
    held["spec"]["persistentVolumeReclaimPolicy"] = "Recycle".into();
    let fake = cluster([held, claim]).await;
    let finished = run(&fake, &["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--dry-run=client"]).await;
    assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
    assert!(finished.stdout.contains("no pod recycler-for-pv-1 was found in namespace default"), "{}", finished.stdout);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dry_run_shows_the_plan_and_writes_nothing() {
    let fake = cluster(bound("db", "data", "disk")).await;
    let words = ["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--dry-run", "--diff"];
    let ended = refused(&fake, 0, &words).await;
    for said in [
        "set spec.persistentVolumeReclaimPolicy of pv/disk to Retain",
        "- spec.persistentVolumeReclaimPolicy: Delete",
        "+ spec.persistentVolumeReclaimPolicy: Retain",
        "delete pvc/data -n db",
        "wait until claim db/data is gone",
        "create pvc/data -n web",
        "+ spec.volumeName: disk",
        "Check the data: pvc db/data, volume disk, 1Gi on csi",
    ] {
        assert!(ended.stdout.contains(said), "{said}: {}", ended.stdout);
    }
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 200), "{}", ended.stdout);
    assert!(!ended.stdout.contains("t0psecret") && !ended.stdout.contains("s3cret"), "{}", ended.stdout);
    assert!(ended.stderr.contains("nothing was written (--dry-run=client)"), "{}", ended.stderr);
    let ended = refused(&fake, 0, &["retain", "pv/disk", "--dry-run=server"]).await;
    assert!(ended.stderr.contains("the API server accepts steps 1 in a dry run"), "{}", ended.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_as_data_follows_its_schema_and_holds_no_secret() {
    let fake = cluster(bound("db", "data", "disk")).await;
    let words = ["move", "pvc/data", "-n", "db", "--to-namespace", "web", "--restore-policy"];
    let json = refused(&fake, 0, &[&words[..], &["-o", "json"]].concat()).await;
    let plan: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_valid(&validator("Plan"), &plan, "move -o json");
    assert_eq!((&plan["apiVersion"], &plan["kind"]), (&json!("pvctl.dev/v1"), &json!("Plan")));
    assert_eq!(plan["request"]["verb"], "move");
    let create = plan["steps"].as_array().unwrap().iter().find(|step| step["write"]["verb"] == "create").unwrap();
    assert_eq!(create["write"]["resource"], "persistentvolumeclaims");
    assert_eq!(create["write"]["object"]["spec"]["volumeName"], "disk");
    assert_eq!(create["write"]["object"]["metadata"]["annotations"]["example.com/note"], "<redacted>");
    assert_eq!(create["write"]["object"]["metadata"]["annotations"]["pvctl.dev/plan"], plan["id"]);
    assert!(create["inverse"]["write"]["verb"] == "delete", "{create:#}");
    let yaml = refused(&fake, 0, &[&words[..], &["-o", "yaml"]].concat()).await;
    assert!(yaml.stdout.starts_with("apiVersion: pvctl.dev/v1\nkind: Plan\n"), "{}", yaml.stdout);
    for text in [&json.stdout, &yaml.stdout] {
        assert!(!text.contains("t0psecret") && !text.contains("s3cret"), "{text}");
    }
}

/// A plan file is accepted only if nobody has edited it, if it has the known `apiVersion`, and if it fits the present
/// cluster.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plan_files_that_are_not_understood_or_not_true_any_more_are_refused() {
    let fake = cluster([released("data", "Delete")]).await;
    let printed = run(&fake, &["release", "pv/data", "-o", "json"]).await.stdout;
    let plan: Value = serde_json::from_str(&printed).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("plan.json");
    let file = file.to_str().unwrap();
    let apply = async |change: &dyn Fn(&mut Value), code: i32, said: &str| {
        let mut changed = plan.clone();
        change(&mut changed);
        std::fs::write(file, changed.to_string()).unwrap();
        let ended = refused(&fake, code, &["apply", file, "--yes"]).await;
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    };
    apply(&|plan| plan["surprise"] = json!(1), 2, "unknown field `surprise`").await;
    apply(&|plan| plan["steps"][0]["surprise"] = json!(1), 2, "unknown field `surprise`").await;
    apply(&|plan| plan["request"]["surprise"] = json!(1), 2, "unknown field `surprise`").await;
    apply(&|plan| plan["model"]["surprise"] = json!(1), 2, "unknown field `surprise`").await;
    apply(&|plan| plan["apiVersion"] = json!("pvctl.dev/v2"), 2, "apiVersion is \"pvctl.dev/v2\"").await;
    apply(&|plan| plan["kind"] = json!("Report"), 2, "kind is \"Report\"").await;
    apply(&|plan| plan["request"]["volume"] = json!("../x"), 2, "is not a valid name of an object").await;
    // An edited plan is refused, because the steps have to follow from the request.
    apply(&|plan| plan["steps"][1]["write"]["name"] = json!("other"), 4, "steps[1].write.name").await;
    apply(&|plan| plan["world"] = json!("0"), 4, "world was").await;
    apply(&|plan| plan["request"]["volume"] = json!("gone"), 4, "does not exist").await;
    // The cluster changes: the volume now names another claim.
    let mut other = released("data", "Delete");
    other["spec"]["claimRef"]["uid"] = "uid-another".into();
    fake.replace(other);
    apply(&|_| (), 4, "uid-another").await;
    fake.replace({
        let mut available = released("data", "Delete");
        available["status"]["phase"] = "Bound".into();
        available
    });
    apply(&|_| (), 4, "there is no such plan").await;
}
