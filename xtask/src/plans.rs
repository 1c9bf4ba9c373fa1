//! Tests repairs in random worlds. The whole adversary examines the plan of every verb that is possible in a world.
//!
//! The test finds accepted plans that lose something, and counts refused plans that would lose nothing. Some steps of
//! each accepted repair are also carried out. Then other actors change the world, and the adversary examines the undo
//! or the continuation in the changed world.

mod api_server;
mod attached;
mod begun;

use anyhow::{Context as _, Result};
use api_server::Random;
use begun::PartialRepair;
use pvctl::controllers::KubernetesBehavior;
use pvctl::diagnosis::shared_volumes::Providers;
use pvctl::model::{Kind, ObjectKey, VolumeAttachment};
use pvctl::repair::{
    Manifests, Plan, Proposed, Receipts, Recipient, Request, SearchReach, Setting, Situation, Verdict, claim_key,
    is_wider, judge, propose, reads, review, undo, volume_key,
};
use pvctl::simulate::Settings;
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Item, Parts, Snapshot, decode};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// The results of many plans.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The number of worlds.
    pub worlds: u64,
    /// The number of requests for which there was a plan.
    pub plans: u64,
    /// The numbers of accepted plans, by verb.
    pub accepted: BTreeMap<String, u64>,
    /// The numbers of refused plans, by guard.
    pub refused: BTreeMap<String, u64>,
    /// The numbers of requests without a plan, by guard.
    pub unplanned: BTreeMap<String, u64>,
    /// The number of plans that only the adversary or the simulation refused.
    pub judged: u64,
    /// The number of these plans in which nothing is lost when all actors take part.
    pub too_careful: u64,
    /// The accepted plans that lose something when all actors take part. Each text has the world, the request and the
    /// moves. If the environment has `PVCTL_SHOW`, the plans of `too_careful` are in this list as well.
    pub harmful: Vec<String>,
    /// The number of plans for which the exhaustive search was too large.
    pub too_large: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.worlds += other.worlds;
        self.plans += other.plans;
        self.judged += other.judged;
        self.too_careful += other.too_careful;
        self.too_large += other.too_large;
        self.harmful.extend(other.harmful);
        for (mine, theirs) in [
            (&mut self.accepted, other.accepted),
            (&mut self.refused, other.refused),
            (&mut self.unplanned, other.unplanned),
        ] {
            for (key, count) in theirs {
                *mine.entry(key).or_default() += count;
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |counts: &BTreeMap<String, u64>| {
            counts.iter().map(|(what, count)| format!("{what} {count}")).collect::<Vec<_>>().join(", ")
        };
        let accepted: u64 = self.accepted.values().sum();
        writeln!(out, "{} worlds, {} plans, {accepted} accepted: {}", self.worlds, self.plans, list(&self.accepted))?;
        writeln!(out, "refused, by guard: {}", list(&self.refused))?;
        writeln!(out, "no plan, by reason: {}", list(&self.unplanned))?;
        writeln!(out, "harmful although accepted: {}; too large to search: {}", self.harmful.len(), self.too_large)?;
        write!(
            out,
            "refused by the simulation or the adversary: {}; of these, without a loss if all actors take part: {}",
            self.judged, self.too_careful
        )
    }
}

/// Examines the plans in these worlds of a seed. Each harmful plan is reported as soon as it is found.
///
/// # Errors
/// Returns an error if a world cannot be read, which is a bug of this generator.
pub fn plans(
    seed: u64,
    worlds: std::ops::Range<u64>,
    threads: u64,
    found: impl Fn(&str) + Sync,
    say: impl Fn(&Tally) + Sync,
) -> Result<Tally> {
    let total = std::sync::Mutex::new(Tally::default());
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                let (total, found, say, worlds) = (&total, &found, &say, worlds.clone());
                scope.spawn(move || -> Result<()> {
                    for number in worlds.filter(|number| number % threads == thread) {
                        let one = world(seed, number).with_context(|| format!("world {number} of seed {seed}"))?;
                        for harm in &one.harmful {
                            found(harm);
                        }
                        let mut total = total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                        *total += one;
                        if total.worlds % 500 == 0 {
                            say(&total);
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??;
        }
        Ok::<(), anyhow::Error>(())
    })?;
    Ok(total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

/// The kinds of which one may be hidden from the program.
const HIDDEN: &[Kind] = &[Kind::Pod, Kind::VolumeAttachment, Kind::StatefulSet, Kind::Namespace, Kind::CsiDriver];

/// The limits of the search in which all actors take part.
const EVERYONE: SearchReach = SearchReach { states: 400_000, failures: true, everyone: true };

/// A world: its objects, its snapshot, and the manifests that a plan needs.
struct Looked<'w> {
    objects: &'w [Value],
    snapshot: &'w Snapshot,
    manifests: &'w Manifests,
}

impl Looked<'_> {
    fn situation(&self) -> Situation<'_> {
        Situation {
            snapshot: self.snapshot,
            settings: Settings::new(KubernetesBehavior::default()),
            manifests: self.manifests,
            providers: Providers::built_in(),
        }
    }

    /// Examines the proposal for a request. Returns the plan if the plan is accepted. `what` is called only for a
    /// report.
    fn judge(&self, proposed: Proposed, verb: &str, what: &dyn Fn() -> String, tally: &mut Tally) -> Option<Plan> {
        let plan = match proposed {
            Proposed::Plan(plan) => *plan,
            Proposed::Nothing(_) => {
                *tally.unplanned.entry("nothing to do".to_owned()).or_default() += 1;
                return None;
            }
            Proposed::Refused(refusal) => {
                *tally.unplanned.entry(refusal.by.to_owned()).or_default() += 1;
                return None;
            }
        };
        tally.plans += 1;
        let situation = self.situation();
        let told = |how: &str| {
            let objects: Vec<String> = self.objects.iter().map(Value::to_string).collect();
            format!("{}: {how}\n{}", what(), objects.join("\n"))
        };
        match review(&situation, plan.clone(), &Receipts::granted(&plan)) {
            Ok(reviewed) => {
                let wider = is_wider(self.snapshot, reviewed.plan());
                let verdict = wider.then(|| judge(&situation, reviewed.plan(), EVERYONE));
                *tally.accepted.entry(verb.to_owned()).or_default() += 1;
                match verdict {
                    // If there is no verdict, the review has already searched with the same limits.
                    None | Some(Verdict::Safe { .. }) => {}
                    Some(Verdict::TooMany) => tally.too_large += 1,
                    Some(Verdict::Harmful(found)) => tally.harmful.push(told(&found.moves.join("; "))),
                }
                Some(plan)
            }
            Err(rejected) => {
                let by = rejected.refusal.by;
                *tally.refused.entry(format!("{by} ({verb})")).or_default() += 1;
                if by == "adversary" || by == "simulation" {
                    tally.judged += 1;
                    if let Verdict::Safe { .. } = judge(&situation, &plan, EVERYONE) {
                        tally.too_careful += 1;
                        if std::env::var_os("PVCTL_SHOW").is_some() {
                            let how = format!("TOO CAREFUL {:?} {:?}", rejected.refusal, rejected.interleaving);
                            tally.harmful.push(told(&how));
                        }
                    }
                }
                None
            }
        }
    }
}

/// Returns the tally of one world.
fn world(seed: u64, number: u64) -> Result<Tally> {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03));
    let objects = objects(&mut random);
    let hidden = random.one_in(12).then(|| random.of(HIDDEN));
    let snapshot = snapshot(&objects, hidden)?;
    let mut tally = Tally { worlds: 1, ..Tally::default() };
    for request in requests(&snapshot, &mut random) {
        let what = || format!("seed {seed} world {number}: {request:?}");
        let manifests = manifests(&objects, &reads(&snapshot, &request, Providers::built_in()));
        let looked = Looked { objects: &objects, snapshot: &snapshot, manifests: &manifests };
        let proposed = propose(&looked.situation(), &request);
        let Some(plan) = looked.judge(proposed, request.verb(), &what, &mut tally) else { continue };
        if let Some(begun) = PartialRepair::by_chance(&objects, &plan, &mut random).with_context(what)? {
            undo_or_continue(&begun, &plan, hidden, &what, &mut tally, &mut random)?;
        }
    }
    Ok(tally)
}

/// Examines the undo or the continuation of a repair of which some steps are carried out.
fn undo_or_continue(
    begun: &PartialRepair,
    plan: &Plan,
    hidden: Option<Kind>,
    what: &dyn Fn() -> String,
    tally: &mut Tally,
    random: &mut Random,
) -> Result<()> {
    let objects = begun.objects();
    let snapshot = snapshot(&objects, hidden)?;
    let manifests = manifests(&objects, &plan.objects());
    let looked = Looked { objects: &objects, snapshot: &snapshot, manifests: &manifests };
    let goes_on = !begun.rest.steps.is_empty() && random.one_in(2);
    let (verb, proposed) = if goes_on {
        ("continue", Proposed::Plan(Box::new(begun.rest.clone())))
    } else {
        ("undo", undo(&looked.situation(), "the repair", random.one_in(3), plan, &begun.done))
    };
    let what = || format!("{}, {verb} after {} steps and {:?}", what(), begun.done.len(), begun.actor);
    looked.judge(proposed, verb, &what, tally);
    Ok(())
}

fn manifests(objects: &[Value], keys: &[ObjectKey]) -> Manifests {
    let mut manifests = Manifests::default();
    for key in keys {
        let found = objects.iter().find(|object| {
            object["kind"] == key.kind.as_str()
                && object["metadata"]["name"] == key.name.as_str()
                && object["metadata"]["namespace"].as_str().unwrap_or_default() == key.namespace
        });
        if let Some(object) = found {
            manifests.add(key.clone(), object.clone());
        }
    }
    manifests
}

fn snapshot(objects: &[Value], hidden: Option<Kind>) -> Result<Snapshot> {
    let mut coverage = Coverage::complete();
    for kind in Kind::SURROUNDING {
        coverage.set(CoverageEntry::new(kind, None, CoverageState::Complete));
    }
    if let Some(kind) = hidden {
        coverage.set(CoverageEntry::new(kind, None, CoverageState::Forbidden));
    }
    let mut parts = Parts { coverage, ..Parts::default() };
    for object in objects.iter().filter(|object| hidden.is_none_or(|kind| object["kind"] != kind.as_str())) {
        let read = decode::read(None, object.to_string().as_bytes(), "generator");
        match read.map_err(|failure| anyhow::anyhow!("{failure:?}"))? {
            Item::Object(object) => parts.objects.push(object),
            Item::Skipped(_) => {}
        }
    }
    Ok(Snapshot::new(parts))
}

/// Returns every request that makes sense in this world.
fn requests(snapshot: &Snapshot, random: &mut Random) -> Vec<Request> {
    let mut all = Vec::new();
    let volumes: Vec<_> = snapshot.volumes().iter().map(|volume| volume.meta.name.clone()).collect();
    for volume in snapshot.volumes() {
        let name = || volume.meta.name.clone();
        let other = || Recipient::Claim { namespace: "b".into(), name: "heir".into() };
        all.push(Request::Retain { volume: name() });
        for to in [Recipient::LastClaim, other(), Recipient::Anyone] {
            all.push(Request::Release { volume: name(), to: to.clone() });
            all.push(Request::Unbind { volume: name(), to });
        }
        all.push(Request::Reclaim { volume: name(), delete: true });
        for finalizer in volume.meta.finalizers.iter() {
            let object = volume_key(&volume.meta.name);
            all.push(Request::Unfinalize { object, finalizer: finalizer.clone(), protected: random.one_in(2) });
        }
        if let Some(named) = &volume.claim_ref {
            let (namespace, name) = (named.namespace.clone(), named.name.clone());
            if snapshot.claim_id(&namespace, &name).is_none() && !namespace.is_empty() {
                all.push(Request::Restore { namespace, name, from: None, provisioner_stopped: false });
            }
        }
    }
    for attachment in snapshot.all::<VolumeAttachment>() {
        let machine_off = random.one_in(2).then(|| attachment.node_name.clone());
        all.push(Request::Detach { attachment: attachment.meta.name.clone(), machine_off });
    }
    for claim in snapshot.claims() {
        let (namespace, name) = (claim.meta.namespace.clone(), claim.meta.name.clone());
        let set = vec![if random.one_in(2) { Setting::Class("slow".into()) } else { Setting::Size("1Gi".into()) }];
        all.push(Request::Recreate {
            namespace: namespace.clone(),
            name: name.clone(),
            set,
            provisioner_stopped: random.one_in(3),
        });
        let from = if random.one_in(3) { volumes.first().cloned() } else { None };
        all.push(Request::Restore {
            namespace: namespace.clone(),
            name: name.clone(),
            from,
            provisioner_stopped: false,
        });
        for to in &volumes {
            all.push(Request::Rebind {
                namespace: namespace.clone(),
                name: name.clone(),
                to: to.clone(),
                provisioner_stopped: false,
            });
        }
        for to_namespace in ["b".into(), namespace.clone()] {
            all.push(Request::Move {
                namespace: namespace.clone(),
                name: name.clone(),
                to_namespace,
                to_name: "moved".into(),
                restore_policy: random.one_in(2),
            });
        }
        all.push(Request::Reschedule { namespace: namespace.clone(), name: name.clone() });
        for finalizer in claim.meta.finalizers.iter() {
            let object = claim_key(&namespace, &name);
            all.push(Request::Unfinalize { object, finalizer: finalizer.clone(), protected: random.one_in(2) });
        }
    }
    all
}

/// Returns one to three pairs of a volume and a claim, in random relations, and objects of surrounding kinds.
fn objects(random: &mut Random) -> Vec<Value> {
    let mut objects = vec![
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "a", "uid": "n-a" } }),
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "b", "uid": "n-b" } }),
        class("fast", "Immediate"),
        class("slow", "WaitForFirstConsumer"),
    ];
    let pairs = random.of(&[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3]);
    for number in 0..pairs {
        pair(random, number, &mut objects);
    }
    if random.one_in(4) {
        objects.push(attached::node(random));
    }
    objects
}

fn class(name: &str, mode: &str) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": { "name": name, "uid": format!("s-{name}") },
        "provisioner": "disk.csi.example.com", "reclaimPolicy": "Delete", "volumeBindingMode": mode,
    })
}

/// The relation between a volume and a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Bound,
    HalfBound,
    NamedOnly,
    Reserved,
    Apart,
    ClaimGone,
    ClaimReplaced,
    LostByName,
    LostByUid,
    LostFree,
    LostVolume,
    LostName,
    Alone,
}

fn pair(random: &mut Random, number: u64, objects: &mut Vec<Value>) {
    use Relation as R;
    let relation = random.of(&[
        R::Bound,
        R::Bound,
        R::Bound,
        R::HalfBound,
        R::NamedOnly,
        R::Reserved,
        R::Apart,
        R::ClaimGone,
        R::ClaimGone,
        R::ClaimGone,
        R::ClaimReplaced,
        R::ClaimReplaced,
        R::LostByName,
        R::LostByUid,
        R::LostFree,
        R::LostVolume,
        R::LostName,
        R::Alone,
    ]);
    let (pv, namespace) = (format!("pv-{number}"), random.of(&["a", "a", "b"]));
    let of_set = random.one_in(10);
    let name = if of_set { format!("data-set{number}-0") } else { format!("c{number}") };
    if of_set {
        objects.push(stateful_set(namespace, number, random.of(&[0, 0, 1])));
    }
    let uid = format!("uid-{number}");
    let policy = random.of(&["Retain", "Retain", "Delete", "Delete", "Delete", "Recycle"]);
    let class = random.of(&["fast", "fast", "slow", ""]);
    let named = |uid: Option<&str>| {
        let mut named =
            json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name });
        if let Some(uid) = uid {
            named["uid"] = uid.into();
        }
        named
    };
    let (claim_ref, phases): (Option<Value>, &[&str]) = match relation {
        R::Bound => (Some(named(Some(&uid))), &["Bound", "Bound", "Bound", "Available"]),
        R::HalfBound => (Some(named(Some(&uid))), &["Available", "Bound", "Pending"]),
        R::NamedOnly | R::Apart | R::LostFree | R::Alone => (None, &["Available", "Available", "Pending"]),
        R::Reserved | R::LostByName => (Some(named(None)), &["Available", "Pending"]),
        R::ClaimGone | R::ClaimReplaced | R::LostByUid => {
            (Some(named(Some("uid-gone"))), &["Released", "Released", "Released", "Failed", "Bound"])
        }
        R::LostName => (Some(named(Some(&uid))), &["Bound"]),
        R::LostVolume => (None, &["Available"]),
    };
    let mut finalizers = vec!["kubernetes.io/pv-protection"];
    if random.one_in(4) {
        finalizers.push("external-provisioner.volume.kubernetes.io/finalizer");
    }
    if random.one_in(20) {
        finalizers.clear();
    }
    let mut annotations = serde_json::Map::new();
    if random.one_in(2) {
        annotations.insert("pv.kubernetes.io/bound-by-controller".into(), "yes".into());
    }
    if random.one_in(2) {
        annotations.insert("pv.kubernetes.io/provisioned-by".into(), "disk.csi.example.com".into());
    }
    let mut fields = Vec::new();
    match random.of(&["", "", "", "", "", "client", "server"]) {
        "client" => {
            // The last applied value may differ from the present value.
            let applied = random.of(&[policy, "Retain", "Delete"]);
            let applied = json!({ "spec": { "persistentVolumeReclaimPolicy": applied } }).to_string();
            annotations.insert("kubectl.kubernetes.io/last-applied-configuration".into(), applied.into());
        }
        "server" => fields.push(json!({
            "manager": "storage-sync", "operation": "Apply", "time": "2026-06-01T10:00:00Z", "fieldsType": "FieldsV1",
            "fieldsV1": { "f:spec": { random.of(&["f:persistentVolumeReclaimPolicy", "f:capacity"]): {} } },
        })),
        _ => {}
    }
    let source = if random.one_in(8) {
        json!({ "hostPath": { "path": random.of(&["/tmp/data", "/srv/data"]) } })
    } else {
        json!({ "csi": { "driver": "disk.csi.example.com", "volumeHandle": format!("handle-{}", if random.one_in(30) { 0 } else { number }) } })
    };
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": { "name": pv, "uid": format!("v-{number}"), "resourceVersion": "10", "finalizers": finalizers, "annotations": annotations, "managedFields": fields },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": { "storage": random.of(&["1Gi", "1Gi", "2Gi"]) },
            "persistentVolumeReclaimPolicy": policy, "storageClassName": class, "volumeMode": "Filesystem",
        },
        "status": { "phase": random.of(phases) },
    });
    if let Some((field, value)) = source.as_object().and_then(|source| source.iter().next()) {
        volume["spec"][field] = value.clone();
    }
    if let Some(claim_ref) = claim_ref {
        volume["spec"]["claimRef"] = claim_ref;
    }
    if random.one_in(10) {
        terminate(&mut volume);
    }
    if relation != R::LostVolume {
        objects.push(volume);
    }
    if random.one_in(8) {
        objects.push(attached::attachment(random, number, &pv));
    }
    if matches!(relation, R::ClaimGone | R::Alone) {
        return;
    }
    let lost = matches!(relation, R::LostByName | R::LostByUid | R::LostFree | R::LostVolume | R::LostName);
    let names =
        matches!(relation, R::Bound | R::NamedOnly | R::LostByName | R::LostByUid | R::LostFree | R::LostVolume)
            || relation == R::ClaimReplaced && random.one_in(3);
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": { "namespace": namespace, "name": name, "uid": uid, "resourceVersion": "20", "finalizers": ["kubernetes.io/pvc-protection"], "annotations": {} },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": random.of(&["1Gi", "1Gi", "2Gi"]) } },
            "storageClassName": if random.one_in(12) { "slow" } else { class }, "volumeMode": "Filesystem",
        },
        "status": { "phase": if lost { "Lost" } else if relation == R::Bound { "Bound" } else { "Pending" } },
    });
    if names {
        claim["spec"]["volumeName"] = pv.clone().into();
    }
    if lost || relation == R::Bound {
        claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = "yes".into();
    }
    if !lost && relation != R::Bound && random.one_in(4) {
        claim["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"] = "disk.csi.example.com".into();
    }
    if !lost && relation != R::Bound && random.one_in(6) {
        claim["metadata"]["annotations"]["volume.kubernetes.io/selected-node"] = "node-gone".into();
    }
    if of_set && random.one_in(2) {
        claim["metadata"]["ownerReferences"] = owner("apps/v1", "StatefulSet", &format!("set{number}"), "uid-set");
    } else if number > 0 && random.one_in(4) {
        claim["metadata"]["ownerReferences"] = owner("v1", "PersistentVolumeClaim", "c0", "uid-0");
    }
    if random.one_in(10) {
        terminate(&mut claim);
    }
    if random.one_in(7) {
        objects.push(json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "namespace": namespace, "name": format!("p{number}"), "uid": format!("p-{number}") },
            "spec": { "nodeName": random.of(&["node-1", ""]), "volumes": [{ "name": "d", "persistentVolumeClaim": { "claimName": name } }] },
            "status": { "phase": "Running" },
        }));
    }
    objects.push(claim);
}

/// Returns a StatefulSet that creates the claim with this number.
fn stateful_set(namespace: &str, number: u64, replicas: u64) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": { "namespace": namespace, "name": format!("set{number}"), "uid": "uid-set" },
        "spec": {
            "replicas": replicas,
            "volumeClaimTemplates": [{
                "metadata": { "name": "data" },
                "spec": { "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } },
            }],
        },
    })
}

fn owner(version: &str, kind: &str, name: &str, uid: &str) -> Value {
    json!([{ "apiVersion": version, "kind": kind, "name": name, "uid": uid, "controller": false }])
}

fn terminate(object: &mut Value) {
    object["metadata"]["deletionTimestamp"] = "2026-06-01T10:00:00Z".into();
    object["metadata"]["deletionGracePeriodSeconds"] = 0.into();
}

impl Random {
    fn one_in(&mut self, of: u64) -> bool {
        self.next().is_multiple_of(of)
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        let length = u64::try_from(values.len()).unwrap_or(1);
        values[usize::try_from(self.next() % length).unwrap_or(0)]
    }
}
