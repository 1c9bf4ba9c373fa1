//! `match --node`: what the scheduler's plugin `VolumeBinding` does with a claim on one node. The reasons and the
//! choices are those of the pages `docs/controllers/scheduler.md` (S5 to S10, and the steps of `FindPodVolumes`) and
//! `docs/controllers/matching.md`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::scheduling::{COMPLETE, DRIVER, ZONE, bound, class, document, node, object, pod, unbound};
use crate::support::{Finished, Run};
use serde_json::{Value, json};

const NOTHING_TO_BIND: &str = "node(s) didn't find available persistent volumes to bind";

fn matched(objects: &[Value], arguments: &[&str]) -> Finished {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    let mut all = vec!["match"];
    all.extend(arguments);
    all.extend(["-n", "db", "-f", "-", "--now", "2026-03-04T12:00:00Z"]);
    Run::new(&all).env("COLUMNS", "400").stdin(list.as_bytes()).finish()
}

/// Returns the sentences about the claim on the node, and the rows of the table. A row has name, verdict and reason.
#[track_caller]
fn told(objects: &[Value], claim: &str, node: &str) -> (Vec<String>, Vec<[String; 3]>) {
    let seen = matched(objects, &[&format!("pvc/{claim}"), "--node", node, COMPLETE]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let (sentences, table) = seen.stdout.split_once("\n\n").unwrap_or((&seen.stdout, ""));
    let first = |line: &str| line.split_once(": ").map_or_else(|| line.to_owned(), |(_, rest)| rest.to_owned());
    let mut lines: Vec<String> = sentences.lines().map(str::to_owned).collect();
    lines[0] = first(&lines[0]);
    // Other plugins can still reject a node that is not rejected here.
    let open = lines.iter().position(|line| line.starts_with("Only the plugin VolumeBinding is evaluated here"));
    assert_eq!(open.is_some(), !lines[0].starts_with("the scheduler rejects"), "{lines:?}");
    if let Some(open) = open {
        lines.remove(open);
    }
    let row = |line: &str| {
        let cells: Vec<&str> = line.split("   ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let from_end = |place: usize| cells[cells.len() - place].to_owned();
        [cells[0].to_owned(), from_end(2), from_end(1)]
    };
    (lines, table.lines().skip(1).map(row).collect())
}

/// Returns the field `node` of the document. Checks that `explain` of a pod that uses only this claim says the same
/// about the node.
#[track_caller]
fn on_node(objects: &[Value], claim: &str, node: &str) -> Value {
    let seen = matched(objects, &[&format!("pvc/{claim}"), "--node", node, COMPLETE, "-o", "json"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let answer: Value = serde_json::from_str::<Value>(&seen.stdout).unwrap()["node"].clone();
    let mut with_pod = objects.to_vec();
    with_pod.push(pod("only", &[claim], json!({})));
    let scheduling = document(&with_pod, &["pod/only"]);
    if answer["stage"] == "filter" {
        let nodes = scheduling["nodes"].as_array().unwrap();
        let of_pod = nodes.iter().find(|one| one["name"] == node).unwrap().as_object().unwrap();
        for (field, value) in of_pod {
            assert_eq!(answer[field], *value, "{field}: {answer}");
        }
    } else {
        let message = scheduling["message"].as_str().unwrap();
        assert!(message.contains(answer["reasons"][0].as_str().unwrap()), "{message}: {answer}");
    }
    answer
}

fn two_nodes() -> Vec<Value> {
    vec![node("n1", "eu-1a", json!({})), node("n2", "eu-1b", json!({}))]
}

fn local() -> Value {
    class("kubernetes.io/no-provisioner")
}

/// Returns a volume without a claim that can be used in one zone.
fn free(name: &str, zone: &str, size: &str) -> Value {
    let [_, mut free] = bound(name, zone);
    free["metadata"]["name"] = name.into();
    free["spec"].as_object_mut().unwrap().remove("claimRef");
    free["spec"]["capacity"]["storage"] = size.into();
    free["status"]["phase"] = "Available".into();
    free
}

fn cells(rows: &[[&str; 3]]) -> Vec<[String; 3]> {
    rows.iter().map(|row| row.map(str::to_owned)).collect()
}

#[test]
fn the_smallest_volume_that_the_node_reaches_is_bound() {
    let mut objects = two_nodes();
    objects.extend([local(), unbound("data"), free("far", "eu-1b", "1Gi"), free("near", "eu-1a", "2Gi")]);
    objects.push(free("large", "eu-1a", "5Gi"));
    let (lines, rows) = told(&objects, "data", "n1");
    assert_eq!(lines, ["on node n1 the scheduler binds it to near."]);
    assert_eq!(
        rows,
        cells(&[
            ["near", "chosen", "fits best: smallest"],
            ["large", "fits", "fits, but 5Gi > 2Gi of near"],
            ["far", "no", "can be used only on nodes with topology.kubernetes.io/zone In (eu-1b)"],
        ])
    );
    let answer = on_node(&objects, "data", "n1");
    assert_eq!(answer["bind"], json!([{"claim": "data", "volumes": ["near"]}]));
    assert_eq!((&answer["fits"], &answer["plugin"], &answer["provision"]), (&json!(true), &Value::Null, &json!([])));
    let names = matched(&objects, &["pvc/data", "--node", "n2", COMPLETE, "-o", "name"]);
    assert_eq!(names.stdout, "persistentvolume/far\n");
    // Without `--node` the document does not say anything about nodes.
    let seen = matched(&objects, &["pvc/data", COMPLETE, "-o", "json"]);
    let answer: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!((&answer["node"], &answer["items"][0]["onNode"]), (&Value::Null, &Value::Null));
}

#[test]
fn equal_volumes_are_a_set() {
    let mut objects = two_nodes();
    objects.extend([local(), unbound("data"), free("a", "eu-1a", "2Gi"), free("b", "eu-1a", "2Gi")]);
    let (lines, rows) = told(&objects, "data", "n1");
    assert_eq!(lines, ["on node n1 the scheduler binds it to a or b; nobody controls which."]);
    let tied = "fits; one of 2 that may be taken";
    assert_eq!(rows, cells(&[["a", "tied", tied], ["b", "tied", tied]]));
    assert_eq!(on_node(&objects, "data", "n1")["bind"], json!([{"claim": "data", "volumes": ["a", "b"]}]));
    // S8, for a class that provisions nothing.
    let (lines, _) = told(&objects, "data", "n2");
    assert_eq!(lines[0], format!("the scheduler rejects node n2: {NOTHING_TO_BIND}."));
    assert_eq!(lines[1..], ["No free volume of class \"zonal\" fits claim data there, and nothing provisions one."]);
}

/// The controller prefers volumes with fewer access modes. The scheduler does not: it takes the smallest volume.
#[test]
fn the_number_of_access_modes_does_not_count() {
    let mut many = free("many", "eu-1a", "1Gi");
    many["spec"]["accessModes"] = json!(["ReadWriteOnce", "ReadOnlyMany"]);
    let mut other = free("other", "eu-1a", "1Gi");
    other["spec"]["accessModes"] = json!(["ReadOnlyMany"]);
    let mut objects = two_nodes();
    objects.extend([local(), unbound("data"), many, other, free("one", "eu-1a", "2Gi")]);
    let (_, rows) = told(&objects, "data", "n1");
    assert_eq!(
        rows,
        cells(&[
            ["many", "chosen", "fits best: smallest"],
            ["one", "fits", "fits, but 2Gi > 1Gi of many"],
            ["other", "no", "lacks RWO"],
        ])
    );
}

/// A term that has only `matchFields` fits every node.
#[test]
fn match_fields_are_ignored() {
    let mut volume = free("a", "eu-1a", "1Gi");
    volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"] =
        json!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n9"]}]}]);
    let mut objects = two_nodes();
    objects.extend([local(), unbound("data"), volume]);
    assert_eq!(told(&objects, "data", "n1").0, ["on node n1 the scheduler binds it to a."]);
    assert_eq!(on_node(&objects, "data", "n1")["fits"], json!(true));
}

#[test]
fn without_a_volume_the_provisioner_is_asked_where_the_class_allows_it() {
    let mut zonal = class(DRIVER);
    let mut objects = two_nodes();
    objects.extend([zonal.clone(), unbound("data"), free("far", "eu-1b", "1Gi")]);
    let (lines, _) = told(&objects, "data", "n1");
    assert_eq!(lines, [format!("no volume fits on node n1, so {DRIVER} is asked to provision one there.")]);
    let answer = on_node(&objects, "data", "n1");
    assert_eq!((&answer["provision"], &answer["bind"]), (&json!(["data"]), &json!([])));
    assert_eq!(answer["provisioner"], json!(DRIVER));
    // The class allows only another zone (allowedTopologies, S8).
    zonal["allowedTopologies"] = json!([{"matchLabelExpressions": [{"key": ZONE, "values": ["eu-1b"]}]}]);
    let mut objects = two_nodes();
    objects.extend([zonal, unbound("data")]);
    let (lines, _) = told(&objects, "data", "n1");
    assert_eq!(lines[0], format!("the scheduler rejects node n1: {NOTHING_TO_BIND}."));
    assert_eq!(lines[1..], ["Class \"zonal\" of claim data allows only other topologies (allowedTopologies)."]);
    let answer = on_node(&objects, "data", "n1");
    assert_eq!((&answer["plugin"], &answer["reasons"]), (&json!("VolumeBinding"), &json!([NOTHING_TO_BIND])));
    assert_eq!(on_node(&objects, "data", "n2")["fits"], json!(true));
}

#[test]
fn a_lack_of_capacity_rejects_the_node() {
    let driver = object("CSIDriver", "", DRIVER, json!({"spec": {"storageCapacity": true}}));
    let mut capacity = object(
        "CSIStorageCapacity",
        "kube-system",
        "c",
        json!({"storageClassName": "zonal", "capacity": "512Mi", "nodeTopology": {"matchLabels": {ZONE: "eu-1a"}}}),
    );
    capacity["apiVersion"] = "storage.k8s.io/v1".into();
    let mut objects = two_nodes();
    objects.extend([class(DRIVER), unbound("data"), driver, capacity.clone()]);
    let (lines, _) = told(&objects, "data", "n1");
    assert_eq!(
        lines,
        [
            "the scheduler rejects node n1: node(s) did not have enough free storage.",
            "Claim data requests 1Gi, and the CSIStorageCapacity of class \"zonal\" has only capacity 512Mi there.",
        ]
    );
    assert_eq!(on_node(&objects, "data", "n1")["reasons"], json!(["node(s) did not have enough free storage"]));
    capacity["capacity"] = "1Gi".into();
    let place = objects.len() - 1;
    objects[place] = capacity;
    assert_eq!(on_node(&objects, "data", "n1")["provision"], json!(["data"]));
    assert_eq!(on_node(&objects, "data", "n2")["fits"], json!(false));
}

/// M8: a volume that is reserved for the claim ends the search, even if the node cannot use the volume.
#[test]
fn a_volume_that_is_reserved_elsewhere_ends_the_search() {
    let mut reserved = free("x", "eu-1b", "1Gi");
    reserved["spec"]["claimRef"] = json!({"namespace": "db", "name": "data"});
    let mut objects = two_nodes();
    objects.extend([local(), unbound("data"), reserved.clone(), free("y", "eu-1a", "1Gi")]);
    let (lines, rows) = told(&objects, "data", "n1");
    assert_eq!(lines[0], format!("the scheduler rejects node n1: {NOTHING_TO_BIND}."));
    assert_eq!(
        lines[1..],
        ["Volume x is reserved for claim data and cannot be used there, and the scheduler tries no other volume."]
    );
    let elsewhere = "reserved for this claim, but can be used only on nodes with topology.kubernetes.io/zone In \
                     (eu-1b); no other volume is tried";
    let of = |name: &str| rows.iter().find(|row| row[0] == name).unwrap().clone();
    assert_eq!(of("x"), ["x", "no", elsewhere].map(str::to_owned));
    // The other volume is not tried.
    assert_eq!(of("y")[1], "fits");
    assert_eq!(on_node(&objects, "data", "n2")["bind"], json!([{"claim": "data", "volumes": ["x"]}]));
    // A second reserved volume can be used on the node. The order of the volumes decides which one ends the search.
    let mut second = reserved;
    second["metadata"]["name"] = "z".into();
    second["spec"]["nodeAffinity"] = free("z", "eu-1a", "1Gi")["spec"]["nodeAffinity"].clone();
    objects.push(second);
    let (lines, _) = told(&objects, "data", "n1");
    assert_eq!(
        lines[0],
        format!(
            "on node n1 the scheduler binds it to z; or the scheduler rejects node n1: {NOTHING_TO_BIND}; nobody \
             controls which."
        )
    );
    let answer = on_node(&objects, "data", "n1");
    assert_eq!((&answer["fits"], &answer["canFit"]), (&json!(false), &json!(true)));
    assert_eq!(answer["alternatives"][0]["reasons"], json!([NOTHING_TO_BIND]));
}

/// S6: the scheduler searches only for claims whose class delays binding.
#[test]
fn the_scheduler_does_not_search_for_an_immediate_claim() {
    let mut immediate = class(DRIVER);
    immediate["volumeBindingMode"] = "Immediate".into();
    let mut objects = two_nodes();
    objects.extend([immediate, unbound("data"), free("a", "eu-1b", "1Gi")]);
    let (lines, rows) = told(&objects, "data", "n1");
    assert_eq!(
        lines,
        [
            "the scheduler rejects every node: pod has unbound immediate PersistentVolumeClaims.",
            "The scheduler does not look for a volume for it, because class \"zonal\" does not delay binding. \
             kube-controller-manager does.",
        ]
    );
    assert_eq!(rows, cells(&[["a", "chosen", "fits"]]));
    let answer = on_node(&objects, "data", "n1");
    assert_eq!((&answer["stage"], &answer["searched"]), (&json!("preFilter"), &json!(false)));
    assert_eq!(answer["reasons"], json!(["pod has unbound immediate PersistentVolumeClaims"]));
}

/// The test reaches the leaves S7 and S10.
#[test]
fn the_volume_of_a_bound_claim_is_tested() {
    let mut objects = two_nodes();
    objects.push(class(DRIVER));
    objects.extend(bound("data", "eu-1a"));
    assert_eq!(told(&objects, "data", "n1").0[0], "its volume pv-data can be used on node n1.");
    let (lines, rows) = told(&objects, "data", "n2");
    let far = "reserved for this claim, but can be used only on nodes with topology.kubernetes.io/zone In (eu-1a); no \
               other volume is tried";
    assert_eq!(rows, cells(&[["pv-data", "no", far]]));
    assert_eq!(
        lines,
        [
            "the scheduler rejects node n2: node(s) didn't match PersistentVolume's node affinity.",
            "Volume pv-data of claim data can be used only on nodes with topology.kubernetes.io/zone In (eu-1a).",
        ]
    );
    assert_eq!(
        on_node(&objects, "data", "n2")["reasons"],
        json!(["node(s) didn't match PersistentVolume's node affinity"])
    );
}

#[test]
fn a_node_that_was_selected_before_is_kept() {
    let mut claim = unbound("data");
    claim["metadata"]["annotations"] = json!({"volume.kubernetes.io/selected-node": "n1"});
    let mut objects = two_nodes();
    objects.extend([class(DRIVER), claim, free("a", "eu-1a", "1Gi")]);
    assert_eq!(
        told(&objects, "data", "n1").0,
        [format!("node n1 was selected for it before, and {DRIVER} is asked to provision a volume there.")]
    );
    let (lines, _) = told(&objects, "data", "n2");
    assert_eq!(lines[0], format!("the scheduler rejects node n2: {NOTHING_TO_BIND}."));
    assert!(lines[1].starts_with("Earlier, the scheduler selected node n1 for claim data"), "{lines:?}");
    assert_eq!(on_node(&objects, "data", "n1")["provision"], json!(["data"]));
    assert_eq!(on_node(&objects, "data", "n2")["fits"], json!(false));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test writes into its own temporary folder")]
fn a_planned_claim_is_searched_for_as_well() {
    let mut objects = two_nodes();
    objects.extend([local(), free("a", "eu-1b", "2Gi")]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("world.json");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    std::fs::write(&file, list.to_string()).unwrap();
    let arguments = ["match", "--claim", "-", "--node", "n2", "-f", file.to_str().unwrap(), COMPLETE, "-o", "name"];
    let seen = Run::new(&arguments).stdin(unbound("data").to_string().as_bytes()).finish();
    assert_eq!((seen.code, seen.stdout.as_str()), (Some(0), "persistentvolume/a\n"), "{}", seen.stderr);
}

/// What was not read is unknown. The node must exist in the input.
#[test]
fn a_node_has_to_be_read() {
    let mut objects = two_nodes();
    objects.extend([class(DRIVER), unbound("data")]);
    let seen = matched(&objects, &["pvc/data", "--node", "n3", COMPLETE]);
    assert_eq!(
        (seen.code, seen.stderr.as_str()),
        (Some(2), "error: Node \"n3\" does not exist in what was read\nhint: did you mean node/n1 or node/n2?\n")
    );
    let seen = matched(&objects[2..], &["pvc/data", "--node", "n3"]);
    assert_eq!(seen.code, Some(2));
    assert!(
        seen.stderr.starts_with("error: --node n3: the input has no nodes\nhint: kubectl pvctl "),
        "{}",
        seen.stderr
    );
    let seen = matched(&objects, &["pv/data", "--node", "n1"]);
    assert_eq!(seen.code, Some(2));
    assert!(seen.stderr.starts_with("error: the object must be pvc/NAME, not a PersistentVolume\n"), "{}", seen.stderr);
    // A CSIDriver that was not read may require that capacity is checked.
    let seen = matched(&objects, &["pvc/data", "--node", "n1"]);
    assert_eq!(seen.code, Some(3));
    let unknown = "class \"zonal\": what the scheduler does on node n1 is unknown.\nThe answer needs other objects: not all \
                   csidrivers were read, and not all csistoragecapacities were read.";
    assert!(seen.stdout.contains(unknown), "{}", seen.stdout);
    let seen = matched(&objects, &["pvc/data", "--node", "n1", "-o", "json"]);
    let answer: Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(answer["node"], Value::Null);
    let unknown: Vec<(&Value, &Value)> =
        answer["unknown"].as_array().unwrap().iter().map(|one| (&one["field"], &one["needs"]["resource"])).collect();
    assert_eq!(unknown, [(&json!("node"), &json!("csidrivers")), (&json!("node"), &json!("csistoragecapacities"))]);
    let seen = matched(&objects, &["pvc/data", "--node", "n1", "--partial=nodes"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stdout);
}
