//! Sentences about the examples. The tests are cases in which only one of several sentences is true.

use crate::support::{Run, root, text};

/// Returns what the program prints about an example. Lines are not wrapped.
fn said(example: &str, arguments: &[&str]) -> String {
    let file = root().join("examples").join(example).display().to_string();
    let mut all: Vec<&str> = arguments.to_vec();
    all.extend(["-f", &file]);
    let run = Run::new(&all).env("COLUMNS", "400").finish();
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    run.stdout
}

/// Checks that the explanation of an object of an example contains these lines or parts of lines.
fn explains(example: &str, object: &str, namespace: &str, expected: &[&str]) {
    let text = said(example, &["explain", object, "-n", namespace]);
    for part in expected {
        assert!(text.contains(part), "{object} of {example} lacks\n{part}\nin\n{text}");
    }
}

/// A deletion cannot be undone. So an object that is being deleted is either removed, or it is still terminating in the
/// end.
#[test]
fn an_object_that_is_being_deleted_stays_terminating() {
    let table = said("terminating.json", &["predict", "-A", "--no-headers"]);
    let cells = |name: &str| -> Vec<&str> {
        let row = table.lines().find(|row| row.contains(name)).unwrap_or_default();
        row.split("   ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
    };
    let expected = |name: &str| cells(name)[2..4].to_vec();
    assert_eq!(expected("pvc/library"), ["Bound, Terminating", "Bound, Terminating"]);
    assert_eq!(expected("pv/pvc-9cc14e74-5391-49de-b2c9-612d0fa8f642"), ["Bound, Terminating", "Bound, Terminating"]);
    assert_eq!(expected("pvc/data-mysql-0"), ["Bound", "Bound"]);
    assert_eq!(expected("pvc/cache"), ["Bound, Terminating", "Gone"]);
}

/// The claim web/cache is being deleted and has no finalizer. So it is certain that the data of its volume will be
/// lost, and the text does not say "if".
#[test]
fn the_data_of_a_claim_that_is_being_deleted_are_in_danger() {
    let volume = "pv/pvc-f0200a77-87e5-4b49-9533-f2491c8fb400";
    let danger = "Danger: when the claim is gone, ebs.csi.aws.com deletes volume \
                  pvc-f0200a77-87e5-4b49-9533-f2491c8fb400 and its data (policy Delete).";
    explains("terminating.json", volume, "web", &[danger]);
    explains("terminating.json", "pvc/cache", "web", &[danger]);
}

/// Volume disk-4 is reserved for erp/never by name and uid, but is too small. Volume disk-9 fails three tests.
#[test]
fn a_volume_that_is_reserved_for_the_claim_is_the_nearest() {
    explains(
        "half-bound.json",
        "pvc/never",
        "erp",
        &[
            "Claim erp/never is Pending: the reserved volume disk-4 does not fit this claim: capacity 40Gi < \
             requested 60Gi.\n",
            "kubectl patch pvc never -n erp ",
        ],
    );
}

/// Each advice is about the problem of the object itself. If a user follows the advice, the object does not wait any
/// more.
#[test]
fn advice_can_be_followed() {
    let taken = "pending-volume-taken.json";
    explains(
        taken,
        "pv/nfs-music",
        "home",
        &[
            "reserve the volume for home/music, the only claim that names it\n",
            r#"{"op":"add","path":"/spec/claimRef/namespace","value":"home"}"#,
        ],
    );
    explains(taken, "pvc/music", "home", &["reserve the volume for home/music, the only claim that names it\n"]);
    explains(
        taken,
        "pvc/documents",
        "office",
        &[
            "reserve volume smb-documents for the claim that exists now\n",
            "kubectl pvctl restore pvc/documents -n office\n",
        ],
    );
    explains(
        "pending-first-consumer.json",
        "pvc/debug",
        "stream",
        &["create pod debug-on-worker-1 again without spec.nodeName"],
    );
}

/// Both claims exist: erp/never cannot be bound to a volume that is too small for it, and tenant-a/www-app-0 is Lost
/// but exists.
#[test]
fn a_volume_of_an_existing_claim_is_called_reserved() {
    explains(
        "half-bound.json",
        "pv/disk-4",
        "erp",
        &[
            "Volume disk-4 is Available, but it does not fit claim erp/never, which its spec.claimRef names: capacity 40Gi < \
             requested 60Gi.\n",
            "    The claim names no volume yet, and a person or a provisioner made this binding: the claim is \
             enqueued.\n",
            "  Ends Available, reserved for erp/never.\n",
        ],
    );
    explains(
        "lost.json",
        "pv/pvc-cf7dd283-33ad-483c-81fb-58929356cc2e",
        "tenant-a",
        &["  Ends Pending, reserved for tenant-a/www-app-0.\n"],
    );
    explains(
        "pending-volume-taken.json",
        "pv/nfs-music",
        "home",
        &["  Ends Available, reserved for music (in no namespace).\n"],
    );
    explains(
        "lost.json",
        "pv/pvc-43b84218-e308-4c7a-b555-30004ba41700",
        "db",
        &["  Ends Released, last of db/data-mysql-0.\n"],
    );
}

/// Each of the three claims is Lost, and has exactly one repair that loses no data.
#[test]
fn a_lost_claim_has_a_way_back() {
    for (object, namespace, step) in [
        (
            "pvc/data-mysql-0",
            "db",
            "set spec.claimRef.uid of pvc-43b84218-e308-4c7a-b555-30004ba41700 to f796ef6e-ddae-4b60-aca1-06edc9843faa, the \
             uid of this claim",
        ),
        (
            "pvc/homer",
            "default",
            "set spec.claimRef.uid of nfs-homer to 5d93bf78-bc1d-4977-b341-fde73cc60842, the uid of this claim",
        ),
        (
            "pvc/www-app-0",
            "tenant-a",
            "set spec.volumeName of the claim back to pvc-cf7dd283-33ad-483c-81fb-58929356cc2e",
        ),
    ] {
        explains("lost.json", object, namespace, &[&format!("    kubectl pvctl restore {object} -n {namespace}\n")]);
        let document = said("lost.json", &["explain", object, "-n", namespace, "-o", "json"]);
        let document: serde_json::Value = serde_json::from_str(&document).unwrap_or_default();
        let waiting = &document["prediction"]["waitingFor"][0];
        assert_eq!((&waiting["component"], &waiting["for"]), (&"user".into(), &step.into()), "{object}");
    }
}

/// Two claims have the name `data`, in the namespaces app and app-staging. Both have volumeName iscsi-app-data. This
/// volume belongs to the claim in app.
#[test]
fn claims_of_one_name_are_told_apart() {
    let example = "pending-volume-taken.json";
    let document = said(example, &["explain", "pv/iscsi-app-data", "-o", "json"]);
    let document: serde_json::Value = serde_json::from_str(&document).unwrap_or_default();
    let sides: Vec<(String, String)> = document["binding"]["claim"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|field| field["field"] == "spec.volumeName")
        .map(|field| (field["object"].to_string(), field["verdict"].to_string()))
        .collect();
    let side = |object: &str, verdict: &str| (format!("\"{object}\""), format!("\"{verdict}\""));
    assert_eq!(sides, [side("pvc/data -n app", "ok"), side("pvc/data -n app-staging", "mismatch")]);
    explains(
        example,
        "pv/iscsi-app-data",
        "app",
        &[
            "\n  pvc/data -n app\n",
            "\n  pvc/data -n app-staging\n",
            "  pvc/data -n app spec.volumeName = iscsi-app-data\n",
        ],
    );
    let intruder = said(example, &["explain", "pvc/data", "-n", "app-staging"]);
    assert!(
        intruder.contains("iscsi-app-data  MISMATCH, wanted a volume that is free or names this claim\n"),
        "{intruder}"
    );
}

/// In 1.14 the controller does not ask the API server for a claim that its cache does not have, although the claim
/// exists.
#[test]
fn a_claim_that_the_controller_does_not_see_is_not_gone() {
    let unseen = ["--unseen", "pvc/web/data-web-0"];
    let why = |version: &[&str]| {
        let table = said("unseen-claim.json", &[&["predict", "--no-headers"], &unseen[..], version].concat());
        let row = |name: &str| table.lines().find(|row| row.contains(name)).unwrap_or_default().to_owned();
        (row("pv/pvc-4e0433b7-df28-434d-ae54-4eeb36cbb404"), row("pvc/data-web-0"))
    };
    let (volume, claim) = why(&["--kube-version", "1.14"]);
    let expected = "   the controller does not see claim web/data-web-0 and treats the volume as Released; policy \
                    Delete: ebs.csi.aws.com has to delete the volume, and may do so before the claim is seen   ";
    assert!(volume.contains(expected), "{volume}");
    assert!(claim.contains("   the controller does not see it yet   "), "{claim}");
    // The controller of the default version asks the API server and finds the claim.
    let (volume, claim) = why(&[]);
    assert!(volume.contains("   the controller binds its claim web/data-web-0 to it   "), "{volume}");
    assert!(claim.contains("   the controller does not see it yet   "), "{claim}");
}

/// The commands in `docs/two-bugs.md` can be run as they are written there.
#[test]
fn the_commands_of_the_two_bugs_run() {
    let page = text("docs/two-bugs.md");
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("$ kubectl pvctl ")).collect();
    assert_eq!(commands.len(), 4, "{commands:?}");
    for command in commands {
        let command = command.replace("examples/", &format!("{}/examples/", root().display()));
        let run = Run::new(&command.split(' ').collect::<Vec<_>>()).finish();
        assert_eq!(run.code, Some(0), "{command}: {}", run.stderr);
    }
}

/// A claimRef without a namespace. Since 1.31 the controller sends the request for the claim and finds nothing. Before
/// 1.31 the request is an error each time.
#[test]
fn a_claim_that_is_named_without_a_namespace_is_not_found() {
    let volume = r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"old","uid":"u-old"},"spec":{"capacity":
        {"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain","hostPath":{"path":"/x"},
        "claimRef":{"kind":"PersistentVolumeClaim","name":"data","uid":"u-data"}},"status":{"phase":"Bound"}}"#;
    let explained = |version: &str| {
        let arguments = ["explain", "pv/old", "--assume-complete", "--kube-version", version, "-f", "-"];
        Run::new(&arguments).env("COLUMNS", "400").stdin(volume.as_bytes()).finish().stdout
    };
    let today = explained("1.36");
    let found = "its spec.claimRef names claim data without a namespace";
    assert!(today.contains("Released") && today.contains(found), "{today}");
    let before = explained("1.30");
    let refused = "its claim data (in no namespace) cannot be looked up: an empty namespace may not be set when a resource \
                   name is provided";
    assert!(before.contains(refused), "{before}");
}
