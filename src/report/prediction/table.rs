//! Predictions as a table, which has more columns with `-o wide`.

use super::Predictions;
use super::ends::{bindings, phases};
use crate::diagnosis::Diagnosis;
use crate::diagnosis::reason::why;
use crate::error::Error;
use crate::model::Kind;
use crate::report::prediction::StateOut;
use crate::report::shared::table::{Table, TableView};
use crate::simulate::{OutcomeSet, Prediction, Simulation};
use crate::text::human_age;
use std::collections::BTreeSet;
use std::io::Write;

/// Returns the names of the columns.
pub(super) fn columns(wide: bool) -> Vec<&'static str> {
    let mut columns = vec!["NAMESPACE", "NAME", "PHASE", "EXPECTED", "BINDING"];
    if wide {
        columns.extend(["BRANCH", "COMPONENT", "OUTCOMES", "EXACT"]);
    }
    columns.extend(["WHY", "AGE"]);
    columns
}

/// Writes the notes that people have to read first, and then the table. A table without rows is not written.
pub(super) fn write<'s>(
    predictions: &impl Predictions<'s>,
    wide: bool,
    view: TableView<'_>,
    output: &mut impl Write,
) -> Result<(), Error> {
    let simulation = predictions.simulation();
    let mut table = Table::new(columns(wide));
    let mut assumed: BTreeSet<Kind> = BTreeSet::new();
    predictions.each(
        |target| simulation.predict(target),
        |prediction, diagnosis, rows: &mut Vec<(Vec<String>, Vec<Kind>, bool)>| {
            let kinds = prediction.assumed.iter().map(|assumed| assumed.kind).collect();
            let is_well = is_at_rest(simulation, prediction, diagnosis);
            rows.push((row(simulation, prediction, diagnosis, wide), kinds, is_well));
            Ok(())
        },
        |rows| {
            for (row, kinds, is_well) in rows {
                if is_well {
                    table.short_row(row);
                } else {
                    table.row(row);
                }
                assumed.extend(kinds);
            }
            Ok(())
        },
    )?;
    if let Some(column) = view.sort_by {
        table.sort_by(column);
    }
    let attachments = predictions.attachments().unwrap_or_default();
    predictions.remark(&assumed, table.is_empty() && attachments.is_empty());
    if table.is_empty() {
        return super::attachments::write(&attachments, true, view, output);
    }
    table.render(view.style, |text| output.write_all(text.as_bytes()).map_err(|failure| Error::unwritten(&failure)))?;
    if table.leaves_out(view.style) {
        predictions.note(
            "note: objects that are bound and stay bound have one line here; a wider terminal, or `| cat`, shows their \
             other columns",
        );
    }
    super::attachments::write(&attachments, false, view, output)
}

/// Returns whether the object is bound, stays bound, and has no problem. In a narrow terminal such an object has only
/// one line, because the other columns only repeat that it is bound.
fn is_at_rest(simulation: &Simulation<'_>, prediction: &Prediction<'_>, diagnosis: Option<&Diagnosis>) -> bool {
    let snapshot = simulation.snapshot();
    let phase = StateOut::recorded(snapshot, prediction.target).phase;
    phase == "Bound"
        && phases(prediction) == phase
        && !prediction.changes()
        && snapshot.meta(prediction.target).deleted.is_none()
        && diagnosis.is_none_or(|diagnosis| !diagnosis.state.is_problem())
}

fn row(
    simulation: &Simulation<'_>,
    prediction: &Prediction<'_>,
    diagnosis: Option<&Diagnosis>,
    wide: bool,
) -> Vec<String> {
    let snapshot = simulation.snapshot();
    let target = prediction.target;
    let (meta, phase) = (snapshot.meta(target), StateOut::recorded(snapshot, target).phase);
    let terminating = if meta.deleted.is_some() { ", Terminating" } else { "" };
    let age = match (snapshot.now(), meta.created) {
        (Some(now), Some(created)) => human_age(now.seconds_since(created)),
        _ => "<unknown>".to_owned(),
    };
    let mut row = vec![
        meta.namespace.to_string(),
        format!("{}/{}", target.kind.short(), meta.name),
        format!("{phase}{terminating}"),
        phases(prediction),
        bindings(prediction),
    ];
    if wide {
        let branches: Vec<&str> =
            prediction.decisions.listed.iter().take(1).map(|decision| decision.branch.name()).collect();
        let outcomes = prediction.outcomes.as_ref();
        let cell = |of_set: fn(&OutcomeSet) -> String| match outcomes {
            Some(set) => of_set(set),
            None if prediction.has_no_ends() => String::new(),
            None => "<unknown>".to_owned(),
        };
        row.extend([
            branches.join(","),
            format!("c{}", prediction.component),
            cell(|set| set.count.to_string()),
            cell(|set| set.exact.to_string()),
        ]);
    }
    let why = match diagnosis.filter(|diagnosis| diagnosis.state.is_problem()) {
        Some(diagnosis) => diagnosis.cause(),
        None => why(simulation, prediction),
    };
    row.extend([why, age]);
    row
}
