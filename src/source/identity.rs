//! The identity of a cluster, independent of its address.

use super::body::SMALL_ANSWER;
use super::cluster::Cluster;
use super::cluster_error::ClusterError;
use super::http::Failure;
use serde::Deserialize;

/// The path of namespace kube-system. Every API server creates this namespace when the cluster is created, and nobody
/// deletes it.
const PATH: &str = "/api/v1/namespaces/kube-system";
/// Only the metadata are needed. Servers and proxies that do not support this form send the whole object.
const METADATA_ONLY: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

impl Cluster<'_> {
    /// Returns the uid of namespace kube-system. It is different in each cluster. The result is `None` if the namespace
    /// does not exist, or if this user may not read it.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not answer, or answers with another error.
    pub async fn uid(&self) -> Result<Option<String>, ClusterError> {
        #[derive(Deserialize)]
        struct Object {
            metadata: Metadata,
        }
        #[derive(Deserialize)]
        struct Metadata {
            name: String,
            uid: String,
        }
        let what = "namespace kube-system";
        let reply = match self.api.get(PATH, METADATA_ONLY, SMALL_ANSWER).await {
            Ok(reply) => reply,
            Err(Failure::Status(status)) if status.code == 403 || status.is_not_found() => return Ok(None),
            Err(failure) => return Err(self.error(what, failure)),
        };
        let unclear = |why: &str| ClusterError::not_kubernetes(&self.api.server, what, why);
        let object: Object = serde_json::from_slice(&reply.body).map_err(|error| unclear(&error.to_string()))?;
        if object.metadata.name != "kube-system" || object.metadata.uid.is_empty() {
            return Err(unclear("it is another object, or has no uid"));
        }
        Ok(Some(object.metadata.uid))
    }
}
