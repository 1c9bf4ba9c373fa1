//! The actors that change the objects of a repair on a real API server. They are the actors of the adversary. Each one
//! writes only in one place, and the real controllers react.
#![expect(clippy::panic, reason = "an actor that cannot act fails the test by panicking")]

use crate::live::api::{Api, Refused, path};
use crate::live::site::{ATTACHMENT, NODE, PV, PVC, text, watch};
pub(crate) use crate::support::api::Actor;
use http::Method;
use serde_json::{Value, json};

/// The field of the reclaim policy.
const POLICY: &str = "persistentVolumeReclaimPolicy";

/// The actors after which many states are possible, and that can act on a real API server at any moment. The test
/// checks only what is lost.
pub(crate) const ROUGH: [Actor; 6] =
    [Actor::Applier, Actor::Syncer, Actor::Changer, Actor::VolumeMaker, Actor::ClaimMaker, Actor::Second];

/// The place in which an actor acts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    /// The name of the place, which is the name of its namespace and its class.
    pub(crate) place: String,
    /// The claims of the repair, as they were at the start or would be created.
    pub(crate) claims: Vec<Value>,
    /// A number that distinguishes the runs.
    pub(crate) turn: usize,
}

/// Returns the resource version of an object.
pub(crate) fn version(object: &Value) -> u64 {
    text(object, "/metadata/resourceVersion").parse().unwrap_or_default()
}

impl Scene {
    /// Returns the namespace of the stranger.
    pub(crate) fn strange(&self) -> String {
        format!("{}-x", self.place)
    }

    /// Returns the name of the node that is gone.
    pub(crate) fn node(&self) -> String {
        format!("{}-node", self.place)
    }

    /// Deletes each attachment to the node that is gone. If it is being deleted already, its volume is detached.
    async fn detach(&self, api: &Api) {
        let mut attachments = api.list(ATTACHMENT).await;
        attachments.retain(|attachment| text(attachment, "/spec/nodeName") == self.node());
        for attachment in attachments {
            if attachment["metadata"]["deletionTimestamp"].is_string() {
                change(api, &attachment, |now| now["metadata"]["finalizers"] = json!([])).await;
            } else {
                let at = path(ATTACHMENT, "", text(&attachment, "/metadata/name"));
                passes(api.send(Method::DELETE, &at, None).await, &[404]);
            }
        }
    }

    async fn volumes(&self, api: &Api) -> Vec<Value> {
        let mut volumes = api.list(PV).await;
        volumes.retain(|volume| text(volume, "/spec/storageClassName") == self.place);
        volumes
    }

    async fn own_claims(&self, api: &Api) -> Vec<Value> {
        let mut claims = api.list(PVC).await;
        claims.retain(|claim| {
            let namespace = text(claim, "/metadata/namespace");
            namespace == self.place || namespace == format!("{}-to", self.place)
        });
        claims
    }

    /// Lets the actor act. Returns the resource version at which it deleted a claim, if it did.
    pub(crate) async fn act(&self, actor: Actor, api: &Api) -> Option<u64> {
        match actor {
            Actor::Nobody => {}
            Actor::Driver => self.drive(api).await,
            Actor::Stranger => {
                for volume in self.volumes(api).await {
                    let name = text(&volume, "/metadata/name");
                    let mut claim = fitting(&volume, &self.strange(), &format!("takes-{name}"));
                    claim["spec"]["volumeName"] = name.into();
                    create(api, &claim).await;
                }
            }
            Actor::Namesake => {
                for volume in self.volumes(api).await {
                    let named = |field: &str| text(&volume["spec"]["claimRef"], field).to_owned();
                    if !named("/name").is_empty() {
                        create(api, &fitting(&volume, &named("/namespace"), &named("/name"))).await;
                    }
                }
            }
            Actor::Recreator => {
                for claim in &self.claims {
                    create(api, claim).await;
                }
            }
            Actor::Deleter => return self.delete(api).await,
            Actor::Scheduler => self.reserve(api).await,
            Actor::User => {
                for claim in &self.claims {
                    create(api, &pod(claim)).await;
                }
            }
            Actor::NodeReturner => {
                let name = self.node();
                create(api, &json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})).await;
            }
            Actor::Detacher => self.detach(api).await,
            Actor::Toucher => {
                for object in self.volumes(api).await.into_iter().chain(self.own_claims(api).await) {
                    change(api, &object, |object| object["metadata"]["labels"]["touched"] = self.place.clone().into())
                        .await;
                }
            }
            Actor::Applier => self.apply(api, "kubectl-client-side-apply").await,
            Actor::Syncer => self.sync(api).await,
            Actor::Changer => {
                for volume in self.volumes(api).await {
                    change(api, &volume, |now| now["spec"][POLICY] = "Delete".into()).await;
                }
            }
            Actor::VolumeMaker => self.make_volumes(api).await,
            Actor::ClaimMaker => return self.make_claims(api).await,
            Actor::Second => return self.take_away(api).await,
            rough => panic!("{rough:?} must be tested elsewhere"),
        }
        None
    }

    /// Returns whether the data of a volume would be deleted immediately if its policy became Delete. In that case a
    /// repair has no time to check anything.
    pub(crate) async fn is_exposed(&self, api: &Api) -> bool {
        let claims = self.own_claims(api).await;
        self.volumes(api).await.iter().any(|volume| {
            let named = &volume["spec"]["claimRef"];
            let holds = |claim: &&Value| {
                claim["metadata"]["uid"] == named["uid"] && !claim["metadata"]["deletionTimestamp"].is_string()
            };
            text(named, "/uid").is_empty() || !claims.iter().any(|claim| holds(&claim))
        })
    }

    /// Changes the volumes like `kubectl apply` of a manifest with policy Delete.
    async fn apply(&self, api: &Api, manager: &str) {
        for volume in self.volumes(api).await {
            let name = text(&volume, "/metadata/name").to_owned();
            let applied = json!({"kind": PV, "metadata": {"name": name}, "spec": {POLICY: "Delete"}}).to_string();
            let path = format!("{}?fieldManager={manager}", path(PV, "", &name));
            let patch = json!({
                "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied}},
                "spec": {POLICY: "Delete"},
            });
            passes(api.patch(&path, "application/merge-patch+json", &patch).await, &[404]);
        }
    }

    /// Changes the volumes like `kubectl apply --server-side --force-conflicts`, with policy Delete and with the claim
    /// that the volume names.
    async fn sync(&self, api: &Api) {
        for volume in self.volumes(api).await {
            let name = text(&volume, "/metadata/name").to_owned();
            let path = format!("{}?fieldManager=storage-sync&force=true", path(PV, "", &name));
            let mut applied =
                json!({"apiVersion": "v1", "kind": PV, "metadata": {"name": name}, "spec": {POLICY: "Delete"}});
            let named = &volume["spec"]["claimRef"];
            if named.is_object() {
                applied["spec"]["claimRef"] = json!({"namespace": named["namespace"], "name": named["name"]});
            }
            passes(api.patch(&path, "application/apply-patch+yaml", &applied).await, &[404]);
        }
    }

    /// Replaces each volume that is not Bound. The new volume has the same name and other storage.
    async fn make_volumes(&self, api: &Api) {
        for mut volume in self.volumes(api).await {
            if volume["status"]["phase"] == "Bound" {
                continue;
            }
            let name = text(&volume, "/metadata/name").to_owned();
            let at = path(PV, "", &name);
            passes(api.send(Method::DELETE, &at, None).await, &[404]);
            volume["apiVersion"] = json!("v1");
            volume["kind"] = json!(PV);
            change(api, &volume, |now| now["metadata"]["finalizers"] = json!([])).await;
            volume["metadata"] = json!({"name": name, "annotations": volume["metadata"]["annotations"]});
            volume["spec"]["csi"]["volumeHandle"] = json!(format!("another-{name}"));
            volume["spec"][POLICY] = json!("Retain");
            create(api, &volume).await;
        }
    }

    /// Replaces each claim by another claim of the same name. Returns the newest resource version at which it deleted a
    /// claim, or `None` if it deleted none.
    async fn make_claims(&self, api: &Api) -> Option<u64> {
        let mut deleted = None;
        for claim in self.own_claims(api).await {
            let at = path(PVC, text(&claim, "/metadata/namespace"), text(&claim, "/metadata/name"));
            let gone = passes(api.send(Method::DELETE, &at, None).await, &[404]);
            deleted = deleted.max(gone.as_ref().map(version));
        }
        for claim in &self.claims {
            create(api, claim).await;
        }
        deleted
    }

    /// Acts like a second, careless tool: sets policy Retain, deletes the claims, and binds each volume to a new claim
    /// of the tool. Returns the newest resource version at which it deleted a claim, or `None` if it deleted none.
    async fn take_away(&self, api: &Api) -> Option<u64> {
        let volumes = self.volumes(api).await;
        for volume in &volumes {
            change(api, volume, |now| now["spec"][POLICY] = "Retain".into()).await;
        }
        let mut deleted = None;
        for claim in self.own_claims(api).await {
            let at = path(PVC, text(&claim, "/metadata/namespace"), text(&claim, "/metadata/name"));
            let gone = passes(api.send(Method::DELETE, &at, None).await, &[404]);
            deleted = deleted.max(gone.as_ref().map(version));
        }
        for volume in &volumes {
            let name = format!("second-{}", text(volume, "/metadata/name"));
            change(api, volume, |now| {
                now["spec"]["claimRef"] = json!({
                    "apiVersion": "v1", "kind": PVC, "namespace": self.place, "name": name,
                });
            })
            .await;
            let mut claim = fitting(volume, &self.place, &name);
            claim["spec"]["volumeName"] = volume["metadata"]["name"].clone();
            create(api, &claim).await;
        }
        deleted
    }

    /// Ends the pods.
    pub(crate) async fn leave(&self, api: &Api) {
        for claim in &self.claims {
            let pod = pod(claim);
            let path = path("Pod", text(&pod, "/metadata/namespace"), text(&pod, "/metadata/name"));
            passes(api.send(Method::DELETE, &format!("{path}?gracePeriodSeconds=0"), None).await, &[404]);
        }
    }

    async fn drive(&self, api: &Api) {
        for volume in self.volumes(api).await.into_iter().filter(is_deletable) {
            destroy(api.clone(), volume).await;
        }
    }

    async fn delete(&self, api: &Api) -> Option<u64> {
        let claims = self.own_claims(api).await;
        let claim = claims.get(self.turn % claims.len().max(1))?;
        let (namespace, name) = (text(claim, "/metadata/namespace"), text(claim, "/metadata/name"));
        let gone = passes(api.send(Method::DELETE, &path(PVC, namespace, name), None).await, &[404])?;
        Some(version(&gone))
    }

    /// Reserves a volume as `bindAPIUpdate` of the scheduler's plugin does.
    async fn reserve(&self, api: &Api) {
        let free = |volume: &Value| volume["status"]["phase"] == "Available" && volume["spec"]["claimRef"].is_null();
        for mut volume in self.volumes(api).await.into_iter().filter(free) {
            let name = format!("waits-for-{}", text(&volume, "/metadata/name"));
            let Some(waiting) = create(api, &fitting(&volume, &self.strange(), &name)).await else { continue };
            volume["spec"]["claimRef"] = json!({
                "apiVersion": "v1", "kind": PVC, "namespace": self.strange(), "name": name,
                "uid": waiting["metadata"]["uid"], "resourceVersion": waiting["metadata"]["resourceVersion"],
            });
            volume["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"] = "yes".into();
            // The controller may have written first.
            passes(api.replace(&volume).await, &[409]);
        }
    }
}

/// Acts like a driver that is always available: deletes each volume as soon as it may be deleted. It ends with the
/// runtime.
pub(crate) async fn provisioner(api: Api) {
    watch(api.clone(), move |event, volume| {
        if event != "DELETED" && is_deletable(&volume) {
            tokio::spawn(destroy(api.clone(), volume));
        }
    })
    .await;
}

/// Deletes the storage of a volume and then its object, as a driver does. The driver does not read the volume again, so
/// any later write to the volume is too late.
async fn destroy(api: Api, mut volume: Value) {
    volume["apiVersion"] = json!("v1");
    volume["kind"] = json!(PV);
    let path = path(PV, "", text(&volume, "/metadata/name"));
    let uid = json!({"preconditions": {"uid": volume["metadata"]["uid"]}});
    passes(api.send(Method::DELETE, &path, Some(&uid)).await, &[404, 409]);
    change(&api, &volume, |now| {
        if now["metadata"]["uid"] == volume["metadata"]["uid"] {
            now["metadata"]["finalizers"] = json!([]);
        }
    })
    .await;
}

/// Returns whether a driver may delete this volume.
pub(crate) fn is_deletable(volume: &Value) -> bool {
    let ended = matches!(text(volume, "/status/phase"), "Released" | "Failed");
    text(volume, "/spec/persistentVolumeReclaimPolicy") == "Delete"
        && (ended || volume["metadata"]["deletionTimestamp"].is_string())
}

/// Returns a claim that the volume fits.
fn fitting(volume: &Value, namespace: &str, name: &str) -> Value {
    let spec = &volume["spec"];
    json!({
        "apiVersion": "v1", "kind": PVC, "metadata": {"namespace": namespace, "name": name},
        "spec": {
            "accessModes": spec["accessModes"], "storageClassName": spec["storageClassName"],
            "resources": {"requests": {"storage": spec["capacity"]["storage"]}},
        },
    })
}

/// Returns a pod on a node that uses a claim.
fn pod(claim: &Value) -> Value {
    let name = text(claim, "/metadata/name");
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": text(claim, "/metadata/namespace"), "name": format!("uses-{name}")},
        "spec": {
            "nodeName": NODE, "containers": [{"name": "c", "image": "none"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}],
        },
    })
}

/// Returns the answer, or `None` if the request was refused with one of these codes.
fn passes(answer: Result<Value, Refused>, refusals: &[u16]) -> Option<Value> {
    match answer {
        Ok(object) => Some(object),
        Err(refused) if refusals.contains(&refused.code) => None,
        Err(refused) => panic!("a request of an actor was refused: {}", refused.message),
    }
}

/// Creates an object. Returns `None` if the object already exists.
async fn create(api: &Api, object: &Value) -> Option<Value> {
    passes(api.create(object).await, &[409])
}

/// Changes an object. If the object is gone, nothing happens.
async fn change(api: &Api, object: &Value, change: impl Fn(&mut Value)) {
    let metadata = ["/metadata/namespace", "/metadata/name"].map(|field| text(object, field));
    let path = path(text(object, "/kind"), metadata[0], metadata[1]);
    loop {
        let Some(mut now) = passes(api.get(&path).await, &[404]) else { return };
        change(&mut now);
        match api.send(Method::PUT, &path, Some(&now)).await {
            Err(refused) if refused.code == 409 => {}
            answer => {
                passes(answer, &[404]);
                return;
            }
        }
    }
}
