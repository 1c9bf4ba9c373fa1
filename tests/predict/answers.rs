//! Answers that were wrong in an earlier version. Each test has the world that showed the error.

use crate::support::Run;

/// Returns what the program prints about these objects. All kinds are declared to be complete. Lines are not wrapped.
fn said(objects: &str, arguments: &[&str]) -> String {
    let all = [arguments, &["-f", "-", "--assume-complete"]].concat();
    let run = Run::new(&all).env("COLUMNS", "900").stdin(objects.as_bytes()).finish();
    assert!(matches!(run.code, Some(0 | 1)), "{arguments:?}: {:?} {}", run.code, run.stderr);
    run.stdout
}

fn says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "lacks\n{part}\nin\n{text}");
    }
}

/// Returns a volume and a claim. The parameters are the variable parts of their manifests.
fn pair(volume: &str, volume_status: &str, claim: &str) -> String {
    format!(
        r#"apiVersion: v1
kind: PersistentVolume
metadata: {{name: vol, uid: v1, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z"{volume}
  capacity: {{storage: 5Gi}}
  accessModes: [ReadWriteOnce]
  csi: {{driver: ebs.csi.aws.com, volumeHandle: h}}
status: {{phase: {volume_status}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: data, namespace: db, uid: c1, resourceVersion: "2", finalizers: [kubernetes.io/pvc-protection],
  creationTimestamp: "2026-01-01T00:00:00Z"{claim}
  accessModes: [ReadWriteOnce]
  resources: {{requests: {{storage: 5Gi}}}}
"#
    )
}

const BOUND: &str = r#", annotations: {pv.kubernetes.io/bind-completed: "yes"}}
status: {phase: Bound, accessModes: [ReadWriteOnce], capacity: {storage: 5Gi}}
spec:
  storageClassName: ""
  volumeName: vol"#;

/// Earlier, `predict` said that the claim becomes Bound. But `match` said that no volume fits, and advised to create
/// one. Upstream: `syncVolume` makes a volume without a claimRef Available, 1.36.
#[test]
fn manifests_that_no_server_has_seen_become_bound() {
    let manifests = r#"apiVersion: v1
kind: PersistentVolume
metadata: {name: vol}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  nfs: {server: a, path: /x}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: db}
spec:
  storageClassName: ""
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 5Gi}}
"#;
    says(&said(manifests, &["predict", "pvc/data", "-n", "db"]), &["Pending   Bound"]);
    let matched = said(manifests, &["match", "pvc/data", "-n", "db"]);
    says(&matched, &["a volume fits as soon as the controller has made it Available.", "Pending   soon"]);
    let explained = said(manifests, &["explain", "pvc/data", "-n", "db"]);
    says(&explained, &["will be Bound to vol", "Next\n  Ends Bound to vol."]);
    // A volume that does not fit for another reason does not fit after it is Available, either.
    let small = manifests.replacen("5Gi", "1Gi", 1);
    says(&said(&small, &["match", "pvc/data", "-n", "db"]), &["no volume fits.", "capacity 1Gi < requested 5Gi"]);
}

/// Earlier, the page of the claim said that the claim stays Bound, although the next sync of the volume releases the
/// volume. Upstream: `syncVolume` looks for the claim by the name in the claimRef, 1.36.
#[test]
fn a_claim_reference_under_another_name_is_a_danger_on_both_pages() {
    let volume = "}\nspec:\n  persistentVolumeReclaimPolicy: Delete\n  claimRef: {kind: PersistentVolumeClaim, \
                  namespace: db, name: other, uid: c1}";
    let world = pair(volume, "Bound", BOUND);
    let ways = [
        "keep the data: set policy Retain; then the storage stays when the claim and the volume are deleted",
        "kubectl pvctl retain pv/vol",
    ];
    let fact = "names claim db/other, which does not exist.";
    let danger = "Danger: With policy Delete, ebs.csi.aws.com deletes its data";
    for (object, headline) in [
        ("pvc/data", "Claim db/data is Bound, but spec.claimRef of its volume vol "),
        ("pv/vol", "Volume vol is Bound"),
    ] {
        let page = said(&world, &["explain", object, "-n", "db"]);
        says(&page, &[headline, fact, danger, ways[0], ways[1]]);
    }
    // No data are lost if the volume is kept.
    let kept = world.replace("Policy: Delete", "Policy: Retain");
    assert!(!said(&kept, &["explain", "pvc/data", "-n", "db"]).contains("Danger"));
}

/// Earlier, the page of the volume said that the storage may be left behind, and also that the driver deletes it. The
/// page of the claim said neither. Upstream: `shouldDelete`, sig-storage-lib-external-provisioner.
#[test]
fn a_volume_that_is_deleted_while_bound_has_one_fate() {
    let deleted = |finalizers: &str| {
        let volume = format!(
            ", deletionTimestamp: \"2026-01-02T00:00:00Z\", finalizers: [{finalizers}]}}\nspec:\n  \
             persistentVolumeReclaimPolicy: Delete\n  claimRef: {{kind: PersistentVolumeClaim, namespace: db, name: \
             data, uid: c1}}"
        );
        pair(&volume, "Bound", BOUND)
    };
    let leaks = deleted("kubernetes.io/pv-protection");
    let page = said(&leaks, &["explain", "pv/vol"]);
    says(
        &page,
        &[
            "When that claim is deleted, the storage of the volume is left behind in spite of policy Delete.",
            "Data after the claim is deleted: kept.",
        ],
    );
    assert!(!page.contains("deleted by the driver"), "{page}");
    let guarded = deleted("kubernetes.io/pv-protection, external-provisioner.volume.kubernetes.io/finalizer");
    says(&said(&guarded, &["explain", "pv/vol"]), &["Data after the claim is deleted: deleted by the driver."]);
    let claim = said(&guarded, &["explain", "pvc/data", "-n", "db"]);
    says(
        &claim,
        &[
            "but its volume vol is being deleted and stays only until this claim is deleted",
            "kubectl pvctl retain pv/vol",
        ],
    );
}

/// Earlier, the page of the claim did not say where the data of the former claim are.
#[test]
fn a_claim_made_anew_is_told_where_the_old_data_are() {
    let volume = "}\nspec:\n  persistentVolumeReclaimPolicy: Retain\n  claimRef: {kind: PersistentVolumeClaim, \
                  namespace: db, name: data, uid: c0}";
    let waits = "}\nstatus: {phase: Pending}\nspec:\n  storageClassName: \"\"";
    let page = said(&pair(volume, "Released", waits), &["explain", "pvc/data", "-n", "db"]);
    says(
        &page,
        &[
            "Claim db/data is Pending because spec.claimRef of volume vol has the uid of an earlier claim db/data.",
            "Policy Retain keeps its data.",
            "kubectl pvctl restore pvc/data -n db",
        ],
    );
    // These volumes are not volumes of an earlier claim: one has the uid of the claim itself in its claimRef, and the
    // other one has another claim name there.
    for named in ["uid: c1}", "uid: c0, name: other}"] {
        let other = volume.replace("uid: c0}", named).replace("name: data, uid: c0, ", "uid: c0, ");
        let page = said(&pair(&other, "Released", waits), &["explain", "pvc/data", "-n", "db"]);
        assert!(!page.contains("earlier claim"), "{page}");
    }
}

/// Earlier, a user who may not list volumes was told that nothing is known, although it is certain that the class does
/// not exist.
#[test]
fn a_user_who_may_not_list_volumes_gets_certain_findings_first() {
    let claim = r#"apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: db, uid: c1, resourceVersion: "2", creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  storageClassName: fats
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 5Gi}}
status: {phase: Pending}
"#;
    let ask = |verb: &[&str], now: &str| {
        let rest =
            ["-n", "db", "-f", "-", "--assume-complete=pvc/db,pods/db,sc", "--partial", "pv,nodes,pvc", "--now", now];
        Run::new(&[verb, &rest].concat()).env("COLUMNS", "900").stdin(claim.as_bytes()).finish()
    };
    let page = ask(&["explain", "pvc/data"], "2026-01-01T01:00:00Z").stdout;
    says(&page, &["its class \"fats\" does not exist.\nNo driver is asked for a volume, and"]);
    let audit = ask(&["audit"], "2026-01-01T01:00:00Z");
    says(&audit.stdout, &["pvc-class-not-found"]);
    assert_eq!(audit.stderr.matches("could not be judged").count(), 1, "{}", audit.stderr);
    assert!(!audit.stderr.contains("bind-access-modes"), "the ids of the rules must not be listed: {}", audit.stderr);
    // If the claim was just created, a volume that fits may still be created.
    let early = ask(&["audit", "--all"], "2026-01-01T00:01:00Z").stdout;
    assert!(!early.contains("pvc-class-not-found"), "{early}");
}
