//! Compares what the shared-volume controller does in each turn of a script.

use super::attacher::{difference, filled};
use super::{Judged, Verdict, decoded, differ};
use crate::line::{Line, Object};
use crate::shared_volume::{Event, Reconcile, Refused, Share, SyncAnswer, Turn};
use anyhow::{Context as _, Result, bail, ensure};
use pvctl::controllers::shared_volume::{
    Act, Circumstances, Decision, EndpointsUpdate, LOST_FIELDS, Leaf, MOUNT_ENDPOINT_LABEL, Refusal, Request, Series,
    ServiceUpdate, SharedVolume, Step, Stored, VolumeBranch, VolumeEvent, filter, reconcile, series,
};
use pvctl::model::endpoints::{EndpointPort, EndpointSubset};
use pvctl::model::service::ServicePort;
use pvctl::model::{Endpoints, ObjectMeta, Owner, Resource, Service, StorageOsVolume};
use pvctl::snapshot::Item;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

impl Judged<'_> {
    /// Compares the answers to all turns of the script.
    pub(super) fn compare_share(&self, verdict: &mut Verdict) -> Result<()> {
        let Some(share) = &self.line.share else { return Ok(()) };
        if share.answers.is_empty() {
            return Ok(());
        }
        ensure!(share.answers.len() == share.turns.len(), "{}: not every turn has an answer", self.line.id);
        let mut server = Server::of(&self.line.world.items, share);
        for (place, (turn, real)) in share.turns.iter().zip(&share.answers).enumerate() {
            let about = Object { kind: "turn".to_owned(), namespace: String::new(), name: place.to_string() };
            let events = server.begin(turn)?;
            let texts = |events: &[Event]| BTreeSet::from([json!(events).to_string()]);
            verdict.counts.shared_events += real.events.len();
            differ("share: events", &about, &texts(&real.events), &texts(&events), verdict);
            ensure!(real.syncs.len() == turn.reconcile.len(), "{}: not every sync has an answer", self.line.id);
            let mut foretold = Foretold::default();
            for (asked, real) in turn.reconcile.iter().zip(&real.syncs) {
                let made = server.reconciled(asked)?;
                foretold.compare(asked, &made, verdict);
                if !server.compare(asked, real, &made, verdict)? {
                    // The next syncs begin with other objects than the real ones.
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Returns the leaves that the recorded syncs and events of a line reach: the name of the Volume, and the id of the
/// leaf.
///
/// # Errors
/// Returns an error if the world or the script of the line is invalid.
pub fn shared_volume_leaves(line: &Line) -> Result<Vec<(String, &'static str)>> {
    let mut leaves = Vec::new();
    let Some(share) = &line.share else { return Ok(leaves) };
    let mut server = Server::of(&line.world.items, share);
    for (turn, real) in share.turns.iter().zip(&share.answers) {
        server.begin(turn)?;
        leaves.extend(server.filtered.drain(..).map(|(volume, leaf)| (volume, leaf.id())));
        for (asked, real) in turn.reconcile.iter().zip(&real.syncs) {
            let made = server.reconciled(asked)?;
            leaves.extend(made.decision.path.iter().map(|leaf| (asked.volume.clone(), Leaf::id(*leaf))));
            server.follow(&made, real);
        }
    }
    Ok(leaves)
}

/// A JSON object.
type Fields = Map<String, Value>;

/// The API server and the storage system during a script, as the oracle has them.
struct Server {
    ipv6: bool,
    /// The Volumes in the order in which they were created.
    volumes: Vec<Value>,
    /// All other objects, by their kind, namespace and name.
    others: BTreeMap<(String, String, String), Value>,
    /// The mount endpoints that the storage system got, by the id of the volume.
    published: BTreeMap<String, String>,
    /// The events before the first turn.
    first: Vec<Event>,
    /// The leaves of the filters since they were taken.
    filtered: Vec<(String, VolumeBranch)>,
    /// How many addresses and node ports were assigned.
    addresses: u32,
    node_ports: i64,
}

/// The predicted sync of a Volume.
struct Made {
    volume: Option<StorageOsVolume>,
    shared: Option<SharedVolume>,
    before: Stored,
    of: Circumstances,
    /// The number of the address that a new Service gets.
    number: u32,
    decision: Decision,
}

impl Server {
    fn of(items: &[Value], share: &Share) -> Self {
        let is_volume = |item: &&Value| item["kind"] == "Volume";
        let volumes: Vec<Value> = items.iter().filter(is_volume).cloned().collect();
        let mut server = Self {
            ipv6: share.ipv6,
            first: Vec::new(),
            volumes: Vec::new(),
            others: items.iter().filter(|item| !is_volume(item)).map(|item| (key(item), item.clone())).collect(),
            published: BTreeMap::new(),
            filtered: Vec::new(),
            addresses: 0,
            node_ports: 0,
        };
        for volume in &volumes {
            // An invalid Volume is noticed when it is reconciled.
            if let Ok(event) = server.event(VolumeEvent::Create, volume) {
                server.first.push(event);
            }
        }
        server.volumes = volumes;
        server
    }

    fn event(&mut self, event: VolumeEvent, volume: &Value) -> Result<Event> {
        let leaf = filter(event, &decoded_volume(volume)?);
        let kind = match event {
            VolumeEvent::Create => "create",
            VolumeEvent::Update => "update",
            VolumeEvent::Delete => "delete",
            VolumeEvent::Generic => bail!("no script has a generic event"),
        };
        let name = name(volume);
        self.filtered.push((name.clone(), leaf));
        Ok(Event { kind: kind.to_owned(), volume: name, passes: leaf == VolumeBranch::VolumeEventPasses })
    }

    /// Makes the changes at the begin of a turn. Returns the events of Volumes.
    fn begin(&mut self, turn: &Turn) -> Result<Vec<Event>> {
        let mut events = mem::take(&mut self.first);
        if turn.publish {
            let mut names: Vec<String> = self.volumes.iter().map(name).collect();
            names.sort();
            for name in names {
                events.extend(self.record(&name)?);
            }
        }
        for object in &turn.set {
            if object["kind"] != "Volume" {
                self.others.insert(key(object), object.clone());
                continue;
            }
            let found = self.volumes.iter_mut().find(|volume| name(volume) == name(object));
            let event = if let Some(volume) = found {
                volume.clone_from(object);
                VolumeEvent::Update
            } else {
                self.volumes.push(object.clone());
                VolumeEvent::Create
            };
            events.push(self.event(event, object)?);
        }
        for object in &turn.delete {
            if object.kind == "Volume" {
                let gone = self.volumes.iter().position(|volume| name(volume) == object.name);
                if let Some(place) = gone {
                    let volume = self.volumes.remove(place);
                    events.push(self.event(VolumeEvent::Delete, &volume)?);
                }
            } else {
                self.others.remove(&(object.kind.clone(), object.namespace.clone(), object.name.clone()));
            }
        }
        Ok(events)
    }

    /// Writes the mount endpoint of a Volume into its label.
    fn record(&mut self, name_of: &str) -> Result<Option<Event>> {
        let Some(volume) = self.volumes.iter_mut().find(|volume| name(volume) == name_of) else { return Ok(None) };
        let id = volume["status"]["volumeId"].as_str().unwrap_or_default();
        let Some(endpoint) = self.published.get(id) else { return Ok(None) };
        if volume["spec"]["configLabels"][MOUNT_ENDPOINT_LABEL].as_str().unwrap_or_default() == endpoint {
            return Ok(None);
        }
        volume["spec"]["configLabels"][MOUNT_ENDPOINT_LABEL] = endpoint.as_str().into();
        let volume = volume.clone();
        self.event(VolumeEvent::Update, &volume).map(Some)
    }

    fn other(&self, kind: &str, namespace: &str, name: &str) -> Option<&Value> {
        self.others.get(&(kind.to_owned(), namespace.to_owned(), name.to_owned()))
    }

    fn stored(&self, shared: &SharedVolume) -> Result<Stored> {
        let claim = self.other("PersistentVolumeClaim", &shared.namespace, &shared.claim);
        let service = self.other("Service", &shared.namespace, &shared.name);
        let endpoints = self.other("Endpoints", &shared.namespace, &shared.name);
        Ok(Stored {
            claim: claim.map(|claim| claim["metadata"]["uid"].as_str().unwrap_or_default().into()),
            service: service.map(model::<Service>).transpose()?,
            endpoints: endpoints.map(model::<Endpoints>).transpose()?,
        })
    }

    /// Returns the predicted sync of a Volume.
    fn reconciled(&self, asked: &Reconcile) -> Result<Made> {
        let found = self.volumes.iter().find(|volume| name(volume) == asked.volume);
        let volume = found.map(decoded_volume).transpose()?;
        let shared = volume.as_ref().and_then(SharedVolume::of);
        let before = shared.as_ref().map(|shared| self.stored(shared)).transpose()?.unwrap_or_default();
        let (number, address) = self.next_address();
        let of = Circumstances {
            new_address: Some(address.into()),
            new_node_port: Some(31_001 + self.node_ports),
            refused: refused(&asked.refuse, &asked.volume, shared.as_ref()),
            ..Circumstances::default()
        };
        let decision = reconcile(volume.as_ref(), before.clone(), &of);
        Ok(Made { volume, shared, before, of, number, decision })
    }

    /// Returns the number of the next address that is free, and the address.
    fn next_address(&self) -> (u32, String) {
        let is_taken = |address: &String| {
            let mut all = self.others.values().filter_map(|other| other["spec"]["clusterIPs"].as_array()).flatten();
            all.any(|taken| taken == address)
        };
        let mut number = self.addresses;
        loop {
            number += 1;
            let address = if self.ipv6 { format!("fd00:10:96::{number:x}") } else { format!("10.96.100.{number}") };
            if !is_taken(&address) {
                return (number, address);
            }
        }
    }

    /// Compares a sync, and carries out what the real one has done. Returns whether both are the same.
    fn compare(&mut self, asked: &Reconcile, real: &SyncAnswer, made: &Made, verdict: &mut Verdict) -> Result<bool> {
        let about = Object { kind: "Volume".to_owned(), namespace: String::new(), name: asked.volume.clone() };
        let before = verdict.differences.len();
        let Decision { error, log, took, observed, stored, .. } = &made.decision;
        verdict.counts.shared_syncs += 1;
        verdict.counts.shared_requests += made.decision.requests().count();
        let effects = self.effects(made);
        let without_stored = |effect: &Value| {
            let mut effect = effect.clone();
            for verb in ["create", "update"] {
                effect.get_mut(verb).and_then(Value::as_object_mut).map(|request| request.remove("stored"));
            }
            effect
        };
        let mut part = |part: &str, one: String, other: String| {
            differ(&format!("share: {part}"), &about, &[one].into(), &[other].into(), verdict);
        };
        let of_real: Vec<Value> = real.effects.iter().map(without_stored).collect();
        part("effects", json!(of_real).to_string(), json!(effects).to_string());
        part("error", real.error.clone(), error.clone().unwrap_or_default());
        part("log", real.log.join("; "), log.join("; "));
        part("took", real.took.to_string(), took.to_string());
        part("observed", real.observed.to_string(), observed.to_string());
        self.follow(made, real);
        if let Some(shared) = &made.shared {
            let (real, predicted) = (self.stored(shared)?, stored.clone());
            part("stored", stored_text(real), stored_text(predicted));
        }
        Ok(verdict.differences.len() == before)
    }

    /// Returns the predicted steps in the format of the lines.
    fn effects(&self, made: &Made) -> Vec<Value> {
        let Some(shared) = &made.shared else { return Vec::new() };
        let raw = |kind: &str| self.other(kind, &shared.namespace, &shared.name);
        let mut effects = Vec::new();
        for step in &made.decision.steps {
            let request = |kind: &str, field: &str, value: Option<Value>| {
                let named = json!({"kind": kind, "namespace": shared.namespace, "name": shared.name});
                let mut request = filled(named, json!({"refused": step.refused}));
                request.as_object_mut().zip(value).map(|(fields, value)| fields.insert(field.to_owned(), value));
                request
            };
            let (field, effect) = match &step.act {
                Act::CreateService(service) => ("create", request("Service", "object", Some(service_object(service)))),
                Act::CreateEndpoints(all) => ("create", request("Endpoints", "object", Some(endpoints_object(all)))),
                Act::UpdateService(update) => {
                    // An object that the sync has just created differs only in what the API server adds.
                    let created = made.decision.stored.service.as_ref().map(service_object);
                    let change = raw("Service").or(created.as_ref()).map(|before| service_change(before, update));
                    ("update", request("Service", "change", change))
                }
                Act::UpdateEndpoints(update) => (
                    "update",
                    request("Endpoints", "change", raw("Endpoints").map(|raw| endpoints_change(raw, update))),
                ),
                Act::Event(note) => {
                    let kind = if note.warning { "Warning" } else { "Normal" };
                    let about = json!({"kind": "Service", "namespace": shared.namespace, "name": shared.name});
                    let about = filled(about, json!({"type": kind, "reason": note.reason}));
                    ("event", filled(about, json!({"message": note.message})))
                }
                Act::Publish(made) => {
                    let set = json!({"id": made.id, "namespace": made.namespace, "endpoint": made.endpoint});
                    ("set", filled(set, json!({"refused": step.refused})))
                }
            };
            effects.push(at(step, field, effect));
        }
        effects
    }

    /// Carries out what a real sync has done.
    fn follow(&mut self, made: &Made, real: &SyncAnswer) {
        for effect in &real.effects {
            let set = &effect["set"];
            if set.is_object() && set["refused"].is_null() {
                let text = |field: &str| set[field].as_str().unwrap_or_default().to_owned();
                self.published.insert(text("id"), text("endpoint"));
            }
            for verb in ["create", "update"] {
                let request = &effect[verb];
                if request.is_object() && request["refused"].is_null() {
                    self.write(request);
                }
            }
        }
        let is_new = |step: &Step| matches!(step.act, Act::CreateService(_)) && step.refused.is_none();
        if made.decision.steps.iter().any(is_new) {
            self.addresses = made.number;
        }
        let ports = made.decision.stored.service.iter().flat_map(|service| &service.ports);
        if ports.into_iter().any(|port| port.node_port.is_some() && port.node_port == made.of.new_node_port) {
            self.node_ports += 1;
        }
    }

    /// Carries out a request that the API server took.
    fn write(&mut self, request: &Value) {
        let text = |field: &str| request[field].as_str().unwrap_or_default().to_owned();
        let key = (text("kind"), text("namespace"), text("name"));
        let mut object = if request["object"].is_object() {
            request["object"].clone()
        } else {
            let mut object = self.others.get(&key).cloned().unwrap_or_default();
            merge(&mut object, &request["change"]);
            object
        };
        merge(&mut object, &request["stored"]);
        self.others.insert(key, object);
    }
}

/// What a series of repeated reconciliations foretells: the Volume, the series, and the number of the next decision.
#[derive(Default)]
struct Foretold {
    series: Option<(String, Series, usize)>,
}

impl Foretold {
    /// Compares the predicted sync with the series that began with an earlier sync of the same Volume.
    fn compare(&mut self, asked: &Reconcile, made: &Made, verdict: &mut Verdict) {
        let about = Object { kind: "Volume".to_owned(), namespace: String::new(), name: asked.volume.clone() };
        if let Some((volume, series, next)) = &mut self.series
            && *volume == asked.volume
            && asked.refuse.is_empty()
        {
            // After its end, a series goes on with its last decision.
            let foretold = series.decisions.get(*next).or(series.decisions.last());
            let text = |decision: &Decision| format!("{:?} {:?} {:?}", decision.path, decision.steps, decision.error);
            let foretold = foretold.map(text).into_iter().collect();
            verdict.counts.shared_series += 1;
            differ("share: series", &about, &[text(&made.decision)].into(), &foretold, verdict);
            *next += 1;
            return;
        }
        let begun = made.volume.as_ref().map(|volume| series(volume, made.before.clone(), &made.of, false));
        self.series = begun.map(|series| (asked.volume.clone(), series, 1));
    }
}

fn key(object: &Value) -> (String, String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&object["kind"]), text(&object["metadata"]["namespace"]), name(object))
}

fn name(object: &Value) -> String {
    object["metadata"]["name"].as_str().unwrap_or_default().to_owned()
}

fn decoded_volume(object: &Value) -> Result<StorageOsVolume> {
    match StorageOsVolume::of_object(object) {
        Ok(volume) => Ok(volume),
        Err(error) => bail!("{}: {} is invalid", name(object), error.field),
    }
}

fn model<T: Resource>(object: &Value) -> Result<T> {
    match decoded(object)? {
        Item::Object(object) => T::of(object).context("an object of another kind"),
        Item::Skipped(kind) => bail!("nobody reads the kind {kind}"),
    }
}

/// Returns the metadata without the fields that the API server sets.
fn plain(meta: &ObjectMeta) -> ObjectMeta {
    let (name, namespace, labels) = (meta.name.clone(), meta.namespace.clone(), meta.labels.clone());
    ObjectMeta { name, namespace, labels, ..ObjectMeta::default() }
}

/// Returns the stored objects without the fields of `metadata` that the API server sets.
fn stored_text(mut stored: Stored) -> String {
    if let Some(service) = &mut stored.service {
        service.meta = plain(&service.meta);
    }
    if let Some(endpoints) = &mut stored.endpoints {
        endpoints.meta = plain(&endpoints.meta);
    }
    format!("{stored:?}")
}

fn refused(all: &[Refused], volume: &str, shared: Option<&SharedVolume>) -> BTreeMap<(Request, usize), Refusal> {
    let mut refusals = BTreeMap::new();
    for each in all {
        let (claim, name) = shared.map(|shared| (shared.claim.as_str(), shared.name.as_str())).unwrap_or_default();
        let (request, resource, name) = match each.request.as_str() {
            "getVolume" => (Request::GetVolume, "volumes.api.storageos.com", volume),
            "getClaim" => (Request::GetClaim, "PersistentVolumeClaim", claim),
            "getService" => (Request::GetService, "services", name),
            "createService" => (Request::CreateService, "services", name),
            "updateService" => (Request::UpdateService, "services", name),
            "getEndpoints" => (Request::GetEndpoints, "endpoints", name),
            "createEndpoints" => (Request::CreateEndpoints, "endpoints", name),
            "updateEndpoints" => (Request::UpdateEndpoints, "endpoints", name),
            _ => (Request::Publish, "", ""),
        };
        let refusal = match each.reason.as_str() {
            text if request == Request::Publish => Refusal::Failed(text.into()),
            "NoAddress" => Refusal::WithoutAddress,
            "NotFound" => Refusal::NotFound(format!("{resource} {name:?} not found").into()),
            "AlreadyExists" => Refusal::Failed(format!("{resource} {name:?} already exists").into()),
            "Conflict" => Refusal::Failed(
                format!(
                    "Operation cannot be fulfilled on {resource} {name:?}: the object has been modified; please apply \
                    your changes to the latest version and try again"
                )
                .into(),
            ),
            _ => Refusal::Failed("Internal error occurred: the API server says no".into()),
        };
        for number in each.place..each.place + each.count.max(1) {
            refusals.insert((request, number), refusal.clone());
        }
    }
    refusals
}

fn at(step: &Step, field: &str, made: Value) -> Value {
    let mut effect = Fields::from_iter([(field.to_owned(), made)]);
    if step.at > 0 {
        effect.insert("at".to_owned(), step.at.into());
    }
    Value::Object(effect)
}

fn metadata(meta: &ObjectMeta) -> Value {
    let labels: Fields = meta.labels.iter().map(|(key, value)| (key.to_string(), value.as_str().into())).collect();
    json!({"name": meta.name, "namespace": meta.namespace, "labels": labels})
}

fn target(port: &ServicePort) -> Value {
    port.target.parse::<i64>().map_or_else(|_| port.target.as_str().into(), Value::from)
}

fn ports(ports: &[ServicePort]) -> Value {
    let port = |port: &ServicePort| {
        let made = json!({
            "name": port.name, "protocol": port.protocol, "port": port.port, "targetPort": target(port),
        });
        filled(made, json!({"nodePort": port.node_port}))
    };
    ports.iter().map(port).collect()
}

fn service_object(service: &Service) -> Value {
    let mut metadata = metadata(&service.meta);
    let owner = |owner: &Owner| json!({"apiVersion": owner.api_version, "kind": owner.kind, "name": owner.name, "uid": owner.uid});
    metadata["ownerReferences"] = service.owners.iter().map(owner).collect();
    let spec = json!({"type": service.kind, "ports": ports(&service.ports)});
    json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec})
}

fn subset(subset: &EndpointSubset) -> Value {
    let addresses: Value = subset.ready.iter().map(|address| json!({"ip": address.ip})).collect();
    let port = |port: &EndpointPort| json!({"name": port.name, "port": port.port, "protocol": port.protocol});
    json!({"addresses": addresses, "ports": subset.ports.iter().map(port).collect::<Value>()})
}

fn endpoints_object(endpoints: &Endpoints) -> Value {
    let subsets: Value = endpoints.subsets.iter().map(subset).collect();
    json!({"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata(&endpoints.meta), "subsets": subsets})
}

fn change(before: &Value, after: &Value) -> Value {
    let none = Fields::new();
    difference(before.as_object().unwrap_or(&none), after.as_object().unwrap_or(&none)).into()
}

/// Returns the merge patch between the stored Service and the one that is sent.
fn service_change(before: &Value, update: &ServiceUpdate) -> Value {
    let mut after = before.clone();
    if let Some(spec) = after["spec"].as_object_mut() {
        spec.retain(|field, _| !LOST_FIELDS.contains(&field.as_str()));
    }
    match update {
        ServiceUpdate::Ports(port) => after["spec"]["ports"] = ports(std::slice::from_ref(port)),
        ServiceUpdate::Target(number) => {
            for port in after["spec"]["ports"].as_array_mut().into_iter().flatten() {
                port["targetPort"] = (*number).into();
            }
        }
    }
    change(before, &after)
}

/// Returns the merge patch between the stored Endpoints and those that are sent.
fn endpoints_change(before: &Value, update: &EndpointsUpdate) -> Value {
    let mut after = before.clone();
    match update {
        EndpointsUpdate::Subsets(made) => after["subsets"] = json!([subset(made)]),
        EndpointsUpdate::Target { address, port } => {
            for subset in after["subsets"].as_array_mut().into_iter().flatten() {
                subset["addresses"][0]["ip"] = address.as_str().into();
                subset["ports"][0]["port"] = (*port).into();
            }
        }
    }
    change(before, &after)
}

/// Applies an RFC 7386 merge patch.
fn merge(object: &mut Value, patch: &Value) {
    let Some(fields) = patch.as_object() else {
        if !patch.is_null() {
            object.clone_from(patch);
        }
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    let Some(own) = object.as_object_mut() else { return };
    for (name, value) in fields {
        if value.is_null() {
            own.remove(name);
        } else {
            merge(own.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}
