//! Leases by which kube-controller-manager, and what runs beside drivers, show that they live.

use super::{ObjectMeta, Str, Timestamp};

/// A Lease for which the instances of a component compete; whoever holds it renews it every few seconds. Upstream:
/// `LeaderElectionConfiguration` with its defaults, component-base, and `LeaderElectionRecord`, client-go, 1.36. Where
/// leader election is off, and for the controllers of many managed control planes, there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lease {
    /// `metadata`: its namespace, name and version, and nothing else. The namespace is that in which the component
    /// runs, wherever it was installed.
    pub meta: ObjectMeta,
    /// `spec.holderIdentity`: the instance that works; empty when nobody does.
    pub holder: Str,
    /// `spec.renewTime`, by the holder's clock.
    pub renewed: Option<Timestamp>,
    /// `spec.leaseDurationSeconds`: after so many seconds without a renewal another instance may take over.
    pub duration_seconds: Option<i64>,
}

impl Lease {
    /// The namespace of the Lease of kube-controller-manager.
    pub const MANAGER_NAMESPACE: &str = "kube-system";
    /// The name of the Lease of kube-controller-manager.
    pub const MANAGER_NAME: &str = "kube-controller-manager";
    /// How many seconds more than the Lease's duration must have passed before it counts as stale: the holder's clock
    /// may differ by as much from the one that it is compared with, and another instance needs a moment to take over.
    pub const MARGIN_SECONDS: i64 = 60;

    /// How many seconds before `now` it was renewed; negative where the holder's clock is ahead.
    pub fn age(&self, now: Timestamp) -> Option<i64> {
        self.renewed.map(|renewed| now.seconds_since(renewed))
    }

    /// Whether it was not renewed for so long that nobody can be holding it. A Lease that does not say when it was
    /// renewed, or for how long it holds, says nothing.
    pub fn is_stale(&self, now: Timestamp) -> Option<bool> {
        let duration = self.duration_seconds.filter(|seconds| *seconds > 0)?;
        Some(self.age(now)? > duration.saturating_add(Self::MARGIN_SECONDS))
    }

    /// Whether it still holds, so that whoever renewed it lives. A Lease that has expired and is not yet stale tells
    /// neither, and so does one that was renewed further in the future than clocks differ.
    pub fn is_fresh(&self, now: Timestamp) -> Option<bool> {
        let duration = self.duration_seconds.filter(|seconds| *seconds > 0)?;
        Some((-Self::MARGIN_SECONDS..=duration).contains(&self.age(now)?))
    }
}

/// What the Lease of a driver's provisioner can be called. Upstream: external-provisioner (`lockName`) has slashes
/// replaced and csi-lib-utils (`sanitizeName`) everything else; provisioners that are made with
/// sig-storage-lib-external-provisioner alone replace slashes and nothing else.
pub fn names_of_provisioner(driver: &str) -> Vec<String> {
    if driver.is_empty() {
        return Vec::new();
    }
    let mut names = vec![sanitized(driver), driver.replace('/', "-")];
    names.dedup();
    names
}

/// What the Lease of a driver's attacher is called; the driver is as it stands in the attacher's finalizer, which has
/// the same characters replaced. Upstream: external-attacher (`lockName`) and csi-lib-utils (`sanitizeName`).
pub fn names_of_attacher(driver: &str) -> Vec<String> {
    if driver.is_empty() { Vec::new() } else { vec![sanitized(&format!("external-attacher-leader-{driver}"))] }
}

/// Whether the attacher of that driver calls itself so in its finalizer. Upstream: external-attacher
/// (`GetFinalizerName`).
pub fn is_attacher_of(attacher: &str, driver: &str) -> bool {
    !driver.is_empty() && sanitized(driver) == attacher
}

/// A name in which nothing is left but letters and digits of ASCII and hyphens, which do not end it.
fn sanitized(name: &str) -> String {
    let mut name: String =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    if name.ends_with('-') {
        name.push('X');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_fresh_for_its_duration() {
        let lease = Lease {
            holder: "a".into(),
            renewed: Some(Timestamp(1000)),
            duration_seconds: Some(15),
            ..Lease::default()
        };
        assert_eq!(lease.is_fresh(Timestamp(1015)), Some(true));
        // The holder's clock is ahead, or nonsense.
        assert_eq!((lease.is_fresh(Timestamp(940)), lease.is_fresh(Timestamp(939))), (Some(true), Some(false)));
        // Between the two it is neither fresh nor stale.
        assert_eq!((lease.is_fresh(Timestamp(1016)), lease.is_stale(Timestamp(1016))), (Some(false), Some(false)));
        assert_eq!((lease.is_fresh(Timestamp(1075)), lease.is_stale(Timestamp(1075))), (Some(false), Some(false)));
        assert_eq!(Lease { renewed: None, ..lease.clone() }.is_fresh(Timestamp(1000)), None);
        assert_eq!(Lease { duration_seconds: None, ..lease }.is_fresh(Timestamp(1000)), None);
    }

    #[test]
    fn it_is_stale_after_its_duration_and_the_margin() {
        let lease = Lease {
            holder: "a".into(),
            renewed: Some(Timestamp(1000)),
            duration_seconds: Some(15),
            ..Lease::default()
        };
        assert_eq!(lease.is_stale(Timestamp(1075)), Some(false));
        assert_eq!(lease.is_stale(Timestamp(1076)), Some(true));
        assert_eq!(lease.is_stale(Timestamp(900)), Some(false));
        assert_eq!(Lease { renewed: None, ..lease.clone() }.is_stale(Timestamp(9000)), None);
        assert_eq!(Lease { duration_seconds: None, ..lease.clone() }.is_stale(Timestamp(9000)), None);
        assert_eq!(Lease { duration_seconds: Some(i64::MAX), ..lease }.is_stale(Timestamp(9000)), Some(false));
    }

    /// As drivers' Leases are called on real clusters, and by the rule for what is rare.
    #[test]
    fn drivers_leases_are_called_after_them() {
        for (driver, names) in [
            ("disk.csi.azure.com", &["disk-csi-azure-com", "disk.csi.azure.com"][..]),
            ("example.com/nfs", &["example-com-nfs", "example.com-nfs"]),
            ("plain", &["plain"]),
            ("a.b_", &["a-b-X", "a.b_"]),
            ("", &[]),
        ] {
            assert_eq!(names_of_provisioner(driver), names, "{driver}");
        }
        for (finalizer, name) in [
            ("disk-csi-azure-com", "external-attacher-leader-disk-csi-azure-com"),
            ("a-b-X", "external-attacher-leader-a-b-X"),
        ] {
            assert_eq!(names_of_attacher(finalizer), [name]);
        }
        assert_eq!(names_of_attacher(""), [""; 0]);
    }
}
