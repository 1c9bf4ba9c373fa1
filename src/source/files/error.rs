//! The errors of reading files.

use super::input::HIGHEST_RATIO;
use crate::error::Error;
use crate::model::DUMP;
use crate::snapshot::DecodeIssue;
use std::fmt;

/// A position in an input. For compressed input it is a position in the decompressed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The number of bytes before the position.
    pub byte: Option<u64>,
    /// The line of the position, from 1.
    pub line: Option<u64>,
    /// The column in the line, from 1.
    pub column: Option<u64>,
}

/// The reason why an input cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The input could not be opened or read. The text is the reason of the operating system.
    Unreadable(String),
    /// The input is empty.
    Empty,
    /// The input is not text.
    Binary,
    /// The input is text in this encoding, which is not UTF-8.
    Encoding(&'static str),
    /// The input is not JSON or YAML. The text says what is wrong.
    Syntax(String),
    /// The input ends before its document is complete.
    Truncated,
    /// The input is nested deeper than this many levels.
    TooDeep(usize),
    /// A single object is larger than this many bytes.
    TooLarge(usize),
    /// The input is compressed and expands to more than this many bytes.
    Expansion(u64),
    /// The input is compressed and expands by an implausible ratio. It has expanded to this many bytes so far.
    Implausible(u64),
    /// The input is well-formed, but it is not a Kubernetes object. The text says what it is.
    NotObjects(&'static str),
    /// The directory has no file that could be read.
    NoFiles,
    /// Standard input was named twice.
    StdinTwice,
    /// An object could not be decoded, and this is a fatal error: the user chose so, or whole objects are needed.
    Undecodable(Box<DecodeIssue>),
}

/// The error for an input that could not be read completely. Nothing can be predicted from such an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// The path of the file as the user named it, or `standard input`.
    pub path: String,
    /// The reason.
    pub fault: Fault,
    /// The position in the input, if it is known.
    pub place: Place,
}

impl SourceError {
    pub(super) fn new(path: impl Into<String>, fault: Fault) -> Self {
        Self { path: path.into(), fault, place: Place::default() }
    }

    pub(super) fn at_byte(path: impl Into<String>, fault: Fault, byte: u64) -> Self {
        Self { path: path.into(), fault, place: Place { byte: Some(byte), ..Place::default() } }
    }

    /// Returns the error as one sentence without a full stop: file, position, reason.
    pub fn message(&self) -> String {
        if let Fault::Undecodable(issue) = &self.fault {
            return issue.to_string();
        }
        let place = match self.place {
            Place { line: Some(line), column: Some(column), .. } => format!(", line {line}, column {column}"),
            Place { line: Some(line), byte: Some(byte), .. } => format!(", line {line} (byte {byte})"),
            Place { byte: Some(byte), .. } => format!(", byte {byte}"),
            Place { .. } => String::new(),
        };
        let reason = match &self.fault {
            Fault::Unreadable(reason) => format!("cannot be read: {reason}"),
            Fault::Empty => "is empty".to_owned(),
            Fault::Binary => "is binary, neither JSON nor YAML".to_owned(),
            Fault::Encoding(encoding) => format!("is written in {encoding}, which no Kubernetes tool reads"),
            Fault::Syntax(reason) => format!("is not well-formed: {reason}"),
            Fault::Truncated => "ends in the middle of an object".to_owned(),
            Fault::TooDeep(limit) => format!("is nested deeper than {limit} levels"),
            Fault::TooLarge(limit) => {
                format!("an object is larger than {} MiB, but no Kubernetes object is so large", limit / (1 << 20))
            }
            Fault::Expansion(limit) => {
                format!("is compressed and expands to over {} GiB, which is the limit", limit / (1 << 30))
            }
            Fault::Implausible(bytes) => format!(
                "is compressed and expands to over {HIGHEST_RATIO} times its size ({} MiB so far), but no dump of a \
                 cluster does",
                bytes / (1 << 20)
            ),
            Fault::NotObjects(found) => format!("holds {found} where a Kubernetes object is expected"),
            Fault::NoFiles => "holds no .json, .yaml or .yml file".to_owned(),
            Fault::StdinTwice => "is given twice, but can be read only once".to_owned(),
            Fault::Undecodable(_) => String::new(),
        };
        format!("{}{place}: {reason}", self.path)
    }

    /// Returns what the user can do about the error.
    pub fn hint(&self) -> Option<String> {
        let said = match &self.fault {
            Fault::Empty | Fault::Truncated => {
                return Some(format!("create the input again, for example with '{DUMP}'"));
            }
            Fault::Binary => Some("JSON, YAML and gzip of both are read; unpack archives into a directory first"),
            Fault::Encoding(_) => {
                Some("create the input again in UTF-8; in PowerShell add '| Out-File -Encoding utf8'")
            }
            Fault::NotObjects(_) => Some("pvctl can read the output of 'kubectl get ... -o json' or '-o yaml'"),
            Fault::NoFiles => Some("use -R to also read the directories below it"),
            Fault::Undecodable(_) => Some("without --strict, the object is left out and the others are still used"),
            Fault::Implausible(_) => Some("if this is really a dump of a cluster, unpack it first, with 'gunzip'"),
            Fault::Expansion(_) | Fault::TooLarge(_) | Fault::TooDeep(_) => {
                Some("if this is really a dump of a cluster, split it into several files")
            }
            Fault::Unreadable(_) | Fault::Syntax(_) | Fault::StdinTwice => None,
        };
        said.map(str::to_owned)
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message())?;
        match self.hint() {
            Some(hint) => write!(out, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SourceError {}

impl From<SourceError> for Error {
    fn from(error: SourceError) -> Self {
        let shown = Self::unreadable(error.message());
        match error.hint() {
            Some(hint) => shown.hint(hint),
            None => shown,
        }
    }
}
