//! Deletes 300 claims in many ways, with the real controllers. While the data of a claim are in danger, `audit`,
//! `explain` and `fix` must warn. Without danger, they must not warn of a deletion. A watch on the volumes records
//! which data are deleted, and when.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "the test waits for controllers, says how much it saw, and fails by panicking"
)]

mod actors;
mod cases;
mod warnings;

use super::api::{Api, path};
use super::plane::Plane;
use super::site::{PV, PVC, text};
use crate::support::{Finished, Run};
use actors::{Actors, DRIVERS, GUARD, Storage, version};
use cases::{Action, CASES, DeletionCase, HELD, LIVE, OUT_OF_SERVICE, REMOVED, Risk, UNREACHABLE};
use http::Method;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use warnings::{Warnings, fits, wrong_of_explain, wrong_of_fix};

/// How many claims there are, and in how many namespaces. The namespaces that are deleted are not included.
const CLAIMS: usize = 300;

const NAMESPACES: usize = 5;

/// In how many different steps the claims of one case start, and after how many steps all actions are done.
const STARTS: usize = 4;

const STEPS: usize = STARTS + 2;

/// How long the test asks `explain` and `fix` in each step: the usual time, and the longest time. The test continues
/// after the usual time if there is still a pair of case and danger about which it has not asked.
const SLICE: Duration = Duration::from_secs(4);

const LONGEST: Duration = Duration::from_secs(100);

/// The largest number of pairs of case and danger that may be missed. The drivers wait for the questions, but
/// kube-controller-manager does not wait with the folders and pods that it deletes itself.
const MISSED: usize = 4;

/// About how many objects the program is asked at the same time.
const ABREAST: usize = 2;

/// The longest time to wait. The controllers need at most a minute to remove the pods of a removed node.
const PATIENCE: Duration = Duration::from_secs(100);

/// The finalizer of another owner on a claim.
const HOLD: &str = "backup.example.com/hold";

/// A claim with its volume, and how far the deletion has progressed.
#[derive(Clone)]
struct Case {
    course: &'static DeletionCase,
    namespace: String,
    name: String,
    volume: String,
    /// The step in which the first action is done.
    start: usize,
    /// How many actions are done.
    done: usize,
    /// How many pods are deleted.
    pods_deleted: usize,
    /// The newest resource version before the action that endangers the data.
    in_danger_after: Option<u64>,
}

impl Case {
    fn new(number: usize, folder: &Path) -> Self {
        let course = &CASES[number % CASES.len()];
        let turn = number / CASES.len();
        let name = format!("{}-{turn}", course.name);
        let namespace = match course.actions.first() {
            Some((Action::DeleteNamespace, _)) => course.name.to_owned(),
            _ => format!("n{}", turn % NAMESPACES),
        };
        let case = Self {
            course,
            volume: format!("v-{name}"),
            namespace,
            name,
            start: if course.starts_at_once { 0 } else { turn % STARTS },
            done: 0,
            pods_deleted: 0,
            in_danger_after: None,
        };
        if course.storage == Storage::HostPath {
            fs::create_dir(folder.join(&case.volume)).unwrap();
        }
        case
    }

    fn danger(&self) -> Risk {
        self.done.checked_sub(1).map_or(Risk::None, |last| self.course.actions[last].1)
    }

    fn claim_path(&self) -> String {
        path(PVC, &self.namespace, &self.name)
    }

    fn manifest(&self) -> Value {
        let finalizers = if self.course.name == HELD { json!([HOLD]) } else { json!([]) };
        json!({
            "apiVersion": "v1", "kind": PVC,
            "metadata": {"namespace": self.namespace, "name": self.name, "finalizers": finalizers},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": self.class(),
                "resources": {"requests": {"storage": "1Gi"}},
            },
        })
    }

    /// Returns the name of the class: the name of the driver, or `manual` if the storage has no driver.
    fn class(&self) -> &'static str {
        self.course.storage.driver().unwrap_or("manual")
    }

    /// Creates the claim, the volume as its driver would make it, and the pods as they run.
    async fn make(self, api: Api, folder: String) {
        let made = |object: Value| {
            let api = api.clone();
            async move { api.create(&object).await.unwrap_or_else(|refused| panic!("{}: {object}", refused.message)) }
        };
        let claim = made(self.manifest()).await;
        let mut volume = json!({
            "apiVersion": "v1", "kind": PV, "metadata": {"name": self.volume, "annotations": {}, "finalizers": []},
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": self.class(),
                "persistentVolumeReclaimPolicy": self.course.policy,
                "claimRef": {
                    "apiVersion": "v1", "kind": PVC, "namespace": self.namespace, "name": self.name,
                    "uid": claim["metadata"]["uid"],
                },
            },
        });
        match self.course.storage.driver() {
            Some(driver) => {
                volume["spec"]["csi"] = json!({"driver": driver, "volumeHandle": self.volume});
                if self.course.storage != Storage::HandMade {
                    volume["metadata"]["annotations"] = json!({"pv.kubernetes.io/provisioned-by": driver});
                }
                if self.course.storage != Storage::Unguarded {
                    volume["metadata"]["finalizers"] = json!([GUARD]);
                }
            }
            None => volume["spec"]["hostPath"] = json!({"path": format!("{folder}/{}", self.volume)}),
        }
        made(volume).await;
        for (number, (node, phase)) in self.course.pods.iter().enumerate() {
            let mut pod = json!({
                "apiVersion": "v1", "kind": "Pod",
                "metadata": {"namespace": self.namespace, "name": self.pod(number)},
                "spec": {
                    "containers": [{"name": "c", "image": "none"}], "terminationGracePeriodSeconds": 4,
                    "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": self.name}}],
                },
            });
            if !node.is_empty() {
                pod["spec"]["nodeName"] = json!(node);
            }
            let mut pod = made(pod).await;
            pod["status"]["phase"] = json!(phase);
            api.replace_status(&pod).await.unwrap();
        }
    }

    fn pod(&self, number: usize) -> String {
        format!("{}-{number}", self.name)
    }

    async fn act(&mut self, api: &Api, act: Action) {
        let delete = async |path: String| {
            let gone = api.send(Method::DELETE, &path, None).await;
            // A namespace has several claims. The case of each claim deletes the namespace, so later deletions may be
            // refused.
            assert!(gone.as_ref().is_ok_and(|_| true) || gone.is_err_and(|refused| [404, 409].contains(&refused.code)));
        };
        let patch = async |path: String, patch: Value| {
            api.patch(&path, "application/merge-patch+json", &patch).await.unwrap();
        };
        let mut anew = self.manifest();
        match act {
            Action::DeleteClaim => delete(self.claim_path()).await,
            Action::DeletePod => {
                delete(path("Pod", &self.namespace, &self.pod(self.pods_deleted))).await;
                self.pods_deleted += 1;
            }
            Action::DeleteVolume => delete(path(PV, "", &self.volume)).await,
            Action::DeleteNamespace => delete(path("Namespace", "", &self.namespace)).await,
            Action::SetRetain => {
                let keep = json!({"spec": {"persistentVolumeReclaimPolicy": "Retain"}});
                patch(path(PV, "", &self.volume), keep).await;
            }
            Action::RecreateClaim => _ = api.create(&anew).await.unwrap(),
            Action::RecreateNamedClaim => {
                anew["spec"]["volumeName"] = json!(self.volume);
                api.create(&anew).await.unwrap();
            }
            Action::RemoveFinalizers | Action::RemoveForeignFinalizer => {
                patch(self.claim_path(), json!({"metadata": {"finalizers": null}})).await;
            }
        }
    }
}

/// The cluster with all claims, and what the test has seen of it.
struct Scene {
    // The runtime is dropped first, so that no actor acts any more when the cluster ends.
    runtime: Runtime,
    plane: Plane,
    api: Api,
    actors: Actors,
    cases: Vec<Case>,
    tally: Tally,
    begin: Instant,
}

/// A case, a danger, and the command whose answer was wrong.
type Key = (&'static str, Risk, &'static str);

/// The counts of what was checked, and the faults.
#[derive(Default)]
struct Tally {
    audits: usize,
    /// How often an audit had to report each danger, or no danger. `between` counts the dangers that ended during an
    /// audit or a question. What was said about them is not checked.
    judged: BTreeMap<Risk, usize>,
    between: usize,
    /// How often `explain` and `fix` were asked, by case and danger.
    asked: BTreeMap<(&'static str, Risk), usize>,
    runs: usize,
    /// The first fault of each kind, and how often it occurred.
    wrong: BTreeMap<Key, (String, usize)>,
}

impl Tally {
    fn asked(&self, case: &Case) -> usize {
        self.asked.get(&(case.course.name, case.danger())).copied().unwrap_or_default()
    }

    /// Records the fault of an answer, if there is one.
    fn judge(&mut self, case: &Case, danger: Risk, who: &'static str, wrong: Option<String>) {
        let key = (case.course.name, danger, who);
        if let Some(what) = wrong {
            self.wrong.entry(key).or_insert((what, 0)).1 += 1;
        }
    }
}

/// Runs the program as the administrator. `config` is the path of the kubeconfig.
fn pvctl(config: &str, arguments: &[&str]) -> Finished {
    Run::new(arguments).env("KUBECONFIG", config).finish()
}

impl Scene {
    fn new(folder: &Path) -> Self {
        let begin = Instant::now();
        let mut plane = Plane::start(&[]);
        let runtime = Runtime::new().unwrap();
        let api = runtime.block_on(Api::of(&plane));
        plane.start_controllers_and("pod-garbage-collector-controller,namespace-controller");
        let actors = runtime.block_on(async { Actors::begin(&api) });
        let cases = (0..CLAIMS).map(|number| Case::new(number, folder)).collect();
        let scene = Self { plane, api, runtime, actors, cases, tally: Tally::default(), begin };
        scene.create_cluster();
        scene.make(folder);
        scene
    }

    /// Creates what has to exist before any claim.
    fn create_cluster(&self) {
        let create = |object: Value| _ = self.runtime.block_on(self.api.create(&object)).unwrap();
        for name in self.cases.iter().map(|case| &case.namespace).collect::<BTreeSet<_>>() {
            create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
        }
        for name in DRIVERS.into_iter().chain(["manual"]) {
            let provisioner = if name == "manual" { "kubernetes.io/no-provisioner" } else { name };
            create(json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
                "provisioner": provisioner, "volumeBindingMode": "Immediate",
            }));
        }
        for driver in DRIVERS {
            create(json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": driver},
                "spec": {"attachRequired": false, "podInfoOnMount": false},
            }));
        }
        for name in [LIVE, UNREACHABLE, OUT_OF_SERVICE, REMOVED] {
            let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}});
            let mut node = self.runtime.block_on(self.api.create(&node)).unwrap();
            let ready = if [UNREACHABLE, OUT_OF_SERVICE].contains(&name) { "Unknown" } else { "True" };
            node["status"]["conditions"] = json!([{"type": "Ready", "status": ready}]);
            self.runtime.block_on(self.api.replace_status(&node)).unwrap();
        }
    }

    fn make(&self, folder: &Path) {
        self.runtime.block_on(async {
            let mut makers = JoinSet::new();
            for case in &self.cases {
                makers.spawn(case.clone().make(self.api.clone(), folder.to_string_lossy().into_owned()));
                if makers.len() >= 20 {
                    makers.join_next().await.unwrap().unwrap();
                }
            }
            while let Some(made) = makers.join_next().await {
                made.unwrap();
            }
            // The pods of a removed node remain for at least 40 seconds.
            self.api.send(Method::DELETE, &path("Node", "", REMOVED), None).await.unwrap();
        });
        self.until("all claims are bound", || {
            let claims = self.runtime.block_on(self.api.list(PVC));
            let bound = claims.iter().filter(|claim| text(claim, "/status/phase") == "Bound").count();
            bound == CLAIMS
        });
    }

    fn until(&self, what: &str, is: impl Fn() -> bool) {
        let begin = Instant::now();
        while !is() {
            let log = self.plane.log("kube-controller-manager");
            let last: Vec<&str> = log.lines().rev().take(5).collect();
            assert!(begin.elapsed() < PATIENCE, "the condition was not reached in time: {what}: {last:?}");
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// Returns the newest resource version that is stored. The watch has seen the volumes up to this version, or will
    /// see them soon.
    fn version(&self) -> u64 {
        let place = format!("{}?limit=1", path(PV, "", ""));
        version(&self.runtime.block_on(self.api.get(&place)).unwrap())
    }

    /// Does all actions of a step.
    fn step(&mut self, step: usize) {
        let before = self.version();
        for case in &mut self.cases {
            let Some((act, danger)) = step.checked_sub(case.start).and_then(|turn| case.course.actions.get(turn))
            else {
                continue;
            };
            self.runtime.block_on(case.act(&self.api, *act));
            if *danger == Risk::Imminent && case.danger() != Risk::Imminent {
                case.in_danger_after = Some(before);
            }
            case.done += 1;
        }
        self.hold();
        if step == STARTS {
            let taint = json!({"spec": {"taints": [
                {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"},
            ]}});
            let node = path("Node", "", OUT_OF_SERVICE);
            let patched = self.api.patch(&node, "application/merge-patch+json", &taint);
            self.runtime.block_on(patched).unwrap();
        }
    }

    /// Returns the danger of a case at this resource version, or `None` if the data are already gone. The watch must
    /// have seen everything up to this version.
    fn danger(&self, case: &Case, after: u64) -> Option<Risk> {
        let seen = self.actors.seen(&case.volume);
        // kube-controller-manager deletes the folder and then the object.
        let deleted = seen.deleted.filter(|_| case.course.storage == Storage::HostPath);
        match seen.erased.or(deleted) {
            Some(gone) if gone <= after => None,
            _ => Some(case.danger()),
        }
    }

    /// Returns whether the data of a case are gone at this version.
    fn is_gone(&self, case: &Case, version: u64) -> bool {
        let seen = self.actors.seen(&case.volume);
        [seen.erased, seen.deleted].into_iter().flatten().any(|gone| gone <= version)
    }

    /// Audits all namespaces and checks the findings.
    fn audit(&mut self) {
        let config = self.plane.kubeconfig().to_string_lossy().into_owned();
        let before = self.version();
        let run = pvctl(&config, &["audit", "--all", "-A", "-o", "json", "--exit-zero"]);
        let after = self.version();
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stderr);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        self.catch_up();
        self.tally.audits += 1;
        let told = Warnings::of(&report);
        for case in &self.cases {
            match self.danger(case, after) {
                Some(danger) => {
                    *self.tally.judged.entry(danger).or_default() += 1;
                    let told = told.danger(case);
                    let what = || {
                        let findings = report["findings"].as_array().unwrap().iter();
                        let about = findings.filter(|one| one.to_string().contains(&case.name));
                        let about: Vec<String> =
                            about.map(|one| format!("{} {}", text(one, "/id"), text(one, "/message"))).collect();
                        format!("audit reports danger {told:?} for {}: {about:?}", case.volume)
                    };
                    self.tally.judge(case, danger, "audit", (!fits(danger, told)).then(what));
                }
                None if self.is_gone(case, before) => {}
                None => self.tally.between += 1,
            }
        }
    }

    /// Waits until the watch has seen everything that is stored now.
    fn catch_up(&self) {
        let volumes = self.runtime.block_on(self.api.list(PV));
        let newest = volumes.iter().map(version).max().unwrap();
        self.until("the watch has seen everything", || self.actors.newest() >= newest);
    }

    /// Returns the kind of object about which the program is asked. If the claim still has the volume, it is the claim
    /// every second time. Otherwise it is the volume.
    fn object(&self, case: &Case) -> &'static str {
        let read = |path: String, place: &str| {
            let found = self.runtime.block_on(self.api.get(&path)).ok()?;
            Some(text(&found, place).to_owned())
        };
        let claim = read(case.claim_path(), "/metadata/uid");
        let is_its_own = claim.is_some() && claim == read(path(PV, "", &case.volume), "/spec/claimRef/uid");
        if is_its_own && self.tally.asked(case).is_multiple_of(2) { "pvc" } else { "pv" }
    }

    /// Returns whether data are in danger and nobody has asked about this case and danger yet.
    fn is_unasked(&self, case: &Case) -> bool {
        case.danger() != Risk::None && self.tally.asked(case) == 0
    }

    /// Lets the drivers wait with the volumes about which the test has not asked yet. So it does not depend on the
    /// speed of the machine which questions are asked.
    fn hold(&self) {
        let unasked = self.cases.iter().filter(|case| self.is_unasked(case));
        self.actors.hold(unasked.map(|case| case.volume.clone()).collect());
    }

    /// Asks about single volumes and claims. The pairs of case and danger with the fewest questions so far come first.
    fn sample(&mut self, begin: Instant) {
        while begin.elapsed() < LONGEST {
            let now = self.version();
            let mut open: Vec<&Case> = self.cases.iter().filter(|case| !self.is_gone(case, now)).collect();
            if begin.elapsed() > SLICE && !open.iter().any(|case| self.is_unasked(case)) {
                break;
            }
            open.sort_by_key(|case| (self.tally.asked(case), Reverse(case.danger())));
            let mut chosen: Vec<(Case, &'static str)> = Vec::new();
            for case in open {
                if chosen.len() < ABREAST && chosen.iter().all(|(other, _)| other.course.name != case.course.name) {
                    chosen.push((case.clone(), self.object(case)));
                }
            }
            self.ask(&chosen);
            self.hold();
        }
        self.actors.hold(BTreeSet::new());
    }

    /// Asks `explain` and `fix` about each of these volumes or claims, and checks the answers.
    fn ask(&mut self, chosen: &[(Case, &'static str)]) {
        let config = self.plane.kubeconfig().to_string_lossy().into_owned();
        let both = |(case, kind): &(Case, &str)| {
            let object = format!("{kind}/{}", if *kind == "pvc" { &case.name } else { &case.volume });
            ["explain", "fix"].map(|verb| pvctl(&config, &[verb, &object, "-n", &case.namespace]))
        };
        let answers: Vec<[Finished; 2]> = thread::scope(|scope| {
            let asked: Vec<_> = chosen.iter().map(|one| scope.spawn(|| both(one))).collect();
            asked.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let after = self.version();
        self.catch_up();
        for ((case, kind), [explained, fixed]) in chosen.iter().zip(answers) {
            self.tally.runs += 2;
            *self.tally.asked.entry((case.course.name, case.danger())).or_default() += 1;
            let Some(danger) = self.danger(case, after) else { continue };
            // If the object is already gone, there is no answer to check.
            if explained.code == Some(2) || fixed.code == Some(2) {
                self.tally.between += 1;
                continue;
            }
            let [of_explain, of_fix] =
                if *kind == "pvc" { ["explain pvc", "fix pvc"] } else { ["explain pv", "fix pv"] };
            self.tally.judge(case, danger, of_explain, wrong_of_explain(case, danger, &explained));
            self.tally.judge(case, danger, of_fix, wrong_of_fix(case, danger, &fixed));
        }
    }

    /// Returns the faults at the end. Each volume in danger must have lost its data after the action that caused the
    /// danger, without any further action. No other volume may have lost its data.
    fn ends(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for case in &self.cases {
            let seen = self.actors.seen(&case.volume);
            let lost = seen.erased.or(seen.deleted.filter(|_| case.course.storage == Storage::HostPath));
            match (case.in_danger_after.filter(|_| case.danger() == Risk::Imminent), lost) {
                (Some(since), Some(lost)) if lost > since => {}
                (None, None) => {}
                (since, lost) => wrong.push(format!("{}: in danger since {since:?}, lost at {lost:?}", case.volume)),
            }
            let is_kept = case.course.policy == "Retain"
                || case.course.actions.last().is_some_and(|last| matches!(last.0, Action::SetRetain));
            if is_kept != seen.kept.is_some() {
                wrong.push(format!("{}: it was kept at {:?}", case.volume, seen.kept));
            }
        }
        wrong
    }

    fn all_are_gone(&self) -> bool {
        let mut doomed = self.cases.iter().filter(|case| case.danger() == Risk::Imminent);
        doomed.all(|case| self.is_gone(case, u64::MAX))
    }
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn no_data_are_deleted_without_a_warning() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let mut scene = Scene::new(folder.path());
    eprintln!("{CLAIMS} claims of {} cases are bound after {} s", CASES.len(), scene.begin.elapsed().as_secs());
    scene.audit();
    for step in 0..STEPS {
        scene.step(step);
        scene.audit();
        scene.sample(Instant::now());
        scene.audit();
    }
    scene.actors.answers.store(true, Ordering::SeqCst);
    let until = Instant::now() + PATIENCE;
    while !scene.all_are_gone() {
        assert!(Instant::now() < until, "all data in danger must be deleted by now: {:?}", scene.ends());
        scene.sample(Instant::now());
        scene.audit();
        // The pods of the removed node are the last ones to disappear.
        let pods = scene.runtime.block_on(scene.api.list("Pod"));
        if pods.iter().all(|pod| text(pod, "/spec/nodeName") != REMOVED) {
            scene.actors.returned.store(true, Ordering::SeqCst);
        }
    }
    scene.audit();
    scene.catch_up();
    let tally = &scene.tally;
    eprintln!(
        "{} audits, in which these dangers were checked: {:?}, and {} were left out; {} runs of explain and fix; {} s",
        tally.audits,
        tally.judged,
        tally.between,
        tally.runs,
        scene.begin.elapsed().as_secs()
    );
    let ends = scene.ends();
    assert!(ends.is_empty(), "{} faults at the end:\n{}", ends.len(), ends.join("\n"));
    for number in 0..CLAIMS {
        let case = &scene.cases[number];
        let is_there = folder.path().join(&case.volume).exists();
        let stays = case.course.storage == Storage::HostPath && case.danger() != Risk::Imminent;
        assert_eq!(is_there, stays, "whether the folder of {} exists", case.volume);
    }
    let wrong: Vec<String> =
        tally.wrong.iter().map(|(key, (what, times))| format!("{key:?}, {times} times: {what}")).collect();
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n\n"));
    let judged: usize = tally.judged.values().sum();
    assert!(tally.between * 50 < judged, "too many dangers ended during an audit: {}", tally.between);
    let dangers = CASES.iter().flat_map(|course| course.actions.iter().map(|act| (course.name, act.1)));
    let missed: BTreeSet<_> = dangers.filter(|key| key.1 != Risk::None && !tally.asked.contains_key(key)).collect();
    assert!(missed.len() <= MISSED, "explain and fix were not asked about these pairs: {missed:?}");
}
