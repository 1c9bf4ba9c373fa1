//! YAML, read as JSON: what sigs.k8s.io/yaml makes of it is what kubectl sees.
//!
//! The only place that knows which crate reads YAML.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::Read;

/// How deep a document may be nested.
const DEEPEST: usize = 128;

/// The longest document, in bytes: a dump of 200,000 objects has a third of it.
const LONGEST: usize = 2 << 30;

/// Why a document could not be read.
#[derive(Debug)]
pub(super) struct YamlError {
    pub(super) line: Option<u64>,
    pub(super) column: Option<u64>,
    pub(super) reason: String,
}

/// Hands each document to `each` as JSON, and stops when that fails. Documents that are empty are passed over.
pub(super) fn documents<E>(
    input: &mut dyn Read,
    mut each: impl FnMut(Vec<u8>) -> Result<(), E>,
) -> Result<Result<(), E>, YamlError> {
    let mut input = input;
    let options = serde_yaml::options! {
        with_snippet: false,
        // What an alias may repeat keeps its default, so that it cannot explode.
        budget: serde_yaml::budget! {
            max_reader_input_bytes: Some(LONGEST),
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_documents: usize::MAX,
            max_total_scalar_bytes: LONGEST,
            max_depth: DEEPEST,
        },
    };
    for document in serde_yaml::read_with_options::<_, Json>(&mut input, options) {
        match document {
            Ok(Json(json)) => {
                if let Err(error) = each(json) {
                    return Ok(Err(error));
                }
            }
            Err(error) => {
                let place = error.location();
                return Err(YamlError {
                    line: place.map(|place| place.line()),
                    column: place.map(|place| place.column()),
                    reason: reason(&error.to_string()),
                });
            }
        }
    }
    Ok(Ok(()))
}

/// The parser's message in one line, without the place that it repeats.
fn reason(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.rsplit_once(" at line ").map_or(line, |(bare, _)| bare).trim_end_matches([',', ':', ' ']).to_owned()
}

/// A document as JSON text.
struct Json(Vec<u8>);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut json = Vec::new();
        Value(&mut json).deserialize(deserializer)?;
        Ok(Self(json))
    }
}

/// Writes the value that comes as JSON.
struct Value<'a>(&'a mut Vec<u8>);

/// Writes the key that comes as a JSON string, whatever its type, as sigs.k8s.io/yaml does.
struct Key<'a>(&'a mut Vec<u8>);

impl Value<'_> {
    fn plain<E: serde::de::Error>(self, value: impl serde::Serialize) -> Result<(), E> {
        serde_json::to_writer(self.0, &value).map_err(E::custom)
    }
}

impl Key<'_> {
    fn text<E: serde::de::Error>(self, key: &str) -> Result<(), E> {
        serde_json::to_writer(self.0, key).map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value that JSON has")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        if value.is_finite() { self.plain(value) } else { Err(E::custom("JSON has no such number")) }
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.plain(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let out = self.0;
        out.push(b'[');
        let mut first = true;
        loop {
            let mark = out.len();
            if !first {
                out.push(b',');
            }
            if list.next_element_seed(Value(out))?.is_none() {
                out.truncate(mark);
                break;
            }
            first = false;
        }
        out.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let out = self.0;
        out.push(b'{');
        let mut first = true;
        loop {
            let mark = out.len();
            if !first {
                out.push(b',');
            }
            if map.next_key_seed(Key(out))?.is_none() {
                out.truncate(mark);
                break;
            }
            first = false;
            out.push(b':');
            map.next_value_seed(Value(out))?;
        }
        out.push(b'}');
        Ok(())
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a plain key")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.text("null")
    }

    fn visit_bool<E: serde::de::Error>(self, key: bool) -> Result<(), E> {
        self.text(if key { "true" } else { "false" })
    }

    fn visit_i64<E: serde::de::Error>(self, key: i64) -> Result<(), E> {
        self.text(&key.to_string())
    }

    fn visit_u64<E: serde::de::Error>(self, key: u64) -> Result<(), E> {
        self.text(&key.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, key: f64) -> Result<(), E> {
        self.text(&key.to_string())
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<(), E> {
        self.text(key)
    }
}
