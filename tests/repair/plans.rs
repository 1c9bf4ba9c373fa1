//! Plans in small worlds: what each verb writes, what it refuses and why. Expected values are those of the rule book
//! (`docs/REPAIR.md` names the rules).
#![expect(clippy::unwrap_used, clippy::panic, reason = "a world that cannot be made is a failed test")]

use crate::support::text;
use pvctl::controllers::Rules;
use pvctl::model::{Kind, ObjectKey};
use pvctl::repair::{
    Change, Done, Expect, Guard, Holds, Manifests, Plan, Proposed, Receipts, Recipient, Refusal, Rejected, Request,
    Reviewed, Right, Setting, Situation, Undo, claim_key, propose, reads, review, rights, undo, volume_key,
};
use pvctl::simulate::Settings;
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot, decode};
use serde_json::{Value, json};

/// A world of a few objects, of which everything is known.
pub(crate) struct World {
    pub(crate) snapshot: Snapshot,
    objects: Vec<Value>,
}

/// Everything was read.
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
            match decode::read_some(None, object.to_string().as_bytes(), "test", true).unwrap() {
                Item::Object(object) => parts.objects.push(object),
                Item::Skipped(_) => panic!("{object} is passed over"),
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
        let manifests = self.manifests(&reads(&self.snapshot, request));
        propose(&self.situation(&manifests), request)
    }

    pub(crate) fn situation<'a>(&'a self, manifests: &'a Manifests) -> Situation<'a> {
        Situation { snapshot: &self.snapshot, settings: Settings::new(Rules::default()), manifests }
    }

    pub(crate) fn plan(&self, request: &Request) -> Plan {
        match self.propose(request) {
            Proposed::Plan(plan) => *plan,
            other => panic!("there is no plan: {other:?}"),
        }
    }

    pub(crate) fn review(&self, request: &Request) -> Result<Reviewed, Box<Rejected>> {
        let plan = self.plan(request);
        let manifests = self.manifests(&reads(&self.snapshot, request));
        let receipts = Receipts::granted(&plan);
        review(&self.situation(&manifests), plan, &receipts)
    }

    /// The plan, as it is reviewed and accepted.
    pub(crate) fn accepted(&self, request: &Request) -> Plan {
        match self.review(request) {
            Ok(reviewed) => reviewed.plan().clone(),
            Err(rejected) => panic!("{:#?}", (rejected.refusal, rejected.interleaving)),
        }
    }

    /// Why there is no plan, or none that is carried out.
    pub(crate) fn refusal(&self, request: &Request) -> Refusal {
        match self.propose(request) {
            Proposed::Refused(refusal) => refusal,
            Proposed::Nothing(why) => panic!("there is nothing to do: {why}"),
            Proposed::Plan(_) => match self.review(request) {
                Err(rejected) => rejected.refusal,
                Ok(reviewed) => panic!("the plan is accepted: {:#?}", reviewed.plan()),
            },
        }
    }
}

/// A namespace that is older than every volume.
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

/// A CSI volume of 1Gi with policy Retain, Bound to `claim_ref` if it has a uid.
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

/// Bound to each other, with policy Delete: the common case.
pub(crate) fn bound() -> Vec<Value> {
    let mut pv = volume("pv-1", "Bound", of("db", "data", "c-data"));
    pv["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    vec![pv, claim("db", "data", "pv-1", "Bound"), class("fast")]
}

/// The claim is gone.
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
            Change::Delete => "delete".to_owned(),
        };
        format!("{}: {what}", write.object)
    };
    plan.steps.iter().map(|step| step.write.as_ref().map_or_else(|| "wait".to_owned(), shown)).collect()
}

/// What keeps a volume at a node.
pub(crate) fn attachment(volume: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": { "name": "va", "uid": "a" },
        "spec": { "attacher": "disk.csi.example.com", "nodeName": "node-1", "source": { "persistentVolumeName": volume } },
    })
}

fn volume_request(verb: fn(pvctl::model::Str) -> Request) -> Request {
    verb("pv-1".into())
}

#[test]
fn retain_sets_the_policy_and_nothing_else() {
    let world = World::new(bound());
    let request = volume_request(|volume| Request::Retain { volume });
    assert_eq!(changes(&world.accepted(&request)), ["pv/pv-1: policy Retain"]);
    let again = World::new(released());
    assert!(matches!(again.propose(&request), Proposed::Nothing(_)));
}

/// Rule book: a Released volume is reserved by name (W-RESERVE), never freed, unless somebody says so and types its
/// name.
#[test]
fn release_reserves_unless_told_otherwise() {
    let world = World::new(released());
    let release = |to| Request::Release { volume: "pv-1".into(), to };
    assert_eq!(changes(&world.accepted(&release(Recipient::LastClaim))), ["pv/pv-1: claimRef db/data"]);
    let other = Recipient::Claim { namespace: "new".into(), name: "copy".into() };
    assert_eq!(changes(&world.accepted(&release(other))), ["pv/pv-1: claimRef new/copy"]);
    let plan = world.accepted(&release(Recipient::Anyone));
    assert_eq!(changes(&plan), ["pv/pv-1: no claimRef"]);
    assert_eq!(plan.type_name.as_deref(), Some("pv-1"));
}

/// A claim that has a volume takes no other: the reservation would wait for the next claim of that name, with old data.
#[test]
fn a_volume_is_not_reserved_for_a_claim_that_has_another_one() {
    let message = "claim db/data has volume pv-2 already: it does not take pv-1";
    let release = |to| Request::Release { volume: "pv-1".into(), to };
    let unbind = |to| Request::Unbind { volume: "pv-1".into(), to };
    let bound = [claim("db", "data", "pv-2", "Bound"), volume("pv-2", "Bound", of("db", "data", "c-data"))];
    let named = [claim("db", "data", "pv-2", "Pending"), volume("pv-2", "Available", of("db", "data", ""))];
    let on_its_way = [claim("db", "data", "", "Pending"), volume("pv-2", "Bound", of("db", "data", "c-data"))];
    for has in [bound, named, on_its_way] {
        let mut objects = released();
        objects.extend(has);
        let refusal = World::new(objects.clone()).refusal(&release(Recipient::LastClaim));
        assert_eq!((refusal.by, refusal.message.as_str()), ("bound", message));
        assert_eq!(
            refusal.hints,
            [
                "kubectl pvctl rebind pvc/data -n db --to pv/pv-1 replaces that claim by one that has this volume",
                "--reserve-for db/OTHER keeps the volume for a claim of another name",
            ]
        );
        objects[0] = volume("pv-1", "Available", of("db", "data", "c-gone"));
        let refusal = World::new(objects.clone()).refusal(&unbind(Recipient::LastClaim));
        assert_eq!((refusal.by, refusal.message.as_str()), ("bound", message));
        objects[0] = volume("pv-1", "Released", of("db", "other", "c-gone"));
        let to = Recipient::Claim { namespace: "db".into(), name: "data".into() };
        assert_eq!(World::new(objects).refusal(&release(to)).message, message);
    }
}

/// Somebody who asks for the volume that a claim had before hears which one that is.
#[test]
fn a_claim_that_is_bound_is_not_restored_and_its_older_volumes_are_named() {
    let restore =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let said = |objects: Vec<Value>| match World::new(objects).propose(&restore) {
        Proposed::Nothing(why) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(said(bound()), "claim db/data has volume pv-1 and is bound");
    let mut objects = bound();
    let mut old = volume("pv-0", "Released", of("db", "data", "c-older"));
    objects.push(old.clone());
    assert_eq!(
        said(objects),
        "claim db/data has volume pv-1 and is bound. Volume pv-0 names it as well: it is Released, with policy Retain. \
         `kubectl pvctl rebind pvc/data -n db --to pv/pv-0` gives that one to the claim"
    );
    let mut objects = bound();
    old["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    objects.push(old);
    assert_eq!(
        said(objects),
        "claim db/data has volume pv-1 and is bound. Volume pv-0 names it as well: it is Released, with policy Delete. \
         `kubectl pvctl retain pv/pv-0` keeps its data; `kubectl pvctl rebind pvc/data -n db --to pv/pv-0` gives that one \
         to the claim"
    );
    // The controller has not seen yet that the claim is back.
    let mut objects = bound();
    objects[0]["status"]["phase"] = "Released".into();
    assert_eq!(said(objects), "volume pv-1 names claim db/data by its uid: the controller binds them by itself");
}

/// A volume with policy Delete is kept first.
#[test]
fn release_keeps_the_data_first() {
    let mut objects = released();
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let world = World::new(objects);
    let request = Request::Release { volume: "pv-1".into(), to: Recipient::LastClaim };
    assert_eq!(changes(&world.accepted(&request)), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data"]);
}

/// The order of the rule book's PLAN-MOVE: Retain, delete, wait, reserve, create with volumeName.
#[test]
fn move_follows_the_safe_order() {
    let plan = World::new(bound()).accepted(&moving());
    assert_eq!(
        changes(&plan),
        [
            "pv/pv-1: policy Retain",
            "pvc/data -n db: delete",
            "wait",
            "pv/pv-1: claimRef new/data",
            "pvc/data -n new: create, volume \"pv-1\""
        ]
    );
    let Some(Change::Create { manifest }) = plan.steps[4].write.as_ref().map(|write| &write.change) else { panic!() };
    assert_eq!(manifest["metadata"]["labels"], json!({ "app": "shop" }));
    assert_eq!(manifest["metadata"]["annotations"], json!({ "pvctl.dev/plan": plan.id }));
    assert!(
        plan.steps[4]
            .expects
            .iter()
            .any(|is| is.object == claim_key("new", "data") && is.states == ["Bound, volume pv-1"])
    );
    assert!(
        plan.steps[4]
            .expects
            .iter()
            .any(|is| is.object == volume_key("pv-1") && is.states == ["Bound, Retain, claimRef new/data"])
    );
}

/// What the adversary is for: the same plan without its first step.
#[test]
fn a_move_without_retain_is_refused() {
    let world = World::new(bound());
    let mut plan = world.plan(&moving());
    plan.steps.remove(0);
    for step in &mut plan.steps {
        step.recheck.clear();
        if let Some(write) = &mut step.write {
            write.expect.clear();
        }
    }
    let verdict = pvctl::repair::judge(&world.situation(&Manifests::default()), &plan, pvctl::repair::Reach::REVIEW);
    let pvctl::repair::Verdict::Harmful(found) = verdict else { panic!("{verdict:?}") };
    assert_eq!(found.harm, pvctl::repair::Harm::DataDeleted);
}

/// Freeing instead of reserving: a stranger gets it.
#[test]
fn a_move_that_frees_is_refused() {
    let world = World::new(bound());
    let mut plan = world.plan(&moving());
    if let Some(write) = &mut plan.steps[3].write {
        write.change = Change::SetClaimRef { to: None, bound_by_controller: false };
    }
    let verdict = pvctl::repair::judge(&world.situation(&Manifests::default()), &plan, pvctl::repair::Reach::REVIEW);
    let pvctl::repair::Verdict::Harmful(found) = verdict else { panic!("{verdict:?}") };
    assert!(matches!(found.harm, pvctl::repair::Harm::Taken(..)), "{found:?}");
}

#[test]
fn lost_claims_are_given_their_volume_by_uid() {
    for claim_ref in [of("db", "data", ""), of("db", "data", "c-older")] {
        let world = World::new(vec![
            volume("pv-1", if claim_ref["uid"].is_null() { "Available" } else { "Released" }, claim_ref),
            claim("db", "data", "pv-1", "Lost"),
            class("fast"),
        ]);
        let request =
            Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
        let plan = world.accepted(&request);
        assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data c-data"]);
        assert!(plan.is_safe());
    }
}

/// A namespace that was deleted and made again may be another tenant's, and the marks of a binding are the tenant's to
/// set: whatever gives a volume to a claim there is left to a person.
#[test]
fn a_namespace_that_is_younger_than_a_volume_gets_it_from_a_person_only() {
    let restore =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let stale = || volume("pv-1", "Released", of("db", "data", "c-older"));
    for (case, claims) in [
        ("Lost", vec![claim("db", "data", "pv-1", "Lost")]),
        ("Lost, without a volume", vec![claim("db", "data", "", "Lost")]),
        ("naming the volume", vec![claim("db", "data", "pv-1", "Pending")]),
        ("waiting", vec![claim("db", "data", "", "Pending")]),
        ("gone", Vec::new()),
    ] {
        for (created, why) in [
            ("2026-06-01T10:00:00Z", None),
            (
                "2026-06-01T10:00:01Z",
                Some("namespace db is younger than volume pv-1: it may be another tenant's by now"),
            ),
        ] {
            let mut objects = vec![stale(), class("fast"), namespace_of("db", created)];
            objects.extend(claims.iter().cloned());
            let plan = World::new(objects).accepted(&restore);
            assert_eq!(plan.judgement.as_deref(), why, "{case}, {created}");
            let said = why.map(|why| format!("only you can decide this: {why}"));
            assert!(said.is_none_or(|said| plan.notes.contains(&said)), "{case}, {created}: {:?}", plan.notes);
            assert!(why.is_none() || !plan.is_safe(), "{case}");
        }
    }
}

/// The former state has the claim Lost: the volume names it without a uid again, and Delete does not come back with it.
#[test]
fn a_restored_claim_is_taken_back_and_its_data_are_kept() {
    let mut before = volume("pv-1", "Available", of("db", "data", ""));
    before["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let lost = World::new(vec![before, claim("db", "data", "pv-1", "Lost"), class("fast")]);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = lost.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data c-data"]);
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: None, was_so: false }).collect();
    let world = World::new(vec![
        volume("pv-1", "Bound", of("db", "data", "c-data")),
        claim("db", "data", "pv-1", "Bound"),
        class("fast"),
    ]);
    let manifests = Manifests::default();
    let situation = world.situation(&manifests);
    let Proposed::Plan(back) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
    assert_eq!(changes(&back), ["pv/pv-1: claimRef db/data"]);
    for note in ["pv-1 keeps policy Retain", "claim db/data is Lost again then"] {
        assert!(back.notes.iter().any(|known| known.contains(note)), "{:?}", back.notes);
    }
    let receipts = Receipts::granted(&back);
    let reviewed = review(&situation, *back, &receipts).unwrap_or_else(|rejected| panic!("{:?}", rejected.refusal));
    // What the controllers answer has the claim, too.
    let expected: Vec<String> =
        reviewed.plan().steps.iter().flat_map(|step| &step.expects).map(|expected| format!("{expected:?}")).collect();
    assert!(expected.iter().any(|line| line.contains("Lost")), "{expected:?}");
}

/// With Delete again the data would go: where no claim has the volume, or one that is being deleted.
#[test]
fn a_policy_does_not_come_back_where_the_data_would_go() {
    let request = Request::Retain { volume: "pv-1".into() };
    let with = |phase: &str, claim: Option<Value>, policy: &str| {
        let mut objects = vec![volume("pv-1", phase, of("db", "data", "c-data")), class("fast")];
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        objects.extend(claim);
        World::new(objects)
    };
    let lives = claim("db", "data", "pv-1", "Bound");
    let mut goes = lives.clone();
    goes["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    let cases = [
        ("Bound", Some(lives), vec!["pv/pv-1: policy Delete"], "what journal did is taken back", None),
        (
            "Bound",
            Some(goes),
            vec![],
            "nothing of what journal did is taken back",
            Some("with its claim, which is being deleted"),
        ),
        ("Released", None, vec![], "nothing of what journal did is taken back", Some("now that no claim has it")),
    ];
    for (phase, claim, steps, goal, why) in cases {
        let plan = with(phase, claim.clone(), "Delete").accepted(&request);
        let after = volume("pv-1", phase, of("db", "data", "c-data"));
        let done: Vec<Done> = plan
            .steps
            .iter()
            .map(|step| Done { step: step.clone(), after: Some(after.clone()), was_so: false })
            .collect();
        let world = with(phase, claim, "Retain");
        let manifests = Manifests::default();
        let Proposed::Plan(back) = undo(&world.situation(&manifests), "journal", false, &plan, &done) else { panic!() };
        assert_eq!((changes(&back), back.goal.as_str()), (steps.into_iter().map(str::to_owned).collect(), goal));
        let said =
            why.map(|why| format!("volume pv-1 keeps policy Retain: with Delete, as it had, its data would go {why}"));
        assert!(said.is_none_or(|said| back.notes.contains(&said)), "{:?}", back.notes);
    }
}

/// A policy that is not Delete does not come back either: the one erases data, and the other nobody takes.
#[test]
fn a_policy_that_nobody_should_have_does_not_come_back() {
    for (policy, why) in [
        ("Recycle", "policy Recycle is deprecated and erases data: set it by hand if need be"),
        ("Keep", "policy Keep is none that an API server takes"),
    ] {
        let mut objects = released();
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        let plan = World::new(objects).accepted(&Request::Retain { volume: "pv-1".into() });
        assert_eq!(plan.steps[0].undo, Undo::Impossible { why: why.to_owned() });
    }
}

/// Once a volume names a claim that is gone, by its uid, only its policy keeps the data: whoever applies it with Delete
/// is a reason not to.
#[test]
fn a_volume_whose_source_deletes_is_not_taken_from_its_claim() {
    let stale = volume("pv-1", "Released", of("db", "data", "c-older"));
    let lost = World::new(vec![stale, claim("db", "data", "pv-1", "Lost"), class("fast")]);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = lost.accepted(&request);
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: None, was_so: false }).collect();
    let judged = |applied: Option<&str>, signed: bool| {
        let mut bound = volume("pv-1", "Bound", of("db", "data", "c-data"));
        if signed {
            bound["metadata"]["labels"] = json!({ "argocd.argoproj.io/instance": "storage" });
        }
        if let Some(policy) = applied {
            let applied = json!({ "kind": "PersistentVolume", "spec": { "persistentVolumeReclaimPolicy": policy } });
            bound["metadata"]["annotations"] =
                json!({ "kubectl.kubernetes.io/last-applied-configuration": applied.to_string() });
        }
        let world = World::new(vec![bound, claim("db", "data", "pv-1", "Bound"), class("fast")]);
        let manifests = world.manifests(&[volume_key("pv-1"), claim_key("db", "data")]);
        let situation = world.situation(&manifests);
        let Proposed::Plan(back) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
        assert_eq!(changes(&back), ["pv/pv-1: claimRef db/data c-older"]);
        let receipts = Receipts::granted(&back);
        match review(&situation, *back, &receipts) {
            Ok(reviewed) => {
                let owner = reviewed.guards().iter().find(|guard| guard.id == "owner");
                owner.map_or(("", String::new()), |guard| {
                    assert_eq!(guard.holds, Holds::Warns);
                    ("", guard.looked_at.clone())
                })
            }
            Err(rejected) => (rejected.refusal.by, rejected.refusal.message),
        }
    };
    let refused = "pv/pv-1 is applied by kubectl apply (annotation kubectl.kubernetes.io/last-applied-configuration), with \
                   policy Delete: the next apply sets that policy again, and the data go once claim db/data has lost the \
                   volume. First set persistentVolumeReclaimPolicy to Retain in the source and apply it, then ask again";
    assert_eq!(judged(Some("Delete"), true), ("owner", refused.to_owned()));
    // Who applies it is not asked.
    assert_eq!(judged(Some("Delete"), false), ("owner", refused.to_owned()));
    let warned = "pv/pv-1 belongs to Argo CD (storage), which may write it again: change it there as well";
    assert_eq!(judged(Some("Retain"), true), ("", warned.to_owned()));
    assert_eq!(judged(None, true), ("", warned.to_owned()));
    assert_eq!(judged(Some("Retain"), false), ("", String::new()));
}

/// A policy that was set by hand beside what somebody applies keeps no data while the claim is gone.
#[test]
fn a_claim_does_not_go_where_the_source_of_its_volume_deletes() {
    let judged = |policy: &str| {
        let mut objects = bound();
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
        let applied = json!({ "kind": "PersistentVolume", "spec": { "persistentVolumeReclaimPolicy": policy } });
        objects[0]["metadata"]["annotations"] =
            json!({ "kubectl.kubernetes.io/last-applied-configuration": applied.to_string() });
        World::new(objects)
    };
    let refusal = judged("Delete").refusal(&moving());
    assert_eq!(refusal.by, "owner");
    judged("Retain").accepted(&moving());
}

/// What server-side apply records of those who apply a volume: who owns the policy says which one it is; where this tool
/// has set it since, nobody can tell.
#[test]
fn a_claim_does_not_go_where_a_manager_applies_another_policy() {
    let entry = |manager: &str, operation: &str, fields: Value| json!({ "manager": manager, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": { "f:spec": fields } });
    let policy = || json!({ "f:persistentVolumeReclaimPolicy": {} });
    let judged = |now: &str, entries: Vec<Value>| {
        let mut objects = bound();
        objects[0]["spec"]["persistentVolumeReclaimPolicy"] = now.into();
        objects[0]["metadata"]["managedFields"] = entries.into();
        World::new(objects)
    };
    let refused = |now: &str, entries: Vec<Value>| judged(now, entries).refusal(&moving());
    let refusal = refused("Delete", vec![entry("storage-sync", "Apply", policy())]);
    assert_eq!(refusal.by, "owner");
    assert!(refusal.message.contains("field manager storage-sync (server-side apply), with policy Delete"));
    let capacity = || entry("storage-sync", "Apply", json!({ "f:capacity": {} }));
    let hidden = refused("Retain", vec![capacity(), entry("kubectl-pvctl", "Update", policy())]);
    assert!(hidden.message.contains("perhaps with another policy than Retain"), "{}", hidden.message);
    // It applies Retain; somebody only created it so; or somebody else set the policy beside it.
    judged("Retain", vec![entry("storage-sync", "Apply", policy())]).accepted(&moving());
    judged("Delete", vec![entry("csi-provisioner", "Update", policy())]).accepted(&moving());
    judged("Retain", vec![capacity(), entry("kubectl-edit", "Update", policy())]).accepted(&moving());
    // What a controller writes to the status is no part of a manifest.
    let mut status = entry("storage-sync", "Apply", policy());
    status["subresource"] = json!("status");
    judged("Delete", vec![status]).accepted(&moving());
}

/// The owner of a claim dies between a plan and the rest of it: the claim that is still to be created would go at once.
#[test]
fn a_claim_is_not_created_for_an_owner_that_has_died() {
    let set = |namespace: &str, uid: &str| {
        json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": { "namespace": namespace, "name": "shop", "uid": uid },
            "spec": { "replicas": 0, "volumeClaimTemplates": [{ "metadata": { "name": "other" } }] },
        })
    };
    let mut objects = bound();
    objects[1]["metadata"]["ownerReferences"] =
        json!([{ "apiVersion": "apps/v1", "kind": "StatefulSet", "name": "shop", "uid": "s-1" }]);
    objects.extend([volume("pv-2", "Available", Value::Null), set("db", "s-1")]);
    let request =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-2".into(), provisioner_stopped: false };
    let world = World::new(objects);
    let reviewed = world.review(&request).unwrap_or_else(|rejected| panic!("{:?}", rejected.refusal));
    let seen =
        reviewed.guards().iter().find(|guard| guard.id == "adopted").map(|guard| (guard.holds, &guard.looked_at));
    assert_eq!(seen, Some((Holds::Yes, &"the owners of pvc/data -n db live: StatefulSet shop".to_owned())));
    // What is left once the claim is gone and the volume is reserved.
    let mut rest = reviewed.plan().clone();
    rest.steps.retain(|step| step.write.as_ref().is_some_and(|write| matches!(write.change, Change::Create { .. })));
    assert_eq!(changes(&rest), ["pvc/data -n db: create, volume \"pv-2\""]);
    let rest_in = |sets: Vec<Value>| {
        let mut objects = vec![
            volume("pv-1", "Released", of("db", "data", "c-data")),
            volume("pv-2", "Available", of("db", "data", "")),
            class("fast"),
        ];
        objects.extend(sets);
        let world = World::new(objects);
        let manifests = Manifests::default();
        review(&world.situation(&manifests), rest.clone(), &Receipts::granted(&rest))
            .map_err(|rejected| rejected.refusal)
    };
    let mut dying = set("db", "s-1");
    dying["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    for sets in [vec![], vec![set("db", "s-2")], vec![set("new", "s-1")], vec![dying]] {
        let refusal = rest_in(sets).unwrap_err();
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            (
                "adopted",
                "the plan creates pvc/data -n db with an owner that is not known to live in namespace db, and the garbage \
                 collector would delete the claim: StatefulSet shop; `kubectl pvctl undo` takes back what was written, and \
                 the repair asked for anew leaves out such owners"
            )
        );
    }
    assert!(rest_in(vec![set("db", "s-1")]).is_ok());
}

/// A claim that came under the name of the one that a repair waited for is nobody's to part from the volume.
#[test]
fn a_claim_of_the_same_name_keeps_what_a_repair_reserved() {
    let mut going = claim("db", "data", "pv-1", "Bound");
    going["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    going["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    let held = volume("pv-1", "Bound", of("db", "data", "c-data"));
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = World::new(vec![held, going, class("fast")]).accepted(&request);
    assert_eq!(changes(&plan)[1..3], ["wait", "pv/pv-1: claimRef db/data"]);
    // The claim went, the volume was reserved, and a namesake took it before the new claim was created.
    let done: Vec<Done> =
        plan.steps.iter().take(3).map(|step| Done { step: step.clone(), after: None, was_so: false }).collect();
    let mut namesake = claim("db", "data", "pv-1", "Bound");
    namesake["metadata"]["uid"] = "c-new".into();
    let world = World::new(vec![volume("pv-1", "Bound", of("db", "data", "c-new")), namesake, class("fast")]);
    let manifests = Manifests::default();
    let situation = world.situation(&manifests);
    let Proposed::Refused(refusal) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
    assert_eq!(refusal.by, "held");
}

/// A claim that named its volume and never had it is Pending without it, and Lost once it had it: so it is not parted
/// from it any more. Until then only a volume that is not Bound is given back.
#[test]
fn a_claim_that_got_its_volume_by_a_repair_is_not_made_lost_by_its_undo() {
    let gone = volume("pv-1", "Released", of("db", "data", "c-gone"));
    let pending = World::new(vec![gone, claim("db", "data", "pv-1", "Pending"), class("fast")]);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = pending.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data c-data"]);
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: None, was_so: false }).collect();
    let after = |volume_phase, claim_phase| {
        let volume = volume("pv-1", volume_phase, of("db", "data", "c-data"));
        World::new(vec![volume, claim("db", "data", "pv-1", claim_phase), class("fast")])
    };
    let manifests = Manifests::default();
    let waiting = after("Released", "Pending");
    let Proposed::Plan(back) = undo(&waiting.situation(&manifests), "journal", false, &plan, &done) else { panic!() };
    assert_eq!(changes(&back), ["pv/pv-1: claimRef db/data c-gone"]);
    let write = back.writes().next().unwrap();
    let unbound =
        |expect: &Expect| matches!(expect, Expect::VolumePhase { any_of } if !any_of.contains(&"Bound".into()));
    assert!(write.expect.iter().any(unbound), "{:?}", write.expect);
    for (volume_phase, claim_phase) in [("Bound", "Pending"), ("Bound", "Bound")] {
        let world = after(volume_phase, claim_phase);
        let Proposed::Refused(refusal) = undo(&world.situation(&manifests), "journal", false, &plan, &done) else {
            panic!("{volume_phase} {claim_phase}")
        };
        assert_eq!(refusal.by, "held");
    }
}

#[test]
fn deleted_claims_are_created_again_with_their_volume() {
    let world = World::new(released());
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = world.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data", "pvc/data -n db: create, volume \"pv-1\""]);
}

#[test]
fn a_claim_that_was_created_anew_gets_the_old_volume() {
    let mut objects = released();
    objects.push(claim("db", "data", "", "Pending"));
    let world = World::new(objects);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = world.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data", "pvc/data -n db: volumeName pv-1"]);
}

#[test]
fn rebind_replaces_a_bound_claim_and_keeps_both_volumes() {
    let mut objects = bound();
    objects.push(volume("pv-2", "Available", Value::Null));
    let world = World::new(objects);
    let request =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-2".into(), provisioner_stopped: false };
    let plan = world.accepted(&request);
    assert_eq!(
        changes(&plan),
        [
            "pv/pv-1: policy Retain",
            "pvc/data -n db: delete",
            "wait",
            "pv/pv-2: claimRef db/data",
            "pvc/data -n db: create, volume \"pv-2\""
        ]
    );
}

#[test]
fn recreate_replaces_a_claim_that_never_bound() {
    let world = World::new(vec![claim("db", "data", "", "Pending")]);
    let request = Request::Recreate {
        namespace: "db".into(),
        name: "data".into(),
        set: vec![Setting::Class("fast".into()), Setting::Size("2Gi".into())],
        provisioner_stopped: false,
    };
    let plan = world.accepted(&request);
    assert_eq!(changes(&plan), ["pvc/data -n db: delete", "pvc/data -n db: create, volume null"]);
}

#[test]
fn a_guard_that_fails_is_named() {
    let mut objects = bound();
    objects.push(pod("db", "shop-0", "data"));
    let refusal = World::new(objects).refusal(&moving());
    assert_eq!(refusal.by, "unused");
    assert!(refusal.message.contains("shop-0"), "{refusal:?}");
}

#[test]
fn what_is_unknown_does_not_hold() {
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::Pod, None, CoverageState::Forbidden));
    let refusal = World::with(bound(), coverage).refusal(&moving());
    assert_eq!(refusal.by, "unused");
    let mut coverage = complete();
    coverage.set(CoverageEntry::new(Kind::VolumeAttachment, None, CoverageState::Failed));
    assert_eq!(World::with(bound(), coverage).refusal(&moving()).by, "detached");
}

#[test]
fn every_guard_says_what_it_looked_at() {
    let world = World::new(bound());
    let reviewed = world.review(&moving()).unwrap();
    let ids: Vec<&str> = reviewed.guards().iter().map(|guard: &Guard| guard.id).collect();
    for wanted in ["unused", "detached", "retained", "saved", "copies", "unique-backing", "identity", "adversary"] {
        assert!(ids.contains(&wanted), "{wanted} is missing among {ids:?}");
    }
    assert!(reviewed.guards().iter().all(|guard| !guard.looked_at.is_empty() && guard.holds != Holds::No));
}

/// Rule book, F.2 and F.3: kube-controller-manager deletes what has a path below `/tmp/`, provisioners what they made,
/// and nobody anything else.
#[test]
fn data_are_handed_to_whoever_deletes_them_and_to_nobody_else() {
    let request = Request::Reclaim { volume: "pv-1".into(), delete: true };
    let world = |field: &str, source: Value, provisioner: Option<&str>| {
        let mut objects = released();
        objects[0]["spec"].as_object_mut().unwrap().remove("csi");
        objects[0]["spec"][field] = source;
        if let Some(name) = provisioner {
            objects[0]["metadata"]["annotations"] = json!({ "pv.kubernetes.io/provisioned-by": name });
        }
        World::new(objects)
    };
    let plan = world("hostPath", json!({ "path": "/tmp/data" }), None).accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: policy Delete"]);
    assert_eq!(plan.goal, "kube-controller-manager deletes volume pv-1 and its data");
    let where_it_runs =
        "kube-controller-manager removes /tmp/data on the machine where it runs itself; on other nodes it stays";
    assert!(plan.notes.iter().any(|note| note == where_it_runs), "{:?}", plan.notes);
    let plan = world("hostPath", json!({ "path": "/opt/data" }), Some("rancher.io/local-path")).accepted(&request);
    assert_eq!(plan.goal, "the provisioner of rancher.io/local-path deletes volume pv-1 and its data");
    for (field, source, why) in [
        (
            "hostPath",
            json!({ "path": "/srv/data" }),
            "host_path deleter only supports /tmp/.+ but received provided /srv/data",
        ),
        (
            "local",
            json!({ "path": "/mnt/a" }),
            "error getting deleter volume plugin for volume \"pv-1\": no volume plugin matched",
        ),
        (
            "nfs",
            json!({ "server": "s", "path": "/a" }),
            "error getting deleter volume plugin for volume \"pv-1\": no deletable volume plugin matched",
        ),
    ] {
        let refusal = world(field, source, None).refusal(&request);
        assert_eq!(
            (refusal.by, refusal.message),
            (
                "actor",
                format!(
                    "nobody in the cluster deletes the storage of volume pv-1: with policy Delete it would only become \
                     Failed, with event VolumeFailedDelete: {why}"
                )
            )
        );
    }
}

/// What a reservation expects to find: each once, Retain among it where the claim is gone.
#[test]
fn a_reservation_expects_each_thing_once() {
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = World::new(released()).accepted(&request);
    let named = pvctl::repair::Reference { namespace: "db".into(), name: "data".into(), uid: "c-gone".into() };
    assert_eq!(
        plan.steps[0].write.as_ref().unwrap().expect,
        [
            Expect::ClaimRef { is: Some(named) },
            Expect::Terminating { is: false },
            Expect::ReclaimPolicy { is: "Retain".into() },
        ]
    );
}

/// A binding that was begun on the side of the volume: its claim is gone, lives and fits, or lives and does not fit.
#[test]
fn a_half_made_binding_is_rolled_back_unless_the_controller_finishes_it() {
    let world = |policy: &str, phase: &str, uid: &str, claim_asks: Option<&str>| {
        let mut pv = volume("pv-1", phase, of("db", "data", uid));
        pv["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        let mut objects = vec![pv, class("fast")];
        if let Some(size) = claim_asks {
            let mut claim = claim("db", "data", "", "Pending");
            claim["spec"]["resources"]["requests"]["storage"] = size.into();
            objects.push(claim);
        }
        World::new(objects)
    };
    let unbind = Request::Unbind { volume: "pv-1".into(), to: Recipient::LastClaim };
    for phase in ["Pending", "Available"] {
        // While the first write is answered the controller sees that the claim is gone.
        let plan = world("Delete", phase, "c-gone", None).accepted(&unbind);
        assert_eq!(changes(&plan), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data"]);
        assert_eq!(plan.steps[0].expects[0].states, ["Released, Retain, claimRef db/data"]);
        assert_eq!(plan.steps[1].expects[0].states, ["Available, Retain, reserved for db/data"]);
        // The controller finishes the binding first.
        let refusal = world("Delete", phase, "c-data", Some("1Gi")).refusal(&unbind);
        assert_eq!(refusal.by, "simulation");
        assert!(refusal.message.contains("status.phase is Bound"), "{refusal:?}");
    }
    // The volume says Bound before the claim names it: whether it does by then could not be told from the volume.
    for policy in ["Retain", "Delete"] {
        let refusal = world(policy, "Bound", "c-data", Some("1Gi")).refusal(&unbind);
        assert_eq!(
            (refusal.by, refusal.message.as_str()),
            ("held", "claim db/data lives, and the controller is about to finish that binding")
        );
    }
    for phase in ["Available", "Bound"] {
        let plan = world("Delete", phase, "c-data", Some("5Gi")).accepted(&unbind);
        assert_eq!(changes(&plan), ["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data"]);
    }
}

/// A claim that a repair created and for which a provisioner was asked goes again when the person says that it is
/// stopped.
#[test]
fn a_claim_is_taken_back_from_a_provisioner_that_is_stopped() {
    let request = Request::Recreate {
        namespace: "db".into(),
        name: "data".into(),
        set: vec![Setting::Class("fast".into()), Setting::Size("2Gi".into())],
        provisioner_stopped: false,
    };
    let plan = World::new(vec![claim("db", "data", "", "Pending")]).accepted(&request);
    let after = Some(json!({ "metadata": { "uid": "c-data" } }));
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: after.clone(), was_so: false }).collect();
    let mut pending = claim("db", "data", "", "Pending");
    pending["metadata"]["annotations"] = json!({ "volume.kubernetes.io/storage-provisioner": "disk.csi.example.com" });
    let world = World::new(vec![pending, class("fast")]);
    let manifests = Manifests::default();
    let situation = world.situation(&manifests);
    let Proposed::Refused(refusal) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
    assert_eq!(refusal.by, "provisioner");
    let Proposed::Plan(back) = undo(&situation, "journal", true, &plan, &done) else { panic!() };
    assert_eq!(changes(&back), ["pvc/data -n db: delete", "pvc/data -n db: create, volume null"]);
    assert_eq!(back.request, Request::Undo { journal: "journal".into(), provisioner_stopped: true });
}

/// A way back is not barred by what nobody could tell before either: it makes nobody write who did not.
#[test]
fn a_restored_claim_of_storage_without_a_name_can_be_taken_back() {
    let flex = |mut volume: Value| {
        volume["spec"].as_object_mut().unwrap().remove("csi");
        volume["spec"]["flexVolume"] = json!({ "driver": "example.com/lvm" });
        volume
    };
    let mut objects = released();
    objects[0] = flex(objects[0].clone());
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = World::new(objects).accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data", "pvc/data -n db: create, volume \"pv-1\""]);
    let after = Some(json!({ "metadata": { "uid": "c-data" } }));
    let done: Vec<Done> =
        plan.steps.iter().map(|step| Done { step: step.clone(), after: after.clone(), was_so: false }).collect();
    let world = World::new(vec![
        flex(volume("pv-1", "Bound", of("db", "data", "c-data"))),
        claim("db", "data", "pv-1", "Bound"),
        class("fast"),
    ]);
    let manifests = Manifests::default();
    let situation = world.situation(&manifests);
    let Proposed::Plan(back) = undo(&situation, "journal", false, &plan, &done) else { panic!() };
    assert_eq!(changes(&back), ["pvc/data -n db: delete", "wait", "pv/pv-1: claimRef db/data c-gone"]);
    let receipts = Receipts::granted(&back);
    let reviewed = review(&situation, *back, &receipts);
    assert!(reviewed.is_ok(), "{:?}", reviewed.err().map(|rejected| rejected.refusal));
}

fn done(steps: &[pvctl::repair::Step]) -> Vec<Done> {
    // Of a claim its uid counts, of a volume whom it names.
    let after = Some(json!({ "metadata": { "uid": "c-new" }, "spec": { "claimRef": of("db", "data", "c-data") } }));
    steps.iter().map(|step| Done { step: step.clone(), after: after.clone(), was_so: false }).collect()
}

fn way_back(world: &World, plan: &Plan, done: &[Done]) -> Plan {
    let manifests = Manifests::default();
    match undo(&world.situation(&manifests), "journal", false, plan, done) {
        Proposed::Plan(back) => *back,
        other => panic!("there is no way back: {other:?}"),
    }
}

fn reviewed(world: &World, plan: &Plan) -> Result<Reviewed, Box<Rejected>> {
    let manifests = Manifests::default();
    review(&world.situation(&manifests), plan.clone(), &Receipts::granted(plan))
}

/// A volume that names a claim that is gone is Released, and with policy Delete its data go: whoever sets that again
/// while the undo waits for an answer stops it.
#[test]
fn a_volume_is_parted_from_its_claim_with_policy_retain_only() {
    let gone = volume("pv-1", "Released", of("db", "data", "c-gone"));
    let lost = World::new(vec![gone, claim("db", "data", "pv-1", "Lost"), class("fast")]);
    let request =
        Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false };
    let plan = lost.accepted(&request);
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/data c-data"]);
    for (policy, expected) in [
        ("Retain", vec!["pv/pv-1: claimRef db/data c-gone"]),
        ("Delete", vec!["pv/pv-1: policy Retain", "pv/pv-1: claimRef db/data c-gone"]),
    ] {
        let mut held = volume("pv-1", "Bound", of("db", "data", "c-data"));
        held["spec"]["persistentVolumeReclaimPolicy"] = policy.into();
        let world = World::new(vec![held, claim("db", "data", "pv-1", "Bound"), class("fast")]);
        let back = way_back(&world, &plan, &done(&plan.steps));
        assert_eq!(changes(&back), expected);
        let last = back.writes().last().unwrap();
        assert!(last.expect.contains(&Expect::ReclaimPolicy { is: "Retain".into() }), "{:?}", last.expect);
        let reviewed = reviewed(&world, &back);
        assert!(reviewed.is_ok(), "{policy}: {:?}", reviewed.err().map(|rejected| rejected.refusal));
    }
}

/// The claim asked for more than the volume that it names has, and waited: a reservation would bind them all the same.
#[test]
fn a_claim_that_never_had_the_volume_that_it_names_gets_no_reservation_of_it() {
    let mut waiting = claim("db", "data", "pv-1", "Pending");
    waiting["spec"]["resources"]["requests"]["storage"] = "100Gi".into();
    let before = World::new(vec![volume("pv-1", "Available", Value::Null), waiting, class("fast")]);
    let request = Request::Recreate {
        namespace: "db".into(),
        name: "data".into(),
        set: vec![Setting::Size("1Gi".into())],
        provisioner_stopped: false,
    };
    let plan = before.accepted(&request);
    let mut smaller = claim("db", "data", "pv-1", "Bound");
    smaller["metadata"]["uid"] = "c-new".into();
    let held = volume("pv-1", "Bound", of("db", "data", "c-new"));
    let world = World::new(vec![held, smaller, class("fast")]);
    let back = way_back(&world, &plan, &done(&plan.steps));
    let create = "pvc/data -n db: create, volume \"pv-1\"";
    assert_eq!(changes(&back), ["pvc/data -n db: delete", "wait", create]);
    assert!(back.notes.iter().any(|note| note.contains("which it did not have")), "{:?}", back.notes);
    let reviewed = reviewed(&world, &back).unwrap_or_else(|rejected| panic!("{:?}", rejected.refusal));
    let expected: Vec<&[String]> = reviewed
        .plan()
        .steps
        .last()
        .unwrap()
        .expects
        .iter()
        .filter(|expected| expected.object.kind == Kind::PersistentVolumeClaim)
        .map(|expected| &*expected.states)
        .collect();
    assert!(expected.iter().all(|states| states.iter().all(|state| state.contains("Pending"))), "{expected:?}");
    // Where the repair got no further than the deletion, the volume names nobody.
    let cut = World::new(vec![volume("pv-1", "Available", Value::Null), class("fast")]);
    let back = way_back(&cut, &plan, &done(&plan.steps[..1]));
    assert_eq!(changes(&back), [create]);
}

/// A Lost claim names a volume that another claim has: its undo leaves that one alone.
#[test]
fn the_undo_of_a_rebind_does_not_touch_the_volume_of_another_claim() {
    let objects = || {
        vec![
            volume("pv-0", "Bound", of("db", "owner", "c-owner")),
            claim("db", "owner", "pv-0", "Bound"),
            class("fast"),
        ]
    };
    let mut before = objects();
    before.extend([volume("pv-1", "Released", of("db", "old", "c-old")), claim("db", "data", "pv-0", "Lost")]);
    let request =
        Request::Rebind { namespace: "db".into(), name: "data".into(), to: "pv-1".into(), provisioner_stopped: false };
    let plan = World::new(before).accepted(&request);
    let mut after = objects();
    let mut rebound = claim("db", "data", "pv-1", "Bound");
    rebound["metadata"]["uid"] = "c-new".into();
    after.extend([volume("pv-1", "Bound", of("db", "data", "c-new")), rebound]);
    let world = World::new(after);
    let back = way_back(&world, &plan, &done(&plan.steps));
    assert_eq!(
        changes(&back),
        ["pvc/data -n db: delete", "wait", "pv/pv-1: claimRef db/old c-old", "pvc/data -n db: create, volume \"pv-0\"",]
    );
    let reviewed = reviewed(&world, &back);
    assert!(reviewed.is_ok(), "{:?}", reviewed.err().map(|rejected| rejected.refusal));
}

/// Nobody has changed anything: the claim that the repair deleted is still on its way, and the way back waits for it.
#[test]
fn a_way_back_waits_for_the_claim_that_is_still_going() {
    let plan = World::new(bound()).accepted(&moving());
    let world = |finalizers: &[&str]| {
        let mut going = claim("db", "data", "pv-1", "Bound");
        going["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
        going["metadata"]["finalizers"] = json!(finalizers);
        World::new(vec![volume("pv-1", "Bound", of("db", "data", "c-data")), going, class("fast")])
    };
    let going = world(&["kubernetes.io/pvc-protection"]);
    let back = way_back(&going, &plan, &done(&plan.steps[..2]));
    assert_eq!(
        changes(&back),
        [
            "wait",
            "wait",
            "pv/pv-1: claimRef db/data",
            "pvc/data -n db: create, volume \"pv-1\"",
            "pv/pv-1: policy Delete",
        ]
    );
    let accepted = reviewed(&going, &back);
    assert!(accepted.is_ok(), "{:?}", accepted.err().map(|rejected| rejected.refusal));
    let kept = world(&["kubernetes.io/pvc-protection", "example.com/keep"]);
    let back = way_back(&kept, &plan, &done(&plan.steps[..2]));
    let refused = reviewed(&kept, &back).map(|_| ()).map_err(|rejected| rejected.refusal.message);
    let why = "by the simulation step 1 would wait in vain until claim db/data is gone";
    assert_eq!(refused, Err(why.to_owned()));
}

/// What stands against the first step is so already, and no controller has to act for it: the refusal says what it is.
#[test]
fn a_way_back_whose_first_step_would_stop_says_what_stands_against_it() {
    let mut objects = bound();
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let plan = World::new(objects.clone()).accepted(&Request::Retain { volume: "pv-1".into() });
    // The claim is gone, and the controller has not looked at the volume yet: Retain stays.
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
    objects.remove(1);
    let world = World::new(objects);
    let back = way_back(&world, &plan, &done(&plan.steps));
    assert_eq!(changes(&back), Vec::<String>::new());
    assert!(back.notes.iter().any(|note| note.contains("pv-1 keeps policy Retain")), "{:?}", back.notes);

    let waiting = |volume: &str, node: Option<&str>| {
        let mut claim = claim("db", "data", volume, "Pending");
        if let Some(node) = node {
            claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] = node.into();
        }
        World::new(vec![claim, class("fast")])
    };
    let unselect = Request::Unselect { namespace: "db".into(), name: "data".into() };
    let plan = waiting("", Some("node-gone")).accepted(&unselect);
    let world = waiting("pv-9", None);
    let back = way_back(&world, &plan, &done(&plan.steps));
    let refused = reviewed(&world, &back).map(|_| ()).map_err(|rejected| rejected.refusal.message);
    let why = "step 1 would stop: pvc/data -n db spec.volumeName is pv-9, where null was expected";
    assert_eq!(refused, Err(why.to_owned()));
}

/// The controller gives a claim that names no volume the smallest free one that fits: what is predicted says which, also
/// where several are as small.
#[test]
fn a_claim_that_is_created_gets_a_volume_that_is_free() {
    let free = |name: &str, size: &str| {
        let mut free = volume(name, "Available", Value::Null);
        free["spec"]["capacity"]["storage"] = size.into();
        free
    };
    let asks = || {
        let mut asks = claim("db", "data", "", "Pending");
        asks["spec"]["storageClassName"] = "typo".into();
        asks
    };
    let set = vec![Setting::Class("fast".into())];
    let request = Request::Recreate { namespace: "db".into(), name: "data".into(), set, provisioner_stopped: false };
    let predicted = |volumes: Vec<Value>| {
        let plan = World::new([vec![asks(), class("fast")], volumes].concat()).accepted(&request);
        let last = plan.steps.last().unwrap().expects.clone();
        last.into_iter().map(|expected| (expected.object.name.to_string(), expected.states)).collect::<Vec<_>>()
    };
    let states = |states: &[&str]| vec![("data".to_owned(), states.iter().map(|&state| state.to_owned()).collect())];
    assert_eq!(predicted(Vec::new()), states(&["Pending"]));
    let volumes = vec![free("large", "5Gi"), free("small", "1Gi"), free("tiny", "1Mi")];
    assert_eq!(predicted(volumes), states(&["Bound, volume small"]));
    let volumes = vec![free("one", "1Gi"), free("other", "1Gi")];
    assert_eq!(predicted(volumes), states(&["Bound, volume one", "Bound, volume other"]));
    // There is no room to look at so many: which of them it gets is not said.
    assert_eq!(predicted((0..20).map(|number| free(&format!("pv-{number}"), "1Gi")).collect()), []);
}

/// The role that is handed out suffices for what a plan asks for, also where it looks for the pod of a recycler.
#[test]
fn the_role_for_repairs_suffices() {
    let role = text("docs/rbac/repair.yaml");
    let rules: Vec<&str> = role.split("- apiGroups:").collect();
    let mut nfs = released();
    nfs[0]["spec"]["csi"] = Value::Null;
    nfs[0]["spec"]["nfs"] = json!({ "server": "nfs.example.com", "path": "/data" });
    let release = Request::Release { volume: "pv-1".into(), to: Recipient::LastClaim };
    let plans = [World::new(nfs).accepted(&release), World::new(bound()).accepted(&moving())];
    let mut asked: Vec<Right> = plans.iter().flat_map(rights).collect();
    // Which cluster it is.
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
        assert!(rules.iter().any(allows), "{right:?} is not in docs/rbac/repair.yaml");
    }
}

/// The data would go with the namespace: Retain stays.
#[test]
fn a_policy_does_not_come_back_where_the_namespace_goes() {
    let mut objects = bound();
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let plan = World::new(objects.clone()).accepted(&Request::Retain { volume: "pv-1".into() });
    objects[0]["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
    let mut going = namespace("db");
    going["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    objects.push(going);
    let back = way_back(&World::new(objects), &plan, &done(&plan.steps));
    assert_eq!(changes(&back), Vec::<String>::new());
    let why = "volume pv-1 keeps policy Retain: with Delete, as it had, its data would go with its claim, the namespace of \
               which is being deleted";
    assert!(back.notes.contains(&why.to_owned()), "{:?}", back.notes);
}
