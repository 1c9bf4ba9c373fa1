//! What the values of a log name.

use crate::model::{Kind, Str};
use crate::world::ObjectRef;
use serde_json::Value;

/// What a value of a log names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// An object.
    Object(ObjectRef),
    /// A volume, by its unique name: the name of the plugin, a slash, and the name that the plugin gives.
    Volume(Str),
    /// A pod, by its uid.
    PodUid(Str),
}

impl Named {
    /// Returns the name of an object without a namespace. An empty name, and the name of upstream for no volume, name
    /// nothing.
    pub fn object(kind: Kind, name: &str) -> Option<Self> {
        let is_name = !name.is_empty() && name != "nil";
        is_name.then(|| Self::Object(ObjectRef { kind, namespace: Str::default(), name: name.into() }))
    }

    /// Returns the name of an object with a namespace: `NAMESPACE/NAME`.
    pub fn namespaced(kind: Kind, key: &str) -> Option<Self> {
        let (namespace, name) = key.split_once('/')?;
        Some(Self::Object(ObjectRef { kind, namespace: namespace.into(), name: name.into() }))
    }

    /// Returns the unique name of a volume. A text without a slash is another name.
    pub fn volume(name: &str) -> Option<Self> {
        name.contains('/').then(|| Self::Volume(name.into()))
    }

    /// Returns the uid of a pod.
    pub fn pod_uid(uid: &str) -> Option<Self> {
        (!uid.is_empty()).then(|| Self::PodUid(uid.into()))
    }

    /// Returns what the texts of a list name. The objects in a list are texts, or have the fields `namespace` and
    /// `name`.
    pub fn list(list: &str, named: impl Fn(&str) -> Option<Self>) -> Vec<Self> {
        let Ok(Value::Array(entries)) = serde_json::from_str(list) else { return Vec::new() };
        let text = |entry: &Value| match entry {
            Value::String(text) => Some(text.clone()),
            Value::Object(fields) => {
                let of = |field: &str| fields.get(field).and_then(Value::as_str);
                let name = of("name")?;
                Some(of("namespace").map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}")))
            }
            _ => None,
        };
        entries.iter().filter_map(|entry| named(&text(entry)?)).collect()
    }

    /// Returns the object that an event is about.
    pub fn about(values: &[(&str, &str)]) -> Option<Self> {
        let of = |wanted: &str| values.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value);
        let kind = Kind::EVERY.into_iter().find(|kind| Some(kind.as_str()) == of("kind"))?;
        let object = of("object")?;
        Self::namespaced(kind, object).or_else(|| Self::object(kind, object))
    }
}
