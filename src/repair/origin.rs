//! The identity of a cluster. An address is not enough: later, another cluster may have the same address, and the same
//! cluster may have another address.

use serde::{Deserialize, Serialize};

/// The identity of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Origin {
    /// The address of the API server.
    pub server: String,
    /// The uid of namespace kube-system, which exists as long as its cluster. The value is missing if the uid could not
    /// be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
}

/// Whether two identities belong to the same cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// Both have the same uid.
    Sure,
    /// Both have the same address, and the uid of at least one is unknown.
    ByAddress,
    /// The clusters are different, or nothing shows that they are the same.
    None,
}

impl Origin {
    /// Returns whether anything is known about the cluster.
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
    /// Returns the identity of a cluster of which only the address is known.
    fn from(server: &str) -> Self {
        Self { server: server.to_owned(), uid: None }
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.uid {
            Some(uid) => write!(out, "the cluster at {} with uid {uid}", self.server),
            None => write!(out, "the cluster at {}, whose uid is not known", self.server),
        }
    }
}
