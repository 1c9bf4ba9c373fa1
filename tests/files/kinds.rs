//! These tests are about kinds that snapshots contain although no decision of a controller reads them. Each object is
//! decoded as an API server stores it, and a snapshot of the object contains no secrets.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use crate::support::{Finished, Run, files, root, text};
use pvctl::model::{
    DaemonSet, Deployment, EndpointSlice, Endpoints, Job, Kind, LabelOperator, Quantity, ReplicaSet, Resource, Service,
    Timestamp, VolumeAttributesClass, VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent,
};
use pvctl::snapshot::Item;
use pvctl::snapshot::decode::{decode, decode_as};
use pvctl::snapshot::redact::redact;
use serde_json::{Value, json};

/// The kinds as `kubectl api-resources` shows them for Kubernetes 1.36 with external-snapshotter 8: name, resource,
/// short names, version, and whether the kind is namespaced.
const KINDS: [(&str, &str, &[&str], &str, bool); 11] = [
    ("Service", "services", &["svc"], "v1", true),
    ("Endpoints", "endpoints", &["ep"], "v1", true),
    ("EndpointSlice", "endpointslices", &[], "discovery.k8s.io/v1", true),
    ("ReplicaSet", "replicasets", &["rs"], "apps/v1", true),
    ("Deployment", "deployments", &["deploy"], "apps/v1", true),
    ("DaemonSet", "daemonsets", &["ds"], "apps/v1", true),
    ("Job", "jobs", &[], "batch/v1", true),
    ("VolumeSnapshot", "volumesnapshots", &["vs"], "snapshot.storage.k8s.io/v1", true),
    ("VolumeSnapshotContent", "volumesnapshotcontents", &["vsc", "vscs"], "snapshot.storage.k8s.io/v1", false),
    ("VolumeSnapshotClass", "volumesnapshotclasses", &["vsclass", "vsclasses"], "snapshot.storage.k8s.io/v1", false),
    ("VolumeAttributesClass", "volumeattributesclasses", &["vac"], "storage.k8s.io/v1", false),
];

/// The text that the files contain in place of secrets.
const SECRET: &str = "hunter2";

/// Returns an object of that kind as an API server stores it.
pub(crate) fn stored(kind: Kind) -> Value {
    serde_json::from_str(&text(&format!("tests/files/kinds/{kind}.json"))).unwrap()
}

fn read<T: Resource>() -> T {
    decode(stored(T::KIND).to_string().as_bytes(), "a test").unwrap().of().unwrap()
}

fn texts<'t>(texts: impl IntoIterator<Item = &'t pvctl::model::Str>) -> Vec<&'t str> {
    texts.into_iter().map(pvctl::model::Str::as_str).collect()
}

fn moment(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).unwrap()
}

#[test]
fn the_table_of_kinds_agrees_with_the_api() {
    assert_eq!(files("tests/files/kinds", "json").len(), KINDS.len());
    for (name, resource, short, version, namespaced) in KINDS {
        let kind = Kind::from_manifest(name).unwrap();
        assert_eq!((kind.resource(), kind.api_version(), kind.namespaced()), (resource, version, namespaced), "{name}");
        assert!(kind.is_surrounding(), "{name}");
        let singular = name.to_lowercase();
        for word in short.iter().copied().chain([resource, &singular]) {
            assert_eq!(Kind::surrounding_from_word(word), Some(kind), "{word}");
        }
        assert_eq!(stored(kind)["apiVersion"], version);
    }
}

#[test]
fn a_service_is_read() {
    let service: Service = read();
    assert_eq!((service.kind.as_str(), service.cluster_ip.as_str()), ("LoadBalancer", "10.96.114.27"));
    assert_eq!(texts(&service.cluster_ips), ["10.96.114.27"]);
    assert_eq!(*service.selector, [("app".into(), "nfs-server".into()), ("role".into(), "export".into())]);
    let ports: Vec<_> = service
        .ports
        .iter()
        .map(|port| (port.name.as_str(), port.protocol.as_str(), port.port, port.target.as_str(), port.node_port))
        .collect();
    assert_eq!(ports, [("nfs", "TCP", 2049, "2049", Some(32049)), ("mountd", "UDP", 20048, "mountd", Some(30048))]);
    let owner = &service.owners[0];
    assert_eq!(
        (owner.kind.as_str(), owner.name.as_str(), owner.controller),
        ("PersistentVolumeClaim", "shared-data", false)
    );
    assert_eq!(service.external_name, "");
    let bare = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "n"},
        "spec": {"clusterIP": "None", "ports": [{"port": 80}], "selector": null}});
    let bare: Service = decode(bare.to_string().as_bytes(), "a test").unwrap().of().unwrap();
    assert_eq!((bare.kind.as_str(), bare.cluster_ip.as_str(), bare.selector.len()), ("ClusterIP", "None", 0));
    assert_eq!((bare.ports[0].protocol.as_str(), bare.ports[0].target.as_str()), ("TCP", ""));
}

#[test]
fn endpoints_are_read() {
    let endpoints: Endpoints = read();
    let [subset] = &*endpoints.subsets else { panic!("{endpoints:?}") };
    let ready = &subset.ready[0];
    assert_eq!(
        (ready.ip.as_str(), ready.hostname.as_str(), ready.node_name.as_str()),
        ("10.244.1.17", "nfs-server-0", "worker-1")
    );
    let target = ready.target.as_ref().unwrap();
    assert_eq!(
        (target.kind.as_str(), target.namespace.as_str(), target.name.as_str()),
        ("Pod", "storage", "nfs-server-0")
    );
    assert_eq!(target.uid, "9b1d0a52-64d5-4b5e-8d6e-6b1f0f8f9b10");
    assert_eq!((subset.not_ready.len(), subset.not_ready[0].node_name.as_str()), (1, "worker-2"));
    assert_eq!((subset.ports[0].name.as_str(), subset.ports[0].port), ("nfs", Some(2049)));
}

#[test]
fn an_endpoint_slice_is_read() {
    let slice: EndpointSlice = read();
    assert_eq!((slice.service(), slice.address_type.as_str()), (Some("nfs-server"), "IPv4"));
    let [first, second] = &*slice.endpoints else { panic!("{slice:?}") };
    assert_eq!((first.ready, first.serving, first.terminating), (Some(true), Some(true), Some(false)));
    assert_eq!((texts(&first.addresses), first.zone.as_str()), (vec!["10.244.1.17"], "eu-central-1a"));
    assert_eq!(first.target.as_ref().unwrap().name, "nfs-server-0");
    assert_eq!((second.ready, second.serving, &second.target), (Some(false), None, &None));
    assert_eq!((slice.ports[0].protocol.as_str(), slice.owners[0].kind.as_str()), ("TCP", "Service"));
}

#[test]
fn workloads_are_read_with_the_claims_of_their_pods() {
    let set: ReplicaSet = read();
    assert_eq!((set.replicas, set.existing, set.ready, set.available), (2, 2, 1, 1));
    assert_eq!((texts(&set.template.claims), set.template.ephemeral_volumes.len()), (vec!["wiki-pages"], 0));
    assert_eq!((set.owners[0].name.as_str(), set.owners[0].controller), ("wiki", true));
    assert_eq!(set.conditions[0].reason, "FailedCreate");
    let deployment: Deployment = read();
    assert_eq!((deployment.replicas, deployment.strategy.as_str(), deployment.paused), (2, "RollingUpdate", true));
    let counts =
        [deployment.existing, deployment.updated, deployment.ready, deployment.available, deployment.unavailable];
    assert_eq!(counts, [3, 2, 1, 1, 2]);
    assert_eq!(deployment.selector.unwrap().expressions[0].operator, LabelOperator::In);
    assert_eq!(texts(&deployment.template.ephemeral_volumes), ["cache"]);
    assert_eq!(*deployment.template.labels, [("app".into(), "wiki".into())]);
    let daemons: DaemonSet = read();
    let counts = [daemons.desired, daemons.current, daemons.updated, daemons.ready, daemons.available];
    assert_eq!((counts, daemons.unavailable, daemons.misscheduled), ([6, 5, 5, 4, 3], 2, 1));
    assert_eq!((daemons.template.claims.len(), daemons.owners[0].kind.as_str()), (0, "CSIDriverOperator"));
    let job: Job = read();
    assert_eq!((job.completions, job.parallelism, job.backoff_limit, job.suspended), (Some(2), 1, 3, false));
    assert_eq!([job.active, job.ready, job.succeeded, job.failed], [1, 0, 1, 4]);
    assert_eq!((job.started, job.completed), (Some(moment("2026-06-01T02:00:00Z")), None));
    assert_eq!(texts(&job.template.claims), ["wiki-pages", "backups"]);
    assert_eq!(job.conditions[0].kind, "FailureTarget");
}

/// The defaults that the API server sets: `SetDefaults_ReplicaSet` and `SetDefaults_Deployment` (`pkg/apis/apps/v1`),
/// `SetDefaults_Job` (`pkg/apis/batch/v1`), 1.36. A Job without `completions` has no default for them.
#[test]
fn unset_fields_of_a_workload_get_the_defaults_of_the_api_server() {
    fn bare<T: Resource>() -> T {
        let kind = T::KIND;
        let object =
            json!({"apiVersion": kind.api_version(), "kind": kind, "metadata": {"name": "w", "namespace": "n"}});
        decode(object.to_string().as_bytes(), "a test").unwrap().of().unwrap()
    }
    let deployment: Deployment = bare();
    assert_eq!((bare::<ReplicaSet>().replicas, deployment.replicas), (1, 1));
    assert_eq!((deployment.strategy.as_str(), deployment.paused), ("RollingUpdate", false));
    let job: Job = bare();
    assert_eq!((job.completions, job.parallelism, job.backoff_limit), (None, 1, 6));
}

#[test]
fn snapshots_are_read() {
    let snapshot: VolumeSnapshot = read();
    assert_eq!((snapshot.claim.as_str(), snapshot.content.as_str()), ("wiki-pages", ""));
    assert_eq!((snapshot.class_name.as_deref(), snapshot.ready), (Some("csi-snapshots"), Some(false)));
    assert_eq!(snapshot.bound_content, "snapcontent-6e7f8091-a2b3-4c4d-95e6-f708192a3b08");
    assert_eq!((snapshot.restore_size, snapshot.taken), (Some(quantity("10Gi")), Some(moment("2026-06-10T21:00:03Z"))));
    let error = snapshot.error.unwrap();
    assert_eq!(error.time, Some(moment("2026-06-10T21:00:06Z")));
    assert!(error.message.contains("DeadlineExceeded"));
    assert_eq!((snapshot.meta.finalizers.len(), snapshot.owners.len()), (2, 1));
    let content: VolumeSnapshotContent = read();
    assert_eq!((content.driver.as_str(), content.deletion_policy.as_str()), ("csi.example.com", "Delete"));
    assert_eq!((content.volume_handle.as_str(), content.source_handle.as_str()), ("vol-0a1b", ""));
    assert_eq!((content.handle.as_str(), content.ready), ("snap-77c1", Some(true)));
    assert_eq!(
        (content.restore_size, content.taken),
        (Some(quantity("10737418240")), Some(moment("2026-06-10T21:00:03Z")))
    );
    assert_eq!((content.snapshot.namespace.as_str(), content.snapshot.name.as_str()), ("docs", "pages-nightly"));
    assert!(content.meta.deleted.is_some() && content.error.unwrap().message.contains("dependent clones"));
    let class: VolumeSnapshotClass = read();
    assert!(class.is_default());
    assert_eq!((class.driver.as_str(), class.deletion_policy.as_str()), ("csi.example.com", "Retain"));
    let names = ["csi.storage.k8s.io/snapshotter-secret-name", "csi.storage.k8s.io/snapshotter-secret-namespace"];
    assert_eq!(texts(&class.parameters), [names[0], names[1], "encryptionPassphrase"]);
    let class: VolumeAttributesClass = read();
    assert_eq!(
        (class.driver.as_str(), texts(&class.parameters)),
        ("csi.example.com", vec!["accessKey", "iops", "throughput"])
    );
}

/// Older servers serve these kinds in older versions of the same form. A kind with the same name in another group is
/// another kind.
#[test]
fn objects_of_other_versions_and_groups() {
    let of = |kind: Kind, version: &str| {
        let mut object = stored(kind);
        object["apiVersion"] = version.into();
        decode(object.to_string().as_bytes(), "a test").unwrap()
    };
    for (kind, version) in [
        (Kind::VolumeAttributesClass, "storage.k8s.io/v1beta1"),
        (Kind::VolumeAttributesClass, "storage.k8s.io/v1alpha1"),
        (Kind::VolumeSnapshot, "snapshot.storage.k8s.io/v1beta1"),
        (Kind::VolumeSnapshotContent, "snapshot.storage.k8s.io/v1beta1"),
        (Kind::VolumeSnapshotClass, "snapshot.storage.k8s.io/v1beta1"),
    ] {
        assert!(matches!(of(kind, version), Item::Object(object) if object.kind() == kind), "{version} {kind}");
    }
    for (kind, version) in [(Kind::Service, "serving.knative.dev/v1"), (Kind::Job, "batch.volcano.sh/v1alpha1")] {
        assert!(matches!(of(kind, version), Item::Skipped(name) if name == kind.as_str()), "{version} {kind}");
    }
}

/// Redaction removes no field that is read. Redacting twice gives the same as redacting once.
#[test]
fn a_redacted_object_is_read_as_before() {
    for (name, ..) in KINDS {
        let kind = Kind::from_manifest(name).unwrap();
        let decoded =
            |object: &Value| format!("{:?}", decode_as(kind, object.to_string().as_bytes(), "a test").unwrap());
        let redacted = redact(kind, stored(kind));
        assert_eq!(decoded(&redacted), decoded(&stored(kind)), "{name}");
        assert!(!redacted.to_string().contains(SECRET), "{redacted}");
        assert_eq!(redact(kind, redacted.clone()), redacted, "{name}");
    }
}

/// Redaction removes addresses outside the cluster, the contents of containers and the values of parameters. It keeps
/// the names of secrets, and the fields that the API server requires in a Job.
#[test]
fn redaction_removes_contents_and_keeps_names() {
    let kept = |kind: Kind| redact(kind, stored(kind));
    let service = kept(Kind::Service);
    assert_eq!(
        (&service["spec"]["externalIPs"], &service["spec"]["loadBalancerSourceRanges"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(service.get("status"), None);
    let generation = |value: &str| {
        let mut set = stored(Kind::DaemonSet);
        set["metadata"]["annotations"]["deprecated.daemonset.template.generation"] = value.into();
        redact(Kind::DaemonSet, set)["metadata"]["annotations"]["deprecated.daemonset.template.generation"].clone()
    };
    assert_eq!(
        (generation("2"), generation("s3cret")),
        ("2".into(), "<redacted>".into()),
        "only a number is kept, because the API server parses it"
    );
    let template = json!({
        "metadata": {"labels": {"app": "wiki"}},
        "spec": {
            "containers": [{"image": "<redacted>", "name": "wiki"}],
            "volumes": [
                {"name": "pages", "persistentVolumeClaim": {"claimName": "wiki-pages"}},
                {"name": "cache", "ephemeral": {"volumeClaimTemplate": {
                    "metadata": {"annotations": {"example.com/token": "<redacted>"}},
                    "spec": {
                        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}},
                        "storageClassName": "fast", "volumeMode": "Filesystem"
                    }
                }}}
            ]
        }
    });
    assert_eq!(kept(Kind::Deployment)["spec"]["template"], template);
    assert_eq!(kept(Kind::Job)["spec"]["template"]["spec"]["restartPolicy"], "Never");
    let limit = "Job has reached the specified backoff limit";
    assert_eq!(kept(Kind::Job)["status"]["conditions"][0]["message"], limit);
    let parameters = json!({
        "csi.storage.k8s.io/snapshotter-secret-name": "csi-credentials",
        "csi.storage.k8s.io/snapshotter-secret-namespace": "kube-system",
        "encryptionPassphrase": "<redacted>",
    });
    assert_eq!(kept(Kind::VolumeSnapshotClass)["parameters"], parameters);
    let hidden = json!({"accessKey": "<redacted>", "iops": "<redacted>", "throughput": "<redacted>"});
    assert_eq!(kept(Kind::VolumeAttributesClass)["parameters"], hidden);
    let annotations = &kept(Kind::VolumeSnapshotContent)["metadata"]["annotations"];
    assert_eq!(annotations["snapshot.storage.kubernetes.io/deletion-secret-name"], "csi-credentials");
    // The snapshot controller only checks whether this annotation exists.
    assert_eq!(annotations["snapshot.storage.kubernetes.io/volumesnapshot-being-deleted"], "<redacted>");
}

/// Returns the kinds of the objects of a snapshot. The namespaces that the test server always has are left out.
fn kinds_of(snapshot: &Value) -> Vec<&str> {
    let kinds = snapshot["items"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap());
    kinds.filter(|kind| *kind != "Namespace").collect()
}

/// Returns the coverage that a snapshot states.
fn coverage(snapshot: &Value) -> Vec<Value> {
    serde_json::from_str(snapshot["metadata"]["annotations"]["pvctl.dev/coverage"].as_str().unwrap()).unwrap()
}

/// A snapshot contains these kinds in the order of the table. Objects of these kinds change neither a prediction nor
/// the findings of an audit of the example.
#[test]
fn a_snapshot_of_files_holds_these_kinds_and_other_answers_stay_the_same() {
    let taken = Run::new(&["snapshot", "-f", "tests/files/kinds"]).current_dir(root()).finish();
    assert_eq!((taken.code, taken.stderr.as_str()), (Some(0), ""));
    let list: Value = serde_json::from_str(&taken.stdout).unwrap();
    let kinds: Vec<&str> =
        list["items"].as_array().unwrap().iter().map(|item| item["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, KINDS.map(|(name, ..)| name));
    let again = Run::new(&["snapshot", "-f", "-"]).stdin(taken.stdout.as_bytes()).finish();
    assert!(again.stdout == taken.stdout && again.code == Some(0), "{}", again.stderr);
    let coverage = coverage(&list);
    let services = json!({"resource": "services", "namespace": "storage", "state": "complete"});
    assert!(coverage.contains(&services), "{coverage:?}");
    let answers = |verb: &'static str| {
        let alone = [verb, "-o", "json", "-f", "examples/contended.json"];
        let beside = [&alone[..], &["-f", "tests/files/kinds"]].concat();
        [&alone[..], &beside].map(|words| Run::new(words).current_dir(root()).finish())
    };
    let [alone, beside] = answers("predict");
    assert_eq!((beside.code, beside.stderr, beside.stdout), (alone.code, alone.stderr, alone.stdout));
    let findings = |run: &Finished| serde_json::from_str::<Value>(&run.stdout).unwrap()["findings"].take();
    let [alone, beside] = answers("audit");
    assert_eq!((beside.code, findings(&beside)), (alone.code, findings(&alone)));
}

/// Returns whether the resource belongs to the kinds of VolumeSnapshots.
fn is_snapshot(resource: &str) -> bool {
    resource.starts_with("volumesnapshot")
}

/// A snapshot of a cluster lists these kinds, and an audit lists only those that rules read. If the server does not
/// have these kinds or does not show them, the coverage says so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_a_snapshot_of_a_cluster_lists_surrounding_kinds() {
    let fake = ApiServer::start().await;
    fake.hold(KINDS.map(|(name, ..)| stored(Kind::from_manifest(name).unwrap())));
    let lists = KINDS.map(|(_, resource, _, version, _)| {
        let root = if version.contains('/') { "apis" } else { "api" };
        (resource, format!("/{root}/{version}/{resource}"))
    });
    let ask = async |words: &'static [&'static str]| {
        let url = fake.url();
        let run = move || Run::new(&[words, &["-A", "--server", &url]].concat()).finish();
        tokio::task::spawn_blocking(run).await.unwrap()
    };
    let listed = |fake: &ApiServer| lists.iter().map(|(_, path)| fake.count(path)).collect::<Vec<_>>();
    let run = ask(&["predict"]).await;
    assert_eq!((run.code, listed(&fake)), (Some(0), vec![0; KINDS.len()]), "{}", run.stderr);
    let run = ask(&["audit", "--exit-zero"]).await;
    let read =
        |resource: &str| resource == "services" || resource == "volumeattributesclasses" || is_snapshot(resource);
    let of_rules: Vec<usize> = lists.iter().map(|(resource, _)| usize::from(read(resource))).collect();
    assert_eq!((run.code, listed(&fake)), (Some(0), of_rules.clone()), "{}", run.stderr);
    let whole = ask(&["snapshot"]).await;
    assert_eq!((whole.code, whole.stderr.as_str()), (Some(0), ""));
    let of_both: Vec<usize> = of_rules.iter().map(|count| count + 1).collect();
    assert_eq!(listed(&fake), of_both);
    let list: Value = serde_json::from_str(&whole.stdout).unwrap();
    assert_eq!(kinds_of(&list), KINDS.map(|(name, ..)| name));
    assert!(!whole.stdout.contains(SECRET));
    for (_, path) in &lists {
        let answer =
            if path.contains("snapshot.storage") { Fault::Refused(404, "none") } else { Fault::Refused(403, "no") };
        fake.fail(path, usize::MAX, answer);
    }
    let hidden = ask(&["snapshot"]).await;
    // Many servers do not serve the kinds of VolumeSnapshots. So the note does not name them.
    let note = "note: services, endpoints, endpointslices, deployments, volumeattributesclasses are missing; `audit` of \
                the snapshot may find fewer problems\n";
    assert_eq!((hidden.code, hidden.stderr.as_str()), (Some(0), note));
    let list: Value = serde_json::from_str(&hidden.stdout).unwrap();
    assert_eq!(kinds_of(&list), [""; 0]);
    let coverage = coverage(&list);
    for (resource, path) in &lists {
        let (state, reason) =
            if path.contains("snapshot.storage") { ("notServed", "none") } else { ("forbidden", "no") };
        let entry = json!({"resource": resource, "state": state, "reason": reason});
        assert!(coverage.contains(&entry), "{entry}: {coverage:?}");
    }
}
