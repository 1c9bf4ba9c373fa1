//! The answers of the API server and of the volume plugins. By default, the answers follow the rules of the API server.
//! A test or a simulation of failures can script other answers, in which requests fail.

use crate::model::Kind;
use crate::snapshot::printed;
use std::fmt;

/// An error of the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    /// 404: the object does not exist.
    NotFound {
        /// The kind of the object that was requested.
        kind: Kind,
        /// The name of the object that was requested.
        name: String,
    },
    /// 409: the object changed since it was read.
    Conflict {
        /// The kind of the object that the request would change.
        kind: Kind,
        /// The name of the object that the request would change.
        name: String,
    },
    /// 409 on a create: the name is in use.
    AlreadyExists {
        /// The kind of the object that the request would create.
        kind: Kind,
        /// The name of the object that the request would create.
        name: String,
        /// Whether the object that has the name is being deleted.
        deleting: bool,
    },
    /// 403 on a create: the namespace is being deleted. Upstream: `Lifecycle.Admit`,
    /// `k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle`, 0.36.
    NamespaceTerminating {
        /// The kind of the object that the request would create.
        kind: Kind,
        /// The name of the object that the request would create.
        name: String,
        /// The namespace.
        namespace: String,
    },
    /// 422: validation failed. The text names the object, the field and the rule.
    Invalid(String),
    /// Any other error, such as a timeout.
    Other(String),
}

impl ApiError {
    /// Returns whether the object does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

impl fmt::Display for ApiError {
    /// Writes the texts of `k8s.io/apimachinery/pkg/api/errors`, 0.36.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resource = |kind: &Kind| match kind {
            Kind::StorageClass => "storageclass.storage.k8s.io",
            other => other.resource(),
        };
        match self {
            Self::NamespaceTerminating { kind, name, namespace } => write!(
                out,
                "{} \"{}\" is forbidden: unable to create new content in namespace {namespace} because it is being terminated",
                resource(kind),
                printed(name)
            ),
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

/// A refusal in scripted answers. Its text depends on the object that is written or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiRefusal {
    /// The object is gone.
    NotFound,
    /// The object changed since it was read.
    Conflict,
    /// Any other error, with this text.
    Other(String),
}

impl ApiRefusal {
    /// Returns the API server's error for an object of this kind and name.
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
    /// A read of the informer's lister of this kind.
    Lister(Kind),
    /// A live GET of an object of this kind.
    Get(Kind),
    /// A live LIST of this kind.
    List(Kind),
}

impl Read {
    /// Returns the kind that is read.
    pub fn kind(self) -> Kind {
        match self {
            Self::Lister(kind) | Self::Get(kind) | Self::List(kind) => kind,
        }
    }
}

/// The result of a call of a volume plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginAnswer {
    /// The operation is done.
    Done,
    /// The operation waits for something outside of the controller, such as the recycler's pod.
    Waiting,
    /// The operation failed with this text.
    Failed(String),
    /// The storage is still in use, with this text.
    InUse(String),
}

/// The scripted answers of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// The number of a write of the run, counted from 1. This write and all later writes get this refusal.
    pub refuse_from: Option<(u32, ApiRefusal)>,
    /// The number of a write of the run, counted from 1. Only this write gets this refusal.
    pub refuse: Option<(u32, ApiRefusal)>,
    /// A sort of read and a number, counted from 1. Among the reads of this sort, the read with this number and all
    /// later reads get this refusal.
    pub failing_read: Option<(Read, u32, ApiRefusal)>,
    /// The answer of a volume plugin. `None` means the default answer.
    pub plugin: Option<PluginAnswer>,
    /// The error of the clean-up after a provisioning that created the storage but could not create the
    /// PersistentVolume. The value is `None` if the clean-up succeeds.
    pub cleanup_fails: Option<String>,
}

impl Answers {
    /// Returns the error for the write with this number, to an object of this kind and name. The value is `None` if the
    /// write is not refused.
    pub fn refusal(&self, number: u32, kind: Kind, name: &str) -> Option<ApiError> {
        let once = self.refuse.as_ref().filter(|(refused, _)| *refused == number);
        let from = self.refuse_from.as_ref().filter(|(first, _)| *first <= number);
        once.or(from).map(|(_, refusal)| refusal.error(kind, name))
    }

    /// Returns the error for a read of an object of this name. `number` counts the reads of the same sort, from 1. The
    /// value is `None` if the read does not fail.
    pub fn read_failure(&self, read: Read, number: u32, name: &str) -> Option<ApiError> {
        let failing = self.failing_read.as_ref().filter(|(failing, first, _)| *failing == read && *first <= number);
        failing.map(|(_, _, refusal)| refusal.error(read.kind(), name))
    }
}
