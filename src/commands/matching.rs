//! `match`: why each volume fits a claim or not.

use super::gather::{Evidence, Gathered, Question, file_options, gather, unreadable};
use super::{Status, named};
use crate::cli::{GlobalArgs, MatchArgs, one_object};
use crate::controllers::persistent_volume::{Planned, match_claim, planned};
use crate::error::Error;
use crate::model::{Kind, PersistentVolumeClaim};
use crate::report::match_table::{MatchTable, Matched};
use crate::source::{FileOptions, files};
use crate::terminal::Terminal;
use std::path::Path;

/// The namespace of a planned claim that nobody gave one.
const DEFAULT_NAMESPACE: &str = "default";

/// Matches and prints.
pub(super) fn run(args: &MatchArgs, global: &GlobalArgs, terminal: &Terminal) -> Result<Status, Error> {
    let stdin = Path::new("-");
    if args.claim.as_deref() == Some(stdin) && args.source.filenames.iter().any(|path| path == stdin) {
        return Err(Error::usage("--claim and -f cannot both read stdin"));
    }
    let word =
        if args.claim.is_none() { Some(one_object(&args.object, &[Kind::PersistentVolumeClaim])?) } else { None };
    let manifest = args.claim.as_deref().map(|path| read_claim(path, args)).transpose()?;
    let question = Question {
        source: &args.source,
        model: &args.model,
        global,
        object: None,
        pods_decide: false,
        evidence: Evidence::default(),
    };
    let gathered = gather(question, terminal)?;
    let snapshot = &gathered.snapshot;
    let plan = manifest.map(|claim| planned(snapshot, in_namespace(claim, &gathered)));
    let claim = match (&plan, &word) {
        (Some(Planned { claim, .. }), _) => claim,
        (None, Some((_, name))) => snapshot.claim(named::claim(snapshot, name, gathered.named_namespace())?),
        (None, None) => return Err(Error::usage("which claim? name one as pvc/NAME, or give a file with --claim")),
    };
    let candidates = match_claim(snapshot, &gathered.modelled.rules, claim);
    let model = gathered.modelled.document();
    let answer = MatchTable::new(Matched {
        snapshot,
        model: &model,
        claim,
        candidates: &candidates,
        planned: plan.is_some(),
        default_class: plan.as_ref().and_then(|plan| plan.default_class.as_deref()),
    });
    let mut output = terminal.output();
    if let Some(columns) = args.output.columns() {
        args.table.check(columns)?;
        for note in &gathered.notes {
            terminal.message(note);
        }
    }
    args.output.render(&answer, snapshot, args.table.view(terminal.width()), |text| output.print(text))?;
    output.finish()?;
    Ok(if gathered.dropped() || !answer.unknown.is_empty() { Status::Unjudged } else { Status::Done })
}

/// The one claim of a file.
fn read_claim(path: &Path, args: &MatchArgs) -> Result<PersistentVolumeClaim, Error> {
    let options = FileOptions {
        paths: vec![path.to_owned()],
        recursive: false,
        assume_complete: None,
        partial: Vec::new(),
        strict: true,
        ..file_options(&args.source)
    };
    let parts = files::read(&options).map_err(|error| unreadable(&error))?.parts;
    let shown = path.display();
    if let Some(issue) = parts.issues.first() {
        let value = if issue.value.is_empty() { String::new() } else { format!(" {}", issue.value) };
        return Err(Error::unreadable(format!("--claim {shown}: {}{value}: {}", issue.field, issue.reason)));
    }
    let mut claims = parts.objects.claims;
    match (claims.pop(), claims.len()) {
        (Some(claim), 0) => Ok(claim),
        (None, _) => Err(Error::usage(format!("--claim {shown}: there is no PersistentVolumeClaim in it"))),
        (Some(_), more) => {
            Err(Error::usage(format!("--claim {shown}: there are {} claims in it, and one is wanted", more + 1)))
        }
    }
}

/// The claim in its own namespace, or in the one that is asked about.
fn in_namespace(mut claim: PersistentVolumeClaim, gathered: &Gathered) -> PersistentVolumeClaim {
    if claim.meta.namespace.is_empty() {
        claim.meta.namespace = gathered.named_namespace().unwrap_or(DEFAULT_NAMESPACE).into();
    }
    claim
}
