//! One reconciliation of one volume.

use super::api_server::{create_endpoints, create_service, not_found, update_endpoints, update_service};
use super::decision::{Act, Again, Decision, Note, Publication, Step};
use super::desired::{EndpointsDrift, EndpointsUpdate, ServiceDrift, SharedVolume, frontend, is_usable};
use super::endpoint::split_address_port;
use super::input::{ApiManager, Cached, Circumstances, Refusal, Request, Stored};
use super::leaves::{EndpointsBranch, Leaf, PublishBranch, ServiceBranch, VolumeBranch};
use crate::model::{Endpoints, Service, StorageOsVolume, Str};
use std::collections::BTreeMap;

/// The time between two looks for an object that was created, in milliseconds: `-k8s-create-poll-interval`.
pub const POLL_INTERVAL: u64 = 1_000;
/// How often the controller looks for the address of a Service that it has created. This takes the 20 s of
/// `-k8s-create-wait-duration`.
const LOOKS: u64 = 20;
/// How long api-manager up to 1.1 skips a volume that it has handled, in milliseconds: `-volume-expiry-interval`.
pub const CACHE_EXPIRY: u64 = 60_000;

/// Returns what a reconciliation of a volume does. `volume` is `None` if it does not exist. Upstream: `Reconcile`,
/// api-manager v1.2.16; for [`ApiManager::UpTo1_1`] what one pass does with the volume, v1.1.
pub fn reconcile(volume: Option<&StorageOsVolume>, stored: Stored, of: &Circumstances) -> Decision {
    let mut work = Work::new(stored, of);
    let error = work.volume(volume).err().flatten();
    work.finished(error)
}

/// The result of a function. An error ends the reconciliation: with this text, or without an error of upstream.
type Ended<T> = Result<T, Option<String>>;

struct Work<'a> {
    of: &'a Circumstances,
    stored: Stored,
    path: Vec<Leaf>,
    steps: Vec<Step>,
    log: Vec<&'static str>,
    at: u64,
    observed: bool,
    cached: Option<Cached>,
    /// How many requests of each sort were sent.
    sent: BTreeMap<Request, usize>,
}

/// The result of a read.
enum Read<T> {
    Present(T),
    Absent,
    Failed(String),
}

impl<'a> Work<'a> {
    fn new(stored: Stored, of: &'a Circumstances) -> Self {
        Self {
            of,
            stored,
            path: Vec::new(),
            steps: Vec::new(),
            log: Vec::new(),
            at: 0,
            observed: false,
            cached: of.cached.clone(),
            sent: BTreeMap::new(),
        }
    }

    fn polls(&self) -> bool {
        self.of.manager == ApiManager::UpTo1_1
    }

    /// Returns the unexpected answer to the next request of a sort, and counts the request.
    fn answer(&mut self, request: Request) -> Option<&'a Refusal> {
        let sent = self.sent.entry(request).or_default();
        let number = *sent;
        *sent = sent.saturating_add(1);
        self.of.refused.get(&(request, number))
    }

    /// Returns the error of the next write of a sort.
    fn refused(&mut self, request: Request) -> Option<String> {
        self.answer(request).map(|refusal| match refusal {
            Refusal::NotFound(text) | Refusal::Failed(text) => text.to_string(),
            Refusal::WithoutAddress => String::new(),
        })
    }

    fn act(&mut self, act: Act, refused: Option<String>) {
        self.steps.push(Step { at: self.at, act, refused });
    }

    fn note(&mut self, warning: bool, reason: &'static str, message: String) {
        self.act(Act::Event(Note { warning, reason, message }), None);
    }

    /// Ends the reconciliation with an error. Upstream wraps each error of `ensureService` in a message.
    fn fail<T>(&mut self, leaf: Leaf, message: &str, error: &str) -> Ended<T> {
        self.path.push(leaf);
        self.log.push("shared volume create/update failed");
        Err(Some(format!("{message}: {error}")))
    }

    /// Ends the reconciliation without an error.
    fn nothing<T>(&mut self, leaf: VolumeBranch) -> Ended<T> {
        self.path.push(Leaf::Volume(leaf));
        Err(None)
    }

    fn volume(&mut self, volume: Option<&StorageOsVolume>) -> Ended<()> {
        match self.answer(Request::GetVolume) {
            Some(Refusal::NotFound(_)) => return self.nothing(VolumeBranch::VolumeGone),
            Some(Refusal::Failed(text)) => {
                let leaf = if self.polls() { VolumeBranch::VolumesNotListed } else { VolumeBranch::VolumeUnreadable };
                self.path.push(Leaf::Volume(leaf));
                self.log.extend(self.polls().then_some("failed to list shared volumes"));
                return Err(Some(text.to_string()));
            }
            Some(Refusal::WithoutAddress) | None => {}
        }
        let Some(volume) = volume else { return self.nothing(VolumeBranch::VolumeGone) };
        let Some(shared) = SharedVolume::of(volume) else {
            self.log.extend((!self.polls()).then_some("non StorageOS shared volume"));
            return self.nothing(VolumeBranch::VolumeNotOfKubernetes);
        };
        if self.polls() {
            if volume.service_endpoint.is_none() {
                return self.nothing(VolumeBranch::VolumeNotExported);
            }
            if split_address_port(&shared.internal).is_err() {
                return self.nothing(VolumeBranch::VolumeEndpointInvalid);
            }
            let is_fresh = |cached: &Cached| cached.until > self.of.now && cached.volume == shared;
            if self.cached.as_ref().is_some_and(is_fresh) {
                return self.nothing(VolumeBranch::VolumeUnchanged);
            }
        }
        let uid = self.claim(&shared)?;
        self.path.push(Leaf::Volume(VolumeBranch::VolumeWanted));
        let service = self.ensure_service(&shared, &uid)?;
        self.ensure_endpoints(&shared)?;
        self.publish(&shared, frontend(&service))
    }

    /// Returns the uid of the claim.
    fn claim(&mut self, shared: &SharedVolume) -> Ended<Str> {
        let (leaf, error) = match (self.answer(Request::GetClaim), &self.stored.claim) {
            (Some(Refusal::NotFound(text)), _) => (VolumeBranch::VolumeClaimMissing, text.to_string()),
            (Some(Refusal::Failed(text)), _) => (VolumeBranch::VolumeClaimUnreadable, text.to_string()),
            (Some(Refusal::WithoutAddress) | None, Some(uid)) => return Ok(uid.clone()),
            (Some(Refusal::WithoutAddress) | None, None) => {
                // The cache of the controller names the kind, not the resource.
                (VolumeBranch::VolumeClaimMissing, not_found("PersistentVolumeClaim", &shared.claim))
            }
        };
        self.path.push(Leaf::Volume(leaf));
        self.log.push("failed to fetch pvc for shared volume");
        Err(Some(error))
    }

    fn get_service(&mut self) -> Read<Service> {
        let without_address = match self.answer(Request::GetService) {
            Some(Refusal::NotFound(_)) => return Read::Absent,
            Some(Refusal::Failed(text)) => return Read::Failed(text.to_string()),
            Some(Refusal::WithoutAddress) => true,
            None => false,
        };
        let Some(mut service) = self.stored.service.clone() else {
            return Read::Absent;
        };
        if without_address {
            service.cluster_ip = Str::default();
            service.cluster_ips = [].into();
        }
        Read::Present(service)
    }

    fn get_endpoints(&mut self) -> Read<Endpoints> {
        match self.answer(Request::GetEndpoints) {
            Some(Refusal::NotFound(_)) => Read::Absent,
            Some(Refusal::Failed(text)) => Read::Failed(text.to_string()),
            Some(Refusal::WithoutAddress) | None => match &self.stored.endpoints {
                Some(endpoints) => Read::Present(endpoints.clone()),
                None => Read::Absent,
            },
        }
    }

    /// Sends a creation of the Service.
    fn create_service(&mut self, sent: Service) -> Result<(), String> {
        let result = match self.refused(Request::CreateService) {
            Some(error) => Err(error),
            None => create_service(sent.clone(), self.stored.service.as_ref(), self.of),
        };
        self.act(Act::CreateService(Box::new(sent)), result.as_ref().err().cloned());
        self.stored.service = Some(result?);
        Ok(())
    }

    /// Looks for the Service until it has an address. Upstream: `waitForClusterIP`, api-manager v1.2.16.
    fn wait_for_cluster_ip(&mut self) -> Ended<Service> {
        const MESSAGE: &str = "failed to get service resource after create";
        for _ in 0..LOOKS {
            self.at = self.at.saturating_add(POLL_INTERVAL);
            match self.get_service() {
                Read::Present(service) if !service.cluster_ip.is_empty() => return Ok(service),
                Read::Present(_) | Read::Absent => {}
                Read::Failed(error) => {
                    return self.fail(Leaf::Service(ServiceBranch::ServiceNotReadBack), MESSAGE, &error);
                }
            }
        }
        self.fail(Leaf::Service(ServiceBranch::ServiceNotSeen), MESSAGE, "timed out waiting for the condition")
    }

    /// Returns the Service as the controller knows it at the end. Upstream: the first part of `ensureService`,
    /// api-manager v1.2.16.
    fn ensure_service(&mut self, shared: &SharedVolume, uid: &Str) -> Ended<Service> {
        let service = match self.get_service() {
            Read::Present(service) => service,
            Read::Failed(error) => {
                let leaf = Leaf::Service(ServiceBranch::ServiceUnreadable);
                return self.fail(leaf, "failed to get service, aborting reconcile", &error);
            }
            Read::Absent => {
                if let Err(error) = self.create_service(shared.service(uid)) {
                    let leaf = Leaf::Service(ServiceBranch::ServiceNotCreated);
                    return self.fail(leaf, "failed to create service resource", &error);
                }
                let service = self.wait_for_cluster_ip()?;
                self.path.push(Leaf::Service(ServiceBranch::ServiceCreated));
                self.log.push("shared volume service created");
                let message = format!("Created service for shared volume {}/{}", shared.namespace, shared.name);
                self.note(false, "Created", message);
                service
            }
        };
        let drift = shared.service_drift(&service);
        if drift.is_empty() {
            if self.path.last() != Some(&Leaf::Service(ServiceBranch::ServiceCreated)) {
                self.path.push(Leaf::Service(ServiceBranch::ServiceEqual));
            }
            return Ok(service);
        }
        let update = shared.service_update(&service);
        let result = match self.refused(Request::UpdateService) {
            Some(error) => Err(error),
            None => update_service(update.applied(&service), self.stored.service.as_ref(), self.of),
        };
        self.act(Act::UpdateService(update), result.as_ref().err().cloned());
        let after = match result {
            Ok(after) => after,
            Err(error) => {
                let leaf = Leaf::Service(ServiceBranch::ServiceNotUpdated);
                return self.fail(leaf, "failed to update service resource", &error);
            }
        };
        self.path.push(Leaf::Service(if !shared.service_drift(&after).is_empty() {
            ServiceBranch::ServiceDriftKept
        } else if drift.contains(&ServiceDrift::PortCount) {
            ServiceBranch::ServicePortsReplaced
        } else {
            ServiceBranch::ServiceTargetSet
        }));
        self.log.push("shared volume service updated");
        self.stored.service = Some(after.clone());
        Ok(after)
    }

    /// Upstream: the second part of `ensureService`, api-manager v1.2.16.
    fn ensure_endpoints(&mut self, shared: &SharedVolume) -> Ended<()> {
        let read = match self.get_endpoints() {
            Read::Present(endpoints) => Some(endpoints),
            Read::Failed(error) => {
                let leaf = Leaf::Endpoints(EndpointsBranch::EndpointsUnreadable);
                return self.fail(leaf, "failed to get endpoint, aborting reconcile", &error);
            }
            Read::Absent => self.create_endpoints(shared)?,
        };
        // Endpoints that are not found after their creation are an empty object, which differs in everything. The
        // client sends no request for an object without a name.
        let Some(endpoints) = read else {
            let leaf = Leaf::Endpoints(EndpointsBranch::EndpointsNotSeen);
            return self.fail(leaf, "failed to update endpoints resource", "resource name may not be empty");
        };
        let drift = shared.endpoints_drift(&endpoints);
        if drift.is_empty() {
            if self.path.last() != Some(&Leaf::Endpoints(EndpointsBranch::EndpointsCreated)) {
                self.path.push(Leaf::Endpoints(EndpointsBranch::EndpointsEqual));
            }
            return Ok(());
        }
        let update = shared.endpoints_update(&endpoints);
        let result = match self.refused(Request::UpdateEndpoints) {
            Some(error) => Err(error),
            None => update_endpoints(update.applied(&endpoints), self.stored.endpoints.as_ref()),
        };
        self.act(Act::UpdateEndpoints(update.clone()), result.as_ref().err().cloned());
        let after = match result {
            Ok(after) => after,
            Err(error) => {
                let leaf = Leaf::Endpoints(EndpointsBranch::EndpointsNotUpdated);
                return self.fail(leaf, "failed to update endpoints resource", &error);
            }
        };
        let is_replaced = matches!(update, EndpointsUpdate::Subsets(_));
        let is_kept = !is_replaced && drift.iter().copied().any(|field| !EndpointsDrift::is_written(field));
        self.path.push(Leaf::Endpoints(match (is_kept, is_replaced) {
            (true, _) => EndpointsBranch::EndpointsDriftKept,
            (false, true) => EndpointsBranch::EndpointsReplaced,
            (false, false) => EndpointsBranch::EndpointsTargetSet,
        }));
        self.stored.endpoints = Some(after);
        self.log.push("shared volume endpoint updated");
        let message = format!("Shared volume service target changed {}/{}", shared.namespace, shared.name);
        self.note(true, "Updated", message);
        Ok(())
    }

    /// Creates the Endpoints and reads them. The value is `None` if they are not found. Upstream: `waitForAvailable`,
    /// api-manager v1.2.16, which takes "not found" for an answer.
    fn create_endpoints(&mut self, shared: &SharedVolume) -> Ended<Option<Endpoints>> {
        let sent = shared.endpoints();
        let result = match self.refused(Request::CreateEndpoints) {
            Some(error) => Err(error),
            None => create_endpoints(sent.clone(), self.stored.endpoints.as_ref()),
        };
        self.act(Act::CreateEndpoints(Box::new(sent)), result.as_ref().err().cloned());
        match result {
            Ok(made) => self.stored.endpoints = Some(made),
            Err(error) => {
                let leaf = Leaf::Endpoints(EndpointsBranch::EndpointsNotCreated);
                return self.fail(leaf, "failed to create endpoints resource", &error);
            }
        }
        self.at = self.at.saturating_add(POLL_INTERVAL);
        let found = match self.get_endpoints() {
            Read::Present(endpoints) => Some(endpoints),
            Read::Absent => None,
            Read::Failed(error) => {
                let leaf = Leaf::Endpoints(EndpointsBranch::EndpointsNotReadBack);
                return self.fail(leaf, "failed to get endpoints resource after create", &error);
            }
        };
        self.path.push(Leaf::Endpoints(EndpointsBranch::EndpointsCreated));
        self.log.push("shared volume endpoint created");
        Ok(found)
    }

    fn publish(&mut self, shared: &SharedVolume, endpoint: String) -> Ended<()> {
        if endpoint == *shared.external {
            self.path.push(Leaf::Publish(PublishBranch::MountEndpointEqual));
        } else {
            let refused = self.refused(Request::Publish);
            let (id, namespace) = (shared.id.clone(), shared.namespace.clone());
            self.act(Act::Publish(Publication { id, namespace, endpoint: endpoint.clone() }), refused.clone());
            if let Some(error) = refused {
                self.path.push(Leaf::Publish(PublishBranch::MountEndpointNotPublished));
                self.log.push("shared volume external endpoint update failed");
                return Err(Some(error));
            }
            self.path.push(Leaf::Publish(if is_usable(&endpoint) {
                PublishBranch::MountEndpointPublished
            } else {
                PublishBranch::MountEndpointUnusable
            }));
            self.log.push("shared volume ready for use");
        }
        if self.polls() {
            let volume = SharedVolume { external: endpoint.into(), ..shared.clone() };
            let until = self.of.now.saturating_add(self.at).saturating_add(CACHE_EXPIRY);
            self.cached = Some(Cached { volume, until });
        } else {
            self.observed = true;
        }
        Ok(())
    }

    fn finished(self, error: Option<String>) -> Decision {
        let again = match (self.polls(), &error) {
            (true, _) => Again::WithNextPass,
            (false, Some(_)) => Again::AfterFailure,
            (false, None) => Again::WithNextUpdate,
        };
        Decision {
            path: self.path,
            steps: self.steps,
            error,
            log: self.log,
            took: self.at,
            observed: self.observed,
            again,
            stored: self.stored,
            cached: self.cached,
        }
    }
}
