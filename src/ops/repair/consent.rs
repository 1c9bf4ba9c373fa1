//! The consent of the person to a plan.

use super::RepairOptions;
use crate::error::Error;
use crate::ops::Asker;
use crate::repair::{Confirmed, Plan, Reviewed};

/// Asks the person whether to carry out the plan.
///
/// # Errors
/// Returns an error if nobody agrees.
pub(super) fn ask(options: &RepairOptions, asker: &impl Asker, reviewed: Reviewed) -> Result<Confirmed, Error> {
    let typed = typed(options, asker, reviewed.plan())?;
    reviewed.confirm(typed.as_deref()).map_err(|reviewed| {
        let name = reviewed.plan().type_name.clone().unwrap_or_default();
        Error::refused(format!("the typed name is not {name}: nothing was written"))
    })
}

/// Returns the name that the person typed, if the plan asks for one.
fn typed(options: &RepairOptions, asker: &impl Asker, plan: &Plan) -> Result<Option<String>, Error> {
    let again = "-o yaml prints the plan for `kubectl pvctl apply`, --dry-run shows it";
    match &plan.type_name {
        Some(name) if options.confirm.is_some() && (options.yes || !asker.can_ask()) => {
            if !options.yes {
                return Err(nobody(&format!("--yes --confirm {name} confirms without a question"), again));
            }
            Ok(options.confirm.clone())
        }
        Some(name) if options.yes => {
            Err(Error::refused("--yes alone is not enough for a plan that asks for a name: nothing was written")
                .hint(format!("--confirm {name} gives the name that the plan asks for")))
        }
        Some(name) if !asker.can_ask() => {
            Err(nobody(&format!("--yes --confirm {name} confirms without a question"), again))
        }
        Some(name) => {
            if let Some(typed) = &options.confirm {
                return agreed(asker).map(|()| Some(typed.clone()));
            }
            let typed = asker.ask_text(&format!("Type {name} to carry out this plan; Esc cancels"))?;
            typed.map(Some).ok_or_else(declined)
        }
        None if options.yes => Ok(None),
        None if !asker.can_ask() => Err(nobody("--yes confirms without a question", again)),
        None => agreed(asker).map(|()| None),
    }
}

fn agreed(asker: &impl Asker) -> Result<(), Error> {
    if asker.confirm("Carry out this plan?")? { Ok(()) } else { Err(declined()) }
}

fn nobody(yes: &str, again: &str) -> Error {
    Error::refused("this needs a confirmation, and there is no terminal to ask on: nothing was written")
        .hint(yes)
        .hint(again)
}

fn declined() -> Error {
    Error::refused("not confirmed: nothing was written")
}
