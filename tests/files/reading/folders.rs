//! Folders, several inputs, and the dumps of other tools, with their statements about completeness.

use super::{claim, gzip, load_path, names, options, volume};
use pvctl::model::Kind;
use pvctl::snapshot::{Absence, CoverageState, Parts, Snapshot};
use pvctl::source::FileOptions;
use pvctl::source::files::{Fault, read_with};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

pub(super) fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[test]
fn a_directory_is_read_in_the_order_of_names_and_below_when_asked() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    write(root, "b.json", volume("b").to_string());
    write(root, "a.yaml", "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\n");
    write(root, "c.yml.gz", gzip("apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: c}\n"));
    write(root, "notes.txt", "not read");
    write(root, "x/d.json", volume("d").to_string());
    let flat = load_path(root).unwrap();
    assert_eq!(names(&flat.parts), ["pv/a", "pv/b", "pv/c"]);
    assert_eq!((flat.report.files, flat.report.skipped_files), (3, 1));
    let deep = FileOptions { paths: vec![root.to_owned()], recursive: true, ..FileOptions::default() };
    let deep = read_with(&deep, &mut std::io::empty()).unwrap();
    assert_eq!(names(&deep.parts), ["pv/a", "pv/b", "pv/c", "pv/d"]);
    let error = load_path(&root.join("x/none")).unwrap_err();
    assert!(error.message().contains("x/none: cannot be read: "), "{error}");
    fs::create_dir(root.join("empty")).unwrap();
    assert_eq!(load_path(&root.join("empty")).unwrap_err().fault, Fault::NoFiles);
}

#[test]
fn a_cluster_info_dump_says_what_it_holds_in_full() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    let list = |kind: &str, items: &[Value]| json!({"kind": kind, "apiVersion": "v1", "metadata": {}, "items": items});
    let pod = json!({"metadata": {"name": "p", "namespace": "db"}, "spec": {"containers": []}});
    write(root, "nodes.json", list("NodeList", &[json!({"metadata": {"name": "n1"}})]).to_string());
    write(root, "db/pods.json", list("PodList", &[pod]).to_string());
    write(root, "db/events.json", list("EventList", &[json!({})]).to_string());
    write(root, "db/p/logs.txt", "a line");
    write(root, "web/pods.json", list("PodList", &[]).to_string());
    let loaded = load_path(root).unwrap();
    assert_eq!(names(&loaded.parts), ["pod/db/p", "node/n1"]);
    assert_eq!((loaded.report.files, loaded.report.skipped_files), (4, 1));
    let coverage = &loaded.parts.coverage;
    assert_eq!(coverage.absence(Kind::Pod, "db"), Absence::Certain);
    assert_eq!(
        coverage.absence(Kind::Pod, "web"),
        Absence::Certain,
        "the list of pods of namespace web was read and is empty"
    );
    assert_eq!(coverage.absence(Kind::Pod, "other"), Absence::Assumed);
    assert_eq!(coverage.absence(Kind::PersistentVolumeClaim, "db"), Absence::Assumed);
}

#[test]
fn a_must_gather_says_what_it_holds_in_full() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    let image = "quay-io-sha256-1";
    let yaml = |kind: &str, version: &str, name: &str| {
        format!("---\napiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {name}\n")
    };
    let scoped = format!("{image}/cluster-scoped-resources");
    write(root, &format!("{scoped}/core/persistentvolumes/a.yaml"), yaml("PersistentVolume", "v1", "a"));
    write(
        root,
        &format!("{scoped}/storage.k8s.io/storageclasses/fast.yaml"),
        yaml("StorageClass", "storage.k8s.io/v1", "fast"),
    );
    write(root, &format!("{scoped}/config.openshift.io/nodes/x.yaml"), "not: read: at all");
    write(
        root,
        &format!("{image}/namespaces/db/core/persistentvolumeclaims.yaml"),
        "apiVersion: v1\nitems:\n- metadata:\n    name: b\n    namespace: db\nkind: PersistentVolumeClaimList\n",
    );
    write(root, &format!("{image}/namespaces/db/core/pods.yaml"), "apiVersion: v1\nitems: []\nkind: PodList\n");
    write(root, &format!("{image}/namespaces/db/core/events.yaml"), "broken: [");
    write(root, &format!("{image}/namespaces/db/pods/p/p.yaml"), "broken: [");
    let loaded = load_path(root).unwrap();
    assert_eq!(names(&loaded.parts), ["pv/a", "pvc/db/b", "sc/fast"]);
    assert_eq!((loaded.report.files, loaded.report.skipped_files), (4, 3));
    let coverage = &loaded.parts.coverage;
    for (kind, namespace) in
        [(Kind::PersistentVolume, ""), (Kind::StorageClass, ""), (Kind::PersistentVolumeClaim, "db"), (Kind::Pod, "db")]
    {
        assert_eq!(coverage.absence(kind, namespace), Absence::Certain, "{kind}");
    }
    assert_eq!(coverage.absence(Kind::Node, ""), Absence::Assumed);
}

/// Nobody adds surrounding kinds to an input by chance. So if the input has objects of a surrounding kind, they are
/// taken to be all objects of that kind. For a kind with namespaces, this holds only for the namespaces of these
/// objects. If the input has no objects of the kind, nothing is known about the kind. If the caller does not request
/// these kinds, they are not parsed.
#[test]
fn surrounding_kinds_are_read_only_on_request() {
    let node = json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n"}});
    let event = |namespace: &str, kind: &str| {
        json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": namespace},
            "involvedObject": {"kind": kind, "namespace": namespace, "name": "x"}})
    };
    let claims = event("db", "PersistentVolumeClaim");
    let input = [node, claims, event("web", "ConfigMap")].map(|object| object.to_string()).concat();
    let read = |surroundings| read_with(&FileOptions { surroundings, ..options() }, &mut input.as_bytes()).unwrap();
    let asked = read(Kind::SURROUNDING.to_vec());
    let count = |parts: &Parts| parts.objects.lists().iter().map(|list| list.length()).sum::<usize>();
    assert_eq!((asked.parts.objects.csi_nodes.len(), asked.parts.objects.events.len(), count(&asked.parts)), (1, 1, 2));
    let coverage = &asked.parts.coverage;
    assert_eq!(coverage.absence(Kind::CsiNode, ""), Absence::Certain);
    assert_eq!(coverage.absence(Kind::Event, "db"), Absence::Certain);
    for kind in [Kind::Event, Kind::Namespace] {
        assert_eq!(coverage.absence(kind, "web"), Absence::Unknown(CoverageState::Partial), "{kind}");
    }
    let plain = read(Vec::new()).parts;
    assert_eq!(count(&plain), 0);
    assert!(Kind::SURROUNDING.iter().all(|kind| plain.coverage.entry(*kind, None).is_none()));
}

#[test]
fn several_inputs_are_one_world_whatever_their_order() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    write(root, "a.json", volume("a").to_string());
    write(root, "b.json", format!("{}{}", volume("b"), claim("db", "c")));
    let paths = [root.join("a.json"), root.join("b.json"), "-".into()];
    let world = |order: [usize; 3]| {
        let paths = order.iter().map(|nth| paths[*nth].clone()).collect();
        let options = FileOptions { paths, ..FileOptions::default() };
        let loaded = read_with(&options, &mut claim("web", "d").to_string().as_bytes()).unwrap();
        let snapshot = Snapshot::new(loaded.parts);
        (snapshot.volumes().to_vec(), snapshot.claims().to_vec(), snapshot.coverage().clone(), snapshot.now())
    };
    assert_eq!(world([0, 1, 2]), world([2, 1, 0]));
    let twice = FileOptions { paths: vec!["-".into(), "-".into()], ..FileOptions::default() };
    assert_eq!(read_with(&twice, &mut std::io::empty()).unwrap_err().fault, Fault::StdinTwice);
}
