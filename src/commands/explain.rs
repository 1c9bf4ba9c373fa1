//! `explain`: why one object is as it is, and who has to act.

use super::gather::gather;
use super::{Status, named, print_document};
use crate::cli::{ExplainArgs, GlobalArgs, Output as Format, one_object};
use crate::error::Error;
use crate::model::{Kind, StorageClass};
use crate::report::explanation::{Asked, Explanation};
use crate::simulate::{Simulation, Target};
use crate::terminal::Terminal;

/// The kinds that can be explained.
const KINDS: [Kind; 3] = [Kind::PersistentVolumeClaim, Kind::PersistentVolume, Kind::StorageClass];

/// What is explained.
enum Object<'s> {
    Target(Target),
    Class(&'s StorageClass),
}

/// Explains and prints.
pub(super) fn run(args: &ExplainArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let (kind, name) = one_object(&args.object, &KINDS)?;
    let gathered = gather(&args.source, &args.model, global, terminal, Some((kind, &name)))?;
    let snapshot = &gathered.snapshot;
    let settings = gathered.modelled.settings(snapshot, &args.model, true)?;
    let object = match kind {
        Kind::PersistentVolume => Object::Target(Target::Volume(named::volume(snapshot, &name)?)),
        Kind::PersistentVolumeClaim => {
            Object::Target(Target::Claim(named::claim(snapshot, &name, gathered.named_namespace())?))
        }
        _ => Object::Class(named::class(snapshot, &name)?),
    };
    terminal.progress().step("predicting", 0);
    let simulation = Simulation::new(snapshot, settings, gathered.threads);
    let asked = Asked {
        simulation: &simulation,
        model: gathered.modelled.document(),
        from_files: !args.source.filenames.is_empty(),
    };
    let prediction;
    let explanation = match object {
        Object::Target(target) => {
            prediction = simulation.predict(target);
            Explanation::of_object(asked, &prediction)
        }
        Object::Class(class) => Explanation::of_class(asked, class),
    };
    let mut output = terminal.output();
    if matches!(args.output, Format::Json | Format::Yaml) {
        print_document(&explanation, args.output, &mut output)?;
    } else {
        for note in &gathered.notes {
            terminal.message(note);
        }
        output.print(&explanation.text(terminal.width(), args.trace))?;
    }
    output.finish()?;
    Ok(if gathered.unjudged() { Status::Unjudged } else { Status::Done })
}
