//! Whether a component of a driver runs. This is important if Kubernetes only makes a request and this component has to
//! act.
//!
//! The Lease of the component is the only evidence. Without a Lease nothing is known: a driver may run without leader
//! election, the user may not be allowed to read the Lease, and the name of the Lease is only a convention.

use super::document::{EvidenceOut, NextOut};
use crate::diagnosis::misfit::shown;
use crate::model::lease::{names_of_attacher, names_of_provisioner};
use crate::model::{Lease, Timestamp};
use crate::text::human_age;
use serde::Serialize;

/// The prefix of the finalizer of external-attacher. The name of the driver follows this prefix. Upstream:
/// `GetFinalizerName`, external-attacher.
const ATTACHER_FINALIZER: &str = "external-attacher/";

/// What is known about a component of a driver that has to act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriverOut {
    /// `external-provisioner` or `external-attacher`.
    pub component: &'static str,
    /// The name of the driver. For an attacher, it is the name in its finalizer.
    pub name: String,
    /// `alive`: a Lease has a holder and is fresh. `stale`: nobody renews the Lease. `unknown`: nobody knows whether
    /// the component runs.
    pub lease: &'static str,
    /// Why `lease` is `unknown`. `none`: there is no Lease with that name. `unread`: not all Leases with that name
    /// could be read. `expired`: the Lease is neither fresh nor stale, is fresh without a holder, or does not say when
    /// it was renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The fields of the Lease.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub evidence: Vec<EvidenceOut>,
    /// The sentence for people that says whether the component runs.
    #[serde(skip)]
    said: String,
    /// What the user has to do if the component does not run.
    #[serde(skip)]
    next: Option<NextOut>,
}

/// A component of a driver that has to act. Its Lease would show whether it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    component: &'static str,
    name: String,
    /// The possible names of the Lease of the component. The namespace of the driver is not known.
    pub leases: Vec<String>,
}

impl Awaited {
    /// Returns the external-provisioner of a driver.
    pub fn provisioner(driver: &str) -> Self {
        Self { component: "external-provisioner", name: driver.to_owned(), leases: names_of_provisioner(driver) }
    }

    /// Returns the external-attacher to which this finalizer belongs. The result is `None` for other finalizers.
    pub fn attacher(finalizer: &str) -> Option<Self> {
        let driver = finalizer.strip_prefix(ATTACHER_FINALIZER)?;
        Some(Self { component: "external-attacher", name: driver.to_owned(), leases: names_of_attacher(driver) })
    }
}

impl DriverOut {
    /// Returns what these Leases show. They were read at `read_at`. `complete` says whether all Leases with these names
    /// were read.
    pub fn new(awaited: &Awaited, leases: &[Lease], complete: bool, read_at: Timestamp) -> Self {
        let who = format!("the {} of {}", awaited.component, shown(&awaited.name));
        let named = |lease: &&Lease| awaited.leases.iter().any(|name| lease.meta.name == name.as_str());
        let held = |lease: &Lease| !lease.holder.is_empty();
        // A fresh Lease shows that the component runs, even if an earlier installation left a stale Lease in another
        // namespace. If no Lease is fresh, the Lease that was renewed last is used.
        let best = leases.iter().filter(named).max_by_key(|lease| {
            (held(lease) && lease.is_fresh(read_at) == Some(true), lease.renewed, &lease.meta.namespace)
        });
        let unknown = |reason: &'static str, evidence: Vec<EvidenceOut>, why: &str| Self {
            component: awaited.component,
            name: awaited.name.clone(),
            lease: "unknown",
            reason: Some(reason),
            evidence,
            said: format!("Whether {who} runs is not known: {why}."),
            next: None,
        };
        let Some(best) = best else {
            return if complete {
                unknown("none", Vec::new(), "there is no Lease with its name, but not every driver has a Lease")
            } else {
                unknown("unread", Vec::new(), "Leases could not be read in all namespaces")
            };
        };
        let (name, namespace) = (shown(&best.meta.name), shown(&best.meta.namespace));
        let evidence = evidence(best, read_at);
        let (Some(renewed), Some(age)) = (best.renewed, best.age(read_at)) else {
            return unknown(
                "expired",
                evidence,
                &format!("its Lease {name} in {namespace} does not say when it was renewed"),
            );
        };
        let known = |lease, said, next| Self {
            component: awaited.component,
            name: awaited.name.clone(),
            lease,
            reason: None,
            evidence: evidence.clone(),
            said,
            next,
        };
        let holder = shown(&best.holder);
        if held(best) && best.is_fresh(read_at) == Some(true) {
            let ago = human_age(age.max(0));
            let who = who.replacen("the", "The", 1);
            return known("alive", format!("{who} is alive: {holder} renewed its Lease {ago} ago."), None);
        }
        if best.is_stale(read_at) == Some(true) && !complete {
            return unknown(
                "unread",
                evidence,
                "there is an old Lease with its name, but not all Leases with this name could be read",
            );
        }
        if best.is_stale(read_at) == Some(true) {
            let last = if held(best) { format!("{holder} held it") } else { "nobody holds it".to_owned() };
            let said = format!(
                "Probably {who} does not run: its Lease {name} in {namespace} was last renewed at {renewed}, {} before \
                 it was read ({last}).",
                human_age(age)
            );
            let next = NextOut {
                who: "you".to_owned(),
                what: format!("find out why {who} does not run: nobody renews its Lease in namespace {namespace}"),
            };
            return known("stale", said, Some(next));
        }
        let why = if best.duration_seconds.is_none_or(|seconds| seconds <= 0) {
            format!("its Lease {name} in {namespace} does not say for how long it is held")
        } else if age < -Lease::MARGIN_SECONDS {
            format!("its Lease {name} in {namespace} says that it was renewed at {renewed}, which is in the future")
        } else if held(best) {
            format!("its Lease {name} in {namespace} was renewed {} ago and has just expired", human_age(age.max(0)))
        } else {
            format!("its Lease {name} in {namespace} was released {} ago, and nobody holds it", human_age(age.max(0)))
        };
        unknown("expired", evidence, &why)
    }

    /// Returns a sentence that says whether the component runs.
    pub fn sentence(&self) -> &str {
        &self.said
    }

    /// Returns what the user has to do if nobody renews the Lease.
    pub fn next(&self) -> Option<NextOut> {
        self.next.clone()
    }
}

fn evidence(lease: &Lease, read_at: Timestamp) -> Vec<EvidenceOut> {
    let object = format!("lease/{} -n {}", shown(&lease.meta.name), shown(&lease.meta.namespace));
    let unset = || "<unset>".to_owned();
    let holder = if lease.holder.is_empty() { unset() } else { shown(&lease.holder) };
    let mut fields = vec![
        ("spec.holderIdentity", holder),
        ("spec.renewTime", lease.renewed.map_or_else(unset, |renewed| renewed.to_string())),
        ("spec.leaseDurationSeconds", lease.duration_seconds.map_or_else(unset, |seconds| seconds.to_string())),
    ];
    fields.extend(lease.age(read_at).map(|age| ("age", format!("{age}s"))));
    fields.into_iter().map(|(field, value)| EvidenceOut { object: object.clone(), field, value }).collect()
}
