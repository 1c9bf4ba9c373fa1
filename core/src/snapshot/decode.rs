//! Decodes the JSON of one object to a value of the model. Decoding never panics, and it is strict about the fields
//! that some answer reads.
//!
//! A field that no answer reads is skipped, whatever its type. A field with the value `null` is treated as absent.
//! Fields that could hold a secret (most `volumeAttributes`, annotations such as the last applied configuration,
//! `managedFields`) are skipped while the JSON is read. They are kept nowhere, not even in an issue. [`change_of`]
//! reads the times in `managedFields` if the caller asks for them.

mod place;
pub mod size;
pub(super) mod wire;

pub use size::LARGEST_OBJECT;

use super::kinds;

use crate::model::{Kind, Object, ObjectKey, ObjectMeta, Resource, ResourceVersion, Str, Timestamp};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;
use std::borrow::Cow;
use std::fmt;

/// The result of decoding one object.
#[derive(Clone, Debug)]
pub enum Item {
    /// An object of a kind that some answer reads.
    Object(Object),
    /// An object of a kind that no answer reads, or that the caller did not ask for. The value is the kind.
    Skipped(Str),
}

impl Item {
    /// Returns the object as the type `T`. The value is `None` if the object is of another kind.
    pub fn of<T: Resource>(self) -> Option<T> {
        match self {
            Self::Object(object) => T::of(object),
            Self::Skipped(_) => None,
        }
    }
}

/// An object that could not be decoded, with the problem. It is left out of the snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeIssue {
    /// The kind that the object states. It is empty if the object states none.
    pub kind: String,
    /// The namespace. It is empty if it could not be read.
    pub namespace: String,
    /// The name. It is empty if it could not be read.
    pub name: String,
    /// The path of the field, such as `spec.capacity.storage`.
    pub field: String,
    /// The value that was found, shortened.
    pub value: String,
    /// The problem with the value, for people.
    pub reason: String,
    /// The file or the list that has the object.
    pub origin: String,
}

impl fmt::Display for DecodeIssue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.origin)?;
        out.write_str(if self.kind.is_empty() { "an object" } else { &self.kind })?;
        match (self.namespace.as_str(), self.name.as_str()) {
            ("", "") => {}
            ("", name) => write!(out, " {name}")?,
            (namespace, "") => write!(out, " without a name in namespace {namespace}")?,
            (namespace, name) => write!(out, " {namespace}/{name}")?,
        }
        out.write_str(": ")?;
        match (self.field.as_str(), self.value.as_str()) {
            ("", "") => {}
            ("", value) => write!(out, "is {value}: ")?,
            (field, "") => write!(out, "{field}: ")?,
            (field, value) => write!(out, "{field} is {value}: ")?,
        }
        out.write_str(&self.reason)
    }
}

/// The reason why bytes could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The bytes are not one JSON value in UTF-8.
    Syntax {
        /// The number of bytes before the error.
        offset: usize,
        /// The problem at this byte.
        reason: String,
    },
    /// A field that some answer reads has a wrong value, the object states no kind or no name, or it is too large.
    Issue(Box<DecodeIssue>),
}

/// The API version and kind that an object states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header<'a> {
    /// `apiVersion`. It is empty if the field is absent.
    pub api_version: Cow<'a, str>,
    /// `kind`. It is empty if the field is absent.
    pub kind: Cow<'a, str>,
}

impl Header<'_> {
    /// Returns the kind, if some answer reads this kind in this API version. An object without an API version is
    /// accepted, because otherwise a volume could be skipped without a message.
    pub fn known(&self) -> Option<Kind> {
        let kind = Kind::from_manifest(&self.kind)?;
        let version = self.api_version.as_ref();
        (version.is_empty() || kind.reads_version(version)).then_some(kind)
    }
}

/// Decodes the JSON of one object that states its kind. `origin` is the file or list, for messages.
///
/// # Errors
///
/// Returns an error if a field that some answer reads has a wrong value, if the object states no kind or no name, if it
/// is too large, or if the bytes are not JSON.
#[expect(clippy::result_large_err, reason = "an issue is rare, and its callers keep it")]
pub fn decode(json: &[u8], origin: &str) -> Result<Item, DecodeIssue> {
    read(None, json, origin).map_err(|failure| flatten(failure, None, origin))
}

/// Decodes the JSON of one object whose kind is known from the list that has the object. The kind that the object
/// itself states is ignored.
///
/// # Errors
///
/// The errors are those of [`decode`].
#[expect(clippy::result_large_err, reason = "an issue is rare, and its callers keep it")]
pub fn decode_as(kind: Kind, json: &[u8], origin: &str) -> Result<Item, DecodeIssue> {
    read(Some(kind), json, origin).map_err(|failure| flatten(failure, Some(kind), origin))
}

/// Decodes the JSON of one object. The errors distinguish bytes that are not JSON from an object that cannot be
/// decoded.
///
/// # Errors
///
/// See [`Failure`].
pub fn read(kind: Option<Kind>, json: &[u8], origin: &str) -> Result<Item, Failure> {
    read_some(kind, json, origin, &Kind::SURROUNDING)
}

/// Does the same as [`read`], except for the kinds in [`Kind::SURROUNDING`]: of these kinds, it decodes only those in
/// `surroundings`.
///
/// # Errors
///
/// See [`Failure`].
pub fn read_some(kind: Option<Kind>, json: &[u8], origin: &str, surroundings: &[Kind]) -> Result<Item, Failure> {
    let text = utf8(json)?;
    let (kind, stated) = if let Some(kind) = kind {
        (Some(kind), Cow::Borrowed(kind.as_str()))
    } else {
        let header = header_of(text, origin)?;
        (header.known(), header.kind)
    };
    let kind = kind.filter(|kind| kind.is_asked(surroundings));
    // If an object is not decoded, only its kind is kept. So the size of the object does not matter.
    if json.len() > LARGEST_OBJECT && (kind.is_some() || stated.len() > size::LONGEST_NAME) {
        let issue = size::Named::in_beginning(json).issue(kind, Some(json.len() as u64), origin);
        return Err(Failure::Issue(Box::new(issue)));
    }
    let at = Context { text, kind: &stated, origin };
    let skipped = || Item::Skipped(Str::from(stated.as_ref()));
    match kind {
        Some(kind) => Ok(kinds::decode(kind, &at)?.map_or_else(skipped, Item::Object)),
        None => at.parse::<IgnoredAny>().map(|_| skipped()),
    }
}

/// Checks that the bytes are one JSON value in UTF-8. The content of the value does not matter.
///
/// # Errors
///
/// The error is [`Failure::Syntax`].
pub fn check(json: &[u8]) -> Result<(), Failure> {
    let text = utf8(json)?;
    Context { text, kind: "", origin: "" }.parse::<IgnoredAny>().map(|_| ())
}

/// Returns the API version and kind that the JSON of one object states.
///
/// # Errors
///
/// See [`Failure`]. An object without a kind is an issue.
pub fn header<'a>(json: &'a [u8], origin: &str) -> Result<Header<'a>, Failure> {
    let text = utf8(json)?;
    header_of(text, origin)
}

fn utf8(json: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(json).map_err(|error| Failure::Syntax {
        offset: error.valid_up_to(),
        reason: "the bytes are not UTF-8 text".to_owned(),
    })
}

fn header_of<'a>(text: &'a str, origin: &str) -> Result<Header<'a>, Failure> {
    if let Some(header) = sniff(text) {
        return Ok(header);
    }
    let at = Context { text, kind: "", origin };
    let object: wire::HeaderObject = at.parse()?;
    let owned = |text: wire::Text| Cow::Owned(text.0.into_string());
    let header = Header { api_version: owned(object.api_version), kind: owned(object.kind) };
    if header.kind.is_empty() {
        return Err(at.issue("kind", "", "the object states no kind"));
    }
    Ok(header)
}

/// Returns the header of an object that begins with `apiVersion` and `kind`, as kubectl prints nearly all objects. The
/// value is `None` for other objects.
fn sniff(text: &str) -> Option<Header<'_>> {
    fn skip(text: &str, expected: char) -> Option<&str> {
        text.trim_ascii_start().strip_prefix(expected)
    }
    fn string(text: &str) -> Option<(&str, &str)> {
        let text = skip(text, '"')?;
        let end = memchr::memchr2(b'"', b'\\', text.as_bytes())?;
        let (value, rest) = text.split_at(end);
        // Strings with an escape or a control character are left to the real parser.
        let plain = !value.bytes().any(|byte| byte < b' ');
        rest.strip_prefix('"').filter(|_| plain).map(|rest| (value, rest))
    }
    fn pair(text: &str) -> Option<(&str, &str, &str)> {
        let (key, rest) = string(text)?;
        let (value, rest) = string(skip(rest, ':')?)?;
        Some((key, value, rest))
    }
    let (first, first_value, rest) = pair(skip(text, '{')?)?;
    let (second, second_value, _) = pair(skip(rest, ',')?)?;
    match (first, second) {
        ("apiVersion", "kind") => {
            Some(Header { api_version: Cow::Borrowed(first_value), kind: Cow::Borrowed(second_value) })
        }
        ("kind", "apiVersion") => {
            Some(Header { api_version: Cow::Borrowed(second_value), kind: Cow::Borrowed(first_value) })
        }
        _ => None,
    }
    .filter(|header| !header.kind.is_empty())
}

/// The object that is being decoded, for messages.
pub(super) struct Context<'a> {
    text: &'a str,
    kind: &'a str,
    origin: &'a str,
}

impl<'a> Context<'a> {
    pub(super) fn parse<T: Deserialize<'a>>(&self) -> Result<T, Failure> {
        let mut parser = serde_json::Deserializer::from_str(self.text);
        T::deserialize(&mut parser).and_then(|value| parser.end().map(|()| value)).map_err(|error| self.failure(&error))
    }

    /// Returns the failure for an error of the parser: invalid JSON, or a wrong value. The parser stops at a wrong
    /// value, so this function checks whether the whole text is valid JSON.
    fn failure(&self, error: &serde_json::Error) -> Failure {
        if error.classify() == Category::Data {
            match serde_json::from_str::<IgnoredAny>(self.text) {
                Ok(_) => {
                    let place = place::at(self.text, offset(self.text, error));
                    self.issue(&place.field, &place.value, &reason(error))
                }
                Err(error) => self.syntax(&error),
            }
        } else {
            self.syntax(error)
        }
    }

    fn syntax(&self, error: &serde_json::Error) -> Failure {
        Failure::Syntax { offset: offset(self.text, error), reason: reason(error) }
    }

    fn issue(&self, field: &str, value: &str, reason: &str) -> Failure {
        let named: wire::NamedObject = serde_json::from_str(self.text).unwrap_or_default();
        let meta = named.metadata.unwrap_or_default();
        Failure::Issue(Box::new(DecodeIssue {
            kind: if self.kind.is_empty() { named.kind.0 } else { self.kind.into() },
            namespace: meta.namespace.0,
            name: meta.name.0,
            field: field.to_owned(),
            value: value.to_owned(),
            reason: reason.to_owned(),
            origin: self.origin.to_owned(),
        }))
    }

    pub(super) fn meta(&self, meta: wire::Meta) -> Result<ObjectMeta, Failure> {
        if meta.name.0.is_empty() {
            return Err(self.issue("metadata.name", "", "the object has no name"));
        }
        Ok(ObjectMeta {
            name: meta.name.0,
            namespace: meta.namespace.0,
            uid: meta.uid.0,
            resource_version: ResourceVersion::Recorded(meta.resource_version.0),
            created: meta.created.0,
            deleted: meta.deleted.0,
            deletion_grace_seconds: meta.deletion_grace_seconds,
            annotations: meta.annotations.0,
            labels: meta.labels.0.into(),
            finalizers: meta.finalizers.strings(),
            controller_owner: meta
                .owners
                .0
                .into_iter()
                .find(|owner| owner.controller == Some(true))
                .map(|owner| owner.uid.0),
        })
    }
}

fn flatten(failure: Failure, kind: Option<Kind>, origin: &str) -> DecodeIssue {
    match failure {
        Failure::Issue(issue) => *issue,
        Failure::Syntax { offset, reason } => DecodeIssue {
            kind: kind.map(Kind::as_str).unwrap_or_default().to_owned(),
            namespace: String::new(),
            name: String::new(),
            field: String::new(),
            value: String::new(),
            reason: format!("it is not valid JSON at byte {offset}: {reason}"),
            origin: origin.to_owned(),
        },
    }
}

/// Returns the byte offset of an error. The parser counts lines from 1, and its column is the number of bytes read in
/// the line.
pub fn offset(text: &str, error: &serde_json::Error) -> usize {
    let lines_before = error.line().saturating_sub(1);
    let start = match lines_before.checked_sub(1) {
        None => 0,
        Some(nth) => memchr::memchr_iter(b'\n', text.as_bytes()).nth(nth).map_or(text.len(), |newline| newline + 1),
    };
    start.saturating_add(error.column().saturating_sub(1)).min(text.len())
}

/// Returns the parser's message without its position, because this program states the position in the whole file, or
/// the field.
pub fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let bare = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    match bare.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected ")) {
        Some((_, expected)) => format!("{expected} is expected here"),
        None => bare.to_owned(),
    }
}

/// Returns the time of the last write of the object: the newest `time` in `metadata.managedFields`. The value is `None`
/// if the object has no such times, or if its kind and name are not those in `asked`. The function parses the JSON a
/// second time.
pub fn change_of(item: &Item, json: &[u8], asked: &(Kind, String)) -> Option<(ObjectKey, Timestamp)> {
    let Item::Object(object) = item else { return None };
    let (kind, meta) = (object.kind(), object.meta());
    if kind != asked.0 || meta.name != asked.1 {
        return None;
    }
    let object: wire::ManagedObject = serde_json::from_slice(json).ok()?;
    let newest = object.metadata.managed.0.into_iter().filter_map(|entry| entry.time.0).max()?;
    Some((ObjectKey { kind, namespace: meta.namespace.clone(), name: meta.name.clone() }, newest))
}
