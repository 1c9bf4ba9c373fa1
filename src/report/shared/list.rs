//! JSON documents that are written while they are made: an object is written field by field, and a list in it element
//! by element. Each element of a list begins a new line.

use super::json::unencodable;
use crate::error::Error;
use crate::text::escape_json;
use serde::Serialize;
use std::io::Write;

/// An object whose end is not written yet.
#[derive(Debug)]
pub struct ObjectWriter<W> {
    output: W,
    has_fields: bool,
}

impl<W: Write> ObjectWriter<W> {
    /// Writes the beginning of an object.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn start(output: W) -> Result<Self, Error> {
        let mut object = Self { output, has_fields: false };
        object.write(b"{")?;
        Ok(object)
    }

    /// Writes a field. Control characters that a terminal would interpret are escaped.
    ///
    /// # Errors
    /// Returns the error of the writer, or an error if the value cannot be encoded as JSON, which is a bug.
    pub fn field(&mut self, name: &'static str, value: &impl Serialize) -> Result<(), Error> {
        let value = serde_json::to_vec(value).map_err(|failure| unencodable(&failure))?;
        self.encoded(name, &escape_json(&value))
    }

    /// Writes a field whose value is already encoded as JSON. The value must have no control characters.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn encoded(&mut self, name: &'static str, value: &[u8]) -> Result<(), Error> {
        self.name(name)?;
        self.write(value)
    }

    /// Writes the beginning of a list.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn list(mut self, name: &'static str) -> Result<ListWriter<W>, Error> {
        self.name(name)?;
        self.write(b"[")?;
        Ok(ListWriter { object: self, has_elements: false })
    }

    /// Writes the end of the object.
    ///
    /// # Errors
    /// Returns the error of the writer.
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

/// A list whose end is not written yet, and the object that contains it.
#[derive(Debug)]
pub struct ListWriter<W> {
    object: ObjectWriter<W>,
    has_elements: bool,
}

impl<W: Write> ListWriter<W> {
    /// Writes some elements.
    ///
    /// # Errors
    /// Returns the error of the writer.
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
    /// Returns the error of the writer.
    pub fn object(&mut self) -> Result<ObjectWriter<&mut W>, Error> {
        self.part()?;
        ObjectWriter::start(&mut self.object.output)
    }

    /// Writes the end of the list on a line of its own.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn end(mut self) -> Result<ObjectWriter<W>, Error> {
        self.object.write(b"\n")?;
        self.end_in_line()
    }

    /// Writes the end of the list on the line of its last element.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn end_in_line(mut self) -> Result<ObjectWriter<W>, Error> {
        self.object.write(b"]")?;
        Ok(self.object)
    }

    /// Writes the separator before an element.
    fn part(&mut self) -> Result<(), Error> {
        let before: &[u8] = if self.has_elements { PART } else { b"\n" };
        self.has_elements = true;
        self.object.write(before)
    }
}

/// The separator between two elements.
const PART: &[u8] = b",\n";

/// Some elements of a list as JSON. They can be made on any thread.
#[derive(Debug, Default)]
pub struct Elements(Vec<u8>);

impl Elements {
    /// Adds an element. `encode` appends its JSON to the buffer.
    ///
    /// # Errors
    /// Returns an error if the element cannot be encoded as JSON, which is a bug.
    pub fn push(&mut self, encode: impl FnOnce(&mut Vec<u8>) -> Result<(), serde_json::Error>) -> Result<(), Error> {
        if !self.0.is_empty() {
            self.0.extend_from_slice(PART);
        }
        encode(&mut self.0).map_err(|failure| unencodable(&failure))
    }
}
