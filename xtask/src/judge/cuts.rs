//! Compares the predictions for partial input. A part of the world is hidden, and each answer that differs from the
//! real answer has to be marked as uncertain.

use super::decisions::{Shape, controller, refused_by_validation};
use super::ends::{ends_of, rejected, settling};
use super::pods::with_scheduler;
use super::{FURTHER, Judged, Verdict, binder, differ, found, parts, target};
use crate::line::Object;
use anyhow::Result;
use pvctl::controllers::{CONTROLLERS, DecidedBy, ephemeral_volume};
use pvctl::engines;
use pvctl::engines::simulation;
use pvctl::model::{Kind, Str};
use pvctl::simulate::Budget;
use pvctl::simulate::{Prediction, Settings};
use pvctl::snapshot::{Coverage, CoverageEntry, CoverageState, Snapshot};
use serde_json::Value;
use std::collections::BTreeSet;

/// Of the lines without ends, one in `SHARE` is compared with a hidden part. Every line with ends is compared with a
/// hidden part.
const SHARE: u64 = 4;

/// The coverage states of the hidden part. `Assumed` is the most frequent state, because files do not state which
/// objects are missing in them.
const STATES: [CoverageState; 8] = [
    CoverageState::Assumed,
    CoverageState::Failed,
    CoverageState::Assumed,
    CoverageState::Forbidden,
    CoverageState::Assumed,
    CoverageState::Partial,
    CoverageState::NotServed,
    CoverageState::NotNeeded,
];

/// The part of a kind that is hidden, in all namespaces or in one.
struct Cut<'l> {
    kind: Kind,
    /// Whether the controllers may assume that hidden pods already have their claims (`docs/CONFORMANCE.md`).
    have_claims: bool,
    namespace: Option<&'l str>,
    part: Part<'l>,
}

/// Which objects of the kind are hidden.
enum Part<'l> {
    All,
    /// The object of this name.
    One(&'l str),
    /// All volumes except those of these names. Claims name these volumes, so each of them is read by its name.
    Unnamed(BTreeSet<&'l str>),
}

impl Judged<'_> {
    /// Compares the predictions for a world of which a part is hidden. The name of the line decides whether the line is
    /// compared, and which part is hidden.
    pub(super) fn compare_cut(&self, verdict: &mut Verdict) -> Result<()> {
        let number = self.number();
        let settles = self.line.settle.as_ref().filter(|real| !rejected(real));
        if settles.is_none() && (self.line.decisions.is_empty() || !number.is_multiple_of(SHARE)) {
            return Ok(());
        }
        let number = number / SHARE;
        let namespaces = self.namespaces();
        let cuts = self.cuts(&namespaces);
        let (Ok(of_cuts), Ok(of_states)) = (u64::try_from(cuts.len()), u64::try_from(STATES.len())) else {
            return Ok(());
        };
        if cuts.is_empty() {
            return Ok(());
        }
        let cut = cuts.into_iter().nth(usize::try_from(number % of_cuts)?);
        let state = STATES.get(usize::try_from(number / of_cuts % of_states)?);
        let (Some(cut), Some(state)) = (cut, state) else { return Ok(()) };
        if cut.kind == Kind::PersistentVolumeClaim && misnamed(self.snapshot) {
            return Ok(());
        }
        self.compare_without(&cut, *state, &namespaces, verdict)
    }

    fn namespaces(&self) -> BTreeSet<&str> {
        self.line.world.items.iter().filter_map(|item| item["metadata"]["namespace"].as_str()).collect()
    }

    /// Returns the parts that can be hidden: all objects of a kind, the objects of a kind in one of several namespaces,
    /// one of several objects of a kind, and the volumes that no claim names.
    fn cuts<'l>(&'l self, namespaces: &BTreeSet<&'l str>) -> Vec<Cut<'l>> {
        let items = &self.line.world.items;
        let mut cuts = Vec::new();
        let scheduled = self.line.settle.as_ref().is_some_and(with_scheduler);
        for kind in Kind::ALL.into_iter().chain(FURTHER.into_iter().filter(|_| scheduled)) {
            // If the scheduler takes part, only the pods with generic ephemeral volumes are such pods.
            let have_claims = kind == Kind::Pod && (!scheduled || items.iter().any(gets_claims));
            let mut places = vec![None];
            if kind.namespaced() && namespaces.len() > 1 {
                places.extend(namespaces.iter().copied().map(Some));
            }
            for namespace in places {
                let all = Cut { kind, have_claims, namespace, part: Part::All };
                let hidden: Vec<&str> = items
                    .iter()
                    .filter(|item| all.hides(item))
                    .filter_map(|item| item["metadata"]["name"].as_str())
                    .collect();
                if hidden.is_empty() {
                    continue;
                }
                // If there are several namespaces, single objects are hidden in each namespace separately.
                if hidden.len() > 1 && (namespace.is_some() || !kind.namespaced() || namespaces.len() == 1) {
                    cuts.extend(hidden.iter().map(|name| Cut { kind, have_claims, namespace, part: Part::One(name) }));
                }
                cuts.push(all);
            }
        }
        if cuts.iter().any(|cut| cut.kind == Kind::PersistentVolume) {
            let names = items.iter().filter_map(|item| item["spec"]["volumeName"].as_str());
            let part = Part::Unnamed(names.filter(|name| !name.is_empty()).collect());
            cuts.push(Cut { kind: Kind::PersistentVolume, have_claims: false, namespace: None, part });
        }
        cuts
    }

    fn compare_without(
        &self,
        cut: &Cut<'_>,
        state: CoverageState,
        namespaces: &BTreeSet<&str>,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let left = self.line.world.items.iter().filter(|item| !cut.hides(item));
        let partial = Snapshot::new(parts(left, cut.coverage(state, namespaces, &self.line.world.items))?);
        let settled = self.line.settle.as_ref().filter(|real| !rejected(real));
        let settings = match settled {
            Some(real) => settling(self.behavior, real)?,
            // The ends are not compared here, so they need not be found.
            None => Settings { controllers: CONTROLLERS.to_vec(), budget: Budget::NONE, ..binder(self.behavior) },
        };
        let simulation = simulation(&partial, settings.clone(), 1);
        for case in self.line.decisions.iter().chain(&self.line.protections) {
            let Some(target) = found(&partial, &case.object) else { continue };
            let controller = controller(case, target);
            if !settings.controllers.contains(&controller) || case.decisions.iter().any(refused_by_validation) {
                continue;
            }
            let mut prediction = simulation.predict(target);
            // The oracle replaces the pods that recycle volumes, so no decision of the oracle finds an earlier pod.
            if prediction.decided_by.contains(&DecidedBy::RecyclerPod) {
                continue;
            }
            prediction.decisions.listed.retain(|decision| decision.controller == controller);
            let shape = Shape::of(case, &self.line.world.items);
            let (real, predicted) = (shape.real(case), shape.predicted(&prediction.decisions)?);
            let hidden = prediction
                .unknown
                .iter()
                .any(|unknown| unknown.field == "decisions" && unknown.controller == Some(controller));
            let answer = Answer { object: &case.object, what: "decisions", real: &real, predicted: &predicted, hidden };
            cut.judge(state, &answer, real == predicted, &prediction, verdict);
        }
        let Some(settled) = settled else { return Ok(()) };
        let is_hidden = |item: &&Value| cut.hides(item) && gets_claims(item);
        if state == CoverageState::NotNeeded
            && settings.controllers.contains(&ephemeral_volume::CONTROLLER)
            && self.line.world.items.iter().any(|item| is_hidden(&item))
        {
            return Ok(());
        }
        let mut whole = None;
        for ends in &settled.objects {
            let Some(target_left) = found(&partial, &ends.object) else { continue };
            let prediction = simulation.predict(target_left);
            let real: BTreeSet<String> = ends.ends.iter().map(ToString::to_string).collect();
            let predicted = match &prediction.outcomes {
                Some(set) => ends_of(&set.listed)?,
                None => BTreeSet::new(),
            };
            let hidden = prediction.outcomes.is_none()
                && prediction.unknown.iter().any(|unknown| unknown.field == "outcomes" && unknown.controller.is_none());
            let mut right = real == predicted;
            if !right && real.is_subset(&predicted) {
                // The set for the whole world may also have more ends than were seen.
                let whole = whole.get_or_insert_with(|| engines::simulation(self.snapshot, settings.clone(), 1));
                right = ends_of(&whole.outcomes(target(self.snapshot, &ends.object)?).listed)? == predicted;
            }
            let answer = Answer { object: &ends.object, what: "settle", real: &real, predicted: &predicted, hidden };
            cut.judge(state, &answer, right, &prediction, verdict);
        }
        Ok(())
    }
}

/// The predicted and the real answer for an object on partial input.
struct Answer<'a> {
    object: &'a Object,
    what: &'static str,
    real: &'a BTreeSet<String>,
    predicted: &'a BTreeSet<String>,
    /// Whether the prediction says that the answer is unknown.
    hidden: bool,
}

impl Cut<'_> {
    fn hides(&self, item: &Value) -> bool {
        let name = &item["metadata"]["name"];
        item["kind"] == self.kind.as_str()
            && self.namespace.is_none_or(|namespace| item["metadata"]["namespace"] == namespace)
            && match &self.part {
                Part::All => true,
                Part::One(one) => name == one,
                Part::Unnamed(named) => !named.iter().any(|other| name == other),
            }
    }

    /// Returns the coverage in which only this part was not read.
    fn coverage(&self, state: CoverageState, namespaces: &BTreeSet<&str>, items: &[Value]) -> Coverage {
        let mut coverage = Coverage::complete();
        let there = |name: &str| {
            items.iter().any(|item| item["kind"] == self.kind.as_str() && item["metadata"]["name"] == name)
        };
        let absent: BTreeSet<Str> = match &self.part {
            Part::All | Part::One(_) => BTreeSet::new(),
            Part::Unnamed(named) => named.iter().filter(|name| !there(name)).map(|name| Str::from(*name)).collect(),
        };
        let mut set = |namespace: Option<&str>, state: CoverageState| {
            let entry = CoverageEntry::new(self.kind, namespace.map(Str::from), state);
            coverage.set(CoverageEntry { absent: absent.clone(), ..entry });
        };
        set(None, state);
        for namespace in namespaces
            .iter()
            .filter(|namespace| self.kind.namespaced() && self.namespace.is_some_and(|hidden| hidden != **namespace))
        {
            set(Some(namespace), CoverageState::Complete);
        }
        coverage
    }

    fn judge(
        &self,
        state: CoverageState,
        answer: &Answer<'_>,
        right: bool,
        prediction: &Prediction<'_>,
        verdict: &mut Verdict,
    ) {
        // An assumption about another namespace does not concern the hidden part.
        let assumed = prediction.assumed.iter().any(|assumed| {
            let hidden = |namespace: &&str| assumed.namespace.is_empty() || assumed.namespace == *namespace;
            assumed.kind == self.kind && self.namespace.as_ref().is_none_or(hidden)
        });
        let needs: BTreeSet<String> = prediction.assumed.iter().map(|need| format!("{need:?}")).collect();
        if needs.len() != prediction.assumed.len() {
            let said = [format!("{} doubts", prediction.assumed.len())].into();
            differ("doubts", answer.object, &[format!("{} doubts", needs.len())].into(), &said, verdict);
        }
        // If it is known that something was not read, no answer may rest on the assumption that it is absent.
        let is_read = !matches!(state, CoverageState::Failed | CoverageState::Forbidden | CoverageState::Partial);
        let may_assume = is_read || self.have_claims;
        let doubted = assumed && may_assume || answer.hidden;
        verdict.counts.cuts += 1;
        verdict.counts.doubted += usize::from(!right && doubted);
        verdict.counts.confident += usize::from(!doubted);
        if !right && !doubted {
            let place = self.namespace.map(|namespace| format!(" of {namespace}")).unwrap_or_default();
            let hidden = match &self.part {
                Part::All => "each".to_owned(),
                Part::One(name) => format!("{name:?}, a"),
                Part::Unnamed(_) => "each unnamed".to_owned(),
            };
            let part = format!("{} without {hidden} {}{place}", answer.what, self.kind.as_str());
            differ(&part, answer.object, answer.real, answer.predicted, verdict);
        }
    }
}

/// Returns whether claims are created for this pod.
///
/// From a cluster, the program reads only the pods that a decision needs. Claims may also be created for other pods,
/// but it would not help to mark every Available volume as uncertain for this reason. So this case is left out, as
/// `docs/CONFORMANCE.md` says. If pods could not be read, the answers are marked as uncertain.
fn gets_claims(item: &Value) -> bool {
    let mut volumes = item["spec"]["volumes"].as_array().into_iter().flatten();
    item["kind"] == "Pod" && volumes.any(|volume| volume["ephemeral"].is_object())
}

/// Returns whether the claimRef of a volume has the name of one claim and the uid of another one.
///
/// Only a person can write such a claimRef, because a uid always belongs to one name. The sync of the other claim
/// cannot be predicted without reading all claims. It would not help to mark every Released volume as uncertain for
/// this reason. So this case is left out, as `docs/CONFORMANCE.md` says.
pub fn misnamed(snapshot: &Snapshot) -> bool {
    snapshot.volumes().iter().filter_map(|volume| volume.claim_ref.as_ref()).any(|named| {
        snapshot.claims().iter().any(|claim| {
            claim.meta.uid == named.uid && (claim.meta.name != named.name || claim.meta.namespace != named.namespace)
        })
    })
}
