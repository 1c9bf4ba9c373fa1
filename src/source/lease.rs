//! The Lease of kube-controller-manager on a live cluster: a hint whether the controllers live.

use super::cluster::{Cluster, local_time};
use super::http::JSON;
use super::list;
use crate::model::{Kind, ManagerLease, Timestamp};
use crate::snapshot::Item;
use crate::snapshot::decode::decode_as;
use std::time::Duration;

/// How long the reading may take. Nobody waits long for a hint.
const PATIENCE: Duration = Duration::from_secs(5);

impl Cluster<'_> {
    /// The Lease of kube-controller-manager, and the server's time at which it was read. None where there is none,
    /// where the user may not read it, and where anything fails: it is evidence, and nothing rests on its absence.
    pub async fn controller_lease(&self) -> Option<(ManagerLease, Timestamp)> {
        let (json, date) = self.raw_controller_lease().await?;
        match decode_as(Kind::Lease, &json, "a single reading") {
            Ok(Item::Lease(lease)) => Some((*lease, date.unwrap_or_else(local_time))),
            Ok(_) | Err(_) => None,
        }
    }

    /// The JSON of that Lease, and the time by the server's clock where it tells that.
    pub(super) async fn raw_controller_lease(&self) -> Option<(Vec<u8>, Option<Timestamp>)> {
        let mut impatient = self.api.clone();
        impatient.retry.tries = 1;
        let path = format!("{}/{}", list::path(Kind::Lease, Some(ManagerLease::NAMESPACE)), ManagerLease::NAME);
        let reply = tokio::time::timeout(PATIENCE, impatient.get(&path, JSON)).await.ok()?.ok()?;
        Some((reply.body, reply.date))
    }
}
