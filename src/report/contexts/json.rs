//! The answers of several clusters as JSON. Each item is one line and is written as soon as it is known.

use super::document::{ErrorOut, Section, SummaryOut};
use crate::error::Error;
use crate::report::shared::list::{ListWriter, ObjectWriter};
use crate::report::shared::machine::API_VERSION;
use std::io::Write;

/// A writer of the `ContextList` document. Each item is written when its cluster has answered.
#[derive(Debug)]
pub struct ContextListWriter<W> {
    items: ListWriter<W>,
    summary: SummaryOut,
}

impl<W: Write> ContextListWriter<W> {
    /// Creates the writer, and writes `apiVersion` and `kind`.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn start(output: W) -> Result<Self, Error> {
        let mut document = ObjectWriter::start(output)?;
        document.field("apiVersion", &API_VERSION)?;
        document.field("kind", &"ContextList")?;
        Ok(Self { items: document.list("items")?, summary: SummaryOut::default() })
    }

    /// Writes the answer of one cluster as one item, and flushes it.
    ///
    /// # Errors
    /// Returns the error of the writer.
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
        // The answer of the next cluster may take long, so this answer is flushed now.
        item.end()?.flush().map_err(|failure| Error::unwritten(&failure))
    }

    /// Writes the summary, ends the document, and returns the output.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn end(self) -> Result<W, Error> {
        let mut document = self.items.end()?;
        document.field("summary", &self.summary)?;
        let mut output = document.end()?;
        output.write_all(b"\n").map_err(|failure| Error::unwritten(&failure))?;
        Ok(output)
    }
}
