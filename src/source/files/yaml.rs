//! Converts YAML to JSON in the same way as sigs.k8s.io/yaml, which kubectl uses.
//!
//! Only this module depends on the crate that parses YAML.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::io::{self, Read};

/// The largest depth of nesting in a document.
const DEEPEST: usize = 128;

/// The largest document, in bytes. The dump of 200,000 objects is a third of this size.
const LONGEST: usize = 2 << 30;

/// The longest line, in bytes. A small dump may be a single line. The parser holds the whole text of a value in memory
/// before it reports anything about it.
pub const LONGEST_LINE: usize = 64 << 20;

/// The longest text before the first field, in bytes. The parser collects the lines of a plain text until the text
/// ends. A stream such as the output of `yes` never ends.
pub const LONGEST_START: usize = 1 << 20;

/// A reader that fails if a line has more than `limit` bytes, or if more than `most_fieldless` bytes contain no field.
/// Before it fails, it may return up to one read beyond the limit.
pub struct Lines<R> {
    inner: R,
    /// The number of bytes of the current line that were read.
    length: usize,
    limit: usize,
    /// The number of bytes since the last byte that may be the colon of a field.
    fieldless: usize,
    /// The maximum of that number: a small number before the first field, and `limit` after it.
    most_fieldless: usize,
}

impl<R> Lines<R> {
    /// Returns a reader with these limits. `start` is the limit before the first field.
    pub fn new(inner: R, limit: usize, start: usize) -> Self {
        Self { inner, length: 0, limit, fieldless: 0, most_fieldless: start }
    }
}

/// Returns the index of the last byte that may be the colon of a field. Such a colon is followed by white space, or
/// follows the quote of a key. A colon at the end of the bytes that were read is also found, because the next byte is
/// unknown.
pub fn last_field(read: &[u8]) -> Option<usize> {
    let ends_key = |at: &usize| {
        read.get(at + 1).is_none_or(u8::is_ascii_whitespace) || (*at > 0 && matches!(read[at - 1], b'"' | b'\''))
    };
    memchr::memrchr_iter(b':', read).find(ends_key)
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.length = match memchr::memrchr(b'\n', &buffer[..count]) {
            Some(newline) => count - newline - 1,
            None => self.length + count,
        };
        if self.length > self.limit {
            return Err(io::Error::other(format!("a line is longer than {} bytes", self.limit)));
        }
        match last_field(&buffer[..count]) {
            Some(at) => (self.fieldless, self.most_fieldless) = (count - at - 1, self.limit),
            None => self.fieldless += count,
        }
        if self.fieldless > self.most_fieldless {
            return Err(io::Error::other(format!(
                "{} bytes hold no field such as `kind: PersistentVolume`, so this is not a Kubernetes object",
                self.most_fieldless
            )));
        }
        Ok(count)
    }
}

/// The reason why a document could not be read.
#[derive(Debug)]
pub struct YamlError {
    pub(super) line: Option<u64>,
    pub(super) column: Option<u64>,
    pub(super) reason: String,
}

/// Passes each document to `each` as JSON, and stops when `each` fails. Empty documents are skipped.
///
/// # Errors
///
/// Returns an error if the input cannot be read or is not YAML. The inner error is the error of `each`.
pub fn documents<E>(
    input: &mut dyn Read,
    mut each: impl FnMut(Vec<u8>) -> Result<(), E>,
) -> Result<Result<(), E>, YamlError> {
    let mut input = Lines::new(input, LONGEST_LINE, LONGEST_START);
    let options = serde_yaml::options! {
        with_snippet: false,
        // The limits for aliases keep their defaults. So aliases cannot expand without limit.
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

/// Returns the message of the parser in one line. The position is removed, because the error states it separately.
fn reason(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = line.strip_prefix("IO error: ").unwrap_or(line);
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

/// A visitor that writes the next value as JSON.
struct Value<'a>(&'a mut Vec<u8>);

/// A visitor that writes the next key as a JSON string, even if the key is not a string in YAML, as sigs.k8s.io/yaml
/// does.
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
