//! The sources of snapshots: live clusters and files.

pub mod archive;
mod body;
pub mod cluster;
mod cluster_error;
mod connect;
pub mod exec_plugin;
pub mod files;
pub mod http;
mod identity;
mod kubeconfig;
mod lease;
pub mod list;
mod log;
mod manifests;
pub mod own_providers;
pub mod partners;
pub mod plan_file;
pub mod proxy;
pub mod second_round;
mod single;
mod statement;
pub mod storage_system;
pub mod suppressions;

pub use cluster::{Cluster, ServerVersion, local_time};
pub use cluster_error::{ClusterError, ClusterErrorKind};
pub use connect::{ConnectOptions, Environment, LoginMode, default_chunk_size};
pub use files::{Archived, FileOptions, Loaded, Report, Scope, SourceError};
pub use http::{Observer, RequestLog, Retry};
pub use kubeconfig::{contexts, some_names};
pub use lease::FoundLeases;
pub use log::log;
pub use manifests::manifests;
pub use second_round::{Needs, second_round};
pub use statement::Statement;
