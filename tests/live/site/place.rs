//! The part of a site that belongs to one repair.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test waits for controllers, looks at journals, and fails by panicking"
)]

use super::{ATTACHMENT, NODE, PATIENCE, PV, PVC, Site, claim_in_words, text, volume_in_words};
use crate::support::screen::Screen;
use crate::support::{Finished, Run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The part of the cluster that belongs to one repair. It is a namespace, and a class of the same name whose volumes no
/// other claim takes.
pub(crate) struct Place<'s> {
    pub(crate) site: &'s Site,
    /// The name of the namespace and of the class.
    pub(crate) name: String,
    journals: TempDir,
}

impl<'s> Place<'s> {
    /// Creates a namespace with a class whose volumes are created by hand.
    pub(crate) fn new(site: &'s Site, name: &str) -> Self {
        Self::of_class(site, name, "kubernetes.io/no-provisioner", "Immediate")
    }

    /// Creates a namespace with a class of this provisioner and this binding mode.
    pub(crate) fn of_class(site: &'s Site, name: &str, provisioner: &str, mode: &str) -> Self {
        let place = Self { site, name: name.to_owned(), journals: tempfile::tempdir().unwrap() };
        place.namespace(name);
        site.put(&json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": provisioner, "volumeBindingMode": mode,
        }));
        place
    }

    /// Returns a place that already exists, with the journals that it had.
    pub(crate) fn kept(site: &'s Site, name: &str, journals: TempDir) -> Self {
        Self { site, name: name.to_owned(), journals }
    }

    /// Returns the folder of the journals, for [`Place::kept`]. While a place exists, it borrows the site, and the
    /// controllers cannot be stopped or started.
    pub(crate) fn keep(self) -> TempDir {
        self.journals
    }

    /// Creates one more namespace.
    pub(crate) fn namespace(&self, name: &str) {
        self.site.put(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    }

    /// Returns the full name of a volume.
    pub(crate) fn of(&self, volume: &str) -> String {
        format!("{}-{volume}", self.name)
    }

    /// Creates a volume with data and without a claim.
    pub(crate) fn volume(&self, volume: &str, policy: &str) {
        let csi = json!({"driver": "driver.example.com", "volumeHandle": self.of(volume)});
        self.volume_on(volume, policy, "csi", &csi);
    }

    /// Creates a volume with this volume source.
    pub(crate) fn volume_on(&self, volume: &str, policy: &str, source: &str, storage: &Value) {
        self.offer_on(volume, policy, source, storage);
        self.volume_is(volume, &format!("Available, {policy}, of nobody"));
    }

    /// Creates a volume for which a claim already waits. The claim gets the volume immediately.
    pub(crate) fn offer(&self, volume: &str, policy: &str) {
        let csi = json!({"driver": "driver.example.com", "volumeHandle": self.of(volume)});
        self.offer_on(volume, policy, "csi", &csi);
    }

    fn offer_on(&self, volume: &str, policy: &str, source: &str, storage: &Value) {
        let name = self.of(volume);
        self.site.put(&json!({
            "apiVersion": "v1", "kind": PV, "metadata": {"name": name},
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": self.name,
                "persistentVolumeReclaimPolicy": policy, source: storage,
            },
        }));
    }

    /// Creates a claim for a volume of the class, in this namespace.
    pub(crate) fn claim_in(&self, namespace: &str, name: &str) {
        self.site.put(&self.manifest(namespace, name));
    }

    /// Returns the manifest of a claim for a volume of the class.
    pub(crate) fn manifest(&self, namespace: &str, name: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": PVC, "metadata": {"namespace": namespace, "name": name},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": self.name,
                "resources": {"requests": {"storage": "1Gi"}},
            },
        })
    }

    /// Creates a volume with this policy and a claim, and waits until both are bound.
    pub(crate) fn bound(&self, claim: &str, volume: &str, policy: &str) {
        self.volume(volume, policy);
        self.bind(claim, volume, policy);
    }

    /// Creates a claim, and waits until the controller has bound it to an existing volume.
    pub(crate) fn bind(&self, claim: &str, volume: &str, policy: &str) {
        self.claim_in(&self.name, claim);
        self.claim_is(claim, &format!("Bound, {}", self.of(volume)));
        self.volume_is(volume, &format!("Bound, {policy}, of {}/{claim}", self.name));
    }

    /// Creates a bound pair, and deletes the claim. The volume stays Released, because no driver deletes it.
    pub(crate) fn left(&self, claim: &str, volume: &str, policy: &str) {
        self.bound(claim, volume, policy);
        self.site.delete(PVC, &self.name, claim);
        self.volume_is(volume, &format!("Released, {policy}, of the former {}/{claim}", self.name));
    }

    /// Creates a pod that is on a node and uses a claim.
    pub(crate) fn pod(&self, name: &str, claim: &str) {
        self.site.put(&json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": self.name, "name": name},
            "spec": {
                "nodeName": NODE, "containers": [{"name": "c", "image": "none"}],
                "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}],
            },
        }));
    }

    /// Waits until the state of a volume is this one.
    #[track_caller]
    pub(crate) fn volume_is(&self, volume: &str, wanted: &str) {
        let name = self.of(volume);
        comes(wanted, || self.site.pv(&name));
    }

    /// Waits until the state of a claim is this one.
    #[track_caller]
    pub(crate) fn claim_is(&self, claim: &str, wanted: &str) {
        self.claim_of_is(&self.name, claim, wanted);
    }

    /// Waits until the state of a claim in this namespace is this one.
    #[track_caller]
    pub(crate) fn claim_of_is(&self, namespace: &str, claim: &str, wanted: &str) {
        comes(wanted, || self.site.pvc(namespace, claim));
    }

    /// Runs the program with these words, in this namespace, with the journals of this place.
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        let journals = self.journals.path().to_string_lossy();
        let fixed = ["-n", &self.name, "--journal", &journals];
        let config = self.site.plane.kubeconfig().to_string_lossy();
        Run::new(&[arguments, &fixed].concat()).env("KUBECONFIG", &config).finish()
    }

    /// Runs the program in a terminal.
    pub(crate) fn screen(&self, arguments: &[&str]) -> Screen {
        let journals = self.journals_at();
        let config = self.site.plane.kubeconfig().to_string_lossy();
        let words = [arguments, &["-n", &self.name, "--journal", &journals]].concat();
        Screen::start(120, &[("KUBECONFIG", &config)], &words)
    }

    /// Starts the program in a thread. Meanwhile the test can act on the cluster.
    pub(crate) fn apart(&self, arguments: &[&str]) -> thread::JoinHandle<Finished> {
        self.apart_for(arguments, "60s")
    }

    /// Starts the program in a thread. Each of its waits ends after `timeout`.
    pub(crate) fn apart_for(&self, arguments: &[&str], timeout: &str) -> thread::JoinHandle<Finished> {
        let journals = self.journals_at();
        let words = [arguments, &["-n", &self.name, "--journal", &journals, "--yes", "--timeout", timeout]].concat();
        let run = Run::new(&words).env("KUBECONFIG", &self.site.plane.kubeconfig().to_string_lossy());
        thread::spawn(move || run.finish())
    }

    /// Runs a repair that is confirmed, asserts its exit code, and returns its output.
    #[track_caller]
    pub(crate) fn repair(&self, arguments: &[&str], code: i32) -> String {
        let done = self.run(&[arguments, &["--yes", "--timeout", "60s"]].concat());
        let said = done.stdout + &done.stderr;
        assert_eq!(done.code, Some(code), "{arguments:?}\n{said}");
        said
    }

    /// Runs a repair that is not needed or is refused. Asserts that it writes nothing.
    #[track_caller]
    pub(crate) fn again(&self, arguments: &[&str], code: i32) -> String {
        let before = self.rest();
        let journals = self.journals();
        let said = self.repair(arguments, code);
        assert_eq!(self.rest(), before, "{arguments:?} must not write anything");
        assert_eq!(self.journals(), journals, "{arguments:?} must not leave a journal");
        said
    }

    /// Returns the folder of the journals.
    pub(crate) fn journals_at(&self) -> String {
        self.journals.path().to_string_lossy().into_owned()
    }

    /// Returns how many journals there are.
    pub(crate) fn journals(&self) -> usize {
        std::fs::read_dir(self.journals.path()).map_or(0, Iterator::count)
    }

    /// Returns the volumes of the class of this place, or the claims that have this class or are in the namespace of
    /// this place.
    fn objects(&self, kind: &str) -> Vec<Value> {
        let mut objects = self.site.runtime.block_on(self.site.api.list(kind));
        let places = ["/spec/storageClassName", "/metadata/namespace"];
        objects.retain(|object| places.iter().any(|place| text(object, place) == self.name));
        objects
    }

    /// Returns the states of all objects of this place in words, volumes first.
    pub(crate) fn all(&self) -> Vec<String> {
        let (volumes, claims) = (self.objects(PV), self.objects(PVC));
        let key =
            |claim: &Value| (text(claim, "/metadata/namespace").to_owned(), text(claim, "/metadata/name").to_owned());
        let uid_of = |namespace: &str, name: &str| {
            let live = claims.iter().find(|claim| key(claim) == (namespace.to_owned(), name.to_owned()));
            live.map(|live| text(live, "/metadata/uid").to_owned())
        };
        let volumes = volumes
            .iter()
            .map(|volume| format!("{}: {}", text(volume, "/metadata/name"), volume_in_words(volume, uid_of)));
        let claims = claims.iter().map(|claim| {
            let (namespace, name) = key(claim);
            format!("{namespace}/{name}: {}", claim_in_words(claim))
        });
        let attachments = self.attachments();
        let attachments = attachments.iter().map(|attachment| {
            let going = if attachment["metadata"]["deletionTimestamp"].is_string() { ", going" } else { "" };
            format!("{}: attached to {}{going}", text(attachment, "/metadata/name"), text(attachment, "/spec/nodeName"))
        });
        volumes.chain(claims).chain(attachments).collect()
    }

    /// Returns the attachments of this place.
    fn attachments(&self) -> Vec<Value> {
        let begins = format!("{}-", self.name);
        let mut attachments = self.site.runtime.block_on(self.site.api.list(ATTACHMENT));
        attachments.retain(|attachment| text(attachment, "/metadata/name").starts_with(&begins));
        attachments
    }

    /// Records that a volume is attached to a node. The attacher keeps the attachment.
    pub(crate) fn attached(&self, attachment: &str, volume: &str, node: &str) {
        let name = self.of(attachment);
        let finalizer = "external-attacher/driver-example-com";
        self.site.put(&json!({
            "apiVersion": "storage.k8s.io/v1", "kind": ATTACHMENT,
            "metadata": {
                "name": name, "finalizers": [finalizer], "annotations": {"csi.alpha.kubernetes.io/node-id": name},
            },
            "spec": {
                "attacher": "driver.example.com", "nodeName": self.of(node),
                "source": {"persistentVolumeName": self.of(volume)},
            },
        }));
        self.site.report(ATTACHMENT, "", &name, &json!({"attached": true}));
    }

    /// Creates a claim of a class that waits for a pod. The scheduler has selected this node for it.
    pub(crate) fn selected(&self, claim: &str, node: &str) {
        let class = self.of("late");
        self.site.put(&json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": class},
            "provisioner": "driver.example.com", "volumeBindingMode": "WaitForFirstConsumer",
        }));
        let mut manifest = self.manifest(&self.name, claim);
        manifest["spec"]["storageClassName"] = json!(class);
        manifest["metadata"]["annotations"] = json!({"volume.kubernetes.io/selected-node": self.of(node)});
        self.site.put(&manifest);
        self.claim_is(claim, &format!("Pending, , on {}", self.of(node)));
    }

    /// Deletes the claims and volumes of this place. The controllers remove the finalizers, unless a pod still uses the
    /// claim.
    pub(crate) fn clear(&self) {
        for kind in [PVC, PV] {
            for object in self.objects(kind) {
                self.site.delete(kind, text(&object, "/metadata/namespace"), text(&object, "/metadata/name"));
            }
        }
        for attachment in self.attachments() {
            let name = text(&attachment, "/metadata/name");
            self.site.edit(ATTACHMENT, "", name, |attachment| attachment["metadata"]["finalizers"] = json!([]));
            self.site.delete(ATTACHMENT, "", name);
        }
        self.site.delete("Node", "", &self.of("node"));
    }

    /// Returns the resource versions of all objects of this place, after they do not change any more.
    pub(crate) fn rest(&self) -> BTreeMap<String, String> {
        let versions = || {
            let mut all = BTreeMap::new();
            for kind in [PV, PVC] {
                for object in self.objects(kind) {
                    let (namespace, name) = (text(&object, "/metadata/namespace"), text(&object, "/metadata/name"));
                    let version = text(&object, "/metadata/resourceVersion").to_owned();
                    all.insert(format!("{kind} {namespace}/{name}"), version);
                }
            }
            all
        };
        let (mut last, mut since) = (versions(), Instant::now());
        // This time is a little longer than the resync period of the controllers.
        while since.elapsed() < Duration::from_millis(1500) {
            thread::sleep(Duration::from_millis(100));
            let now = versions();
            if now != last {
                (last, since) = (now, Instant::now());
            }
        }
        last
    }

    /// Asserts that the volumes were not deleted, kept their storage, and were not given to another claim.
    #[track_caller]
    pub(crate) fn unharmed(&self, volumes: &[&str], meant: &[(&str, &str)]) {
        for volume in volumes {
            assert_eq!(self.site.harm(&self.of(volume), meant), Vec::<String>::new());
        }
    }
}

/// Waits until the state is the wanted one.
#[track_caller]
fn comes(wanted: &str, seen: impl Fn() -> String) {
    let begin = Instant::now();
    loop {
        let now = seen();
        if now == wanted {
            return;
        }
        assert!(begin.elapsed() < PATIENCE, "the state must be {wanted}, but is {now}");
        thread::sleep(Duration::from_millis(50));
    }
}
