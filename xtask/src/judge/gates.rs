//! Compares feature gates and flags: which gates the version has, and which values it accepts.

use super::{Judged, Verdict, differ};
use crate::line::Object;
use pvctl::controllers::{BehaviorError, KubernetesBehavior};
use std::collections::BTreeSet;

impl Judged<'_> {
    /// Compares each gate and each period for which the line has an answer.
    pub(super) fn compare_features(&self, verdict: &mut Verdict) {
        let version = KubernetesBehavior::of(self.behavior.version);
        let object = |name: &str| Object { kind: "Flag".to_owned(), namespace: String::new(), name: name.to_owned() };
        for feature in &self.line.features {
            let name = feature.name.as_str();
            let (mut real, mut predicted) = (BTreeSet::new(), BTreeSet::new());
            real.insert(format!("by default {:?}", feature.default));
            predicted.insert(format!("by default {:?}", version.gates.get(name)));
            for (state, error) in [(false, &feature.off), (true, &feature.on)] {
                let mut behavior = version.clone();
                let answer = match behavior.set_gate(name, state) {
                    Ok(()) => behavior.gates.get(name).map(|state| format!("is {state}")).unwrap_or_default(),
                    Err(BehaviorError::LockedGate(name, state)) => {
                        format!("cannot set feature gate {name} to {}, feature is locked to {state}", !state)
                    }
                    Err(BehaviorError::UnknownGate(name, _)) => format!("unrecognized feature gate: {name}"),
                    Err(other) => other.to_string(),
                };
                predicted.insert(format!("set to {state}: {answer}"));
                let answer = if error.is_empty() { format!("is {state}") } else { error.clone() };
                real.insert(format!("set to {state}: {answer}"));
            }
            differ("gate", &object(name), &real, &predicted, verdict);
        }
        for period in &self.line.periods {
            let mut behavior = version.clone();
            let predicted = match behavior.set_flag("--pvclaimbinder-sync-period", &period.text) {
                Ok(()) => format!("{} s", behavior.resync_seconds),
                Err(BehaviorError::BadFlagValue(..)) => "no duration".to_owned(),
                Err(other) => other.to_string(),
            };
            let real = if period.error.is_empty() { format!("{} s", period.seconds) } else { "no duration".to_owned() };
            differ("period", &object(&period.text), &[real].into(), &[predicted].into(), verdict);
        }
    }
}
