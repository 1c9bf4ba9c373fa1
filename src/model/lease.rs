//! The Lease by which kube-controller-manager shows that it lives.

use super::{Str, Timestamp};

/// The Lease for which the instances of kube-controller-manager compete; whoever holds it renews it every two seconds.
/// Upstream: `LeaderElectionConfiguration` with its defaults, component-base, and `LeaderElectionRecord`, client-go,
/// 1.36. Where leader election is off, and in many managed control planes, there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManagerLease {
    /// `spec.holderIdentity`: the instance that works; empty when nobody does.
    pub holder: Str,
    /// `spec.renewTime`, by the holder's clock.
    pub renewed: Option<Timestamp>,
    /// `spec.leaseDurationSeconds`: after so many seconds without a renewal another instance may take over.
    pub duration_seconds: Option<i64>,
}

impl ManagerLease {
    /// The namespace of the Lease.
    pub const NAMESPACE: &str = "kube-system";
    /// The name of the Lease.
    pub const NAME: &str = "kube-controller-manager";
    /// How many seconds more than the Lease's duration must have passed before it counts as stale: the holder's clock
    /// may differ from the one that it is compared with, and another instance needs a moment to take over.
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
    /// neither.
    pub fn is_fresh(&self, now: Timestamp) -> Option<bool> {
        let duration = self.duration_seconds.filter(|seconds| *seconds > 0)?;
        Some(self.age(now)? <= duration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_fresh_for_its_duration() {
        let lease = ManagerLease { holder: "a".into(), renewed: Some(Timestamp(1000)), duration_seconds: Some(15) };
        assert_eq!(lease.is_fresh(Timestamp(1015)), Some(true));
        // Between the two it is neither fresh nor stale.
        assert_eq!((lease.is_fresh(Timestamp(1016)), lease.is_stale(Timestamp(1016))), (Some(false), Some(false)));
        assert_eq!((lease.is_fresh(Timestamp(1075)), lease.is_stale(Timestamp(1075))), (Some(false), Some(false)));
        assert_eq!(ManagerLease { renewed: None, ..lease.clone() }.is_fresh(Timestamp(1000)), None);
        assert_eq!(ManagerLease { duration_seconds: None, ..lease }.is_fresh(Timestamp(1000)), None);
    }

    #[test]
    fn it_is_stale_after_its_duration_and_the_margin() {
        let lease = ManagerLease { holder: "a".into(), renewed: Some(Timestamp(1000)), duration_seconds: Some(15) };
        assert_eq!(lease.is_stale(Timestamp(1075)), Some(false));
        assert_eq!(lease.is_stale(Timestamp(1076)), Some(true));
        assert_eq!(lease.is_stale(Timestamp(900)), Some(false));
        assert_eq!(ManagerLease { renewed: None, ..lease.clone() }.is_stale(Timestamp(9000)), None);
        assert_eq!(ManagerLease { duration_seconds: None, ..lease.clone() }.is_stale(Timestamp(9000)), None);
        assert_eq!(ManagerLease { duration_seconds: Some(i64::MAX), ..lease }.is_stale(Timestamp(9000)), Some(false));
    }
}
