//! The objects as they were read, redacted, as a `v1` List that `-f` and kubectl can read again.

use super::statement::Statement;
use crate::model::{Kind, ObjectKey, Str};
use crate::snapshot::decode::LARGEST_OBJECT;
use crate::snapshot::redact::redact;
use crate::text::{escape_json, sanitize};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{self, Write};

/// One redacted object as compact JSON, until it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchivedObject {
    /// The name of the object. It is `None` for an object that a storage system defines.
    key: Option<ObjectKey>,
    /// The position of an object that a storage system defines among all of them.
    place: String,
    version: u64,
    json: Box<str>,
}

impl ArchivedObject {
    /// Redacts one object of a known kind. The field `kind` is added, because objects in typed lists do not have it.
    /// Returns `None` if the text is not a JSON object. Also returns `None` if the object is larger than
    /// `LARGEST_OBJECT`, because such an object is never decoded.
    pub fn new(kind: Kind, json: &[u8]) -> Option<Self> {
        let whole = Some(json).filter(|json| json.len() <= LARGEST_OBJECT)?;
        let mut object: Value = serde_json::from_slice(whole).ok().filter(Value::is_object)?;
        object["apiVersion"] = kind.api_version().into();
        object["kind"] = kind.as_str().into();
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
        let key = ObjectKey {
            kind,
            namespace: if kind.namespaced() { text("namespace").into() } else { Str::default() },
            name: text("name").into(),
        };
        let version = text("resourceVersion").parse().unwrap_or(0);
        Some(Self { key: Some(key), place: String::new(), version, json: redact(kind, object).to_string().into() })
    }

    /// Keeps an object that a storage system defines. It must have no field that could hold a secret.
    pub fn of_system(object: &Value) -> Self {
        let text = |place: &str| object.pointer(place).and_then(Value::as_str).unwrap_or_default();
        let place = ["/apiVersion", "/kind", "/metadata/namespace", "/metadata/name"].map(text).join(" ");
        Self { key: None, place, version: 0, json: object.to_string().into() }
    }

    /// Redacts one object that states its kind. Returns `None` for a kind that the program does not read, and if
    /// [`Self::new`] returns `None`.
    pub fn from_manifest(json: &[u8]) -> Option<Self> {
        #[derive(serde::Deserialize)]
        struct Kinded<'a> {
            #[serde(borrow)]
            kind: Cow<'a, str>,
        }
        let kind = Kind::from_manifest(&serde_json::from_slice::<Kinded<'_>>(json).ok()?.kind)?;
        Self::new(kind, json)
    }

    /// Returns the kind, the namespace and the name of the object. The result is `None` for an object that a storage
    /// system defines.
    pub fn key(&self) -> Option<&ObjectKey> {
        self.key.as_ref()
    }
}

/// Sorts the objects by kind, namespace and name, and keeps the newest version of each. So the same objects always give
/// the same file, no matter in which order they were read.
pub fn order(objects: &mut Vec<ArchivedObject>) {
    // The objects of storage systems come last.
    let place = |a: &ArchivedObject, b: &ArchivedObject| {
        a.key.is_none().cmp(&b.key.is_none()).then_with(|| a.key.cmp(&b.key)).then_with(|| a.place.cmp(&b.place))
    };
    objects.sort_by(|a, b| place(a, b).then(b.version.cmp(&a.version)).then_with(|| a.json.cmp(&b.json)));
    objects.dedup_by(|later, kept| later.key == kept.key && later.place == kept.place);
}

/// Writes the objects in the form in which kubectl prints a list: keys in alphabetical order, four spaces for each
/// level. The `statement` is written into annotations of the list.
///
/// # Errors
///
/// Returns the error of the writer.
pub fn write(objects: &[ArchivedObject], statement: &Statement, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\n    \"apiVersion\": \"v1\",\n    \"items\": [")?;
    let mut buffer = Vec::new();
    for (place, object) in objects.iter().enumerate() {
        out.write_all(if place == 0 { b"\n        " } else { b",\n        " })?;
        write_value(&serde_json::from_str(&object.json)?, "        ", &mut buffer, out)?;
    }
    out.write_all(if objects.is_empty() { b"]" } else { b"\n    ]" })?;
    out.write_all(b",\n    \"kind\": \"List\",\n    \"metadata\": ")?;
    write_value(&metadata(statement), "    ", &mut buffer, out)?;
    out.write_all(b"\n}\n")
}

/// Writes a value. All its lines except the first are indented by `indent`.
fn write_value(value: &Value, indent: &str, buffer: &mut Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
    buffer.clear();
    value.serialize(&mut Serializer::with_formatter(&mut *buffer, PrettyFormatter::with_indent(b"    ")))?;
    for (place, line) in buffer.split(|byte| *byte == b'\n').enumerate() {
        if place > 0 {
            write!(out, "\n{indent}")?;
        }
        out.write_all(&escape_json(line))?;
    }
    Ok(())
}

/// Returns the `metadata` of the list.
fn metadata(statement: &Statement) -> Value {
    let mut metadata = json!({"resourceVersion": ""});
    let annotations = statement.annotations();
    if !annotations.is_empty() {
        metadata["annotations"] = json!(annotations);
    }
    metadata
}

/// Writes the same list as YAML, in the form in which kubectl prints it.
///
/// # Errors
///
/// Returns the error of the writer.
pub fn write_yaml(objects: &[ArchivedObject], statement: &Statement, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(if objects.is_empty() { b"apiVersion: v1\nitems: []\n" } else { b"apiVersion: v1\nitems:\n" })?;
    for object in objects {
        write_yaml_value("- ", &serde_json::from_str(&object.json)?, out)?;
    }
    out.write_all(b"kind: List\nmetadata:\n")?;
    write_yaml_value("  ", &metadata(statement), out)
}

/// Writes a value. Its first line follows the text `first`; the other lines are indented.
fn write_yaml_value(first: &str, value: &Value, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_yaml::to_string(value).map_err(io::Error::other)?;
    if text.lines().any(|line| matches!(sanitize(line), Cow::Owned(_))) {
        // JSON is valid YAML, and can escape every character.
        out.write_all(first.as_bytes())?;
        out.write_all(&escape_json(&serde_json::to_vec(value)?))?;
        return out.write_all(b"\n");
    }
    for (place, line) in text.lines().enumerate() {
        let before = if place == 0 { first } else { "  " };
        // Empty lines of a multi-line text stay empty.
        let line = if line.is_empty() { String::new() } else { format!("{before}{line}") };
        writeln!(out, "{line}")?;
    }
    Ok(())
}
