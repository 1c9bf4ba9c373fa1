//! What the objects of a storage system say about its volumes, such as the resources that its operator defines.

use super::dry_run::ModelledController;
use super::provider::{Provider, Providers};
use super::template::Template;
use crate::controllers::shared_volume::ApiManager;
use crate::model::{PersistentVolume, PersistentVolumeClaim, StorageOsVolume};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Where an object of a storage system has the facts about a volume. Each place is a JSON pointer (RFC 6901).
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatePattern {
    /// The API group and the kind of the objects. If they are not stated, the pattern is about objects that only
    /// `--provider-state` has.
    #[serde(default)]
    pub resource: Option<StateResource>,
    /// How an object is joined with a volume: both texts must be equal. One of these is enough.
    pub volume: Vec<StateKey>,
    /// The address that clients use. The first place that has a text applies.
    #[serde(default)]
    pub endpoint: Places,
    /// The address of the server behind the Service. It is absent while no server runs.
    #[serde(default)]
    pub target: Places,
    /// The state of the volume or of its server, in the words of the system.
    #[serde(default)]
    pub phase: Places,
    /// The namespace of the claim.
    #[serde(default)]
    pub claim_namespace: Places,
    /// The name of the claim.
    #[serde(default)]
    pub claim_name: Places,
}

/// A kind of object that a storage system defines.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateResource {
    /// The API group.
    pub group: String,
    /// The version in which the objects are requested.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The resource, as paths of the API have it.
    pub resource: String,
}

/// A text of a volume, and where an object has the same text.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StateKey {
    /// The text of the volume.
    pub text: Template,
    /// The place in the object.
    pub at: String,
}

/// Places in an object. In YAML, this is one place or a list of places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(Vec<String>);

impl<'de> Deserialize<'de> for Places {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum OneOrMany {
            One(String),
            Many(Vec<String>),
        }
        Ok(match OneOrMany::deserialize(deserializer)? {
            OneOrMany::One(place) => Self(vec![place]),
            OneOrMany::Many(places) => Self(places),
        })
    }
}

impl Places {
    /// Returns whether there is no place, so that the fact is never known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first place in the form in which people write a field, such as `spec.nfs.serviceEndpoint`.
    fn field(&self) -> String {
        let place = self.0.first().map_or("", |place| place.trim_start_matches('/'));
        let part = |part: &str| {
            let part = part.replace("~1", "/").replace("~0", "~");
            if part.contains(['/', '.']) { format!("[{part}]") } else { part }
        };
        place.split('/').map(part).collect::<Vec<_>>().join(".").replace(".[", "[")
    }

    fn text(&self, object: &Value) -> Option<String> {
        let texts = self.0.iter().filter_map(|place| object.pointer(place)?.as_str());
        texts.filter(|text| !text.is_empty()).map(str::to_owned).next()
    }
}

/// What an object of a storage system says about one volume.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateRecord {
    /// The id of the entry that recognised the object.
    provider: String,
    /// The texts that must be equal to those of the volume, each with its place in the list of keys.
    keys: Vec<(usize, String)>,
    /// The number of the pattern in the entry.
    pattern: usize,
    /// The address that clients use.
    pub endpoint: Option<String>,
    /// The address of the server behind the Service.
    pub target: Option<String>,
    /// The state in the words of the system.
    pub phase: Option<String>,
    /// The field that has the address of the server, or the address that clients use if there is no such field.
    pub server_field: String,
    /// The field that has the address that clients use.
    pub endpoint_field: String,
    /// The namespace and name of the claim.
    pub claim: Option<(String, String)>,
    /// What the object is, for people: its kind and name, or where it was read.
    pub origin: String,
    /// The volume as the modelled controller of the system reads it, and the version of the controller that reads such
    /// objects.
    pub(super) modelled: Option<(StorageOsVolume, ApiManager)>,
}

impl Provider {
    /// Returns whether the objects of the system tell the address of the server.
    pub fn tells_target(&self) -> bool {
        self.state.iter().any(|pattern| !pattern.target.is_empty())
    }

    /// Returns whether the record is about the volume.
    pub(super) fn is_about(
        &self,
        record: &StateRecord,
        volume: &PersistentVolume,
        claim: Option<&PersistentVolumeClaim>,
    ) -> bool {
        let Some(pattern) = self.state.get(record.pattern).filter(|_| record.provider == self.id) else { return false };
        record.keys.iter().any(|(place, text)| {
            let key = pattern.volume.get(*place).and_then(|key| key.text.fill(volume, claim));
            key.as_ref() == Some(text)
        })
    }
}

/// Writes a value to a place of an object. Objects on the way are created.
fn put(object: &mut Value, place: &str, value: &Value) {
    let mut inner = object;
    for part in place.trim_start_matches('/').split('/') {
        let Value::Object(fields) = inner else { return };
        let key = part.replace("~1", "/").replace("~0", "~");
        inner = fields.entry(key).or_insert_with(|| serde_json::json!({}));
    }
    *inner = value.clone();
}

/// Returns the volume as the controller reads it.
fn modelled(
    controller: ModelledController,
    object: &Value,
    pattern: &StatePattern,
) -> Option<(StorageOsVolume, ApiManager)> {
    match (controller, &pattern.resource) {
        (ModelledController::ApiManager, Some(_)) => {
            Some((StorageOsVolume::of_object(object).ok()?, ApiManager::From1_2))
        }
        (ModelledController::ApiManager, None) => Some((StorageOsVolume::of_entry(object).ok()?, ApiManager::UpTo1_1)),
    }
}

impl Providers {
    /// Returns the kinds of objects that tell something about volumes.
    pub fn state_resources(&self) -> impl Iterator<Item = &StateResource> {
        self.all().flat_map(|provider| &provider.state).filter_map(|pattern| pattern.resource.as_ref())
    }

    /// Returns the parts of the object that say something about a volume. The result is `None` if no entry knows such
    /// objects. No other field leaves the cluster.
    pub fn kept(&self, object: &Value) -> Option<Value> {
        let stated = |field: &str| object.get(field).and_then(Value::as_str);
        let group = stated("apiVersion")?.split_once('/')?.0;
        let is_of = |pattern: &&StatePattern| {
            pattern.resource.as_ref().is_some_and(|own| Some(own.kind.as_str()) == stated("kind") && own.group == group)
        };
        let pattern = self.all().flat_map(|provider| &provider.state).find(is_of)?;
        let keys = pattern.volume.iter().map(|key| &key.at);
        let facts = [&pattern.endpoint, &pattern.target, &pattern.phase, &pattern.claim_namespace, &pattern.claim_name];
        let mut kept = serde_json::json!({});
        let identity = ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace", "/metadata/uid"];
        let places = identity.into_iter().chain(keys.map(String::as_str));
        for place in places.chain(facts.into_iter().flat_map(|places| &places.0).map(String::as_str)) {
            if let Some(value) = object.pointer(place).filter(|value| value.is_string()) {
                put(&mut kept, place, value);
            }
        }
        Some(kept)
    }

    /// Returns what the object says about a volume. The result is `None` if no entry knows such objects. `origin` says
    /// where the object was read, if it has no kind.
    pub fn record(&self, object: &Value, origin: &str) -> Option<StateRecord> {
        let stated = |field: &str| object.get(field).and_then(Value::as_str);
        let group = stated("apiVersion").map(|version| version.split_once('/').map_or("", |(group, _)| group));
        let is_of = |pattern: &StatePattern| match (&pattern.resource, stated("kind")) {
            (Some(resource), Some(kind)) => resource.kind == kind && group == Some(&resource.group),
            (None, None) => true,
            _ => false,
        };
        for provider in self.all() {
            for (place, pattern) in provider.state.iter().enumerate().filter(|(_, pattern)| is_of(pattern)) {
                let keys = pattern.volume.iter().enumerate();
                let keys: Vec<(usize, String)> = keys
                    .filter_map(|(place, key)| Some((place, object.pointer(&key.at)?.as_str()?.to_owned())))
                    .collect();
                if keys.is_empty() {
                    continue;
                }
                let named = object.pointer("/metadata/name").and_then(Value::as_str);
                return Some(StateRecord {
                    provider: provider.id.clone(),
                    keys,
                    pattern: place,
                    endpoint: pattern.endpoint.text(object),
                    target: pattern.target.text(object),
                    phase: pattern.phase.text(object),
                    server_field: if pattern.target.is_empty() {
                        pattern.endpoint.field()
                    } else {
                        pattern.target.field()
                    },
                    endpoint_field: pattern.endpoint.field(),
                    claim: pattern.claim_namespace.text(object).zip(pattern.claim_name.text(object)),
                    origin: match (stated("kind"), named) {
                        (Some(kind), Some(name)) => format!("{kind} {name}"),
                        _ => origin.to_owned(),
                    },
                    modelled: provider.dry_run.and_then(|controller| modelled(controller, object, pattern)),
                });
            }
        }
        None
    }
}
