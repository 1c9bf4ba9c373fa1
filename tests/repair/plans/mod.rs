//! Plans in small worlds: what each verb writes, what it refuses and why. Expected values are those of
//! `docs/REPAIR.md` and `docs/controllers/`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a world that cannot be made is a failed test")]

mod detach;
pub(crate) mod reconnect;
mod refusals;
mod undo;
mod verbs;

use crate::support::text;
use pvctl::controllers::KubernetesBehavior;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::model::{Kind, ObjectKey};
use pvctl::repair::{
    Change, Done, Manifests, Plan, Proposed, Receipts, Recipient, Refusal, Rejected, Request, Reviewed, Right,
    Situation, propose, reads, review, rights, undo,
};
use pvctl::simulate::Settings;
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot, decode};
use serde_json::{Value, json};

/// A world of a few objects. Its coverage is complete.
pub(crate) struct World {
    pub(crate) snapshot: Snapshot,
    objects: Vec<Value>,
}

/// Returns the coverage of a complete reading.
pub(crate) fn complete() -> Coverage {
    let mut coverage = Coverage::complete();
    for kind in Kind::SURROUNDING {
        coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
    }
    coverage
}

impl World {
    pub(crate) fn new(objects: Vec<Value>) -> Self {
        Self::with(objects, complete())
    }

    pub(crate) fn with(objects: Vec<Value>, coverage: Coverage) -> Self {
        let mut parts = Parts { coverage, ..Parts::default() };
        let given = |name: &str| objects.iter().any(|object| is_namespace(object, name));
        let usual: Vec<Value> = ["db", "new"].into_iter().filter(|name| !given(name)).map(namespace).collect();
        for object in objects.iter().chain(&usual) {
            match decode::read(None, object.to_string().as_bytes(), "test").unwrap() {
                Item::Object(object) => parts.objects.push(object),
                Item::Skipped(_) => panic!("the program must know this kind: {object}"),
            }
        }
        Self { snapshot: Snapshot::new(parts), objects }
    }

    pub(crate) fn manifests(&self, keys: &[ObjectKey]) -> Manifests {
        let mut manifests = Manifests::default();
        for key in keys {
            let is = |object: &&Value| {
                object["kind"] == key.kind.as_str()
                    && object["metadata"]["name"] == key.name.as_str()
                    && object["metadata"]["namespace"].as_str().unwrap_or_default() == key.namespace
            };
            manifests.add(key.clone(), self.objects.iter().find(is).unwrap().clone());
        }
        manifests
    }

    pub(crate) fn propose(&self, request: &Request) -> Proposed {
        let manifests = self.manifests(&reads(&self.snapshot, request, Providers::built_in()));
        propose(&self.situation(&manifests), request)
    }

    pub(crate) fn situation<'a>(&'a self, manifests: &'a Manifests) -> Situation<'a> {
        Situation {
            snapshot: &self.snapshot,
            settings: Settings::new(KubernetesBehavior::default()),
            manifests,
            providers: Providers::built_in(),
        }
    }

    pub(crate) fn plan(&self, request: &Request) -> Plan {
        match self.propose(request) {
            Proposed::Plan(plan) => *plan,
            other => panic!("a plan must be proposed: {other:?}"),
        }
    }

    pub(crate) fn review(&self, request: &Request) -> Result<Reviewed, Box<Rejected>> {
        let plan = self.plan(request);
        let manifests = self.manifests(&reads(&self.snapshot, request, Providers::built_in()));
        let receipts = Receipts::granted(&plan);
        review(&self.situation(&manifests), plan, &receipts)
    }

    /// Returns the plan of a request. Fails if the review does not accept the plan.
    pub(crate) fn accepted(&self, request: &Request) -> Plan {
        match self.review(request) {
            Ok(reviewed) => reviewed.plan().clone(),
            Err(rejected) => panic!("{:#?}", (rejected.refusal, rejected.interleaving)),
        }
    }

    /// Returns the reason why no plan is proposed, or why the review refuses the plan.
    pub(crate) fn refusal(&self, request: &Request) -> Refusal {
        match self.propose(request) {
            Proposed::Refused(refusal) => refusal,
            Proposed::Nothing(why) => panic!("the request must be refused, but there is nothing to do: {why}"),
            Proposed::Plan(_) => match self.review(request) {
                Err(rejected) => rejected.refusal,
                Ok(reviewed) => panic!("the plan must be refused: {:#?}", reviewed.plan()),
            },
        }
    }
}

/// Returns a namespace that is older than every volume.
pub(crate) fn namespace(name: &str) -> Value {
    namespace_of(name, "2026-01-01T10:00:00Z")
}

fn namespace_of(name: &str, created: &str) -> Value {
    let metadata = json!({ "name": name, "uid": format!("n-{name}"), "creationTimestamp": created });
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata })
}

fn is_namespace(object: &Value, name: &str) -> bool {
    object["kind"] == "Namespace" && object["metadata"]["name"] == name
}

/// Returns a CSI volume of 1Gi with policy Retain and this `claimRef`.
pub(crate) fn volume(name: &str, phase: &str, claim_ref: Value) -> Value {
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {
            "name": name, "uid": format!("v-{name}"), "resourceVersion": "10", "finalizers": ["kubernetes.io/pv-protection"],
            "creationTimestamp": "2026-06-01T10:00:00Z",
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": { "storage": "1Gi" },
            "csi": { "driver": "disk.csi.example.com", "volumeHandle": format!("handle-{name}") },
            "persistentVolumeReclaimPolicy": "Retain", "storageClassName": "fast", "volumeMode": "Filesystem",
        },
        "status": { "phase": phase },
    });
    if !claim_ref.is_null() {
        volume["spec"]["claimRef"] = claim_ref;
    }
    volume
}

pub(crate) fn of(namespace: &str, name: &str, uid: &str) -> Value {
    let mut named =
        json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name });
    if !uid.is_empty() {
        named["uid"] = uid.into();
    }
    named
}

pub(crate) fn claim(namespace: &str, name: &str, volume: &str, phase: &str) -> Value {
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "namespace": namespace, "name": name, "uid": format!("c-{name}"), "resourceVersion": "20",
            "finalizers": ["kubernetes.io/pvc-protection"], "labels": { "app": "shop" },
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } },
            "storageClassName": "fast", "volumeMode": "Filesystem",
        },
        "status": { "phase": phase },
    });
    if !volume.is_empty() {
        claim["spec"]["volumeName"] = volume.into();
    }
    if phase == "Bound" || phase == "Lost" {
        claim["metadata"]["annotations"] =
            json!({ "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" });
    }
    claim
}

pub(crate) fn class(name: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": { "name": name, "uid": format!("s-{name}") },
        "provisioner": "disk.csi.example.com", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate",
    })
}

pub(crate) fn pod(namespace: &str, name: &str, claim: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "namespace": namespace, "name": name, "uid": format!("p-{name}") },
        "spec": { "nodeName": "node-1", "volumes": [{ "name": "data", "persistentVolumeClaim": { "claimName": claim } }] },
        "status": { "phase": "Running" },
    })
}

/// Returns a volume and a claim that are bound to each other, and their class. The policy of the volume is Delete, as
/// in most clusters.
pub(crate) fn bound() -> Vec<Value> {
    let mut pv = volume("pv-1", "Bound", of("db", "data", "c-data"));
    pv["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    vec![pv, claim("db", "data", "pv-1", "Bound"), class("fast")]
}

/// Returns a volume whose claim is gone, and its class.
pub(crate) fn released() -> Vec<Value> {
    vec![volume("pv-1", "Released", of("db", "data", "c-gone")), class("fast")]
}

pub(crate) fn moving() -> Request {
    Request::Move {
        namespace: "db".into(),
        name: "data".into(),
        to_namespace: "new".into(),
        to_name: "data".into(),
        restore_policy: false,
    }
}

pub(crate) fn changes(plan: &Plan) -> Vec<String> {
    let shown = |write: &pvctl::repair::Write| {
        let what = match &write.change {
            Change::SetReclaimPolicy { to } => format!("policy {to}"),
            Change::SetClaimRef { to: Some(named), .. } => format!(
                "claimRef {}/{}{}",
                named.namespace,
                named.name,
                if named.uid.is_empty() { String::new() } else { format!(" {}", named.uid) }
            ),
            Change::SetClaimRef { to: None, .. } => "no claimRef".to_owned(),
            Change::RemoveFinalizer { finalizer } => format!("without {finalizer}"),
            Change::NameVolume { volume } => format!("volumeName {volume}"),
            Change::SetClass { class } => format!("class {class}"),
            Change::SetAnnotation { key, value } => format!("{key}={value:?}"),
            Change::Create { manifest } => format!("create, volume {}", manifest["spec"]["volumeName"]),
            Change::CreateService { service } => format!("create, address {}", service.address()),
            Change::Delete => "delete".to_owned(),
        };
        format!("{}: {what}", write.object)
    };
    plan.steps.iter().map(|step| step.write.as_ref().map_or_else(|| "wait".to_owned(), shown)).collect()
}

/// Returns a VolumeAttachment of a volume to a node.
pub(crate) fn attachment(volume: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": { "name": "va", "uid": "a" },
        "spec": { "attacher": "disk.csi.example.com", "nodeName": "node-1", "source": { "persistentVolumeName": volume } },
    })
}

fn done(steps: &[pvctl::repair::Step]) -> Vec<Done> {
    // The undo needs the uid of a claim, and the `claimRef` of a volume.
    let after = Some(json!({ "metadata": { "uid": "c-new" }, "spec": { "claimRef": of("db", "data", "c-data") } }));
    steps.iter().map(|step| Done { step: step.clone(), after: after.clone(), was_so: false }).collect()
}

fn way_back(world: &World, plan: &Plan, done: &[Done]) -> Plan {
    let manifests = Manifests::default();
    match undo(&world.situation(&manifests), "journal", false, plan, done) {
        Proposed::Plan(back) => *back,
        other => panic!("an undo must be proposed: {other:?}"),
    }
}

fn reviewed(world: &World, plan: &Plan) -> Result<Reviewed, Box<Rejected>> {
    let manifests = Manifests::default();
    review(&world.situation(&manifests), plan.clone(), &Receipts::granted(plan))
}

/// The documented role must contain all rights that a plan needs, also the right to read the pod of a recycler.
#[test]
fn the_role_for_repairs_suffices() {
    let role = text("docs/rbac/repair.yaml");
    let behavior: Vec<&str> = role.split("- apiGroups:").collect();
    let mut nfs = released();
    nfs[0]["spec"]["csi"] = Value::Null;
    nfs[0]["spec"]["nfs"] = json!({ "server": "nfs.example.com", "path": "/data" });
    let release = Request::Release { volume: "pv-1".into(), to: Recipient::LastClaim };
    let detach = Request::Detach { attachment: "va".into(), machine_off: None };
    let attached = World::new([bound(), vec![attachment("pv-1")]].concat());
    let served = World::new(reconnect::missing());
    let plans = [
        World::new(nfs).accepted(&release),
        World::new(bound()).accepted(&moving()),
        attached.accepted(&detach),
        served.accepted(&reconnect::asked("pv-1", None, None)),
    ];
    let mut asked: Vec<Right> = plans.iter().flat_map(rights).collect();
    // This right is needed to identify the cluster.
    asked.push(Right { verb: "get", kind: Kind::Namespace, namespace: "".into(), name: "kube-system".into() });
    assert!(asked.iter().any(|right| right.kind == Kind::Pod && right.verb == "get"), "{asked:?}");
    for right in asked {
        let granted = |line: &str, words: &str| {
            let list = line.trim().strip_prefix(words).map(|list| list.trim_matches([' ', '[', ']']).to_owned());
            list.into_iter()
                .flat_map(|list| list.split(", ").map(str::to_owned).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        let allows = |rule: &&str| {
            let resources: Vec<String> = rule.lines().flat_map(|line| granted(line, "resources:")).collect();
            let verbs: Vec<String> = rule.lines().flat_map(|line| granted(line, "verbs:")).collect();
            resources.iter().any(|resource| resource == right.kind.resource())
                && verbs.iter().any(|verb| verb == right.verb)
        };
        assert!(behavior.iter().any(allows), "{right:?} is not in docs/rbac/repair.yaml");
    }
}
