//! Opens and decompresses one input, and finds its format by its first bytes.

use super::error::{Fault, SourceError};
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::fmt;
use std::io::{self, BufReader, Cursor, Read};
use std::rc::Rc;

/// The largest size of decompressed input, in bytes.
pub(super) const LARGEST_EXPANSION: u64 = 8 << 30;

/// The size in bytes above which input that expands by more than [`HIGHEST_RATIO`] is refused. It is small, because
/// short objects need much more memory than their text.
const RATIO_COUNTS_FROM: u64 = 8 << 20;

/// The largest number of bytes to which one byte of compressed input may expand. Dumps of clusters have a ratio of 65
/// at most. No format has a ratio above 1032.
pub(super) const HIGHEST_RATIO: u64 = 100;

/// The number of bytes at the start of an input that are used to find the format.
const PREFIX: usize = 4096;

/// The format of an input, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Yaml,
}

/// An input whose reader begins after any byte-order mark.
pub(super) struct Input<'a> {
    pub(super) reader: Box<dyn Read + 'a>,
    pub(super) format: Format,
    /// The number of bytes that were read from the file so far, before decompression.
    pub(super) bytes: Rc<Cell<u64>>,
    /// The number of bytes of the decompressed input that come before the reader. It is the length of the byte-order
    /// mark.
    pub(super) skipped: u64,
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

/// A reader that fails when compressed input expands too far.
struct Bounded<R> {
    inner: R,
    expanded: u64,
    compressed: Rc<Cell<u64>>,
    limit: u64,
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

/// The ways in which input expands too far.
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

/// Returns the error for a failure while an input was read, `place` bytes after its start.
pub(super) fn read_error(path: &str, error: &io::Error, place: u64) -> SourceError {
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
        // The error is in words, without the error number of the operating system.
        io::ErrorKind::NotFound => SourceError::new(path, Fault::Unreadable("there is no such file".to_owned())),
        io::ErrorKind::PermissionDenied => SourceError::new(path, Fault::Unreadable("you may not read it".to_owned())),
        _ => SourceError::new(path, Fault::Unreadable(error.to_string())),
    }
}

/// Finds the format by the first bytes, decompresses gzip, and refuses input that cannot be text in UTF-8.
pub(super) fn prepare<'a>(path: &str, raw: impl Read + 'a, limit: u64) -> Result<Input<'a>, SourceError> {
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
        // A short file of white space counts as empty.
        let fault =
            if start.len() < PREFIX - 3 { Fault::Empty } else { Fault::Syntax("it begins with blanks only".into()) };
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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    fn fault(mut reader: impl Read) -> Fault {
        let error = io::copy(&mut reader, &mut io::sink()).unwrap_err();
        read_error("x", &error, 0).fault
    }

    #[test]
    fn expansion_ends_at_its_limit() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(format!("[{}]", " ".repeat(100_000)).as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(fault(prepare("x", packed.as_slice(), 50_000).unwrap().reader), Fault::Expansion(50_000));
        let whole = io::copy(&mut prepare("x", packed.as_slice(), 200_000).unwrap().reader, &mut io::sink()).unwrap();
        assert_eq!(whole, 100_002);
    }

    #[test]
    fn expansion_beyond_any_plausible_ratio_ends_early() {
        let bounded = |compressed| Bounded {
            inner: io::repeat(b' ').take(2 * RATIO_COUNTS_FROM),
            expanded: 0,
            compressed: Rc::new(Cell::new(compressed)),
            limit: LARGEST_EXPANSION,
        };
        assert!(matches!(fault(bounded(1000)), Fault::Implausible(bytes) if bytes < RATIO_COUNTS_FROM + (1 << 20)));
        assert!(io::copy(&mut bounded(2 * RATIO_COUNTS_FROM / HIGHEST_RATIO), &mut io::sink()).is_ok());
    }

    #[test]
    fn the_mark_of_utf_8_is_passed_over() {
        let input = prepare("x", "\u{feff} {}".as_bytes(), 10).unwrap();
        assert_eq!((input.format, input.skipped), (Format::Json, 3));
    }
}
