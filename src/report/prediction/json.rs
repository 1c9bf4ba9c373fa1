//! Predictions as JSON. Each item is one line and is written as soon as it is known.

use super::Predictions;
use super::document::{CreatedOut, Head, PredictionOut};
use super::folded::write_folded;
use crate::error::Error;
use crate::report::shared::diagnosis::DiagnosisOut;
use crate::report::shared::list::{Elements, ObjectWriter};
use std::collections::BTreeSet;
use std::io::Write;

/// Writes the document.
pub(super) fn write<'s>(predictions: &impl Predictions<'s>, output: &mut impl Write) -> Result<(), Error> {
    let simulation = predictions.simulation();
    let snapshot = simulation.snapshot();
    let mut document = ObjectWriter::start(output)?;
    let Head { api_version, kind, model, coverage } = Head::new(predictions.model(), snapshot);
    document.field("apiVersion", &api_version)?;
    document.field("kind", &kind)?;
    document.field("model", &model)?;
    document.field("coverage", &coverage)?;
    let mut items = document.list("items")?;
    let mut shown = BTreeSet::new();
    predictions.each(
        |target| simulation.predict_folded(target),
        |prediction, diagnosis, (elements, components): &mut (Elements, BTreeSet<usize>)| {
            components.insert(prediction.component);
            elements.push(|element| {
                if diagnosis.is_none() && write_folded(element, snapshot, prediction)? {
                    return Ok(());
                }
                let unfolded = simulation.predict(prediction.target);
                let mut item = PredictionOut::new(snapshot, &unfolded);
                item.diagnosis = diagnosis.map(|diagnosis| DiagnosisOut::new(diagnosis, snapshot.now()));
                serde_json::to_writer(element, &item)
            })
        },
        |(elements, components)| {
            shown.extend(components);
            items.add(&elements)
        },
    )?;
    let mut document = items.end()?;
    let created = CreatedOut::of(simulation, &shown);
    if !created.is_empty() {
        document.field("created", &created)?;
    }
    if let Some(attachments) = predictions.attachments() {
        document.field("attachments", &attachments)?;
    }
    let mut worlds = document.list("worlds")?;
    predictions.each_joint(
        &shown,
        |joint, elements: &mut Elements| elements.push(|element| serde_json::to_writer(element, joint)),
        |elements| worlds.add(&elements),
    )?;
    let output = worlds.end_in_line()?.end()?;
    output.write_all(b"\n").map_err(|failure| Error::unwritten(&failure))
}
