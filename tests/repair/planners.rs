//! Tests of the planners: which repairs they propose as safe without a person, and which repairs they leave to a
//! person.
#![expect(clippy::panic, reason = "a plan that is missing is a failed test")]

use crate::repair::plans::{World, changes, claim, class, complete, namespace, of, released, volume};
use pvctl::controllers::KubernetesBehavior;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::diagnosis::{AuditSettings, Finding, Severity, diagnose, diagnose_named, rules};
use pvctl::engines::simulation;
use pvctl::model::{Kind, Timestamp};
use pvctl::repair::{Expect, Manifests, Plan, Recipient, Request, Setting, repairs};
use pvctl::simulate::Settings;
use pvctl::snapshot::{Parts, Snapshot, decode};
use serde_json::{Value, json};

/// The annotation that the controller sets on a volume that it binds.
const MARK: &str = "pv.kubernetes.io/bound-by-controller";

const NODE_GONE: &str = "pvc-selected-node-gone";

fn release() -> Request {
    Request::Release { volume: "pv-1".into(), to: Recipient::LastClaim }
}

fn restore() -> Request {
    Request::Restore { namespace: "db".into(), name: "data".into(), from: None, provisioner_stopped: false }
}

fn unbind() -> Request {
    Request::Unbind { volume: "pv-1".into(), to: Recipient::LastClaim }
}

fn whys(plan: &Plan) -> Vec<&str> {
    plan.steps.iter().map(|step| step.why.as_str()).collect()
}

/// A reservation remains when its namespace is deleted. A younger namespace of the same name may belong to somebody
/// else. So the reservation is safe only if the namespace is at least as old as the volume and is not being deleted.
/// The plan always says how the reservation ends.
#[test]
fn a_reservation_is_safe_in_an_old_namespace_and_says_how_it_ends() {
    let plan = World::new(released()).accepted(&release());
    assert!(plan.is_safe(), "{plan:#?}");
    let end = "the reservation lasts until such a claim exists; `undo` ends it";
    assert!(plan.notes.iter().any(|note| note == end), "{:?}", plan.notes);
    let mut going = namespace("db");
    going["metadata"]["deletionTimestamp"] = "2026-06-02T10:00:00Z".into();
    let mut anew = namespace("db");
    anew["metadata"]["creationTimestamp"] = "2026-06-01T10:00:01Z".into();
    let mut unknown = namespace("db");
    unknown["metadata"]["creationTimestamp"] = Value::Null;
    for home in [going, anew, unknown] {
        let mut objects = released();
        objects.push(home);
        let plan = World::new(objects).plan(&release());
        assert!(!plan.is_safe() && plan.judgement.is_some(), "{plan:#?}");
        assert!(plan.notes.iter().any(|note| note == end), "{:?}", plan.notes);
    }
}

/// A volume is reserved for one claim. The plan reserves it for another claim.
#[test]
fn a_reservation_is_given_to_another_claim() {
    let world = World::new(vec![volume("pv-1", "Available", of("gone", "data", "")), class("fast")]);
    let to = Recipient::Claim { namespace: "db".into(), name: "kept".into() };
    let plan = world.accepted(&Request::Unbind { volume: "pv-1".into(), to });
    assert_eq!(changes(&plan), ["pv/pv-1: claimRef db/kept"]);
}

/// A claim that was bound before can only have the volume that has its uid.
#[test]
fn a_claim_without_volume_name_gets_its_own_volume_without_being_asked() {
    let mut own = volume("pv-1", "Bound", of("db", "data", "c-data"));
    own["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let mut young = namespace("db");
    young["metadata"]["creationTimestamp"] = "2026-07-01T10:00:00Z".into();
    // If several volumes name the claim, the one with the uid of the claim is chosen.
    let older = volume("pv-2", "Released", of("db", "data", "c-older"));
    let lost = claim("db", "data", "", "Lost");
    let plan = World::new(vec![own, older, lost.clone(), class("fast"), young.clone()]).accepted(&restore());
    assert_eq!(changes(&plan), ["pv/pv-1: policy Retain", "pvc/data -n db: volumeName pv-1"]);
    assert_eq!(
        whys(&plan),
        [
            "keep the data of volume pv-1 before any other step",
            "claim db/data names volume pv-1 again; the volume names the claim by its uid",
        ]
    );
    assert!(plan.is_safe() && plan.judgement.is_none(), "{plan:#?}");
    let rechecks: Vec<String> = plan.steps[1].recheck.iter().map(ToString::to_string).collect();
    assert!(rechecks.contains(&"claim db/data has volume pv-1 and is not being deleted".to_owned()), "{rechecks:?}");
    // If a volume has another uid or no uid, it is unknown whether it is the right volume.
    for uid in ["c-older", ""] {
        let other = volume("pv-1", "Available", of("db", "data", uid));
        let plan = World::new(vec![other, lost.clone(), class("fast"), young.clone()]).plan(&restore());
        assert!(!plan.is_safe(), "{plan:#?}");
    }
}

/// A claim that was never bound may have any volume that fits. So a person has to choose.
#[test]
fn a_volume_name_that_was_never_there_is_left_to_a_person() {
    let world = World::new(vec![
        volume("pv-1", "Released", of("db", "data", "c-older")),
        claim("db", "data", "", "Pending"),
        class("fast"),
    ]);
    assert!(!world.plan(&restore()).is_safe());
}

/// If the controller has begun a binding that it cannot finish, the plan undoes the binding in the same way as the
/// controller does.
#[test]
fn a_binding_that_the_controller_began_in_vain_leaves_no_claim_ref() {
    let half = |phase: &str, marks: &[&str]| {
        let mut half = volume("pv-1", phase, of("db", "data", "c-data"));
        for mark in marks {
            half["metadata"]["annotations"][mark] = "yes".into();
        }
        half
    };
    let elsewhere = [volume("pv-2", "Bound", of("db", "data", "c-data")), claim("db", "data", "pv-2", "Bound")];
    let world = |half: Value, others: &[Value]| World::new([vec![half, class("fast")], others.to_vec()].concat());
    for others in [&elsewhere[..], &[]] {
        let plan = world(half("Available", &[MARK]), others).accepted(&unbind());
        assert_eq!(changes(&plan), ["pv/pv-1: no claimRef"]);
        let expect = plan.steps[0].write.as_ref().map(|write| write.expect.clone()).unwrap_or_default();
        assert!(expect.contains(&Expect::Annotation { key: MARK.into(), is: Some("yes".into()) }), "{expect:?}");
        assert!(expect.contains(&Expect::VolumePhase { any_of: vec!["Available".into()] }), "{expect:?}");
        assert!(plan.type_name.is_none() && !plan.is_safe(), "{plan:#?}");
    }
    // Without the annotation of the controller, a person has reserved the volume. A volume that was Bound may hold
    // data.
    let refusal = world(half("Available", &[]), &elsewhere).refusal(&unbind());
    assert_eq!(refusal.by, "bound");
    let refusal = world(half("Bound", &[MARK]), &elsewhere).refusal(&unbind());
    assert_eq!(refusal.by, "bound");
    // A volume that a driver created for the claim was never available to other claims.
    let made = half("Available", &[MARK, "pv.kubernetes.io/provisioned-by"]);
    assert_eq!(world(made, &elsewhere).refusal(&unbind()).by, "bound");
}

fn snapshot(objects: &[Value]) -> Snapshot {
    let mut parts = Parts { coverage: complete(), ..Parts::default() };
    for object in objects {
        match decode::read(None, object.to_string().as_bytes(), "test").unwrap_or_else(|_| panic!("{object}")) {
            pvctl::snapshot::Item::Object(object) => parts.objects.push(object),
            pvctl::snapshot::Item::Skipped(_) => panic!("the program must know this kind: {object}"),
        }
    }
    parts.now = Timestamp::parse("2026-06-01T10:01:00Z");
    Snapshot::new(parts)
}

fn found(objects: &[Value], named: bool) -> Vec<Finding> {
    let snapshot = snapshot(objects);
    let simulation = simulation(&snapshot, Settings::new(KubernetesBehavior::default()), 1);
    let scrutiny =
        AuditSettings { rules: rules::all(), suppressions: &[], scope: &|_| true, providers: Providers::built_in() };
    let findings =
        if named { diagnose_named(&simulation, scrutiny, &|_| true, 1) } else { diagnose(&simulation, scrutiny, 1) };
    findings.listed
}

fn of_rule<'f>(found: &'f [Finding], id: &str) -> Option<&'f Finding> {
    found.iter().find(|finding| finding.rule.id == id)
}

fn young(mut claim: Value) -> Value {
    claim["metadata"]["creationTimestamp"] = "2026-06-01T10:00:30Z".into();
    claim
}

/// If a person names the claim, a missing node is reported immediately. The message says that the problem may be solved
/// without a repair.
#[test]
fn a_missing_node_of_a_named_claim_is_reported_at_once() {
    let mut chosen = young(claim("db", "data", "", "Pending"));
    chosen["metadata"]["annotations"] = json!({
        "volume.kubernetes.io/selected-node": "gone",
        "volume.kubernetes.io/storage-provisioner": "disk.csi.example.com",
    });
    let objects = [chosen, class("fast")];
    assert!(of_rule(&found(&objects, false), NODE_GONE).is_none());
    let found = found(&objects, true);
    let finding = of_rule(&found, NODE_GONE).unwrap_or_else(|| panic!("{found:#?}"));
    assert!(finding.is_early && finding.severity == Severity::Info, "{finding:#?}");
    // The provisioner has not done anything so far. This must not be a second finding.
    assert!(of_rule(&found, "pvc-provisioner-silent").is_none());
}

/// If exactly one class has a similar name, it is proposed. If no class has a similar name, the default class is
/// proposed. If several classes have equally similar names, none is proposed. A person decides.
#[test]
fn a_class_that_does_not_exist_is_replaced_by_the_one_that_is_meant() {
    let default = |name: &str| {
        let mut class = class(name);
        class["metadata"]["annotations"] = json!({ "storageclass.kubernetes.io/is-default-class": "true" });
        class
    };
    let cases = [
        (vec![class("fast"), class("archive")], Some("fast")),
        (vec![class("slow"), default("archive")], Some("archive")),
        // Two classes have equally similar names.
        (vec![class("fast"), class("fist"), default("archive")], None),
        (vec![class("archive")], None),
    ];
    for (classes, meant) in cases {
        let mut asks = claim("db", "data", "", "Pending");
        asks["spec"]["storageClassName"] = "fst".into();
        let objects = [vec![asks, namespace("db")], classes].concat();
        let found = found(&objects, false);
        let finding = of_rule(&found, "pvc-class-not-found").unwrap_or_else(|| panic!("{found:#?}"));
        let world = World::new(objects);
        let none = Manifests::default();
        let proposed = repairs(&world.situation(&none), finding);
        let expected: Vec<Request> = meant
            .map(|class| Request::Recreate {
                namespace: "db".into(),
                name: "data".into(),
                set: vec![Setting::Class(class.into())],
                provisioner_stopped: false,
            })
            .into_iter()
            .collect();
        assert_eq!(proposed, expected);
        for request in &proposed {
            assert!(!world.plan(request).is_safe());
        }
        let first = finding.remedies.first().map(|remedy| remedy.command.as_str());
        match meant {
            Some(class) => {
                let typed = format!("kubectl pvctl recreate pvc/data -n db --set class={class}");
                assert!(finding.remedies.iter().any(|remedy| remedy.command == typed), "{finding:#?}");
                assert_eq!(first, Some(typed.as_str()));
            }
            None => assert_eq!(first, Some("kubectl get sc")),
        }
    }
}

/// If `restore` would refuse a repair, its command is not proposed.
#[test]
fn a_refused_repair_is_not_proposed_as_a_command() {
    let old = volume("pv-1", "Released", of("db", "data", "c-older"));
    let waiting = claim("db", "data", "", "Pending");
    let mut asked = waiting.clone();
    asked["metadata"]["annotations"] = json!({ "volume.kubernetes.io/storage-provisioner": "disk.csi.example.com" });
    let first = |claim: Value| {
        let found = found(&[old.clone(), claim.clone(), class("fast"), namespace("db")], false);
        let finding = of_rule(&found, "pv-released-claim-recreated").unwrap_or_else(|| panic!("{found:#?}"));
        finding.remedies.clone()
    };
    let ways = first(waiting.clone());
    assert_eq!(ways[0].command, "kubectl pvctl restore pvc/data -n db");
    let ways = first(asked.clone());
    assert!(ways.iter().all(|way| way.command.is_empty()), "{ways:#?}");
    assert!(ways[0].does.contains("disk.csi.example.com may be making a volume for db/data"), "{ways:#?}");
    assert!(ways[0].does.contains("kubectl pvctl restore pvc/data -n db --provisioner-stopped"), "{ways:#?}");
    let objects = |claim: Value| vec![old.clone(), claim, class("fast")];
    assert_eq!(World::new(objects(asked)).refusal(&restore()).by, "provisioner");
    assert_eq!(changes(&World::new(objects(waiting)).accepted(&restore())).len(), 2);
}

/// For a Lost claim, the finding proposes a verb that a person can type.
#[test]
fn a_lost_claim_is_restored_by_a_verb() {
    let mut stored = volume("pv-1", "Available", of("db", "data", ""));
    stored["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
    let found = found(&[stored, claim("db", "data", "pv-1", "Lost"), class("fast"), namespace("db")], false);
    let finding = of_rule(&found, "lost-claimref-uid-cleared").unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!(finding.remedies[0].command, "kubectl pvctl restore pvc/data -n db");
    assert_eq!(finding.remedies[0].verb, "restore");
    assert_eq!(finding.object.kind, Kind::PersistentVolumeClaim);
}
