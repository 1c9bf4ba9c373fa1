//! The verb `reconnect`: it gives the clients of a shared volume their server back. Clients have the cluster IP of the
//! server's Service in a mount that never changes. So the verb creates a Service with this address: the Service of the
//! volume if there is none, or else another Service for the same pods.

use super::build::{Builder, Planned, volume};
use crate::diagnosis::shared_volumes::{
    EndpointsWriter, PathIndex, Provider, Providers, Recreates, ServiceBehind, SharedVolume, SharedVolumes, Template,
};
use crate::model::{Kind, ObjectKey, PersistentVolume, PersistentVolumeClaim, Pod, PodPhase, Service, Str};
use crate::repair::guards::clients::taken;
use crate::repair::identity::VolumeIdentity;
use crate::repair::plan::{Proposed, Recheck, Refusal, Undo};
use crate::repair::request::Request;
use crate::repair::service::{
    ClusterAddress, PinnedPort, PinnedService, ServerService, ServiceOwner, is_label_value, is_service_name,
};
use crate::repair::situation::{Known, Situation, service_key};
use crate::repair::write::{Change, Expect, Write};
use crate::snapshot::Snapshot;
use std::collections::BTreeMap;

/// The largest number of pods whose manifests are read to find the owner of a Service.
const MOST_PODS: usize = 4;

/// The largest number of Services that a refusal offers.
const MOST_OFFERED: usize = 5;

/// The Service that a plan creates.
struct Creation {
    key: ObjectKey,
    service: PinnedService,
    /// The present Service of the server, if the new one is an addition to it.
    server: Option<ServerService>,
}

pub(super) fn plan(
    situation: &Situation<'_>,
    request: &Request,
    name: &str,
    stated: Option<ClusterAddress>,
    server: Option<&(Str, Str)>,
) -> Planned {
    let volume = volume(situation, name)?;
    let index = PathIndex::of(situation.snapshot);
    let shared = index.volumes(situation.snapshot, situation.providers);
    let Some(path) = shared.path(volume, situation) else {
        let message = format!("pvctl knows no system that serves volume {name} through a Service");
        return Err(Refusal::new("provider", message).into());
    };
    let claim = claim_of(&path)?;
    let asked = Asked { situation, path: &path, claim, stated, server };
    let creation = match asked.creation()? {
        Ok(creation) => creation,
        Err(why) => return Ok(Proposed::Nothing(why)),
    };
    let (key, address) = (&creation.key, creation.service.address());
    match situation.service(&key.namespace, &key.name) {
        Known::Absent => {}
        Known::There(_) => {
            let message = format!("Service {}/{} exists already, with another address", key.namespace, key.name);
            return Err(Refusal::new("exists", message)
                .hint("the address of a Service is never changed: delete this Service if nobody uses it")
                .into());
        }
        Known::Unknown => {
            let message = format!("whether Service {}/{} exists could not be read", key.namespace, key.name);
            return Err(Refusal::new("unknown", message).into());
        }
    }
    if let Some(service) = situation.snapshot.all::<Service>().iter().find(|service| address.is_of(service)) {
        return Err(Refusal::new("address", taken(address, service))
            .hint("two Services cannot have the same address: the clients have to mount the volume again")
            .into());
    }
    check_range(&shared, address)?;
    Ok(asked.finish(request, creation))
}

/// Returns the claim of the volume. Without a living claim, there are no clients.
fn claim_of<'s>(path: &SharedVolume<'s>) -> Result<&'s PersistentVolumeClaim, Proposed> {
    let volume = &path.volume.meta.name;
    let message = match path.claim {
        Some(claim) if claim.terminating() => format!("claim {} of volume {volume} is being deleted", claim.key()),
        Some(_) if path.volume.terminating() => format!("volume {volume} is being deleted"),
        Some(claim) => return Ok(claim),
        None => format!("no claim has volume {volume}, so it has no clients"),
    };
    Err(Refusal::new("unused", message).into())
}

/// Refuses an address that cannot be in the range of the cluster IPs. The API server checks this, too.
fn check_range(shared: &SharedVolumes<'_, '_>, address: ClusterAddress) -> Result<(), Proposed> {
    if shared.services.can_share_range(address.ip()) {
        return Ok(());
    }
    let message = format!("{address} is not in the range of the addresses that Services of this cluster have");
    Err(Refusal::new("range", message).into())
}

/// What was asked for, and what is known about it.
struct Asked<'a, 's> {
    situation: &'a Situation<'s>,
    path: &'a SharedVolume<'a>,
    claim: &'a PersistentVolumeClaim,
    stated: Option<ClusterAddress>,
    server: Option<&'a (Str, Str)>,
}

impl Asked<'_, '_> {
    /// Returns the Service to create, or why there is nothing to do.
    fn creation(&self) -> Result<Result<Creation, String>, Proposed> {
        let volume = &self.path.volume.meta.name;
        match &self.path.service {
            ServiceBehind::NoService { namespace, name } => self.missing(namespace, name).map(Ok),
            ServiceBehind::Service(service) => {
                let address = self.address()?;
                if let Some(found) = self.with_address(service, address) {
                    let (namespace, name) = (&found.meta.namespace, &found.meta.name);
                    return Ok(Err(format!(
                        "Service {namespace}/{name} has address {address}, and leads to the server of volume {volume}"
                    )));
                }
                if let Some((namespace, name)) = self.server
                    && (*namespace != service.meta.namespace || *name != service.meta.name)
                {
                    let message = format!(
                        "--service names {namespace}/{name}, but volume {volume} is served through Service {}/{}",
                        service.meta.namespace, service.meta.name
                    );
                    return Err(Refusal::new("usage", message).into());
                }
                self.alias(service).map(Ok)
            }
            ServiceBehind::NoAddress { .. } => self.alias(self.known_server()?).map(Ok),
            ServiceBehind::Unknown => {
                let by_address = self.path.address.as_ref().filter(|_| self.path.provider.service.name.is_none());
                let message = match by_address {
                    Some(address) => format!(
                        "it cannot be seen whether {}, the address of the server of volume {volume}, is that of a \
                         Service",
                        address.host
                    ),
                    None => format!("it cannot be seen which Service the server of volume {volume} has"),
                };
                Err(Refusal::new("unknown", message)
                    .hint("perhaps not all Services could be listed, or the server is outside of the cluster")
                    .into())
            }
        }
    }

    /// Returns the cluster IP that the volume records, if it records an IP address.
    fn recorded(&self) -> Option<ClusterAddress> {
        let address = self.path.address.as_ref()?;
        ClusterAddress::parse(&address.host).ok()
    }

    /// Returns the address that the clients use.
    fn address(&self) -> Result<ClusterAddress, Proposed> {
        let volume = &self.path.volume.meta.name;
        match (self.recorded(), self.stated) {
            (Some(recorded), Some(stated)) if recorded != stated => {
                let message = format!("--address is {stated}, but volume {volume} records {recorded} for its server");
                Err(Refusal::new("usage", message).into())
            }
            (Some(address), _) | (None, Some(address)) => Ok(address),
            (None, None) => {
                let message = format!("volume {volume} does not record the address that its clients use");
                Err(Refusal::new("address", message)
                    .hint(format!(
                        "on a node with such a client, `findmnt -t nfs,nfs4 -o SOURCE,OPTIONS` shows it as addr=; then: \
                         kubectl pvctl reconnect pv/{volume} --address ADDRESS"
                    ))
                    .hint(
                        "if no pod has mounted the volume, restart its server, so that the system creates the Service",
                    )
                    .into())
            }
        }
    }

    /// Returns the Service of the volume, as its system creates it, with the address that the clients use.
    fn missing(&self, namespace: &str, name: &str) -> Result<Creation, Proposed> {
        let provider = self.path.provider;
        let system = &provider.name;
        if self.server.is_some() {
            let message = format!(
                "--service has no meaning here: Service {name} of volume {} is missing",
                self.path.volume.meta.name
            );
            return Err(Refusal::new("usage", message).into());
        }
        if provider.recreates == Recreates::Always {
            let message = format!("the operator of {system} creates Service {name} again by itself");
            return Err(Refusal::new("managed", message)
                .hint("then this command creates another Service, which has the address that the clients use")
                .into());
        }
        let unknown = |what: &str| {
            let message = format!("{what} of Service {name}, which {system} creates, is not known");
            Proposed::from(Refusal::new("spec", message).hint("let the system create it: restart its server"))
        };
        if namespace.is_empty() {
            return Err(unknown("the namespace"));
        }
        if !is_service_name(name) {
            return Err(Refusal::new("spec", format!("{name:?} is not a valid name of a Service")).into());
        }
        let pattern = &provider.service;
        let selector = pattern.selector.as_ref().and_then(|selector| self.fill(selector));
        let selector = selector.ok_or_else(|| unknown("the selector"))?;
        let labels = self.fill(&pattern.labels).ok_or_else(|| unknown("a label"))?;
        let ports = pattern.ports.iter().map(|port| PinnedPort::direct(&port.name, port.port)).collect();
        let ports: Option<Vec<PinnedPort>> = ports;
        let address = self.address()?;
        let service = ports.and_then(|ports| PinnedService::new(address, labels, selector, ports));
        let service = service.ok_or_else(|| unknown("a port"))?;
        if let Some(value) = service.label_values().find(|value| !is_label_value(value)) {
            return Err(Refusal::new("spec", format!("{value:?} is not a valid value of a label")).into());
        }
        self.check_server(&service, namespace)?;
        let owner = self.owner(&service, namespace);
        Ok(Creation { key: service_key(namespace, name), service: service.owned_by(owner), server: None })
    }

    fn fill(&self, templates: &BTreeMap<String, Template>) -> Option<BTreeMap<Str, Str>> {
        let fill = |template: &Template| template.fill(self.path.volume, Some(self.claim));
        templates.iter().map(|(key, value)| Some((key.as_str().into(), fill(value)?.into()))).collect()
    }

    /// Checks that a pod of the server is in the namespace, if the Service selects pods. A system that starts its
    /// server later also creates the Service later.
    fn check_server(&self, service: &PinnedService, namespace: &str) -> Result<(), Proposed> {
        if !service.has_selector() || selected(self.situation.snapshot, service, namespace).next().is_some() {
            return Ok(());
        }
        let (volume, system) = (&self.path.volume.meta.name, &self.path.provider.name);
        if !self.situation.knows_all(Kind::Pod, namespace) {
            let message = format!("the pods of namespace {namespace} could not be listed, so the server was not found");
            return Err(Refusal::new("unknown", message).into());
        }
        let message = format!("no pod in namespace {namespace} is the server of volume {volume}");
        Err(Refusal::new("server", message)
            .hint(format!("start the server first: {system} may create the Service together with it"))
            .into())
    }

    /// Returns the owner that the system gives the Service: the claim, or an object that also owns the pod of the
    /// server.
    fn owner(&self, service: &PinnedService, namespace: &str) -> Option<ServiceOwner> {
        let kind = self.path.provider.owner.as_deref()?;
        if kind == Kind::PersistentVolumeClaim.as_str() {
            let meta = &self.claim.meta;
            let (name, uid) = (meta.name.clone(), meta.uid.clone());
            let owner = ServiceOwner { api_version: "v1".into(), kind: kind.into(), name, uid };
            return (meta.namespace == namespace).then_some(owner);
        }
        selected(self.situation.snapshot, service, namespace).take(MOST_PODS).find_map(|pod| {
            let manifest = self.situation.manifests.get(&pod_key(pod))?;
            let owners = manifest.pointer("/metadata/ownerReferences")?.as_array()?;
            let owner = owners.iter().find(|owner| owner["kind"] == kind)?;
            let text = |field: &str| owner[field].as_str().filter(|text| !text.is_empty()).map(Str::from);
            let api_version = text("apiVersion")?;
            Some(ServiceOwner { api_version, kind: kind.into(), name: text("name")?, uid: text("uid")? })
        })
    }

    /// Returns the Service that the server has now, if no Service has the address of the volume.
    fn known_server(&self) -> Result<&Service, Proposed> {
        let services = self.situation.snapshot.all::<Service>();
        if let Some((namespace, name)) = self.server {
            let is_it = |service: &&Service| service.meta.namespace == *namespace && service.meta.name == *name;
            return services.iter().find(is_it).ok_or_else(|| {
                Refusal::new("missing", format!("Service {namespace}/{name} does not exist, or could not be read"))
                    .into()
            });
        }
        let volume = &self.path.volume.meta.name;
        let pattern = &self.path.provider.service;
        let selector = pattern.selector.as_ref().and_then(|selector| self.fill(selector));
        if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
            let is_it = |service: &&Service| service.selector.iter().cloned().collect::<BTreeMap<_, _>>() == selector;
            let mut found = services.iter().filter(is_it);
            if let (Some(service), None) = (found.next(), found.next()) {
                return Ok(service);
            }
        }
        let message = format!("it cannot be seen which Service the server of volume {volume} has now");
        let refusal = Refusal::new("server", message)
            .hint("state the Service, if you know that its pods have the data of this volume");
        let serves = |service: &&Service| {
            let port = crate::diagnosis::shared_volumes::NFS_PORT;
            service.ports.iter().any(|own| own.port == port) && !service.selector.is_empty()
        };
        let offered = services.iter().filter(serves).take(MOST_OFFERED).map(|service| {
            let (namespace, name) = (&service.meta.namespace, &service.meta.name);
            format!("kubectl pvctl reconnect pv/{volume} --service {namespace}/{name}")
        });
        Err(offered.fold(refusal, Refusal::hint).into())
    }

    /// Returns the Service with the address, if it is this one or leads to the same pods.
    fn with_address<'b>(&'b self, service: &'b Service, address: ClusterAddress) -> Option<&'b Service> {
        let leads_there = |other: &&Service| {
            other.meta.namespace == service.meta.namespace
                && other.selector == service.selector
                && !other.selector.is_empty()
        };
        let mut all =
            std::iter::once(service).chain(self.situation.snapshot.all::<Service>().iter().filter(leads_there));
        all.find(|other| address.is_of(other))
    }

    /// Returns another Service for the server of this one, with the address that the clients use.
    fn alias(&self, service: &Service) -> Result<Creation, Proposed> {
        let (namespace, name) = (&service.meta.namespace, &service.meta.name);
        let address = self.address()?;
        if service.meta.deleted.is_some() {
            return Err(Refusal::new("deletion", format!("Service {namespace}/{name} is being deleted")).into());
        }
        let server = ServerService::of(service).ok_or_else(|| {
            let message = format!(
                "Service {namespace}/{name} selects no pods: somebody else writes its endpoints, and another Service \
                 would have none"
            );
            Proposed::from(Refusal::new("selector", message))
        })?;
        let alias = server.alias(address);
        let alias = alias.ok_or_else(|| Proposed::from(Refusal::new("spec", format!("Service {name} has no port"))))?;
        let owner = service.owners.first().map(|owner| ServiceOwner {
            api_version: owner.api_version.clone(),
            kind: owner.kind.clone(),
            name: owner.name.clone(),
            uid: owner.uid.clone(),
        });
        let key = service_key(namespace, &server.alias_name(address));
        Ok(Creation { key, service: alias.owned_by(owner), server: Some(server) })
    }

    fn finish(&self, request: &Request, creation: Creation) -> Proposed {
        let (volume, claim, provider) = (self.path.volume, self.claim, self.path.provider);
        let Creation { key, service, server } = creation;
        let address = service.address();
        let mut plan = Builder::new(request);
        plan.save_volume(volume);
        plan.save_claim(claim);
        plan.depends_on(&service);
        if let Some((_, name)) = self.server {
            plan.ask_for(name);
            plan.leave_to_person(format!(
                "no object shows that the pods of Service {} have the data of volume {}: if they have other data, the \
                 clients read and write those",
                server.as_ref().map_or("", |server| &server.name),
                volume.meta.name
            ));
        }
        if self.recorded().is_none() {
            plan.leave_to_person(format!("no object shows that the clients use address {address}"));
        }
        Self::notes(&mut plan, provider, &service, server.as_ref());
        let name = format!("{}/{}", key.namespace, key.name);
        let why = match &server {
            Some(server) => format!(
                "the clients use {address}, and Service {}/{} has another address: lead both to the same pods",
                server.namespace, server.name
            ),
            None => format!("Service {name} is missing, and the clients use its address {address}"),
        };
        let mut recheck: Vec<Recheck> = server.into_iter().map(|server| Recheck::SameServer { server }).collect();
        recheck.push(Recheck::AddressFree { address });
        // This recheck comes last, because it is two short reads, and the list before it takes longer.
        recheck.push(Recheck::Lives {
            namespace: claim.meta.namespace.clone(),
            name: claim.meta.name.clone(),
            volume: VolumeIdentity::of(volume),
        });
        // The undo takes the uid from the journal.
        let delete = Write {
            object: key.clone(),
            uid: Str::default(),
            expect: vec![Expect::Terminating { is: false }, Expect::ClusterIp { is: address }],
            change: Change::Delete,
        };
        let create =
            Write { object: key, uid: Str::default(), expect: Vec::new(), change: Change::CreateService { service } };
        plan.step(why, Some(create), recheck, None, Undo::Write { write: Box::new(delete), wait: None });
        plan.finish(format!("the clients of volume {} reach their server at {address}", volume.meta.name))
    }

    fn notes(plan: &mut Builder, provider: &Provider, service: &PinnedService, server: Option<&ServerService>) {
        if !service.has_selector() {
            let who = match provider.endpoints {
                EndpointsWriter::Endpoints => "Endpoints",
                EndpointsWriter::Slices | EndpointsWriter::Pods | EndpointsWriter::Any => "EndpointSlices",
            };
            plan.note(format!(
                "the Service selects no pods: the clients wait until {} has written its {who}",
                provider.name
            ));
        }
        let may_own = provider.owner.is_some() || server.is_some();
        if may_own && !service.has_owner() {
            plan.note("the new Service has no owner: delete it when the volume is not needed any more");
        }
        if server.is_some() {
            plan.note("keep both Services as long as pods have mounted the volume at the address");
        }
        plan.note("pods that have mounted the volume go on by themselves; pods that gave up have to be restarted");
    }
}

fn pod_key(pod: &Pod) -> ObjectKey {
    ObjectKey { kind: Kind::Pod, namespace: pod.meta.namespace.clone(), name: pod.meta.name.clone() }
}

/// Returns the pods of a namespace that a Service selects and that have not ended.
fn selected<'s>(
    snapshot: &'s Snapshot,
    service: &'s PinnedService,
    namespace: &'s str,
) -> impl Iterator<Item = &'s Pod> {
    let runs = |pod: &&Pod| !matches!(pod.phase, PodPhase::Failed | PodPhase::Succeeded) && pod.meta.deleted.is_none();
    let pods = snapshot.pods().iter().filter(move |pod| pod.meta.namespace == namespace && service.selects(pod));
    pods.filter(runs)
}

/// Returns the pods that may name the owner of the Service of a volume: those with a label that the Service selects by.
pub(super) fn server_pods(snapshot: &Snapshot, volume: &str, providers: &Providers) -> Vec<ObjectKey> {
    let Some(id) = snapshot.volume_id(volume) else { return Vec::new() };
    let volume: &PersistentVolume = snapshot.volume(id);
    let Some(provider) = providers.of(volume, None).filter(|provider| provider.owner.is_some()) else {
        return Vec::new();
    };
    let selector: Option<Vec<(&str, String)>> = provider.service.selector.as_ref().and_then(|selector| {
        selector.iter().map(|(key, value)| Some((key.as_str(), value.fill(volume, None)?))).collect()
    });
    let Some(selector) = selector.filter(|selector| !selector.is_empty()) else { return Vec::new() };
    let is_server = |pod: &&Pod| {
        let has = |(key, value): &(&str, String)| crate::model::label(&pod.meta.labels, key) == Some(value.as_str());
        selector.iter().all(has)
    };
    snapshot.pods().iter().filter(is_server).take(MOST_PODS).map(pod_key).collect()
}
