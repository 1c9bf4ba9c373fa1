//! Predictions as YAML. The fields are those of the JSON, sorted by name. The complete document is held in memory.

use super::Predictions;
use super::document::{CreatedOut, Head, PredictionOut};
use crate::error::Error;
use crate::report::shared::diagnosis::DiagnosisOut;
use crate::report::shared::yaml::{unencodable, yaml};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;

/// Writes the document.
pub(super) fn write<'s>(predictions: &impl Predictions<'s>, output: &mut impl Write) -> Result<(), Error> {
    let simulation = predictions.simulation();
    let snapshot = simulation.snapshot();
    let (mut items, mut worlds, mut shown) = (Vec::new(), Vec::new(), BTreeSet::new());
    predictions.each(
        |target| simulation.predict(target),
        |prediction, diagnosis, (values, components): &mut (Vec<Value>, BTreeSet<usize>)| {
            components.insert(prediction.component);
            let mut item = PredictionOut::new(snapshot, prediction);
            item.diagnosis = diagnosis.map(|diagnosis| DiagnosisOut::new(diagnosis, snapshot.now()));
            values.push(value(&item)?);
            Ok(())
        },
        |(values, components)| {
            items.extend(values);
            shown.extend(components);
            Ok(())
        },
    )?;
    predictions.each_joint(
        &shown,
        |joint, values: &mut Vec<Value>| {
            values.push(value(joint)?);
            Ok(())
        },
        |values| {
            worlds.extend(values);
            Ok(())
        },
    )?;
    let mut document = value(&Head::new(predictions.model(), snapshot))?;
    document["items"] = items.into();
    let created = CreatedOut::of(simulation, &shown);
    if !created.is_empty() {
        document["created"] = value(&created)?;
    }
    if let Some(attachments) = predictions.attachments() {
        document["attachments"] = value(&attachments)?;
    }
    document["worlds"] = worlds.into();
    output.write_all(yaml(&document)?.as_bytes()).map_err(|failure| Error::unwritten(&failure))
}

fn value(part: &impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(part).map_err(|failure| unencodable(&failure))
}
