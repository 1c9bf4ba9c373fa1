//! Leases on a live cluster: a hint whether kube-controller-manager lives, and whether what runs beside a driver does.

use super::body::{SMALL_ANSWER, Text};
use super::cluster::{Cluster, all, local_time};
use super::http::{JSON, escape};
use super::list;
use crate::model::{Kind, Lease, Timestamp};
use crate::snapshot::any_lease;
use crate::snapshot::decode::decode_as;
use std::time::Duration;

/// How long the reading may take. Nobody waits long for a hint.
const PATIENCE: Duration = Duration::from_secs(5);
/// Of so many Leases of one name, in as many namespaces, one is looked at.
const MOST: usize = 50;

/// What was found of the Leases that were looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLeases {
    /// Those with one of the names, of all namespaces.
    pub leases: Vec<Lease>,
    /// The names of which not all could be read; the user may not be allowed to.
    pub unread: Vec<String>,
    /// When that was, by the server's clock where it tells that.
    pub read_at: Timestamp,
}

impl Cluster<'_> {
    /// The Lease of kube-controller-manager, and the server's time at which it was read. None where there is none,
    /// where the user may not read it, and where anything fails: it is evidence, and nothing rests on its absence.
    pub async fn controller_lease(&self) -> Option<(Lease, Timestamp)> {
        let (json, date) = self.raw_controller_lease().await?;
        let lease = decode_as(Kind::Lease, &json, "a single reading").ok()?.of()?;
        Some((lease, date.unwrap_or_else(local_time)))
    }

    /// The JSON of that Lease, and the time by the server's clock where it tells that.
    pub(super) async fn raw_controller_lease(&self) -> Option<(Text, Option<Timestamp>)> {
        let path = format!("{}/{}", list::path(Kind::Lease, Some(Lease::MANAGER_NAMESPACE)), Lease::MANAGER_NAME);
        self.hint(&path).await
    }

    /// The Leases with these names in all namespaces, since a driver can be installed into any. Each name is asked for
    /// by itself: a cluster has a Lease for each of its nodes. Where that fails, or takes long, there is less to say,
    /// and nothing else happens.
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

    /// What stands at a path, asked for once; none where that fails.
    async fn hint(&self, path: &str) -> Option<(Text, Option<Timestamp>)> {
        let mut impatient = self.api.clone();
        impatient.retry.tries = 1;
        let reply = tokio::time::timeout(PATIENCE, impatient.get(path, JSON, SMALL_ANSWER)).await.ok()?.ok()?;
        Some((reply.body, reply.date))
    }
}
