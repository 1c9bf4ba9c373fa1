//! Versions as text for people.

use super::document::Version;

impl Version {
    /// Returns the versions as text for people, one on each line.
    pub(super) fn text(&self) -> String {
        let server = self.server.as_ref().map(|server| format!("server:               {}\n", server.version));
        format!(
            "pvctl:                {}\nmodelled Kubernetes:  {} (--kube-version takes {})\n\
             modelled provisioner: external-provisioner {}, sig-storage-lib-external-provisioner {}\n\
             modelled attacher:    external-attacher {}\nmodelled resizer:     external-resizer {}\n{}",
            self.client.version,
            self.model.kubernetes,
            self.model.available.join(", "),
            self.model.external_provisioner.version,
            self.model.external_provisioner.library,
            self.model.external_attacher,
            self.model.external_resizer,
            server.unwrap_or_default()
        )
    }
}
