//! The answers of several clusters as JSON, an item a line, written as they come.

use super::document::{ErrorOut, Section, SummaryOut};
use crate::error::Error;
use crate::report::shared::list::{ListWriter, ObjectWriter};
use crate::report::shared::machine::API_VERSION;
use std::io::Write;

/// Writes the document as the sections come.
#[derive(Debug)]
pub struct ContextListWriter<W> {
    items: ListWriter<W>,
    summary: SummaryOut,
}

impl<W: Write> ContextListWriter<W> {
    /// Writes what stands before the items.
    ///
    /// # Errors
    /// The writer's.
    pub fn start(output: W) -> Result<Self, Error> {
        let mut document = ObjectWriter::start(output)?;
        document.field("apiVersion", &API_VERSION)?;
        document.field("kind", &"ContextList")?;
        Ok(Self { items: document.list("items")?, summary: SummaryOut::default() })
    }

    /// Writes one item.
    ///
    /// # Errors
    /// The writer's.
    pub fn item(&mut self, section: &Section) -> Result<(), Error> {
        self.summary.add(section);
        let Section { context, exit_code, answer, partial: _ } = section;
        let mut item = self.items.object()?;
        item.field("context", context)?;
        item.field("exitCode", exit_code)?;
        match answer {
            Ok((counts, written)) => {
                item.field("counts", counts)?;
                item.encoded("answer", written.trim_ascii_end())?;
            }
            Err(error) => {
                let (message, causes, hints) = (error.message(), error.causes(), error.hints());
                item.field("error", &ErrorOut { message, causes, hints })?;
            }
        }
        // The next one may be long in coming.
        item.end()?.flush().map_err(|failure| Error::unwritten(&failure))
    }

    /// Writes what stands after the items.
    ///
    /// # Errors
    /// The writer's.
    pub fn end(self) -> Result<W, Error> {
        let mut document = self.items.end()?;
        document.field("summary", &self.summary)?;
        let mut output = document.end()?;
        output.write_all(b"\n").map_err(|failure| Error::unwritten(&failure))?;
        Ok(output)
    }
}
