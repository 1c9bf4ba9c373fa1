//! Opens and decompresses one input, and finds its format by its first bytes.

use super::error::{Fault, SourceError};
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::fmt;
use std::io::{self, BufReader, Cursor, Read};
use std::rc::Rc;

/// The largest size of decompressed input, in bytes.
pub(super) const LARGEST_EXPANSION: u64 = 8 << 30;

/// The size in bytes from which the ratio [`HIGHEST_RATIO`] is enforced. This size is small, because short objects need
/// much more memory than their text.
pub const RATIO_COUNTS_FROM: u64 = 8 << 20;

/// The largest number of bytes to which one byte of compressed input may expand. Dumps of clusters have a ratio of 65
/// at most. gzip cannot reach a ratio above 1032.
pub const HIGHEST_RATIO: u64 = 100;

/// The number of bytes at the start of an input that are used to find the format.
const PREFIX: usize = 4096;

/// The format of an input, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// An input. Its reader begins after the byte-order mark, if there is one.
pub struct Input<'a> {
    /// The reader of the decompressed input.
    pub reader: Box<dyn Read + 'a>,
    /// The format.
    pub format: Format,
    /// The number of bytes of the file that were read so far, before decompression.
    pub(super) bytes: Rc<Cell<u64>>,
    /// The number of bytes of the decompressed input before the first byte of the reader. It is the length of the
    /// byte-order mark.
    pub skipped: u64,
}

/// A reader that counts its bytes.
struct Counted<R> {
    inner: R,
    bytes: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes.set(self.bytes.get() + count as u64);
        Ok(count)
    }

    fn read_to_end(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let count = self.inner.read_to_end(buffer)?;
        self.bytes.set(self.bytes.get() + count as u64);
        Ok(count)
    }
}

/// A reader that fails if compressed input expands too much.
pub struct Bounded<R> {
    /// The decompressed input.
    pub inner: R,
    /// The number of bytes that were read so far.
    pub expanded: u64,
    /// The number of bytes before decompression that were read so far.
    pub compressed: Rc<Cell<u64>>,
    /// The largest number of bytes.
    pub limit: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.expanded += count as u64;
        let implausible = self.expanded > RATIO_COUNTS_FROM && self.expanded / HIGHEST_RATIO > self.compressed.get();
        if self.expanded > self.limit {
            return Err(io::Error::other(TooMuch::Limit(self.limit)));
        }
        if implausible {
            return Err(io::Error::other(TooMuch::Ratio(self.expanded)));
        }
        Ok(count)
    }
}

/// The reasons why the expansion of an input is too large.
#[derive(Debug)]
enum TooMuch {
    /// The input is larger than this limit, in bytes.
    Limit(u64),
    /// The input has expanded to this many bytes so far, by an implausible ratio.
    Ratio(u64),
}

impl fmt::Display for TooMuch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Limit(bytes) | Self::Ratio(bytes)) = self;
        write!(out, "it expands to more than {bytes} bytes")
    }
}

impl std::error::Error for TooMuch {}

/// Returns the error for a failure of reading. The failure is `place` bytes after the start of the input.
pub fn read_error(path: &str, error: &io::Error, place: u64) -> SourceError {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(TooMuch::Limit(limit)) => return SourceError::new(path, Fault::Expansion(*limit)),
        Some(TooMuch::Ratio(bytes)) => return SourceError::new(path, Fault::Implausible(*bytes)),
        None => {}
    }
    match error.kind() {
        io::ErrorKind::UnexpectedEof => SourceError::at_byte(path, Fault::Truncated, place),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            SourceError::at_byte(path, Fault::Syntax(format!("its gzip stream is broken ({error})")), place)
        }
        // The error is in words, without the operating system's error number.
        io::ErrorKind::NotFound => SourceError::new(path, Fault::Unreadable("there is no such file".to_owned())),
        io::ErrorKind::PermissionDenied => SourceError::new(path, Fault::Unreadable("you may not read it".to_owned())),
        _ => SourceError::new(path, Fault::Unreadable(error.to_string())),
    }
}

/// Finds the format by the first bytes, decompresses gzip, and refuses input that cannot be UTF-8 text.
///
/// # Errors
///
/// Returns an error if the input cannot be read, is empty, or cannot be UTF-8 text.
pub fn prepare<'a>(path: &str, raw: impl Read + 'a, limit: u64) -> Result<Input<'a>, SourceError> {
    let bytes = Rc::new(Cell::new(0));
    let mut counted = Counted { inner: raw, bytes: Rc::clone(&bytes) };
    let magic = prefix(&mut counted, 2).map_err(|error| read_error(path, &error, 0))?;
    let mut reader: Box<dyn Read + 'a> = if magic == [0x1f, 0x8b] {
        let packed = BufReader::with_capacity(1 << 16, Cursor::new(magic).chain(counted));
        let inner = MultiGzDecoder::new(packed);
        Box::new(Bounded { inner, expanded: 0, compressed: Rc::clone(&bytes), limit })
    } else {
        Box::new(Cursor::new(magic).chain(counted))
    };
    let mut start = prefix(&mut reader, PREFIX).map_err(|error| read_error(path, &error, 0))?;
    let mut skipped = 0;
    match start.as_slice() {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return Err(refuse(path, Fault::Encoding("UTF-32"))),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, b'{' | b'[' | b'a', 0, ..] | [b'{' | b'[' | b'a', 0, _, 0, ..] => {
            return Err(refuse(path, Fault::Encoding("UTF-16")));
        }
        [0xef, 0xbb, 0xbf, ..] => {
            start.drain(..3);
            skipped = 3;
        }
        _ => {}
    }
    let Some(first) = start.iter().find(|byte| !byte.is_ascii_whitespace()) else {
        // A short file with only white space is treated as empty.
        let fault = if start.len() < PREFIX - 3 {
            Fault::Empty
        } else {
            Fault::Syntax("it begins with white space only".into())
        };
        return Err(refuse(path, fault));
    };
    let format = if matches!(first, b'{' | b'[') { Format::Json } else { Format::Yaml };
    if format == Format::Yaml && start.contains(&0) {
        return Err(refuse(path, Fault::Binary));
    }
    Ok(Input { reader: Box::new(Cursor::new(start).chain(reader)), format, bytes, skipped })
}

fn refuse(path: &str, fault: Fault) -> SourceError {
    SourceError::new(path, fault)
}

fn prefix(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(length);
    reader.take(length as u64).read_to_end(&mut start)?;
    Ok(start)
}
