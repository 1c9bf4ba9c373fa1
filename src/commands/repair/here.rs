//! Of which cluster a journal or a plan file is: of the one that is asked now, or of another.

use crate::error::Error;
use crate::repair::{Origin, Sameness};
use crate::source::Cluster;
use crate::terminal::Terminal;

/// The cluster that is asked now.
///
/// # Errors
/// It does not say which it is.
pub(super) async fn origin(cluster: &Cluster<'_>) -> Result<Origin, Error> {
    Ok(Origin { server: cluster.server().to_owned(), uid: cluster.uid().await? })
}

/// Whether something of one cluster may be used on the one that is asked now. Says so where nothing but the address
/// tells.
///
/// # Errors
/// It is of another cluster.
pub(super) fn belongs(what: &str, origin: &Origin, here: &Origin, terminal: &Terminal) -> Result<Sameness, Error> {
    let sameness = origin.sameness(here);
    match sameness {
        Sameness::Sure => {}
        Sameness::ByAddress => {
            let why = if here.uid.is_none() {
                "namespace kube-system, which has the uid of the cluster, may not be read here"
            } else {
                "it does not have the uid of its cluster"
            };
            terminal.message(&format!("note: that {what} is of this cluster is known by the address alone: {why}"));
        }
        Sameness::None => return Err(another(what, origin, here)),
    }
    Ok(sameness)
}

/// Something is of another cluster.
pub(super) fn another(what: &str, origin: &Origin, here: &Origin) -> Error {
    Error::refused(format!("{what} is of {origin}, and this is {here}: nothing was written"))
        .hint("choose its cluster with --context, or with --server")
}
