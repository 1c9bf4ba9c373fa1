//! Reads Leases from a live cluster. Leases show whether kube-controller-manager and the components of drivers run.

use super::body::{SMALL_ANSWER, Text};
use super::cluster::{Cluster, all, local_time};
use super::http::{JSON, escape};
use super::list;
use crate::model::{Kind, Lease, Timestamp};
use crate::snapshot::any_lease;
use crate::snapshot::decode::decode_as;
use std::time::Duration;

/// The time limit for reading Leases. Users should not wait long for additional evidence.
const PATIENCE: Duration = Duration::from_secs(5);
/// The maximum number of Leases with the same name, in different namespaces, that are read.
const MOST: usize = 50;

/// The Leases that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLeases {
    /// The Leases with one of the names, in all namespaces.
    pub leases: Vec<Lease>,
    /// The names for which not all Leases could be read. One reason is that the user may not read them.
    pub unread: Vec<String>,
    /// The time of the reading. It is by the server's clock if the server states the time.
    pub read_at: Timestamp,
}

impl Cluster<'_> {
    /// Returns the Lease of kube-controller-manager, and the time of the reading by the server's clock. The result is
    /// `None` if the Lease does not exist, if the user may not read it, or if anything fails. An absent Lease proves
    /// nothing.
    pub async fn controller_lease(&self) -> Option<(Lease, Timestamp)> {
        let (json, date) = self.raw_controller_lease().await?;
        let lease = decode_as(Kind::Lease, &json, "a single reading").ok()?.of()?;
        Some((lease, date.unwrap_or_else(local_time)))
    }

    /// Returns the JSON of the Lease of kube-controller-manager, and the time by the server's clock, if the server
    /// states it.
    pub(super) async fn raw_controller_lease(&self) -> Option<(Text, Option<Timestamp>)> {
        let path = format!("{}/{}", list::path(Kind::Lease, Some(Lease::MANAGER_NAMESPACE)), Lease::MANAGER_NAME);
        self.hint(&path).await
    }

    /// Returns the Leases with these names in all namespaces, because a driver can be installed in any namespace.
    ///
    /// Each name is requested separately, because a cluster also has a Lease for each of its nodes. If a request fails
    /// or takes too long, its name is in [`FoundLeases::unread`].
    pub async fn leases_named(&self, names: &[String]) -> FoundLeases {
        let asking = names.iter().map(|name| async move {
            let selector = escape(&format!("metadata.name={name}"));
            self.hint(&format!("{}?fieldSelector={selector}&limit={MOST}", list::path(Kind::Lease, None))).await
        });
        let (mut leases, mut unread, mut read_at) = (Vec::new(), Vec::new(), None);
        for (name, reply) in names.iter().zip(all(asking.collect()).await) {
            let mut complete = false;
            if let Some((json, date)) = reply {
                read_at = read_at.max(date);
                if let (Ok(items), Ok(more)) = (list::items(&json), list::has_more(&json)) {
                    let found = items.iter().filter_map(|item| any_lease(item.get().as_bytes()));
                    leases.extend(found.filter(|lease| lease.meta.name == name.as_str()));
                    complete = !more;
                }
            }
            if !complete {
                unread.push(name.clone());
            }
        }
        FoundLeases { leases, unread, read_at: read_at.unwrap_or_else(local_time) }
    }

    /// Requests a path once. The result is `None` if the request fails.
    pub(super) async fn hint(&self, path: &str) -> Option<(Text, Option<Timestamp>)> {
        let mut impatient = self.api.clone();
        impatient.retry.tries = 1;
        let reply = tokio::time::timeout(PATIENCE, impatient.get(path, JSON, SMALL_ANSWER)).await.ok()?.ok()?;
        Some((reply.body, reply.date))
    }
}
