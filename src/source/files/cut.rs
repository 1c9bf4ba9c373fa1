//! Cuts objects out of a stream of JSON, and holds at most one batch of the stream in memory.
//!
//! This module finds only documents, the `items` of lists, and the ends of values. It does not check that brackets
//! match. The parser checks each value later, and finds such mistakes.

use super::super::statement;
use super::batch::{Batch, Expect, Passed, Sink};
use super::error::{Fault, SourceError};
use crate::snapshot::decode::size::Named;
use crate::snapshot::decode::{Header, LARGEST_OBJECT};
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

/// The number of bytes in one read.
const CHUNK: usize = 1 << 20;

/// The largest document, or the largest part of a list without its items, in bytes.
const LARGEST_FRAME: usize = 16 << 20;

/// The largest size of a list item, in bytes. Between the size that can be decoded and this size, an item is skipped.
/// An input with a larger item is not a dump of a cluster.
const LARGEST_PASSED: u64 = 64 << 20;

/// The largest depth of nesting.
pub(super) const DEEPEST: usize = 512;

/// The state of the cutting of one input.
pub(super) struct Cutter<'a> {
    input: &'a mut dyn Read,
    sink: &'a mut dyn Sink,
    origin: Arc<str>,
    buffer: Vec<u8>,
    /// A free buffer.
    spare: Vec<u8>,
    /// The number of bytes of the input before the buffer.
    base: u64,
    /// The position of the next byte in the buffer.
    at: usize,
    /// The position in the buffer of the first byte that is still needed.
    keep: usize,
    items: Vec<Range<usize>>,
    expect: Expect,
    ended: bool,
    /// Whether the cutter is inside an item of a list. The bytes of an item that is too large need not be kept.
    in_item: bool,
    /// The name of the current item that is too large, and its position in the input.
    passing: Option<(Named, u64)>,
}

/// The structure of a document.
enum Probe {
    Single,
    List,
    Irregular,
}

impl<'a> Cutter<'a> {
    /// Starts cutting `input`. The first byte that `input` reads is at the position `skipped` in the file.
    pub(super) fn new(input: &'a mut dyn Read, sink: &'a mut dyn Sink, origin: Arc<str>, skipped: u64) -> Self {
        Self {
            input,
            sink,
            origin,
            buffer: Vec::new(),
            spare: Vec::new(),
            base: skipped,
            at: 0,
            keep: 0,
            items: Vec::new(),
            expect: Expect::Stated,
            ended: false,
            in_item: false,
            passing: None,
        }
    }

    /// Cuts the whole input.
    pub(super) fn run(mut self) -> Result<(), SourceError> {
        let cut = self.documents();
        // If there is an error, the items before it are sent, because one of these items may have an earlier error.
        self.flush()?;
        cut
    }

    fn documents(&mut self) -> Result<(), SourceError> {
        loop {
            self.skip_space()?;
            self.keep = self.at;
            match self.peek()? {
                None => return Ok(()),
                Some(b'{') => self.document()?,
                Some(b'[') => {
                    self.expect(Expect::Stated)?;
                    self.elements()?;
                }
                Some(byte) => return Err(self.unexpected(byte, "an object should begin")),
            }
        }
    }

    /// Cuts the object, or the list of objects, at the current position.
    fn document(&mut self) -> Result<(), SourceError> {
        // `keep` is the start of the document until the document is known to be a list.
        match self.probe()? {
            Probe::List => Ok(()),
            Probe::Single => self.single(),
            Probe::Irregular => {
                // The parser says later what is wrong with the document.
                self.at = self.keep;
                self.skip_container()?;
                self.single()
            }
        }
    }

    /// Adds the document that ends here as one object.
    fn single(&mut self) -> Result<(), SourceError> {
        self.expect(Expect::Stated)?;
        self.items.push(self.keep..self.at);
        self.keep = self.at;
        Ok(())
    }

    /// Reads the keys of the document until its end. If the document is a list, its items are also cut.
    fn probe(&mut self) -> Result<Probe, SourceError> {
        let mut header = Header::default();
        let mut metadata = None;
        self.at += 1;
        self.skip_space()?;
        if self.peek()? == Some(b'}') {
            self.at += 1;
            return Ok(Probe::Single);
        }
        loop {
            self.skip_space()?;
            if self.peek_inside()? != b'"' {
                return Ok(Probe::Irregular);
            }
            let key = self.string()?;
            self.skip_space()?;
            if self.peek_inside()? != b':' {
                return Ok(Probe::Irregular);
            }
            self.at += 1;
            self.skip_space()?;
            let value = self.peek_inside()?;
            match (key.as_slice(), value) {
                (b"kind", b'"') => header.kind = text(self.string()?),
                (b"apiVersion", b'"') => header.api_version = text(self.string()?),
                (b"items", b'[') if header.kind.is_empty() || header.kind.ends_with("List") => {
                    self.list(header, metadata)?;
                    return Ok(Probe::List);
                }
                (b"metadata", b'{') => metadata = Some(self.container()?),
                _ => self.skip_value()?,
            }
            self.skip_space()?;
            match self.peek_inside()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(Probe::Single);
                }
                _ => return Ok(Probe::Irregular),
            }
        }
    }

    /// Cuts the items of a list, and reads the rest of the document until its end.
    fn list(&mut self, mut header: Header<'_>, metadata: Option<Range<usize>>) -> Result<(), SourceError> {
        let kept = |from: &Self, range: Range<usize>| from.buffer[from.keep..][range].to_vec();
        let mut metadata = metadata.map(|range| kept(self, range));
        let mut before = self.buffer[self.keep..self.at].to_vec();
        before.extend_from_slice(b"0}");
        self.check(&before, self.keep, 0)?;
        // The items before the list are sent first, so that the sink can distinguish them from the items of the list.
        self.flush()?;
        self.sink.list_begin()?;
        self.keep = self.at;
        let early = if header.kind.is_empty() { Expect::Later } else { Expect::of_list(&header) };
        self.expect(early)?;
        self.elements()?;
        self.flush()?;
        self.keep = self.at;
        loop {
            self.skip_space()?;
            match self.peek_inside()? {
                b'}' => break,
                b',' => self.at += 1,
                byte => return Err(self.unexpected(byte, "the list should continue or end")),
            }
            self.skip_space()?;
            match self.peek_inside()? {
                b'"' => {}
                byte => return Err(self.unexpected(byte, "the name of a field should be")),
            }
            let key = self.string()?;
            if key == b"items" {
                return Err(self.syntax("the field `items` occurs twice"));
            }
            self.skip_space()?;
            match self.peek_inside()? {
                b':' => self.at += 1,
                byte => return Err(self.unexpected(byte, "a colon should be")),
            }
            self.skip_space()?;
            match (key.as_slice(), self.peek_inside()?) {
                (b"kind", b'"') => header.kind = text(self.string()?),
                (b"apiVersion", b'"') => header.api_version = text(self.string()?),
                (b"metadata", b'{') => {
                    let range = self.container()?;
                    metadata = Some(kept(self, range));
                }
                _ => self.skip_value()?,
            }
        }
        self.at += 1;
        let mut after = b"{\"\":0".to_vec();
        let added = after.len();
        after.extend_from_slice(&self.buffer[self.keep..self.at]);
        self.check(&after, self.keep, added)?;
        self.keep = self.at;
        let stated = metadata.map_or(Ok(None), |metadata| statement::read(&metadata));
        let stated = stated.map_err(|reason| self.syntax(&reason))?;
        self.sink.list_end(&Expect::of_list(&header), stated)
    }

    /// Checks that the part of a list without its items is JSON.
    fn check(&self, json: &[u8], start: usize, added: usize) -> Result<(), SourceError> {
        let text =
            std::str::from_utf8(json).map_err(|error| (error.valid_up_to(), "the bytes are not UTF-8 text".into()));
        let checked = text.and_then(|text| {
            serde_json::from_str::<IgnoredAny>(text).map(|_| ()).map_err(|error| {
                let offset = crate::snapshot::decode::offset(text, &error);
                (offset, crate::snapshot::decode::reason(&error))
            })
        });
        checked.map_err(|(offset, reason)| {
            let byte = self.base + (start + offset.saturating_sub(added)) as u64;
            SourceError::at_byte(&*self.origin, Fault::Syntax(reason), byte)
        })
    }

    /// Cuts the elements of the list that begins here.
    fn elements(&mut self) -> Result<(), SourceError> {
        self.at += 1;
        self.keep = self.at;
        self.skip_space()?;
        if self.peek_inside()? == b']' {
            self.at += 1;
            self.keep = self.at;
            return Ok(());
        }
        loop {
            self.skip_space()?;
            self.keep = self.at;
            self.item()?;
            self.skip_space()?;
            match self.peek_inside()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    self.keep = self.at;
                    return Ok(());
                }
                byte => return Err(self.unexpected(byte, "the list of items should continue or end")),
            }
            self.keep = self.at;
        }
    }

    /// Cuts one element of a list.
    fn item(&mut self) -> Result<(), SourceError> {
        self.in_item = true;
        let skipped = self.skip_value();
        self.in_item = false;
        skipped?;
        let cut = self.keep..self.at;
        self.keep = self.at;
        match self.passing.take() {
            None => self.items.push(cut),
            Some((named, start)) => {
                let passed = Some(Passed { named, size: self.base + self.at as u64 - start });
                let (expect, origin) = (self.expect.clone(), Arc::clone(&self.origin));
                let batch = Batch { bytes: Vec::new(), items: Vec::new(), base: start, expect, origin, passed };
                self.spare = self.sink.batch(batch)?;
            }
        }
        Ok(())
    }

    /// Drops the bytes of an item that is too large. The items before this item were sent already.
    fn pass(&mut self) -> Result<(), SourceError> {
        let start = if let Some((_, start)) = &self.passing {
            *start
        } else {
            let start = self.base + self.keep as u64;
            self.passing = Some((Named::in_beginning(&self.buffer[self.keep..]), start));
            start
        };
        if self.base + self.at as u64 - start > LARGEST_PASSED {
            let limit = usize::try_from(LARGEST_PASSED).unwrap_or(usize::MAX);
            return Err(SourceError::at_byte(&*self.origin, Fault::TooLarge(limit), start));
        }
        self.keep = self.at;
        Ok(())
    }

    /// Returns whether the current item is too large to be kept.
    fn is_passing(&self) -> bool {
        self.in_item && (self.passing.is_some() || self.buffer.len() - self.keep > LARGEST_OBJECT)
    }

    /// Reads more of the string at the current position, if its end is not in the buffer yet. `seen` is the number of
    /// bytes of the string that were checked. Returns the new number. If the string is too large, only its first quote
    /// is kept.
    fn more_of_string(&mut self, seen: usize) -> Result<usize, SourceError> {
        let mut seen = seen;
        if self.is_passing() {
            self.flush()?;
            let (start, end) = (self.at, self.buffer.len());
            // An escape may extend one byte beyond the bytes in the buffer.
            let beyond = (start + seen).saturating_sub(end);
            self.at = end - 1;
            self.pass()?;
            self.buffer[self.at] = b'"';
            seen = 1 + beyond;
        }
        self.more()?;
        Ok(seen)
    }

    /// Sends the items that were cut, if the next items have another `Expect`.
    fn expect(&mut self, expect: Expect) -> Result<(), SourceError> {
        if self.expect != expect {
            self.flush()?;
            self.expect = expect;
        }
        Ok(())
    }

    fn skip_value(&mut self) -> Result<(), SourceError> {
        match self.peek_inside()? {
            b'"' => self.skip_string(),
            b'{' | b'[' => self.skip_container(),
            byte if scalar(byte) => {
                while self.peek()?.is_some_and(scalar) {
                    let rest = &self.buffer[self.at..];
                    self.at += rest.iter().position(|byte| !scalar(*byte)).unwrap_or(rest.len());
                }
                Ok(())
            }
            byte => Err(self.unexpected(byte, "a value should be")),
        }
    }

    /// Reads the string at the current position. The result has no quotes, and its escapes are not decoded.
    fn string(&mut self) -> Result<Vec<u8>, SourceError> {
        let back = self.at - self.keep;
        self.skip_string()?;
        let start = self.keep + back;
        Ok(self.buffer[start + 1..self.at - 1].to_vec())
    }

    fn skip_string(&mut self) -> Result<(), SourceError> {
        let mut seen = 1;
        loop {
            match string_end(&self.buffer[self.at..], seen) {
                Ok(length) => {
                    self.at += length;
                    return Ok(());
                }
                Err(so_far) => seen = self.more_of_string(so_far)?,
            }
        }
    }

    /// Skips the object or list at the current position. Returns its range relative to `keep`.
    fn container(&mut self) -> Result<Range<usize>, SourceError> {
        let start = self.at - self.keep;
        self.skip_container()?;
        Ok(start..self.at - self.keep)
    }

    fn skip_container(&mut self) -> Result<(), SourceError> {
        let mut depth = 0_usize;
        // The number of checked bytes of the string at the current position, if the end of the string is not in the
        // buffer.
        let mut seen = 1;
        loop {
            let bytes = &self.buffer[..];
            let mut at = self.at;
            let mut in_string = false;
            while at < bytes.len() {
                match bytes[at] {
                    b'"' => match string_end(&bytes[at..], seen) {
                        Ok(length) => {
                            at += length;
                            seen = 1;
                        }
                        Err(so_far) => {
                            seen = so_far;
                            in_string = true;
                            break;
                        }
                    },
                    b'{' | b'[' => {
                        depth += 1;
                        if depth > DEEPEST {
                            self.at = at;
                            return Err(self.fault(Fault::TooDeep(DEEPEST)));
                        }
                        at += 1;
                    }
                    b'}' | b']' => {
                        depth -= 1;
                        at += 1;
                        if depth == 0 {
                            self.at = at;
                            return Ok(());
                        }
                    }
                    b' ' => at = skip_spaces(bytes, at + 1),
                    _ => at += 1,
                }
            }
            self.at = at;
            if in_string {
                seen = self.more_of_string(seen)?;
            } else {
                self.more()?;
            }
        }
    }

    fn skip_space(&mut self) -> Result<(), SourceError> {
        while let Some(byte) = self.peek()? {
            match byte {
                b' ' => self.at = skip_spaces(&self.buffer, self.at + 1),
                b'\n' | b'\r' | b'\t' => self.at += 1,
                _ => break,
            }
        }
        Ok(())
    }

    fn peek(&mut self) -> Result<Option<u8>, SourceError> {
        loop {
            if let Some(byte) = self.buffer.get(self.at) {
                return Ok(Some(*byte));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// Returns the next byte. The input may not end here.
    fn peek_inside(&mut self) -> Result<u8, SourceError> {
        match self.peek()? {
            Some(byte) => Ok(byte),
            None => Err(self.fault(Fault::Truncated)),
        }
    }

    /// Reads more bytes. The input may not end here.
    fn more(&mut self) -> Result<(), SourceError> {
        if self.fill()? {
            Ok(())
        } else {
            self.at = self.buffer.len();
            Err(self.fault(Fault::Truncated))
        }
    }

    /// Reads more bytes. Returns false at the end of the input. Positions in the buffer change, so positions that are
    /// still needed are stored in fields.
    fn fill(&mut self) -> Result<bool, SourceError> {
        if self.ended {
            return Ok(false);
        }
        self.flush()?;
        if self.is_passing() {
            self.pass()?;
        } else if self.buffer.len() - self.keep > LARGEST_FRAME {
            let start = self.base + self.keep as u64;
            return Err(SourceError::at_byte(&*self.origin, Fault::TooLarge(LARGEST_FRAME), start));
        }
        if self.keep > 0 {
            self.buffer.drain(..self.keep);
            self.base += self.keep as u64;
            self.at -= self.keep;
            self.keep = 0;
        }
        let read = (&mut *self.input).take(CHUNK as u64).read_to_end(&mut self.buffer);
        let place = self.base + self.buffer.len() as u64;
        let count = read.map_err(|error| super::input::read_error(&self.origin, &error, place))?;
        self.ended = count < CHUNK;
        Ok(count > 0)
    }

    /// Sends the items that were cut. The current item moves to a new buffer.
    fn flush(&mut self) -> Result<(), SourceError> {
        if self.items.is_empty() {
            return Ok(());
        }
        let mut next = std::mem::take(&mut self.spare);
        next.clear();
        next.extend_from_slice(&self.buffer[self.keep..]);
        let batch = Batch {
            bytes: std::mem::replace(&mut self.buffer, next),
            items: std::mem::take(&mut self.items),
            base: self.base,
            expect: self.expect.clone(),
            origin: Arc::clone(&self.origin),
            passed: None,
        };
        self.base += self.keep as u64;
        self.at -= self.keep;
        self.keep = 0;
        self.spare = self.sink.batch(batch)?;
        Ok(())
    }

    fn fault(&self, fault: Fault) -> SourceError {
        SourceError::at_byte(&*self.origin, fault, self.base + self.at as u64)
    }

    fn syntax(&self, reason: &str) -> SourceError {
        self.fault(Fault::Syntax(reason.to_owned()))
    }

    fn unexpected(&self, byte: u8, expected: &str) -> SourceError {
        let found = match byte {
            b'!'..=b'~' => format!("'{}'", char::from(byte)),
            _ => format!("the byte 0x{byte:02x}"),
        };
        self.syntax(&format!("there is {found} where {expected}"))
    }
}

fn scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

fn text(string: Vec<u8>) -> Cow<'static, str> {
    Cow::Owned(String::from_utf8(string).unwrap_or_default())
}

/// Returns the length of the string that begins here, including its quotes. If the string does not end in these bytes,
/// the error is the number of checked bytes. The check begins after `seen` bytes.
fn string_end(bytes: &[u8], seen: usize) -> Result<usize, usize> {
    let mut at = seen;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return Ok(at + 1);
        }
        at += 2;
    }
    // An escape may extend beyond the bytes in the buffer.
    Err(at.max(bytes.len()))
}

/// Skips white space. A large part of the output of kubectl is indentation.
fn skip_spaces(bytes: &[u8], mut at: usize) -> usize {
    const EIGHT: &[u8] = b"        ";
    while bytes.get(at..at + 8) == Some(EIGHT) {
        at += 8;
    }
    while bytes.get(at) == Some(&b' ') {
        at += 1;
    }
    at
}
