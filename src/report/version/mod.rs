//! `Version`: which pvctl this is, which Kubernetes it models, and which the cluster runs.

mod document;
mod text;

pub use document::{ClientVersion, ModelledVersions, ServerOut, Version};
