//! Parses `-o` of a verb that prints several formats in one run: `FORMAT` for stdout, `FORMAT=FILE` for a file.

use super::value::{FormatParser, invalid};
use crate::report::shared::format::Format;
use clap::builder::{PossibleValue, TypedValueParser};
use std::ffi::OsStr;
use std::path::PathBuf;

/// One format in which the answer is printed, and the file or stdout to which it is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output<F> {
    /// The format.
    pub format: F,
    /// The file to which the answer is written. The value is `None` for stdout.
    pub file: Option<PathBuf>,
}

/// Parses one `-o FORMAT[=FILE]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputParser<F>(FormatParser<F>);

impl<F: Format> FormatParser<F> {
    /// Returns a parser for the same formats, in which a file may follow each format.
    pub(super) fn or_file(self) -> OutputParser<F> {
        OutputParser(self)
    }
}

impl<F: Format> TypedValueParser for OutputParser<F> {
    type Value = Output<F>;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Output<F>, clap::Error> {
        // A path need not be valid UTF-8. The names of all formats are ASCII, so the first `=` ends the name.
        let bytes = value.as_encoded_bytes();
        let Some(end) = bytes.iter().position(|byte| *byte == b'=') else {
            return Ok(Output { format: self.0.parse_ref(command, argument, value)?, file: None });
        };
        let text = value.to_string_lossy();
        let word = text.split('=').next().unwrap_or_default();
        // The parser of formats has a special message for formats of kubectl, such as `jsonpath=…`.
        let known = F::ALL.iter().any(|format| format.word() == word);
        let format = self.0.parse_ref(command, argument, if known { OsStr::new(word) } else { value })?;
        let file = path_after(value, end + 1);
        match file.as_os_str().as_encoded_bytes() {
            b"" => {
                let message = format!("-o {word}= names no file: write -o {word}=FILE, or -o {word} for stdout");
                Err(invalid(command, message))
            }
            b"-" => Err(invalid(command, format!("-o {word}=- names no file: use -o {word} for stdout"))),
            _ => Ok(Output { format, file: Some(file) }),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Returns the path in a word. The path begins at the byte `start`. The byte before it is ASCII.
#[cfg(unix)]
fn path_after(word: &OsStr, start: usize) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(OsStr::from_bytes(&word.as_bytes()[start..]))
}

/// Returns the path in a word. The path begins at the byte `start`. The byte before it is ASCII.
#[cfg(not(unix))]
fn path_after(word: &OsStr, start: usize) -> PathBuf {
    PathBuf::from(&word.to_string_lossy()[start..])
}
