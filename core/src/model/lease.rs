//! Leases by which kube-controller-manager and the components of CSI drivers show that they run.

use super::{ObjectMeta, Str, Timestamp};

/// A Lease for the leader election of a component. The instance that holds the Lease renews it every few seconds.
/// Upstream: `LeaderElectionConfiguration` with its defaults, component-base, and `LeaderElectionRecord`, client-go,
/// 1.36. There is no Lease if leader election is off. Many managed control planes have no Lease for their controllers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lease {
    /// `metadata`: only the namespace, name and resource version. The component runs in this namespace, which depends
    /// on the installation.
    pub meta: ObjectMeta,
    /// `spec.holderIdentity`: the instance that is the leader. It is empty if no instance is the leader.
    pub holder: Str,
    /// `spec.renewTime`, by the clock of the holder.
    pub renewed: Option<Timestamp>,
    /// `spec.leaseDurationSeconds`: after this time without a renewal, another instance may become the leader.
    pub duration_seconds: Option<i64>,
}

impl Lease {
    /// The namespace of the Lease of kube-controller-manager.
    pub const MANAGER_NAMESPACE: &str = "kube-system";
    /// The name of the Lease of kube-controller-manager.
    pub const MANAGER_NAME: &str = "kube-controller-manager";
    /// The seconds that must pass after the end of the Lease's duration before the Lease is stale. The holder's clock
    /// may differ by this much from the clock of the comparison, and another instance needs some time to become the
    /// leader.
    pub const MARGIN_SECONDS: i64 = 60;

    /// Returns the seconds from the last renewal to `now`. The value is negative if the holder's clock is ahead.
    pub fn age(&self, now: Timestamp) -> Option<i64> {
        self.renewed.map(|renewed| now.seconds_since(renewed))
    }

    /// Returns whether the Lease was not renewed for so long that no instance can hold it any more. The value is `None`
    /// if the Lease states no renewal time or no duration.
    pub fn is_stale(&self, now: Timestamp) -> Option<bool> {
        let duration = self.duration_seconds.filter(|seconds| *seconds > 0)?;
        Some(self.age(now)? > duration.saturating_add(Self::MARGIN_SECONDS))
    }

    /// Returns whether the Lease was renewed within its duration. If it was, its holder runs. The answer is no for a
    /// Lease that has expired but is not stale yet. It is also no if the renewal is further in the future than clocks
    /// may differ. The value is `None` if the Lease states no renewal time or no duration.
    pub fn is_fresh(&self, now: Timestamp) -> Option<bool> {
        let duration = self.duration_seconds.filter(|seconds| *seconds > 0)?;
        Some((-Self::MARGIN_SECONDS..=duration).contains(&self.age(now)?))
    }
}

/// Returns the possible names of the Lease of a driver's provisioner. In upstream, external-provisioner (`lockName`)
/// replaces slashes, and csi-lib-utils (`sanitizeName`) replaces all other characters that are not letters, digits or
/// hyphens. Provisioners that use only sig-storage-lib-external-provisioner replace only slashes.
pub fn names_of_provisioner(driver: &str) -> Vec<String> {
    if driver.is_empty() {
        return Vec::new();
    }
    let mut names = vec![sanitized(driver), driver.replace('/', "-")];
    names.dedup();
    names
}

/// Returns the possible names of the Lease of a driver's attacher. `driver` is the name from the attacher's finalizer,
/// in which the attacher has already replaced all characters that are not letters, digits or hyphens. Upstream:
/// external-attacher (`lockName`) and csi-lib-utils (`sanitizeName`).
pub fn names_of_attacher(driver: &str) -> Vec<String> {
    if driver.is_empty() { Vec::new() } else { vec![sanitized(&format!("external-attacher-leader-{driver}"))] }
}

/// Returns whether `attacher` is the name that the attacher of this driver uses in its finalizer. Upstream:
/// external-attacher (`GetFinalizerName`).
pub fn is_attacher_of(attacher: &str, driver: &str) -> bool {
    !driver.is_empty() && sanitized(driver) == attacher
}

/// Replaces all characters except ASCII letters, digits and hyphens by hyphens. If the result ends with a hyphen, an
/// `X` is appended.
fn sanitized(name: &str) -> String {
    let mut name: String =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    if name.ends_with('-') {
        name.push('X');
    }
    name
}
