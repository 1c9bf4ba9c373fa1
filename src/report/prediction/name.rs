//! The objects of predictions, named as kubectl names them.

use super::Predictions;
use crate::error::Error;
use crate::text::sanitize;
use std::fmt::Write as _;
use std::io::Write;

/// Writes one line for each object.
pub(super) fn write<'s>(predictions: &impl Predictions<'s>, output: &mut impl Write) -> Result<(), Error> {
    let simulation = predictions.simulation();
    predictions.each(
        |target| simulation.predict(target),
        |prediction, _, lines: &mut String| {
            let key = simulation.snapshot().key(prediction.target);
            let name = format!("{}/{}", key.kind.as_str().to_ascii_lowercase(), key.name);
            _ = writeln!(lines, "{}", sanitize(&name));
            Ok(())
        },
        |lines| output.write_all(lines.as_bytes()).map_err(|failure| Error::unwritten(&failure)),
    )
}
