//! The prediction for a snapshot of a world is the same as for the world: redaction removes nothing that a decision
//! reads.
//!
//! The worlds are written as an API server would store them, with many fields that no decision reads and that must not
//! leave the cluster. If redaction drops a field that a decision reads, the prediction changes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a property that cannot be evaluated is a failed test")]
#![expect(clippy::disallowed_methods, reason = "the tests write dumps as files")]

mod objects;
mod statements;
mod worlds;

use pvctl::controllers::KubernetesBehavior;
use pvctl::engines::simulation;
use pvctl::report::prediction::{CreatedOut, Head, JointOut, PredictionList, PredictionOut};
use pvctl::report::shared::machine::Model;

use pvctl::simulate::{Budget, Settings};
use pvctl::snapshot::{Parts, Snapshot};
use pvctl::source::files::{archive_with, read_with};
use pvctl::source::{Archived, ConnectOptions, Environment, FileOptions, archive};
use std::collections::BTreeSet;

fn stdin() -> FileOptions {
    FileOptions { paths: vec!["-".into()], ..FileOptions::default() }
}

/// Returns what `snapshot -f -` prints for that input with these flags.
fn snapshot_of(input: &str, options: &FileOptions) -> String {
    let Archived { mut objects, issues, statement } = archive_with(options, &mut input.as_bytes()).unwrap();
    assert_eq!(issues, []);
    archive::order(&mut objects);
    let mut written = Vec::new();
    archive::write(&objects, &statement, &mut written).unwrap();
    String::from_utf8(written).unwrap()
}

/// Returns what `predict -f - -o json --trace` prints for that input.
fn prediction(input: &str, options: &FileOptions, behavior: &KubernetesBehavior) -> String {
    prediction_of(read_with(options, &mut input.as_bytes()).unwrap().parts, behavior)
}

fn prediction_of(parts: Parts, behavior: &KubernetesBehavior) -> String {
    let snapshot = Snapshot::new(parts);
    let settings = Settings { tracing: true, budget: Budget { states: 300 }, ..Settings::new(behavior.clone()) };
    let model = Model::new(&settings.behavior, &settings.controllers, "assumed");
    let simulation = simulation(&snapshot, settings, 1);
    let predictions: Vec<_> = simulation.targets().map(|target| simulation.predict(target)).collect();
    let components: BTreeSet<usize> = predictions.iter().map(|prediction| prediction.component).collect();
    let list = PredictionList {
        head: Head::new(model, &snapshot),
        items: predictions.iter().map(|prediction| PredictionOut::new(&snapshot, prediction)).collect(),
        created: CreatedOut::of(&simulation, &components),
        attachments: None,
        worlds: components
            .iter()
            .filter_map(|number| {
                let joint = simulation.joint(*number)?;
                Some(JointOut::new(&snapshot, *number, &joint))
            })
            .collect(),
    };
    // Ages and the objects that got defaults are printed only in tables and texts, so they are compared here.
    format!("{}\n{:?} {:?}", serde_json::to_string_pretty(&list).unwrap(), snapshot.now(), snapshot.defaulted())
}

async fn connect(options: &ConnectOptions, environment: &Environment) -> pvctl::source::Cluster<'static> {
    pvctl::source::Cluster::connect(options, environment).await.unwrap()
}
