//! The identity of a cluster. An address is not enough. Another cluster may have the address now, and the same cluster
//! may have another address.

use serde::{Deserialize, Serialize};

/// The identity of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Origin {
    /// The address of the API server.
    pub server: String,
    /// The uid of namespace kube-system, which exists as long as its cluster. It is missing if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
}

/// Whether two identities are those of one cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// Both have the same uid.
    Sure,
    /// Both have the same address, and the uid of at least one is unknown.
    ByAddress,
    /// The clusters are different, as far as can be told.
    None,
}

impl Origin {
    /// Returns whether anything is known of the cluster.
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Compares two identities.
    pub fn sameness(&self, other: &Self) -> Sameness {
        match (&self.uid, &other.uid) {
            (Some(one), Some(another)) if one == another => Sameness::Sure,
            (Some(_), Some(_)) => Sameness::None,
            _ if self.server == other.server => Sameness::ByAddress,
            _ => Sameness::None,
        }
    }
}

impl From<&str> for Origin {
    /// Makes the identity of a cluster if only its address is known.
    fn from(server: &str) -> Self {
        Self { server: server.to_owned(), uid: None }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.uid {
            Some(uid) => write!(out, "the cluster at {} with uid {uid}", self.server),
            None => write!(out, "the cluster at {}, the uid of which is not known", self.server),
        }
    }
}
