//! What the API server and the volume plugins answer. By default the pure rules of the API server; a script makes it
//! refuse, for tests and for the study of failures.

use crate::model::Kind;
use crate::snapshot::printed;
use std::fmt;

/// A refusal of the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    /// 404.
    NotFound {
        /// The kind that was asked for.
        kind: Kind,
        /// The name that was asked for.
        name: String,
    },
    /// 409: the object changed since it was read.
    Conflict {
        /// The kind that was to be written.
        kind: Kind,
        /// The name that was to be written.
        name: String,
    },
    /// 409 on a create.
    AlreadyExists {
        /// The kind that was to be created.
        kind: Kind,
        /// The name that was to be created.
        name: String,
        /// The object that has the name is being deleted.
        deleting: bool,
    },
    /// 422: validation; the text names the object, the field and the rule.
    Invalid(String),
    /// Anything else, such as a time-out.
    Other(String),
}

impl ApiError {
    /// Whether the object does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

impl fmt::Display for ApiError {
    /// The texts of `k8s.io/apimachinery/pkg/api/errors`, 0.36.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resource = |kind: &Kind| match kind {
            Kind::StorageClass => "storageclass.storage.k8s.io",
            other => other.resource(),
        };
        match self {
            Self::NotFound { kind, name } => write!(out, "{} \"{}\" not found", resource(kind), printed(name)),
            Self::Conflict { kind, name } => write!(
                out,
                "Operation cannot be fulfilled on {} \"{}\": the object has been modified; please apply your \
                 changes to the latest version and try again",
                resource(kind),
                printed(name)
            ),
            Self::AlreadyExists { kind, name, deleting } => {
                // Upstream: `Store.create`, `apiserver/pkg/registry/generic/registry`, 0.36.
                let deleting = if *deleting { "object is being deleted: " } else { "" };
                write!(out, "{deleting}{} \"{}\" already exists", resource(kind), printed(name))
            }
            Self::Invalid(text) | Self::Other(text) => out.write_str(text),
        }
    }
}

/// A refusal that a script asks for. Its text follows from the object that is written or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiRefusal {
    /// The object is gone.
    NotFound,
    /// The object changed since it was read.
    Conflict,
    /// Anything else, in these words.
    Other(String),
}

impl ApiRefusal {
    /// The API server's error for an object of that kind and name.
    fn error(&self, kind: Kind, name: &str) -> ApiError {
        match self {
            Self::NotFound => ApiError::NotFound { kind, name: name.to_owned() },
            Self::Conflict => ApiError::Conflict { kind, name: name.to_owned() },
            Self::Other(text) => ApiError::Other(text.clone()),
        }
    }
}

/// A read of a controller that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Read {
    /// The lister of the informer of that kind.
    Lister(Kind),
    /// A live GET of an object of that kind.
    Get(Kind),
    /// A live LIST of that kind.
    List(Kind),
}

impl Read {
    /// The kind that is read.
    pub fn kind(self) -> Kind {
        match self {
            Self::Lister(kind) | Self::Get(kind) | Self::List(kind) => kind,
        }
    }
}

/// What a volume plugin does when it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginAnswer {
    /// The operation is done.
    Done,
    /// The operation waits for something outside, such as the recycler's pod.
    Waiting,
    /// The operation failed with this text.
    Failed(String),
    /// The storage is still in use, with this text.
    InUse(String),
}

/// The answers of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// The n-th write of the run (from 1) is refused so, and so are all later ones.
    pub refuse_from: Option<(u32, ApiRefusal)>,
    /// The n-th write of the run (from 1) alone is refused so.
    pub refuse: Option<(u32, ApiRefusal)>,
    /// The n-th read of that sort (from 1) and all later ones fail so.
    pub failing_read: Option<(Read, u32, ApiRefusal)>,
    /// What a plugin answers, where the default is not wanted.
    pub plugin: Option<PluginAnswer>,
    /// The storage of a volume that could not be created cannot be cleaned up either.
    pub cleanup_fails: Option<String>,
}

impl Answers {
    /// The error for the write with that number, to an object of that kind and name, if it is to be refused.
    pub fn refusal(&self, number: u32, kind: Kind, name: &str) -> Option<ApiError> {
        let once = self.refuse.as_ref().filter(|(refused, _)| *refused == number);
        let from = self.refuse_from.as_ref().filter(|(first, _)| *first <= number);
        once.or(from).map(|(_, refusal)| refusal.error(kind, name))
    }

    /// The error for the n-th read of that sort in a run (from 1), of an object of that name, if it is to fail.
    pub fn read_failure(&self, read: Read, number: u32, name: &str) -> Option<ApiError> {
        let failing = self.failing_read.as_ref().filter(|(failing, first, _)| *failing == read && *first <= number);
        failing.map(|(_, _, refusal)| refusal.error(read.kind(), name))
    }
}
