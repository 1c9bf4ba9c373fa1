//! Documents that are written while they are made: an object of JSON field by field, and lists in it of which each
//! element begins a line.

use super::json::unencodable;
use crate::error::Error;
use crate::text::escape_json;
use serde::Serialize;
use std::io::Write;

/// An object of which the end is not written yet.
#[derive(Debug)]
pub struct ObjectWriter<W> {
    output: W,
    has_fields: bool,
}

impl<W: Write> ObjectWriter<W> {
    /// Writes the beginning of an object.
    ///
    /// # Errors
    /// The writer's.
    pub fn start(output: W) -> Result<Self, Error> {
        let mut object = Self { output, has_fields: false };
        object.write(b"{")?;
        Ok(object)
    }

    /// Writes a field. Characters on which a terminal would act are escaped.
    ///
    /// # Errors
    /// The writer's, and where the value cannot be put into JSON, which is a bug.
    pub fn field(&mut self, name: &'static str, value: &impl Serialize) -> Result<(), Error> {
        let value = serde_json::to_vec(value).map_err(|failure| unencodable(&failure))?;
        self.encoded(name, &escape_json(&value))
    }

    /// Writes a field whose value is JSON already, and safe for a terminal.
    ///
    /// # Errors
    /// The writer's.
    pub fn encoded(&mut self, name: &'static str, value: &[u8]) -> Result<(), Error> {
        self.name(name)?;
        self.write(value)
    }

    /// Writes the beginning of a list.
    ///
    /// # Errors
    /// The writer's.
    pub fn list(mut self, name: &'static str) -> Result<ListWriter<W>, Error> {
        self.name(name)?;
        self.write(b"[")?;
        Ok(ListWriter { object: self, has_elements: false })
    }

    /// Writes the end of the object.
    ///
    /// # Errors
    /// The writer's.
    pub fn end(mut self) -> Result<W, Error> {
        self.write(b"}")?;
        Ok(self.output)
    }

    fn name(&mut self, name: &'static str) -> Result<(), Error> {
        let before = if self.has_fields { ",\"" } else { "\"" };
        self.has_fields = true;
        write!(self.output, "{before}{name}\":").map_err(|failure| Error::unwritten(&failure))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.output.write_all(bytes).map_err(|failure| Error::unwritten(&failure))
    }
}

/// A list of which the end is not written yet, and the object that it is in.
#[derive(Debug)]
pub struct ListWriter<W> {
    object: ObjectWriter<W>,
    has_elements: bool,
}

impl<W: Write> ListWriter<W> {
    /// Writes some elements.
    ///
    /// # Errors
    /// The writer's.
    pub fn add(&mut self, elements: &Elements) -> Result<(), Error> {
        if elements.0.is_empty() {
            return Ok(());
        }
        self.part()?;
        self.object.write(&escape_json(&elements.0))
    }

    /// Begins an element that is an object.
    ///
    /// # Errors
    /// The writer's.
    pub fn object(&mut self) -> Result<ObjectWriter<&mut W>, Error> {
        self.part()?;
        ObjectWriter::start(&mut self.object.output)
    }

    /// Writes the end of the list in a line of its own.
    ///
    /// # Errors
    /// The writer's.
    pub fn end(mut self) -> Result<ObjectWriter<W>, Error> {
        self.object.write(b"\n")?;
        self.end_in_line()
    }

    /// Writes the end of the list in the line of its last element.
    ///
    /// # Errors
    /// The writer's.
    pub fn end_in_line(mut self) -> Result<ObjectWriter<W>, Error> {
        self.object.write(b"]")?;
        Ok(self.object)
    }

    /// Writes what stands before an element.
    fn part(&mut self) -> Result<(), Error> {
        let before: &[u8] = if self.has_elements { PART } else { b"\n" };
        self.has_elements = true;
        self.object.write(before)
    }
}

/// What stands between two elements.
const PART: &[u8] = b",\n";

/// Some elements of a list as JSON, made on any thread.
#[derive(Debug, Default)]
pub struct Elements(Vec<u8>);

impl Elements {
    /// Adds an element, which `encode` appends.
    ///
    /// # Errors
    /// Where it cannot be put into JSON, which is a bug.
    pub fn push(&mut self, encode: impl FnOnce(&mut Vec<u8>) -> Result<(), serde_json::Error>) -> Result<(), Error> {
        if !self.0.is_empty() {
            self.0.extend_from_slice(PART);
        }
        encode(&mut self.0).map_err(|failure| unencodable(&failure))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{Elements, ObjectWriter};

    fn elements(texts: &[&str]) -> Elements {
        let mut elements = Elements::default();
        for text in texts {
            elements.push(|out| serde_json::to_writer(out, text)).unwrap();
        }
        elements
    }

    #[test]
    fn what_is_written_in_pieces_is_json_with_an_element_a_line() {
        let mut object = ObjectWriter::start(Vec::new()).unwrap();
        object.field("kind", &"a\u{9b}b").unwrap();
        let mut items = object.list("items").unwrap();
        items.add(&elements(&["one", "two"])).unwrap();
        items.add(&elements(&[])).unwrap();
        items.add(&elements(&["three\u{202e}"])).unwrap();
        let mut inner = items.object().unwrap();
        inner.field("count", &4).unwrap();
        inner.encoded("answer", b"[]").unwrap();
        inner.end().unwrap();
        let worlds = items.end().unwrap().list("worlds").unwrap();
        let written = String::from_utf8(worlds.end_in_line().unwrap().end().unwrap()).unwrap();
        assert_eq!(
            written,
            "{\"kind\":\"a\\u009bb\",\"items\":[\n\"one\",\n\"two\",\n\"three\\u202e\",\n{\"count\":4,\"answer\":[]}\n],\
             \"worlds\":[]}"
        );
        let read: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read["items"].as_array().map(Vec::len), Some(4));
    }
}
