//! Folded decisions are those for which no sync was run. They must equal the decisions that the syncs would have given.
#![expect(clippy::unwrap_used, reason = "a property that cannot be evaluated is a failed test")]

use crate::predict::properties::{check, some_rules};
use crate::support::worlds::{Cluster, contended, worlds};
use proptest::prelude::*;
use pvctl::engines::simulation;
use pvctl::model::{AnnotationKey, ResourceVersion, Str, Timestamp};
use pvctl::report::prediction::{PredictionOut, write_folded};
use pvctl::simulate::Budget;
use pvctl::simulate::{Limit, Settings};
use pvctl::snapshot::{Parts, Snapshot};
use std::cell::Cell;
use std::sync::Arc;

/// Names for twins: plain names, names that have another meaning in a decision, and names that no API server would
/// store.
const NAMES: [&str; 12] =
    ["w", "a-twin", "v-9", "v1", "event", "yes", "Bound", "1Gi", "c0", "persistentvolumes", ",", "a\"b\n"];

/// Returns the world with copies (twins) of its volumes. A twin differs in the fields that identify an object and in
/// those that only a search reads. Some twins also differ in a field that a decision reads or prints.
fn with_twins(mut parts: Parts, twins: &[(usize, usize, u8)]) -> Parts {
    for (number, (of, name, change)) in twins.iter().enumerate() {
        if parts.objects.volumes.is_empty()
            || parts.objects.volumes.iter().any(|volume| volume.meta.name == NAMES[*name])
        {
            continue;
        }
        let mut twin = parts.objects.volumes[of % parts.objects.volumes.len()].clone();
        twin.meta.name = NAMES[*name].into();
        twin.meta.uid = format!("uid-of-twin-{number}").into();
        twin.meta.resource_version = ResourceVersion::Recorded(Str::from(format!("{}", 7000 + number)));
        twin.meta.created = Some(Timestamp(1_600_000_000));
        twin.status.last_phase_transition = Some(Timestamp(1_650_000_000));
        if twin.meta.labels.is_empty() {
            twin.meta.labels = Arc::new([("twin".into(), "yes".into())]);
        }
        match change {
            0 => twin.meta.annotations.set(AnnotationKey::BoundByController, "yes"),
            1 => twin.meta.annotations.set(AnnotationKey::PreResizeCapacity, "512Mi"),
            2 => twin.status.message = "as a person wrote it".into(),
            3 => twin.meta.finalizers = Arc::default(),
            _ => {}
        }
        parts.objects.volumes.push(twin);
    }
    parts
}

#[test]
fn a_folded_prediction_is_printed_as_if_every_sync_was_run() {
    let (folded, refused) = (Cell::new(0), Cell::new(0));
    let some_worlds = prop_oneof![2 => worlds(3, 3), 1 => contended(6, 3)];
    let twins = proptest::collection::vec((0usize..4, 0..NAMES.len(), 0u8..12), 0..8);
    let limit = prop_oneof![Just(Limit::All), (1usize..5).prop_map(Limit::AtMost), Just(Limit::AtMost(16))];
    check(1500, (some_worlds, twins, some_rules(), limit), |(Cluster(parts), twins, rules, decisions)| {
        let snapshot = Snapshot::new(with_twins(parts, &twins));
        let simulation =
            simulation(&snapshot, Settings { decisions, budget: Budget { states: 20 }, ..Settings::new(rules) }, 1);
        for target in simulation.targets() {
            let all = simulation.predict(target);
            let some = simulation.predict_folded(target);
            let stands_for = some.decisions.listed.iter().map(pvctl::simulate::Decision::stands_for).sum::<usize>();
            prop_assert_eq!(stands_for, all.decisions.listed.len());
            prop_assert_eq!(some.decisions.count, all.decisions.count);
            let mut place = 0;
            for decision in &some.decisions.listed {
                // A listed decision was run. It must be at its own place in the order.
                let run = &all.decisions.listed[place];
                prop_assert_eq!(format!("{:?}", decision.record), format!("{:?}", run.record));
                place += decision.stands_for();
            }
            let expected = serde_json::to_string(&PredictionOut::new(&snapshot, &all)).unwrap();
            let mut written = b"before".to_vec();
            if write_folded(&mut written, &snapshot, &some).unwrap() {
                prop_assert_eq!(String::from_utf8(written).unwrap(), format!("before{expected}"));
                folded.set(folded.get() + all.decisions.listed.len() - some.decisions.listed.len());
            } else {
                prop_assert_eq!(written, b"before");
                refused.set(refused.get() + 1);
            }
        }
        Ok(())
    });
    let (folded, refused) = (folded.get(), refused.get());
    assert!(
        folded > 150 && refused > 50,
        "the test is too weak: {folded} decisions were folded, {refused} items could not be folded"
    );
}
