//! Reads a piece of a log.

use crate::error::Error;
use flate2::read::MultiGzDecoder;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::Path;

/// The largest size of a log, in bytes.
const LARGEST: u64 = 256 << 20;

/// Returns the text of a log. `-` is the standard input. The log may be compressed with gzip. Bytes that are not UTF-8
/// are replaced.
///
/// # Errors
/// Returns an error if the log cannot be read, or is larger than 256 MiB.
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the one place that reads a log")]
pub fn log(path: &Path) -> Result<String, Error> {
    if path.as_os_str() == "-" {
        return read(&mut io::stdin().lock(), "stdin");
    }
    let name = path.display().to_string();
    match std::fs::File::open(path) {
        Ok(mut file) => read(&mut file, &name),
        Err(error) => Err(Error::unreadable(format!("{name}: {error}"))),
    }
}

fn read(input: &mut dyn Read, name: &str) -> Result<String, Error> {
    let failed = |error: io::Error| Error::unreadable(format!("{name}: {error}"));
    let mut input = BufReader::new(input);
    let is_compressed = input.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
    let mut plain: Box<dyn Read + '_> =
        if is_compressed { Box::new(MultiGzDecoder::new(input)) } else { Box::new(input) };
    let mut bytes = Vec::new();
    plain.by_ref().take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::unreadable(format!("{name}: the log is larger than 256 MiB"))
            .hint("cut the log to the time that matters"));
    }
    Ok(match String::from_utf8_lossy(&bytes) {
        std::borrow::Cow::Borrowed(_) => String::from_utf8(bytes).unwrap_or_default(),
        std::borrow::Cow::Owned(text) => text,
    })
}
