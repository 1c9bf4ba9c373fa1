//! The results of a sync so far.

use super::decision::{Act, ClaimPatch, NotEvaluated, Note, Requeue, Step, Synced, VolumePatch};
use super::input::{Refused, Unkept};
use super::{Circumstances, Resizer};
use crate::controllers::csi_sidecar::backoff;
use crate::controllers::provisioner::Secrets;
use crate::controllers::scheduler::reads::Reads;
use crate::model::{PersistentVolumeClaim, Str, Timestamp};
use std::collections::BTreeSet;
use std::mem;

/// Where a sync ends.
pub(super) enum End<Branch> {
    /// Without an error.
    Done(Branch),
    /// With an error.
    Failed(Branch, String),
    /// With an error that is not counted: the claim is synced again at this time.
    Delayed(Branch, u64),
    /// With a call whose answer is not known.
    Asked(Branch),
    /// With a crash of the resizer.
    Crashed(Branch),
    /// It is not known how the sync ends.
    Unknown,
}

/// The results of a sync so far: its reads, its actions, the time that has passed, and what is not modelled.
pub(super) struct Work<'a, 's> {
    pub(super) reads: Reads<'s>,
    pub(super) not_evaluated: BTreeSet<NotEvaluated>,
    /// The time since the begin of the sync, in milliseconds.
    pub(super) at: u64,
    steps: Vec<Step>,
    now: i64,
    failures: u32,
    refused: &'a Refused,
    /// How many requests of each kind were sent.
    sent: Sent,
}

#[derive(Default)]
struct Sent {
    volume: usize,
    claim: usize,
}

/// Returns the answer to the next request of a kind, and counts the request.
fn next(answers: &[Option<Str>], sent: &mut usize) -> Option<Str> {
    let number = mem::replace(sent, sent.saturating_add(1));
    answers.get(number).cloned().flatten()
}

impl<'a, 's> Work<'a, 's> {
    pub(super) fn new(resizer: &Resizer<'s>, of: &'a Circumstances) -> Self {
        Self {
            reads: Reads::new(resizer.view),
            not_evaluated: BTreeSet::new(),
            at: 0,
            steps: Vec::new(),
            now: of.now,
            failures: of.failures,
            refused: &of.refused,
            sent: Sent::default(),
        }
    }

    /// Records a call of the driver.
    pub(super) fn call(&mut self, act: Act) {
        self.steps.push(Step { at: self.at, act, refused: None });
    }

    /// Records an event about the claim.
    pub(super) fn note(&mut self, warning: bool, reason: &'static str, message: impl Into<String>) {
        self.call(Act::Event(Note { warning, reason, message: message.into() }));
    }

    /// Sends a patch of the claim. Returns the error of upstream's function. Upstream: `PatchClaim`, v2.3.0.
    pub(super) fn patch_claim(&mut self, claim: &PersistentVolumeClaim, patch: ClaimPatch) -> Result<(), String> {
        let refused = next(&self.refused.claim, &mut self.sent.claim);
        self.steps.push(Step { at: self.at, act: Act::Claim(Box::new(patch)), refused: refused.clone() });
        // Upstream's text has two spaces there.
        refused.map_or(Ok(()), |text| Err(format!("can't patch status of  PVC {} with {text}", key(claim))))
    }

    /// Sends a patch of the volume. Returns the error of upstream's function. Upstream: `patchPersistentVolume` and
    /// `PatchPersistentVolume`, v2.3.0.
    pub(super) fn patch_volume(&mut self, volume: &str, patch: VolumePatch) -> Result<(), String> {
        let refused = next(&self.refused.volume, &mut self.sent.volume);
        self.steps.push(Step { at: self.at, act: Act::Volume(patch), refused: refused.clone() });
        refused.map_or(Ok(()), |text| Err(format!("update capacity of PV {volume} failed: {text}")))
    }

    /// Checks that the Secret for a call exists. Upstream: `getCredentials` and `getModifyCredentials`, v2.3.0.
    pub(super) fn credentials(&mut self, unkept: &Unkept, secret: Option<&(Str, Str)>) -> Result<(), String> {
        let Some((namespace, name)) = secret else { return Ok(()) };
        match &unkept.secrets {
            Secrets::Unknown => {
                self.not_evaluated.insert(NotEvaluated::Secret);
                Ok(())
            }
            Secrets::Known(all) if all.contains(&(namespace.clone(), name.clone())) => Ok(()),
            Secrets::Known(_) => {
                Err(format!("error getting secret {name} in namespace {namespace}: secrets \"{name}\" not found"))
            }
        }
    }

    /// Returns the time that it is now.
    pub(super) fn moment(&self) -> Timestamp {
        Timestamp(self.now.saturating_add_unsigned(self.at).div_euclid(1_000))
    }

    /// Returns the decision. Upstream: `syncPVCs` of `pkg/controller` and `sync` of `pkg/modifycontroller`, v2.3.0.
    pub(super) fn finished<Branch, Memory>(self, end: End<Branch>, memory: Memory) -> Synced<Branch, Memory> {
        let (leaf, error, requeue) = match end {
            End::Done(leaf) => (Some(leaf), None, Requeue::Forgotten),
            End::Failed(leaf, error) => (Some(leaf), Some(error), Requeue::AfterFailure(backoff(self.failures))),
            End::Delayed(leaf, until) => (Some(leaf), None, Requeue::Later(until.saturating_sub(self.at))),
            End::Asked(leaf) | End::Crashed(leaf) => (Some(leaf), None, Requeue::Untouched),
            End::Unknown => (None, None, Requeue::Untouched),
        };
        let Self { reads, steps, not_evaluated, .. } = self;
        Synced { leaf, steps, error, requeue, memory, doubts: reads.into_doubts(), not_evaluated }
    }
}

/// Returns the namespace and the name of the claim, as logs write them.
pub(super) fn key(claim: &PersistentVolumeClaim) -> String {
    format!("{}/{}", claim.meta.namespace, claim.meta.name)
}
